//! A test of one state: its settings and its findings (spec §10).

use super::Engine;
use super::advance::{Flow, Ran};
use super::fault::{EXCEED_TOLERATED_FAILURE, Fault};
use super::frame::{Frame, Joining, MapItem};
use super::items::Answer;
use super::state::map::{Next, next_child};
use super::state::results::exceeded;
use crate::asl::ir::{MapState, QueryLanguage, State};
use crate::base::{Map, Value};
use std::sync::Arc;

/// The settings and findings of a test of one state. Engines of executions have none.
#[derive(Clone, Debug, Default)]
pub(crate) struct Probe {
    /// The variables at the start.
    pub(crate) variables: Map,
    /// Replaces the Context Object.
    pub(crate) context: Option<Value>,
    /// Whether the Map that contains the state is a Distributed one; `None` if the state is in no Map. The state's input is
    /// then the first item.
    pub(crate) within_map: Option<bool>,
    /// The number of attempts that every retrier has used already.
    pub(crate) attempts: u64,
    /// The result of a Parallel or Map, which then starts no children.
    pub(crate) mock: Option<Mock>,
    /// The text that a Map's ItemReader has read, as it is in its file.
    pub(crate) read: Option<Arc<str>>,
    /// How many iterations of a Map have failed.
    pub(crate) failures: u64,
    /// How many iterations a Map would have, if its items are known.
    pub(crate) iterations: Option<u64>,
    /// The retrier that matches the error, even if its attempts are used up.
    pub(crate) retrier: Option<usize>,
    /// The error that Retry and Catch were applied to, and what they did.
    pub(crate) handled: Option<Handled>,
}

/// A mocked result, or the error and cause of a mocked failure.
pub(crate) type Mock = Result<Value, (Option<Arc<str>>, Option<Arc<str>>)>;

/// What Retry and Catch did with an error.
#[derive(Clone, Debug)]
pub(crate) struct Handled {
    pub(crate) error: Option<Arc<str>>,
    pub(crate) cause: Option<Arc<str>>,
    pub(crate) by: Handler,
}

/// The handler of an error.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Handler {
    /// A retrier, which tries again after this number of milliseconds.
    Retrier(u64),
    /// The catcher with this index.
    Catcher(usize),
}

impl Engine {
    /// Returns the findings of the test.
    pub(crate) fn probe(&self) -> Option<&Probe> {
        self.probe.as_deref()
    }

    /// Stores which retrier matches an error.
    #[cold]
    #[inline(never)]
    pub(super) fn note_retrier(&mut self, state: &State, fault: &Fault) {
        if let Some(probe) = &mut self.probe {
            let retrier = || state.retry.iter().position(|retrier| fault.matches(&retrier.errors));
            probe.retrier = probe.retrier.or_else(retrier);
        }
    }

    pub(super) fn handled(&mut self, fault: &Fault, by: Handler) {
        if let Some(probe) = &mut self.probe {
            probe.handled.get_or_insert(Handled { error: fault.error.clone(), cause: fault.cause.clone(), by });
        }
    }

    /// The first item of the Map that contains the tested state (documented: index 0, and the input as the value).
    #[cold]
    #[inline(never)]
    pub(super) fn tested_item(&self, input: &Value) -> Option<Arc<MapItem>> {
        let source = self.probe.as_ref()?.within_map?.then(|| "STATE_DATA".into());
        Some(Arc::new(MapItem { index: 0, value: input.clone(), key: None, source, outer: Vec::new() }))
    }

    /// The result that a test gives to a Parallel or Map instead of running its children.
    pub(super) fn mocked(&mut self) -> Option<Result<Value, Fault>> {
        let mock = self.probe.as_mut()?.mock.take()?;
        Some(mock.map_err(|(error, cause)| Fault::raised(error, cause)))
    }

    /// Whether this engine tests one state.
    pub(super) fn is_tested(&self) -> bool {
        self.probe.is_some()
    }

    /// The answer of an ItemReader that the test provides.
    #[cold]
    #[inline(never)]
    pub(super) fn tested_read(&self, resource: &str) -> Option<Answer> {
        let text = self.probe.as_ref()?.read.as_ref()?.to_string();
        Some(if resource.contains("listObjectsV2") { Answer::Json(text) } else { Answer::File(text) })
    }

    /// Ends a Map whose items are not known.
    pub(super) fn mocked_unread(&mut self, frame: &mut Frame, state: &State) -> Ran {
        match self.mocked() {
            Some(result) => self.complete(frame, state, result?),
            None => Ok(Flow::Wait),
        }
    }

    /// Ends a Map whose items are known: computes the inputs of its iterations, and applies the tolerance of failures.
    #[cold]
    #[inline(never)]
    pub(super) fn mocked_map(&mut self, frame: &mut Frame, state: &State, map: &MapState, mut joining: Joining) -> Ran {
        let config = joining.run.as_ref().and_then(|run| run.config.as_ref());
        let points = config.is_some_and(|config| config.get("ItemsPointer").is_some());
        if points && state.language == QueryLanguage::JsonPath {
            let mut items = joining.items.clone();
            let mut found = Vec::new();
            while let Ok(Some((_, value))) = items.next() {
                found.push(value);
            }
            self.stage(frame, state, "afterItemsPointer", &Value::from(found));
        }
        let mut iterations = joining.items.left;
        if map.item_selector.is_some() || map.item_batcher.is_some() {
            iterations = 0;
            loop {
                // A test is not sliced for an event loop: it processes all items in one call.
                self.work.begin_unlimited();
                match next_child(self, frame, state, map, &mut joining) {
                    Ok(Next::Child(..)) => iterations += 1,
                    Ok(Next::Nothing) => break,
                    Ok(Next::Later) => continue,
                    Err(fault) => return Err(fault),
                }
                joining.next += 1;
            }
        }
        let failed = self.probe.as_mut().map_or(0, |probe| {
            probe.iterations = Some(iterations);
            probe.failures
        });
        // Recorded: failures do not matter in a Map without either limit.
        let exceeded = joining.run.as_mut().is_some_and(|run| {
            run.total = iterations;
            (run.tolerated_count.is_some() || run.tolerated_percentage.is_some()) && exceeded(run, failed)
        });
        match self.probe.as_ref().filter(|probe| exceeded && matches!(probe.mock, Some(Ok(_)))) {
            Some(_) => Err(Fault::new(EXCEED_TOLERATED_FAILURE, "The specified tolerated failure threshold was exceeded")),
            None => self.mocked_unread(frame, state),
        }
    }
}
