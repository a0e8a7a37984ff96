//! Turns the parsed tree into the tree that is evaluated: joins paths, finds the step that each `%` refers to, and determines
//! scopes.

use super::ast::{Block, Call, Group, Kind, LambdaDef, Names, Node, Partial, Path, Stage, Term, TransformDef};
use super::codes;
use super::error::{Thrown, fault_at};
use super::parser::{self, Raw, RawKind};
use crate::base::{Number, Value};
use std::sync::Arc;

/// A compiled expression.
#[derive(Debug)]
pub(super) struct Program {
    pub root: Node,
    pub names: Names,
    /// The variable with the value of each `%`.
    pub parents: Vec<u32>,
}

/// Parses and compiles a text. If it is part of another expression, names and slots continue those of that expression.
pub(super) fn compile(text: &str, names: Names, parents: Vec<u32>) -> Result<Program, Thrown> {
    let raw = parser::parse(text)?;
    let slots = parents.into_iter().map(|label| Slot { label, level: 0 }).collect();
    let mut compiler = Compiler { names, slots, binds: 0 };
    let mut root = compiler.node(raw)?;
    if matches!(root.kind, Kind::Parent(_)) || root.extra.as_ref().is_some_and(|e| !e.seeking.is_empty()) {
        return Err(fault_at(codes::S0217, root.at));
    }
    settle(&mut root);
    Ok(Program { root, names: compiler.names, parents: compiler.slots.iter().map(|s| s.label).collect() })
}

/// One `%`: the variable for its value, and how many steps up it still has to go.
struct Slot {
    label: u32,
    level: i32,
}

struct Compiler {
    names: Names,
    slots: Vec<Slot>,
    /// The number of bindings made directly in the current scope.
    binds: u32,
}

impl Compiler {
    fn nodes(&mut self, raws: Vec<Raw>) -> Result<Vec<Node>, Thrown> {
        raws.into_iter().map(|raw| self.node(raw)).collect()
    }

    fn boxed(&mut self, raw: Raw) -> Result<Box<Node>, Thrown> {
        Ok(Box::new(self.node(raw)?))
    }

    fn bind(&mut self, name: &str) -> u32 {
        let id = self.names.intern(name);
        self.names.bind(id);
        id
    }

    #[inline(never)]
    fn node(&mut self, raw: Raw) -> Result<Node, Thrown> {
        let Raw { kind, at, len, keep_array, .. } = raw;
        let mut node = match kind {
            RawKind::Dots(steps) => self.path(steps, at, len)?,
            RawKind::Filter(left, predicate) => self.filter(*left, *predicate)?,
            RawKind::Group(left, pairs) => self.group(*left, pairs, at)?,
            RawKind::Sort(left, terms) => self.sort(*left, terms, at)?,
            RawKind::Focus(left, name) => self.focus(*left, &name, at, keep_array)?,
            RawKind::Index(left, name) => self.index(*left, &name)?,
            RawKind::Name(name) => {
                let mut step = Node::new(Kind::Name(name), at, len);
                step.keep_array = keep_array;
                path_of(vec![step], keep_array, at, len)
            }
            RawKind::Negate(inner) => self.negate(*inner, at, len)?,
            kind => self.leaf_or_operator(kind, at, len)?,
        };
        node.keep_array |= keep_array;
        Ok(node)
    }

