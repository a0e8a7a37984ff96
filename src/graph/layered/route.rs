//! Computes the y of every layer and the corners of every link.
//!
//! Between two layers is a gap in which links change their x. All steps that fork at one point, or that join at one point,
//! share a horizontal track. Tracks are ordered so that few of them cross and no two links overlap; the gap is as high as its
//! tracks need.

use super::cycles::Cycles;
use super::layers::{Content, Layers, LinkPath, Side};
use super::{Class, Groups, Item, Link, Placement, Point, Route, sorted};

/// The distance of tracks if there are few.
const TRACK: i32 = 12;
/// The maximum height that tracks add to a gap.
const MAX_TRACKS_HEIGHT: i32 = 360;
/// Up to this number of tracks, their order is found by comparing all pairs.
const PAIRWISE: usize = 40;
/// The horizontal space between two lines on one track.
const CLEAR: i32 = 10;
/// The distance from the middle at which links enter and leave at one side.
const SIDE_PORT: i32 = 9;
/// The same distance if links from the item to itself are in between, and the distance between those.
const SIDE_PORT_WITH_LOOPS: i32 = 19;
const LOOP_PORT: i32 = 8;
/// The distance of outer lanes, and how many of them are side by side before links share them.
const OUTER_LANE: i32 = 8;
const OUTER_LANES: usize = 32;

pub(super) fn route(layers: &Layers, items: &[Item], links: &[Link], cycles: &Cycles, x: &[i32]) -> Placement {
    let mut width = layers.nodes.iter().zip(x).map(|(node, x)| x + node.right).max().unwrap_or(0);
    let lane_x = |lane: usize| width + 16 + (lane % OUTER_LANES) as i32 * OUTER_LANE;
    let gaps = Gaps::build(layers, items, links, x, &lane_x);
    let (mut catches, mut right_ins) = (vec![false; items.len()], vec![false; items.len()]);
    for step in &layers.steps {
        for port in [step.up, step.down].iter().filter(|port| (port.node as usize) < items.len()) {
            right_ins[port.node as usize] |= port.side == Side::FarRight;
        }
        if let Some(catches) = catches.get_mut(step.up.node as usize) {
            *catches |= step.up.side == Side::Right;
        }
    }
    let router = Router { layers, items, links, cycles, x, gaps: &gaps, onward: onward(layers, x), catches, right_ins };
    let routes: Vec<Route> = (0..links.len()).map(|link| router.route(link, &lane_x)).collect();
    if layers.lanes > 0 {
        width = lane_x(layers.lanes.min(OUTER_LANES) - 1) + 4;
    }
    Placement {
        width,
        height: gaps.end,
        items: items.iter().enumerate().map(|(i, item)| (x[i] - item.width / 2, gaps.tops[layers.nodes[i].layer])).collect(),
        routes,
        ..Placement::default()
    }
}

/// Lines that share a track.
#[derive(Default)]
struct Bundle {
    low: i32,
    high: i32,
    /// The x of lines from above, and those of lines that continue downwards.
    ups: Vec<i32>,
    downs: Vec<i32>,
    track: i32,
}

struct Gaps {
    /// The bundle of each step with a horizontal part.
    of_step: Vec<u32>,
    /// For links in outer lanes: the bundles where they leave and where they enter.
    of_lane: Vec<(u32, u32)>,
    bundles: Vec<Bundle>,
    /// The bundles of each gap; gap `i` is above layer `i`.
    of_gap: Groups,
    /// The y of each bundle's track.
    y: Vec<i32>,
    tops: Vec<i32>,
    bottoms: Vec<i32>,
    end: i32,
}

const NONE: u32 = u32::MAX;

