//! Tests the limits of an execution and late facts: the work of one call, payloads, redrives, tokens, timers.

use std::sync::Arc;
use stepglass::asl::{self, CompileOptions};
use stepglass::base::{Millis, Value, json};
use stepglass::engine::{Command, Engine, Event, ExecutionInfo, Invocation, Options, SNAPSHOT_DEPTH, StepError, TokenKey};

fn engine(definition: &str, options: Options) -> Engine {
    let compiled = asl::compile(definition, &CompileOptions::default());
    Engine::new(Arc::new(compiled.machine.unwrap_or_else(|| panic!("{:?}", compiled.diagnostics))), options)
}

/// Returns the default options with a change.
fn with(change: impl FnOnce(&mut Options)) -> Options {
    let mut options = Options::default();
    change(&mut options);
    options
}

fn start(input: &str) -> Event {
    Event::Start { input: json::parse(input).unwrap(), execution: ExecutionInfo::named("m", "e"), seed: 1 }
}

fn calls(engine: &mut Engine) -> Vec<Invocation> {
    let commands = engine.take_commands().into_iter();
    commands.filter_map(|command| if let Command::Invoke(call) = command { Some(call) } else { None }).collect()
}

fn kinds(engine: &Engine) -> Vec<&'static str> {
    engine.history().iter().map(|event| event.event_type.name()).collect()
}

/// Feeds `Tick` until nothing is ready, and returns the number of calls. With `restored` the engine is restored from its
/// snapshot's text between any two of them.
fn settle(engine: &mut Engine, restored: bool) -> usize {
    let mut calls = 1;
    while engine.step(engine.clock(), Event::Tick).unwrap().more {
        calls += 1;
        if restored {
            let text = engine.snapshot();
            let snapshot = json::parse_within(&text, SNAPSHOT_DEPTH).unwrap();
            *engine = Engine::restore(engine.machine().clone(), &snapshot).unwrap();
        }
    }
    calls
}

const FIBONACCI: &str = "($f := function($n) { $n < 2 ? $n : $f($n - 1) + $f($n - 2) }; $f(14))";

/// Returns a Map in which each item needs 30,000 steps of an expression.
fn busy_map(items: usize, processor: &str) -> (String, String) {
    let definition = format!(
        r#"{{"QueryLanguage":"JSONata","StartAt":"M","States":{{"M":{{"Type":"Map","ItemSelector":"{{% {FIBONACCI} %}}",
            "ItemProcessor":{{{processor}"StartAt":"P","States":{{"P":{{"Type":"Pass","End":true}}}}}},"End":true}}}}}}"#
    );
    (definition, format!("[{}]", vec!["0"; items].join(",")))
}

#[test]
fn a_restored_engine_does_the_same_work_per_call() {
    // An engine that was never restored could detect that the Result is identical to the value from the previous state.
    let text = "x".repeat(1_000);
    let definition = format!(
        r#"{{"StartAt":"P","States":{{
            "P":{{"Type":"Pass","Result":{{"text":"{text}"}},"Next":"C"}},
            "C":{{"Type":"Choice","Choices":[{{"Variable":"$.none","IsPresent":true,"Next":"D"}}],"Default":"P"}},
            "D":{{"Type":"Succeed"}}}}}}"#
    );
    // The digest includes the number of events.
    let digests = |restored: bool| {
        let mut engine = engine(&definition, with(|options| options.history_limit = 12_000));
        let mut more = engine.step(Millis(0), start("{}")).unwrap().more;
        let mut after = vec![engine.commands_digest()];
        while more {
            if restored {
                let snapshot = json::parse_within(&engine.snapshot_without_events(), SNAPSHOT_DEPTH).unwrap();
                engine = Engine::restore(engine.machine().clone(), &snapshot).unwrap();
            }
            more = engine.step(engine.clock(), Event::Tick).unwrap().more;
            after.push(engine.commands_digest());
        }
        after
    };
    let calls = digests(false);
    assert!(calls.len() > 2, "{} calls", calls.len());
    assert_eq!(digests(true), calls);
}

