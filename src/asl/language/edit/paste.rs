//! Copies states out of a text as definitions of their own, and pastes definitions into a text under unique names.

use super::build::{Site, States};
use super::flow::{Edge, GraphEditor, Role, unique_name};
use super::plan::{Piece, Plan};
use super::{Focus, Refused, member, pointers, print, text};
use crate::asl::language::apply;
use crate::asl::language::document::{Document, Kind};
use crate::asl::language::symbols::{self, Symbol};
use crate::base::{Map, Value, json};

impl GraphEditor<'_> {
    /// Returns states of one scope as a definition. Transitions to other states are unchanged.
    pub(super) fn copied(&self, states: &[usize]) -> String {
        let start = self.entries(states).first().copied().or(states.first().copied()).unwrap_or_default();
        print::text(&self.plan, &self.machine(states, self.name(start)))
    }

    /// Returns a definition of states of the text, with the planned changes.
    pub(super) fn machine(&self, states: &[usize], start: &str) -> Piece {
        let mut members: States = Vec::new();
        if self.jsonata(0) {
            members.push(("QueryLanguage".into(), Piece::text("JSONata")));
        }
        members.push(("StartAt".into(), Piece::text(start)));
        let states = states.iter().map(|state| (self.name(*state).to_string(), Piece::Old(*state))).collect();
        members.push(("States".into(), Piece::Object(states)));
        Piece::Object(members)
    }

    /// The states of a selection that have transitions from elsewhere.
    pub(super) fn entries(&self, states: &[usize]) -> Vec<usize> {
        let Some(scope) = states.first().map(|state| self.enclosing_states(*state)) else { return Vec::new() };
        let outside = |edge: &Edge| edge.from.is_none_or(|from| !states.contains(&from));
        let edges: Vec<Edge<'_>> = self.edges(scope).into_iter().filter(outside).collect();
        let is_led_to = |state: &usize| edges.iter().any(|edge| edge.target == Some(self.name(*state)));
        states.iter().copied().filter(is_led_to).collect()
    }

    pub(super) fn copy(&mut self, gesture: &Value) -> Result<String, Box<Refused>> {
        let states = self.states(&pointers(gesture))?;
        self.asl = Some(self.copied(&states));
        let names: Vec<&str> = states.iter().map(|state| self.name(*state)).collect();
        self.select.extend(names.iter().map(|name| name.to_string()));
        self.focus = names.first().map(|name| Focus::Field(name.to_string(), ""));
        Ok(format!("{} copied.", names.join(", ")))
    }

    pub(super) fn cut(&mut self, gesture: &Value) -> Result<String, Box<Refused>> {
        let states = self.states(&pointers(gesture))?;
        self.asl = Some(self.copied(&states));
        self.delete_states(&states, gesture)?;
        let names: Vec<&str> = states.iter().map(|state| self.name(*state)).collect();
        Ok(format!("{} cut.", names.join(", ")))
    }

    pub(super) fn duplicate(&mut self, gesture: &Value) -> Result<String, Box<Refused>> {
        let states = self.states(&pointers(gesture))?;
        let asl = self.copied(&states);
        let scope = self.document.parent(self.enclosing_states(states.first().copied().unwrap_or_default())).unwrap_or_default();
        let mut site = self.site_in(&self.pointer(scope))?;
        site.after = states.last().copied();
        site.exit = None;
        let start = self.pasted(&site, &asl)?;
        let names: Vec<&str> = states.iter().map(|state| self.name(*state)).collect();
        self.focus = Some(Focus::Field(start, ""));
        Ok(format!("{} duplicated.", names.join(", ")))
    }

    pub(super) fn paste(&mut self, gesture: &Value) -> Result<String, Box<Refused>> {
        let site = self.site(gesture)?;
        let asl = text(gesture, "asl").ok_or_else(|| Refused::new("asl", "the gesture needs `asl`, a definition".into()))?;
        let place = self.place_of(&site);
        let start = self.pasted(&site, asl)?;
        self.stops = self.select.clone();
        self.focus = Some(Focus::Field(start, ""));
        Ok(match &self.select[..] {
            [one] => format!("{one} added{place}."),
            all => format!("{} states added{place}.", all.len()),
        })
    }

    /// Pastes the states of a definition at a location. Returns the name of the first.
    pub(super) fn pasted(&mut self, site: &Site, asl: &str) -> Result<String, Box<Refused>> {
        let asl = completed(asl)?;
        let renamed = self.with_free_names(&asl, site)?;
        let connected = connected(&renamed, self, site)?;
        let value = json::parse(&connected).map_err(|error| Refused::new("asl", error.message))?;
        let inner = value.get("QueryLanguage").and_then(Value::as_str) == Some("JSONata");
        let states = value.get("States").and_then(Value::as_object).cloned().unwrap_or_default();
        let start = value.get("StartAt").and_then(Value::as_str).unwrap_or_default().to_string();
        let mut all: States = Vec::new();
        let outer = self.document.node(0).is_some_and(|root| root.kind == Kind::Object);
        for (name, state) in states.iter() {
            let state = if inner && !site.jsonata { marked_jsonata(state.clone()) } else { state.clone() };
            all.push((name.to_string(), Piece::Json(state)));
        }
        // The state at which execution starts comes first, because the transition leads to it.
        if let Some(at) = all.iter().position(|(name, _)| *name == start) {
            let first = all.remove(at);
            all.insert(0, first);
        }
        let Some((first, _)) = all.first() else { return Err(Refused::new("asl", "the definition has no state".into())) };
        let first = first.clone();
        self.select.extend(all.iter().map(|(name, _)| name.clone()));
        self.insert_states(site, all)?;
        if !outer {
            self.stops.clear();
        }
        Ok(first)
    }

    /// Renames states of a definition whose names are taken in this text.
    fn with_free_names(&mut self, asl: &str, site: &Site) -> Result<String, Box<Refused>> {
        let document = Document::read(asl, usize::MAX);
        let mut plan = Plan::new(&document);
        let other = GraphEditor::new(&document);
        let mut variables: Vec<(String, String)> = Vec::new();
        let taken = self.variables_elsewhere(site);
        for (_, states) in &other.scopes {
            let Some(states) = *states else { continue };
            let all: Vec<(usize, String)> = document.children(states).map(|(id, node)| (id, node.name.clone())).collect();
            for (state, name) in all {
                let name_now = if self.names.contains(&name) {
                    let others = &other.names;
                    let name_now = unique_name(&name, |name| self.names.iter().chain(others.iter()).any(|known| known == name));
                    plan.key(state, &name_now);
                    for edge in other.edges(states).iter().filter(|edge| edge.target == Some(&name)) {
                        plan.value(edge.node, Piece::text(&name_now));
                    }
                    name_now
                } else {
                    name
                };
                self.names.push(name_now);
            }
        }
        let uses = symbols::uses(&document);
        for place in &uses {
            let Symbol::Variable(name) = &place.symbol else { continue };
            if place.definition && taken.contains(name) && !variables.iter().any(|(known, _)| known == name) {
                let new = unique_name(name, |other| {
                    let other = other.replace(' ', "");
                    taken.contains(&other) || uses.iter().any(|place| place.symbol == Symbol::Variable(other.clone()))
                });
                variables.push((name.clone(), new.replace(' ', "")));
            }
        }
        let mut edits = print::edits(&plan);
        for place in &uses {
            let Symbol::Variable(name) = &place.symbol else { continue };
            if let Some((_, new)) = variables.iter().find(|(known, _)| known == name) {
                edits.push(crate::asl::language::Edit { span: place.span, text: new.clone() });
            }
        }
        crate::base::sort::by_key(&mut edits, |edit| edit.span.start);
        Ok(apply(asl, &edits))
    }

    /// The variables of scopes that enclose the location or are nested in it: states there must not assign the same names.
    fn variables_elsewhere(&self, site: &Site) -> Vec<String> {
        let document = self.document;
        let mut found = Vec::new();
        for place in symbols::uses(document).into_iter().filter(|place| place.definition) {
            let Symbol::Variable(name) = place.symbol else { continue };
            let Some(hit) = document.hit(place.span.start) else { continue };
            let path = document.path_to(hit.node);
            let scope = path.iter().rev().find(|node| self.scopes.iter().any(|(object, _)| object == *node)).copied();
            let Some(scope) = scope.filter(|scope| *scope != site.scope) else { continue };
            let is_nested = document.path_to(site.scope).contains(&scope) || document.path_to(scope).contains(&site.scope);
            if is_nested && !found.contains(&name) {
                found.push(name);
            }
        }
        found
    }
}

