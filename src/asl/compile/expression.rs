//! Fields that are computed: paths, Reference Paths, templates, intrinsic calls, and JSONata via [`jsonata`](super::jsonata).

use super::jsonata::Reach;
use super::{Assigned, Compiler, Position, Read, SCHEMA};
use crate::asl::codes;
use crate::asl::ir::{Field, PathField, Payload, QueryLanguage, ResultPath};
use crate::asl::suggest::nearest;
use crate::base::diag::{Diagnostic, Part, Severity};
use crate::base::{Map, Value};
use crate::expr::SyntaxError;
use crate::expr::intrinsic::{Call, INTRINSICS, Intrinsic};
use crate::expr::path::{Path, ReferencePath, Root};
use crate::expr::template::{Template, TemplateProblem};
use std::sync::Arc;

/// Returns the expression in a string `{% … %}` without its white space, and its byte offset (spec §8.1).
pub(super) fn as_expression(text: &str) -> Option<(&str, usize)> {
    let inner = text.strip_prefix("{%")?.strip_suffix("%}")?;
    let trimmed = inner.trim_start();
    Some((trimmed.trim_end(), 2 + inner.len() - trimmed.len()))
}

/// Returns the names of intrinsic functions that a text calls, with their offsets; strings are skipped.
fn called(text: &str) -> Vec<(&str, usize)> {
    let mut found = Vec::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut quoted = false;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' if quoted => at += 2,
            b'\'' => {
                quoted = !quoted;
                at += 1;
            }
            b'(' if !quoted => {
                let before = text[..at].trim_end();
                let start = before
                    .rfind(|c: char| !(c.is_alphanumeric() || c == '.' || c == '_'))
                    .map_or(0, |i| i + before[i..].chars().next().map_or(1, char::len_utf8));
                if start < before.len() && !before[..start].ends_with(['$', ']', ')']) {
                    found.push((&before[start..], start));
                }
                at += 1;
            }
            _ => at += 1,
        }
    }
    found
}

