//! Snapshots: an engine as JSON and back, which a host stores between two steps.
//!
//! The format is independent of the engine's structs, and has a version: a snapshot of an older release must be readable or
//! refused with a clear error, and never misread. Everything that can be derived (tasks, timers) is derived.

mod form;
mod join;

use super::digest::Digest;
use super::event::{ExecutionInfo, TaskId};
use super::event_type::EventType;
use super::frame::{Acting, Frame, FrameId, MapItem, Phase, Purpose};
use super::history::{Details, HistoryEvent, Recorder};
use super::items::{Answer, Reading};
use super::limits::{HistoryLevel, Options};
use super::timers::{TimerKey, TimerKind, Timers};
use super::{Engine, Execution, Outcome, TokenKey, archive};
use crate::asl::ir::{Kind, Machine, ScopeId, StateId};
use crate::asl::resource::Resource;
use crate::base::{Id, Millis, Rng, Table, Value, json};
use form::{FormText, Input, Object, numbers, timer_in, timer_out};
use join::{joining_in, joining_out};
use std::fmt;
use std::sync::Arc;

/// The version of the format.
const VERSION: i64 = 3;

/// Why a snapshot cannot be restored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RestoreError {
    message: String,
}

impl RestoreError {
    pub(super) fn new(message: impl Into<String>) -> RestoreError {
        RestoreError { message: message.into() }
    }
}

impl fmt::Display for RestoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the snapshot cannot be restored: {}", self.message)
    }
}

impl std::error::Error for RestoreError {}

/// Maximum nesting depth of a snapshot's JSON text: the deepest payloads, and the format around them.
pub const SNAPSHOT_DEPTH: usize = super::limits::PAYLOAD_DEPTH * 2;

type Restored<T> = Result<T, RestoreError>;

impl Engine {
    /// Returns the whole engine as JSON text (getter). It does not contain commands that were not taken yet: take them first.
    pub fn snapshot(&self) -> String {
        self.snapshot_with(true)
    }

    /// Returns the snapshot without the events of the history, for hosts that read or store those in pages (getter): for an
    /// execution of 1,000 tasks 1 kB instead of 1.2 MB. An engine that is restored from it continues the ids of the whole
    /// history and its limit; its own events begin after [`event_count`](Engine::event_count). The events of child executions,
    /// which are reported when the child ends, are included.
    pub fn snapshot_without_events(&self) -> String {
        self.snapshot_with(false)
    }

    #[inline(never)]
    fn snapshot_with(&self, events: bool) -> String {
        let mut text = FormText::default();
        let mut out = Object::begin(&mut text);
        out.set("version", VERSION);
        out.set("digest", format!("{:016x}", self.machine.digest));
        out.object("options", |out| options_out(out, &self.options));
        out.set("clock", self.clock.0 as i64);
        out.set("started", self.started);
        out.set("random", format!("{:016x}", self.rng.state()));
        out.set("tokenKey", self.token_key.text());
        out.set("commands", format!("{:016x}", self.digest.0));
        out.set("nextFrame", self.next_frame);
        out.set("lastTask", self.last_task);
        out.set("nextExecution", self.next_execution);
        out.set("timersMade", self.timers.made() as i64);
        out.list("ready", self.ready.iter(), |text, id| json::write(text, &Value::from(*id)));
        let machine = &self.machine;
        out.list("frames", self.frames.iter(), |text, (id, frame)| frame_out(text, machine, *id, frame));
        if let Some(frames) = &self.stranded {
            out.list("stranded", frames.iter(), |text, (id, frame)| frame_out(text, machine, *id, frame));
        }
        out.list("executions", self.executions.iter(), |text, (id, execution)| {
            execution_out(text, *id, execution, events || *id != 0);
        });
        if !self.readings.is_empty() {
            out.list("readings", self.readings.iter(), |text, reading| {
                let mut out = Object::begin(text);
                out.set("task", reading.task.0);
                out.set("text", reading.text.as_str());
                out.set("file", reading.file);
                out.end();
            });
        }
        if let Some(outcome) = &self.outcome {
            out.object("outcome", |out| outcome_out(out, outcome));
        }
        out.end();
        text.into_string()
    }

