//! How frames move: the ready queue, timers, transitions, errors, ends.

use super::command::{CancelReason, ChildExecution, Command, Outcome};
use super::coverage::Branch;
use super::dataflow::{Eval, View};
use super::event::{Event, ExecutionInfo};
use super::event_type::EventType;
use super::fault::{DATA_LIMIT, Fault, RUNTIME};
use super::frame::{Frame, FrameId, Joining, MapItem, Phase, Purpose};
use super::history::{Details, HistoryEvent, Recorder};
use super::limits::{EXPRESS_TIMEOUT, HistoryLevel, PAYLOAD_DEPTH};
use super::timers::{TimerKey, TimerKind};
use super::{Engine, Execution, Handler, Stage, TokenKey, context, retry, state};
use crate::asl::ir::{Kind, Machine, QueryLanguage, ScopeId, State, StateId};
use crate::base::{Map, Millis, Rng, Table, Value, json};
use std::sync::Arc;

/// What a state has come to.
pub(super) enum Flow {
    /// It waits for a timer, a task or its children; its phase says for what.
    Wait,
    /// It has exited; the frame stands at the next state, with its input.
    Goto,
    /// It was the last of its `States`.
    End(Value),
}

pub(super) type Ran = Result<Flow, Fault>;

impl Engine {
    /// Runs ready frames, first come, first served, while the budget lasts. Says whether none is left.
    pub(super) fn drain(&mut self, budget: &mut u32) -> bool {
        while self.outcome.is_none() {
            if !self.has_more() {
                return true;
            }
            if self.work.is_done() {
                return false;
            }
            if !self.readings.is_empty() {
                self.read_on();
                continue;
            }
            if let Some(id) = self.turns.first().map(|(id, ())| *id) {
                self.turns.remove(&id);
                self.take_turn(id);
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
            Event::Tick => {}
            Event::Redrive => self.redrive(),
            Event::Stop { error, cause } => {
                let Fault { error, cause, .. } = Fault::of_task(error, cause);
                let details = Details::Failure { error: error.clone(), cause: cause.clone() };
                self.record(0, EventType::ExecutionAborted, 0, details);
                self.finish(Outcome::Aborted { error, cause }, CancelReason::Stopped);
            }
            Event::UpdateMapRun { arn, change } => self.update_map_run(&arn, &change),
            Event::TaskStarted { task, worker } => self.task_started(task, worker),
            Event::TaskSubmitted { task, output } => self.task_submitted(task, output),
            Event::TaskSucceeded { task, output } => self.task_ended(task, Ok(output)),
            Event::ItemsRead { task, text, file } => self.items_answered(task, text, file),
            Event::TaskFailed { task, error, cause } => self.task_ended(task, Err(Fault::of_task(error, cause))),
            Event::TaskHeartbeat { task } => self.task_heartbeat(task),
        }
    }

    fn start(&mut self, input: Value, mut info: ExecutionInfo, seed: u64) {
        self.started = true;
        self.rng = Rng::new(seed);
        self.token_key = info.token_key.take().unwrap_or_else(|| TokenKey::of_seed(seed));
        let recorder = Recorder::new(self.options.history, self.options.history_limit);
        let express = self.options.express;
        let item = self.tested_item(&input);
        let execution = self.begin_execution(info, input, recorder, None, express);
        self.start_clock();
        self.spawn_root(execution, Machine::ROOT, item);
    }

    /// Sets the machine's time out, which for an Express one is at most that of its type.
    pub(super) fn start_clock(&mut self) {
        let own = self.machine.timeout;
        let seconds = if self.options.express { Some(own.unwrap_or(EXPRESS_TIMEOUT).min(EXPRESS_TIMEOUT)) } else { own };
        if let Some(seconds) = seconds {
            self.limit_execution(0, seconds);
        }
    }

    /// Ends an execution when so many seconds have passed.
    pub(super) fn limit_execution(&mut self, id: u32, seconds: u64) {
        let timer = self.timers.add(self.clock.plus(seconds.saturating_mul(1000)), id, TimerKind::Execution);
        if let Some(execution) = self.executions.get_mut(&id) {
            execution.timer = Some(timer);
        }
    }

    /// Writes a new execution's first event.
    pub(super) fn begin_execution(
        &mut self,
        info: ExecutionInfo,
        input: Value,
        recorder: Recorder,
        parent: Option<(FrameId, u32)>,
        express: bool,
    ) -> u32 {
        let id = self.next_execution;
        self.next_execution += 1;
        let role_arn = info.role_arn.clone();
        let started = self.clock;
        self.executions.insert(
            id,
            Execution {
                info,
                input: input.clone(),
                started,
                express,
                recorder,
                root: 0,
                parent,
                timer: None,
                redrives: 0,
                redriven_at: Millis(0),
                stranded: Table::default(),
            },
        );
        self.record(id, EventType::ExecutionStarted, 0, Details::Started { input, role_arn });
        id
    }

    /// Starts an execution's first frame.
    pub(super) fn spawn_root(&mut self, execution: u32, scope: ScopeId, item: Option<Arc<MapItem>>) -> FrameId {
        let input = self.executions.get(&execution).map_or(Value::Null, |e| e.input.clone());
        let variables = match &self.probe {
            Some(probe) if execution == 0 => probe.variables.clone(),
            _ => Map::new(),
        };
        let frame = self.spawn(execution, None, scope, input, Arc::new(variables), item, 0);
        if let Some(execution) = self.executions.get_mut(&execution) {
            execution.root = frame;
        }
        frame
    }

    /// Makes a frame that is about to enter the first state of a scope.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn spawn(
        &mut self,
        execution: u32,
        parent: Option<(FrameId, u32)>,
        scope: ScopeId,
        input: Value,
        variables: Arc<Map>,
        item: Option<Arc<MapItem>>,
        tail: u64,
    ) -> FrameId {
        let id = self.next_frame;
        self.next_frame += 1;
        let frame = Frame {
            execution,
            parent,
            scope,
            state: self.machine.scopes[scope].start,
            input,
            variables,
            item,
            entered: self.clock,
            entered_event: 0,
            tail,
            attempts: Vec::new(),
            retries: 0,
            phase: Phase::Enter,
        };
        self.frames.insert(id, Box::new(frame));
        self.ready.push_back(id);
        id
    }

