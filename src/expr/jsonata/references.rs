//! The references of an expression, which are found without evaluating it: variables, functions, the context.

use super::ast::{Group, Kind, Names, Node, Stage};
use crate::base::{Span, sort};
use std::sync::Arc;

/// A variable that an expression uses and does not define itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariableRef {
    /// The name without its `$`.
    pub name: Arc<str>,
    /// The span of `$name` in the expression's text.
    pub span: Span,
    /// The field names that follow it, `["input", "order"]` for `$states.input.order`, with their spans.
    pub path: Vec<(Arc<str>, Span)>,
    /// Whether it is called as a function: `$name(…)`.
    pub called: bool,
}

/// Everything that an expression uses and does not define itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct References {
    /// Free variables and function names in the order of the text, one entry for every use.
    pub variables: Vec<VariableRef>,
    /// The spans of `$$`.
    pub roots: Vec<Span>,
    /// The spans of `$`, `*`, `**` and of field names that refer to the input document of the whole expression, in the order of
    /// the text.
    pub inputs: Vec<Span>,
    /// The operators that JSONata has since version 2.1, `??` and `?:`, with their spans. AWS runs 2.0.6.
    pub newer: Vec<(&'static str, Span)>,
}

pub(super) fn references(root: &Node, names: &Names) -> References {
    let mut walker = Walker { names, scopes: vec![Vec::new()], found: References::default() };
    walker.node(root, true, false);
    sort::by_key(&mut walker.found.variables, |v| v.span.start);
    sort::by_key(&mut walker.found.inputs, |span| span.start);
    walker.found
}

struct Walker<'a> {
    names: &'a Names,
    /// The names that enclosing scopes define.
    scopes: Vec<Vec<u32>>,
    found: References,
}

fn span(node: &Node) -> Span {
    Span::new(node.at as usize, (node.at + node.len) as usize)
}

impl Walker<'_> {
    fn bind(&mut self, name: u32) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(name);
        }
    }

    fn scoped(&mut self, names: &[u32], inside: impl FnOnce(&mut Self)) {
        self.scopes.push(names.to_vec());
        inside(self);
        self.scopes.pop();
    }

    fn variable(&mut self, id: u32, node: &Node, called: bool, path: Vec<(Arc<str>, Span)>) {
        let name = self.names.text(id);
        if name == "$" {
            self.found.roots.push(span(node));
        } else if !self.scopes.iter().flatten().any(|bound| *bound == id) {
            self.found.variables.push(VariableRef { name: name.into(), span: span(node), path, called });
        }
    }

    /// Visits a node. `top` says that the context is the input of the whole expression.
    fn node(&mut self, node: &Node, top: bool, called: bool) {
        match &node.kind {
            Kind::Variable(id) => self.variable(*id, node, called, Vec::new()),
            Kind::Context | Kind::Name(_) | Kind::Wildcard | Kind::Descendant if top => self.found.inputs.push(span(node)),
            Kind::Path(path) => {
                // Variables of a row are visible in the following steps and in their predicates.
                self.scopes.push(Vec::new());
                for (i, step) in path.steps.iter().enumerate() {
                    let top = top && i == 0;
                    if let Kind::Variable(id) = step.kind {
                        let plain = |n: &&Node| n.extra.is_none();
                        let names = path.steps.iter().skip(i + 1).map_while(|s| match &s.kind {
                            Kind::Name(name) => Some((name.clone(), s)),
                            _ => None,
                        });
                        let mut follow = Vec::new();
                        if plain(&step) {
                            for (name, step) in names {
                                follow.push((name, span(step)));
                                if !plain(&step) {
                                    break;
                                }
                            }
                        }
                        self.variable(id, step, false, follow);
                    } else {
                        self.parts(step, top);
                    }
                    self.extras(step);
                }
                self.extras_of_path(node);
                self.scopes.pop();
                return;
            }
            _ => self.parts(node, top),
        }
        self.extras(node);
    }

    fn extras_of_path(&mut self, node: &Node) {
        if let Some(group) = node.group() {
            self.group(group, false);
        }
    }

    fn extras(&mut self, node: &Node) {
        let Some(extra) = &node.extra else { return };
        for name in [extra.focus, extra.index].into_iter().flatten() {
            self.bind(name);
        }
        for stage in extra.predicate.iter().chain(&extra.stages) {
            match stage {
                Stage::Filter(filter) => self.node(filter, false, false),
                Stage::Index(name) => self.bind(*name),
            }
        }
        if let Some(group) = &extra.group {
            self.group(group, false);
        }
    }

    fn group(&mut self, group: &Group, top: bool) {
        for (key, value) in &group.pairs {
            self.node(key, top, false);
            self.node(value, top, false);
        }
    }

    /// Visits the parts of a node that is not a path.
    fn parts(&mut self, node: &Node, top: bool) {
        match &node.kind {
            Kind::Context | Kind::Name(_) | Kind::Wildcard | Kind::Descendant if top => self.found.inputs.push(span(node)),
            Kind::Path(_) => self.node(node, top, false),
            Kind::Chain(first, rest) => {
                self.node(first, top, false);
                rest.iter().for_each(|(_, _, operand)| self.node(operand, top, false));
            }
            Kind::Negate(inner) => self.node(inner, top, false),
            Kind::Array(items, _) => items.iter().for_each(|item| self.node(item, top, false)),
            Kind::Object(group) => self.group(group, top),
            Kind::Range(pair) | Kind::Default(pair) | Kind::Coalesce(pair) => {
                match node.kind {
                    Kind::Default(_) => self.found.newer.push(("?:", span(node))),
                    Kind::Coalesce(_) => self.found.newer.push(("??", span(node))),
                    _ => {}
                }
                self.node(&pair.0, top, false);
                self.node(&pair.1, top, false);
            }
            Kind::Apply(pair) => {
                self.node(&pair.0, top, false);
                let called = matches!(pair.1.kind, Kind::Variable(_));
                self.node(&pair.1, top, called);
            }
            Kind::Block(block) => {
                // A function may use a name that is bound after it, so all bindings of a block are visible in the whole block.
                let bound: Vec<u32> =
                    block.items.iter().filter_map(|i| if let Kind::Bind(id, _) = i.kind { Some(id) } else { None }).collect();
                self.scoped(&bound, |w| block.items.iter().for_each(|item| w.node(item, top, false)));
            }
            Kind::Condition(parts) => {
                self.node(&parts.0, top, false);
                self.node(&parts.1, top, false);
                parts.2.iter().for_each(|otherwise| self.node(otherwise, top, false));
            }
            Kind::Bind(id, value) => {
                self.node(value, top, false);
                self.bind(*id);
            }
            Kind::Call(call) => {
                self.node(&call.procedure, top, true);
                call.args.iter().for_each(|arg| self.node(arg, top, false));
            }
            Kind::Partial(partial) => {
                self.node(&partial.procedure, top, true);
                partial.args.iter().flatten().for_each(|arg| self.node(arg, top, false));
            }
            Kind::Lambda(def) => self.scoped(&def.params, |w| w.node(&def.body, top, false)),
            Kind::Transform(def) => {
                for part in [Some(&def.pattern), Some(&def.update), def.delete.as_ref()].into_iter().flatten() {
                    self.node(part, false, false);
                }
            }
            Kind::Sort(terms) => terms.iter().for_each(|t| self.node(&t.expression, false, false)),
            _ => {}
        }
    }
}
