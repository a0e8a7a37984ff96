//! Items of a Distributed Map as readers deliver them, and results as writers get them (spec §7.6, §7.7).

mod csv;
mod export;
mod source;

pub(super) use export::{Records, closing_file, full_file, keep, transform, written};
pub(super) use source::{Format, Items, Source, Text};

use crate::base::json::JsonError;
use crate::base::{Map, Value, json};

/// What a reader's answer has come to.
pub(super) enum Read {
    /// The items.
    Items(Items),
    /// More files to read, and how each of them is to be understood.
    Files {
        /// The `Parameters` of each further read.
        requests: Vec<Value>,
        /// `InputType`, `CSVHeaderLocation` … for all of them.
        config: Value,
    },
}

/// A reader's answer.
pub(super) enum Answer {
    /// A file, to be read in the format that ReaderConfig names.
    File(String),
    /// JSON text: an array or an object of items; a listing (`{"Contents": […]}`); a file (`{"Body": …}`).
    Json(String),
}

impl From<Value> for Answer {
    fn from(answer: Value) -> Answer {
        match answer.get("Body").and_then(Value::as_str) {
            Some(text) if answer.get("Contents").is_none() => Answer::File(text.into()),
            _ => Answer::Json(answer.to_string()),
        }
    }
}

/// Reads an answer: says how many items there are and that all of them can be read, and builds none of them.
pub(super) fn read(answer: Answer, config: Option<&Value>, parameters: &Value) -> Result<Read, String> {
    let text = match answer {
        Answer::File(text) => return file(text, config, parameters),
        Answer::Json(text) => text,
    };
    json::check(&text)
        .map_err(|error| format!("the handler's answer cannot be read: {} at offset {}", error.message, error.offset))?;
    let top = source::element(&text, 0);
    if let Some(at) = part(&text, top, "Contents").filter(|at| text.as_bytes().get(*at) == Some(&b'[')) {
        if config.and_then(|c| c.get("Transformation")).and_then(Value::as_str) != Some("LOAD_AND_FLATTEN") {
            return elements(text, at).map(Read::Items);
        }
        let (contents, _) = json::parse_at(&text, at).map_err(not_json)?;
        let keys = contents.as_array().unwrap_or_default().iter().filter_map(|object| object.get("Key"));
        return Ok(Read::Files {
            requests: keys.map(|key| further(parameters, key.clone())).collect(),
            config: config.cloned().unwrap_or_default(),
        });
    }
    match part(&text, top, "Body") {
        Some(at) if text.as_bytes().get(at) == Some(&b'"') => {
            let (body, _) = json::parse_at(&text, at).map_err(not_json)?;
            drop(text);
            file(body.as_str().unwrap_or_default().into(), config, parameters)
        }
        body => whole(text, body.unwrap_or(top), config).map(Read::Items),
    }
}

/// Reads a file in the format that ReaderConfig names.
fn file(text: String, config: Option<&Value>, parameters: &Value) -> Result<Read, String> {
    let setting = |name: &str| config.and_then(|c| c.get(name)).and_then(Value::as_str);
    match (setting("InputType"), setting("ManifestType")) {
        (Some("MANIFEST"), _) | (None, Some("S3_INVENTORY")) => inventory(&text, parameters),
        (_, Some("ATHENA_DATA")) => Ok(Read::Files { requests: unload(&text, parameters), config: without_manifest(config) }),
        (Some("CSV"), _) => rows(text, config).map(Read::Items),
        (Some("JSONL"), _) => lines(text).map(Read::Items),
        (Some("PARQUET"), _) => Err("A PARQUET file must be read by the host, which answers with its rows as an array.".into()),
        _ => {
            json::check(&text).map_err(not_json)?;
            let top = source::element(&text, 0);
            whole(text, top, config).map(Read::Items)
        }
    }
}

fn not_json(error: JsonError) -> String {
    format!("The file is not valid JSON: {error}")
}

/// An array's elements or an object's members, at `ItemsPointer` if there is one. The text is JSON.
fn whole(text: String, top: usize, config: Option<&Value>) -> Result<Items, String> {
    let mut at = top;
    if let Some(pointer) = config.and_then(|c| c.get("ItemsPointer")).and_then(Value::as_str) {
        for step in pointer.split('/').skip(1) {
            let step = step.replace("~1", "/").replace("~0", "~");
            at = part(&text, at, &step).ok_or_else(|| format!("The ItemsPointer '{pointer}' does not point into the file."))?;
        }
    }
    match text.as_bytes().get(at) {
        Some(b'[') => elements(text, at),
        Some(b'{') => {
            // Of two members with one name the last counts, which none knows before it has seen them all.
            let (value, _) = json::parse_at(&text, at).map_err(not_json)?;
            Ok(value.as_object().map(Items::of_object).unwrap_or_default())
        }
        _ => Err("Attempting to map over non-iterable node.".into()),
    }
}

/// Where the value of a container's member or element begins; of members with one name the last. The text is JSON.
fn part(text: &str, at: usize, name: &str) -> Option<usize> {
    let object = match text.as_bytes().get(at)? {
        b'{' => true,
        b'[' => false,
        _ => return None,
    };
    let index: Option<usize> = if object { None } else { Some(name.parse().ok()?) };
    let (mut at, mut count, mut found) = (at + 1, 0, None);
    loop {
        at = source::element(text, at);
        if matches!(text.as_bytes().get(at), None | Some(b']' | b'}')) {
            return found;
        }
        let here = if object {
            let (key, end) = json::parse_at(text, at).ok()?;
            at = source::element(text, source::element(text, end) + 1);
            key.as_str() == Some(name)
        } else {
            index == Some(count)
        };
        if here {
            found = Some(at);
        }
        count += 1;
        at = json::skip_at(text, at).ok()?;
    }
}

