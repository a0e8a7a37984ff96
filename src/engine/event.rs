//! Facts that the host tells the engine.

use super::token::TokenKey;
use super::update::MapRunChange;
use crate::base::Value;
use std::sync::Arc;

crate::ids! {
    /// One attempt of one Task state, numbered from 1 in order of invocation and never reused.
    pub TaskId;
}

/// What an execution is called; all of it is visible in the Context Object and none of it is looked up anywhere.
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
    /// What the task tokens are made with. Without one they follow from the seed, so that whoever knows or finds out the
    /// seed knows the tokens: give a random key where tokens leave the process.
    pub token_key: Option<TokenKey>,
}

impl ExecutionInfo {
    /// The names that an execution gets when its host gives none: account 123456789012 in us-east-1.
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

/// A fact, fed with the time at which it happened to [`Engine::step`](super::Engine::step).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event {
    /// Begins the execution. Once.
    Start {
        /// The input; `{}` where the caller gave none.
        input: Value,
        /// Its names.
        execution: ExecutionInfo,
        /// Seed of UUIDs, unseeded random numbers and jitter; of task tokens where `execution` has no key for them.
        seed: u64,
    },
    /// A worker has taken an activity task; for other tasks nothing.
    TaskStarted {
        /// Which.
        task: TaskId,
        /// `ActivityStarted.workerName`
        worker: Option<Arc<str>>,
    },
    /// The service has answered the request of a `.sync` or `.waitForTaskToken` task, whose result is yet to come.
    TaskSubmitted {
        /// Which.
        task: TaskId,
        /// The service's response, for the history.
        output: Value,
    },
    /// The task has its result.
    TaskSucceeded {
        /// Which.
        task: TaskId,
        /// The result.
        output: Value,
    },
    /// An ItemReader has its answer, as text: no item is built before it is wanted. For any other task it is
    /// `TaskSucceeded` with what the text says.
    ItemsRead {
        /// Which.
        task: TaskId,
        /// What was read.
        text: String,
        /// Whether the text is a file in the format that ReaderConfig names; else it is JSON, as `TaskSucceeded` has it.
        file: bool,
    },
    /// The task has failed.
    TaskFailed {
        /// Which.
        task: TaskId,
        /// The error's name; AWS allows none (`SendTaskFailure` without fields).
        error: Option<Arc<str>>,
        /// Its cause.
        cause: Option<Arc<str>>,
    },
    /// The task's worker is alive: the heartbeat timer starts anew.
    TaskHeartbeat {
        /// Which.
        task: TaskId,
    },
    /// Time has passed: the deadline is reached, or `more` was true. Always harmless.
    Tick,
    /// The host was away and is back, after a restart or a long sleep: fed first, before any other fact, it keeps time from
    /// being charged to those that the host could not hear. It writes no event, and it comes before the late timers of its
    /// own call:
    ///
    /// - An attempt that is handed out again begins again: its TimeoutSeconds and HeartbeatSeconds count from now. Those are
    ///   the ones that [`Engine::pending`](super::Engine::pending) has as [`TaskPhase::Scheduled`](super::TaskPhase).
    /// - An attempt that is outside (a taken activity, a `.sync` or callback task whose request was answered) has its
    ///   HeartbeatSeconds counted from now. Its TimeoutSeconds stay as they are, but do not end before an answer that found
    ///   nobody could come once more: after HeartbeatSeconds, or a minute without them, and never more than TimeoutSeconds.
    /// - All else is absolute: Waits, back-offs, the machine's TimeoutSeconds, the five minutes of Express child
    ///   executions. What is late fires at its own instant.
    Recovered {
        /// Attempts that are outside by what the engine knows, and are handed out again all the same, because who had taken
        /// them on was a part of the host. A number that waits for nothing is ignored.
        again: Vec<TaskId>,
    },
    /// Continues an execution that has failed, timed out or was stopped, from where it stood (spec §11.4).
    Redrive,
    /// Gives the Map Run of this ARN other limits; of no effect for one that is not under way.
    UpdateMapRun {
        /// Which.
        arn: Arc<str>,
        /// Its new limits.
        change: MapRunChange,
    },
    /// A child execution has ended that the host runs ([`Options::children_apart`](super::Options::children_apart)). Of no
    /// effect where its Map Run does not wait for it, or not in this redrive.
    ChildEnded {
        /// The ARN of the Map Run.
        map_run: Arc<str>,
        /// An object with `index` and `redrive` of its [`StartChild`](super::StartChild), `status`, and `output`, or `error` and `cause`.
        /// If a record is kept of it, with `name`, `input`, `startDate` in milliseconds and `redriveCount` besides.
        end: Value,
    },
    /// Asks the execution to come to its end by itself: what waits fails with `Stepglass.Cancelled`, which Catch takes, and
    /// Retry only where it names that error. Tasks, Waits, back-offs and Map Runs are what waits.
    Cancel {
        /// The error's cause.
        cause: Option<Arc<str>>,
        /// Tasks that go on.
        spared: Vec<TaskId>,
    },
    /// Ends the execution as ABORTED.
    Stop {
        /// The caller's error.
        error: Option<Arc<str>>,
        /// The caller's cause.
        cause: Option<Arc<str>>,
    },
}

impl Event {
    /// The task that the fact is about.
    pub fn task(&self) -> Option<TaskId> {
        match self {
            Event::TaskStarted { task, .. }
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
