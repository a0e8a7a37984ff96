//! Breaks a long row of states into columns side by side, so that a tall graph fills the area in which it is shown.
//!
//! The finished drawing is cut between states of the outermost scope, where few lines pass. Each piece becomes a column. The
//! lines that were cut continue in lanes: below their column, up in the space between the two columns, and above the next one.
//! The lanes are nested, so that no two lines cross that did not cross before.

use super::{ColumnBreak, Direction, Graph, Node, path};
use crate::base::sort;

/// A drawing up to this length, in px, is not broken.
const MIN_LENGTH: i32 = 1_400;
const MOST_COLUMNS: i32 = 64;
/// Maximum number of lines from one column to the next.
const MAX_LANES: usize = 24;
/// The distance of lanes from each other and from their neighbours.
const LANE: i32 = 12;
const BESIDE: i32 = 28;
/// The margin around the whole drawing.
const MARGIN: i32 = 24;
/// The distance of a cut before a state, below all turns of lines.
const BEFORE: i32 = 4;
/// The cost of a line that is cut: the number of px by which a column may be longer or shorter to avoid it.
const CUT_LINE: i32 = 60;
/// The number of cuts that are compared for each column.
const MAX_COMPARED: usize = 24;

/// A possible cut, between two rows of states.
struct Cut {
    at: i32,
    /// The positions of lines that it cuts, from left to right.
    lanes: Vec<i32>,
}

/// A piece of the drawing, and how far it moves.
#[derive(Clone, Copy, Default)]
struct Column {
    across: i32,
    along: i32,
    /// Its end after the move, and the first lanes after it and above it.
    end: i32,
    behind: i32,
    above: i32,
}

/// Breaks the graph if that shows it larger in an area with this width divided by its height. Existing breaks are kept until
/// others would show it much larger, so that an edit moves only its own column.
pub(super) fn into_columns(graph: &mut Graph, aspect: f64, before: &[ColumnBreak]) {
    let turned = graph.direction == Direction::LeftToRight;
    let (across, along) = if turned { (graph.height, graph.width) } else { (graph.width, graph.height) };
    // The value is in thousandths, and limited to plausible shapes.
    let aspect = i64::from((if turned { 1_000.0 / aspect } else { 1_000.0 * aspect }).clamp(100.0, 10_000.0) as i32);
    if along <= MIN_LENGTH && (before.is_empty() || along * 14 <= MIN_LENGTH * 10) {
        return;
    }
    // The scale at which the drawing is shown with this number of columns, the longest of which has this length.
    let scale = |columns: i32, length: i32| {
        let width = i64::from(columns) * i64::from(across + 2 * BESIDE);
        (aspect * 1_000_000 / width).min(1_000_000_000 / i64::from(length.max(1)))
    };
    let most = if along <= MIN_LENGTH { 1 } else { MOST_COLUMNS };
    let equal = |columns: i32| scale(columns, along / columns);
    let Some(columns) = (1..=most).max_by_key(|&columns| (equal(columns), -columns)) else { return };
    let drawing = Drawing { graph, turned };
    let mut cuts = drawing.cuts_at(before).unwrap_or_default();
    // A slightly larger scale does not justify changing the existing columns, or a single row.
    if equal(columns) * 10 >= scale(cuts.len() as i32 + 1, longest(&cuts, along)) * 14 {
        cuts = drawing.cuts(along, columns);
    }
    if !cuts.is_empty() {
        let breaks = cuts.iter().filter_map(|cut| drawing.break_at(cut.at)).collect();
        rebuild(graph, turned, &cuts);
        graph.breaks = breaks;
    }
}

/// The length of the longest column.
fn longest(cuts: &[Cut], along: i32) -> i32 {
    let ends = cuts.iter().map(|cut| cut.at).chain([along]);
    let starts = [0].into_iter().chain(cuts.iter().map(|cut| cut.at));
    ends.zip(starts).map(|(end, start)| end - start).max().unwrap_or(along)
}

