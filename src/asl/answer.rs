//! The answers of `ValidateStateMachineDefinition` and `CreateStateMachine`, in AWS's wording.

use super::Compiled;
use crate::base::diag::{AwsText, Severity};
use crate::base::json::JsonError;
use crate::base::{Map, Value, span::position};

/// The number of diagnostics that AWS returns by default.
pub const MAX_RESULTS: usize = 100;

/// The response of `ValidateStateMachineDefinition`: `result` (`OK`, `FAIL`), `diagnostics` and `truncated`.
///
/// As in the API, findings that AWS does not make are left out, and warnings too unless `severity` asks for them. A
/// `max_results` of 0 means [`MAX_RESULTS`].
pub fn validate_response(compiled: &Compiled, severity: Severity, max_results: usize) -> Value {
    let limit = if max_results == 0 { MAX_RESULTS } else { max_results };
    let all: Vec<Value> = findings(compiled, severity)
        .map(|(severity, aws)| {
            let mut out = Map::new();
            out.insert("severity", if severity == Severity::Error { "ERROR" } else { "WARNING" });
            out.insert("code", aws.code);
            out.insert("message", aws.message.as_str());
            if let Some(location) = &aws.location {
                out.insert("location", location.as_str());
            }
            Value::from(out)
        })
        .collect();
    let mut response = Map::new();
    response.insert("result", if compiled.machine.is_some() { "OK" } else { "FAIL" });
    response.insert("truncated", all.len() > limit);
    response.insert("diagnostics", all.into_iter().take(limit).collect::<Vec<_>>());
    Value::from(response)
}

/// The message of the `InvalidDefinition` error of `CreateStateMachine`; `None` for a valid definition.
pub fn create_error(compiled: &Compiled) -> Option<String> {
    if compiled.machine.is_some() {
        return None;
    }
    let all: Vec<String> = findings(compiled, Severity::Error)
        .map(|(_, aws)| match (&aws.location, aws.code) {
            // The message about bad JSON already contains its location.
            (_, "INVALID_JSON_DESCRIPTION") => format!("{}: {}", aws.code, aws.message),
            (location, code) => format!("{code}: {} at {}", aws.message, location.as_deref().unwrap_or("null")),
        })
        .collect();
    Some(format!("Invalid State Machine Definition: '{}'", all.join(", ")))
}

fn findings(compiled: &Compiled, least: Severity) -> impl Iterator<Item = (Severity, &AwsText)> {
    let reported = compiled.diagnostics.iter().filter(move |diagnostic| diagnostic.severity >= least);
    reported.flat_map(|diagnostic| diagnostic.aws.iter().map(|aws| (diagnostic.severity, aws)))
}

/// Returns the message of the JSON parser behind AWS for a syntax error, and the location that it gives.
pub(super) fn jackson(text: &str, error: &JsonError) -> (String, String) {
    let rest = text.get(error.offset..).unwrap_or_default();
    let word: String = rest.chars().take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '$')).collect();
    let (what, at) = if rest.is_empty() {
        ("Unexpected end-of-input".to_string(), error.offset)
    } else if word.is_empty() || word.starts_with(|c: char| c.is_ascii_digit()) {
        let found = rest.chars().next().unwrap_or(' ');
        (format!("Unexpected character ('{found}' (code {})): {}", found as u32, error.message), error.offset + found.len_utf8())
    } else {
        let expected = "was expecting (JSON String, Number, Array, Object or token 'null', 'true' or 'false')";
        (format!("Unrecognized token '{word}': {expected}"), error.offset + word.len())
    };
    let place = position(text, at);
    let shown: String = text.chars().take(500).collect();
    let cut = match text.chars().count() {
        length if length > 500 => format!("[truncated {} chars]", length - 500),
        _ => String::new(),
    };
    let location = format!("[Source: (String)\"{shown}\"{cut}; line: {}, column: {}]", place.line, place.column);
    (format!("{what}\n at {location}"), location)
}
