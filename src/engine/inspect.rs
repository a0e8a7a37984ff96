//! What runs now, for inspectors.

use super::Engine;
use super::command::Invocation;
use super::event::TaskId;
use super::frame::{Joining, Phase};
use super::history::HistoryEvent;
use super::limits::DISTRIBUTED_CONCURRENCY;
use super::state::task::invocation;
use crate::asl::ir::StateId;
use crate::base::{Map, Millis, Value};
use std::sync::Arc;

/// One running chain of states.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameView {
    /// Its number; grows with each branch and iteration that starts.
    pub id: u32,
    /// The frame of the Parallel or Map around it, with its place there.
    pub parent: Option<(u32, u32)>,
    /// The current state.
    pub state: StateId,
    /// Its name.
    pub state_name: Arc<str>,
    /// Its raw input.
    pub input: Value,
    /// The variables in reach, as an object.
    pub variables: Value,
    /// `ready`, `waiting`, `retrying`, `running`, `joining`
    pub phase: &'static str,
    /// When it goes on by itself.
    pub until: Option<Millis>,
    /// The task it waits for.
    pub task: Option<TaskId>,
    /// Retries of the current state.
    pub retries: u32,
    /// The event that entered the state; 0 where it is yet to be entered.
    pub entered_event: u64,
    /// The indices in the Maps around it, the innermost last.
    pub iterations: Vec<u32>,
    /// The name of the child execution that it runs in.
    pub child: Option<Arc<str>>,
    /// The Map Run of a Distributed Map, as `DescribeMapRun` counts it: `mapRunArn`, `itemCounts`, `executionCounts`.
    pub map_run: Option<Value>,
}

/// An event of a child execution of a Distributed Map, told as it happens.
#[derive(Clone, Debug, PartialEq)]
pub struct ChildEvent {
    /// The child's name.
    pub child: Arc<str>,
    /// Of its first event: what has begun it.
    pub begun: Option<ChildBegun>,
    /// How many stages of the trace were told before.
    pub stages: usize,
    /// How many events the history of the whole had by then.
    pub after: u64,
    /// The event, with ids of the child's own history.
    pub event: HistoryEvent,
}

/// What a child execution was begun by.
#[derive(Clone, Debug, PartialEq)]
pub struct ChildBegun {
    /// The name of the child execution that its Map is a state of; `None` for the whole.
    pub parent: Option<Arc<str>>,
    /// The event in that one's history with which its Map Run began.
    pub run: u64,
    /// Its place among the children of the Map Run.
    pub index: u32,
}

impl Engine {
    /// Tells the last event of a child execution to who inspects it.
    #[cold]
    #[inline(never)]
    pub(super) fn tell_child_event(&mut self, execution: u32) {
        let after = self.executions.get(&0).map_or(0, |whole| whole.recorder.last);
        let Some(child) = self.executions.get(&execution) else { return };
        let Some(event) = child.recorder.events.last().cloned() else { return };
        self.child_events.push(ChildEvent { child: child.info.name.clone(), begun: None, stages: self.trace.len(), after, event });
    }

    /// The calls that wait for a result (getter): what a host makes again after a restore.
    pub fn pending(&self) -> Vec<Invocation> {
        let waiting = self.tasks.values().filter_map(|id| self.frames.get(id));
        waiting
            .filter_map(|frame| {
                let Phase::Acting(acting) = &frame.phase else { return None };
                let state = &self.machine.states[frame.state];
                Some(invocation(frame, state, acting))
            })
            .collect()
    }

    /// How many chains run (getter).
    pub fn running(&self) -> usize {
        self.frames.len()
    }

    /// All running chains, oldest first (getter).
    pub fn frames(&self) -> impl Iterator<Item = FrameView> + '_ {
        self.frames.iter().map(|(id, frame)| {
            let (phase, until, task) = match &frame.phase {
                Phase::Enter | Phase::Again | Phase::Resume(_) => ("ready", None, None),
                Phase::Sleeping { timer } => ("waiting", Some(timer.0), None),
                Phase::Backoff { timer } => ("retrying", Some(timer.0), None),
                Phase::Acting(acting) => ("running", acting.timeout.map(|timer| timer.0), Some(acting.task)),
                Phase::Joining(_) => ("joining", None, None),
            };
            FrameView {
                id: *id,
                parent: frame.parent,
                state: frame.state,
                state_name: self.machine.states[frame.state].name.clone(),
                input: frame.input.clone(),
                variables: Value::Object(frame.variables.clone()),
                phase,
                until,
                task,
                retries: frame.retries,
                entered_event: if matches!(frame.phase, Phase::Enter) { 0 } else { frame.entered_event },
                iterations: frame.item.as_ref().map_or(Vec::new(), |item| item.outer.iter().copied().chain([item.index]).collect()),
                child: self.executions.get(&frame.execution).filter(|e| e.parent.is_some()).map(|e| e.info.name.clone()),
                map_run: match &frame.phase {
                    Phase::Joining(joining) | Phase::Resume(joining) => map_run(joining),
                    _ => None,
                },
            }
        })
    }
}

