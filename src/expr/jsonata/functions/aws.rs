//! The functions that AWS Step Functions adds to JSONata (spec §8.3).

use super::Args;
use crate::base::{JavaRandom, Map, Number, Value, json};
use crate::expr::intrinsic;
use crate::expr::jsonata::codes;
use crate::expr::jsonata::error::fault;
use crate::expr::jsonata::eval::{Evaluator, R};
use crate::expr::jsonata::value::Val;
use std::sync::Arc;

/// `$partition(array, size)`: chunks; one chunk if there is no size. The size is truncated towards zero. For an empty array, or
/// a size of zero, the result is undefined (measured). Null is refused as an array with wrong items (floci 2676, another tool's
/// answer).
pub(super) fn partition(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    let array = args.at(0);
    if array.is_undefined() {
        return Ok(Val::Undefined);
    }
    if matches!(array, Val::Null) {
        return Err(fault(codes::T0412).index(1).text("values"));
    }
    let items = array.items();
    let size = match args.number(1) {
        Some(size) => size.trunc(),
        None => items.len().max(1) as f64,
    };
    if size < 0.0 {
        return Err(fault(codes::D3137).message("Second argument must be zero or greater"));
    }
    if size.is_nan() || size == 0.0 || items.len() == 0 {
        return Ok(Val::Undefined);
    }
    let size = if size > items.len() as f64 { items.len().max(1) } else { size as usize };
    ev.check_items(items.len() * 2)?;
    let mut chunks = Vec::with_capacity(items.len() / size + 1);
    let items = items.to_vec();
    for chunk in items.chunks(size) {
        chunks.push(ev.list(chunk.to_vec())?);
    }
    ev.list(chunks)
}

/// `$range(start, end, step)`: all arguments are truncated towards zero (measured), and the end is included; undefined for a
/// step of 0.
pub(super) fn range(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    let (Some(start), Some(end), Some(step)) = (args.number(0), args.number(1), args.number(2)) else {
        return Ok(Val::Undefined);
    };
    let (start, end, step) = (start.trunc(), end.trunc(), step.trunc());
    if step == 0.0 || !start.is_finite() || !end.is_finite() || !step.is_finite() {
        return Ok(Val::Undefined);
    }
    let count = ((end - start) / step).floor() + 1.0;
    if count < 1.0 {
        return Ok(Val::EMPTY);
    }
    ev.check_items(if count > 1e9 { usize::MAX / 2 } else { count as usize })?;
    let items = (0..count as u64).map(|i| Val::num(start + i as f64 * step)).collect();
    ev.sequence(items)
}

/// `$hash(text, algorithm)`: MD5, SHA-1, SHA-256, SHA-384 or SHA-512, as hexadecimal digits.
pub(super) fn hash(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    let (Some(text), Some(algorithm)) = (args.text(0), args.text(1)) else { return Ok(Val::Undefined) };
    ev.burn(30 + text.len() / 4)?;
    match intrinsic::hash_hex(text.as_bytes(), algorithm) {
        Some(digits) => ev.text(digits),
        None => Err(fault(codes::D3137).message(format!("Unsupported hashing algorithm: {algorithm}"))),
    }
}

/// `$random(seed?)`: a number in `[0, 1)`; always the same one for the same seed.
pub(super) fn random(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    Ok(Val::num(match args.number(0) {
        Some(seed) => JavaRandom::new(seed as i64).next_double(),
        None => ev.rng.next_f64(),
    }))
}

/// `$uuid()`: a version 4 UUID from the execution's random numbers.
pub(super) fn uuid(ev: &mut Evaluator<'_>, _: &Args<'_>) -> R<Val> {
    ev.burn(7)?;
    let uuid = ev.rng.uuid();
    ev.text(uuid)
}

/// `$parse(text)`: the value of a JSON text.
pub(super) fn parse(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    let Some(text) = args.text(0) else { return Ok(Val::Undefined) };
    ev.burn(30 + text.len() / 3)?;
    match json::parse_noting_duplicates(text) {
        Ok((value, false)) => Ok(Val::from(&plain_numbers(value))),
        // AWS refuses an object with two members of one name (measured).
        Ok((_, true)) | Err(_) => Err(fault(codes::D3137).message("Invalid JSON")),
    }
}

/// Returns a value with the numbers that a JSON parser of doubles reads: `1.0` and `1e0` are 1, and an integer beyond 64 bits
/// is a double (measured). The depth of a parsed text is bounded.
fn plain_numbers(value: Value) -> Value {
    match value {
        Value::Number(number) => match number.as_i64() {
            Some(integer) => Value::from(integer),
            None => Value::Number(Number::from_f64_integral(number.as_f64()).unwrap_or(number)),
        },
        Value::Array(items) => Value::Array(Arc::new(items.iter().cloned().map(plain_numbers).collect())),
        Value::Object(map) => {
            let mut plain = Map::with_capacity(map.len());
            for (key, member) in map.iter() {
                plain.insert(key.clone(), plain_numbers(member.clone()));
            }
            Value::Object(Arc::new(plain))
        }
        other => other,
    }
}
