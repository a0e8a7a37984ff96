//! Upper and lower case for all of Unicode.
//!
//! The standard library's tables take 27 KB of the WebAssembly; as runs of letters at equal distances they take two.

/// The first letter, the number of letters, the step from one to the next, and the distance to the other case.
type Run = (u32, u8, u8, i32);

/// Converts a text to upper case, like JavaScript's `toUpperCase`.
///
/// ```
/// use stepglass::base::case;
/// assert_eq!(case::upper("straße, ǆ"), "STRASSE, Ǆ");
/// assert_eq!(case::lower("ΟΔΟΣ"), "οδος");
/// ```
pub fn upper(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii() { out.push(c.to_ascii_uppercase()) } else { out.extend(upper_of(c)) }
    }
    out
}

/// Converts a text to lower case, like JavaScript's `toLowerCase`. The marks that are ignored to detect a final sigma are only
/// known for European scripts.
pub fn lower(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        if c.is_ascii() {
            out.push(c.to_ascii_lowercase());
        } else if c == 'Σ' {
            let before = text.get(..at).unwrap_or_default().chars().rev().find(|c| !ignorable(*c));
            let after = text.get(at + c.len_utf8()..).unwrap_or_default().chars().find(|c| !ignorable(*c));
            let ends = before.is_some_and(cased) && !after.is_some_and(cased);
            out.push(if ends { 'ς' } else { 'σ' });
        } else {
            out.extend(lower_of(c));
        }
    }
    out
}

/// Returns the upper case of a letter: up to three letters, or the letter itself if it has none.
pub fn upper_of(c: char) -> impl Iterator<Item = char> {
    let several = if c.is_ascii() { None } else { LONGER.split(' ').find_map(|entry| entry.strip_prefix(c)) };
    let one = if several.is_some() { None } else { Some(upper_one(c)) };
    several.unwrap_or_default().chars().chain(one)
}

/// Returns the lower case of a letter: two letters for `İ`, otherwise one.
pub fn lower_of(c: char) -> impl Iterator<Item = char> {
    let (one, dot) = if c == 'İ' { ('i', Some('\u{307}')) } else { (lower_one(c), None) };
    std::iter::once(one).chain(dot)
}

fn lower_one(c: char) -> char {
    if c.is_ascii() { c.to_ascii_lowercase() } else { look_up(LOWER, c as u32, false).unwrap_or(c) }
}

fn upper_one(c: char) -> char {
    if c.is_ascii() {
        return c.to_ascii_uppercase();
    }
    look_up(UPPER, c as u32, false).or_else(|| look_up(LOWER, c as u32, true)).unwrap_or(c)
}

/// Looks up a letter in a table, or in the inverse of the table.
fn look_up(table: &[Run], c: u32, inverse: bool) -> Option<char> {
    for (first, count, step, distance) in table {
        let distance = if inverse { -distance } else { *distance };
        let first = if inverse { first.wrapping_add_signed(-distance) } else { *first };
        let from_first = c.wrapping_sub(first);
        if from_first < u32::from(*count) * u32::from(*step) && from_first.is_multiple_of(u32::from(*step)) {
            return char::from_u32(c.wrapping_add_signed(distance));
        }
    }
    None
}

fn cased(c: char) -> bool {
    !lower_of(c).eq([c]) || !upper_of(c).eq([c])
}

/// Whether a character may be between letters of a word: marks, modifiers, apostrophes.
fn ignorable(c: char) -> bool {
    matches!(c, '\'' | '.' | ':' | '^' | '`' | '¨' | '\u{ad}' | '¯' | '´' | '·' | '¸' | '\u{2b0}'..='\u{36f}' | '\u{483}'..='\u{489}'
        | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{200b}'..='\u{200f}' | '‘' | '’' | '․' | '‧'
        | '\u{20d0}'..='\u{20f0}' | '\u{fe20}'..='\u{fe2f}')
}

