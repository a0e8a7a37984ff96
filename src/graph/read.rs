//! Reads a definition leniently as states, scopes and transitions.
//!
//! A drawing cannot be based on the compiled machine, because there is none while a user types. Here nothing is an error:
//! unreadable parts are left out, and a name without a state remains a name.

use super::condition;
use super::text;
use super::{Batching, EdgeKind, Iterating, MAX_DEPTH, MAX_STATES, MAX_TRANSITIONS, NodeKind, Pattern};
use crate::base::{Pointer, Value, sort};
use std::ops::Range;
use std::sync::Arc;

/// Maximum number of bytes of all JSON Pointers: a long name is part of the pointer of everything inside of the state.
const MAX_POINTER_BYTES: usize = 16 << 20;
/// Maximum number of characters of a label.
const LABEL_CHARS: usize = 28;

/// The whole definition. A scope comes after the scope that contains it.
#[derive(Default)]
pub(super) struct Model {
    pub states: Vec<State>,
    pub scopes: Vec<Scope>,
    /// `Comment` of the machine.
    pub comment: Option<String>,
    /// Whether a limit was reached and parts are left out.
    pub truncated: bool,
}

/// One `States` object.
pub(super) struct Scope {
    pub pointer: Pointer,
    /// The Parallel or Map state that contains it.
    pub parent: Option<usize>,
    /// `StartAt`
    pub start: Option<Arc<str>>,
    /// Its states, in the order of the definition.
    pub states: Range<usize>,
    /// Its states, sorted by name.
    by_name: Vec<usize>,
}

impl Model {
    /// Returns the state with this name in a scope.
    pub(super) fn find(&self, scope: &Scope, name: &str) -> Option<usize> {
        let at = scope.by_name.binary_search_by(|&state| (*self.states[state].name).cmp(name)).ok()?;
        scope.by_name.get(at).copied()
    }
}

/// One state.
pub(super) struct State {
    pub name: Arc<str>,
    pub pointer: Pointer,
    pub kind: NodeKind,
    pub scope: usize,
    pub comment: Option<String>,
    /// A detail besides the type: the service that is called, the time of the wait, the error that is raised.
    pub detail: Option<String>,
    pub retries: bool,
    pub pattern: Option<Pattern>,
    /// How a Map iterates.
    pub map: Option<Iterating>,
    /// Its branches or its item processor.
    pub scopes: Vec<usize>,
    /// Whether its scopes could not be read because of a limit.
    pub cut: bool,
    pub transitions: Vec<Transition>,
}

/// A transition from a state.
pub(super) struct Transition {
    pub kind: EdgeKind,
    /// The index in `Choices` or `Catch`.
    pub index: Option<u32>,
    /// The name of the target; `None` for the end of the scope.
    pub target: Option<Arc<str>>,
    /// The short text on the edge, and the complete text.
    pub label: Option<(String, String)>,
    /// The field that defines it.
    pub pointer: Pointer,
}

