//! Tests child executions of Distributed Maps that the host runs ([`Options::external_children`]): they do the same as inside
//! of their parent's engine, with random failures, and with a restore of every engine after every step.

#[allow(dead_code)]
#[path = "corpus/case.rs"]
mod case;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use stepglass::asl::{self, ir::Machine};
use stepglass::base::{Map, Millis, Rng, Value, json};
use stepglass::engine::{Command, Engine, Event, ExecutionInfo, HistoryEvent, Options, Outcome, SNAPSHOT_DEPTH, StartChild};
use stepglass::sim::{Ending, Response, Script, Simulation};

/// An engine, and its relation to the Map Run that waits for it.
struct Placement {
    engine: Engine,
    /// The index of the parent's engine, and the parent's command to start it.
    of: Option<(usize, Arc<StartChild>)>,
    more: bool,
    reported: bool,
}

/// A host that runs an execution and its child executions, each in a separate engine.
struct Host {
    script: Script,
    machine: Arc<Machine>,
    placements: Vec<Placement>,
    due: BTreeMap<(Millis, u64), (usize, Event)>,
    made: u64,
    now: Millis,
    /// The children that were reported by an engine that runs them itself.
    reported: BTreeMap<String, (String, Vec<String>)>,
    /// The lengths of the parent's snapshots, in characters.
    sizes: Vec<usize>,
}

fn line(event: &HistoryEvent) -> String {
    let mut text = String::new();
    event.write_json(&mut text);
    text
}

fn lines(events: &[HistoryEvent]) -> Vec<String> {
    events.iter().map(line).collect()
}

impl Host {
    fn new(machine: Arc<Machine>, script: Script, options: Options) -> Host {
        let placements = vec![Placement { engine: Engine::new(machine.clone(), options), of: None, more: false, reported: false }];
        let (due, reported, sizes) = Default::default();
        Host { script, machine, placements, due, made: 0, now: Millis(0), reported, sizes }
    }

    /// Feeds an engine after restoring it, and then executes its commands.
    fn feed(&mut self, at: usize, event: Event) {
        let mut queue = VecDeque::from([(at, event)]);
        while let Some((at, event)) = queue.pop_front() {
            let placement = &mut self.placements[at];
            if !matches!(event, Event::Start { .. }) {
                let text = placement.engine.snapshot();
                let snapshot = json::parse_within(&text, SNAPSHOT_DEPTH).expect("a snapshot is JSON");
                placement.engine =
                    Engine::restore(self.machine.clone(), &snapshot).unwrap_or_else(|error| panic!("{error}\n{text}"));
                assert_eq!(placement.engine.snapshot(), text);
                if at == 0 {
                    self.sizes.push(text.len());
                }
            }
            placement.more = placement.engine.step(self.now, event).expect("a fact is taken").more;
            for command in placement.engine.take_commands() {
                self.perform(at, command, &mut queue);
            }
            // An engine that has ended reports that.
            let placement = &mut self.placements[at];
            if let (Some(outcome), Some((parent, start)), false) = (placement.engine.outcome(), &placement.of, placement.reported) {
                placement.reported = true;
                queue.push_back((*parent, end(&placement.engine, outcome, start)));
            }
        }
    }

