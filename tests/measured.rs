//! Compares with AWS's behaviour as it was measured and published: `tests/measured/README.md` describes the format of the
//! cases.
//!
//! `cargo test --test measured -- --nocapture` prints the score of every file; `MEASURED=word` runs only the cases whose file
//! or name contains the word, and `UPDATE_EXPECT=1` removes cases that pass now from `misses.json`.

#[path = "corpus/case.rs"]
mod case;
#[path = "corpus/judge.rs"]
mod judge;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use stepglass::asl::{self, CompileOptions, MachineType};
use stepglass::base::diag::Severity;
use stepglass::base::{Map, Value, json};

/// The permitted members of a case, and those of `aws`: any other is an error in the file.
const MEMBERS: [&str; 10] = ["name", "source", "certainty", "note", "expression", "definition", "type", "input", "tasks", "aws"];
const ANSWER: [&str; 8] = ["status", "output", "error", "cause", "history", "result", "diagnostics", "create"];
/// The files of the folder that contain no cases.
const TABLES: [&str; 2] = ["misses.json", "unmeasured.json"];

/// The stack size in bytes: a build without optimization needs more for the deepest expressions than the thread of a test has.
const STACK: usize = 64 << 20;

#[test]
fn every_measured_case_passes_or_is_a_known_miss() {
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(check).expect("a thread begins");
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

fn check() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/measured");
    let only = std::env::var("MEASURED").unwrap_or_default();
    let mut known = misses(&folder);
    let (mut problems, mut mended) = (Vec::new(), Vec::new());
    for file in files(&folder) {
        let stem = file.file_stem().unwrap_or_default().to_string_lossy().to_string();
        let (mut right, mut total, mut names) = (0, 0, Vec::new());
        for case in read(&file).as_array().unwrap_or_else(|| panic!("{stem} holds no array")) {
            let name = format!("{stem}/{}", text(case, "name").unwrap_or_else(|| panic!("{stem}: a case has no name")));
            assert!(!names.contains(&name), "two cases are called {name:?}");
            names.push(name.clone());
            if !(only.is_empty() || name.contains(&only)) {
                known.remove(&name);
                continue;
            }
            total += 1;
            let wrong = difference(case).unwrap_or_else(|problem| panic!("{name}: {problem}"));
            match (wrong, known.remove(&name)) {
                (None, None) => right += 1,
                (None, Some(_)) => {
                    right += 1;
                    mended.push(name);
                }
                (Some(wrong), Some(reason)) => println!("✗ {name}: {reason}\n  {wrong}"),
                (Some(wrong), None) => problems.push(format!("{name}: {wrong}")),
            }
        }
        println!("measured {stem} {right}/{total}");
    }
    if std::env::var("UPDATE_EXPECT").is_ok_and(|value| value == "1") {
        remove_misses(&folder.join("misses.json"), &mended);
    } else {
        problems.extend(mended.iter().map(|name| format!("{name}: is right now, so it leaves misses.json")));
    }
    problems.extend(known.keys().map(|name| format!("misses.json lists {name:?}, and there is no such case")));
    assert!(problems.is_empty(), "{} problems\n{}", problems.len(), problems.join("\n"));
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.ends_with(".json") && !TABLES.contains(&&*name)
    });
    files.sort();
    files
}

fn misses(folder: &Path) -> BTreeMap<String, String> {
    let table = read(&folder.join("misses.json"));
    let members = table.as_object().expect("misses.json holds an object");
    let reason = |name: &str, value: &Value| {
        let text = value.as_str().filter(|text| !text.is_empty()).unwrap_or_else(|| panic!("misses.json: {name} has no reason"));
        text.to_string()
    };
    members.iter().map(|(name, value)| (name.to_string(), reason(name, value))).collect()
}

/// Removes lines from the table, which has one for each case.
fn remove_misses(table: &Path, mended: &[String]) {
    let text = std::fs::read_to_string(table).unwrap();
    let starts: Vec<String> = mended.iter().map(|name| format!("  {}: ", Value::from(name.as_str()))).collect();
    let kept = text.lines().filter(|line| !starts.iter().any(|start| line.starts_with(start)));
    let lines: Vec<&str> = kept.filter_map(|line| line.strip_prefix("  ")).map(|line| line.trim_end_matches(',')).collect();
    let body = if lines.is_empty() { String::new() } else { format!("\n  {}\n", lines.join(",\n  ")) };
    std::fs::write(table, format!("{{{body}}}\n")).unwrap();
}

fn read(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    json::parse(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name).and_then(Value::as_str)
}

/// Returns the difference from AWS's answer; an error if the case is malformed.
fn difference(case: &Value) -> Result<Option<String>, String> {
    let members = case.as_object().ok_or("a case is an object")?;
    let aws = case.get("aws").and_then(Value::as_object).ok_or("`aws` has AWS's answer")?;
    for (name, known) in members.iter().map(|(name, _)| (name, &MEMBERS[..])).chain(aws.iter().map(|(name, _)| (name, &ANSWER[..])))
    {
        if !known.contains(&&**name) {
            return Err(format!("unknown member {name:?}"));
        }
    }
    if text(case, "source").is_none_or(|source| !source.contains(['#', '/'])) {
        return Err("`source` says where AWS's answer was published".into());
    }
    if !matches!(text(case, "certainty"), Some("H" | "M" | "L")) {
        return Err("`certainty` is H, M or L".into());
    }
    let definition = definition(case)?;
    let runs = aws.get("status").or(aws.get("history")).is_some();
    if runs { executed(case, &definition, aws) } else { validated(case, &definition, aws) }
}

