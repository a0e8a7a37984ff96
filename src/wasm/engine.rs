//! The engine's contract, method by method.

use super::convert;
use super::definition::Machine;
use super::error::thrown;
use super::options::{EngineSettings, ExecutionIn, from_js};
use super::{port, room};
use crate::base::{Millis, Value, json};
use crate::engine::{self, Event, MapRunChange, Options, SNAPSHOT_DEPTH, StepError, TaskId};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

/// One execution. Every method that takes `now` feeds one fact and leaves its step in the port.
#[wasm_bindgen]
pub struct Engine {
    inner: Rc<RefCell<engine::Engine>>,
    /// Whether a call does one thing at a time.
    once: bool,
    /// What comes in parts.
    parts: RefCell<port::Parts>,
}

impl Engine {
    pub(super) fn shared(&self) -> Rc<RefCell<engine::Engine>> {
        self.inner.clone()
    }

    fn feed(&self, now: f64, event: Event) {
        let mut engine = self.inner.borrow_mut();
        let now = millis(now);
        match if self.once { engine.step_once(now, event) } else { engine.step(now, event) } {
            Ok(step) => port::leave(&mut engine, step),
            Err(error) => port::refuse(refusal(&error), error),
        }
        room::make();
    }
}

#[wasm_bindgen]
impl Engine {
    /// An engine that waits for `start`.
    #[wasm_bindgen(constructor)]
    pub fn new(machine: &Machine, options: JsValue) -> Result<Engine, JsValue> {
        let settings = from_js::<EngineSettings>(options)?;
        let options: Options = settings.options();
        Ok(Engine {
            inner: Rc::new(RefCell::new(engine::Engine::new(machine.shared(), options))),
            once: settings.once(),
            parts: RefCell::default(),
        })
    }

    /// Begins the execution with an input whose text of `length` bytes is in the inbox. A first task with the same
    /// input is told that it is that one.
    pub fn start(&self, now: f64, length: usize, execution: JsValue, seed: u64) -> Result<(), JsValue> {
        let execution = from_js::<ExecutionIn>(execution)?.info();
        if let Some(input) = port::received(length) {
            self.feed(now, Event::Start { input, execution, seed });
        }
        Ok(())
    }

    /// A worker has taken an activity task.
    pub fn started(&self, now: f64, task: u32, worker: Option<String>) {
        self.feed(now, Event::TaskStarted { task: TaskId(task), worker: worker.map(Arc::from) });
    }

    /// The service has answered with the text of `length` bytes in the inbox; the result of the task is yet to come.
    pub fn submitted(&self, now: f64, task: u32, length: usize) {
        if let Some(output) = port::received(length) {
            self.feed(now, Event::TaskSubmitted { task: TaskId(task), output });
        }
    }

    /// The task has its result: the text of `length` bytes in the inbox, or, of length -1, the one that crossed last.
    pub fn succeed(&self, now: f64, task: u32, length: usize) {
        if let Some(output) = port::received(length) {
            self.feed(now, Event::TaskSucceeded { task: TaskId(task), output });
        }
    }

    /// A text of items begins, of about so many bytes.
    pub fn begin(&self, bytes: usize) {
        self.parts.borrow_mut().begin(bytes);
    }

    /// The next part of that text, of `length` bytes in the inbox.
    pub fn part(&self, length: usize) {
        self.parts.borrow_mut().take(length);
    }

    /// An ItemReader has its answer: a file or JSON, whose parts have come.
    pub fn items(&self, now: f64, task: u32, file: bool) {
        let text = self.parts.borrow_mut().whole();
        self.feed(now, Event::ItemsRead { task: TaskId(task), text, file });
    }

    /// The task has failed: the texts of error and cause follow one another in the inbox, and are so many bytes long; -1 for one
    /// that is not given, -2 for both where they are those of the last failure.
    pub fn fail(&self, now: f64, task: u32, error: i32, cause: i32) {
        let [error, cause] = port::failure(error, cause);
        self.feed(now, Event::TaskFailed { task: TaskId(task), error, cause });
    }

    /// The task's worker is alive.
    pub fn heartbeat(&self, now: f64, task: u32) {
        self.feed(now, Event::TaskHeartbeat { task: TaskId(task) });
    }

    /// Time has passed.
    pub fn tick(&self, now: f64) {
        self.feed(now, Event::Tick);
    }

