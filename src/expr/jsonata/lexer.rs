//! Splits text into tokens. Whether `/` starts a regular expression depends on what the parser expects.

use super::codes;
use super::error::{Thrown, fault_at};
use crate::base::{Number, Value, decimal};
use crate::expr::regex::{Options, Pattern};
use std::sync::Arc;

#[derive(Debug)]
pub(super) enum Token {
    /// An operator or a bracket, including `and`, `or` and `in`.
    Operator(&'static str),
    Name(Arc<str>),
    /// A variable without its `$`; empty for `$` itself.
    Variable(Arc<str>),
    /// A string, number, boolean or null.
    Literal(Value),
    Regex(Arc<Pattern>),
    End,
}

/// Maximum length of a regular expression, in bytes.
const MAX_PATTERN: usize = 1024;

/// A token with its location.
#[derive(Debug)]
pub(super) struct Lexeme {
    pub token: Token,
    pub at: u32,
    pub len: u32,
}

/// The operators. An operator comes before those that are its prefix.
const OPERATORS: [&str; 35] = [
    "..", ":=", "!=", ">=", "<=", "**", "~>", "?:", "??", ".", "[", "]", "{", "}", "(", ")", ",", "@", "#", ";", ":", "?", "+",
    "-", "*", "/", "%", "|", "=", "<", ">", "^", "&", "!", "~",
];

fn is_space(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\n' | b'\r' | 0x0b)
}

/// Whether an operator begins with this byte; each such byte is also an operator itself. It is called for every character of
/// every expression.
fn begins_operator(b: u8) -> bool {
    matches!(
        b,
        b'.' | b':'
            | b'!'
            | b'>'
            | b'<'
            | b'*'
            | b'~'
            | b'?'
            | b'['
            | b']'
            | b'{'
            | b'}'
            | b'('
            | b')'
            | b','
            | b'@'
            | b'#'
            | b';'
            | b'+'
            | b'-'
            | b'/'
            | b'%'
            | b'|'
            | b'='
            | b'^'
            | b'&'
    )
}

/// Whether a byte ends a name.
fn ends_name(b: u8) -> bool {
    is_space(b) || begins_operator(b)
}

pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Lexer<'a> {
        Lexer { text, at: 0 }
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn skip_space(&mut self) -> Result<(), Thrown> {
        loop {
            while self.byte(self.at).is_some_and(is_space) {
                self.at += 1;
            }
            if !self.rest().starts_with("/*") {
                return Ok(());
            }
            match self.text.get(self.at + 2..).and_then(|rest| rest.find("*/")) {
                Some(len) => self.at += len + 4,
                None => return Err(fault_at(codes::S0106, self.at as u32)),
            }
        }
    }

    /// Returns the next token. `infix` says that an operator is expected, so that `/` divides.
    pub(super) fn next(&mut self, infix: bool) -> Result<Lexeme, Thrown> {
        self.skip_space()?;
        let start = self.at;
        let token = self.token(infix)?;
        Ok(Lexeme { token, at: start as u32, len: (self.at - start) as u32 })
    }

    fn token(&mut self, infix: bool) -> Result<Token, Thrown> {
        let start = self.at;
        let Some(first) = self.byte(start) else { return Ok(Token::End) };
        if first == b'/' && !infix {
            self.at += 1;
            return self.regex(start);
        }
        if begins_operator(first)
            && let Some(op) = OPERATORS.iter().find(|op| op.as_bytes().first() == Some(&first) && self.rest().starts_with(**op))
        {
            self.at += op.len();
            if matches!(*op, "!" | "~") {
                return Err(fault_at(codes::S0204, start as u32).token(op));
            }
            return Ok(Token::Operator(op));
        }
        match first {
            b'"' | b'\'' => return self.string(first),
            b'0'..=b'9' => return self.number(),
            b'`' => {
                let name = self.text.get(start + 1..).and_then(|rest| rest.split_once('`')).map(|(name, _)| name);
                let Some(name) = name else { return Err(fault_at(codes::S0105, start as u32)) };
                self.at += name.len() + 2;
                return Ok(Token::Name(name.into()));
            }
            _ => {}
        }
        while self.byte(self.at).is_some_and(|b| !ends_name(b)) {
            self.at += 1;
        }
        let word = self.text.get(start..self.at).unwrap_or("");
        if let Some(name) = word.strip_prefix('$') {
            return Ok(Token::Variable(name.into()));
        }
        Ok(match word {
            "and" => Token::Operator("and"),
            "or" => Token::Operator("or"),
            "in" => Token::Operator("in"),
            "true" => Token::Literal(Value::Bool(true)),
            "false" => Token::Literal(Value::Bool(false)),
            "null" => Token::Literal(Value::Null),
            _ => Token::Name(word.into()),
        })
    }

