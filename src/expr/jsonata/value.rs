//! The values of an evaluation: JSON that is shared with the input, and values that JSON cannot represent.
//!
//! The input is never copied: its arrays and objects are shared by reference counts ([`Val::JsonArray`], [`Val::JsonObject`]),
//! and only values that an expression builds are in [`Array`] and [`Object`].

use super::ast::{LambdaDef, TransformDef};
use super::error::Thrown;
use super::functions::FnId;
use crate::base::{Map, Names, Number, Value};
use crate::expr::regex::Pattern;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

/// The hidden flags of an array.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Flags(u8);

impl Flags {
    /// A plain array.
    pub(super) const NONE: Flags = Flags(0);
    /// A sequence: an empty one is undefined, and one with a single item is that item.
    pub(super) const SEQUENCE: Flags = Flags(1);
    /// A sequence that remains an array if it has a single item (`[]`).
    pub(super) const KEEP: Flags = Flags(2);
    /// An array from `[…]` as a path step, which is not flattened into the result.
    pub(super) const CONS: Flags = Flags(4);
    /// The wrapping of an input that is itself an array.
    pub(super) const OUTER: Flags = Flags(8);

    pub(super) fn has(self, other: Flags) -> bool {
        self.0 & other.0 != 0
    }

    pub(super) fn with(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }
}

/// A value during evaluation. The tag takes a whole word, so that values are moved by words and never byte by byte.
#[derive(Clone)]
#[repr(u64)]
pub(super) enum Val {
    Undefined,
    Null,
    Bool(bool),
    Num(Number),
    /// NaN and the infinities, which only arithmetic produces.
    NonFinite(f64),
    Str(Arc<str>),
    /// A string that an expression created, long enough to count as memory.
    Long(Rc<LongText>),
    JsonArray(Arc<Vec<Value>>),
    JsonObject(Arc<Map>),
    Array(Rc<Array>, Flags),
    /// Consecutive integers that are not expanded.
    Range(i64, u32, Flags),
    Object(Rc<Object>),
    Func(Rc<Function>),
    /// The rows of a path with bound variables, which are passed between path steps.
    Tuples(Rc<Vec<Tuple>>),
}

/// One row of a path with bound variables: the context item, and the variables bound to it.
#[derive(Clone)]
pub(super) struct Tuple {
    pub item: Val,
    pub vars: Vec<(u32, Val)>,
}

impl Tuple {
    pub(super) fn set(&mut self, name: u32, value: Val) {
        match self.vars.iter_mut().find(|(n, _)| *n == name) {
            Some(slot) => slot.1 = value,
            None => self.vars.push((name, value)),
        }
    }
}

thread_local! {
    /// The number of bytes that the values of the current evaluation on this thread occupy.
    static LIVE: Cell<usize> = const { Cell::new(0) };
}

/// Returns the number of occupied bytes.
pub(super) fn live_bytes() -> usize {
    LIVE.get()
}

/// Sets the number of occupied bytes and returns the previous one, at the start and the end of an evaluation.
pub(super) fn set_live_bytes(bytes: usize) -> usize {
    LIVE.replace(bytes)
}

/// A share of the memory budget, which is released on drop.
pub(super) struct Charge(usize);

impl Charge {
    pub(super) fn new(bytes: usize) -> Charge {
        LIVE.set(LIVE.get() + bytes);
        Charge(bytes)
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        LIVE.set(LIVE.get().saturating_sub(self.0));
    }
}

/// A long string and its share of the memory budget.
pub(super) struct LongText {
    pub text: Arc<str>,
    _charge: Charge,
}

impl LongText {
    pub(super) fn new(text: Arc<str>) -> LongText {
        LongText { _charge: Charge::new(text.len()), text }
    }
}

/// An array that an expression built.
pub(super) struct Array {
    pub items: Vec<Val>,
    /// The nesting depth of built values in it, which bounds every recursion over it.
    pub depth: u32,
    _charge: Charge,
}

