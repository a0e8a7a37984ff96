//! Random expressions: whatever the text and the data, an answer or an error, never a panic.
//!
//! `STEPGLASS_FUZZ=2000000 cargo test --profile fast --test fuzz_jsonata` runs longer; a failing seed is printed.

use stepglass::base::{Millis, Rng, Value, json};
use stepglass::expr::Env;
use stepglass::expr::jsonata::{Expression, Limits, function_names};

/// The seeds to try: `STEPGLASS_FUZZ` of them, from `STEPGLASS_FIRST` on.
fn seeds(default: u64) -> std::ops::Range<u64> {
    let read = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    let first = read("STEPGLASS_FIRST").unwrap_or(0);
    first..first + read("STEPGLASS_FUZZ").unwrap_or(default)
}

/// Makes expressions that mostly parse, of every construct of the language.
struct Maker<'a> {
    rng: &'a mut Rng,
    functions: &'a [&'static str],
}

impl Maker<'_> {
    fn pick<'t>(&mut self, from: &[&'t str]) -> &'t str {
        from[self.rng.below(from.len() as u64) as usize]
    }

    fn expression(&mut self, depth: u32) -> String {
        if depth == 0 {
            return self.leaf();
        }
        let d = depth - 1;
        match self.rng.below(30) {
            0..=3 => self.leaf(),
            4..=6 => format!("{}.{}", self.expression(d), self.step(d)),
            7 => format!("{}[{}]", self.expression(d), self.expression(d)),
            8 => format!("({})[{}]", self.expression(d), self.expression(d)),
            9..=11 => {
                let op = self.pick(&["+", "-", "*", "/", "%", "=", "!=", "<", ">=", "&", " and ", " or ", " in ", "?:", "??"]);
                format!("{} {op} {}", self.expression(d), self.expression(d))
            }
            12 => format!("[{}, {}]", self.expression(d), self.expression(d)),
            13 => format!("[{}..{}]", self.leaf(), self.leaf()),
            14 => format!("{{{}: {}, 'k': {}}}", self.expression(d), self.expression(d), self.expression(d)),
            15 => format!("{}{{{}: {}}}", self.step(d), self.expression(d), self.expression(d)),
            16 => format!("{}^({}{})", self.expression(d), self.pick(&["<", ">", ""]), self.expression(d)),
            17 => format!("({}; {})", self.expression(d), self.expression(d)),
            18 => format!("($x := {}; {})", self.expression(d), self.expression(d)),
            19 => format!("{} ? {} : {}", self.expression(d), self.expression(d), self.expression(d)),
            20 => format!("function($x, $y){{{}}}", self.expression(d)),
            21 => format!("$f({}, {})", self.expression(d), self.expression(d)),
            22 => format!("{} ~> {}", self.expression(d), self.expression(d)),
            23 => format!("{} ~> |{}|{}, {}|", self.expression(d), self.expression(d), self.expression(d), self.expression(d)),
            24 => format!("{}@$a.{}#$i.{}", self.step(d), self.step(d), self.expression(d)),
            25 => format!("{}[]", self.step(d)),
            26 => format!("-{}", self.expression(d)),
            27 => {
                let pattern = self.pick(&["a+", "(a)|(b)", "[^a]*", "^.", "(\\d)(\\w)?", "\\s|$", "x*?", "(?:ab){1,3}"]);
                format!("/{pattern}/{}", self.pick(&["", "i", "m"]))
            }
            _ => self.call(d),
        }
    }

    fn call(&mut self, depth: u32) -> String {
        let name = self.pick(self.functions);
        let args: Vec<String> = (0..self.rng.below(4))
            .map(|_| match self.rng.below(8) {
                0 => "function($x, $y, $z){$x}".to_string(),
                1 => "/a(.)?/".into(),
                2 => "?".into(),
                _ => self.expression(depth),
            })
            .collect();
        format!("${name}({})", args.join(", "))
    }

    fn step(&mut self, depth: u32) -> String {
        match self.rng.below(8) {
            0 => "*".into(),
            1 => "**".into(),
            2 => "%".into(),
            3 => format!("({})", self.expression(depth)),
            4 => format!("[{}]", self.expression(depth)),
            5 => format!("b[{}]", self.expression(depth)),
            _ => self.pick(&["a", "b", "`c d`", "items", "\"a\"", "$", "$f()"]).into(),
        }
    }

    fn leaf(&mut self) -> String {
        let leaves = [
            "a",
            "b",
            "items",
            "items.n",
            "items.s",
            "$",
            "$$",
            "$x",
            "$f",
            "$states",
            "null",
            "true",
            "false",
            "0",
            "1",
            "-1",
            "2.5",
            "1e300",
            "9007199254740993",
            "\"\"",
            "'a'",
            "'éa😀b'",
            "'[Y0001]-[M01]'",
            "'#,##0.00'",
            "'w'",
            "*",
            "**",
            "%",
            "[]",
            "{}",
            "()",
            "'2024-02-30T10:00:00Z'",
            "'a,b,,c'",
            "'%E4%A4'",
            "$g",
        ];
        self.pick(&leaves).into()
    }
}

