//! The tables that TypeScript reads are what the core says. `cargo xtask tables` writes them.

use std::path::Path;
use std::{env, fs};
use stepglass::asl::tables;
use stepglass::base::{Map, Value};
use stepglass::engine::EventType;

/// If this variable of the environment is set, the tests write the files.
const WRITE: &str = "STEPGLASS_WRITE_TABLES";

#[test]
fn the_fields_are_those_of_the_core() {
    same("js/core/definition/fields.json", &tables::fields());
}

#[test]
fn the_events_are_those_of_the_core() {
    let members = EventType::ALL.iter().map(|event| (event.name(), Value::from(event.details_member())));
    same("js/core/history/events.json", &Value::from(Map::from_iter(members)));
}

/// Compares a committed file with a table, or writes it.
fn same(file: &str, table: &Value) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let mut text = String::new();
    print(table, "", &mut text);
    text.push('\n');
    if env::var_os(WRITE).is_some() {
        return fs::write(&path, text).unwrap();
    }
    // A checkout on Windows may have other line ends.
    let committed = fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    assert!(committed == text, "{file} differs from the core's table: run `cargo xtask tables`");
}

/// Prints a table with a line for each row: an object of objects, or of texts, is spread over lines.
fn print(value: &Value, indent: &str, out: &mut String) {
    let Value::Object(members) = value else { return out.push_str(&value.to_string()) };
    let is_row = members.values().any(|member| !matches!(member, Value::Object(_)));
    if is_row && !indent.is_empty() {
        return out.push_str(&value.to_string());
    }
    out.push('{');
    let inner = format!("{indent}  ");
    for (index, (name, member)) in members.iter().enumerate() {
        out.push_str(if index == 0 { "\n" } else { ",\n" });
        out.push_str(&format!("{inner}{}: ", Value::from(&**name)));
        print(member, &inner, out);
    }
    out.push_str(&format!("\n{indent}}}"));
}
