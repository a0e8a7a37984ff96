//! The layered graph: items, texts and bends in layers, with steps only between neighbouring layers.
//!
//! Links of one class to one target share their bends if their sources follow each other, like a chain of states that all catch
//! errors with the same handler: there is one trunk with many feeders instead of many parallel lines. A budget limits the
//! number of bends; the longest trunks beyond it use an outer lane, which needs none.

use super::cycles::Cycles;
use super::story::Story;
use super::{Class, Groups, Item, Link, Pairs, sort, sorted};

/// The distance between vertical lanes at the side of an item.
pub(super) const LANE: i32 = 14;
/// Maximum number of lanes at one side; further links share the outermost lane.
const MAX_LANES: i32 = 6;
/// The space between a text and the lane of a link from an item to itself.
const LOOP_GAP: i32 = 6;

/// The content of a node of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// An item.
    Item(usize),
    /// The text of a link.
    Text(usize),
    /// A point where a link passes the layer.
    Bend,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub content: Content,
    pub layer: usize,
    /// The space that it takes to the left of its own x.
    pub left: i32,
    pub right: i32,
    pub height: i32,
    /// For texts and bends: the step that continues towards the target of the link.
    pub next: u32,
}

/// The side of an item at which a step is attached; the variants are in order from left to right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Side {
    /// Links that lead back.
    Left,
    Middle,
    /// Links of catchers.
    Right,
    /// Links that lead back on the right.
    FarRight,
}

/// One end of a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Port {
    pub node: u32,
    pub side: Side,
    /// The distance from the node's x.
    pub dx: i32,
}

impl Port {
    /// A key that is different for different positions.
    pub(super) fn key(self) -> i64 {
        i64::from(self.node) << 34 | (self.side as i64) << 32 | i64::from(self.dx.wrapping_sub(i32::MIN) as u32)
    }
}

/// A step of a link from one layer to the next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub up: Port,
    pub down: Port,
    pub weight: i32,
    /// The first link that uses it.
    pub link: usize,
}

/// The kind of path of a link.
#[derive(Clone, Copy, Debug)]
pub(super) enum LinkPath {
    /// Along steps: the first one, and the node of its text.
    Steps { first: u32, text: Option<u32> },
    /// In an outer lane on the right, with its number.
    Lane(usize),
    /// From an item to itself, with its number among the loops of this item.
    Loop(i32),
}

/// The layered graph.
#[derive(Debug, Default)]
pub(super) struct Layers {
    /// The items come first, with the same numbers.
    pub nodes: Vec<Node>,
    pub steps: Vec<Step>,
    /// The nodes of each layer from left to right.
    pub layers: Vec<Vec<u32>>,
    /// Whether each layer contains only texts.
    pub texts: Vec<bool>,
    pub paths: Vec<LinkPath>,
    /// The number of outer lanes.
    pub lanes: usize,
    /// For each link from an item to itself: the x of its lane relative to that of the item.
    pub loop_lanes: Vec<i32>,
    /// The number of these links of each item.
    pub loops: Vec<i32>,
}

/// A trunk: links that share bends.
struct Trunk {
    to: usize,
    class: Class,
    back: bool,
    right: bool,
    links: Vec<usize>,
    /// The layers of its bends: the first one, and the one after the last.
    from_layer: usize,
    to_layer: usize,
}

impl Layers {
    pub(super) fn build(items: &[Item], links: &[Link], cycles: &Cycles, ranks: &[u32], story: &Story) -> Layers {
        let mut layers = Layers {
            paths: vec![LinkPath::Loop(0); links.len()],
            loop_lanes: vec![0; links.len()],
            loops: vec![0; items.len()],
            ..Layers::default()
        };
        let layer_of = layers.make_layers(items, links, cycles, ranks);
        layers.add_items(items, &layer_of);
        let trunks = trunks(links, cycles, story, &layer_of);
        let budget = 4 * (items.len() + links.len()) + 1_000;
        let (direct, lanes) = split_by_budget(trunks, budget);
        for (lane, trunk) in lanes.iter().enumerate() {
            for &link in &trunk.links {
                layers.paths[link] = LinkPath::Lane(lane);
            }
        }
        layers.lanes = lanes.len();
        let ports = Ports::new(items, links, cycles, &mut layers, &direct);
        for trunk in &direct {
            layers.add_trunk(trunk, links, &layer_of, &ports);
        }
        layers
    }

