//! `$formatNumber`: decimal pictures as in XPath's `format-number`.

use super::Args;
use crate::expr::jsonata::codes;
use crate::expr::jsonata::error::fault;
use crate::expr::jsonata::eval::{Evaluator, R};
use crate::expr::jsonata::number;
use crate::expr::jsonata::value::Val;

/// The characters that have a meaning in a picture.
struct Symbols {
    decimal: String,
    grouping: String,
    exponent: String,
    minus: String,
    percent: String,
    per_mille: String,
    zero: char,
    digit: String,
    separator: String,
}

impl Symbols {
    fn new(options: &Val) -> Symbols {
        let get = |key: &str, default: &str| {
            options.member(key).and_then(|v| v.as_str().map(str::to_string)).unwrap_or_else(|| default.to_string())
        };
        Symbols {
            decimal: get("decimal-separator", "."),
            grouping: get("grouping-separator", ","),
            exponent: get("exponent-separator", "e"),
            minus: get("minus-sign", "-"),
            percent: get("percent", "%"),
            per_mille: get("per-mille", "\u{2030}"),
            zero: get("zero-digit", "0").chars().next().unwrap_or('0'),
            digit: get("digit", "#"),
            separator: get("pattern-separator", ";"),
        }
    }

    fn is_digit(&self, c: char) -> bool {
        let zero = self.zero as u32;
        (zero..zero + 10).contains(&(c as u32))
    }

    fn is(symbol: &str, c: char) -> bool {
        let mut chars = symbol.chars();
        chars.next() == Some(c) && chars.next().is_none()
    }

    fn is_active(&self, c: char) -> bool {
        self.is_digit(c)
            || [&self.decimal, &self.exponent, &self.grouping, &self.digit, &self.separator].iter().any(|s| Self::is(s, c))
    }

    fn is_any_digit(&self, c: char) -> bool {
        self.is_digit(c) || Self::is(&self.digit, c)
    }
}

/// A parsed sub-picture.
struct Parts {
    prefix: String,
    suffix: String,
    active: String,
    mantissa: String,
    exponent: Option<String>,
    integer: String,
    fraction: String,
    picture: String,
}

fn split(picture: &str, s: &Symbols) -> Parts {
    let stops = |c: char| s.is_active(c) && !Symbols::is(&s.exponent, c);
    let start = picture.find(stops).unwrap_or(0);
    let end = picture.char_indices().rev().find(|(_, c)| stops(*c)).map_or(picture.len(), |(i, c)| i + c.len_utf8());
    let part = |from: usize, to: usize| picture.get(from..to).unwrap_or("").to_string();
    let (prefix, suffix, active) = (part(0, start), part(end, picture.len()), part(start, end));
    let exponent_at = picture.get(start..).and_then(|rest| rest.find(s.exponent.as_str())).map(|i| i + start);
    let (mantissa, exponent) = match exponent_at {
        // The reference implementation mistakes the offset in the whole picture for the offset in its active part.
        Some(at) if at <= end => {
            (active.get(..at.min(active.len())).unwrap_or("").to_string(), Some(active.get(at + 1..).unwrap_or("").to_string()))
        }
        _ => (active.clone(), None),
    };
    let (integer, fraction) = match mantissa.split_once(s.decimal.as_str()) {
        Some((integer, fraction)) => (integer.to_string(), fraction.to_string()),
        None => (mantissa.clone(), suffix.clone()),
    };
    Parts { prefix, suffix, active, mantissa, exponent, integer, fraction, picture: picture.to_string() }
}

