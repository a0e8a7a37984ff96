//! Base64 and digests.

use super::java;
use crate::base::Value;
use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha384, Sha512};

/// Longest text, in UTF-16 units as Java counts.
const MAX_CHARS: usize = 10_000;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

pub(super) fn base64_encode(text: &Value) -> Option<Value> {
    let bytes = limited(text.as_str()?)?.as_bytes();
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word = (0..3).fold(0u32, |word, i| word << 8 | u32::from(chunk.get(i).copied().unwrap_or(0)));
        for i in 0..4 {
            let index = (word >> (18 - 6 * i) & 63) as usize;
            out.push(if i <= chunk.len() { ALPHABET.get(index).copied().map_or('=', char::from) } else { '=' });
        }
    }
    Some(Value::from(out))
}

/// As lenient as AWS (recorded): characters outside of the alphabet are skipped, padding may be missing, and what
/// follows padding is ignored. Bytes that are not UTF-8 become U+FFFD.
pub(super) fn base64_decode(text: &Value) -> Option<Value> {
    let text = limited(text.as_str()?)?;
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut word, mut bits) = (0u32, 0u32);
    for b in text.bytes().take_while(|b| *b != b'=') {
        let value = match b {
            b'A'..=b'Z' => b - b'A',
            b'a'..=b'z' => b - b'a' + 26,
            b'0'..=b'9' => b - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => continue,
        };
        word = (word << 6 | u32::from(value)) & 0xfff;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((word >> bits & 0xff) as u8);
        }
    }
    Some(Value::from(String::from_utf8_lossy(&bytes).into_owned()))
}

/// The digest in lower-case hexadecimal; data that is not a string is hashed as Java prints it (recorded).
pub(super) fn hash(data: &Value, algorithm: &Value) -> Option<Value> {
    if data.is_null() {
        return None;
    }
    let mut text = String::new();
    java::write(&mut text, data, 4 * MAX_CHARS, 0).ok()?;
    let bytes = limited(&text)?.as_bytes();
    Some(Value::from(hash_hex(bytes, algorithm.as_str()?)?))
}

/// The digest in lower-case hexadecimal; `None` for an algorithm that AWS does not have.
pub(crate) fn hash_hex(bytes: &[u8], algorithm: &str) -> Option<String> {
    Some(match algorithm {
        "MD5" => hex(&Md5::digest(bytes)),
        "SHA-1" => hex(&Sha1::digest(bytes)),
        "SHA-256" => hex(&Sha256::digest(bytes)),
        "SHA-384" => hex(&Sha384::digest(bytes)),
        "SHA-512" => hex(&Sha512::digest(bytes)),
        _ => return None,
    })
}

fn limited(text: &str) -> Option<&str> {
    // A byte count decides most texts without counting characters.
    (text.len() <= MAX_CHARS || text.encode_utf16().count() <= MAX_CHARS).then_some(text)
}

fn hex(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).unwrap_or('0');
    bytes.iter().flat_map(|b| [digit(b >> 4), digit(b & 15)]).collect()
}
