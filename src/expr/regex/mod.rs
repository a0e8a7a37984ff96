//! Regular expressions of JSONata and of path filters, in JavaScript's syntax, on an engine with linear time.
//!
//! It is our own engine, because every step must be charged: finding all matches of `/a(.*b)?/` takes quadratic time in any
//! engine, and only one that counts can stop. Look-around and back references have no linear-time form, so they are refused at
//! compile time.

mod backtrack;
mod machine;
mod parse;

use crate::base::case;

pub(super) use machine::Scratch;

use backtrack::Starts;
use machine::OutOfFuel;
use parse::{Parsed, Tree};

/// Maximum number of instructions of a pattern; counted repetitions multiply.
const MAX_PROGRAM: usize = 4000;

/// A compiled regular expression.
#[derive(Debug)]
pub(super) struct Pattern {
    /// The text between the slashes.
    pub source: String,
    program: Vec<Step>,
    sets: Vec<Set>,
    /// The number of groups, including the whole match.
    groups: usize,
    options: Options,
    starts: Starts,
}

/// How a pattern is parsed and applied.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Options {
    /// Letters match without regard to case.
    pub ignore_case: bool,
    /// `^` and `$` match at every line.
    pub multi_line: bool,
    /// `.` matches line terminators too.
    pub dot_all: bool,
    /// White space in the pattern is ignored, and `#` begins a comment.
    pub verbose: bool,
    /// The pattern must match the whole text.
    pub whole: bool,
}

/// One instruction.
#[derive(Clone, Copy, Debug)]
enum Step {
    Char(char),
    /// A character of a set, by its index.
    Set(u32),
    /// Any character but a line terminator; with `dot_all` any character.
    Any,
    /// Both alternatives, the first one preferred.
    Split(u32, u32),
    /// Repeats the next instruction as often as possible and continues at the given one: a `Split` that never takes less.
    Run(u32),
    Jump(u32),
    /// Stores the offset in a slot.
    Save(u32),
    Assert(Assertion),
    Match,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Assertion {
    Start,
    End,
    /// The start of the text, not of a line.
    TextStart,
    TextEnd,
    WordBoundary,
    NoWordBoundary,
}

/// A set of characters.
#[derive(Clone, Debug, Default)]
struct Set {
    negated: bool,
    ranges: Vec<(char, char)>,
    /// The ASCII characters in it, with all ranges and the negation applied.
    ascii: [u64; 2],
}

impl Set {
    fn has(&self, c: char) -> bool {
        self.ranges.iter().any(|(low, high)| (*low..=*high).contains(&c))
    }

    fn contains(&self, c: char, ignore_case: bool) -> bool {
        match self.ascii.get(c as usize / 64) {
            Some(word) => word >> (c as u32 % 64) & 1 == 1,
            None => self.lists(c, ignore_case),
        }
    }

    fn lists(&self, c: char, ignore_case: bool) -> bool {
        let found = self.has(c)
            || ignore_case
                && (self.has(fold(c)) || case::lower_of(c).any(|l| self.has(l)) || case::upper_of(c).any(|u| self.has(u)));
        found != self.negated
    }
}

/// Returns JavaScript's canonical form for matching without case: the upper-case letter, if it is a single one.
fn fold(c: char) -> char {
    let mut upper = case::upper_of(c);
    match (upper.next(), upper.next()) {
        (Some(u), None) if c.is_ascii() || !u.is_ascii() => u,
        _ => c,
    }
}

fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}

/// Returns a pattern that matches exactly this text.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii_punctuation() {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// One match, in byte offsets. Its groups are in the search's memory until the next search ([`Scratch::group`]).
#[derive(Clone, Copy)]
pub(super) struct Match {
    pub start: usize,
    pub end: usize,
}

impl Scratch {
    /// Returns the text of a group of the last match; group 0 is the whole match.
    pub(super) fn group<'t>(&self, text: &'t str, group: usize) -> Option<&'t str> {
        let place = |i: usize| self.slots.get(i).copied().filter(|place| *place != usize::MAX);
        text.get(place(group * 2)?..place(group * 2 + 1)?)
    }
}

