//! The TestState API: one state, one input, one mocked result (spec §10).

use super::service_model::{self, ServiceModel};
use crate::asl::ir::{Field, Kind, Machine, MapState, QueryLanguage, State};
use crate::asl::resource::Resource;
use crate::asl::{self, CompileOptions};
use crate::base::{Map, Millis, Value, json};
use crate::engine::{Command, Details, Engine, Event, ExecutionInfo, Handler, Mock, Options, Outcome, Probe};
use std::fmt;
use std::sync::Arc;

/// Why a request is refused: the code and the message of the API's exception.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestStateError {
    /// `ValidationException`, `InvalidDefinition`, `InvalidExecutionInput`
    pub code: &'static str,
    /// The message, in AWS's words where they are known.
    pub message: String,
}

impl fmt::Display for TestStateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl std::error::Error for TestStateError {}

fn refuse<T>(message: impl Into<String>) -> Result<T, TestStateError> {
    Err(TestStateError { code: "ValidationException", message: message.into() })
}

fn invalid<T>(message: impl Into<String>) -> Result<T, TestStateError> {
    Err(TestStateError { code: "InvalidDefinition", message: message.into() })
}

/// Tests one state as the API does: the request's members and the response's are the API's, with payloads as JSON values
/// or, where the API has texts, as either.
///
/// Request: `definition` (a state, or a machine with `stateName`), `input`, `inspectionLevel` (`INFO`, `DEBUG`, `TRACE`),
/// `variables`, `context`, `mock` (`{result}` or `{errorOutput: {error, cause}}`), `stateConfiguration`
/// (`retrierRetryCount`, `mapIterationFailureCount`, `errorCausedByState`, `mapItemReaderData`), `roleArn`, `revealSecrets`.
/// Response: `status` (`SUCCEEDED`, `FAILED`, `RETRIABLE`, `CAUGHT_ERROR`), `output`, `error`, `cause`, `nextState`,
/// `inspectionData`. [`test_state_with`] also checks a mock against the model of its service.
///
/// ```
/// use stepglass::base::json;
/// use stepglass::sim::test_state;
///
/// let request = json::parse(r#"{
///   "definition": {"Type": "Choice", "Default": "Low",
///     "Choices": [{"Variable": "$.n", "NumericGreaterThan": 9, "Next": "High"}]},
///   "input": {"n": 12}}"#).unwrap();
/// let response = test_state(&request).unwrap();
/// assert_eq!(response.to_string(), r#"{"output":"{\"n\":12}","nextState":"High","status":"SUCCEEDED"}"#);
/// ```
pub fn test_state(request: &Value) -> Result<Value, TestStateError> {
    test_state_with(request, &mut |_, _| None)
}

/// The same with models of services: a mocked result must fit its API's, as `mock.fieldValidationMode` says (`STRICT`, the
/// default: all required fields are there and every field fits; `PRESENT`: the fields that are there fit; `NONE`).
///
/// ```
/// use stepglass::base::json;
/// use stepglass::sim::test_state_with;
///
/// let request = json::parse(r#"{
///   "definition": {"Type": "Task", "Resource": "arn:aws:states:::sqs:sendMessage", "End": true},
///   "mock": {"result": {"MessageId": 7}}, "roleArn": "arn:aws:iam::123456789012:role/r"}"#).unwrap();
/// let shape = json::parse(r#"{"type": "structure", "members": {"MessageId": {"type": "string"}}}"#).unwrap();
/// let mut model = |service: &str, action: &str| (service == "sqs" && action == "sendMessage").then(|| shape.clone());
/// let refused = test_state_with(&request, &mut model).unwrap_err();
/// assert_eq!(refused.message, "Mock result schema validation error: Field 'MessageId' must be a string");
/// ```
pub fn test_state_with(request: &Value, model: ServiceModel<'_>) -> Result<Value, TestStateError> {
    let test = Test::read(request)?;
    let machine = test.machine()?;
    let state = &machine.states[machine.scopes[Machine::ROOT].start];
    let mock = test.mock(state, model)?;
    let takes_children = matches!(state.kind, Kind::Parallel { .. } | Kind::Map(_));
    let probe = Probe {
        variables: test.variables.clone(),
        context: test.context.clone(),
        attempts: test.retries,
        mock: mock.clone().filter(|_| takes_children),
        handled: None,
    };
    let options = Options { express: true, trace: true, step_budget: 1, ..Options::default() };
    let mut engine = Engine::with_probe(machine.clone(), options, probe);
    let event = Event::Start { input: test.input.clone(), execution: names(&test), seed: 0 };
    let mut next = Some((Millis(0), event));
    // A state and what comes after it take a handful of steps; a loop that never ends is cut.
    for _ in 0..16 {
        let Some((now, event)) = next.take() else { break };
        // Invariant: the events follow the protocol, so none is refused.
        let Ok(step) = engine.step(now, event) else { break };
        for command in engine.take_commands() {
            if let Command::Invoke(call) = command {
                next = match mock.clone() {
                    Some(Ok(output)) => Some((now, Event::TaskSucceeded { task: call.task, output })),
                    Some(Err((error, cause))) => Some((now, Event::TaskFailed { task: call.task, error, cause })),
                    None => None,
                };
            }
        }
        if engine.outcome().is_some() || moved_on(&engine) || retries(&engine) {
            break;
        }
        if next.is_none() {
            next = match engine.deadline() {
                Some(at) if !step.more => Some((at, Event::Tick)),
                _ => Some((now, Event::Tick)),
            };
        }
    }
    Ok(response(&test, &engine, state))
}

