//! Gestures that edit what exists: fields, elements of lists, transitions, names, and single new states.

use super::flow::{GraphEditor, Role};
use super::plan::Piece;
use super::{Focus, Refused, pointer_of, text};
use crate::asl::language::document::Kind;
use crate::asl::language::symbols::{Symbol, Use, nameable, uses};
use crate::asl::language::{Edit, apply};
use crate::base::{Span, Value, pointer};

impl GraphEditor<'_> {
    /// Sets a field, and adds the missing objects around it.
    pub(super) fn set(&mut self, gesture: &Value) -> Result<String, Box<Refused>> {
        let at = pointer_of(gesture, "at")?;
        let value = gesture.get("value").cloned().unwrap_or_default();
        self.focus = Some(Focus::At(at.to_string()));
        if let Ok(node) = self.find(at) {
            self.select_around(node);
            self.plan.become_value(node, &value);
            return Ok(format!("{} set.", self.describe(node)));
        }
        let steps: Vec<String> = pointer::steps(at).collect();
        // The nearest existing value around the field, into which the rest is inserted.
        let mut node = self.find("")?;
        for (i, step) in steps.iter().enumerate() {
            let place = self.document.node(node);
            let is_list = place.is_some_and(|place| place.kind == Kind::List);
            let next = match is_list {
                true => step.parse().ok().and_then(|at: usize| self.document.child_ids(node).get(at).copied()),
                false => self.document.child(node, step),
            };
            if let Some(next) = next {
                node = next;
                continue;
            }
            let rest = steps.get(i + 1..).unwrap_or_default();
            let value = rest.iter().rev().fold(value, |value, step| match step.as_str() {
                "0" | "-" => Value::from(vec![value]),
                step => super::build::object(&[(step, value)]),
            });
            let count = self.document.child_ids(node).len();
            match place.map(|place| &place.kind) {
                Some(Kind::Object) => self.plan.append(node, Some(step), Piece::Json(value)),
                Some(Kind::List) if step == "-" || step.parse() == Ok(count) => {
                    self.plan.append(node, None, Piece::Json(value));
                    let list = self.pointer(node);
                    self.focus = Some(Focus::At(format!("{list}/{count}")));
                }
                _ => return Err(Refused::new("not-found", format!("nothing can be at `{at}`"))),
            }
            self.select_around(node);
            let of = if self.pointer(node).is_empty() { String::new() } else { format!(" of {}", self.describe(node)) };
            return Ok(format!("{}{of} set.", if step == "-" { "An element" } else { step.as_str() }));
        }
        Err(Refused::new("not-found", format!("nothing can be at `{at}`")))
    }

    pub(super) fn remove_field(&mut self, gesture: &Value) -> Result<String, Box<Refused>> {
        let node = self.find(pointer_of(gesture, "at")?)?;
        if self.is_state(node) {
            return self.delete_states(&[node], gesture);
        }
        let Some(parent) = self.document.parent(node) else {
            return Err(Refused::new("impossible", "the whole definition cannot be removed".into()));
        };
        self.select_around(parent);
        let description = format!("{} removed.", self.describe(node));
        self.focus = Some(Focus::At(self.pointer(parent)));
        match self.document.node(node).and_then(|node| node.key) {
            Some(_) => self.plan.remove(node),
            None => self.remove_element(node)?,
        }
        Ok(description)
    }

    /// Moves an element of a list to another index.
    pub(super) fn shift(&mut self, gesture: &Value) -> Result<String, Box<Refused>> {
        let node = self.find(pointer_of(gesture, "at")?)?;
        let list = self.document.parent(node);
        let is_list = |list: &usize| self.document.node(*list).is_some_and(|list| list.kind == Kind::List);
        let Some(list) = list.filter(is_list) else {
            return Err(Refused::new("impossible", "only the elements of a list have an order".into()));
        };
        let all = self.document.child_ids(list);
        let to = gesture.get("to").and_then(Value::as_i64).and_then(|to| usize::try_from(to).ok());
        let Some(to) = to.filter(|to| *to < all.len()) else {
            return Err(Refused::new(
                "not-found",
                format!("there are {} elements, so the last index is {}", all.len(), all.len() - 1),
            ));
        };
        let from = all.iter().position(|child| *child == node).unwrap_or_default();
        self.focus = Some(Focus::At(format!("{}/{to}", self.pointer(list))));
        self.select_around(list);
        let description = self.describe(node);
        if from != to {
            let after = if from < to { Some(to) } else { to.checked_sub(1) };
            self.plan.remove(node);
            self.plan.insert(list, after.and_then(|at| all.get(at)).copied(), None, Piece::Old(node));
        }
        Ok(format!("{description} is number {} of {} now.", to + 1, all.len()))
    }

    pub(super) fn add(&mut self, gesture: &Value) -> Result<String, Box<Refused>> {
        let site = self.site(gesture)?;
        let states = self.new_states(gesture, site.exit.as_deref(), site.jsonata)?;
        let name = states.first().map(|(name, _)| name.clone()).unwrap_or_default();
        let kind = gesture.get("state").and_then(|state| text(state, "type")).unwrap_or_default();
        let place = self.place_of(&site);
        self.insert_states(&site, states)?;
        let what = if name.starts_with(kind) { name } else { format!("{kind} {name}") };
        Ok(format!("{what} added{place}."))
    }

    /// Describes the location of new states in words.
    pub(super) fn place_of(&self, site: &super::build::Site) -> String {
        use super::build::Link;
        let to = site.exit.as_ref().map_or("the end".to_string(), |exit| exit.to_string());
        match &site.link {
            Link::Edge(edge) => match edge.from {
                Some(from) => format!(" between {} and {to}", self.name(from)),
                None => format!(" at the start, before {to}"),
            },
            Link::New(from, "next") => format!(" after {}", self.name(*from)),
            Link::New(from, role) => format!(" as {role} of {}", self.name(*from)),
            Link::Branch(parallel) => format!(" in a new branch of {}", self.name(*parallel)),
            Link::Alone => String::new(),
        }
    }

    pub(super) fn connect(&mut self, gesture: &Value) -> Result<String, Box<Refused>> {
        let to = self.state(pointer_of(gesture, "to")?)?;
        let target = self.name(to).to_string();
        let states = self.enclosing_states(to);
        let wrong_scope = || {
            let message = format!("`{target}` is in another scope: no transition leads into or out of a branch");
            Refused::new("impossible", message)
        };
        if let Some(at) = text(gesture, "edge") {
            let edge = self.edge(at)?;
            if edge.states != states {
                return Err(wrong_scope());
            }
            self.redirect(&edge, Some(&target))?;
            let from = edge.from.map_or("The start".to_string(), |from| self.name(from).to_string());
            self.select_state(edge.from.unwrap_or(to));
            self.focus = Some(Focus::At(at.strip_suffix("/End").map_or(at.to_string(), |state| format!("{state}/Next"))));
            let role = role_word(edge.role);
            return Ok(format!("{from} leads to {target} now{role}."));
        }
        let from = self.state(pointer_of(gesture, "from")?)?;
        let role = self.role(gesture)?;
        if role == "branch" {
            return Err(Refused::new("impossible", "a branch has states of its own".into()));
        }
        if self.enclosing_states(from) != states {
            return Err(wrong_scope());
        }
        self.add_edge(from, role, &target)?;
        let pointer = self.pointer(from);
        self.focus = Some(match role {
            "next" => Focus::At(format!("{pointer}/Next")),
            "default" => Focus::At(format!("{pointer}/Default")),
            _ => {
                let list = if role == "rule" { "Choices" } else { "Catch" };
                let at = self.plan.inserts.last().and_then(|new| {
                    let after = new.after.filter(|_| self.name(new.into) == list)?;
                    self.document.child_ids(new.into).iter().position(|child| *child == after)
                });
                let field = match (list, self.jsonata_state(from)) {
                    ("Catch", _) => "ErrorEquals/0",
                    (_, true) => "Condition",
                    _ => "Variable",
                };
                Focus::At(format!("{pointer}/{list}/{}/{field}", at.map_or(0, |at| at + 1)))
            }
        });
        self.select_state(from);
        let how = if role == "next" { String::new() } else { format!(" by a new {role}") };
        Ok(format!("{} leads to {target} now{how}.", self.name(from)))
    }

    pub(super) fn jsonata_state(&self, state: usize) -> bool {
        self.document.surroundings(state).language == crate::asl::ir::QueryLanguage::Jsonata
    }

    pub(super) fn disconnect(&mut self, gesture: &Value) -> Result<String, Box<Refused>> {
        let edge = self.edge(pointer_of(gesture, "edge")?)?;
        if edge.role == Role::End {
            return Err(Refused::new("impossible", "the state ends its scope already".into()));
        }
        self.redirect(&edge, None)?;
        let from = edge.from.unwrap_or_default();
        self.select_state(from);
        self.focus = Some(Focus::At(self.pointer(from)));
        let target = edge.target.unwrap_or_default();
        Ok(format!("{} does not lead to {target}{} any more.", self.name(from), role_word(edge.role)))
    }

    pub(super) fn rename(&mut self, gesture: &Value) -> Result<String, Box<Refused>> {
        let to = text(gesture, "to").unwrap_or_default();
        if let Some(variable) = text(gesture, "variable") {
            return self.rename_variable(variable, to);
        }
        let state = self.state(pointer_of(gesture, "state")?)?;
        let old = self.name(state).to_string();
        let symbol = Symbol::State { states: self.enclosing_states(state), name: old.clone() };
        nameable(self.document, &symbol, to).map_err(|(code, why)| Refused::new(code, why))?;
        self.rename_state(state, to);
        self.select.push(to.to_string());
        self.focus = Some(Focus::Field(to.to_string(), ""));
        Ok(format!("{old} is called {to} now."))
    }

    /// Renames a variable wherever it is assigned and read.
    fn rename_variable(&mut self, old: &str, to: &str) -> Result<String, Box<Refused>> {
        let document = self.document;
        let symbol = Symbol::Variable(old.to_string());
        let places: Vec<Use> = uses(document).into_iter().filter(|place| place.symbol == symbol).collect();
        if !places.iter().any(|place| place.definition) {
            return Err(Refused::new("not-found", format!("the machine assigns no variable `${old}`")));
        }
        nameable(document, &symbol, to).map_err(|(code, why)| Refused::new(code, why))?;
        self.renamed.push((format!("${old}"), format!("${to}")));
        self.renamed.push((old.to_string(), to.to_string()));
        let mut nodes: Vec<usize> = Vec::new();
        for hit in places.iter().filter_map(|place| document.hit(place.span.start)) {
            if hit.on_key {
                let rest = self.name(hit.node).strip_prefix(old).unwrap_or_default();
                self.plan.key(hit.node, &format!("{to}{rest}"));
                if self.focus.is_none() {
                    self.select_around(hit.node);
                    let parent = document.parent(hit.node).unwrap_or_default();
                    self.focus = Some(Focus::At(self.pointer(parent)));
                }
            } else if !nodes.contains(&hit.node) {
                nodes.push(hit.node);
            }
        }
        for node in nodes {
            let Some(span) = document.node(node).map(|node| node.span) else { continue };
            let inside = |place: &&Use| span.start <= place.span.start && place.span.end <= span.end;
            let edit = |place: &Use| Edit {
                span: Span::new(place.span.start - span.start, place.span.end - span.start),
                text: to.to_string(),
            };
            let edits: Vec<Edit> = places.iter().filter(inside).map(edit).collect();
            self.plan.value(node, Piece::Written(apply(document.source(span), &edits)));
        }
        Ok(format!("${old} is called ${to} now."))
    }

    /// Renames a state, and changes all transitions to it.
    pub(super) fn rename_state(&mut self, state: usize, to: &str) {
        let (states, old) = (self.enclosing_states(state), self.name(state).to_string());
        for edge in self.edges(states) {
            if edge.target == Some(&old) {
                self.plan.value(edge.node, Piece::text(to));
            }
        }
        self.plan.key(state, to);
        self.renamed.push((old, to.to_string()));
    }

    /// Selects the state that contains a value.
    fn select_around(&mut self, node: usize) {
        let inside = self.document.path_to(node).into_iter().rev().find(|node| self.is_state(*node));
        if let Some(state) = inside {
            self.select_state(state);
        }
    }

    pub(super) fn select_state(&mut self, state: usize) {
        self.select.push(self.name(state).to_string());
    }

    /// Describes a value in words: `Rule 2 of Choose`.
    fn describe(&self, node: usize) -> String {
        let document = self.document;
        let owner =
            document.parent(node).into_iter().flat_map(|parent| document.path_to(parent)).rev().find(|node| self.is_state(*node));
        let of = owner.map_or(String::new(), |owner| format!(" of {}", self.name(owner)));
        if self.is_state(node) {
            return self.name(node).to_string();
        }
        let Some(place) = document.node(node) else { return String::new() };
        if place.key.is_some() {
            return format!("{}{of}", place.name);
        }
        let list = document.parent(node).unwrap_or_default();
        let number = document.child_ids(list).iter().position(|child| *child == node).unwrap_or_default() + 1;
        let what = match self.name(list) {
            "Choices" => "Rule",
            "Catch" => "Catcher",
            "Retry" => "Retrier",
            "Branches" => "Branch",
            _ if node == 0 => return "The machine".into(),
            _ => "Element",
        };
        format!("{what} {number}{of}")
    }
}

fn role_word(role: Role) -> String {
    match role {
        Role::Start | Role::Next | Role::End => String::new(),
        Role::Default => " by Default".into(),
        Role::Rule(i) => format!(" by rule {}", i + 1),
        Role::Catch(i) => format!(" by catcher {}", i + 1),
    }
}
