//! Runs conformance cases natively: it reads one JSON case per line from standard input, and writes one JSON result per line to
//! standard output.
//!
//! `scripts/conformance.mjs` feeds it and compares the results. This program also checks for every case that an engine that is
//! restored from a snapshot after each step, and an engine that is replayed from the journal, produce the same history.

use std::io::{BufRead, Write};
use std::sync::Arc;
use stepglass::asl;
use stepglass::base::{Map, Millis, Value, json};
use stepglass::engine::{CallPurpose, ExecutionInfo, HistoryEvent, Invocation, Outcome};
use stepglass::sim::{Ending, Response, Script, Simulation, Started, test_state_with};

fn main() {
    let stdout = std::io::stdout();
    let mut out = stdout.lock();
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { return };
        if line.trim().is_empty() {
            continue;
        }
        let result = match json::parse(&line) {
            Ok(case) => run(&case),
            Err(error) => Value::from(Map::from_iter([("problem", Value::from(error.to_string()))])),
        };
        if writeln!(out, "{result}").is_err() {
            return;
        }
    }
}

/// Runs a case: `definition` (a value, or a text), `type`, and for an execution `input` and `mocks`.
fn run(case: &Value) -> Value {
    if let Some(request) = case.get("args") {
        let result = match test_state_with(request, 0, Millis(0), &mut |service, action| shape(case, service, action)) {
            Ok(response) => ("response", response),
            Err(error) => ("refused", Map::from_iter([("Code", error.code.to_string()), ("Message", error.message)]).into()),
        };
        return Value::from(Map::from_iter([result]));
    }
    let express = case.get("type").and_then(Value::as_str) == Some("EXPRESS");
    let kind = if express { asl::MachineType::Express } else { asl::MachineType::Standard };
    let options = asl::CompileOptions::from(kind);
    let text = match case.get("definition") {
        Some(Value::String(text)) => text.to_string(),
        Some(value) => value.to_string(),
        None => String::new(),
    };
    let compiled = asl::compile(&text, &options);
    let mut result = Map::new();
    let diagnostics = compiled.diagnostics.iter().map(|d| {
        Value::from(Map::from_iter([
            ("code", Value::from(d.code.name)),
            ("severity", Value::from(d.severity.name())),
            ("pointer", Value::from(d.pointer.as_str())),
            ("message", Value::from(d.message.clone())),
        ]))
    });
    result.insert("diagnostics", diagnostics.collect::<Vec<_>>());
    let Some(machine) = compiled.machine else { return Value::from(result) };
    if case.get("run") == Some(&Value::Bool(false)) {
        return Value::from(result);
    }
    let mut simulation = Simulation::new(Arc::new(machine), script(case.get("mocks"), case.get("objects").cloned()));
    simulation.options.express = express;
    simulation.start = Millis(1_700_000_000_000);
    simulation.execution = ExecutionInfo::named("machine", "case");
    if case.get("stop") == Some(&Value::Bool(true)) {
        simulation.stop_at = Some(simulation.start.plus(1));
    }
    let input = case.get("input").cloned().unwrap_or_else(Value::empty_object);
    let report = simulation.run(input);
    match &report.outcome {
        None => {
            result.insert("status", "RUNNING");
        }
        Some(outcome) => {
            result.insert("status", outcome.status());
            match outcome {
                Outcome::Succeeded { output } => {
                    result.insert("output", output.clone());
                }
                Outcome::Failed { error, cause } | Outcome::Aborted { error, cause } => {
                    result.insert("error", error.clone().map_or(Value::Null, Value::from));
                    result.insert("cause", cause.clone().map_or(Value::Null, Value::from));
                }
                Outcome::TimedOut => {}
            }
        }
    }
    result.insert("history", history(report.engine.history()));
    if let Err(problem) = report.check() {
        result.insert("problem", problem);
    }
    Value::from(result)
}

/// Returns the shape of a response from the case's service models, which have botocore's format.
fn shape(case: &Value, service: &str, action: &str) -> Option<Value> {
    let model = case.get("models")?.get(service)?;
    let operation = action.get(..1)?.to_uppercase() + action.get(1..)?;
    let mut shape = model.get("operations")?.get(&operation)?.get("output")?.clone();
    shape.make_object()?.insert("shapes", model.get("shapes")?.clone());
    Some(shape)
}

/// Returns a script with a queue of answers for each state, from recorded events.
fn script(mocks: Option<&Value>, objects: Option<Value>) -> Script {
    let mut script = Script::new();
    script.otherwise_with(move |call| stand_in(call, objects.as_ref()));
    for (name, events) in mocks.and_then(Value::as_object).into_iter().flat_map(Map::iter) {
        let mut submitted = None;
        for event in events.as_array().unwrap_or_default() {
            let kind = event.get("event").and_then(Value::as_str).unwrap_or_default();
            let text = |field: &str| match event.get(field) {
                None | Some(Value::Null) => None,
                Some(Value::String(text)) => Some(text.clone()),
                Some(other) => Some(other.to_string().into()),
            };
            let output = || event.get("output").cloned().unwrap_or(Value::Null);
            let ending = if kind.ends_with("Submitted") {
                submitted = Some(output());
                continue;
            } else if kind.ends_with("Succeeded") {
                Ending::Output(output())
            } else if kind.ends_with("TimedOut") {
                Ending::Never
            } else {
                Ending::Error { error: text("error"), cause: text("cause") }
            };
            // An activity can only end after a worker took it.
            let started = kind.starts_with("Activity").then(|| Started { after: 0, worker: text("workerName") });
            script.answer(name, Response { submitted: submitted.take(), started, ending, ..Response::default() });
        }
        if let Some(submitted) = submitted {
            script.answer(name, Response { submitted: Some(submitted), ..Response::default() });
        }
    }
    script
}

/// Returns the answer of a service for which nothing was recorded: functions return their input. `objects` has the texts that
/// the recorded test had written to S3, by `bucket/key`.
fn stand_in(call: &Invocation, objects: Option<&Value>) -> Response {
    let part = |name: &str| call.input.get(name).and_then(Value::as_str).unwrap_or_default();
    let object = objects.and_then(|objects| objects.get(&format!("{}/{}", part("Bucket"), part("Key"))));
    let ending = match call.purpose {
        CallPurpose::ItemReader if object.is_some() => {
            Ending::Output(Value::from(Map::from_iter([("Body", object.cloned().unwrap_or(Value::Null))])))
        }
        CallPurpose::ItemReader => Ending::Error {
            error: Some("States.ItemReaderFailed".into()),
            cause: Some("The object that was read is not in the recording".into()),
        },
        _ if call.resource.ends_with(":lambda:invoke") => {
            let payload = call.input.get("Payload").cloned().unwrap_or(Value::Null);
            let members = [("ExecutedVersion", "$LATEST".into()), ("Payload", payload), ("StatusCode", 200i64.into())];
            Ending::Output(Value::from(Map::from_iter(members)))
        }
        _ => Ending::Output(call.input.clone()),
    };
    Response { ending, ..Response::default() }
}

fn history(events: &[HistoryEvent]) -> Value {
    let mut text = String::from("[");
    for (i, event) in events.iter().enumerate() {
        if i > 0 {
            text.push(',');
        }
        event.write_json(&mut text);
    }
    text.push(']');
    json::parse(&text).unwrap_or(Value::Null)
}
