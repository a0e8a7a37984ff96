//! The state graph of a definition: layout and SVG.
//!
//! [`layout`] turns a definition into boxes, lines and texts with positions; [`render_svg`] draws them. A page that
//! draws its own elements takes the layout as JSON ([`Graph::to_json`]).
//!
//! ```
//! use stepglass::base::json;
//! use stepglass::graph::{layout, render_svg, LayoutOptions, SvgOptions};
//!
//! let definition = json::parse(r#"{"StartAt":"Charge","States":{
//!     "Charge":{"Type":"Task","Resource":"arn:aws:states:::lambda:invoke","Next":"Ship"},
//!     "Ship":{"Type":"Pass","End":true}}}"#).unwrap();
//! let graph = layout(&definition, &LayoutOptions::default());
//! let charge = graph.nodes.iter().find(|node| node.name == "Charge").unwrap();
//! let ship = graph.nodes.iter().find(|node| node.name == "Ship").unwrap();
//! assert_eq!(charge.pointer, "/States/Charge");
//! assert_eq!(charge.center_x(), ship.center_x());        // a chain is straight
//! assert!(charge.y + charge.height < ship.y);
//! assert!(render_svg(&graph, &SvgOptions::default()).starts_with("<svg"));
//! ```
//!
//! The definition is read leniently, so that there is a graph while somebody types: a `Next` that leads nowhere ends in
//! a node of the kind [`NodeKind::Missing`], a state without a known `Type` is [`NodeKind::Unknown`], what cannot be
//! read is left out. Nothing here fails.
//!
//! Transitions never cross the border of a branch, so every `States` object is laid out alone and its box becomes a node
//! of the scope around it. Equal definitions give equal bytes on every platform. The order of the members in `States`
//! does not matter, except for states that nothing leads to.

mod condition;
mod json;
mod layered;
mod mermaid;
mod nest;
mod path;
mod read;
mod status;
mod style;
mod svg;
#[cfg(test)]
mod tests;
mod text;
mod wrap;

pub use mermaid::to_mermaid;
pub use nest::layout;
pub use status::Status;
pub use svg::{SvgOptions, Theme, render_svg};

use serde::{Deserialize, Serialize};

/// States read from one definition; AWS's limit of 1 MB of text allows about as many.
pub const MAX_STATES: usize = 10_000;
/// How deep Parallel and Map states may nest; what is deeper is drawn folded.
pub const MAX_DEPTH: usize = 32;
/// Transitions read from one definition.
pub const MAX_TRANSITIONS: usize = 60_000;

/// With [`LayoutOptions::fold_large`], states with more states inside than this are folded.
pub const FOLD_STATES: u32 = 60;
/// With [`LayoutOptions::fold_large`], branches and item processors deeper than this are not shown.
pub const FOLD_DEPTH: u32 = 3;

/// With [`LayoutOptions::selectors`], px below the name of an open Map state that stay empty.
pub const SELECTOR_HEIGHT: i32 = 86;
/// So many px more where the Map has an `ItemReader`, `ItemBatcher` or `ResultWriter`.
pub const SELECTOR_STAGES: i32 = 24;

/// Which way the graph runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Direction {
    /// From top to bottom.
    #[default]
    #[serde(rename = "TB")]
    TopToBottom,
    /// From left to right.
    #[serde(rename = "LR")]
    LeftToRight,
}

/// How to lay out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct LayoutOptions {
    /// Default: from top to bottom.
    pub direction: Direction,
    /// JSON Pointers of the Parallel and Map states to draw folded, e.g. `/States/FanOut`. Default: none.
    pub collapsed: Vec<String>,
    /// Whether to fold what is large or deep as well: more than [`FOLD_STATES`] states inside, or nested deeper than
    /// [`FOLD_DEPTH`]. Default: no.
    pub fold_large: bool,
    /// JSON Pointers of states that `fold_large` leaves open. Default: none.
    pub expanded: Vec<String>,
    /// Whether open Map states leave [`SELECTOR_HEIGHT`] below their name for a page's choice of iterations. Default: no.
    pub selectors: bool,
    /// Width of the place where the graph is shown, divided by its height: a graph that is much taller (or from left to
    /// right, wider) than that is broken into columns side by side. Default: it is not broken.
    pub aspect: Option<f64>,
    /// Where an earlier drawing was broken, [`Graph::breaks`]: it stays so until other columns show the graph 1.4 times as
    /// large. A drawing that follows an edit so keeps its other states where they are. Default: none.
    pub breaks: Vec<ColumnBreak>,
    /// How wide texts are in the font that the graph is shown in. Default: as in the common sans-serif fonts.
    pub widths: Option<TextWidths>,
}

