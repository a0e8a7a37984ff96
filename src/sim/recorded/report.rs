//! Writes a replay as JSON, which the package and the command return.

use super::read::{Answer, Ending};
use super::{Divergence, HistoryReplay, Missing, Unreproducible};
use crate::base::{Map, Value};
use crate::engine::Outcome;

impl HistoryReplay {
    /// Returns the replay as a JSON value, without its history: `matches`, `complete`, `divergence`, `divergences`, `missing`,
    /// `unreproducible`, `status` …, `tasks`, `recorded`, `compared`, `input`, `startTime`.
    pub fn to_value(&self) -> Value {
        let mut report = Map::new();
        report.insert("matches", self.divergence.is_none());
        report.insert("complete", self.missing.is_empty());
        if let Some(divergence) = &self.divergence {
            report.insert("divergence", divergence_value(divergence));
        }
        report.insert("divergences", list(self.divergences.iter().map(divergence_value)));
        report.insert("missing", list(self.missing.iter().map(missing_value)));
        report.insert("unreproducible", list(self.unreproducible.iter().map(unreproducible_value)));
        report.insert("recorded", self.recorded as i64);
        report.insert("compared", self.compared as i64);
        report.insert("status", if self.input.is_some() { self.engine.status() } else { "NOT_STARTED" });
        match self.engine.outcome() {
            Some(Outcome::Succeeded { output }) => {
                report.insert("output", output.clone());
            }
            Some(Outcome::Failed { error, cause } | Outcome::Aborted { error, cause }) => {
                for (name, text) in [("error", error), ("cause", cause)] {
                    if let Some(text) = text {
                        report.insert(name, text.clone());
                    }
                }
            }
            Some(Outcome::TimedOut) | None => {}
        }
        if let Some(input) = &self.input {
            report.insert("input", input.clone());
        }
        if let Some(start) = self.engine.history().first() {
            report.insert("startTime", start.timestamp.0 as i64);
        }
        report.insert("tasks", list(self.answers.iter().filter(|answer| !answer.map_run).map(task_value)));
        Value::from(report)
    }
}

fn list(items: impl Iterator<Item = Value>) -> Value {
    Value::from(items.collect::<Vec<_>>())
}

fn indices(iterations: &[u32]) -> Value {
    list(iterations.iter().map(|i| Value::from(*i)))
}

fn divergence_value(divergence: &Divergence) -> Value {
    let mut value = Map::new();
    if let Some(event) = divergence.event {
        value.insert("event", event as i64);
    }
    if let Some(kind) = &divergence.event_type {
        value.insert("eventType", kind.clone());
    }
    if let Some(state) = &divergence.state {
        value.insert("state", state.clone());
    }
    if !divergence.iterations.is_empty() {
        value.insert("iterations", indices(&divergence.iterations));
    }
    value.insert("aspect", divergence.aspect);
    if let Some(pointer) = &divergence.pointer {
        value.insert("pointer", pointer.as_str());
    }
    value.insert("expected", divergence.expected.clone());
    value.insert("got", divergence.got.clone());
    value.insert("message", divergence.message.as_str());
    if let Some(reason) = &divergence.reason {
        value.insert("reason", reason.as_str());
    }
    Value::from(value)
}

fn missing_value(missing: &Missing) -> Value {
    let mut value = Map::new();
    if let Some(event) = missing.event {
        value.insert("event", event as i64);
    }
    value.insert("message", missing.message.as_str());
    Value::from(value)
}

fn unreproducible_value(found: &Unreproducible) -> Value {
    Value::from(Map::from_iter([
        ("event", Value::from(found.event as i64)),
        ("pointer", found.pointer.as_str().into()),
        ("recorded", found.recorded.clone()),
        ("replayed", found.replayed.clone()),
    ]))
}

/// Returns one call in the form of an answer of a script or a mock.
fn task_value(answer: &Answer) -> Value {
    let mut value = Map::new();
    value.insert("state", answer.state.clone());
    value.insert("iterations", indices(&answer.iterations));
    value.insert("attempt", answer.attempt);
    value.insert("event", answer.scheduled as i64);
    if let Some(input) = &answer.input {
        value.insert("input", input.clone());
    }
    if let (Some(from), Some(to)) = (answer.at, answer.ended.and_then(|(_, at)| at)) {
        value.insert("after", to.0.saturating_sub(from.0) as i64);
    }
    if let Some((_, worker)) = &answer.started {
        value.insert("workerName", worker.clone().map_or(Value::Null, Value::from));
    }
    if let Some(submitted) = &answer.submitted {
        value.insert("submitted", submitted.clone());
    }
    match &answer.ending {
        Ending::Output(output) => {
            value.insert("output", output.clone());
        }
        Ending::Error { error, cause } => {
            value.insert("error", error.clone().map_or(Value::Null, Value::from));
            if let Some(cause) = cause {
                value.insert("cause", cause.clone());
            }
        }
        Ending::TimedOut { .. } | Ending::Open => {
            value.insert("never", true);
        }
        Ending::Unknown => {
            value.insert("unknown", true);
        }
    }
    Value::from(value)
}
