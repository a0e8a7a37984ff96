//! Compiles random definitions, which are mutations of our own corpus. The compiler must never panic and must only point to
//! existing locations, and no gesture on their graphs may panic or break a valid text. `STEPGLASS_FUZZ` sets the number of
//! inputs (default 20,000), `STEPGLASS_SEED` the seed (default 1); `STEPGLASS_SLOW=1` prints inputs that took more than 50 ms.

use std::path::PathBuf;
use std::time::{Duration, Instant};
use stepglass::asl::language::{apply, edit, outline};
use stepglass::asl::{self, CompileOptions, MachineType, answer};
use stepglass::base::diag::{Severity, Style, render};
use stepglass::base::{Map, Rng, Value, json};

/// The definitions of the corpus, which are mutated.
fn seeds() -> Vec<Value> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/definitions");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).expect("the corpus").map(|e| e.expect("a file").path()).collect();
    paths.sort();
    let mut seeds = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(path).expect("a readable file");
        for case in json::parse(&text).expect("JSON").as_array().unwrap_or_default() {
            seeds.extend(case.get("definition").cloned());
        }
    }
    seeds
}

/// Names and values that have a meaning for the compiler, so that mutations pass the first checks.
const NAMES: &[&str] = &[
    "Type",
    "Next",
    "End",
    "StartAt",
    "States",
    "Choices",
    "Default",
    "Variable",
    "And",
    "Or",
    "Not",
    "StringEquals",
    "NumericEqualsPath",
    "IsPresent",
    "Retry",
    "Catch",
    "ErrorEquals",
    "Branches",
    "ItemProcessor",
    "Iterator",
    "ProcessorConfig",
    "Parameters",
    "ItemSelector",
    "ResultSelector",
    "ResultPath",
    "InputPath",
    "OutputPath",
    "Assign",
    "Output",
    "Arguments",
    "Items",
    "ItemsPath",
    "Seconds",
    "SecondsPath",
    "Timestamp",
    "Error",
    "ErrorPath",
    "Cause",
    "CausePath",
    "Resource",
    "TimeoutSeconds",
    "HeartbeatSeconds",
    "Credentials",
    "QueryLanguage",
    "Label",
    "ItemReader",
    "ReaderConfig",
    "ItemBatcher",
    "ResultWriter",
    "WriterConfig",
    "MaxConcurrency",
    "ToleratedFailurePercentage",
    "a.$",
    "b/c~d",
    "",
    "Comment",
    "Condition",
    "Result",
    "A",
    "Done",
    "é\u{1f600}",
    "states",
];
const TEXTS: &[&str] = &[
    "Pass",
    "Task",
    "Choice",
    "Wait",
    "Succeed",
    "Fail",
    "Parallel",
    "Map",
    "JSONata",
    "JSONPath",
    "DISTRIBUTED",
    "INLINE",
    "EXPRESS",
    "$",
    "$$",
    "$.a",
    "$.a[0]['b']",
    "$..x[?(@.y==1)]",
    "$v",
    "$$.Task.Token",
    "$.a[",
    "$.\u{e9}\u{1f600}[",
    "$$v",
    "States.Format('{}', $.a)",
    "States.MathAdd(1, States.ArrayLength($v))",
    "States.Nope(",
    "States.Format('\\",
    "{% $x %}",
    "{% $states.result.a %}",
    "{%%}",
    "{%}",
    "{% ",
    " %}",
    "2030-01-01T00:00:00Z",
    "A",
    "Done",
    "States.ALL",
    "States.Timout",
    "arn:aws:states:::sqs:sendMessage.waitForTaskToken",
    "arn:aws:lambda:r:1:function:f:",
    "${x",
    "",
    "\u{0}",
    "FULL",
    "CSV",
];

fn value(rng: &mut Rng, depth: usize) -> Value {
    match rng.below(if depth == 0 { 7 } else { 10 }) {
        0 => Value::Null,
        1 => Value::from(rng.below(2) == 0),
        2 => Value::from(rng.below(200) as i64 - 100),
        3 => Value::from(rng.next_f64() * 1e9),
        4..=6 => Value::from(pick(rng, TEXTS)),
        7 => Value::from((0..rng.below(4)).map(|_| value(rng, depth - 1)).collect::<Vec<_>>()),
        _ => {
            let mut map = Map::new();
            for _ in 0..rng.below(4) {
                map.insert(pick(rng, NAMES), value(rng, depth - 1));
            }
            Value::from(map)
        }
    }
}

fn pick<'a>(rng: &mut Rng, list: &[&'a str]) -> &'a str {
    list.get(rng.below(list.len() as u64) as usize).copied().unwrap_or_default()
}

