//! What runs now, for inspectors.

use super::Engine;
use super::command::Invocation;
use super::event::TaskId;
use super::frame::{Joining, Phase};
use super::limits::DISTRIBUTED_CONCURRENCY;
use super::state::task::invocation;
use crate::asl::ir::StateId;
use crate::base::{Map, Millis, Value};
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
    /// The event that entered the state; 0 where it is yet to be entered.
    pub entered_event: u64,
    /// The indices in the Maps around it, the innermost last.
    pub iterations: Vec<u32>,
    /// The name of the child execution that it runs in.
    pub child: Option<Arc<str>>,
    /// The Map Run of a Distributed Map, as `DescribeMapRun` counts it: `mapRunArn`, `itemCounts`, `executionCounts`.
    pub map_run: Option<Value>,
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

    /// How many chains run (getter).
    pub fn running(&self) -> usize {
        self.frames.len()
    }

    /// All running chains, oldest first (getter).
    pub fn frames(&self) -> impl Iterator<Item = FrameView> + '_ {
        self.frames.iter().map(|(id, frame)| {
            let (phase, until, task) = match &frame.phase {
                Phase::Enter | Phase::Again | Phase::Resume(_) => ("ready", None, None),
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
                entered_event: if matches!(frame.phase, Phase::Enter) { 0 } else { frame.entered_event },
                iterations: frame.item.as_ref().map_or(Vec::new(), |item| item.outer.iter().copied().chain([item.index]).collect()),
                child: self.executions.get(&frame.execution).filter(|e| e.parent.is_some()).map(|e| e.info.name.clone()),
                map_run: match &frame.phase {
                    Phase::Joining(joining) | Phase::Resume(joining) => map_run(joining),
                    _ => None,
                },
            }
        })
    }
}

/// The counts of a Map Run. None of its children is ever counted as aborted: they are only when the run is over.
fn map_run(joining: &Joining) -> Option<Value> {
    let run = joining.run.as_ref()?;
    let items = |slot: u32| joining.batches.get(slot as usize).map_or(1, |n| u64::from(*n));
    let started: u64 = if joining.batches.is_empty() { joining.next.into() } else { (0..joining.next).map(items).sum() };
    let running = joining.children.keys().map(|slot| items(*slot)).sum();
    let waiting = run.waiting.iter().map(|fallen| items(fallen.slot)).sum();
    // How many batches the rest makes is known when they are made: with a limit of bytes there may be more.
    let rest = joining.items.left + u64::from(run.held.is_some());
    let children = u64::from(joining.next) + run.batching.as_ref().map_or(rest, |batching| rest.div_ceil(batching.max_items));
    Some(Value::from(Map::from_iter([
        ("mapRunArn", Value::from(run.arn.clone())),
        ("itemCounts", counts(run.total, started, running, waiting, joining.failed_items, run.timed_out_items)),
        (
            "executionCounts",
            counts(
                children,
                joining.next.into(),
                joining.children.len() as u64,
                run.waiting.len() as u64,
                joining.failed.into(),
                run.timed_out.into(),
            ),
        ),
        ("redriveCount", Value::from(run.redrives)),
        ("maxConcurrency", Value::from(if u64::from(joining.limit) == DISTRIBUTED_CONCURRENCY { 0 } else { joining.limit })),
        ("toleratedFailureCount", Value::from(run.tolerated_count.map_or(0, |count| i64::try_from(count).unwrap_or(i64::MAX)))),
        ("toleratedFailurePercentage", Value::from(run.tolerated_percentage.unwrap_or(0.0))),
    ])))
}

fn counts(total: u64, started: u64, running: u64, waiting: u64, unsuccessful: u64, timed_out: u64) -> Value {
    let members = [
        ("pending", total.saturating_sub(started)),
        ("running", running),
        ("succeeded", started.saturating_sub(running + waiting + unsuccessful)),
        ("failed", unsuccessful.saturating_sub(timed_out)),
        ("timedOut", timed_out),
        ("aborted", 0),
        ("total", total),
        ("pendingRedrive", waiting),
    ];
    members.into_iter().map(|(name, n)| (name, Value::from(n as i64))).collect::<Map>().into()
}