    fn perform(&mut self, at: usize, command: Command, queue: &mut VecDeque<(usize, Event)>) {
        match command {
            Command::Invoke(call) => {
                let response = self.script.respond(&call);
                let mut add = |after: u64, event| {
                    self.made += 1;
                    self.due.insert((self.now.plus(after), self.made), (at, event));
                };
                if let Some(output) = response.submitted {
                    add(0, Event::TaskSubmitted { task: call.task, output });
                }
                match response.ending {
                    Ending::Output(output) => add(response.after, Event::TaskSucceeded { task: call.task, output }),
                    Ending::Error { error, cause } => add(response.after, Event::TaskFailed { task: call.task, error, cause }),
                    _ => {}
                }
            }
            Command::Cancel { task, .. } => self.due.retain(|_, (of, event)| *of != at || event.task() != Some(task)),
            Command::StartChild(start) => match &start.snapshot {
                Some(text) => {
                    let snapshot = json::parse_within(text, SNAPSHOT_DEPTH).expect("a snapshot is JSON");
                    let engine = Engine::restore(self.machine.clone(), &snapshot).expect("a child's engine");
                    self.placements.push(Placement { engine, of: Some((at, start)), more: false, reported: false });
                    queue.push_back((self.placements.len() - 1, Event::Tick));
                }
                None => {
                    let of = |of: &Option<(usize, Arc<StartChild>)>| {
                        of.as_ref().is_some_and(|(parent, known)| {
                            *parent == at && known.map_run == start.map_run && known.index == start.index
                        })
                    };
                    let child = self.placements.iter().position(|placement| of(&placement.of)).expect("a child that is known");
                    let placement = &mut self.placements[child];
                    if let Some((_, known)) = &mut placement.of {
                        *known = Arc::new(StartChild { redrive: start.redrive, ..StartChild::clone(known) });
                    }
                    if placement.engine.is_redrivable() {
                        placement.reported = false;
                        queue.push_back((child, Event::Redrive));
                    } else {
                        let outcome = placement.engine.outcome().expect("it has ended");
                        queue.push_back((at, end(&placement.engine, outcome, &start)));
                    }
                }
            },
            Command::StopChildren { map_run, redrive } => {
                let of = |(parent, start): &(usize, Arc<StartChild>)| {
                    *parent == at && start.map_run == map_run && start.redrive == redrive
                };
                let running = self
                    .placements
                    .iter()
                    .enumerate()
                    .filter(|(_, placement)| placement.engine.outcome().is_none() && placement.of.as_ref().is_some_and(of));
                for child in running.map(|(child, _)| child).collect::<Vec<_>>() {
                    queue.push_back((child, Event::Stop { error: None, cause: None }));
                }
            }
            Command::ChildFinished(child) => {
                self.reported.insert(child.name.to_string(), (child.status.to_string(), lines(&child.history)));
            }
            Command::Finish(_) => {}
        }
    }

    /// Runs until nothing more can happen.
    fn run(&mut self) {
        loop {
            if let Some(at) = self.placements.iter().position(|placement| placement.more) {
                self.feed(at, Event::Tick);
                continue;
            }
            let deadlines =
                self.placements.iter().enumerate().filter_map(|(at, placement)| Some((placement.engine.deadline()?, at)));
            let (deadline, fact) = (deadlines.min(), self.due.first_key_value().map(|(key, _)| *key));
            match (deadline, fact) {
                (Some((at, placement)), key) if key.is_none_or(|key| at <= key.0) => {
                    self.now = self.now.max(at);
                    self.feed(placement, Event::Tick);
                }
                (_, Some(key)) => {
                    let (placement, event) = self.due.remove(&key).expect("it is there");
                    self.now = self.now.max(key.0);
                    self.feed(placement, event);
                }
                _ => return,
            }
        }
    }

    fn parent(&self) -> &Engine {
        &self.placements[0].engine
    }

    /// Returns the names of the children, with the status and the history of each.
    fn children(&self) -> BTreeMap<String, (String, Vec<String>)> {
        let children = self.placements.iter().skip(1).map(|placement| {
            let snapshot = json::parse_within(&placement.engine.snapshot(), SNAPSHOT_DEPTH).expect("a snapshot is JSON");
            let own = snapshot.get("executions").and_then(|all| all.at(0)).expect("its execution");
            let name = own.get("name").and_then(Value::as_str).expect("a name").to_string();
            (name, (placement.engine.status().to_string(), lines(placement.engine.history())))
        });
        self.reported.clone().into_iter().chain(children).collect()
    }
}

/// Returns the options of a host that runs the child executions itself, or inside of the engine.
fn options(external: bool) -> Options {
    let mut options = Options::default();
    (options.external_children, options.child_histories) = (external, !external);
    options
}

/// Returns the event that reports the end of a child to its Map Run.
fn end(engine: &Engine, outcome: &Outcome, start: &StartChild) -> Event {
    let snapshot = json::parse_within(&engine.snapshot(), SNAPSHOT_DEPTH).expect("a snapshot is JSON");
    let own = snapshot.get("executions").and_then(|all| all.at(0)).expect("its execution");
    let number = |name: &str| own.get(name).and_then(Value::as_i64).unwrap_or_default();
    let (output, error, cause) = match outcome.clone() {
        Outcome::Succeeded { output } => (output, None, None),
        Outcome::Failed { error, cause } | Outcome::Aborted { error, cause } => (Value::Null, error, cause),
        Outcome::TimedOut => (Value::Null, None, None),
    };
    let mut members = Map::from_iter([
        ("index", Value::from(start.index)),
        ("redrive", Value::from(start.redrive)),
        ("status", Value::from(outcome.status())),
        ("output", output),
        ("name", own.get("name").cloned().unwrap_or_default()),
        ("input", own.get("input").cloned().unwrap_or_default()),
        ("startDate", Value::from(number("startedAt"))),
        ("redriveCount", Value::from(number("redrives"))),
    ]);
    for (name, text) in [("error", error), ("cause", cause)] {
        if let Some(text) = text {
            members.insert(name, text);
        }
    }
    Event::ChildEnded { map_run: start.map_run.clone(), end: Value::from(members) }
}