impl Compiler<'_> {
    fn read(&mut self, name: &Arc<str>, position: &Position<'_>, part: Part) {
        self.facts.reads.push(Read { name: name.clone(), pointer: position.pointer(), part });
    }

    pub(crate) fn uses_context(&mut self) {
        self.facts.uses_context = true;
    }

    /// Records that an expression reads a variable.
    pub(crate) fn reads_variable(&mut self, name: &str, position: &Position<'_>, part: Part) {
        self.read(&Arc::from(name), position, part);
    }

    fn note_root(&mut self, position: &Position<'_>, path: &Path) {
        self.facts.uses_context |= path.uses_context();
        if let Some(name) = path.variable() {
            self.read(&name.clone(), position, Part::Value);
        }
    }

    /// Compiles a Path.
    pub(crate) fn path(&mut self, position: &Position<'_>, text: &str) -> Option<Path> {
        match Path::parse(text) {
            Ok(path) => {
                self.note_root(position, &path);
                Some(path)
            }
            Err(error) => {
                let mut diagnostic = at_offset(
                    Diagnostic::new(&codes::INVALID_PATH, position.pointer(), error.message.clone()),
                    &error,
                )
                .aws(SCHEMA, "Value must be a valid JSONPath.", Some(position.location()));
                if text.starts_with("States.") {
                    diagnostic = diagnostic
                        .help("intrinsic functions are allowed only in `.$` fields of Parameters, ResultSelector, ItemSelector and Assign");
                } else if Path::parse(&format!("$.{text}")).is_ok() {
                    diagnostic = with_dollar(diagnostic, position, text);
                }
                self.report(diagnostic);
                None
            }
        }
    }

    /// Compiles a Reference Path that is read.
    pub(crate) fn reference(&mut self, position: &Position<'_>, text: &str) -> Option<Path> {
        self.reference_path(position, text).map(|reference| reference.path().clone())
    }

    fn reference_path(&mut self, position: &Position<'_>, text: &str) -> Option<ReferencePath> {
        match ReferencePath::parse(text) {
            Ok(reference) => {
                self.note_root(position, reference.path());
                Some(reference)
            }
            Err(error) => {
                let selects_many = Path::parse(text).is_ok();
                let message = if selects_many {
                    format!("`{text}` can select several nodes, but a Reference Path names exactly one")
                } else {
                    error.message.clone()
                };
                let mut diagnostic =
                    at_offset(Diagnostic::new(&codes::INVALID_REFERENCE_PATH, position.pointer(), message), &error).aws(
                        SCHEMA,
                        format!("Value is not a Reference Path: {}", error.message),
                        Some(position.location()),
                    );
                if text.starts_with("States.") {
                    diagnostic = diagnostic.help("an intrinsic function is not allowed here");
                } else if !text.starts_with('$') && ReferencePath::parse(&format!("$.{text}")).is_ok() {
                    diagnostic = with_dollar(diagnostic, position, text);
                } else if selects_many {
                    diagnostic = diagnostic.help("it consists of `.name`, `['name']` and `[0]` only");
                }
                self.report(diagnostic);
                None
            }
        }
    }

    /// Compiles InputPath or OutputPath.
    pub(crate) fn path_field(&mut self, position: &Position<'_>, members: &Map, name: &str) -> PathField {
        match members.get(name) {
            Some(Value::Null) => PathField::Nothing,
            Some(Value::String(text)) if **text != *"$" => {
                self.path(&position.key(name), text).map_or(PathField::Whole, PathField::Path)
            }
            _ => PathField::Whole,
        }
    }

    /// Compiles ResultPath of a state or a catcher: it refers to the input, never to a variable or the Context Object.
    pub(crate) fn result_path(&mut self, position: &Position<'_>, members: &Map) -> ResultPath {
        match members.get("ResultPath") {
            Some(Value::Null) => ResultPath::Discard,
            Some(Value::String(text)) if **text != *"$" => {
                let at = position.key("ResultPath");
                let Ok(reference) = ReferencePath::parse(text) else {
                    self.reference_path(&at, text);
                    return ResultPath::Whole;
                };
                if *reference.path().root() != Root::Input {
                    let message = "`ResultPath` is a place in the input; it cannot be in a variable or the Context Object";
                    let mut diagnostic = Diagnostic::new(&codes::INVALID_REFERENCE_PATH, at.pointer(), message).aws(
                        SCHEMA,
                        "Value is not a Reference Path: Reference path didn't start with '$'",
                        Some(at.location()),
                    );
                    if matches!(reference.path().root(), Root::Variable(_)) {
                        diagnostic = diagnostic.help("to set a variable, use `Assign`");
                    }
                    self.report(diagnostic);
                    return ResultPath::Whole;
                }
                ResultPath::At(reference)
            }
            _ => ResultPath::Whole,
        }
    }

    /// Compiles a JSONPath payload template.
    pub(crate) fn template(&mut self, position: &Position<'_>, value: &Value) -> Option<Template> {
        self.literal_paths(position, value);
        match Template::compile(value) {
            Ok(template) => {
                self.facts.uses_context |= template.uses_context();
                for name in template.variables() {
                    self.read(&name, position, Part::Value);
                }
                Some(template)
            }
            Err(problems) => {
                for problem in problems {
                    self.template_problem(position, value, &problem);
                }
                None
            }
        }
    }

    fn template_problem(&mut self, position: &Position<'_>, template: &Value, problem: &TemplateProblem) {
        let mut pointer = position.pointer();
        let mut location = position.location();
        let mut value = Some(template);
        let steps: Vec<String> = problem.pointer.steps().collect();
        for (i, step) in steps.iter().enumerate() {
            let index = matches!(value, Some(Value::Array(_))).then(|| step.parse::<usize>().ok()).flatten();
            let last = i + 1 == steps.len();
            match index {
                Some(index) => {
                    pointer = pointer.index(index);
                    value = value.and_then(|value| value.at(index));
                    if !last {
                        location.push_str(&format!("[{index}]"));
                    }
                }
                None => {
                    pointer = pointer.key(step);
                    value = value.and_then(|value| value.get(step));
                    if !last {
                        location.push('/');
                        location.push_str(step);
                    }
                }
            }
        }
        let field = &problem.field;
        if problem.duplicate {
            let plain = field.strip_suffix(".$").unwrap_or(field);
            let message = format!("the object has both `{plain}` and `{plain}.$`, which would both be called `{plain}`");
            let aws = format!("The field '{field}' conflicts with the field '{plain}'");
            self.report(Diagnostic::new(&codes::DUPLICATE_TEMPLATE_FIELD, pointer, message).at(Part::Key).aws(
                SCHEMA,
                aws,
                Some(location),
            ));
            return;
        }
        let message = format!("`{field}`: {}", problem.error.message);
        // AWS names the type of the value as its JSON library does.
        let kind = match value {
            Some(Value::Array(_)) => Some("an ARRAY"),
            Some(Value::Object(_)) => Some("an OBJECT"),
            Some(Value::Number(_)) => Some("a NUMBER"),
            Some(Value::Bool(_)) => Some("a BOOLEAN"),
            Some(Value::Null) => Some("a NULL"),
            Some(Value::String(_)) | None => None,
        };
        let aws = match kind {
            Some(kind) => format!("The value for the field '{field}' must be a STRING that contains a JSONPath but was {kind}"),
            None => format!("The value for the field '{field}' must be a valid JSONPath or a valid intrinsic function call"),
        };
        let mut diagnostic = Diagnostic::new(&codes::INVALID_TEMPLATE, pointer, message).aws(SCHEMA, aws, Some(location));
        match value {
            Some(Value::String(text)) => {
                diagnostic = at_offset(diagnostic, &problem.error);
                diagnostic = suggest_for(diagnostic, field, text);
            }
            _ => diagnostic = diagnostic.help("remove the `.$` from the name to use the value literally"),
        }
        self.report(diagnostic);
    }

    /// Reports strings that look like paths but are not computed, because their names lack `.$`.
    fn literal_paths(&mut self, position: &Position<'_>, value: &Value) {
        match value {
            Value::Object(map) => {
                for (key, item) in map.iter() {
                    let at = position.key(key);
                    match item {
                        Value::String(text) if !key.ends_with(".$") && looks_computed(text) => {
                            let message = format!("`{text}` is taken literally, because the name does not end in `.$`");
                            let diagnostic = Diagnostic::new(&codes::LITERAL_PATH, at.pointer(), message.clone());
                            let diagnostic = diagnostic.aws("NO_DOLLAR", message, Some(at.location()));
                            self.report(diagnostic.fix(
                                format!("to compute it, write `\"{key}.$\"`"),
                                Part::Key,
                                Value::from(format!("{key}.$")).to_string(),
                            ));
                        }
                        Value::String(text) if key.ends_with(".$") && text.starts_with("States.") => {
                            self.intrinsic_arguments(&at, text)
                        }
                        Value::String(_) => {}
                        _ => self.literal_paths(&at, item),
                    }
                }
            }
            Value::Array(items) => {
                for (i, item) in items.iter().enumerate() {
                    self.literal_paths(&position.index(i), item);
                }
            }
            // In an element of a list, or in the whole template, there is no name to which `.$` could be added.
            Value::String(text) if looks_computed(text) => {
                let message = format!("`{text}` is taken literally: only fields of objects are computed");
                self.report(Diagnostic::new(&codes::LITERAL_PATH, position.pointer(), message));
            }
            _ => {}
        }
    }

    /// Reports a call that AWS accepts, but that fails whenever it is evaluated.
    fn intrinsic_arguments(&mut self, position: &Position<'_>, text: &str) {
        if let Some(problem) = Call::parse(text).ok().and_then(|call| call.never_succeeds()) {
            let message = format!("this always fails: {problem}");
            self.report(Diagnostic::new(&codes::INTRINSIC_ARGUMENTS, position.pointer(), message));
        }
    }

    /// Compiles a payload of either language.
    pub(crate) fn payload(
        &mut self,
        position: &Position<'_>,
        value: &Value,
        language: QueryLanguage,
        reach: Reach,
    ) -> Option<Payload> {
        match language {
            QueryLanguage::JsonPath => self.template(position, value).map(Payload::JsonPath),
            QueryLanguage::Jsonata => Some(Payload::Jsonata(self.jsonata_template(position, value, reach))),
        }
    }

    /// Compiles `Assign`: a payload whose top-level names are variables.
    pub(crate) fn assign(
        &mut self,
        position: &Position<'_>,
        members: &Map,
        language: QueryLanguage,
        reach: Reach,
    ) -> Option<Payload> {
        let value = members.get("Assign")?;
        let variables = value.as_object()?;
        let position = position.key("Assign");
        for (key, _) in variables.iter() {
            let name = match language {
                QueryLanguage::JsonPath => key.strip_suffix(".$").unwrap_or(key),
                QueryLanguage::Jsonata => key,
            };
            let at = position.key(key);
            self.variable_name(&at, name);
            self.facts.assigns.push(Assigned { name: Arc::from(name), pointer: at.pointer(), location: position.location() });
        }
        self.payload(&position, value, language, reach)
    }

    fn variable_name(&mut self, position: &Position<'_>, name: &str) {
        let length = name.chars().count();
        if length > 80 {
            let message = format!("the name of a variable can have at most 80 characters, but this one has {length}");
            let aws = format!("Invalid variable name '{name}': the variable name exceeds the 80-character limit.");
            let diagnostic = Diagnostic::new(&codes::NAME_TOO_LONG, position.pointer(), message).at(Part::Key);
            self.report(diagnostic.aws("INVALID_VARIABLE_NAME", aws, Some(position.location())));
            return;
        }
        let starts = name.chars().next().is_some_and(char::is_alphabetic);
        let part = |c: char| c.is_alphanumeric() || c == '_' || (!c.is_ascii() && !c.is_whitespace() && !c.is_control());
        if !starts || !name.chars().all(part) {
            let message = format!("`{name}` is not a valid name for a variable");
            let aws = format!("Invalid variable name '{name}': the variable name contains invalid characters.");
            let mut diagnostic = Diagnostic::new(&codes::INVALID_VARIABLE_NAME, position.pointer(), message)
                .at(Part::Key)
                .help("names start with a letter and continue with letters, digits and `_`")
                .aws("INVALID_VARIABLE_NAME", aws, Some(position.location()));
            // Published definitions have hyphens in such names, which do no harm unless something reads the variable.
            if starts && name.chars().all(|c| part(c) || c == '-') {
                diagnostic = diagnostic.severity(Severity::Warning);
            }
            self.report(diagnostic);
        } else if name == "states" {
            let message = "the name `states` is reserved";
            self.report(Diagnostic::new(&codes::INVALID_VARIABLE_NAME, position.pointer(), message).at(Part::Key).aws(
                "RESERVED_VARIABLE_NAME",
                "Cannot assign to reserved variable '$states'.",
                Some(position.location()),
            ));
        }
    }

    /// Compiles a value that is fixed (`name`), comes from a path (`name` + `Path`), or is computed by JSONata.
    pub(crate) fn field<T>(
        &mut self,
        position: &Position<'_>,
        members: &Map,
        name: &str,
        convert: impl Fn(&Value) -> Option<T>,
    ) -> Option<Field<T>> {
        let path_name = format!("{name}Path");
        if self.exclusive(position, members, name, &path_name) {
            return None;
        }
        if let Some(value) = members.get(name) {
            if let Some(expression) = value.as_str().and_then(as_expression) {
                let at = position.key(name);
                return self.expression(&at, expression, Reach::default()).map(Field::Jsonata);
            }
            return convert(value).map(Field::Fixed);
        }
        let text = members.get(&path_name)?.as_str()?;
        self.reference(&position.key(&path_name), text).map(Field::Path)
    }

    /// Compiles ErrorPath or CausePath: a Reference Path or a call that returns a string.
    pub(crate) fn string_path<T>(&mut self, position: &Position<'_>, text: &str) -> Option<Field<T>> {
        if text.starts_with('$') || !text.contains('(') {
            return self.reference(position, text).map(Field::Path);
        }
        let name = text.split('(').next().unwrap_or_default().trim();
        match Call::parse(text) {
            Ok(call) if Intrinsic::named(name).is_some_and(Intrinsic::may_give_a_string) => {
                self.intrinsic_arguments(position, text);
                self.facts.uses_context |= call.uses_context();
                for variable in call.variables() {
                    self.read(&variable, position, Part::Value);
                }
                Some(Field::Call(call))
            }
            result => {
                let message = match &result {
                    Ok(_) => format!("`{name}` does not return a string"),
                    Err(error) => error.message.clone(),
                };
                let aws = format!(
                    "The value for the field '{}' must be a valid JSONPath or a valid intrinsic function call",
                    position.name()
                );
                let mut diagnostic = Diagnostic::new(&codes::INVALID_INTRINSIC, position.pointer(), message).aws(
                    SCHEMA,
                    aws,
                    Some(position.location()),
                );
                if let Err(error) = &result {
                    diagnostic = at_offset(diagnostic, error);
                    diagnostic = suggest_for(diagnostic, position.name(), text);
                } else {
                    diagnostic = diagnostic.help({
                        let those: Vec<&str> =
                            INTRINSICS.iter().filter(|row| row.may_give_a_string()).map(|row| row.name).collect();
                        format!("use one of {}", those.join(", "))
                    });
                }
                self.report(diagnostic);
                None
            }
        }
    }
}