/// Makes one change somewhere in a value.
fn mutate(rng: &mut Rng, at: &mut Value, seeds: &[Value]) {
    let inside = rng.below(8) > 0;
    match at {
        Value::Object(map) if inside && !map.is_empty() => {
            let keys: Vec<_> = map.iter().map(|(key, _)| key.clone()).collect();
            let Some(key) = keys.get(rng.below(keys.len() as u64) as usize) else { return };
            let Some(map) = at.make_object() else { return };
            match rng.below(12) {
                0 => {
                    map.remove(key);
                }
                1 => {
                    let value = map.remove(key).unwrap_or_default();
                    map.insert(pick(rng, NAMES), value);
                }
                2 => {
                    let value = value(rng, 2);
                    map.insert(pick(rng, NAMES), value);
                }
                _ => {
                    if let Some(value) = map.get_mut(key) {
                        mutate(rng, value, seeds);
                    }
                }
            }
        }
        Value::Array(items) if inside && !items.is_empty() => {
            let index = rng.below(items.len() as u64) as usize;
            let Some(items) = at.make_array() else { return };
            match rng.below(6) {
                0 => {
                    items.remove(index);
                }
                1 => {
                    let copy = items[index].clone();
                    items.push(copy);
                }
                _ => mutate(rng, &mut items[index], seeds),
            }
        }
        Value::String(text) if inside => {
            // It makes a change at any character of the text.
            let mut chars: Vec<char> = text.chars().collect();
            let place = rng.below(chars.len() as u64 + 1) as usize;
            match rng.below(3) {
                0 if place < chars.len() => {
                    chars.remove(place);
                }
                1 => chars.extend(pick(rng, TEXTS).chars()),
                _ => {
                    let marks: Vec<char> = "$.[]'(){}%\\/@*?: \"x0é\u{1f600}".chars().collect();
                    chars.insert(place, marks[rng.below(marks.len() as u64) as usize]);
                }
            }
            *at = Value::from(chars.into_iter().collect::<String>());
        }
        _ => {
            *at = match rng.below(4) {
                // It inserts a whole definition into another one.
                0 => seeds.get(rng.below(seeds.len() as u64) as usize).cloned().unwrap_or_default(),
                _ => value(rng, 3),
            };
        }
    }
}