impl Gaps {
    fn build(layers: &Layers, items: &[Item], links: &[Link], x: &[i32], lane_x: &impl Fn(usize) -> i32) -> Gaps {
        let mut bundles: Vec<Bundle> = Vec::new();
        let mut gap_of: Vec<usize> = Vec::new();
        let steps = &layers.steps;
        let mut of_step = vec![NONE; steps.len()];
        // A point with several steps downwards is a fork with its own bundle; all other steps belong to the point where they
        // join.
        let by_up = sorted(steps.len(), |i| steps[i].up.key());
        let mut forks = vec![false; steps.len()];
        for pair in by_up.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
            forks[pair[0].1 as usize] = true;
            forks[pair[1].1 as usize] = true;
        }
        const JOIN: i64 = 1 << 62;
        let mut last = -1;
        for (key, i) in sorted(steps.len(), |i| if forks[i] { steps[i].up.key() } else { steps[i].down.key() | JOIN }) {
            let step = &steps[i as usize];
            if key != last {
                bundles.push(Bundle { low: i32::MAX, high: i32::MIN, ..Bundle::default() });
                gap_of.push(layers.nodes[step.up.node as usize].layer + 1);
                last = key;
            }
            if let Some(bundle) = bundles.last_mut() {
                bundle.ups.push(x[step.up.node as usize] + step.up.dx);
                bundle.downs.push(x[step.down.node as usize] + step.down.dx);
            }
            of_step[i as usize] = bundles.len() as u32 - 1;
        }
        // Links in outer lanes have one bundle where they leave an item, and one where they enter.
        let mut of_lane = vec![(NONE, NONE); if layers.lanes > 0 { links.len() } else { 0 }];
        let mut ends = vec![[NONE; 3]; if layers.lanes > 0 { items.len() } else { 0 }];
        for (i, link_path) in layers.paths.iter().enumerate() {
            let LinkPath::Lane(lane) = *link_path else { continue };
            let link = &links[i];
            let far = lane_x(lane);
            let mut end = |kind: usize, item: usize, at: i32, gap: usize| {
                let known = &mut ends[item][kind];
                if *known == NONE {
                    *known = bundles.len() as u32;
                    let (ups, downs) = if kind == 2 { (vec![], vec![at]) } else { (vec![at], vec![]) };
                    bundles.push(Bundle { low: at, high: far, ups, downs, track: 0 });
                    gap_of.push(gap);
                }
                let bundle = &mut bundles[*known as usize];
                bundle.high = bundle.high.max(far);
                *known
            };
            let kind = usize::from(link.class == Class::Catch);
            let leaves = end(kind, link.from, x[link.from] + leave_dx(layers, items, link), layers.nodes[link.from].layer + 1);
            let arrives = end(2, link.to, x[link.to], layers.nodes[link.to].layer);
            of_lane[i] = (leaves, arrives);
        }
        for bundle in &mut bundles {
            for points in [&mut bundle.ups, &mut bundle.downs] {
                let mut pairs = sorted(points.len(), |i| i64::from(points[i]));
                pairs.dedup_by_key(|(x, _)| *x);
                points.clear();
                points.extend(pairs.iter().map(|&(x, _)| x as i32));
            }
            for &x in bundle.ups.iter().chain(&bundle.downs) {
                bundle.low = bundle.low.min(x);
                bundle.high = bundle.high.max(x);
            }
        }
        let flat: Vec<bool> = bundles.iter().map(|bundle| bundle.low < bundle.high).collect();
        let of_gap = Groups::new(layers.layers.len() + 1, (0..bundles.len()).map(|i| flat[i].then_some(gap_of[i])));
        let y = vec![0; bundles.len()];
        let mut gaps = Gaps { of_step, of_lane, bundles, of_gap, y, tops: vec![], bottoms: vec![], end: 0 };
        gaps.stack(layers);
        gaps
    }

    /// Assigns the tracks of every gap and the y of every layer.
    fn stack(&mut self, layers: &Layers) {
        let count = layers.layers.len();
        let mut y = 0;
        for gap in 0..=count {
            let members = self.of_gap.of(gap).to_vec();
            let tracks = tracks(&mut self.bundles, members.clone());
            let spacing = if tracks > 1 { (MAX_TRACKS_HEIGHT / tracks).clamp(2, TRACK) } else { TRACK };
            let span = (tracks - 1).max(0) * spacing;
            let text = |layer: usize| layers.texts.get(layer).copied().unwrap_or(false);
            let (above, below) = match (gap, tracks) {
                // Before the first layer and after the last one there is a gap only if a link needs it.
                (0, 0) => (0, 0),
                (gap, 0) if gap == count => (0, 0),
                (gap, 0) if text(gap) => (9, 9),
                (gap, 0) if gap > 0 && text(gap - 1) => (8, 14),
                (_, 0) => (20, 20),
                (gap, _) if text(gap) => (16, 13),
                (gap, _) if gap > 0 && text(gap - 1) => (12, 22),
                _ => (18, 24),
            };
            for &bundle in &members {
                self.y[bundle as usize] = y + above + self.bundles[bundle as usize].track * spacing;
            }
            y += above + span + below;
            if let Some(layer) = layers.layers.get(gap) {
                self.tops.push(y);
                y += layer.iter().map(|&node| layers.nodes[node as usize].height).max().unwrap_or(0);
                self.bottoms.push(y);
            }
        }
        self.end = y;
    }
}