/// Points the diagnostic at the offset in the string.
fn at_offset(diagnostic: Diagnostic, error: &SyntaxError) -> Diagnostic {
    diagnostic.at(Part::Text { offset: error.offset, length: 1 })
}

fn with_dollar(diagnostic: Diagnostic, position: &Position<'_>, text: &str) -> Diagnostic {
    let intended = Value::from(format!("$.{text}"));
    diagnostic.fix(format!("did you mean `\"{}\": {intended}`?", position.name()), Part::Value, intended.to_string())
}

/// Suggests a correction of a misspelt function, or of a path without its `$`.
fn suggest_for(diagnostic: Diagnostic, field: &str, text: &str) -> Diagnostic {
    for (name, offset) in called(text) {
        if Intrinsic::named(name).is_some() {
            continue;
        }
        let with_prefix = format!("States.{name}");
        let intended = if Intrinsic::named(&with_prefix).is_some() {
            Some(with_prefix.as_str())
        } else {
            nearest(name, INTRINSICS.iter().map(|row| row.name))
        };
        let mut diagnostic = diagnostic.at(Part::Text { offset, length: name.len() });
        diagnostic = match intended {
            Some(intended) => {
                let title = format!("did you mean `{intended}`?");
                diagnostic.fix(title, Part::Text { offset, length: name.len() }, intended)
            }
            None => diagnostic.help(format!("there is no function `{name}`")),
        };
        return diagnostic;
    }
    let plain = !text.is_empty() && !text.contains('(') && !text.starts_with('$');
    if plain && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '[' | ']')) {
        let intended = Value::from(format!("$.{text}"));
        let without = field.strip_suffix(".$").unwrap_or(field);
        return diagnostic.help(format!("to use the text literally, rename the field to `{without}`")).fix(
            format!("did you mean `\"{field}\": {intended}`?"),
            Part::Value,
            intended.to_string(),
        );
    }
    diagnostic
}

/// Whether the author probably wanted a string to be computed.
fn looks_computed(text: &str) -> bool {
    let path = text.starts_with("$.") || text.starts_with("$[") || text.starts_with("$$.");
    (path && Path::parse(text).is_ok()) || (text.starts_with("States.") && text.ends_with(')') && Call::parse(text).is_ok())
}
