//! An engine as JSON and back: what a host stores between two steps.
//!
//! The form is its own, apart from the engine's structs, and has a version: what an older release wrote must be
//! readable or refused with a word, never misread. Everything that can be derived (tasks, timers) is derived.

use super::event::{ExecutionInfo, TaskId};
use super::frame::{Acting, Batching, Frame, FrameId, Joining, MapItem, MapRun, Phase, Purpose};
use super::history::{Details, HistoryEvent, KINDS, Recorder};
use super::items::{Format, Items, Source, Text};
use super::limits::{HistoryLevel, Options};
use super::timers::{TimerKey, TimerKind, Timers};
use super::{Engine, Execution, Outcome};
use crate::asl::ir::{Kind, Machine, ScopeId, StateId};
use crate::asl::resource::Resource;
use crate::base::{Id, Map, Millis, Rng, Table, Value, json};
use std::fmt;
use std::sync::Arc;

/// The version of the form.
const VERSION: i64 = 2;

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
    /// The whole engine as JSON text (getter). Commands that were not taken yet are not in it: take them first.
    pub fn snapshot(&self) -> String {
        let mut text = String::new();
        let mut out = Object::begin(&mut text);
        out.set("version", VERSION);
        out.set("digest", format!("{:016x}", self.machine.digest));
        out.object("options", |out| options_out(out, &self.options));
        out.set("clock", self.clock.0 as i64);
        out.set("started", self.started);
        out.set("random", format!("{:016x}", self.rng.state()));
        out.set("nextFrame", self.next_frame);
        out.set("lastTask", self.last_task);
        out.set("nextExecution", self.next_execution);
        out.set("timersMade", self.timers.made() as i64);
        out.list("ready", self.ready.iter(), |text, id| json::write(text, &Value::from(*id)));
        out.list("frames", self.frames.iter(), |text, (id, frame)| self.frame_out(text, *id, frame));
        if let Some(frames) = &self.stranded {
            out.list("stranded", frames.iter(), |text, (id, frame)| self.frame_out(text, *id, frame));
        }
        out.set("redrives", self.redrives);
        out.set("redrivenAt", self.redriven_at.0 as i64);
        out.list("executions", self.executions.iter(), |text, (id, execution)| execution_out(text, *id, execution));
        if let Some(outcome) = &self.outcome {
            out.object("outcome", |out| outcome_out(out, outcome));
        }
        out.end();
        text
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

    fn frame_out(&self, text: &mut String, id: FrameId, frame: &Frame) {
        let mut out = Object::begin(text);
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
            out.object("item", |out| item_out(out, item));
        }
        out.set("entered", frame.entered.0 as i64);
        out.set("enteredEvent", frame.entered_event as i64);
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
                out.object("acting", |out| acting_out(out, acting));
                "acting"
            }
            Phase::Joining(joining) => {
                out.object("joining", |out| joining_out(out, joining));
                "joining"
            }
        };
        out.set("phase", phase);
        out.end();
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
        tail: input.unsigned("tail")?,
        attempts: input.numbers("attempts")?,
        retries: input.small("retries")?,
        phase,
    };
    Ok((input.small("id")?, frame))
}

fn acting_out(out: &mut Object<'_>, acting: &Acting) {
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
        Purpose::ItemReader(joining) => out.object("itemReader", |out| joining_out(out, joining)),
        Purpose::ResultWriter(joining) => out.object("resultWriter", |out| joining_out(out, joining)),
    }
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

fn joining_out(out: &mut Object<'_>, joining: &Joining) {
    out.list("children", joining.children.iter(), |text, (slot, id)| {
        json::write(text, &numbers([u64::from(*slot), u64::from(*id)]));
    });
    // `null` is a result too, so a missing one is an empty array.
    out.list("results", joining.results.iter(), |text, result| list(text, result.iter(), json::write));
    out.set("done", joining.done);
    out.set("failed", joining.failed);
    out.set("failedItems", joining.failed_items as i64);
    out.set("next", joining.next);
    out.object("items", |out| items_out(out, &joining.items));
    out.set("batches", numbers(joining.batches.iter().map(|n| u64::from(*n))));
    out.set("limit", joining.limit);
    out.set("input", joining.input.clone());
    out.set("startedEvent", joining.started_event as i64);
    out.set("lastTail", joining.last_tail as i64);
    out.set("lastSucceeded", joining.last_succeeded as i64);
    if let Some(run) = &joining.run {
        out.object("run", |out| run_out(out, run));
    }
}

