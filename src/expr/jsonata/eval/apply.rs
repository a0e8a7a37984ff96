//! Calls functions: built-in, lambda, partial, composed. Tail calls run in a loop.

use super::{Evaluator, R, operators::is_number, truth, wrap_outer};
use crate::expr::jsonata::ast::{Call, Kind, Node, Partial};
use crate::expr::jsonata::codes;
use crate::expr::jsonata::error::{Thrown, fault, fault_at};
use crate::expr::jsonata::value::{Frame, Function, Object, Val};
use crate::expr::jsonata::{MAX_NESTING, functions};
use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

/// A call that is to be made, or the tail call that replaces it.
struct Pending {
    function: Rc<Function>,
    args: Vec<Val>,
    /// The location of the tail call.
    site: Option<Site>,
    /// Whether the signature is not checked, because the call is made by a partial application.
    unchecked: bool,
}

/// The location of a call, for messages.
#[derive(Clone, Copy)]
struct Site {
    at: u32,
    /// The variable that names the function.
    name: Option<u32>,
}

impl Evaluator<'_> {
    #[inline(never)]
    pub(super) fn call(&mut self, node: &Node, call: &Call, input: &Val, frame: &Rc<Frame>, applied: Option<Val>) -> R<Val> {
        let function = self.eval(&call.procedure, input, frame)?;
        let Val::Func(function) = function else {
            return Err(self.not_a_function(&call.procedure, node.at, &function, frame, [codes::T1005, codes::T1006]));
        };
        let mut args = self.arguments();
        args.extend(applied);
        for arg in &call.args {
            args.push(self.eval(arg, input, frame)?);
        }
        self.apply(function, args, input, frame).map_err(|e| {
            let e = e.at(node.at);
            match self.procedure_name(&call.procedure) {
                Some(name) => e.token(&name),
                None => e,
            }
        })
    }

    fn procedure_name(&self, procedure: &Node) -> Option<String> {
        match &procedure.kind {
            Kind::Variable(id) => Some(self.names.text(*id).to_string()),
            _ => procedure.single_name().map(|name| name.to_string()),
        }
    }

    /// Returns the error for calling a value that is not a function. A field name that is also the name of a function gets a
    /// hint.
    fn not_a_function(&mut self, procedure: &Node, at: u32, value: &Val, frame: &Rc<Frame>, codes: [&'static str; 2]) -> Thrown {
        if let Some(name) = procedure.single_name()
            && value.is_undefined()
            && !self.variable_by_name(name, frame).is_undefined()
        {
            return fault_at(codes[0], at).token(name);
        }
        let e = fault_at(codes[1], at);
        match self.procedure_name(procedure) {
            Some(name) => e.token(&name),
            None => e,
        }
    }

    /// Evaluates `a ~> f`, `a ~> f(b)`, `f ~> g`.
    #[inline(never)]
    pub(super) fn apply_operator(&mut self, node: &Node, left: &Node, right: &Node, input: &Val, frame: &Rc<Frame>) -> R<Val> {
        let value = self.eval(left, input, frame)?;
        if let Kind::Call(call) = &right.kind {
            return self.call(right, call, input, frame, Some(value));
        }
        let Val::Func(function) = self.eval(right, input, frame)? else { return Err(fault_at(codes::T2006, node.at)) };
        if let Val::Func(first) = value {
            let depth = 1 + Val::Func(first.clone()).depth().max(Val::Func(function.clone()).depth());
            if depth > MAX_NESTING {
                return Err(fault_at(codes::D1014, node.at));
            }
            return Ok(Val::func(Function::Chain { first, second: function, depth }));
        }
        self.apply(function, vec![value], &Val::Null, frame).map_err(|e| e.at(node.at))
    }

    #[inline(never)]
    pub(super) fn partial(&mut self, node: &Node, partial: &Partial, input: &Val, frame: &Rc<Frame>) -> R<Val> {
        let mut args = Vec::with_capacity(partial.args.len());
        for arg in &partial.args {
            args.push(match arg {
                Some(arg) => Some(self.eval(arg, input, frame)?),
                None => None,
            });
        }
        let function = self.eval(&partial.procedure, input, frame)?;
        let Val::Func(of) = function else {
            return Err(self.not_a_function(&partial.procedure, node.at, &function, frame, [codes::T1007, codes::T1008]));
        };
        let depth = args.iter().flatten().map(Val::depth).max().unwrap_or(0).max(Val::Func(of.clone()).depth()) + 1;
        if depth > MAX_NESTING {
            return Err(fault_at(codes::D1014, node.at));
        }
        Ok(Val::func(Function::Partial { of, args, depth }))
    }

    /// Returns an empty list for the arguments of a call.
    pub(crate) fn arguments(&mut self) -> Vec<Val> {
        self.pool.args()
    }

    /// Calls a function value from a built-in function.
    pub(crate) fn invoke(&mut self, function: &Rc<Function>, args: Vec<Val>, frame: &Rc<Frame>) -> R<Val> {
        self.apply(function.clone(), args, &Val::Null, frame)
    }

    /// Calls a function. Calls in tail position need no stack.
    pub(crate) fn apply(&mut self, function: Rc<Function>, args: Vec<Val>, input: &Val, frame: &Rc<Frame>) -> R<Val> {
        self.enter()?;
        let mut pending = Pending { function, args, site: None, unchecked: false };
        let result = loop {
            match self.burn(2).and_then(|()| self.turn(&mut pending, input, frame)) {
                Ok(Some(value)) => break Ok(value),
                Ok(None) => {}
                Err(e) => break Err(e),
            }
        };
        self.levels -= 1;
        self.pool.take_args(pending.args);
        result.map_err(|e| match pending.site {
            Some(Site { at, name: Some(name) }) => e.at(at).token(self.names.text(name)),
            Some(Site { at, .. }) => e.at(at),
            None => e,
        })
    }

    /// Makes one pending call: returns its value, or sets the next pending call.
    fn turn(&mut self, pending: &mut Pending, input: &Val, frame: &Rc<Frame>) -> R<Option<Val>> {
        let unchecked = std::mem::replace(&mut pending.unchecked, false);
        let function = pending.function.clone();
        match &*function {
            Function::Builtin(id) => {
                if !unchecked {
                    id.def().signature.validate(&mut pending.args, input)?;
                }
                self.builtin(*id, &pending.args, input, frame).map(Some)
            }
            Function::Lambda { def, input: context, frame: scope } => {
                if let Some(signature) = &def.signature
                    && !unchecked
                {
                    signature.validate(&mut pending.args, input)?;
                }
                let args = std::mem::take(&mut pending.args);
                let frame = self.pool.frame(scope.clone(), def.clone(), args);
                let depth = self.depth;
                let result = self.run_body(&def.body, context, &frame, pending);
                self.depth = depth;
                self.pool.take_frame(frame);
                result
            }
            Function::Partial { of, args: given, .. } => {
                let mut rest = std::mem::take(&mut pending.args).into_iter();
                let whole = given.iter().map(|arg| match arg {
                    Some(value) => value.clone(),
                    None => rest.next().unwrap_or(Val::Undefined),
                });
                pending.args = whole.collect();
                pending.function = of.clone();
                pending.unchecked = true;
                Ok(None)
            }
            Function::Chain { first, second, .. } => {
                pending.args.truncate(1);
                let value = self.invoke(first, std::mem::take(&mut pending.args), frame)?;
                pending.args.push(value);
                pending.function = second.clone();
                Ok(None)
            }
            Function::Regex(pattern) => {
                let text = pending.args.first().cloned().unwrap_or(Val::Undefined);
                functions::regex_match(self, pattern, &text, 0).map(Some)
            }
            Function::NextMatch { pattern, text, from } => {
                if *from >= text.as_str().map_or(0, str::len) {
                    return Ok(Some(Val::Undefined));
                }
                let next = functions::regex_match(self, pattern, text, *from)?;
                if next.member("match").is_some_and(|m| m.as_str() == Some("")) {
                    return Err(fault(codes::D1004).text(&pattern.source));
                }
                Ok(Some(next))
            }
            Function::Transform { def, frame } => {
                functions::TRANSFORM_SIGNATURE.validate(&mut pending.args, input)?;
                let value = pending.args.pop().unwrap_or(Val::Undefined);
                self.transform(def, value, frame).map(Some)
            }
        }
    }

    /// Evaluates a lambda's body up to the call in tail position.
    fn run_body(&mut self, body: &Node, input: &Val, frame: &Rc<Frame>, pending: &mut Pending) -> R<Option<Val>> {
        let mut node = body;
        let mut frame = Cow::Borrowed(frame);
        // The expressions that lead to a call in tail position count for the depth as anywhere else; the call itself starts
        // again at this depth.
        let depth = self.depth;
        loop {
            match &node.kind {
                Kind::Condition(parts) if node.is_plain() => {
                    self.burn(1)?;
                    self.check_depth(node)?;
                    self.depth += 1;
                    node = match (truth(&self.eval(&parts.0, input, &frame)?)?, &parts.2) {
                        (true, _) => &parts.1,
                        (false, Some(otherwise)) => otherwise,
                        (false, None) => return Ok(Some(Val::Undefined)),
                    };
                }
                Kind::Block(block) if node.is_plain() && !block.items.is_empty() => {
                    self.burn(1)?;
                    self.check_depth(node)?;
                    self.depth += 1;
                    if block.scope {
                        frame = Cow::Owned(Frame::new(Some(frame.into_owned()), Vec::new()));
                    }
                    let Some((last, before)) = block.items.split_last() else { return Ok(Some(Val::Undefined)) };
                    for item in before {
                        self.eval(item, input, &frame)?;
                    }
                    node = last;
                }
                Kind::Default(pair) | Kind::Coalesce(pair) if node.is_plain() => {
                    let value = self.eval(&pair.0, input, &frame)?;
                    let keep = if matches!(node.kind, Kind::Default(_)) { truth(&value)? } else { !value.is_undefined() };
                    if keep {
                        return Ok(Some(value));
                    }
                    node = &pair.1;
                }
                Kind::Call(call) if node.extra.as_ref().is_none_or(|e| e.predicate.is_empty()) => {
                    self.depth = depth;
                    match self.eval(&call.procedure, input, &frame)? {
                        Val::Func(function) => pending.function = function,
                        other => {
                            return Err(self.not_a_function(
                                &call.procedure,
                                node.at,
                                &other,
                                &frame,
                                [codes::T1005, codes::T1006],
                            ));
                        }
                    }
                    let mut args = self.arguments();
                    for arg in &call.args {
                        args.push(self.eval(arg, input, &frame)?);
                    }
                    self.pool.take_args(std::mem::replace(&mut pending.args, args));
                    let name = if let Kind::Variable(id) = call.procedure.kind { Some(id) } else { None };
                    pending.site = Some(Site { at: node.at, name });
                    return Ok(None);
                }
                _ => return self.eval(node, input, &frame).map(Some),
            }
        }
    }

    /// Implements `$eval` with the context that its second argument gives.
    pub(crate) fn eval_function(&mut self, text: &str, focus: &Val, input: &Val, frame: &Rc<Frame>) -> R<Val> {
        let input = match focus {
            Val::Undefined => input.clone(),
            focus if focus.is_array() && !focus.is_sequence() => wrap_outer(focus.clone()),
            focus => focus.clone(),
        };
        self.eval_text(text, &input, frame)
    }

    /// Returns a member as a number, for objects that custom matchers return.
    pub(crate) fn number_member(&self, object: &Val, key: &str) -> Option<f64> {
        let value = object.member(key)?;
        is_number(&value).ok()?.then(|| value.as_f64()).flatten()
    }

    /// Returns an object with a fixed set of members, whose names differ.
    pub(crate) fn record<const N: usize>(&mut self, keys: &[Arc<str>; N], values: [Val; N]) -> R<Val> {
        let mut object = Object::with_capacity(N);
        for (key, value) in keys.iter().zip(values) {
            object.add(key.clone(), value);
        }
        self.object(object)
    }
}
