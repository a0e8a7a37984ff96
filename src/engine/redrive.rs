//! Redrive: an execution that did not succeed continues from where it stopped (spec §11.4). Finished work remains finished. Of
//! a Map Run the children that did not succeed continue, each from where it stopped.

use super::event_type::EventType;
use super::external_children::EXTERNAL;
use super::frame::{Frame, FrameId, Joining, MapItem, MapRun, Phase, Purpose};
use super::history::{Details, Recorder};
use super::limits::EXPRESS_TIMEOUT;
use super::{Engine, Execution};
use crate::asl::ir::{Machine, MapState, ScopeId};
use crate::base::Table;
use std::sync::Arc;

/// A child execution that did not succeed, and its frames at that time.
#[derive(Clone, Debug)]
pub(super) struct UnsuccessfulChild {
    /// The id of the execution.
    pub(super) id: u32,
    /// The child's slot in the Map Run.
    pub(super) slot: u32,
    /// `None` for a child that the host runs and redrives.
    pub(super) execution: Option<Box<Execution>>,
    /// Empty if the child cannot be redriven.
    pub(super) frames: Table<FrameId, Box<Frame>>,
}

impl UnsuccessfulChild {
    /// Returns the entry of a child that the host runs.
    pub(super) fn external_children(slot: u32) -> UnsuccessfulChild {
        UnsuccessfulChild { id: 0, slot, execution: None, frames: Table::default() }
    }
}

impl Engine {
    /// Whether [`Event::Redrive`](super::Event::Redrive) would be accepted (getter).
    pub fn is_redrivable(&self) -> bool {
        // A redriven execution needs room for at least two events (spec §11.3).
        let limit = u64::from(self.options.history_limit);
        let room = self.executions.get(&0).is_some_and(|execution| {
            // An Express child starts from the beginning.
            execution.express && self.stranded_root().is_some()
                || !execution.express && !execution.recorder.full && (limit == 0 || execution.recorder.last + 1 < limit)
        });
        self.outcome.is_some() && self.stranded.is_some() && room
    }

    /// Stores what is running when an error is raised, before any sibling is aborted. The failed frame is set to run its state
    /// again, or to continue its Map Run.
    pub(super) fn strand(&mut self, id: FrameId, frame: &Frame, run: Option<Box<Joining>>) {
        let execution = frame.execution;
        let known = match execution {
            0 => self.stranded.is_some(),
            child => self.executions.get(&child).is_none_or(|e| !e.stranded.is_empty()),
        };
        if known || self.probe.is_some() {
            return;
        }
        let phase = run.map_or(Phase::Again, Phase::Joining);
        let failed = frame.with_phase(phase);
        self.strand_execution(execution, Some((id, failed)));
    }

    /// Stores what is running when an execution is ended from outside or by its time-out.
    pub(super) fn strand_execution(&mut self, execution: u32, mut failed: Option<(FrameId, Frame)>) {
        let Some(root) = self.executions.get(&execution).map(|e| e.root) else { return };
        let mut frames = Table::default();
        self.copy_for_redrive(root, &mut failed, &mut frames);
        match self.executions.get_mut(&execution) {
            _ if execution == 0 => self.stranded = Some(frames),
            Some(child) => {
                if child.express {
                    // It starts from the beginning, so only the input of its first frame matters.
                    frames.retain(|id, _| *id == root);
                    if let Some(first) = frames.get_mut(&root) {
                        first.phase = Phase::Again;
                    }
                }
                child.stranded = frames;
            }
            None => {}
        }
    }

    /// Drops the stored frames, because the error was handled.
    pub(super) fn drop_stranded(&mut self, execution: u32) {
        if execution == 0 {
            self.stranded = None;
        } else if let Some(child) = self.executions.get_mut(&execution) {
            child.stranded = Table::default();
        }
    }

