//! Diagnostics: what is wrong in a text, where, and how to fix it.
//!
//! The code that finds a problem knows the JSON Pointer of the value. Byte spans are added afterwards, only if there is a text
//! and there are diagnostics ([`locate`]). [`render`] prints for a terminal.

use super::json::{Located, Node, Parts};
use super::pointer::{self, Pointer};
use super::sort;
use super::span::{Positions, Span};
use super::width::{columns, width};

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Severity {
    /// AWS accepts it, but it does not do what it appears to do.
    Warning,
    /// AWS refuses it.
    Error,
}

impl Severity {
    /// `error` or `warning`.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// A kind of diagnostic: its stable name, its usual severity and a short title.
#[derive(Debug, PartialEq, Eq)]
pub struct Code {
    /// Kebab-case, never changed once released: `unknown-target`.
    pub name: &'static str,
    /// The severity, unless a diagnostic says otherwise.
    pub severity: Severity,
    /// A short title.
    pub title: &'static str,
}

/// The part of the value at a pointer that a diagnostic is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// The value.
    Value,
    /// The member's name.
    Key,
    /// `length` bytes of the decoded string, from `offset`.
    Text {
        /// Byte offset in the decoded string.
        offset: usize,
        /// The number of bytes; 0 marks a position.
        length: usize,
    },
    /// The position after the last member of an object, for insertions.
    End,
    /// A byte range of the text itself.
    Range(Span),
}

/// A secondary location with a remark.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// The pointer of the location.
    pub pointer: Pointer,
    /// The part of the value there.
    pub part: Part,
    /// The byte span, if there is a text.
    pub span: Option<Span>,
    /// The remark.
    pub message: String,
}

/// A change that fixes the problem.
#[derive(Clone, Debug, PartialEq)]
pub struct Fix {
    /// A title for it: ``did you mean `Next: "Ship"`?``
    pub title: String,
    /// The pointer of the location.
    pub pointer: Pointer,
    /// The part of the value that is replaced.
    pub part: Part,
    /// The byte span that is replaced, if there is a text.
    pub span: Option<Span>,
    /// The JSON text that replaces it.
    pub replacement: String,
}

/// A problem in the words of AWS's `ValidateStateMachineDefinition`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AwsText {
    /// `SCHEMA_VALIDATION_FAILED`, `MISSING_TRANSITION_TARGET` …
    pub code: &'static str,
    /// The message.
    pub message: String,
    /// `/States/Ship/Choices[0]/Next`; AWS gives none for problems of the whole definition.
    pub location: Option<String>,
}

/// One problem.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// The kind of problem.
    pub code: &'static Code,
    /// The severity.
    pub severity: Severity,
    /// The location; the pointer always resolves in the document.
    pub pointer: Pointer,
    /// The part of the value there.
    pub part: Part,
    /// The byte span, if there is a text.
    pub span: Option<Span>,
    /// A sentence without the location.
    pub message: String,
    /// Other locations that are related.
    pub labels: Vec<Label>,
    /// Advice.
    pub help: Option<String>,
    /// A change that fixes the problem.
    pub fix: Option<Fix>,
    /// AWS's messages; none if AWS does not report the problem, several if AWS reports it more than once.
    pub aws: Vec<AwsText>,
}

impl Diagnostic {
    /// Creates a diagnostic for the value at a pointer, with the severity of its code.
    pub fn new(code: &'static Code, pointer: Pointer, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code,
            severity: code.severity,
            pointer,
            part: Part::Value,
            span: None,
            message: message.into(),
            labels: Vec::new(),
            help: None,
            fix: None,
            aws: Vec::new(),
        }
    }

    /// Sets the part of the value.
    #[must_use]
    pub fn at(mut self, part: Part) -> Diagnostic {
        self.part = part;
        self
    }

    /// Sets the severity.
    #[must_use]
    pub fn severity(mut self, severity: Severity) -> Diagnostic {
        self.severity = severity;
        self
    }

    /// Sets the advice.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }

    /// Adds a secondary location.
    #[must_use]
    pub fn label(mut self, pointer: Pointer, part: Part, message: impl Into<String>) -> Diagnostic {
        self.labels.push(Label { pointer, part, span: None, message: message.into() });
        self
    }

    /// Sets a change at the location of the diagnostic itself.
    #[must_use]
    pub fn fix(mut self, title: impl Into<String>, part: Part, replacement: impl Into<String>) -> Diagnostic {
        let pointer = self.pointer.clone();
        self.fix = Some(Fix { title: title.into(), pointer, part, span: None, replacement: replacement.into() });
        self
    }

    /// Adds AWS's message.
    #[must_use]
    pub fn aws(mut self, code: &'static str, message: impl Into<String>, location: Option<String>) -> Diagnostic {
        self.aws.push(AwsText { code, message: message.into(), location });
        self
    }
}

