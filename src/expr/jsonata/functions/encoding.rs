//! Base64 and percent encoding.

use super::Args;
use crate::base::base64;
use crate::expr::jsonata::codes;
use crate::expr::jsonata::error::fault;
use crate::expr::jsonata::eval::{Evaluator, R};
use crate::expr::jsonata::value::Val;

/// `$base64encode(text)`: encodes the low byte of every UTF-16 unit, like the reference implementation.
pub(super) fn base64encode(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    let Some(text) = args.text(0) else { return Ok(Val::Undefined) };
    ev.burn(text.len() / 4)?;
    let bytes: Vec<u8> = text.encode_utf16().map(|unit| unit as u8).collect();
    ev.text(base64::encode(&bytes))
}

/// `$base64decode(text)`: every byte becomes one character.
///
/// Errors: `D3900` for a text that `atob` refuses too: it contains characters outside of the alphabet, or has an impossible
/// length. AWS was measured to fail with `!!!`.
pub(super) fn base64decode(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    let Some(text) = args.text(0) else { return Ok(Val::Undefined) };
    ev.check_text(text.len())?;
    ev.burn(text.len() / 4)?;
    let digits = text.trim_end_matches('=');
    let white = |b: u8| matches!(b, b' ' | b'\t' | b'\n' | b'\r' | 0x0c);
    let count = digits.bytes().filter(|b| !white(*b)).count();
    let is_digit = |b: u8| b.is_ascii_alphanumeric() || b == b'+' || b == b'/';
    if count % 4 == 1 || text.len() - digits.len() > 2 || !digits.bytes().all(|b| is_digit(b) || white(b)) {
        return Err(fault(codes::D3900));
    }
    ev.text(base64::decode(text).into_iter().map(char::from).collect())
}

/// Characters that no percent encoding changes.
const UNRESERVED: &str = "-_.!~*'()";
/// Characters that only the encoding of a component changes.
const RESERVED: &str = ";/?:@&=+$,#";

fn encode(ev: &mut Evaluator<'_>, args: &Args<'_>, keep: &str) -> R<Val> {
    let Some(text) = args.text(0) else { return Ok(Val::Undefined) };
    ev.burn(2 * text.len())?;
    let stays =
        |b: u8| b.is_ascii_alphanumeric() || UNRESERVED.contains(char::from(b)) || b.is_ascii() && keep.contains(char::from(b));
    ev.check_text(text.len() + 2 * text.bytes().filter(|b| !stays(*b)).count())?;
    let mut out = String::with_capacity(text.len());
    for b in text.bytes() {
        if stays(b) {
            out.push(char::from(b));
        } else {
            let digit = |n: u8| char::from(if n < 10 { b'0' + n } else { b'A' + n - 10 });
            out.extend(['%', digit(b >> 4), digit(b & 15)]);
        }
    }
    ev.text(out)
}

/// `$encodeUrl(text)`
pub(super) fn encode_url(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    encode(ev, args, RESERVED)
}

/// `$encodeUrlComponent(text)`
pub(super) fn encode_url_component(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    encode(ev, args, "")
}

/// Decodes a text, except escapes of the characters in `keep`.
fn decode(ev: &mut Evaluator<'_>, args: &Args<'_>, name: &'static str, keep: &str) -> R<Val> {
    let Some(text) = args.text(0) else { return Ok(Val::Undefined) };
    ev.burn(text.len() / 2)?;
    match decoded(text, keep) {
        Some(out) => ev.text(out),
        None => Err(fault(codes::D3140).token(name).json(ev.shown(args.at(0)))),
    }
}

fn decoded(text: &str, keep: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('%') {
        out.push_str(before);
        let escaped = |at: usize| u8::from_str_radix(after.get(at..at + 2)?, 16).ok();
        let first = escaped(0)?;
        let len = match first {
            0..0x80 => 1,
            0xc0..0xe0 => 2,
            0xe0..0xf0 => 3,
            0xf0..0xf8 => 4,
            _ => return None,
        };
        let mut bytes = vec![first];
        for i in 1..len {
            if after.as_bytes().get(i * 3 - 1) != Some(&b'%') {
                return None;
            }
            bytes.push(escaped(i * 3)?);
        }
        let decoded = std::str::from_utf8(&bytes).ok()?;
        let consumed = len * 3 - 1;
        if keep.contains(decoded) {
            out.push('%');
            out.push_str(after.get(..consumed)?);
        } else {
            out.push_str(decoded);
        }
        rest = after.get(consumed..)?;
    }
    out.push_str(rest);
    Some(out)
}

/// `$decodeUrl(text)`
pub(super) fn decode_url(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    decode(ev, args, "decodeUrl", RESERVED)
}

/// `$decodeUrlComponent(text)`
pub(super) fn decode_url_component(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    decode(ev, args, "decodeUrlComponent", "")
}
