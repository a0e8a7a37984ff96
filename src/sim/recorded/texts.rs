//! Compares texts that are equal except for parts that vary from run to run.

/// Splits a text at the parts that vary from run to run: the given words, UUIDs, timestamps.
pub(super) fn pieces<'t>(text: &'t str, words: impl Iterator<Item = &'t str>) -> Vec<&'t str> {
    let mut parts = vec![text];
    for word in words.filter(|word| !word.is_empty()) {
        parts = parts.into_iter().flat_map(|part| part.split(word)).collect();
    }
    parts.into_iter().flat_map(split_at_marks).collect()
}

fn split_at_marks(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut from, mut at) = (0, 0);
    while let Some(rest) = text.as_bytes().get(at..).filter(|rest| !rest.is_empty()) {
        match uuid(rest).or_else(|| instant(rest)) {
            Some(length) => {
                parts.push(text.get(from..at).unwrap_or_default());
                from = at + length;
                at = from;
            }
            None => at += 1,
        }
    }
    parts.push(text.get(from..).unwrap_or_default());
    parts
}

/// The length of the UUID at the beginning of a text.
fn uuid(bytes: &[u8]) -> Option<usize> {
    follows(bytes, "hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh")
}

/// The length of the timestamp at the beginning of a text, in the format of the Context Object.
fn instant(bytes: &[u8]) -> Option<usize> {
    follows(bytes, "dddd-dd-ddTdd:dd:dd.dddZ").or_else(|| follows(bytes, "dddd-dd-ddTdd:dd:ddZ"))
}

/// The length of a pattern if the bytes begin with it: `d` is a digit, `h` a hexadecimal digit, and any other character is
/// itself.
fn follows(bytes: &[u8], pattern: &str) -> Option<usize> {
    let bytes = bytes.get(..pattern.len())?;
    let fits = pattern.bytes().zip(bytes).all(|(wanted, byte)| match wanted {
        b'd' => byte.is_ascii_digit(),
        b'h' => byte.is_ascii_hexdigit(),
        _ => wanted == *byte,
    });
    fits.then_some(pattern.len())
}

/// Whether a text consists of these parts with a non-empty text between each two.
pub(super) fn fits(text: &str, parts: &[&str]) -> bool {
    let (Some((first, rest)), Some(last)) = (parts.split_first(), parts.last()) else { return false };
    let Some(mut left) = text.strip_prefix(first) else { return false };
    for (i, part) in rest.iter().enumerate() {
        if i + 1 == rest.len() {
            return left.len() > last.len() && left.ends_with(last);
        }
        let from = left.char_indices().nth(1).map_or(left.len(), |(at, _)| at);
        match left.get(from..).and_then(|tail| tail.find(part)) {
            Some(at) => left = left.get(from + at + part.len()..).unwrap_or_default(),
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_may_differ_in_parts_that_vary_from_run_to_run() {
        let uuid = "0a1b2c3d-0000-4000-8000-123456789abc";
        let check = |replayed: &str, recorded: &str, expect: bool| {
            let parts = pieces(replayed, ["NAME", "TOKEN"].into_iter());
            assert_eq!(parts.len() > 1 && fits(recorded, &parts), expect, "{replayed} | {recorded}");
        };
        check("NAME", "anything", true);
        check("NAME", "", false);
        check("arn:x:NAME", "arn:x:prod-17", true);
        check("arn:x:NAME", "arn:y:prod-17", false);
        check(uuid, "ffffffff-0000-4000-8000-123456789abc", true);
        check(&format!("id-{uuid}!"), "id-17!", true);
        check(&format!("id-{uuid}!"), "id-17?", false);
        check("TOKEN and NAME.", "t1 and n1.", true);
        check("ä", "ö", false);
        check(r#"at "2024-01-01T00:00:00Z"."#, r#"at "2025-05-05T10:00:00.123Z"."#, true);
        check(r#"at "2024-01-01T00:00:00Z"."#, r#"on "2025-05-05T10:00:00.123Z"."#, false);
    }
}