    #[inline(never)]
    fn leaf_or_operator(&mut self, kind: RawKind, at: u32, len: u32) -> Result<Node, Thrown> {
        let mut seeking = Vec::new();
        let kind = match kind {
            RawKind::Variable(name) if name.is_empty() => Kind::Context,
            RawKind::Variable(name) => Kind::Variable(self.names.intern(&name)),
            RawKind::Literal(value) => Kind::Literal(value),
            RawKind::Regex(pattern) => Kind::Regex(pattern),
            RawKind::Wildcard => Kind::Wildcard,
            RawKind::Descendant => Kind::Descendant,
            RawKind::Parent => {
                let slot = self.slots.len() as u32;
                let label = self.bind(&format!("!{slot}"));
                self.slots.push(Slot { label, level: 1 });
                Kind::Parent(slot)
            }
            RawKind::Chain(first, rest) => {
                let first = self.boxed(*first)?;
                collect(&mut seeking, &first);
                let mut links = Vec::with_capacity(rest.len());
                for (operator, at, operand) in rest {
                    let operand = self.node(operand)?;
                    collect(&mut seeking, &operand);
                    links.push((operator, at, operand));
                }
                Kind::Chain(first, links)
            }
            RawKind::Range(first, last) => {
                let (first, last) = (self.node(*first)?, self.node(*last)?);
                collect(&mut seeking, &first);
                collect(&mut seeking, &last);
                Kind::Range(Box::new((first, last)))
            }
            RawKind::Array(items) => {
                let items = self.nodes(items)?;
                items.iter().for_each(|item| collect(&mut seeking, item));
                Kind::Array(items, false)
            }
            RawKind::Object(pairs) => {
                let group = self.pairs(pairs, at)?;
                for (key, value) in &group.pairs {
                    collect(&mut seeking, key);
                    collect(&mut seeking, value);
                }
                Kind::Object(Box::new(group))
            }
            RawKind::Bind(name, value) => {
                let value = self.boxed(*value)?;
                collect(&mut seeking, &value);
                self.binds += 1;
                Kind::Bind(self.bind(&name), value)
            }
            RawKind::Block(items) => {
                let outer = std::mem::take(&mut self.binds);
                let items = self.nodes(items)?;
                let scope = std::mem::replace(&mut self.binds, outer) > 0;
                items.iter().for_each(|item| collect(&mut seeking, item));
                let cons = items.iter().any(starts_with_cons);
                Kind::Block(Box::new(Block { items, scope, cons }))
            }
            RawKind::Condition(condition, then, otherwise) => {
                let condition = self.node(*condition)?;
                let then = self.node(*then)?;
                let otherwise = otherwise.map(|raw| self.node(*raw)).transpose()?;
                [Some(&condition), Some(&then), otherwise.as_ref()].into_iter().flatten().for_each(|n| collect(&mut seeking, n));
                Kind::Condition(Box::new((condition, then, otherwise)))
            }
            RawKind::Default(left, right) => {
                let (left, right) = (self.node(*left)?, self.node(*right)?);
                collect(&mut seeking, &left);
                collect(&mut seeking, &right);
                Kind::Default(Box::new((left, right)))
            }
            RawKind::Coalesce(left, right) => {
                let (left, right) = (self.node(*left)?, self.node(*right)?);
                collect(&mut seeking, &left);
                collect(&mut seeking, &right);
                Kind::Coalesce(Box::new((left, right)))
            }
            RawKind::Apply(left, right) => {
                let (left, right) = (self.node(*left)?, self.node(*right)?);
                let mut node = Node::new(Kind::Literal(Value::Null), at, len);
                node.keep_array = left.keep_array || right.keep_array;
                node.kind = Kind::Apply(Box::new((left, right)));
                return Ok(node);
            }
            RawKind::Call(procedure, args) => {
                let args = self.nodes(args)?;
                args.iter().for_each(|arg| collect(&mut seeking, arg));
                let procedure = self.node(*procedure)?;
                Kind::Call(Box::new(Call { procedure, args }))
            }
            RawKind::Partial(procedure, args) => {
                let args: Vec<Option<Node>> =
                    args.into_iter().map(|arg| arg.map(|raw| self.node(raw)).transpose()).collect::<Result<_, _>>()?;
                args.iter().flatten().for_each(|arg| collect(&mut seeking, arg));
                let procedure = self.node(*procedure)?;
                Kind::Partial(Box::new(Partial { procedure, args }))
            }
            RawKind::Lambda(params, signature, body) => {
                let params = params.iter().map(|name| self.bind(name)).collect();
                let outer = std::mem::take(&mut self.binds);
                let mut body = self.node(*body)?;
                self.binds = outer;
                settle(&mut body);
                Kind::Lambda(Arc::new(LambdaDef { params, signature, body }))
            }
            RawKind::Transform(pattern, update, delete) => {
                let mut pattern = self.node(*pattern)?;
                let mut update = self.node(*update)?;
                let mut delete = delete.map(|raw| self.node(*raw)).transpose()?;
                settle(&mut pattern);
                settle(&mut update);
                delete.iter_mut().for_each(settle);
                Kind::Transform(Arc::new(TransformDef { pattern, update, delete, at }))
            }
            _ => return Err(fault_at(codes::S0207, at)),
        };
        let mut node = Node::new(kind, at, len);
        if !seeking.is_empty() {
            node.extra_mut().seeking = seeking;
        }
        Ok(node)
    }

    fn pairs(&mut self, pairs: Vec<(Raw, Raw)>, at: u32) -> Result<Group, Thrown> {
        let pairs = pairs.into_iter().map(|(k, v)| Ok((self.node(k)?, self.node(v)?))).collect::<Result<_, Thrown>>()?;
        Ok(Group { pairs, at })
    }

