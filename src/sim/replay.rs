//! The journal: all facts that were fed to an engine, from which the engine can be rebuilt.

use super::simulation::Report;
use crate::asl::ir::Machine;
use crate::base::{Millis, json};
use crate::engine::{Command, Engine, Event, Options, SNAPSHOT_DEPTH, StepError};
use std::fmt;
use std::sync::Arc;

/// Facts with their times, in the order in which they were fed.
#[derive(Clone, Debug, Default)]
pub struct Journal {
    entries: Vec<(Millis, Event)>,
}

impl Journal {
    /// Adds a fact.
    pub fn push(&mut self, now: Millis, event: Event) {
        self.entries.push((now, event));
    }

    /// The facts in order.
    pub fn entries(&self) -> &[(Millis, Event)] {
        &self.entries
    }
}

/// Rebuilds the engine that a journal describes, and returns the commands that it issued.
///
/// Errors: the journal breaks the protocol. A journal of facts that an engine has accepted never does.
pub fn replay(machine: Arc<Machine>, options: Options, journal: &Journal) -> Result<(Engine, Vec<Command>), StepError> {
    let mut engine = Engine::new(machine, options);
    let mut commands = Vec::new();
    for (now, event) in journal.entries() {
        engine.step(*now, event.clone())?;
        commands.append(&mut engine.take_commands());
    }
    Ok((engine, commands))
}

/// The first command in which a replay differs, because the machine or the release is not the one that wrote the journal.
#[derive(Clone, Debug, PartialEq)]
pub struct Mismatch {
    /// The index among all commands.
    pub index: usize,
    /// The recorded command.
    pub expected: Option<Command>,
    /// The command of the replay.
    pub found: Option<Command>,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |command: &Option<Command>| match command {
            None => "nothing".to_string(),
            Some(Command::Invoke(call)) => format!("Invoke {} in state '{}' with {}", call.resource, call.state_name, call.input),
            Some(Command::Cancel { task, reason }) => format!("Cancel task {} ({})", task.0, reason.as_str()),
            Some(Command::ChildFinished(child)) => format!("ChildFinished {}", child.name),
            Some(Command::StartChild(child)) => format!("StartChild {}", child.index),
            Some(Command::StopChildren { .. }) => "StopChildren".to_string(),
            Some(Command::Finish(outcome)) => format!("Finish {}", outcome.status()),
        };
        write!(f, "command {} differs: recorded {}, replayed {}", self.index, name(&self.expected), name(&self.found))
    }
}

impl std::error::Error for Mismatch {}

impl Report {
    /// Checks that the engine is deterministic in this run: with the same journal, it issues the same commands and history
    /// again, and so does an engine that is restored from the text of a snapshot after every step, with the events so far in
    /// the snapshot or stored elsewhere.
    ///
    /// Errors: a sentence about the first difference.
    pub fn check(&self) -> Result<(), String> {
        let machine = self.engine.machine().clone();
        let options = *self.engine.options();
        let expected = self.engine.history_json(0);
        let replayed = verify(machine.clone(), options, &self.journal, &self.commands).map_err(|m| m.to_string())?;
        if replayed.history_json(0) != expected {
            return Err("the replay's history differs".into());
        }
        self.check_restored(&expected, false)?;
        self.check_restored(&expected, true)
    }

    /// Checks an engine that is restored after every step; a lean snapshot does not contain earlier events.
    fn check_restored(&self, expected: &str, lean: bool) -> Result<(), String> {
        let (machine, options) = (self.engine.machine().clone(), *self.engine.options());
        let mut engine = Engine::new(machine.clone(), options);
        let mut unrestored = engine.clone();
        let (mut commands, mut events) = (Vec::new(), Vec::new());
        for (now, event) in self.journal.entries() {
            engine.step(*now, event.clone()).map_err(|e| e.to_string())?;
            commands.append(&mut engine.take_commands());
            unrestored.step(*now, event.clone()).map_err(|e| e.to_string())?;
            if engine.commands_digest() != unrestored.commands_digest() {
                return Err("the restored engine's digest of commands differs".into());
            }
            let text = if lean { engine.snapshot_without_events() } else { engine.snapshot() };
            if lean {
                events.append(&mut engine.take_history());
            }
            let parsed = json::parse_within(&text, SNAPSHOT_DEPTH).map_err(|e| format!("the snapshot is no JSON: {e}"))?;
            engine = Engine::restore(machine.clone(), &parsed).map_err(|e| e.to_string())?;
            if engine.snapshot() != text || (lean && engine.event_count() != events.len() as u64) {
                return Err("a restored engine's snapshot differs".into());
            }
        }
        if commands != self.commands {
            return Err("the restored engine gave other commands".into());
        }
        events.append(&mut engine.take_history());
        let mut text = String::from("[");
        for (i, event) in events.iter().enumerate() {
            text.push_str(if i > 0 { "," } else { "" });
            event.write_json(&mut text);
        }
        if format!("{text}]") != expected {
            return Err("the restored engine's history differs".into());
        }
        Ok(())
    }
}

/// Replays a journal and compares its commands with the recorded ones.
pub fn verify(machine: Arc<Machine>, options: Options, journal: &Journal, recorded: &[Command]) -> Result<Engine, Box<Mismatch>> {
    let refused = |_| Box::new(Mismatch { index: 0, expected: recorded.first().cloned(), found: None });
    let (engine, commands) = replay(machine, options, journal).map_err(refused)?;
    for index in 0..commands.len().max(recorded.len()) {
        let (expected, found) = (recorded.get(index), commands.get(index));
        if expected != found {
            return Err(Box::new(Mismatch { index, expected: expected.cloned(), found: found.cloned() }));
        }
    }
    Ok(engine)
}
