//! Tests replays of histories in AWS's format, with the definitions that they are of and with changed ones.

use super::{HistoryReplay, ReplayOptions, replay_history};
use crate::asl;
use crate::base::{Value, json};

fn replay(definition: &str, history: &str) -> HistoryReplay {
    let machine = asl::compile(definition, &asl::CompileOptions::default()).machine.expect(definition);
    let (definition, history) = (json::parse(definition).unwrap(), json::parse(history).unwrap());
    replay_history(machine, &definition, &history, &ReplayOptions::default()).unwrap()
}

/// Compares the first divergence as `event aspect pointer | message`, or `=`, followed by what is missing.
fn check(definition: &str, history: &str, expect: &str) {
    let report = replay(definition, history);
    let found = report.divergence.map_or("=".into(), |d| {
        let event = d.event.map_or("-".into(), |event| event.to_string());
        format!("{event} {} {}| {}", d.aspect, d.pointer.map(|p| format!("{p} ")).unwrap_or_default(), d.message)
    });
    let missing: String = report.missing.iter().map(|gap| format!(" ? {}", gap.message)).collect();
    assert_eq!(format!("{found}{missing}"), expect);
}

/// Returns a history from lines of the form `id<previous type seconds details`.
fn history(lines: &[&str]) -> String {
    let events = lines.iter().map(|line| {
        let mut words = line.splitn(4, ' ');
        let (ids, kind, at) = (words.next().unwrap(), words.next().unwrap(), words.next().unwrap());
        let (id, previous) = ids.split_once('<').unwrap();
        let member = match kind {
            _ if kind.ends_with("StateEntered") => "stateEntered".to_string(),
            _ if kind.ends_with("StateExited") => "stateExited".to_string(),
            _ => format!("{}{}", kind[..1].to_lowercase(), &kind[1..]),
        };
        let details = words.next().map(|details| format!(",\"{member}EventDetails\":{details}")).unwrap_or_default();
        format!(
            "{{\"id\":{id},\"previousEventId\":{previous},\"type\":\"{kind}\",\"timestamp\":{}{details}}}",
            1_700_000_000.0 + at.parse::<f64>().unwrap()
        )
    });
    format!("{{\"events\":[{}]}}", events.collect::<Vec<_>>().join(","))
}

const RETRIED: &str = r#"{"StartAt":"Charge","States":{
    "Charge":{"Type":"Task","Resource":"arn:aws:lambda:us-east-1:123456789012:function:charge",
      "Retry":[{"ErrorEquals":["Busy"],"IntervalSeconds":2,"MaxAttempts":2}],"ResultPath":"$.receipt","Next":"Nap"},
    "Nap":{"Type":"Wait","Seconds":60,"Next":"Enough"},
    "Enough":{"Type":"Choice","Choices":[{"Variable":"$.receipt.amount","NumericGreaterThan":100,"Next":"Gift"}],"Default":"Done"},
    "Gift":{"Type":"Pass","Result":"voucher","ResultPath":"$.gift","Next":"Done"},
    "Done":{"Type":"Succeed"}}}"#;

