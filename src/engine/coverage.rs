//! The parts of a definition that an execution has used, for coverage reports of test runs and for tests that check which
//! retrier or catcher applied.

use super::Engine;
use super::fault::Fault;
use super::frame::Frame;
use crate::asl::ir::{Kind, State, StateId};
use crate::base::{Pointer, Table};
use std::sync::Arc;

/// How often each state, transition, rule, retrier and catcher was used, and which errors were handled.
///
/// Counting starts with [`Engine::cover`] and includes the children of Distributed Maps.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    /// The counts of each state that was entered: entries, exits by Next or End, exits by Default, then one count for each
    /// rule, retrier and catcher.
    states: Table<StateId, Vec<u64>>,
    handled: Vec<HandledError>,
}

/// A part of a state whose uses are counted.
#[derive(Clone, Copy)]
pub(super) enum Branch {
    /// The state itself was entered.
    Entered,
    /// The state was left by its `Next` or `End`.
    Transition,
    /// Its `Default` was taken.
    Default,
    /// The rule with this index in `Choices` was true.
    Rule(usize),
    /// The retrier with this index in `Retry` has handled an error.
    Retrier(usize),
    /// The catcher with this index in `Catch` has handled an error.
    Catcher(usize),
}

/// An error that a retrier or a catcher has handled.
#[derive(Clone, Debug, PartialEq)]
pub struct HandledError {
    /// The state.
    pub state: Arc<str>,
    /// The retrier or catcher.
    pub pointer: Pointer,
    /// `Error`, if the error has one.
    pub error: Option<Arc<str>>,
    /// `Cause`, if the error has one.
    pub cause: Option<Arc<str>>,
    /// Milliseconds until the next attempt; `None` for a catcher.
    pub delay: Option<u64>,
    /// The id of the state's last event before the error was handled.
    pub event: u64,
    /// The name of the child execution that the state runs in. `event` then refers to the child's history.
    pub child: Option<Arc<str>>,
}

/// Maximum number of errors that are stored one by one; further ones are only counted.
const REMEMBERED: usize = 10_000;

/// The number of counts that each state has before those of its lists.
const FIXED: usize = 3;

impl Engine {
    /// Starts to count which parts of the definition are used.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use stepglass::asl;
    /// use stepglass::base::{Millis, Value};
    /// use stepglass::engine::{Engine, Event, ExecutionInfo, Options};
    ///
    /// let text = r#"{"StartAt":"A","States":{"A":{"Type":"Pass","Next":"B"},"B":{"Type":"Succeed"}}}"#;
    /// let machine = asl::compile(text, &asl::CompileOptions::default()).machine.unwrap();
    /// let mut engine = Engine::new(Arc::new(machine), Options::default());
    /// engine.cover();
    /// let execution = ExecutionInfo::named("Two", "first");
    /// engine.step(Millis(0), Event::Start { input: Value::Null, execution, seed: 1 }).unwrap();
    /// let used: Vec<_> = engine.hits().into_iter().map(|(place, count)| (place.to_string(), count)).collect();
    /// let expected = [("/States/A", 1), ("/States/A/Next", 1), ("/States/B", 1), ("/States/B/Type", 1)];
    /// assert_eq!(used, expected.map(|(place, count)| (place.to_string(), count)));
    /// ```
    pub fn cover(&mut self) {
        self.coverage.get_or_insert_default();
    }

    /// How often each part was used (getter), with its JSON Pointer and in the order of the definition: `/States/Ship`,
    /// `/States/Ship/Next`, `…/End` or for a Succeed `…/Type`, `/States/Enough/Choices/0`, `…/Default`,
    /// `/States/Charge/Retry/0`, `…/Catch/1`. Parts that were never used are left out.
    pub fn hits(&self) -> Vec<(Pointer, u64)> {
        let mut out = Vec::new();
        for (id, counts) in self.coverage.iter().flat_map(|coverage| coverage.states.iter()) {
            let state = &self.machine.states[*id];
            out.extend(
                counts.iter().enumerate().filter(|(_, count)| **count > 0).map(|(slot, count)| (pointer(state, slot), *count)),
            );
        }
        out
    }

    /// The errors that Retry and Catch have handled, in order; at most the first ten thousand (getter).
    pub fn handled_errors(&self) -> &[HandledError] {
        self.coverage.as_ref().map_or(&[], |coverage| &coverage.handled)
    }

    /// Counts a use of a part of the frame's state, if coverage is on.
    #[inline]
    pub(super) fn count_use(&mut self, frame: &Frame, branch: Branch) {
        if self.coverage.is_some() {
            self.count(frame, branch);
        }
    }

    #[inline(never)]
    fn count(&mut self, frame: &Frame, branch: Branch) {
        let Some(coverage) = &mut self.coverage else { return };
        let state = &self.machine.states[frame.state];
        let (rules, retriers) = (rules(state), state.retry.len());
        let slot = match branch {
            Branch::Entered => 0,
            Branch::Transition => 1,
            Branch::Default => 2,
            Branch::Rule(i) => FIXED + i,
            Branch::Retrier(i) => FIXED + rules + i,
            Branch::Catcher(i) => FIXED + rules + retriers + i,
        };
        if !coverage.states.contains_key(&frame.state) {
            coverage.states.insert(frame.state, vec![0; FIXED + rules + retriers + state.catch.len()]);
        }
        if let Some(count) = coverage.states.get_mut(&frame.state).and_then(|counts| counts.get_mut(slot)) {
            *count += 1;
        }
    }

