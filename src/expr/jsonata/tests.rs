//! Tests of JSONata by example; the suite of the reference implementation runs in `tests/conformance_jsonata.rs`.

use super::*;
use crate::base::{Millis, Rng, json};

fn evaluate(text: &str) -> Result<Option<Value>, JsonataError> {
    let states = json::parse(
        r#"{"input":{
            "order":{"id":"A-7","total":30,"lines":[
                {"sku":"pen","price":1.5,"qty":4,"tags":["blue"]},
                {"sku":"ink","price":12,"qty":2,"tags":["blue","wet"]},
                {"sku":"cap","price":0.5,"qty":0}]},
            "one":[{"sku":"pen"}],"none":[],"big":9007199254740993,"pi":3.0,"text":"tab\tand é😀"},
          "context":{"Execution":{"Id":"e1"}}}"#,
    )
    .unwrap();
    let bindings = |name: &str| match name {
        "states" => Some(states.clone()),
        "limit" => Some(5.into()),
        _ => None,
    };
    let mut rng = Rng::new(9);
    let mut env = Env { now: Millis(1_700_000_000_123), rng: &mut rng };
    Expression::parse(text)?.evaluate(&Value::Null, &bindings, &mut env)
}

/// Compares JSON texts; `undefined` for no value.
fn check(text: &str, expected: &str) {
    let shown = match evaluate(text) {
        Ok(Some(value)) => value.to_string(),
        Ok(None) => "undefined".into(),
        Err(e) => e.to_string(),
    };
    assert_eq!(shown, expected, "{text}");
}

fn fails(text: &str, code: &str, message: &str, offset: usize) {
    let error = evaluate(text).expect_err(text);
    assert_eq!((error.code, error.message.as_str(), error.offset), (code, message, offset), "{text}");
}

