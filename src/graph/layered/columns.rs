//! Computes the x of every node: chains are exactly straight, and everything else is as near to its neighbours as the space
//! permits.
//!
//! Nodes that should be in one vertical line form a block. Each node is joined to at most one node above and one below, and no
//! two joints cross, so "block a is left of block b" has no cycle. The blocks are packed to the left and to the right. The mean
//! of the two is the start of a few rounds in which each block, and each cluster of touching blocks, moves towards the weighted
//! median of the nodes it is linked to.

use super::layers::{Content, Layers, Port, Side};
use super::story::{Main, Story};
use super::{Class, Groups, Link, Pairs, sort, sorted};

/// Maximum number of nodes and steps that are visited in all rounds together.
const WORK: usize = 2_000_000;
const MAX_ROUNDS: usize = 16;

pub(super) fn assign(layers: &Layers, links: &[Link], story: &Story) -> Vec<i32> {
    let blocks = Blocks::build(layers, links, &story.main);
    let mut x = blocks.start(layers);
    blocks.relax(layers, &mut x);
    blocks.pull_left(layers, &mut x);
    let mut out: Vec<i32> = (0..layers.nodes.len()).map(|node| x[blocks.of[node] as usize] + blocks.offset[node]).collect();
    let left = layers.nodes.iter().zip(&out).map(|(node, x)| x - node.left).min().unwrap_or(0);
    for x in &mut out {
        *x -= left;
    }
    out
}

/// The space between two neighbours of a layer.
fn space(left: Content, right: Content) -> i32 {
    match (left, right) {
        (Content::Item(_), Content::Item(_)) => 36,
        (Content::Bend, Content::Bend) => 16,
        (Content::Item(_), _) | (_, Content::Item(_)) => 20,
        _ => 14,
    }
}

struct Blocks {
    /// The block of each node, and the node's x relative to that of the block.
    of: Vec<u32>,
    offset: Vec<i32>,
    count: usize,
    /// The nodes of each block.
    members: Groups,
    /// All blocks, each left neighbour before its right one.
    order: Vec<u32>,
    /// The left and right neighbour of each node.
    left_of: Vec<u32>,
    right_of: Vec<u32>,
    /// The steps at each node.
    steps: Groups,
    steps_down: Groups,
}

const NONE: u32 = u32::MAX;

impl Blocks {
    fn build(layers: &Layers, links: &[Link], main: &[Main]) -> Blocks {
        let nodes = layers.nodes.len();
        let mut pos = vec![0u32; nodes];
        let (mut left_of, mut right_of) = (vec![NONE; nodes], vec![NONE; nodes]);
        for layer in &layers.layers {
            for (i, &node) in layer.iter().enumerate() {
                pos[node as usize] = i as u32;
            }
            for pair in layer.windows(2) {
                right_of[pair[0] as usize] = pair[1];
                left_of[pair[1] as usize] = pair[0];
            }
        }
        let steps = Groups::new(nodes, layers.steps.iter().map(|step| Some(step.up.node as usize)));
        let steps_down = Groups::new(nodes, layers.steps.iter().map(|step| Some(step.down.node as usize)));
        let joints = joints(layers, links, main, &pos, &steps, &steps_down);

        // This follows the joints downwards from every node that has none above.
        let mut below = vec![NONE; nodes];
        let mut has_above = vec![false; nodes];
        for step in joints {
            let step_ends = &layers.steps[step as usize];
            below[step_ends.up.node as usize] = step;
            has_above[step_ends.down.node as usize] = true;
        }
        let (mut of, mut offset, mut count) = (vec![0u32; nodes], vec![0i32; nodes], 0u32);
        for top in (0..nodes).filter(|&node| !has_above[node]) {
            let (mut node, mut x) = (top, 0);
            loop {
                of[node] = count;
                offset[node] = x;
                let Some(step) = layers.steps.get(below[node] as usize) else { break };
                x += step.up.dx - step.down.dx;
                node = step.down.node as usize;
            }
            count += 1;
        }
        let count = count as usize;
        let members = Groups::new(count, of.iter().map(|&block| Some(block as usize)));
        let order = topological(count, &of, &members, &left_of, &right_of);
        Blocks { of, offset, count, members, order, left_of, right_of, steps, steps_down }
    }

