//! Formats and parses numbers like JavaScript.

use crate::base::{Number, decimal};

/// Returns the shortest text that parses to the same double, in JavaScript's layout: `1e+21`, `0.000001`, `1e-7`.
pub(super) fn to_text(x: f64) -> String {
    if x.is_nan() {
        return "NaN".into();
    }
    if x.is_infinite() {
        return if x > 0.0 { "Infinity".into() } else { "-Infinity".into() };
    }
    if x == 0.0 {
        return "0".into();
    }
    let (digits, last) = decimal::shortest(x);
    let digits = digits.to_string();
    lay_out(x < 0.0, &digits, last + digits.len() as i32 - 1)
}

/// Writes digits and a power of ten in JavaScript's layout.
fn lay_out(negative: bool, digits: &str, exponent: i32) -> String {
    let count = digits.len() as i32;
    let mut out = String::with_capacity(24);
    if negative {
        out.push('-');
    }
    // The decimal point comes after this number of digits.
    let point = exponent + 1;
    if (1..=21).contains(&point) {
        if count <= point {
            out.push_str(digits);
            out.extend(std::iter::repeat_n('0', (point - count) as usize));
        } else {
            let (whole, fraction) = digits.split_at(point as usize);
            out.push_str(whole);
            out.push('.');
            out.push_str(fraction);
        }
    } else if (-5..=0).contains(&point) {
        out.push_str("0.");
        out.extend(std::iter::repeat_n('0', -point as usize));
        out.push_str(digits);
    } else {
        let (first, rest) = digits.split_at(1);
        out.push_str(first);
        if !rest.is_empty() {
            out.push('.');
            out.push_str(rest);
        }
        out.push_str(if exponent < 0 { "e-" } else { "e+" });
        out.push_str(&exponent.abs().to_string());
    }
    out
}

/// Rounds to 15 significant digits, which hides the noise of binary fractions: `0.1 + 0.2` is `0.3`. Whole numbers are
/// unchanged.
pub(super) fn to_precision_15(x: f64) -> f64 {
    if x == 0.0 || !x.is_finite() || (x.fract() == 0.0) {
        return x;
    }
    let (digits, exponent) = decimal::precision(x, 15);
    decimal::compose(digits, exponent).copysign(x)
}

/// Formats a number for `$string` and `&`.
pub(super) fn display(number: Number) -> String {
    match number {
        Number::Int(i) => i.to_string(),
        Number::Wide { .. } => to_text(number.as_f64()),
        Number::Float(x) if x.fract() == 0.0 => to_text(x),
        // A number of up to 15 digits is not changed by rounding.
        Number::Float(x) => match to_text(x) {
            text if text.len() <= 15 => text,
            _ => to_text(to_precision_15(x)),
        },
    }
}

/// Implements `Math.round`: halves are rounded up.
pub(super) fn round_half_up(x: f64) -> f64 {
    let floor = x.floor();
    if x - floor >= 0.5 { floor + 1.0 } else { floor }
}

/// Rounds to `precision` decimal places, halves to the even digit.
pub(super) fn round(x: f64, precision: i32) -> f64 {
    let shifted = shift(x, precision);
    let mut result = round_half_up(shifted);
    if (result - shifted).abs() == 0.5 && (result % 2.0).abs() == 1.0 {
        result -= 1.0;
    }
    let result = shift(result, -precision);
    if result == 0.0 { 0.0 } else { result }
}

/// Moves the decimal point in the decimal text, so that 1.005 moved by two is 100.5 and not 100.49999999999999.
fn shift(x: f64, places: i32) -> f64 {
    if places == 0 || !x.is_finite() {
        return x;
    }
    let (digits, exponent) = decimal::shortest(x);
    decimal::compose(digits, exponent.saturating_add(places)).copysign(x)
}

/// Implements `toFixed`, also for more than 100 places and for large numbers: exact decimal digits, halves away from zero.
pub(super) fn to_fixed(x: f64, places: usize) -> String {
    if x.abs() >= 1e21 {
        return to_text(x);
    }
    decimal::fixed(x, places)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_javascripts() {
        for (x, text) in [
            (1.0, "1"),
            (-0.0, "0"),
            (0.1, "0.1"),
            (1e21, "1e+21"),
            (123456789012345680000.0, "123456789012345680000"),
            (1e-6, "0.000001"),
            (1e-7, "1e-7"),
            (-1.5e-9, "-1.5e-9"),
            (1234.5, "1234.5"),
            (f64::MAX, "1.7976931348623157e+308"),
        ] {
            assert_eq!(to_text(x), text);
        }
        assert_eq!(to_text(to_precision_15(0.1 + 0.2)), "0.3");
    }

    #[test]
    fn rounding_is_to_even() {
        for (x, places, expected) in
            [(4.525, 2, 4.52), (4.515, 2, 4.52), (12345.0, -2, 12300.0), (12450.0, -2, 12400.0), (-0.5, 0, 0.0), (2.5, 0, 2.0)]
        {
            assert_eq!(round(x, places), expected, "{x}");
        }
    }
}
