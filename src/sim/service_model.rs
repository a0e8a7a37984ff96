//! Checks a mocked result against the API model of its service, with AWS's messages (recorded). The host provides the models,
//! because AWS has hundreds and changes them daily.

use crate::asl::resource::{Pattern, Resource};
use crate::base::{Map, Value, json};

/// Asks the host for the shape of an API's response: the service (`s3`, `dynamodb`) and the action (`getObject`) as in a
/// Resource. For a `.sync` integration the action is the API that is polled, if it is known, and otherwise the API with its
/// suffix.
///
/// A shape is as in AWS's own models (botocore's `service-2.json`): `type` (`structure`, `list`, `map`, `string`, `integer`,
/// `long`, `float`, `double`, `boolean`, `timestamp`, `blob`), `members` and `required`, `member`, `value`, `enum`, `min`,
/// `max`. A reference `{"shape": NAME}` is looked up in `shapes` of the shape that was returned.
/// `min`, `max`. One that is written `{"shape": NAME}` is found in `shapes` of the one that was given.
pub type ServiceModel<'a> = &'a mut dyn FnMut(&str, &str) -> Option<Value>;

/// How strictly a mock is checked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Required fields must be there, and existing fields must match.
    Strict,
    /// Existing fields must match.
    Present,
    /// There is no check.
    None,
}

impl Mode {
    /// Parses `fieldValidationMode`; the default is STRICT.
    pub(super) fn read(mock: &Value) -> Result<Mode, String> {
        match mock.get("fieldValidationMode").and_then(Value::as_str) {
            None | Some("STRICT") => Ok(Mode::Strict),
            Some("PRESENT") => Ok(Mode::Present),
            Some("NONE") => Ok(Mode::None),
            Some(other) => Err(format!("fieldValidationMode must be STRICT, PRESENT or NONE, not '{other}'")),
        }
    }
}

/// Checks the mocked response of a service, if the host has its model, and returns what is wrong with it. There is no check of functions, activities, results that
/// are returned with a task token, HTTP endpoints, API Gateway, and the APIs of EKS that pass on a response (spec §10.1).
pub(super) fn check(resource: &Resource, result: &Value, mode: Mode, model: ServiceModel<'_>) -> Result<(), String> {
    let Resource::Service { kind, api, pattern } = resource else { return Ok(()) };
    let passes_on = match &**kind {
        "http" | "apigateway" => true,
        "eks" => api.starts_with("call") || api.starts_with("runJob"),
        _ => *pattern == Pattern::Callback,
    };
    if passes_on || mode == Mode::None || *result == Value::Null {
        return Ok(());
    }
    let service = kind.strip_prefix("aws-sdk:").unwrap_or(kind);
    let action = match (service, &**api) {
        ("states", "startExecution.sync" | "startExecution.sync:2") => "describeExecution",
        ("batch", "submitJob.sync") => "describeJobs",
        (_, api) => api,
    };
    let Some(shape) = model(service, action) else { return Ok(()) };
    let check = Check { shapes: shape.get("shapes").cloned().unwrap_or_default(), strict: mode == Mode::Strict };
    // Step Functions parses these members, which are text in the API's response.
    let parsed: &[&str] = match (&**kind, &**api) {
        ("lambda", "invoke") => &["Payload"],
        ("states", "startExecution.sync:2") => &["Input", "Output"],
        _ => &[],
    };
    check.value(&shape, result, None, parsed)
}

struct Check {
    shapes: Value,
    strict: bool,
}

