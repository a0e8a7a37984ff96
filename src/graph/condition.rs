//! Formats Choice rules as text for an edge and its tooltip.

use crate::base::{Map, Value};
use std::fmt::Write;

/// Maximum depth to which `And`, `Or` and `Not` are written out.
const MAX_DEPTH: usize = 8;
/// Maximum length of the text, which is enough for a tooltip.
const MAX_LEN: usize = 400;

/// Returns the condition of a Choice rule, such as `$.total > 100 and not $.test = true`; empty if the rule has none.
pub(super) fn describe(rule: &Value) -> String {
    let mut out = String::new();
    match rule.get("Condition") {
        Some(Value::String(text)) => out.push_str(&jsonata(text)),
        Some(other) => out.push_str(&other.to_string()),
        None => {
            if let Some(rule) = rule.as_object() {
                write_rule(&mut out, rule, 0);
            }
        }
    }
    out
}

/// Returns the expression between the marks, without the prefix that every expression has.
fn jsonata(text: &str) -> String {
    let text = text.trim();
    let inner = text.strip_prefix("{%").and_then(|t| t.strip_suffix("%}")).unwrap_or(text);
    inner.trim().replace("$states.input", "input").replace("$states.context", "context")
}

fn write_rule(out: &mut String, rule: &Map, depth: usize) {
    if out.len() > MAX_LEN || depth > MAX_DEPTH {
        out.push('…');
        return;
    }
    for (key, word) in [("And", " and "), ("Or", " or ")] {
        if let Some(parts) = rule.get(key).and_then(Value::as_array) {
            for (i, part) in parts.iter().enumerate() {
                if i > 0 {
                    out.push_str(word);
                }
                if out.len() > MAX_LEN {
                    out.push('…');
                    return;
                }
                let Some(part) = part.as_object() else { continue };
                let nested = part.contains_key("And") || part.contains_key("Or");
                out.push_str(if nested { "(" } else { "" });
                write_rule(out, part, depth + 1);
                out.push_str(if nested { ")" } else { "" });
            }
            return;
        }
    }
    if let Some(part) = rule.get("Not").and_then(Value::as_object) {
        let nested = part.contains_key("And") || part.contains_key("Or");
        out.push_str(if nested { "not (" } else { "not " });
        write_rule(out, part, depth + 1);
        out.push_str(if nested { ")" } else { "" });
        return;
    }
    let variable = rule.get("Variable").and_then(Value::as_str).unwrap_or("");
    for (key, value) in rule.iter() {
        if let Some(operator) = Operator::of(key) {
            operator.write(out, variable, value);
            return;
        }
    }
    out.push_str(variable);
}

/// The notation of a comparison.
enum Operator {
    /// `a < b`
    Infix(&'static str),
    /// `a is string`; the second text is used if the definition says `false`.
    Test(&'static str, &'static str),
}

impl Operator {
    fn of(key: &str) -> Option<Operator> {
        Some(match key {
            "IsNull" => Operator::Test("is null", "is not null"),
            "IsPresent" => Operator::Test("is present", "is absent"),
            "IsString" => Operator::Test("is a string", "is no string"),
            "IsNumeric" => Operator::Test("is a number", "is no number"),
            "IsBoolean" => Operator::Test("is a boolean", "is no boolean"),
            "IsTimestamp" => Operator::Test("is a timestamp", "is no timestamp"),
            "StringMatches" => Operator::Infix("matches"),
            _ => {
                let stem = key.strip_suffix("Path").unwrap_or(key);
                let compare = ["String", "Numeric", "Boolean", "Timestamp"].iter().find_map(|kind| stem.strip_prefix(kind))?;
                Operator::Infix(match compare {
                    "Equals" => "=",
                    "LessThan" => "<",
                    "GreaterThan" => ">",
                    "LessThanEquals" => "≤",
                    "GreaterThanEquals" => "≥",
                    _ => return None,
                })
            }
        })
    }

    fn write(&self, out: &mut String, variable: &str, value: &Value) {
        // Invariant: writing to a String cannot fail.
        let _ = match (self, value) {
            (Operator::Test(_, no), Value::Bool(false)) => write!(out, "{variable} {no}"),
            (Operator::Test(yes, _), _) => write!(out, "{variable} {yes}"),
            (Operator::Infix(sign), Value::String(text)) if text.starts_with('$') => write!(out, "{variable} {sign} {text}"),
            (Operator::Infix(sign), value) => write!(out, "{variable} {sign} {value}"),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json;

    #[test]
    fn rules_read_as_sentences() {
        for (rule, text) in [
            (r#"{"Variable":"$.total","NumericGreaterThan":100,"Next":"A"}"#, "$.total > 100"),
            (r#"{"Variable":"$.a","StringEquals":"x\"y"}"#, r#"$.a = "x\"y""#),
            (r#"{"Variable":"$.a","NumericLessThanEqualsPath":"$.b"}"#, "$.a ≤ $.b"),
            (r#"{"Variable":"$.a","IsPresent":false}"#, "$.a is absent"),
            (r#"{"Not":{"Variable":"$.a","IsNull":true},"Next":"B"}"#, "not $.a is null"),
            (
                r#"{"And":[{"Variable":"$.a","BooleanEquals":true},{"Or":[{"Variable":"$.b","StringMatches":"x*"},{"Variable":"$.c","IsString":true}]}]}"#,
                r#"$.a = true and ($.b matches "x*" or $.c is a string)"#,
            ),
            (r#"{"Condition":"{% $states.input.n > 3 %}"}"#, "input.n > 3"),
            (r#"{"Condition":true}"#, "true"),
            (r#"{"Next":"A"}"#, ""),
            ("7", ""),
        ] {
            assert_eq!(describe(&json::parse(rule).unwrap()), text);
        }
    }
}
