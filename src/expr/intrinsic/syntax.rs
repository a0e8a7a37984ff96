//! The parts of a call.

use super::table::Kind;
use super::{Argument, Call, Function, Node};
use crate::base::{Span, Value};
use crate::expr::path::Path;
use crate::expr::syntax::Part;

impl Call {
    /// The parts of the call: see [`crate::expr::syntax`].
    pub(in crate::expr) fn syntax(&self) -> Part {
        let start = self.text.len() - self.text.trim_start().len();
        self.node.syntax(Span::new(start, self.text.trim_end().len()))
    }
}

impl Node {
    // Recursion is bounded by MAX_NESTING.
    fn syntax(&self, span: Span) -> Part {
        let mut parts = Vec::new();
        for (argument, span) in self.arguments.iter().zip(&self.spans) {
            parts.push(match argument {
                Argument::String { template, .. } if self.function == Function::Format && parts.is_empty() => {
                    Part::new("template", *span, Value::String(template.clone()))
                }
                Argument::String { value, .. } | Argument::Scalar(value) => Part::new("literal", *span, value.clone()),
                Argument::Call(node) => node.syntax(*span),
                // A path that was compiled also has parts.
                Argument::Path(path) => match Path::syntax(path.text()) {
                    Ok(mut part) => {
                        part.shift(span.start);
                        part
                    }
                    Err(_) => Part::new("other", *span, Value::Null),
                },
            });
        }
        let row = self.function.row();
        let mut part = Part::new("call", span, row.name.into()).of(parts);
        part.takes = row.kinds.iter().map(|kind| kind.name()).collect();
        part.gives = Some(row.result.name());
        part
    }
}

impl Kind {
    /// The type's name in TypeScript.
    fn name(self) -> &'static str {
        match self {
            Kind::Any => "unknown",
            Kind::String => "string",
            Kind::Number => "number",
            Kind::Boolean => "boolean",
            Kind::Null => "null",
            Kind::Array => "unknown[]",
            Kind::Numbers => "number[]",
            Kind::Strings => "string[]",
            Kind::Object => "object",
        }
    }
}
