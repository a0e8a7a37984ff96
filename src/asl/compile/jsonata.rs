//! Compiles strings `{% … %}`, and checks them for references that cannot be resolved.

use super::expression::as_expression;
use super::{Compiler, Position, SCHEMA};
use crate::asl::ir::JsonataTemplate;
use crate::asl::suggest::nearest;
use crate::asl::{JsonataVersion, codes};
use crate::base::diag::{Diagnostic, Part, Severity};
use crate::base::{Span, Value};
use crate::expr::jsonata::{Expression, VariableRef, function_names};

/// The members that `$states` has where an expression is evaluated, besides `input` and `context`.
#[derive(Clone, Copy, Default)]
pub(crate) struct Reach {
    /// `$states.result`: Output and Assign of Task, Parallel and Map.
    pub result: bool,
    /// `$states.errorOutput`: Output and Assign of a catcher.
    pub error_output: bool,
}

impl Reach {
    /// Output and Assign of Task, Parallel and Map.
    pub(crate) const RESULT: Reach = Reach { result: true, error_output: false };
    /// Output and Assign of a catcher.
    pub(crate) const CATCHER: Reach = Reach { result: false, error_output: true };
}

impl Compiler<'_> {
    /// Compiles a JSON value with expressions at any depth.
    pub(crate) fn jsonata_template(&mut self, position: &Position<'_>, value: &Value, reach: Reach) -> JsonataTemplate {
        match value {
            Value::String(text) => {
                if let Some(expression) = as_expression(text) {
                    if let Some(expression) = self.expression(position, expression, reach) {
                        return JsonataTemplate::Expression(expression);
                    }
                } else {
                    self.nearly_expression(position, text);
                }
                JsonataTemplate::Literal(value.clone())
            }
            Value::Array(items) => {
                let parts: Vec<_> =
                    items.iter().enumerate().map(|(i, item)| self.jsonata_template(&position.index(i), item, reach)).collect();
                if parts.iter().all(|part| matches!(part, JsonataTemplate::Literal(_))) {
                    return JsonataTemplate::Literal(value.clone());
                }
                JsonataTemplate::Array(parts)
            }
            Value::Object(map) => {
                let parts: Vec<_> =
                    map.iter().map(|(key, item)| (key.clone(), self.jsonata_template(&position.key(key), item, reach))).collect();
                if parts.iter().all(|(_, part)| matches!(part, JsonataTemplate::Literal(_))) {
                    return JsonataTemplate::Literal(value.clone());
                }
                JsonataTemplate::Object(parts)
            }
            _ => JsonataTemplate::Literal(value.clone()),
        }
    }

    /// Compiles one expression, which is given with its offset in the string.
    pub(crate) fn expression(
        &mut self,
        position: &Position<'_>,
        (text, offset): (&str, usize),
        reach: Reach,
    ) -> Option<Expression> {
        match Expression::parse(text) {
            Ok(expression) => {
                self.references(position, &expression, offset, reach);
                Some(expression)
            }
            Err(error) => {
                let part = Part::Text { offset: offset + error.offset, length: 1 };
                let mut diagnostic = Diagnostic::new(&codes::INVALID_JSONATA, position.pointer(), error.message.clone())
                    .at(part)
                    .aws("INVALID_JSONATA_EXPRESSION", error.message.clone(), Some(position.location()));
                if text.contains("[?(") {
                    diagnostic = diagnostic.help("this is a JSONPath filter; in JSONata it is `[price < 10]`");
                }
                self.report(diagnostic);
                None
            }
        }
    }

    /// Reports a literal that was probably meant to be an expression.
    fn nearly_expression(&mut self, position: &Position<'_>, text: &str) {
        let trimmed = text.trim();
        let (opens, closes) = (trimmed.starts_with("{%"), trimmed.ends_with("%}"));
        if !(opens || closes) {
            return;
        }
        if text.starts_with("{%") != text.ends_with("%}") {
            let (message, fixed) = if opens {
                ("the string must end with `%}`, because it starts with `{%`", format!("{} %}}", text.trim_end()))
            } else {
                ("the string must start with `{%`, because it ends with `%}`", format!("{{% {}", text.trim_start()))
            };
            let mut diagnostic = Diagnostic::new(&codes::UNCLOSED_EXPRESSION, position.pointer(), message).aws(
                SCHEMA,
                "JSONata string must start with {% and end with %}",
                Some(position.location()),
            );
            if opens && closes {
                diagnostic = diagnostic.fix("remove the white space around it", Part::Value, Value::from(trimmed).to_string());
            } else if !text.contains(if opens { "%}" } else { "{%" }) {
                let fixed = Value::from(fixed).to_string();
                diagnostic = diagnostic.fix(format!("did you mean `{fixed}`?"), Part::Value, fixed);
            }
            self.report(diagnostic);
            return;
        }
        if opens && closes && trimmed.len() < text.len() {
            let message = "the string is taken literally: an expression has no white space before `{%` or after `%}`";
            let diagnostic = Diagnostic::new(&codes::NOT_AN_EXPRESSION, position.pointer(), message);
            self.report(diagnostic.fix("remove the white space around it", Part::Value, Value::from(trimmed).to_string()));
        }
    }

    /// Checks the references of an expression: variables, functions, the Context Object, and names that do not exist.
    fn references(&mut self, position: &Position<'_>, expression: &Expression, offset: usize, reach: Reach) {
        let found = expression.references();
        let part = |span: Span| Part::Text { offset: offset + span.start, length: span.end.saturating_sub(span.start) };
        if self.options.jsonata == JsonataVersion::Aws {
            for (operator, at) in &found.newer {
                let message = format!("the operator `{operator}` is newer than the JSONata 2.0.6 that AWS runs");
                let help = match *operator {
                    "??" => "write `$exists(a) ? a : b` for `a ?? b`",
                    _ => "write `a ? a : b` for `a ?: b`",
                };
                let token = operator.get(1..).unwrap_or_default();
                let aws = format!("The symbol \"{token}\" cannot be used as a unary operator");
                let diagnostic = Diagnostic::new(&codes::NEWER_JSONATA, position.pointer(), message).at(part(*at)).help(help);
                self.report(diagnostic.aws("INVALID_JSONATA_EXPRESSION", aws, Some(position.location())));
            }
        }
        for root in &found.roots {
            self.unsupported(position, part(*root), "Reference to '$$' is not supported.", "read `$states.input` instead");
        }
        self.top_level(position, expression, &found.inputs, &part);
        for variable in &found.variables {
            match &*variable.name {
                "states" => self.states_reference(position, variable, &part, reach),
                "eval" => {
                    let message = "`$eval` is not available in state machines";
                    let diagnostic =
                        Diagnostic::new(&codes::UNSUPPORTED_JSONATA, position.pointer(), message).at(part(variable.span));
                    self.report(diagnostic.severity(Severity::Warning).help("use `$parse` to read JSON text"));
                }
                name if function_names().any(|known| known == name) => {}
                name if variable.called => self.unknown_function(position, name, part(variable.span)),
                name => self.reads_variable(name, position, part(variable.span)),
            }
        }
    }

    /// Reports names and `$` that refer to an input document, which expressions here do not have. AWS refuses each name once,
    /// in the order of the text, and accepts `**`, which selects nothing.
    fn top_level(&mut self, position: &Position<'_>, expression: &Expression, inputs: &[Span], part: &dyn Fn(Span) -> Part) {
        let mut reported: Vec<&str> = Vec::new();
        for input in inputs {
            let text = expression.text().get(input.range()).unwrap_or_default();
            let name = text.trim_matches('`');
            if reported.contains(&name) {
                continue;
            }
            reported.push(name);
            let message = format!("`{name}` selects nothing: expressions here have no input document");
            let diagnostic = Diagnostic::new(&codes::NO_DOCUMENT, position.pointer(), message).at(part(*input));
            if name == "**" {
                self.report(diagnostic.severity(Severity::Warning).help("did you mean `$states.input`?"));
                continue;
            }
            let aws = format!("Reference to '{name}' at the top level is not supported.");
            let diagnostic = diagnostic.aws("UNSUPPORTED_JSONATA_EXPRESSION", aws, Some(position.location()));
            let intended = if name == "$" { "$states.input".to_string() } else { format!("$states.input.{text}") };
            self.report(diagnostic.fix(format!("did you mean `{intended}`?"), part(*input), intended));
        }
    }

    /// Reports an unknown function. Variables contain JSON values, so only a function of the language can be called.
    fn unknown_function(&mut self, position: &Position<'_>, name: &str, part: Part) {
        let message = format!("there is no function `${name}`");
        let mut diagnostic = Diagnostic::new(&codes::UNKNOWN_FUNCTION, position.pointer(), message).at(part);
        if let Some(intended) = nearest(name, function_names()) {
            diagnostic = diagnostic.fix(format!("did you mean `${intended}`?"), part, format!("${intended}"));
        }
        self.report(diagnostic);
    }

    fn states_reference(&mut self, position: &Position<'_>, states: &VariableRef, part: &dyn Fn(Span) -> Part, reach: Reach) {
        let Some((member, span)) = states.path.first() else {
            self.uses_context();
            return;
        };
        let whole = part(Span::new(states.span.start, span.end));
        match &**member {
            "input" => {}
            "context" => self.uses_context(),
            "result" if reach.result => {}
            "errorOutput" if reach.error_output => {}
            member => {
                let help = match member {
                    "result" => "the result exists only in Output and Assign of Task, Parallel and Map",
                    "errorOutput" => "the error output exists only in Output and Assign of a catcher",
                    _ => "`$states` has `input`, `context`, `result` and `errorOutput`",
                };
                let message = format!("Field '$states.{member}' does not exist.");
                self.unsupported(position, whole, &message, help);
            }
        }
    }

    fn unsupported(&mut self, position: &Position<'_>, part: Part, aws: &str, help: &str) {
        let message = aws.trim_end_matches('.').replace('\'', "`");
        let mut lower = message.chars();
        let message: String = lower.next().map(|c| c.to_ascii_lowercase()).into_iter().chain(lower).collect();
        self.report(Diagnostic::new(&codes::UNSUPPORTED_JSONATA, position.pointer(), message).at(part).help(help).aws(
            "UNSUPPORTED_JSONATA_EXPRESSION",
            aws,
            Some(position.location()),
        ));
    }
}
