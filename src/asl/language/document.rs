//! A definition's text as a tree of nodes with their locations. This is the only parser for incomplete texts.

use crate::base::pointer::{self, Pointer};
use crate::base::{Span, Value, json, sort};
use std::cell::RefCell;
use std::rc::Rc;

/// The kind of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::asl) enum Kind {
    Object,
    List,
    /// A string, decoded.
    Text(String),
    /// A number, a literal name, or something else.
    Other,
    /// A member whose value was not written yet.
    Missing,
}

/// One value, in the order of the text.
#[derive(Debug)]
pub(in crate::asl) struct Node {
    pub parent: Option<usize>,
    /// The member's name as it is written, with quotes.
    pub key: Option<Span>,
    /// The decoded name; empty in a list and for the root.
    pub name: String,
    pub span: Span,
    pub kind: Kind,
    first: Option<usize>,
    last: Option<usize>,
    next: Option<usize>,
}

/// The position of an editor's cursor.
#[derive(Debug)]
pub(in crate::asl) struct Cursor {
    /// The enclosing object or list.
    pub level: usize,
    /// The member whose value is being written.
    pub key: Option<String>,
    /// The member whose name is being written.
    pub member: Option<usize>,
    pub is_key: bool,
    /// The opening quote of the enclosing string.
    pub string: Option<usize>,
}

pub(in crate::asl) struct Document<'a> {
    pub text: &'a str,
    nodes: Vec<Node>,
    pub cursor: Option<Cursor>,
    /// The nodes that are still open at the end of the text.
    pub open: Vec<usize>,
    /// Indexes of objects and lists with more than [`LINEAR_SEARCH`] members, built when needed: the members of an object by name, those
    /// of a list in order. A text with thousands of states looks up thousands of them.
    indexes: RefCell<Vec<(usize, Rc<Vec<usize>>)>>,
}

/// Up to this number of members a lookup is a linear search.
const LINEAR_SEARCH: usize = 32;

/// The node at an offset.
pub(in crate::asl) struct Hit {
    pub node: usize,
    pub on_key: bool,
}

struct Reader<'a> {
    document: Document<'a>,
    /// The member whose value is expected next, or was read last.
    member: Option<usize>,
    after_colon: bool,
}

