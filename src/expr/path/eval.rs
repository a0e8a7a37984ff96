//! Applies the steps of a path to a value. It goes step by step over lists of nodes, so that no recursion depends on the data.

use super::{Argument, Form, Function, FunctionCall, MAX_RESULTS, Missing, Query, Reason, Special, Step};
use crate::base::{Map, Number, Value};
use crate::expr::budget::{Budget, Limit};
use std::borrow::Cow;

impl From<Limit> for Missing {
    fn from(_: Limit) -> Missing {
        Missing::beyond_limit()
    }
}

/// The reason why a selection has no nodes.
enum Stop {
    /// The step that found nothing, and why.
    At {
        step: usize,
        found: Found,
    },
    Limit,
}

enum Found {
    /// There is no such member.
    NoMember,
    /// The index is beyond the end.
    OutOfRange,
    /// The step does not apply to the value: Java's name for its type, or its JSON.
    WrongType(Box<str>),
}

impl From<Limit> for Stop {
    fn from(_: Limit) -> Stop {
        Stop::Limit
    }
}

impl Query {
    /// Returns the node of a plain query, without allocating.
    pub(super) fn walk<'a>(&self, start: &'a Value) -> Result<&'a Value, Missing> {
        let mut node = start;
        for (i, step) in self.steps.iter().enumerate() {
            match child(step, node) {
                Some(next) => node = next,
                None => return Err(self.missing(i, reason(step, node))),
            }
        }
        Ok(node)
    }

    /// Returns the same as [`Query::walk`] for callers that do not need the reason; also `None` if the query is not plain.
    pub(super) fn find<'a>(&self, start: &'a Value) -> Option<&'a Value> {
        if !self.plain {
            return None;
        }
        self.steps.iter().try_fold(start, |node, step| child(step, node))
    }

    /// Returns the value: one node or an error, or an array of hits; then applies the functions.
    pub(super) fn eval(&self, start: &Value, root: &Value, budget: &mut Budget) -> Result<Value, Missing> {
        let value = match self.select(start, root, budget) {
            Ok(nodes) => {
                let mut values = self.project(nodes, budget)?;
                if self.single {
                    // Invariant: a single query that does not stop has exactly one node.
                    values.pop().unwrap_or_default()
                } else {
                    Value::from(values)
                }
            }
            Err(Stop::Limit) => return Err(Missing::beyond_limit()),
            // If a node on the way is missing, a path with several hits has none, except if it starts with a slice (spec §3.3).
            Err(Stop::At { step, found }) => match self.steps.get(step) {
                _ if self.single => return Err(self.missing(step, found)),
                Some(Step::Slice(..)) if step == 0 => return Err(self.missing(step, found)),
                _ => Value::from(Vec::new()),
            },
        };
        self.calls.iter().try_fold(value, |value, call| call.apply(value, root, budget))
    }

    /// Returns the value for a filter; `None` if a definite path finds nothing.
    pub(super) fn value<'a>(&self, start: &'a Value, root: &Value, budget: &mut Budget) -> Result<Option<Cow<'a, Value>>, Limit> {
        budget.visit(1 + self.steps.len() as u64)?;
        if self.plain {
            return Ok(self.find(start).map(Cow::Borrowed));
        }
        match self.eval(start, root, budget) {
            Ok(value) => Ok(Some(Cow::Owned(value))),
            Err(missing) if missing.is_limit() => Err(Limit),
            Err(_) => Ok(None),
        }
    }

    /// The selected nodes; none if evaluation would fail.
    pub(super) fn nodes<'a>(&self, start: &'a Value) -> Vec<&'a Value> {
        self.select(start, start, &mut Budget::new()).unwrap_or_default()
    }

    /// The selected nodes. For several names at the end these are the objects that contain them.
    fn select<'a>(&self, start: &'a Value, root: &Value, budget: &mut Budget) -> Result<Vec<&'a Value>, Stop> {
        let mut nodes = vec![start];
        let mut definite = true;
        let mut descend = false;
        for (i, step) in self.steps.iter().enumerate() {
            if matches!(step, Step::Descend) {
                descend = true;
                definite = false;
                continue;
            }
            let leaf = i + 1 == self.steps.len();
            let mut next = Vec::new();
            for node in nodes {
                budget.visit(1)?;
                if descend {
                    scan(step, node, leaf, root, budget, &mut next)?;
                    continue;
                }
                let before = next.len();
                apply(step, node, leaf, root, budget, &mut next)?;
                if next.len() == before && definite {
                    let stops = match step {
                        step if step.is_plain() => true,
                        Step::Names(_) => node.as_object().is_none(),
                        Step::Slice(..) | Step::Indexes(_) => node.as_array().is_none(),
                        _ => false,
                    };
                    if stops {
                        return Err(Stop::At { step: i, found: reason(step, node) });
                    }
                }
                if next.len() > MAX_RESULTS {
                    return Err(Stop::Limit);
                }
            }
            definite &= step.is_plain() || (leaf && matches!(step, Step::Names(_)));
            descend = false;
            nodes = next;
        }
        Ok(nodes)
    }

    /// Turns nodes into values; several names at the end become one object of the existing members.
    fn project(&self, nodes: Vec<&Value>, budget: &mut Budget) -> Result<Vec<Value>, Limit> {
        let Some(Step::Names(names)) = self.steps.last() else {
            return Ok(nodes.into_iter().cloned().collect());
        };
        budget.visit(nodes.len() as u64 * names.len() as u64)?;
        let pick = |node: &Value| {
            let mut map = Map::new();
            for name in names {
                if let Some(value) = node.get(name) {
                    map.insert(name.clone(), value.clone());
                }
            }
            Value::from(map)
        };
        Ok(nodes.into_iter().map(pick).collect())
    }

    /// Returns the error of a form that the reader does not support. If a node before it is missing, that is the error instead.
    pub(super) fn unsupported_form_error(&self, special: Special, start: &Value) -> Missing {
        let mut node = start;
        for (i, step) in self.steps.iter().enumerate().take(special.step) {
            match child(step, node) {
                Some(next) => node = next,
                None if step.is_plain() => return self.missing(i, reason(step, node)),
                None => break,
            }
        }
        let mut missing = self.missing(special.step, Found::NoMember);
        if special.form == Form::InnerNames
            && let Some(Step::Names(names)) = self.steps.get(special.step)
        {
            let quoted: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
            let path = format!("{}[{}]", self.normalized(special.step), quoted.join(", "));
            missing.detail = Some(format!("Multi properties can only be used as path leafs: {path}").into());
        }
        missing
    }

    fn missing(&self, step: usize, found: Found) -> Missing {
        let mut reason = Reason::Absent;
        let leaf = step + 1 >= self.steps.len();
        let (path, index, detail) = match found {
            Found::NoMember if leaf => (self.normalized(self.steps.len()), false, None),
            Found::NoMember => (self.normalized(step + 1), false, None),
            Found::OutOfRange => (self.normalized(self.steps.len()), true, None),
            Found::WrongType(what) => {
                let before = self.normalized(step);
                let path = self.normalized(step + 1);
                let this = path.get(before.len()..).unwrap_or("");
                let detail = match self.steps.get(step) {
                    Some(Step::Name(_) | Step::Names(_)) => format!(
                        "Expected to find an object with property {this} in path {before} but found '{what}'. This is not a json \
                         object according to the JsonProvider: 'com.jayway.jsonpath.spi.json.JacksonJsonProvider'."
                    ),
                    _ if &*what == "null" => format!("The path {before} is null"),
                    _ => {
                        reason = Reason::NoArray;
                        format!("Filter: {this} can only be applied to arrays. Current context is: {what}")
                    }
                };
                (path, false, Some(detail.into()))
            }
        };
        Missing { path, leaf, index, detail, reason }
    }

    /// Returns the first `count` steps as AWS prints them, `$['a'][0]`.
    fn normalized(&self, count: usize) -> String {
        let mut text = String::from("$");
        for step in self.steps.iter().take(count) {
            write_step(&mut text, step);
        }
        text
    }
}

