//! `$now`, `$millis`, `$fromMillis`, `$toMillis`: times as text, in the format of a picture.

use super::Args;
use super::picture::{self, Case, Format, read_int};
use super::text_match::search;
use crate::base::decimal;
use crate::base::time::{civil, days_from_civil};
use crate::expr::jsonata::codes;
use crate::expr::jsonata::error::{Thrown, fault};
use crate::expr::jsonata::eval::{Evaluator, R};
use crate::expr::jsonata::value::Val;
use crate::expr::regex::{Options, Pattern, Scratch, escape};

const DAY: f64 = 86_400_000.0;
/// The latest time that JavaScript's dates can represent, in milliseconds.
const MAX_TIME: f64 = 8.64e15;
const ISO: &str = "[Y0001]-[M01]-[D01]T[H01]:[m01]:[s01].[f001][Z01:01t]";
const DAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const MONTHS: [&str; 12] =
    ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];

/// One part of a picture: literal text, or a component with its modifiers.
enum Part {
    Literal(String),
    Marker(Marker),
}

struct Marker {
    component: char,
    /// The case of names, if names are written instead of numbers.
    names: Option<Case>,
    format: Option<Format>,
    /// `t`: an offset of zero is written as `Z`.
    traditional: bool,
    /// Maximum number of characters of a name.
    max_width: Option<usize>,
    /// The number of digits of the year.
    digits: Option<usize>,
}

/// Parses a picture.
///
/// Errors: `D3132` for an unknown component, `D3135` for a bracket that is not closed, `D3131`.
fn analyse(picture: &str) -> Result<Vec<Part>, Thrown> {
    let mut parts = Vec::new();
    let literal = |text: &str| Part::Literal(text.replace("]]", "]"));
    let mut rest = picture;
    while let Some((before, after)) = rest.split_once('[') {
        if !before.is_empty() {
            parts.push(literal(before));
        }
        if let Some(after) = after.strip_prefix('[') {
            parts.push(Part::Literal("[".into()));
            rest = after;
            continue;
        }
        let Some((inside, after)) = after.split_once(']') else { return Err(fault(codes::D3135)) };
        let marker: String = inside.split_whitespace().collect();
        let marker = analyse_marker(&marker)?;
        // If there is nothing between two numbers, the first one has a fixed number of digits.
        if marker.format.is_some()
            && !matches!(marker.component, 'Z' | 'z')
            && let Some(Part::Marker(Marker { format: Some(previous), .. })) = parts.last_mut()
        {
            previous.width = Some(previous.mandatory);
        }
        parts.push(Part::Marker(marker));
        rest = after;
    }
    if !rest.is_empty() {
        parts.push(literal(rest));
    }
    Ok(parts)
}

