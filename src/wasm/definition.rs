//! Definitions: validates, compiles and draws them.

use super::convert::{self, diagnostics_text, parsed};
use super::engine::millis;
use super::error::{not_json, thrown, thrown_with};
use super::options::{CompileSettings, EngineSettings, ExecutionSettings, from_js};
use crate::asl::variables::variable_references;
use crate::asl::{self, CompileOptions, Compiled, ir};
use crate::base::diag::{self, Code, Diagnostic, Severity, Style};
use crate::base::span::byte_offset;
use crate::base::{Map, Pointer, Span, Value, json, sort};
use crate::engine::SNAPSHOT_DEPTH;
use crate::graph::{self, LayoutOptions, SvgOptions};
use crate::sim;
use js_sys::Function;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

/// A text and the result of its compilation.
pub(super) struct CompiledText {
    text: String,
    options: CompileOptions,
    machine: Option<Arc<ir::Machine>>,
    pub(super) diagnostics: Rc<Vec<Diagnostic>>,
}

thread_local! {
    /// The last compiled text. A text that was validated is often asked for its fixes, drawn and run next.
    static LAST: RefCell<Option<Rc<CompiledText>>> = const { RefCell::new(None) };
}

pub(super) fn compile(text: &str, options: JsValue) -> Result<Rc<CompiledText>, JsValue> {
    let options = from_js::<CompileSettings>(options)?.compile_options();
    let last = LAST.take().filter(|known| known.options == options && known.text == text);
    let known = last.unwrap_or_else(|| {
        let Compiled { machine, diagnostics } = asl::compile(text, &options);
        Rc::new(CompiledText { text: text.to_owned(), options, machine: machine.map(Arc::new), diagnostics: diagnostics.into() })
    });
    LAST.set(Some(known.clone()));
    Ok(known)
}

/// Returns all problems of a definition as an array, which is empty if there are none.
#[wasm_bindgen]
pub fn validate(text: &str, options: JsValue) -> Result<JsValue, JsValue> {
    let known = compile(text, options)?;
    Ok(parsed(&diagnostics_text(&known.diagnostics, text)))
}

/// Returns all problems of a definition as a compiler prints them.
#[wasm_bindgen(js_name = renderDiagnostics)]
pub fn render_diagnostics(text: &str, file: &str, options: JsValue, color: bool) -> Result<String, JsValue> {
    let known = compile(text, options)?;
    Ok(diag::render(&known.diagnostics, text, file, Style { color }))
}

/// The diagnostic for a `${Name}` without a value, in the text from which a definition was made.
static PLACEHOLDER: Code = Code { name: "placeholder", severity: Severity::Warning, title: "A placeholder without a value" };

/// In `places`: the location is unknown.
const NOWHERE: u32 = u32::MAX;
/// In `places`: this diagnostic is not printed.
const LEFT_OUT: u32 = u32::MAX - 1;
/// In `places`: placeholders from here on are errors.
const STRICT: u32 = u32::MAX - 2;

