//! Paths in AWS's dialect of JSONPath (Jayway), compiled once; Reference Paths, which also write.
//!
//! | form | selects |
//! |---|---|
//! | `$`, `$$`, `$name` | the input, the Context Object, a workflow variable |
//! | `.name`, `['name']`, `['a','b']` | a member; of several members at the end of a path one object with those present |
//! | `[2]`, `[-1]`, `[0,2]`, `[1:3]`, `[-2:]` | elements; a negative index counts from the end |
//! | `.*`, `[*]`, `..name`, `..*` | all children; the same at any depth |
//! | `[?(@.price < 10 && !@.sold)]` | elements, or the object itself, that pass the test |
//! | `.length()`, `.sum()` … | a function of what the path selects, only at its end |
//!
//! A path of single names and single indexes has one value or none ([`Missing`]). Any other path has an array of
//! hits, which may be empty.
//!
//! ```
//! use stepglass::base::{json, Map, Value};
//! use stepglass::expr::{Scope, path::Path};
//! let input = json::parse(r#"{"books":[{"name":"A","price":8},{"name":"B","price":12}]}"#).unwrap();
//! let (context, variables) = (Value::Null, Map::new());
//! let scope = Scope { input: &input, context: &context, variables: &variables };
//! let eval = |text: &str| Path::parse(text).unwrap().eval(&scope);
//! assert_eq!(eval("$.books[0].name").unwrap().to_string(), r#""A""#);
//! assert_eq!(eval("$.books[?(@.price > 10)].name").unwrap().to_string(), r#"["B"]"#);
//! assert_eq!(eval("$.shop").unwrap_err().to_string(), "No results for path: $['shop']");
//! ```

mod eval;
mod filter;
#[cfg(feature = "jsonpath-lib")]
mod jsonpath_lib;
mod parse;
mod syntax;
mod write;

pub use syntax::{Selection, Shape};
pub use write::ReferencePath;

use super::budget::Budget;
use super::{Scope, SyntaxError};
use crate::base::Value;
use filter::Filter;
use std::fmt;
use std::sync::Arc;

/// Longest path, in characters.
pub const MAX_LENGTH: usize = 4096;
/// How deep filters and parentheses may nest.
pub const MAX_NESTING: usize = 64;
/// How many values one evaluation may select.
pub const MAX_RESULTS: usize = 100_000;

/// What a path starts from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Root {
    /// `$`
    Input,
    /// `$$`
    Context,
    /// `$name`
    Variable(Arc<str>),
}

/// A compiled Path. Cloning is a reference count.
#[derive(Clone, Debug)]
pub struct Path {
    text: Arc<str>,
    root: Root,
    query: Arc<Query>,
}

impl Path {
    /// Compiles a Path.
    ///
    /// Errors: not a path; longer than [`MAX_LENGTH`]; filters nested deeper than [`MAX_NESTING`].
    pub fn parse(text: &str) -> Result<Path, SyntaxError> {
        let (root, query) = parse::path(text)?;
        Ok(Path { text: text.into(), root, query: Arc::new(query) })
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
        self.query.plain
    }

    /// Whether it is a root and nothing else.
    pub fn is_root(&self) -> bool {
        self.query.steps.is_empty() && self.query.calls.is_empty()
    }

    /// Whether it reads the Context Object.
    pub fn uses_context(&self) -> bool {
        self.root == Root::Context
    }

    /// The workflow variable it reads.
    pub fn variable(&self) -> Option<&Arc<str>> {
        match &self.root {
            Root::Variable(name) => Some(name),
            _ => None,
        }
    }

