//! The items of a Distributed Map as readers deliver them, and its results as writers get them (spec §7.6, §7.7).

mod csv;
mod export;
mod reading;
mod source;

pub(super) use export::{Records, closing_file, exported_output, full_file, store_outcome, transform};
pub(super) use reading::Reading;
pub(super) use source::{Format, Items, Source, Text};

use crate::base::{Map, Value, json};

/// The result of reading a reader's answer.
pub(super) enum Read {
    /// The items.
    Items(Items),
    /// Further files to read, and how to read each of them.
    Files {
        /// The `Parameters` of each further read.
        requests: Vec<Value>,
        /// `InputType`, `CSVHeaderLocation` … for all of these files.
        config: Value,
    },
}

/// A reader's answer.
#[derive(Clone, Debug)]
pub(super) enum Answer {
    /// A file, to be read in the format that ReaderConfig names.
    File(String),
    /// JSON text: an array or an object of items, a listing (`{"Contents": […]}`), or a file (`{"Body": …}`).
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

/// Returns the parameters of a further read: those of the first one with another key.
fn further(parameters: &Value, key: Value) -> Value {
    let mut request = parameters.clone();
    if let Some(members) = request.make_object() {
        members.remove("Prefix");
        members.remove("VersionId");
        members.insert("Key", key);
    }
    request
}

/// Reads an S3 inventory, whose manifest names the files and their columns.
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

/// Reads an Athena UNLOAD manifest, which has one `s3://bucket/key` per line.
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
    use crate::engine::TaskId;
    use crate::engine::work::Work;

    /// Reads an answer in calls of `step`. Returns the result and the number of calls.
    fn read_in_calls(answer: Answer, config: Option<&Value>, parameters: &Value) -> (Result<Read, String>, u32) {
        let (mut reading, work) = (Reading::new(TaskId(1), answer), Work::default());
        for calls in 1.. {
            work.begin_call();
            if let Some(read) = reading.go_on(&work, config, parameters) {
                return (read, calls);
            }
        }
        unreachable!()
    }

    fn read(answer: Answer, config: Option<&Value>, parameters: &Value) -> Result<Read, String> {
        let (in_calls, _) = read_in_calls(answer.clone(), config, parameters);
        let at_once = Reading::new(TaskId(1), answer).read_whole(config, parameters);
        let said = |read: &Result<Read, String>| match read {
            Ok(Read::Items(items)) => format!("{items:?}"),
            Ok(Read::Files { requests, config }) => format!("{requests:?} {config}"),
            Err(error) => error.clone(),
        };
        assert_eq!(said(&in_calls), said(&at_once));
        in_calls
    }

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
    fn a_long_file_is_read_in_many_calls() {
        let check = |answer: Answer, config: &str, left: u64| {
            let config = json::parse(config).unwrap();
            let (read, calls) = read_in_calls(answer, Some(&config), &Value::Null);
            let Ok(Read::Items(items)) = read else { panic!("{config}") };
            assert_eq!(items.left, left, "{config}");
            assert!(calls >= 4, "{calls} calls for {config}");
        };
        let numbers = format!("[{}1]", "1,".repeat(99_999));
        check(Answer::File(numbers.clone()), r#"{"InputType":"JSON"}"#, 100_000);
        check(Answer::File(format!(r#"{{"x":[[],{numbers}]}}"#)), r#"{"InputType":"JSON","ItemsPointer":"/x/1"}"#, 100_000);
        check(Answer::Json(format!(r#"{{"Contents":{numbers}}}"#)), "{}", 100_000);
        check(Answer::Json(numbers), "{}", 100_000);
        check(Answer::File("1\n\n".repeat(100_000)), r#"{"InputType":"JSONL"}"#, 100_000);
        check(Answer::File(format!("[{}1]\n", "1,".repeat(800_000))), r#"{"InputType":"JSONL"}"#, 1);
        check(Answer::File("a,b\n".repeat(100_001)), r#"{"InputType":"CSV","CSVHeaderLocation":"FIRST_ROW"}"#, 100_000);
        let members: String = (0..50_000).map(|n| format!("\"{n}\":1,")).collect();
        check(Answer::File(format!("{{{members}\"0\":2}}")), r#"{"InputType":"JSON"}"#, 50_000);
        let bad = Answer::File("1\n".repeat(100_000) + "{");
        let (read, calls) = read_in_calls(bad, Some(&json::parse(r#"{"InputType":"JSONL"}"#).unwrap()), &Value::Null);
        assert_eq!(read.err().as_deref(), Some("Line 100001 is not valid JSON: object is not closed at byte 0"));
        assert!(calls >= 4);
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