/// The x at which a link in an outer lane leaves, relative to that of its source: in the right lane if there is one.
fn leave_dx(layers: &Layers, items: &[Item], link: &Link) -> i32 {
    let right = layers.nodes[link.from].right;
    if link.class == Class::Catch && right > items[link.from].width / 2 { right } else { 0 }
}

/// For each text and bend, finds the next step towards the target that changes its x or enters the target. Thus long straight
/// trunks are passed in one step, regardless of how many links use them.
fn onward(layers: &Layers, x: &[i32]) -> Vec<u32> {
    let mut onward = vec![NONE; layers.nodes.len()];
    let mut visit = |node: usize, ascending: bool| {
        let next = layers.nodes[node].next;
        let Some(step) = layers.steps.get(next as usize) else { return };
        let to = if step.up.node as usize == node { step.down.node } else { step.up.node } as usize;
        // The bends of a trunk are numbered from top to bottom, and texts come after all bends to which they lead.
        let bend = layers.nodes[to].content == Content::Bend;
        if bend && (to > node) == ascending {
            return;
        }
        let straight = x[step.up.node as usize] + step.up.dx == x[step.down.node as usize] + step.down.dx;
        let passes = straight && bend;
        onward[node] = if passes { onward[to] } else { next };
    };
    (0..layers.nodes.len()).rev().for_each(|node| visit(node, false));
    (0..layers.nodes.len()).for_each(|node| visit(node, true));
    onward
}

/// Orders the bundles of a gap and assigns each a track. Returns the number of tracks.
fn tracks(bundles: &mut [Bundle], mut order: Vec<u32>) -> i32 {
    if order.is_empty() {
        return 0;
    }
    let middle = |points: &[i32], bundle: &Bundle| {
        if points.is_empty() {
            i64::from(bundle.high)
        } else {
            points.iter().map(|&x| i64::from(x)).sum::<i64>() / points.len() as i64
        }
    };
    // Of lines to the right, the rightmost is on top; of lines to the left, the leftmost.
    let by_middle = sorted(order.len(), |i| {
        let bundle = &bundles[order[i] as usize];
        let (up, down) = (middle(&bundle.ups, bundle), middle(&bundle.downs, bundle));
        if down >= up { -(up + down) } else { up + down }
    });
    order = by_middle.iter().map(|&(_, i)| order[i as usize]).collect();
    if order.len() <= PAIRWISE {
        order = least_cost(bundles, &order);
        for i in 0..order.len() {
            let bundle = &bundles[order[i] as usize];
            let above = order[..i].iter().map(|&id| &bundles[id as usize]);
            let track = above.filter(|above| meets(above, bundle)).map(|above| above.track + 1).max().unwrap_or(0);
            bundles[order[i] as usize].track = track;
        }
    } else {
        skyline(bundles, &order);
    }
    order.iter().map(|&id| bundles[id as usize].track + 1).max().unwrap_or(0)
}

