//! Exact conversion between doubles and decimal texts: the shortest text that parses to the same double, a given number of
//! places, and back.
//!
//! The standard library is faster for more than seventeen digits or large exponents, with tables and several algorithms that
//! take forty kilobytes of WebAssembly. Here most numbers take one or two multiplications, numbers that do not fit in 128 bits
//! are computed with whole numbers of any length, and there is no table.

mod whole;

use std::cmp::Ordering;
use whole::Whole;

/// The largest power of ten that is exact as a double.
const EXACT: i32 = 22;

/// 5^27 is the largest power of five below 2^63.
const SMALL: i32 = 27;

/// Returns the shortest decimal number that parses to the same double, as its digits and the exponent of the last one. Of
/// several it is the nearest, and of two equally near ones the larger. `value` must be finite; the sign is dropped.
///
/// ```
/// use stepglass::base::decimal::shortest;
/// assert_eq!(shortest(-0.25), (25, -2));
/// assert_eq!(shortest(1e300), (1, 300));
/// ```
pub fn shortest(value: f64) -> (u64, i32) {
    let value = value.abs();
    short(value).unwrap_or_else(|| search(value))
}

/// Tries numbers of at most fifteen digits: exactly one of them can be near enough to the double.
fn short(value: f64) -> Option<(u64, i32)> {
    const LIMIT: f64 = 1e15;
    let mut power = 1.0;
    for places in 0..=EXACT {
        let scaled = (value * power).round();
        if scaled >= LIMIT {
            return None;
        }
        if scaled / power == value {
            return Some(stripped(scaled as u64, -places));
        }
        power *= 10.0;
    }
    None
}

/// Removes zeros at the end.
fn stripped(mut digits: u64, mut exponent: i32) -> (u64, i32) {
    while digits != 0 && digits.is_multiple_of(10) {
        digits /= 10;
        exponent += 1;
    }
    (digits, if digits == 0 { 0 } else { exponent })
}

fn search(value: f64) -> (u64, i32) {
    let (mantissa, exponent) = parts(value);
    // The unit is a quarter: the midpoints to the neighbours are two quarters away, or one just below a power of two.
    let below = if mantissa == 1 << 52 && exponent > -1074 { 1 } else { 2 };
    // With seventeen or eighteen digits before the point, the shortest number is one of their roundings.
    let places = 16 - leading(mantissa, exponent);
    let at = |quarters: u64| {
        let (whole, half, exact) = scaled(quarters, exponent - 2, places);
        (whole.as_u64(), half, exact)
    };
    let even = mantissa.is_multiple_of(2);
    let (low, _, exact) = at(4 * mantissa - below);
    let low = if exact && even { low } else { low + 1 };
    let (high, _, exact) = at(4 * mantissa + 2);
    let high = if exact && !even { high - 1 } else { high };
    let (whole, half, exact) = at(4 * mantissa);
    let mut step = 1;
    while high / (step * 10) * (step * 10) >= low {
        step *= 10;
    }
    let down = whole - whole % step;
    let near = match (2 * (whole % step)).cmp(&step) {
        _ if step == 1 => half,
        Ordering::Equal if !exact => Ordering::Greater,
        order => order,
    };
    let up = match near {
        Ordering::Less => down < low,
        _ => down + step <= high,
    };
    stripped(if up { down + step } else { down }, -places)
}

/// Returns the nearest number with this many digits; halves go to the even one.
pub fn precision(value: f64, digits: u32) -> (u64, i32) {
    let value = value.abs();
    if value == 0.0 {
        return (0, 0);
    }
    let (mantissa, exponent) = parts(value);
    let most = 10u64.saturating_pow(digits);
    let mut places = digits as i32 - 1 - leading(mantissa, exponent);
    loop {
        let rounded = rounded(mantissa, exponent, places).as_u64();
        // The first estimate may have one digit too many.
        if rounded < most || rounded == most && scaled(mantissa, exponent, places).0.as_u64() < most {
            return stripped(rounded, -places);
        }
        places -= 1;
    }
}

