//! Code actions: edits that fix problems, and a few that are only improvements.

use super::super::shape::STATE_TYPES;
use super::document::{Document, Kind};
use super::symbols::{self, Use, inside};
use super::{CodeAction, Edit};
use crate::base::diag::Diagnostic;
use crate::base::{Span, Value, json};

pub(super) fn code_actions(text: &str, range: Span, diagnostics: &[Diagnostic]) -> Vec<CodeAction> {
    let document = Document::read(text, usize::MAX);
    let mut out = Actions { document: &document, found: Vec::new(), problem: None, freed: None, uses: None };
    for diagnostic in diagnostics {
        let Some(span) = diagnostic.span else { continue };
        if span.start > range.end || span.end < range.start {
            continue;
        }
        out.problem = Some((diagnostic.code.name, span));
        if let Some(fix) = &diagnostic.fix
            && let Some(span) = fix.span
        {
            out.add(fix.title.clone(), vec![Edit { span, text: fix.replacement.clone() }]);
        }
        out.fixes(diagnostic);
    }
    out.problem = None;
    out.improvements(range);
    out.found
}

struct Actions<'a> {
    document: &'a Document<'a>,
    found: Vec<CodeAction>,
    problem: Option<(&'static str, Span)>,
    /// The last name for which a free one was searched, and the result: a thousand states of the same name would each repeat
    /// the search.
    freed: Option<(String, String)>,
    /// All names, once they are needed.
    uses: Option<Vec<Use>>,
}

