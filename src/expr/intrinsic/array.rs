//! The array functions. Fractions of sizes, indexes and bounds are truncated (recorded), although AWS's guide says that they
//! are rounded.

use super::java;
use crate::base::{Names, Number, Value, json, sort};

/// Maximum number of elements of `States.ArrayRange`.
const MAX_RANGE: i64 = 1000;

/// Whether an array contains an item, by deep equality; 1 equals 1.0.
pub(super) fn contains(list: &Value, item: &Value) -> Option<Value> {
    Some(Value::Bool(list.as_array()?.contains(item)))
}

/// Returns an element. Recorded: any index into an empty array gives null; an index beyond the end of any other array fails.
pub(super) fn get_item(list: &Value, index: &Value) -> Option<Value> {
    let (items, index) = (list.as_array()?, truncated(index)?);
    if items.is_empty() {
        return Some(Value::Null);
    }
    items.get(usize::try_from(index).ok()?).cloned()
}

pub(super) fn partition(list: &Value, size: &Value) -> Option<Value> {
    let (items, size) = (list.as_array()?, truncated(size)?);
    let size = usize::try_from(size).ok().filter(|size| *size > 0)?;
    Some(Value::from(items.chunks(size).map(|chunk| Value::from(chunk.to_vec())).collect::<Vec<_>>()))
}

/// Returns the numbers from start to end, both included.
pub(super) fn range(start: &Value, end: &Value, step: &Value) -> Option<Value> {
    let (start, end, step) = (truncated(start)?, truncated(end)?, truncated(step)?);
    if step == 0 {
        return None;
    }
    let distance = end.checked_sub(start)?;
    if distance != 0 && (distance < 0) != (step < 0) {
        return Some(Value::from(Vec::new()));
    }
    let count = distance.checked_div(step)?.checked_add(1)?;
    if count > MAX_RANGE {
        return None;
    }
    Some(Value::from((0..count).map(|i| Value::from(start + i * step)).collect::<Vec<_>>()))
}

/// Returns the first occurrences, in the order of a Java `HashSet`, as recorded: `[true,false]` becomes `[false,true]`.
pub(super) fn unique(list: &Value) -> Option<Value> {
    let mut seen = Names::default();
    let mut first = Vec::new();
    for item in list.as_array()? {
        let mut key = String::new();
        canonical(&mut key, item, 0)?;
        if seen.add(&key, 0) {
            first.push((java::hash(item, 0).ok()?, item));
        }
    }
    let buckets = java::buckets(first.len());
    sort::by_key(&mut first, |(hash, _)| java::bucket(*hash, buckets));
    Some(Value::from(first.into_iter().map(|(_, item)| item.clone()).collect::<Vec<_>>()))
}

/// Writes a text that is the same for equal values: members are sorted, and 1.0 is 1.
fn canonical(out: &mut String, value: &Value, depth: usize) -> Option<()> {
    // The value is deeper than any JSON text; only nested calls can build it.
    if depth > 2 * json::MAX_DEPTH {
        return None;
    }
    match value {
        Value::Array(items) => {
            out.push('[');
            for item in items.iter() {
                canonical(out, item, depth + 1)?;
                out.push(',');
            }
            out.push(']');
        }
        Value::Object(map) => {
            let mut members: Vec<_> = map.iter().collect();
            sort::by(&mut members, |a, b| a.0.cmp(b.0));
            out.push('{');
            for (name, item) in members {
                json::write_str(out, name);
                canonical(out, item, depth + 1)?;
            }
            out.push('}');
        }
        Value::Number(number) => {
            let number = number.as_i64().map_or(*number, Number::Int);
            json::write(out, &Value::Number(number));
        }
        scalar => json::write(out, scalar),
    }
    Some(())
}

/// Returns the number without its fraction.
pub(super) fn truncated(value: &Value) -> Option<i64> {
    match value.as_number()? {
        Number::Int(i) => Some(i),
        Number::Wide { .. } => None,
        Number::Float(f) => Number::from_f64(f.trunc())?.as_i64(),
    }
}
