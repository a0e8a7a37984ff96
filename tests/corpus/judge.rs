//! Runs a case and compares the results.

use super::case::{Case, Expect};
use std::collections::BTreeMap;
use std::sync::Arc;
use stepglass::asl::ir::Machine;
use stepglass::asl::{self, CompileOptions, MachineType};
use stepglass::base::{Map, Value, json};
use stepglass::engine::{Command, Engine, HistoryEvent, Outcome};
use stepglass::sim::{Report, Simulation};

pub(crate) struct Verdict {
    pub mismatches: Vec<Mismatch>,
    /// `expect` with the actual results.
    pub found: Value,
}

pub(crate) struct Mismatch {
    pub text: String,
    /// Whether other expectations would make the case pass; a failed replay is never an expectation.
    pub rewritable: bool,
}

pub(crate) fn judge(case: &Case) -> Verdict {
    let kind = if case.options.express { MachineType::Express } else { MachineType::Standard };
    let compiled = asl::compile(&case.definition, &CompileOptions::from(kind));
    let problems: Vec<String> = compiled.diagnostics.iter().map(|d| format!("{} {}", d.code.name, d.pointer)).collect();
    let mut check = Check { expect: &case.expect, mismatches: Vec::new(), found: Map::new() };
    let Some(machine) = compiled.machine.filter(|_| case.expect.rejected.is_none()) else {
        check.lines("rejected", case.expect.rejected.as_deref(), &problems);
        if case.expect.rejected.is_none() {
            check.mismatch(format!("the definition is rejected: {problems:?}"), false);
        }
        return check.verdict();
    };
    let machine = Arc::new(machine);
    let mut ends = Vec::new();
    for seed in case.seeds.clone() {
        let report = run(case, machine.clone(), seed);
        if ends.is_empty() {
            compare(&mut check, &report);
        }
        let at = report.engine.clock().0.saturating_sub(case.start.0);
        if case.expect.at.is_some_and(|(from, to)| at < from || at > to) {
            check.mismatch(format!("with the seed {seed} it ended after {at} ms"), true);
        }
        ends.push(at);
        if let Err(problem) = report.check() {
            check.mismatch(problem, false);
        }
    }
    let at = match case.expect.at {
        Some((from, to)) if from < to => {
            // Bounds are for random values: these must differ, and must cover their range.
            let (least, most) = (ends.iter().min().copied().unwrap_or(0), ends.iter().max().copied().unwrap_or(0));
            if (most - least) * 2 < to - from {
                check.mismatch(format!("all ended between {least} and {most} ms"), false);
            }
            Value::from(vec![Value::from(from as i64), Value::from(to as i64)])
        }
        _ => Value::from(ends[0] as i64),
    };
    if case.expect.at.is_none() {
        check.mismatch("`at` is missing".into(), true);
    }
    check.found.insert("at", at);
    check.verdict()
}

fn run(case: &Case, machine: Arc<Machine>, seed: u64) -> Report {
    let mut simulation = Simulation::new(machine, case.script.clone());
    simulation.options = case.options;
    simulation.start = case.start;
    simulation.seed = seed;
    if let Some(stop) = &case.stop {
        simulation.stop_at = Some(case.start.plus(stop.at));
        simulation.stop_reason = (stop.error.as_deref().map(Into::into), stop.cause.as_deref().map(Into::into));
    }
    simulation.run(case.input.clone())
}

fn compare(check: &mut Check, report: &Report) {
    let expect = check.expect;
    let status = report.outcome.as_ref().map_or("RUNNING", Outcome::status);
    check.value("status", expect.status.clone().map(Value::from).as_ref(), &Value::from(status));
    match &report.outcome {
        Some(Outcome::Succeeded { output }) => check.value("output", expect.output.as_ref(), output),
        Some(Outcome::Failed { error, cause } | Outcome::Aborted { error, cause }) => {
            for (name, expected, found) in [("error", &expect.error, error), ("cause", &expect.cause, cause)] {
                if found.is_some() || expected.is_some() {
                    check.value(name, expected.as_ref(), &found.clone().map_or(Value::Null, Value::from));
                }
            }
        }
        _ => {}
    }
    let unfit = match &report.outcome {
        Some(Outcome::Succeeded { .. }) => expect.error.is_some() || expect.cause.is_some(),
        Some(Outcome::Failed { .. } | Outcome::Aborted { .. }) => expect.output.is_some(),
        _ => expect.output.is_some() || expect.error.is_some() || expect.cause.is_some(),
    };
    if unfit {
        check.mismatch(format!("the expectation does not fit a case that is {status}"), true);
    }
    let finishes = report.commands.iter().filter(|command| matches!(command, Command::Finish(_))).count();
    let last = matches!(report.commands.last(), Some(Command::Finish(_)));
    if report.outcome.is_some() && (finishes != 1 || !last) {
        check.mismatch("Finish is not given exactly once, and last".into(), false);
    }
    if let Some(expected) = &expect.history {
        let found: Vec<String> = report.engine.history().iter().map(event_line).collect();
        check.lines("history", Some(expected), &found);
    }
    if let Some(expected) = &expect.commands {
        check.lines("commands", Some(expected), &command_lines(report));
    }
    if let Some(expected) = &expect.children {
        let children = report.commands.iter().filter_map(|command| match command {
            Command::ChildFinished(child) => Some(child),
            _ => None,
        });
        let found: Vec<String> = children
            .map(|child| {
                let what = child.output.as_ref().map_or_else(|| child.error.as_deref().unwrap_or("").into(), Value::to_string);
                format!("{} {} {what}", child.status, child.input)
            })
            .collect();
        check.lines("children", Some(expected), &found);
    }
}