    /// The minimum distance of a node from its right neighbour.
    fn distance(&self, layers: &Layers, left: u32, right: u32) -> i32 {
        let (a, b) = (&layers.nodes[left as usize], &layers.nodes[right as usize]);
        a.right + space(a.content, b.content) + b.left
    }

    /// The smallest x of a block that its left neighbours permit.
    fn lower(&self, layers: &Layers, x: &[i32], block: u32) -> Option<i32> {
        let bound = |&node: &u32| {
            let left = self.left_of[node as usize];
            (left != NONE).then(|| {
                x[self.of[left as usize] as usize] + self.offset[left as usize] + self.distance(layers, left, node)
                    - self.offset[node as usize]
            })
        };
        self.members.of(block as usize).iter().filter_map(bound).max()
    }

    /// The largest x of a block that its right neighbours permit.
    fn upper(&self, layers: &Layers, x: &[i32], block: u32) -> Option<i32> {
        let bound = |&node: &u32| {
            let right = self.right_of[node as usize];
            (right != NONE).then(|| {
                x[self.of[right as usize] as usize] + self.offset[right as usize]
                    - self.distance(layers, node, right)
                    - self.offset[node as usize]
            })
        };
        self.members.of(block as usize).iter().filter_map(bound).min()
    }

    /// The mean of the leftmost and the rightmost packing.
    fn start(&self, layers: &Layers) -> Vec<i32> {
        let mut left = vec![0i32; self.count];
        for &block in &self.order {
            left[block as usize] = self.lower(layers, &left, block).unwrap_or(0);
        }
        let far = left.iter().copied().max().unwrap_or(0);
        let mut right = vec![far; self.count];
        for &block in self.order.iter().rev() {
            right[block as usize] = self.upper(layers, &right, block).unwrap_or(far);
        }
        left.iter().zip(&right).map(|(a, b)| (a + b).div_euclid(2)).collect()
    }

    /// Calls `wish` with the preferred x of a block for each step to another block, and the step's weight.
    fn wishes(&self, layers: &Layers, x: &[i32], block: u32, mut wish: impl FnMut(u32, i32, i32)) {
        let mut each = |node: u32, own: Port, other: Port, weight: i32| {
            let other_block = self.of[other.node as usize];
            // Lanes of links that lead back follow the items beside them and do not attract them.
            let pulls = [own, other].iter().all(|port| matches!(port.side, Side::Middle | Side::Right));
            if other_block != block && pulls {
                let other_x = x[other_block as usize] + self.offset[other.node as usize] + other.dx;
                wish(other_block, other_x - own.dx - self.offset[node as usize], weight);
            }
        };
        for &node in self.members.of(block as usize) {
            for &step in self.steps.of(node as usize) {
                let step = &layers.steps[step as usize];
                each(node, step.up, step.down, step.weight);
            }
            for &step in self.steps_down.of(node as usize) {
                let step = &layers.steps[step as usize];
                each(node, step.down, step.up, step.weight);
            }
        }
    }

