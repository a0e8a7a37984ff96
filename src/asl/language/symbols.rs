//! Names and their occurrences: where a state or a variable is defined, where it is used, and how it is renamed.

use super::document::{Document, Kind};
use super::{Edit, Target};
use crate::base::{Span, Value, sort};

/// The kind of thing that a name refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Symbol {
    /// A state of the scope whose `States` object this is.
    State { states: usize, name: String },
    /// A variable; a name is one variable in the whole machine.
    Variable(String),
}

/// An occurrence of a name, without quotes and `$`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Use {
    pub span: Span,
    pub definition: bool,
    pub symbol: Symbol,
}

/// The scopes of a definition, the outermost first: the object and its `States`.
pub(super) fn scopes(document: &Document) -> Vec<(usize, Option<usize>)> {
    let mut scopes = Vec::new();
    let mut queue: Vec<usize> = document.ids().take(1).collect();
    let mut at = 0;
    while let Some(&scope) = queue.get(at) {
        at += 1;
        let states = document.child(scope, "States");
        scopes.push((scope, states));
        for (state, _) in states.iter().flat_map(|&states| document.children(states)) {
            let branches = document.child(state, "Branches");
            queue.extend(branches.iter().flat_map(|&list| document.children(list)).map(|(branch, _)| branch));
            queue.extend(["ItemProcessor", "Iterator"].iter().filter_map(|name| document.child(state, name)));
        }
    }
    scopes
}

/// All occurrences of names of states and variables.
pub(super) fn uses(document: &Document) -> Vec<Use> {
    let mut found = Vec::new();
    for (scope, states) in scopes(document) {
        let Some(states) = states else { continue };
        let mut add = |node: Option<usize>| {
            if let Some(node) = node
                && let Some(name) = document.string(node)
                && let Some(place) = document.node(node)
            {
                let symbol = Symbol::State { states, name: name.to_string() };
                found.push(Use { span: inside(place.span, document), definition: false, symbol });
            }
        };
        add(document.child(scope, "StartAt"));
        for (state, _) in document.children(states) {
            add(document.child(state, "Next"));
            add(document.child(state, "Default"));
            for list in ["Choices", "Catch"].iter().filter_map(|name| document.child(state, name)) {
                for (rule, _) in document.children(list) {
                    add(document.child(rule, "Next"));
                }
            }
        }
        for (_, state) in document.children(states) {
            if let Some(key) = state.key {
                let symbol = Symbol::State { states, name: state.name.clone() };
                found.push(Use { span: inside(key, document), definition: true, symbol });
            }
        }
    }
    variables(document, &mut found);
    sort::by_key(&mut found, |place| place.span.start);
    found
}

fn variables(document: &Document, found: &mut Vec<Use>) {
    for (_, node) in document.ids().filter_map(|id| Some((id, document.node(id)?))) {
        let parent = node.parent.and_then(|parent| document.node(parent));
        if let Some(key) = node.key
            && parent.is_some_and(|parent| parent.name == "Assign" && parent.kind == Kind::Object)
        {
            let name = node.name.strip_suffix(".$").unwrap_or(&node.name);
            let span = inside(key, document);
            let symbol = Symbol::Variable(name.to_string());
            found.push(Use { span: Span::new(span.start, span.start + name.len()), definition: true, symbol });
        }
        let Kind::Text(text) = &node.kind else { continue };
        // A string in a list has the name of the list.
        let name = if node.key.is_some() { node.name.as_str() } else { parent.map_or("", |parent| &parent.name) };
        let Some(jsonata) = expression(name, text) else { continue };
        for (span, name) in references(document, inside(node.span, document), jsonata) {
            found.push(Use { span, definition: false, symbol: Symbol::Variable(name.to_string()) });
        }
    }
}

/// Returns whether a string is computed: `Some(true)` for JSONata, `Some(false)` for a path or an intrinsic function.
pub(super) fn expression(member: &str, text: &str) -> Option<bool> {
    if text.trim_start().starts_with("{%") {
        return Some(true);
    }
    let computed = member.ends_with(".$") || member.ends_with("Path") || member == "Variable";
    (computed && (text.starts_with('$') || text.starts_with("States."))).then_some(false)
}