/// Formats an event as `3<-2 PassStateExited Name {"output":…}`, without timestamps, roles and lengths.
fn event_line(event: &HistoryEvent) -> String {
    let mut text = String::new();
    event.write_json(&mut text);
    let event = json::parse(&text).expect("an event is JSON");
    let number = |name: &str| event.get(name).and_then(Value::as_i64).unwrap_or_default();
    let kind = event.get("type").and_then(Value::as_str).unwrap_or_default();
    let mut line = format!("{}<-{} {kind}", number("id"), number("previousEventId"));
    let details = event.as_object().and_then(|members| members.iter().find(|(name, _)| name.ends_with("EventDetails")));
    for (name, value) in details.and_then(|(_, details)| details.as_object()).into_iter().flat_map(Map::iter) {
        match &**name {
            "inputDetails" | "outputDetails" | "assignedVariablesDetails" | "roleArn" => {}
            "assignedVariables" => {
                for (name, value) in value.as_object().into_iter().flat_map(Map::iter) {
                    line.push_str(&format!(" {name}={}", value.as_str().unwrap_or_default()));
                }
            }
            "name" | "index" | "length" | "input" | "output" | "error" | "resource" | "parameters" => {
                line.push(' ');
                line.push_str(&value.as_str().map_or_else(|| value.to_string(), str::to_string));
            }
            name => line.push_str(&format!(" {name}={}", value.as_str().map_or_else(|| value.to_string(), str::to_string))),
        }
    }
    line
}

/// Formats commands as `@1000 invoke Work {"a":1}`, `@2000 cancel Work Timeout`: milliseconds since the start, then the
/// command.
fn command_lines(report: &Report) -> Vec<String> {
    // Commands have no timestamps, so the journal is replayed to get them.
    let mut engine = Engine::new(report.engine.machine().clone(), *report.engine.options());
    let start = report.journal.entries().first().map_or(0, |(at, _)| at.0);
    let mut names = BTreeMap::new();
    let mut lines = Vec::new();
    for (now, event) in report.journal.entries() {
        engine.step(*now, event.clone()).expect("a journal can be fed again");
        let at = engine.clock().0 - start;
        for command in engine.take_commands() {
            match command {
                Command::Invoke(call) => {
                    let place: String = call.iterations.iter().map(|i| format!("[{i}]")).collect();
                    let name = format!("{}{place}", call.state_name);
                    lines.push(format!("@{at} invoke {name} {}", call.input));
                    names.insert(call.task, name);
                }
                Command::Cancel { task, reason } => lines.push(format!("@{at} cancel {} {}", names[&task], reason.as_str())),
                _ => {}
            }
        }
    }
    lines
}

struct Check<'a> {
    expect: &'a Expect,
    mismatches: Vec<Mismatch>,
    found: Map,
}

impl Check<'_> {
    fn mismatch(&mut self, text: String, rewritable: bool) {
        self.mismatches.push(Mismatch { text, rewritable });
    }

    /// Compares exactly: `1.0` is not `1`, and the order of members matters.
    fn value(&mut self, name: &str, expected: Option<&Value>, found: &Value) {
        match expected {
            Some(expected) if expected.to_string() == found.to_string() => {}
            Some(expected) => self.mismatch(format!("{name}\n  expected {expected}\n  found    {found}"), true),
            None => self.mismatch(format!("`{name}` is missing; found {found}"), true),
        }
        self.found.insert(name, found.clone());
    }

    /// Compares lines. An expected line may end after any whole word; `…` matches any number of lines.
    fn lines(&mut self, name: &str, expected: Option<&[String]>, found: &[String]) {
        let expected = expected.unwrap_or_default();
        if fits(expected, found) {
            let kept: Vec<Value> = expected.iter().map(|line| Value::from(line.clone())).collect();
            self.found.insert(name, kept);
            return;
        }
        let shown = found.join("\n    ");
        self.mismatch(format!("{name} differs; found\n    {shown}"), true);
        self.found.insert(name, found.iter().map(|line| Value::from(line.clone())).collect::<Vec<_>>());
    }

    fn verdict(self) -> Verdict {
        Verdict { mismatches: self.mismatches, found: Value::from(self.found) }
    }
}

fn fits(expected: &[String], found: &[String]) -> bool {
    match expected.split_first() {
        None => found.is_empty(),
        Some((line, rest)) if line == "…" => (0..=found.len()).any(|skipped| fits(rest, &found[skipped..])),
        Some((line, rest)) => found.split_first().is_some_and(|(first, others)| begins(first, line) && fits(rest, others)),
    }
}

fn begins(found: &str, expected: &str) -> bool {
    found.strip_prefix(expected).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}