fn analyse_marker(text: &str) -> Result<Marker, Thrown> {
    let component = text.chars().next().unwrap_or('\0');
    let modifiers = text.get(component.len_utf8().min(text.len())..).unwrap_or("");
    let (presentation, width) = match modifiers.rsplit_once(',') {
        Some((presentation, width)) => (presentation, Some(width)),
        None => (modifiers, None),
    };
    let parse_width = |text: &str| if text == "*" { None } else { Some(read_int(text)).filter(|n| *n >= 0.0).map(|n| n as usize) };
    let (min_width, max_width) = match width.map(|w| w.split_once('-').map_or((w, None), |(min, max)| (min, Some(max)))) {
        Some((min, max)) => (parse_width(min), max.and_then(parse_width)),
        None => (None, None),
    };
    let mut second = None;
    let mut first = presentation.to_string();
    if presentation.chars().count() > 1
        && let Some(last @ ('a' | 't' | 'c' | 'o')) = presentation.chars().last()
    {
        second = Some(last);
        first.pop();
    }
    if first.is_empty() {
        first = match component {
            'Y' | 'M' | 'D' | 'd' | 'W' | 'w' | 'X' | 'x' | 'H' | 'h' | 'f' => "1",
            'F' | 'P' | 'C' | 'E' => "n",
            'm' | 's' => "01",
            'Z' | 'z' => "01:01",
            _ => {
                let shown = if component == '\0' { String::new() } else { component.to_string() };
                return Err(fault(codes::D3132).text(&shown));
            }
        }
        .into();
    }
    let mut marker = Marker { component, names: None, format: None, traditional: second == Some('t'), max_width, digits: None };
    if first.starts_with('n') {
        marker.names = Some(Case::Lower);
    } else if first.starts_with('N') {
        marker.names = Some(if first.get(1..2) == Some("n") { Case::Title } else { Case::Upper });
    } else if "YMDdFWwXxHhmsf".contains(component) {
        let pattern = match second {
            Some(second) => format!("{first};{second}"),
            None => first.clone(),
        };
        let mut format = picture::analyse(&pattern)?;
        // No use case needs more; without a limit, a width could exhaust memory.
        let bound = |n: usize| if n > 10_000 { Err(fault(codes::D1015)) } else { Ok(n) };
        if let Some(min) = min_width {
            format.mandatory = format.mandatory.max(bound(min)?);
        }
        if component == 'Y' {
            if let Some(max) = max_width {
                marker.digits = Some(bound(max)?);
                format.mandatory = max;
            } else if format.mandatory + format.optional >= 2 {
                marker.digits = Some(format.mandatory + format.optional);
            }
        }
        marker.format = Some(format);
    }
    if matches!(component, 'Z' | 'z') {
        marker.format = Some(picture::analyse(&first)?);
    }
    Ok(marker)
}

/// The parts of a time in UTC.
struct Parts {
    millis: f64,
    year: i64,
    /// The month, from 0.
    month: i64,
    day: i64,
    hour: i64,
    minute: i64,
    second: i64,
    milli: i64,
}

impl Parts {
    fn of(millis: f64) -> Option<Parts> {
        if !millis.is_finite() || millis.abs() > MAX_TIME {
            return None;
        }
        let millis = millis.trunc();
        let days = (millis / DAY).floor();
        let rest = (millis - days * DAY) as i64;
        let (year, month, day) = civil(days as i64);
        Some(Parts {
            millis,
            year,
            month: month - 1,
            day,
            hour: rest / 3_600_000,
            minute: rest / 60_000 % 60,
            second: rest / 1000 % 60,
            milli: rest % 1000,
        })
    }

    /// The start of its day.
    fn today(&self) -> f64 {
        utc(self.year, self.month) + (self.day - 1) as f64 * DAY
    }

    /// The day of the week, from 1 for Monday.
    fn weekday(&self) -> i64 {
        ((self.millis / DAY).floor() as i64 + 3).rem_euclid(7) + 1
    }

    fn fragment(&self, component: char) -> f64 {
        let number = match component {
            'Y' => self.year,
            'M' => self.month + 1,
            'D' => self.day,
            'd' => return (self.today() - utc(self.year, 0)) / DAY + 1.0,
            'F' => self.weekday(),
            'W' => return self.week(12, 52.0),
            'w' => return self.week(1, 4.0),
            'X' => {
                self.year
                    + if self.millis < first_week(self.year, 0) {
                        -1
                    } else {
                        i64::from(self.millis >= first_week(self.year + 1, 0))
                    }
            }
            'x' => {
                let (_, next) = shift_month(self.year, self.month, 1);
                let (_, previous) = shift_month(self.year, self.month, -1);
                let (next_year, _) = shift_month(self.year, self.month, 1);
                1 + if self.millis < first_week(self.year, self.month) {
                    previous
                } else if self.millis >= first_week(next_year, next) {
                    next
                } else {
                    self.month
                }
            }
            'H' => self.hour,
            'h' => (self.hour + 11) % 12 + 1,
            'm' => self.minute,
            's' => self.second,
            'f' => self.milli,
            _ => return f64::NAN,
        };
        number as f64
    }

