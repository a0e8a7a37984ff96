//! Runs the test suite of the JSONata reference implementation.
//!
//! `cargo test --test conformance_jsonata -- --nocapture` prints the score and the names of failed cases.

use std::collections::BTreeMap;
use stepglass::base::{Millis, Rng, Value, json};
use stepglass::expr::Env;
use stepglass::expr::jsonata::{Expression, Limits};

/// Returns the text of a file in the folder that STEPGLASS_RECORDINGS names; `None` if it is not set, or if there is no such
/// file.
fn read(path: &str) -> Option<String> {
    let folder = std::env::var("STEPGLASS_RECORDINGS").ok().filter(|folder| !folder.is_empty())?;
    std::fs::read_to_string(format!("{folder}/{path}")).ok()
}

/// Runs a case. Returns `None` if the result is the expected one, otherwise what is wrong.
fn run(case: &Value, datasets: &mut BTreeMap<String, Value>) -> Option<String> {
    let text = case.get("expr").and_then(Value::as_str).unwrap_or("");
    let input = match case.get("dataset").and_then(Value::as_str) {
        Some(name) => {
            if !datasets.contains_key(name) {
                let dataset = read(&format!("jsonata-datasets/{name}.json")).and_then(|text| json::parse(&text).ok());
                datasets.insert(name.into(), dataset.unwrap_or_default());
            }
            datasets.get(name).cloned()
        }
        None => case.get("data").cloned(),
    };
    // Some cases of the suite set a limit on depth; and the suite uses `$eval`, which AWS refuses.
    let mut limits = Limits { reference: true, ..Limits::default() };
    if let Some(depth) = case.get("depth").and_then(Value::as_i64).filter(|depth| *depth > 10) {
        limits.depth = depth as u32;
    }
    let empty = Value::empty_object();
    let bindings = case.get("bindings").unwrap_or(&empty);
    let mut rng = Rng::new(1);
    let mut env = Env { now: Millis(1_700_000_000_000), rng: &mut rng };
    let lookup = |name: &str| bindings.get(name).cloned();
    let result = Expression::parse(text).and_then(|e| e.evaluate_within(input.as_ref(), &lookup, &mut env, &limits));
    let wanted_error = case.get("error").unwrap_or(case);
    if let Some(code) = wanted_error.get("code").and_then(Value::as_str) {
        // The suite's own runner reports U1001 for an expression that does not end.
        let endless = |code: &str| matches!(code, "D1011" | "D1012" | "D1013");
        let message = case.get("error").and_then(|e| e.get("message")).and_then(Value::as_str);
        return match result {
            Err(e) if e.code == code && message.is_none_or(|m| m == e.message) => None,
            Err(e) if code == "U1001" && endless(e.code) => None,
            Err(e) => Some(format!("{e}, expected {code}")),
            Ok(value) => Some(format!("{value:?}, expected {code}")),
        };
    }
    let expected = case.get("result").cloned();
    match result {
        Ok(value) if value == expected => None,
        Ok(Some(Value::Array(items))) if case.get("unordered").is_some() => {
            let sorted = |items: &[Value]| {
                let mut texts: Vec<String> = items.iter().map(Value::to_string).collect();
                texts.sort();
                texts
            };
            let same = expected.as_ref().and_then(Value::as_array).is_some_and(|e| sorted(e) == sorted(&items));
            (!same).then(|| format!("{items:?}, expected {expected:?}"))
        }
        Ok(value) => Some(format!("{value:?}, expected {expected:?}")),
        Err(e) => Some(format!("{e}, expected {expected:?}")),
    }
}

#[test]
fn the_reference_suite() {
    let Some(suite) = read("jsonata.jsonl") else {
        println!("skipped: STEPGLASS_RECORDINGS does not name a folder with jsonata.jsonl");
        return;
    };
    let mut datasets = BTreeMap::new();
    let (mut right, mut total, mut misses) = (0, 0, Vec::new());
    for line in suite.lines() {
        let case = json::parse(line).expect("a case is JSON");
        total += 1;
        match run(&case, &mut datasets) {
            None => right += 1,
            Some(why) => {
                let name = case.get("name").and_then(Value::as_str).unwrap_or("?");
                let expr = case.get("expr").and_then(Value::as_str).unwrap_or("?");
                misses.push(format!("{name}: {expr}\n    {why}"));
            }
        }
    }
    println!("jsonata: {right}/{total}");
    for miss in &misses {
        println!("  {miss}");
    }
    assert!(right as f64 >= 0.995 * f64::from(total), "jsonata: {right}/{total}");
}
