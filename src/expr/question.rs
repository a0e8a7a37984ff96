//! Expressions from outside of a definition, such as those that the user of a debugger evaluates.

use super::intrinsic::Call;
use super::jsonata::{Expression, JsonataError};
use super::path::{Path, Root};
use super::template::Template;
use super::{Env, Scope, SyntaxError};
use crate::base::{Map, Value, json};

/// The language of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Dialect {
    /// A JSONata expression, with or without `{%` and `%}`. `$` is the input.
    Jsonata,
    /// A path, or a call of an intrinsic function.
    JsonPath,
    /// The JSON text of a payload template.
    Template,
}

/// The reason why a question has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuestionError {
    /// JSONata's code, if it is one of its errors.
    pub code: Option<&'static str>,
    /// The reason as a sentence.
    pub message: String,
    /// The byte offset in the question, if it is known.
    pub offset: Option<usize>,
}

/// Evaluates a question about values; `None` is JSONata's undefined. In JSONata, `bindings` has the values of `$name`,
/// including the scope's variables; of the scope it reads only the input.
///
/// Errors: the question cannot be parsed, a value is missing, a function refuses its arguments, or the budget is exceeded.
///
/// ```
/// use stepglass::base::{json, Map, Millis, Rng, Value};
/// use stepglass::expr::{Env, Scope, question::{Dialect, ask}};
/// let input = json::parse(r#"{"total":{"amount":42}}"#).unwrap();
/// let (context, variables) = (Value::Null, Map::new());
/// let scope = Scope { input: &input, context: &context, variables: &variables };
/// let answer = |dialect, text| ask(dialect, text, &scope, &mut Env { now: Millis(0), rng: &mut Rng::new(0) });
/// assert_eq!(answer(Dialect::Jsonata, "{% $.total.amount + 1 %}").unwrap().unwrap().to_string(), "43");
/// assert_eq!(answer(Dialect::JsonPath, "$.total.amount").unwrap().unwrap().to_string(), "42");
/// assert_eq!(answer(Dialect::JsonPath, "States.Format('{}', $.total.amount)").unwrap().unwrap().to_string(), "\"42\"");
/// assert_eq!(answer(Dialect::Template, r#"{"a.$":"$.total.amount"}"#).unwrap().unwrap().to_string(), r#"{"a":42}"#);
/// assert_eq!(answer(Dialect::Jsonata, "$.nothing"), Ok(None));
/// ```
pub fn ask(dialect: Dialect, question: &str, scope: &Scope<'_>, env: &mut Env<'_>) -> Result<Option<Value>, QuestionError> {
    match dialect {
        Dialect::Jsonata => jsonata(question, scope, env),
        Dialect::JsonPath => jsonpath(question.trim(), scope, env).map(Some),
        Dialect::Template => template(question, scope, env).map(Some),
    }
}

fn jsonata(question: &str, scope: &Scope<'_>, env: &mut Env<'_>) -> Result<Option<Value>, QuestionError> {
    let trimmed = question.trim();
    let inner = trimmed.strip_prefix("{%").and_then(|rest| rest.strip_suffix("%}")).unwrap_or(question);
    let expression = Expression::parse(inner)?;
    let bindings = |name: &str| scope.variables.get(name).cloned();
    Ok(expression.evaluate(scope.input, &bindings, env)?)
}

fn jsonpath(question: &str, scope: &Scope<'_>, env: &mut Env<'_>) -> Result<Value, QuestionError> {
    if !question.starts_with('$') {
        let call = Call::parse(question)?;
        return call.eval(scope, env).map_err(|error| QuestionError::because(error.cause));
    }
    let path = Path::parse(question)?;
    if *path.root() == Root::Input && scope.input.is_null() && !path.is_root() {
        return Err(QuestionError::because("there is no value to look into"));
    }
    path.eval(scope).map_err(|missing| QuestionError::because(missing.to_string()))
}

fn template(question: &str, scope: &Scope<'_>, env: &mut Env<'_>) -> Result<Value, QuestionError> {
    let value = json::parse(question).map_err(|error| QuestionError {
        code: None,
        message: error.message.to_string(),
        offset: Some(error.offset),
    })?;
    let template = Template::compile(&value).map_err(|problems| {
        let first = problems.first();
        QuestionError::because(first.map_or("no template".into(), |p| format!("{}: {}", p.field, p.error.message)))
    })?;
    template.eval(scope, env).map_err(|error| QuestionError::because(error.cause))
}

impl QuestionError {
    fn because(message: impl Into<String>) -> QuestionError {
        QuestionError { code: None, message: message.into(), offset: None }
    }
}

impl From<JsonataError> for QuestionError {
    fn from(error: JsonataError) -> QuestionError {
        QuestionError { code: Some(error.code), message: error.message, offset: Some(error.offset) }
    }
}

impl From<SyntaxError> for QuestionError {
    fn from(error: SyntaxError) -> QuestionError {
        QuestionError { code: None, message: error.message, offset: Some(error.offset) }
    }
}

/// Returns the members of an object as variables; none for any other value.
pub fn bindings(value: &Value) -> Map {
    value.as_object().cloned().unwrap_or_default()
}
