//! Builds the input of the next child of a Map, from the next item or batch of items.

use super::fields;
use crate::asl::ir::{Field, ItemBatcher, MapState, State};
use crate::base::{Map, Value, json};
use crate::engine::Engine;
use crate::engine::dataflow::{Place, View};
use crate::engine::fault::{Fault, ITEM_READER_FAILED};
use crate::engine::frame::{Batching, Frame, Joining, MapItem};
use std::sync::Arc;

/// Evaluates an ItemBatcher (spec §7.5).
pub(in crate::engine) fn batching(
    engine: &mut Engine,
    frame: &Frame,
    state: &State,
    batcher: &ItemBatcher,
    joining: &Joining,
) -> Result<Batching, Fault> {
    let payload_limit = engine.options.payload_limit as u64;
    fields(engine, frame, state, &joining.input, &mut |eval, view| {
        let mut limit = |field: &Option<Field<u64>>, name: &str| match field {
            Some(field) => match u64::try_from(eval.integer(field, name, view).map_err(|fault| fault.inside("/ItemBatcher"))?) {
                Ok(n) if n > 0 => Ok(n),
                _ => Err(eval.runtime(&format!("{name} must be positive."))),
            },
            None => Ok(u64::MAX),
        };
        let max_items = limit(&batcher.max_items, "MaxItemsPerBatch")?;
        // Documented: a batch without a limit of its own has as many items as fit into a payload.
        let max_bytes = limit(&batcher.max_bytes, "MaxInputBytesPerBatch")?.min(payload_limit);
        let input = batcher
            .batch_input
            .as_ref()
            .map(|p| eval.payload(p, &Place::Member(&Place::Field("ItemBatcher"), "BatchInput"), view))
            .transpose()?;
        Ok(Batching { max_items, max_bytes, input })
    })
}

/// The input of the next child.
pub(in crate::engine) enum Next {
    /// `Map.Item`, and the child's input.
    Child(Arc<MapItem>, Value),
    /// There are no more items.
    Nothing,
    /// The call has used up its budget, and the batch is not full yet.
    Later,
}

/// Returns the next item, as `Map.Item` and as the input of a child.
pub(in crate::engine) fn next_item(
    engine: &mut Engine,
    frame: &Frame,
    state: &State,
    map: &MapState,
    joining: &mut Joining,
) -> Result<Next, Fault> {
    let index = joining.items.given;
    let next = joining.items.next().map_err(|error| Fault::new(ITEM_READER_FAILED, error))?;
    let Some((key, value)) = next else { return Ok(Next::Nothing) };
    let item = map_item(frame, joining, key, value, index);
    let input = select(engine, frame, state, map, &joining.input, &item)?;
    Ok(Next::Child(item, input))
}

/// Returns the input of the next child: an item, or a batch of them, each after ItemSelector.
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

pub(in crate::engine) fn map_item(
    frame: &Frame,
    joining: &Joining,
    key: Option<Arc<str>>,
    value: Value,
    index: u32,
) -> Arc<MapItem> {
    let outer = match &frame.item {
        Some(item) => item.outer.iter().copied().chain([item.index]).collect(),
        None => Vec::new(),
    };
    Arc::new(MapItem { index, value, key, source: joining.run.as_ref().map(|run| run.source.clone()), outer })
}

/// Returns the input of an iteration: the item, or the value of ItemSelector.
pub(in crate::engine) fn select(
    engine: &mut Engine,
    frame: &Frame,
    state: &State,
    map: &MapState,
    input: &Value,
    item: &Arc<MapItem>,
) -> Result<Value, Fault> {
    engine.work.begin_state();
    let Some((field, selector)) = &map.item_selector else {
        let input = match &item.key {
            Some(key) => Value::from(Map::from_iter([("Key", Value::from(key.clone())), ("Value", item.value.clone())])),
            None => item.value.clone(),
        };
        // Items of the state's data are parts of a payload that was measured; those of a file were not measured before.
        if map.item_reader.is_some() {
            engine.check_payload(frame, state, &input)?;
        }
        return Ok(input);
    };
    let context = engine.context_with(frame, state, None, Some(item));
    let view = View::new(input, &context, &frame.variables);
    let input = engine.eval(frame, state).payload(selector, &Place::Field(field), &view)?;
    engine.item_stage(frame, state, "afterItemSelector", item.index, &input);
    engine.check_payload(frame, state, &input)?;
    Ok(input)
}