/// Completes a definition if only states or a single one are given.
fn completed(asl: &str) -> Result<String, Box<Refused>> {
    let wrong = |message: &str| Refused::new("asl", message.to_string());
    let value = json::parse(asl).map_err(|error| wrong(&format!("the text is not JSON: {}", error.message)))?;
    let Value::Object(map) = &value else { return Err(wrong("the text is not a definition")) };
    let is_state = |value: &Value| value.get("Type").is_some_and(|kind| kind.as_str().is_some());
    let made = if is_state(&value) {
        let name = map.get("Name").and_then(Value::as_str).unwrap_or_else(|| text(&value, "Type").unwrap_or("State"));
        super::build::object(&[("StartAt", name.into()), ("States", super::build::object(&[(name, value.clone())]))])
    } else if let Some(Value::Object(states)) = map.get("States") {
        let known = text(&value, "StartAt").filter(|start| states.contains_key(start)).map(str::to_string);
        let start = known.or_else(|| states.keys().next().map(|name| name.to_string()));
        let mut out: Map = (**map).clone();
        out.insert("StartAt", start.unwrap_or_default());
        out.into()
    } else if !map.is_empty() && map.values().all(is_state) {
        let start = map.keys().next().map(|name| name.to_string()).unwrap_or_default();
        super::build::object(&[("StartAt", start.into()), ("States", value.clone())])
    } else {
        return Err(wrong("the text has no `States`"));
    };
    // A placeholder is a number here, or a string.
    let is_some_state = |state: &Value| matches!(state, Value::Number(_) | Value::String(_)) || member(state, "Type").is_some();
    let states = made.get("States").and_then(Value::as_object);
    if states.is_none_or(|states| states.is_empty() || !states.values().all(is_some_state)) {
        return Err(wrong("the text has no states"));
    }
    Ok(made.to_string())
}

