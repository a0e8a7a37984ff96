//! The children of a Map: how they start and end, and what their end means for the others.

use super::go_on;
use crate::asl::ir::{Kind, Machine, MapMode, MapState};
use crate::base::Value;
use crate::engine::advance::Flow;
use crate::engine::command::CancelReason;
use crate::engine::event::ExecutionInfo;
use crate::engine::event_type::EventType;
use crate::engine::fault::Fault;
use crate::engine::frame::{Frame, FrameId, Joining, MapItem, MapRun, Phase};
use crate::engine::history::{Details, Recorder};
use crate::engine::limits::EXPRESS_TIMEOUT;
use crate::engine::{Engine, state};
use std::sync::Arc;

/// The cost of starting a child, in visits of values.
pub(in crate::engine) const CHILD: u64 = 150;

/// Starts a child execution. It cannot read its parent's variables.
pub(in crate::engine) fn spawn_child(
    engine: &mut Engine,
    parent: (FrameId, u32),
    frame: &Frame,
    map: &MapState,
    run: &MapRun,
    input: Value,
    item: Arc<MapItem>,
) -> FrameId {
    let name: Arc<str> = engine.rng.uuid().into();
    let slot = parent.1;
    if let Some(outer) = engine.executions.get(&frame.execution).map(|e| e.info.name.clone()) {
        let outer = if frame.execution == 0 { "" } else { &*outer };
        engine.report_child_start(&name, outer, run.started_event, slot);
    }
    let info = engine.child_info(frame.execution, run, name);
    let express = map.mode == MapMode::Distributed { express: true };
    let recorder = Recorder::new(engine.child_history_level(), engine.options.history_limit);
    let mut own = if engine.options.external_children { Some(engine.of_child(&info.name, express)) } else { None };
    let within = own.as_mut().unwrap_or(engine);
    let parent = Some(parent).filter(|_| !within.options.external_children);
    let execution = within.begin_execution(info, input, recorder, parent, express);
    if express {
        within.limit_execution(execution, EXPRESS_TIMEOUT);
    }
    let root = within.spawn_root(execution, map.processor, Some(item));
    match own {
        Some(child) => engine.start_external_child(run, slot, map.result_writer.is_some(), Some(&child)),
        None => root,
    }
}

/// Aborts all running children of a Map. `tail` is the event that caused it. Without one no events are written, because an
/// error that cannot be caught ends everything at once.
pub(in crate::engine) fn cut(engine: &mut Engine, execution: u32, map: &Arc<str>, joining: &Joining, tail: Option<u64>) {
    engine.kill_children(joining, execution, tail, Some(map), CancelReason::SiblingFailed);
}

/// Records that the Map Run has failed, and returns the error of the Map state.
pub(in crate::engine) fn run_failed(engine: &mut Engine, frame: &mut Frame, fault: Fault) -> Fault {
    if !fault.is_fatal() {
        frame.tail = engine.record(frame.execution, EventType::MapRunFailed, frame.tail, Details::failure(&fault));
    }
    fault
}

impl Engine {
    /// Returns the names of a child execution of a Map Run.
    #[inline(never)]
    pub(in crate::engine) fn child_info(&self, parent: u32, run: &MapRun, name: Arc<str>) -> ExecutionInfo {
        let label = &run.label;
        let Some(parent) = self.executions.get(&parent).map(|parent| &parent.info) else {
            return ExecutionInfo::named(label, &name);
        };
        let machine_arn = format!("{}/{label}", parent.state_machine_arn);
        ExecutionInfo {
            arn: format!("{}:{name}", machine_arn.replacen(":stateMachine:", ":execution:", 1)).into(),
            name,
            role_arn: parent.role_arn.clone(),
            token_key: None,
            state_machine_arn: machine_arn.into(),
            state_machine_name: format!("{}/{label}", parent.state_machine_name).into(),
        }
    }

    /// Applies the output of a branch or inline iteration that has ended.
    pub(in crate::engine) fn child_ended(&mut self, machine: &Arc<Machine>, parent: FrameId, slot: u32, tail: u64, output: Value) {
        let Some((mut frame, mut joining)) = self.take_joining(parent) else { return };
        let state = &machine.states[frame.state];
        joining.children.remove(&slot);
        if let Some(result) = joining.results.get_mut(slot as usize) {
            *result = Some(output);
        }
        joining.done += 1;
        joining.last_tail = tail;
        let ran = match &state.kind {
            Kind::Map(map) => {
                let details = Details::Iteration { name: state.name.clone(), index: slot };
                joining.last_succeeded = self.record(frame.execution, EventType::MapIterationSucceeded, tail, details);
                go_on(self, parent, &mut frame, state, map, *joining, Some(tail))
            }
            _ if (joining.done as usize) < joining.results.len() => {
                frame.phase = Phase::Joining(joining);
                Ok(Flow::Wait)
            }
            _ => state::parallel::join(self, &mut frame, state, *joining),
        };
        self.settle(machine, parent, frame, ran);
    }

    /// Handles a branch or inline iteration that has failed: aborts the others, and raises the error in the waiting state.
    pub(in crate::engine) fn child_failed(
        &mut self,
        machine: &Arc<Machine>,
        parent: FrameId,
        slot: u32,
        tail: u64,
        failing_task: bool,
        fault: Fault,
    ) {
        let Some((mut frame, mut joining)) = self.take_joining(parent) else { return };
        let state = &machine.states[frame.state];
        joining.children.remove(&slot);
        let is_map = matches!(state.kind, Kind::Map(_));
        let iteration = |index| Details::Iteration { name: state.name.clone(), index };
        // The events are in the order of the branches, whichever of them has failed: recorded of the first, measured of the last.
        for later in [false, true] {
            if later && is_map {
                self.record(frame.execution, EventType::MapIterationFailed, tail, iteration(slot));
            }
            if later && failing_task {
                self.record(frame.execution, EventType::TaskStateAborted, tail, Details::None);
            }
            for (&index, &child) in joining.children.iter().filter(|(index, _)| (**index > slot) == later) {
                if is_map {
                    self.record(frame.execution, EventType::MapIterationAborted, tail, iteration(index));
                }
                self.kill(child, Some(tail), CancelReason::SiblingFailed);
            }
        }
        frame.tail = tail;
        self.raise(machine, parent, frame, fault);
    }

    /// Continues a Map that had items left when a call had used up its budget.
    pub(in crate::engine) fn continue_map(&mut self, id: FrameId) {
        let Some((mut frame, joining)) = self.take_joining(id) else { return };
        let machine = self.machine.clone();
        let state = &machine.states[frame.state];
        let Kind::Map(map) = &state.kind else { return };
        let after = Some(joining.last_tail).filter(|_| joining.done > 0 && joining.run.is_none());
        let ran = go_on(self, id, &mut frame, state, map, *joining, after);
        self.settle(&machine, id, frame, ran);
    }

    pub(in crate::engine) fn take_joining(&mut self, id: FrameId) -> Option<(Box<Frame>, Box<Joining>)> {
        let mut frame = self.frames.remove(&id)?;
        match std::mem::replace(&mut frame.phase, Phase::Enter) {
            Phase::Joining(joining) => Some((frame, joining)),
            other => {
                frame.phase = other;
                self.frames.insert(id, frame);
                None
            }
        }
    }
}
