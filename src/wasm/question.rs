//! Evaluates questions of a debugger's user.

use super::convert;
use super::engine::millis;
use super::error::not_json;
use crate::base::{Rng, Value, json};
use crate::expr::question::{self, Dialect};
use crate::expr::{Env, Scope};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

/// Evaluates a question in JSONata, JSONPath or as a payload template. The values come as JSON texts. Returns `{value}`,
/// `{nothing: true}` or `{message, code?, offset?}` as JSON text, with the offset in bytes.
#[wasm_bindgen]
pub fn ask(dialect: &str, question: &str, input: &str, context: &str, variables: &str, now: f64) -> Result<String, JsValue> {
    let dialect = match dialect {
        "jsonpath" => Dialect::JsonPath,
        "template" => Dialect::Template,
        _ => Dialect::Jsonata,
    };
    let (input, context, variables) = (parse(input)?, parse(context)?, question::bindings(&parse(variables)?));
    let scope = Scope { input: &input, context: &context, variables: &variables };
    let mut rng = Rng::new(0);
    let answer = question::ask(dialect, question, &scope, &mut Env { now: millis(now), rng: &mut rng });
    Ok(convert::answer_text(&answer))
}

fn parse(text: &str) -> Result<Value, JsValue> {
    json::parse(text).map_err(|error| not_json(&error))
}