/// Orders from top to bottom: the next bundle is always the one that costs least above all remaining ones, compared with below
/// them.
fn least_cost(bundles: &[Bundle], order: &[u32]) -> Vec<u32> {
    let bundle = |i: usize| &bundles[order[i] as usize];
    let count = order.len();
    let gain = |i: usize, j: usize| i64::from(cost(bundle(i), bundle(j))) - i64::from(cost(bundle(j), bundle(i)));
    let mut score: Vec<i64> = (0..count).map(|i| (0..count).filter(|&j| j != i).map(|j| gain(i, j)).sum()).collect();
    let mut left: Vec<usize> = (0..count).collect();
    let mut out = Vec::with_capacity(count);
    while let Some(at) = (0..left.len()).min_by_key(|&at| score[left[at]]) {
        let taken = left.remove(at);
        out.push(order[taken]);
        for &other in &left {
            score[other] -= gain(other, taken);
        }
    }
    out
}

fn meets(a: &Bundle, b: &Bundle) -> bool {
    a.low < b.high + CLEAR && b.low < a.high + CLEAR
}

/// The number of crossings if `above` has the upper track; overlapping lines count a hundred.
fn cost(above: &Bundle, below: &Bundle) -> u32 {
    if !meets(above, below) {
        return 0;
    }
    let inside = |points: &[i32], other: &Bundle| points.iter().filter(|&&x| other.low < x && x < other.high).count() as u32;
    let overlaps = above.downs.iter().map(|x| below.ups.iter().filter(|up| (*up - x).abs() < 5).count() as u32).sum::<u32>();
    inside(&above.downs, below) + inside(&below.ups, above) + 100 * overlaps
}

/// Assigns tracks to many bundles: each gets the lowest track that is free in all slots of x that it covers.
fn skyline(bundles: &mut [Bundle], order: &[u32]) {
    const SLOTS: i64 = 512;
    let low = order.iter().map(|&id| bundles[id as usize].low).min().unwrap_or(0);
    let high = order.iter().map(|&id| bundles[id as usize].high).max().unwrap_or(0);
    let size = i64::from(high - low) + 1;
    let slot = |x: i32| (i64::from(x - low) * SLOTS / size).clamp(0, SLOTS - 1) as usize;
    let mut next = vec![0i32; SLOTS as usize];
    for &id in order {
        let bundle = &mut bundles[id as usize];
        let (from, to) = (slot(bundle.low), slot(bundle.high));
        bundle.track = next[from..=to].iter().copied().max().unwrap_or(0);
        next[from..=to].fill(bundle.track + 1);
    }
}

struct Router<'a> {
    layers: &'a Layers,
    items: &'a [Item],
    links: &'a [Link],
    cycles: &'a Cycles,
    x: &'a [i32],
    gaps: &'a Gaps,
    onward: Vec<u32>,
    /// Whether each item has links of catchers, and links that lead back, on its right.
    catches: Vec<bool>,
    right_ins: Vec<bool>,
}

