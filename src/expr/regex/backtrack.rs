//! Runs a pattern on a short text by backtracking. It tries one alternative after another, and none twice from the same offset.
//!
//! This is several times faster than running all alternatives in parallel, but it needs a mark for every instruction at every
//! offset.

use super::machine::{OutOfFuel, Scratch, pay};
use super::{Pattern, Step, fold, is_line_end};
use std::ops::RangeInclusive;

/// Maximum number of marks of a search, one for each instruction at each offset: 32 KiB.
const MAX_MARKS: usize = 1 << 18;

/// Marks a slot without an offset.
const NONE: usize = usize::MAX;

pub(super) enum Job {
    Explore(u32, usize),
    Restore(u32, usize),
}

impl Pattern {
    /// Whether the rest of a text is short enough.
    pub(super) fn can_backtrack(&self, rest: usize) -> bool {
        (rest + 1).checked_mul(self.program.len()).is_some_and(|marks| marks <= MAX_MARKS)
    }

    /// Searches the first match; its offsets are in `scratch.slots`.
    pub(super) fn backtrack(&self, text: &str, from: usize, scratch: &mut Scratch, fuel: &mut u64) -> Result<bool, OutOfFuel> {
        let steps = self.program.len();
        let words = ((text.len() - from + 1) * steps).div_ceil(64);
        if scratch.marks.len() < words {
            scratch.marks.resize(words, 0);
        }
        let mut farthest = from;
        let found = self.search_from(text, from, &mut farthest, scratch, fuel);
        // Only the marks that were set must be cleared: the next search begins after this match.
        let touched = ((farthest - from + 1) * steps).div_ceil(64);
        if let Some(marks) = scratch.marks.get_mut(..touched) {
            marks.fill(0);
        }
        found
    }

    fn search_from(
        &self,
        text: &str,
        from: usize,
        farthest: &mut usize,
        scratch: &mut Scratch,
        fuel: &mut u64,
    ) -> Result<bool, OutOfFuel> {
        let mut at = from;
        scratch.slots.clear();
        scratch.slots.resize(self.groups * 2, NONE);
        loop {
            let next = self.starts.next(text.as_bytes(), at);
            pay(fuel, 1 + (next.unwrap_or(text.len()) - at) / 16)?;
            let Some(start) = next else { break };
            // The steps are counted in a local variable, which the compiler can keep in a register.
            let mut left = *fuel;
            let found = self.matches_at(text, from, start, farthest, scratch, &mut left);
            *fuel = left;
            if found? {
                return Ok(true);
            }
            scratch.slots.fill(NONE);
            let Some(c) = char_at(text, start) else { break };
            at = start + c.len_utf8();
        }
        Ok(false)
    }

    /// Whether there is a match that starts at this offset.
    fn matches_at(
        &self,
        text: &str,
        from: usize,
        start: usize,
        farthest: &mut usize,
        scratch: &mut Scratch,
        fuel: &mut u64,
    ) -> Result<bool, OutOfFuel> {
        let bytes = text.as_bytes();
        let exact = !self.options.ignore_case;
        let Scratch { marks, alternatives, slots, .. } = scratch;
        alternatives.clear();
        if let Some(slot) = slots.first_mut() {
            *slot = start;
        }
        // `Starts` has already compared the prefix.
        let (skipped, taken) = self.starts.skip;
        let mut job = Some(Job::Explore(skipped, start + taken));
        while let Some(under_way) = job.take().or_else(|| alternatives.pop()) {
            let (mut step, mut at) = match under_way {
                Job::Explore(step, at) => (step, at),
                Job::Restore(slot, place) => {
                    if let Some(slot) = slots.get_mut(slot as usize) {
                        *slot = place;
                    }
                    continue;
                }
            };
            loop {
                pay(fuel, 1)?;
                let width = match self.program.get(step as usize) {
                    Some(Step::Char(wanted)) if exact && wanted.is_ascii() => match bytes.get(at) {
                        Some(byte) if *byte == *wanted as u8 => 1,
                        _ => break,
                    },
                    Some(taking @ (Step::Char(_) | Step::Set(_) | Step::Any)) => match self.takes(taking, text, at) {
                        Some(width) => width,
                        None => break,
                    },
                    Some(Step::Run(out)) => {
                        let first = (at - from) * self.program.len() + step as usize;
                        let (end, new) = self.run(step, text, at, (marks, first), fuel);
                        *farthest = end.max(*farthest);
                        if !new? {
                            break;
                        }
                        at = end;
                        step = *out;
                        continue;
                    }
                    Some(Step::Jump(to)) => {
                        step = *to;
                        continue;
                    }
                    Some(Step::Split(first, second)) => {
                        if !mark(marks, (at - from) * self.program.len() + step as usize) {
                            break;
                        }
                        *farthest = at.max(*farthest);
                        alternatives.push(Job::Explore(*second, at));
                        step = *first;
                        continue;
                    }
                    Some(Step::Save(slot)) => {
                        if let Some(place) = slots.get_mut(*slot as usize) {
                            // If there is no alternative left, the old value will never be restored.
                            if !alternatives.is_empty() {
                                alternatives.push(Job::Restore(*slot, *place));
                            }
                            *place = at;
                        }
                        0
                    }
                    Some(Step::Assert(assertion)) => {
                        let before = text.get(..at).and_then(|s| s.chars().next_back());
                        if !self.holds(*assertion, before, char_at(text, at)) {
                            break;
                        }
                        0
                    }
                    Some(Step::Match) => return Ok(true),
                    None => break,
                };
                at += width;
                step += 1;
            }
        }
        Ok(false)
    }

