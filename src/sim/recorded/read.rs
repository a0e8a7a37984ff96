//! Parses a recorded history into events, the threads that they form, and the answers of its tasks.
//!
//! A thread is one chain of states: that of the machine, of a Parallel branch, or of a Map iteration. AWS may interleave
//! threads in any order, so all other modules work on threads and never on the order of the file.

use crate::base::{Map, Millis, Number, Table, Value, decimal, json, sort, time};
use crate::engine::SNAPSHOT_DEPTH;
use std::fmt;
use std::sync::Arc;

/// The reason why a value is not a history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAHistory(pub String);

impl fmt::Display for NotAHistory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NotAHistory {}

/// One event, of AWS or of the replay.
#[derive(Clone, Debug)]
pub(super) struct Event {
    pub(super) id: u64,
    pub(super) previous: u64,
    /// The time; `None` if the recording has blanked it.
    pub(super) at: Option<Millis>,
    pub(super) kind: Arc<str>,
    /// The one details member, or null.
    pub(super) details: Value,
    /// Whether the payloads in the recording were parsed, so that a string is a value and not JSON text.
    pub(super) parsed: bool,
}

/// The members that contain a payload.
const PAYLOADS: [&str; 3] = ["input", "output", "parameters"];

/// A payload of an event.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Payload {
    Whole(Value),
    /// The recording does not contain the payload, or only a part of it.
    Missing,
}

impl Event {
    pub(super) fn text(&self, member: &str) -> Option<&str> {
        self.details.get(member).and_then(Value::as_str)
    }

    /// The name of the state in an Entered or Exited event.
    pub(super) fn state(&self) -> Option<&str> {
        (self.enters() || self.exits()).then(|| self.text("name")).flatten()
    }

    pub(super) fn enters(&self) -> bool {
        self.kind.ends_with("StateEntered")
    }

    pub(super) fn exits(&self) -> bool {
        self.kind.ends_with("StateExited")
    }

    /// Returns a payload, which in the API is JSON text in a string. A text that is not JSON means that the payload was
    /// truncated or masked.
    pub(super) fn payload(&self, member: &str) -> Payload {
        let about = |flag: &str| self.details.get(&format!("{member}Details")).and_then(|d| d.get(flag)).and_then(Value::as_bool);
        match self.details.get(member) {
            None | Some(Value::Null) => Payload::Missing,
            _ if about("truncated") == Some(true) || about("included") == Some(false) => Payload::Missing,
            Some(Value::String(text)) if self.hides(text) => Payload::Missing,
            Some(value @ Value::String(text)) => {
                Payload::Whole(json::parse_within(text, SNAPSHOT_DEPTH).unwrap_or_else(|_| value.clone()))
            }
            Some(value) => Payload::Whole(value.clone()),
        }
    }

    /// Whether a text replaces a payload that the recording does not contain.
    pub(super) fn hides(&self, text: &str) -> bool {
        (!self.parsed || is_mask(text)) && json::parse_within(text, SNAPSHOT_DEPTH).is_err()
    }

    /// The input of a call, or of a state.
    pub(super) fn input(&self) -> Payload {
        self.payload(if self.details.get("parameters").is_some() { "parameters" } else { "input" })
    }

    /// The variables that an Exited event assigns, parsed; an empty object if it assigns none.
    pub(super) fn variables(&self) -> Value {
        let members = self.details.get("assignedVariables").and_then(Value::as_object);
        let values = members.into_iter().flat_map(|m| m.iter()).map(|(name, value)| {
            let value = match value {
                Value::String(text) => json::parse_within(text, SNAPSHOT_DEPTH).unwrap_or_else(|_| value.clone()),
                other => other.clone(),
            };
            (name.clone(), value)
        });
        Value::from(values.collect::<Map>())
    }

    fn shared(&self, member: &str) -> Option<Arc<str>> {
        match self.details.get(member) {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(text.clone()),
            // The cause is JSON text that was parsed when the history was stored.
            Some(other) => Some(other.to_string().into()),
        }
    }
}

/// The texts that AWS and log pipelines write instead of a payload.
pub(super) fn is_mask(text: &str) -> bool {
    let text = text.trim();
    let words = ["HIDDEN_DUE_TO_SECURITY_REASONS", "REDACTED", "[REDACTED]", "<REDACTED>", "MASKED", "[MASKED]"];
    words.iter().any(|word| text.eq_ignore_ascii_case(word)) || (text.len() >= 3 && text.bytes().all(|byte| byte == b'*'))
}

/// The position of a thread in its parent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    Root,
    /// The branch with this first state.
    Branch(Arc<str>),
    /// The iteration with this index.
    Iteration(u32),
}

