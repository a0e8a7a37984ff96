//! Evaluates expressions that do not end or have no bound: each must end with an error of a limit, soon and with little memory.
//!
//! `cargo test --profile fast --test jsonata_limits -- --nocapture` prints the time and memory of each.

use std::time::Instant;
use stepglass::base::{Millis, Rng, Value, json};
use stepglass::expr::Env;
use stepglass::expr::jsonata::{Expression, Limits};

fn evaluate(text: &str, limits: &Limits) -> Result<Option<Value>, (String, String)> {
    let states = json::parse(r#"{"input":{"a":[1,2,3],"s":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","o":{"x":{"y":1}}}}"#).unwrap();
    let mut rng = Rng::new(7);
    let mut env = Env { now: Millis(0), rng: &mut rng };
    let bindings = |name: &str| (name == "states").then(|| states.clone());
    Expression::parse(text)
        .and_then(|e| e.evaluate_within(None, &bindings, &mut env, limits))
        .map_err(|e| (e.code.to_string(), e.message))
}

/// Returns the expressions of tests/corpus/bombs.json, which `npm run bench -- --bombs` measures: texts, or arrays of texts and
/// of `[text, times]`.
fn bombs() -> Vec<String> {
    let file = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/corpus/bombs.json")).expect("bombs.json");
    let part = |part: &Value| match part.as_str() {
        Some(text) => text.to_string(),
        None => {
            let times = part.at(1).and_then(Value::as_i64).expect("times");
            part.at(0).and_then(Value::as_str).expect("text").repeat(usize::try_from(times).expect("times"))
        }
    };
    let bomb = |bomb: &Value| match bomb.as_str() {
        Some(text) => text.to_string(),
        None => bomb.as_array().unwrap_or_default().iter().map(part).collect(),
    };
    json::parse(&file).expect("JSON").as_array().unwrap_or_default().iter().map(bomb).collect()
}

/// The codes of the limits: depth, steps, nesting, memory, length of an array, size of a range, parser depth, patterns.
const BUDGET: [&str; 7] = ["D1011", "D1012", "D1014", "D1015", "D2014", "S0501", "S0303"];

#[test]
fn bombs_end_in_an_error() {
    // A tenth of the fuel has the same effect, and a build without optimization takes ten times as long.
    let fuel = Limits::default().fuel / if cfg!(debug_assertions) { 10 } else { 1 };
    let limits = Limits { fuel, ..Limits::default() };
    let bombs = bombs();
    let mut by_budget = 0;
    for bomb in &bombs {
        let start = Instant::now();
        let result = evaluate(bomb, &limits);
        let shown: String = bomb.chars().take(70).collect();
        println!("{:>6} ms  {:?}  {shown}", start.elapsed().as_millis(), result.as_ref().err().map(|e| e.0.as_str()));
        match result {
            Err((code, message)) => {
                by_budget += usize::from(BUDGET.contains(&code.as_str()));
                assert!(!message.is_empty() && !message.contains("{{"), "{shown}: {message}");
            }
            // A large value may be within all limits; functions, and numbers that are too large, have separate errors.
            Ok(value) => assert!(value.is_none_or(|v| !json::longer_than(&v, 50_000_000)), "{shown}"),
        }
    }
    assert!(by_budget * 10 > bombs.len() * 7, "{by_budget} of {}", bombs.len());
}

#[test]
fn large_expressions_within_the_limits_work() {
    for (text, expected) in [
        ("[1..10000000] ~> $count()", "10000000"),
        ("$sum([1..1000000])", "500000500000"),
        ("($e:=function($n){$n=0?true:$o($n-1)};$o:=function($n){$n=0?false:$e($n-1)};$o(20001))", "true"),
        ("($f:=function($n){$n=0?0:1+$f($n-1)};$f(90))", "90"),
        ("$count($map([1..100000], function($x){$x*2}))", "100000"),
        ("$length($reduce([1..2000], function($a,$b){$a & 'line ' & $b & '\n'}, ''))", "18893"),
        ("$count($reduce([1..2000], $append, []))", "2000"),
    ] {
        assert_eq!(
            evaluate(text, &Limits::default()).map(|v| v.unwrap_or_default().to_string()),
            Ok(expected.to_string()),
            "{text}"
        );
    }
}

#[test]
fn long_flat_expressions_do_not_count_as_nested() {
    let limits = Limits::default();
    let sum = vec!["1"; 20_000].join("+");
    assert_eq!(evaluate(&sum, &limits), Ok(Some(20_000.into())));
    let path = format!("$states.input{}", ".a".repeat(20_000));
    assert_eq!(evaluate(&path, &limits), Ok(None));
    let texts = vec!["'x'"; 20_000].join("&");
    assert_eq!(evaluate(&format!("$length({texts})"), &limits), Ok(Some(20_000.into())));
}
