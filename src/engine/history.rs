//! Stores and writes out the execution history, event for event as `GetExecutionHistory` returns it (spec §9). `event_type.rs` has the
//! types of the events.

use super::archive::Seen;
use super::event_type::EventType;
use super::fault::Fault;
use super::limits::HistoryLevel;
use crate::base::number::write_int;
use crate::base::{Millis, Value, json};
use std::sync::Arc;

/// One event. Two events are equal if they have the same content, even if one of them was restored from a snapshot.
#[derive(Clone, Debug)]
pub struct HistoryEvent {
    /// The event's id. Ids count from 1, without gaps.
    pub id: u64,
    /// The id of the event that led to this one; 0 for the first event and for the first state.
    pub previous_event_id: u64,
    /// When the event happened.
    pub timestamp: Millis,
    /// `type`
    pub event_type: EventType,
    /// The one details member.
    pub details: Details,
}

/// The details of an event. The name of the details member follows from the event's type.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Details {
    /// The event has no details member.
    None,
    /// ExecutionStarted
    Started {
        /// The execution's input.
        input: Value,
        /// The execution's role.
        role_arn: Arc<str>,
    },
    /// ExecutionSucceeded, LambdaFunctionSucceeded, ActivitySucceeded
    Output(Value),
    /// All events that have only `error` and `cause`, each of which may be missing.
    Failure {
        /// `error`
        error: Option<Arc<str>>,
        /// `cause`
        cause: Option<Arc<str>>,
    },
    /// …StateEntered
    Entered {
        /// The state.
        name: Arc<str>,
        /// Its raw input.
        input: Value,
    },
    /// …StateExited
    Exited {
        /// The state.
        name: Arc<str>,
        /// Its output.
        output: Value,
        /// The variables that its Assign has set, in order.
        assigned: Vec<(Arc<str>, Value)>,
    },
    /// TaskScheduled, LambdaFunctionScheduled, ActivityScheduled
    Scheduled(Box<Scheduled>),
    /// TaskStarted
    Task(TaskName),
    /// TaskSubmitted, TaskSucceeded
    TaskOutput {
        /// The service.
        task: TaskName,
        /// Its response.
        output: Value,
    },
    /// TaskFailed, TaskTimedOut
    TaskFailure {
        /// The service.
        task: TaskName,
        /// `error`
        error: Option<Arc<str>>,
        /// `cause`
        cause: Option<Arc<str>>,
    },
    /// ActivityStarted
    Worker(Option<Arc<str>>),
    /// MapStateStarted
    Length(u64),
    /// MapIteration…
    Iteration {
        /// The Map state.
        name: Arc<str>,
        /// The iteration.
        index: u32,
    },
    /// MapRunStarted
    MapRun(Arc<str>),
    /// MapRunRedriven
    MapRunRedriven {
        /// `mapRunArn`
        arn: Arc<str>,
        /// `redriveCount`
        count: u32,
    },
    /// EvaluationFailed
    Evaluation {
        /// `error`
        error: Option<Arc<str>>,
        /// `cause`
        cause: Option<Arc<str>>,
        /// The field; empty if AWS names none.
        location: Arc<str>,
        /// The state.
        state: Arc<str>,
    },
    /// ExecutionRedriven
    Redriven(u32),
    /// The details member of an event that was restored from a snapshot.
    Restored {
        /// The member's name.
        member: Arc<str>,
        /// Its value.
        value: Value,
    },
}

/// `resourceType` and `resource`.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskName {
    /// `resourceType`
    pub kind: Arc<str>,
    /// `resource`
    pub api: Arc<str>,
}

/// The details of the …Scheduled events.
#[derive(Clone, Debug, PartialEq)]
pub struct Scheduled {
    /// `resourceType`; only TaskScheduled has it.
    pub kind: Option<Arc<str>>,
    /// `resource`: an ARN for functions and activities, an API's name for services.
    pub resource: Arc<str>,
    /// `region`; only TaskScheduled has it.
    pub region: Option<Arc<str>>,
    /// `parameters` of a service, `input` of functions and activities.
    pub input: Value,
    /// `timeoutInSeconds`
    pub timeout: Option<u64>,
    /// `heartbeatInSeconds`
    pub heartbeat: Option<u64>,
    /// `taskCredentials.roleArn`
    pub role_arn: Option<Value>,
}

