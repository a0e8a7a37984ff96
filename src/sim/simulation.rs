//! A simulated host: tasks answer from a script, and time jumps to the next event.

use super::replay::Journal;
use crate::asl::ir::Machine;
use crate::base::{Millis, Names, Table, Value};
use crate::engine::{Command, Engine, Event, ExecutionInfo, Invocation, Options, Outcome, TaskId};
use std::collections::VecDeque;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

/// Computes the answer of a task.
type AnswerFunction = Rc<dyn Fn(&Invocation) -> Response>;

/// The answers of tasks, with a queue for each name. The names that match an invocation are, in this order, `State@Map[i]` (for
/// one iteration), the state, the Resource.
#[derive(Clone, Default)]
pub struct Script {
    names: Names,
    queues: Vec<VecDeque<Response>>,
    otherwise: Option<Response>,
    stand_in: Option<AnswerFunction>,
}

impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Script").field("names", &self.names).field("queues", &self.queues).finish_non_exhaustive()
    }
}

impl Script {
    /// Returns a script without answers: every task fails with an error that says so.
    pub fn new() -> Script {
        Script::default()
    }

    /// Adds an answer to the queue of a name; the last one of a queue is repeated.
    pub fn answer(&mut self, name: &str, response: Response) {
        match self.names.get(name).and_then(|at| self.queues.get_mut(at)) {
            Some(queue) => queue.push_back(response),
            None => {
                self.names.insert(name.into(), self.queues.len());
                self.queues.push([response].into());
            }
        }
    }

    /// Sets the answer of tasks that have no queue.
    pub fn otherwise(&mut self, response: Response) {
        self.otherwise = Some(response);
    }

    /// Sets a function that computes the answer of tasks that have no queue.
    pub fn otherwise_with(&mut self, answer: impl Fn(&Invocation) -> Response + 'static) {
        self.stand_in = Some(Rc::new(answer));
    }

    /// Returns the next answer for a call.
    pub fn respond(&mut self, call: &Invocation) -> Response {
        let own = call.iterations.last().map(|i| format!("{}@Map[{i}]", call.state_name));
        for name in own.into_iter().chain([call.state_name.to_string(), call.resource.to_string()]) {
            if let Some(queue) = self.names.get(&name).and_then(|at| self.queues.get_mut(at)) {
                return match queue.len() {
                    0 | 1 => queue.front().cloned().unwrap_or_default(),
                    _ => queue.pop_front().unwrap_or_default(),
                };
            }
        }
        if let Some(answer) = &self.stand_in {
            return answer(call);
        }
        self.otherwise.clone().unwrap_or_else(|| Response {
            ending: Ending::Error {
                error: Some("States.TaskFailed".into()),
                cause: Some(format!("The script has no answer for the state '{}' ({})", call.state_name, call.resource).into()),
            },
            ..Response::default()
        })
    }
}

/// One answer of a task.
#[derive(Clone, Debug, Default)]
pub struct Response {
    /// Milliseconds from the invocation to the end.
    pub after: u64,
    /// When a worker takes an activity, and the worker's name. Without it, the history gets this event when the activity ends.
    pub started: Option<Started>,
    /// A service's first response, for `.sync` and `.waitForTaskToken`; it comes at once.
    pub submitted: Option<Value>,
    /// Milliseconds from the invocation to each heartbeat.
    pub heartbeats: Vec<u64>,
    /// How the task ends.
    pub ending: Ending,
}

/// A worker takes an activity.
#[derive(Clone, Debug, Default)]
pub struct Started {
    /// Milliseconds from the invocation.
    pub after: u64,
    /// The worker's name, if it has one.
    pub worker: Option<Arc<str>>,
}

/// How a scripted task ends.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum Ending {
    /// With a result.
    Output(Value),
    /// With an error.
    Error {
        /// `Error`
        error: Option<Arc<str>>,
        /// `Cause`
        cause: Option<Arc<str>>,
    },
    /// It never ends: the state waits for its time-out.
    #[default]
    Never,
}

