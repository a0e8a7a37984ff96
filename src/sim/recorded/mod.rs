//! Runs a recorded execution again and checks whether the definition does what AWS's history says.
//!
//! The recording contains the input, and the answer of each task with its time; the engine computes the rest in virtual time.
//! Tasks are matched by state, iteration and input, and never by their position in the file, because AWS guarantees no order
//! across branches. Data that the recording lacks is reported and not guessed.

mod compare;
mod drive;
mod read;
mod reason;
mod report;
#[cfg(test)]
mod tests;
mod texts;

pub use compare::{Divergence, Unreproducible};
pub use read::NotAHistory;

use crate::asl::ir::{JsonataTemplate, Kind, Machine, MapMode, PathField, Payload, ResultPath, Task};
use crate::base::{Value, sort};
use crate::engine::{Engine, ExecutionInfo, Options};
use compare::compare;
use drive::{Run, UnansweredCall, drive};
use read::{Answer, Ending, Recording};
use std::sync::Arc;

/// The settings of a replay.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReplayOptions {
    /// The quotas, and whether the machine is of type EXPRESS.
    pub engine: Options,
    /// The execution's names, which a history does not contain. Values that differ only in them are not compared.
    pub execution: ExecutionInfo,
    /// The seed of random values.
    pub seed: u64,
}

impl Default for ReplayOptions {
    fn default() -> ReplayOptions {
        // These names are unlikely to occur in a payload by chance.
        let execution = ExecutionInfo::named("replayed-state-machine", "replayed-execution");
        ReplayOptions { engine: Options::default(), execution, seed: 0 }
    }
}

/// A gap in a recording.
#[derive(Clone, Debug, PartialEq)]
pub struct Missing {
    /// The id of the event that lacks something, if it is about one.
    pub event: Option<u64>,
    /// What is missing, and the consequence.
    pub message: String,
}

/// The result of a replay.
#[derive(Clone, Debug)]
pub struct HistoryReplay {
    /// The first point at which the definition does something else; `None` if there is none.
    pub divergence: Option<Divergence>,
    /// The first such point of every branch and iteration, in the order of the recording.
    pub divergences: Vec<Divergence>,
    /// Parts that could not be compared because of missing data.
    pub missing: Vec<Missing>,
    /// Values that no run can reproduce: UUIDs, tokens, names, timestamps.
    pub unreproducible: Vec<Unreproducible>,
    /// The engine at the end of the replay, with its history.
    pub engine: Engine,
    /// The input of the recorded execution; `None` if the recording does not contain it.
    pub input: Option<Value>,
    /// The number of recorded events that the replay has too.
    pub compared: u64,
    /// The number of events in the recording.
    pub recorded: u64,
    answers: Vec<Answer>,
}

