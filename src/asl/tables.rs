//! The field tables as JSON, for programs that are not written in Rust. `cargo xtask tables` writes them to
//! `js/core/definition/fields.json`. Nothing in the crate calls this module, so the linker leaves it out of the WebAssembly module.

use super::ir::QueryLanguage;
use super::shape::{self, Row, Shape, Type};
use crate::base::{Map, Value};

/// Returns the fields of every object of a definition: `{machine, states: {Task, …}, branch, processor, objects: {ItemReader, …},
/// retrier, catcher, rule: {JSONPath, JSONata}}`. Each of these is an object with a member for each field:
/// `{type, words?, min?, max?, required?, language?, computable?}`.
///
/// # Example
///
/// ```
/// let fields = stepglass::asl::tables::fields().to_string();
/// assert!(fields.contains(r#""Resource":{"type":"string","required":true}"#));
/// ```
pub fn fields() -> Value {
    let states = shape::STATE_TYPES.iter().zip(&shape::STATES).map(|(name, shape)| (*name, of_shape(shape)));
    let objects = [
        ("ProcessorConfig", &shape::PROCESSOR_CONFIG),
        ("ItemReader", &shape::ITEM_READER),
        ("ReaderConfig", &shape::READER_CONFIG),
        ("ItemBatcher", &shape::ITEM_BATCHER),
        ("ResultWriter", &shape::RESULT_WRITER),
        ("WriterConfig", &shape::WRITER_CONFIG),
    ];
    let rule = [("JSONPath", of_shape(&shape::JSONPATH_RULE)), ("JSONata", of_shape(&shape::JSONATA_RULE))];
    object([
        ("machine", of_shape(&shape::MACHINE)),
        ("states", object(states)),
        ("branch", of_shape(&shape::BRANCH)),
        ("processor", of_shape(&shape::PROCESSOR)),
        ("objects", object(objects.into_iter().map(|(name, shape)| (name, of_shape(shape))))),
        ("retrier", of_shape(&shape::RETRIER)),
        ("catcher", of_shape(&shape::CATCHER)),
        ("rule", object(rule)),
    ])
}

fn object(members: impl IntoIterator<Item = (&'static str, Value)>) -> Value {
    let mut map = Map::default();
    for (name, value) in members {
        map.insert(name, value);
    }
    map.into()
}

fn of_shape(shape: &Shape) -> Value {
    object(shape.fields().map(|row| (row.name, of_row(row))))
}

fn of_row(row: &Row) -> Value {
    let (name, limits) = of_type(row.ty);
    let language = row.language.map(|language| match language {
        QueryLanguage::JsonPath => "JSONPath",
        QueryLanguage::Jsonata => "JSONata",
    });
    let mut members = vec![("type", Value::from(name))];
    members.extend(limits);
    members.extend(row.required.then(|| ("required", Value::from(true))));
    members.extend(language.map(|language| ("language", Value::from(language))));
    members.extend(row.computable.then(|| ("computable", Value::from(true))));
    object(members)
}

/// Returns the name of a type, and what limits its values. A largest value that only the type of the number sets is left out.
fn of_type(ty: Type) -> (&'static str, Vec<(&'static str, Value)>) {
    match ty {
        Type::Any => ("any", Vec::new()),
        Type::String => ("string", Vec::new()),
        Type::Word(words) => {
            let words = words.iter().map(|word| Value::from(*word)).collect::<Vec<_>>();
            ("word", vec![("words", Value::from(words))])
        }
        Type::Boolean => ("boolean", Vec::new()),
        Type::Integer(min, max) => {
            let max = (max < i64::MAX).then(|| ("max", Value::from(max)));
            ("integer", [("min", Value::from(min))].into_iter().chain(max).collect())
        }
        Type::Number(min, max) => {
            let max = (max < f64::MAX).then(|| ("max", number(max)));
            ("number", [("min", number(min))].into_iter().chain(max).collect())
        }
        Type::Timestamp => ("timestamp", Vec::new()),
        Type::Object => ("object", Vec::new()),
        Type::List => ("list", Vec::new()),
        Type::Filled => ("filledList", Vec::new()),
        Type::StringOrNull => ("stringOrNull", Vec::new()),
        Type::Items => ("items", Vec::new()),
    }
}

/// Returns a limit. All limits of numbers in the tables are integers.
#[allow(clippy::cast_possible_truncation, reason = "the limits in the tables are small integers")]
fn number(limit: f64) -> Value {
    Value::from(limit as i64)
}
