//! Moves states with one entry and one exit into a Parallel or Map, and out of it again.

use super::build::{Link, Site, States, object};
use super::flow::{Edge, GraphEditor, Role};
use super::plan::Piece;
use super::{Focus, Refused, pointer_of, pointers, text};
use crate::base::Value;

/// The entry and the exit of a selection.
pub(super) struct Selection<'d> {
    pub states: Vec<usize>,
    /// The transitions that lead into the selection.
    pub into: Vec<Edge<'d>>,
    pub entry: usize,
    /// The state that follows the selection; `None` for the end of the scope.
    pub exit: Option<&'d str>,
}

impl<'d> GraphEditor<'d> {
    pub(super) fn selection(&self, states: Vec<usize>) -> Result<Selection<'d>, Box<Refused>> {
        let refuse = |message: String| Err(Refused::new("ways", message));
        if let Some(state) = states.iter().find(|state| !self.is_open(**state)) {
            return Err(self.opaque_refusal(*state));
        }
        let scope = states.first().map(|state| self.enclosing_states(*state)).unwrap_or_default();
        let entries = self.entries(&states);
        let has_inner_predecessor = |state: &usize| {
            let name = self.name(*state);
            states.iter().any(|from| from != state && self.transitions_of(*from).iter().any(|edge| edge.target == Some(name)))
        };
        let alone = states.iter().find(|state| !has_inner_predecessor(state)).or(states.first());
        let entry = match &entries[..] {
            [] => alone.copied().unwrap_or_default(),
            [one] => *one,
            [one, other, ..] => {
                return refuse(format!("`{}` and `{}` are both entered from outside", self.name(*one), self.name(*other)));
            }
        };
        let mut exits: Vec<Option<&str>> = Vec::new();
        for state in &states {
            for edge in self.transitions_of(*state) {
                let leaves = edge.target.is_none_or(|name| !states.iter().any(|state| self.name(*state) == name));
                if leaves && !exits.contains(&edge.target) {
                    exits.push(edge.target);
                }
            }
            if self.kind(*state) == "Succeed" && !exits.contains(&None) {
                exits.push(None);
            }
        }
        let exit = match &exits[..] {
            [] => None,
            [one] => *one,
            [one, other, ..] => {
                let word = |exit: &Option<&str>| exit.map_or("the end".to_string(), |name| format!("`{name}`"));
                return refuse(format!("they lead to {} and to {}: a selection can have only one exit", word(one), word(other)));
            }
        };
        let from_outside = |edge: &Edge| edge.from.is_none_or(|from| !states.contains(&from));
        let name = self.name(entry);
        let into = self.edges(scope).into_iter().filter(|edge| from_outside(edge) && edge.target == Some(name)).collect();
        Ok(Selection { states, into, entry, exit })
    }

    /// Makes the transitions out of a selection end its scope. Returns a Succeed state if a rule or another field left the
    /// selection, because those cannot end it themselves.
    pub(super) fn end_selection(&mut self, selection: &Selection) -> Result<Option<(String, Piece)>, Box<Refused>> {
        let mut done: Option<String> = None;
        let Some(exit) = selection.exit else { return Ok(None) };
        for edge in selection.states.iter().flat_map(|state| self.transitions_of(*state)).collect::<Vec<_>>() {
            if edge.target != Some(exit) {
                continue;
            }
            match edge.role {
                Role::Next => self.redirect(&edge, None)?,
                _ => {
                    let name = match &done {
                        Some(name) => name.clone(),
                        None => self.reserve_name("Done"),
                    };
                    self.redirect(&edge, Some(&name))?;
                    done = Some(name);
                }
            }
        }
        Ok(done.map(|name| (name, Piece::Json(object(&[("Type", "Succeed".into())])))))
    }

    /// Replaces a selection by a state.
    pub(super) fn replace(&mut self, selection: &Selection, name: &str, piece: Piece) -> Result<(), Box<Refused>> {
        let first = selection.states.first().copied().unwrap_or_default();
        let states = self.enclosing_states(first);
        let before = self.document.before(first);
        self.plan.insert(states, before, Some(name), piece);
        for state in &selection.states {
            self.plan.remove(*state);
        }
        for edge in &selection.into {
            self.redirect(edge, Some(name))?;
        }
        Ok(())
    }

    pub(super) fn wrap(&mut self, gesture: &Value) -> Result<String, Box<Refused>> {
        let kind = text(gesture, "type").unwrap_or_default();
        if !matches!(kind, "Parallel" | "Map") {
            return Err(Refused::new("impossible", "states can be put into a Parallel or a Map".into()));
        }
        let states = self.states(&pointers(gesture))?;
        let selection = self.selection(states)?;
        let name = self.reserve_name(text(gesture, "name").unwrap_or(kind));
        let start = Piece::text(self.name(selection.entry));
        let mut inner: States = selection.states.iter().map(|state| (self.name(*state).to_string(), Piece::Old(*state))).collect();
        inner.extend(self.end_selection(&selection)?);
        let mut scope = vec![("StartAt".to_string(), start), ("States".to_string(), Piece::Object(inner))];
        let first = selection.states.first().copied().unwrap_or_default();
        let field = if kind == "Map" {
            scope.insert(0, ("ProcessorConfig".into(), Piece::Json(object(&[("Mode", "INLINE".into())]))));
            self.report_loss(first, "a Map runs its states once for each item of its input, which must be a list".into());
            ("ItemProcessor".to_string(), Piece::Object(scope))
        } else {
            self.report_loss(first, "the output of a Parallel is a list with the output of each branch".into());
            ("Branches".to_string(), Piece::List(vec![Piece::Object(scope)]))
        };
        let last = match selection.exit {
            Some(exit) => ("Next".to_string(), Piece::text(exit)),
            None => ("End".to_string(), Piece::Json(true.into())),
        };
        self.replace(&selection, &name, Piece::Object(vec![("Type".into(), Piece::text(kind)), field, last]))?;
        self.select.push(name.clone());
        self.focus = Some(Focus::Field(name.clone(), ""));
        let names: Vec<&str> = selection.states.iter().map(|state| self.name(*state)).collect();
        Ok(format!("{} put into {name}.", names.join(", ")))
    }

    pub(super) fn unwrap(&mut self, gesture: &Value) -> Result<String, Box<Refused>> {
        let state = self.open_state(pointer_of(gesture, "state")?)?;
        let (document, kind, name) = (self.document, self.kind(state), self.name(state).to_string());
        let branches: Vec<usize> = match kind {
            "Parallel" => {
                let list = document.child(state, "Branches");
                list.map_or(Vec::new(), |list| document.child_ids(list))
            }
            "Map" => ["ItemProcessor", "Iterator"].iter().find_map(|name| document.child(state, name)).into_iter().collect(),
            _ => return Err(Refused::new("impossible", format!("`{name}` has no states inside: it is a {kind}"))),
        };
        let start = |branch: &usize| {
            let start = document.text_of(*branch, "StartAt")?;
            self.scopes.iter().find(|(object, _)| object == branch)?.1.and_then(|states| document.child(states, start))
        };
        let starts: Option<Vec<usize>> = branches.iter().map(start).collect();
        let Some((starts, first)) = starts.and_then(|starts| starts.first().copied().map(|first| (starts, first))) else {
            return Err(Refused::new("impossible", format!("`{name}` has no first state inside")));
        };
        let out = self.transitions_of(state).into_iter().find(|edge| matches!(edge.role, Role::Next | Role::End));
        // A Parallel with a transition to itself now leads to the first state that was inside.
        let exit =
            out.and_then(|edge| edge.target).map(|to| if to == name { self.name(first).to_string() } else { to.to_string() });
        let enclosing_states = self.enclosing_states(state);
        for (i, begins) in starts.iter().enumerate() {
            let on = starts.get(i + 1).map(|next| self.name(*next).to_string()).or_else(|| exit.clone());
            let inner = self.enclosing_states(*begins);
            for (id, member) in document.children(inner) {
                let twice = self.names.iter().filter(|name| **name == member.name).count() > 1;
                if twice {
                    let message = format!("there is another state `{}`: give one of them a new name first", member.name);
                    return Err(Refused::new("taken", message));
                }
                self.continue_with(id, on.as_deref())?;
                self.plan.insert(enclosing_states, Some(state), Some(&member.name), Piece::Old(id));
            }
        }
        for edge in
            self.edges(enclosing_states).into_iter().filter(|edge| edge.from != Some(state) && edge.target == Some(name.as_str()))
        {
            let to = self.name(first).to_string();
            self.redirect(&edge, Some(&to))?;
        }
        self.plan.remove(state);
        for (child, field) in document.children(state) {
            if !matches!(field.name.as_str(), "Type" | "Branches" | "ItemProcessor" | "Iterator" | "Next" | "End" | "Comment") {
                self.report_loss(child, format!("`{}` of {name} is lost", field.name));
            }
        }
        if kind == "Map" {
            self.report_loss(state, "the states run once, with the whole input".into());
        } else if starts.len() > 1 {
            self.report_loss(state, "the branches run one after the other".into());
        }
        let names: Vec<String> = starts.iter().map(|state| self.name(*state).to_string()).collect();
        self.select.extend(names.iter().cloned());
        self.focus = names.first().map(|name| Focus::Field(name.clone(), ""));
        Ok(format!("The states of {name} take its place."))
    }

    /// Makes a state that ends its scope lead to another state; a Succeed becomes a Pass.
    fn continue_with(&mut self, state: usize, to: Option<&str>) -> Result<(), Box<Refused>> {
        let Some(to) = to else { return Ok(()) };
        if self.kind(state) == "Succeed" {
            if let Some(node) = self.document.child(state, "Type") {
                self.plan.value(node, Piece::text("Pass"));
            }
            self.plan.append(state, Some("Next"), Piece::text(to));
            return Ok(());
        }
        match self.transitions_of(state).into_iter().find(|edge| edge.role == Role::End) {
            Some(edge) => self.redirect(&edge, Some(to)),
            None => Ok(()),
        }
    }

    /// Replaces a Task by the states of the machine that it starts.
    pub(super) fn inline(&mut self, gesture: &Value) -> Result<String, Box<Refused>> {
        let state = self.state(pointer_of(gesture, "state")?)?;
        let asl = text(gesture, "asl").ok_or_else(|| Refused::new("asl", "the gesture needs `asl`, a definition".into()))?;
        let (document, name) = (self.document, self.name(state).to_string());
        let resource = document.text_of(state, "Resource").unwrap_or_default();
        if !resource.contains(":states:startExecution") {
            return Err(Refused::new("impossible", format!("`{name}` does not start another machine")));
        }
        let states = self.enclosing_states(state);
        let exit = self
            .transitions_of(state)
            .into_iter()
            .find_map(|edge| if edge.role == Role::Next { edge.target.map(str::to_string) } else { None });
        let scope = document.parent(states).unwrap_or_default();
        let site = Site { scope, states: Some(states), after: Some(state), link: Link::Alone, exit, jsonata: self.jsonata(states) };
        let mut start = self.pasted(&site, &super::paste::without_ends(asl, site.exit.as_deref())?)?;
        if let Some(piece) = self.child_input(state, &start) {
            let before = self.reserve_name(&format!("{name} input"));
            self.plan.insert(states, Some(state), Some(&before), piece);
            start = before;
        }
        for edge in self.edges(states).into_iter().filter(|edge| edge.from != Some(state) && edge.target == Some(name.as_str())) {
            self.redirect(&edge, Some(&start))?;
        }
        self.plan.remove(state);
        for (child, field) in document.children(state) {
            let stays = match field.name.as_str() {
                "Type" | "Resource" | "Parameters" | "Arguments" | "Next" | "End" | "Comment" | "QueryLanguage" | "InputPath" => {
                    true
                }
                "OutputPath" => document.string(child) == Some("$.Output"),
                "Output" => document.string(child).is_some_and(|text| text.contains("$states.result.Output")),
                _ => false,
            };
            if !stays {
                self.report_loss(child, format!("`{}` of {name} is lost", field.name));
            }
        }
        self.focus = Some(Focus::Field(start, ""));
        Ok(format!("The states of the machine that {name} started take its place."))
    }

    /// Returns a Pass that builds the input of a child, if that differs from the state's own.
    fn child_input(&self, task: usize, start: &str) -> Option<Piece> {
        let document = self.document;
        let jsonata = self.jsonata_state(task);
        let arguments = document.child(task, if jsonata { "Arguments" } else { "Parameters" });
        let given = arguments
            .and_then(|arguments| ["Input.$", "Input"].iter().find_map(|name| Some((*name, document.child(arguments, name)?))));
        let own_path = document.child(task, "InputPath");
        let mut members: States = vec![("Type".into(), Piece::text("Pass"))];
        if jsonata && !self.jsonata(task) {
            members.push(("QueryLanguage".into(), Piece::text("JSONata")));
        }
        match given {
            Some(("Input.$", path)) if document.string(path) == Some("$") => {
                members.push(("InputPath".into(), Piece::Old(own_path?)));
            }
            Some((_, value)) if jsonata => {
                let written = document.string(value).map(|text| text.replace(' ', ""));
                if written.as_deref() == Some("{%$states.input%}") {
                    return None;
                }
                members.push(("Output".into(), Piece::Old(value)));
            }
            Some(("Input.$", path)) => members.push(("InputPath".into(), Piece::Old(path))),
            Some((_, value)) => {
                if let Some(path) = own_path {
                    members.push(("InputPath".into(), Piece::Old(path)));
                }
                members.push(("Parameters".into(), Piece::Old(value)));
            }
            None if jsonata => members.push(("Output".into(), Piece::Json(Value::empty_object()))),
            None => members.push(("Result".into(), Piece::Json(Value::empty_object()))),
        }
        members.push(("Next".into(), Piece::text(start)));
        Some(Piece::Object(members))
    }

    /// Moves a selection into a machine of its own, and adds a Task that starts it.
    pub(super) fn extract(&mut self, gesture: &Value) -> Result<String, Box<Refused>> {
        let states = self.states(&pointers(gesture))?;
        let selection = self.selection(states)?;
        let entry = self.name(selection.entry).to_string();
        let name = self.reserve_name(text(gesture, "name").unwrap_or(&entry));
        let jsonata = self.jsonata(self.enclosing_states(selection.entry));
        let read = self.read_outside(&selection.states);
        let mut child = GraphEditor::new(self.document);
        let done = child.end_selection(&selection)?;
        let begin = if read.is_empty() { entry.clone() } else { child.reserve_name("Take variables") };
        let mut machine = child.machine(&selection.states, &begin);
        if let Piece::Object(members) = &mut machine
            && let Some((_, Piece::Object(inner))) = members.last_mut()
        {
            inner.extend(done);
            if !read.is_empty() {
                inner.insert(0, (begin, Piece::Json(assigning_state(&read, &entry, jsonata))));
            }
        }
        self.asl = Some(super::print::text(&child.plan, &machine));
        let task = starting_task(&name, &read, selection.exit, jsonata);
        self.replace(&selection, &name, Piece::Json(task))?;
        self.select.push(name.clone());
        self.focus =
            Some(Focus::Field(name.clone(), if jsonata { "Arguments/StateMachineArn" } else { "Parameters/StateMachineArn" }));
        Ok(match selection.states.len() {
            1 => format!("1 state is now a separate machine, which {name} starts."),
            all => format!("{all} states are now a separate machine, which {name} starts."),
        })
    }

    /// Returns the variables that a selection reads and other states assign; reports what a separate machine cannot have.
    fn read_outside(&mut self, states: &[usize]) -> Vec<String> {
        use crate::asl::language::symbols::{Symbol, uses};
        let document = self.document;
        let inside =
            |at: usize| states.iter().any(|state| document.node(*state).is_some_and(|node| node.span.range().contains(&at)));
        let all: Vec<_> = uses(document)
            .into_iter()
            .filter_map(|place| match place.symbol {
                Symbol::Variable(name) => Some((name, place.definition, inside(place.span.start))),
                Symbol::State { .. } => None,
            })
            .collect();
        let mut read: Vec<String> = Vec::new();
        let mut lost: Vec<String> = Vec::new();
        for (name, definition, within) in &all {
            let both =
                |a: bool, b: bool| all.iter().any(|(other, definition, within)| other == name && *definition == a && *within == b);
            if *within && !definition && both(true, false) && !read.contains(name) {
                read.push(name.clone());
            }
            if *within && *definition && both(false, false) && !lost.contains(name) {
                lost.push(name.clone());
            }
        }
        for state in states {
            let source = document.node(*state).map_or("", |node| document.source(node.span));
            if source.contains("$$.") || source.contains("$states.context") {
                self.report_loss(*state, "the Context Object is that of the new machine's execution".into());
            }
        }
        for name in lost {
            let first = states.first().copied().unwrap_or_default();
            self.report_loss(first, format!("`${name}` is assigned in the new machine and read outside it"));
        }
        read
    }
}

