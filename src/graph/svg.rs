//! Draws a placed graph as a self-contained SVG document: it needs no script, font or image.

use super::nest::{CAPTION_SIZE, LABEL_SIZE, NAME_SIZE, TEXT_X};
use super::status::{self, Status};
use super::style;
use super::text::{self, Face};
use super::{Edge, EdgeKind, Graph, Node, NodeKind, TextWidths, path};
use crate::base::{Named, decimal, pointer, sort};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// The colour theme of a drawing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Theme {
    /// Light, or dark if the viewer prefers that (`prefers-color-scheme`).
    #[default]
    Auto,
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

/// The options of a drawing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct SvgOptions {
    /// The theme. Default: light or dark as the viewer prefers.
    pub theme: Theme,
    /// The title for screen readers. Default: the machine's `Comment`, or "State machine".
    pub title: Option<String>,
    /// Whether to paint a background. Default: true.
    pub background: bool,
    /// The prefix of all ids and class names, for pages with several drawings; characters other than letters, digits, `-` and
    /// `_` are dropped. Default: `sg`.
    pub prefix: String,
    /// The status of states, by JSON Pointer or by name; the pointer takes precedence. Default: none, a drawing without a run.
    pub status: Named<Status>,
    /// How often transitions were taken, by the id of the edge (the JSON Pointer of the field that defines it). Other
    /// transitions are drawn faint. Default: no transition is marked.
    pub taken: Option<Named<u32>>,
    /// A short text on the lower border of states, by JSON Pointer or by name, such as a count of visits.
    pub notes: Named<String>,
    /// The text widths with which the graph was laid out. Default: those of common sans-serif fonts.
    pub widths: Option<TextWidths>,
}

impl Default for SvgOptions {
    fn default() -> SvgOptions {
        SvgOptions {
            theme: Theme::Auto,
            title: None,
            background: true,
            prefix: "sg".into(),
            status: Named::default(),
            taken: None,
            notes: Named::default(),
            widths: None,
        }
    }
}

/// Maximum number of transitions in the description for screen readers.
const MAX_DESCRIBED: usize = 600;

/// Draws a graph. Any name is safe: texts are escaped, and nothing of the definition becomes markup, style or script.
///
/// ```
/// use stepglass::base::json;
/// use stepglass::graph::{layout, render_svg, SvgOptions};
/// let definition = json::parse(r#"{"StartAt":"a<b","States":{"a<b":{"Type":"Succeed"}}}"#).unwrap();
/// let svg = render_svg(&layout(&definition, &Default::default()), &SvgOptions::default());
/// assert!(svg.contains("a&lt;b") && !svg.contains("a<b"));
/// ```
pub fn render_svg(graph: &Graph, options: &SvgOptions) -> String {
    let mut prefix: String =
        options.prefix.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')).take(40).collect();
    if !prefix.starts_with(|c: char| c.is_ascii_alphabetic()) {
        prefix.insert_str(0, "sg");
    }
    let out = String::with_capacity(4_096 + 600 * (graph.nodes.len() + graph.edges.len()));
    let faces = Face::both(options.widths.as_ref());
    let mut svg = Svg { out, prefix, options, by_id: Named::default(), faces };
    svg.by_id = graph.nodes.iter().filter_map(|node| Some((node.id.as_str(), svg.status(node)?))).collect();
    svg.document(graph);
    svg.out
}

struct Svg<'a> {
    out: String,
    prefix: String,
    options: &'a SvgOptions,
    /// The status of nodes, by their ids.
    by_id: Named<Status>,
    /// The widths of names, and of all other texts.
    faces: [Face; 2],
}

/// Appends formatted markup.
macro_rules! put {
    ($svg:expr, $($arg:tt)*) => {{
        // Writing to a String cannot fail.
        let _ = write!($svg.out, $($arg)*);
    }};
}

impl<'a> Svg<'a> {
    fn status(&self, node: &Node) -> Option<Status> {
        let given = &self.options.status;
        given.get(&node.pointer).or_else(|| given.get(&node.name)).copied().filter(|_| node.kind.is_state())
    }

