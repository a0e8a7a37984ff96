//! Payload templates: a JSON value in which members with names ending in `.$` are evaluated (spec §2.3).

use super::budget::Budget;
use super::intrinsic::Call;
use super::path::{Path, Reader};
use super::{Env, EvalError, Scope, SyntaxError};
use crate::base::{Map, Pointer, Value, pointer};
use std::sync::Arc;

/// Maximum number of problems that one template reports.
pub const MAX_PROBLEMS: usize = 100;

/// A compiled payload template. Cloning is a reference count.
///
/// ```
/// use stepglass::base::{json, Map, Millis, Rng, Value};
/// use stepglass::expr::{Env, Scope, template::Template};
/// let template = Template::compile(&json::parse(r#"{"flagged":true,"parts":{"first.$":"$.vals[0]"}}"#).unwrap()).unwrap();
/// let input = json::parse(r#"{"vals":[0,10,20]}"#).unwrap();
/// let (context, variables, mut rng) = (Value::Null, Map::new(), Rng::new(0));
/// let scope = Scope { input: &input, context: &context, variables: &variables };
/// let payload = template.eval(&scope, &mut Env { now: Millis(0), rng: &mut rng }).unwrap();
/// assert_eq!(payload.to_string(), r#"{"flagged":true,"parts":{"first":0}}"#);
/// ```
#[derive(Clone, Debug)]
pub struct Template {
    node: Arc<Node>,
    uses_context: bool,
    variables: Arc<[Arc<str>]>,
}

/// A problem in a template, with its location.
#[derive(Clone, Debug)]
pub struct TemplateProblem {
    /// The pointer of the member, relative to the template.
    pub pointer: Pointer,
    /// The member's name as it is written, `x.$`.
    pub field: Arc<str>,
    /// What is wrong; the offset is in the member's string.
    pub error: SyntaxError,
    /// Whether the member's name equals that of a sibling when its `.$` is dropped.
    pub duplicate: bool,
}

#[derive(Clone, Debug)]
enum Node {
    /// A value without evaluated members, shared with the definition.
    Literal(Value),
    /// `"name.$": "$.path"`; the name is stored as it is written, for the cause.
    Path {
        field: Arc<str>,
        path: Path,
    },
    /// `"name.$": "States.Function(…)"`
    Call(Call),
    Array(Vec<Node>),
    Object(Vec<(Arc<str>, Node)>),
}

impl Template {
    /// Compiles a template, or returns all problems, up to [`MAX_PROBLEMS`].
    ///
    /// Any JSON value is accepted; members are evaluated at any depth of objects and arrays.
    pub fn compile(value: &Value) -> Result<Template, Vec<TemplateProblem>> {
        let mut compiler = Compiler { problems: Vec::new(), steps: Vec::new(), uses_context: false, variables: Vec::new() };
        let node = compiler.node(value);
        if compiler.problems.is_empty() {
            let Compiler { uses_context, variables, .. } = compiler;
            Ok(Template { node: Arc::new(node), uses_context, variables: variables.into() })
        } else {
            Err(compiler.problems)
        }
    }

    /// Whether any member reads the Context Object.
    pub fn uses_context(&self) -> bool {
        self.uses_context
    }

    /// The names of the variables that the template reads, in order of appearance, with repeats.
    pub fn variables(&self) -> Vec<Arc<str>> {
        self.variables.to_vec()
    }

    /// Evaluates the template.
    ///
    /// Errors: a path finds nothing, or an intrinsic function fails; the cause is AWS's (spec §2.4). An index out of range is
    /// not an error but gives `null`.
    pub fn eval(&self, scope: &Scope<'_>, env: &mut Env<'_>) -> Result<Value, EvalError> {
        self.node.eval(scope, env, &mut Budget::new())
    }

    /// Works as [`Template::eval`], for a caller whose expressions share `fuel`: see [`Path::eval_with_fuel`].
    pub fn eval_with_fuel(&self, scope: &Scope<'_>, env: &mut Env<'_>, fuel: &mut u64) -> Result<Value, EvalError> {
        Budget::charged(fuel, |budget| self.node.eval(scope, env, budget))
    }
}

struct Compiler<'a> {
    problems: Vec<TemplateProblem>,
    /// The steps to the value that is being compiled. A pointer is only created for a problem.
    steps: Vec<Step<'a>>,
    uses_context: bool,
    variables: Vec<Arc<str>>,
}

enum Step<'a> {
    Key(&'a str),
    Index(usize),
}

