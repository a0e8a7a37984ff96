//! Commands: the work that the engine requests from its host, to be done in order.

use super::event::TaskId;
use super::external_children::StartChild;
use super::history::HistoryEvent;
use crate::asl::ir::StateId;
use crate::base::Value;
use std::sync::Arc;

/// A request to the host.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::exhaustive_enums, reason = "a host that leaves a command undone must not compile")]
pub enum Command {
    /// Call the resource with the input; report the end as `TaskSucceeded` or `TaskFailed`.
    Invoke(Invocation),
    /// The execution no longer waits for this task; a later result is ignored.
    Cancel {
        /// The task.
        task: TaskId,
        /// Why the task is no longer needed.
        reason: CancelReason,
    },
    /// A child execution of a Distributed Map has ended; only with
    /// [`Options::child_histories`](super::Options::child_histories).
    ChildFinished(Box<ChildExecution>),
    /// Run a child execution of a Distributed Map; only with [`Options::external_children`](super::Options::external_children).
    StartChild(Arc<StartChild>),
    /// Stop all running children of a Map Run, because the execution no longer waits for them.
    StopChildren {
        /// The ARN of the Map Run.
        map_run: Arc<str>,
        /// How often the Map Run had been redriven when it started them.
        redrive: u32,
    },
    /// The execution has ended. The engine issues this exactly once, as the last command.
    Finish(Outcome),
}

/// One attempt of a Task.
#[derive(Clone, Debug, PartialEq)]
pub struct Invocation {
    /// The id of this attempt in every event about it.
    pub task: TaskId,
    /// What the result is for.
    pub purpose: CallPurpose,
    /// The state.
    pub state: StateId,
    /// The state's name.
    pub state_name: Arc<str>,
    /// `Resource` as it is written in the definition.
    pub resource: Arc<str>,
    /// The payload after InputPath and Parameters, or Arguments.
    pub input: Value,
    /// 0 for the first attempt, +1 for each retry.
    pub attempt: u32,
    /// The task token, for `.waitForTaskToken`, `.sync` and activities.
    pub token: Option<Arc<str>>,
    /// Seconds until the attempt times out.
    pub timeout: Option<u64>,
    /// The maximum number of seconds between two heartbeats.
    pub heartbeat: Option<u64>,
    /// `Credentials`, evaluated.
    pub credentials: Option<Value>,
    /// The indices in the enclosing Maps, the innermost last; empty outside of Maps.
    pub iterations: Vec<u32>,
    /// The id of the event with which the state was entered. Together with the execution's ARN and `child` it identifies the
    /// work over retries, redrives and restarts, separately for each time that the state is entered.
    pub entered: u64,
    /// The name of the child execution of a Distributed Map that the state runs in. `entered` then refers to the child's
    /// history.
    pub child: Option<Arc<str>>,
    /// How far the attempt has got; always `Scheduled` in a command.
    pub phase: TaskPhase,
}

/// How far an attempt has got, for a host that continues after a restart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TaskPhase {
    /// The attempt must be handed out (again, if it was before): nobody outside of the host has accepted it.
    Scheduled,
    /// A worker has taken the activity.
    Started,
    /// The service has answered the request of a `.sync` or callback task; the result will come with its token.
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
    /// Storing the results of a Distributed Map; the engine ignores the answer.
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
    /// The index of its item, or of its batch of items, in the Map Run.
    pub index: u32,
    /// `SUCCEEDED`, `FAILED`, `TIMED_OUT`, `ABORTED`
    pub status: &'static str,
    /// Its input.
    pub input: Value,
    /// Its output, if it succeeded.
    pub output: Option<Value>,
    /// Its error, if it failed.
    pub error: Option<Arc<str>>,
    /// The cause of that error, if it has one.
    pub cause: Option<Arc<str>>,
    /// How often a redrive of the Map Run has continued it.
    pub redrive_count: u32,
    /// Its events, from the first one on.
    pub history: Vec<HistoryEvent>,
}

/// Why a task is no longer needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CancelReason {
    /// TimeoutSeconds of the state has passed.
    Timeout,
    /// No heartbeat within HeartbeatSeconds.
    Heartbeat,
    /// A sibling branch or iteration has failed, or the whole execution has.
    SiblingFailed,
    /// The execution was stopped or timed out.
    Stopped,
    /// The execution was asked to end by itself.
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
#[allow(clippy::exhaustive_enums, reason = "a host must handle each outcome")]
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