impl Array {
    pub(super) fn new(items: Vec<Val>) -> Array {
        let depth = 1 + items.iter().map(Val::depth).max().unwrap_or(0);
        Array { depth, _charge: Charge::new(items.capacity() * size_of::<Val>() + 64), items }
    }
}

/// Up to this number of members a linear search is faster than an index.
const LINEAR: usize = 16;

/// An object that an expression built: members in insertion order.
#[derive(Default)]
pub(super) struct Object {
    entries: Vec<(Arc<str>, Val)>,
    index: Option<Names>,
    depth: u32,
    charge: Option<Charge>,
}

impl Object {
    pub(super) fn with_capacity(capacity: usize) -> Object {
        Object { entries: Vec::with_capacity(capacity), ..Object::default() }
    }

    fn position(&self, key: &str) -> Option<usize> {
        match &self.index {
            Some(index) => index.get(key),
            None => self.entries.iter().position(|(k, _)| **k == *key),
        }
    }

    pub(super) fn get(&self, key: &str) -> Option<&Val> {
        self.position(key).and_then(|i| self.entries.get(i)).map(|(_, v)| v)
    }

    /// Adds or replaces a member; a replaced one keeps its position.
    pub(super) fn set(&mut self, key: Arc<str>, value: Val) {
        self.depth = self.depth.max(value.depth());
        if let Some(slot) = self.position(&key).and_then(|i| self.entries.get_mut(i)) {
            slot.1 = value;
            return;
        }
        if let Some(index) = &mut self.index {
            index.insert(key.clone(), self.entries.len());
        }
        self.entries.push((key, value));
        if self.index.is_none() && self.entries.len() > LINEAR {
            self.reindex();
        }
    }

    /// Adds a member with a new name. The caller guarantees that there is no member with this name.
    pub(super) fn add(&mut self, key: Arc<str>, value: Val) {
        match self.index {
            None if self.entries.len() < LINEAR => {
                self.depth = self.depth.max(value.depth());
                self.entries.push((key, value));
            }
            _ => self.set(key, value),
        }
    }

    fn reindex(&mut self) {
        let mut index = Names::default();
        for (i, (key, _)) in self.entries.iter().enumerate() {
            index.insert(key.clone(), i);
        }
        self.index = Some(index);
    }

    pub(super) fn remove(&mut self, key: &str) {
        if let Some(i) = self.position(key) {
            self.entries.remove(i);
            if self.index.is_some() {
                self.reindex();
            }
        }
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn entries(&self) -> &[(Arc<str>, Val)] {
        &self.entries
    }

    pub(super) fn depth(&self) -> u32 {
        self.depth + 1
    }

    /// Returns the finished object and counts its memory.
    pub(super) fn seal(mut self) -> Rc<Object> {
        let bytes: usize = self.entries.iter().map(|(k, _)| k.len() + 64).sum();
        self.charge = Some(Charge::new(bytes + 64));
        Rc::new(self)
    }
}

impl Clone for Object {
    fn clone(&self) -> Object {
        Object { entries: self.entries.clone(), index: self.index.clone(), depth: self.depth, charge: None }
    }
}

/// A function value.
pub(super) enum Function {
    /// `function($a, $b){ … }` with the scope in which it was defined.
    Lambda { def: Arc<LambdaDef>, input: Val, frame: Rc<Frame> },
    /// A built-in function.
    Builtin(FnId),
    /// `$f(1, ?)`: the given arguments, with holes.
    Partial { of: Rc<Function>, args: Vec<Option<Val>>, depth: u32 },
    /// `$f ~> $g`.
    Chain { first: Rc<Function>, second: Rc<Function>, depth: u32 },
    /// `/…/`
    Regex(Arc<Pattern>),
    /// The function that finds the next match of a regular expression, from a byte offset on.
    NextMatch { pattern: Arc<Pattern>, text: Val, from: usize },
    /// `| … | … |`
    Transform { def: Arc<TransformDef>, frame: Rc<Frame> },
}

impl Function {
    fn depth(&self) -> u32 {
        match self {
            Function::Partial { depth, .. } | Function::Chain { depth, .. } => *depth,
            _ => 0,
        }
    }

