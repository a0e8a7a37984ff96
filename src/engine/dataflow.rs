//! Evaluates the fields of a state (paths, templates, expressions) and words the errors in them.

use super::fault::{Fault, QUERY_EVALUATION, REFERENCE_PATH_CONFLICT, RUNTIME};
use super::limits::LONGEST_TIMEOUT;
use super::work::{EXPRESSION, Work};
use crate::asl::ir::{Field, JsonataTemplate, PathField, Payload, ResultPath};
use crate::base::{Map, Millis, Number, Rng, Value, decimal};
use crate::expr::jsonata::Expression;
use crate::expr::path::{Missing, Path};
use crate::expr::template::Template;
use crate::expr::{Env, Scope};
use std::cell::OnceCell;
use std::fmt;
use std::sync::Arc;

/// The data that the fields of a state can read.
pub(super) struct View<'a> {
    /// `$`, `$states.input`
    pub(super) input: &'a Value,
    /// `$states.result`
    pub(super) result: Option<&'a Value>,
    /// `$states.errorOutput`
    pub(super) error_output: Option<&'a Value>,
    /// `$$`, `$states.context`
    pub(super) context: &'a Value,
    /// `$name`
    pub(super) variables: &'a Map,
    /// `$states`, built when it is first read.
    states: OnceCell<Value>,
}

impl<'a> View<'a> {
    pub(super) fn new(input: &'a Value, context: &'a Value, variables: &'a Map) -> View<'a> {
        View { input, result: None, error_output: None, context, variables, states: OnceCell::new() }
    }

    pub(super) fn with_result(self, result: &'a Value) -> View<'a> {
        View { result: Some(result), states: OnceCell::new(), ..self }
    }

    pub(super) fn with_error(self, error_output: &'a Value) -> View<'a> {
        View { error_output: Some(error_output), states: OnceCell::new(), ..self }
    }

    /// Returns the same view with another `$`.
    pub(super) fn on(&self, input: &'a Value) -> View<'a> {
        View {
            input,
            result: self.result,
            error_output: self.error_output,
            context: self.context,
            variables: self.variables,
            states: OnceCell::new(),
        }
    }

    fn scope(&self) -> Scope<'_> {
        Scope { input: self.input, context: self.context, variables: self.variables }
    }

    fn states(&self) -> Value {
        self.states
            .get_or_init(|| {
                let mut map = Map::with_capacity(4);
                map.insert("input", self.input.clone());
                if let Some(result) = self.result {
                    map.insert("result", result.clone());
                }
                if let Some(error) = self.error_output {
                    map.insert("errorOutput", error.clone());
                }
                map.insert("context", self.context.clone());
                Value::from(map)
            })
            .clone()
    }
}

/// The location of an expression in a state. It becomes text only in a cause, because most expressions have no errors.
enum Place<'a> {
    Field(&'a str),
    Item(&'a Place<'a>, usize),
    Member(&'a Place<'a>, &'a str),
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Field(field) => f.write_str(field),
            Place::Item(inside, index) => write!(f, "{inside}[{index}]"),
            Place::Member(inside, name) => write!(f, "{inside}/{name}"),
        }
    }
}

impl Place<'_> {
    /// Returns the JSON Pointer from the state.
    fn pointer(&self) -> String {
        match self {
            Place::Field(field) => field_pointer(field),
            Place::Item(inside, index) => format!("{}/{index}", inside.pointer()),
            Place::Member(inside, name) => format!("{}/{}", inside.pointer(), name.replace('~', "~0").replace('/', "~1")),
        }
    }
}

/// Returns the JSON Pointer of a field whose name the engine writes: `Catch[0]/Output` is `/Catch/0/Output`.
fn field_pointer(field: &str) -> String {
    format!("/{}", field.replace('[', "/").replace(']', ""))
}

/// Evaluates the fields of one state.
pub(super) struct Eval<'a> {
    pub(super) rng: &'a mut Rng,
    /// The work budget that the expressions of the state have left.
    pub(super) work: &'a Work,
    pub(super) now: Millis,
    /// The state's name and the id of its Entered event, for causes.
    pub(super) state: &'a str,
    pub(super) entered: u64,
}

