//! The parts of an expression as they are written in the text.

use super::parser::{self, Raw, RawKind};
use super::references::References;
use super::{Expression, JsonataError};
use crate::base::{Span, Value};
use crate::expr::syntax::Part;

/// Returns the parts of an expression: see [`crate::expr::syntax`].
pub(in crate::expr) fn syntax(text: &str) -> Result<Part, JsonataError> {
    let references = Expression::parse(text)?.references();
    let raw = parser::parse(text).map_err(|error| error.finish())?;
    Ok(Writer { references }.part(&raw))
}

struct Writer {
    /// The references that the expression does not define itself.
    references: References,
}

impl Writer {
    // Recursion is bounded by the parser.
    fn part(&self, raw: &Raw) -> Part {
        let mut parts = Vec::new();
        let (mut start, mut value) = (raw.at, Value::Null);
        let kind = match &raw.kind {
            RawKind::Name(_)
            | RawKind::Variable(_)
            | RawKind::Dots(_)
            | RawKind::Filter(..)
            | RawKind::Wildcard
            | RawKind::Descendant => {
                self.steps(raw, &mut parts);
                "path"
            }
            RawKind::Literal(literal) => {
                value = literal.clone();
                "literal"
            }
            RawKind::Negate(inner) => match number(raw) {
                Some(number) => {
                    value = number;
                    "literal"
                }
                None => {
                    value = vec!["-".into()].into();
                    parts.push(self.part(inner));
                    "operation"
                }
            },
            RawKind::Chain(first, rest) => {
                let mut operators = Vec::new();
                parts.push(self.part(first));
                for (operator, _, operand) in rest {
                    operators.push(operator.text().into());
                    parts.push(self.part(operand));
                }
                value = operators.into();
                "operation"
            }
            RawKind::Call(procedure, args) => {
                start = procedure.at;
                match &procedure.kind {
                    RawKind::Variable(name) if self.is_free(procedure) => {
                        value = Value::String(name.clone());
                        self.all(args, &mut parts);
                        "call"
                    }
                    _ => {
                        parts.push(self.part(procedure));
                        self.all(args, &mut parts);
                        "other"
                    }
                }
            }
            RawKind::Object(pairs) => {
                self.pairs(pairs, &mut parts);
                "object"
            }
            RawKind::Array(items) => {
                self.all(items, &mut parts);
                "array"
            }
            RawKind::Block(items) => {
                self.all(items, &mut parts);
                "block"
            }
            kind => {
                self.others(kind, &mut parts);
                "other"
            }
        };
        let start = parts.first().map_or(start as usize, |part| part.span.start.min(start as usize));
        Part::new(kind, Span::new(start, raw.end as usize), value).of(parts)
    }

    fn all(&self, raws: &[Raw], parts: &mut Vec<Part>) {
        for raw in raws {
            parts.push(self.part(raw));
        }
    }

    fn pairs(&self, pairs: &[(Raw, Raw)], parts: &mut Vec<Part>) {
        for (key, value) in pairs {
            parts.push(self.part(key));
            parts.push(self.part(value));
        }
    }

    fn is_free(&self, raw: &Raw) -> bool {
        self.references.variables.iter().any(|variable| variable.span.start == raw.at as usize)
    }

    fn others(&self, kind: &RawKind, parts: &mut Vec<Part>) {
        match kind {
            RawKind::Apply(left, right) => {
                parts.push(self.part(left));
                parts.push(match &right.kind {
                    RawKind::Variable(name) if self.is_free(right) => Part::new("call", span(right), Value::String(name.clone())),
                    _ => self.part(right),
                });
            }
            RawKind::Group(left, pairs) => {
                parts.push(self.part(left));
                self.pairs(pairs, parts);
            }
            RawKind::Sort(left, terms) => {
                parts.push(self.part(left));
                for (_, term) in terms {
                    parts.push(self.part(term));
                }
            }
            RawKind::Bind(_, inner) | RawKind::Focus(inner, _) | RawKind::Index(inner, _) | RawKind::Lambda(_, _, inner) => {
                parts.push(self.part(inner));
            }
            RawKind::Range(left, right) | RawKind::Default(left, right) | RawKind::Coalesce(left, right) => {
                parts.push(self.part(left));
                parts.push(self.part(right));
            }
            RawKind::Partial(procedure, args) => {
                parts.push(self.part(procedure));
                for arg in args.iter().flatten() {
                    parts.push(self.part(arg));
                }
            }
            RawKind::Condition(first, second, third) | RawKind::Transform(first, second, third) => {
                parts.push(self.part(first));
                parts.push(self.part(second));
                if let Some(third) = third {
                    parts.push(self.part(third));
                }
            }
            _ => {}
        }
    }

    /// Adds the first part of a path, or its next steps.
    fn steps(&self, raw: &Raw, steps: &mut Vec<Part>) {
        let (kind, value) = match &raw.kind {
            RawKind::Name(name) | RawKind::Literal(Value::String(name)) => ("name", Value::String(name.clone())),
            RawKind::Wildcard => ("wildcard", Value::Null),
            RawKind::Descendant => ("descend", Value::Null),
            RawKind::Variable(name) => match &**name {
                "" => ("root", "$".into()),
                "$" => ("root", "$$".into()),
                _ => (if self.is_free(raw) { "variable" } else { "local" }, Value::String(name.clone())),
            },
            RawKind::Dots(inner) => {
                for inner in inner {
                    self.steps(inner, steps);
                }
                ("", Value::Null)
            }
            RawKind::Filter(left, predicate) => {
                self.steps(left, steps);
                let span = Span::new(raw.at as usize, raw.end as usize);
                steps.push(match number(predicate) {
                    Some(index) => Part::new("index", span, index),
                    None => Part::new("filter", span, Value::Null).of(vec![self.part(predicate)]),
                });
                ("", Value::Null)
            }
            _ => {
                steps.push(self.part(raw));
                ("", Value::Null)
            }
        };
        if !kind.is_empty() {
            steps.push(Part::new(kind, span(raw), value));
        }
        if raw.keep_array {
            steps.push(Part::new("list", Span::new(raw.end as usize, raw.end as usize), Value::Null));
        }
    }
}

fn span(raw: &Raw) -> Span {
    Span::new(raw.at as usize, (raw.at + raw.len) as usize)
}

/// Returns a number as it is written, with its sign.
fn number(raw: &Raw) -> Option<Value> {
    let (inner, sign) = if let RawKind::Negate(inner) = &raw.kind { (&**inner, -1.0) } else { (raw, 1.0) };
    let RawKind::Literal(Value::Number(number)) = &inner.kind else { return None };
    let number = sign * number.as_f64();
    let whole = number as i64;
    Some(if whole as f64 == number { whole.into() } else { number.into() })
}
