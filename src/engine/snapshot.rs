//! An engine as JSON and back: what a host stores between two steps.
//!
//! The form is its own, apart from the engine's structs, and has a version: what an older release wrote must be
//! readable or refused with a word, never misread. Everything that can be derived (tasks, timers) is derived.

use super::event::{ExecutionInfo, TaskId};
use super::frame::{Acting, Frame, FrameId, Joining, MapItem, MapRun, Phase, Purpose};
use super::history::{Details, HistoryEvent, KINDS, Recorder};
use super::items::Items;
use super::limits::{HistoryLevel, Options};
use super::timers::{TimerKey, TimerKind, Timers};
use super::{Engine, Execution, Outcome};
use crate::asl::ir::{Kind, Machine, ScopeId, StateId};
use crate::asl::resource::Resource;
use crate::base::{Id, Map, Millis, Rng, Table, Value, json};
use std::fmt;
use std::sync::Arc;

/// The version of the form.
const VERSION: i64 = 1;

/// Why a snapshot cannot be restored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RestoreError {
    message: String,
}

impl RestoreError {
    fn new(message: impl Into<String>) -> RestoreError {
        RestoreError { message: message.into() }
    }
}

impl fmt::Display for RestoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the snapshot cannot be restored: {}", self.message)
    }
}

impl std::error::Error for RestoreError {}

/// How deep the JSON text of a snapshot may nest: payloads at their deepest, and the form around them.
pub const SNAPSHOT_DEPTH: usize = super::limits::PAYLOAD_DEPTH * 2;

type Restored<T> = Result<T, RestoreError>;

impl Engine {
    /// The whole engine as JSON (getter). Commands that were not taken yet are not in it: take them first.
    pub fn snapshot(&self) -> Value {
        let mut out = Object::default();
        out.set("version", VERSION);
        out.set("digest", format!("{:016x}", self.machine.digest));
        out.set("options", options_out(&self.options));
        out.set("clock", self.clock.0 as i64);
        out.set("started", self.started);
        out.set("random", format!("{:016x}", self.rng.state()));
        out.set("nextFrame", self.next_frame);
        out.set("lastTask", self.last_task);
        out.set("nextExecution", self.next_execution);
        out.set("timersMade", self.timers.made() as i64);
        out.set("ready", self.ready.iter().map(|id| Value::from(*id)).collect::<Vec<_>>());
        out.set("frames", self.frames.iter().map(|(id, frame)| self.frame_out(*id, frame)).collect::<Vec<_>>());
        if let Some(frames) = &self.stranded {
            out.set("stranded", frames.iter().map(|(id, frame)| self.frame_out(*id, frame)).collect::<Vec<_>>());
        }
        out.set("redrives", self.redrives);
        out.set("redrivenAt", self.redriven_at.0 as i64);
        out.set("executions", self.executions.iter().map(|(id, e)| execution_out(*id, e)).collect::<Vec<_>>());
        if let Some(outcome) = &self.outcome {
            out.set("outcome", outcome_out(outcome));
        }
        out.done()
    }

