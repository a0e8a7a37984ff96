//! Traces of Java in AWS's answers: `String.valueOf`, `hashCode` and the order of hash tables.

use crate::base::{Number, Value, decimal, json};
use crate::expr::budget::Limit;

/// Maximum depth of a value that is printed or hashed.
const MAX_DEPTH: usize = json::MAX_DEPTH * 2;

/// Writes a value like `String.valueOf`: strings without quotes, objects as `{a=1, b=[]}`. It stops soon after `limit` bytes.
pub(super) fn write(out: &mut String, value: &Value, limit: usize, depth: usize) -> Result<(), Limit> {
    if depth > MAX_DEPTH || out.len() > limit {
        return Err(Limit);
    }
    match value {
        Value::String(text) => out.push_str(text),
        Value::Number(Number::Float(float)) => out.push_str(&double(*float)),
        Value::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push_str(", ");
                }
                write(out, item, limit, depth + 1)?;
            }
            out.push(']');
        }
        Value::Object(map) => {
            out.push('{');
            for (i, (name, item)) in map.iter().enumerate() {
                if i > 0 {
                    out.push_str(", ");
                }
                out.push_str(name);
                out.push('=');
                write(out, item, limit, depth + 1)?;
            }
            out.push('}');
        }
        scalar => json::write(out, scalar),
    }
    Ok(())
}

/// Formats a number like `Double.toString`: plain from 10^-3 up to 10^7, otherwise as `1.0E10`.
fn double(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 || (1e-3..1e7).contains(&size) {
        return decimal::text(value);
    }
    let (digits, exponent) = decimal::shortest(value);
    let sign = if value < 0.0 { "-" } else { "" };
    let text = format!("{sign}{}", decimal::scientific(digits, exponent));
    match text.split_once('e') {
        Some((digits, exponent)) if !digits.contains('.') => format!("{digits}.0E{exponent}"),
        Some((digits, exponent)) => format!("{digits}E{exponent}"),
        None => text,
    }
}

/// Returns `String.hashCode`.
pub(super) fn hash_str(text: &str) -> i32 {
    text.encode_utf16().fold(0i32, |hash, unit| hash.wrapping_mul(31).wrapping_add(i32::from(unit)))
}

/// Returns the `hashCode` of the object that a Java JSON parser creates: Integer or Long, Double, String, Boolean, List, Map,
/// null.
pub(super) fn hash(value: &Value, depth: usize) -> Result<i32, Limit> {
    if depth > MAX_DEPTH {
        return Err(Limit);
    }
    Ok(match value {
        Value::Null => 0,
        Value::Bool(true) => 1231,
        Value::Bool(false) => 1237,
        Value::Number(Number::Int(i)) => i32::try_from(*i).unwrap_or((*i ^ ((*i as u64) >> 32) as i64) as i32),
        Value::Number(number) => {
            let bits = number.as_f64().to_bits();
            (bits ^ (bits >> 32)) as i32
        }
        Value::String(text) => hash_str(text),
        Value::Array(items) => {
            let mut sum = 1i32;
            for item in items.iter() {
                sum = sum.wrapping_mul(31).wrapping_add(hash(item, depth + 1)?);
            }
            sum
        }
        Value::Object(map) => {
            let mut sum = 0i32;
            for (name, item) in map.iter() {
                sum = sum.wrapping_add(hash_str(name) ^ hash(item, depth + 1)?);
            }
            sum
        }
    })
}

/// The number of buckets of a `HashMap` or `HashSet` after this number of insertions: 16, doubled when it is more than three
/// quarters full.
pub(super) fn buckets(entries: usize) -> u32 {
    let mut buckets = 16u32;
    while entries > buckets as usize / 4 * 3 && buckets < 1 << 30 {
        buckets *= 2;
    }
    buckets
}

/// The bucket of a hash code. The table is iterated bucket by bucket, and in insertion order within a bucket.
pub(super) fn bucket(hash: i32, buckets: u32) -> u32 {
    let hash = hash as u32;
    (hash ^ (hash >> 16)) & (buckets - 1)
}