#[test]
fn a_map_returns_to_the_host_between_items() {
    for processor in ["", r#""ProcessorConfig":{"Mode":"DISTRIBUTED","ExecutionType":"STANDARD"},"#] {
        let (definition, input) = busy_map(60, processor);
        let mut engine = engine(&definition, Options::default());
        assert!(engine.step(Millis(0), start(&input)).unwrap().more, "one call did it all");
        let mut twin = engine.clone();
        assert!(settle(&mut engine, false) > 5, "{processor}");
        assert_eq!(engine.status(), "SUCCEEDED");
        settle(&mut twin, true);
        assert_eq!(twin.history_json(0), engine.history_json(0));
    }
}

#[test]
fn a_stop_takes_effect_while_a_map_starts_its_items() {
    let (definition, input) = busy_map(40, "");
    let mut engine = engine(&definition, Options::default());
    assert!(engine.step(Millis(0), start(&input)).unwrap().more);
    engine.step(Millis(1), Event::Stop { error: None, cause: None }).unwrap();
    assert_eq!(engine.status(), "ABORTED");
    assert!(!engine.step(Millis(2), Event::Tick).unwrap().more);
}

#[test]
fn a_redriven_map_that_was_stopped_while_starting_runs_all_items() {
    let (definition, input) = busy_map(40, "");
    let mut engine = engine(&definition.replace("\"Pass\"", "\"Task\",\"Resource\":\"r\""), Options::default());
    assert!(engine.step(Millis(0), start(&input)).unwrap().more);
    engine.step(Millis(1), Event::Stop { error: None, cause: None }).unwrap();
    engine.take_commands();
    engine.step(Millis(2), Event::Redrive).unwrap();
    settle(&mut engine, true);
    assert_eq!(engine.pending().len(), 40);
}

#[test]
fn a_batch_is_collected_in_several_calls() {
    let definition = format!(
        r#"{{"QueryLanguage":"JSONata","StartAt":"M","States":{{"M":{{"Type":"Map","ItemBatcher":{{"MaxItemsPerBatch":1000}},
            "ItemSelector":"{{% {FIBONACCI} %}}","ItemProcessor":{{"ProcessorConfig":{{"Mode":"DISTRIBUTED","ExecutionType":"STANDARD"}},
            "StartAt":"P","States":{{"P":{{"Type":"Pass","Output":"{{% $count($states.input.Items) %}}","End":true}}}}}},"End":true}}}}}}"#
    );
    let mut engine = engine(&definition, Options::default());
    assert!(engine.step(Millis(0), start(&format!("[{}]", vec!["0"; 80].join(",")))).unwrap().more);
    assert!(settle(&mut engine, true) > 3);
    assert_eq!(engine.outcome().unwrap().status(), "SUCCEEDED");
    assert!(engine.history_json(0).contains(r#""output":"[80]""#), "{}", engine.history_json(0));
}

#[test]
fn a_loop_of_large_payloads_returns_to_the_host() {
    let definition = r#"{"StartAt":"A","States":{"A":{"Type":"Pass","Result":1,"ResultPath":"$.n","Next":"C"},
        "C":{"Type":"Choice","Choices":[{"Variable":"$.n","NumericEquals":2,"Next":"End"}],"Default":"A"},"End":{"Type":"Succeed"}}}"#;
    let mut engine = engine(definition, with(|options| options.history_limit = 0));
    let large = format!(r#"{{"text":"{}"}}"#, "x".repeat(200_000));
    engine.step(Millis(0), start(&large)).unwrap();
    let events = engine.history().len();
    assert!(events < 200, "{events} events of 200 kB in one call");
}

