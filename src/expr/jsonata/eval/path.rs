//! Evaluates paths: step by step, with filters, sorting, and rows of bound variables.

use super::{Evaluator, R, collapse, is_same};
use crate::base::{Number, Value};
use crate::expr::jsonata::ast::{Kind, Node, Path, Stage, Term};
use crate::expr::jsonata::codes;
use crate::expr::jsonata::error::fault_at;
use crate::expr::jsonata::eval::{TEXT_STEP, compare_text, operators::is_number, truth};
use crate::expr::jsonata::value::{Flags, Frame, Tuple, Val};
use std::cmp::Ordering;
use std::rc::Rc;

/// The items that a step is applied to.
enum Input {
    /// One item, even if it is an array.
    One(Val),
    /// The items of an array.
    Each(Val),
}

impl Input {
    fn len(&self) -> usize {
        match self {
            Input::One(_) => 1,
            Input::Each(value) => value.items().len(),
        }
    }

    fn get(&self, index: usize) -> Val {
        match self {
            Input::One(value) => value.clone(),
            Input::Each(value) => value.items().get(index).unwrap_or(Val::Undefined),
        }
    }
}

/// The results of a step, flattened by one level. A single array at the end of a path is not flattened.
struct Flattened {
    first: Option<Val>,
    items: Vec<Val>,
    several: bool,
}

impl Flattened {
    fn add(&mut self, ev: &mut Evaluator<'_>, value: Val) -> R<()> {
        match self.first.take() {
            None if !self.several => {
                self.first = Some(value);
                Ok(())
            }
            None => self.push(ev, value),
            Some(first) => {
                self.several = true;
                self.push(ev, first)?;
                self.push(ev, value)
            }
        }
    }

    fn push(&mut self, ev: &mut Evaluator<'_>, value: Val) -> R<()> {
        if value.is_array() && !value.flags().has(Flags::CONS) {
            let items = value.items();
            ev.check_items(self.items.len() + items.len())?;
            items.append_to(&mut self.items);
        } else {
            if self.items.len() >= ev.limits.items {
                ev.check_items(self.items.len() + 1)?;
            }
            self.items.push(value);
        }
        Ok(())
    }

    fn finish(self, ev: &mut Evaluator<'_>, last: bool) -> R<Val> {
        match self.first {
            None => ev.sequence(self.items),
            Some(first) if !first.is_array() => Ok(first),
            Some(first) if last && !first.is_sequence() => Ok(first),
            Some(first) if first.flags().has(Flags::CONS) => Ok(Val::sequence_of(first)),
            Some(first) => Ok(first.with_flags(Flags::SEQUENCE)),
        }
    }
}

