//! A view of what is running, for inspectors.

use super::Engine;
use super::command::Invocation;
use super::event::TaskId;
use super::frame::{Frame, Joining, Phase, Purpose};
use super::limits::DISTRIBUTED_CONCURRENCY;
use super::state::task::invocation;
use crate::asl::ir::StateId;
use crate::base::{Map, Millis, Value};
use std::sync::Arc;

/// One running chain of states.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameView {
    /// The frame's number. It increases with each branch and iteration that starts.
    pub id: u32,
    /// The frame of the enclosing Parallel or Map, and the slot there.
    pub parent: Option<(u32, u32)>,
    /// The current state.
    pub state: StateId,
    /// Its name.
    pub state_name: Arc<str>,
    /// Its raw input.
    pub input: Value,
    /// The variables in scope, as an object.
    pub variables: Value,
    /// `ready`, `waiting`, `retrying`, `running`, `joining`
    pub phase: &'static str,
    /// When the frame continues by itself.
    pub until: Option<Millis>,
    /// The task that the frame waits for.
    pub task: Option<TaskId>,
    /// Retries of the current state.
    pub retries: u32,
    /// The id of the event that entered the state; 0 if it was not entered yet.
    pub entered_event: u64,
    /// The indices in the enclosing Maps, the innermost last.
    pub iterations: Vec<u32>,
    /// The name of the child execution that the frame runs in.
    pub child: Option<Arc<str>>,
    /// The Map Run of a Distributed Map, as `DescribeMapRun` counts it: `mapRunArn`, `itemCounts`, `executionCounts`.
    pub map_run: Option<Value>,
}

impl Engine {
    /// Whether the events of child executions are reported as they happen.
    #[inline(always)]
    pub(super) fn reports_children(&self) -> bool {
        self.options.trace && self.options.child_histories
    }

    /// Reports the start of a child execution. `run` is the id of the event in the history of its parent that started the Map
    /// Run.
    pub(in crate::engine) fn report_child_start(&mut self, name: &str, parent: &str, run: u64, index: u32) {
        if self.reports_children() {
            self.report_child_entry(name, &format!("\"parent\":\"{parent}\",\"run\":{run},\"index\":{index}"));
        }
    }

    /// Reports the last event of a child execution.
    #[cold]
    #[inline(never)]
    pub(super) fn report_child_event(&mut self, execution: u32) {
        let Some(child) = self.executions.get(&execution) else { return };
        let Some(event) = child.recorder.events.last() else { return };
        let mut text = String::from("\"event\":");
        event.write_json(&mut text);
        let name = child.info.name.clone();
        self.report_child_entry(&name, &text);
    }

    fn report_child_entry(&mut self, name: &str, what: &str) {
        let after = self.executions.get(&0).map_or(0, |whole| whole.recorder.last);
        let separator = if self.child_events.is_empty() { '[' } else { ',' };
        let stages = self.trace.len();
        let entry = format!("{separator}{{\"stages\":{stages},\"after\":{after},\"child\":\"{name}\",{what}}}");
        self.child_events.push_str(&entry);
    }

    /// Takes the events of child executions since the last call (output), as a JSON array in order. Each entry has `stages` and
    /// `after`, the number of stages in the trace and of events in the root execution's history at that time, and `child`, the
    /// child's name. An entry for the start of a child also has `parent` (the name of the child execution that contains its
    /// Map; empty for the root execution), `run` (the id of the event there that started the Map Run) and `index` (its slot in
    /// the Map Run). Every other entry has `event`, from the child's own history.
    ///
    /// Call it before [`take_trace`](Self::take_trace), which drops these entries. It is empty unless both
    /// [`Options::trace`](super::Options::trace) and [`Options::child_histories`](super::Options::child_histories) are on.
    pub fn take_child_events(&mut self) -> String {
        let mut text = std::mem::take(&mut self.child_events);
        if !text.is_empty() {
            text.push(']');
        }
        text
    }

    /// The calls that wait for a result (getter). A host makes them again after a restore.
    pub fn pending(&self) -> Vec<Invocation> {
        let waiting = self.tasks.iter().filter(|(task, _)| !self.is_being_read(**task)).filter_map(|(_, id)| self.frames.get(id));
        waiting
            .filter_map(|frame| {
                let Phase::Acting(acting) = &frame.phase else { return None };
                let state = &self.machine.states[frame.state];
                Some(invocation(self, frame, state, acting))
            })
            .collect()
    }

    /// The name of the child execution of a Distributed Map that a frame belongs to.
    pub(super) fn child_name(&self, frame: &Frame) -> Option<Arc<str>> {
        self.executions.get(&frame.execution).filter(|execution| execution.parent.is_some()).map(|child| child.info.name.clone())
    }

