//! Completions at a position of a definition: data for an editor. It accepts incomplete texts.

use super::ir::QueryLanguage;
use super::language::document::{Cursor, Document, Kind};
use super::language::surroundings::Surroundings;
use super::shape::{self, Type};
use crate::base::{Span, case, sort};
use crate::expr::intrinsic::INTRINSICS;
use crate::expr::jsonata::function_names;

/// One proposed completion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The text that is shown, and that the typed text is matched against.
    pub label: String,
    /// The kind: `field`, `state`, `type`, `value`, `error`, `variable`, `function`, `path`.
    pub kind: &'static str,
    /// A short description.
    pub detail: String,
    /// The text that replaces [`Completions::replace`].
    pub insert: String,
}

/// The completions at a position, and the text that they replace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completions {
    /// The part of the text that has been typed already; empty at a new position.
    pub replace: Span,
    /// The completions, the most likely ones first.
    pub items: Vec<Completion>,
    /// Set inside of a path into the data: the path whose members a caller can complete if it has seen the data in a run.
    pub reads: Option<Reads>,
}

/// A path that is being written, up to its last dot, and its location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reads {
    /// The state that contains the path.
    pub state: String,
    /// The field of the state that the path is in.
    pub field: String,
    /// The path itself, as in `$.order` or `$states.input.order`.
    pub path: String,
    /// Whether it is an expression of JSONata. If not, it is JSONPath.
    pub jsonata: bool,
}

/// Returns the completions at a byte offset of a definition's text.
///
/// ```
/// use stepglass::asl::complete::complete;
/// let text = r#"{"StartAt":"A","States":{"A":{"Type":"Pass","Next":""},"Ship":{"Type":"Succeed"}}}"#;
/// let at = text.find(r#""Next":""#).unwrap() + 8;
/// assert_eq!(complete(text, at).items.iter().map(|c| &*c.label).collect::<Vec<_>>(), ["Ship", "A"]);
/// ```
pub fn complete(text: &str, offset: usize) -> Completions {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    let document = Document::read(text, offset);
    let Some(cursor) = &document.cursor else {
        return Completions { replace: Span::new(offset, offset), items: Vec::new(), reads: None };
    };
    let place = document.surroundings(cursor.level);
    let typed = cursor.string.map_or("", |start| &text[start + 1..offset]);
    if cursor.string.is_some()
        && !cursor.is_key
        && let Some(found) = inside_expression(&document, &place, cursor, typed, offset)
    {
        return found;
    }
    let replace = match cursor.string {
        Some(start) => Span::new(start + 1, string_end(text, offset)),
        None => Span::new(offset, offset),
    };
    let quoted = cursor.string.is_some();
    let items = if cursor.is_key { fields(&document, &place, cursor, quoted) } else { values(&document, &place, cursor, quoted) };
    Completions { replace, items, reads: None }
}

/// The names that any Assign assigns.
pub(super) fn assigned<'d>(document: &'d Document) -> impl Iterator<Item = &'d str> {
    let assigns =
        document.ids().filter(|id| document.node(*id).is_some_and(|node| node.name == "Assign" && node.kind == Kind::Object));
    assigns.flat_map(|id| document.children(id)).map(|(_, node)| node.name.strip_suffix(".$").unwrap_or(&node.name))
}

/// The end of the string that contains an offset: its closing quote, or the end of the line if it has none.
fn string_end(text: &str, offset: usize) -> usize {
    let rest = &text[offset..];
    offset + rest.find(['"', '\n']).filter(|end| rest[*end..].starts_with('"')).unwrap_or(0)
}

