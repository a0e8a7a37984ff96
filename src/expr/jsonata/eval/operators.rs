//! Operators on values: arithmetic, comparison, equality, truth and text.

use super::{Evaluator, R};
use crate::base::Number;
use crate::expr::jsonata::ast::{Node, Operator};
use crate::expr::jsonata::codes;
use crate::expr::jsonata::error::{Thrown, fault, fault_at};
use crate::expr::jsonata::number;
use crate::expr::jsonata::value::{Flags, Frame, Function, Items, Val};
use std::cmp::Ordering;
use std::rc::Rc;

/// Integers up to this one are exact as doubles.
const EXACT: u64 = 1 << 53;
/// Maximum number of items of a range.
const MAX_RANGE: f64 = 1e7;

impl Evaluator<'_> {
    /// Evaluates binary operators from left to right.
    #[inline(never)]
    pub(super) fn chain(&mut self, first: &Node, rest: &[(Operator, u32, Node)], input: &Val, frame: &Rc<Frame>) -> R<Val> {
        // A chain is a left-leaning tree: its first operand is the deepest, and each operator is one level above the previous
        // one.
        self.depth += (rest.len() as u32).saturating_sub(1);
        let mut left = self.eval(first, input, frame)?;
        let mut links = rest.iter().peekable();
        while let Some((operator, at, operand)) = links.next() {
            left = match operator {
                Operator::And => Val::Bool(truth(&left)? && truth(&self.eval(operand, input, frame)?)?),
                Operator::Or => Val::Bool(truth(&left)? || truth(&self.eval(operand, input, frame)?)?),
                Operator::Concat => {
                    let mut right = self.eval(operand, input, frame)?;
                    let mut out = String::new();
                    self.append_text(&mut out, &left).map_err(|e| e.at(*at))?;
                    loop {
                        self.append_text(&mut out, &right).map_err(|e| e.at(*at))?;
                        // Consecutive `&` share one buffer.
                        match links.next_if(|(next, ..)| *next == Operator::Concat) {
                            Some((_, _, operand)) => {
                                self.depth = self.depth.saturating_sub(1);
                                right = self.eval(operand, input, frame)?;
                            }
                            None => break,
                        }
                    }
                    self.text(out)?
                }
                operator => {
                    let right = self.eval(operand, input, frame)?;
                    self.binary(*operator, &left, &right).map_err(|e| e.at(*at).token(operator.text()))?
                }
            };
            self.depth = self.depth.saturating_sub(1);
        }
        Ok(left)
    }

    fn binary(&mut self, operator: Operator, left: &Val, right: &Val) -> R<Val> {
        use Operator::*;
        match operator {
            Add | Subtract | Multiply | Divide | Modulo => self.arithmetic(operator, left, right),
            Equal => Ok(Val::Bool(self.both_equal(left, right)?)),
            NotEqual => Ok(Val::Bool(!left.is_undefined() && !right.is_undefined() && !self.equal(left, right)?)),
            In => {
                let items = right.items();
                self.burn(items.len() / 8 + items.len() * (length(left) / TEXT_STEP))?;
                Ok(Val::Bool(!left.is_undefined() && !right.is_undefined() && items.iter().any(|item| is_same(&item, left))))
            }
            _ => self.comparison(operator, left, right),
        }
    }

    fn both_equal(&mut self, left: &Val, right: &Val) -> R<bool> {
        Ok(!left.is_undefined() && !right.is_undefined() && self.equal(left, right)?)
    }

    fn arithmetic(&mut self, operator: Operator, left: &Val, right: &Val) -> R<Val> {
        if let (Val::Num(Number::Int(a)), Val::Num(Number::Int(b))) = (left, right) {
            let exact = match operator {
                Operator::Add => a.checked_add(*b),
                Operator::Subtract => a.checked_sub(*b),
                Operator::Multiply => a.checked_mul(*b),
                Operator::Modulo if *b != 0 => a.checked_rem(*b),
                Operator::Divide if *b != 0 && a.checked_rem(*b) == Some(0) => a.checked_div(*b),
                _ => None,
            };
            if let Some(exact) = exact
                && exact.unsigned_abs() <= EXACT
                && a.unsigned_abs() <= EXACT
                && b.unsigned_abs() <= EXACT
            {
                return Ok(Val::int(exact));
            }
        }
        if !left.is_undefined() && !is_number(left)? {
            return Err(fault(codes::T2001).json(self.shown(left)));
        }
        if !right.is_undefined() && !is_number(right)? {
            return Err(fault(codes::T2002).json(self.shown(right)));
        }
        let (Some(a), Some(b)) = (left.as_f64(), right.as_f64()) else { return Ok(Val::Undefined) };
        Ok(Val::num(match operator {
            Operator::Add => a + b,
            Operator::Subtract => a - b,
            Operator::Multiply => a * b,
            Operator::Divide => a / b,
            _ => a % b,
        }))
    }

    fn comparison(&mut self, operator: Operator, left: &Val, right: &Val) -> R<Val> {
        let comparable = |v: &Val| v.is_undefined() || v.as_str().is_some() || v.as_f64().is_some();
        if !comparable(left) || !comparable(right) {
            let odd = if left.as_str().is_some() || left.as_f64().is_some() { right } else { left };
            return Err(fault(codes::T2010).json(self.shown(odd)));
        }
        if left.is_undefined() || right.is_undefined() {
            return Ok(Val::Undefined);
        }
        let order = match (left.as_str(), right.as_str()) {
            (Some(a), Some(b)) => {
                self.burn((a.len() + b.len()) / TEXT_STEP)?;
                Some(compare_text(a, b))
            }
            (None, None) => match (left, right) {
                (Val::Num(a), Val::Num(b)) => Some(a.cmp(b)),
                _ => left.as_f64().partial_cmp(&right.as_f64()),
            },
            _ => return Err(fault(codes::T2009).json(self.shown(left)).json2(self.shown(right))),
        };
        let Some(order) = order else { return Ok(Val::Bool(false)) };
        Ok(Val::Bool(match operator {
            Operator::Less => order.is_lt(),
            Operator::LessEqual => order.is_le(),
            Operator::Greater => order.is_gt(),
            _ => order.is_ge(),
        }))
    }

    /// Compares values; containers by their content.
    pub(crate) fn equal(&mut self, left: &Val, right: &Val) -> R<bool> {
        self.burn(1 + length(left).min(length(right)) / TEXT_STEP)?;
        // Containers of the data are compared by content even if they are identical: the cost must not depend on whether an
        // execution was restored in between.
        if !matches!(left, Val::JsonArray(_) | Val::JsonObject(_)) && is_same(left, right) {
            return Ok(true);
        }
        if left.is_array() && right.is_array() {
            let (a, b) = (left.items(), right.items());
            if a.len() != b.len() {
                return Ok(false);
            }
            for (x, y) in a.iter().zip(b.iter()) {
                if !self.equal(&x, &y)? {
                    return Ok(false);
                }
            }
            return Ok(true);
        }
        if !left.is_object() || !right.is_object() || left.members().len() != right.members().len() {
            return Ok(false);
        }
        let mut same = true;
        left.members().try_each(|key, value| {
            if same {
                same = match right.member(key) {
                    Some(other) => self.equal(&value, &other)?,
                    None => false,
                };
            }
            Ok(())
        })?;
        Ok(same)
    }

    pub(super) fn negate(&mut self, node: &Node, inner: &Node, input: &Val, frame: &Rc<Frame>) -> R<Val> {
        match self.eval(inner, input, frame)? {
            Val::Undefined => Ok(Val::Undefined),
            Val::Num(Number::Int(i)) if i.unsigned_abs() <= EXACT => Ok(Val::int(-i)),
            value if is_number(&value).map_err(|e| e.at(node.at))? => Ok(Val::num(-value.as_f64().unwrap_or(0.0))),
            value => Err(self.not_a_number(node.at, &value)),
        }
    }

    #[inline(never)]
    pub(super) fn range(&mut self, node: &Node, first: &Node, last: &Node, input: &Val, frame: &Rc<Frame>) -> R<Val> {
        let first = self.eval(first, input, frame)?;
        let last = self.eval(last, input, frame)?;
        let integer = |v: &Val| v.as_f64().filter(|x| x.is_finite() && x.fract() == 0.0);
        for (value, code) in [(&first, codes::T2003), (&last, codes::T2004)] {
            if !value.is_undefined() && integer(value).is_none() {
                return Err(fault_at(code, node.at).token("..").json(self.shown(value)));
            }
        }
        let (Some(a), Some(b)) = (integer(&first), integer(&last)) else { return Ok(Val::Undefined) };
        if a > b {
            return Ok(Val::Undefined);
        }
        let size = b - a + 1.0;
        if size > MAX_RANGE {
            return Err(fault_at(codes::D2014, node.at).token("..").json(number::to_text(size)));
        }
        if size > self.limits.range as f64 {
            return Err(fault_at(codes::D1015, node.at));
        }
        Ok(Val::Range(a as i64, size as u32, Flags::SEQUENCE))
    }

    /// Appends the value in the form of `&` and `$string`.
    pub(crate) fn append_text(&mut self, out: &mut String, value: &Val) -> R<()> {
        match value {
            Val::Undefined | Val::Func(_) => Ok(()),
            Val::Str(_) | Val::Long(_) => {
                let text = value.as_str().unwrap_or("");
                self.check_text(out.len() + text.len())?;
                out.push_str(text);
                Ok(())
            }
            Val::Num(number) => {
                out.push_str(&number::display(*number));
                Ok(())
            }
            Val::NonFinite(_) if self.limits.reference => Err(fault(codes::D3001)),
            Val::NonFinite(number) => {
                out.push_str(&number::to_text(*number));
                Ok(())
            }
            value if value.flags().has(Flags::OUTER) => {
                let inner = value.items().get(0).unwrap_or(Val::Undefined);
                super::write_json(self, out, &inner, None)
            }
            value => super::write_json(self, out, value, None),
        }
    }

    /// Returns a value as JSON for an error message; long ones are cut.
    pub(crate) fn shown(&self, value: &Val) -> String {
        super::output::preview(value)
    }
}

