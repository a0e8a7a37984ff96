//! Evaluates queries with the crate `jsonpath_lib`, behind the feature of that name.
//!
//! Our own evaluator still evaluates definite paths, because it is faster and has AWS's messages for missing nodes, and
//! functions, which the crate lacks. Our own parser has accepted the text, so what the crate would accept beyond the language
//! is refused. `tests/jsonpath_differential.rs` lists what the crate refuses or evaluates differently within the language. It
//! has no budget and may panic: use it for trusted definitions only.
//! panic: for trusted definitions only.

use super::{Missing, Path, Reason, Root};
use crate::base::Value;
use crate::expr::budget::Budget;

/// Returns the value of a path that is not plain, with the shape that [`Path::eval`] guarantees.
pub(super) fn eval(path: &Path, source: &Value, budget: &mut Budget) -> Result<Value, Missing> {
    let missing = |detail: String| Missing {
        path: path.text.to_string(),
        leaf: true,
        index: false,
        detail: Some(detail.into()),
        reason: Reason::Absent,
    };
    // The crate supports only one root.
    let tail = match &path.root {
        Root::Input => path.text.get(1..),
        Root::Context => path.text.get(2..),
        Root::Variable(name) => path.text.get(1 + name.len()..),
    };
    let text = format!("${}", tail.unwrap_or(""));
    // The conversion copies the document, so at least that is charged.
    let document = serde_json::to_value(source).map_err(|error| missing(error.to_string()))?;
    budget.visit(1)?;
    let hits = ::jsonpath_lib::select(&document, &text).map_err(|error| missing(error.to_string()))?;
    let mut values = Vec::with_capacity(hits.len());
    for hit in hits {
        values.push(serde_json::from_value(hit.clone()).map_err(|error| missing(error.to_string()))?);
    }
    if path.query.single {
        values.pop().ok_or_else(|| missing(format!("No results for path: {}", path.text)))
    } else {
        Ok(Value::from(values))
    }
}

#[cfg(test)]
mod tests {
    use crate::base::{Map, json};
    use crate::expr::{Scope, path::Path};

    #[test]
    fn queries_go_through_the_crate() {
        let input = json::parse(r#"{"books":[{"name":"A","price":8},{"name":"B","price":12}]}"#).unwrap();
        let variables: Map = [("v", input.clone())].into_iter().collect();
        let scope = Scope { input: &input, context: &input, variables: &variables };
        for (path, expect) in [
            ("$.books[0].name", r#""A""#),
            ("$.books[*].name", r#"["A","B"]"#),
            ("$$.books[?(@.price > 10)].name", r#"["B"]"#),
            ("$v..price", "[8,12]"),
            ("$.books[?(@.price > 100)]", "[]"),
        ] {
            assert_eq!(Path::parse(path).unwrap().eval(&scope).unwrap().to_string(), expect, "{path}");
        }
    }
}
