//! Parses paths in one pass, without backtracking. The only recursion is bounded.

mod filter;

use super::{Argument, Function, FunctionCall, MAX_LENGTH, MAX_NESTING, Query, Root, Step};
use crate::base::Span;
use crate::expr::SyntaxError;
use std::sync::Arc;

/// Compiles any path.
pub(super) fn path(text: &str) -> Result<(Root, Query), SyntaxError> {
    let (root, query, _) = path_with_spans(text)?;
    Ok((root, query))
}

/// Compiles any path, and returns the span of each of its steps and functions; `..` and the step after it share a span.
pub(super) fn path_with_spans(text: &str) -> Result<(Root, Query, Vec<Span>), SyntaxError> {
    let mut parser = Parser::new(text, Dialect::Path)?;
    let root = parser.root()?;
    let query = parser.query(false)?;
    parser.end()?;
    Ok((root, query, parser.spans))
}

/// Compiles a Reference Path: single names and indexes only, none of `@ , : ? *` (spec §3.1).
pub(super) fn reference(text: &str) -> Result<(Root, Query), SyntaxError> {
    let mut parser = Parser::new(text, Dialect::Reference)?;
    let root = parser.root()?;
    let query = parser.query(false)?;
    parser.end()?;
    Ok((root, query))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Dialect {
    Path,
    Reference,
}

struct Parser<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    depth: usize,
    dialect: Dialect,
    /// The spans of the steps and functions of the path itself, without those of paths in its filters.
    spans: Vec<Span>,
}

type Parsed<T> = Result<T, SyntaxError>;