fn run_out(out: &mut Object<'_>, run: &MapRun) {
    out.set("arn", run.arn.clone());
    out.set("label", run.label.clone());
    out.set("uuid", run.uuid.clone());
    out.set("source", run.source.clone());
    out.maybe("toleratedCount", run.tolerated_count.map(|n| n as i64));
    out.maybe("toleratedPercentage", run.tolerated_percentage);
    out.set("total", run.total as i64);
    out.set("timedOut", run.timed_out);
    out.set("timedOutItems", run.timed_out_items as i64);
    out.set("startedEvent", run.started_event as i64);
    out.maybe("config", run.config.clone());
    out.maybe("maxItems", run.max_items);
    out.list("pending", run.pending.iter(), json::write);
    out.maybe("fileConfig", run.file_config.clone());
    out.object("collected", |out| items_out(out, &run.collected));
    if let Some(batching) = &run.batching {
        // A limit that is not there is -1.
        out.set("batchItems", i64::try_from(batching.max_items).unwrap_or(-1));
        out.set("batchBytes", i64::try_from(batching.max_bytes).unwrap_or(-1));
        out.maybe("batchInput", batching.input.clone());
    }
    out.maybe("held", run.held.clone());
    out.list("records", run.records.iter(), json::write);
}

fn joining_in(input: &Input<'_>) -> Restored<Joining> {
    let mut joining = Joining {
        done: input.small("done")?,
        failed: input.small("failed")?,
        failed_items: input.unsigned("failedItems")?,
        next: input.small("next")?,
        items: items_in(&input.object("items")?)?,
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
    for n in input.numbers("batches")? {
        joining.batches.push(u32::try_from(n).map_err(|_| input.wrong("batches"))?);
    }
    if joining.done as usize > joining.results.len()
        || joining.next as usize != joining.results.len()
        || joining.children.keys().any(|slot| *slot as usize >= joining.results.len())
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
            collected: items_in(&run.object("collected")?)?,
            batching: match value.get("batchItems") {
                Some(_) => Some(Batching {
                    max_items: u64::try_from(run.integer("batchItems")?).unwrap_or(u64::MAX).max(1),
                    max_bytes: u64::try_from(run.integer("batchBytes")?).unwrap_or(u64::MAX),
                    input: value.get("batchInput").cloned(),
                }),
                None => None,
            },
            held: value.get("held").cloned(),
            records: run.list("records")?.to_vec(),
        });
    }
    Ok(joining)
}

/// What is left of the items: of a file, the text that is unread.
fn items_out(out: &mut Object<'_>, items: &Items) {
    out.set("left", items.left as i64);
    out.set("given", items.given);
    out.list("sources", items.sources.iter(), |text, source| {
        let mut out = Object::begin(text);
        match source {
            Source::List { values, keys, next } => {
                out.list("values", values.get(*next..).unwrap_or_default(), json::write);
                out.list("keys", keys.get(*next..).unwrap_or_default(), |text, key| json::write_str(text, key));
            }
            Source::Text(Text { text, at, left, format }) => {
                json::write_str(out.key("text"), text.get(*at..).unwrap_or_default());
                out.set("left", *left as i64);
                match format {
                    Format::Elements => out.set("format", "JSON"),
                    Format::Lines => out.set("format", "JSONL"),
                    Format::Rows { headers, delimiter } => {
                        out.set("format", "CSV");
                        out.list("headers", headers, |text, header| json::write_str(text, header));
                        out.set("delimiter", delimiter.to_string());
                    }
                }
            }
        }
        out.end();
    });
}

