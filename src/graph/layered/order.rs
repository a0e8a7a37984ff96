//! Orders each layer: with few crossings, and in the order of the definition if that causes none.

use super::layers::{Layers, Port, Step};
use super::{Groups, Pairs, sort, sorted};

/// Maximum number of steps that are visited in all sweeps together; larger graphs get fewer sweeps.
const WORK: usize = 1_500_000;
const MAX_SWEEPS: usize = 24;
/// The number of sweeps without a gain after which the search ends.
const PATIENCE: usize = 5;

/// Sets the order of `layers.layers`, and returns the number of remaining crossings.
pub(super) fn minimize(layers: &mut Layers) -> u64 {
    let nodes = layers.nodes.len();
    let ups = Groups::new(nodes, layers.steps.iter().map(|step| Some(step.down.node as usize)));
    let downs = Groups::new(nodes, layers.steps.iter().map(|step| Some(step.up.node as usize)));
    let mut search = Search {
        steps: &layers.steps,
        ups,
        downs,
        pos: vec![0; nodes],
        crossings: vec![0; layers.layers.len()],
        tree: Vec::new(),
        ends: Vec::new(),
        places: Default::default(),
    };
    let sweeps = (WORK / (layers.steps.len() + nodes + 1)).clamp(1, MAX_SWEEPS);
    let mut best_order = search.walk(layers, false);
    search.set(&best_order);
    let mut best = search.count(&best_order);
    // The search starts from the order of the definition, and from its mirror image.
    for mirrored in [false, true] {
        if best == 0 {
            break;
        }
        let mut order = search.walk(layers, mirrored);
        search.set(&order);
        let mut idle = 0;
        for sweep in 0..sweeps {
            // Every second pair of sweeps reverses the order of equal nodes.
            search.sweep(&mut order, sweep % 2 == 0, sweep % 4 >= 2);
            let crossings = search.count(&order);
            let crossings = crossings.saturating_sub(search.exchange(&mut order));
            idle += 1;
            if crossings < best {
                best = crossings;
                best_order.clone_from(&order);
                idle = 0;
            }
            if best == 0 || idle >= PATIENCE {
                break;
            }
        }
    }
    layers.layers = best_order;
    best
}

struct Search<'a> {
    steps: &'a [Step],
    /// The steps that enter each node from above, and those that leave it downwards.
    ups: Groups,
    downs: Groups,
    pos: Vec<u32>,
    /// The number of crossings below each layer, when they were last counted.
    crossings: Vec<u64>,
    /// An allocation that is reused.
    tree: Vec<u32>,
    ends: Pairs,
    places: (Pairs, Pairs),
}

