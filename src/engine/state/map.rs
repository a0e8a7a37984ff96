//! Map: the items, one iteration each; inline in the execution itself, or distributed as child executions (spec §7.4,
//! §7.5, §9.3).

use super::results;
use crate::asl::ir::{Field, ItemBatcher, JsonataTemplate, Kind, Machine, MapMode, MapState, PathField, QueryLanguage, State};
use crate::asl::resource::Resource;
use crate::base::{Map, Value, json};
use crate::engine::advance::{Flow, Ran};
use crate::engine::command::CancelReason;
use crate::engine::dataflow::{Eval, View};
use crate::engine::event::ExecutionInfo;
use crate::engine::event_type::EventType;
use crate::engine::fault::{Fault, ITEM_READER_FAILED, REFERENCE_PATH_CONFLICT};
use crate::engine::frame::{Acting, Batching, Frame, FrameId, Joining, MapItem, MapRun, Phase, Purpose};
use crate::engine::history::{Details, Recorder};
use crate::engine::items::{Items, Read, Reading, Records};
use crate::engine::limits::{DISTRIBUTED_CONCURRENCY, EXPRESS_TIMEOUT, INLINE_CONCURRENCY};
use crate::engine::{Engine, TaskId, state};
use std::collections::VecDeque;
use std::sync::Arc;

