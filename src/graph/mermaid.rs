//! A definition as a Mermaid state diagram, for READMEs and pull requests.

use super::read::{self, Model};
use super::{Direction, EdgeKind, NodeKind};
use crate::base::Value;
use std::fmt::Write;

/// Returns the definition as the text of a Mermaid `stateDiagram-v2`, even if it has errors.
///
/// Parallel and Map states are composite states, branches are side by side, and Choice and Catch transitions have their
/// condition or error names as labels. States get short ids (`s0`, `s1`, …); their names are texts in which all characters that
/// could be Mermaid syntax are written as entities.
///
/// ```
/// use stepglass::base::json;
/// use stepglass::graph::{Direction, to_mermaid};
/// let definition = json::parse(r#"{"StartAt":"Ship","States":{"Ship":{"Type":"Pass","End":true}}}"#).unwrap();
/// assert_eq!(to_mermaid(&definition, Direction::TopToBottom), "\
/// stateDiagram-v2
///     state \"Ship\" as s0
///     [*] --> s0
///     s0 --> [*]
/// ");
/// ```
pub fn to_mermaid(definition: &Value, direction: Direction) -> String {
    let model = read::read(definition);
    let mut writer = Writer { model: &model, out: String::from("stateDiagram-v2\n"), missing: 0 };
    if direction == Direction::LeftToRight {
        writer.line(1, format_args!("direction LR"));
    }
    if !model.scopes.is_empty() {
        writer.scope(0, 1);
    }
    writer.out
}

struct Writer<'a> {
    model: &'a Model,
    out: String,
    /// The number of names without a state that have an id.
    missing: usize,
}

impl Writer<'_> {
    fn line(&mut self, depth: usize, text: std::fmt::Arguments) {
        // Writing to a String cannot fail.
        let _ = writeln!(self.out, "{:1$}{text}", "", depth * 4);
    }

    /// Writes a scope. The reader limits the nesting.
    fn scope(&mut self, scope: usize, depth: usize) {
        let model = self.model;
        let Some(scope) = model.scopes.get(scope) else { return };
        for id in scope.states.clone() {
            let Some(state) = model.states.get(id) else { continue };
            let name = escaped(&state.name);
            if state.scopes.is_empty() {
                self.line(depth, format_args!("state \"{name}\" as s{id}"));
                continue;
            }
            self.line(depth, format_args!("state \"{name}\" as s{id} {{"));
            for (i, &inner) in state.scopes.iter().enumerate() {
                if i > 0 {
                    self.line(depth + 1, format_args!("--"));
                }
                self.scope(inner, depth + 1);
            }
            self.line(depth, format_args!("}}"));
        }
        let mut missing: Vec<(&str, usize)> = Vec::new();
        if let Some(start) = scope.start.as_deref() {
            let to = self.target(scope, start, &mut missing, depth);
            self.line(depth, format_args!("[*] --> {to}"));
        }
        for id in scope.states.clone() {
            let Some(state) = model.states.get(id) else { continue };
            for transition in &state.transitions {
                let to = match transition.target.as_deref() {
                    Some(name) => self.target(scope, name, &mut missing, depth),
                    None => "[*]".to_string(),
                };
                match &transition.label {
                    Some((_, full)) => self.line(depth, format_args!("s{id} --> {to}: {}", escaped(&label(transition.kind, full)))),
                    None => self.line(depth, format_args!("s{id} --> {to}")),
                }
            }
            if state.kind == NodeKind::Fail {
                self.line(depth, format_args!("s{id} --> [*]"));
            }
        }
    }

    /// Returns the id of a name in a scope, and declares it if there is no such state.
    fn target<'n>(&mut self, scope: &read::Scope, name: &'n str, missing: &mut Vec<(&'n str, usize)>, depth: usize) -> String {
        if let Some(id) = self.model.find(scope, name) {
            return format!("s{id}");
        }
        if let Some((_, id)) = missing.iter().find(|(known, _)| *known == name) {
            return format!("m{id}");
        }
        let id = self.missing;
        self.missing += 1;
        missing.push((name, id));
        self.line(depth, format_args!("state \"{} (not found)\" as m{id}", escaped(name)));
        format!("m{id}")
    }
}

fn label(kind: EdgeKind, full: &str) -> String {
    match kind {
        EdgeKind::Catch => format!("on {full}"),
        _ => full.to_string(),
    }
}

/// Returns a text in which letters, digits and harmless punctuation are unchanged, and all other characters are Mermaid's
/// numeric entities.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in super::text::one_line(text).chars() {
        if c.is_alphanumeric()
            || matches!(c, ' ' | '.' | ',' | '_' | '(' | ')' | '=' | '+' | '/' | '*' | '\'' | '$' | '?' | '!' | '-')
        {
            out.push(c);
        } else {
            // Writing to a String cannot fail.
            let _ = write!(out, "#{};", c as u32);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json;

    fn check(definition: &str, expect: &str) {
        assert_eq!(to_mermaid(&json::parse(definition).unwrap(), Direction::TopToBottom), expect, "{definition}");
    }

    #[test]
    fn every_kind_of_transition_is_written() {
        check(
            r#"{"StartAt":"A","States":{
                "A":{"Type":"Task","Resource":"r","Next":"C","Catch":[{"ErrorEquals":["X","Y"],"Next":"F"}]},
                "C":{"Type":"Choice","Choices":[{"Variable":"$.n","NumericGreaterThan":1,"Next":"A"}],"Default":"Gone"},
                "F":{"Type":"Fail"}}}"#,
            "stateDiagram-v2\n    state \"A\" as s0\n    state \"C\" as s1\n    state \"F\" as s2\n    [*] --> s0\n    s0 --> s1\n    \
             s0 --> s2: on X, Y\n    s1 --> s0: $.n #62; 1\n    state \"Gone (not found)\" as m0\n    s1 --> m0: Default\n    s2 --> [*]\n",
        );
    }

    #[test]
    fn branches_are_drawn_side_by_side() {
        check(
            r#"{"StartAt":"P","States":{"P":{"Type":"Parallel","End":true,"Branches":[
                {"StartAt":"A","States":{"A":{"Type":"Succeed"}}},{"StartAt":"B","States":{"B":{"Type":"Succeed"}}}]}}}"#,
            "stateDiagram-v2\n    state \"P\" as s0 {\n        state \"A\" as s1\n        [*] --> s1\n        s1 --> [*]\n        --\n        \
             state \"B\" as s2\n        [*] --> s2\n        s2 --> [*]\n    }\n    [*] --> s0\n    s0 --> [*]\n",
        );
    }

    #[test]
    fn no_name_is_interpreted_as_syntax() {
        let name = r#"a\" as x\n--> b: %% ; {<script>} style"#;
        let text = format!(r#"{{"StartAt":"{name}","States":{{"{name}":{{"Type":"Pass","End":true}}}}}}"#);
        let out = to_mermaid(&json::parse(&text).unwrap(), Direction::LeftToRight);
        assert_eq!(out.lines().count(), 5, "{out}");
        let name = out.lines().nth(2).unwrap().trim().strip_prefix("state \"").unwrap().strip_suffix("\" as s0").unwrap();
        assert!(!name.contains(['"', ':', '<', '>', '{', '}', '%', '\n']), "{name}");
        assert_eq!(to_mermaid(&json::parse("7").unwrap(), Direction::TopToBottom), "stateDiagram-v2\n");
    }
}
