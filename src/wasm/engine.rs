//! The engine's contract for JavaScript, method by method.

use super::convert;
use super::definition::Machine;
use super::error::thrown;
use super::options::{EngineSettings, ExecutionSettings, from_js};
use super::{memory, port};
use crate::base::{Millis, Value, json};
use crate::engine::{self, CancelScope, Event, MapRunChange, Options, SNAPSHOT_DEPTH, StepError, TaskId};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

/// One execution. Every method with `now` feeds one fact and leaves the results of the step in the port.
#[wasm_bindgen]
pub struct Engine {
    inner: Rc<RefCell<engine::Engine>>,
    /// Whether each call does only one thing.
    once: bool,
    /// A text that arrives in parts.
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
            Ok(step) => port::write_step(&mut engine, step),
            Err(error) => port::write_refusal(refusal(&error), error),
        }
        memory::reserve();
    }
}

#[wasm_bindgen]
impl Engine {
    /// Returns an engine that waits for `start`.
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

    /// Starts the execution with an input whose text of `length` bytes is in the inbox. If the first task has the same input,
    /// the text does not cross again.
    pub fn start(&self, now: f64, length: usize, execution: JsValue, seed: u64) -> Result<(), JsValue> {
        let execution = from_js::<ExecutionSettings>(execution)?.info();
        if let Some(input) = port::read_value(length) {
            self.feed(now, Event::Start { input, execution, seed });
        }
        Ok(())
    }

    /// Reports that the activity of a task exists, so that the task waits for a worker.
    pub fn scheduled(&self, now: f64, task: u32) {
        self.feed(now, Event::TaskScheduled { task: TaskId(task) });
    }

    /// Reports that a worker has taken an activity task.
    pub fn started(&self, now: f64, task: u32, worker: Option<String>) {
        self.feed(now, Event::TaskStarted { task: TaskId(task), worker: worker.map(Arc::from) });
    }

    /// Reports the response of a service, whose text of `length` bytes is in the inbox; the result of the task comes later.
    pub fn submitted(&self, now: f64, task: u32, length: usize) {
        if let Some(output) = port::read_value(length) {
            self.feed(now, Event::TaskSubmitted { task: TaskId(task), output });
        }
    }

    /// Reports a task's result: the text of `length` bytes in the inbox, or, if the length is -1, the text that crossed last.
    pub fn succeed(&self, now: f64, task: u32, length: usize) {
        if let Some(output) = port::read_value(length) {
            self.feed(now, Event::TaskSucceeded { task: TaskId(task), output });
        }
    }

    /// Starts a text of items of about this many bytes.
    pub fn begin(&self, bytes: usize) {
        self.parts.borrow_mut().begin(bytes);
    }

    /// Adds the next part to that text, from `length` bytes in the inbox.
    pub fn part(&self, length: usize) {
        self.parts.borrow_mut().take(length);
    }

    /// Reports an ItemReader's answer, a file or JSON, whose parts have all arrived.
    pub fn items(&self, now: f64, task: u32, file: bool) {
        let text = self.parts.borrow_mut().whole();
        self.feed(now, Event::ItemsRead { task: TaskId(task), text, file });
    }

    /// Reports that a task has failed. The texts of error and cause are in the inbox one after the other, with these lengths in
    /// bytes; -1 if one is missing, -2 for both if they are those of the last failure.
    pub fn fail(&self, now: f64, task: u32, error: i32, cause: i32) {
        let [error, cause] = port::failure(error, cause);
        self.feed(now, Event::TaskFailed { task: TaskId(task), error, cause });
    }

    /// Reports a heartbeat of the task's worker.
    pub fn heartbeat(&self, now: f64, task: u32) {
        self.feed(now, Event::TaskHeartbeat { task: TaskId(task) });
    }

    /// Reports that time has passed.
    pub fn tick(&self, now: f64) {
        self.feed(now, Event::Tick);
    }

    /// Reports that the host is back. It hands out again what waits for its handler, and these tasks.
    pub fn recovered(&self, now: f64, again: Option<Vec<u32>>) {
        self.feed(now, Event::Recovered { again: again.unwrap_or_default().into_iter().map(TaskId).collect() });
    }