fn retried() -> String {
    history(&[
        r#"1<0 ExecutionStarted 0 {"input":"{\"order\":7}","roleArn":"arn:aws:iam::1:role/r"}"#,
        r#"2<0 TaskStateEntered 0.02 {"name":"Charge","input":"{\"order\":7}"}"#,
        r#"3<2 LambdaFunctionScheduled 0.03 {"resource":"arn:aws:lambda:us-east-1:123456789012:function:charge","input":"{\"order\":7}"}"#,
        r#"4<3 LambdaFunctionStarted 0.1"#,
        r#"5<4 LambdaFunctionFailed 0.5 {"error":"Busy","cause":"{}"}"#,
        r#"6<5 LambdaFunctionScheduled 2.6 {"resource":"arn:aws:lambda:us-east-1:123456789012:function:charge","input":"{\"order\":7}"}"#,
        r#"7<6 LambdaFunctionStarted 2.7"#,
        r#"8<7 LambdaFunctionSucceeded 3.1 {"output":"{\"amount\":120}"}"#,
        r#"9<8 TaskStateExited 3.1 {"name":"Charge","output":"{\"order\":7,\"receipt\":{\"amount\":120}}"}"#,
        r#"10<9 WaitStateEntered 3.2 {"name":"Nap","input":"{\"order\":7,\"receipt\":{\"amount\":120}}"}"#,
        r#"11<10 WaitStateExited 63.3 {"name":"Nap","output":"{\"order\":7,\"receipt\":{\"amount\":120}}"}"#,
        r#"12<11 ChoiceStateEntered 63.4 {"name":"Enough","input":"{\"order\":7,\"receipt\":{\"amount\":120}}"}"#,
        r#"13<12 ChoiceStateExited 63.4 {"name":"Enough","output":"{\"order\":7,\"receipt\":{\"amount\":120}}"}"#,
        r#"14<13 PassStateEntered 63.5 {"name":"Gift","input":"{\"order\":7,\"receipt\":{\"amount\":120}}"}"#,
        r#"15<14 PassStateExited 63.5 {"name":"Gift","output":"{\"order\":7,\"receipt\":{\"amount\":120},\"gift\":\"voucher\"}"}"#,
        r#"16<15 SucceedStateEntered 63.6 {"name":"Done","input":"{\"order\":7,\"receipt\":{\"amount\":120},\"gift\":\"voucher\"}"}"#,
        r#"17<16 SucceedStateExited 63.6 {"name":"Done","output":"{\"order\":7,\"receipt\":{\"amount\":120},\"gift\":\"voucher\"}"}"#,
        r#"18<17 ExecutionSucceeded 63.7 {"output":"{\"order\":7,\"receipt\":{\"amount\":120},\"gift\":\"voucher\"}"}"#,
    ])
}

#[test]
fn a_change_is_reported_at_the_first_difference() {
    check(RETRIED, &retried(), "=");
    let changed = |from: &str, to: &str, expect: &str| {
        assert!(RETRIED.contains(from));
        check(&RETRIED.replace(from, to), &retried(), expect);
    };
    changed(
        "\"Gift\"",
        "\"Present\"",
        "14 state | the recording has PassStateEntered Gift, the definition PassStateEntered Present",
    );
    changed(
        "\"MaxAttempts\":2",
        "\"MaxAttempts\":0",
        "6 event | the recording has LambdaFunctionScheduled, the definition ExecutionFailed Busy",
    );
    changed(":100,", ":200,", "14 event | the recording has PassStateEntered Gift, the definition SucceedStateEntered Done");
    changed("\"Seconds\":60", "\"Seconds\":5", "11 wait | the wait of state 'Nap' took 60.1 s in the recording and takes 5 s now");
    changed("voucher", "cup", "15 output /gift | the output of state 'Gift' differs at /gift: recorded \"voucher\", now \"cup\"");
    changed(
        "\"$.receipt\"",
        "\"$.bill\"",
        "9 output /receipt | the output of state 'Charge' differs at /receipt: recorded {\"amount\":120}, now null",
    );
    changed(
        "function:charge",
        "function:pay",
        "3 resource | the resource of state 'Charge' differs: recorded \"arn:aws:lambda:us-east-1:123456789012:function:charge\", now \"arn:aws:lambda:us-east-1:123456789012:function:pay\"",
    );
    changed(
        "\"Retry\"",
        "\"Parameters\":{\"id.$\":\"$.order\"},\"Retry\"",
        "3 input /order | the input of state 'Charge' differs at /order: recorded 7, now null",
    );
}

