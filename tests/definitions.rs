//! Tests our own corpus of definitions: the diagnostics of each, that there is a case for every code, and that each diagnostic
//! has a location in the text.
//!
//! `tests/corpus/definitions/*.json` are lists of cases: `{"name", "text" | "definition", "kind", "expect": [{"code",
//! "pointer"}], …}`. `expect` lists all diagnostics in any order; `fixed` is the text after the fix; `aws` is the complete
//! error text of `CreateStateMachine`; `nest` and `pad` generate definitions that are too long for a file: this number of
//! nested Map states, or of characters. `UPDATE_DOCS=1` rewrites `docs/errors.md`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use stepglass::asl::{self, CompileOptions, Compiled, MachineType, codes};
use stepglass::base::diag::{Part, Severity, Style, render};
use stepglass::base::{Value, json};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

struct Case {
    name: String,
    text: String,
    options: CompileOptions,
    expect: Vec<(String, String)>,
    fixed: Option<String>,
    aws: Option<String>,
}

fn cases() -> Vec<Case> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(root().join("tests/corpus/definitions"))
        .expect("the corpus is there")
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    paths.sort();
    paths.iter().flat_map(|path| cases_of(path)).collect()
}

fn cases_of(path: &Path) -> Vec<Case> {
    let text = std::fs::read_to_string(path).expect("a readable file");
    let list = json::parse(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let string = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).map(str::to_string);
    let file = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    list.as_array()
        .expect("a list of cases")
        .iter()
        .map(|case| {
            const KNOWN: [&str; 9] = ["name", "text", "definition", "nest", "pad", "kind", "expect", "fixed", "aws"];
            for (key, _) in case.as_object().expect("an object").iter() {
                assert!(KNOWN.contains(&&**key), "{file}: unknown member {key}");
            }
            let name = format!("{file}: {}", string(case, "name").expect("a name"));
            let number = |name: &str| case.get(name).and_then(Value::as_i64);
            let text = match (string(case, "text"), number("nest"), number("pad")) {
                (Some(text), _, _) => text,
                (_, Some(levels), _) => nested(levels),
                (_, _, Some(length)) => padded(length as usize),
                _ => case.get("definition").expect("text or definition").to_string(),
            };
            let kind =
                if string(case, "kind").as_deref() == Some("EXPRESS") { MachineType::Express } else { MachineType::Standard };
            let expect = case.get("expect").and_then(Value::as_array).unwrap_or_default();
            let expect =
                expect.iter().map(|one| (string(one, "code").expect("a code"), string(one, "pointer").expect("a pointer")));
            Case {
                name,
                text,
                options: kind.into(),
                expect: expect.collect(),
                fixed: string(case, "fixed"),
                aws: string(case, "aws"),
            }
        })
        .collect()
}

