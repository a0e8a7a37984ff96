//! Runs random machines with random events, and checks the properties that the engine must always have.
//!
//! `STEPGLASS_FUZZ` sets the number of sequences (default 500), `STEPGLASS_SEED` the first seed. A failure prints its seed.

mod machines;

use machines::{history_rules, random_machine, random_options, random_time, value};
use std::collections::{BTreeMap, BTreeSet};
use stepglass::base::{Map, Millis, Rng, Value, json};
use stepglass::engine::{
    CallPurpose, CancelReason, CancelScope, Command, Details, Engine, Event, ExecutionInfo, MapRunChange, SNAPSHOT_DEPTH,
    StepError, TaskId, TaskPhase,
};
use stepglass::sim::{Journal, Report, verify};

fn count() -> u64 {
    std::env::var("STEPGLASS_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(500)
}

fn first_seed() -> u64 {
    std::env::var("STEPGLASS_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(1)
}

#[test]
fn random_machines_keep_the_properties_of_the_engine() {
    let (mut finished, mut steps) = (0, 0);
    for seed in first_seed()..first_seed() + count() {
        let run = std::panic::catch_unwind(|| Run::new(seed).drive());
        match run {
            Ok((ended, taken)) => {
                finished += u64::from(ended);
                steps += taken;
            }
            Err(_) => panic!("seed {seed}"),
        }
    }
    println!("fuzz: {} cases", count());
    println!("{} sequences, {steps} steps, {finished} executions ended", count());
    assert!(finished * 2 > count(), "most sequences should come to an end");
}

#[test]
fn damaged_snapshots_are_refused_or_usable() {
    let (mut refused, mut restored) = (0u64, 0u64);
    for seed in first_seed()..first_seed() + count() {
        match std::panic::catch_unwind(|| Run::new(seed).drive_damaged()) {
            Ok(true) => restored += 1,
            Ok(false) => refused += 1,
            Err(_) => panic!("seed {seed}"),
        }
    }
    println!("fuzz: {} cases", count());
    println!("{refused} refused, {restored} restored");
    assert!(refused > 0 && restored > 0);
}

/// A random machine, its engine, and the state of a host.
struct Run {
    rng: Rng,
    engine: Engine,
    now: u64,
    journal: Journal,
    commands: Vec<Command>,
    /// Whether journal and commands are complete.
    recorded: bool,
    open: BTreeSet<u32>,
    closed: BTreeSet<u32>,
    /// Identifies each visit of a Task state, with the state's name and its last attempt since the last redrive.
    visits: BTreeMap<(Option<String>, u64), (String, Option<u32>)>,
    /// Whether the engine has counted coverage from the beginning.
    covered: bool,
    /// MaxConcurrency of each Map that has one in the definition.
    bounds: BTreeMap<String, u64>,
}

impl Run {
    fn new(seed: u64) -> Run {
        let mut rng = Rng::new(seed);
        let (machine, text) = random_machine(&mut rng, 3);
        let mut bounds = BTreeMap::new();
        max_concurrency(&json::parse(&text).expect("JSON"), &mut bounds);
        let options = random_options(&mut rng);
        let mut engine = Engine::new(machine, options);
        // A replay without coverage writes the same history.
        let covered = rng.below(2) == 0;
        if covered {
            engine.cover();
        }
        let (journal, commands) = (Journal::default(), Vec::new());
        let (open, closed, visits) = Default::default();
        let mut run = Run { rng, engine, now: 1_000, journal, commands, recorded: true, open, closed, visits, covered, bounds };
        assert_eq!(run.engine.step(Millis(0), Event::Tick).unwrap_err(), StepError::NotStarted);
        let input = value(&mut run.rng, 2);
        run.feed(Event::Start { input, execution: ExecutionInfo::named("m", "e"), seed });
        run
    }

    fn drive(mut self) -> (bool, u64) {
        let mut steps = 0;
        while steps < 80 && self.engine.outcome().is_none() {
            self.step();
            steps += 1;
        }
        // From here on every task is answered, so all executions end except endless loops.
        while steps < 1_500 && self.engine.outcome().is_none() {
            match self.open.first().copied() {
                Some(task) => self.feed(Event::TaskSucceeded { task: TaskId(task), output: Value::empty_object() }),
                None => {
                    self.now = self.engine.deadline().map_or(self.now, |at| at.0.max(self.now));
                    self.feed(Event::Tick);
                }
            }
            steps += 1;
        }
        // An execution that has not ended is a loop; a stop must end it.
        let ended = self.engine.outcome().is_some();
        if !ended {
            self.feed(Event::Stop { error: None, cause: None });
        }
        self.check_end();
        if self.covered {
            self.check_coverage();
        }
        (ended, steps)
    }

    /// Continues from a damaged snapshot. Returns whether it was restored.
    fn drive_damaged(mut self) -> bool {
        for _ in 0..self.rng.below(12) {
            self.step();
        }
        let mut snapshot = json::parse_within(&self.engine.snapshot(), SNAPSHOT_DEPTH).expect("a snapshot is JSON");
        for _ in 0..=self.rng.below(3) {
            damage(&mut self.rng, &mut snapshot);
        }
        let Ok(engine) = Engine::restore(self.engine.machine().clone(), &snapshot) else { return false };
        self.engine = engine;
        self.recorded = false;
        for _ in 0..40 {
            self.step();
        }
        true
    }

    fn feed(&mut self, event: Event) {
        let ended = self.engine.outcome().is_some();
        let redrives = matches!(event, Event::Redrive);
        let settled = match &event {
            Event::TaskSucceeded { task, .. } | Event::TaskFailed { task, .. } => Some(task.0),
            _ => None,
        };
        self.journal.push(Millis(self.now), event.clone());
        if redrives {
            self.visits.values_mut().for_each(|(_, attempt)| *attempt = None);
        }
        let before = self.engine.history().len();
        let again = match &event {
            Event::Recovered { again } => self.handed_out(again),
            _ => BTreeSet::new(),
        };
        if let Err(refused) = self.engine.step(Millis(self.now), event) {
            // A damaged engine may have lost the ids that it has used.
            assert!(!self.recorded, "{refused}");
            return;
        }
        let commands = self.engine.take_commands();
        assert!(!ended || redrives || commands.is_empty(), "nothing comes after the end");
        for (i, command) in commands.iter().enumerate() {
            match command {
                Command::Invoke(call) => {
                    let new = self.open.insert(call.task.0) && !self.closed.contains(&call.task.0);
                    assert!(new || !self.recorded, "a task is invoked once");
                    if self.recorded && call.purpose == CallPurpose::Task {
                        let key = (call.child.as_deref().map(str::to_string), call.entered);
                        let before = self.visits.insert(key, (call.state_name.to_string(), Some(call.attempt)));
                        let again = before.is_none_or(|(state, last)| state == *call.state_name && last < Some(call.attempt));
                        assert!(again, "only attempts of one stay have one name");
                    }
                }
                Command::Cancel { task, reason } => {
                    let timed_out = matches!(reason, CancelReason::Timeout | CancelReason::Heartbeat);
                    assert!(!(timed_out && again.contains(&task.0)), "what is handed out again does not time out");
                    assert!(self.open.remove(&task.0) || !self.recorded, "only what runs is cancelled");
                    self.closed.insert(task.0);
                }
                Command::ChildFinished(child) => assert!(!child.name.is_empty()),
                Command::StartChild(_) | Command::StopChildren { .. } => {}
                Command::Finish(_) => {
                    assert_eq!(i + 1, commands.len(), "Finish is the last command");
                    let open = self.open.iter().filter(|task| settled != Some(**task)).count();
                    assert!(open == 0 || !self.recorded, "whatever ran is cancelled before the end");
                }
            }
        }
        if let Some(task) = settled {
            self.open.remove(&task);
            self.closed.insert(task);
        }
        if self.recorded {
            self.check_concurrency();
            self.check_call(before);
        }
        self.commands.extend(commands);
    }

    fn step(&mut self) {
        let any = |rng: &mut Rng, set: &BTreeSet<u32>| {
            let n = set.len() as u64;
            if n == 0 { None } else { set.iter().nth(rng.below(n) as usize).copied() }
        };
        self.now = random_time(&mut self.rng, self.now, self.engine.deadline());
        let task = match self.rng.below(5) {
            0 => any(&mut self.rng, &self.closed),
            _ => any(&mut self.rng, &self.open),
        };
        let choice = self.rng.below(25);
        if choice == 0 {
            let unknown = TaskId(1_000_000);
            let refused = self.engine.step(Millis(self.now), Event::TaskHeartbeat { task: unknown });
            assert_eq!(refused.unwrap_err(), StepError::UnknownTask(unknown));
            return;
        }
        if choice == 1 && self.engine.is_redrivable() {
            return self.feed(Event::Redrive);
        }
        if choice == 2 {
            return self.restore();
        }
        let event = match (choice, task.map(TaskId)) {
            (3, _) if self.rng.below(6) == 0 => Event::Stop { error: Some("Stopped".into()), cause: None },
            (3, task) if self.rng.below(3) == 0 => Event::Cancel {
                cause: Some("enough".into()),
                spared: task.into_iter().filter(|_| self.rng.below(2) == 0).collect(),
                within: task.filter(|_| self.rng.below(3) == 0).map(CancelScope::Beside),
            },
            (4, Some(task)) => Event::TaskHeartbeat { task },
            (24, task) => Event::Recovered { again: task.into_iter().filter(|_| self.rng.below(2) == 0).collect() },
            (19, _) => self.change_of_a_run(),
            (5, Some(task)) => Event::TaskStarted { task, worker: Some("w".into()) },
            (6, Some(task)) => Event::TaskSubmitted { task, output: value(&mut self.rng, 1) },
            (7..=12, Some(task)) => {
                let error = ["Red", "Blue", "States.Timeout", "States.Runtime"][self.rng.below(4) as usize];
                Event::TaskFailed { task, error: (self.rng.below(8) > 0).then(|| error.into()), cause: None }
            }
            (13..=18, Some(task)) => Event::TaskSucceeded { task, output: value(&mut self.rng, 3) },
            _ => Event::Tick,
        };
        self.feed(event);
    }

    /// The tasks that a host hands out after a recovery.
    fn handed_out(&self, again: &[TaskId]) -> BTreeSet<u32> {
        let scheduled = self.engine.pending().into_iter().filter(|call| call.phase == TaskPhase::Scheduled).map(|call| call.task);
        scheduled.chain(again.iter().copied()).map(|task| task.0).collect()
    }

    /// Returns new limits for a Map Run, if one is in progress.
    fn change_of_a_run(&mut self) -> Event {
        let runs: Vec<_> = self.engine.frames().filter_map(|frame| frame.map_run).collect();
        let arn = match runs.get(self.rng.below(runs.len().max(1) as u64) as usize) {
            Some(run) => run.get("mapRunArn").and_then(|arn| arn.as_str()).expect("an ARN").into(),
            None => "arn:none".into(),
        };
        let max_concurrency = (self.rng.below(3) > 0).then(|| self.rng.below(4));
        let tolerated_count = (self.rng.below(3) == 0).then(|| self.rng.below(3));
        let tolerated_percentage = (self.rng.below(4) == 0).then(|| self.rng.below(101) as f64);
        Event::UpdateMapRun { arn, change: MapRunChange { max_concurrency, tolerated_count, tolerated_percentage } }
    }

    /// Continues with an engine that is restored from the text of a snapshot.
    fn restore(&mut self) {
        let text = self.engine.snapshot();
        let snapshot = json::parse_within(&text, SNAPSHOT_DEPTH).expect("a snapshot is JSON");
        let restored = Engine::restore(self.engine.machine().clone(), &snapshot).expect("a snapshot restores");
        assert_eq!(restored.snapshot(), text);
        assert_eq!(restored.history_json(0), self.engine.history_json(0));
        let pending: BTreeSet<u32> = restored.pending().iter().map(|call| call.task.0).collect();
        if self.recorded {
            assert_eq!(pending, self.open, "a restored engine waits for the same tasks");
        }
        if self.engine.options().trace {
            return;
        }
        self.engine = restored;
        self.covered = false;
    }

    /// Checks that the coverage counts agree with the history.
    fn check_coverage(&self) {
        let hits: BTreeMap<_, _> = self.engine.hits().into_iter().map(|(place, count)| (place.to_string(), count)).collect();
        let mut entered = BTreeMap::new();
        for event in self.engine.history() {
            if let Details::Entered { name, .. } = &event.details {
                *entered.entry(name.clone()).or_insert(0) += 1;
            }
        }
        let kinds = |kind| self.engine.history().iter().any(|event| event.event_type.name() == kind);
        let full = self.engine.history().len() >= self.engine.options().history_limit as usize;
        for (_, state) in self.engine.machine().states.iter() {
            let of = |part: &str| hits.get(&format!("{}{part}", state.pointer)).copied().unwrap_or(0);
            let recorded_entries = entered.get(&state.name).copied().unwrap_or(0);
            // Children of a Map Run have separate histories.
            assert!(of("") >= recorded_entries, "{}: entered {} times, recorded {recorded_entries}", state.name, of(""));
            assert!(
                of("") == recorded_entries || full || kinds("MapRunStarted"),
                "{}: entered {} times, recorded {recorded_entries}",
                state.name,
                of("")
            );
            let catches: u64 = (0..state.catch.len()).map(|i| of(&format!("/Catch/{i}"))).sum();
            let exits: u64 = ["/Next", "/End", "/Type", "/Default"].iter().map(|exit| of(exit)).sum();
            // A redriven state is not entered again.
            let redriven = self.journal.entries().iter().any(|(_, event)| matches!(event, Event::Redrive));
            assert!(catches + exits <= of("") || redriven, "{} was left more often than entered", state.name);
        }
        let handled = self.engine.handled_errors();
        let retries = handled.iter().filter(|error| error.delay.is_some()).count();
        assert!(retries as u64 <= hits.iter().filter(|(place, _)| place.contains("/Retry/")).map(|(_, count)| count).sum());
    }

    /// Checks the result of one call: the execution has ended or waits for something, and the call was short enough for the
    /// host.
    fn check_call(&self, before: usize) {
        let waits = self.engine.deadline().is_some() || !self.open.is_empty();
        assert!(self.engine.outcome().is_some() || waits, "nothing can move the execution, and it does not say so");
        // A transition writes a few events, and an error or a stop one for each aborted chain.
        let made = self.engine.history().len().saturating_sub(before);
        let budget = self.engine.options().step_budget as usize;
        assert!(made <= 200 + budget * 12, "{made} events in one call of {budget} transitions");
    }

    /// Counts the running iterations of each Map, which must not exceed its MaxConcurrency.
    fn check_concurrency(&self) {
        let frames: Vec<_> = self.engine.frames().collect();
        for map in &frames {
            let Some(bound) = self.bounds.get(&*map.state_name).filter(|bound| **bound > 0) else { continue };
            let inline = frames.iter().filter(|frame| frame.parent.is_some_and(|(parent, _)| parent == map.id)).count() as u64;
            let counts = map.map_run.as_ref().and_then(|run| run.get("executionCounts"));
            // Another limit may have been set, and then this one again while more iterations were running.
            let changed = self.journal.entries().iter().any(|(_, event)| matches!(event, Event::UpdateMapRun { .. }));
            if changed && map.map_run.is_some() {
                continue;
            }
            let children = counts.and_then(|counts| counts.get("running")).and_then(Value::as_i64).unwrap_or(0);
            let running = inline + u64::try_from(children).expect("a count");
            assert!(running <= *bound, "{running} run at once in {}, whose MaxConcurrency is {bound}", map.state_name);
        }
    }

    fn check_end(&mut self) {
        let finishes = self.commands.iter().filter(|c| matches!(c, Command::Finish(_))).count();
        let redrives = self.journal.entries().iter().filter(|(_, event)| matches!(event, Event::Redrive)).count();
        assert_eq!(finishes, redrives + 1, "one end, and one more for each redrive");
        assert!(self.open.is_empty(), "every task was answered or cancelled");
        assert!(self.engine.pending().is_empty() && self.engine.deadline().is_none());
        let limit = u64::from(self.engine.options().history_limit);
        let history = self.engine.history();
        assert!(history.len() as u64 <= limit + redrives as u64 * 2, "{} events", history.len());
        history_rules::check(self.engine.machine(), history);
        if self.recorded {
            let options = *self.engine.options();
            let replayed = verify(self.engine.machine().clone(), options, &self.journal, &self.commands);
            let replayed = replayed.unwrap_or_else(|mismatch| panic!("{mismatch}"));
            assert_eq!(replayed.history_json(0), self.engine.history_json(0), "a replay writes the same history");
            if self.journal.entries().len() < 100 && self.rng.below(4) == 0 {
                let (engine, journal, commands) = (self.engine.clone(), self.journal.clone(), self.commands.clone());
                let report = Report { outcome: engine.outcome().cloned(), engine, journal, commands };
                report.check().expect("restored after every step, it does the same");
            }
        }
        for event in [Event::Tick, Event::Stop { error: None, cause: None }] {
            self.engine.step(Millis(self.now), event).expect("events after the end are harmless");
            assert!(self.engine.take_commands().is_empty());
        }
    }
}

/// Collects MaxConcurrency of every Map by name, at any depth.
fn max_concurrency(value: &Value, bounds: &mut BTreeMap<String, u64>) {
    for (name, state) in value.get("States").and_then(Value::as_object).into_iter().flat_map(Map::iter) {
        if let Some(bound) = state.get("MaxConcurrency").and_then(Value::as_i64) {
            bounds.insert(name.to_string(), u64::try_from(bound).expect("a bound"));
        }
        let branches = state.get("Branches").and_then(Value::as_array).unwrap_or_default();
        state.get("ItemProcessor").into_iter().chain(branches).for_each(|scope| max_concurrency(scope, bounds));
    }
}

/// Changes one value somewhere in a snapshot.
fn damage(rng: &mut Rng, value: &mut Value) {
    let down = rng.below(8) > 0;
    match value {
        Value::Object(map) if down && !map.is_empty() => {
            let key = map.keys().nth(rng.below(map.len() as u64) as usize).cloned();
            let Some(key) = key else { return };
            let Some(members) = value.make_object() else { return };
            if rng.below(12) == 0 {
                members.remove(&key);
            } else if let Some(member) = members.get_mut(&key) {
                damage(rng, member);
            }
        }
        Value::Array(items) if down && !items.is_empty() => {
            let at = rng.below(items.len() as u64) as usize;
            let Some(items) = value.make_array() else { return };
            match rng.below(8) {
                0 => drop(items.remove(at)),
                1 => items.push(items[at].clone()),
                _ => damage(rng, &mut items[at]),
            }
        }
        other => {
            *other = match rng.below(6) {
                0 => Value::Null,
                1 => Value::from(rng.below(5) as i64),
                2 => Value::from(-1i64),
                3 => Value::from(i64::MAX),
                4 => Value::from("S1"),
                _ => Value::empty_object(),
            };
        }
    }
}
