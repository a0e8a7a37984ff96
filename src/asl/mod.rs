//! Floor 2: compiles the text of a definition to an [`ir::Machine`], or reports every problem in it.

pub mod answer;
mod check;
pub mod codes;
mod compile;
pub mod complete;
pub mod ir;
pub mod language;
pub mod resource;
mod shape;
mod suggest;
pub mod tables;
pub mod variables;

pub(crate) use compile::operator_name;
pub use suggest::nearest;

use crate::base::diag::{self, Diagnostic, Part, Severity};
use crate::base::{Pointer, Span, Value, json, pointer};
use ir::Machine;

/// Maximum nesting depth of Parallel and Map states.
pub const MAX_NESTING: usize = 32;

/// Maximum nesting depth of And, Or and Not in a Choice rule.
pub const MAX_RULE_DEPTH: usize = 64;

/// Maximum length of a definition in characters, as in AWS (spec §11.3).
pub const MAX_DEFINITION: usize = 1_048_576;

/// The target of a compilation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CompileOptions {
    /// The type of state machine; some features exist only in one of them.
    pub kind: MachineType,
    /// The version of JSONata; the default is that of AWS.
    pub jsonata: JsonataVersion,
}

impl From<MachineType> for CompileOptions {
    /// Returns the defaults for a type of state machine.
    fn from(kind: MachineType) -> CompileOptions {
        CompileOptions { kind, ..CompileOptions::default() }
    }
}

/// A version of JSONata.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum JsonataVersion {
    /// 2.0.6, which AWS runs.
    #[default]
    Aws,
    /// 2.1, which also has the operators `??` and `?:`.
    Newer,
}

/// The type of a state machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum MachineType {
    /// Up to a year, exactly once.
    #[default]
    Standard,
    /// Up to five minutes; no activities, no callbacks, no `.sync`, no Distributed Map.
    Express,
}

/// A machine with warnings, or errors instead of a machine.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The machine, which is there exactly if no diagnostic is an error.
    pub machine: Option<Machine>,
    /// All problems, in the order in which AWS reports those that it reports.
    pub diagnostics: Vec<Diagnostic>,
}

/// Compiles a definition from its text. The diagnostics have spans in the text.
///
/// ```
/// use stepglass::asl::{CompileOptions, compile};
/// let compiled = compile(r#"{"StartAt":"A","States":{"A":{"Type":"Succeed"}}}"#, &CompileOptions::default());
/// assert!(compiled.machine.is_some() && compiled.diagnostics.is_empty());
/// ```
pub fn compile(text: &str, options: &CompileOptions) -> Compiled {
    // The length in bytes bounds the length in characters, which is counted only if it matters.
    if text.len() > MAX_DEFINITION && text.chars().count() > MAX_DEFINITION {
        let message = format!("the definition has more than {MAX_DEFINITION} characters");
        let aws = format!("Value with length above {MAX_DEFINITION} failed to satisfy constraint");
        let span = Span::new(0, 0);
        let mut diagnostic = Diagnostic::new(&codes::DEFINITION_TOO_LARGE, Pointer::root(), message).at(Part::Range(span));
        diagnostic.span = Some(span);
        let diagnostic = diagnostic.aws("VALIDATION_EXCEPTION", aws, None);
        return Compiled { machine: None, diagnostics: vec![diagnostic] };
    }
    match json::parse_noting_duplicates(text) {
        Ok((value, repeated)) => {
            let mut compiled = compile_value(&value, options);
            if repeated || !compiled.diagnostics.is_empty() {
                find_places(text, &mut compiled);
            }
            compiled
        }
        Err(error) => Compiled { machine: None, diagnostics: vec![not_json(text, &error)] },
    }
}

/// Compiles a definition that is already a value. The diagnostics have only pointers.
pub fn compile_value(value: &Value, options: &CompileOptions) -> Compiled {
    let (machine, diagnostics) = compile::compile(value, options);
    let failed = diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    Compiled { machine: machine.filter(|_| !failed), diagnostics }
}

/// Adds spans to diagnostics. This parses the text again, now with positions, and only if there are diagnostics.
fn find_places(text: &str, compiled: &mut Compiled) {
    let Ok(located) = json::parse_located(text) else { return };
    for duplicate in &located.duplicates {
        compiled.machine = None;
        let pointer = object_pointer(&duplicate.object);
        let message = format!("`{}` appears twice in one object; only the last one would count", duplicate.key);
        let mut diagnostic = Diagnostic::new(&codes::DUPLICATE_KEY, pointer.clone(), message)
            .at(Part::Range(duplicate.second))
            .label(pointer, Part::Range(duplicate.first), "first here");
        diagnostic = diagnostic.aws("INVALID_JSON_DESCRIPTION", format!("Duplicate field '{}'", duplicate.key), None);
        compiled.diagnostics.push(diagnostic);
    }
    diag::locate(&mut compiled.diagnostics, text, &located);
}

fn object_pointer(text: &str) -> Pointer {
    pointer::steps(text).fold(Pointer::root(), |pointer, step| pointer.key(&step))
}

fn not_json(text: &str, error: &json::JsonError) -> Diagnostic {
    if text.trim().is_empty() {
        let span = Span::new(0, text.len());
        let mut diagnostic =
            Diagnostic::new(&codes::NOT_AN_OBJECT, Pointer::root(), "the definition is empty").at(Part::Range(span));
        diagnostic.span = Some(span);
        return diagnostic.aws("SCHEMA_VALIDATION_FAILED", "Definition must be a valid JSON object", None);
    }
    let end = text.get(error.offset..).and_then(|rest| rest.chars().next()).map_or(error.offset, |c| error.offset + c.len_utf8());
    let span = Span::new(error.offset, end);
    let (message, location) = answer::jackson(text, error);
    let mut diagnostic = Diagnostic::new(&codes::INVALID_JSON, Pointer::root(), error.message.clone()).at(Part::Range(span)).aws(
        "INVALID_JSON_DESCRIPTION",
        message,
        Some(location),
    );
    diagnostic.span = Some(span);
    diagnostic
}
