//! Begins executions and frames, and ends them: by success, failure, time-out, or from outside.

use super::command::{CancelReason, ChildExecution, Command, Outcome};
use super::event::ExecutionInfo;
use super::event_type::EventType;
use super::fault::Fault;
use super::frame::{Frame, FrameId, Joining, MapItem, Phase, Purpose};
use super::history::{Details, HistoryEvent, Recorder};
use super::invariants::joining_of;
use super::limits::{EXPRESS_TIMEOUT, HistoryLevel};
use super::timers::TimerKind;
use super::{Engine, Execution, TokenKey};
use crate::asl::ir::{Machine, ScopeId};
use crate::base::{Map, Millis, Rng, Table, Value};
use std::sync::Arc;

impl Engine {
    pub(super) fn start(&mut self, input: Value, mut info: ExecutionInfo, seed: u64) {
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

    /// Sets the machine's time-out, which for an Express machine is at most the limit of that type.
    pub(super) fn start_clock(&mut self) {
        let own = self.machine.timeout;
        let seconds = if self.options.express { Some(own.unwrap_or(EXPRESS_TIMEOUT).min(EXPRESS_TIMEOUT)) } else { own };
        if let Some(seconds) = seconds {
            self.limit_execution(0, seconds);
        }
    }

    /// Ends an execution after this number of seconds.
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
            Box::new(Execution {
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
            }),
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

    /// Creates a frame that will enter the first state of a scope.
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

    /// Ends the execution and everything in it.
    pub(super) fn finish(&mut self, outcome: Outcome, reason: CancelReason) {
        for (task, _) in std::mem::take(&mut self.tasks) {
            self.cancel(task, reason);
        }
        match &outcome {
            Outcome::Succeeded { .. } => self.stranded = None,
            _ if self.stranded.is_none() && self.probe.is_none() => self.strand_execution(0, None),
            _ => {}
        }
        for frame in std::mem::take(&mut self.frames).values() {
            joining_of(frame).into_iter().for_each(|joining| self.stop_external_children(joining));
        }
        self.ready.clear();
        self.unfinished_maps.clear();
        self.timers.clear();
        for child in self.executions.keys().copied().filter(|id| *id != 0).collect::<Vec<_>>() {
            self.drop_execution(child);
        }
        if let Some(execution) = self.executions.get_mut(&0) {
            execution.timer = None;
        }
        self.issue(Command::Finish(outcome.clone()));
        self.outcome = Some(outcome);
    }

    /// Aborts a frame and everything below it. With a `tail`, the history gets an event for each state that was waiting.
    pub(super) fn kill(&mut self, id: FrameId, tail: Option<u64>, reason: CancelReason) {
        let Some(frame) = self.frames.remove(&id) else { return };
        self.unfinished_maps.remove(&id);
        let machine = self.machine.clone();
        if let Some(tail) = tail
            && let Some(kind) = EventType::aborted(&machine.states[frame.state].kind)
        {
            self.record(frame.execution, kind, tail, Details::None);
        }
        match frame.phase {
            Phase::Enter | Phase::Again | Phase::Resume(_) => {
                // Children are aborted in the order in which they wait.
                self.ready.iter().position(|other| *other == id).and_then(|at| self.ready.remove(at));
            }
            Phase::Sleeping { timer } | Phase::Backoff { timer } => self.timers.remove(Some(timer)),
            Phase::Acting(acting) => {
                self.timers.remove(acting.timeout);
                self.timers.remove(acting.heartbeat.map(|(_, timer)| timer));
                self.tasks.remove(&acting.task);
                self.cancel(acting.task, reason);
                if let Purpose::ResultWriter(joining) = acting.purpose {
                    self.kill_children(&joining, frame.execution, tail, None, reason);
                }
            }
            Phase::Joining(joining) => self.kill_children(&joining, frame.execution, tail, None, reason),
        }
    }

    /// Aborts all running children of a Parallel or Map. With a `tail` the history gets events for them, unless they have
    /// histories of their own, and with the name of a `map` also for each iteration.
    pub(super) fn kill_children(
        &mut self,
        joining: &Joining,
        parent: u32,
        tail: Option<u64>,
        map: Option<&Arc<str>>,
        reason: CancelReason,
    ) {
        self.stop_external_children(joining);
        for (&slot, &child) in joining.children.iter() {
            // The events of a child execution are not part of its parent's history.
            let execution = self.frames.get(&child).map(|f| f.execution);
            let tail = tail.filter(|_| joining.run.is_none());
            if let (Some(tail), Some(map)) = (tail, map) {
                let details = Details::Iteration { name: map.clone(), index: slot };
                self.record(parent, EventType::MapIterationAborted, tail, details);
            }
            self.kill(child, tail, reason);
            if let Some(execution) = execution.filter(|id| *id != parent) {
                self.drop_execution(execution);
            }
        }
    }

    /// Ends a child execution whose frames are gone already, because its Map Run or the whole execution has ended.
    pub(super) fn drop_execution(&mut self, execution: u32) {
        let Some(mut child) = self.executions.remove(&execution) else { return };
        self.timers.remove(child.timer);
        if !self.options.child_histories {
            return;
        }
        child.recorder.add(self.clock, EventType::ExecutionAborted, 0, Details::Failure { error: None, cause: None });
        let history = std::mem::take(&mut child.recorder.events);
        self.report_child_end(&child, history, "ABORTED", None);
    }

    /// Reports a child execution that has ended to the host, if the options ask for it.
    pub(super) fn report_child_end(
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
        self.issue(Command::ChildFinished(Box::new(ChildExecution {
            name: child.info.name.clone(),
            arn: child.info.arn.clone(),
            index: child.parent.map_or(0, |(_, slot)| slot),
            status,
            input: child.input.clone(),
            output: result.and_then(|result| result.as_ref().ok()).cloned(),
            error: fault.and_then(|f| f.error.clone()),
            cause: fault.and_then(|f| f.cause.clone()),
            redrive_count: child.redrives,
            history,
        })));
    }

    pub(super) fn execution_timed_out(&mut self, execution: u32) {
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

    /// The history level of child executions.
    pub(super) fn child_history_level(&self) -> HistoryLevel {
        let kept = self.options.child_histories || self.options.external_children;
        if kept { self.options.history } else { HistoryLevel::None }
    }
}
