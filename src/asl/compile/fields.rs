//! Checks the fields of one object against its shape: unknown, misplaced, missing, of the wrong type, out of range.

use super::expression::as_expression;
use super::{Compiler, Position, SCHEMA};
use crate::asl::codes;
use crate::asl::ir::QueryLanguage;
use crate::asl::shape::{self, Row, Shape, Type};
use crate::asl::suggest::nearest;
use crate::base::diag::{Diagnostic, Part};
use crate::base::time::parse_rfc3339;
use crate::base::{Map, Value, decimal};

/// Returns the language that a `QueryLanguage` field selects. AWS treats everything that is not exactly `JSONPath` as JSONata,
/// and also reports the spelling (spec §1.1).
pub(super) fn language(value: &Value) -> QueryLanguage {
    if value.as_str() == Some("JSONPath") { QueryLanguage::JsonPath } else { QueryLanguage::Jsonata }
}

/// A value's type with its article, for messages.
pub(super) fn describe(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

impl Compiler<'_> {
    /// Checks every field of an object, and that no required one is missing.
    pub(crate) fn check_shape(&mut self, position: &Position<'_>, members: &Map, shape: &Shape, language: QueryLanguage) {
        self.check_shape_mixed(position, members, shape, language, false);
    }

    /// Checks an object's fields. With `mixed`, fields of the other language are skipped, because one diagnostic for all of
    /// them was reported.
    pub(crate) fn check_shape_mixed(
        &mut self,
        position: &Position<'_>,
        members: &Map,
        shape: &Shape,
        language: QueryLanguage,
        mixed: bool,
    ) {
        for (name, value) in members.iter() {
            let at = position.key(name);
            match shape.row(name) {
                None => self.unknown_field(position, name, shape),
                Some(row) if row.language.is_some_and(|only| only != language) => {
                    if !mixed {
                        self.other_language(position, name, language);
                    }
                }
                Some(row) => self.check_type(&at, value, row, language),
            }
        }
        let missing: Vec<&str> = shape
            .fields()
            .filter(|row| row.required && !members.contains_key(row.name))
            .filter(|row| row.language.is_none_or(|only| only == language))
            .map(|row| row.name)
            .collect();
        if !missing.is_empty() {
            self.missing_fields(position, members, shape, &missing);
        }
    }

    fn missing_fields(&mut self, position: &Position<'_>, members: &Map, shape: &Shape, missing: &[&str]) {
        let list = missing.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" and ");
        let mut diagnostic = Diagnostic::new(&codes::MISSING_FIELD, position.pointer(), format!("{} needs {list}", shape.noun))
            .at(if position.name().is_empty() { Part::Value } else { Part::Key })
            .aws(SCHEMA, format!("These fields are required: [{}]", missing.join(", ")), Some(position.location()));
        // There is a field with nearly this name, so that the typing error is reported, together with its fix.
        if let Some(typo) = members.iter().map(|(name, _)| &**name).find(|name| nearest(name, missing.iter().copied()).is_some()) {
            diagnostic = diagnostic.label(position.key(typo).pointer(), Part::Key, "did you mean this?");
        }
        self.report(diagnostic);
    }

    /// Reports a field of the other query language.
    pub(crate) fn other_language(&mut self, position: &Position<'_>, name: &str, language: QueryLanguage) {
        let (own, other) = match language {
            QueryLanguage::JsonPath => ("JSONPath", "JSONata"),
            QueryLanguage::Jsonata => ("JSONata", "JSONPath"),
        };
        let message = format!("`{name}` is a field of {other} states, but this state uses {own}");
        let aws =
            format!("The QueryLanguage is set to '{own}', but field '{name}' is only supported for the '{other}' QueryLanguage");
        let mut diagnostic = Diagnostic::new(&codes::WRONG_QUERY_LANGUAGE, position.key(name).pointer(), message)
            .at(Part::Key)
            .aws(SCHEMA, aws, Some(position.location()));
        let instead = match (language, name) {
            (QueryLanguage::Jsonata, "InputPath") => Some("remove it; expressions read from `$states.input`"),
            (QueryLanguage::Jsonata, "Parameters") => {
                Some("use `Arguments` (Task, Parallel), `ItemSelector` (Map) or `Output` (Pass)")
            }
            (QueryLanguage::Jsonata, "ResultSelector" | "ResultPath" | "OutputPath" | "Result") => {
                Some("use `Output`, which can read `$states.input` and, in Task, Parallel and Map, `$states.result`")
            }
            (QueryLanguage::Jsonata, "ItemsPath") => Some("use `Items`, for example `\"{% $states.input.items %}\"`"),
            (QueryLanguage::Jsonata, name) if name.ends_with("Path") => {
                Some("use the field without `Path`; it takes an expression `\"{% … %}\"`")
            }
            (QueryLanguage::JsonPath, _) => Some("set `\"QueryLanguage\": \"JSONata\"` in this state, or use the JSONPath fields"),
            _ => None,
        };
        if let Some(instead) = instead {
            diagnostic = diagnostic.help(instead);
        }
        self.report(diagnostic);
    }

    /// Reports a field that is not in the shape: it is misplaced or misspelt.
    pub(crate) fn unknown_field(&mut self, position: &Position<'_>, name: &str, shape: &Shape) {
        let pointer = position.key(name).pointer();
        let aws = (format!("Field '{name}' is not supported"), Some(position.location()));
        let owners: Vec<&str> = shape::STATES.iter().filter(|state| state.row(name).is_some()).map(|state| state.noun).collect();
        let diagnostic = if !owners.is_empty() || shape::MACHINE.row(name).is_some() {
            let message = format!("{} has no field `{name}`", shape.noun);
            let mut diagnostic = Diagnostic::new(&codes::FIELD_NOT_ALLOWED, pointer, message);
            if !owners.is_empty() && owners.len() < shape::STATES.len() {
                diagnostic = diagnostic.help(format!("`{name}` belongs to {}", owners.join(", ")));
            }
            diagnostic
        } else {
            let mut diagnostic =
                Diagnostic::new(&codes::UNKNOWN_FIELD, pointer, format!("`{name}` is not a field of {}", shape.noun));
            let known = shape.fields().map(|row| row.name);
            if let Some(intended) = nearest(name, known) {
                diagnostic = diagnostic.fix(format!("did you mean `{intended}`?"), Part::Key, format!("\"{intended}\""));
            } else if name.to_ascii_lowercase().contains("comment") {
                diagnostic = diagnostic.help("use `Comment` for remarks");
            }
            diagnostic
        };
        self.report(diagnostic.at(Part::Key).aws(SCHEMA, aws.0, aws.1));
    }

    fn check_type(&mut self, position: &Position<'_>, value: &Value, row: &Row, language: QueryLanguage) {
        let computed = row.computable && language == QueryLanguage::Jsonata;
        if computed && value.as_str().is_some_and(|text| as_expression(text).is_some()) {
            return;
        }
        match (row.ty, value) {
            (Type::Any, _)
            | (Type::String, Value::String(_))
            | (Type::Boolean, Value::Bool(_))
            | (Type::Object, Value::Object(_))
            | (Type::List, Value::Array(_))
            | (Type::StringOrNull, Value::String(_) | Value::Null)
            | (Type::Items, Value::Array(_) | Value::Object(_)) => {}
            (Type::Items, Value::String(text)) if as_expression(text).is_some() => {}
            (Type::Word(words), Value::String(text)) => self.check_word(position, text, words),
            (Type::Filled, Value::Array(items)) => {
                if items.is_empty() {
                    self.empty_value(position);
                }
            }
            (Type::Integer(min, max), Value::Number(number)) => match number.as_i64() {
                Some(integer) if integer < min => {
                    self.out_of_range(position, format!("at least {min}"), format!("Minimum value is {min}"))
                }
                Some(integer) if integer > max => {
                    self.out_of_range(position, format!("at most {max}"), format!("Maximum value is {max}"))
                }
                Some(_) => {}
                None => self.fraction(position),
            },
            (Type::Number(min, max), Value::Number(number)) => {
                let number = number.as_f64();
                let below = number < min;
                let beyond = number > max;
                // The bounds that a number can exceed are integers.
                let (min, max) = (min as i64, max as i64);
                if below {
                    self.out_of_range(position, format!("at least {min}"), format!("Minimum value is {min}"));
                } else if beyond {
                    self.out_of_range(position, format!("at most {max}"), format!("Maximum value is {max}"));
                }
            }
            (Type::Timestamp, Value::String(text)) => self.check_timestamp(position, text),
            (_, Value::String(_)) if computed || matches!(row.ty, Type::Items) => self.expression_required(position, row),
            (ty, _) => {
                let (wanted, aws) = match ty {
                    Type::String | Type::Word(_) | Type::Timestamp => ("a string", "STRING"),
                    Type::StringOrNull => ("a string or null", "STRING"),
                    Type::Boolean => ("true or false", "BOOLEAN"),
                    Type::Integer(..) => ("an integer", "INTEGER"),
                    Type::Number(..) => ("a number", "NUMBER"),
                    Type::Object => ("an object", "OBJECT"),
                    Type::List | Type::Filled => ("a list", "ARRAY"),
                    Type::Items => ("a list, an object or an expression", "ARRAY"),
                    Type::Any => return,
                };
                self.wrong_type(position, value, wanted, aws);
            }
        }
    }

    /// Reports a value of the wrong JSON type.
    pub(crate) fn wrong_type(&mut self, position: &Position<'_>, value: &Value, wanted: &str, aws: &str) {
        let what = if position.name().is_empty() { "this".to_string() } else { format!("`{}`", position.name()) };
        let mut diagnostic =
            Diagnostic::new(&codes::WRONG_TYPE, position.pointer(), format!("{what} must be {wanted}, not {}", describe(value)))
                .aws(SCHEMA, format!("Expected value of type [{aws}]"), Some(position.location()));
        // The value is a number or a boolean in quotes.
        if let Some(text) = value.as_str() {
            let bare = match aws {
                "INTEGER" => text.trim().parse::<i64>().is_ok(),
                "NUMBER" => decimal::parse(text.trim()).is_some_and(f64::is_finite),
                "BOOLEAN" => matches!(text.trim(), "true" | "false"),
                _ => false,
            };
            if bare {
                let text = text.trim();
                diagnostic = diagnostic.fix(format!("remove the quotes: `{text}`"), Part::Value, text);
            }
        }
        if aws == "ARRAY" && matches!(value, Value::String(_) | Value::Object(_)) {
            diagnostic = diagnostic.fix("make it a list of one", Part::Value, format!("[{value}]"));
        }
        self.report(diagnostic);
    }

    /// Reports a number with a fraction where an integer is needed; AWS has a separate message for it.
    fn fraction(&mut self, position: &Position<'_>) {
        let message = format!("`{}` must be an integer", position.name());
        self.report(Diagnostic::new(&codes::WRONG_TYPE, position.pointer(), message).aws(
            SCHEMA,
            "Expected value of type Integer",
            Some(position.location()),
        ));
    }

    /// Reports an empty list or object.
    pub(crate) fn empty_value(&mut self, position: &Position<'_>) {
        let message = format!("`{}` must not be empty", position.name());
        self.report(Diagnostic::new(&codes::EMPTY_VALUE, position.pointer(), message).aws(
            SCHEMA,
            "Value cannot be empty",
            Some(position.location()),
        ));
    }

    fn out_of_range(&mut self, position: &Position<'_>, wanted: String, aws: String) {
        let message = format!("`{}` must be {wanted}", position.name());
        self.report(Diagnostic::new(&codes::OUT_OF_RANGE, position.pointer(), message).aws(SCHEMA, aws, Some(position.location())));
    }

    fn expression_required(&mut self, position: &Position<'_>, row: &Row) {
        let wanted = match row.ty {
            Type::Integer(..) => "an integer",
            Type::Number(..) => "a number",
            Type::Boolean => "true, false",
            Type::Object => "an object",
            _ => "a list",
        };
        let message = format!("`{}` must be {wanted} or an expression `\"{{% … %}}\"`", position.name());
        self.report(Diagnostic::new(&codes::EXPRESSION_REQUIRED, position.pointer(), message).aws(
            SCHEMA,
            "Value is not a valid JSONata expression",
            Some(position.location()),
        ));
    }

    /// Reports a `Type` that is not one of the eight.
    pub(crate) fn check_state_type(&mut self, position: &Position<'_>, text: &str) {
        self.check_word(position, text, shape::STATE_TYPES);
    }

    fn check_word(&mut self, position: &Position<'_>, text: &str, words: &[&str]) {
        if words.contains(&text) {
            return;
        }
        let name = position.name();
        let message = format!("`{name}` cannot be `{text}`; it must be one of {}", words.join(", "));
        let aws = if name == "Type" {
            format!("The field 'Type' should have one of these values: [{}]", words.join(", "))
        } else {
            format!("Value should be one of the following: [{}]", words.join(", "))
        };
        let mut diagnostic =
            Diagnostic::new(&codes::UNKNOWN_VALUE, position.pointer(), message).aws(SCHEMA, aws, Some(position.location()));
        if let Some(intended) = nearest(text, words.iter().copied()) {
            diagnostic =
                diagnostic.fix(format!("did you mean `\"{name}\": \"{intended}\"`?"), Part::Value, format!("\"{intended}\""));
        }
        self.report(diagnostic);
    }

    /// Checks an RFC 3339 timestamp as the language requires it.
    pub(crate) fn check_timestamp(&mut self, position: &Position<'_>, text: &str) {
        if parse_rfc3339(text).is_some() {
            return;
        }
        let mut diagnostic = Diagnostic::new(
            &codes::INVALID_TIMESTAMP,
            position.pointer(),
            format!("`{text}` is not an RFC 3339 timestamp such as `2026-03-14T01:59:00Z`"),
        )
        .aws(SCHEMA, "String does not match RFC3339 timestamp", Some(position.location()));
        let repaired = text.trim().replacen(' ', "T", 1).to_ascii_uppercase();
        let candidates = [repaired.clone(), format!("{repaired}Z"), format!("{repaired}T00:00:00Z")];
        if let Some(intended) = candidates.into_iter().find(|candidate| parse_rfc3339(candidate).is_some()) {
            diagnostic = diagnostic.fix(format!("did you mean `{intended}`?"), Part::Value, format!("\"{intended}\""));
        }
        self.report(diagnostic);
    }

    /// Reports two fields of which only one is permitted. Returns whether both are there.
    pub(crate) fn exclusive(&mut self, position: &Position<'_>, members: &Map, first: &str, second: &str) -> bool {
        if !members.contains_key(first) || !members.contains_key(second) {
            return false;
        }
        let message = format!("`{first}` and `{second}` cannot be used together");
        let aws = format!("There should only be one of the following fields: [{first}, {second}]");
        self.report(
            Diagnostic::new(&codes::EXCLUSIVE_FIELDS, position.key(second).pointer(), message)
                .at(Part::Key)
                .label(position.key(first).pointer(), Part::Key, "the other one")
                .aws(SCHEMA, aws, Some(position.location())),
        );
        true
    }
}