#[test]
fn paths() {
    for (text, expected) in [
        ("$states.input.order.id", r#""A-7""#),
        ("$states.input.order.missing.deep", "undefined"),
        ("$states.input.order.lines.sku", r#"["pen","ink","cap"]"#),
        ("$states.input.order.lines[0].sku", r#""pen""#),
        ("$states.input.order.lines[-1].sku", r#""cap""#),
        ("$states.input.order.lines[price > 1].sku", r#"["pen","ink"]"#),
        ("$states.input.order.lines[price > 5].sku", r#""ink""#),
        ("$states.input.order.lines[price > 5].sku[]", r#"["ink"]"#),
        ("$states.input.order.lines[price > 500].sku", "undefined"),
        ("$states.input.order.lines[[0, 2]].sku", r#"["pen","cap"]"#),
        ("$states.input.order.lines.tags", r#"["blue","blue","wet"]"#),
        ("$states.input.order.lines^(>price).sku", r#"["ink","pen","cap"]"#),
        ("$states.input.order.lines^(qty, <sku).sku", r#"["cap","ink","pen"]"#),
        ("$states.input.one^(sku)", r#"{"sku":"pen"}"#),
        ("$states.input.order.lines.(price * qty)", "[6,24,0]"),
        ("$states.input.order.lines{sku: qty}", r#"{"pen":4,"ink":2,"cap":0}"#),
        ("$states.input.order.lines@$l.($l.sku & id)", r#"["penA-7","inkA-7","capA-7"]"#),
        ("$states.input.order.lines#$i.($i & sku)", r#"["0pen","1ink","2cap"]"#),
        ("$states.input.order.lines.tags.%.sku", r#"["pen","ink","ink"]"#),
        (
            "$states.input.order.lines.{'sku': sku, 'order': %.id}",
            r#"[{"sku":"pen","order":"A-7"},{"sku":"ink","order":"A-7"},{"sku":"cap","order":"A-7"}]"#,
        ),
        ("$states.input.one", r#"[{"sku":"pen"}]"#),
        ("$states.input.one.sku", r#""pen""#),
        ("$states.input.none", "[]"),
        ("$states.input.none.x", "undefined"),
        ("$count($states.**.sku)", "4"),
        ("$states.context.*", r#"{"Id":"e1"}"#),
        ("$", "undefined"),
        ("order", "undefined"),
    ] {
        check(text, expected);
    }
}

#[test]
fn values_and_operators() {
    for (text, expected) in [
        ("0.1 + 0.2", "0.30000000000000004"),
        ("'is ' & (0.1 + 0.2)", r#""is 0.3""#),
        ("7 / 2 * 2", "7"),
        ("-7 % 3", "-1"),
        ("$states.input.big", "9007199254740993"),
        ("$states.input.pi", "3.0"),
        ("$states.input.pi + 0", "3"),
        ("1 = 1.0 and 'a' != 'b'", "true"),
        ("'b' > 'a' and 2 >= 2", "true"),
        ("{'a': [1, {'b': 2}]} = {'a': [1, {'b': 2}]}", "true"),
        ("2 in [1, 2]", "true"),
        ("missing = 1", "false"),
        ("missing + 1", "undefined"),
        ("missing & 'x'", r#""x""#),
        ("[1..3, 7]", "[1,2,3,7]"),
        ("[1, [2, [3]], missing]", "[1,[2,[3]]]"),
        ("{'a': missing, 'b': null}", r#"{"b":null}"#),
        ("{'z': 1, '10': 2, 'a': 3}", r#"{"z":1,"10":2,"a":3}"#),
        ("$limit > 4 ? 'many' : 'few'", r#""many""#),
        ("missing ? 1", "undefined"),
        ("0 ?: 'zero'", r#""zero""#),
        ("missing ?? 'none'", r#""none""#),
        // These are the results of jsonata-js 2.0.6.
        ("($b := [{'a': 1}]; $b^(a)[])", r#"[{"a":1}]"#),
        ("($b := [{'a': 1}]; $b^(a))", r#"{"a":1}"#),
        ("($b := [{'a': 1}]; $b^(a)[].a)", "[1]"),
        ("{'a': $spread([4..4])}", r#"{"a":[4]}"#),
        ("{'a': $spread([{'b': 1}])}", r#"{"a":[{"b":1}]}"#),
        ("{'a': $spread({'b': 1})}", r#"{"a":{"b":1}}"#),
        ("$string($power(123456789, 2))", r#""15241578750190520""#),
        ("$power(-2, 3)", "-8"),
        ("$power(2, -1)", "0.5"),
        ("($a := 2; $b := $a * $a; $b & '')", r#""4""#),
        ("($a := 1; ($a := 2); $a)", "1"),
        ("/* nothing */ 1", "1"),
        ("'\\u00e9\\n' & \"\\\"\"", r#""é\n\"""#),
        ("`order`.$ ?? 'quoted'", r#""quoted""#),
    ] {
        check(text, expected);
    }
}

#[test]
fn functions() {
    for (text, expected) in [
        ("($inc := function($n) { $n + 1 }; $inc(41))", "42"),
        ("($add := function($a, $b) { $a + $b }; $plus2 := $add(2, ?); $plus2(40))", "42"),
        ("(' x ' ~> $trim ~> $uppercase) & '!'", r#""X!""#),
        ("($shout := $trim ~> $uppercase; $shout(' hey '))", r#""HEY""#),
        ("($make := function($n) { function() { $n } }; $make(3)())", "3"),
        ("($fact := λ($n) { $n <= 1 ? 1 : $n * $fact($n - 1) }; $fact(10))", "3628800"),
        ("$map([1, 2], function($v, $i, $a) { $v * $i + $count($a) })", "[2,4]"),
        ("$filter([1..9], function($v) { $v % 4 = 0 })", "[4,8]"),
        ("$reduce([1..4], function($a, $b) { $a * $b })", "24"),
        ("$sift({'a': 1, 'b': 2}, function($v, $k) { $k = 'b' })", r#"{"b":2}"#),
        ("$each({'a': 1, 'b': 2}, function($v, $k) { $k & $v })", r#"["a1","b2"]"#),
        ("$sort(['b', 'C', 'a'])", r#"["C","a","b"]"#),
        ("$sort([3, 1, 2], function($l, $r) { $l < $r })", "[3,2,1]"),
        ("$single([1, 2], function($v) { $v = 2 })", "2"),
        ("$merge([{'a': 1, 'b': 1}, {'b': 2}])", r#"{"a":1,"b":2}"#),
        ("$distinct([1, 'a', 1, 'a', {'x': 1}, {'x': 1}])", r#"[1,"a",{"x":1}]"#),
        ("$zip([1, 2, 3], ['a', 'b'])", r#"[[1,"a"],[2,"b"]]"#),
        ("$spread({'a': 1, 'b': 2})", r#"[{"a":1},{"b":2}]"#),
        ("$keys([{'a': 1}, {'b': 1, 'a': 2}])", r#"["a","b"]"#),
        ("$lookup([{'a': 1}, {'a': 2}], 'a')", "[1,2]"),
        ("$length('é😀')", "2"),
        ("$substring('abcdef', -3, 2)", r#""de""#),
        ("$split('a, b,c', /,\\s*/)", r#"["a","b","c"]"#),
        ("$replace('2024-05', /(\\d+)-(\\d+)/, '$2/$1')", r#""05/2024""#),
        ("$match('ab12cd3', /[a-z]+(\\d+)/).groups", r#"["12","3"]"#),
        ("$contains('Stepglass', /GLASS/i)", "true"),
        ("$pad('7', -3, '0')", r#""007""#),
        ("$formatNumber(1234.5678, '#,##0.00')", r#""1,234.57""#),
        ("$formatNumber(0.14, '0%')", r#""14%""#),
        ("$formatBase(255, 16)", r#""ff""#),
        ("$formatInteger(1999, 'I')", r#""MCMXCIX""#),
        ("$formatInteger(21, 'w;o')", r#""twenty-first""#),
        ("$parseInteger('twelve thousand and three', 'w')", "12003"),
        ("$number('0x1F')", "31"),
        ("$round(2.345, 2)", "2.34"),
        ("$string({'a': 0.1 + 0.2, 'f': $sum})", r#""{\"a\":0.3,\"f\":\"\"}""#),
        ("$base64decode($base64encode('hello'))", r#""hello""#),
        ("$encodeUrlComponent('a b&é')", r#""a%20b%26%C3%A9""#),
        ("$decodeUrl('a%20b%26')", r#""a b%26""#),
        ("$type([]) & $type(null) & $type($sum)", r#""arraynullfunction""#),
        ("{'a': {'n': 1}, 'b': [{'n': 2}]} ~> | b | {'n': n * 10}, 'm' |", r#"{"a":{"n":1},"b":[{"n":20}]}"#),
        ("function($x)<n:n>{ $x }(2)", "2"),
    ] {
        check(text, expected);
    }
}

#[test]
fn functions_are_true_as_conditions_and_false_as_arguments() {
    for (text, expected) in [
        ("($f := function($n) { 1 }; $f ? 1 : 2)", "1"),
        ("$sum and true", "true"),
        ("[1, 2][$sum]", "[1,2]"),
        ("$filter([1, 2], function($x) { $sum })", "[1,2]"),
        ("/a/ ? 1 : 2", "2"),
        ("$boolean(function() { 1 })", "false"),
        ("$not($sum)", "true"),
        ("$boolean([$sum])", "true"),
    ] {
        check(text, expected);
    }
}

#[test]
fn time_comes_from_the_execution() {
    for (text, expected) in [
        ("$millis()", "1700000000123"),
        ("$now()", r#""2023-11-14T22:13:20.123Z""#),
        ("$now('[D1o] [MNn] [Y], [h]:[m] [PN]', '+0530')", r#""15th November 2023, 3:43 AM""#),
        ("$fromMillis(0, '[Y0001]-[M01]-[D01] [FNn,3-3] W[W01]')", r#""1970-01-01 Thu W01""#),
        ("$toMillis('2024-02-29T12:00:00+01:00')", "1709204400000"),
        ("$toMillis('29/02/2024', '[D01]/[M01]/[Y0001]')", "1709164800000"),
        ("$fromMillis($toMillis('2020-09-09 08:00 PM', '[Y0001]-[M01]-[D01] [h01]:[m01] [PN]'))", r#""2020-09-09T20:00:00.000Z""#),
    ] {
        check(text, expected);
    }
    assert_eq!(evaluate("[$random(), $uuid(), $shuffle([1..9])]"), evaluate("[$random(), $uuid(), $shuffle([1..9])]"));
    check("$match($uuid(), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/).index", "0");
}

#[test]
fn functions_that_aws_adds() {
    for (text, expected) in [
        ("$partition([1..5], 2)", "[[1,2],[3,4],[5]]"),
        ("$partition([1, 2, 3], 2.6)", "[[1,2],[3]]"),
        ("$partition([1, 2, 3])", "[[1,2,3]]"),
        ("$range(1, 9, 3)", "[1,4,7]"),
        ("$range(1.4, 5.6, 2.2)", "[1,3,5]"),
        ("$range(-1.7, 2, 1)", "[-1,0,1,2]"),
        ("$range(1, -1.7, -1.9)", "[1,0,-1]"),
        ("$range(-0.7, -1, -1)", "[0,-1]"),
        ("$range(3, 1, -0.5)", "undefined"),
        ("$range(1, 9, 9)", "1"),
        ("$range(5, 1, -2)", "[5,3,1]"),
        ("$range(1, 9, 0)", "undefined"),
        ("$range(1, 9)", "undefined"),
        ("$count($range(1, 1001, 1))", "1001"),
        ("$hash('input data', 'SHA-1')", r#""aaff4a450a104cd177d28d18d74485e8cae074b7""#),
        ("$random(42)", "0.7275636800328681"),
        ("$parse(' {\"a\": [1, -0]} ')", r#"{"a":[1,0]}"#),
    ] {
        check(text, expected);
    }
    for (text, code) in [
        ("$partition([1], -1)", "D3137"),
        ("$partition('x', 1)", "T0410"),
        ("$partition(null, 1)", "T0412"),
        ("$range(1, 2, 3, 4)", "T0410"),
        ("$range('1', 2, 3)", "T0410"),
        ("$random(null)", "T0410"),
        ("$random(1, 2)", "T0410"),
        ("$uuid(1)", "T0410"),
        ("$parse(1)", "T0410"),
        ("$randomSeeded(1)", "T1006"),
        ("$eval('1')", "T1006"),
    ] {
        assert_eq!(evaluate(text).expect_err(text).code, code, "{text}");
    }
    fails("$hash(1, 'MD5')", "T0410", "Argument 1 of function \"hash\" does not match function signature", 5);
    fails("$parse('')", "D3137", "Invalid JSON", 6);
    fails("$base64decode('!!!')", "D3900", "An internal error", 13);
    fails("$base64decode('YQ=!')", "D3900", "An internal error", 13);
    check("$base64decode('YWI') & $base64decode('Y W I =')", r#""abab""#);
    check("[1 / 0, -1 / 0, 0 / 0]", r#"["Infinity","-Infinity","NaN"]"#);
    check(
        "$parse('[1.0, 1e2, 2.5, 9223372036854775807, 9223372036854775808]')",
        "[1,100,2.5,9223372036854775807,9.223372036854776e18]",
    );
    for empty in ["$partition([], 2)", "$partition([1, 2], 0)", "$partition([1, 2], -0.5)", "$hash('a')", "$parse()"] {
        assert_eq!(evaluate(empty), Ok(None), "{empty}");
    }
}

#[test]
fn errors_have_the_message_of_the_reference_and_an_offset() {
    for (text, code, message, offset) in [
        ("", "S0207", "Unexpected end of expression", 0),
        ("1 +", "S0207", "Unexpected end of expression", 3),
        ("[1, 2", "S0203", "Expected \"]\" before end of expression", 5),
        ("[1 2)", "S0202", "Expected \"]\", got \"2\"", 3),
        ("a b", "S0201", "Syntax error: \"b\"", 2),
        ("'open", "S0101", "String literal must be terminated by a matching quote", 0),
        ("'\\q'", "S0103", "Unsupported escape sequence: \\\"q\"", 2),
        ("x := 1", "S0212", "The left side of := must be a variable name (start with $)", 0),
        ("a.1", "S0213", "The literal value 1 cannot be used as a step within a path expression", 2),
        ("/a(?=b)/", "S0303", "Unsupported regular expression: \"look-ahead and look-behind\"", 0),
        ("1 + 'a'", "T2002", "The right side of the \"+\" operator must evaluate to a number", 2),
        ("[0, 'a' * 2]", "T2001", "The left side of the \"*\" operator must evaluate to a number", 8),
        ("1 < 'a'", "T2009", "The values 1 and \"a\" either side of operator \"<\" must be of the same data type", 2),
        ("-'a'", "D1002", "Cannot negate a non-numeric value: \"a\"", 0),
        ("$sum(['a'])", "T0412", "Argument 1 of function \"sum\" must be an array of \"numbers\"", 4),
        ("sum([1])", "T1005", "Attempted to invoke a non-function. Did you mean $sum?", 3),
        ("$nope()", "T1006", "Attempted to invoke a non-function", 5),
        ("{'a': 1, 'a': 2}", "D1009", "Multiple key definitions evaluate to same key: \"a\"", 0),
        ("{1: 2}", "T1003", "Key in object structure must evaluate to a string; got: 1", 0),
        ("$number('x')", "D3030", "Unable to cast value to a number: \"x\"", 7),
        ("$error('out of stock')", "D3137", "out of stock", 6),
        ("$assert(false)", "D3141", "$assert() statement failed", 7),
        ("1 / 0 + 1", "D1001", "Number out of range: null", 6),
        ("[1..1.5]", "T2004", "The right side of the range operator (..) must evaluate to an integer", 2),
    ] {
        fails(text, code, message, offset);
    }
    assert!(evaluate("$sum").expect_err("a function").is_function_result());
}

#[test]
fn references() {
    let shown = |text: &str| {
        let found = Expression::parse(text).unwrap().references();
        let names: Vec<String> = found
            .variables
            .iter()
            .map(|v| {
                assert_eq!(&text[v.span.range()], format!("${}", v.name));
                let path: Vec<&str> = v.path.iter().map(|(name, _)| &**name).collect();
                format!("{}{}{}", [&[&*v.name], path.as_slice()].concat().join("."), if v.called { "()" } else { "" }, "")
            })
            .collect();
        format!("{} $${} ${}", names.join(" "), found.roots.len(), found.inputs.len())
    };
    for (text, expected) in [
        ("$states.input.a[0].b + $x", "states.input.a x $$0 $0"),
        ("$states.result.$string()", "states.result string() $$0 $0"),
        ("$map($list, function($v) { $v.price * $rate })", "map() list rate $$0 $0"),
        ("($t := 1; $t + $u)", "u $$0 $0"),
        ("$$ & $ & name", " $$1 $2"),
        ("$a[price > 1 and $ != 2]", "a $$0 $0"),
        ("$a@$row.($row.x + $y)", "a y $$0 $0"),
        ("$a ~> $sum", "a sum() $$0 $0"),
        ("{'k': $v.w, 'n': n}", "v.w $$0 $1"),
        ("$x ~> |items|{'t': $rate * price}|", "x rate $$0 $0"),
    ] {
        assert_eq!(shown(text), expected, "{text}");
    }
    assert!(function_names().any(|name| name == "partition"));
}

#[test]
fn an_evaluation_frees_all_its_memory() {
    let shared = json::parse(r#"{"a":[1,2,3]}"#).unwrap();
    let weak = match &shared {
        Value::Object(map) => Arc::downgrade(map),
        _ => unreachable!(),
    };
    let mut rng = Rng::new(1);
    let mut env = Env { now: Millis(0), rng: &mut rng };
    // A function in its own scope is a cycle of reference counts.
    let expression = Expression::parse("($d := $x; $f := function($n) { $n = 0 ? $d : $f($n - 1) }; $count($f(5).a))").unwrap();
    let bindings = |name: &str| (name == "x").then(|| shared.clone());
    assert_eq!(expression.evaluate(&Value::Null, &bindings, &mut env), Ok(Some(3.into())));
    drop(shared);
    assert!(weak.upgrade().is_none());
}

/// A missing argument defaults to the context, if that is of the parameter's type.
#[test]
fn a_missing_argument_defaults_to_the_context() {
    for (text, expected) in [
        ("[1, 2].$string()", r#"["1","2"]"#),
        (r#"["ab"].$uppercase()"#, r#""AB""#),
        (r#"("ab" ~> function($s, $n)<s-n?:s>{$s & $n})"#, r#""ab""#),
        (r#"["ab"].(function($n, $s)<n?s-:s>{$s & $exists($n)})()"#, r#""abfalse""#),
    ] {
        check(text, expected);
    }
    let code = |text: &str| evaluate(text).map_err(|e| (e.code, e.message)).expect_err(text);
    assert_eq!(
        code("[5].$uppercase()"),
        ("T0411", "Context value is not a compatible type with argument 1 of function \"uppercase\"".into())
    );
    assert_eq!(code("[5].(function($n, $s)<n?s-:s>{$s})()").0, "T0411");
}

/// A later call reuses the scope of a finished call, unless a function refers to it.
#[test]
fn functions_keep_the_variables_of_finished_calls() {
    for (text, expected) in [
        ("($of := function($x){function(){$x}}; $a := $of(1); $b := $of(2); $c := $of(3); [$a(), $b(), $c()])", "[1,2,3]"),
        (
            "($of := function($x){($y := $x * 10; function(){$y})}; $all := $map([1..3], $of); $map($all, function($f){$f()}))",
            "[10,20,30]",
        ),
        ("$map([1..3], function($x){($y := $x > 1 ? $x; $y)})", "[2,3]"),
        ("($set := function($x){($z := $x)}; $get := function($x){$z}; $set(1); [$get(2)])", "[]"),
        ("($f := function($a, $b){$exists($b) ? $b : $a}; [$f(1, 2), $f(3), $f(4, 5)])", "[2,3,5]"),
        ("($d := function($n){$n = 0 ? [] : $append($d($n - 1), $n)}; $d(5))", "[1,2,3,4,5]"),
        ("($add := function($a, $b){$a + $b}; $one := $add(1, ?); $map([1, 2], function($x){$one($one($x))}))", "[3,4]"),
        ("$max([3, 9, 2])", "9"),
        ("[$max([1..5]), $min([2..5]), $min([1.5, 1]), $exists($max([]))]", "[5,2,1,false]"),
    ] {
        check(text, expected);
    }
}
