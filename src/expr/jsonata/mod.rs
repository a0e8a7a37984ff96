//! JSONata 2.0.6, the language of `{% … %}`: our own parser and evaluator over the shared [`Value`].
//!
//! The input is never copied, an expression is compiled once, and every evaluation has a budget ([`Limits`]): an
//! endless or exploding expression ends in an error. The functions that AWS adds are built in; time and randomness
//! come from the execution ([`Env`]).
//!
//! ```
//! use stepglass::base::{Millis, Rng, json};
//! use stepglass::expr::Env;
//! use stepglass::expr::jsonata::Expression;
//! let expression = Expression::parse("$sum($states.input.items[price > 2].(price * quantity))").unwrap();
//! let states = json::parse(r#"{"input":{"items":[{"price":3,"quantity":2},{"price":1,"quantity":9}]}}"#).unwrap();
//! let mut env = Env { now: Millis(0), rng: &mut Rng::new(1) };
//! let bindings = |name: &str| (name == "states").then(|| states.clone());
//! let result = expression.evaluate(&Default::default(), &bindings, &mut env).unwrap();
//! assert_eq!(result, Some(6.into()));
//! ```

mod ast;
mod codes;
mod compile;
mod error;
mod eval;
mod functions;
mod lexer;
mod number;
mod parser;
mod references;
mod signature;
mod syntax;
#[cfg(test)]
mod tests;
mod value;

pub use references::{References, VariableRef};
pub(super) use syntax::syntax;

use super::{Env, SyntaxError};
use crate::base::Value;
use std::fmt;
use std::sync::Arc;

/// Maximum nesting depth of values that an expression builds.
const MAX_NESTING: u32 = 128;

/// The limits of an evaluation. Exceeding one is an error.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Steps of evaluation, including processed items and bytes. Error: `D1012`.
    pub fuel: u64,
    /// Nested evaluations, counted like in the reference implementation: each node of the expression is one, and calls in tail
    /// position do not count. Error: `D1011`.
    pub depth: u32,
    /// Bytes that the values of an evaluation may occupy at the same time. Error: `D1015`.
    pub memory: usize,
    /// Bytes of one string. Error: `D1015`.
    pub text: usize,
    /// Items of an array that is built item by item. Error: `D1015`.
    pub items: usize,
    /// Items of `a..b`, whose number is known in advance. Error: `D1015`.
    pub range: usize,
    /// Whether the evaluation follows the reference implementation where AWS differs from it: `$eval` is available, and
    /// `$string` refuses infinities and NaN.
    pub reference: bool,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            fuel: 2_000_000,
            depth: u32::MAX >> 1,
            memory: 48 << 20,
            text: 8 << 20,
            items: 500_000,
            range: 10_000_000,
            reference: false,
        }
    }
}

impl Limits {
    /// Returns the limits for expressions of a state, as they were measured on AWS (`tests/measured/jsonata-limits.json`).
    ///
    /// AWS has room for 873,782 items at a time. An array that is built item by item grows by half, like a list in Java, and
    /// occupies its old and its new capacity while it grows: growing from 360,145 to 540,217 items does not fit. A text of 2^22
    /// characters fits, one of 2^23 does not.
    pub fn of_state() -> Limits {
        Limits { memory: 24 << 20, text: (8 << 20) - 1, items: 360_145, range: 873_782, depth: 100, ..Limits::default() }
    }
}

/// A compiled JSONata expression.
#[derive(Clone, Debug)]
pub struct Expression {
    text: Arc<str>,
    program: Arc<compile::Program>,
}

/// An error of parsing or evaluation, with JSONata's own code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonataError {
    /// `T2001`, `S0202`, `D3137` …
    pub code: &'static str,
    /// The message of the reference implementation.
    pub message: String,
    /// The byte offset in the expression's text.
    pub offset: usize,
}

impl JsonataError {
    /// Whether a limit of depth or memory ended the evaluation. AWS reports these without a code.
    pub fn is_limit(&self) -> bool {
        matches!(self.code, "D1011" | "D1015")
    }

    /// Whether AWS reports the failure as an internal error, without the reason.
    pub fn is_internal(&self) -> bool {
        self.code == "D3900"
    }