    /// Creates one layer for each rank, and one for texts where a link with a text starts.
    fn make_layers(&mut self, items: &[Item], links: &[Link], cycles: &Cycles, ranks: &[u32]) -> Vec<usize> {
        let count = ranks.iter().max().map_or(0, |&max| max as usize + 1);
        // A text is next to its source: below it, or above if the link leads back.
        let mut text_below = vec![false; count];
        for (i, link) in links.iter().enumerate().filter(|(_, link)| link.label.is_some() && link.from != link.to) {
            let rank = ranks[link.from] as usize;
            text_below[if cycles.back[i] { rank.saturating_sub(1) } else { rank }] = true;
        }
        let mut first = Vec::with_capacity(count);
        for below in text_below {
            first.push(self.texts.len());
            self.texts.push(false);
            if below {
                self.texts.push(true);
            }
        }
        self.layers = vec![Vec::new(); self.texts.len()];
        (0..items.len()).map(|item| first[ranks[item] as usize]).collect()
    }

    fn add_items(&mut self, items: &[Item], layer_of: &[usize]) {
        for (i, item) in items.iter().enumerate() {
            let half = item.width / 2;
            self.add(Content::Item(i), layer_of[i], half, half, item.height);
        }
    }

    fn add(&mut self, content: Content, layer: usize, left: i32, right: i32, height: i32) -> u32 {
        let id = self.nodes.len() as u32;
        self.nodes.push(Node { content, layer, left, right, height, next: u32::MAX });
        self.layers[layer].push(id);
        id
    }

    fn add_step(&mut self, up: Port, down: Port, weight: i32, link: usize) -> u32 {
        self.steps.push(Step { up, down, weight, link });
        self.steps.len() as u32 - 1
    }

    fn add_trunk(&mut self, trunk: &Trunk, links: &[Link], layer_of: &[usize], ports: &Ports) {
        let target = ports.target(trunk);
        let Some(&first) = trunk.links.first() else { return };
        let bends = trunk.to_layer.saturating_sub(trunk.from_layer);
        let start = self.nodes.len() as u32;
        for layer in trunk.from_layer..trunk.to_layer {
            self.add(Content::Bend, layer, 0, 0, 0);
        }
        let bend = |layer: usize| Port { node: start + (layer - trunk.from_layer) as u32, side: Side::Middle, dx: 0 };
        let weight = links[first].weight;
        // Each bend leads to the next one towards the target.
        for layer in trunk.from_layer..trunk.to_layer {
            let node = bend(layer);
            let step = match trunk.back {
                false if layer + 1 == trunk.to_layer => self.add_step(node, target, weight, first),
                false => self.add_step(node, bend(layer + 1), weight * 2, first),
                true if layer == trunk.from_layer => self.add_step(target, node, weight, first),
                true => self.add_step(bend(layer - 1), node, weight * 2, first),
            };
            self.nodes[node.node as usize].next = step;
        }
        for &id in &trunk.links {
            let link = links[id];
            let source = ports.source(id, &link, trunk);
            let text = link.label.map(|(width, height)| {
                let layer = if trunk.back { layer_of[link.from] - 1 } else { layer_of[link.from] + 1 };
                self.add(Content::Text(id), layer, width / 2, width / 2, height)
            });
            // The node to which the source, or its text, is connected.
            let entry = |layer: usize| {
                let inside = bends > 0 && layer >= trunk.from_layer && layer < trunk.to_layer;
                if inside { bend(layer) } else { target }
            };
            let near = match (text, trunk.back) {
                (Some(text), _) => Port { node: text, side: Side::Middle, dx: 0 },
                (None, false) => entry(layer_of[link.from] + 1),
                (None, true) => entry(layer_of[link.from].saturating_sub(1)),
            };
            let first = if trunk.back {
                self.add_step(near, source, link.weight, id)
            } else {
                self.add_step(source, near, link.weight, id)
            };
            if let Some(text) = text {
                let layer = self.nodes[text as usize].layer;
                let from = Port { node: text, side: Side::Middle, dx: 0 };
                let next = if trunk.back {
                    self.add_step(entry(layer.saturating_sub(1)), from, link.weight, id)
                } else {
                    self.add_step(from, entry(layer + 1), link.weight, id)
                };
                self.nodes[text as usize].next = next;
            }
            self.paths[id] = LinkPath::Steps { first, text };
        }
    }
}

