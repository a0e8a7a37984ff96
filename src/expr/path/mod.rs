//! Paths in AWS's dialect of JSONPath (Jayway), compiled once; Reference Paths, which also write.
//!
//! | form | selects |
//! |---|---|
//! | `$`, `$$`, `$name` | the input, the Context Object, a workflow variable |
//! | `.name`, `['name']`, `['a','b']` | a member; of several members at the end of a path one object with those present |
//! | `[2]`, `[-1]`, `[0,2]`, `[1:3]`, `[-2:]` | elements; a negative index counts from the end |
//! | `[(@.length-1)]` | the last element |
//! | `.*`, `[*]`, `..name`, `..*` | all children; the same at any depth |
//! | `[?(@.price < 10 && !@.sold)]` | elements, or the object itself, that pass the test |
//! | `.length()`, `.sum()` … | a function of what the path selects, only at its end |
//!
//! A path of single names and single indexes has one value or none ([`Missing`]). Any other path has an array of
//! hits, which may be empty.
//!
//! AWS does not read every form in every field: a path is compiled for its [`Reader`], and [`forms_by_field`] lists
//! the forms that each reader knows.
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
mod table;
mod write;

pub use syntax::{Selection, Shape};
pub use table::{Reader, forms_by_field};
pub use write::ReferencePath;

use super::budget::Budget;
use super::{Scope, SyntaxError};
use crate::base::Value;
use filter::Filter;
use std::fmt;
use std::sync::Arc;
use table::{Form, Outcome, outcome};

/// Maximum length of a path, in characters.
pub const MAX_LENGTH: usize = 4096;
/// Maximum nesting depth of filters and parentheses.
pub const MAX_NESTING: usize = 64;
/// Maximum number of values that one evaluation may select.
pub const MAX_RESULTS: usize = 100_000;

/// The value from which a path starts.
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
    reader: Reader,
    query: Arc<Query>,
}

impl Path {
    /// Compiles a Path of InputPath or OutputPath.
    ///
    /// Errors: not a path; longer than [`MAX_LENGTH`]; filters nested deeper than [`MAX_NESTING`].
    pub fn parse(text: &str) -> Result<Path, SyntaxError> {
        Path::parse_for(Reader::Path, text)
    }

    /// Compiles a Path that is evaluated like in the fields of its reader.
    ///
    /// Errors: those of [`Path::parse`].
    ///
    /// ```
    /// use stepglass::base::{json, Map, Value};
    /// use stepglass::expr::{Scope, path::{Path, Reader}};
    /// let input = json::parse(r#"{"a":[1,2]}"#).unwrap();
    /// let scope = Scope { input: &input, context: &Value::Null, variables: &Map::new() };
    /// assert_eq!(Path::parse_for(Reader::Template, "$.a[(@.length-1)]").unwrap().eval(&scope).unwrap().to_string(), "2");
    /// assert!(Path::parse_for(Reader::Template, "$.a[-1]").unwrap().eval(&scope).is_err());
    /// ```
    pub fn parse_for(reader: Reader, text: &str) -> Result<Path, SyntaxError> {
        let (root, query) = parse::path(text)?;
        Ok(Path { text: text.into(), root, reader, query: Arc::new(query) })
    }

    /// The text as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The value from which the path starts.
    pub fn root(&self) -> &Root {
        &self.root
    }

    /// Whether the path selects at most one node: it has only names and single indexes.
    pub fn is_definite(&self) -> bool {
        self.query.plain
    }

    /// Whether the path consists only of a root.
    pub fn is_root(&self) -> bool {
        self.query.steps.is_empty() && self.query.calls.is_empty()
    }

    /// Whether the path reads the Context Object.
    pub fn uses_context(&self) -> bool {
        self.root == Root::Context
    }

    /// The workflow variable that the path reads.
    pub fn variable(&self) -> Option<&Arc<str>> {
        match &self.root {
            Root::Variable(name) => Some(name),
            _ => None,
        }
    }

    /// Returns the value of its root; `None` for a variable that is not assigned.
    pub fn source<'a>(&self, scope: &Scope<'a>) -> Option<&'a Value> {
        match &self.root {
            Root::Input => Some(scope.input),
            Root::Context => Some(scope.context),
            Root::Variable(name) => scope.variables.get(name),
        }
    }

    /// Returns the selected value, or an error that says what is missing.
    ///
    /// A path that may have several hits returns an array of them, which may be empty. A definite path allocates nothing. Any
    /// other path may visit a million values.
    pub fn eval(&self, scope: &Scope<'_>) -> Result<Value, Missing> {
        self.eval_within(scope, &mut Budget::new())
    }

    /// Works as [`Path::eval`], for a caller whose expressions share `fuel`: the evaluation may visit this number of values,
    /// and those that it visited are subtracted. A definite path costs nothing.
    pub fn eval_with_fuel(&self, scope: &Scope<'_>, fuel: &mut u64) -> Result<Value, Missing> {
        if self.query.plain {
            return self.eval_within(scope, &mut Budget::within(0));
        }
        Budget::charged(fuel, |budget| self.eval_within(scope, budget))
    }

    /// Works as [`Path::eval`], with a budget that other expressions share.
    pub(super) fn eval_within(&self, scope: &Scope<'_>, budget: &mut Budget) -> Result<Value, Missing> {
        let source = self.source(scope).ok_or_else(|| self.unassigned())?;
        if source.is_null() && self.root == Root::Input {
            let form = if self.is_root() { Form::NullRoot } else { Form::NullDocument };
            if outcome(form, self.reader) == Outcome::NullInput {
                return Err(Missing::null_input());
            }
        }
        if let Some(unsupported_form) = self.query.unsupported_form(self.reader) {
            return Err(self.query.unsupported_form_error(unsupported_form, source));
        }
        if self.query.plain {
            return self.query.walk(source).cloned();
        }
        #[cfg(feature = "jsonpath-lib")]
        if self.query.calls.is_empty() {
            return jsonpath_lib::eval(self, source, budget);
        }
        self.query.eval(source, source, budget)
    }

    /// Returns the node that a definite path selects, without copying it; `None` if it is missing or the path is not definite.
    pub fn find<'a>(&self, scope: &Scope<'a>) -> Option<&'a Value> {
        self.query.find(self.source(scope)?)
    }

    fn unassigned(&self) -> Missing {
        let detail = format!("The variable '{}' is not assigned.", self.text);
        Missing {
            path: self.text.to_string(),
            leaf: self.is_root(),
            index: false,
            detail: Some(detail.into()),
            reason: Reason::Absent,
        }
    }

    /// Whether an index beyond the end of an array gives null instead of an error.
    pub(super) fn is_null_beyond(&self) -> bool {
        outcome(Form::IndexBeyond, self.reader) == Outcome::Null
    }
}

