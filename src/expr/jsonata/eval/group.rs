//! Evaluates `{ key: value }`: objects, and grouping of several items under one key.

use super::{Evaluator, R};
use crate::base::Names;
use crate::expr::jsonata::ast::{Group, Node};
use crate::expr::jsonata::codes;
use crate::expr::jsonata::error::fault_at;
use crate::expr::jsonata::value::{Frame, Object, Tuple, Val};
use std::rc::Rc;
use std::sync::Arc;

/// Values that are appended one by one, as repeated `$append` would.
struct Gathered {
    first: Val,
    /// All items with arrays spread; `None` while there is at most one.
    all: Option<Vec<Val>>,
}

impl Gathered {
    fn new(first: Val) -> Gathered {
        Gathered { first, all: None }
    }

    fn add(&mut self, ev: &mut Evaluator<'_>, value: &Val) -> R<()> {
        if value.is_undefined() {
            return Ok(());
        }
        if self.all.is_none() && self.first.is_undefined() {
            self.first = value.clone();
            return Ok(());
        }
        let all = self.all.get_or_insert_with(|| self.first.items().to_vec());
        value.items().append_to(all);
        let len = all.len();
        if len > ev.limits.items { ev.check_items(len) } else { ev.burn(3) }
    }

    fn finish(self, ev: &mut Evaluator<'_>) -> R<Val> {
        match self.all {
            Some(all) => ev.list(all),
            None => Ok(self.first),
        }
    }
}

/// The items under one key.
struct Entry {
    key: Arc<str>,
    pair: usize,
    items: Gathered,
    rows: Vec<Tuple>,
}

impl Evaluator<'_> {
    /// Builds an object from pairs; every item of the input is assigned to its keys.
    #[inline(never)]
    pub(super) fn group_by(&mut self, group: &Group, input: &Val, frame: &Rc<Frame>) -> R<Val> {
        if !input.is_array() {
            return self.single_object(group, input, frame);
        }
        let mut entries: Vec<Entry> = Vec::new();
        let mut places: Names = Names::default();
        let rows = if let Val::Tuples(rows) = input { Some(rows) } else { None };
        // An empty array is grouped as one undefined item, but no rows are no items.
        let count = input.items().len().max(usize::from(rows.is_none()));
        for i in 0..count {
            let item = input.items().get(i).unwrap_or(Val::Undefined);
            let row = rows.and_then(|rows| rows.get(i));
            let scope = row.map(|row| self.tuple_frame(row, frame));
            let scope = scope.as_ref().unwrap_or(frame);
            for (p, (key, _)) in group.pairs.iter().enumerate() {
                let Some(key) = self.key(group, key, &item, scope)? else { continue };
                let Some(entry) = places.get(&key).and_then(|i| entries.get_mut(i)) else {
                    self.burn(10)?;
                    places.insert(key.clone(), entries.len());
                    let rows = row.cloned().into_iter().collect();
                    entries.push(Entry { key, pair: p, items: Gathered::new(item.clone()), rows });
                    continue;
                };
                if entry.pair != p {
                    return Err(fault_at(codes::D1009, group.at).text(&key));
                }
                match row {
                    Some(row) => entry.rows.push(row.clone()),
                    None => entry.items.add(self, &item)?,
                }
            }
        }
        let mut object = Object::with_capacity(entries.len());
        for entry in entries {
            let Some((_, value)) = group.pairs.get(entry.pair) else { continue };
            let value = if rows.is_some() {
                let row = self.merge_rows(entry.rows)?;
                let scope = self.tuple_frame(&row, frame);
                self.eval(value, &row.item, &scope)?
            } else {
                let item = entry.items.finish(self)?;
                self.eval(value, &item, frame)?
            };
            if !value.is_undefined() {
                object.set(entry.key, value);
            }
        }
        self.object(object)
    }

    /// Builds an object of one item, which is the usual case.
    fn single_object(&mut self, group: &Group, input: &Val, frame: &Rc<Frame>) -> R<Val> {
        let mut keys: Vec<(Arc<str>, &Node)> = Vec::with_capacity(group.pairs.len());
        for (key, value) in &group.pairs {
            if let Some(key) = self.key(group, key, input, frame)? {
                if keys.iter().any(|(other, _)| **other == *key) {
                    return Err(fault_at(codes::D1009, group.at).text(&key));
                }
                keys.push((key, value));
            }
        }
        let mut object = Object::with_capacity(keys.len());
        for (key, value) in keys {
            let value = self.eval(value, input, frame)?;
            if !value.is_undefined() {
                object.add(key, value);
            }
        }
        self.object(object)
    }

    fn key(&mut self, group: &Group, node: &Node, item: &Val, frame: &Rc<Frame>) -> R<Option<Arc<str>>> {
        match self.eval(node, item, frame)? {
            Val::Str(text) => Ok(Some(text)),
            Val::Long(long) => Ok(Some(long.text.clone())),
            Val::Undefined => Ok(None),
            other => Err(fault_at(codes::T1003, group.at).json(self.shown(&other))),
        }
    }

    /// The rows of a group as one row: each variable holds all its values.
    fn merge_rows(&mut self, rows: Vec<Tuple>) -> R<Tuple> {
        let mut rows = rows.into_iter();
        let Some(first) = rows.next() else { return Ok(Tuple { item: Val::Undefined, vars: Vec::new() }) };
        let mut item = Gathered::new(first.item);
        let mut vars: Vec<(u32, Gathered)> = first.vars.into_iter().map(|(name, v)| (name, Gathered::new(v))).collect();
        for row in rows {
            item.add(self, &row.item)?;
            for (name, value) in row.vars {
                match vars.iter_mut().find(|(n, _)| *n == name) {
                    Some((_, gathered)) => gathered.add(self, &value)?,
                    None => vars.push((name, Gathered::new(value))),
                }
            }
        }
        let vars = vars.into_iter().map(|(name, v)| Ok((name, v.finish(self)?))).collect::<R<_>>()?;
        Ok(Tuple { item: item.finish(self)?, vars })
    }

    /// Implements `$append`: returns the items of both in one array.
    pub(crate) fn append(&mut self, first: Val, second: Val) -> R<Val> {
        if first.is_undefined() {
            return Ok(second);
        }
        if second.is_undefined() {
            return Ok(first);
        }
        let (a, b) = (first.items(), second.items());
        self.check_items(a.len() + b.len())?;
        let mut items = Vec::with_capacity(a.len() + b.len());
        a.append_to(&mut items);
        b.append_to(&mut items);
        self.list(items)
    }
}
