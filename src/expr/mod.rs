//! Floor 1: pure expressions over [`Value`]. No engine, no states, no clock of their own.

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

/// What an expression sees.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    /// `$`: the value that the field is applied to.
    pub input: &'a Value,
    /// `$$`: the Context Object.
    pub context: &'a Value,
    /// `$name`: the workflow variables in reach, outer scopes included.
    pub variables: &'a Map,
}

/// What an expression may use up: the execution's own clock and randomness, and a budget.
pub struct Env<'a> {
    /// The instant of this step.
    pub now: Millis,
    /// The execution's seeded randomness.
    pub rng: &'a mut Rng,
}

/// Why an expression has no value: AWS's own words, without the prefix that names the state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvalError {
    /// The text for `Cause`.
    pub cause: String,
}

impl EvalError {
    /// An error with this cause.
    pub fn new(cause: impl Into<String>) -> EvalError {
        EvalError { cause: cause.into() }
    }
}

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.cause)
    }
}

impl std::error::Error for EvalError {}

/// Why a text is not an expression, and where inside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// What is wrong, as a sentence without the place.
    pub message: String,
    /// Byte offset inside the expression's text.
    pub offset: usize,
}

impl SyntaxError {
    /// An error at a byte offset of the expression.
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