fn swap(turned: bool, (x, y): (i32, i32)) -> (i32, i32) {
    if turned { (y, x) } else { (x, y) }
}

struct Drawing<'a> {
    graph: &'a Graph,
    turned: bool,
}

impl Drawing<'_> {
    /// Finds the best position for each cut, near the end of equally long columns.
    fn cuts(&self, along: i32, columns: i32) -> Vec<Cut> {
        let free = self.free();
        let length = along / columns;
        let mut cuts: Vec<Cut> = Vec::new();
        for i in 1..columns {
            let wanted = length * i;
            let from = cuts.last().map_or(0, |cut| cut.at) + length / 3;
            let near = |at: i32| (at - wanted).abs();
            let first = free.partition_point(|&at| at < wanted - length / 2);
            let mut places: Vec<i32> =
                free.iter().skip(first).copied().take_while(|&at| at <= wanted + length / 2).filter(|&at| at >= from).collect();
            sort::by_key(&mut places, |&at| near(at));
            let found = places.iter().take(MAX_COMPARED).filter_map(|&at| self.cut(at));
            cuts.extend(found.min_by_key(|cut| near(cut.at) + CUT_LINE * cut.lanes.len() as i32));
        }
        cuts
    }

    /// Returns the cuts at the breaks of an earlier drawing; `None` if one of them is lost, or if their order has changed.
    fn cuts_at(&self, breaks: &[ColumnBreak]) -> Option<Vec<Cut>> {
        let free = self.free();
        let start = |id: &str| self.outermost().find(|node| node.id == id).map(|node| self.covered(node).0);
        let mut cuts: Vec<Cut> = Vec::with_capacity(breaks.len());
        for ColumnBreak { after, before } in breaks {
            // The row of a state begins at the state, or before it.
            let at = match start(before) {
                Some(start) => free.partition_point(|&at| at < start).checked_sub(1)?,
                None => {
                    let start = start(after)?;
                    free.partition_point(|&at| at < start)
                }
            };
            let cut = self.cut(*free.get(at)?)?;
            if cuts.last().is_some_and(|last| last.at >= cut.at) {
                return None;
            }
            cuts.push(cut);
        }
        Some(cuts)
    }

    /// Returns the states before and after a cut.
    fn break_at(&self, at: i32) -> Option<ColumnBreak> {
        let rows = self.outermost().map(|node| (self.covered(node), node));
        let (before, after): (Vec<_>, Vec<_>) = rows.partition(|((start, _), _)| *start >= at);
        let before = before.into_iter().min_by_key(|((start, _), _)| *start)?.1.id.clone();
        let after = after.into_iter().max_by_key(|((_, end), _)| *end)?.1.id.clone();
        Some(ColumnBreak { after, before })
    }

    fn outermost(&self) -> impl Iterator<Item = &Node> {
        self.graph.nodes.iter().filter(|node| node.parent.is_none())
    }

    /// Returns where a state begins and ends along the drawing.
    fn covered(&self, node: &Node) -> (i32, i32) {
        let start = swap(self.turned, (node.x, node.y)).1;
        (start, start + swap(self.turned, (node.width, node.height)).1)
    }

    /// Returns positions that no state and no label of the outermost scope covers: just before each row.
    fn free(&self) -> Vec<i32> {
        let labels = self.graph.edges.iter().filter_map(|edge| edge.label_box).map(|label| {
            let start = swap(self.turned, (label.x, label.y)).1;
            (start, start + swap(self.turned, (label.width, label.height)).1, false)
        });
        let states = self.outermost().map(|node| self.covered(node)).map(|(start, end)| (start, end, true));
        let mut covered: Vec<(i32, i32, bool)> = states.chain(labels).collect();
        sort::sort(&mut covered);
        let mut free = Vec::new();
        let mut end = i32::MAX;
        for (from, to, state) in covered {
            // Labels stay with the state that their lines leave.
            if state && from - BEFORE > end {
                free.push(from - BEFORE);
            }
            end = if end == i32::MAX { to } else { end.max(to) };
        }
        free
    }

    /// Returns the cut at a position; `None` if a line runs along it, or if it cuts too many lines.
    fn cut(&self, at: i32) -> Option<Cut> {
        let mut lanes = Vec::new();
        for edge in &self.graph.edges {
            for pair in edge.points.windows(2) {
                let [a, b] = *pair else { continue };
                let ((x, a), (_, b)) = (swap(self.turned, a), swap(self.turned, b));
                if a == at || b == at {
                    return None;
                }
                if (a < at) != (b < at) && !lanes.contains(&x) {
                    lanes.push(x);
                }
            }
            if lanes.len() > MAX_LANES {
                return None;
            }
        }
        sort::sort(&mut lanes);
        Some(Cut { at, lanes })
    }
}

