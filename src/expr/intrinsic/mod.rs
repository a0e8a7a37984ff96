//! Intrinsic functions, `States.Format('…', $.a)`: those of AWS, with AWS's rounding, limits and messages (spec §4).

mod array;
mod check;
mod encoding;
mod format;
mod java;
mod math;
mod parse;
mod syntax;
mod table;

pub(crate) use encoding::hash_hex;
pub(crate) use table::{INTRINSICS, Intrinsic};

use super::budget::{Budget, Limit, MAX_BYTES};
use super::path::Path;
use super::{Env, EvalError, Scope, SyntaxError};
use crate::base::{Map, Span, Value, json, sort};
use std::sync::Arc;

/// Maximum nesting depth of calls, including the outermost.
pub const MAX_NESTING: usize = 10;

/// A compiled call. Cloning is a reference count.
///
/// ```
/// use stepglass::base::{json, Map, Millis, Rng, Value};
/// use stepglass::expr::{Env, Scope, intrinsic::Call};
/// let call = Call::parse("States.Format('{} of {}', States.MathAdd($.done, 1), $.all)").unwrap();
/// let input = json::parse(r#"{"done":2,"all":5}"#).unwrap();
/// let (context, variables, mut rng) = (Value::Null, Map::new(), Rng::new(0));
/// let scope = Scope { input: &input, context: &context, variables: &variables };
/// let value = call.eval(&scope, &mut Env { now: Millis(0), rng: &mut rng }).unwrap();
/// assert_eq!(value, Value::from("3 of 5"));
/// ```
#[derive(Clone, Debug)]
pub struct Call {
    text: Arc<str>,
    node: Arc<Node>,
}

impl Call {
    /// Compiles a call.
    ///
    /// Errors: the text is not a call; the function is unknown; a string contains an escape other than `\'`, `\{`, `\}` and
    /// `\\`; calls are nested deeper than [`MAX_NESTING`]. The number of arguments is only checked when the call runs, as on
    /// AWS.
    pub fn parse(text: &str) -> Result<Call, SyntaxError> {
        Ok(Call { text: text.into(), node: Arc::new(parse::call(text)?) })
    }

    /// Whether any argument, at any depth, reads the Context Object.
    pub fn uses_context(&self) -> bool {
        let mut found = false;
        self.node.each_path(&mut |path| found |= path.uses_context());
        found
    }

    /// The names of the variables that the call reads, in order of appearance, with repeats.
    pub fn variables(&self) -> Vec<Arc<str>> {
        let mut names = Vec::new();
        self.node.each_path(&mut |path| names.extend(path.variable().cloned()));
        names
    }

    /// Evaluates the call.
    ///
    /// Errors: an argument is missing, or the function does not accept it. The cause is AWS's and quotes the whole call, even
    /// if a nested one failed.
    pub fn eval(&self, scope: &Scope<'_>, env: &mut Env<'_>) -> Result<Value, EvalError> {
        self.eval_within(scope, env, &mut Budget::new())
    }

    /// Works as [`Call::eval`], for a caller whose expressions share `fuel`: see [`Path::eval_with_fuel`].
    pub fn eval_with_fuel(&self, scope: &Scope<'_>, env: &mut Env<'_>, fuel: &mut u64) -> Result<Value, EvalError> {
        Budget::charged(fuel, |budget| self.eval_within(scope, env, budget))
    }

    /// Works as [`Call::eval`], with a budget that other expressions share.
    pub(super) fn eval_within(&self, scope: &Scope<'_>, env: &mut Env<'_>, budget: &mut Budget) -> Result<Value, EvalError> {
        self.node.eval(scope, env, budget).map_err(|failure| {
            EvalError::new(match failure {
                Failure::Missing(detail) => format!("The function '{}' had the following error: {detail}", self.text),
                Failure::Function(detail) => {
                    format!("There was an error while evaluating the intrinsic function: {}. {detail}", self.text)
                }
            })
            .of(&self.text)
        })
    }
}

/// Two calls are equal if their texts are.
impl PartialEq for Call {
    fn eq(&self, other: &Call) -> bool {
        self.text == other.text
    }
}

#[derive(Debug)]
struct Node {
    function: Function,
    arguments: Vec<Argument>,
    /// The span of each argument in the text.
    spans: Vec<Span>,
}

