//! Checks of the whole machine: targets, reachability, ends, and in which scopes variables are assigned and read.

use super::codes;
use super::compile::{Assigned, Compiler, Dangling, ScopeDraft};
use super::ir::{ScopeId, StateId};
use super::suggest::nearest;
use crate::base::diag::{AwsText, Diagnostic, Part};
use crate::base::{Id, Names, Pointer, sort};

/// AWS's code for wrong transitions and for states without one.
const TRANSITION: &str = "MISSING_TRANSITION_TARGET";

/// Runs all checks, in the order in which AWS reports their findings.
pub(super) fn check(compiler: &mut Compiler<'_>) {
    let dangling = std::mem::take(&mut compiler.dangling);
    // The states that misspelt targets probably refer to, with the index of each diagnostic.
    let mut misspelt = Vec::new();
    for one in &dangling {
        if let Some(intended) = intended(compiler, one) {
            misspelt.push((intended, compiler.diagnostics.len()));
        }
        let diagnostic = missing_target(compiler, one);
        compiler.diagnostics.push(diagnostic);
    }
    let endless = no_terminal_state(compiler);
    for index in 0..compiler.scopes.len() {
        let scope = ScopeId(index as u32);
        if compiler.scopes.get(index).is_some_and(|draft| draft.start.is_some()) {
            unreachable_states(compiler, scope, endless, &misspelt);
        }
        if !(endless && index == 0) {
            endless_loops(compiler, scope);
        }
    }
    variables(compiler);
}

fn draft<'a>(compiler: &'a Compiler<'_>, scope: ScopeId) -> Option<&'a ScopeDraft> {
    compiler.scopes.get(scope.0 as usize)
}

/// The state of the same scope that a misspelt target probably refers to.
fn intended(compiler: &Compiler<'_>, dangling: &Dangling<'_>) -> Option<StateId> {
    if compiler.names.contains(dangling.target) {
        return None;
    }
    let scope = draft(compiler, dangling.scope)?;
    scope.names.get(nearest_name(compiler, dangling.target, &state_names(compiler, scope))?).map(StateId::from_index)
}

fn state_names<'a>(compiler: &Compiler<'a>, scope: &ScopeDraft) -> Vec<&'a str> {
    scope.states.iter().filter_map(|id| compiler.states.get(id.index())).map(|state| &**state.name).collect()
}

