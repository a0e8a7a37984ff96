//! The evaluator: it walks the tree with a budget of steps, depth and memory.

mod apply;
mod group;
mod operators;
mod output;
mod path;
mod pool;
mod transform;

pub(super) use operators::{TEXT_STEP, compare_text, is_same, length, truth};
pub(super) use output::write_json;

use self::pool::Pool;
use super::ast::{Kind, Names, Node, Path, Stage};
use super::compile::Program;
use super::error::{Thrown, fault, fault_at};
use super::functions::{self, FnId};
use super::value::{Array, Flags, Frame, Function, LongText, Object, Val, live_bytes};
use super::{Limits, MAX_NESTING};
use crate::base::{Millis, Rng, Value};
use crate::expr::jsonata::codes;
use crate::expr::regex::Scratch;
use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

pub(super) type R<T> = Result<T, Thrown>;

/// The length from which strings count as memory; shorter ones only cost fuel.
const LONG_TEXT: usize = 4096;

/// Maximum number of nested calls of the evaluator.
const MAX_LEVELS: u32 = 400;

/// The state of one evaluation.
pub(super) struct Evaluator<'e> {
    pub names: Cow<'e, Names>,
    pub parents: Cow<'e, [u32]>,
    bindings: &'e dyn Fn(&str) -> Option<Value>,
    /// The values of names that the expression does not bind, once they are known.
    globals: Vec<Option<Val>>,
    /// `$$`
    root: Val,
    pub now: Millis,
    pub rng: &'e mut Rng,
    pub limits: &'e Limits,
    pub fuel: u64,
    /// The number of nested calls of the evaluator, so that its stack is bounded regardless of what counts as depth of an
    /// evaluation.
    levels: u32,
    /// The number of nested evaluations.
    depth: u32,
    /// Scopes that function values refer to.
    captured: Vec<Rc<Frame>>,
    /// Allocations of finished calls that later calls can reuse.
    pool: Pool,
    /// Memory of regular expression searches, which is reused.
    pub scratch: Scratch,
}

