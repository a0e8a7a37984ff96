//! Turns a definition into a placed graph: sizes of boxes, one layout for each scope, and boxes of scopes in boxes of states.

use super::layered::{self, Class, Item, Link, Placement};
use super::read::{self, Model, State};
use super::text::Face;
use super::{
    Direction, Edge, EdgeKind, FOLD_DEPTH, FOLD_STATES, Graph, LabelBox, LayoutOptions, Node, NodeKind, SELECTOR_HEIGHT,
    SELECTOR_STAGES, path, wrap,
};
use crate::base::Value;
use std::rc::Rc;
use std::sync::Arc;

/// The font sizes of a name, of the line above it, and of a label.
pub(super) const NAME_SIZE: i32 = 13;
pub(super) const CAPTION_SIZE: i32 = 11;
pub(super) const LABEL_SIZE: i32 = 11;

/// In a state's box there is a glyph to the left of the texts.
pub(super) const TEXT_X: i32 = 52;
const TEXT_RIGHT: i32 = 16;
const RETRY_SIGN: i32 = 12;
const FOLD_SIGN: i32 = 20;
const MIN_WIDTH: i32 = 176;
const MAX_TEXT: i32 = 220;
const HEIGHT: i32 = 54;
const SECOND_LINE: i32 = 16;
/// A container's box has a head like that of a state, and its scopes below.
const HEAD: i32 = 52;
const PADDING: i32 = 14;
const SCOPE_PADDING: i32 = 14;
const SCOPE_GAP: i32 = 14;
/// The minimum width of a choice of iterations.
const SELECTOR_WIDTH: i32 = 320;
/// The margin around the whole drawing.
const MARGIN: i32 = 24;
/// The height of a label's line, and its padding.
const LABEL_LINE: i32 = 18;
const LABEL_PADDING: i32 = 12;
/// Maximum number of lines of a label; the last one stands for the rest if there are more.
const LABEL_LINES: usize = 4;
/// The number of earlier scopes with which a scope is compared: branches of a Parallel are often alike except for their names.
const MAX_COMPARED_SCOPES: usize = 8;

/// Lays out the graph of a definition, as far as it can be read. It never fails.
pub fn layout(definition: &Value, options: &LayoutOptions) -> Graph {
    let model = read::read(definition);
    let nest = Nest::build(&model, options);
    let mut graph = nest.finish();
    if let Some(aspect) = options.aspect {
        wrap::into_columns(&mut graph, aspect, &options.breaks);
    }
    graph
}

/// A part of a scope.
#[derive(Clone)]
enum Part {
    Start,
    State(usize),
    Missing { name: Arc<str>, pointer: String },
    End,
}

/// The layout of a single scope.
struct Placed {
    parts: Vec<Part>,
    /// The real size (not swapped) of each part.
    sizes: Vec<(i32, i32)>,
    items: Vec<Item>,
    placement: Rc<Placement>,
    /// The edges of each link: state and transition.
    edges: Vec<Vec<LinkTransition>>,
    /// The links, with parts as sources and targets.
    links: Vec<Link>,
    width: i32,
    height: i32,
}

/// One transition on a link.
#[derive(Clone, Copy)]
enum LinkTransition {
    Start,
    Transition(usize, usize),
}

struct Nest<'a> {
    model: &'a Model,
    direction: Direction,
    /// The layout of each scope, computed from the innermost outwards; `None` for scopes inside of a folded state.
    placed: Vec<Option<Placed>>,
    folded: Vec<bool>,
    /// Whether Maps have space for a choice of iterations.
    selectors: bool,
    /// The number of states inside each state.
    inside: Vec<u32>,
    /// The widths of names, and of all other texts.
    faces: [Face; 2],
}

