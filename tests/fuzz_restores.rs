//! Runs small random machines, each with many outcomes, clocks and restore points: the cases are cheap enough for large
//! numbers.
//!
//! Two engines are fed the same facts. One of them is never restored, the other one again and again, from its own snapshot.
//! After every fact both continue with several possible next facts: a case is one such continuation, of one to four facts, at
//! one point. Both must issue the same commands and write the same history. `fuzz_engine` checks more of each execution, but
//! takes much longer.
//!
//! `STEPGLASS_FUZZ` sets the number of machines (default 100), `STEPGLASS_SEED` the first seed. A failure prints its seed and
//! its run.

mod machines;

use machines::{history_rules, random_machine, random_options, random_time, value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use stepglass::asl::ir::Machine;
use stepglass::base::{Millis, Rng, Value, json};
use stepglass::engine::{
    CallPurpose, Command, Engine, Event, ExecutionInfo, HistoryEvent, Outcome, SNAPSHOT_DEPTH, Step, StepError, TaskId,
};

/// The number of runs of one machine. In debug builds, which check the engine's invariants after every call, a few are enough.
const RUNS: u64 = if cfg!(debug_assertions) { 4 } else { 100 };

/// The number of continuations after each fact. After the end only a redrive is possible, so two are enough.
const CONTINUATIONS: usize = if cfg!(debug_assertions) { 2 } else { 10 };

/// Maximum number of events for which a snapshot with all of them is taken after every fact.
const SHORT_HISTORY: usize = 40;

/// The number of facts that are chosen at random; then every task is answered.
const RANDOM_FACTS: usize = 24;

/// The number of facts after which an execution that has not ended is treated as a loop and stopped.
const MAX_FACTS: usize = 60;

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn a_restore_at_any_fact_changes_nothing() {
    let machines = number("STEPGLASS_FUZZ", 100);
    let first = number("STEPGLASS_SEED", 1);
    let (mut runs, mut cases, mut facts, mut ended) = (0, 0, 0, 0);
    for seed in first..first + machines {
        let mut rng = Rng::new(seed);
        let depth = rng.below(3) as u32;
        let (machine, text) = random_machine(&mut rng, depth);
        for number in 0..RUNS {
            let chances = RandomRun { machine: &machine, rng: Rng::new(seed ^ (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)) };
            let checked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| chances.check()));
            let Ok(run) = checked else { panic!("seed {seed}, run {number}: {text}") };
            runs += 1;
            cases += run.cases;
            facts += run.facts;
            ended += u64::from(!run.looped);
        }
    }
    println!("fuzz: {cases} cases");
    println!("{machines} machines, {runs} runs, {facts} facts, {ended} ended by themselves");
    assert!(ended * 2 > runs, "most executions should come to an end");
}

/// A machine, and the random decisions about one of its executions.
struct RandomRun<'a> {
    machine: &'a Arc<Machine>,
    rng: Rng,
}