fn rebuild(graph: &mut Graph, turned: bool, cuts: &[Cut]) {
    let column_of = |along: i32| cuts.partition_point(|cut| cut.at <= along);
    // The range that each column covers from left to right.
    let mut covers = vec![(i32::MAX, i32::MIN); cuts.len() + 1];
    let mut cover = |column: usize, from: i32, to: i32| {
        if let Some(covers) = covers.get_mut(column) {
            *covers = (covers.0.min(from), covers.1.max(to));
        }
    };
    for node in &graph.nodes {
        let ((x, y), (width, _)) = (swap(turned, (node.x, node.y)), swap(turned, (node.width, node.height)));
        cover(column_of(y), x, x + width);
    }
    for edge in &graph.edges {
        for &point in &edge.points {
            let (x, y) = swap(turned, point);
            cover(column_of(y), x, x);
        }
        if let Some(label) = edge.label_box {
            let ((x, y), (width, _)) = (swap(turned, (label.x, label.y)), swap(turned, (label.width, label.height)));
            cover(column_of(y), x, x + width);
        }
    }
    for (i, cut) in cuts.iter().enumerate() {
        for &x in &cut.lanes {
            cover(i, x, x);
            cover(i + 1, x, x);
        }
    }
    let lanes = |column: usize| cuts.get(column).map_or(0, |cut| cut.lanes.len() as i32);
    let whole = swap(turned, (graph.width, graph.height)).1 - MARGIN;
    let mut columns: Vec<Column> = Vec::with_capacity(covers.len());
    let (mut at, mut deepest) = (MARGIN, 0);
    for (i, &(from, to)) in covers.iter().enumerate() {
        let before = i.checked_sub(1);
        // The first column begins where it did before.
        let along = before.map_or(0, |i| MARGIN + LANE * (lanes(i) + 1) - cuts.get(i).map_or(0, |cut| cut.at));
        let end = cuts.get(i).map_or(whole, |cut| cut.at) + along;
        let behind = at + (to - from).max(0) + BESIDE;
        columns.push(Column { across: at - from, along, end, behind, above: MARGIN });
        deepest = deepest.max(end + if lanes(i) > 0 { LANE * lanes(i) } else { 0 });
        at = behind + LANE * lanes(i) + BESIDE - LANE;
    }
    let column = |along: i32| columns.get(column_of(along)).copied().unwrap_or_default();
    let moved = |(x, y): (i32, i32)| {
        let (x, y) = swap(turned, (x, y));
        let column = column(y);
        swap(turned, (x + column.across, y + column.along))
    };
    for edge in &mut graph.edges {
        if let Some(label) = &mut edge.label_box {
            (label.x, label.y) = moved((label.x, label.y));
        }
        let mut points = Vec::with_capacity(edge.points.len());
        for (i, &point) in edge.points.iter().enumerate() {
            let before = i.checked_sub(1).and_then(|i| edge.points.get(i)).map_or(point, |&before| before);
            let ((x, from), (_, to)) = (swap(turned, before), swap(turned, point));
            let (a, b) = (column_of(from), column_of(to));
            let mut crossed: Vec<usize> = (a.min(b)..a.max(b)).collect();
            if a > b {
                crossed.reverse();
            }
            for cut in crossed {
                let (Some(one), Some(next), Some(Cut { lanes, .. })) = (columns.get(cut), columns.get(cut + 1), cuts.get(cut))
                else {
                    continue;
                };
                let inside = LANE * lanes.iter().filter(|&&lane| lane > x).count() as i32;
                let (left, right) = (x + one.across, x + next.across);
                let (below, above, between) = (one.end + LANE + inside, next.above + inside, one.behind + inside);
                let mut corners = [(left, below), (between, below), (between, above), (right, above)];
                if a > b {
                    corners.reverse();
                }
                points.extend(corners.map(|point| swap(turned, point)));
            }
            points.push(moved(point));
        }
        edge.points = points;
        edge.path = path::rounded(&edge.points);
    }
    for node in &mut graph.nodes {
        (node.x, node.y) = moved((node.x, node.y));
    }
    let across = columns.last().map_or(0, |column| column.behind - BESIDE + MARGIN);
    (graph.width, graph.height) = swap(turned, (across, deepest + MARGIN));
}

