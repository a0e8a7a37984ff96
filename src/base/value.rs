//! The data type of states: a JSON value with shared containers.

use super::map::Map;
use super::number::Number;
use std::fmt;
use std::sync::Arc;

/// A JSON value. Cloning increments a reference count; a write through [`Value::make_object`] or [`Value::make_array`] copies
/// only the shared containers on the path.
///
/// ```
/// use stepglass::base::{json, Value};
/// let big = json::parse(r#"{"orders":[1,2,3]}"#).unwrap();
/// let mut copy = big.clone();                       // no copy of the array
/// copy.make_object().unwrap().insert("done", true);
/// assert_eq!(big.to_string(), r#"{"orders":[1,2,3]}"#);
/// assert_eq!(copy.to_string(), r#"{"orders":[1,2,3],"done":true}"#);
/// ```
#[derive(Clone, PartialEq, Default)]
#[allow(clippy::exhaustive_enums, reason = "JSON has no other kinds of values")]
pub enum Value {
    /// `null`
    #[default]
    Null,
    /// `true`, `false`
    Bool(bool),
    /// A number.
    Number(Number),
    /// A string.
    String(Arc<str>),
    /// An array.
    Array(Arc<Vec<Value>>),
    /// An object.
    Object(Arc<Map>),
}

impl Value {
    /// `{}`
    pub fn empty_object() -> Value {
        Value::Object(Arc::new(Map::new()))
    }

    /// The member of an object; `None` for a missing member and for a value that is not an object.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.as_object()?.get(key)
    }

    /// The element of an array; `None` beyond its end and for a value that is not an array.
    pub fn at(&self, index: usize) -> Option<&Value> {
        self.as_array()?.get(index)
    }

    /// The members, if this is an object.
    pub fn as_object(&self) -> Option<&Map> {
        match self {
            Value::Object(map) => Some(map),
            _ => None,
        }
    }

    /// The elements, if this is an array.
    pub fn as_array(&self) -> Option<&[Value]> {
        match self {
            Value::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The text, if this is a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// The number, if this is one.
    pub fn as_number(&self) -> Option<Number> {
        match self {
            Value::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// The exact integer, if this is a number that is one (`3.0` is).
    pub fn as_i64(&self) -> Option<i64> {
        self.as_number()?.as_i64()
    }

    /// The nearest double, if this is a number.
    pub fn as_f64(&self) -> Option<f64> {
        Some(self.as_number()?.as_f64())
    }

    /// The truth value, if this is a boolean.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(b) => Some(*b),
            _ => None,
        }
    }

    /// Whether this is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }

    /// The members for changes; copies the map if it is shared.
    pub fn make_object(&mut self) -> Option<&mut Map> {
        match self {
            Value::Object(map) => Some(Arc::make_mut(map)),
            _ => None,
        }
    }

    /// The elements for changes; copies the vector if it is shared.
    pub fn make_array(&mut self) -> Option<&mut Vec<Value>> {
        match self {
            Value::Array(items) => Some(Arc::make_mut(items)),
            _ => None,
        }
    }

    /// The type's name in JSON: `null`, `boolean`, `number`, `string`, `array`, `object`.
    pub fn type_name(&self) -> &'static str {
        match self {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        }
    }
}

/// Prints compact JSON text.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&super::json::to_string(self))
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Value {
        Value::Bool(value)
    }
}
impl From<i64> for Value {
    fn from(value: i64) -> Value {
        Value::Number(Number::Int(value))
    }
}
impl From<u32> for Value {
    fn from(value: u32) -> Value {
        Value::Number(Number::Int(value.into()))
    }
}
impl From<i32> for Value {
    fn from(value: i32) -> Value {
        Value::Number(Number::Int(value.into()))
    }
}
impl From<Number> for Value {
    fn from(value: Number) -> Value {
        Value::Number(value)
    }
}
/// NaN and the infinities become `null`, like in `JSON.stringify`.
impl From<f64> for Value {
    fn from(value: f64) -> Value {
        Number::from_f64(value).map_or(Value::Null, Value::Number)
    }
}
impl From<&str> for Value {
    fn from(value: &str) -> Value {
        Value::String(value.into())
    }
}
impl From<String> for Value {
    fn from(value: String) -> Value {
        Value::String(value.into())
    }
}
impl From<Arc<str>> for Value {
    fn from(value: Arc<str>) -> Value {
        Value::String(value)
    }
}
impl From<Vec<Value>> for Value {
    fn from(value: Vec<Value>) -> Value {
        Value::Array(Arc::new(value))
    }
}
impl From<Map> for Value {
    fn from(value: Map) -> Value {
        Value::Object(Arc::new(value))
    }
}

mod serde_impl {
    use super::*;
    use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
    use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

    impl Serialize for Value {
        fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
            match self {
                Value::Null => s.serialize_unit(),
                Value::Bool(b) => s.serialize_bool(*b),
                Value::Number(Number::Int(i)) => s.serialize_i64(*i),
                Value::Number(number) => s.serialize_f64(number.as_f64()),
                Value::String(text) => s.serialize_str(text),
                Value::Array(items) => {
                    let mut seq = s.serialize_seq(Some(items.len()))?;
                    for item in items.iter() {
                        seq.serialize_element(item)?;
                    }
                    seq.end()
                }
                Value::Object(map) => {
                    let mut out = s.serialize_map(Some(map.len()))?;
                    for (k, v) in map.iter() {
                        out.serialize_entry(&**k, v)?;
                    }
                    out.end()
                }
            }
        }
    }

    struct ValueVisitor;

    impl<'de> Visitor<'de> for ValueVisitor {
        type Value = Value;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a JSON value")
        }
        fn visit_unit<E>(self) -> Result<Value, E> {
            Ok(Value::Null)
        }
        fn visit_bool<E>(self, v: bool) -> Result<Value, E> {
            Ok(Value::Bool(v))
        }
        fn visit_i64<E>(self, v: i64) -> Result<Value, E> {
            Ok(Value::Number(Number::Int(v)))
        }
        fn visit_u64<E>(self, v: u64) -> Result<Value, E> {
            Ok(i64::try_from(v).map_or_else(|_| Value::from(v as f64), Value::from))
        }
        fn visit_f64<E: Error>(self, v: f64) -> Result<Value, E> {
            Number::from_f64(v).map(Value::Number).ok_or_else(|| E::custom("number is not finite"))
        }
        fn visit_str<E>(self, v: &str) -> Result<Value, E> {
            Ok(Value::from(v))
        }
        fn visit_string<E>(self, v: String) -> Result<Value, E> {
            Ok(Value::from(v))
        }
        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
            let mut items = Vec::new();
            while let Some(item) = seq.next_element::<Value>()? {
                items.push(item);
            }
            Ok(Value::from(items))
        }
        fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
            let mut map = Map::new();
            while let Some((k, v)) = access.next_entry::<String, Value>()? {
                map.insert(k, v);
            }
            Ok(Value::from(map))
        }
    }

    impl<'de> Deserialize<'de> for Value {
        fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Value, D::Error> {
            d.deserialize_any(ValueVisitor)
        }
    }
}