    /// Copies a frame and all below it in the same execution; for the failed frame it takes the given copy. The recursion is
    /// bounded, because the compiler limits how deep states nest.
    fn copy_for_redrive(&self, id: FrameId, failed: &mut Option<(FrameId, Frame)>, out: &mut Table<FrameId, Box<Frame>>) {
        let mut frame = match failed.take_if(|(own, _)| *own == id) {
            Some((_, frame)) => frame,
            None => {
                let Some(frame) = self.frames.get(&id) else { return };
                frame.with_phase(match &frame.phase {
                    // A Map Run that is about to continue has no children yet.
                    Phase::Joining(joining) | Phase::Resume(joining) => Phase::Joining(joining.clone()),
                    // Children need no work again; only their results must be stored.
                    Phase::Acting(acting) => match &acting.purpose {
                        Purpose::ResultWriter(joining) => Phase::Joining(joining.clone()),
                        _ => Phase::Again,
                    },
                    Phase::Enter => Phase::Enter,
                    Phase::Again | Phase::Sleeping { .. } | Phase::Backoff { .. } => Phase::Again,
                })
            }
        };
        match &mut frame.phase {
            Phase::Joining(joining) if joining.run.is_some() => {
                self.add_running_children(joining);
                joining.children = Table::default();
            }
            Phase::Joining(joining) => {
                for child in joining.children.values() {
                    self.copy_for_redrive(*child, failed, out);
                }
            }
            _ => {}
        }
        out.insert(id, Box::new(frame));
    }

    /// Adds the running children of a Map Run, which will be aborted, to those that did not succeed.
    pub(super) fn add_running_children(&self, joining: &mut Joining) {
        let Joining { run: Some(run), children, .. } = joining else { return };
        for (slot, root) in children.iter() {
            if *root == EXTERNAL {
                run.unsuccessful.push(UnsuccessfulChild::external_children(*slot));
            }
            let Some(id) = self.frames.get(root).map(|frame| frame.execution) else { continue };
            let Some(mut execution) = self.executions.get(&id).cloned() else { continue };
            execution.timer = None;
            execution.recorder.add(self.clock, EventType::ExecutionAborted, 0, Details::Failure { error: None, cause: None });
            let mut frames = Table::default();
            self.copy_for_redrive(*root, &mut None, &mut frames);
            run.unsuccessful.push(UnsuccessfulChild { id, slot: *slot, execution: Some(execution), frames });
        }
    }

    /// Continues everything that had not succeeded: finished branches and iterations keep their results, and states that were
    /// running or had failed run again, with fresh retriers and time-outs.
    pub(super) fn redrive(&mut self) {
        let child = self.stranded_root().map(|frame| (frame.scope, frame.item.clone()));
        let Some(frames) = self.stranded.take() else { return };
        self.outcome = None;
        match child {
            Some((processor, item)) if self.executions.get(&0).is_some_and(|own| own.express) => {
                self.restart_express_child(0, processor, item);
            }
            _ => {
                let event = self.count_redrive(0);
                if child.is_none() {
                    self.start_clock();
                }
                self.resume_frames(frames, event);
            }
        }
    }

    /// The first frame, at the time of the failure, of a child execution that has this engine for itself.
    #[inline(never)]
    fn stranded_root(&self) -> Option<&Frame> {
        let root = self.executions.get(&0)?.root;
        self.stranded.as_ref()?.get(&root).map(Box::as_ref).filter(|frame| frame.scope != Machine::ROOT)
    }

    /// Counts a redrive of an execution, and returns the id of its event.
    fn count_redrive(&mut self, id: u32) -> u64 {
        let Some(execution) = self.executions.get_mut(&id) else { return 0 };
        execution.redrives += 1;
        execution.redriven_at = self.clock;
        let (last, count) = (execution.recorder.last, execution.redrives);
        self.record(id, EventType::ExecutionRedriven, last, Details::Redriven(count))
    }