/// Adds the byte spans to the diagnostics of a document, in one pass over its nodes.
pub fn locate(diagnostics: &mut [Diagnostic], text: &str, located: &Located) {
    let mut wanted = Vec::new();
    for diagnostic in diagnostics.iter() {
        wanted.push(diagnostic.pointer.clone());
        wanted.extend(diagnostic.labels.iter().map(|label| label.pointer.clone()));
        wanted.extend(diagnostic.fix.iter().map(|fix| fix.pointer.clone()));
    }
    sort::by(&mut wanted, |a, b| a.as_str().cmp(b.as_str()));
    wanted.dedup();
    let mut places = Places { found: vec![None; wanted.len()], wanted: &wanted };
    let root = Found { key: None, node: &located.root };
    places.walk(&mut String::new(), root);
    for diagnostic in diagnostics {
        diagnostic.span = places.find(text, &diagnostic.pointer, diagnostic.part);
        for label in &mut diagnostic.labels {
            label.span = places.find(text, &label.pointer, label.part);
        }
        if let Some(fix) = &mut diagnostic.fix {
            fix.span = places.find(text, &fix.pointer, fix.part);
        }
    }
}

/// The location of a value: its member's name, and its parts.
#[derive(Clone, Copy)]
struct Found<'a> {
    key: Option<Span>,
    node: &'a Node,
}

struct Places<'a, 'w> {
    /// The pointers to find, sorted.
    wanted: &'w [Pointer],
    /// The location of each of them.
    found: Vec<Option<Found<'a>>>,
}

impl<'a> Places<'a, '_> {
    /// Stores the value here if it is wanted, and visits the parts that lead to wanted ones. The recursion is bounded by the
    /// nesting of JSON.
    fn walk(&mut self, path: &mut String, here: Found<'a>) {
        let next = self.position(path);
        match self.wanted.get(next) {
            Some(wanted) if wanted.as_str() == path => {
                // Of members with the same name the last one counts, as in the value.
                if let Some(found) = self.found.get_mut(next) {
                    *found = Some(here);
                }
            }
            Some(wanted) if wanted.as_str().starts_with(path.as_str()) => {}
            _ => return,
        }
        let length = path.len();
        let node = here.node;
        match &node.parts {
            Parts::None => {}
            Parts::Elements(items) => {
                for (i, item) in items.iter().enumerate() {
                    path.push_str(&format!("/{i}"));
                    self.walk(path, Found { key: None, node: item });
                    path.truncate(length);
                }
            }
            Parts::Members(members) => {
                for (name, key, value) in members {
                    path.push('/');
                    pointer::escape(path, name);
                    self.walk(path, Found { key: Some(*key), node: value });
                    path.truncate(length);
                }
            }
        }
    }

    /// The index of the first wanted pointer that does not come before a pointer.
    fn position(&self, pointer: &str) -> usize {
        self.wanted.partition_point(|wanted| wanted.as_str() < pointer)
    }

    fn find(&self, text: &str, pointer: &Pointer, part: Part) -> Option<Span> {
        if let Part::Range(span) = part {
            return Some(span);
        }
        let place = self.found.get(self.position(pointer.as_str()))?.as_ref()?;
        let value = place.node.span;
        match part {
            Part::Value | Part::Range(_) => Some(value),
            Part::Key => Some(place.key.unwrap_or(value)),
            Part::Text { offset, length } => Some(inside_string(text, value, offset, length).unwrap_or(value)),
            Part::End => Some(end_of_members(place.node)),
        }
    }
}