/// Runs a recorded execution again and compares the histories.
///
/// `definition` is the JSON of `machine`; the reasons of divergences quote it. `history` is the response of
/// `GetExecutionHistory` (`{"events": […]}`, or the array), with timestamps as text or numbers.
///
/// Errors: `history` is not a history.
pub fn replay_history(
    machine: Machine,
    definition: &Value,
    history: &Value,
    options: &ReplayOptions,
) -> Result<HistoryReplay, NotAHistory> {
    let recording = Recording::read(history)?;
    let mut missing = Vec::new();
    let first = recording.events.first();
    let begins = first.filter(|event| &*event.kind == "ExecutionStarted");
    if begins.is_none() {
        let message = "the recording does not begin with ExecutionStarted: earlier events are missing, so it cannot be replayed";
        missing.push(Missing { event: first.map(|event| event.id), message: message.into() });
    }
    let gap = recording.events.windows(2).find_map(|pair| match pair {
        [a, b] if b.id != a.id + 1 => Some((a.id, b.id)),
        _ => None,
    });
    if let Some((before, after)) = gap {
        let message = format!("events {} to {} are not in the recording", before + 1, after.saturating_sub(1));
        missing.push(Missing { event: Some(before), message });
    }
    if recording.end().is_none() {
        let message = "the recording ends while the execution is running: later events are not compared";
        missing.push(Missing { event: recording.events.last().map(|event| event.id), message: message.into() });
    }
    let input = begins.and_then(|event| match event.payload("input") {
        read::Payload::Whole(value) => Some(value),
        read::Payload::Missing => None,
    });
    let answers = recording.answers();
    if begins.is_some() && input.is_none() {
        let message = "the recording has no input (includeExecutionData was false, or it was truncated): only the path through the states is compared";
        missing.push(Missing { event: first.map(|event| event.id), message: message.into() });
    }
    for answer in &answers {
        if matches!(answer.ending, Ending::Unknown) {
            let message =
                format!("the result of the task in state '{}' is not in the recording: the replay stops there", answer.state);
            missing.push(Missing { event: answer.ended.map(|(id, _)| id), message });
        }
    }
    let (machine, replaced_maps) = replace_distributed_maps(machine, &answers);
    for name in &replaced_maps {
        if let Some(answer) = answers.iter().find(|answer| answer.map_run && answer.state == *name) {
            let message = format!(
                "the children of the Distributed Map '{name}' are executions with their own histories: the replay uses the Map's recorded output"
            );
            missing.push(Missing { event: Some(answer.scheduled), message });
        }
    }
    let machine = Arc::new(machine);
    let given = drive(machine.clone(), &recording, answers.clone(), input.clone(), options);
    let recorded = recording.events.len() as u64;
    let Run { engine, tokens, leftover } = given;
    let found = compare::Subject { machine: &machine, definition, options, tokens: &tokens, replaced_maps: &replaced_maps };
    let mut outcome = match input {
        Some(_) => compare(&found, &recording, &engine),
        None => compare::Outcome::default(),
    };
    if missing.iter().any(|gap| gap.event.is_some()) && outcome.divergences.is_empty() {
        // If data is missing, the sequence of states still shows what the definition lacks.
        outcome.divergences.extend(compare::by_structure(&found, &recording));
    }
    sort::by_key(&mut outcome.divergences, |divergence| divergence.place);
    report_unanswered_calls(leftover, &outcome, &mut missing);
    Ok(HistoryReplay {
        divergence: outcome.divergences.first().cloned(),
        divergences: outcome.divergences,
        missing,
        unreproducible: outcome.unreproducible,
        engine,
        input,
        compared: outcome.compared,
        recorded,
        answers,
    })
}

/// Reports calls without a recorded answer that no divergence explains.
fn report_unanswered_calls(leftover: Vec<UnansweredCall>, outcome: &compare::Outcome, missing: &mut Vec<Missing>) {
    if outcome.divergences.is_empty() {
        for UnansweredCall { state } in leftover.into_iter().take(10) {
            let message = format!("the recording has no answer for a call of state '{state}': the replay waits there");
            missing.push(Missing { event: None, message });
        }
    }
}

/// Replaces each Distributed Map that ran by a Task that answers with the state's recorded output.
fn replace_distributed_maps(mut machine: Machine, answers: &[Answer]) -> (Machine, Vec<Arc<str>>) {
    let mut names = Vec::new();
    let ids: Vec<_> = machine.states.iter().map(|(id, _)| id).collect();
    for id in ids {
        let state = &mut machine.states[id];
        let Kind::Map(map) = &state.kind else { continue };
        let ran = answers.iter().rfind(|answer| answer.map_run && answer.state == state.name);
        let Some(ran) = ran.filter(|_| map.mode != MapMode::Inline) else { continue };
        names.push(state.name.clone());
        state.kind = Kind::Task(Task::of("recorded:mapRun".into()));
        // The recorded output already includes what the state's fields do with its result.
        state.input_path = PathField::Whole;
        state.parameters = None;
        state.result_selector = None;
        state.result_path = ResultPath::Whole;
        state.output_path = PathField::Whole;
        state.output = None;
        // Assign may read the result, which no history has. A Map that ran several times assigns what it assigned last.
        if state.assign.is_some() {
            let assigned = ran.assigned.clone().unwrap_or_else(Value::empty_object);
            state.assign = Some(Payload::Jsonata(JsonataTemplate::Literal(assigned)));
        }
    }
    (machine, names)
}
