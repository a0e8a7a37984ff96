//! Choice: rules and their operators (spec §5).

use super::expression::as_expression;
use super::fields::describe;
use super::jsonata::Reach;
use super::{Compiler, Position, SCHEMA, Site};
use crate::asl::ir::{Comparison, Condition, Family, Kind, Operand, QueryLanguage, Rule, Test, TypeTest};
use crate::asl::shape;
use crate::asl::suggest::nearest;
use crate::asl::{MAX_RULE_DEPTH, codes};
use crate::base::diag::{Diagnostic, Part};
use crate::base::{Map, Table, Value};

/// Fields of a JSONPath rule besides the operators.
const RULE_FIELDS: &[&str] = &["Variable", "And", "Or", "Not", "Next", "Assign", "Comment"];

impl<'d> Compiler<'d> {
    pub(super) fn choice(
        &mut self,
        position: &Position<'_>,
        members: &'d Map,
        site: Site,
        language: QueryLanguage,
    ) -> Option<Kind> {
        let list = position.key("Choices");
        let mut rules = Vec::new();
        let mut complete = true;
        let items = members.get("Choices").and_then(Value::as_array).unwrap_or_default();
        for (i, item) in items.iter().enumerate() {
            let at = list.index(i);
            let rule = match item.as_object() {
                Some(rule) if language == QueryLanguage::JsonPath => self.rule(&at, rule, site),
                Some(rule) => self.jsonata_rule(&at, rule, site),
                None => {
                    self.wrong_type(&at, item, "an object", "OBJECT");
                    None
                }
            };
            complete &= rule.is_some();
            rules.extend(rule);
        }
        self.repeated_rules(&list, items);
        self.constant_rules(&list, items, language);
        let default = match members.get("Default").and_then(Value::as_str) {
            Some(name) => {
                let target = self.target(&position.key("Default"), site.scope, name);
                complete &= target.is_some();
                target
            }
            None => None,
        };
        complete.then_some(Kind::Choice { rules, default })
    }

    /// Reports rules whose condition equals that of an earlier rule.
    fn repeated_rules(&mut self, list: &Position<'_>, items: &[Value]) {
        let mut seen = Table::default();
        for (i, item) in items.iter().enumerate() {
            let Some(rule) = item.as_object() else { continue };
            let condition: Map = rule
                .iter()
                .filter(|(name, _)| !matches!(&***name, "Next" | "Assign" | "Output" | "Comment"))
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect();
            if condition.is_empty() {
                continue;
            }
            let condition = Value::from(condition);
            let digest = super::digest(&condition);
            let Some(&first) = seen.get(&digest) else {
                seen.insert(digest, i);
                continue;
            };
            self.report(
                Diagnostic::new(
                    &codes::UNREACHABLE_RULE,
                    list.index(i).pointer(),
                    "this rule can never apply: an earlier rule has the same condition",
                )
                .label(list.index(first).pointer(), Part::Value, "this rule applies first"),
            );
        }
    }

    /// Reports rules whose condition is constant: a false one never applies, and no rule after a true one is ever evaluated.
    fn constant_rules(&mut self, list: &Position<'_>, items: &[Value], language: QueryLanguage) {
        if language != QueryLanguage::Jsonata {
            return;
        }
        let constant = |item: &Value| item.get("Condition").and_then(Value::as_bool);
        let first = items.iter().position(|item| constant(item) == Some(true));
        for (i, item) in items.iter().enumerate() {
            let position = list.index(i);
            if let Some(first) = first.filter(|first| *first < i) {
                let message = "this rule can never apply: an earlier rule always applies";
                self.report(Diagnostic::new(&codes::UNREACHABLE_RULE, position.pointer(), message).label(
                    list.index(first).key("Condition").pointer(),
                    Part::Value,
                    "always true",
                ));
            } else if constant(item) == Some(false) {
                let message = "this rule can never apply: its condition is `false`";
                self.report(Diagnostic::new(&codes::UNREACHABLE_RULE, position.pointer(), message));
            }
        }
    }

