//! Small random machines, each with many outcomes, clocks and restore points: cases that are cheap enough for great numbers.
//!
//! A case runs an execution, then feeds the same facts to a second engine, which is restored from a snapshot at one of them. The
//! second engine must ask for the same after every fact and write the same history. `fuzz_engine` checks more of each execution,
//! and takes twenty times as long for it.
//!
//! `STEPGLASS_FUZZ` sets the number of machines times ten (default 500), `STEPGLASS_SEED` the first seed. A failure names its seed
//! and its variation.

mod machines;

use machines::{random_machine, random_options, random_time, told, value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use stepglass::asl::ir::Machine;
use stepglass::base::{Millis, Rng, Value, json};
use stepglass::engine::{CallPurpose, Command, Engine, Event, ExecutionInfo, Options, Outcome, SNAPSHOT_DEPTH, TaskId};

/// Cases of one machine: in debug builds, which check the engine's invariants after every call, a few are enough.
const VARIATIONS: u64 = if cfg!(debug_assertions) { 10 } else { 200 };

/// Facts that are chosen at random; then everything is answered.
const RANDOM_FACTS: usize = 24;

/// Facts after which an execution that has not ended is taken for a loop, and stopped.
const MOST_FACTS: usize = 200;

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn a_restore_at_any_fact_changes_nothing() {
    let machines = number("STEPGLASS_FUZZ", 500).div_ceil(10);
    let first = number("STEPGLASS_SEED", 1);
    let (mut facts, mut ended) = (0, 0);
    for seed in first..first + machines {
        let mut rng = Rng::new(seed);
        let depth = rng.below(3) as u32;
        let (machine, text) = random_machine(&mut rng, depth);
        for variation in 0..VARIATIONS {
            let case = Case { machine: &machine, rng: Rng::new(seed ^ (variation + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)) };
            let run = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| case.check()));
            let Ok(outcome) = run else { panic!("seed {seed}, variation {variation}: {text}") };
            facts += outcome.facts as u64;
            ended += u64::from(outcome.ended);
        }
    }
    let cases = machines * VARIATIONS;
    println!("fuzz: {cases} cases");
    println!("{machines} machines, {cases} executions, {facts} facts, {ended} ended by themselves");
    assert!(ended * 2 > cases, "most executions should come to an end");
}

/// What a case was.
struct Ran {
    facts: usize,
    ended: bool,
}

/// One execution of a machine, and what decides about it.
struct Case<'a> {
    machine: &'a Arc<Machine>,
    rng: Rng,
}

