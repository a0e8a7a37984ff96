//! Queries evaluated by the crate `jsonpath_lib`, behind the feature of that name.
//!
//! Definite paths stay with our own evaluator, which is faster and knows AWS's words for what is missing, and so do
//! functions, which the crate lacks. The text has
//! passed our own parser, so what the crate would accept beyond the language is refused; what it refuses or answers
//! differently within the language is listed in `tests/jsonpath_differential.rs`. It has no budget of its own and may
//! panic: for trusted definitions only.

use super::{Missing, Path, Reason, Root};
use crate::base::Value;
use crate::expr::budget::Budget;

/// The value of a path that is not plain, with the shape that [`Path::eval`] promises.
pub(super) fn eval(path: &Path, source: &Value, budget: &mut Budget) -> Result<Value, Missing> {
    let missing = |detail: String| Missing {
        path: path.text.to_string(),
        leaf: true,
        index: false,
        detail: Some(detail.into()),
        reason: Reason::Absent,
    };
    // The crate knows one root.
    let tail = match &path.root {
        Root::Input => path.text.get(1..),
        Root::Context => path.text.get(2..),
        Root::Variable(name) => path.text.get(1 + name.len()..),
    };
    let text = format!("${}", tail.unwrap_or(""));
    // Converting copies the document: at least that much is paid for.
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
