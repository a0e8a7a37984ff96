//! Text widths from a fixed table, so that a drawing has the same bytes on every machine.
//!
//! The table contains the advance widths of common sans-serif metrics in thousandths of an em. The bold weight of the same font
//! is wider, so a tenth is added. A page that knows its font passes its widths instead ([`TextWidths`]).

use super::TextWidths;
use crate::base::sort;

/// The advance widths of U+0020 to U+007E.
const ASCII: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556, 556, 556,
    556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778,
    722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222,
    500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];

/// The advance width in thousandths of an em.
fn advance(c: char) -> i64 {
    match c as u32 {
        code @ 0x20..=0x7e => ASCII.get(code as usize - 0x20).map_or(600, |&w| i64::from(w)),
        0..=0x1f | 0x7f..=0x9f => 600,
        // Combining marks, joiners and variation selectors are drawn on the previous character.
        0x300..=0x36f | 0x200b..=0x200f | 0x202a..=0x202e | 0x2060..=0x2064 | 0xfe00..=0xfe0f => 0,
        0x2026 => 1000,
        // East Asian scripts and pictures fill an em.
        0x1100..=0x115f | 0x2e80..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff | 0xfe30..=0xfe6f | 0xff00..=0xff60 => 1000,
        0x1_f000.. => 1300,
        0xa0..=0x24f => 580,
        _ => 640,
    }
}

/// The factor for bold text, in tenths: a tenth more than in the table.
const BOLD: i64 = 11;
const REGULAR: i64 = 10;

/// The widths of texts of one weight.
#[derive(Default)]
pub(super) struct Face {
    /// The characters with a given width, in thousandths of an em; sorted.
    given: Vec<(char, u16)>,
    bold: bool,
}

impl Face {
    /// Returns the face of names, and that of all other texts.
    pub(super) fn both(given: Option<&TextWidths>) -> [Face; 2] {
        let face = |bold: bool| {
            let widths = given.map(|given| (&given.chars, if bold { &given.name } else { &given.text }));
            let mut given: Vec<(char, u16)> =
                widths.into_iter().flat_map(|(chars, widths)| chars.chars().zip(widths.iter().copied())).collect();
            sort::sort(&mut given);
            Face { given, bold }
        };
        [face(true), face(false)]
    }

    /// Returns a width in ten-thousandths of an em. If it is not given, it is the width from the table, multiplied by `tenths`.
    fn advance(&self, c: char, tenths: i64) -> i64 {
        match self.given.binary_search_by(|(other, _)| other.cmp(&c)) {
            Ok(at) => self.given.get(at).map_or(0, |&(_, width)| i64::from(width) * 10),
            Err(_) => advance(c) * tenths,
        }
    }

    fn sum(&self, text: &str, size: i32, tenths: i64) -> i32 {
        let sum: i64 = text.chars().map(|c| self.advance(c, tenths)).sum();
        // Names are cut long before this limit, which keeps the arithmetic of callers within an i32.
        (sum * i64::from(size)).div_euclid(10_000).clamp(0, 1 << 20) as i32
    }

    /// The width to reserve for a line, in px, at a font size in px.
    pub(super) fn width(&self, text: &str, size: i32) -> i32 {
        self.sum(text, size, BOLD) + 1
    }

    /// The intended length of a line, if it is known, to which the text is stretched or compressed in any font.
    pub(super) fn length(&self, text: &str, size: i32) -> Option<i32> {
        let known = |c: char| {
            matches!(c as u32, 0x20..=0x24f | 0x2026 | 0x3000..=0xd7a3 | 0xf900..=0xfaff | 0xff00..=0xff60)
                || self.given.binary_search_by(|(other, _)| other.cmp(&c)).is_ok()
        };
        let length = self.sum(text, size, if self.bold { BOLD } else { REGULAR });
        (length > 0 && text.chars().all(known)).then_some(length)
    }

