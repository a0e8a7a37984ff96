//! Expressions without end or bound: each ends in an error of the budget, soon and in little memory.
//!
//! `cargo test --profile fast --test jsonata_limits -- --nocapture` prints what each one took.

use std::time::Instant;
use stepglass::base::{Millis, Rng, Value, json};
use stepglass::expr::Env;
use stepglass::expr::jsonata::{Expression, Limits};

fn evaluate(text: &str, limits: &Limits) -> Result<Option<Value>, (String, String)> {
    let states = json::parse(r#"{"input":{"a":[1,2,3],"s":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","o":{"x":{"y":1}}}}"#).unwrap();
    let mut rng = Rng::new(7);
    let mut env = Env { now: Millis(0), rng: &mut rng };
    let bindings = |name: &str| (name == "states").then(|| states.clone());
    Expression::parse(text)
        .and_then(|e| e.evaluate_within(None, &bindings, &mut env, limits))
        .map_err(|e| (e.code.to_string(), e.message))
}

/// The codes of the budgets: depth, steps, nesting, memory, length of an array, size of a range, parser depth, patterns.
const BUDGET: [&str; 8] = ["D1011", "D1012", "D1014", "D1015", "D2014", "D2015", "S0501", "S0303"];

#[test]
fn bombs_end_in_an_error() {
    let big = "a".repeat(200);
    let bombs = [
        "($f:=function($x){$f($x+1)};$f(1))".to_string(),
        "($f:=function(){$f()};$f())".into(),
        "($f:=function($x){1+$f($x+1)};$f(1))".into(),
        "($f:=function($x){[$f($x)]};$f(1))".into(),
        "($f:=function($x){$f([$x,$x])};$f(1))".into(),
        "($f:=function($x){$f($x & $x)};$f('ab'))".into(),
        "($f:=function($x){$f($append($x,$x))};$f([1]))".into(),
        "($f:=function($x){$f({'a':$x})};$f(1))".into(),
        "($f:=function($x){$f([$x])};$f(1))".into(),
        "($f:=function($x){$f(function(){$x})};$f(1))".into(),
        "($f:=function($x){$f($x ~> $string)};$f($string))".into(),
        "($g:=function($x){$g($substring(?, $x))};$g(1))".into(),
        "($e:=function($n){$n=0?true:$o($n-1)};$o:=function($n){$n=0?false:$e($n-1)};$o(1e9))".into(),
        "$pad('x', 2000000000)".into(),
        "$pad('x', -1e300)".into(),
        "$reduce([1..100], function($a,$b){$a & $a}, 'ab')".into(),
        "$reduce([1..100], function($a,$b){[$a,$a]}, 'ab')".into(),
        "$reduce([1..40], function($a,$b){[[$a,$a]]}, 1)".into(),
        "$reduce([1..100000], function($a,$b){[[$a]]}, 1)".into(),
        "$reduce([1..100000], function($a,$b){{'f': $a.f ~> $string}}, {'f': $string})".into(),
        "[1..10000000].$string()".into(),
        "$map([1..10000000], function($x){$x})".into(),
        "[1..10000000][$ = 5000]".into(),
        "[[1..10000000],[1..10000000]]".into(),
        "$sort([1..10000000])".into(),
        "$reverse([1..10000000])".into(),
        "$zip([1..10000000],[1..10000000])".into(),
        "[1..10000001]".into(),
        "([1..100000])[[1..100000]]".into(),
        "[1..3000].([1..3000])".into(),
        "($x:={'n':[1..3000]}; $x.n@$a.$x.n@$b.{'a':$a,'b':$b})".into(),
        "($x:={'n':[1..100000]}; $x.n@$a.$x.n@$b)".into(),
        "$distinct([1..100000].{'a':$})".into(),
        "[1..1000000]{$string($): $}".into(),
        "$join([1..1000000].$pad('x',1000))".into(),
        "$string([1..9000000])".into(),
        "$string($reduce([1..100], function($a,$b){[$a,$a]}, 1))".into(),
        "$formatInteger(1e300, 'I')".into(),
        "$formatInteger(9e15, 'w')  & ($f:=function(){$f()};$f())".into(),
        "$fromMillis(0, '[Y,1000000000-1000000000]')".into(),
        format!("$formatNumber(1, '{}')", "0".repeat(5000)),
        "$replace($pad('a',1000000,'a'), 'a', $pad('b',1000000,'b'))".into(),
        "$replace($pad('a',1000000), /a/, $pad('b',100000,'b')) & ($f:=function(){$f()};$f())".into(),
        "$split($pad('a',8000000), '')".into(),
        "$split($pad('a,',8000000,'a,'), ',')".into(),
        "$match($pad('a',8000000,'a'), /a/)".into(),
        "$match($pad('a',8000000,'a'), /(a+)+(a+)+(a+)+$b/)".into(),
        format!("$contains($pad('a',1000000,'a'), /^({}+)+$/)", big),
        "$contains($pad('a',1000000,'a'), /(a{1,50}){1,50}b/)".into(),
        "$range(1, 1e15, 1)".into(),
        "$partition([1..10000000], 1)".into(),
        "$shuffle([1..10000000])".into(),
        "$spread([1..900000].{'a':1})".into(),
        "$merge([1..900000].{$string($):1})".into(),
        "($x:=$reduce([1..60], function($a,$b){{'l':$a,'r':$a}}, {'v':1}); $x ~> |**|{'z':1}|)".into(),
        "($x:=$reduce([1..60], function($a,$b){{'l':$a,'r':$a}}, {'v':1}); $x.**)".into(),
        "($x:=$reduce([1..60], function($a,$b){{'l':$a,'r':$a}}, {'v':1}); $x = $x)".into(),
        "$each($states.input, function($v,$k){($f:=function(){$f()};$f())})".into(),
        "(".repeat(100_000),
        "[".repeat(100_000),
        "-".repeat(100_000),
        format!("{}1", "a[".repeat(100_000)),
        format!("a{}", "[0]".repeat(100_000)),
        format!("f{}", "()".repeat(100_000)),
        format!("1{}", " ? 1 : 1".repeat(100_000)),
        format!("1{}", " ~> $f".repeat(100_000)),
        "$x := ".repeat(100_000),
        "function($x){".repeat(100_000),
        "|a|".repeat(100_000),
    ];
    // A tenth of the fuel shows the same, and a build without optimization takes ten times as long for it.
    let fuel = Limits::default().fuel / if cfg!(debug_assertions) { 10 } else { 1 };
    let limits = Limits { fuel, ..Limits::default() };
    for bomb in &bombs {
        let start = Instant::now();
        let result = evaluate(bomb, &limits);
        let shown: String = bomb.chars().take(70).collect();
        println!("{:>6} ms  {:?}  {shown}", start.elapsed().as_millis(), result.as_ref().err().map(|e| e.0.as_str()));
        match result {
            Err((code, message)) => {
                assert!(BUDGET.contains(&code.as_str()), "{shown}: {code} {message}");
                assert!(!message.is_empty() && !message.contains("{{"), "{shown}: {message}");
            }
            // Equality and identity need no walk.
            Ok(value) => assert!(bomb.contains("$x = $x"), "{shown}: {:?}", value.map(|v| v.to_string().len())),
        }
    }
}

#[test]
fn what_is_large_but_bounded_works() {
    for (text, expected) in [
        ("[1..10000000] ~> $count()", "10000000"),
        ("$sum([1..1000000])", "500000500000"),
        ("($e:=function($n){$n=0?true:$o($n-1)};$o:=function($n){$n=0?false:$e($n-1)};$o(20001))", "true"),
        ("($f:=function($n){$n=0?0:1+$f($n-1)};$f(90))", "90"),
        ("$count($map([1..100000], function($x){$x*2}))", "100000"),
        ("$length($reduce([1..2000], function($a,$b){$a & 'line ' & $b & '\n'}, ''))", "18893"),
        ("$count($reduce([1..2000], $append, []))", "2000"),
    ] {
        assert_eq!(
            evaluate(text, &Limits::default()).map(|v| v.unwrap_or_default().to_string()),
            Ok(expected.to_string()),
            "{text}"
        );
    }
}

#[test]
fn long_flat_expressions_are_no_nesting() {
    let limits = Limits::default();
    let sum = vec!["1"; 20_000].join("+");
    assert_eq!(evaluate(&sum, &limits), Ok(Some(20_000.into())));
    let path = format!("$states.input{}", ".a".repeat(20_000));
    assert_eq!(evaluate(&path, &limits), Ok(None));
    let texts = vec!["'x'"; 20_000].join("&");
    assert_eq!(evaluate(&format!("$length({texts})"), &limits), Ok(Some(20_000.into())));
}