/// Reads a definition; any value that is not an object gives an empty model.
pub(super) fn read(definition: &Value) -> Model {
    let mut model = Model::default();
    if definition.as_object().is_none() {
        return model;
    }
    model.comment = definition.get("Comment").and_then(Value::as_str).map(text::one_line).filter(|c| !c.is_empty());
    let mut transitions = 0;
    let mut pointer_bytes = MAX_POINTER_BYTES;
    // It uses a queue and no recursion, so that a scope comes before the scopes inside of it.
    let mut queue = vec![(definition.clone(), Pointer::root(), None::<usize>, 0usize)];
    let mut at = 0;
    while let Some((value, pointer, parent, depth)) = queue.get(at).cloned() {
        at += 1;
        let scope = model.scopes.len();
        if let Some(parent) = parent.and_then(|p| model.states.get_mut(p)) {
            parent.scopes.push(scope);
        }
        let start = value.get("StartAt").and_then(Value::as_str).map(Arc::from);
        let first = model.states.len();
        let states_at = pointer.key("States");
        for (name, state) in value.get("States").and_then(Value::as_object).iter().flat_map(|states| states.iter()) {
            // Each transition of a state repeats its pointer.
            let read_bytes = states_at.as_str().len() + name.len();
            if model.states.len() >= MAX_STATES || transitions >= MAX_TRANSITIONS || read_bytes > pointer_bytes {
                model.truncated = true;
                break;
            }
            let id = model.states.len();
            let room = (MAX_TRANSITIONS - transitions).min(pointer_bytes / (read_bytes + 1));
            let mut read = read_state(name, state, states_at.key(name), scope, room);
            transitions += read.transitions.len();
            pointer_bytes = pointer_bytes.saturating_sub(read_bytes * (1 + read.transitions.len()));
            let inner = inner_scopes(state, read.kind, &read.pointer);
            if depth + 1 >= MAX_DEPTH {
                read.cut = !inner.is_empty();
                model.truncated |= read.cut;
            } else {
                // A scope without a state counts as one, so that a definition that consists only of branches is limited too.
                for (value, at) in inner {
                    if queue.len() >= MAX_STATES {
                        model.truncated = true;
                        break;
                    }
                    queue.push((value, at, Some(id), depth + 1));
                }
            }
            model.states.push(read);
        }
        let states = first..model.states.len();
        let mut by_name: Vec<usize> = states.clone().collect();
        sort::by(&mut by_name, |&a, &b| model.states[a].name.cmp(&model.states[b].name));
        model.scopes.push(Scope { pointer, parent, start, states, by_name });
    }
    model
}

fn inner_scopes(state: &Value, kind: NodeKind, pointer: &Pointer) -> Vec<(Value, Pointer)> {
    let mut found = Vec::new();
    if matches!(kind, NodeKind::Parallel | NodeKind::Unknown)
        && let Some(branches) = state.get("Branches").and_then(Value::as_array)
    {
        let at = pointer.key("Branches");
        found.extend(branches.iter().enumerate().map(|(i, branch)| (branch.clone(), at.index(i))));
    }
    if matches!(kind, NodeKind::Map | NodeKind::Unknown) {
        let processor = ["ItemProcessor", "Iterator"].into_iter().find_map(|key| Some((state.get(key)?.clone(), pointer.key(key))));
        found.extend(processor.filter(|(value, _)| value.as_object().is_some()));
    }
    found
}

fn read_state(name: &Arc<str>, state: &Value, pointer: Pointer, scope: usize, room: usize) -> State {
    let type_name = state.get("Type").and_then(Value::as_str);
    let kind = type_name.and_then(NodeKind::of_type).unwrap_or(NodeKind::Unknown);
    State {
        name: name.clone(),
        kind,
        scope,
        comment: state.get("Comment").and_then(Value::as_str).map(text::one_line).filter(|c| !c.is_empty()),
        detail: detail(state, kind, type_name),
        retries: state.get("Retry").and_then(Value::as_array).is_some_and(|retriers| !retriers.is_empty()),
        pattern: pattern(state, kind),
        map: (kind == NodeKind::Map).then(|| iterating(state)),
        scopes: Vec::new(),
        cut: false,
        transitions: transitions(state, kind, &pointer, room),
        pointer,
    }
}

fn transitions(state: &Value, kind: NodeKind, pointer: &Pointer, room: usize) -> Vec<Transition> {
    let mut out = Vec::new();
    let mut add = |kind, index, target: Option<&Value>, label, pointer| {
        if let Some(target) = target.and_then(Value::as_str)
            && out.len() < room
        {
            out.push(Transition { kind, index, target: Some(target.into()), label, pointer });
        }
    };
    let chooses = matches!(kind, NodeKind::Choice | NodeKind::Unknown);
    let goes_on = !matches!(kind, NodeKind::Choice | NodeKind::Succeed | NodeKind::Fail);
    if chooses {
        let at = pointer.key("Choices");
        for (i, rule) in state.get("Choices").and_then(Value::as_array).unwrap_or_default().iter().enumerate() {
            let full = text::one_line(&condition::describe(rule));
            let label = (!full.is_empty()).then(|| (text::shorten(&full, LABEL_CHARS), full));
            add(EdgeKind::Choice, Some(i as u32), rule.get("Next"), label, at.index(i));
        }
        let label = Some(("Default".to_string(), "Default".to_string()));
        add(EdgeKind::Default, None, state.get("Default"), label, pointer.key("Default"));
    }
    if goes_on {
        add(EdgeKind::Next, None, state.get("Next"), None, pointer.key("Next"));
        let at = pointer.key("Catch");
        for (i, catcher) in state.get("Catch").and_then(Value::as_array).unwrap_or_default().iter().enumerate() {
            let label = catch_label(catcher);
            add(EdgeKind::Catch, Some(i as u32), catcher.get("Next"), Some(label), at.index(i));
        }
    }
    let end = match kind {
        NodeKind::Succeed => Some("Type"),
        _ if goes_on && state.get("End") == Some(&Value::Bool(true)) => Some("End"),
        _ => None,
    };
    if let Some(field) = end {
        out.push(Transition { kind: EdgeKind::End, index: None, target: None, label: None, pointer: pointer.key(field) });
    }
    out
}

