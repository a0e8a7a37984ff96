//! Parses JSON text to [`Value`] and prints it, with positions if needed.
//!
//! It is our own, because three features are needed together that `serde_json` does not have: the location of every value and
//! of every duplicate member, lone surrogates as JavaScript's `JSON.stringify` writes them, and integers that are distinct from
//! doubles, without a feature that changes the whole dependency graph.

mod print;
mod skim;

pub use print::{Excess, Seen, longer_than, measure, serialized_len, to_string, write, write_again, write_str, write_text};
pub use skim::Skim;

use super::decimal;
use super::map::Map;
use super::number::Number;
use super::pointer;
use super::span::Span;
use super::value::Value;
use print::plain_run;
use std::fmt;
use std::sync::Arc;

/// Maximum nesting depth of arrays and objects. It bounds every recursion over a value (equality, printing, dropping).
pub const MAX_DEPTH: usize = 128;

/// The reason why a text is not JSON, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// What is wrong, as a sentence without the location.
    pub message: String,
    /// The byte offset in the text.
    pub offset: usize,
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.message, self.offset)
    }
}

impl std::error::Error for JsonError {}

/// The location of a value in its text, and those of its parts.
#[derive(Clone, Debug)]
pub struct Node {
    /// The whole value.
    pub span: Span,
    /// Its elements or members, in the order of the text.
    pub parts: Parts,
}

/// The parts of a [`Node`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Parts {
    /// A scalar.
    None,
    /// The elements of an array.
    Elements(Vec<Node>),
    /// The members of an object: the name, the span of the name with its quotes, the value.
    Members(Vec<(Arc<str>, Span, Node)>),
}

/// A member name that occurs twice in one object; the last one counts.
#[derive(Clone, Debug)]
pub struct Duplicate {
    /// The name.
    pub key: Arc<str>,
    /// RFC 6901 pointer of the object.
    pub object: String,
    /// The first occurrence.
    pub first: Span,
    /// The second occurrence.
    pub second: Span,
}

/// A parsed text with the locations of everything in it.
#[derive(Clone, Debug)]
pub struct Located {
    /// The value; of duplicate members it has the last one.
    pub value: Value,
    /// The locations.
    pub root: Node,
    /// All duplicate members.
    pub duplicates: Vec<Duplicate>,
}

impl Located {
    /// Returns the span of the member name (if it has one) and of the value at an RFC 6901 pointer.
    pub fn find(&self, pointer: &str) -> Option<(Option<Span>, Span)> {
        let mut node = &self.root;
        let mut key = None;
        for token in pointer::steps(pointer) {
            match &node.parts {
                Parts::Elements(items) => {
                    node = items.get(token.parse::<usize>().ok()?)?;
                    key = None;
                }
                // Of duplicates the last one counts, as in the value.
                Parts::Members(members) => {
                    let (_, place, child) = members.iter().rev().find(|(name, _, _)| **name == *token)?;
                    key = Some(*place);
                    node = child;
                }
                Parts::None => return None,
            }
        }
        Some((key, node.span))
    }
}

/// Parses one JSON text.
///
/// Errors: the text is not JSON, is deeper than [`MAX_DEPTH`], or has anything but white space after the value.
pub fn parse(text: &str) -> Result<Value, JsonError> {
    Parser::new(text).document()
}

/// Parses one JSON text that may nest deeper than a payload, such as a snapshot, which contains payloads.
pub fn parse_within(text: &str, max_depth: usize) -> Result<Value, JsonError> {
    Parser { max_depth, ..Parser::new(text) }.document()
}

/// Checks whether a text is JSON, without building its value. Errors: those of [`parse`].
pub fn check(text: &str) -> Result<(), JsonError> {
    Skim::new(0).document(text, usize::MAX).map(drop)
}

/// Parses the value that begins at a byte offset of a text. Returns the value and the offset after it.
///
/// Errors: those of [`parse`], except for what follows the value.
pub fn parse_at(text: &str, at: usize) -> Result<(Value, usize), JsonError> {
    Parser::new(text).value_at(at)
}

