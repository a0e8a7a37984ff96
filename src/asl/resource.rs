//! The forms of a Task's `Resource` (spec §11.1): its name in the history, and how it completes.

use std::sync::Arc;

/// The form of a `Resource`, derived from its text alone.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Resource {
    /// `arn:…:lambda:…:function:NAME[:QUALIFIER]`
    Lambda {
        /// `NAME`
        function: Arc<str>,
    },
    /// `arn:…:states:…:activity:NAME`
    Activity {
        /// `NAME`
        name: Arc<str>,
    },
    /// `arn:…:states:…:SERVICE:API[.sync|.sync:2|.waitForTaskToken]`, and any other URI.
    Service {
        /// Its `resourceType` in the history: `sqs`, `aws-sdk:s3`.
        kind: Arc<str>,
        /// Its `resource` in the history: `sendMessage.waitForTaskToken`.
        api: Arc<str>,
        /// When the state continues.
        pattern: Pattern,
    },
}

/// Built-in tasks: the part after `urn:stepglass:` of the Resources that Stepglass runtimes handle themselves.
pub const BUILTIN_TASKS: [&str; 6] =
    ["waitForSignal", "signalExecution", "setState", "setAttributes", "cancelExecution", "continueAsNew"];

/// The Resource of the built-in task that waits for a signal.
const WAIT_FOR_SIGNAL: &str = "urn:stepglass:waitForSignal";

/// The service integration patterns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Pattern {
    /// The state continues with the response.
    RequestResponse,
    /// `.sync`, `.sync:2`: the state waits for the job.
    Sync,
    /// `.waitForTaskToken`: the state waits until the token is returned.
    Callback,
}

impl Resource {
    /// Parses a `Resource`. Every text is some resource; one that is not an ARN is a service with that name.
    pub fn parse(text: &str) -> Resource {
        let parts: Vec<&str> = text.splitn(6, ':').collect();
        if let ["arn", _, service, _, _, rest] = parts[..] {
            if service == "lambda"
                && let Some(function) = rest.strip_prefix("function:")
            {
                let name = function.split(':').next().unwrap_or(function);
                return Resource::Lambda { function: name.into() };
            }
            if service == "states" {
                if let Some(name) = rest.strip_prefix("activity:") {
                    return Resource::Activity { name: name.into() };
                }
                return service_resource(rest);
            }
            return service_resource(&format!("{service}:{rest}"));
        }
        service_resource(text)
    }

    /// Whether the Task has a token: `.waitForTaskToken`, `.sync` and activities.
    pub fn has_token(&self) -> bool {
        match self {
            Resource::Lambda { .. } => false,
            Resource::Activity { .. } => true,
            Resource::Service { pattern, .. } => *pattern != Pattern::RequestResponse,
        }
    }

    /// The pattern. Lambda functions and activities are request-response.
    pub fn pattern(&self) -> Pattern {
        match self {
            Resource::Service { pattern, .. } => *pattern,
            _ => Pattern::RequestResponse,
        }
    }
}

/// Parses `aws-sdk:s3:getObject` as the API `getObject` of `aws-sdk:s3`; a suffix belongs to the API.
fn service_resource(rest: &str) -> Resource {
    let (base, suffix) = match rest.find(".sync").or_else(|| rest.find(".waitForTaskToken")) {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    let pattern = match suffix {
        // It waits for an external party, which does not need the token.
        "" if rest == WAIT_FOR_SIGNAL => Pattern::Callback,
        "" => Pattern::RequestResponse,
        s if s.starts_with(".sync") => Pattern::Sync,
        _ => Pattern::Callback,
    };
    let (kind, api) = base.rsplit_once(':').unwrap_or(("", base));
    Resource::Service { kind: kind.into(), api: format!("{api}{suffix}").into(), pattern }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes() {
        let check = |text: &str, kind: &str, api: &str, pattern: Pattern| {
            assert_eq!(Resource::parse(text), Resource::Service { kind: kind.into(), api: api.into(), pattern }, "{text}");
        };
        check("arn:aws:states:::lambda:invoke.waitForTaskToken", "lambda", "invoke.waitForTaskToken", Pattern::Callback);
        check("arn:aws:states:::aws-sdk:s3:headBucket", "aws-sdk:s3", "headBucket", Pattern::RequestResponse);
        check("arn:aws:states:::states:startExecution.sync:2", "states", "startExecution.sync:2", Pattern::Sync);
        check("arn:aws:states:us-east-1:123456789012:task:HelloWorld", "task", "HelloWorld", Pattern::RequestResponse);
        check("urn:stepglass:waitForSignal", "urn:stepglass", "waitForSignal", Pattern::Callback);
        check("urn:stepglass:setState", "urn:stepglass", "setState", Pattern::RequestResponse);
        check("mine", "", "mine", Pattern::RequestResponse);
        assert_eq!(Resource::parse("arn:aws:lambda:eu-west-1:1:function:f:PROD"), Resource::Lambda { function: "f".into() });
        assert_eq!(Resource::parse("arn:aws:states:eu-west-1:1:activity:a"), Resource::Activity { name: "a".into() });
    }
}
