//! Prints the changes of a plan as edits of JSON text. Unchanged text is not touched, and new text is laid out like its
//! surroundings.

use super::plan::{Insert, Piece, Plan};
use crate::asl::language::document::{Document, Kind};
use crate::asl::language::{Edit, apply};
use crate::base::{Span, Value, sort};

/// Maximum length of a value on one line, in characters, if its siblings are on one line.
const LINE: usize = 100;

/// Returns the edits of a plan, in order.
pub(super) fn edits(plan: &Plan) -> Vec<Edit> {
    let printer = Printer::of(plan);
    if let Some(piece) = &plan.whole {
        let mut text = String::new();
        printer.write(&mut text, piece, Some(""));
        text.push_str(printer.eol);
        return vec![Edit { span: Span::new(0, plan.document.text.len()), text }];
    }
    if let Some((_, piece)) = plan.values.iter().find(|(node, _)| *node == 0) {
        let mut text = String::new();
        printer.write(&mut text, piece, (!printer.flat).then_some(""));
        return vec![Edit { span: plan.document.node(0).map_or(Span::new(0, 0), |root| root.span), text }];
    }
    printer.within(0)
}

/// Returns a value as a complete text.
pub(super) fn text(plan: &Plan, piece: &Piece) -> String {
    let printer = Printer { flat: false, ..Printer::of(plan) };
    let mut text = String::new();
    printer.write(&mut text, piece, Some(""));
    text.push_str(printer.eol);
    text
}

struct Printer<'p> {
    plan: &'p Plan<'p>,
    document: &'p Document<'p>,
    eol: &'static str,
    /// The indentation of one level.
    unit: String,
    /// Whether the text is on one line.
    flat: bool,
    colon: &'static str,
    comma: &'static str,
    /// Whether there is a space inside of braces on one line.
    padded: bool,
}

