//! The syntax tree that is evaluated.

use super::functions::FnId;
use super::signature::Signature;
use crate::base::Value;
use crate::expr::regex::Pattern;
use std::sync::Arc;

/// An expression with its location in the text.
#[derive(Debug)]
pub(super) struct Node {
    pub kind: Kind,
    /// The byte offset of its first token; for an operator, that of the operator.
    pub at: u32,
    /// The length of that token in bytes.
    pub len: u32,
    /// Whether `[]` follows it, so that a single item remains an array.
    pub keep_array: bool,
    /// Parts that only few nodes have.
    pub extra: Option<Box<Extra>>,
}

/// Attachments of a node: predicates, grouping, bound variables.
#[derive(Debug, Default)]
pub(super) struct Extra {
    /// Filters on the value of an expression outside a path.
    pub predicate: Vec<Stage>,
    /// Filters and positions on a path step.
    pub stages: Vec<Stage>,
    /// The `{ key: value }` that follows it.
    pub group: Option<Group>,
    /// `@$name`
    pub focus: Option<u32>,
    /// `#$name`
    pub index: Option<u32>,
    /// The slot of a `%` that refers to the input of this step.
    pub ancestor: Option<u32>,
    /// Whether the path must carry rows of variables from this step on.
    pub tuple: bool,
    /// The slots of `%` inside it whose steps were not found yet.
    pub seeking: Vec<u32>,
}

/// A filter or a position binding of a step.
#[derive(Debug)]
pub(super) enum Stage {
    Filter(Node),
    Index(u32),
}

/// The pairs of key and value expressions.
#[derive(Debug)]
pub(super) struct Group {
    pub pairs: Vec<(Node, Node)>,
    pub at: u32,
}

#[derive(Debug)]
pub(super) enum Kind {
    Path(Box<Path>),
    /// A field name: a step of a path.
    Name(Arc<str>),
    /// A string, number, boolean or null.
    Literal(Value),
    /// `$name`
    Variable(u32),
    /// `$`
    Context,
    Wildcard,
    Descendant,
    /// `%`, with its slot.
    Parent(u32),
    /// A chain of binary operators of one or several levels, from left to right: `((a op b) op c)`.
    Chain(Box<Node>, Vec<(Operator, u32, Node)>),
    Negate(Box<Node>),
    /// `[a, b]`. The flag is set for a step of a path, whose result is not flattened.
    Array(Vec<Node>, bool),
    Object(Box<Group>),
    Range(Box<(Node, Node)>),
    Block(Box<Block>),
    Condition(Box<(Node, Node, Option<Node>)>),
    /// `a ?: b`
    Default(Box<(Node, Node)>),
    /// `a ?? b`
    Coalesce(Box<(Node, Node)>),
    Bind(u32, Box<Node>),
    Call(Box<Call>),
    Partial(Box<Partial>),
    Lambda(Arc<LambdaDef>),
    /// `a ~> b`
    Apply(Box<(Node, Node)>),
    Transform(Arc<TransformDef>),
    Regex(Arc<Pattern>),
    /// `^(…)`: a step of a path.
    Sort(Vec<Term>),
}

#[derive(Debug)]
pub(super) struct Path {
    pub steps: Vec<Node>,
    /// Whether a step has `[]`, so that a single result remains an array.
    pub keep_singleton: bool,
    /// Whether the path passes its rows on to the enclosing path.
    pub tuple: bool,
    /// Whether there are only names after the first step, and none has attachments.
    pub simple: bool,
}

#[derive(Debug)]
pub(super) struct Block {
    pub items: Vec<Node>,
    /// Whether the block directly contains bindings.
    pub scope: bool,
    /// Whether an item is an array constructor.
    pub cons: bool,
}

#[derive(Debug)]
pub(super) struct Call {
    pub procedure: Node,
    pub args: Vec<Node>,
}

#[derive(Debug)]
pub(super) struct Partial {
    pub procedure: Node,
    /// The arguments; `None` for `?`.
    pub args: Vec<Option<Node>>,
}

#[derive(Debug)]
pub(super) struct LambdaDef {
    pub params: Vec<u32>,
    pub signature: Option<Signature>,
    pub body: Node,
}

#[derive(Debug)]
pub(super) struct TransformDef {
    pub pattern: Node,
    pub update: Node,
    pub delete: Option<Node>,
    pub at: u32,
}

