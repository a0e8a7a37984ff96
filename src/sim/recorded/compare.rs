//! Compares two histories thread by thread, and finds the first difference of each.

use super::ReplayOptions;
use super::read::{Event, Payload, Recording, Slot, is_mask};
use super::reason::{self, Situation};
use super::texts::{fits, pieces};
use crate::asl::ir::{Kind, Machine, StateId};
use crate::base::{Names, Number, Pointer, Value, json, time};
use crate::engine::{Engine, SNAPSHOT_DEPTH};
use std::sync::Arc;

/// The milliseconds by which the duration of a Wait may differ: the time that AWS itself takes for transitions.
const WAIT_TOLERANCE: u64 = 3_000;

/// The milliseconds by which two timestamps may differ that were taken from the clock.
const CLOCK_TOLERANCE: u64 = 60_000;

/// A point at which the definition does not do what the recording says.
#[derive(Clone, Debug, PartialEq)]
pub struct Divergence {
    /// The id of the recorded event; `None` if the recording has no counterpart to what the definition does.
    pub event: Option<u64>,
    /// The event's type.
    pub event_type: Option<Arc<str>>,
    /// The name of the state in which it happens.
    pub state: Option<Arc<str>>,
    /// The indices in the enclosing Maps, the innermost last.
    pub iterations: Vec<u32>,
    /// What differs: `event`, `state`, `input`, `output`, `variables`, `error`, `cause`, `resource`, `length`, `wait`.
    pub aspect: &'static str,
    /// The location in a payload.
    pub pointer: Option<String>,
    /// The recorded value.
    pub expected: Value,
    /// The value in the replay.
    pub got: Value,
    /// A sentence with both values.
    pub message: String,
    /// The most likely reason.
    pub reason: Option<String>,
    /// The key by which divergences are ordered: the recorded event at which, or after which, it happens.
    pub(super) place: (u64, bool),
}

/// A value that no run can reproduce.
#[derive(Clone, Debug, PartialEq)]
pub struct Unreproducible {
    /// The id of the recorded event.
    pub event: u64,
    /// The location in its payload.
    pub pointer: String,
    /// The recorded value.
    pub recorded: Value,
    /// The value in the replay.
    pub replayed: Value,
}

/// The definition that was replayed.
pub(super) struct Subject<'a> {
    pub(super) machine: &'a Machine,
    pub(super) definition: &'a Value,
    pub(super) options: &'a ReplayOptions,
    pub(super) tokens: &'a [Arc<str>],
    /// The names of Distributed Maps that were replaced by a Task.
    pub(super) replaced_maps: &'a [Arc<str>],
}

impl Subject<'_> {
    pub(super) fn state(&self, name: &str) -> Option<StateId> {
        self.machine.states.iter().find(|(_, state)| &*state.name == name).map(|(id, _)| id)
    }
}

/// The result of a comparison.
#[derive(Default)]
pub(super) struct Outcome {
    pub(super) divergences: Vec<Divergence>,
    pub(super) unreproducible: Vec<Unreproducible>,
    pub(super) compared: u64,
}

/// Compares the recording with the history of the replay.
pub(super) fn compare(subject: &Subject, recorded: &Recording, engine: &Engine) -> Outcome {
    let replayed =
        json::parse_within(&engine.history_json(0), SNAPSHOT_DEPTH).ok().and_then(|history| Recording::read(&history).ok());
    let Some(replayed) = replayed else { return Outcome::default() };
    let mut comparison = Comparison { subject, recorded, replayed: &replayed, outcome: Outcome::default(), pairs: Vec::new() };
    let mut open = vec![(0, 0)];
    while let Some((a, b)) = open.pop() {
        comparison.thread(a, b, &mut open);
    }
    comparison.outcome
}

