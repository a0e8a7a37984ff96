//! Map: the items, one iteration each; inline in the execution itself, or distributed as child executions (spec §7.4,
//! §7.5, §9.3).

mod children;
mod next;

pub(super) use children::cut;
pub(in crate::engine) use children::run_failed;
use children::{CHILD, spawn_child};
use next::batching;
pub(in crate::engine) use next::{Next, next_child};

use super::results;
use crate::asl::ir::{JsonataTemplate, Kind, Machine, MapMode, MapState, PathField, QueryLanguage, State};
use crate::asl::resource::Resource;
use crate::base::Value;
use crate::engine::advance::{Flow, Ran};
use crate::engine::dataflow::{Eval, Place, View};
use crate::engine::event_type::EventType;
use crate::engine::fault::{Fault, ITEM_READER_FAILED, QUERY_EVALUATION, REFERENCE_PATH_CONFLICT};
use crate::engine::frame::{Acting, Frame, FrameId, Joining, MapRun, Phase, Purpose};
use crate::engine::history::Details;
use crate::engine::items::{Items, Read, Reading, Records};
use crate::engine::limits::{DISTRIBUTED_CONCURRENCY, INLINE_CONCURRENCY};
use crate::engine::{Engine, TaskId, state};
use std::collections::VecDeque;
use std::sync::Arc;

pub(in crate::engine) fn run(engine: &mut Engine, id: FrameId, frame: &mut Frame, state: &State, map: &MapState) -> Ran {
    let context = engine.context(frame, state, None);
    let distributed = map.mode != MapMode::Inline;
    let eval = engine.eval(frame, state);
    let raw = View::new(&frame.input, &context, &frame.variables);
    let effective = match state.language {
        QueryLanguage::JsonPath => eval.path_field(&state.input_path, &Place::Field("InputPath"), &raw)?,
        QueryLanguage::Jsonata => frame.input.clone(),
    };
    let view = raw.on(&effective);
    engine.stage(frame, state, "afterInputPath", &effective);
    let mut eval = engine.eval(frame, state);
    if map.item_reader.is_some() && !distributed {
        return Err(eval.runtime("ItemReader is supported in the DISTRIBUTED mode of a Map state only."));
    }
    // With an ItemReader the items do not come from the input (spec §7.5).
    let found = if map.item_reader.is_some() {
        None
    } else {
        Some(match state.language {
            QueryLanguage::JsonPath => match &map.items_path {
                PathField::Path(path) => eval.lookup(path, &Place::Field("ItemsPath"), &view)?.ok_or_else(|| {
                    let step = path.text().rsplit(['.', '[', ']', '\'']).find(|step| !step.is_empty()).unwrap_or("$").to_string();
                    Fault::of_state(
                        REFERENCE_PATH_CONFLICT,
                        &state.name,
                        eval.entered,
                        &format!("Unable to apply step \"{step}\" to input {effective}"),
                    )
                    .within(&Place::Field("ItemsPath"), Some(path.text()))
                })?,
                PathField::Whole => effective.clone(),
                PathField::Nothing => Value::empty_object(),
            },
            QueryLanguage::Jsonata => match &map.items {
                Some(template) => {
                    let value = eval.jsonata_template(template, &Place::Field("Items"), &view)?;
                    if !(value.as_array().is_some() || distributed && value.as_object().is_some()) {
                        return Err(match template {
                            JsonataTemplate::Expression(expression) => eval
                                .jsonata_typed(expression, &Place::Field("Items"), "array", &view)
                                .err()
                                .unwrap_or_else(|| eval.query(&Place::Field("Items"), None, "Items must be an array.")),
                            _ => {
                                let cause = format!("Map state input must be an array but was: {value}");
                                eval.query(&Place::Field("Items"), None, &cause)
                            }
                        });
                    }
                    value
                }
                None => effective.clone(),
            },
        })
    };
    let items = match &found {
        None => Items::default(),
        Some(Value::Array(items)) => Items::of_array(items.clone()),
        Some(Value::Object(members)) if distributed => Items::of_object(members),
        Some(other) => {
            return Err(match (state.language, &map.items_path) {
                (QueryLanguage::Jsonata, _) => {
                    // No field has failed: AWS leaves the location empty.
                    let cause = format!("Map state input must be an array but was: {other}");
                    let fault = Fault::of_state(QUERY_EVALUATION, &state.name, eval.entered, &cause);
                    Fault { location: Some("".into()), ..fault }
                }
                (_, PathField::Path(path)) => {
                    // AWS prints a path into the Context Object with one dollar sign here.
                    let text = path.text().strip_prefix('$').filter(|rest| rest.starts_with('$')).unwrap_or(path.text());
                    let cause = format!("Reference path \"{text}\" must point to array.");
                    eval.runtime_in(&Place::Field("ItemsPath"), path, &cause)
                }
                _ => eval.runtime("Reference path \"$\" must point to array."),
            });
        }
    };
    match (state.language, &found) {
        (QueryLanguage::JsonPath, Some(found)) => engine.stage(frame, state, "afterItemsPath", found),
        (QueryLanguage::Jsonata, Some(found)) if map.items.is_some() => engine.stage(frame, state, "afterItems", found),
        _ => {}
    }
    let mut eval = engine.eval(frame, state);
    let cap = if distributed { DISTRIBUTED_CONCURRENCY } else { INLINE_CONCURRENCY };
    let wanted = match &map.max_concurrency {
        Some(field) => {
            let n = eval.integer(field, "MaxConcurrency", &view)?;
            u64::try_from(n).map_err(|_| eval.runtime("MaxConcurrency cannot be negative."))?
        }
        None => 0,
    };
    let limit = if wanted == 0 { cap } else { wanted.min(cap) } as u32;
    engine.stage(frame, state, "maxConcurrency", &Value::from(i64::try_from(wanted).unwrap_or(i64::MAX)));
    frame.tail = engine.record(frame.execution, EventType::MapStateStarted, frame.tail, Details::Length(items.left));
    let mut joining = Joining {
        limit,
        input: effective,
        started_event: frame.tail,
        last_tail: frame.tail,
        last_succeeded: frame.tail,
        ..Joining::default()
    };
    if !distributed {
        joining.items = items;
        return begin(engine, id, frame, state, map, joining);
    }
    start_run(engine, id, frame, state, map, joining, items)
}