impl<'a> Nest<'a> {
    fn build(model: &'a Model, options: &LayoutOptions) -> Nest<'a> {
        let folded: Vec<bool> = model
            .states
            .iter()
            .map(|state| state.cut || options.collapsed.iter().any(|pointer| pointer == state.pointer.as_str()))
            .collect();
        let mut nest = Nest {
            model,
            direction: options.direction,
            placed: Vec::new(),
            folded,
            selectors: options.selectors,
            inside: vec![0; model.states.len()],
            faces: Face::both(options.widths.as_ref()),
        };
        // Inner scopes come after outer ones.
        for scope in model.scopes.iter().rev() {
            let own: u32 = scope.states.clone().map(|state| 1 + nest.inside[state]).sum();
            if let Some(parent) = scope.parent {
                nest.inside[parent] += own;
            }
        }
        if options.fold_large {
            nest.fold_large(&options.expanded);
        }
        let mut hidden = vec![false; model.scopes.len()];
        for (i, scope) in model.scopes.iter().enumerate() {
            hidden[i] = scope.parent.is_some_and(|parent| nest.folded[parent] || hidden[model.states[parent].scope]);
        }
        nest.placed.resize_with(model.scopes.len(), || None);
        let shown: Vec<usize> = (0..model.scopes.len()).rev().filter(|&scope| !hidden[scope]).collect();
        for (i, &scope) in shown.iter().enumerate() {
            nest.placed[scope] = Some(nest.place(scope, &shown[i.saturating_sub(MAX_COMPARED_SCOPES)..i]));
        }
        nest
    }

    fn fold_large(&mut self, expanded: &[String]) {
        let model = self.model;
        let mut depth = vec![0u32; model.scopes.len()];
        for (i, scope) in model.scopes.iter().enumerate() {
            depth[i] = scope.parent.map_or(0, |parent| depth[model.states[parent].scope] + 1);
        }
        for (id, state) in model.states.iter().enumerate() {
            let large = self.inside[id] > FOLD_STATES || (self.inside[id] > 0 && depth[state.scope] >= FOLD_DEPTH);
            if large && !expanded.iter().any(|pointer| pointer == state.pointer.as_str()) {
                self.folded[id] = true;
            }
        }
    }

    fn is_open(&self, state: usize) -> bool {
        !self.folded[state] && !self.model.states[state].scopes.is_empty()
    }

    /// Lays out one scope after the scopes inside of it; `last` are the scopes that were laid out before.
    fn place(&self, scope: usize, last: &[usize]) -> Placed {
        let model = self.model;
        let own = &model.scopes[scope];
        let first = own.states.start;
        let states = self.in_order(scope);
        let mut parts = vec![Part::Start];
        let mut part_of = vec![0; states.len()];
        for &state in &states {
            part_of[state - first] = parts.len();
            parts.push(Part::State(state));
        }
        let mut links: Vec<Link> = Vec::new();
        let mut edges: Vec<Vec<LinkTransition>> = Vec::new();
        let mut end = None;
        // Names without a state, sorted, with their parts.
        let mut missing: Vec<(Arc<str>, usize)> = Vec::new();
        let mut target = |parts: &mut Vec<Part>, name: &Arc<str>, pointer: &str| {
            if let Some(state) = model.find(own, name) {
                return part_of[state - first];
            }
            match missing.binary_search_by(|(other, _)| other.cmp(name)) {
                Ok(at) => missing[at].1,
                Err(at) => {
                    missing.insert(at, (name.clone(), parts.len()));
                    parts.push(Part::Missing { name: name.clone(), pointer: pointer.to_string() });
                    parts.len() - 1
                }
            }
        };
        // The newest link for each target and class: all links of one source are consecutive.
        let mut newest: Vec<[Option<usize>; 2]> = Vec::new();
        let mut connect = |from: usize, to: usize, class: Class, weight: i32, transition: LinkTransition| {
            if newest.len() <= to {
                newest.resize(to + 1, [None; 2]);
            }
            let newest = &mut newest[to][usize::from(class == Class::Catch)];
            match newest.filter(|&link| links[link].from == from) {
                Some(link) => edges[link].push(transition),
                None => {
                    *newest = Some(links.len());
                    links.push(Link { from, to, class, weight, label: None });
                    edges.push(vec![transition]);
                }
            }
        };
        if let Some(start) = &own.start {
            let to = target(&mut parts, start, own.pointer.key("StartAt").as_str());
            connect(0, to, Class::Flow, 8, LinkTransition::Start);
        }
        for (i, &state) in states.iter().enumerate() {
            for (j, transition) in model.states[state].transitions.iter().enumerate() {
                let to = match &transition.target {
                    Some(name) => target(&mut parts, name, transition.pointer.as_str()),
                    None => *end.get_or_insert_with(|| {
                        parts.push(Part::End);
                        parts.len() - 1
                    }),
                };
                let (class, weight) = match transition.kind {
                    EdgeKind::Start | EdgeKind::Next => (Class::Flow, 6),
                    EdgeKind::Choice | EdgeKind::Default => (Class::Flow, 4),
                    EdgeKind::End => (Class::Flow, 3),
                    EdgeKind::Catch => (Class::Catch, 2),
                };
                connect(i + 1, to, class, weight, LinkTransition::Transition(state, j));
            }
        }
        for (link, transitions) in links.iter_mut().zip(&edges) {
            link.label = self.label_size(transitions).map(|size| self.swap(size));
        }
        let nested = own.parent.is_some();
        let sizes: Vec<(i32, i32)> = parts.iter().map(|part| self.size(part, nested)).collect();
        let items: Vec<Item> = sizes
            .iter()
            .map(|&size| {
                let (width, height) = self.swap(size);
                // Links at the side of a tall box meet it at the height of its head.
                let side = match self.direction {
                    Direction::TopToBottom => (height / 2).min(HEIGHT / 2),
                    Direction::LeftToRight => (height / 2).min(MIN_WIDTH / 2),
                };
                Item { width, height, side }
            })
            .collect();
        let mut last = last.iter().filter_map(|&last| self.placed[last].as_ref());
        let placement = match last.find(|last| last.items == items && last.links == links) {
            Some(alike) => alike.placement.clone(),
            None => Rc::new(layered::place(&items, &links)),
        };
        let (width, height) = self.swap((placement.width, placement.height));
        Placed { parts, sizes, items, placement, edges, links, width, height }
    }

    /// Returns the states of a scope in the order in which a search from its start reaches them, so that the order of the
    /// members of `States` does not matter; then the unreached states, in the order of the definition.
    fn in_order(&self, scope: usize) -> Vec<usize> {
        let own = &self.model.scopes[scope];
        let first = own.states.start;
        let mut seen = vec![false; own.states.len()];
        let mut out = Vec::with_capacity(own.states.len());
        let start = own.start.as_ref().and_then(|start| self.model.find(own, start));
        let mut stack: Vec<usize> = Vec::new();
        for root in start.into_iter().chain(own.states.clone()) {
            stack.push(root);
            while let Some(state) = stack.pop() {
                if std::mem::replace(&mut seen[state - first], true) {
                    continue;
                }
                out.push(state);
                let targets = self.model.states[state].transitions.iter().rev().filter_map(|transition| transition.target.as_ref());
                stack.extend(targets.filter_map(|target| self.model.find(own, target)));
            }
        }
        out
    }

    fn swap(&self, (a, b): (i32, i32)) -> (i32, i32) {
        match self.direction {
            Direction::TopToBottom => (a, b),
            Direction::LeftToRight => (b, a),
        }
    }

    /// Returns the labels of the transitions of a link, one per line.
    fn label_lines(&self, transitions: &[LinkTransition]) -> Vec<String> {
        let labels: Vec<&String> = transitions
            .iter()
            .filter_map(|transition| match *transition {
                LinkTransition::Start => None,
                LinkTransition::Transition(state, i) => {
                    self.model.states[state].transitions[i].label.as_ref().map(|(short, _)| short)
                }
            })
            .collect();
        let mut lines: Vec<String> = labels.iter().take(LABEL_LINES).map(|label| label.to_string()).collect();
        if labels.len() > LABEL_LINES
            && let Some(last) = lines.last_mut()
        {
            *last = format!("+{} more", labels.len() - LABEL_LINES + 1);
        }
        lines
    }

    fn label_size(&self, transitions: &[LinkTransition]) -> Option<(i32, i32)> {
        let lines = self.label_lines(transitions);
        let width = lines.iter().map(|line| self.faces[1].width(line, LABEL_SIZE)).max()?;
        Some((even(width + LABEL_PADDING), LABEL_LINE * lines.len() as i32))
    }

    fn size(&self, part: &Part, nested: bool) -> (i32, i32) {
        match part {
            Part::Start | Part::End if nested => (14, 14),
            Part::Start | Part::End => (60, 28),
            Part::Missing { name, .. } => {
                let lines = self.faces[0].wrap(name, NAME_SIZE, MAX_TEXT);
                let width = lines.iter().map(|line| self.faces[0].width(line, NAME_SIZE)).max().unwrap_or(0);
                (box_width(width), HEIGHT + SECOND_LINE * (lines.len() as i32 - 1))
            }
            Part::State(state) => {
                let (width, height) = self.head_size(*state);
                if !self.is_open(*state) {
                    return (width, height);
                }
                let (inner_width, inner_height) = self.inner_size(*state);
                let (room_width, room_height) = self.selector_room(*state);
                let width = width.max(inner_width + 2 * PADDING).max(room_width);
                (even(width), even(height.max(HEAD) + room_height + inner_height + PADDING))
            }
        }
    }

    /// The space of an open state for a choice of iterations.
    fn selector_room(&self, state: usize) -> (i32, i32) {
        let Some(map) = self.model.states[state].map.as_ref().filter(|_| self.selectors) else { return (0, 0) };
        let stages = map.reader.is_some() || map.batcher.is_some() || map.writer.is_some();
        (SELECTOR_WIDTH, SELECTOR_HEIGHT + if stages { SELECTOR_STAGES } else { 0 })
    }

    /// The size of a state's box without its scopes.
    fn head_size(&self, state: usize) -> (i32, i32) {
        let lines = self.lines(state);
        let width = lines.iter().map(|line| self.faces[0].width(line, NAME_SIZE)).max().unwrap_or(0);
        // A long caption may widen the box, but not as far as a name.
        let caption = self.faces[1].width(&self.caption(state), CAPTION_SIZE).min(MAX_TEXT);
        let height = HEIGHT + SECOND_LINE * (lines.len() as i32 - 1);
        (box_width(width.max(caption) + self.signs_room(state)), height)
    }

    /// The width that the signs in the upper right corner take from the texts: the sign of retriers, and the one for folding.
    fn signs_room(&self, state: usize) -> i32 {
        let State { retries, kind, .. } = self.model.states[state];
        (if retries { RETRY_SIGN } else { 0 }) + (if matches!(kind, NodeKind::Parallel | NodeKind::Map) { FOLD_SIGN } else { 0 })
    }

    fn lines(&self, state: usize) -> Vec<String> {
        self.faces[0].wrap(&self.model.states[state].name, NAME_SIZE, MAX_TEXT)
    }

    fn caption(&self, id: usize) -> String {
        let state = &self.model.states[id];
        let mut caption = state.kind.as_str().to_string();
        let mut add = |more: &str| {
            caption.push_str(" · ");
            caption.push_str(more);
        };
        if let Some(detail) = &state.detail {
            add(detail);
        }
        if self.folded[id] && (self.inside[id] > 0 || state.cut) {
            add(&match self.inside[id] {
                0 => "folded".to_string(),
                1 => "1 state".to_string(),
                n => format!("{n} states"),
            });
        }
        self.faces[1].fit(&caption, CAPTION_SIZE, MAX_TEXT)
    }

    /// The size of a state's scopes, which are side by side (from top to bottom if the graph goes to the right).
    fn inner_size(&self, state: usize) -> (i32, i32) {
        let (mut along, mut across) = (-SCOPE_GAP, 0);
        for size in self.scope_sizes(state) {
            let (a, b) = self.swap(size);
            along += a + SCOPE_GAP;
            across = across.max(b);
        }
        self.swap((along.max(0), across))
    }

    fn scope_sizes(&self, state: usize) -> impl Iterator<Item = (i32, i32)> + '_ {
        self.model.states[state].scopes.iter().map(|&scope| {
            let (width, height) = self.placed[scope].as_ref().map_or((0, 0), |placed| (placed.width, placed.height));
            (width + 2 * SCOPE_PADDING, height + 2 * SCOPE_PADDING)
        })
    }

