//! What is being executed: one frame for the machine, for each running branch and for each running iteration.

use super::event::TaskId;
use super::items::{Items, Records};
use super::redrive::UnsuccessfulChild;
use super::timers::TimerKey;
use crate::asl::ir::{ScopeId, StateId};
use crate::asl::resource::Resource;
use crate::base::{Map, Millis, Table, Value};
use std::collections::VecDeque;
use std::sync::Arc;

pub(super) type FrameId = u32;

/// One chain of states: its current state and what that state needs.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    /// Which execution it belongs to: 0, or a child execution of a Distributed Map.
    pub(super) execution: u32,
    /// The Parallel or Map that waits for it, and its place there.
    pub(super) parent: Option<(FrameId, u32)>,
    /// The `States` object it runs in.
    pub(super) scope: ScopeId,
    /// The current state.
    pub(super) state: StateId,
    /// The state's raw input.
    pub(super) input: Value,
    /// The variables in reach. Outer ones cannot change while an inner scope runs (their Parallel or Map is still
    /// busy), so a copy taken at the start is the same as a look outwards.
    pub(super) variables: Arc<Map>,
    /// `Map.Item` of the iteration that this frame is, or is in.
    pub(super) item: Option<Arc<MapItem>>,
    /// When the state was entered.
    pub(super) entered: Millis,
    /// The event of that.
    pub(super) entered_event: u64,
    /// The last event of this chain.
    pub(super) tail: u64,
    /// Attempts that each retrier of the state has used.
    pub(super) attempts: Vec<u64>,
    /// All retries of the state: `State.RetryCount`.
    pub(super) retries: u32,
    pub(super) phase: Phase,
}

impl Frame {
    /// The same frame in another phase: what it waits for is not copied.
    #[inline(never)]
    pub(super) fn with_phase(&self, phase: Phase) -> Frame {
        Frame {
            execution: self.execution,
            parent: self.parent,
            scope: self.scope,
            state: self.state,
            input: self.input.clone(),
            variables: self.variables.clone(),
            item: self.item.clone(),
            entered: self.entered,
            entered_event: self.entered_event,
            tail: self.tail,
            attempts: self.attempts.clone(),
            retries: self.retries,
            phase,
        }
    }
}

/// `Map.Item` of the Context Object.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct MapItem {
    pub(super) index: u32,
    pub(super) value: Value,
    /// The member's name, when the Map runs over an object.
    pub(super) key: Option<Arc<str>>,
    /// Where the items of a Distributed Map come from.
    pub(super) source: Option<Arc<str>>,
    /// Indices of the Maps around this one, outermost first.
    pub(super) outer: Vec<u32>,
}

/// Where a state stands. Every live frame outside the ready queue is in one of the waiting ones.
#[derive(Clone, Debug)]
pub(super) enum Phase {
    /// In the ready queue, about to enter its state.
    Enter,
    /// In the ready queue, about to try its state once more.
    Again,
    /// A Wait state.
    Sleeping { timer: TimerKey },
    /// Between two attempts.
    Backoff { timer: TimerKey },
    /// A Task that the host works on.
    Acting(Box<Acting>),
    /// A Parallel or Map whose children run.
    Joining(Box<Joining>),
    /// In the ready queue, about to go on with a Map Run that is redriven.
    Resume(Box<Joining>),
}

/// A running attempt of a Task, or of a Map's reader or writer.
#[derive(Clone, Debug)]
pub(super) struct Acting {
    pub(super) task: TaskId,
    pub(super) resource: Resource,
    pub(super) purpose: Purpose,
    pub(super) token: Option<Arc<str>>,
    /// Whether a worker or service has taken it on.
    pub(super) started: bool,
    /// Whether the service has answered a `.sync` or callback request.
    pub(super) submitted: bool,
    pub(super) timeout: Option<TimerKey>,
    pub(super) heartbeat: Option<(u64, TimerKey)>,
    /// What was sent; kept to send it again after a restore.
    pub(super) input: Value,
    pub(super) timeout_seconds: Option<u64>,
    pub(super) credentials: Option<Value>,
}

/// What a task's result is for.
#[derive(Clone, Debug)]
pub(super) enum Purpose {
    /// The Task state's own.
    Task,
    /// The items of a Distributed Map.
    ItemReader(Box<Joining>),
    /// Where the results of a Distributed Map go.
    ResultWriter(Box<Joining>),
}

/// A Parallel or Map in progress.
#[derive(Clone, Debug, Default)]
pub(super) struct Joining {
    /// Running children by their slot.
    pub(super) children: Table<u32, FrameId>,
    /// Results by slot; `None` while a child runs or when it has failed.
    pub(super) results: Vec<Option<Value>>,
    /// How many children have ended.
    pub(super) done: u32,
    /// How many of them have failed (only a Distributed Map goes on then).
    pub(super) failed: u32,
    /// Items of failed children: a batch counts all of its own.
    pub(super) failed_items: u64,
    /// The first slot that was not started.
    pub(super) next: u32,
    /// The items of a Map that no child has got yet.
    pub(super) items: Items,
    /// Items in each child, when they are batched.
    pub(super) batches: Vec<u32>,
    /// How many children may run at once.
    pub(super) limit: u32,
    /// The Map's effective input, for ItemSelector.
    pub(super) input: Value,
    /// The Started event: every first child starts from it.
    pub(super) started_event: u64,
    /// The last event of the child that ended last.
    pub(super) last_tail: u64,
    /// The last …Succeeded event of an iteration.
    pub(super) last_succeeded: u64,
    /// Whether children that may run were not started yet, because a call had done its part.
    pub(super) starting: bool,
    /// A Distributed Map's own part.
    pub(super) run: Option<MapRun>,
}

/// An ItemBatcher, evaluated.
#[derive(Clone, Debug)]
pub(super) struct Batching {
    pub(super) max_items: u64,
    pub(super) max_bytes: u64,
    pub(super) input: Option<Value>,
}

/// A Map Run.
#[derive(Clone, Debug)]
pub(super) struct MapRun {
    pub(super) arn: Arc<str>,
    pub(super) label: Arc<str>,
    pub(super) uuid: Arc<str>,
    pub(super) source: Arc<str>,
    pub(super) tolerated_count: Option<u64>,
    pub(super) tolerated_percentage: Option<f64>,
    pub(super) total: u64,
    /// How many of the failed children have timed out, and their items.
    pub(super) timed_out: u32,
    pub(super) timed_out_items: u64,
    pub(super) started_event: u64,
    /// ReaderConfig, evaluated.
    pub(super) config: Option<Value>,
    /// MaxItems of the reader.
    pub(super) max_items: Option<i64>,
    /// Files that a manifest or listing has named and that are yet to be read, the next one last.
    pub(super) pending: Vec<Value>,
    /// How those files are to be understood; `None` until the reader has named any.
    pub(super) file_config: Option<Value>,
    /// What was read so far, while more is to be read.
    pub(super) collected: Items,
    /// How items are put together, where they are.
    pub(super) batching: Option<Batching>,
    /// The first items of the next batch, selected already.
    pub(super) gathered: Vec<Value>,
    /// Children that did not succeed, for a redrive.
    pub(super) unsuccessful: Vec<UnsuccessfulChild>,
    /// Those of them that a redrive is to take up yet, the first one first.
    pub(super) waiting: VecDeque<UnsuccessfulChild>,
    /// How often the run was redriven.
    pub(super) redrives: u32,
    /// What its children have come to; only kept for a ResultWriter.
    pub(super) records: Records,
}