    /// Returns the length in bytes of the character at an offset, if the instruction accepts it.
    #[inline(always)]
    fn takes(&self, step: &Step, text: &str, at: usize) -> Option<usize> {
        let c = char_at(text, at)?;
        let exact = !self.options.ignore_case;
        let taken = match step {
            Step::Char(wanted) => c == *wanted || !exact && fold(c) == fold(*wanted),
            Step::Set(set) => self.sets.get(*set as usize)?.contains(c, !exact),
            Step::Any => self.options.dot_all || !is_line_end(c),
            _ => false,
        };
        taken.then(|| c.len_utf8())
    }

    /// Returns the end of a greedy repetition, and whether it was tried at none of its offsets before. `first` is its mark at
    /// the offset where it begins.
    fn run(
        &self,
        step: u32,
        text: &str,
        mut at: usize,
        (marks, mut first): (&mut [u64], usize),
        fuel: &mut u64,
    ) -> (usize, Result<bool, OutOfFuel>) {
        let Some(taking) = self.program.get(step as usize + 1) else { return (at, Ok(false)) };
        loop {
            if let Err(end) = pay(fuel, 1) {
                return (at, Err(end));
            }
            if !mark(marks, first) {
                return (at, Ok(false));
            }
            let Some(width) = self.takes(taking, text, at) else { return (at, Ok(true)) };
            at += width;
            first += width * self.program.len();
        }
    }

    /// Replaces repetitions by runs if that changes no result: what follows the repetition cannot start with a character that
    /// it accepts, or always matches.
    pub(super) fn find_runs(&mut self) {
        for at in 0..self.program.len() {
            let [Some(Step::Split(once, out)), Some(taking @ (Step::Char(_) | Step::Set(_) | Step::Any)), Some(Step::Jump(back))] =
                [at, at + 1, at + 2].map(|i| self.program.get(i).copied())
            else {
                continue;
            };
            if once as usize != at + 1 || out as usize != at + 3 || back as usize != at {
                continue;
            }
            let mut taken = Firsts::default();
            taken.add(self, &taking);
            let follows = Firsts::of(self, out, MAX_FOLLOWING);
            let apart = || follows.table.iter().zip(&taken.table).all(|(a, b)| !(*a && *b));
            if follows.always || follows.all && !follows.empty && apart() {
                self.patch(at, Step::Run(out));
            }
        }
    }
}

/// Sets the mark of an instruction at an offset; returns false if it was set.
#[inline(always)]
fn mark(marks: &mut [u64], at: usize) -> bool {
    let Some(word) = marks.get_mut(at / 64) else { return false };
    let bit = 1 << (at % 64);
    let new = *word & bit == 0;
    *word |= bit;
    new
}

/// Maximum number of instructions that are examined for what can follow a repetition.
const MAX_FOLLOWING: usize = 32;

/// The bytes with which the rest of a program can start.
struct Firsts {
    /// The first bytes of the characters.
    table: [bool; 256],
    /// Whether it can match the empty text, though perhaps not everywhere.
    empty: bool,
    /// Whether it can match the empty text everywhere.
    always: bool,
    /// Whether all of it was examined.
    all: bool,
}

impl Default for Firsts {
    fn default() -> Firsts {
        Firsts { table: [false; 256], empty: false, always: false, all: true }
    }
}

impl Firsts {
    /// Examines the program from an instruction on, up to `most` instructions.
    fn of(pattern: &Pattern, from: u32, most: usize) -> Firsts {
        let mut firsts = Firsts::default();
        // Each entry is an instruction, and whether there is an assertion before it.
        let mut open = vec![(from, false)];
        let mut seen = vec![[false; 2]; pattern.program.len()];
        let mut left = most;
        while let Some((step, asserted)) = open.pop() {
            let seen = seen.get_mut(step as usize).and_then(|seen| seen.get_mut(usize::from(asserted)));
            let Some(seen) = seen.filter(|seen| !**seen) else { continue };
            *seen = true;
            firsts.all = left > 0;
            if !firsts.all {
                break;
            }
            left -= 1;
            match pattern.program.get(step as usize) {
                Some(Step::Jump(to)) => open.push((*to, asserted)),
                Some(Step::Split(first, second)) => open.extend([(*first, asserted), (*second, asserted)]),
                Some(Step::Run(out)) => open.extend([(step + 1, asserted), (*out, asserted)]),
                Some(Step::Save(_)) => open.push((step + 1, asserted)),
                Some(Step::Assert(_)) => open.push((step + 1, true)),
                Some(Step::Match) => {
                    firsts.empty = true;
                    firsts.always |= !asserted;
                }
                Some(taking) => firsts.add(pattern, taking),
                None => {}
            }
        }
        firsts
    }