    /// An engine that goes on where the snapshot was taken, with the same machine. Tasks in flight are known to it;
    /// [`Engine::pending`](Engine::pending) says which they are.
    ///
    /// Parse its text with [`json::parse_within`] and [`SNAPSHOT_DEPTH`]. Errors: another machine, an unknown version,
    /// or a value that no engine has written.
    pub fn restore(machine: Arc<Machine>, snapshot: &Value) -> Result<Engine, RestoreError> {
        let input = Input { value: snapshot, name: "snapshot" };
        match input.integer("version")? {
            VERSION => {}
            other => return Err(RestoreError::new(format!("version {other} is not known, only {VERSION} is"))),
        }
        if *input.text("digest")? != *format!("{:016x}", machine.digest) {
            return Err(RestoreError::new("it was taken from another definition"));
        }
        let mut engine = Engine::new(machine.clone(), options_in(&input.object("options")?)?);
        engine.clock = Millis(input.unsigned("clock")?);
        engine.started = input.boolean("started")?;
        engine.rng = Rng::new(u64::from_str_radix(&input.text("random")?, 16).map_err(|_| input.wrong("random"))?);
        engine.next_frame = input.small("nextFrame")?;
        engine.last_task = input.small("lastTask")?;
        engine.next_execution = input.small("nextExecution")?;
        let mut timers: Vec<(TimerKey, u32, TimerKind)> = Vec::new();
        for item in input.list("executions")? {
            let item = Input { value: item, name: "execution" };
            let (id, execution) = execution_in(&item, &engine.options)?;
            timers.extend(execution.timer.map(|key| (key, id, TimerKind::Execution)));
            engine.executions.insert(id, execution);
        }
        for item in input.list("frames")? {
            let item = Input { value: item, name: "frame" };
            let (id, frame) = frame_in(&item, &machine)?;
            match &frame.phase {
                Phase::Sleeping { timer } => timers.push((*timer, id, TimerKind::Wait)),
                Phase::Backoff { timer } => timers.push((*timer, id, TimerKind::Backoff)),
                Phase::Acting(acting) => {
                    timers.extend(acting.timeout.map(|key| (key, id, TimerKind::Timeout)));
                    timers.extend(acting.heartbeat.map(|(_, key)| (key, id, TimerKind::Heartbeat)));
                    if engine.tasks.insert(acting.task, id).is_some() {
                        return Err(item.wrong("task"));
                    }
                }
                _ => {}
            }
            engine.frames.insert(id, Box::new(frame));
        }
        if snapshot.get("stranded").is_some() {
            let mut frames = Table::default();
            for item in input.list("stranded")? {
                let (id, frame) = frame_in(&Input { value: item, name: "frame" }, &machine)?;
                frames.insert(id, Box::new(frame));
            }
            engine.stranded = Some(frames);
        }
        engine.redrives = input.small("redrives")?;
        engine.redriven_at = Millis(input.unsigned("redrivenAt")?);
        let made = input.unsigned("timersMade")?;
        let count = timers.len();
        engine.timers = Timers::restore(made, timers);
        if engine.timers.iter().count() != count || engine.timers.iter().any(|((_, seq), _, _)| seq > made) {
            return Err(RestoreError::new("its timers contradict each other"));
        }
        for id in input.list("ready")? {
            engine.ready.push_back(id.as_i64().and_then(|n| u32::try_from(n).ok()).ok_or_else(|| input.wrong("ready"))?);
        }
        if let Some(outcome) = snapshot.get("outcome") {
            engine.outcome = Some(outcome_in(&Input { value: outcome, name: "outcome" })?);
        }
        engine.check_invariants().map_err(RestoreError::new)?;
        if engine.is_redrivable() {
            // What would run after a redrive must be sound too.
            let mut redriven = engine.clone();
            redriven.redrive();
            redriven.check_invariants().map_err(RestoreError::new)?;
        }
        Ok(engine)
    }

    fn frame_out(&self, id: FrameId, frame: &Frame) -> Value {
        let mut out = Object::default();
        out.set("id", id);
        out.set("execution", frame.execution);
        if let Some((parent, slot)) = frame.parent {
            out.set("parent", parent);
            out.set("slot", slot);
        }
        out.set("state", self.machine.states[frame.state].name.clone());
        out.set("input", frame.input.clone());
        out.set("variables", Value::Object(frame.variables.clone()));
        if let Some(item) = &frame.item {
            out.set("item", item_out(item));
        }
        out.set("entered", frame.entered.0 as i64);
        out.set("enteredEvent", frame.entered_event as i64);
        out.set("beforeEntered", frame.before_entered as i64);
        out.set("tail", frame.tail as i64);
        out.set("attempts", numbers(frame.attempts.iter().copied()));
        out.set("retries", frame.retries);
        let phase = match &frame.phase {
            Phase::Enter => "enter",
            Phase::Again => "again",
            Phase::Sleeping { timer } => {
                out.set("timer", timer_out(*timer));
                "sleeping"
            }
            Phase::Backoff { timer } => {
                out.set("timer", timer_out(*timer));
                "backoff"
            }
            Phase::Acting(acting) => {
                out.set("acting", acting_out(acting));
                "acting"
            }
            Phase::Joining(joining) => {
                out.set("joining", joining_out(joining));
                "joining"
            }
        };
        out.set("phase", phase);
        out.done()
    }
}