    /// Returns the x of bends and texts that are attached to a lane at the side of an item. A lane can be widened to reach
    /// them, so they need not be nearer than it is. For a link that leads back it is the outer one of the lanes at its ends.
    fn lane_position(&self, layers: &Layers, x: &[i32], block: u32, wishes: &mut Pairs) -> Option<i32> {
        let mut back: Option<i32> = None;
        let mut catch: Option<i32> = None;
        wishes.clear();
        for &node in self.members.of(block as usize) {
            if let Content::Item(_) = layers.nodes[node as usize].content {
                return None;
            }
            let ups = self.steps_down.of(node as usize).iter().map(|&step| (layers.steps[step as usize], true));
            let downs = self.steps.of(node as usize).iter().map(|&step| (layers.steps[step as usize], false));
            for (step, is_up) in ups.chain(downs) {
                let port = if is_up { step.up } else { step.down };
                let other_x = x[self.of[port.node as usize] as usize] + self.offset[port.node as usize] + port.dx
                    - self.offset[node as usize];
                match port.side {
                    Side::Left => back = Some(back.map_or(other_x, |x| x.min(other_x))),
                    Side::FarRight => back = Some(back.map_or(other_x, |x| x.max(other_x))),
                    Side::Right if is_up => catch = Some(catch.map_or(other_x, |x| x.max(other_x))),
                    _ if self.of[port.node as usize] != block => wishes.push((i64::from(other_x), step.weight as u32)),
                    _ => {}
                }
            }
        }
        back.or_else(|| catch.map(|lane| median(wishes).map_or(lane, |x| x.max(lane))))
    }

    fn relax(&self, layers: &Layers, x: &mut [i32]) {
        let rounds = (WORK / (layers.nodes.len() + 2 * layers.steps.len() + 1)).clamp(2, MAX_ROUNDS);
        let mut wishes = Vec::new();
        for round in 0..rounds {
            let mut moved = false;
            for i in 0..self.order.len() {
                let block = self.order[if round % 2 == 0 { self.order.len() - 1 - i } else { i }];
                let wanted = self.lane_position(layers, x, block, &mut wishes).or_else(|| {
                    wishes.clear();
                    self.wishes(layers, x, block, |_, x, weight| wishes.push((i64::from(x), weight as u32)));
                    median(&mut wishes)
                });
                if let Some(wanted) = wanted {
                    let low = self.lower(layers, x, block).unwrap_or(i32::MIN);
                    let high = self.upper(layers, x, block).unwrap_or(i32::MAX);
                    let wanted = wanted.min(high).max(low);
                    moved |= wanted != x[block as usize];
                    x[block as usize] = wanted;
                }
            }
            moved |= self.shift_clusters(layers, x);
            if !moved {
                break;
            }
        }
    }

    /// Moves each part that is not connected with the start to the left, up to its neighbours.
    fn pull_left(&self, layers: &Layers, x: &mut [i32]) {
        let mut root: Vec<u32> = (0..self.count as u32).collect();
        for step in &layers.steps {
            union(&mut root, self.of[step.up.node as usize], self.of[step.down.node as usize]);
        }
        let part: Vec<u32> = (0..self.count as u32).map(|block| find(&mut root, block)).collect();
        let parts = Groups::new(self.count, part.iter().map(|&root| Some(root as usize)));
        let first = self.of.first().map(|&block| part[block as usize]);
        // The leftmost parts move first and make room.
        let order = sorted(self.count, |root| parts.of(root).iter().map(|&block| i64::from(x[block as usize])).min().unwrap_or(0));
        for (_, root) in order {
            let root = root as usize;
            if first == Some(root as u32) {
                continue;
            }
            let slack = |&block: &u32| {
                self.members.of(block as usize).iter().filter_map(|&node| {
                    let left = self.left_of[node as usize];
                    let foreign = left != NONE && part[self.of[left as usize] as usize] != root as u32;
                    let place = |node: u32| x[self.of[node as usize] as usize] + self.offset[node as usize];
                    foreign.then(|| place(node) - place(left) - self.distance(layers, left, node))
                })
            };
            if let Some(slack) = parts.of(root).iter().flat_map(slack).min().filter(|&slack| slack > 0) {
                for &block in parts.of(root) {
                    x[block as usize] -= slack;
                }
            }
        }
    }

