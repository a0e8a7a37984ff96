//! What is thrown into JavaScript.

use super::convert::to_js;
use serde::Serialize;
use std::fmt::Display;
use wasm_bindgen::JsValue;

#[derive(Serialize)]
struct Thrown<'a> {
    code: &'a str,
    message: String,
}

/// `{code, message}`.
pub(super) fn thrown(code: &str, message: impl Display) -> JsValue {
    to_js(&Thrown { code, message: message.to_string() })
}

/// Something that should be JSON text is not.
pub(super) fn not_json(error: &crate::base::json::JsonError) -> JsValue {
    thrown("NOT_JSON", format_args!("{} at offset {}", error.message, error.offset))
}