impl<'a> Document<'a> {
    /// Parses the whole text, however broken it is: an unknown character is skipped, and a closing bracket closes what it can.
    pub(crate) fn read(text: &'a str, cursor: usize) -> Document<'a> {
        let document = Document { text, nodes: Vec::new(), cursor: None, open: Vec::new(), indexes: RefCell::default() };
        let mut reader = Reader { document, member: None, after_colon: false };
        reader.run(cursor);
        reader.document
    }

    pub(crate) fn node(&self, id: usize) -> Option<&Node> {
        self.nodes.get(id)
    }

    pub(crate) fn ids(&self) -> std::ops::Range<usize> {
        0..self.nodes.len()
    }

    pub(crate) fn children(&self, id: usize) -> impl Iterator<Item = (usize, &Node)> {
        let mut next = self.node(id).and_then(|node| node.first);
        std::iter::from_fn(move || {
            let at = next?;
            let node = self.node(at)?;
            next = node.next;
            Some((at, node))
        })
    }

    /// The member with this name; of several ones the last, as in JSON.
    pub(crate) fn child(&self, id: usize, name: &str) -> Option<usize> {
        if let Some(members) = self.index(id) {
            let end = members.partition_point(|&at| self.name(at) <= name);
            return members.get(end.checked_sub(1)?).copied().filter(|&at| self.name(at) == name);
        }
        self.children(id).filter(|(_, node)| node.key.is_some() && node.name == name).map(|(at, _)| at).last()
    }

    /// Returns the index of a large node. Of several members with the same name, the last one comes last.
    fn index(&self, id: usize) -> Option<Rc<Vec<usize>>> {
        self.children(id).nth(LINEAR_SEARCH)?;
        let mut indexes = self.indexes.borrow_mut();
        if let Some((_, index)) = indexes.iter().find(|(of, _)| *of == id) {
            return Some(index.clone());
        }
        let is_list = self.node(id)?.kind == Kind::List;
        let members = self.children(id).filter(|(_, node)| is_list || node.key.is_some());
        let mut index: Vec<usize> = members.map(|(at, _)| at).collect();
        sort::by(&mut index, |&a, &b| self.name(a).cmp(self.name(b)));
        let index = Rc::new(index);
        indexes.push((id, index.clone()));
        Some(index)
    }

    fn item(&self, id: usize, place: usize) -> Option<usize> {
        match self.index(id) {
            Some(items) => items.get(place).copied(),
            None => self.children(id).nth(place).map(|(at, _)| at),
        }
    }

    pub(crate) fn string(&self, id: usize) -> Option<&str> {
        match &self.node(id)?.kind {
            Kind::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The text of a member with a string value.
    pub(crate) fn text_of(&self, id: usize, name: &str) -> Option<&str> {
        self.string(self.child(id, name)?)
    }

    pub(crate) fn parent(&self, id: usize) -> Option<usize> {
        self.node(id)?.parent
    }

    pub(crate) fn name(&self, id: usize) -> &str {
        self.node(id).map_or("", |node| &node.name)
    }

    pub(crate) fn source(&self, span: Span) -> &'a str {
        self.text.get(span.range()).unwrap_or_default()
    }

    /// The nodes from the root to a value, inclusive.
    pub(crate) fn path_to(&self, id: usize) -> Vec<usize> {
        let mut path = vec![id];
        while let Some(parent) = path.last().and_then(|last| self.parent(*last)) {
            path.push(parent);
        }
        path.reverse();
        path
    }

    /// The JSON Pointer of a value.
    pub(crate) fn pointer(&self, id: usize) -> Pointer {
        let mut pointer = Pointer::root();
        for pair in self.path_to(id).windows(2) {
            let &[above, below] = pair else { continue };
            pointer = match self.node(above).map(|node| &node.kind) {
                Some(Kind::List) => pointer.index(self.children(above).position(|(at, _)| at == below).unwrap_or(0)),
                _ => pointer.key(self.name(below)),
            };
        }
        pointer
    }

    /// The value at a pointer.
    pub(crate) fn find(&self, pointer: &str) -> Option<usize> {
        let mut at = self.nodes.first().map(|_| 0)?;
        for step in pointer::steps(pointer) {
            at = match self.node(at)?.kind {
                Kind::List => self.item(at, step.parse().ok()?)?,
                _ => self.child(at, &step)?,
            };
        }
        Some(at)
    }

    /// The innermost value or member name that contains or touches an offset.
    pub(crate) fn hit(&self, offset: usize) -> Option<Hit> {
        let touches = |span: Span| span.start <= offset && offset <= span.end;
        let inside = |(node, place): (usize, &Node)| match place.key {
            Some(key) if touches(key) => Some(Hit { node, on_key: true }),
            _ => (touches(place.span) && place.kind != Kind::Missing).then_some(Hit { node, on_key: false }),
        };
        self.nodes.iter().enumerate().filter_map(inside).next_back()
    }
}

impl Reader<'_> {
    fn run(&mut self, offset: usize) {
        let text = self.document.text;
        let bytes = text.as_bytes();
        let mut at = 0;
        while at <= bytes.len() {
            if at >= offset {
                self.cursor_between();
            }
            let Some(&byte) = bytes.get(at) else { break };
            match byte {
                b'{' | b'[' => {
                    let kind = if byte == b'{' { Kind::Object } else { Kind::List };
                    let id = self.value(Span::new(at, bytes.len()), kind);
                    self.document.open.push(id);
                    (self.member, self.after_colon) = (None, false);
                }
                b'}' | b']' => self.close(byte == b']', at + 1),
                b':' => self.after_colon = true,
                b',' => (self.member, self.after_colon) = (None, false),
                b'"' => {
                    let end = closing(bytes, at);
                    self.string(at, end, offset);
                    at = end.min(bytes.len().saturating_sub(1));
                }
                byte if byte.is_ascii_whitespace() => {}
                _ => {
                    let length = text.get(at..).map_or(1, |rest| rest.find(ends_word).unwrap_or(rest.len())).max(1);
                    self.value(Span::new(at, at + length), Kind::Other);
                    at += length - 1;
                }
            }
            at += 1;
        }
    }

    fn close(&mut self, list: bool, end: usize) {
        let is_list = |id: &usize| self.document.nodes.get(*id).is_some_and(|node| node.kind == Kind::List);
        if let Some(i) = self.document.open.iter().rposition(|id| is_list(id) == list) {
            for id in self.document.open.split_off(i) {
                if let Some(node) = self.document.nodes.get_mut(id) {
                    node.span.end = end;
                }
            }
        }
        (self.member, self.after_colon) = (None, false);
    }

    /// Sets the cursor if it is outside of any string.
    fn cursor_between(&mut self) {
        if self.document.cursor.is_none()
            && let Some(&level) = self.document.open.last()
        {
            let list = self.in_list(level);
            let key = self.member.filter(|_| self.after_colon).map(|member| self.document.name(member).to_string());
            let is_key = !list && !self.after_colon;
            self.document.cursor = Some(Cursor { level, key, member: None, is_key, string: None });
        }
    }

    fn in_list(&self, level: usize) -> bool {
        self.document.nodes.get(level).is_some_and(|node| node.kind == Kind::List)
    }

    fn string(&mut self, start: usize, end: usize, offset: usize) {
        let text = self.document.text;
        let closed = text.as_bytes().get(end) == Some(&b'"');
        let raw = text.get(start + 1..end.min(text.len())).unwrap_or_default();
        let content = decoded(raw);
        let span = Span::new(start, if closed { end + 1 } else { end.min(text.len()) });
        let Some(&level) = self.document.open.last() else {
            self.value(span, Kind::Text(content));
            return;
        };
        let list = self.in_list(level);
        // After a value, a name with a colon is the next member: only the comma is missing.
        let filled = self.member.and_then(|m| self.document.node(m)).is_some_and(|node| node.kind != Kind::Missing);
        let state_named = filled && text.get(span.end..).is_some_and(|rest| rest.trim_start().starts_with(':'));
        let is_key = !list && (!self.after_colon || state_named);
        let of = if list {
            Some(self.document.name(level).to_string())
        } else {
            self.member.filter(|_| self.after_colon).map(|m| self.document.name(m).to_string())
        };
        if is_key {
            let id = self.push(Some(level), Some(span), content, Span::new(span.end, span.end), Kind::Missing);
            (self.member, self.after_colon) = (Some(id), false);
        } else {
            self.value(span, Kind::Text(content));
        }
        if self.document.cursor.is_none() && start < offset && offset <= end {
            let member = self.member.filter(|_| is_key);
            self.document.cursor = Some(Cursor { level, key: of.filter(|_| !is_key), member, is_key, string: Some(start) });
        }
    }

    /// Adds a value where one is expected.
    fn value(&mut self, span: Span, kind: Kind) -> usize {
        let level = self.document.open.last().copied();
        if self.after_colon
            && let Some(member) = self.member
            && let Some(node) = self.document.nodes.get_mut(member)
            && node.kind == Kind::Missing
        {
            (node.span, node.kind) = (span, kind);
            return member;
        }
        self.push(level, None, String::new(), span, kind)
    }

    fn push(&mut self, parent: Option<usize>, key: Option<Span>, name: String, span: Span, kind: Kind) -> usize {
        let nodes = &mut self.document.nodes;
        let id = nodes.len();
        let before = parent.and_then(|parent| nodes.get_mut(parent)).and_then(|parent| {
            parent.first.get_or_insert(id);
            parent.last.replace(id)
        });
        if let Some(before) = before.and_then(|before| nodes.get_mut(before)) {
            before.next = Some(id);
        }
        nodes.push(Node { parent, key, name, span, kind, first: None, last: None, next: None });
        id
    }
}

fn ends_word(c: char) -> bool {
    c.is_whitespace() || matches!(c, '{' | '}' | '[' | ']' | ',' | ':' | '"')
}

/// The closing quote of a string; if it has none, the end of its line.
fn closing(bytes: &[u8], open: usize) -> usize {
    let mut at = open + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' | b'\n' => return at,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// The content of a string, with its valid escapes decoded.
fn decoded(raw: &str) -> String {
    if raw.contains('\\')
        && let Ok(Value::String(text)) = json::parse(&format!("\"{raw}\""))
    {
        return text.to_string();
    }
    raw.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn incomplete_texts_are_parsed_as_far_as_possible() {
        for (text, pointer, expect) in [
            (r#"{"a":{"b":[1,"x"]}}"#, "/a/b/1", "\"x\""),
            (r#"{"a":1 "b":2}"#, "/b", "2"),
            (r#"{"a":"x" "b":{"c":tr"#, "/b/c", "tr"),
            (r#"{"a":[{"b":1},,{"b":2}"#, "/a/1/b", "2"),
            ("{\"a\":\"open\n,\"b\":3}", "/b", "3"),
            (r#"{"a\/b":{"c":1},"a/b":4}"#, "/a~1b", "4"),
            (r#"{"a":[1}],"b":5}"#, "/b", ""),
        ] {
            let document = Document::read(text, usize::MAX);
            let found = document.find(pointer).and_then(|id| document.node(id)).map_or("", |node| document.source(node.span));
            assert_eq!(found, expect, "{text}");
        }
    }

    #[test]
    fn members_are_found_in_large_objects_as_in_small_ones() {
        // The test has names that occur twice, one without a value, and more names than a linear search handles.
        let names: Vec<String> =
            (0..3 * LINEAR_SEARCH).map(|i| format!("n{}", i % (2 * LINEAR_SEARCH))).chain(["".into(), "n1".into()]).collect();
        let members: Vec<String> = names.iter().enumerate().map(|(i, name)| format!("\"{name}\":[{i}]")).collect();
        let items: Vec<String> = (0..3 * LINEAR_SEARCH).map(|i| format!("{{\"n\":{i}}}")).collect();
        let text = format!("{{\"o\":{{{}}},\"l\":[{}]}}", members.join(","), items.join(","));
        let document = Document::read(&text, usize::MAX);
        let at = |pointer: &str| document.find(pointer).and_then(|id| document.node(id)).map(|node| document.source(node.span));
        for name in &names {
            let last = names.iter().rposition(|other| other == name).unwrap();
            assert_eq!(at(&format!("/o/{name}/0")), Some(&*last.to_string()), "{name}");
        }
        assert_eq!(at("/o/other"), None);
        for (i, item) in items.iter().enumerate() {
            assert_eq!(at(&format!("/l/{i}")), Some(&**item));
        }
        assert_eq!(at(&format!("/l/{}", items.len())), None);
    }
}
