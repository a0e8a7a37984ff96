//! Floor 3: the sans-IO machine. It takes facts and returns commands; it has no clock, no entropy and no I/O.
//!
//! [`Engine`] states the contract. `state/` has a file for each type of state, `frame.rs` has what is running, and `history.rs`
//! has the events that record it.

mod advance;
mod archive;
mod cancel;
mod command;
mod context;
mod coverage;
mod dataflow;
mod digest;
mod event;
mod event_type;
mod exit;
mod external_children;
mod failure;
mod fault;
mod frame;
mod history;
mod inspect;
mod invariants;
mod items;
mod lifecycle;
mod limits;
mod migration;
mod probe;
mod raise;
mod recovery;
mod redrive;
mod retry;
mod snapshot;
mod state;
mod timers;
mod token;
mod update;
mod work;

pub use archive::{Page, is_page};
pub use command::{CallPurpose, CancelReason, ChildExecution, Command, Invocation, Outcome, TaskPhase};
pub use coverage::{Coverage, HandledError};
pub use event::{CancelScope, Event, ExecutionInfo, TaskId};
pub use event_type::EventType;
pub use external_children::StartChild;
pub use history::{Details, HistoryEvent, Scheduled, TaskName};
pub use inspect::FrameView;
pub use limits::{HistoryLevel, Options};
pub(crate) use probe::{Handler, Mock, Probe};
pub use snapshot::{RestoreError, SNAPSHOT_DEPTH};
pub use token::{TokenKey, parse_token};
pub use update::MapRunChange;

use crate::asl::ir::Machine;
use crate::base::{Millis, Rng, Table, Value, json};
use digest::Digest;
use frame::{Frame, FrameId};
use history::Recorder;
use items::Reading;
use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use timers::Timers;
use work::Work;

/// One execution of one machine, as plain data.
///
/// # How a host drives it
///
/// Feed one fact at a time to [`step`](Engine::step); then take the [`Command`]s with
/// [`take_commands`](Engine::take_commands) and do them in order; then set **one** timer to
/// [`deadline`](Engine::deadline), at which you feed [`Event::Tick`].
///
/// 1. `now` is the host's clock in milliseconds. If it goes back, the engine uses the latest value that it has seen.
/// 2. `more` means that the call has used up its budget: it has made as many transitions as it may (a loop of Choice and Pass),
///    its expressions have visited 50,000 values, or it has read as much of a file of items. Let your event loop run, then feed
///    `Tick`.
/// 3. A result for a task that was cancelled, or that has its result already, is no error and changes nothing. A result for a
///    task that was never invoked is [`StepError::UnknownTask`].
/// 4. After [`Command::Finish`] every event is accepted and has no effect, except [`Event::Redrive`], which continues an
///    execution that did not succeed.
/// 5. Due timers fire before the event of the same call, each at its own instant: a late wake-up gives the same history as a
///    punctual one. A result that arrives in the very millisecond of its time-out is too late.
/// 6. After a restart or a long sleep feed [`Event::Recovered`] first: the time-outs of tasks that you call again start from
///    zero.
/// 7. Equal machines, options and sequences of (`now`, event) give equal commands, histories and snapshots.
///
/// Getters: [`status`](Engine::status), [`outcome`](Engine::outcome), [`history`](Engine::history),
/// [`deadline`](Engine::deadline), [`frames`](Engine::frames), [`snapshot`](Engine::snapshot).
///
/// ```
/// use std::sync::Arc;
/// use stepglass::asl;
/// use stepglass::base::{json, Millis};
/// use stepglass::engine::{Command, Engine, Event, ExecutionInfo, Options};
///
/// let text = r#"{"StartAt":"Add","States":{"Add":{"Type":"Task","Resource":"arn:aws:states:::task:Add","End":true}}}"#;
/// let machine = asl::compile(text, &asl::CompileOptions::default()).machine.unwrap();
/// let mut engine = Engine::new(Arc::new(machine), Options::default());
/// let input = json::parse(r#"{"val1":3,"val2":4}"#).unwrap();
/// engine.step(Millis(0), Event::Start { input, execution: ExecutionInfo::named("Sum", "first"), seed: 1 }).unwrap();
/// let commands = engine.take_commands();
/// let Command::Invoke(call) = &commands[0] else { panic!() };
/// assert_eq!(call.input.to_string(), r#"{"val1":3,"val2":4}"#);
/// engine.step(Millis(5), Event::TaskSucceeded { task: call.task, output: 7i64.into() }).unwrap();
/// assert_eq!(engine.status(), "SUCCEEDED");
/// ```
#[derive(Clone, Debug)]
pub struct Engine {
    machine: Arc<Machine>,
    options: Options,
    clock: Millis,
    started: bool,
    outcome: Option<Outcome>,
    rng: Rng,
    token_key: TokenKey,
    frames: Table<FrameId, Box<Frame>>,
    next_frame: FrameId,
    ready: VecDeque<FrameId>,
    /// Maps that still have items to start children for, because the call had no budget left.
    unfinished_maps: Table<FrameId, ()>,
    /// Answers of ItemReaders that are not read to their end yet, in order of arrival.
    readings: VecDeque<Reading>,
    work: Work,
    /// Time of the current call. Work that is issued in it starts its timers here, even if the call is late.
    call_time: Millis,
    timers: Timers,
    tasks: Table<TaskId, FrameId>,
    last_task: u32,
    /// Execution 0 is the engine's own; the others are children of Distributed Maps.
    /// They are boxed, because the table moves its entries when it grows: with a million children that took 80 ms.
    executions: Table<u32, Box<Execution>>,
    next_execution: u32,
    commands: Vec<Command>,
    digest: Digest,
    trace: Vec<Stage>,
    /// The beginning of a JSON array with the events of child executions that were not taken yet.
    child_events: String,
    coverage: Option<Box<Coverage>>,
    probe: Option<Box<Probe>>,
    /// The frames that were running at the time of the error, for a redrive. They are stored when the error is raised and
    /// dropped when it is caught.
    stranded: Option<Table<FrameId, Box<Frame>>>,
}