/// A request that has been read.
struct Test {
    definition: Value,
    state_name: Option<Arc<str>>,
    input: Value,
    level: Level,
    variables: Map,
    context: Option<Value>,
    mock: Option<Value>,
    role_arn: Option<Arc<str>>,
    retries: u64,
    failures: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Info,
    Debug,
}

impl Test {
    fn read(request: &Value) -> Result<Test, TestStateError> {
        let part = |name: &str| request.get(name).filter(|value| !value.is_null());
        let text = |name: &str| part(name).and_then(Value::as_str).map(Arc::from);
        let level = match text("inspectionLevel").as_deref() {
            None | Some("INFO") => Level::Info,
            Some("DEBUG" | "TRACE") => Level::Debug,
            Some(other) => return refuse(format!("inspectionLevel must be INFO, DEBUG or TRACE, not '{other}'")),
        };
        let mock = part("mock").cloned();
        if let Some(mock) = &mock {
            if mock.get("result").is_some() && mock.get("errorOutput").is_some() {
                return refuse("A test mock should have only one of the following fields: [result, errorOutput].");
            }
            if part("revealSecrets").and_then(Value::as_bool) == Some(true) {
                return refuse("TestState does not support RevealSecrets when a mock is specified.");
            }
        }
        let configuration = part("stateConfiguration");
        let count =
            |name: &str| configuration.and_then(|c| c.get(name)).and_then(Value::as_i64).and_then(|n| u64::try_from(n).ok());
        let failures = count("mapIterationFailureCount");
        if failures.is_some() && mock.is_none() {
            return refuse("TestState does not support MapIterationFailureCount when a mock is not specified.");
        }
        let context = part("context").map(|value| parsed(value, "context")).transpose()?;
        if let Some(context) = &context {
            if mock.is_none() {
                return refuse("TestState does not support a Context object when a mock is not specified.");
            }
            check_context(context)?;
        }
        let variables = match part("variables").map(|value| parsed(value, "variables")).transpose()? {
            None => Map::new(),
            Some(Value::Object(map)) => (*map).clone(),
            Some(_) => return refuse("variables must be a JSON object"),
        };
        let definition = match part("definition") {
            Some(Value::String(text)) => match json::parse(text) {
                Ok(value) => value,
                Err(error) => return invalid(format!("Invalid State Machine Definition: 'INVALID_JSON_DESCRIPTION: {error}'")),
            },
            Some(value) => value.clone(),
            None => return refuse("definition is required"),
        };
        let input = match part("input") {
            None => Value::empty_object(),
            Some(Value::String(text)) => json::parse(text).unwrap_or_else(|_| Value::String(text.clone())),
            Some(value) => value.clone(),
        };
        Ok(Test {
            definition,
            state_name: text("stateName"),
            input,
            level,
            variables,
            context,
            mock,
            role_arn: text("roleArn"),
            retries: count("retrierRetryCount").unwrap_or(0),
            failures,
        })
    }