/// Returns the Task that starts a machine, with the variables that the machine reads.
fn starting_task(name: &str, read: &[String], exit: Option<&str>, jsonata: bool) -> Value {
    let machine: String = name.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') { c } else { '-' }).collect();
    let arn = format!("arn:aws:states:us-east-1:123456789012:stateMachine:{machine}");
    let key = |name: &str| if jsonata { name.to_string() } else { format!("{name}.$") };
    let path = |text: String| Value::from(if jsonata { format!("{{% {text} %}}") } else { text });
    let own = path(if jsonata { "$states.input".into() } else { "$".into() });
    let mut arguments = crate::base::Map::new();
    arguments.insert("StateMachineArn", arn);
    if read.is_empty() {
        arguments.insert(key("Input"), own);
    } else {
        let variables: Vec<(String, Value)> = read.iter().map(|name| (key(name), path(format!("${name}")))).collect();
        let variables: Vec<(&str, Value)> = variables.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
        arguments.insert("Input", object(&[(&key("input"), own), ("variables", object(&variables))]));
    }
    let (field, output) =
        if jsonata { ("Arguments", ("Output", "{% $states.result.Output %}")) } else { ("Parameters", ("OutputPath", "$.Output")) };
    let last = exit.map_or(("End", true.into()), |exit| ("Next", exit.into()));
    object(&[
        ("Type", "Task".into()),
        ("Resource", "arn:aws:states:::states:startExecution.sync:2".into()),
        (field, arguments.into()),
        (output.0, output.1.into()),
        last,
    ])
}

/// Returns the state that assigns variables from the input.
fn assigning_state(read: &[String], next: &str, jsonata: bool) -> Value {
    let mut assign = crate::base::Map::new();
    for name in read {
        match jsonata {
            true => assign.insert(name.as_str(), format!("{{% $states.input.variables.{name} %}}")),
            false => assign.insert(format!("{name}.$"), format!("$.variables.{name}")),
        };
    }
    let output = if jsonata { ("Output", "{% $states.input.input %}") } else { ("OutputPath", "$.input") };
    object(&[("Type", "Pass".into()), ("Assign", assign.into()), (output.0, output.1.into()), ("Next", next.into())])
}
