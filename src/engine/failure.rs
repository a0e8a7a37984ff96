//! The facts of an `error` stage: the kind of error, where it arose, and the verdict of each retrier and catcher. They are computed
//! only if stages are recorded. The verdicts use the functions that decide in [`super::retry`].

use super::fault::{Fault, OWN, QUERY_EVALUATION, RUNTIME, TIMEOUT};
use super::frame::Frame;
use super::retry;
use crate::asl::ir::{Retrier, State};
use crate::base::{Map, Value};
use std::sync::Arc;

/// Names of `ErrorEquals` that match more than the error with the same name.
const WIDE: [&str; 3] = ["States.ALL", "States.TaskFailed", "States.HeartbeatTimeout"];

/// Returns the facts about an error that is about to go through the Retry and Catch of a state:
/// `{kind, message?, pointer?, expression?, retriedBy, caughtBy, retriers, catchers}`.
#[cold]
#[inline(never)]
pub(super) fn facts(state: &State, frame: &Frame, fault: &Fault) -> Value {
    let mut map = Map::with_capacity(8);
    map.insert("kind", kind(fault));
    if let Some(message) = fault.message() {
        map.insert("message", message);
    }
    if let Some(origin) = &fault.origin {
        if let Some(pointer) = &origin.pointer {
            map.insert("pointer", pointer.as_str());
        }
        if let Some(expression) = &origin.expression {
            map.insert("expression", expression.as_str());
        }
    }
    map.insert("retriedBy", names(fault, Fault::is_retried));
    map.insert("caughtBy", names(fault, Fault::matches));
    let decides = retry::deciding(state, fault);
    let retries = decides.is_some_and(|index| retry::used(frame, index) < state.retry[index].max_attempts);
    let retriers = state.retry.iter().enumerate();
    let retriers = retriers.map(|(index, retrier)| {
        let used = retry::used(frame, index);
        let verdict = match decides {
            Some(first) if first == index => {
                if retries {
                    "retries"
                } else {
                    "maxAttempts"
                }
            }
            Some(first) if first < index && fault.is_retried(&retrier.errors) => "earlier",
            _ => not_retried(fault, retrier),
        };
        let mut map = Map::with_capacity(4);
        map.insert("verdict", verdict);
        map.insert("used", number(used));
        map.insert("maxAttempts", number(retrier.max_attempts));
        if used < retrier.max_attempts && !fault.is_fatal() {
            map.insert("delayMilliseconds", number(retry::delay(retrier, used)));
        }
        Value::from(map)
    });
    map.insert("retriers", Value::from(retriers.collect::<Vec<_>>()));
    let catches = retry::catcher(state, fault).map(|(index, _)| index);
    let catchers = state.catch.iter().enumerate().map(|(index, catcher)| {
        let verdict = match catches {
            _ if fault.is_fatal() => "uncatchable",
            _ if retries => "retried",
            Some(first) if first == index => "catches",
            _ if fault.matches(&catcher.errors) => "earlier",
            _ => "notNamed",
        };
        Value::from(Map::from_iter([("verdict", Value::from(verdict))]))
    });
    map.insert("catchers", Value::from(catchers.collect::<Vec<_>>()));
    map.into()
}

/// The code for the kind of an error.
fn kind(fault: &Fault) -> &'static str {
    match fault.error.as_deref() {
        _ if fault.heartbeat => "heartbeat",
        Some(TIMEOUT) => "timeout",
        Some(RUNTIME) => "runtime",
        Some(QUERY_EVALUATION) => "expression",
        Some(error) if error.starts_with(OWN) => "own",
        _ if fault.origin.is_some() => "state",
        _ => "raised",
    }
}

/// Why a retrier does not match an error.
fn not_retried(fault: &Fault, retrier: &Retrier) -> &'static str {
    if fault.is_fatal() {
        "uncatchable"
    } else if fault.matches(&retrier.errors) {
        "notByAll"
    } else {
        "notNamed"
    }
}

/// Returns the names that match an error: an `ErrorEquals` matches if it has one of them.
fn names(fault: &Fault, matches: fn(&Fault, &[Arc<str>]) -> bool) -> Value {
    let own = fault.error.as_deref().filter(|error| !WIDE.contains(error));
    let names = own.into_iter().chain(WIDE);
    Value::from(names.filter(|name| matches(fault, &[Arc::from(*name)])).map(Value::from).collect::<Vec<_>>())
}

