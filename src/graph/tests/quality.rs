//! Quality gates: no overlap, no line through a box, nothing outside of its container, every line from border to border.

use super::super::{Edge, EdgeKind, Graph, LabelBox, Node};
use super::*;
use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug)]
struct Rect {
    x0: i32,
    y0: i32,
    x1: i32,
    y1: i32,
}

impl Rect {
    fn of(node: &Node) -> Rect {
        Rect { x0: node.x, y0: node.y, x1: node.x + node.width, y1: node.y + node.height }
    }

    fn label(at: &LabelBox) -> Rect {
        Rect { x0: at.x, y0: at.y, x1: at.x + at.width, y1: at.y + at.height }
    }

    /// A line is a rectangle without width.
    fn line(a: (i32, i32), b: (i32, i32)) -> Rect {
        Rect { x0: a.0.min(b.0), y0: a.1.min(b.1), x1: a.0.max(b.0), y1: a.1.max(b.1) }
    }

    /// Whether the interiors intersect; touching borders do not count.
    fn meets(&self, other: &Rect) -> bool {
        self.x0 < other.x1 && other.x0 < self.x1 && self.y0 < other.y1 && other.y0 < self.y1
    }

    fn inside(&self, other: &Rect) -> bool {
        other.x0 <= self.x0 && self.x1 <= other.x1 && other.y0 <= self.y0 && self.y1 <= other.y1
    }

    fn on_border(&self, (x, y): (i32, i32)) -> bool {
        let within = self.x0 <= x && x <= self.x1 && self.y0 <= y && y <= self.y1;
        within && (x == self.x0 || x == self.x1 || y == self.y0 || y == self.y1)
    }
}

/// Asserts all gates. Returns how many lines overlap with a line with which they share no end.
pub(super) fn check(graph: &Graph, what: &str) -> usize {
    assert_eq!(graph.to_json(), serde_json::to_string(graph).unwrap(), "{what}");
    let whole = Rect { x0: 0, y0: 0, x1: graph.width, y1: graph.height };
    let nodes: BTreeMap<&str, &Node> = graph.nodes.iter().map(|node| (node.id.as_str(), node)).collect();
    assert_eq!(nodes.len(), graph.nodes.len(), "{what}: ids are unique");
    let mut scopes: BTreeMap<Option<&str>, (Vec<&Node>, Vec<&Edge>)> = BTreeMap::new();
    for node in &graph.nodes {
        let outer = node.parent.as_deref().map_or(whole, |parent| Rect::of(nodes[parent]));
        assert!(Rect::of(node).inside(&outer), "{what}: {} leaves its container", node.id);
        scopes.entry(node.parent.as_deref()).or_default().0.push(node);
    }
    let mut ids = std::collections::BTreeSet::new();
    for edge in &graph.edges {
        assert!(ids.insert(&edge.id), "{what}: {} twice", edge.id);
        let (from, to) = (nodes[edge.from.as_str()], nodes[edge.to.as_str()]);
        assert_eq!(from.parent, to.parent, "{what}: {} leaves its scope", edge.id);
        assert!(edge.points.len() >= 2, "{what}: {} is no line", edge.id);
        let (first, last) = (edge.points[0], edge.points[edge.points.len() - 1]);
        assert!(Rect::of(from).on_border(first), "{what}: {} starts in the void: {:?}", edge.id, edge.points);
        assert!(Rect::of(to).on_border(last), "{what}: {} ends in the void: {:?}", edge.id, edge.points);
        assert!(edge.points.windows(2).all(|p| p[0] != p[1] && (p[0].0 == p[1].0 || p[0].1 == p[1].1)), "{what}: {}", edge.id);
        scopes.entry(from.parent.as_deref()).or_default().1.push(edge);
    }
    let mut on_top = 0;
    for (parent, (nodes_here, edges)) in scopes {
        let outer = parent.map_or(whole, |parent| Rect::of(nodes[parent]));
        let boxes: Vec<(Rect, &str)> = nodes_here.iter().map(|node| (Rect::of(node), node.id.as_str())).collect();
        let mut by_y = boxes.clone();
        by_y.sort_by_key(|(rect, _)| rect.y0);
        for (i, (a, id)) in by_y.iter().enumerate() {
            for (b, other) in by_y[i + 1..].iter().take_while(|(b, _)| b.y0 < a.y1) {
                assert!(!a.meets(b), "{what}: {id} overlaps {other}");
            }
        }
        let mut labels: Vec<(Rect, &str)> = Vec::new();
        for edge in &edges {
            for pair in edge.points.windows(2) {
                let line = Rect::line(pair[0], pair[1]);
                assert!(line.inside(&outer), "{what}: {} leaves its container", edge.id);
                if let Some((_, id)) = boxes.iter().find(|(rect, _)| line.meets(rect)) {
                    panic!("{what}: {} runs through {id}: {:?}", edge.id, edge.points);
                }
            }
            if let Some(at) = &edge.label_box {
                let rect = Rect::label(at);
                assert!(rect.inside(&outer), "{what}: label of {} leaves its container", edge.id);
                assert!(boxes.iter().all(|(node, _)| !rect.meets(node)), "{what}: label of {} on a node", edge.id);
                labels.push((rect, &edge.id));
            }
        }
        labels.sort_by_key(|(rect, _)| rect.y0);
        for (i, (a, id)) in labels.iter().enumerate() {
            for (b, other) in labels[i + 1..].iter().take_while(|(b, _)| b.y0 < a.y1) {
                assert!(!a.meets(b), "{what}: label of {id} overlaps that of {other}");
            }
        }
        for (rect, id) in &labels {
            let own = edges.iter().find(|edge| edge.id == *id).map(|edge| (&edge.from, &edge.to));
            for edge in edges.iter().filter(|edge| own != Some((&edge.from, &edge.to))) {
                let hidden = edge.points.windows(2).any(|pair| Rect::line(pair[0], pair[1]).meets(rect));
                assert!(!hidden, "{what}: label of {id} {rect:?} hides {} {:?}", edge.id, edge.points);
            }
        }
        on_top += lines_on_top(&edges);
    }
    on_top
}

