//! Parses calls.

use super::{Argument, Intrinsic, MAX_NESTING, Node};
use crate::base::{Span, Value, json};
use crate::expr::SyntaxError;
use crate::expr::path::{Path, Reader};

/// Compiles one call, which may have blanks around it.
pub(super) fn call(text: &str) -> Result<Node, SyntaxError> {
    let mut parser = Parser { text, at: 0 };
    parser.space();
    let node = parser.call(1)?;
    parser.space();
    match parser.next_char() {
        None => Ok(node),
        Some(found) => parser.error(format!("Expected the end of the call, found '{found}'")),
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

type Parsed<T> = Result<T, SyntaxError>;

impl<'a> Parser<'a> {
    fn error<T>(&self, message: impl Into<String>) -> Parsed<T> {
        Err(SyntaxError::new(message, self.at.min(self.text.len())))
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn next_char(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn eat(&mut self, c: char) -> bool {
        let found = self.next_char() == Some(c);
        self.at += if found { c.len_utf8() } else { 0 };
        found
    }

    fn space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    /// Parses `States.Name(…)`. `level` is the number of nested calls, including this one.
    fn call(&mut self, level: usize) -> Parsed<Node> {
        let rest = self.rest();
        let len = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '.' || c == '_')).unwrap_or(rest.len());
        let name = rest.get(..len).unwrap_or("");
        if !name.starts_with("States.") {
            return self.error("Expected a path that starts with '$' or an intrinsic function call, States.…( … )");
        }
        let Some(function) = Intrinsic::named(name).map(|row| row.function) else {
            return self.error(format!("There is no intrinsic function '{}'", shortened(name)));
        };
        if level > MAX_NESTING {
            return self.error(format!("Intrinsic functions nest deeper than {MAX_NESTING} levels"));
        }
        self.at += len;
        self.space();
        let open = self.at;
        if !self.eat('(') {
            return self.error(format!("Expected '(' after '{name}'"));
        }
        let (mut arguments, mut spans) = (Vec::new(), Vec::new());
        self.space();
        if self.eat(')') {
            return Ok(Node { function, arguments, spans });
        }
        loop {
            self.space();
            let start = self.at;
            arguments.push(self.argument(level)?);
            spans.push(Span::new(start, self.at));
            self.space();
            if self.eat(')') {
                return Ok(Node { function, arguments, spans });
            }
            if !self.eat(',') {
                return match self.next_char() {
                    Some(found) => self.error(format!("Expected ',' or ')', found '{found}'")),
                    None => {
                        self.at = open;
                        self.error("'(' is not closed")
                    }
                };
            }
        }
    }

    fn argument(&mut self, level: usize) -> Parsed<Argument> {
        match self.next_char() {
            Some('\'') => self.string(),
            Some('$') => self.path(),
            Some('-' | '0'..='9') => self.number(),
            Some('S') => Ok(Argument::Call(self.call(level + 1)?)),
            found => {
                for (word, value) in [("true", Value::Bool(true)), ("false", Value::Bool(false)), ("null", Value::Null)] {
                    let after = self.rest().strip_prefix(word);
                    if after.is_some_and(|after| !after.starts_with(|c: char| c.is_alphanumeric() || c == '_')) {
                        self.at += word.len();
                        return Ok(Argument::Scalar(value));
                    }
                }
                match found {
                    Some('"') => self.error("Strings are written in single quotes"),
                    Some(found) => self.error(format!("Expected an argument, found '{found}'")),
                    None => self.error("Expected an argument"),
                }
            }
        }
    }

    /// Parses `'…'` with the escapes `\'`, `\{`, `\}` and `\\`.
    fn string(&mut self) -> Parsed<Argument> {
        let open = self.at;
        self.at += 1;
        let (mut value, mut template) = (String::new(), String::new());
        while let Some(c) = self.next_char() {
            if c == '\'' {
                self.at += 1;
                return Ok(Argument::String { value: Value::from(value), template: template.into() });
            }
            if c == '\\' {
                match self.rest().chars().nth(1) {
                    Some(escaped @ ('\'' | '{' | '}' | '\\')) => {
                        value.push(escaped);
                        if escaped != '\'' {
                            template.push('\\');
                        }
                        template.push(escaped);
                        self.at += 2;
                        continue;
                    }
                    _ => return self.error("A backslash in a string must be followed by ', {, } or another backslash"),
                }
            }
            value.push(c);
            template.push(c);
            self.at += c.len_utf8();
        }
        self.at = open;
        self.error("The string is not closed")
    }

    fn number(&mut self) -> Parsed<Argument> {
        let rest = self.rest();
        let len = rest.find(|c: char| !matches!(c, '0'..='9' | '-' | '+' | '.' | 'e' | 'E')).unwrap_or(rest.len());
        let token = rest.get(..len).unwrap_or("");
        match json::parse(token) {
            Ok(value) => {
                self.at += len;
                Ok(Argument::Scalar(value))
            }
            Err(_) => self.error(format!("'{}' is not a number", shortened(token))),
        }
    }

    /// Parses a path. It ends at a comma or a closing parenthesis that is not inside its own brackets, parentheses or quotes.
    fn path(&mut self) -> Parsed<Argument> {
        let start = self.at;
        let mut depth = 0usize;
        let mut quote = None;
        let mut chars = self.rest().char_indices();
        let mut len = self.rest().len();
        while let Some((i, c)) = chars.next() {
            match (quote, c) {
                (_, '\\') => {
                    chars.next();
                }
                (Some(open), _) if c == open => quote = None,
                (Some(_), _) => {}
                // Outside of brackets a quote is part of a name.
                (None, '\'' | '"') if depth > 0 => quote = Some(c),
                (None, '[' | '(') => depth += 1,
                (None, ']') => depth = depth.saturating_sub(1),
                (None, ')') if depth > 0 => depth -= 1,
                (None, ',' | ')') if depth == 0 => {
                    len = i;
                    break;
                }
                _ => {}
            }
        }
        let text = self.rest().get(..len).unwrap_or("").trim_end();
        match Path::parse_for(Reader::Argument, text) {
            Ok(path) => {
                self.at = start + len;
                Ok(Argument::Path(path))
            }
            Err(error) => Err(SyntaxError::new(error.message, start + error.offset)),
        }
    }
}

/// Returns the start of an ASCII token, for a message.
fn shortened(token: &str) -> &str {
    token.get(..40).unwrap_or(token)
}
