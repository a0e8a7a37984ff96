//! The compiled machine. Every name in the definition is an id here: a target that does not exist, a path that does not parse
//! or a field of the wrong type cannot reach the engine.

use crate::asl::resource::Resource;
use crate::base::{IdVec, Pointer, Value};
use crate::expr::intrinsic::Call;
use crate::expr::jsonata::Expression;
use crate::expr::path::{Path, ReferencePath};
use crate::expr::template::Template;
use std::sync::Arc;

crate::ids! {
    /// A state, anywhere in the machine.
    pub StateId;
    /// A `States` object: the machine's own, a branch's or an item processor's.
    pub ScopeId;
}

/// A compiled definition.
#[derive(Clone, Debug)]
pub struct Machine {
    /// All states of all scopes.
    pub states: IdVec<StateId, State>,
    /// All `States` objects; the first is the machine's own.
    pub scopes: IdVec<ScopeId, Scope>,
    /// `TimeoutSeconds` of the machine.
    pub timeout: Option<u64>,
    /// A hash of the definition. A snapshot is only restored into the machine from which it was taken.
    pub digest: u64,
}

impl Machine {
    /// The machine's own `States`.
    pub const ROOT: ScopeId = ScopeId(0);
}

/// One `States` object.
#[derive(Clone, Debug)]
pub struct Scope {
    /// `StartAt`.
    pub start: StateId,
}

/// The language in which a state's fields are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum QueryLanguage {
    /// Paths, templates and intrinsic functions.
    JsonPath,
    /// `{% … %}`
    Jsonata,
}

/// One state. Fields that its type or language lacks hold their neutral value.
#[derive(Clone, Debug)]
pub struct State {
    /// The name: unique in the whole machine.
    pub name: Arc<str>,
    /// The `States` object that contains the state.
    pub scope: ScopeId,
    /// The state's location in the definition.
    pub pointer: Pointer,
    /// The state's language.
    pub language: QueryLanguage,
    /// The state's type and the fields of that type.
    pub kind: Kind,
    /// `Next`; `None` for `End: true`, Succeed, Fail and Choice.
    pub next: Option<StateId>,
    /// `InputPath`
    pub input_path: PathField,
    /// `Parameters` (JSONPath; of a Map only where it is not its ItemSelector) or `Arguments` (JSONata).
    pub parameters: Option<Payload>,
    /// `ResultSelector`
    pub result_selector: Option<Template>,
    /// `ResultPath`
    pub result_path: ResultPath,
    /// `OutputPath`
    pub output_path: PathField,
    /// `Output` (JSONata).
    pub output: Option<Payload>,
    /// `Assign`; for a Choice the one that applies when Default is taken.
    pub assign: Option<Payload>,
    /// `Retry`
    pub retry: Vec<Retrier>,
    /// `Catch`
    pub catch: Vec<Catcher>,
    /// Whether any of its fields reads the Context Object; if not, the engine never builds it.
    pub uses_context: bool,
}

impl State {
    /// Whether the fields of a Task or Pass imply that its effective input is the state's raw input.
    pub(crate) fn calls_with_input(&self) -> bool {
        self.parameters.is_none() && (self.language == QueryLanguage::Jsonata || self.input_path.is_whole())
    }

    /// Whether a state without a result passes on its raw input.
    pub(crate) fn passes_input(&self) -> bool {
        match self.language {
            QueryLanguage::JsonPath => self.input_path.is_whole() && self.output_path.is_whole(),
            QueryLanguage::Jsonata => self.output.is_none(),
        }
    }

    /// Whether a state that has a result passes on the complete result.
    pub(crate) fn passes_result(&self) -> bool {
        match self.language {
            QueryLanguage::JsonPath => {
                self.result_selector.is_none() && matches!(self.result_path, ResultPath::Whole) && self.output_path.is_whole()
            }
            QueryLanguage::Jsonata => self.output.is_none(),
        }
    }

    /// Whether a state that has a result passes on its raw input instead.
    pub(crate) fn drops_result(&self) -> bool {
        self.language == QueryLanguage::JsonPath && matches!(self.result_path, ResultPath::Discard) && self.output_path.is_whole()
    }
}

/// InputPath, OutputPath, ItemsPath.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum PathField {
    /// Absent or `$`.
    Whole,
    /// `null`: the value is `{}`.
    Nothing,
    /// Any other path.
    Path(Path),
}

impl PathField {
    pub(crate) fn is_whole(&self) -> bool {
        matches!(self, PathField::Whole)
    }
}

/// ResultPath of a state or a catcher.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ResultPath {
    /// Absent or `$`: the result replaces the input.
    Whole,
    /// `null`: the result is dropped.
    Discard,
    /// Any other location in the input.
    At(ReferencePath),
}

