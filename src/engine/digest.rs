//! A rolling digest of the commands. A host that stores it beside its facts can detect that a replay does something else,
//! because the definition or the release has changed, before any task is called twice.

use super::Engine;
use super::command::{Command, Outcome};
use crate::base::Value;

/// Maximum number of values of a payload, and of bytes of a text, that are mixed in. The digest detects changes and proves
/// nothing, and a large payload is not worth a second traversal.
const VALUES: u32 = 24;
const BYTES: usize = 64;

/// The number of bits of the digest that a host gets: a JavaScript number can hold them.
const BITS: u32 = 52;

/// The digest so far. It does not depend on addresses, on ids of states or on how long names are held in memory, so it is the
/// same after a restore, on every platform, and for a definition in which only other states have changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Digest(pub(super) u64);

impl Default for Digest {
    fn default() -> Digest {
        Digest(0xcbf2_9ce4_8422_2325)
    }
}

impl Digest {
    /// Mixes a word as FNV-1a does for bytes. The upper bits are folded down, because multiplication alone carries only
    /// upwards.
    fn mix(&mut self, word: u64) {
        let product = (self.0 ^ word).wrapping_mul(0x0000_0100_0000_01b3);
        self.0 = product ^ (product >> 29);
    }

    pub(super) fn text(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let (words, rest) = bytes.get(..BYTES).unwrap_or(bytes).as_chunks();
        for word in words {
            self.mix(u64::from_le_bytes(*word));
        }
        // The last word also contains the length, so that consecutive texts cannot run together.
        let last = rest.iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
        self.mix(last << 8 | bytes.len() as u64 & 0xff);
    }

    fn maybe(&mut self, text: Option<&str>) {
        match text {
            Some(text) => self.text(text),
            None => self.mix(u64::MAX),
        }
    }

    /// Mixes a value. The recursion is at most as deep as the number of values that are mixed in.
    fn value(&mut self, value: &Value, left: &mut u32) {
        *left = left.saturating_sub(1);
        match value {
            Value::Null => self.mix(1),
            Value::Bool(is) => self.mix(2 + u64::from(*is)),
            // This makes 0 and -0 equal.
            Value::Number(_) => self.mix((value.as_f64().unwrap_or(0.0) + 0.0).to_bits()),
            Value::String(text) => self.text(text),
            Value::Array(items) => {
                self.mix(4 + (items.len() as u64) * 2);
                for item in items.iter() {
                    if *left == 0 {
                        return;
                    }
                    self.value(item, left);
                }
            }
            Value::Object(members) => {
                self.mix(5 + (members.len() as u64) * 2);
                for (name, member) in members.iter() {
                    if *left == 0 {
                        return;
                    }
                    self.text(name);
                    self.value(member, left);
                }
            }
        }
    }

    fn payload(&mut self, value: Option<&Value>) {
        match value {
            Some(value) => self.value(value, &mut { VALUES }),
            None => self.mix(0),
        }
    }

    fn command(&mut self, command: &Command) {
        match command {
            Command::Invoke(call) => {
                self.mix(u64::from(call.task.0) << 8 | 1);
                self.mix(call.entered ^ u64::from(call.attempt) << 32);
                self.maybe(call.child.as_deref());
                self.text(&call.state_name);
                self.text(&call.resource);
                self.payload(Some(&call.input));
            }
            Command::Cancel { task, reason } => {
                self.mix(u64::from(task.0) << 8 | 2);
                self.text(reason.as_str());
            }
            Command::ChildFinished(child) => {
                self.mix(3);
                self.text(&child.name);
                self.text(child.status);
                self.maybe(child.error.as_deref());
                self.payload(child.output.as_ref());
            }
            Command::StartChild(child) => {
                self.mix(u64::from(child.index) << 8 | 5);
                self.text(&child.map_run);
            }
            Command::StopChildren { map_run, .. } => {
                self.mix(6);
                self.text(map_run);
            }
            Command::Finish(outcome) => {
                self.mix(4);
                self.text(outcome.status());
                match outcome {
                    Outcome::Succeeded { output } => self.payload(Some(output)),
                    Outcome::Failed { error, cause } | Outcome::Aborted { error, cause } => {
                        self.maybe(error.as_deref());
                        self.maybe(cause.as_deref());
                    }
                    Outcome::TimedOut => {}
                }
            }
        }
    }
}

impl Engine {
    /// Adds a command for the host.
    pub(super) fn issue(&mut self, command: Command) {
        self.commands.push(command);
        if let Some(command) = self.commands.last() {
            self.digest.command(command);
        }
    }

    /// A digest of 52 bits of all commands that were issued so far and of the number of events (getter). Equal machines,
    /// options and facts give equal digests, even if the engine was restored in between: a host that stores it beside each fact
    /// finds the first fact after which a replay requests something else. It covers only the beginning of each payload and does
    /// not reveal it.
    pub fn commands_digest(&self) -> u64 {
        let mut digest = self.digest;
        digest.mix(self.event_count());
        digest.0 & ((1 << BITS) - 1)
    }
}