fn started(at: Millis, input: Value) -> (Millis, Event) {
    (at, Event::Start { input, execution: ExecutionInfo::named("StateMachine", "execution"), seed: 0 })
}

#[test]
fn every_case_of_the_corpus_has_the_same_result_with_external_children() {
    let mut compared = 0;
    for file in ["distributed-map", "limits"] {
        let text = std::fs::read_to_string(format!("tests/corpus/executions/{file}.json")).expect("the corpus");
        for value in json::parse(&text).expect("JSON").as_array().expect("a list") {
            let case = case::Case::read(value).expect("a case");
            let Some(machine) = asl::compile(&case.definition, &asl::CompileOptions::default()).machine else { continue };
            if !case.definition.contains("DISTRIBUTED") || case.stop.is_some() {
                continue;
            }
            let machine = Arc::new(machine);
            let mut simulation = Simulation::new(machine.clone(), case.script.clone());
            (simulation.options, simulation.start) = (case.options, case.start);
            let inside = simulation.run(case.input.clone());
            let mut external = case.options;
            (external.external_children, external.child_histories) = (true, false);
            let mut host = Host::new(machine, case.script.clone(), external);
            let (at, start) = started(case.start, case.input.clone());
            host.now = at;
            host.feed(0, start);
            host.run();
            assert_eq!(host.parent().outcome(), inside.outcome.as_ref(), "{}", case.name);
            assert_eq!(lines(host.parent().history()), lines(inside.engine.history()), "{}", case.name);
            let mut children = BTreeMap::new();
            for command in &inside.commands {
                if let Command::ChildFinished(child) = command {
                    children.insert(child.name.to_string(), (child.status.to_string(), lines(&child.history)));
                }
            }
            assert_eq!(host.children(), children, "{}", case.name);
            compared += 1;
        }
    }
    assert!(compared >= 20, "{compared}");
}

/// Returns a random definition with a Distributed Map.
fn definition(rng: &mut Rng) -> String {
    let mut pick = |choices: &[&'static str]| choices[rng.below(choices.len() as u64) as usize];
    let mut kind = pick(&["STANDARD", "STANDARD", "EXPRESS"]);
    let retry = pick(&["", r#""Retry":[{"ErrorEquals":["E"],"IntervalSeconds":3,"MaxAttempts":1}],"#]);
    let last = pick(&[
        r#""B":{"Type":"Wait","Seconds":7,"End":true}"#,
        r#""B":{"Type":"Task","Resource":"b","End":true}"#,
        r#""B":{"Type":"Pass","Parameters":{"i.$":"$$.Map.Item.Index","e.$":"$$.Execution"},"End":true}"#,
        r#""B":{"Type":"Map","ItemsPath":"$.more","ItemProcessor":{"ProcessorConfig":{"Mode":"DISTRIBUTED","ExecutionType":"STANDARD"},
            "StartAt":"C","States":{"C":{"Type":"Task","Resource":"c","End":true}}},"ResultPath":"$.c","End":true}"#,
    ]);
    if last.contains("DISTRIBUTED") {
        kind = "STANDARD";
    }
    let concurrency = pick(&["", r#""MaxConcurrency":1,"#, r#""MaxConcurrency":3,"#]);
    let tolerated =
        pick(&["", r#""ToleratedFailureCount":2,"#, r#""ToleratedFailurePercentage":100,"#, r#""ToleratedFailurePercentage":30,"#]);
    let items = pick(&[
        "",
        r#""ItemBatcher":{"MaxItemsPerBatch":2},"#,
        r#""ItemSelector":{"i.$":"$$.Map.Item.Value","more":[1,2],"k":4},"#,
    ]);
    // A batch has no items for a Map in it.
    let items = if last.contains("DISTRIBUTED") && items.contains("Batcher") { "" } else { items };
    let writer = pick(&[
        "",
        "",
        r#""ResultWriter":{"WriterConfig":{"Transformation":"NONE","OutputType":"JSON"}},"#,
        r#""ResultWriter":{"Resource":"arn:aws:states:::s3:putObject","Parameters":{"Bucket":"b","Prefix":"p"}},"#,
    ]);
    let end = pick(&[r#""End":true"#, r#""Retry":[{"ErrorEquals":["States.ALL"],"MaxAttempts":1}],"End":true"#]);
    format!(
        r#"{{"StartAt":"M","States":{{"M":{{"Type":"Map","Label":"L",{concurrency}{tolerated}{items}{writer}"ItemProcessor":{{
            "ProcessorConfig":{{"Mode":"DISTRIBUTED","ExecutionType":"{kind}"}},"StartAt":"A","States":{{
            "A":{{"Type":"Task","Resource":"a","ResultPath":"$.a",{retry}"Next":"B"}},{last}}}}},{end}}}}}}}"#
    )
}

