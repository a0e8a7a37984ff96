//! Moves frames: the ready queue, timers, transitions, errors and ends.

use super::command::{CancelReason, Outcome};
use super::coverage::Branch;
use super::dataflow::Eval;
use super::event::Event;
use super::event_type::EventType;
use super::fault::{Fault, RUNTIME};
use super::frame::{Frame, FrameId, MapItem, Phase};
use super::history::Details;
use super::timers::{TimerKey, TimerKind};
use super::{Engine, Stage, context, state};
use crate::asl::ir::{Kind, Machine, State};
use crate::base::Value;
use std::sync::Arc;

/// The outcome of running a state once.
pub(super) enum Flow {
    /// The state waits for a timer, a task or its children; the frame's phase says for which.
    Wait,
    /// The state has exited. The frame is at the next state, with its input.
    Goto,
    /// The state was the last one of its `States` object.
    End(Value),
}

pub(super) type Ran = Result<Flow, Fault>;

impl Engine {
    /// Runs ready frames in the order in which they became ready, while the budget lasts. Returns whether none is left.
    pub(super) fn drain(&mut self, budget: &mut u32) -> bool {
        while self.outcome.is_none() {
            if !self.has_more() {
                return true;
            }
            if self.work.is_done() {
                return false;
            }
            if !self.readings.is_empty() {
                self.continue_reading();
                continue;
            }
            if let Some(id) = self.unfinished_maps.first().map(|(id, ())| *id) {
                self.unfinished_maps.remove(&id);
                self.continue_map(id);
                continue;
            }
            if *budget == 0 {
                return false;
            }
            *budget -= 1;
            if let Some(id) = self.ready.pop_front() {
                self.advance(id);
            }
        }
        true
    }

    pub(super) fn apply(&mut self, event: Event) {
        if self.outcome.is_some() && !matches!(event, Event::Redrive) {
            return;
        }
        self.work.begin_state();
        match event {
            Event::Start { input, execution, seed } => self.start(input, execution, seed),
            // Due timers have fired already, and `step_within` has restarted the clocks of tasks before that.
            Event::Tick | Event::Recovered { .. } => {}
            Event::Redrive => self.redrive(),
            Event::Stop { error, cause } => {
                let Fault { error, cause, .. } = Fault::of_task(error, cause);
                let details = Details::Failure { error: error.clone(), cause: cause.clone() };
                self.record(0, EventType::ExecutionAborted, 0, details);
                self.finish(Outcome::Aborted { error, cause }, CancelReason::Stopped);
            }
            Event::Cancel { cause, spared, within } => self.cancel_waiting(cause, &spared, within.as_ref()),
            Event::UpdateMapRun { arn, change } => self.update_map_run(&arn, &change),
            Event::ChildEnded { map_run, end } => self.external_child_ended(&map_run, &end),
            Event::TaskScheduled { task } => self.task_scheduled(task),
            Event::TaskStarted { task, worker } => self.task_started(task, worker),
            Event::TaskSubmitted { task, output } => self.task_submitted(task, output),
            Event::TaskSucceeded { task, output } => self.task_ended(task, Ok(output)),
            Event::ItemsRead { task, text, file } => self.items_answered(task, text, file),
            Event::TaskFailed { task, error, cause } => self.task_ended(task, Err(Fault::of_task(error, cause))),
            Event::TaskHeartbeat { task } => self.task_heartbeat(task),
        }
    }

    fn advance(&mut self, id: FrameId) {
        let Some(mut frame) = self.frames.remove(&id) else { return };
        let machine = self.machine.clone();
        self.work.begin_state();
        let ran = match frame.phase {
            Phase::Enter => self.enter(&machine, id, &mut frame),
            Phase::Again => self.act(&machine, id, &mut frame),
            Phase::Resume(_) => state::map::resume(self, &machine, id, &mut frame),
            // Invariant: only frames in those three phases are queued. Any other frame continues to wait.
            _ => Ok(Flow::Wait),
        };
        self.settle(&machine, id, frame, ran);
    }