/// Checks the rules of a sub-picture; the last one that is violated is reported.
fn check(p: &Parts, s: &Symbols) -> Option<&'static str> {
    let several = |symbol: &str| p.picture.find(symbol) != p.picture.rfind(symbol);
    let has = |symbol: &str| p.picture.contains(symbol);
    let mut error = None;
    let mut rule = |broken: bool, code: &'static str| {
        if broken {
            error = Some(code);
        }
    };
    rule(several(&s.decimal), codes::D3081);
    rule(several(&s.percent), codes::D3082);
    rule(several(&s.per_mille), codes::D3083);
    rule(has(&s.percent) && has(&s.per_mille), codes::D3084);
    rule(!p.mantissa.chars().any(|c| s.is_any_digit(c)), codes::D3085);
    rule(!p.active.chars().all(|c| s.is_active(c)), codes::D3086);
    let behind = format!("{}{}", s.decimal, s.grouping);
    if has(&s.decimal) {
        let first = p.picture.find(s.decimal.as_str()).unwrap_or(0);
        let (before, after) = p.picture.split_at(first);
        rule(before.ends_with(s.grouping.as_str()) || after.starts_with(&behind), codes::D3087);
    } else {
        rule(p.integer.ends_with(s.grouping.as_str()), codes::D3088);
    }
    rule(has(&format!("{0}{0}", s.grouping)), codes::D3089);
    let optional = p.integer.find(s.digit.as_str());
    rule(optional.and_then(|i| p.integer.get(..i)).is_some_and(|before| before.chars().any(|c| s.is_digit(c))), codes::D3090);
    let optional = p.fraction.rfind(s.digit.as_str());
    rule(optional.and_then(|i| p.fraction.get(i..)).is_some_and(|after| after.chars().any(|c| s.is_digit(c))), codes::D3091);
    if let Some(exponent) = &p.exponent {
        rule(!exponent.is_empty() && (has(&s.percent) || has(&s.per_mille)), codes::D3092);
        rule(exponent.is_empty() || !exponent.chars().all(|c| s.is_digit(c)), codes::D3093);
    }
    error
}

/// The layout that a sub-picture describes.
struct Layout {
    prefix: String,
    suffix: String,
    picture: String,
    /// Digits to the right of each separator in the integer part.
    groups: Vec<usize>,
    /// The distance of separators if all distances are equal; otherwise 0.
    regular: usize,
    /// Digits to the left of each separator in the fraction.
    fraction_groups: Vec<usize>,
    min_integer: usize,
    min_fraction: usize,
    max_fraction: usize,
    min_exponent: usize,
    scale: usize,
}

fn analyse(p: Parts, s: &Symbols) -> Layout {
    let digits = |text: &str| text.chars().filter(|c| s.is_digit(*c)).count();
    let any_digits = |text: &str| text.chars().filter(|c| s.is_any_digit(*c)).count();
    let separators = |text: &str| -> Vec<usize> { text.match_indices(s.grouping.as_str()).map(|(i, _)| i).collect() };
    let groups: Vec<usize> = separators(&p.integer).into_iter().map(|i| any_digits(p.integer.get(i..).unwrap_or(""))).collect();
    // After the first separator of the fraction the reference implementation continues to search in the integer part.
    let mut fraction_groups = Vec::new();
    let mut at = p.fraction.find(s.grouping.as_str());
    while let Some(i) = at {
        fraction_groups.push(any_digits(p.fraction.get(..i.min(p.fraction.len())).unwrap_or("")));
        at = p.integer.get(i + 1..).and_then(|rest| rest.find(s.grouping.as_str())).map(|j| i + 1 + j);
    }
    let mut min_integer = digits(&p.integer);
    let scale = min_integer;
    let mut min_fraction = digits(&p.fraction);
    let mut max_fraction = any_digits(&p.fraction);
    if min_integer == 0 && max_fraction == 0 {
        if p.exponent.is_some() {
            min_fraction = 1;
            max_fraction = 1;
        } else {
            min_integer = 1;
        }
    }
    if p.exponent.is_some() && min_integer == 0 && p.integer.contains(s.digit.as_str()) {
        min_integer = 1;
    }
    if min_integer == 0 && min_fraction == 0 {
        min_fraction = 1;
    }
    Layout {
        regular: super::picture::regular(&groups),
        groups,
        fraction_groups,
        min_integer,
        min_fraction,
        max_fraction,
        min_exponent: p.exponent.as_deref().map_or(0, digits),
        scale,
        prefix: p.prefix,
        suffix: p.suffix,
        picture: p.picture,
    }
}

