//! Language features for editors, as JSON text. All offsets are in UTF-16 units, like in JavaScript and in editors.

use super::definition::compile;
use super::error::{not_json, thrown};
use super::options::{CompileSettings, from_js};
use crate::asl::language::edit::{self, Mark, Refused};
use crate::asl::language::{self, CodeAction, Edit};
use crate::base::span::{Span, byte_offset};
use crate::base::{Map, Value};
use crate::expr::path::Path;
use crate::expr::syntax::{self, Part};
use std::cell::Cell;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

/// Converts bytes to units: in ASCII they are equal, otherwise it counts from the last converted offset.
struct Units<'a> {
    text: &'a str,
    ascii: bool,
    last: Cell<(usize, usize)>,
}

impl<'a> Units<'a> {
    fn of(text: &'a str) -> Units<'a> {
        Units { text, ascii: text.is_ascii(), last: Cell::new((0, 0)) }
    }

    fn at(&self, byte: usize) -> Value {
        if self.ascii {
            return Value::from(byte as i64);
        }
        let (from, units) = Some(self.last.get()).filter(|(last, _)| *last <= byte).unwrap_or((0, 0));
        let more: usize = self.text.get(from..byte).unwrap_or_default().chars().map(char::len_utf16).sum();
        self.last.set((byte, units + more));
        Value::from((units + more) as i64)
    }

    fn put(&self, out: &mut Map, span: Span) {
        out.insert("start", self.at(span.start));
        out.insert("end", self.at(span.end));
    }

    fn span(&self, span: Span) -> Value {
        let mut out = Map::new();
        self.put(&mut out, span);
        out.into()
    }

    fn edits(&self, edits: &[Edit]) -> Value {
        let edit = |edit: &Edit| {
            let mut out = Map::new();
            self.put(&mut out, edit.span);
            out.insert("text", edit.text.as_str());
            Value::from(out)
        };
        edits.iter().map(edit).collect::<Vec<_>>().into()
    }

    // Recursion is bounded by the parsers of expressions.
    fn part(&self, part: &Part) -> Value {
        let mut out = Map::new();
        out.insert("kind", part.kind);
        self.put(&mut out, part.span);
        if part.value != Value::Null || part.kind == "literal" {
            out.insert("value", part.value.clone());
        }
        if !part.parts.is_empty() {
            let mut parts = Vec::new();
            for part in &part.parts {
                parts.push(self.part(part));
            }
            out.insert("parts", parts);
        }
        if let Some(gives) = part.gives {
            out.insert("takes", part.takes.iter().map(|kind| Value::from(*kind)).collect::<Vec<_>>());
            out.insert("gives", gives);
        }
        out.into()
    }

    fn action(&self, action: &CodeAction) -> Value {
        let mut out = Map::new();
        out.insert("title", action.title.as_str());
        if let Some((code, span)) = action.problem {
            let mut problem = Map::new();
            problem.insert("code", code);
            self.put(&mut problem, span);
            out.insert("problem", problem);
        }
        out.insert("edits", self.edits(&action.edits));
        out.into()
    }
}

fn json(value: Option<impl Into<Value>>) -> String {
    value.map_or(Value::Null, Into::into).to_string()
}

/// Explains what is at an offset: `{start, end, kind, title, text, state?, path?, field?}` or `null`.
#[wasm_bindgen]
pub fn hover(text: &str, offset: usize) -> String {
    let units = Units::of(text);
    json(language::hover(text, byte_offset(text, offset)).map(|found| {
        let mut out = Map::new();
        units.put(&mut out, found.span);
        out.insert("kind", found.kind);
        out.insert("title", found.title);
        out.insert("text", found.text);
        for (name, given) in [("state", found.state), ("path", found.path), ("field", found.field)] {
            if let Some(given) = given {
                out.insert(name, given);
            }
        }
        out
    }))
}

/// Returns all occurrences of the name at an offset: `{start, end, kind, name, places: [{start, end, definition}]}` or `null`.
#[wasm_bindgen]
pub fn references(text: &str, offset: usize) -> String {
    let units = Units::of(text);
    json(language::references(text, byte_offset(text, offset)).map(|found| {
        let mut out = Map::new();
        units.put(&mut out, found.origin);
        out.insert("kind", found.kind);
        out.insert("name", found.name);
        let place = |place: &language::Target| {
            let mut out = Map::new();
            units.put(&mut out, place.span);
            out.insert("definition", place.definition);
            Value::from(out)
        };
        out.insert("places", found.places.iter().map(place).collect::<Vec<_>>());
        out
    }))
}

/// Returns the definitions of the name at an offset: `{start, end, targets: [{start, end}]}` or `null`.
#[wasm_bindgen]
pub fn definition(text: &str, offset: usize) -> String {
    let units = Units::of(text);
    json(language::definition(text, byte_offset(text, offset)).map(|(origin, targets)| {
        let mut out = Map::new();
        units.put(&mut out, origin);
        out.insert("targets", targets.into_iter().map(|span| units.span(span)).collect::<Vec<_>>());
        out
    }))
}

/// Returns the edits that rename the name at an offset: `{edits}` or `{refused}`.
#[wasm_bindgen]
pub fn rename(text: &str, offset: usize, to: &str) -> String {
    let mut out = Map::new();
    match language::rename(text, byte_offset(text, offset), to) {
        Ok(edits) => out.insert("edits", Units::of(text).edits(&edits)),
        Err(why) => out.insert("refused", why),
    };
    json(Some(out))
}

/// Returns the code actions between two offsets: `[{title, problem?: {code, start, end}, edits}]`.
#[wasm_bindgen(js_name = codeActions)]
pub fn code_actions(text: &str, start: usize, end: usize, options: JsValue) -> Result<String, JsValue> {
    let known = compile(text, options)?;
    let units = Units::of(text);
    let range = Span::new(byte_offset(text, start), byte_offset(text, end));
    let found = language::code_actions(text, range, &known.diagnostics);
    Ok(json(Some(found.iter().map(|action| units.action(action)).collect::<Vec<_>>())))
}

/// Returns the edits that format a text: `[{start, end, text}]`.
#[wasm_bindgen]
pub fn format(text: &str, indent: usize) -> String {
    Units::of(text).edits(&language::format(text, indent)).to_string()
}

/// Returns the states of a text: `[{name, start, end, from, to, depth, pointer}]`, where `start` and `end` are those of the
/// name.
#[wasm_bindgen]
pub fn outline(text: &str) -> String {
    let units = Units::of(text);
    let state = |state: language::OutlineState| {
        let mut out = Map::new();
        out.insert("name", state.name);
        units.put(&mut out, state.key);
        out.insert("from", units.at(state.whole.start));
        out.insert("to", units.at(state.whole.end));
        out.insert("depth", state.depth as i64);
        out.insert("pointer", state.pointer);
        Value::from(out)
    };
    json(Some(language::outline(text).into_iter().map(state).collect::<Vec<_>>()))
}

/// Returns the occurrences of the names of states and variables: `[{start, end, kind, name, definition}]`.
#[wasm_bindgen]
pub fn symbols(text: &str) -> String {
    let units = Units::of(text);
    let symbol = |found: language::Symbol| {
        let mut out = Map::new();
        units.put(&mut out, found.span);
        out.insert("kind", found.kind);
        out.insert("name", found.name);
        out.insert("definition", found.definition);
        Value::from(out)
    };
    json(Some(language::symbols(text).into_iter().map(symbol).collect::<Vec<_>>()))
}

/// Returns the expressions of a state, or of all: `[{start, end, field, source, language}]`.
#[wasm_bindgen]
pub fn expressions(text: &str, state: Option<String>) -> String {
    let units = Units::of(text);
    let expression = |found: language::Expression| {
        let mut out = Map::new();
        units.put(&mut out, found.span);
        out.insert("field", found.field);
        out.insert("source", found.source);
        out.insert("language", if found.jsonata { "jsonata" } else { "jsonpath" });
        Value::from(out)
    };
    json(Some(language::expressions(text, state.as_deref()).into_iter().map(expression).collect::<Vec<_>>()))
}

/// Returns the parts of an expression: `{kind, start, end, value?, parts?, takes?, gives?}`, or `{message, offset}` if it
/// cannot be parsed.
#[wasm_bindgen]
pub fn syntax(text: &str, jsonata: bool) -> String {
    let units = Units::of(text);
    let read = if jsonata { syntax::jsonata(text).map_err(Into::into) } else { syntax::jsonpath(text) };
    let out = match read {
        Ok(part) => units.part(&part),
        Err(error) => {
            let mut out = Map::new();
            out.insert("message", error.message);
            out.insert("offset", units.at(error.offset));
            out.into()
        }
    };
    out.to_string()
}

/// Returns the locations that a path selects in a value, which is JSON text: `{places, shape}`; `null` if the path ends with a
/// function. Throws `{code, message}` for a text that is not a path.
#[wasm_bindgen]
pub fn select(path: &str, value: &str) -> Result<String, JsValue> {
    let path = Path::parse(path).map_err(|error| thrown("INVALID_ARGUMENT", error))?;
    let value = crate::base::json::parse(value).map_err(|error| not_json(&error))?;
    let Some(found) = path.select(&value) else { return Ok("null".into()) };
    let mut places = Vec::new();
    for place in found.places {
        places.push(Value::from(place));
    }
    let mut out = Map::new();
    out.insert("places", places);
    out.insert("shape", found.shape.name());
    Ok(Value::from(out).to_string())
}

/// Returns the edits of a gesture on the graph: `{edits, changes, text, select, caret, stops, announce, losses, introduces,
/// asl?}` or `{refused}`. Without `problems`, `introduces` is empty, because the text is not compiled.
#[wasm_bindgen]
pub fn edit(text: &str, gesture: &str, options: JsValue, problems: bool) -> Result<String, JsValue> {
    let options = from_js::<CompileSettings>(options)?.compile_options();
    let gesture = crate::base::json::parse(gesture).unwrap_or_default();
    let mut out = Map::new();
    let made = if problems { edit::edit(text, &gesture, &options) } else { edit::edit_only(text, &gesture) };
    match made {
        Err(refused) => drop(out.insert("refused", refusal(*refused))),
        Ok(edited) => {
            out.insert("edits", Units::of(text).edits(&edited.edits));
            out.insert("changes", edited.changes);
            let units = Units::of(&edited.text);
            let mark = |mark: &Mark| {
                let mut out = Map::new();
                units.put(&mut out, mark.span);
                out.insert("pointer", mark.pointer.as_str());
                out.insert("key", mark.key);
                if let Some(part) = &mark.part {
                    out.insert("part", part.as_str());
                }
                Value::from(out)
            };
            out.insert("caret", mark(&edited.caret));
            out.insert("stops", edited.stops.iter().map(mark).collect::<Vec<_>>());
            out.insert("select", edited.select.into_iter().map(Value::from).collect::<Vec<_>>());
            out.insert("announce", edited.announce);
            let loss =
                |(pointer, message): &(String, String)| object(&[("pointer", pointer.as_str()), ("message", message.as_str())]);
            out.insert("losses", edited.losses.iter().map(loss).collect::<Vec<_>>());
            let problem = |one: &edit::Introduced| {
                object(&[
                    ("code", one.code),
                    ("severity", one.severity.name()),
                    ("pointer", one.pointer.as_str()),
                    ("message", one.message.as_str()),
                ])
            };
            out.insert("introduces", edited.introduces.iter().map(problem).collect::<Vec<_>>());
            if let Some(asl) = edited.asl {
                out.insert("asl", asl);
            }
        }
    }
    Ok(json(Some(out)))
}

/// Returns the gestures that are offered at the locations in a JSON list: `[{kind, as?, edge?, refused?, targets?, types?}]`.
#[wasm_bindgen]
pub fn gestures(text: &str, places: &str) -> String {
    let possible = |one: edit::Possible| match (one.about, one.refused) {
        (Value::Object(about), Some(refused)) => {
            let mut about = (*about).clone();
            about.insert("refused", refusal(*refused));
            Value::from(about)
        }
        (about, _) => about,
    };
    json(Some(edit::gestures(text, &texts(places)).into_iter().map(possible).collect::<Vec<_>>()))
}

fn texts(list: &str) -> Vec<String> {
    let list = crate::base::json::parse(list).unwrap_or_default();
    list.as_array().unwrap_or_default().iter().filter_map(|text| Some(text.as_str()?.to_string())).collect()
}

fn object(members: &[(&str, &str)]) -> Value {
    let mut out = Map::new();
    for (name, value) in members {
        out.insert(*name, *value);
    }
    out.into()
}

fn refusal(refused: Refused) -> Value {
    let mut out = Map::new();
    out.insert("code", refused.code);
    out.insert("message", refused.message);
    if !refused.choices.is_empty() {
        let choice = |(to, name): (Option<String>, String)| {
            let mut out = Map::new();
            out.insert("to", to.map_or(Value::Null, Value::from));
            out.insert("name", name);
            Value::from(out)
        };
        out.insert("choices", refused.choices.into_iter().map(choice).collect::<Vec<_>>());
    }
    out.into()
}
