//! Compiles one state: its type, the fields that all types share, and the small types (Pass, Wait, Succeed, Fail, Parallel).

use super::fields::{self, describe};
use super::jsonata::Reach;
use super::{Compiler, Facts, Position, SCHEMA, Site};
use crate::asl::codes;
use crate::asl::ir::{Field, Kind, PathField, QueryLanguage, ResultPath, ScopeId, State, StateId, Wait};
use crate::asl::shape::{self, Shape};
use crate::base::diag::{Diagnostic, Part, Severity};
use crate::base::{Id, Map, Value};
use std::sync::Arc;

impl<'d> Compiler<'d> {
    /// Compiles a state into its draft.
    pub(super) fn state(&mut self, position: &Position<'_>, value: &'d Value, site: Site) {
        let Some(members) = value.as_object() else {
            self.wrong_type(position, value, "an object", "OBJECT");
            // It is not known whether the state was meant to end the machine or where it leads, so there are no follow-up
            // diagnostics.
            self.state_draft(site.id).terminal = true;
            return;
        };
        let outer = std::mem::take(&mut self.facts);
        let compiled = self.state_members(position, members, site);
        self.edges(members, site);
        let facts = std::mem::replace(&mut self.facts, outer);
        self.keep(site, compiled, facts);
    }

    fn keep(&mut self, site: Site, compiled: Option<State>, facts: Facts) {
        let scope = self.scope_draft(site.scope);
        for assigned in facts.assigns {
            if scope.variables.add(&assigned.name, scope.assigned.len()) {
                scope.assigned.push(assigned);
            }
        }
        let draft = self.state_draft(site.id);
        draft.reads = facts.reads;
        draft.compiled = compiled.map(|state| State { uses_context: facts.uses_context, ..state });
    }

    /// Reads the state's transitions and whether it can end, without reporting errors: a state that has another error still
    /// counts for the reachability of the others.
    fn edges(&mut self, members: &'d Map, site: Site) {
        let mut targets: Vec<&str> = Vec::new();
        let text = |value: Option<&'d Value>| value.and_then(Value::as_str);
        targets.extend(text(members.get("Next")));
        targets.extend(text(members.get("Default")));
        for list in ["Choices", "Catch"] {
            for item in members.get(list).and_then(Value::as_array).unwrap_or_default() {
                targets.extend(text(item.get("Next")));
            }
        }
        let names = &self.scope_draft(site.scope).names;
        let next = targets.iter().filter_map(|name| names.get(name).map(StateId::from_index)).collect();
        let ty = members.get("Type").and_then(Value::as_str);
        let draft = self.state_draft(site.id);
        draft.next = next;
        draft.typed = members.contains_key("Type");
        draft.terminal = matches!(ty, Some("Succeed" | "Fail")) || members.get("End") == Some(&Value::Bool(true));
    }

