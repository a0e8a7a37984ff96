//! This table lists the fields that each object of a definition can have (spec §1.1, §1.3, §1.4, §7.5, §7.6, §7.7). To add a field of
//! a state, begin with its row here.

use super::ir::QueryLanguage;

/// An object's fields.
pub(super) struct Shape {
    /// The object's name in messages: `a Task state`.
    pub noun: &'static str,
    /// Its fields, in the order in which AWS lists missing ones.
    pub rows: &'static [&'static [Row]],
}

/// One field.
pub(super) struct Row {
    /// Its name.
    pub name: &'static str,
    /// The type of its value.
    pub ty: Type,
    /// Whether it is required.
    pub required: bool,
    /// The only language that has it; `None` for both.
    pub language: Option<QueryLanguage>,
    /// Whether a JSONata state may compute it.
    pub computable: bool,
}

/// The type of a field's value.
#[derive(Clone, Copy)]
pub(super) enum Type {
    /// Anything.
    Any,
    /// A string.
    String,
    /// One of these words.
    Word(&'static [&'static str]),
    /// `true` or `false`.
    Boolean,
    /// An integer in a range.
    Integer(i64, i64),
    /// A number in a range.
    Number(f64, f64),
    /// An RFC 3339 string.
    Timestamp,
    /// An object.
    Object,
    /// A list.
    List,
    /// A list with at least one element.
    Filled,
    /// A string or `null`: InputPath, OutputPath, ResultPath.
    StringOrNull,
    /// A list, an object or (in JSONata) an expression: Items.
    Items,
}

const fn field(name: &'static str, ty: Type) -> Row {
    Row { name, ty, required: false, language: None, computable: false }
}

impl Row {
    const fn required(self) -> Row {
        Row { required: true, ..self }
    }
    const fn computable(self) -> Row {
        Row { computable: true, ..self }
    }
    const fn jsonpath(self) -> Row {
        Row { language: Some(QueryLanguage::JsonPath), ..self }
    }
    const fn jsonata(self) -> Row {
        Row { language: Some(QueryLanguage::Jsonata), ..self }
    }
}

/// The largest number of seconds of a timeout, heartbeat or interval.
pub(super) const MAX_SECONDS: i64 = 99_999_999;

/// The state types in AWS's order.
pub(super) static STATE_TYPES: &[&str] = &["Task", "Wait", "Pass", "Succeed", "Fail", "Choice", "Parallel", "Map"];

/// The query languages.
pub(super) static LANGUAGES: &[&str] = &["JSONPath", "JSONata"];

static STATE: &[Row] = &[
    field("Type", Type::Word(STATE_TYPES)).required(),
    field("Comment", Type::String),
    field("QueryLanguage", Type::Word(LANGUAGES)),
];
static TRANSITION: &[Row] = &[field("Next", Type::String), field("End", Type::Boolean)];
static ASSIGN: &[Row] = &[field("Assign", Type::Object)];
static ERRORS: &[Row] = &[field("Retry", Type::List), field("Catch", Type::List)];
static PATHS: &[Row] = &[field("InputPath", Type::StringOrNull).jsonpath(), field("OutputPath", Type::StringOrNull).jsonpath()];
static PARAMETERS: &[Row] = &[field("Parameters", Type::Any).jsonpath()];
static RESULT_SELECTOR: &[Row] = &[field("ResultSelector", Type::Object).jsonpath()];
static RESULT_PATH: &[Row] = &[field("ResultPath", Type::StringOrNull).jsonpath()];
static OUTPUT: &[Row] = &[field("Output", Type::Any).jsonata()];
static ARGUMENTS: &[Row] = &[field("Arguments", Type::Any).jsonata()];