impl<'a> Compiler<'a> {
    // Recursion is bounded by the nesting of JSON texts, `json::MAX_DEPTH`.
    fn node(&mut self, value: &'a Value) -> Node {
        match value {
            Value::Array(items) => {
                let mut nodes = Vec::with_capacity(items.len());
                for (i, item) in items.iter().enumerate() {
                    self.steps.push(Step::Index(i));
                    nodes.push(self.node(item));
                    self.steps.pop();
                }
                if nodes.iter().all(Node::is_literal) { Node::Literal(value.clone()) } else { Node::Array(nodes) }
            }
            Value::Object(map) => {
                let mut nodes = Vec::with_capacity(map.len());
                for (name, member) in map.iter() {
                    self.steps.push(Step::Key(name));
                    nodes.push(match name.strip_suffix(".$") {
                        Some(bare) => (bare.into(), self.member(map, name, bare, member)),
                        None => (name.clone(), self.node(member)),
                    });
                    self.steps.pop();
                }
                if nodes.iter().all(|(_, node)| node.is_literal()) { Node::Literal(value.clone()) } else { Node::Object(nodes) }
            }
            scalar => Node::Literal(scalar.clone()),
        }
    }

    /// Compiles a member that is evaluated. `bare` is its name without `.$`.
    fn member(&mut self, map: &Map, field: &Arc<str>, bare: &str, value: &Value) -> Node {
        if map.contains_key(bare) {
            self.problem(field, SyntaxError::new(format!("'{field}' and '{bare}' make the same member"), 0), true);
        }
        let node = match value.as_str() {
            Some(text) if text.starts_with('$') => Path::parse_for(Reader::Template, text).map(|path| {
                self.uses_context |= path.uses_context();
                self.variables.extend(path.variable().cloned());
                Node::Path { field: field.clone(), path }
            }),
            Some(text) => Call::parse(text).map(|call| {
                self.uses_context |= call.uses_context();
                self.variables.extend(call.variables());
                Node::Call(call)
            }),
            None => {
                let message = format!("The value of '{field}' must be a string that holds a path or an intrinsic function call");
                Err(SyntaxError::new(message, 0))
            }
        };
        node.unwrap_or_else(|error| {
            self.problem(field, error, false);
            Node::Literal(Value::Null)
        })
    }

    fn problem(&mut self, field: &Arc<str>, error: SyntaxError, duplicate: bool) {
        if self.problems.len() >= MAX_PROBLEMS {
            return;
        }
        let pointer = self.steps.iter().fold(Pointer::root(), |pointer, step| match step {
            Step::Key(key) => pointer.key(key),
            Step::Index(index) => pointer.index(*index),
        });
        self.problems.push(TemplateProblem { pointer, field: field.clone(), error, duplicate });
    }
}

impl Node {
    fn is_literal(&self) -> bool {
        matches!(self, Node::Literal(_))
    }

    /// Returns the step of a JSON Pointer to the member that this is, whose name in the value is `name`.
    #[cold]
    fn step(&self, name: &str) -> String {
        let mut step = String::new();
        pointer::escape(&mut step, name);
        if matches!(self, Node::Path { .. } | Node::Call(_)) {
            step.push_str(".$");
        }
        step
    }

    fn eval(&self, scope: &Scope<'_>, env: &mut Env<'_>, budget: &mut Budget) -> Result<Value, EvalError> {
        match self {
            Node::Literal(value) => Ok(value.clone()),
            Node::Path { field, path } => match path.eval_within(scope, budget) {
                Ok(value) => Ok(value),
                Err(missing) => {
                    // The words for these do not name the field.
                    let general = missing.is_limit() || missing.is_null_input();
                    if !general && missing.index && path.is_null_beyond() {
                        return Ok(Value::Null);
                    }
                    let cause = match path.source(scope).filter(|_| !general) {
                        Some(source) => format!(
                            "The JSONPath '{}' specified for the field '{field}' could not be found in the input '{source}'",
                            path.text()
                        ),
                        None => missing.to_string(),
                    };
                    Err(EvalError::new(cause).of(path.text()))
                }
            },
            Node::Call(call) => call.eval_within(scope, env, budget),
            Node::Array(nodes) => {
                let items = nodes
                    .iter()
                    .enumerate()
                    .map(|(index, node)| node.eval(scope, env, budget).map_err(|error| error.inside(format_args!("{index}"))));
                items.collect::<Result<Vec<_>, _>>().map(Value::from)
            }
            Node::Object(members) => {
                let mut map = Map::with_capacity(members.len());
                for (name, node) in members {
                    let value = node.eval(scope, env, budget).map_err(|error| error.inside(format_args!("{}", node.step(name))))?;
                    map.insert(name.clone(), value);
                }
                Ok(Value::from(map))
            }
        }
    }
}

#[cfg(test)]
mod tests;
