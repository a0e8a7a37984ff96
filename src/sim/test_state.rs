//! The TestState API: one state, one input, one mocked result (spec §10).

use super::service_model::{self, ServiceModel};
use crate::asl::ir::{Kind, Machine, QueryLanguage, State};
use crate::asl::resource::{Pattern, Resource};
use crate::asl::{self, CompileOptions};
use crate::base::json::{JsonError, Located, Node, Parts};
use crate::base::{Map, Millis, Rng, Span, Value, json};
use crate::engine::{Command, Details, Engine, Event, ExecutionInfo, Handler, Mock, Options, Outcome, Probe, StepError};
use std::fmt;
use std::sync::Arc;

/// The reason why a request is refused: the code and the message of the API's exception.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestStateError {
    /// `ValidationException`, `InvalidDefinition`, `InvalidExecutionInput`
    pub code: &'static str,
    /// The message, in AWS's words if they are known.
    pub message: String,
    /// What is wrong with the mocked result, if the model of its service refuses it: `Field 'MessageId' must be a string`.
    pub mock_problem: Option<String>,
}

impl fmt::Display for TestStateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl std::error::Error for TestStateError {}

fn refuse<T>(message: impl Into<String>) -> Result<T, TestStateError> {
    Err(TestStateError { code: "ValidationException", message: message.into(), mock_problem: None })
}

fn invalid<T>(message: impl Into<String>) -> Result<T, TestStateError> {
    Err(TestStateError { code: "InvalidDefinition", message: message.into(), mock_problem: None })
}

/// Tests one state like the API. The members of the request and of the response are those of the API, with payloads as JSON
/// values, or as either values or texts where the API has texts.
///
/// Request: `definition` (a state, or a machine with `stateName`), `input`, `inspectionLevel` (`INFO`, `DEBUG`, `TRACE`),
/// `variables`, `context`, `mock` (`{result}` or `{errorOutput: {error, cause}}`), `stateConfiguration`
/// (`retrierRetryCount`, `mapIterationFailureCount`, `errorCausedByState`, `mapItemReaderData`), `roleArn`, `revealSecrets`.
/// Response: `status` (`SUCCEEDED`, `FAILED`, `RETRIABLE`, `CAUGHT_ERROR`), `output`, `error`, `cause`, `nextState`,
/// `inspectionData`. [`test_state_with`] also checks a mock against the model of its service, and takes a seed and a time.
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
    test_state_with(request, 0, Millis(0), &mut |_, _| None)
}

