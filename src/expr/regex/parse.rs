//! Parses the syntax of regular expressions, like JavaScript without the `u` flag.

use super::{Assertion, Set, Step};

/// A parsed pattern.
pub(super) struct Parsed {
    pub tree: Tree,
    pub sets: Vec<Set>,
    /// The number of groups, including the whole match.
    pub groups: usize,
}

pub(super) enum Tree {
    Step(Step),
    Concat(Vec<Tree>),
    Either(Vec<Tree>),
    /// A group, with its number if it captures.
    Group(Box<Tree>, Option<u32>),
    Repeat {
        inner: Box<Tree>,
        min: u32,
        max: Option<u32>,
        greedy: bool,
    },
}

/// Maximum nesting depth of groups.
const MAX_DEPTH: u32 = 40;
/// Maximum number of repetitions in one count.
const MAX_COUNT: u32 = 1000;

/// Parses a pattern. The error says what is not supported.
pub(super) fn parse(source: &str, verbose: bool) -> Result<Parsed, String> {
    let mut parser = Parser { chars: source.chars().collect(), at: 0, sets: Vec::new(), groups: 1, depth: 0, verbose };
    let tree = parser.either()?;
    if parser.at < parser.chars.len() {
        return Err("unmatched )".into());
    }
    Ok(Parsed { tree, sets: parser.sets, groups: parser.groups as usize })
}

struct Parser {
    chars: Vec<char>,
    at: usize,
    sets: Vec<Set>,
    groups: u32,
    depth: u32,
    /// Whether white space and comments are ignored.
    verbose: bool,
}

impl Parser {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    /// Skips white space and comments in a verbose pattern.
    fn skip(&mut self) {
        while self.verbose
            && let Some(c) = self.peek(0)
            && (c.is_whitespace() || c == '#')
        {
            let comment = self.chars.iter().skip(self.at).position(|c| *c == '\n').unwrap_or(self.chars.len());
            self.at = if c == '#' { (self.at + comment).min(self.chars.len()) } else { self.at + 1 };
        }
    }