    /// Restores an engine that continues where the snapshot was taken, with the same machine.
    /// [`Engine::pending`](Engine::pending) lists the tasks in flight.
    ///
    /// Parse the snapshot's text with [`json::parse_within`] and [`SNAPSHOT_DEPTH`].
    ///
    /// Errors: the snapshot is of another machine, has an unknown version, or contains a value that no engine has written.
    pub fn restore(machine: Arc<Machine>, snapshot: &Value) -> Result<Engine, RestoreError> {
        let of = machine.digest;
        Engine::restore_of(machine, snapshot, of)
    }

    /// Restores a snapshot of the definition with the digest `of`.
    pub(super) fn restore_of(machine: Arc<Machine>, snapshot: &Value, of: u64) -> Result<Engine, RestoreError> {
        let input = Input { value: snapshot, name: "snapshot" };
        match input.integer("version")? {
            VERSION => {}
            other => return Err(RestoreError::new(format!("version {other} is not supported, only version {VERSION}"))),
        }
        if *input.text("digest")? != *format!("{of:016x}") {
            return Err(RestoreError::new("it belongs to a different definition"));
        }
        let mut engine = Engine::new(machine.clone(), options_in(&input.object("options")?)?);
        engine.clock =
            Some(Millis(input.unsigned("clock")?)).filter(|clock| *clock <= Millis::LAST).ok_or_else(|| input.wrong("clock"))?;
        engine.started = input.boolean("started")?;
        engine.rng = Rng::new(u64::from_str_radix(&input.text("random")?, 16).map_err(|_| input.wrong("random"))?);
        engine.token_key = TokenKey::parse(&input.text("tokenKey")?).ok_or_else(|| input.wrong("tokenKey"))?;
        // Earlier releases had no digest: it starts here.
        if let Some(text) = input.maybe_text("commands")? {
            engine.digest = Digest(u64::from_str_radix(&text, 16).map_err(|_| input.wrong("commands"))?);
        }
        engine.next_frame = input.small("nextFrame")?;
        engine.last_task = input.small("lastTask")?;
        engine.next_execution = input.small("nextExecution")?;
        let mut timers: Vec<(TimerKey, u32, TimerKind)> = Vec::new();
        for item in input.list("executions")? {
            let item = Input { value: item, name: "execution" };
            let (id, execution) = execution_in(&item, &engine.options)?;
            timers.extend(execution.timer.map(|key| (key, id, TimerKind::Execution)));
            engine.executions.insert(id, Box::new(execution));
        }
        for item in input.list("frames")? {
            let item = Input { value: item, name: "frame" };
            let (id, frame) = frame_in(&item, &machine, &engine.options)?;
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
                Phase::Joining(joining) if joining.starting => {
                    engine.unfinished_maps.insert(id, ());
                }
                _ => {}
            }
            engine.frames.insert(id, Box::new(frame));
        }
        if snapshot.get("stranded").is_some() {
            engine.stranded = Some(frames_in(&input, "stranded", &machine, &engine.options)?);
        }
        let made = input.unsigned("timersMade")?;
        let count = timers.len();
        engine.timers = Timers::restore(made, timers);
        if engine.timers.iter().count() != count || engine.timers.iter().any(|((_, seq), _, _)| seq > made) {
            return Err(RestoreError::new("its timers contradict each other"));
        }
        for id in input.list("ready")? {
            engine.ready.push_back(id.as_i64().and_then(|n| u32::try_from(n).ok()).ok_or_else(|| input.wrong("ready"))?);
        }
        for item in snapshot.get("readings").and_then(Value::as_array).unwrap_or_default() {
            let item = Input { value: item, name: "reading" };
            let text = item.text("text")?.to_string();
            let answer = if item.boolean("file")? { Answer::File(text) } else { Answer::Json(text) };
            engine.readings.push_back(Reading::resumed(TaskId(item.small("task")?), answer));
        }
        if let Some(outcome) = snapshot.get("outcome") {
            engine.outcome = Some(outcome_in(&Input { value: outcome, name: "outcome" })?);
        }
        engine.check_invariants().map_err(RestoreError::new)?;
        if engine.is_redrivable() {
            // The frames that would run after a redrive must be valid too.
            let mut redriven = engine.clone();
            redriven.redrive();
            redriven.check_invariants().map_err(RestoreError::new)?;
        }
        Ok(engine)
    }
}