/// Tests one state at a time, with a seed and with models of services. The names of execution and machine, UUIDs and random
/// numbers are derived from the seed. A mocked result must match the model of its API, according to `mock.fieldValidationMode`
/// (`STRICT`, the default: all required fields exist and every field matches; `PRESENT`: existing fields match; `NONE`).
///
/// ```
/// use stepglass::base::{Millis, json};
/// use stepglass::sim::test_state_with;
///
/// let request = json::parse(r#"{
///   "definition": {"Type": "Task", "Resource": "arn:aws:states:::sqs:sendMessage", "End": true},
///   "mock": {"result": {"MessageId": 7}}, "roleArn": "arn:aws:iam::123456789012:role/r"}"#).unwrap();
/// let shape = json::parse(r#"{"type": "structure", "members": {"MessageId": {"type": "string"}}}"#).unwrap();
/// let mut model = |service: &str, action: &str| (service == "sqs" && action == "sendMessage").then(|| shape.clone());
/// let refused = test_state_with(&request, 1, Millis(0), &mut model).unwrap_err();
/// assert_eq!(refused.message, "Mock result schema validation error: Field 'MessageId' must be a string");
/// assert_eq!(refused.mock_problem.as_deref(), Some("Field 'MessageId' must be a string"));
/// ```
pub fn test_state_with(request: &Value, seed: u64, now: Millis, model: ServiceModel<'_>) -> Result<Value, TestStateError> {
    let test = Test::read(request)?;
    let (machine, within_map) = test.machine()?;
    let state = &machine.states[machine.scopes[Machine::ROOT].start];
    if let Some(context) = &test.context {
        check_context(context, state)?;
    }
    let mock = test.mock(state, model)?;
    let takes_children = matches!(state.kind, Kind::Parallel { .. } | Kind::Map(_));
    let probe = Probe {
        variables: test.variables.clone(),
        context: test.context.clone(),
        within_map,
        attempts: test.retries,
        mock: mock.clone().filter(|_| takes_children),
        read: test.read.clone(),
        failures: test.failures.unwrap_or(0),
        ..Probe::default()
    };
    let options = Options { express: true, trace: true, step_budget: 1, ..Options::default() };
    let mut engine = Engine::with_probe(machine.clone(), options, probe);
    let mut rng = Rng::new(seed);
    let execution = names(&test, &mut rng);
    let mut next = Some((now, Event::Start { input: test.input.clone(), execution, seed: rng.next_u64() }));
    // A state and its successor take only a few steps; this stops an endless loop.
    for _ in 0..16 {
        let Some((now, event)) = next.take() else { break };
        // The events follow the protocol, so only an invalid input can be refused.
        let step = engine.step(now, event).map_err(|error| {
            let code = if error == StepError::InputTooDeep { "InvalidExecutionInput" } else { "ValidationException" };
            TestStateError { code, message: error.to_string(), mock_problem: None }
        })?;
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
    let iterations = engine.probe().and_then(|probe| probe.iterations);
    let unread = || match (&state.kind, &mock) {
        (Kind::Map(map), Some(Ok(Value::Array(results)))) if map.item_reader.is_some() => Some(results.len() as u64),
        _ => None,
    };
    if iterations.or_else(unread).is_some_and(|most| test.failures > Some(most)) {
        return refuse("Map iteration failure count must be less than or equal to the number of Map iterations");
    }
    Ok(response(&test, &engine, state))
}

/// A parsed request.
struct Test {
    definition: Value,
    state_name: Option<Arc<str>>,
    input: Value,
    level: Level,
    variables: Map,
    context: Option<Value>,
    mock: Option<Value>,
    /// The mocked result, if it was given as a text.
    mocked: Option<Value>,
    role_arn: Option<Arc<str>>,
    retries: u64,
    failures: Option<u64>,
    /// The text that the ItemReader of a Map has read.
    read: Option<Arc<str>>,
    /// The JSON texts from the caller.
    texts: Vec<SourceText>,
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
        let mut texts = Vec::new();
        let mut given = |name: &str| -> Result<Option<Value>, JsonError> {
            let Some(Value::String(text)) = part(name) else { return Ok(part(name).cloned()) };
            let written = SourceText::read(text)?;
            let value = written.place.value.clone();
            texts.push(written);
            Ok(Some(value))
        };
        let input = match given("input") {
            Ok(input) => input.unwrap_or_else(Value::empty_object),
            Err(error) => {
                let message = format!("Invalid State Machine Execution Input: '{error}'");
                return Err(TestStateError { code: "InvalidExecutionInput", message, mock_problem: None });
            }
        };
        let context = given("context").or_else(|error| refuse(format!("Invalid Context object provided: {error}")))?;
        if context.is_some() && mock.is_none() {
            return refuse("TestState does not support a Context object when a mock is not specified.");
        }
        let variables = match given("variables").or_else(|error| refuse(format!("variables must be valid JSON: {error}")))? {
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
        let mut mocked = None;
        if let Some(Value::String(text)) = mock.as_ref().and_then(|mock| mock.get("result")) {
            let Ok(written) = SourceText::read(text) else { return refuse("Mocked result must be valid JSON") };
            mocked = Some(written.place.value.clone());
            texts.push(written);
        }
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
            mocked,
            read: configuration.and_then(|c| c.get("mapItemReaderData")).filter(|data| !data.is_null()).map(|data| match data {
                Value::String(text) => text.clone(),
                value => value.to_string().into(),
            }),
            texts,
        })
    }

    /// Returns a value's JSON text: the caller's own text if the value was passed on unchanged.
    fn text_of(&self, value: &Value) -> String {
        self.texts.iter().find_map(|written| written.find(value)).map_or_else(|| value.to_string(), String::from)
    }

    /// Returns a machine that starts with the state and has a stub for each possible next state, and whether the state is
    /// inside of a Map, as [`find`] returns it.
    fn machine(&self) -> Result<(Arc<Machine>, Option<bool>), TestStateError> {
        let ((state, within_map), language) = match &self.state_name {
            None => ((self.definition.clone(), None), None),
            Some(name) => match find(&self.definition, name, None, 0) {
                Some(found) => (found, self.definition.get("QueryLanguage").cloned()),
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
            return Ok((Arc::new(machine), within_map));
        }
        let text = asl::answer::create_error(&compiled).unwrap_or_else(|| "Invalid State Machine Definition".into());
        let name = self.state_name.as_deref().unwrap_or(TESTED);
        invalid(text.replace(&format!("/States/{TESTED}"), &format!("/States/{name}")))
    }

    /// Returns the mocked result or error, after checking it for the type of state.
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
        let result = self.mocked.clone().unwrap_or_else(|| result.clone());
        match &state.kind {
            Kind::Task(task) => {
                let mode = service_model::Mode::read(mock).or_else(refuse)?;
                service_model::check(&Resource::parse(&task.resource), &result, mode, model).map_err(|problem| TestStateError {
                    code: "ValidationException",
                    message: format!("Mock result schema validation error: {problem}"),
                    mock_problem: Some(problem),
                })?;
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
                    return refuse("Mocked result must be a JSON object.");
                }
            }
            _ => {}
        }
        Ok(Some(Ok(result)))
    }
}