/// Returns the first error name with the number of further ones, and all of them.
fn catch_label(catcher: &Value) -> (String, String) {
    let names = catcher.get("ErrorEquals").and_then(Value::as_array).unwrap_or_default();
    let names: Vec<&str> = names.iter().filter_map(Value::as_str).take(50).collect();
    let Some(first) = names.first() else { return ("Catch".into(), "Catch".into()) };
    let more = if names.len() > 1 { format!(" +{}", names.len() - 1) } else { String::new() };
    let short = text::shorten(first, LABEL_CHARS.saturating_sub(more.len())) + &more;
    (short, text::one_line(&names.join(", ")))
}

fn pattern(state: &Value, kind: NodeKind) -> Option<Pattern> {
    let resource = state.get("Resource").and_then(Value::as_str).filter(|_| kind == NodeKind::Task)?;
    if resource.ends_with(".waitForTaskToken") || resource.contains(":activity:") {
        return Some(Pattern::Token);
    }
    (resource.ends_with(".sync") || resource.ends_with(".sync:2")).then_some(Pattern::Sync)
}

fn iterating(state: &Value) -> Iterating {
    let mode =
        ["ItemProcessor", "Iterator"].into_iter().find_map(|key| state.get(key)?.get("ProcessorConfig")?.get("Mode")?.as_str());
    let called = |field: &str| {
        let resource_of = state.get(field)?.get("Resource").and_then(Value::as_str);
        Some(text::shorten(&text::one_line(&resource_of.map(resource).unwrap_or_default()), LABEL_CHARS))
    };
    Iterating {
        distributed: mode.is_some_and(|mode| mode.eq_ignore_ascii_case("DISTRIBUTED")),
        max_concurrency: positive(state, "MaxConcurrency"),
        reader: called("ItemReader"),
        batcher: state.get("ItemBatcher").map(|batcher| Batching {
            items: positive(batcher, "MaxItemsPerBatch"),
            bytes: positive(batcher, "MaxInputBytesPerBatch"),
        }),
        writer: called("ResultWriter"),
    }
}

fn positive(value: &Value, field: &str) -> Option<u64> {
    value.get(field).and_then(Value::as_i64).and_then(|n| u64::try_from(n).ok()).filter(|&n| n > 0)
}

fn detail(state: &Value, kind: NodeKind, type_name: Option<&str>) -> Option<String> {
    let text = |key: &str| state.get(key).and_then(Value::as_str);
    match kind {
        NodeKind::Task => text("Resource").map(resource),
        NodeKind::Wait => {
            if let Some(seconds) = state.get("Seconds") {
                return Some(match seconds {
                    Value::Number(n) => format!("{n} s"),
                    Value::String(expression) => format!("{} s", trim_marks(expression)),
                    _ => return None,
                });
            }
            let until = text("Timestamp").or_else(|| text("TimestampPath"));
            text("SecondsPath").map(|path| format!("{path} s")).or_else(|| until.map(|t| format!("until {}", trim_marks(t))))
        }
        NodeKind::Fail => text("Error").or_else(|| text("ErrorPath")).map(|t| trim_marks(t).to_string()),
        NodeKind::Map => {
            let Iterating { distributed, max_concurrency, .. } = iterating(state);
            match (distributed, max_concurrency) {
                (true, Some(n)) => Some(format!("distributed, {n} at once")),
                (true, _) => Some("distributed".into()),
                (false, Some(n)) => Some(format!("{n} at once")),
                _ => None,
            }
        }
        NodeKind::Unknown => Some(type_name.unwrap_or("no Type").to_string()),
        _ => None,
    }
    .map(|text| text::one_line(&text))
    .filter(|text| !text.is_empty())
}

