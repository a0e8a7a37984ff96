//! Widths of text from a fixed table, so that a drawing has the same bytes on every machine.
//!
//! The table holds the advance widths of the common sans-serif metrics in thousandths of an em. A page's real font
//! may be wider, so a tenth is added.

/// Advance widths of U+0020 to U+007E.
const ASCII: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556, 556, 556,
    556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778,
    722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222,
    500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];

/// Thousandths of an em.
fn advance(c: char) -> i64 {
    match c as u32 {
        code @ 0x20..=0x7e => ASCII.get(code as usize - 0x20).map_or(600, |&w| i64::from(w)),
        0..=0x1f | 0x7f..=0x9f => 600,
        // Combining marks, joiners and variation selectors stand on the character before.
        0x300..=0x36f | 0x200b..=0x200f | 0x202a..=0x202e | 0x2060..=0x2064 | 0xfe00..=0xfe0f => 0,
        0x2026 => 1000,
        // East Asian scripts and pictures fill an em.
        0x1100..=0x115f | 0x2e80..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff | 0xfe30..=0xfe6f | 0xff00..=0xff60 => 1000,
        0x1_f000.. => 1300,
        0xa0..=0x24f => 580,
        _ => 640,
    }
}

/// Width of a line in px, at a font size in px.
pub(super) fn width(text: &str, size: i32) -> i32 {
    let mille: i64 = text.chars().map(advance).sum();
    // Names are cut long before this bound; it keeps any caller's arithmetic inside an i32.
    (mille * i64::from(size) * 11).div_euclid(10_000).saturating_add(1).clamp(0, 1 << 20) as i32
}

/// The text on one line, cut with an ellipsis to at most `max` px.
pub(super) fn fit(text: &str, size: i32, max: i32) -> String {
    let line = one_line(text);
    if width(&line, size) <= max {
        return line;
    }
    let mut room = i64::from(max - width("…", size)) * 10_000 / (i64::from(size) * 11);
    let mut out = String::new();
    for c in line.chars() {
        room -= advance(c);
        if room < 0 {
            break;
        }
        out.push(c);
    }
    out.truncate(out.trim_end().len());
    out.push('…');
    out
}

/// The text cut to at most `max` characters, the last of them an ellipsis where something is missing.
pub(super) fn shorten(text: &str, max: usize) -> String {
    let line = one_line(text);
    if line.chars().nth(max).is_none() {
        return line;
    }
    let mut out: String = line.chars().take(max.saturating_sub(1)).collect();
    out.truncate(out.trim_end().len());
    out.push('…');
    out
}

/// The text on one or two lines of at most `max` px: broken after a space or a mark of punctuation, or before a
/// capital letter, nearest to the middle; what does not fit ends in an ellipsis.
pub(super) fn wrap(text: &str, size: i32, max: i32) -> Vec<String> {
    let line = one_line(text);
    let full = width(&line, size);
    if full <= max {
        return vec![line];
    }
    let mut best: Option<(i32, usize)> = None;
    let mut before = ' ';
    for (at, c) in line.char_indices() {
        let gap = matches!(before, ' ' | '-' | '_' | '.' | ':' | '/') || (before.is_lowercase() && c.is_uppercase());
        if at > 0 && gap {
            let (head, tail) = line.split_at(at);
            let longest = width(head.trim_end(), size).max(width(tail, size).min(full));
            if width(head.trim_end(), size) <= max && best.is_none_or(|(least, _)| longest < least) {
                best = Some((longest, at));
            }
        }
        before = c;
        // Further breaks only make the first line longer than it may be.
        if at > 512 {
            break;
        }
    }
    match best {
        Some((_, at)) => {
            let (head, tail) = line.split_at(at);
            vec![head.trim_end().to_string(), fit(tail, size, max)]
        }
        None => vec![fit(&line, size, max)],
    }
}

/// Runs of white space and control characters become one space; very long texts are cut, as nothing shows them whole.
pub(super) fn one_line(text: &str) -> String {
    let mut out = String::new();
    let mut gap = false;
    for c in text.chars().take(2_000) {
        if c.is_whitespace() || c.is_control() {
            gap = true;
            continue;
        }
        if gap && !out.is_empty() {
            out.push(' ');
        }
        gap = false;
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cut_texts_fit() {
        for text in [
            "Ship",
            "A very long name of a state that nobody wants to read",
            "漢字の長い名前がここにあります",
            "👍👍👍👍👍👍👍👍👍👍",
        ] {
            assert!(width(&fit(text, 13, 120), 13) <= 120, "{text}");
            assert!(wrap(text, 13, 120).iter().all(|line| width(line, 13) <= 120), "{text}");
            assert!(shorten(text, 8).chars().count() <= 8);
        }
        assert_eq!(fit("Ship", 13, 120), "Ship");
        assert_eq!(one_line(" a\n\t b\u{0} c "), "a b c");
    }

    #[test]
    fn names_break_between_words() {
        assert_eq!(wrap("NotifyCustomerAboutTheRefund", 13, 120), ["NotifyCustomer", "AboutTheRefund"]);
        assert_eq!(wrap("Notify customer about refund", 13, 120), ["Notify customer", "about refund"]);
        assert_eq!(wrap("", 13, 120), [""]);
    }
}
