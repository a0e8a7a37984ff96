//! Base64 (RFC 4648), for the intrinsic functions, those of JSONata, and task tokens.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Encodes bytes, with padding.
pub fn encode(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word = (0..3).fold(0u32, |word, i| word << 8 | u32::from(chunk.get(i).copied().unwrap_or(0)));
        for i in 0..4 {
            let index = (word >> (18 - 6 * i) & 63) as usize;
            out.push(if i <= chunk.len() { ALPHABET.get(index).copied().map_or('=', char::from) } else { '=' });
        }
    }
    out
}

/// Encodes bytes in the alphabet for URLs, without padding.
pub fn encode_url(bytes: &[u8]) -> String {
    let plain = encode(bytes);
    let safe = |c| match c {
        '+' => '-',
        '/' => '_',
        other => other,
    };
    plain.chars().take_while(|c| *c != '=').map(safe).collect()
}

/// Decodes a text as leniently as AWS (recorded) and `jsonata-js`: characters that are in neither alphabet are skipped, padding
/// may be missing, and everything after padding is ignored.
pub fn decode(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut word, mut bits) = (0u32, 0u32);
    for b in text.bytes().take_while(|b| *b != b'=') {
        let digit = match b {
            b'A'..=b'Z' => b - b'A',
            b'a'..=b'z' => b - b'a' + 26,
            b'0'..=b'9' => b - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => continue,
        };
        word = (word << 6 | u32::from(digit)) & 0xfff;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((word >> bits & 0xff) as u8);
        }
    }
    bytes
}