fn trim_marks(text: &str) -> &str {
    text.strip_prefix("{%").and_then(|t| t.strip_suffix("%}")).unwrap_or(text).trim()
}

/// Returns the service and action of an ARN, such as `dynamodb putItem`; a function's or activity's name; otherwise the text
/// itself.
fn resource(arn: &str) -> String {
    let parts: Vec<&str> = arn.split(':').collect();
    match parts.as_slice() {
        ["arn", _, "states", _, _, rest @ ..] if !rest.is_empty() => {
            // states:::service:action.pattern, states:::aws-sdk:service:action.pattern, states:region:account:activity:name
            let rest = match rest {
                ["aws-sdk", rest @ ..] => rest,
                rest => rest,
            };
            rest.iter().map(|part| part.split('.').next().unwrap_or(part)).collect::<Vec<_>>().join(" ")
        }
        ["arn", _, "lambda", _, _, "function", name, ..] => format!("lambda {name}"),
        _ => arn.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json;

    #[test]
    fn broken_definitions_keep_their_readable_parts() {
        for (text, states, scopes) in [
            ("7", 0, 0),
            ("{}", 0, 1),
            (r#"{"StartAt":3,"States":[]}"#, 0, 1),
            (r#"{"States":{"A":7,"B":{"Type":"Pass","Next":[1],"Catch":{},"Choices":5}}}"#, 2, 1),
            (r#"{"States":{"P":{"Type":"Parallel","Branches":[1,{"States":{"X":{}}}]}}}"#, 2, 3),
            (r#"{"States":{"M":{"Type":"Map","Iterator":{"States":{"X":{}}}}}}"#, 2, 2),
        ] {
            let model = read(&json::parse(text).unwrap());
            assert_eq!((model.states.len(), model.scopes.len()), (states, scopes), "{text}");
        }
    }

    #[test]
    fn resources_have_short_names() {
        for (arn, name) in [
            ("arn:aws:states:::lambda:invoke", "lambda invoke"),
            ("arn:aws:states:::lambda:invoke.waitForTaskToken", "lambda invoke"),
            ("arn:aws:states:::aws-sdk:s3:getObject", "s3 getObject"),
            ("arn:aws:states:eu-west-1:123456789012:activity:approve", "activity approve"),
            ("arn:aws:lambda:eu-west-1:123456789012:function:charge", "lambda charge"),
            ("${ChargeArn}", "${ChargeArn}"),
        ] {
            assert_eq!(resource(arn), name);
        }
    }

    #[test]
    fn transitions_keep_their_index() {
        let text = r#"{"StartAt":"T","States":{"T":{"Type":"Task","Next":"C","Catch":[{"ErrorEquals":["A","B"],"Next":"F"}]},
            "C":{"Type":"Choice","Choices":[{"Variable":"$.n","NumericEquals":1,"Next":"T"}],"Default":"S","Next":"ignored"},
            "S":{"Type":"Succeed"},"F":{"Type":"Fail","End":true}}}"#;
        let model = read(&json::parse(text).unwrap());
        let all: Vec<_> =
            model.states.iter().flat_map(|s| &s.transitions).map(|t| (t.kind, t.pointer.as_str().to_string())).collect();
        assert_eq!(
            all,
            [
                (EdgeKind::Next, "/States/T/Next".to_string()),
                (EdgeKind::Catch, "/States/T/Catch/0".to_string()),
                (EdgeKind::Choice, "/States/C/Choices/0".to_string()),
                (EdgeKind::Default, "/States/C/Default".to_string()),
                (EdgeKind::End, "/States/S/Type".to_string()),
            ]
        );
        assert_eq!(model.states[0].transitions[1].label.as_ref().unwrap().0, "A +1");
    }
}