    fn advance(&mut self, id: FrameId) {
        let Some(mut frame) = self.frames.remove(&id) else { return };
        let machine = self.machine.clone();
        self.work.begin_state();
        let ran = match frame.phase {
            Phase::Enter => self.enter(&machine, id, &mut frame),
            Phase::Again => self.act(&machine, id, &mut frame),
            Phase::Resume(_) => state::map::resume(self, &machine, id, &mut frame),
            // Invariant: only frames in those three phases are queued; anything else just goes on waiting.
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
        self.used(frame, Branch::Entered);
        if self.is_full(frame.execution) {
            return Ok(Flow::Wait);
        }
        self.act(machine, id, frame)
    }

    /// Does what the frame's state is for: its first attempt, or another one.
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

    /// Puts a frame where what its state has come to wants it.
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

    /// Ends a scope with its output: the execution succeeds, or the waiting Parallel or Map has one result more.
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

    /// Applies Retry, then Catch; without either the error goes outwards.
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
            self.used(&frame, Branch::Retrier(index));
            self.took_on(&frame, state, &fault, index, Some(delay));
            self.recover(frame.execution);
            if self.options.trace {
                let used = frame.attempts.get(index).copied().unwrap_or_default();
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
        match state.kind {
            Kind::Parallel { .. } => {
                frame.tail = self.record(frame.execution, EventType::ParallelStateFailed, frame.tail, Details::None)
            }
            Kind::Map(_) => frame.tail = self.record(frame.execution, EventType::MapStateFailed, frame.tail, Details::None),
            _ => {}
        }
        if retry::catcher(state, &fault).is_some() {
            match self.catch(&mut frame, state, &fault) {
                Ok(flow) => {
                    self.recover(frame.execution);
                    return self.settle(machine, id, frame, Ok(flow));
                }
                // A catcher that fails is not caught by its neighbours (spec §6.2).
                Err(second) => {
                    fault = second;
                    run = None;
                    self.evaluation_failed(&mut frame, state, &mut fault);
                }
            }
        }
        self.strand(id, &frame, run);
        let Some((parent, slot)) = frame.parent.filter(|_| !fault.is_fatal()) else {
            let (execution, tail) = (frame.execution, frame.tail);
            self.frames.insert(id, frame);
            return self.fail_execution(execution, fault, tail);
        };
        let failing_task = matches!(state.kind, Kind::Task(_));
        self.child_failed(machine, parent, slot, frame.tail, failing_task, fault);
    }

    /// Tells the history of a failed JSONata field, once, where it failed.
    fn evaluation_failed(&mut self, frame: &mut Frame, state: &State, fault: &mut Fault) {
        if let Some(location) = fault.location.take() {
            let details =
                Details::Evaluation { error: fault.error.clone(), cause: fault.cause.clone(), location, state: state.name.clone() };
            frame.tail = self.record(frame.execution, EventType::EvaluationFailed, frame.tail, details);
        }
    }

    /// Runs the catcher that takes the error.
    fn catch(&mut self, frame: &mut Frame, state: &State, fault: &Fault) -> Ran {
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
        let (output, assigned) = match state.language {
            QueryLanguage::JsonPath => {
                let view = View::new(&error_output, &context, &frame.variables);
                let assigned = eval.assign(catcher.assign.as_ref(), "Assign", &view)?;
                (eval.result_path(&catcher.result_path, &frame.input, error_output.clone())?, assigned)
            }
            QueryLanguage::Jsonata => {
                let view = View::new(&frame.input, &context, &frame.variables).with_error(&error_output);
                let assigned = eval.assign(catcher.assign.as_ref(), &format!("Catch[{index}]/Assign"), &view)?;
                let output = match &catcher.output {
                    Some(output) => eval.payload(output, &format!("Catch[{index}]/Output"), &view)?,
                    None => error_output.clone(),
                };
                (output, assigned)
            }
        };
        self.check_exit(frame, state, &output, &assigned)?;
        self.took_on(frame, state, fault, index, None);
        Ok(self.exit(frame, state, output, assigned, Branch::Catcher(index), Some(catcher.next)))
    }

    /// The end of a state that has a result: ResultSelector, Assign, ResultPath, OutputPath; or Assign and Output.
    pub(super) fn complete(&mut self, frame: &mut Frame, state: &State, result: Value) -> Ran {
        self.complete_task(frame, state, result, None, false)
    }

    /// The same for a Task. `fits` says that the result was measured and may be handed on as it is.
    pub(super) fn complete_task(
        &mut self,
        frame: &mut Frame,
        state: &State,
        result: Value,
        token: Option<&Arc<str>>,
        fits: bool,
    ) -> Ran {
        let context = self.context(frame, state, token);
        let fitting = if fits { result.clone() } else { Value::Null };
        self.stage(frame, state, "result", &result);
        let trace = self.options.trace;
        let mut eval = self.eval(frame, state);
        let (output, assigned) = match state.language {
            QueryLanguage::JsonPath => {
                let view = View::new(&result, &context, &frame.variables);
                let assigned = eval.assign(state.assign.as_ref(), "Assign", &view)?;
                let selected = match &state.result_selector {
                    Some(template) => eval.template(template, &view)?,
                    None => result,
                };
                let traced = trace.then(|| selected.clone());
                let merged = eval.result_path(&state.result_path, &frame.input, selected)?;
                let output = eval.path_field(&state.output_path, &View::new(&merged, &context, &frame.variables))?;
                if let Some(selected) = traced {
                    self.stage(frame, state, "afterResultSelector", &selected);
                    self.stage(frame, state, "afterResultPath", &merged);
                }
                (output, assigned)
            }
            QueryLanguage::Jsonata => {
                let view = View::new(&frame.input, &context, &frame.variables).with_result(&result);
                let assigned = eval.assign(state.assign.as_ref(), "Assign", &view)?;
                let output = match &state.output {
                    Some(output) => eval.payload(output, "Output", &view)?,
                    None => result.clone(),
                };
                (output, assigned)
            }
        };
        if !same(&output, &fitting) || !assigned.is_empty() {
            self.check_exit(frame, state, &output, &assigned)?;
        }
        Ok(self.exit(frame, state, output, assigned, Branch::Way, state.next))
    }

    /// The end of a state that has no result of its own (Wait, Succeed, Choice): it passes its input on.
    pub(super) fn pass_on(&mut self, frame: &mut Frame, state: &State, effective: &Value, next: Option<StateId>) -> Ran {
        let context = self.context(frame, state, None);
        let mut eval = self.eval(frame, state);
        let view = View::new(effective, &context, &frame.variables);
        let assigned = eval.assign(state.assign.as_ref(), "Assign", &view)?;
        let output = match state.language {
            QueryLanguage::JsonPath => eval.path_field(&state.output_path, &view)?,
            QueryLanguage::Jsonata => match &state.output {
                Some(output) => eval.payload(output, "Output", &view)?,
                None => effective.clone(),
            },
        };
        let way = if matches!(state.kind, Kind::Choice { .. }) { Branch::Default } else { Branch::Way };
        self.check_exit(frame, state, &output, &assigned)?;
        Ok(self.exit(frame, state, output, assigned, way, next))
    }

    /// Refuses what is too large to leave a state with.
    pub(super) fn check_exit(
        &self,
        frame: &Frame,
        state: &State,
        output: &Value,
        assigned: &[(Arc<str>, Value)],
    ) -> Result<(), Fault> {
        if !same(output, &frame.input) {
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

    /// Leaves a state, with what was checked to be small enough: counts the way out, sets the variables, writes the event,
    /// moves on.
    pub(super) fn exit(
        &mut self,
        frame: &mut Frame,
        state: &State,
        output: Value,
        assigned: Vec<(Arc<str>, Value)>,
        way: Branch,
        next: Option<StateId>,
    ) -> Flow {
        self.used(frame, way);
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

    /// Refuses a value that is too large to be handed on, or too deep for any recursion over it. Whatever goes into the
    /// history, a command or a frame has passed here.
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

    /// How a value exceeds what a payload may be.
    pub(super) fn excess(&self, value: &Value) -> Option<json::Excess> {
        match value {
            // A limit that no number fits into is for what carries data.
            Value::Null | Value::Bool(_) | Value::Number(_) => None,
            _ => {
                let measured = json::measure(value, self.options.payload_limit, PAYLOAD_DEPTH);
                self.work.measured(measured.unwrap_or(self.options.payload_limit));
                measured.err()
            }
        }
    }

    /// Fails an execution: the engine's own, or a child of a Distributed Map.
    pub(super) fn fail_execution(&mut self, execution: u32, fault: Fault, tail: u64) {
        self.record(execution, EventType::ExecutionFailed, tail, Details::failure(&fault));
        if execution == 0 {
            self.finish(Outcome::Failed { error: fault.error, cause: fault.cause }, CancelReason::SiblingFailed);
            return;
        }
        if let Some(root) = self.executions.get(&execution).map(|e| e.root) {
            self.kill(root, None, CancelReason::SiblingFailed);
        }
        let machine = self.machine.clone();
        self.child_execution_ended(&machine, execution, Err(fault), false);
    }

    /// Ends it all.
    pub(super) fn finish(&mut self, outcome: Outcome, reason: CancelReason) {
        for (task, _) in std::mem::take(&mut self.tasks) {
            self.cancel(task, reason);
        }
        match &outcome {
            Outcome::Succeeded { .. } => self.stranded = None,
            _ if self.stranded.is_none() && self.probe.is_none() => self.strand_execution(0, None),
            _ => {}
        }
        self.frames.clear();
        self.ready.clear();
        self.turns.clear();
        self.timers.clear();
        for child in self.executions.keys().copied().filter(|id| *id != 0).collect::<Vec<_>>() {
            self.drop_execution(child);
        }
        if let Some(execution) = self.executions.get_mut(&0) {
            execution.timer = None;
        }
        self.commands.push(Command::Finish(outcome.clone()));
        self.outcome = Some(outcome);
    }

    /// Cuts a frame and everything below it off. With a `tail`, the history is told of each state that was waiting.
    pub(super) fn kill(&mut self, id: FrameId, tail: Option<u64>, reason: CancelReason) {
        let Some(frame) = self.frames.remove(&id) else { return };
        self.turns.remove(&id);
        let machine = self.machine.clone();
        if let Some(tail) = tail
            && let Some(kind) = EventType::aborted(&machine.states[frame.state].kind)
        {
            self.record(frame.execution, kind, tail, Details::None);
        }
        match frame.phase {
            Phase::Enter | Phase::Again | Phase::Resume(_) => {
                // Children are cut off in the order in which they wait.
                self.ready.iter().position(|other| *other == id).and_then(|at| self.ready.remove(at));
            }
            Phase::Sleeping { timer } | Phase::Backoff { timer } => self.timers.remove(Some(timer)),
            Phase::Acting(acting) => {
                self.timers.remove(acting.timeout);
                self.timers.remove(acting.heartbeat.map(|(_, timer)| timer));
                self.tasks.remove(&acting.task);
                self.cancel(acting.task, reason);
                if let Purpose::ResultWriter(joining) = acting.purpose {
                    self.kill_children(*joining, frame.execution, tail, reason);
                }
            }
            Phase::Joining(joining) => self.kill_children(*joining, frame.execution, tail, reason),
        }
    }

    fn kill_children(&mut self, joining: Joining, parent: u32, tail: Option<u64>, reason: CancelReason) {
        for child in joining.children.into_values() {
            // A child execution keeps its events to itself.
            let execution = self.frames.get(&child).map(|f| f.execution);
            let own = execution == Some(parent);
            self.kill(child, tail.filter(|_| own), reason);
            if let Some(execution) = execution.filter(|_| !own) {
                self.drop_execution(execution);
            }
        }
    }

    /// Ends a child execution whose frames are gone already: with its Map Run, or with everything.
    pub(super) fn drop_execution(&mut self, execution: u32) {
        let Some(mut child) = self.executions.remove(&execution) else { return };
        self.timers.remove(child.timer);
        child.recorder.add(self.clock, EventType::ExecutionAborted, 0, Details::Failure { error: None, cause: None });
        let history = std::mem::take(&mut child.recorder.events);
        self.tell_child(&child, history, "ABORTED", None);
    }

    /// Hands a child execution that has ended to the host, if it wants to hear of it.
    pub(super) fn tell_child(
        &mut self,
        child: &Execution,
        history: Vec<HistoryEvent>,
        status: &'static str,
        result: Option<&Result<Value, Fault>>,
    ) {
        if !self.options.child_histories {
            return;
        }
        let fault = result.and_then(|result| result.as_ref().err());
        self.commands.push(Command::ChildFinished(Box::new(ChildExecution {
            name: child.info.name.clone(),
            arn: child.info.arn.clone(),
            status,
            input: child.input.clone(),
            output: result.and_then(|result| result.as_ref().ok()).cloned(),
            error: fault.and_then(|f| f.error.clone()),
            cause: fault.and_then(|f| f.cause.clone()),
            redrive_count: child.redrives,
            history,
        })));
    }

    /// Something is due.
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

    fn execution_timed_out(&mut self, execution: u32) {
        let fault = Fault::timeout(false);
        self.record(execution, EventType::ExecutionTimedOut, 0, Details::failure(&fault));
        if execution == 0 {
            self.finish(Outcome::TimedOut, CancelReason::Stopped);
        } else {
            self.strand_execution(execution, None);
            if let Some(root) = self.executions.get(&execution).map(|e| e.root) {
                self.kill(root, None, CancelReason::Stopped);
            }
            let machine = self.machine.clone();
            self.child_execution_ended(&machine, execution, Err(fault), true);
        }
    }

    /// Adds an event to an execution's history.
    pub(super) fn record(&mut self, execution: u32, event_type: EventType, previous: u64, details: Details) -> u64 {
        let Some(recorder) = self.executions.get_mut(&execution).map(|execution| &mut execution.recorder) else { return previous };
        let before = recorder.last;
        let id = recorder.add(self.clock, event_type, previous, details);
        self.work.wrote_event(execution == 0);
        if execution > 0 && recorder.last > before && self.tells_children() {
            self.tell_child_event(execution);
        }
        id
    }

    fn is_full(&self, execution: u32) -> bool {
        self.executions.get(&execution).is_some_and(|e| e.recorder.full)
    }

    /// The Context Object, if any field of the state reads it.
    #[inline(always)]
    pub(super) fn context(&self, frame: &Frame, state: &State, token: Option<&Arc<str>>) -> Value {
        if !state.uses_context && self.probe.is_none() {
            return Value::Null;
        }
        self.context_with(frame, state, token, frame.item.as_deref())
    }

    /// The same with another `Map.Item`.
    pub(super) fn context_with(&self, frame: &Frame, state: &State, token: Option<&Arc<str>>, item: Option<&MapItem>) -> Value {
        if let Some(context) = self.probe.as_ref().and_then(|probe| probe.context.as_ref()) {
            return context.clone();
        }
        match self.executions.get(&frame.execution) {
            Some(execution) if state.uses_context => context::build(execution, frame, state, token, item),
            _ => Value::Null,
        }
    }

    /// The evaluator of a state's fields.
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

    /// The same for a stage that a Map has for each item or batch.
    #[inline(always)]
    pub(super) fn item_stage(&mut self, frame: &Frame, state: &State, stage: &'static str, index: u32, value: &Value) {
        if self.options.trace {
            self.add_stage(frame, state, stage, Some(index), value);
        }
    }

    #[cold]
    #[inline(never)]
    fn add_stage(&mut self, frame: &Frame, state: &State, stage: &'static str, index: Option<u32>, value: &Value) {
        let execution = self.executions.get(&frame.execution);
        self.trace.push(Stage {
            state: state.name.clone(),
            entered_event: frame.entered_event,
            after: execution.map_or(0, |e| e.recorder.last),
            child: execution.filter(|e| e.parent.is_some()).map(|e| e.info.name.clone()),
            stage,
            index,
            value: value.clone(),
        });
    }

    /// Whether histories of child executions are kept.
    pub(super) fn child_history_level(&self) -> HistoryLevel {
        if self.options.child_histories { self.options.history } else { HistoryLevel::None }
    }
}

/// Whether two values are one and the same container: a payload that was only passed on needs no second measure.
pub(super) fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => Arc::ptr_eq(a, b),
        (Value::Array(a), Value::Array(b)) => Arc::ptr_eq(a, b),
        (Value::String(a), Value::String(b)) => Arc::ptr_eq(a, b),
        _ => false,
    }
}

/// States.DataLimitExceeded of a state or task.
pub(super) fn data_limit(name: &str) -> Fault {
    let cause =
        format!("The state/task '{name}' returned a result with a size exceeding the maximum number of bytes service limit.");
    Fault::new(DATA_LIMIT, cause)
}
