//! Errors that are thrown into JavaScript.

use super::convert::parsed;
use crate::base::json;
use std::fmt::Display;
use wasm_bindgen::JsValue;

/// Returns `{code, message}`.
pub(super) fn thrown(code: &str, message: impl Display) -> JsValue {
    parsed(&(opened(code, message) + "}"))
}

/// Returns `{code, message}` with one more member.
pub(super) fn thrown_with(code: &str, message: impl Display, name: &str, value: &str) -> JsValue {
    let mut text = opened(code, message) + ",\"" + name + "\":";
    json::write_str(&mut text, value);
    text.push('}');
    parsed(&text)
}

/// Returns the text of the error without its closing bracket.
fn opened(code: &str, message: impl Display) -> String {
    let mut text = format!("{{\"code\":\"{code}\",\"message\":");
    json::write_str(&mut text, &message.to_string());
    text
}

/// Returns the error for a text that should be JSON and is not.
pub(super) fn not_json(error: &json::JsonError) -> JsValue {
    thrown("NOT_JSON", format_args!("{} at offset {}", error.message, error.offset))
}
