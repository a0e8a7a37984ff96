//! Positions by name.

use std::collections::BTreeMap;
use std::sync::Arc;

/// A search tree from names to positions in a list beside it.
///
/// The one tree of the crate: each type of tree is some eight kilobytes of WebAssembly. A tree and no hash table, so
/// that no choice of names makes it slow.
#[derive(Clone, Debug, Default)]
pub struct Names {
    tree: BTreeMap<Arc<str>, usize>,
}

impl Names {
    /// Adds or replaces the position of a name; returns the one it replaced.
    #[inline(never)]
    pub fn insert(&mut self, name: Arc<str>, position: usize) -> Option<usize> {
        self.tree.insert(name, position)
    }

    /// Adds the position of a name that is new; whether it is.
    pub fn add(&mut self, name: &str, position: usize) -> bool {
        let new = !self.contains(name);
        if new {
            self.insert(name.into(), position);
        }
        new
    }

    /// The position of a name.
    #[inline(never)]
    pub fn get(&self, name: &str) -> Option<usize> {
        self.tree.get(name).copied()
    }

    /// Whether the name is known.
    pub fn contains(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.tree.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.tree.is_empty()
    }
}
