//! The planned changes of a gesture, in terms of the tree and not of the text. A printer for each syntax turns them into edits.

use super::Refused;
use crate::asl::language::document::{Document, Kind};
use crate::base::{Value, json};

/// A value to write: a new one, or one of the text with the changes inside of it.
pub(super) enum Piece {
    /// A value.
    Json(Value),
    /// A value as JSON text, with escapes as they were written.
    Written(String),
    Object(Vec<(String, Piece)>),
    List(Vec<Piece>),
    /// A value that is moved from elsewhere in the text.
    Old(usize),
}

/// A new member or element.
pub(super) struct Insert {
    pub into: usize,
    /// The sibling that it follows; `None` at the beginning.
    pub after: Option<usize>,
    /// The member's name; `None` for an element.
    pub name: Option<String>,
    pub value: Piece,
}

/// The planned changes of a text.
pub(super) struct Plan<'d> {
    pub document: &'d Document<'d>,
    pub values: Vec<(usize, Piece)>,
    pub keys: Vec<(usize, String)>,
    pub removed: Vec<usize>,
    pub inserts: Vec<Insert>,
    /// The complete new value, if the text has no object.
    pub whole: Option<Piece>,
}

impl Piece {
    pub(super) fn text(text: &str) -> Piece {
        Piece::Json(Value::from(text))
    }
}

impl<'d> Plan<'d> {
    pub(super) fn new(document: &'d Document<'d>) -> Plan<'d> {
        Plan { document, values: Vec::new(), keys: Vec::new(), removed: Vec::new(), inserts: Vec::new(), whole: None }
    }

    /// Replaces a value.
    pub(super) fn value(&mut self, node: usize, piece: Piece) {
        self.values.retain(|(known, _)| *known != node);
        self.values.push((node, piece));
    }

    /// Renames a member.
    pub(super) fn key(&mut self, node: usize, name: &str) {
        self.keys.retain(|(known, _)| *known != node);
        if self.document.name(node) != name {
            self.keys.push((node, name.to_string()));
        }
    }

    pub(super) fn remove(&mut self, node: usize) {
        if !self.removed.contains(&node) {
            self.removed.push(node);
        }
    }

    pub(super) fn insert(&mut self, into: usize, after: Option<usize>, name: Option<&str>, value: Piece) {
        self.inserts.push(Insert { into, after, name: name.map(str::to_string), value });
    }

    /// Adds a member after the last one, or a value to the end of a list.
    pub(super) fn append(&mut self, into: usize, name: Option<&str>, value: Piece) {
        let last = self.document.child_ids(into).last().copied();
        self.insert(into, last, name, value);
    }

    /// The number of children that are not removed.
    pub(super) fn remaining(&self, node: usize) -> usize {
        self.document.child_ids(node).iter().filter(|child| !self.removed.contains(child)).count()
    }

    /// Changes a value to another one with as few edits as possible.
    pub(super) fn become_value(&mut self, node: usize, value: &Value) {
        let document = self.document;
        let Some(place) = document.node(node) else { return };
        match (&place.kind, value) {
            (Kind::Object, Value::Object(map)) => {
                for (child, member) in document.children(node) {
                    let again = document.child(node, &member.name) == Some(child);
                    match map.get(&member.name).filter(|_| again) {
                        Some(value) => self.become_value(child, value),
                        None => self.remove(child),
                    }
                }
                for (name, value) in map.iter().filter(|(name, _)| document.child(node, name).is_none()) {
                    self.append(node, Some(name), Piece::Json(value.clone()));
                }
            }
            (Kind::List, Value::Array(list)) => {
                let old = document.child_ids(node);
                let same = |at: &usize, value: &Value| document.value(*at).as_ref() == Some(value);
                let first = old.iter().zip(list.iter()).take_while(|(at, value)| same(at, value)).count();
                let most = old.len().min(list.len()) - first;
                let last = old.iter().rev().zip(list.iter().rev()).take(most).take_while(|(at, value)| same(at, value)).count();
                let (from, to) = (old.get(first..old.len() - last), list.get(first..list.len() - last));
                let (from, to) = (from.unwrap_or_default(), to.unwrap_or_default());
                for (at, value) in from.iter().zip(to) {
                    self.become_value(*at, value);
                }
                for at in from.iter().skip(to.len()) {
                    self.remove(*at);
                }
                let after = from.last().or_else(|| first.checked_sub(1).and_then(|at| old.get(at))).copied();
                for value in to.iter().skip(from.len()) {
                    self.insert(node, after, None, Piece::Json(value.clone()));
                }
            }
            _ if document.value(node).as_ref() == Some(value) => {}
            _ => self.value(node, Piece::Json(value.clone())),
        }
    }

    /// Refuses the plan if the text around the changes is not valid.
    pub(super) fn check(&self) -> Result<(), Box<Refused>> {
        let document = self.document;
        for insert in &self.inserts {
            let kind = document.node(insert.into).map(|node| &node.kind);
            if insert.name.is_none() && kind != Some(&Kind::List) {
                return Err(Refused::new("shape", format!("`{}` is not a list: fix that first", document.name(insert.into))));
            }
        }
        let parents = self.removed.iter().filter_map(|node| document.parent(*node));
        for container in parents.chain(self.inserts.iter().map(|insert| insert.into)) {
            if !document.is_valid(container) {
                return Err(self.broken(container));
            }
        }
        for node in self.values.iter().map(|(node, _)| node).chain(self.keys.iter().map(|(node, _)| node)) {
            if document.node(*node).is_none_or(|node| node.kind == Kind::Missing) {
                return Err(self.broken(*node));
            }
        }
        Ok(())
    }

    fn broken(&self, node: usize) -> Box<Refused> {
        let pointer = self.document.pointer(node);
        let place = if pointer.as_str().is_empty() { "the machine" } else { pointer.as_str() };
        Refused::new("broken", format!("the text is not complete at {place}: fix that first"))
    }
}