impl Pattern {
    /// Compiles a pattern. The error says what is not supported.
    pub(super) fn compile(source: &str, options: Options) -> Result<Pattern, String> {
        let Parsed { tree, sets, groups } = parse::parse(source, options.verbose)?;
        let mut pattern = Pattern { source: source.into(), program: Vec::new(), sets, groups, options, starts: Starts::default() };
        for set in &mut pattern.sets {
            let has = |c: u8| u64::from(set.lists(c as char, options.ignore_case));
            let word = |from: u8| (0..64).fold(0, |word, bit| word | has(from + bit) << bit);
            set.ascii = [word(0), word(64)];
        }
        if options.whole {
            pattern.emit(Step::Assert(Assertion::TextStart))?;
        }
        pattern.emit(Step::Save(0))?;
        pattern.tree(&tree)?;
        pattern.emit(Step::Save(1))?;
        if options.whole {
            pattern.emit(Step::Assert(Assertion::TextEnd))?;
        }
        pattern.emit(Step::Match)?;
        pattern.find_runs();
        pattern.starts = Starts::of(&pattern);
        Ok(pattern)
    }

    /// The number of groups, without the whole match.
    pub(super) fn groups(&self) -> usize {
        self.groups - 1
    }

    /// Searches the first match at or after a byte offset. Every step costs one unit of fuel.
    pub(super) fn find(&self, text: &str, from: usize, scratch: &mut Scratch, fuel: &mut u64) -> Result<Option<Match>, OutOfFuel> {
        let Some(rest) = text.len().checked_sub(from) else { return Ok(None) };
        let found = match self.can_backtrack(rest) {
            true => self.backtrack(text, from, scratch, fuel)?,
            false => self.run_threads(text, from, scratch, fuel)?,
        };
        let place = |i: usize| scratch.slots.get(i).copied().filter(|place| *place != usize::MAX).unwrap_or(from);
        Ok(found.then(|| Match { start: place(0), end: place(1) }))
    }

    fn emit(&mut self, step: Step) -> Result<usize, String> {
        if self.program.len() >= MAX_PROGRAM {
            return Err("too large".into());
        }
        self.program.push(step);
        Ok(self.program.len() - 1)
    }

    fn patch(&mut self, at: usize, step: Step) {
        if let Some(slot) = self.program.get_mut(at) {
            *slot = step;
        }
    }