fn frame_in(input: &Input<'_>, machine: &Machine) -> Restored<(FrameId, Frame)> {
    let name = input.text("state")?;
    let state = machine.states.iter().find(|(_, s)| s.name == name).map(|(id, _)| id);
    let state: StateId = state.ok_or_else(|| RestoreError::new(format!("there is no state {name:?}")))?;
    let scope: ScopeId = machine.states[state].scope;
    let variables = match input.get("variables")? {
        Value::Object(map) => map.clone(),
        _ => return Err(input.wrong("variables")),
    };
    let timer = || timer_in(&input.object("timer")?);
    let phase = match &*input.text("phase")? {
        "enter" => Phase::Enter,
        "again" => Phase::Again,
        "sleeping" => Phase::Sleeping { timer: timer()? },
        "backoff" => Phase::Backoff { timer: timer()? },
        "acting" => Phase::Acting(Box::new(acting_in(&input.object("acting")?, &machine.states[state].kind)?)),
        "joining" => Phase::Joining(Box::new(joining_in(&input.object("joining")?)?)),
        _ => return Err(input.wrong("phase")),
    };
    let parent = match input.value.get("parent") {
        Some(_) => Some((input.small("parent")?, input.small("slot")?)),
        None => None,
    };
    let frame = Frame {
        execution: input.small("execution")?,
        parent,
        scope,
        state,
        input: input.get("input")?.clone(),
        variables,
        item: input.value.get("item").map(|item| item_in(&Input { value: item, name: "item" })).transpose()?.map(Arc::new),
        entered: Millis(input.unsigned("entered")?),
        entered_event: input.unsigned("enteredEvent")?,
        before_entered: input.unsigned("beforeEntered")?,
        tail: input.unsigned("tail")?,
        attempts: input.numbers("attempts")?,
        retries: input.small("retries")?,
        phase,
    };
    Ok((input.small("id")?, frame))
}

fn acting_out(acting: &Acting) -> Value {
    let mut out = Object::default();
    out.set("task", acting.task.0);
    out.maybe("token", acting.token.clone());
    out.set("started", acting.started);
    out.set("submitted", acting.submitted);
    out.maybe("timeout", acting.timeout.map(timer_out));
    if let Some((seconds, timer)) = acting.heartbeat {
        out.set("heartbeatSeconds", seconds as i64);
        out.set("heartbeat", timer_out(timer));
    }
    out.set("input", acting.input.clone());
    out.maybe("timeoutSeconds", acting.timeout_seconds.map(|n| n as i64));
    out.maybe("credentials", acting.credentials.clone());
    match &acting.purpose {
        Purpose::Task => {}
        Purpose::ItemReader(joining) => out.set("itemReader", joining_out(joining)),
        Purpose::ResultWriter(joining) => out.set("resultWriter", joining_out(joining)),
    }
    out.done()
}

