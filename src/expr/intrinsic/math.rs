//! The mathematical functions, in 32-bit integers as on AWS.

use super::array::truncated;
use crate::base::{JavaRandom, Number, Value};
use crate::expr::Env;

/// Adds two numbers. Each is rounded, halves up as in Java's `Math.round`; the numbers and the sum must fit in 32 bits.
pub(super) fn add(left: &Value, right: &Value) -> Option<Value> {
    let sum = i64::from(rounded(left)?) + i64::from(rounded(right)?);
    Some(Value::from(i32::try_from(sum).ok()?))
}

/// Returns an integer from `start` up to but not including `end`; with a seed it is always the same one.
pub(super) fn random(start: &Value, end: &Value, seed: Option<&Value>, env: &mut Env<'_>) -> Option<Value> {
    let start = i32::try_from(truncated(start)?).ok()?;
    let end = i32::try_from(truncated(end)?).ok()?;
    if start >= end {
        return None;
    }
    let width = i64::from(end) - i64::from(start);
    let offset = match seed {
        Some(seed) => i64::from(JavaRandom::new(truncated(seed)?).next_int(i32::try_from(width).ok()?)),
        None => env.rng.below(width as u64) as i64,
    };
    Some(Value::from(i64::from(start) + offset))
}

fn rounded(value: &Value) -> Option<i32> {
    let whole = match value.as_number()? {
        Number::Int(i) => i,
        Number::Wide { .. } => return None,
        Number::Float(f) => {
            let floor = f.floor();
            Number::from_f64(if f - floor >= 0.5 { floor + 1.0 } else { floor })?.as_i64()?
        }
    };
    i32::try_from(whole).ok()
}
