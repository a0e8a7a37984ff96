//! The machine of a text as a graph: scopes, states and the fields that define transitions.

use super::plan::{Piece, Plan};
use super::{Focus, Refused};
use crate::asl::ir::QueryLanguage;
use crate::asl::language::document::{Document, Kind};
use crate::asl::language::symbols;
use crate::base::{Value, pointer};

/// The field that defines a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Start,
    Next,
    End,
    Default,
    /// `Next` of an element of `Choices`.
    Rule(usize),
    /// `Next` of an element of `Catch`.
    Catch(usize),
}

/// A transition.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge<'d> {
    /// The node of the field's value.
    pub node: usize,
    /// The source state; `None` for `StartAt`.
    pub from: Option<usize>,
    pub role: Role,
    /// The name of the target; `None` for `End`.
    pub target: Option<&'d str>,
    /// The `States` node of its scope.
    pub states: usize,
}

/// An editor of a text: the planned changes, and the information about them for the user.
pub(super) struct GraphEditor<'d> {
    pub document: &'d Document<'d>,
    pub plan: Plan<'d>,
    /// The scopes, the outermost first: the object and its `States`.
    pub scopes: Vec<(usize, Option<usize>)>,
    /// The names of all existing and new states.
    pub names: Vec<String>,
    /// The states to select afterwards.
    pub select: Vec<String>,
    pub focus: Option<Focus>,
    /// The new states whose placeholders the user should fill in.
    pub stops: Vec<String>,
    pub losses: Vec<(String, String)>,
    pub renamed: Vec<(String, String)>,
    pub asl: Option<String>,
}