impl<'a> Parser<'a> {
    fn new(text: &'a str, dialect: Dialect) -> Parsed<Parser<'a>> {
        // For most texts the number of bytes suffices, so that characters need not be counted.
        if text.len() > MAX_LENGTH && text.chars().count() > MAX_LENGTH {
            return Err(SyntaxError::new(format!("The path is longer than {MAX_LENGTH} characters"), 0));
        }
        // Jayway trims the text. Leading blanks never get here, because AWS checks the first character.
        let text = text.trim_end_matches(' ');
        Ok(Parser { text, bytes: text.as_bytes(), at: 0, depth: 0, dialect, spans: Vec::new() })
    }

    fn error<T>(&self, message: impl Into<String>) -> Parsed<T> {
        Err(SyntaxError::new(message, self.at.min(self.text.len())))
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn peek_at(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    /// The rest of the text; empty at its end.
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn next_char(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    fn end(&self) -> Parsed<()> {
        match self.next_char() {
            None => Ok(()),
            Some(found) => self.error(format!("Expected '.' or '[', found '{found}'")),
        }
    }

    fn root(&mut self) -> Parsed<Root> {
        if !self.eat(b'$') {
            return self.error(match self.dialect {
                Dialect::Reference => "Reference path didn't start with '$'",
                Dialect::Path => "A path must start with '$'",
            });
        }
        if self.eat(b'$') {
            return Ok(Root::Context);
        }
        let rest = self.rest();
        if !rest.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            return Ok(Root::Input);
        }
        let len = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        self.at += len;
        Ok(Root::Variable(rest.get(..len).unwrap_or(rest).into()))
    }

    /// Parses steps and functions up to the end of the text, or in a filter up to a character that cannot belong to a path.
    fn query(&mut self, in_filter: bool) -> Parsed<Query> {
        let (mut steps, mut calls) = (Vec::new(), Vec::new());
        loop {
            let step_at = self.at;
            match self.peek() {
                Some(b'.') if self.peek_at(1) == Some(b'.') => {
                    if self.dialect == Dialect::Reference {
                        return self.error("'..' is not allowed in a Reference Path");
                    }
                    self.at += 2;
                    steps.push(Step::Descend);
                    match self.peek() {
                        None => return self.error("A path must not end with '..'"),
                        Some(b'[') => steps.push(self.bracket()?),
                        Some(_) => self.dot(in_filter, &mut steps, &mut calls)?,
                    }
                    if !calls.is_empty() {
                        self.at = step_at;
                        return self.error("A function must not follow '..'");
                    }
                }
                Some(b'.') => {
                    self.at += 1;
                    match self.peek() {
                        None => return self.error("A path must not end with '.'"),
                        Some(b'[') => steps.push(self.bracket()?),
                        Some(_) => self.dot(in_filter, &mut steps, &mut calls)?,
                    }
                }
                Some(b'[') => steps.push(self.bracket()?),
                _ => return Ok(Query::new(steps, calls)),
            }
            if !in_filter {
                self.spans.resize(steps.len() + calls.len(), Span::new(step_at, self.at));
            }
            if !calls.is_empty() && matches!(self.peek(), Some(b'[')) {
                return self.error("Only another function may follow a function");
            }
        }
    }

    /// Parses what follows a dot: a name, `*` or a function.
    fn dot(&mut self, in_filter: bool, steps: &mut Vec<Step>, calls: &mut Vec<FunctionCall>) -> Parsed<()> {
        let start = self.at;
        if self.eat(b'*') {
            if self.dialect == Dialect::Reference {
                self.at = start;
                return self.error("'*' is not allowed in a Reference Path");
            }
            if !calls.is_empty() {
                self.at = start;
                return self.error("Only another function may follow a function");
            }
            steps.push(Step::Any);
            return Ok(());
        }
        let name = self.dot_name(in_filter)?;
        if self.peek() == Some(b'(') {
            if self.dialect == Dialect::Reference {
                self.at = start;
                return self.error("A function is not allowed in a Reference Path");
            }
            let Some(function) = Function::named(&name) else {
                self.at = start;
                return self.error(format!("There is no path function '{name}'"));
            };
            let arguments = self.arguments()?;
            calls.push(FunctionCall { function, arguments });
            return Ok(());
        }
        if name.is_empty() {
            let found = self.next_char().unwrap_or('.');
            return self.error(format!("Expected a name after '.', found '{found}'"));
        }
        if !calls.is_empty() {
            self.at = start;
            return self.error("Only another function may follow a function");
        }
        steps.push(Step::Name(name.into()));
        Ok(())
    }

    /// Parses a name in dot notation; a backslash escapes the next character (spec §3.1).
    fn dot_name(&mut self, in_filter: bool) -> Parsed<String> {
        let mut name = String::new();
        while let Some(c) = self.next_char() {
            match c {
                '.' | '[' | '(' => break,
                '\\' => {
                    self.escaped(&mut name)?;
                    continue;
                }
                ')' | ']' | ',' | '<' | '>' | '=' | '~' | '!' | '&' | '|' | ' ' | '\t' | '\n' | '\r' if in_filter => break,
                ' ' | '\t' | '\n' | '\r' => {
                    return self.error("Use bracket notation, ['my name'], for a name that contains blanks");
                }
                ']' | ')' => return self.error(format!("Unexpected '{c}'")),
                '@' | ',' | ':' | '?' | '*' if self.dialect == Dialect::Reference => {
                    return self.error(format!("'{c}' is not allowed in a Reference Path"));
                }
                _ => {}
            }
            name.push(c);
            self.at += c.len_utf8();
        }
        Ok(name)
    }

    /// Parses a backslash and what it escapes: `\uXXXX`, also as a surrogate pair, or any character.
    fn escaped(&mut self, out: &mut String) -> Parsed<()> {
        let start = self.at;
        self.at += 1;
        if self.peek() == Some(b'u')
            && let Some(high) = self.hex4(self.at + 1)
        {
            self.at += 5;
            let mut code = high;
            if (0xd800..0xdc00).contains(&high)
                && self.rest().starts_with("\\u")
                && let Some(low) = self.hex4(self.at + 2).filter(|low| (0xdc00..0xe000).contains(low))
            {
                self.at += 6;
                code = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
            }
            out.push(char::from_u32(code).unwrap_or('\u{fffd}'));
            return Ok(());
        }
        match self.next_char() {
            Some(c) => {
                out.push(c);
                self.at += c.len_utf8();
                Ok(())
            }
            None => {
                self.at = start;
                self.error("A backslash must be followed by a character")
            }
        }
    }

    fn hex4(&self, at: usize) -> Option<u32> {
        let digits = self.text.get(at..at + 4)?;
        digits.bytes().all(|b| b.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok())?
    }

    /// Parses `[…]`.
    fn bracket(&mut self) -> Parsed<Step> {
        let open = self.at;
        self.at += 1;
        self.space();
        let step = match self.peek() {
            None => {
                self.at = open;
                return self.error("'[' is not closed");
            }
            Some(b'\'' | b'"') => self.names()?,
            Some(b'-' | b'0'..=b'9' | b':') => self.positions()?,
            _ if self.dialect == Dialect::Reference => return self.error("'[' must be followed by ' or '['"),
            Some(b'*') => {
                self.at += 1;
                Step::Any
            }
            Some(b'?') => {
                self.at += 1;
                self.space();
                if !self.eat(b'(') {
                    return self.error("A filter is written [?( … )]");
                }
                let filter = self.nested(|parser| parser.disjunction())?;
                self.space();
                if !self.eat(b')') {
                    return self.error("Expected ')' at the end of the filter");
                }
                Step::Filter(filter)
            }
            Some(b'(') => self.script()?,
            Some(_) => return self.error("'[' must be followed by a quoted name, an index, a slice, '*' or '?('"),
        };
        self.space();
        if !self.eat(b']') {
            return match self.next_char() {
                None => {
                    self.at = open;
                    self.error("'[' is not closed")
                }
                Some(found) => self.error(format!("Expected ']', found '{found}'")),
            };
        }
        Ok(step)
    }

    fn names(&mut self) -> Parsed<Step> {
        let first = self.bracket_name()?;
        self.space();
        if self.peek() != Some(b',') {
            return Ok(Step::Name(first));
        }
        if self.dialect == Dialect::Reference {
            return self.error("',' is not allowed in a Reference Path");
        }
        let mut names = vec![first];
        while self.eat(b',') {
            self.space();
            if !matches!(self.peek(), Some(b'\'' | b'"')) {
                return self.error("Expected a quoted name after ','");
            }
            names.push(self.bracket_name()?);
            self.space();
        }
        Ok(Step::Names(names))
    }

    /// Parses a quoted name. A backslash escapes the quote and itself and is literal before any other character, as recorded:
    /// `$['Test\""Name"']` is the member `Test\""Name"`.
    fn bracket_name(&mut self) -> Parsed<Arc<str>> {
        let open = self.at;
        let quote = self.peek().unwrap_or(b'\'');
        self.at += 1;
        let mut name = String::new();
        while let Some(c) = self.next_char() {
            self.at += c.len_utf8();
            if c == char::from(quote) {
                return Ok(name.into());
            }
            if c == '\\'
                && let Some(next) = self.peek()
                && (next == quote || next == b'\\')
            {
                name.push(char::from(next));
                self.at += 1;
                continue;
            }
            name.push(c);
        }
        self.at = open;
        self.error("The quoted name is not closed")
    }

    /// Parses `[n]`, `[n,m]`, `[from:to]`. The step of `[from:to:step]` is parsed and ignored, as in Jayway.
    fn positions(&mut self) -> Parsed<Step> {
        let start = self.at;
        let first = self.integer()?;
        self.space();
        if self.dialect == Dialect::Reference && !matches!(self.peek(), Some(b']') | None) {
            let found = self.next_char().unwrap_or(' ');
            return self.error(format!("'{found}' is not allowed in a Reference Path"));
        }
        if self.eat(b':') {
            self.space();
            let to = self.integer()?;
            self.space();
            if self.eat(b':') {
                self.space();
                self.integer()?;
            }
            if first.is_none() && to.is_none() {
                self.at = start;
                return self.error("A slice needs a start or an end");
            }
            return Ok(Step::Slice(first, to));
        }
        let Some(first) = first else {
            return self.error("Expected an index");
        };
        if self.peek() != Some(b',') {
            return Ok(Step::Index(first));
        }
        let mut indexes = vec![first];
        while self.eat(b',') {
            self.space();
            match self.integer()? {
                Some(index) => indexes.push(index),
                None => return self.error("Expected an index after ','"),
            }
            self.space();
        }
        Ok(Step::Indexes(indexes))
    }

    /// Parses `(@.length-n)`, the only script that AWS is known to support.
    fn script(&mut self) -> Parsed<Step> {
        let start = self.at;
        self.at += 1;
        self.space();
        if self.rest().starts_with("@.length") {
            self.at += "@.length".len();
            self.space();
            if self.eat(b'-') {
                self.space();
                if let Some(distance) = self.integer()?.filter(|distance| *distance > 0) {
                    self.space();
                    if self.eat(b')') {
                        return Ok(Step::FromEnd(distance));
                    }
                }
            }
        }
        self.at = start;
        self.error("An index that is computed is written [(@.length-1)], with 1 or more")
    }

    /// Parses an optional integer. One that 32 bits cannot hold becomes the nearest that they can: no array is so long.
    fn integer(&mut self) -> Parsed<Option<i64>> {
        let start = self.at;
        self.eat(b'-');
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        let token = self.text.get(start..self.at).unwrap_or("");
        if token.is_empty() {
            return Ok(None);
        }
        if token == "-" {
            self.at = start;
            return self.error("'-' is not an index");
        }
        let most = if token.starts_with('-') { i32::MIN } else { i32::MAX };
        Ok(Some(token.parse().unwrap_or(most).into()))
    }

    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_NESTING {
            return self.error(format!("Nested deeper than {MAX_NESTING} levels"));
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    /// Parses the `( … )` of a function.
    fn arguments(&mut self) -> Parsed<Vec<Argument>> {
        let open = self.at;
        self.at += 1;
        let mut arguments = Vec::new();
        self.space();
        if self.eat(b')') {
            return Ok(arguments);
        }
        loop {
            self.space();
            arguments.push(match self.peek() {
                Some(b'$') => {
                    self.at += 1;
                    Argument::Query(self.nested(|parser| parser.query(true))?)
                }
                _ => Argument::Literal(self.nested(|parser| parser.literal())?),
            });
            self.space();
            if self.eat(b')') {
                return Ok(arguments);
            }
            if !self.eat(b',') {
                if self.peek().is_none() {
                    self.at = open;
                }
                return self.error("Expected ',' or ')' in the arguments of the function");
            }
        }
    }
}

impl Function {
    fn named(name: &str) -> Option<Function> {
        Some(match name {
            "min" => Function::Min,
            "max" => Function::Max,
            "avg" => Function::Avg,
            "stddev" => Function::StdDev,
            "sum" => Function::Sum,
            "length" | "size" => Function::Length,
            "keys" => Function::Keys,
            "concat" => Function::Concat,
            "append" => Function::Append,
            "first" => Function::First,
            "last" => Function::Last,
            "index" => Function::Index,
            _ => return None,
        })
    }
}
