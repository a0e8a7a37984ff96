//! Times machines natively: it reads one JSON case per line from standard input (`name`, `definition`, `input`, `runs`,
//! `failures`, `counts`), and writes one line with the time of the fastest run, in microseconds, and its number of events.
//! Tasks return their input after they have failed `failures` times; with `counts` they add one to its member `n`.

use std::io::BufRead;
use std::sync::Arc;
use std::time::Instant;
use stepglass::asl;
use stepglass::base::{Value, json};
use stepglass::engine::Invocation;
use stepglass::sim::{Ending, Response, Script, Simulation};

fn main() {
    for line in std::io::stdin().lock().lines().map_while(Result::ok).filter(|line| !line.trim().is_empty()) {
        match json::parse(&line).map_err(|e| e.to_string()).and_then(|case| time(&case)) {
            Ok(result) => println!("{result}"),
            Err(problem) => println!("{{\"problem\":{}}}", Value::from(problem)),
        }
    }
}

fn time(case: &Value) -> Result<String, String> {
    let name = case.get("name").and_then(Value::as_str).unwrap_or_default();
    let definition = case.get("definition").ok_or("a case needs a definition")?.to_string();
    let compiled = asl::compile(&definition, &asl::CompileOptions::default());
    let machine = Arc::new(compiled.machine.ok_or_else(|| format!("{name} does not compile"))?);
    let input = case.get("input").cloned().unwrap_or_else(Value::empty_object);
    let runs = case.get("runs").and_then(Value::as_i64).unwrap_or(5);
    let mut script = Script::new();
    script.otherwise_with(if case.get("counts").is_some() { count } else { echo });
    if let Some(failures) = case.get("failures").and_then(Value::as_i64) {
        let again = Ending::Error { error: Some("Again".into()), cause: None };
        for (_, state) in machine.states.iter() {
            for _ in 0..failures {
                script.answer(&state.name, Response { ending: again.clone(), ..Response::default() });
            }
            script.answer(&state.name, Response { ending: Ending::Output(input.clone()), ..Response::default() });
        }
    }
    let (mut best, mut events, mut status) = (u128::MAX, 0, "");
    for _ in 0..runs {
        let script = script.clone();
        let mut simulation = Simulation::new(machine.clone(), script);
        simulation.options.history_limit = 0;
        let start = Instant::now();
        let report = simulation.run(input.clone());
        best = best.min(start.elapsed().as_micros());
        events = report.engine.history().len();
        status = report.engine.status();
    }
    Ok(format!("{{\"name\":{},\"microseconds\":{best},\"events\":{events},\"status\":\"{status}\"}}", Value::from(name)))
}

/// Returns the input with `n` increased by one.
fn count(call: &Invocation) -> Response {
    let mut output = call.input.clone();
    if let Value::Object(members) = &mut output {
        let n = members.get("n").and_then(Value::as_i64).unwrap_or_default();
        Arc::make_mut(members).insert("n", n + 1);
    }
    Response { ending: Ending::Output(output), ..Response::default() }
}

/// Returns the input.
fn echo(call: &Invocation) -> Response {
    Response { ending: Ending::Output(call.input.clone()), ..Response::default() }
}