fn number(n: u64) -> Value {
    Value::from(i64::try_from(n).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::started;
    use super::super::{Engine, Event, Options};
    use super::*;
    use crate::base::{Millis, json};

    fn failures(engine: &mut Engine) -> Vec<String> {
        engine.take_trace().into_iter().filter_map(|stage| stage.failure).map(|failure| failure.to_string()).collect()
    }

    /// The facts of the first error of a state that runs with stages recorded.
    fn failed(definition: &str) -> String {
        let mut engine = Engine::new(super::super::fixtures::machine(definition), Options { trace: true, ..Options::default() });
        let execution = super::super::ExecutionInfo::named("m", "e");
        engine.step(Millis(0), Event::Start { input: json::parse("{}").unwrap(), execution, seed: 0 }).unwrap();
        failures(&mut engine).remove(0)
    }

    fn verdicts(error: &str, heartbeat: bool) -> String {
        let definition = r#"{"StartAt":"A","States":{"A":{"Type":"Task","Resource":"arn:aws:lambda:eu-west-1:123456789012:function:a",
            "Retry":[{"ErrorEquals":["Other"]},{"ErrorEquals":["States.HeartbeatTimeout"],"MaxAttempts":0},{"ErrorEquals":["States.ALL"]}],
            "Catch":[{"ErrorEquals":["States.ALL"],"Next":"B"}],"Next":"B"},"B":{"Type":"Succeed"}}}"#;
        let mut engine = started(definition, "{}");
        let frame = engine.frames.iter().map(|(_, frame)| frame.clone()).next().unwrap();
        let machine = engine.machine.clone();
        let fault = if heartbeat { Fault::timeout(true) } else { Fault::new(error, "c") };
        let _ = failures(&mut engine);
        facts(&machine.states[frame.state], &frame, &fault).to_string()
    }

    #[test]
    fn a_missed_heartbeat_is_matched_by_its_own_name() {
        let text = verdicts("", true);
        assert!(text.contains(r#""kind":"heartbeat""#), "{text}");
        assert!(text.contains(r#""retriedBy":["States.Timeout","States.ALL","States.HeartbeatTimeout"]"#), "{text}");
        assert!(text.contains(r#"{"verdict":"maxAttempts","used":0,"maxAttempts":0}"#), "{text}");
        assert!(text.contains(r#"{"verdict":"earlier","used":0,"maxAttempts":3,"delayMilliseconds":1000}"#), "{text}");
        assert!(text.contains(r#""catchers":[{"verdict":"catches"}]"#), "{text}");
    }

    #[test]
    fn errors_of_stepglass_are_retried_only_by_name() {
        let text = verdicts("Stepglass.Cancelled", false);
        assert!(text.contains(r#""retriedBy":["Stepglass.Cancelled"]"#), "{text}");
        assert!(text.contains(r#""verdict":"notByAll""#), "{text}");
        assert!(text.contains(r#""catchers":[{"verdict":"catches"}]"#), "{text}");
    }

    #[test]
    fn all_matches_the_data_limit_but_nothing_a_runtime_error() {
        let text = verdicts("States.DataLimitExceeded", false);
        assert!(text.contains(r#""retriedBy":["States.DataLimitExceeded","States.ALL","States.TaskFailed"]"#), "{text}");
        assert!(text.contains(r#""verdict":"retries""#) && text.contains(r#""catchers":[{"verdict":"retried"}]"#), "{text}");
        let text = verdicts("States.Runtime", false);
        assert!(text.contains(r#""retriedBy":[],"caughtBy":[]"#), "{text}");
        assert_eq!(text.matches("uncatchable").count(), 4, "{text}");
        assert!(!text.contains("delayMilliseconds"), "{text}");
    }

    #[test]
    fn the_field_of_an_expression_is_a_pointer() {
        let text = failed(
            r#"{"StartAt":"A","QueryLanguage":"JSONata","States":{"A":{"Type":"Pass","Output":{"a/b":[1,"{% $states.input.x %}"]},"End":true}}}"#,
        );
        assert!(text.contains(r#""kind":"expression","message":"The JSONata expression "#), "{text}");
        assert!(text.contains(r#""pointer":"/Output/a~1b/1","expression":"$states.input.x""#), "{text}");
    }

    #[test]
    fn a_path_that_selects_nothing_is_named() {
        let text = failed(r#"{"StartAt":"A","States":{"A":{"Type":"Pass","InputPath":"$.x","End":true}}}"#);
        assert!(text.contains(r#""kind":"runtime","message":"Invalid path '$.x' : "#), "{text}");
        assert!(text.contains(r#""expression":"$.x""#), "{text}");
    }
}