/// One chain of states.
#[derive(Clone, Debug)]
pub(super) struct Thread {
    /// The parent thread, and the number (from 1) of the …StateStarted event in it that started this one.
    pub(super) parent: Option<(usize, usize)>,
    pub(super) slot: Slot,
    /// The indices of its events, the oldest first.
    pub(super) events: Vec<usize>,
    /// The number of times that a Parallel or Map has started in it.
    starts: usize,
    /// The state that was entered and not left yet.
    current: Option<Current>,
}

#[derive(Clone, Debug)]
struct Current {
    name: Arc<str>,
    /// `Parallel` or `Map` while it may have running children.
    joins: Option<&'static str>,
}

/// A history with its threads; the first one is that of the machine.
#[derive(Clone, Debug)]
pub(super) struct Recording {
    pub(super) events: Vec<Event>,
    pub(super) threads: Vec<Thread>,
    /// The thread of each event; `None` for events that cannot be assigned (…Aborted).
    of: Vec<Option<usize>>,
}

impl Recording {
    /// Parses `{"events": […]}` or an array of events: from the API, the CLI, the SDKs, the console's export, or the log of an
    /// Express execution.
    pub(super) fn read(history: &Value) -> Result<Recording, NotAHistory> {
        let list = history.get("events").or_else(|| history.get("Events")).unwrap_or(history);
        let Some(list) = list.as_array() else {
            return Err(NotAHistory("a history must be {\"events\": […]} or an array of events".into()));
        };
        let mut events = Vec::with_capacity(list.len());
        for (i, event) in list.iter().enumerate() {
            events.push(
                read_event(event).ok_or_else(|| NotAHistory(format!("element {i} is not an event: it has no `id` and `type`")))?,
            );
        }
        if events.is_empty() {
            return Err(NotAHistory("the history has no events".into()));
        }
        let is_value = |event: &Event| {
            PAYLOADS.iter().any(|name| !matches!(event.details.get(name), None | Some(Value::Null | Value::String(_))))
        };
        let parsed = events.iter().any(is_value);
        for event in &mut events {
            event.parsed = parsed;
        }
        // The events may have been fetched in reverse order, or joined from pages and logs.
        sort::by_key(&mut events, |event| event.id);
        events.dedup_by_key(|event| event.id);
        Ok(Recording::of(events))
    }

    fn of(events: Vec<Event>) -> Recording {
        let root = Thread { parent: None, slot: Slot::Root, events: Vec::new(), starts: 0, current: None };
        let mut recording = Recording { threads: vec![root], of: Vec::with_capacity(events.len()), events: Vec::new() };
        let mut places: Table<u64, usize> = Table::default();
        for (i, event) in events.into_iter().enumerate() {
            places.insert(event.id, i);
            let before = places.get(&event.previous).copied().filter(|at| *at != i);
            recording.add(event, before);
        }
        recording
    }

    /// Adds an event to the thread that it belongs to.
    fn add(&mut self, event: Event, before: Option<usize>) {
        let from = before.and_then(|at| self.of.get(at).copied().flatten()).unwrap_or(0);
        let before_kind = before.and_then(|at| self.events.get(at)).map_or("", |e| &e.kind).to_string();
        let index = self.events.len();
        let kind = event.kind.clone();
        let name: Arc<str> = event.text("name").or(event.text("state")).unwrap_or_default().into();
        let iteration = event.details.get("index").and_then(Value::as_i64).and_then(|i| u32::try_from(i).ok());
        let thread = if kind.starts_with("Execution") {
            Some(0)
        } else if kind.ends_with("Aborted") {
            None
        } else if let (Some(at), true) = (iteration, kind.starts_with("MapIteration")) {
            let parent = self.nearest(from, |current| current.joins == Some("Map") && current.name == name).unwrap_or(from);
            Some(self.child(parent, Slot::Iteration(at)))
        } else if event.enters() && before_kind == "ParallelStateStarted" {
            Some(self.child(from, Slot::Branch(name.clone())))
        } else if &*kind == "EvaluationFailed" || event.exits() {
            // These events name their state; the meaning of their previousEventId has changed over the years.
            self.nearest(from, |current| current.name == name).or_else(|| self.in_state(&name)).or(Some(from))
        } else if let Some(joins) = ["Parallel", "Map"].into_iter().find(|joins| kind.starts_with(&format!("{joins}State")))
            && !event.enters()
        {
            self.nearest(from, |current| current.joins == Some(joins)).or(Some(from))
        } else {
            Some(from)
        };
        if let Some(at) = thread.and_then(|at| self.threads.get_mut(at)) {
            at.events.push(index);
            if event.enters() {
                let joins = ["Parallel", "Map"].into_iter().find(|joins| kind.starts_with(joins));
                at.current = Some(Current { name, joins });
            } else if event.exits() {
                at.current = None;
            } else if matches!(&*kind, "ParallelStateStarted" | "MapStateStarted") {
                at.starts += 1;
            } else if matches!(&*kind, "ParallelStateFailed" | "MapStateFailed")
                && let Some(current) = &mut at.current
            {
                current.joins = None;
            }
        }
        self.events.push(event);
        self.of.push(thread);
    }