    /// Positions everything in the whole drawing, scope by scope from the outermost.
    fn finish(self) -> Graph {
        let mut graph = Graph {
            direction: self.direction,
            comment: self.model.comment.clone(),
            truncated: self.model.truncated,
            ..Graph::default()
        };
        let Some(root) = self.placed.first().and_then(Option::as_ref) else {
            return Graph { width: 2 * MARGIN, height: 2 * MARGIN, ..graph };
        };
        graph.width = root.width + 2 * MARGIN;
        graph.height = root.height + 2 * MARGIN;
        // The origin, nesting and node of each scope.
        let mut frames: Vec<Option<(i32, i32, u32)>> = vec![None; self.placed.len()];
        if let Some(first) = frames.first_mut() {
            *first = Some((MARGIN, MARGIN, 0));
        }
        for scope in 0..self.placed.len() {
            let (Some((x, y, depth)), Some(placed)) = (frames[scope], &self.placed[scope]) else { continue };
            self.finish_scope(&mut graph, &mut frames, scope, placed, (x, y), depth);
        }
        graph
    }

    fn finish_scope(
        &self,
        graph: &mut Graph,
        frames: &mut [Option<(i32, i32, u32)>],
        scope: usize,
        placed: &Placed,
        (x, y): (i32, i32),
        depth: u32,
    ) {
        let own = &self.model.scopes[scope];
        let at = own.pointer.as_str();
        let parent = own.parent.map(|_| at.to_string());
        let ids: Vec<String> = placed.parts.iter().map(|part| self.id(at, part)).collect();
        graph.crossings += placed.placement.crossings;
        for (i, part) in placed.parts.iter().enumerate() {
            let (dx, dy) = self.swap(placed.placement.items[i]);
            let (width, height) = placed.sizes[i];
            let mut node = Node {
                id: ids[i].clone(),
                pointer: at.to_string(),
                name: String::new(),
                lines: Vec::new(),
                kind: NodeKind::End,
                x: x + dx,
                y: y + dy,
                width,
                height,
                parent: parent.clone(),
                comment: None,
                detail: None,
                caption: String::new(),
                retries: false,
                pattern: None,
                map: None,
                reachable: placed.placement.reached[i],
                collapsed: false,
                states: 0,
                depth,
            };
            match part {
                Part::Start => {
                    node.kind = NodeKind::Start;
                    node.name = "Start".into();
                    node.pointer = own.pointer.key("StartAt").as_str().to_string();
                }
                Part::End => node.name = "End".into(),
                Part::Missing { name, pointer } => {
                    node.kind = NodeKind::Missing;
                    node.name = name.to_string();
                    node.lines = self.faces[0].wrap(name, NAME_SIZE, MAX_TEXT);
                    node.caption = "not found".into();
                    node.pointer.clone_from(pointer);
                }
                Part::State(state) => {
                    self.fill(&mut node, *state);
                    let (x, y) = (node.x, node.y);
                    graph.nodes.push(node);
                    if self.is_open(*state) {
                        self.open(graph, frames, *state, (x, y), (width, height), depth);
                    }
                    continue;
                }
            }
            graph.nodes.push(node);
        }
        for (i, link) in placed.links.iter().enumerate() {
            self.finish_link(graph, placed, i, (&ids[link.from], &ids[link.to]), at, (x, y));
        }
    }