    fn number(&mut self) -> Result<Token, Thrown> {
        let start = self.at;
        let digits = |mut at: usize| {
            while self.byte(at).is_some_and(|b| b.is_ascii_digit()) {
                at += 1;
            }
            at
        };
        let mut end = if self.byte(start) == Some(b'0') { start + 1 } else { digits(start) };
        let mut integer = true;
        if self.byte(end) == Some(b'.') && digits(end + 1) > end + 1 {
            end = digits(end + 1);
            integer = false;
        }
        if matches!(self.byte(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(self.byte(end + 1), Some(b'+' | b'-')));
            let after = digits(end + 1 + sign);
            if after > end + 1 + sign {
                end = after;
                integer = false;
            }
        }
        let token = self.text.get(start..end).unwrap_or("");
        self.at = end;
        if integer && let Ok(i) = token.parse::<i64>() {
            return Ok(Token::Literal(Value::Number(Number::Int(i))));
        }
        match decimal::parse(token).and_then(Number::from_f64_integral) {
            Some(number) => Ok(Token::Literal(Value::Number(number))),
            None => Err(fault_at(codes::S0102, start as u32).token(token)),
        }
    }

    fn string(&mut self, quote: u8) -> Result<Token, Thrown> {
        let start = self.at;
        let mut out = String::new();
        self.at += 1;
        loop {
            let plain = self.at;
            while self.byte(self.at).is_some_and(|b| b != quote && b != b'\\') {
                self.at += 1;
            }
            out.push_str(self.text.get(plain..self.at).unwrap_or(""));
            match self.byte(self.at) {
                None => return Err(fault_at(codes::S0101, start as u32)),
                Some(b'\\') => {
                    self.at += 1;
                    self.escape(&mut out)?;
                }
                Some(_) => {
                    self.at += 1;
                    return Ok(Token::Literal(Value::from(out)));
                }
            }
        }
    }

    fn escape(&mut self, out: &mut String) -> Result<(), Thrown> {
        let at = self.at;
        let plain = match self.byte(at) {
            Some(b @ (b'"' | b'\\' | b'/')) => char::from(b),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                let high = self.hex4(at + 1).ok_or_else(|| fault_at(codes::S0104, at as u32))?;
                self.at += 5;
                let mut code = high;
                if (0xd800..0xdc00).contains(&high)
                    && self.rest().starts_with("\\u")
                    && let Some(low @ 0xdc00..0xe000) = self.hex4(self.at + 2)
                {
                    self.at += 6;
                    code = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
                }
                // A lone surrogate cannot be represented in UTF-8.
                out.push(char::from_u32(code).unwrap_or('\u{fffd}'));
                return Ok(());
            }
            _ => {
                let found = self.rest().chars().next().map(String::from).unwrap_or_default();
                return Err(fault_at(codes::S0103, at as u32).token(&found));
            }
        };
        out.push(plain);
        self.at += 1;
        Ok(())
    }

    fn hex4(&self, at: usize) -> Option<u32> {
        let digits = self.text.get(at..at + 4)?;
        digits.bytes().all(|b| b.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok()).flatten()
    }

    /// Reads the rest of `/pattern/flags`. A slash inside brackets does not end it.
    fn regex(&mut self, start: usize) -> Result<Token, Thrown> {
        let body = self.at;
        let mut depth = 0i32;
        let mut escaped = false;
        while let Some(b) = self.byte(self.at) {
            if escaped {
                escaped = false;
            } else {
                match b {
                    b'\\' => escaped = true,
                    b'/' if depth == 0 => {
                        let source = self.text.get(body..self.at).unwrap_or("");
                        if source.is_empty() {
                            return Err(fault_at(codes::S0301, self.at as u32));
                        }
                        self.at += 1;
                        let flags = self.at;
                        while matches!(self.byte(self.at), Some(b'i' | b'm')) {
                            self.at += 1;
                        }
                        let flags = self.text.get(flags..self.at).unwrap_or("");
                        if source.len() > MAX_PATTERN {
                            return Err(fault_at(codes::S0303, start as u32).text(&format!("longer than {MAX_PATTERN} bytes")));
                        }
                        let options =
                            Options { ignore_case: flags.contains('i'), multi_line: flags.contains('m'), ..Options::default() };
                        let pattern =
                            Pattern::compile(source, options).map_err(|why| fault_at(codes::S0303, start as u32).text(&why))?;
                        return Ok(Token::Regex(Arc::new(pattern)));
                    }
                    b'(' | b'[' | b'{' => depth += 1,
                    b')' | b']' | b'}' => depth -= 1,
                    _ => {}
                }
            }
            self.at += 1;
        }
        Err(fault_at(codes::S0302, start as u32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_are_recognized_by_their_first_byte() {
        for b in 0..=u8::MAX {
            let one = OPERATORS.iter().any(|op| op.as_bytes() == [b]);
            let first = OPERATORS.iter().any(|op| op.as_bytes().first() == Some(&b));
            assert_eq!((begins_operator(b), begins_operator(b)), (one, first), "{:?}", char::from(b));
        }
    }
}