#[test]
fn the_expressions_of_one_state_share_a_budget() {
    let field = |n: usize| format!(r#""f{n}":"{{% {FIBONACCI} %}}""#);
    let state = |fields: usize| {
        let fields: Vec<String> = (0..fields).map(field).collect();
        format!(
            r#"{{"QueryLanguage":"JSONata","StartAt":"P","States":{{"P":{{"Type":"Pass","Output":{{{}}},"End":true}}}}}}"#,
            fields.join(",")
        )
    };
    for (fields, status) in [(5, "SUCCEEDED"), (40, "FAILED")] {
        let mut engine = engine(&state(fields), Options::default());
        engine.step(Millis(0), start("{}")).unwrap();
        settle(&mut engine, false);
        assert_eq!(engine.status(), status, "{fields} fields");
    }
}

#[test]
fn a_task_that_starts_in_a_late_call_has_its_full_time_out() {
    let definition = r#"{"StartAt":"W","States":{"W":{"Type":"Wait","Seconds":60,"Next":"T"},
        "T":{"Type":"Task","Resource":"arn:aws:states:::sqs:sendMessage","TimeoutSeconds":10,"HeartbeatSeconds":5,"End":true}}}"#;
    let mut engine = engine(definition, Options::default());
    engine.step(Millis(0), start("{}")).unwrap();
    // The machine slept for an hour.
    engine.step(Millis(3_600_000), Event::Tick).unwrap();
    let call = &calls(&mut engine)[0];
    assert_eq!(engine.deadline(), Some(Millis(3_605_000)));
    engine.step(Millis(3_604_000), Event::TaskSucceeded { task: call.task, output: Value::Null }).unwrap();
    assert_eq!(engine.status(), "SUCCEEDED");
}

#[test]
fn an_execution_with_a_full_history_cannot_be_redriven() {
    let definition = r#"{"StartAt":"A","States":{"A":{"Type":"Pass","Next":"F"},"F":{"Type":"Fail"}}}"#;
    // The events are ExecutionStarted, Entered, Exited, Entered, ExecutionFailed.
    for (limit, expected) in [(6, Err(StepError::NotRedrivable)), (7, Ok(())), (0, Ok(()))] {
        let mut engine = engine(definition, with(|options| options.history_limit = limit));
        engine.step(Millis(0), start("{}")).unwrap();
        assert_eq!((engine.status(), engine.history().len()), ("FAILED", 5));
        assert_eq!(engine.step(Millis(1), Event::Redrive).map(|_| ()), expected, "limit {limit}");
    }
}

#[test]
fn a_child_execution_times_out_only_by_its_own_limit() {
    let definition = r#"{"StartAt":"M","States":{"M":{"Type":"Map","ToleratedFailurePercentage":100,"ItemProcessor":{
        "ProcessorConfig":{"Mode":"DISTRIBUTED","ExecutionType":"STANDARD"},"StartAt":"T","States":{
        "T":{"Type":"Task","Resource":"arn:aws:states:::sqs:sendMessage","TimeoutSeconds":1,"End":true}}},"End":true}}}"#;
    let mut engine = engine(definition, with(|options| options.child_histories = true));
    engine.step(Millis(0), start("[1]")).unwrap();
    engine.step(Millis(1_000), Event::Tick).unwrap();
    let ended =
        engine.take_commands().into_iter().find_map(|c| if let Command::ChildFinished(child) = c { Some(child) } else { None });
    assert_eq!(ended.unwrap().status, "FAILED");
}

#[test]
fn the_first_response_of_a_service_is_limited_like_a_payload() {
    let definition = r#"{"StartAt":"T","States":{"T":{"Type":"Task","Resource":"arn:aws:states:::ecs:runTask.sync","End":true}}}"#;
    let mut engine = engine(definition, Options::default());
    engine.step(Millis(0), start("{}")).unwrap();
    let task = calls(&mut engine)[0].task;
    engine.step(Millis(1), Event::TaskSubmitted { task, output: "x".repeat(300_000).into() }).unwrap();
    assert_eq!(engine.status(), "FAILED");
    assert!(engine.history_json(0).contains("States.DataLimitExceeded"));
}

#[test]
fn causes_are_cut_at_the_limit_of_aws() {
    let definition = r#"{"StartAt":"T","States":{"T":{"Type":"Task","Resource":"arn:aws:states:::sqs:sendMessage","End":true}}}"#;
    let mut engine = engine(definition, Options::default());
    engine.step(Millis(0), start("{}")).unwrap();
    let task = calls(&mut engine)[0].task;
    let long = |n: usize| Some(Arc::from("é".repeat(n)));
    engine.step(Millis(1), Event::TaskFailed { task, error: long(300), cause: long(40_000) }).unwrap();
    let history = json::parse(&engine.history_json(0)).unwrap();
    let failed = history.as_array().unwrap().last().unwrap().get("executionFailedEventDetails").unwrap();
    let length = |name: &str| failed.get(name).and_then(Value::as_str).map(|text| text.chars().count());
    assert_eq!((length("error"), length("cause")), (Some(256), Some(32_768)));
}