/// A JSON value with computed parts, in either language.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Payload {
    /// Members ending in `.$`.
    JsonPath(Template),
    /// Strings `{% … %}` at any depth.
    Jsonata(JsonataTemplate),
}

/// A JSON value in which strings `{% … %}` are expressions.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum JsonataTemplate {
    /// A value without expressions.
    Literal(Value),
    /// One expression.
    Expression(Expression),
    /// An array that contains expressions.
    Array(Vec<JsonataTemplate>),
    /// An object that contains expressions.
    Object(Vec<(Arc<str>, JsonataTemplate)>),
}

/// A field that is fixed in the definition or evaluated at run time.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Field<T> {
    /// Written in the definition.
    Fixed(T),
    /// The `…Path` form.
    Path(Path),
    /// An intrinsic call, which ErrorPath and CausePath allow.
    Call(Call),
    /// `{% … %}`
    Jsonata(Expression),
}

/// The state type and the fields that only this type has.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Kind {
    /// Pass
    Pass {
        /// `Result`
        result: Option<Value>,
    },
    /// Task
    Task(Task),
    /// Choice
    Choice {
        /// `Choices` in order.
        rules: Vec<Rule>,
        /// `Default`
        default: Option<StateId>,
    },
    /// Wait
    Wait(Wait),
    /// Succeed
    Succeed,
    /// Fail
    Fail {
        /// `Error` or `ErrorPath`
        error: Option<Field<Arc<str>>>,
        /// `Cause` or `CausePath`
        cause: Option<Field<Arc<str>>>,
    },
    /// Parallel
    Parallel {
        /// `Branches` in order.
        branches: Vec<ScopeId>,
    },
    /// Map
    Map(Box<MapState>),
}

impl Kind {
    /// The `Type` as written.
    pub fn type_name(&self) -> &'static str {
        match self {
            Kind::Pass { .. } => "Pass",
            Kind::Task(_) => "Task",
            Kind::Choice { .. } => "Choice",
            Kind::Wait(_) => "Wait",
            Kind::Succeed => "Succeed",
            Kind::Fail { .. } => "Fail",
            Kind::Parallel { .. } => "Parallel",
            Kind::Map(_) => "Map",
        }
    }
}

/// The fields of a Task.
#[derive(Clone, Debug)]
pub struct Task {
    /// `Resource` as it is written.
    pub resource: Arc<str>,
    /// `Resource`, parsed.
    pub parsed: Resource,
    /// `TimeoutSeconds`, `TimeoutSecondsPath`
    pub timeout: Option<Field<u64>>,
    /// `HeartbeatSeconds`, `HeartbeatSecondsPath`
    pub heartbeat: Option<Field<u64>>,
    /// `Credentials`
    pub credentials: Option<Payload>,
}

impl Task {
    /// Returns a Task that has only a resource.
    pub(crate) fn of(resource: Arc<str>) -> Task {
        Task { parsed: Resource::parse(&resource), resource, timeout: None, heartbeat: None, credentials: None }
    }
}

/// The four forms of a Wait.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Wait {
    /// `Seconds`, `SecondsPath`
    Seconds(Field<u64>),
    /// `Timestamp` (fixed: the text, checked), `TimestampPath`
    Timestamp(Field<Arc<str>>),
}

/// One element of `Choices`.
#[derive(Clone, Debug)]
pub struct Rule {
    /// When the rule applies.
    pub condition: Condition,
    /// `Next`
    pub next: StateId,
    /// `Assign`
    pub assign: Option<Payload>,
    /// `Output` (JSONata).
    pub output: Option<Payload>,
}

/// A Choice rule's test.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Condition {
    /// True if all are true; evaluated from left to right up to the first false one.
    And(Vec<Condition>),
    /// True if any is true; evaluated from left to right up to the first true one.
    Or(Vec<Condition>),
    /// The negation.
    Not(Box<Condition>),
    /// `Variable` and one operator.
    Test {
        /// `Variable`
        variable: Path,
        /// The operator with its operand.
        test: Test,
    },
    /// `Condition` (JSONata), an expression.
    Jsonata(Expression),
    /// `Condition` (JSONata), a literal boolean.
    Constant(bool),
}

/// A comparison operator of a Choice rule with its operand.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Test {
    /// The four families of comparisons, with a literal or a path.
    Compare {
        /// The type of the values that it compares; a value of any other type makes it false.
        family: Family,
        /// The outcomes that are true.
        operator: Comparison,
        /// The value to compare with.
        operand: Operand,
    },
    /// `StringMatches`, the pattern as written.
    Matches(Arc<str>),
    /// `IsNull`, `IsPresent` …: the type test, and the result that makes the rule true.
    Is(TypeTest, bool),
}

