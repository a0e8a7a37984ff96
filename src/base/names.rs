//! Collections that are indexed by name.

use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A search tree from names to positions in a separate list.
///
/// It is a tree and not a hash table, so that no choice of names makes it slow. It is our own, because nothing is ever removed
/// from it, and the standard library's tree takes about eight kilobytes of WebAssembly for each type.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// An AA tree: the level of a node without children is 1, a left child is one level below its parent, a right child at most
    /// one level below, and a right child's right child is strictly below.
    nodes: Vec<Node>,
    root: Link,
}

/// A node's index in the list plus one; 0 for none.
type Link = u32;

#[derive(Clone, Debug)]
struct Node {
    name: Arc<str>,
    position: usize,
    level: u8,
    left: Link,
    right: Link,
}

impl Names {
    /// Adds or replaces the position of a name; returns the replaced position.
    #[inline(never)]
    pub fn insert(&mut self, name: Arc<str>, position: usize) -> Option<usize> {
        if let Some(node) = self.find(&name).and_then(|at| self.nodes.get_mut(at)) {
            return Some(std::mem::replace(&mut node.position, position));
        }
        self.nodes.push(Node { name, position, level: 1, left: 0, right: 0 });
        self.root = self.insert_below(self.root, self.nodes.len() as Link);
        None
    }

    /// Adds the position of a new name; returns whether it was new.
    pub fn add(&mut self, name: &str, position: usize) -> bool {
        let new = !self.contains(name);
        if new {
            self.insert(name.into(), position);
        }
        new
    }

    /// The position of a name.
    pub fn get(&self, name: &str) -> Option<usize> {
        Some(self.nodes.get(self.find(name)?)?.position)
    }

    /// Whether the tree contains the name.
    pub fn contains(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    #[inline(never)]
    fn find(&self, name: &str) -> Option<usize> {
        let mut link = self.root;
        loop {
            let at = (link as usize).checked_sub(1)?;
            let node = self.nodes.get(at)?;
            link = match name.cmp(&node.name) {
                Ordering::Less => node.left,
                Ordering::Greater => node.right,
                Ordering::Equal => return Some(at),
            };
        }
    }

    fn node(&self, link: Link) -> Option<&Node> {
        self.nodes.get((link as usize).checked_sub(1)?)
    }

    fn node_mut(&mut self, link: Link) -> Option<&mut Node> {
        self.nodes.get_mut((link as usize).checked_sub(1)?)
    }

    fn level(&self, link: Link) -> u8 {
        self.node(link).map_or(0, |node| node.level)
    }

    /// Inserts a new node below another one and returns the new root of that subtree. The recursion is at most twice the
    /// logarithm deep.
    fn insert_below(&mut self, below: Link, new: Link) -> Link {
        let (Some(node), Some(leaf)) = (self.node(below), self.node(new)) else { return new };
        if leaf.name < node.name {
            let left = self.insert_below(node.left, new);
            if let Some(node) = self.node_mut(below) {
                node.left = left;
            }
        } else {
            let right = self.insert_below(node.right, new);
            if let Some(node) = self.node_mut(below) {
                node.right = right;
            }
        }
        let top = self.skew(below);
        self.split(top)
    }

    /// Rotates right if the left child has the same level.
    fn skew(&mut self, top: Link) -> Link {
        let Some((left, level)) = self.node(top).map(|node| (node.left, node.level)) else { return top };
        if self.level(left) != level {
            return top;
        }
        let inner = self.node(left).map_or(0, |node| node.right);
        if let Some(node) = self.node_mut(top) {
            node.left = inner;
        }
        if let Some(node) = self.node_mut(left) {
            node.right = top;
        }
        left
    }

    /// Rotates left if three nodes in a row to the right have the same level.
    fn split(&mut self, top: Link) -> Link {
        let Some((right, level)) = self.node(top).map(|node| (node.right, node.level)) else { return top };
        let Some((inner, outer)) = self.node(right).map(|node| (node.left, node.right)) else { return top };
        if self.level(outer) != level {
            return top;
        }
        if let Some(node) = self.node_mut(top) {
            node.right = inner;
        }
        if let Some(node) = self.node_mut(right) {
            node.left = top;
            node.level += 1;
        }
        right
    }
}

/// Items by name, in insertion order; of several items with one name the last counts.
///
/// ```
/// use stepglass::base::Named;
/// let marks = Named::from_iter([("a", 1), ("b", 2), ("a", 3)]);
/// assert_eq!((marks.get("a"), marks.get("c")), (Some(&3), None));
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(from = "BTreeMap<String, T>", into = "BTreeMap<String, T>", bound(serialize = "T: Serialize + Clone"))]
pub struct Named<T> {
    names: Names,
    things: Vec<(Arc<str>, T)>,
}

