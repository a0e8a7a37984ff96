//! Base64 and digests.

use super::java;
use crate::base::base64;
use crate::base::{Value, hex};
use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha384, Sha512};

/// Maximum length of a text, in UTF-16 units, as Java counts.
const MAX_CHARS: usize = 10_000;

pub(super) fn base64_encode(text: &Value) -> Option<Value> {
    Some(Value::from(base64::encode(limited(text.as_str()?)?.as_bytes())))
}

/// Decodes Base64. Bytes that are not UTF-8 become U+FFFD, as on AWS (recorded).
pub(super) fn base64_decode(text: &Value) -> Option<Value> {
    let bytes = base64::decode(limited(text.as_str()?)?);
    Some(Value::from(String::from_utf8_lossy(&bytes).into_owned()))
}

/// Returns the digest in lower-case hexadecimal; data that is not a string is hashed as Java prints it (recorded).
pub(super) fn hash(data: &Value, algorithm: &Value) -> Option<Value> {
    if data.is_null() {
        return None;
    }
    let mut text = String::new();
    java::write(&mut text, data, 4 * MAX_CHARS, 0).ok()?;
    let bytes = limited(&text)?.as_bytes();
    Some(Value::from(hash_hex(bytes, algorithm.as_str()?)?))
}

/// Returns the digest in lower-case hexadecimal; `None` for an algorithm that AWS does not have.
pub(crate) fn hash_hex(bytes: &[u8], algorithm: &str) -> Option<String> {
    Some(match algorithm {
        "MD5" => hex::encode(&Md5::digest(bytes)),
        "SHA-1" => hex::encode(&Sha1::digest(bytes)),
        "SHA-256" => hex::encode(&Sha256::digest(bytes)),
        "SHA-384" => hex::encode(&Sha384::digest(bytes)),
        "SHA-512" => hex::encode(&Sha512::digest(bytes)),
        _ => return None,
    })
}

fn limited(text: &str) -> Option<&str> {
    // For most texts the number of bytes suffices, so that characters need not be counted.
    (text.len() <= MAX_CHARS || text.encode_utf16().count() <= MAX_CHARS).then_some(text)
}