    /// The number of parameters, which decides which arguments `$map` and similar functions pass.
    pub(super) fn arity(&self) -> usize {
        match self {
            Function::Lambda { def, .. } => def.params.len(),
            Function::Builtin(id) => id.def().arity,
            Function::Partial { args, .. } => args.iter().filter(|a| a.is_none()).count(),
            Function::Regex(_) => 2,
            Function::Chain { .. } | Function::Transform { .. } => 1,
            Function::NextMatch { .. } => 0,
        }
    }
}

/// The variables of one scope.
pub(super) struct Frame {
    pub parent: Option<Rc<Frame>>,
    /// For a call: the lambda, whose parameters are the names of the first values.
    def: Option<Arc<LambdaDef>>,
    vars: RefCell<Vars>,
    /// Whether a function value refers to it. Such frames are emptied when the evaluation ends; otherwise they would never be
    /// freed.
    pub captured: Cell<bool>,
}

#[derive(Default)]
struct Vars {
    args: Vec<Val>,
    more: Vec<(u32, Val)>,
}

impl Frame {
    pub(super) fn new(parent: Option<Rc<Frame>>, vars: Vec<(u32, Val)>) -> Rc<Frame> {
        let vars = RefCell::new(Vars { args: Vec::new(), more: vars });
        Rc::new(Frame { parent, def: None, vars, captured: Cell::new(false) })
    }

    /// Returns the scope of a call.
    pub(super) fn of_call(parent: Rc<Frame>, def: Arc<LambdaDef>, mut args: Vec<Val>) -> Rc<Frame> {
        args.resize(def.params.len(), Val::Undefined);
        let vars = RefCell::new(Vars { args, more: Vec::new() });
        Rc::new(Frame { parent: Some(parent), def: Some(def), vars, captured: Cell::new(false) })
    }

    /// Turns an unused scope into that of a call.
    pub(super) fn begin_call(&mut self, parent: Rc<Frame>, def: Arc<LambdaDef>, mut args: Vec<Val>) {
        args.resize(def.params.len(), Val::Undefined);
        self.vars.get_mut().args = args;
        self.parent = Some(parent);
        self.def = Some(def);
    }

    /// Makes the scope of a call unused, and returns its argument list.
    pub(super) fn end_call(&mut self) -> Vec<Val> {
        self.parent = None;
        self.def = None;
        let vars = self.vars.get_mut();
        if !vars.more.is_empty() {
            vars.more = Vec::new();
        }
        std::mem::take(&mut vars.args)
    }

    /// Removes all variables.
    pub(super) fn clear(&self) {
        let vars = self.vars.take();
        drop(vars);
    }

    /// The index of a parameter; of two with the same name the last one counts.
    fn parameter(&self, name: u32) -> Option<usize> {
        self.def.as_ref()?.params.iter().rposition(|p| *p == name)
    }

    pub(super) fn bind(&self, name: u32, value: Val) {
        let vars = &mut *self.vars.borrow_mut();
        if let Some(slot) = self.parameter(name).and_then(|i| vars.args.get_mut(i)) {
            *slot = value;
            return;
        }
        match vars.more.iter_mut().find(|(n, _)| *n == name) {
            Some(slot) => slot.1 = value,
            None => vars.more.push((name, value)),
        }
    }

    /// Returns the variable from this scope or the nearest enclosing one.
    pub(super) fn lookup(&self, name: u32) -> Option<Val> {
        let mut frame = self;
        loop {
            let vars = frame.vars.borrow();
            if let Some(value) = frame.parameter(name).and_then(|i| vars.args.get(i)) {
                return Some(value.clone());
            }
            if let Some((_, value)) = vars.more.iter().find(|(n, _)| *n == name) {
                return Some(value.clone());
            }
            frame = frame.parent.as_deref()?;
        }
    }
}

impl Val {
    /// The empty sequence.
    pub(super) const EMPTY: Val = Val::Range(0, 0, Flags::SEQUENCE);
    /// The empty array, which occupies no memory.
    pub(super) const NO_ITEMS: Val = Val::Range(0, 0, Flags::NONE);