    fn negate(&mut self, inner: Raw, at: u32, len: u32) -> Result<Node, Thrown> {
        let mut inner = self.node(inner)?;
        if let Kind::Literal(Value::Number(n)) = &mut inner.kind {
            *n = match *n {
                Number::Int(i) if i != 0 => i.checked_neg().map_or(Number::Float(-(i as f64)), Number::Int),
                Number::Int(i) => Number::Int(i),
                number => Number::Float(-number.as_f64()),
            };
            inner.at = at;
            return Ok(inner);
        }
        let mut seeking = Vec::new();
        collect(&mut seeking, &inner);
        let mut node = Node::new(Kind::Negate(Box::new(inner)), at, len);
        if !seeking.is_empty() {
            node.extra_mut().seeking = seeking;
        }
        Ok(node)
    }

    fn path(&mut self, raws: Vec<Raw>, at: u32, len: u32) -> Result<Node, Thrown> {
        let mut raws = raws.into_iter();
        let first = match raws.next() {
            Some(raw) => self.node(raw)?,
            None => return Err(fault_at(codes::S0207, at)),
        };
        let parent = if let Kind::Parent(slot) = first.kind { Some(slot) } else { None };
        let mut result = as_path(first, at, len);
        // If `[]` after an order-by keeps an array, so do the steps after it.
        let kept = result.keep_array;
        if let Some(slot) = parent {
            result.extra_mut().seeking.push(slot);
        }
        for raw in raws {
            let rest = self.node(raw)?;
            let Kind::Path(path) = &mut result.kind else { return Err(fault_at(codes::S0207, at)) };
            match rest {
                Node { kind: Kind::Path(more), .. } => path.steps.extend(more.steps),
                mut step => {
                    if let Some(extra) = &mut step.extra {
                        extra.stages.append(&mut extra.predicate);
                    }
                    path.steps.push(step);
                }
            }
            for step in &mut path.steps {
                match &mut step.kind {
                    Kind::Literal(Value::String(name)) => step.kind = Kind::Name(name.clone()),
                    Kind::Literal(value) => return Err(fault_at(codes::S0213, step.at).json(value.to_string())),
                    _ => {}
                }
            }
            path.keep_singleton |= kept || path.steps.iter().any(|s| s.keep_array);
            if let Some(Node { kind: Kind::Array(_, cons), .. }) = path.steps.first_mut() {
                *cons = true;
            }
            if let Some(Node { kind: Kind::Array(_, cons), .. }) = path.steps.last_mut() {
                *cons = true;
            }
            self.resolve_ancestry(&mut result)?;
        }
        Ok(result)
    }

    fn filter(&mut self, left: Raw, predicate: Raw) -> Result<Node, Thrown> {
        let mut result = self.node(left)?;
        let in_path = matches!(result.kind, Kind::Path(_));
        let step = last_step(&mut result);
        if step.group().is_some() {
            return Err(fault_at(codes::S0209, predicate.at));
        }
        let predicate = self.node(predicate)?;
        let mut seeking = Vec::new();
        if let Some(extra) = &predicate.extra
            && !extra.seeking.is_empty()
        {
            collect(&mut seeking, &predicate);
            for &slot in &extra.seeking {
                if self.level(slot) == 1 {
                    self.seek_parent(step, slot)?;
                } else {
                    self.shift(slot, -1);
                }
            }
        }
        let extra = step.extra_mut();
        extra.seeking.extend(seeking);
        let stages = if in_path { &mut extra.stages } else { &mut extra.predicate };
        stages.push(Stage::Filter(predicate));
        Ok(result)
    }

    fn group(&mut self, left: Raw, pairs: Vec<(Raw, Raw)>, at: u32) -> Result<Node, Thrown> {
        let mut result = self.node(left)?;
        if result.group().is_some() {
            return Err(fault_at(codes::S0210, at));
        }
        result.extra_mut().group = Some(self.pairs(pairs, at)?);
        Ok(result)
    }