impl Evaluator<'_> {
    #[inline(never)]
    pub(super) fn path(&mut self, node: &Node, path: &Path, input: &Val, frame: &Rc<Frame>) -> R<Val> {
        let from_variable = path.steps.first().is_some_and(|s| matches!(s.kind, Kind::Variable(_) | Kind::Context));
        let mut items = if input.is_array() && !from_variable { Input::Each(input.clone()) } else { Input::One(input.clone()) };
        let mut result = Val::Undefined;
        let mut rows: Option<Vec<Tuple>> = None;
        let mut by_rows = false;
        for (i, step) in path.steps.iter().enumerate() {
            by_rows |= step.is_tuple();
            let cons = matches!(&step.kind, Kind::Array(_, true)) || matches!(&step.kind, Kind::Block(b) if b.cons);
            if i == 0 && cons {
                let whole = match &items {
                    Input::One(item) => Val::sequence_of(item.clone()),
                    Input::Each(value) => value.clone(),
                };
                result = self.eval(step, &whole, frame)?;
            } else if by_rows {
                rows = Some(self.row_step(step, &items, rows, frame)?);
            } else {
                result = self.step(step, &items, frame, i + 1 == path.steps.len())?;
            }
            if !by_rows && (result.is_undefined() || (result.is_array() && result.items().len() == 0)) {
                // Only the last step may return an empty array; for any other step it counts as nothing.
                if i + 1 < path.steps.len() && !cons {
                    result = Val::EMPTY;
                }
                break;
            }
            if step.focus().is_none() {
                items = Input::Each(result.clone());
            }
        }
        if let Some(rows) = rows {
            if path.tuple {
                result = Val::Tuples(Rc::new(rows));
                return if node.group().is_some() { self.path_group(node, result, frame) } else { Ok(result) };
            }
            if node.group().is_some() {
                return self.path_group(node, Val::Tuples(Rc::new(rows)), frame);
            }
            result = self.sequence(rows.into_iter().map(|row| row.item).collect())?;
        }
        if path.keep_singleton && !result.is_undefined() {
            let bare_cons = result.flags().has(Flags::CONS) && !result.is_sequence();
            if !result.is_array() || bare_cons {
                result = Val::sequence_of(result);
            }
            let flags = result.flags().with(Flags::KEEP);
            result = result.with_flags(flags);
        }
        self.path_group(node, result, frame)
    }

    /// Applies the grouping after a path, if it has one.
    pub(super) fn path_group(&mut self, node: &Node, value: Val, frame: &Rc<Frame>) -> R<Val> {
        match node.group() {
            Some(group) => self.group_by(group, &value, frame),
            None => Ok(value),
        }
    }

    fn step(&mut self, step: &Node, items: &Input, frame: &Rc<Frame>, last: bool) -> R<Val> {
        if let Kind::Sort(terms) = &step.kind {
            let mut result = self.sort_step(step.at, terms, items, frame)?;
            for stage in step.stages() {
                if let Stage::Filter(filter) = stage {
                    result = self.filter(filter, result, frame)?;
                }
            }
            return Ok(result);
        }
        let mut out = Flattened { first: None, items: Vec::new(), several: false };
        // The most common step: a name, on objects of the input.
        if let (Kind::Name(name), Input::Each(Val::JsonArray(values))) = (&step.kind, items)
            && step.extra.is_none()
            && !step.keep_array
        {
            self.burn(values.len())?;
            for value in values.iter() {
                match value {
                    Value::Object(map) => {
                        if let Some(found) = map.get(name) {
                            out.add(self, Val::from(found))?;
                        }
                    }
                    Value::Array(_) => {
                        let found = collapse(self.lookup(&Val::from(value), name)?, false);
                        if !found.is_undefined() {
                            out.add(self, found)?;
                        }
                    }
                    _ => {}
                }
            }
            return out.finish(self, last);
        }
        for i in 0..items.len() {
            let mut result = self.eval(step, &items.get(i), frame)?;
            for stage in step.stages() {
                if let Stage::Filter(filter) = stage {
                    result = self.filter(filter, result, frame)?;
                }
            }
            if !result.is_undefined() {
                out.add(self, result)?;
            }
        }
        out.finish(self, last)
    }

    /// Returns a scope with the variables of a row.
    pub(super) fn tuple_frame(&self, row: &Tuple, frame: &Rc<Frame>) -> Rc<Frame> {
        Frame::new(Some(frame.clone()), row.vars.clone())
    }

    /// Evaluates a step that carries rows of variables.
    #[inline(never)]
    fn row_step(&mut self, step: &Node, items: &Input, rows: Option<Vec<Tuple>>, frame: &Rc<Frame>) -> R<Vec<Tuple>> {
        let extra = step.extra.as_deref();
        let index = extra.and_then(|e| e.index);
        if let Kind::Sort(terms) = &step.kind {
            let sorted = match rows {
                Some(rows) => self.sort_rows(step.at, terms, rows, frame)?,
                None => {
                    let sorted = self.sort_step(step.at, terms, items, frame)?;
                    let number = |i: usize| index.map(|name| (name, Val::int(i as i64))).into_iter().collect();
                    sorted.items().iter().enumerate().map(|(i, item)| Tuple { item, vars: number(i) }).collect()
                }
            };
            return self.row_stages(step, sorted, frame);
        }
        let rows = rows.unwrap_or_else(|| (0..items.len()).map(|i| Tuple { item: items.get(i), vars: Vec::new() }).collect());
        let focus = step.focus();
        let ancestor = extra.and_then(|e| e.ancestor).and_then(|slot| self.parents.get(slot as usize).copied());
        let mut out: Vec<Tuple> = Vec::new();
        for row in rows {
            let scope = self.tuple_frame(&row, frame);
            let result = self.eval(step, &row.item, &scope)?;
            match &result {
                Val::Undefined => {}
                Val::Tuples(inner) => {
                    for more in inner.iter() {
                        let mut next = row.clone();
                        next.item = more.item.clone();
                        more.vars.iter().for_each(|(name, value)| next.set(*name, value.clone()));
                        out.push(next);
                    }
                }
                result => {
                    for (i, item) in result.items().iter().enumerate() {
                        let mut next = row.clone();
                        match focus {
                            Some(name) => next.set(name, item),
                            None => next.item = item,
                        }
                        if let Some(name) = index {
                            next.set(name, Val::int(i as i64));
                        }
                        if let Some(name) = ancestor {
                            next.set(name, row.item.clone());
                        }
                        out.push(next);
                    }
                }
            }
            self.burn(2 + row.vars.len())?;
            // A row consists of several values.
            if out.len() > self.limits.items / 5 {
                self.check_items(out.len() * 5)?;
            }
        }
        self.row_stages(step, out, frame)
    }

    fn row_stages(&mut self, step: &Node, mut rows: Vec<Tuple>, frame: &Rc<Frame>) -> R<Vec<Tuple>> {
        for stage in step.stages() {
            match stage {
                Stage::Filter(filter) => rows = self.filter_rows(filter, rows, frame)?,
                Stage::Index(name) => {
                    rows.iter_mut().enumerate().for_each(|(i, row)| row.set(*name, Val::int(i as i64)));
                }
            }
        }
        Ok(rows)
    }

    /// Applies `[predicate]`: by position or by truth.
    #[inline(never)]
    pub(super) fn filter(&mut self, predicate: &Node, input: Val, frame: &Rc<Frame>) -> R<Val> {
        if let Val::Tuples(rows) = input {
            let rows = self.filter_rows(predicate, rows.as_ref().clone(), frame)?;
            return Ok(Val::Tuples(Rc::new(rows)));
        }
        let items = input.items();
        let count = items.len();
        if let Kind::Literal(Value::Number(number)) = &predicate.kind {
            let item = position(number.as_f64(), count).and_then(|i| items.get(i));
            return Ok(match item {
                None | Some(Val::Undefined) => Val::EMPTY,
                Some(item) => item,
            });
        }
        self.burn(count)?;
        let mut out = Vec::new();
        for (i, item) in items.iter().enumerate() {
            let result = self.eval(predicate, &item, frame)?;
            for _ in 0..self.selections(&result, i, count)? {
                out.push(item.clone());
            }
        }
        match out.len() {
            // A scalar equals a sequence of it; a selected undefined is still an item.
            1 if !out.first().is_some_and(|item| item.is_array() || item.is_undefined()) => Ok(out.pop().unwrap_or(Val::Undefined)),
            _ => self.sequence(out),
        }
    }

    /// Returns how often a predicate's value selects the item at an index.
    fn selections(&mut self, result: &Val, index: usize, count: usize) -> R<usize> {
        if let Val::Bool(b) = result {
            return Ok(usize::from(*b));
        }
        if is_number(result)? {
            return Ok(usize::from(result.as_f64().and_then(|x| position(x, count)) == Some(index)));
        }
        if result.is_array() {
            let mut hits = 0;
            let mut numbers = true;
            self.burn(result.items().len() / 4)?;
            for item in result.items().iter() {
                if !is_number(&item)? {
                    numbers = false;
                    break;
                }
                hits += usize::from(item.as_f64().and_then(|x| position(x, count)) == Some(index));
            }
            if numbers {
                return Ok(hits);
            }
        }
        Ok(usize::from(truth(result)?))
    }

    fn filter_rows(&mut self, predicate: &Node, rows: Vec<Tuple>, frame: &Rc<Frame>) -> R<Vec<Tuple>> {
        let count = rows.len();
        if let Kind::Literal(Value::Number(number)) = &predicate.kind {
            return Ok(position(number.as_f64(), count).and_then(|i| rows.into_iter().nth(i)).into_iter().collect());
        }
        let mut out = Vec::new();
        for (i, row) in rows.into_iter().enumerate() {
            let scope = self.tuple_frame(&row, frame);
            let result = self.eval(predicate, &row.item, &scope)?;
            for _ in 0..self.selections(&result, i, count)? {
                out.push(row.clone());
            }
        }
        Ok(out)
    }

    fn sort_step(&mut self, at: u32, terms: &[Term], items: &Input, frame: &Rc<Frame>) -> R<Val> {
        let count = items.len();
        if count <= 1 {
            // This is a sequence with the one item, as the previous step returned it.
            let only = if count == 0 { Val::EMPTY } else { items.get(0) };
            return Ok(if count == 1 { Val::sequence_of(only) } else { only });
        }
        let values: Vec<Val> = (0..count).map(|i| items.get(i)).collect();
        let mut keys: Vec<Vec<Val>> = vec![Vec::new(); count];
        let order = self.merge_sort(count, &mut |ev, a, b| {
            ev.is_after(at, terms, &mut keys, a, b, &mut |ev, term, i| {
                let item = values.get(i).unwrap_or(&Val::Undefined);
                ev.eval(term, item, frame)
            })
        })?;
        let sorted = order.into_iter().filter_map(|i| values.get(i).cloned()).collect();
        self.list(sorted)
    }

    fn sort_rows(&mut self, at: u32, terms: &[Term], rows: Vec<Tuple>, frame: &Rc<Frame>) -> R<Vec<Tuple>> {
        let mut keys: Vec<Vec<Val>> = vec![Vec::new(); rows.len()];
        let order = self.merge_sort(rows.len(), &mut |ev, a, b| {
            ev.is_after(at, terms, &mut keys, a, b, &mut |ev, term, i| match rows.get(i) {
                Some(row) => {
                    let scope = ev.tuple_frame(row, frame);
                    ev.eval(term, &row.item, &scope)
                }
                None => Ok(Val::Undefined),
            })
        })?;
        Ok(order.into_iter().filter_map(|i| rows.get(i).cloned()).collect())
    }

    /// Whether item `a` sorts after item `b`. Each key is evaluated once, and only if it is needed.
    fn is_after(
        &mut self,
        at: u32,
        terms: &[Term],
        keys: &mut [Vec<Val>],
        a: usize,
        b: usize,
        key: &mut dyn FnMut(&mut Self, &Node, usize) -> R<Val>,
    ) -> R<bool> {
        self.burn(1)?;
        for (t, term) in terms.iter().enumerate() {
            for i in [a, b] {
                if keys.get(i).is_some_and(|known| known.len() <= t) {
                    let value = key(self, &term.expression, i)?;
                    if let Some(known) = keys.get_mut(i) {
                        known.push(value);
                    }
                }
            }
            let find = |i: usize| keys.get(i).and_then(|known| known.get(t)).unwrap_or(&Val::Undefined);
            let order = self.sort_order(at, find(a), find(b))?;
            let order = match order {
                // Undefined sorts last in either direction.
                Sorted::Missing(order) => order,
                Sorted::Compared(order) if term.descending => order.reverse(),
                Sorted::Compared(order) => order,
            };
            if order != Ordering::Equal {
                return Ok(order == Ordering::Greater);
            }
        }
        Ok(false)
    }

    fn sort_order(&mut self, at: u32, a: &Val, b: &Val) -> R<Sorted> {
        match (a.is_undefined(), b.is_undefined()) {
            (true, true) => return Ok(Sorted::Missing(Ordering::Equal)),
            (true, false) => return Ok(Sorted::Missing(Ordering::Greater)),
            (false, true) => return Ok(Sorted::Missing(Ordering::Less)),
            (false, false) => {}
        }
        if let (Val::Num(Number::Int(a)), Val::Num(Number::Int(b))) = (a, b) {
            return Ok(Sorted::Compared(a.cmp(b)));
        }
        let sortable = |v: &Val| v.as_str().is_some() || v.as_f64().is_some();
        if !sortable(a) || !sortable(b) {
            let odd = if sortable(a) { b } else { a };
            return Err(fault_at(codes::T2008, at).json(self.shown(odd)));
        }
        match (a.as_str(), b.as_str(), a.as_f64(), b.as_f64()) {
            (Some(x), Some(y), _, _) => {
                self.burn((x.len() + y.len()) / TEXT_STEP)?;
                Ok(Sorted::Compared(compare_text(x, y)))
            }
            (_, _, Some(x), Some(y)) => {
                let order = if is_same(a, b) { Ordering::Equal } else { x.partial_cmp(&y).unwrap_or(Ordering::Greater) };
                Ok(Sorted::Compared(order))
            }
            _ => Err(fault_at(codes::T2007, at).json(self.shown(a)).json2(self.shown(b))),
        }
    }

    /// Sorts the indices `0..count` with a stable merge sort. `after(a, b)` returns whether `a` sorts after `b`.
    pub(crate) fn merge_sort(&mut self, count: usize, after: &mut dyn FnMut(&mut Self, usize, usize) -> R<bool>) -> R<Vec<usize>> {
        let mut from: Vec<usize> = (0..count).collect();
        let mut to: Vec<usize> = Vec::with_capacity(count);
        let mut width = 1;
        while width < count {
            to.clear();
            for chunk in from.chunks(width * 2) {
                let (left, right) = chunk.split_at(width.min(chunk.len()));
                let (mut l, mut r) = (left.iter().peekable(), right.iter().peekable());
                while let (Some(&&a), Some(&&b)) = (l.peek(), r.peek()) {
                    if after(self, a, b)? {
                        to.push(b);
                        r.next();
                    } else {
                        to.push(a);
                        l.next();
                    }
                }
                to.extend(l);
                to.extend(r);
            }
            std::mem::swap(&mut from, &mut to);
            width *= 2;
        }
        Ok(from)
    }
}

enum Sorted {
    /// One of the two values is undefined.
    Missing(Ordering),
    Compared(Ordering),
}

/// Returns the index that a number selects, counted from the end if it is negative.
fn position(number: f64, count: usize) -> Option<usize> {
    let index = number.floor();
    let index = if index < 0.0 { count as f64 + index } else { index };
    (index >= 0.0 && index < count as f64).then_some(index as usize)
}
