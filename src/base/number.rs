//! JSON numbers: an integer of up to 27 digits remains an integer, any other number is a double.

use super::decimal;
use std::cmp::Ordering;
use std::fmt;

const TWO_63: f64 = 9_223_372_036_854_775_808.0;

/// A JSON number: `Int` or `Wide` if the token has no fraction and no exponent and fits, otherwise a finite `Float`.
///
/// Equality and order are mathematical: `1 == 1.0 == 1e0`.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::exhaustive_enums, reason = "code that reads a number must handle all of them")]
pub enum Number {
    /// An integer written without fraction or exponent.
    Int(i64),
    /// A larger integer of up to 27 digits: AWS passes on such numbers unchanged, and computations use a double. The fields fit
    /// into the size of the other variants.
    Wide {
        /// All digits except the last 18, with the sign; never 0.
        high: i32,
        /// The last 18 digits.
        low: u64,
    },
    /// Any other number. It is never NaN or infinite, because only [`Number::from_f64`] creates it.
    Float(f64),
}

/// The number of digits of the lower part of a wide integer.
const LOW: usize = 18;

impl Number {
    /// Converts a double; `None` for NaN and the infinities, which JSON cannot represent.
    pub fn from_f64(value: f64) -> Option<Number> {
        value.is_finite().then_some(Number::Float(value))
    }

    /// Converts a double, to an integer if it is exactly one; `None` for NaN and the infinities.
    pub fn from_f64_integral(value: f64) -> Option<Number> {
        if !value.is_finite() {
            return None;
        }
        if value.fract() == 0.0 && value.abs() <= 9_007_199_254_740_992.0 {
            return Some(Number::Int(value as i64));
        }
        Some(Number::Float(value))
    }

    /// Parses an integer with its sign that does not fit in 64 bits; `None` if it is too long for `Wide` as well.
    pub(super) fn wide(token: &str) -> Option<Number> {
        let (high, low) = token.split_at_checked(token.len().checked_sub(LOW)?)?;
        let part = |digits: &str| digits.parse::<i64>().ok();
        Some(Number::Wide { high: part(high)?.try_into().ok()?, low: part(low)?.unsigned_abs() })
    }

    /// The nearest double.
    pub fn as_f64(self) -> f64 {
        match self {
            Number::Int(i) => i as f64,
            Number::Wide { .. } => decimal::parse(&self.to_string()).unwrap_or_default(),
            Number::Float(f) => f,
        }
    }

    /// The exact integer value, also of `3.0`; `None` if there is a fraction or it does not fit.
    pub fn as_i64(self) -> Option<i64> {
        match self {
            Number::Int(i) => Some(i),
            // 2^63 itself is the first double that does not fit.
            Number::Float(f) if f.fract() == 0.0 && (-TWO_63..TWO_63).contains(&f) => Some(f as i64),
            Number::Wide { .. } | Number::Float(_) => None,
        }
    }
}

impl Number {
    /// Appends the text of the number, which is that of `Display`.
    pub fn write(self, out: &mut String) {
        match self {
            Number::Int(i) => write_int(out, i),
            Number::Wide { high, low } => out.push_str(&format!("{high}{low:018}")),
            Number::Float(x) => out.push_str(&decimal::text(x)),
        }
    }
}

/// The power of ten by which `write_int` splits a number: it writes eight digits at a time.
const PART: u64 = 100_000_000;

/// Writes an integer in decimal digits. It is fast, because each event of a history has several.
pub fn write_int(out: &mut String, int: i64) {
    if int < 0 {
        out.push('-');
    }
    let mut rest = int.unsigned_abs();
    // Most numbers are small.
    if rest < 10 {
        return out.push(char::from(b'0' + rest as u8));
    }
    let mut digits = [b'0'; 20];
    let mut first = digits.len();
    // It writes eight digits at a time, which fit in 32 bits: WebAssembly divides 64 bits slowly.
    while rest >= PART {
        let part = (rest % PART) as u32;
        rest /= PART;
        put(&mut digits, first, part);
        first -= 8;
    }
    first = put(&mut digits, first, rest as u32);
    // Invariant: digits are ASCII.
    out.push_str(digits.get(first..).and_then(|digits| str::from_utf8(digits).ok()).unwrap_or_default());
}