/// Returns the machine's text. A case with an `expression` is a machine with it as the member `v` of the output of its only
/// state `E`.
fn definition(case: &Value) -> Result<String, String> {
    match (text(case, "expression"), case.get("definition")) {
        (Some(expression), None) => {
            let output = Map::from_iter([("v", Value::from(format!("{{% {expression} %}}")))]);
            let state = Map::from_iter([("Type", Value::from("Pass")), ("Output", output.into()), ("End", true.into())]);
            let states = Map::from_iter([("E", Value::from(state))]);
            let machine =
                Map::from_iter([("QueryLanguage", Value::from("JSONata")), ("StartAt", "E".into()), ("States", states.into())]);
            Ok(Value::from(machine).to_string())
        }
        (None, Some(Value::String(text))) => Ok(text.to_string()),
        (None, Some(definition)) => Ok(definition.to_string()),
        _ => Err("a case has either an `expression` or a `definition`".into()),
    }
}

/// Compares with the answer of ValidateStateMachineDefinition, or with the message of CreateStateMachine's InvalidDefinition.
fn validated(case: &Value, definition: &str, aws: &Map) -> Result<Option<String>, String> {
    let kind = if text(case, "type") == Some("EXPRESS") { MachineType::Express } else { MachineType::Standard };
    let compiled = asl::compile(definition, &CompileOptions::from(kind));
    if let Some(expected) = aws.get("create").and_then(Value::as_str) {
        let found = asl::answer::create_error(&compiled).unwrap_or_default();
        return Ok((!fits(expected, &found)).then(|| format!("AWS: {expected}\n  here: {found}")));
    }
    let expected = aws.get("result").ok_or("`aws` has a status, a result or the message of CreateStateMachine")?;
    let found = asl::answer::validate_response(&compiled, Severity::Error, 0);
    let others = found.get("diagnostics").and_then(Value::as_array).unwrap_or_default();
    let alike = match aws.get("diagnostics").and_then(Value::as_array) {
        None => true,
        Some(listed) => {
            listed.len() == others.len() && listed.iter().zip(others).all(|(theirs, ours)| same_diagnostic(theirs, ours))
        }
    };
    let right = alike && found.get("result") == Some(expected);
    Ok((!right).then(|| format!("AWS: {}\n  here: {found}", Value::from(aws.clone()))))
}

/// Only the known members of AWS's diagnostic are compared; `null` is a member that AWS leaves out.
fn same_diagnostic(theirs: &Value, ours: &Value) -> bool {
    theirs.as_object().is_some_and(|members| {
        members.iter().all(|(name, value)| match (value, ours.get(name)) {
            (Value::Null, found) => found.is_none(),
            (Value::String(expected), Some(Value::String(found))) => fits(expected, found),
            _ => false,
        })
    })
}

/// Runs the case like the corpus (so also from its snapshots and its journal) and compares the known parts of AWS's answer.
fn executed(case: &Value, definition: &str, aws: &Map) -> Result<Option<String>, String> {
    let mut members = Map::new();
    for name in ["name", "input", "tasks"] {
        if let Some(value) = case.get(name) {
            members.insert(name, value.clone());
        }
    }
    members.insert("spec", text(case, "source").unwrap_or_default());
    members.insert("definition", definition);
    if text(case, "type") == Some("EXPRESS") {
        members.insert("options", Map::from_iter([("express", true)]));
    }
    let history = aws.get("history").cloned();
    members.insert("expect", Map::from_iter(history.iter().map(|lines| ("history", lines.clone()))));
    let run = case::Case::read(&members.into())?;
    let verdict = judge::judge(&run);
    if let Some(fault) = verdict.mismatches.iter().find(|mismatch| !mismatch.rewritable) {
        return Ok(Some(format!("{} does not run: {}", run.name, fault.text)));
    }
    for (name, expected) in aws.iter() {
        let found = verdict.found.get(name).unwrap_or(&Value::Null);
        let right = match (expected, found) {
            (Value::String(expected), Value::String(found)) if &**name != "output" => fits(expected, found),
            // The comparison is exact: `1.0` is not `1`, and the order of members matters.
            _ => expected.to_string() == found.to_string(),
        };
        if !right {
            let cause = verdict.found.get("cause").map(|cause| format!(" ({cause})")).unwrap_or_default();
            return Ok(Some(format!("{name}: AWS {expected}\n  here: {found}{cause}")));
        }
    }
    Ok(None)
}

/// Whether a text is the expected one, in which `…` stands for parts that differ from call to call or were not published.
fn fits(expected: &str, found: &str) -> bool {
    let mut parts = expected.split('…');
    let Some(mut rest) = found.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let mut last = None;
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
        last = Some(part);
    }
    // The text after the last `…` must be at the end.
    last.map_or(rest.is_empty(), |part| part.is_empty() || rest.is_empty() || found.ends_with(part))
}
