//! JSONata 2.0.6, the language of `{% … %}`.

use super::{Env, SyntaxError};
use crate::base::Value;
use std::sync::Arc;

/// A compiled JSONata expression.
#[derive(Clone, Debug)]
pub struct Expression {
    text: Arc<str>,
}

/// An error of parsing or evaluation, with JSONata's own code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonataError {
    /// `T2001`, `S0202`, `D3137` …
    pub code: &'static str,
    /// The message in the words of the reference implementation.
    pub message: String,
    /// Byte offset in the expression's text.
    pub offset: usize,
}

impl JsonataError {
    /// Whether evaluation ended with a function, which is no JSON value.
    pub fn is_function_result(&self) -> bool {
        false
    }
}

impl Expression {
    /// Compiles an expression (without its `{%` and `%}`).
    pub fn parse(_text: &str) -> Result<Expression, JsonataError> {
        Err(JsonataError { code: "S0000", message: "JSONata is not supported yet".into(), offset: 0 })
    }
    /// The text as written.
    pub fn text(&self) -> &str {
        &self.text
    }
    /// The value; `None` is JSONata's undefined. `bindings` answers for `$name`.
    pub fn evaluate(
        &self,
        _input: &Value,
        _bindings: &dyn Fn(&str) -> Option<Value>,
        _env: &mut Env<'_>,
    ) -> Result<Option<Value>, JsonataError> {
        Err(JsonataError { code: "S0000", message: "JSONata is not supported yet".into(), offset: 0 })
    }
}

/// For code that reports both kinds of expression alike.
impl From<JsonataError> for SyntaxError {
    fn from(error: JsonataError) -> SyntaxError {
        SyntaxError { message: error.message, offset: error.offset }
    }
}
