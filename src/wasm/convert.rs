//! Converts Rust values to JavaScript values. They cross as JSON text, because JSON.parse is faster than creating objects one
//! by one.

use crate::asl::complete::Completions;
use crate::asl::ir;
use crate::base::diag::{Diagnostic, Severity};
use crate::base::span::{Position, Positions, Span, position, utf16_len};
use crate::base::{Value, json};
use crate::engine::{ChildExecution, Command, Engine, FrameView, Invocation, Outcome, Stage};
use crate::expr::question::QuestionError;
use std::fmt::Write;
use std::sync::Arc;
use wasm_bindgen::JsValue;

/// Parses JSON text into plain JavaScript objects and arrays.
pub(super) fn parsed(text: &str) -> JsValue {
    js_sys::JSON::parse(text).unwrap_or(JsValue::NULL)
}

/// Returns diagnostics as JSON text, with positions in the text that was compiled.
pub(super) fn diagnostics_text(diagnostics: &[Diagnostic], text: &str) -> String {
    let places = Positions::of(if diagnostics.is_empty() { "" } else { text });
    array(diagnostics, |out, diagnostic| {
        out.push_str("{\"code\":");
        json::write_str(out, diagnostic.code.name);
        let severity = match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        text_member(out, "severity", Some(severity));
        text_member(out, "pointer", Some(diagnostic.pointer.as_str()));
        text_member(out, "message", Some(&diagnostic.message));
        range_member(out, diagnostic.span, &places);
        out.push_str(",\"labels\":[");
        separated(out, &diagnostic.labels, |out, label| {
            out.push_str("{\"pointer\":");
            json::write_str(out, label.pointer.as_str());
            range_member(out, label.span, &places);
            text_member(out, "message", Some(&label.message));
            out.push('}');
        });
        out.push(']');
        text_member(out, "help", diagnostic.help.as_deref());
        if let Some(fix) = &diagnostic.fix {
            out.push_str(",\"fix\":{\"title\":");
            json::write_str(out, &fix.title);
            text_member(out, "pointer", Some(fix.pointer.as_str()));
            range_member(out, fix.span, &places);
            text_member(out, "replacement", Some(&fix.replacement));
            out.push('}');
        }
        out.push_str(",\"aws\":[");
        separated(out, &diagnostic.aws, |out, aws| {
            out.push_str("{\"code\":");
            json::write_str(out, aws.code);
            text_member(out, "message", Some(&aws.message));
            text_member(out, "location", aws.location.as_deref());
            out.push('}');
        });
        out.push_str("]}");
    })
}

fn range_member(out: &mut String, span: Option<Span>, text: &Positions) {
    let Some(span) = span else { return };
    let mut end = |name: &str, at: usize| {
        let Position { line, column, offset } = text.at(at);
        let _ = write!(out, "{name}{{\"line\":{line},\"column\":{column},\"offset\":{offset}}}");
    };
    end(",\"range\":{\"start\":", span.start);
    end(",\"end\":", span.end);
    out.push('}');
}

/// Writes commands as a JSON array.
pub(super) fn commands(out: &mut String, commands: &[Command]) {
    out.push('[');
    separated(out, commands, command);
    out.push(']');
}

fn command(out: &mut String, command: &Command) {
    match command {
        Command::Invoke(call) => invocation(out, call),
        Command::Cancel { task, reason } => {
            let _ = write!(out, "{{\"type\":\"Cancel\",\"task\":{},\"reason\":\"{}\"}}", task.0, reason.as_str());
        }
        Command::ChildFinished(child) => child_finished(out, child),
        Command::StartChild(start) => {
            out.push_str("{\"type\":\"StartChild\"");
            map_run(out, &start.map_run, start.redrive);
            let _ = write!(out, ",\"index\":{},\"recorded\":{}", start.index, start.recorded);
            text_member(out, "snapshot", start.snapshot.as_deref());
            out.push('}');
        }
        Command::StopChildren { map_run: arn, redrive } => {
            out.push_str("{\"type\":\"StopChildren\"");
            map_run(out, arn, *redrive);
            out.push('}');
        }
        Command::Finish(outcome) => {
            out.push_str("{\"type\":\"Finish\",");
            finished(out, outcome);
            out.push('}');
        }
    }
}

fn map_run(out: &mut String, arn: &str, redrive: u32) {
    text_member(out, "mapRun", Some(arn));
    let _ = write!(out, ",\"redrive\":{redrive}");
}

fn invocation(out: &mut String, call: &Invocation) {
    members(out, call);
    out.push('}');
}

