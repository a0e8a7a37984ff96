//! Items of a Distributed Map as readers deliver them, and results as writers get them (spec §7.6, §7.7).

mod csv;
mod export;

pub(super) use export::{record, request, transform, written};

use crate::base::{Map, Value, json};
use std::sync::Arc;

/// What a reader's answer has come to.
pub(super) enum Read {
    /// The items, with their names when they are the members of an object.
    Items(Items),
    /// More files to read, and how each of them is to be understood.
    Files {
        /// The `Parameters` of each further read.
        requests: Vec<Value>,
        /// `InputType`, `CSVHeaderLocation` … for all of them.
        config: Value,
    },
}

/// Items, and their names when they are the members of an object.
#[derive(Clone, Debug, Default)]
pub(super) struct Items {
    pub(super) keys: Vec<Arc<str>>,
    pub(super) list: Vec<Value>,
}

/// Reads an answer: an array or an object as they are; a listing (`{"Contents": […]}`); a file (`{"Body": text}`) in the
/// format that ReaderConfig names.
pub(super) fn read(answer: &Value, config: Option<&Value>, parameters: &Value) -> Result<Read, String> {
    let setting = |name: &str| config.and_then(|c| c.get(name)).and_then(Value::as_str);
    if let Some(contents) = answer.get("Contents").and_then(Value::as_array) {
        return if setting("Transformation") == Some("LOAD_AND_FLATTEN") {
            let keys = contents.iter().filter_map(|object| object.get("Key"));
            Ok(Read::Files {
                requests: keys.map(|key| file(parameters, key.clone())).collect(),
                config: config.cloned().unwrap_or_default(),
            })
        } else {
            Ok(Read::Items(Items { keys: Vec::new(), list: contents.to_vec() }))
        };
    }
    let Some(body) = answer.get("Body") else { return whole(answer.clone(), config).map(Read::Items) };
    let Some(text) = body.as_str() else { return whole(body.clone(), config).map(Read::Items) };
    match (setting("InputType"), setting("ManifestType")) {
        (Some("MANIFEST"), _) | (None, Some("S3_INVENTORY")) => inventory(text, parameters),
        (_, Some("ATHENA_DATA")) => Ok(Read::Files { requests: unload(text, parameters), config: without_manifest(config) }),
        (Some("CSV"), _) => csv::parse(text, config).map(|list| Read::Items(Items { keys: Vec::new(), list })),
        (Some("JSONL"), _) => lines(text).map(|list| Read::Items(Items { keys: Vec::new(), list })),
        (Some("PARQUET"), _) => Err("A PARQUET file must be read by the host, which answers with its rows as an array.".into()),
        _ => json::parse(text)
            .map_err(|error| format!("The file is not valid JSON: {error}"))
            .and_then(|value| whole(value, config))
            .map(Read::Items),
    }
}

/// Keeps the first items only; 0 means all, and so does a number beyond the end (spec §7.6).
pub(super) fn limit(items: &mut Items, max_items: Option<i64>) {
    if let Some(n) = max_items.and_then(|n| usize::try_from(n).ok()).filter(|n| *n > 0) {
        items.list.truncate(n);
        items.keys.truncate(n);
    }
}

/// An array's elements or an object's members, at `ItemsPointer` if there is one.
fn whole(value: Value, config: Option<&Value>) -> Result<Items, String> {
    let mut value = value;
    if let Some(pointer) = config.and_then(|c| c.get("ItemsPointer")).and_then(Value::as_str) {
        for step in pointer.split('/').skip(1) {
            let step = step.replace("~1", "/").replace("~0", "~");
            let next = match &value {
                Value::Array(_) => step.parse().ok().and_then(|i| value.at(i)),
                _ => value.get(&step),
            };
            value = next.cloned().ok_or_else(|| format!("The ItemsPointer '{pointer}' does not point into the file."))?;
        }
    }
    match value {
        Value::Array(list) => Ok(Items { keys: Vec::new(), list: list.to_vec() }),
        Value::Object(members) => {
            let (keys, list) = members.iter().map(|(k, v)| (k.clone(), v.clone())).unzip();
            Ok(Items { keys, list })
        }
        _ => Err("Attempting to map over non-iterable node.".into()),
    }
}

/// One JSON value a line; empty lines do not count.
fn lines(text: &str) -> Result<Vec<Value>, String> {
    let numbered = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    numbered.map(|(i, line)| json::parse(line).map_err(|error| format!("Line {} is not valid JSON: {error}", i + 1))).collect()
}

