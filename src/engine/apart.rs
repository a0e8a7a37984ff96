//! Child executions of Distributed Maps that the host runs, each in an engine of its own
//! ([`Options::children_apart`](super::Options::children_apart)).
//!
//! The Map Run stays where it is: it gives out the items, counts what has failed, and keeps the results. A child is handed
//! over as the snapshot of an engine that has just begun, and what comes back is its end. In between the Map Run knows no
//! more of it than its slot, so that it stays small however many children run.

use super::command::Command;
use super::digest::Digest;
use super::fault::Fault;
use super::frame::{FrameId, Joining, MapRun};
use super::history::Recorder;
use super::limits::{HistoryLevel, Options};
use super::{Engine, Execution};
use crate::base::{Millis, Rng, Table, Value};
use std::sync::Arc;

/// Where a frame's number would be. The table of frames never has it.
pub(super) const APART: FrameId = FrameId::MAX;

/// A child execution for the host to run, or to take up again.
#[derive(Clone, Debug, PartialEq)]
pub struct StartChild {
    /// The ARN of its Map Run.
    pub map_run: Arc<str>,
    /// Its place there.
    pub index: u32,
    /// How often the Map Run was redriven: its end is only heard where this is still so.
    pub redrive: u32,
    /// Whether the Map Run keeps a record of it, which its end is to tell more for.
    pub recorded: bool,
    /// The snapshot of its engine ([`Engine::restore`]), to be fed `Tick`. `None`: the host has it, and redrives it unless it
    /// has succeeded.
    pub snapshot: Option<String>,
}

impl Engine {
    /// An engine for a child execution, which has not begun. Its chance follows from its name, so that it takes none of the
    /// parent's: in whatever order children do things, they do the same.
    #[cold]
    #[inline(never)]
    pub(super) fn of_child(&self, name: &str, express: bool) -> Engine {
        let mut seed = Digest::default();
        seed.text(name);
        let mut child = Engine::new(self.machine.clone(), Options { express, ..self.options });
        child.clock = self.clock;
        child.started = true;
        child.rng = Rng::new(seed.0);
        child.token_key = self.token_key.of_child(name);
        child
    }

    /// Has a child execution started that has begun, or one taken up again.
    #[cold]
    #[inline(never)]
    pub(super) fn hand_over(&mut self, run: &MapRun, index: u32, recorded: bool, child: Option<&Engine>) -> FrameId {
        let snapshot = child.map(Engine::snapshot);
        let start = StartChild { map_run: run.arn.clone(), index, redrive: run.redrives, recorded, snapshot };
        self.issue(Command::StartChild(Arc::new(start)));
        APART
    }

    /// Has the children stopped that run apart.
    #[inline(never)]
    pub(super) fn stop_apart(&mut self, joining: &Joining) {
        if let Some(run) = &joining.run
            && joining.children.values().any(|child| *child == APART)
        {
            self.issue(Command::StopChildren { map_run: run.arn.clone(), redrive: run.redrives });
        }
    }

    /// A child execution has ended that runs apart; [`Event::ChildEnded`](super::Event::ChildEnded) says what of it is told.
    #[cold]
    #[inline(never)]
    pub(super) fn apart_ended(&mut self, map_run: &str, end: &Value) {
        let number = |name: &str| end.get(name).and_then(Value::as_i64).and_then(|n| u64::try_from(n).ok()).unwrap_or_default();
        let text = |name: &str| end.get(name).and_then(Value::as_str).map(Arc::from);
        let value = |name: &str| end.get(name).cloned().unwrap_or_default();
        let Some((id, joining, run)) = self.run_of(map_run) else { return };
        let index = number("index") as u32;
        if u64::from(run.redrives) != number("redrive") || joining.children.get(&index) != Some(&APART) {
            return;
        }
        let parent = self.frames.get(&id).map_or(0, |frame| frame.execution);
        let child = Box::new(Execution {
            info: self.child_info(parent, run, text("name").unwrap_or_default()),
            input: value("input"),
            started: Millis(number("startDate")),
            express: false,
            recorder: Recorder::new(HistoryLevel::None, 0),
            root: APART,
            parent: None,
            timer: None,
            redrives: number("redriveCount") as u32,
            redriven_at: Millis(0),
            stranded: Table::default(),
        });
        let status = text("status").unwrap_or_default();
        let result = match &*status {
            "SUCCEEDED" => Ok(value("output")),
            "TIMED_OUT" => Err(Fault::timeout(false)),
            _ => Err(Fault::of_task(text("error"), text("cause"))),
        };
        let machine = self.machine.clone();
        self.joined(&machine, (id, index), None, child, result, &status);
    }
}