    /// Compiles a top-level rule of a JSONPath state.
    fn rule(&mut self, position: &Position<'_>, members: &'d Map, site: Site) -> Option<Rule> {
        let condition = self.condition(position, members, 0);
        let assign = match members.get("Assign") {
            Some(value @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_))) => {
                self.wrong_type(&position.key("Assign"), value, "an object", "OBJECT");
                None
            }
            _ => self.assign(position, members, QueryLanguage::JsonPath, Reach::default()),
        };
        let next = match members.get("Next") {
            Some(Value::String(name)) => self.target(&position.key("Next"), site.scope, name),
            Some(value) => {
                self.wrong_type(&position.key("Next"), value, "a string", "STRING");
                None
            }
            None => {
                self.report(Diagnostic::new(&codes::MISSING_FIELD, position.pointer(), "a Choice rule needs `Next`").aws(
                    SCHEMA,
                    "These fields are required: [Next]",
                    Some(position.location()),
                ));
                None
            }
        };
        Some(Rule { condition: condition?, next: next?, assign, output: None })
    }

    fn jsonata_rule(&mut self, position: &Position<'_>, members: &'d Map, site: Site) -> Option<Rule> {
        let mut foreign = false;
        for (name, _) in members.iter() {
            if operator(name).is_some() || matches!(&**name, "Variable" | "And" | "Or" | "Not") {
                self.other_language(position, name, QueryLanguage::Jsonata);
                foreign = true;
            }
        }
        if foreign {
            return None;
        }
        self.check_shape(position, members, &shape::JSONATA_RULE, QueryLanguage::Jsonata);
        let at = position.key("Condition");
        let condition = match members.get("Condition") {
            Some(Value::Bool(value)) => Some(Condition::Constant(*value)),
            Some(Value::String(text)) => as_expression(text)
                .and_then(|expression| self.expression(&at, expression, Reach::default()))
                .map(Condition::Jsonata),
            _ => None,
        };
        let assign = self.assign(position, members, QueryLanguage::Jsonata, Reach::default());
        let output = members
            .get("Output")
            .and_then(|value| self.payload(&position.key("Output"), value, QueryLanguage::Jsonata, Reach::default()));
        let next = members.get("Next").and_then(Value::as_str);
        let next = next.and_then(|next| self.target(&position.key("Next"), site.scope, next));
        Some(Rule { condition: condition?, next: next?, assign, output })
    }

    /// Compiles the one test of a rule.
    fn condition(&mut self, position: &Position<'_>, members: &'d Map, depth: usize) -> Option<Condition> {
        if depth > MAX_RULE_DEPTH {
            let message = format!("Choice rules are nested more than {MAX_RULE_DEPTH} levels deep");
            self.report(Diagnostic::new(&codes::NESTED_TOO_DEEP, position.pointer(), message));
            return None;
        }
        let mut operators: Vec<&'d str> = Vec::new();
        let mut sound = true;
        for (name, value) in members.iter() {
            match &**name {
                "And" | "Or" | "Not" => operators.push(name),
                "Variable" => {}
                "Comment" if value.as_str().is_none() => self.wrong_type(&position.key(name), value, "a string", "STRING"),
                "Comment" => {}
                "Next" | "Assign" if depth == 0 => {}
                "Condition" | "Output" => {
                    self.other_language(position, name, QueryLanguage::JsonPath);
                    sound = false;
                }
                _ if operator(name).is_some() => operators.push(name),
                _ => {
                    self.unknown_in_rule(position, name, depth);
                    sound = false;
                }
            }
        }
        let has_variable = members.contains_key("Variable");
        match *operators.as_slice() {
            [name @ ("And" | "Or")] if !has_variable => self.combination(position, members, name, depth),
            ["Not"] if !has_variable => match members.get("Not") {
                Some(Value::Object(rule)) => {
                    self.condition(&position.key("Not"), rule, depth + 1).map(|rule| Condition::Not(Box::new(rule)))
                }
                other => {
                    self.wrong_type(&position.key("Not"), other.unwrap_or(&Value::Null), "a rule", "OBJECT");
                    None
                }
            },
            [name] if has_variable && operator(name).is_some() => self.test(position, members, name),
            _ if !sound && operators.is_empty() => None,
            _ => {
                self.not_one_test(position, &operators, has_variable);
                None
            }
        }
    }

    fn combination(&mut self, position: &Position<'_>, members: &'d Map, name: &'d str, depth: usize) -> Option<Condition> {
        let at = position.key(name);
        let Some(Value::Array(items)) = members.get(name) else {
            self.wrong_type(&at, members.get(name).unwrap_or(&Value::Null), "a list of rules", "ARRAY");
            return None;
        };
        if items.is_empty() {
            self.empty_value(&at);
            return None;
        }
        let mut parts = Vec::with_capacity(items.len());
        for (i, item) in items.iter().enumerate() {
            let at = at.index(i);
            match item.as_object() {
                Some(rule) => parts.extend(self.condition(&at, rule, depth + 1)),
                None => self.wrong_type(&at, item, "a rule", "OBJECT"),
            }
        }
        if parts.len() < items.len() {
            return None;
        }
        Some(if name == "And" { Condition::And(parts) } else { Condition::Or(parts) })
    }

    fn unknown_in_rule(&mut self, position: &Position<'_>, name: &str, depth: usize) {
        let pointer = position.key(name).pointer();
        let aws = format!("Field '{name}' is not supported");
        let diagnostic = if depth > 0 && matches!(name, "Next" | "Assign") {
            Diagnostic::new(&codes::FIELD_NOT_ALLOWED, pointer, format!("only the outermost rule can have `{name}`"))
        } else if shape::STATES.iter().any(|state| state.row(name).is_some()) {
            Diagnostic::new(&codes::FIELD_NOT_ALLOWED, pointer, format!("a Choice rule has no field `{name}`"))
        } else {
            let diagnostic =
                Diagnostic::new(&codes::UNKNOWN_FIELD, pointer, format!("`{name}` is not a field or operator of a Choice rule"));
            let known = RULE_FIELDS.iter().copied().chain(OPERATORS.iter().map(|(name, _)| *name));
            match nearest(name, known) {
                Some(intended) => diagnostic.fix(format!("did you mean `{intended}`?"), Part::Key, format!("\"{intended}\"")),
                None if name == "StringMatchesPath" => diagnostic.help("there is no Path form of `StringMatches`"),
                None => diagnostic,
            }
        };
        self.report(diagnostic.at(Part::Key).aws(SCHEMA, aws, Some(position.location())));
    }

    fn not_one_test(&mut self, position: &Position<'_>, operators: &[&str], has_variable: bool) {
        let several = operators.len() > 1;
        let aws = match operators {
            [] if !has_variable => SELECTORS.to_string(),
            [_] => SELECTORS.to_string(),
            several if several.iter().any(|name| operator(name).is_none()) => SELECTORS.to_string(),
            _ => {
                let start = if several { "There should only be" } else { "This object should have only" };
                format!("{start} one of the following fields: [{AWS_OPERATORS}]")
            }
        };
        let diagnostic = match operators {
            [] if has_variable => {
                Diagnostic::new(&codes::CHOICE_RULE, position.pointer(), "the rule has a `Variable` but no comparison operator")
                    .help("add an operator such as `\"StringEquals\": \"…\"` or `\"IsPresent\": true`")
            }
            [] => Diagnostic::new(&codes::CHOICE_RULE, position.pointer(), "the rule has no test")
                .help("add `Variable` with a comparison operator, or `And`, `Or`, `Not`"),
            [name] if has_variable => {
                let message = format!("`Variable` cannot be used with `{name}`: put it into the inner rules");
                Diagnostic::new(&codes::CHOICE_RULE, position.pointer(), message)
            }
            [name] => {
                let message = format!("`{name}` needs a `Variable`, the path of the value to compare");
                Diagnostic::new(&codes::CHOICE_RULE, position.pointer(), message)
            }
            several => {
                let list = several.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" and ");
                Diagnostic::new(&codes::CHOICE_RULE, position.pointer(), format!("a rule has one test, not {list}"))
                    .help("combine several tests with `And` or `Or`")
            }
        };
        self.report(diagnostic.aws(SCHEMA, aws, Some(position.location())));
    }

    /// Compiles `Variable` and its operator.
    fn test(&mut self, position: &Position<'_>, members: &Map, name: &str) -> Option<Condition> {
        let at = position.key("Variable");
        let variable = match members.get("Variable") {
            Some(Value::String(text)) => self.reference(&at, text),
            other => {
                self.wrong_type(&at, other.unwrap_or(&Value::Null), "a string", "STRING");
                None
            }
        };
        let at = position.key(name);
        let operand = members.get(name)?;
        let test = match (operator(name)?, operand) {
            (Operator::Compare(family, comparison, true), Value::String(text)) => {
                let path = self.reference(&at, text)?;
                Test::Compare { family, operator: comparison, operand: Operand::Path(path) }
            }
            (Operator::Compare(family, comparison, false), value) if family_has(family, value) => {
                if let (Family::Timestamp, Value::String(text)) = (family, value) {
                    self.check_timestamp(&at, text);
                }
                Test::Compare { family, operator: comparison, operand: Operand::Literal(value.clone()) }
            }
            (Operator::Matches, Value::String(pattern)) => Test::Matches(pattern.clone()),
            (Operator::Is(test), Value::Bool(answer)) => Test::Is(test, *answer),
            (operator, value) => {
                self.wrong_operand(&at, operator, value);
                return None;
            }
        };
        Some(Condition::Test { variable: variable?, test })
    }

    fn wrong_operand(&mut self, position: &Position<'_>, operator: Operator, value: &Value) {
        let (wanted, aws) = match operator {
            Operator::Compare(_, _, true) => ("a path", "STRING"),
            Operator::Compare(Family::Numeric, ..) => ("a number", "NUMBER"),
            Operator::Compare(Family::Boolean, ..) | Operator::Is(_) => ("true or false", "BOOLEAN"),
            Operator::Compare(Family::Timestamp, ..) => ("a timestamp in a string", "STRING"),
            _ => ("a string", "STRING"),
        };
        let name = position.name();
        if matches!(operator, Operator::Compare(_, _, false)) && value.as_str().is_some_and(|text| text.starts_with('$')) {
            let message = format!("`{name}` must be {wanted}, not {}", describe(value));
            let diagnostic = Diagnostic::new(&codes::WRONG_TYPE, position.pointer(), message);
            let diagnostic =
                diagnostic.fix(format!("to compare with a path, use `{name}Path`"), Part::Key, format!("\"{name}Path\""));
            self.report(diagnostic.aws(SCHEMA, format!("Expected value of type [{aws}]"), Some(position.location())));
            return;
        }
        self.wrong_type(position, value, wanted, aws);
    }
}