    /// The host is back; it hands out again what waits for its handler, and these tasks.
    pub fn recovered(&self, now: f64, again: Option<Vec<u32>>) {
        self.feed(now, Event::Recovered { again: again.unwrap_or_default().into_iter().map(TaskId).collect() });
    }

    /// Takes up an execution that did not succeed where it stood.
    pub fn redrive(&self, now: f64) {
        self.feed(now, Event::Redrive);
    }

    /// Gives a Map Run under way other limits; each is left as it is where none is given. Or with a `status`, tells it how a
    /// child has ended that the host runs.
    #[wasm_bindgen(js_name = updateMapRun)]
    pub fn update_map_run(&self, now: f64, arn: String, change: &str) {
        let given = json::parse_within(change, SNAPSHOT_DEPTH).unwrap_or(Value::Null);
        if given.get("status").is_some() {
            return self.feed(now, Event::ChildEnded { map_run: arn.into(), end: given });
        }
        let number = |name: &str| given.get(name).and_then(Value::as_f64);
        // As in JavaScript: a limit is a double, and one that is too large is the largest there is.
        let count = |name: &str| number(name).map(|n| n as u64);
        let change = MapRunChange {
            max_concurrency: count("maxConcurrency"),
            tolerated_count: count("toleratedFailureCount"),
            tolerated_percentage: number("toleratedFailurePercentage"),
        };
        self.feed(now, Event::UpdateMapRun { arn: arn.into(), change });
    }

    /// Has what waits fail, but for these tasks.
    pub fn cancel(&self, now: f64, cause: Option<String>, spared: Option<Vec<u32>>) {
        let spared = spared.unwrap_or_default().into_iter().map(TaskId).collect();
        self.feed(now, Event::Cancel { cause: cause.map(Arc::from), spared });
    }

    /// Ends the execution as ABORTED.
    pub fn stop(&self, now: f64, error: Option<String>, cause: Option<String>) {
        self.feed(now, Event::Stop { error: error.map(Arc::from), cause: cause.map(Arc::from) });
    }

    /// `{status, output?, error?, cause?}` as JSON text.
    pub fn status(&self) -> String {
        convert::status_text(&self.inner.borrow())
    }

    /// When to call `tick` next, in milliseconds since the epoch; `undefined` if only tasks can move the execution.
    pub fn deadline(&self) -> Option<f64> {
        self.inner.borrow().deadline().map(|at| at.0 as f64)
    }

    /// The events from the given index on, as JSON text in the shape of `GetExecutionHistory`.
    pub fn history(&self, from: usize) -> String {
        self.inner.borrow().history_json(from)
    }

    /// Takes the events kept so far out of the engine, as JSON text. Ids go on.
    #[wasm_bindgen(js_name = takeHistory)]
    pub fn take_history(&self) -> String {
        let mut engine = self.inner.borrow_mut();
        let text = engine.history_json(0);
        engine.take_history();
        text
    }

    /// Leaves a page of the history in the port: events from the `from`-th kept on, up to about so many bytes of them. With
    /// `take` it is the first ones, and they are gone here. How many events it has.
    pub fn page(&self, from: usize, bytes: usize, take: bool) -> usize {
        let mut engine = self.inner.borrow_mut();
        let page = if take { engine.take_page(bytes) } else { engine.page(from, bytes) };
        port::leave_page(page)
    }

    /// Forgets the first events: a replay has made them again.
    #[wasm_bindgen(js_name = forgetEvents)]
    pub fn forget_events(&self, count: usize) {
        self.inner.borrow_mut().forget_events(count);
    }

    /// How many events there are.
    #[wasm_bindgen(js_name = historyLength)]
    pub fn history_length(&self) -> usize {
        self.inner.borrow().history().len()
    }

    /// A digest of all commands so far and of the number of events, of 52 bits.
    #[wasm_bindgen(js_name = commandsDigest)]
    pub fn commands_digest(&self) -> f64 {
        self.inner.borrow().commands_digest() as f64
    }

    /// The tasks in flight, as JSON text of Invoke commands with how far each is: after a restore a host calls those again that
    /// nobody has taken on.
    pub fn pending(&self) -> String {
        convert::pending_text(&self.inner.borrow())
    }