/// Formats with this many places after the point; halves go to the even digit.
pub fn fixed(value: f64, places: usize) -> String {
    let (mantissa, exponent) = parts(value.abs());
    // No double has more than 1,074 places.
    let exact = places.min(1074);
    let mut digits = rounded(mantissa, exponent, exact as i32).decimal();
    if digits.len() <= exact {
        digits = "0".repeat(exact + 1 - digits.len()) + &digits;
    }
    let sign = if value.is_sign_negative() { "-" } else { "" };
    let (whole, fraction) = digits.split_at(digits.len() - exact);
    if places == 0 {
        return format!("{sign}{whole}");
    }
    format!("{sign}{whole}.{fraction}{}", "0".repeat(places - exact))
}

/// Formats as the shortest text that parses to the same double, always with a fraction or an exponent: `1.0`, `1e16`, `0.0001`,
/// `1.5e-5`.
pub fn text(value: f64) -> String {
    let (digits, exponent) = shortest(value);
    let mut text = digits.to_string();
    let first = text.len() as i32 - 1 + exponent;
    if digits == 0 || (-4..16).contains(&first) {
        if exponent >= 0 {
            text.extend(std::iter::repeat_n('0', exponent.unsigned_abs() as usize));
            text.push_str(".0");
        } else {
            let places = exponent.unsigned_abs() as usize;
            if text.len() <= places {
                text.insert_str(0, &"0".repeat(places + 1 - text.len()));
            }
            text.insert(text.len() - places, '.');
        }
    } else {
        text = scientific(digits, exponent);
    }
    if value.is_sign_negative() { format!("-{text}") } else { text }
}

/// Formats digits with a point after the first one and an exponent: `1e16`, `1.5e-5`.
pub fn scientific(digits: u64, exponent: i32) -> String {
    let mut text = digits.to_string();
    let first = text.len() as i32 - 1 + exponent;
    if text.len() > 1 {
        text.insert(1, '.');
    }
    format!("{text}e{first}")
}

/// Returns the double nearest to a decimal number: an optional sign, digits with or without a point, an optional exponent. A
/// number beyond the largest double gives infinity.
///
/// ```
/// use stepglass::base::decimal::parse;
/// assert_eq!(parse("-12.50e1"), Some(-125.0));
/// assert_eq!(parse("1e999"), Some(f64::INFINITY));
/// assert_eq!(parse("1e"), None);
/// ```
pub fn parse(text: &str) -> Option<f64> {
    let (negative, text) = match text.as_bytes().first()? {
        b'-' => (true, text.get(1..)?),
        b'+' => (false, text.get(1..)?),
        _ => (false, text),
    };
    let mut exponent: i32 = 0;
    let mut number = text;
    if let Some(at) = text.find(['e', 'E']) {
        number = text.get(..at)?;
        exponent = exponent_of(text.get(at + 1..)?)?;
    }
    let (mut digits, mut taken, mut seen, mut fraction) = (0u64, 0, false, false);
    // If the digits do not fit, they are read from the text again.
    let mut more = false;
    for b in number.bytes() {
        match b {
            b'0'..=b'9' => {
                seen = true;
                if taken < 19 {
                    digits = digits * 10 + u64::from(b - b'0');
                    taken += i32::from(digits > 0);
                    exponent = exponent.saturating_sub(i32::from(fraction));
                } else {
                    more |= b != b'0';
                    exponent = exponent.saturating_add(i32::from(!fraction));
                }
            }
            b'.' if !fraction => fraction = true,
            _ => return None,
        }
    }
    if !seen {
        return None;
    }
    let size = if more { exact(number, digits, exponent) } else { compose(digits, exponent) };
    Some(if negative { -size } else { size })
}

/// Parses a whole number with an optional sign. It is clamped to a range that no text in memory can exceed in effect.
fn exponent_of(text: &str) -> Option<i32> {
    let (negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, text.get(1..)?),
        b'+' => (false, text.get(1..)?),
        _ => (false, text),
    };
    if digits.is_empty() {
        return None;
    }
    let size = digits
        .bytes()
        .try_fold(0i32, |n, b| b.is_ascii_digit().then(|| n.saturating_mul(10).saturating_add(i32::from(b.wrapping_sub(b'0')))))?;
    Some(if negative { -size } else { size })
}