/// Returns the nearest of some names, while the budget for comparisons lasts.
fn nearest_name<'a>(compiler: &Compiler<'_>, word: &str, names: &[&'a str]) -> Option<&'a str> {
    let left = compiler.suggestions.get().checked_sub(names.len())?;
    compiler.suggestions.set(left);
    nearest(word, names.iter().copied())
}

/// Reports a transition to a state that is not in its scope, but may be in another one.
fn missing_target(compiler: &Compiler<'_>, dangling: &Dangling<'_>) -> Diagnostic {
    let target = dangling.target;
    let mut diagnostic = Diagnostic::new(
        &codes::UNKNOWN_TARGET,
        dangling.pointer.clone(),
        format!("there is no state `{target}` here"),
    )
    .aws(TRANSITION, format!("Missing 'Next' target: {target}"), Some(dangling.location.clone()));
    let Some(scope) = draft(compiler, dangling.scope) else { return diagnostic };
    if dangling.field == "StartAt" {
        // AWS then treats all states of the scope as unreachable.
        for id in &scope.states {
            if let Some(state) = compiler.states.get(id.0 as usize) {
                let location = Some(location(&state.pointer));
                diagnostic = diagnostic.aws(TRANSITION, format!("State \"{}\" is not reachable.", state.name), location);
            }
        }
    }
    if let Some(state) = compiler.names.get(target).and_then(|id| compiler.states.get(id)) {
        let position = match draft(compiler, state.scope).and_then(|scope| scope.parent) {
            None => "the machine's top-level states".to_string(),
            Some((_, holder)) => {
                let holder = compiler.states.get(holder.0 as usize).map_or("", |holder| holder.name);
                format!("the states inside `{holder}`")
            }
        };
        return diagnostic
            .label(state.pointer.clone(), Part::Key, format!("`{target}` is among {position}"))
            .help("no transition leads into or out of a branch or an item processor");
    }
    let field = &dangling.field;
    let names = state_names(compiler, scope);
    match nearest_name(compiler, target, &names) {
        Some(intended) => {
            let text = crate::base::Value::from(intended).to_string();
            diagnostic.fix(format!("did you mean `\"{field}\": {text}`?"), Part::Value, text)
        }
        None if names.len() <= 6 => diagnostic.help(format!("the states here are `{}`", names.join("`, `"))),
        None => diagnostic,
    }
}

/// The location of a state as AWS writes it, `/States/Both/Branches[0]/States/Left`.
fn location(pointer: &Pointer) -> String {
    let mut out = String::new();
    let mut steps = pointer.steps();
    // A state is a named member of `States`; a number can only follow `Branches`.
    while let Some(step) = steps.next() {
        out.push('/');
        out.push_str(&step);
        let inside = match step.as_str() {
            "Branches" => steps.next().map(|index| format!("[{index}]")),
            "States" => steps.next().map(|name| format!("/{name}")),
            _ => None,
        };
        out.push_str(&inside.unwrap_or_default());
    }
    out
}

/// Reports a machine without an end. The machine's own states need one; those of branches and processors do not (spec §1.2).
fn no_terminal_state(compiler: &mut Compiler<'_>) -> bool {
    let Some(root) = compiler.scopes.first() else { return false };
    if root.states.is_empty() {
        return false;
    }
    let mut ends = root.states.iter().filter_map(|id| compiler.states.get(id.0 as usize)).filter(|state| state.terminal);
    if let Some(first) = ends.next() {
        // For AWS a state without `Type` is not an end (recorded); for a reader only its type is missing.
        if !first.typed && ends.all(|state| !state.typed) {
            let pointer = first.pointer.clone();
            if let Some(diagnostic) = compiler.diagnostics.iter_mut().find(|diagnostic| diagnostic.pointer == pointer) {
                let message = "Workflow has no terminal state".into();
                diagnostic.aws.push(AwsText { code: "MISSING_END_STATE", message, location: None });
            }
        }
        return false;
    }
    let pointer = root.pointer.key("States");
    compiler.diagnostics.push(
        Diagnostic::new(&codes::NO_TERMINAL_STATE, pointer, "the machine has no state that ends it")
            .at(Part::Key)
            .help("give a state `\"End\": true`, or add one of type Succeed or Fail")
            .aws("MISSING_END_STATE", "Workflow has no terminal state", None),
    );
    true
}

/// Reports states that no transition leads to. AWS omits them if the machine has no end at all.
fn unreachable_states(compiler: &mut Compiler<'_>, scope_id: ScopeId, endless: bool, misspelt: &[(StateId, usize)]) {
    let Some(scope) = draft(compiler, scope_id) else { return };
    let reached = reachable(compiler, scope, scope.start.into_iter().collect());
    // States that are unreachable because of a misspelt target are part of that error, which has been reported.
    let intended: Vec<(StateId, usize)> = misspelt
        .iter()
        .copied()
        .filter(|(id, _)| compiler.states.get(id.0 as usize).is_some_and(|state| state.scope == scope_id))
        .collect();
    let nearly = reachable(compiler, scope, intended.iter().map(|(id, _)| *id).collect());
    let mut found = Vec::new();
    let mut implied = Vec::new();
    for id in scope.states.iter().filter(|id| !reached.contains(**id)) {
        let Some(state) = compiler.states.get(id.0 as usize) else { continue };
        // The second of two states with the same name is shadowed, which has been reported.
        if scope.names.get(state.name) != Some(id.index()) {
            continue;
        }
        let aws = AwsText {
            code: TRANSITION,
            message: format!("State \"{}\" is not reachable.", state.name),
            location: Some(location(&state.pointer)),
        };
        if nearly.contains(*id) {
            implied.push(aws);
            continue;
        }
        let message = format!("no transition leads to `{}`", state.name);
        let mut diagnostic = Diagnostic::new(&codes::UNREACHABLE_STATE, state.pointer.clone(), message).at(Part::Key);
        diagnostic.aws.extend((!endless).then_some(aws));
        found.push(diagnostic);
    }
    if let Some((_, cause)) = intended.first()
        && let Some(diagnostic) = compiler.diagnostics.get_mut(*cause)
        && !endless
    {
        diagnostic.aws.extend(implied);
    }
    compiler.diagnostics.extend(found);
}

/// A set of states of one scope.
struct States {
    first: usize,
    inside: Vec<bool>,
}

impl States {
    fn none_of(scope: &ScopeDraft) -> States {
        States { first: scope.states.first().map_or(0, |id| id.index()), inside: vec![false; scope.states.len()] }
    }

    /// Adds a state and returns whether it is new.
    fn insert(&mut self, id: StateId) -> bool {
        let position = id.index().checked_sub(self.first).and_then(|at| self.inside.get_mut(at));
        position.is_some_and(|position| !std::mem::replace(position, true))
    }

    fn contains(&self, id: StateId) -> bool {
        id.index().checked_sub(self.first).and_then(|at| self.inside.get(at)).is_some_and(|inside| *inside)
    }
}

/// Returns the given states of a scope and all states that can follow them.
fn reachable(compiler: &Compiler<'_>, scope: &ScopeDraft, from: Vec<StateId>) -> States {
    let mut reached = States::none_of(scope);
    let mut queue = from;
    while let Some(id) = queue.pop() {
        if reached.insert(id)
            && let Some(state) = compiler.states.get(id.0 as usize)
        {
            queue.extend(&state.next);
        }
    }
    reached
}

/// Reports reachable states from which no end can be reached: once per scope, at the first of them.
fn endless_loops(compiler: &mut Compiler<'_>, scope: ScopeId) {
    let Some(scope) = draft(compiler, scope) else { return };
    let mut into: Vec<(StateId, StateId)> = Vec::new();
    let mut ending = States::none_of(scope);
    let mut queue = Vec::new();
    for id in &scope.states {
        let Some(state) = compiler.states.get(id.0 as usize) else { continue };
        // A state without any transition is either an end or has an error that was reported.
        if state.terminal || state.next.is_empty() || state.compiled.is_none() {
            queue.push(*id);
        }
        into.extend(state.next.iter().map(|next| (*next, *id)));
    }
    sort::sort(&mut into);
    while let Some(id) = queue.pop() {
        if ending.insert(id) {
            let from = into.partition_point(|(next, _)| *next < id);
            queue.extend(into.iter().skip(from).take_while(|(next, _)| *next == id).map(|(_, before)| *before));
        }
    }
    let reached = reachable(compiler, scope, scope.start.into_iter().collect());
    let looping: Vec<StateId> = scope.states.iter().copied().filter(|id| reached.contains(*id) && !ending.contains(*id)).collect();
    let Some(first) = looping.first().and_then(|id| compiler.states.get(id.0 as usize)) else { return };
    let message = format!("once at `{}`, an execution never ends", first.name);
    let mut diagnostic = Diagnostic::new(&codes::ENDLESS_LOOP, first.pointer.clone(), message).at(Part::Key);
    for state in looping.iter().skip(1).take(4).filter_map(|id| compiler.states.get(id.0 as usize)) {
        diagnostic = diagnostic.label(state.pointer.clone(), Part::Key, "nor from here");
    }
    compiler.diagnostics.push(diagnostic.help("lead one of these states to an end"));
}

/// Reports variables that are assigned both in a scope and in an enclosing one, and variables that are never assigned.
fn variables(compiler: &mut Compiler<'_>) {
    let mut found = Vec::new();
    for scope in &compiler.scopes {
        for assigned in &scope.assigned {
            let name = &assigned.name;
            if let Some(outer) = outer_scopes(compiler, scope).find_map(|outer| assignment(outer, name)) {
                let message = format!("`{name}` is a variable of an outer scope; inner states can read but not assign it");
                found.push(
                    Diagnostic::new(&codes::VARIABLE_OF_OUTER_SCOPE, assigned.pointer.clone(), message)
                        .at(Part::Key)
                        .label(outer.pointer.clone(), Part::Key, "assigned here")
                        .aws(
                            "SCHEMA_VALIDATION_FAILED",
                            format!("The variable name '{name}' was already defined in a parent scope."),
                            Some(assigned.location.clone()),
                        ),
                );
            }
        }
    }
    for state in &compiler.states {
        let Some(scope) = draft(compiler, state.scope) else { continue };
        let mut reported = Names::default();
        for read in &state.reads {
            let known = scope.variables.contains(&read.name)
                || outer_scopes(compiler, scope).any(|outer| outer.variables.contains(&read.name));
            if known || !reported.add(&read.name, 0) {
                continue;
            }
            let message = format!("no state assigns the variable `${}`", read.name);
            let mut diagnostic = Diagnostic::new(&codes::UNASSIGNED_VARIABLE, read.pointer.clone(), message).at(read.part);
            let within: Vec<&str> = std::iter::once(scope)
                .chain(outer_scopes(compiler, scope))
                .flat_map(|scope| scope.assigned.iter().map(|assigned| &*assigned.name))
                .collect();
            if let Some(intended) = nearest_name(compiler, &read.name, &within) {
                diagnostic = diagnostic.help(format!("did you mean `${intended}`?"));
            } else if &*read.name == "state" {
                diagnostic = diagnostic.help("did you mean `$states`?");
            }
            found.push(diagnostic);
        }
    }
    compiler.diagnostics.extend(found);
}

/// Finds where a scope assigns a variable.
fn assignment<'a>(scope: &'a ScopeDraft, name: &str) -> Option<&'a Assigned> {
    scope.assigned.get(scope.variables.get(name)?)
}

/// The scopes whose variables are visible in a scope, the innermost first. Inside a Distributed Map none are.
fn outer_scopes<'a>(compiler: &'a Compiler<'_>, scope: &'a ScopeDraft) -> impl Iterator<Item = &'a ScopeDraft> {
    std::iter::successors(Some(scope), |scope| {
        if scope.isolated {
            return None;
        }
        scope.parent.and_then(|(parent, _)| draft(compiler, parent))
    })
    .skip(1)
}