fn items_in(input: &Input<'_>) -> Restored<Items> {
    let mut items = Items { left: input.unsigned("left")?, given: input.small("given")?, ..Items::default() };
    for value in input.list("sources")? {
        let source = Input { value, name: "source" };
        items.sources.push_back(if value.get("text").is_some() {
            let format = match &*source.text("format")? {
                "JSON" => Format::Elements,
                "JSONL" => Format::Lines,
                "CSV" => Format::Rows {
                    headers: source.texts("headers")?,
                    delimiter: source.text("delimiter")?.chars().next().ok_or_else(|| source.wrong("delimiter"))?,
                },
                _ => return Err(source.wrong("format")),
            };
            let text = source.text("text")?.to_string().into();
            Source::Text(Text { text, at: 0, left: source.unsigned("left")?, format })
        } else {
            Source::List { values: source.list("values")?.to_vec().into(), keys: source.texts("keys")?, next: 0 }
        });
    }
    Ok(items)
}

fn item_out(out: &mut Object<'_>, item: &MapItem) {
    out.set("index", item.index);
    out.set("value", item.value.clone());
    out.maybe("key", item.key.clone());
    out.maybe("source", item.source.clone());
    out.set("outer", numbers(item.outer.iter().map(|n| u64::from(*n))));
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

fn execution_out(text: &mut String, id: u32, execution: &Execution) {
    let mut out = Object::begin(text);
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
    // The instant is in the event too, but only as text.
    out.list("events", execution.recorder.events.iter(), |text, event| {
        text.push('[');
        json::write(text, &Value::from(event.timestamp.0 as i64));
        text.push(',');
        event.write_json(text);
        text.push(']');
    });
    out.end();
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

fn outcome_out(out: &mut Object<'_>, outcome: &Outcome) {
    out.set("status", outcome.status());
    match outcome {
        Outcome::Succeeded { output } => out.set("output", output.clone()),
        Outcome::Failed { error, cause } | Outcome::Aborted { error, cause } => {
            out.maybe("error", error.clone());
            out.maybe("cause", cause.clone());
        }
        Outcome::TimedOut => {}
    }
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

fn options_out(out: &mut Object<'_>, options: &Options) {
    out.set("history", options.history == HistoryLevel::Full);
    out.set("payloadLimit", options.payload_limit as i64);
    out.set("historyLimit", options.history_limit);
    out.set("stepBudget", options.step_budget);
    out.set("express", options.express);
    out.set("trace", options.trace);
    out.set("childHistories", options.child_histories);
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

/// Writes one object of the form. What a text holds is never held as values too: an engine may be large.
struct Object<'a> {
    text: &'a mut String,
    empty: bool,
}

impl Object<'_> {
    fn begin(text: &mut String) -> Object<'_> {
        text.push('{');
        Object { text, empty: true }
    }

    /// Writes a member's name; its value is to follow.
    fn key(&mut self, name: &str) -> &mut String {
        if !std::mem::take(&mut self.empty) {
            self.text.push(',');
        }
        json::write_str(self.text, name);
        self.text.push(':');
        self.text
    }

    fn set(&mut self, name: &str, value: impl Into<Value>) {
        json::write(self.key(name), &value.into());
    }

    fn maybe(&mut self, name: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.set(name, value);
        }
    }

    fn object(&mut self, name: &str, write: impl FnOnce(&mut Object<'_>)) {
        let mut inner = Object::begin(self.key(name));
        write(&mut inner);
        inner.end();
    }

    fn list<T>(&mut self, name: &str, items: impl IntoIterator<Item = T>, write: impl FnMut(&mut String, T)) {
        list(self.key(name), items, write);
    }

    fn end(self) {
        self.text.push('}');
    }
}

fn list<T>(text: &mut String, items: impl IntoIterator<Item = T>, mut write: impl FnMut(&mut String, T)) {
    text.push('[');
    for (i, item) in items.into_iter().enumerate() {
        if i > 0 {
            text.push(',');
        }
        write(text, item);
    }
    text.push(']');
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