impl PartialEq for HistoryEvent {
    fn eq(&self, other: &HistoryEvent) -> bool {
        let head = |e: &HistoryEvent| (e.id, e.previous_event_id, e.timestamp, e.event_type);
        let text = |e: &HistoryEvent| {
            let mut text = String::new();
            e.write_json(&mut text);
            text
        };
        head(self) == head(other) && (self.details == other.details || text(self) == text(other))
    }
}

impl HistoryEvent {
    /// Appends the event as a JSON object. `input`, `output` and `parameters` are JSON texts in strings, as in the API; the
    /// timestamp is in ISO 8601.
    pub fn write_json(&self, out: &mut String) {
        out.push_str("{\"timestamp\":\"");
        self.timestamp.write(out);
        out.push_str("\",\"type\":\"");
        out.push_str(self.event_type.name());
        out.push_str("\",\"id\":");
        write_int(out, self.id as i64);
        out.push_str(",\"previousEventId\":");
        write_int(out, self.previous_event_id as i64);
        if let Details::Restored { member, value } = &self.details {
            out.push(',');
            json::write_str(out, member);
            out.push(':');
            json::write(out, value);
        } else if self.details != Details::None {
            out.push_str(",\"");
            self.event_type.write_member(out);
            out.push_str("\":");
            self.write_details(out, None);
        }
        out.push('}');
    }

    /// Appends the details as a JSON object. With `seen` it writes them for a page, which has no notes that payloads are not
    /// truncated.
    pub(super) fn write_details(&self, out: &mut String, seen: Option<&mut Seen>) {
        out.push('{');
        let mut fields = Fields { out, first: true, seen };
        fields.details(&self.details);
        out.push('}');
    }
}

/// A member's name as it is written into an object, with the preceding comma. It is a single text, because each event of a
/// history has several.
macro_rules! member {
    ($name:literal) => {
        concat!(",\"", $name, "\":")
    };
}

/// Writes the members of one object.
struct Fields<'a> {
    out: &'a mut String,
    first: bool,
    seen: Option<&'a mut Seen>,
}

