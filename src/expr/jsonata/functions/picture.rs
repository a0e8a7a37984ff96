//! `$formatInteger` and `$parseInteger`: integers as digits, letters, Roman numerals and words.

use super::Args;
use crate::base::{case, decimal, sort};
use crate::expr::jsonata::codes;
use crate::expr::jsonata::error::{Thrown, fault};
use crate::expr::jsonata::eval::{Evaluator, R};
use crate::expr::jsonata::number;
use crate::expr::jsonata::value::Val;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Case {
    Upper,
    Lower,
    Title,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Primary {
    Decimal,
    Letters,
    Roman,
    Words,
    /// Any other sequence, which no implementation supports.
    Sequence,
}

/// A parsed picture of an integer.
#[derive(Clone, Debug)]
pub(super) struct Format {
    pub primary: Primary,
    pub case: Case,
    pub ordinal: bool,
    /// The zero of its family of digits.
    zero: u32,
    pub mandatory: usize,
    pub optional: usize,
    /// The separators: the number of digits to the right, and the character.
    separators: Vec<(usize, char)>,
    /// The distance if all separators are the same character at equal distances.
    pub regular: Option<(usize, char)>,
    /// The picture, for messages.
    token: String,
    /// The number of digits of a date component, if another component follows immediately.
    pub width: Option<usize>,
}

/// The zeros of the families of decimal digits.
const ZEROS: [u32; 37] = [
    0x30, 0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xe50, 0xed0, 0xf20, 0x1040,
    0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40, 0x1c50, 0xa620, 0xa8d0, 0xa900, 0xa9d0, 0xa9f0,
    0xaa50, 0xabf0, 0xff10,
];

/// The distance of positions that are all multiples of one number, without a gap; otherwise 0.
pub(super) fn regular(positions: &[usize]) -> usize {
    fn gcd(a: usize, b: usize) -> usize {
        if b == 0 { a } else { gcd(b, a % b) }
    }
    let factor = positions.iter().copied().reduce(gcd).unwrap_or(0);
    if (1..=positions.len()).all(|i| positions.contains(&(i * factor))) { factor } else { 0 }
}

/// Parses a picture.
///
/// Errors: `D3131` for digits of different families.
pub(super) fn analyse(picture: &str) -> Result<Format, Thrown> {
    let (main, modifier) = picture.rsplit_once(';').unwrap_or((picture, ""));
    let mut format = Format {
        primary: Primary::Decimal,
        case: Case::Lower,
        ordinal: modifier.starts_with('o'),
        zero: 0x30,
        mandatory: 0,
        optional: 0,
        separators: Vec::new(),
        regular: None,
        token: main.to_string(),
        width: None,
    };
    (format.primary, format.case) = match main {
        "A" => (Primary::Letters, Case::Upper),
        "a" => (Primary::Letters, Case::Lower),
        "I" => (Primary::Roman, Case::Upper),
        "i" => (Primary::Roman, Case::Lower),
        "W" => (Primary::Words, Case::Upper),
        "Ww" => (Primary::Words, Case::Title),
        "w" => (Primary::Words, Case::Lower),
        _ => (Primary::Decimal, Case::Lower),
    };
    if format.primary != Primary::Decimal {
        return Ok(format);
    }
    let mut zero = None;
    let mut position = 0;
    for c in main.chars().rev() {
        let code = c as u32;
        if let Some(family) = ZEROS.iter().find(|z| (**z..**z + 10).contains(&code)) {
            format.mandatory += 1;
            position += 1;
            if zero.is_some_and(|zero| zero != *family) {
                return Err(fault(codes::D3131));
            }
            zero = Some(*family);
        } else if c == '#' {
            format.optional += 1;
            position += 1;
        } else {
            format.separators.push((position, c));
        }
    }
    if format.mandatory == 0 {
        format.primary = Primary::Sequence;
        return Ok(format);
    }
    format.zero = zero.unwrap_or(0x30);
    if let Some((_, first)) = format.separators.first().copied()
        && format.separators.iter().all(|(_, c)| *c == first)
    {
        let positions: Vec<usize> = format.separators.iter().map(|(p, _)| *p).collect();
        let factor = regular(&positions);
        format.regular = (factor > 0).then_some((factor, first));
    }
    Ok(format)
}

impl Format {
    /// Formats a whole number.
    ///
    /// Errors: `D3130` for an unknown sequence.
    pub(super) fn write(&self, value: f64) -> Result<String, Thrown> {
        let magnitude = value.abs();
        let text = match self.primary {
            Primary::Letters => letters(magnitude, if self.case == Case::Upper { b'A' } else { b'a' }),
            Primary::Roman => {
                let roman = roman(magnitude)?;
                if self.case == Case::Upper { roman.to_ascii_uppercase() } else { roman }
            }
            Primary::Words => {
                let words = words(magnitude, self.ordinal);
                match self.case {
                    Case::Upper => words.to_ascii_uppercase(),
                    Case::Lower => words.to_ascii_lowercase(),
                    Case::Title => words,
                }
            }
            Primary::Decimal => self.decimal(magnitude),
            Primary::Sequence => return Err(fault(codes::D3130).text(&self.token)),
        };
        Ok(if value < 0.0 { format!("-{text}") } else { text })
    }

    fn decimal(&self, magnitude: f64) -> String {
        let mut digits: Vec<char> = number::to_text(magnitude).chars().collect();
        let missing = self.mandatory.saturating_sub(digits.len());
        digits.splice(0..0, std::iter::repeat_n('0', missing));
        let last = digits.last().copied();
        let teens = digits.len() > 1 && digits.get(digits.len() - 2) == Some(&'1');
        let count = digits.len();
        let mut out = String::new();
        for (i, c) in digits.into_iter().enumerate() {
            let right = count - i;
            match self.regular {
                Some((distance, separator)) if i > 0 && right.is_multiple_of(distance) => out.push(separator),
                Some(_) => {}
                None => out.extend(self.separators.iter().rev().filter(|(p, _)| *p == right).map(|(_, c)| *c)),
            }
            out.push(char::from_u32((c as u32).wrapping_add(self.zero).wrapping_sub(0x30)).unwrap_or(c));
        }
        if self.regular.is_none() {
            out.extend(self.separators.iter().rev().filter(|(p, _)| *p == 0).map(|(_, c)| *c));
        }
        if self.ordinal {
            out.push_str(match last {
                _ if teens => "th",
                Some('1') => "st",
                Some('2') => "nd",
                Some('3') => "rd",
                _ => "th",
            });
        }
        out
    }

    /// Returns the regular expression that finds such an integer in a text.
    pub(super) fn pattern(&self) -> Result<String, Thrown> {
        let upper = self.case == Case::Upper;
        Ok(match self.primary {
            Primary::Letters => if upper { "[A-Z]+" } else { "[a-z]+" }.to_string(),
            Primary::Roman => if upper { "[MDCLXVI]+" } else { "[mdclxvi]+" }.to_string(),
            Primary::Words => {
                let mut known: Vec<String> = WORDS.iter().map(|(word, _)| word.to_string()).collect();
                // The longest come first, because otherwise "six" would match in "sixteenth".
                sort::by_key(&mut known, |word| std::cmp::Reverse(word.len()));
                format!("(?:{}|and|[\\-, ])+", known.join("|"))
            }
            Primary::Decimal => {
                let count = match self.width {
                    Some(n) if n > 0 => format!("{{{n}}}"),
                    _ => "+".to_string(),
                };
                format!("[0-9]{count}{}", if self.ordinal { "(?:th|st|nd|rd)" } else { "" })
            }
            Primary::Sequence => return Err(fault(codes::D3130).text(&self.token)),
        })
    }

    /// Parses an integer; NaN if the text is not one.
    ///
    /// Errors: `D3130` for an unknown sequence.
    pub(super) fn read(&self, text: &str) -> Result<f64, Thrown> {
        Ok(match self.primary {
            Primary::Letters => {
                let first = if self.case == Case::Upper { 'A' } else { 'a' } as i64;
                text.chars().fold(0.0, |n, c| n * 26.0 + (c as i64 - first + 1) as f64)
            }
            Primary::Roman => read_roman(text),
            Primary::Words => read_words(&case::lower(text)),
            Primary::Decimal => {
                let text = if self.ordinal { text.get(..text.len().saturating_sub(2)).unwrap_or("") } else { text };
                let separator = |c: char| match self.regular {
                    Some(_) => c == ',',
                    None => self.separators.iter().any(|(_, s)| *s == c),
                };
                let digits: String = text
                    .chars()
                    .filter(|c| !separator(*c))
                    .map(|c| char::from_u32((c as u32).wrapping_sub(self.zero).wrapping_add(0x30)).unwrap_or(c))
                    .collect();
                read_int(&digits)
            }
            Primary::Sequence => return Err(fault(codes::D3130).text(&self.token)),
        })
    }
}

/// Implements `parseInt`: the digits at the beginning; NaN if there are none.
pub(super) fn read_int(text: &str) -> f64 {
    let text = text.trim_start();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    let end = digits.bytes().take_while(u8::is_ascii_digit).count();
    digits.get(..end).and_then(decimal::parse).map_or(f64::NAN, |n| sign * n)
}

fn letters(value: f64, first: u8) -> String {
    let mut out = Vec::new();
    let mut rest = value;
    while rest > 0.0 {
        out.push(char::from(first + ((rest - 1.0) % 26.0) as u8));
        rest = ((rest - 1.0) / 26.0).floor();
    }
    out.iter().rev().collect()
}

const ROMAN: [(f64, &str); 13] = [
    (1000.0, "m"),
    (900.0, "cm"),
    (500.0, "d"),
    (400.0, "cd"),
    (100.0, "c"),
    (90.0, "xc"),
    (50.0, "l"),
    (40.0, "xl"),
    (10.0, "x"),
    (9.0, "ix"),
    (5.0, "v"),
    (4.0, "iv"),
    (1.0, "i"),
];

fn roman(value: f64) -> Result<String, Thrown> {
    // There is one letter for every thousand, so large numbers would take too long.
    if value > 10_000_000.0 {
        return Err(fault(codes::D1015));
    }
    let mut out = String::new();
    let mut rest = value;
    for (worth, text) in ROMAN {
        while rest >= worth {
            out.push_str(text);
            rest -= worth;
        }
    }
    Ok(out)
}

fn read_roman(text: &str) -> f64 {
    let (mut sum, mut most) = (0.0, 1.0);
    for c in text.chars().rev() {
        let worth = match c.to_ascii_uppercase() {
            'M' => 1000.0,
            'D' => 500.0,
            'C' => 100.0,
            'L' => 50.0,
            'X' => 10.0,
            'V' => 5.0,
            'I' => 1.0,
            _ => return f64::NAN,
        };
        if worth < most {
            sum -= worth;
        } else {
            most = worth;
            sum += worth;
        }
    }
    sum
}

const FEW: [&str; 20] = [
    "Zero",
    "One",
    "Two",
    "Three",
    "Four",
    "Five",
    "Six",
    "Seven",
    "Eight",
    "Nine",
    "Ten",
    "Eleven",
    "Twelve",
    "Thirteen",
    "Fourteen",
    "Fifteen",
    "Sixteen",
    "Seventeen",
    "Eighteen",
    "Nineteen",
];
const ORDINALS: [&str; 20] = [
    "Zeroth",
    "First",
    "Second",
    "Third",
    "Fourth",
    "Fifth",
    "Sixth",
    "Seventh",
    "Eighth",
    "Ninth",
    "Tenth",
    "Eleventh",
    "Twelfth",
    "Thirteenth",
    "Fourteenth",
    "Fifteenth",
    "Sixteenth",
    "Seventeenth",
    "Eighteenth",
    "Nineteenth",
];
const DECADES: [&str; 8] = ["Twenty", "Thirty", "Forty", "Fifty", "Sixty", "Seventy", "Eighty", "Ninety"];
const MAGNITUDES: [(&str, f64); 4] = [("Thousand", 1e3), ("Million", 1e6), ("Billion", 1e9), ("Trillion", 1e12)];

fn words(value: f64, ordinal: bool) -> String {
    let mut out = String::new();
    spell(&mut out, value, false, ordinal, 0);
    out
}

/// Writes a number in words. `joined` says that other words precede it.
fn spell(out: &mut String, value: f64, joined: bool, ordinal: bool, depth: u32) {
    let small = |words: &'static [&'static str], i: f64| words.get(i as usize).copied().unwrap_or("");
    if value < 100.0 {
        if joined {
            out.push_str(" and ");
        }
        if value < 20.0 {
            out.push_str(small(if ordinal { &ORDINALS } else { &FEW }, value));
            return;
        }
        out.push_str(small(&DECADES, (value / 10.0).floor() - 2.0));
        let rest = value % 10.0;
        if rest > 0.0 {
            out.push('-');
            spell(out, rest, false, ordinal, depth + 1);
        } else if ordinal {
            out.pop();
            out.push_str("ieth");
        }
        return;
    }
    if joined {
        out.push_str(", ");
    }
    let rest = if value < 1000.0 {
        out.push_str(small(&FEW, (value / 100.0).floor()));
        out.push_str(" Hundred");
        value % 100.0
    } else {
        let magnitude = MAGNITUDES.iter().rev().find(|(_, worth)| value >= *worth);
        let (name, worth) = magnitude.copied().unwrap_or(("Thousand", 1e3));
        let count = (value / worth).floor();
        // Words for larger numbers make no sense, and their length must be bounded.
        if depth > 40 || !count.is_finite() {
            return;
        }
        spell(out, count, false, false, depth + 1);
        out.push(' ');
        out.push_str(name);
        value - count * worth
    };
    if rest > 0.0 {
        spell(out, rest, true, ordinal, depth + 1);
    } else if ordinal {
        out.push_str("th");
    }
}

