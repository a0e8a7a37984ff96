//! Regular expressions in JavaScript's syntax on an engine of linear time.
//!
//! Look-around and back references have no linear-time form: they are refused at compile time.

use regex_lite::{Regex, RegexBuilder};

/// A pattern longer than this is refused.
const MAX_SOURCE: usize = 1024;
/// Bytes that a compiled pattern may take; counted repetitions multiply.
const MAX_COMPILED: usize = 200 << 10;

/// A compiled regular expression.
#[derive(Debug)]
pub(super) struct Pattern {
    /// As written between the slashes.
    pub source: String,
    regex: Regex,
    /// Steps that one byte of text may cost, for the fuel.
    pub weight: usize,
}

/// One match: byte offsets, and the groups.
pub(super) struct Match<'t> {
    pub start: usize,
    pub end: usize,
    pub groups: Vec<Option<&'t str>>,
}

impl Pattern {
    /// Compiles `/source/flags`; the error says what is not supported.
    pub fn compile(source: &str, flags: &str) -> Result<Pattern, String> {
        if source.len() > MAX_SOURCE {
            return Err(format!("longer than {MAX_SOURCE} bytes"));
        }
        let mut translator = Translator { chars: source.chars().collect(), at: 0, out: String::new(), weight: 1 };
        translator.alternatives()?;
        let regex = RegexBuilder::new(&translator.out)
            .case_insensitive(flags.contains('i'))
            .multi_line(flags.contains('m'))
            .size_limit(MAX_COMPILED)
            .nest_limit(40)
            .build()
            .map_err(|e| e.to_string())?;
        Ok(Pattern { source: source.into(), regex, weight: translator.weight })
    }

    /// The first match at or behind a byte offset.
    pub fn find<'t>(&self, text: &'t str, from: usize) -> Option<Match<'t>> {
        let mut slots = self.regex.capture_locations();
        let whole = self.regex.captures_read_at(&mut slots, text, from)?;
        let groups = (1..slots.len()).map(|i| slots.get(i).and_then(|(s, e)| text.get(s..e))).collect();
        Some(Match { start: whole.start(), end: whole.end(), groups })
    }
}

/// Rewrites JavaScript's syntax into the engine's, escaping what only the engine takes for syntax.
struct Translator {
    chars: Vec<char>,
    at: usize,
    out: String,
    weight: usize,
}

/// Inside a class: JavaScript's white space beyond ASCII.
const SPACE: &str = "\\t-\\r \\u{a0}\\u{1680}\\u{2000}-\\u{200a}\\u{2028}\\u{2029}\\u{202f}\\u{205f}\\u{3000}\\u{feff}";

impl Translator {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn alternatives(&mut self) -> Result<(), String> {
        while let Some(c) = self.peek(0) {
            match c {
                '(' => self.open()?,
                ')' | '|' | '^' | '$' => {
                    self.out.push(c);
                    self.at += 1;
                }
                '[' => self.class()?,
                '.' => {
                    self.out.push_str("[^\\n\\r\\u{2028}\\u{2029}]");
                    self.at += 1;
                }
                '\\' => {
                    self.at += 1;
                    self.escape(false)?;
                }
                '*' | '+' | '?' => {
                    self.out.push(c);
                    self.at += 1;
                }
                '{' => self.counted(),
                c => {
                    self.literal(c);
                    self.at += 1;
                }
            }
            self.weight = self.weight.saturating_add(1);
        }
        Ok(())
    }

    fn literal(&mut self, c: char) {
        if c.is_ascii_punctuation() && c != '_' && c != '<' && c != '>' {
            self.out.push('\\');
        }
        self.out.push(c);
    }

    fn open(&mut self) -> Result<(), String> {
        let rest: String = self.chars.iter().skip(self.at + 1).take(3).collect();
        if rest.starts_with("?=") || rest.starts_with("?!") || rest.starts_with("?<=") || rest.starts_with("?<!") {
            return Err("look-ahead and look-behind".into());
        }
        if rest.starts_with("?:") {
            self.out.push_str("(?:");
            self.at += 3;
        } else if rest.starts_with("?<") {
            self.out.push_str("(?P<");
            self.at += 3;
            while let Some(c) = self.peek(0) {
                self.out.push(c);
                self.at += 1;
                if c == '>' {
                    break;
                }
            }
        } else if rest.starts_with('?') {
            return Err("invalid group".into());
        } else {
            self.out.push('(');
            self.at += 1;
        }
        Ok(())
    }

    /// `{2}`, `{2,}`, `{2,5}`; anything else is a literal brace.
    fn counted(&mut self) {
        let text: String = self.chars.iter().skip(self.at + 1).take_while(|c| **c != '}').collect();
        let closed = self.chars.get(self.at + 1 + text.chars().count()) == Some(&'}');
        let (low, high) = text.split_once(',').unwrap_or((&text, "0"));
        let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
        if closed && !low.is_empty() && digits(low) && digits(high) {
            self.out.push('{');
            self.out.push_str(&text);
            self.out.push('}');
            self.at += text.len() + 2;
            let most = low.parse::<usize>().unwrap_or(1000).max(high.parse().unwrap_or(0));
            self.weight = self.weight.saturating_mul(most.max(1)).min(MAX_COMPILED / 8);
        } else {
            self.out.push_str("\\{");
            self.at += 1;
        }
    }