/// `$formatNumber(number, picture, options?)`
pub(super) fn format_number(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    let Some(value) = args.number(0) else { return Ok(Val::Undefined) };
    let picture = args.text(1).unwrap_or("undefined");
    ev.burn(270 + picture.len())?;
    if picture.len() > 1000 {
        return Err(fault(codes::D1015));
    }
    let s = Symbols::new(args.at(2));
    let pictures: Vec<&str> = picture.split(s.separator.as_str()).collect();
    if pictures.len() > 2 {
        return Err(fault(codes::D3080));
    }
    let mut layouts = Vec::with_capacity(2);
    for picture in pictures {
        let parts = split(picture, &s);
        if let Some(code) = check(&parts, &s) {
            return Err(fault(code));
        }
        layouts.push(analyse(parts, &s));
    }
    let negative = value < 0.0 || value.is_nan();
    let last = layouts.len() - 1;
    let sign = if negative && last == 0 { s.minus.as_str() } else { "" };
    let Some(layout) = layouts.get(if negative { last } else { 0 }) else { return Ok(Val::Undefined) };
    let text = write(value, layout, &s);
    ev.text(format!("{sign}{}{text}{}", layout.prefix, layout.suffix))
}

fn write(value: f64, layout: &Layout, s: &Symbols) -> String {
    let adjusted = if layout.picture.contains(s.percent.as_str()) {
        value * 100.0
    } else if layout.picture.contains(s.per_mille.as_str()) {
        value * 1000.0
    } else {
        value
    };
    let mut mantissa = adjusted;
    let mut exponent = None;
    if layout.min_exponent > 0 {
        let most = 10f64.powi(layout.scale as i32);
        let least = 10f64.powi(layout.scale as i32 - 1);
        let mut shift = 0;
        while mantissa != 0.0 && mantissa.abs() < least && shift > -400 {
            mantissa *= 10.0;
            shift -= 1;
        }
        while mantissa.abs() > most && shift < 400 {
            mantissa /= 10.0;
            shift += 1;
        }
        exponent = Some(shift);
    }
    let rounded = number::round(mantissa, layout.max_fraction as i32);
    let fixed = number::to_fixed(rounded.abs(), layout.max_fraction);
    let (integer, fraction) = fixed.split_once('.').unwrap_or((&fixed, ""));
    let (integer, fraction) = (integer.trim_start_matches('0'), fraction.trim_end_matches('0'));
    let family = |digits: &str| -> Vec<char> {
        digits
            .chars()
            .map(|c| match c.to_digit(10) {
                Some(d) => char::from_u32(s.zero as u32 + d).unwrap_or(c),
                None => c,
            })
            .collect()
    };
    let mut integer = family(integer);
    while integer.len() < layout.min_integer {
        integer.insert(0, s.zero);
    }
    let mut fraction = family(fraction);
    while fraction.len() < layout.min_fraction {
        fraction.push(s.zero);
    }
    let mut out = String::new();
    for (i, c) in integer.iter().enumerate() {
        let right = integer.len() - i;
        let group = if layout.regular > 0 { right % layout.regular == 0 } else { layout.groups.contains(&right) };
        if i > 0 && group {
            out.push_str(&s.grouping);
        }
        out.push(*c);
    }
    if layout.picture.contains(s.decimal.as_str()) && !fraction.is_empty() {
        out.push_str(&s.decimal);
    }
    for (i, c) in fraction.iter().enumerate() {
        if i > 0 && layout.fraction_groups.contains(&i) {
            out.push_str(&s.grouping);
        }
        out.push(*c);
    }
    if let Some(exponent) = exponent {
        out.push_str(&s.exponent);
        if exponent < 0 {
            out.push_str(&s.minus);
        }
        let mut digits = family(&i32::abs(exponent).to_string());
        while digits.len() < layout.min_exponent {
            digits.insert(0, s.zero);
        }
        out.extend(digits);
    }
    out
}