impl Eval<'_> {
    /// A States.Runtime error of this state.
    pub(super) fn runtime(&self, cause: &str) -> Fault {
        Fault::of_state(RUNTIME, self.state, self.entered, cause)
    }

    /// A States.QueryEvaluationError of this state, in a field.
    pub(super) fn query(&self, location: &str, cause: &str) -> Fault {
        let fault = Fault { location: Some(location.into()), ..Fault::of_state(QUERY_EVALUATION, self.state, self.entered, cause) };
        fault.within((!location.is_empty()).then(|| field_pointer(location)), None)
    }

    fn env(&mut self) -> Env<'_> {
        Env { now: self.now, rng: self.rng }
    }

    /// Evaluates InputPath or OutputPath.
    pub(super) fn path_field(&self, field: &PathField, view: &View<'_>) -> Result<Value, Fault> {
        match field {
            PathField::Whole => Ok(view.input.clone()),
            PathField::Nothing => Ok(Value::empty_object()),
            PathField::Path(path) => self.path(path, view),
        }
    }

    /// Evaluates a path of a field for which AWS uses the same words as for InputPath.
    pub(super) fn path(&self, path: &Path, view: &View<'_>) -> Result<Value, Fault> {
        self.select(path, view, |missing| format!("Invalid path '{}' : {missing}", path.text()))
    }

    /// Returns the value that a path selects; `None` if there is none. An input that is null is an error.
    pub(super) fn lookup(&self, path: &Path, view: &View<'_>) -> Result<Option<Value>, Fault> {
        match self.work.pay(|fuel| path.eval_with_fuel(&view.scope(), fuel)) {
            Err(missing) if missing.is_null_input() => Err(self.runtime(&missing.to_string())),
            found => Ok(found.ok()),
        }
    }

    /// Works as [`Eval::lookup`] but also accepts a null input: `$` selects it, and any other path selects nothing.
    pub(super) fn lookup_anything(&self, path: &Path, view: &View<'_>) -> Option<Value> {
        match self.work.pay(|fuel| path.eval_with_fuel(&view.scope(), fuel)) {
            Err(missing) if missing.is_null_input() && path.is_root() => Some(Value::Null),
            found => found.ok(),
        }
    }

    /// Returns the value that a path selects. `cause` words the error of the field if the value is missing. The cause for a
    /// null input is the same for all fields.
    fn select(&self, path: &Path, view: &View<'_>, cause: impl FnOnce(Missing) -> String) -> Result<Value, Fault> {
        self.work.pay(|fuel| path.eval_with_fuel(&view.scope(), fuel)).map_err(|missing| {
            let null_input = missing.is_null_input();
            self.runtime(&if null_input { missing.to_string() } else { cause(missing) }).within(None, Some(path.text()))
        })
    }

    /// Evaluates a payload template of a JSONPath state.
    pub(super) fn template(&mut self, template: &Template, view: &View<'_>) -> Result<Value, Fault> {
        let scope = view.scope();
        let work = self.work;
        let result = work.pay(|fuel| template.eval_with_fuel(&scope, &mut self.env(), fuel));
        result.map_err(|error| self.runtime(&error.cause))
    }

    /// Evaluates a payload in either language. `field` is its name in causes.
    pub(super) fn payload(&mut self, payload: &Payload, field: &str, view: &View<'_>) -> Result<Value, Fault> {
        match payload {
            Payload::JsonPath(template) => self.template(template, view),
            Payload::Jsonata(template) => self.jsonata_template(template, field, view),
        }
    }

    /// Evaluates Assign and returns the variables and their values, in order.
    #[inline(always)]
    pub(super) fn assign(
        &mut self,
        payload: Option<&Payload>,
        field: &str,
        view: &View<'_>,
    ) -> Result<Vec<(Arc<str>, Value)>, Fault> {
        payload.map_or_else(|| Ok(Vec::new()), |payload| self.assign_all(payload, field, view))
    }

    fn assign_all(&mut self, payload: &Payload, field: &str, view: &View<'_>) -> Result<Vec<(Arc<str>, Value)>, Fault> {
        let value = self.payload(payload, field, view)?;
        Ok(value.as_object().map(|map| map.iter().map(|(k, v)| (k.clone(), v.clone())).collect()).unwrap_or_default())
    }

    pub(super) fn jsonata_template(&mut self, template: &JsonataTemplate, field: &str, view: &View<'_>) -> Result<Value, Fault> {
        self.jsonata_part(template, &Place::Field(field), view)
    }

    fn jsonata_part(&mut self, template: &JsonataTemplate, place: &Place<'_>, view: &View<'_>) -> Result<Value, Fault> {
        Ok(match template {
            JsonataTemplate::Literal(value) => value.clone(),
            JsonataTemplate::Expression(expression) => self.jsonata(expression, place, view)?,
            JsonataTemplate::Array(items) => {
                let mut out = Vec::with_capacity(items.len());
                for (i, item) in items.iter().enumerate() {
                    out.push(self.jsonata_part(item, &Place::Item(place, i), view)?);
                }
                Value::from(out)
            }
            JsonataTemplate::Object(members) => {
                let mut map = Map::with_capacity(members.len());
                for (key, member) in members {
                    let value = self.jsonata_part(member, &Place::Member(place, key), view)?;
                    map.insert(key.clone(), value);
                }
                Value::from(map)
            }
        })
    }

    /// Evaluates a JSONata expression, which must have a value.
    fn jsonata(&mut self, expression: &Expression, place: &Place<'_>, view: &View<'_>) -> Result<Value, Fault> {
        let bindings = |name: &str| match name {
            "states" => Some(view.states()),
            name => view.variables.get(name).cloned(),
        };
        let work = self.work;
        work.spend(EXPRESSION);
        let result = work.pay(|fuel| expression.evaluate_with_fuel(&Value::Null, &bindings, &mut self.env(), fuel));
        let said =
            |what: String| format!("The JSONata expression '{}' specified for the field '{place}' {what}", expression.text());
        let failed = |eval: &Self, what: String| {
            Err(eval.query(&place.to_string(), &said(what)).within(Some(place.pointer()), Some(expression.text())))
        };
        match result {
            Ok(Some(value)) => Ok(value),
            Ok(None) => failed(self, "returned nothing (undefined).".into()),
            Err(error) if error.is_function_result() => failed(self, "returned an unsupported result type.".into()),
            Err(error) if error.is_limit() => failed(self, format!("threw an error during evaluation: {}", error.message)),
            Err(error) if error.is_internal() => {
                let id = self.env().rng.uuid();
                failed(self, format!("threw an internal error during evaluation. {id}"))
            }
            Err(error) => failed(self, format!("threw an error during evaluation. {}: {}", error.code, error.message)),
        }
    }

    /// Evaluates a JSONata expression whose value must be of a type.
    pub(super) fn jsonata_typed(
        &mut self,
        expression: &Expression,
        field: &str,
        expected: &str,
        view: &View<'_>,
    ) -> Result<Value, Fault> {
        let value = self.jsonata(expression, &Place::Field(field), view)?;
        if value.type_name() == expected {
            return Ok(value);
        }
        let cause = format!(
            "The JSONata expression '{}' specified for the field '{field}' returned an unexpected result type. Expected '{expected}', but was '{}' for value: {value}",
            expression.text(),
            value.type_name()
        );
        Err(self.query(field, &cause).within(None, Some(expression.text())))
    }

    /// Applies ResultPath of a state or a catcher: puts `result` into the raw input.
    pub(super) fn result_path(&self, path: &ResultPath, input: &Value, result: Value) -> Result<Value, Fault> {
        match path {
            ResultPath::Whole => Ok(result),
            ResultPath::Discard => Ok(input.clone()),
            ResultPath::At(path) => path
                .write(input, result)
                .map_err(|error| Fault::of_state(REFERENCE_PATH_CONFLICT, self.state, self.entered, &error.cause)),
        }
    }

    /// Evaluates TimeoutSeconds or HeartbeatSeconds.
    pub(super) fn seconds(&mut self, field: &Field<u64>, name: &str, view: &View<'_>) -> Result<u64, Fault> {
        match field {
            Field::Fixed(seconds) => Ok(*seconds),
            Field::Path(path) => {
                let value = self.path(path, view)?;
                match value.as_i64() {
                    Some(n) if (1..=LONGEST_TIMEOUT).contains(&n) => Ok(n as u64),
                    Some(n) => Err(self.runtime(&format!("{name} must be between 1 and {LONGEST_TIMEOUT} but was: {n}"))),
                    None => Err(self.not_an_integer(name, &value, path)),
                }
            }
            Field::Jsonata(expression) => {
                let value = self.jsonata_typed(expression, name, "number", view)?;
                match value.as_i64() {
                    Some(n) if (0..=LONGEST_TIMEOUT).contains(&n) => Ok(n as u64),
                    Some(n) => Err(self.query(name, &format!("{name} must be between 0 and {LONGEST_TIMEOUT} but was: {n}"))),
                    None => Err(self.query(name, &format!("The {name} field cannot be parsed as an integer: {value}"))),
                }
            }
            Field::Call(_) => Err(self.runtime(&format!("{name} cannot be computed by an intrinsic function"))),
        }
    }

    /// Evaluates a whole number of a Map: MaxConcurrency, MaxItems, ToleratedFailureCount …
    pub(super) fn integer<T: Copy + Into<i128>>(&mut self, field: &Field<T>, name: &str, view: &View<'_>) -> Result<i64, Fault> {
        match field {
            Field::Fixed(n) => Ok(i64::try_from((*n).into()).unwrap_or(i64::MAX)),
            Field::Path(path) => {
                let value = self.path(path, view)?;
                whole(&value).ok_or_else(|| self.not_an_integer(name, &value, path))
            }
            Field::Jsonata(expression) => {
                let value = self.jsonata_typed(expression, name, "number", view)?;
                value.as_i64().ok_or_else(|| self.query(name, &format!("The {name} field cannot be parsed as an integer: {value}")))
            }
            Field::Call(_) => Err(self.runtime(&format!("{name} cannot be computed by an intrinsic function"))),
        }
    }

    fn not_an_integer(&self, name: &str, value: &Value, path: &Path) -> Fault {
        self.runtime(&format!(
            "The {name}Path field refers to value \"{}\" which is not a valid integer: {}",
            plain(value),
            path.text()
        ))
        .within(None, Some(path.text()))
    }

    /// Evaluates ToleratedFailurePercentage.
    pub(super) fn percentage(&mut self, field: &Field<f64>, view: &View<'_>) -> Result<f64, Fault> {
        let name = "ToleratedFailurePercentage";
        let value = match field {
            Field::Fixed(n) => return Ok(*n),
            Field::Path(path) => {
                let value = self.path(path, view)?;
                let number = value.as_f64().or_else(|| decimal::parse(value.as_str()?.trim()).filter(|f| f.is_finite()));
                number.ok_or_else(|| {
                    self.runtime(&format!(
                        "The {name}Path field refers to value \"{}\" which is not a valid float: {}",
                        plain(&value),
                        path.text()
                    ))
                })?
            }
            Field::Jsonata(expression) => self.jsonata_typed(expression, name, "number", view)?.as_f64().unwrap_or(0.0),
            Field::Call(_) => return Err(self.runtime(&format!("{name} cannot be computed by an intrinsic function"))),
        };
        if (0.0..=100.0).contains(&value) {
            return Ok(value);
        }
        let cause = format!("{name} must be between 0 and 100.");
        Err(match field {
            Field::Jsonata(_) => self.query(name, &cause),
            _ => self.runtime(&cause),
        })
    }

    /// Evaluates Error or Cause of a Fail state.
    pub(super) fn text(&mut self, field: &Field<Arc<str>>, name: &str, view: &View<'_>) -> Result<Arc<str>, Fault> {
        let value = match field {
            Field::Fixed(text) => return Ok(text.clone()),
            Field::Path(path) => self.select(path, view, |_| {
                let (path, input) = (path.text(), view.input);
                format!("The JSONPath '{path}' specified for the field '{name}Path' could not be found in the input '{input}'")
            })?,
            Field::Call(call) => {
                let scope = view.scope();
                let work = self.work;
                let result = work.pay(|fuel| call.eval_with_fuel(&scope, &mut self.env(), fuel));
                result.map_err(|error| self.runtime(&error.cause))?
            }
            Field::Jsonata(expression) => self.jsonata_typed(expression, name, "string", view)?,
        };
        match value {
            Value::String(text) => Ok(text),
            other => Err(self.runtime(&format!("The {name}Path field must refer to a string but refers to: {other}"))),
        }
    }
}

/// Returns a whole number, from a number or from a string that contains one: AWS accepts both if a Map's limit comes from a
/// path (recorded for MaxConcurrencyPath and ToleratedFailureCountPath).
fn whole(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_str()?.trim().parse().ok())
}

/// Formats a value for a cause: strings have no quotes.
pub(super) fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.to_string(),
        Value::Number(Number::Float(f)) if f.fract() == 0.0 => value.to_string(),
        other => other.to_string(),
    }
}
