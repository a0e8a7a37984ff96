//! Cancellation: everything that waits fails with an error that the definition can catch, to clean up.

use super::command::CancelReason;
use super::event::TaskId;
use super::fault::{CANCELLED, Fault};
use super::frame::{FrameId, Phase};
use super::{Engine, state};
use std::sync::Arc;

impl Engine {
    /// Fails everything that waits in the execution, in the order in which it began to wait. A child execution of a Map Run
    /// ends with its Map.
    pub(super) fn cancel_waiting(&mut self, cause: Option<Arc<str>>, spared: &[TaskId]) {
        let fault = Fault::of_task(Some(CANCELLED.into()), cause);
        let waiting: Vec<FrameId> = self.frames.iter().filter(|(_, frame)| frame.execution == 0).map(|(id, _)| *id).collect();
        for id in waiting {
            // The error of an earlier frame may have ended this one.
            let task = match self.frames.get(&id).map(|frame| &frame.phase) {
                Some(Phase::Acting(acting)) if spared.contains(&acting.task) => continue,
                Some(Phase::Acting(acting)) => Some(acting.task),
                Some(Phase::Sleeping { .. } | Phase::Backoff { .. }) => None,
                Some(Phase::Joining(joining)) if joining.run.is_some() => None,
                _ => continue,
            };
            if let Some(task) = task {
                self.cancel(task, CancelReason::Cancelled);
                self.task_ended(task, Err(fault.clone()));
                continue;
            }
            let Some(mut frame) = self.frames.remove(&id) else { continue };
            let mut fault = fault.clone();
            match std::mem::replace(&mut frame.phase, Phase::Enter) {
                Phase::Sleeping { timer } | Phase::Backoff { timer } => self.timers.remove(Some(timer)),
                Phase::Joining(joining) => {
                    self.unfinished_maps.remove(&id);
                    self.kill_children(&joining, frame.execution, None, None, CancelReason::Cancelled);
                    fault = state::map::run_failed(self, &mut frame, fault);
                }
                _ => {}
            }
            let machine = self.machine.clone();
            self.settle(&machine, id, frame, Err(fault));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::base::Millis;
    use crate::engine::fixtures::{issued, started};
    use crate::engine::{Engine, Event, TaskId};

    /// Returns an engine that was started at time 0 with these states, and the commands that it issued.
    fn start(states: &str) -> (Engine, Vec<String>) {
        let definition = format!(r#"{{"StartAt":"A","States":{{{states}}}}}"#);
        let mut engine = started(&definition, r#"{"items":[1,2,3]}"#);
        let issued = issued(&mut engine);
        (engine, issued)
    }

    fn cancel(engine: &mut Engine, spared: &[u32]) -> Vec<String> {
        let spared = spared.iter().copied().map(TaskId).collect();
        engine.step(Millis(1000), Event::Cancel { cause: Some("enough".into()), spared }).unwrap();
        engine.check_invariants().unwrap();
        issued(engine)
    }

    const CLEAN: &str = r#""Clean":{"Type":"Task","Resource":"r","End":true}"#;

    #[test]
    fn a_task_is_caught_and_not_retried() {
        let (mut engine, _) = start(&format!(
            r#""A":{{"Type":"Task","Resource":"r","Retry":[{{"ErrorEquals":["States.ALL"]}}],
                "Catch":[{{"ErrorEquals":["Stepglass.Cancelled"],"Next":"Clean"}}],"End":true}},{CLEAN}"#
        ));
        assert_eq!(cancel(&mut engine, &[]), ["cancel 1 Cancelled", "invoke 2 Clean"]);
    }

    #[test]
    fn a_retrier_that_names_it_retries() {
        let (mut engine, _) =
            start(r#""A":{"Type":"Task","Resource":"r","Retry":[{"ErrorEquals":["Stepglass.Cancelled"]}],"End":true}"#);
        assert_eq!(cancel(&mut engine, &[]), ["cancel 1 Cancelled"]);
        engine.step(Millis(2000), Event::Tick).unwrap();
        assert_eq!(issued(&mut engine), ["invoke 2 A"]);
    }

    #[test]
    fn without_a_catcher_the_execution_fails() {
        for state in [r#""A":{"Type":"Wait","Seconds":60,"Next":"Clean"}"#, r#""A":{"Type":"Task","Resource":"r","Next":"Clean"}"#]
        {
            let (mut engine, _) = start(&format!("{state},{CLEAN}"));
            let end = cancel(&mut engine, &[]);
            assert_eq!(end.last().map(String::as_str), Some("FAILED"));
            assert_eq!(engine.deadline(), None);
        }
    }

    #[test]
    fn waits_and_backoffs_of_branches_fail_with_their_scope() {
        let (mut engine, begun) = start(&format!(
            r#""A":{{"Type":"Parallel","Branches":[
                {{"StartAt":"W","States":{{"W":{{"Type":"Wait","Seconds":60,"End":true}}}}}},
                {{"StartAt":"B","States":{{"B":{{"Type":"Task","Resource":"r","End":true,"Retry":[{{"ErrorEquals":["E"]}}]}}}}}},
                {{"StartAt":"C","States":{{"C":{{"Type":"Task","Resource":"r","End":true}}}}}}],
                "Catch":[{{"ErrorEquals":["States.ALL"],"Next":"Clean"}}],"End":true}},{CLEAN}"#
        ));
        assert_eq!(begun, ["invoke 1 B", "invoke 2 C"]);
        engine.step(Millis(1), Event::TaskFailed { task: TaskId(1), error: Some("E".into()), cause: None }).unwrap();
        assert_eq!(cancel(&mut engine, &[]), ["cancel 2 SiblingFailed", "invoke 3 Clean"]);
        // The task of the clean-up is another one, and it can be spared.
        assert_eq!(cancel(&mut engine, &[3]), [""; 0]);
    }

    #[test]
    fn a_map_run_ends_with_its_map() {
        let (mut engine, _) = start(&format!(
            r#""A":{{"Type":"Map","ItemsPath":"$.items","ToleratedFailurePercentage":100,"MaxConcurrency":1,
                "ItemProcessor":{{"ProcessorConfig":{{"Mode":"DISTRIBUTED","ExecutionType":"STANDARD"}},
                "StartAt":"B","States":{{"B":{{"Type":"Task","Resource":"r","End":true}}}}}},
                "Catch":[{{"ErrorEquals":["States.ALL"],"Next":"Clean"}}],"End":true}},{CLEAN}"#
        ));
        assert_eq!(cancel(&mut engine, &[]), ["cancel 1 Cancelled", "invoke 2 Clean"]);
    }
}