/// Counts pairs of collinear lines that overlap and belong to edges without a common end.
fn lines_on_top(edges: &[&Edge]) -> usize {
    type Line<'a> = (i32, i32, &'a Edge);
    // The lines by direction and by the coordinate that they share.
    let mut lines: BTreeMap<(bool, i32), Vec<Line>> = BTreeMap::new();
    for edge in edges {
        for pair in edge.points.windows(2) {
            let rect = Rect::line(pair[0], pair[1]);
            let vertical = rect.x0 == rect.x1;
            let (key, from, to) = if vertical { (rect.x0, rect.y0, rect.y1) } else { (rect.y0, rect.x0, rect.x1) };
            lines.entry((vertical, key)).or_default().push((from, to, edge));
        }
    }
    let mut found = 0;
    for group in lines.values_mut() {
        group.sort_by_key(|&(from, to, _)| (from, to));
        for (i, (_, to, a)) in group.iter().enumerate() {
            let over = group[i + 1..].iter().take_while(|(from, _, _)| from < to);
            found += over.filter(|(_, _, b)| a.from != b.from && a.to != b.to).count();
        }
    }
    found
}

const BOTH: [Direction; 2] = [Direction::TopToBottom, Direction::LeftToRight];

#[test]
fn generated_definitions_pass_all_gates() {
    let (mut crossings, mut on_top, mut nodes, mut edges) = (0, 0, 0, 0);
    for seed in 0..150 {
        let definition = generate::definition(seed, 3 + seed as usize % 60);
        for direction in BOTH {
            let graph = draw(&definition, direction);
            on_top += check(&graph, &format!("seed {seed} {direction:?}"));
            crossings += graph.crossings;
            nodes += graph.nodes.len();
            edges += graph.edges.len();
        }
    }
    assert_eq!(on_top, 0, "lines of different links run on top of each other");
    println!("generated: {nodes} nodes, {edges} edges, {crossings} crossings, {on_top} lines on top of others");
}

#[test]
fn large_definitions_pass_all_gates() {
    for (seed, states) in [(1, 500), (2, 2_000)] {
        let graph = draw(&generate::definition(seed, states), Direction::TopToBottom);
        let on_top = check(&graph, &format!("{states} states"));
        println!("{states} states: {} nodes, {} crossings, {on_top} lines on top", graph.nodes.len(), graph.crossings);
    }
}

#[test]
fn recorded_definitions_pass_all_gates() {
    let Some(folder) = std::env::var("STEPGLASS_RECORDINGS").ok().filter(|folder| !folder.is_empty()) else {
        println!("skipped: STEPGLASS_RECORDINGS does not name a folder of recorded cases");
        return;
    };
    for file in ["definitions.jsonl", "aws-recorded.jsonl"] {
        let text = std::fs::read_to_string(format!("{folder}/{file}")).expect("a file of recorded cases");
        let (mut count, mut crossings, mut on_top) = (0, 0, 0);
        for line in text.lines() {
            let Ok(case) = json::parse(line) else { continue };
            let Some(definition) = case.get("definition") else { continue };
            count += 1;
            for direction in BOTH {
                let graph = draw(definition, direction);
                on_top += check(&graph, case.get("name").and_then(Value::as_str).unwrap_or("?"));
                crossings += graph.crossings;
            }
        }
        assert_eq!(on_top, 0, "{file}: lines of different links run on top of each other");
        println!("{file}: {count} definitions, {crossings} crossings, {on_top} lines on top of others");
    }
}

#[test]
fn equal_definitions_give_equal_bytes() {
    for seed in [3, 33, 57] {
        let definition = generate::definition(seed, 60);
        let twice = [(); 2].map(|()| serde_json::to_string(&draw(&definition, Direction::TopToBottom)).unwrap());
        assert_eq!(twice[0], twice[1]);
    }
}