    /// Continues an execution that did not succeed.
    pub fn redrive(&self, now: f64) {
        self.feed(now, Event::Redrive);
    }

    /// Changes the limits of a Map Run in progress; limits that are not given are unchanged. With a `status`, it reports the
    /// end of a child that the host runs.
    #[wasm_bindgen(js_name = updateMapRun)]
    pub fn update_map_run(&self, now: f64, arn: String, change: &str) {
        let given = json::parse_within(change, SNAPSHOT_DEPTH).unwrap_or(Value::Null);
        if given.get("status").is_some() {
            return self.feed(now, Event::ChildEnded { map_run: arn.into(), end: given });
        }
        let number = |name: &str| given.get(name).and_then(Value::as_f64);
        // As in JavaScript, a limit is a double; one that is too large becomes the largest possible limit.
        let count = |name: &str| number(name).map(|n| n as u64);
        let change = MapRunChange {
            max_concurrency: count("maxConcurrency"),
            tolerated_count: count("toleratedFailureCount"),
            tolerated_percentage: number("toleratedFailurePercentage"),
        };
        self.feed(now, Event::UpdateMapRun { arn: arn.into(), change });
    }

    /// Fails everything that waits, except these tasks. With `state`, fails only what waits in that state, or in one branch or
    /// iteration of it. With `beside`, fails only what waits in the other branches or iterations around that task.
    pub fn cancel(
        &self,
        now: f64,
        cause: Option<String>,
        spared: Option<Vec<u32>>,
        state: Option<String>,
        index: Option<u32>,
        beside: Option<u32>,
    ) {
        let spared = spared.unwrap_or_default().into_iter().map(TaskId).collect();
        let within = match (beside, state) {
            (Some(task), _) => Some(CancelScope::Beside(TaskId(task))),
            (None, Some(name)) => Some(CancelScope::State { name: name.into(), index }),
            (None, None) => None,
        };
        self.feed(now, Event::Cancel { cause: cause.map(Arc::from), spared, within });
    }

    /// Ends the execution as ABORTED.
    pub fn stop(&self, now: f64, error: Option<String>, cause: Option<String>) {
        self.feed(now, Event::Stop { error: error.map(Arc::from), cause: cause.map(Arc::from) });
    }

    /// Returns `{status, output?, error?, cause?}` as JSON text.
    pub fn status(&self) -> String {
        convert::status_text(&self.inner.borrow())
    }

    /// Returns when to call `tick` next, in milliseconds since the epoch; `undefined` if only tasks can move the execution.
    pub fn deadline(&self) -> Option<f64> {
        self.inner.borrow().deadline().map(|at| at.0 as f64)
    }

    /// Returns the events from the given index, as JSON text in the shape of `GetExecutionHistory`.
    pub fn history(&self, from: usize) -> String {
        self.inner.borrow().history_json(from)
    }

    /// Takes the events out of the engine, as JSON text. The ids continue.
    #[wasm_bindgen(js_name = takeHistory)]
    pub fn take_history(&self) -> String {
        let mut engine = self.inner.borrow_mut();
        let text = engine.history_json(0);
        engine.take_history();
        text
    }

    /// Leaves a page of the history in the port: events from index `from` of those that the engine still holds, up to about
    /// `bytes` bytes. With `take` it is the first events, which are removed from the engine. Returns the number of events in
    /// the page.
    pub fn page(&self, from: usize, bytes: usize, take: bool) -> usize {
        let mut engine = self.inner.borrow_mut();
        let page = if take { engine.take_page(bytes) } else { engine.page(from, bytes) };
        port::write_page(page)
    }

    /// Drops the first events, because a replay has created them again.
    #[wasm_bindgen(js_name = forgetEvents)]
    pub fn forget_events(&self, count: usize) {
        self.inner.borrow_mut().forget_events(count);
    }

    /// Returns the number of events.
    #[wasm_bindgen(js_name = historyLength)]
    pub fn history_length(&self) -> usize {
        self.inner.borrow().history().len()
    }

    /// Returns a digest of 52 bits of all commands so far and of the number of events.
    #[wasm_bindgen(js_name = commandsDigest)]
    pub fn commands_digest(&self) -> f64 {
        self.inner.borrow().commands_digest() as f64
    }