/// The counts of a Map Run. None of its children is ever counted as aborted: they are only when the run is over.
fn map_run(joining: &Joining) -> Option<Value> {
    let run = joining.run.as_ref()?;
    let items = |slot: u32| joining.batches.get(slot as usize).map_or(1, |n| u64::from(*n));
    let started: u64 = if joining.batches.is_empty() { joining.next.into() } else { (0..joining.next).map(items).sum() };
    let running = joining.children.keys().map(|slot| items(*slot)).sum();
    let waiting = run.waiting.iter().map(|fallen| items(fallen.slot)).sum();
    // How many batches the rest makes is known when they are made: with a limit of bytes there may be more.
    let rest = joining.items.left + u64::from(run.held.is_some());
    let children = u64::from(joining.next) + run.batching.as_ref().map_or(rest, |batching| rest.div_ceil(batching.max_items));
    Some(Value::from(Map::from_iter([
        ("mapRunArn", Value::from(run.arn.clone())),
        ("itemCounts", counts(run.total, started, running, waiting, joining.failed_items, run.timed_out_items)),
        (
            "executionCounts",
            counts(
                children,
                joining.next.into(),
                joining.children.len() as u64,
                run.waiting.len() as u64,
                joining.failed.into(),
                run.timed_out.into(),
            ),
        ),
        ("redriveCount", Value::from(run.redrives)),
        ("maxConcurrency", Value::from(if u64::from(joining.limit) == DISTRIBUTED_CONCURRENCY { 0 } else { joining.limit })),
        ("toleratedFailureCount", Value::from(run.tolerated_count.map_or(0, |count| i64::try_from(count).unwrap_or(i64::MAX)))),
        ("toleratedFailurePercentage", Value::from(run.tolerated_percentage.unwrap_or(0.0))),
    ])))
}

fn counts(total: u64, started: u64, running: u64, waiting: u64, unsuccessful: u64, timed_out: u64) -> Value {
    let members = [
        ("pending", total.saturating_sub(started)),
        ("running", running),
        ("succeeded", started.saturating_sub(running + waiting + unsuccessful)),
        ("failed", unsuccessful.saturating_sub(timed_out)),
        ("timedOut", timed_out),
        ("aborted", 0),
        ("total", total),
        ("pendingRedrive", waiting),
    ];
    members.into_iter().map(|(name, n)| (name, Value::from(n as i64))).collect::<Map>().into()
}

#[cfg(test)]
mod tests {
    use crate::asl::{self, CompileOptions};
    use crate::base::Millis;
    use crate::base::json;
    use crate::engine::{Command, Engine, Event, ExecutionInfo, Options};
    use std::sync::Arc;