/// Whether a value is a number.
///
/// Errors: `D1001` for an infinite one.
pub(in crate::expr::jsonata) fn is_number(value: &Val) -> Result<bool, Thrown> {
    match value {
        Val::Num(_) => Ok(true),
        Val::NonFinite(x) if x.is_infinite() => Err(fault(codes::D1001).json("null")),
        _ => Ok(false),
    }
}

/// Returns the truth of a value in conditions, predicates, `and` and `or`: as `$boolean`, but undefined is false.
///
/// A function is an object there and therefore true, except that a regular expression is not an object in jsonata-js.
pub(in crate::expr::jsonata) fn truth(value: &Val) -> R<bool> {
    Ok(match value {
        Val::Bool(b) => *b,
        Val::Str(text) => !text.is_empty(),
        Val::Long(_) => true,
        Val::Num(n) => n.as_f64() != 0.0,
        Val::NonFinite(_) => is_number(value)?,
        Val::Func(function) => !matches!(**function, Function::Regex(_) | Function::NextMatch { .. }),
        Val::Undefined | Val::Null => false,
        Val::JsonObject(_) | Val::Object(_) => value.members().len() > 0,
        Val::JsonArray(_) | Val::Array(..) | Val::Range(..) | Val::Tuples(_) => match value.items() {
            Items::Range(first, len) => len > 1 || first != 0,
            items => {
                for item in items.iter() {
                    if truth(&item)? {
                        return Ok(true);
                    }
                }
                false
            }
        },
    })
}