/// The words for numbers and their values, for parsing.
const WORDS: [(&str, f64); 66] = [
    ("zero", 0.0),
    ("one", 1.0),
    ("two", 2.0),
    ("three", 3.0),
    ("four", 4.0),
    ("five", 5.0),
    ("six", 6.0),
    ("seven", 7.0),
    ("eight", 8.0),
    ("nine", 9.0),
    ("ten", 10.0),
    ("eleven", 11.0),
    ("twelve", 12.0),
    ("thirteen", 13.0),
    ("fourteen", 14.0),
    ("fifteen", 15.0),
    ("sixteen", 16.0),
    ("seventeen", 17.0),
    ("eighteen", 18.0),
    ("nineteen", 19.0),
    ("zeroth", 0.0),
    ("first", 1.0),
    ("second", 2.0),
    ("third", 3.0),
    ("fourth", 4.0),
    ("fifth", 5.0),
    ("sixth", 6.0),
    ("seventh", 7.0),
    ("eighth", 8.0),
    ("ninth", 9.0),
    ("tenth", 10.0),
    ("eleventh", 11.0),
    ("twelfth", 12.0),
    ("thirteenth", 13.0),
    ("fourteenth", 14.0),
    ("fifteenth", 15.0),
    ("sixteenth", 16.0),
    ("seventeenth", 17.0),
    ("eighteenth", 18.0),
    ("nineteenth", 19.0),
    ("twenty", 20.0),
    ("thirty", 30.0),
    ("forty", 40.0),
    ("fifty", 50.0),
    ("sixty", 60.0),
    ("seventy", 70.0),
    ("eighty", 80.0),
    ("ninety", 90.0),
    ("twentieth", 20.0),
    ("thirtieth", 30.0),
    ("fortieth", 40.0),
    ("fiftieth", 50.0),
    ("sixtieth", 60.0),
    ("seventieth", 70.0),
    ("eightieth", 80.0),
    ("ninetieth", 90.0),
    ("hundred", 100.0),
    ("hundredth", 100.0),
    ("thousand", 1e3),
    ("thousandth", 1e3),
    ("million", 1e6),
    ("millionth", 1e6),
    ("billion", 1e9),
    ("billionth", 1e9),
    ("trillion", 1e12),
    ("trillionth", 1e12),
];