#[test]
fn tokens_depend_on_the_key_and_not_on_visible_random_numbers() {
    let definition = r#"{"StartAt":"T","States":{"T":{"Type":"Task","Resource":"arn:aws:states:::sqs:sendMessage.waitForTaskToken",
        "Parameters":{"t.$":"$$.Task.Token","u.$":"States.UUID()"},"End":true}}}"#;
    let token = |name: &str, key: Option<TokenKey>, seed: u64| {
        let mut engine = engine(definition, Options::default());
        let execution = ExecutionInfo { token_key: key, ..ExecutionInfo::named("m", name) };
        engine.step(Millis(0), Event::Start { input: Value::empty_object(), execution, seed }).unwrap();
        let call = calls(&mut engine).remove(0);
        assert_eq!(call.input.get("t").and_then(Value::as_str), call.token.as_deref());
        call.token.unwrap()
    };
    let key = |n: u64| Some(TokenKey::of_seed(n));
    assert_eq!(token("e", None, 1), token("e", None, 1));
    assert_eq!(token("e", key(5), 1), token("e", key(5), 2));
    for (other, what) in [(token("f", key(5), 1), "name"), (token("e", key(6), 1), "key"), (token("e", None, 1), "seed")] {
        assert_ne!(token("e", key(5), 1), other, "{what}");
    }
}

#[test]
fn an_input_that_nests_too_deep_is_refused() {
    let nested = |levels: usize| (1..levels).fold(Value::from(Vec::new()), |inner, _| Value::from(vec![inner]));
    let start = |input| Event::Start { input, execution: ExecutionInfo::named("m", "e"), seed: 1 };
    let definition = r#"{"StartAt":"P","States":{"P":{"Type":"Pass","End":true}}}"#;
    let mut engine = engine(definition, Options::default());
    let refused = engine.step(Millis(0), start(nested(129))).unwrap_err();
    assert_eq!(refused, StepError::InputTooDeep);
    assert_eq!(refused.to_string(), "Invalid State Machine Execution Input: 'the input is nested deeper than 128 levels'");
    assert_eq!((engine.status(), engine.history().len()), ("NOT_STARTED", 0));
    engine.step(Millis(0), start(nested(128))).unwrap();
    assert_eq!(engine.status(), "SUCCEEDED");
}

/// Returns a Map over a file, with additional fields.
fn reading_map(fields: &str) -> String {
    format!(
        r#"{{"StartAt":"M","States":{{"M":{{"Type":"Map",{fields}"ItemReader":{{"Resource":"arn:aws:states:::s3:getObject",
            "ReaderConfig":{{"InputType":"JSON"}},"Parameters":{{"Bucket":"b","Key":"k"}}}},
            "ItemProcessor":{{"ProcessorConfig":{{"Mode":"DISTRIBUTED","ExecutionType":"STANDARD"}},
                "StartAt":"P","States":{{"P":{{"Type":"Pass","Result":0,"End":true}}}}}},"End":true}}}}}}"#
    )
}

