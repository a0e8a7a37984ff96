//! Evaluates random expressions with Stepglass and with `jsonata-core`. It prints every difference as a line of JSON, with the
//! rule that explains it if there is one. `scripts/differential.mjs` runs this program and lets jsonata-js decide who is right.
//!
//! `cargo run --release --manifest-path fuzz/jsonata/Cargo.toml -- 100000 [first seed]`

#[path = "../../../tests/expressions/mod.rs"]
mod expressions;

use expressions::Maker;
use jsonata_core::evaluator::{Context, Evaluator, EvaluatorOptions};
use jsonata_core::{parser, value::JValue};
use stepglass::base::{Map, Millis, Rng, Value, json};
use stepglass::expr::Env;
use stepglass::expr::jsonata::{Expression, Limits, function_names};

const INPUT: &str = r#"{"a":1,"b":[{"a":"x","b":[1,2,{"c d":null}]},{"a":-2.5,"b":{"a":[[]]}}],"c d":"text",
    "items":[{"n":3,"s":"b"},{"n":1,"s":"a","items":[{"n":7}]},{"n":2,"s":"éa"}]}"#;

/// The result of an evaluation: a value, undefined, a function, or the code of an error.
#[derive(Debug, PartialEq)]
enum Answer {
    Value(Value),
    Undefined,
    Error(String),
}

impl Answer {
    fn to_value(&self) -> Value {
        let mut out = Map::new();
        match self {
            Answer::Value(value) => out.insert("value", value.clone()),
            Answer::Undefined => None,
            Answer::Error(code) => out.insert("error", Value::from(code.as_str())),
        };
        Value::from(out)
    }
}

fn ours(text: &str, input: &Value) -> Answer {
    let limits = Limits { fuel: 300_000, reference: true, ..Limits::default() };
    let mut rng = Rng::new(1);
    let mut env = Env { now: Millis(0), rng: &mut rng };
    let bindings = |name: &str| (name == "states").then(|| input.clone());
    match Expression::parse(text).and_then(|e| e.evaluate_within(Some(input), &bindings, &mut env, &limits)) {
        Ok(Some(value)) => Answer::Value(value),
        Ok(None) => Answer::Undefined,
        Err(e) => Answer::Error(e.code.into()),
    }
}

fn code(message: &str) -> String {
    message
        .split(|c: char| !c.is_ascii_alphanumeric())
        .find(|word| word.len() == 5 && word.starts_with(['S', 'T', 'D', 'U']) && word[1..].bytes().all(|b| b.is_ascii_digit()))
        .unwrap_or(message)
        .to_string()
}

fn theirs(text: &str) -> Answer {
    let data = JValue::from_json_str(INPUT).expect("the input is JSON");
    let ast = match parser::parse(text) {
        Ok(ast) => ast,
        Err(e) => return Answer::Error(code(&e.to_string())),
    };
    let mut context = Context::new();
    context.bind("states".into(), data.clone());
    let options = EvaluatorOptions {
        max_stack_depth: Some(150),
        max_sequence_length: Some(100_000),
        timeout_ms: Some(500),
        ..Default::default()
    };
    match Evaluator::with_options(context, options).evaluate(&ast, &data) {
        Ok(JValue::Undefined) => Answer::Undefined,
        Ok(JValue::Lambda(_) | JValue::Builtin { .. } | JValue::Regex { .. }) => Answer::Error("D1020".into()),
        Ok(value) => match value.to_json_string().ok().and_then(|text| json::parse(&text).ok()) {
            Some(value) => Answer::Value(value),
            None => Answer::Error("no JSON".into()),
        },
        Err(e) => Answer::Error(e.code().map_or_else(|| code(e.message()), str::to_string)),
    }
}

/// Returns the rule that explains a difference, if there is one.
fn rule(text: &str, ours: &Answer, theirs: &Answer) -> Option<&'static str> {
    let is = |answer: &Answer, codes: &[&str]| matches!(answer, Answer::Error(code) if codes.contains(&code.as_str()));
    let holds_function = text.contains("function(") || text.contains("$f") || text.contains("$g") || text.contains('/');
    Some(match (ours, theirs) {
        _ if is(ours, &["D1011", "D1012", "D1014", "D1015", "D2015", "S0303", "S0501"]) => "our budgets are other ones",
        _ if is(theirs, &["D1011", "D1012", "D2015", "U1001"]) => "its budgets are other ones",
        (Answer::Error(a), Answer::Error(b)) if a != b => "both refuse it, each finds another error first",
        _ if is(ours, &["D1020"]) && holds_function => "a function inside a value: we refuse it, it writes a text",
        _ if is(ours, &["D1001"]) => "a number that JSON cannot hold: we refuse it, it writes null",
        (_, Answer::Error(_)) if text.contains('%') => "a parent that is not there: the reference finds out at run time",
        (Answer::Error(code), _) if matches!(code.as_str(), "S0211" | "S0302") => "a regular expression right behind a bracket",
        (Answer::Error(code), _) if code.starts_with("T201") => "it overlooks a transform that is no object",
        (Answer::Value(value), _) if value.to_string().contains("null") => "what a predicate selects of nothing",
        (Answer::Undefined, _) if text.contains(", /") => "a regular expression applied to what is no string",
        _ if text.contains("~> /") => "a regular expression applied to what is no string",
        _ if text.contains("-1[") || text.contains("-12[") => "a predicate of a negative number",
        (Answer::Error(code), _) if matches!(code.as_str(), "T2003" | "T2004" | "D1002") => {
            "it overlooks an operand that is no number"
        }
        _ if text.contains("$sift(") => "$sift without a function: the reference crashes",
        _ if text.contains('%') => "a parent inside a predicate or a key",
        _ => return None,
    })
}

fn main() {
    let mut arguments = std::env::args().skip(1).map(|a| a.parse::<u64>().expect("a number"));
    let (count, first) = (arguments.next().unwrap_or(2000), arguments.next().unwrap_or(0));
    // This leaves out random functions, functions that only AWS has, and those with which the other engine allocates without
    // limit.
    let left_out = ["random", "shuffle", "uuid", "now", "millis", "eval", "partition", "range", "hash", "parse", "pad", "clone"];
    let functions: Vec<&'static str> = function_names().filter(|name| !left_out.contains(name)).collect();
    let input = json::parse(INPUT).expect("the input is JSON");
    let mut same = 0u64;
    let mut compared = 0u64;
    for seed in first.. {
        if compared == count {
            break;
        }
        let mut rng = Rng::new(seed);
        let depth = 1 + rng.below(4) as u32;
        let body = Maker { rng: &mut rng, functions: &functions }.expression(depth);
        let text = format!("($f := function($x, $y)<xx?:x>{{$x}}; $g := function($n){{$n > 5 ? $n : $g($n + 1)}}; {body})");
        // The other engine has only doubles as numbers, and iterates over ranges without limit.
        if text.contains("1e300") || text.contains("9007199254740993") {
            continue;
        }
        compared += 1;
        let (a, b) = (ours(&text, &input), theirs(&text));
        if a == b {
            same += 1;
            continue;
        }
        let mut difference = Map::new();
        for (key, value) in [
            ("seed", Value::from(seed as i64)),
            ("body", Value::from(body.as_str())),
            ("expression", Value::from(text.as_str())),
            ("ours", a.to_value()),
            ("theirs", b.to_value()),
            ("rule", rule(&text, &a, &b).map_or(Value::Null, Value::from)),
        ] {
            difference.insert(key, value);
        }
        let difference = Value::from(difference);
        println!("{difference}");
    }
    println!("{{\"equal\":{same},\"input\":{input}}}");
}
