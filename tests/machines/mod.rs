//! Generates random machines, options, times and values, for the fuzz tests of the engine.

pub(crate) mod history_rules;

use std::sync::Arc;
use stepglass::asl::{self, CompileOptions, ir::Machine};
use stepglass::base::{Map, Millis, Rng, Value, json};
use stepglass::engine::Options;

/// Returns a machine of a random definition, and its text. Every scope is a chain with side steps, and scopes nest up to
/// `depth`.
pub(crate) fn random_machine(rng: &mut Rng, depth: u32) -> (Arc<Machine>, String) {
    let mut text = definition(rng, depth).to_string();
    let mut compiled = asl::compile(&text, &CompileOptions::default());
    if compiled.machine.is_none() {
        // Express children cannot have callbacks.
        text = text.replace("EXPRESS", "STANDARD");
        compiled = asl::compile(&text, &CompileOptions::default());
    }
    let problems = || compiled.diagnostics.iter().map(|d| format!("{} {}", d.pointer, d.message)).collect::<Vec<_>>();
    let machine = compiled.machine.clone().unwrap_or_else(|| panic!("{text}\n{:?}", problems()));
    (Arc::new(machine), text)
}

/// Returns the options of an execution: limits that are often reached, or those of AWS.
pub(crate) fn random_options(rng: &mut Rng) -> Options {
    let mut options = Options::default();
    options.history_limit = [25_000, 400, 60][rng.below(3) as usize];
    options.step_budget = [10_000, 7, 1][rng.below(3) as usize];
    options.payload_limit = [262_144, 400][rng.below(2) as usize];
    options.trace = rng.below(8) == 0;
    options.child_histories = rng.below(4) == 0;
    options
}

fn definition(rng: &mut Rng, depth: u32) -> Value {
    let mut names = 0;
    let mut machine = scope(rng, depth, &mut names);
    if rng.below(4) == 0 {
        machine.insert("TimeoutSeconds", 1 + rng.below(60) as i64);
    }
    Value::from(machine)
}

fn scope(rng: &mut Rng, depth: u32, names: &mut u32) -> Map {
    let count = 1 + rng.below(4) as u32;
    let first = *names;
    *names += count;
    let name = |i: u32| format!("S{}", first + i);
    let mut states = Map::new();
    for i in 0..count {
        let last = i + 1 == count;
        let side = name(rng.below(u64::from(count)) as u32);
        let mut state = kind(rng, depth, names, last, &name(i + 1), &side);
        if rng.below(3) == 0
            && state.get("Type") != Some(&Value::from("Succeed"))
            && state.get("Type") != Some(&Value::from("Fail"))
        {
            state.insert("Assign", Value::from(Map::from_iter([(format!("v{}", first + i), i64::from(i))])));
        }
        states.insert(name(i), Value::from(state));
    }
    Map::from_iter([("StartAt", Value::from(name(0))), ("States", Value::from(states))])
}

