//! The part of the format for a Parallel or Map in progress: the rest of its items, and for a Map Run the children that a
//! redrive may continue.

use super::form::{FormText, Input, Object, list, numbers};
use super::{Restored, execution_in, execution_out, frame_out, frames_in};
use crate::asl::ir::{Kind, Machine};
use crate::base::{Table, Value, json};
use crate::engine::frame::{Batching, Frame, FrameId, Joining, MapRun, Phase};
use crate::engine::items::{Format, Items, Records, Source, Text};
use crate::engine::limits::Options;
use crate::engine::redrive::UnsuccessfulChild;
use std::sync::Arc;

pub(super) fn joining_out(out: &mut Object<'_>, machine: &Machine, joining: &Joining) {
    out.list("children", joining.children.iter(), |text, (slot, id)| {
        json::write(text, &numbers([u64::from(*slot), u64::from(*id)]));
    });
    // `null` is a result too, so a missing one is an empty array.
    out.list("results", joining.results.iter(), |text, result| list(text, result.iter(), FormText::payload));
    out.set("done", joining.done);
    out.set("failed", joining.failed);
    out.set("failedItems", joining.failed_items as i64);
    out.set("next", joining.next);
    out.object("items", |out| items_out(out, &joining.items));
    out.set("batches", numbers(joining.batches.iter().map(|n| u64::from(*n))));
    out.set("limit", joining.limit);
    out.payload("input", &joining.input);
    out.set("startedEvent", joining.started_event as i64);
    out.set("lastTail", joining.last_tail as i64);
    out.set("lastSucceeded", joining.last_succeeded as i64);
    out.set("starting", joining.starting);
    if let Some(run) = &joining.run {
        out.object("run", |out| run_out(out, machine, run));
    }
}

fn unsuccessful_out(text: &mut FormText, machine: &Machine, unsuccessful: &UnsuccessfulChild) {
    let mut out = Object::begin(text);
    out.set("slot", unsuccessful.slot);
    // A child that the host runs is stored by the host.
    if let Some(execution) = &unsuccessful.execution {
        execution_out(out.key("execution"), unsuccessful.id, execution, true);
        out.list("frames", unsuccessful.frames.iter(), |text, (id, frame)| frame_out(text, machine, *id, frame));
    }
    out.end();
}

fn unsuccessful_in(input: &Input<'_>, field: &str, machine: &Machine, options: &Options) -> Restored<Vec<UnsuccessfulChild>> {
    let one = |value| {
        let item = Input { value, name: "child" };
        if options.external_children {
            return Ok(UnsuccessfulChild::external_children(item.small("slot")?));
        }
        let (id, execution) = execution_in(&item.object("execution")?, options)?;
        let frames = frames_in(&item, "frames", machine, options)?;
        let unsuccessful = UnsuccessfulChild { id, slot: item.small("slot")?, execution: Some(Box::new(execution)), frames };
        if is_complete(&unsuccessful, machine) { Ok(unsuccessful) } else { Err(item.wrong("frames")) }
    };
    input.list(field)?.iter().map(one).collect()
}

/// Whether the frames of a child that may be redriven are complete: there is one root frame, and each other frame is a child of
/// its parent.
fn is_complete(unsuccessful: &UnsuccessfulChild, machine: &Machine) -> bool {
    let frames = &unsuccessful.frames;
    let root = unsuccessful.execution.as_ref().map(|execution| execution.root);
    let child = |parent: FrameId, slot: u32| match &frames.get(&parent)?.phase {
        Phase::Joining(joining) if joining.run.is_none() => joining.children.get(&slot).copied(),
        _ => None,
    };
    let whole = |id: &FrameId, frame: &Frame| {
        let kind = &machine.states[frame.state].kind;
        let here = match &frame.phase {
            Phase::Enter | Phase::Again => true,
            Phase::Joining(joining) if joining.run.is_some() => joining.children.is_empty() && matches!(kind, Kind::Map(_)),
            Phase::Joining(joining) => {
                let owns = |(slot, child): (&u32, &FrameId)| frames.get(child).is_some_and(|f| f.parent == Some((*id, *slot)));
                let starts = if joining.starting {
                    matches!(kind, Kind::Map(_))
                } else {
                    matches!(kind, Kind::Map(_) | Kind::Parallel { .. })
                };
                starts && joining.children.len() <= joining.limit.max(joining.next) as usize && joining.children.iter().all(owns)
            }
            _ => false,
        };
        let there = frame.parent.map_or(Some(*id) == root, |(parent, slot)| child(parent, slot) == Some(*id));
        here && there && frame.execution == unsuccessful.id
    };
    frames.iter().all(|(id, frame)| whole(id, frame)) && (frames.is_empty() || root.is_some_and(|root| frames.contains_key(&root)))
}

