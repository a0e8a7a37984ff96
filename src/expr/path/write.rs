//! Reference Paths: they select one node, which can be read or written.

use super::{Path, Reader, Step, parse};
use crate::base::{Map, Value};
use crate::expr::{EvalError, SyntaxError};
use std::sync::Arc;

/// Maximum number of steps of a Reference Path: each step may add a level to a value.
pub(super) const MAX_STEPS: usize = 64;

/// A compiled Reference Path. It selects exactly one node, so it can also be written to.
///
/// ```
/// use stepglass::base::json;
/// use stepglass::expr::path::ReferencePath;
/// let document = json::parse(r#"{"master":{"detail":[1,2,3]}}"#).unwrap();
/// let path = ReferencePath::parse("$.master.result.sum").unwrap();
/// let written = path.write(&document, 6.into()).unwrap();
/// assert_eq!(written.to_string(), r#"{"master":{"detail":[1,2,3],"result":{"sum":6}}}"#);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ReferencePath {
    path: Path,
}

impl ReferencePath {
    /// Compiles a Reference Path.
    ///
    /// `$$` and `$name` are valid roots, because all fields but ResultPath accept them. The messages are AWS's if it has one.
    ///
    /// Errors: the text is not a path, it may select several nodes, or it has more than 64 steps.
    pub fn parse(text: &str) -> Result<ReferencePath, SyntaxError> {
        let (root, query) = parse::reference(text)?;
        if query.steps.len() > MAX_STEPS {
            return Err(SyntaxError::new(format!("A Reference Path has at most {MAX_STEPS} steps"), 0));
        }
        Ok(ReferencePath { path: Path { text: text.into(), root, reader: Reader::Reference, query: Arc::new(query) } })
    }

    /// The path for reading.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns `document` with `value` at this path; missing objects on the way are created.
    ///
    /// Only the containers on the path are copied. An existing member is replaced. An index must refer to an existing element.
    ///
    /// Errors: a step does not apply to the value that it finds. The engine reports every error of this function as
    /// `States.ReferencePathConflict`; the cause has AWS's words (spec §2.1).
    pub fn write(&self, document: &Value, value: Value) -> Result<Value, EvalError> {
        let mut written = document.clone();
        let mut node = &mut written;
        for step in &self.path.query.steps {
            let next = match step {
                Step::Name(name) => node.make_object().and_then(|map| member(map, name)),
                Step::Index(index) => node.make_array().and_then(|items| element(items, *index)),
                _ => None,
            };
            match next {
                Some(next) => node = next,
                None => return Err(self.conflict(document)),
            }
        }
        *node = value;
        Ok(written)
    }

    /// Returns the error of the first step that does not apply. It follows the path again, so that writing needs no record.
    fn conflict(&self, document: &Value) -> EvalError {
        let mut node = document.clone();
        for step in &self.path.query.steps {
            let next = match step {
                Step::Name(name) if node.as_object().is_some() => node.get(name).cloned().unwrap_or_else(Value::empty_object),
                Step::Name(name) => return EvalError::new(format!("Unable to apply step \"{name}\" to input {node}")),
                Step::Index(index) => match node.as_array().and_then(|items| items.get(position(items.len(), *index)?)) {
                    Some(next) => next.clone(),
                    None => return EvalError::new(format!("Unable to apply step \"[{index}]\" to input {node}")),
                },
                _ => break,
            };
            node = next;
        }
        EvalError::new(format!("Unable to apply ReferencePath {} to input {document}", self.path.text))
    }
}

fn member<'a>(map: &'a mut Map, name: &Arc<str>) -> Option<&'a mut Value> {
    if !map.contains_key(name) {
        map.insert(name.clone(), Value::empty_object());
    }
    map.get_mut(name)
}

fn element(items: &mut [Value], index: i64) -> Option<&mut Value> {
    let position = position(items.len(), index)?;
    items.get_mut(position)
}

fn position(length: usize, index: i64) -> Option<usize> {
    usize::try_from(if index < 0 { index + length as i64 } else { index }).ok()
}
