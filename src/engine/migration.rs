//! Migration: an execution continues with another definition than it began with.

use super::Engine;
use super::frame::{Frame, Phase, Purpose};
use super::snapshot::RestoreError;
use crate::asl::ir::{Kind, Machine, ScopeId};
use crate::asl::resource::Resource;
use crate::base::Value;
use std::sync::Arc;

impl Engine {
    /// Returns an engine that continues with `to` where a snapshot of `from` was taken. Running states are matched by name:
    /// each state that a frame is in must exist, in the same branch or Map and with the same type, and each task in flight must
    /// have the same resource. The history, variables and time-outs are unchanged.
    pub fn migrate(from: &Machine, to: Arc<Machine>, snapshot: &Value) -> Result<Engine, RestoreError> {
        let engine = Engine::restore_of(to, snapshot, from.digest)?;
        for frame in engine.frames.values() {
            engine.check_moved(from, frame)?;
        }
        Ok(engine)
    }

    fn check_moved(&self, from: &Machine, frame: &Frame) -> Result<(), RestoreError> {
        let state = &self.machine.states[frame.state];
        let differs = |what: &str| Err(RestoreError::new(format!("state {:?} {what}", state.name)));
        let stays = match self.scope_around(frame) {
            // The Map of a child execution that the host runs is in the parent's engine.
            Some(Machine::ROOT) if self.options.external_children => {
                map_of(from, &state.name) == map_of(&self.machine, &state.name)
            }
            around => around == Some(frame.scope),
        };
        if !stays {
            return differs("is in another branch or Map");
        }
        let Some((_, was)) = from.states.iter().find(|(_, was)| was.name == state.name) else {
            return differs("is new");
        };
        let entered = !matches!(frame.phase, Phase::Enter);
        if entered && was.kind.type_name() != state.kind.type_name() {
            return differs("is of another type");
        }
        match (&was.kind, &state.kind) {
            (Kind::Parallel { branches: old }, Kind::Parallel { branches: new }) if entered && old.len() != new.len() => {
                differs("has another number of branches")
            }
            (Kind::Map(old), Kind::Map(new)) if entered && old.mode != new.mode => differs("has another mode"),
            _ => match &frame.phase {
                Phase::Acting(acting) if in_flight(&was.kind, &acting.purpose) != Some(acting.resource.clone()) => {
                    differs("calls another resource")
                }
                _ => Ok(()),
            },
        }
    }

    /// The `States` object that a frame runs in, derived from its parent.
    fn scope_around(&self, frame: &Frame) -> Option<ScopeId> {
        let (parent, slot) = match frame.parent {
            Some((parent, slot)) => (parent, slot),
            None => match self.executions.get(&frame.execution)?.parent {
                Some((parent, slot)) => (parent, slot),
                None => return Some(Machine::ROOT),
            },
        };
        match &self.machine.states[self.frames.get(&parent)?.state].kind {
            Kind::Parallel { branches } => branches.get(slot as usize).copied(),
            Kind::Map(map) => Some(map.processor),
            _ => None,
        }
    }
}

/// The name of the Map that directly contains a state.
fn map_of<'a>(machine: &'a Machine, state: &str) -> Option<&'a str> {
    let scope = machine.states.iter().find(|(_, one)| &*one.name == state)?.1.scope;
    let is_around = |kind: &Kind| matches!(kind, Kind::Map(map) if map.processor == scope);
    machine.states.iter().find(|(_, one)| is_around(&one.kind)).map(|(_, one)| &*one.name)
}