impl Router<'_> {
    fn top(&self, node: u32) -> i32 {
        self.gaps.tops[self.layers.nodes[node as usize].layer]
    }

    fn side_y(&self, item: usize, dy: i32) -> i32 {
        let dy = if self.items[item].height >= 4 * SIDE_PORT { dy } else { 0 };
        self.gaps.tops[self.layers.nodes[item].layer] + self.items[item].side + dy
    }

    fn route(&self, id: usize, lane_x: &impl Fn(usize) -> i32) -> Route {
        let link = &self.links[id];
        let back = self.cycles.back[id];
        let mut points: Vec<Point> = Vec::new();
        let mut label = None;
        match self.layers.paths[id] {
            LinkPath::Steps { first, text } => {
                self.leave(&mut points, first, back);
                self.follow(&mut points, first, back);
                label = text.map(|node| {
                    let (width, height) = link.label.unwrap_or((0, 0));
                    let (top, bottom) = (self.top(node), self.gaps.bottoms[self.layers.nodes[node as usize].layer]);
                    (self.x[node as usize] - width / 2, top + (bottom - top - height) / 2)
                });
            }
            LinkPath::Lane(lane) => self.by_lane(&mut points, id, lane_x(lane)),
            LinkPath::Loop(number) => label = self.turn(&mut points, id, number),
        }
        Route { points: simplify(points), label, back }
    }

    /// Where links leave and enter at a side, relative to the middle of that side: those that go up are above those that go
    /// down.
    fn side_dy(&self, item: usize, side: Side, leaves: bool) -> i32 {
        match (side, leaves) {
            (Side::Right, _) if self.right_ins[item] => SIDE_PORT,
            (Side::Right | Side::Middle, _) => 0,
            (Side::Left, true) if self.loops(item) => -SIDE_PORT_WITH_LOOPS,
            (Side::Left, false) if self.loops(item) => SIDE_PORT_WITH_LOOPS,
            (_, true) => -SIDE_PORT,
            (Side::FarRight, false) if self.catches[item] => 0,
            (_, false) => SIDE_PORT,
        }
    }

    fn loops(&self, item: usize) -> bool {
        self.layers.loops[item] > 0
    }

    /// Adds the points from the border of the source to where its first step starts.
    fn leave(&self, points: &mut Vec<Point>, first: u32, back: bool) {
        let step = &self.layers.steps[first as usize];
        let port = if back { step.down } else { step.up };
        let item = port.node as usize;
        let (x, half) = (self.x[item], self.items[item].width / 2);
        if port.side == Side::Middle {
            points.push((x, self.top(port.node) + self.items[item].height));
            return;
        }
        let y = self.side_y(item, self.side_dy(item, port.side, true));
        points.push((x + half * port.dx.signum(), y));
        points.push((x + port.dx, y));
    }

    /// Adds the points from step to step to the border of the target.
    fn follow(&self, points: &mut Vec<Point>, first: u32, back: bool) {
        let mut at = first;
        while let Some(step) = self.layers.steps.get(at as usize) {
            let (from, to) = if back { (step.down, step.up) } else { (step.up, step.down) };
            let (from_x, to_x) = (self.x[from.node as usize] + from.dx, self.x[to.node as usize] + to.dx);
            if from_x != to_x {
                let y = self.gaps.y[self.gaps.of_step[at as usize] as usize];
                points.push((from_x, y));
                points.push((to_x, y));
            }
            let node = &self.layers.nodes[to.node as usize];
            if let Content::Item(item) = node.content {
                if back {
                    let y = self.side_y(item, self.side_dy(item, to.side, false));
                    points.push((to_x, y));
                    points.push((self.x[item] + self.items[item].width / 2 * to.dx.signum(), y));
                } else {
                    points.push((to_x, self.top(to.node)));
                }
                return;
            }
            at = self.onward[to.node as usize];
        }
    }

    fn by_lane(&self, points: &mut Vec<Point>, id: usize, far: i32) {
        let link = &self.links[id];
        let (leaves, arrives) = self.gaps.of_lane[id];
        let (out, into) = (self.gaps.y[leaves as usize], self.gaps.y[arrives as usize]);
        let dx = leave_dx(self.layers, self.items, link);
        let x = self.x[link.from];
        if dx > 0 {
            let y = self.side_y(link.from, 0);
            points.push((x + self.items[link.from].width / 2, y));
            points.push((x + dx, y));
        } else {
            points.push((x, self.top(link.from as u32) + self.items[link.from].height));
        }
        points.extend([(x + dx, out), (far, out), (far, into), (self.x[link.to], into)]);
        points.push((self.x[link.to], self.top(link.to as u32)));
    }

    fn turn(&self, points: &mut Vec<Point>, id: usize, number: i32) -> Option<Point> {
        let link = &self.links[id];
        let item = link.from;
        let (x, half) = (self.x[item], self.items[item].width / 2);
        let lane = x + self.layers.loop_lanes[id];
        let reach = LOOP_PORT + number * 5;
        let side = self.side_y(item, 0);
        points.extend([(x - half, side - reach), (lane, side - reach), (lane, side + reach), (x - half, side + reach)]);
        link.label.map(|(width, height)| (lane - 6 - width, side - height / 2))
    }
}

/// Removes repeated points, and points that are not corners.
fn simplify(points: Vec<Point>) -> Vec<Point> {
    let mut out: Vec<Point> = Vec::with_capacity(points.len());
    for point in points {
        if out.last() == Some(&point) {
            continue;
        }
        if let [.., a, b] = out[..]
            && ((a.0 == b.0 && b.0 == point.0) || (a.1 == b.1 && b.1 == point.1))
        {
            out.pop();
        }
        out.push(point);
    }
    out
}
