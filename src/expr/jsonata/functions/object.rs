//! Functions on objects.

use super::Args;
use crate::base::Names;
use crate::expr::jsonata::eval::{Evaluator, R};
use crate::expr::jsonata::value::{Object, Val};

/// `$keys(value)`: for an array, all keys of its objects.
pub(super) fn keys(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    let mut seen = Names::default();
    let mut out = Vec::new();
    let value = args.at(0);
    if value.is_array() {
        collect_keys(ev, value, &mut seen, &mut out)?;
    } else {
        // A single object has no duplicate keys.
        value.members().try_each(|key, _| {
            out.push(Val::Str(key.clone()));
            ev.burn(3)
        })?;
    }
    ev.sequence(out)
}

fn collect_keys(ev: &mut Evaluator<'_>, value: &Val, seen: &mut Names, out: &mut Vec<Val>) -> R<()> {
    ev.burn(1)?;
    if value.is_array() {
        return value.items().iter().try_for_each(|item| collect_keys(ev, &item, seen, out));
    }
    value.members().try_each(|key, _| {
        if seen.insert(key.clone(), 0).is_none() {
            out.push(Val::Str(key.clone()));
        }
        ev.burn(8)
    })
}

/// `$lookup(value, key)`
pub(super) fn lookup(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    match args.text(1) {
        Some(key) => ev.lookup(args.at(0), key),
        None => Ok(Val::Undefined),
    }
}

/// `$spread(value)`: splits an object into objects of one member each.
pub(super) fn spread(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    let value = args.at(0);
    if !value.is_array() && !value.is_object() {
        return Ok(value.clone());
    }
    let mut out = Vec::new();
    spread_into(ev, value, &mut out)?;
    // For an array the reference implementation returns an array, for an object a sequence.
    if value.is_array() && !out.is_empty() { ev.list(out) } else { ev.sequence(out) }
}

fn spread_into(ev: &mut Evaluator<'_>, value: &Val, out: &mut Vec<Val>) -> R<()> {
    ev.burn(1)?;
    if value.is_array() {
        return value.items().iter().try_for_each(|item| spread_into(ev, &item, out));
    }
    if !value.is_object() {
        out.push(value.clone());
        return Ok(());
    }
    value.members().try_each(|key, item| {
        let mut object = Object::with_capacity(1);
        object.set(key.clone(), item);
        out.push(ev.object(object)?);
        ev.burn(2)
    })
}

/// `$merge(objects)`: later members replace earlier ones.
pub(super) fn merge(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    let objects = args.at(0);
    if objects.is_undefined() {
        return Ok(Val::Undefined);
    }
    let mut out = Object::default();
    for object in objects.items().iter() {
        ev.burn(1 + 15 * object.members().len())?;
        object.members().try_each(|key, value| {
            out.set(key.clone(), value);
            Ok(())
        })?;
    }
    ev.object(out)
}

/// `$clone(value)`: a copy as JSON text would represent it.
pub(super) fn clone(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    ev.deep_copy(args.at(0))
}
