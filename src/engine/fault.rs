//! Errors of an execution. They are data, to which Retry and Catch are applied.

use super::dataflow::Place;
use super::limits::{LONGEST_CAUSE, LONGEST_ERROR};
use crate::base::{Map, Value};
use std::sync::Arc;

/// An error to which Retry and Catch are applied.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fault {
    /// `Error`
    pub(super) error: Option<Arc<str>>,
    /// `Cause`
    pub(super) cause: Option<Arc<str>>,
    /// Whether it is a missed heartbeat, which `States.HeartbeatTimeout` matches too (spec §2.7).
    pub(super) heartbeat: bool,
    /// The field whose JSONata failed: the history gets an EvaluationFailed for it.
    pub(super) location: Option<Arc<str>>,
    /// Where in its own state the error arose. `None` for errors of tasks, and once the error has left the state.
    pub(super) origin: Option<Box<Origin>>,
}

/// Where in a state an error arose.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Origin {
    /// The length in bytes of the part of the cause that only names the state.
    pub(super) prefix: usize,
    /// The field as a JSON Pointer from the state.
    pub(super) pointer: Option<String>,
    /// The text of the path or expression, without `{% %}`.
    pub(super) expression: Option<String>,
    /// Where in that text the evaluation failed, in bytes.
    pub(super) offset: Option<usize>,
}

pub(super) const RUNTIME: &str = "States.Runtime";
pub(super) const TIMEOUT: &str = "States.Timeout";
pub(super) const QUERY_EVALUATION: &str = "States.QueryEvaluationError";
pub(super) const DATA_LIMIT: &str = "States.DataLimitExceeded";
pub(super) const REFERENCE_PATH_CONFLICT: &str = "States.ReferencePathConflict";
pub(super) const ITEM_READER_FAILED: &str = "States.ItemReaderFailed";
pub(super) const RESULT_WRITER_FAILED: &str = "States.ResultWriterFailed";
pub(super) const CANCELLED: &str = "Stepglass.Cancelled";
/// What errors of Stepglass' own begin with.
pub(super) const OWN: &str = "Stepglass.";
pub(super) const EXCEED_TOLERATED_FAILURE: &str = "States.ExceedToleratedFailureThreshold";

impl Fault {
    /// Returns an error with a name and a cause.
    pub(super) fn new(error: &str, cause: impl Into<Arc<str>>) -> Fault {
        Fault::raised(Some(error.into()), Some(cause.into()))
    }

    /// Returns an error of a task or a Fail state, in which each part may be missing.
    pub(super) fn raised(error: Option<Arc<str>>, cause: Option<Arc<str>>) -> Fault {
        Fault { error, cause, heartbeat: false, location: None, origin: None }
    }

    /// Returns an error that is reported from outside, cut to the lengths that AWS permits for an error and a cause (spec
    /// §11.3).
    pub(super) fn of_task(error: Option<Arc<str>>, cause: Option<Arc<str>>) -> Fault {
        let cut = |text: Arc<str>, most: usize| {
            // For most texts the number of bytes suffices, so that characters need not be counted.
            let end = if text.len() > most { text.char_indices().nth(most) } else { None };
            end.and_then(|(end, _)| text.get(..end)).map(Arc::from).unwrap_or(text)
        };
        Fault::raised(error.map(|error| cut(error, LONGEST_ERROR)), cause.map(|cause| cut(cause, LONGEST_CAUSE)))
    }

    /// Returns the error of TimeoutSeconds or HeartbeatSeconds. AWS names both `States.Timeout` and gives no cause.
    pub(super) fn timeout(heartbeat: bool) -> Fault {
        Fault { heartbeat, ..Fault::raised(Some(TIMEOUT.into()), None) }
    }

    /// Returns an error of a state itself, in AWS's words: the cause names the state and its Entered event (spec §2.4).
    pub(super) fn of_state(error: &str, state: &str, entered: u64, cause: &str) -> Fault {
        let mut text = format!("An error occurred while executing the state '{state}' (entered at the event id #{entered}). ");
        let prefix = text.len();
        text.push_str(cause);
        Fault {
            origin: Some(Box::new(Origin { prefix, pointer: None, expression: None, offset: None })),
            ..Fault::new(error, text)
        }
    }

    /// Adds the field that an error arose in, and the text of its path or expression.
    #[cold]
    #[inline(never)]
    pub(super) fn within(mut self, place: &Place<'_>, expression: Option<&str>) -> Fault {
        if let Some(origin) = &mut self.origin {
            origin.pointer = Some(place.pointer());
            origin.expression = expression.map(str::to_string);
        }
        self
    }

    /// Adds where in the text of the expression the evaluation failed, in bytes.
    pub(super) fn at(mut self, offset: usize) -> Fault {
        if let Some(origin) = &mut self.origin {
            origin.offset = Some(offset);
        }
        self
    }

    /// Adds the object that contains the field, as a JSON Pointer from the state.
    #[cold]
    #[inline(never)]
    pub(super) fn inside(mut self, object: &str) -> Fault {
        if let Some(pointer) = self.origin.as_mut().and_then(|origin| origin.pointer.as_mut()) {
            pointer.insert_str(0, object);
        }
        self
    }

    /// Returns the cause without the words that name the state, for an error of the state itself.
    pub(super) fn message(&self) -> Option<&str> {
        self.cause.as_deref()?.get(self.origin.as_ref()?.prefix..)
    }

    /// Whether the error fails the execution at once: States.Runtime can be neither retried nor caught, not even by
    /// `States.ALL`.
    pub(super) fn is_fatal(&self) -> bool {
        self.error.as_deref() == Some(RUNTIME)
    }

    /// Whether an `ErrorEquals` matches this error (spec §2.7).
    pub(super) fn matches(&self, names: &[Arc<str>]) -> bool {
        if self.is_fatal() {
            return false;
        }
        let error = self.error.as_deref();
        names.iter().any(|name| match &**name {
            "States.ALL" => true,
            "States.TaskFailed" => error != Some(TIMEOUT),
            "States.HeartbeatTimeout" if self.heartbeat => true,
            name => error == Some(name),
        })
    }

    /// Whether a retrier with these names applies to the error. One of Stepglass's own errors (the execution was cancelled, or
    /// its time for retries is over) is retried only if the retrier names it.
    pub(super) fn is_retried(&self, names: &[Arc<str>]) -> bool {
        match self.error.as_deref() {
            Some(error) if error.starts_with(OWN) => names.iter().any(|name| &**name == error),
            _ => self.matches(names),
        }
    }

    /// Returns the Error Output for a catcher. A time-out has an empty cause, and a task that failed without an error and a
    /// cause has two nulls (spec §6.2).
    pub(super) fn output(&self) -> Value {
        let text = |part: &Option<Arc<str>>| part.clone().map_or(Value::Null, Value::String);
        let mut map = Map::with_capacity(2);
        map.insert("Error", text(&self.error));
        let timed_out = self.error.as_deref() == Some(TIMEOUT) && self.cause.is_none();
        map.insert("Cause", if timed_out { Value::from("") } else { text(&self.cause) });
        Value::from(map)
    }
}