    fn state_members(&mut self, position: &Position<'_>, members: &'d Map, site: Site) -> Option<State> {
        let language = members.get("QueryLanguage").map_or(self.language, fields::language);
        // AWS refuses this for the machine's own states. What it does in nested states is not known, and published definitions
        // have it there.
        let downgraded = language == QueryLanguage::JsonPath && self.language == QueryLanguage::Jsonata;
        let mixed = downgraded && site.depth == 0;
        if downgraded {
            let at = position.key("QueryLanguage");
            let message = "a state cannot use JSONPath when the machine uses JSONata";
            let aws = "'QueryLanguage' can not be 'JSONPath' if set to 'JSONata' for whole state machine";
            let mut diagnostic = Diagnostic::new(&codes::QUERY_LANGUAGE_DOWNGRADE, at.pointer(), message)
                .help("remove `QueryLanguage` from the machine and set it in the states that use JSONata");
            if mixed {
                diagnostic = diagnostic.aws(SCHEMA, aws, Some(position.location()));
            } else {
                diagnostic = diagnostic.severity(Severity::Warning);
            }
            self.report(diagnostic);
        }
        let ty = members.get("Type").and_then(Value::as_str);
        let Some(shape) = ty.and_then(shape::state) else {
            self.type_problem(position, members);
            return None;
        };
        self.check_shape_mixed(position, members, shape, language, mixed);
        if mixed {
            return None;
        }
        let next = self.transition(position, members, site, shape);
        let reach = if matches!(ty, Some("Task" | "Parallel" | "Map")) { Reach::RESULT } else { Reach::default() };
        let jsonpath = language == QueryLanguage::JsonPath;
        let has = |name: &str| shape.row(name).is_some_and(|row| row.language.is_none_or(|only| only == language));
        let mut state = State {
            name: Arc::from(position.name()),
            scope: site.scope,
            pointer: self.state_draft(site.id).pointer.clone(),
            language,
            kind: Kind::Succeed,
            next,
            input_path: PathField::Whole,
            parameters: None,
            result_selector: None,
            result_path: ResultPath::Whole,
            output_path: PathField::Whole,
            output: None,
            assign: None,
            retry: Vec::new(),
            catch: Vec::new(),
            uses_context: false,
        };
        if jsonpath && has("InputPath") {
            state.input_path = self.path_field(position, members, "InputPath");
            state.output_path = self.path_field(position, members, "OutputPath");
        }
        if jsonpath && has("ResultPath") {
            state.result_path = self.result_path(position, members);
        }
        if jsonpath
            && has("ResultSelector")
            && let Some(selector @ Value::Object(_)) = members.get("ResultSelector")
        {
            state.result_selector = self.template(&position.key("ResultSelector"), selector);
        }
        // The Parameters of a Map are the old spelling of its ItemSelector.
        let parameters = if jsonpath { "Parameters" } else { "Arguments" };
        if has(parameters)
            && ty != Some("Map")
            && let Some(value) = members.get(parameters)
        {
            state.parameters = self.payload(&position.key(parameters), value, language, Reach::default());
        }
        if has("Output")
            && let Some(value) = members.get("Output")
        {
            state.output = self.payload(&position.key("Output"), value, language, reach);
        }
        if has("Assign") {
            state.assign = self.assign(position, members, language, reach);
        }
        if has("Retry") {
            state.retry = self.retriers(position, members);
            state.catch = self.catchers(position, members, site, language);
        }
        state.kind = match ty {
            Some("Pass") => self.pass(position, members, language),
            Some("Task") => Kind::Task(self.task(position, members, site, language)?),
            Some("Choice") => self.choice(position, members, site, language)?,
            Some("Wait") => Kind::Wait(self.wait(position, members, language)?),
            Some("Fail") => self.fail(position, members, language),
            Some("Parallel") => self.parallel(position, members, site),
            Some("Map") => Kind::Map(Box::new(self.map(position, members, site, language)?)),
            _ => Kind::Succeed,
        };
        Some(state)
    }

    fn type_problem(&mut self, position: &Position<'_>, members: &Map) {
        match members.get("Type") {
            None => {
                let mut diagnostic = Diagnostic::new(
                    &codes::MISSING_FIELD,
                    position.pointer(),
                    format!("the state `{}` needs a `Type`", position.name()),
                )
                .at(Part::Key)
                .help(format!("use one of {}", shape::STATE_TYPES.join(", ")))
                .aws(SCHEMA, "The field 'Type' is required", Some(position.location()));
                let close = members.iter().map(|(name, _)| &**name).find(|name| matches!(*name, "type" | "TYPE" | "Typ" | "Tpye"));
                if let Some(typo) = close {
                    diagnostic = diagnostic.label(position.key(typo).pointer(), Part::Key, "write `Type`");
                }
                self.report(diagnostic);
            }
            Some(Value::String(word)) => {
                // The type is unknown, so it is not known which fields the state may have.
                self.check_state_type(&position.key("Type"), word);
            }
            Some(other) => {
                let message = format!("`Type` must be a string, not {}", describe(other));
                let at = position.key("Type");
                self.report(Diagnostic::new(&codes::WRONG_TYPE, at.pointer(), message).aws(
                    SCHEMA,
                    "Expected value of type [STRING]",
                    Some(at.location()),
                ));
            }
        }
    }