#[cfg(test)]
mod tests {
    use super::super::{LayoutOptions, layout};
    use super::*;
    use crate::base::json;
    use std::fmt::Write;

    /// Returns a row of states in which the last one leads back to the first, and each fifth one to a later one.
    fn row(count: usize) -> Graph {
        longer_row(count, None, &[])
    }

    /// Returns the row with one more state after one of them, broken at the breaks of an earlier one.
    fn longer_row(count: usize, more_after: Option<usize>, breaks: &[ColumnBreak]) -> Graph {
        let mut states = String::new();
        for i in 0..count {
            let next = if i + 1 < count { i + 1 } else { 0 };
            if more_after == Some(i) {
                let _ = write!(states, r#""S{i}":{{"Type":"Pass","Next":"More"}},"More":{{"Type":"Pass","Next":"S{next}"}},"#);
                continue;
            }
            let _ = match i % 5 {
                4 => write!(
                    states,
                    r#""S{i}":{{"Type":"Choice","Choices":[{{"Variable":"$.x","IsNull":true,"Next":"S{}"}}],"Default":"S{next}"}},"#,
                    (i + 3) % count
                ),
                _ => write!(states, r#""S{i}":{{"Type":"Pass","Next":"S{next}"}},"#),
            };
        }
        let definition = json::parse(&format!(r#"{{"StartAt":"S0","States":{{{}}}}}"#, states.trim_end_matches(','))).unwrap();
        layout(&definition, &LayoutOptions { aspect: Some(1.2), breaks: breaks.to_vec(), ..LayoutOptions::default() })
    }

    fn shape(graph: &Graph) -> f64 {
        f64::from(graph.width) / f64::from(graph.height)
    }

    #[test]
    fn a_tall_graph_fills_its_area() {
        for count in [30, 60, 500, 2_000] {
            let graph = row(count);
            assert!((0.5..2.4).contains(&shape(&graph)), "{count}: {} × {}", graph.width, graph.height);
        }
        // A drawing that is not tall remains a row.
        assert!(shape(&row(8)) < 0.9);
    }

    #[test]
    fn nothing_overlaps_and_lines_stay_whole() {
        for direction in [Direction::TopToBottom, Direction::LeftToRight] {
            let mut graph = row(80);
            if direction == Direction::LeftToRight {
                let text = r#"{"StartAt":"A0","States":{"A0":{"Type":"Pass","Next":"A1"}"#.to_string();
                let text = (1..60).fold(text, |text, i| {
                    let next = if i < 59 { format!(r#""Next":"A{}""#, i + 1) } else { r#""End":true"#.into() };
                    text + &format!(r#","A{i}":{{"Type":"Pass",{next}}}"#)
                }) + "}}";
                graph = layout(
                    &json::parse(&text).unwrap(),
                    &LayoutOptions { direction, aspect: Some(1.2), ..LayoutOptions::default() },
                );
            }
            assert!((0.5..2.4).contains(&shape(&graph)), "{} × {}", graph.width, graph.height);
            for (i, a) in graph.nodes.iter().enumerate() {
                assert!(a.x >= 0 && a.y >= 0 && a.x + a.width <= graph.width && a.y + a.height <= graph.height, "{}", a.id);
                for b in &graph.nodes[..i] {
                    let disjoint = a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y;
                    assert!(disjoint, "{} on {}", a.id, b.id);
                }
            }
            for edge in &graph.edges {
                for pair in edge.points.windows(2) {
                    let (a, b) = (pair[0], pair[1]);
                    assert!(a.0 == b.0 || a.1 == b.1, "{} from {a:?} to {b:?}", edge.id);
                    // No cut goes through a state.
                    for node in &graph.nodes {
                        let clear = a.0.max(b.0) <= node.x
                            || a.0.min(b.0) >= node.x + node.width
                            || a.1.max(b.1) <= node.y
                            || a.1.min(b.1) >= node.y + node.height;
                        assert!(clear, "{} through {}", edge.id, node.id);
                    }
                }
                let on = |id: &str, (x, y): (i32, i32)| {
                    let node = graph.nodes.iter().find(|node| node.id == id).unwrap();
                    x >= node.x && x <= node.x + node.width && y >= node.y && y <= node.y + node.height
                };
                assert!(on(&edge.from, edge.points[0]) && on(&edge.to, *edge.points.last().unwrap()), "{}", edge.id);
            }
        }
    }

    fn places(graph: &Graph) -> std::collections::HashMap<&str, (i32, i32)> {
        graph.nodes.iter().map(|node| (node.id.as_str(), (node.x, node.y))).collect()
    }

    /// Counts the nodes at other positions in another drawing.
    fn moved(before: &Graph, after: &Graph) -> usize {
        let places = places(before);
        after.nodes.iter().filter(|node| places.get(node.id.as_str()).is_some_and(|&place| place != (node.x, node.y))).count()
    }

    #[test]
    fn an_edit_moves_its_own_column_only() {
        let before = row(80);
        let longest = 80 / (before.breaks.len() + 1);
        assert!(before.breaks.len() >= 3, "{:?}", before.breaks);
        for at in [0, 1, 11, 42, 78] {
            let after = longer_row(80, Some(at), &before.breaks);
            assert_eq!(after.breaks, before.breaks, "after S{at}");
            assert!(moved(&before, &after) <= longest, "{} nodes moved by a state after S{at}", moved(&before, &after));
        }
        // Without the breaks most of them move.
        assert!(moved(&before, &longer_row(80, Some(1), &[])) > 40);
    }

    #[test]
    fn breaks_survive_the_loss_of_one_of_their_two_states() {
        let before = row(80);
        let renamed = |side: fn(&mut ColumnBreak) -> &mut String| {
            let mut breaks = before.breaks.clone();
            for lost in &mut breaks {
                *side(lost) = "/States/Gone".to_owned();
            }
            longer_row(80, None, &breaks)
        };
        assert_eq!(renamed(|lost| &mut lost.after), before);
        assert_eq!(renamed(|lost| &mut lost.before), before);
        let other = ColumnBreak { after: "/States/A".to_owned(), before: "/States/B".to_owned() };
        assert_eq!(longer_row(80, None, &[other]), before);
        // Breaks in another order are not used either.
        let reversed: Vec<ColumnBreak> = before.breaks.iter().rev().cloned().collect();
        assert_eq!(longer_row(80, None, &reversed), before);
    }

    #[test]
    fn breaks_that_show_a_graph_too_small_are_dropped() {
        let small = row(30);
        let large = longer_row(200, None, &small.breaks);
        assert_eq!(large, row(200));
        // This also holds if one row is enough.
        let between = |after: &str, before: &str| ColumnBreak { after: after.to_owned(), before: before.to_owned() };
        assert_eq!(longer_row(8, None, &[between("/States/S1", "/States/S2")]), row(8));
    }
}