impl Fields<'_> {
    #[inline(never)]
    fn key(&mut self, member: &str) {
        self.out.push_str(if self.first { member.get(1..).unwrap_or_default() } else { member });
        self.first = false;
    }

    #[inline(never)]
    fn text(&mut self, member: &str, text: &str) {
        self.key(member);
        json::write_str(self.out, text);
    }

    fn maybe(&mut self, member: &str, text: &Option<Arc<str>>) {
        if let Some(text) = text {
            self.text(member, text);
        }
    }

    fn number(&mut self, member: &str, number: Option<u64>) {
        if let Some(number) = number {
            self.key(member);
            write_int(self.out, number as i64);
        }
    }

    /// Writes a payload: its JSON text as a string, and the note that it is not truncated, which a page leaves out.
    fn payload(&mut self, member: &str, value: &Value, noted: bool) {
        self.key(member);
        match &mut self.seen {
            Some(seen) => return seen.write(self.out, value),
            None => json::write_text(self.out, value),
        }
        if noted {
            self.out.push_str(member.strip_suffix("\":").unwrap_or(member));
            self.out.push_str("Details\":{\"truncated\":false}");
        }
    }

    fn failure(&mut self, error: &Option<Arc<str>>, cause: &Option<Arc<str>>) {
        self.maybe(member!("error"), error);
        self.maybe(member!("cause"), cause);
    }

    fn task(&mut self, task: &TaskName) {
        self.text(member!("resourceType"), &task.kind);
        self.text(member!("resource"), &task.api);
    }

    fn details(&mut self, details: &Details) {
        match details {
            Details::None | Details::Restored { .. } => {}
            Details::Started { input, role_arn } => {
                self.payload(member!("input"), input, true);
                self.text(member!("roleArn"), role_arn);
            }
            Details::Output(output) => self.payload(member!("output"), output, true),
            Details::Failure { error, cause } => self.failure(error, cause),
            Details::Entered { name, input } => {
                self.text(member!("name"), name);
                self.payload(member!("input"), input, true);
            }
            Details::Exited { name, output, assigned } => {
                self.text(member!("name"), name);
                self.payload(member!("output"), output, true);
                if !assigned.is_empty() {
                    self.key(member!("assignedVariables"));
                    self.out.push('{');
                    let mut inner = Fields { out: self.out, first: true, seen: None };
                    for (name, value) in assigned {
                        if !inner.first {
                            inner.out.push(',');
                        }
                        inner.first = false;
                        json::write_str(inner.out, name);
                        inner.out.push(':');
                        json::write_text(inner.out, value);
                    }
                    self.out.push('}');
                    if self.seen.is_none() {
                        self.key(member!("assignedVariablesDetails"));
                        self.out.push_str("{\"truncated\":false}");
                    }
                }
            }
            Details::Scheduled(scheduled) => {
                self.maybe(member!("resourceType"), &scheduled.kind);
                self.text(member!("resource"), &scheduled.resource);
                self.maybe(member!("region"), &scheduled.region);
                if scheduled.kind.is_some() {
                    self.payload(member!("parameters"), &scheduled.input, false);
                } else {
                    self.payload(member!("input"), &scheduled.input, true);
                }
                self.number(member!("timeoutInSeconds"), scheduled.timeout);
                self.number(member!("heartbeatInSeconds"), scheduled.heartbeat);
                if let Some(role) = &scheduled.role_arn {
                    self.key(member!("taskCredentials"));
                    self.out.push_str("{\"roleArn\":");
                    json::write(self.out, role);
                    self.out.push('}');
                }
            }
            Details::Task(task) => self.task(task),
            Details::TaskOutput { task, output } => {
                self.task(task);
                self.payload(member!("output"), output, true);
            }
            Details::TaskFailure { task, error, cause } => {
                self.task(task);
                self.failure(error, cause);
            }
            Details::Worker(name) => self.maybe(member!("workerName"), name),
            Details::Length(length) => self.number(member!("length"), Some(*length)),
            Details::Iteration { name, index } => {
                self.text(member!("name"), name);
                self.number(member!("index"), Some(u64::from(*index)));
            }
            Details::Redriven(count) => self.number(member!("redriveCount"), Some(u64::from(*count))),
            Details::MapRun(arn) => self.text(member!("mapRunArn"), arn),
            Details::MapRunRedriven { arn, count } => {
                self.text(member!("mapRunArn"), arn);
                self.number(member!("redriveCount"), Some(u64::from(*count)));
            }
            Details::Evaluation { error, cause, location, state } => {
                self.failure(error, cause);
                if !location.is_empty() {
                    self.text(member!("location"), location);
                }
                self.text(member!("state"), state);
            }
        }
    }
}

impl Details {
    pub(super) fn failure(fault: &Fault) -> Details {
        Details::Failure { error: fault.error.clone(), cause: fault.cause.clone() }
    }
}

/// Numbers events, and stores them if the options ask for it.
#[derive(Clone, Debug)]
pub(super) struct Recorder {
    level: HistoryLevel,
    limit: u64,
    pub(super) last: u64,
    pub(super) events: Vec<HistoryEvent>,
    /// Whether an event was refused because the limit has room only for the last one.
    pub(super) full: bool,
}

impl Recorder {
    pub(super) fn new(level: HistoryLevel, limit: u32) -> Recorder {
        let limit = if limit == 0 { u64::MAX } else { u64::from(limit.max(2)) };
        Recorder { level, limit, last: 0, events: Vec::new(), full: false }
    }

    /// Adds an event and returns its id. If only one more fits, it refuses the event and sets `full`.
    pub(super) fn add(&mut self, now: Millis, event_type: EventType, previous: u64, details: Details) -> u64 {
        if self.last + 1 >= self.limit && !event_type.is_of_the_execution() {
            self.full = true;
            return previous;
        }
        self.last += 1;
        if self.level == HistoryLevel::Full {
            self.events.push(HistoryEvent { id: self.last, previous_event_id: previous, timestamp: now, event_type, details });
        }
        self.last
    }
}