/// The `$names` in the source of an expression, except those in quotes.
fn references<'d>(document: &Document<'d>, span: Span, jsonata: bool) -> Vec<(Span, &'d str)> {
    let source = document.source(span);
    let mut found = Vec::new();
    let mut quote = None;
    let mut before = ' ';

    for (at, c) in source.char_indices() {
        match (quote, c) {
            (Some(open), c) if c == open && before != '\\' => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '`') => quote = Some(c),
            // In the definition's text a double quote of the expression is preceded by a backslash.
            (None, '"') if jsonata => quote = Some('"'),
            (None, '$') if before != '$' => {
                let name = word(source.get(at + 1..).unwrap_or_default());
                if !name.is_empty() && name != "states" {
                    let start = span.start + at + 1;
                    found.push((Span::new(start, start + name.len()), name));
                }
            }
            _ => {}
        }
        // An escaped quote ends a string of the expression like a plain one.
        before = if c == '\\' && source.get(at + 1..).is_some_and(|rest| rest.starts_with('"')) { ' ' } else { c };
    }
    found
}

/// The letters, digits and underscores that a text begins with.
pub(super) fn word(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len());
    let word = text.get(..end).unwrap_or_default();
    if word.starts_with(|c: char| c.is_ascii_digit()) { "" } else { word }
}

/// A string's span without its quotes.
pub(super) fn inside(span: Span, document: &Document) -> Span {
    let closed = span.end > span.start + 1 && document.source(span).ends_with('"');
    Span::new(span.start + 1, if closed { span.end - 1 } else { span.end.max(span.start + 1) })
}

/// The name at an offset.
pub(super) fn symbol_at(all: &[Use], offset: usize) -> Option<&Use> {
    // For a cursor, the `$` is a part of the name.
    let touches = |place: &&Use| {
        let start = place.span.start - usize::from(matches!(place.symbol, Symbol::Variable(_)) && !place.definition);
        start <= offset && offset <= place.span.end
    };
    all.iter().find(touches)
}

/// Returns the occurrence at an offset, and all occurrences of its name.
pub(super) fn occurrences(document: &Document, offset: usize) -> Option<(Span, Symbol, Vec<Target>)> {
    occurrences_in(&uses(document), offset)
}

/// Returns the occurrences of the name at an offset, given all names.
pub(super) fn occurrences_in(all: &[Use], offset: usize) -> Option<(Span, Symbol, Vec<Target>)> {
    let at = symbol_at(all, offset)?;
    let known = all.iter().any(|place| place.symbol == at.symbol && place.definition);
    // `$sum` is a function and not a variable.
    if !known && matches!(at.symbol, Symbol::Variable(_)) {
        return None;
    }
    let same = all.iter().filter(|place| place.symbol == at.symbol);
    let places = same.map(|place| Target { span: place.span, definition: place.definition }).collect();
    Some((at.span, at.symbol.clone(), places))
}

/// Returns the edits that rename the name at an offset, or why that is not possible.
pub(super) fn rename(document: &Document, offset: usize, to: &str) -> Result<Vec<Edit>, String> {
    let (_, symbol, places) = occurrences(document, offset).ok_or("there is no name of a state or a variable here")?;
    nameable(document, &symbol, to).map_err(|(_, why)| why)?;
    Ok(renamed(&symbol, places, to))
}

/// Returns the edits that write another name at the given occurrences.
pub(super) fn renamed(symbol: &Symbol, places: Vec<Target>, to: &str) -> Vec<Edit> {
    let written = match symbol {
        Symbol::State { .. } => {
            let quoted = Value::from(to).to_string();
            quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default().to_string()
        }
        Symbol::Variable(_) => to.to_string(),
    };
    places.into_iter().map(|place| Edit { span: place.span, text: written.clone() }).collect()
}

/// Checks whether a state or a variable can have another name. The error is a code and a sentence.
pub(super) fn nameable(document: &Document, symbol: &Symbol, to: &str) -> Result<(), (&'static str, String)> {
    let long = to.is_empty() || to.chars().count() > 80;
    match symbol {
        Symbol::State { .. } if long => Err(("name", "the name of a state has 1 to 80 characters".into())),
        Symbol::State { name, .. } => {
            let mut names = scopes(document).into_iter().filter_map(|(_, states)| states).flat_map(|id| document.children(id));
            match to != name && names.any(|(_, state)| state.name == to) {
                true => Err(("taken", format!("there is already a state `{to}`, and names must be unique in the whole machine"))),
                false => Ok(()),
            }
        }
        Symbol::Variable(_) if long || word(to) != to || !to.starts_with(char::is_alphabetic) || to == "states" => {
            let why = "the name of a variable has 1 to 80 letters, digits and underscores, and starts with a letter";
            Err(("name", why.into()))
        }
        // The name of a JSONata function is not permitted: calls of the function would read the variable.
        Symbol::Variable(name) => {
            match to != name && uses(document).iter().any(|place| place.symbol == Symbol::Variable(to.into())) {
                true => Err(("taken", format!("`${to}` means something already"))),
                false => Ok(()),
            }
        }
    }
}
