//! Checks the diagnostics of definitions that were recorded from AWS, and of those in the test suite of another validator.

use std::path::PathBuf;
use stepglass::asl::{self, CompileOptions, Compiled, MachineType};
use stepglass::base::diag::Severity;
use stepglass::base::{Value, json};

/// Returns the cases of a file in the folder that STEPGLASS_RECORDINGS names; `None`, with a message, if it is not set.
fn cases(file: &str) -> Option<Vec<Value>> {
    let Some(folder) = std::env::var_os("STEPGLASS_RECORDINGS").filter(|folder| !folder.is_empty()) else {
        println!("skipped: STEPGLASS_RECORDINGS does not name a folder of recorded cases");
        return None;
    };
    let path = PathBuf::from(folder).join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    Some(text.lines().filter(|line| !line.trim().is_empty()).map(|line| json::parse(line).expect("a case a line")).collect())
}

fn text<'a>(case: &'a Value, name: &str) -> &'a str {
    case.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Compiles a case from its text like a caller would, so that spans are computed too.
fn compile(case: &Value) -> Option<Compiled> {
    let definition = case.get("definition")?;
    let source = match definition {
        Value::Null => return None,
        Value::String(source) => source.to_string(),
        other => other.to_string(),
    };
    let kind = if text(case, "type") == "EXPRESS" { MachineType::Express } else { MachineType::Standard };
    Some(asl::compile(&source, &CompileOptions::from(kind)))
}

fn reasons(compiled: &Compiled) -> String {
    let list: Vec<String> = compiled.diagnostics.iter().map(|d| format!("{} {}: {}", d.code.name, d.pointer, d.message)).collect();
    list.join("; ")
}

#[test]
fn definitions_that_aws_ran_are_accepted() {
    let Some(cases) = cases("aws-recorded.jsonl") else { return };
    let (mut total, mut refused) = (0, Vec::new());
    for case in &cases {
        if !matches!(text(case, "kind"), "execution" | "choice" | "express_sync") {
            continue;
        }
        let Some(compiled) = compile(case) else { continue };
        total += 1;
        if compiled.machine.is_none() {
            refused.push(format!("{}: {}", text(case, "name"), reasons(&compiled)));
        }
    }
    println!("{total} definitions that ran on AWS, {} refused", refused.len());
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

#[test]
fn definitions_that_aws_refused_are_refused() {
    let Some(cases) = cases("aws-recorded.jsonl") else { return };
    let (mut total, mut missed) = (0, Vec::new());
    let (mut texts, mut equal) = (0, Vec::new());
    for case in cases.iter().filter(|case| text(case, "kind") == "create_error") {
        let Some(compiled) = compile(case) else { continue };
        total += 1;
        if compiled.machine.is_some() {
            missed.push(text(case, "name").to_string());
        }
        let expected = case.get("expected").and_then(|e| e.get("Error")).map_or("", |error| text(error, "Message"));
        // The other messages have the wording of the emulator that stores the recordings.
        if expected.starts_with("Invalid State Machine Definition") {
            texts += 1;
            let given = asl::answer::create_error(&compiled).unwrap_or_default();
            if given != expected {
                equal.push(format!("{}: {given}", text(case, "name")));
            }
        }
    }
    println!("{total} refused on AWS, missed: {missed:?}; {} of {texts} texts equal", texts - equal.len());
    assert!(missed.len() * 20 <= total, "{missed:?}");
    assert!(equal.is_empty(), "{}", equal.join("\n"));
}

#[test]
fn validation_responses_equal_those_of_aws() {
    let Some(cases) = cases("aws-recorded.jsonl") else { return };
    let (mut total, mut wrong) = (0, Vec::new());
    for case in cases.iter().filter(|case| text(case, "kind") == "validate") {
        let Some(compiled) = compile(case) else { continue };
        total += 1;
        let answer = asl::answer::validate_response(&compiled, Severity::Error, 0);
        for name in ["result", "diagnostics", "truncated"] {
            let expected = case.get("expected").and_then(|e| e.get(name));
            if answer.get(name) != expected {
                wrong.push(format!("{}: {name} is {answer}, AWS gave {expected:?}", text(case, "name")));
            }
        }
    }
    println!("{total} answers");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn diagnostics_of_the_definition_suite() {
    let Some(cases) = cases("definitions.jsonl") else { return };
    let (mut total, mut wrong, mut jsonata, mut refused) = (0, Vec::new(), Vec::new(), Vec::new());
    for case in &cases {
        let Some(compiled) = compile(case) else { continue };
        let valid = case.get("valid") == Some(&Value::Bool(true));
        let source = case.get("definition").map(Value::to_string).unwrap_or_default();
        let in_jsonata = source.contains("JSONata\"");
        total += usize::from(!in_jsonata);
        if valid == compiled.machine.is_some() {
            continue;
        }
        if valid {
            refused.push(format!("{}: {}", text(case, "name"), reasons(&compiled)));
        }
        let line = format!("{} (valid: {valid}): {}", text(case, "name"), reasons(&compiled));
        if in_jsonata { jsonata.push(line) } else { wrong.push(line) }
    }
    println!("{total} definitions in JSONPath, {} judged otherwise; in JSONata judged otherwise: {jsonata:#?}", wrong.len());
    assert!(refused.is_empty(), "{}", refused.join("\n"));
    assert!(wrong.len() * 100 <= total * 3, "{}", wrong.join("\n"));
}