/// Starts a Map Run: evaluates its limits and, with an ItemReader, requests its items.
fn start_run(
    engine: &mut Engine,
    id: FrameId,
    frame: &mut Frame,
    state: &State,
    map: &MapState,
    mut joining: Joining,
    items: Items,
) -> Ran {
    let (tolerated_count, tolerated_percentage, reading, max_items) =
        fields(engine, frame, state, &joining.input, &mut |eval, view| {
            let tolerated_count = match &map.tolerated_count {
                Some(field) => {
                    let count = eval.integer(field, "ToleratedFailureCount", view)?;
                    Some(u64::try_from(count).map_err(|_| eval.runtime("ToleratedFailureCount cannot be negative."))?)
                }
                None => None,
            };
            let tolerated_percentage = map.tolerated_percentage.as_ref().map(|field| eval.percentage(field, view)).transpose()?;
            let Some(reader) = &map.item_reader else { return Ok((tolerated_count, tolerated_percentage, None, None)) };
            let place = Place::Field("ItemReader");
            let parameters =
                reader.parameters.as_ref().map(|p| eval.payload(p, &Place::Member(&place, "Parameters"), view)).transpose()?;
            let config =
                reader.config.as_ref().map(|p| eval.payload(p, &Place::Member(&place, "ReaderConfig"), view)).transpose()?;
            let max = reader.max_items.as_ref().map(|field| eval.integer(field, "MaxItems", view)).transpose();
            let max = max.map_err(|fault| fault.inside("/ItemReader/ReaderConfig"))?;
            Ok((tolerated_count, tolerated_percentage, Some((reader, parameters, config)), max))
        })?;
    if let Some(count) = tolerated_count {
        engine.stage(frame, state, "toleratedFailureCount", &Value::from(i64::try_from(count).unwrap_or(i64::MAX)));
    }
    if let Some(percentage) = tolerated_percentage {
        engine.stage(frame, state, "toleratedFailurePercentage", &Value::from(percentage));
    }
    let uuid: Arc<str> = engine.rng.uuid().into();
    let label: Arc<str> = map.label.clone().unwrap_or_else(|| engine.rng.uuid().into());
    let info = engine.executions.get(&frame.execution).map(|e| e.info.clone());
    let machine_arn = info.as_ref().map(|info| info.state_machine_arn.to_string()).unwrap_or_default();
    let arn: Arc<str> = format!("{}/{label}:{uuid}", machine_arn.replacen(":stateMachine:", ":mapRun:", 1)).into();
    frame.tail = engine.record(frame.execution, EventType::MapRunStarted, frame.tail, Details::MapRun(arn.clone()));
    let source = match &reading {
        None => "STATE_DATA".into(),
        Some((_, parameters, _)) => {
            let part =
                |name: &str| parameters.as_ref().and_then(|p| p.get(name)).and_then(Value::as_str).unwrap_or_default().to_string();
            match part("Key") {
                key if key.is_empty() => format!("S3://{}", part("Bucket")),
                key => format!("S3://{}/{key}", part("Bucket")),
            }
        }
    };
    joining.run = Some(MapRun {
        arn,
        label,
        uuid,
        source: source.into(),
        tolerated_count,
        tolerated_percentage,
        total: 0,
        timed_out: 0,
        timed_out_items: 0,
        started_event: frame.tail,
        max_items,
        config: reading.as_ref().and_then(|(_, _, config)| config.clone()),
        pending: Vec::new(),
        file_config: None,
        collected: Items::default(),
        batching: None,
        gathered: Vec::new(),
        unsuccessful: Vec::new(),
        waiting: VecDeque::new(),
        redrives: 0,
        records: Records::default(),
    });
    let Some((reader, parameters, _)) = reading else {
        return run_items(engine, id, frame, state, map, joining, items);
    };
    if max_items.is_some_and(|n| n < 0) {
        let fault = Fault::new(ITEM_READER_FAILED, "field MaxItems must be positive");
        return Err(run_failed(engine, frame, fault));
    }
    let input = parameters.unwrap_or_else(Value::empty_object);
    engine.check_payload(frame, state, &input)?;
    if let Some(answer) = engine.tested_read(&reader.resource) {
        let config = joining.run.as_ref().and_then(|run| run.config.clone());
        let read = Reading::new(TaskId(0), answer).read_whole(config.as_ref(), &input);
        return items_read(engine, id, frame, state, joining, Ok(read));
    }
    if engine.is_tested() {
        return engine.mocked_unread(frame, state);
    }
    call(engine, id, frame, state, &reader.resource, Purpose::ItemReader(Box::new(joining)), input);
    Ok(Flow::Wait)
}