/// Connects a definition: its ends lead to the exit of the location, and transitions to missing states are removed.
fn connected(asl: &str, editor: &mut GraphEditor, site: &Site) -> Result<String, Box<Refused>> {
    let document = Document::read(asl, usize::MAX);
    let other = GraphEditor::new(&document);
    let mut plan = Plan::new(&document);
    let Some(states) = document.child(0, "States") else { return Ok(asl.to_string()) };
    let mut done: Option<String> = None;
    for edge in other.edges(states) {
        let known = edge.target.is_some_and(|name| {
            let outside = site.states.and_then(|states| editor.state_named(states, name));
            document.child(states, name).is_some() || (outside.is_some() && site.exit.is_none())
        });
        if known || edge.role == Role::Start {
            continue;
        }
        match (edge.role, &site.exit) {
            (Role::End, None) => {}
            (Role::End, Some(exit)) => {
                plan.key(edge.node, "Next");
                plan.value(edge.node, Piece::text(exit));
            }
            (_, Some(exit)) => plan.value(edge.node, Piece::text(exit)),
            (Role::Next, None) => {
                plan.key(edge.node, "End");
                plan.value(edge.node, Piece::Json(true.into()));
            }
            // A rule cannot end a scope itself.
            (_, None) => {
                let name = done.get_or_insert_with(|| editor.reserve_name("Done")).clone();
                plan.value(edge.node, Piece::text(&name));
            }
        }
    }
    if let Some(done) = done {
        plan.append(states, Some(&done), Piece::Json(super::build::object(&[("Type", "Succeed".into())])));
    }
    Ok(apply(asl, &print::edits(&plan)))
}

/// Marks a state of a JSONata machine, and all states in it, for a machine with another default language.
fn marked_jsonata(state: Value) -> Value {
    let Value::Object(map) = &state else { return state };
    let mut out = Map::new();
    for (name, value) in map.iter() {
        let value = match (&**name, value) {
            ("Branches", Value::Array(list)) => list.iter().map(|branch| inner_jsonata(branch.clone())).collect::<Vec<_>>().into(),
            ("ItemProcessor" | "Iterator", value) => inner_jsonata(value.clone()),
            (_, value) => value.clone(),
        };
        out.insert(name.clone(), value);
        if &**name == "Type" && !map.contains_key("QueryLanguage") {
            out.insert("QueryLanguage", "JSONata");
        }
    }
    out.into()
}

fn inner_jsonata(scope: Value) -> Value {
    let (Value::Object(map), Some(states)) = (&scope, scope.get("States").and_then(Value::as_object)) else { return scope };
    let mut inner = Map::new();
    for (name, state) in states.iter() {
        inner.insert(name.clone(), marked_jsonata(state.clone()));
    }
    let mut out: Map = (**map).clone();
    out.insert("States", inner);
    out.into()
}

/// Changes the Succeed states of a definition so that execution continues after them, if something follows.
pub(super) fn without_ends(asl: &str, exit: Option<&str>) -> Result<String, Box<Refused>> {
    let asl = completed(asl)?;
    let Some(exit) = exit else { return Ok(asl) };
    let document = Document::read(&asl, usize::MAX);
    let mut plan = Plan::new(&document);
    let states = document.child(0, "States").into_iter().flat_map(|states| document.children(states));
    for (state, _) in states.filter(|(state, _)| document.text_of(*state, "Type") == Some("Succeed")) {
        if let Some(kind) = document.child(state, "Type") {
            plan.value(kind, Piece::text("Pass"));
        }
        plan.append(state, Some("Next"), Piece::text(exit));
    }
    Ok(apply(&asl, &print::edits(&plan)))
}
