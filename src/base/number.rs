//! JSON numbers: an integer that fits 64 bits stays one, everything else is a double.

use super::decimal;
use std::cmp::Ordering;
use std::fmt;

const TWO_63: f64 = 9_223_372_036_854_775_808.0;

/// A JSON number: `Int` when the token has no fraction and no exponent and fits, else a finite `Float`.
///
/// Equality and order are mathematical: `1 == 1.0 == 1e0`.
#[derive(Clone, Copy, Debug)]
pub enum Number {
    /// An integer written without fraction or exponent.
    Int(i64),
    /// Any other number. Never NaN, never infinite: [`Number::from_f64`] is the only door.
    Float(f64),
}

impl Number {
    /// `None` for NaN and the infinities, which JSON cannot hold.
    pub fn from_f64(value: f64) -> Option<Number> {
        value.is_finite().then_some(Number::Float(value))
    }

    /// The integer when the double holds one exactly, else the double; `None` for NaN and the infinities.
    pub fn from_f64_integral(value: f64) -> Option<Number> {
        if !value.is_finite() {
            return None;
        }
        if value.fract() == 0.0 && value.abs() <= 9_007_199_254_740_992.0 {
            return Some(Number::Int(value as i64));
        }
        Some(Number::Float(value))
    }

    /// The nearest double.
    pub fn as_f64(self) -> f64 {
        match self {
            Number::Int(i) => i as f64,
            Number::Float(f) => f,
        }
    }

    /// The exact integer value, also of `3.0`; `None` when there is a fraction or it does not fit.
    pub fn as_i64(self) -> Option<i64> {
        match self {
            Number::Int(i) => Some(i),
            // 2^63 itself is the first double that does not fit.
            Number::Float(f) if f.fract() == 0.0 && (-TWO_63..TWO_63).contains(&f) => Some(f as i64),
            Number::Float(_) => None,
        }
    }
}

impl Number {
    /// Appends its text; see [`Number`]'s `Display`.
    pub fn write(self, out: &mut String) {
        match self {
            // Most numbers are small.
            Number::Int(i @ 0..10) => out.push(char::from(b'0' + i as u8)),
            Number::Int(i) => out.push_str(&i.to_string()),
            Number::Float(x) => out.push_str(&decimal::text(x)),
        }
    }
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
            // Finite on both sides, so `partial_cmp` always answers; -0 equals 0.
            _ => self.as_f64().partial_cmp(&other.as_f64()).unwrap_or(Ordering::Equal),
        }
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Number {
        Number::Int(value)
    }
}

/// Prints the shortest text that reads back as the same number; a float keeps its `.0`, as AWS keeps it.
impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Int(i) => write!(f, "{i}"),
            Number::Float(x) => f.write_str(&decimal::text(*x)),
        }
    }
}