#[test]
fn an_item_of_a_file_is_limited_like_a_payload() {
    let run = |fields: &str, items: &str| {
        let mut engine = engine(&reading_map(fields), with(|options| options.payload_limit = 1000));
        engine.step(Millis(0), start("{}")).unwrap();
        let [call] = &calls(&mut engine)[..] else { panic!("no one call") };
        let event = Event::ItemsRead { task: call.task, text: items.into(), file: true };
        engine.step(Millis(1), event).unwrap();
        settle(&mut engine, false);
        engine
    };
    let item = |bytes: usize| format!("\"{}\"", "x".repeat(bytes - 2));
    assert_eq!(run("", &format!("[{}]", item(1000))).status(), "SUCCEEDED");
    let failed = run("", &format!("[1,{}]", item(1001)));
    assert!(failed.history_json(0).contains("States.DataLimitExceeded"), "{}", failed.history_json(0));
    assert!(kinds(&failed).contains(&"MapRunFailed"));
    // The size after ItemSelector counts.
    let selector = r#""ItemSelector":{"i.$":"$$.Map.Item.Index"},"#;
    assert_eq!(run(selector, &format!("[{}]", item(5000))).status(), "SUCCEEDED");
    // A batch ends where the next item does not fit: 1,000 bytes hold nine of these.
    let batches = run(r#""ItemBatcher":{"MaxItemsPerBatch":100},"#, &format!("[{}]", vec![item(100); 20].join(",")));
    assert_eq!(batches.outcome().map(|outcome| format!("{outcome:?}").contains("[0,0,0]")), Some(true), "{:?}", batches.outcome());
    let single = run(r#""ItemBatcher":{"MaxItemsPerBatch":100},"#, &format!("[{}]", item(995)));
    assert!(single.history_json(0).contains("States.DataLimitExceeded"));
}

#[test]
fn an_inline_map_does_not_read_items() {
    let definition = r#"{"StartAt":"M","States":{"M":{"Type":"Map","ItemReader":{"Resource":"arn:aws:states:::s3:getObject",
        "Parameters":{"Bucket":"b","Key":"k"}},"ItemProcessor":{"StartAt":"P","States":{"P":{"Type":"Pass","End":true}}},"End":true}}}"#;
    let mut engine = engine(definition, Options::default());
    engine.step(Millis(0), start("{}")).unwrap();
    assert_eq!((engine.status(), kinds(&engine).last().copied()), ("FAILED", Some("ExecutionFailed")));
}

/// JSONata alone reads them as doubles, as AWS was measured to do; what it passes on whole keeps them.
#[test]
fn integers_beyond_64_bits_are_passed_on_unchanged() {
    let definition = r#"{"StartAt":"A","States":{
        "A":{"Type":"Pass","Parameters":{"n.$":"$.n","list.$":"States.Array($.n)","text.$":"States.Format('{}', $.n)"},
             "ResultPath":"$.a","Assign":{"kept.$":"$.n"},"Next":"B"},
        "B":{"Type":"Choice","Choices":[{"Variable":"$.n","NumericGreaterThan":9223372036854775807,"Next":"C"}]},
        "C":{"Type":"Pass","QueryLanguage":"JSONata","Output":{"all":"{% $states.input %}","n":"{% $kept %}","half":"{% $kept / 2 %}"},
             "Next":"D"},
        "D":{"Type":"Task","Resource":"arn:aws:states:::task:D","End":true}}}"#;
    let mut engine = engine(definition, Options::default());
    let n = "12345678901234567890123";
    engine.step(Millis(0), start(&format!("{{\"n\":{n}}}"))).unwrap();
    let [call] = &calls(&mut engine)[..] else { panic!("no one call") };
    let all = format!("{{\"n\":{n},\"a\":{{\"n\":{n},\"list\":[{n}],\"text\":\"{n}\"}}}}");
    assert_eq!(call.input.to_string(), format!("{{\"all\":{all},\"n\":1.2345678901234568e22,\"half\":6.172839450617284e21}}"));
    let snapshot = json::parse_within(&engine.snapshot(), SNAPSHOT_DEPTH).unwrap();
    let restored = Engine::restore(engine.machine().clone(), &snapshot).unwrap();
    assert_eq!(restored.history_json(0), engine.history_json(0));
    assert!(restored.frames().eq(engine.frames()));
}

/// Returns a Distributed Map over a file with this number of lines, and the answer of its reader.
fn reading(lines: usize, bad: bool) -> (Engine, Event) {
    let definition = r#"{"StartAt":"M","States":{"M":{"Type":"Map","Label":"L","MaxConcurrency":1,"ItemReader":{
        "Resource":"arn:aws:states:::s3:getObject","ReaderConfig":{"InputType":"JSONL"},"Parameters":{"Bucket":"b","Key":"k"}},
        "ItemProcessor":{"ProcessorConfig":{"Mode":"DISTRIBUTED","ExecutionType":"STANDARD"},"StartAt":"T","States":{
        "T":{"Type":"Task","Resource":"r","End":true}}},"End":true}}}"#;
    let mut engine = engine(definition, Options::default());
    engine.step(Millis(0), start("{}")).unwrap();
    let task = calls(&mut engine)[0].task;
    let text = "1\n".repeat(lines) + if bad { "{" } else { "" };
    (engine, Event::ItemsRead { task, text, file: true })
}

