//! The conditions that must hold between two steps, whatever was fed. They reveal a bug where it happens and not three states
//! later, and a snapshot that violates one is not restored.

use super::external_children::EXTERNAL;
use super::frame::{Frame, FrameId, Joining, Phase, Purpose};
use super::redrive::UnsuccessfulChild;
use super::{Engine, TaskId, snapshot};
use crate::asl::ir::Kind;
use crate::base::{Table, sort};

/// The ids that are in use, by running frames and executions and by children that may run again.
struct Taken {
    frames: Vec<FrameId>,
    executions: Vec<u32>,
}

impl Engine {
    /// Returns an error that names the violated invariant.
    pub(super) fn check_invariants(&self) -> Result<(), String> {
        if let Some(outcome) = &self.outcome {
            let idle = self.unfinished_maps.is_empty()
                && self.readings.is_empty()
                && self.frames.is_empty()
                && self.ready.is_empty()
                && self.tasks.is_empty()
                && self.timers.is_empty();
            ensure(idle, "the execution has ended, but a frame, timer or task is left")?;
            return ensure(
                self.stranded.is_none() || *outcome.status() != *"SUCCEEDED",
                "an execution that succeeded has frames for a redrive",
            );
        }
        ensure(self.stranded.is_none(), "a running execution has frames for a redrive")?;
        ensure(snapshot::ids_in_range(self), "an id is greater than the last one that was used")?;
        ensure(
            !self.started || self.frames.values().any(|f| f.execution == 0 && f.parent.is_none()),
            "the execution has no root frame",
        )?;
        for (id, execution) in self.executions.iter() {
            let first = self.frames.get(&execution.root);
            let own = first.is_some_and(|frame| frame.execution == *id && frame.parent.is_none());
            ensure(own, "the root frame of an execution is missing")?;
        }
        let mut queued: Vec<FrameId> = self.ready.iter().copied().collect();
        ensure(are_distinct(&mut queued), "a frame is queued twice")?;
        for id in &queued {
            ensure(self.frames.contains_key(id), "a queued frame does not exist")?;
        }
        ensure(
            self.unfinished_maps
                .keys()
                .all(|id| matches!(self.frames.get(id), Some(frame) if matches!(frame.phase, Phase::Joining(_)))),
            "a Map that is to continue has no frame",
        )?;
        let mut owned = Table::default();
        for (id, frame) in self.frames.iter() {
            let ready = matches!(frame.phase, Phase::Enter | Phase::Again | Phase::Resume(_));
            ensure(queued.binary_search(id).is_ok() == ready, "the ready queue does not match the phase of a frame")?;
            // When an execution ends, everything in it ends: no frame may be left behind.
            let own = match frame.parent {
                Some((parent, _)) => self.frames.get(&parent).is_some_and(|parent| parent.execution == frame.execution),
                None => self.executions.get(&frame.execution).is_some_and(|execution| execution.root == *id),
            };
            ensure(own, "the execution of a frame does not exist")?;
            let kind = &self.machine.states[frame.state].kind;
            match &frame.phase {
                Phase::Acting(acting) => {
                    let fits = match acting.purpose {
                        Purpose::Task => matches!(kind, Kind::Task(_)),
                        _ => matches!(kind, Kind::Map(_)),
                    };
                    let reads = matches!(&acting.purpose, Purpose::ItemReader(joining) if !joining.children.is_empty());
                    ensure(!reads, "children run before their items are read")?;
                    ensure(fits && self.tasks.get(&acting.task) == Some(id), "a task and its state do not match")?;
                }
                Phase::Joining(joining) => {
                    let turn = self.unfinished_maps.contains_key(id) == joining.starting
                        && (!joining.starting || matches!(kind, Kind::Map(_)));
                    ensure(turn, "a Map with items to start is not scheduled")?;
                    ensure(matches!(kind, Kind::Parallel { .. } | Kind::Map(_)), "a state cannot have children")?;
                    ensure(joining.children.len() <= joining.limit.max(joining.next) as usize, "too many children run")?;
                }
                Phase::Resume(joining) => ensure(
                    matches!(kind, Kind::Map(_)) && joining.run.is_some() && joining.children.is_empty(),
                    "only a Map Run is resumed",
                )?,
                Phase::Sleeping { .. } => ensure(matches!(kind, Kind::Wait(_)), "a timer belongs to a state that is not a Wait")?,
                _ => {}
            }
            for (slot, child) in joining_of(frame).into_iter().flat_map(|joining| joining.children.iter()) {
                if self.options.external_children && *child == EXTERNAL {
                    continue;
                }
                ensure(self.frames.contains_key(child), "a child does not exist")?;
                ensure(owned.insert(*child, (*id, *slot)).is_none(), "a child has two parents")?;
            }
        }
        for (id, frame) in self.frames.iter() {
            let parent = match frame.parent {
                Some(parent) => Some(parent),
                None => self.executions.get(&frame.execution).and_then(|e| e.parent),
            };
            ensure(owned.get(id).copied() == parent, "a child is missing in its parent")?;
        }
        ensure(self.tasks.values().all(|frame| self.frames.contains_key(frame)), "the frame of a task does not exist")?;
        let mut read: Vec<u32> = self.readings.iter().map(|reading| reading.task.0).collect();
        let reads = |task: &u32| match self.tasks.get(&TaskId(*task)).and_then(|id| self.frames.get(id)).map(|frame| &frame.phase) {
            Some(Phase::Acting(acting)) => matches!(acting.purpose, Purpose::ItemReader(_)),
            _ => false,
        };
        ensure(read.iter().all(reads) && are_distinct(&mut read), "an answer belongs to a task that is not an ItemReader")?;
        let (frames, executions) = (self.frames.keys().copied().collect(), self.executions.keys().copied().collect());
        let mut taken = Taken { frames, executions };
        for joining in self.frames.values().filter_map(|frame| joining_of(frame)) {
            self.check_joining(joining, &mut taken)?;
        }
        ensure(are_distinct(&mut taken.frames) && are_distinct(&mut taken.executions), "an id is used twice")
    }