/// Groups links into trunks: same target, class and direction, and sources that follow each other on one path of the search.
fn trunks(links: &[Link], cycles: &Cycles, story: &Story, layer_of: &[usize]) -> Vec<Trunk> {
    let key = |(i, link): (usize, &Link)| {
        let kind = usize::from(link.class == Class::Catch) * 4 + usize::from(cycles.back[i]) * 2 + usize::from(story.right[i]);
        (link.from != link.to).then_some(link.to * 8 + kind)
    };
    let by_target = Groups::new(layer_of.len() * 8, links.iter().enumerate().map(key));
    let mut out: Vec<Trunk> = Vec::new();
    let mut members = Pairs::new();
    for group in 0..layer_of.len() * 8 {
        members.clear();
        members.extend(by_target.of(group).iter().map(|&i| {
            let from = links[i as usize].from;
            ((layer_of[from] as i64) << 32 | i64::from(cycles.enter[from]), i)
        }));
        sort(&mut members);
        let first = out.len();
        for &(_, i) in &members {
            let i = i as usize;
            let link = &links[i];
            let (to, class, back, right) = (link.to, link.class, cycles.back[i], story.right[i]);
            let own = layer_of[link.from];
            let text = link.label.is_some();
            let (from_layer, to_layer) = if back {
                (layer_of[to] + 1, own - usize::from(text && own > layer_of[to] + 1))
            } else {
                (own + 1 + usize::from(text), layer_of[to])
            };
            // Only the newest few trunks are tried, so that a target of thousands of links still takes linear time.
            let fits = |trunk: &&mut Trunk| trunk.links.last().is_some_and(|&last| cycles.encloses(links[last].from, link.from));
            match out[first..].iter_mut().rev().take(16).find(fits) {
                Some(trunk) => {
                    trunk.links.push(i);
                    trunk.from_layer = trunk.from_layer.min(from_layer);
                    trunk.to_layer = trunk.to_layer.max(to_layer);
                }
                None => out.push(Trunk { to, class, back, right, links: vec![i], from_layer, to_layer }),
            }
        }
    }
    out
}

/// Splits the trunks into those whose bends fit the budget, the shortest first, and the rest.
fn split_by_budget(trunks: Vec<Trunk>, budget: usize) -> (Vec<Trunk>, Vec<Trunk>) {
    let bends = |trunk: &Trunk| trunk.to_layer.saturating_sub(trunk.from_layer);
    if trunks.iter().map(bends).sum::<usize>() <= budget {
        return (trunks, Vec::new());
    }
    let mut left = budget;
    let mut longest = 0;
    for (length, _) in sorted(trunks.len(), |i| bends(&trunks[i]) as i64) {
        let length = length as usize;
        match left.checked_sub(length) {
            Some(rest) => left = rest,
            None => break,
        }
        longest = length;
    }
    // Trunks of the same length are treated alike, unless that alone would exceed the budget.
    let mut left = budget;
    trunks.into_iter().partition(|trunk| {
        let length = bends(trunk);
        let stays = length <= longest && length <= left;
        left -= if stays { length } else { 0 };
        stays
    })
}

/// The positions at which links are attached to their items.
struct Ports {
    half: Vec<i32>,
    /// Where links of catchers enter: beside the middle if other links enter there too.
    catch_in: Vec<i32>,
    /// Whether links of catchers leave here; their lane is the first one on the right.
    catches: Vec<bool>,
    /// For each link that leads back, the lane in which it leaves.
    back_out: Vec<i32>,
}