#[test]
fn a_long_file_is_read_in_several_calls() {
    for bad in [false, true] {
        let (mut engine, answer) = reading(200_000, bad);
        assert!(engine.step(Millis(1), answer.clone()).unwrap().more, "one call did it all");
        assert!(engine.pending().is_empty(), "a task that has answered is called again");
        let mut twin = engine.clone();
        // The task accepts no other answer while its answer is read.
        let Event::ItemsRead { task, .. } = answer else { panic!() };
        engine.step(Millis(1), answer).unwrap();
        engine.step(Millis(1), Event::TaskFailed { task, error: None, cause: None }).unwrap();
        engine.step(Millis(1), Event::TaskSucceeded { task, output: Value::Null }).unwrap();
        assert!(settle(&mut engine, false) >= 5);
        // After a restore the answer is read again, in one call, so that a host that restores for each call still finishes.
        let snapshot = json::parse_within(&twin.snapshot(), SNAPSHOT_DEPTH).unwrap();
        twin = Engine::restore(twin.machine().clone(), &snapshot).unwrap();
        assert!(settle(&mut twin, true) <= 2);
        assert_eq!(twin.history_json(0), engine.history_json(0));
        match bad {
            false => assert_eq!((calls(&mut engine).len(), engine.status()), (1, "RUNNING")),
            true => assert!(engine.history_json(0).contains("Line 200001 is not valid JSON"), "{}", engine.history_json(0)),
        }
    }
}

#[test]
fn a_stop_takes_effect_while_a_file_is_read() {
    let (mut engine, answer) = reading(200_000, false);
    engine.step(Millis(1), answer).unwrap();
    engine.step(Millis(2), Event::Stop { error: None, cause: None }).unwrap();
    assert_eq!(engine.status(), "ABORTED");
    // The task has ended, so there is nothing to cancel.
    assert!(matches!(engine.take_commands()[..], [Command::Finish(_)]));
    engine.step(Millis(3), Event::Redrive).unwrap();
    assert_eq!(calls(&mut engine).len(), 1, "the file is read anew");
}

#[test]
fn a_snapshot_with_the_answer_of_another_task_is_refused() {
    let (mut engine, answer) = reading(200_000, false);
    engine.step(Millis(1), answer).unwrap();
    let text = engine.snapshot();
    let of_another = text.replace(r#""readings":[{"task":1,"#, r#""readings":[{"task":2,"#);
    assert_ne!(text, of_another);
    let restored = Engine::restore(engine.machine().clone(), &json::parse_within(&of_another, SNAPSHOT_DEPTH).unwrap());
    assert_eq!(
        restored.unwrap_err().to_string(),
        "the snapshot cannot be restored: an answer belongs to a task that is not an ItemReader"
    );
}

#[test]
fn a_large_input_counts_for_the_budget_of_the_first_call() {
    let definition = r#"{"StartAt":"A","States":{"A":{"Type":"Pass","Next":"B"},"B":{"Type":"Pass","End":true}}}"#;
    let mut engine = engine(definition, Options::default());
    let large = format!("[{}1]", "[],".repeat(80_000));
    assert!(engine.step(Millis(0), start(&large)).unwrap().more);
    assert_eq!(kinds(&engine), ["ExecutionStarted"]);
    settle(&mut engine, true);
    assert_eq!(engine.status(), "SUCCEEDED");
}

#[test]
fn a_loop_of_errors_returns_to_the_host() {
    let definition = r#"{"QueryLanguage":"JSONata","StartAt":"A","States":{
        "A":{"Type":"Task","Resource":"r","Arguments":"{% $error('x') %}","Catch":[{"ErrorEquals":["States.ALL"],"Next":"C"}],"Next":"End"},
        "C":{"Type":"Choice","Choices":[{"Condition":"{% $states.input = 1 %}","Next":"End"}],"Default":"A"},"End":{"Type":"Succeed"}}}"#;
    let mut engine = engine(definition, with(|options| options.history_limit = 0));
    assert!(engine.step(Millis(0), start("{}")).unwrap().more);
    let errors = kinds(&engine).iter().filter(|kind| **kind == "EvaluationFailed").count();
    assert!((1..200).contains(&errors), "{errors} errors in one call");
    // A host that stores the history elsewhere takes small events in time, too.
    assert!(engine.payloads() > 100 * errors as u64, "{} bytes", engine.payloads());
}