fn kind(rng: &mut Rng, depth: u32, names: &mut u32, last: bool, next: &str, side: &str) -> Map {
    let mut state = Map::new();
    let pick = rng.below(if depth == 0 { 12 } else { 18 });
    let goes_on = |state: &mut Map| {
        if last {
            state.insert("End", true);
        } else {
            state.insert("Next", next);
        }
    };
    match pick {
        0 | 1 if last => {
            state.insert("Type", if pick == 0 { "Succeed" } else { "Fail" });
            if pick == 1 && rng.below(2) == 0 {
                state.insert("Error", "Red");
            }
        }
        2 | 3 if !last => {
            state.insert("Type", "Choice");
            let rule = json::parse(&format!(r#"{{"Variable":"$.n","NumericLessThan":3,"Next":"{side}"}}"#)).expect("JSON");
            let present = json::parse(&format!(
                r#"{{"And":[{{"Variable":"$.n","IsPresent":true}},{{"Variable":"$.n","NumericEquals":7}}],"Next":"{side}"}}"#
            ))
            .expect("JSON");
            state.insert("Choices", vec![if rng.below(6) == 0 { rule } else { present }]);
            state.insert("Default", next);
        }
        4 => {
            state.insert("Type", "Wait");
            state.insert("Seconds", rng.below(9) as i64);
            goes_on(&mut state);
        }
        5..=10 => {
            state.insert("Type", "Task");
            let resources = [
                "arn:aws:lambda:us-east-1:123456789012:function:f",
                "arn:aws:states:::sqs:sendMessage",
                "arn:aws:states:::sqs:sendMessage.waitForTaskToken",
                "arn:aws:states:::glue:startJobRun.sync",
                "arn:aws:states:us-east-1:123456789012:activity:a",
            ];
            state.insert("Resource", resources[rng.below(5) as usize]);
            if rng.below(3) == 0 {
                state.insert("TimeoutSeconds", 5 + rng.below(20) as i64);
            }
            if rng.below(4) == 0 {
                state.insert("HeartbeatSeconds", 1 + rng.below(4) as i64);
            }
            if rng.below(4) == 0 {
                state.insert("Parameters", json::parse(r#"{"all.$":"$","id.$":"$$.Execution.Id"}"#).expect("JSON"));
            }
            handlers(rng, &mut state, side);
            goes_on(&mut state);
        }
        12 | 13 => {
            state.insert("Type", "Parallel");
            let branches = (0..1 + rng.below(3)).map(|_| Value::from(scope(rng, depth - 1, names))).collect::<Vec<_>>();
            state.insert("Branches", branches);
            handlers(rng, &mut state, side);
            goes_on(&mut state);
        }
        14..=17 => {
            state.insert("Type", "Map");
            let mut processor = scope(rng, depth - 1, names);
            if pick == 17 {
                let kind = if rng.below(3) == 0 { "EXPRESS" } else { "STANDARD" };
                let config = format!(r#"{{"Mode":"DISTRIBUTED","ExecutionType":"{kind}"}}"#);
                processor.insert("ProcessorConfig", json::parse(&config).expect("JSON"));
                match rng.below(3) {
                    0 => drop(state.insert("ToleratedFailurePercentage", 50i64)),
                    1 => drop(state.insert("ToleratedFailureCount", 1i64)),
                    _ => {}
                }
                if rng.below(3) == 0 {
                    state.insert("ItemBatcher", json::parse(r#"{"MaxItemsPerBatch":2}"#).expect("JSON"));
                }
                if rng.below(3) == 0 {
                    let transformation = ["NONE", "COMPACT", "FLATTEN"][rng.below(3) as usize];
                    let writer = format!(
                        r#"{{"Resource":"arn:aws:states:::s3:putObject","Parameters":{{"Bucket":"b","Prefix.$":"$$.Execution.Name"}},
                            "WriterConfig":{{"Transformation":"{transformation}","OutputType":"JSONL"}}}}"#
                    );
                    state.insert("ResultWriter", json::parse(&writer).expect("JSON"));
                }
            }
            state.insert("ItemProcessor", Value::from(processor));
            state.insert("ItemsPath", "$.items");
            state.insert("MaxConcurrency", rng.below(4) as i64);
            if rng.below(3) == 0 {
                state.insert("ItemSelector", json::parse(r#"{"n":7,"items":[1,2],"i.$":"$$.Map.Item.Index"}"#).expect("JSON"));
            }
            handlers(rng, &mut state, side);
            goes_on(&mut state);
        }
        _ => {
            state.insert("Type", "Pass");
            match rng.below(5) {
                3 => {
                    let output = match rng.below(50) {
                        // It takes as long as a thousand other machines.
                        0 => "{% ($f := function($n) { $f($n + 1) + 1 }; $f(0)) %}",
                        1 => "{% {'n': $sum([1..900]), 'items': $states.input.items} %}",
                        n if n % 3 == 0 => "{% $states.input %}",
                        n if n % 3 == 1 => "{% $states.input.items[0] %}",
                        _ => "{% $states.input.n + 1 %}",
                    };
                    state.insert("QueryLanguage", "JSONata");
                    state.insert("Output", output);
                }
                0 => drop(state.insert("Result", json::parse(r#"{"n":7,"items":[{"n":1},2,{"items":[]}]}"#).expect("JSON"))),
                1 => drop(state.insert("Parameters", json::parse(r#"{"n":1,"items.$":"$.items","in.$":"$"}"#).expect("JSON"))),
                _ => drop(state.insert("ResultPath", "$.kept")),
            }
            goes_on(&mut state);
        }
    }
    state
}

fn handlers(rng: &mut Rng, state: &mut Map, side: &str) {
    if rng.below(2) == 0 {
        let retry = r#"[{"ErrorEquals":["Red"],"MaxAttempts":2,"IntervalSeconds":2,"JitterStrategy":"FULL"},{"ErrorEquals":["States.ALL"],"MaxAttempts":1}]"#;
        state.insert("Retry", json::parse(retry).expect("JSON"));
    }
    if rng.below(2) == 0 {
        let errors = if rng.below(2) == 0 { "States.ALL" } else { "Blue" };
        let catch = format!(r#"[{{"ErrorEquals":["{errors}"],"Next":"{side}","ResultPath":"$.error"}}]"#);
        state.insert("Catch", json::parse(&catch).expect("JSON"));
    }
}

/// Returns the time of the next fact. The host's clock may go back; the engine's does not.
pub(crate) fn random_time(rng: &mut Rng, now: u64, deadline: Option<Millis>) -> u64 {
    match rng.below(30) {
        // The host's machine slept for an hour, or for years.
        6 => now + 3_600_000,
        7 => now + 100_000_000_000,
        n => match n % 6 {
            0 => now.saturating_sub(rng.below(3_000)),
            1 => deadline.map_or(now, |at| at.0),
            2 => now + rng.below(20_000),
            _ => now + rng.below(50),
        },
    }
}

/// Returns a small value; most are objects with members that the machines read.
pub(crate) fn value(rng: &mut Rng, depth: u32) -> Value {
    match rng.below(8) {
        0 => Value::Null,
        1 => Value::from(rng.below(9) as i64),
        2 => Value::from("text"),
        _ => {
            let items = (0..rng.below(4)).map(|_| if depth == 0 { Value::from(1i64) } else { value(rng, depth - 1) });
            let items = items.collect::<Vec<_>>();
            Value::from(Map::from_iter([("n", Value::from(rng.below(9) as i64)), ("items", Value::from(items))]))
        }
    }
}
