//! Errors that are thrown into JavaScript.

use super::convert::parsed;
use crate::base::json;
use std::fmt::Display;
use wasm_bindgen::JsValue;

/// Returns `{code, message}`.
pub(super) fn thrown(code: &str, message: impl Display) -> JsValue {
    let mut text = format!("{{\"code\":\"{code}\",\"message\":");
    json::write_str(&mut text, &message.to_string());
    text.push('}');
    parsed(&text)
}

/// Returns the error for a text that should be JSON and is not.
pub(super) fn not_json(error: &json::JsonError) -> JsValue {
    thrown("NOT_JSON", format_args!("{} at offset {}", error.message, error.offset))
}
