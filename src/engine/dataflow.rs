//! Evaluates the fields of a state (paths, templates, expressions) and words the errors in them.

use super::fault::{Fault, QUERY_EVALUATION, REFERENCE_PATH_CONFLICT, RUNTIME};
use super::limits::LONGEST_TIMEOUT;
use super::work::{EXPRESSION, Work};
use crate::asl::ir::{Field, JsonataTemplate, PathField, Payload, ResultPath};
use crate::base::{Map, Millis, Number, Rng, Value, decimal, pointer};
use crate::expr::jsonata::Expression;
use crate::expr::path::{Missing, Path};
use crate::expr::template::Template;
use crate::expr::{Env, EvalError, Scope};
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

/// A field of a state, or a place in one. It becomes text only for an error, because most fields have none.
#[derive(Clone, Copy)]
pub(super) enum Place<'a> {
    Field(&'a str),
    /// The field of JSONPath with the path of a value: `Seconds` stands for SecondsPath.
    PathOf(&'a str),
    Item(&'a Place<'a>, usize),
    Member(&'a Place<'a>, &'a str),
    /// A member or an item of a payload, by its pointer.
    Inner(&'a Place<'a>, &'a str),
}

/// Writes the place in AWS's words: `Choices[0]/Condition`.
impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Field(field) => f.write_str(field),
            Place::PathOf(field) => write!(f, "{field}Path"),
            Place::Item(inside, index) => write!(f, "{inside}[{index}]"),
            Place::Member(inside, name) => write!(f, "{inside}/{name}"),
            Place::Inner(inside, pointer) => write!(f, "{inside}{pointer}"),
        }
    }
}