/// An execution: the engine's own, or a child of a Distributed Map.
#[derive(Clone, Debug)]
struct Execution {
    info: ExecutionInfo,
    input: Value,
    started: Millis,
    express: bool,
    recorder: Recorder,
    root: FrameId,
    /// The Map that waits for this execution, and the slot there; `None` for the engine's own execution.
    parent: Option<(FrameId, u32)>,
    timer: Option<timers::TimerKey>,
    redrives: u32,
    redriven_at: Millis,
    /// For a child execution: the frames that were running at the time of the error. They are stored until the child ends or
    /// the error is caught.
    stranded: Table<FrameId, Box<Frame>>,
}

/// One stage of a state's data flow, recorded when [`Options::trace`] is on.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// The name of the state.
    pub state: Arc<str>,
    /// The id of the event that entered it.
    pub entered_event: u64,
    /// How many events the history had when the stage was recorded.
    pub after: u64,
    /// The name of the child execution that the state runs in. Event ids then refer to the child's history.
    pub child: Option<Arc<str>>,
    /// The name of the stage: `afterInputPath`, `afterParameters`, `result` …, as in the inspectionData of TestState. A Map's
    /// `Items` of JSONata, which has no name there, is `afterItems`. The last stages are `assignedVariables`, if there are any,
    /// and `output`. Decisions are stages too: `choice` (the rules that were evaluated, each with its tests, and the rule that
    /// was taken), `error` (Error and Cause, before Retry and Catch are applied), `retry` (retrier, attempt,
    /// delayMilliseconds), `catch` (catcher, next).
    pub stage: &'static str,
    /// The index of the item or batch, for the stages that a Map has for each item (`afterItemSelector`) and for each batch
    /// (`afterItemBatcher`).
    pub index: Option<u32>,
    /// The value after that stage.
    pub value: Value,
    /// For an `error`: `kind` (`heartbeat`, `timeout`, `runtime`, `expression`, `own` for errors of Stepglass, `state` for other
    /// errors of the state itself, `raised`), `message` (the cause without the words that name the state), `pointer` (the field as
    /// a JSON Pointer from the state), `expression`, `offset` (where in the expression JSONata failed, in UTF-16), the names of
    /// `ErrorEquals` that match (`retriedBy`, `caughtBy`), and the `verdict` of each of `retriers` (`retries`, `maxAttempts`,
    /// `earlier`, `notNamed`, `notByAll`, `uncatchable`; with `used`, `maxAttempts` and the `delayMilliseconds` of its next attempt
    /// before jitter) and of `catchers` (`catches`, `retried`, `earlier`, `notNamed`, `uncatchable`).
    pub failure: Option<Value>,
}

/// The result of one call of [`Engine::step`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Whether there is work left that is ready to run: feed `Tick` soon, without waiting for the deadline.
    pub more: bool,
}

/// A host has broken the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StepError {
    /// The first event must be `Start`.
    NotStarted,
    /// `Start` was fed for the second time.
    AlreadyStarted,
    /// No such task was ever invoked.
    UnknownTask(TaskId),
    /// The JSON text of the execution's input is longer than [`Options::payload_limit`], whose value this contains, in bytes.
    /// StartExecution refuses such an input.
    InputTooLarge(usize),
    /// The execution's input has more levels of arrays and objects than [`json::MAX_DEPTH`].
    InputTooDeep,
    /// Only an execution that has failed, timed out or was stopped, and whose history has room for more events, can be
    /// redriven.
    NotRedrivable,
}

