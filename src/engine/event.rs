//! The facts that a host feeds to the engine.

use super::token::TokenKey;
use super::update::MapRunChange;
use crate::base::Value;
use std::sync::Arc;

crate::ids! {
    /// One attempt of one Task state, numbered from 1 in order of invocation and never reused.
    pub TaskId;
}

/// The names of an execution. All of them are visible in the Context Object, and the engine looks up none of them.
#[derive(Clone, Debug, PartialEq)]
pub struct ExecutionInfo {
    /// `Execution.Id`, an execution ARN.
    pub arn: Arc<str>,
    /// `Execution.Name`
    pub name: Arc<str>,
    /// `Execution.RoleArn`
    pub role_arn: Arc<str>,
    /// `StateMachine.Id`, a state machine ARN.
    pub state_machine_arn: Arc<str>,
    /// `StateMachine.Name`
    pub state_machine_name: Arc<str>,
    /// The key of the task tokens. Without one they are derived from the seed, so that whoever can find out the seed can
    /// compute the tokens: give a random key if tokens leave the process.
    pub token_key: Option<TokenKey>,
}

impl ExecutionInfo {
    /// Returns the names of an execution whose host gives none: account 123456789012 in us-east-1.
    pub fn named(state_machine: &str, execution: &str) -> ExecutionInfo {
        let prefix = "arn:aws:states:us-east-1:123456789012";
        ExecutionInfo {
            arn: format!("{prefix}:execution:{state_machine}:{execution}").into(),
            name: execution.into(),
            role_arn: "arn:aws:iam::123456789012:role/StepglassRole".into(),
            state_machine_arn: format!("{prefix}:stateMachine:{state_machine}").into(),
            state_machine_name: state_machine.into(),
            token_key: None,
        }
    }
}