#[derive(Debug)]
enum Argument {
    /// A string in two forms: with its escapes resolved, and as a template of `States.Format`, in which `\{` is not `{`.
    String {
        value: Value,
        template: Arc<str>,
    },
    /// A number, `true`, `false` or `null`.
    Scalar(Value),
    Path(Path),
    Call(Node),
}

/// The functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Function {
    Array,
    ArrayContains,
    ArrayGetItem,
    ArrayLength,
    ArrayPartition,
    ArrayRange,
    ArrayUnique,
    Base64Decode,
    Base64Encode,
    Format,
    Hash,
    JsonMerge,
    JsonToString,
    MathAdd,
    MathRandom,
    StringSplit,
    StringToJson,
    Uuid,
}

impl Function {
    /// The function's row of the table.
    fn row(self) -> &'static Intrinsic {
        // Invariant: the table has a row for each function; a test checks this.
        INTRINSICS.iter().find(|row| row.function == self).unwrap_or(&INTRINSICS[0])
    }

    fn name(self) -> &'static str {
        self.row().name
    }

    /// AWS's message for every wrong number, type or range of arguments.
    fn invalid(self) -> Failure {
        Failure::Function(format!("Invalid arguments in {}", self.name()))
    }
}

/// Why a call has no value.
enum Failure {
    /// A path argument selects nothing.
    Missing(String),
    /// The function does not accept its arguments.
    Function(String),
}

impl From<Limit> for Failure {
    fn from(_: Limit) -> Failure {
        Failure::Function(format!("The field makes more than {MAX_BYTES} bytes"))
    }
}

impl Node {
    fn each_path<'a>(&'a self, visit: &mut impl FnMut(&'a Path)) {
        for argument in &self.arguments {
            match argument {
                Argument::Path(path) => visit(path),
                Argument::Call(node) => node.each_path(visit),
                Argument::String { .. } | Argument::Scalar(_) => {}
            }
        }
    }

    // Recursion is bounded by MAX_NESTING.
    fn eval(&self, scope: &Scope<'_>, env: &mut Env<'_>, budget: &mut Budget) -> Result<Value, Failure> {
        let mut values = Vec::with_capacity(self.arguments.len());
        for argument in &self.arguments {
            values.push(argument.eval(scope, env, budget)?);
        }
        for text in values.iter().filter_map(Value::as_str) {
            budget.scan(text.len())?;
        }
        let value = self.apply(&values, env, budget)?;
        match self.function {
            Function::Format | Function::JsonToString => {}
            // These functions return a part of their arguments, or a number or boolean.
            Function::ArrayGetItem | Function::ArrayLength | Function::ArrayContains => {}
            _ => pay(&value, budget)?,
        }
        Ok(value)
    }

    fn apply(&self, values: &[Value], env: &mut Env<'_>, budget: &mut Budget) -> Result<Value, Failure> {
        let value = match (self.function, values) {
            (Function::Array, items) => Some(Value::from(items.to_vec())),
            (Function::ArrayContains, [list, item]) => {
                pay(list, budget)?;
                array::contains(list, item)
            }
            (Function::ArrayGetItem, [list, index]) => array::get_item(list, index),
            (Function::ArrayLength, [list]) => list.as_array().map(|items| Value::from(items.len() as i64)),
            (Function::ArrayPartition, [list, size]) => array::partition(list, size),
            (Function::ArrayRange, [start, end, step]) => array::range(start, end, step),
            (Function::ArrayUnique, [list]) => {
                pay(list, budget)?;
                // Each item is written, looked up and put into Java's order.
                budget.visit(14 * list.as_array().map_or(0, <[Value]>::len) as u64)?;
                array::unique(list)
            }
            (Function::Base64Decode, [text]) => encoding::base64_decode(text),
            (Function::Base64Encode, [text]) => {
                budget.scan(text.as_str().map_or(0, str::len))?;
                encoding::base64_encode(text)
            }
            (Function::Format, [template, rest @ ..]) => {
                let template = match self.arguments.first() {
                    Some(Argument::String { template, .. }) => Some(&**template),
                    _ => template.as_str(),
                };
                match template {
                    Some(template) => return format::format(template, rest, budget),
                    None => None,
                }
            }
            (Function::Hash, [data, algorithm]) => encoding::hash(data, algorithm),
            (Function::JsonMerge, [left, right, deep]) if *deep != Value::Bool(true) => {
                budget.visit(18 * [left, right].iter().filter_map(|v| v.as_object()).map(Map::len).sum::<usize>() as u64)?;
                merge(left, right)
            }
            (Function::JsonToString, [value]) => {
                pay(value, budget)?;
                Some(Value::from(value.to_string()))
            }
            (Function::MathAdd, [left, right]) => math::add(left, right),
            (Function::MathRandom, [start, end]) => math::random(start, end, None, env),
            (Function::MathRandom, [start, end, seed]) => math::random(start, end, Some(seed), env),
            (Function::StringSplit, [text, delimiters]) => split(text, delimiters),
            (Function::StringToJson, [Value::String(text)]) => return from_text(text),
            (Function::Uuid, []) => Some(Value::from(env.rng.uuid())),
            _ => None,
        };
        value.ok_or_else(|| self.function.invalid())
    }
}