static TASK: &[Row] = &[
    field("Resource", Type::String).required(),
    field("TimeoutSeconds", Type::Integer(1, MAX_SECONDS)).computable(),
    field("TimeoutSecondsPath", Type::String).jsonpath(),
    field("HeartbeatSeconds", Type::Integer(1, MAX_SECONDS)).computable(),
    field("HeartbeatSecondsPath", Type::String).jsonpath(),
    field("Credentials", Type::Object).computable(),
];
static PASS: &[Row] = &[field("Result", Type::Any).jsonpath()];
static CHOICE: &[Row] = &[field("Choices", Type::Filled).required(), field("Default", Type::String)];
static WAIT: &[Row] = &[
    field("Seconds", Type::Integer(0, MAX_SECONDS)).computable(),
    field("Timestamp", Type::Timestamp).computable(),
    field("SecondsPath", Type::String).jsonpath(),
    field("TimestampPath", Type::String).jsonpath(),
];
static FAIL: &[Row] = &[
    field("Error", Type::String).computable(),
    field("Cause", Type::String).computable(),
    field("ErrorPath", Type::String).jsonpath(),
    field("CausePath", Type::String).jsonpath(),
];
static PARALLEL: &[Row] = &[field("Branches", Type::Filled).required()];
static MAP: &[Row] = &[
    field("ItemProcessor", Type::Object),
    field("Iterator", Type::Object),
    field("ItemsPath", Type::String).jsonpath(),
    field("Items", Type::Items).jsonata(),
    field("ItemSelector", Type::Any),
    field("MaxConcurrency", Type::Integer(0, i64::MAX)).computable(),
    field("MaxConcurrencyPath", Type::String).jsonpath(),
    field("ItemReader", Type::Object),
    field("ItemBatcher", Type::Object),
    field("ResultWriter", Type::Object),
    field("ToleratedFailureCount", Type::Integer(0, i64::MAX)).computable(),
    field("ToleratedFailureCountPath", Type::String).jsonpath(),
    field("ToleratedFailurePercentage", Type::Number(0.0, 100.0)).computable(),
    field("ToleratedFailurePercentagePath", Type::String).jsonpath(),
    field("Label", Type::String),
];

/// The machine.
pub(super) static MACHINE: Shape = Shape {
    noun: "a state machine",
    rows: &[&[
        field("States", Type::Object).required(),
        field("StartAt", Type::String).required(),
        field("QueryLanguage", Type::Word(LANGUAGES)),
        field("Comment", Type::String),
        field("Version", Type::String),
        field("TimeoutSeconds", Type::Integer(1, MAX_SECONDS)),
    ]],
};

/// An element of `Branches`.
pub(super) static BRANCH: Shape = Shape { noun: "a branch", rows: &[SCOPE] };

/// `ItemProcessor` or `Iterator`.
pub(super) static PROCESSOR: Shape = Shape { noun: "an item processor", rows: &[SCOPE, &[field("ProcessorConfig", Type::Object)]] };

static SCOPE: &[Row] =
    &[field("States", Type::Object).required(), field("StartAt", Type::String).required(), field("Comment", Type::String)];

/// The states, in the order of [`STATE_TYPES`].
pub(super) static STATES: [Shape; 8] = [
    Shape {
        noun: "a Task state",
        rows: &[STATE, TASK, TRANSITION, PATHS, PARAMETERS, RESULT_SELECTOR, RESULT_PATH, ARGUMENTS, OUTPUT, ASSIGN, ERRORS],
    },
    Shape { noun: "a Wait state", rows: &[STATE, WAIT, TRANSITION, PATHS, OUTPUT, ASSIGN] },
    Shape { noun: "a Pass state", rows: &[STATE, PASS, TRANSITION, PATHS, PARAMETERS, RESULT_PATH, OUTPUT, ASSIGN] },
    Shape { noun: "a Succeed state", rows: &[STATE, PATHS, OUTPUT] },
    Shape { noun: "a Fail state", rows: &[STATE, FAIL] },
    Shape { noun: "a Choice state", rows: &[STATE, CHOICE, PATHS, OUTPUT, ASSIGN] },
    Shape {
        noun: "a Parallel state",
        rows: &[STATE, PARALLEL, TRANSITION, PATHS, PARAMETERS, RESULT_SELECTOR, RESULT_PATH, ARGUMENTS, OUTPUT, ASSIGN, ERRORS],
    },
    Shape {
        noun: "a Map state",
        rows: &[STATE, MAP, TRANSITION, PATHS, PARAMETERS, RESULT_SELECTOR, RESULT_PATH, OUTPUT, ASSIGN, ERRORS],
    },
];

/// `ProcessorConfig`
pub(super) static PROCESSOR_CONFIG: Shape = Shape {
    noun: "ProcessorConfig",
    rows: &[&[field("Mode", Type::Word(&["INLINE", "DISTRIBUTED"])), field("ExecutionType", Type::Word(&["STANDARD", "EXPRESS"]))]],
};

/// `ItemReader`
pub(super) static ITEM_READER: Shape = Shape {
    noun: "ItemReader",
    rows: &[&[
        field("Resource", Type::String).required(),
        field("Parameters", Type::Object).jsonpath(),
        field("Arguments", Type::Object).jsonata().computable(),
        field("ReaderConfig", Type::Object),
    ]],
};