impl fmt::Display for StepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StepError::NotStarted => f.write_str("the execution has not been started: feed Start first"),
            StepError::AlreadyStarted => f.write_str("the execution has already been started"),
            StepError::NotRedrivable => f.write_str(
                "only an execution that has failed, timed out or was aborted, and whose history is not full, can be redriven",
            ),
            StepError::InputTooLarge(limit) => write!(
                f,
                "1 validation error detected: Value at 'input' failed to satisfy constraint: Member must have length less than or equal to {limit}"
            ),
            StepError::InputTooDeep => {
                write!(f, "Invalid State Machine Execution Input: 'the input is nested deeper than {} levels'", json::MAX_DEPTH)
            }
            StepError::UnknownTask(task) => write!(f, "there is no task {}", task.0),
        }
    }
}

impl std::error::Error for StepError {}

impl Engine {
    /// Returns an engine that waits for [`Event::Start`].
    pub fn new(machine: Arc<Machine>, options: Options) -> Engine {
        Engine {
            machine,
            options,
            clock: Millis(0),
            started: false,
            outcome: None,
            rng: Rng::new(0),
            token_key: TokenKey::of_seed(0),
            frames: Table::default(),
            next_frame: 0,
            ready: VecDeque::new(),
            unfinished_maps: Table::default(),
            readings: VecDeque::new(),
            work: Work::default(),
            call_time: Millis(0),
            timers: Timers::default(),
            tasks: Table::default(),
            last_task: 0,
            executions: Table::default(),
            next_execution: 0,
            commands: Vec::new(),
            digest: Digest::default(),
            trace: Vec::new(),
            child_events: String::new(),
            coverage: None,
            probe: None,
            stranded: None,
        }
    }

    /// Returns an engine that tests the first state of its machine.
    pub(crate) fn with_probe(machine: Arc<Machine>, options: Options, probe: Probe) -> Engine {
        Engine { probe: Some(Box::new(probe)), ..Engine::new(machine, options) }
    }

    /// Feeds one fact (input). See the type for the rules.
    pub fn step(&mut self, now: Millis, event: Event) -> Result<Step, StepError> {
        self.work.begin_call();
        self.step_within(now, event, self.options.step_budget.max(1))
    }

    /// Works as [`step`](Engine::step), but does one thing at a time (input): it applies a fact, lets time pass, or, if fed
    /// `Tick` while states are ready, makes one transition. Debuggers use it, because everything that one call records belongs
    /// together. If a transition is a lot of work, such as the start of a long Map, the next calls continue it.
    pub fn step_once(&mut self, now: Millis, event: Event) -> Result<Step, StepError> {
        let begun = !self.unfinished_maps.is_empty() || !self.readings.is_empty();
        let transition = matches!(event, Event::Tick) && !self.ready.is_empty() && !begun;
        self.work.begin_transition();
        self.step_within(now, event, u32::from(transition))
    }

    fn step_within(&mut self, now: Millis, event: Event, mut budget: u32) -> Result<Step, StepError> {
        let starts = matches!(event, Event::Start { .. });
        if starts == self.started {
            return Err(if starts { StepError::AlreadyStarted } else { StepError::NotStarted });
        }
        if let Event::Start { input, .. } = &event {
            match json::measure(input, self.options.payload_limit, json::MAX_DEPTH) {
                // The input also had to be parsed, and no earlier payload has paid for it.
                Ok(bytes) => self.work.read(bytes),
                Err(json::Excess::Length) => return Err(StepError::InputTooLarge(self.options.payload_limit)),
                Err(json::Excess::Depth) => return Err(StepError::InputTooDeep),
            }
        }
        if let Some(task) = event.task()
            && (task.0 == 0 || task.0 > self.last_task)
        {
            return Err(StepError::UnknownTask(task));
        }
        if self.outcome.is_some() && !matches!(event, Event::Redrive) {
            return Ok(Step { more: false });
        }
        if matches!(event, Event::Redrive) && !self.is_redrivable() {
            return Err(StepError::NotRedrivable);
        }
        let now = now.max(self.clock).min(Millis::LAST);
        self.call_time = now;
        if let Event::Recovered { again } = &event {
            self.recover_tasks(now, again);
        }
        if !starts {
            loop {
                // Even with no budget left, due timers fire and the event is applied: nothing can keep out a stop.
                self.drain(&mut budget);
                let Some((key, owner, kind)) = self.timers.pop_due(now) else { break };
                self.clock = key.0.max(self.clock);
                self.fire(key, owner, kind);
            }
        }
        self.clock = now;
        self.apply(event);
        self.drain(&mut budget);
        debug_assert_eq!(self.check_invariants(), Ok(()));
        Ok(Step { more: self.has_more() })
    }

    /// Takes the commands that were issued since the last call (output).
    pub fn take_commands(&mut self) -> Vec<Command> {
        std::mem::take(&mut self.commands)
    }