/// Renders the problems of a definition that was written in another format, or with placeholders. `text` is its JSON, and
/// locations are shown in `source`. For each diagnostic, and after it for each of its labels, `places` has the first byte in
/// `source` and the one after the last, or one of the marks above and any number. If `help` says how placeholders get a value,
/// further locations are those of placeholders without a value, and everything is printed in the order of its location.
#[wasm_bindgen(js_name = renderDiagnosticsIn)]
pub fn render_diagnostics_in(
    source: &str,
    places: &[u32],
    help: Option<String>,
    text: &str,
    file: &str,
    options: JsValue,
    color: bool,
) -> Result<String, JsValue> {
    // The text is compiled again, because the diagnostics are changed here.
    let Compiled { mut diagnostics, .. } = asl::compile(text, &from_js::<CompileSettings>(options)?.compile_options());
    let mut places = places.chunks_exact(2).map(|place| match place {
        [start, end] => (*start, Span::new(*start as usize, *end as usize)),
        _ => (NOWHERE, Span::new(0, 0)),
    });
    let mut next = || places.next().filter(|(mark, _)| *mark != NOWHERE);
    diagnostics.retain_mut(|diagnostic| {
        let place = next();
        for label in &mut diagnostic.labels {
            label.span = next().map(|(_, span)| span);
        }
        diagnostic.span = place.map(|(_, span)| span);
        place.is_none_or(|(mark, _)| mark != LEFT_OUT)
    });
    if let Some(help) = help {
        let mut severity = PLACEHOLDER.severity;
        for (mark, span) in places {
            if mark == STRICT {
                severity = Severity::Error;
                continue;
            }
            let name = source.get(span.start + 2..span.end.saturating_sub(1)).unwrap_or_default().trim();
            let mut open = Diagnostic::new(&PLACEHOLDER, Pointer::default(), format!("the placeholder `${{{name}}}` has no value"));
            open.severity = severity;
            open.span = Some(span);
            open.help = Some(help.clone());
            diagnostics.push(open);
        }
        sort::by_key(&mut diagnostics, |diagnostic| diagnostic.span.map_or(0, |span| span.start));
    }
    Ok(diag::render(&diagnostics, source, file, Style { color }))
}

/// Returns the graph of a definition with all positions and sizes, as JSON text, even if the definition has errors.
#[wasm_bindgen]
pub fn layout(text: &str, options: JsValue) -> Result<String, JsValue> {
    Ok(graph::layout(&parse(text)?, &from_js::<LayoutOptions>(options)?).to_json())
}

/// Returns the graph of a definition as an SVG document.
#[wasm_bindgen(js_name = renderSvg)]
pub fn render_svg(text: &str, layout: JsValue, options: JsValue) -> Result<String, JsValue> {
    let graph = graph::layout(&parse(text)?, &from_js::<LayoutOptions>(layout)?);
    Ok(graph::render_svg(&graph, &from_js::<SvgOptions>(options)?))
}

/// Returns the graph of a definition as the text of a Mermaid `stateDiagram-v2`.
#[wasm_bindgen(js_name = renderMermaid)]
pub fn render_mermaid(text: &str, options: JsValue) -> Result<String, JsValue> {
    let options = from_js::<LayoutOptions>(options)?;
    Ok(graph::to_mermaid(&parse(text)?, options.direction))
}

/// Calls TestState, with the request and the response as JSON text. Throws `{code, message, mockProblem?}` if the API would refuse
/// the request. `model` returns the JSON text of the shape of a service's response, by service and action.
#[wasm_bindgen(js_name = testState)]
pub fn test_state(request: &str, seed: u64, now: f64, model: Option<Function>) -> Result<String, JsValue> {
    let mut shape = |service: &str, action: &str| {
        let text = model.as_ref()?.call2(&JsValue::NULL, &service.into(), &action.into()).ok()?.as_string()?;
        json::parse_within(&text, SNAPSHOT_DEPTH).ok()
    };
    // Payloads are two levels deep in the request.
    let request = json::parse_within(request, json::MAX_DEPTH + 2).map_err(|error| not_json(&error))?;
    let response = sim::test_state_with(&request, seed, millis(now), &mut shape);
    let response = response.map_err(|refused| match refused.mock_problem {
        Some(problem) => thrown_with(refused.code, refused.message, "mockProblem", &problem),
        None => thrown(refused.code, refused.message),
    })?;
    Ok(json::to_string(&response))
}

