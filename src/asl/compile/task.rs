//! Compiles a Task: its Resource, its limits and its credentials.

use super::jsonata::Reach;
use super::state::unsigned;
use super::{Compiler, Position, SCHEMA, Site};
use crate::asl::codes;
use crate::asl::ir::{Field, QueryLanguage, Task};
use crate::asl::resource;
use crate::base::diag::{Diagnostic, Part, Severity};
use crate::base::{Map, Value};

impl Compiler<'_> {
    pub(super) fn task(&mut self, position: &Position<'_>, members: &Map, site: Site, language: QueryLanguage) -> Option<Task> {
        let timeout = self.field(position, members, "TimeoutSeconds", unsigned);
        let heartbeat = self.field(position, members, "HeartbeatSeconds", unsigned);
        if let (Some(Field::Fixed(timeout)), Some(Field::Fixed(heartbeat))) = (&timeout, &heartbeat)
            && heartbeat >= timeout
        {
            let message = format!("a heartbeat of {heartbeat} s is not shorter than the timeout of {timeout} s");
            self.report(
                Diagnostic::new(&codes::HEARTBEAT_TOO_LONG, position.key("HeartbeatSeconds").pointer(), message)
                    .label(position.key("TimeoutSeconds").pointer(), Part::Value, "the timeout")
                    .aws(SCHEMA, "'HeartbeatSeconds' must be smaller than 'TimeoutSeconds'", Some(position.location())),
            );
        }
        let credentials = members.get("Credentials").and_then(|value| self.credentials(position, value, language));
        let resource = members.get("Resource").and_then(Value::as_str)?;
        self.resource(&position.key("Resource"), resource, site);
        if members.contains_key("Credentials") && matches!(Resource::read(resource), Resource::Activity) {
            let message = "activities cannot have `Credentials`: their workers use their own";
            self.report(
                Diagnostic::new(&codes::FIELD_NOT_ALLOWED, position.key("Credentials").pointer(), message).at(Part::Key).aws(
                    SCHEMA,
                    "The field 'Credentials' is not supported for activities",
                    Some(position.location()),
                ),
            );
        }
        self.callback(position, members, resource);
        Some(Task { timeout, heartbeat, credentials, ..Task::of(resource.into()) })
    }

    fn credentials(&mut self, position: &Position<'_>, value: &Value, language: QueryLanguage) -> Option<crate::asl::ir::Payload> {
        let at = position.key("Credentials");
        if let Some(members) = value.as_object()
            && !members.contains_key("RoleArn")
            && (language == QueryLanguage::Jsonata || !members.contains_key("RoleArn.$"))
        {
            let mut diagnostic = Diagnostic::new(&codes::MISSING_FIELD, at.pointer(), "`Credentials` needs `RoleArn`");
            // Recorded for JSONata. The specification lets Credentials be any object, so a JSONPath definition that was written
            // for another interpreter may contain other values.
            if language == QueryLanguage::JsonPath {
                diagnostic = diagnostic.severity(Severity::Warning);
            } else {
                diagnostic = diagnostic.aws(SCHEMA, "The field 'RoleArn' is required but was missing", Some(at.location()));
            }
            self.report(diagnostic);
        }
        matches!(value, Value::Object(_) | Value::String(_)).then(|| self.payload(&at, value, language, Reach::default())).flatten()
    }

    /// Checks the Resource by its form (spec §11.1).
    fn resource(&mut self, position: &Position<'_>, text: &str, site: Site) {
        let resource = Resource::read(text);
        match resource {
            Resource::Impossible(why) => {
                let aws = format!(
                    "The resource provided {text} is not recognized. The value is not a valid resource ARN, or the resource is not \
                     available in this region."
                );
                self.report(Diagnostic::new(&codes::INVALID_RESOURCE, position.pointer(), why).aws(
                    SCHEMA,
                    aws,
                    Some(position.location()),
                ));
            }
            Resource::Unrecognized => {
                let message = match text.strip_prefix("urn:stepglass:") {
                    Some(_) => format!("Stepglass has no task `{text}`; it has {}", resource::BUILTIN_TASKS.join(", ")),
                    None => format!("AWS does not know the resource `{text}`; your own handlers must provide it"),
                };
                self.report(Diagnostic::new(&codes::UNRECOGNIZED_RESOURCE, position.pointer(), message));
            }
            Resource::Activity if site.express => {
                self.express(position, "activities", "Express state machine does not support Activity ARN".into());
            }
            Resource::Service { pattern: Some(pattern) } if site.express => {
                // AWS writes `.sync` for `.sync:2` too.
                let pattern = pattern.trim_end_matches(":2");
                let what = format!("`.{pattern}` integrations");
                // AWS's message about `.waitForTaskToken` has a second blank before "at" (recorded by LocalStack,
                // `test_illegal_callbacks[WAIT_FOR_TASK_TOKEN]`); its message about `.sync` does not.
                let blank = if pattern == "waitForTaskToken" { " " } else { "" };
                let aws = format!("Express state machine does not support '.{pattern}' service integration{blank}");
                self.express(position, &what, aws);
            }
            _ => {}
        }
    }

    pub(super) fn express(&mut self, position: &Position<'_>, what: &str, aws: String) {
        let message = format!("Express executions do not support {what}");
        self.report(Diagnostic::new(&codes::EXPRESS_UNSUPPORTED, position.pointer(), message).aws(
            SCHEMA,
            aws,
            Some(position.location()),
        ));
    }

    /// Reports a callback task that passes its token to nobody.
    fn callback(&mut self, position: &Position<'_>, members: &Map, resource: &str) {
        if !resource.ends_with(".waitForTaskToken") {
            return;
        }
        let passes = ["Parameters", "Arguments"].into_iter().filter_map(|name| members.get(name)).any(mentions_token);
        if !passes {
            let message = "this task waits for its token to come back, but does not pass it on";
            self.report(
                Diagnostic::new(&codes::CALLBACK_WITHOUT_TOKEN, position.key("Resource").pointer(), message)
                    .help("pass `$$.Task.Token` (JSONata: `$states.context.Task.Token`) to the service"),
            );
        }
    }
}

