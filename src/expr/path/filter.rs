//! `[?( … )]`: the tests of a filter, with Jayway's comparisons.

use super::Query;
use crate::base::{Number, Value, json};
use crate::expr::budget::{Budget, Limit};
use crate::expr::regex::{Options, Pattern as Regex, Scratch};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::sync::Arc;

/// Maximum length of a regular expression, in bytes.
const MAX_PATTERN: usize = 1024;

/// A test on one value.
#[derive(Clone, Debug)]
pub(super) enum Filter {
    Or(Vec<Filter>),
    And(Vec<Filter>),
    Not(Box<Filter>),
    Exists {
        from_root: bool,
        query: Query,
    },
    /// `!@.name`: there is no such value, or it is null.
    Absent {
        from_root: bool,
        query: Query,
    },
    Test {
        left: Operand,
        operator: Operator,
        right: Operand,
    },
}

/// A side of a comparison.
#[derive(Clone, Debug)]
pub(super) enum Operand {
    /// `@…` or `$…`
    Path {
        from_root: bool,
        query: Query,
    },
    Literal(Value),
    Pattern(Pattern),
}

/// `/…/flags`: matches whole strings, in time that is linear in their length.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    regex: Arc<Regex>,
}

/// How many steps of the regular expression engine cost as much as visiting one value.
const STEPS_PER_VISIT: u64 = 8;

impl Pattern {
    pub(super) fn new(source: &str, flags: &str) -> Result<Pattern, String> {
        if source.len() > MAX_PATTERN {
            return Err(format!("The regular expression is longer than {MAX_PATTERN} bytes"));
        }
        if let Some(flag) = flags.chars().find(|flag| !"idmsuUx".contains(*flag)) {
            return Err(format!("There is no regular expression flag '{flag}'"));
        }
        let options = Options {
            ignore_case: flags.contains('i'),
            multi_line: flags.contains('m'),
            dot_all: flags.contains('s'),
            verbose: flags.contains('x'),
            whole: true,
        };
        let regex = Regex::compile(source, options).map_err(|reason| format!("Not a regular expression: {reason}"))?;
        Ok(Pattern { regex: Arc::new(regex) })
    }