    /// The input of a task that waits for its result (getter).
    pub fn input_of(&self, task: TaskId) -> Option<&Value> {
        match &self.frames.get(self.tasks.get(&task)?)?.phase {
            Phase::Acting(acting) => Some(&acting.input),
            _ => None,
        }
    }

    /// The number of running chains (getter).
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
                child: self.child_name(frame),
                map_run: match &frame.phase {
                    Phase::Joining(joining) | Phase::Resume(joining) => map_run(joining),
                    Phase::Acting(acting) => match &acting.purpose {
                        // Children may still run while results are written.
                        Purpose::ResultWriter(joining) if joining.next > joining.done => map_run(joining),
                        _ => None,
                    },
                    _ => None,
                },
            }
        })
    }
}

/// The counts of a Map Run. No child is ever counted as aborted, because children are aborted only when the run is over.
fn map_run(joining: &Joining) -> Option<Value> {
    let run = joining.run.as_ref()?;
    let items = |slot: u32| joining.batches.get(slot as usize).map_or(1, |n| u64::from(*n));
    let started: u64 = if joining.batches.is_empty() { joining.next.into() } else { (0..joining.next).map(items).sum() };
    let running = joining.children.keys().map(|slot| items(*slot)).sum();
    let waiting = run.waiting.iter().map(|unsuccessful| items(unsuccessful.slot)).sum();
    // The number of batches in the rest is known only when they are made: a limit of bytes may lead to more.
    let rest = joining.items.left + run.gathered.len() as u64;
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
    use crate::base::json;
    use crate::base::{Millis, Value};
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

    /// Returns `stage #index value` for all stages that only a Map has.
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
    fn a_map_records_its_items_selections_and_batches() {
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
        // Without these fields there are no such stages.
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
        // The items of a reader have stages too.
        let reader = r#""ItemReader":{"Resource":"arn:aws:states:::s3:getObject","Parameters":{"Bucket":"b","Key":"k"}},"ItemBatcher":{"MaxItemsPerBatch":2},"#;
        assert_eq!(
            stages(&each(reader, DISTRIBUTED), "{}"),
            [r#"Each afterItemBatcher #0 {"Items":[{"n":4},{"n":5}]}"#, r#"Each afterItemBatcher #1 {"Items":[{"n":6}]}"#]
        );
    }

    #[test]
    fn events_of_child_executions_name_their_map_run() {
        let inner = each("", DISTRIBUTED).replace("Each", "Inner");
        let inner = inner.strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap();
        let definition = format!(
            r#"{{"StartAt":"Outer","States":{{"Outer":{{"Type":"Map","ItemProcessor":{{{DISTRIBUTED}{inner}}},"End":true}}}}}}"#
        );
        let options = Options { trace: true, child_histories: true, ..Options::default() };
        let mut engine = run(&definition, "[[1,2]]", options);
        assert_eq!(engine.status(), "SUCCEEDED");
        let told = json::parse(&engine.take_child_events()).unwrap();
        let told = told.as_array().unwrap();
        let part = |one: &Value, name: &str| one.get(name).map_or_else(String::new, Value::to_string);
        let begun: Vec<_> = told.iter().filter(|one| one.get("run").is_some()).collect();
        let [outer, a, b] = &begun[..] else { panic!("{begun:?}") };
        assert_eq!((part(outer, "parent"), part(outer, "index")), (r#""""#.into(), "0".into()));
        let event = part(outer, "run").parse::<usize>().unwrap();
        assert_eq!(engine.history()[event - 1].event_type.name(), "MapRunStarted");
        for (child, index) in [(a, "0"), (b, "1")] {
            assert_eq!((part(child, "parent"), part(child, "index")), (part(outer, "child"), index.into()));
            assert_eq!(part(child, "run"), part(a, "run"));
        }
        // Each child has its whole history when it ends.
        for command in engine.take_commands() {
            let Command::ChildFinished(child) = command else { continue };
            let own = told.iter().filter(|one| one.get("child").and_then(Value::as_str) == Some(&child.name));
            let events: Vec<_> = own.filter_map(|one| one.get("event").map(Value::to_string)).collect();
            let mut history = Vec::new();
            for event in &child.history {
                let mut text = String::new();
                event.write_json(&mut text);
                history.push(json::parse(&text).unwrap().to_string());
            }
            assert_eq!(events, history);
        }
        assert!(engine.take_child_events().is_empty());
        // Without an inspector nothing is recorded.
        let mut engine = run(&definition, "[[1,2]]", Options { child_histories: true, ..Options::default() });
        assert!(engine.take_child_events().is_empty());
    }
}
