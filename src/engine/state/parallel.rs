//! Parallel: runs all branches at once. Its result is an array with the output of each, in the order of the branches (spec
//! §7.3).

use crate::asl::ir::{QueryLanguage, ScopeId, State};
use crate::base::{Map, Value};
use crate::engine::Engine;
use crate::engine::advance::{Flow, Ran};
use crate::engine::dataflow::{Place, View};
use crate::engine::event_type::EventType;
use crate::engine::frame::{Frame, FrameId, Joining, Phase};
use crate::engine::history::Details;
use std::sync::Arc;

pub(in crate::engine) fn run(engine: &mut Engine, id: FrameId, frame: &mut Frame, state: &State, branches: &[ScopeId]) -> Ran {
    let context = engine.context(frame, state, None);
    let mut eval = engine.eval(frame, state);
    let raw = View::new(&frame.input, &context, &frame.variables);
    let (effective, name) = match state.language {
        QueryLanguage::JsonPath => (eval.path_field(&state.input_path, &Place::Field("InputPath"), &raw)?, "Parameters"),
        QueryLanguage::Jsonata => (frame.input.clone(), "Arguments"),
    };
    let input = match &state.parameters {
        Some(parameters) => eval.payload(parameters, &Place::Field(name), &raw.on(&effective))?,
        None => effective.clone(),
    };
    engine.stage(frame, state, "afterInputPath", &effective);
    engine.stage(frame, state, if name == "Parameters" { "afterParameters" } else { "afterArguments" }, &input);
    engine.check_payload(frame, state, &input)?;
    frame.tail = engine.record(frame.execution, EventType::ParallelStateStarted, frame.tail, Details::None);
    if let Some(result) = engine.mocked() {
        return engine.complete(frame, state, result?);
    }
    let mut joining =
        Joining { results: vec![None; branches.len()], started_event: frame.tail, last_tail: frame.tail, ..Joining::default() };
    for (slot, scope) in branches.iter().enumerate() {
        let parent = Some((id, slot as u32));
        let variables: Arc<Map> = frame.variables.clone();
        let child = engine.spawn(frame.execution, parent, *scope, input.clone(), variables, frame.item.clone(), frame.tail);
        joining.children.insert(slot as u32, child);
    }
    joining.next = branches.len() as u32;
    frame.phase = Phase::Joining(Box::new(joining));
    Ok(Flow::Wait)
}

/// Completes the state after all branches have ended.
pub(in crate::engine) fn join(engine: &mut Engine, frame: &mut Frame, state: &State, joining: Joining) -> Ran {
    frame.tail = joining.last_tail;
    let succeeded = engine.record(frame.execution, EventType::ParallelStateSucceeded, frame.tail, Details::None);
    let results: Vec<Value> = joining.results.into_iter().flatten().collect();
    // The exit follows the last branch; an error follows the success of the branches (recorded, and measured).
    engine.complete(frame, state, Value::from(results)).inspect_err(|_| frame.tail = succeeded)
}
