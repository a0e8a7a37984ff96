//! Redrive: an execution that did not succeed goes on from where it stood (spec §11.4). A Distributed Map in progress
//! starts a new Map Run; everything else goes on where AWS lets it go on.

use super::Engine;
use super::frame::{Frame, FrameId, Phase};
use super::history::Details;

impl Engine {
    /// Whether [`Event::Redrive`](super::Event::Redrive) would be taken (getter).
    pub fn is_redrivable(&self) -> bool {
        let room = self.executions.get(&0).is_some_and(|execution| !execution.recorder.full && !execution.express);
        self.outcome.is_some() && self.stranded.is_some() && room
    }

    /// Remembers what runs when an error begins its way outwards, before any sibling is cut off.
    pub(super) fn strand(&mut self, id: FrameId, frame: &Frame) {
        // Children of a Distributed Map fail on their own; their Map Run is redriven as a whole.
        if self.stranded.is_some() || frame.execution != 0 || self.probe.is_some() {
            return;
        }
        let mut frames = self.frames.clone();
        frames.insert(id, Box::new(Frame { phase: Phase::Again, ..frame.clone() }));
        self.stranded = Some(frames);
    }

    /// Takes everything up that had not succeeded: branches and iterations that were done keep their results, states that
    /// ran or had failed run again, with fresh retriers and time outs.
    pub(super) fn redrive(&mut self) {
        let Some(frames) = self.stranded.take() else { return };
        self.outcome = None;
        self.redrives += 1;
        self.redriven_at = self.clock;
        let tail = self.executions.get(&0).map_or(0, |execution| execution.recorder.last);
        let event = self.record(0, "ExecutionRedriven", tail, Details::Redriven(self.redrives));
        self.start_clock();
        for (id, mut frame) in frames.into_iter().filter(|(_, frame)| frame.execution == 0) {
            frame.attempts.clear();
            frame.retries = 0;
            match &frame.phase {
                // Its children go on; those that were done keep their results.
                Phase::Joining(joining) if joining.run.is_none() => {}
                Phase::Enter => self.ready.push_back(id),
                _ => {
                    frame.phase = Phase::Again;
                    frame.tail = event;
                    self.ready.push_back(id);
                }
            }
            self.frames.insert(id, frame);
        }
    }
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
    fn a_failed_branch_runs_again_and_a_done_one_does_not() {
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
        // What is stored of a failed execution can be redriven too.
        let text = engine.snapshot();
        let mut engine = Engine::restore(engine.machine().clone(), &json::parse(&text).unwrap()).unwrap();
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
}