    fn class(&mut self) -> Result<(), String> {
        self.at += 1;
        let negated = self.peek(0) == Some('^');
        if negated {
            self.at += 1;
        }
        if self.peek(0) == Some(']') {
            self.at += 1;
            // `[]` matches nothing, `[^]` anything.
            self.out.push_str(if negated { "(?s:.)" } else { "[^\\x00-\\u{10ffff}]" });
            return Ok(());
        }
        self.out.push_str(if negated { "[^" } else { "[" });
        loop {
            match self.peek(0) {
                None => return Err("class without ]".into()),
                Some(']') => {
                    self.at += 1;
                    self.out.push(']');
                    return Ok(());
                }
                Some('\\') => {
                    self.at += 1;
                    self.escape(true)?;
                }
                // A range, unless it stands at the end or behind a class such as \d.
                Some('-') => {
                    let after_class = self.out.ends_with("\\d")
                        || self.out.ends_with("\\w")
                        || self.out.ends_with("\\D")
                        || self.out.ends_with("\\W")
                        || self.out.ends_with(SPACE);
                    let before_class =
                        self.peek(1) == Some('\\') && matches!(self.peek(2), Some('d' | 'D' | 'w' | 'W' | 's' | 'S'));
                    let edge = self.out.ends_with('[') || self.out.ends_with("[^") || self.peek(1) == Some(']');
                    self.out.push_str(if edge || after_class || before_class { "\\-" } else { "-" });
                    self.at += 1;
                }
                Some(c) => {
                    self.literal(c);
                    self.at += 1;
                }
            }
        }
    }

    fn hex(&mut self, digits: usize) -> Option<u32> {
        let text: String = self.chars.iter().skip(self.at).take(digits).collect();
        if text.len() != digits || !text.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        self.at += digits;
        u32::from_str_radix(&text, 16).ok()
    }

    /// What follows a backslash.
    fn escape(&mut self, in_class: bool) -> Result<(), String> {
        let Some(c) = self.peek(0) else { return Err("\\ at the end".into()) };
        self.at += 1;
        let code = match c {
            'd' | 'D' | 'w' | 'W' => {
                self.out.push('\\');
                self.out.push(c);
                return Ok(());
            }
            's' if in_class => {
                self.out.push_str(SPACE);
                return Ok(());
            }
            's' => {
                self.out.push_str(&format!("[{SPACE}]"));
                return Ok(());
            }
            'S' if in_class => {
                self.out.push_str("\\S");
                return Ok(());
            }
            'S' => {
                self.out.push_str(&format!("[^{SPACE}]"));
                return Ok(());
            }
            'b' if !in_class => {
                self.out.push_str("\\b");
                return Ok(());
            }
            'B' if !in_class => {
                self.out.push_str("\\B");
                return Ok(());
            }
            '1'..='9' if !in_class => return Err("back references".into()),
            'k' if !in_class && self.peek(0) == Some('<') => return Err("back references".into()),
            'b' => 8,
            't' => 9,
            'n' => 10,
            'v' => 11,
            'f' => 12,
            'r' => 13,
            '0' => 0,
            'c' => match self.peek(0) {
                Some(letter) if letter.is_ascii_alphabetic() => {
                    self.at += 1;
                    letter as u32 % 32
                }
                _ => 'c' as u32,
            },
            'x' => self.hex(2).unwrap_or('x' as u32),
            'u' => match self.hex(4) {
                Some(high) if (0xd800..0xdc00).contains(&high) && self.peek(0) == Some('\\') && self.peek(1) == Some('u') => {
                    self.at += 2;
                    let low = self.hex(4).unwrap_or(0);
                    if !(0xdc00..0xe000).contains(&low) {
                        return Err("lone surrogates".into());
                    }
                    0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00)
                }
                Some(code) => code,
                None => 'u' as u32,
            },
            other => other as u32,
        };
        match char::from_u32(code) {
            Some(c) if c.is_control() => self.out.push_str(&format!("\\x{code:02x}")),
            Some(c) => self.literal(c),
            None => return Err("lone surrogates".into()),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(source: &str, flags: &str, text: &str) -> Option<String> {
        Pattern::compile(source, flags).unwrap().find(text, 0).map(|m| text[m.start..m.end].to_string())
    }

    #[test]
    fn javascript_syntax() {
        for (source, flags, text, expected) in [
            ("a{,2}", "", "xa{,2}", Some("a{,2}")),
            ("[a[b&&c]", "", "&", Some("&")),
            ("[\\w-]+", "", "a-b", Some("a-b")),
            ("[^]+", "", "a\nb", Some("a\nb")),
            (".+", "", "a\u{2028}b", Some("a")),
            ("\\u0041\\x42", "", "AB", Some("AB")),
            ("\\/\\-\\#", "", "/-#", Some("/-#")),
            ("^b", "m", "a\nb", Some("b")),
            ("B", "i", "abc", Some("b")),
            ("\\s", "", "a\u{a0}", Some("\u{a0}")),
            ("x*?y{2}", "", "xxyy", Some("xxyy")),
            ("#&~", "", "#&~", Some("#&~")),
            ("z", "", "abc", None),
        ] {
            assert_eq!(found(source, flags, text).as_deref(), expected, "{source}");
        }
        for source in ["(?=a)", "(?<!a)", "(a)\\1", "a{1000}{1000}", "("] {
            assert!(Pattern::compile(source, "").is_err(), "{source}");
        }
    }
}
