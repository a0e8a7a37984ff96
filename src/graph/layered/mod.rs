//! Layered layout of one flat graph: it takes boxes, and returns positions and orthogonal polylines.
//!
//! The terms are those of a drawing from top to bottom; for a drawing from left to right the caller swaps the axes. The steps
//! are: break cycles ([`cycles`]), give each box a rank ([`ranks`]), find the main story ([`story`]), split long links into
//! steps from layer to layer ([`layers`]), order each layer ([`order`]), find x positions with straight chains ([`columns`]),
//! widen lanes ([`lanes`]), route ([`route`]).
//!
//! All numbers are whole pixels, so there is no rounding that differs between machines. Every step is linear or nearly linear
//! in the numbers of boxes and steps, and the number of steps is limited by a budget.

mod columns;
mod cycles;
mod lanes;
mod layers;
mod order;
mod ranks;
mod route;
mod story;

/// A position in px; y increases downwards.
pub(super) type Point = (i32, i32);

/// A box to place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Item {
    /// The width, which is even.
    pub width: i32,
    pub height: i32,
    /// The distance below its top edge at which links leave and enter at the sides.
    pub side: i32,
}

/// The side at which a link leaves its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    /// At the bottom.
    Flow,
    /// At the right side.
    Catch,
}

/// A connection; at most one for each source, target and class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Link {
    pub from: usize,
    pub to: usize,
    pub class: Class,
    /// How important it is that the link is short and straight.
    pub weight: i32,
    /// The size of its text.
    pub label: Option<(i32, i32)>,
}

/// The path of a link.
#[derive(Clone, Debug, Default)]
pub(super) struct Route {
    /// The corners from source to target; consecutive ones share an x or a y.
    pub points: Vec<Point>,
    /// The top left corner of its text.
    pub label: Option<Point>,
    /// Whether it leads back, against the direction of the drawing.
    pub back: bool,
}

/// A finished layout.
#[derive(Debug, Default)]
pub(super) struct Placement {
    pub width: i32,
    pub height: i32,
    /// The top left corner of each item.
    pub items: Vec<Point>,
    /// One for each link.
    pub routes: Vec<Route>,
    /// The number of crossings of steps between neighbouring layers.
    pub crossings: u64,
    /// Whether each item can be reached from the first one.
    pub reached: Vec<bool>,
}

/// Lays out a graph that starts at the first item.
pub(super) fn place(items: &[Item], links: &[Link]) -> Placement {
    let cycles = cycles::find(items.len(), links);
    let ranks = ranks::assign(items.len(), links, &cycles);
    let story = story::tell(items.len(), links, &cycles, &ranks);
    let mut layers = layers::Layers::build(items, links, &cycles, &ranks, &story);
    let crossings = order::minimize(&mut layers);
    let x = columns::assign(&layers, links, &story);
    lanes::settle_entries(&mut layers, items.len(), &x);
    lanes::widen(&mut layers, items.len(), &x);
    let mut placement = route::route(&layers, items, links, &cycles, &x);
    placement.crossings = crossings;
    placement.reached = cycles.reached;
    placement
}

/// Numbers with their sort keys.
type Pairs = Vec<(i64, u32)>;

/// Up to this number of pairs are sorted by insertion.
const SHORT: usize = 24;

/// Sorts by key, then by number. The layout uses only this sort, so that its code exists once.
#[inline(never)]
fn sort(pairs: &mut [(i64, u32)]) {
    // The sweeps often sort the few links of a node: short lists are sorted in place.
    if pairs.len() > SHORT {
        return crate::base::sort::sort(pairs);
    }
    for end in 1..pairs.len() {
        let mut at = end;
        while at > 0 && pairs[at - 1] > pairs[at] {
            pairs.swap(at - 1, at);
            at -= 1;
        }
    }
}

/// Returns the numbers below `count`, sorted by key; equal keys keep their order.
fn sorted(count: usize, key: impl Fn(usize) -> i64) -> Pairs {
    let mut pairs: Pairs = (0..count).map(|i| (key(i), i as u32)).collect();
    sort(&mut pairs);
    pairs
}

/// Numbers grouped by a key: the links that leave each item, the steps that enter each node.
#[derive(Debug)]
struct Groups {
    starts: Vec<u32>,
    members: Vec<u32>,
}

impl Groups {
    /// Groups `0..keys.len()` by key, each group in ascending order; `None` is in no group.
    fn new(groups: usize, keys: impl Iterator<Item = Option<usize>> + Clone) -> Groups {
        let mut starts = vec![0u32; groups + 1];
        for key in keys.clone().flatten() {
            starts[key + 1] += 1;
        }
        for i in 0..groups {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut members = vec![0u32; starts[groups] as usize];
        for (member, key) in keys.enumerate() {
            if let Some(key) = key {
                members[next[key] as usize] = member as u32;
                next[key] += 1;
            }
        }
        Groups { starts, members }
    }

    fn of(&self, group: usize) -> &[u32] {
        &self.members[self.starts[group] as usize..self.starts[group + 1] as usize]
    }
}
