//! Times without a clock: milliseconds that the host supplies, and RFC 3339 text.

use super::number::write_int;
use std::fmt;

/// Milliseconds since 1970-01-01T00:00:00Z, from the host's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Millis(pub u64);

impl Millis {
    /// The latest time of a JavaScript Date, which is also the latest time here.
    pub const LAST: Millis = Millis(8_640_000_000_000_000);

    /// Returns this time plus a delay, clamped to the latest time.
    #[must_use]
    pub fn plus(self, delay: u64) -> Millis {
        Millis(self.0.saturating_add(delay).min(Millis::LAST.0))
    }
}

/// ISO 8601 in UTC, `2025-08-27T10:04:42.001Z`; an all-zero fraction is dropped (spec §1.5).
impl fmt::Display for Millis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.write(&mut text);
        f.write_str(&text)
    }
}

impl Millis {
    /// Appends the time as text. It avoids `format!`, because each event of a history has a time.
    pub fn write(self, out: &mut String) {
        // The remainder fits in 32 bits: WebAssembly divides 64 bits slowly, while 32 bits are multiplied instead.
        let (days, rest) = ((self.0 / 86_400_000) as i64, (self.0 % 86_400_000) as u32);
        let (year, month, day) = civil(days);
        let (hour, minute, second, milli) = (rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60, rest % 1000);
        let year = year.unsigned_abs();
        if year > 9999 {
            write_int(out, year as i64);
        } else {
            two_digits(out, year as u32 / 100);
            two_digits(out, year as u32 % 100);
        }
        for (before, number) in [('-', month as u32), ('-', day as u32), ('T', hour), (':', minute), (':', second)] {
            out.push(before);
            two_digits(out, number);
        }
        if milli > 0 {
            out.push('.');
            out.push(digit(milli / 100));
            two_digits(out, milli % 100);
        }
        out.push('Z');
    }
}

/// Writes a number below 100 with two digits.
fn two_digits(out: &mut String, number: u32) {
    out.push(digit(number / 10));
    out.push(digit(number % 10));
}

fn digit(number: u32) -> char {
    char::from(b'0' + number as u8)
}

/// A time with the full precision of its text, for comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Instant {
    /// Seconds since the epoch, negative before it.
    pub seconds: i64,
    /// Nanoseconds of that second.
    pub nanos: u32,
}

impl Instant {
    /// Milliseconds since the epoch, rounded down; 0 before it.
    pub fn millis(self) -> Millis {
        Millis(u64::try_from(self.seconds * 1000 + i64::from(self.nanos / 1_000_000)).unwrap_or(0))
    }
}

