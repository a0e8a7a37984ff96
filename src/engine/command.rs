//! What the engine asks of its host, to be done in order.

use super::apart::StartChild;
use super::event::TaskId;
use super::history::HistoryEvent;
use crate::asl::ir::StateId;
use crate::base::Value;
use std::sync::Arc;

/// What the host is to do.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::exhaustive_enums, reason = "a host that leaves a command undone must not compile")]
pub enum Command {
    /// Call the resource with the input; report the end as `TaskSucceeded` or `TaskFailed`.
    Invoke(Invocation),
    /// Nobody waits for this task any more; a result that still comes is ignored.
    Cancel {
        /// Which.
        task: TaskId,
        /// Why.
        reason: CancelReason,
    },
    /// A child execution of a Distributed Map has ended; only with
    /// [`Options::child_histories`](super::Options::child_histories).
    ChildFinished(Box<ChildExecution>),
    /// Run a child execution of a Distributed Map; only with [`Options::children_apart`](super::Options::children_apart).
    StartChild(Arc<StartChild>),
    /// Stop all children of a Map Run that run: nobody waits for them any more.
    StopChildren {
        /// Its ARN.
        map_run: Arc<str>,
        /// The redrive of it that has started them.
        redrive: u32,
    },
    /// The execution has ended. Exactly once, last.
    Finish(Outcome),
}

/// One attempt of a Task.
#[derive(Clone, Debug, PartialEq)]
pub struct Invocation {
    /// Names this attempt in every event about it.
    pub task: TaskId,
    /// What the result is for.
    pub purpose: CallPurpose,
    /// The state.
    pub state: StateId,
    /// The state's name.
    pub state_name: Arc<str>,
    /// `Resource` as written.
    pub resource: Arc<str>,
    /// The payload after InputPath and Parameters, or Arguments.
    pub input: Value,
    /// 0 for the first attempt, +1 for each retry.
    pub attempt: u32,
    /// The task token, for `.waitForTaskToken`, `.sync` and activities.
    pub token: Option<Arc<str>>,
    /// Seconds until it times out.
    pub timeout: Option<u64>,
    /// Seconds allowed between heartbeats.
    pub heartbeat: Option<u64>,
    /// `Credentials`, evaluated.
    pub credentials: Option<Value>,
    /// The index in the enclosing Map, innermost first in the last place; empty outside of Maps.
    pub iterations: Vec<u32>,
    /// The event of the state's entry: with the execution's ARN and `child` it names what is to be done, over retries,
    /// redrives and restarts, and each entry of the state by itself.
    pub entered: u64,
    /// The name of the child execution of a Distributed Map that the state runs in; `entered` is then of that one's history.
    pub child: Option<Arc<str>>,
    /// How far it is; `Scheduled` in a command.
    pub phase: TaskPhase,
}

/// How far an attempt is, for a host that goes on after a restart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TaskPhase {
    /// It is to be handed out, once more if it was: nobody outside of the host has taken it on.
    Scheduled,
    /// A worker has taken the activity.
    Started,
    /// The request of a `.sync` or callback task was answered; the result comes by its token.
    Submitted,
}

impl TaskPhase {
    /// The name in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            TaskPhase::Scheduled => "scheduled",
            TaskPhase::Started => "started",
            TaskPhase::Submitted => "submitted",
        }
    }
}

/// What a call's result is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CallPurpose {
    /// A Task state's result.
    Task,
    /// The items of a Distributed Map: an array, an object, or `{"Body": text}` in the format that ReaderConfig names.
    ItemReader,
    /// Storing the results of a Distributed Map; the answer does not matter.
    ResultWriter,
}

impl CallPurpose {
    /// The name in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            CallPurpose::Task => "Task",
            CallPurpose::ItemReader => "ItemReader",
            CallPurpose::ResultWriter => "ResultWriter",
        }
    }
}

/// A finished child execution of a Distributed Map.
#[derive(Clone, Debug, PartialEq)]
pub struct ChildExecution {
    /// Its name.
    pub name: Arc<str>,
    /// Its ARN.
    pub arn: Arc<str>,
    /// `SUCCEEDED`, `FAILED`, `TIMED_OUT`, `ABORTED`
    pub status: &'static str,
    /// Its input.
    pub input: Value,
    /// Its output, if it succeeded.
    pub output: Option<Value>,
    /// Its error, if it failed.
    pub error: Option<Arc<str>>,
    /// The cause of that.
    pub cause: Option<Arc<str>>,
    /// How often a redrive of the Map Run has taken it up.
    pub redrive_count: u32,
    /// Its events, from the first one on.
    pub history: Vec<HistoryEvent>,
}

/// Why a task is no longer wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CancelReason {
    /// TimeoutSeconds of the state has passed.
    Timeout,
    /// No heartbeat within HeartbeatSeconds.
    Heartbeat,
    /// A sibling branch or iteration has failed, or the execution has.
    SiblingFailed,
    /// The execution was stopped or timed out.
    Stopped,
    /// The execution was asked to come to its end by itself.
    Cancelled,
}

impl CancelReason {
    /// The name in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            CancelReason::Timeout => "Timeout",
            CancelReason::Heartbeat => "Heartbeat",
            CancelReason::SiblingFailed => "SiblingFailed",
            CancelReason::Stopped => "Stopped",
            CancelReason::Cancelled => "Cancelled",
        }
    }
}

/// How an execution ended.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::exhaustive_enums, reason = "a host has to tell each outcome")]
pub enum Outcome {
    /// SUCCEEDED
    Succeeded {
        /// The output.
        output: Value,
    },
    /// FAILED
    Failed {
        /// The error, if there is one.
        error: Option<Arc<str>>,
        /// Its cause, if there is one.
        cause: Option<Arc<str>>,
    },
    /// TIMED_OUT
    TimedOut,
    /// ABORTED
    Aborted {
        /// The caller's error.
        error: Option<Arc<str>>,
        /// The caller's cause.
        cause: Option<Arc<str>>,
    },
}

impl Outcome {
    /// The status as `DescribeExecution` names it.
    pub fn status(&self) -> &'static str {
        match self {
            Outcome::Succeeded { .. } => "SUCCEEDED",
            Outcome::Failed { .. } => "FAILED",
            Outcome::TimedOut => "TIMED_OUT",
            Outcome::Aborted { .. } => "ABORTED",
        }
    }
}