impl<'p> Printer<'p> {
    fn of(plan: &'p Plan<'p>) -> Printer<'p> {
        let document = plan.document;
        let text = document.text;
        let root = document.node(0).map_or(Span::new(0, 0), |root| root.span);
        let first = document.children(0).next();
        let tight = first.and_then(|(_, node)| text.get(node.key?.end..node.span.start)) == Some(":");
        let flat = first.is_some() && !document.source(root).contains('\n');
        let outer_indent = indent_at(text, root.start);
        let unit =
            document.child_ids(0).iter().find_map(|child| own_line(text, document.start(*child))?.strip_prefix(outer_indent));
        Printer {
            plan,
            document,
            eol: if text.contains("\r\n") { "\r\n" } else { "\n" },
            unit: unit.filter(|unit| !unit.is_empty()).unwrap_or("  ").to_string(),
            flat,
            colon: if tight && flat { ":" } else { ": " },
            comma: if tight && flat { "," } else { ", " },
            padded: text.contains("{ \""),
        }
    }

    /// Returns the edits inside of a value.
    fn within(&self, root: usize) -> Vec<Edit> {
        let mut out = Vec::new();
        let plan = self.plan;
        for (node, piece) in plan.values.iter().filter(|(node, _)| *node != root && self.is_kept_inside(*node, root)) {
            let Some(place) = self.document.node(*node) else { continue };
            let indent = indent_at(self.document.text, self.document.start(*node));
            let wide = !self.flat && self.is_wide(place.parent);
            let mut text = String::new();
            self.write(&mut text, piece, wide.then_some(indent));
            out.push(Edit { span: place.span, text });
        }
        for (node, name) in plan.keys.iter().filter(|(node, _)| self.is_kept_inside(*node, root) && *node != root) {
            if let Some(span) = self.document.node(*node).and_then(|node| node.key) {
                out.push(Edit { span, text: quoted(name) });
            }
        }
        let mut containers: Vec<usize> = plan.removed.iter().filter_map(|node| self.document.parent(*node)).collect();
        containers.extend(plan.inserts.iter().map(|insert| insert.into));
        sort::sort(&mut containers);
        containers.dedup();
        for container in containers {
            if self.is_kept_inside(container, root)
                && (container == root || !plan.values.iter().any(|(node, _)| *node == container))
            {
                self.rewrite(container, &mut out);
            }
        }
        sort::by_key(&mut out, |edit| (edit.span.start, edit.span.end));
        out
    }

    /// Whether a value is inside of another one, and neither removed nor replaced together with a value around it.
    fn is_kept_inside(&self, node: usize, root: usize) -> bool {
        let path = self.document.path_to(node);
        let Some(at) = path.iter().position(|above| *above == root) else { return false };
        let inside = path.get(at + 1..).unwrap_or_default();
        let above = inside.get(..inside.len().saturating_sub(1)).unwrap_or_default();
        !inside.iter().any(|node| self.plan.removed.contains(node))
            && !above.iter().any(|above| self.plan.values.iter().any(|(known, _)| known == above))
    }

    /// Whether the children of a value are on separate lines.
    fn is_wide(&self, container: Option<usize>) -> bool {
        let Some(container) = container else { return true };
        self.document.child_ids(container).iter().any(|child| own_line(self.document.text, self.document.start(*child)).is_some())
    }

    /// Adds the edits for inserted and removed members or elements.
    fn rewrite(&self, container: usize, out: &mut Vec<Edit>) {
        let (document, plan) = (self.document, self.plan);
        let Some(place) = document.node(container) else { return };
        let children = document.child_ids(container);
        let new_after = |after: Option<usize>| plan.inserts.iter().filter(move |new| new.into == container && new.after == after);
        let lines = children.iter().find_map(|child| own_line(document.text, document.start(*child)));
        let sep = match lines {
            Some(indent) => format!(",{}{indent}", self.eol),
            None => self.comma.to_string(),
        };
        let last = children.iter().rev().find(|child| !plan.removed.contains(child)).or(children.last()).copied();
        if children.iter().all(|child| plan.removed.contains(child)) {
            let all: Vec<&Insert> = new_after(None).chain(children.iter().flat_map(|child| new_after(Some(*child)))).collect();
            let wide = lines.is_some() || (children.is_empty() && !self.flat);
            let base = indent_at(document.text, document.start(container));
            let indent = lines.map_or_else(|| format!("{base}{}", self.unit), str::to_string);
            let wide = wide.then_some(indent.as_str());
            let items: Vec<String> = all.iter().map(|new| self.item(new, wide, new.after.or(last))).collect();
            let inner = Span::new(place.span.start + 1, place.span.end.saturating_sub(1).max(place.span.start + 1));
            let text = match wide {
                _ if items.is_empty() => String::new(),
                Some(indent) => {
                    let eol = self.eol;
                    format!("{eol}{indent}{}{eol}{base}", items.join(&format!(",{eol}{indent}")))
                }
                None => items.join(self.comma),
            };
            out.push(Edit { span: inner, text });
            return;
        }
        let items = |list: &[&Insert]| list.iter().map(|new| self.item(new, lines, new.after.or(last))).collect::<Vec<_>>();
        // A gap is described by the remaining child before it, by whether children were removed in it, and by what is inserted
        // in it.
        let mut before: Option<usize> = None;
        let mut removed_before: Vec<usize> = Vec::new();
        let mut new: Vec<&Insert> = new_after(None).collect();
        for child in children.iter().copied().map(Some).chain([None]) {
            if let Some(child) = child.filter(|child| plan.removed.contains(child)) {
                removed_before.push(child);
                new.extend(new_after(Some(child)));
                continue;
            }
            match (before, child) {
                (Some(kept), _) if !removed_before.is_empty() || !new.is_empty() => {
                    let from = document.end(kept);
                    let to = removed_before.last().map_or(from, |last| document.end(*last));
                    let text: String = items(&new).iter().map(|item| format!("{sep}{item}")).collect();
                    out.push(Edit { span: Span::new(from, to), text });
                }
                (None, Some(kept)) if !removed_before.is_empty() || !new.is_empty() => {
                    let to = document.start(kept);
                    let from = removed_before.first().map_or(to, |first| document.start(*first));
                    let text: String = items(&new).iter().map(|item| format!("{item}{sep}")).collect();
                    out.push(Edit { span: Span::new(from, to), text });
                }
                _ => {}
            }
            before = child;
            removed_before.clear();
            new = child.map_or(Vec::new(), |child| new_after(Some(child)).collect());
        }
    }

    /// Returns the text of a new member or element, on one line if the sibling `like` is on one line.
    fn item(&self, new: &Insert, indent: Option<&str>, like: Option<usize>) -> String {
        let mut head = String::new();
        if let Some(name) = &new.name {
            head = quoted(name) + self.colon;
        }
        if indent.is_some()
            && let Some(like) = like.and_then(|like| self.document.node(like))
            && matches!(like.kind, Kind::Object | Kind::List)
            && !self.document.source(like.span).contains('\n')
            && !matches!(new.value, Piece::Old(_))
        {
            let mut text = head.clone();
            self.write(&mut text, &new.value, None);
            if text.chars().count() <= LINE && !text.contains('\n') {
                return text;
            }
        }
        self.write(&mut head, &new.value, indent);
        head
    }

    /// Writes a value; without an indentation it is on one line.
    fn write(&self, out: &mut String, piece: &Piece, indent: Option<&str>) {
        match piece {
            Piece::Json(Value::Object(map)) if !map.is_empty() => {
                let members = map.iter().map(|(name, value)| (Some(&**name), Part::Json(value)));
                self.members(out, "{}", members, indent);
            }
            Piece::Json(Value::Array(list)) if !list.is_empty() => {
                let scalars = list.iter().all(|item| !matches!(item, Value::Object(_) | Value::Array(_)));
                let members = list.iter().map(|value| (None, Part::Json(value)));
                self.members(out, "[]", members, indent.filter(|_| !scalars));
            }
            Piece::Json(value) => out.push_str(&value.to_string()),
            Piece::Written(text) => out.push_str(text),
            Piece::Object(members) if members.is_empty() => out.push_str("{}"),
            Piece::Object(members) => {
                let members = members.iter().map(|(name, piece)| (Some(name.as_str()), Part::Piece(piece)));
                self.members(out, "{}", members, indent);
            }
            Piece::List(list) => {
                let members = list.iter().map(|piece| (None, Part::Piece(piece)));
                self.members(out, "[]", members, indent.filter(|_| !list.is_empty()));
            }
            Piece::Old(node) => out.push_str(&self.moved(*node, indent)),
        }
    }

    fn members<'v>(
        &self,
        out: &mut String,
        brackets: &str,
        members: impl Iterator<Item = (Option<&'v str>, Part<'v>)>,
        indent: Option<&str>,
    ) {
        let (open, close) = brackets.split_at(1);
        let deeper = indent.map(|indent| format!("{indent}{}", self.unit));
        let pad = if indent.is_none() && self.padded && open == "{" { " " } else { "" };
        out.push_str(open);
        out.push_str(pad);
        for (i, (name, part)) in members.enumerate() {
            match &deeper {
                Some(deeper) => {
                    out.push_str(if i > 0 { "," } else { "" });
                    out.push_str(self.eol);
                    out.push_str(deeper);
                }
                None => out.push_str(if i > 0 { self.comma } else { "" }),
            }
            if let Some(name) = name {
                out.push_str(&quoted(name));
                out.push_str(self.colon);
            }
            match part {
                // This clones only references.
                Part::Json(value) => self.write(out, &Piece::Json(value.clone()), deeper.as_deref()),
                Part::Piece(piece) => self.write(out, piece, deeper.as_deref()),
            }
        }
        if let Some(indent) = indent {
            out.push_str(self.eol);
            out.push_str(indent);
        }
        out.push_str(pad);
        out.push_str(close);
    }

    /// Returns a value of the text with the changes inside of it, indented for its new location.
    fn moved(&self, node: usize, indent: Option<&str>) -> String {
        let Some(place) = self.document.node(node) else { return String::new() };
        let mut edits = self.within(node);
        for edit in &mut edits {
            edit.span = Span::new(edit.span.start - place.span.start, edit.span.end - place.span.start);
        }
        let text = apply(self.document.source(place.span), &edits);
        let Some(indent) = indent else { return text };
        let base = indent_at(self.document.text, self.document.start(node));
        let mut lines = text.split('\n');
        let mut out = lines.next().unwrap_or_default().to_string();
        for line in lines {
            out.push('\n');
            match line.strip_prefix(base) {
                Some(rest) if !rest.trim().is_empty() => {
                    out.push_str(indent);
                    out.push_str(rest);
                }
                _ => out.push_str(line),
            }
        }
        out
    }
}

