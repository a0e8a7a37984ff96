//! Payload templates: a JSON value whose members ending in `.$` are computed (spec §2.3).

use super::{Env, EvalError, Scope, SyntaxError};
use crate::base::{Pointer, Value};
use std::sync::Arc;

/// A compiled payload template.
#[derive(Clone, Debug)]
pub struct Template {}

/// What is wrong in a template, and where.
#[derive(Clone, Debug)]
pub struct TemplateProblem {
    /// The member, relative to the template.
    pub pointer: Pointer,
    /// The member's name as written, `x.$`.
    pub field: Arc<str>,
    /// What is wrong; the offset is inside the member's string.
    pub error: SyntaxError,
    /// Whether the member clashes with a sibling after its `.$` is dropped.
    pub duplicate: bool,
}

impl Template {
    /// Compiles a template; all problems at once.
    pub fn compile(_value: &Value) -> Result<Template, Vec<TemplateProblem>> {
        todo!()
    }
    /// Whether any member reads the Context Object.
    pub fn uses_context(&self) -> bool {
        todo!()
    }
    /// The names of the variables it reads.
    pub fn variables(&self) -> Vec<Arc<str>> {
        todo!()
    }
    /// The payload.
    pub fn eval(&self, _scope: &Scope<'_>, _env: &mut Env<'_>) -> Result<Value, EvalError> {
        todo!()
    }
}