/// The resource that a state of this type calls for a purpose.
fn in_flight(kind: &Kind, purpose: &Purpose) -> Option<Resource> {
    Some(match (kind, purpose) {
        (Kind::Task(task), Purpose::Task) => task.parsed.clone(),
        (Kind::Map(map), Purpose::ItemReader(_)) => Resource::parse(&map.item_reader.as_ref()?.resource),
        (Kind::Map(map), Purpose::ResultWriter(_)) => Resource::parse(map.result_writer.as_ref()?.resource.as_ref()?),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{Millis, json};
    use crate::engine::fixtures::{machine, started};
    use crate::engine::{Command, Event, ExecutionInfo, Options, SNAPSHOT_DEPTH, TaskId};

    const CALL: &str = r#""Type":"Task","Resource":"arn:aws:lambda:us-east-1:123456789012:function:f""#;

    /// Returns a machine with a branch that has called a task, a branch that waits, and then `Last`.
    fn definition(first: &str, second: &str, last: &str) -> String {
        format!(
            r#"{{"StartAt":"P","States":{{"P":{{"Type":"Parallel","Next":"Last","Branches":[
                {{"StartAt":"A","States":{{{first}}}}},{{"StartAt":"B","States":{{{second}}}}}]}},"Last":{{{last}}}}}}}"#
        )
    }

    fn old() -> (Arc<Machine>, Engine) {
        let a = format!(r#""A":{{{CALL},"End":true}}"#);
        let mut engine = started(&definition(&a, r#""B":{"Type":"Wait","Seconds":60,"End":true}"#, r#""Type":"Succeed""#), "{}");
        engine.take_commands();
        (engine.machine().clone(), engine)
    }

    fn migrated(definition: &str) -> Result<Engine, String> {
        let (from, engine) = old();
        let snapshot = json::parse_within(&engine.snapshot(), SNAPSHOT_DEPTH).unwrap();
        Engine::migrate(&from, machine(definition), &snapshot).map_err(|error| error.to_string())
    }

    #[test]
    fn a_running_execution_continues_in_another_definition() {
        let a = format!(r#""A":{{{CALL},"Next":"New"}},"New":{{"Type":"Pass","Result":"new","End":true}}"#);
        let b = r#""B":{"Type":"Wait","Seconds":5,"End":true}"#;
        let mut engine = migrated(&definition(&a, b, r#""Type":"Pass","End":true"#)).unwrap();
        let events = engine.event_count();
        engine.step(Millis(1), Event::TaskSucceeded { task: TaskId(1), output: 1i64.into() }).unwrap();
        assert!(engine.event_count() > events, "ids go on");
        // A Wait that has begun ends at its original time.
        assert_eq!(engine.deadline(), Some(Millis(60_000)));
        engine.step(Millis(60_000), Event::Tick).unwrap();
        let Some(Command::Finish(outcome)) = engine.take_commands().into_iter().last() else { panic!("it has ended") };
        let crate::engine::Outcome::Succeeded { output } = outcome else { panic!("{outcome:?}") };
        assert_eq!(json::to_string(&output), r#"["new",{}]"#);
    }

    #[test]
    fn a_running_state_that_is_missing_is_refused() {
        let (a, b) = (format!(r#""A":{{{CALL},"End":true}}"#), r#""B":{"Type":"Wait","Seconds":60,"End":true}"#);
        let last = r#""Type":"Succeed""#;
        let refused = |first: &str, second: &str, expect: &str| {
            let error = migrated(&definition(first, second, last)).map(|_| ()).unwrap_err();
            assert!(error.contains(expect), "{error}: {expect}");
        };
        refused(&a.replace(":function:f", ":function:g"), b, "state \"A\" calls another resource");
        refused(r#""A":{"Type":"Pass","End":true}"#, b, "a task and its state do not match");
        refused(&a, r#""B":{"Type":"Pass","End":true}"#, "a timer belongs to a state that is not a Wait");
        refused(
            &a,
            r#""B":{"Type":"Pass","Next":"C"},"C":{"Type":"Wait","Seconds":60,"End":true}"#,
            "a timer belongs to a state that is not a Wait",
        );
        // It matters which state is in which branch, and not only that the state exists.
        let moved = format!(
            r#"{{"StartAt":"P","States":{{"P":{{"Type":"Parallel","Next":"Last","Branches":[{{"StartAt":"B","States":{{{b}}}}},
                {{"StartAt":"A","States":{{{a}}}}}]}},"Last":{{{last}}}}}}}"#
        );
        assert!(migrated(&moved).map(|_| ()).unwrap_err().contains("is in another branch or Map"));
        let more = definition(&a, b, last)
            .replace("]}", &format!(r#",{{"StartAt":"C","States":{{{}}}}}]}}"#, a.replace("\"A\"", "\"C\"")));
        assert!(migrated(&more).map(|_| ()).unwrap_err().contains("has another number of branches"), "{more}");
        let gone = r#"{"StartAt":"Last","States":{"Last":{"Type":"Succeed"}}}"#;
        assert!(migrated(gone).map(|_| ()).unwrap_err().contains("there is no state"));
    }

    #[test]
    fn an_external_child_stays_in_its_map() {
        let each = |name: &str, wait: &str| {
            format!(
                r#"{{"StartAt":"{name}","States":{{"{name}":{{"Type":"Map","Label":"L","End":true,"ItemProcessor":{{
                    "ProcessorConfig":{{"Mode":"DISTRIBUTED","ExecutionType":"STANDARD"}},"StartAt":"{wait}",
                    "States":{{"{wait}":{{"Type":"Wait","Seconds":5,"End":true}}}}}}}}}}}}"#
            )
        };
        let from = machine(&each("M", "W"));
        let mut engine = Engine::new(from.clone(), Options { external_children: true, ..Options::default() });
        let input = json::parse("[1]").unwrap();
        engine.step(Millis(0), Event::Start { input, execution: ExecutionInfo::named("S", "e"), seed: 1 }).unwrap();
        let Some(Command::StartChild(start)) = engine.take_commands().into_iter().next() else { panic!("a child") };
        let child = json::parse_within(start.snapshot.as_ref().unwrap(), SNAPSHOT_DEPTH).unwrap();
        let moved =
            |definition: &str| Engine::migrate(&from, machine(definition), &child).map(|_| ()).map_err(|error| error.to_string());
        assert_eq!(moved(&each("M", "W").replace(":5", ":9")), Ok(()));
        assert!(moved(&each("N", "W")).unwrap_err().contains("is in another branch or Map"));
        assert!(moved(&each("M", "V")).unwrap_err().contains("there is no state"));
        let outside = r#"{"StartAt":"W","States":{"W":{"Type":"Wait","Seconds":5,"End":true}}}"#;
        assert!(moved(outside).unwrap_err().contains("is in another branch or Map"));
        // The parent is at the top level, and not in a Map.
        let parent = json::parse_within(&engine.snapshot(), SNAPSHOT_DEPTH).unwrap();
        assert!(Engine::migrate(&from, machine(&each("M", "V")), &parent).is_ok());
    }

    #[test]
    fn a_snapshot_of_a_third_definition_is_refused() {
        let (_, engine) = old();
        let snapshot = json::parse_within(&engine.snapshot(), SNAPSHOT_DEPTH).unwrap();
        let other = machine(r#"{"StartAt":"Last","States":{"Last":{"Type":"Succeed"}}}"#);
        let error = Engine::migrate(&other, other.clone(), &snapshot).map(|_| ()).unwrap_err();
        assert!(error.to_string().contains("different definition"));
    }
}