impl Check {
    /// Checks a value. The recursion is bounded by the depth of the mock. The members in `any` may have any value.
    fn value(&self, shape: &Value, value: &Value, name: Option<&str>, any: &[&str]) -> Result<(), String> {
        let shape = self.resolve(shape);
        let field = || format!("Field '{}'", name.unwrap_or_default());
        let must_be = |what: &str| match name {
            Some(_) => Err(format!("{} must be {what}", field())),
            None => Err(format!("The result must be {what}")),
        };
        let length = |length: usize| {
            self.range(shape, length as f64, &field, ("is smaller than the minimum length", "exceeds the maximum length"))
        };
        match (shape.get("type").and_then(Value::as_str).unwrap_or_default(), value) {
            ("structure", Value::Object(members)) => self.structure(shape, members, any),
            ("structure", _) if shape.get("document").and_then(Value::as_bool) == Some(true) => Ok(()),
            ("map", Value::Object(members)) => {
                length(members.len())?;
                let inner = shape.get("value").cloned().unwrap_or_default();
                members.values().try_for_each(|value| self.value(&inner, value, name, &[]))
            }
            ("structure" | "map", _) => must_be("an object"),
            ("list", Value::Array(items)) => {
                length(items.len())?;
                let inner = shape.get("member").cloned().unwrap_or_default();
                items.iter().try_for_each(|item| self.value(&inner, item, name, &[]))
            }
            ("list", _) => must_be("an array"),
            ("string", Value::String(text)) => {
                let known = shape.get("enum").and_then(Value::as_array);
                if known.is_some_and(|known| !known.contains(value)) {
                    return Err(format!("{} is not an expected value", field()));
                }
                length(text.chars().count())
            }
            ("blob", Value::String(text)) => length(text.len()),
            ("timestamp", Value::String(_)) | ("boolean", Value::Bool(_)) => Ok(()),
            ("string" | "blob" | "timestamp", _) => must_be("a string"),
            ("boolean", _) => must_be("a boolean"),
            ("integer" | "long" | "float" | "double" | "bigdecimal" | "biginteger", Value::Number(number)) => {
                let words = ("is less than the minimum value", "exceeds the maximum value");
                self.range(shape, number.as_f64(), &field, words)
            }
            ("integer" | "long" | "float" | "double" | "bigdecimal" | "biginteger", _) => must_be("a number"),
            // The type is unknown.
            _ => Ok(()),
        }
    }

    fn structure(&self, shape: &Value, value: &Map, any: &[&str]) -> Result<(), String> {
        let required = shape.get("required").and_then(Value::as_array).unwrap_or_default().iter().filter_map(Value::as_str);
        if let Some(missing) = required.map(cased).find(|name| self.strict && !value.contains_key(name)) {
            return Err(format!("Required field '{missing}' is missing"));
        }
        let members = shape.get("members").and_then(Value::as_object);
        for (name, inner) in members.into_iter().flat_map(Map::iter) {
            let name = cased(name);
            // Members that are not in the model are permitted, because services grow.
            if let Some(value) = value.get(&name).filter(|_| !any.contains(&&*name)) {
                self.value(inner, value, Some(&name), &[])?;
            }
        }
        Ok(())
    }

    fn range(&self, shape: &Value, n: f64, field: &dyn Fn() -> String, words: (&str, &str)) -> Result<(), String> {
        let bound = |name: &str| shape.get(name).and_then(Value::as_f64);
        match (bound("min"), bound("max")) {
            (Some(min), _) if n < min => Err(format!("{} {}", field(), words.0)),
            (_, Some(max)) if n > max => Err(format!("{} {}", field(), words.1)),
            _ => Ok(()),
        }
    }

    /// Resolves a reference to a shape; the loop ends even if references form a cycle.
    fn resolve<'a>(&'a self, shape: &'a Value) -> &'a Value {
        let mut shape = shape;
        for _ in 0..json::MAX_DEPTH {
            match shape.get("shape").and_then(Value::as_str).and_then(|name| self.shapes.get(name)) {
                Some(named) => shape = named,
                None => break,
            }
        }
        shape
    }
}