    fn resume_frames(&mut self, frames: Table<FrameId, Box<Frame>>, event: u64) {
        for (id, mut frame) in frames {
            frame.attempts.clear();
            frame.retries = 0;
            frame.phase = match std::mem::replace(&mut frame.phase, Phase::Enter) {
                Phase::Enter => Phase::Enter,
                // Its children continue; finished ones keep their results. A Map that still has items to start is scheduled
                // again.
                Phase::Joining(joining) if joining.run.is_none() => {
                    if joining.starting {
                        self.unfinished_maps.insert(id, ());
                    }
                    Phase::Joining(joining)
                }
                Phase::Joining(mut joining) => {
                    if let Some(run) = &mut joining.run {
                        run.redrives += 1;
                        let details = Details::MapRunRedriven { arn: run.arn.clone(), count: run.redrives };
                        frame.tail = self.record(frame.execution, EventType::MapRunRedriven, event, details);
                        run.started_event = frame.tail;
                    }
                    requeue_unsuccessful(&mut joining);
                    Phase::Resume(joining)
                }
                _ => {
                    frame.tail = event;
                    Phase::Again
                }
            };
            if !matches!(frame.phase, Phase::Joining(_)) {
                self.ready.push_back(id);
            }
            self.frames.insert(id, frame);
        }
    }

    /// Continues a child that did not succeed: a Standard one from where it stopped, an Express one from the beginning. Returns
    /// its first frame; `None` if the stored child is inconsistent.
    pub(super) fn resume(
        &mut self,
        parent: (FrameId, u32),
        run: &MapRun,
        map: &MapState,
        unsuccessful: UnsuccessfulChild,
    ) -> Option<FrameId> {
        let UnsuccessfulChild { id, slot, execution, frames } = unsuccessful;
        let Some(mut execution) = execution else {
            return Some(self.start_external_child(run, slot, map.result_writer.is_some(), None));
        };
        let root = execution.root;
        let fits = id < self.next_execution
            && !self.executions.contains_key(&id)
            && frames.keys().all(|frame| *frame < self.next_frame && !self.frames.contains_key(frame));
        let item = frames.get(&root).filter(|_| fits)?.item.clone();
        execution.parent = Some(parent);
        if !execution.express {
            self.executions.insert(id, execution);
            let event = self.count_redrive(id);
            self.resume_frames(frames, event);
            return Some(root);
        }
        self.executions.insert(id, execution);
        self.restart_express_child(id, map.processor, item)
    }

    /// Starts an Express child from the beginning, and returns its first frame.
    #[cold]
    #[inline(never)]
    fn restart_express_child(&mut self, id: u32, processor: ScopeId, item: Option<Arc<MapItem>>) -> Option<FrameId> {
        let level = self.child_history_level();
        let execution = self.executions.get_mut(&id)?;
        execution.redrives += 1;
        execution.started = self.clock;
        execution.recorder = Recorder::new(level, self.options.history_limit);
        let details = Details::Started { input: execution.input.clone(), role_arn: execution.info.role_arn.clone() };
        self.record(id, EventType::ExecutionStarted, 0, details);
        self.limit_execution(id, EXPRESS_TIMEOUT);
        Some(self.spawn_root(id, processor, item))
    }
}

/// Moves the unsuccessful children to those that are to be redriven. Children whose history is full stay failed.
fn requeue_unsuccessful(joining: &mut Joining) {
    let Joining { run: Some(run), batches, .. } = joining else { return };
    let items = |slot: u32| batches.get(slot as usize).map_or(1, |n| u64::from(*n));
    let (mut waiting, mut lost) = (Table::default(), Vec::new());
    for unsuccessful in run.waiting.drain(..).chain(run.unsuccessful.drain(..)) {
        // A child that the host cannot redrive is reported by the host as ended with its old outcome.
        if unsuccessful.execution.as_ref().is_some_and(|own| unsuccessful.frames.is_empty() || own.recorder.full && !own.express) {
            lost.push(unsuccessful);
        } else {
            waiting.insert(unsuccessful.slot, unsuccessful);
        }
    }
    joining.failed = lost.len() as u32;
    joining.failed_items = lost.iter().map(|unsuccessful| items(unsuccessful.slot)).sum();
    joining.done = joining.results.iter().flatten().count() as u32 + joining.failed;
    run.unsuccessful = lost;
    run.waiting = waiting.into_values().collect();
    (run.timed_out, run.timed_out_items) = (0, 0);
}

