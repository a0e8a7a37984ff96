//! A recorded execution run again: does this definition do what AWS's history says?
//!
//! The recording gives the input and what each task answered, and when; the engine does the rest on virtual time. Tasks
//! are matched by state, iteration and input and never by their place in the file, because AWS promises no order across
//! branches. What the recording lacks is said and not guessed.

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

use crate::asl::ir::{Kind, Machine, MapMode, PathField, ResultPath, Task};
use crate::base::{Value, sort};
use crate::engine::{Engine, ExecutionInfo, Options};
use compare::compare;
use drive::{Given, Leftover, drive};
use read::{Answer, Ending, Recording};
use std::sync::Arc;

/// What a recording is run with.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReplayOptions {
    /// Quotas, and whether the machine is an EXPRESS one.
    pub engine: Options,
    /// The execution's names, which no history has; what differs by them alone is not compared.
    pub execution: ExecutionInfo,
    /// Seed of what is random.
    pub seed: u64,
}

impl Default for ReplayOptions {
    fn default() -> ReplayOptions {
        // Names that hardly stand in anybody's payloads by chance.
        let execution = ExecutionInfo::named("replayed-state-machine", "replayed-execution");
        ReplayOptions { engine: Options::default(), execution, seed: 0 }
    }
}

/// A gap in a recording.
#[derive(Clone, Debug, PartialEq)]
pub struct Missing {
    /// The event that lacks something, if it is about one.
    pub event: Option<u64>,
    /// What is missing and what follows from that.
    pub message: String,
}

/// What came of running a recording again.
#[derive(Clone, Debug)]
pub struct HistoryReplay {
    /// The first place where the definition does something else; `None` where there is none.
    pub divergence: Option<Divergence>,
    /// The first such place of every branch and iteration, in the order of the recording.
    pub divergences: Vec<Divergence>,
    /// What could not be compared for lack of data.
    pub missing: Vec<Missing>,
    /// Values that no run repeats: UUIDs, tokens, names, instants.
    pub unreproducible: Vec<Unreproducible>,
    /// The engine at the end of the replay, with its history.
    pub engine: Engine,
    /// The input of the recorded execution; `None` where the recording has left it out.
    pub input: Option<Value>,
    /// How many events of the recording were found again.
    pub compared: u64,
    /// How many events the recording has.
    pub recorded: u64,
    answers: Vec<Answer>,
}

/// Runs a recorded execution again and compares.
///
/// `definition` is the JSON of `machine`, for the words of a divergence's reason; `history` what `GetExecutionHistory`
/// returns (`{"events": […]}`, or the array), with timestamps as text or numbers.
///
/// Errors: `history` is no history.
pub fn replay_history(
    machine: Machine,
    definition: &Value,
    history: &Value,
    options: &ReplayOptions,
) -> Result<HistoryReplay, NotAHistory> {
    let theirs = Recording::read(history)?;
    let mut missing = Vec::new();
    let first = theirs.events.first();
    let begins = first.filter(|event| &*event.kind == "ExecutionStarted");
    if begins.is_none() {
        let message = "the recording does not begin with ExecutionStarted: earlier events are missing, so it cannot be replayed";
        missing.push(Missing { event: first.map(|event| event.id), message: message.into() });
    }
    let gap = theirs.events.windows(2).find_map(|pair| match pair {
        [a, b] if b.id != a.id + 1 => Some((a.id, b.id)),
        _ => None,
    });
    if let Some((before, after)) = gap {
        let message = format!("events {} to {} are not in the recording", before + 1, after.saturating_sub(1));
        missing.push(Missing { event: Some(before), message });
    }
    if theirs.end().is_none() {
        let message = "the recording ends while the execution is running: later events are not compared";
        missing.push(Missing { event: theirs.events.last().map(|event| event.id), message: message.into() });
    }
    let input = begins.and_then(|event| match event.payload("input") {
        read::Payload::Whole(value) => Some(value),
        read::Payload::Missing => None,
    });
    let answers = theirs.answers();
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
    let (machine, stand_ins) = with_stand_ins(machine, &answers);
    for name in &stand_ins {
        if let Some(answer) = answers.iter().find(|answer| answer.map_run && answer.state == *name) {
            let message = format!(
                "the children of the Distributed Map '{name}' are executions with their own histories: the replay uses the Map's recorded output"
            );
            missing.push(Missing { event: Some(answer.scheduled), message });
        }
    }
    let machine = Arc::new(machine);
    let given = drive(machine.clone(), &theirs, answers.clone(), input.clone(), options);
    let recorded = theirs.events.len() as u64;
    let Given { engine, tokens, leftover } = given;
    let found = compare::Subject { machine: &machine, definition, options, tokens: &tokens, stand_ins: &stand_ins };
    let mut outcome = match input {
        Some(_) => compare(&found, &theirs, &engine),
        None => compare::Outcome::default(),
    };
    if missing.iter().any(|gap| gap.event.is_some()) && outcome.divergences.is_empty() {
        // Where data is missing the way through the states still shows what the definition does not have.
        outcome.divergences.extend(compare::by_structure(&found, &theirs));
    }
    sort::by_key(&mut outcome.divergences, |divergence| divergence.place);
    note_leftovers(leftover, &outcome, &mut missing);
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

/// Calls that the recording has no answer for, where no divergence explains them.
fn note_leftovers(leftover: Vec<Leftover>, outcome: &compare::Outcome, missing: &mut Vec<Missing>) {
    if outcome.divergences.is_empty() {
        for Leftover { state } in leftover.into_iter().take(10) {
            let message = format!("the recording has no answer for a call of state '{state}': the replay waits there");
            missing.push(Missing { event: None, message });
        }
    }
}

/// The machine with a Task in place of each Distributed Map that ran, which answers with the state's recorded output.
fn with_stand_ins(mut machine: Machine, answers: &[Answer]) -> (Machine, Vec<Arc<str>>) {
    let mut names = Vec::new();
    let ids: Vec<_> = machine.states.iter().map(|(id, _)| id).collect();
    for id in ids {
        let state = &mut machine.states[id];
        let Kind::Map(map) = &state.kind else { continue };
        let ran = answers.iter().any(|answer| answer.map_run && answer.state == state.name);
        if map.mode == MapMode::Inline || !ran {
            continue;
        }
        names.push(state.name.clone());
        state.kind = Kind::Task(Task::of("recorded:mapRun".into()));
        // What the state makes of its results is in the recorded output already.
        state.input_path = PathField::Whole;
        state.parameters = None;
        state.result_selector = None;
        state.result_path = ResultPath::Whole;
        state.output_path = PathField::Whole;
        state.output = None;
    }
    (machine, names)
}