    /// Adds the bytes with which characters that an instruction accepts can start.
    fn add(&mut self, pattern: &Pattern, step: &Step) {
        let ignore_case = pattern.options.ignore_case;
        let mut add = |byte: u8| {
            if let Some(place) = self.table.get_mut(usize::from(byte)) {
                *place = true;
            }
        };
        match step {
            Step::Char(c) if !ignore_case => add(first_byte(*c)),
            Step::Char(wanted) => {
                // If case is ignored, a few letters outside of ASCII equal one in ASCII.
                (0..128).filter(|c| fold(*c as char) == fold(*wanted)).chain(NON_ASCII).for_each(&mut add);
            }
            Step::Set(set) => {
                let Some(set) = pattern.sets.get(*set as usize) else { return };
                (0..128).filter(|c| set.contains(*c as char, ignore_case)).for_each(&mut add);
                if ignore_case || set.negated || set.ranges.iter().any(|(_, high)| !high.is_ascii()) {
                    NON_ASCII.for_each(&mut add);
                }
            }
            _ => (0..128).chain(NON_ASCII).for_each(&mut add),
        }
    }
}

/// Maximum number of bytes of the prefix that are compared: a longer one would make a search slower than linear.
const MAX_PREFIX: usize = 16;

/// The first bytes of all characters outside of ASCII.
const NON_ASCII: RangeInclusive<u8> = 0xc0..=0xff;

/// Where a match can start, according to the bytes there.
#[derive(Debug)]
pub(super) struct Starts {
    /// The first bytes of the characters with which a match can start, as a table in which every byte of a text is looked up.
    table: [bool; 256],
    /// The bytes with which every match starts.
    prefix: Vec<u8>,
    /// Whether a match can be empty, and so start anywhere.
    empty: bool,
    /// The first instruction after those for the start and the prefix, and how many bytes precede it.
    skip: (u32, usize),
}

impl Default for Starts {
    fn default() -> Starts {
        Starts { table: [false; 256], prefix: Vec::new(), empty: false, skip: (0, 0) }
    }
}

impl Starts {
    /// Returns the first offset at or after `at` at which a match can start.
    pub(super) fn next(&self, bytes: &[u8], at: usize) -> Option<usize> {
        if self.empty {
            return (at <= bytes.len()).then_some(at);
        }
        let mut at = at;
        loop {
            // Only first bytes of characters are in the table.
            at += bytes.get(at..)?.iter().position(|byte| self.can(*byte))?;
            // Most patterns begin with a set and have no prefix; comparing an empty one would still cost a call.
            if self.prefix.is_empty() || bytes.get(at..).is_some_and(|rest| rest.starts_with(&self.prefix)) {
                return Some(at);
            }
            at += 1;
        }
    }

    #[inline(always)]
    fn can(&self, byte: u8) -> bool {
        self.table.get(usize::from(byte)) == Some(&true)
    }

    /// Examines the first instructions of a program.
    pub(super) fn of(pattern: &Pattern) -> Starts {
        let Firsts { table, empty, .. } = Firsts::of(pattern, 0, usize::MAX);
        let mut starts = Starts { table, empty, ..Starts::default() };
        if !pattern.options.ignore_case {
            starts.prefix = prefix(&pattern.program);
            starts.skip = skip(&pattern.program);
        }
        starts
    }
}

/// The characters that a program accepts in sequence before the first choice.
fn prefix(program: &[Step]) -> Vec<u8> {
    let mut taken = String::new();
    for step in program {
        match step {
            Step::Char(c) if taken.len() + c.len_utf8() <= MAX_PREFIX => taken.push(*c),
            Step::Save(_) | Step::Assert(_) => {}
            _ => break,
        }
    }
    taken.into_bytes()
}

/// The number of instructions and bytes that a search can skip if the prefix matches.
fn skip(program: &[Step]) -> (u32, usize) {
    let Some((Step::Save(0), rest)) = program.split_first() else { return (0, 0) };
    let (mut steps, mut bytes) = (1, 0);
    for step in rest {
        match step {
            Step::Char(c) if bytes + c.len_utf8() <= MAX_PREFIX => bytes += c.len_utf8(),
            _ => break,
        }
        steps += 1;
    }
    (steps, bytes)
}

fn first_byte(c: char) -> u8 {
    c.encode_utf8(&mut [0; 4]).bytes().next().unwrap_or_default()
}

fn char_at(text: &str, at: usize) -> Option<char> {
    match text.as_bytes().get(at) {
        Some(byte) if byte.is_ascii() => Some(*byte as char),
        _ => text.get(at..)?.chars().next(),
    }
}
