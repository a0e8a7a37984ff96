//! Runs a pattern with all its threads in parallel, one character after another.

use super::backtrack::Job as BacktrackJob;
use super::{Assertion, Pattern, Step, fold, is_line_end};

/// Marks a slot without an offset.
const NONE: usize = usize::MAX;

/// The memory of a search, which later searches reuse.
#[derive(Default)]
pub(in crate::expr) struct Scratch {
    now: Threads,
    next: Threads,
    stack: Vec<Job>,
    /// The slots of the current thread; after a successful search the offsets of the match and its groups.
    pub(super) slots: Vec<usize>,
    /// For the backtracking search: the alternatives left, and the marks of tried ones.
    pub(super) alternatives: Vec<BacktrackJob>,
    pub(super) marks: Vec<u64>,
}

/// The threads at one offset of the text, in order of preference.
#[derive(Default)]
struct Threads {
    list: Vec<u32>,
    /// For each instruction its index in the list; valid only if the list has the instruction there.
    index: Vec<u32>,
    /// For each instruction the slots of its thread.
    slots: Vec<usize>,
}

impl Threads {
    fn resize(&mut self, steps: usize, slots: usize) {
        self.list.clear();
        self.index.resize(steps, 0);
        self.slots.resize(steps * slots, NONE);
    }

    fn has(&self, at: u32) -> bool {
        self.index.get(at as usize).and_then(|i| self.list.get(*i as usize)) == Some(&at)
    }

    fn push(&mut self, at: u32) {
        if let Some(index) = self.index.get_mut(at as usize) {
            *index = self.list.len() as u32;
            self.list.push(at);
        }
    }
}

enum Job {
    Explore(u32),
    Restore(u32, usize),
}

/// The search has used up its fuel.
#[derive(Debug)]
pub(in crate::expr) struct OutOfFuel;

impl Pattern {
    /// Searches the first match, in time that is linear in the length of the text; its offsets are in `scratch.slots`.
    pub(super) fn run_threads(&self, text: &str, from: usize, scratch: &mut Scratch, fuel: &mut u64) -> Result<bool, OutOfFuel> {
        let width = self.groups * 2;
        scratch.now.resize(self.program.len(), width);
        scratch.next.resize(self.program.len(), width);
        let mut best: Option<Vec<usize>> = None;
        let mut at = from;
        let mut before = text.get(..from).and_then(|s| s.chars().next_back());
        loop {
            if scratch.now.list.is_empty() {
                if best.is_some() {
                    break;
                }
                // No thread is running, so the search continues where a match can start.
                let next = self.starts.next(text.as_bytes(), at);
                pay(fuel, (next.unwrap_or(text.len()) - at) / 16)?;
                let Some(start) = next else { break };
                if start > at {
                    before = text.get(..start).and_then(|s| s.chars().next_back());
                    at = start;
                }
            }
            let c = text.get(at..).and_then(|s| s.chars().next());
            if best.is_none() {
                scratch.slots.clear();
                scratch.slots.resize(width, NONE);
                self.explore(&mut scratch.now, &mut scratch.stack, &mut scratch.slots, 0, at, before, c, fuel)?;
            }
            let after = at + c.map_or(0, char::len_utf8);
            let following = text.get(after..).and_then(|s| s.chars().next());
            pay(fuel, 1 + scratch.now.list.len())?;
            for i in 0..scratch.now.list.len() {
                let Some(thread) = scratch.now.list.get(i).copied() else { break };
                let Some(step) = self.program.get(thread as usize) else { break };
                let start = thread as usize * width;
                let slots = scratch.now.slots.get(start..start + width).unwrap_or(&[]);
                let advance = match (step, c) {
                    (Step::Match, _) => {
                        best = Some(slots.to_vec());
                        // Later threads in the list are less preferred.
                        break;
                    }
                    (Step::Char(wanted), Some(c)) => *wanted == c || self.options.ignore_case && fold(*wanted) == fold(c),
                    (Step::Set(set), Some(c)) => {
                        self.sets.get(*set as usize).is_some_and(|set| set.contains(c, self.options.ignore_case))
                    }
                    (Step::Any, Some(c)) => self.options.dot_all || !is_line_end(c),
                    _ => false,
                };
                if advance {
                    scratch.slots.clear();
                    scratch.slots.extend_from_slice(slots);
                    let (next, stack, slots) = (&mut scratch.next, &mut scratch.stack, &mut scratch.slots);
                    self.explore(next, stack, slots, thread + 1, after, c, following, fuel)?;
                }
            }
            std::mem::swap(&mut scratch.now, &mut scratch.next);
            scratch.next.list.clear();
            if c.is_none() {
                break;
            }
            before = c;
            at = after;
        }
        let found = best.is_some();
        scratch.slots = best.unwrap_or_default();
        Ok(found)
    }

    /// Adds the threads that an instruction leads to without consuming a character.
    #[allow(clippy::too_many_arguments)]
    fn explore(
        &self,
        threads: &mut Threads,
        stack: &mut Vec<Job>,
        slots: &mut [usize],
        from: u32,
        at: usize,
        before: Option<char>,
        after: Option<char>,
        fuel: &mut u64,
    ) -> Result<(), OutOfFuel> {
        stack.clear();
        stack.push(Job::Explore(from));
        while let Some(job) = stack.pop() {
            let mut step = match job {
                Job::Restore(slot, place) => {
                    if let Some(slot) = slots.get_mut(slot as usize) {
                        *slot = place;
                    }
                    continue;
                }
                Job::Explore(step) => step,
            };
            while !threads.has(step) {
                pay(fuel, 1)?;
                threads.push(step);
                match self.program.get(step as usize) {
                    Some(Step::Jump(to)) => step = *to,
                    Some(Step::Split(first, second)) => {
                        stack.push(Job::Explore(*second));
                        step = *first;
                    }
                    Some(Step::Run(out)) => {
                        stack.push(Job::Explore(*out));
                        step += 1;
                    }
                    Some(Step::Save(slot)) => {
                        if let Some(place) = slots.get_mut(*slot as usize) {
                            stack.push(Job::Restore(*slot, *place));
                            *place = at;
                        }
                        step += 1;
                    }
                    Some(Step::Assert(assertion)) => {
                        if !self.holds(*assertion, before, after) {
                            break;
                        }
                        step += 1;
                    }
                    _ => {
                        let start = step as usize * slots.len();
                        if let Some(own) = threads.slots.get_mut(start..start + slots.len()) {
                            own.copy_from_slice(slots);
                        }
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    pub(super) fn holds(&self, assertion: Assertion, before: Option<char>, after: Option<char>) -> bool {
        let word = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
        let edge = |c: Option<char>| c.is_none_or(|c| self.options.multi_line && is_line_end(c));
        match assertion {
            Assertion::Start => edge(before),
            Assertion::End => edge(after),
            Assertion::TextStart => before.is_none(),
            Assertion::TextEnd => after.is_none(),
            Assertion::WordBoundary => word(before) != word(after),
            Assertion::NoWordBoundary => word(before) == word(after),
        }
    }
}

pub(super) fn pay(fuel: &mut u64, steps: usize) -> Result<(), OutOfFuel> {
    *fuel = fuel.saturating_sub(steps as u64);
    if *fuel == 0 { Err(OutOfFuel) } else { Ok(()) }
}
