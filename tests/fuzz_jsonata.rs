//! Evaluates random expressions: for every text and all data there must be a result or an error, and never a panic.
//!
//! `STEPGLASS_FUZZ=2000000 cargo test --profile fast --test fuzz_jsonata` runs longer; a failing seed is printed.

mod expressions;

use expressions::Maker;
use stepglass::base::{Millis, Rng, Value, json};
use stepglass::expr::Env;
use stepglass::expr::jsonata::{Expression, Limits, function_names};

/// The seeds: `STEPGLASS_FUZZ` of them, starting with `STEPGLASS_SEED`.
fn seeds(default: u64) -> std::ops::Range<u64> {
    let read = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    let first = read("STEPGLASS_SEED").unwrap_or(0);
    first..first + read("STEPGLASS_FUZZ").unwrap_or(default)
}

fn run(text: &str, input: &Value, seed: u64) {
    let Ok(expression) = Expression::parse(text) else { return };
    expression.references();
    let limits = Limits { fuel: 100_000, memory: 8 << 20, text: 1 << 20, items: 50_000, reference: true, ..Limits::default() };
    let mut rng = Rng::new(seed);
    let mut env = Env { now: Millis(1_700_000_000_000), rng: &mut rng };
    let bindings = |name: &str| (name == "states").then(|| input.clone());
    if let Ok(Some(value)) = expression.evaluate_within(Some(input), &bindings, &mut env, &limits) {
        assert!(json::serialized_len(&value) > 0);
    }
}

#[test]
fn random_expressions_never_panic() {
    let functions: Vec<&'static str> = function_names().collect();
    let input = json::parse(
        r#"{"a":1,"b":[{"a":"x","b":[1,2,{"c d":null}]},{"a":-2.5,"b":{"a":[[]]}}],"c d":"text","items":[
            {"n":3,"s":"b"},{"n":1,"s":"a","items":[{"n":7}]},{"n":2,"s":"éa😀"}]}"#,
    )
    .unwrap();
    for seed in seeds(20_000) {
        let mut rng = Rng::new(seed);
        let depth = 1 + rng.below(5) as u32;
        let body = Maker { rng: &mut rng, functions: &functions }.expression(depth);
        let text = format!("($f := function($x, $y)<xx?:x>{{$x}}; $g := function($n){{$n > 5 ? $n : $g($n + 1)}}; {body})");
        let result = std::panic::catch_unwind(|| run(&text, &input, seed));
        assert!(result.is_ok(), "seed {seed}: {text}");
    }
    println!("fuzz: {} cases", seeds(20_000).count());
}

#[test]
fn random_texts_never_panic() {
    let tokens = [
        "a", "$a", "$", "%", "*", "**", ".", "..", "[", "]", "{", "}", "(", ")", "<", ">", "<=", "~>", ":=", ":", ";", ",", "?",
        "?:", "??", "|", "@", "#", "^", "&", "!", "~", "=", "and", "or", "in", "function", "λ", "1", "-1", "1.5e", "'s'",
        "\"\\u00", "`q`", "/re/", "/", "/*", "*/", "\\", "é", "😀", " ", "\n", "<s-:n>", "null",
    ];
    for seed in seeds(20_000) {
        let mut rng = Rng::new(seed ^ 0x5eed);
        let text: String = (0..rng.below(24)).map(|_| tokens[rng.below(tokens.len() as u64) as usize]).collect();
        let result = std::panic::catch_unwind(|| run(&text, &Value::from("x"), seed));
        assert!(result.is_ok(), "seed {seed}: {text}");
    }
    println!("fuzz: {} cases", seeds(20_000).count());
}
