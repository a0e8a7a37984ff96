//! Frames: the positions that execute. There is one for the machine, one for each running branch, and one for each running
//! iteration.

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

/// One chain of states: its current state, and the data of that state.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    /// The execution that the frame belongs to: 0, or a child execution of a Distributed Map.
    pub(super) execution: u32,
    /// The Parallel or Map that waits for the frame, and the frame's slot there.
    pub(super) parent: Option<(FrameId, u32)>,
    /// The `States` object that the frame runs in.
    pub(super) scope: ScopeId,
    /// The current state.
    pub(super) state: StateId,
    /// The state's raw input.
    pub(super) input: Value,
    /// The variables in scope. Outer variables cannot change while an inner scope runs, because their Parallel or Map still
    /// waits, so a copy that is taken at the start equals a lookup in the outer scopes.
    pub(super) variables: Arc<Map>,
    /// `Map.Item` of the iteration that this frame is, or runs in.
    pub(super) item: Option<Arc<MapItem>>,
    /// When the state was entered.
    pub(super) entered: Millis,
    /// The id of the event with which the state was entered.
    pub(super) entered_event: u64,
    /// The id of this chain's last event.
    pub(super) tail: u64,
    /// The number of attempts that each retrier of the state has used.
    pub(super) attempts: Vec<u64>,
    /// The total number of retries of the state: `State.RetryCount`.
    pub(super) retries: u32,
    pub(super) phase: Phase,
}

impl Frame {
    /// Returns a copy of the frame in another phase. What the frame waits for is not copied.
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
    /// The member's name, if the Map iterates over an object.
    pub(super) key: Option<Arc<str>>,
    /// The source of a Distributed Map's items.
    pub(super) source: Option<Arc<str>>,
    /// The indices of the enclosing Maps, the outermost first.
    pub(super) outer: Vec<u32>,
}

/// The phase of a frame. Every live frame that is not in the ready queue is in one of the waiting phases.
#[derive(Clone, Debug)]
pub(super) enum Phase {
    /// The frame is in the ready queue and will enter its state.
    Enter,
    /// The frame is in the ready queue and will try its state again.
    Again,
    /// The frame is in a Wait state.
    Sleeping { timer: TimerKey },
    /// The frame waits between two attempts.
    Backoff { timer: TimerKey },
    /// The frame waits for a task that the host runs.
    Acting(Box<Acting>),
    /// The frame waits for the children of a Parallel or Map.
    Joining(Box<Joining>),
    /// The frame is in the ready queue and will continue a Map Run that is redriven.
    Resume(Box<Joining>),
}

/// A running attempt of a Task, or of a Map's reader or writer.
#[derive(Clone, Debug)]
pub(super) struct Acting {
    pub(super) task: TaskId,
    pub(super) resource: Resource,
    pub(super) purpose: Purpose,
    pub(super) token: Option<Arc<str>>,
    /// Whether the history has its `…Scheduled` event.
    pub(super) scheduled: bool,
    /// Whether a worker or service has accepted the attempt.
    pub(super) started: bool,
    /// Whether the service has answered the request of a `.sync` or callback task.
    pub(super) submitted: bool,
    pub(super) timeout: Option<TimerKey>,
    pub(super) heartbeat: Option<(u64, TimerKey)>,
    /// The input that was sent, which is needed to send it again after a restore.
    pub(super) input: Value,
    pub(super) timeout_seconds: Option<u64>,
    pub(super) credentials: Option<Value>,
}

/// The purpose of a task's result.
#[derive(Clone, Debug)]
pub(super) enum Purpose {
    /// It is the result of the Task state.
    Task,
    /// It has the items of a Distributed Map.
    ItemReader(Box<Joining>),
    /// It confirms that results of a Distributed Map were stored.
    ResultWriter(Box<Joining>),
}

/// A Parallel or Map in progress.
#[derive(Clone, Debug, Default)]
pub(super) struct Joining {
    /// The running children by slot.
    pub(super) children: Table<u32, FrameId>,
    /// The results by slot; `None` while a child runs or if it has failed.
    pub(super) results: Vec<Option<Value>>,
    /// How many children have ended.
    pub(super) done: u32,
    /// How many of them have failed. Only a Distributed Map continues after a failure.
    pub(super) failed: u32,
    /// The number of items of failed children: a batch counts all of its items.
    pub(super) failed_items: u64,
    /// The first slot that was not started yet.
    pub(super) next: u32,
    /// The items of a Map that were not given to a child yet.
    pub(super) items: Items,
    /// The number of items of each child, if they are batched.
    pub(super) batches: Vec<u32>,
    /// How many children may run at once.
    pub(super) limit: u32,
    /// The Map's effective input, for ItemSelector.
    pub(super) input: Value,
    /// The id of the Started event, from which the first event of every child follows.
    pub(super) started_event: u64,
    /// The id of the last event of the child that ended last.
    pub(super) last_tail: u64,
    /// The id of the last …Succeeded event of an iteration.
    pub(super) last_succeeded: u64,
    /// Whether there are children that may run but were not started yet, because a call had used up its budget.
    pub(super) starting: bool,
    /// The part that only a Distributed Map has.
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
    /// How many of the failed children have timed out.
    pub(super) timed_out: u32,
    pub(super) timed_out_items: u64,
    pub(super) started_event: u64,
    /// ReaderConfig, evaluated.
    pub(super) config: Option<Value>,
    /// MaxItems of the reader.
    pub(super) max_items: Option<i64>,
    /// Files that a manifest or listing has named and that must still be read, the next one last.
    pub(super) pending: Vec<Value>,
    /// The ReaderConfig for those files; `None` until the reader has named any.
    pub(super) file_config: Option<Value>,
    /// The items that were read so far, while more must be read.
    pub(super) collected: Items,
    /// How items are batched, if they are.
    pub(super) batching: Option<Batching>,
    /// The first items of the next batch, after ItemSelector.
    pub(super) gathered: Vec<Value>,
    /// Children that did not succeed, for a redrive.
    pub(super) unsuccessful: Vec<UnsuccessfulChild>,
    /// Those of them that a redrive must still continue, in order.
    pub(super) waiting: VecDeque<UnsuccessfulChild>,
    /// How often the run was redriven.
    pub(super) redrives: u32,
    /// The outcomes of its children, which only a ResultWriter needs.
    pub(super) records: Records,
}