#[test]
fn histories_with_parsed_payloads_are_read() {
    let parsed = retried().replace("\\\"", "\"").replace("\"{", "{").replace("}\"", "}");
    assert!(parsed.contains(r#""output":{"amount":120}"#), "{parsed}");
    check(RETRIED, &parsed, "=");
    // A string is then a value that was JSON text before.
    check(
        RETRIED,
        &parsed.replace("\"voucher\"", "\"cup\""),
        "15 output /gift | the output of state 'Gift' differs at /gift: recorded \"cup\", now \"voucher\"",
    );
}

#[test]
fn masked_payloads_count_as_missing() {
    for mask in ["HIDDEN_DUE_TO_SECURITY_REASONS", "***", "[REDACTED]", "{\\\"order\\\":7,\\\"rec"] {
        let exits = r#""output":"{\"order\":7,\"receipt\":{\"amount\":120},\"gift\":\"voucher\"}""#;
        assert!(retried().contains(exits));
        check(RETRIED, &retried().replace(exits, &format!("\"output\":\"{mask}\"")), "=");
        let answer = r#""output":"{\"amount\":120}""#;
        let report = replay(RETRIED, &retried().replace(answer, &format!("\"output\":\"{mask}\"")));
        assert_eq!(report.missing.first().and_then(|gap| gap.event), Some(8), "{mask}");
    }
}

#[test]
fn a_divergence_has_a_reason() {
    let report = replay(&RETRIED.replace("\"Gift\"", "\"Gifts\""), &retried());
    let reason = report.divergence.and_then(|d| d.reason);
    assert_eq!(
        reason.as_deref(),
        Some("The definition has no state 'Gift'; it has 'Gifts': the state has been removed or renamed.")
    );
    let report = replay(&RETRIED.replace(":100,", ":200,"), &retried());
    let reason = report.divergence.and_then(|d| d.reason);
    assert_eq!(
        reason.as_deref(),
        Some("The rules of Choice state 'Enough' lead to another state with this input: they have changed.")
    );
}

#[test]
fn the_replay_runs_on_the_recorded_clock() {
    let report = replay(RETRIED, &retried());
    let text = report.engine.history_json(0);
    assert!(text.starts_with(r#"[{"timestamp":"2023-11-14T22:13:20Z""#), "{text}");
    assert_eq!(
        report.to_value().get("tasks").map(Value::to_string).as_deref(),
        Some(
            r#"[{"state":"Charge","iterations":[],"attempt":0,"event":3,"input":{"order":7},"after":470,"error":"Busy","cause":"{}"},{"state":"Charge","iterations":[],"attempt":1,"event":6,"input":{"order":7},"after":500,"output":{"amount":120}}]"#
        )
    );
}

const MAPPED: &str = r#"{"StartAt":"Each","States":{"Each":{"Type":"Map","ItemsPath":"$.items","MaxConcurrency":2,"ItemProcessor":{
    "StartAt":"Work","States":{"Work":{"Type":"Task","Resource":"arn:aws:states:::sqs:sendMessage","End":true}}},"End":true}}}"#;

