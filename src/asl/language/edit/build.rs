//! Creates new states with the fields that each type requires, and inserts them.

use super::flow::{Edge, GraphEditor, Role, unique_name};
use super::plan::Piece;
use super::{Focus, Refused, member, text};
use crate::asl::language::document::Kind;
use crate::asl::shape::STATE_TYPES;
use crate::base::{Map, Value};

/// How new states are connected.
pub(super) enum Link<'d> {
    Edge(Edge<'d>),
    /// A new transition out of a state.
    New(usize, &'static str),
    /// They are a new branch of a Parallel.
    Branch(usize),
    /// No transition leads to them.
    Alone,
}

/// Where new states are inserted.
pub(super) struct Site<'d> {
    /// The object with `States`; `None` if the text is empty.
    pub scope: usize,
    pub states: Option<usize>,
    /// The state that precedes them in the text.
    pub after: Option<usize>,
    pub link: Link<'d>,
    /// The state that follows them; `None` for the end of the scope.
    pub exit: Option<String>,
    pub jsonata: bool,
}

/// States with their names. Execution starts at the first one.
pub(super) type States = Vec<(String, Piece)>;

const ROLES: [&str; 5] = ["next", "rule", "default", "catch", "branch"];

impl<'d> GraphEditor<'d> {
    /// Resolves the location that a gesture names: an edge, a state with a new transition, or a scope.
    pub(super) fn site(&self, gesture: &Value) -> Result<Site<'d>, Box<Refused>> {
        let site = self.site_of(gesture)?;
        match site.states.filter(|states| !self.is_open(*states)) {
            Some(states) => Err(self.opaque_refusal(states)),
            None => Ok(site),
        }
    }

    fn site_of(&self, gesture: &Value) -> Result<Site<'d>, Box<Refused>> {
        if let Some(edge) = text(gesture, "edge") {
            return Ok(self.site_on(self.edge(edge)?));
        }
        let Some(from) = text(gesture, "from") else { return self.site_in(text(gesture, "scope").unwrap_or_default()) };
        let from = self.state(from)?;
        let role = self.role(gesture)?;
        self.check_transition(from, role)?;
        if role == "next"
            && let Some(edge) = self.transitions_of(from).into_iter().find(|edge| matches!(edge.role, Role::Next | Role::End))
        {
            return Ok(self.site_on(edge));
        }
        let states = self.enclosing_states(from);
        let link = if role == "branch" { Link::Branch(from) } else { Link::New(from, role) };
        let scope = self.document.parent(states).unwrap_or_default();
        Ok(Site { scope, states: Some(states), after: Some(from), link, exit: None, jsonata: self.jsonata(states) })
    }

    fn site_on(&self, edge: Edge<'d>) -> Site<'d> {
        let states = edge.states;
        let scope = self.document.parent(states).unwrap_or_default();
        let (after, exit) = (edge.from, edge.target.map(str::to_string));
        Site { scope, states: Some(states), after, link: Link::Edge(edge), exit, jsonata: self.jsonata(states) }
    }

    pub(super) fn site_in(&self, scope: &str) -> Result<Site<'d>, Box<Refused>> {
        let alone = |scope, states, after, jsonata| Site { scope, states, after, link: Link::Alone, exit: None, jsonata };
        if scope.is_empty() && matches!(self.document.text.trim(), "" | "null") {
            return Ok(alone(0, None, None, false));
        }
        let (object, states) = self.scope(scope)?;
        let after = states.and_then(|states| self.document.child_ids(states).last().copied());
        Ok(alone(object, states, after, self.jsonata(object)))
    }

    pub(super) fn role(&self, gesture: &Value) -> Result<&'static str, Box<Refused>> {
        let given = text(gesture, "as").unwrap_or("next");
        let known = ROLES.iter().find(|role| **role == given).copied();
        known.ok_or_else(|| Refused::new("impossible", format!("`as` is one of {}", ROLES.join(", "))))
    }

    /// Checks whether a state can have another transition of a kind.
    pub(super) fn check_transition(&self, state: usize, role: &str) -> Result<(), Box<Refused>> {
        if !self.is_open(state) {
            return Err(self.opaque_refusal(state));
        }
        let kind = self.kind(state);
        let possible = match role {
            "rule" | "default" => kind == "Choice",
            "branch" => kind == "Parallel",
            "catch" => matches!(kind, "Task" | "Parallel" | "Map"),
            _ => !matches!(kind, "Choice" | "Succeed" | "Fail"),
        };
        if !possible {
            let what = match role {
                "rule" => "rules",
                "default" => "a Default",
                "branch" => "branches",
                "catch" => "catchers",
                _ => "a Next",
            };
            let article = if kind.is_empty() { "a state without Type" } else { kind };
            return Err(Refused::new("impossible", format!("`{}` cannot have {what}: it is {article}", self.name(state))));
        }
        if role == "default" && self.document.child(state, "Default").is_some() {
            let message = format!("`{}` has a Default already; there is only one", self.name(state));
            return Err(Refused::new("impossible", message));
        }
        Ok(())
    }

    /// Inserts states into a scope and adds a transition to the first of them.
    pub(super) fn insert_states(&mut self, site: &Site, states: States) -> Result<(), Box<Refused>> {
        let document = self.document;
        let Some(start) = states.first().map(|(name, _)| name.clone()) else { return Ok(()) };
        match &site.link {
            Link::Edge(edge) => self.redirect(edge, Some(&start))?,
            Link::New(from, role) => self.add_edge(*from, role, &start)?,
            Link::Branch(parallel) => {
                let branch = Piece::Object(vec![("StartAt".into(), Piece::text(&start)), ("States".into(), Piece::Object(states))]);
                match document.child(*parallel, "Branches") {
                    Some(list) => self.plan.append(list, None, branch),
                    None => self.plan.append(*parallel, Some("Branches"), Piece::List(vec![branch])),
                }
                return Ok(());
            }
            Link::Alone => {
                let first = site.states.is_none_or(|states| document.child_ids(states).is_empty());
                let known = document.child(site.scope, "StartAt");
                match known {
                    _ if !first || self.document.node(0).is_none_or(|root| root.kind != Kind::Object) => {}
                    Some(known) => self.plan.value(known, Piece::text(&start)),
                    None => {
                        let last = match site.states {
                            Some(states) => document.before(states),
                            None => document.child_ids(site.scope).last().copied(),
                        };
                        self.plan.insert(site.scope, last, Some("StartAt"), Piece::text(&start));
                    }
                }
            }
        }
        match site.states {
            Some(into) => {
                for (name, piece) in states {
                    self.plan.insert(into, site.after, Some(&name), piece);
                }
            }
            None if document.node(site.scope).is_some_and(|root| root.kind == Kind::Object) => {
                self.plan.append(site.scope, Some("States"), Piece::Object(states));
            }
            None => {
                let members = vec![("StartAt".to_string(), Piece::text(&start)), ("States".to_string(), Piece::Object(states))];
                self.plan.whole = Some(Piece::Object(members));
            }
        }
        Ok(())
    }

    /// Adds a transition out of a state; a `Next` replaces the existing one.
    pub(super) fn add_edge(&mut self, from: usize, role: &str, to: &str) -> Result<(), Box<Refused>> {
        self.check_transition(from, role)?;
        let document = self.document;
        match role {
            "rule" => {
                let rule = self.rule(from, to);
                match document.child(from, "Choices") {
                    Some(list) => self.plan.append(list, None, Piece::Json(rule)),
                    None => self.plan.append(from, Some("Choices"), Piece::Json(Value::from(vec![rule]))),
                }
            }
            "default" => self.plan.append(from, Some("Default"), Piece::text(to)),
            "catch" => self.add_catcher(from, to),
            _ => match self.transitions_of(from).into_iter().find(|edge| matches!(edge.role, Role::Next | Role::End)) {
                Some(edge) => self.redirect(&edge, Some(to))?,
                None => self.plan.append(from, Some("Next"), Piece::text(to)),
            },
        }
        Ok(())
    }

    fn add_catcher(&mut self, from: usize, to: &str) {
        let document = self.document;
        let Some(list) = document.child(from, "Catch") else {
            return self.plan.append(from, Some("Catch"), Piece::Json(Value::from(vec![catcher("States.ALL", to)])));
        };
        let catchers = document.child_ids(list);
        // Finds the catcher of an error.
        let catches = |error: &str| {
            let catches = |element: &usize| {
                let names = document.child(*element, "ErrorEquals").map_or(Vec::new(), |names| document.child_ids(names));
                names.iter().any(|name| document.string(*name) == Some(error))
            };
            catchers.iter().copied().find(catches)
        };
        let caught = |error: &str| catches(error).is_some();
        let all = catches("States.ALL");
        // Only the last catcher can catch all errors, so a new one is for an error that is not caught yet.
        let error = match all {
            None => "States.ALL".to_string(),
            Some(_) if !caught("States.TaskFailed") => "States.TaskFailed".to_string(),
            Some(_) if !caught("States.Timeout") => "States.Timeout".to_string(),
            Some(_) => unique_name("Error", |name| caught(name)).replace(' ', ""),
        };
        // A catcher for every failure of a task hides those after it.
        let after = match catches("States.TaskFailed").or(all) {
            Some(element) => document.before(element),
            None => catchers.last().copied(),
        };
        self.plan.insert(list, after, None, Piece::Json(catcher(&error, to)));
    }

    /// Creates a rule that differs from all others of the state.
    fn rule(&self, choice: usize, to: &str) -> Value {
        let document = self.document;
        let jsonata = document.surroundings(choice).language == crate::asl::ir::QueryLanguage::Jsonata;
        let list = document.child(choice, "Choices");
        let written = list.and_then(|list| document.node(list)).map_or("", |list| document.source(list.span));
        new_rule(jsonata, Some(to), |path| written.contains(&format!("{path}\"")) || written.contains(&format!("{path})")))
    }

    /// Creates a new state and the states that it needs beside it.
    pub(super) fn new_states(&mut self, gesture: &Value, exit: Option<&str>, jsonata: bool) -> Result<States, Box<Refused>> {
        let spec = gesture.get("state").cloned().unwrap_or(Value::Null);
        let given = text(&spec, "type").unwrap_or_default();
        let Some(kind) = STATE_TYPES.iter().find(|known| **known == given).copied() else {
            return Err(Refused::new("impossible", format!("the type of a state is one of {}", STATE_TYPES.join(", "))));
        };
        let wanted = text(&spec, "name").unwrap_or(kind);
        if wanted.trim().is_empty() || wanted.chars().count() > 80 {
            return Err(Refused::new("name", "the name of a state has 1 to 80 characters".into()));
        }
        let name = self.reserve_name(wanted);
        let fields = member(&spec, "fields").and_then(Value::as_object).cloned().unwrap_or_default();
        let jsonata = jsonata || fields.get("QueryLanguage").and_then(Value::as_str) == Some("JSONata");
        let mut more = Vec::new();
        let mut exit = exit.map(str::to_string);
        if kind == "Choice" && exit.is_none() && fields.get("Default").is_none() {
            // A Choice cannot end its scope itself.
            let done = self.reserve_name("Done");
            more.push((done.clone(), Piece::Json(object(&[("Type", Value::from("Succeed"))]))));
            exit = Some(done);
        }
        let state = self.new_state(kind, &name, &fields, exit.as_deref(), jsonata);
        self.select.push(name.clone());
        self.focus = Some(Focus::Field(name.clone(), first_field(kind, jsonata)));
        more.insert(0, (name, Piece::Json(state)));
        Ok(more)
    }

    /// Creates the value of a new state.
    pub(super) fn new_state(&mut self, kind: &str, name: &str, fields: &Map, exit: Option<&str>, jsonata: bool) -> Value {
        let mut out = Map::new();
        out.insert("Type", kind);
        for (field, value) in self.required_fields(kind, name, fields, exit, jsonata) {
            out.insert(field, value);
        }
        for (field, value) in fields.iter().filter(|(field, _)| !matches!(&***field, "Type" | "Next" | "End")) {
            out.insert(field.clone(), value.clone());
        }
        match (kind, exit) {
            ("Succeed" | "Fail", _) => {}
            ("Choice", Some(to)) => {
                if !out.contains_key("Default") {
                    out.insert("Default", to);
                }
                let rules = out.get("Choices").and_then(Value::as_array).unwrap_or_default().to_vec();
                let rules: Vec<Value> = rules.into_iter().map(|rule| with_target(rule, to)).collect();
                out.insert("Choices", Value::from(rules));
            }
            ("Choice", None) => {}
            (_, Some(to)) => drop(out.insert("Next", to)),
            (_, None) => drop(out.insert("End", true)),
        }
        Value::from(out)
    }

    /// Adds the fields that a state of a type requires.
    pub(super) fn required_fields(
        &mut self,
        kind: &str,
        name: &str,
        given: &Map,
        exit: Option<&str>,
        jsonata: bool,
    ) -> Vec<(&'static str, Value)> {
        let has = |fields: &[&str]| fields.iter().any(|field| given.contains_key(field));
        match kind {
            "Task" if !has(&["Resource"]) => vec![("Resource", resource(name).into())],
            "Wait" if !has(&["Seconds", "SecondsPath", "Timestamp", "TimestampPath"]) => vec![("Seconds", Value::from(1))],
            "Fail" if !has(&["Error", "ErrorPath"]) => vec![("Error", "Failed".into())],
            "Choice" if !has(&["Choices"]) => {
                vec![("Choices", Value::from(vec![new_rule(jsonata, exit, |_| false)]))]
            }
            "Parallel" if !has(&["Branches"]) => {
                vec![("Branches", Value::from(vec![self.new_scope("Branch"), self.new_scope("Branch")]))]
            }
            "Map" if !has(&["ItemProcessor", "Iterator"]) => {
                let mut processor = Map::new();
                processor.insert("ProcessorConfig", object(&[("Mode", "INLINE".into())]));
                if let Value::Object(inner) = self.new_scope("Item") {
                    inner.iter().for_each(|(name, value)| drop(processor.insert(name.clone(), value.clone())));
                }
                vec![("ItemProcessor", processor.into())]
            }
            _ => Vec::new(),
        }
    }

    /// Creates a scope with one Pass.
    fn new_scope(&mut self, wanted: &str) -> Value {
        let name = self.reserve_name(wanted);
        let pass = object(&[("Type", "Pass".into()), ("End", true.into())]);
        object(&[("StartAt", name.as_str().into()), ("States", object(&[(&name, pass)]))])
    }
}

