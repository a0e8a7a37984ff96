//! Options from JavaScript: objects whose members may be missing but must be of the right type.
//!
//! They cross as JSON text and are read by name. A deserializer of `serde` for each of the few structures would take twenty
//! kilobytes of WebAssembly, including error messages that nobody reads.

use super::error::thrown;
use crate::asl::{CompileOptions, JsonataVersion, MachineType};
use crate::base::{Map, Named, Value, json};
use crate::engine::{ExecutionInfo, HistoryLevel, Options, TokenKey};
use crate::graph::{ColumnBreak, Direction, LayoutOptions, Status, SvgOptions, TextWidths, Theme};
use wasm_bindgen::JsValue;

/// A structure that can be read from a JavaScript object.
pub(super) trait FromMembers: Default {
    /// Sets what the object has. The error says which member is of the wrong type.
    fn take(&mut self, from: &Members) -> Result<(), String>;
}

/// Reads a structure from a JavaScript object; `undefined` is the default. Throws `{code: "INVALID_OPTION", message}`.
pub(super) fn from_js<T: FromMembers>(value: JsValue) -> Result<T, JsValue> {
    let mut structure = T::default();
    if !value.is_undefined() && !value.is_null() {
        let taken = members(&value).and_then(|members| structure.take(&members));
        taken.map_err(|message| thrown("INVALID_OPTION", message))?;
    }
    Ok(structure)
}

fn members(value: &JsValue) -> Result<Members, String> {
    let text = js_sys::JSON::stringify(value).ok().and_then(|text| text.as_string());
    match text.and_then(|text| json::parse(&text).ok()) {
        Some(object @ Value::Object(_)) => Ok(Members(object)),
        _ => Err("the options must be an object that JSON can hold".into()),
    }
}

/// The members of such an object; a member that is `null` counts as missing.
pub(super) struct Members(Value);

impl Members {
    fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    /// Returns the member if it exists; an error if `read` does not accept it.
    fn read<'a, T>(&'a self, name: &str, expected: &str, read: impl Fn(&'a Value) -> Option<T>) -> Result<Option<T>, String> {
        let Some(value) = self.get(name) else { return Ok(None) };
        read(value).map(Some).ok_or_else(|| wrong(name, expected))
    }

    fn text(&self, name: &str) -> Result<Option<String>, String> {
        self.read(name, "a string", |value| value.as_str().map(str::to_owned))
    }

    fn flag(&self, name: &str) -> Result<bool, String> {
        Ok(self.read(name, "true or false", Value::as_bool)?.unwrap_or(false))
    }

    fn count(&self, name: &str) -> Result<Option<u32>, String> {
        self.read(name, "a whole number", |value| u32::try_from(value.as_i64()?).ok())
    }

    /// Returns the index of the member's value in a list of words.
    fn word(&self, name: &str, words: &[&str]) -> Result<usize, String> {
        let at = self.read(name, "", |value| words.iter().position(|word| value.as_str() == Some(word)));
        at.map(Option::unwrap_or_default).map_err(|_| wrong(name, &words.join(", ")))
    }

    fn texts(&self, name: &str) -> Result<Vec<String>, String> {
        let read = |value: &Value| value.as_array()?.iter().map(|item| item.as_str().map(str::to_owned)).collect();
        Ok(self.read(name, "a list of strings", read)?.unwrap_or_default())
    }

    fn widths(&self) -> Result<Option<TextWidths>, String> {
        let list =
            |value: &Value| value.as_array()?.iter().map(|item| u16::try_from(item.as_i64()?).ok()).collect::<Option<Vec<u16>>>();
        let read = |value: &Value| {
            let chars = value.get("chars")?.as_str()?.to_owned();
            Some(TextWidths { chars, name: list(value.get("name")?)?, text: list(value.get("text")?)? })
        };
        self.read("widths", "an object with chars, name and text", read)
    }

    fn breaks(&self) -> Result<Vec<ColumnBreak>, String> {
        let each = |value: &Value| {
            let id = |name| value.get(name)?.as_str().map(str::to_owned);
            Some(ColumnBreak { after: id("after")?, before: id("before")? })
        };
        let read = |value: &Value| value.as_array()?.iter().map(each).collect();
        Ok(self.read("breaks", "a list of objects with after and before", read)?.unwrap_or_default())
    }

    /// Returns the members of a member that is an object.
    fn each<T>(&self, name: &str, read: fn(&Value) -> Option<T>) -> Result<Option<Named<T>>, String> {
        let all = |map: &Map| map.entries().iter().map(|(name, value)| Some((name.clone(), read(value)?))).collect();
        self.read(name, "an object", |value| all(value.as_object()?))
    }
}

#[inline(never)]
fn wrong(name: &str, expected: &str) -> String {
    format!("{name} must be {expected}")
}

/// The settings of a compilation.
#[derive(Default)]
pub(super) struct CompileSettings {
    express: bool,
    newer_jsonata: bool,
}

impl CompileSettings {
    /// Converts them to the options of the compiler.
    pub(super) fn compile_options(&self) -> CompileOptions {
        CompileOptions {
            kind: if self.express { MachineType::Express } else { MachineType::Standard },
            jsonata: if self.newer_jsonata { JsonataVersion::Newer } else { JsonataVersion::Aws },
        }
    }
}

/// The limits of an execution; a missing one has AWS's value.
#[derive(Default)]
pub(super) struct EngineSettings {
    without_history: bool,
    payload_limit: Option<usize>,
    history_limit: Option<u32>,
    step_budget: Option<u32>,
    express: bool,
    trace: bool,
    child_histories: bool,
    external_children: bool,
    confirmed_activities: bool,
    once: bool,
}

