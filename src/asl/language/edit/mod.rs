//! Edits a definition's text by gestures on the graph. A gesture plans changes of the tree (`plan`). `print` turns them into
//! edits of JSON text; for another syntax, such as YAML, other code writes the same changes.

mod build;
mod delete;
mod fields;
mod flow;
mod paste;
mod plan;
mod possible;
mod print;
mod retype;
mod wrap;

use super::document::{Document, Kind};
use super::{Edit, apply};
use crate::asl::{CompileOptions, compile};
use crate::base::diag::Severity;
use crate::base::{Pointer, Span, Value, json};
use flow::GraphEditor;
pub use possible::{Possible, gestures};

/// The result of a gesture.
#[derive(Clone, Debug)]
pub struct Edited {
    /// The edits, in the order of the text.
    pub edits: Vec<Edit>,
    /// The same edits as changes of the tree, for other syntaxes.
    pub changes: Value,
    /// The text after the edits.
    pub text: String,
    /// The pointers of the states to select, in the text after the edits.
    pub select: Vec<String>,
    /// The value that the user is likely to edit next, in the text after the edits.
    pub caret: Mark,
    /// The placeholders to fill in, in the text after the edits.
    pub stops: Vec<Mark>,
    /// A sentence that says what was done.
    pub announce: String,
    /// Pointers, and what is removed or changed there.
    pub losses: Vec<(String, String)>,
    /// Problems that the edits introduce.
    pub introduces: Vec<Introduced>,
    /// A definition that was created in addition (by `extract`).
    pub asl: Option<String>,
}

/// A problem that a gesture introduces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Introduced {
    /// The diagnostic's code.
    pub code: &'static str,
    /// The diagnostic's severity.
    pub severity: Severity,
    /// The JSON Pointer of its location, in the text after the edits.
    pub pointer: String,
    /// The diagnostic's message.
    pub message: String,
}

/// A location in the text after the edits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The span in JSON text: a name or a string without its quotes.
    pub span: Span,
    /// The pointer of the value that contains it.
    pub pointer: String,
    /// Whether it is the name of the value, and not the value itself.
    pub key: bool,
    /// The part of the value's text; set for a placeholder.
    pub part: Option<String>,
}

/// Why a gesture is not possible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// A short code.
    pub code: &'static str,
    /// A sentence.
    pub message: String,
    /// Pointers and names of the states of which the caller must choose one; `None` stands for none of them.
    pub choices: Vec<(Option<String>, String)>,
}

impl Refused {
    fn new(code: &'static str, message: String) -> Box<Refused> {
        Box::new(Refused { code, message, choices: Vec::new() })
    }
}

/// Where the caret is put.
enum Focus {
    /// A field of the state with this name; the state's name if there is no such field.
    Field(String, &'static str),
    /// A value.
    At(String),
}

/// Returns the edits for a gesture on a definition's text.
///
/// ```
/// use stepglass::{asl::{CompileOptions, language::edit}, base::json};
/// let text = r#"{"StartAt":"A","States":{"A":{"Type":"Succeed"}}}"#;
/// let gesture = json::parse(r#"{"kind":"rename","state":"/States/A","to":"Done"}"#).unwrap();
/// let edited = edit::edit(text, &gesture, &CompileOptions::default()).unwrap();
/// assert_eq!(edited.text, r#"{"StartAt":"Done","States":{"Done":{"Type":"Succeed"}}}"#);
/// ```
///
/// # Errors
///
/// Why the gesture is not possible.
pub fn edit(text: &str, gesture: &Value, options: &CompileOptions) -> Result<Edited, Box<Refused>> {
    made(text, gesture, Some(options))
}

/// Returns the edits without the problems that they introduce, which take two compilations and thus longer than all the rest.
///
/// # Errors
///
/// Why the gesture is not possible.
pub fn edit_only(text: &str, gesture: &Value) -> Result<Edited, Box<Refused>> {
    made(text, gesture, None)
}

fn made(text: &str, gesture: &Value, judged: Option<&CompileOptions>) -> Result<Edited, Box<Refused>> {
    let document = Document::read(text, usize::MAX);
    let mut editor = GraphEditor::new(&document);
    let announce = editor.plan_gesture(gesture)?;
    editor.plan.check()?;
    let edits = print::edits(&editor.plan);
    let after = apply(text, &edits);
    if json::check(text).is_ok() && json::check(&after).is_err() {
        return Err(Refused::new("broken", "the change would break the text here".into()));
    }
    let changes = print::changes(&editor.plan);
    let new = Document::read(&after, usize::MAX);
    let introduces = judged.map_or_else(Vec::new, |options| introduced(text, &after, &editor.renamed, options));
    let select = editor.select.iter().filter_map(|name| Some(new.pointer(state_named(&new, name)?).as_str().to_string())).collect();
    Ok(Edited {
        edits,
        changes,
        select,
        caret: editor.focus.as_ref().map_or_else(|| mark(&new, 0, false), |focus| caret(&new, focus)),
        stops: editor.stops.iter().filter_map(|name| state_named(&new, name)).flat_map(|state| stops(&new, state)).collect(),
        announce,
        losses: editor.losses,
        introduces,
        asl: editor.asl,
        text: after,
    })
}

impl GraphEditor<'_> {
    /// Plans what a gesture does, and returns a sentence that describes it.
    fn plan_gesture(&mut self, gesture: &Value) -> Result<String, Box<Refused>> {
        match text(gesture, "kind").unwrap_or_default() {
            "set" => self.set(gesture),
            "remove" => self.remove_field(gesture),
            "move" => self.shift(gesture),
            "insert" | "append" | "create" => self.add(gesture),
            "connect" => self.connect(gesture),
            "disconnect" => self.disconnect(gesture),
            "delete" => self.delete(gesture),
            "rename" => self.rename(gesture),
            "duplicate" => self.duplicate(gesture),
            "copy" => self.copy(gesture),
            "cut" => self.cut(gesture),
            "paste" => self.paste(gesture),
            "retype" => self.retype(gesture),
            "wrap" => self.wrap(gesture),
            "unwrap" => self.unwrap(gesture),
            "extract" => self.extract(gesture),
            "inline" => self.inline(gesture),
            other => Err(Refused::new("impossible", format!("there is no gesture `{other}`"))),
        }
    }
}

