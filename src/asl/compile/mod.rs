//! Compiles a value to a [`Machine`]: one pass over the definition that continues after errors.
//!
//! Each part of the language has its file; this one has the scopes (`States` objects) and what all files share. The fields of
//! an object are checked once, against its [`Shape`](super::shape::Shape). After that, reading a field of the wrong type
//! returns nothing and reports nothing.

mod choice;
mod expression;
mod fields;
mod jsonata;
mod map;
mod position;
mod retry;
mod state;
mod task;

pub(crate) use choice::operator_name;

use super::check;
use super::codes;
use super::ir::{Machine, QueryLanguage, Scope, ScopeId, State, StateId};
use super::shape;
use super::{CompileOptions, MAX_NESTING, MachineType};
use crate::base::diag::{Diagnostic, Part};
use crate::base::{Id, IdVec, Map, Names, Pointer, Value, json};
use position::Position;
use std::cell::Cell;
use std::sync::Arc;

/// `SCHEMA_VALIDATION_FAILED`, AWS's code for nearly every finding.
const SCHEMA: &str = "SCHEMA_VALIDATION_FAILED";

/// Returns a machine and the diagnostics. The machine must not be used if one of them is an error.
pub(super) fn compile(value: &Value, options: &CompileOptions) -> (Option<Machine>, Vec<Diagnostic>) {
    let Some(members) = value.as_object() else {
        let message = format!("a state machine must be a JSON object, not {}", fields::describe(value));
        let diagnostic = Diagnostic::new(&codes::NOT_AN_OBJECT, Pointer::root(), message);
        return (None, vec![diagnostic.aws(SCHEMA, "Definition must be a valid JSON object", None)]);
    };
    if !shallow(value, json::MAX_DEPTH) {
        let message = format!("the definition is nested deeper than {} levels", json::MAX_DEPTH);
        let diagnostic = Diagnostic::new(&codes::NESTED_TOO_DEEP, Pointer::root(), message);
        return (None, vec![diagnostic.aws("TOO_DEEPLY_NESTED", "The states are too deeply nested", None)]);
    }
    let mut compiler = Compiler {
        options: *options,
        language: QueryLanguage::JsonPath,
        diagnostics: Vec::new(),
        states: Vec::new(),
        scopes: Vec::new(),
        names: Names::default(),
        labels: Vec::new(),
        label_names: Names::default(),
        dangling: Vec::new(),
        suggestions: Cell::new(20_000),
        facts: Facts::default(),
    };
    let timeout = compiler.machine(members);
    check::check(&mut compiler);
    let machine = compiler.finish(value, timeout);
    (machine, compiler.diagnostics)
}

/// Whether a value nests at most `depth` levels.
fn shallow(value: &Value, depth: usize) -> bool {
    match value {
        Value::Array(items) => depth > 0 && items.iter().all(|item| shallow(item, depth - 1)),
        Value::Object(map) => depth > 0 && map.iter().all(|(_, item)| shallow(item, depth - 1)),
        _ => true,
    }
}

/// The state of the pass.
pub(super) struct Compiler<'d> {
    pub options: CompileOptions,
    /// The machine's language, which is the default of every state at every depth.
    pub language: QueryLanguage,
    pub diagnostics: Vec<Diagnostic>,
    pub states: Vec<StateDraft<'d>>,
    pub scopes: Vec<ScopeDraft>,
    /// The id of the state that first used each name.
    pub names: Names,
    /// Where each Map label was first used.
    pub labels: Vec<Pointer>,
    pub label_names: Names,
    /// Transitions to states that are not in their scope.
    pub dangling: Vec<Dangling<'d>>,
    /// How many names may still be compared for suggestions, so that extreme definitions do not take too long.
    pub suggestions: Cell<usize>,
    facts: Facts,
}

/// A state that is being compiled.
pub(super) struct StateDraft<'d> {
    pub name: &'d Arc<str>,
    pub scope: ScopeId,
    pub pointer: Pointer,
    /// The existing states that it has transitions to.
    pub next: Vec<StateId>,
    /// Whether it can end its scope.
    pub terminal: bool,
    /// Whether it has a `Type`, right or wrong.
    pub typed: bool,
    pub compiled: Option<State>,
    /// The variables that it reads, with the location of each.
    pub reads: Vec<Read>,
}

