//! Child executions of Distributed Maps that the host runs, each in an engine of its own
//! ([`Options::external_children`](super::Options::external_children)).
//!
//! The Map Run stays in the parent's engine: it hands out the items, counts the failures and stores the results. A child is
//! handed to the host as the snapshot of an engine that has just started, and the host reports its end. In between the Map Run
//! has nothing of it but its slot, so that it stays small regardless of how many children run.

use super::command::Command;
use super::digest::Digest;
use super::fault::Fault;
use super::frame::{FrameId, Joining, MapRun};
use super::history::Recorder;
use super::limits::{HistoryLevel, Options};
use super::{Engine, Execution};
use crate::base::{Millis, Rng, Table, Value};
use std::sync::Arc;

/// Marks a child that the host runs where the frame id of an internal child would be. No frame has this id.
pub(super) const EXTERNAL: FrameId = FrameId::MAX;

/// A child execution that the host must run, or continue.
#[derive(Clone, Debug, PartialEq)]
pub struct StartChild {
    /// The ARN of the Map Run that the child belongs to.
    pub map_run: Arc<str>,
    /// The child's slot in the Map Run.
    pub index: u32,
    /// How often the Map Run was redriven. The end of the child is ignored if this number has changed by then.
    pub redrive: u32,
    /// Whether the Map Run stores a record of the child. The report of its end then needs more fields.
    pub recorded: bool,
    /// The snapshot of the child's engine ([`Engine::restore`]), to be fed `Tick`. If it is `None`, the host has the child
    /// already and redrives it unless it has succeeded.
    pub snapshot: Option<String>,
}

impl Engine {
    /// Returns an engine for a child execution, which has not started. Its random seed is derived from its name and takes no
    /// numbers from the parent's generator, so that children do the same in whatever order they run.
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

    /// Issues the command to start a child execution that has begun, or to continue one.
    #[cold]
    #[inline(never)]
    pub(super) fn start_external_child(&mut self, run: &MapRun, index: u32, recorded: bool, child: Option<&Engine>) -> FrameId {
        let snapshot = child.map(Engine::snapshot);
        let start = StartChild { map_run: run.arn.clone(), index, redrive: run.redrives, recorded, snapshot };
        self.issue(Command::StartChild(Arc::new(start)));
        EXTERNAL
    }

    /// Issues the command to stop the children that the host runs.
    #[inline(never)]
    pub(super) fn stop_external_children(&mut self, joining: &Joining) {
        if let Some(run) = &joining.run
            && joining.children.values().any(|child| *child == EXTERNAL)
        {
            self.issue(Command::StopChildren { map_run: run.arn.clone(), redrive: run.redrives });
        }
    }

    /// Applies the end of a child execution that the host ran. [`Event::ChildEnded`](super::Event::ChildEnded) describes `end`.
    #[cold]
    #[inline(never)]
    pub(super) fn external_child_ended(&mut self, map_run: &str, end: &Value) {
        let number = |name: &str| end.get(name).and_then(Value::as_i64).and_then(|n| u64::try_from(n).ok()).unwrap_or_default();
        let text = |name: &str| end.get(name).and_then(Value::as_str).map(Arc::from);
        let value = |name: &str| end.get(name).cloned().unwrap_or_default();
        let Some((id, joining, run)) = self.find_run(map_run) else { return };
        let index = number("index") as u32;
        if u64::from(run.redrives) != number("redrive") || joining.children.get(&index) != Some(&EXTERNAL) {
            return;
        }
        let parent = self.frames.get(&id).map_or(0, |frame| frame.execution);
        let child = Box::new(Execution {
            info: self.child_info(parent, run, text("name").unwrap_or_default()),
            input: value("input"),
            started: Millis(number("startDate")),
            express: false,
            recorder: Recorder::new(HistoryLevel::None, 0),
            root: EXTERNAL,
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
        self.apply_child_result(&machine, (id, index), None, child, result, &status);
    }
}
