//! Task: one attempt at a time, each with its own time-out, heartbeat and token (spec §7.2, §9.3).

use crate::asl::ir::{Kind, QueryLanguage, State, Task};
use crate::asl::resource::{Pattern, Resource};
use crate::base::{Map, Millis, Value, json};
use crate::engine::advance::{Flow, Ran};
use crate::engine::command::{CallPurpose, CancelReason, Command, Invocation};
use crate::engine::dataflow::{Place, View};
use crate::engine::event::TaskId;
use crate::engine::event_type::EventType;
use crate::engine::exit::data_limit;
use crate::engine::fault::{Fault, RUNTIME};
use crate::engine::frame::{Acting, Frame, FrameId, Phase, Purpose};
use crate::engine::history::{Details, Scheduled, TaskName};
use crate::engine::items::{Answer, Read, Reading};
use crate::engine::timers::{TimerKey, TimerKind};
use crate::engine::{Engine, state};
use std::sync::Arc;

pub(in crate::engine) fn run(engine: &mut Engine, id: FrameId, frame: &mut Frame, state: &State, task: &Task) -> Ran {
    let resource = task.parsed.clone();
    let token = resource.has_token().then(|| new_token(engine));
    let context = engine.context(frame, state, token.as_ref());
    let (input, timeout, heartbeat, credentials) = {
        let mut eval = engine.eval(frame, state);
        let raw = View::new(&frame.input, &context, &frame.variables);
        let effective = match state.language {
            QueryLanguage::JsonPath => eval.path_field(&state.input_path, &Place::Field("InputPath"), &raw)?,
            QueryLanguage::Jsonata => frame.input.clone(),
        };
        let view = raw.on(&effective);
        let name = if state.language == QueryLanguage::JsonPath { "Parameters" } else { "Arguments" };
        let input = match &state.parameters {
            Some(parameters) => eval.payload(parameters, &Place::Field(name), &view)?,
            None => effective.clone(),
        };
        let timeout = task.timeout.as_ref().map(|field| eval.seconds(field, "TimeoutSeconds", &view)).transpose()?;
        let heartbeat = task.heartbeat.as_ref().map(|field| eval.seconds(field, "HeartbeatSeconds", &view)).transpose()?;
        let credentials =
            task.credentials.as_ref().map(|payload| eval.payload(payload, &Place::Field("Credentials"), &view)).transpose()?;
        if engine.options.trace {
            engine.stage(frame, state, "afterInputPath", &effective);
            engine.stage(frame, state, if name == "Parameters" { "afterParameters" } else { "afterArguments" }, &input);
        }
        (input, timeout, heartbeat, credentials)
    };
    // The raw input was checked when it was produced.
    for payload in [Some(&input).filter(|_| !state.calls_with_input()), credentials.as_ref()].into_iter().flatten() {
        engine.check_payload(frame, state, payload)?;
    }
    let confirmed = engine.options.confirmed_activities && matches!(resource, Resource::Activity { .. });
    if !confirmed {
        scheduled(engine, frame, &task.resource, &resource, &input, timeout, heartbeat, credentials.as_ref());
    }
    let mut acting = Acting {
        task: TaskId(0),
        resource,
        purpose: Purpose::Task,
        token,
        scheduled: !confirmed,
        started: false,
        submitted: false,
        timeout: None,
        heartbeat: None,
        input,
        timeout_seconds: timeout,
        credentials,
    };
    match &acting.resource {
        Resource::Lambda { .. } => {
            frame.tail = engine.record(frame.execution, EventType::LambdaFunctionStarted, frame.tail, Details::None);
            acting.started = true;
        }
        Resource::Service { kind, api, .. } => {
            let name = TaskName { kind: kind.clone(), api: api.clone() };
            frame.tail = engine.record(frame.execution, EventType::TaskStarted, frame.tail, Details::Task(name));
            acting.started = true;
        }
        // An activity starts when a worker takes it.
        Resource::Activity { .. } => {}
    }
    invoke(engine, id, frame, state, acting, heartbeat);
    Ok(Flow::Wait)
}

