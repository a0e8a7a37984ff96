//! Items of a Distributed Map as a reader delivers them, and results as a writer gets them (spec §7.6, §7.7).

use super::frame::Joining;
use crate::asl::ir::ResultWriter;
use crate::base::{Map, Value, json};
use std::sync::Arc;

type Items = (Vec<Arc<str>>, Vec<Value>);

/// Reads the items out of a reader's answer: an array, an object (its members), or `{"Body": text}` in the format
/// that ReaderConfig names.
pub(super) fn parse(answer: &Value, config: Option<&Value>, max_items: Option<i64>) -> Result<Items, String> {
    let _ = config;
    let body = answer.get("Body").and_then(Value::as_str);
    let value = match body {
        Some(text) => json::parse(text).map_err(|error| format!("The file is not valid JSON: {error}"))?,
        None => answer.clone(),
    };
    let (mut keys, mut list) = match value {
        Value::Array(items) => (Vec::new(), items.to_vec()),
        Value::Object(members) => members.iter().map(|(k, v)| (k.clone(), v.clone())).unzip(),
        _ => return Err("Attempting to map over non-iterable node.".into()),
    };
    // 0 means all (spec §7.6).
    if let Some(n) = max_items.and_then(|n| usize::try_from(n).ok()).filter(|n| *n > 0) {
        list.truncate(n);
        keys.truncate(n);
    }
    Ok((keys, list))
}

/// The output of a Map whose ResultWriter exports nothing.
pub(super) fn transform(transformation: Option<&str>, results: Vec<Option<Value>>) -> Value {
    let outputs = results.into_iter().flatten();
    if transformation != Some("FLATTEN") {
        return Value::from(outputs.collect::<Vec<_>>());
    }
    let mut flat = Vec::new();
    for output in outputs {
        match output {
            Value::Array(items) => flat.extend(items.iter().cloned()),
            other => flat.push(other),
        }
    }
    Value::from(flat)
}

/// What a writer is asked to write.
pub(super) fn manifest(parameters: Option<&Value>, writer: &ResultWriter, joining: &Joining) -> Value {
    let mut request = parameters.and_then(Value::as_object).cloned().unwrap_or_default();
    let prefix = request.get("Prefix").and_then(Value::as_str).unwrap_or_default().to_string();
    let uuid = joining.run.as_ref().map(|run| run.uuid.to_string()).unwrap_or_default();
    let key = if prefix.is_empty() { format!("{uuid}/manifest.json") } else { format!("{prefix}/{uuid}/manifest.json") };
    request.insert("Key", key);
    request.insert("Results", transform(writer.transformation.as_deref(), joining.results.clone()));
    Value::from(request)
}

/// The output of a Map whose results were written.
pub(super) fn written(request: &Value, arn: &str) -> Value {
    let part = |name: &str| request.get(name).cloned().unwrap_or(Value::from(""));
    let details = Map::from_iter([("Bucket", part("Bucket")), ("Key", part("Key"))]);
    Value::from(Map::from_iter([("MapRunArn", Value::from(arn)), ("ResultWriterDetails", Value::from(details))]))
}
