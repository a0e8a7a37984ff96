//! This table has the code of every diagnostic, with its severity and its explanation. `docs/errors.md` is generated from it. To find
//! what reports a code, search `src/asl` for its constant.

use crate::base::diag::{Code, Severity};

macro_rules! codes {
    ($($name:ident $text:literal $severity:ident $title:literal $doc:literal)*) => {
        $(
            #[doc = $doc]
            pub static $name: Code = Code { name: $text, severity: Severity::$severity, title: $title };
        )*
        /// All codes in the order of the documentation.
        pub static CODES: &[&Code] = &[$(&$name),*];
        /// The paragraph about each code, in the order of [`CODES`]. It is separate, so that a build that never prints the
        /// documentation does not contain it.
        static DOCS: &[&str] = &[$($doc),*];
    };
}

codes! {
    INVALID_JSON "invalid-json" Error "The text is not JSON"
        "The definition does not parse as JSON: look for an extra comma, a missing quote or a comment. Nothing else is checked until it parses."
    DUPLICATE_KEY "duplicate-key" Error "A member name appears twice in one object"
        "JSON readers keep the last of two members with the same name and silently drop the first, so a state or a field gets lost."
    NOT_AN_OBJECT "not-an-object" Error "The definition is not a JSON object"
        "A state machine is a JSON object with `StartAt` and `States`."
    DEFINITION_TOO_LARGE "definition-too-large" Error "The definition exceeds 1,048,576 characters"
        "AWS accepts definitions of up to 1 MB. Move constant data out of the definition, or split the machine."
    NESTED_TOO_DEEP "nested-too-deep" Error "Parallel and Map states are nested too deeply"
        "Branches and item processors can be nested at most 32 levels deep, and Choice rules at most 64."
    UNKNOWN_FIELD "unknown-field" Error "A field that the language does not have"
        "Field names are case-sensitive, and unknown fields are refused, because most of them are typos. Use `Comment` for remarks."
    FIELD_NOT_ALLOWED "field-not-allowed" Error "A field in a place where it is not allowed"
        "The field exists, but not here: for example `Retry` on a Pass state, `End` in a Choice rule, or `QueryLanguage` in a branch."
    WRONG_QUERY_LANGUAGE "wrong-query-language" Error "A field of the other query language"
        "JSONPath states have InputPath, Parameters, ResultSelector, ResultPath, OutputPath and the fields that end in `Path`; JSONata states have Arguments, Output and Items. A state uses the fields of its own `QueryLanguage`, or else of the machine's."
    QUERY_LANGUAGE_DOWNGRADE "query-language-downgrade" Error "A JSONPath state in a JSONata machine"
        "A machine whose `QueryLanguage` is JSONata cannot have JSONPath states. The reverse is allowed."
    MISSING_FIELD "missing-field" Error "A required field is missing"
        "The object lacks a field that it must have."
    EMPTY_VALUE "empty-value" Error "An empty list or object"
        "`States`, `Branches`, `Choices`, `And`, `Or`, `ErrorEquals` and `ResultWriter` need at least one element."
    WRONG_TYPE "wrong-type" Error "A value of the wrong JSON type"
        "For example, a number is in quotes, or a string is used where a list is needed. In JSONata states, most numbers can also be a `{% … %}` expression."
    OUT_OF_RANGE "out-of-range" Error "A number outside its range"
        "For example a negative `Seconds`, a `BackoffRate` below 1, or a `ToleratedFailurePercentage` above 100."
    UNKNOWN_VALUE "unknown-value" Error "A word that is not allowed here"
        "`Type`, `QueryLanguage`, `Mode`, `ExecutionType`, `JitterStrategy`, `InputType` and a few other fields take one word of a fixed set, spelled exactly."
    NAME_TOO_LONG "name-too-long" Error "A name of more than 80 characters"
        "State names and variable names have at most 80 characters; a state's name has at least one."
    INVALID_TIMESTAMP "invalid-timestamp" Error "Not an RFC 3339 timestamp"
        "Timestamps look like `2026-03-14T01:59:00Z`: upper-case `T`, and `Z` or an offset such as `-07:00`."
    EXCLUSIVE_FIELDS "exclusive-fields" Error "Fields that cannot be used together"
        "Give a value either directly or by a path, and use either the old or the new name of a field, never both. A Wait takes exactly one of its four fields."
    MISSING_ONE_OF "missing-one-of" Error "One of several fields is needed"
        "A Wait needs `Seconds`, `Timestamp`, `SecondsPath` or `TimestampPath`; a Map needs `ItemProcessor`; an `ItemBatcher` needs a limit; a Choice rule needs a comparison."
    MISSING_TRANSITION "missing-transition" Error "Neither `Next` nor `End`"
        "Task, Pass, Wait, Parallel and Map either continue with another state (`Next`) or end their scope (`\"End\": true`)."
    UNKNOWN_TARGET "unknown-target" Error "A transition to a state that does not exist here"
        "`StartAt`, `Next`, `Default` and the `Next` of rules and catchers name a state of the same `States` object. No transition leads into or out of a branch or an item processor."
    UNREACHABLE_STATE "unreachable-state" Error "No transition leads to this state"
        "Every state must be reachable from the `StartAt` of its `States` object. AWS refuses machines with states that can never run."
    NO_TERMINAL_STATE "no-terminal-state" Error "The machine can never end"
        "The machine's top-level `States` need at least one state with `\"End\": true` or of type Succeed or Fail."
    ENDLESS_LOOP "endless-loop" Warning "A loop without exit"
        "These states cannot reach a terminal state: an execution that enters them runs until it fails, times out or is stopped."
    DUPLICATE_STATE "duplicate-state" Error "Two states with the same name"
        "State names must be unique in the whole machine, including all branches and item processors."
    INVALID_PATH "invalid-path" Error "Not a valid path"
        "Paths start with `$` (the input), `$$` (the Context Object) or `$name` (a variable) and continue with `.name`, `['name']`, `[0]`, `[1:3]`, `[*]`, `..name` or `[?(…)]`."
    INVALID_REFERENCE_PATH "invalid-reference-path" Error "Not a valid Reference Path"
        "A Reference Path names one node. It has only `.name`, `['name']` and `[0]`: no wildcards, slices, filters or functions. `ResultPath` must also start from the input, not from a variable or the Context Object."
    INVALID_TEMPLATE "invalid-template" Error "A `.$` field that is neither a path nor an intrinsic function"
        "The value of a field whose name ends in `.$` must be a string: a path, or a call such as `States.Format('{}', $.name)`. In the call's strings, the only escapes are `\\'`, `\\{`, `\\}` and `\\\\`."
    DUPLICATE_TEMPLATE_FIELD "duplicate-template-field" Error "`x` and `x.$` in one object"
        "The result drops the suffix `.$`, so both fields would be called `x`."
    INVALID_INTRINSIC "invalid-intrinsic" Error "Not a valid intrinsic function call"
        "`ErrorPath` and `CausePath` take a Reference Path or a call of an intrinsic function that returns a string."
    INTRINSIC_ARGUMENTS "intrinsic-arguments" Warning "An intrinsic function called with wrong arguments"
        "The number of arguments, or the type of a literal argument, is wrong: the execution will fail every time it gets here."
    LITERAL_PATH "literal-path" Warning "A string that looks like a path but is taken literally"
        "In Parameters, ResultSelector, ItemSelector and Assign, only fields whose names end in `.$` are computed; `\"x\": \"$.y\"` is the string `$.y`."
    LITERAL_TEMPLATE "literal-template" Warning "A `.$` field where nothing is computed"
        "The `Result` of a Pass state is used literally, including `.$`. Use `Parameters` to compute."
    INVALID_JSONATA "invalid-jsonata" Error "Not a valid JSONata expression"
        "The text between `{%` and `%}` does not parse."
    UNSUPPORTED_JSONATA "unsupported-jsonata" Error "A JSONata reference that does not exist here"
        "`$$` and `$eval` do not exist in state machines. `$states.result` exists in Output and Assign of Task, Parallel and Map; `$states.errorOutput` in Output and Assign of a catcher."
    NEWER_JSONATA "newer-jsonata" Error "An operator that AWS's JSONata does not have"
        "AWS runs JSONata 2.0.6, which has neither `??` nor `?:`. Write `$exists(a) ? a : b` for `a ?? b`, and `a ? a : b` for `a ?: b`. The option `jsonata: \"2.1\"` allows both, for machines that AWS never sees."
    NO_DOCUMENT "no-document" Error "A field name where there is no document"
        "JSONata expressions in a state machine have no input document: `order.id`, `$.order.id` and `*.id` refer to nothing, and AWS refuses them. The state's input is in `$states.input`. `**` is accepted and selects nothing, so that it is a warning."
    UNKNOWN_FUNCTION "unknown-function" Warning "A call of a function that does not exist"
        "An expression can call JSONata's functions, those that AWS adds, and functions that it defines itself. Variables hold values, never functions."
    NOT_AN_EXPRESSION "not-an-expression" Warning "An expression with white space around it"
        "The string of an expression must start with `{%` and end with `%}`, without white space around them. Any other string is taken literally."
    UNCLOSED_EXPRESSION "unclosed-expression" Error "A JSONata expression with one delimiter"
        "A string that starts with `{%` must end with `%}`, and a string that ends with `%}` must start with `{%`."
    EXPRESSION_REQUIRED "expression-required" Error "A string that must be a JSONata expression"
        "The field takes a number, boolean, list or object, or a string `{% … %}` that computes it."
    INVALID_VARIABLE_NAME "invalid-variable-name" Error "An invalid name of a variable"
        "Variable names start with a letter and continue with letters, digits and `_`; `states` is reserved."
    VARIABLE_OF_OUTER_SCOPE "variable-of-outer-scope" Error "A variable that an outer scope assigns too"
        "Branches and iterations can read the variables of enclosing scopes but cannot assign them."
    UNASSIGNED_VARIABLE "unassigned-variable" Warning "A variable that no state assigns"
        "Nothing in this scope or the enclosing scopes assigns the variable, so reading it fails."
    CHOICE_RULE "choice-rule" Error "A Choice rule without exactly one test"
        "A rule has a `Variable` with one comparison operator, or `And`, `Or` or `Not`."
    READER_CONFIG "reader-config" Error "Fields of a ReaderConfig that do not go together"
        "The fields of a `ReaderConfig` depend on its `InputType`: the CSV fields are for CSV, `ItemsPointer` is for JSON, and a manifest has a `ManifestType`."
    UNREACHABLE_RULE "unreachable-rule" Warning "A Choice rule that can never apply"
        "An earlier rule has the same condition or is always true, so it applies first; or the condition is `false`."
    STATES_ALL_POSITION "states-all-position" Error "`States.ALL` not alone or not last"
        "`States.ALL` must be the only name in its `ErrorEquals`, and only the last retrier or catcher can have it."
    UNREACHABLE_HANDLER "unreachable-handler" Warning "A retrier or catcher that can never apply"
        "Earlier entries match all of its errors. Only the first match counts, even when its attempts are used up."
    UNKNOWN_ERROR_NAME "unknown-error-name" Warning "An error name that nothing raises"
        "Names that start with `States.` are predefined, and this name is not one of them."
    HEARTBEAT_TOO_LONG "heartbeat-too-long" Error "A heartbeat that is not shorter than the timeout"
        "`HeartbeatSeconds` must be smaller than `TimeoutSeconds`."
    INVALID_RESOURCE "invalid-resource" Error "A `Resource` that is not valid"
        "`Resource` is a URI, on AWS an ARN such as `arn:aws:lambda:us-east-1:123456789012:function:name`. It cannot be computed."
    UNRECOGNIZED_RESOURCE "unrecognized-resource" Warning "A `Resource` that AWS would not recognize"
        "AWS accepts ARNs of Lambda functions, activities and service integrations. Your own handlers can accept any URI."
    CALLBACK_WITHOUT_TOKEN "callback-without-token" Warning "A callback task that does not pass on its token"
        "The task waits for its token to come back, but nothing in Parameters or Arguments passes the token on (`$$.Task.Token`, `$states.context.Task.Token`)."
    EXPRESS_UNSUPPORTED "express-unsupported" Error "Not available in Express machines"
        "Express machines do not support `.sync` and `.waitForTaskToken` integrations, activities or Distributed Maps."
    DISTRIBUTED_ONLY "distributed-only" Warning "A field that only a Distributed Map uses"
        "`ItemReader`, `ItemBatcher`, `ResultWriter`, `Label` and the tolerated failures take effect only with `\"Mode\": \"DISTRIBUTED\"`."
    INVALID_LABEL "invalid-label" Error "A Map label that cannot be part of an ARN"
        "`Label` has 1 to 40 characters, no whitespace or control characters and none of ``? * < > { } [ ] : ; , \\ | ^ ~ $ # % & ` \"``."
    DUPLICATE_LABEL "duplicate-label" Error "Two Map states with the same label"
        "`Label` must be unique in the machine."
    IGNORED_FIELD "ignored-field" Warning "A field without effect"
        "Another field of the state overrides this one: `ItemsPath` beside `ItemReader`, `Parameters` beside `Result`."
}

