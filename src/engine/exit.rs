//! Completes a state: its result, the data flow after it, the limits of payloads, and the next state.

use super::Engine;
use super::advance::{Flow, Ran};
use super::coverage::Branch;
use super::dataflow::{Place, View};
use super::event_type::EventType;
use super::fault::{DATA_LIMIT, Fault, RUNTIME};
use super::frame::Frame;
use super::history::Details;
use super::limits::PAYLOAD_DEPTH;
use crate::asl::ir::{Kind, QueryLanguage, State, StateId};
use crate::base::{Map, Value, json};
use std::sync::Arc;

impl Engine {
    /// Completes a state that has a result: ResultSelector, Assign, ResultPath, OutputPath; or Assign and Output.
    pub(super) fn complete(&mut self, frame: &mut Frame, state: &State, result: Value) -> Ran {
        self.complete_measured(frame, state, result, None, false)
    }

    /// Completes a state whose result may have been measured before. `fits` says that it was, and that it is within the limits.
    pub(super) fn complete_measured(
        &mut self,
        frame: &mut Frame,
        state: &State,
        result: Value,
        token: Option<&Arc<str>>,
        fits: bool,
    ) -> Ran {
        let context = self.context(frame, state, token);
        self.stage(frame, state, "result", &result);
        let trace = self.options.trace;
        let mut eval = self.eval(frame, state);
        let (output, assigned) = match state.language {
            QueryLanguage::JsonPath => {
                let view = View::new(&result, &context, &frame.variables);
                let assigned = eval.assign(state.assign.as_ref(), &Place::Field("Assign"), &view)?;
                let selected = match &state.result_selector {
                    Some(template) => eval.template(template, &Place::Field("ResultSelector"), &view)?,
                    None => result,
                };
                let traced = trace.then(|| selected.clone());
                let merged = eval.result_path(&state.result_path, &Place::Field("ResultPath"), &frame.input, selected)?;
                let output = eval.path_field(
                    &state.output_path,
                    &Place::Field("OutputPath"),
                    &View::new(&merged, &context, &frame.variables),
                )?;
                if let Some(selected) = traced {
                    self.stage(frame, state, "afterResultSelector", &selected);
                    self.stage(frame, state, "afterResultPath", &merged);
                }
                (output, assigned)
            }
            QueryLanguage::Jsonata => {
                let view = View::new(&frame.input, &context, &frame.variables).with_result(&result);
                let assigned = eval.assign(state.assign.as_ref(), &Place::Field("Assign"), &view)?;
                let output = match &state.output {
                    Some(output) => eval.payload(output, &Place::Field("Output"), &view)?,
                    None => result.clone(),
                };
                (output, assigned)
            }
        };
        let known = (fits && state.passes_result()) || state.drops_result();
        self.check_exit(frame, state, &output, known, &assigned)?;
        Ok(self.exit(frame, state, output, assigned, Branch::Transition, state.next))
    }

    /// Completes a state that has no result of its own (Wait, Succeed, Choice): it passes its input on.
    pub(super) fn pass_on(&mut self, frame: &mut Frame, state: &State, effective: &Value, next: Option<StateId>) -> Ran {
        let context = self.context(frame, state, None);
        let mut eval = self.eval(frame, state);
        let view = View::new(effective, &context, &frame.variables);
        let assigned = eval.assign(state.assign.as_ref(), &Place::Field("Assign"), &view)?;
        let output = match state.language {
            QueryLanguage::JsonPath => eval.path_field(&state.output_path, &Place::Field("OutputPath"), &view)?,
            QueryLanguage::Jsonata => match &state.output {
                Some(output) => eval.payload(output, &Place::Field("Output"), &view)?,
                None => effective.clone(),
            },
        };
        let branch = if matches!(state.kind, Kind::Choice { .. }) { Branch::Default } else { Branch::Transition };
        self.check_exit(frame, state, &output, state.passes_input(), &assigned)?;
        Ok(self.exit(frame, state, output, assigned, branch, next))
    }

    /// Refuses an output or a variable that is too large. `known` says that the output was measured before. It must follow from
    /// the state's fields alone: if it compared the identity of two values, a restored engine would do other work than one that
    /// was never stored.
    pub(super) fn check_exit(
        &self,
        frame: &Frame,
        state: &State,
        output: &Value,
        known: bool,
        assigned: &[(Arc<str>, Value)],
    ) -> Result<(), Fault> {
        if !known {
            self.check_payload(frame, state, output)?;
        }
        for (name, value) in assigned {
            self.check_payload(frame, state, value).map_err(|fault| {
                let cause = format!("The variable '{name}' has a size exceeding the maximum number of bytes service limit.");
                if fault.is_fatal() { fault } else { Fault::new(DATA_LIMIT, cause) }
            })?;
        }
        Ok(())
    }

    /// Leaves a state with an output that was checked before: counts the exit, sets the variables, writes the event, and moves
    /// on.
    pub(super) fn exit(
        &mut self,
        frame: &mut Frame,
        state: &State,
        output: Value,
        assigned: Vec<(Arc<str>, Value)>,
        branch: Branch,
        next: Option<StateId>,
    ) -> Flow {
        self.count_use(frame, branch);
        if !assigned.is_empty() {
            let variables = Arc::make_mut(&mut frame.variables);
            for (name, value) in &assigned {
                variables.insert(name.clone(), value.clone());
            }
        }
        if self.options.trace {
            if !assigned.is_empty() {
                self.stage(frame, state, "assignedVariables", &Value::from(assigned.iter().cloned().collect::<Map>()));
            }
            self.stage(frame, state, "output", &output);
        }
        let details = Details::Exited { name: state.name.clone(), output: output.clone(), assigned };
        frame.tail = self.record(frame.execution, EventType::exited(&state.kind), frame.tail, details);
        match next {
            Some(next) => {
                frame.state = next;
                frame.input = output;
                Flow::Goto
            }
            None => Flow::End(output),
        }
    }

    /// Refuses a value that is too large to be passed on, or too deep for a recursion over it. Every value that gets into the
    /// history, a command or a frame has passed this check.
    pub(super) fn check_payload(&self, frame: &Frame, state: &State, value: &Value) -> Result<(), Fault> {
        match self.excess(value) {
            None => Ok(()),
            Some(json::Excess::Length) => Err(data_limit(&state.name)),
            Some(json::Excess::Depth) => {
                let cause = format!("The payload is nested deeper than {PAYLOAD_DEPTH} levels.");
                Err(Fault::of_state(RUNTIME, &state.name, frame.entered_event, &cause))
            }
        }
    }

    /// Returns how a value exceeds the limits of a payload.
    pub(super) fn excess(&self, value: &Value) -> Option<json::Excess> {
        match value {
            // Even if a limit is shorter than a number, it is meant for containers and strings.
            Value::Null | Value::Bool(_) | Value::Number(_) => None,
            _ => {
                let measured = json::measure(value, self.options.payload_limit, PAYLOAD_DEPTH);
                self.work.measured(measured.unwrap_or(self.options.payload_limit));
                measured.err()
            }
        }
    }
}

/// The States.DataLimitExceeded error of a state or task.
pub(super) fn data_limit(name: &str) -> Fault {
    let cause =
        format!("The state/task '{name}' returned a result with a size exceeding the maximum number of bytes service limit.");
    Fault::new(DATA_LIMIT, cause)
}