    /// The nearest thread with a suitable state: this one, or one that contains it.
    fn nearest(&self, from: usize, wanted: impl Fn(&Current) -> bool) -> Option<usize> {
        let mut at = from;
        loop {
            let thread = self.threads.get(at)?;
            if thread.current.as_ref().is_some_and(&wanted) {
                return Some(at);
            }
            at = thread.parent?.0;
        }
    }

    fn in_state(&self, name: &str) -> Option<usize> {
        self.threads.iter().rposition(|thread| thread.current.as_ref().is_some_and(|current| &*current.name == name))
    }

    /// Returns the child of a thread's current Parallel or Map, and creates it if needed.
    fn child(&mut self, parent: usize, slot: Slot) -> usize {
        let key = Some((parent, self.threads.get(parent).map_or(0, |thread| thread.starts)));
        let known = self.threads.iter().rposition(|thread| thread.parent == key && thread.slot == slot);
        known.unwrap_or_else(|| {
            self.threads.push(Thread { parent: key, slot, events: Vec::new(), starts: 0, current: None });
            self.threads.len() - 1
        })
    }

    pub(super) fn event(&self, index: usize) -> Option<&Event> {
        self.events.get(index)
    }

    /// The event that ended the execution; `None` if it still ran, or if the recording is incomplete.
    pub(super) fn end(&self) -> Option<&Event> {
        let ends = ["ExecutionSucceeded", "ExecutionFailed", "ExecutionAborted", "ExecutionTimedOut"];
        self.events.last().filter(|event| ends.contains(&&*event.kind))
    }

    /// The indices in the enclosing Maps of a thread, the innermost last.
    pub(super) fn iterations(&self, thread: usize) -> Vec<u32> {
        let mut indices = Vec::new();
        let mut at = self.threads.get(thread);
        while let Some(thread) = at {
            if let Slot::Iteration(index) = thread.slot {
                indices.push(index);
            }
            at = thread.parent.and_then(|(parent, _)| self.threads.get(parent));
        }
        indices.reverse();
        indices
    }

    /// All calls with their results, in the order in which they were made.
    pub(super) fn answers(&self) -> Vec<Answer> {
        let mut answers = Vec::new();
        for (number, thread) in self.threads.iter().enumerate() {
            self.answers_of(number, thread, &mut answers);
        }
        sort::by_key(&mut answers, |answer| answer.scheduled);
        answers
    }

    fn answers_of(&self, number: usize, thread: &Thread, answers: &mut Vec<Answer>) {
        let iterations = self.iterations(number);
        let mut state: Arc<str> = "".into();
        let mut attempt = 0;
        let mut open: Option<Answer> = None;
        for (place, event) in thread.events.iter().enumerate().filter_map(|(place, i)| Some((place, self.events.get(*i)?))) {
            let kind = &*event.kind;
            if event.enters() {
                state = event.text("name").unwrap_or_default().into();
                attempt = 0;
            } else if kind.ends_with("Scheduled") || kind == "MapRunStarted" {
                answers.extend(open.take());
                let input = match event.input() {
                    Payload::Whole(value) => Some(value),
                    Payload::Missing => None,
                };
                let map_run = kind == "MapRunStarted";
                open = Some(Answer {
                    state: state.clone(),
                    iterations: iterations.clone(),
                    attempt,
                    scheduled: event.id,
                    at: event.at,
                    input,
                    started: None,
                    submitted: None,
                    ended: None,
                    ending: Ending::Open,
                    map_run,
                    assigned: None,
                });
                attempt += 1;
            } else if let Some(answer) = &mut open {
                match kind {
                    "ActivityStarted" => answer.started = Some((event.at, event.shared("workerName"))),
                    "TaskSubmitted" => {
                        answer.submitted = match event.payload("output") {
                            Payload::Whole(output) => Some(output),
                            Payload::Missing => Some(Value::empty_object()),
                        }
                    }
                    "TaskSucceeded" | "LambdaFunctionSucceeded" | "ActivitySucceeded" => {
                        answer.ending = match event.payload("output") {
                            Payload::Whole(output) => Ending::Output(output),
                            Payload::Missing => Ending::Unknown,
                        };
                        answer.ended = Some((event.id, event.at));
                        answers.extend(open.take());
                    }
                    // The result of a Map Run is in the event with which its state is left.
                    "MapRunSucceeded" => {
                        let exit = thread.events.iter().skip(place).filter_map(|i| self.events.get(*i)).find(|e| e.exits());
                        answer.assigned = exit.map(Event::variables);
                        answer.ending = match exit.map(|event| event.payload("output")) {
                            Some(Payload::Whole(output)) => Ending::Output(output),
                            _ => Ending::Unknown,
                        };
                        answer.ended = Some((event.id, event.at));
                        answers.extend(open.take());
                    }
                    "TaskTimedOut" | "LambdaFunctionTimedOut" | "ActivityTimedOut" => {
                        answer.ending = Ending::TimedOut { heartbeat: event.text("error") == Some("States.HeartbeatTimeout") };
                        answer.ended = Some((event.id, event.at));
                        answers.extend(open.take());
                    }
                    _ if kind.ends_with("Failed") && kind != "EvaluationFailed" => {
                        answer.ending = Ending::Error { error: event.shared("error"), cause: event.shared("cause") };
                        answer.ended = Some((event.id, event.at));
                        answers.extend(open.take());
                    }
                    _ => {}
                }
            }
        }
        answers.extend(open);
    }
}