/// A `States` object that is being compiled.
pub(super) struct ScopeDraft {
    pub start: Option<StateId>,
    /// The enclosing scope and state.
    pub parent: Option<(ScopeId, StateId)>,
    /// The ids of its states, which are consecutive.
    pub states: Vec<StateId>,
    /// The id of each of them.
    pub names: Names,
    pub pointer: Pointer,
    /// Whether it is the item processor of a Distributed Map, in which variables of enclosing scopes are not visible.
    pub isolated: bool,
    /// The first assignment of each variable that its states assign.
    pub assigned: Vec<Assigned>,
    pub variables: Names,
}

/// Where a variable is assigned.
pub(super) struct Assigned {
    pub name: Arc<str>,
    pub pointer: Pointer,
    pub location: String,
}

/// A variable that is read.
pub(super) struct Read {
    pub name: Arc<str>,
    pub pointer: Pointer,
    pub part: Part,
}

/// A transition to a state that does not exist.
pub(super) struct Dangling<'d> {
    pub scope: ScopeId,
    pub target: &'d str,
    /// The field's name, for the message and the fix.
    pub field: String,
    pub pointer: Pointer,
    pub location: String,
}

/// Facts about the fields of one state that were found on the way.
#[derive(Default)]
struct Facts {
    uses_context: bool,
    reads: Vec<Read>,
    assigns: Vec<Assigned>,
}

/// The surroundings of a state that its compilation needs.
#[derive(Clone, Copy)]
struct Site {
    id: StateId,
    scope: ScopeId,
    /// The number of enclosing Parallel and Map states.
    depth: usize,
    /// Whether it runs in an Express execution: that of the machine, or of an iteration of a Distributed Map.
    express: bool,
}

impl<'d> Compiler<'d> {
    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    fn machine(&mut self, members: &'d Map) -> Option<u64> {
        let position = Position::ROOT;
        self.language = match members.get("QueryLanguage") {
            None => QueryLanguage::JsonPath,
            Some(value) => fields::language(value),
        };
        self.check_shape(&position, members, &shape::MACHINE, QueryLanguage::JsonPath);
        let express = self.options.kind == MachineType::Express;
        self.scope(&position, members, None, 0, express, false);
        members.get("TimeoutSeconds").and_then(Value::as_i64).and_then(|seconds| u64::try_from(seconds).ok())
    }

    /// Compiles one `StartAt` with its `States`.
    fn scope(
        &mut self,
        position: &Position<'_>,
        members: &'d Map,
        parent: Option<(ScopeId, StateId)>,
        depth: usize,
        express: bool,
        isolated: bool,
    ) -> ScopeId {
        let scope = ScopeId(self.scopes.len() as u32);
        self.scopes.push(ScopeDraft {
            start: None,
            parent,
            states: Vec::new(),
            names: Names::default(),
            pointer: position.pointer(),
            isolated,
            assigned: Vec::new(),
            variables: Names::default(),
        });
        let Some(states) = members.get("States").and_then(Value::as_object) else { return scope };
        let states_place = position.key("States");
        if states.is_empty() {
            let mut diagnostic = Diagnostic::new(&codes::EMPTY_VALUE, states_place.pointer(), "`States` has no state").aws(
                SCHEMA,
                "Value cannot be empty",
                Some(states_place.location()),
            );
            // AWS continues as if there were nothing wrong with it (recorded).
            if let Some(start) = members.get("StartAt").and_then(Value::as_str) {
                let location = Some(position.key("StartAt").location());
                diagnostic = diagnostic.aws("MISSING_TRANSITION_TARGET", format!("Missing 'Next' target: {start}"), location);
            }
            if parent.is_none() {
                diagnostic = diagnostic.aws("MISSING_END_STATE", "Workflow has no terminal state", None);
            }
            self.report(diagnostic);
            return scope;
        }
        if depth > MAX_NESTING {
            let message = format!("Parallel and Map states are nested more than {MAX_NESTING} levels deep");
            let aws = "The states are too deeply nested";
            self.report(Diagnostic::new(&codes::NESTED_TOO_DEEP, states_place.pointer(), message).aws(
                "TOO_DEEPLY_NESTED",
                aws,
                Some(states_place.location()),
            ));
            return scope;
        }
        // All names are collected first, because any state may go to any other.
        let mut queue = Vec::with_capacity(states.len());
        for (name, value) in states.iter() {
            let at = states_place.key(name);
            let id = StateId(self.states.len() as u32);
            self.states.push(StateDraft {
                name,
                scope,
                pointer: at.pointer(),
                next: Vec::new(),
                terminal: false,
                typed: false,
                compiled: None,
                reads: Vec::new(),
            });
            self.state_name(&at, name, id);
            let draft = self.scope_draft(scope);
            draft.states.push(id);
            draft.names.insert(name.clone(), id.index());
            queue.push((name, value, id));
        }
        if let Some(Value::String(start)) = members.get("StartAt") {
            let start = self.target(&position.key("StartAt"), scope, start);
            self.scope_draft(scope).start = start;
        }
        for (name, value, id) in queue {
            self.state(&states_place.key(name), value, Site { id, scope, depth, express });
        }
        scope
    }