fn read_words(text: &str) -> f64 {
    let text = text.replace(", ", " ").replace(" and ", " ");
    let mut segments: Vec<f64> = vec![0.0];
    for word in text.split([' ', '-', '\\', '\n', '\t']) {
        let Some((_, value)) = WORDS.iter().find(|(known, _)| *known == word) else { return f64::NAN };
        let mut top = segments.pop().unwrap_or(0.0);
        if *value < 100.0 {
            if top >= 1000.0 {
                segments.push(top);
                top = 0.0;
            }
            segments.push(top + value);
        } else {
            segments.push(top * value);
        }
    }
    segments.iter().sum()
}

/// `$formatInteger(number, picture)`
pub(super) fn format_integer(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    let Some(value) = args.number(0) else { return Ok(Val::Undefined) };
    let picture = args.text(1).unwrap_or("undefined");
    ev.burn(50 + picture.len())?;
    let text = analyse(picture)?.write(value.floor())?;
    ev.text(text)
}

/// `$parseInteger(text, picture)`
pub(super) fn parse_integer(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    let Some(text) = args.text(0) else { return Ok(Val::Undefined) };
    let picture = args.text(1).unwrap_or("undefined");
    ev.burn(25 + text.len() + picture.len())?;
    Ok(Val::num(analyse(picture)?.read(text)?))
}
