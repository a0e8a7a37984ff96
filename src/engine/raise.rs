//! Raises errors: first to the state's Retry, then to its Catch, then to the enclosing frame (spec §5).

use super::advance::Ran;
use super::coverage::Branch;
use super::dataflow::{Place, View};
use super::event_type::EventType;
use super::fault::Fault;
use super::frame::{Frame, FrameId, Phase};
use super::history::Details;
use super::timers::TimerKind;
use super::{Engine, Handler, failure, retry};
use crate::asl::ir::{Kind, Machine, QueryLanguage, ResultPath, State};
use crate::base::{Map, Value};
use std::sync::Arc;

impl Engine {
    /// Applies Retry, then Catch. Without either the error goes to the enclosing frame.
    pub(super) fn raise(&mut self, machine: &Arc<Machine>, id: FrameId, mut frame: Box<Frame>, mut fault: Fault) {
        self.work.made_error();
        let state = &machine.states[frame.state];
        self.evaluation_failed(&mut frame, state, &mut fault);
        let mut run = match std::mem::replace(&mut frame.phase, Phase::Enter) {
            Phase::Joining(joining) => Some(joining),
            _ => None,
        };
        if self.options.trace {
            self.stage(&frame, state, "error", &fault.output());
            if let Some(stage) = self.trace.last_mut() {
                stage.failure = Some(failure::facts(state, &frame, &fault));
            }
        }
        if fault.is_fatal() {
            let (execution, tail) = (frame.execution, frame.tail);
            self.strand(id, &frame, None);
            self.frames.insert(id, frame);
            return self.fail_execution(execution, fault, tail);
        }
        self.note_retrier(state, &fault);
        if let Some((index, delay)) = retry::next_attempt(state, &mut frame, &fault, &mut self.rng) {
            self.handled(&fault, Handler::Retrier(delay));
            self.count_use(&frame, Branch::Retrier(index));
            self.store_handled_error(&frame, state, &fault, index, Some(delay));
            self.drop_stranded(frame.execution);
            if self.options.trace {
                let used = retry::used(&frame, index);
                let about = [("retrier", index as i64), ("attempt", used as i64), ("delayMilliseconds", delay as i64)];
                self.stage(
                    &frame,
                    state,
                    "retry",
                    &about.into_iter().map(|(name, n)| (name, Value::from(n))).collect::<Map>().into(),
                );
            }
            let timer = self.timers.add(self.clock.plus(delay), id, TimerKind::Backoff);
            frame.phase = Phase::Backoff { timer };
            self.frames.insert(id, frame);
            return;
        }
        let before = frame.tail;
        self.record_state_failed(&mut frame, state);
        if retry::catcher(state, &fault).is_some() {
            match self.catch(&mut frame, state, &fault) {
                Ok(flow) => {
                    self.drop_stranded(frame.execution);
                    return self.settle(machine, id, frame, Ok(flow));
                }
                // An error of a catcher is not caught by the other catchers (spec §6.2).
                Err(second) => {
                    fault = second;
                    run = None;
                    // The state fails a second time, after the expression of its catcher (measured of Parallel).
                    if fault.location.is_some() {
                        frame.tail = before;
                        self.evaluation_failed(&mut frame, state, &mut fault);
                        self.record_state_failed(&mut frame, state);
                    }
                }
            }
        }
        self.strand(id, &frame, run);
        let Some((parent, slot)) = frame.parent.filter(|_| !fault.is_fatal()) else {
            let (execution, tail) = (frame.execution, frame.tail);
            self.frames.insert(id, frame);
            return self.fail_execution(execution, fault, tail);
        };
        fault.origin = None;
        let failing_task = matches!(state.kind, Kind::Task(_));
        self.child_failed(machine, parent, slot, frame.tail, failing_task, fault);
    }

    /// Records that a Parallel or Map has failed.
    fn record_state_failed(&mut self, frame: &mut Frame, state: &State) {
        let event = match state.kind {
            Kind::Parallel { .. } => EventType::ParallelStateFailed,
            Kind::Map(_) => EventType::MapStateFailed,
            _ => return,
        };
        frame.tail = self.record(frame.execution, event, frame.tail, Details::None);
    }

    /// Records a failed JSONata field in the history, once, in the state in which it failed.
    pub(super) fn evaluation_failed(&mut self, frame: &mut Frame, state: &State, fault: &mut Fault) {
        if let Some(location) = fault.location.take() {
            let details =
                Details::Evaluation { error: fault.error.clone(), cause: fault.cause.clone(), location, state: state.name.clone() };
            frame.tail = self.record(frame.execution, EventType::EvaluationFailed, frame.tail, details);
        }
    }

    /// Runs the catcher that matches the error.
    pub(super) fn catch(&mut self, frame: &mut Frame, state: &State, fault: &Fault) -> Ran {
        let Some((index, catcher)) = retry::catcher(state, fault) else { return Err(fault.clone()) };
        self.handled(fault, Handler::Catcher(index));
        if self.options.trace {
            let next = self.machine.states[catcher.next].name.clone();
            let about = Map::from_iter([("catcher", Value::from(index as i64)), ("next", Value::from(next))]);
            self.stage(frame, state, "catch", &about.into());
        }
        let context = self.context(frame, state, None);
        let error_output = fault.output();
        let mut eval = self.eval(frame, state);
        let place = Place::Item(&Place::Field("Catch"), index);
        let (output, assigned) = match state.language {
            QueryLanguage::JsonPath => {
                let view = View::new(&error_output, &context, &frame.variables);
                let assigned = eval.assign(catcher.assign.as_ref(), &Place::Member(&place, "Assign"), &view)?;
                let at = Place::Member(&place, "ResultPath");
                (eval.result_path(&catcher.result_path, &at, &frame.input, error_output.clone())?, assigned)
            }
            QueryLanguage::Jsonata => {
                let view = View::new(&frame.input, &context, &frame.variables).with_error(&error_output);
                let assigned = eval.assign(catcher.assign.as_ref(), &Place::Member(&place, "Assign"), &view)?;
                let output = match &catcher.output {
                    Some(output) => eval.payload(output, &Place::Member(&place, "Output"), &view)?,
                    None => error_output.clone(),
                };
                (output, assigned)
            }
        };
        let known = state.language == QueryLanguage::JsonPath && matches!(catcher.result_path, ResultPath::Discard);
        self.check_exit(frame, state, &output, known, &assigned)?;
        self.store_handled_error(frame, state, fault, index, None);
        Ok(self.exit(frame, state, output, assigned, Branch::Catcher(index), Some(catcher.next)))
    }
}