/// Sends a call to the host and starts its clocks.
pub(in crate::engine) fn invoke(
    engine: &mut Engine,
    id: FrameId,
    frame: &mut Frame,
    state: &State,
    mut acting: Acting,
    heartbeat: Option<u64>,
) {
    engine.last_task += 1;
    acting.task = TaskId(engine.last_task);
    // The host gets the task in this call, and not at the time of a timer that fired late in this call.
    let now = engine.clock.max(engine.call_time);
    acting.timeout = acting.timeout_seconds.map(|s| engine.timers.add(now.plus(s.saturating_mul(1000)), id, TimerKind::Timeout));
    acting.heartbeat = heartbeat.map(|seconds| {
        // A callback's heartbeat counts from the service's answer, an activity's from the time when a worker takes it (spec
        // §7.2). Until then its timer is at the end of time.
        let waits = acting.resource.pattern() == Pattern::Callback || !acting.started;
        let at = if waits { Millis(u64::MAX) } else { now.plus(seconds.saturating_mul(1000)) };
        (seconds, engine.timers.add(at, id, TimerKind::Heartbeat))
    });
    engine.tasks.insert(acting.task, id);
    let call = invocation(engine, frame, state, &acting);
    engine.issue(Command::Invoke(call));
    frame.phase = Phase::Acting(Box::new(acting));
}

/// Returns the command for an attempt, also after a restore.
pub(in crate::engine) fn invocation(engine: &Engine, frame: &Frame, state: &State, acting: &Acting) -> Invocation {
    let (resource, purpose) = match (&acting.purpose, &state.kind) {
        (Purpose::ItemReader(joining), Kind::Map(map)) => {
            let files = joining.run.as_ref().is_some_and(|run| run.file_config.is_some());
            let resource = |text: &Arc<str>| if files { state::map::file_resource(text).into() } else { text.clone() };
            (map.item_reader.as_ref().map(|r| resource(&r.resource)), CallPurpose::ItemReader)
        }
        (Purpose::ResultWriter(_), Kind::Map(map)) => {
            (map.result_writer.as_ref().and_then(|w| w.resource.clone()), CallPurpose::ResultWriter)
        }
        (_, Kind::Task(task)) => (Some(task.resource.clone()), CallPurpose::Task),
        _ => (None, CallPurpose::Task),
    };
    Invocation {
        purpose,
        task: acting.task,
        state: frame.state,
        state_name: state.name.clone(),
        resource: resource.unwrap_or_else(|| "".into()),
        input: acting.input.clone(),
        attempt: frame.retries,
        token: acting.token.clone(),
        timeout: acting.timeout_seconds,
        heartbeat: acting.heartbeat.map(|(seconds, _)| seconds),
        credentials: acting.credentials.clone(),
        iterations: frame.item.as_ref().map(|item| item.outer.iter().copied().chain([item.index]).collect()).unwrap_or_default(),
        entered: frame.entered_event,
        child: engine.child_name(frame),
        phase: acting.phase(),
    }
}

#[allow(clippy::too_many_arguments)]
fn scheduled(
    engine: &mut Engine,
    frame: &mut Frame,
    arn: &Arc<str>,
    resource: &Resource,
    input: &Value,
    timeout: Option<u64>,
    heartbeat: Option<u64>,
    credentials: Option<&Value>,
) {
    let role_arn = credentials.and_then(|c| c.get("RoleArn")).cloned();
    let (event, kind, name, region) = match resource {
        Resource::Lambda { .. } => (EventType::LambdaFunctionScheduled, None, arn.clone(), None),
        Resource::Activity { .. } => (EventType::ActivityScheduled, None, arn.clone(), None),
        Resource::Service { kind, api, .. } => {
            let region =
                engine.executions.get(&frame.execution).and_then(|e| e.info.state_machine_arn.split(':').nth(3).map(Arc::from));
            (EventType::TaskScheduled, Some(kind.clone()), api.clone(), region)
        }
    };
    let heartbeat = heartbeat.filter(|_| !matches!(resource, Resource::Lambda { .. }));
    let details = Details::Scheduled(Box::new(Scheduled {
        kind,
        resource: name,
        region,
        input: input.clone(),
        timeout,
        heartbeat,
        role_arn,
    }));
    frame.tail = engine.record(frame.execution, event, frame.tail, details);
}