fn fields(document: &Document, place: &Surroundings, cursor: &Cursor, quoted: bool) -> Vec<Completion> {
    let others = document.children(cursor.level).filter(|(id, _)| Some(*id) != cursor.member);
    let present: Vec<&str> = others.map(|(_, node)| node.name.as_str()).collect();
    let rows = place.shape.map(|shape| shape.fields().collect::<Vec<_>>()).unwrap_or_default();
    let fits = |row: &&&shape::Row| row.language.is_none_or(|language| language == place.language) && !present.contains(&row.name);
    let mut items: Vec<Completion> = rows
        .iter()
        .filter(fits)
        .map(|row| {
            let detail = format!("{}{}", describe(row.ty), if row.required { ", required" } else { "" });
            let insert = if quoted { row.name.to_string() } else { format!("\"{}\": {}", row.name, blank(row.ty)) };
            Completion { label: row.name.into(), kind: "field", detail, insert }
        })
        .collect();
    if place.rule && place.language == QueryLanguage::JsonPath {
        items.extend(operators().filter(|name| !present.contains(&name.as_str())).map(|name| {
            let insert = if quoted { name.clone() } else { format!("\"{name}\": ") };
            Completion { label: name, kind: "field", detail: "comparison".into(), insert }
        }));
    }
    sort::by_key(&mut items, |item| !item.detail.ends_with("required"));
    items
}