/// Where one column of a drawing ends and the next one begins; from left to right, one row.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ColumnBreak {
    /// Id of the last node of the column.
    pub after: String,
    /// Id of the first node of the next one. If the definition has only one of the two any more, the break is there.
    pub before: String,
}

/// Advance widths of a font, in thousandths of an em. Characters that are not in here are taken to be as wide as in the
/// common sans-serif fonts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TextWidths {
    /// The characters that the widths are of.
    pub chars: String,
    /// Width of each in names, which are bold.
    pub name: Vec<u16>,
    /// Width of each in all other texts.
    pub text: Vec<u16>,
}

/// A graph with positions. All lengths are whole px; the origin is the top left corner, y runs downwards.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Graph {
    /// Size of the whole drawing, with its margin.
    pub width: i32,
    /// Size of the whole drawing, with its margin.
    pub height: i32,
    /// Which way it runs.
    pub direction: Direction,
    /// `Comment` of the machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// Whether a bound ([`MAX_STATES`], [`MAX_DEPTH`], [`MAX_TRANSITIONS`]) left something out.
    pub truncated: bool,
    /// How many times lines cross; a measure of quality.
    pub crossings: u64,
    /// Where it is broken into columns: see [`LayoutOptions::aspect`].
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub breaks: Vec<ColumnBreak>,
    /// A node stands after the node that holds it.
    pub nodes: Vec<Node>,
    /// In the order of the definition, scope by scope.
    pub edges: Vec<Edge>,
}

/// A box of the graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Node {
    /// Unique: for states and scopes the pointer; for marks the pointer of their scope and `#start`, `#end` or
    /// `#missing/` and the name.
    pub id: String,
    /// JSON Pointer into the definition: the state; the scope of an end; `StartAt` of a start; the first field that
    /// names a missing state.
    pub pointer: String,
    /// Name of the state; `Start`, `End`; for scopes what they are.
    pub name: String,
    /// The name as it is drawn: one or two lines, cut to the width of the box.
    pub lines: Vec<String>,
    /// What it is.
    #[serde(rename = "type")]
    pub kind: NodeKind,
    /// Top left corner.
    pub x: i32,
    /// Top left corner.
    pub y: i32,
    /// Size.
    pub width: i32,
    /// Size.
    pub height: i32,
    /// The node that holds it: a state's scope, a scope's state; absent in the outermost scope.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// `Comment` of the state, on one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// What the type alone does not say: the service of a Task, the time of a Wait, the error of a Fail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The small line above the name: type and detail, cut to the width of the box.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub caption: String,
    /// Whether the state has retriers.
    pub retries: bool,
    /// How a Task waits beyond its answer: `sync` for a job's end, `token` for a task token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<Pattern>,
    /// What a Map state says about its iterations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub map: Option<Iterating>,
    /// Whether anything leads to it from the start of its scope.
    pub reachable: bool,
    /// Whether its scopes are not drawn.
    pub collapsed: bool,
    /// States inside its scopes, at any depth.
    pub states: u32,
    /// Nesting: 0 for the outermost scope.
    pub depth: u32,
}

impl Node {
    /// The middle between its left and its right border.
    pub fn center_x(&self) -> i32 {
        self.x + self.width / 2
    }

    /// The middle between its top and its bottom border.
    pub fn center_y(&self) -> i32 {
        self.y + self.height / 2
    }