/// Returns a member's name in Step Functions, which is that of the SDK for Java with a capital. Of several capitals at the
/// beginning, those before the next word become lower case: `DBInstances` is `DbInstances`, and `ETag` is unchanged.
fn cased(name: &str) -> String {
    let bytes = name.as_bytes();
    let mut run = bytes.first().is_some_and(u8::is_ascii_uppercase);
    let letters = name.char_indices().map(|(i, letter)| match i {
        0 => letter.to_ascii_uppercase(),
        _ => {
            run &= letter.is_ascii_uppercase() && !bytes.get(i + 1).is_some_and(u8::is_ascii_lowercase);
            if run { letter.to_ascii_lowercase() } else { letter }
        }
    });
    letters.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_have_the_names_of_the_sdk_for_java() {
        let names = ["DBInstances", "ETag", "ACL", "SSEKMSKeyId", "jobName", "S3Key", "Id", "é", ""];
        let expected = ["DbInstances", "ETag", "Acl", "SsekmsKeyId", "JobName", "S3Key", "Id", "é", ""];
        assert_eq!(names.map(cased), expected.map(String::from));
    }

    #[test]
    fn mocks_are_checked() {
        let shape = json::parse(
            r#"{"shape":"Out","shapes":{
                "Out":{"type":"structure","required":["id"],"members":{
                    "id":{"shape":"Id"},"Size":{"type":"integer","min":1,"max":9},"State":{"type":"string","enum":["ON","OFF"]},
                    "Data":{"type":"blob","min":1},"Tags":{"type":"map","value":{"type":"string"}},"Next":{"shape":"Out"},
                    "Parts":{"type":"list","member":{"shape":"Out"}},"At":{"type":"timestamp"},"Done":{"type":"boolean"}}},
                "Id":{"type":"string","max":4}}}"#,
        )
        .unwrap();
        let check = |resource: &str, mock: &str, mode: Mode, expected: Result<(), &str>| {
            let mut asked = Vec::new();
            let mut model = |service: &str, action: &str| {
                asked.push(format!("{service} {action}"));
                Some(shape.clone())
            };
            let found = check(&Resource::parse(resource), &json::parse(mock).unwrap(), mode, &mut model);
            assert_eq!(found, expected.map_err(str::to_owned), "{mock}");
            asked
        };
        let sdk = "arn:aws:states:::aws-sdk:thing:describeThing";
        use Mode::{None, Present, Strict};
        assert_eq!(check(sdk, r#"{"Id":"a","Other":1}"#, Strict, Ok(())), ["thing describeThing"]);
        check(sdk, "{}", Strict, Err("Required field 'Id' is missing"));
        check(sdk, "{}", Present, Ok(()));
        check(sdk, r#"{"Id":7}"#, None, Ok(()));
        check(sdk, r#"{"Id":7}"#, Present, Err("Field 'Id' must be a string"));
        check(sdk, r#"{"Id":"abcde"}"#, Present, Err("Field 'Id' exceeds the maximum length"));
        check(sdk, r#"{"Size":0}"#, Present, Err("Field 'Size' is less than the minimum value"));
        check(sdk, r#"{"Size":10}"#, Present, Err("Field 'Size' exceeds the maximum value"));
        check(sdk, r#"{"Size":"9"}"#, Present, Err("Field 'Size' must be a number"));
        check(sdk, r#"{"State":"UP"}"#, Present, Err("Field 'State' is not an expected value"));
        check(sdk, r#"{"Data":""}"#, Present, Err("Field 'Data' is smaller than the minimum length"));
        check(sdk, r#"{"Tags":{"a":1}}"#, Present, Err("Field 'Tags' must be a string"));
        check(sdk, r#"{"Tags":[]}"#, Present, Err("Field 'Tags' must be an object"));
        check(sdk, r#"{"Parts":{}}"#, Present, Err("Field 'Parts' must be an array"));
        check(sdk, r#"{"Parts":[{"Id":"a"},{"Next":{"Done":1}}]}"#, Present, Err("Field 'Done' must be a boolean"));
        check(sdk, r#"{"Id":"a","Parts":[{}]}"#, Strict, Err("Required field 'Id' is missing"));
        check(sdk, r#"{"At":1}"#, Present, Err("Field 'At' must be a string"));
        check(sdk, "[]", Present, Err("The result must be an object"));
        // These cases test what is polled and what is not checked.
        let polled = check("arn:aws:states:::states:startExecution.sync:2", r#"{"Id":"a"}"#, Strict, Ok(()));
        assert_eq!(polled, ["states describeExecution"]);
        for resource in [
            "arn:aws:lambda:us-east-1:123456789012:function:F",
            "arn:aws:states:::sqs:sendMessage.waitForTaskToken",
            "arn:aws:states:::http:invoke",
            "arn:aws:states:::eks:call",
        ] {
            assert!(check(resource, "{}", Strict, Ok(())).is_empty(), "{resource}");
        }
    }
}