/// Returns the token of the task that will be invoked.
fn new_token(engine: &Engine) -> Arc<str> {
    // The token contains the execution that was started, because a child execution of a Distributed Map is found in it.
    let execution = engine.executions.get(&0).map_or("", |execution| &execution.info.arn);
    engine.token_key.token(execution, TaskId(engine.last_task.saturating_add(1)))
}

impl Engine {
    /// Removes the frame that waits for a task from the table of frames; [`settle`](Engine::settle) puts it back.
    fn take_acting(&mut self, task: TaskId) -> Option<(FrameId, Box<Frame>)> {
        let id = *self.tasks.get(&task)?;
        Some((id, self.frames.remove(&id)?))
    }

    /// Handles that the activity of a task exists.
    pub(in crate::engine) fn task_scheduled(&mut self, task: TaskId) {
        let Some((id, mut frame)) = self.take_acting(task) else { return };
        if let Phase::Acting(mut acting) = std::mem::replace(&mut frame.phase, Phase::Enter) {
            self.record_scheduled(&mut frame, &mut acting);
            frame.phase = Phase::Acting(acting);
        }
        self.continue_waiting(id, frame);
    }

    /// Records that a task was scheduled, unless that was recorded when it was invoked.
    fn record_scheduled(&mut self, frame: &mut Frame, acting: &mut Acting) {
        let machine = self.machine.clone();
        let Kind::Task(task) = &machine.states[frame.state].kind else { return };
        if std::mem::replace(&mut acting.scheduled, true) {
            return;
        }
        let heartbeat = acting.heartbeat.map(|(seconds, _)| seconds);
        let Acting { resource, input, timeout_seconds, credentials, .. } = acting;
        scheduled(self, frame, &task.resource, resource, input, *timeout_seconds, heartbeat, credentials.as_ref());
    }

    /// Handles that a worker has taken an activity: its time-out and its heartbeat count from here (spec §7.2).
    pub(in crate::engine) fn task_started(&mut self, task: TaskId, worker: Option<Arc<str>>) {
        self.task_scheduled(task);
        let Some((id, mut frame)) = self.take_acting(task) else { return };
        if let Phase::Acting(acting) = &mut frame.phase
            && !acting.started
        {
            acting.started = true;
            if let (Some(old), Some(seconds)) = (acting.timeout, acting.timeout_seconds) {
                acting.timeout = Some(self.start_again(old, seconds, id, TimerKind::Timeout));
            }
            if let Some((seconds, old)) = acting.heartbeat {
                acting.heartbeat = Some((seconds, self.start_again(old, seconds, id, TimerKind::Heartbeat)));
            }
            frame.tail = self.record(frame.execution, EventType::ActivityStarted, frame.tail, Details::Worker(worker));
        }
        self.continue_waiting(id, frame);
    }

    /// Handles the answer of a service whose result will come later. It has no effect on a plain task.
    pub(in crate::engine) fn task_submitted(&mut self, task: TaskId, output: Value) {
        if self.excess(&output).is_some() {
            return self.end_task(task, Ok(output), false);
        }
        let Some((id, mut frame)) = self.take_acting(task) else { return };
        if let Phase::Acting(acting) = &mut frame.phase
            && let Resource::Service { kind, api, pattern } = &acting.resource
            && !acting.submitted
            && *pattern != Pattern::RequestResponse
        {
            acting.submitted = true;
            let name = TaskName { kind: kind.clone(), api: api.clone() };
            if let Some((seconds, old)) = acting.heartbeat {
                acting.heartbeat = Some((seconds, self.start_again(old, seconds, id, TimerKind::Heartbeat)));
            }
            frame.tail =
                self.record(frame.execution, EventType::TaskSubmitted, frame.tail, Details::TaskOutput { task: name, output });
        }
        self.continue_waiting(id, frame);
    }

    /// Handles a heartbeat.
    pub(in crate::engine) fn task_heartbeat(&mut self, task: TaskId) {
        let Some((id, mut frame)) = self.take_acting(task) else { return };
        if let Phase::Acting(acting) = &mut frame.phase
            && let Some((seconds, old)) = acting.heartbeat
        {
            acting.heartbeat = Some((seconds, self.start_again(old, seconds, id, TimerKind::Heartbeat)));
        }
        self.continue_waiting(id, frame);
    }

