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
//! The definition is read leniently, so that there is a graph while a user types: a `Next` to an unknown state leads to a node
//! of the kind [`NodeKind::Missing`], a state without a known `Type` is [`NodeKind::Unknown`], and unreadable parts are left
//! out. No function here fails.
//!
//! Transitions never leave a branch, so every `States` object is laid out alone and its box becomes a node of the enclosing
//! scope. Equal definitions give equal bytes on every platform. The order of the members in `States` does not matter, except
//! for states without incoming transitions.

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

/// Maximum number of states of a definition; AWS's limit of 1 MB of text permits about as many.
pub const MAX_STATES: usize = 10_000;
/// Maximum nesting depth of Parallel and Map states; deeper ones are drawn folded.
pub const MAX_DEPTH: usize = 32;
/// Maximum number of transitions of a definition.
pub const MAX_TRANSITIONS: usize = 60_000;

/// With [`LayoutOptions::fold_large`], states that contain more states than this are folded.
pub const FOLD_STATES: u32 = 60;
/// With [`LayoutOptions::fold_large`], branches and item processors that are nested deeper than this are not shown.
pub const FOLD_DEPTH: u32 = 3;

/// With [`LayoutOptions::selectors`], the height in px below the name of an open Map state that remains empty.
pub const SELECTOR_HEIGHT: i32 = 86;
/// The additional height in px if the Map has an `ItemReader`, `ItemBatcher` or `ResultWriter`.
pub const SELECTOR_STAGES: i32 = 24;

/// The direction of the graph.
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

/// The options of a layout.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct LayoutOptions {
    /// Default: from top to bottom.
    pub direction: Direction,
    /// JSON Pointers of the Parallel and Map states to draw folded, e.g. `/States/FanOut`. Default: none.
    pub collapsed: Vec<String>,
    /// Whether large or deep states are folded too: those that contain more than [`FOLD_STATES`] states, or are nested deeper
    /// than [`FOLD_DEPTH`]. Default: no.
    pub fold_large: bool,
    /// JSON Pointers of states that `fold_large` does not fold. Default: none.
    pub expanded: Vec<String>,
    /// Whether open Map states have a space of [`SELECTOR_HEIGHT`] below their name, for a page's choice of iterations.
    /// Default: no.
    pub selectors: bool,
    /// Width of the area in which the graph is shown, divided by its height. A graph that is much taller (or, from left to
    /// right, wider) is broken into columns side by side. Default: it is not broken.
    pub aspect: Option<f64>,
    /// Where an earlier drawing was broken, [`Graph::breaks`]. The breaks are kept until other columns would show the graph 1.4
    /// times as large, so that an edit does not move the other states of a drawing. Default: none.
    pub breaks: Vec<ColumnBreak>,
    /// The widths of texts in the font in which the graph is shown. Default: those of common sans-serif fonts.
    pub widths: Option<TextWidths>,
}

/// The end of one column of a drawing and the start of the next one; from left to right, of a row.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ColumnBreak {
    /// The id of the last node of the column.
    pub after: String,
    /// The id of the first node of the next column. If only one of the two still exists, it determines the break.
    pub before: String,
}

/// The advance widths of a font, in thousandths of an em. Other characters are assumed to be as wide as in common sans-serif
/// fonts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TextWidths {
    /// The characters whose widths are given.
    pub chars: String,
    /// The width of each in names, which are bold.
    pub name: Vec<u16>,
    /// The width of each in all other texts.
    pub text: Vec<u16>,
}

/// A graph with positions. All lengths are whole px; the origin is the top left corner, and y increases downwards.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Graph {
    /// The width of the whole drawing, with its margin.
    pub width: i32,
    /// The height of the whole drawing, with its margin.
    pub height: i32,
    /// The direction of the graph.
    pub direction: Direction,
    /// `Comment` of the machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// Whether a limit ([`MAX_STATES`], [`MAX_DEPTH`], [`MAX_TRANSITIONS`]) caused parts to be left out.
    pub truncated: bool,
    /// The number of crossings of lines; a measure of quality.
    pub crossings: u64,
    /// Where the graph is broken into columns: see [`LayoutOptions::aspect`].
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub breaks: Vec<ColumnBreak>,
    /// The nodes. A node comes after the node that contains it.
    pub nodes: Vec<Node>,
    /// The edges in the order of the definition, scope by scope.
    pub edges: Vec<Edge>,
}

