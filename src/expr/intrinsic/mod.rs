//! Intrinsic functions, `States.Format('…', $.a)`.

use super::{Env, EvalError, Scope, SyntaxError};
use crate::base::Value;
use std::sync::Arc;

/// A compiled call.
#[derive(Clone, Debug)]
pub struct Call {
    text: Arc<str>,
}

impl Call {
    /// Compiles a call.
    pub fn parse(_text: &str) -> Result<Call, SyntaxError> {
        todo!()
    }
    /// The text as written.
    pub fn text(&self) -> &str {
        &self.text
    }
    /// Whether any argument, at any depth, reads the Context Object.
    pub fn uses_context(&self) -> bool {
        todo!()
    }
    /// The names of the variables it reads, in order of appearance, with repeats.
    pub fn variables(&self) -> Vec<Arc<str>> {
        todo!()
    }
    /// The value of the call.
    pub fn eval(&self, _scope: &Scope<'_>, _env: &mut Env<'_>) -> Result<Value, EvalError> {
        todo!()
    }
}
