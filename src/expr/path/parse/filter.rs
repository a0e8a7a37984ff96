//! The grammar inside of `[?( … )]`, and literals.

use super::{Parsed, Parser};
use crate::base::{Map, Value, json};
use crate::expr::path::filter::{Filter, Operand, Operator, Pattern};

impl Parser<'_> {
    /// Parses terms joined by `||`.
    pub(super) fn disjunction(&mut self) -> Parsed<Filter> {
        let mut terms = vec![self.conjunction()?];
        loop {
            self.space();
            if !self.rest().starts_with("||") {
                break;
            }
            self.at += 2;
            terms.push(self.conjunction()?);
        }
        Ok(if terms.len() == 1 { terms.swap_remove(0) } else { Filter::Or(terms) })
    }

    fn conjunction(&mut self) -> Parsed<Filter> {
        let mut terms = vec![self.term()?];
        loop {
            self.space();
            if !self.rest().starts_with("&&") {
                break;
            }
            self.at += 2;
            terms.push(self.term()?);
        }
        Ok(if terms.len() == 1 { terms.swap_remove(0) } else { Filter::And(terms) })
    }

    fn term(&mut self) -> Parsed<Filter> {
        self.space();
        match self.peek() {
            Some(b'!') => {
                self.at += 1;
                self.space();
                let grouped = self.peek() == Some(b'(');
                Ok(match self.nested(|parser| parser.term())? {
                    Filter::Exists { from_root, query } if !grouped => Filter::Absent { from_root, query },
                    term => Filter::Not(Box::new(term)),
                })
            }
            Some(b'(') => {
                self.at += 1;
                let inner = self.nested(|parser| parser.disjunction())?;
                self.space();
                if !self.eat(b')') {
                    return self.error("Expected ')'");
                }
                Ok(inner)
            }
            _ => self.test(),
        }
    }

    /// Parses `left operator right`, or a single path, which tests whether it exists.
    fn test(&mut self) -> Parsed<Filter> {
        let start = self.at;
        let left = self.nested(|parser| parser.operand())?;
        self.space();
        let operator_at = self.at;
        let Some(operator) = self.operator()? else {
            return match left {
                Operand::Path { from_root, query } => Ok(Filter::Exists { from_root, query }),
                _ => {
                    self.at = start;
                    self.error("Expected a comparison or a path that starts with '@' or '$'")
                }
            };
        };
        self.space();
        let right = self.nested(|parser| parser.operand())?;
        if operator == Operator::Matches && !matches!((&left, &right), (Operand::Pattern(_), _) | (_, Operand::Pattern(_))) {
            self.at = operator_at;
            return self.error("'=~' needs a regular expression, /…/");
        }
        Ok(Filter::Test { left, operator, right })
    }

    fn operator(&mut self) -> Parsed<Option<Operator>> {
        let rest = self.rest();
        let symbol = rest.len() - rest.trim_start_matches(['<', '>', '=', '~', '!']).len();
        let word = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_alphabetic()).len();
        let len = symbol.max(word);
        if len == 0 {
            return Ok(None);
        }
        let token = rest.get(..len).unwrap_or("");
        match Operator::named(token) {
            Some(operator) => {
                self.at += len;
                Ok(Some(operator))
            }
            None => self.error(format!("There is no operator '{token}'")),
        }
    }

    fn operand(&mut self) -> Parsed<Operand> {
        match self.peek() {
            Some(b'@') => {
                self.at += 1;
                Ok(Operand::Path { from_root: false, query: self.query(true)? })
            }
            Some(b'$') => {
                self.at += 1;
                Ok(Operand::Path { from_root: true, query: self.query(true)? })
            }
            Some(b'/') => self.pattern(),
            _ => self.literal().map(Operand::Literal),
        }
    }

    /// Parses `true`, `false`, `null`, or any other word, which is a string without its quotes. Definitions in use have such
    /// comparisons, so they compile; how AWS evaluates them is not recorded.
    fn word(&mut self) -> Value {
        let rest = self.rest();
        let length = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-'))).unwrap_or(rest.len());
        let word = rest.get(..length).unwrap_or("");
        self.at += length;
        match word {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "null" => Value::Null,
            word => Value::from(word),
        }
    }

    /// Parses `/regular expression/flags`.
    fn pattern(&mut self) -> Parsed<Operand> {
        let open = self.at;
        self.at += 1;
        let start = self.at;
        loop {
            match self.next_char() {
                None => {
                    self.at = open;
                    return self.error("The regular expression is not closed");
                }
                Some('/') => break,
                Some('\\') => {
                    self.at += 1;
                    self.at += self.next_char().map_or(0, char::len_utf8);
                }
                Some(c) => self.at += c.len_utf8(),
            }
        }
        let source = self.text.get(start..self.at).unwrap_or("").replace("\\/", "/");
        self.at += 1;
        let flags_at = self.at;
        while let Some(b'a'..=b'z' | b'A'..=b'Z') = self.peek() {
            self.at += 1;
        }
        let flags = self.text.get(flags_at..self.at).unwrap_or("");
        match Pattern::new(&source, flags) {
            Ok(pattern) => Ok(Operand::Pattern(pattern)),
            Err(message) => {
                self.at = open;
                self.error(message)
            }
        }
    }

    /// Parses a string in either kind of quotes, a number, a word, an array or an object.
    pub(super) fn literal(&mut self) -> Parsed<Value> {
        match self.peek() {
            Some(b'\'' | b'"') => self.string(),
            Some(b'-' | b'0'..=b'9' | b'.') => self.number(),
            Some(b'[') => {
                let open = self.at;
                self.at += 1;
                let mut items = Vec::new();
                self.space();
                if self.eat(b']') {
                    return Ok(Value::from(items));
                }
                loop {
                    self.space();
                    items.push(self.nested(|parser| parser.literal())?);
                    self.space();
                    if self.eat(b']') {
                        return Ok(Value::from(items));
                    }
                    self.comma(open, "array")?;
                }
            }
            Some(b'{') => {
                let open = self.at;
                self.at += 1;
                let mut map = Map::new();
                self.space();
                if self.eat(b'}') {
                    return Ok(Value::from(map));
                }
                loop {
                    self.space();
                    let Some(b'\'' | b'"') = self.peek() else {
                        return self.error("Expected a quoted member name");
                    };
                    let name = self.string()?;
                    self.space();
                    if !self.eat(b':') {
                        return self.error("Expected ':'");
                    }
                    self.space();
                    let value = self.nested(|parser| parser.literal())?;
                    map.insert(name.as_str().unwrap_or_default(), value);
                    self.space();
                    if self.eat(b'}') {
                        return Ok(Value::from(map));
                    }
                    self.comma(open, "object")?;
                }
            }
            Some(b'A'..=b'Z' | b'a'..=b'z' | b'_') => Ok(self.word()),
            _ => match self.next_char() {
                Some(found) => self.error(format!("Expected a value, found '{found}'")),
                None => self.error("Expected a value"),
            },
        }
    }

    fn comma(&mut self, open: usize, what: &str) -> Parsed<()> {
        if self.eat(b',') {
            return Ok(());
        }
        if self.peek().is_none() {
            self.at = open;
            return self.error(format!("The {what} is not closed"));
        }
        self.error("Expected ','")
    }

    fn string(&mut self) -> Parsed<Value> {
        let open = self.at;
        let quote = self.peek().map_or('\'', char::from);
        self.at += 1;
        let mut out = String::new();
        while let Some(c) = self.next_char() {
            if c == '\\' {
                let control = match self.peek_at(1) {
                    Some(b'n') => '\n',
                    Some(b'r') => '\r',
                    Some(b't') => '\t',
                    Some(b'b') => '\u{8}',
                    Some(b'f') => '\u{c}',
                    _ => {
                        self.escaped(&mut out)?;
                        continue;
                    }
                };
                out.push(control);
                self.at += 2;
                continue;
            }
            self.at += c.len_utf8();
            if c == quote {
                return Ok(Value::from(out));
            }
            out.push(c);
        }
        self.at = open;
        self.error("The string is not closed")
    }

    fn number(&mut self) -> Parsed<Value> {
        let rest = self.rest();
        let len =
            rest.len() - rest.trim_start_matches(['-', '+', '.', 'e', 'E', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']).len();
        let token = rest.get(..len).unwrap_or("");
        match json::parse(token) {
            Ok(value) => {
                self.at += len;
                Ok(value)
            }
            Err(_) => self.error(format!("'{token}' is not a number")),
        }
    }
}
