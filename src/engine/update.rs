//! Changes to a Map Run in progress: `UpdateMapRun`.

use super::Engine;
use super::frame::{FrameId, Joining, MapRun, Phase, Purpose};
use super::invariants::joining_of;
use super::limits::DISTRIBUTED_CONCURRENCY;
use super::state;
use crate::asl::ir::Kind;

/// New limits of a Map Run. A limit that is `None` is unchanged (API reference of `UpdateMapRun`).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MapRunChange {
    /// Maximum number of concurrent children; 0 for as many as AWS allows.
    pub max_concurrency: Option<u64>,
    /// The number of items that may fail.
    pub tolerated_count: Option<u64>,
    /// Percentage of the items that may fail, from 0 to 100.
    pub tolerated_percentage: Option<f64>,
}

impl Engine {
    /// Finds a Map Run in progress that has read all of its items.
    #[cold]
    #[inline(never)]
    pub(super) fn find_run(&self, arn: &str) -> Option<(FrameId, &Joining, &MapRun)> {
        self.frames.iter().find_map(|(id, frame)| {
            let joining = joining_of(frame)?;
            let run = joining.run.as_ref().filter(|run| *run.arn == *arn)?;
            let reads = matches!(&frame.phase, Phase::Acting(acting) if matches!(acting.purpose, Purpose::ItemReader(_)));
            (!reads).then_some((*id, joining, run))
        })
    }

    /// Changes the limits of a Map Run, and starts the children for which they make room. Failures so far are compared with the
    /// new limits when the next child fails. It has no effect on a run that is not in progress, or is still reading its items.
    pub(super) fn update_map_run(&mut self, arn: &str, change: &MapRunChange) {
        let Some((id, _, _)) = self.find_run(arn) else { return };
        // A run that a redrive will continue starts its children itself, and so does one whose results are being written.
        match self.frames.get_mut(&id).map(|frame| &mut frame.phase) {
            Some(Phase::Resume(joining)) => return apply(joining, change),
            Some(Phase::Acting(acting)) => {
                if let Purpose::ResultWriter(joining) = &mut acting.purpose {
                    apply(joining, change);
                }
                return;
            }
            _ => {}
        }
        let Some((mut frame, mut joining)) = self.take_joining(id) else { return };
        apply(&mut joining, change);
        let machine = self.machine.clone();
        let state = &machine.states[frame.state];
        let Kind::Map(map) = &state.kind else { return };
        let ran = state::map::go_on(self, id, &mut frame, state, map, *joining, None);
        self.settle(&machine, id, frame, ran);
    }
}

fn apply(joining: &mut Joining, change: &MapRunChange) {
    if let Some(wanted) = change.max_concurrency {
        joining.limit = if wanted == 0 { DISTRIBUTED_CONCURRENCY } else { wanted.min(DISTRIBUTED_CONCURRENCY) } as u32;
    }
    if let Some(run) = &mut joining.run {
        run.tolerated_count = change.tolerated_count.or(run.tolerated_count);
        run.tolerated_percentage = change.tolerated_percentage.or(run.tolerated_percentage);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asl;
    use crate::base::Millis;
    use crate::base::json;
    use crate::engine::{Command, Event, ExecutionInfo, Options, TaskId};

    /// Returns a Map Run of ten items, one at a time, whose tasks stay open; and its ARN.
    fn run_in_progress() -> (Engine, std::sync::Arc<str>) {
        let text = r#"{"StartAt":"M","States":{"M":{"Type":"Map","MaxConcurrency":1,"Label":"L","End":true,"ItemProcessor":{
            "ProcessorConfig":{"Mode":"DISTRIBUTED","ExecutionType":"STANDARD"},"StartAt":"T",
            "States":{"T":{"Type":"Task","Resource":"r","End":true}}}}}}"#;
        let machine = asl::compile(text, &Default::default()).machine.expect("a machine");
        let mut engine = Engine::new(machine.into(), Options::default());
        let input = json::parse("[0,1,2,3,4,5,6,7,8,9]").expect("JSON");
        engine.step(Millis(0), Event::Start { input, execution: ExecutionInfo::named("S", "e"), seed: 1 }).unwrap();
        let run = engine.frames().find_map(|frame| frame.map_run).expect("a Map Run");
        let arn = run.get("mapRunArn").and_then(|arn| arn.as_str()).expect("an ARN").into();
        (engine, arn)
    }

    fn open_tasks(engine: &Engine) -> usize {
        engine.pending().len()
    }

    #[test]
    fn more_children_start_at_once_and_fewer_when_some_have_ended() {
        let (mut engine, arn) = run_in_progress();
        assert_eq!(open_tasks(&engine), 1);
        let change = |max_concurrency| MapRunChange { max_concurrency: Some(max_concurrency), ..MapRunChange::default() };
        engine.step(Millis(1), Event::UpdateMapRun { arn: arn.clone(), change: change(4) }).unwrap();
        assert_eq!(open_tasks(&engine), 4);
        engine.step(Millis(2), Event::UpdateMapRun { arn: arn.clone(), change: change(2) }).unwrap();
        for task in 1..=3 {
            engine.step(Millis(3), Event::TaskSucceeded { task: TaskId(task), output: json::parse("1").expect("JSON") }).unwrap();
        }
        assert_eq!(open_tasks(&engine), 2);
        engine.step(Millis(4), Event::UpdateMapRun { arn, change: change(0) }).unwrap();
        assert_eq!(open_tasks(&engine), 7);
    }

    #[test]
    fn failures_count_against_the_new_limits() {
        let (mut engine, arn) = run_in_progress();
        let change = MapRunChange { max_concurrency: Some(3), tolerated_count: Some(1), tolerated_percentage: None };
        engine.step(Millis(1), Event::UpdateMapRun { arn, change }).unwrap();
        let fail = |task| Event::TaskFailed { task: TaskId(task), error: Some("E".into()), cause: None };
        engine.step(Millis(2), fail(1)).unwrap();
        assert_eq!(engine.status(), "RUNNING");
        engine.step(Millis(3), fail(2)).unwrap();
        assert_eq!(engine.status(), "FAILED");
    }

    #[test]
    fn a_change_does_not_affect_another_run() {
        let (mut engine, _) = run_in_progress();
        engine.take_commands();
        let change = MapRunChange { max_concurrency: Some(9), ..MapRunChange::default() };
        engine.step(Millis(1), Event::UpdateMapRun { arn: "arn:another".into(), change }).unwrap();
        assert_eq!(open_tasks(&engine), 1);
        assert!(!engine.take_commands().iter().any(|command| matches!(command, Command::Invoke(_))));
    }
}