fn acting_in(input: &Input<'_>, kind: &Kind) -> Restored<Acting> {
    let maybe_timer = |name: &str| input.value.get(name).map(|v| timer_in(&Input { value: v, name: "timer" })).transpose();
    let purpose = if input.value.get("itemReader").is_some() {
        Purpose::ItemReader(Box::new(joining_in(&input.object("itemReader")?)?))
    } else if input.value.get("resultWriter").is_some() {
        Purpose::ResultWriter(Box::new(joining_in(&input.object("resultWriter")?)?))
    } else {
        Purpose::Task
    };
    // The definition has it; a text of its own could only contradict it.
    let resource = match (kind, &purpose) {
        (Kind::Task(task), Purpose::Task) => Some(&task.resource),
        (Kind::Map(map), Purpose::ItemReader(_)) => map.item_reader.as_ref().map(|reader| &reader.resource),
        (Kind::Map(map), Purpose::ResultWriter(_)) => map.result_writer.as_ref().and_then(|writer| writer.resource.as_ref()),
        _ => None,
    };
    let resource = resource.ok_or_else(|| RestoreError::new("a task and its state do not fit"))?;
    Ok(Acting {
        task: TaskId(input.small("task")?),
        resource: Resource::parse(resource),
        purpose,
        token: input.maybe_text("token")?,
        started: input.boolean("started")?,
        submitted: input.boolean("submitted")?,
        timeout: maybe_timer("timeout")?,
        heartbeat: match maybe_timer("heartbeat")? {
            Some(timer) => Some((input.unsigned("heartbeatSeconds")?, timer)),
            None => None,
        },
        input: input.get("input")?.clone(),
        timeout_seconds: input.maybe_unsigned("timeoutSeconds")?,
        credentials: input.value.get("credentials").cloned(),
    })
}

fn joining_out(joining: &Joining) -> Value {
    let mut out = Object::default();
    let children = joining.children.iter().map(|(slot, id)| numbers([u64::from(*slot), u64::from(*id)]));
    out.set("children", children.collect::<Vec<_>>());
    // `null` is a result too, so a missing one is an empty array.
    let result = |r: &Option<Value>| Value::from(r.iter().cloned().collect::<Vec<_>>());
    out.set("results", joining.results.iter().map(result).collect::<Vec<_>>());
    out.set("done", joining.done);
    out.set("failed", joining.failed);
    out.set("failedItems", joining.failed_items as i64);
    out.set("next", joining.next);
    out.set("items", joining.items.clone());
    out.set("keys", joining.keys.iter().map(|k| Value::from(k.clone())).collect::<Vec<_>>());
    out.set("batches", numbers(joining.batches.iter().map(|n| u64::from(*n))));
    out.set("limit", joining.limit);
    out.set("input", joining.input.clone());
    out.set("startedEvent", joining.started_event as i64);
    out.set("lastTail", joining.last_tail as i64);
    out.set("lastSucceeded", joining.last_succeeded as i64);
    if let Some(run) = &joining.run {
        let mut about = Object::default();
        about.set("arn", run.arn.clone());
        about.set("label", run.label.clone());
        about.set("uuid", run.uuid.clone());
        about.set("source", run.source.clone());
        about.maybe("toleratedCount", run.tolerated_count.map(|n| n as i64));
        about.maybe("toleratedPercentage", run.tolerated_percentage);
        about.set("total", run.total as i64);
        about.set("timedOut", run.timed_out);
        about.set("timedOutItems", run.timed_out_items as i64);
        about.set("startedEvent", run.started_event as i64);
        about.maybe("config", run.config.clone());
        about.maybe("maxItems", run.max_items);
        about.set("pending", run.pending.clone());
        about.maybe("fileConfig", run.file_config.clone());
        about.set("collectedKeys", run.collected.keys.iter().map(|k| Value::from(k.clone())).collect::<Vec<_>>());
        about.set("collected", run.collected.list.clone());
        about.set("records", run.records.clone());
        out.set("run", about.done());
    }
    out.done()
}

