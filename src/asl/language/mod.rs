//! What an editor asks about a definition's text: completions are in [`super::complete`], all else is here.
//!
//! Every function takes the text as it is, half written or not, and answers with places in it. Offsets and spans are
//! bytes; `src/wasm` turns them into what editors count in.

mod actions;
pub(super) mod document;
mod format;
mod hover;
pub(super) mod place;
mod symbols;
mod words;

use super::CompileOptions;
use crate::base::Span;
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

/// What could be changed between two offsets: fixes of the problems there, and improvements.
pub fn code_actions(text: &str, range: Span, options: &CompileOptions) -> Vec<CodeAction> {
    actions::code_actions(text, range, options)
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

/// The states of a text in its order: the name, where the name stands, where the whole member stands, and how deep.
pub fn outline(text: &str) -> Vec<(String, Span, Span, usize)> {
    let document = Document::read(text, usize::MAX);
    let mut states: Vec<_> = symbols::scopes(&document)
        .into_iter()
        .filter_map(|(_, states)| states)
        .flat_map(|states| document.children(states))
        .filter_map(|(id, node)| {
            let key = node.key?;
            let depth = document.way(id).iter().filter(|above| document.name(**above) == "States").count();
            Some((node.name.clone(), symbols::inside(key, &document), Span::new(key.start, node.span.end), depth.saturating_sub(1)))
        })
        .collect();
    crate::base::sort::by_key(&mut states, |(_, key, _, _)| key.start);
    states
}

#[cfg(test)]
mod tests;
