//! Prints values as JSON text, and computes the length of that text.

use crate::base::{Number, Value};
use std::sync::Arc;

/// Returns compact JSON text, with the members in order.
pub fn to_string(value: &Value) -> String {
    let mut out = String::new();
    write(&mut out, value);
    out
}

/// Appends compact JSON text.
pub fn write(out: &mut String, value: &Value) {
    write_value::<false>(out, value);
}

/// Appends a string as a JSON string with its quotes.
pub fn write_str(out: &mut String, text: &str) {
    out.push('"');
    write_escaped(out, text);
    out.push('"');
}

/// The ranges of an output in which large values were last written: shared values are copied from there.
#[derive(Debug, Default)]
pub struct Seen {
    /// The address of a value, and the start and end of its text.
    parts: Vec<(usize, usize, usize)>,
    next: usize,
}

impl Seen {
    /// A value with fewer members is written as fast as it is looked up.
    const LARGE: usize = 32;
    const MOST: usize = 16;

    fn note(&mut self, part: (usize, usize, usize)) {
        if self.parts.len() < Seen::MOST {
            self.parts.push(part);
        } else if let Some(slot) = self.parts.get_mut(self.next % Seen::MOST) {
            *slot = part;
            self.next += 1;
        }
    }
}

/// Appends JSON text that may contain the same values several times. They must live until `seen` is dropped, because another
/// value at the address of a freed one would be mistaken for it.
pub fn write_again(out: &mut String, value: &Value, seen: &mut Seen) {
    let (address, members) = match value {
        Value::Array(items) => (Arc::as_ptr(items) as usize, items.len()),
        Value::Object(map) => (Arc::as_ptr(map) as usize, map.len()),
        _ => return write(out, value),
    };
    let large = members >= Seen::LARGE;
    if large && let Some((_, from, to)) = seen.parts.iter().find(|(known, ..)| *known == address) {
        return out.extend_from_within(*from..*to);
    }
    let from = out.len();
    match value {
        Value::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write_again(out, item, seen);
            }
            out.push(']');
        }
        Value::Object(map) => {
            out.push('{');
            for (i, (key, item)) in map.entries().iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write_str(out, key);
                out.push(':');
                write_again(out, item, seen);
            }
            out.push('}');
        }
        _ => {}
    }
    if large {
        seen.note((address, from, out.len()));
    }
}

/// Appends a JSON string that contains the value's JSON text: like [`write_str`] of [`to_string`], without the intermediate
/// text.
pub fn write_text(out: &mut String, value: &Value) {
    out.push('"');
    write_value::<true>(out, value);
    out.push('"');
}

/// Appends JSON text; with `INNER`, in the form that it has inside of a JSON string.
fn write_value<const INNER: bool>(out: &mut String, value: &Value) {
    let (quote, open, colon, comma) = if INNER { ("\\\"", "{\\\"", "\\\":", ",\\\"") } else { ("\"", "{\"", "\":", ",\"") };
    let escaped = if INNER { write_escaped_twice } else { write_escaped };
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => number.write(out),
        Value::String(text) => {
            out.push_str(quote);
            escaped(out, text);
            out.push_str(quote);
        }
        Value::Array(items) => {
            let mut before = "[";
            for item in items.iter() {
                out.push_str(before);
                write_value::<INNER>(out, item);
                before = ",";
            }
            out.push_str(if items.is_empty() { "[]" } else { "]" });
        }
        Value::Object(map) => {
            let mut before = open;
            for (key, item) in map.entries() {
                out.push_str(before);
                escaped(out, key);
                out.push_str(colon);
                write_value::<INNER>(out, item);
                before = comma;
            }
            out.push_str(if map.is_empty() { "{}" } else { "}" });
        }
    }
}

/// Appends a JSON string in the form that it has inside of another JSON string.
fn write_escaped_twice(out: &mut String, text: &str) {
    if plain_run(text.as_bytes(), 0) == text.len() {
        return out.push_str(text);
    }
    let mut once = String::with_capacity(text.len() + 16);
    write_escaped(&mut once, text);
    write_escaped(out, &once);
}

fn write_escaped(out: &mut String, text: &str) {
    let bytes = text.as_bytes();
    let mut at = plain_run(bytes, 0);
    if at == bytes.len() {
        return out.push_str(text);
    }
    let mut plain = 0;
    while let Some(&b) = bytes.get(at) {
        // Invariant: both ends are next to ASCII bytes or at the ends of the text.
        out.push_str(&text[plain..at]);
        match b {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            0x08 => out.push_str("\\b"),
            0x0c => out.push_str("\\f"),
            // It is a control character.
            _ => {
                out.push_str(if b < 0x10 { "\\u000" } else { "\\u001" });
                out.extend(char::from_digit(u32::from(b & 15), 16));
            }
        }
        plain = at + 1;
        at = plain_run(bytes, plain);
    }
    out.push_str(&text[plain..]);
}