    fn tree(&mut self, tree: &Tree) -> Result<(), String> {
        match tree {
            Tree::Step(step) => self.emit(*step).map(|_| ()),
            Tree::Concat(parts) => parts.iter().try_for_each(|part| self.tree(part)),
            Tree::Group(inner, index) => {
                if let Some(index) = index {
                    self.emit(Step::Save(index * 2))?;
                }
                self.tree(inner)?;
                if let Some(index) = index {
                    self.emit(Step::Save(index * 2 + 1))?;
                }
                Ok(())
            }
            Tree::Either(alternatives) => {
                let mut ends = Vec::new();
                for (i, way) in alternatives.iter().enumerate() {
                    if i + 1 == alternatives.len() {
                        self.tree(way)?;
                        break;
                    }
                    let split = self.emit(Step::Jump(0))?;
                    self.tree(way)?;
                    ends.push(self.emit(Step::Jump(0))?);
                    self.patch(split, Step::Split(split as u32 + 1, self.program.len() as u32));
                }
                for end in ends {
                    self.patch(end, Step::Jump(self.program.len() as u32));
                }
                Ok(())
            }
            Tree::Repeat { inner, min, max, greedy } => {
                for _ in 0..*min {
                    let before = self.program.len();
                    self.tree(inner)?;
                    // Repeating an empty program is empty.
                    if self.program.len() == before {
                        break;
                    }
                }
                let choose = |once: u32, out: u32| if *greedy { Step::Split(once, out) } else { Step::Split(out, once) };
                match max {
                    None => {
                        let split = self.emit(Step::Jump(0))?;
                        self.tree(inner)?;
                        self.emit(Step::Jump(split as u32))?;
                        self.patch(split, choose(split as u32 + 1, self.program.len() as u32));
                    }
                    Some(max) => {
                        let mut splits = Vec::new();
                        for _ in *min..*max {
                            splits.push(self.emit(Step::Jump(0))?);
                            self.tree(inner)?;
                        }
                        let end = self.program.len() as u32;
                        for split in splits {
                            self.patch(split, choose(split as u32 + 1, end));
                        }
                    }
                }
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(source: &str, flags: &str, text: &str) -> Option<String> {
        let options = Options { ignore_case: flags.contains('i'), multi_line: flags.contains('m'), ..Options::default() };
        let pattern = Pattern::compile(source, options).unwrap();
        let mut scratch = Scratch::default();
        let found = pattern.find(text, 0, &mut scratch, &mut 1_000_000).unwrap()?;
        let groups: Vec<&str> = (1..=pattern.groups()).map(|group| scratch.group(text, group).unwrap_or("-")).collect();
        Some([&[&text[found.start..found.end]], groups.as_slice()].concat().join("|"))
    }

    #[test]
    fn javascript_syntax() {
        for (source, flags, text, expected) in [
            ("a{,2}", "", "xa{,2}", Some("a{,2}")),
            ("[a[b&&c]", "", "&", Some("&")),
            ("[\\w-]+", "", "a-b", Some("a-b")),
            ("[^]+", "", "a\nb", Some("a\nb")),
            ("[]", "", "a", None),
            (".+", "", "a\u{2028}b", Some("a")),
            ("\\u0041\\x42", "", "AB", Some("AB")),
            ("\\/\\-\\#", "", "/-#", Some("/-#")),
            ("^b", "m", "a\nb", Some("b")),
            ("^b", "", "a\nb", None),
            ("B.", "i", "abc", Some("bc")),
            ("É", "i", "é", Some("é")),
            ("[^b]", "i", "Ba", Some("a")),
            ("\\s", "", "a\u{a0}", Some("\u{a0}")),
            ("x*?y{2}", "", "xxyy", Some("xxyy")),
            ("(a|ab)(c|bcd)(d*)", "", "abcd", Some("abcd|a|bcd|")),
            ("(ab)|(a)", "", "ac", Some("a|-|a")),
            ("(?<year>\\d{4})-(?:\\d\\d)", "", "on 2024-05", Some("2024-05|2024")),
            ("(a*)*", "", "aab", Some("aa|aa")),
            ("a{2,3}?", "", "aaaa", Some("aa")),
            ("\\bfoo\\b", "", "a foo!", Some("foo")),
            ("[\\s\\S]$", "", "ab", Some("b")),
            ("z", "", "abc", None),
        ] {
            assert_eq!(find(source, flags, text).as_deref(), expected, "{source}");
        }
        for source in
            ["(?=a)", "(?<!a)", "(a)\\1", "(a{1000}){1000}", "(?:a?){1000}{1000}", "(", "a)", "*", "[z-a]", "\\", "a{2,1}"]
        {
            assert!(Pattern::compile(source, Options::default()).is_err(), "{source}");
        }
    }

    #[test]
    fn both_engines_find_the_same_matches() {
        let patterns = "a|b;(a|ab)(c|bcd)(d*);(a*)*;(a*?)+b;(?:a|b)*?c;^a|b$;\\bab;[^a]b+;(a(b)?)+;.*c;(.)(.)?é;é|[à-ü];a{2,3}b?;(a|(b))+?c;(?:)";
        let mut random = crate::base::Rng::new(7);
        for source in patterns.split(';') {
            for options in [Options::default(), Options { ignore_case: true, multi_line: true, ..Options::default() }] {
                let pattern = Pattern::compile(source, options).unwrap();
                for _ in 0..300 {
                    let letter = |_| ["a", "b", "c", "d", "é", "A", "\n", "É", " "][random.below(9) as usize];
                    let text: String = (0..12).map(letter).collect();
                    let [mut one, mut other] = [Scratch::default(), Scratch::default()];
                    let found = pattern.backtrack(&text, 0, &mut one, &mut 100_000).unwrap();
                    assert_eq!(found, pattern.run_threads(&text, 0, &mut other, &mut 100_000).unwrap(), "{source} in {text:?}");
                    assert!(!found || one.slots == other.slots, "{source} in {text:?}: {:?} {:?}", one.slots, other.slots);
                }
            }
        }
    }

    #[test]
    fn every_step_costs_fuel() {
        let cost = |source: &str, len: usize| {
            let pattern = Pattern::compile(source, Options::default()).unwrap();
            let mut fuel = u64::MAX;
            pattern.find(&"a".repeat(len), 0, &mut Scratch::default(), &mut fuel).unwrap();
            u64::MAX - fuel
        };
        for source in ["(a+)+$b", "(a|a)*c", "(a{1,20}){1,20}b", "(.*)*x", "^(a+)+$", "(?:(?:){1000}){1000}b"] {
            assert!(cost(source, 4000) < 3 * cost(source, 2000), "{source}");
        }
        // Finding all matches takes quadratic time, which the fuel limits.
        let pattern = Pattern::compile("a(.*b)?", Options::default()).unwrap();
        let (text, mut fuel, mut at) = ("a".repeat(10_000), 100_000, 0);
        while let Ok(Some(found)) = pattern.find(&text, at, &mut Scratch::default(), &mut fuel) {
            at = found.end;
        }
        assert!(fuel == 0 && at < text.len());
    }
}
