//! Things by keys that mostly grow: ids, instants.

use std::ops::Range;

/// An ordered map for keys that are mostly added in rising order: a sorted vector.
///
/// A key that is greater than all others is added in O(1), any other one by moving what is behind it. A removed key
/// leaves its place empty until half of the places are; removing and adding it again moves nothing. The standard
/// `BTreeMap` is some eight kilobytes of WebAssembly for each type of key and value; this is one.
///
/// ```
/// use stepglass::base::Table;
/// let mut table = Table::default();
/// table.insert(1, "a");
/// table.insert(5, "c");
/// table.insert(3, "b");
/// assert_eq!(table.remove(&1), Some("a"));
/// assert_eq!(table.iter().collect::<Vec<_>>(), [(&3, &"b"), (&5, &"c")]);
/// ```
#[derive(Clone, Debug)]
pub struct Table<K, V> {
    /// By key; `None` where one was removed.
    places: Vec<(K, Option<V>)>,
    /// No place before this one is taken.
    first: usize,
    /// None of these is taken either: whoever removes the first thing and adds it again, many times, does not pass them each time.
    gap: Range<usize>,
    /// How many places are taken.
    taken: usize,
}

impl<K: Ord, V> Table<K, V> {
    /// Adds or replaces the thing of a key; returns the one it replaced.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.find(&key) {
            Ok(at) => {
                let before = self.places.get_mut(at).and_then(|place| place.1.replace(value));
                if before.is_none() {
                    self.take(at);
                }
                before
            }
            Err(at) => {
                if at < self.gap.end {
                    self.gap = 0..0;
                }
                self.places.insert(at, (key, Some(value)));
                self.take(at);
                None
            }
        }
    }

    /// A place is taken that was not.
    #[inline(always)]
    fn take(&mut self, at: usize) {
        self.taken += 1;
        if at < self.first {
            self.gap = at + 1..self.first;
            self.first = at;
        } else if self.gap.contains(&at) {
            self.gap.end = at;
        }
    }

    /// The thing of a key.
    pub fn get(&self, key: &K) -> Option<&V> {
        self.places.get(self.find(key).ok()?)?.1.as_ref()
    }

    /// The thing of a key, to change in place.
    #[inline(always)]
    pub fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        let at = self.find(key).ok()?;
        self.places.get_mut(at)?.1.as_mut()
    }

    /// Whether there is a thing of that key.
    pub fn contains_key(&self, key: &K) -> bool {
        self.get(key).is_some()
    }

    /// Removes the thing of a key.
    pub fn remove(&mut self, key: &K) -> Option<V> {
        let at = self.find(key).ok()?;
        let value = self.places.get_mut(at)?.1.take()?;
        self.taken -= 1;
        while self.places.get(self.first).is_some_and(|place| place.1.is_none()) {
            self.first = if self.gap.start == self.first { self.gap.end.max(self.first + 1) } else { self.first + 1 };
        }
        if self.places.len() > 2 * self.taken + 8 {
            self.places.retain(|place| place.1.is_some());
            (self.first, self.gap) = (0, 0..0);
        }
        Some(value)
    }

    /// Keeps the things that a rule holds for.
    pub fn retain(&mut self, mut keep: impl FnMut(&K, &V) -> bool) {
        self.places.retain(|(key, value)| value.as_ref().is_some_and(|value| keep(key, value)));
        self.taken = self.places.len();
        (self.first, self.gap) = (0, 0..0);
    }

    /// Removes everything.
    pub fn clear(&mut self) {
        *self = Table::default();
    }

    /// How many things there are.
    pub fn len(&self) -> usize {
        self.taken
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.taken == 0
    }

    /// The thing with the smallest key.
    pub fn first(&self) -> Option<(&K, &V)> {
        let (key, value) = self.places.get(self.first)?;
        Some((key, value.as_ref()?))
    }

    /// All things in order of their keys.
    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.places.iter().filter_map(|(key, value)| Some((key, value.as_ref()?)))
    }

    /// All keys in order.
    pub fn keys(&self) -> impl Iterator<Item = &K> {
        self.iter().map(|(key, _)| key)
    }

    /// All things in order of their keys.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.iter().map(|(_, value)| value)
    }

    /// The things themselves, in order of their keys.
    pub fn into_values(self) -> impl Iterator<Item = V> {
        self.into_iter().map(|(_, value)| value)
    }

    /// Where a key is, or where it would be.
    #[inline(always)]
    fn find(&self, key: &K) -> Result<usize, usize> {
        match self.places.as_slice() {
            // Ids rise: the newest is asked for most.
            [.., (last, _)] if last == key => Ok(self.places.len() - 1),
            places => search(places, key),
        }
    }
}

#[inline(never)]
fn search<K: Ord, V>(places: &[(K, V)], key: &K) -> Result<usize, usize> {
    match places.last() {
        Some((last, _)) if last < key => Err(places.len()),
        _ => places.binary_search_by(|(other, _)| other.cmp(key)),
    }
}

impl<K, V> Default for Table<K, V> {
    fn default() -> Self {
        Table { places: Vec::new(), first: 0, gap: 0..0, taken: 0 }
    }
}

/// All things with their keys, in order.
impl<K, V> IntoIterator for Table<K, V> {
    type Item = (K, V);
    type IntoIter = std::iter::FilterMap<std::vec::IntoIter<(K, Option<V>)>, fn((K, Option<V>)) -> Option<(K, V)>>;
    fn into_iter(self) -> Self::IntoIter {
        self.places.into_iter().filter_map(|(key, value)| Some((key, value?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Rng;
    use std::collections::BTreeMap;

    #[test]
    fn agrees_with_a_search_tree() {
        let mut rng = Rng::new(3);
        for range in [4, 60, 1000] {
            let (mut ours, mut theirs) = (Table::default(), BTreeMap::new());
            for i in 0..2000_u64 {
                let key = rng.next_u64() % range;
                match rng.next_u64() % 16 {
                    0..9 => assert_eq!(ours.remove(&key), theirs.remove(&key)),
                    9 => {
                        ours.retain(|k, v| (k + v) % 7 != 0);
                        theirs.retain(|k, v| (*k + *v) % 7 != 0);
                    }
                    // The first one goes and comes again.
                    10 => {
                        let Some((&first, &value)) = theirs.first_key_value() else { continue };
                        assert_eq!((ours.remove(&first), theirs.remove(&first)), (Some(value), Some(value)));
                        assert_eq!(ours.first(), theirs.first_key_value());
                        assert_eq!((ours.insert(first, i), theirs.insert(first, i)), (None, None));
                    }
                    _ => assert_eq!(ours.insert(key, i), theirs.insert(key, i)),
                }
                assert_eq!(ours.first(), theirs.first_key_value());
                assert_eq!((ours.len(), ours.get(&key)), (theirs.len(), theirs.get(&key)));
            }
            assert!(ours.iter().eq(theirs.iter()));
            assert!(ours.into_values().eq(theirs.into_values()));
        }
    }
}