/// Returns a history in which the second item is called first and answered first.
fn mapped(first: &str) -> String {
    history(&[
        r#"1<0 ExecutionStarted 0 {"input":"{\"items\":[\"a\",\"b\"]}","roleArn":"r"}"#,
        r#"2<0 MapStateEntered 0 {"name":"Each","input":"{\"items\":[\"a\",\"b\"]}"}"#,
        r#"3<2 MapStateStarted 0 {"length":2}"#,
        r#"4<3 MapIterationStarted 0 {"name":"Each","index":1}"#,
        r#"5<3 MapIterationStarted 0 {"name":"Each","index":0}"#,
        r#"6<4 TaskStateEntered 0 {"name":"Work","input":"\"b\""}"#,
        r#"7<5 TaskStateEntered 0 {"name":"Work","input":"\"a\""}"#,
        r#"8<6 TaskScheduled 0 {"resourceType":"sqs","resource":"sendMessage","region":"eu-west-1","parameters":"\"b\""}"#,
        r#"9<7 TaskScheduled 0 {"resourceType":"sqs","resource":"sendMessage","region":"eu-west-1","parameters":"\"a\""}"#,
        r#"10<8 TaskStarted 0 {"resourceType":"sqs","resource":"sendMessage"}"#,
        r#"11<9 TaskStarted 0 {"resourceType":"sqs","resource":"sendMessage"}"#,
        r#"12<10 TaskSucceeded 1 {"resourceType":"sqs","resource":"sendMessage","output":"2"}"#,
        r#"13<12 TaskStateExited 1 {"name":"Work","output":"2"}"#,
        r#"14<13 MapIterationSucceeded 1 {"name":"Each","index":1}"#,
        &format!(r#"15<11 TaskSucceeded 3 {{"resourceType":"sqs","resource":"sendMessage","output":"{first}"}}"#),
        &format!(r#"16<15 TaskStateExited 3 {{"name":"Work","output":"{first}"}}"#),
        r#"17<16 MapIterationSucceeded 3 {"name":"Each","index":0}"#,
        r#"18<16 MapStateSucceeded 3"#,
        &format!(r#"19<16 MapStateExited 3 {{"name":"Each","output":"[{first},2]"}}"#),
        &format!(r#"20<19 ExecutionSucceeded 3 {{"output":"[{first},2]"}}"#),
    ])
}

#[test]
fn order_across_iterations_is_free() {
    check(MAPPED, &mapped("1"), "=");
    check(&MAPPED.replace("\"MaxConcurrency\":2", "\"MaxConcurrency\":1"), &mapped("1"), "=");
    check(
        &MAPPED.replace("\"Type\":\"Task\",", "\"Type\":\"Task\",\"InputPath\":null,"),
        &mapped("1"),
        "8 input | the input of state 'Work' differs: recorded \"b\", now {}",
    );
    let report = replay(&MAPPED.replace("\"MaxConcurrency\":2", "\"ItemSelector\":{\"v.$\":\"$$.Map.Item.Value\"}"), &mapped("1"));
    assert_eq!(report.divergence.map(|d| d.iterations), Some(vec![1]));
    assert_eq!(report.divergences.len(), 2, "one of each iteration");
}

#[test]
fn a_distributed_map_has_its_recorded_output_and_variables() {
    let definition = r#"{"QueryLanguage":"JSONata","StartAt":"Each","States":{
        "Each":{"Type":"Map","Items":"{% $states.input %}","ItemProcessor":{"ProcessorConfig":{"Mode":"DISTRIBUTED","ExecutionType":"STANDARD"},
          "StartAt":"Work","States":{"Work":{"Type":"Pass","End":true}}},
          "Assign":{"sum":"{% $sum($states.result) %}"},"Output":"{% $count($states.result) %}","Next":"After"},
        "After":{"Type":"Pass","Output":"{% $sum %}","End":true}}}"#;
    let recorded = |sum: &str| {
        history(&[
            r#"1<0 ExecutionStarted 0 {"input":"[3,4]","roleArn":"r"}"#,
            r#"2<0 MapStateEntered 0 {"name":"Each","input":"[3,4]"}"#,
            r#"3<2 MapStateStarted 0 {"length":2}"#,
            r#"4<3 MapRunStarted 0 {"mapRunArn":"arn:aws:states:us-east-1:123456789012:mapRun:M/a:b"}"#,
            r#"5<4 MapRunSucceeded 2"#,
            r#"6<5 MapStateSucceeded 2"#,
            &format!(r#"7<4 MapStateExited 2 {{"name":"Each","output":"2","assignedVariables":{{"sum":"{sum}"}}}}"#),
            r#"8<7 PassStateEntered 2 {"name":"After","input":"2"}"#,
            r#"9<8 PassStateExited 2 {"name":"After","output":"7"}"#,
            r#"10<9 ExecutionSucceeded 2 {"output":"7"}"#,
        ])
    };
    let said = " ? the children of the Distributed Map 'Each' are executions with their own histories: the replay uses the Map's recorded output";
    check(definition, &recorded("7"), &format!("={said}"));
    check(definition, &recorded("8"), &format!("9 output | the output of state 'After' differs: recorded 7, now 8{said}"));
}

#[test]
fn missing_data_is_reported() {
    // This is a history with includeExecutionData=false.
    let bare = retried().replace("\"input\":", "\"_\":").replace("\"output\":", "\"_\":");
    let said = " ? the recording has no input (includeExecutionData was false, or it was truncated): only the path through the states is compared ? the result of the task in state 'Charge' is not in the recording: the replay stops there";
    check(RETRIED, &bare, &format!("={said}"));
    check(
        &RETRIED.replace("\"Gift\"", "\"Present\""),
        &bare,
        &format!("14 state | the recording is in state 'Gift', which the definition does not have{said}"),
    );
    // This is a first page of a history.
    let page = history(&[
        r#"1<0 ExecutionStarted 0 {"input":"{\"order\":7}","roleArn":"r"}"#,
        r#"2<0 TaskStateEntered 0.02 {"name":"Charge","input":"{\"order\":7}"}"#,
    ]);
    check(
        RETRIED,
        &page,
        "= ? the recording ends while the execution is running: later events are not compared ? the recording has no answer for a call of state 'Charge': the replay waits there",
    );
}

#[test]
fn values_that_no_run_can_reproduce_count_as_equal() {
    let definition = r#"{"StartAt":"Id","States":{"Id":{"Type":"Pass","Parameters":{"id.$":"States.UUID()","run.$":"$$.Execution.Id",
        "text.$":"States.Format('run {}!', $$.Execution.Name)"},"End":true}}}"#;
    let output = |id: &str, text: &str| {
        let output = format!(r#"{{\"id\":\"{id}\",\"run\":\"arn:aws:states:eu-west-1:1:execution:m:e\",\"text\":\"{text}\"}}"#);
        history(&[
            r#"1<0 ExecutionStarted 0 {"input":"{}","roleArn":"r"}"#,
            r#"2<0 PassStateEntered 0 {"name":"Id","input":"{}"}"#,
            &format!(r#"3<2 PassStateExited 0 {{"name":"Id","output":"{output}"}}"#),
            &format!(r#"4<3 ExecutionSucceeded 0 {{"output":"{output}"}}"#),
        ])
    };
    let id = "11111111-2222-4333-8444-555555555555";
    check(definition, &output(id, "run e!"), "=");
    assert_eq!(replay(definition, &output(id, "run e!")).unreproducible.len(), 3);
    check(
        definition,
        &output(id, "ran e!"),
        "3 output /text | the output of state 'Id' differs at /text: recorded \"ran e!\", now \"run replayed-execution!\"",
    );
    check(definition, &output("seven", "run e!"), "=");
}

#[test]
fn every_form_of_a_history_is_read() {
    let events = |text: &str| json::parse(text).unwrap();
    let machine = r#"{"StartAt":"P","States":{"P":{"Type":"Pass","End":true}}}"#;
    let plain = r#"[{"id":3,"previousEventId":2,"type":"PassStateExited","timestamp":"2024-05-01T10:00:00.250000+02:00","stateExitedEventDetails":{"name":"P","output":"{}"}},
        {"id":1,"previousEventId":0,"type":"ExecutionStarted","timestamp":"2024-05-01 08:00:00.25","executionStartedEventDetails":{"input":"{}"}},
        {"id":2,"previousEventId":0,"type":"PassStateEntered","timestamp":1714550400250,"stateEnteredEventDetails":{"name":"P","input":"{}"}},
        {"id":4,"previousEventId":3,"type":"ExecutionSucceeded","timestamp":1714550400.25,"executionSucceededEventDetails":{"output":"{}"}}]"#;
    check(machine, plain, "=");
    let logged = r#"{"events":[{"id":"1","type":"ExecutionStarted","details":{"input":"{}"},"previous_event_id":"0","event_timestamp":"1714550400250"},
        {"id":"2","type":"PassStateEntered","details":{"name":"P","input":"{}"},"previous_event_id":"0","event_timestamp":"1714550400250"},
        {"id":"3","type":"PassStateExited","details":{"name":"P","output":"{}"},"previous_event_id":"2","event_timestamp":"1714550400250"},
        {"id":"4","type":"ExecutionSucceeded","details":{"output":"{}"},"previous_event_id":"3","event_timestamp":"1714550400250"}]}"#;
    check(machine, logged, "=");
    assert_eq!(replay(machine, logged).engine.clock().0, 1_714_550_400_250);
    let compiled = asl::compile(machine, &asl::CompileOptions::default()).machine.unwrap();
    for text in ["{}", "[]", "[1]", "{\"events\":{}}", "[{\"id\":1}]"] {
        assert!(replay_history(compiled.clone(), &Value::Null, &events(text), &ReplayOptions::default()).is_err(), "{text}");
    }
}