/// Returns the value with the members of every `States` in another order.
fn shuffled(value: &Value, rng: &mut crate::base::Rng) -> Value {
    match value {
        Value::Object(map) => {
            let members = map.iter().map(|(key, value)| {
                let mut value = shuffled(value, rng);
                if &**key == "States"
                    && let Some(states) = value.as_object()
                {
                    let mut states: Vec<_> = states.clone().into_iter().collect();
                    for i in (1..states.len()).rev() {
                        states.swap(i, rng.below(i as u64 + 1) as usize);
                    }
                    value = Value::from(states.into_iter().collect::<crate::base::Map>());
                }
                (key.clone(), value)
            });
            Value::from(members.collect::<crate::base::Map>())
        }
        Value::Array(items) => Value::from(items.iter().map(|item| shuffled(item, rng)).collect::<Vec<_>>()),
        other => other.clone(),
    }
}

#[test]
fn the_order_of_members_does_not_matter() {
    for seed in 0..40 {
        let definition = generate::definition(seed, 40);
        let mut rng = crate::base::Rng::new(seed);
        let (a, b) = (draw(&definition, Direction::TopToBottom), draw(&shuffled(&definition, &mut rng), Direction::TopToBottom));
        let paths = |graph: &Graph| {
            let mut paths: Vec<_> =
                graph.edges.iter().map(|e| (e.id.clone(), e.from.clone(), e.to.clone(), e.kind, e.back)).collect();
            paths.sort();
            paths
        };
        let unreached = a.nodes.iter().any(|node| !node.reachable);
        if !unreached {
            assert_eq!(paths(&a), paths(&b), "seed {seed}");
            let places = |graph: &Graph| graph.nodes.iter().map(|n| (n.id.clone(), (n.x, n.y))).collect::<BTreeMap<_, _>>();
            assert_eq!(places(&a), places(&b), "seed {seed}");
        }
    }
}

#[test]
fn a_chain_is_exactly_straight() {
    for count in [1, 2, 40] {
        let states: Vec<String> = (0..count)
            .map(|i| {
                let name = format!("{}{i}", "long name ".repeat(i % 4));
                let next = format!("{}{}", "long name ".repeat((i + 1) % 4), i + 1);
                let end = if i + 1 == count { r#""End":true"#.to_string() } else { format!(r#""Next":"{next}""#) };
                format!(r#""{name}":{{"Type":"Pass",{end}}}"#)
            })
            .collect();
        let graph = draw(&parse(&format!(r#"{{"StartAt":"0","States":{{{}}}}}"#, states.join(","))), Direction::TopToBottom);
        let x = graph.nodes[0].center_x();
        assert!(graph.nodes.iter().all(|node| node.center_x() == x));
        assert!(graph.edges.iter().all(|edge| edge.points.len() == 2));
        assert!(graph.edges.iter().any(|edge| edge.kind == EdgeKind::End));
    }
}

/// Returns the definition with a state between another one and its `Next`.
fn with_one_more(definition: &Value, after: &str) -> Option<Value> {
    let mut definition = definition.clone();
    let states = definition.make_object()?.get_mut("States")?.make_object()?;
    let state = states.get_mut(after)?.make_object()?;
    let next = state.get("Next")?.clone();
    state.insert("Next", "Fresh");
    let mut fresh = crate::base::Map::new();
    fresh.insert("Type", "Pass");
    fresh.insert("Next", next);
    states.insert("Fresh", fresh);
    Some(definition)
}

#[test]
fn an_added_state_does_not_reorder_the_others() {
    let (mut pairs, mut turned) = (0, 0);
    for seed in 0..60 {
        let definition = generate::definition(seed, 24);
        let before = draw(&definition, Direction::TopToBottom);
        let Some(target) = before.nodes.iter().find(|node| node.parent.is_none() && node.kind.is_state()) else { continue };
        let Some(more) = with_one_more(&definition, &target.name) else { continue };
        let after = draw(&more, Direction::TopToBottom);
        let places: BTreeMap<&str, i32> = after.nodes.iter().map(|node| (node.id.as_str(), node.center_x())).collect();
        for (i, a) in before.nodes.iter().enumerate() {
            for b in before.nodes[i + 1..].iter().filter(|b| b.parent == a.parent && b.y == a.y && b.center_x() != a.center_x()) {
                let (Some(new_a), Some(new_b)) = (places.get(a.id.as_str()), places.get(b.id.as_str())) else { continue };
                pairs += 1;
                turned += usize::from((a.center_x() < b.center_x()) != (new_a < new_b));
            }
        }
        // States inside of other states are drawn as before, wherever those are now.
        let inside = |graph: &Graph| -> BTreeMap<String, (i32, i32)> {
            let corner =
                |id: &Option<String>| graph.nodes.iter().find(|node| Some(&node.id) == id.as_ref()).map(|node| (node.x, node.y));
            graph.nodes.iter().filter_map(|n| corner(&n.parent).map(|(x, y)| (n.id.clone(), (n.x - x, n.y - y)))).collect()
        };
        assert_eq!(inside(&before), inside(&after), "seed {seed}");
    }
    println!("one more state: {turned} of {pairs} pairs of neighbours changed their order");
    assert!(pairs > 100 && turned * 50 <= pairs, "{turned} of {pairs}");
}
