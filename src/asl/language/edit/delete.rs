//! Deletes states and connects their predecessors with their successors.

use super::flow::{Edge, GraphEditor, Role};
use super::{Focus, Refused, pointers};
use crate::base::Value;

impl<'d> GraphEditor<'d> {
    pub(super) fn delete(&mut self, gesture: &Value) -> Result<String, Box<Refused>> {
        let states = self.states(&pointers(gesture))?;
        self.delete_states(&states, gesture)
    }

    pub(super) fn delete_states(&mut self, deleted: &[usize], gesture: &Value) -> Result<String, Box<Refused>> {
        let Some(first) = deleted.first().copied() else { return Ok(String::new()) };
        let states = self.enclosing_states(first);
        let edges = self.edges(states);
        let is_deleted = |name: &str| deleted.iter().any(|state| self.name(*state) == name);
        let into: Vec<Edge<'d>> = edges
            .into_iter()
            .filter(|edge| edge.from.is_none_or(|from| !deleted.contains(&from)) && edge.target.is_some_and(is_deleted))
            .collect();
        if self.document.child_ids(states).iter().all(|state| deleted.contains(state)) {
            return self.delete_all(states, deleted);
        }
        let given = match gesture.get("to") {
            Some(Value::String(pointer)) => {
                let to = self.state(pointer)?;
                if self.enclosing_states(to) != states || deleted.contains(&to) {
                    return Err(Refused::new("impossible", format!("nothing can lead to `{}` instead", self.name(to))));
                }
                Some(Some(self.name(to).to_string()))
            }
            Some(Value::Null) => Some(None),
            _ => None,
        };
        for edge in &into {
            let to = match &given {
                Some(to) => to.clone(),
                None => self.successor(edge, deleted, &into)?,
            };
            self.redirect(edge, to.as_deref())?;
        }
        for state in deleted {
            self.plan.remove(*state);
        }
        self.after_delete(states, deleted, &into, given.flatten());
        let names: Vec<&str> = deleted.iter().map(|state| self.name(*state)).collect();
        Ok(format!("{} deleted.", names.join(", ")))
    }

    /// Selects a predecessor or the successor of the deleted states.
    fn after_delete(&mut self, states: usize, deleted: &[usize], into: &[Edge], to: Option<String>) {
        let next = deleted.iter().flat_map(|state| self.transitions_of(*state)).find_map(|edge| edge.target).map(str::to_string);
        let before = into.iter().find_map(|edge| edge.from).map(|from| self.name(from).to_string());
        let is_left = |name: &String| self.state_named(states, name).is_some_and(|state| !deleted.contains(&state));
        let select = [before, to, next].into_iter().flatten().find(is_left);
        if let Some(name) = select {
            self.focus = Some(Focus::Field(name.clone(), ""));
            self.select.push(name);
        }
    }

    /// The new target of a transition into deleted states; `None` for the end of the scope.
    fn successor(&self, edge: &Edge, deleted: &[usize], into: &[Edge]) -> Result<Option<String>, Box<Refused>> {
        let states = edge.states;
        let mut found: Vec<Option<String>> = Vec::new();
        let mut queue: Vec<usize> = edge.target.iter().filter_map(|name| self.state_named(states, name)).collect();
        let mut at = 0;
        let mut unknown = false;
        while let Some(&state) = queue.get(at) {
            at += 1;
            unknown |= !self.is_open(state);
            let mut out = self.transitions_of(state);
            // Catchers are ignored if there is a regular transition, because errors lead elsewhere.
            if out.iter().any(|edge| !matches!(edge.role, Role::Catch(_))) {
                out.retain(|edge| !matches!(edge.role, Role::Catch(_)));
            }
            if out.is_empty() {
                found.push(None);
            }
            for next in out {
                match next.target.map(|name| (name, self.state_named(states, name))) {
                    Some((_, Some(state))) if deleted.contains(&state) => {
                        if !queue.contains(&state) {
                            queue.push(state);
                        }
                    }
                    Some((name, _)) => found.push(Some(name.to_string())),
                    None => found.push(None),
                }
            }
        }
        let mut successors: Vec<Option<String>> = Vec::new();
        for successor in found {
            if !successors.contains(&successor) {
                successors.push(successor);
            }
        }
        let name = edge.target.unwrap_or_default();
        match &successors[..] {
            [Some(to)] => Ok(Some(to.clone())),
            [None] | [] if matches!(edge.role, Role::Next) && !unknown => Ok(None),
            _ => {
                let mut targets: Vec<String> = successors.into_iter().flatten().collect();
                let message = match targets.len() {
                    0 if unknown => format!("the next state of `{name}` is not known: choose the state that follows"),
                    0 => format!("`{name}` has no next state, but its predecessor needs one: choose the state that follows"),
                    _ => format!("`{name}` leads to several states: which of them follows?"),
                };
                if targets.is_empty() {
                    let all = self.document.child_ids(states).into_iter().filter(|state| !deleted.contains(state));
                    targets.extend(all.map(|state| self.name(state).to_string()));
                }
                let mut choices: Vec<(Option<String>, String)> = targets
                    .into_iter()
                    .filter_map(|name| Some((Some(self.pointer(self.state_named(states, &name)?)), name)))
                    .collect();
                if into.iter().all(|edge| edge.role != Role::Start) {
                    choices.push((None, "none: remove the transition".into()));
                }
                Err(Box::new(Refused { choices, ..*Refused::new("ambiguous", message) }))
            }
        }
    }

    /// Deletes all states of a scope: the machine is then empty; of a Parallel the branch is removed.
    fn delete_all(&mut self, states: usize, deleted: &[usize]) -> Result<String, Box<Refused>> {
        let scope = self.document.parent(states).unwrap_or_default();
        let owner = self.document.path_to(scope).into_iter().rev().find(|node| self.is_state(*node));
        match owner {
            Some(owner) if self.document.node(scope).is_some_and(|scope| scope.key.is_none()) => {
                self.remove_element(scope)?;
                self.select_state(owner);
                self.focus = Some(Focus::Field(self.name(owner).to_string(), "Branches"));
                Ok(format!("A branch of {} removed.", self.name(owner)))
            }
            Some(owner) => {
                let message = format!("`{}` needs a state inside: delete or unwrap it instead", self.name(owner));
                Err(Refused::new("last", message))
            }
            None => {
                for state in deleted {
                    self.plan.remove(*state);
                }
                if let Some(start) = self.document.child(scope, "StartAt") {
                    self.plan.remove(start);
                }
                Ok("The machine is empty now.".into())
            }
        }
    }
}