fn values(document: &Document, place: &Surroundings, cursor: &Cursor, quoted: bool) -> Vec<Completion> {
    let key = cursor.key.as_deref().unwrap_or_default();
    let item = |label: &str, kind: &'static str, detail: &str| Completion {
        label: label.into(),
        kind,
        detail: detail.into(),
        insert: if quoted { label.into() } else { format!("\"{label}\"") },
    };
    if matches!(key, "Next" | "Default" | "StartAt") {
        let Some(states) = place.states else { return Vec::new() };
        // The state itself is the least likely target.
        let own = place.state.map(|state| document.name(state));
        let mut names: Vec<&str> = document.children(states).map(|(_, node)| node.name.as_str()).collect();
        sort::by_key(&mut names, |name| Some(*name) == own);
        return names.iter().map(|name| item(name, "state", "state")).collect();
    }
    if place.errors {
        return ERRORS.iter().map(|(name, detail)| item(name, "error", detail)).collect();
    }
    match place.shape.and_then(|shape| shape.row(key)).map(|row| row.ty) {
        Some(Type::Word(descriptions)) => {
            descriptions.iter().map(|word| item(word, if key == "Type" { "type" } else { "value" }, "")).collect()
        }
        Some(Type::Boolean) if !quoted => {
            ["true", "false"].iter().map(|word| Completion { insert: (*word).into(), ..item(word, "value", "") }).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns completions inside a path, an intrinsic call or a `{% … %}`; `None` for other strings.
fn inside_expression(
    document: &Document,
    place: &Surroundings,
    cursor: &Cursor,
    typed: &str,
    offset: usize,
) -> Option<Completions> {
    let jsonata = typed.trim_start().starts_with("{%");
    let word = typed.get(word_start(typed, jsonata)..).unwrap_or_default();
    let key = cursor.key.as_deref().unwrap_or_default();
    let path = !jsonata
        && place.language == QueryLanguage::JsonPath
        && (key.ends_with(".$") || key.ends_with("Path") || key == "Variable");
    if !jsonata && !path || word.is_empty() {
        return None;
    }
    let (head, tail) = word.rsplit_once('.').map_or(("", word), |(head, tail)| (head, tail));
    let plain = |labels: &[&str], kind: &'static str, detail: &str| -> Vec<Completion> {
        let item = |label: &&str| Completion { label: (*label).into(), kind, detail: detail.into(), insert: (*label).into() };
        labels.iter().map(item).collect()
    };
    let mut items = match head {
        "$states" => plain(&["input", "context", "result", "errorOutput"], "variable", "of the state"),
        "$states.context" | "$$" => plain(&["Execution", "State", "StateMachine", "Task", "Map"], "path", "Context Object"),
        "$states.context.Execution" | "$$.Execution" => {
            plain(&["Id", "Input", "Name", "RoleArn", "StartTime", "RedriveCount"], "path", "Context Object")
        }
        "$states.context.State" | "$$.State" => plain(&["Name", "EnteredTime", "RetryCount"], "path", "Context Object"),
        "$states.context.StateMachine" | "$$.StateMachine" => plain(&["Id", "Name"], "path", "Context Object"),
        "$states.context.Task" | "$$.Task" => plain(&["Token"], "path", "Context Object"),
        "$states.context.Map" | "$$.Map" => plain(&["Item"], "path", "Context Object"),
        "$states.context.Map.Item" | "$$.Map.Item" => plain(&["Index", "Value", "Key", "Source"], "path", "Context Object"),
        "States" if path => {
            let names: Vec<&str> = INTRINSICS.iter().filter_map(|row| row.name.strip_prefix("States.")).collect();
            plain(&names, "function", "intrinsic function")
        }
        "" if word.starts_with('$') => {
            let mut items: Vec<Completion> = Vec::new();
            if jsonata {
                items.extend(plain(&["$states"], "variable", "input, result, context"));
            } else {
                items.extend(plain(&["$.", "$$."], "path", "input, Context Object"));
            }
            let mut names: Vec<&str> = assigned(document).collect();
            sort::sort(&mut names);
            names.dedup();
            let variable = |name: &&str| Completion {
                label: format!("${name}"),
                kind: "variable",
                detail: "variable".into(),
                insert: format!("${name}"),
            };
            items.extend(names.iter().map(variable));
            if jsonata {
                items.extend(function_names().map(|name| Completion {
                    label: format!("${name}"),
                    kind: "function",
                    detail: "function".into(),
                    insert: format!("${name}("),
                }));
            }
            items
        }
        "" if path && "States.".starts_with(word) => plain(&["States."], "function", "intrinsic functions"),
        _ => Vec::new(),
    };
    items.retain(|item| case::lower(&item.label).starts_with(&case::lower(tail)));
    let reads = (head.starts_with('$') && head != "$states").then(|| reads(document, place, cursor, head, jsonata)).flatten();
    Some(Completions { replace: Span::new(offset - tail.len(), offset), items, reads })
}

fn reads(document: &Document, place: &Surroundings, cursor: &Cursor, path: &str, jsonata: bool) -> Option<Reads> {
    let state = place.state?;
    let field = document.field_of(state, cursor.level).or(cursor.key.as_deref()).unwrap_or_default();
    Some(Reads { state: document.name(state).into(), field: field.into(), path: path.into(), jsonata })
}

/// The start of the path or name at the end of a text. It includes list indices and does not begin within an escape.
fn word_start(typed: &str, jsonata: bool) -> usize {
    let mut start = typed.len();
    while let Some(c) = typed.get(..start).and_then(|head| head.chars().next_back()) {
        let next = match c {
            // Names of JSONPath may contain a dash, which is a minus in JSONata.
            _ if c.is_alphanumeric() || matches!(c, '_' | '.' | '$') || (c == '-' && !jsonata) => start - c.len_utf8(),
            ']' => {
                let head = typed.get(..start - 1).unwrap_or_default();
                let inner = head.rfind('[').and_then(|open| Some((open, head.get(open + 1..)?)));
                match inner.filter(|(_, index)| !index.is_empty() && index.bytes().all(|b| b.is_ascii_digit() || b == b'*')) {
                    Some((open, _)) => open,
                    None => break,
                }
            }
            // The letter after a backslash is part of the escape.
            '\\' => {
                let slashes = typed.bytes().take(start).rev().take_while(|b| *b == b'\\').count();
                return typed.len().min(start + slashes % 2);
            }
            _ => break,
        };
        start = next;
    }
    start
}

pub(super) fn describe(ty: Type) -> &'static str {
    match ty {
        Type::Any => "any value",
        Type::String => "string",
        Type::Word(_) => "one of a few words",
        Type::Boolean => "boolean",
        Type::Integer(..) => "integer",
        Type::Number(..) => "number",
        Type::Timestamp => "RFC 3339 timestamp",
        Type::Object => "object",
        Type::List | Type::Filled => "list",
        Type::StringOrNull => "path or null",
        Type::Items => "list or expression",
    }
}

