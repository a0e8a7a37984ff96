//! The rules of the sources that no compiler checks: floors, forbidden items, invariants, names, sizes, versions.
//!
//! A rule that fails prints all violations at once.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The floors. A module imports only from lower ones and itself. `graph` is on the same floor as the engine and does not import
/// it.
const FLOORS: &[(&str, &[&str])] = &[
    ("base", &[]),
    ("expr", &["base"]),
    ("asl", &["base", "expr"]),
    ("engine", &["base", "expr", "asl"]),
    ("graph", &["base", "expr", "asl"]),
    ("sim", &["base", "expr", "asl", "engine"]),
    ("wasm", &["base", "expr", "asl", "engine", "graph", "sim"]),
];

/// Items that the core must not use: time, entropy, threads and output are arguments or results, and nothing may be visited in
/// an order that differs from run to run.
const FORBIDDEN: &[(&str, &str)] = &[
    ("std::time", "the clock is an argument"),
    ("SystemTime", "the clock is an argument"),
    ("Instant::now", "the clock is an argument"),
    ("HashMap<", "its order differs from run to run: use BTreeMap, IdVec or base::Map"),
    ("HashMap::", "its order differs from run to run: use BTreeMap, IdVec or base::Map"),
    ("HashSet<", "its order differs from run to run: use BTreeSet"),
    ("HashSet::", "its order differs from run to run: use BTreeSet"),
    ("println!", "the core prints nothing"),
    ("eprintln!", "the core prints nothing"),
    ("dbg!", "the core prints nothing"),
    ("std::thread", "the core has no threads"),
    ("std::fs", "the core reads no files"),
    ("std::env::", "the core has no environment"),
    ("std::net", "the core has no network"),
    ("rand::", "randomness comes from base::rng, seeded by the host"),
];

/// Calls that would end a user's process: a panic traps the whole WebAssembly instance.
const PANICS: &[&str] =
    &[".unwrap()", ".expect(", "panic!(", "unreachable!(", "todo!(", "unimplemented!(", "assert!(", "assert_eq!("];

#[test]
fn floors_import_downwards() {
    let mut wrong = Vec::new();
    for file in sources("src") {
        let Some(floor) = floor(&file.path) else { continue };
        let allowed = FLOORS.iter().find(|(name, _)| *name == floor).map(|(_, below)| *below);
        let Some(below) = allowed else {
            wrong.push(format!("{}: `{floor}` has no floor: add it to FLOORS", file.path));
            continue;
        };
        for (number, line) in file.code() {
            for target in crate_paths(line) {
                let known = FLOORS.iter().any(|(name, _)| *name == target);
                if known && target != floor && !below.contains(&target) {
                    wrong.push(format!("{}:{number}: `{floor}` imports `{target}`, which lies not below it", file.path));
                }
            }
        }
    }
    report(wrong);
}

#[test]
fn the_core_uses_no_clock_entropy_or_io() {
    let mut wrong = Vec::new();
    for file in core() {
        for (number, line) in file.code() {
            for (what, why) in FORBIDDEN {
                if starts_word(line, what) {
                    wrong.push(format!("{}:{number}: `{}`: {why}", file.path, what.trim_end()));
                }
            }
        }
    }
    report(wrong);
}

#[test]
fn calls_that_could_panic_have_an_invariant() {
    let mut wrong = Vec::new();
    for file in core() {
        let lines: Vec<&str> = file.text.lines().collect();
        for (number, line) in file.code() {
            // `expect` of a parser returns an error.
            let line = line.replace("self.expect(", "");
            let Some(what) = PANICS.iter().find(|what| starts_word(&line, what)) else { continue };
            // The comment with the invariant is above the statement, or above its first line.
            let proven = lines[..number].iter().rev().take(8).any(|line| line.trim_start().starts_with("// Invariant:"));
            if !proven {
                wrong.push(format!("{}:{number}: `{what}` without a line `// Invariant:` above", file.path));
            }
        }
    }
    report(wrong);
}