    /// Whether it is drawn as a box with nodes in it.
    pub fn is_container(&self) -> bool {
        self.kind == NodeKind::Scope || (self.states > 0 && !self.collapsed)
    }
}

/// What a Map state says about its iterations.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Iterating {
    /// Whether each iteration is an execution of its own.
    pub distributed: bool,
    /// `MaxConcurrency`, where it is a number above 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_concurrency: Option<u64>,
    /// What an `ItemReader` calls, e.g. `s3 getObject`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reader: Option<String>,
    /// What an `ItemBatcher` allows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batcher: Option<Batching>,
    /// What a `ResultWriter` calls, e.g. `s3 putObject`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writer: Option<String>,
}

/// What an `ItemBatcher` says, as far as it is known before the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Batching {
    /// `MaxItemsPerBatch`, where it is a number above 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub items: Option<u64>,
    /// `MaxInputBytesPerBatch`, likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
}

/// What a Task state waits for besides the answer to its call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Pattern {
    /// The end of the job: `.sync`.
    Sync,
    /// Its token to come back: `.waitForTaskToken`, or an activity's worker.
    Token,
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[allow(missing_docs)]
#[non_exhaustive]
pub enum NodeKind {
    Pass,
    Task,
    Choice,
    Wait,
    Succeed,
    Fail,
    Parallel,
    Map,
    /// A state without a known `Type`.
    Unknown,
    /// A name that a transition leads to and that is no state of its scope.
    Missing,
    /// Where a scope begins.
    Start,
    /// Where a scope ends.
    End,
    /// A branch of a Parallel state or the item processor of a Map state.
    Scope,
}

impl NodeKind {
    fn of_type(name: &str) -> Option<NodeKind> {
        use NodeKind::*;
        [Pass, Task, Choice, Wait, Succeed, Fail, Parallel, Map].into_iter().find(|kind| kind.as_str() == name)
    }

    /// The word in the JSON, which for states is the `Type`.
    pub fn as_str(self) -> &'static str {
        match self {
            NodeKind::Pass => "Pass",
            NodeKind::Task => "Task",
            NodeKind::Choice => "Choice",
            NodeKind::Wait => "Wait",
            NodeKind::Succeed => "Succeed",
            NodeKind::Fail => "Fail",
            NodeKind::Parallel => "Parallel",
            NodeKind::Map => "Map",
            NodeKind::Unknown => "Unknown",
            NodeKind::Missing => "Missing",
            NodeKind::Start => "Start",
            NodeKind::End => "End",
            NodeKind::Scope => "Scope",
        }
    }

    /// Whether it stands for a state of the definition.
    pub fn is_state(self) -> bool {
        !matches!(self, NodeKind::Missing | NodeKind::Start | NodeKind::End | NodeKind::Scope)
    }
}

/// A line of the graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Edge {
    /// Unique: JSON Pointer of the field that makes the transition, e.g. `/States/Route/Choices/0`.
    pub id: String,
    /// Id of the node it leaves.
    pub from: String,
    /// Id of the node it leads to.
    pub to: String,
    /// What makes it.
    pub kind: EdgeKind,
    /// Place among `Choices` or `Catch`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<u32>,
    /// Whether it leads back to a state that comes before.
    pub back: bool,
    /// Short text on the line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The whole of the text: the condition, all error names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Corners from border to border.
    pub points: Vec<(i32, i32)>,
    /// The same with rounded corners, as SVG path data.
    pub path: String,
    /// Where the label stands; absent where there is none or no room for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label_box: Option<LabelBox>,
}

/// Where a label stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LabelBox {
    /// Top left corner.
    pub x: i32,
    /// Top left corner.
    pub y: i32,
    /// Size.
    pub width: i32,
    /// Size.
    pub height: i32,
}

/// What makes a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum EdgeKind {
    /// `StartAt`
    Start,
    /// `Next`
    Next,
    /// A rule of a Choice state.
    Choice,
    /// `Default` of a Choice state.
    Default,
    /// A catcher.
    Catch,
    /// `End: true`, or a Succeed state.
    End,
}