/// Parses the RFC 3339 profile of the language: upper-case `T`, upper-case `Z` or an offset `±hh:mm`, optional
/// fraction of a second (spec §1.5). `None` for anything else, impossible dates included.
pub fn parse_rfc3339(text: &str) -> Option<Instant> {
    let b = text.as_bytes();
    let number = |from: usize, len: usize| -> Option<i64> {
        let digits = b.get(from..from + len)?;
        digits.iter().try_fold(0i64, |n, d| d.is_ascii_digit().then(|| n * 10 + i64::from(d - b'0')))
    };
    let mark = |at: usize, c: u8| (b.get(at) == Some(&c)).then_some(());
    let (year, month, day) = (number(0, 4)?, number(5, 2)?, number(8, 2)?);
    mark(4, b'-')?;
    mark(7, b'-')?;
    mark(10, b'T')?;
    let (hour, minute, second) = (number(11, 2)?, number(14, 2)?, number(17, 2)?);
    mark(13, b':')?;
    mark(16, b':')?;
    if !(1..=12).contains(&month) || day < 1 || day > days_in(year, month) || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let mut at = 19;
    let mut nanos = 0u32;
    if b.get(at) == Some(&b'.') {
        let digits = b[at + 1..].iter().take_while(|d| d.is_ascii_digit()).count();
        if digits == 0 {
            return None;
        }
        for i in 0..9 {
            nanos = nanos * 10 + if i < digits { u32::from(b[at + 1 + i] - b'0') } else { 0 };
        }
        at += 1 + digits;
    }
    let offset = match b.get(at)? {
        b'Z' => {
            at += 1;
            0
        }
        sign @ (b'+' | b'-') => {
            let (h, m) = (number(at + 1, 2)?, number(at + 4, 2)?);
            mark(at + 3, b':')?;
            // This is the range of offsets in Java, whose parser AWS uses.
            if m > 59 || h * 60 + m > 18 * 60 {
                return None;
            }
            at += 6;
            (h * 3600 + m * 60) * if *sign == b'+' { 1 } else { -1 }
        }
        _ => return None,
    };
    if at != b.len() {
        return None;
    }
    let seconds = days_from_civil(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset;
    Some(Instant { seconds, nanos })
}

fn leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        2 => 28 + i64::from(leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since 1970-01-01 of a date of the proleptic Gregorian calendar (the era algorithm: years start in March).
pub fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let y = if month <= 2 { year - 1 } else { year };
    let era = y.div_euclid(400);
    let yoe = y.rem_euclid(400);
    let doy = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719_468
}

/// The inverse of [`days_from_civil`]: year, month, day.
pub fn civil(days: i64) -> (i64, i64, i64) {
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let doe = z.rem_euclid(146_097) as u32;
    let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let day = doy - (153 * mp + 2) / 5 + 1;
    let month = if mp < 10 { mp + 3 } else { mp - 9 };
    (i64::from(yoe) + era * 400 + i64::from(month <= 2), i64::from(month), i64::from(day))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_that_java_refuses_are_refused() {
        for (text, valid) in [
            ("2026-12-31T23:59:59Z", true),
            ("2026-12-31T23:59:60Z", false),
            ("2026-12-31T12:30:60Z", false),
            ("2026-12-31T00:00:00+18:00", true),
            ("2026-12-31T00:00:00-18:00", true),
            ("2026-12-31T00:00:00+18:01", false),
            ("2026-12-31T00:00:00-23:59", false),
        ] {
            assert_eq!(parse_rfc3339(text).is_some(), valid, "{text}");
        }
    }

    #[test]
    fn a_time_is_formatted_in_iso_8601() {
        for (millis, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (7, "1970-01-01T00:00:00.007Z"),
            (951_782_400_120, "2000-02-29T00:00:00.120Z"),
            (1_756_289_082_001, "2025-08-27T10:04:42.001Z"),
            (Millis::LAST.0, "275760-09-13T00:00:00Z"),
        ] {
            assert_eq!(Millis(millis).to_string(), text);
        }
    }

    #[test]
    fn parsed_times_are_formatted_like_their_text() {
        let at = |s: &str| parse_rfc3339(s).map(|i| i.millis().to_string());
        assert_eq!(at("2016-03-14T01:59:00Z").as_deref(), Some("2016-03-14T01:59:00Z"));
        assert_eq!(at("2016-03-13T18:59:00-07:00").as_deref(), Some("2016-03-14T01:59:00Z"));
        assert_eq!(at("2024-02-29T23:59:59.001999Z").as_deref(), Some("2024-02-29T23:59:59.001Z"));
        for bad in [
            "2016-03-14 01:59:00Z",
            "2016-03-14T01:59:00",
            "2016-13-14T01:59:00Z",
            "2016-03-14T25:59:00Z",
            "05-12-2016T01:59:00Z",
            "2023-02-29T00:00:00Z",
            "2016-03-14t01:59:00Z",
            "2016-03-14T01:59:00z",
            "2016-03-14T01:59:00.Z",
            "",
        ] {
            assert_eq!(parse_rfc3339(bad), None, "{bad}");
        }
    }
}
