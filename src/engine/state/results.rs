//! The results of a Map Run: the state's output, or files that a ResultWriter stores (spec §7.5, §7.7).
//!
//! A file is written as soon as there are enough results for one, while children still run. So a run of any length holds no
//! more results than one file, except those of unsuccessful children, which a redrive may run again.

use super::map::{call, cut, fields, go_on, run_failed};
use crate::asl::ir::{Kind, Machine, MapState, ResultWriter, State};
use crate::base::{Table, Value};
use crate::engine::advance::{Flow, Ran};
use crate::engine::command::{CancelReason, Command};
use crate::engine::dataflow::Place;
use crate::engine::event_type::EventType;
use crate::engine::fault::{EXCEED_TOLERATED_FAILURE, Fault, RESULT_WRITER_FAILED};
use crate::engine::frame::{Acting, Frame, FrameId, Joining, MapRun, Phase, Purpose};
use crate::engine::history::Details;
use crate::engine::redrive::UnsuccessfulChild;
use crate::engine::work::BYTES_OF_A_VALUE;
use crate::engine::{Engine, Execution, items};
use std::sync::Arc;

/// Ends a Map Run whose children have all ended: the rest of its results goes to the ResultWriter, or the results are the
/// output.
pub(super) fn end_run(
    engine: &mut Engine,
    id: FrameId,
    frame: &mut Frame,
    state: &State,
    map: &MapState,
    mut joining: Joining,
) -> Ran {
    let writer = match &map.result_writer {
        Some(writer) => writer,
        None => {
            let results: Vec<Value> = joining.results.into_iter().flatten().collect();
            joining.results = Vec::new();
            return run_succeeded(engine, frame, state, &joining, Value::from(results));
        }
    };
    if writer.resource.is_none() {
        let results = items::transform(writer.transformation.as_deref(), &joining);
        return run_succeeded(engine, frame, state, &joining, results);
    }
    prepare(engine, frame, state, writer, &mut joining)?;
    if let Some(run) = &mut joining.run {
        run.records.closing = Some(0);
    }
    close(engine, id, frame, state, writer, joining, &Value::Null)
}

/// Asks the host to store the results so far, while children still run.
pub(super) fn store(
    engine: &mut Engine,
    id: FrameId,
    frame: &mut Frame,
    state: &State,
    map: &MapState,
    mut joining: Joining,
) -> Ran {
    let Some(writer) = &map.result_writer else { return Ok(Flow::Wait) };
    if let Err(fault) = prepare(engine, frame, state, writer, &mut joining) {
        cut(engine, frame.execution, &state.name, &joining, None);
        return Err(fault);
    }
    let Some(request) = joining.run.as_mut().and_then(|run| items::full_file(run, writer)) else { return Ok(Flow::Wait) };
    engine.work.charge(joining.run.as_ref().map_or(0, |run| run.records.body.len() as u64) / BYTES_OF_A_VALUE);
    request_write(engine, id, frame, state, writer, joining, request);
    Ok(Flow::Wait)
}

/// Evaluates the writer's Parameters, once.
fn prepare(engine: &mut Engine, frame: &Frame, state: &State, writer: &ResultWriter, joining: &mut Joining) -> Result<(), Fault> {
    if joining.run.as_ref().is_some_and(|run| run.records.request.is_some()) {
        return Ok(());
    }
    let parameters = fields(engine, frame, state, &joining.input, &mut |eval, view| {
        writer
            .parameters
            .as_ref()
            .map(|p| eval.payload(p, &Place::Member(&Place::Field("ResultWriter"), "Parameters"), view))
            .transpose()
    })?;
    if let Some(run) = &mut joining.run {
        run.records.request = Some(parameters.unwrap_or_else(Value::empty_object));
    }
    Ok(())
}