fn joining_in(input: &Input<'_>) -> Restored<Joining> {
    let mut joining = Joining {
        done: input.small("done")?,
        failed: input.small("failed")?,
        failed_items: input.unsigned("failedItems")?,
        next: input.small("next")?,
        items: input.list("items")?.to_vec(),
        limit: input.small("limit")?,
        input: input.get("input")?.clone(),
        started_event: input.unsigned("startedEvent")?,
        last_tail: input.unsigned("lastTail")?,
        last_succeeded: input.unsigned("lastSucceeded")?,
        ..Joining::default()
    };
    for child in input.list("children")? {
        let number = |i: usize| {
            child.at(i).and_then(Value::as_i64).and_then(|n| u32::try_from(n).ok()).ok_or_else(|| input.wrong("children"))
        };
        joining.children.insert(number(0)?, number(1)?);
    }
    for result in input.list("results")? {
        joining.results.push(result.as_array().ok_or_else(|| input.wrong("results"))?.first().cloned());
    }
    joining.keys = input.texts("keys")?;
    for n in input.numbers("batches")? {
        joining.batches.push(u32::try_from(n).map_err(|_| input.wrong("batches"))?);
    }
    if joining.done as usize > joining.results.len() || joining.children.keys().any(|slot| *slot as usize >= joining.results.len())
    {
        return Err(input.wrong("results"));
    }
    if let Some(value) = input.value.get("run") {
        let run = Input { value, name: "run" };
        joining.run = Some(MapRun {
            arn: run.text("arn")?,
            label: run.text("label")?,
            uuid: run.text("uuid")?,
            source: run.text("source")?,
            tolerated_count: run.maybe_unsigned("toleratedCount")?,
            tolerated_percentage: value.get("toleratedPercentage").and_then(Value::as_f64),
            total: run.unsigned("total")?,
            timed_out: run.small("timedOut")?,
            timed_out_items: run.unsigned("timedOutItems")?,
            started_event: run.unsigned("startedEvent")?,
            config: value.get("config").cloned(),
            max_items: value.get("maxItems").and_then(Value::as_i64),
            pending: run.list("pending")?.to_vec(),
            file_config: value.get("fileConfig").cloned(),
            collected: Items { keys: run.texts("collectedKeys")?, list: run.list("collected")?.to_vec() },
            records: run.list("records")?.to_vec(),
        });
    }
    Ok(joining)
}

fn item_out(item: &MapItem) -> Value {
    let mut out = Object::default();
    out.set("index", item.index);
    out.set("value", item.value.clone());
    out.maybe("key", item.key.clone());
    out.maybe("source", item.source.clone());
    out.set("outer", numbers(item.outer.iter().map(|n| u64::from(*n))));
    out.done()
}

fn item_in(input: &Input<'_>) -> Restored<MapItem> {
    let outer = input.numbers("outer")?.into_iter().map(|n| u32::try_from(n).map_err(|_| input.wrong("outer")));
    Ok(MapItem {
        index: input.small("index")?,
        value: input.get("value")?.clone(),
        key: input.maybe_text("key")?,
        source: input.maybe_text("source")?,
        outer: outer.collect::<Restored<_>>()?,
    })
}

fn execution_out(id: u32, execution: &Execution) -> Value {
    let mut out = Object::default();
    out.set("id", id);
    let info = &execution.info;
    out.set("arn", info.arn.clone());
    out.set("name", info.name.clone());
    out.set("roleArn", info.role_arn.clone());
    out.set("stateMachineArn", info.state_machine_arn.clone());
    out.set("stateMachineName", info.state_machine_name.clone());
    out.set("input", execution.input.clone());
    out.set("startedAt", execution.started.0 as i64);
    out.set("express", execution.express);
    out.set("root", execution.root);
    if let Some((parent, slot)) = execution.parent {
        out.set("parent", parent);
        out.set("slot", slot);
    }
    out.maybe("timer", execution.timer.map(timer_out));
    out.set("lastEvent", execution.recorder.last as i64);
    out.set("full", execution.recorder.full);
    let event = |event: &HistoryEvent| {
        let mut text = String::new();
        event.write_json(&mut text);
        // Invariant: what `write_json` writes is JSON, and no deeper than three levels.
        json::parse(&text).unwrap_or(Value::Null)
    };
    // The instant is in the text too, but only as text.
    let stamped = |e: &HistoryEvent| Value::from(vec![Value::from(e.timestamp.0 as i64), event(e)]);
    out.set("events", execution.recorder.events.iter().map(stamped).collect::<Vec<_>>());
    out.done()
}