    /// The week that contains the day, within a period of this number of months.
    fn week(&self, months: i64, most: f64) -> f64 {
        let month = if months == 12 { 0 } else { self.month };
        let today = self.today();
        let since = |start: f64| (today - start) / (DAY * 7.0) + 1.0;
        let mut week = since(first_week(self.year, month));
        if week > most {
            let (year, next) = shift_month(self.year, month, months);
            if today >= first_week(year, next) {
                week = 1.0;
            }
        } else if week < 1.0 {
            let (year, previous) = shift_month(self.year, month, -months);
            week = since(first_week(year, previous));
        }
        week.floor()
    }
}

fn shift_month(year: i64, month: i64, by: i64) -> (i64, i64) {
    let count = year * 12 + month + by;
    (count.div_euclid(12), count.rem_euclid(12))
}

/// The first day of a month, which counts from 0, as in JavaScript's `Date.UTC`: years 0 to 99 are in the 20th century.
fn utc(year: i64, month: i64) -> f64 {
    let year = if (0..=99).contains(&year) { year + 1900 } else { year };
    let (year, month) = (year + month.div_euclid(12), month.rem_euclid(12));
    days_from_civil(year, month + 1, 1) as f64 * DAY
}

/// The Monday of the week that contains the period's first Thursday.
fn first_week(year: i64, month: i64) -> f64 {
    let first = utc(year, month);
    let weekday = ((first / DAY) as i64 + 3).rem_euclid(7) + 1;
    first + if weekday > 4 { (8 - weekday) as f64 * DAY } else { (1 - weekday) as f64 * DAY }
}

/// Formats a time.
fn format(millis: f64, picture: Option<&str>, timezone: Option<&str>) -> Result<String, Thrown> {
    let offset = timezone.map_or(0.0, read_int);
    let (hours, minutes) = ((offset / 100.0).floor(), offset % 100.0);
    let parts = analyse(picture.unwrap_or(ISO))?;
    let date = Parts::of(millis + (60.0 * hours + minutes) * 60_000.0);
    let mut out = String::new();
    for part in &parts {
        match part {
            Part::Literal(text) => out.push_str(text),
            Part::Marker(marker) => write_marker(&mut out, marker, date.as_ref(), hours, minutes)?,
        }
    }
    Ok(out)
}

fn write_marker(out: &mut String, marker: &Marker, date: Option<&Parts>, hours: f64, minutes: f64) -> Result<(), Thrown> {
    let component = marker.component;
    match component {
        'Z' | 'z' => return write_zone(out, marker, hours, minutes),
        'P' => {
            let afternoon = date.is_some_and(|d| d.hour >= 12);
            out.push_str(match (afternoon, marker.names == Some(Case::Upper)) {
                (false, false) => "am",
                (false, true) => "AM",
                (true, false) => "pm",
                (true, true) => "PM",
            });
            return Ok(());
        }
        'C' | 'E' => {
            out.push_str("ISO");
            return Ok(());
        }
        _ => {}
    }
    let mut value = date.map_or(f64::NAN, |d| d.fragment(component));
    if let (Some(case), true) = (marker.names, component != 'f') {
        let name = match component {
            'M' | 'x' => MONTHS.get((value - 1.0) as usize),
            'F' => DAYS.get((value - 1.0) as usize),
            _ => return Err(fault(codes::D3133).text(&component.to_string())),
        };
        let name = name.copied().unwrap_or("");
        let name = match case {
            Case::Upper => name.to_ascii_uppercase(),
            Case::Lower => name.to_ascii_lowercase(),
            Case::Title => name.to_string(),
        };
        out.extend(name.chars().take(marker.max_width.unwrap_or(usize::MAX)));
        return Ok(());
    }
    if component == 'Y'
        && let Some(digits) = marker.digits
    {
        value %= 10f64.powi(digits.min(300) as i32);
    }
    match &marker.format {
        Some(format) => out.push_str(&format.write(value)?),
        None => return Err(fault(codes::D3133).text(&component.to_string())),
    }
    Ok(())
}