impl Ports {
    fn new(items: &[Item], links: &[Link], cycles: &Cycles, layers: &mut Layers, direct: &[Trunk]) -> Ports {
        let mut ports = Ports {
            half: items.iter().map(|item| item.width / 2).collect(),
            catch_in: vec![0; items.len()],
            catches: vec![false; items.len()],
            back_out: vec![0; links.len()],
        };
        let (mut flow_in, mut catch_in) = (vec![false; items.len()], vec![false; items.len()]);
        for (i, link) in links.iter().enumerate().filter(|(i, _)| !cycles.back[*i]) {
            if link.class == Class::Catch {
                catch_in[link.to] = true;
                // Links in outer lanes leave here too.
                ports.catches[link.from] |= matches!(layers.paths[i], LinkPath::Lane(_)) || link.from != link.to;
            } else {
                flow_in[link.to] = true;
            }
        }
        for (i, item) in items.iter().enumerate() {
            if flow_in[i] && catch_in[i] {
                ports.catch_in[i] = (item.width / 4).min(22);
            }
        }
        ports.lanes(layers, links, direct);
        for (i, link) in links.iter().enumerate().filter(|(_, link)| link.from == link.to) {
            layers.paths[i] = LinkPath::Loop(layers.loops[link.from]);
            layers.loops[link.from] += 1;
            let node = &mut layers.nodes[link.from];
            node.left += LANE;
            layers.loop_lanes[i] = -node.left;
            node.left += link.label.map_or(0, |(width, _)| width + LOOP_GAP);
        }
        ports
    }

    /// Assigns lanes to links that lead back: on either side one for all links that enter, and one for each that leaves, the
    /// one with the nearest target innermost. Links that leave go upwards and links that enter come from below, so both start
    /// at the inside.
    fn lanes(&mut self, layers: &mut Layers, links: &[Link], direct: &[Trunk]) {
        let mut count = vec![[0i32; 2]; self.half.len()];
        for (count, &catches) in count.iter_mut().zip(&self.catches) {
            count[1] = i32::from(catches);
        }
        for trunk in direct.iter().filter(|trunk| trunk.back) {
            let count = &mut count[trunk.to][usize::from(trunk.right)];
            *count = (*count).max(1 + if trunk.right { i32::from(self.catches[trunk.to]) } else { 0 });
        }
        let mut out = vec![[0i32; 2]; self.half.len()];
        for (_, trunk) in sorted(direct.len(), |i| -(direct[i].from_layer as i64)) {
            let trunk = &direct[trunk as usize];
            if !trunk.back {
                continue;
            }
            for &link in &trunk.links {
                let from = links[link].from;
                let side = usize::from(trunk.right);
                let lane = out[from][side].min(MAX_LANES - 1);
                out[from][side] += 1;
                count[from][side] = count[from][side].max(lane + 1);
                self.back_out[link] = lane;
            }
        }
        for (i, half) in self.half.iter().enumerate() {
            layers.nodes[i].left = half + LANE * count[i][0];
            layers.nodes[i].right = half + LANE * count[i][1];
        }
    }

    fn source(&self, id: usize, link: &Link, trunk: &Trunk) -> Port {
        let node = link.from as u32;
        if trunk.back {
            let lane = self.back_out[id];
            return Self::at_side(node, trunk.right, self.half[link.from] + LANE * (lane + 1));
        }
        match trunk.class {
            Class::Flow => Port { node, side: Side::Middle, dx: 0 },
            Class::Catch => Port { node, side: Side::Right, dx: self.half[link.from] + LANE },
        }
    }

    fn target(&self, trunk: &Trunk) -> Port {
        let node = trunk.to as u32;
        if trunk.back {
            let lane = if trunk.right && self.catches[trunk.to] { 1 } else { 0 };
            return Self::at_side(node, trunk.right, self.half[trunk.to] + LANE * (lane + 1));
        }
        let dx = if trunk.class == Class::Catch { self.catch_in[trunk.to] } else { 0 };
        Port { node, side: if dx == 0 { Side::Middle } else { Side::Right }, dx }
    }

    fn at_side(node: u32, right: bool, distance: i32) -> Port {
        if right { Port { node, side: Side::FarRight, dx: distance } } else { Port { node, side: Side::Left, dx: -distance } }
    }
}