    /// Returns the tasks in flight, as the JSON text of Invoke commands with the phase of each. After a restore, a host calls
    /// those again that nobody has accepted.
    pub fn pending(&self) -> String {
        convert::pending_text(&self.inner.borrow())
    }

    /// Returns the input of a task that waits for its result, or a member of it, as JSON text with the original digits of
    /// numbers; `undefined` if there is none.
    #[wasm_bindgen(js_name = inputOf)]
    pub fn input_of(&self, task: u32, member: Option<String>) -> Option<String> {
        let engine = self.inner.borrow();
        let input = engine.input_of(TaskId(task))?;
        Some(json::to_string(match member {
            Some(name) => input.get(&name)?,
            None => input,
        }))
    }

    /// Returns the running frames as JSON text. With `timed`, only those that wait for a time, without their payloads.
    pub fn frames(&self, timed: bool) -> String {
        convert::frames_text(&self.inner.borrow(), timed)
    }

    /// Returns the stages of data flow since the last call, as JSON text; needs the option `trace`.
    #[wasm_bindgen(js_name = takeTrace)]
    pub fn take_trace(&self) -> String {
        convert::trace_text(&self.inner.borrow_mut().take_trace())
    }

    /// Returns the stages for a debugger, which reads few of the values: a line of JSON, and their texts.
    #[wasm_bindgen(js_name = takeStages)]
    pub fn take_stages(&self) -> String {
        convert::stages_text(&self.inner.borrow_mut().take_trace())
    }

    /// Returns the events of child executions since the last call, as JSON text; needs the options `trace` and
    /// `childHistories`. Call it before `takeTrace`, which drops them.
    #[wasm_bindgen(js_name = takeChildEvents)]
    pub fn take_child_events(&self) -> String {
        self.inner.borrow_mut().take_child_events()
    }

    /// Starts to count which parts of the definition are used.
    pub fn cover(&self) {
        self.inner.borrow_mut().cover();
    }

    /// Returns the used parts and the handled errors, as JSON text: `{hits, handled}`.
    pub fn coverage(&self) -> String {
        convert::coverage_text(&self.inner.borrow())
    }

    /// Returns the whole engine as JSON text.
    pub fn snapshot(&self) -> String {
        self.inner.borrow().snapshot()
    }

    /// Returns the snapshot without the events of the history.
    #[wasm_bindgen(js_name = snapshotWithoutEvents)]
    pub fn snapshot_without_events(&self) -> String {
        self.inner.borrow().snapshot_without_events()
    }

    /// Restores the engine from a snapshot. With `once` each call does only one thing. Throws `{code: "RESTORE", message}`.
    pub fn restore(machine: &Machine, snapshot: &str, once: bool) -> Result<Engine, JsValue> {
        let snapshot = json::parse_within(snapshot, SNAPSHOT_DEPTH).map_err(|error| thrown("RESTORE", error))?;
        let engine = engine::Engine::restore(machine.shared(), &snapshot).map_err(|error| thrown("RESTORE", error))?;
        Ok(Engine { inner: Rc::new(RefCell::new(engine)), once, parts: RefCell::default() })
    }

    /// Converts a snapshot of one machine to one of another, without the events of the history. Throws `{code: "RESTORE",
    /// message}`.
    pub fn migrate(from: &Machine, to: &Machine, snapshot: &str) -> Result<String, JsValue> {
        let snapshot = json::parse_within(snapshot, SNAPSHOT_DEPTH).map_err(|error| thrown("RESTORE", error))?;
        let engine = engine::Engine::migrate(&from.shared(), to.shared(), &snapshot).map_err(|error| thrown("RESTORE", error))?;
        Ok(engine.snapshot_without_events())
    }
}

/// Returns whether a JSON text has events in the form of a snapshot.
#[wasm_bindgen(js_name = isPage)]
pub fn is_page(text: &str) -> bool {
    engine::is_page(text)
}

/// Converts a host's time to the engine's: whole milliseconds, not before the epoch.
pub(super) fn millis(now: f64) -> Millis {
    // The cast clamps, and turns NaN into 0.
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