/// Returns the double nearest to `digits` × 10^`exponent`.
pub fn compose(digits: u64, exponent: i32) -> f64 {
    if digits < 1 << 53 && (-EXACT..=EXACT).contains(&exponent) {
        let power = EXACT_POWERS.get(exponent.unsigned_abs() as usize).copied().unwrap_or(1.0);
        return if exponent < 0 { digits as f64 / power } else { digits as f64 * power };
    }
    quotient(&Whole::from_u64(digits), digits, exponent)
}

/// Converts digits that do not fit in 64 bits: all of them, up to more digits than any midpoint between two doubles has.
fn exact(number: &str, first: u64, mut exponent: i32) -> f64 {
    const MOST: usize = 800;
    let mut whole = Whole::from_u64(first);
    let rest = number.bytes().filter(u8::is_ascii_digit).skip_while(|b| *b == b'0').skip(19);
    // The exponent is that of the nineteenth digit.
    let mut beyond = false;
    for (i, b) in rest.enumerate() {
        if i < MOST {
            whole.times_plus(10, u32::from(b - b'0'));
            exponent = exponent.saturating_sub(1);
        } else {
            beyond |= b != b'0';
        }
    }
    if beyond {
        whole.times_plus(10, 1);
        exponent = exponent.saturating_sub(1);
    }
    quotient(&whole, u64::MAX, exponent)
}

/// Returns the double nearest to a whole number × 10^`exponent`. `small` is that number if it fits.
fn quotient(digits: &Whole, small: u64, exponent: i32) -> f64 {
    let length = digits.bits() as i32;
    // This is far beyond the largest or the smallest double.
    if length == 0 || exponent < -1500 {
        return 0.0;
    }
    if exponent > 400 {
        return f64::INFINITY;
    }
    if length <= 64 && small != u64::MAX && (-SMALL..=SMALL).contains(&exponent) {
        let five = 5u128.pow(exponent.unsigned_abs());
        if exponent >= 0 {
            return round_off(u128::from(small) * five, false, exponent);
        }
        let shift = u128::from(small).leading_zeros();
        let scaled = u128::from(small) << shift;
        return round_off(scaled / five, !scaled.is_multiple_of(five), exponent - shift as i32);
    }
    let five = Whole::power_of_five(exponent.unsigned_abs());
    if exponent >= 0 {
        let product = digits.times(&five);
        let shift = product.bits().saturating_sub(100);
        let (top, rest) = product.split(shift);
        return round_off(top.as_u128(), !rest.is_zero(), exponent + shift as i32);
    }
    // A hundred bits of the quotient are more than enough.
    let shift = (100 + five.bits() as i32 - length).max(0) as u32;
    let (whole, rest) = digits.shifted(shift).divided(&five);
    let longer = whole.bits().saturating_sub(100);
    let (top, low) = whole.split(longer);
    round_off(top.as_u128(), !rest.is_zero() || !low.is_zero(), exponent - shift as i32 + longer as i32)
}

/// Returns the double nearest to `top` × 2^`exponent`. `more` says that the number is slightly larger.
fn round_off(top: u128, more: bool, exponent: i32) -> f64 {
    let length = 128 - top.leading_zeros() as i32;
    // Numbers below 2^-1022 have fewer bits: the lowest bit is worth at least 2^-1074.
    let drop = (length - 53).max(-1074 - exponent);
    let (mut mantissa, up) = match u32::try_from(drop) {
        Ok(drop @ 1..128) => {
            let (kept, rest) = (top >> drop, top & ((1 << drop) - 1));
            let half = rest.cmp(&(1 << (drop - 1))).then(if more { Ordering::Greater } else { Ordering::Equal });
            (kept, half.is_gt() || half.is_eq() && kept % 2 == 1)
        }
        Ok(128..) => (0, false),
        _ => (top << -drop, false),
    };
    mantissa += u128::from(up);
    let mantissa = mantissa as u64;
    if mantissa < 1 << 52 {
        return f64::from_bits(mantissa);
    }
    let biased = exponent + drop + 1075;
    if biased >= 2047 {
        return f64::INFINITY;
    }
    // A mantissa of 2^53 carries into the exponent, which gives the right result.
    let bits = ((biased as u64) << 52) + (mantissa - (1 << 52));
    if bits >= 2047 << 52 { f64::INFINITY } else { f64::from_bits(bits) }
}