/// `ReaderConfig`
pub(super) static READER_CONFIG: Shape = Shape {
    noun: "ReaderConfig",
    rows: &[&[
        field("InputType", Type::Word(&["CSV", "JSON", "JSONL", "PARQUET", "MANIFEST"])),
        field("CSVHeaderLocation", Type::Word(&["FIRST_ROW", "GIVEN"])),
        field("CSVHeaders", Type::List).computable(),
        field("CSVDelimiter", Type::Word(&["COMMA", "PIPE", "SEMICOLON", "SPACE", "TAB"])),
        field("ItemsPointer", Type::String).computable(),
        field("ManifestType", Type::Word(&["S3_INVENTORY", "ATHENA_DATA"])),
        field("Transformation", Type::Word(&["NONE", "LOAD_AND_FLATTEN"])),
        field("MaxItems", Type::Integer(0, i64::MAX)).computable(),
        field("MaxItemsPath", Type::String).jsonpath(),
    ]],
};

/// `ItemBatcher`
pub(super) static ITEM_BATCHER: Shape = Shape {
    noun: "ItemBatcher",
    rows: &[&[
        field("MaxItemsPerBatch", Type::Integer(1, i64::MAX)).computable(),
        field("MaxItemsPerBatchPath", Type::String).jsonpath(),
        field("MaxInputBytesPerBatch", Type::Integer(1, 262_144)).computable(),
        field("MaxInputBytesPerBatchPath", Type::String).jsonpath(),
        field("BatchInput", Type::Any),
    ]],
};

/// `ResultWriter`
pub(super) static RESULT_WRITER: Shape = Shape {
    noun: "ResultWriter",
    rows: &[&[
        field("Resource", Type::String),
        field("Parameters", Type::Object).jsonpath(),
        field("Arguments", Type::Object).jsonata().computable(),
        field("WriterConfig", Type::Object),
    ]],
};

/// `WriterConfig`
pub(super) static WRITER_CONFIG: Shape = Shape {
    noun: "WriterConfig",
    rows: &[&[
        field("Transformation", Type::Word(&["NONE", "COMPACT", "FLATTEN"])).required(),
        field("OutputType", Type::Word(&["JSON", "JSONL"])).required(),
    ]],
};

/// An element of `Retry`.
pub(super) static RETRIER: Shape = Shape {
    noun: "a retrier",
    rows: &[&[
        field("ErrorEquals", Type::Filled).required(),
        field("IntervalSeconds", Type::Integer(1, MAX_SECONDS)),
        field("MaxAttempts", Type::Integer(0, MAX_SECONDS)),
        field("BackoffRate", Type::Number(1.0, f64::MAX)),
        field("MaxDelaySeconds", Type::Integer(1, 31_622_400)),
        field("JitterStrategy", Type::Word(&["NONE", "FULL"])),
        field("Comment", Type::String),
    ]],
};

/// An element of `Catch`.
pub(super) static CATCHER: Shape = Shape {
    noun: "a catcher",
    rows: &[&[
        field("ErrorEquals", Type::Filled).required(),
        field("Next", Type::String).required(),
        field("ResultPath", Type::StringOrNull).jsonpath(),
        field("Output", Type::Any).jsonata(),
        field("Assign", Type::Object),
        field("Comment", Type::String),
    ]],
};

/// A state whose Type is missing.
pub(super) static UNTYPED: Shape = Shape { noun: "a state", rows: &[STATE] };

/// An element of `Choices` in a JSONPath state, without its comparison.
pub(super) static JSONPATH_RULE: Shape = Shape {
    noun: "a Choice rule",
    rows: &[&[
        field("Variable", Type::String),
        field("Next", Type::String),
        field("Assign", Type::Object),
        field("Comment", Type::String),
    ]],
};

/// An element of `Choices` in a JSONata state.
pub(super) static JSONATA_RULE: Shape = Shape {
    noun: "a Choice rule",
    rows: &[&[
        field("Condition", Type::Boolean).required().computable(),
        field("Next", Type::String).required(),
        field("Assign", Type::Object),
        field("Output", Type::Any),
        field("Comment", Type::String),
    ]],
};

/// Returns the shape of a state of this type.
pub(super) fn state(name: &str) -> Option<&'static Shape> {
    STATES.get(STATE_TYPES.iter().position(|known| *known == name)?)
}

impl Shape {
    /// Returns the field with this name.
    pub(super) fn row(&self, name: &str) -> Option<&'static Row> {
        self.fields().find(|row| row.name == name)
    }

    /// All fields.
    pub(super) fn fields(&self) -> impl Iterator<Item = &'static Row> + use<> {
        self.rows.iter().flat_map(|rows| rows.iter())
    }
}
