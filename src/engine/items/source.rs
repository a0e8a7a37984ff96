//! Sources of items: values of the state's data, or a text from which each item is parsed when it is needed.

use super::csv;
use crate::base::{Map, Value, json};
use std::collections::VecDeque;
use std::sync::Arc;

/// An item, and its name if it is the member of an object.
pub(in crate::engine) type Item = (Option<Arc<str>>, Value);

/// The items of a Map in order, handed out one at a time.
#[derive(Clone, Debug, Default)]
pub(in crate::engine) struct Items {
    pub(in crate::engine) sources: VecDeque<Source>,
    /// How many items are left.
    pub(in crate::engine) left: u64,
    /// How many were handed out.
    pub(in crate::engine) given: u32,
}

/// One part of the items.
#[derive(Clone, Debug)]
pub(in crate::engine) enum Source {
    /// Values that are in memory anyway, from index `next`.
    List {
        values: Arc<Vec<Value>>,
        /// The names by index; empty for an array's elements.
        keys: Vec<Arc<str>>,
        next: usize,
    },
    /// A file. Its text is released as it is read.
    Text(Text),
}

/// A file whose items are read one after another.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Text {
    pub(in crate::engine) text: Arc<String>,
    /// The byte offset of the first unread item.
    pub(in crate::engine) at: usize,
    /// The number of items from that offset.
    pub(in crate::engine) left: u64,
    pub(in crate::engine) format: Format,
}

/// The format of a file's items.
#[derive(Clone, Debug)]
pub(in crate::engine) enum Format {
    /// The elements of a JSON array, after its opening bracket.
    Elements,
    /// JSON values, one per line.
    Lines,
    /// CSV rows.
    Rows { headers: Vec<Arc<str>>, delimiter: char },
}

/// The minimum number of bytes of read text that is released at once.
const RELEASED: usize = 1 << 16;

impl Items {
    /// The elements of an array.
    pub(in crate::engine) fn of_array(values: Arc<Vec<Value>>) -> Items {
        let left = values.len() as u64;
        Items { sources: [Source::List { values, keys: Vec::new(), next: 0 }].into(), left, given: 0 }
    }

    /// The members of an object.
    pub(in crate::engine) fn of_object(members: &Map) -> Items {
        let (keys, values): (Vec<_>, Vec<_>) = members.iter().map(|(key, value)| (key.clone(), value.clone())).unzip();
        let left = values.len() as u64;
        Items { sources: [Source::List { values: values.into(), keys, next: 0 }].into(), left, given: 0 }
    }

    /// The items of a file that was checked and whose items were counted.
    pub(super) fn of_text(text: String, at: usize, left: u64, format: Format) -> Items {
        let text = Text { text: text.into(), at, left, format };
        Items { sources: [Source::Text(text)].into(), left, given: 0 }
    }

    /// Appends other items.
    pub(in crate::engine) fn append(&mut self, others: Items) {
        self.left += others.left;
        self.sources.extend(others.sources);
    }

    /// Keeps only the first items; 0 means all, and so does a number beyond the end (spec §7.6).
    pub(in crate::engine) fn limit(&mut self, max_items: Option<i64>) {
        if let Some(n) = max_items.and_then(|n| u64::try_from(n).ok()).filter(|n| *n > 0) {
            self.left = self.left.min(n);
        }
    }

    /// Returns the next item; `None` after the last. Errors: the text has changed since it was checked.
    pub(in crate::engine) fn next(&mut self) -> Result<Option<Item>, String> {
        while self.left > 0 {
            let item = match self.sources.front_mut() {
                None => break,
                Some(Source::List { values, keys, next }) => {
                    let item = values.get(*next).map(|value| (keys.get(*next).cloned(), value.clone()));
                    *next += 1;
                    item
                }
                Some(Source::Text(text)) => text.next()?.map(|value| (None, value)),
            };
            if item.is_some() {
                self.left -= 1;
                self.given = self.given.saturating_add(1);
                return Ok(item);
            }
            self.sources.pop_front();
        }
        self.left = 0;
        self.sources.clear();
        Ok(None)
    }
}

impl Text {
    fn next(&mut self) -> Result<Option<Value>, String> {
        if self.left == 0 {
            return Ok(None);
        }
        let (value, end) = match &self.format {
            Format::Elements => {
                let begin = element(&self.text, self.at);
                json::parse_at(&self.text, begin).map_err(|error| error.to_string())?
            }
            Format::Lines => {
                let (line, end) = line(&self.text, self.at).ok_or("The file ends too early.")?;
                (json::parse(line).map_err(|error| error.to_string())?, end)
            }
            Format::Rows { headers, delimiter } => {
                let (row, end) = csv::row(&self.text, self.at, *delimiter).ok_or("The file ends too early.")?;
                (csv::item(headers, row), end)
            }
        };
        self.at = end;
        self.left -= 1;
        if self.left == 0 {
            self.text = Arc::default();
            self.at = 0;
        } else if self.at >= RELEASED && self.at * 2 > self.text.len() {
            let text = Arc::make_mut(&mut self.text);
            text.drain(..self.at);
            text.shrink_to_fit();
            self.at = 0;
        }
        Ok(Some(value))
    }
}

/// Returns where the next element of an array, or its closing bracket, begins.
pub(super) fn element(text: &str, at: usize) -> usize {
    let rest = text.as_bytes().get(at..).unwrap_or_default();
    at + rest.iter().take_while(|byte| matches!(byte, b' ' | b'\n' | b'\r' | b'\t' | b',')).count()
}

/// Returns the next line that is not empty, and where the line after it begins.
pub(super) fn line(text: &str, at: usize) -> Option<(&str, usize)> {
    let mut at = at;
    loop {
        let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
        let length = rest.find('\n').map_or(rest.len(), |newline| newline + 1);
        let line = rest.get(..length)?;
        at += length;
        if !line.trim().is_empty() {
            return Some((line, at));
        }
    }
}