#[cfg(test)]
mod tests {
    use crate::asl;
    use crate::base::{Millis, json};
    use crate::engine::{Engine, Event, ExecutionInfo, Options, TaskId};
    use std::sync::Arc;

    const TASK: &str = r#"{"StartAt":"A","States":{"A":{"Type":"Task","Resource":"r","End":true}}}"#;

    const CALLBACK: &str = r#""arn:aws:states:::sqs:sendMessage.waitForTaskToken""#;

    fn digest(definition: &str, input: &str, facts: &[(u64, Event)]) -> u64 {
        let machine = asl::compile(definition, &asl::CompileOptions::default()).machine.unwrap();
        let mut engine = Engine::new(Arc::new(machine), Options::default());
        let input = json::parse(input).unwrap();
        engine.step(Millis(0), Event::Start { input, execution: ExecutionInfo::named("m", "e"), seed: 0 }).unwrap();
        for (at, fact) in facts {
            engine.step(Millis(*at), fact.clone()).unwrap();
        }
        assert!(engine.commands_digest() < 1 << 52);
        engine.commands_digest()
    }

    fn succeed(output: &str) -> (u64, Event) {
        (1, Event::TaskSucceeded { task: TaskId(1), output: json::parse(output).unwrap() })
    }

    #[test]
    fn every_part_of_a_command_changes_the_digest() {
        let failed = (1, Event::TaskFailed { task: TaskId(1), error: Some("E".into()), cause: None });
        let caused = (1, Event::TaskFailed { task: TaskId(1), error: Some("E".into()), cause: Some("c".into()) });
        let submitted = (1, Event::TaskSubmitted { task: TaskId(1), output: 1i64.into() });
        let mut digests = vec![
            digest(TASK, "{}", &[]),
            digest(TASK, r#"{"a":1}"#, &[]),
            digest(TASK, r#"{"a":"1"}"#, &[]),
            digest(TASK, r#"{"b":1}"#, &[]),
            digest(TASK, r#"[{"a":[]}]"#, &[]),
            digest(TASK, r#"[[],{"a":[]}]"#, &[]),
            digest(TASK, r#"[[{"a":[]}]]"#, &[]),
            digest(TASK, "null", &[]),
            digest(&TASK.replace("\"A\"", "\"B\""), "{}", &[]),
            digest(&TASK.replace("\"r\"", "\"s\""), "{}", &[]),
            digest(&TASK.replace("Task\",", "Task\",\"Parameters\":{\"x\":1},"), "{}", &[]),
            digest(TASK, "{}", &[succeed("1")]),
            digest(TASK, "{}", &[succeed("2")]),
            digest(TASK, "{}", &[failed]),
            digest(TASK, "{}", &[caused]),
            digest(TASK, "{}", &[(1, Event::Stop { error: None, cause: None })]),
            digest(&TASK.replace("\"r\"", CALLBACK), "{}", &[]),
            // This variant has one event more.
            digest(&TASK.replace("\"r\"", CALLBACK), "{}", &[submitted]),
        ];
        let count = digests.len();
        digests.sort();
        digests.dedup();
        assert_eq!(digests.len(), count);
    }

    #[test]
    fn states_without_commands_and_unreached_states_do_not_change_the_digest() {
        let plain = digest(TASK, "{}", &[]);
        assert_eq!(digest(TASK, "{}", &[(5, Event::Tick), (6, Event::Recovered { again: Vec::new() })]), plain);
        let other = TASK.replace("\"End\":true}", "\"Next\":\"0\"},\"0\":{\"Type\":\"Succeed\"}");
        assert_eq!(digest(&other, "{}", &[]), plain);
        assert_ne!(digest(&other, "{}", &[succeed("1")]), digest(TASK, "{}", &[succeed("1")]));
    }

    #[test]
    fn a_snapshot_without_a_digest_starts_a_new_one() {
        let machine = Arc::new(asl::compile(TASK, &asl::CompileOptions::default()).machine.unwrap());
        let mut engine = Engine::new(machine.clone(), Options::default());
        let input = json::parse("{}").unwrap();
        engine.step(Millis(0), Event::Start { input, execution: ExecutionInfo::named("m", "e"), seed: 0 }).unwrap();
        let text = engine.snapshot();
        let member = format!(r#""commands":"{:016x}","#, engine.digest.0);
        let restore = |text: &str| Engine::restore(machine.clone(), &json::parse(text).unwrap());
        assert_eq!(restore(&text).unwrap().commands_digest(), engine.commands_digest());
        assert!(restore(&text.replace(&member, "")).is_ok());
        assert!(restore(&text.replace(&member, r#""commands":"x","#)).is_err());
    }
}