    /// What a task that waits for a result was given, or a member of that, as JSON text with the digits of its numbers;
    /// `undefined` where there is none.
    #[wasm_bindgen(js_name = inputOf)]
    pub fn input_of(&self, task: u32, member: Option<String>) -> Option<String> {
        let engine = self.inner.borrow();
        let input = engine.input_of(TaskId(task))?;
        Some(json::to_string(match member {
            Some(name) => input.get(&name)?,
            None => input,
        }))
    }

    /// What runs now, as JSON text; with `timed` only the frames that time moves, without their payloads.
    pub fn frames(&self, timed: bool) -> String {
        convert::frames_text(&self.inner.borrow(), timed)
    }

    /// The stages of data flow since the last call, as JSON text; with the option `trace`.
    #[wasm_bindgen(js_name = takeTrace)]
    pub fn take_trace(&self) -> String {
        convert::trace_text(&self.inner.borrow_mut().take_trace())
    }

    /// The same for a debugger, which reads few of the values: a line of JSON, and their texts.
    #[wasm_bindgen(js_name = takeStages)]
    pub fn take_stages(&self) -> String {
        convert::stages_text(&self.inner.borrow_mut().take_trace())
    }

    /// What child executions have done since the last call, as JSON text; with the options `trace` and `childHistories`, before
    /// `takeTrace`, which drops it.
    #[wasm_bindgen(js_name = takeChildEvents)]
    pub fn take_child_events(&self) -> String {
        self.inner.borrow_mut().take_child_events()
    }

    /// Counts from now on what of the definition is used.
    pub fn cover(&self) {
        self.inner.borrow_mut().cover();
    }

    /// What was used and what became of errors, as JSON text: `{hits, handled}`.
    pub fn coverage(&self) -> String {
        convert::coverage_text(&self.inner.borrow())
    }

    /// The whole engine as JSON text.
    pub fn snapshot(&self) -> String {
        self.inner.borrow().snapshot()
    }

    /// The same without the events of the history.
    #[wasm_bindgen(js_name = snapshotWithoutEvents)]
    pub fn snapshot_without_events(&self) -> String {
        self.inner.borrow().snapshot_without_events()
    }

    /// The engine that a snapshot describes; with `once` it does one thing at a time. Throws `{code: "RESTORE", message}`.
    pub fn restore(machine: &Machine, snapshot: &str, once: bool) -> Result<Engine, JsValue> {
        let snapshot = json::parse_within(snapshot, SNAPSHOT_DEPTH).map_err(|error| thrown("RESTORE", error))?;
        let engine = engine::Engine::restore(machine.shared(), &snapshot).map_err(|error| thrown("RESTORE", error))?;
        Ok(Engine { inner: Rc::new(RefCell::new(engine)), once, parts: RefCell::default() })
    }

    /// A snapshot of one machine as one of another, without the events of the history. Throws `{code: "RESTORE", message}`.
    pub fn migrate(from: &Machine, to: &Machine, snapshot: &str) -> Result<String, JsValue> {
        let snapshot = json::parse_within(snapshot, SNAPSHOT_DEPTH).map_err(|error| thrown("RESTORE", error))?;
        let engine = engine::Engine::migrate(&from.shared(), to.shared(), &snapshot).map_err(|error| thrown("RESTORE", error))?;
        Ok(engine.snapshot_without_events())
    }
}

/// Whether a JSON text is the events of a snapshot, as an engine writes them.
#[wasm_bindgen(js_name = isPage)]
pub fn is_page(text: &str) -> bool {
    engine::is_page(text)
}

/// A host's clock as the engine's: whole milliseconds, none before the epoch.
pub(super) fn millis(now: f64) -> Millis {
    // The cast clamps, and takes NaN as 0.
    Millis(now as u64)
}

pub(super) fn refused(error: &StepError) -> JsValue {
    thrown(refusal(error), error)
}

fn refusal(error: &StepError) -> &'static str {
    match error {
        StepError::NotStarted => "NOT_STARTED",
        StepError::AlreadyStarted => "ALREADY_STARTED",
        StepError::UnknownTask(_) => "UNKNOWN_TASK",
        StepError::InputTooLarge(_) => "ValidationException",
        StepError::InputTooDeep => "InvalidExecutionInput",
        StepError::NotRedrivable => "NOT_REDRIVABLE",
    }
}
