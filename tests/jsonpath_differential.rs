//! Compares our evaluator with the crate `jsonpath_lib`, on generated documents and paths of the fragment that both define:
//! names, indexes, slices, unions, wildcards, `..name` and filters with one comparison.
//!
//! These forms are left out, because the crate refuses or misinterprets what Jayway (and so AWS) defines:
//! - negative indexes beyond the start give the first element; slices with negative ends differ;
//! - `['a','b']` gives the values, while in Jayway it is one object of them;
//! - `!`, `null`, `in` and the other word operators, regular expressions and functions are syntax errors or panics;
//! - `@.a.b.c` in a filter finds nothing; `||` reorders the hits; several terms take quadratic time;
//! - escapes in names are not supported.
//!
//! The rules of [`known_difference`] exclude further differences within the fragment.
#![cfg(not(feature = "jsonpath-lib"))]

use stepglass::base::{Map, Rng, Value};
use stepglass::expr::Scope;
use stepglass::expr::path::Path;

struct Generator {
    rng: Rng,
}

impl Generator {
    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.rng.below(of.len() as u64) as usize]
    }

    fn document(&mut self, depth: u64) -> Value {
        match self.rng.below(if depth == 0 { 4 } else { 8 }) {
            0 => Value::from(self.rng.below(4) as i64),
            1 => Value::from(self.pick(&["x", "y", "red"])),
            2 => Value::from(self.pick(&[0.5, 2.5])),
            3 => Value::Bool(self.rng.below(2) == 0),
            4 | 5 => {
                let mut map = Map::new();
                for _ in 0..self.rng.below(4) {
                    let name = self.pick(&["a", "b", "c", "d-e"]);
                    map.insert(name, self.document(depth - 1));
                }
                map.into()
            }
            _ => (0..self.rng.below(4)).map(|_| self.document(depth - 1)).collect::<Vec<_>>().into(),
        }
    }

    /// Returns steps that usually find something in the document.
    fn steps(&mut self, document: &Value) -> Vec<String> {
        let mut steps = Vec::new();
        let mut node = document.clone();
        for _ in 0..=self.rng.below(4) {
            let (step, next) = self.step(&node);
            steps.push(step);
            node = next;
        }
        steps
    }

    fn step(&mut self, node: &Value) -> (String, Value) {
        let name = match node.as_object().map(|map| map.keys().cloned().collect::<Vec<_>>()) {
            Some(names) if !names.is_empty() && self.rng.below(8) > 0 => {
                names[self.rng.below(names.len() as u64) as usize].to_string()
            }
            _ => self.pick(&["a", "b", "c"]).to_string(),
        };
        let length = node.as_array().map_or(3, <[Value]>::len) as u64;
        let index = self.rng.below(length + 1);
        let member = node.get(&name).cloned().unwrap_or_default();
        let element = node.at(index as usize).cloned().unwrap_or_default();
        let child = match node {
            Value::Array(items) => items.first().cloned(),
            Value::Object(map) => map.values().next().cloned(),
            _ => None,
        };
        let child = child.unwrap_or_default();
        let list = node.as_array().is_some();
        match self.rng.below(10) {
            0 => (self.pick(&[".*", "[*]"]).to_string(), child),
            1 => (format!("..{name}"), member),
            2 | 3 => {
                let literal = self.pick(&["1", "2", "0.5", "'x'", "'red'"]);
                let field = self.pick(&["a", "b", "c"]);
                (
                    format!("[?(@.{field} {} {literal})]", self.pick(&["==", "<", ">=", ">"])),
                    if list { child } else { node.clone() },
                )
            }
            4 if list => (format!("[{index}:{}]", index + self.rng.below(3)), element),
            5 if list => (format!("[{index},{}]", self.rng.below(length + 1)), element),
            _ if list => (format!("[{index}]"), element),
            6 => (format!("[{index}]"), member),
            7 => (format!("['{name}']"), member),
            _ => (format!(".{name}"), member),
        }
    }
}

/// Returns what our evaluator selects, as a list of hits.
fn our_hits(path: &Path, document: &Value) -> Vec<Value> {
    let variables = Map::new();
    let scope = Scope { input: document, context: document, variables: &variables };
    match path.eval(&scope) {
        Ok(value) if path.is_definite() => vec![value],
        Ok(Value::Array(items)) => items.to_vec(),
        Ok(other) => vec![other],
        Err(_) => Vec::new(),
    }
}

/// Returns what the crate selects; `None` if it reports an error.
fn crate_hits(text: &str, document: &serde_json::Value) -> Option<Vec<Value>> {
    let hits = jsonpath_lib::select(document, text).ok()?;
    Some(hits.into_iter().map(|hit| serde_json::from_value(hit.clone()).unwrap()).collect())
}

/// Returns why the crate differs from Jayway, depending on the value to which a step applies.
fn known_difference(steps: &[String], document: &Value) -> Option<&'static str> {
    for (i, step) in steps.iter().enumerate() {
        let Ok(prefix) = Path::parse(&format!("${}", steps[..i].concat())) else {
            continue;
        };
        let before = our_hits(&prefix, document);
        let is_position = step.starts_with('[') && step[1..].starts_with(|c: char| c.is_ascii_digit());
        if is_position && before.iter().any(|node| node.as_object().is_some()) {
            return Some("an index on an object selects from the arrays among its members; in Jayway nothing");
        }
        let repeated = is_position && step.split_once(',').is_some_and(|(a, b)| a.strip_prefix('[') == b.strip_suffix(']'));
        if repeated && steps[i..].iter().any(|later| later.starts_with("[?")) {
            return Some("a filter drops nodes that were selected twice; Jayway keeps them");
        }
        let nested = |node: &Value| node.as_array().is_some_and(|items| items.iter().any(|item| item.as_array().is_some()));
        if step.starts_with("[?") && before.iter().any(nested) {
            return Some("a filter looks into elements that are arrays; in Jayway @ is the array, which has no members");
        }
    }
    None
}

#[test]
fn same_hits_as_jsonpath_lib() {
    let mut generator = Generator { rng: Rng::new(2024) };
    let (mut compared, mut with_hits, mut left_out) = (0, 0, 0);
    while compared + left_out < 20_000 {
        let document = generator.document(5);
        if document.as_array().is_none_or(<[Value]>::is_empty) && document.as_object().is_none_or(Map::is_empty) {
            continue;
        }
        let steps = generator.steps(&document);
        let text = format!("${}", steps.concat());
        if known_difference(&steps, &document).is_some() {
            left_out += 1;
            continue;
        }
        let path = Path::parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let hits = our_hits(&path, &document);
        compared += 1;
        with_hits += usize::from(!hits.is_empty());
        assert_eq!(Some(hits), crate_hits(&text, &serde_json::to_value(&document).unwrap()), "{text} on {document}");
    }
    // The comparison is useless if both find nothing or most cases are excluded.
    assert!(with_hits > compared / 5, "{with_hits} of {compared} have hits");
    assert!(left_out < compared / 3, "{left_out} left out");
}