    fn document(&mut self, graph: &Graph) {
        let options = self.options;
        let p = self.prefix.clone();
        let (width, height) = (graph.width, graph.height);
        put!(self, r#"<svg xmlns="http://www.w3.org/2000/svg" class="{p}" width="{width}" height="{height}" "#);
        put!(self, r#"viewBox="0 0 {width} {height}" role="img" aria-labelledby="{p}-title {p}-desc">"#);
        let title = options.title.as_deref().or(graph.comment.as_deref()).unwrap_or("State machine");
        put!(self, "\n<title id=\"{p}-title\">{}</title>", Escaped(title));
        put!(self, "\n<desc id=\"{p}-desc\">{}</desc>", Escaped(&describe(graph)));
        let mut sheet = style::sheet(&p, options.theme);
        let mut used: Vec<Status> = self.by_id.iter().map(|(_, status)| *status).collect();
        sort::sort(&mut used);
        used.dedup();
        if !self.by_id.is_empty() || options.taken.is_some() || !options.notes.is_empty() {
            status::sheet(&mut sheet, &p, &used, options.theme);
        }
        put!(self, "\n<style>{sheet}</style>");
        put!(self, "\n<defs>");
        let mut arrows = vec!["flow".to_string(), "catch".into(), "back".into()];
        if options.taken.is_some() {
            arrows.extend(used.iter().map(|status| format!("by-{}", status.class())));
        }
        for kind in arrows {
            put!(
                self,
                r#"<marker id="{p}-arrow-{kind}" viewBox="0 0 10 10" refX="9.5" refY="5" markerWidth="9" markerHeight="9" "#
            );
            put!(
                self,
                r#"markerUnits="userSpaceOnUse" orient="auto"><path class="{p}-head-{kind}" d="M1 1L9.5 5L1 9Z"/></marker>"#
            );
        }
        put!(self, "</defs>");
        if options.background {
            put!(self, "\n<rect class=\"{p}-background\" width=\"{width}\" height=\"{height}\"/>");
        }
        // Boxes that contain nodes are below all lines, all other nodes are above.
        for node in graph.nodes.iter().filter(|node| node.is_container()) {
            self.container(node);
        }
        // Lines that were taken are above those that share a part of their path.
        for taken in [false, true] {
            for edge in &graph.edges {
                if self.is_taken(edge) == taken {
                    self.edge(edge);
                }
            }
        }
        for edge in &graph.edges {
            self.label(edge);
        }
        for node in graph.nodes.iter().filter(|node| !node.is_container()) {
            self.node(node);
        }
        put!(self, "\n</svg>\n");
    }

    fn container(&mut self, node: &Node) {
        let p = self.prefix.clone();
        let (x, y, width, height) = (node.x, node.y, node.width, node.height);
        if node.kind == NodeKind::Scope {
            put!(self, "\n<rect class=\"{p}-scope\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"8\"/>");
            return;
        }
        self.open_group(node, "container");
        put!(self, r#"<rect class="{p}-box" x="{x}" y="{y}" width="{width}" height="{height}" rx="10"/>"#);
        self.head(node);
        put!(self, "</g>");
    }

    fn open_group(&mut self, node: &Node, class: &str) {
        let p = self.prefix.clone();
        put!(self, "\n<g class=\"{p}-{class} {p}-{}", node.kind.as_str().to_ascii_lowercase());
        if !node.reachable {
            put!(self, " {p}-unreached");
        }
        let status = self.by_id.get(node.id.as_str()).copied();
        if let Some(status) = status {
            put!(self, " {p}-is-{}", status.class());
        }
        put!(self, "\"><title>{}", Escaped(&node.name));
        if node.kind.is_state() {
            put!(self, " ({}", node.kind.as_str());
            if let Some(detail) = &node.detail {
                put!(self, ", {}", Escaped(detail));
            }
            put!(self, ")");
        }
        if node.kind == NodeKind::Missing {
            put!(self, " (not found)");
        }
        if node.retries {
            put!(self, ", retries");
        }
        if !node.reachable && node.kind.is_state() {
            put!(self, ", nothing leads here");
        }
        if let Some(status) = status {
            put!(self, ", {}", status.description());
        }
        if let Some(note) = self.note(node) {
            put!(self, ", {}", Escaped(note));
        }
        if let Some(comment) = &node.comment {
            put!(self, "\n{}", Escaped(comment));
        }
        put!(self, "</title>");
    }

    fn note(&self, node: &Node) -> Option<&'a str> {
        let given = &self.options.notes;
        given.get(&node.pointer).or_else(|| given.get(&node.name)).map(String::as_str).filter(|_| node.kind.is_state())
    }

    /// Draws the sign of the status, and the note, on the lower border.
    fn run_marks(&mut self, node: &Node) {
        let p = self.prefix.clone();
        let (right, bottom) = (node.x + node.width, node.y + node.height);
        let sign = self.by_id.get(node.id.as_str()).map_or("", |status| status.sign());
        if !sign.is_empty() {
            // They are on the border, below the last line of the name.
            let (x, y) = (right - 14, bottom);
            put!(self, r#"<g class="{p}-sign"><circle cx="{x}" cy="{y}" r="10"/>"#);
            put!(
                self,
                r#"<path transform="translate({} {}) scale(.65)" d="{sign}"/></g>"#,
                decimal::fixed(f64::from(x) - 6.5, 1),
                decimal::fixed(f64::from(y) - 6.5, 1)
            );
        }
        if let Some(note) = self.note(node) {
            let note = text::shorten(note, 24);
            let (width, long) = (self.faces[0].width(&note, 11) + 12, self.fit_length(&note, 0, 11));
            let x = right - width - if sign.is_empty() { 8 } else { 28 };
            put!(self, r#"<g class="{p}-note"><rect x="{x}" y="{}" width="{width}" height="18" rx="9"/>"#, bottom - 9);
            put!(self, r#"<text x="{}" y="{}"{long}>{}</text></g>"#, x + width / 2, bottom + 4, Escaped(&note));
        }
    }

    /// Limits a text to the available length, in whatever font it is shown.
    fn fit_length(&self, text: &str, face: usize, size: i32) -> String {
        match self.faces.get(face).and_then(|face| face.length(text, size)) {
            Some(length) => format!(r#" textLength="{length}" lengthAdjust="spacingAndGlyphs""#),
            None => String::new(),
        }
    }

    fn is_taken(&self, edge: &Edge) -> bool {
        self.options.taken.as_ref().is_some_and(|taken| taken.get(&edge.id).is_some_and(|&times| times > 0))
    }

    fn node(&mut self, node: &Node) {
        let p = self.prefix.clone();
        let (x, y, width, height) = (node.x, node.y, node.width, node.height);
        self.open_group(node, "node");
        match node.kind {
            NodeKind::Start | NodeKind::End => {
                if width > 20 {
                    put!(self, r#"<rect class="{p}-mark" x="{x}" y="{y}" width="{width}" height="{height}" rx="{}"/>"#, height / 2);
                    let (cx, base) = (node.center_x(), node.center_y() + 4);
                    let long = self.fit_length(&node.name, 0, 12);
                    put!(self, r#"<text class="{p}-mark-text" x="{cx}" y="{base}"{long}>{}</text>"#, Escaped(&node.name));
                } else {
                    let (cx, cy) = (node.center_x(), node.center_y());
                    put!(self, r#"<circle class="{p}-mark" cx="{cx}" cy="{cy}" r="{}"/>"#, width / 2 - 1);
                    if node.kind == NodeKind::End {
                        put!(self, r#"<circle class="{p}-mark-dot" cx="{cx}" cy="{cy}" r="3"/>"#);
                    }
                }
            }
            _ => {
                if node.collapsed {
                    put!(
                        self,
                        r#"<rect class="{p}-behind" x="{}" y="{}" width="{}" height="{height}" rx="10"/>"#,
                        x + 6,
                        y + 5,
                        width - 12
                    );
                }
                put!(self, r#"<rect class="{p}-box" x="{x}" y="{y}" width="{width}" height="{height}" rx="10"/>"#);
                self.head(node);
            }
        }
        put!(self, "</g>");
    }

    /// Draws the glyph and the texts in the top left corner of a state's box.
    fn head(&mut self, node: &Node) {
        let p = self.prefix.clone();
        let (x, y) = (node.x, node.y);
        put!(self, r#"<rect class="{p}-tile" x="{}" y="{}" width="30" height="30" rx="7"/>"#, x + 11, y + 12);
        put!(self, r#"<path class="{p}-glyph" transform="translate({} {})" d="{}"/>"#, x + 16, y + 17, style::glyph(node.kind));
        let text_x = x + TEXT_X;
        let long = self.fit_length(&node.caption, 1, CAPTION_SIZE);
        put!(self, r#"<text class="{p}-caption" x="{text_x}" y="{}"{long}>{}</text>"#, y + 22, Escaped(&node.caption));
        for (i, line) in node.lines.iter().enumerate() {
            let (y, long) = (y + 39 + 16 * i as i32, self.fit_length(line, 0, NAME_SIZE));
            put!(self, r#"<text class="{p}-name" x="{text_x}" y="{y}"{long}>{}</text>"#, Escaped(line));
        }
        if node.retries {
            let (x, y) = (node.x + node.width - 21, node.y + 9);
            put!(self, r#"<path class="{p}-badge" transform="translate({x} {y})" d="{}"/>"#, style::RETRY);
        }
        self.run_marks(node);
    }

    fn edge(&mut self, edge: &Edge) {
        let p = self.prefix.clone();
        let kind = line_kind(edge);
        let thin = if edge.kind == EdgeKind::End { format!(" {p}-end-line") } else { String::new() };
        let run = self.run_class(edge);
        let head = self.taken_by(edge).map_or_else(|| kind.to_string(), |by| format!("by-{}", by.class()));
        put!(
            self,
            "\n<path class=\"{p}-line {p}-line-{kind}{thin}{run}\" d=\"{}\" marker-end=\"url(#{p}-arrow-{head})\"",
            edge.path
        );
        if kind == "catch" {
            // Dashes are counted from the arrow, so that they are aligned where lines join.
            let offset = DASH - path::rounded_length(&edge.points) % DASH;
            put!(self, " stroke-dashoffset=\"{}\"", decimal::fixed(offset, 1));
        }
        put!(self, "/>");
    }

    /// The status whose colour the edge has, if it was taken: that of its source, or that of the failure to which it led.
    fn taken_by(&self, edge: &Edge) -> Option<Status> {
        let of = |id: &str| self.by_id.get(id).copied().filter(|_| self.is_taken(edge));
        let failed = |to: &Status| edge.kind != EdgeKind::Catch && matches!(to, Status::Failed | Status::TimedOut);
        of(&edge.to).filter(failed).or_else(|| of(&edge.from))
    }

    /// The classes that say whether the edge was taken, and with which status.
    fn run_class(&self, edge: &Edge) -> String {
        let p = &self.prefix;
        match &self.options.taken {
            None => String::new(),
            Some(_) if !self.is_taken(edge) => format!(" {p}-untaken"),
            Some(_) => match self.taken_by(edge) {
                Some(status) => format!(" {p}-taken {p}-by-{}", status.class()),
                None => format!(" {p}-taken"),
            },
        }
    }

    fn label(&mut self, edge: &Edge) {
        let (Some(label), Some(at)) = (&edge.label, &edge.label_box) else { return };
        let p = self.prefix.clone();
        let kind = if edge.kind == EdgeKind::Catch { "catch" } else { line_kind(edge) };
        let faint = if self.options.taken.is_some() && !self.is_taken(edge) { format!(" {p}-untaken") } else { String::new() };
        let title = Escaped(edge.title.as_deref().unwrap_or(label));
        put!(self, "\n<g class=\"{p}-label {p}-label-{kind}{faint}\"><title>{title}</title>");
        put!(self, r#"<rect x="{}" y="{}" width="{}" height="{}" rx="8"/>"#, at.x, at.y + 1, at.width, at.height - 2);
        let (x, y, long) = (at.x + at.width / 2, at.y + at.height / 2 + 4, self.fit_length(label, 1, LABEL_SIZE));
        put!(self, r#"<text x="{x}" y="{y}"{long}>{}</text></g>"#, Escaped(label));
    }
}

/// The length of a dash and the space after it.
const DASH: f64 = 9.0;

fn line_kind(edge: &Edge) -> &'static str {
    match edge.kind {
        EdgeKind::Catch => "catch",
        _ if edge.back => "back",
        _ => "flow",
    }
}

/// Describes the graph in words: each state and where it leads.
fn describe(graph: &Graph) -> String {
    let count = graph.nodes.iter().filter(|node| node.kind.is_state()).count();
    let mut out = if count == 1 { "1 state".to_string() } else { format!("{count} states") };
    let mut from = "";
    // The edges of a node are consecutive.
    for edge in graph.edges.iter().take(MAX_DESCRIBED) {
        let _ = if edge.from == from {
            write!(out, "; ")
        } else if edge.kind == EdgeKind::Start {
            write!(out, ". Start: ")
        } else {
            write!(out, ". {}: ", name_in(&edge.from))
        };
        from = &edge.from;
        let (to, title) = (name_in(&edge.to), edge.title.as_deref().unwrap_or(""));
        let _ = match edge.kind {
            EdgeKind::Start | EdgeKind::Next => write!(out, "to {to}"),
            EdgeKind::Choice => write!(out, "if {title} to {to}"),
            EdgeKind::Default => write!(out, "by default to {to}"),
            EdgeKind::Catch => write!(out, "on {title} to {to}"),
            EdgeKind::End => write!(out, "ends"),
        };
    }
    if graph.edges.len() > MAX_DESCRIBED {
        out.push_str("; and more");
    }
    out.push('.');
    out
}

/// Returns the name of a state from the id of its node.
fn name_in(id: &str) -> String {
    match id.split_once("#missing/") {
        Some((_, name)) => name.to_string(),
        None => pointer::unescape(id.rsplit('/').next().unwrap_or(id)),
    }
}

/// A text for an element or an attribute in double quotes. Characters that XML cannot represent become U+FFFD.
struct Escaped<'a>(&'a str);

impl std::fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                '\t' | '\n' => f.write_char(c)?,
                '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => f.write_char('\u{fffd}')?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

/// The font sizes in the style sheet.
pub(super) const FONT_SIZES: (i32, i32, i32) = (NAME_SIZE, CAPTION_SIZE, LABEL_SIZE);
