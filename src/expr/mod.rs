//! Floor 1: pure expressions over [`Value`]. They do not depend on the engine, on states or on a clock.

mod budget;
pub mod intrinsic;
pub mod jsonata;
pub mod path;
pub mod question;
mod regex;
pub mod syntax;
pub mod template;

use crate::base::{Map, Millis, Rng, Value};
use std::fmt;

/// The values that an expression can read.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    /// `$`: the value that the field reads.
    pub input: &'a Value,
    /// `$$`: the Context Object.
    pub context: &'a Value,
    /// `$name`: the workflow variables in scope, including those of outer scopes.
    pub variables: &'a Map,
}

/// The execution's clock and random numbers for an expression.
pub struct Env<'a> {
    /// The time of this step.
    pub now: Millis,
    /// The execution's seeded random number generator.
    pub rng: &'a mut Rng,
}

/// The reason why an expression has no value, in AWS's words, without the prefix that names the state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvalError {
    /// The text of `Cause`.
    pub cause: String,
    /// Where in a payload template it arose. `None` for an error of a path by itself.
    pub origin: Option<Box<ErrorOrigin>>,
}

/// The expression of a payload template that has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorOrigin {
    /// The JSON Pointer from the template, such as `/order/id.$`.
    pub pointer: String,
    /// The text of the path or the call.
    pub expression: String,
}

impl EvalError {
    /// Returns an error with this cause.
    pub fn new(cause: impl Into<String>) -> EvalError {
        EvalError { cause: cause.into(), origin: None }
    }

    /// Adds the text of the expression.
    #[cold]
    fn of(mut self, expression: &str) -> EvalError {
        self.origin = Some(Box::new(ErrorOrigin { pointer: String::new(), expression: expression.into() }));
        self
    }

    /// Adds a step of the pointer, from the inside out.
    #[cold]
    fn inside(mut self, step: fmt::Arguments<'_>) -> EvalError {
        if let Some(origin) = &mut self.origin {
            origin.pointer.insert_str(0, &format!("/{step}"));
        }
        self
    }
}

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.cause)
    }
}

impl std::error::Error for EvalError {}

/// The reason why a text is not an expression, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// What is wrong, as a sentence without the location.
    pub message: String,
    /// The byte offset in the expression's text.
    pub offset: usize,
}

impl SyntaxError {
    /// Returns an error at a byte offset of the expression.
    pub fn new(message: impl Into<String>, offset: usize) -> SyntaxError {
        SyntaxError { message: message.into(), offset }
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (at offset {})", self.message, self.offset)
    }
}

impl std::error::Error for SyntaxError {}