pub(in crate::engine) fn run(engine: &mut Engine, id: FrameId, frame: &mut Frame, state: &State, map: &MapState) -> Ran {
    let context = engine.context(frame, state, None);
    let distributed = map.mode != MapMode::Inline;
    let eval = engine.eval(frame, state);
    let raw = View::new(&frame.input, &context, &frame.variables);
    let effective = match state.language {
        QueryLanguage::JsonPath => eval.path_field(&state.input_path, &raw)?,
        QueryLanguage::Jsonata => frame.input.clone(),
    };
    let view = raw.on(&effective);
    engine.stage(frame, state, "afterInputPath", &effective);
    let mut eval = engine.eval(frame, state);
    if map.item_reader.is_some() && !distributed {
        return Err(eval.runtime("ItemReader is supported in the DISTRIBUTED mode of a Map state only."));
    }
    // With an ItemReader the items do not come from the input at all (spec §7.5).
    let found = if map.item_reader.is_some() {
        None
    } else {
        Some(match state.language {
            QueryLanguage::JsonPath => match &map.items_path {
                PathField::Path(path) => eval.lookup(path, &view).ok_or_else(|| {
                    let step = path.text().rsplit(['.', '[', ']', '\'']).find(|step| !step.is_empty()).unwrap_or("$").to_string();
                    Fault::of_state(
                        REFERENCE_PATH_CONFLICT,
                        &state.name,
                        eval.entered,
                        &format!("Unable to apply step \"{step}\" to input {effective}"),
                    )
                })?,
                PathField::Whole => effective.clone(),
                PathField::Nothing => Value::empty_object(),
            },
            QueryLanguage::Jsonata => match &map.items {
                Some(template) => {
                    let value = eval.jsonata_template(template, "Items", &view)?;
                    if !(value.as_array().is_some() || distributed && value.as_object().is_some()) {
                        return Err(match template {
                            JsonataTemplate::Expression(expression) => eval
                                .jsonata_typed(expression, "Items", "array", &view)
                                .err()
                                .unwrap_or_else(|| eval.query("Items", "Items must be an array.")),
                            _ => eval.query("Items", &format!("Map state input must be an array but was: {value}")),
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
                (QueryLanguage::Jsonata, _) => eval.query("", &format!("Map state input must be an array but was: {other}")),
                (_, PathField::Path(path)) => {
                    // AWS prints a Context Object path with one dollar sign here.
                    let text = path.text().strip_prefix('$').filter(|rest| rest.starts_with('$')).unwrap_or(path.text());
                    eval.runtime(&format!("Reference path \"{text}\" must point to array."))
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

/// Begins a Map Run: reads its limits and, with an ItemReader, asks for its items.
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
            let parameters = reader.parameters.as_ref().map(|p| eval.payload(p, "ItemReader/Parameters", view)).transpose()?;
            let config = reader.config.as_ref().map(|p| eval.payload(p, "ItemReader/ReaderConfig", view)).transpose()?;
            let max = reader.max_items.as_ref().map(|field| eval.integer(field, "MaxItems", view)).transpose()?;
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
        let read = Reading::new(TaskId(0), answer).whole(config.as_ref(), &input);
        return items_read(engine, id, frame, state, joining, Ok(read));
    }
    if engine.is_tested() {
        return engine.mocked_unread(frame, state);
    }
    call(engine, id, frame, state, &reader.resource, Purpose::ItemReader(Box::new(joining)), input);
    Ok(Flow::Wait)
}

/// Reads fields of a Map Run, which see the Map's effective input.
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

/// Asks the host to read or to write for a Map.
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

/// The items were read, or could not be.
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

/// A listing is read by one API, the files in it by another.
pub(in crate::engine) fn file_resource(resource: &str) -> String {
    resource.replace("listObjectsV2", "getObject")
}

/// Starts the children of a Map Run, in batches if so asked.
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

/// Starts the first children, unless a test has their results.
fn begin(engine: &mut Engine, id: FrameId, frame: &mut Frame, state: &State, map: &MapState, joining: Joining) -> Ran {
    match engine.is_tested() {
        true => engine.mocked_map(frame, state, map, joining),
        false => go_on(engine, id, frame, state, map, joining, None),
    }
}

/// Evaluates an ItemBatcher (spec §7.5).
fn batching(
    engine: &mut Engine,
    frame: &Frame,
    state: &State,
    batcher: &ItemBatcher,
    joining: &Joining,
) -> Result<Batching, Fault> {
    let payload_limit = engine.options.payload_limit as u64;
    fields(engine, frame, state, &joining.input, &mut |eval, view| {
        let mut limit = |field: &Option<Field<u64>>, name: &str| match field {
            Some(field) => match u64::try_from(eval.integer(field, name, view)?) {
                Ok(n) if n > 0 => Ok(n),
                _ => Err(eval.runtime(&format!("{name} must be positive."))),
            },
            None => Ok(u64::MAX),
        };
        let max_items = limit(&batcher.max_items, "MaxItemsPerBatch")?;
        // Documented: a batch without a limit of its own has as many items as a payload has room for.
        let max_bytes = limit(&batcher.max_bytes, "MaxInputBytesPerBatch")?.min(payload_limit);
        let input = batcher.batch_input.as_ref().map(|p| eval.payload(p, "ItemBatcher/BatchInput", view)).transpose()?;
        Ok(Batching { max_items, max_bytes, input })
    })
}

/// What the next child gets.
pub(in crate::engine) enum Next {
    /// `Map.Item`, and the child's input.
    Child(Arc<MapItem>, Value),
    /// There are no more items.
    Nothing,
    /// The call has done its part, and the batch is not full yet.
    Later,
}

/// The next item, as `Map.Item` and as a child gets it.
fn next_item(engine: &mut Engine, frame: &Frame, state: &State, map: &MapState, joining: &mut Joining) -> Result<Next, Fault> {
    let index = joining.items.given;
    let next = joining.items.next().map_err(|error| Fault::new(ITEM_READER_FAILED, error))?;
    let Some((key, value)) = next else { return Ok(Next::Nothing) };
    let item = map_item(frame, joining, key, value, index);
    let input = select(engine, frame, state, map, &joining.input, &item)?;
    Ok(Next::Child(item, input))
}

/// What the next child gets: an item, or a batch of them, each selected first.
pub(in crate::engine) fn next_child(
    engine: &mut Engine,
    frame: &Frame,
    state: &State,
    map: &MapState,
    joining: &mut Joining,
) -> Result<Next, Fault> {
    let Some(Batching { max_items, max_bytes, input }) = joining.run.as_ref().and_then(|run| run.batching.clone()) else {
        return next_item(engine, frame, state, map, joining);
    };
    let length = |value: &Value| json::serialized_len(value) as u64 + 1;
    let mut batch = joining.run.as_mut().map(|run| std::mem::take(&mut run.gathered)).unwrap_or_default();
    let mut bytes = input.as_ref().map_or(0, |v| json::serialized_len(v) as u64 + 14) + 12;
    bytes = batch.iter().fold(bytes, |sum, item| sum.saturating_add(length(item)));
    while (batch.len() as u64) < max_items {
        if engine.work.is_done() && !batch.is_empty() && joining.items.left > 0 {
            if let Some(run) = &mut joining.run {
                run.gathered = batch;
            }
            return Ok(Next::Later);
        }
        let Next::Child(_, selected) = next_item(engine, frame, state, map, joining)? else { break };
        let size = length(&selected);
        if !batch.is_empty() && bytes.saturating_add(size) > max_bytes {
            if let Some(run) = &mut joining.run {
                run.gathered.push(selected);
            }
            break;
        }
        bytes = bytes.saturating_add(size);
        batch.push(selected);
    }
    if batch.is_empty() {
        return Ok(Next::Nothing);
    }
    joining.batches.push(batch.len() as u32);
    let mut members = Map::with_capacity(2);
    if let Some(shared) = input {
        members.insert("BatchInput", shared);
    }
    members.insert("Items", Value::from(batch));
    let input = Value::from(members);
    if bytes > engine.options.payload_limit as u64 {
        engine.check_payload(frame, state, &input)?;
    }
    engine.item_stage(frame, state, "afterItemBatcher", joining.next, &input);
    Ok(Next::Child(map_item(frame, joining, None, input.clone(), joining.next), input))
}

fn map_item(frame: &Frame, joining: &Joining, key: Option<Arc<str>>, value: Value, index: u32) -> Arc<MapItem> {
    let outer = match &frame.item {
        Some(item) => item.outer.iter().copied().chain([item.index]).collect(),
        None => Vec::new(),
    };
    Arc::new(MapItem { index, value, key, source: joining.run.as_ref().map(|run| run.source.clone()), outer })
}

/// What an iteration gets: the item, or what ItemSelector makes of it.
fn select(
    engine: &mut Engine,
    frame: &Frame,
    state: &State,
    map: &MapState,
    input: &Value,
    item: &Arc<MapItem>,
) -> Result<Value, Fault> {
    engine.work.begin_state();
    let Some(selector) = &map.item_selector else {
        let input = match &item.key {
            Some(key) => Value::from(Map::from_iter([("Key", Value::from(key.clone())), ("Value", item.value.clone())])),
            None => item.value.clone(),
        };
        // Items of the state's data are parts of a payload; those of a file were not measured before.
        if map.item_reader.is_some() {
            engine.check_payload(frame, state, &input)?;
        }
        return Ok(input);
    };
    let context = engine.context_with(frame, state, None, Some(item));
    let view = View::new(input, &context, &frame.variables);
    let input = engine.eval(frame, state).payload(selector, "ItemSelector", &view)?;
    engine.item_stage(frame, state, "afterItemSelector", item.index, &input);
    engine.check_payload(frame, state, &input)?;
    Ok(input)
}

/// What it costs to start a child, in looks at values.
const CHILD: u64 = 150;

/// Starts as many children as may run; ends the Map when all have.
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
    engine.turns.remove(&id);
    if joining.run.as_ref().is_some_and(|run| run.records.fill_a_file()) {
        return results::store(engine, id, frame, state, map, joining);
    }
    while joining.children.len() < joining.limit as usize {
        if let Some(fallen) = joining.run.as_mut().and_then(|run| run.waiting.pop_front()) {
            let slot = fallen.slot;
            if let Some(child) = engine.resume((id, slot), map.processor, fallen) {
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
                engine.turns.insert(id, ());
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

/// Goes on with a Map Run that is redriven.
pub(in crate::engine) fn resume(engine: &mut Engine, machine: &Machine, id: FrameId, frame: &mut Frame) -> Ran {
    let state = &machine.states[frame.state];
    match (&state.kind, std::mem::replace(&mut frame.phase, Phase::Enter)) {
        (Kind::Map(map), Phase::Resume(joining)) => go_on(engine, id, frame, state, map, *joining, None),
        _ => Ok(Flow::Wait),
    }
}

/// Starts a child execution. It sees none of its parent's variables.
fn spawn_child(
    engine: &mut Engine,
    parent: (FrameId, u32),
    frame: &Frame,
    map: &MapState,
    run: &MapRun,
    input: Value,
    item: Arc<MapItem>,
) -> FrameId {
    let name: Arc<str> = engine.rng.uuid().into();
    let (label, slot) = (&run.label, parent.1);
    let info = match engine.executions.get(&frame.execution).map(|e| e.info.clone()) {
        Some(parent) => {
            let outer = if frame.execution == 0 { "" } else { &*parent.name };
            engine.tell_child_begins(&name, outer, run.started_event, slot);
            let machine_arn = format!("{}/{label}", parent.state_machine_arn);
            ExecutionInfo {
                arn: format!("{}:{name}", machine_arn.replacen(":stateMachine:", ":execution:", 1)).into(),
                name,
                role_arn: parent.role_arn.clone(),
                token_key: None,
                state_machine_arn: machine_arn.into(),
                state_machine_name: format!("{}/{label}", parent.state_machine_name).into(),
            }
        }
        None => ExecutionInfo::named(label, &name),
    };
    let express = map.mode == MapMode::Distributed { express: true };
    let recorder = Recorder::new(engine.child_history_level(), engine.options.history_limit);
    let execution = engine.begin_execution(info, input, recorder, Some(parent), express);
    if express {
        engine.limit_execution(execution, EXPRESS_TIMEOUT);
    }
    engine.spawn_root(execution, map.processor, Some(item))
}

/// Cuts off all running children of a Map; `tail` is the event that is to blame. Without one the history says nothing:
/// an error that nobody can catch ends everything at once.
pub(super) fn cut(engine: &mut Engine, execution: u32, map: &Arc<str>, joining: &Joining, tail: Option<u64>) {
    for (&slot, &child) in joining.children.iter() {
        let own = joining.run.is_none();
        if let Some(tail) = tail.filter(|_| own) {
            let details = Details::Iteration { name: map.clone(), index: slot };
            engine.record(execution, EventType::MapIterationAborted, tail, details);
        }
        let id = engine.frames.get(&child).map(|f| f.execution);
        engine.kill(child, tail.filter(|_| own), CancelReason::SiblingFailed);
        if let Some(id) = id.filter(|_| !own) {
            engine.drop_execution(id);
        }
    }
}

/// Writes that the Map Run has failed; the error goes on as the Map state's.
pub(super) fn run_failed(engine: &mut Engine, frame: &mut Frame, fault: Fault) -> Fault {
    if !fault.is_fatal() {
        frame.tail = engine.record(frame.execution, EventType::MapRunFailed, frame.tail, Details::failure(&fault));
    }
    fault
}

impl Engine {
    /// A branch or inline iteration has ended with an output.
    pub(in crate::engine) fn child_ended(&mut self, machine: &Arc<Machine>, parent: FrameId, slot: u32, tail: u64, output: Value) {
        let Some((mut frame, mut joining)) = self.take_joining(parent) else { return };
        let state = &machine.states[frame.state];
        joining.children.remove(&slot);
        if let Some(result) = joining.results.get_mut(slot as usize) {
            *result = Some(output);
        }
        joining.done += 1;
        joining.last_tail = tail;
        let ran = match &state.kind {
            Kind::Map(map) => {
                let details = Details::Iteration { name: state.name.clone(), index: slot };
                joining.last_succeeded = self.record(frame.execution, EventType::MapIterationSucceeded, tail, details);
                go_on(self, parent, &mut frame, state, map, *joining, Some(tail))
            }
            _ if (joining.done as usize) < joining.results.len() => {
                frame.phase = Phase::Joining(joining);
                Ok(Flow::Wait)
            }
            _ => state::parallel::join(self, &mut frame, state, *joining),
        };
        self.settle(machine, parent, frame, ran);
    }

    /// A branch or inline iteration has failed: the others are cut off, the error is the waiting state's.
    pub(in crate::engine) fn child_failed(
        &mut self,
        machine: &Arc<Machine>,
        parent: FrameId,
        slot: u32,
        tail: u64,
        failing_task: bool,
        fault: Fault,
    ) {
        let Some((mut frame, mut joining)) = self.take_joining(parent) else { return };
        let state = &machine.states[frame.state];
        joining.children.remove(&slot);
        let is_map = matches!(state.kind, Kind::Map(_));
        if is_map {
            let details = Details::Iteration { name: state.name.clone(), index: slot };
            self.record(frame.execution, EventType::MapIterationFailed, tail, details);
        }
        if failing_task {
            self.record(frame.execution, EventType::TaskStateAborted, tail, Details::None);
        }
        if is_map {
            cut(self, frame.execution, &state.name, &joining, Some(tail));
        } else {
            for child in joining.children.into_values() {
                self.kill(child, Some(tail), CancelReason::SiblingFailed);
            }
        }
        frame.tail = tail;
        self.raise(machine, parent, frame, fault);
    }

    /// Goes on with a Map that had items left when a call had done its part.
    pub(in crate::engine) fn take_turn(&mut self, id: FrameId) {
        let Some((mut frame, joining)) = self.take_joining(id) else { return };
        let machine = self.machine.clone();
        let state = &machine.states[frame.state];
        let Kind::Map(map) = &state.kind else { return };
        let after = Some(joining.last_tail).filter(|_| joining.done > 0 && joining.run.is_none());
        let ran = go_on(self, id, &mut frame, state, map, *joining, after);
        self.settle(&machine, id, frame, ran);
    }

    pub(in crate::engine) fn take_joining(&mut self, id: FrameId) -> Option<(Box<Frame>, Box<Joining>)> {
        let mut frame = self.frames.remove(&id)?;
        match std::mem::replace(&mut frame.phase, Phase::Enter) {
            Phase::Joining(joining) => Some((frame, joining)),
            other => {
                frame.phase = other;
                self.frames.insert(id, frame);
                None
            }
        }
    }
}