#[cfg(test)]
mod tests {
    use crate::asl;
    use crate::base::{Millis, Value, json};
    use crate::engine::{Command, Engine, Event, ExecutionInfo, Invocation, Options, StepError};
    use std::sync::Arc;

    fn engine(definition: &str) -> Engine {
        let machine = asl::compile(definition, &asl::CompileOptions::default()).machine.unwrap();
        let mut engine = Engine::new(Arc::new(machine), Options::default());
        let start = Event::Start { input: Value::empty_object(), execution: ExecutionInfo::named("m", "e"), seed: 0 };
        engine.step(Millis(0), start).unwrap();
        engine
    }

    fn calls(engine: &mut Engine) -> Vec<Invocation> {
        let commands = engine.take_commands().into_iter();
        commands.filter_map(|c| if let Command::Invoke(call) = c { Some(call) } else { None }).collect()
    }

    fn fail(engine: &mut Engine, call: &Invocation) {
        engine.step(Millis(1), Event::TaskFailed { task: call.task, error: Some("E".into()), cause: None }).unwrap();
    }

    fn succeed(engine: &mut Engine, call: &Invocation) {
        engine.step(Millis(2), Event::TaskSucceeded { task: call.task, output: call.state_name.clone().into() }).unwrap();
    }

    #[test]
    fn a_failed_branch_runs_again_and_a_finished_one_does_not() {
        let branch =
            |name: &str| format!(r#"{{"StartAt":"{name}","States":{{"{name}":{{"Type":"Task","Resource":"r","End":true}}}}}}"#);
        let definition = format!(
            r#"{{"StartAt":"P","States":{{"P":{{"Type":"Parallel","Branches":[{},{},{}],"End":true}}}}}}"#,
            branch("A"),
            branch("B"),
            branch("C")
        );
        let mut engine = engine(&definition);
        let first = calls(&mut engine);
        succeed(&mut engine, &first[0]);
        fail(&mut engine, &first[1]);
        assert_eq!(engine.status(), "FAILED");
        // A failed execution that was stored can be redriven too.
        let mut engine = restored(engine);
        engine.step(Millis(5), Event::Redrive).unwrap();
        let again = calls(&mut engine);
        assert_eq!(again.iter().map(|c| &*c.state_name).collect::<Vec<_>>(), ["B", "C"]);
        for call in &again {
            succeed(&mut engine, call);
        }
        assert_eq!(engine.outcome().map(|o| format!("{o:?}")), Some(r#"Succeeded { output: ["A","B","C"] }"#.into()));
        let history = engine.history_json(0);
        assert!(history.contains(r#""executionRedrivenEventDetails":{"redriveCount":1}"#), "{history}");
    }

    #[test]
    fn retriers_are_fresh_and_the_context_counts() {
        let definition = r#"{"StartAt":"T","States":{"T":{"Type":"Task","Resource":"r","Parameters":{"n.$":"$$.Execution.RedriveCount"},
            "Retry":[{"ErrorEquals":["E"],"MaxAttempts":1}],"End":true}}}"#;
        let mut engine = engine(definition);
        for _ in 0..2 {
            let call = calls(&mut engine);
            fail(&mut engine, &call[0]);
            engine.step(Millis(60_000), Event::Tick).unwrap();
        }
        assert_eq!(engine.status(), "FAILED");
        engine.step(Millis(60_000), Event::Redrive).unwrap();
        let call = calls(&mut engine);
        assert_eq!((call[0].attempt, call[0].input.to_string()), (0, r#"{"n":1}"#.to_string()));
        fail(&mut engine, &call[0]);
        assert_eq!(engine.status(), "RUNNING");
        engine.step(Millis(60_000), Event::Stop { error: None, cause: None }).unwrap();
        engine.step(Millis(60_000), Event::Redrive).unwrap();
        let call = calls(&mut engine);
        succeed(&mut engine, &call[0]);
        assert_eq!(engine.status(), "SUCCEEDED");
        assert_eq!(engine.step(Millis(60_000), Event::Redrive).unwrap_err(), StepError::NotRedrivable);
    }

    /// Returns a Distributed Map over four items, two at a time, with two Tasks each.
    fn distributed(kind: &str) -> String {
        format!(
            r#"{{"StartAt":"M","States":{{"M":{{"Type":"Map","ItemsPath":"$","Label":"L","MaxConcurrency":2,"ItemProcessor":{{
                "ProcessorConfig":{{"Mode":"DISTRIBUTED","ExecutionType":"{kind}"}},"StartAt":"A","States":{{
                "A":{{"Type":"Task","Resource":"r","Next":"B"}},
                "B":{{"Type":"Task","Resource":"r","Parameters":{{"item.$":"$$.Map.Item.Value","execution.$":"$$.Execution"}},"End":true}}}}}},
                "End":true}}}}}}"#
        )
    }

    fn start(definition: &str, input: &str) -> Engine {
        let machine = asl::compile(definition, &asl::CompileOptions::default()).machine.unwrap();
        let mut engine = Engine::new(Arc::new(machine), Options { child_histories: true, ..Options::default() });
        let input = json::parse(input).unwrap();
        let start = Event::Start { input, execution: ExecutionInfo::named("m", "e"), seed: 0 };
        engine.step(Millis(0), start).unwrap();
        engine
    }

    /// Returns the calls that an engine issues, and the children that it reports: `B 2`, `FAILED 1`.
    fn issued(engine: &mut Engine) -> (Vec<Invocation>, Vec<String>) {
        let (mut calls, mut seen) = (Vec::new(), Vec::new());
        for command in engine.take_commands() {
            match command {
                Command::Invoke(call) => {
                    let item = call.input.get("item").unwrap_or(&call.input);
                    seen.push(format!("{} {item}", call.state_name));
                    calls.push(call);
                }
                Command::ChildFinished(child) => {
                    seen.push(format!("{} {} {}", child.status, child.input, child.redrive_count));
                    let kinds: Vec<&str> = child.history.iter().map(|event| event.event_type.name()).collect();
                    assert!(kinds.starts_with(&["ExecutionStarted", "TaskStateEntered"]), "{kinds:?}");
                }
                _ => {}
            }
        }
        (calls, seen)
    }

    fn restored(engine: Engine) -> Engine {
        let text = engine.snapshot();
        let restored = Engine::restore(engine.machine().clone(), &json::parse(&text).unwrap()).unwrap();
        assert_eq!(restored.snapshot(), text);
        restored
    }

    #[test]
    fn a_redriven_map_run_continues_its_unsuccessful_children() {
        let mut engine = start(&distributed("STANDARD"), "[1,2,3,4]");
        let arn = |engine: &Engine| engine.frames().find_map(|f| f.map_run?.get("mapRunArn").map(|arn| arn.to_string()));
        let first_run = arn(&engine);
        let (calls, seen) = issued(&mut engine);
        assert_eq!(seen, ["A 1", "A 2"]);
        engine.step(Millis(1), Event::TaskSucceeded { task: calls[0].task, output: 1i64.into() }).unwrap();
        engine.step(Millis(1), Event::TaskSucceeded { task: calls[1].task, output: 2i64.into() }).unwrap();
        let (calls, _) = issued(&mut engine);
        engine.step(Millis(2), Event::TaskSucceeded { task: calls[0].task, output: "one".into() }).unwrap();
        let (third, seen) = issued(&mut engine);
        assert_eq!(seen, ["SUCCEEDED 1 0", "A 3"]);
        // The second child fails in B; the third, which is in A, is aborted.
        fail(&mut engine, &calls[1]);
        assert_eq!((engine.status(), issued(&mut engine).1), ("FAILED", vec!["FAILED 2 0".to_string(), "ABORTED 3 0".into()]));

        let mut engine = restored(engine);
        engine.step(Millis(50), Event::Redrive).unwrap();
        let (again, seen) = issued(&mut engine);
        assert_eq!((arn(&engine), seen), (first_run, vec!["B 2".to_string(), "A 3".into()]));
        assert_ne!(again[1].task, third[0].task);
        let execution = again[0].input.get("execution").unwrap();
        assert_eq!(execution.get("Id"), calls[1].input.get("execution").unwrap().get("Id"));
        assert_eq!(execution.get("RedriveCount"), Some(&1i64.into()));
        let counts = engine.frames().find_map(|frame| frame.map_run).unwrap().get("executionCounts").unwrap().to_string();
        let expected =
            r#"{"pending":1,"running":2,"succeeded":1,"failed":0,"timedOut":0,"aborted":0,"total":4,"pendingRedrive":0}"#;
        assert_eq!(counts, expected);

        // It may fail again, while children run and while others still wait for their turn.
        let mut engine = restored(engine);
        engine.step(Millis(60), Event::Stop { error: None, cause: None }).unwrap();
        assert_eq!(issued(&mut engine).1, ["ABORTED 2 1", "ABORTED 3 1"]);
        engine.step(Millis(70), Event::Redrive).unwrap();
        let (again, seen) = issued(&mut engine);
        assert_eq!(seen, ["B 2", "A 3"]);
        for (call, output) in again.iter().zip(["two", "3"]) {
            engine.step(Millis(71), Event::TaskSucceeded { task: call.task, output: output.into() }).unwrap();
        }
        while let (calls, _) = issued(&mut engine)
            && !calls.is_empty()
        {
            for call in calls {
                let output = format!("{} done", call.state_name).into();
                engine.step(Millis(72), Event::TaskSucceeded { task: call.task, output }).unwrap();
            }
        }
        let outcome = format!("{:?}", engine.outcome().unwrap());
        assert_eq!(outcome, r#"Succeeded { output: ["one","two","B done","B done"] }"#);
        let history = engine.history_json(0);
        assert_eq!(history.matches(r#""type":"MapRunStarted""#).count(), 1);
        assert!(history.contains(r#""mapRunRedrivenEventDetails":{"mapRunArn":"#), "{history}");
        assert!(history.contains(r#","redriveCount":2}"#), "{history}");
    }

    #[test]
    fn express_children_restart_from_the_beginning() {
        let mut engine = start(&distributed("EXPRESS"), "[1,2]");
        let (calls, _) = issued(&mut engine);
        succeed(&mut engine, &calls[0]);
        let (second, seen) = issued(&mut engine);
        assert_eq!(seen, ["B 1"]);
        fail(&mut engine, &second[0]);
        let mut engine = restored(engine);
        issued(&mut engine);
        engine.step(Millis(50), Event::Redrive).unwrap();
        let (again, seen) = issued(&mut engine);
        assert_eq!(seen, ["A 1", "A 2"]);
        for call in &again {
            succeed(&mut engine, call);
        }
        let (last, _) = issued(&mut engine);
        assert_eq!(last[0].input.get("execution").unwrap().get("Id"), second[0].input.get("execution").unwrap().get("Id"));
        for call in &last {
            succeed(&mut engine, call);
        }
        assert_eq!(
            (engine.status(), issued(&mut engine).1),
            ("SUCCEEDED", vec!["SUCCEEDED 1 1".into(), "SUCCEEDED 2 1".to_string()])
        );
    }

    #[test]
    fn a_map_that_failed_on_its_data_starts_a_new_map_run() {
        // The selector of the second item fails: AWS starts a new Map Run in this case.
        let definition = r#"{"StartAt":"M","States":{"M":{"Type":"Map","Label":"L","ItemSelector":{"x.$":"$$.Map.Item.Value.x"},
            "ItemProcessor":{"ProcessorConfig":{"Mode":"DISTRIBUTED","ExecutionType":"STANDARD"},"StartAt":"A","States":{
            "A":{"Type":"Task","Resource":"r","End":true}}},"End":true}}}"#;
        let mut engine = start(definition, r#"[{"x":1},{"y":1}]"#);
        assert_eq!(engine.status(), "FAILED");
        engine.step(Millis(5), Event::Redrive).unwrap();
        let history = engine.history_json(0);
        assert_eq!(history.matches(r#""type":"MapRunStarted""#).count(), 2);
        assert!(!history.contains("MapRunRedriven"), "{history}");
    }
}