fn run_out(out: &mut Object<'_>, machine: &Machine, run: &MapRun) {
    out.set("arn", run.arn.clone());
    out.set("label", run.label.clone());
    out.set("uuid", run.uuid.clone());
    out.set("source", run.source.clone());
    out.maybe("toleratedCount", run.tolerated_count.map(|n| n as i64));
    out.maybe("toleratedPercentage", run.tolerated_percentage);
    out.set("total", run.total as i64);
    out.set("timedOut", run.timed_out);
    out.set("timedOutItems", run.timed_out_items as i64);
    out.set("startedEvent", run.started_event as i64);
    out.maybe("config", run.config.clone());
    out.maybe("maxItems", run.max_items);
    out.list("pending", run.pending.iter(), FormText::payload);
    out.maybe("fileConfig", run.file_config.clone());
    out.object("collected", |out| items_out(out, &run.collected));
    if let Some(batching) = &run.batching {
        // A missing limit is written as -1.
        out.set("batchItems", i64::try_from(batching.max_items).unwrap_or(-1));
        out.set("batchBytes", i64::try_from(batching.max_bytes).unwrap_or(-1));
        out.maybe("batchInput", batching.input.clone());
    }
    out.list("gathered", run.gathered.iter(), FormText::payload);
    out.object("records", |out| records_out(out, &run.records));
    out.set("redrives", run.redrives);
    out.list("unsuccessful", run.unsuccessful.iter(), |text, unsuccessful| unsuccessful_out(text, machine, unsuccessful));
    out.list("waiting", run.waiting.iter(), |text, unsuccessful| unsuccessful_out(text, machine, unsuccessful));
}

pub(super) fn joining_in(input: &Input<'_>, machine: &Machine, options: &Options) -> Restored<Box<Joining>> {
    let mut joining = Box::new(Joining {
        done: input.small("done")?,
        failed: input.small("failed")?,
        failed_items: input.unsigned("failedItems")?,
        next: input.small("next")?,
        items: items_in(&input.object("items")?)?,
        limit: input.small("limit")?,
        input: input.get("input")?.clone(),
        started_event: input.unsigned("startedEvent")?,
        last_tail: input.unsigned("lastTail")?,
        last_succeeded: input.unsigned("lastSucceeded")?,
        starting: input.boolean("starting")?,
        ..Joining::default()
    });
    for child in input.list("children")? {
        let number = |i: usize| {
            child.at(i).and_then(Value::as_i64).and_then(|n| u32::try_from(n).ok()).ok_or_else(|| input.wrong("children"))
        };
        joining.children.insert(number(0)?, number(1)?);
    }
    for result in input.list("results")? {
        joining.results.push(result.as_array().ok_or_else(|| input.wrong("results"))?.first().cloned());
    }
    for n in input.numbers("batches")? {
        joining.batches.push(u32::try_from(n).map_err(|_| input.wrong("batches"))?);
    }
    if joining.done as usize > joining.results.len()
        || joining.next as usize != joining.results.len()
        || joining.children.keys().any(|slot| *slot as usize >= joining.results.len())
    {
        return Err(input.wrong("results"));
    }
    if let Some(value) = input.value.get("run") {
        let run = Input { value, name: "run" };
        joining.run = Some(MapRun {
            arn: run.text("arn")?,
            label: run.text("label")?,
            uuid: run.text("uuid")?,
            source: run.text("source")?,
            tolerated_count: run.maybe_unsigned("toleratedCount")?,
            tolerated_percentage: value.get("toleratedPercentage").and_then(Value::as_f64),
            total: run.unsigned("total")?,
            timed_out: run.small("timedOut")?,
            timed_out_items: run.unsigned("timedOutItems")?,
            started_event: run.unsigned("startedEvent")?,
            config: value.get("config").cloned(),
            max_items: value.get("maxItems").and_then(Value::as_i64),
            pending: run.list("pending")?.to_vec(),
            file_config: value.get("fileConfig").cloned(),
            collected: items_in(&run.object("collected")?)?,
            batching: match value.get("batchItems") {
                Some(_) => Some(Batching {
                    max_items: u64::try_from(run.integer("batchItems")?).unwrap_or(u64::MAX).max(1),
                    max_bytes: u64::try_from(run.integer("batchBytes")?).unwrap_or(u64::MAX),
                    input: value.get("batchInput").cloned(),
                }),
                None => None,
            },
            gathered: run.list("gathered")?.to_vec(),
            records: records_in(&run.object("records")?)?,
            redrives: run.small("redrives")?,
            unsuccessful: unsuccessful_in(&run, "unsuccessful", machine, options)?,
            waiting: unsuccessful_in(&run, "waiting", machine, options)?.into(),
        });
    }
    let known = |unsuccessful: &UnsuccessfulChild| (unsuccessful.slot as usize) < joining.results.len();
    if joining.run.as_ref().is_some_and(|run| !run.unsuccessful.iter().chain(&run.waiting).all(known)) {
        return Err(input.wrong("run"));
    }
    Ok(joining)
}