/// AWS's message about a rule that is of none of the known forms.
const SELECTORS: &str = "The object must have only one of the following fields, [And, Or, Not, Variable, Condition]";

/// The operators in the order in which AWS lists them.
const AWS_OPERATORS: &str = "StringEquals, IsBoolean, StringLessThan, IsNumeric, BooleanEquals, StringLessThanEqualsPath, \
     NumericLessThan, NumericGreaterThan, NumericLessThanPath, StringMatches, TimestampLessThanEqualsPath, NumericEquals, \
     TimestampGreaterThan, StringGreaterThanEqualsPath, TimestampGreaterThanEqualsPath, TimestampLessThanEquals, \
     NumericLessThanEqualsPath, TimestampEquals, BooleanEqualsPath, IsTimestamp, StringLessThanEquals, NumericLessThanEquals, \
     StringLessThanPath, TimestampGreaterThanPath, StringGreaterThan, StringGreaterThanPath, IsString, StringEqualsPath, \
     TimestampEqualsPath, TimestampLessThan, StringGreaterThanEquals, NumericGreaterThanPath, NumericGreaterThanEquals, \
     NumericEqualsPath, TimestampLessThanPath, IsNull, IsPresent, TimestampGreaterThanEquals, NumericGreaterThanEqualsPath";