/// Whether two values are the same: containers and functions by identity, scalars by value.
pub(in crate::expr::jsonata) fn is_same(left: &Val, right: &Val) -> bool {
    use std::sync::Arc;
    match (left, right) {
        (Val::Null, Val::Null) => true,
        (Val::Bool(a), Val::Bool(b)) => a == b,
        (Val::Num(a), Val::Num(b)) => a == b,
        (Val::NonFinite(a), Val::NonFinite(b)) => a == b,
        (Val::JsonArray(a), Val::JsonArray(b)) => Arc::ptr_eq(a, b),
        (Val::JsonObject(a), Val::JsonObject(b)) => Arc::ptr_eq(a, b),
        (Val::Array(a, _), Val::Array(b, _)) => Rc::ptr_eq(a, b),
        (Val::Object(a), Val::Object(b)) => Rc::ptr_eq(a, b),
        (Val::Func(a), Val::Func(b)) => Rc::ptr_eq(a, b),
        _ => match (left.as_str(), right.as_str()) {
            (Some(a), Some(b)) => a == b,
            _ => false,
        },
    }
}

/// The number of bytes of a string; 0 for any other value.
pub(in crate::expr::jsonata) fn length(value: &Val) -> usize {
    value.as_str().map_or(0, str::len)
}

/// How many bytes of strings are compared in one step.
pub(in crate::expr::jsonata) const TEXT_STEP: usize = 48;

/// Compares strings in the order of JavaScript: by UTF-16 units.
pub(in crate::expr::jsonata) fn compare_text(a: &str, b: &str) -> Ordering {
    if a.is_ascii() || b.is_ascii() { a.cmp(b) } else { a.encode_utf16().cmp(b.encode_utf16()) }
}