/// Returns the raw bytes of a part of a JSON string, which may contain escapes.
fn inside_string(text: &str, value: Span, offset: usize, length: usize) -> Option<Span> {
    let raw = text.get(value.range())?;
    let body = raw.strip_prefix('"')?.strip_suffix('"')?;
    let (mut decoded, mut at) = (0, 0);
    let (mut start, mut end) = (None, None);
    let bytes = body.as_bytes();
    while let Some(&byte) = bytes.get(at) {
        if start.is_none() && decoded >= offset {
            start = Some(at);
        }
        if decoded >= offset + length {
            end = Some(at);
            break;
        }
        let (wide, size) = match (byte, bytes.get(at + 1)) {
            (b'\\', Some(b'u')) => escaped_unicode(body, at),
            (b'\\', _) => (2, 1),
            _ => {
                let wide = body.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
                (wide, wide)
            }
        };
        at += wide;
        decoded += size;
    }
    let first = value.start + 1 + start.unwrap_or(body.len());
    let last = value.start + 1 + end.unwrap_or(body.len());
    Some(Span::new(first, last.max(first)))
}

/// Returns the number of bytes of a `\u` escape (with its second half) in the JSON text and in the decoded text.
fn escaped_unicode(body: &str, at: usize) -> (usize, usize) {
    let unit = |at: usize| body.get(at + 2..at + 6).and_then(|hex| u32::from_str_radix(hex, 16).ok());
    let Some(high) = unit(at) else { return (2, 1) };
    let paired = body.get(at + 6..).is_some_and(|rest| rest.starts_with("\\u")) && matches!(unit(at + 6), Some(0xdc00..0xe000));
    if (0xd800..0xdc00).contains(&high) && paired {
        return (12, 4);
    }
    (6, char::from_u32(high).unwrap_or('\u{fffd}').len_utf8())
}

fn end_of_members(node: &Node) -> Span {
    let at = match &node.parts {
        Parts::Members(members) => members.last().map_or(node.span.start + 1, |(_, _, last)| last.span.end),
        Parts::Elements(items) => items.last().map_or(node.span.start + 1, |last| last.span.end),
        Parts::None => node.span.end,
    };
    Span::new(at, at)
}

/// The style in which [`render`] prints.
#[derive(Clone, Copy, Debug, Default)]
pub struct Style {
    /// Whether to use ANSI colours.
    pub color: bool,
}

/// Prints diagnostics like a compiler: message, location, excerpt with carets, remarks, advice. The text ends with a line feed.
///
/// ```
/// use stepglass::asl;
/// use stepglass::base::diag::{Style, render};
/// let text = r#"{ "StartAt": "A", "States": { "A": { "Type": "Pass", "Next": "B" }, "C": { "Type": "Succeed" } } }"#;
/// let compiled = asl::compile(text, &asl::CompileOptions::default());
/// let printed = render(&compiled.diagnostics, text, "machine.json", Style::default());
/// assert!(printed.starts_with("error[unknown-target]"));
/// assert!(printed.contains("--> machine.json:1:62"));
/// ```
pub fn render(diagnostics: &[Diagnostic], text: &str, file: &str, style: Style) -> String {
    let places = Positions::of(if diagnostics.is_empty() { "" } else { text });
    let mut printer = Printer { out: String::new(), text, places, file, color: style.color };
    for diagnostic in diagnostics {
        printer.diagnostic(diagnostic);
    }
    printer.out
}

/// Maximum length of a printed line; longer ones are cut around the location.
const WIDTH: usize = 140;

struct Printer<'a> {
    out: String,
    text: &'a str,
    places: Positions<'a>,
    file: &'a str,
    color: bool,
}

const RED: &str = "\u{1b}[1;31m";
const YELLOW: &str = "\u{1b}[1;33m";
const BLUE: &str = "\u{1b}[1;34m";
const BOLD: &str = "\u{1b}[1m";
const RESET: &str = "\u{1b}[0m";