/// Evaluates fields of a Map Run, which read the Map's effective input.
pub(super) fn fields<T>(
    engine: &mut Engine,
    frame: &Frame,
    state: &State,
    input: &Value,
    read: &mut dyn FnMut(&mut Eval<'_>, &View<'_>) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let context = engine.context(frame, state, None);
    read(&mut engine.eval(frame, state), &View::new(input, &context, &frame.variables))
}

/// Asks the host to read items or to write results of a Map.
pub(super) fn call(
    engine: &mut Engine,
    id: FrameId,
    frame: &mut Frame,
    state: &State,
    resource: &str,
    purpose: Purpose,
    input: Value,
) {
    let acting = Acting {
        task: TaskId(0),
        resource: Resource::parse(resource),
        purpose,
        token: None,
        scheduled: true,
        started: true,
        submitted: true,
        timeout: None,
        heartbeat: None,
        input,
        timeout_seconds: None,
        credentials: None,
    };
    state::task::invoke(engine, id, frame, state, acting, None);
}

/// Continues when the items were read, or could not be read.
pub(in crate::engine) fn items_read(
    engine: &mut Engine,
    id: FrameId,
    frame: &mut Frame,
    state: &State,
    mut joining: Joining,
    result: Result<Result<Read, String>, Fault>,
) -> Ran {
    let (Kind::Map(map), Some(run)) = (&state.kind, &mut joining.run) else { return Ok(Flow::Wait) };
    let named = |fault: Fault| Fault { error: Some(ITEM_READER_FAILED.into()), ..fault };
    let read = result.map_err(named).and_then(|read| read.map_err(|cause| Fault::new(ITEM_READER_FAILED, cause)));
    match read {
        Ok(Read::Items(items)) => run.collected.append(items),
        Ok(Read::Files { .. }) if engine.is_tested() => return engine.mocked_unread(frame, state),
        Ok(Read::Files { mut requests, config }) if run.file_config.is_none() => {
            requests.reverse();
            run.pending = requests;
            run.file_config = Some(config);
        }
        Ok(Read::Files { .. }) => {
            return Err(run_failed(engine, frame, Fault::new(ITEM_READER_FAILED, "A manifest must not name another manifest.")));
        }
        Err(fault) => return Err(run_failed(engine, frame, fault)),
    }
    let enough = run.max_items.is_some_and(|n| n > 0 && run.collected.left >= n.unsigned_abs());
    if let (false, Some(request), Some(reader)) = (enough, run.pending.pop(), &map.item_reader) {
        let resource = file_resource(&reader.resource);
        call(engine, id, frame, state, &resource, Purpose::ItemReader(Box::new(joining)), request);
        return Ok(Flow::Wait);
    }
    run.pending.clear();
    let mut items = std::mem::take(&mut run.collected);
    items.limit(run.max_items);
    run_items(engine, id, frame, state, map, joining, items)
}

