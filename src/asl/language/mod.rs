//! What an editor asks about a definition's text: completions are in [`super::complete`], all else is here.
//!
//! Every function takes the text as it is, half written or not, and answers with places in it. Offsets and spans are
//! bytes; `src/wasm` turns them into what editors count in.

mod actions;
pub(super) mod document;
pub mod edit;
mod format;
mod hover;
pub(super) mod place;
mod symbols;
mod words;

use crate::base::Span;
use crate::base::diag::Diagnostic;
use document::Document;

/// A change of the text. The edits of one list do not overlap and are in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// What is replaced; empty for an insertion.
    pub span: Span,
    /// What is put there.
    pub text: String,
}

/// A place where a name stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The name, without quotes and `$`.
    pub span: Span,
    /// Whether the name is given there: a member of `States` or of `Assign`.
    pub definition: bool,
}

/// A name and all its places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occurrences {
    /// Where the name stands at the offset asked for.
    pub origin: Span,
    /// `state` or `variable`.
    pub kind: &'static str,
    /// The name itself.
    pub name: String,
    /// All of them in the order of the text, the one at the offset included.
    pub places: Vec<Target>,
}

/// What a place means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// What it is about.
    pub span: Span,
    /// `field`, `state`, `type`, `error`, `function`, `variable` or `path`.
    pub kind: &'static str,
    /// The name, with what it holds or takes.
    pub title: String,
    /// A few sentences; what stands between backticks is code.
    pub text: String,
    /// The state around the place, or the state that is named there.
    pub state: Option<String>,
    /// The path or variable there, for whoever knows its last value.
    pub path: Option<String>,
    /// The field of the state that the path is in.
    pub field: Option<String>,
}

/// A change that can be made at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeAction {
    /// What it does.
    pub title: String,
    /// The problem that it puts right, and where that is; none for other improvements.
    pub problem: Option<(&'static str, Span)>,
    /// How.
    pub edits: Vec<Edit>,
}

/// What stands at an offset, in a few words.
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

/// All places of the state or variable whose name stands at an offset.
pub fn references(text: &str, offset: usize) -> Option<Occurrences> {
    let (origin, symbol, places) = symbols::occurrences(&Document::read(text, usize::MAX), offset)?;
    let (kind, name) = match symbol {
        symbols::Symbol::State { name, .. } => ("state", name),
        symbols::Symbol::Variable(name) => ("variable", name),
    };
    Some(Occurrences { origin, kind, name, places })
}

/// Where the name at an offset is given, and where it stands at the offset.
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

/// The edits that give the state or variable at an offset another name everywhere.
///
/// # Errors
///
/// A sentence that says why: there is no name, or the new one is not possible or taken.
pub fn rename(text: &str, offset: usize, to: &str) -> Result<Vec<Edit>, String> {
    symbols::rename(&Document::read(text, usize::MAX), offset, to)
}

/// What could be changed between two offsets: fixes of the problems there, and improvements. `diagnostics` are those of the text.
pub fn code_actions(text: &str, range: Span, diagnostics: &[Diagnostic]) -> Vec<CodeAction> {
    actions::code_actions(text, range, diagnostics)
}

/// The edits that lay out a text with so many spaces for each level; only white space changes. What stands on one line
/// stays there up to 100 characters.
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

/// The text with edits made; they are in order and do not overlap.
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
    /// Where the name stands, without quotes.
    pub key: Span,
    /// The whole member.
    pub whole: Span,
    /// 0 for a state of the machine itself, 1 for one of its branches, and so on.
    pub depth: usize,
    /// Where it is in the document, as a JSON Pointer.
    pub pointer: String,
}

/// The states of a text in its order.
pub fn outline(text: &str) -> Vec<OutlineState> {
    let document = Document::read(text, usize::MAX);
    let mut states: Vec<OutlineState> = symbols::scopes(&document)
        .into_iter()
        .filter_map(|(_, states)| states)
        .flat_map(|states| {
            let around = document.pointer(states);
            let depth = document.way(states).iter().filter(|above| document.name(**above) == "States").count();
            document.children(states).map(move |(_, node)| (node, around.clone(), depth))
        })
        .filter_map(|(node, around, depth)| {
            let key = node.key?;
            Some(OutlineState {
                name: node.name.clone(),
                key: symbols::inside(key, &document),
                whole: Span::new(key.start, node.span.end),
                depth: depth.saturating_sub(1),
                pointer: around.key(&node.name).as_str().to_string(),
            })
        })
        .collect();
    crate::base::sort::by_key(&mut states, |state| state.key.start);
    states
}

/// A path, an intrinsic function or an expression in a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression {
    /// Where its string stands, with quotes.
    pub span: Span,
    /// The field of the state that it is in.
    pub field: String,
    /// Its text, without `{%` and `%}`.
    pub source: String,
    /// Whether it is JSONata and no JSONPath.
    pub jsonata: bool,
}

/// What is computed in the fields of the first state of this name, in the order of the text; nothing of what is inside of
/// a Parallel or Map.
///
/// ```
/// use stepglass::asl::language::expressions;
/// let text = r#"{"States":{"A":{"Type":"Pass","Parameters":{"x.$":"$.a","y":"$.b"}}}}"#;
/// let found = expressions(text, "A");
/// assert_eq!((found.len(), &*found[0].field, &*found[0].source), (1, "Parameters", "$.a"));
/// ```
pub fn expressions(text: &str, state: &str) -> Vec<Expression> {
    let document = Document::read(text, usize::MAX);
    let mut all = symbols::scopes(&document).into_iter().filter_map(|(_, states)| states);
    let Some(state) = all.find_map(|states| document.child(states, state)) else { return Vec::new() };
    let inside = |id: usize| {
        let field = document.field_of(state, id)?;
        (!matches!(field, "Branches" | "ItemProcessor" | "Iterator")).then_some(field)
    };
    let found = document.ids().filter_map(|id| {
        let field = inside(id)?;
        let (node, text) = (document.node(id)?, document.string(id)?);
        // A string in a list is named by the list.
        let name = if node.key.is_some() { node.name.as_str() } else { document.name(node.parent?) };
        let jsonata = symbols::expression(name, text)?;
        let source = if jsonata { text.trim().trim_start_matches("{%").trim_end_matches("%}").trim() } else { text };
        Some(Expression { span: node.span, field: field.into(), source: source.into(), jsonata })
    });
    found.collect()
}

#[cfg(test)]
mod tests;