impl Printer<'_> {
    fn paint(&mut self, color: &str, text: &str) {
        if self.color {
            self.out.push_str(color);
        }
        self.out.push_str(text);
        if self.color {
            self.out.push_str(RESET);
        }
    }

    fn diagnostic(&mut self, diagnostic: &Diagnostic) {
        let color = if diagnostic.severity == Severity::Error { RED } else { YELLOW };
        self.paint(color, &format!("{}[{}]", diagnostic.severity.name(), diagnostic.code.name));
        self.paint(BOLD, &format!(": {}", diagnostic.message));
        self.out.push('\n');
        let lines = [diagnostic.span].into_iter().chain(diagnostic.labels.iter().map(|label| label.span)).flatten();
        let last = lines.map(|span| self.places.at(span.start).line).max().unwrap_or(0);
        let gutter = last.to_string().len();
        match diagnostic.span {
            Some(span) => {
                let place = self.places.at(span.start);
                self.margin(gutter, "-->");
                self.out.push_str(&format!(" {}:{}:{}\n", self.file, place.line, place.column));
                self.excerpt(gutter, span, '^', color, "");
            }
            None => {
                self.margin(gutter, "-->");
                let pointer = if diagnostic.pointer.as_str().is_empty() { "/" } else { diagnostic.pointer.as_str() };
                self.out.push_str(&format!(" {}: {pointer}\n", self.file));
            }
        }
        for label in &diagnostic.labels {
            match label.span {
                Some(span) => self.excerpt(gutter, span, '-', BLUE, &label.message),
                None => self.note(gutter, "note", &format!("{} ({})", label.message, label.pointer)),
            }
        }
        if let Some(help) = &diagnostic.help {
            self.note(gutter, "help", help);
        }
        if let Some(fix) = &diagnostic.fix {
            self.note(gutter, "help", &fix.title);
        }
        self.out.push('\n');
    }

    fn margin(&mut self, gutter: usize, mark: &str) {
        self.out.push_str(&" ".repeat(gutter));
        self.paint(BLUE, mark);
    }

    fn note(&mut self, gutter: usize, kind: &str, text: &str) {
        self.out.push_str(&" ".repeat(gutter + 1));
        self.paint(BLUE, "=");
        self.out.push(' ');
        self.paint(BOLD, kind);
        self.out.push_str(&format!(": {text}\n"));
    }

    /// Prints the line on which a span starts, with an underline.
    fn excerpt(&mut self, gutter: usize, span: Span, mark: char, color: &str, message: &str) {
        let place = self.places.at(span.start);
        let start = floor_boundary(self.text, span.start);
        // Of a long line (minified JSON) only the part that is shown is scanned.
        let before = floor_boundary(self.text, start.saturating_sub(WIDTH + 1));
        let after = floor_boundary(self.text, start + WIDTH + 4);
        let line_start = self.text[before..start].rfind('\n').map_or(before, |i| before + i + 1);
        let line_end = self.text[start..after].find(['\n', '\r']).map_or(after, |i| start + i);
        let end = floor_boundary(self.text, span.end.clamp(start, line_end));
        // The line is cut to a window around the location.
        let mut from = line_start;
        let mut to = line_end;
        if line_end - line_start > WIDTH {
            from = floor_boundary(self.text, start.saturating_sub(WIDTH / 3).max(line_start));
            to = floor_boundary(self.text, (from + WIDTH).min(line_end));
        }
        // The window must not begin between a character and a mark that combines with it.
        while from > line_start && self.text[from..].chars().next().is_some_and(|c| width(c) == 0) {
            from = floor_boundary(self.text, from - 1);
        }
        let lead = if from > line_start { "… " } else { "" };
        let trail = if to < line_end { " …" } else { "" };
        // A tab takes one column, so that the carets are aligned. Control characters are replaced, so that a file cannot
        // control the terminal.
        let visible = |c: char| {
            if c == '\t' {
                ' '
            } else if c.is_control() {
                '\u{fffd}'
            } else {
                c
            }
        };
        let shown: String = self.text[from..to].chars().map(visible).collect();
        self.margin(gutter + 1, "|");
        self.out.push('\n');
        self.paint(BLUE, &format!("{:>gutter$} | ", place.line));
        self.out.push_str(&format!("{lead}{shown}{trail}\n"));
        self.margin(gutter + 1, "| ");
        let indent = columns(lead) + columns(&self.text[from..start]);
        let length = columns(&self.text[start..end.min(to).max(start)]).max(1);
        self.out.push_str(&" ".repeat(indent));
        let mut underline: String = std::iter::repeat_n(mark, length).collect();
        if !message.is_empty() {
            underline.push(' ');
            underline.push_str(message);
        }
        self.paint(color, &underline);
        self.out.push('\n');
    }
}

fn floor_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