fn frame_out(text: &mut FormText, machine: &Machine, id: FrameId, frame: &Frame) {
    let mut out = Object::begin(text);
    out.set("id", id);
    out.set("execution", frame.execution);
    if let Some((parent, slot)) = frame.parent {
        out.set("parent", parent);
        out.set("slot", slot);
    }
    out.set("state", machine.states[frame.state].name.clone());
    out.payload("input", &frame.input);
    out.payload("variables", &Value::Object(frame.variables.clone()));
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
            out.object("acting", |out| acting_out(out, machine, acting));
            "acting"
        }
        Phase::Joining(joining) => {
            out.object("joining", |out| joining_out(out, machine, joining));
            "joining"
        }
        Phase::Resume(joining) => {
            out.object("joining", |out| joining_out(out, machine, joining));
            "resume"
        }
    };
    out.set("phase", phase);
    out.end();
}

fn frames_in(input: &Input<'_>, field: &str, machine: &Machine, options: &Options) -> Restored<Table<FrameId, Box<Frame>>> {
    let mut frames = Table::default();
    for value in input.list(field)? {
        let (id, frame) = frame_in(&Input { value, name: "frame" }, machine, options)?;
        frames.insert(id, Box::new(frame));
    }
    Ok(frames)
}

fn frame_in(input: &Input<'_>, machine: &Machine, options: &Options) -> Restored<(FrameId, Frame)> {
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
        "acting" => Phase::Acting(Box::new(acting_in(&input.object("acting")?, &machine.states[state].kind, machine, options)?)),
        "joining" => Phase::Joining(joining_in(&input.object("joining")?, machine, options)?),
        "resume" => Phase::Resume(joining_in(&input.object("joining")?, machine, options)?),
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

fn acting_out(out: &mut Object<'_>, machine: &Machine, acting: &Acting) {
    out.set("task", acting.task.0);
    out.maybe("token", acting.token.clone());
    if !acting.scheduled {
        out.set("unscheduled", true);
    }
    out.set("started", acting.started);
    out.set("submitted", acting.submitted);
    out.maybe("timeout", acting.timeout.map(timer_out));
    if let Some((seconds, timer)) = acting.heartbeat {
        out.set("heartbeatSeconds", seconds as i64);
        out.set("heartbeat", timer_out(timer));
    }
    out.payload("input", &acting.input);
    out.maybe("timeoutSeconds", acting.timeout_seconds.map(|n| n as i64));
    out.maybe("credentials", acting.credentials.clone());
    match &acting.purpose {
        Purpose::Task => {}
        Purpose::ItemReader(joining) => out.object("itemReader", |out| joining_out(out, machine, joining)),
        Purpose::ResultWriter(joining) => out.object("resultWriter", |out| joining_out(out, machine, joining)),
    }
}

fn acting_in(input: &Input<'_>, kind: &Kind, machine: &Machine, options: &Options) -> Restored<Acting> {
    let maybe_timer = |name: &str| input.value.get(name).map(|v| timer_in(&Input { value: v, name: "timer" })).transpose();
    let purpose = if input.value.get("itemReader").is_some() {
        Purpose::ItemReader(joining_in(&input.object("itemReader")?, machine, options)?)
    } else if input.value.get("resultWriter").is_some() {
        Purpose::ResultWriter(joining_in(&input.object("resultWriter")?, machine, options)?)
    } else {
        Purpose::Task
    };
    // The definition has the resource; a copy in the snapshot could only contradict it.
    let resource = match (kind, &purpose) {
        (Kind::Task(task), Purpose::Task) => Some(&task.resource),
        (Kind::Map(map), Purpose::ItemReader(_)) => map.item_reader.as_ref().map(|reader| &reader.resource),
        (Kind::Map(map), Purpose::ResultWriter(_)) => map.result_writer.as_ref().and_then(|writer| writer.resource.as_ref()),
        _ => None,
    };
    let resource = resource.ok_or_else(|| RestoreError::new("a task and its state do not match"))?;
    Ok(Acting {
        task: TaskId(input.small("task")?),
        resource: Resource::parse(resource),
        purpose,
        token: input.maybe_text("token")?,
        scheduled: input.value.get("unscheduled").is_none(),
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

fn item_out(out: &mut Object<'_>, item: &MapItem) {
    out.set("index", item.index);
    out.payload("value", &item.value);
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

fn execution_out(text: &mut FormText, id: u32, execution: &Execution, events: bool) {
    let mut out = Object::begin(text);
    out.set("id", id);
    let info = &execution.info;
    out.set("arn", info.arn.clone());
    out.set("name", info.name.clone());
    out.set("roleArn", info.role_arn.clone());
    out.set("stateMachineArn", info.state_machine_arn.clone());
    out.set("stateMachineName", info.state_machine_name.clone());
    out.payload("input", &execution.input);
    out.set("startedAt", execution.started.0 as i64);
    out.set("express", execution.express);
    out.set("root", execution.root);
    out.set("redrives", execution.redrives);
    out.set("redrivenAt", execution.redriven_at.0 as i64);
    if let Some((parent, slot)) = execution.parent {
        out.set("parent", parent);
        out.set("slot", slot);
    }
    out.maybe("timer", execution.timer.map(timer_out));
    out.set("lastEvent", execution.recorder.last as i64);
    out.set("full", execution.recorder.full);
    let events = execution.recorder.events.iter().filter(|_| events);
    out.list("events", events, |text, event| archive::stamped(event, text));
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
            token_key: None,
        },
        input: input.get("input")?.clone(),
        started: Millis(input.unsigned("startedAt")?),
        express: input.boolean("express")?,
        recorder,
        root: input.small("root")?,
        redrives: input.small("redrives")?,
        redriven_at: Millis(input.unsigned("redrivenAt")?),
        stranded: Table::default(),
        parent,
        timer: input.value.get("timer").map(|v| timer_in(&Input { value: v, name: "timer" })).transpose()?,
    };
    Ok((id, execution))
}

pub(super) fn event_in(stamped: &Value) -> Option<HistoryEvent> {
    let timestamp = Millis(u64::try_from(stamped.at(0)?.as_i64()?).ok()?);
    let event = stamped.at(1)?.as_object()?;
    let name = event.get("type")?.as_str()?;
    let event_type = EventType::named(name)?;
    let number = |name: &str| event.get(name)?.as_i64().and_then(|n| u64::try_from(n).ok());
    let details = match event.iter().find(|(name, _)| name.ends_with("EventDetails")) {
        Some((member, value)) => Details::Restored { member: member.clone(), value: value.clone() },
        None => Details::None,
    };
    Some(HistoryEvent { id: number("id")?, previous_event_id: number("previousEventId")?, timestamp, event_type, details })
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
    if options.external_children {
        out.set("childrenApart", true);
    }
    if options.confirmed_activities {
        out.set("confirmedActivities", true);
    }
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
        external_children: input.value.get("childrenApart").is_some(),
        confirmed_activities: input.value.get("confirmedActivities").is_some(),
    })
}

/// Whether all ids are below the next ones. A snapshot that violates this was tampered with.
pub(super) fn ids_in_range(engine: &Engine) -> bool {
    let frames = engine.frames.keys().all(|id| *id < engine.next_frame);
    let tasks = engine.tasks.keys().all(|task| task.0 > 0 && task.0 <= engine.last_task);
    let executions = engine.executions.keys().all(|id| *id < engine.next_execution);
    let scopes = engine.frames.values().all(|frame| frame.scope.index() < engine.machine.scopes.len());
    frames && tasks && executions && scopes
}
