//! Functions that have functions as arguments.

use super::Args;
use crate::expr::jsonata::codes;
use crate::expr::jsonata::error::fault;
use crate::expr::jsonata::eval::{Evaluator, R, TEXT_STEP, compare_text, length, truth};
use crate::expr::jsonata::value::{Flags, Function, Object, Val};
use std::rc::Rc;

/// Calls a function with as many of the arguments as it has parameters, and always with the first one.
fn call(ev: &mut Evaluator<'_>, args: &Args<'_>, function: &Rc<Function>, item: Val, key: Val, whole: &Val) -> R<Val> {
    let arity = function.arity();
    let mut values = ev.arguments();
    values.push(item);
    if arity >= 2 {
        values.push(key);
    }
    if arity >= 3 {
        values.push(whole.clone());
    }
    ev.invoke(function, values, args.frame)
}

fn index(i: usize) -> Val {
    Val::int(i as i64)
}

/// `$map(array, function)`
pub(super) fn map(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    let array = args.at(0);
    let (false, Some(function)) = (array.is_undefined(), args.at(1).as_func()) else { return Ok(Val::Undefined) };
    let mut out = Vec::new();
    let items = array.items();
    for i in 0..items.len() {
        let Some(item) = items.get(i) else { break };
        let value = call(ev, args, function, item, index(i), array)?;
        if !value.is_undefined() {
            ev.check_room(&out)?;
            out.push(value);
        }
    }
    ev.sequence(out)
}

/// `$filter(array, function)`
pub(super) fn filter(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    let array = args.at(0);
    let (false, Some(function)) = (array.is_undefined(), args.at(1).as_func()) else { return Ok(Val::Undefined) };
    let mut out = Vec::new();
    let items = array.items();
    for i in 0..items.len() {
        let Some(item) = items.get(i) else { break };
        if truth(&call(ev, args, function, item.clone(), index(i), array)?)? {
            ev.check_room(&out)?;
            out.push(item);
        }
    }
    ev.sequence(out)
}

/// `$single(array, function?)`: the only item for which the function returns true.
pub(super) fn single(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    let array = args.at(0);
    if array.is_undefined() {
        return Ok(Val::Undefined);
    }
    let mut found = None;
    for (i, item) in array.items().iter().enumerate() {
        let hit = match args.at(1).as_func() {
            Some(function) => truth(&call(ev, args, function, item.clone(), index(i), array)?)?,
            None => true,
        };
        if hit && found.replace(item).is_some() {
            return Err(fault(codes::D3138));
        }
    }
    found.ok_or_else(|| fault(codes::D3139))
}

/// `$reduce(array, function, initial?)`
pub(super) fn reduce(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    let array = args.at(0);
    let (false, Some(function)) = (array.is_undefined(), args.at(1).as_func()) else { return Ok(Val::Undefined) };
    let arity = function.arity();
    if arity < 2 {
        return Err(fault(codes::D3050));
    }
    let mut items = array.items().iter().enumerate();
    let mut result = match args.at(2) {
        Val::Undefined => items.next().map_or(Val::Undefined, |(_, item)| item),
        initial => initial.clone(),
    };
    for (i, item) in items {
        let mut values = ev.arguments();
        values.push(result);
        values.push(item);
        if arity >= 3 {
            values.push(index(i));
        }
        if arity >= 4 {
            values.push(array.clone());
        }
        result = ev.invoke(function, values, args.frame)?;
    }
    Ok(result)
}

/// `$each(object, function)`
pub(super) fn each(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    let object = args.at(0);
    let Some(function) = args.at(1).as_func() else { return Ok(Val::Undefined) };
    let mut out = Vec::new();
    object.members().try_each(|key, value| {
        let value = call(ev, args, function, value, Val::Str(key.clone()), object)?;
        if !value.is_undefined() {
            out.push(value);
        }
        Ok(())
    })?;
    ev.sequence(out)
}

/// `$sift(object, function)`: the members for which the function returns true.
pub(super) fn sift(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    let object = args.at(0);
    let Some(function) = args.at(1).as_func() else { return Ok(Val::Undefined) };
    let mut out = Object::default();
    object.members().try_each(|key, value| {
        if truth(&call(ev, args, function, value.clone(), Val::Str(key.clone()), object)?)? {
            out.set(key.clone(), value);
        }
        Ok(())
    })?;
    if out.len() == 0 { Ok(Val::Undefined) } else { ev.object(out) }
}

/// `$sort(array, function?)`: the function returns whether its first argument sorts after the second.
pub(super) fn sort(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    let array = args.at(0);
    let items = array.items();
    if array.is_undefined() || items.len() <= 1 {
        return Ok(array.clone());
    }
    let count = items.len();
    ev.check_items(count)?;
    let values = items.to_vec();
    let order = match args.at(1).as_func() {
        Some(function) => ev.merge_sort(count, &mut |ev, a, b| {
            let mut pair = ev.arguments();
            pair.extend([a, b].iter().filter_map(|i| values.get(*i).cloned()));
            let after = ev.invoke(function, pair, args.frame)?;
            Ok(is_truthy(&after))
        })?,
        None => {
            let numbers = values.iter().all(|v| matches!(v, Val::Num(_)));
            if !numbers && !values.iter().all(|v| v.as_str().is_some()) {
                return Err(fault(codes::D3070));
            }
            ev.burn(count)?;
            ev.merge_sort(count, &mut |ev, a, b| {
                let texts = values.get(a).map_or(0, length) + values.get(b).map_or(0, length);
                ev.burn(1 + texts / TEXT_STEP)?;
                Ok(match (values.get(a), values.get(b)) {
                    (Some(Val::Num(x)), Some(Val::Num(y))) => x > y,
                    (Some(x), Some(y)) => compare_text(x.as_str().unwrap_or(""), y.as_str().unwrap_or("")).is_gt(),
                    _ => false,
                })
            })?
        }
    };
    let sorted = order.into_iter().filter_map(|i| values.get(i).cloned()).collect();
    Ok(ev.list(sorted)?.with_flags(Flags::NONE))
}

/// The truth of a comparator's result, as in JavaScript.
fn is_truthy(value: &Val) -> bool {
    match value {
        Val::Undefined | Val::Null => false,
        Val::Bool(b) => *b,
        Val::Num(n) => n.as_f64() != 0.0,
        Val::NonFinite(x) => !x.is_nan(),
        value => value.as_str() != Some(""),
    }
}