impl RandomRun<'_> {
    fn check(mut self) -> Run {
        let mut options = random_options(&mut self.rng);
        // A loop of 25,000 events costs as much as a hundred other cases.
        options.history_limit = options.history_limit.min(400);
        let engine = Engine::new(self.machine.clone(), options);
        // A snapshot without the history's events does not contain the stages of the data flow.
        let lean = !options.trace && self.rng.below(8) > 0;
        // The engine is restored often, or only once.
        let restores_often = self.rng.below(8) > 0;
        let mut run = Run::new(engine, lean);
        let input = value(&mut self.rng, 2);
        let seed = self.rng.below(u64::MAX);
        self.feed(&mut run, restores_often, Event::Start { input, execution: ExecutionInfo::named("m", "e"), seed });
        while run.facts < RANDOM_FACTS {
            if run.engine.outcome().is_some() && (!run.engine.is_redrivable() || self.rng.below(4) > 0) {
                break;
            }
            run.now = random_time(&mut self.rng, run.now, run.engine.deadline());
            let event = match run.engine.outcome() {
                Some(_) => Event::Redrive,
                None => self.event(&run.engine, run.facts),
            };
            self.feed(&mut run, restores_often, event);
        }
        while run.facts < MAX_FACTS && run.engine.outcome().is_none() {
            let event = run.answer();
            self.feed(&mut run, restores_often, event);
        }
        if run.engine.outcome().is_none() {
            run.looped = true;
            self.feed(&mut run, restores_often, Event::Stop { error: None, cause: None });
        }
        run.check_end();
        run
    }

    /// Feeds a fact to both engines, restores one of them, and tries possible next facts.
    fn feed(&mut self, run: &mut Run, restores_often: bool, event: Event) {
        run.feed(event);
        let due = match (restores_often, run.lean) {
            (false, _) => !run.was_restored && self.rng.below(4) == 0,
            (true, true) => self.rng.below(4) > 0,
            (true, false) => run.history.len() <= SHORT_HISTORY || self.rng.below(8) == 0,
        };
        if due {
            let check = self.rng.below(8) == 0;
            run.restore(check);
        }
        if !run.was_restored {
            return;
        }
        let continuations = if run.engine.outcome().is_some() { 2 } else { CONTINUATIONS };
        for _ in 0..continuations {
            self.try_next(run);
            run.cases += 1;
        }
    }

    /// Runs a case: feeds one of the possible next facts to both engines, and then some more.
    fn try_next(&mut self, run: &Run) {
        let (mut engine, mut restored) = (run.engine.clone(), run.restored.clone());
        let (mut now, mut seen) = (run.now, run.seen);
        for after in 0..4 {
            now = random_time(&mut self.rng, now, engine.deadline());
            let event = match engine.outcome() {
                Some(_) if self.rng.below(2) == 0 => Event::Redrive,
                _ => self.event(&engine, run.facts + after),
            };
            let step = feed_both(&mut engine, &mut restored, now, &event);
            assert_eq!(restored.history()[seen..], *engine.history(), "after {event:?}");
            engine.clear_commands();
            engine.take_history();
            seen = restored.history().len();
            if step.is_err() || self.rng.below(3) > 0 {
                break;
            }
        }
    }

    /// Returns the next fact, which is usually the outcome of a task.
    fn event(&mut self, engine: &Engine, facts: usize) -> Event {
        let pending = engine.pending();
        let task = match pending.len() {
            0 => None,
            open => Some(pending[self.rng.below(open as u64) as usize].task),
        };
        match (self.rng.below(25), task) {
            (0, _) if facts > 4 => Event::Stop { error: Some("Stopped".into()), cause: None },
            (1, task) => Event::Cancel { cause: None, spared: task.into_iter().collect(), within: None },
            (2, task) => Event::Recovered { again: task.into_iter().collect() },
            (3, Some(task)) => Event::TaskHeartbeat { task },
            (4, Some(task)) => Event::TaskStarted { task, worker: None },
            (5, Some(task)) => Event::TaskSubmitted { task, output: value(&mut self.rng, 1) },
            (6..=11, Some(task)) => {
                let error = ["Red", "Blue", "States.Timeout", "States.Runtime"][self.rng.below(4) as usize];
                Event::TaskFailed { task, error: Some(error.into()), cause: None }
            }
            (12..=20, Some(task)) => Event::TaskSucceeded { task, output: value(&mut self.rng, 2) },
            _ => Event::Tick,
        }
    }
}

/// An execution in an engine that is never restored, and in one that is.
struct Run {
    engine: Engine,
    restored: Engine,
    was_restored: bool,
    /// Whether it is restored from snapshots without the events.
    lean: bool,
    /// The number of events of the restored engine that were compared.
    seen: usize,
    now: u64,
    open: BTreeSet<u32>,
    facts: usize,
    /// The history that was taken from the engine that is never restored.
    history: Vec<HistoryEvent>,
    redrives: u64,
    handled: Handled,
    cases: u64,
    looped: bool,
}

