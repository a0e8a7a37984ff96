//! `$match`, `$contains`, `$replace`, `$split`: with strings, regular expressions, or matchers written as functions.

use super::Args;
use crate::base::span::utf16_len;
use crate::expr::jsonata::codes;
use crate::expr::jsonata::error::fault;
use crate::expr::jsonata::eval::{Evaluator, R};
use crate::expr::jsonata::value::{Function, Val};
use crate::expr::regex::{Match, Pattern, Scratch};
use std::rc::Rc;
use std::sync::Arc;

/// A match of a regular expression or of a custom matcher. Offsets are in bytes.
struct Found {
    start: usize,
    end: usize,
    /// The result of a custom matcher. For a regular expression, the groups are in the memory of the search.
    custom: Option<Custom>,
}

/// The result of a custom matcher: the object, and the text and the groups in it.
struct Custom {
    object: Val,
    text: Val,
    groups: Vec<Val>,
}

/// Finds matches one after another.
struct Matcher<'a> {
    source: &'a Rc<Function>,
    text: &'a str,
    /// Where the search continues; for a custom matcher only whether it has started.
    at: Option<usize>,
    /// The function of a custom matcher that finds the next match.
    next: Val,
    /// The last converted offset in bytes and in UTF-16 units, from which the next conversion starts.
    place: (usize, usize),
    scratch: Scratch,
}

/// How many steps of the regular expression engine cost as much as one step of evaluation.
const STEPS_PER_FUEL: u64 = 2;

/// Searches for a match and charges the search.
pub(super) fn search(
    ev: &mut Evaluator<'_>,
    pattern: &Pattern,
    text: &str,
    from: usize,
    scratch: &mut Scratch,
) -> R<Option<Match>> {
    ev.burn(4)?;
    let mut steps = ev.fuel.min(u64::MAX / STEPS_PER_FUEL) * STEPS_PER_FUEL;
    let found = pattern.find(text, from, scratch, &mut steps);
    ev.fuel = steps / STEPS_PER_FUEL;
    found.map_err(|_| fault(codes::D1012))
}

impl<'a> Matcher<'a> {
    fn new(ev: &mut Evaluator<'_>, source: &'a Rc<Function>, text: &'a str) -> Matcher<'a> {
        let scratch = std::mem::take(&mut ev.scratch);
        Matcher { source, text, at: None, next: Val::Undefined, place: (0, 0), scratch }
    }

    /// Ends the matcher, and leaves the memory of its searches to the next one.
    fn end(self, ev: &mut Evaluator<'_>) {
        ev.scratch = self.scratch;
    }

    /// The matched text; for a custom matcher it may be any text.
    fn matched<'m>(&self, one: &'m Found) -> &'m str
    where
        'a: 'm,
    {
        match &one.custom {
            None => self.text.get(one.start..one.end).unwrap_or(""),
            Some(custom) => custom.text.as_str().unwrap_or(""),
        }
    }

    fn matched_value(&self, one: &Found) -> Val {
        match &one.custom {
            None => Val::str(self.matched(one)),
            Some(custom) => custom.text.clone(),
        }
    }

    /// The number of groups of a match.
    fn groups(&self, one: &Found) -> usize {
        match (&one.custom, &**self.source) {
            (Some(custom), _) => custom.groups.len(),
            (None, Function::Regex(pattern)) => pattern.groups(),
            _ => 0,
        }
    }