impl<T> Named<T> {
    /// Returns the item with this name.
    pub fn get(&self, name: &str) -> Option<&T> {
        self.things.get(self.names.get(name)?).map(|(_, thing)| thing)
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.things.is_empty()
    }

    /// All items, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&Arc<str>, &T)> {
        self.things.iter().map(|(name, thing)| (name, thing))
    }

    fn put(&mut self, name: Arc<str>, thing: T) {
        match self.names.get(&name).and_then(|at| self.things.get_mut(at)) {
            Some(place) => place.1 = thing,
            None => {
                self.names.insert(name.clone(), self.things.len());
                self.things.push((name, thing));
            }
        }
    }
}

impl<T> Default for Named<T> {
    fn default() -> Self {
        Named { names: Names::default(), things: Vec::new() }
    }
}

impl<K: Into<Arc<str>>, T> FromIterator<(K, T)> for Named<T> {
    fn from_iter<I: IntoIterator<Item = (K, T)>>(all: I) -> Self {
        let mut named = Named::default();
        for (name, thing) in all {
            named.put(name.into(), thing);
        }
        named
    }
}

impl<T: PartialEq> PartialEq for Named<T> {
    fn eq(&self, other: &Self) -> bool {
        self.things.len() == other.things.len() && self.iter().all(|(name, thing)| other.get(name) == Some(thing))
    }
}

impl<T: Eq> Eq for Named<T> {}

impl<T> From<BTreeMap<String, T>> for Named<T> {
    fn from(tree: BTreeMap<String, T>) -> Self {
        tree.into_iter().collect()
    }
}

impl<T> From<Named<T>> for BTreeMap<String, T> {
    fn from(named: Named<T>) -> Self {
        named.things.into_iter().map(|(name, thing)| (name.to_string(), thing)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Rng;

    #[test]
    fn the_tree_equals_a_standard_one_and_stays_low() {
        let mut rng = Rng::new(5);
        for (count, range) in [(200, 40), (5000, 100_000), (5000, 0), (5000, 1)] {
            let (mut ours, mut theirs) = (Names::default(), BTreeMap::new());
            for i in 0..count {
                let name = match range {
                    0 => format!("{i:06}"),
                    1 => format!("{:06}", count - i),
                    range => format!("{}", rng.next_u64() % range),
                };
                assert_eq!(ours.insert(name.as_str().into(), i), theirs.insert(name, i));
            }
            assert_eq!(ours.nodes.len(), theirs.len());
            assert!(theirs.iter().all(|(name, at)| ours.get(name) == Some(*at)));
            assert_eq!((ours.get("none"), ours.contains("")), (None, false));
            assert!(ours.level(ours.root) <= 13, "{}", ours.level(ours.root));
        }
    }

    #[test]
    fn collections_by_name_are_equal_in_any_order() {
        let one = Named::from_iter([("a", 1), ("b", 2)]);
        let other = Named::from_iter([("b", 2), ("a", 0), ("a", 1)]);
        assert_eq!(one, other);
        let text = serde_json::to_string(&other).unwrap();
        assert_eq!(text, r#"{"a":1,"b":2}"#);
        assert_eq!(serde_json::from_str::<Named<i32>>(&text).unwrap(), one);
    }
}