impl Actions<'_> {
    fn add(&mut self, title: impl Into<String>, mut edits: Vec<Edit>) {
        crate::base::sort::by_key(&mut edits, |edit| edit.span.start);
        let action = CodeAction { title: title.into(), problem: self.problem, edits };
        // Problems are ordered by location, so those of one location are adjacent.
        let place = |action: &CodeAction| action.problem.map(|(_, span)| span);
        let mut here = self.found.iter().rev().take_while(|known| place(known) == place(&action));
        if !here.any(|known| known.problem == action.problem && known.edits == action.edits) {
            self.found.push(action);
        }
    }

    fn fixes(&mut self, diagnostic: &Diagnostic) {
        let document = self.document;
        if diagnostic.code.name == "invalid-json" {
            return self.syntax(diagnostic.span.map_or(0, |span| span.start));
        }
        if diagnostic.code.name == "duplicate-key" {
            return self.second_name(diagnostic);
        }
        let Some(node) = document.find(diagnostic.pointer.as_str()) else { return };
        let name = document.name(node);
        match diagnostic.code.name {
            "missing-transition" => {
                if let Some(next) = self.after(node) {
                    self.insert(format!("continue to `{next}`"), node, "Next", &quoted(&next));
                }
            }
            "unreachable-state" => {
                if let Some(before) = self.before(node) {
                    self.link(before, name);
                }
                self.remove(format!("remove `{name}`"), node);
            }
            "unknown-target" => self.create_state(node),
            "states-all-position" => self.all_alone_and_last(node),
            "wrong-query-language" => self.other_language(node),
            "unknown-field" | "field-not-allowed" | "ignored-field" => self.remove(format!("remove `{name}`"), node),
            "exclusive-fields" if document.node(node).is_some_and(|node| node.kind != Kind::Object) => {
                self.remove(format!("remove `{name}`"), node);
            }
            "missing-field" | "missing-one-of" => self.missing_fields(node),
            "duplicate-state" => self.second_state(node),
            "heartbeat-too-long" => self.heartbeat(node),
            "expression-required" | "unclosed-expression" => {
                let text = document.string(node).unwrap_or_default();
                let inner = text.trim().trim_start_matches("{%").trim_end_matches("%}").trim();
                self.replace(format!("make it an expression: `{{% {inner} %}}`"), node, quoted(&format!("{{% {inner} %}}")));
            }
            "literal-path" => {
                if let Some(text) = document.string(node) {
                    self.literal(node, text);
                }
            }
            "distributed-only" => self.distribute(node),
            _ => {}
        }
    }

    fn improvements(&mut self, range: Span) {
        let document = self.document;
        // Improvements are only offered at a cursor: over a whole text there would be too many.
        let Some(hit) = document.hit(range.start).filter(|_| range.end - range.start < 200) else { return };
        let name = document.name(hit.node);
        if hit.on_key && name == "Iterator" {
            let key = document.node(hit.node).and_then(|node| node.key);
            if let Some(key) = key {
                self.add("use the new name `ItemProcessor`", vec![Edit { span: key, text: "\"ItemProcessor\"".into() }]);
            }
        }
        if !hit.on_key {
            self.forgotten_braces(hit.node);
        }
        let state = if hit.on_key { Some(hit.node) } else { document.parent(hit.node) };
        let Some(state) = state.and_then(|node| document.surroundings(node).state) else { return };
        let is_choice = document.text_of(state, "Type") == Some("Choice");
        if is_choice
            && document.child(state, "Default").is_none()
            && let Some(next) = self.after(state)
        {
            self.insert(format!("add `Default`, to `{next}`"), state, "Default", &quoted(&next));
        }
    }

    /// Offers braces for a text that looks like JSONata and is not computed, if there is no diagnostic about it.
    fn forgotten_braces(&mut self, node: usize) {
        let document = self.document;
        let Some(text) = document.string(node).filter(|text| text.starts_with('$')) else { return };
        let Some(place) = document.parent(node).map(|parent| document.surroundings(parent)) else { return };
        if place.state.is_none() || place.language != super::super::ir::QueryLanguage::Jsonata {
            return;
        }
        let called = || (!symbols::word(text.get(1..).unwrap_or_default()).is_empty()).then(|| format!("{{% {text} %}}"));
        let Some(expression) = computed(text).or_else(called) else { return };
        if !self.found.iter().any(|known| known.edits.iter().any(|edit| edit.text == quoted(&expression))) {
            self.replace(format!("make it an expression: `{expression}`"), node, quoted(&expression));
        }
    }

    /// The state after this one in its scope.
    fn after(&self, state: usize) -> Option<String> {
        let states = self.document.parent(state)?;
        self.document.children(states).skip_while(|(id, _)| *id != state).nth(1).map(|(_, node)| node.name.clone())
    }

    fn before(&self, state: usize) -> Option<usize> {
        let states = self.document.parent(state)?;
        self.document.children(states).take_while(|(id, _)| *id != state).map(|(id, _)| id).last()
    }

    /// Makes a state lead to another one, if it ends or has no transition.
    fn link(&mut self, from: usize, to: &str) {
        let document = self.document;
        let title = format!("let `{}` continue to `{to}`", document.name(from));
        match document.child(from, "End") {
            Some(end) => {
                let place = document.node(end).and_then(|node| Some(Span::new(node.key?.start, node.span.end)));
                if let Some(span) = place {
                    self.add(title, vec![Edit { span, text: format!("\"Next\": {}", quoted(to)) }]);
                }
            }
            None => {
                let goes = ["Next", "Choices"].iter().any(|name| document.child(from, name).is_some());
                let ends = matches!(document.text_of(from, "Type"), Some("Succeed" | "Fail"));
                if !goes && !ends {
                    self.insert(title, from, "Next", &quoted(to));
                }
            }
        }
    }

    fn replace(&mut self, title: String, node: usize, text: String) {
        if let Some(node) = self.document.node(node) {
            self.add(title, vec![Edit { span: node.span, text }]);
        }
    }

    /// Adds a member after the last one, on a new line if the others have lines of their own.
    fn insert(&mut self, title: String, object: usize, name: &str, value: &str) {
        let Some(edit) = self.insertion(object, &[(name, value.to_string())]) else { return };
        self.add(title, vec![edit]);
    }

    fn insertion(&self, object: usize, members: &[(&str, String)]) -> Option<Edit> {
        let document = self.document;
        let place = document.node(object).filter(|node| node.kind == Kind::Object)?;
        let last = document.children(object).last();
        let lines = match last {
            Some((_, node)) => self.indent_before(node.key?.start),
            None => None,
        };
        let gap = lines.map_or(" ".to_string(), |indent| format!("\n{indent}"));
        let list: Vec<String> = members.iter().map(|(name, value)| format!("{}: {value}", quoted(name))).collect();
        let body = list.join(&format!(",{gap}"));
        Some(match last {
            Some((_, node)) => Edit { span: Span::new(node.span.end, node.span.end), text: format!(",{gap}{body}") },
            None => Edit { span: Span::new(place.span.start + 1, place.span.start + 1), text: body },
        })
    }

    /// The white space at the beginning of the line, if there is nothing else before the offset.
    fn indent_before(&self, at: usize) -> Option<&str> {
        let line = self.document.text.get(..at)?;
        let start = line.rfind('\n')? + 1;
        line.get(start..).filter(|indent| indent.trim().is_empty())
    }

    /// The span of a member or element with one of its commas.
    fn with_comma(&self, node: usize) -> Option<Span> {
        let text = self.document.text;
        let place = self.document.node(node)?;
        let (start, end) = (place.key.map_or(place.span.start, |key| key.start), place.span.end);
        let rest = text.get(end..)?;
        let gap = rest.len() - rest.trim_start().len();
        if rest.trim_start().starts_with(',') {
            let after = rest.get(gap + 1..)?;
            return Some(Span::new(start, end + gap + 1 + (after.len() - after.trim_start().len())));
        }
        let head = text.get(..start)?.trim_end();
        match head.strip_suffix(',') {
            Some(head) => Some(Span::new(head.len(), end)),
            None => Some(Span::new(start, end)),
        }
    }

    fn remove(&mut self, title: String, node: usize) {
        if let Some(span) = self.with_comma(node) {
            self.add(title, vec![Edit { span, text: String::new() }]);
        }
    }

    fn create_state(&mut self, target: usize) {
        let document = self.document;
        let Some(name) = document.string(target) else { return };
        let states = document.parent(target).and_then(|parent| document.surroundings(parent).states);
        if let Some(states) = states
            && document.child(states, name).is_none()
        {
            self.insert(format!("add a state `{name}`"), states, name, r#"{"Type": "Pass", "End": true}"#);
        }
    }

    /// Fixes a `States.ALL` that is not alone or not last. The element with the error is a name in ErrorEquals, or its list, or
    /// its retrier.
    fn all_alone_and_last(&mut self, node: usize) {
        let document = self.document;
        let Some(names) = document.path_to(node).into_iter().find(|id| document.name(*id) == "ErrorEquals") else { return };
        let Some(entry) = document.parent(names) else { return };
        let Some(list) = document.parent(entry) else { return };
        if document.children(names).count() > 1 {
            self.replace("use only `States.ALL`, which includes the others".into(), names, "[\"States.ALL\"]".into());
        }
        let last = document.children(list).last();
        if let (Some((last, end)), Some(moved), Some(cut)) = (last, document.node(entry), self.with_comma(entry))
            && last != entry
        {
            let gap = document.text.get(cut.start..cut.end).map_or("", |cut| {
                let tail = cut.trim_end();
                cut.get(tail.len()..).unwrap_or_default()
            });
            let gap = if gap.is_empty() { " " } else { gap };
            let text = format!(",{gap}{}", document.source(moved.span));
            let put = Edit { span: Span::new(end.span.end, end.span.end), text };
            self.add("move it to the end", vec![Edit { span: cut, text: String::new() }, put]);
        }
    }

    /// Offers a replacement for a field of the other query language.
    fn other_language(&mut self, node: usize) {
        let document = self.document;
        let Some(place) = document.node(node) else { return };
        let (Some(key), Some(object)) = (place.key, place.parent) else { return };
        let name = place.name.as_str();
        let surroundings = document.surroundings(object);
        let jsonata = surroundings.language == super::super::ir::QueryLanguage::Jsonata;
        let ty = surroundings.state.and_then(|state| document.text_of(state, "Type")).unwrap_or_default();
        let path = document.string(node).and_then(computed);
        let other = match (jsonata, name) {
            (true, "Parameters") => Some(match ty {
                "Pass" | "Succeed" => "Output",
                "Map" => "ItemSelector",
                _ => "Arguments",
            }),
            (true, "ResultSelector" | "Result" | "OutputPath") => Some("Output"),
            (true, "InputPath") if path.is_some() => match ty {
                "Task" | "Parallel" => Some("Arguments"),
                "Map" => Some("Items"),
                "Pass" | "Wait" | "Succeed" => Some("Output"),
                _ => None,
            },
            (true, "ItemsPath") => Some("Items"),
            (true, name) if path.is_some() => name.strip_suffix("Path").filter(|name| !matches!(*name, "Input" | "Result")),
            (false, "Arguments") => Some("Parameters"),
            (false, "Output") => Some(if matches!(ty, "Task" | "Parallel" | "Map") { "ResultSelector" } else { "Parameters" }),
            (false, "Items") => Some("ItemsPath"),
            _ => None,
        };
        if let Some(other) = other.filter(|other| document.child(object, other).is_none()) {
            let mut edits = vec![Edit { span: key, text: quoted(other) }];
            if jsonata {
                match (&path, name.ends_with("Path")) {
                    (Some(expression), _) => edits.push(Edit { span: place.span, text: quoted(expression) }),
                    (None, false) => self.template_edits(node, &mut edits),
                    (None, true) => {}
                }
            }
            self.add(format!("make it `{other}`"), edits);
        }
        if !jsonata
            && let Some(state) = surroundings.state
            && document.child(state, "QueryLanguage").is_none()
        {
            self.insert("make this a JSONata state".into(), state, "QueryLanguage", "\"JSONata\"");
        }
        self.remove(format!("remove `{name}`"), node);
    }

    /// Adds the edits that turn plain paths of a payload template into expressions.
    fn template_edits(&self, within: usize, edits: &mut Vec<Edit>) {
        let document = self.document;
        for (id, node) in document.ids().filter_map(|id| Some((id, document.node(id)?))) {
            let Some(name) = node.name.strip_suffix(".$") else { continue };
            if let (Some(key), Some(expression)) = (node.key, document.string(id).and_then(computed))
                && document.path_to(id).contains(&within)
            {
                edits.push(Edit { span: key, text: quoted(name) });
                edits.push(Edit { span: node.span, text: quoted(&expression) });
            }
        }
    }

    /// Adds the missing required fields to an object.
    fn missing_fields(&mut self, object: usize) {
        let document = self.document;
        let place = document.surroundings(object);
        let Some(shape) = place.shape else { return };
        let lacks = |row: &&super::super::shape::Row| {
            row.required
                && row.language.is_none_or(|language| language == place.language)
                && document.child(object, row.name).is_none()
        };
        let mut missing: Vec<(&str, String)> =
            shape.fields().filter(lacks).map(|row| (row.name, self.blank(object, row.name))).collect();
        if missing.is_empty() {
            missing = match shape.noun {
                "a Map state" => vec![("ItemProcessor", r#"{"StartAt": "", "States": {}}"#.into())],
                "a Wait state" => vec![("Seconds", "1".into())],
                "a Choice rule" if document.child(object, "Next").is_none() => vec![("Next", self.blank(object, "Next"))],
                _ => return,
            };
        }
        let names: Vec<String> = missing.iter().map(|(name, _)| format!("`{name}`")).collect();
        if let Some(edit) = self.insertion(object, &missing) {
            self.add(format!("add {}", names.join(" and ")), vec![edit]);
        }
    }

    /// An initial value for a field.
    fn blank(&self, object: usize, name: &str) -> String {
        let document = self.document;
        match name {
            "StartAt" => {
                let first = document.child(object, "States").and_then(|states| document.children(states).next());
                quoted(first.map_or("", |(_, node)| &node.name))
            }
            "States" => r#"{"First": {"Type": "Pass", "End": true}}"#.into(),
            "Type" => quoted(STATE_TYPES.get(2).copied().unwrap_or_default()),
            "ErrorEquals" => r#"["States.ALL"]"#.into(),
            "Choices" | "Branches" => "[]".into(),
            "Condition" => r#""{% true %}""#.into(),
            "Next" => {
                let states = document.surroundings(object).states.and_then(|states| document.children(states).last());
                quoted(states.map_or("", |(_, node)| &node.name))
            }
            "Transformation" => "\"NONE\"".into(),
            "OutputType" => "\"JSON\"".into(),
            _ => "\"\"".into(),
        }
    }

    /// Offers another name for the second of two states with the same name, and changes the transitions to it in its scope.
    fn second_state(&mut self, node: usize) {
        let document = self.document;
        let Some(key) = document.node(node).and_then(|node| node.key) else { return };
        let name = self.free_name(document.name(node));
        let uses = self.uses.get_or_insert_with(|| symbols::uses(document));
        if let Some((_, symbol, places)) = symbols::occurrences_in(uses, inside(key, document).start) {
            self.add(format!("rename this one to `{name}`"), symbols::renamed(&symbol, places, &name));
        }
    }

    fn second_name(&mut self, diagnostic: &Diagnostic) {
        let Some(span) = diagnostic.span else { return };
        let Some(hit) = self.document.hit(span.start).filter(|hit| hit.on_key) else { return };
        let (document, node) = (self.document, hit.node);
        if let Some(key) = document.node(node).and_then(|node| node.key)
            && document.parent(node).is_some_and(|parent| document.name(parent) == "States")
        {
            let name = self.free_name(document.name(node));
            self.add(format!("rename this one to `{name}`"), vec![Edit { span: key, text: quoted(&name) }]);
        }
        self.remove(format!("remove this `{}`", document.name(node)), node);
    }

    /// Returns a name that no state has.
    fn free_name(&mut self, name: &str) -> String {
        match &self.freed {
            Some((taken, free)) if taken == name => free.clone(),
            _ => {
                let free = self.unused_name(name);
                self.freed = Some((name.to_string(), free.clone()));
                free
            }
        }
    }

    fn unused_name(&self, name: &str) -> String {
        let document = self.document;
        let all: Vec<usize> = symbols::scopes(document).into_iter().filter_map(|(_, states)| states).collect();
        let short: String = name.chars().take(76).collect();
        let free = |candidate: &String| all.iter().all(|states| document.child(*states, candidate).is_none());
        (2..=9_999).map(|n| format!("{short} {n}")).find(free).unwrap_or(short.clone())
    }

    fn heartbeat(&mut self, node: usize) {
        let document = self.document;
        let number = |node: usize| document.node(node).and_then(|node| document.source(node.span).parse::<i64>().ok());
        let timeout = document.parent(node).and_then(|state| document.child(state, "TimeoutSeconds"));
        let Some((timeout, limit, beat)) = timeout.and_then(|timeout| Some((timeout, number(timeout)?, number(node)?))) else {
            return;
        };
        if limit > 1 {
            self.replace(format!("let `HeartbeatSeconds` be {}", limit - 1), node, (limit - 1).to_string());
        }
        self.replace(format!("let `TimeoutSeconds` be {}", beat.saturating_add(1)), timeout, beat.saturating_add(1).to_string());
    }

    /// Fixes a text that looks like a path where texts are literal.
    fn literal(&mut self, node: usize, text: &str) {
        let document = self.document;
        let Some(place) = document.node(node) else { return };
        let jsonata =
            place.parent.is_some_and(|parent| document.surroundings(parent).language == super::super::ir::QueryLanguage::Jsonata);
        if jsonata {
            if let Some(expression) = computed(text) {
                self.replace(format!("make it an expression: `{expression}`"), node, quoted(&expression));
            }
        } else if let Some(key) = place.key {
            let name = format!("{}.$", place.name);
            self.add(format!("rename it to `{name}`, so that it is computed"), vec![Edit { span: key, text: quoted(&name) }]);
        }
    }

    fn distribute(&mut self, node: usize) {
        let document = self.document;
        let Some(map) = document.parent(node) else { return };
        let processor = ["ItemProcessor", "Iterator"].iter().find_map(|name| document.child(map, name));
        let Some(processor) = processor else { return };
        let title = "make it a Distributed Map".to_string();
        match document.child(processor, "ProcessorConfig") {
            None => {
                self.insert(title, processor, "ProcessorConfig", r#"{"Mode": "DISTRIBUTED", "ExecutionType": "STANDARD"}"#);
            }
            Some(config) => match document.child(config, "Mode") {
                Some(mode) => self.replace(title, mode, "\"DISTRIBUTED\"".into()),
                None => self.insert(title, config, "Mode", "\"DISTRIBUTED\""),
            },
        }
    }

    /// Fixes a missing or surplus comma, colon, quote or bracket: it tries each and takes the one with which the parser gets
    /// furthest.
    fn syntax(&mut self, at: usize) {
        let text = self.document.text;
        let head = text.get(..at).unwrap_or(text).trim_end().len();
        let line_end = text.get(at..).and_then(|rest| rest.find('\n')).map_or(text.len(), |i| at + i);
        let line = text.get(..line_end).unwrap_or(text).trim_end().len();
        let insert = |at: usize, text: &str| Edit { span: Span::new(at, at), text: text.into() };
        let closers: String = self
            .document
            .open
            .iter()
            .rev()
            .map(|id| if self.document.node(*id).is_some_and(|node| node.kind == Kind::List) { ']' } else { '}' })
            .collect();
        let mut candidates = vec![
            ("insert a comma", vec![insert(head, ",")]),
            ("insert a colon", vec![insert(head, ":")]),
            ("close the quotes", vec![insert(line, "\"")]),
            ("close the quotes", vec![insert(line.saturating_sub(1), "\"")]),
            ("close the quotes and insert a comma", vec![insert(line, "\",")]),
        ];
        if let Some(comma) = text.get(..head).filter(|head| head.ends_with(',')).map(|head| head.len() - 1) {
            candidates.insert(0, ("remove the comma", vec![Edit { span: Span::new(comma, comma + 1), text: String::new() }]));
        }
        if !closers.is_empty() {
            candidates.push(("close the open brackets", vec![insert(text.trim_end().len(), &closers)]));
        }
        if let Some(word) = text.get(at..).filter(|rest| rest.starts_with('\'')).and_then(|rest| rest.get(1..)?.split('\'').next())
        {
            let span = Span::new(at, at + word.len() + 2);
            candidates.insert(0, ("use double quotes", vec![Edit { span, text: quoted(word) }]));
        }
        let rest = text.get(at..).unwrap_or_default();
        let end = rest.find(|c: char| c.is_whitespace() || matches!(c, ',' | ':' | '}' | ']' | '"')).unwrap_or(rest.len());
        if end > 0 && rest.starts_with(|c: char| c.is_alphabetic()) {
            let word = rest.get(..end).unwrap_or_default();
            candidates.insert(0, ("put it in quotes", vec![Edit { span: Span::new(at, at + end), text: quoted(word) }]));
        }
        // An offset within a character is not valid.
        candidates.retain(|(_, edits)| edits.iter().all(|edit| text.get(edit.span.range()).is_some()));
        let mut further = Vec::new();
        for (title, edits) in candidates {
            let shift: usize = edits.iter().map(|edit| edit.text.len()).sum();
            match json::parse(&super::apply(text, &edits)) {
                Ok(_) => return self.add(title, edits),
                // The parser must get beyond the edit itself, and not only to the end of a text that lacks closing brackets.
                Err(error) if error.offset > at + shift + 1 => further.push((error.offset - shift, title, edits)),
                Err(_) => {}
            }
        }
        crate::base::sort::by_key(&mut further, |(offset, _, _)| std::cmp::Reverse(*offset));
        for (_, title, edits) in further.into_iter().take(2) {
            self.add(title, edits);
        }
    }
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// Returns a plain path of JSONPath as an expression of JSONata.
fn computed(path: &str) -> Option<String> {
    let (root, rest) = match path.strip_prefix("$$") {
        Some(rest) => ("$states.context", rest),
        None => {
            let rest = path.strip_prefix('$')?;
            let name = symbols::word(rest);
            if !name.is_empty() {
                return plain(rest.get(name.len()..)?).then(|| format!("{{% {path} %}}"));
            }
            ("$states.input", rest)
        }
    };
    plain(rest).then(|| format!("{{% {root}{rest} %}}"))
}

/// Whether the steps are only `.name` and `[index]`, which mean the same in both languages.
fn plain(steps: &str) -> bool {
    let mut rest = steps;
    while !rest.is_empty() {
        let next = match rest.strip_prefix('.') {
            Some(tail) => {
                let name = symbols::word(tail);
                if name.is_empty() { None } else { tail.get(name.len()..) }
            }
            None => rest.strip_prefix('[').and_then(|tail| {
                let (index, tail) = tail.split_once(']')?;
                (!index.is_empty() && index.bytes().all(|b| b.is_ascii_digit())).then_some(tail)
            }),
        };
        match next {
            Some(next) => rest = next,
            None => return false,
        }
    }
    true
}
