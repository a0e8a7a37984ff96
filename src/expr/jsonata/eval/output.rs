//! Converts values of an evaluation back to JSON: text and [`Value`].

use super::{Evaluator, R};
use crate::base::json;
use crate::base::{Map, Number, Value};
use crate::expr::jsonata::codes;
use crate::expr::jsonata::error::fault;
use crate::expr::jsonata::number;
use crate::expr::jsonata::value::{Flags, Val};
use std::rc::Rc;
use std::sync::Arc;

impl Evaluator<'_> {
    /// Returns the result of the whole expression; `None` for undefined.
    ///
    /// The containers that the expression built nest at most [`MAX_NESTING`](crate::expr::jsonata::MAX_NESTING) deep. Shared
    /// JSON inside comes on top of that; the code that stores the value checks the sum.
    ///
    /// A number that JSON cannot represent becomes a string, `"Infinity"`, `"-Infinity"` or `"NaN"`, as on AWS (measured).
    /// Operators still refuse it as an operand.
    ///
    /// Errors: `D1020` for a function.
    pub(super) fn output(&mut self, value: Val) -> R<Option<Value>> {
        match value {
            Val::Undefined => Ok(None),
            value if value.flags().has(Flags::OUTER) => self.output(value.items().get(0).unwrap_or(Val::Undefined)),
            value => self.export(value).map(Some),
        }
    }

    fn export(&mut self, value: Val) -> R<Value> {
        Ok(match value {
            Val::Undefined | Val::Null => Value::Null,
            Val::Bool(b) => Value::Bool(b),
            Val::Num(n) => Value::Number(n),
            Val::NonFinite(x) => Value::from(number::to_text(x)),
            Val::Str(text) => Value::String(text),
            Val::Long(long) => Value::String(long.text.clone()),
            Val::JsonArray(items) => Value::Array(items),
            Val::JsonObject(map) => Value::Object(map),
            Val::Array(array, _) => {
                self.burn(4 + array.items.len())?;
                // An array with no other references is consumed instead of copied.
                let items = match Rc::try_unwrap(array) {
                    Ok(array) => array.items,
                    Err(shared) => shared.items.clone(),
                };
                Value::Array(Arc::new(items.into_iter().map(|item| self.export(item)).collect::<R<_>>()?))
            }
            value @ (Val::Range(..) | Val::Tuples(_)) => {
                let items = value.items();
                self.check_items(items.len())?;
                self.burn(items.len())?;
                Value::Array(Arc::new(items.iter().map(|item| self.export(item)).collect::<R<_>>()?))
            }
            Val::Object(object) => {
                self.burn(4 + 2 * object.len())?;
                let mut map = Map::with_capacity(object.len());
                for (key, item) in object.entries() {
                    map.insert(key.clone(), self.export(item.clone())?);
                }
                Value::Object(Arc::new(map))
            }
            Val::Func(_) => return Err(fault(codes::D1020)),
        })
    }
}

/// Appends JSON text with numbers rounded to 15 digits and functions as `""`. `indent` is the depth for pretty text.
pub(in crate::expr::jsonata) fn write_json(ev: &mut Evaluator<'_>, out: &mut String, value: &Val, indent: Option<usize>) -> R<()> {
    ev.burn(2)?;
    if out.len() > ev.limits.text {
        return Err(fault(codes::D1015));
    }
    match value {
        Val::Undefined | Val::Null => out.push_str("null"),
        Val::Bool(true) => out.push_str("true"),
        Val::Bool(false) => out.push_str("false"),
        Val::Num(n) => out.push_str(&number::display(*n)),
        Val::NonFinite(x) if x.is_infinite() => return Err(fault(codes::D1001).json("null")),
        Val::NonFinite(_) => out.push_str("null"),
        Val::Str(_) | Val::Long(_) => {
            let text = value.as_str().unwrap_or("");
            ev.burn(text.len() / 64)?;
            json::write_str(out, text);
        }
        Val::Func(_) => out.push_str("\"\""),
        Val::JsonArray(items) if indent.is_none() => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                separate(out, i, None);
                write_value(ev, out, item)?;
            }
            out.push(']');
        }
        Val::JsonObject(map) if indent.is_none() => write_map(ev, out, map)?,
        Val::JsonArray(_) | Val::Array(..) | Val::Range(..) | Val::Tuples(_) => {
            let items = value.items();
            let inner = indent.map(|n| n + 1);
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                separate(out, i, inner);
                write_json(ev, out, &item, inner)?;
            }
            close(out, items.len(), indent);
            out.push(']');
        }
        Val::JsonObject(_) | Val::Object(_) => {
            let inner = indent.map(|n| n + 1);
            let mut count = 0;
            out.push('{');
            value.members().try_each(|key, item| {
                if item.is_undefined() {
                    return Ok(());
                }
                separate(out, count, inner);
                ev.burn(2)?;
                count += 1;
                json::write_str(out, key);
                out.push_str(if inner.is_some() { ": " } else { ":" });
                write_json(ev, out, &item, inner)
            })?;
            close(out, count, indent);
            out.push('}');
        }
    }
    Ok(())
}

