//! Checks JSON text without building values, and can pause at any value, so that a long text is checked in parts.

use super::{JsonError, Parser};

/// The progress of checking one value of a text, which must not change between two calls.
#[derive(Clone, Debug)]
pub struct Skim {
    at: usize,
    /// The enclosing containers, the innermost last: where each begins, and whether it is an object.
    open: Vec<(usize, bool)>,
    /// Whether a value begins at `at`; otherwise one has ended there.
    begins: bool,
}

impl Skim {
    /// Starts with the value at a byte offset.
    pub fn new(at: usize) -> Skim {
        Skim { at, open: Vec::new(), begins: true }
    }

    /// Continues over about this many bytes. Returns the offset after the value when its end is reached.
    ///
    /// Errors: those of [`parse_at`](super::parse_at).
    pub fn value(&mut self, text: &str, bytes: usize) -> Result<Option<usize>, JsonError> {
        let mut parser = Parser { keep: false, at: self.at, ..Parser::new(text) };
        if !text.is_char_boundary(self.at) {
            parser.at = text.len();
        }
        let stop = self.at.saturating_add(bytes);
        loop {
            if self.begins {
                if parser.at >= stop {
                    self.at = parser.at;
                    return Ok(None);
                }
                let start = parser.at;
                let object = match parser.bytes.get(start) {
                    Some(b'{') => true,
                    Some(b'[') => false,
                    _ => {
                        parser.value(0)?;
                        self.begins = false;
                        continue;
                    }
                };
                parser.deeper(self.open.len())?;
                parser.at += 1;
                parser.space();
                if parser.bytes.get(parser.at) == Some(if object { &b'}' } else { &b']' }) {
                    parser.at += 1;
                    self.begins = false;
                    continue;
                }
                self.open.push((start, object));
                parser.part(start, object)?;
                continue;
            }
            let Some((start, object)) = self.open.last().copied() else {
                self.at = parser.at;
                return Ok(Some(parser.at));
            };
            if parser.closes(start, object)? {
                parser.at += 1;
                self.open.pop();
            } else {
                parser.part(start, object)?;
                self.begins = true;
            }
        }
    }

    /// Checks a text that is one value, from its first byte. Returns whether the end is reached.
    ///
    /// Errors: those of [`parse`](super::parse).
    pub fn document(&mut self, text: &str, bytes: usize) -> Result<bool, JsonError> {
        let space = |at: usize| {
            let mut parser = Parser { at, ..Parser::new(text) };
            parser.space();
            parser
        };
        if self.at == 0 {
            self.at = space(0).at;
        }
        let Some(end) = self.value(text, bytes)? else { return Ok(false) };
        let parser = space(end);
        if parser.at < text.len() { Err(parser.error("unexpected text after the JSON value")) } else { Ok(true) }
    }
}

impl Parser<'_> {
    /// Checks the text before the value of an element or member.
    fn part(&mut self, start: usize, object: bool) -> Result<(), JsonError> {
        self.space();
        if object {
            self.quote(start)?;
            self.string()?;
            self.colon()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::parse;

    #[test]
    fn a_check_in_parts_gives_the_same_result_as_a_check_of_the_whole() {
        for text in [
            r#" [1, {"a":"b\n", "c":[]}, null, [[true]], {}] "#,
            r#"{"a":1,"a":{"b":[1,2,{"c":"]}"}]}}"#,
            "7",
            " ",
            "[1,]",
            "[1 2]",
            "[1",
            "[",
            "{",
            r#"{"a""#,
            r#"{"a":1"#,
            r#"{"a":1,}"#,
            r#"{"a" 1}"#,
            r#"{a:1}"#,
            "[1] 2",
            "[tru]",
            r#"["\x"]"#,
        ] {
            let expected = parse(text).map(|_| true);
            for bytes in [1, 2, 7, usize::MAX] {
                let (mut skim, mut calls) = (Skim::new(0), 0);
                let found = loop {
                    calls += 1;
                    match skim.document(text, bytes) {
                        Ok(false) if calls < 1000 => {}
                        other => break other,
                    }
                };
                assert_eq!(found, expected, "{text} in parts of {bytes}");
            }
        }
        let (deep, mut skim, mut calls) = ("[".repeat(100) + &"]".repeat(100), Skim::new(0), 1);
        while !skim.document(&deep, 10).unwrap() {
            calls += 1;
        }
        assert_eq!(calls, 10);
    }
}
