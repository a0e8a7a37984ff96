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
/// `{kind, message?, pointer?, expression?, offset?, retriedBy, caughtBy, retriers, catchers}`.
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
            // JavaScript counts in UTF-16.
            if let Some(before) = origin.offset.and_then(|offset| expression.get(..offset)) {
                map.insert("offset", number(before.encode_utf16().count() as u64));
            }
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
        engine
            .step(Millis(0), Event::Start { input: json::parse(r#"{"s":"text","n":1,"l":[1]}"#).unwrap(), execution, seed: 0 })
            .unwrap();
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
        assert!(!text.contains("offset"), "{text}");
    }

    #[test]
    fn the_offset_of_a_thrown_error_is_in_utf_16() {
        let text = failed(
            r#"{"StartAt":"A","QueryLanguage":"JSONata","States":{"A":{"Type":"Pass","Output":"{% 'é😀' & $number('x') %}","End":true}}}"#,
        );
        assert!(text.contains(r#""expression":"'é😀' & $number('x')","offset":15"#), "{text}");
    }

    #[test]
    fn the_fields_of_jsonpath_are_pointers() {
        let arn = "arn:aws:lambda:eu-west-1:123456789012:function:a";
        let map = r#""ItemProcessor":{"StartAt":"In","States":{"In":{"Type":"Succeed"}}}"#;
        let runs = format!(r#"{map},"ItemReader":{{"Resource":"arn:aws:states:::s3:getObject""#)
            .replace(r#""StartAt""#, r#""ProcessorConfig":{"Mode":"DISTRIBUTED","ExecutionType":"STANDARD"},"StartAt""#);
        for (state, pointer, expression) in [
            (r#""Type":"Pass","InputPath":"$.x""#.into(), "/InputPath", "$.x"),
            (r#""Type":"Pass","OutputPath":"$.x""#.into(), "/OutputPath", "$.x"),
            (r#""Type":"Pass","Parameters":{"a/b":[1,{"c.$":"$.x"}]}"#.into(), "/Parameters/a~1b/1/c.$", "$.x"),
            (r#""Type":"Pass","Assign":{"v.$":"States.MathAdd($.x, 1)"}"#.into(), "/Assign/v.$", "States.MathAdd($.x, 1)"),
            (r#""Type":"Pass","Result":1,"ResultPath":"$.n.m""#.into(), "/ResultPath", "$.n.m"),
            (format!(r#""Type":"Task","Resource":"{arn}","TimeoutSecondsPath":"$.s""#), "/TimeoutSecondsPath", "$.s"),
            (r#""Type":"Wait","SecondsPath":"$.s""#.into(), "/SecondsPath", "$.s"),
            (r#""Type":"Wait","TimestampPath":"$.x""#.into(), "/TimestampPath", "$.x"),
            (format!(r#""Type":"Map","ItemsPath":"$.s",{map}"#), "/ItemsPath", "$.s"),
            (format!(r#""Type":"Map","ItemsPath":"$.l","Parameters":{{"p.$":"$.x"}},{map}"#), "/Parameters/p.$", "$.x"),
            (format!(r#""Type":"Map","ItemsPath":"$.l","ItemSelector":{{"p.$":"$.x"}},{map}"#), "/ItemSelector/p.$", "$.x"),
            (format!(r#""Type":"Map",{runs},"Parameters":{{"Key.$":"$.x"}}}}"#), "/ItemReader/Parameters/Key.$", "$.x"),
            (
                format!(r#""Type":"Map",{runs},"ReaderConfig":{{"InputType":"JSON","MaxItemsPath":"$.s"}}}}"#),
                "/ItemReader/ReaderConfig/MaxItemsPath",
                "$.s",
            ),
        ] {
            let text = failed(&format!(r#"{{"StartAt":"A","States":{{"A":{{{state},"Next":"B"}},"B":{{"Type":"Succeed"}}}}}}"#));
            let expected = format!(r#""pointer":"{pointer}","expression":"{expression}""#);
            assert!(text.contains(&expected), "{expected} in {text}");
        }
    }

    #[test]
    fn the_comparison_of_a_choice_is_a_pointer() {
        for (rule, pointer) in [
            (r#""Variable":"$.x","IsNull":true"#, "/Choices/0/Variable"),
            (r#""And":[{"Not":{"Variable":"$.s","StringEqualsPath":"$.x"}}]"#, "/Choices/0/And/0/Not/StringEqualsPath"),
        ] {
            let text = failed(&format!(
                r#"{{"StartAt":"A","States":{{"A":{{"Type":"Choice","Choices":[{{{rule},"Next":"B"}}]}},"B":{{"Type":"Succeed"}}}}}}"#
            ));
            assert!(text.contains(&format!(r#""pointer":"{pointer}","expression":"$.x""#)), "{text}");
        }
    }

    #[test]
    fn a_path_that_selects_nothing_is_named() {
        let text = failed(r#"{"StartAt":"A","States":{"A":{"Type":"Pass","InputPath":"$.x","End":true}}}"#);
        assert!(text.contains(r#""kind":"runtime","message":"Invalid path '$.x' : "#), "{text}");
        assert!(text.contains(r#""expression":"$.x""#), "{text}");
    }
}