    /// The value of its root; `None` for a variable that is not assigned.
    pub fn source<'a>(&self, scope: &Scope<'a>) -> Option<&'a Value> {
        match &self.root {
            Root::Input => Some(scope.input),
            Root::Context => Some(scope.context),
            Root::Variable(name) => scope.variables.get(name),
        }
    }

    /// The selected value; `Err` says what is missing.
    ///
    /// A path that may have several hits gives an array of them, possibly empty. A definite path allocates nothing.
    /// Any other may visit a million values.
    pub fn eval(&self, scope: &Scope<'_>) -> Result<Value, Missing> {
        self.eval_within(scope, &mut Budget::new())
    }

    /// As [`Path::eval`], for a caller whose expressions share `fuel`: as many values may be visited, and those that were are
    /// taken off. A definite path is free.
    pub fn eval_paying(&self, scope: &Scope<'_>, fuel: &mut u64) -> Result<Value, Missing> {
        if self.query.plain {
            return self.eval_within(scope, &mut Budget::within(0));
        }
        Budget::paid(fuel, |budget| self.eval_within(scope, budget))
    }

    /// As [`Path::eval`], out of a budget that other expressions share.
    pub(super) fn eval_within(&self, scope: &Scope<'_>, budget: &mut Budget) -> Result<Value, Missing> {
        let source = self.source(scope).ok_or_else(|| self.unassigned())?;
        if self.query.plain {
            return self.query.walk(source).cloned();
        }
        #[cfg(feature = "jsonpath-lib")]
        if self.query.calls.is_empty() {
            return jsonpath_lib::eval(self, source, budget);
        }
        self.query.eval(source, source, budget)
    }

    /// The selected node, of a definite path without copying it; `None` if it is missing or the path is not definite.
    pub fn find<'a>(&self, scope: &Scope<'a>) -> Option<&'a Value> {
        self.query.find(self.source(scope)?)
    }

    fn unassigned(&self) -> Missing {
        let detail = format!("The variable '{}' is not assigned.", self.text);
        Missing { path: self.text.to_string(), leaf: self.is_root(), index: false, detail: Some(detail.into()), limit: false }
    }
}

/// Two paths are equal when their texts are.
impl PartialEq for Path {
    fn eq(&self, other: &Path) -> bool {
        self.text == other.text
    }
}

/// What a path did not find. `Display` prints AWS's words for InputPath: `No results for path: $['X']` or
/// `Missing property in path $['no']`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// The normalized path: of a missing inner node down to it, `$['a']['b']`; else the whole path.
    pub path: String,
    /// Whether the missing node is the last step.
    pub leaf: bool,
    /// Whether only an array index is out of range.
    pub index: bool,
    /// Any other reason, in Jayway's words.
    detail: Option<Box<str>>,
    limit: bool,
}

impl Missing {
    /// Whether nothing is missing but the evaluation went beyond a million visited values or [`MAX_RESULTS`].
    pub fn is_limit(&self) -> bool {
        self.limit
    }

    fn beyond_limit() -> Missing {
        let detail = format!("The path visits more values than one state may, or selects more than {MAX_RESULTS}.");
        Missing { path: "$".into(), leaf: true, index: false, detail: Some(detail.into()), limit: true }
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.detail {
            Some(detail) => f.write_str(detail),
            None if self.leaf || self.index => write!(f, "No results for path: {}", self.path),
            None => write!(f, "Missing property in path {}", self.path),
        }
    }
}

impl std::error::Error for Missing {}

/// What follows a root: steps that select nodes, then functions of the selection.
#[derive(Clone, Debug)]
struct Query {
    steps: Vec<Step>,
    calls: Vec<FunctionCall>,
    /// Only single names and indexes, and no function: the fast path.
    plain: bool,
    /// One value or none; else an array of hits.
    single: bool,
}

impl Query {
    fn new(steps: Vec<Step>, calls: Vec<FunctionCall>) -> Query {
        let last = steps.len().saturating_sub(1);
        let single = steps.iter().enumerate().all(|(i, step)| match step {
            Step::Name(_) | Step::Index(_) => true,
            Step::Names(_) => i == last,
            _ => false,
        });
        let plain = calls.is_empty() && steps.iter().all(|step| matches!(step, Step::Name(_) | Step::Index(_)));
        Query { steps, calls, plain, single }
    }
}

/// One step of a path.
#[derive(Clone, Debug)]
enum Step {
    /// `.name`, `['name']`
    Name(Arc<str>),
    /// `['a','b']`
    Names(Vec<Arc<str>>),
    /// `[n]`
    Index(i64),
    /// `[n,m]`
    Indexes(Vec<i64>),
    /// `[from:to]`, at least one of them.
    Slice(Option<i64>, Option<i64>),
    /// `.*`, `[*]`
    Any,
    /// `[?(…)]`
    Filter(Filter),
    /// `..`: the next step applies at every depth.
    Descend,
}

/// A function at the end of a path.
#[derive(Clone, Debug)]
struct FunctionCall {
    function: Function,
    arguments: Vec<Argument>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Function {
    Min,
    Max,
    Avg,
    StdDev,
    Sum,
    Length,
    Keys,
    Concat,
    Append,
    First,
    Last,
    Index,
}

/// An argument of a function: a literal, or a path from the root.
#[derive(Clone, Debug)]
enum Argument {
    Literal(Value),
    Query(Query),
}

// With the feature another evaluator answers, and differently.
#[cfg(all(test, not(feature = "jsonpath-lib")))]
mod tests;