    /// A machine that begins with the state and has a stub for everything that it may go on to.
    fn machine(&self) -> Result<Arc<Machine>, TestStateError> {
        let (state, language) = match &self.state_name {
            None => (self.definition.clone(), None),
            Some(name) => match find(&self.definition, name, 0) {
                Some(state) => (state, self.definition.get("QueryLanguage").cloned()),
                None => return refuse("State not found in definition"),
            },
        };
        let mut states = Map::new();
        states.insert(TESTED, state.clone());
        for target in targets(&state) {
            if !states.contains_key(&target) {
                states.insert(target, Map::from_iter([("Type", "Succeed")]));
            }
        }
        let mut machine = Map::new();
        if let Some(language) = language {
            machine.insert("QueryLanguage", language);
        }
        machine.insert("StartAt", TESTED);
        machine.insert("States", Value::from(states));
        let compiled = asl::compile_value(&Value::from(machine), &CompileOptions::default());
        if let Some(machine) = compiled.machine {
            return Ok(Arc::new(machine));
        }
        let text = asl::answer::create_error(&compiled).unwrap_or_else(|| "Invalid State Machine Definition".into());
        let name = self.state_name.as_deref().unwrap_or(TESTED);
        invalid(text.replace(&format!("/States/{TESTED}"), &format!("/States/{name}")))
    }

    /// The mocked result or error, checked against the kind of state.
    fn mock(&self, state: &State, model: ServiceModel<'_>) -> Result<Option<Mock>, TestStateError> {
        let Some(mock) = &self.mock else {
            return match &state.kind {
                Kind::Parallel { .. } | Kind::Map(_) => invalid(
                    "TestState API does not support Map or Parallel states. Supported state types include: [Task, Wait, Pass, Succeed, Fail, Choice]",
                ),
                Kind::Task(_) if self.role_arn.is_none() => refuse("RoleArn must be specified when testing a Task state"),
                Kind::Task(_) => refuse("A mock must be specified when testing a Task state: there is no service to call here"),
                _ => Ok(None),
            };
        };
        if !matches!(state.kind, Kind::Task(_) | Kind::Parallel { .. } | Kind::Map(_)) {
            return refuse(format!("State type '{}' is not supported when a mock is specified", state.kind.type_name()));
        }
        if let Some(error) = mock.get("errorOutput") {
            let part = |name: &str| error.get(name).and_then(Value::as_str).map(Arc::from);
            return Ok(Some(Err((part("error"), part("cause")))));
        }
        let Some(result) = mock.get("result") else {
            return refuse("A test mock should have one of the following fields: [result, errorOutput].");
        };
        let result = match result {
            Value::String(text) => match json::parse(text) {
                Ok(value) => value,
                Err(_) => return refuse("Mocked result must be valid JSON"),
            },
            value => value.clone(),
        };
        match &state.kind {
            Kind::Task(task) => {
                let mode = service_model::Mode::read(mock).or_else(refuse)?;
                service_model::check(&Resource::parse(&task.resource), &result, mode, model).or_else(refuse)?;
            }
            Kind::Parallel { branches } => match result.as_array() {
                None => return refuse("Mocked result must be an array."),
                Some(items) if items.len() != branches.len() => {
                    return refuse("Mocked result must contain the same number of items as number of Parallel branches.");
                }
                Some(_) => {}
            },
            Kind::Map(map) => {
                let exports = map.result_writer.as_ref().is_some_and(|writer| writer.resource.is_some());
                if !exports && result.as_array().is_none() {
                    return refuse("Mocked result must be an array.");
                }
                if exports && result.as_object().is_none() {
                    return refuse("Mocked result must be an object.");
                }
                let failures = self.failures.unwrap_or(0);
                let items = result.as_array().map_or(0, <[Value]>::len) as u64;
                if failures > items && !exports {
                    return refuse("MapIterationFailureCount must not be greater than the number of items.");
                }
                if tolerated(map, failures, items) {
                    let cause = "The specified tolerated failure threshold was exceeded";
                    return Ok(Some(Err((Some("States.ExceedToleratedFailureThreshold".into()), Some(cause.into())))));
                }
            }
            _ => {}
        }
        Ok(Some(Ok(result)))
    }
}