/// Letters with a lower case.
#[rustfmt::skip]
const LOWER: &[Run] = &[
    (0xc0, 23, 1, 32), (0xd8, 7, 1, 32), (0x100, 24, 2, 1), (0x132, 3, 2, 1), (0x139, 8, 2, 1), (0x14a, 23, 2, 1),
    (0x178, 1, 1, -121), (0x179, 3, 2, 1), (0x181, 1, 1, 210), (0x182, 2, 2, 1), (0x186, 1, 1, 206), (0x187, 1, 1, 1),
    (0x189, 2, 1, 205), (0x18b, 1, 1, 1), (0x18e, 1, 1, 79), (0x18f, 1, 1, 202), (0x190, 1, 1, 203), (0x191, 1, 1, 1),
    (0x193, 1, 1, 205), (0x194, 1, 1, 207), (0x196, 1, 1, 211), (0x197, 1, 1, 209), (0x198, 1, 1, 1), (0x19c, 1, 1, 211),
    (0x19d, 1, 1, 213), (0x19f, 1, 1, 214), (0x1a0, 3, 2, 1), (0x1a6, 1, 1, 218), (0x1a7, 1, 1, 1), (0x1a9, 1, 1, 218),
    (0x1ac, 1, 1, 1), (0x1ae, 1, 1, 218), (0x1af, 1, 1, 1), (0x1b1, 2, 1, 217), (0x1b3, 2, 2, 1), (0x1b7, 1, 1, 219),
    (0x1b8, 1, 1, 1), (0x1bc, 1, 1, 1), (0x1c4, 1, 1, 2), (0x1c5, 1, 1, 1), (0x1c7, 1, 1, 2), (0x1c8, 1, 1, 1),
    (0x1ca, 1, 1, 2), (0x1cb, 9, 2, 1), (0x1de, 9, 2, 1), (0x1f1, 1, 1, 2), (0x1f2, 2, 2, 1), (0x1f6, 1, 1, -97),
    (0x1f7, 1, 1, -56), (0x1f8, 20, 2, 1), (0x220, 1, 1, -130), (0x222, 9, 2, 1), (0x23a, 1, 1, 10795), (0x23b, 1, 1, 1),
    (0x23d, 1, 1, -163), (0x23e, 1, 1, 10792), (0x241, 1, 1, 1), (0x243, 1, 1, -195), (0x244, 1, 1, 69), (0x245, 1, 1, 71),
    (0x246, 5, 2, 1), (0x370, 2, 2, 1), (0x376, 1, 1, 1), (0x37f, 1, 1, 116), (0x386, 1, 1, 38), (0x388, 3, 1, 37),
    (0x38c, 1, 1, 64), (0x38e, 2, 1, 63), (0x391, 17, 1, 32), (0x3a3, 9, 1, 32), (0x3cf, 1, 1, 8), (0x3d8, 12, 2, 1),
    (0x3f4, 1, 1, -60), (0x3f7, 1, 1, 1), (0x3f9, 1, 1, -7), (0x3fa, 1, 1, 1), (0x3fd, 3, 1, -130), (0x400, 16, 1, 80),
    (0x410, 32, 1, 32), (0x460, 17, 2, 1), (0x48a, 27, 2, 1), (0x4c0, 1, 1, 15), (0x4c1, 7, 2, 1), (0x4d0, 48, 2, 1),
    (0x531, 38, 1, 48), (0x10a0, 38, 1, 7264), (0x10c7, 1, 1, 7264), (0x10cd, 1, 1, 7264), (0x13a0, 80, 1, 38864),
    (0x13f0, 6, 1, 8), (0x1c89, 1, 1, 1), (0x1c90, 43, 1, -3008), (0x1cbd, 3, 1, -3008), (0x1e00, 75, 2, 1),
    (0x1e9e, 1, 1, -7615), (0x1ea0, 48, 2, 1), (0x1f08, 8, 1, -8), (0x1f18, 6, 1, -8), (0x1f28, 8, 1, -8), (0x1f38, 8, 1, -8),
    (0x1f48, 6, 1, -8), (0x1f59, 4, 2, -8), (0x1f68, 8, 1, -8), (0x1f88, 8, 1, -8), (0x1f98, 8, 1, -8), (0x1fa8, 8, 1, -8),
    (0x1fb8, 2, 1, -8), (0x1fba, 2, 1, -74), (0x1fbc, 1, 1, -9), (0x1fc8, 4, 1, -86), (0x1fcc, 1, 1, -9), (0x1fd8, 2, 1, -8),
    (0x1fda, 2, 1, -100), (0x1fe8, 2, 1, -8), (0x1fea, 2, 1, -112), (0x1fec, 1, 1, -7), (0x1ff8, 2, 1, -128),
    (0x1ffa, 2, 1, -126), (0x1ffc, 1, 1, -9), (0x2126, 1, 1, -7517), (0x212a, 1, 1, -8383), (0x212b, 1, 1, -8262),
    (0x2132, 1, 1, 28), (0x2160, 16, 1, 16), (0x2183, 1, 1, 1), (0x24b6, 26, 1, 26), (0x2c00, 48, 1, 48), (0x2c60, 1, 1, 1),
    (0x2c62, 1, 1, -10743), (0x2c63, 1, 1, -3814), (0x2c64, 1, 1, -10727), (0x2c67, 3, 2, 1), (0x2c6d, 1, 1, -10780),
    (0x2c6e, 1, 1, -10749), (0x2c6f, 1, 1, -10783), (0x2c70, 1, 1, -10782), (0x2c72, 1, 1, 1), (0x2c75, 1, 1, 1),
    (0x2c7e, 2, 1, -10815), (0x2c80, 50, 2, 1), (0x2ceb, 2, 2, 1), (0x2cf2, 1, 1, 1), (0xa640, 23, 2, 1), (0xa680, 14, 2, 1),
    (0xa722, 7, 2, 1), (0xa732, 31, 2, 1), (0xa779, 2, 2, 1), (0xa77d, 1, 1, -35332), (0xa77e, 5, 2, 1), (0xa78b, 1, 1, 1),
    (0xa78d, 1, 1, -42280), (0xa790, 2, 2, 1), (0xa796, 10, 2, 1), (0xa7aa, 1, 1, -42308), (0xa7ab, 1, 1, -42319),
    (0xa7ac, 1, 1, -42315), (0xa7ad, 1, 1, -42305), (0xa7ae, 1, 1, -42308), (0xa7b0, 1, 1, -42258), (0xa7b1, 1, 1, -42282),
    (0xa7b2, 1, 1, -42261), (0xa7b3, 1, 1, 928), (0xa7b4, 8, 2, 1), (0xa7c4, 1, 1, -48), (0xa7c5, 1, 1, -42307),
    (0xa7c6, 1, 1, -35384), (0xa7c7, 2, 2, 1), (0xa7cb, 1, 1, -42343), (0xa7cc, 8, 2, 1), (0xa7dc, 1, 1, -42561),
    (0xa7f5, 1, 1, 1), (0xff21, 26, 1, 32), (0x10400, 40, 1, 40), (0x104b0, 36, 1, 40), (0x10570, 11, 1, 39),
    (0x1057c, 15, 1, 39), (0x1058c, 7, 1, 39), (0x10594, 2, 1, 39), (0x10c80, 51, 1, 64), (0x10d50, 22, 1, 32),
    (0x118a0, 32, 1, 32), (0x16e40, 32, 1, 32), (0x16ea0, 25, 1, 27), (0x1e900, 34, 1, 34),
];

