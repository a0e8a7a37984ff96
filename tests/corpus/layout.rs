//! Formats JSON like the files of the corpus: a value that fits on one line is on one line.

use stepglass::base::Value;
use stepglass::base::json;

const WIDTH: usize = 120;

pub(crate) fn file(cases: &[Value]) -> String {
    let mut out = String::from("[\n");
    for (i, case) in cases.iter().enumerate() {
        out.push_str("  ");
        put(&mut out, case, 2, 0);
        out.push_str(if i + 1 < cases.len() { ",\n" } else { "\n" });
    }
    out.push_str("]\n");
    out
}

/// Writes a value that begins at a column; `after` characters follow it on its line.
fn put(out: &mut String, value: &Value, indent: usize, used: usize) {
    let mut line = String::new();
    inline(&mut line, value);
    let case = indent == 2;
    if !case && used + line.chars().count() < WIDTH {
        out.push_str(&line);
        return;
    }
    let inner = " ".repeat(indent + 2);
    match value {
        Value::Array(items) if !items.is_empty() => {
            out.push_str("[\n");
            for (i, item) in items.iter().enumerate() {
                out.push_str(&inner);
                put(out, item, indent + 2, indent + 2);
                out.push_str(if i + 1 < items.len() { ",\n" } else { "\n" });
            }
            out.push_str(&format!("{}]", " ".repeat(indent)));
        }
        Value::Object(members) if !members.is_empty() => {
            out.push_str("{\n");
            for (i, (key, member)) in members.iter().enumerate() {
                out.push_str(&inner);
                json::write_str(out, key);
                out.push_str(": ");
                put(out, member, indent + 2, indent + 4 + key.chars().count() + 2);
                out.push_str(if i + 1 < members.len() { ",\n" } else { "\n" });
            }
            out.push_str(&format!("{}}}", " ".repeat(indent)));
        }
        _ => out.push_str(&line),
    }
}

fn inline(out: &mut String, value: &Value) {
    match value {
        Value::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                out.push_str(if i > 0 { ", " } else { "" });
                inline(out, item);
            }
            out.push(']');
        }
        Value::Object(members) if members.is_empty() => out.push_str("{}"),
        Value::Object(members) => {
            out.push_str("{ ");
            for (i, (key, member)) in members.iter().enumerate() {
                out.push_str(if i > 0 { ", " } else { "" });
                json::write_str(out, key);
                out.push_str(": ");
                inline(out, member);
            }
            out.push_str(" }");
        }
        other => json::write(out, other),
    }
}