/// The name that a tested state has in its Context Object, regardless of its name in the machine (recorded).
const TESTED: &str = "StateName";

/// The members that a Context Object may have, with their types; an execution's input may be of any type.
const CONTEXT_MEMBERS: &str = "Execution object
Execution.Id string
Execution.Input value
Execution.Name string
Execution.RoleArn string
Execution.StartTime string
Execution.RedriveCount integer
Execution.RedriveTime string
State object
State.EnteredTime string
State.Name string
State.RetryCount integer
StateMachine object
StateMachine.Id string
StateMachine.Name string
Task object
Task.Token string";

fn check_context(context: &Value, state: &State) -> Result<(), TestStateError> {
    let problem = if context.as_object().is_none() {
        "it must be a JSON object".to_string()
    } else if context.get("Map").is_some() {
        "'Map' field is not supported when mocking a Context object".to_string()
    } else if let Some(problem) = wrong_member(context, "") {
        problem
    } else if context.get("Task").is_some() && !matches!(&state.kind, Kind::Task(task) if has_token(&task.parsed)) {
        "Context object contains 'Task' when state is not a Task state with a '.sync' or '.waitForTaskToken' service integration \
         pattern"
            .to_string()
    } else {
        return Ok(());
    };
    refuse(format!("Invalid Context object provided: {problem}"))
}

/// Returns the error of the first invalid member. `path` is that of the object, with a dot at the end.
fn wrong_member(object: &Value, path: &str) -> Option<String> {
    object.as_object()?.iter().find_map(|(name, value)| {
        let path = format!("{path}{name}");
        let wanted = CONTEXT_MEMBERS.lines().find_map(|line| line.strip_prefix(&*path)?.strip_prefix(' '));
        let Some(wanted) = wanted else { return Some(format!("Field '{name}' is not allowed")) };
        match wanted == "value" || wanted == value.type_name() || wanted == "integer" && value.as_i64().is_some() {
            false => Some(format!("{path} must be a {wanted}")),
            true if wanted == "object" => wrong_member(value, &format!("{path}.")),
            true => None,
        }
    })
}

fn has_token(resource: &Resource) -> bool {
    matches!(resource.pattern(), Pattern::Callback | Pattern::Sync)
}

/// A JSON text from the caller, with the spans of the values in it.
struct SourceText {
    text: Arc<str>,
    place: Located,
}

impl SourceText {
    fn read(text: &Arc<str>) -> Result<SourceText, JsonError> {
        Ok(SourceText { text: text.clone(), place: json::parse_located(text)? })
    }

    /// Returns the text of a value that is identical to this one, or to one inside of it, and not a copy.
    fn find(&self, value: &Value) -> Option<&str> {
        let span = match value {
            Value::Array(_) | Value::Object(_) => span(&self.place.value, &self.place.root, value)?,
            // Scalars have no address that identifies them.
            _ if *value == self.place.value && value.to_string() == self.place.value.to_string() => self.place.root.span,
            _ => return None,
        };
        self.text.get(span.start..span.end)
    }
}

/// Returns the span of a container in another one. The recursion is bounded by the depth of a parsed text.
fn span(within: &Value, node: &Node, value: &Value) -> Option<Span> {
    match (within, value, &node.parts) {
        (Value::Array(a), Value::Array(b), _) if Arc::ptr_eq(a, b) => Some(node.span),
        (Value::Object(a), Value::Object(b), _) if Arc::ptr_eq(a, b) => Some(node.span),
        (Value::Array(items), _, Parts::Elements(nodes)) => {
            items.iter().zip(nodes).find_map(|(item, node)| span(item, node, value))
        }
        (Value::Object(_), _, Parts::Members(members)) => {
            members.iter().find_map(|(name, _, node)| span(within.get(name)?, node, value))
        }
        _ => None,
    }
}

/// Finds the state with a name at any depth. If it is inside of a Map, also returns whether that is a Distributed one. The
/// compiler limits how deep definitions nest; the bound here is for definitions that were not compiled.
fn find(machine: &Value, name: &str, within: Option<bool>, depth: usize) -> Option<(Value, Option<bool>)> {
    let states = machine.get("States")?.as_object()?;
    if let Some(state) = states.get(name) {
        return Some((state.clone(), within));
    }
    if depth > json::MAX_DEPTH {
        return None;
    }
    states.values().find_map(|state| {
        let processors = ["ItemProcessor", "Iterator"].iter().filter_map(|field| state.get(field));
        let branches = state.get("Branches").and_then(Value::as_array).unwrap_or_default();
        let mode = |scope: &Value| scope.get("ProcessorConfig")?.get("Mode")?.as_str().map(|mode| mode == "DISTRIBUTED");
        let inside = processors.map(|scope| (scope, Some(mode(scope).unwrap_or(false))));
        inside.chain(branches.iter().map(|scope| (scope, within))).find_map(|(scope, within)| find(scope, name, within, depth + 1))
    })
}