    /// Enters the frame's state for the first time.
    fn enter(&mut self, machine: &Arc<Machine>, id: FrameId, frame: &mut Frame) -> Ran {
        let state = &machine.states[frame.state];
        frame.attempts.clear();
        frame.retries = 0;
        if let Some(probe) = &self.probe {
            frame.attempts = vec![probe.attempts; state.retry.len()];
            frame.retries = u32::try_from(probe.attempts).unwrap_or(u32::MAX);
        }
        frame.entered = self.clock;
        let details = Details::Entered { name: state.name.clone(), input: frame.input.clone() };
        frame.entered_event = self.record(frame.execution, EventType::entered(&state.kind), frame.tail, details);
        frame.tail = frame.entered_event;
        self.count_use(frame, Branch::Entered);
        if self.is_full(frame.execution) {
            return Ok(Flow::Wait);
        }
        self.act(machine, id, frame)
    }

    /// Runs the frame's state: its first attempt, or another one.
    fn act(&mut self, machine: &Arc<Machine>, id: FrameId, frame: &mut Frame) -> Ran {
        let state = &machine.states[frame.state];
        match &state.kind {
            Kind::Pass { result } => state::pass::run(self, frame, state, result.as_ref()),
            Kind::Task(task) => state::task::run(self, id, frame, state, task),
            Kind::Choice { rules, default } => state::choice::run(self, frame, state, rules, *default),
            Kind::Wait(wait) => state::wait::run(self, id, frame, state, wait),
            Kind::Succeed => state::terminal::succeed(self, frame, state),
            Kind::Fail { error, cause } => state::terminal::fail(self, frame, state, error.as_ref(), cause.as_ref()),
            Kind::Parallel { branches } => state::parallel::run(self, id, frame, state, branches),
            Kind::Map(map) => state::map::run(self, id, frame, state, map),
        }
    }

    /// Puts a frame back and continues with the outcome of its state.
    pub(super) fn settle(&mut self, machine: &Arc<Machine>, id: FrameId, mut frame: Box<Frame>, ran: Ran) {
        let execution = frame.execution;
        if self.is_full(execution) {
            let limit = self.options.history_limit;
            let cause = format!("The execution reached the maximum number of history events ({limit}).");
            let tail = frame.tail;
            self.frames.insert(id, frame);
            return self.fail_execution(execution, Fault::new(RUNTIME, cause), tail);
        }
        match ran {
            Ok(Flow::Wait) => {
                self.frames.insert(id, frame);
            }
            Ok(Flow::Goto) => {
                frame.phase = Phase::Enter;
                self.frames.insert(id, frame);
                self.ready.push_back(id);
            }
            Ok(Flow::End(output)) => self.leave(machine, &frame, output),
            Err(fault) => self.raise(machine, id, frame, fault),
        }
    }

    /// Ends a scope with its output: the execution succeeds, or the waiting Parallel or Map gets one more result.
    fn leave(&mut self, machine: &Arc<Machine>, frame: &Frame, output: Value) {
        if let Some((parent, slot)) = frame.parent {
            return self.child_ended(machine, parent, slot, frame.tail, output);
        }
        self.record(frame.execution, EventType::ExecutionSucceeded, frame.tail, Details::Output(output.clone()));
        if frame.execution == 0 {
            self.finish(Outcome::Succeeded { output }, CancelReason::SiblingFailed);
        } else {
            self.child_execution_ended(machine, frame.execution, Ok(output), false);
        }
    }