impl<'e> Evaluator<'e> {
    pub(super) fn new(
        program: &'e Program,
        input: Option<&Value>,
        bindings: &'e dyn Fn(&str) -> Option<Value>,
        now: Millis,
        rng: &'e mut Rng,
        limits: &'e Limits,
    ) -> Evaluator<'e> {
        Evaluator {
            names: Cow::Borrowed(&program.names),
            parents: Cow::Borrowed(&program.parents),
            bindings,
            globals: vec![None; program.names.len()],
            root: input.map_or(Val::Undefined, Val::from),
            now,
            rng,
            limits,
            fuel: limits.fuel,
            levels: 0,
            depth: 0,
            captured: Vec::new(),
            pool: Pool::default(),
            scratch: Scratch::default(),
        }
    }

    /// Evaluates a whole program.
    pub(super) fn run(&mut self, program: &Program) -> R<Option<Value>> {
        let frame = Frame::new(None, Vec::new());
        let input = match &self.root {
            root @ Val::JsonArray(_) => wrap_outer(root.clone()),
            root => root.clone(),
        };
        let result = self.eval(&program.root, &input, &frame).and_then(|value| self.output(value));
        // Functions and scopes refer to each other; without this, such cycles would never be freed.
        for frame in self.captured.drain(..) {
            frame.clear();
        }
        result
    }

    /// Charges work. The error ends the evaluation.
    pub(super) fn burn(&mut self, steps: usize) -> R<()> {
        match self.fuel.checked_sub(steps as u64) {
            Some(left) => {
                self.fuel = left;
                Ok(())
            }
            None => Err(fault(codes::D1012)),
        }
    }

    fn check_memory(&self) -> R<()> {
        if live_bytes() > self.limits.memory { Err(fault(codes::D1015)) } else { Ok(()) }
    }

    /// Enters one more level of the evaluator's stack; the caller leaves it again.
    fn enter(&mut self) -> R<()> {
        self.levels += 1;
        if self.levels > MAX_LEVELS { Err(fault(codes::D1011)) } else { Ok(()) }
    }

    /// Refuses an evaluation that would be too deep, one level below the current one.
    fn check_depth(&self, node: &Node) -> R<()> {
        if self.depth >= self.limits.depth { Err(fault_at(codes::D1011, node.at)) } else { Ok(()) }
    }

    /// Returns a string that the expression creates.
    pub(super) fn text(&mut self, text: String) -> R<Val> {
        if text.len() < LONG_TEXT {
            // The cost includes allocating and freeing it.
            self.burn(4 + text.len() / 16)?;
            return Ok(Val::Str(text.into()));
        }
        self.check_text(text.len())?;
        let long = LongText::new(text.into());
        self.check_memory()?;
        Ok(Val::Long(Rc::new(long)))
    }

    /// Refuses a string that would be too long before it is created, and charges it.
    pub(super) fn check_text(&mut self, len: usize) -> R<()> {
        if len > self.limits.text {
            return Err(fault(codes::D1015));
        }
        self.burn(len / 256)
    }

    /// Refuses an array that would be too long before it is created, and charges it.
    pub(super) fn check_items(&mut self, len: usize) -> R<()> {
        if len > self.limits.items {
            return Err(fault(codes::D1015));
        }
        self.burn(len / 4)
    }

    /// Refuses to add an item to a full array before its capacity doubles.
    pub(super) fn check_room(&self, items: &[Val]) -> R<()> {
        if items.len() < self.limits.items { Ok(()) } else { Err(fault(codes::D1015)) }
    }

    fn array(&mut self, items: Vec<Val>, flags: Flags) -> R<Val> {
        self.burn(1)?;
        self.check_items(items.len())?;
        let array = Array::new(items);
        if array.depth > MAX_NESTING {
            return Err(fault(codes::D1014));
        }
        self.check_memory()?;
        Ok(Val::Array(Rc::new(array), flags))
    }

    /// Returns a plain array.
    pub(super) fn list(&mut self, items: Vec<Val>) -> R<Val> {
        self.array(items, Flags::NONE)
    }

    /// Returns a sequence. The caller's `finish` turns an empty one into undefined and a single one into its item.
    pub(super) fn sequence(&mut self, items: Vec<Val>) -> R<Val> {
        if items.is_empty() {
            return Ok(Val::EMPTY);
        }
        self.array(items, Flags::SEQUENCE)
    }

    pub(super) fn object(&mut self, object: Object) -> R<Val> {
        self.burn(2 + object.len())?;
        if object.depth() > MAX_NESTING {
            return Err(fault(codes::D1014));
        }
        let object = object.seal();
        self.check_memory()?;
        Ok(Val::Object(object))
    }

    /// Returns the value of `$name`.
    pub(super) fn variable(&mut self, id: u32, frame: &Frame) -> Val {
        if self.names.is_bound(id)
            && let Some(value) = frame.lookup(id)
        {
            return value;
        }
        if let Some(Some(value)) = self.globals.get(id as usize) {
            return value.clone();
        }
        let name = self.names.text(id);
        let value = if name == "$" {
            self.root.clone()
        } else if let Some(value) = (self.bindings)(name) {
            Val::from(&value)
        } else {
            match self.names.builtin(id) {
                Some(f) => Val::func(Function::Builtin(f)),
                None => Val::Undefined,
            }
        };
        if self.globals.len() <= id as usize {
            self.globals.resize(id as usize + 1, None);
        }
        if let Some(slot) = self.globals.get_mut(id as usize) {
            *slot = Some(value.clone());
        }
        value
    }

    /// Returns the value of a name at run time, if the expression or its host defines it.
    pub(super) fn variable_by_name(&mut self, name: &str, frame: &Frame) -> Val {
        match self.names.find(name) {
            Some(id) => self.variable(id, frame),
            None => FnId::find(name).map_or(Val::Undefined, |f| Val::func(Function::Builtin(f))),
        }
    }

    /// Evaluates an expression with `input` as its context.
    pub(super) fn eval(&mut self, node: &Node, input: &Val, frame: &Rc<Frame>) -> R<Val> {
        self.burn(1)?;
        self.check_depth(node)?;
        // Each arm returns its value directly, because moving values costs more than creating them.
        match &node.kind {
            Kind::Literal(value) if node.extra.is_none() => Ok(Val::from(value)),
            Kind::Variable(id) if node.is_plain() => {
                let value = self.variable(*id, frame);
                if value.is_sequence() { Ok(collapse(value, false)) } else { Ok(value) }
            }
            Kind::Context if node.is_plain() && !input.is_sequence() => Ok(input.clone()),
            Kind::Path(path) if path.simple && node.is_plain() => match self.simple_path(path, input, frame)? {
                Walk::Found(value) => Ok(value),
                Walk::Missing => Ok(Val::Undefined),
                Walk::Array => self.compound(node, input, frame),
            },
            _ => self.compound(node, input, frame),
        }
    }

    fn compound(&mut self, node: &Node, input: &Val, frame: &Rc<Frame>) -> R<Val> {
        self.enter().map_err(|e| e.at(node.at))?;
        let depth = self.depth;
        self.depth += 1;
        let result = self.dispatch(node, input, frame);
        self.depth = depth;
        self.levels -= 1;
        match &result {
            Ok(value) if node.extra.is_some() || value.is_sequence() => {}
            _ => return result,
        }
        self.finish(node, result?, frame)
    }

    fn dispatch(&mut self, node: &Node, input: &Val, frame: &Rc<Frame>) -> R<Val> {
        match &node.kind {
            Kind::Path(path) => self.path(node, path, input, frame),
            Kind::Chain(first, rest) => self.chain(first, rest, input, frame),
            Kind::Call(call) => self.call(node, call, input, frame, None),
            Kind::Condition(parts) => {
                let condition = self.eval(&parts.0, input, frame)?;
                match (truth(&condition)?, &parts.2) {
                    (true, _) => self.eval(&parts.1, input, frame),
                    (false, Some(otherwise)) => self.eval(otherwise, input, frame),
                    (false, None) => Ok(Val::Undefined),
                }
            }
            Kind::Block(block) => {
                let inner = if block.scope { Frame::new(Some(frame.clone()), Vec::new()) } else { frame.clone() };
                let mut result = Val::Undefined;
                for item in &block.items {
                    result = self.eval(item, input, &inner)?;
                }
                Ok(result)
            }
            Kind::Bind(id, value) => {
                let value = self.eval(value, input, frame)?;
                frame.bind(*id, value.clone());
                Ok(value)
            }
            Kind::Array(items, cons) => self.array_constructor(items, *cons, input, frame),
            Kind::Object(group) => self.group_by(group, input, frame),
            Kind::Lambda(def) => {
                self.capture(frame)?;
                let lambda = Function::Lambda { def: def.clone(), input: input.clone(), frame: frame.clone() };
                Ok(Val::func(lambda))
            }
            Kind::Apply(pair) => self.apply_operator(node, &pair.0, &pair.1, input, frame),
            Kind::Default(pair) => {
                let value = self.eval(&pair.0, input, frame)?;
                if truth(&value)? { Ok(value) } else { self.eval(&pair.1, input, frame) }
            }
            Kind::Coalesce(pair) => {
                let value = self.eval(&pair.0, input, frame)?;
                if value.is_undefined() { self.eval(&pair.1, input, frame) } else { Ok(value) }
            }
            Kind::Negate(inner) => self.negate(node, inner, input, frame),
            Kind::Range(pair) => self.range(node, &pair.0, &pair.1, input, frame),
            Kind::Wildcard => self.wildcard(input),
            Kind::Descendant => self.descendants(input),
            Kind::Parent(slot) => {
                let label = self.parents.get(*slot as usize).copied().unwrap_or(u32::MAX);
                Ok(frame.lookup(label).unwrap_or(Val::Undefined))
            }
            Kind::Partial(partial) => self.partial(node, partial, input, frame),
            Kind::Transform(def) => {
                self.capture(frame)?;
                Ok(Val::func(Function::Transform { def: def.clone(), frame: frame.clone() }))
            }
            Kind::Regex(pattern) => Ok(Val::func(Function::Regex(pattern.clone()))),
            // Invariant: the compiler creates sort terms only in the steps of a path.
            Kind::Sort(_) => Ok(Val::Undefined),
            Kind::Literal(value) => Ok(Val::from(value)),
            Kind::Variable(id) => Ok(self.variable(*id, frame)),
            Kind::Context => Ok(context(input)),
            Kind::Name(name) => self.lookup(input, name),
        }
    }

    /// Applies a node's attachments, and turns a sequence into a value.
    #[inline(never)]
    fn finish(&mut self, node: &Node, mut value: Val, frame: &Rc<Frame>) -> R<Val> {
        if let Some(extra) = &node.extra {
            for stage in &extra.predicate {
                if let Stage::Filter(filter) = stage {
                    value = self.filter(filter, value, frame)?;
                }
            }
            if let Some(group) = &extra.group
                && !matches!(node.kind, Kind::Path(_))
            {
                value = self.group_by(group, &value, frame)?;
            }
        }
        if node.keep_array
            && !value.is_array()
            && !value.is_undefined()
            && node.extra.as_ref().is_some_and(|e| !e.predicate.is_empty() && e.group.is_none())
        {
            value = Val::sequence_of(value);
        }
        Ok(collapse(value, node.keep_array))
    }

    /// Remembers a scope until the evaluation ends, because a function value refers to it.
    fn capture(&mut self, frame: &Rc<Frame>) -> R<()> {
        self.burn(4)?;
        let mut next = Some(frame);
        while let Some(frame) = next {
            if frame.captured.replace(true) {
                break;
            }
            super::value::set_live_bytes(live_bytes() + 256);
            self.captured.push(frame.clone());
            next = frame.parent.as_ref();
        }
        self.check_memory()
    }

    /// Evaluates a path of names through objects, without intermediate values.
    fn simple_path(&mut self, path: &Path, input: &Val, frame: &Frame) -> R<Walk> {
        let Some((first, rest)) = path.steps.split_first() else { return Ok(Walk::Array) };
        self.burn(rest.len())?;
        Ok(match &first.kind {
            Kind::Name(_) => walk(input, &path.steps),
            Kind::Variable(_) | Kind::Context if rest.is_empty() => Walk::Array,
            Kind::Variable(id) => walk(&self.variable(*id, frame), rest),
            _ => walk(&context(input), rest),
        })
    }

    /// Returns the member `key` of an object, or of every object in an array.
    pub(super) fn lookup(&mut self, input: &Val, key: &str) -> R<Val> {
        match input {
            Val::JsonObject(_) | Val::Object(_) => Ok(input.member(key).unwrap_or(Val::Undefined)),
            Val::JsonArray(_) | Val::Array(..) => {
                let mut out = Vec::new();
                self.lookup_items(input, key, &mut out)?;
                self.sequence(out)
            }
            _ => Ok(Val::Undefined),
        }
    }

    fn lookup_items(&mut self, input: &Val, key: &str, out: &mut Vec<Val>) -> R<()> {
        let items = input.items();
        self.burn(items.len())?;
        for item in items.iter() {
            if item.is_array() {
                self.lookup_items(&item, key, out)?;
            } else if let Some(found) = item.member(key) {
                if found.is_array() {
                    self.check_items(out.len() + found.items().len())?;
                    found.items().append_to(out);
                } else {
                    out.push(found);
                }
            }
        }
        Ok(())
    }

    fn array_constructor(&mut self, items: &[Node], cons: bool, input: &Val, frame: &Rc<Frame>) -> R<Val> {
        let flags = if cons { Flags::CONS } else { Flags::NONE };
        let mut out = Vec::with_capacity(items.len());
        for item in items {
            let value = self.eval(item, input, frame)?;
            match value {
                Val::Undefined => {}
                value if matches!(item.kind, Kind::Array(..)) => out.push(value),
                // A single range is not expanded.
                Val::Range(first, len, _) if items.len() == 1 => return Ok(Val::Range(first, len, flags)),
                value if value.is_array() => {
                    self.check_items(out.len() + value.items().len())?;
                    value.items().append_to(&mut out);
                }
                value => out.push(value),
            }
        }
        self.array(out, flags)
    }

    fn wildcard(&mut self, input: &Val) -> R<Val> {
        let input = if input.flags().has(Flags::OUTER) { &input.items().get(0).unwrap_or(Val::Undefined) } else { input };
        let mut out = Vec::new();
        if input.is_array() {
            for item in input.items().iter() {
                self.flatten(&item, &mut out)?;
            }
        } else {
            input.members().try_each(|_, value| self.flatten(&value, &mut out))?;
        }
        self.sequence(out)
    }

    /// Appends all scalars and objects in nested arrays.
    fn flatten(&mut self, value: &Val, out: &mut Vec<Val>) -> R<()> {
        self.burn(1)?;
        if value.is_array() {
            for item in value.items().iter() {
                self.flatten(&item, out)?;
            }
        } else {
            out.push(value.clone());
        }
        Ok(())
    }

    fn descendants(&mut self, input: &Val) -> R<Val> {
        let mut out = Vec::new();
        if !input.is_undefined() {
            self.descend(input, &mut out)?;
        }
        self.sequence(out)
    }

    fn descend(&mut self, input: &Val, out: &mut Vec<Val>) -> R<()> {
        self.burn(1)?;
        if out.len() > self.limits.items {
            return Err(fault(codes::D1015));
        }
        if input.is_array() {
            for item in input.items().iter() {
                self.descend(&item, out)?;
            }
            return Ok(());
        }
        out.push(input.clone());
        input.members().try_each(|_, value| self.descend(&value, out))
    }

    /// Implements `$eval`: evaluates a text in the current scope.
    pub(super) fn eval_text(&mut self, text: &str, input: &Val, frame: &Rc<Frame>) -> R<Val> {
        // Parsing a text costs more than visiting it, and the known names are parsed again.
        self.burn(20 + text.len() + self.names.len())?;
        let names = self.names.clone().into_owned();
        let parents = self.parents.clone().into_owned();
        let program = super::compile::compile(text, names, parents).map_err(|e| fault(codes::D3120).text(&e.finish().message))?;
        self.names = Cow::Owned(program.names);
        self.parents = Cow::Owned(program.parents);
        self.enter()?;
        let result = self.eval(&program.root, input, frame);
        self.levels -= 1;
        result.map_err(|e| match e.code {
            codes::D1011 | codes::D1012 | codes::D1015 => e,
            _ => fault(codes::D3121).text(&e.finish().message),
        })
    }

    /// Calls a built-in function with checked arguments.
    fn builtin(&mut self, id: FnId, args: &[Val], input: &Val, frame: &Rc<Frame>) -> R<Val> {
        self.burn(4)?;
        // Every function visits its text arguments.
        self.burn(args.iter().map(length).sum::<usize>() / TEXT_STEP)?;
        (id.def().run)(self, &functions::Args { values: args, input, frame })
    }

    fn not_a_number(&self, at: u32, value: &Val) -> Thrown {
        fault_at(codes::D1002, at).token("-").json(self.shown(value))
    }
}

