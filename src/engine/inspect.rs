//! What runs now, for inspectors.

use super::Engine;
use super::command::Invocation;
use super::event::TaskId;
use super::frame::Phase;
use super::state::task::invocation;
use crate::asl::ir::StateId;
use crate::base::{Millis, Value};
use std::sync::Arc;

/// One running chain of states.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameView {
    /// Its number; grows with each branch and iteration that starts.
    pub id: u32,
    /// The frame of the Parallel or Map around it, with its place there.
    pub parent: Option<(u32, u32)>,
    /// The current state.
    pub state: StateId,
    /// Its name.
    pub state_name: Arc<str>,
    /// Its raw input.
    pub input: Value,
    /// The variables in reach, as an object.
    pub variables: Value,
    /// `ready`, `waiting`, `retrying`, `running`, `joining`
    pub phase: &'static str,
    /// When it goes on by itself.
    pub until: Option<Millis>,
    /// The task it waits for.
    pub task: Option<TaskId>,
    /// Retries of the current state.
    pub retries: u32,
}

impl Engine {
    /// The calls that wait for a result (getter): what a host makes again after a restore.
    pub fn pending(&self) -> Vec<Invocation> {
        let waiting = self.tasks.values().filter_map(|id| self.frames.get(id));
        waiting
            .filter_map(|frame| {
                let Phase::Acting(acting) = &frame.phase else { return None };
                let state = &self.machine.states[frame.state];
                Some(invocation(frame, state, acting))
            })
            .collect()
    }

    /// All running chains, oldest first (getter).
    pub fn frames(&self) -> impl Iterator<Item = FrameView> + '_ {
        self.frames.iter().map(|(id, frame)| {
            let (phase, until, task) = match &frame.phase {
                Phase::Enter | Phase::Again => ("ready", None, None),
                Phase::Sleeping { timer } => ("waiting", Some(timer.0), None),
                Phase::Backoff { timer } => ("retrying", Some(timer.0), None),
                Phase::Acting(acting) => ("running", acting.timeout.map(|timer| timer.0), Some(acting.task)),
                Phase::Joining(_) => ("joining", None, None),
            };
            FrameView {
                id: *id,
                parent: frame.parent,
                state: frame.state,
                state_name: self.machine.states[frame.state].name.clone(),
                input: frame.input.clone(),
                variables: Value::Object(frame.variables.clone()),
                phase,
                until,
                task,
                retries: frame.retries,
            }
        })
    }
}
