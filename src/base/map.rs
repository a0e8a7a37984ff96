//! The members of an object. They have an order, which equality ignores.

use super::names::Names;
use super::value::Value;
use std::sync::Arc;

/// Up to this number of members a linear search is faster than an index.
const LINEAR: usize = 16;

/// An ordered map from member name to [`Value`].
///
/// Iteration is in insertion order, which AWS preserves through Pass and Task; a replaced member keeps its position.
#[derive(Clone, Debug, Default)]
pub struct Map {
    entries: Vec<(Arc<str>, Value)>,
    index: Option<Names>,
}

impl Map {
    /// Returns an empty map, without allocating.
    pub fn new() -> Map {
        Map::default()
    }

    /// Returns an empty map with capacity for `capacity` members.
    pub fn with_capacity(capacity: usize) -> Map {
        Map { entries: Vec::with_capacity(capacity), index: None }
    }

    /// Number of members.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no member.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    #[inline(never)]
    fn position(&self, key: &str) -> Option<usize> {
        match &self.index {
            Some(index) => index.get(key),
            None => self.entries.iter().position(|(k, _)| &**k == key),
        }
    }

    /// The member named `key`.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.entries.get(self.position(key)?).map(|entry| &entry.1)
    }

    /// The member named `key`, which can be changed.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Value> {
        let at = self.position(key)?;
        self.entries.get_mut(at).map(|entry| &mut entry.1)
    }

    /// Whether there is a member named `key`.
    pub fn contains_key(&self, key: &str) -> bool {
        self.position(key).is_some()
    }

    /// Adds or replaces a member; returns the replaced value.
    pub fn insert(&mut self, key: impl Into<Arc<str>>, value: impl Into<Value>) -> Option<Value> {
        self.set(key.into(), value.into())
    }

    /// Implements [`Map::insert`] for all types of arguments.
    #[inline(never)]
    fn set(&mut self, key: Arc<str>, value: Value) -> Option<Value> {
        if let Some(place) = self.get_mut(&key) {
            return Some(std::mem::replace(place, value));
        }
        if let Some(index) = &mut self.index {
            index.insert(key.clone(), self.entries.len());
        }
        self.entries.push((key, value));
        if self.index.is_none() && self.entries.len() > LINEAR {
            self.reindex();
        }
        None
    }

    /// Removes a member and preserves the order of the others.
    pub fn remove(&mut self, key: &str) -> Option<Value> {
        let i = self.position(key)?;
        let (_, value) = self.entries.remove(i);
        self.index = None;
        if self.entries.len() > LINEAR {
            self.reindex();
        }
        Some(value)
    }

    fn reindex(&mut self) {
        let mut index = Names::default();
        for (i, (key, _)) in self.entries.iter().enumerate() {
            index.insert(key.clone(), i);
        }
        self.index = Some(index);
    }

    /// The members in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&Arc<str>, &Value)> + ExactSizeIterator {
        self.entries.iter().map(|(k, v)| (k, v))
    }

    /// The members in order, as a slice.
    #[inline(always)]
    pub(crate) fn entries(&self) -> &[(Arc<str>, Value)] {
        &self.entries
    }

    /// The names in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &Arc<str>> + ExactSizeIterator {
        self.entries.iter().map(|(k, _)| k)
    }

    /// The values in order of their names.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &Value> + ExactSizeIterator {
        self.entries.iter().map(|(_, v)| v)
    }
}

impl PartialEq for Map {
    fn eq(&self, other: &Map) -> bool {
        self.len() == other.len() && self.iter().all(|(k, v)| other.get(k) == Some(v))
    }
}

impl<K: Into<Arc<str>>, V: Into<Value>> FromIterator<(K, V)> for Map {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(iter: I) -> Map {
        let mut map = Map::new();
        for (k, v) in iter {
            map.insert(k, v);
        }
        map
    }
}

impl IntoIterator for Map {
    type Item = (Arc<str>, Value);
    type IntoIter = std::vec::IntoIter<(Arc<str>, Value)>;
    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}