fn write_zone(out: &mut String, marker: &Marker, hours: f64, minutes: f64) -> Result<(), Thrown> {
    let Some(format) = &marker.format else { return Ok(()) };
    let offset = hours * 100.0 + minutes;
    if offset == 0.0 && marker.traditional {
        out.push('Z');
        return Ok(());
    }
    if marker.component == 'z' {
        out.push_str("GMT");
    }
    if offset >= 0.0 {
        out.push('+');
    }
    if format.regular.is_some() {
        out.push_str(&format.write(offset)?);
        return Ok(());
    }
    match format.mandatory {
        1 | 2 => {
            out.push_str(&format.write(hours)?);
            if minutes != 0.0 {
                out.push(':');
                out.push_str(&picture::analyse("00")?.write(minutes)?);
            }
        }
        3 | 4 => out.push_str(&format.write(offset)?),
        n => return Err(fault(codes::D3134).json(n.to_string())),
    }
    Ok(())
}

/// Returns the value of a component's text.
fn read(marker: &Marker, text: &str) -> Result<Option<f64>, Thrown> {
    if matches!(marker.component, 'Z' | 'z') {
        let text = if marker.component == 'z' { text.get(3..).unwrap_or("") } else { text };
        let separator = marker.format.as_ref().and_then(|f| f.regular).map(|(_, c)| c);
        let (hours, minutes) = match separator.and_then(|c| text.split_once(c)) {
            Some((hours, minutes)) => (read_int(hours), read_int(minutes)),
            None if text.len() <= 3 => (read_int(text), 0.0),
            None => (read_int(text.get(..3).unwrap_or("")), read_int(text.get(3..).unwrap_or(""))),
        };
        return Ok(Some(hours * 60.0 + minutes));
    }
    if marker.component == 'f' {
        let digits = text.get(..text.len().min(3)).unwrap_or("");
        return Ok(decimal::parse(&format!("0.{digits}")).map(|x| x * 1000.0));
    }
    if let Some(format) = &marker.format {
        return format.read(text).map(Some);
    }
    let index = |names: &[&str]| {
        let cut = |name: &str| name.chars().take(marker.max_width.unwrap_or(usize::MAX)).collect::<String>();
        names.iter().position(|name| cut(name) == text).map(|i| i as f64 + 1.0)
    };
    Ok(match marker.component {
        'M' | 'x' => index(&MONTHS),
        'F' => index(&DAYS),
        _ => match text {
            "am" | "AM" => Some(0.0),
            "pm" | "PM" => Some(1.0),
            _ => None,
        },
    })
}

fn pattern(marker: &Marker) -> Result<String, Thrown> {
    if matches!(marker.component, 'Z' | 'z') {
        let mut out = String::from(if marker.component == 'z' { "GMT[-+][0-9]+" } else { "[-+][0-9]+" });
        if let Some((_, separator)) = marker.format.as_ref().and_then(|f| f.regular) {
            out.push_str(&escape(&separator.to_string()));
            out.push_str("[0-9]+");
        }
        return Ok(out);
    }
    if marker.component == 'f' {
        return Ok("[0-9]+".into());
    }
    if let Some(format) = &marker.format {
        return format.pattern();
    }
    if !"MxFP".contains(marker.component) {
        return Err(fault(codes::D3133).text(&marker.component.to_string()));
    }
    Ok("[a-zA-Z]+".into())
}

/// Parses a time with a picture; `None` if the text does not match it.
fn parse(ev: &mut Evaluator<'_>, text: &str, picture: &str, now: &Parts) -> Result<Option<f64>, Thrown> {
    let parts = analyse(picture)?;
    let mut source = String::new();
    for part in &parts {
        match part {
            Part::Literal(text) => source.push_str(&format!("({})", escape(text))),
            Part::Marker(marker) => source.push_str(&format!("({})", pattern(marker)?)),
        }
    }
    let options = Options { ignore_case: true, whole: true, ..Options::default() };
    let pattern = Pattern::compile(&source, options).map_err(|_| fault(codes::D1015))?;
    let mut scratch = Scratch::default();
    if search(ev, &pattern, text, 0, &mut scratch)?.is_none() {
        return Ok(None);
    }
    let mut known = Components(Vec::new());
    for (i, part) in parts.iter().enumerate() {
        if let (Part::Marker(marker), Some(text)) = (part, scratch.group(text, i + 1)) {
            known.set(marker.component, read(marker, text)?);
        }
    }
    if known.0.is_empty() {
        return Ok(None);
    }
    known.instant(now).map(Some)
}

