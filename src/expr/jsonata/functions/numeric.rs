//! Functions on numbers.

use super::Args;
use crate::base::{Number, decimal};
use crate::expr::jsonata::codes;
use crate::expr::jsonata::error::fault;
use crate::expr::jsonata::eval::{Evaluator, R};
use crate::expr::jsonata::number as text;
use crate::expr::jsonata::value::{Items, Val};

/// Applies a function of doubles to the first argument.
fn with(args: &Args<'_>, f: impl Fn(f64) -> f64) -> Val {
    match args.at(0) {
        Val::Num(Number::Int(i)) if i.unsigned_abs() < 1 << 53 => Val::num(f(*i as f64)),
        value => value.as_f64().map_or(Val::Undefined, |x| Val::num(f(x))),
    }
}

/// `$abs(number)`
pub(super) fn abs(_: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    Ok(with(args, f64::abs))
}

/// `$floor(number)`
pub(super) fn floor(_: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    Ok(with(args, f64::floor))
}

/// `$ceil(number)`
pub(super) fn ceil(_: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    Ok(with(args, f64::ceil))
}

/// `$round(number, precision?)`: halves are rounded to the even digit.
pub(super) fn round(_: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    let precision = args.number(1).unwrap_or(0.0);
    if precision.fract() != 0.0 || precision.abs() > 400.0 {
        return Ok(if args.at(0).is_undefined() { Val::Undefined } else { Val::NonFinite(f64::NAN) });
    }
    Ok(with(args, |x| text::round(x, precision as i32)))
}

/// `$sqrt(number)`
pub(super) fn sqrt(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    if args.number(0).is_some_and(|x| x < 0.0) {
        return Err(fault(codes::D3060).json(ev.shown(args.at(0))));
    }
    Ok(with(args, f64::sqrt))
}

/// `$power(base, exponent)`
pub(super) fn power(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    let Some(base) = args.number(0) else { return Ok(Val::Undefined) };
    let result = args.number(1).map_or(f64::NAN, |exponent| whole_power(base, exponent).unwrap_or_else(|| base.powf(exponent)));
    if !result.is_finite() {
        return Err(fault(codes::D3061).json(ev.shown(args.at(0))).json2(ev.shown(args.at(1))));
    }
    Ok(Val::num(result))
}

/// Raises a whole number to a whole power with a single rounding: `powf` of some platforms is off by one unit.
fn whole_power(base: f64, exponent: f64) -> Option<f64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let whole = |x: f64| (x.fract() == 0.0 && x.abs() <= EXACT).then_some(x as i128);
    let exponent = u32::try_from(whole(exponent)?).ok()?;
    Some(whole(base)?.checked_pow(exponent)? as f64)
}

/// Adds numbers; the result is exact while all are integers.
fn total(ev: &mut Evaluator<'_>, numbers: &Val) -> R<Val> {
    let items = numbers.items();
    if let Items::Range(first, len) = items {
        let (first, len) = (first as f64, len as f64);
        return Ok(Val::num(len * first + len * (len - 1.0) / 2.0));
    }
    ev.burn(items.len() / 4)?;
    let mut exact = Some(0i64);
    let mut sum = 0.0;
    for item in items.iter() {
        exact = match (exact, &item) {
            (Some(sum), Val::Num(Number::Int(i))) => sum.checked_add(*i).filter(|s| s.unsigned_abs() < 1 << 53),
            _ => None,
        };
        sum += item.as_f64().unwrap_or(f64::NAN);
    }
    Ok(exact.map_or_else(|| Val::num(sum), Val::int))
}

/// `$sum(numbers)`
pub(super) fn sum(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    if args.at(0).is_undefined() { Ok(Val::Undefined) } else { total(ev, args.at(0)) }
}

/// `$average(numbers)`: undefined if there are none.
pub(super) fn average(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    let numbers = args.at(0);
    if numbers.is_undefined() || numbers.items().len() == 0 {
        return Ok(Val::Undefined);
    }
    let count = numbers.items().len() as f64;
    Ok(total(ev, numbers)?.as_f64().map_or(Val::Undefined, |sum| Val::num(sum / count)))
}

fn extreme(ev: &mut Evaluator<'_>, args: &Args<'_>, better: fn(f64, f64) -> bool) -> R<Val> {
    let numbers = args.at(0);
    if numbers.is_undefined() {
        return Ok(Val::Undefined);
    }
    let items = numbers.items();
    ev.burn(items.len() / 4)?;
    let mut best: Option<(f64, usize)> = None;
    for i in 0..items.len() {
        let x = items.number(i);
        if x.is_nan() {
            return Ok(Val::NonFinite(x));
        }
        if best.is_none_or(|(y, _)| better(x, y)) {
            best = Some((x, i));
        }
    }
    Ok(best.and_then(|(_, i)| items.get(i)).unwrap_or(Val::Undefined))
}

/// `$max(numbers)`: undefined if there are none.
pub(super) fn max(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    extreme(ev, args, |x, y| x > y)
}

/// `$min(numbers)`: undefined if there are none.
pub(super) fn min(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    extreme(ev, args, |x, y| x < y)
}

/// `$number(value)`: converts decimal, hexadecimal, octal and binary text, and booleans.
pub(super) fn number(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    let value = args.at(0);
    let parsed = match value {
        Val::Undefined | Val::Num(_) | Val::NonFinite(_) => return Ok(value.clone()),
        Val::Bool(b) => return Ok(Val::int(i64::from(*b))),
        value => value.as_str().and_then(parse),
    };
    parsed.ok_or_else(|| fault(codes::D3030).json(ev.shown(value)).index(1))
}

fn parse(text: &str) -> Option<Val> {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let exponent_ok = exponent.is_none_or(|e| digits(e.strip_prefix(['+', '-']).unwrap_or(e)));
    if digits(whole) && fraction.is_none_or(digits) && exponent_ok {
        let x = decimal::parse(text)?;
        return x.is_finite().then(|| Val::num(x));
    }
    let radix = match text.get(..2)? {
        "0x" | "0X" => 16,
        "0o" | "0O" => 8,
        "0b" | "0B" => 2,
        _ => return None,
    };
    let digits = text.get(2..)?;
    if digits.is_empty() || digits.len() > 400 {
        return None;
    }
    let mut x = 0.0;
    for c in digits.chars() {
        x = x * f64::from(radix) + f64::from(c.to_digit(radix)?);
    }
    Some(Val::num(x))
}

/// `$formatBase(number, radix?)`
pub(super) fn format_base(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    let Some(x) = args.number(0) else { return Ok(Val::Undefined) };
    let x = text::round(x, 0);
    let radix = args.number(1).map_or(10.0, |radix| text::round(radix, 0));
    if !(2.0..=36.0).contains(&radix) {
        return Err(fault(codes::D3100).json(text::to_text(radix)));
    }
    if radix == 10.0 || !x.is_finite() {
        return ev.text(text::to_text(x));
    }
    let mut rest = x.abs();
    let mut digits = Vec::new();
    while rest >= 1.0 && digits.len() < 1100 {
        let digit = (rest % radix) as u32;
        digits.push(char::from_digit(digit, 36).unwrap_or('0'));
        rest = (rest / radix).floor();
    }
    if digits.is_empty() {
        digits.push('0');
    }
    if x < 0.0 {
        digits.push('-');
    }
    ev.text(digits.iter().rev().collect())
}