/// Splits a double into mantissa × 2^exponent.
fn parts(value: f64) -> (u64, i32) {
    let bits = value.to_bits();
    let fraction = bits & ((1 << 52) - 1);
    match (bits >> 52 & 0x7ff) as i32 {
        0 => (fraction, -1074),
        biased => (fraction | 1 << 52, biased - 1075),
    }
}

/// Returns the decimal exponent of the first digit, or one less.
fn leading(mantissa: u64, exponent: i32) -> i32 {
    let binary = exponent + 63 - mantissa.leading_zeros() as i32;
    // log10(2), rounded so that the result is never too large.
    ((i64::from(binary) * 30_103).div_euclid(100_000) - i64::from(binary < 0)) as i32
}

fn rounded(mantissa: u64, exponent: i32, places: i32) -> Whole {
    let (mut whole, half, _) = scaled(mantissa, exponent, places);
    if half.is_gt() || half.is_eq() && whole.is_odd() {
        whole.times_plus(1, 1);
    }
    whole
}

/// Computes `number` × 2^`exponent` × 10^`places`: the whole part, how the remainder compares with a half, and whether it is
/// zero.
fn scaled(number: u64, exponent: i32, places: i32) -> (Whole, Ordering, bool) {
    if let Some((whole, rest, unit)) = scaled_small(number, exponent, places) {
        // The comparison avoids an overflow: the remainder is less than the unit.
        return (Whole::from_u128(whole), rest.cmp(&(unit - rest)), rest == 0);
    }
    let (mut top, mut bottom) = (Whole::from_u64(number), Whole::power_of_five(places.unsigned_abs()));
    if places >= 0 {
        top = top.times(&bottom);
        bottom = Whole::from_u64(1);
    }
    let shift = exponent + places;
    if shift >= 0 {
        top = top.shifted(shift.unsigned_abs())
    } else {
        bottom = bottom.shifted(shift.unsigned_abs())
    }
    let (whole, rest) = top.divided(&bottom);
    let exact = rest.is_zero();
    (whole, rest.shifted(1).compare(&bottom), exact)
}

/// Computes the same within 128 bits: the whole part, the remainder, and the divisor.
fn scaled_small(number: u64, exponent: i32, places: i32) -> Option<(u128, u128, u128)> {
    if !(-SMALL..=SMALL).contains(&places) {
        return None;
    }
    let five = 5u128.pow(places.unsigned_abs());
    let (top, bottom) = if places >= 0 { (u128::from(number).checked_mul(five)?, 1) } else { (u128::from(number), five) };
    let shift = exponent + places;
    let by = shift.unsigned_abs();
    let (top, bottom) = if shift >= 0 { (shifted(top, by)?, bottom) } else { (top, shifted(bottom, by)?) };
    Some((top / bottom, top % bottom, bottom))
}

fn shifted(number: u128, by: u32) -> Option<u128> {
    (by < number.leading_zeros()).then(|| number << by)
}

