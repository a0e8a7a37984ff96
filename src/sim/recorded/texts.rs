//! Texts that are the same but for what differs from run to run.

/// The parts of a text between what differs from run to run: the given words and UUIDs.
pub(super) fn pieces<'t>(text: &'t str, words: impl Iterator<Item = &'t str>) -> Vec<&'t str> {
    let mut parts = vec![text];
    for word in words.filter(|word| !word.is_empty()) {
        parts = parts.into_iter().flat_map(|part| part.split(word)).collect();
    }
    parts.into_iter().flat_map(split_at_uuids).collect()
}

fn split_at_uuids(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut from = 0;
    let mut at = 0;
    while let Some(window) = text.as_bytes().get(at..at + 36) {
        if is_uuid(window) {
            parts.push(text.get(from..at).unwrap_or_default());
            from = at + 36;
            at = from;
        } else {
            at += 1;
        }
    }
    parts.push(text.get(from..).unwrap_or_default());
    parts
}

fn is_uuid(bytes: &[u8]) -> bool {
    bytes.iter().enumerate().all(|(i, b)| if matches!(i, 8 | 13 | 18 | 23) { *b == b'-' } else { b.is_ascii_hexdigit() })
}

/// Whether a text consists of these parts with anything but nothing between them.
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
    fn texts_may_differ_in_what_differs_from_run_to_run() {
        let uuid = "0a1b2c3d-0000-4000-8000-123456789abc";
        let check = |ours: &str, theirs: &str, expect: bool| {
            let parts = pieces(ours, ["NAME", "TOKEN"].into_iter());
            assert_eq!(parts.len() > 1 && fits(theirs, &parts), expect, "{ours} | {theirs}");
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
    }
}