#[test]
fn a_map_function_over_20000_items_is_within_the_budget_of_a_state() {
    let outcome = |expression: &str| {
        let definition = format!(
            r#"{{"QueryLanguage":"JSONata","StartAt":"P","States":{{"P":{{"Type":"Pass","Output":"{{% {expression} %}}","End":true}}}}}}"#
        );
        let mut engine = engine(&definition, Options::default());
        engine.step(Millis(0), start("{}")).unwrap();
        settle(&mut engine, false);
        engine.history().last().map(|event| format!("{:?}", event.details)).unwrap()
    };
    for within in [
        "$count($map([1..20000], function($v) { {'id': $v, 'even': $v % 2 = 0} }))",
        "$count($filter([1..20000], function($v) { $v % 2 = 0 and $v > 5 }))",
        "$reduce([1..20000], function($sum, $v) { $sum + $v * 2 }, 0)",
        "$count([1..20000].{'id': $, 'even': $ % 2 = 0})",
        "$count($sort([1..3000], function($a, $b) { $a < $b }))",
    ] {
        assert!(outcome(within).starts_with("Output"), "{within}: {}", outcome(within));
    }
    let beyond = outcome("$count($map([1..100000], function($v) { {'id': $v, 'even': $v % 2 = 0} }))");
    assert!(beyond.contains("D1012: Evaluation takes too many steps"), "{beyond}");
}

#[test]
fn step_once_does_not_start_all_items_of_a_long_map() {
    let (definition, input) = busy_map(40, "");
    let mut engine = engine(&definition, Options::default());
    engine.step_once(Millis(0), start(&input)).unwrap();
    assert!(engine.step_once(Millis(0), Event::Tick).unwrap().more);
    let begun = kinds(&engine).iter().filter(|kind| **kind == "MapIterationStarted").count();
    assert!((2..40).contains(&begun), "{begun} iterations");
    // The Map continues alone: no iteration makes its transition in the same call.
    let mut calls = 1;
    while kinds(&engine).iter().filter(|kind| **kind == "MapIterationStarted").count() < 40 {
        engine.step_once(Millis(0), Event::Tick).unwrap();
        calls += 1;
        assert!(!kinds(&engine).contains(&"PassStateEntered"));
    }
    assert!(calls < 20, "{calls}");
    while engine.step_once(Millis(0), Event::Tick).unwrap().more {}
    assert_eq!(engine.status(), "SUCCEEDED");
}

#[test]
fn a_wait_ends_at_its_own_time_in_a_late_call() {
    let branch = |name: &str, state: &str| format!(r#"{{"StartAt":"{name}","States":{{"{name}":{{{state},"End":true}}}}}}"#);
    let branches =
        [branch("W", r#""Type":"Wait","Seconds":1"#), branch("P", r#""Type":"Pass""#), branch("Q", r#""Type":"Pass""#)].join(",");
    let definition = format!(r#"{{"StartAt":"B","States":{{"B":{{"Type":"Parallel","Branches":[{branches}],"End":true}}}}}}"#);
    let mut engine = engine(&definition, with(|options| options.step_budget = 1));
    engine.step(Millis(0), start("{}")).unwrap();
    while !kinds(&engine).contains(&"WaitStateEntered") {
        engine.step(Millis(0), Event::Tick).unwrap();
    }
    // The budget of this call is used up before the Wait is evaluated.
    assert!(engine.step(Millis(60_000), Event::Tick).unwrap().more);
    let at = |kind: &str| engine.history().iter().find(|event| event.event_type.name() == kind).unwrap().timestamp.0;
    assert_eq!((at("WaitStateEntered"), at("WaitStateExited")), (0, 1_000));
}