    fn matches(&self, value: &Value, budget: &mut Budget) -> Result<bool, Limit> {
        let text = match value {
            Value::String(text) => Cow::Borrowed(&**text),
            Value::Number(number) => Cow::Owned(number.to_string()),
            Value::Bool(truth) => Cow::Borrowed(if *truth { "true" } else { "false" }),
            Value::Array(items) => {
                for item in items.iter().filter(|item| !matches!(item, Value::Array(_))) {
                    if self.matches(item, budget)? {
                        return Ok(true);
                    }
                }
                return Ok(false);
            }
            _ => return Ok(false),
        };
        let all = budget.visits().saturating_mul(STEPS_PER_VISIT);
        let mut left = all;
        let found = self.regex.find(&text, 0, &mut Scratch::default(), &mut left);
        budget.visit(1 + (all - left) / STEPS_PER_VISIT)?;
        found.map(|found| found.is_some()).map_err(|_| Limit)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Equal,
    NotEqual,
    SameTypeEqual,
    SameTypeNotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Matches,
    In,
    NotIn,
    SubsetOf,
    AnyOf,
    NoneOf,
    All,
    Contains,
    Size,
    Empty,
}

impl Operator {
    pub(super) fn named(token: &str) -> Option<Operator> {
        Some(match token.to_ascii_lowercase().as_str() {
            "==" => Operator::Equal,
            "!=" => Operator::NotEqual,
            "===" => Operator::SameTypeEqual,
            "!==" => Operator::SameTypeNotEqual,
            "<" => Operator::Less,
            "<=" => Operator::LessEqual,
            ">" => Operator::Greater,
            ">=" => Operator::GreaterEqual,
            "=~" => Operator::Matches,
            "in" => Operator::In,
            "nin" => Operator::NotIn,
            "subsetof" => Operator::SubsetOf,
            "anyof" => Operator::AnyOf,
            "noneof" => Operator::NoneOf,
            "all" => Operator::All,
            "contains" => Operator::Contains,
            "size" => Operator::Size,
            "empty" => Operator::Empty,
            _ => return None,
        })
    }
}

impl Filter {
    /// Whether `current` passes.
    pub(super) fn accepts(&self, root: &Value, current: &Value, budget: &mut Budget) -> Result<bool, Limit> {
        budget.visit(1)?;
        match self {
            Filter::Or(terms) => {
                for term in terms {
                    if term.accepts(root, current, budget)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Filter::And(terms) => {
                for term in terms {
                    if !term.accepts(root, current, budget)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Filter::Not(term) => Ok(!term.accepts(root, current, budget)?),
            // A path with several hits exists even if it has none (Jayway).
            Filter::Exists { from_root, query } => {
                let start = if *from_root { root } else { current };
                Ok(query.value(start, root, budget)?.is_some())
            }
            Filter::Absent { from_root, query } => {
                let start = if *from_root { root } else { current };
                Ok(query.value(start, root, budget)?.is_none_or(|value| value.is_null()))
            }
            Filter::Test { left, operator, right } => test(left, *operator, right, root, current, budget),
        }
    }
}

fn test(
    left: &Operand,
    operator: Operator,
    right: &Operand,
    root: &Value,
    current: &Value,
    budget: &mut Budget,
) -> Result<bool, Limit> {
    if operator == Operator::Matches {
        let (pattern, other) = match (left, right) {
            (Operand::Pattern(_), Operand::Pattern(_)) => return Ok(false),
            (Operand::Pattern(pattern), other) | (other, Operand::Pattern(pattern)) => (pattern, other),
            _ => return Ok(false),
        };
        return match other.value(root, current, budget)? {
            Some(value) => pattern.matches(&value, budget),
            None => Ok(false),
        };
    }
    let left = left.value(root, current, budget)?;
    let right = right.value(root, current, budget)?;
    let equal = |budget: &mut Budget| match (&left, &right) {
        (Some(left), Some(right)) => equals(left, right, budget),
        _ => Ok(false),
    };
    let same_type = || match (&left, &right) {
        (Some(left), Some(right)) => left.type_name() == right.type_name(),
        _ => left.is_none() && right.is_none(),
    };
    match operator {
        Operator::Equal => return equal(budget),
        Operator::NotEqual => return Ok(!equal(budget)?),
        Operator::SameTypeEqual => return Ok(same_type() && equal(budget)?),
        Operator::SameTypeNotEqual => return Ok(!(same_type() && equal(budget)?)),
        // A missing left side is in no list.
        Operator::NotIn if left.is_none() => return Ok(true),
        _ => {}
    }
    let (Some(left), Some(right)) = (left, right) else {
        return Ok(false);
    };
    for text in [&left, &right].into_iter().filter_map(|side| side.as_str()) {
        budget.scan(text.len())?;
    }
    let ordered = |accept: fn(Ordering) -> bool| order(&left, &right).is_some_and(accept);
    match operator {
        Operator::Less => Ok(ordered(Ordering::is_lt)),
        Operator::LessEqual => Ok(ordered(Ordering::is_le)),
        Operator::Greater => Ok(ordered(Ordering::is_gt)),
        Operator::GreaterEqual => Ok(ordered(Ordering::is_ge)),
        Operator::In => within(&left, &right, budget),
        Operator::NotIn => Ok(!within(&left, &right, budget)?),
        Operator::SubsetOf => every(&left, &right, budget),
        Operator::All => every(&right, &left, budget),
        Operator::AnyOf => any(&left, &right, budget),
        Operator::NoneOf => Ok(right.as_array().is_some() && left.as_array().is_some() && !any(&left, &right, budget)?),
        Operator::Contains => match (&*left, &*right) {
            (Value::String(text), Value::String(part)) => Ok(text.contains(&**part)),
            _ => within(&right, &left, budget),
        },
        Operator::Size => Ok(right.as_i64().is_some_and(|size| length(&left).is_some_and(|length| length as i64 == size))),
        Operator::Empty => Ok(right.as_bool().is_some_and(|empty| length(&left).is_some_and(|length| (length == 0) == empty))),
        _ => Ok(false),
    }
}

impl Operand {
    /// Returns the value of an operand; `None` for a definite path that finds nothing, or a regular expression.
    fn value<'a>(&'a self, root: &'a Value, current: &'a Value, budget: &mut Budget) -> Result<Option<Cow<'a, Value>>, Limit> {
        match self {
            Operand::Path { from_root, query } => query.value(if *from_root { root } else { current }, root, budget),
            Operand::Literal(value) => Ok(Some(Cow::Borrowed(value))),
            Operand::Pattern(_) => Ok(None),
        }
    }
}

/// Implements Jayway's `==`: a string and a number are compared as the type of the left one.
fn equals(left: &Value, right: &Value, budget: &mut Budget) -> Result<bool, Limit> {
    match (left, right) {
        (Value::String(text), Value::Number(number)) => Ok(**text == number.to_string()),
        (Value::Number(number), Value::String(text)) => Ok(parse_number(text).is_some_and(|parsed| parsed == *number)),
        _ => same(left, right, budget),
    }
}

fn parse_number(text: &str) -> Option<Number> {
    if text.len() > 64 {
        return None;
    }
    json::parse(text).ok()?.as_number()
}

/// Compares structures and charges every value that is visited.
fn same(left: &Value, right: &Value, budget: &mut Budget) -> Result<bool, Limit> {
    let mut pending = vec![(left, right)];
    while let Some((left, right)) = pending.pop() {
        budget.visit(1)?;
        match (left, right) {
            (Value::Array(a), Value::Array(b)) => {
                if a.len() != b.len() {
                    return Ok(false);
                }
                budget.visit(a.len() as u64)?;
                pending.extend(a.iter().zip(b.iter()));
            }
            (Value::Object(a), Value::Object(b)) => {
                if a.len() != b.len() {
                    return Ok(false);
                }
                budget.visit(a.len() as u64)?;
                for (name, value) in a.iter() {
                    match b.get(name) {
                        Some(other) => pending.push((value, other)),
                        None => return Ok(false),
                    }
                }
            }
            (Value::String(a), Value::String(b)) => {
                budget.scan(a.len())?;
                if a != b {
                    return Ok(false);
                }
            }
            _ if left != right => return Ok(false),
            _ => {}
        }
    }
    Ok(true)
}

/// Compares numbers with numbers and strings with strings; other values have no order. Strings compare by UTF-16 units, as in
/// Java.
fn order(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::Number(a), Value::Number(b)) => Some(a.cmp(b)),
        (Value::String(a), Value::String(b)) => Some(a.encode_utf16().cmp(b.encode_utf16())),
        _ => None,
    }
}

fn within(item: &Value, list: &Value, budget: &mut Budget) -> Result<bool, Limit> {
    for candidate in list.as_array().unwrap_or(&[]) {
        budget.visit(1)?;
        if equals(item, candidate, budget)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn every(items: &Value, list: &Value, budget: &mut Budget) -> Result<bool, Limit> {
    let (Some(items), Some(_)) = (items.as_array(), list.as_array()) else {
        return Ok(false);
    };
    for item in items {
        if !within(item, list, budget)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn any(items: &Value, list: &Value, budget: &mut Budget) -> Result<bool, Limit> {
    for item in items.as_array().unwrap_or(&[]) {
        if within(item, list, budget)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The number of UTF-16 units of a string, of elements of an array, or of members of an object.
fn length(value: &Value) -> Option<usize> {
    match value {
        Value::String(text) => Some(text.encode_utf16().count()),
        Value::Array(items) => Some(items.len()),
        Value::Object(map) => Some(map.len()),
        _ => None,
    }
}
