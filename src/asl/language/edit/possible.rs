//! Lists the gestures that a location offers, and why others are not possible.

use super::Refused;
use super::build::object;
use super::flow::{GraphEditor, Role};
use crate::asl::complete::assigned;
use crate::asl::language::document::Document;
use crate::asl::shape::STATE_TYPES;
use crate::base::{Map, Value};

/// A gesture that a location may offer.
#[derive(Clone, Debug)]
pub struct Possible {
    /// The gesture's `kind` and its other arguments.
    pub about: Value,
    /// Why it is not possible; `None` if it is.
    pub refused: Option<Box<Refused>>,
}

/// Returns the gestures at a state, an edge, a scope, an element of a list, or several states.
pub fn gestures(text: &str, places: &[String]) -> Vec<Possible> {
    let document = Document::read(text, usize::MAX);
    let mut offers = Offers { document: &document, editor: GraphEditor::new(&document), found: Vec::new() };
    offers.at(places);
    offers.found
}

struct Offers<'d> {
    document: &'d Document<'d>,
    editor: GraphEditor<'d>,
    found: Vec<Possible>,
}

impl Offers<'_> {
    fn at(&mut self, places: &[String]) {
        let [place] = places else { return self.several(places) };
        if place.is_empty() && self.document.text.trim().is_empty() {
            return self.offer("create", &[], None);
        }
        let Ok(node) = self.editor.find(place) else { return };
        if self.editor.is_state(node) {
            self.state(node, place);
        } else if self.editor.scope(place).is_ok() {
            let refused = self.editor.site(&object(&[("scope", place.as_str().into())])).err();
            for kind in ["create", "paste"] {
                self.offer(kind, &[], refused.clone());
            }
            if place.is_empty() {
                self.variables();
            }
        } else if self.editor.edge(place).is_ok() {
            self.edge(place);
        }
        let element = self.document.node(node).is_some_and(|node| node.key.is_none()) && node != 0;
        if element {
            self.tried("remove", &[("at", place.as_str().into())], &[]);
            let list = self.document.parent(node).unwrap_or_default();
            let alone = self.document.child_ids(list).len() < 2;
            self.offer("move", &[], alone.then(|| Refused::new("impossible", "there is only one".into())));
        }
    }

    fn offer(&mut self, kind: &str, about: &[(&str, Value)], refused: Option<Box<Refused>>) {
        let mut map = Map::new();
        map.insert("kind", kind);
        for (name, value) in about {
            map.insert(*name, value.clone());
        }
        self.found.push(Possible { about: map.into(), refused });
    }

    /// Plans a gesture to find out whether it is possible.
    fn refusal(&self, kind: &str, given: &[(&str, Value)]) -> Option<Box<Refused>> {
        let mut all = vec![("kind", Value::from(kind))];
        all.extend(given.iter().cloned());
        let mut editor = GraphEditor::new(self.document);
        editor.plan_gesture(&object(&all)).and_then(|_| editor.plan.check()).err()
    }

    fn tried(&mut self, kind: &str, given: &[(&str, Value)], about: &[(&str, Value)]) {
        let refused = self.refusal(kind, given);
        self.offer(kind, about, refused);
    }

    fn several(&mut self, places: &[String]) {
        let states = Value::from(places.iter().map(|place| Value::from(place.as_str())).collect::<Vec<_>>());
        for kind in ["delete", "copy", "cut", "duplicate", "extract"] {
            self.tried(kind, &[("states", states.clone())], &[]);
        }
        self.typed("wrap", "states", states, &["Parallel", "Map"]);
    }

    /// Adds a gesture that has a type: the possible types, or why none is.
    fn typed(&mut self, kind: &str, name: &str, states: Value, types: &[&str]) {
        let mut refused = None;
        let mut possible = Vec::new();
        for wanted in types {
            match self.refusal(kind, &[(name, states.clone()), ("type", Value::from(*wanted))]) {
                None => possible.push(Value::from(*wanted)),
                Some(why) => refused = refused.or(Some(why)),
            }
        }
        let refused = refused.filter(|_| possible.is_empty());
        self.offer(kind, &[("types", possible.into())], refused);
    }

    fn state(&mut self, state: usize, place: &str) {
        if self.editor.state(place).is_err() {
            return;
        }
        let at = Value::from(place);
        for role in ["next", "rule", "default", "catch", "branch"] {
            let refused = self.editor.check_transition(state, role).err();
            self.offer("append", &[("as", role.into())], refused.clone());
            if role != "branch" {
                let targets = self.targets(self.editor.enclosing_states(state));
                self.offer("connect", &[("as", role.into()), ("targets", targets)], refused);
            }
        }
        for edge in self.editor.transitions_of(state) {
            let pointer = self.editor.pointer(edge.node);
            // The pointer is that of the graph's edge.
            let place = match edge.role {
                Role::Rule(_) | Role::Catch(_) => pointer.strip_suffix("/Next").unwrap_or(&pointer),
                _ => &pointer,
            };
            self.edge_offers(place, edge.role, edge.states);
        }
        self.several(&[place.to_string()]);
        self.offer("rename", &[], None);
        let kind = self.editor.kind(state);
        let others: Vec<&str> = STATE_TYPES.iter().copied().filter(|other| *other != kind).collect();
        self.typed("retype", "state", at.clone(), &others);
        self.tried("unwrap", &[("state", at)], &[]);
        let starts = self.document.text_of(state, "Resource").is_some_and(|text| text.contains(":states:startExecution"));
        let why = || Refused::new("impossible", format!("`{}` does not start another machine", self.editor.name(state)));
        let refused = (!starts).then(why);
        self.offer("inline", &[], refused);
    }

    fn edge(&mut self, place: &str) {
        let Ok(edge) = self.editor.edge(place) else { return };
        let refused = self.editor.site(&object(&[("edge", place.into())])).err();
        for kind in ["insert", "paste"] {
            self.offer(kind, &[("edge", place.into())], refused.clone());
        }
        self.edge_offers(place, edge.role, edge.states);
    }

    fn edge_offers(&mut self, place: &str, role: Role, states: usize) {
        let targets = self.targets(states);
        self.offer("connect", &[("edge", place.into()), ("targets", targets)], None);
        if role != Role::End {
            self.tried("disconnect", &[("edge", place.into())], &[("edge", place.into())]);
        }
    }

    /// The variables that the machine assigns, which can be renamed.
    fn variables(&mut self) {
        let mut names: Vec<&str> = assigned(self.document).collect();
        let mut seen = Vec::new();
        names.retain(|name| {
            !seen.contains(name) && {
                seen.push(*name);
                true
            }
        });
        if !names.is_empty() {
            let names: Vec<Value> = names.into_iter().map(Value::from).collect();
            self.offer("rename", &[("variables", names.into())], None);
        }
    }

    fn targets(&self, states: usize) -> Value {
        let target = |(id, node): (usize, &crate::asl::language::document::Node)| {
            object(&[
                ("pointer", self.editor.pointer(id).into()),
                ("name", node.name.as_str().into()),
                ("type", self.editor.kind(id).into()),
            ])
        };
        self.document.children(states).map(target).collect::<Vec<_>>().into()
    }
}
