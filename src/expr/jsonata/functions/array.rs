//! Functions on arrays.

use super::Args;
use crate::base::Names;
use crate::expr::jsonata::eval::{Evaluator, R};
use crate::expr::jsonata::value::{Flags, Items, Val};

/// `$count(array)`
pub(super) fn count(_: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    Ok(Val::int(if args.at(0).is_undefined() { 0 } else { args.at(0).items().len() as i64 }))
}

/// `$append(array, array)`
pub(super) fn append(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    ev.append(args.at(0).clone(), args.at(1).clone())
}

/// `$reverse(array)`
pub(super) fn reverse(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    let array = args.at(0);
    if array.is_undefined() || array.items().len() <= 1 {
        return Ok(array.clone());
    }
    ev.check_items(array.items().len())?;
    let mut items = array.items().to_vec();
    items.reverse();
    ev.list(items)
}

/// `$shuffle(array)`: uses the execution's random numbers.
pub(super) fn shuffle(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    let array = args.at(0);
    if array.is_undefined() || array.items().len() <= 1 {
        return Ok(array.clone());
    }
    ev.check_items(array.items().len())?;
    let mut items = array.items().to_vec();
    for i in (1..items.len()).rev() {
        let j = ev.rng.below(i as u64 + 1) as usize;
        items.swap(i, j);
    }
    ev.list(items)
}

/// `$zip(array, …)`: the result is as long as the shortest array.
pub(super) fn zip(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    let length = args.values.iter().map(|a| if a.is_array() { a.items().len() } else { 0 }).min().unwrap_or(0);
    ev.check_items(length.saturating_mul(args.values.len()))?;
    let mut out = Vec::with_capacity(length);
    for i in 0..length {
        let row = args.values.iter().filter_map(|a| a.items().get(i)).collect();
        out.push(ev.list(row)?);
    }
    ev.list(out)
}

/// `$distinct(array)`: the first of equal items is kept.
pub(super) fn distinct(ev: &mut Evaluator<'_>, args: &Args<'_>) -> R<Val> {
    let array = args.at(0);
    let items = array.items();
    if !array.is_array() || items.len() <= 1 || matches!(items, Items::Range(..)) {
        return Ok(array.clone());
    }
    let mut out: Vec<Val> = Vec::new();
    // Strings, which are the usual items, are found in a search tree; any other item is compared with all items before it.
    let mut texts: Names = Names::default();
    let mut others: Vec<usize> = Vec::new();
    for item in items.iter() {
        ev.burn(3)?;
        // A long text is too expensive to copy into the tree.
        if let Some(text) = item.as_str().filter(|text| text.len() < 4096) {
            if texts.add(text, 0) {
                out.push(item);
            }
            continue;
        }
        let mut known = false;
        for i in &others {
            if let Some(other) = out.get(*i)
                && ev.equal(other, &item)?
            {
                known = true;
                break;
            }
        }
        if !known {
            others.push(out.len());
            out.push(item);
        }
    }
    let flags = if array.is_sequence() { Flags::SEQUENCE } else { Flags::NONE };
    Ok(ev.list(out)?.with_flags(flags))
}