/// Writes the digits of a number before `end`; returns the index of the first one.
fn put(digits: &mut [u8; 20], end: usize, mut rest: u32) -> usize {
    let mut first = end;
    for (place, digit) in digits.iter_mut().enumerate().take(end).rev() {
        *digit = b'0' + (rest % 10) as u8;
        rest /= 10;
        first = place;
        if rest == 0 {
            break;
        }
    }
    first
}

impl PartialEq for Number {
    fn eq(&self, other: &Number) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Number {}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Number) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Number) -> Ordering {
        match (self, other) {
            (Number::Int(a), Number::Int(b)) => a.cmp(b),
            (Number::Wide { high: a, low }, Number::Wide { high: b, low: other }) => {
                a.cmp(b).then(if *a < 0 { other.cmp(low) } else { low.cmp(other) })
            }
            (Number::Wide { high, .. }, Number::Int(_)) => high.cmp(&0),
            (Number::Int(_), Number::Wide { high, .. }) => 0.cmp(high),
            // Both sides are finite, so `partial_cmp` returns an order; -0 equals 0.
            _ => self.as_f64().partial_cmp(&other.as_f64()).unwrap_or(Ordering::Equal),
        }
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Number {
        Number::Int(value)
    }
}

/// Prints the shortest text that parses to the same number; a float keeps its `.0`, as on AWS.
impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Int(i) => write!(f, "{i}"),
            Number::Wide { high, low } => write!(f, "{high}{low:018}"),
            Number::Float(x) => f.write_str(&decimal::text(*x)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json;

    #[test]
    fn integers_are_written_like_in_the_standard_library() {
        let parts = [99_999_999, 100_000_000, 100_000_005, 1_700_000_000_000, 10_000_000_000_000_000, 120_000_000_300_000_004];
        for int in [0, 7, 9, 10, 99, 100, 101, 1_000_000, -1, -10, -105, i64::MAX, i64::MIN].into_iter().chain(parts) {
            let mut text = String::from("x");
            write_int(&mut text, int);
            assert_eq!(text, format!("x{int}"));
        }
    }

    #[test]
    fn an_integer_keeps_its_digits_beyond_64_bits() {
        assert_eq!(size_of::<Number>(), 16);
        let wide = ["9223372036854775808", "-9223372036854775809", "12345678901234567890", "999999999999999999999999999"];
        for text in wide {
            let number = json::parse(text).unwrap().as_number().unwrap();
            assert!(matches!(number, Number::Wide { .. }), "{text}");
            assert_eq!(number.to_string(), text);
            assert_eq!(json::parse(text).unwrap().to_string(), text);
            assert_eq!(json::serialized_len(&json::parse(text).unwrap()), text.len());
            assert_eq!(number.as_f64(), text.parse::<f64>().unwrap());
            assert_eq!(number.as_i64(), None);
        }
        // Longer integers, and numbers with a fraction or an exponent, are doubles.
        for text in ["1000000000000000000000000000000", "12345678901234567890.0", "1e20"] {
            assert!(matches!(json::parse(text).unwrap().as_number(), Some(Number::Float(_))), "{text}");
        }
    }

    #[test]
    fn integers_are_in_order_on_both_sides_of_64_bits() {
        let texts = [
            "-1e40",
            "-12345678901234567890123",
            "-9223372036854775810",
            "-9223372036854775809",
            "-9223372036854775808",
            "0",
            "9223372036854775807",
            "9223372036854775808",
            "9223372036854775809",
            "12345678901234567890123",
            "1e40",
        ];
        let numbers: Vec<Number> = texts.iter().map(|text| json::parse(text).unwrap().as_number().unwrap()).collect();
        for (i, a) in numbers.iter().enumerate() {
            for (j, b) in numbers.iter().enumerate() {
                assert_eq!(a.cmp(b), i.cmp(&j), "{a} {b}");
            }
        }
        // A double is the result of a computation.
        assert_eq!(json::parse("10000000000000000000").unwrap(), json::parse("1e19").unwrap());
    }
}
