//! Succeed and Fail (spec §7.1).

use crate::asl::ir::{Field, QueryLanguage, State};
use crate::engine::Engine;
use crate::engine::advance::Ran;
use crate::engine::dataflow::{Place, View};
use crate::engine::fault::Fault;
use crate::engine::frame::Frame;
use std::sync::Arc;

pub(in crate::engine) fn succeed(engine: &mut Engine, frame: &mut Frame, state: &State) -> Ran {
    let effective = match state.language {
        QueryLanguage::Jsonata => frame.input.clone(),
        QueryLanguage::JsonPath => {
            let context = engine.context(frame, state, None);
            let view = View::new(&frame.input, &context, &frame.variables);
            engine.eval(frame, state).path_field(&state.input_path, &Place::Field("InputPath"), &view)?
        }
    };
    engine.stage(frame, state, "afterInputPath", &effective);
    engine.pass_on(frame, state, &effective, None)
}

/// Raises the state's error. Both parts may be missing; then the failure has no details.
pub(in crate::engine) fn fail(
    engine: &mut Engine,
    frame: &mut Frame,
    state: &State,
    error: Option<&Field<Arc<str>>>,
    cause: Option<&Field<Arc<str>>>,
) -> Ran {
    let context = engine.context(frame, state, None);
    engine.stage(frame, state, "afterInputPath", &frame.input);
    let mut eval = engine.eval(frame, state);
    let view = View::new(&frame.input, &context, &frame.variables);
    let error = error.map(|field| eval.text(field, "Error", &view)).transpose()?;
    let cause = cause.map(|field| eval.text(field, "Cause", &view)).transpose()?;
    Err(Fault::raised(error, cause))
}
