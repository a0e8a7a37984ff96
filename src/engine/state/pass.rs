//! Pass: passes on its input, its Result or its Parameters (spec §2.1, §7.1).

use crate::asl::ir::{QueryLanguage, State};
use crate::base::Value;
use crate::engine::Engine;
use crate::engine::advance::Ran;
use crate::engine::dataflow::{Place, View};
use crate::engine::frame::Frame;

pub(in crate::engine) fn run(engine: &mut Engine, frame: &mut Frame, state: &State, result: Option<&Value>) -> Ran {
    if state.language == QueryLanguage::Jsonata {
        let input = frame.input.clone();
        return engine.pass_on(frame, state, &input, state.next);
    }
    if let Some(result) = result {
        return engine.complete(frame, state, result.clone());
    }
    let context = engine.context(frame, state, None);
    let eval = engine.eval(frame, state);
    let effective =
        eval.path_field(&state.input_path, &Place::Field("InputPath"), &View::new(&frame.input, &context, &frame.variables))?;
    engine.stage(frame, state, "afterInputPath", &effective);
    let payload = match &state.parameters {
        Some(parameters) => engine.eval(frame, state).payload(
            parameters,
            &Place::Field("Parameters"),
            &View::new(&effective, &context, &frame.variables),
        )?,
        None => effective,
    };
    engine.stage(frame, state, "afterParameters", &payload);
    engine.complete_measured(frame, state, payload, None, state.calls_with_input())
}