/// The meaning of an operator's name.
#[derive(Clone, Copy, PartialEq)]
enum Operator {
    /// Family, order, and whether the operand is a path.
    Compare(Family, Comparison, bool),
    Matches,
    Is(TypeTest),
}

fn family_has(family: Family, value: &Value) -> bool {
    match family {
        Family::String | Family::Timestamp => matches!(value, Value::String(_)),
        Family::Numeric => matches!(value, Value::Number(_)),
        Family::Boolean => matches!(value, Value::Bool(_)),
    }
}

fn operator(name: &str) -> Option<Operator> {
    OPERATORS.iter().find(|(known, _)| *known == name).map(|(_, operator)| *operator)
}

/// Returns the name of a test's operator: `NumericEqualsPath`.
pub(crate) fn operator_name(test: &Test) -> &'static str {
    let of_test = match test {
        Test::Compare { family, operator, operand } => Operator::Compare(*family, *operator, matches!(operand, Operand::Path(_))),
        Test::Matches(_) => Operator::Matches,
        Test::Is(kind, _) => Operator::Is(*kind),
    };
    OPERATORS.iter().find(|(_, operator)| *operator == of_test).map_or("", |(name, _)| name)
}

macro_rules! comparisons {
    ($($name:literal $family:ident $comparison:ident,)*) => {
        [$(
            ($name, Operator::Compare(Family::$family, Comparison::$comparison, false)),
            (concat!($name, "Path"), Operator::Compare(Family::$family, Comparison::$comparison, true)),
        )*]
    };
}

