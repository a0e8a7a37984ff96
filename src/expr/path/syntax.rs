//! The parts of a path, and the locations in a value that it selects.

use super::{Path, Reader, Root, Step, parse};
use crate::base::{Span, Value};
use crate::expr::SyntaxError;
use crate::expr::syntax::Part;

/// The locations that a path selects in a value, each as a list of names and indexes.
#[derive(Clone, Debug, PartialEq)]
pub struct Selection {
    /// The locations, in the order of the result.
    pub places: Vec<Vec<Value>>,
    /// How the path combines them.
    pub shape: Shape,
}

/// How a path combines the values that it selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Shape {
    /// One value.
    One,
    /// A list with a value for each location.
    List,
    /// An object with the members at the locations.
    Members,
}

impl Shape {
    /// The shape's name, for tools.
    pub fn name(self) -> &'static str {
        match self {
            Shape::One => "one",
            Shape::List => "list",
            Shape::Members => "members",
        }
    }
}

/// Maximum number of locations; no user looks at more.
const MAX_PLACES: usize = 10_000;

impl Path {
    /// Returns the parts of a path: see [`crate::expr::syntax`].
    pub(in crate::expr) fn syntax(text: &str) -> Result<Part, SyntaxError> {
        let (root, query, spans) = parse::path_with_spans(text)?;
        let end = spans.last().map_or_else(|| text.trim_end().len(), |span| span.end);
        let first = Span::new(0, spans.first().map_or(end, |span| span.start));
        let (kind, value) = match root {
            Root::Variable(name) => ("variable", Value::String(name)),
            Root::Input => ("root", "$".into()),
            Root::Context => ("root", "$$".into()),
        };
        let mut parts = vec![Part::new(kind, first, value)];
        for (i, span) in spans.into_iter().enumerate() {
            let (kind, value) = match query.steps.get(i) {
                Some(step) => step.named(),
                None => {
                    let call = text.get(span.start + 1..span.end).unwrap_or_default();
                    ("function", call.get(..call.find('(').unwrap_or_default()).unwrap_or_default().into())
                }
            };
            parts.push(Part::new(kind, span, value));
        }
        let mut nothing = Vec::new();
        for reader in Reader::ALL {
            if query.unsupported_form(reader).is_some() {
                nothing.push(Value::from(reader.name()));
            }
        }
        let value = if nothing.is_empty() { Value::Null } else { nothing.into() };
        Ok(Part::new("path", Span::new(0, end), value).of(parts))
    }

    /// Returns the locations that the path selects in a value, which is its `$` or other root: the first 10,000. `None` if a
    /// function at the end of the path computes another value. Nothing is selected if evaluation would fail.
    ///
    /// ```
    /// use stepglass::base::json;
    /// use stepglass::expr::path::{Path, Shape};
    /// let value = json::parse(r#"{"books":[{"price":8},{"price":12}]}"#).unwrap();
    /// let found = Path::parse("$.books[?(@.price > 10)]").unwrap().select(&value).unwrap();
    /// assert_eq!((found.places, found.shape), (vec![vec!["books".into(), 1.into()]], Shape::List));
    /// ```
    pub fn select(&self, value: &Value) -> Option<Selection> {
        if !self.query.calls.is_empty() {
            return None;
        }
        let mut nodes = self.query.nodes(value);
        nodes.truncate(MAX_PLACES);
        let mut wanted = NodeSearch { order: Vec::new(), places: Vec::new() };
        for node in &nodes {
            wanted.order.push((std::ptr::from_ref(*node), wanted.places.len()));
            wanted.places.push(Vec::new());
        }
        crate::base::sort::sort(&mut wanted.order);
        wanted.search(value, &mut Vec::new());
        let NodeSearch { places, .. } = wanted;
        if !self.query.single {
            return Some(Selection { places, shape: Shape::List });
        }
        let Some(Step::Names(names)) = self.query.steps.last() else {
            return Some(Selection { places, shape: Shape::One });
        };
        let mut members = Vec::new();
        for (node, place) in nodes.iter().zip(places) {
            for name in names {
                if node.get(name).is_some() {
                    let mut member = place.clone();
                    member.push(Value::String(name.clone()));
                    members.push(member);
                }
            }
        }
        Some(Selection { places: members, shape: Shape::Members })
    }
}

/// The nodes whose locations are searched. A parsed value contains no node twice.
struct NodeSearch {
    /// The nodes by address, with their index.
    order: Vec<(*const Value, usize)>,
    places: Vec<Vec<Value>>,
}

impl NodeSearch {
    // Recursion is bounded by the depth of values.
    fn search(&mut self, node: &Value, place: &mut Vec<Value>) {
        let address = std::ptr::from_ref(node);
        let mut i = self.order.partition_point(|(node, _)| *node < address);
        while let Some((_, hit)) = self.order.get(i).filter(|(node, _)| *node == address) {
            if let Some(found) = self.places.get_mut(*hit) {
                found.clone_from(place);
            }
            i += 1;
        }
        match node {
            Value::Array(items) => {
                for (i, item) in items.iter().enumerate() {
                    place.push((i as i64).into());
                    self.search(item, place);
                    place.pop();
                }
            }
            Value::Object(map) => {
                for (name, item) in map.entries() {
                    place.push(Value::String(name.clone()));
                    self.search(item, place);
                    place.pop();
                }
            }
            _ => {}
        }
    }
}

impl Step {
    fn named(&self) -> (&'static str, Value) {
        let mut list = Vec::new();
        let kind = match self {
            Step::Name(name) => return ("name", Value::String(name.clone())),
            Step::Index(index) => return ("index", (*index).into()),
            Step::FromEnd(distance) => return ("index", (-*distance).into()),
            Step::Any => return ("wildcard", Value::Null),
            Step::Filter(_) => return ("filter", Value::Null),
            Step::Descend => return ("descend", Value::Null),
            Step::Names(names) => {
                for name in names {
                    list.push(Value::String(name.clone()));
                }
                "names"
            }
            Step::Indexes(indexes) => {
                for index in indexes {
                    list.push(Value::from(*index));
                }
                "indexes"
            }
            Step::Slice(from, to) => {
                for end in [from, to] {
                    list.push(match end {
                        Some(end) => Value::from(*end),
                        None => Value::Null,
                    });
                }
                "slice"
            }
        };
        (kind, list.into())
    }
}