/// A further read: the parameters of the first with another key.
fn file(parameters: &Value, key: Value) -> Value {
    let mut request = parameters.clone();
    if let Some(members) = request.make_object() {
        members.remove("Prefix");
        members.remove("VersionId");
        members.insert("Key", key);
    }
    request
}

/// An S3 inventory: its manifest names the files, whose columns it names too.
fn inventory(text: &str, parameters: &Value) -> Result<Read, String> {
    let manifest = json::parse(text).map_err(|error| format!("The manifest is not valid JSON: {error}"))?;
    let files = manifest.get("files").and_then(Value::as_array).ok_or("The manifest names no files.")?;
    let schema = manifest.get("fileSchema").and_then(Value::as_str).unwrap_or_default();
    let headers: Vec<Value> = schema.split(',').map(|name| Value::from(name.trim())).collect();
    let bucket =
        manifest.get("destinationBucket").and_then(Value::as_str).map(|arn| arn.rsplit(':').next().unwrap_or(arn).to_string());
    let requests = files.iter().filter_map(|entry| entry.get("key")).map(|key| {
        let mut request = file(parameters, key.clone());
        if let (Some(bucket), Some(members)) = (&bucket, request.make_object()) {
            members.insert("Bucket", bucket.clone());
        }
        request
    });
    let config = Map::from_iter([
        ("InputType", Value::from("CSV")),
        ("CSVHeaderLocation", Value::from("GIVEN")),
        ("CSVHeaders", Value::from(headers)),
    ]);
    Ok(Read::Files { requests: requests.collect(), config: Value::from(config) })
}

/// An Athena UNLOAD manifest: one `s3://bucket/key` a line.
fn unload(text: &str, parameters: &Value) -> Vec<Value> {
    let place = |line: &str| {
        let (bucket, key) = line.trim().trim_matches('"').strip_prefix("s3://")?.split_once('/')?;
        let mut request = file(parameters, Value::from(key));
        request.make_object()?.insert("Bucket", bucket);
        Some(request)
    };
    text.lines().filter_map(place).collect()
}

fn without_manifest(config: Option<&Value>) -> Value {
    let mut config = config.cloned().unwrap_or_else(Value::empty_object);
    if let Some(members) = config.make_object() {
        members.remove("ManifestType");
    }
    config
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(answer: &str, config: &str) -> Result<String, String> {
        let (answer, config) = (json::parse(answer).unwrap(), json::parse(config).unwrap());
        match read(&answer, Some(&config), &json::parse(r#"{"Bucket":"b","Key":"k"}"#).unwrap())? {
            Read::Items(items) => Ok(Value::from(items.list).to_string()),
            Read::Files { requests, config } => Ok(format!("{} {config}", Value::from(requests))),
        }
    }

    #[test]
    fn formats() {
        let check =
            |answer: &str, config: &str, expected: &str| assert_eq!(items(answer, config).unwrap(), expected, "{answer} {config}");
        check("[1,2]", "{}", "[1,2]");
        check(r#"{"Body":"{\"a\":{\"b\":[1]}}"}"#, r#"{"InputType":"JSON","ItemsPointer":"/a/b"}"#, "[1]");
        check(r#"{"Body":"{\"n\":1}\n\n[2]\n"}"#, r#"{"InputType":"JSONL"}"#, r#"[{"n":1},[2]]"#);
        check(r#"{"Contents":[{"Key":"x"}]}"#, "{}", r#"[{"Key":"x"}]"#);
        check(
            r#"{"Contents":[{"Key":"x"}]}"#,
            r#"{"Transformation":"LOAD_AND_FLATTEN","InputType":"JSON"}"#,
            r#"[{"Bucket":"b","Key":"x"}] {"Transformation":"LOAD_AND_FLATTEN","InputType":"JSON"}"#,
        );
        check(
            r#"{"Body":"s3://other/p/1.csv\n"}"#,
            r#"{"ManifestType":"ATHENA_DATA","InputType":"CSV"}"#,
            r#"[{"Bucket":"other","Key":"p/1.csv"}] {"InputType":"CSV"}"#,
        );
        check(
            r#"{"Body":"{\"destinationBucket\":\"arn:aws:s3:::inv\",\"fileSchema\":\"Bucket, Key\",\"files\":[{\"key\":\"1.csv\"}]}"}"#,
            r#"{"InputType":"MANIFEST"}"#,
            r#"[{"Bucket":"inv","Key":"1.csv"}] {"InputType":"CSV","CSVHeaderLocation":"GIVEN","CSVHeaders":["Bucket","Key"]}"#,
        );
        assert_eq!(items(r#"{"Body":"7"}"#, r#"{"InputType":"JSON"}"#).unwrap_err(), "Attempting to map over non-iterable node.");
    }
}