    /// Restarts a timer from now.
    fn start_again(&mut self, old: TimerKey, seconds: u64, id: FrameId, kind: TimerKind) -> TimerKey {
        self.timers.remove(Some(old));
        self.timers.add(self.clock.plus(seconds.saturating_mul(1000)), id, kind)
    }

    fn continue_waiting(&mut self, id: FrameId, frame: Box<Frame>) {
        let machine = self.machine.clone();
        self.settle(&machine, id, frame, Ok(Flow::Wait));
    }

    /// Fails a task because TimeoutSeconds or HeartbeatSeconds has passed.
    pub(in crate::engine) fn task_timed_out(&mut self, id: FrameId, heartbeat: bool) {
        let Some(frame) = self.frames.get(&id) else { return };
        let Phase::Acting(acting) = &frame.phase else { return };
        let task = acting.task;
        let reason = if heartbeat { CancelReason::Heartbeat } else { CancelReason::Timeout };
        self.issue(Command::Cancel { task, reason });
        self.end_task(task, Err(Fault::timeout(heartbeat)), true);
    }

    /// Applies the result or the error of a task. Nothing happens if the task was cancelled.
    pub(in crate::engine) fn task_ended(&mut self, task: TaskId, result: Result<Value, Fault>) {
        self.end_task(task, result, false);
    }

    /// Takes the answer of an ItemReader as text.
    pub(in crate::engine) fn items_answered(&mut self, task: TaskId, text: String, file: bool) {
        if self.is_being_read(task) {
            return;
        }
        let phase = self.tasks.get(&task).and_then(|id| self.frames.get(id)).map(|frame| &frame.phase);
        let reads = matches!(phase, Some(Phase::Acting(acting)) if matches!(acting.purpose, Purpose::ItemReader(_)));
        if !reads {
            let output = if file { Ok(Value::from(Map::from_iter([("Body", text)]))) } else { json::parse(&text) };
            return self.task_ended(task, output.map_err(|error| Fault::new("States.TaskFailed", error.to_string())));
        }
        self.readings.push_back(Reading::new(task, if file { Answer::File(text) } else { Answer::Json(text) }));
    }

    /// Continues with the first answer of an ItemReader that is not read to its end yet.
    pub(in crate::engine) fn continue_reading(&mut self) {
        let Some(mut reading) = self.readings.pop_front() else { return };
        let task = reading.task;
        let phase = self.tasks.get(&task).and_then(|id| self.frames.get(id)).map(|frame| &frame.phase);
        let Some(Phase::Acting(acting)) = phase else { return };
        let Purpose::ItemReader(joining) = &acting.purpose else { return };
        let config = joining.run.as_ref().and_then(|run| run.file_config.as_ref().or(run.config.as_ref()));
        let Some(read) = reading.go_on(&self.work, config, &acting.input) else {
            self.readings.push_front(reading);
            return;
        };
        self.work.begin_state();
        self.end_reading(task, Ok(read));
    }

    /// Continues after an ItemReader's answer was read, or the host could not read.
    fn end_reading(&mut self, task: TaskId, result: Result<Result<Read, String>, Fault>) {
        let Some((id, mut frame, acting)) = self.close_task(task) else { return };
        let Purpose::ItemReader(joining) = acting.purpose else { return };
        let machine = self.machine.clone();
        let state = &machine.states[frame.state];
        let ran = state::map::items_read(self, id, &mut frame, state, *joining, result);
        self.settle(&machine, id, frame, ran);
    }

    /// Tells the host that a task is no longer needed, or stops reading its answer.
    pub(in crate::engine) fn cancel(&mut self, task: TaskId, reason: CancelReason) {
        if self.is_being_read(task) {
            self.readings.retain(|reading| reading.task != task);
        } else {
            self.issue(Command::Cancel { task, reason });
        }
    }

    /// Whether a task's answer has arrived and is being read, so that no other answer is accepted.
    pub(in crate::engine) fn is_being_read(&self, task: TaskId) -> bool {
        self.readings.iter().any(|reading| reading.task == task)
    }

