//! Functions on strings.

use super::Args;
use crate::base::case;
use crate::expr::jsonata::codes;
use crate::expr::jsonata::error::fault;
use crate::expr::jsonata::eval::{Evaluator, R, write_json};
use crate::expr::jsonata::value::{Flags, Val};

/// `$string(value, prettify?)`
pub(super) fn string(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    let value = args.at(0);
    match value {
        Val::Undefined | Val::Str(_) | Val::Long(_) => return Ok(value.clone()),
        _ => {}
    }
    let mut out = String::new();
    match args.at(1) {
        Val::Bool(true) if value.is_array() || value.is_object() => {
            let inner = if value.flags().has(Flags::OUTER) { value.items().get(0) } else { None };
            write_json(ev, &mut out, inner.as_ref().unwrap_or(value), Some(0))?;
        }
        _ => ev.append_text(&mut out, value)?,
    }
    ev.text(out)
}

/// `$substring(text, start, length?)`: counted in characters, from the end if negative.
pub(super) fn substring(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    let Some(text) = args.text(0) else { return Ok(Val::Undefined) };
    let count = text.chars().count() as f64;
    ev.burn(text.len() / 64)?;
    let start = args.number(1).unwrap_or(0.0);
    let start = if count + start < 0.0 { 0.0 } else { start };
    let end = match args.number(2) {
        Some(length) if length <= 0.0 => return Ok(Val::str("")),
        Some(length) if start >= 0.0 => start + length,
        Some(length) => count + start + length,
        None => count,
    };
    // As in `slice`, numbers are truncated, and negative ones count from the end.
    let index = |x: f64| {
        let x = x.trunc();
        (if x < 0.0 { (count + x).max(0.0) } else { x.min(count) }) as usize
    };
    let (start, end) = (index(start), index(end));
    if start >= end {
        return Ok(Val::str(""));
    }
    let mut places = text.char_indices().map(|(i, _)| i).chain([text.len()]);
    let from = places.by_ref().nth(start).unwrap_or(text.len());
    let to = places.nth(end - start - 1).unwrap_or(text.len());
    ev.text(text.get(from..to).unwrap_or("").to_string())
}

/// `$substringBefore(text, part)`: the whole text if it does not contain the part.
pub(super) fn substring_before(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    let Some(text) = args.text(0) else { return Ok(Val::Undefined) };
    match text.split_once(args.text(1).unwrap_or("undefined")) {
        Some((before, _)) => ev.text(before.to_string()),
        None => Ok(args.at(0).clone()),
    }
}

/// `$substringAfter(text, part)`: the whole text if it does not contain the part.
pub(super) fn substring_after(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    let Some(text) = args.text(0) else { return Ok(Val::Undefined) };
    match text.split_once(args.text(1).unwrap_or("undefined")) {
        Some((_, after)) => ev.text(after.to_string()),
        None => Ok(args.at(0).clone()),
    }
}

/// `$lowercase(text)`
pub(super) fn lowercase(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    match args.text(0) {
        Some(text) => {
            ev.burn(text.len() / 8)?;
            ev.text(case::lower(text))
        }
        None => Ok(Val::Undefined),
    }
}

/// `$uppercase(text)`
pub(super) fn uppercase(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    match args.text(0) {
        Some(text) => {
            ev.burn(text.len() / 8)?;
            ev.text(case::upper(text))
        }
        None => Ok(Val::Undefined),
    }
}

/// `$length(text)`: the number of characters.
pub(super) fn length(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    let Some(text) = args.text(0) else { return Ok(Val::Undefined) };
    ev.burn(text.len() / 64)?;
    Ok(Val::int(text.chars().count() as i64))
}

/// `$trim(text)`: replaces runs of white space by one blank, and removes them at both ends.
pub(super) fn trim(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    let Some(text) = args.text(0) else { return Ok(Val::Undefined) };
    ev.burn(text.len() / 16)?;
    let mut out = String::with_capacity(text.len());
    for word in text.split([' ', '\t', '\n', '\r']).filter(|word| !word.is_empty()) {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    ev.text(out)
}

/// `$pad(text, width, char?)`: pads on the right, or on the left if the width is negative.
pub(super) fn pad(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    let Some(text) = args.text(0) else { return Ok(Val::Undefined) };
    let width = args.number(1).unwrap_or(0.0).trunc();
    let missing = width.abs() - text.chars().count() as f64;
    if missing.is_nan() || missing < 1.0 {
        return Ok(args.at(0).clone());
    }
    if missing > ev.limits.text as f64 {
        return Err(fault(codes::D1015));
    }
    let missing = missing as usize;
    let filler = args.text(2).filter(|s| !s.is_empty()).unwrap_or(" ");
    let width_of_one = filler.chars().next().map_or(1, char::len_utf8);
    ev.check_text(missing.saturating_mul(width_of_one).saturating_add(text.len()))?;
    ev.burn(missing / 16)?;
    // For a single character, the usual padding, whole blocks are copied.
    let padding: String =
        if filler.len() == width_of_one { filler.repeat(missing) } else { filler.chars().cycle().take(missing).collect() };
    ev.text(if width > 0.0 { [text, &padding].concat() } else { [&padding, text].concat() })
}

/// `$join(texts, separator?)`
pub(super) fn join(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    let texts = args.at(0);
    if texts.is_undefined() {
        return Ok(Val::Undefined);
    }
    let separator = args.text(1).unwrap_or("");
    let mut out = String::new();
    ev.burn(texts.items().len())?;
    for (i, text) in texts.items().iter().enumerate() {
        if i > 0 {
            out.push_str(separator);
        }
        out.push_str(text.as_str().unwrap_or(""));
        if out.len() > ev.limits.text {
            return Err(fault(codes::D1015));
        }
    }
    ev.text(out)
}