fn execution_in(input: &Input<'_>, options: &Options) -> Restored<(u32, Execution)> {
    let id = input.small("id")?;
    let level = if id == 0 || options.child_histories { options.history } else { HistoryLevel::None };
    let mut recorder = Recorder::new(level, options.history_limit);
    recorder.last = input.unsigned("lastEvent")?;
    recorder.full = input.boolean("full")?;
    for event in input.list("events")? {
        recorder.events.push(event_in(event).ok_or_else(|| input.wrong("events"))?);
    }
    let parent = match input.value.get("parent") {
        Some(_) => Some((input.small("parent")?, input.small("slot")?)),
        None => None,
    };
    let execution = Execution {
        info: ExecutionInfo {
            arn: input.text("arn")?,
            name: input.text("name")?,
            role_arn: input.text("roleArn")?,
            state_machine_arn: input.text("stateMachineArn")?,
            state_machine_name: input.text("stateMachineName")?,
        },
        input: input.get("input")?.clone(),
        started: Millis(input.unsigned("startedAt")?),
        express: input.boolean("express")?,
        recorder,
        root: input.small("root")?,
        parent,
        timer: input.value.get("timer").map(|v| timer_in(&Input { value: v, name: "timer" })).transpose()?,
    };
    Ok((id, execution))
}

fn event_in(stamped: &Value) -> Option<HistoryEvent> {
    let timestamp = Millis(u64::try_from(stamped.at(0)?.as_i64()?).ok()?);
    let event = stamped.at(1)?.as_object()?;
    let name = event.get("type")?.as_str()?;
    let kind = *KINDS.iter().find(|kind| **kind == name)?;
    let number = |name: &str| event.get(name)?.as_i64().and_then(|n| u64::try_from(n).ok());
    let details = match event.iter().find(|(name, _)| name.ends_with("EventDetails")) {
        Some((member, value)) => Details::Restored { member: member.clone(), value: value.clone() },
        None => Details::None,
    };
    Some(HistoryEvent { id: number("id")?, previous_event_id: number("previousEventId")?, timestamp, kind, details })
}

fn outcome_out(outcome: &Outcome) -> Value {
    let mut out = Object::default();
    out.set("status", outcome.status());
    match outcome {
        Outcome::Succeeded { output } => out.set("output", output.clone()),
        Outcome::Failed { error, cause } | Outcome::Aborted { error, cause } => {
            out.maybe("error", error.clone());
            out.maybe("cause", cause.clone());
        }
        Outcome::TimedOut => {}
    }
    out.done()
}

fn outcome_in(input: &Input<'_>) -> Restored<Outcome> {
    let (error, cause) = (input.maybe_text("error")?, input.maybe_text("cause")?);
    Ok(match &*input.text("status")? {
        "SUCCEEDED" => Outcome::Succeeded { output: input.get("output")?.clone() },
        "FAILED" => Outcome::Failed { error, cause },
        "TIMED_OUT" => Outcome::TimedOut,
        "ABORTED" => Outcome::Aborted { error, cause },
        _ => return Err(input.wrong("status")),
    })
}

fn options_out(options: &Options) -> Value {
    let mut out = Object::default();
    out.set("history", options.history == HistoryLevel::Full);
    out.set("payloadLimit", options.payload_limit as i64);
    out.set("historyLimit", options.history_limit);
    out.set("stepBudget", options.step_budget);
    out.set("express", options.express);
    out.set("trace", options.trace);
    out.set("childHistories", options.child_histories);
    out.done()
}

fn options_in(input: &Input<'_>) -> Restored<Options> {
    Ok(Options {
        history: if input.boolean("history")? { HistoryLevel::Full } else { HistoryLevel::None },
        payload_limit: usize::try_from(input.unsigned("payloadLimit")?).unwrap_or(usize::MAX),
        history_limit: input.small("historyLimit")?,
        step_budget: input.small("stepBudget")?,
        express: input.boolean("express")?,
        trace: input.boolean("trace")?,
        child_histories: input.boolean("childHistories")?,
    })
}

/// The end of time has no place in a signed integer: it is -1.
fn timer_out((at, seq): TimerKey) -> Value {
    let at = i64::try_from(at.0).unwrap_or(-1);
    Value::from(Map::from_iter([("at", Value::from(at)), ("number", Value::from(seq as i64))]))
}