fn request_write(
    engine: &mut Engine,
    id: FrameId,
    frame: &mut Frame,
    state: &State,
    writer: &ResultWriter,
    joining: Joining,
    request: Value,
) {
    let resource = writer.resource.clone().unwrap_or_else(|| "".into());
    call(engine, id, frame, state, &resource, Purpose::ResultWriter(Box::new(joining)), request);
}

/// Requests the next file of those that are written after all children have ended, or ends the state.
fn close(
    engine: &mut Engine,
    id: FrameId,
    frame: &mut Frame,
    state: &State,
    writer: &ResultWriter,
    mut joining: Joining,
    last: &Value,
) -> Ran {
    let request = joining.run.as_mut().and_then(|run| items::closing_file(run, writer));
    let Some(request) = request else {
        let output = items::exported_output(last, joining.run.as_ref().map_or("", |run| &run.arn));
        return run_succeeded(engine, frame, state, &joining, output);
    };
    request_write(engine, id, frame, state, writer, joining, request);
    Ok(Flow::Wait)
}

/// Handles that the host has written a file of results, or could not: requests the next file, starts more children, or ends the
/// state.
pub(in crate::engine) fn results_written(
    engine: &mut Engine,
    id: FrameId,
    frame: &mut Frame,
    state: &State,
    mut joining: Joining,
    input: &Value,
    result: Result<Value, Fault>,
) -> Ran {
    let Kind::Map(map) = &state.kind else { return Ok(Flow::Wait) };
    let (Some(writer), Some(run)) = (&map.result_writer, &mut joining.run) else { return Ok(Flow::Wait) };
    if let Err(fault) = result {
        cut(engine, frame.execution, &state.name, &joining, None);
        let fault = Fault { error: Some(RESULT_WRITER_FAILED.into()), ..fault };
        return Err(run_failed(engine, frame, fault));
    }
    if run.records.closing.is_some() {
        return close(engine, id, frame, state, writer, joining, input);
    }
    run.records.file_stored(input);
    go_on(engine, id, frame, state, map, joining, None)
}

fn run_succeeded(engine: &mut Engine, frame: &mut Frame, state: &State, joining: &Joining, output: Value) -> Ran {
    let started = joining.run.as_ref().map_or(frame.tail, |run| run.started_event);
    let succeeded = engine.record(frame.execution, EventType::MapRunSucceeded, started, Details::None);
    engine.record(frame.execution, EventType::MapStateSucceeded, succeeded, Details::None);
    frame.tail = started;
    engine.complete(frame, state, output)
}

/// A Map Run that was removed from the table of frames: its frame, its `Joining`, and the task that writes its results, if one
/// does.
type TakenRun = (Box<Frame>, Box<Joining>, Option<Box<Acting>>);

impl Engine {
    /// Handles the end of a child execution of a Map Run. It counts as timed out if its own time-out has passed, but not if
    /// that of one of its states has.
    pub(in crate::engine) fn child_execution_ended(
        &mut self,
        machine: &Arc<Machine>,
        execution: u32,
        result: Result<Value, Fault>,
        timed_out: bool,
    ) {
        let Some(mut child) = self.executions.remove(&execution) else { return };
        self.timers.remove(child.timer.take());
        let status = match &result {
            Ok(_) => "SUCCEEDED",
            Err(_) if timed_out => "TIMED_OUT",
            Err(_) => "FAILED",
        };
        let Some((parent, slot)) = child.parent else { return };
        // A failed child may be redriven and then reported again, from its first event on.
        let events = &mut child.recorder.events;
        let history = if result.is_ok() { std::mem::take(events) } else { events.clone() };
        self.report_child_end(&child, history, status, Some(&result));
        self.apply_child_result(machine, (parent, slot), Some(execution), child, result, status);
    }