impl EngineSettings {
    /// Whether each call does only one thing.
    pub(super) fn once(&self) -> bool {
        self.once
    }

    /// Converts them to the options of the engine.
    pub(super) fn options(&self) -> Options {
        let aws = Options::default();
        Options {
            history: if self.without_history { HistoryLevel::None } else { HistoryLevel::Full },
            payload_limit: self.payload_limit.unwrap_or(aws.payload_limit),
            history_limit: self.history_limit.unwrap_or(aws.history_limit),
            step_budget: self.step_budget.unwrap_or(aws.step_budget),
            express: self.express,
            trace: self.trace,
            child_histories: self.child_histories,
            external_children: self.external_children,
            confirmed_activities: self.confirmed_activities,
        }
    }
}

/// The names of an execution; a missing one gets a default.
#[derive(Default)]
pub(super) struct ExecutionSettings {
    name: Option<String>,
    arn: Option<String>,
    role_arn: Option<String>,
    state_machine_name: Option<String>,
    state_machine_arn: Option<String>,
    token_key: Option<TokenKey>,
}

impl ExecutionSettings {
    /// Converts them to the names of the engine.
    pub(super) fn info(self) -> ExecutionInfo {
        let machine = self.state_machine_name.as_deref().unwrap_or("StateMachine");
        let named = ExecutionInfo::named(machine, self.name.as_deref().unwrap_or("execution"));
        self.info_or(named)
    }

    /// Converts them to the names of the engine, with other defaults.
    pub(super) fn info_or(self, mut info: ExecutionInfo) -> ExecutionInfo {
        for (given, name) in [(self.name, &mut info.name), (self.state_machine_name, &mut info.state_machine_name)] {
            if let Some(given) = given {
                *name = given.into();
            }
        }
        for (given, name) in
            [(self.arn, &mut info.arn), (self.role_arn, &mut info.role_arn), (self.state_machine_arn, &mut info.state_machine_arn)]
        {
            if let Some(given) = given {
                *name = given.into();
            }
        }
        info.token_key = self.token_key.or(info.token_key);
        info
    }
}

impl FromMembers for CompileSettings {
    fn take(&mut self, from: &Members) -> Result<(), String> {
        self.express = from.word("type", &["STANDARD", "EXPRESS"])? == 1;
        self.newer_jsonata = from.word("jsonata", &["2.0.6", "2.1"])? == 1;
        Ok(())
    }
}

impl FromMembers for EngineSettings {
    fn take(&mut self, from: &Members) -> Result<(), String> {
        self.without_history = from.word("history", &["full", "none"])? == 1;
        self.payload_limit = from.count("payloadLimit")?.map(|count| count as usize);
        self.history_limit = from.count("historyLimit")?;
        self.step_budget = from.count("stepBudget")?;
        for (name, flag) in [
            ("express", &mut self.express),
            ("trace", &mut self.trace),
            ("childHistories", &mut self.child_histories),
            ("childrenApart", &mut self.external_children),
            ("confirmedActivities", &mut self.confirmed_activities),
            ("once", &mut self.once),
        ] {
            *flag = from.flag(name)?;
        }
        Ok(())
    }
}

impl FromMembers for ExecutionSettings {
    fn take(&mut self, from: &Members) -> Result<(), String> {
        for (name, text) in [
            ("name", &mut self.name),
            ("arn", &mut self.arn),
            ("roleArn", &mut self.role_arn),
            ("stateMachineName", &mut self.state_machine_name),
            ("stateMachineArn", &mut self.state_machine_arn),
        ] {
            *text = from.text(name)?;
        }
        self.token_key = from.read("tokenKey", "64 hexadecimal digits", |value| TokenKey::parse(value.as_str()?))?;
        Ok(())
    }
}

impl FromMembers for LayoutOptions {
    fn take(&mut self, from: &Members) -> Result<(), String> {
        self.direction = match from.word("direction", &["TB", "LR"])? {
            0 => Direction::TopToBottom,
            _ => Direction::LeftToRight,
        };
        self.collapsed = from.texts("collapsed")?;
        self.fold_large = from.flag("foldLarge")?;
        self.expanded = from.texts("expanded")?;
        self.selectors = from.flag("selectors")?;
        self.aspect = from.read("aspect", "a number above 0", |value| value.as_f64().filter(|aspect| *aspect > 0.0))?;
        self.breaks = from.breaks()?;
        self.widths = from.widths()?;
        Ok(())
    }
}

impl FromMembers for SvgOptions {
    fn take(&mut self, from: &Members) -> Result<(), String> {
        self.theme = match from.word("theme", &["auto", "light", "dark"])? {
            0 => Theme::Auto,
            1 => Theme::Light,
            _ => Theme::Dark,
        };
        self.title = from.text("title")?;
        self.background = from.read("background", "true or false", Value::as_bool)?.unwrap_or(true);
        if let Some(prefix) = from.text("prefix")? {
            self.prefix = prefix;
        }
        self.status = from.each("status", |value| Status::named(value.as_str()?))?.unwrap_or_default();
        self.taken = from.each("taken", |value| u32::try_from(value.as_i64()?).ok())?;
        self.widths = from.widths()?;
        self.notes = from.each("notes", |value| value.as_str().map(str::to_owned))?.unwrap_or_default();
        Ok(())
    }
}
