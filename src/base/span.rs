//! Places in a text: bytes inside, line and column at the border.

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

    /// For slicing.
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
    /// Offset in UTF-16 units from the start of the text: what a JavaScript string is indexed by.
    pub offset: u32,
}

/// The byte offset of an offset in UTF-16 units; one inside a character or beyond the end is clamped.
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

/// The position of a byte offset; an offset inside a character or beyond the end is clamped.
pub fn position(text: &str, offset: usize) -> Position {
    let mut at = offset.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let before = &text[..at];
    let line_start = before.rfind('\n').map_or(0, |i| i + 1);
    let units = |s: &str| s.chars().map(|c| c.len_utf16() as u32).sum::<u32>();
    Position {
        line: before.bytes().filter(|b| *b == b'\n').count() as u32 + 1,
        column: units(&before[line_start..]) + 1,
        offset: units(before),
    }
}