fn member<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    value.get(name).filter(|value| !value.is_null())
}

fn text<'v>(value: &'v Value, name: &str) -> Option<&'v str> {
    value.get(name)?.as_str()
}

/// Returns a pointer from a gesture.
fn pointer_of<'v>(gesture: &'v Value, name: &str) -> Result<&'v str, Box<Refused>> {
    text(gesture, name).ok_or_else(|| Refused::new("not-found", format!("the gesture needs `{name}`")))
}

/// Returns the pointers of several states.
fn pointers(gesture: &Value) -> Vec<String> {
    let list = gesture.get("states").and_then(Value::as_array).unwrap_or_default();
    list.iter().filter_map(|pointer| Some(pointer.as_str()?.to_string())).collect()
}

fn state_named(document: &Document, name: &str) -> Option<usize> {
    let mut scopes = super::symbols::scopes(document).into_iter().filter_map(|(_, states)| states);
    scopes.find_map(|states| document.child(states, name))
}

fn caret(document: &Document, focus: &Focus) -> Mark {
    match focus {
        Focus::Field(name, field) => {
            let Some(state) = state_named(document, name) else { return mark(document, 0, false) };
            let found = Some(field).filter(|field| !field.is_empty()).and_then(|field| {
                let pointer = document.pointer(state);
                document.find(&format!("{}/{field}", pointer.as_str()))
            });
            found.map_or_else(|| mark(document, state, true), |value| mark(document, value, false))
        }
        Focus::At(pointer) => mark(document, document.find(pointer).unwrap_or_default(), false),
    }
}

/// The location of a value without its quotes, or of its name.
fn mark(document: &Document, node: usize, key: bool) -> Mark {
    let pointer = document.pointer(node).as_str().to_string();
    let Some(place) = document.node(node) else {
        return Mark { span: Span::new(0, 0), pointer, key: false, part: None };
    };
    let span = match (key, place.key, &place.kind) {
        (true, Some(key), _) => super::symbols::inside(key, document),
        (_, _, Kind::Text(_)) => super::symbols::inside(place.span, document),
        (_, _, Kind::Object | Kind::List) => Span::new(place.span.start, place.span.start),
        _ => place.span,
    };
    Mark { span, pointer, key: key && place.key.is_some(), part: None }
}

/// The placeholders in a state, in the order of the text.
fn stops(document: &Document, state: usize) -> Vec<Mark> {
    let mut found = Vec::new();
    for id in document.ids().filter(|id| document.path_to(*id).contains(&state)) {
        let Some(place) = document.node(id).filter(|node| matches!(node.kind, Kind::Text(_))) else { continue };
        let source = document.source(place.span);
        let mut at = 0;
        while let Some(from) = source.get(at..).and_then(|rest| rest.find("${")).map(|from| from + at) {
            let Some(to) = source.get(from..).and_then(|rest| rest.find('}')).map(|to| from + to + 1) else { break };
            let span = Span::new(place.span.start + from, place.span.start + to);
            let pointer = document.pointer(id).as_str().to_string();
            found.push(Mark { span, pointer, key: false, part: Some(document.source(span).to_string()) });
            at = to;
        }
    }
    found
}

/// The problems of a text that the text before did not have. A state with a new name is not a new problem.
fn introduced(before: &str, after: &str, renamed: &[(String, String)], options: &CompileOptions) -> Vec<Introduced> {
    let new_name = |message: &str| {
        renamed.iter().fold(message.to_string(), |message, (old, new)| message.replace(&format!("`{old}`"), &format!("`{new}`")))
    };
    // An empty text has no problems yet.
    let known = if before.trim().is_empty() { Vec::new() } else { compile(before, options).diagnostics };
    // A name in a message may also be of something else, such as a label, which is not renamed.
    let mut known: Vec<(&str, [String; 2])> =
        known.into_iter().map(|one| (one.code.name, [new_name(&one.message), one.message])).collect();
    let found = compile(after, options).diagnostics;
    let new = found.into_iter().filter(|one| {
        let same = known.iter().position(|(code, messages)| *code == one.code.name && messages.contains(&one.message));
        same.map(|at| known.swap_remove(at)).is_none()
    });
    new.map(|one| Introduced {
        code: one.code.name,
        severity: one.severity,
        pointer: Pointer::as_str(&one.pointer).to_string(),
        message: one.message,
    })
    .collect()
}

#[cfg(test)]
mod tests;
