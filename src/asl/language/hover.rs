//! Explains a position of a definition in a few words.

use super::super::complete::{ERRORS, assigned, describe};
use super::super::ir::QueryLanguage;
use super::super::shape::Type;
use super::Hover;
use super::descriptions::{Section, about};
use super::document::{Document, Hit, Kind};
use super::symbols::{Symbol, expression, inside, symbol_at, uses, word};
use crate::base::{Span, case};
use crate::expr::intrinsic::Intrinsic;

/// Explains what is at an offset; `None` if there is no explanation.
pub(super) fn hover(document: &Document, offset: usize) -> Option<Hover> {
    let hit = document.hit(offset)?;
    let found = at(document, offset, &hit)?;
    let state = document.parent(hit.node).and_then(|parent| document.surroundings(parent).state);
    let field = state.filter(|_| found.path.is_some()).and_then(|state| document.field_of(state, hit.node));
    Some(Hover { field: field.map(String::from), ..found })
}

fn at(document: &Document, offset: usize, hit: &Hit) -> Option<Hover> {
    let node = document.node(hit.node)?;
    let parent = node.parent?;
    let place = document.surroundings(parent);
    let state = place.state.map(|state| document.name(state).to_string());
    if hit.on_key {
        let span = inside(node.key?, document);
        if Some(parent) == place.states {
            return Some(Hover { state: Some(node.name.clone()), ..state_words(document, hit.node, span) });
        }
        let known = place.rule || place.shape.is_some_and(|shape| shape.row(&node.name).is_some());
        if known || node.name == "Iterator" {
            return field(document, parent, &node.name, span).map(|hover| Hover { state, ..hover });
        }
        if document.name(parent) == "Assign" {
            return Some(Hover { state, ..variable(document, node.name.trim_end_matches(".$"), span) });
        }
        return None;
    }
    let Kind::Text(text) = &node.kind else { return None };
    let span = inside(node.span, document);
    if let Some(found) = symbol_at(&uses(document), offset) {
        match &found.symbol {
            Symbol::State { states, name } => {
                return Some(match document.child(*states, name) {
                    Some(target) => Hover { state: Some(name.clone()), ..state_words(document, target, found.span) },
                    None => descriptions(found.span, "state", name.clone(), "This scope has no state with this name.".into()),
                });
            }
            Symbol::Variable(name) if assigned(document).any(|known| known == name) => {
                return Some(Hover { state, ..variable(document, name, found.span) });
            }
            Symbol::Variable(_) => {}
        }
    }
    let list = node.key.is_none();
    let name = if list { document.name(parent) } else { &node.name };
    if place.errors || name == "ErrorEquals" {
        let known = ERRORS.iter().find(|(known, _)| known == text).map(|(_, sentence)| *sentence);
        let sentence = known.or_else(|| about(Section::Errors, text).map(|(_, sentence)| sentence))?;
        return Some(descriptions(span, "error", text.clone(), capital(sentence)));
    }
    if name == "Type" && place.state == Some(parent) {
        let (name, sentence) = about(Section::Types, text)?;
        return Some(descriptions(span, "type", name.into(), sentence.into()));
    }
    let jsonata = expression(name, text)?;
    Some(Hover { state, ..inside_expression(document, span, offset, jsonata)? })
}

fn descriptions(span: Span, kind: &'static str, title: String, text: String) -> Hover {
    Hover { span, kind, title, text, state: None, path: None, field: None }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| case::upper_of(first).chain(chars).chain(['.']).collect())
}

fn field(document: &Document, object: usize, name: &str, span: Span) -> Option<Hover> {
    let place = document.surroundings(object);
    let row = place.shape.and_then(|shape| shape.row(name));
    let mut title = name.to_string();
    if let Some(row) = row {
        title.push_str(" · ");
        match row.ty {
            Type::Word(descriptions) => title.push_str(&descriptions.join(", ")),
            ty => title.push_str(describe(ty)),
        }
        if row.required {
            title.push_str(", required");
        }
        match row.language {
            Some(QueryLanguage::JsonPath) => title.push_str(" · JSONPath"),
            Some(QueryLanguage::Jsonata) => title.push_str(" · JSONata"),
            None => {}
        }
    }
    let text = match about(Section::Fields, name) {
        Some((_, sentence)) => sentence.to_string(),
        None => comparison(name)?,
    };
    Some(descriptions(span, "field", title, text))
}