/// Whether so many failures exceed what the Map tolerates; recorded: a Map without either limit is not judged.
fn tolerated(map: &MapState, failures: u64, items: u64) -> bool {
    let count = match &map.tolerated_count {
        Some(Field::Fixed(count)) => failures > *count,
        _ => false,
    };
    let percentage = match &map.tolerated_percentage {
        Some(Field::Fixed(percent)) => failures as f64 * 100.0 > percent * items.max(1) as f64,
        _ => false,
    };
    count || percentage
}

/// The name that a tested state has in its Context Object, whatever it is called in its machine (recorded).
const TESTED: &str = "StateName";

/// A member that the API takes as a value or as its JSON text.
fn parsed(value: &Value, name: &str) -> Result<Value, TestStateError> {
    match value {
        Value::String(text) => json::parse(text).or_else(|error| refuse(format!("{name} must be valid JSON: {error}"))),
        value => Ok(value.clone()),
    }
}

fn check_context(context: &Value) -> Result<(), TestStateError> {
    let Some(members) = context.as_object() else {
        return refuse("Invalid Context object provided: it must be a JSON object");
    };
    let known = |parent: &str| -> &'static [&'static str] {
        match parent {
            "" => &["Execution", "State", "StateMachine", "Task"],
            "Execution" => &["Id", "Input", "Name", "RoleArn", "StartTime", "RedriveCount", "RedriveTime"],
            "State" => &["EnteredTime", "Name", "RetryCount"],
            "StateMachine" => &["Id", "Name"],
            _ => &["Token"],
        }
    };
    for (name, value) in members.iter() {
        if &**name == "Map" {
            return refuse("'Map' field is not supported when mocking a Context object");
        }
        if !known("").contains(&&**name) {
            return refuse(format!("Invalid Context object provided: Field '{name}' is not allowed"));
        }
        for inner in value.as_object().into_iter().flat_map(Map::keys) {
            if !known(name).contains(&&**inner) {
                return refuse(format!("Invalid Context object provided: Field '{inner}' is not allowed"));
            }
        }
    }
    Ok(())
}

/// The state of that name at any depth. Definitions nest no deeper than the compiler allows; the bound is for those that it
/// has not seen.
fn find(machine: &Value, name: &str, depth: usize) -> Option<Value> {
    let states = machine.get("States")?.as_object()?;
    if let Some(state) = states.get(name) {
        return Some(state.clone());
    }
    if depth > json::MAX_DEPTH {
        return None;
    }
    states.values().find_map(|state| {
        let processors = ["ItemProcessor", "Iterator"].iter().filter_map(|field| state.get(field));
        let branches = state.get("Branches").and_then(Value::as_array).unwrap_or_default();
        processors.chain(branches).find_map(|scope| find(scope, name, depth + 1))
    })
}

/// All states that a state may go on to.
fn targets(state: &Value) -> Vec<Arc<str>> {
    let list = |field: &str| state.get(field).and_then(Value::as_array).unwrap_or_default();
    let nexts = list("Choices").iter().chain(list("Catch")).filter_map(|rule| rule.get("Next"));
    let own = [state.get("Next"), state.get("Default")].into_iter().flatten();
    own.chain(nexts).filter_map(Value::as_str).map(Arc::from).collect()
}

fn names(test: &Test) -> ExecutionInfo {
    let role = test.role_arn.as_deref().and_then(|role| role.split(':').nth(4));
    let account = format!("arn:aws:states:us-east-1:{}", role.unwrap_or("123456789012"));
    let machine = "TestState";
    ExecutionInfo {
        arn: format!("{account}:express:{machine}:test").into(),
        name: "test".into(),
        role_arn: test.role_arn.clone().unwrap_or_else(|| "".into()),
        state_machine_arn: format!("{account}:stateMachine:{machine}").into(),
        state_machine_name: machine.into(),
        token_key: None,
    }
}

/// Whether the tested state was left for the next one.
fn moved_on(engine: &Engine) -> bool {
    engine.history().iter().filter(|event| matches!(event.details, Details::Entered { .. })).count() > 1
}

fn retries(engine: &Engine) -> bool {
    engine.probe().and_then(|probe| probe.handled.as_ref()).is_some_and(|handled| matches!(handled.by, Handler::Retrier(..)))
}

