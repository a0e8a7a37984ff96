//! Positions in a text: bytes internally, line and column at the interface.

/// A half-open range of byte offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// The range `start..end`.
    pub fn new(start: usize, end: usize) -> Span {
        Span { start, end }
    }

    /// The range, for slicing.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start..self.end
    }
}

/// A position as editors show it; both numbers start at 1, the column counts UTF-16 units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Column in UTF-16 units, from 1.
    pub column: u32,
    /// The offset in UTF-16 units from the start of the text, which is the index of a JavaScript string.
    pub offset: u32,
}

/// Converts an offset in UTF-16 units to a byte offset. An offset inside of a character or beyond the end is clamped.
///
/// ```
/// use stepglass::base::span::byte_offset;
/// assert_eq!(byte_offset("aé😀b", 2), 3);
/// assert_eq!(byte_offset("aé😀b", 4), 7);
/// ```
pub fn byte_offset(text: &str, units: usize) -> usize {
    let mut left = units;
    for (at, c) in text.char_indices() {
        if left < c.len_utf16() {
            return at;
        }
        left -= c.len_utf16();
    }
    text.len()
}

/// The positions of many offsets of one text. Each lookup takes constant time after one pass over the text.
///
/// ```
/// use stepglass::base::span::{Positions, position};
/// let text = "a\né😀b";
/// assert_eq!(Positions::of(text).at(8), position(text, 8));
/// ```
pub struct Positions<'a> {
    text: &'a str,
    /// The counts before each [`STRIDE`]th byte.
    marks: Vec<Mark>,
}

const STRIDE: usize = 256;

#[derive(Clone, Copy, Default)]
struct Mark {
    units: u32,
    /// The number of line ends.
    lines: u32,
    /// The number of units before the line.
    line_start: u32,
}

impl Mark {
    fn pass(&mut self, bytes: &[u8]) {
        for byte in bytes {
            // The first byte of a character counts once, or twice in a character of four bytes.
            self.units += u32::from(byte & 0xc0 != 0x80) + u32::from(*byte >= 0xf0);
            if *byte == b'\n' {
                self.lines += 1;
                self.line_start = self.units;
            }
        }
    }
}

impl<'a> Positions<'a> {
    /// Scans the text.
    pub fn of(text: &'a str) -> Positions<'a> {
        let mut mark = Mark::default();
        let marks = text.as_bytes().chunks(STRIDE).map(|chunk| {
            let before = mark;
            mark.pass(chunk);
            before
        });
        Positions { text, marks: marks.collect() }
    }

    /// The position of a byte offset, clamped like in [`position`].
    pub fn at(&self, offset: usize) -> Position {
        let mut at = offset.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        let stride = (at / STRIDE).min(self.marks.len().saturating_sub(1));
        let mut mark = self.marks.get(stride).copied().unwrap_or_default();
        mark.pass(self.text.as_bytes().get(stride * STRIDE..at).unwrap_or_default());
        Position { line: mark.lines + 1, column: mark.units - mark.line_start + 1, offset: mark.units }
    }
}

/// Counts the UTF-16 units of UTF-8: one for the first byte of each character, and one more if the character has four bytes.
pub fn utf16_len(utf8: &[u8]) -> usize {
    if utf8.is_ascii() {
        return utf8.len();
    }
    utf8.iter().map(|byte| usize::from(*byte & 0xc0 != 0x80) + usize::from(*byte >= 0xf0)).sum()
}

/// Returns the position of a byte offset. An offset inside of a character or beyond the end is clamped.
pub fn position(text: &str, offset: usize) -> Position {
    let mut at = offset.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let before = &text[..at];
    let line_start = before.rfind('\n').map_or(0, |i| i + 1);
    let units = |s: &str| utf16_len(s.as_bytes()) as u32;
    Position {
        line: before.bytes().filter(|b| *b == b'\n').count() as u32 + 1,
        column: units(&before[line_start..]) + 1,
        offset: units(before),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_of_many_offsets_equal_single_lookups() {
        let line = "one é two 😀 three 漢字\n\n";
        for text in [String::new(), "a".into(), line.into(), line.repeat(40), line.replace('\n', " ").repeat(40)] {
            let positions = Positions::of(&text);
            for offset in 0..=text.len() + 2 {
                assert_eq!(positions.at(offset), position(&text, offset), "{offset}");
            }
        }
    }
}