    fn sort(&mut self, left: Raw, terms: Vec<(bool, Raw)>, at: u32) -> Result<Node, Thrown> {
        let left = self.node(left)?;
        let (start, len) = (left.at, left.len);
        let mut result = as_path(left, start, len);
        let mut seeking = Vec::new();
        let mut compiled = Vec::with_capacity(terms.len());
        for (descending, raw) in terms {
            let expression = self.node(raw)?;
            collect(&mut seeking, &expression);
            compiled.push(Term { descending, expression });
        }
        let mut step = Node::new(Kind::Sort(compiled), at, 1);
        if !seeking.is_empty() {
            step.extra_mut().seeking = seeking;
        }
        if let Kind::Path(path) = &mut result.kind {
            path.steps.push(step);
        }
        self.resolve_ancestry(&mut result)?;
        Ok(result)
    }

    fn focus(&mut self, left: Raw, name: &str, at: u32, keep_array: bool) -> Result<Node, Thrown> {
        let mut result = self.node(left)?;
        let id = self.bind(name);
        let step = last_step(&mut result);
        if step.extra.as_ref().is_some_and(|e| !e.stages.is_empty() || !e.predicate.is_empty()) {
            return Err(fault_at(codes::S0215, at));
        }
        if matches!(step.kind, Kind::Sort(_)) {
            return Err(fault_at(codes::S0216, at));
        }
        step.keep_array |= keep_array;
        let extra = step.extra_mut();
        extra.focus = Some(id);
        extra.tuple = true;
        Ok(result)
    }

    fn index(&mut self, left: Raw, name: &str) -> Result<Node, Thrown> {
        let mut result = self.node(left)?;
        let id = self.bind(name);
        if !matches!(result.kind, Kind::Path(_)) {
            if let Some(extra) = &mut result.extra {
                extra.stages.append(&mut extra.predicate);
            }
            let (at, len) = (result.at, result.len);
            result = as_path(result, at, len);
        }
        let extra = last_step(&mut result).extra_mut();
        if extra.stages.is_empty() {
            extra.index = Some(id);
        } else {
            extra.stages.push(Stage::Index(id));
        }
        extra.tuple = true;
        Ok(result)
    }

    fn level(&self, slot: u32) -> i32 {
        self.slots.get(slot as usize).map_or(0, |s| s.level)
    }

    fn shift(&mut self, slot: u32, by: i32) {
        if let Some(slot) = self.slots.get_mut(slot as usize) {
            slot.level += by;
        }
    }

    /// Goes one step up for a `%`. At level 0, the `%` refers to the input of this step.
    fn seek_parent(&mut self, node: &mut Node, slot: u32) -> Result<(), Thrown> {
        match &mut node.kind {
            Kind::Name(_) | Kind::Wildcard => {
                self.shift(slot, -1);
                if self.level(slot) == 0 {
                    let extra = node.extra_mut();
                    if let Some(label) = extra.ancestor.and_then(|other| self.slots.get(other as usize)).map(|s| s.label)
                        && let Some(own) = self.slots.get_mut(slot as usize)
                    {
                        own.label = label;
                    }
                    extra.ancestor = Some(slot);
                    extra.tuple = true;
                }
                Ok(())
            }
            Kind::Parent(_) => {
                self.shift(slot, 1);
                Ok(())
            }
            Kind::Block(block) => {
                if let Some(last) = block.items.last_mut() {
                    self.seek_parent(last, slot)?;
                    node.extra_mut().tuple = true;
                }
                Ok(())
            }
            Kind::Path(path) => {
                path.tuple = true;
                let mut steps = path.steps.iter_mut().rev();
                if let Some(last) = steps.next() {
                    self.seek_parent(last, slot)?;
                }
                for step in steps {
                    if self.level(slot) <= 0 {
                        break;
                    }
                    self.seek_parent(step, slot)?;
                }
                Ok(())
            }
            _ => Err(fault_at(codes::S0217, node.at)),
        }
    }

    /// Finds the steps in the path before the last one to which the `%` of the last step refer.
    fn resolve_ancestry(&mut self, node: &mut Node) -> Result<(), Thrown> {
        let Kind::Path(path) = &mut node.kind else { return Ok(()) };
        let Some((last, before)) = path.steps.split_last_mut() else { return Ok(()) };
        let mut slots = last.extra.as_ref().map(|e| e.seeking.clone()).unwrap_or_default();
        if let Kind::Parent(slot) = last.kind {
            slots.push(slot);
        }
        let mut open = Vec::new();
        for slot in slots {
            let mut index = before.len();
            while self.level(slot) > 0 {
                if index == 0 {
                    open.push(slot);
                    break;
                }
                index -= 1;
                // Consecutive steps that are bound with `@` share their input.
                while index > 0
                    && before.get(index).is_some_and(|s| s.focus().is_some())
                    && before.get(index - 1).is_some_and(|s| s.focus().is_some())
                {
                    index -= 1;
                }
                if let Some(step) = before.get_mut(index) {
                    self.seek_parent(step, slot)?;
                }
            }
        }
        if !open.is_empty() {
            node.extra_mut().seeking.extend(open);
        }
        Ok(())
    }
}