    /// Returns the commands that were not taken yet (getter). Hosts that execute them in place call
    /// [`clear_commands`](Engine::clear_commands) afterwards, which reuses the allocation.
    pub fn commands(&self) -> &[Command] {
        &self.commands
    }

    /// Drops the commands that were not taken yet (output).
    pub fn clear_commands(&mut self) {
        self.commands.clear();
    }

    /// The time at which to feed `Tick` next (getter); `None` if only tasks can move the execution.
    pub fn deadline(&self) -> Option<Millis> {
        if self.outcome.is_some() {
            None
        } else if !self.has_more() {
            // The timer of a heartbeat that has not begun is set to the end of time.
            self.timers.next().filter(|at| at.0 != u64::MAX)
        } else {
            Some(self.clock)
        }
    }

    /// Whether something is ready to run now.
    fn has_more(&self) -> bool {
        !self.ready.is_empty() || !self.unfinished_maps.is_empty() || !self.readings.is_empty()
    }

    /// `RUNNING`, `SUCCEEDED`, `FAILED`, `TIMED_OUT`, `ABORTED` (getter); `NOT_STARTED` before the first event.
    pub fn status(&self) -> &'static str {
        match &self.outcome {
            Some(outcome) => outcome.status(),
            None if self.started => "RUNNING",
            None => "NOT_STARTED",
        }
    }

    /// How the execution ended (getter); `None` while it runs.
    pub fn outcome(&self) -> Option<&Outcome> {
        self.outcome.as_ref()
    }

    /// The latest instant that the engine has seen (getter).
    pub fn clock(&self) -> Millis {
        self.clock
    }

    /// The execution's quotas and levels (getter).
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The machine that the engine executes (getter).
    pub fn machine(&self) -> &Arc<Machine> {
        &self.machine
    }

    /// The events that the engine still holds (getter).
    pub fn history(&self) -> &[HistoryEvent] {
        self.executions.get(&0).map_or(&[], |execution| &execution.recorder.events)
    }

    /// Takes all events out of the engine (output), for hosts that store them elsewhere. The ids continue.
    pub fn take_history(&mut self) -> Vec<HistoryEvent> {
        self.executions.get_mut(&0).map(|execution| std::mem::take(&mut execution.recorder.events)).unwrap_or_default()
    }

    /// Returns the events from index `from` of those that the engine still holds, as a JSON array in the shape of
    /// `GetExecutionHistory` (getter).
    pub fn history_json(&self, from: usize) -> String {
        let mut out = String::from("[");
        for (i, event) in self.history().iter().skip(from).enumerate() {
            if i > 0 {
                out.push(',');
            }
            event.write_json(&mut out);
        }
        out.push(']');
        out
    }

    /// The stages of data flow that were recorded so far (getter).
    pub fn trace(&self) -> &[Stage] {
        &self.trace
    }

    /// Takes the recorded stages of data flow (output); empty unless [`Options::trace`] is on.
    pub fn take_trace(&mut self) -> Vec<Stage> {
        self.child_events.clear();
        std::mem::take(&mut self.trace)
    }
}

#[cfg(test)]
mod fixtures {
    //! Fixtures for the tests of the engine's parts: machines, started engines, and the commands that they issue.

    use super::{Command, Engine, Event, ExecutionInfo, Options};
    use crate::asl;
    use crate::asl::ir::Machine;
    use crate::base::{Millis, json};
    use std::sync::Arc;

    /// Compiles a definition that has no errors.
    pub(super) fn machine(definition: &str) -> Arc<Machine> {
        let compiled = asl::compile(definition, &asl::CompileOptions::default());
        compiled.machine.unwrap_or_else(|| panic!("{:?}", compiled.diagnostics)).into()
    }

    /// Returns an engine that was started at time 0 with this input.
    pub(super) fn started(definition: &str, input: &str) -> Engine {
        let mut engine = Engine::new(machine(definition), Options::default());
        let input = json::parse(input).unwrap();
        engine.step(Millis(0), Event::Start { input, execution: ExecutionInfo::named("m", "e"), seed: 0 }).unwrap();
        engine
    }

    /// The commands that were issued since the last call.
    pub(super) fn issued(engine: &mut Engine) -> Vec<String> {
        let said = |command| match command {
            Command::Invoke(call) => format!("invoke {} {}", call.task.0, call.state_name),
            Command::Cancel { task, reason } => format!("cancel {} {}", task.0, reason.as_str()),
            Command::ChildFinished(_) => "child".into(),
            Command::StartChild(child) => format!("start {}", child.index),
            Command::StopChildren { .. } => "stop".into(),
            Command::Finish(outcome) => outcome.status().into(),
        };
        engine.take_commands().into_iter().map(said).collect()
    }
}