impl Search<'_> {
    /// Returns the first order: nodes are in the order in which a depth-first search along the steps reaches them.
    fn walk(&self, layers: &Layers, mirrored: bool) -> Vec<Vec<u32>> {
        let mut out: Vec<Vec<u32>> = layers.layers.iter().map(|layer| Vec::with_capacity(layer.len())).collect();
        let mut seen = vec![false; layers.nodes.len()];
        let mut stack = Vec::new();
        for root in (0..layers.nodes.len()).filter(|&node| self.ups.of(node).is_empty()) {
            stack.push(root as u32);
            while let Some(node) = stack.pop() {
                if std::mem::replace(&mut seen[node as usize], true) {
                    continue;
                }
                out[layers.nodes[node as usize].layer].push(node);
                let downs = self.downs.of(node as usize);
                let mut next = sorted(downs.len(), |i| {
                    let step = &self.steps[downs[i] as usize];
                    (step.up.side as i64) << 32 | step.link as i64
                });
                if !mirrored {
                    next.reverse();
                }
                stack.extend(next.iter().map(|&(_, i)| self.steps[downs[i as usize] as usize].down.node));
            }
        }
        out
    }

    fn set(&mut self, order: &[Vec<u32>]) {
        for layer in order {
            for (i, &node) in layer.iter().enumerate() {
                self.pos[node as usize] = i as u32;
            }
        }
    }

    /// The position of a step's end within its layer.
    fn place(&self, port: Port) -> u32 {
        self.pos[port.node as usize] * 4 + port.side as u32
    }

    fn count(&mut self, order: &[Vec<u32>]) -> u64 {
        for (gap, layer) in order.iter().enumerate() {
            self.crossings[gap] = self.crossings_below(layer);
        }
        self.crossings.iter().sum()
    }

    /// Counts the pairs of steps below a layer that cross, with a tree of prefix sums.
    fn crossings_below(&mut self, layer: &[u32]) -> u64 {
        let mut ends = std::mem::take(&mut self.ends);
        ends.clear();
        // The steps are visited from left to right by their upper ends; only those of one node must be sorted.
        for &node in layer {
            let first = ends.len();
            ends.extend(self.downs.of(node as usize).iter().map(|&step| {
                let step = &self.steps[step as usize];
                let down = self.place(step.down);
                (i64::from(self.place(step.up)) << 32 | i64::from(down), down)
            }));
            sort(&mut ends[first..]);
        }
        let size = ends.iter().map(|&(_, down)| down as usize + 1).max().unwrap_or(0);
        self.tree.clear();
        self.tree.resize(size + 1, 0);
        let mut total = 0u64;
        for (seen, &(_, down)) in ends.iter().enumerate() {
            // These are the earlier steps whose lower end is further right.
            let mut at = down as usize + 1;
            let mut not_right = 0u64;
            while at > 0 {
                not_right += u64::from(self.tree[at]);
                at &= at - 1;
            }
            total += seen as u64 - not_right;
            let mut at = down as usize + 1;
            while at <= size {
                self.tree[at] += 1;
                at += at & at.wrapping_neg();
            }
        }
        self.ends = ends;
        total
    }

    /// Sorts each layer by the mean position of the neighbours in the previous layer.
    fn sweep(&mut self, order: &mut [Vec<u32>], down: bool, turn: bool) {
        let count = order.len();
        let mut keyed = Pairs::new();
        let mut before: Vec<u32> = Vec::new();
        for i in 0..count {
            let layer = if down { i } else { count - 1 - i };
            keyed.clear();
            before.clone_from(&order[layer]);
            for (i, &node) in before.iter().enumerate() {
                let steps = if down { self.ups.of(node as usize) } else { self.downs.of(node as usize) };
                let sum: i64 = steps
                    .iter()
                    .map(|&step| {
                        let step = &self.steps[step as usize];
                        i64::from(self.place(if down { step.up } else { step.down }))
                    })
                    .sum();
                // A node without neighbours stays with the one on its left.
                let key = match steps.len() as i64 {
                    0 => keyed.last().map_or(0, |last| last.0),
                    n => sum * 4096 / n,
                };
                keyed.push((key, i as u32));
            }
            if turn {
                let last = before.len() as u32 - u32::from(!before.is_empty());
                keyed.iter_mut().for_each(|(_, i)| *i = last - *i);
            }
            sort(&mut keyed);
            for (i, (slot, &(_, from))) in order[layer].iter_mut().zip(&keyed).enumerate() {
                let from = from as usize;
                let node = before[if turn { before.len() - 1 - from } else { from }];
                *slot = node;
                self.pos[node as usize] = i as u32;
            }
        }
    }

    /// Swaps neighbours while that reduces crossings, in layers with crossings above or below. Returns the number of swaps.
    fn exchange(&mut self, order: &mut [Vec<u32>]) -> u64 {
        let mut saved = 0;
        for _ in 0..4 {
            let before = saved;
            for (at, layer) in order.iter_mut().enumerate() {
                let above = at.checked_sub(1).map_or(0, |above| self.crossings[above]);
                if above + self.crossings[at] == 0 {
                    continue;
                }
                for i in 1..layer.len() {
                    let (a, b) = (layer[i - 1], layer[i]);
                    let (kept, swapped) = self.pair(a as usize, b as usize);
                    if swapped < kept {
                        layer.swap(i - 1, i);
                        self.pos.swap(a as usize, b as usize);
                        saved += kept - swapped;
                    }
                }
            }
            if saved == before {
                break;
            }
        }
        saved
    }

    /// The number of crossings between the steps of two neighbours, in this order and in the other one.
    fn pair(&mut self, a: usize, b: usize) -> (u64, u64) {
        let (mut left, mut right) = std::mem::take(&mut self.places);
        let mut total = (0, 0);
        for up in [true, false] {
            for (node, places) in [(a, &mut left), (b, &mut right)] {
                let steps = if up { self.ups.of(node) } else { self.downs.of(node) };
                places.clear();
                places.extend(steps.iter().map(|&step| {
                    let step = &self.steps[step as usize];
                    (i64::from(self.place(if up { step.up } else { step.down })), 0)
                }));
                sort(places);
            }
            let (kept, swapped) = inversions(&left, &right);
            total = (total.0 + kept, total.1 + swapped);
        }
        self.places = (left, right);
        total
    }
}

/// Counts the pairs of sorted positions in which the left one's is greater than the right one's, and those in which it is
/// smaller.
fn inversions(left: &[(i64, u32)], right: &[(i64, u32)]) -> (u64, u64) {
    let (mut beyond, mut before) = (0u64, 0u64);
    let (mut less, mut not_more) = (0usize, 0usize);
    for &(place, _) in left {
        while right.get(less).is_some_and(|&(other, _)| other < place) {
            less += 1;
        }
        while right.get(not_more).is_some_and(|&(other, _)| other <= place) {
            not_more += 1;
        }
        beyond += less as u64;
        before += (right.len() - not_more) as u64;
    }
    (beyond, before)
}