enum Part<'v> {
    Json(&'v Value),
    Piece(&'v Piece),
}

pub(super) fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// The white space at the beginning of a line.
fn indent_at(text: &str, at: usize) -> &str {
    let start = text.get(..at).and_then(|head| head.rfind('\n')).map_or(0, |at| at + 1);
    let line = text.get(start..at).unwrap_or_default();
    line.get(..line.len() - line.trim_start().len()).unwrap_or_default()
}

/// The white space before an offset, if nothing else precedes it on its line.
fn own_line(text: &str, at: usize) -> Option<&str> {
    let head = text.get(..at)?;
    let start = head.rfind('\n')? + 1;
    head.get(start..).filter(|indent| indent.trim().is_empty())
}

/// Returns the changes for another syntax: values of the text are identified by their pointers.
pub(super) fn changes(plan: &Plan) -> Value {
    let document = plan.document;
    let at = |node: usize| Value::from(document.pointer(node).as_str());
    let mut out = Vec::new();
    if let Some(piece) = &plan.whole {
        out.push(change("whole", &[("value", piece_value(plan, piece))]));
    }
    for (node, piece) in &plan.values {
        out.push(change("value", &[("at", at(*node)), ("value", piece_value(plan, piece))]));
    }
    for (node, name) in &plan.keys {
        out.push(change("key", &[("at", at(*node)), ("name", name.as_str().into())]));
    }
    for node in &plan.removed {
        out.push(change("remove", &[("at", at(*node))]));
    }
    for new in &plan.inserts {
        let after = new.after.and_then(|after| document.child_ids(new.into).iter().position(|child| *child == after));
        out.push(change(
            "insert",
            &[
                ("at", at(new.into)),
                ("after", Value::from(after.map_or(-1, |after| after as i64))),
                ("name", new.name.as_deref().map_or(Value::Null, Value::from)),
                ("value", piece_value(plan, &new.value)),
            ],
        ));
    }
    out.into()
}

fn change(kind: &str, members: &[(&str, Value)]) -> Value {
    let mut all = vec![("change", Value::from(kind))];
    all.extend(members.iter().cloned());
    super::build::object(&all)
}

fn piece_value(plan: &Plan, piece: &Piece) -> Value {
    let of = |name: &str, value: Value| super::build::object(&[(name, value)]);
    match piece {
        Piece::Json(value) => of("json", value.clone()),
        Piece::Written(text) => of("json", crate::base::json::parse(text).unwrap_or_default()),
        Piece::Object(members) => {
            let pair = |(name, piece): &(String, Piece)| Value::from(vec![name.as_str().into(), piece_value(plan, piece)]);
            of("object", members.iter().map(pair).collect::<Vec<_>>().into())
        }
        Piece::List(list) => of("list", list.iter().map(|piece| piece_value(plan, piece)).collect::<Vec<_>>().into()),
        Piece::Old(node) => of("old", plan.document.pointer(*node).as_str().into()),
    }
}