/// Returns a machine with this number of characters.
fn padded(length: usize) -> String {
    let machine = |comment: &str| format!(r#"{{"StartAt":"S","States":{{"S":{{"Type":"Succeed","Comment":"{comment}"}}}}}}"#);
    machine(&"é".repeat(length - machine("").len()))
}

/// Returns this number of nested Map states.
fn nested(levels: i64) -> String {
    let mut inner = r#"{"StartAt":"S","States":{"S":{"Type":"Succeed"}}}"#.to_string();
    for level in 0..levels {
        inner = format!(r#"{{"StartAt":"M{level}","States":{{"M{level}":{{"Type":"Map","ItemProcessor":{inner},"End":true}}}}}}"#);
    }
    inner
}

fn found(compiled: &Compiled) -> Vec<(String, String)> {
    compiled.diagnostics.iter().map(|d| (d.code.name.to_string(), d.pointer.to_string())).collect()
}

#[test]
fn each_definition_has_its_expected_diagnostics() {
    let mut wrong = Vec::new();
    for case in cases() {
        let compiled = asl::compile(&case.text, &case.options);
        let (mut given, mut expected) = (found(&compiled), case.expect.clone());
        given.sort();
        expected.sort();
        if given != expected {
            wrong.push(format!("{}\n  expected {expected:?}\n  given    {given:?}", case.name));
        }
        let failed = compiled.diagnostics.iter().any(|d| d.severity == Severity::Error);
        assert_eq!(compiled.machine.is_none(), failed, "{}: a machine exactly when there is no error", case.name);
        if let Some(aws) = &case.aws {
            let given = asl::answer::create_error(&compiled).unwrap_or_default();
            if given != *aws {
                wrong.push(format!("{}\n  AWS says {aws}\n  given    {given}", case.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_code_has_a_case() {
    let seen: BTreeSet<String> = cases().into_iter().flat_map(|case| case.expect).map(|(code, _)| code).collect();
    let missing: Vec<&str> = codes::CODES.iter().map(|code| code.name).filter(|name| !seen.contains(*name)).collect();
    assert!(missing.is_empty(), "no case for {missing:?}");
}

#[test]
fn every_diagnostic_has_a_location_in_the_text() {
    for case in cases() {
        let compiled = asl::compile(&case.text, &case.options);
        let Ok(located) = json::parse_located(&case.text) else { continue };
        for diagnostic in &compiled.diagnostics {
            let at = format!("{}: {} {}", case.name, diagnostic.code.name, diagnostic.pointer);
            assert!(located.find(diagnostic.pointer.as_str()).is_some(), "{at}");
            let span = diagnostic.span.unwrap_or_else(|| panic!("{at}: no span"));
            assert!(case.text.get(span.range()).is_some(), "{at}: {span:?}");
            for label in &diagnostic.labels {
                assert!(label.span.is_some_and(|span| case.text.get(span.range()).is_some()), "{at}: label {label:?}");
            }
        }
        // Without a text, diagnostics have pointers and no spans, and are otherwise equal.
        let value = json::parse(&case.text).expect("parsed before");
        let bare = asl::compile_value(&value, &case.options);
        let spanless = compiled.diagnostics.iter().filter(|d| !matches!(d.part, Part::Range(_)));
        assert_eq!(bare.diagnostics.len(), spanless.count(), "{}", case.name);
    }
}

#[test]
fn a_fix_removes_its_problem() {
    for case in cases() {
        let compiled = asl::compile(&case.text, &case.options);
        for diagnostic in &compiled.diagnostics {
            let Some(fix) = &diagnostic.fix else { continue };
            let span = fix.span.unwrap_or_else(|| panic!("{}: the fix has no place", case.name));
            let mut text = case.text.clone();
            text.replace_range(span.range(), &fix.replacement);
            if let Some(fixed) = &case.fixed {
                assert_eq!(text, *fixed, "{}", case.name);
            }
            let after = asl::compile(&text, &case.options);
            assert!(json::parse(&text).is_ok(), "{}: {text}", case.name);
            let same =
                |d: &&stepglass::base::diag::Diagnostic| d.code.name == diagnostic.code.name && d.pointer == diagnostic.pointer;
            assert!(after.diagnostics.iter().find(same).is_none(), "{}: still there after {text}", case.name);
        }
    }
}

#[test]
fn diagnostics_are_printed_like_those_of_a_compiler() {
    let text = "{\n  \"StartAt\": \"Pack\",\n  \"States\": {\n    \"Pack\": { \"Type\": \"Pass\", \"Next\": \"Shp\" },\n    \"Ship\": { \"Type\": \"Succeed\" }\n  }\n}\n";
    let compiled = asl::compile(text, &CompileOptions::default());
    let printed = render(&compiled.diagnostics, text, "order.asl.json", Style::default());
    let expected = "\
error[unknown-target]: there is no state `Shp` here
 --> order.asl.json:4:39
  |
4 |     \"Pack\": { \"Type\": \"Pass\", \"Next\": \"Shp\" },
  |                                       ^^^^^
  = help: did you mean `\"Next\": \"Ship\"`?

";
    assert_eq!(printed, expected);
    let colored = render(&compiled.diagnostics, text, "order.asl.json", Style { color: true });
    assert!(colored.contains("\u{1b}[1;31m") && colored.contains("\u{1b}[0m"));
}

#[test]
fn carets_are_below_wide_characters_marks_and_tabs() {
    for (before, columns) in [("cafe\u{301}", 4), ("注文", 4), ("👩\u{200d}🚀👍🏽", 4), ("\t\u{1b}", 2), ("ｶﾅ", 2), ("한글", 4)]
    {
        let name = if before.starts_with('\t') { "x" } else { "出荷é" };
        let text = format!(
            "{{ \"StartAt\": \"A\", \"{before}\": 1, \"States\": {{ \"A\": {{ \"Type\": \"Pass\", \"Next\": \"{name}\" }} }} }}"
        );
        let compiled = asl::compile(&text, &CompileOptions::default());
        let printed = render(&compiled.diagnostics, &text, "m.json", Style::default());
        assert!(!printed.contains('\u{1b}') && !printed.contains('\t'), "{printed}");
        let lines: Vec<&str> = printed.lines().collect();
        // Control characters are not valid in JSON: their location is underlined by the parser, others by the target or the
        // field.
        let carets = lines.iter().position(|line| line.trim_start_matches([' ', '|']).starts_with('^'));
        let underline = lines[carets.expect("an underline")];
        let shown = underline.find('^').expect("a caret") - "1 | ".len();
        let expected = match underline.matches('^').count() {
            7 => r#"{ "StartAt": "A", ""#.len() + columns + r#"": 1, "States": { "A": { "Type": "Pass", "Next": "#.len(),
            count => {
                assert!(before.starts_with('\t') || count == columns + 2, "{printed}");
                r#"{ "StartAt": "A", "#.len() + usize::from(before.starts_with('\t'))
            }
        };
        assert_eq!(shown, expected, "{printed}");
    }
}

#[test]
fn the_documentation_of_errors_is_up_to_date() {
    let path = root().join("docs/errors.md");
    let text = codes::documentation();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &text).expect("docs can be written");
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == text, "docs/errors.md is stale: run `UPDATE_DOCS=1 cargo test --test definitions documentation`");
}