    /// Stores an error that was handled: with a `delay` if by a retrier, without if by a catcher.
    pub(super) fn store_handled_error(&mut self, frame: &Frame, state: &State, fault: &Fault, index: usize, delay: Option<u64>) {
        if self.coverage.is_none() {
            return;
        }
        let execution = self.executions.get(&frame.execution);
        let child = execution.filter(|e| e.parent.is_some()).map(|e| e.info.name.clone());
        let handled = HandledError {
            state: state.name.clone(),
            pointer: state.pointer.key(if delay.is_some() { "Retry" } else { "Catch" }).index(index),
            error: fault.error.clone(),
            cause: fault.cause.clone(),
            delay,
            event: frame.tail,
            child,
        };
        if let Some(coverage) = self.coverage.as_mut().filter(|coverage| coverage.handled.len() < REMEMBERED) {
            coverage.handled.push(handled);
        }
    }
}

fn rules(state: &State) -> usize {
    match &state.kind {
        Kind::Choice { rules, .. } => rules.len(),
        _ => 0,
    }
}

/// The JSON Pointer of the part of a state that a count belongs to.
fn pointer(state: &State, slot: usize) -> Pointer {
    let own = &state.pointer;
    let (rules, retriers) = (rules(state), state.retry.len());
    match slot {
        0 => own.clone(),
        // The pointers are the same as those of the edges in the graph.
        1 if matches!(state.kind, Kind::Succeed) => own.key("Type"),
        1 => own.key(if state.next.is_some() { "Next" } else { "End" }),
        2 => own.key("Default"),
        slot if slot < FIXED + rules => own.key("Choices").index(slot - FIXED),
        slot if slot < FIXED + rules + retriers => own.key("Retry").index(slot - FIXED - rules),
        slot => own.key("Catch").index(slot - FIXED - rules - retriers),
    }
}

#[cfg(test)]
mod tests {
    use crate::asl;
    use crate::base::{Millis, Value, json};
    use crate::engine::{Engine, Event, ExecutionInfo, Options};
    use std::sync::Arc;

    /// Runs a machine of few states whose payloads are limited to 60 bytes, and compares the used parts and the outcome.
    fn check(states: &str, input: &str, expect: &[&str]) {
        let definition = format!(r#"{{"StartAt":"A","States":{{{states},"Z":{{"Type":"Succeed"}}}}}}"#);
        let machine = asl::compile(&definition, &asl::CompileOptions::default()).machine.unwrap();
        let mut engine = Engine::new(Arc::new(machine), Options { payload_limit: 60, ..Options::default() });
        engine.cover();
        let start = Event::Start { input: json::parse(input).unwrap(), execution: ExecutionInfo::named("m", "e"), seed: 0 };
        engine.step(Millis(0), start).unwrap();
        let used: Vec<String> = engine.hits().into_iter().map(|(pointer, count)| format!("{pointer} {count}")).collect();
        assert_eq!(used, expect, "{} {:?}", definition, engine.outcome().map(|outcome| outcome.status()));
        let caught = engine.handled_errors().iter().filter(|error| error.delay.is_none()).count();
        let expected_catchers = expect.iter().filter(|pointer| pointer.contains("/Catch/")).count();
        assert_eq!(caught, expected_catchers, "{definition}");
    }

    #[test]
    fn a_transition_counts_only_if_its_payload_fits() {
        let large = Value::from("x".repeat(50));
        let result = format!(r#""Result":{large},"ResultPath":"$.r""#);
        let pass = |more: &str| format!(r#""A":{{"Type":"Pass",{more}"Next":"Z"}}"#);
        check(&pass(""), r#"{"a":1}"#, &["/States/A 1", "/States/A/Next 1", "/States/Z 1", "/States/Z/Type 1"]);
        check(&pass(&format!("{result},")), r#"{"a":1}"#, &["/States/A 1"]);

        // Two copies of the input are too large, both in the output and in a variable.
        let twice = r#"{% $states.input & $states.input %}"#;
        let choice = |more: &str| {
            format!(
                r#""A":{{"Type":"Choice","QueryLanguage":"JSONata","Choices":[{{"Condition":"{{% true %}}",{more}"Next":"Z"}}]}}"#
            )
        };
        let input = format!("\"{}\"", "y".repeat(40));
        let used = ["/States/A 1", "/States/A/Choices/0 1", "/States/Z 1", "/States/Z/Type 1"];
        check(&choice(""), &input, &used);
        check(&choice(&format!(r#""Output":"{twice}","#)), &input, &["/States/A 1"]);
        check(&choice(&format!(r#""Assign":{{"v":"{twice}"}},"#)), &input, &["/States/A 1"]);
    }

    #[test]
    fn a_catcher_counts_only_if_its_output_fits() {
        let parallel = |path: &str| {
            format!(
                r#""A":{{"Type":"Parallel","Branches":[{{"StartAt":"F","States":{{"F":{{"Type":"Fail","Error":"E"}}}}}}],
                    "Catch":[{{"ErrorEquals":["E"],"ResultPath":"{path}","Next":"Z"}}],"End":true}}"#
            )
        };
        let branch = "/States/A/Branches/0/States/F 1";
        let input = format!(r#"{{"a":"{}"}}"#, "y".repeat(40));
        let caught = ["/States/A 1", "/States/A/Catch/0 1", "/States/Z 1", "/States/Z/Type 1", branch];
        check(&parallel("$"), &input, &caught);
        check(&parallel("$.error"), &input, &["/States/A 1", branch]);
    }
}
