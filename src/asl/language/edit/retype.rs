//! Changes the type of a state. The fields that both types have are unchanged.

use super::build::first_field;
use super::flow::{GraphEditor, Role};
use super::plan::Piece;
use super::{Focus, Refused, pointer_of, text};
use crate::asl::ir::QueryLanguage;
use crate::asl::language::document::Kind;
use crate::asl::shape::{self, STATE_TYPES};
use crate::base::{Map, Value};

const ENDS: [&str; 2] = ["Succeed", "Fail"];

impl GraphEditor<'_> {
    pub(super) fn retype(&mut self, gesture: &Value) -> Result<String, Box<Refused>> {
        let state = self.open_state(pointer_of(gesture, "state")?)?;
        let given = text(gesture, "type").unwrap_or_default();
        let Some(kind) = STATE_TYPES.iter().find(|known| **known == given).copied() else {
            return Err(Refused::new("impossible", format!("the type of a state is one of {}", STATE_TYPES.join(", "))));
        };
        let (document, name, old) = (self.document, self.name(state).to_string(), self.kind(state));
        self.select.push(name.clone());
        let jsonata = self.jsonata_state(state);
        self.focus = Some(Focus::Field(name.clone(), first_field(kind, jsonata)));
        if old == kind {
            return Ok(format!("{name} is a {kind} already."));
        }
        match document.child(state, "Type") {
            Some(node) => self.plan.value(node, Piece::text(kind)),
            None => self.plan.insert(state, None, Some("Type"), Piece::text(kind)),
        }
        let exit = self.exit_of(state, kind)?;
        let mut given = Map::new();
        self.move_nested_states(state, old, kind, &mut given);
        let Some(shape) = shape::state(kind) else { return Ok(String::new()) };
        for (child, member) in document.children(state) {
            let field = member.name.as_str();
            let transition = matches!(field, "Next" | "End" | "Default" | "Choices" | "Type");
            if transition || self.plan.removed.contains(&child) || given.contains_key(field) {
                continue;
            }
            let row = shape.row(field);
            let own = row.is_some_and(|row| row.language.is_none_or(|own| (own == QueryLanguage::Jsonata) == jsonata));
            let known = shape::state(old).is_some_and(|shape| shape.row(field).is_some());
            if own || !known {
                given.insert(field, true);
            } else {
                self.plan.remove(child);
                self.report_loss(child, format!("{kind} has no `{field}`"));
            }
        }
        for (field, value) in self.required_fields(kind, &name, &given, exit.as_deref(), jsonata) {
            self.plan.append(state, Some(field), Piece::Json(value));
        }
        self.set_transition(state, kind, exit);
        let lost = if self.losses.is_empty() { String::new() } else { format!(", without {} of its fields", self.losses.len()) };
        Ok(format!("{name} is a {kind} now{lost}."))
    }

    /// Returns where the state of the new type leads, and removes the rules that it had.
    fn exit_of(&mut self, state: usize, kind: &str) -> Result<Option<String>, Box<Refused>> {
        let out = self.transitions_of(state);
        let first = |role: Role| out.iter().find(|edge| edge.role == role).and_then(|edge| edge.target);
        let rule = out.iter().find(|edge| matches!(edge.role, Role::Rule(_))).and_then(|edge| edge.target);
        let exit = first(Role::Next).or_else(|| first(Role::Default)).or(rule).map(str::to_string);
        if kind == "Choice" && exit.is_none() {
            let name = self.name(state);
            let message = format!("`{name}` has no next state, but a Choice needs one: add a state after it first");
            return Err(Refused::new("impossible", message));
        }
        for (field, what) in [("Choices", "rules"), ("Default", "Default"), ("Next", "Next"), ("End", "End")] {
            let Some(node) = self.document.child(state, field) else { continue };
            let stays = match field {
                "Choices" => false,
                "Default" => !ENDS.contains(&kind),
                _ => !ENDS.contains(&kind),
            };
            if stays {
                continue;
            }
            self.plan.remove(node);
            if field == "Choices" || (field != "End" && exit.is_some()) {
                self.report_loss(node, format!("{kind} has no {what}"));
            }
        }
        Ok(exit)
    }

    /// Replaces the old transition by that of the new type.
    fn set_transition(&mut self, state: usize, kind: &str, exit: Option<String>) {
        if ENDS.contains(&kind) {
            return;
        }
        let document = self.document;
        let wanted = match (kind, &exit) {
            ("Choice", _) => "Default",
            (_, Some(_)) => "Next",
            (_, None) => "End",
        };
        let value = || exit.as_deref().map_or(Piece::Json(true.into()), Piece::text);
        let transitions: Vec<usize> = ["Next", "Default", "End"].iter().filter_map(|name| document.child(state, name)).collect();
        let mut transitions =
            transitions.into_iter().filter(|node| !self.plan.removed.contains(node)).collect::<Vec<_>>().into_iter();
        match transitions.next() {
            Some(node) if self.name(node) == wanted => {}
            Some(node) => {
                self.plan.key(node, wanted);
                self.plan.value(node, value());
            }
            None => self.plan.append(state, Some(wanted), value()),
        }
        for node in transitions {
            self.plan.remove(node);
        }
    }

    /// Moves the nested states to the field in which the other type has them.
    fn move_nested_states(&mut self, state: usize, old: &str, kind: &str, given: &mut Map) {
        let document = self.document;
        if old == "Parallel"
            && kind == "Map"
            && let Some(branches) = document.child(state, "Branches")
        {
            let all = document.child_ids(branches);
            let Some(first) = all.first().copied() else { return };
            self.plan.key(branches, "ItemProcessor");
            self.plan.value(branches, Piece::Old(first));
            for branch in all.iter().skip(1) {
                self.report_loss(*branch, "a Map has one item processor".into());
            }
            given.insert("Branches", true);
            given.insert("ItemProcessor", true);
        }
        let processor = ["ItemProcessor", "Iterator"].iter().find_map(|name| document.child(state, name));
        if old == "Map"
            && kind == "Parallel"
            && let Some(processor) = processor
            && document.node(processor).is_some_and(|node| node.kind == Kind::Object)
        {
            if let Some(config) = document.child(processor, "ProcessorConfig") {
                self.plan.remove(config);
                self.report_loss(config, "a branch has no `ProcessorConfig`".into());
            }
            let field = self.name(processor).to_string();
            self.plan.key(processor, "Branches");
            self.plan.value(processor, Piece::List(vec![Piece::Old(processor)]));
            given.insert(field, true);
            given.insert("Branches", true);
        }
    }
}