fn write_step(text: &mut String, step: &Step) {
    let number = |n: &Option<i64>| n.map(|n| n.to_string()).unwrap_or_default();
    match step {
        Step::Name(name) => {
            text.push_str("['");
            text.push_str(name);
            text.push_str("']");
        }
        Step::Names(names) => {
            let quoted: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
            text.push_str(&format!("[{}]", quoted.join(",")));
        }
        Step::Index(index) => text.push_str(&format!("[{index}]")),
        Step::FromEnd(distance) => text.push_str(&format!("[(@.length-{distance})]")),
        Step::Indexes(indexes) => {
            let numbers: Vec<String> = indexes.iter().map(i64::to_string).collect();
            text.push_str(&format!("[{}]", numbers.join(",")));
        }
        Step::Slice(from, to) => text.push_str(&format!("[{}:{}]", number(from), number(to))),
        Step::Any => text.push_str("[*]"),
        Step::Filter(_) => text.push_str("[?]"),
        Step::Descend => text.push_str(".."),
    }
}

fn child<'a>(step: &Step, node: &'a Value) -> Option<&'a Value> {
    match step {
        Step::Name(name) => node.get(name),
        Step::Index(index) => element(node.as_array()?, *index),
        Step::FromEnd(distance) => {
            let items = node.as_array()?;
            items.get(items.len().checked_sub(usize::try_from(*distance).ok()?)?)
        }
        _ => None,
    }
}