    /// Handles a timer that is due.
    pub(super) fn fire(&mut self, key: TimerKey, owner: u32, kind: TimerKind) {
        if self.outcome.is_some() {
            return;
        }
        self.work.begin_state();
        match kind {
            TimerKind::Execution => self.execution_timed_out(owner),
            TimerKind::Timeout | TimerKind::Heartbeat => self.task_timed_out(owner, kind == TimerKind::Heartbeat),
            TimerKind::Backoff | TimerKind::Wait => {
                let Some(mut frame) = self.frames.remove(&owner) else { return };
                let machine = self.machine.clone();
                match frame.phase {
                    Phase::Backoff { timer } if timer == key => {
                        frame.phase = Phase::Again;
                        self.frames.insert(owner, frame);
                        self.ready.push_back(owner);
                    }
                    Phase::Sleeping { timer } if timer == key => {
                        frame.phase = Phase::Enter;
                        let state = &machine.states[frame.state];
                        let ran = state::wait::wake(self, &mut frame, state);
                        self.settle(&machine, owner, frame, ran);
                    }
                    _ => {
                        self.frames.insert(owner, frame);
                    }
                }
            }
        }
    }

    /// Adds an event to an execution's history.
    pub(super) fn record(&mut self, execution: u32, event_type: EventType, previous: u64, details: Details) -> u64 {
        let Some(recorder) = self.executions.get_mut(&execution).map(|execution| &mut execution.recorder) else { return previous };
        let before = recorder.last;
        let id = recorder.add(self.clock, event_type, previous, details);
        self.work.wrote_event(execution == 0);
        if execution > 0 && recorder.last > before && self.reports_children() {
            self.report_child_event(execution);
        }
        id
    }

    pub(super) fn is_full(&self, execution: u32) -> bool {
        self.executions.get(&execution).is_some_and(|e| e.recorder.full)
    }

    /// Returns the Context Object if a field of the state reads it, else null.
    #[inline(always)]
    pub(super) fn context(&self, frame: &Frame, state: &State, token: Option<&Arc<str>>) -> Value {
        if !state.uses_context && self.probe.is_none() {
            return Value::Null;
        }
        self.context_with(frame, state, token, frame.item.as_deref())
    }

    /// Returns the Context Object with the given `Map.Item`.
    pub(super) fn context_with(&self, frame: &Frame, state: &State, token: Option<&Arc<str>>, item: Option<&MapItem>) -> Value {
        if let Some(context) = self.probe.as_ref().and_then(|probe| probe.context.as_ref()) {
            return context.clone();
        }
        match self.executions.get(&frame.execution) {
            Some(execution) if state.uses_context => context::build(execution, frame, state, token, item),
            _ => Value::Null,
        }
    }

    /// Returns the evaluator of a state's fields.
    pub(super) fn eval<'a>(&'a mut self, frame: &Frame, state: &'a State) -> Eval<'a> {
        Eval { rng: &mut self.rng, work: &self.work, now: self.clock, state: &state.name, entered: frame.entered_event }
    }

    /// Records a stage of data flow for inspection.
    #[inline(always)]
    pub(super) fn stage(&mut self, frame: &Frame, state: &State, stage: &'static str, value: &Value) {
        if self.options.trace {
            self.add_stage(frame, state, stage, None, value);
        }
    }

    /// Records a stage that a Map has for each item or batch.
    #[inline(always)]
    pub(super) fn item_stage(&mut self, frame: &Frame, state: &State, stage: &'static str, index: u32, value: &Value) {
        if self.options.trace {
            self.add_stage(frame, state, stage, Some(index), value);
        }
    }

    #[cold]
    #[inline(never)]
    pub(super) fn add_stage(&mut self, frame: &Frame, state: &State, stage: &'static str, index: Option<u32>, value: &Value) {
        let execution = self.executions.get(&frame.execution);
        self.trace.push(Stage {
            state: state.name.clone(),
            entered_event: frame.entered_event,
            after: execution.map_or(0, |e| e.recorder.last),
            child: self.child_name(frame),
            stage,
            index,
            value: value.clone(),
            failure: None,
        });
    }
}