/// Returns all states to which a state may lead.
fn targets(state: &Value) -> Vec<Arc<str>> {
    let list = |field: &str| state.get(field).and_then(Value::as_array).unwrap_or_default();
    let nexts = list("Choices").iter().chain(list("Catch")).filter_map(|rule| rule.get("Next"));
    let own = [state.get("Next"), state.get("Default")].into_iter().flatten();
    own.chain(nexts).filter_map(Value::as_str).map(Arc::from).collect()
}

/// Returns the names of a test's execution, which nobody has chosen (recorded: they differ from call to call).
fn names(test: &Test, rng: &mut Rng) -> ExecutionInfo {
    let role = test.role_arn.as_deref().and_then(|role| role.split(':').nth(4));
    let account = format!("arn:aws:states:us-east-1:{}", role.unwrap_or("123456789012"));
    let (machine, name) = (rng.uuid(), rng.uuid());
    ExecutionInfo {
        arn: format!("{account}:express:{machine}:{name}").into(),
        name: name.into(),
        role_arn: test.role_arn.clone().unwrap_or_else(|| "".into()),
        state_machine_arn: format!("{account}:stateMachine:{machine}").into(),
        state_machine_name: machine.into(),
        token_key: None,
    }
}

/// Whether the execution has left the tested state for the next one.
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
    // This includes a retrier whose attempts are used up, so that the error goes to a catcher or fails the state.
    if let Some(index) = engine.probe().and_then(|probe| probe.retrier) {
        details.insert("retryIndex", index as i64);
    }
    let (status, error, cause) = match (&handled, failed) {
        (_, Some((error, cause))) => ("FAILED", error, cause),
        (Some(handled), None) => {
            let status = match handled.by {
                Handler::Retrier(delay) => {
                    details.insert("retryBackoffIntervalSeconds", (delay / 1000) as i64);
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
        out.insert("output", test.text_of(&output));
    }
    // The event to which a cause refers is not visible here, so the API leaves out that part (recorded).
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

/// Returns the stages that the API shows for each type of state (recorded), with payloads as JSON texts and limits as numbers.
fn inspection(test: &Test, engine: &Engine, state: &State, details: Map) -> Value {
    let jsonata = state.language == QueryLanguage::Jsonata;
    let shown: &[&str] = match &state.kind {
        Kind::Task(_) if jsonata => &["afterArguments", "result"],
        Kind::Map(_) if jsonata => &["maxConcurrency", "toleratedFailureCount", "toleratedFailurePercentage"],
        _ if jsonata => &[],
        Kind::Pass { result: Some(_) } => &["result", "afterResultSelector", "afterResultPath"],
        Kind::Pass { .. } => &["afterInputPath", "afterParameters", "afterResultSelector", "afterResultPath"],
        Kind::Task(_) => &["afterInputPath", "afterParameters", "result", "afterResultSelector", "afterResultPath"],
        Kind::Parallel { .. } => &["afterResultSelector", "afterResultPath"],
        Kind::Map(_) => &[
            "afterInputPath",
            "afterItemsPath",
            "afterItemsPointer",
            "afterResultSelector",
            "afterResultPath",
            "maxConcurrency",
            "toleratedFailureCount",
            "toleratedFailurePercentage",
        ],
        _ => &["afterInputPath"],
    };
    let mut data = Map::new();
    data.insert("input", test.text_of(&test.input));
    let mut variables = test.variables.clone();
    let (mut items, mut batches) = (Vec::new(), Vec::new());
    for stage in engine.trace() {
        if stage.state != state.name {
            continue;
        }
        match stage.stage {
            "afterItemSelector" => items.push(stage.value.clone()),
            "afterItemBatcher" => batches.push(stage.value.clone()),
            "assignedVariables" => {
                for (name, value) in stage.value.as_object().into_iter().flat_map(Map::iter) {
                    variables.insert(name.clone(), value.clone());
                }
            }
            name if !shown.contains(&name) => {}
            name => {
                let payload = name.starts_with("after") || name == "result";
                data.insert(name, if payload { test.text_of(&stage.value).into() } else { stage.value.clone() });
            }
        }
    }
    // The values of all items, and of all batches, are one text each.
    for (name, all) in [("afterItemSelector", items), ("afterItemBatcher", batches)] {
        if !all.is_empty() {
            data.insert(name, Value::from(all).to_string());
        }
    }
    if !variables.is_empty() {
        data.insert("variables", Value::from(variables).to_string());
    }
    if !details.is_empty() {
        data.insert("errorDetails", Value::from(details));
    }
    Value::from(data)
}