/// Appends shared JSON, whose items need not become values of the evaluation.
fn write_value(ev: &mut Evaluator<'_>, out: &mut String, value: &Value) -> R<()> {
    match value {
        Value::Number(n) => out.push_str(&number::display(*n)),
        Value::String(text) => {
            ev.burn(1 + text.len() / 64)?;
            json::write_str(out, text);
        }
        Value::Object(map) => write_map(ev, out, map)?,
        Value::Array(_) => write_json(ev, out, &Val::from(value), None)?,
        Value::Null | Value::Bool(_) => json::write(out, value),
    }
    Ok(())
}

fn write_map(ev: &mut Evaluator<'_>, out: &mut String, map: &Map) -> R<()> {
    ev.burn(2 + 2 * map.len())?;
    if out.len() > ev.limits.text {
        return Err(fault(codes::D1015));
    }
    out.push('{');
    for (i, (key, item)) in map.iter().enumerate() {
        separate(out, i, None);
        json::write_str(out, key);
        out.push(':');
        write_value(ev, out, item)?;
    }
    out.push('}');
    Ok(())
}

fn separate(out: &mut String, index: usize, indent: Option<usize>) {
    if index > 0 {
        out.push(',');
    }
    if let Some(depth) = indent {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", depth));
    }
}

fn close(out: &mut String, count: usize, indent: Option<usize>) {
    if let Some(depth) = indent
        && count > 0
    {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", depth));
    }
}

/// Returns the beginning of a value's JSON text, for messages.
pub(super) fn preview(value: &Val) -> String {
    const ROOM: usize = 200;
    fn write(out: &mut String, value: &Val) {
        if out.len() > ROOM {
            return;
        }
        match value {
            Val::Undefined | Val::Null | Val::NonFinite(_) => out.push_str("null"),
            Val::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
            Val::Num(Number::Int(i)) => out.push_str(&i.to_string()),
            Val::Num(n) => out.push_str(&number::to_text(n.as_f64())),
            Val::Str(_) | Val::Long(_) => {
                let text: String = value.as_str().unwrap_or("").chars().take(ROOM).collect();
                json::write_str(out, &text);
            }
            Val::Func(_) => out.push_str("{}"),
            value if value.is_array() => {
                out.push('[');
                for (i, item) in value.items().iter().take(ROOM).enumerate() {
                    if i > 0 {
                        out.push(',');
                    }
                    write(out, &item);
                }
                out.push(']');
            }
            value => {
                out.push('{');
                let mut first = true;
                // Invariant: the closure never fails.
                let _ = value.members().try_each(|key, item| {
                    if out.len() <= ROOM {
                        if !first {
                            out.push(',');
                        }
                        first = false;
                        json::write_str(out, key);
                        out.push(':');
                        write(out, &item);
                    }
                    Ok(())
                });
                out.push('}');
            }
        }
    }
    if value.is_undefined() {
        return "undefined".into();
    }
    let mut out = String::new();
    write(&mut out, value);
    if out.len() > ROOM {
        let cut = (0..=ROOM).rev().find(|i| out.is_char_boundary(*i)).unwrap_or(0);
        out.truncate(cut);
        out.push('…');
    }
    out
}