    /// Checks that each started child of a Parallel or Map runs, has ended or may be redriven, and only one of these. Then no
    /// count can leave its range, whatever ends next.
    fn check_joining(&self, joining: &Joining, taken: &mut Taken) -> Result<(), String> {
        let mut slots: Vec<bool> = joining.results.iter().map(Option::is_some).collect();
        let results = slots.iter().filter(|ended| **ended).count();
        let (unsuccessful, waiting) = match &joining.run {
            Some(run) => (run.unsuccessful.as_slice(), Some(&run.waiting)),
            None => (&[][..], None),
        };
        let children = || unsuccessful.iter().chain(waiting.into_iter().flatten());
        for slot in joining.children.keys().copied().chain(children().map(|child| child.slot)) {
            let free = slots.get_mut(slot as usize).map(|taken| !std::mem::replace(taken, true));
            ensure(free == Some(true), "a child has two statuses")?;
        }
        ensure(slots.iter().all(|taken| *taken), "a started child has no status")?;
        ensure(joining.next as usize == slots.len(), "a started child has no status")?;
        ensure(joining.failed as usize <= unsuccessful.len(), "more children have failed than the snapshot contains")?;
        ensure(joining.done as usize == results + joining.failed as usize, "more children have ended than the snapshot contains")?;
        ensure(
            waiting.into_iter().flatten().all(|child| child.execution.is_none() || !child.frames.is_empty()),
            "a child cannot be redriven",
        )?;
        children().try_for_each(|child| self.check_unsuccessful(child, taken))
    }

    /// Checks that a child can be continued: nothing else has its id, or the ids of its frames. The recursion is as deep as Map
    /// Runs are nested, which is at most the depth of the snapshot's text.
    fn check_unsuccessful(&self, unsuccessful: &UnsuccessfulChild, taken: &mut Taken) -> Result<(), String> {
        if unsuccessful.execution.is_none() {
            return Ok(());
        }
        ensure(unsuccessful.id < self.next_execution, "an id is greater than the last one that was used")?;
        taken.executions.push(unsuccessful.id);
        for (id, frame) in unsuccessful.frames.iter() {
            ensure(*id < self.next_frame, "an id is greater than the last one that was used")?;
            taken.frames.push(*id);
            if let Some(joining) = joining_of(frame) {
                self.check_joining(joining, taken)?;
            }
        }
        Ok(())
    }
}

fn ensure(holds: bool, what: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what.to_string()) }
}

/// Sorts the ids and returns whether there are no duplicates.
fn are_distinct(ids: &mut [u32]) -> bool {
    sort::sort(ids);
    ids.windows(2).all(|pair| pair[0] != pair[1])
}