pub(super) fn blank(ty: Type) -> &'static str {
    match ty {
        Type::String | Type::Word(_) | Type::Timestamp | Type::StringOrNull => "\"\"",
        Type::Object => "{}",
        Type::List | Type::Filled | Type::Items => "[]",
        Type::Boolean => "true",
        _ => "",
    }
}

pub(super) const ERRORS: &[(&str, &str)] = &[
    ("States.ALL", "any error except States.Runtime"),
    ("States.TaskFailed", "any error except a timeout"),
    ("States.Timeout", "TimeoutSeconds or HeartbeatSeconds has passed"),
    ("States.HeartbeatTimeout", "HeartbeatSeconds has passed"),
    ("States.QueryEvaluationError", "a JSONata expression failed"),
    ("States.DataLimitExceeded", "a payload is over 256 KiB"),
    ("States.Permissions", "the role lacks permission"),
    ("States.ExceedToleratedFailureThreshold", "too many children of a Map failed"),
    ("States.ItemReaderFailed", "the items could not be read"),
    ("States.ResultWriterFailed", "the results could not be written"),
    ("States.Http.Socket", "an HTTP Task took over 60 seconds"),
];

pub(super) fn operators() -> impl Iterator<Item = String> {
    let families = ["String", "Numeric", "Timestamp"].into_iter().flat_map(|family| {
        let orders = ["Equals", "LessThan", "GreaterThan", "LessThanEquals", "GreaterThanEquals"].into_iter();
        orders.flat_map(move |order| [format!("{family}{order}"), format!("{family}{order}Path")])
    });
    let others = [
        "StringMatches",
        "BooleanEquals",
        "BooleanEqualsPath",
        "IsNull",
        "IsPresent",
        "IsNumeric",
        "IsString",
        "IsBoolean",
        "IsTimestamp",
        "And",
        "Or",
        "Not",
    ];
    families.chain(others.into_iter().map(String::from))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the labels that are proposed at the `¦`.
    fn labels(text: &str) -> Vec<String> {
        let at = text.find('¦').unwrap();
        complete(&text.replace('¦', ""), at).items.into_iter().map(|item| item.label).collect()
    }

    fn has(text: &str, wanted: &[&str], unwanted: &[&str]) {
        let labels = labels(text);
        for label in wanted {
            assert!(labels.iter().any(|l| l == label), "{label} is missing in {labels:?}");
        }
        for label in unwanted {
            assert!(!labels.iter().any(|l| l == label), "{label} is in {labels:?}");
        }
    }

    #[test]
    fn completions_depend_on_the_position() {
        has(r#"{"¦"}"#, &["StartAt", "States", "QueryLanguage"], &["Type", "Next"]);
        has(r#"{"States":{"A":{"Type":"Pass", ¦}}}"#, &["Result", "Next", "Parameters"], &["Type", "Arguments", "Retry"]);
        has(
            r#"{"QueryLanguage":"JSONata","States":{"A":{"¦","Type":"Task"}}}"#,
            &["Arguments", "Output"],
            &["Parameters", "InputPath"],
        );
        has(r#"{"States":{"A":{"Type":"¦"#, &["Task", "Map"], &["Pass "]);
        has(
            r#"{"States":{"A":{"Type":"Choice","Choices":[{"Next":"¦"}]},"B":{},"C":{"Branches":[{"States":{"D":{}}}]}}}"#,
            &["A", "B", "C"],
            &["D"],
        );
        has(r#"{"States":{"A":{"Type":"Task","Retry":[{"¦"}]}}}"#, &["ErrorEquals", "MaxAttempts"], &["Next"]);
        has(
            r#"{"States":{"A":{"Type":"Task","Catch":[{"ErrorEquals":["¦"]}]}}}"#,
            &["States.ALL", "States.Timeout"],
            &["ErrorEquals"],
        );
        has(
            r#"{"States":{"A":{"Type":"Choice","Choices":[{"And":[{"¦"}]}]}}}"#,
            &["Variable", "StringEquals", "IsPresent"],
            &["Condition"],
        );
        has(r#"{"States":{"A":{"Type":"Pass","End":¦}}}"#, &["true", "false"], &[]);
    }

    #[test]
    fn expressions() {
        let machine =
            |field: &str| format!(r#"{{"States":{{"Z":{{"Assign":{{"total.$":"$.t"}}}},"A":{{"Type":"Pass",{field}}}}}}}"#);
        has(&machine(r#""Parameters":{"x.$":"$¦"}"#), &["$.", "$$.", "$total"], &["$sum"]);
        has(&machine(r#""Parameters":{"x.$":"States.Ma¦"}"#), &["MathAdd", "MathRandom"], &["Format"]);
        has(&machine(r#""InputPath":"$$.Execution.¦"#), &["Input", "Name"], &["Token"]);
        has(&machine(r#""QueryLanguage":"JSONata","Output":"{% $states.¦ %}""#), &["input", "context"], &[]);
        has(&machine(r#""QueryLanguage":"JSONata","Output":"{% $su¦ %}""#), &["$sum", "$substring"], &["$total"]);
    }

    #[test]
    fn paths_into_the_data_report_what_they_read() {
        let check = |field: &str, expect: Option<(&str, &str)>| {
            let text = format!(r#"{{"States":{{"A":{{"Type":"Task",{field}}}}}}}"#);
            let found = complete(&text.replace('¦', ""), text.find('¦').unwrap()).reads;
            let got = found.as_ref().map(|reads| (reads.field.as_str(), reads.path.as_str()));
            assert_eq!(got, expect, "{field}");
            assert!(found.is_none_or(|reads| reads.state == "A" && reads.jsonata == field.contains("{%")));
        };
        check(r#""InputPath":"$.or¦""#, Some(("InputPath", "$")));
        check(r#""Parameters":{"a":{"x.$":"$.order.items[0].na¦me"}}"#, Some(("Parameters", "$.order.items[0]")));
        check(r#""Parameters":{"x.$":"States.Format('{}', $.or-der.¦)"}"#, Some(("Parameters", "$.or-der")));
        check(r#""Parameters":{"x.$":"$total.a.¦"}"#, Some(("Parameters", "$total.a")));
        check(r#""ResultSelector":{"x.$":"$$.Execution.Input.¦"}"#, Some(("ResultSelector", "$$.Execution.Input")));
        check(r#""QueryLanguage":"JSONata","Output":"{% $states.input.a.¦ %}""#, Some(("Output", "$states.input.a")));
        check(r#""QueryLanguage":"JSONata","Output":"{%\n$states.result.¦ %}""#, Some(("Output", "$states.result")));
        check(r#""QueryLanguage":"JSONata","Output":"{% 1-$states.input.¦ %}""#, Some(("Output", "$states.input")));
        check(r#""QueryLanguage":"JSONata","Output":"{% $states.¦ %}""#, None);
        check(r#""Parameters":{"x.$":"$¦"}"#, None);
        check(r#""Comment":"$.a.¦""#, None);
    }

    #[test]
    fn every_prefix_of_a_definition_is_accepted() {
        let text = r#"{"StartAt":"A","States":{"A":{"Type":"Task","Retry":[{"ErrorEquals":["x"]}],"é":"{% $a.b[0] %}"}}"#;
        for cut in 0..=text.len() {
            for at in 0..=cut {
                let head = text.get(..cut).unwrap_or_default();
                let found = complete(head, at);
                assert!(head.get(found.replace.range()).is_some(), "{head} {at}");
            }
        }
    }
}