#[test]
fn no_definition_breaks_the_compiler() {
    let inputs: u64 = std::env::var("STEPGLASS_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(20_000);
    let seeds = seeds();
    assert!(seeds.len() > 50, "seeds to start from");
    let seed: u64 = std::env::var("STEPGLASS_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let mut rng = Rng::new(0x5eed_0a50 + seed);
    let slow = std::env::var_os("STEPGLASS_SLOW").is_some();
    let (mut compiled_well, mut slowest) = (0u64, Duration::ZERO);
    for round in 0..inputs {
        let mut definition = seeds[rng.below(seeds.len() as u64) as usize].clone();
        for _ in 0..=rng.below(6) {
            mutate(&mut rng, &mut definition, &seeds);
        }
        let mut text = definition.to_string();
        if rng.below(20) == 0 {
            // It breaks the text by a cut at any character boundary.
            let mut cut = rng.below(text.len() as u64 + 1) as usize;
            while !text.is_char_boundary(cut) {
                cut -= 1;
            }
            text.truncate(cut);
        }
        let kind = if rng.below(4) == 0 { MachineType::Express } else { MachineType::Standard };
        let start = Instant::now();
        let compiled = asl::compile(&text, &CompileOptions::from(kind));
        let took = start.elapsed();
        slowest = slowest.max(took);
        if slow && took.as_millis() > 50 {
            eprintln!("{took:?}: {text}");
        }
        let failed = compiled.diagnostics.iter().any(|d| d.severity == Severity::Error);
        assert_eq!(compiled.machine.is_none(), failed, "{text}");
        compiled_well += u64::from(!failed);
        for diagnostic in &compiled.diagnostics {
            let span = diagnostic.span.unwrap_or_else(|| panic!("no place for {} in {text}", diagnostic.code.name));
            assert!(text.get(span.range()).is_some(), "{}: {span:?} in {text}", diagnostic.code.name);
        }
        if round % 16 == 0 {
            assert_eq!(render(&compiled.diagnostics, &text, "f", Style::default()).is_empty(), compiled.diagnostics.is_empty());
            assert_eq!(answer::create_error(&compiled).is_some(), failed);
        }
    }
    println!("fuzz: {inputs} cases");
    println!("{inputs} inputs, {compiled_well} compiled, slowest {slowest:?}");
    // A few per cent is expected; a short run does not permit a closer bound.
    let least = if inputs < 5_000 { inputs / 400 } else { inputs / 100 };
    assert!(compiled_well > least, "mutations should leave some definitions sound: {compiled_well}");
}

const KINDS: &[&str] = &[
    "set",
    "remove",
    "move",
    "insert",
    "append",
    "create",
    "connect",
    "disconnect",
    "delete",
    "rename",
    "duplicate",
    "copy",
    "cut",
    "paste",
    "retype",
    "wrap",
    "unwrap",
    "extract",
    "inline",
    "",
];
const FIELDS: &[&str] = &[
    "",
    "/Next",
    "/End",
    "/Default",
    "/Catch/0/Next",
    "/Choices/0/Next",
    "/Choices/0",
    "/Branches/0",
    "/Retry/1",
    "/Comment",
    "/~",
];
const ROLES: &[&str] = &["next", "rule", "default", "catch", "branch", "no"];

/// Returns a gesture on one of the states, which may be impossible.
fn gesture(rng: &mut Rng, states: &[String], seeds: &[Value]) -> Value {
    let mut state = || states.get(rng.below(states.len() as u64 + 1) as usize).cloned().unwrap_or_default();
    let (one, other, third) = (state(), state(), state());
    let at = format!("{one}{}", pick(rng, FIELDS));
    let mut gesture = Map::new();
    gesture.insert("kind", pick(rng, KINDS));
    gesture.insert("at", at.as_str());
    gesture.insert("state", one.as_str());
    gesture.insert("states", Value::from(vec![Value::from(one.as_str()), Value::from(third.as_str())]));
    gesture.insert("type", pick(rng, TEXTS));
    gesture.insert("as", pick(rng, ROLES));
    gesture.insert("scope", one.rfind("/States/").and_then(|end| one.get(..end)).unwrap_or_default());
    match rng.below(3) {
        0 => gesture.insert("edge", at.as_str()),
        1 => gesture.insert("from", one.as_str()),
        _ => None,
    };
    match rng.below(4) {
        0 => gesture.insert("to", other.as_str()),
        1 => gesture.insert("to", rng.below(4) as i64),
        2 => gesture.insert("to", pick(rng, TEXTS)),
        _ => gesture.insert("to", Value::Null),
    };
    let pasted = seeds.get(rng.below(seeds.len() as u64) as usize).map(Value::to_string).unwrap_or_default();
    gesture.insert("asl", pasted);
    gesture.insert("value", value(rng, 3));
    if gesture.get("kind").and_then(Value::as_str).is_some_and(|kind| matches!(kind, "insert" | "append" | "create")) {
        let mut new = Map::new();
        new.insert("type", pick(rng, TEXTS));
        new.insert("name", pick(rng, NAMES));
        gesture.insert("state", new);
    }
    gesture.into()
}

#[test]
fn no_gesture_breaks_a_text() {
    let inputs: u64 = std::env::var("STEPGLASS_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(8_000);
    let seed: u64 = std::env::var("STEPGLASS_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let seeds = seeds();
    let mut rng = Rng::new(0x5eed_0ed1 + seed);
    let mut made = 0u64;
    for _ in 0..inputs {
        let mut definition = seeds[rng.below(seeds.len() as u64) as usize].clone();
        for _ in 0..rng.below(3) {
            mutate(&mut rng, &mut definition, &seeds);
        }
        let mut text = definition.to_string();
        if rng.below(4) == 0 {
            // It removes or adds a character.
            let mut chars: Vec<char> = text.chars().collect();
            for _ in 0..=rng.below(3) {
                let at = rng.below(chars.len() as u64 + 1) as usize;
                match rng.below(2) {
                    0 if at < chars.len() => drop(chars.remove(at)),
                    _ => chars.insert(at, ['{', '}', '[', ']', ',', ':', '"', '\\', '\n', 'é'][rng.below(10) as usize]),
                }
            }
            text = chars.into_iter().collect();
        }
        let states: Vec<String> = outline(&text).into_iter().map(|state| state.pointer).collect();
        let given = gesture(&mut rng, &states, &seeds);
        if rng.below(8) == 0 {
            edit::gestures(&text, &[states.first().cloned().unwrap_or_default()]);
        }
        let Ok(edited) = edit::edit(&text, &given, &CompileOptions::default()) else { continue };
        made += 1;
        let mut at = 0;
        for edit in &edited.edits {
            assert!(at <= edit.span.start && text.get(edit.span.range()).is_some(), "{given} on {text}: {:?}", edited.edits);
            at = edit.span.end;
        }
        assert_eq!(apply(&text, &edited.edits), edited.text);
        if json::check(&text).is_ok() {
            assert!(json::check(&edited.text).is_ok(), "{given} on {text}: {}", edited.text);
        }
        assert!(edited.text.get(edited.caret.span.range()).is_some(), "{given} on {text}");
    }
    println!("fuzz: {inputs} cases");
    assert!(made > inputs / 20, "some gestures should be possible: {made}");
}

#[test]
fn large_broken_definitions_are_diagnosed_whole() {
    // Quadratic behaviour would take minutes here, and the time-out of the test runner would end the test.
    let mut states = Map::new();
    for i in 0..4000 {
        let mut state = Map::new();
        state.insert("Type", "Pass");
        state.insert("Next", format!("S{}x", i + 1));
        state.insert("Coment", "x");
        states.insert(format!("S{i}"), state);
    }
    let mut machine = Map::new();
    machine.insert("StartAt", "S0");
    machine.insert("States", states);
    let text = Value::from(machine).to_string();
    let start = Instant::now();
    let compiled = asl::compile(&text, &CompileOptions::default());
    assert!(compiled.diagnostics.len() >= 8000);
    println!("{} diagnostics in {:?}", compiled.diagnostics.len(), start.elapsed());
}