/// The components that a text has, by letter; `None` for a text without a value.
struct Components(Vec<(char, Option<f64>)>);

impl Components {
    fn get(&self, component: char) -> Option<f64> {
        self.0.iter().find(|(c, _)| *c == component).and_then(|(_, v)| *v)
    }

    fn set(&mut self, component: char, value: Option<f64>) {
        self.0.retain(|(c, _)| *c != component);
        self.0.push((component, value));
    }

    /// Whether at least one of these components is known, and no other.
    fn only(&self, all: &str, allowed: &str) -> bool {
        let known = |c: char| self.get(c).is_some_and(|v| v != 0.0 && !v.is_nan());
        let mut any = false;
        for c in all.chars().filter(|c| known(*c)) {
            if !allowed.contains(c) {
                return false;
            }
            any = true;
        }
        any
    }

    fn instant(mut self, now: &Parts) -> Result<f64, Thrown> {
        const DATE: &str = "YXMxWwdD";
        const TIME: &str = "PHhmsf";
        let by_month = self.only(DATE, "YMD");
        let by_day = !by_month && self.only(DATE, "Yd");
        let by_month_week = self.only(DATE, "XxwF");
        let by_week = !by_month_week && self.only(DATE, "XWF");
        let by_24 = self.only(TIME, "Hmsf");
        let by_12 = !by_24 && self.only(TIME, "Phmsf");
        // In the reference implementation, a year with the day of the year is completed by the day of the month.
        let date = if by_day {
            "YD"
        } else if by_month_week {
            "XxwF"
        } else if by_week {
            "XWF"
        } else {
            "YMD"
        };
        let time = if by_12 { "Phmsf" } else { "Hmsf" };
        let (mut started, mut ended) = (false, false);
        for component in date.chars().chain(time.chars()) {
            if self.get(component).is_some() {
                started = true;
                if ended {
                    return Err(fault(codes::D3136));
                }
            } else if started {
                self.set(component, Some(if "MDd".contains(component) { 1.0 } else { 0.0 }));
                ended = true;
            } else {
                self.set(component, Some(now.fragment(component)));
            }
        }
        if by_month_week || by_week {
            return Err(fault(codes::D3136));
        }
        let get = |c: char| self.get(c).map_or(f64::NAN, f64::trunc);
        let mut month = get('M');
        month = if month > 0.0 { month - 1.0 } else { 0.0 };
        let mut day = get('D');
        if by_day {
            let derived = Parts::of(utc_of(get('Y'), 0.0) + (get('d') - 1.0) * DAY);
            month = derived.as_ref().map_or(f64::NAN, |d| d.month as f64);
            day = derived.as_ref().map_or(f64::NAN, |d| d.day as f64);
        }
        let mut hour = get('H');
        if by_12 {
            hour = if get('h') == 12.0 { 0.0 } else { get('h') };
            if get('P') == 1.0 {
                hour += 12.0;
            }
        }
        let mut millis = utc_of(get('Y'), month) + (day - 1.0) * DAY;
        millis += hour * 3_600_000.0 + get('m') * 60_000.0 + get('s') * 1000.0 + get('f');
        let zone = self.get('Z').filter(|z| *z != 0.0).or(self.get('z'));
        if let Some(zone) = zone {
            millis -= zone * 60_000.0;
        }
        Ok(if millis.abs() > MAX_TIME { f64::NAN } else { millis })
    }
}

fn utc_of(year: f64, month: f64) -> f64 {
    if year.is_nan() || month.is_nan() || year.abs() > 400_000.0 || month.abs() > 5_000_000.0 {
        return f64::NAN;
    }
    utc(year as i64, month as i64)
}