fn records_out(out: &mut Object<'_>, records: &Records) {
    let entries = |out: &mut Object<'_>, name: &str, entries: &Table<u32, Arc<str>>| {
        let pair = |(slot, entry): (&u32, &Arc<str>)| Value::from(vec![Value::from(*slot), entry.clone().into()]);
        out.list(name, entries.iter(), |text, entry| json::write(text, &pair(entry)));
    };
    out.set("next", records.next);
    entries(out, "ahead", &records.ahead);
    entries(out, "failed", &records.failed);
    json::write_str(out.key("body"), &records.body);
    out.set("writing", records.writing as i64);
    out.list("files", records.files.iter(), FormText::payload);
    out.maybe("request", records.request.clone());
    out.maybe("closing", records.closing);
}

fn records_in(input: &Input<'_>) -> Restored<Records> {
    let entries = |name: &str| {
        let entry = |pair: &Value| {
            let slot = pair.at(0).and_then(Value::as_i64).and_then(|n| u32::try_from(n).ok());
            let entry = pair.at(1).and_then(Value::as_str);
            slot.zip(entry.map(Arc::from)).ok_or_else(|| input.wrong(name))
        };
        let mut table = Table::default();
        for pair in input.list(name)? {
            let (slot, entry) = entry(pair)?;
            table.insert(slot, entry);
        }
        Ok(table)
    };
    let records = Records {
        next: input.small("next")?,
        ahead: entries("ahead")?,
        failed: entries("failed")?,
        body: input.text("body")?.to_string(),
        writing: input.unsigned("writing")? as usize,
        files: input.list("files")?.to_vec(),
        request: input.value.get("request").cloned(),
        closing: input.value.get("closing").map(|_| input.small("closing")).transpose()?,
    };
    // The part that is being written must end with a complete entry.
    if records.body.get(..records.writing).is_none_or(|part| !matches!(part.as_bytes().last(), None | Some(b',' | b'\n'))) {
        return Err(input.wrong("writing"));
    }
    Ok(records)
}

/// Writes the rest of the items; for a file, its unread text.
fn items_out(out: &mut Object<'_>, items: &Items) {
    out.set("left", items.left as i64);
    out.set("given", items.given);
    out.list("sources", items.sources.iter(), |text, source| {
        let mut out = Object::begin(text);
        match source {
            Source::List { values, keys, next } => {
                out.list("values", values.get(*next..).unwrap_or_default(), FormText::payload);
                out.list("keys", keys.get(*next..).unwrap_or_default(), |text, key| json::write_str(text, key));
            }
            Source::Text(Text { text, at, left, format }) => {
                json::write_str(out.key("text"), text.get(*at..).unwrap_or_default());
                out.set("left", *left as i64);
                match format {
                    Format::Elements => out.set("format", "JSON"),
                    Format::Lines => out.set("format", "JSONL"),
                    Format::Rows { headers, delimiter } => {
                        out.set("format", "CSV");
                        out.list("headers", headers, |text, header| json::write_str(text, header));
                        out.set("delimiter", delimiter.to_string());
                    }
                }
            }
        }
        out.end();
    });
}

fn items_in(input: &Input<'_>) -> Restored<Items> {
    let mut items = Items { left: input.unsigned("left")?, given: input.small("given")?, ..Items::default() };
    for value in input.list("sources")? {
        let source = Input { value, name: "source" };
        items.sources.push_back(if value.get("text").is_some() {
            let format = match &*source.text("format")? {
                "JSON" => Format::Elements,
                "JSONL" => Format::Lines,
                "CSV" => Format::Rows {
                    headers: source.texts("headers")?,
                    delimiter: source.text("delimiter")?.chars().next().ok_or_else(|| source.wrong("delimiter"))?,
                },
                _ => return Err(source.wrong("format")),
            };
            let text = source.text("text")?.to_string().into();
            Source::Text(Text { text, at: 0, left: source.unsigned("left")?, format })
        } else {
            Source::List { values: source.list("values")?.to_vec().into(), keys: source.texts("keys")?, next: 0 }
        });
    }
    Ok(items)
}
