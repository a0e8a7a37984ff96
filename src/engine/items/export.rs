//! The results of a Distributed Map: the output if there is no export, and the files of an export (spec §7.7).

use crate::asl::ir::ResultWriter;
use crate::base::{Map, Millis, Table, Value, json};
use crate::engine::Execution;
use crate::engine::fault::Fault;
use crate::engine::frame::{Joining, MapRun};
use std::sync::Arc;

/// The size of results, in bytes, for which a file is written.
const FILE: usize = 1 << 23;

/// The outcomes of the children of a Map Run, as the texts that files are made of.
#[derive(Clone, Debug, Default)]
pub(in crate::engine) struct Records {
    /// The next slot whose result goes into a file. Results are written in the order of their slots.
    pub(in crate::engine) next: u32,
    /// The entries of later slots.
    pub(in crate::engine) ahead: Table<u32, Arc<str>>,
    /// The entries of children that did not succeed. They are separate, because a redrive may replace them.
    pub(in crate::engine) failed: Table<u32, Arc<str>>,
    /// The entries for files that were not written yet, each with its separator.
    pub(in crate::engine) body: String,
    /// How many bytes of `body` are being written.
    pub(in crate::engine) writing: usize,
    /// The key and size of each file that was written.
    pub(in crate::engine) files: Vec<Value>,
    /// The writer's Parameters, evaluated.
    pub(in crate::engine) request: Option<Value>,
    /// How many of the last files were requested; `None` until all children have ended.
    pub(in crate::engine) closing: Option<u32>,
}

impl Records {
    /// Whether there are enough results for a file.
    pub(in crate::engine) fn has_full_file(&self) -> bool {
        self.body.len() >= FILE
    }

    /// Handles that a file of results was written.
    pub(in crate::engine) fn file_stored(&mut self, request: &Value) {
        self.files.push(file_entry(request));
        // Invariant of `full_file`: an entry ends after this number of bytes.
        self.body.drain(..self.writing.min(self.body.len()));
        self.writing = 0;
        self.advance();
    }

    /// Moves the next entries into the body, until it is large enough for a file.
    fn advance(&mut self) {
        while !self.has_full_file() {
            if let Some(entry) = self.ahead.remove(&self.next) {
                self.body.push_str(&entry);
            } else if !self.failed.contains_key(&self.next) {
                return;
            }
            self.next += 1;
        }
    }
}

/// Stores the outcome of a child, as far as the writer needs it.
pub(in crate::engine) fn store_outcome(
    records: &mut Records,
    writer: &ResultWriter,
    slot: u32,
    child: &Execution,
    result: &Result<Value, Fault>,
    status: &str,
    now: Millis,
) {
    let (exports, full_records) = (writer.resource.is_some(), transformation(writer) == "NONE");
    if !exports && writer.transformation.as_deref() != Some("NONE") {
        return;
    }
    let Ok(output) = result else {
        records.failed.insert(slot, json::to_string(&record(child, result, status, now)).into());
        return if exports {
            records.advance()
        };
    };
    records.failed.remove(&slot);
    let end = if lines(writer) { '\n' } else { ',' };
    let mut entry = String::new();
    let mut add = |value: &Value| {
        json::write(&mut entry, value);
        entry.push(end);
    };
    match output {
        _ if full_records => add(&record(child, result, status, now)),
        Value::Array(elements) if transformation(writer) == "FLATTEN" => elements.iter().for_each(add),
        other => add(other),
    }
    if slot < records.next {
        return records.body.push_str(&entry);
    }
    records.ahead.insert(slot, entry.into());
    if exports {
        records.advance();
    }
}

fn transformation(writer: &ResultWriter) -> &str {
    writer.transformation.as_deref().unwrap_or("NONE")
}

fn lines(writer: &ResultWriter) -> bool {
    writer.output_type.as_deref() == Some("JSONL")
}

/// Returns the execution record of a child, as `NONE` exports it.
fn record(child: &Execution, result: &Result<Value, Fault>, status: &str, stopped: Millis) -> Value {
    let Execution { info, input, started, redrives, .. } = child;
    let mut record = Map::with_capacity(14);
    let included = || Value::from(Map::from_iter([("Included", true)]));
    if let Err(fault) = result {
        let text = |part: &Option<std::sync::Arc<str>>| part.clone().map_or(Value::Null, Value::from);
        record.insert("Cause", text(&fault.cause));
        record.insert("Error", text(&fault.error));
    }
    record.insert("ExecutionArn", info.arn.clone());
    record.insert("Input", input.to_string());
    record.insert("InputDetails", included());
    record.insert("Name", info.name.clone());
    if let Ok(output) = result {
        record.insert("Output", output.to_string());
        record.insert("OutputDetails", included());
    }
    record.insert("RedriveCount", *redrives);
    let redrivable = result.is_err();
    record.insert("RedriveStatus", if redrivable { "REDRIVABLE_BY_MAP_RUN" } else { "NOT_REDRIVABLE" });
    if !redrivable {
        record.insert("RedriveStatusReason", "Execution is SUCCEEDED and cannot be redriven");
    }
    record.insert("StartDate", started.to_string());
    record.insert("StateMachineArn", info.state_machine_arn.clone());
    record.insert("Status", status);
    record.insert("StopDate", stopped.to_string());
    Value::from(record)
}

