//! The corpus: every rule of the language is a case that runs in virtual time. `tests/corpus/README.md` describes the format.
//!
//! Every case also runs with a restore from its snapshot's text after each step, and as a replay of its journal.
//! `UPDATE_EXPECT=1` writes the results into the files; `CORPUS=word` runs only cases whose file or name contains the word.

#[path = "corpus/case.rs"]
mod case;
#[path = "corpus/judge.rs"]
mod judge;
#[path = "corpus/layout.rs"]
mod layout;

use std::path::PathBuf;
use stepglass::base::{Value, json};

#[test]
fn every_case_has_its_expected_result() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/executions");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let update = std::env::var("UPDATE_EXPECT").is_ok_and(|value| value == "1");
    let only = std::env::var("CORPUS").unwrap_or_default();
    let (mut run, mut problems) = (0, Vec::new());
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let file_name = file.file_name().unwrap().to_string_lossy().to_string();
        let parsed = json::parse(&text).unwrap_or_else(|error| panic!("{file_name}: {error}"));
        let mut cases = parsed.as_array().unwrap_or_else(|| panic!("{file_name} holds no array")).to_vec();
        let mut names = Vec::new();
        for value in &mut cases {
            let case = case::Case::read(value).unwrap_or_else(|problem| panic!("{file_name}: {problem}"));
            assert!(!names.contains(&case.name), "{file_name}: two cases are called {:?}", case.name);
            names.push(case.name.clone());
            if !(only.is_empty() || file_name.contains(&only) || case.name.contains(&only)) {
                continue;
            }
            run += 1;
            let verdict = judge::judge(&case);
            if update && verdict.mismatches.iter().any(|mismatch| mismatch.rewritable) {
                let mut members = value.as_object().cloned().unwrap();
                members.insert("expect", verdict.found);
                *value = Value::from(members);
            }
            for mismatch in verdict.mismatches.iter().filter(|mismatch| !(update && mismatch.rewritable)) {
                problems.push(format!("{file_name}: {}: {}", case.name, mismatch.text));
            }
        }
        if update {
            std::fs::write(&file, layout::file(&cases)).unwrap();
        }
    }
    println!("{run} cases");
    assert!(run > 0, "no case was run");
    assert!(problems.is_empty(), "{} problems\n{}", problems.len(), problems.join("\n"));
}