/// Parses a timestamp in ISO 8601; `None` if it does not look like one.
fn parse_iso(text: &str) -> Option<f64> {
    let bytes = text.as_bytes();
    let number = |at: usize, len: usize| -> Option<f64> {
        let digits = text.get(at..at + len)?;
        digits.bytes().all(|b| b.is_ascii_digit()).then(|| read_int(digits))
    };
    let year = number(0, 4)?;
    let mut at = 4;
    let (mut month, mut day) = (1.0, 1.0);
    if bytes.get(at) == Some(&b'-') {
        month = number(at + 1, 2)?;
        at += 3;
        if bytes.get(at) == Some(&b'-') {
            day = number(at + 1, 2)?;
            at += 3;
        }
    }
    let mut time = 0.0;
    let mut valid = (1.0..=12.0).contains(&month) && (1.0..=31.0).contains(&day);
    if bytes.get(at) == Some(&b'T') {
        let (h, m, s) = (number(at + 1, 2)?, number(at + 4, 2)?, number(at + 7, 2)?);
        if bytes.get(at + 3) != Some(&b':') || bytes.get(at + 6) != Some(&b':') {
            return None;
        }
        valid &= h <= 24.0 && m < 60.0 && s < 60.0 && (h < 24.0 || (m == 0.0 && s == 0.0));
        time = h * 3_600_000.0 + m * 60_000.0 + s * 1000.0;
        at += 9;
    }
    if bytes.get(at) == Some(&b'.') {
        let digits = bytes.iter().skip(at + 1).take_while(|b| b.is_ascii_digit()).count();
        if digits == 0 {
            return None;
        }
        time += number(at + 1, digits.min(3))? * [0.0, 100.0, 10.0, 1.0].get(digits.min(3)).copied().unwrap_or(1.0);
        at += 1 + digits;
    }
    match bytes.get(at) {
        Some(b'Z') => at += 1,
        Some(sign @ (b'+' | b'-')) => {
            let hours = number(at + 1, 2)?;
            let colon = usize::from(bytes.get(at + 3) == Some(&b':'));
            let minutes = number(at + 3 + colon, 2)?;
            let offset = (hours * 60.0 + minutes) * 60_000.0;
            time -= if *sign == b'+' { offset } else { -offset };
            at += 5 + colon;
        }
        _ => {}
    }
    if at != bytes.len() {
        return None;
    }
    if !valid {
        return Some(f64::NAN);
    }
    let days = days_from_civil(year as i64, month as i64, 1) as f64 + day - 1.0;
    Some(days * DAY + time)
}

/// `$now(picture?, timezone?)`: the time of the evaluation.
pub(super) fn now(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    write(ev, ev.now.0 as f64, args.text(0), args.text(1))
}

/// `$millis()`: the time of the evaluation.
pub(super) fn millis(ev: &mut Evaluator<'_>, _: &Args<'_>) -> R<Val> {
    Ok(Val::num(ev.now.0 as f64))
}

/// `$fromMillis(number, picture?, timezone?)`
pub(super) fn from_millis(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    match args.number(0) {
        Some(millis) => write(ev, millis, args.text(1), args.text(2)),
        None => Ok(Val::Undefined),
    }
}

fn write(ev: &mut Evaluator<'_>, millis: f64, picture: Option<&str>, timezone: Option<&str>) -> R<Val> {
    ev.burn(200 + 5 * picture.map_or(0, str::len))?;
    let text = format(millis, picture, timezone)?;
    ev.text(text)
}

/// `$toMillis(text, picture?)`
pub(super) fn to_millis(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    let Some(text) = args.text(0) else { return Ok(Val::Undefined) };
    let Some(picture) = args.text(1) else {
        ev.burn(40)?;
        return match parse_iso(text) {
            Some(millis) => Ok(Val::num(millis)),
            None => Err(fault(codes::D3110).json(ev.shown(args.at(0)))),
        };
    };
    // No date is longer, and the search in a longer text would have to be charged.
    if picture.len() > 1000 || text.len() > 1000 {
        return Err(fault(codes::D1015));
    }
    ev.burn(picture.len().saturating_mul(1 + text.len() / 16).saturating_add(1_500))?;
    let Some(now) = Parts::of(ev.now.0 as f64) else { return Ok(Val::Undefined) };
    Ok(parse(ev, text, picture, &now)?.map_or(Val::Undefined, Val::num))
}
