//! Results of a Distributed Map: the output without an export, and the files of one (spec §7.7).

use crate::asl::ir::ResultWriter;
use crate::base::{Map, Millis, Value};
use crate::engine::ExecutionInfo;
use crate::engine::fault::Fault;
use crate::engine::frame::{Joining, MapRun};

/// The execution record of a child, as `NONE` exports it.
pub(in crate::engine) fn record(
    info: &ExecutionInfo,
    input: &Value,
    result: &Result<Value, Fault>,
    status: &str,
    started: Millis,
    stopped: Millis,
    redrives: u32,
) -> Value {
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
    record.insert("RedriveCount", redrives);
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

/// The results as `COMPACT` (outputs), `FLATTEN` (their elements) or `NONE` (execution records) has them.
pub(in crate::engine) fn transform(transformation: Option<&str>, joining: &Joining) -> Value {
    let outputs = joining.results.iter().flatten().cloned();
    let list: Vec<Value> = match transformation {
        Some("NONE") => joining.run.iter().flat_map(|run| run.records.iter().cloned()).collect(),
        Some("FLATTEN") => outputs
            .flat_map(|output| match output {
                Value::Array(items) => items.to_vec(),
                other => vec![other],
            })
            .collect(),
        _ => outputs.collect(),
    };
    Value::from(list)
}

/// What the host is asked to store, one request of PutObject for each file, the manifest the last: the writer's
/// `Parameters` with `Key` and `Body` in the place of `Prefix`. Failed children are always whole records.
pub(in crate::engine) fn requests(parameters: Option<&Value>, writer: &ResultWriter, joining: &Joining) -> Vec<Value> {
    let Some(run) = &joining.run else { return Vec::new() };
    let mut request = parameters.and_then(Value::as_object).cloned().unwrap_or_default();
    let prefix = request.remove("Prefix");
    let folder = match prefix.as_ref().and_then(Value::as_str).unwrap_or_default().trim_end_matches('/') {
        "" => run.uuid.to_string(),
        prefix => format!("{prefix}/{}", run.uuid),
    };
    let bucket = request.get("Bucket").cloned().unwrap_or(Value::from(""));
    let mut put = |name: &str, body: String| {
        let key = format!("{folder}/{name}");
        request.insert("Key", key.clone());
        request.insert("Body", body);
        (Value::from(key), Value::from(request.clone()))
    };
    let lines = writer.output_type.as_deref() == Some("JSONL");
    let (extension, transformation) = (if lines { "jsonl" } else { "json" }, writer.transformation.as_deref().unwrap_or("NONE"));
    let succeeded = match transformation {
        "NONE" => by_status(run, |status| status == "SUCCEEDED"),
        other => transform(Some(other), joining).as_array().unwrap_or_default().to_vec(),
    };
    let failed = by_status(run, |status| status != "SUCCEEDED");
    let (mut files, mut named) = (Vec::new(), Map::new());
    for (name, results) in [("FAILED", failed), ("PENDING", Vec::new()), ("SUCCEEDED", succeeded)] {
        let mut entries = Vec::new();
        if !results.is_empty() {
            let body =
                if lines { results.iter().map(|r| format!("{r}\n")).collect::<String>() } else { Value::from(results).to_string() };
            let size = Value::from(body.len() as i64);
            let (key, request) = put(&format!("{name}_0.{extension}"), body);
            entries.push(Value::from(Map::from_iter([("Key", key), ("Size", size)])));
            files.push(request);
        }
        named.insert(name, Value::from(entries));
    }
    let manifest = Map::from_iter([
        ("DestinationBucket", bucket),
        ("MapRunArn", Value::from(run.arn.clone())),
        ("ResultFiles", Value::from(named)),
    ]);
    files.push(put("manifest.json", Value::from(manifest).to_string()).1);
    files
}

fn by_status(run: &MapRun, wanted: impl Fn(&str) -> bool) -> Vec<Value> {
    let fits = |record: &&Value| record.get("Status").and_then(Value::as_str).is_some_and(&wanted);
    run.records.iter().filter(fits).cloned().collect()
}

/// The output of a Map whose results were exported.
pub(in crate::engine) fn written(request: &Value, arn: &str) -> Value {
    let part = |name: &str| request.get(name).cloned().unwrap_or(Value::from(""));
    let details = Map::from_iter([("Bucket", part("Bucket")), ("Key", part("Key"))]);
    Value::from(Map::from_iter([("MapRunArn", Value::from(arn)), ("ResultWriterDetails", Value::from(details))]))
}