/// The elements of the array that begins at a byte of a JSON text.
fn elements(mut text: String, at: usize) -> Result<Items, String> {
    let (mut end, mut count) = (at + 1, 0);
    loop {
        end = source::element(&text, end);
        if matches!(text.as_bytes().get(end), None | Some(b']')) {
            text.truncate(end);
            return Ok(Items::of_text(text, at + 1, count, Format::Elements));
        }
        end = json::skip_at(&text, end).map_err(not_json)?;
        count += 1;
    }
}

/// One JSON value a line; empty lines do not count.
fn lines(text: String) -> Result<Items, String> {
    let mut count = 0;
    for (i, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        json::check(line).map_err(|error| format!("Line {} is not valid JSON: {error}", i + 1))?;
        count += 1;
    }
    Ok(Items::of_text(text, 0, count, Format::Lines))
}

/// The rows of a CSV file.
fn rows(text: String, config: Option<&Value>) -> Result<Items, String> {
    let (headers, delimiter, begin) = csv::open(&text, config)?;
    let (mut at, mut count) = (begin, 0);
    while let Some((_, end)) = csv::row(&text, at, delimiter) {
        at = end;
        count += 1;
    }
    Ok(Items::of_text(text, begin, count, Format::Rows { headers, delimiter }))
}

/// A further read: the parameters of the first with another key.
fn further(parameters: &Value, key: Value) -> Value {
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
        let mut request = further(parameters, key.clone());
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
        let mut request = further(parameters, Value::from(key));
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
        match read(answer.into(), Some(&config), &json::parse(r#"{"Bucket":"b","Key":"k"}"#).unwrap())? {
            Read::Items(mut items) => {
                let total = items.left;
                let list: Vec<Value> = std::iter::from_fn(|| items.next().unwrap()).map(|(_, value)| value).collect();
                assert_eq!(list.len() as u64, total);
                Ok(Value::from(list).to_string())
            }
            Read::Files { requests, config } => Ok(format!("{} {config}", Value::from(requests))),
        }
    }

    #[test]
    fn formats() {
        let check =
            |answer: &str, config: &str, expected: &str| assert_eq!(items(answer, config).unwrap(), expected, "{answer} {config}");
        check("[1,2]", "{}", "[1,2]");
        check(" [ ] ", "{}", "[]");
        check(r#"{"a":1,"b":[2]}"#, "{}", "[1,[2]]");
        check(r#"{"Body":[{"x":[1]},2]}"#, r#"{"ItemsPointer":"/0/x"}"#, "[1]");
        check(r#"{"Body":"{\"a\":[1],\"b\":2,\"a\":[3, 4]}"}"#, r#"{"InputType":"JSON","ItemsPointer":"/a"}"#, "[3,4]");
        check(r#"{"Body":"[[0],[1,\"]\"]]"}"#, r#"{"InputType":"JSON","ItemsPointer":"/1"}"#, r#"[1,"]"]"#);
        check(
            r#"{"Body":"a;b\n1;2\n\"3\n;\";4"}"#,
            r#"{"InputType":"CSV","CSVDelimiter":"SEMICOLON"}"#,
            r#"[{"a":"1","b":"2"},{"a":"3\n;","b":"4"}]"#,
        );
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
        let refuse =
            |answer: &str, config: &str, expected: &str| assert_eq!(items(answer, config).unwrap_err(), expected, "{answer}");
        refuse(r#"{"Body":"7"}"#, r#"{"InputType":"JSON"}"#, "Attempting to map over non-iterable node.");
        refuse("7", "{}", "Attempting to map over non-iterable node.");
        refuse(r#"{"Body":"[1,]"}"#, "{}", "The file is not valid JSON: expected a JSON value, found ']' at byte 3");
        refuse(r#"{"Body":"1\n{"}"#, r#"{"InputType":"JSONL"}"#, "Line 2 is not valid JSON: object is not closed at byte 0");
        refuse("[1]", r#"{"ItemsPointer":"/x"}"#, "The ItemsPointer '/x' does not point into the file.");
    }

    #[test]
    fn a_file_is_released_as_it_is_read() {
        let text: String = (0..20_000).map(|n| format!("{{\"n\":{n}}}\n")).collect();
        let config = json::parse(r#"{"InputType":"JSONL"}"#).unwrap();
        let Ok(Read::Items(mut items)) = read(Answer::File(text.clone()), Some(&config), &Value::Null) else { panic!("no items") };
        items.limit(Some(19_999));
        let mut held = Vec::new();
        for n in 0..19_999i64 {
            let (_, value) = items.next().unwrap().unwrap();
            assert_eq!(value.get("n").and_then(Value::as_i64), Some(n));
            if let Some(Source::Text(rest)) = items.sources.front() {
                held.push(rest.text.len());
            }
        }
        assert_eq!((items.next(), items.left, items.given), (Ok(None), 0, 19_999));
        assert!(held[0] == text.len() && held[15_000] < text.len() / 2, "{} {}", held[0], held[15_000]);
    }
}
