//! Words a divergence: the difference, and the most likely reason.

use super::compare::{Subject, headline};
use super::read::Event;
use crate::asl::ir::{Kind, State};
use crate::asl::nearest;
use crate::base::Value;

/// The facts about a divergence.
#[derive(Default)]
pub(super) struct Situation<'a> {
    pub(super) state: Option<&'a str>,
    pub(super) expected: Option<&'a Event>,
    pub(super) got: Option<&'a Event>,
    /// The last event that both histories have.
    pub(super) last: Option<&'a Event>,
    pub(super) aspect: &'static str,
    pub(super) pointer: Option<&'a str>,
}

/// Returns one sentence with both values.
pub(super) fn message(situation: &Situation, expected: &Value, got: &Value) -> String {
    let state = situation.state.map(|name| format!(" of state '{name}'")).unwrap_or_default();
    let place = situation.pointer.filter(|at| !at.is_empty()).map(|at| format!(" at {at}")).unwrap_or_default();
    let (expected, got) = (brief(expected), brief(got));
    match situation.aspect {
        "event" | "state" => {
            let side = |event: Option<&Event>, value: &str| match event {
                Some(event) => headline(event).as_str().unwrap_or_default().to_string(),
                None if value == "null" => "nothing".to_string(),
                None => value.to_string(),
            };
            format!("the recording has {}, the definition {}", side(situation.expected, &expected), side(situation.got, &got))
        }
        "wait" => format!("the wait{state} took {expected} s in the recording and takes {got} s now"),
        aspect => format!("the {aspect}{state} differs{place}: recorded {expected}, now {got}"),
    }
}

fn brief(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= 120 { text } else { text.chars().take(119).chain(['…']).collect() }
}

