//! Evaluates `| pattern | update, delete |`: a copy of a value in which some objects are changed.

use super::{Evaluator, R};
use crate::base::Number;
use crate::expr::jsonata::MAX_NESTING;
use crate::expr::jsonata::ast::TransformDef;
use crate::expr::jsonata::codes;
use crate::expr::jsonata::error::{fault, fault_at};
use crate::expr::jsonata::number;
use crate::expr::jsonata::value::{Frame, Function, Object, Val};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The changed members of the copy's objects, by the address of the object in the copy.
type Changes = BTreeMap<usize, Object>;

fn address(object: &Rc<Object>) -> usize {
    Rc::as_ptr(object) as usize
}

impl Evaluator<'_> {
    #[inline(never)]
    pub(super) fn transform(&mut self, def: &TransformDef, value: Val, frame: &Rc<Frame>) -> R<Val> {
        if value.is_undefined() {
            return Ok(Val::Undefined);
        }
        // Every object of the copy has a unique address, whichever function made it.
        let copy = match self.variable_by_name("clone", frame) {
            Val::Func(clone) if matches!(*clone, Function::Builtin(_)) => self.deep_copy(&value)?,
            Val::Func(clone) => {
                let copy = self.invoke(&clone, vec![value], frame)?;
                self.deep_copy(&copy)?
            }
            _ => return Err(fault_at(codes::T2013, def.at)),
        };
        let matches = self.eval(&def.pattern, &copy, frame)?;
        if matches.is_undefined() {
            return Ok(copy);
        }
        let mut changes = Changes::new();
        for found in matches.items().iter() {
            self.burn(35)?;
            let current = self.snapshot(&found, &changes)?;
            let update = self.eval(&def.update, &current, frame)?;
            if !update.is_undefined() && !update.is_object() {
                return Err(fault_at(codes::T2011, def.update.at).json(self.shown(&update)));
            }
            let mut members = match &found {
                Val::Object(object) => Some(changes.remove(&address(object)).unwrap_or_else(|| (**object).clone())),
                _ => None,
            };
            if let Some(members) = &mut members {
                update.members().try_each(|key, value| {
                    members.set(key.clone(), value);
                    Ok(())
                })?;
            }
            if let Some(delete) = &def.delete {
                let deletions = match (&found, members.take()) {
                    (Val::Object(object), Some(new)) => {
                        changes.insert(address(object), new);
                        let current = self.snapshot(&found, &changes)?;
                        members = changes.remove(&address(object));
                        self.eval(delete, &current, frame)?
                    }
                    _ => self.eval(delete, &found, frame)?,
                };
                if !deletions.is_undefined() {
                    for key in deletions.items().iter() {
                        match (key.as_str(), &mut members) {
                            (None, _) => return Err(fault_at(codes::T2012, delete.at).json(self.shown(&deletions))),
                            (Some(key), Some(members)) => members.remove(key),
                            (Some(_), None) => {}
                        }
                    }
                }
            }
            if let (Val::Object(object), Some(members)) = (&found, members) {
                changes.insert(address(object), members);
            }
        }
        self.changed(&copy, &changes, 0)
    }

    /// Returns the value with all changes as a separate object, so that an update that refers to it creates no cycle.
    fn snapshot(&mut self, value: &Val, changes: &Changes) -> R<Val> {
        match (self.changed(value, changes, 0)?, value) {
            (Val::Object(same), Val::Object(object)) if Rc::ptr_eq(&same, object) => self.object((*same).clone()),
            (changed, _) => Ok(changed),
        }
    }

    /// Returns a copy of the value as JSON text would represent it, which shares no objects or arrays.
    pub(crate) fn deep_copy(&mut self, value: &Val) -> R<Val> {
        self.burn(2)?;
        if value.is_array() {
            let mut items = Vec::with_capacity(value.items().len());
            for item in value.items().iter() {
                items.push(match self.deep_copy(&item)? {
                    Val::Undefined => Val::Null,
                    item => item,
                });
            }
            return self.list(items);
        }
        if value.is_object() {
            let mut object = Object::with_capacity(value.members().len());
            value.members().try_each(|key, item| {
                let item = self.deep_copy(&item)?;
                if !item.is_undefined() {
                    object.set(key.clone(), item);
                }
                Ok(())
            })?;
            return self.object(object);
        }
        Ok(match value {
            Val::Num(Number::Float(x)) => Val::num(number::to_precision_15(*x)),
            Val::NonFinite(x) if x.is_infinite() => return Err(fault(codes::D1001).json("null")),
            Val::NonFinite(_) => Val::Null,
            Val::Func(_) => Val::str(""),
            other => other.clone(),
        })
    }

    /// Returns the value with all changes; unchanged parts are shared.
    fn changed(&mut self, value: &Val, changes: &Changes, depth: u32) -> R<Val> {
        if changes.is_empty() {
            return Ok(value.clone());
        }
        self.burn(2)?;
        // Updates may nest objects in each other.
        if depth > 2 * MAX_NESTING {
            return Err(fault(codes::D1014));
        }
        match value {
            Val::Object(object) => {
                let source = changes.get(&address(object)).unwrap_or(object);
                let mut out = Object::with_capacity(source.len());
                for (key, item) in source.entries() {
                    let item = self.changed(item, changes, depth + 1)?;
                    out.set(key.clone(), item);
                }
                self.object(out)
            }
            Val::Array(array, flags) => {
                let mut out = Vec::with_capacity(array.items.len());
                for item in &array.items {
                    out.push(self.changed(item, changes, depth + 1)?);
                }
                Ok(self.list(out)?.with_flags(*flags))
            }
            other => Ok(other.clone()),
        }
    }
}