/// One call of a resource, with its result.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    pub(super) state: Arc<str>,
    pub(super) iterations: Vec<u32>,
    /// 0 for the first attempt of a visit.
    pub(super) attempt: u32,
    /// The id of the …Scheduled event.
    pub(super) scheduled: u64,
    pub(super) at: Option<Millis>,
    /// The input of the call; `None` if the recording does not contain it.
    pub(super) input: Option<Value>,
    /// When a worker took an activity, and the worker's name.
    pub(super) started: Option<(Option<Millis>, Option<Arc<str>>)>,
    pub(super) submitted: Option<Value>,
    /// The id and the time of the event that ended it.
    pub(super) ended: Option<(u64, Option<Millis>)>,
    pub(super) ending: Ending,
    /// Whether it represents the children of a Distributed Map, which have separate histories.
    pub(super) map_run: bool,
    /// The variables that were assigned when the Map of a Map Run was left.
    pub(super) assigned: Option<Value>,
}

/// How a recorded call ended.
#[derive(Clone, Debug)]
pub(super) enum Ending {
    Output(Value),
    Error {
        error: Option<Arc<str>>,
        cause: Option<Arc<str>>,
    },
    /// By a time-out of the state.
    TimedOut {
        heartbeat: bool,
    },
    /// The recording ends before the call does.
    Open,
    /// With a result that the recording does not contain.
    Unknown,
}

/// Parses one event; `None` if the value is not one. The log of Express executions has the same members in snake case.
fn read_event(value: &Value) -> Option<Event> {
    let whole = |name: &str, logged: &str| {
        let value = value.get(name).or_else(|| value.get(logged))?;
        value.as_i64().or_else(|| value.as_str()?.parse().ok()).and_then(|n| u64::try_from(n).ok())
    };
    let kind: Arc<str> = value.get("type")?.as_str()?.into();
    let id = whole("id", "id")?;
    let previous = whole("previousEventId", "previous_event_id").unwrap_or(0);
    let members = value.as_object()?;
    let details = members.iter().find(|(name, _)| name.ends_with("EventDetails") || ***name == *"details");
    let at = value.get("timestamp").or_else(|| value.get("event_timestamp")).and_then(instant);
    Some(Event { id, previous, at, kind, details: details.map_or(Value::Null, |(_, details)| details.clone()), parsed: false })
}

/// Parses a timestamp: ISO 8601 text in any form that clients print, or seconds or milliseconds since 1970 as a number or text.
fn instant(value: &Value) -> Option<Millis> {
    match value {
        Value::Number(number) => epoch(*number),
        Value::String(text) => {
            let text = text.trim();
            // Python prints a space instead of the T of ISO 8601, and omits a fraction of zero.
            let text = if text.as_bytes().get(10) == Some(&b' ') { text.replacen(' ', "T", 1) } else { text.to_string() };
            let parsed = time::parse_rfc3339(&text).or_else(|| time::parse_rfc3339(&format!("{text}Z")));
            parsed.map(|at| at.millis()).or_else(|| decimal::parse(&text).and_then(Number::from_f64).and_then(epoch))
        }
        _ => None,
    }
}

/// Numbers up to the year 5138 are seconds, larger ones are milliseconds.
fn epoch(number: Number) -> Option<Millis> {
    let n = number.as_f64();
    let millis = if n < 1e11 { n * 1000.0 } else { n };
    // The cast clamps.
    (n >= 0.0).then_some(Millis(millis.round() as u64))
}