impl Place<'_> {
    /// Returns the JSON Pointer from the state.
    pub(super) fn pointer(&self) -> String {
        let (mut out, step) = match self {
            Place::Field(field) | Place::PathOf(field) => (String::new(), *field),
            Place::Item(inside, index) => return format!("{}/{index}", inside.pointer()),
            Place::Member(inside, name) => (inside.pointer(), *name),
            Place::Inner(inside, pointer) => return inside.pointer() + pointer,
        };
        out.push('/');
        pointer::escape(&mut out, step);
        if matches!(self, Place::PathOf(_)) {
            out.push_str("Path");
        }
        out
    }
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

    /// A States.Runtime error of this state, in a path.
    pub(super) fn runtime_in(&self, place: &Place<'_>, path: &Path, cause: &str) -> Fault {
        self.runtime(cause).within(place, Some(path.text()))
    }

    /// A States.Runtime error of this state, in a payload template or an intrinsic call.
    fn runtime_of(&self, place: &Place<'_>, error: EvalError) -> Fault {
        let fault = self.runtime(&error.cause);
        match error.origin {
            Some(origin) => fault.within(&Place::Inner(place, &origin.pointer), Some(&origin.expression)),
            None => fault.within(place, None),
        }
    }

    /// A States.QueryEvaluationError of this state, in a field.
    pub(super) fn query(&self, place: &Place<'_>, expression: Option<&str>, cause: &str) -> Fault {
        let fault = Fault::of_state(QUERY_EVALUATION, self.state, self.entered, cause);
        Fault { location: Some(place.to_string().into()), ..fault }.within(place, expression)
    }

    fn env(&mut self) -> Env<'_> {
        Env { now: self.now, rng: self.rng }
    }

    /// Evaluates InputPath or OutputPath.
    pub(super) fn path_field(&self, field: &PathField, place: &Place<'_>, view: &View<'_>) -> Result<Value, Fault> {
        match field {
            PathField::Whole => Ok(view.input.clone()),
            PathField::Nothing => Ok(Value::empty_object()),
            PathField::Path(path) => self.path(path, place, view),
        }
    }

    /// Evaluates a path of a field for which AWS uses the same words as for InputPath.
    pub(super) fn path(&self, path: &Path, place: &Place<'_>, view: &View<'_>) -> Result<Value, Fault> {
        self.select(path, place, view, |missing| format!("Invalid path '{}' : {missing}", path.text()))
    }

    /// Returns the value that a path selects; `None` if there is none. An input that is null is an error.
    pub(super) fn lookup(&self, path: &Path, place: &Place<'_>, view: &View<'_>) -> Result<Option<Value>, Fault> {
        match self.work.pay(|fuel| path.eval_with_fuel(&view.scope(), fuel)) {
            Err(missing) if missing.is_null_input() => Err(self.runtime_in(place, path, &missing.to_string())),
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
    fn select(
        &self,
        path: &Path,
        place: &Place<'_>,
        view: &View<'_>,
        cause: impl FnOnce(Missing) -> String,
    ) -> Result<Value, Fault> {
        self.work.pay(|fuel| path.eval_with_fuel(&view.scope(), fuel)).map_err(|missing| {
            let null_input = missing.is_null_input();
            self.runtime_in(place, path, &if null_input { missing.to_string() } else { cause(missing) })
        })
    }

    /// Evaluates a payload template of a JSONPath state.
    pub(super) fn template(&mut self, template: &Template, place: &Place<'_>, view: &View<'_>) -> Result<Value, Fault> {
        let scope = view.scope();
        let work = self.work;
        let result = work.pay(|fuel| template.eval_with_fuel(&scope, &mut self.env(), fuel));
        result.map_err(|error| self.runtime_of(place, error))
    }

    /// Evaluates a payload in either language.
    pub(super) fn payload(&mut self, payload: &Payload, place: &Place<'_>, view: &View<'_>) -> Result<Value, Fault> {
        match payload {
            Payload::JsonPath(template) => self.template(template, place, view),
            Payload::Jsonata(template) => self.jsonata_template(template, place, view),
        }
    }

    /// Evaluates Assign and returns the variables and their values, in order.
    #[inline(always)]
    pub(super) fn assign(
        &mut self,
        payload: Option<&Payload>,
        place: &Place<'_>,
        view: &View<'_>,
    ) -> Result<Vec<(Arc<str>, Value)>, Fault> {
        payload.map_or_else(|| Ok(Vec::new()), |payload| self.assign_all(payload, place, view))
    }

    fn assign_all(&mut self, payload: &Payload, place: &Place<'_>, view: &View<'_>) -> Result<Vec<(Arc<str>, Value)>, Fault> {
        let value = self.payload(payload, place, view)?;
        Ok(value.as_object().map(|map| map.iter().map(|(k, v)| (k.clone(), v.clone())).collect()).unwrap_or_default())
    }

    pub(super) fn jsonata_template(
        &mut self,
        template: &JsonataTemplate,
        place: &Place<'_>,
        view: &View<'_>,
    ) -> Result<Value, Fault> {
        Ok(match template {
            JsonataTemplate::Literal(value) => value.clone(),
            JsonataTemplate::Expression(expression) => self.jsonata(expression, place, view)?,
            JsonataTemplate::Array(items) => {
                let mut out = Vec::with_capacity(items.len());
                for (i, item) in items.iter().enumerate() {
                    out.push(self.jsonata_template(item, &Place::Item(place, i), view)?);
                }
                Value::from(out)
            }
            JsonataTemplate::Object(members) => {
                let mut map = Map::with_capacity(members.len());
                for (key, member) in members {
                    let value = self.jsonata_template(member, &Place::Member(place, key), view)?;
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
        let failed = |eval: &Self, what: String| eval.query(place, Some(expression.text()), &said(what));
        match result {
            Ok(Some(value)) => Ok(value),
            Ok(None) => Err(failed(self, "returned nothing (undefined).".into())),
            Err(error) if error.is_function_result() => Err(failed(self, "returned an unsupported result type.".into())),
            Err(error) => {
                let what = if error.is_limit() {
                    format!("threw an error during evaluation: {}", error.message)
                } else if error.is_internal() {
                    format!("threw an internal error during evaluation. {}", self.env().rng.uuid())
                } else {
                    format!("threw an error during evaluation. {}: {}", error.code, error.message)
                };
                Err(failed(self, what).at(error.offset))
            }
        }
    }

    /// Evaluates a JSONata expression whose value must be of a type.
    pub(super) fn jsonata_typed(
        &mut self,
        expression: &Expression,
        place: &Place<'_>,
        expected: &str,
        view: &View<'_>,
    ) -> Result<Value, Fault> {
        let value = self.jsonata(expression, place, view)?;
        if value.type_name() == expected {
            return Ok(value);
        }
        let cause = format!(
            "The JSONata expression '{}' specified for the field '{place}' returned an unexpected result type. Expected '{expected}', but was '{}' for value: {value}",
            expression.text(),
            value.type_name()
        );
        Err(self.query(place, Some(expression.text()), &cause))
    }

    /// Applies ResultPath of a state or a catcher: puts `result` into the raw input.
    pub(super) fn result_path(&self, path: &ResultPath, place: &Place<'_>, input: &Value, result: Value) -> Result<Value, Fault> {
        match path {
            ResultPath::Whole => Ok(result),
            ResultPath::Discard => Ok(input.clone()),
            ResultPath::At(path) => path.write(input, result).map_err(|error| {
                Fault::of_state(REFERENCE_PATH_CONFLICT, self.state, self.entered, &error.cause)
                    .within(place, Some(path.path().text()))
            }),
        }
    }

    /// Evaluates TimeoutSeconds or HeartbeatSeconds.
    pub(super) fn seconds(&mut self, field: &Field<u64>, name: &str, view: &View<'_>) -> Result<u64, Fault> {
        match field {
            Field::Fixed(seconds) => Ok(*seconds),
            Field::Path(path) => {
                let place = Place::PathOf(name);
                let value = self.path(path, &place, view)?;
                match value.as_i64() {
                    Some(n) if (1..=LONGEST_TIMEOUT).contains(&n) => Ok(n as u64),
                    Some(n) => {
                        let cause = format!("{name} must be between 1 and {LONGEST_TIMEOUT} but was: {n}");
                        Err(self.runtime_in(&place, path, &cause))
                    }
                    None => Err(self.not_a_number(name, "integer", &value, path)),
                }
            }
            Field::Jsonata(expression) => self.jsonata_seconds(expression, name, view),
            Field::Call(_) => Err(self.no_call(name)),
        }
    }

    /// Evaluates a number of seconds in JSONata.
    pub(super) fn jsonata_seconds(&mut self, expression: &Expression, name: &str, view: &View<'_>) -> Result<u64, Fault> {
        let value = self.jsonata_typed(expression, &Place::Field(name), "number", view)?;
        match value.as_i64() {
            Some(n) if (0..=LONGEST_TIMEOUT).contains(&n) => Ok(n as u64),
            Some(n) => {
                let cause = format!("{name} must be between 0 and {LONGEST_TIMEOUT} but was: {n}");
                Err(self.query(&Place::Field(name), Some(expression.text()), &cause))
            }
            None => Err(self.no_integer(name, expression, &value)),
        }
    }

    /// The error of a field that an intrinsic function cannot compute. The compiler refuses such a field.
    pub(super) fn no_call(&self, name: &str) -> Fault {
        self.runtime(&format!("{name} cannot be computed by an intrinsic function"))
    }

    /// Evaluates a whole number of a Map: MaxConcurrency, MaxItems, ToleratedFailureCount …
    pub(super) fn integer<T: Copy + Into<i128>>(&mut self, field: &Field<T>, name: &str, view: &View<'_>) -> Result<i64, Fault> {
        match field {
            Field::Fixed(n) => Ok(i64::try_from((*n).into()).unwrap_or(i64::MAX)),
            Field::Path(path) => {
                let value = self.path(path, &Place::PathOf(name), view)?;
                whole(&value).ok_or_else(|| self.not_a_number(name, "integer", &value, path))
            }
            Field::Jsonata(expression) => {
                let value = self.jsonata_typed(expression, &Place::Field(name), "number", view)?;
                value.as_i64().ok_or_else(|| self.no_integer(name, expression, &value))
            }
            Field::Call(_) => Err(self.no_call(name)),
        }
    }

    /// The error of a path that selects something else than a number.
    fn not_a_number(&self, name: &str, of: &str, value: &Value, path: &Path) -> Fault {
        let text = path.text();
        let cause = format!("The {name}Path field refers to value \"{}\" which is not a valid {of}: {text}", plain(value));
        self.runtime_in(&Place::PathOf(name), path, &cause)
    }

    /// The error of an expression whose value is not an integer.
    fn no_integer(&self, name: &str, expression: &Expression, value: &Value) -> Fault {
        let cause = format!("The {name} field cannot be parsed as an integer: {value}");
        self.query(&Place::Field(name), Some(expression.text()), &cause)
    }

    /// Evaluates ToleratedFailurePercentage.
    pub(super) fn percentage(&mut self, field: &Field<f64>, view: &View<'_>) -> Result<f64, Fault> {
        let name = "ToleratedFailurePercentage";
        let value = match field {
            Field::Fixed(n) => return Ok(*n),
            Field::Path(path) => {
                let value = self.path(path, &Place::PathOf(name), view)?;
                let number = value.as_f64().or_else(|| decimal::parse(value.as_str()?.trim()).filter(|f| f.is_finite()));
                number.ok_or_else(|| self.not_a_number(name, "float", &value, path))?
            }
            Field::Jsonata(expression) => {
                self.jsonata_typed(expression, &Place::Field(name), "number", view)?.as_f64().unwrap_or(0.0)
            }
            Field::Call(_) => return Err(self.no_call(name)),
        };
        if (0.0..=100.0).contains(&value) {
            return Ok(value);
        }
        let cause = format!("{name} must be between 0 and 100.");
        Err(match field {
            Field::Jsonata(expression) => self.query(&Place::Field(name), Some(expression.text()), &cause),
            Field::Path(path) => self.runtime_in(&Place::PathOf(name), path, &cause),
            _ => self.runtime(&cause).within(&Place::Field(name), None),
        })
    }

    /// Evaluates Error or Cause of a Fail state.
    pub(super) fn text(&mut self, field: &Field<Arc<str>>, name: &str, view: &View<'_>) -> Result<Arc<str>, Fault> {
        let place = Place::PathOf(name);
        let value = match field {
            Field::Fixed(text) => return Ok(text.clone()),
            Field::Path(path) => self.select(path, &place, view, |_| {
                let (path, input) = (path.text(), view.input);
                format!("The JSONPath '{path}' specified for the field '{name}Path' could not be found in the input '{input}'")
            })?,
            Field::Call(call) => {
                let scope = view.scope();
                let work = self.work;
                let result = work.pay(|fuel| call.eval_with_fuel(&scope, &mut self.env(), fuel));
                result.map_err(|error| self.runtime_of(&place, error))?
            }
            Field::Jsonata(expression) => self.jsonata_typed(expression, &Place::Field(name), "string", view)?,
        };
        match value {
            Value::String(text) => Ok(text),
            other => {
                let cause = format!("The {name}Path field must refer to a string but refers to: {other}");
                Err(self.runtime(&cause).within(&place, None))
            }
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
