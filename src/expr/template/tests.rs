//! Tests the results and the errors of payload templates.

use super::*;
use crate::base::{Millis, Rng, json};

fn value(text: &str) -> Value {
    json::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Compiles and evaluates; a failure is shown as `! cause`.
fn eval(template: &str, input: &str) -> String {
    let template = Template::compile(&value(template)).unwrap_or_else(|problems| panic!("{template}: {problems:?}"));
    let (input, context) = (value(input), value(r#"{"DayOfWeek":"TUESDAY"}"#));
    let variables: Map = [("v", value(r#"{"n":5}"#))].into_iter().collect();
    let scope = Scope { input: &input, context: &context, variables: &variables };
    let result = template.eval(&scope, &mut Env { now: Millis(0), rng: &mut Rng::new(1) });
    result.map_or_else(|error| format!("! {error}"), |value| value.to_string())
}

#[test]
fn payloads() {
    for (template, input, expect) in [
        (
            r#"{"flagged":true,"parts":{"first.$":"$.vals[0]","last3.$":"$.vals[-3:]"},"weekday.$":"$$.DayOfWeek",
                "formattedOutput.$":"States.Format('Today is {}', $$.DayOfWeek)"}"#,
            r#"{"flagged":7,"vals":[0,10,20,30,40,50]}"#,
            r#"{"flagged":true,"parts":{"first":0,"last3":[30,40,50]},"weekday":"TUESDAY","formattedOutput":"Today is TUESDAY"}"#,
        ),
        (r#"{"first":88,"second":99}"#, "{}", r#"{"first":88,"second":99}"#),
        (r#"{"all.$":"$","v.$":"$v.n"}"#, r#"{"a":1}"#, r#"{"all":{"a":1},"v":5}"#),
        (r#"{"a":[{"x.$":"$.y"},["$.y",{"z.$":"$.y"}]]}"#, r#"{"y":1}"#, r#"{"a":[{"x":1},["$.y",{"z":1}]]}"#),
        // Values are copied and not evaluated again.
        (r#"{"x.$":"$.t"}"#, r#"{"t":{"y.$":"$.t"}}"#, r#"{"x":{"y.$":"$.t"}}"#),
        (r#"{"literal":"$.y","dollar":"$"}"#, "{}", r#"{"literal":"$.y","dollar":"$"}"#),
        (r#"["$.x",{"y.$":"$.y"}]"#, r#"{"y":2}"#, r#"["$.x",{"y":2}]"#),
        (r#""$.x""#, "{}", r#""$.x""#),
        (r#"{".$":"$.y"}"#, r#"{"y":2}"#, r#"{"":2}"#),
        (r#"{"a":{},"b.$":"$.none[*]"}"#, "{}", r#"{"a":{},"b":[]}"#),
        (r#"{"nul.$":"$.nul"}"#, r#"{"nul":null}"#, r#"{"nul":null}"#),
        // Recorded: an index out of range is null here.
        (r#"{"idx.$":"$.items[5]"}"#, r#"{"items":[1,2]}"#, r#"{"idx":null}"#),
    ] {
        assert_eq!(eval(template, input), expect, "{template}");
    }
}

#[test]
fn causes() {
    for (template, expect) in [
        (
            r#"{"v.$":"$.nope"}"#,
            r#"The JSONPath '$.nope' specified for the field 'v.$' could not be found in the input '{"other":1}'"#,
        ),
        (
            r#"{"a":{"b":[{"deep.$":"$.other.x"}]}}"#,
            r#"The JSONPath '$.other.x' specified for the field 'deep.$' could not be found in the input '{"other":1}'"#,
        ),
        (
            r#"{"v.$":"$$.Nope.Deep"}"#,
            r#"The JSONPath '$$.Nope.Deep' specified for the field 'v.$' could not be found in the input '{"DayOfWeek":"TUESDAY"}'"#,
        ),
        (
            r#"{"v.$":"States.Format('{}', $.nope)"}"#,
            r#"The function 'States.Format('{}', $.nope)' had the following error: The JsonPath argument for the field '$.nope' could not be found in the input '{"other":1}'"#,
        ),
        (
            r#"{"v.$":"States.Format('{}',States.Array($.items[5]))"}"#,
            r#"The function 'States.Format('{}',States.Array($.items[5]))' had the following error: The JsonPath argument for the field '$.items[5]' could not be found in the input '{"other":1}'"#,
        ),
    ] {
        assert_eq!(eval(template, r#"{"other":1}"#), format!("! {expect}"), "{template}");
    }
}

#[test]
fn all_problems_at_once() {
    let template = value(
        r#"{"a":1,"a.$":"$.x","b":[{"c.$":"$["}],"d.$":5,"e.$":"nonsense","f.$":"States.Nope()","ok.$":"$.x","g/h":{"i.$":"$.a b"}}"#,
    );
    let problems: Vec<String> = Template::compile(&template)
        .unwrap_err()
        .iter()
        .map(|p| format!("{} {} {} {}", p.pointer, p.field, p.duplicate, p.error))
        .collect();
    assert_eq!(
        problems,
        [
            "/a.$ a.$ true 'a.$' and 'a' make the same member (at offset 0)",
            "/b/0/c.$ c.$ false '[' is not closed (at offset 1)",
            "/d.$ d.$ false The value of 'd.$' must be a string that holds a path or an intrinsic function call (at offset 0)",
            "/e.$ e.$ false Expected a path that starts with '$' or an intrinsic function call, States.…( … ) (at offset 0)",
            "/f.$ f.$ false There is no intrinsic function 'States.Nope' (at offset 0)",
            "/g~1h/i.$ i.$ false Use bracket notation, ['my name'], for a name that contains blanks (at offset 3)",
        ]
    );
}

#[test]
fn templates_report_what_they_read() {
    let reads = |template: &str| {
        let template = Template::compile(&value(template)).unwrap();
        let names: Vec<String> = template.variables().iter().map(|name| name.to_string()).collect();
        (template.uses_context(), names.join(","))
    };
    assert_eq!(reads(r#"{"a.$":"$.x","b":"$$.x"}"#), (false, String::new()));
    assert_eq!(reads(r#"{"a":[{"b.$":"$$.x"}],"c.$":"$v"}"#), (true, "v".into()));
    assert_eq!(reads(r#"{"a.$":"States.Array(States.Array($$, $a), $b.c, $a)"}"#), (true, "a,b,a".into()));
}

#[test]
fn literals_are_shared() {
    let source = value(r#"{"big":{"x":[1,2,3]},"y.$":"$"}"#);
    let template = Template::compile(&source).unwrap();
    let (input, variables) = (value("{}"), Map::new());
    let scope = Scope { input: &input, context: &input, variables: &variables };
    let payload = template.eval(&scope, &mut Env { now: Millis(0), rng: &mut Rng::new(1) }).unwrap();
    let (Some(Value::Object(a)), Some(Value::Object(b))) = (payload.get("big"), source.get("big")) else {
        panic!("not objects");
    };
    assert!(Arc::ptr_eq(a, b));
}