/// Finds differences that need no data: states that the definition lacks, and transitions that it does not make.
pub(super) fn by_structure(subject: &Subject, recorded: &Recording) -> Option<Divergence> {
    for (number, thread) in recorded.threads.iter().enumerate() {
        let mut left: Option<&str> = None;
        for event in thread.events.iter().filter_map(|i| recorded.event(*i)) {
            let Some(name) = event.state() else { continue };
            let found = subject.state(name);
            let kind = event.kind.split("State").next().unwrap_or_default();
            let type_now = found.and_then(|id| subject.machine.states.get(id)).map(|state| type_name(subject, state));
            let situation = Situation { state: Some(name), ..Situation::default() };
            let differs = match type_now {
                None => Some((Value::Null, format!("the recording is in state '{name}', which the definition does not have"))),
                Some(now) if now != kind => {
                    Some((now.into(), format!("state '{name}' is a {kind} in the recording and a {now} in the definition")))
                }
                Some(_) => match (left, found) {
                    (Some(before), Some(id)) if event.enters() && !leads_to(subject, before, id) => Some((
                        Value::Null,
                        format!("the recording goes from '{before}' to '{name}', but the definition has no such transition"),
                    )),
                    _ => None,
                },
            };
            if let Some((got, message)) = differs {
                return Some(Divergence {
                    event: Some(event.id),
                    event_type: Some(event.kind.clone()),
                    state: Some(name.into()),
                    iterations: recorded.iterations(number),
                    aspect: "state",
                    pointer: None,
                    expected: name.into(),
                    got,
                    message,
                    reason: reason::of(subject, &situation),
                    place: (event.id, false),
                });
            }
            if event.exits() {
                left = Some(name);
            }
        }
    }
    None
}

fn type_name(subject: &Subject, state: &crate::asl::ir::State) -> &'static str {
    if subject.replaced_maps.contains(&state.name) { "Map" } else { state.kind.type_name() }
}

fn leads_to(subject: &Subject, from: &str, to: StateId) -> bool {
    let Some(state) = subject.state(from).and_then(|id| subject.machine.states.get(id)) else { return true };
    let choices = match &state.kind {
        Kind::Choice { rules, default } => rules.iter().any(|rule| rule.next == to) || *default == Some(to),
        _ => false,
    };
    choices || state.next == Some(to) || state.catch.iter().any(|catcher| catcher.next == to)
}

struct Comparison<'a> {
    subject: &'a Subject<'a>,
    recorded: &'a Recording,
    replayed: &'a Recording,
    outcome: Outcome,
    /// Pairs of recorded and replayed values that are expected to differ.
    pairs: Vec<(Value, Value)>,
}

/// A difference of two events.
struct Difference {
    aspect: &'static str,
    pointer: Option<String>,
    expected: Value,
    got: Value,
}