    /// Applies the result of a child execution to its Map Run. `own` is its id; `None` if the host has run it.
    #[inline(never)]
    pub(in crate::engine) fn apply_child_result(
        &mut self,
        machine: &Arc<Machine>,
        (parent, slot): (FrameId, u32),
        own: Option<u32>,
        mut child: Box<Execution>,
        result: Result<Value, Fault>,
        status: &str,
    ) {
        let Some((mut frame, mut joining, writing)) = self.take_run(parent) else { return };
        let state = &machine.states[frame.state];
        let Kind::Map(map) = &state.kind else { return };
        joining.children.remove(&slot);
        joining.done += 1;
        if let (Some(run), Some(writer)) = (&mut joining.run, &map.result_writer) {
            items::store_outcome(&mut run.records, writer, slot, &child, &result, status, self.clock);
        }
        match result {
            Ok(output) => {
                if let Some(result) = joining.results.get_mut(slot as usize) {
                    // A result that goes into a file is stored only as the text for that file.
                    let exported = map.result_writer.as_ref().is_some_and(|writer| writer.resource.is_some());
                    *result = Some(if exported { Value::Null } else { output });
                }
            }
            Err(_) => {
                let items = joining.batches.get(slot as usize).map_or(1, |n| u64::from(*n));
                joining.failed += 1;
                joining.failed_items += items;
                if let Some(run) = &mut joining.run {
                    if status == "TIMED_OUT" {
                        run.timed_out += 1;
                        run.timed_out_items += items;
                    }
                    let frames = std::mem::take(&mut child.stranded);
                    run.unsuccessful.push(match own {
                        Some(id) => UnsuccessfulChild { id, slot, execution: Some(child), frames },
                        None => UnsuccessfulChild::external_children(slot),
                    });
                }
            }
        }
        let ran = if joining.run.as_ref().is_some_and(|run| exceeded(run, joining.failed_items)) {
            if let Some(writing) = writing {
                self.tasks.remove(&writing.task);
                self.issue(Command::Cancel { task: writing.task, reason: CancelReason::SiblingFailed });
            }
            self.add_running_children(&mut joining);
            cut(self, frame.execution, &state.name, &joining, Some(frame.tail));
            joining.children = Table::default();
            frame.phase = Phase::Joining(joining);
            let fault = Fault::new(EXCEED_TOLERATED_FAILURE, "The specified tolerated failure threshold was exceeded");
            Err(run_failed(self, &mut frame, fault))
        } else if let Some(mut writing) = writing {
            writing.purpose = Purpose::ResultWriter(joining);
            frame.phase = Phase::Acting(writing);
            Ok(Flow::Wait)
        } else {
            go_on(self, parent, &mut frame, state, map, *joining, None)
        };
        self.settle(machine, parent, frame, ran);
    }

    /// Removes the frame of a Map Run from the table of frames.
    fn take_run(&mut self, id: FrameId) -> Option<TakenRun> {
        if let Some((frame, joining)) = self.take_joining(id) {
            return Some((frame, joining, None));
        }
        let mut frame = self.frames.remove(&id)?;
        match std::mem::replace(&mut frame.phase, Phase::Enter) {
            Phase::Acting(mut acting) if matches!(acting.purpose, Purpose::ResultWriter(_)) => {
                let Purpose::ResultWriter(joining) = std::mem::replace(&mut acting.purpose, Purpose::Task) else { return None };
                Some((frame, joining, Some(acting)))
            }
            other => {
                frame.phase = other;
                self.frames.insert(id, frame);
                None
            }
        }
    }
}

/// Whether more items have failed than are tolerated. If neither limit is given, no failure is tolerated (spec §7.5).
pub(in crate::engine) fn exceeded(run: &MapRun, failed: u64) -> bool {
    let too_many = run.tolerated_count.map(|count| failed > count);
    let too_large = run.tolerated_percentage.map(|percent| failed as f64 * 100.0 > percent * run.total.max(1) as f64);
    match (too_many, too_large) {
        (None, None) => failed > 0,
        (a, b) => a.unwrap_or(false) || b.unwrap_or(false),
    }
}