    /// Compiles Next or End, for the types that have them.
    fn transition(&mut self, position: &Position<'_>, members: &'d Map, site: Site, shape: &Shape) -> Option<StateId> {
        shape.row("Next")?;
        let end = members.get("End");
        let next = members.get("Next").and_then(Value::as_str);
        let ends = end == Some(&Value::Bool(true));
        if let Some(next) = next {
            if ends {
                let message = "a state has either `Next` or `End`, not both";
                self.report(
                    Diagnostic::new(&codes::EXCLUSIVE_FIELDS, position.key("End").pointer(), message)
                        .at(Part::Key)
                        .label(position.key("Next").pointer(), Part::Key, "`Next` is here")
                        .aws(SCHEMA, "There should only be one of the following fields: [Next, End]", Some(position.location())),
                );
            }
            return self.target(&position.key("Next"), site.scope, next);
        }
        if !ends && !members.contains_key("Next") && !matches!(end, Some(value) if value.as_bool().is_none()) {
            let message = format!("`{}` has neither `Next` nor `End`", position.name());
            let diagnostic = Diagnostic::new(&codes::MISSING_TRANSITION, position.pointer(), message).at(Part::Key).aws(
                SCHEMA,
                "This object should have only one of the following fields: [Next, End]",
                Some(position.location()),
            );
            let diagnostic = match end {
                Some(Value::Bool(false)) => diagnostic
                    .label(position.key("End").pointer(), Part::Value, "`false` has no effect")
                    .help("name the next state with `\"Next\"`, or set `\"End\": true`"),
                _ => diagnostic.help("name the next state with `\"Next\"`").fix(
                    "or end here with `\"End\": true`",
                    Part::End,
                    ", \"End\": true",
                ),
            };
            self.report(diagnostic);
        }
        None
    }

    fn pass(&mut self, position: &Position<'_>, members: &Map, language: QueryLanguage) -> Kind {
        if language == QueryLanguage::Jsonata {
            return Kind::Pass { result: None };
        }
        let result = members.get("Result").cloned();
        if let Some(result) = &result {
            self.literal_template(&position.key("Result"), result);
            if members.contains_key("Parameters") {
                let message = "`Parameters` has no effect, because `Result` replaces what it computes";
                let pointer = position.key("Parameters").pointer();
                self.report(Diagnostic::new(&codes::IGNORED_FIELD, pointer, message).at(Part::Key));
            }
        }
        Kind::Pass { result }
    }

    /// Reports members of `Result` that look like a template: `Result` is never one.
    fn literal_template(&mut self, position: &Position<'_>, value: &Value) {
        match value {
            Value::Object(map) => {
                for (key, item) in map.iter() {
                    let at = position.key(key);
                    if key.ends_with(".$") && item.as_str().is_some_and(|text| text.starts_with('$') || text.starts_with("States."))
                    {
                        let message = format!("`{key}` is not computed: `Result` is used literally");
                        self.report(
                            Diagnostic::new(&codes::LITERAL_TEMPLATE, at.pointer(), message.clone())
                                .at(Part::Key)
                                .help("use `Parameters` instead of `Result` to compute values")
                                .aws("PASS_RESULT_IS_STATIC", message, Some(at.location())),
                        );
                    }
                    self.literal_template(&at, item);
                }
            }
            Value::Array(items) => {
                for (i, item) in items.iter().enumerate() {
                    self.literal_template(&position.index(i), item);
                }
            }
            _ => {}
        }
    }