    /// Removes a task that has ended from its frame, and the frame from the table of frames.
    fn close_task(&mut self, task: TaskId) -> Option<(FrameId, Box<Frame>, Box<Acting>)> {
        let id = self.tasks.remove(&task)?;
        let mut frame = self.frames.remove(&id)?;
        let Phase::Acting(acting) = std::mem::replace(&mut frame.phase, Phase::Enter) else { return None };
        self.timers.remove(acting.timeout);
        self.timers.remove(acting.heartbeat.map(|(_, timer)| timer));
        Some((id, frame, acting))
    }

    fn end_task(&mut self, task: TaskId, result: Result<Value, Fault>, timed_out: bool) {
        if self.is_being_read(task) {
            return;
        }
        let phase = self.tasks.get(&task).and_then(|id| self.frames.get(id)).map(|frame| &frame.phase);
        if matches!(phase, Some(Phase::Acting(acting)) if matches!(acting.purpose, Purpose::ItemReader(_))) {
            match result {
                Ok(output) => self.readings.push_back(Reading::new(task, Answer::from(output))),
                Err(fault) => self.end_reading(task, Err(fault)),
            }
            return;
        }
        let Some((id, mut frame, mut acting)) = self.close_task(task) else { return };
        if !result.as_ref().is_err_and(Fault::is_fatal) {
            self.record_scheduled(&mut frame, &mut acting);
        }
        let machine = self.machine.clone();
        let state = &machine.states[frame.state];
        let Acting { resource, purpose, token, scheduled, started, submitted, input, .. } = *acting;
        let ran = match purpose {
            // A task that the host refuses was never scheduled: the error is one of the state itself (recorded).
            Purpose::Task if !scheduled => {
                let cause = result.err().and_then(|fault| fault.cause).unwrap_or_default();
                Err(Fault::of_state(RUNTIME, &state.name, frame.entered_event, &cause))
            }
            Purpose::Task => {
                let mut fits = false;
                let result = result.and_then(|output| match self.excess(&output) {
                    Some(json::Excess::Length) => {
                        // AWS names a function or activity by its ARN and a service by its type. A Resource that is no ARN has
                        // no type, and is named as it is written.
                        let name = match (&resource, &state.kind) {
                            (Resource::Service { kind, .. }, _) if !kind.is_empty() => kind,
                            (_, Kind::Task(task)) => &task.resource,
                            _ => &state.name,
                        };
                        Err(data_limit(name))
                    }
                    excess => {
                        fits = excess.is_none();
                        Ok(output)
                    }
                });
                self.task_events(&mut frame, &resource, &result, started, submitted, timed_out);
                result.and_then(|output| self.complete_measured(&mut frame, state, output, token.as_ref(), fits))
            }
            // The answer is read first.
            Purpose::ItemReader(_) => Ok(Flow::Wait),
            Purpose::ResultWriter(joining) => {
                state::results::results_written(self, id, &mut frame, state, *joining, &input, result)
            }
        };
        self.settle(&machine, id, frame, ran);
    }