fn response(test: &Test, engine: &Engine, state: &State) -> Value {
    let text = |part: &Option<Arc<str>>| part.clone().map(Value::from);
    let mut out = Map::new();
    let mut details = Map::new();
    let exited = engine.history().iter().find_map(|event| match &event.details {
        Details::Exited { name, output, .. } if *name == state.name => Some(output.clone()),
        _ => None,
    });
    let mut next = engine.history().iter().filter_map(|event| match &event.details {
        Details::Entered { name, .. } => Some(name.clone()),
        _ => None,
    });
    let next = next.nth(1);
    let failed = match engine.outcome() {
        Some(Outcome::Failed { error, cause }) => Some((error.clone(), cause.clone())),
        _ => None,
    };
    let handled = engine.probe().and_then(|probe| probe.handled.clone());
    let (status, error, cause) = match (&handled, failed) {
        (_, Some((error, cause))) => ("FAILED", error, cause),
        (Some(handled), None) => {
            let status = match handled.by {
                Handler::Retrier(index, delay) => {
                    details.insert("retryBackoffIntervalSeconds", seconds(delay));
                    details.insert("retryIndex", index as i64);
                    "RETRIABLE"
                }
                Handler::Catcher(index) => {
                    details.insert("catchIndex", index as i64);
                    "CAUGHT_ERROR"
                }
            };
            (status, handled.error.clone(), handled.cause.clone())
        }
        (None, None) => ("SUCCEEDED", None, None),
    };
    if let Some(output) = exited.filter(|_| status != "FAILED") {
        out.insert("output", output.to_string());
    }
    // The event that a cause refers to is nobody's here, so the API leaves that part out (recorded).
    let cause = cause.map(|cause| match cause.split_once("). ") {
        Some((head, rest)) if head.starts_with("An error occurred while executing the state '") => rest.into(),
        _ => cause,
    });
    for (name, value) in [("error", text(&error)), ("cause", text(&cause))] {
        if let Some(value) = value {
            out.insert(name, value);
        }
    }
    if test.level != Level::Info {
        out.insert("inspectionData", inspection(test, engine, state, details));
    }
    if let Some(next) = next.filter(|_| status != "FAILED") {
        out.insert("nextState", next);
    }
    out.insert("status", status);
    Value::from(out)
}

fn seconds(millis: u64) -> Value {
    if millis.is_multiple_of(1000) { Value::from((millis / 1000) as i64) } else { Value::from(millis as f64 / 1000.0) }
}

/// The stages that the API shows of each kind of state (recorded); payloads as JSON texts, limits as numbers.
fn inspection(test: &Test, engine: &Engine, state: &State, details: Map) -> Value {
    let jsonata = state.language == QueryLanguage::Jsonata;
    let shown: &[&str] = match &state.kind {
        Kind::Task(_) if jsonata => &["afterArguments"],
        Kind::Map(_) if jsonata => &["maxConcurrency", "toleratedFailureCount", "toleratedFailurePercentage"],
        _ if jsonata => &[],
        Kind::Pass { result: Some(_) } => &["result", "afterResultSelector", "afterResultPath"],
        Kind::Pass { .. } => &["afterInputPath", "afterParameters", "afterResultSelector", "afterResultPath"],
        Kind::Task(_) => &["afterInputPath", "afterParameters", "result", "afterResultSelector", "afterResultPath"],
        Kind::Parallel { .. } => &["afterResultSelector", "afterResultPath"],
        Kind::Map(_) => &[
            "afterInputPath",
            "afterItemsPath",
            "afterResultSelector",
            "afterResultPath",
            "maxConcurrency",
            "toleratedFailureCount",
            "toleratedFailurePercentage",
        ],
        _ => &["afterInputPath"],
    };
    let mut data = Map::new();
    data.insert("input", test.input.to_string());
    for stage in engine.trace().iter().filter(|stage| stage.state == state.name && shown.contains(&stage.stage)) {
        let value = if stage.stage.starts_with("after") || stage.stage == "result" {
            Value::from(stage.value.to_string())
        } else {
            stage.value.clone()
        };
        data.insert(stage.stage, value);
    }
    if !test.variables.is_empty() {
        data.insert("variables", Value::from(test.variables.clone()).to_string());
    }
    if !details.is_empty() {
        data.insert("errorDetails", Value::from(details));
    }
    Value::from(data)
}
