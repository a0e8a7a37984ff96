//! An ordered map for keys that mostly increase, such as ids and times.

use std::ops::Range;

/// An ordered map for keys that are mostly added in rising order: a sorted vector.
///
/// Adding a key that is greater than all others takes O(1); adding another one moves everything after it. A removed key leaves
/// its slot empty until half of the slots are; removing and adding it again moves nothing. The standard `BTreeMap` takes about
/// eight kilobytes of WebAssembly for each type of key and value; this takes one.
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
    /// The slots in order of the keys; the value is `None` if it was removed.
    slots: Vec<(K, Option<V>)>,
    /// All slots before this index are empty.
    first: usize,
    /// All slots in this range are empty too, so that removing and adding the first entry many times does not scan them each
    /// time.
    gap: Range<usize>,
    /// The number of entries.
    count: usize,
}

impl<K: Ord, V> Table<K, V> {
    /// Adds or replaces the value of a key; returns the replaced value.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.find(&key) {
            Ok(at) => {
                let before = self.slots.get_mut(at).and_then(|place| place.1.replace(value));
                if before.is_none() {
                    self.take(at);
                }
                before
            }
            Err(at) => {
                if at < self.gap.end {
                    self.gap = 0..0;
                }
                self.slots.insert(at, (key, Some(value)));
                self.take(at);
                None
            }
        }
    }

    /// Counts an empty slot that is filled.
    #[inline(always)]
    fn take(&mut self, at: usize) {
        self.count += 1;
        if at < self.first {
            self.gap = at + 1..self.first;
            self.first = at;
        } else if self.gap.contains(&at) {
            self.gap.end = at;
        }
    }

    /// Returns the value of a key.
    pub fn get(&self, key: &K) -> Option<&V> {
        self.slots.get(self.find(key).ok()?)?.1.as_ref()
    }

    /// Returns the value of a key, which can be changed.
    #[inline(always)]
    pub fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        let at = self.find(key).ok()?;
        self.slots.get_mut(at)?.1.as_mut()
    }

    /// Whether there is a value for the key.
    pub fn contains_key(&self, key: &K) -> bool {
        self.get(key).is_some()
    }

    /// Removes and returns the value of a key.
    pub fn remove(&mut self, key: &K) -> Option<V> {
        let at = self.find(key).ok()?;
        let value = self.slots.get_mut(at)?.1.take()?;
        self.count -= 1;
        while self.slots.get(self.first).is_some_and(|place| place.1.is_none()) {
            self.first = if self.gap.start == self.first { self.gap.end.max(self.first + 1) } else { self.first + 1 };
        }
        if self.slots.len() > 2 * self.count + 8 {
            self.slots.retain(|place| place.1.is_some());
            (self.first, self.gap) = (0, 0..0);
        }
        Some(value)
    }

    /// Removes the entries for which `keep` returns false.
    pub fn retain(&mut self, mut keep: impl FnMut(&K, &V) -> bool) {
        self.slots.retain(|(key, value)| value.as_ref().is_some_and(|value| keep(key, value)));
        self.count = self.slots.len();
        (self.first, self.gap) = (0, 0..0);
    }

    /// Removes everything.
    pub fn clear(&mut self) {
        *self = Table::default();
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The entry with the smallest key.
    pub fn first(&self) -> Option<(&K, &V)> {
        let (key, value) = self.slots.get(self.first)?;
        Some((key, value.as_ref()?))
    }

    /// All entries in order of their keys.
    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.slots.iter().filter_map(|(key, value)| Some((key, value.as_ref()?)))
    }

    /// All keys in order.
    pub fn keys(&self) -> impl Iterator<Item = &K> {
        self.iter().map(|(key, _)| key)
    }

    /// All values in order of their keys.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.iter().map(|(_, value)| value)
    }

    /// Returns the values in order of their keys.
    pub fn into_values(self) -> impl Iterator<Item = V> {
        self.into_iter().map(|(_, value)| value)
    }

    /// Returns the index of a key, or where it would be inserted.
    #[inline(always)]
    fn find(&self, key: &K) -> Result<usize, usize> {
        match self.slots.as_slice() {
            // Ids increase, and the newest is looked up most often.
            [.., (last, _)] if last == key => Ok(self.slots.len() - 1),
            slots => search(slots, key),
        }
    }
}

#[inline(never)]
fn search<K: Ord, V>(slots: &[(K, V)], key: &K) -> Result<usize, usize> {
    match slots.last() {
        Some((last, _)) if last < key => Err(slots.len()),
        _ => slots.binary_search_by(|(other, _)| other.cmp(key)),
    }
}

impl<K, V> Default for Table<K, V> {
    fn default() -> Self {
        Table { slots: Vec::new(), first: 0, gap: 0..0, count: 0 }
    }
}

/// All entries in order of their keys.
impl<K, V> IntoIterator for Table<K, V> {
    type Item = (K, V);
    type IntoIter = std::iter::FilterMap<std::vec::IntoIter<(K, Option<V>)>, fn((K, Option<V>)) -> Option<(K, V)>>;
    fn into_iter(self) -> Self::IntoIter {
        self.slots.into_iter().filter_map(|(key, value)| Some((key, value?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Rng;
    use std::collections::BTreeMap;

    #[test]
    fn the_table_equals_a_standard_map() {
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
                    // This case removes the first entry and adds it again.
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