    fn id(&self, scope: &str, part: &Part) -> String {
        match part {
            Part::Start => format!("{scope}#start"),
            Part::End => format!("{scope}#end"),
            Part::Missing { name, .. } => format!("{scope}#missing/{name}"),
            Part::State(state) => self.model.states[*state].pointer.as_str().to_string(),
        }
    }

    fn fill(&self, node: &mut Node, id: usize) {
        let state: &State = &self.model.states[id];
        node.pointer = state.pointer.as_str().to_string();
        node.kind = state.kind;
        node.name = state.name.to_string();
        node.lines = self.lines(id);
        node.caption = self.caption(id);
        node.comment.clone_from(&state.comment);
        node.detail.clone_from(&state.detail);
        node.retries = state.retries;
        node.pattern = state.pattern;
        node.map.clone_from(&state.map);
        node.states = self.inside[id];
        node.collapsed = self.folded[id] && (!state.scopes.is_empty() || state.cut);
    }

    /// Puts the boxes of a state's scopes into the state's box.
    fn open(
        &self,
        graph: &mut Graph,
        frames: &mut [Option<(i32, i32, u32)>],
        id: usize,
        (x, y): (i32, i32),
        (width, height): (i32, i32),
        depth: u32,
    ) {
        let state = &self.model.states[id];
        let head = self.head_size(id).1.max(HEAD) + self.selector_room(id).1;
        let (inner_width, _) = self.inner_size(id);
        let room = (width - 2 * PADDING, height - head - PADDING);
        let mut at =
            (x + PADDING + if self.direction == Direction::TopToBottom { (room.0 - inner_width) / 2 } else { 0 }, y + head);
        for (i, (&scope, size)) in state.scopes.iter().zip(self.scope_sizes(id)).enumerate() {
            // All scopes of a state reach from border to border.
            let (width, height) = match self.direction {
                Direction::TopToBottom => (size.0, room.1),
                Direction::LeftToRight => (room.0, size.1),
            };
            let pointer = self.model.scopes[scope].pointer.as_str().to_string();
            let name = if state.kind == NodeKind::Map { "Item processor".to_string() } else { format!("Branch {}", i + 1) };
            let count: u32 = self.model.scopes[scope].states.clone().map(|state| 1 + self.inside[state]).sum();
            graph.nodes.push(Node {
                id: pointer.clone(),
                pointer,
                name,
                lines: Vec::new(),
                kind: NodeKind::Scope,
                x: at.0,
                y: at.1,
                width,
                height,
                parent: Some(state.pointer.as_str().to_string()),
                comment: None,
                detail: None,
                caption: String::new(),
                retries: false,
                pattern: None,
                map: None,
                reachable: true,
                collapsed: false,
                states: count,
                depth: depth + 1,
            });
            frames[scope] = Some((at.0 + SCOPE_PADDING, at.1 + SCOPE_PADDING, depth + 1));
            match self.direction {
                Direction::TopToBottom => at.0 += width + SCOPE_GAP,
                Direction::LeftToRight => at.1 += height + SCOPE_GAP,
            }
        }
    }