fn element(items: &[Value], index: i64) -> Option<&Value> {
    let index = if index < 0 { index + items.len() as i64 } else { index };
    items.get(usize::try_from(index).ok()?)
}

/// Returns why a step found nothing at a node.
fn reason(step: &Step, node: &Value) -> Found {
    match step {
        Step::Name(_) | Step::Names(_) => match node {
            Value::Object(_) => Found::NoMember,
            Value::Null => Found::WrongType("null".into()),
            Value::Bool(_) => Found::WrongType("java.lang.Boolean".into()),
            Value::Number(Number::Int(i)) if i32::try_from(*i).is_ok() => Found::WrongType("java.lang.Integer".into()),
            Value::Number(Number::Int(_)) => Found::WrongType("java.lang.Long".into()),
            Value::Number(Number::Wide { .. }) => Found::WrongType("java.math.BigInteger".into()),
            Value::Number(_) => Found::WrongType("java.lang.Double".into()),
            Value::String(_) => Found::WrongType("java.lang.String".into()),
            Value::Array(_) => Found::WrongType("java.util.ArrayList".into()),
        },
        _ if node.as_array().is_some() => Found::OutOfRange,
        _ => Found::WrongType(node.to_string().into()),
    }
}

/// Applies one step to one node.
fn apply<'a>(
    step: &Step,
    node: &'a Value,
    leaf: bool,
    root: &Value,
    budget: &mut Budget,
    out: &mut Vec<&'a Value>,
) -> Result<(), Limit> {
    match step {
        Step::Name(_) | Step::Index(_) | Step::FromEnd(_) => out.extend(child(step, node)),
        Step::Names(_) if leaf => out.extend(node.as_object().map(|_| node)),
        Step::Names(names) => {
            budget.visit(names.len() as u64)?;
            out.extend(names.iter().filter_map(|name| node.get(name)));
        }
        Step::Indexes(indexes) => {
            budget.visit(indexes.len() as u64)?;
            if let Some(items) = node.as_array() {
                out.extend(indexes.iter().filter_map(|index| element(items, *index)));
            }
        }
        Step::Slice(from, to) => {
            if let Some(items) = node.as_array() {
                let range = slice(*from, *to, items.len() as i64);
                budget.visit(range.size_hint().0 as u64)?;
                out.extend(range.filter_map(|index| element(items, index)));
            }
        }
        Step::Any => match node {
            Value::Array(items) => {
                budget.visit(items.len() as u64)?;
                out.extend(items.iter());
            }
            Value::Object(map) => {
                budget.visit(map.len() as u64)?;
                out.extend(map.values());
            }
            _ => {}
        },
        // An object is tested itself; of an array the elements are tested (Jayway).
        Step::Filter(filter) => match node {
            Value::Object(_) => out.extend(filter.accepts(root, node, budget)?.then_some(node)),
            Value::Array(items) => {
                for item in items.iter() {
                    if filter.accepts(root, item, budget)? {
                        out.push(item);
                    }
                }
            }
            _ => {}
        },
        Step::Descend => {}
    }
    if out.len() > MAX_RESULTS {
        return Err(Limit);
    }
    Ok(())
}

/// Returns the indexes of a slice. If both ends are given, negative ones do not count from the end but are used as they are, so
/// that `[-2:1]` is the elements -2, -1 and 0 (Jayway).
fn slice(from: Option<i64>, to: Option<i64>, length: i64) -> std::ops::Range<i64> {
    let from_end = |n: i64| if n < 0 { n + length } else { n };
    match (from, to) {
        (Some(from), Some(to)) => from.max(-length)..to.min(length),
        (Some(from), None) => from_end(from).max(0)..length,
        (None, Some(to)) => 0..from_end(to).min(length),
        (None, None) => 0..0,
    }
}