/// Returns the resource that reads files: a listing is read by another API than the files in it.
pub(in crate::engine) fn file_resource(resource: &str) -> String {
    resource.replace("listObjectsV2", "getObject")
}

/// Starts the children of a Map Run, in batches if the definition asks for them.
fn run_items(
    engine: &mut Engine,
    id: FrameId,
    frame: &mut Frame,
    state: &State,
    map: &MapState,
    mut joining: Joining,
    items: Items,
) -> Ran {
    let batching = match &map.item_batcher {
        Some(batcher) => Some(batching(engine, frame, state, batcher, &joining)?),
        None => None,
    };
    if let Some(run) = &mut joining.run {
        run.total = items.left;
        run.batching = batching;
    }
    joining.items = items;
    begin(engine, id, frame, state, map, joining)
}

/// Starts the first children, unless a test provides their results.
fn begin(engine: &mut Engine, id: FrameId, frame: &mut Frame, state: &State, map: &MapState, joining: Joining) -> Ran {
    match engine.is_tested() {
        true => engine.mocked_map(frame, state, map, joining),
        false => go_on(engine, id, frame, state, map, joining, None),
    }
}

/// Starts as many children as may run, and ends the Map when all children have ended.
pub(in crate::engine) fn go_on(
    engine: &mut Engine,
    id: FrameId,
    frame: &mut Frame,
    state: &State,
    map: &MapState,
    mut joining: Joining,
    after: Option<u64>,
) -> Ran {
    joining.starting = false;
    engine.unfinished_maps.remove(&id);
    if joining.run.as_ref().is_some_and(|run| run.records.has_full_file()) {
        return results::store(engine, id, frame, state, map, joining);
    }
    while joining.children.len() < joining.limit as usize {
        if let Some(run) = &mut joining.run
            && let Some(unsuccessful) = run.waiting.pop_front()
        {
            let slot = unsuccessful.slot;
            if let Some(child) = engine.resume((id, slot), run, map, unsuccessful) {
                joining.children.insert(slot, child);
            }
            continue;
        }
        let next = match engine.work.is_done() && joining.items.left > 0 {
            true => Ok(Next::Later),
            false => next_child(engine, frame, state, map, &mut joining),
        };
        let (item, input) = match next {
            Ok(Next::Child(item, input)) => (item, input),
            Ok(Next::Nothing) => break,
            Ok(Next::Later) => {
                engine.unfinished_maps.insert(id, ());
                joining.starting = true;
                frame.phase = Phase::Joining(Box::new(joining));
                return Ok(Flow::Wait);
            }
            Err(fault) => {
                cut(engine, frame.execution, &state.name, &joining, Some(frame.tail).filter(|_| !fault.is_fatal()));
                return Err(if joining.run.is_some() { run_failed(engine, frame, fault) } else { fault });
            }
        };
        let slot = joining.next;
        joining.results.push(None);
        joining.next += 1;
        let child = match &joining.run {
            None => {
                let details = Details::Iteration { name: state.name.clone(), index: slot };
                let tail =
                    engine.record(frame.execution, EventType::MapIterationStarted, after.unwrap_or(joining.started_event), details);
                let variables = frame.variables.clone();
                engine.spawn(frame.execution, Some((id, slot)), map.processor, input, variables, Some(item), tail)
            }
            Some(run) => spawn_child(engine, (id, slot), frame, map, run, input, item),
        };
        joining.children.insert(slot, child);
        engine.work.charge(CHILD);
    }
    if !joining.children.is_empty() {
        frame.phase = Phase::Joining(Box::new(joining));
        return Ok(Flow::Wait);
    }
    if joining.run.is_some() {
        return results::end_run(engine, id, frame, state, map, joining);
    }
    engine.record(frame.execution, EventType::MapStateSucceeded, joining.last_succeeded, Details::None);
    frame.tail = joining.last_succeeded;
    let results: Vec<Value> = joining.results.into_iter().flatten().collect();
    engine.complete(frame, state, Value::from(results))
}

/// Continues a Map Run that is redriven.
pub(in crate::engine) fn resume(engine: &mut Engine, machine: &Machine, id: FrameId, frame: &mut Frame) -> Ran {
    let state = &machine.states[frame.state];
    match (&state.kind, std::mem::replace(&mut frame.phase, Phase::Enter)) {
        (Kind::Map(map), Phase::Resume(joining)) => go_on(engine, id, frame, state, map, *joining, None),
        _ => Ok(Flow::Wait),
    }
}