impl Comparison<'_> {
    /// Compares two threads up to the first difference, and adds the threads that start in them to `open`.
    fn thread(&mut self, a: usize, b: usize, open: &mut Vec<(usize, usize)>) {
        let (recorded, replayed) = (self.relevant(self.recorded, a), self.relevant(self.replayed, b));
        let (mut i, mut j, mut starts) = (0, 0, 0);
        let mut state: Option<Arc<str>> = None;
        let mut entered = (None, None);
        loop {
            let (one, other) = (recorded.get(i).copied(), replayed.get(j).copied());
            // Histories from before November 2024 do not have these events.
            let lone = |e: Option<&Event>, f: Option<&Event>| {
                e.is_some_and(|e| &*e.kind == "EvaluationFailed") && f.is_none_or(|f| &*f.kind != "EvaluationFailed")
            };
            if lone(one, other) || lone(other, one) {
                i += usize::from(lone(one, other));
                j += usize::from(lone(other, one));
                continue;
            }
            let difference = match (one, other) {
                (None, None) => return,
                (Some(one), Some(other)) => {
                    if a == 0 && self.both_cut(one, other, &recorded, &replayed) {
                        return;
                    }
                    if one.enters() {
                        state = one.text("name").map(Arc::from);
                        entered = (one.at, other.at);
                    }
                    self.events(one, other, entered)
                }
                _ => {
                    if self.may_be_cut(a, b, one.is_none()) {
                        return;
                    }
                    let name = |event: Option<&Event>| event.map_or(Value::Null, headline);
                    Some(Difference { aspect: "event", pointer: None, expected: name(one), got: name(other) })
                }
            };
            if let Some(difference) = difference {
                let last = i.checked_sub(1).and_then(|at| recorded.get(at)).copied();
                self.diverge(difference, one, other, last, state, a);
                return;
            }
            self.outcome.compared += 1;
            if one.is_some_and(|e| matches!(&*e.kind, "ParallelStateStarted" | "MapStateStarted")) {
                starts += 1;
                self.children((a, b), starts, state.clone(), one, open);
            }
            i += 1;
            j += 1;
        }
    }

    /// Pairs the branches or iterations that one event started.
    fn children(
        &mut self,
        pair: (usize, usize),
        start: usize,
        state: Option<Arc<str>>,
        at: Option<&Event>,
        open: &mut Vec<(usize, usize)>,
    ) {
        let (a, b) = pair;
        let of = |recording: &Recording, parent: usize| -> Vec<(usize, Slot)> {
            let threads = recording.threads.iter().enumerate();
            threads.filter(|(_, s)| s.parent == Some((parent, start))).map(|(i, s)| (i, s.slot.clone())).collect()
        };
        let (recorded, replayed) = (of(self.recorded, a), of(self.replayed, b));
        let mut known = Names::default();
        let name = |slot: &Slot| match slot {
            Slot::Root => String::new(),
            Slot::Branch(name) => format!("b{name}"),
            Slot::Iteration(index) => format!("i{index}"),
        };
        for (thread, slot) in &replayed {
            known.insert(name(slot).into(), *thread);
        }
        let mut seen = Names::default();
        for (thread, slot) in &recorded {
            seen.insert(name(slot).into(), *thread);
            match known.get(&name(slot)) {
                Some(other) => open.push((*thread, other)),
                None if self.join_succeeded(self.recorded, a, start) && self.join_succeeded(self.replayed, b, start) => {
                    let first = self.recorded.threads.get(*thread).and_then(|s| self.recorded.event(*s.events.first()?));
                    let difference = Difference {
                        aspect: "event",
                        pointer: None,
                        expected: first.map_or(Value::Null, headline),
                        got: Value::Null,
                    };
                    self.diverge(difference, first, None, at, state.clone(), *thread);
                }
                None => {}
            }
        }
        if !self.join_succeeded(self.recorded, a, start) || !self.join_succeeded(self.replayed, b, start) {
            return;
        }
        if let Some((thread, _)) = replayed.iter().find(|(_, slot)| !seen.contains(&name(slot))) {
            let first = self.replayed.threads.get(*thread).and_then(|s| self.replayed.event(*s.events.first()?));
            let difference =
                Difference { aspect: "event", pointer: None, expected: Value::Null, got: first.map_or(Value::Null, headline) };
            self.diverge(difference, None, first, at, state, a);
        }
    }

    /// The events of a thread that do not depend on when, or in which order, AWS recorded them.
    fn relevant<'r>(&self, recording: &'r Recording, thread: usize) -> Vec<&'r Event> {
        let events = recording.threads.get(thread).map_or(&[][..], |thread| &thread.events);
        let mut inside = false;
        let mut kept = Vec::with_capacity(events.len());
        for event in events.iter().filter_map(|i| recording.event(*i)) {
            if let Some(name) = event.state() {
                inside = event.enters() && self.subject.replaced_maps.iter().any(|replaced| **replaced == *name);
            } else if inside && !event.kind.starts_with("Execution") {
                continue;
            }
            let noise = matches!(&*event.kind, "TaskStarted" | "LambdaFunctionStarted" | "ActivityStarted" | "ExecutionRedriven");
            if !noise {
                kept.push(event);
            }
        }
        kept
    }

    /// Whether both executions were ended from outside or by their time-out, which may happen at any event.
    fn both_cut(&self, one: &Event, other: &Event, recorded: &[&Event], replayed: &[&Event]) -> bool {
        let cut = |event: &Event| matches!(&*event.kind, "ExecutionAborted" | "ExecutionTimedOut");
        let last = |events: &[&Event]| events.last().filter(|event| cut(event)).map(|event| event.kind.clone());
        (cut(one) || cut(other)) && last(recorded).is_some() && last(recorded) == last(replayed)
    }

    /// Whether a thread may end earlier in one of the two, because it was aborted or not recorded to its end.
    fn may_be_cut(&self, a: usize, b: usize, recording_ended: bool) -> bool {
        if recording_ended && self.recorded.end().is_none() {
            return true;
        }
        let parent = |recording: &Recording, thread: usize| recording.threads.get(thread).and_then(|thread| thread.parent);
        match (parent(self.recorded, a), parent(self.replayed, b)) {
            (Some((p, start)), Some((q, other))) => {
                !self.join_succeeded(self.recorded, p, start) || !self.join_succeeded(self.replayed, q, other)
            }
            _ => false,
        }
    }

    /// Whether all children of a Parallel or Map have ended.
    fn join_succeeded(&self, recording: &Recording, thread: usize, start: usize) -> bool {
        let mut count = 0;
        let events = recording.threads.get(thread).map_or(&[][..], |thread| &thread.events);
        for event in events.iter().filter_map(|i| recording.event(*i)) {
            if matches!(&*event.kind, "ParallelStateStarted" | "MapStateStarted") {
                count += 1;
            } else if count == start && matches!(&*event.kind, "ParallelStateSucceeded" | "MapStateSucceeded") {
                return true;
            }
        }
        false
    }

    /// Returns the first difference of two events.
    fn events(&mut self, one: &Event, other: &Event, entered: (Option<time::Millis>, Option<time::Millis>)) -> Option<Difference> {
        let is_replaced = one.state().is_some_and(|name| self.subject.replaced_maps.iter().any(|replaced| **replaced == *name));
        let same_kind =
            kind_of(one) == kind_of(other) || (is_replaced && one.enters() == other.enters() && one.exits() == other.exits());
        if !same_kind {
            return Some(Difference { aspect: "event", pointer: None, expected: headline(one), got: headline(other) });
        }
        let member = |aspect: &'static str, name: &str| {
            let of = |event: &Event| event.details.get(name).cloned().unwrap_or(Value::Null);
            let (expected, got) = (of(one), of(other));
            (expected != got).then_some(Difference { aspect, pointer: None, expected, got })
        };
        if let Some(difference) = member("state", "name") {
            return Some(difference);
        }
        if !is_replaced
            && let (true, Payload::Whole(recorded), Payload::Whole(replayed)) =
                (one.details.get("input").or(one.details.get("parameters")).is_some(), one.input(), other.input())
            && let Some(difference) = self.payloads("input", one.id, &recorded, &replayed)
        {
            return Some(difference);
        }
        if let (Payload::Whole(recorded), Payload::Whole(replayed)) = (one.payload("output"), other.payload("output"))
            && let Some(difference) = self.payloads("output", one.id, &recorded, &replayed)
        {
            return Some(difference);
        }
        for (aspect, name) in [("length", "length"), ("resource", "resourceType"), ("resource", "resource")] {
            let started = !one.kind.ends_with("Failed");
            if started
                && let Some(difference) = member(aspect, name)
                && self.first_difference(one.id, &difference.expected, &difference.got, &Pointer::root()).is_some()
            {
                return Some(difference);
            }
        }
        if !is_replaced
            && one.exits()
            && let Some(difference) = self.variables(one, other)
        {
            return Some(difference);
        }
        // If the recording has no details of a failure, there is nothing to compare.
        if one.kind.ends_with("Failed") || one.kind.ends_with("TimedOut") {
            for (aspect, name) in [("error", "error"), ("cause", "cause")] {
                if one.details.get(name).is_some_and(|recorded| !recorded.as_str().is_some_and(is_mask))
                    && let Some(mut difference) = member(aspect, name)
                {
                    // A cause that is JSON text may have been parsed too.
                    if let (false, Value::String(text)) = (difference.expected.as_str().is_some(), &difference.got) {
                        difference.got = json::parse_within(text, SNAPSHOT_DEPTH).unwrap_or_else(|_| difference.got.clone());
                    }
                    let Some((pointer, expected, got)) =
                        self.first_difference(one.id, &difference.expected, &difference.got, &Pointer::root())
                    else {
                        continue;
                    };
                    return Some(Difference { aspect, pointer: Some(pointer).filter(|p| !p.is_empty()), expected, got });
                }
            }
        }
        if &*one.kind == "WaitStateExited"
            && let ((Some(from), Some(to)), (Some(start), Some(end))) = ((entered.0, one.at), (entered.1, other.at))
        {
            let (recorded, replayed) = (to.0.saturating_sub(from.0), end.0.saturating_sub(start.0));
            if recorded.abs_diff(replayed) > WAIT_TOLERANCE {
                let seconds = |millis: u64| Number::from_f64_integral(millis as f64 / 1000.0).map_or(Value::Null, Value::Number);
                return Some(Difference { aspect: "wait", pointer: None, expected: seconds(recorded), got: seconds(replayed) });
            }
        }
        None
    }

    fn variables(&mut self, one: &Event, other: &Event) -> Option<Difference> {
        // A masked value is unknown.
        let masked = |value: &Value| value.as_str().is_some_and(|text| one.hides(text));
        if let Some(recorded) = one.details.get("assignedVariables")
            && (masked(recorded) || recorded.as_object().is_some_and(|members| members.iter().any(|(_, value)| masked(value))))
        {
            return None;
        }
        let (recorded, replayed) = (one.variables(), other.variables());
        // An event without data has no assigned variables either.
        if one.details.get("assignedVariables").is_none() && matches!(one.payload("output"), Payload::Missing) {
            return None;
        }
        self.payloads("variables", one.id, &recorded, &replayed)
    }

    fn payloads(&mut self, aspect: &'static str, event: u64, recorded: &Value, replayed: &Value) -> Option<Difference> {
        let (pointer, expected, got) = self.first_difference(event, recorded, replayed, &Pointer::root())?;
        Some(Difference { aspect, pointer: Some(pointer).filter(|at| !at.is_empty()), expected, got })
    }

    /// Returns the first location at which two values differ without an excuse.
    fn first_difference(&mut self, event: u64, recorded: &Value, replayed: &Value, at: &Pointer) -> Option<(String, Value, Value)> {
        if recorded == replayed {
            return None;
        }
        let differ = || Some((at.as_str().to_string(), recorded.clone(), replayed.clone()));
        match (recorded, replayed) {
            (Value::Object(a), Value::Object(b)) => {
                for (name, value) in a.iter() {
                    let at = at.key(name);
                    match b.get(name) {
                        None => return Some((at.as_str().to_string(), value.clone(), Value::Null)),
                        Some(other) => {
                            if let Some(found) = self.first_difference(event, value, other, &at) {
                                return Some(found);
                            }
                        }
                    }
                }
                // In recordings from before redrive the Context Object has no such counter.
                let counter = |name: &str, value: &Value| name == "RedriveCount" && value.as_i64() == Some(0);
                let extra = b.iter().find(|(name, value)| !a.contains_key(name) && !counter(name, value));
                extra.map(|(name, value)| (at.key(name).as_str().to_string(), Value::Null, value.clone()))
            }
            (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
                a.iter().zip(b.iter()).enumerate().find_map(|(i, (x, y))| self.first_difference(event, x, y, &at.index(i)))
            }
            (Value::Number(a), Value::Number(b)) if a.as_f64() == b.as_f64() => None,
            (Value::String(a), Value::String(b)) if self.is_excused(a, b) => {
                self.note(event, recorded, replayed, at);
                None
            }
            _ if self.pairs.iter().any(|(a, b)| a == recorded && b == replayed) => None,
            _ => differ(),
        }
    }

    fn note(&mut self, event: u64, recorded: &Value, replayed: &Value, at: &Pointer) {
        self.pairs.push((recorded.clone(), replayed.clone()));
        if self.pairs.len() > 1000 {
            self.pairs.remove(0);
        }
        let known = |seen: &Unreproducible| seen.recorded == *recorded && seen.replayed == *replayed;
        if self.outcome.unreproducible.len() < 100 && !self.outcome.unreproducible.iter().any(known) {
            let pointer = at.as_str().to_string();
            self.outcome.unreproducible.push(Unreproducible {
                event,
                pointer,
                recorded: recorded.clone(),
                replayed: replayed.clone(),
            });
        }
    }

    /// Whether two texts differ only in parts that vary from run to run: names, tokens, UUIDs, timestamps. They may be inside
    /// of longer texts if the rest is equal.
    fn is_excused(&self, recorded: &str, replayed: &str) -> bool {
        if let (Some(a), Some(b)) = (time::parse_rfc3339(recorded), time::parse_rfc3339(replayed)) {
            let timeless = self.recorded.event(0).is_none_or(|event| event.at.is_none());
            return timeless || a.millis().0.abs_diff(b.millis().0) <= CLOCK_TOLERANCE;
        }
        let info = &self.subject.options.execution;
        let names = [&info.arn, &info.state_machine_arn, &info.name, &info.state_machine_name, &info.role_arn];
        let fixed = pieces(replayed, names.into_iter().map(|name| &**name).chain(self.subject.tokens.iter().map(|token| &**token)));
        fixed.len() > 1 && fits(recorded, &fixed)
    }

    fn diverge(
        &mut self,
        difference: Difference,
        one: Option<&Event>,
        other: Option<&Event>,
        last: Option<&Event>,
        state: Option<Arc<str>>,
        thread: usize,
    ) {
        let place = match (one, last) {
            (Some(event), _) => (event.id, false),
            (None, Some(event)) => (event.id, true),
            (None, None) => (0, true),
        };
        let named = one.and_then(Event::state).map(Arc::from).or(state);
        let situation = Situation {
            state: named.as_deref(),
            expected: one,
            got: other,
            last,
            aspect: difference.aspect,
            pointer: difference.pointer.as_deref(),
        };
        self.outcome.divergences.push(Divergence {
            message: reason::message(&situation, &difference.expected, &difference.got),
            reason: reason::of(self.subject, &situation),
            event: one.map(|event| event.id),
            event_type: one.map(|event| event.kind.clone()),
            iterations: self.recorded.iterations(thread),
            state: named,
            aspect: difference.aspect,
            pointer: difference.pointer,
            expected: difference.expected,
            got: difference.got,
            place,
        });
    }
}

/// The type of an event, which is the same for all ways in which a call can fail.
fn kind_of(event: &Event) -> &str {
    match &*event.kind {
        "TaskStartFailed" | "TaskSubmitFailed" => "TaskFailed",
        "LambdaFunctionScheduleFailed" | "LambdaFunctionStartFailed" => "LambdaFunctionFailed",
        "ActivityScheduleFailed" => "ActivityFailed",
        kind => kind,
    }
}

/// Describes an event in one or two words: its type and its state.
pub(super) fn headline(event: &Event) -> Value {
    let index = event.details.get("index").and_then(Value::as_i64).map(|i| format!(" [{i}]")).unwrap_or_default();
    match event.text("name") {
        Some(name) => format!("{} {name}{index}", event.kind).into(),
        None => match (event.text("error"), event.text("cause")) {
            (Some(error), _) => format!("{} {error}", event.kind).into(),
            _ => event.kind.to_string().into(),
        },
    }
}