/// Returns answers that depend on the input of a task, each at a different time; some are errors.
fn script(seed: u64) -> Script {
    let mut script = Script::new();
    script.otherwise_with(move |call| {
        let text = without_uuids(&format!("{} {} {} {}", call.state_name, call.input, call.attempt, call.resource));
        let mut rng = Rng::new(text.bytes().fold(seed, |sum, byte| sum.wrapping_mul(31) ^ u64::from(byte)));
        let failed = call.resource.len() == 1 && rng.below(4) == 0;
        let error = Ending::Error { error: Some("E".into()), cause: None };
        let ending = if failed { error } else { Ending::Output(Value::from(rng.below(100) as i64)) };
        Response { after: 1 + rng.below(20_000), ending, ..Response::default() }
    });
    script
}

/// Returns a text without its UUIDs: external children have separate random numbers.
fn without_uuids(text: &str) -> String {
    let is_uuid = |at: usize| {
        text.get(at..at + 36).is_some_and(|part| {
            part.bytes()
                .enumerate()
                .all(|(i, byte)| if [8, 13, 18, 23].contains(&i) { byte == b'-' } else { byte.is_ascii_hexdigit() })
        })
    };
    let (mut out, mut at) = (String::new(), 0);
    while let Some(next) = text[at..].chars().next() {
        if is_uuid(at) {
            out.push('U');
            at += 36;
        } else {
            out.push(next);
            at += next.len_utf8();
        }
    }
    out
}

/// The result of an execution: its end, its history, and those of its children, without their names.
type ExecutionResult = (String, Vec<String>, Vec<String>);

/// Runs an execution; for some seeds it is stopped or redriven.
fn run_execution(seed: u64, external: bool) -> ExecutionResult {
    let mut rng = Rng::new(seed);
    let text = definition(&mut rng);
    let compiled = asl::compile(&text, &asl::CompileOptions::default());
    let machine = compiled.machine.unwrap_or_else(|| panic!("{text}: {:?}", compiled.diagnostics));
    let items: Vec<String> = (0..rng.below(9)).map(|i| format!(r#"{{"n":{i},"more":[{i},10]}}"#)).collect();
    let mut host = Host::new(machine.into(), script(seed), options(external));
    if rng.below(3) == 0 {
        host.made += 1;
        host.due.insert((Millis(rng.below(30_000)), 0), (0, Event::Stop { error: None, cause: None }));
    }
    let input = json::parse(&format!("[{}]", items.join(","))).expect("JSON");
    host.feed(0, started(Millis(0), input).1);
    host.run();
    for again in 1..3 {
        if host.parent().is_redrivable() {
            host.now = host.now.max(Millis(100_000 * again));
            // A task that fails once does not fail for ever.
            host.script = script(seed + again);
            host.feed(0, Event::Redrive);
            host.run();
        }
    }
    let plain = |lines: Vec<String>| lines.iter().map(|line| without_uuids(line)).collect::<Vec<_>>();
    let mut children: Vec<String> =
        host.children().into_values().map(|(status, history)| format!("{status} {}", plain(history).join("\n"))).collect();
    children.sort();
    (without_uuids(&format!("{:?}", host.parent().outcome())), plain(lines(host.parent().history())), children)
}

#[test]
fn random_executions_have_the_same_result_with_external_children() {
    let mut redriven = 0;
    for seed in 0..120 {
        let (inside, external) = (run_execution(seed, false), run_execution(seed, true));
        assert_eq!(external.0, inside.0, "seed {seed}");
        assert_eq!(external.1, inside.1, "seed {seed}");
        assert_eq!(external.2, inside.2, "seed {seed}");
        redriven += usize::from(external.1.iter().any(|event| event.contains("MapRunRedriven")));
    }
    assert!(redriven > 15, "{redriven}");
}