    fn starts(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(i, c)| self.peek(i) == Some(c))
    }

    fn either(&mut self) -> Result<Tree, String> {
        let mut alternatives = vec![self.concat()?];
        while self.peek(0) == Some('|') {
            self.at += 1;
            alternatives.push(self.concat()?);
        }
        Ok(if alternatives.len() == 1 { alternatives.remove(0) } else { Tree::Either(alternatives) })
    }

    fn concat(&mut self) -> Result<Tree, String> {
        let mut parts = Vec::new();
        loop {
            self.skip();
            let Some(c) = self.peek(0).filter(|c| !matches!(c, '|' | ')')) else { break };
            let atom = self.atom(c)?;
            self.skip();
            parts.push(self.repeat(atom)?);
        }
        Ok(Tree::Concat(parts))
    }

    fn atom(&mut self, c: char) -> Result<Tree, String> {
        self.at += 1;
        Ok(Tree::Step(match c {
            '(' => return self.group(),
            '[' => Step::Set(self.class()?),
            '.' => Step::Any,
            '^' => Step::Assert(Assertion::Start),
            '$' => Step::Assert(Assertion::End),
            '*' | '+' | '?' => return Err("nothing to repeat".into()),
            '\\' => match self.peek(0) {
                Some('b') => self.taken(Step::Assert(Assertion::WordBoundary)),
                Some('B') => self.taken(Step::Assert(Assertion::NoWordBoundary)),
                Some('1'..='9') => return Err("back references".into()),
                Some('k') if self.peek(1) == Some('<') => return Err("back references".into()),
                _ => match self.escape()? {
                    Escaped::Char(c) => Step::Char(c),
                    Escaped::Class(set) => Step::Set(self.add(set)),
                },
            },
            c => Step::Char(c),
        }))
    }

    fn taken(&mut self, step: Step) -> Step {
        self.at += 1;
        step
    }

    fn add(&mut self, set: Set) -> u32 {
        self.sets.push(set);
        self.sets.len() as u32 - 1
    }

    fn group(&mut self) -> Result<Tree, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("groups nested too deeply".into());
        }
        if ["?=", "?!", "?<=", "?<!"].iter().any(|look| self.starts(look)) {
            return Err("look-ahead and look-behind".into());
        }
        let mut number = None;
        if self.starts("?:") {
            self.at += 2;
        } else {
            if self.starts("?<") {
                match self.chars.iter().skip(self.at).position(|c| *c == '>') {
                    Some(len) if len > 2 => self.at += len + 1,
                    _ => return Err("invalid group name".into()),
                }
            } else if self.peek(0) == Some('?') {
                return Err("invalid group".into());
            }
            number = Some(self.groups);
            self.groups += 1;
        }
        let inner = self.either()?;
        if self.peek(0) != Some(')') {
            return Err("unterminated group".into());
        }
        self.at += 1;
        self.depth -= 1;
        Ok(Tree::Group(Box::new(inner), number))
    }

    fn repeat(&mut self, atom: Tree) -> Result<Tree, String> {
        let (min, max) = match self.peek(0) {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => match self.counts() {
                Some((min, max, len)) => {
                    self.at += len - 1;
                    (min, max)
                }
                None => return Ok(atom),
            },
            _ => return Ok(atom),
        };
        self.at += 1;
        if max.is_some_and(|max| max < min) {
            return Err("numbers out of order".into());
        }
        if min > MAX_COUNT || max.is_some_and(|max| max > MAX_COUNT) {
            return Err("too many repetitions".into());
        }
        let greedy = self.peek(0) != Some('?');
        if !greedy {
            self.at += 1;
        }
        if matches!(self.peek(0), Some('*' | '+' | '?')) || self.counts().is_some() {
            return Err("nothing to repeat".into());
        }
        Ok(Tree::Repeat { inner: Box::new(atom), min, max, greedy })
    }

    /// Parses `{2}`, `{2,}`, `{2,5}` and returns also its length. Any other brace is literal.
    fn counts(&self) -> Option<(u32, Option<u32>, usize)> {
        if self.peek(0) != Some('{') {
            return None;
        }
        let text: String = self.chars.iter().skip(self.at + 1).take_while(|c| **c != '}').collect();
        let len = text.chars().count() + 2;
        if self.peek(len - 1) != Some('}') {
            return None;
        }
        let number =
            |s: &str| (!s.is_empty() && s.bytes().all(|b| b.is_ascii_digit())).then(|| s.parse::<u32>().unwrap_or(u32::MAX));
        match text.split_once(',') {
            None => number(&text).map(|n| (n, Some(n), len)),
            Some((min, "")) => number(min).map(|min| (min, None, len)),
            Some((min, max)) => Some((number(min)?, Some(number(max)?), len)),
        }
    }

    /// Parses what follows `[`.
    fn class(&mut self) -> Result<u32, String> {
        let mut set = Set { negated: self.peek(0) == Some('^'), ..Set::default() };
        if set.negated {
            self.at += 1;
        }
        loop {
            let low = match self.member(&mut set)? {
                Member::End => return Ok(self.add(set)),
                Member::Class => continue,
                Member::Char(c) => c,
            };
            if self.peek(0) != Some('-') || matches!(self.peek(1), Some(']') | None) {
                set.ranges.push((low, low));
                continue;
            }
            self.at += 1;
            match self.member(&mut set)? {
                Member::Char(high) if low <= high => set.ranges.push((low, high)),
                Member::Char(_) => return Err("range out of order".into()),
                // A hyphen before a class is literal.
                _ => set.ranges.extend([(low, low), ('-', '-')]),
            }
        }
    }

    fn member(&mut self, set: &mut Set) -> Result<Member, String> {
        let Some(c) = self.peek(0) else { return Err("unterminated class".into()) };
        self.at += 1;
        match c {
            ']' => Ok(Member::End),
            '\\' => match self.escape()? {
                Escaped::Char(c) => Ok(Member::Char(c)),
                Escaped::Class(class) => {
                    if class.negated {
                        complement(&class.ranges, &mut set.ranges);
                    } else {
                        set.ranges.extend(class.ranges);
                    }
                    Ok(Member::Class)
                }
            },
            c => Ok(Member::Char(c)),
        }
    }

    /// Parses what follows a backslash.
    fn escape(&mut self) -> Result<Escaped, String> {
        let Some(c) = self.peek(0) else { return Err("\\ at the end".into()) };
        self.at += 1;
        let code = match c {
            'd' | 'D' | 'w' | 'W' | 's' | 'S' => {
                let ranges = match c.to_ascii_lowercase() {
                    'd' => DIGIT,
                    'w' => WORD,
                    _ => SPACE,
                };
                return Ok(Escaped::Class(Set { negated: c.is_ascii_uppercase(), ranges: ranges.to_vec(), ..Set::default() }));
            }
            'b' => 8,
            't' => 9,
            'n' => 10,
            'v' => 11,
            'f' => 12,
            'r' => 13,
            '0' => 0,
            'c' if self.peek(0).is_some_and(|l| l.is_ascii_alphabetic()) => {
                self.at += 1;
                self.chars.get(self.at - 1).map_or(0, |letter| *letter as u32 % 32)
            }
            'x' => self.hex(2).unwrap_or('x' as u32),
            'u' => match self.hex(4) {
                Some(high @ 0xd800..0xdc00) if self.starts("\\u") => {
                    self.at += 2;
                    match self.hex(4) {
                        Some(low @ 0xdc00..0xe000) => 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00),
                        _ => high,
                    }
                }
                Some(code) => code,
                None => 'u' as u32,
            },
            other => other as u32,
        };
        char::from_u32(code).map(Escaped::Char).ok_or_else(|| "lone surrogates".into())
    }

    fn hex(&mut self, digits: usize) -> Option<u32> {
        let text: String = self.chars.iter().skip(self.at).take(digits).collect();
        if text.len() != digits || !text.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        self.at += digits;
        u32::from_str_radix(&text, 16).ok()
    }
}

enum Member {
    End,
    /// The class was added to the set already.
    Class,
    Char(char),
}

enum Escaped {
    Char(char),
    Class(Set),
}

const DIGIT: &[(char, char)] = &[('0', '9')];
const WORD: &[(char, char)] = &[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')];
const SPACE: &[(char, char)] = &[
    ('\t', '\r'),
    (' ', ' '),
    ('\u{a0}', '\u{a0}'),
    ('\u{1680}', '\u{1680}'),
    ('\u{2000}', '\u{200a}'),
    ('\u{2028}', '\u{2029}'),
    ('\u{202f}', '\u{202f}'),
    ('\u{205f}', '\u{205f}'),
    ('\u{3000}', '\u{3000}'),
    ('\u{feff}', '\u{feff}'),
];

/// Appends the ranges of all characters that are in none of these sorted ranges.
fn complement(ranges: &[(char, char)], out: &mut Vec<(char, char)>) {
    let mut low = '\0';
    for (from, to) in ranges {
        if let Some(high) = char::from_u32((*from as u32).wrapping_sub(1))
            && low <= high
        {
            out.push((low, high));
        }
        low = char::from_u32(*to as u32 + 1).unwrap_or(char::MAX);
    }
    out.push((low, char::MAX));
}
