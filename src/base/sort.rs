//! A stable sort, which all modules use.
//!
//! The standard library's sorts are very fast, but each takes about ten kilobytes of WebAssembly for every type that is sorted.
//! Lists here are short or already in order, so one copy for all types is the better choice.

use std::cmp::Ordering;

/// Sorts by a comparison. Equal items keep their order. It takes O(n log n) comparisons and O(n) moves.
///
/// ```
/// use stepglass::base::sort;
/// let mut words = ["bb", "a", "aa", "b"];
/// sort::by(&mut words, |x, y| x.len().cmp(&y.len()));
/// assert_eq!(words, ["a", "b", "bb", "aa"]);
/// ```
pub fn by<T>(items: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) {
    let mut order = order_of(items.len(), &mut |a, b| match (items.get(a as usize), items.get(b as usize)) {
        (Some(a), Some(b)) => compare(a, b),
        _ => Ordering::Equal,
    });
    arrange(&mut order, &mut |a, b| items.swap(a, b));
}

/// Sorts by a key. Equal keys keep their order.
pub fn by_key<T, K: Ord>(items: &mut [T], mut key: impl FnMut(&T) -> K) {
    by(items, |a, b| key(a).cmp(&key(b)));
}

/// Sorts by the natural order.
pub fn sort<T: Ord>(items: &mut [T]) {
    by(items, T::cmp);
}

/// Returns which item belongs at each position. This is a bottom-up merge sort of positions.
#[inline(never)]
fn order_of(length: usize, compare: &mut dyn FnMut(u32, u32) -> Ordering) -> Vec<u32> {
    let mut order: Vec<u32> = (0..length as u32).collect();
    let mut merged = Vec::with_capacity(length);
    let mut width = 1;
    while width < length {
        merged.clear();
        for pair in order.chunks(2 * width) {
            let (mut left, mut right) = pair.split_at(width.min(pair.len()));
            while let (Some((a, rest_left)), Some((b, rest_right))) = (left.split_first(), right.split_first()) {
                // The two runs are in order already, which is common.
                if left.len() == width && left.last().is_some_and(|last| compare(*last, *b).is_le()) {
                    break;
                }
                if compare(*a, *b).is_gt() {
                    merged.push(*b);
                    right = rest_right;
                } else {
                    merged.push(*a);
                    left = rest_left;
                }
            }
            merged.extend_from_slice(left);
            merged.extend_from_slice(right);
        }
        std::mem::swap(&mut order, &mut merged);
        width *= 2;
    }
    order
}

/// Moves every item to its position by swaps, cycle by cycle; overwrites `order`.
#[inline(never)]
fn arrange(order: &mut [u32], swap: &mut dyn FnMut(usize, usize)) {
    for start in 0..order.len() {
        let mut at = start;
        while let Some(place) = order.get_mut(at) {
            let from = std::mem::replace(place, at as u32) as usize;
            if from == start || from == at {
                break;
            }
            swap(at, from);
            at = from;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Rng;

    #[test]
    fn the_order_equals_that_of_the_standard_sort() {
        let mut rng = Rng::new(7);
        for length in (0..40).chain([100, 1000]) {
            for range in [1, 3, 1000] {
                let items: Vec<(u64, usize)> = (0..length).map(|i| (rng.next_u64() % range, i)).collect();
                let (mut ours, mut theirs) = (items.clone(), items);
                by_key(&mut ours, |item| item.0);
                theirs.sort_by_key(|item| item.0);
                assert_eq!(ours, theirs);
                by(&mut ours, |a, b| b.cmp(a));
                theirs.reverse();
                theirs.sort_by(|a, b| b.cmp(a));
                assert_eq!(ours, theirs);
            }
        }
    }
}