/// Runs a recorded execution again. It takes the definition's and the history's texts, and returns the report as JSON text,
/// with the replay's own events in `history`. Throws `{code: "DEFINITION", diagnostics}` or `{code: "NOT_A_HISTORY", message}`.
#[wasm_bindgen(js_name = replayHistory)]
pub fn replay_history(
    text: &str,
    history: &str,
    options: JsValue,
    settings: JsValue,
    execution: JsValue,
    seed: u64,
) -> Result<String, JsValue> {
    let known = compile(text, options)?;
    let Some(machine) = &known.machine else { return Err(refused(&known.diagnostics, text)) };
    let mut replay = sim::ReplayOptions { engine: from_js::<EngineSettings>(settings)?.options(), seed, ..Default::default() };
    if !execution.is_undefined() {
        replay.execution = from_js::<ExecutionSettings>(execution)?.info_or(replay.execution);
    }
    let history = json::parse_within(history, SNAPSHOT_DEPTH).map_err(|error| thrown("NOT_A_HISTORY", error))?;
    let report = sim::replay_history((**machine).clone(), &parse(text)?, &history, &replay);
    let mut report = report.map_err(|error| thrown("NOT_A_HISTORY", error))?;
    let mut out = report.to_value().to_string();
    // Invariant: a report is an object with members.
    out.pop();
    out.push_str(",\"history\":");
    out.push_str(&report.engine.history_json(0));
    if replay.engine.trace {
        out.push_str(",\"trace\":");
        out.push_str(&convert::trace_text(&report.engine.take_trace()));
    }
    out.push('}');
    Ok(out)
}

/// Returns the completions at an offset of a definition's text, in UTF-16 units: `{replace, items, reads?}` as JSON text.
#[wasm_bindgen]
pub fn complete(text: &str, offset: usize) -> String {
    convert::completions_text(&asl::complete::complete(text, byte_offset(text, offset)), text)
}

fn parse(text: &str) -> Result<Value, JsValue> {
    json::parse(text).map_err(|error| not_json(&error))
}

/// A compiled machine.
#[wasm_bindgen]
pub struct Machine {
    machine: Arc<ir::Machine>,
    /// The warnings. They are converted only when they are requested, because creating thousands of objects takes longer than
    /// compiling.
    diagnostics: Rc<Vec<Diagnostic>>,
}

impl Machine {
    pub(super) fn shared(&self) -> Arc<ir::Machine> {
        self.machine.clone()
    }
}

fn refused(diagnostics: &[Diagnostic], text: &str) -> JsValue {
    parsed(&format!("{{\"code\":\"DEFINITION\",\"diagnostics\":{}}}", diagnostics_text(diagnostics, text)))
}

#[wasm_bindgen]
impl Machine {
    /// Compiles a definition. Throws `{code: "DEFINITION", diagnostics}` if it has errors.
    pub fn compile(text: &str, options: JsValue) -> Result<Machine, JsValue> {
        let known = compile(text, options)?;
        match &known.machine {
            Some(machine) => Ok(Machine { machine: machine.clone(), diagnostics: known.diagnostics.clone() }),
            None => Err(refused(&known.diagnostics, text)),
        }
    }

    /// Identifies this definition: a snapshot can only be restored with a machine of the same digest.
    #[wasm_bindgen(getter)]
    pub fn digest(&self) -> String {
        format!("{:016x}", self.machine.digest)
    }

    /// Returns `{state, resource}` of a state that Invoke commands identify by its number, as JSON text. Only a Task has a
    /// resource.
    #[wasm_bindgen(js_name = taskOf)]
    pub fn task_of(&self, state: u32) -> String {
        convert::task_text(&self.machine, ir::StateId(state))
    }

    /// Returns the warnings in the form of [`validate`]. `text` is the text that was compiled.
    pub fn diagnostics(&self, text: &str) -> JsValue {
        parsed(&diagnostics_text(&self.diagnostics, text))
    }
    /// Returns the variables that each state reads, as the JSON text of an object.
    #[wasm_bindgen(js_name = variableReferences)]
    pub fn variable_references(&self) -> String {
        let states = variable_references(&self.machine).into_iter();
        let lists = states.map(|(state, names)| (state, Value::from(names.into_iter().map(Value::from).collect::<Vec<_>>())));
        Value::from(lists.collect::<Map>()).to_string()
    }
}