    fn wait(&mut self, position: &Position<'_>, members: &Map, language: QueryLanguage) -> Option<Wait> {
        const FORMS: [&str; 4] = ["Seconds", "Timestamp", "SecondsPath", "TimestampPath"];
        let forms = if language == QueryLanguage::JsonPath { &FORMS[..] } else { &FORMS[..2] };
        let present: Vec<&str> = forms.iter().copied().filter(|name| members.contains_key(name)).collect();
        // The wording and order are AWS's, recorded for JSONPath.
        let list = if language == QueryLanguage::JsonPath {
            "SecondsPath, Seconds, TimestampPath, Timestamp"
        } else {
            "Seconds, Timestamp"
        };
        let aws = |several: bool| {
            let start = if several { "There should only be" } else { "This object should have only" };
            format!("{start} one of the following fields: [{list}]")
        };
        match *present.as_slice() {
            ["Seconds"] | ["SecondsPath"] => self.field(position, members, "Seconds", unsigned).map(Wait::Seconds),
            ["Timestamp"] | ["TimestampPath"] => {
                self.field(position, members, "Timestamp", |value| value.as_str().map(Arc::from)).map(Wait::Timestamp)
            }
            [] => {
                // A field of the other language has been reported already.
                if language == QueryLanguage::Jsonata && FORMS.iter().any(|name| members.contains_key(name)) {
                    return None;
                }
                let message = format!("a Wait state needs one of {}", forms.join(", "));
                self.report(Diagnostic::new(&codes::MISSING_ONE_OF, position.pointer(), message).at(Part::Key).aws(
                    SCHEMA,
                    aws(false),
                    Some(position.location()),
                ));
                None
            }
            [first, ..] => {
                let message = format!("a Wait state must have exactly one of {}", forms.join(", "));
                let mut diagnostic = Diagnostic::new(&codes::EXCLUSIVE_FIELDS, position.key(first).pointer(), message)
                    .at(Part::Key)
                    .aws(SCHEMA, aws(true), Some(position.location()));
                for other in present.iter().skip(1) {
                    diagnostic = diagnostic.label(position.key(other).pointer(), Part::Key, "and this one");
                }
                self.report(diagnostic);
                None
            }
        }
    }

    fn fail(&mut self, position: &Position<'_>, members: &Map, language: QueryLanguage) -> Kind {
        let mut part = |name: &str| -> Option<Field<Arc<str>>> {
            let path_name = format!("{name}Path");
            if language == QueryLanguage::Jsonata {
                return self.field(position, members, name, |value| value.as_str().map(Arc::from));
            }
            if members.contains_key(name) && members.contains_key(&path_name) {
                let message = format!("`{name}` and `{path_name}` cannot be used together");
                let aws = format!("A Fail state cannot include both field '{name}' and '{path_name}'");
                self.report(
                    Diagnostic::new(&codes::EXCLUSIVE_FIELDS, position.key(&path_name).pointer(), message)
                        .at(Part::Key)
                        .label(position.key(name).pointer(), Part::Key, "the other one")
                        .aws(SCHEMA, aws, Some(position.location())),
                );
                return None;
            }
            if let Some(text) = members.get(&path_name).and_then(Value::as_str) {
                return self.string_path(&position.key(&path_name), text);
            }
            members.get(name).and_then(Value::as_str).map(|text| Field::Fixed(Arc::from(text)))
        };
        Kind::Fail { error: part("Error"), cause: part("Cause") }
    }

    fn parallel(&mut self, position: &Position<'_>, members: &'d Map, site: Site) -> Kind {
        let mut branches: Vec<ScopeId> = Vec::new();
        let list = position.key("Branches");
        for (i, branch) in members.get("Branches").and_then(Value::as_array).unwrap_or_default().iter().enumerate() {
            let at = list.index(i);
            let Some(branch) = branch.as_object() else {
                self.wrong_type(&at, branch, "an object with `StartAt` and `States`", "OBJECT");
                continue;
            };
            self.check_shape(&at, branch, &shape::BRANCH, QueryLanguage::JsonPath);
            branches.push(self.scope(&at, branch, Some((site.scope, site.id)), site.depth + 1, site.express, false));
        }
        Kind::Parallel { branches }
    }
}

/// A non-negative integer.
pub(super) fn unsigned(value: &Value) -> Option<u64> {
    u64::try_from(value.as_i64()?).ok()
}