/// The text of `docs/errors.md`.
pub fn documentation() -> String {
    let mut out = String::from(
        "# Diagnostics\n\nThis page lists the diagnostics of `validate` and the compiler. It is generated from `src/asl/codes.rs`; do not edit it.\n\n\
         An *error* is a mistake that AWS refuses when you create the machine. A *warning* is a mistake that AWS accepts, although\nthe machine will not work as it seems to.\n",
    );
    for (code, doc) in CODES.iter().zip(DOCS) {
        out.push_str(&format!("\n## {}\n\n*{}*. {}.\n\n{doc}\n", code.name, code.severity.name(), code.title));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_kebab_case() {
        for (i, code) in CODES.iter().enumerate() {
            assert!(code.name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'), "{}", code.name);
            assert!(CODES.iter().skip(i + 1).all(|other| other.name != code.name), "{}", code.name);
        }
    }

    #[test]
    fn limits_of_nesting_are_those_of_the_compiler() {
        use crate::asl::{MAX_NESTING, MAX_RULE_DEPTH};
        let at = CODES.iter().position(|code| code.name == NESTED_TOO_DEEP.name).expect("the table has the code");
        let numbers: Vec<usize> = DOCS[at].split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect();
        assert_eq!(numbers, [MAX_NESTING, MAX_RULE_DEPTH]);
    }
}