impl Run {
    fn new(engine: Engine, lean: bool) -> Run {
        Run {
            restored: engine.clone(),
            engine,
            was_restored: false,
            lean,
            seen: 0,
            now: 1_000,
            open: BTreeSet::new(),
            facts: 0,
            history: Vec::new(),
            redrives: 0,
            handled: Handled::default(),
            cases: 0,
            looped: false,
        }
    }

    fn feed(&mut self, event: Event) {
        if let Event::Redrive = event {
            self.redrives += 1;
            self.handled = Handled::default();
        }
        let expected = self.handled.expected(&self.engine, self.now, &event);
        let settled = match &event {
            Event::TaskSucceeded { task, .. } | Event::TaskFailed { task, .. } => Some(task.0),
            _ => None,
        };
        let step = feed_both(&mut self.engine, &mut self.restored, self.now, &event);
        assert_eq!(written(&self.restored.history()[self.seen..]), written(self.engine.history()), "after {event:?}");
        let more = step.unwrap_or_else(|error| panic!("the engine accepts the fact: {error}, after {} facts", self.facts)).more;
        self.seen = self.restored.history().len();
        if let Some(expected) = expected {
            expected.check(&self.engine);
        }
        for command in self.engine.commands() {
            self.handled.hear(command);
            match command {
                Command::Invoke(call) => assert!(self.open.insert(call.task.0), "a task is invoked once"),
                Command::Cancel { task, .. } => assert!(self.open.remove(&task.0), "only what runs is cancelled"),
                _ => {}
            }
        }
        self.engine.clear_commands();
        settled.map(|task| self.open.remove(&task));
        let waits = more || self.engine.deadline().is_some() || !self.open.is_empty();
        assert!(self.engine.outcome().is_some() || waits, "nothing can move the execution, and it does not say so");
        let made = self.engine.take_history();
        assert!(made.len() <= 200 + self.engine.options().step_budget as usize * 12, "{} events in one call", made.len());
        self.history.extend(made);
        self.facts += 1;
    }

    /// Returns a fact that ends what the execution waits for.
    fn answer(&mut self) -> Event {
        let Some(task) = self.open.first().copied() else {
            self.now = self.engine.deadline().map_or(self.now, |at| at.0.max(self.now));
            return Event::Tick;
        };
        Event::TaskSucceeded { task: TaskId(task), output: Value::empty_object() }
    }

    /// Replaces the restored engine by one from its own snapshot.
    fn restore(&mut self, check: bool) {
        let snapshot = |engine: &Engine| if self.lean { engine.snapshot_without_events() } else { engine.snapshot() };
        let text = snapshot(&self.restored);
        let parsed = json::parse_within(&text, SNAPSHOT_DEPTH).expect("a snapshot is JSON");
        self.restored = Engine::restore(self.engine.machine().clone(), &parsed).expect("a snapshot restores");
        self.was_restored = true;
        self.seen = self.restored.history().len();
        if check {
            // The snapshot also contains what no later fact reveals.
            assert_eq!(snapshot(&self.restored), text, "restored after {} facts", self.facts);
        }
    }

    /// Checks the properties of an execution that has ended.
    fn check_end(&self) {
        assert!(self.open.is_empty(), "every task was answered or cancelled");
        assert!(self.engine.pending().is_empty() && self.engine.deadline().is_none());
        let limit = u64::from(self.engine.options().history_limit) + self.redrives * 2;
        assert!(self.history.len() as u64 <= limit, "{} events", self.history.len());
        history_rules::check(self.engine.machine(), &self.history);
    }
}