/// Two paths are equal if their texts are.
impl PartialEq for Path {
    fn eq(&self, other: &Path) -> bool {
        self.text == other.text
    }
}

/// What a path did not find. `Display` prints AWS's message for InputPath: `No results for path: $['X']` or `Missing property
/// in path $['no']`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// The normalized path: up to a missing inner node, `$['a']['b']`; otherwise the whole path.
    pub path: String,
    /// Whether the missing node is the last step.
    pub leaf: bool,
    /// Whether only an array index is out of range.
    pub index: bool,
    /// Any other reason, with Jayway's message.
    detail: Option<Box<str>>,
    reason: Reason,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reason {
    Absent,
    Limit,
    NullInput,
    NoArray,
}

impl Missing {
    /// Whether nothing is missing, but the evaluation visited more than a million values or selected more than [`MAX_RESULTS`].
    pub fn is_limit(&self) -> bool {
        self.reason == Reason::Limit
    }

    /// Whether an index was applied to what is no array.
    pub fn is_index_of_no_array(&self) -> bool {
        self.reason == Reason::NoArray
    }

    /// Whether the input itself is null; `Display` is then the whole cause, in every field.
    pub fn is_null_input(&self) -> bool {
        self.reason == Reason::NullInput
    }

    fn null_input() -> Missing {
        let detail = "Unable to apply Path transformation to null or empty input.";
        Missing { path: "$".into(), leaf: true, index: false, detail: Some(detail.into()), reason: Reason::NullInput }
    }

    fn beyond_limit() -> Missing {
        let detail = format!("The path visits more values than one state may, or selects more than {MAX_RESULTS}.");
        Missing { path: "$".into(), leaf: true, index: false, detail: Some(detail.into()), reason: Reason::Limit }
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

/// The part after a root: steps that select nodes, then functions of the selection.
#[derive(Clone, Debug)]
struct Query {
    steps: Vec<Step>,
    calls: Vec<FunctionCall>,
    /// Whether it has only single names and indexes, and no function: the fast path.
    plain: bool,
    /// Whether it selects at most one value; otherwise an array of hits.
    single: bool,
    /// The forms that AWS does not support in every field.
    special: Vec<Special>,
}

/// A form at a step, or at a function after the last step.
#[derive(Clone, Copy, Debug)]
struct Special {
    form: Form,
    step: usize,
}

impl Query {
    fn new(steps: Vec<Step>, calls: Vec<FunctionCall>) -> Query {
        let last = steps.len().saturating_sub(1);
        let single = steps.iter().enumerate().all(|(i, step)| match step {
            Step::Name(_) | Step::Index(_) | Step::FromEnd(_) => true,
            Step::Names(_) => i == last,
            _ => false,
        });
        let plain = calls.is_empty() && steps.iter().all(Step::is_plain);
        let forms = steps.iter().enumerate().filter_map(|(i, step)| match step {
            Step::Index(index) if *index < 0 => Some(Special { form: Form::NegativeIndex, step: i }),
            Step::Names(_) if i < last => Some(Special { form: Form::InnerNames, step: i }),
            _ => None,
        });
        let functions = calls.iter().filter(|call| call.function != Function::Length);
        let special = forms.chain(functions.map(|_| Special { form: Form::Function, step: steps.len() })).collect();
        Query { steps, calls, plain, single, special }
    }

    /// The first form that a reader does not support.
    fn unsupported_form(&self, reader: Reader) -> Option<Special> {
        self.special.iter().copied().find(|special| outcome(special.form, reader) != Outcome::Selects)
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
    /// `[(@.length-n)]`
    FromEnd(i64),
    /// `[n,m]`
    Indexes(Vec<i64>),
    /// `[from:to]`, of which at least one is given.
    Slice(Option<i64>, Option<i64>),
    /// `.*`, `[*]`
    Any,
    /// `[?(…)]`
    Filter(Filter),
    /// `..`: the next step applies at every depth.
    Descend,
}

impl Step {
    /// Whether it selects at most one node.
    fn is_plain(&self) -> bool {
        matches!(self, Step::Name(_) | Step::Index(_) | Step::FromEnd(_))
    }
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

// With the feature, the results are those of another evaluator.
#[cfg(all(test, not(feature = "jsonpath-lib")))]
mod tests;
