//! Recovery: when a host is back, no attempt is charged for the time in which nobody worked on it or could receive its answer.
//! As in SWF, a worker's time for its task (start-to-close) counts from the moment when it is handed the task.

use super::event::TaskId;
use super::frame::{Acting, Phase};
use super::timers::TimerKind;
use super::{Engine, TaskPhase};
use crate::asl::resource::Resource;
use crate::base::Millis;

/// Milliseconds in which an answer that reached nobody may be sent again, if no HeartbeatSeconds say how often a worker
/// reports.
const GRACE: u64 = 60_000;

impl Acting {
    /// How far the attempt has got.
    pub(super) fn phase(&self) -> TaskPhase {
        match &self.resource {
            _ if self.submitted => TaskPhase::Submitted,
            Resource::Activity { .. } if self.started => TaskPhase::Started,
            _ => TaskPhase::Scheduled,
        }
    }
}

impl Engine {
    /// Restarts the clocks of all attempts, before any timer of the call fires.
    pub(super) fn recover_tasks(&mut self, now: Millis, again: &[TaskId]) {
        for (task, id) in self.tasks.iter() {
            let Some(frame) = self.frames.get_mut(id) else { continue };
            let Phase::Acting(acting) = &mut frame.phase else { continue };
            let begins = acting.phase() == TaskPhase::Scheduled || again.contains(task);
            if let (Some(old), Some(seconds)) = (acting.timeout, acting.timeout_seconds) {
                let whole = seconds.saturating_mul(1000);
                let at = if begins {
                    now.plus(whole)
                } else {
                    let grace = acting.heartbeat.map_or(GRACE, |(seconds, _)| seconds.saturating_mul(1000));
                    old.0.max(now.plus(grace.min(whole)))
                };
                if at != old.0 {
                    self.timers.remove(Some(old));
                    acting.timeout = Some(self.timers.add(at, *id, TimerKind::Timeout));
                }
            }
            // A heartbeat that has not begun remains at the end of time.
            if let Some((seconds, old)) = acting.heartbeat
                && old.0.0 != u64::MAX
            {
                self.timers.remove(Some(old));
                let at = now.plus(seconds.saturating_mul(1000));
                acting.heartbeat = Some((seconds, self.timers.add(at, *id, TimerKind::Heartbeat)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::base::Millis;
    use crate::engine::fixtures::{issued, started};
    use crate::engine::{Engine, Event, TaskId};

    const HOUR: u64 = 3_600_000;

    /// Returns an engine that was started at time 0 with a state of these fields, and one after it. The machine has the fields
    /// of `more`.
    fn start(state: &str, more: &str) -> Engine {
        let definition = format!(
            r#"{{"StartAt":"A","States":{{"A":{{{state},"Next":"B"}},
                "B":{{"Type":"Task","Resource":"r","TimeoutSeconds":10,"End":true}}}}{more}}}"#
        );
        started(&definition, r#"{"items":[1,2]}"#)
    }

    fn recovered(engine: &mut Engine, at: u64) {
        let before = engine.history().len();
        engine.step(Millis(at), Event::Recovered { again: Vec::new() }).unwrap();
        assert!(engine.history().len() >= before);
    }

    const TASK: &str = r#""Type":"Task","Resource":"arn:aws:lambda:us-east-1:123456789012:function:f","TimeoutSeconds":10"#;
    const TOKEN: &str = r#""Type":"Task","Resource":"arn:aws:states:::sqs:sendMessage.waitForTaskToken""#;
    const ACTIVITY: &str = r#""Type":"Task","Resource":"arn:aws:states:us-east-1:123456789012:activity:a","TimeoutSeconds":30"#;

    #[test]
    fn a_task_that_is_called_again_gets_its_full_time_out() {
        let mut engine = start(TASK, "");
        assert_eq!(issued(&mut engine), ["invoke 1 A"]);
        let events = engine.history().len();
        recovered(&mut engine, HOUR);
        assert_eq!((issued(&mut engine).len(), engine.history().len()), (0, events));
        assert_eq!(engine.deadline(), Some(Millis(HOUR + 10_000)));
        // Without `Recovered` it has timed out at its own instant.
        let mut other = start(TASK, "");
        other.step(Millis(HOUR), Event::Tick).unwrap();
        assert_eq!((other.status(), other.history().last().unwrap().timestamp), ("FAILED", Millis(10_000)));
    }

    #[test]
    fn a_task_after_a_late_wait_starts_its_clock_now() {
        let mut engine = start(r#""Type":"Wait","Seconds":60"#, "");
        engine.take_commands();
        recovered(&mut engine, HOUR);
        assert_eq!(issued(&mut engine), ["invoke 1 B"]);
        let exited = engine.history().iter().find(|event| event.event_type.name() == "WaitStateExited").unwrap();
        assert_eq!((exited.timestamp, engine.deadline()), (Millis(60_000), Some(Millis(HOUR + 10_000))));
        // The same holds for a host that only slept.
        let mut other = start(r#""Type":"Wait","Seconds":60"#, "");
        other.take_commands();
        other.step(Millis(HOUR), Event::Tick).unwrap();
        assert_eq!((issued(&mut other), other.deadline()), (vec!["invoke 1 B".to_string()], engine.deadline()));
    }

    #[test]
    fn heartbeats_that_have_begun_are_restarted() {
        let mut engine = start(&format!(r#"{TOKEN},"HeartbeatSeconds":20"#), "");
        recovered(&mut engine, HOUR);
        // The request must still be sent, so the heartbeat has not begun; there is no other time-out.
        assert_eq!(engine.deadline(), None);
        engine.step(Millis(HOUR), Event::TaskSubmitted { task: TaskId(1), output: 1i64.into() }).unwrap();
        assert_eq!(engine.deadline(), Some(Millis(HOUR + 20_000)));
        recovered(&mut engine, 3 * HOUR);
        assert_eq!((engine.status(), engine.deadline()), ("RUNNING", Some(Millis(3 * HOUR + 20_000))));
        engine.step(Millis(3 * HOUR + 20_000), Event::Tick).unwrap();
        assert_eq!(issued(&mut engine)[1..], ["cancel 1 Heartbeat", "FAILED"]);
    }

    #[test]
    fn an_answer_that_reached_nobody_may_be_sent_again() {
        for (state, from_recovery) in [
            (format!(r#"{TOKEN},"TimeoutSeconds":600"#), 60_000),
            (format!(r#"{TOKEN},"TimeoutSeconds":600,"HeartbeatSeconds":90"#), 90_000),
            (format!(r#"{TOKEN},"TimeoutSeconds":5"#), 5_000),
        ] {
            let mut engine = start(&state, "");
            engine.step(Millis(1), Event::TaskSubmitted { task: TaskId(1), output: 1i64.into() }).unwrap();
            recovered(&mut engine, HOUR);
            assert_eq!((engine.status(), engine.deadline()), ("RUNNING", Some(Millis(HOUR + from_recovery))), "{state}");
        }
        // An attempt that has time left gets no more of it.
        let mut engine = start(&format!(r#"{TOKEN},"TimeoutSeconds":7200"#), "");
        engine.step(Millis(1), Event::TaskSubmitted { task: TaskId(1), output: 1i64.into() }).unwrap();
        recovered(&mut engine, HOUR);
        assert_eq!(engine.deadline(), Some(Millis(2 * HOUR)));
    }

    #[test]
    fn an_activity_is_offered_again_until_a_worker_has_it() {
        let mut engine = start(ACTIVITY, "");
        recovered(&mut engine, HOUR);
        assert_eq!(engine.deadline(), Some(Millis(HOUR + 30_000)));
        engine.step(Millis(HOUR), Event::TaskStarted { task: TaskId(1), worker: None }).unwrap();
        recovered(&mut engine, 2 * HOUR);
        assert_eq!(engine.deadline(), Some(Millis(2 * HOUR + 30_000)), "of the grace no more than TimeoutSeconds");
        // A worker that was a part of the host is gone with it: its task is handed out again.
        let mut engine = start(&ACTIVITY.replace(":30", ":300"), "");
        engine.step(Millis(0), Event::TaskStarted { task: TaskId(1), worker: None }).unwrap();
        let mut outside = engine.clone();
        recovered(&mut outside, HOUR);
        engine.step(Millis(HOUR), Event::Recovered { again: vec![TaskId(1), TaskId(9)] }).unwrap();
        assert_eq!((outside.deadline(), engine.deadline()), (Some(Millis(HOUR + 60_000)), Some(Millis(HOUR + 300_000))));
    }

    #[test]
    fn the_machines_own_time_out_is_absolute() {
        let mut engine = start(TASK, r#","TimeoutSeconds":1800"#);
        engine.take_commands();
        recovered(&mut engine, HOUR);
        assert_eq!(issued(&mut engine), ["cancel 1 Stopped", "TIMED_OUT"]);
        assert_eq!(engine.history().last().unwrap().timestamp, Millis(HOUR / 2));
        // After the end it has no effect.
        recovered(&mut engine, 2 * HOUR);
        assert_eq!((issued(&mut engine).len(), engine.status()), (0, "TIMED_OUT"));
    }

    #[test]
    fn a_late_retry_is_due_at_its_instant_and_starts_its_clock_now() {
        let mut engine = start(&format!(r#"{TASK},"Retry":[{{"ErrorEquals":["Busy"],"IntervalSeconds":60}}]"#), "");
        let busy = Event::TaskFailed { task: TaskId(1), error: Some("Busy".into()), cause: None };
        engine.step(Millis(0), busy).unwrap();
        engine.take_commands();
        recovered(&mut engine, HOUR);
        assert_eq!(issued(&mut engine), ["invoke 2 A"]);
        let again = engine.history().last().unwrap();
        assert_eq!((again.timestamp, engine.deadline()), (Millis(60_000), Some(Millis(HOUR + 10_000))));
    }

    #[test]
    fn branches_iterations_and_child_executions_are_recovered_too() {
        let task = r#"{"StartAt":"T","States":{"T":{"Type":"Task","Resource":"r","TimeoutSeconds":10,"End":true}}}"#;
        let distributed = task.replacen('{', r#"{"ProcessorConfig":{"Mode":"DISTRIBUTED","ExecutionType":"STANDARD"},"#, 1);
        for state in [
            format!(r#""Type":"Parallel","Branches":[{task},{}]"#, task.replace("\"T\"", "\"U\"")),
            format!(r#""Type":"Map","ItemsPath":"$.items","ItemProcessor":{task}"#),
            format!(r#""Type":"Map","ItemsPath":"$.items","ItemProcessor":{distributed}"#),
        ] {
            let mut engine = start(&state, "");
            assert_eq!(issued(&mut engine).len(), 2);
            recovered(&mut engine, HOUR);
            assert_eq!((issued(&mut engine).len(), engine.deadline()), (0, Some(Millis(HOUR + 10_000))), "{state}");
        }
    }
}