/// A box of the graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Node {
    /// A unique id: for states and scopes the pointer; for marks the pointer of their scope and `#start`, `#end` or `#missing/`
    /// with the name.
    pub id: String,
    /// The JSON Pointer in the definition: that of the state; for an end, that of its scope; for a start, that of `StartAt`;
    /// for a missing state, that of the first field with its name.
    pub pointer: String,
    /// The name of the state; `Start`, `End`; for scopes a description.
    pub name: String,
    /// The name as it is drawn: one or two lines, cut to the width of the box.
    pub lines: Vec<String>,
    /// The kind of node.
    #[serde(rename = "type")]
    pub kind: NodeKind,
    /// The x of the top left corner.
    pub x: i32,
    /// The y of the top left corner.
    pub y: i32,
    /// The width.
    pub width: i32,
    /// The height.
    pub height: i32,
    /// The node that contains it: for a state its scope, for a scope its state; absent in the outermost scope.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// `Comment` of the state, on one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// A detail besides the type: the service of a Task, the time of a Wait, the error of a Fail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The small line above the name: type and detail, cut to the width of the box.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub caption: String,
    /// Whether the state has retriers.
    pub retries: bool,
    /// What a Task waits for after the response: `sync` for the end of a job, `token` for a task token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<Pattern>,
    /// How a Map state iterates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub map: Option<Iterating>,
    /// Whether it can be reached from the start of its scope.
    pub reachable: bool,
    /// Whether its scopes are folded.
    pub collapsed: bool,
    /// The number of states inside its scopes, at any depth.
    pub states: u32,
    /// The nesting depth: 0 in the outermost scope.
    pub depth: u32,
}

impl Node {
    /// The x of its centre.
    pub fn center_x(&self) -> i32 {
        self.x + self.width / 2
    }

    /// The y of its centre.
    pub fn center_y(&self) -> i32 {
        self.y + self.height / 2
    }

    /// Whether it is drawn as a box that contains nodes.
    pub fn is_container(&self) -> bool {
        self.kind == NodeKind::Scope || (self.states > 0 && !self.collapsed)
    }
}

/// How a Map state iterates.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Iterating {
    /// Whether each iteration is a separate execution.
    pub distributed: bool,
    /// `MaxConcurrency`, if it is a number above 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_concurrency: Option<u64>,
    /// The API that an `ItemReader` calls, e.g. `s3 getObject`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reader: Option<String>,
    /// The limits of an `ItemBatcher`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batcher: Option<Batching>,
    /// The API that a `ResultWriter` calls, e.g. `s3 putObject`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writer: Option<String>,
}

/// The limits of an `ItemBatcher` that are known before a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Batching {
    /// `MaxItemsPerBatch`, if it is a number above 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub items: Option<u64>,
    /// `MaxInputBytesPerBatch`, if it is a number above 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
}

/// What a Task state waits for besides the response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Pattern {
    /// The end of the job: `.sync`.
    Sync,
    /// The return of its token: `.waitForTaskToken`, or an activity's worker.
    Token,
}

/// The kind of a node.
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
    /// A name to which a transition leads, without a state in its scope.
    Missing,
    /// The start of a scope.
    Start,
    /// The end of a scope.
    End,
    /// A branch of a Parallel state or the item processor of a Map state.
    Scope,
}

impl NodeKind {
    fn of_type(name: &str) -> Option<NodeKind> {
        use NodeKind::*;
        [Pass, Task, Choice, Wait, Succeed, Fail, Parallel, Map].into_iter().find(|kind| kind.as_str() == name)
    }

    /// The name in the JSON, which for states is the `Type`.
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

    /// Whether it represents a state of the definition.
    pub fn is_state(self) -> bool {
        !matches!(self, NodeKind::Missing | NodeKind::Start | NodeKind::End | NodeKind::Scope)
    }
}

/// A line of the graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Edge {
    /// A unique id: the JSON Pointer of the field that defines the transition, e.g. `/States/Route/Choices/0`.
    pub id: String,
    /// The id of the source node.
    pub from: String,
    /// The id of the target node.
    pub to: String,
    /// The field that defines it.
    pub kind: EdgeKind,
    /// The index in `Choices` or `Catch`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<u32>,
    /// Whether it leads back to an earlier state.
    pub back: bool,
    /// The short text on the line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The complete text: the condition, or all error names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The corners from border to border.
    pub points: Vec<(i32, i32)>,
    /// The line with rounded corners, as SVG path data.
    pub path: String,
    /// The position of the label; absent if there is no label or no space for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label_box: Option<LabelBox>,
}

/// The position of a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LabelBox {
    /// The x of the top left corner.
    pub x: i32,
    /// The y of the top left corner.
    pub y: i32,
    /// The width.
    pub width: i32,
    /// The height.
    pub height: i32,
}

/// The field that defines a transition.
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