/// Applies one step to a node and to everything below it, parents first.
fn scan<'a>(
    step: &Step,
    node: &'a Value,
    leaf: bool,
    root: &Value,
    budget: &mut Budget,
    out: &mut Vec<&'a Value>,
) -> Result<(), Limit> {
    let mut pending = vec![node];
    while let Some(node) = pending.pop() {
        budget.visit(1)?;
        match step {
            // All of the names must exist, and a filter must accept an array before its elements are tested (Jayway).
            Step::Names(names) if leaf && !names.iter().all(|name| node.get(name).is_some()) => {}
            Step::Filter(filter) if node.as_array().is_some() && !filter.accepts(root, node, budget)? => {}
            _ => apply(step, node, leaf, root, budget, out)?,
        }
        match node {
            Value::Array(items) => {
                budget.visit(items.len() as u64)?;
                pending.extend(items.iter().rev().filter(|item| is_container(item)));
            }
            Value::Object(map) => {
                budget.visit(map.len() as u64)?;
                pending.extend(map.values().rev().filter(|item| is_container(item)));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Only containers can match a step after `..`.
fn is_container(value: &Value) -> bool {
    matches!(value, Value::Array(_) | Value::Object(_))
}

impl FunctionCall {
    fn apply(&self, value: Value, root: &Value, budget: &mut Budget) -> Result<Value, Missing> {
        let mut arguments = Vec::with_capacity(self.arguments.len());
        for argument in &self.arguments {
            arguments.push(match argument {
                Argument::Literal(literal) => literal.clone(),
                Argument::Query(query) => query.eval(root, root, budget)?,
            });
        }
        let items = value.as_array().unwrap_or(&[]);
        budget.visit(1 + items.len() as u64 + value.as_object().map_or(0, Map::len) as u64)?;
        let fail = || {
            let detail = "Aggregation function attempted to calculate value using empty array";
            Missing { path: "$".into(), leaf: true, index: false, detail: Some(detail.into()), reason: Reason::Absent }
        };
        match self.function {
            Function::Length => Ok(match &value {
                Value::Array(items) => Value::from(items.len() as i64),
                Value::Object(map) => Value::from(map.len() as i64),
                _ => Value::Null,
            }),
            Function::Keys => Ok(match &value {
                Value::Object(map) => Value::from(map.keys().map(|name| Value::String(name.clone())).collect::<Vec<_>>()),
                _ => Value::Null,
            }),
            Function::Concat => {
                let mut text = String::new();
                for part in items.iter().chain(&arguments).filter_map(Value::as_str) {
                    budget.make(part.len())?;
                    text.push_str(part);
                }
                Ok(Value::from(text))
            }
            Function::Append => {
                let mut value = value;
                if let Some(items) = value.make_array() {
                    items.extend(arguments);
                }
                Ok(value)
            }
            Function::First => element(items, 0).cloned().ok_or_else(fail),
            Function::Last => element(items, -1).cloned().ok_or_else(fail),
            Function::Index => {
                let index = arguments.first().and_then(Value::as_i64).ok_or_else(fail)?;
                element(items, index).cloned().ok_or_else(fail)
            }
            Function::Min | Function::Max | Function::Avg | Function::StdDev | Function::Sum => {
                let lists = arguments.iter().flat_map(|argument| match argument {
                    Value::Array(items) => &items[..],
                    scalar => std::slice::from_ref(scalar),
                });
                let numbers: Vec<f64> = items.iter().chain(lists).filter_map(Value::as_f64).collect();
                self.function.aggregate(&numbers).map(Value::from).ok_or_else(fail)
            }
        }
    }
}

impl Function {
    /// Computes an aggregate, which is always a double, as in Java; `None` if there are no numbers.
    fn aggregate(self, numbers: &[f64]) -> Option<f64> {
        if numbers.is_empty() {
            return None;
        }
        let count = numbers.len() as f64;
        let sum: f64 = numbers.iter().sum();
        Some(match self {
            Function::Min => numbers.iter().copied().fold(f64::INFINITY, f64::min),
            Function::Max => numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            Function::Sum => sum,
            Function::Avg => sum / count,
            Function::StdDev => {
                let squares: f64 = numbers.iter().map(|n| n * n).sum();
                (squares / count - (sum / count) * (sum / count)).max(0.0).sqrt()
            }
            _ => return None,
        })
    }
}