/// Returns `$`: the context, without the wrapping of an input array.
pub(super) fn context(input: &Val) -> Val {
    if input.flags().has(Flags::OUTER) { input.items().get(0).unwrap_or(Val::Undefined) } else { input.clone() }
}

/// Wraps an input that is an array, so that it is one context and not many.
pub(super) fn wrap_outer(array: Val) -> Val {
    Val::Array(Rc::new(Array::new(vec![array])), Flags::SEQUENCE.with(Flags::OUTER))
}

/// Turns a sequence into a value: undefined, its single item, or an array.
pub(super) fn collapse(value: Val, keep_array: bool) -> Val {
    let flags = value.flags();
    if !flags.has(Flags::SEQUENCE) {
        return value;
    }
    let flags = if keep_array { flags.with(Flags::KEEP) } else { flags };
    match value.items().len() {
        0 => Val::Undefined,
        1 if !flags.has(Flags::KEEP) => value.items().get(0).unwrap_or(Val::Undefined),
        _ => value.with_flags(flags),
    }
}

enum Walk {
    Found(Val),
    Missing,
    /// An array or another value that needs the general evaluation.
    Array,
}

/// Follows names through objects.
fn walk(start: &Val, names: &[Node]) -> Walk {
    let mut value = start;
    let mut names = names.iter();
    let json = loop {
        match value {
            Val::JsonObject(map) => break map,
            Val::Object(object) => {
                let Some(node) = names.next() else { return Walk::Found(value.clone()) };
                let Kind::Name(name) = &node.kind else { return Walk::Array };
                match object.get(name) {
                    Some(next) => value = next,
                    None => return Walk::Missing,
                }
            }
            Val::JsonArray(_) if names.len() == 0 => return Walk::Found(value.clone()),
            Val::Array(_, flags) if names.len() == 0 && !flags.has(Flags::SEQUENCE) => return Walk::Found(value.clone()),
            Val::JsonArray(_) | Val::Array(..) | Val::Range(..) | Val::Tuples(_) => return Walk::Array,
            _ if names.len() == 0 => return Walk::Found(value.clone()),
            _ => return Walk::Missing,
        }
    };
    walk_json(value, json, names)
}

fn walk_json(start: &Val, map: &Arc<crate::base::Map>, mut names: std::slice::Iter<'_, Node>) -> Walk {
    let Some(Node { kind: Kind::Name(name), .. }) = names.next() else { return Walk::Found(start.clone()) };
    let Some(mut value) = map.get(name) else { return Walk::Missing };
    for node in names {
        let Kind::Name(name) = &node.kind else { return Walk::Array };
        match value {
            Value::Object(map) => match map.get(name) {
                Some(next) => value = next,
                None => return Walk::Missing,
            },
            Value::Array(_) => return Walk::Array,
            _ => return Walk::Missing,
        }
    }
    Walk::Found(Val::from(value))
}