/// Parses one JSON text and returns whether any object has two members with the same name; [`parse_located`] finds them.
pub fn parse_noting_duplicates(text: &str) -> Result<(Value, bool), JsonError> {
    let mut parser = Parser::new(text);
    Ok((parser.document()?, parser.repeated))
}

/// Parses one of many JSON texts and returns whether any of its strings has an escape. Names of members that also occurred in
/// earlier texts are shared with those.
pub fn parse_noting_escapes(text: &str, names: &mut SharedNames) -> Result<(Value, bool), JsonError> {
    // The first object of a text is not the first one of all texts.
    let mut parser = Parser { objects: 1, names: names.0.take(), ..Parser::new(text) };
    let parsed = parser.document();
    names.0 = parser.names.take();
    Ok((parsed?, parser.escaped))
}

/// Some member names that were read recently, for [`parse_noting_escapes`].
#[derive(Debug)]
pub struct SharedNames(Option<Box<[Option<Arc<str>>; NAMES]>>);

impl SharedNames {
    /// Returns an empty collection.
    pub const fn new() -> SharedNames {
        SharedNames(None)
    }
}

impl Default for SharedNames {
    fn default() -> SharedNames {
        SharedNames::new()
    }
}

/// Parses one JSON text and stores the location of everything. It is slower than [`parse`] and meant for diagnostics.
pub fn parse_located(text: &str) -> Result<Located, JsonError> {
    let mut parser = Parser { places: Some(Box::default()), ..Parser::new(text) };
    let value = parser.document()?;
    let Places { mut nodes, duplicates, .. } = parser.places.map(|places| *places).unwrap_or_default();
    let root = nodes.pop().unwrap_or(Node { span: Span::new(0, 0), parts: Parts::None });
    Ok(Located { value, root, duplicates })
}

struct Parser<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    max_depth: usize,
    /// Whether strings are stored; otherwise they are empty.
    keep: bool,
    /// The number of objects that were begun.
    objects: u32,
    /// Names of members, in slots that are derived from their texts.
    names: Option<Box<[Option<Arc<str>>; NAMES]>>,
    /// Whether any member name occurred twice in one object.
    repeated: bool,
    /// Whether any string had an escape.
    escaped: bool,
    /// The locations, if they are needed.
    places: Option<Box<Places>>,
}

/// The number of slots for names of members that may repeat.
const NAMES: usize = 32;

/// Maximum length of such a name, in bytes.
const NAME_LENGTH: usize = 64;

#[derive(Default)]
struct Places {
    /// The nodes of values that were parsed and are not part of another one yet.
    nodes: Vec<Node>,
    /// The pointer of the value that is being parsed.
    path: String,
    /// Member names that occur twice in one object.
    duplicates: Vec<Duplicate>,
}