/// Returns the most likely reason, derived from the definition.
pub(super) fn of(subject: &Subject, situation: &Situation) -> Option<String> {
    let recorded_state = situation.expected.and_then(Event::state).or(situation.state);
    if let Some(name) = recorded_state
        && subject.state(name).is_none()
    {
        let names = || subject.machine.states.iter().map(|(_, state)| &*state.name);
        let meant = nearest(name, names()).map(|near| format!("; it has '{near}'")).unwrap_or_default();
        return Some(format!("The definition has no state '{name}'{meant}: the state has been removed or renamed."));
    }
    let name = situation.state?;
    let state = subject.state(name).and_then(|id| subject.machine.states.get(id))?;
    let (expected, got) = (situation.expected, situation.got);
    let kind = |event: Option<&Event>| event.map_or("", |event| &event.kind).to_string();
    let last_state = situation.last.and_then(Event::state);
    let before = last_state.and_then(|name| subject.state(name)).and_then(|id| subject.machine.states.get(id));
    if let Some(reason) = [Some(state), before].into_iter().flatten().find_map(|state| random(subject, state)) {
        return Some(reason);
    }
    match situation.aspect {
        "event" | "state" => {
            if let (Some(before), true) = (last_state, kind(expected).ends_with("Entered"))
                && let Some(before) = subject.state(before).and_then(|id| subject.machine.states.get(id))
            {
                return Some(match &before.kind {
                    Kind::Choice { .. } => format!(
                        "The rules of Choice state '{}' lead to another state with this input: they have changed.",
                        before.name
                    ),
                    _ if kind(got).ends_with("Entered") => {
                        format!("The Next (or the Catch) of state '{}' leads to another state: it has changed.", before.name)
                    }
                    _ => format!("The definition ends with state '{}'.", before.name),
                });
            }
            if kind(expected).ends_with("Entered") && kind(got).ends_with("Entered") {
                return Some(format!("State '{name}' has a different Type in the definition, or another state has replaced it."));
            }
            if kind(expected).ends_with("Scheduled") && situation.last.is_some_and(failed) {
                return Some(format!("The recorded execution retried once more: the Retry of state '{name}' has changed."));
            }
            if kind(got).ends_with("Scheduled") && situation.last.is_some_and(failed) {
                return Some(format!(
                    "The definition retries once more than the recorded execution: the Retry of state '{name}' has changed."
                ));
            }
            if kind(expected).ends_with("TimedOut") {
                return Some(match &state.kind {
                    Kind::Task(task) if task.timeout.is_none() && task.heartbeat.is_none() => {
                        format!(
                            "The recorded call timed out, but state '{name}' has no TimeoutSeconds or HeartbeatSeconds in the definition."
                        )
                    }
                    _ => format!("The timeouts of state '{name}' differ from the recorded ones."),
                });
            }
            if kind(got).ends_with("TimedOut") {
                return Some("The timeouts of the definition are shorter than the recorded ones.".to_string());
            }
            if let Some(event) = got.filter(|event| failed(event) || &*event.kind == "ExecutionFailed") {
                let text = |member: &str| event.text(member).unwrap_or_default().to_string();
                let handled = if situation.last.is_some_and(failed) {
                    format!(" The Catch of state '{name}' may have changed.")
                } else {
                    String::new()
                };
                return Some(format!("The definition fails here: {} {}{handled}", text("error"), text("cause")).trim().to_string());
            }
            if situation.last.is_some_and(failed) {
                return Some(format!("The error is handled differently: the Retry or the Catch of state '{name}' has changed."));
            }
            if got.is_none() {
                return Some(format!(
                    "The replay waits in state '{name}': the recording does not continue there, or the definition calls a task that was never called."
                ));
            }
            None
        }
        "input" if kind(expected).ends_with("Scheduled") => {
            let fields =
                if state.language == crate::asl::ir::QueryLanguage::Jsonata { "Arguments" } else { "InputPath or Parameters" };
            Some(format!("{fields} of state '{name}' make a different request from the same input."))
        }
        "input" => Some("The previous state has a different output.".to_string()),
        "output" => Some(match &state.kind {
            Kind::Pass { .. } => format!("The fields of Pass state '{name}' make a different output from the same input."),
            Kind::Choice { .. } => {
                format!("Another rule of Choice state '{name}' applies, or its output has changed.")
            }
            Kind::Parallel { .. } | Kind::Map(_) => {
                format!("State '{name}' makes a different output from the results of its branches or iterations.")
            }
            _ => format!(
                "State '{name}' makes a different output from the same result: ResultSelector, ResultPath, OutputPath or Output have changed."
            ),
        }),
        "variables" => Some(format!("Assign of state '{name}' sets different values.")),
        "length" => Some(format!("State '{name}' has different items: ItemsPath, Items or an earlier state has changed.")),
        "resource" => Some(format!("The Resource of state '{name}' has changed.")),
        "wait" => Some(format!("Seconds or Timestamp of state '{name}' has changed.")),
        _ => None,
    }
}

fn failed(event: &Event) -> bool {
    event.kind.ends_with("Failed") || event.kind.ends_with("TimedOut")
}

/// Finds an expression of a state whose value differs in each run.
fn random(subject: &Subject, state: &State) -> Option<String> {
    let mut place = subject.definition;
    for step in state.pointer.steps() {
        let next = place.get(&step).or_else(|| step.parse().ok().and_then(|i| place.at(i)));
        place = next?;
    }
    let text = place.to_string();
    let own = &subject.options.execution;
    let unnamed = own.name.starts_with("replayed-") || own.arn.contains(":replayed-");
    let named = [
        "$$.Execution.Id",
        "$$.Execution.Name",
        "$$.StateMachine",
        "context.Execution.Id",
        "context.Execution.Name",
        "context.StateMachine",
    ];
    if unnamed && state.kind.type_name() == "Choice" && named.into_iter().any(|name| text.contains(name)) {
        let message = "State '{}' reads the execution's names, which histories do not have: pass them to the replay.";
        return Some(message.replace("{}", &state.name));
    }
    let names = ["$random(", "$uuid(", "$shuffle(", "$now(", "$millis(", "States.MathRandom", "States.UUID"];
    let found = names.into_iter().find(|name| text.contains(name))?;
    let name = found.trim_end_matches('(');
    Some(format!("State '{}' uses {name}, which is different in every execution.", state.name))
}