#[test]
fn files_are_short_named_and_documented() {
    let mut wrong = Vec::new();
    for file in ["src", "tests", "xtask/src", "examples"].iter().flat_map(|folder| sources(folder)) {
        let lines = file.text.lines().count();
        if lines > 800 {
            wrong.push(format!("{}: {lines} lines; divide it by concept", file.path));
        }
        let stem = Path::new(&file.path).file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        if ["utils", "util", "helpers", "helper", "common", "misc", "manager"].contains(&stem) {
            wrong.push(format!("{}: name the file after what it holds", file.path));
        }
        if !file.text.starts_with("//!") {
            wrong.push(format!("{}: begins without `//!` that says what it is for", file.path));
        }
    }
    report(wrong);
}

#[test]
fn versions_agree() {
    let (cargo, xtask) = (read("Cargo.toml"), read("xtask/Cargo.toml"));
    let bindgen = value(&cargo, "wasm-bindgen = \"=");
    assert_eq!(bindgen, value(&xtask, "wasm-bindgen-cli-support = \"="), "wasm-bindgen and its library are one pair");

    let crate_version = value(&cargo, "version = \"");
    assert_eq!(crate_version, value(&read("package.json"), "  \"version\": \""), "Cargo.toml and package.json");
    assert_eq!(crate_version, value(&read("package-lock.json"), "  \"version\": \""), "Cargo.toml and package-lock.json");
}

#[test]
fn the_lockfile_names_no_host() {
    let wrong = read("package-lock.json").lines().filter(|line| line.contains("\"resolved\"")).map(str::to_owned).collect();
    report(wrong);
}

#[test]
fn no_file_names_a_machine() {
    // The names are split, so that this file does not contain them.
    let folders = [["/ho", "me/"], ["/ro", "ot/"], ["/Use", "rs/"], ["C:\\\\Use", "rs"]].map(|parts| parts.concat());
    let here = format!("{}/", root().display());
    let mut wrong = Vec::new();
    for path in tracked() {
        let Ok(text) = fs::read_to_string(root().join(&path)) else { continue };
        for (index, line) in text.lines().enumerate() {
            let names = folders.iter().any(|folder| starts_path(line, folder)) || starts_path(line, &here);
            if names {
                wrong.push(format!("{path}:{}: names a folder of one machine: {}", index + 1, line.trim()));
            }
        }
    }
    report(wrong);
}

#[test]
fn binary_files_are_pictures_of_the_docs_an_icon_and_compressed_tables() {
    // A download that a command left behind is easily committed with the rest, and is then in every clone.
    let wrong = tracked()
        .into_iter()
        // A marketplace takes the icon of an extension as PNG only.
        .filter(|path| !path.starts_with("docs/images/") && path != "editors/vscode/icon.png")
        // The tables of AWS's services are compressed as a whole. `scripts/integrations.mjs` writes them.
        .filter(|path| !path.starts_with("js/core/integrations/tables/"))
        .filter(|path| fs::read(root().join(path)).is_ok_and(|bytes| std::str::from_utf8(&bytes).is_err()))
        .collect();
    report(wrong);
}

#[test]
fn the_rules_see_what_they_forbid() {
    let text = "use crate::{base::Value, sim};\n// x.unwrap()\nx.unwrap();\n#[cfg(test)]\nmod tests {\n    y.unwrap();\n}\nlet s = \"z.unwrap()\";\n";
    let file = Source { path: "src/base/x.rs".to_owned(), text: text.to_owned() };
    let lines: Vec<usize> = file.code().iter().map(|(number, _)| *number).collect();
    assert_eq!(lines, [1, 3, 8]);
    assert_eq!(crate_paths(file.code()[0].1), ["base", "sim"]);
    assert_eq!(crate_paths("pub(in crate::asl) fn f(x: &crate::wasm::Y, z: $crate::sim)"), ["asl", "wasm"]);
    assert!(starts_word(file.code()[1].1, ".unwrap()"));
    assert!(!starts_word(file.code()[2].1, ".unwrap()"));
    assert!(starts_word("eprintln!()", "eprintln!") && !starts_word("eprintln!()", "println!"));
    assert_eq!((floor("src/graph/svg.rs"), floor("src/lib.rs")), (Some("graph"), None));
}

/// A source file, with its path relative to the root.
struct Source {
    path: String,
    text: String,
}

