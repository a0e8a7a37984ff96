//! Writes and reads the format: one object or one list at a time.

use super::{RestoreError, Restored};
use crate::base::{Map, Millis, Value, json};
use crate::engine::timers::TimerKey;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// Writes a timer's key. The end of time does not fit into a signed integer: it is -1.
pub(super) fn timer_out((at, seq): TimerKey) -> Value {
    let at = i64::try_from(at.0).unwrap_or(-1);
    Value::from(Map::from_iter([("at", Value::from(at)), ("number", Value::from(seq as i64))]))
}

pub(super) fn timer_in(input: &Input<'_>) -> Restored<TimerKey> {
    let at = match input.integer("at")? {
        -1 => u64::MAX,
        at => u64::try_from(at).map_err(|_| input.wrong("at"))?,
    };
    Ok((Millis(at), input.unsigned("number")?))
}

pub(super) fn numbers(items: impl IntoIterator<Item = u64>) -> Value {
    Value::from(items.into_iter().map(|n| Value::from(n as i64)).collect::<Vec<_>>())
}

/// The text of a snapshot. Frames share payloads: the text of a repeated one is copied.
#[derive(Default)]
pub(super) struct FormText {
    text: String,
    seen: json::Seen,
}

impl FormText {
    /// Appends a payload of the engine.
    pub(super) fn payload(&mut self, value: &Value) {
        json::write_again(&mut self.text, value, &mut self.seen);
    }

    pub(super) fn into_string(self) -> String {
        self.text
    }
}

impl Deref for FormText {
    type Target = String;

    fn deref(&self) -> &String {
        &self.text
    }
}

impl DerefMut for FormText {
    fn deref_mut(&mut self) -> &mut String {
        &mut self.text
    }
}

/// Writes one object of the format. It streams into the text and builds no values, because an engine may be large.
pub(super) struct Object<'a> {
    text: &'a mut FormText,
    empty: bool,
}

impl Object<'_> {
    pub(super) fn begin(text: &mut FormText) -> Object<'_> {
        text.push('{');
        Object { text, empty: true }
    }

    /// Writes a member's name; the caller writes its value next.
    pub(super) fn key(&mut self, name: &str) -> &mut FormText {
        if !std::mem::take(&mut self.empty) {
            self.text.push(',');
        }
        json::write_str(self.text, name);
        self.text.push(':');
        self.text
    }

    pub(super) fn set(&mut self, name: &str, value: impl Into<Value>) {
        json::write(self.key(name), &value.into());
    }

    /// Writes a member whose value is a payload of the engine.
    pub(super) fn payload(&mut self, name: &str, value: &Value) {
        self.key(name).payload(value);
    }

    pub(super) fn maybe(&mut self, name: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.set(name, value);
        }
    }

    pub(super) fn object(&mut self, name: &str, write: impl FnOnce(&mut Object<'_>)) {
        let mut inner = Object::begin(self.key(name));
        write(&mut inner);
        inner.end();
    }

    pub(super) fn list<T>(&mut self, name: &str, items: impl IntoIterator<Item = T>, write: impl FnMut(&mut FormText, T)) {
        list(self.key(name), items, write);
    }

    pub(super) fn end(self) {
        self.text.push('}');
    }
}

pub(super) fn list<T>(text: &mut FormText, items: impl IntoIterator<Item = T>, mut write: impl FnMut(&mut FormText, T)) {
    text.push('[');
    for (i, item) in items.into_iter().enumerate() {
        if i > 0 {
            text.push(',');
        }
        write(text, item);
    }
    text.push(']');
}

/// Reads one object of the format. Everything that differs from what the writer produces is an error.
pub(super) struct Input<'a> {
    pub(super) value: &'a Value,
    pub(super) name: &'static str,
}

impl<'a> Input<'a> {
    pub(super) fn wrong(&self, field: &str) -> RestoreError {
        RestoreError::new(format!("{}.{field} is missing or not what was written", self.name))
    }

    pub(super) fn get(&self, field: &str) -> Restored<&'a Value> {
        self.value.get(field).ok_or_else(|| self.wrong(field))
    }

    pub(super) fn object(&self, field: &'static str) -> Restored<Input<'a>> {
        Ok(Input { value: self.get(field)?, name: field })
    }

    pub(super) fn integer(&self, field: &str) -> Restored<i64> {
        self.get(field)?.as_i64().ok_or_else(|| self.wrong(field))
    }

    /// Reads a count or a time. None of a real execution exceeds the integers that JavaScript can represent exactly.
    pub(super) fn unsigned(&self, field: &str) -> Restored<u64> {
        let number = u64::try_from(self.integer(field)?).ok();
        number.filter(|n| *n <= 1 << 53).ok_or_else(|| self.wrong(field))
    }

    pub(super) fn maybe_unsigned(&self, field: &str) -> Restored<Option<u64>> {
        self.value.get(field).map(|_| self.unsigned(field)).transpose()
    }

    pub(super) fn small(&self, field: &str) -> Restored<u32> {
        u32::try_from(self.integer(field)?).map_err(|_| self.wrong(field))
    }

    pub(super) fn boolean(&self, field: &str) -> Restored<bool> {
        self.get(field)?.as_bool().ok_or_else(|| self.wrong(field))
    }

    pub(super) fn text(&self, field: &str) -> Restored<Arc<str>> {
        Ok(self.get(field)?.as_str().ok_or_else(|| self.wrong(field))?.into())
    }

    pub(super) fn maybe_text(&self, field: &str) -> Restored<Option<Arc<str>>> {
        self.value.get(field).map(|_| self.text(field)).transpose()
    }

    pub(super) fn list(&self, field: &str) -> Restored<&'a [Value]> {
        self.get(field)?.as_array().ok_or_else(|| self.wrong(field))
    }

    pub(super) fn texts(&self, field: &str) -> Restored<Vec<Arc<str>>> {
        self.list(field)?.iter().map(|t| t.as_str().map(Arc::from).ok_or_else(|| self.wrong(field))).collect()
    }

    pub(super) fn numbers(&self, field: &str) -> Restored<Vec<u64>> {
        self.list(field)?.iter().map(|n| n.as_i64().and_then(|n| u64::try_from(n).ok()).ok_or_else(|| self.wrong(field))).collect()
    }
}