    /// Returns an integer if the double is exactly one.
    pub(super) fn num(x: f64) -> Val {
        Number::from_f64_integral(x).map_or(Val::NonFinite(x), Val::Num)
    }

    pub(super) fn int(i: i64) -> Val {
        Val::Num(Number::Int(i))
    }

    pub(super) fn str(text: &str) -> Val {
        Val::Str(text.into())
    }

    pub(super) fn func(function: Function) -> Val {
        Val::Func(Rc::new(function))
    }

    /// Returns a sequence of one item. It is not counted for the limits.
    pub(super) fn sequence_of(item: Val) -> Val {
        Val::Array(Rc::new(Array::new(vec![item])), Flags::SEQUENCE)
    }

    pub(super) fn is_undefined(&self) -> bool {
        matches!(self, Val::Undefined)
    }

    /// The nesting depth of built values; 0 for scalars and for shared JSON.
    pub(super) fn depth(&self) -> u32 {
        match self {
            Val::Array(a, _) => a.depth,
            Val::Object(o) => o.depth(),
            Val::Func(f) => f.depth(),
            _ => 0,
        }
    }

    pub(super) fn as_str(&self) -> Option<&str> {
        match self {
            Val::Str(text) => Some(text),
            Val::Long(long) => Some(&long.text),
            _ => None,
        }
    }

    /// The number as a double, including NaN and infinities.
    pub(super) fn as_f64(&self) -> Option<f64> {
        match self {
            Val::Num(n) => Some(n.as_f64()),
            Val::NonFinite(x) => Some(*x),
            _ => None,
        }
    }

    pub(super) fn is_array(&self) -> bool {
        matches!(self, Val::JsonArray(_) | Val::Array(..) | Val::Range(..) | Val::Tuples(_))
    }

    pub(super) fn is_sequence(&self) -> bool {
        self.flags().has(Flags::SEQUENCE)
    }

    pub(super) fn flags(&self) -> Flags {
        match self {
            Val::Array(_, flags) | Val::Range(_, _, flags) => *flags,
            _ => Flags::NONE,
        }
    }

    /// Returns the same items with these flags.
    pub(super) fn with_flags(self, flags: Flags) -> Val {
        match self {
            Val::Array(array, _) => Val::Array(array, flags),
            Val::Range(first, len, _) => Val::Range(first, len, flags),
            other => other,
        }
    }

    pub(super) fn is_object(&self) -> bool {
        matches!(self, Val::JsonObject(_) | Val::Object(_))
    }

    pub(super) fn as_func(&self) -> Option<&Rc<Function>> {
        match self {
            Val::Func(f) => Some(f),
            _ => None,
        }
    }

    /// Returns the member of an object; `None` for a missing member and for a value that is not an object.
    pub(super) fn member(&self, key: &str) -> Option<Val> {
        match self {
            Val::JsonObject(map) => map.get(key).map(Val::from),
            Val::Object(object) => object.get(key).cloned(),
            _ => None,
        }
    }

    /// Returns the items of an array; any other value is one item.
    pub(super) fn items(&self) -> Items<'_> {
        match self {
            Val::JsonArray(items) => Items::Json(items),
            Val::Array(array, _) => Items::Built(&array.items),
            Val::Range(first, len, _) => Items::Range(*first, *len as usize),
            Val::Tuples(tuples) => Items::Tuples(tuples),
            other => Items::One(other),
        }
    }

    /// Returns the members of an object in order; none for any other value.
    pub(super) fn members(&self) -> Members<'_> {
        match self {
            Val::JsonObject(map) => Members::Json(map),
            Val::Object(object) => Members::Built(&object.entries),
            _ => Members::Built(&[]),
        }
    }
}