fn timer_in(input: &Input<'_>) -> Restored<TimerKey> {
    let at = match input.integer("at")? {
        -1 => u64::MAX,
        at => u64::try_from(at).map_err(|_| input.wrong("at"))?,
    };
    Ok((Millis(at), input.unsigned("number")?))
}

fn numbers(items: impl IntoIterator<Item = u64>) -> Value {
    Value::from(items.into_iter().map(|n| Value::from(n as i64)).collect::<Vec<_>>())
}

/// Builds one object of the form.
#[derive(Default)]
struct Object(Map);

impl Object {
    fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.0.insert(name, value);
    }

    fn maybe(&mut self, name: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.0.insert(name, value);
        }
    }

    fn done(self) -> Value {
        Value::from(self.0)
    }
}

/// Reads one object of the form, with an error for whatever is not as it was written.
struct Input<'a> {
    value: &'a Value,
    name: &'static str,
}

impl<'a> Input<'a> {
    fn wrong(&self, field: &str) -> RestoreError {
        RestoreError::new(format!("{}.{field} is missing or not what was written", self.name))
    }

    fn get(&self, field: &str) -> Restored<&'a Value> {
        self.value.get(field).ok_or_else(|| self.wrong(field))
    }

    fn object(&self, field: &'static str) -> Restored<Input<'a>> {
        Ok(Input { value: self.get(field)?, name: field })
    }

    fn integer(&self, field: &str) -> Restored<i64> {
        self.get(field)?.as_i64().ok_or_else(|| self.wrong(field))
    }

    /// No count and no instant of a real execution is beyond what JavaScript counts exactly.
    fn unsigned(&self, field: &str) -> Restored<u64> {
        let number = u64::try_from(self.integer(field)?).ok();
        number.filter(|n| *n <= 1 << 53).ok_or_else(|| self.wrong(field))
    }

    fn maybe_unsigned(&self, field: &str) -> Restored<Option<u64>> {
        self.value.get(field).map(|_| self.unsigned(field)).transpose()
    }

    fn small(&self, field: &str) -> Restored<u32> {
        u32::try_from(self.integer(field)?).map_err(|_| self.wrong(field))
    }

    fn boolean(&self, field: &str) -> Restored<bool> {
        self.get(field)?.as_bool().ok_or_else(|| self.wrong(field))
    }

    fn text(&self, field: &str) -> Restored<Arc<str>> {
        Ok(self.get(field)?.as_str().ok_or_else(|| self.wrong(field))?.into())
    }

    fn maybe_text(&self, field: &str) -> Restored<Option<Arc<str>>> {
        self.value.get(field).map(|_| self.text(field)).transpose()
    }

    fn list(&self, field: &str) -> Restored<&'a [Value]> {
        self.get(field)?.as_array().ok_or_else(|| self.wrong(field))
    }

    fn texts(&self, field: &str) -> Restored<Vec<Arc<str>>> {
        self.list(field)?.iter().map(|t| t.as_str().map(Arc::from).ok_or_else(|| self.wrong(field))).collect()
    }

    fn numbers(&self, field: &str) -> Restored<Vec<u64>> {
        self.list(field)?.iter().map(|n| n.as_i64().and_then(|n| u64::try_from(n).ok()).ok_or_else(|| self.wrong(field))).collect()
    }
}

/// Ids stay within what the engine has given out; a snapshot that says otherwise was tampered with.
pub(super) fn ids_in_range(engine: &Engine) -> bool {
    let frames = engine.frames.keys().all(|id| *id < engine.next_frame);
    let tasks = engine.tasks.keys().all(|task| task.0 > 0 && task.0 <= engine.last_task);
    let executions = engine.executions.keys().all(|id| *id < engine.next_execution);
    let scopes = engine.frames.values().all(|frame| frame.scope.index() < engine.machine.scopes.len());
    frames && tasks && executions && scopes
}