/// An execution driven by a [`Script`] on virtual time.
///
/// ```
/// use stepglass::asl;
/// use stepglass::base::json;
/// use stepglass::sim::{Ending, Response, Script, Simulation};
///
/// let text = r#"{"StartAt":"Nap","States":{
///   "Nap":{"Type":"Wait","Seconds":86400,"Next":"Work"},
///   "Work":{"Type":"Task","Resource":"mine","End":true}}}"#;
/// let machine = asl::compile(text, &asl::CompileOptions::default()).machine.unwrap();
/// let mut script = Script::new();
/// script.answer("Work", Response { ending: Ending::Output(42i64.into()), ..Response::default() });
/// let report = Simulation::new(machine.into(), script).run(json::parse("{}").unwrap());
/// assert_eq!(report.engine.status(), "SUCCEEDED");
/// assert_eq!(report.engine.clock().0, 86_400_000);
/// ```
#[derive(Clone, Debug)]
pub struct Simulation {
    machine: Arc<Machine>,
    script: Script,
    /// Quotas and levels.
    pub options: Options,
    /// The execution's names.
    pub execution: ExecutionInfo,
    /// Seed of its randomness.
    pub seed: u64,
    /// The time at which the execution starts.
    pub start: Millis,
    /// When to stop it from outside.
    pub stop_at: Option<Millis>,
    /// The error and cause of that stop.
    pub stop_reason: (Option<Arc<str>>, Option<Arc<str>>),
    /// The number of steps after which the simulation is given up as stalled; a step is one fact that is fed to the engine.
    pub step_limit: u64,
}

/// The result of a simulation.
#[derive(Clone, Debug)]
pub struct Report {
    /// The engine at the end.
    pub engine: Engine,
    /// All facts that were fed to it.
    pub journal: Journal,
    /// The commands that it issued.
    pub commands: Vec<Command>,
    /// How the execution ended; `None` if it waits for something that never comes.
    pub outcome: Option<Outcome>,
}

impl Simulation {
    /// Returns a simulation with default options and seed 0, at time 0.
    pub fn new(machine: Arc<Machine>, script: Script) -> Simulation {
        Simulation {
            machine,
            script,
            options: Options::default(),
            execution: ExecutionInfo::named("StateMachine", "execution"),
            seed: 0,
            start: Millis(0),
            stop_at: None,
            stop_reason: (None, None),
            step_limit: 1_000_000,
        }
    }

    /// Runs the execution to its end, or until nothing more can happen.
    pub fn run(mut self, input: Value) -> Report {
        let mut engine = Engine::new(self.machine.clone(), self.options);
        let mut journal = Journal::default();
        let mut given = Vec::new();
        let mut due: Table<(Millis, u64), Event> = Table::default();
        let mut made = 0;
        if let Some(at) = self.stop_at {
            let (error, cause) = self.stop_reason.clone();
            due.insert((at, 0), Event::Stop { error, cause });
        }
        let mut next = Some((self.start, Event::Start { input, execution: self.execution.clone(), seed: self.seed }));
        let mut steps = 0;
        while let Some((now, event)) = next.take() {
            steps += 1;
            journal.push(now, event.clone());
            let more = match engine.step(now, event) {
                Ok(step) => step.more,
                // Invariant: the script answers only tasks that were invoked, and starts the execution once.
                Err(_) => break,
            };
            let commands = engine.take_commands();
            for command in &commands {
                match command {
                    Command::Invoke(call) => {
                        let response = self.script.respond(call);
                        for (at, event) in events(call.task, engine.clock(), response) {
                            made += 1;
                            due.insert((at, made), event);
                        }
                    }
                    Command::Cancel { task, .. } => due.retain(|_, event| event.task() != Some(*task)),
                    _ => {}
                }
            }
            given.extend(commands);
            if engine.outcome().is_some() || steps >= self.step_limit {
                break;
            }
            let deadline = engine.deadline();
            next = match (due.first().map(|(key, _)| *key), deadline) {
                _ if more => Some((now, Event::Tick)),
                // At the same time the timer comes first, as in the engine.
                (Some(key), Some(at)) if at <= key.0 => Some((at, Event::Tick)),
                (Some(key), _) => due.remove(&key).map(|event| (key.0, event)),
                (None, Some(at)) => Some((at, Event::Tick)),
                (None, None) => None,
            };
        }
        let outcome = engine.outcome().cloned();
        Report { engine, journal, commands: given, outcome }
    }
}

/// Returns a response as facts with their times.
fn events(task: TaskId, now: Millis, response: Response) -> Vec<(Millis, Event)> {
    let mut events = Vec::new();
    if let Some(output) = response.submitted {
        events.push((now, Event::TaskSubmitted { task, output }));
    }
    if let Some(Started { after, worker }) = response.started {
        events.push((now.plus(after), Event::TaskStarted { task, worker }));
    }
    for beat in response.heartbeats {
        events.push((now.plus(beat), Event::TaskHeartbeat { task }));
    }
    match response.ending {
        Ending::Output(output) => events.push((now.plus(response.after), Event::TaskSucceeded { task, output })),
        Ending::Error { error, cause } => events.push((now.plus(response.after), Event::TaskFailed { task, error, cause })),
        Ending::Never => {}
    }
    events
}