/// All 39 operators.
static OPERATORS: &[(&str, Operator)] = &{
    let compare = comparisons![
        "StringEquals" String Equals,
        "StringLessThan" String LessThan,
        "StringGreaterThan" String GreaterThan,
        "StringLessThanEquals" String LessThanEquals,
        "StringGreaterThanEquals" String GreaterThanEquals,
        "NumericEquals" Numeric Equals,
        "NumericLessThan" Numeric LessThan,
        "NumericGreaterThan" Numeric GreaterThan,
        "NumericLessThanEquals" Numeric LessThanEquals,
        "NumericGreaterThanEquals" Numeric GreaterThanEquals,
        "BooleanEquals" Boolean Equals,
        "TimestampEquals" Timestamp Equals,
        "TimestampLessThan" Timestamp LessThan,
        "TimestampGreaterThan" Timestamp GreaterThan,
        "TimestampLessThanEquals" Timestamp LessThanEquals,
        "TimestampGreaterThanEquals" Timestamp GreaterThanEquals,
    ];
    let mut all = [("", Operator::Matches); 39];
    let mut i = 0;
    while i < compare.len() {
        all[i] = compare[i];
        i += 1;
    }
    all[32] = ("StringMatches", Operator::Matches);
    all[33] = ("IsNull", Operator::Is(TypeTest::Null));
    all[34] = ("IsPresent", Operator::Is(TypeTest::Present));
    all[35] = ("IsNumeric", Operator::Is(TypeTest::Numeric));
    all[36] = ("IsString", Operator::Is(TypeTest::String));
    all[37] = ("IsBoolean", Operator::Is(TypeTest::Boolean));
    all[38] = ("IsTimestamp", Operator::Is(TypeTest::Timestamp));
    all
};

#[cfg(test)]
mod tests {
    use super::OPERATORS;

    #[test]
    fn every_operator_has_a_unique_name() {
        assert_eq!(OPERATORS.len(), 39);
        assert!(OPERATORS.iter().all(|(name, _)| !name.is_empty()));
    }
}
