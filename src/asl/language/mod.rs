//! Language features of an editor for a definition's text. Completions are in [`super::complete`].
//!
//! Every function accepts incomplete texts, and returns locations in them. Offsets and spans are in bytes; `src/wasm` converts
//! them to the units that editors use.

mod actions;
mod descriptions;
pub(super) mod document;
pub mod edit;
mod format;
mod hover;
pub(super) mod surroundings;
mod symbols;

use crate::base::Span;
use crate::base::diag::Diagnostic;
use document::Document;

/// A change of the text. The edits of a list do not overlap and are in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The replaced span; empty for an insertion.
    pub span: Span,
    /// The new text.
    pub text: String,
}

/// An occurrence of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The span of the name, without quotes and `$`.
    pub span: Span,
    /// Whether it is the definition of the name: a member of `States` or of `Assign`.
    pub definition: bool,
}

/// A name and all its occurrences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occurrences {
    /// The occurrence at the given offset.
    pub origin: Span,
    /// `state` or `variable`.
    pub kind: &'static str,
    /// The name itself.
    pub name: String,
    /// All occurrences in the order of the text, including the one at the offset.
    pub places: Vec<Target>,
}

/// The explanation of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// The span that is explained.
    pub span: Span,
    /// `field`, `state`, `type`, `error`, `function`, `variable` or `path`.
    pub kind: &'static str,
    /// The name, with its type or its parameters.
    pub title: String,
    /// A few sentences; text between backticks is code.
    pub text: String,
    /// The state that contains the position, or that is named there.
    pub state: Option<String>,
    /// The path or variable there, for callers that have its last value.
    pub path: Option<String>,
    /// The field of the state that contains the path.
    pub field: Option<String>,
}

/// An edit that is offered at a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeAction {
    /// A title that says what it does.
    pub title: String,
    /// The code and span of the problem that it fixes; `None` for other improvements.
    pub problem: Option<(&'static str, Span)>,
    /// The edits.
    pub edits: Vec<Edit>,
}

/// Explains what is at an offset, in a few words.
///
/// ```
/// use stepglass::asl::language::hover;
/// let text = r#"{"StartAt":"A","States":{"A":{"Type":"Pass","End":true}}}"#;
/// let found = hover(text, text.find("Pass").unwrap()).unwrap();
/// assert_eq!((found.kind, &*found.title), ("type", "Pass"));
/// ```
pub fn hover(text: &str, offset: usize) -> Option<Hover> {
    hover::hover(&Document::read(text, usize::MAX), offset)
}

/// Returns all occurrences of the state or variable whose name is at an offset.
pub fn references(text: &str, offset: usize) -> Option<Occurrences> {
    let (origin, symbol, places) = symbols::occurrences(&Document::read(text, usize::MAX), offset)?;
    let (kind, name) = match symbol {
        symbols::Symbol::State { name, .. } => ("state", name),
        symbols::Symbol::Variable(name) => ("variable", name),
    };
    Some(Occurrences { origin, kind, name, places })
}

/// Returns the definitions of the name at an offset, and the occurrence at the offset.
///
/// ```
/// use stepglass::asl::language::definition;
/// let text = r#"{"StartAt":"A","States":{"A":{"Type":"Succeed"}}}"#;
/// let (_, targets) = definition(text, text.find("A\"").unwrap()).unwrap();
/// assert_eq!(targets[0].start, text.find("A\":{").unwrap());
/// ```
pub fn definition(text: &str, offset: usize) -> Option<(Span, Vec<Span>)> {
    let found = references(text, offset)?;
    let targets = found.places.into_iter().filter(|place| place.definition).map(|place| place.span).collect();
    Some((found.origin, targets))
}

/// Returns the edits that rename the state or variable at an offset everywhere.
///
/// # Errors
///
/// A sentence that says why: there is no name at the offset, or the new one is not valid or is taken.
pub fn rename(text: &str, offset: usize, to: &str) -> Result<Vec<Edit>, String> {
    symbols::rename(&Document::read(text, usize::MAX), offset, to)
}

/// Returns the edits that are offered between two offsets: fixes of the problems there, and improvements. `diagnostics` are
/// those of the text.
pub fn code_actions(text: &str, range: Span, diagnostics: &[Diagnostic]) -> Vec<CodeAction> {
    actions::code_actions(text, range, diagnostics)
}

/// Returns the edits that format a text with this number of spaces for each level. Only white space changes. Values that are on
/// one line stay on it up to 100 characters.
///
/// ```
/// use stepglass::asl::language::{apply, format};
/// let text = "{\"StartAt\":\"A\",\n\"States\":{ \"A\" :{\"Type\":\"Succeed\"}}";
/// let laid_out = "{\n  \"StartAt\": \"A\",\n  \"States\": {\"A\": {\"Type\": \"Succeed\"}}\n";
/// assert_eq!(apply(text, &format(text, 2)), laid_out);
/// ```
pub fn format(text: &str, indent: usize) -> Vec<Edit> {
    format::format(text, indent.min(16))
}

/// Applies edits to a text. They must be in order and must not overlap.
pub fn apply(text: &str, edits: &[Edit]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for edit in edits {
        out.push_str(text.get(at..edit.span.start).unwrap_or_default());
        out.push_str(&edit.text);
        at = edit.span.end.max(at);
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}

/// A state of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutlineState {
    /// Its name.
    pub name: String,
    /// The span of the name, without quotes.
    pub key: Span,
    /// The span of the whole member.
    pub whole: Span,
    /// 0 for a state of the machine itself, 1 for one of its branches, and so on.
    pub depth: usize,
    /// The state's JSON Pointer.
    pub pointer: String,
}