/// Returns the offset of the first byte from `at` that must be escaped in a JSON string: `"`, `\`, a control character.
pub(super) fn plain_run(bytes: &[u8], mut at: usize) -> usize {
    // It checks eight bytes at a time, because payloads are measured and written in every state.
    const EACH: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = EACH * 0x80;
    const QUOTE: u64 = EACH * b'"' as u64;
    const BACKSLASH: u64 = EACH * b'\\' as u64;
    while let Some(chunk) = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        let word = u64::from_le_bytes(*chunk);
        let (quote, backslash) = (word ^ QUOTE, word ^ BACKSLASH);
        // This sets the highest bit of the first byte that is below 0x20, or that is 0 after the exclusive or, and of none
        // before it.
        let control = word.wrapping_sub(EACH * 0x20) & !word;
        let special = control | (quote.wrapping_sub(EACH) & !quote) | (backslash.wrapping_sub(EACH) & !backslash);
        if special & HIGH != 0 {
            break;
        }
        at += 8;
    }
    while let Some(b) = bytes.get(at)
        && ESCAPED[usize::from(*b)] == 1
    {
        at += 1;
    }
    at
}

/// Returns whether the JSON text of a value is longer than `limit` bytes. It stops as soon as it knows: values share their
/// parts, so a value that is small in memory may be gigabytes as text.
pub fn longer_than(value: &Value, limit: usize) -> bool {
    spend(value, &mut limit.clone(), usize::MAX).is_err()
}

/// Returns the length of a value's text, or how it exceeds the limits of length (checked first) or of depth.
pub fn measure(value: &Value, limit: usize, depth: usize) -> Result<usize, Excess> {
    let mut left = limit;
    match spend(value, &mut left, depth) {
        Ok(()) => Ok(limit - left),
        Err(Excess::Depth) if longer_than(value, limit) => Err(Excess::Length),
        Err(excess) => Err(excess),
    }
}

/// See [`measure`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Excess {
    /// The JSON text is too long.
    Length,
    /// The value nests too deep.
    Depth,
}

/// Subtracts the length of a value's text from `left`.
fn spend(value: &Value, left: &mut usize, depth: usize) -> Result<(), Excess> {
    let own = match value {
        Value::Null => 4,
        Value::Bool(b) => 5 - usize::from(*b),
        Value::Number(Number::Int(n)) => int_len(*n),
        Value::Number(number) => number.to_string().len(),
        Value::String(text) => str_len(text),
        Value::Array(items) => 1 + items.len().max(1),
        Value::Object(map) => {
            let mut own = 1 + map.len().max(1);
            for (key, _) in map.entries() {
                own += str_len(key) + 1;
            }
            own
        }
    };
    *left = left.checked_sub(own).ok_or(Excess::Length)?;
    match value {
        Value::Array(_) | Value::Object(_) if depth == 0 => return Err(Excess::Depth),
        Value::Array(items) => {
            for item in items.iter() {
                spend(item, left, depth - 1)?;
            }
        }
        Value::Object(map) => {
            for (_, item) in map.entries() {
                spend(item, left, depth - 1)?;
            }
        }
        _ => {}
    }
    Ok(())
}

/// Returns the length of [`to_string`] in bytes, without building the text. The payload limit counts these bytes.
pub fn serialized_len(value: &Value) -> usize {
    let mut left = usize::MAX;
    // Invariant: no text is longer than memory, unless its parts are shared; then the maximum is returned.
    let _ = spend(value, &mut left, usize::MAX);
    usize::MAX - left
}

/// The number of bytes that each byte of a string takes in JSON text.
const ESCAPED: [u8; 256] = {
    let mut table = [1; 256];
    let mut control = 0;
    while control < 0x20 {
        table[control] = 6;
        control += 1;
    }
    table[b'"' as usize] = 2;
    table[b'\\' as usize] = 2;
    table[b'\n' as usize] = 2;
    table[b'\r' as usize] = 2;
    table[b'\t' as usize] = 2;
    table[0x08] = 2;
    table[0x0c] = 2;
    table
};

fn str_len(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = plain_run(bytes, 0);
    let mut length = 2 + at;
    while let Some(b) = bytes.get(at) {
        length += usize::from(ESCAPED[usize::from(*b)]);
        at += 1;
    }
    length
}

fn int_len(n: i64) -> usize {
    usize::from(n < 0) + n.unsigned_abs().checked_ilog10().map_or(1, |digits| digits as usize + 1)
}
