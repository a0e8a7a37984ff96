//! `States.Format`.

use super::java;
use super::{Failure, Function};
use crate::base::Value;
use crate::expr::budget::Budget;

/// Returns the template with each `{}` replaced by the next argument. `\{`, `\}` and `\\` stand for the characters themselves.
pub(super) fn format(template: &str, arguments: &[Value], budget: &mut Budget) -> Result<Value, Failure> {
    let mut out = String::with_capacity(template.len());
    let mut left = arguments.iter();
    let mut chars = template.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.peek() {
                Some(escaped @ ('{' | '}' | '\\')) => {
                    out.push(*escaped);
                    chars.next();
                }
                // A template that comes from data may contain any backslash.
                _ => out.push('\\'),
            },
            '{' => {
                if chars.next() != Some('}') {
                    return Err(invalid("matching '}' not found for '{'."));
                }
                match left.next() {
                    Some(argument) => java::write(&mut out, argument, budget.bytes(), 0)?,
                    None => return Err(mismatch()),
                }
            }
            '}' => return Err(invalid("matching '{' not found for '}'.")),
            _ => out.push(c),
        }
    }
    if left.next().is_some() {
        return Err(mismatch());
    }
    budget.make(out.len())?;
    Ok(Value::from(out))
}

fn invalid(detail: &str) -> Failure {
    Failure::Function(format!("Invalid template in {}: {detail}", Function::Format.name()))
}

fn mismatch() -> Failure {
    let name = Function::Format.name();
    Failure::Function(format!("Invalid arguments in {name}: number of arguments do not match the occurrences of {{}}."))
}
