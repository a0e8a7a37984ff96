//! Tests the results and the errors of the intrinsic functions, and which calls do not parse.

use super::*;
use crate::base::{Millis, Rng};

fn value(text: &str) -> Value {
    json::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Evaluates a call; a failure is shown as `! cause`, a syntax error as `? message`.
fn eval(call: &str, input: &str) -> String {
    let call = match Call::parse(call) {
        Ok(call) => call,
        Err(error) => return format!("? {error}"),
    };
    let (input, context) = (value(input), value(r#"{"StateMachine":{"Name":"a-b-c"}}"#));
    let variables: Map = [("v", Value::from(5))].into_iter().collect();
    let scope = Scope { input: &input, context: &context, variables: &variables };
    let result = call.eval(&scope, &mut Env { now: Millis(0), rng: &mut Rng::new(1) });
    result.map_or_else(|error| format!("! {error}"), |value| value.to_string())
}

fn check(input: &str, cases: &[(&str, &str)]) {
    for (call, expect) in cases {
        assert_eq!(eval(call, input), *expect, "{call}");
    }
}

/// Checks that all calls fail with AWS's message.
fn check_invalid(input: &str, calls: &[&str]) {
    for call in calls {
        let name = call.split('(').next().unwrap_or("");
        let expect = format!("! There was an error while evaluating the intrinsic function: {call}. Invalid arguments in {name}");
        assert_eq!(eval(call, input), expect);
    }
}

#[test]
fn syntax() {
    check(
        r#"{"a":"x","b":{"c d":[1,2]}}"#,
        &[
            ("States.Array()", "[]"),
            (" States.Array ( 1 , 'x' ,null,true , false ) ", r#"[1,"x",null,true,false]"#),
            ("States.Array(-1.5, 1e3, $.a, $$.StateMachine.Name, $v)", r#"[-1.5,1000.0,"x","a-b-c",5]"#),
            ("States.Array($.b['c d'][0], $.b['c d'][?(@ > 1)])", "[1,[2]]"),
            ("States.Array($.b['c d'].length(), 1)", "[2,1]"),
            (r"States.Array('it\'s', '\{\}', 'a\\b', '{}')", r#"["it's","{}","a\\b","{}"]"#),
            ("States.Array('é(,)')", r#"["é(,)"]"#),
            ("Format('x')", "? Expected a path that starts with '$' or an intrinsic function call, States.…( … ) (at offset 0)"),
            ("States.Nope()", "? There is no intrinsic function 'States.Nope' (at offset 0)"),
            ("States.array()", "? There is no intrinsic function 'States.array' (at offset 0)"),
            ("States.Array", "? Expected '(' after 'States.Array' (at offset 12)"),
            ("States.Array(", "? Expected an argument (at offset 13)"),
            ("States.Array(1", "? '(' is not closed (at offset 12)"),
            ("States.Array(1,)", "? Expected an argument, found ')' (at offset 15)"),
            ("States.Array(1 2)", "? Expected ',' or ')', found '2' (at offset 15)"),
            ("States.Array() x", "? Expected the end of the call, found 'x' (at offset 15)"),
            ("States.Array('x)", "? The string is not closed (at offset 13)"),
            (r"States.Array('a\n')", r"? A backslash in a string must be followed by ', {, } or another backslash (at offset 15)"),
            ("States.Array(\"x\")", "? Strings are written in single quotes (at offset 13)"),
            ("States.Array($.a[)", "? '[' must be followed by a quoted name, an index, a slice, '*' or '?(' (at offset 17)"),
            ("States.Array(1.)", "? '1.' is not a number (at offset 13)"),
            ("States.Array(nullx)", "? Expected an argument, found 'n' (at offset 13)"),
        ],
    );
    let nested = |levels: usize| format!("{}1{}", "States.Array(".repeat(levels), ")".repeat(levels));
    assert!(Call::parse(&nested(10)).is_ok());
    assert!(Call::parse(&nested(11)).unwrap_err().message.contains("10 levels"));
    assert!(Call::parse(&nested(100_000)).is_err());
}

#[test]
fn format() {
    check(
        r#"{"name":"Ada","nul":null,"n":1.1,"b":false,"o":{"Arg1":1,"Arg2":[]},"l":[1,"x",null],"tpl":"Hello {}","esc":"\\{{}\\}","big":1e21,"ten":12345678.5,"t":2.0,"i":9007199254740991}"#,
        &[
            ("States.Format('Hello {}', $.name)", r#""Hello Ada""#),
            ("States.Format('{} {} {}', $.nul, $.n, $.b)", r#""null 1.1 false""#),
            ("States.Format('{} and {}', $.o, $.l)", r#""{Arg1=1, Arg2=[]} and [1, x, null]""#),
            ("States.Format('{}|{}|{}|{}', $.big, $.ten, $.t, $.i)", r#""1.0E21|1.23456785E7|2.0|9007199254740991""#),
            (r"States.Format('Name: \'{}\', \{\}', $.name)", r#""Name: 'Ada', {}""#),
            (r"States.Format('a\\{}', $.name)", r#""a\\Ada""#),
            ("States.Format($.tpl, $.name)", r#""Hello Ada""#),
            ("States.Format($.esc, $.name)", r#""{Ada}""#),
            ("States.Format('no placeholders')", r#""no placeholders""#),
            ("States.Format('  {}  ', $.name)", r#""  Ada  ""#),
            ("States.Format('probe={}', States.JsonToString($.l))", r#""probe=[1,\"x\",null]""#),
            (
                "States.Format('Hello {', $.name)",
                "! There was an error while evaluating the intrinsic function: States.Format('Hello {', $.name). Invalid template in States.Format: matching '}' not found for '{'.",
            ),
            (
                "States.Format('Hello {{}}', $.name)",
                "! There was an error while evaluating the intrinsic function: States.Format('Hello {{}}', $.name). Invalid template in States.Format: matching '}' not found for '{'.",
            ),
            (
                "States.Format('}')",
                "! There was an error while evaluating the intrinsic function: States.Format('}'). Invalid template in States.Format: matching '{' not found for '}'.",
            ),
            (
                "States.Format('{} {}', $.name)",
                "! There was an error while evaluating the intrinsic function: States.Format('{} {}', $.name). Invalid arguments in States.Format: number of arguments do not match the occurrences of {}.",
            ),
            (
                "States.Format('{}', 1, 2)",
                "! There was an error while evaluating the intrinsic function: States.Format('{}', 1, 2). Invalid arguments in States.Format: number of arguments do not match the occurrences of {}.",
            ),
        ],
    );
    check_invalid(r#"{"t":123}"#, &["States.Format()", "States.Format($.t, 1)"]);
}

#[test]
fn a_nested_call_must_return_the_kind_of_the_parameter() {
    let never = |call| Call::parse(call).unwrap().never_succeeds();
    assert_eq!(never("States.ArrayLength(States.StringSplit($.a, ','))"), None);
    assert_eq!(never("States.ArrayGetItem(States.ArrayRange(0, 9, 3), 1)"), None);
    assert!(never("States.Base64Encode(States.StringSplit($.a, ','))").unwrap().contains("must be a string, not an array"));
}

#[test]
fn json_text() {
    check(
        r#"{"o":{"Arg1":1,"Arg2":[]},"l":[1,2,"HelloWorld"],"s":"é\"","t":" {\"a\":1} ","empty":"","blank":" \n","neg":"-0","f":"1.1"}"#,
        &[
            ("States.JsonToString($.o)", r#""{\"Arg1\":1,\"Arg2\":[]}""#),
            ("States.JsonToString($.l)", r#""[1,2,\"HelloWorld\"]""#),
            ("States.JsonToString($.s)", r#""\"é\\\"\"""#),
            ("States.JsonToString(null)", r#""null""#),
            ("States.StringToJson($.t)", r#"{"a":1}"#),
            ("States.StringToJson($.empty)", "null"),
            ("States.StringToJson($.blank)", "null"),
            ("States.StringToJson($.neg)", "0"),
            ("States.StringToJson($.f)", "1.1"),
            ("States.StringToJson('\"x\"')", r#""x""#),
            ("States.StringToJson('{\"constant\": \"false\"}')", r#"{"constant":"false"}"#),
            ("States.StringToJson(States.JsonToString($.o))", r#"{"Arg1":1,"Arg2":[]}"#),
        ],
    );
    assert!(eval("States.StringToJson('{bad')", "{}").starts_with(
        "! There was an error while evaluating the intrinsic function: States.StringToJson('{bad'). Cannot convert String to Json in States.StringToJson, caused by: "
    ));
    check_invalid(
        "{}",
        &["States.StringToJson(1)", "States.StringToJson()", "States.StringToJson('1', '2')", "States.JsonToString()"],
    );
}

#[test]
fn arrays() {
    check(
        r#"{"l":[1,2,3,4,5,6,7,8,9],"e":[],"m":[{"1":2,"2":[]},true,null,"x"],"u":[1,2,3,3,3,4],"z":[2,1.0,"a",2,{"a":1,"b":2},{"b":2,"a":1}]}"#,
        &[
            ("States.ArrayPartition($.l, 4)", "[[1,2,3,4],[5,6,7,8],[9]]"),
            ("States.ArrayPartition($.l, 2.6)", "[[1,2],[3,4],[5,6],[7,8],[9]]"),
            ("States.ArrayPartition($.e, 4)", "[]"),
            ("States.ArrayPartition($.u, 99)", "[[1,2,3,3,3,4]]"),
            ("States.ArrayContains($.l, 5)", "true"),
            ("States.ArrayContains($.l, 5.0)", "true"),
            ("States.ArrayContains($.l, '5')", "false"),
            ("States.ArrayContains($.m, States.StringToJson('{\"2\":[],\"1\":2}'))", "true"),
            ("States.ArrayContains($.m, null)", "true"),
            ("States.ArrayContains($.e, null)", "false"),
            ("States.ArrayGetItem($.l, 5)", "6"),
            ("States.ArrayGetItem($.l, 1.2)", "2"),
            ("States.ArrayGetItem($.e, 7)", "null"),
            ("States.ArrayLength($.l)", "9"),
            ("States.ArrayLength($.e)", "0"),
            ("States.ArrayRange(1, 9, 2)", "[1,3,5,7,9]"),
            ("States.ArrayRange(0, 10, 3)", "[0,3,6,9]"),
            ("States.ArrayRange(1.4, 5.6, 2.2)", "[1,3,5]"),
            ("States.ArrayRange(1.6, 1.4, 1)", "[1]"),
            ("States.ArrayRange(5.4, -0.6, -2.4)", "[5,3,1]"),
            ("States.ArrayRange(5, 1, 1)", "[]"),
            ("States.ArrayRange(1, 5, -1)", "[]"),
            ("States.ArrayRange(3, 3, -1)", "[3]"),
            ("States.ArrayLength(States.ArrayRange(1, 1000, 1))", "1000"),
            ("States.ArrayUnique($.u)", "[1,2,3,4]"),
            ("States.ArrayUnique($.e)", "[]"),
            ("States.ArrayUnique(States.Array(1, 1.0, '1', '01'))", r#"[1,"1","01"]"#),
            ("States.ArrayLength(States.ArrayUnique($.z))", "4"),
            // The order of a Java HashSet, as recorded.
            ("States.ArrayUnique(States.Array(true, false, true))", "[false,true]"),
            ("States.ArrayUnique(States.Array(States.Array(1,2), States.Array(1,2), States.Array(2,1)))", "[[2,1],[1,2]]"),
            ("States.ArrayUnique(States.Array(null, null, 1, null))", "[null,1]"),
        ],
    );
    check_invalid(
        r#"{"l":[1,2],"s":"x"}"#,
        &[
            "States.ArrayPartition($.l, 0.6)",
            "States.ArrayPartition($.l, 0)",
            "States.ArrayPartition($.l, -1)",
            "States.ArrayPartition($.s, 1)",
            "States.ArrayPartition($.l, '1')",
            "States.ArrayPartition($.l)",
            "States.ArrayContains($.s, 'x')",
            "States.ArrayGetItem($.l, 2)",
            "States.ArrayGetItem($.l, -1)",
            "States.ArrayGetItem($.l, '0')",
            "States.ArrayLength($.s)",
            "States.ArrayRange(0, 1000, 1)",
            "States.ArrayRange(1000, 0, -1)",
            "States.ArrayRange(1, 5, 0)",
            "States.ArrayRange(1, 5, 0.49)",
            "States.ArrayRange('a', 5, 1)",
            "States.ArrayRange(-9223372036854775808, 9223372036854775807, 1)",
            "States.ArrayRange(0, -9223372036854775808, -1)",
            "States.ArrayUnique('not-array')",
        ],
    );
}

#[test]
fn numbers() {
    check(
        "{}",
        &[
            ("States.MathAdd(111, -1)", "110"),
            ("States.MathAdd(1.49, 1.5)", "3"),
            ("States.MathAdd(-1.49, -1.5)", "-2"),
            ("States.MathAdd(-0.5, 2.5)", "3"),
            ("States.MathAdd(-2.5, 0)", "-2"),
            ("States.MathAdd(0.49999999999999994, 0)", "0"),
            ("States.MathAdd(2147483646, 1)", "2147483647"),
            ("States.MathRandom(1, 100, 42)", "63"),
            ("States.MathRandom(1, 1000, 1)", "106"),
            ("States.MathRandom(1, 1000, 2)", "806"),
            ("States.MathRandom(1, 10, -10)", "1"),
            ("States.MathRandom(1, 10, 0)", "7"),
            ("States.MathRandom(2147483640, 2147483647, 1)", "2147483644"),
            ("States.MathRandom(1.6, 2.4)", "1"),
        ],
    );
    for _ in 0..50 {
        let random: i64 = eval("States.MathRandom(12.5, 44.51)", "{}").parse().unwrap();
        assert!((12..44).contains(&random));
    }
    check_invalid(
        "{}",
        &[
            "States.MathAdd(2147483647, 1)",
            "States.MathAdd(2147483648, -1)",
            "States.MathAdd(1e300, 1)",
            "States.MathAdd('1', 1)",
            "States.MathAdd(null, 1)",
            "States.MathAdd(1)",
            "States.MathRandom(1.4, 1.6)",
            "States.MathRandom(2, 1)",
            "States.MathRandom(1, 1)",
            "States.MathRandom(1, 10, 'x')",
            "States.MathRandom(1, 10, null)",
            "States.MathRandom(-2147483648, 2147483647, 1)",
        ],
    );
}

#[test]
fn strings() {
    check(
        r#"{"s":"This.is+a,test=string"}"#,
        &[
            ("States.StringSplit('1,2,3,4,5', ',')", r#"["1","2","3","4","5"]"#),
            ("States.StringSplit($.s, '.+,=')", r#"["This","is","a","test","string"]"#),
            ("States.StringSplit('a,,b', ',')", r#"["a","b"]"#),
            ("States.StringSplit(', , ,', ',')", r#"[" "," "]"#),
            ("States.StringSplit(',', ',')", "[]"),
            ("States.StringSplit('', ',')", "[]"),
            ("States.StringSplit('ab', '')", r#"["ab"]"#),
            ("States.StringSplit('Hello\nWorld', '\n')", r#"["Hello","World"]"#),
            (
                "States.ArrayGetItem(States.StringSplit($$.StateMachine.Name, '-'), States.MathAdd(States.ArrayLength(States.StringSplit($$.StateMachine.Name, '-')), -1))",
                r#""c""#,
            ),
        ],
    );
    check_invalid("{}", &["States.StringSplit(1, ',')", "States.StringSplit('x')", "States.UUID(1)"]);
    let id = eval("States.UUID()", "{}");
    assert_eq!(id.len(), 38);
    assert_eq!(id.as_bytes()[15], b'4');
}

#[test]
fn base64() {
    check(
        "{}",
        &[
            ("States.Base64Encode('Data to encode')", r#""RGF0YSB0byBlbmNvZGU=""#),
            ("States.Base64Encode('')", r#""""#),
            ("States.Base64Encode('f')", r#""Zg==""#),
            ("States.Base64Encode('✓é')", r#""4pyTw6k=""#),
            ("States.Base64Decode('RGVjb2RlZCBkYXRh')", r#""Decoded data""#),
            ("States.Base64Decode('4pyTw6k=')", r#""✓é""#),
            ("States.Base64Decode('')", r#""""#),
            ("States.Base64Decode('Zm 9v\n')", r#""foo""#),
            ("States.Base64Decode('Zg')", r#""f""#),
            ("States.Base64Decode('Zg==Zg')", r#""f""#),
            ("States.Base64Decode('!!!')", r#""""#),
        ],
    );
    let long = format!(r#"{{"s":"{}","t":"{}"}}"#, "a".repeat(10_000), "a".repeat(10_001));
    assert!(!eval("States.Base64Encode($.s)", &long).starts_with('!'));
    check_invalid(
        &long,
        &["States.Base64Encode($.t)", "States.Base64Decode($.t)", "States.Hash($.t, 'MD5')", "States.Base64Encode(1)"],
    );
}

#[test]
fn hashes() {
    check(
        r#"{"s":"abc\u0000def","c":"✓","o":{}}"#,
        &[
            ("States.Hash('input data', 'MD5')", r#""812f45842bc6d66ee14572ce20db8e86""#),
            ("States.Hash('input data', 'SHA-1')", r#""aaff4a450a104cd177d28d18d74485e8cae074b7""#),
            ("States.Hash('input data', 'SHA-256')", r#""b4a697a057313163aee33cd8d40c66e9f0f177e00cac2de32475ffff6169c3e3""#),
            (
                "States.Hash('hello', 'SHA-384')",
                r#""59e1748777448c69de6b800d7a33bbfb9ff1b463e44354c3553bcdb9c666fa90125a3c79f90397bdf5f6a13de828684f""#,
            ),
            ("States.Hash('hello', 'SHA-1')", r#""aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d""#),
            ("States.Hash($.s, 'MD5')", r#""a5e4d5963ae44c1f4bfb37b1a3d55a3c""#),
            ("States.Hash($.c, 'SHA-256')", r#""1dabba21cdad44541f6b15796f8d22978fc7ea10c46aeceeeeb66c23b3ac7604""#),
            ("States.Hash(123, 'MD5')", r#""202cb962ac59075b964b07152d234b70""#),
            ("States.Hash($.o, 'MD5')", r#""99914b932bd37a50b983c5e7c90ae93b""#),
        ],
    );
    assert_eq!(eval("States.Hash('hello', 'SHA-512')", "{}").len(), 130);
    check_invalid(
        "{}",
        &[
            "States.Hash('x', 'sha-256')",
            "States.Hash('x', 'SHA256')",
            "States.Hash('x', 'MD-5')",
            "States.Hash('x', '')",
            "States.Hash('x', 1)",
            "States.Hash('x')",
            "States.Hash(null, 'MD5')",
        ],
    );
    assert_eq!(
        eval("States.Hash($.missing, 'MD5')", "{}"),
        "! The function 'States.Hash($.missing, 'MD5')' had the following error: The JsonPath argument for the field '$.missing' could not be found in the input '{}'"
    );
}

#[test]
fn merge() {
    check(
        r#"{"a":{"a":{"a1":1,"a2":2},"b":2,"d":3},"b":{"a":{"a3":1,"a4":2},"c":3,"d":4},"no":"false","x":{"constant_in_literal":1},"y":{"constant_input_field":2}}"#,
        &[
            ("States.JsonMerge($.a, $.b, false)", r#"{"a":{"a3":1,"a4":2},"b":2,"c":3,"d":4}"#),
            ("States.JsonMerge($.a, $.b, $.no)", r#"{"a":{"a3":1,"a4":2},"b":2,"c":3,"d":4}"#),
            // The order of a Java HashMap, as recorded.
            ("States.JsonMerge($.x, $.y, false)", r#"{"constant_input_field":2,"constant_in_literal":1}"#),
        ],
    );
    check_invalid(
        r#"{"a":{}}"#,
        &[
            "States.JsonMerge($.a, $.a, true)",
            "States.JsonMerge($.a, $.a)",
            "States.JsonMerge($.a, 1, false)",
            "States.JsonMerge(null, $.a, false)",
        ],
    );
}

#[test]
fn a_failure_quotes_the_whole_call() {
    check(
        r#"{"items":[1,2,3]}"#,
        &[(
            "States.ArrayLength(States.JsonToString($.items))",
            "! There was an error while evaluating the intrinsic function: States.ArrayLength(States.JsonToString($.items)). Invalid arguments in States.ArrayLength",
        )],
    );
}

#[test]
fn calls_that_never_succeed_fail_when_they_run() {
    for call in [
        "States.MathAdd(1, '-1')",
        "States.MathAdd(1)",
        "States.UUID(1)",
        "States.ArrayLength()",
        "States.MathRandom(1)",
        "States.Format()",
        "States.Format('{} {}', 1)",
        "States.Array($.a, States.ArrayLength(States.UUID()))",
        "States.JsonMerge($.a, $.b, true)",
        "States.ArrayGetItem(null, 0)",
    ] {
        assert!(Call::parse(call).unwrap().never_succeeds().is_some(), "{call}");
        assert!(eval(call, r#"{"a":{},"b":{}}"#).starts_with('!'), "{call}");
    }
    for call in [
        "States.MathAdd($.n, States.ArrayLength($.l))",
        "States.Array()",
        "States.Array(1, 'x', null)",
        "States.Format('{}', null)",
        r"States.Format('\{\} {}', 1)",
        "States.JsonMerge($.a, States.StringToJson('{}'), 'false')",
        "States.MathRandom(1, 2)",
        "States.MathRandom(1, 20, 3)",
        "States.Hash(1, 'MD5')",
        "States.ArrayContains(States.Array(1), null)",
    ] {
        assert_eq!(Call::parse(call).unwrap().never_succeeds(), None, "{call}");
        assert!(!eval(call, r#"{"a":{},"n":1,"l":[]}"#).starts_with('!'), "{call}");
    }
}

#[test]
fn sizes_are_bounded() {
    let mut call = String::from("$");
    for _ in 0..9 {
        call = format!("States.Array({})", [call.as_str(); 4].join(","));
    }
    let input = format!(r#"["{}"]"#, "x".repeat(1000));
    assert!(eval(&call, &input).contains("makes more than 4194304 bytes"));
    assert!(eval(&format!("States.JsonToString(States.Array({}))", ["$"; 20].join(",")), &input).len() > 20_000);
    let same = r#"["Aa","BB"]"#;
    assert_eq!(eval("States.ArrayUnique($)", same), same);
}