    /// Moves clusters of touching blocks, whose blocks could not move alone.
    fn shift_clusters(&self, layers: &Layers, x: &mut [i32]) -> bool {
        let mut root: Vec<u32> = (0..self.count as u32).collect();
        for (node, &right) in self.right_of.iter().enumerate().filter(|(_, right)| **right != NONE) {
            let (a, b) = (self.of[node], self.of[right as usize]);
            let slack = x[b as usize] + self.offset[right as usize]
                - x[a as usize]
                - self.offset[node]
                - self.distance(layers, node as u32, right);
            if slack <= 0 {
                union(&mut root, a, b);
            }
        }
        let cluster: Vec<u32> = (0..self.count as u32).map(|block| find(&mut root, block)).collect();
        let clusters = Groups::new(self.count, cluster.iter().map(|&root| Some(root as usize)));
        let mut moved = false;
        let mut wishes = Vec::new();
        for root in 0..self.count {
            let members = clusters.of(root);
            if members.len() < 2 {
                continue;
            }
            wishes.clear();
            let (mut low, mut high) = (i32::MIN, i32::MAX);
            for &block in members {
                let own = x[block as usize];
                self.wishes(layers, x, block, |other, wanted, weight| {
                    if cluster[other as usize] != root as u32 {
                        wishes.push((i64::from(wanted - own), weight as u32));
                    }
                });
                for &node in self.members.of(block as usize) {
                    let (left, right) = (self.left_of[node as usize], self.right_of[node as usize]);
                    let place = |node: u32| x[self.of[node as usize] as usize] + self.offset[node as usize];
                    if left != NONE && cluster[self.of[left as usize] as usize] != root as u32 {
                        low = low.max(place(left) + self.distance(layers, left, node) - place(node));
                    }
                    if right != NONE && cluster[self.of[right as usize] as usize] != root as u32 {
                        high = high.min(place(right) - self.distance(layers, node, right) - place(node));
                    }
                }
            }
            if let Some(delta) = median(&mut wishes) {
                let delta = delta.min(high).max(low);
                // If a range of positions is equally good, a cluster in the range does not move.
                if delta != 0 {
                    moved = true;
                    for &block in members {
                        x[block as usize] += delta;
                    }
                }
            }
        }
        moved
    }
}

/// The steps that become straight: preferred at both ends, and not crossing a better one.
fn joints(layers: &Layers, links: &[Link], main: &[Main], pos: &[u32], downs: &Groups, ups: &Groups) -> Vec<u32> {
    // The step that continues the main story of a node is preferred; otherwise the middle one of an odd number.
    let prefer = |steps: &[u32], out: bool| -> u32 {
        let end = |step: u32| if out { layers.steps[step as usize].up } else { layers.steps[step as usize].down };
        let far = |step: u32| if out { layers.steps[step as usize].down } else { layers.steps[step as usize].up };
        let flow = |step: &u32| links[layers.steps[*step as usize].link].class == Class::Flow && end(*step).side == Side::Middle;
        let mut of_flow: Vec<u32> = steps.iter().copied().filter(flow).collect();
        if of_flow.is_empty() {
            of_flow = steps.iter().copied().filter(|&step| matches!(end(step).side, Side::Middle | Side::Right)).collect();
        }
        if let Some(&best) = of_flow.iter().max_by_key(|&&step| main[layers.steps[step as usize].link])
            && main[layers.steps[best as usize].link] != Main::No
        {
            return best;
        }
        if of_flow.len().is_multiple_of(2) {
            return NONE;
        }
        let place = |i: usize| i64::from(pos[far(of_flow[i]).node as usize]) * 4 + far(of_flow[i]).side as i64;
        of_flow[sorted(of_flow.len(), place)[of_flow.len() / 2].1 as usize]
    };
    let preferred_out: Vec<u32> = (0..layers.nodes.len()).map(|node| prefer(downs.of(node), true)).collect();
    let preferred_in: Vec<u32> = (0..layers.nodes.len()).map(|node| prefer(ups.of(node), false)).collect();
    let mut wanted = Pairs::new();
    for (i, step) in layers.steps.iter().enumerate() {
        let id = i as u32;
        let (up, down) = (step.up.node as usize, step.down.node as usize);
        let bends = layers.nodes[up].content == Content::Bend && layers.nodes[down].content == Content::Bend;
        let mutual = preferred_out[up] == id && preferred_in[down] == id;
        if !mutual && !bends {
            continue;
        }
        let rank = match main[step.link] {
            Main::Path => 0,
            _ if bends => 1,
            Main::Local => 2,
            Main::No => 3,
        };
        wanted.push((rank, id));
    }
    sort(&mut wanted);
    // The joints of each gap from left to right: the positions of the upper and of the lower end.
    let mut taken: Vec<Vec<(u32, u32)>> = vec![Vec::new(); layers.layers.len()];
    let mut joined = (vec![false; layers.nodes.len()], vec![false; layers.nodes.len()]);
    let mut out = Vec::new();
    for (_, id) in wanted {
        let step = &layers.steps[id as usize];
        let (up, down) = (step.up.node as usize, step.down.node as usize);
        if joined.0[up] || joined.1[down] {
            continue;
        }
        let gap = &mut taken[layers.nodes[up].layer];
        let at = gap.partition_point(|&(other, _)| other < pos[up]);
        let before = at.checked_sub(1).and_then(|at| gap.get(at)).is_none_or(|&(_, other)| other < pos[down]);
        let after = gap.get(at).is_none_or(|&(_, other)| other > pos[down]);
        if before && after {
            gap.insert(at, (pos[up], pos[down]));
            joined.0[up] = true;
            joined.1[down] = true;
            out.push(id);
        }
    }
    out
}