/// Letters with an upper case that is not the inverse of their lower case.
#[rustfmt::skip]
const UPPER: &[Run] = &[
    (0xb5, 1, 1, 743), (0x131, 1, 1, -232), (0x17f, 1, 1, -300), (0x1c5, 1, 1, -1), (0x1c8, 1, 1, -1), (0x1cb, 1, 1, -1),
    (0x1f2, 1, 1, -1), (0x345, 1, 1, 84), (0x3c2, 1, 1, -31), (0x3d0, 1, 1, -62), (0x3d1, 1, 1, -57), (0x3d5, 1, 1, -47),
    (0x3d6, 1, 1, -54), (0x3f0, 1, 1, -86), (0x3f1, 1, 1, -80), (0x3f5, 1, 1, -96), (0x1c80, 1, 1, -6254),
    (0x1c81, 1, 1, -6253), (0x1c82, 1, 1, -6244), (0x1c83, 2, 1, -6242), (0x1c85, 1, 1, -6243), (0x1c86, 1, 1, -6236),
    (0x1c87, 1, 1, -6181), (0x1c88, 1, 1, 35266), (0x1e9b, 1, 1, -59), (0x1fbe, 1, 1, -7205),
];

/// Letters whose upper case is several letters, each followed by these.
const LONGER: &str = "ßSS ŉʼN ǰJ\u{30c} ΐΙ\u{308}\u{301} ΰΥ\u{308}\u{301} ևԵՒ ẖH\u{331} ẗT\u{308} ẘW\u{30a} ẙY\u{30a} ẚAʾ \
    ὐΥ\u{313} ὒΥ\u{313}\u{300} ὔΥ\u{313}\u{301} ὖΥ\u{313}\u{342} ᾀἈΙ ᾁἉΙ ᾂἊΙ ᾃἋΙ ᾄἌΙ ᾅἍΙ ᾆἎΙ ᾇἏΙ ᾈἈΙ \
    ᾉἉΙ ᾊἊΙ ᾋἋΙ ᾌἌΙ ᾍἍΙ ᾎἎΙ ᾏἏΙ ᾐἨΙ ᾑἩΙ ᾒἪΙ ᾓἫΙ ᾔἬΙ ᾕἭΙ ᾖἮΙ ᾗἯΙ ᾘἨΙ ᾙἩΙ ᾚἪΙ ᾛἫΙ ᾜἬΙ ᾝἭΙ ᾞἮΙ ᾟἯΙ ᾠὨΙ ᾡὩΙ \
    ᾢὪΙ ᾣὫΙ ᾤὬΙ ᾥὭΙ ᾦὮΙ ᾧὯΙ ᾨὨΙ ᾩὩΙ ᾪὪΙ ᾫὫΙ ᾬὬΙ ᾭὭΙ ᾮὮΙ ᾯὯΙ ᾲᾺΙ ᾳΑΙ ᾴΆΙ ᾶΑ\u{342} ᾷΑ\u{342}Ι ᾼΑΙ ῂῊΙ \
    ῃΗΙ ῄΉΙ ῆΗ\u{342} ῇΗ\u{342}Ι ῌΗΙ ῒΙ\u{308}\u{300} ΐΙ\u{308}\u{301} ῖΙ\u{342} ῗΙ\u{308}\u{342} \
    ῢΥ\u{308}\u{300} ΰΥ\u{308}\u{301} ῤΡ\u{313} ῦΥ\u{342} ῧΥ\u{308}\u{342} ῲῺΙ ῳΩΙ ῴΏΙ ῶΩ\u{342} \
    ῷΩ\u{342}Ι ῼΩΙ ﬀFF ﬁFI ﬂFL ﬃFFI ﬄFFL ﬅST ﬆST ﬓՄՆ ﬔՄԵ ﬕՄԻ ﬖՎՆ ﬗՄԽ";

#[cfg(test)]
mod tests {
    use super::*;

    /// The standard library has the Unicode of its version: when it gets new letters, the tables must be extended.
    #[test]
    fn every_letter_converts_like_in_the_standard_library() {
        for c in (0..=0x10ffff).filter_map(char::from_u32) {
            assert!(upper_of(c).eq(c.to_uppercase()), "{c} {:x}", c as u32);
            assert!(lower_of(c).eq(c.to_lowercase()), "{c} {:x}", c as u32);
        }
    }

    #[test]
    fn a_sigma_at_the_end_of_a_word_is_a_final_sigma() {
        for text in ["ΟΔΟΣ", "Σ", "ΑΣ ΣΑ", "ΑΣ.", "ΑΣ’", "ΑΣ’Α", "ΑΣ\u{301}", "1Σ", "ΣΣ", "aΣb", "aΣ1", "İSTANBUL", "éÀ"]
        {
            assert_eq!(lower(text), text.to_lowercase(), "{text}");
        }
    }
}