pub(super) fn object(members: &[(&str, Value)]) -> Value {
    let mut map = Map::new();
    for (name, value) in members {
        map.insert(*name, value.clone());
    }
    map.into()
}

/// The field that a user usually edits first in a new state.
pub(super) fn first_field(kind: &str, jsonata: bool) -> &'static str {
    match kind {
        "Task" => "Resource",
        "Wait" => "Seconds",
        "Fail" => "Error",
        "Choice" if jsonata => "Choices/0/Condition",
        "Choice" => "Choices/0/Variable",
        _ => "",
    }
}

fn catcher(error: &str, to: &str) -> Value {
    object(&[("ErrorEquals", Value::from(vec![Value::from(error)])), ("Next", to.into())])
}

fn new_rule(jsonata: bool, to: Option<&str>, taken: impl Fn(&str) -> bool) -> Value {
    let root = if jsonata { "$states.input." } else { "$." };
    let path = unique_name(&format!("{root}value"), |path| taken(&path.replace(' ', ""))).replace(' ', "");
    let mut rule = Map::new();
    if jsonata {
        rule.insert("Condition", format!("{{% $exists({path}) %}}"));
    } else {
        rule.insert("Variable", path);
        rule.insert("IsPresent", true);
    }
    if let Some(to) = to {
        rule.insert("Next", to);
    }
    rule.into()
}

fn with_target(rule: Value, to: &str) -> Value {
    match rule {
        Value::Object(map) if !map.contains_key("Next") => {
            let mut map = (*map).clone();
            map.insert("Next", to);
            map.into()
        }
        other => other,
    }
}

/// The ARN of a Lambda function with the name of the state.
fn resource(name: &str) -> String {
    let function: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')).take(64).collect();
    let function = if function.is_empty() { "NAME" } else { &function };
    format!("arn:aws:lambda:us-east-1:123456789012:function:{function}")
}