/// Returns the blocks in an order in which every left neighbour comes before its right one.
fn topological(count: usize, of: &[u32], members: &Groups, left_of: &[u32], right_of: &[u32]) -> Vec<u32> {
    let mut waits = vec![0u32; count];
    for (node, &left) in left_of.iter().enumerate() {
        waits[of[node] as usize] += u32::from(left != NONE);
    }
    let mut order: Vec<u32> = (0..count as u32).filter(|&block| waits[block as usize] == 0).collect();
    let mut at = 0;
    while let Some(&block) = order.get(at) {
        at += 1;
        for &node in members.of(block as usize) {
            let right = right_of[node as usize];
            if right != NONE {
                let next = of[right as usize];
                waits[next as usize] -= 1;
                if waits[next as usize] == 0 {
                    order.push(next);
                }
            }
        }
    }
    debug_assert_eq!(order.len(), count, "joints that cross");
    order
}

/// Returns the first member of the set that contains a block.
fn find(root: &mut [u32], mut block: u32) -> u32 {
    while root[block as usize] != block {
        root[block as usize] = root[root[block as usize] as usize];
        block = root[block as usize];
    }
    block
}

fn union(root: &mut [u32], a: u32, b: u32) {
    let (a, b) = (find(root, a), find(root, b));
    root[a.max(b) as usize] = a.min(b);
}

/// Returns the weighted median; the middle of the range if a range of values is equally good.
fn median(wishes: &mut [(i64, u32)]) -> Option<i32> {
    sort(wishes);
    let total: i64 = wishes.iter().map(|&(_, weight)| i64::from(weight)).sum();
    let mut sum = 0i64;
    for (i, &(x, weight)) in wishes.iter().enumerate() {
        sum += i64::from(weight);
        if sum * 2 == total {
            let next = wishes.get(i + 1).map_or(x, |&(next, _)| next);
            return Some((x + next).div_euclid(2) as i32);
        }
        if sum * 2 > total {
            return Some(x as i32);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        for (wishes, expected) in [
            (vec![], None),
            (vec![(5, 1)], Some(5)),
            (vec![(10, 1), (0, 1)], Some(5)),
            (vec![(10, 3), (0, 1)], Some(10)),
            (vec![(0, 1), (4, 1), (100, 1)], Some(4)),
        ] {
            let mut wishes = wishes;
            assert_eq!(median(&mut wishes), expected);
        }
    }
}