/// The type of both sides of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Family {
    /// Strings, by UTF-16 code units.
    String,
    /// Numbers, mathematically.
    Numeric,
    /// Booleans.
    Boolean,
    /// RFC 3339 strings, as instants.
    Timestamp,
}

/// The order that a comparison tests for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Comparison {
    /// …Equals
    Equals,
    /// …LessThan
    LessThan,
    /// …GreaterThan
    GreaterThan,
    /// …LessThanEquals
    LessThanEquals,
    /// …GreaterThanEquals
    GreaterThanEquals,
}

/// The right side of a comparison.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Operand {
    /// A value of the family's type.
    Literal(Value),
    /// The `…Path` form.
    Path(Path),
}

/// The six type tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TypeTest {
    /// IsNull
    Null,
    /// IsPresent
    Present,
    /// IsNumeric
    Numeric,
    /// IsString
    String,
    /// IsBoolean
    Boolean,
    /// IsTimestamp
    Timestamp,
}

/// The fields of a Map.
#[derive(Clone, Debug)]
pub struct MapState {
    /// `ItemProcessor` (or `Iterator`).
    pub processor: ScopeId,
    /// `ProcessorConfig.Mode`
    pub mode: MapMode,
    /// `ItemsPath` (JSONPath).
    pub items_path: PathField,
    /// `Items` (JSONata).
    pub items: Option<JsonataTemplate>,
    /// `ItemSelector` (or `Parameters`), with the name of the field.
    pub item_selector: Option<(&'static str, Payload)>,
    /// `MaxConcurrency`, `MaxConcurrencyPath`
    pub max_concurrency: Option<Field<u64>>,
    /// `ItemReader`
    pub item_reader: Option<ItemReader>,
    /// `ItemBatcher`
    pub item_batcher: Option<ItemBatcher>,
    /// `ResultWriter`
    pub result_writer: Option<ResultWriter>,
    /// `ToleratedFailureCount`, `…Path`
    pub tolerated_count: Option<Field<u64>>,
    /// `ToleratedFailurePercentage`, `…Path`
    pub tolerated_percentage: Option<Field<f64>>,
    /// `Label`
    pub label: Option<Arc<str>>,
}

/// How a Map runs its iterations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MapMode {
    /// As iterations in the execution itself.
    Inline,
    /// As child executions.
    Distributed {
        /// `ExecutionType` is `EXPRESS`.
        express: bool,
    },
}

/// `ItemReader`
#[derive(Clone, Debug)]
pub struct ItemReader {
    /// `Resource`
    pub resource: Arc<str>,
    /// `Parameters` or `Arguments`
    pub parameters: Option<Payload>,
    /// `ReaderConfig` without its limit: `InputType`, `CSVHeaders` … as written.
    pub config: Option<Payload>,
    /// `ReaderConfig.MaxItems`, `MaxItemsPath`
    pub max_items: Option<Field<i64>>,
}

/// `ItemBatcher`
#[derive(Clone, Debug)]
pub struct ItemBatcher {
    /// `MaxItemsPerBatch`, `…Path`
    pub max_items: Option<Field<u64>>,
    /// `MaxInputBytesPerBatch`, `…Path`
    pub max_bytes: Option<Field<u64>>,
    /// `BatchInput`
    pub batch_input: Option<Payload>,
}

/// `ResultWriter`
#[derive(Clone, Debug)]
pub struct ResultWriter {
    /// `Resource`; without it the results are in the output.
    pub resource: Option<Arc<str>>,
    /// `Parameters` or `Arguments`
    pub parameters: Option<Payload>,
    /// `WriterConfig.Transformation`: `NONE`, `COMPACT`, `FLATTEN`
    pub transformation: Option<Arc<str>>,
    /// `WriterConfig.OutputType`: `JSON`, `JSONL`
    pub output_type: Option<Arc<str>>,
}

/// One element of `Retry`.
#[derive(Clone, Debug)]
pub struct Retrier {
    /// `ErrorEquals`
    pub errors: Vec<Arc<str>>,
    /// `IntervalSeconds`, default 1.
    pub interval: u64,
    /// `MaxAttempts`, default 3.
    pub max_attempts: u64,
    /// `BackoffRate`, default 2.0.
    pub backoff_rate: f64,
    /// `MaxDelaySeconds`
    pub max_delay: Option<u64>,
    /// `JitterStrategy` is `FULL`.
    pub jitter: bool,
}

/// One element of `Catch`.
#[derive(Clone, Debug)]
pub struct Catcher {
    /// `ErrorEquals`
    pub errors: Vec<Arc<str>>,
    /// `Next`
    pub next: StateId,
    /// `ResultPath` (JSONPath).
    pub result_path: ResultPath,
    /// `Output` (JSONata).
    pub output: Option<Payload>,
    /// `Assign`
    pub assign: Option<Payload>,
}