/// Returns the states of a text in the order of the text.
pub fn outline(text: &str) -> Vec<OutlineState> {
    let document = Document::read(text, usize::MAX);
    let mut states: Vec<OutlineState> = symbols::scopes(&document)
        .into_iter()
        .filter_map(|(_, states)| states)
        .flat_map(|states| {
            let scope = document.pointer(states);
            let depth = document.path_to(states).iter().filter(|above| document.name(**above) == "States").count();
            document.children(states).map(move |(_, node)| (node, scope.clone(), depth))
        })
        .filter_map(|(node, scope, depth)| {
            let key = node.key?;
            Some(OutlineState {
                name: node.name.clone(),
                key: symbols::inside(key, &document),
                whole: Span::new(key.start, node.span.end),
                depth: depth.saturating_sub(1),
                pointer: scope.key(&node.name).as_str().to_string(),
            })
        })
        .collect();
    crate::base::sort::by_key(&mut states, |state| state.key.start);
    states
}

/// A path, an intrinsic function or an expression in a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression {
    /// The span of its string, with quotes.
    pub span: Span,
    /// The field of the state that contains it.
    pub field: String,
    /// Its text, without `{%` and `%}`.
    pub source: String,
    /// Whether it is JSONata. If not, it is JSONPath.
    pub jsonata: bool,
}

/// Returns the paths, calls and expressions in the fields of the first state with this name, in the order of the text, without
/// those of states nested in a Parallel or Map. Without a name, returns those of all states.
///
/// ```
/// use stepglass::asl::language::expressions;
/// let text = r#"{"States":{"A":{"Type":"Pass","Parameters":{"x.$":"$.a","y":"$.b"}}}}"#;
/// let found = expressions(text, Some("A"));
/// assert_eq!((found.len(), &*found[0].field, &*found[0].source), (1, "Parameters", "$.a"));
/// ```
pub fn expressions(text: &str, state: Option<&str>) -> Vec<Expression> {
    let document = Document::read(text, usize::MAX);
    let scopes: Vec<usize> = symbols::scopes(&document).into_iter().filter_map(|(_, states)| states).collect();
    let wanted = state.map(|name| scopes.iter().find_map(|&states| document.child(states, name)));
    let mut states: Vec<usize> = scopes.iter().flat_map(|&states| document.children(states)).map(|(state, _)| state).collect();
    crate::base::sort::by_key(&mut states, |state| *state);
    /// The innermost state around a node, and the node of the state's field.
    fn owner(document: &Document, states: &[usize], mut id: usize) -> Option<(usize, usize)> {
        loop {
            let parent = document.node(id)?.parent?;
            if states.binary_search(&parent).is_ok() {
                return Some((parent, id));
            }
            id = parent;
        }
    }
    let found = document.ids().filter_map(|id| {
        let (node, text) = (document.node(id)?, document.string(id)?);
        // A string in a list has the name of the list.
        let name = if node.key.is_some() { node.name.as_str() } else { document.name(node.parent?) };
        let jsonata = symbols::expression(name, text)?;
        let (state, field) = owner(&document, &states, id)?;
        let field = document.name(field);
        if wanted.is_some_and(|wanted| wanted != Some(state)) || matches!(field, "Branches" | "ItemProcessor" | "Iterator") {
            return None;
        }
        let source = if jsonata { text.trim().trim_start_matches("{%").trim_end_matches("%}").trim() } else { text };
        Some(Expression { span: node.span, field: field.into(), source: source.into(), jsonata })
    });
    found.collect()
}

/// An occurrence of the name of a state or a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Its span, without quotes and `$`.
    pub span: Span,
    /// `"state"` or `"variable"`.
    pub kind: &'static str,
    /// The name.
    pub name: String,
    /// Whether the name is defined here.
    pub definition: bool,
}

/// Returns all occurrences of the names of states and of variables that the text assigns, in the order of the text.
///
/// ```
/// use stepglass::asl::language::symbols;
/// let text = r#"{"StartAt":"A","States":{"A":{"Type":"Pass","Assign":{"n":1},"End":true}}}"#;
/// let found: Vec<_> = symbols(text).into_iter().map(|one| (one.kind, one.name, one.definition)).collect();
/// assert_eq!(found, [("state", "A".into(), false), ("state", "A".into(), true), ("variable", "n".into(), true)]);
/// ```
pub fn symbols(text: &str) -> Vec<Symbol> {
    let all = symbols::uses(&Document::read(text, usize::MAX));
    let definitions = all.iter().filter(|one| one.definition).filter_map(|one| match &one.symbol {
        symbols::Symbol::Variable(name) => Some(name.as_str()),
        symbols::Symbol::State { .. } => None,
    });
    let mut assigned: Vec<&str> = definitions.collect();
    crate::base::sort::by_key(&mut assigned, |name| *name);
    let found = all.iter().filter_map(|one| {
        let (kind, name) = match &one.symbol {
            symbols::Symbol::State { name, .. } => ("state", name),
            // `$sum` is a function and not a variable.
            symbols::Symbol::Variable(name) if assigned.binary_search(&name.as_str()).is_err() => return None,
            symbols::Symbol::Variable(name) => ("variable", name),
        };
        Some(Symbol { span: one.span, kind, name: name.clone(), definition: one.definition })
    });
    found.collect()
}

#[cfg(test)]
mod tests;