/// Writes the beginning of an Invoke command; the caller closes the object.
fn members(out: &mut String, call: &Invocation) {
    let _ = write!(out, "{{\"type\":\"Invoke\",\"task\":{},\"state\":", call.task.0);
    json::write_str(out, &call.state_name);
    text_member(out, "resource", Some(&call.resource));
    out.push_str(",\"input\":");
    json::write(out, &call.input);
    let _ = write!(out, ",\"attempt\":{},\"entered\":{}", call.attempt, call.entered);
    text_member(out, "child", call.child.as_deref());
    if call.purpose != crate::engine::CallPurpose::Task {
        text_member(out, "purpose", Some(call.purpose.as_str()));
    }
    text_member(out, "token", call.token.as_deref());
    for (name, seconds) in [("timeout", call.timeout), ("heartbeat", call.heartbeat)] {
        if let Some(seconds) = seconds {
            let _ = write!(out, ",\"{name}\":{seconds}");
        }
    }
    value_member(out, "credentials", call.credentials.as_ref());
    if !call.iterations.is_empty() {
        let _ = write!(out, ",\"iterations\":{:?}", call.iterations);
    }
}

/// Returns what all Invoke commands of a state have in common: `{state, resource}`.
pub(super) fn task_text(machine: &ir::Machine, state: ir::StateId) -> String {
    let mut out = String::from("{\"state\":");
    if let Some(state) = machine.states.get(state) {
        json::write_str(&mut out, &state.name);
        if let ir::Kind::Task(task) = &state.kind {
            text_member(&mut out, "resource", Some(&task.resource));
        }
    } else {
        out.push_str("null");
    }
    out.push('}');
    out
}

/// Returns an Invoke command.
pub(super) fn invocation_text(call: &Invocation) -> String {
    let mut out = String::new();
    invocation(&mut out, call);
    out
}

fn child_finished(out: &mut String, child: &ChildExecution) {
    out.push_str("{\"type\":\"ChildFinished\"");
    text_member(out, "name", Some(&child.name));
    text_member(out, "arn", Some(&child.arn));
    let _ = write!(out, ",\"index\":{}", child.index);
    text_member(out, "status", Some(child.status));
    value_member(out, "input", Some(&child.input));
    value_member(out, "output", child.output.as_ref());
    text_member(out, "error", child.error.as_deref());
    text_member(out, "cause", child.cause.as_deref());
    if child.redrive_count > 0 {
        let _ = write!(out, ",\"redriveCount\":{}", child.redrive_count);
    }
    out.push_str(",\"history\":[");
    separated(out, &child.history, |out, event| event.write_json(out));
    out.push_str("]}");
}

fn finished(out: &mut String, outcome: &Outcome) {
    let _ = write!(out, "\"status\":\"{}\"", outcome.status());
    match outcome {
        Outcome::Succeeded { output } => value_member(out, "output", Some(output)),
        Outcome::Failed { error, cause } | Outcome::Aborted { error, cause } => {
            text_member(out, "error", error.as_deref());
            text_member(out, "cause", cause.as_deref());
        }
        Outcome::TimedOut => {}
    }
}

/// Returns the status of the execution.
pub(super) fn status_text(engine: &Engine) -> String {
    let mut out = String::from("{");
    match engine.outcome() {
        Some(outcome) => finished(&mut out, outcome),
        None => {
            let _ = write!(out, "\"status\":\"{}\"", engine.status());
        }
    }
    out.push('}');
    out
}

/// Returns the calls that wait for a result.
pub(super) fn pending_text(engine: &Engine) -> String {
    array(&engine.pending(), |out, call| {
        members(out, call);
        text_member(out, "phase", Some(call.phase.as_str()));
        out.push('}');
    })
}

/// Returns the running frames. With `timed`, only those that wait for a time, without their payloads.
pub(super) fn frames_text(engine: &Engine, timed: bool) -> String {
    array(&engine.frames().filter(|frame| !timed || frame.until.is_some()).collect::<Vec<_>>(), |out, frame: &FrameView| {
        let _ = write!(out, "{{\"id\":{}", frame.id);
        if let Some((parent, slot)) = frame.parent {
            let _ = write!(out, ",\"parent\":{parent},\"slot\":{slot}");
        }
        text_member(out, "state", Some(&frame.state_name));
        text_member(out, "phase", Some(frame.phase));
        if !timed {
            value_member(out, "input", Some(&frame.input));
            value_member(out, "variables", Some(&frame.variables));
        }
        if let Some(until) = frame.until.filter(|until| until.0 != u64::MAX) {
            let _ = write!(out, ",\"until\":{}", until.0);
        }
        if let Some(task) = frame.task {
            let _ = write!(out, ",\"task\":{}", task.0);
        }
        let _ = write!(out, ",\"retries\":{}", frame.retries);
        if frame.entered_event > 0 {
            let _ = write!(out, ",\"event\":{}", frame.entered_event);
        }
        if !frame.iterations.is_empty() {
            let _ = write!(out, ",\"iterations\":{:?}", frame.iterations);
        }
        text_member(out, "child", frame.child.as_deref());
        value_member(out, "mapRun", frame.map_run.as_ref());
        out.push('}');
    })
}

/// Returns the recorded stages of data flow.
pub(super) fn trace_text(trace: &[Stage]) -> String {
    array(trace, |out, stage| {
        stage_head(out, stage);
        value_member(out, "value", Some(&stage.value));
        out.push('}');
    })
}