    fn task_events(
        &mut self,
        frame: &mut Frame,
        resource: &Resource,
        result: &Result<Value, Fault>,
        started: bool,
        submitted: bool,
        timed_out: bool,
    ) {
        let execution = frame.execution;
        match resource {
            Resource::Lambda { .. } => {
                let (event, details) = match result {
                    Ok(output) => (EventType::LambdaFunctionSucceeded, Details::Output(output.clone())),
                    Err(fault) if timed_out => (EventType::LambdaFunctionTimedOut, Details::failure(fault)),
                    Err(fault) => (EventType::LambdaFunctionFailed, Details::failure(fault)),
                };
                frame.tail = self.record(execution, event, frame.tail, details);
            }
            // An activity that does not exist is never scheduled: the execution ends with the error (spec §2.4).
            Resource::Activity { .. } if !started && result.as_ref().is_err_and(Fault::is_fatal) => {}
            Resource::Activity { .. } => {
                if !started && !timed_out {
                    frame.tail = self.record(execution, EventType::ActivityStarted, frame.tail, Details::Worker(None));
                }
                let (event, details) = match result {
                    Ok(output) => (EventType::ActivitySucceeded, Details::Output(output.clone())),
                    Err(fault) if timed_out => (EventType::ActivityTimedOut, Details::failure(fault)),
                    Err(fault) => (EventType::ActivityFailed, Details::failure(fault)),
                };
                frame.tail = self.record(execution, event, frame.tail, details);
            }
            Resource::Service { kind, api, pattern } => {
                let task = TaskName { kind: kind.clone(), api: api.clone() };
                if let (Ok(output), false, true) = (result, submitted, *pattern != Pattern::RequestResponse) {
                    let details = Details::TaskOutput { task: task.clone(), output: output.clone() };
                    frame.tail = self.record(execution, EventType::TaskSubmitted, frame.tail, details);
                }
                let (event, details) = match result {
                    Ok(output) => (EventType::TaskSucceeded, Details::TaskOutput { task, output: output.clone() }),
                    Err(fault) => (
                        if timed_out { EventType::TaskTimedOut } else { EventType::TaskFailed },
                        Details::TaskFailure { task, error: fault.error.clone(), cause: fault.cause.clone() },
                    ),
                };
                frame.tail = self.record(execution, event, frame.tail, details);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::base::{Millis, json};
    use crate::engine::fixtures::machine;
    use crate::engine::{Engine, Event, ExecutionInfo, Options, Outcome, TaskId};

    const TASK: TaskId = TaskId(1);

    /// Returns an engine that waits for a confirmation of its activity.
    fn asked(fields: &str) -> Engine {
        let arn = "arn:aws:states:us-east-1:123456789012:activity:a";
        let definition = format!(
            r#"{{"StartAt":"T","States":{{"T":{{"Type":"Task","Resource":"{arn}",{fields}
                "Catch":[{{"ErrorEquals":["States.ALL"],"Next":"End"}}],"End":true}},"End":{{"Type":"Succeed"}}}}}}"#
        );
        let options = Options { confirmed_activities: true, ..Options::default() };
        let mut engine = Engine::new(machine(&definition), options);
        let execution = ExecutionInfo::named("m", "e");
        engine.step(Millis(0), Event::Start { input: 1i64.into(), execution, seed: 0 }).unwrap();
        engine
    }

    fn types(engine: &Engine) -> Vec<&'static str> {
        engine.history().iter().map(|event| event.event_type.name()).collect()
    }

    #[test]
    fn an_activity_that_does_not_exist_is_not_scheduled_and_its_error_names_the_state() {
        let mut engine = asked("");
        let fact = Event::TaskFailed { task: TASK, error: Some("States.Runtime".into()), cause: Some("It is gone.".into()) };
        engine.step(Millis(1), fact).unwrap();
        assert_eq!(types(&engine), ["ExecutionStarted", "TaskStateEntered", "ExecutionFailed"]);
        let cause = "An error occurred while executing the state 'T' (entered at the event id #2). It is gone.";
        let failed = Outcome::Failed { error: Some("States.Runtime".into()), cause: Some(cause.into()) };
        assert_eq!(engine.outcome(), Some(&failed));
    }

    #[test]
    fn a_confirmed_activity_is_scheduled_once() {
        let scheduled = ["ExecutionStarted", "TaskStateEntered", "ActivityScheduled"];
        let mut engine = asked("");
        assert_eq!(types(&engine), ["ExecutionStarted", "TaskStateEntered"]);
        for _ in 0..2 {
            engine.step(Millis(1), Event::TaskScheduled { task: TASK }).unwrap();
            assert_eq!(types(&engine), scheduled);
        }
        // What a worker or the clock says is a confirmation too.
        let mut engine = asked("");
        engine.step(Millis(1), Event::TaskStarted { task: TASK, worker: None }).unwrap();
        assert_eq!(types(&engine), [&scheduled[..], &["ActivityStarted"]].concat());
        let mut engine = asked(r#""TimeoutSeconds":1,"#);
        engine.step(Millis(1000), Event::Tick).unwrap();
        assert_eq!(types(&engine)[2..4], ["ActivityScheduled", "ActivityTimedOut"]);
    }

    #[test]
    fn a_snapshot_has_what_is_not_confirmed_yet() {
        let engine = asked("");
        let mut restored = Engine::restore(engine.machine().clone(), &json::parse(&engine.snapshot()).unwrap()).unwrap();
        restored.step(Millis(1), Event::TaskScheduled { task: TASK }).unwrap();
        assert_eq!(types(&restored)[2..], ["ActivityScheduled"]);
    }
}
