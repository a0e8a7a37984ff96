//! The children of a Map: their beginning, their end, and what it means for the others.

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
use crate::engine::{Engine, Execution, state};
use std::sync::Arc;

/// What it costs to start a child, in looks at values.
pub(in crate::engine) const CHILD: u64 = 150;

/// Starts a child execution. It sees none of its parent's variables.
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
        engine.tell_child_begins(&name, outer, run.started_event, slot);
    }
    let info = engine.child_info(frame.execution, run, name);
    let express = map.mode == MapMode::Distributed { express: true };
    let recorder = Recorder::new(engine.child_history_level(), engine.options.history_limit);
    let mut own = if engine.options.children_apart { Some(engine.of_child(&info.name, express)) } else { None };
    let within = own.as_mut().unwrap_or(engine);
    let parent = Some(parent).filter(|_| !within.options.children_apart);
    let execution = within.begin_execution(info, input, recorder, parent, express);
    if express {
        within.limit_execution(execution, EXPRESS_TIMEOUT);
    }
    let root = within.spawn_root(execution, map.processor, Some(item));
    match own {
        Some(child) => engine.hand_over(run, slot, map.result_writer.is_some(), Some(&child)),
        None => root,
    }
}

/// Cuts off all running children of a Map; `tail` is the event that is to blame. Without one the history says nothing:
/// an error that nobody can catch ends everything at once.
pub(in crate::engine) fn cut(engine: &mut Engine, execution: u32, map: &Arc<str>, joining: &Joining, tail: Option<u64>) {
    engine.kill_children(joining, execution, tail, Some(map), CancelReason::SiblingFailed);
}

/// Writes that the Map Run has failed; the error goes on as the Map state's.
pub(in crate::engine) fn run_failed(engine: &mut Engine, frame: &mut Frame, fault: Fault) -> Fault {
    if !fault.is_fatal() {
        frame.tail = engine.record(frame.execution, EventType::MapRunFailed, frame.tail, Details::failure(&fault));
    }
    fault
}

impl Engine {
    /// What a child execution of a Map Run is called.
    #[inline(never)]
    pub(in crate::engine) fn child_info(&self, parent: u32, run: &MapRun, name: Arc<str>) -> ExecutionInfo {
        let label = &run.label;
        let Some(Execution { info: parent, .. }) = self.executions.get(&parent) else { return ExecutionInfo::named(label, &name) };
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

    /// A branch or inline iteration has ended with an output.
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

    /// A branch or inline iteration has failed: the others are cut off, the error is the waiting state's.
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
        if is_map {
            let details = Details::Iteration { name: state.name.clone(), index: slot };
            self.record(frame.execution, EventType::MapIterationFailed, tail, details);
        }
        if failing_task {
            self.record(frame.execution, EventType::TaskStateAborted, tail, Details::None);
        }
        if is_map {
            cut(self, frame.execution, &state.name, &joining, Some(tail));
        } else {
            for child in joining.children.into_values() {
                self.kill(child, Some(tail), CancelReason::SiblingFailed);
            }
        }
        frame.tail = tail;
        self.raise(machine, parent, frame, fault);
    }

    /// Goes on with a Map that had items left when a call had done its part.
    pub(in crate::engine) fn take_turn(&mut self, id: FrameId) {
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