    /// Whether the result is a function, which is not a JSON value.
    pub fn is_function_result(&self) -> bool {
        self.code == "D1020"
    }
}

impl fmt::Display for JsonataError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl std::error::Error for JsonataError {}

impl Expression {
    /// Compiles an expression (without its `{%` and `%}`).
    ///
    /// Errors: the codes `S0101` to `S0402` of the reference implementation; `S0303` for a regular expression that has no
    /// linear-time form; `S0501` for excessive nesting.
    pub fn parse(text: &str) -> Result<Expression, JsonataError> {
        let program = compile::compile(text, ast::Names::default(), Vec::new()).map_err(|e| e.finish())?;
        Ok(Expression { text: text.into(), program: Arc::new(program) })
    }

    /// The text as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The variables and functions that the expression does not define itself, with their locations.
    ///
    /// ```
    /// use stepglass::expr::jsonata::Expression;
    /// let found = Expression::parse("($x := $states.input.a; $f($x) + $total)").unwrap().references();
    /// let names: Vec<&str> = found.variables.iter().map(|v| &*v.name).collect();
    /// assert_eq!(names, ["states", "f", "total"]);
    /// assert_eq!(&*found.variables[0].path[0].0, "input");
    /// assert!(found.variables[1].called);
    /// ```
    pub fn references(&self) -> References {
        references::references(&self.program.root, &self.program.names)
    }

    /// Evaluates the expression; `None` is JSONata's undefined. `bindings` returns the value of `$name`. An `input` of null
    /// means that there is no input document, which is how AWS evaluates expressions.
    ///
    /// Errors: those of the reference implementation, and the limits of [`Limits`]; `D1020` if the value is a function.
    pub fn evaluate(
        &self,
        input: &Value,
        bindings: &dyn Fn(&str) -> Option<Value>,
        env: &mut Env<'_>,
    ) -> Result<Option<Value>, JsonataError> {
        let input = if input.is_null() { None } else { Some(input) };
        self.evaluate_within(input, bindings, env, &Limits::default())
    }

    /// Works as [`Expression::evaluate`], for a caller whose expressions share `fuel`: the evaluation may take this number of
    /// steps, and those that it took are subtracted. Its memory limit is lower too, because a payload is small.
    pub fn evaluate_with_fuel(
        &self,
        input: &Value,
        bindings: &dyn Fn(&str) -> Option<Value>,
        env: &mut Env<'_>,
        fuel: &mut u64,
    ) -> Result<Option<Value>, JsonataError> {
        let input = if input.is_null() { None } else { Some(input) };
        let limits = Limits { fuel: *fuel, ..Limits::of_state() };
        self.run(input, bindings, env, &limits, fuel)
    }

    /// Works as [`Expression::evaluate`], with limits of the caller.
    pub fn evaluate_within(
        &self,
        input: Option<&Value>,
        bindings: &dyn Fn(&str) -> Option<Value>,
        env: &mut Env<'_>,
        limits: &Limits,
    ) -> Result<Option<Value>, JsonataError> {
        self.run(input, bindings, env, limits, &mut 0)
    }

    /// Evaluates the expression, and also returns how much fuel is left.
    fn run(
        &self,
        input: Option<&Value>,
        bindings: &dyn Fn(&str) -> Option<Value>,
        env: &mut Env<'_>,
        limits: &Limits,
        left: &mut u64,
    ) -> Result<Option<Value>, JsonataError> {
        let before = value::set_live_bytes(0);
        let result = {
            let mut evaluator = eval::Evaluator::new(&self.program, input, bindings, env.now, env.rng, limits);
            let result = evaluator.run(&self.program);
            *left = evaluator.fuel;
            result
        };
        value::set_live_bytes(before);
        result.map_err(|e| e.finish())
    }
}

/// The names of all built-in functions, without `$`, sorted: for checks and completion.
pub fn function_names() -> impl Iterator<Item = &'static str> {
    functions::names()
}

/// Converts the error, for code that reports both kinds of expression alike.
impl From<JsonataError> for SyntaxError {
    fn from(error: JsonataError) -> SyntaxError {
        SyntaxError { message: error.message, offset: error.offset }
    }
}