fn run(text: &str, input: &Value, seed: u64) {
    let Ok(expression) = Expression::parse(text) else { return };
    expression.references();
    let limits = Limits { fuel: 100_000, memory: 8 << 20, text: 1 << 20, items: 50_000, eval: true, ..Limits::default() };
    let mut rng = Rng::new(seed);
    let mut env = Env { now: Millis(1_700_000_000_000), rng: &mut rng };
    let bindings = |name: &str| (name == "states").then(|| input.clone());
    if let Ok(Some(value)) = expression.evaluate_within(Some(input), &bindings, &mut env, &limits) {
        assert!(json::serialized_len(&value) > 0);
    }
}

#[test]
fn random_expressions_never_panic() {
    let functions: Vec<&'static str> = function_names().collect();
    let input = json::parse(
        r#"{"a":1,"b":[{"a":"x","b":[1,2,{"c d":null}]},{"a":-2.5,"b":{"a":[[]]}}],"c d":"text","items":[
            {"n":3,"s":"b"},{"n":1,"s":"a","items":[{"n":7}]},{"n":2,"s":"éa😀"}]}"#,
    )
    .unwrap();
    for seed in seeds(20_000) {
        let mut rng = Rng::new(seed);
        let depth = 1 + rng.below(5) as u32;
        let body = Maker { rng: &mut rng, functions: &functions }.expression(depth);
        let text = format!("($f := function($x, $y)<xx?:x>{{$x}}; $g := function($n){{$n > 5 ? $n : $g($n + 1)}}; {body})");
        let result = std::panic::catch_unwind(|| run(&text, &input, seed));
        assert!(result.is_ok(), "seed {seed}: {text}");
    }
}

#[test]
fn random_texts_never_panic() {
    let tokens = [
        "a", "$a", "$", "%", "*", "**", ".", "..", "[", "]", "{", "}", "(", ")", "<", ">", "<=", "~>", ":=", ":", ";", ",", "?",
        "?:", "??", "|", "@", "#", "^", "&", "!", "~", "=", "and", "or", "in", "function", "λ", "1", "-1", "1.5e", "'s'",
        "\"\\u00", "`q`", "/re/", "/", "/*", "*/", "\\", "é", "😀", " ", "\n", "<s-:n>", "null",
    ];
    for seed in seeds(20_000) {
        let mut rng = Rng::new(seed ^ 0x5eed);
        let text: String = (0..rng.below(24)).map(|_| tokens[rng.below(tokens.len() as u64) as usize]).collect();
        let result = std::panic::catch_unwind(|| run(&text, &Value::from("x"), seed));
        assert!(result.is_ok(), "seed {seed}: {text}");
    }
}
