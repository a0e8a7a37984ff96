//! Cancellation: everything that waits fails with an error that the definition can catch, to clean up.

use super::command::CancelReason;
use super::event::{CancelScope, TaskId};
use super::fault::{CANCELLED, Fault};
use super::frame::{Frame, FrameId, Phase};
use super::{Engine, state};
use std::sync::Arc;

impl Engine {
    /// Fails everything that waits in the execution, in the order in which it began to wait. A child execution of a Map Run
    /// ends with its Map. With `within`, fails only what waits there.
    pub(super) fn cancel_waiting(&mut self, cause: Option<Arc<str>>, spared: &[TaskId], within: Option<&CancelScope>) {
        let fault = Fault::of_task(Some(CANCELLED.into()), cause);
        let is_concerned =
            |id: FrameId, frame: &Frame| frame.execution == 0 && within.is_none_or(|scope| self.is_within(id, scope));
        let waiting: Vec<FrameId> = self.frames.iter().filter(|(id, frame)| is_concerned(**id, frame)).map(|(id, _)| *id).collect();
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

    /// Whether a frame is in the part of the execution that is cancelled.
    fn is_within(&self, id: FrameId, scope: &CancelScope) -> bool {
        match scope {
            CancelScope::State { name, index } => {
                let mut slot = None;
                let mut next = Some(id);
                while let Some(frame) = next.and_then(|id| self.frames.get(&id)) {
                    // With an index, the state itself does not count, only what is in it.
                    if *self.machine.states[frame.state].name == **name && (index.is_none() || *index == slot) {
                        return true;
                    }
                    slot = frame.parent.map(|(_, slot)| slot);
                    next = frame.parent.map(|(parent, _)| parent);
                }
                false
            }
            CancelScope::Beside(task) => {
                let own = self.tasks.get(task).and_then(|id| self.frames.get(id)).and_then(|frame| frame.parent);
                let Some((scope, own)) = own else { return false };
                let mut next = self.frames.get(&id).and_then(|frame| frame.parent);
                while let Some((parent, slot)) = next {
                    if parent == scope {
                        return slot != own;
                    }
                    next = self.frames.get(&parent).and_then(|frame| frame.parent);
                }
                false
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::base::Millis;
    use crate::engine::fixtures::{issued, started};
    use crate::engine::{CancelScope, Engine, Event, TaskId};

    /// Returns an engine that was started at time 0 with these states, and the commands that it issued.
    fn start(states: &str) -> (Engine, Vec<String>) {
        let definition = format!(r#"{{"StartAt":"A","States":{{{states}}}}}"#);
        let mut engine = started(&definition, r#"{"items":[1,2,3]}"#);
        let issued = issued(&mut engine);
        (engine, issued)
    }

    fn cancel(engine: &mut Engine, spared: &[u32]) -> Vec<String> {
        cancel_within(engine, spared, None)
    }

    fn cancel_within(engine: &mut Engine, spared: &[u32], within: Option<CancelScope>) -> Vec<String> {
        let spared = spared.iter().copied().map(TaskId).collect();
        engine.step(Millis(1000), Event::Cancel { cause: Some("enough".into()), spared, within }).unwrap();
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

    /// A Parallel `A` with a task in one branch, and in the other one an inner Parallel `In` with the tasks `C` and `D`.
    fn nested() -> Engine {
        let catch = r#""Catch":[{"ErrorEquals":["Stepglass.Cancelled"],"Next":"Clean"}]"#;
        let branch = |name: &str, catch: &str, more: &str| {
            format!(r#"{{"StartAt":"{name}","States":{{"{name}":{{"Type":"Task","Resource":"r",{catch}"End":true}}{more}}}}}"#)
        };
        let inner = format!(
            r#"{{"StartAt":"In","States":{{"In":{{"Type":"Parallel","Branches":[{},{}],{catch},"End":true}},{CLEAN}}}}}"#,
            branch("C", "", ""),
            branch("D", "", ""),
        );
        let (engine, begun) =
            start(&format!(r#""A":{{"Type":"Parallel","Branches":[{},{inner}],"End":true}}"#, branch("B", "", "")));
        assert_eq!(begun, ["invoke 1 B", "invoke 2 C", "invoke 3 D"]);
        engine.check_invariants().unwrap();
        engine
    }

    fn state(name: &str, index: Option<u32>) -> Option<CancelScope> {
        Some(CancelScope::State { name: name.into(), index })
    }

    #[test]
    fn a_scope_is_cancelled_alone() {
        assert_eq!(
            cancel_within(&mut nested(), &[], state("In", None)),
            ["cancel 2 Cancelled", "cancel 3 SiblingFailed", "invoke 4 Clean"]
        );
        assert_eq!(
            cancel_within(&mut nested(), &[], state("A", Some(1))),
            ["cancel 2 Cancelled", "cancel 3 SiblingFailed", "invoke 4 Clean"]
        );
        assert_eq!(
            cancel_within(&mut nested(), &[], state("In", Some(1))),
            ["cancel 3 Cancelled", "cancel 2 SiblingFailed", "invoke 4 Clean"]
        );
        assert_eq!(cancel_within(&mut nested(), &[], state("Clean", None)), [""; 0]);
        assert_eq!(cancel_within(&mut nested(), &[], state("B", Some(0))), [""; 0]);
    }

    #[test]
    fn the_branches_beside_a_task_are_cancelled() {
        let beside = |task| Some(CancelScope::Beside(TaskId(task)));
        assert_eq!(
            cancel_within(&mut nested(), &[], beside(1)),
            ["cancel 2 Cancelled", "cancel 3 SiblingFailed", "invoke 4 Clean"]
        );
        // The scope of a task is the innermost Parallel around it.
        assert_eq!(
            cancel_within(&mut nested(), &[], beside(2)),
            ["cancel 3 Cancelled", "cancel 2 SiblingFailed", "invoke 4 Clean"]
        );
        assert_eq!(cancel_within(&mut nested(), &[], beside(9)), [""; 0]);
    }
}