    /// The text of a group of the last match; groups count from 0.
    fn group<'m>(&self, one: &'m Found, index: usize) -> &'m str
    where
        'a: 'm,
    {
        match &one.custom {
            None => self.scratch.group(self.text, index + 1),
            Some(custom) => custom.groups.get(index).and_then(Val::as_str),
        }
        .unwrap_or("")
    }

    /// The groups of the last match as values.
    fn group_values(&self, one: &Found) -> Vec<Val> {
        match &one.custom {
            None => group_values(&self.scratch, self.text, self.groups(one)),
            Some(custom) => custom.groups.clone(),
        }
    }

    fn find(&mut self, ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Option<Found>> {
        match &**self.source {
            Function::Regex(pattern) => self.find_pattern(ev, pattern),
            _ => self.find_custom(ev, args),
        }
    }

    fn find_pattern(&mut self, ev: &mut Evaluator<'_>, pattern: &Pattern) -> R<Option<Found>> {
        let from = match self.at {
            Some(at) if at >= self.text.len() => return Ok(None),
            Some(at) => at,
            None => 0,
        };
        let Some(found) = search(ev, pattern, self.text, from, &mut self.scratch)? else { return Ok(None) };
        if self.at.is_some() && found.start == found.end {
            return Err(fault(codes::D1004).text(&pattern.source));
        }
        self.at = Some(found.end);
        Ok(Some(Found { start: found.start, end: found.end, custom: None }))
    }

    fn find_custom(&mut self, ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Option<Found>> {
        let result = if self.at.is_none() {
            self.at = Some(0);
            ev.invoke(self.source, vec![Val::str(self.text)], args.frame)?
        } else {
            match &self.next {
                Val::Func(next) => {
                    let next = next.clone();
                    ev.invoke(&next, vec![Val::Undefined], args.frame)?
                }
                _ => Val::Undefined,
            }
        };
        if result.is_undefined() {
            return Ok(None);
        }
        let start = ev.number_member(&result, "start");
        let groups = result.member("groups").filter(Val::is_array);
        let next = result.member("next").unwrap_or(Val::Undefined);
        if start.is_none() && groups.is_none() && next.as_func().is_none() {
            return Err(fault(codes::T1010));
        }
        let start = self.byte_offset(start.unwrap_or(0.0));
        let text = result.member("match").unwrap_or(Val::Undefined);
        let end = match ev.number_member(&result, "end") {
            Some(end) => self.byte_offset(end),
            None => start + text.as_str().map_or(0, str::len),
        };
        self.next = next;
        let groups = groups.map_or(Vec::new(), |g| g.items().to_vec());
        Ok(Some(Found { start, end: end.max(start), custom: Some(Custom { object: result, text, groups }) }))
    }

    /// The UTF-16 offset of a byte offset.
    fn units(&mut self, offset: usize) -> usize {
        let (bytes, units) = if offset >= self.place.0 { self.place } else { (0, 0) };
        let more = self.text.as_bytes().get(bytes..offset).map_or(0, utf16_len);
        self.place = (offset, units + more);
        self.place.1
    }

    /// The byte offset of a UTF-16 offset.
    fn byte_offset(&self, units: f64) -> usize {
        let mut rest = units;
        for (i, c) in self.text.char_indices() {
            if rest < 1.0 {
                return i;
            }
            rest -= c.len_utf16() as f64;
        }
        self.text.len()
    }
}

/// Returns the groups of the last match as values.
fn group_values(scratch: &Scratch, text: &str, groups: usize) -> Vec<Val> {
    (1..=groups).map(|group| scratch.group(text, group).map_or(Val::Undefined, Val::str)).collect()
}

/// Calls a regular expression as a function. Returns the match as an object that contains a function for the next match.
pub(in crate::expr::jsonata) fn regex_match(ev: &mut Evaluator<'_>, pattern: &Arc<Pattern>, text: &Val, from: usize) -> R<Val> {
    let Some(subject) = text.as_str() else { return Ok(Val::Undefined) };
    let mut scratch = std::mem::take(&mut ev.scratch);
    let Some(found) = search(ev, pattern, subject, from, &mut scratch)? else { return Ok(Val::Undefined) };
    let start = utf16_len(subject.as_bytes().get(..found.start).unwrap_or(&[]));
    let end = start + utf16_len(subject.as_bytes().get(found.start..found.end).unwrap_or(&[]));
    let groups = group_values(&scratch, subject, pattern.groups());
    ev.scratch = scratch;
    let next = Val::func(Function::NextMatch { pattern: pattern.clone(), text: text.clone(), from: found.end });
    let groups = ev.list(groups)?;
    let keys = ["match", "start", "end", "groups", "next"].map(Arc::from);
    let text = Val::str(subject.get(found.start..found.end).unwrap_or(""));
    ev.record(&keys, [text, Val::int(start as i64), Val::int(end as i64), groups, next])
}

/// Returns the limit argument; infinity if it was not given.
fn limit(args: &Args<'_>, index: usize, code: &'static str) -> R<f64> {
    match args.number(index) {
        Some(limit) if limit < 0.0 => Err(fault(code).index(index + 1)),
        Some(limit) => Ok(limit),
        None => Ok(f64::INFINITY),
    }
}

/// `$match(text, pattern, limit?)`
pub(super) fn match_all(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    let Some(text) = args.text(0) else { return Ok(Val::Undefined) };
    let limit = limit(args, 2, codes::D3040)?;
    let Some(source) = args.at(1).as_func() else { return Ok(Val::Undefined) };
    let mut out = Vec::new();
    if limit > 0.0 {
        let keys = ["match", "index", "groups"].map(Arc::from);
        let mut matcher = Matcher::new(ev, source, text);
        let mut found = matcher.find(ev, args)?;
        while let Some(one) = found.take().filter(|_| (out.len() as f64) < limit) {
            let index = match &one.custom {
                Some(custom) => custom.object.member("start").unwrap_or(Val::Undefined),
                None => Val::int(matcher.units(one.start) as i64),
            };
            ev.burn(30)?;
            let groups = match matcher.groups(&one) {
                0 => Val::NO_ITEMS,
                _ => ev.list(matcher.group_values(&one))?,
            };
            out.push(ev.record(&keys, [matcher.matched_value(&one), index, groups])?);
            found = matcher.find(ev, args)?;
        }
        matcher.end(ev);
    }
    ev.sequence(out)
}

/// `$contains(text, pattern)`
pub(super) fn contains(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    let Some(text) = args.text(0) else { return Ok(Val::Undefined) };
    Ok(Val::Bool(match args.at(1) {
        Val::Undefined => return Ok(Val::Undefined),
        Val::Func(source) => {
            let mut matcher = Matcher::new(ev, source, text);
            let found = matcher.find(ev, args)?.is_some();
            matcher.end(ev);
            found
        }
        pattern => {
            ev.burn(text.len() / 64)?;
            text.contains(pattern.as_str().unwrap_or("undefined"))
        }
    }))
}

/// `$split(text, separator, limit?)`
pub(super) fn split(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    let Some(text) = args.text(0) else { return Ok(Val::Undefined) };
    let limit = limit(args, 2, codes::D3020)?;
    let mut out: Vec<Val> = Vec::new();
    match args.at(1) {
        Val::Func(source) if limit > 0.0 => {
            let mut matcher = Matcher::new(ev, source, text);
            let mut found = matcher.find(ev, args)?;
            let mut start = 0;
            while let Some(one) = found.take().filter(|_| (out.len() as f64) < limit) {
                out.push(Val::str(text.get(start..one.start).unwrap_or("")));
                start = one.end;
                found = matcher.find(ev, args)?;
            }
            matcher.end(ev);
            if (out.len() as f64) < limit {
                out.push(Val::str(text.get(start..).unwrap_or("")));
            }
        }
        Val::Func(_) => {}
        separator => {
            // JavaScript truncates the limit.
            let most = if limit.is_finite() { limit.trunc() as usize } else { usize::MAX };
            ev.burn(text.len() / 8)?;
            let parts = match separator.as_str() {
                Some("") => text.len(),
                Some(separator) => 1 + text.matches(separator).count(),
                None => 1,
            };
            ev.check_items(parts.min(most))?;
            match separator.as_str() {
                Some("") => out.extend(text.chars().take(most).map(|c| Val::str(c.encode_utf8(&mut [0; 4])))),
                Some(separator) => out.extend(text.split(separator).take(most).map(Val::str)),
                None => out.extend(std::iter::once(args.at(0).clone()).take(most)),
            }
        }
    }
    ev.list(out)
}

/// `$replace(text, pattern, replacement, limit?)`
pub(super) fn replace(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    let Some(text) = args.text(0) else { return Ok(Val::Undefined) };
    if args.text(1) == Some("") {
        return Err(fault(codes::D3010).index(2));
    }
    let limit = limit(args, 3, codes::D3011)?;
    if limit <= 0.0 {
        return Ok(args.at(0).clone());
    }
    let Some(source) = args.at(1).as_func() else { return replace_text(ev, args, text, limit) };
    let mut matcher = Matcher::new(ev, source, text);
    let Some(mut one) = matcher.find(ev, args)? else {
        matcher.end(ev);
        return Ok(args.at(0).clone());
    };
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    let mut count = 0.0;
    while count < limit {
        out.push_str(text.get(at..one.start).unwrap_or(""));
        match args.at(2) {
            Val::Func(replacer) => {
                let found = match &one.custom {
                    Some(custom) => custom.object.clone(),
                    None => match_object(ev, &mut matcher, &one)?,
                };
                let value = ev.invoke(replacer, vec![found], args.frame)?;
                match value.as_str() {
                    Some(value) => out.push_str(value),
                    None => return Err(fault(codes::D3012).json(ev.shown(&value))),
                }
            }
            template => expand(&mut out, template.as_str().unwrap_or(""), &matcher, &one),
        }
        ev.check_text(out.len())?;
        at = one.start + matcher.matched(&one).len();
        count += 1.0;
        match matcher.find(ev, args)? {
            Some(next) => one = next,
            None => break,
        }
    }
    matcher.end(ev);
    out.push_str(text.get(at..).unwrap_or(""));
    ev.text(out)
}

/// Returns the match as replacement functions get it.
fn match_object(ev: &mut Evaluator<'_>, matcher: &mut Matcher<'_>, one: &Found) -> R<Val> {
    let (start, end) = (matcher.units(one.start), matcher.units(one.end));
    let groups = ev.list(matcher.group_values(one))?;
    let keys = ["match", "start", "end", "groups"].map(Arc::from);
    ev.record(&keys, [matcher.matched_value(one), Val::int(start as i64), Val::int(end as i64), groups])
}

fn replace_text(ev: &mut Evaluator<'_>, args: &Args<'_>, text: &str, limit: f64) -> R<Val> {
    let pattern = args.text(1).unwrap_or("undefined");
    let mut out = String::new();
    let mut rest = text;
    let mut count = 0.0;
    while count < limit
        && let Some((before, after)) = rest.split_once(pattern)
    {
        out.push_str(before);
        match args.at(2).as_str() {
            Some(replacement) => out.push_str(replacement),
            None => return Err(fault(codes::D3012).json(ev.shown(args.at(2)))),
        }
        rest = after;
        count += 1.0;
        if out.len() > ev.limits.text {
            return Err(fault(codes::D1015));
        }
        ev.burn(1)?;
    }
    out.push_str(rest);
    ev.text(out)
}

/// Writes a replacement text: `$$` is a dollar, `$0` the match, `$1` a group.
fn expand(out: &mut String, template: &str, matcher: &Matcher<'_>, found: &Found) {
    let groups = matcher.groups(found);
    let mut rest = template;
    // Replacements are short, so that checking each byte is faster than starting a search.
    while let Some((before, after)) = rest.bytes().position(|b| b == b'$').and_then(|at| rest.split_at_checked(at)) {
        out.push_str(before);
        rest = after.get(1..).unwrap_or("");
        if let Some(after) = rest.strip_prefix('$') {
            out.push('$');
            rest = after;
            continue;
        }
        if let Some(after) = rest.strip_prefix('0') {
            out.push_str(matcher.matched(found));
            rest = after;
            continue;
        }
        // A group number has at most as many digits as the number of groups, or one less if no group has that number.
        let most = digits_of(groups);
        let digits = rest.bytes().take(most).take_while(u8::is_ascii_digit).count();
        let number = |len: usize| rest.get(..len).and_then(|d| d.parse::<usize>().ok());
        let mut len = digits;
        if most > 1 && len == most && number(len).is_some_and(|n| n > groups) {
            len -= 1;
        }
        match number(len) {
            Some(n) => {
                if let Some(index) = n.checked_sub(1) {
                    out.push_str(matcher.group(found, index));
                }
                // Leading zeros of the number are not skipped.
                rest = rest.get(digits_of(n)..).unwrap_or("");
            }
            None => out.push('$'),
        }
    }
    out.push_str(rest);
}

fn digits_of(n: usize) -> usize {
    n.checked_ilog10().map_or(1, |tens| tens as usize + 1)
}