/// A fact, which is fed to [`Engine::step`](super::Engine::step) with the time at which it happened.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event {
    /// Starts the execution. It must be fed exactly once.
    Start {
        /// The input; `{}` if the caller gave none.
        input: Value,
        /// The names of the execution.
        execution: ExecutionInfo,
        /// The seed of UUIDs, unseeded random numbers and jitter, and of task tokens if `execution` has no key for them.
        seed: u64,
    },
    /// The activity of a task exists, so that the task waits for a worker. Only the first of these facts has an effect, and only
    /// with [`Options::confirmed_activities`](super::Options::confirmed_activities).
    TaskScheduled {
        /// The task.
        task: TaskId,
    },
    /// A worker has taken an activity task. The fact has no effect on other tasks.
    TaskStarted {
        /// The task.
        task: TaskId,
        /// `ActivityStarted.workerName`
        worker: Option<Arc<str>>,
    },
    /// The service has answered the request of a `.sync` or `.waitForTaskToken` task, whose result will come later.
    TaskSubmitted {
        /// The task.
        task: TaskId,
        /// The service's response, for the history.
        output: Value,
    },
    /// The task has its result.
    TaskSucceeded {
        /// The task.
        task: TaskId,
        /// The result.
        output: Value,
    },
    /// An ItemReader has its answer, as text: no item is built before it is needed. For any other task this is `TaskSucceeded`
    /// with the value of the text.
    ItemsRead {
        /// The task.
        task: TaskId,
        /// The text that was read.
        text: String,
        /// Whether the text is a file in the format that ReaderConfig names. If not, it is JSON, as in `TaskSucceeded`.
        file: bool,
    },
    /// The task has failed.
    TaskFailed {
        /// The task.
        task: TaskId,
        /// The error's name; AWS permits that there is none (`SendTaskFailure` without fields).
        error: Option<Arc<str>>,
        /// Its cause.
        cause: Option<Arc<str>>,
    },
    /// The task's worker is alive: the heartbeat timer is restarted.
    TaskHeartbeat {
        /// The task.
        task: TaskId,
    },
    /// Time has passed: the deadline is reached, or `more` was true. It is always safe to feed.
    Tick,
    /// The host is back after a restart or a long sleep. It is fed first, before any other fact, so that attempts are not
    /// charged for the time in which the host could receive no answers. It writes no event, and it is applied before the late
    /// timers of its own call:
    ///
    /// - An attempt that is handed out again starts again: its TimeoutSeconds and HeartbeatSeconds count from now. These are
    ///   the attempts that [`Engine::pending`](super::Engine::pending) lists as [`TaskPhase::Scheduled`](super::TaskPhase).
    /// - An attempt that somebody outside of the host works on (a taken activity, a `.sync` or callback task whose request was
    ///   answered) has its HeartbeatSeconds counted from now. Its TimeoutSeconds are unchanged, but they do not end before an
    ///   answer that reached nobody could be sent again: after HeartbeatSeconds, or after a minute if there are none, and never
    ///   after more than TimeoutSeconds.
    /// - All other times are absolute: Waits, back-offs, the machine's TimeoutSeconds, the five minutes of Express child
    ///   executions. Late timers fire at their own instant.
    Recovered {
        /// Attempts that the engine believes to be outside of the host, but that are handed out again because their worker was
        /// a part of the host. Ids of tasks that do not wait are ignored.
        again: Vec<TaskId>,
    },
    /// Continues an execution that has failed, timed out or was stopped, from the states that were running (spec §11.4).
    Redrive,
    /// Changes the limits of the Map Run with this ARN. It has no effect on a run that is not in progress.
    UpdateMapRun {
        /// The ARN of the Map Run.
        arn: Arc<str>,
        /// Its new limits.
        change: MapRunChange,
    },
    /// A child execution that the host runs has ended ([`Options::external_children`](super::Options::external_children)). It has no
    /// effect if the Map Run does not wait for the child, or not in this redrive.
    ChildEnded {
        /// The ARN of the Map Run.
        map_run: Arc<str>,
        /// An object with `index` and `redrive` of its [`StartChild`](super::StartChild), `status`, and `output`, or `error`
        /// and `cause`. If the Map Run stores a record of it, the object also has `name`, `input`, `startDate` in milliseconds
        /// and `redriveCount`.
        end: Value,
    },
    /// Asks the execution to end by itself: everything that waits fails with `Stepglass.Cancelled`, which Catch handles, and
    /// Retry only if it names that error. Tasks, Waits, back-offs and Map Runs can wait.
    Cancel {
        /// The error's cause.
        cause: Option<Arc<str>>,
        /// Tasks that are not cancelled.
        spared: Vec<TaskId>,
        /// What is cancelled; `None` for the whole execution.
        within: Option<CancelScope>,
    },
    /// Ends the execution as ABORTED.
    Stop {
        /// The caller's error.
        error: Option<Arc<str>>,
        /// The caller's cause.
        cause: Option<Arc<str>>,
    },
}

/// The part of an execution that [`Event::Cancel`] applies to.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum CancelScope {
    /// A state with everything in it: all branches of a Parallel and iterations of a Map. A state that is entered several times at
    /// once, for example in iterations, is cancelled in all of them.
    State {
        /// The name of the state.
        name: Arc<str>,
        /// The index of the only branch or iteration that is cancelled, from 0.
        index: Option<u32>,
    },
    /// The other branches or iterations of the Parallel or Map around this task. A task at the top level has none.
    Beside(TaskId),
}

impl Event {
    /// The task that the fact is about.
    pub fn task(&self) -> Option<TaskId> {
        match self {
            Event::TaskScheduled { task }
            | Event::TaskStarted { task, .. }
            | Event::TaskSubmitted { task, .. }
            | Event::TaskSucceeded { task, .. }
            | Event::ItemsRead { task, .. }
            | Event::TaskFailed { task, .. }
            | Event::TaskHeartbeat { task } => Some(*task),
            Event::Start { .. }
            | Event::Tick
            | Event::Recovered { .. }
            | Event::Redrive
            | Event::UpdateMapRun { .. }
            | Event::ChildEnded { .. }
            | Event::Cancel { .. }
            | Event::Stop { .. } => None,
        }
    }
}
