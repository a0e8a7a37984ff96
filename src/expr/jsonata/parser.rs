//! Parses tokens into a tree, with top-down operator precedence.

use super::ast::Operator;
use super::codes;
use super::error::{Thrown, fault_at};
use super::lexer::{Lexeme, Lexer, Token};
use super::number;
use super::signature::Signature;
use crate::base::Value;
use crate::expr::regex::Pattern;
use std::sync::Arc;

/// Maximum nesting depth of an expression, which bounds every recursion over the tree.
const MAX_DEPTH: u32 = 120;

/// A parsed expression, before paths are joined.
#[derive(Debug)]
pub(super) struct Raw {
    pub kind: RawKind,
    pub at: u32,
    pub len: u32,
    /// The end of its text.
    pub end: u32,
    pub keep_array: bool,
}

#[derive(Debug)]
pub(super) enum RawKind {
    Name(Arc<str>),
    Variable(Arc<str>),
    Literal(Value),
    Regex(Arc<Pattern>),
    Wildcard,
    Descendant,
    Parent,
    /// The text ended where an operand was expected.
    Missing,
    /// `a.b.c`
    Dots(Vec<Raw>),
    /// A chain of binary operators, from left to right.
    Chain(Box<Raw>, Vec<(Operator, u32, Raw)>),
    /// `a ~> b`
    Apply(Box<Raw>, Box<Raw>),
    Filter(Box<Raw>, Box<Raw>),
    Group(Box<Raw>, Vec<(Raw, Raw)>),
    Sort(Box<Raw>, Vec<(bool, Raw)>),
    Bind(Arc<str>, Box<Raw>),
    Focus(Box<Raw>, Arc<str>),
    Index(Box<Raw>, Arc<str>),
    Negate(Box<Raw>),
    Array(Vec<Raw>),
    Range(Box<Raw>, Box<Raw>),
    Object(Vec<(Raw, Raw)>),
    Call(Box<Raw>, Vec<Raw>),
    Partial(Box<Raw>, Vec<Option<Raw>>),
    Lambda(Vec<Arc<str>>, Option<Signature>, Box<Raw>),
    Block(Vec<Raw>),
    Condition(Box<Raw>, Box<Raw>, Option<Box<Raw>>),
    Default(Box<Raw>, Box<Raw>),
    Coalesce(Box<Raw>, Box<Raw>),
    Transform(Box<Raw>, Box<Raw>, Option<Box<Raw>>),
}

/// Parses a whole text.
pub(super) fn parse(text: &str) -> Result<Raw, Thrown> {
    let mut lexer = Lexer::new(text);
    let current = lexer.next(false)?;
    let mut parser = Parser { lexer, current, depth: 0, taken: 0 };
    let expression = parser.expression(0)?;
    match parser.current.token {
        Token::End => Ok(expression),
        _ => Err(fault_at(codes::S0201, parser.current.at).token(&parser.shown())),
    }
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    current: Lexeme,
    depth: u32,
    /// The end of the last consumed token.
    taken: u32,
}

fn power(token: &Token) -> u32 {
    match token {
        Token::Operator(op) => match *op {
            "[" | "(" | "@" | "#" => 80,
            "." => 75,
            "{" => 70,
            "*" | "/" | "%" => 60,
            "+" | "-" | "&" => 50,
            "=" | "<" | ">" | "^" | "!=" | "<=" | ">=" | "~>" | "in" | "?:" | "??" => 40,
            "and" => 30,
            "or" => 25,
            "?" => 20,
            ":=" => 10,
            _ => 0,
        },
        _ => 0,
    }
}