impl Document<'_> {
    /// The members or elements of a node.
    #[inline(never)]
    pub(super) fn child_ids(&self, id: usize) -> Vec<usize> {
        self.children(id).map(|(child, _)| child).collect()
    }

    /// The previous sibling of a node.
    #[inline(never)]
    pub(super) fn before(&self, id: usize) -> Option<usize> {
        let child_ids = self.child_ids(self.parent(id)?);
        let at = child_ids.iter().position(|kid| *kid == id)?;
        child_ids.get(at.checked_sub(1)?).copied()
    }

    /// Returns a value of the text, if it is valid JSON.
    pub(super) fn value(&self, id: usize) -> Option<Value> {
        json::parse(self.source(self.node(id)?.span)).ok()
    }

    /// The byte offset at which a member or an element begins.
    pub(super) fn start(&self, id: usize) -> usize {
        self.node(id).map_or(0, |node| node.key.map_or(node.span.start, |key| key.start))
    }

    pub(super) fn end(&self, id: usize) -> usize {
        self.node(id).map_or(0, |node| node.span.end)
    }

    /// Whether an object or list is closed, and its children are separated only by commas and colons.
    pub(super) fn is_valid(&self, id: usize) -> bool {
        let Some(node) = self.node(id) else { return false };
        let (brackets, is_object) = match node.kind {
            Kind::Object => ("{}", true),
            Kind::List => ("[]", false),
            _ => return false,
        };
        let source = self.source(node.span);
        if self.open.contains(&id) || source.len() < 2 || !source.starts_with(&brackets[..1]) || !source.ends_with(&brackets[1..]) {
            return false;
        }
        let gap = |from: usize, to: usize| self.text.get(from..to).map(str::trim);
        let mut at = node.span.start + 1;
        for (i, (child, place)) in self.children(id).enumerate() {
            let comma = if i == 0 { "" } else { "," };
            let colon = place.key.is_none_or(|key| gap(key.end, place.span.start) == Some(":"));
            if gap(at, self.start(child)) != Some(comma)
                || !colon
                || place.key.is_some() != is_object
                || place.kind == Kind::Missing
            {
                return false;
            }
            at = place.span.end;
        }
        gap(at, node.span.end - 1) == Some("")
    }
}