    fn scope_draft(&mut self, id: ScopeId) -> &mut ScopeDraft {
        // Invariant: an id is the position at which its draft was pushed, and drafts are never removed.
        &mut self.scopes[id.0 as usize]
    }

    fn state_draft(&mut self, id: StateId) -> &mut StateDraft<'d> {
        // Invariant: as for scopes.
        &mut self.states[id.0 as usize]
    }

    /// Checks a state's name for its length and uniqueness.
    fn state_name(&mut self, position: &Position<'_>, name: &Arc<str>, id: StateId) {
        let length = name.chars().count();
        if length == 0 || length > 80 {
            let message = if length == 0 {
                "a state's name cannot be empty".to_string()
            } else {
                format!("a state's name can have at most 80 characters, but this one has {length}")
            };
            let aws = if length == 0 {
                "The state name cannot be empty".to_string()
            } else {
                format!("The state name '{name}' exceeds the 80-character limit allowed by the service")
            };
            self.report(Diagnostic::new(&codes::NAME_TOO_LONG, position.pointer(), message).at(Part::Key).aws(
                "INVALID_STATE_NAME",
                aws,
                Some(position.location()),
            ));
        }
        if let Some(first) = self.names.get(name) {
            let first = self.state_draft(StateId::from_index(first)).pointer.clone();
            let message = format!("another state is called `{name}`; names must be unique in the whole machine");
            self.report(
                Diagnostic::new(&codes::DUPLICATE_STATE, position.pointer(), message)
                    .at(Part::Key)
                    .label(first, Part::Key, "first used here")
                    .aws("DUPLICATE_STATE_NAME", format!("Duplicate State name: {name}"), Some(position.location())),
            );
        } else {
            self.names.insert(name.clone(), id.index());
        }
    }

    /// Returns the state that a transition leads to. A missing one is reported at the end, when all scopes are known.
    fn target(&mut self, position: &Position<'_>, scope: ScopeId, name: &'d str) -> Option<StateId> {
        let found = self.scopes.get(scope.0 as usize).and_then(|draft| draft.names.get(name)).map(StateId::from_index);
        if found.is_none() {
            let field = position.name().to_string();
            self.dangling.push(Dangling { scope, target: name, field, pointer: position.pointer(), location: position.location() });
        }
        found
    }

    /// Returns the machine, if every state was compiled.
    fn finish(&mut self, value: &Value, timeout: Option<u64>) -> Option<Machine> {
        let mut states = IdVec::new();
        for draft in &mut self.states {
            states.push(draft.compiled.take()?);
        }
        let mut scopes = IdVec::new();
        for draft in &mut self.scopes {
            scopes.push(Scope { start: draft.start? });
        }
        Some(Machine { states, scopes, timeout, digest: digest(value) })
    }
}

/// FNV-1a over the definition's structure. White space does not matter; the order of members does, since the ids of states
/// follow it.
fn digest(value: &Value) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325;
    feed(&mut hash, value);
    hash
}

fn feed(hash: &mut u64, value: &Value) {
    let mut bytes = |bytes: &[u8]| {
        for byte in bytes {
            *hash = (*hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    };
    match value {
        Value::Null => bytes(b"n"),
        Value::Bool(true) => bytes(b"t"),
        Value::Bool(false) => bytes(b"f"),
        Value::Number(number) => {
            bytes(b"#");
            bytes(number.to_string().as_bytes());
        }
        Value::String(text) => {
            bytes(b"\"");
            bytes(text.as_bytes());
            bytes(b"\"");
        }
        Value::Array(items) => {
            bytes(b"[");
            for item in items.iter() {
                feed(hash, item);
            }
            feed(hash, &Value::Bool(false));
        }
        Value::Object(map) => {
            bytes(b"{");
            for (key, item) in map.iter() {
                for byte in key.bytes().chain([0xff]) {
                    *hash = (*hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
                }
                feed(hash, item);
            }
            feed(hash, &Value::Bool(true));
        }
    }
}