impl Case<'_> {
    fn check(mut self) -> Ran {
        let options = random_options(&mut self.rng);
        // A loop of 25,000 events costs as much as a hundred other cases.
        let mut options = options;
        options.history_limit = options.history_limit.min(400);
        let (engine, open, handled) = (Engine::new(self.machine.clone(), options), BTreeSet::new(), Handled::default());
        let mut run = Run { engine, now: 1_000, open, facts: Vec::new(), redrives: 0, handled };
        let input = value(&mut self.rng, 2);
        let seed = self.rng.below(u64::MAX);
        run.feed(Event::Start { input, execution: ExecutionInfo::named("m", "e"), seed });
        while run.facts.len() < RANDOM_FACTS {
            run.now = random_time(&mut self.rng, run.now, run.engine.deadline());
            if run.engine.outcome().is_some() {
                if !run.engine.is_redrivable() || self.rng.below(4) > 0 {
                    break;
                }
                run.redrives += 1;
                run.handled = Handled::default();
                run.feed(Event::Redrive);
                continue;
            }
            let event = self.event(&run);
            run.feed(event);
        }
        while run.facts.len() < MOST_FACTS && run.engine.outcome().is_none() {
            run.answer();
        }
        let ended = run.engine.outcome().is_some();
        if !ended {
            run.feed(Event::Stop { error: None, cause: None });
        }
        run.check_end();
        let again = Again {
            at: self.rng.below(run.facts.len() as u64 + 1) as usize,
            // Stages of the data flow are not in a snapshot without the history's events.
            lean: !options.trace && self.rng.below(2) == 0,
        };
        again.check(self.machine, options, &run);
        Ran { facts: run.facts.len(), ended }
    }

    /// What is told next: mostly the outcome of a task.
    fn event(&mut self, run: &Run) -> Event {
        let open = run.open.len() as u64;
        let task = run.open.iter().nth(self.rng.below(open.max(1)) as usize).copied().map(TaskId);
        match (self.rng.below(25), task) {
            (0, _) if run.facts.len() > 4 => Event::Stop { error: Some("Stopped".into()), cause: None },
            (1, task) => Event::Cancel { cause: None, spared: task.into_iter().collect() },
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

/// An execution, and the facts that it was told, each with its time and the digest of all commands after it.
struct Run {
    engine: Engine,
    now: u64,
    open: BTreeSet<u32>,
    facts: Vec<(Millis, Event, u64)>,
    redrives: u64,
    handled: Handled,
}

impl Run {
    fn feed(&mut self, event: Event) {
        let expected = self.handled.expected(&self.engine, self.now, &event);
        let settled = match &event {
            Event::TaskSucceeded { task, .. } | Event::TaskFailed { task, .. } => Some(task.0),
            _ => None,
        };
        let before = self.engine.history().len();
        let more = self.engine.step(Millis(self.now), event.clone()).expect("the engine knows what it is told of").more;
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
        let made = self.engine.history().len() - before;
        assert!(made <= 200 + self.engine.options().step_budget as usize * 12, "{made} events in one call");
        self.facts.push((Millis(self.now), event, self.engine.commands_digest()));
    }

    /// Tells what ends what the execution waits for.
    fn answer(&mut self) {
        let Some(task) = self.open.first().copied() else {
            self.now = self.engine.deadline().map_or(self.now, |at| at.0.max(self.now));
            return self.feed(Event::Tick);
        };
        self.feed(Event::TaskSucceeded { task: TaskId(task), output: Value::empty_object() });
    }

    /// What must hold of an execution that has ended.
    fn check_end(&self) {
        assert!(self.open.is_empty(), "every task was answered or cancelled");
        assert!(self.engine.pending().is_empty() && self.engine.deadline().is_none());
        let history = self.engine.history();
        assert!(
            history.len() as u64 <= u64::from(self.engine.options().history_limit) + self.redrives * 2,
            "{} events",
            history.len()
        );
        told::check(self.engine.machine(), history);
    }
}

/// The same facts for a second engine, which is restored before one of them; after the last one, it is not restored.
struct Again {
    at: usize,
    /// From a snapshot without the history's events.
    lean: bool,
}

impl Again {
    fn check(&self, machine: &Arc<Machine>, options: Options, run: &Run) {
        let mut engine = Engine::new(machine.clone(), options);
        let mut from = 0;
        for (i, (now, event, digest)) in run.facts.iter().enumerate() {
            if i == self.at && i > 0 {
                if self.lean {
                    from = engine.history().len();
                }
                let text = if self.lean { engine.snapshot_without_events() } else { engine.snapshot() };
                let snapshot = json::parse_within(&text, SNAPSHOT_DEPTH).expect("a snapshot is JSON");
                engine = Engine::restore(machine.clone(), &snapshot).expect("a snapshot restores");
                if i % 4 == 0 {
                    // Also what no later fact shows is there again.
                    let again = if self.lean { engine.snapshot_without_events() } else { engine.snapshot() };
                    assert_eq!(again, text, "restored at {i}");
                }
            }
            engine.step(*now, event.clone()).expect("what the first one took");
            engine.clear_commands();
            assert_eq!(engine.commands_digest(), *digest, "fact {i}, restored at {}", self.at);
        }
        assert_eq!(engine.outcome(), run.engine.outcome());
        // A lean engine has only the events that have come since.
        assert_eq!(engine.history_json(0), run.engine.history_json(from), "restored at {}", self.at);
    }
}

/// What the definition's Retry and Catch make of failures, counted beside the engine.
#[derive(Default)]
struct Handled {
    /// The attempt of a task: its state, and what names the stay there.
    tasks: BTreeMap<u32, (Arc<str>, Stay)>,
    /// How often each retrier has counted in a stay; `None` where a time-out or a failure by another name was in between.
    retries: BTreeMap<Stay, Option<Vec<u64>>>,
}

/// The child execution, and the event of the state's entry.
type Stay = (Option<Arc<str>>, u64);

/// What must come of a failure.
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

    /// Counts a failure. It says what must come of it where nothing else is due, and the history has room.
    fn expected(&mut self, engine: &Engine, now: u64, event: &Event) -> Option<Expected> {
        let Event::TaskFailed { task, error: Some(error), .. } = event else { return None };
        let (name, stay) = self.tasks.remove(&task.0)?;
        let (_, state) = engine.machine().states.iter().find(|(_, state)| state.name == name)?;
        let counted = self.retries.entry(stay.clone()).or_insert_with(|| Some(vec![0; state.retry.len()]));
        let quiet = engine.deadline().is_none_or(|at| at.0 > now.max(engine.clock().0));
        // It may have timed out before; and the reserved names have rules of their own.
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