/// Returns the stages on one line, followed by the texts of their values; `units` is the length of each text in UTF-16 units. A
/// debugger stores many of them and reads few. A value that is identical to that of the previous stage is replaced by
/// `"same":true`.
pub(super) fn stages_text(trace: &[Stage]) -> String {
    let (mut told, mut values, mut seen) = (0, String::new(), json::Seen::default());
    let mut out = array(trace, |out, stage| {
        let before = trace[..told].last();
        told += 1;
        stage_head(out, stage);
        if before.is_some_and(|before| shared(&before.value, &stage.value)) {
            out.push_str(",\"same\":true}");
            return;
        }
        let from = values.len();
        json::write_again(&mut values, &stage.value, &mut seen);
        let _ = write!(out, ",\"units\":{}}}", utf16_len(&values.as_bytes()[from..]));
    });
    out.push('\n');
    out.push_str(&values);
    out
}

/// Writes the members of a stage without its value.
fn stage_head(out: &mut String, stage: &Stage) {
    let _ = write!(out, "{{\"event\":{},\"after\":{}", stage.entered_event, stage.after);
    text_member(out, "child", stage.child.as_deref());
    text_member(out, "state", Some(&stage.state));
    text_member(out, "stage", Some(stage.stage));
    if let Some(index) = stage.index {
        let _ = write!(out, ",\"index\":{index}");
    }
    value_member(out, "failure", stage.failure.as_ref());
}

/// Whether two values are identical, without comparing their content.
pub(super) fn shared(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => Arc::ptr_eq(a, b),
        (Value::Array(a), Value::Array(b)) => Arc::ptr_eq(a, b),
        (Value::String(a), Value::String(b)) => Arc::ptr_eq(a, b),
        _ => false,
    }
}

/// Returns the parts of the definition that were used.
pub(super) fn coverage_text(engine: &Engine) -> String {
    let mut out = String::from("{\"hits\":{");
    separated(&mut out, &engine.hits(), |out, (place, count)| {
        json::write_str(out, place.as_str());
        let _ = write!(out, ":{count}");
    });
    out.push_str("},\"handled\":[");
    separated(&mut out, engine.handled_errors(), |out, handled| {
        let _ = write!(out, "{{\"event\":{}", handled.event);
        text_member(out, "child", handled.child.as_deref());
        text_member(out, "state", Some(&handled.state));
        text_member(out, "pointer", Some(handled.pointer.as_str()));
        text_member(out, "error", handled.error.as_deref());
        text_member(out, "cause", handled.cause.as_deref());
        if let Some(delay) = handled.delay {
            let _ = write!(out, ",\"delay\":{delay}");
        }
        out.push('}');
    });
    out.push_str("]}");
    out
}

/// Returns the answer to a question.
pub(super) fn answer_text(answer: &Result<Option<Value>, QuestionError>) -> String {
    let mut out = String::from("{");
    match answer {
        Ok(Some(value)) => {
            out.push_str("\"value\":");
            json::write(&mut out, value);
        }
        Ok(None) => out.push_str("\"nothing\":true"),
        Err(error) => {
            out.push_str("\"message\":");
            json::write_str(&mut out, &error.message);
            text_member(&mut out, "code", error.code);
            if let Some(offset) = error.offset {
                let _ = write!(out, ",\"offset\":{offset}");
            }
        }
    }
    out.push('}');
    out
}

/// Returns completions, with offsets in UTF-16 units.
pub(super) fn completions_text(completions: &Completions, text: &str) -> String {
    let units = |offset| position(text, offset).offset;
    let Span { start, end } = completions.replace;
    let mut out = format!("{{\"replace\":{{\"start\":{},\"end\":{}}},\"items\":", units(start), units(end));
    out.push_str(&array(&completions.items, |out, item| {
        let _ = write!(out, "{{\"kind\":\"{}\"", item.kind);
        text_member(out, "label", Some(&item.label));
        text_member(out, "detail", Some(&item.detail));
        text_member(out, "insert", Some(&item.insert));
        out.push('}');
    }));
    if let Some(reads) = &completions.reads {
        let _ = write!(out, ",\"reads\":{{\"language\":\"{}\"", if reads.jsonata { "jsonata" } else { "jsonpath" });
        text_member(&mut out, "state", Some(&reads.state));
        text_member(&mut out, "field", Some(&reads.field));
        text_member(&mut out, "path", Some(&reads.path));
        out.push('}');
    }
    out.push('}');
    out
}

fn array<T>(items: &[T], write: impl FnMut(&mut String, &T)) -> String {
    let mut out = String::from("[");
    separated(&mut out, items, write);
    out.push(']');
    out
}

fn separated<T>(out: &mut String, items: &[T], mut write: impl FnMut(&mut String, &T)) {
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        write(out, item);
    }
}

fn text_member(out: &mut String, name: &str, text: Option<&str>) {
    if let Some(text) = text {
        let _ = write!(out, ",\"{name}\":");
        json::write_str(out, text);
    }
}

fn value_member(out: &mut String, name: &str, value: Option<&Value>) {
    if let Some(value) = value {
        let _ = write!(out, ",\"{name}\":");
        json::write(out, value);
    }
}