    /// Returns the text on one line, cut with an ellipsis to at most `max` px.
    pub(super) fn fit(&self, text: &str, size: i32, max: i32) -> String {
        let line = one_line(text);
        if self.width(&line, size) <= max {
            return line;
        }
        let mut room = i64::from(max - self.width("…", size)) * 10_000 / i64::from(size);
        let mut out = String::new();
        for c in line.chars() {
            room -= self.advance(c, BOLD);
            if room < 0 {
                break;
            }
            out.push(c);
        }
        out.truncate(out.trim_end().len());
        out.push('…');
        out
    }

    /// Returns the text on one or two lines of at most `max` px. It is broken after a space or a punctuation mark, or before a
    /// capital letter, nearest to the middle; if it does not fit, it ends with an ellipsis.
    pub(super) fn wrap(&self, text: &str, size: i32, max: i32) -> Vec<String> {
        let line = one_line(text);
        let full = self.width(&line, size);
        if full <= max {
            return vec![line];
        }
        let mut best: Option<(i32, usize)> = None;
        let mut before = ' ';
        for (at, c) in line.char_indices() {
            let gap = matches!(before, ' ' | '-' | '_' | '.' | ':' | '/') || (before.is_lowercase() && c.is_uppercase());
            if at > 0 && gap {
                let (head, tail) = line.split_at(at);
                let longest = self.width(head.trim_end(), size).max(self.width(tail, size).min(full));
                if self.width(head.trim_end(), size) <= max && best.is_none_or(|(least, _)| longest < least) {
                    best = Some((longest, at));
                }
            }
            before = c;
            // Later breaks only make the first line longer than permitted.
            if at > 512 {
                break;
            }
        }
        match best {
            Some((_, at)) => {
                let (head, tail) = line.split_at(at);
                vec![head.trim_end().to_string(), self.fit(tail, size, max)]
            }
            None => vec![self.fit(&line, size, max)],
        }
    }
}

/// Returns the text cut to at most `max` characters; the last one is an ellipsis if something is missing.
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

/// Replaces runs of white space and control characters by one space, and cuts very long texts, because nothing shows them
/// completely.
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
        let [face, _] = Face::both(None);
        for text in [
            "Ship",
            "A very long name of a state that nobody wants to read",
            "漢字の長い名前がここにあります",
            "👍👍👍👍👍👍👍👍👍👍",
        ] {
            assert!(face.width(&face.fit(text, 13, 120), 13) <= 120, "{text}");
            assert!(face.wrap(text, 13, 120).iter().all(|line| face.width(line, 13) <= 120), "{text}");
            assert!(shorten(text, 8).chars().count() <= 8);
        }
        assert_eq!(face.fit("Ship", 13, 120), "Ship");
        assert_eq!(one_line(" a\n\t b\u{0} c "), "a b c");
    }

    #[test]
    fn names_break_between_words() {
        let [face, _] = Face::both(None);
        assert_eq!(face.wrap("NotifyCustomerAboutTheRefund", 13, 120), ["NotifyCustomer", "AboutTheRefund"]);
        assert_eq!(face.wrap("Notify customer about refund", 13, 120), ["Notify customer", "about refund"]);
        assert_eq!(face.wrap("", 13, 120), [""]);
    }

    #[test]
    fn given_widths_are_used() {
        let given = TextWidths { chars: "iW…Ж".into(), name: vec![1000, 2000, 500, 900], text: vec![300, 950] };
        let [name, text] = Face::both(Some(&given));
        assert_eq!(name.width("iiWЖ", 10), 49 + 1);
        assert_eq!(text.width("iW", 100), 125 + 1);
        assert_eq!(name.fit("WWWWWWWW", 10, 66), "WWW…");
        // A character without a given width has that of the table; a text with an unknown width is not stretched.
        assert_eq!(text.width("a", 1000), Face::both(None)[1].width("a", 1000));
        assert_eq!(name.length("Ж", 100), Some(90));
        assert_eq!(text.length("Ж", 100), None);
    }
}