const EXACT_POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Rng;

    /// Returns doubles of every size and kind: random bits, short decimals, whole numbers, powers, and neighbours of all of
    /// them.
    fn samples(count: usize) -> impl Iterator<Item = f64> {
        let mut rng = Rng::new(11);
        (0..count).map(move |i| {
            let bits = rng.next_u64();
            let value = match i % 8 {
                0 | 1 => f64::from_bits(bits),
                2 => (bits % 1_000_000) as f64 / 10f64.powi((bits >> 32) as i32 % 8),
                3 => (bits >> (bits % 60)) as f64,
                4 => f64::from_bits((bits >> 52) << 52),
                5 => (bits as f64 / u64::MAX as f64) * 10f64.powi((bits % 40) as i32 - 20),
                6 => f64::from_bits(10f64.powi((bits % 600) as i32 - 300).to_bits() + bits % 3),
                _ => f64::from_bits(bits >> (12 + bits % 52)),
            };
            if value.is_finite() { value } else { 0.1 + i as f64 }
        })
    }

    const COUNT: usize = 20_000;

    #[test]
    fn the_shortest_text_equals_that_of_the_standard_library() {
        for value in samples(COUNT) {
            let (digits, exponent) = shortest(value);
            let text = format!("{:e}", value.abs());
            let (mantissa, power) = text.split_once('e').unwrap();
            let theirs: String = mantissa.chars().filter(|c| *c != '.').collect();
            let first = exponent + digits.to_string().len() as i32 - 1;
            assert_eq!((digits.to_string(), first), (theirs, power.parse().unwrap()), "{value:?}");
        }
    }

    #[test]
    fn texts_parse_like_in_the_standard_library() {
        let check = |text: &str| assert_eq!(parse(text).map(f64::to_bits), text.parse().ok().map(f64::to_bits), "{text}");
        let mut rng = Rng::new(12);
        for value in samples(COUNT) {
            check(&format!("{value:?}"));
            check(&format!("{value:e}"));
            let digits = rng.next_u64() >> (rng.next_u64() % 60);
            check(&format!("{digits}e{}", (rng.next_u64() % 700) as i64 - 350));
            check(&format!("0.{digits}{}e-{}", rng.next_u64(), rng.next_u64() % 330));
        }
        for value in samples(COUNT / 100) {
            // The cases are the midpoint between two doubles, to the last digit, and values just beside it.
            let (a, b) = (value.abs(), f64::from_bits(value.abs().to_bits() + 1));
            if a > 1e-60 && b < 1e60 {
                let middle = format!("{:.1100}", a).parse::<f64>().unwrap();
                assert_eq!(middle, a);
                let (mantissa, exponent) = parts(a);
                let exact = fixed_middle(mantissa, exponent);
                for text in [exact.clone(), format!("{exact}1"), format!("{exact}{}1", "0".repeat(900))] {
                    check(&text);
                }
            }
        }
        for text in [
            "",
            "-",
            "+",
            ".",
            "1.",
            ".5",
            "+1",
            "-.5e1",
            "1e",
            "1e+",
            "1e-5",
            "1E5",
            "1.2.3",
            "0x1",
            " 1",
            "1e99999999999",
            "1e-99999999999",
            "0e99999999999",
            "-0",
            "4.9e-324",
            "2.4703282292062327e-324",
            "2.4703282292062328e-324",
            "1.7976931348623158e308",
            "1.7976931348623159e308",
            "2.2250738585072011e-308",
            "18446744073709551616",
            "9007199254740993",
            "00000000000000000000001.5",
        ] {
            check(text);
        }
    }

    fn fixed_middle(mantissa: u64, exponent: i32) -> String {
        let places = 1074;
        let digits = scaled(2 * mantissa + 1, exponent - 1, places).0.decimal();
        let digits = format!("{digits:0>1075}");
        let (whole, fraction) = digits.split_at(digits.len() - places as usize);
        format!("{whole}.{fraction}")
    }

    #[test]
    fn texts_equal_those_of_the_standard_library() {
        for value in samples(COUNT / 4).chain([0.0, -0.0, 1e15, 1e16, 1e-4, 9.9e-5, 123456789012345680.0]) {
            assert_eq!(text(value), format!("{value:?}"));
            let (digits, exponent) = shortest(value);
            assert_eq!(scientific(digits, exponent), format!("{:e}", value.abs()));
        }
    }

    #[test]
    fn places_and_precision_equal_those_of_the_standard_library() {
        for (i, value) in samples(COUNT / 4).enumerate() {
            let (digits, exponent) = precision(value, 15);
            let theirs: f64 = format!("{:.14e}", value.abs()).parse().unwrap();
            assert_eq!(compose(digits, exponent).to_bits(), theirs.to_bits(), "{value:?}");
            if value.abs() < 1e21 {
                let places = i % 25;
                assert_eq!(fixed(value, places), format!("{value:.places$}"), "{value:?} {places}");
            }
        }
        for (value, places) in [(0.5, 0), (1.5, 0), (2.5, 0), (0.125, 2), (1e-320, 330), (0.0, 3), (-0.0, 1), (0.1, 1200)] {
            assert_eq!(fixed(value, places), format!("{value:.places$}"));
        }
    }
}
