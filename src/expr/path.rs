//! Paths in AWS's dialect of JSONPath (Jayway), compiled once; Reference Paths, which also write.

use super::{EvalError, Scope, SyntaxError};
use crate::base::Value;
use std::sync::Arc;

/// What a path starts from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Root {
    /// `$`
    Input,
    /// `$$`
    Context,
    /// `$name`
    Variable(Arc<str>),
}

/// A compiled Path.
#[derive(Clone, Debug)]
pub struct Path {
    text: Arc<str>,
    root: Root,
}

impl Path {
    /// Compiles a Path.
    pub fn parse(_text: &str) -> Result<Path, SyntaxError> {
        todo!()
    }
    /// The text as written.
    pub fn text(&self) -> &str {
        &self.text
    }
    /// What it starts from.
    pub fn root(&self) -> &Root {
        &self.root
    }
    /// Whether it names at most one node: only names and single indexes.
    pub fn is_definite(&self) -> bool {
        todo!()
    }
    /// The selected value; `Err` says what is missing.
    pub fn eval(&self, _scope: &Scope<'_>) -> Result<Value, Missing> {
        todo!()
    }
}

/// What a path did not find. `Display` prints AWS's words for InputPath: `No results for path: $['X']` or
/// `Missing property in path $['no']`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// The normalized path down to what is missing, `$['a']['b']`.
    pub path: String,
    /// Whether the missing node is the last step.
    pub leaf: bool,
    /// Whether only an array index is out of range.
    pub index: bool,
}

/// A compiled Reference Path: names exactly one node, so it can also be written to.
#[derive(Clone, Debug)]
pub struct ReferencePath {
    path: Path,
}

impl ReferencePath {
    /// Compiles a Reference Path.
    pub fn parse(_text: &str) -> Result<ReferencePath, SyntaxError> {
        todo!()
    }
    /// For reading.
    pub fn path(&self) -> &Path {
        &self.path
    }
    /// `document` with `value` at this path; missing objects on the way are made.
    pub fn write(&self, _document: &Value, _value: Value) -> Result<Value, EvalError> {
        todo!()
    }
}