/// Feeds a fact to both engines: they must accept or refuse it alike, and issue the same commands.
fn feed_both(engine: &mut Engine, restored: &mut Engine, now: u64, event: &Event) -> Result<Step, StepError> {
    let step = engine.step(Millis(now), event.clone());
    assert_eq!(restored.step(Millis(now), event.clone()), step, "{event:?}");
    assert_eq!(restored.commands_digest(), engine.commands_digest(), "{:?} and {:?}", restored.commands(), engine.commands());
    restored.clear_commands();
    assert_eq!(restored.deadline(), engine.deadline());
    assert_eq!(restored.outcome(), engine.outcome());
    step
}

/// Returns events as exact text: two that are equal may have their members in different orders.
fn written(events: &[HistoryEvent]) -> String {
    let mut text = String::new();
    events.iter().for_each(|event| event.write_json(&mut text));
    text
}

/// The expected effects of Retry and Catch, counted independently of the engine.
#[derive(Default)]
struct Handled {
    /// For each task its state, and the visit of the state.
    tasks: BTreeMap<u32, (Arc<str>, Visit)>,
    /// How often each retrier was used in a visit; `None` if there was a time-out or a failure with another name in between.
    retries: BTreeMap<Visit, Option<Vec<u64>>>,
}

/// A visit of a state: the child execution, and the id of the event with which the state was entered.
type Visit = (Option<Arc<str>>, u64);

/// The expected effect of a failure.
enum Expected {
    /// Another attempt.
    Retry,
    /// The end of the execution, with this error.
    End(Arc<str>),
}

impl Handled {
    fn hear(&mut self, command: &Command) {
        match command {
            Command::Invoke(call) if call.purpose == CallPurpose::Task => {
                let stay = (call.child.clone(), call.entered);
                self.tasks.insert(call.task.0, (call.state_name.clone(), stay));
            }
            Command::Cancel { task, .. } => {
                if let Some((_, stay)) = self.tasks.remove(&task.0) {
                    self.retries.insert(stay, None);
                }
            }
            _ => {}
        }
    }

    /// Counts a failure. Returns its expected effect if no timer is due and the history has room.
    fn expected(&mut self, engine: &Engine, now: u64, event: &Event) -> Option<Expected> {
        let Event::TaskFailed { task, error: Some(error), .. } = event else { return None };
        let (name, stay) = self.tasks.remove(&task.0)?;
        let (_, state) = engine.machine().states.iter().find(|(_, state)| state.name == name)?;
        let counted = self.retries.entry(stay.clone()).or_insert_with(|| Some(vec![0; state.retry.len()]));
        let quiet = engine.deadline().is_none_or(|at| at.0 > now.max(engine.clock().0));
        // The task may have timed out before; and the reserved names have special rules.
        if !quiet || error.starts_with("States.") {
            *counted = None;
        }
        let used = counted.as_mut()?;
        let matches = |name: &Arc<str>| name == error || &**name == "States.ALL";
        let retrier = state.retry.iter().position(|retrier| retrier.errors.iter().any(matches));
        let retried = retrier.filter(|at| used[*at] < state.retry[*at].max_attempts);
        retried.into_iter().for_each(|at| used[at] += 1);
        let room = engine.event_count() + 12 < u64::from(engine.options().history_limit);
        if !room || stay.0.is_some() {
            return None;
        }
        let caught = state.catch.iter().flat_map(|catcher| &catcher.errors).any(matches);
        let outermost = state.pointer.to_string().matches('/').count() == 2;
        match retried {
            Some(_) => Some(Expected::Retry),
            None => (outermost && !caught).then(|| Expected::End(error.clone())),
        }
    }
}

impl Expected {
    fn check(&self, engine: &Engine) {
        match self {
            Expected::Retry => {
                let goes_on = engine.commands().iter().all(|command| matches!(command, Command::Invoke(_)));
                assert!(goes_on && engine.deadline().is_some(), "an error with a retry left is retried");
            }
            Expected::End(expected) => match engine.outcome() {
                Some(Outcome::Failed { error, .. }) => assert_eq!(error.as_ref(), Some(expected)),
                other => panic!("an error without Retry and Catch ends the execution, and not {other:?}"),
            },
        }
    }
}