impl Source {
    /// Returns the numbered lines (from 1) without comments, the contents of strings and items under `#[cfg(test)]`.
    fn code(&self) -> Vec<(usize, &str)> {
        let mut code = Vec::new();
        let mut skipped: Option<usize> = None;
        let mut pending = false;
        for (index, line) in self.text.lines().enumerate() {
            let trimmed = line.trim_start();
            let indent = line.len() - trimmed.len();
            if let Some(outer) = skipped {
                // rustfmt aligns the closing brace of an item with its first letter.
                if indent == outer && trimmed.starts_with('}') {
                    skipped = None;
                }
                continue;
            }
            if trimmed.starts_with("#[cfg(test)]") || trimmed.starts_with("#[test]") {
                pending = true;
                continue;
            }
            if pending && !trimmed.starts_with("#[") {
                pending = false;
                if !trimmed.ends_with(';') && !trimmed.ends_with('}') {
                    skipped = Some(indent);
                }
                continue;
            }
            if !trimmed.starts_with("//") {
                code.push((index + 1, line.split(" // ").next().unwrap_or(line)));
            }
        }
        code
    }
}

/// Returns the files of the floors below the interface to JavaScript, without tests.
fn core() -> Vec<Source> {
    let mut files = sources("src");
    files.retain(|file| floor(&file.path) != Some("wasm"));
    files
}

/// Returns the Rust files of a folder, without modules that contain only tests.
fn sources(folder: &str) -> Vec<Source> {
    let mut files = Vec::new();
    collect(&root().join(folder), &mut files);
    files.sort();
    let test_modules = folder == "src";
    files
        .into_iter()
        .map(|path| path.strip_prefix(root()).expect("below the root").to_string_lossy().replace('\\', "/"))
        .filter(|path| !test_modules || !(path.contains("/tests/") || path.ends_with("/tests.rs") || path.ends_with("_tests.rs")))
        .map(|path| Source { text: read(&path), path })
        .collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries {
        let path = entry.expect("a readable folder").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// Returns the first module of a path below `src`; `None` for the crate's own file.
fn floor(path: &str) -> Option<&str> {
    let inner = path.strip_prefix("src/")?;
    let first = inner.split('/').next()?;
    let name = first.strip_suffix(".rs").unwrap_or(first);
    (name != "lib").then_some(name)
}

/// Returns the modules that a line imports through `crate::`, also as `crate::{a::x, b}`.
fn crate_paths(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for (at, _) in line.match_indices("crate::") {
        // `$crate::` and `mycrate::` refer to other crates.
        if line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$') {
            continue;
        }
        let rest = &line[at + "crate::".len()..];
        match rest.strip_prefix('{') {
            Some(group) => {
                found.extend(group.split([',', '}']).map(|part| word(part.trim_start())).filter(|part| !part.is_empty()))
            }
            None => found.push(word(rest)),
        }
    }
    found
}

fn word(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    &text[..end]
}

/// Whether a line contains the text at the beginning of a word, outside of a string.
fn starts_word(line: &str, what: &str) -> bool {
    line.match_indices(what).any(|(at, _)| {
        let before = &line[..at];
        let inside = before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let quoted = before.replace("\\\"", "").matches('"').count() % 2 == 1;
        (!inside || what.starts_with('.')) && !quoted
    })
}

/// Whether a line contains an absolute path of a folder, which is not a part of another path or address.
fn starts_path(line: &str, folder: &str) -> bool {
    line.match_indices(folder).any(|(at, _)| !line[..at].ends_with(|c: char| c.is_alphanumeric() || "_.-/*}".contains(c)))
}

/// Returns the text between the first occurrence of `before` at the start of a line and the next quote.
fn value<'a>(text: &'a str, before: &str) -> &'a str {
    let line = text.lines().find_map(|line| line.strip_prefix(before)).unwrap_or_else(|| panic!("no line begins with {before}"));
    line.split('"').next().unwrap_or_default()
}

/// The files of the repository, as git lists them.
fn tracked() -> Vec<String> {
    let list =
        Command::new("git").args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]).current_dir(root()).output();
    let Ok(list) = list else { return Vec::new() };
    String::from_utf8_lossy(&list.stdout).split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn report(wrong: Vec<String>) {
    assert!(wrong.is_empty(), "{} places:\n{}", wrong.len(), wrong.join("\n"));
}