    /// Adds one edge for each transition of a link.
    fn finish_link(&self, graph: &mut Graph, placed: &Placed, link: usize, ends: (&str, &str), scope: &str, (x, y): (i32, i32)) {
        let route = &placed.placement.routes[link];
        let points: Vec<(i32, i32)> = route.points.iter().map(|&point| self.swap(point)).map(|(px, py)| (x + px, y + py)).collect();
        let path = path::rounded(&points);
        let transitions = &placed.edges[link];
        let lines = self.label_lines(transitions);
        let more = transitions.len().saturating_sub(lines.len());
        let label_at = route.label.map(|point| self.swap(point)).map(|(px, py)| (x + px, y + py));
        let label_width = self.label_size(transitions).map_or(0, |(width, _)| width);
        let mut line = 0;
        for transition in transitions {
            let mut edge = Edge {
                id: String::new(),
                from: ends.0.to_string(),
                to: ends.1.to_string(),
                kind: EdgeKind::Start,
                index: None,
                back: route.back,
                label: None,
                title: None,
                points: points.clone(),
                path: path.clone(),
                label_box: None,
            };
            match *transition {
                LinkTransition::Start => edge.id = format!("{scope}/StartAt"),
                LinkTransition::Transition(state, i) => {
                    let transition = &self.model.states[state].transitions[i];
                    edge.id = transition.pointer.as_str().to_string();
                    edge.kind = transition.kind;
                    edge.index = transition.index;
                    if let Some((short, full)) = &transition.label {
                        edge.label = Some(short.clone());
                        edge.title = Some(full.clone());
                        if let (Some((x, y)), Some(shown)) = (label_at, lines.get(line)) {
                            edge.label_box =
                                Some(LabelBox { x, y: y + LABEL_LINE * line as i32, width: label_width, height: LABEL_LINE });
                            if more > 0 && line + 1 == lines.len() {
                                edge.label = Some(shown.clone());
                            }
                        }
                        line += 1;
                    }
                }
            }
            graph.edges.push(edge);
        }
    }
}

/// The width of a box for a text. There are few different widths, which makes the drawing calm.
fn box_width(text: i32) -> i32 {
    let width = (TEXT_X + text + TEXT_RIGHT).max(MIN_WIDTH);
    (width + 15) / 16 * 16
}

fn even(length: i32) -> i32 {
    length + length % 2
}