impl Parser<'_> {
    fn new(text: &str) -> Parser<'_> {
        Parser {
            text,
            bytes: text.as_bytes(),
            at: 0,
            max_depth: MAX_DEPTH,
            keep: true,
            objects: 0,
            names: None,
            repeated: false,
            escaped: false,
            places: None,
        }
    }

    fn document(&mut self) -> Result<Value, JsonError> {
        self.space();
        let value = self.value(0)?;
        self.space();
        if self.at < self.bytes.len() {
            return Err(self.error("unexpected text after the JSON value"));
        }
        Ok(value)
    }

    fn value_at(mut self, at: usize) -> Result<(Value, usize), JsonError> {
        self.at = if self.text.is_char_boundary(at) { at } else { self.bytes.len() };
        Ok((self.value(0)?, self.at))
    }

    fn error(&self, message: impl Into<String>) -> JsonError {
        JsonError { message: message.into(), offset: self.at.min(self.bytes.len()) }
    }

    /// The output of `JSON.stringify` has no white space.
    #[inline(always)]
    fn space(&mut self) {
        if self.bytes.get(self.at).is_some_and(|b| *b <= b' ') {
            self.spaces();
        }
    }

    #[inline(never)]
    fn spaces(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.bytes.get(self.at) {
            self.at += 1;
        }
    }

    fn value(&mut self, depth: usize) -> Result<Value, JsonError> {
        let start = self.at;
        let value = match self.bytes.get(self.at) {
            None => return Err(self.error("unexpected end of the JSON text")),
            Some(b'{') => return self.object(depth),
            Some(b'[') => return self.array(depth),
            Some(b'"') => Value::String(self.string()?),
            Some(b't') => self.word("true", Value::Bool(true))?,
            Some(b'f') => self.word("false", Value::Bool(false))?,
            Some(b'n') => self.word("null", Value::Null)?,
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(_) => {
                // Invariant: `at` is at a char boundary, since every token ends with an ASCII byte.
                let found = self.text[self.at..].chars().next().unwrap_or(' ');
                return Err(self.error(format!("expected a JSON value, found {found:?}")));
            }
        };
        if self.places.is_some() {
            self.place(start, Parts::None);
        }
        Ok(value)
    }

    /// Stores the location of a value that was parsed completely.
    #[inline(never)]
    fn place(&mut self, start: usize, parts: Parts) {
        if let Some(places) = &mut self.places {
            places.nodes.push(Node { span: Span::new(start, self.at), parts });
        }
    }

    /// The number of stored locations that are not part of another value yet.
    fn placed(&self) -> usize {
        self.places.as_ref().map_or(0, |places| places.nodes.len())
    }

    /// Enters a part of the value that is being parsed. Returns the length of the pointer to restore.
    #[inline(never)]
    fn begin(&mut self, step: &str) -> usize {
        let Some(places) = &mut self.places else { return 0 };
        let length = places.path.len();
        places.path.push('/');
        pointer::escape(&mut places.path, step);
        length
    }

    /// Returns to the container.
    #[inline(always)]
    fn end(&mut self, length: usize) {
        if let Some(places) = &mut self.places {
            places.path.truncate(length);
        }
    }

    fn word(&mut self, word: &str, value: Value) -> Result<Value, JsonError> {
        if !self.bytes[self.at..].starts_with(word.as_bytes()) {
            return Err(self.error(format!("expected `{word}`")));
        }
        self.at += word.len();
        Ok(value)
    }

    fn number(&mut self) -> Result<Value, JsonError> {
        let start = self.at;
        if self.bytes[self.at] == b'-' {
            self.at += 1;
        }
        match self.bytes.get(self.at) {
            Some(b'0') => self.at += 1,
            Some(b'1'..=b'9') => {
                // This is the number of digits that always fit.
                let (mut n, first) = (0i64, self.at);
                while let Some(b @ b'0'..=b'9') = self.bytes.get(self.at)
                    && self.at - first < 18
                {
                    n = n * 10 + i64::from(b - b'0');
                    self.at += 1;
                }
                if !matches!(self.bytes.get(self.at), Some(b'0'..=b'9' | b'.' | b'e' | b'E')) {
                    return Ok(Value::Number(Number::Int(if start == first { n } else { -n })));
                }
                self.digits();
            }
            _ => return Err(self.error("expected a digit")),
        }
        if let Some(b'0'..=b'9') = self.bytes.get(self.at) {
            return Err(self.error("a number must not start with 0"));
        }
        let mut integer = true;
        if self.bytes.get(self.at) == Some(&b'.') {
            integer = false;
            self.at += 1;
            if !matches!(self.bytes.get(self.at), Some(b'0'..=b'9')) {
                return Err(self.error("expected a digit after the decimal point"));
            }
            self.digits();
        }
        if let Some(b'e' | b'E') = self.bytes.get(self.at) {
            integer = false;
            self.at += 1;
            if let Some(b'+' | b'-') = self.bytes.get(self.at) {
                self.at += 1;
            }
            if !matches!(self.bytes.get(self.at), Some(b'0'..=b'9')) {
                return Err(self.error("expected a digit in the exponent"));
            }
            self.digits();
        }
        let token = &self.text[start..self.at];
        if integer && let Ok(i) = token.parse::<i64>() {
            return Ok(Value::Number(Number::Int(i)));
        }
        if integer && let Some(wide) = Number::wide(token) {
            return Ok(Value::Number(wide));
        }
        match decimal::parse(token).and_then(Number::from_f64) {
            Some(number) => Ok(Value::Number(number)),
            None => Err(JsonError { message: "number out of range".into(), offset: start }),
        }
    }

    fn digits(&mut self) {
        while let Some(b'0'..=b'9') = self.bytes.get(self.at) {
            self.at += 1;
        }
    }

    fn string(&mut self) -> Result<Arc<str>, JsonError> {
        let open = self.at;
        self.at += 1;
        let start = self.at;
        // Invariant: `at` never exceeds the end.
        self.at = plain_run(self.bytes, self.at);
        if let Some(b'"') = self.bytes.get(self.at) {
            let text = &self.text[start..self.at];
            self.at += 1;
            return Ok(if self.keep { text.into() } else { Arc::default() });
        }
        let mut out = String::from(&self.text[start..self.at]);
        loop {
            let plain = self.at;
            self.at = plain_run(self.bytes, self.at);
            out.push_str(&self.text[plain..self.at]);
            if !self.keep {
                out.clear();
            }
            match self.bytes.get(self.at) {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out.into());
                }
                Some(b'\\') => self.escape(&mut out)?,
                Some(_) => return Err(self.error("control character in a string: write it as an escape, such as \\n")),
                None => return Err(JsonError { message: "string is not closed".into(), offset: open }),
            }
        }
    }

    /// Parses the name of a member. The rows of a list usually have the same names: all rows but the first share them.
    fn name(&mut self) -> Result<Arc<str>, JsonError> {
        let start = self.at + 1;
        // Invariant: `at` is at the opening quote.
        let end = plain_run(self.bytes, start);
        if self.objects < 2 || !self.keep || end - start > NAME_LENGTH || self.bytes.get(end) != Some(&b'"') {
            return self.string();
        }
        let text = &self.text[start..end];
        self.at = end + 1;
        let first = text.as_bytes().first().copied().unwrap_or_default();
        let place = (text.len() * 7 + usize::from(first)) % NAMES;
        match self.names.get_or_insert_default().get_mut(place) {
            Some(Some(name)) if **name == *text => Ok(name.clone()),
            Some(free) => Ok(free.insert(text.into()).clone()),
            None => Ok(text.into()),
        }
    }

    fn escape(&mut self, out: &mut String) -> Result<(), JsonError> {
        self.escaped = true;
        let c = match self.bytes.get(self.at + 1) {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                let high = self.hex4(self.at + 2)?;
                self.at += 6;
                let mut code = high;
                if (0xd800..0xdc00).contains(&high) && self.bytes[self.at..].starts_with(b"\\u") {
                    let low = self.hex4(self.at + 2)?;
                    if (0xdc00..0xe000).contains(&low) {
                        self.at += 6;
                        code = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
                    }
                }
                // A lone surrogate is legal in JavaScript, but cannot be represented in UTF-8.
                out.push(char::from_u32(code).unwrap_or('\u{fffd}'));
                return Ok(());
            }
            _ => return Err(self.error("unknown escape in a string")),
        };
        out.push(c);
        self.at += 2;
        Ok(())
    }

    fn hex4(&self, at: usize) -> Result<u32, JsonError> {
        self.bytes
            .get(at..at + 4)
            .filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u32::from_str_radix(digits, 16).ok())
            .ok_or_else(|| self.error("\\u needs four hexadecimal digits"))
    }

    fn deeper(&self, depth: usize) -> Result<(), JsonError> {
        if depth >= self.max_depth {
            return Err(self.error(format!("nested deeper than {} levels", self.max_depth)));
        }
        Ok(())
    }

    fn array(&mut self, depth: usize) -> Result<Value, JsonError> {
        self.deeper(depth)?;
        let (start, placed) = (self.at, self.placed());
        self.at += 1;
        let mut items = Vec::new();
        let mut count = 0u32;
        self.space();
        if self.bytes.get(self.at) != Some(&b']') {
            loop {
                self.space();
                let path = if self.places.is_some() { self.begin(&count.to_string()) } else { 0 };
                let value = self.value(depth + 1)?;
                self.end(path);
                count = count.saturating_add(1);
                let ends = self.closes(start, false)?;
                if ends && items.is_empty() {
                    // Without this, the first push would allocate space for four items.
                    items.reserve_exact(1);
                }
                items.push(value);
                if ends {
                    break;
                }
            }
        }
        self.at += 1;
        if let Some(places) = &mut self.places {
            let elements = places.nodes.split_off(placed);
            self.place(start, Parts::Elements(elements));
        }
        Ok(Value::from(items))
    }

    fn object(&mut self, depth: usize) -> Result<Value, JsonError> {
        self.deeper(depth)?;
        let (start, placed) = (self.at, self.placed());
        self.at += 1;
        self.objects = self.objects.saturating_add(1);
        let mut map = Map::new();
        // The spans of the member names, if they are needed.
        let mut names: Vec<(Arc<str>, Span)> = Vec::new();
        self.space();
        if self.bytes.get(self.at) != Some(&b'}') {
            loop {
                self.space();
                let key_start = self.at;
                self.quote(start)?;
                let key = self.name()?;
                let name = self.places.is_some().then(|| (key.clone(), Span::new(key_start, self.at)));
                self.colon()?;
                let path = if self.places.is_some() { self.begin(&key) } else { 0 };
                let value = self.value(depth + 1)?;
                self.end(path);
                let repeated = map.insert(key, value).is_some();
                self.repeated |= repeated;
                if let Some(name) = name {
                    self.named(&mut names, name, repeated);
                }
                if self.closes(start, true)? {
                    break;
                }
            }
        }
        self.at += 1;
        if let Some(places) = &mut self.places {
            let nodes = places.nodes.split_off(placed);
            let members = names.into_iter().zip(nodes).map(|((name, span), node)| (name, span, node)).collect();
            self.place(start, Parts::Members(members));
        }
        Ok(Value::from(map))
    }

    /// Expects the opening quote of a member's name; the object began at `start`.
    fn quote(&self, start: usize) -> Result<(), JsonError> {
        match self.bytes.get(self.at) {
            Some(b'"') => Ok(()),
            Some(b'}') => Err(self.error("`,` before the closing brace")),
            Some(_) => Err(self.error("expected a member name in double quotes")),
            None => Err(not_closed(start, true)),
        }
    }

    /// Parses the colon and white space between a member's name and its value.
    fn colon(&mut self) -> Result<(), JsonError> {
        self.space();
        if self.bytes.get(self.at) != Some(&b':') {
            return Err(self.error("expected `:` after the member name"));
        }
        self.at += 1;
        self.space();
        Ok(())
    }

    /// After a part of a container that began at `start`: skips a comma, or returns true at the closing bracket.
    #[inline(always)]
    fn closes(&mut self, start: usize, object: bool) -> Result<bool, JsonError> {
        self.space();
        match self.bytes.get(self.at) {
            Some(b',') => {
                self.at += 1;
                Ok(false)
            }
            Some(b'}') if object => Ok(true),
            Some(b']') if !object => Ok(true),
            Some(_) => Err(self.error(if object { "expected `,` or `}`" } else { "expected `,` or `]`" })),
            None => Err(not_closed(start, object)),
        }
    }

    /// Stores the span of a member's name, and reports an earlier one with the same name.
    #[inline(never)]
    fn named(&mut self, names: &mut Vec<(Arc<str>, Span)>, name: (Arc<str>, Span), repeated: bool) {
        if let Some(places) = &mut self.places
            && repeated
            && let Some((_, first)) = names.iter().find(|(other, _)| *other == name.0)
        {
            let (key, second) = name.clone();
            places.duplicates.push(Duplicate { key, object: places.path.clone(), first: *first, second });
        }
        names.push(name);
    }
}