fn path_of(steps: Vec<Node>, keep_singleton: bool, at: u32, len: u32) -> Node {
    Node::new(Kind::Path(Box::new(Path { steps, keep_singleton, tuple: false, simple: false })), at, len)
}

/// Returns the node as a path: itself, or a path with only this step.
fn as_path(node: Node, at: u32, len: u32) -> Node {
    if matches!(node.kind, Kind::Path(_)) { node } else { path_of(vec![node], false, at, len) }
}

fn last_step(node: &mut Node) -> &mut Node {
    if !matches!(&node.kind, Kind::Path(path) if !path.steps.is_empty()) {
        return node;
    }
    match &mut node.kind {
        Kind::Path(path) => match path.steps.last_mut() {
            Some(step) => step,
            // Invariant: the condition above excludes this case.
            None => unreachable!(),
        },
        // Invariant: the condition above excludes this case.
        _ => unreachable!(),
    }
}

/// Adds the unresolved `%` of a part to those of the whole.
fn collect(seeking: &mut Vec<u32>, part: &Node) {
    if let Some(extra) = &part.extra {
        seeking.extend(&extra.seeking);
    }
    if let Kind::Parent(slot) = part.kind {
        seeking.push(slot);
    }
}

fn starts_with_cons(node: &Node) -> bool {
    match &node.kind {
        Kind::Array(_, cons) => *cons,
        Kind::Block(block) => block.cons,
        Kind::Path(path) => path.steps.first().is_some_and(|s| matches!(s.kind, Kind::Array(_, true))),
        _ => false,
    }
}

/// Marks what can be evaluated in the fast way. This is the last pass, after which no `%` can change a step.
fn settle(node: &mut Node) {
    if let Some(extra) = &mut node.extra {
        extra.seeking = Vec::new();
        for stage in extra.predicate.iter_mut().chain(&mut extra.stages) {
            if let Stage::Filter(filter) = stage {
                settle(filter);
            }
        }
        if let Some(group) = &mut extra.group {
            settle_pairs(group);
        }
        let bare = extra.predicate.is_empty()
            && extra.stages.is_empty()
            && extra.group.is_none()
            && extra.focus.is_none()
            && extra.index.is_none()
            && extra.ancestor.is_none()
            && !extra.tuple;
        if bare {
            node.extra = None;
        }
    }
    match &mut node.kind {
        Kind::Path(path) => {
            path.steps.iter_mut().for_each(settle);
            let mut steps = path.steps.iter();
            path.simple = !path.keep_singleton
                && !path.tuple
                && steps
                    .next()
                    .is_some_and(|s| s.is_plain() && matches!(s.kind, Kind::Name(_) | Kind::Variable(_) | Kind::Context))
                && steps.all(|s| s.is_plain() && matches!(s.kind, Kind::Name(_)));
        }
        Kind::Chain(first, rest) => {
            settle(first);
            rest.iter_mut().for_each(|(_, _, operand)| settle(operand));
        }
        Kind::Negate(inner) | Kind::Bind(_, inner) => settle(inner),
        Kind::Array(items, _) => items.iter_mut().for_each(settle),
        Kind::Object(group) => settle_pairs(group),
        Kind::Range(pair) | Kind::Default(pair) | Kind::Coalesce(pair) | Kind::Apply(pair) => {
            settle(&mut pair.0);
            settle(&mut pair.1);
        }
        Kind::Block(block) => block.items.iter_mut().for_each(settle),
        Kind::Condition(parts) => {
            settle(&mut parts.0);
            settle(&mut parts.1);
            parts.2.iter_mut().for_each(settle);
        }
        Kind::Call(call) => {
            settle(&mut call.procedure);
            call.args.iter_mut().for_each(settle);
        }
        Kind::Partial(partial) => {
            settle(&mut partial.procedure);
            partial.args.iter_mut().flatten().for_each(settle);
        }
        Kind::Sort(terms) => terms.iter_mut().for_each(|t| settle(&mut t.expression)),
        // Lambdas and transforms were marked when they were compiled.
        _ => {}
    }
}

fn settle_pairs(group: &mut Group) {
    for (key, value) in &mut group.pairs {
        settle(key);
        settle(value);
    }
}