/// One key of a sort step.
#[derive(Debug)]
pub(super) struct Term {
    pub descending: bool,
    pub expression: Node,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Concat,
    And,
    Or,
    In,
}

impl Operator {
    pub(super) fn text(self) -> &'static str {
        match self {
            Operator::Add => "+",
            Operator::Subtract => "-",
            Operator::Multiply => "*",
            Operator::Divide => "/",
            Operator::Modulo => "%",
            Operator::Equal => "=",
            Operator::NotEqual => "!=",
            Operator::Less => "<",
            Operator::LessEqual => "<=",
            Operator::Greater => ">",
            Operator::GreaterEqual => ">=",
            Operator::Concat => "&",
            Operator::And => "and",
            Operator::Or => "or",
            Operator::In => "in",
        }
    }

    pub(super) fn from_text(text: &str) -> Option<Operator> {
        Some(match text {
            "+" => Operator::Add,
            "-" => Operator::Subtract,
            "*" => Operator::Multiply,
            "/" => Operator::Divide,
            "%" => Operator::Modulo,
            "=" => Operator::Equal,
            "!=" => Operator::NotEqual,
            "<" => Operator::Less,
            "<=" => Operator::LessEqual,
            ">" => Operator::Greater,
            ">=" => Operator::GreaterEqual,
            "&" => Operator::Concat,
            "and" => Operator::And,
            "or" => Operator::Or,
            "in" => Operator::In,
            _ => return None,
        })
    }
}

impl Node {
    pub(super) fn new(kind: Kind, at: u32, len: u32) -> Node {
        Node { kind, at, len, keep_array: false, extra: None }
    }

    pub(super) fn extra_mut(&mut self) -> &mut Extra {
        self.extra.get_or_insert_default()
    }

    pub(super) fn is_tuple(&self) -> bool {
        self.extra.as_ref().is_some_and(|e| e.tuple)
    }

    pub(super) fn focus(&self) -> Option<u32> {
        self.extra.as_ref().and_then(|e| e.focus)
    }

    pub(super) fn stages(&self) -> &[Stage] {
        self.extra.as_ref().map_or(&[], |e| &e.stages)
    }

    pub(super) fn group(&self) -> Option<&Group> {
        self.extra.as_ref().and_then(|e| e.group.as_ref())
    }

    /// Whether the node has no attachments.
    pub(super) fn is_plain(&self) -> bool {
        !self.keep_array && self.extra.is_none()
    }

    /// The name, if the node is a path of a single name.
    pub(super) fn single_name(&self) -> Option<&Arc<str>> {
        match &self.kind {
            Kind::Path(path) => match path.steps.first() {
                Some(Node { kind: Kind::Name(name), .. }) => Some(name),
                _ => None,
            },
            _ => None,
        }
    }
}

/// The names of the variables of an expression, by number.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    names: Vec<Name>,
}

#[derive(Clone, Debug)]
struct Name {
    text: Arc<str>,
    /// Whether something in the expression binds the name.
    bound: bool,
    /// The built-in function with this name.
    builtin: Option<FnId>,
}

impl Names {
    pub(super) fn intern(&mut self, text: &str) -> u32 {
        match self.find(text) {
            Some(id) => id,
            None => {
                self.names.push(Name { text: text.into(), bound: false, builtin: FnId::find(text) });
                self.names.len() as u32 - 1
            }
        }
    }

    pub(super) fn find(&self, text: &str) -> Option<u32> {
        self.names.iter().position(|n| *n.text == *text).map(|i| i as u32)
    }

    pub(super) fn bind(&mut self, id: u32) {
        if let Some(name) = self.names.get_mut(id as usize) {
            name.bound = true;
        }
    }

    pub(super) fn is_bound(&self, id: u32) -> bool {
        self.names.get(id as usize).is_some_and(|n| n.bound)
    }

    pub(super) fn builtin(&self, id: u32) -> Option<FnId> {
        self.names.get(id as usize).and_then(|n| n.builtin)
    }

    pub(super) fn text(&self, id: u32) -> &str {
        self.names.get(id as usize).map_or("", |n| &n.text)
    }

    pub(super) fn len(&self) -> usize {
        self.names.len()
    }
}