/// Describes a comparison in words, from its name.
fn comparison(name: &str) -> Option<String> {
    let (base, path) = name.strip_suffix("Path").map_or((name, false), |base| (base, true));
    let (family, order) = ["String", "Numeric", "Timestamp", "Boolean"]
        .iter()
        .find_map(|family| base.strip_prefix(family).map(|order| (*family, order)))?;
    let order = match order {
        "Equals" => "equals",
        "LessThan" => "is less than",
        "GreaterThan" => "is greater than",
        "LessThanEquals" => "is less than or equals",
        "GreaterThanEquals" => "is greater than or equals",
        _ => return None,
    };
    let kind = match family {
        "String" => "a text",
        "Numeric" => "a number",
        "Timestamp" => "a timestamp",
        _ => "true or false",
    };
    let other = if path { "the value at this path" } else { "this one" };
    Some(format!("Whether the value is {kind} and {order} {other}."))
}

fn state_words(document: &Document, state: usize, span: Span) -> Hover {
    let text = |name: &str| document.text_of(state, name);
    let mut title = document.name(state).to_string();
    if let Some(ty) = text("Type") {
        title = format!("{title} · {ty}");
    }
    let mut lines: Vec<String> = text("Comment").map(String::from).into_iter().collect();
    lines.extend(text("Resource").map(|resource| format!("Calls `{resource}`.")));
    if let Some(next) = text("Next") {
        lines.push(format!("Continues to `{next}`."));
    }
    if let Some(default) = text("Default") {
        lines.push(format!("Continues to `{default}` by default."));
    }
    descriptions(span, "state", title, lines.join("\n"))
}

fn variable(document: &Document, name: &str, span: Span) -> Hover {
    let mut states: Vec<&str> = Vec::new();
    for assign in document.ids().filter(|id| document.name(*id) == "Assign") {
        let sets = document.children(assign).any(|(_, node)| node.name.strip_suffix(".$").unwrap_or(&node.name) == name);
        if let Some(state) = document.surroundings(assign).state.filter(|_| sets) {
            states.push(document.name(state));
        }
    }
    let text = format!("A variable, assigned in {}.", states.iter().map(|s| format!("`{s}`")).collect::<Vec<_>>().join(", "));
    Hover { path: Some(format!("${name}")), ..descriptions(span, "variable", format!("${name}"), text) }
}

/// Explains a function or a path at an offset of an expression.
fn inside_expression(document: &Document, span: Span, offset: usize, jsonata: bool) -> Option<Hover> {
    let source = document.source(span);
    let at = offset.checked_sub(span.start)?.min(source.len());
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | '[' | ']');
    let start = source.get(..at)?.rfind(|c| !part(c)).map_or(0, |i| i + source[i..].chars().next().map_or(1, char::len_utf8));
    let end = at + source.get(at..)?.find(|c| !part(c)).unwrap_or(source.len() - at);
    let run = source.get(start..end)?;
    let place = Span::new(span.start + start, span.start + end);
    let called = source.get(end..)?.trim_start().starts_with('(');
    if run.starts_with("States.") && !jsonata {
        let Intrinsic { name, parameters, sentence, .. } = Intrinsic::named(run)?;
        return Some(descriptions(place, "function", format!("{name}({parameters})"), (*sentence).into()));
    }
    let dollar = run.rfind('$')?;
    let name = word(run.get(dollar + 1..)?);
    if jsonata
        && (called || run.ends_with(name))
        && !name.is_empty()
        && let Some((signature, sentence)) = about(Section::Jsonata, name)
    {
        let place = Span::new(place.start + dollar, place.start + dollar + 1 + name.len());
        return Some(descriptions(place, "function", format!("${signature}"), sentence.into()));
    }
    // The path ends at the end of the word that contains the offset.
    let inner = at.saturating_sub(start);
    let cut = run.get(inner..).and_then(|rest| rest.find('.')).map_or(run.len(), |i| inner + i);
    let path = run.get(..cut)?.trim_start_matches('.');
    let mut known = path;
    let sentence = loop {
        if let Some((_, sentence)) = about(Section::Paths, known) {
            break sentence;
        }
        known = match known.rsplit_once(['.', '[']) {
            Some((head, _)) => head,
            None if assigned(document).any(|name| known.strip_prefix('$') == Some(name)) => break "Of the variable's value.",
            None => return None,
        };
    };
    let hover = descriptions(Span::new(place.start, place.start + cut), "path", path.to_string(), sentence.into());
    Some(Hover { path: Some(path.to_string()), ..hover })
}