impl<'d> GraphEditor<'d> {
    pub(super) fn new(document: &'d Document<'d>) -> GraphEditor<'d> {
        let scopes = symbols::scopes(document);
        let states = scopes.iter().filter_map(|(_, states)| *states).flat_map(|states| document.children(states));
        let names = states.map(|(_, state)| state.name.clone()).collect();
        GraphEditor {
            document,
            plan: Plan::new(document),
            scopes,
            names,
            select: Vec::new(),
            focus: None,
            stops: Vec::new(),
            losses: Vec::new(),
            renamed: Vec::new(),
            asl: None,
        }
    }

    pub(super) fn find(&self, pointer: &str) -> Result<usize, Box<Refused>> {
        let found = if pointer.is_empty() || pointer.starts_with('/') { self.document.find(pointer) } else { None };
        found.ok_or_else(|| Refused::new("not-found", format!("there is nothing at `{pointer}`")))
    }

    pub(super) fn is_state(&self, node: usize) -> bool {
        let parent = self.document.parent(node);
        parent.is_some_and(|parent| self.scopes.iter().any(|(_, states)| *states == Some(parent)))
    }

    /// Returns the state at a pointer.
    pub(super) fn state(&self, pointer: &str) -> Result<usize, Box<Refused>> {
        let state = self.find(pointer)?;
        if !self.is_state(state) {
            return Err(Refused::new("not-found", format!("there is no state at `{pointer}`")));
        }
        match self.document.node(state).map(|node| &node.kind) {
            None | Some(Kind::Missing | Kind::List) => Err(self.opaque_refusal(state)),
            _ => Ok(state),
        }
    }

    /// Returns the state at a pointer, if its fields can be changed.
    pub(super) fn open_state(&self, pointer: &str) -> Result<usize, Box<Refused>> {
        let state = self.state(pointer)?;
        if self.is_open(state) { Ok(state) } else { Err(self.opaque_refusal(state)) }
    }

    /// Whether the fields of a state are in the text. A placeholder has a name, and transitions lead to it, but its fields are
    /// in another file.
    pub(super) fn is_open(&self, state: usize) -> bool {
        self.document.node(state).is_some_and(|node| node.kind == Kind::Object)
    }

    /// Returns why the content of a state, or of `States`, cannot be changed.
    pub(super) fn opaque_refusal(&self, node: usize) -> Box<Refused> {
        Refused::new("shape", format!("`{}` is a placeholder or not an object: its content cannot be changed", self.name(node)))
    }

    /// Returns states that must be of one scope.
    pub(super) fn states(&self, pointers: &[String]) -> Result<Vec<usize>, Box<Refused>> {
        let mut states = Vec::new();
        for pointer in pointers {
            let state = self.state(pointer)?;
            if !states.contains(&state) {
                states.push(state);
            }
        }
        let Some(first) = states.first().copied() else { return Err(Refused::new("not-found", "no state is selected".into())) };
        if states.iter().any(|state| self.document.parent(*state) != self.document.parent(first)) {
            return Err(Refused::new("impossible", "the states must be in one scope: no transition leads out of a branch".into()));
        }
        crate::base::sort::sort(&mut states);
        Ok(states)
    }

    /// The `States` node that contains a state.
    pub(super) fn enclosing_states(&self, state: usize) -> usize {
        self.document.parent(state).unwrap_or_default()
    }

    pub(super) fn name(&self, node: usize) -> &'d str {
        self.document.name(node)
    }

    pub(super) fn kind(&self, state: usize) -> &'d str {
        self.document.text_of(state, "Type").unwrap_or_default()
    }

    pub(super) fn pointer(&self, node: usize) -> String {
        self.document.pointer(node).as_str().to_string()
    }

    /// Whether states of a scope are JSONata by default.
    pub(super) fn jsonata(&self, node: usize) -> bool {
        self.document.surroundings(node).language == QueryLanguage::Jsonata
    }

    fn edge_at(&self, node: Option<usize>, from: Option<usize>, role: Role, states: usize) -> Option<Edge<'d>> {
        let node = node?;
        let target = match role {
            Role::End => {
                let ends = self.document.node(node).is_some_and(|node| self.document.source(node.span) == "true");
                return ends.then_some(Edge { node, from, role, target: None, states });
            }
            _ => self.document.string(node)?,
        };
        Some(Edge { node, from, role, target: Some(target), states })
    }

    /// The transitions out of a state in the order of the text, including the end of its scope.
    pub(super) fn transitions_of(&self, state: usize) -> Vec<Edge<'d>> {
        let document = self.document;
        let states = self.enclosing_states(state);
        let mut found = Vec::new();
        for (name, role) in [("Next", Role::Next), ("End", Role::End), ("Default", Role::Default)] {
            found.extend(self.edge_at(document.child(state, name), Some(state), role, states));
        }
        for list in ["Choices", "Catch"] {
            let Some(list_node) = document.child(state, list) else { continue };
            for (i, (rule, _)) in document.children(list_node).enumerate() {
                let role = if list == "Catch" { Role::Catch(i) } else { Role::Rule(i) };
                found.extend(self.edge_at(document.child(rule, "Next"), Some(state), role, states));
            }
        }
        found
    }

    /// All transitions of a scope, in no particular order.
    pub(super) fn edges(&self, states: usize) -> Vec<Edge<'d>> {
        let scope = self.document.parent(states).unwrap_or_default();
        let mut found = Vec::new();
        found.extend(self.edge_at(self.document.child(scope, "StartAt"), None, Role::Start, states));
        for (state, _) in self.document.children(states) {
            found.extend(self.transitions_of(state));
        }
        found
    }

    /// Returns the transition that a field defines. For a rule or catcher the pointer is that of the element, as in the graph.
    pub(super) fn edge(&self, at: &str) -> Result<Edge<'d>, Box<Refused>> {
        let node = self.find(at)?;
        let document = self.document;
        let path = document.path_to(node);
        let above = |n: usize| path.len().checked_sub(n + 1).and_then(|at| path.get(at)).copied();
        let start = above(1).filter(|_| document.name(node) == "StartAt").and_then(|scope| {
            let (_, states) = self.scopes.iter().find(|(object, _)| *object == scope)?;
            self.edge_at(Some(node), None, Role::Start, (*states)?)
        });
        let owner = [above(1), above(2), above(3)].into_iter().flatten().find(|above| self.is_state(*above));
        let found = start.or_else(|| {
            self.transitions_of(owner?)
                .into_iter()
                .find(|edge| edge.node == node || document.child(node, "Next") == Some(edge.node))
        });
        found.ok_or_else(|| Refused::new("not-found", format!("there is no transition at `{at}`")))
    }

    /// Redirects a transition to another state, or to the end of the scope. A rule, a catcher or a Default without a target is
    /// removed.
    pub(super) fn redirect(&mut self, edge: &Edge, target: Option<&str>) -> Result<(), Box<Refused>> {
        let document = self.document;
        if edge.target == target {
            return Ok(());
        }
        match (edge.role, target) {
            (Role::End, Some(to)) => {
                self.plan.key(edge.node, "Next");
                // There is an `End` beside a `Next`.
                self.plan.value(edge.node, Piece::text(to));
            }
            (_, Some(to)) => self.plan.value(edge.node, Piece::text(to)),
            (Role::Start, None) => {
                return Err(Refused::new("last", "there must be a first state".into()));
            }
            (Role::Next | Role::End, None) => {
                self.plan.key(edge.node, "End");
                self.plan.value(edge.node, Piece::Json(Value::from(true)));
            }
            (Role::Default, None) => self.plan.remove(edge.node),
            (Role::Rule(_) | Role::Catch(_), None) => {
                if let Some(rule) = document.parent(edge.node) {
                    self.remove_element(rule)?;
                }
            }
        }
        Ok(())
    }

    /// Removes an element of a list; with the last catcher or retrier also the field.
    pub(super) fn remove_element(&mut self, element: usize) -> Result<(), Box<Refused>> {
        let Some(list) = self.document.parent(element) else { return Ok(()) };
        self.plan.remove(element);
        if self.plan.remaining(list) == 0 {
            match self.name(list) {
                "Catch" | "Retry" => self.plan.remove(list),
                "Choices" => return Err(Refused::new("last", "a Choice needs at least one rule".into())),
                "Branches" => return Err(Refused::new("last", "a Parallel needs at least one branch".into())),
                _ => {}
            }
        }
        Ok(())
    }

    /// Reserves a name that no state has yet: the wanted one, with a number if needed.
    pub(super) fn reserve_name(&mut self, wanted: &str) -> String {
        let wanted: String = wanted.trim().chars().take(80).collect();
        let wanted = if wanted.is_empty() { "State".to_string() } else { wanted };
        let name = unique_name(&wanted, |name| self.names.iter().any(|known| known == name));
        self.names.push(name.clone());
        name
    }

    /// Returns the object of the scope at a pointer, and its `States`.
    pub(super) fn scope(&self, at: &str) -> Result<(usize, Option<usize>), Box<Refused>> {
        let node = self.find(at)?;
        let found = self.scopes.iter().find(|(object, _)| *object == node).copied();
        found.ok_or_else(|| Refused::new("not-found", format!("`{}` has no `States`", pointer::unescape(at))))
    }

    /// Returns the state with this name in a scope.
    pub(super) fn state_named(&self, states: usize, name: &str) -> Option<usize> {
        self.document.child(states, name)
    }

    pub(super) fn report_loss(&mut self, node: usize, message: String) {
        let pointer = self.pointer(node);
        self.losses.push((pointer, message));
    }
}

/// Returns a name that is not taken: the wanted one, or with the first number that makes it unique, in at most 80 characters.
pub(super) fn unique_name(wanted: &str, taken: impl Fn(&str) -> bool) -> String {
    if !taken(wanted) {
        return wanted.to_string();
    }
    let stem = wanted.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end();
    let stem = if stem.is_empty() { wanted } else { stem };
    let mut number = 2;
    loop {
        let tail = format!(" {number}");
        let head: String = stem.chars().take(80 - tail.len().min(79)).collect();
        let name = head + &tail;
        if !taken(&name) {
            return name;
        }
        number += 1;
    }
}