impl Argument {
    fn eval(&self, scope: &Scope<'_>, env: &mut Env<'_>, budget: &mut Budget) -> Result<Value, Failure> {
        match self {
            Argument::String { value, .. } | Argument::Scalar(value) => Ok(value.clone()),
            Argument::Call(node) => node.eval(scope, env, budget),
            Argument::Path(path) => path.eval_within(scope, budget).map_err(|missing| match path.source(scope) {
                Some(source) if !(missing.is_limit() || missing.is_null_input() || missing.is_index_of_no_array()) => {
                    Failure::Missing(format!(
                        "The JsonPath argument for the field '{}' could not be found in the input '{source}'",
                        path.text()
                    ))
                }
                _ => Failure::Missing(missing.to_string()),
            }),
        }
    }
}

/// Charges about as many bytes as the value has, and stops when the budget is exceeded.
fn pay(value: &Value, budget: &mut Budget) -> Result<(), Limit> {
    match value {
        Value::Number(_) => budget.make(8),
        Value::Null | Value::Bool(_) => budget.make(4),
        Value::String(text) => budget.make(text.len() + 16),
        containers => pay_all(containers, budget),
    }
}

fn pay_all(value: &Value, budget: &mut Budget) -> Result<(), Limit> {
    let mut pending = vec![value];
    while let Some(value) = pending.pop() {
        match value {
            Value::Array(items) => {
                pending.extend(items.iter());
                budget.make(items.len() + 16)?;
            }
            Value::Object(map) => {
                let mut own = 16;
                for (name, item) in map.entries() {
                    pending.push(item);
                    own += name.len() + 4;
                }
                budget.make(own)?;
            }
            scalar => pay(scalar, budget)?,
        }
    }
    Ok(())
}

/// Implements `States.StringToJson`: blank text is null, and other text that is not JSON gets Jackson's message.
fn from_text(text: &str) -> Result<Value, Failure> {
    if text.trim().is_empty() {
        return Ok(Value::Null);
    }
    json::parse(text).map_err(|error| {
        Failure::Function(format!("Cannot convert String to Json in {}, caused by: {error}", Function::StringToJson.name()))
    })
}

/// Implements `States.JsonMerge`: the merge is shallow, the right object wins, and members are in the order of a Java
/// `HashMap`, as recorded.
fn merge(left: &Value, right: &Value) -> Option<Value> {
    let (left, right) = (left.as_object()?, right.as_object()?);
    let mut members: Map = left.clone();
    for (name, value) in right.iter() {
        members.insert(name.clone(), value.clone());
    }
    let mut members: Vec<(Arc<str>, Value)> = members.into_iter().collect();
    let buckets = java::buckets(members.len());
    sort::by_key(&mut members, |(name, _)| java::bucket(java::hash_str(name), buckets));
    Some(Value::from(members.into_iter().collect::<Map>()))
}

/// Implements `States.StringSplit`: any character of the second string is a delimiter, and there are no empty parts.
fn split(text: &Value, delimiters: &Value) -> Option<Value> {
    let (text, delimiters) = (text.as_str()?, delimiters.as_str()?);
    let mut set: Vec<char> = delimiters.chars().collect();
    sort::sort(&mut set);
    let parts = text.split(|c| set.binary_search(&c).is_ok()).filter(|part| !part.is_empty());
    Some(Value::from(parts.map(Value::from).collect::<Vec<_>>()))
}

#[cfg(test)]
mod tests;