/// Whether a payload reads the task's token, by itself or with the whole Context Object.
fn mentions_token(value: &Value) -> bool {
    match value {
        Value::String(text) => {
            text.contains("Task.Token") || text.trim() == "$$" || text.trim() == "$$.Task" || text.contains("$states.context")
        }
        Value::Array(items) => items.iter().any(mentions_token),
        Value::Object(map) => map.iter().any(|(_, item)| mentions_token(item)),
        _ => false,
    }
}

/// The kinds of Resource that the checks distinguish.
enum Resource {
    /// Neither a URI nor a complete ARN.
    Impossible(&'static str),
    /// A URI that AWS does not know.
    Unrecognized,
    /// A built-in task: a resource that Stepglass runtimes handle themselves.
    Builtin,
    Activity,
    Lambda,
    /// `arn:aws:states:::service:api`, with `sync`, `sync:2` or `waitForTaskToken`.
    Service {
        pattern: Option<&'static str>,
    },
    /// A placeholder of a deployment tool, which may be replaced by anything.
    Placeholder,
}

impl Resource {
    fn read(text: &str) -> Resource {
        if text.trim().is_empty() {
            return Resource::Impossible("`Resource` is empty");
        }
        if text.contains("${") {
            let open = text.matches("${").count();
            let closed = text.split("${").skip(1).filter(|rest| rest.contains('}')).count();
            return if open == closed { Resource::Placeholder } else { Resource::Impossible("the placeholder `${` is not closed") };
        }
        if text.contains("{%") {
            return Resource::Impossible("`Resource` cannot be computed");
        }
        if text.contains(|c: char| c.is_whitespace() || c.is_control()) {
            return Resource::Impossible("a URI cannot contain white space");
        }
        let parts: Vec<&str> = text.splitn(7, ':').collect();
        match *parts.as_slice() {
            ["arn", _, "lambda", _, _, "function", name] => Resource::lambda(name),
            ["arn", _, "states", _, _, "activity", name] if !name.is_empty() => Resource::Activity,
            ["arn", _, "states", _, _, "task", _] => Resource::Unrecognized,
            ["arn", _, "states", _, _, service, api] if !service.is_empty() && !api.is_empty() => {
                let pattern = ["waitForTaskToken", "sync:2", "sync"]
                    .into_iter()
                    .find(|pattern| api.strip_suffix(pattern).is_some_and(|api| api.ends_with('.')));
                Resource::service(service, api, pattern)
            }
            ["arn", _, "lambda" | "states", ..] => Resource::Impossible("the ARN is incomplete"),
            ["urn", "stepglass", name] if resource::BUILTIN_TASKS.contains(&name) => Resource::Builtin,
            _ => Resource::Unrecognized,
        }
    }

    /// Checks a service integration and whether its service has the pattern (measured on AWS, September 2026).
    fn service(service: &str, api: &str, pattern: Option<&'static str>) -> Resource {
        const WITHOUT_SYNC: &[&str] = &["lambda", "sns", "sqs", "dynamodb", "events", "apigateway", "aws-sdk", "bedrock-agentcore"];
        const WITHOUT_TOKEN: &[&str] = &[
            "athena",
            "batch",
            "bedrock-agentcore",
            "codebuild",
            "databrew",
            "dynamodb",
            "elasticmapreduce",
            "emr-containers",
            "emr-serverless",
            "glue",
            "mediaconvert",
            "sagemaker",
        ];
        match pattern {
            Some("sync" | "sync:2") if WITHOUT_SYNC.contains(&service) => {
                Resource::Impossible("this service has no `.sync`: a plain call already waits for its response")
            }
            Some("sync:2") if service != "states" || !api.starts_with("startExecution.") => {
                Resource::Impossible("only `states:startExecution` has `.sync:2`")
            }
            Some("waitForTaskToken") if WITHOUT_TOKEN.contains(&service) => {
                Resource::Impossible("this service has no `.waitForTaskToken`")
            }
            pattern => Resource::Service { pattern },
        }
    }

    /// Checks a function's name with its version or alias.
    fn lambda(name: &str) -> Resource {
        let word = |text: &str| {
            // Examples and recordings have `<name>` and `{name}` in place of names.
            !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '<' | '>' | '{' | '}'))
        };
        let (function, qualifier) = name.split_once(':').map_or((name, None), |(name, qualifier)| (name, Some(qualifier)));
        if !word(function) {
            return Resource::Impossible("the ARN has no valid function name");
        }
        match qualifier {
            Some(qualifier) if qualifier != "$LATEST" && !word(qualifier) => {
                Resource::Impossible("the ARN has no valid version or alias after the function name")
            }
            _ => Resource::Lambda,
        }
    }
}