fn not_closed(start: usize, object: bool) -> JsonError {
    let what = if object { "object" } else { "array" };
    JsonError { message: format!("{what} is not closed"), offset: start }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(text: &str) -> String {
        parse(text).unwrap().to_string()
    }

    #[test]
    fn texts_round_trip() {
        for text in [
            "null",
            "[]",
            "{}",
            r#"{"b":[1,-2.5,0.0,true],"a":{"\u0001\n":"é\"\\"}}"#,
            "1e21",
            "9007199254740993",
            "-9223372036854775808",
            "10",
            "-1",
        ] {
            assert_eq!(round(text), text);
            let value = parse(text).unwrap();
            assert_eq!(serialized_len(&value), text.len(), "{text}");
            assert!(!longer_than(&value, text.len()) && longer_than(&value, text.len() - 1), "{text}");
            assert_eq!(measure(&value, text.len(), 2), Ok(text.len()), "{text}");
            assert_eq!(measure(&value, text.len() - 1, 2), Err(Excess::Length), "{text}");
        }
        assert_eq!(round(" [ 1 , 2 ] "), "[1,2]");
        assert_eq!(round("-0"), "0");
    }

    #[test]
    fn characters_that_need_an_escape_are_found_at_every_offset() {
        for special in ["\"", "\\", "\n", "\u{8}", "\u{1}", "\u{1f}"] {
            for place in 0..20 {
                for filler in ["a", " ", "\u{7f}", "é", "😀", "!", "#", "[", "]"] {
                    let value = Value::from(format!("{}{special}{}", filler.repeat(place), filler.repeat(11)));
                    let text = to_string(&value);
                    assert_eq!(parse(&text).unwrap(), value);
                    assert_eq!(serialized_len(&value), text.len());
                    assert_eq!(text.matches('\\').count(), if special == "\\" { 2 } else { 1 }, "{text}");
                }
            }
        }
    }

    #[test]
    fn a_text_inside_a_text_equals_the_one_written_in_two_steps() {
        let twice = |value: &Value| {
            let (mut once, mut two) = (String::from("x"), String::from("x"));
            write_text(&mut once, value);
            write_str(&mut two, &to_string(value));
            assert_eq!(once, two);
        };
        for text in
            ["null", "true", "-1.5e300", "12345678901234567890", "[]", "{}", r#""""#, r#"[[],{},[1,"a"],{"b":{"c":[null]}}]"#]
        {
            twice(&parse(text).unwrap());
        }
        for special in ["\"", "\\", "\n", "\u{8}", "\u{1}", "\u{1f}", "\\\"", "\"\n\\", "\u{7f}", "é", "😀"] {
            for place in 0..10 {
                let text = format!("{}{special}{}", "a".repeat(place), "b".repeat(9));
                let map: Map = [(Arc::from(text.as_str()), Value::from(text.clone()))].into_iter().collect();
                twice(&Value::from(text));
                twice(&Value::from(map));
            }
        }
    }

    #[test]
    fn repeated_values_are_written_like_the_first_time() {
        let numbers = Value::from((0..100).map(Value::from).collect::<Vec<_>>());
        let members: Map = (0..40).map(|i| (Arc::from(format!("\"{i}")), Value::from("a\n\"é"))).collect();
        // There are more of them than the table stores, and they are nested.
        let lists = (0..40).map(|i| Value::from((0..50).map(|n| Value::from(n * i)).collect::<Vec<_>>()));
        let lists = Value::from(lists.collect::<Vec<_>>());
        let wrapped = |value: &Value| Value::from(vec![value.clone(), Value::Null, "x".into(), value.clone()]);
        let values =
            [wrapped(&numbers), Value::from(members.clone()), wrapped(&Value::from(members)), lists.clone(), wrapped(&lists)];
        let values = [values.clone(), values].concat();
        let (mut out, mut seen) = (String::from("x"), Seen::default());
        for value in &values {
            write_again(&mut out, value, &mut seen);
        }
        assert_eq!(out, format!("x{}", values.iter().map(to_string).collect::<String>()));
    }

    #[test]
    fn values_that_nest_too_deep_are_refused() {
        let value = parse(r#"{"a":[1,{"b":[]}]}"#).unwrap();
        assert_eq!(measure(&value, 100, 4), Ok(18));
        assert_eq!(measure(&value, 100, 3), Err(Excess::Depth));
        assert_eq!(measure(&value, 10, 3), Err(Excess::Length));
        assert_eq!(measure(&Value::Null, 4, 0), Ok(4));
    }

    #[test]
    fn names_of_rows_are_shared() {
        let rows = parse(r#"[{"id":1,"name":"a"},{"id":2,"name":"b"},{"id":3,"di":0,"na\u006de":"c"}]"#).unwrap();
        let names = |i: usize| rows.at(i).and_then(Value::as_object).unwrap().keys().cloned().collect::<Vec<_>>();
        assert!(Arc::ptr_eq(&names(1)[0], &names(2)[0]));
        assert_eq!(names(2).iter().map(|name| &**name).collect::<Vec<_>>(), ["id", "di", "name"]);
    }

    #[test]
    fn names_of_consecutive_texts_are_shared() {
        let mut shared = SharedNames::default();
        let mut read = |text: &str| parse_noting_escapes(text, &mut shared).map(|(value, _)| value);
        let one = read(r#"{"id":1,"b":{"id":"\n"}}"#).unwrap();
        assert!(read(r#"{"x":1"#).is_err());
        let other = read(r#"{"b":[],"id":2}"#).unwrap();
        let names = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        assert!(Arc::ptr_eq(&names(&one)[0], &names(&other)[1]));
        assert_eq!((one.to_string().as_str(), other.to_string().as_str()), (r#"{"id":1,"b":{"id":"\n"}}"#, r#"{"b":[],"id":2}"#));
    }

    #[test]
    fn a_check_reports_the_same_errors_as_parsing() {
        for text in [
            "[1,{\"a\":\"b\\n\"},null]",
            "{\"a\":1,\"a\":2}",
            "\"\\u00e9\"",
            " 7 ",
            "[1,]",
            "{\"a\" 1}",
            "\"\\x\"",
            "\"a",
            "[1] 2",
            "01",
        ] {
            assert_eq!(check(text), parse(text).map(drop), "{text}");
        }
        assert_eq!(check(&"[".repeat(1000)), parse(&"[".repeat(1000)).map(drop));
        assert_eq!(parse_at("[7, {\"a\":[]} ]", 4).unwrap(), (parse("{\"a\":[]}").unwrap(), 12));
        assert_eq!(Skim::new(4).value("[7, {\"a\":[]} ]", usize::MAX), Ok(Some(12)));
        assert!(parse_at("é", 1).is_err() && Skim::new(1).value("é", 9).is_err() && Skim::new(9).value("[]", 9).is_err());
    }

    #[test]
    fn surrogates() {
        assert_eq!(parse(r#""\ud83d\ude00""#).unwrap(), Value::from("😀"));
        assert_eq!(parse(r#""\ud800x""#).unwrap(), Value::from("\u{fffd}x"));
    }

    #[test]
    fn errors_have_the_offset() {
        for (text, offset) in [
            ("", 0),
            ("[1,]", 3),
            ("{\"a\":1,}", 7),
            ("01", 1),
            ("1.", 2),
            ("\"a", 0),
            ("[1 2]", 3),
            ("nul", 0),
            ("1 x", 2),
            ("1e999", 0),
            ("\"\\x\"", 1),
        ] {
            assert_eq!(parse(text).unwrap_err().offset, offset, "{text}");
        }
        assert!(parse(&"[".repeat(100_000)).unwrap_err().message.contains("128"));
    }

    #[test]
    fn places_and_duplicates() {
        let text = r#"{"a":{"x":1,"x":22},"b/c":[7]}"#;
        let located = parse_located(text).unwrap();
        let (key, value) = located.find("/a/x").unwrap();
        assert_eq!(&text[key.unwrap().range()], "\"x\"");
        assert_eq!(&text[value.range()], "22");
        assert_eq!(&text[located.find("/b~1c/0").unwrap().1.range()], "7");
        assert_eq!(located.duplicates.len(), 1);
        assert_eq!(located.duplicates[0].object, "/a");
    }
}