impl Parser<'_> {
    /// The current token, as messages show it.
    fn shown(&self) -> String {
        match &self.current.token {
            Token::Operator(op) => (*op).to_string(),
            Token::Name(name) | Token::Variable(name) => name.to_string(),
            Token::Literal(Value::String(text)) => text.to_string(),
            Token::Literal(Value::Number(n)) => number::to_text(n.as_f64()),
            Token::Literal(value) => value.to_string(),
            Token::Regex(pattern) => pattern.source.clone(),
            Token::End => "(end)".into(),
        }
    }

    fn is(&self, op: &str) -> bool {
        matches!(self.current.token, Token::Operator(current) if current == op)
    }

    /// Consumes the current token and reads the next one.
    fn advance(&mut self, infix: bool) -> Result<Lexeme, Thrown> {
        let next = self.lexer.next(infix)?;
        self.taken = self.current.at + self.current.len;
        Ok(std::mem::replace(&mut self.current, next))
    }

    fn expect(&mut self, op: &str, infix: bool) -> Result<Lexeme, Thrown> {
        if self.is(op) {
            return self.advance(infix);
        }
        let code = if matches!(self.current.token, Token::End) { codes::S0203 } else { codes::S0202 };
        Err(fault_at(code, self.current.at).token(&self.shown()).text(op))
    }

    fn expression(&mut self, binding: u32) -> Result<Raw, Thrown> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(fault_at(codes::S0501, self.current.at));
        }
        let token = self.advance(true)?;
        let mut left = self.prefix(token)?;
        // Operands of postfix operators count for the depth like brackets.
        let mut wrapped = 0;
        while binding < power(&self.current.token) {
            let token = self.advance(false)?;
            let Token::Operator(op) = token.token else { break };
            if matches!(op, "[" | "(" | "{" | "^" | "@" | "#" | "~>" | "?" | "?:" | "??" | ":=") {
                wrapped += 1;
                self.depth += 1;
                if self.depth > MAX_DEPTH {
                    return Err(fault_at(codes::S0501, token.at));
                }
            }
            left = self.infix(op, token.at, left)?;
        }
        self.depth -= 1 + wrapped;
        Ok(left)
    }

    #[inline(never)]
    fn prefix(&mut self, lexeme: Lexeme) -> Result<Raw, Thrown> {
        let (at, len) = (lexeme.at, lexeme.len);
        let kind = match lexeme.token {
            Token::Name(name) => RawKind::Name(name),
            Token::Variable(name) => RawKind::Variable(name),
            Token::Literal(value) => RawKind::Literal(value),
            Token::Regex(pattern) => RawKind::Regex(pattern),
            Token::End => RawKind::Missing,
            Token::Operator(op) => match op {
                "and" | "or" | "in" => RawKind::Name(op.into()),
                "-" => RawKind::Negate(Box::new(self.expression(70)?)),
                "*" => RawKind::Wildcard,
                "**" => RawKind::Descendant,
                "%" => RawKind::Parent,
                "(" => self.block()?,
                "[" => self.array()?,
                "{" => RawKind::Object(self.pairs()?),
                "|" => self.transform()?,
                _ => {
                    return Err(fault_at(codes::S0211, at).token(op));
                }
            },
        };
        Ok(Raw { kind, at, len, end: self.taken, keep_array: false })
    }

    fn block(&mut self) -> Result<RawKind, Thrown> {
        let mut items = Vec::new();
        while !self.is(")") {
            items.push(self.expression(0)?);
            if !self.is(";") {
                break;
            }
            self.advance(false)?;
        }
        self.expect(")", true)?;
        Ok(RawKind::Block(items))
    }

    fn array(&mut self) -> Result<RawKind, Thrown> {
        let mut items = Vec::new();
        if !self.is("]") {
            loop {
                let mut item = self.expression(0)?;
                if self.is("..") {
                    let op = self.advance(false)?;
                    let last = self.expression(0)?;
                    let kind = RawKind::Range(Box::new(item), Box::new(last));
                    item = Raw { kind, at: op.at, len: op.len, end: self.taken, keep_array: false };
                }
                items.push(item);
                if !self.is(",") {
                    break;
                }
                self.advance(false)?;
            }
        }
        self.expect("]", true)?;
        Ok(RawKind::Array(items))
    }

    fn pairs(&mut self) -> Result<Vec<(Raw, Raw)>, Thrown> {
        let mut pairs = Vec::new();
        if !self.is("}") {
            loop {
                let key = self.expression(0)?;
                self.expect(":", false)?;
                pairs.push((key, self.expression(0)?));
                if !self.is(",") {
                    break;
                }
                self.advance(false)?;
            }
        }
        self.expect("}", true)?;
        Ok(pairs)
    }

    fn transform(&mut self) -> Result<RawKind, Thrown> {
        let pattern = self.expression(0)?;
        self.expect("|", false)?;
        let update = self.expression(0)?;
        let mut delete = None;
        if self.is(",") {
            self.advance(false)?;
            delete = Some(Box::new(self.expression(0)?));
        }
        self.expect("|", false)?;
        Ok(RawKind::Transform(Box::new(pattern), Box::new(update), delete))
    }

    #[inline(never)]
    fn infix(&mut self, op: &'static str, at: u32, mut left: Raw) -> Result<Raw, Thrown> {
        let len = op.len() as u32;
        let kind = match op {
            "." => {
                let right = self.expression(75)?;
                match left {
                    Raw { kind: RawKind::Dots(mut steps), .. } => {
                        steps.push(right);
                        RawKind::Dots(steps)
                    }
                    _ => RawKind::Dots(vec![left, right]),
                }
            }
            "(" => return self.call(at, left),
            "[" if self.is("]") => {
                self.advance(false)?;
                let mut target = &mut left;
                while let RawKind::Filter(inner, _) = &mut target.kind {
                    target = inner;
                }
                target.keep_array = true;
                left.end = self.taken;
                return Ok(left);
            }
            "[" => {
                let predicate = self.expression(0)?;
                self.expect("]", true)?;
                RawKind::Filter(Box::new(left), Box::new(predicate))
            }
            "{" => RawKind::Group(Box::new(left), self.pairs()?),
            "^" => RawKind::Sort(Box::new(left), self.terms()?),
            "@" | "#" => {
                let right = self.expression(80)?;
                let RawKind::Variable(name) = right.kind else {
                    return Err(fault_at(codes::S0214, right.at).token(op));
                };
                if op == "@" { RawKind::Focus(Box::new(left), name) } else { RawKind::Index(Box::new(left), name) }
            }
            ":=" => {
                let RawKind::Variable(name) = left.kind else { return Err(fault_at(codes::S0212, left.at)) };
                RawKind::Bind(name, Box::new(self.expression(9)?))
            }
            "?" => {
                let then = self.expression(0)?;
                let mut otherwise = None;
                if self.is(":") {
                    self.advance(false)?;
                    otherwise = Some(Box::new(self.expression(0)?));
                }
                RawKind::Condition(Box::new(left), Box::new(then), otherwise)
            }
            "?:" => RawKind::Default(Box::new(left), Box::new(self.expression(0)?)),
            "??" => RawKind::Coalesce(Box::new(left), Box::new(self.expression(0)?)),
            "~>" => RawKind::Apply(Box::new(left), Box::new(self.expression(40)?)),
            _ => {
                let right = self.expression(power(&Token::Operator(op)))?;
                let Some(operator) = Operator::from_text(op) else { return Err(fault_at(codes::S0204, at).token(op)) };
                match left.kind {
                    RawKind::Chain(first, mut rest) if !left.keep_array => {
                        rest.push((operator, at, right));
                        RawKind::Chain(first, rest)
                    }
                    _ => RawKind::Chain(Box::new(left), vec![(operator, at, right)]),
                }
            }
        };
        Ok(Raw { kind, at, len, end: self.taken, keep_array: false })
    }

    fn terms(&mut self) -> Result<Vec<(bool, Raw)>, Thrown> {
        self.expect("(", false)?;
        let mut terms = Vec::new();
        loop {
            let descending = self.is(">");
            if descending || self.is("<") {
                self.advance(false)?;
            }
            terms.push((descending, self.expression(0)?));
            if !self.is(",") {
                break;
            }
            self.advance(false)?;
        }
        self.expect(")", false)?;
        Ok(terms)
    }

    #[inline(never)]
    fn call(&mut self, at: u32, left: Raw) -> Result<Raw, Thrown> {
        let mut args = Vec::new();
        let mut partial = false;
        if !self.is(")") {
            loop {
                if self.is("?") {
                    self.advance(false)?;
                    partial = true;
                    args.push(None);
                } else {
                    args.push(Some(self.expression(0)?));
                }
                if !self.is(",") {
                    break;
                }
                self.advance(false)?;
            }
        }
        self.expect(")", true)?;
        let kind = match &left.kind {
            RawKind::Name(name) if matches!(&**name, "function" | "λ") => self.lambda(at, args)?,
            _ if partial => RawKind::Partial(Box::new(left), args),
            _ => RawKind::Call(Box::new(left), args.into_iter().flatten().collect()),
        };
        Ok(Raw { kind, at, len: 1, end: self.taken, keep_array: false })
    }

    /// Parses what follows `function(…)`: a signature and a body.
    fn lambda(&mut self, at: u32, args: Vec<Option<Raw>>) -> Result<RawKind, Thrown> {
        let mut params = Vec::with_capacity(args.len());
        for (i, arg) in args.into_iter().enumerate() {
            match arg {
                Some(Raw { kind: RawKind::Variable(name), .. }) => params.push(name),
                arg => {
                    let at = arg.map_or(at, |a| a.at);
                    return Err(fault_at(codes::S0208, at).json((i + 1).to_string()));
                }
            }
        }
        let mut signature = None;
        if self.is("<") {
            let start = self.current.at;
            let mut text = String::from("<");
            let mut depth = 1;
            while depth > 0 && !self.is("{") && !matches!(self.current.token, Token::End) {
                self.advance(false)?;
                if self.is(">") {
                    depth -= 1;
                } else if self.is("<") {
                    depth += 1;
                }
                text.push_str(&self.shown());
            }
            self.expect(">", false)?;
            let parsed = Signature::parse(&text).map_err(|e| fault_at(e.code, start + e.offset as u32).text(&text))?;
            signature = Some(parsed);
        }
        self.expect("{", false)?;
        let body = self.expression(0)?;
        self.expect("}", false)?;
        Ok(RawKind::Lambda(params, signature, Box::new(body)))
    }
}