impl From<&Value> for Val {
    fn from(value: &Value) -> Val {
        match value {
            Value::Null => Val::Null,
            Value::Bool(b) => Val::Bool(*b),
            // An integer beyond 64 bits is a double (measured).
            Value::Number(n @ Number::Wide { .. }) => Val::Num(Number::from_f64(n.as_f64()).unwrap_or(*n)),
            Value::Number(n) => Val::Num(*n),
            Value::String(s) => Val::Str(s.clone()),
            Value::Array(a) => Val::JsonArray(a.clone()),
            Value::Object(o) => Val::JsonObject(o.clone()),
        }
    }
}

/// The items of an array, in either representation.
#[derive(Clone, Copy)]
pub(super) enum Items<'a> {
    Json(&'a [Value]),
    Built(&'a [Val]),
    Range(i64, usize),
    One(&'a Val),
    Tuples(&'a [Tuple]),
}

impl Items<'_> {
    pub(super) fn len(&self) -> usize {
        match self {
            Items::Json(items) => items.len(),
            Items::Built(items) => items.len(),
            Items::Range(_, len) => *len,
            Items::One(_) => 1,
            Items::Tuples(tuples) => tuples.len(),
        }
    }

    pub(super) fn get(&self, index: usize) -> Option<Val> {
        match self {
            Items::Json(items) => items.get(index).map(Val::from),
            Items::Built(items) => items.get(index).cloned(),
            Items::Range(first, len) => (index < *len).then(|| Val::int(first + index as i64)),
            Items::One(value) => (index == 0).then(|| (*value).clone()),
            Items::Tuples(tuples) => tuples.get(index).map(|t| t.item.clone()),
        }
    }

    /// Returns an item as a number, without creating a value; NaN for any other item.
    pub(super) fn number(&self, index: usize) -> f64 {
        match self {
            Items::Json(items) => match items.get(index) {
                Some(Value::Number(n)) => n.as_f64(),
                _ => f64::NAN,
            },
            Items::Built(items) => items.get(index).and_then(Val::as_f64).unwrap_or(f64::NAN),
            Items::Range(first, len) if index < *len => (first + index as i64) as f64,
            other => other.get(index).and_then(|item| item.as_f64()).unwrap_or(f64::NAN),
        }
    }

    pub(super) fn iter(self) -> impl Iterator<Item = Val> {
        (0..self.len()).filter_map(move |i| self.get(i))
    }

    /// Copies the items into a vector.
    pub(super) fn to_vec(self) -> Vec<Val> {
        let mut out = Vec::with_capacity(self.len());
        self.append_to(&mut out);
        out
    }

    /// Copies the items to the end of a vector.
    pub(super) fn append_to(self, out: &mut Vec<Val>) {
        match self {
            Items::Json(items) => out.extend(items.iter().map(Val::from)),
            Items::Built(items) => out.extend_from_slice(items),
            other => out.extend(other.iter()),
        }
    }
}

/// The members of an object, in either representation.
#[derive(Clone, Copy)]
pub(super) enum Members<'a> {
    Json(&'a Map),
    Built(&'a [(Arc<str>, Val)]),
}

impl<'a> Members<'a> {
    pub(super) fn len(&self) -> usize {
        match self {
            Members::Json(map) => map.len(),
            Members::Built(entries) => entries.len(),
        }
    }

    /// Calls `each` for every member in order, until it fails.
    pub(super) fn try_each(self, mut each: impl FnMut(&'a Arc<str>, Val) -> Result<(), Thrown>) -> Result<(), Thrown> {
        match self {
            Members::Json(map) => map.iter().try_for_each(|(k, v)| each(k, Val::from(v))),
            Members::Built(entries) => entries.iter().try_for_each(|(k, v)| each(k, v.clone())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_three_words() {
        assert_eq!(size_of::<Val>(), 24);
        assert_eq!(size_of::<Result<Val, Thrown>>(), 24);
    }
}