/// The part of a frame that tracks its children.
pub(super) fn joining_of(frame: &Frame) -> Option<&Joining> {
    match &frame.phase {
        Phase::Joining(joining) | Phase::Resume(joining) => Some(joining),
        Phase::Acting(acting) => match &acting.purpose {
            Purpose::ItemReader(joining) | Purpose::ResultWriter(joining) => Some(joining),
            Purpose::Task => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::asl;
    use crate::base::{Millis, json};
    use crate::engine::{Command, Engine, Event, ExecutionInfo, Options, SNAPSHOT_DEPTH};
    use std::sync::Arc;

    /// Returns a Map Run of four items of which two may fail: the first has succeeded, the second has failed, two run.
    fn engine() -> Engine {
        let definition = r#"{"StartAt":"M","States":{"M":{"Type":"Map","Label":"L","ToleratedFailureCount":2,"ItemProcessor":{
            "ProcessorConfig":{"Mode":"DISTRIBUTED","ExecutionType":"STANDARD"},"StartAt":"A","States":{
            "A":{"Type":"Task","Resource":"r","End":true}}},"End":true}}}"#;
        let machine = asl::compile(definition, &asl::CompileOptions::default()).machine.unwrap();
        let mut engine = Engine::new(Arc::new(machine), Options::default());
        let input = json::parse("[1,2,3,4]").unwrap();
        engine.step(Millis(0), Event::Start { input, execution: ExecutionInfo::named("m", "e"), seed: 0 }).unwrap();
        let tasks = tasks(&mut engine);
        engine.step(Millis(1), Event::TaskSucceeded { task: tasks[0], output: 1i64.into() }).unwrap();
        engine.step(Millis(1), Event::TaskFailed { task: tasks[1], error: None, cause: None }).unwrap();
        engine
    }

    fn tasks(engine: &mut Engine) -> Vec<crate::engine::TaskId> {
        let commands = engine.take_commands().into_iter();
        commands.filter_map(|command| if let Command::Invoke(call) = command { Some(call.task) } else { None }).collect()
    }

    fn restore(engine: &Engine, text: &str) -> Result<Engine, String> {
        let snapshot = json::parse_within(text, SNAPSHOT_DEPTH).unwrap();
        Engine::restore(engine.machine().clone(), &snapshot).map_err(|error| error.to_string())
    }

    /// Changes one part of an engine's snapshot and expects that it is refused for that reason.
    fn check(engine: &Engine, from: &str, to: &str, expect: &str) {
        let text = engine.snapshot();
        assert!(restore(engine, &text).is_ok(), "{text}");
        assert_eq!(text.matches(from).count(), 1, "{from} in {text}");
        let refused = restore(engine, &text.replace(from, to)).map(|_| ()).unwrap_err();
        assert_eq!(refused, format!("the snapshot cannot be restored: {expect}"), "{from} → {to}");
    }

    #[test]
    fn each_child_of_a_map_run_has_exactly_one_status() {
        let engine = engine();
        check(&engine, r#"{"slot":1,"execution":{"id":2,"#, r#"{"slot":0,"execution":{"id":2,"#, "a child has two statuses");
        check(&engine, r#""results":[[1],[],[],[]]"#, r#""results":[[1],[2],[],[]]"#, "a child has two statuses");
        check(&engine, r#""results":[[1],[],[],[]]"#, r#""results":[[],[],[],[]]"#, "a started child has no status");
        check(&engine, r#""done":2,"failed":1"#, r#""done":3,"failed":1"#, "more children have ended than the snapshot contains");
        check(&engine, r#""done":2,"failed":1"#, r#""done":3,"failed":2"#, "more children have failed than the snapshot contains");
    }

    #[test]
    fn a_snapshot_without_a_root_frame_is_refused() {
        let engine = engine();
        check(&engine, r#""root":0"#, r#""root":3"#, "the root frame of an execution is missing");
        check(&engine, r#""root":0"#, r#""root":7"#, "the root frame of an execution is missing");
    }

    #[test]
    fn children_for_a_redrive_have_unique_ids() {
        let engine = engine();
        for (id, expect) in [(3, "an id is used twice"), (9, "an id is greater than the last one that was used")] {
            // The id is replaced both in the execution and in its frame.
            let own = r#"{"slot":1,"execution":{"id":2,"#;
            let frame = r#""frames":[{"id":2,"execution":2,"#;
            let text = engine.snapshot().replace(frame, &format!(r#""frames":[{{"id":2,"execution":{id},"#));
            assert_ne!(text, engine.snapshot());
            let refused = restore(&engine, &text.replace(own, &format!(r#"{{"slot":1,"execution":{{"id":{id},"#)));
            assert_eq!(refused.map(|_| ()).unwrap_err(), format!("the snapshot cannot be restored: {expect}"));
        }
    }

    #[test]
    fn only_unsuccessful_children_are_redriven() {
        let mut engine = engine();
        check(&engine, r#","executions":["#, r#","stranded":[],"executions":["#, "a running execution has frames for a redrive");
        for task in engine.pending().into_iter().map(|call| call.task).collect::<Vec<_>>() {
            engine.step(Millis(2), Event::TaskSucceeded { task, output: 1i64.into() }).unwrap();
        }
        assert_eq!(engine.status(), "SUCCEEDED");
        check(
            &engine,
            r#","executions":["#,
            r#","stranded":[],"executions":["#,
            "an execution that succeeded has frames for a redrive",
        );
    }
}