    fn run(definition: &str, input: &str, options: Options) -> Engine {
        let machine = asl::compile(definition, &CompileOptions::default()).machine.unwrap();
        let mut engine = Engine::new(Arc::new(machine), options);
        let input = json::parse(input).unwrap();
        engine.step(Millis(0), Event::Start { input, execution: ExecutionInfo::named("M", "run"), seed: 7 }).unwrap();
        for command in engine.take_commands() {
            if let Command::Invoke(call) = command {
                let output = json::parse(r#"[{"n":4},{"n":5},{"n":6}]"#).unwrap();
                engine.step(Millis(1), Event::TaskSucceeded { task: call.task, output }).unwrap();
            }
        }
        engine
    }

    /// `stage #index value` of all stages that a Map alone has.
    fn stages(definition: &str, input: &str) -> Vec<String> {
        let mut engine = run(definition, input, Options { trace: true, ..Options::default() });
        assert_eq!(engine.status(), "SUCCEEDED");
        let told = engine.take_trace();
        told.iter()
            .filter(|stage| stage.state.starts_with("Each") && stage.stage.starts_with("afterItem"))
            .map(|stage| match stage.index {
                Some(index) => format!("{} {} #{index} {}", stage.state, stage.stage, stage.value),
                None => format!("{} {} {}", stage.state, stage.stage, stage.value),
            })
            .collect()
    }

    fn each(fields: &str, mode: &str) -> String {
        format!(
            r#"{{"StartAt":"Each","States":{{"Each":{{"Type":"Map",{fields}"ItemProcessor":{{{mode}"StartAt":"In","States":{{
            "In":{{"Type":"Pass","End":true}}}}}},"End":true}}}}}}"#
        )
    }

    const DISTRIBUTED: &str = r#""ProcessorConfig":{"Mode":"DISTRIBUTED","ExecutionType":"STANDARD"},"#;

    #[test]
    fn a_map_tells_its_items_what_it_selects_of_each_and_its_batches() {
        let selector = r#""ItemsPath":"$.rows","ItemSelector":{"v.$":"$$.Map.Item.Value"},"#;
        assert_eq!(
            stages(&each(selector, ""), r#"{"rows":[1,2]}"#),
            ["Each afterItemsPath [1,2]", r#"Each afterItemSelector #0 {"v":1}"#, r#"Each afterItemSelector #1 {"v":2}"#]
        );
        let jsonata = r#""QueryLanguage":"JSONata","Items":"{% $states.input.rows[n > 1] %}","ItemSelector":{"v":"{% $states.context.Map.Item.Value.n %}"},"#;
        assert_eq!(
            stages(&each(jsonata, ""), r#"{"rows":[{"n":1},{"n":2},{"n":3}]}"#),
            [
                r#"Each afterItems [{"n":2},{"n":3}]"#,
                r#"Each afterItemSelector #0 {"v":2}"#,
                r#"Each afterItemSelector #1 {"v":3}"#
            ]
        );
        // Without the fields there is nothing of them.
        assert_eq!(stages(&each(r#""QueryLanguage":"JSONata","#, ""), "[1,2]"), [] as [&str; 0]);
        assert_eq!(stages(&each("", ""), "[1,2]"), ["Each afterItemsPath [1,2]"]);
        let batches = r#""ItemSelector":{"v.$":"$$.Map.Item.Value"},"ItemBatcher":{"MaxItemsPerBatch":2,"BatchInput":{"b":1}},"#;
        assert_eq!(
            stages(&each(batches, DISTRIBUTED), "[7,8,9]"),
            [
                "Each afterItemsPath [7,8,9]",
                r#"Each afterItemSelector #0 {"v":7}"#,
                r#"Each afterItemSelector #1 {"v":8}"#,
                r#"Each afterItemBatcher #0 {"BatchInput":{"b":1},"Items":[{"v":7},{"v":8}]}"#,
                r#"Each afterItemSelector #2 {"v":9}"#,
                r#"Each afterItemBatcher #1 {"BatchInput":{"b":1},"Items":[{"v":9}]}"#
            ]
        );
        // Items of a reader too.
        let reader = r#""ItemReader":{"Resource":"arn:aws:states:::s3:getObject","Parameters":{"Bucket":"b","Key":"k"}},"ItemBatcher":{"MaxItemsPerBatch":2},"#;
        assert_eq!(
            stages(&each(reader, DISTRIBUTED), "{}"),
            [r#"Each afterItemBatcher #0 {"Items":[{"n":4},{"n":5}]}"#, r#"Each afterItemBatcher #1 {"Items":[{"n":6}]}"#]
        );
    }

    #[test]
    fn child_executions_tell_their_events_with_what_has_begun_them() {
        let inner = each("", DISTRIBUTED).replace("Each", "Inner");
        let inner = inner.strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap();
        let definition = format!(
            r#"{{"StartAt":"Outer","States":{{"Outer":{{"Type":"Map","ItemProcessor":{{{DISTRIBUTED}{inner}}},"End":true}}}}}}"#
        );
        let options = Options { trace: true, child_histories: true, ..Options::default() };
        let mut engine = run(&definition, "[[1,2]]", options);
        assert_eq!(engine.status(), "SUCCEEDED");
        let told = engine.take_child_events();
        let begun: Vec<_> = told.iter().filter_map(|one| one.begun.as_ref().map(|begun| (one, begun))).collect();
        let [(outer, first), (one, a), (_, b)] = &begun[..] else { panic!("{begun:?}") };
        assert_eq!((&first.parent, first.index), (&None, 0));
        assert_eq!(engine.history()[first.run as usize - 1].kind, "MapRunStarted");
        assert_eq!((a.parent.as_deref(), a.index, b.index), (Some(&*outer.child), 0, 1));
        assert_eq!(a.run, b.run);
        // Each has its whole history, as its end tells it.
        for command in engine.take_commands() {
            let Command::ChildFinished(child) = command else { continue };
            let events: Vec<_> = told.iter().filter(|event| event.child == child.name).map(|event| event.event.clone()).collect();
            assert_eq!(events, child.history);
        }
        assert_eq!(one.event.kind, "ExecutionStarted");
        assert!(engine.take_child_events().is_empty());
        // Nobody who does not inspect pays for it.
        let mut engine = run(&definition, "[[1,2]]", Options { child_histories: true, ..Options::default() });
        assert!(engine.take_child_events().is_empty());
    }
}