/// Returns the results in the form of `COMPACT` (outputs), `FLATTEN` (their elements) or `NONE` (execution records).
pub(in crate::engine) fn transform(transformation: Option<&str>, joining: &Joining) -> Value {
    let outputs = joining.results.iter().flatten().cloned();
    let list: Vec<Value> = match (transformation, &joining.run) {
        (Some("NONE"), Some(run)) => {
            let Records { ahead, failed, .. } = &run.records;
            let entry = |slot| Some(ahead.get(&slot).or_else(|| failed.get(&slot))?.trim_end_matches([',', '\n']));
            (0..joining.next).filter_map(|slot| json::parse(entry(slot)?).ok()).collect()
        }
        (Some("FLATTEN"), _) => outputs
            .flat_map(|output| match output {
                Value::Array(items) => items.to_vec(),
                other => vec![other],
            })
            .collect(),
        _ => outputs.collect(),
    };
    Value::from(list)
}

/// Returns the request of PutObject for a full file of results: the writer's `Parameters` with `Key` and `Body` instead of
/// `Prefix`.
pub(in crate::engine) fn full_file(run: &mut MapRun, writer: &ResultWriter) -> Option<Value> {
    run.records.closing = None;
    run.records.writing = run.records.body.len();
    let name = format!("SUCCEEDED_{}", run.records.files.len());
    put(run, &name, writer, body(&run.records.body, writer))
}

/// Returns the next request after all children have ended: the complete records of those that did not succeed, the rest of the
/// results, and finally the manifest. Returns `None` after the last one.
pub(in crate::engine) fn closing_file(run: &mut MapRun, writer: &ResultWriter) -> Option<Value> {
    let issued = run.records.closing? as usize;
    run.records.closing = Some(issued as u32 + 1);
    let end = if lines(writer) { '\n' } else { ',' };
    let mut failures = vec![String::new()];
    for record in run.records.failed.values() {
        match failures.last_mut() {
            Some(file) if file.len() < FILE => {
                file.push_str(record);
                file.push(end);
            }
            _ => failures.push(format!("{record}{end}")),
        }
    }
    failures.retain(|file| !file.is_empty());
    if let Some(file) = failures.get(issued) {
        return put(run, &format!("FAILED_{issued}"), writer, body(file, writer));
    }
    let rest = !run.records.body.is_empty();
    let last = format!("SUCCEEDED_{}", run.records.files.len());
    if rest && issued == failures.len() {
        return put(run, &last, writer, body(&run.records.body, writer));
    }
    if issued > failures.len() + usize::from(rest) {
        return None;
    }
    let entry = |name: &str, text: &str| put(run, name, writer, body(text, writer)).map(|request| file_entry(&request));
    let failed: Vec<Value> = failures.iter().enumerate().filter_map(|(n, text)| entry(&format!("FAILED_{n}"), text)).collect();
    let mut succeeded = run.records.files.clone();
    succeeded.extend(entry(&last, &run.records.body).filter(|_| rest));
    let files = [("FAILED", failed), ("PENDING", Vec::new()), ("SUCCEEDED", succeeded)];
    let named: Map = files.into_iter().map(|(name, files)| (name, Value::from(files))).collect();
    let bucket = run.records.request.as_ref().and_then(|request| request.get("Bucket")).cloned();
    let manifest = Map::from_iter([
        ("DestinationBucket", bucket.unwrap_or_else(|| "".into())),
        ("MapRunArn", Value::from(run.arn.clone())),
        ("ResultFiles", Value::from(named)),
    ]);
    put(run, "manifest", None, Value::from(manifest).to_string())
}

/// Returns a file's text from entries that each have a separator.
fn body(entries: &str, writer: &ResultWriter) -> String {
    if lines(writer) { entries.into() } else { format!("[{}]", entries.strip_suffix(',').unwrap_or(entries)) }
}

fn put<'a>(run: &MapRun, name: &str, writer: impl Into<Option<&'a ResultWriter>>, body: String) -> Option<Value> {
    let mut request = run.records.request.as_ref()?.as_object().cloned().unwrap_or_default();
    let prefix = request.remove("Prefix");
    let folder = match prefix.as_ref().and_then(Value::as_str).unwrap_or_default().trim_end_matches('/') {
        "" => run.uuid.to_string(),
        prefix => format!("{prefix}/{}", run.uuid),
    };
    let extension = if writer.into().is_some_and(lines) { "jsonl" } else { "json" };
    request.insert("Key", format!("{folder}/{name}.{extension}"));
    request.insert("Body", body);
    Some(Value::from(request))
}

/// Returns the entry of a file in the manifest.
fn file_entry(request: &Value) -> Value {
    let size = request.get("Body").and_then(Value::as_str).map_or(0, str::len) as i64;
    let key = request.get("Key").cloned().unwrap_or_default();
    Value::from(Map::from_iter([("Key", key), ("Size", Value::from(size))]))
}

/// Returns the output of a Map whose results were exported.
pub(in crate::engine) fn exported_output(request: &Value, arn: &str) -> Value {
    let part = |name: &str| request.get(name).cloned().unwrap_or(Value::from(""));
    let details = Map::from_iter([("Bucket", part("Bucket")), ("Key", part("Key"))]);
    Value::from(Map::from_iter([("MapRunArn", Value::from(arn)), ("ResultWriterDetails", Value::from(details))]))
}
