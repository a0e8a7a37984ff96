//! Feeds random structured texts to every JSONPath function: nothing may panic, and every text that compiles must be evaluated.
//!
//! `STEPGLASS_FUZZ` is the number of inputs (default 20000), `STEPGLASS_SEED` the seed (default 1). A failure prints the input;
//! `STEPGLASS_SLOW=1` prints every input that took longer than 50 ms.
// The crate behind the feature panics on some of these inputs.
#![cfg(not(feature = "jsonpath-lib"))]

use std::time::Instant;
use stepglass::base::{Map, Millis, Rng, Value, json};
use stepglass::expr::intrinsic::Call;
use stepglass::expr::path::{Path, ReferencePath};
use stepglass::expr::template::Template;
use stepglass::expr::{Env, Scope};

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Prints the input when a panic unwinds through it.
struct Witness<'a>(&'a str);

impl Drop for Witness<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("input: {:?}", self.0);
        }
    }
}

struct Generator {
    rng: Rng,
}

impl Generator {
    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.rng.below(of.len() as u64) as usize]
    }

    fn chance(&mut self, one_in: u64) -> bool {
        self.rng.below(one_in) == 0
    }

    fn name(&mut self) -> &'static str {
        self.pick(&["a", "b", "c d", "é", "日本", "x-y", "", "length", "0", "__proto__", "'", "\\", "a.b", "$"])
    }

    fn index(&mut self) -> &'static str {
        self.pick(&["0", "1", "-1", "7", "-9", "2147483647", "-2147483648", "99999999999", "", "-", "01"])
    }

    fn value(&mut self, depth: u64) -> Value {
        match self.rng.below(if depth == 0 { 6 } else { 9 }) {
            0 => Value::Null,
            1 => Value::Bool(self.chance(2)),
            2 => Value::from(self.pick(&[0i64, 1, -1, 5, i64::MAX, i64::MIN, 2_147_483_648])),
            3 => Value::from(self.pick(&[0.5, -0.0, 1e300, 2.0, 1e-9])),
            4 | 5 => Value::from(self.pick(&[
                "",
                "a",
                "aaaa",
                "1",
                "{}",
                "\\{}",
                "a,b;c",
                "[1,2]",
                "é😀",
                "SHA-256",
                "2024-01-01T00:00:00Z",
            ])),
            6 | 7 => {
                let mut map = Map::new();
                for _ in 0..self.rng.below(5) {
                    let name = self.name();
                    map.insert(name, self.value(depth - 1));
                }
                map.into()
            }
            _ => (0..self.rng.below(6)).map(|_| self.value(depth - 1)).collect::<Vec<_>>().into(),
        }
    }

    fn path(&mut self, depth: u64) -> String {
        let mut text = String::from(self.pick(&["$", "$", "$", "$$", "$v", "$nobody", "@", ""]));
        for _ in 0..self.rng.below(5) {
            self.step(&mut text, depth);
        }
        text
    }

    fn step(&mut self, text: &mut String, depth: u64) {
        match self.rng.below(14) {
            0..=3 => *text += &format!(".{}", self.name()),
            4 => *text += &format!("['{}']", self.name()),
            5 => *text += &format!("[\"{}\", '{}']", self.name(), self.name()),
            6 => *text += &format!("[{}]", self.index()),
            7 => *text += &format!("[{}:{}]", self.index(), self.index()),
            8 => *text += &format!("[{},{}]", self.index(), self.index()),
            9 => *text += self.pick(&[".*", "[*]", "..*", "..", ".", "["]),
            10 => *text += &format!("..{}", self.name()),
            11 => *text += &format!("[?({})]", self.filter(depth)),
            12 => {
                let function =
                    self.pick(&["length", "sum", "min", "keys", "first", "last", "index", "concat", "append", "stddev", "nope"]);
                let argument = if self.chance(2) { String::new() } else { self.literal(1) };
                *text += &format!(".{function}({argument})");
            }
            _ => *text += self.pick(&["\\u00e9", "\\.", "\\", "\\uD800\\uDF46", " ", "]", ")", "🙂"]),
        }
    }

    fn filter(&mut self, depth: u64) -> String {
        if depth == 0 {
            return format!("@.{}", self.name());
        }
        match self.rng.below(8) {
            0 => format!("{} && {}", self.filter(depth - 1), self.filter(depth - 1)),
            1 => format!("({}||{})", self.filter(depth - 1), self.filter(depth - 1)),
            2 => format!("!{}", self.filter(depth - 1)),
            3 => self.operand(depth - 1),
            _ => {
                let operators = [
                    "==",
                    "!=",
                    "<",
                    ">=",
                    "===",
                    "=~",
                    " in ",
                    " nin ",
                    " size ",
                    " empty ",
                    " subsetof ",
                    " anyof ",
                    " contains ",
                    "=",
                    "~",
                ];
                format!("{}{}{}", self.operand(depth - 1), self.pick(&operators), self.operand(depth - 1))
            }
        }
    }

    fn operand(&mut self, depth: u64) -> String {
        match self.rng.below(4) {
            0 => {
                let mut text = String::from(self.pick(&["@", "$"]));
                for _ in 0..self.rng.below(3) {
                    self.step(&mut text, depth.saturating_sub(1));
                }
                text
            }
            1 => self.pick(&["/a+/", "/(a|b)*c/i", "/(/", "/[/", "/x{1000}{1000}/", "/\\//", "/./s", "/ a # c/x"]).into(),
            _ => self.literal(2),
        }
    }

    fn literal(&mut self, depth: u64) -> String {
        match self.rng.below(7) {
            0 => format!("'{}'", self.name()),
            1 => format!("\"{}\"", self.name()),
            2 => self.pick(&["1", "-1.5", "1e9", "1e999", ".", "--"]).into(),
            3 => self.pick(&["true", "false", "null", "nul", "undefined"]).into(),
            4 if depth > 0 => format!("[{}, {}]", self.literal(depth - 1), self.literal(depth - 1)),
            5 if depth > 0 => format!("{{'a': {}}}", self.literal(depth - 1)),
            _ => "'x'".into(),
        }
    }

    fn call(&mut self, depth: u64) -> String {
        const FUNCTIONS: [&str; 19] = [
            "Array",
            "ArrayContains",
            "ArrayGetItem",
            "ArrayLength",
            "ArrayPartition",
            "ArrayRange",
            "ArrayUnique",
            "Base64Decode",
            "Base64Encode",
            "Format",
            "Hash",
            "JsonMerge",
            "JsonToString",
            "MathAdd",
            "MathRandom",
            "StringSplit",
            "StringToJson",
            "UUID",
            "Nope",
        ];
        let name = self.pick(&FUNCTIONS);
        let arguments: Vec<String> = (0..self.rng.below(4)).map(|_| self.argument(depth)).collect();
        format!("States.{name}({})", arguments.join(self.pick(&[",", ", ", " , ", ",,"])))
    }

    fn argument(&mut self, depth: u64) -> String {
        match self.rng.below(8) {
            0 | 1 if depth > 0 => self.call(depth - 1),
            2 | 3 => self.path(2),
            4 => self
                .pick(&["'{}'", "'{} \\{ {}'", "'a\\\\'", "'\\'{}'", "'{'", "'}'", "'\\n'", "'MD5'", "'SHA-1'", "'", "''"])
                .into(),
            5 => self
                .pick(&["0", "1", "-1", "2.5", "1e300", "2147483647", "9223372036854775807", "-9223372036854775808", "1e", "0.49"])
                .into(),
            6 => self.pick(&["true", "false", "null", "nothing", "\"x\""]).into(),
            _ => "$.a".into(),
        }
    }

    fn template(&mut self, depth: u64) -> Value {
        match self.rng.below(if depth == 0 { 2 } else { 6 }) {
            0 | 1 => self.value(0),
            2 => (0..self.rng.below(4)).map(|_| self.template(depth - 1)).collect::<Vec<_>>().into(),
            _ => {
                let mut map = Map::new();
                for _ in 0..self.rng.below(5) {
                    let name = self.name();
                    match self.rng.below(4) {
                        0 => map.insert(name, self.template(depth - 1)),
                        1 => map.insert(format!("{name}.$"), self.call(2)),
                        2 => map.insert(format!("{name}.$"), self.path(2)),
                        _ => map.insert(format!("{name}.$"), self.value(1)),
                    };
                }
                map.into()
            }
        }
    }

    /// Removes, doubles or swaps a piece, at character boundaries.
    fn damage(&mut self, text: &str) -> String {
        let chars: Vec<char> = text.chars().collect();
        let (a, b) = (self.rng.below(chars.len() as u64 + 1) as usize, self.rng.below(chars.len() as u64 + 1) as usize);
        let (from, to) = (a.min(b), a.max(b));
        let pieces = [&chars[..from], &chars[from..to], &chars[to..]];
        let order: &[usize] = self.pick(&[&[0, 2][..], &[0, 1, 1, 2], &[2, 1, 0], &[0, 1]]);
        order.iter().flat_map(|i| pieces[*i]).collect()
    }
}

#[derive(Default)]
struct Counts {
    compiled: u64,
    evaluated: u64,
}

/// Calls every function that accepts the text and the input.
fn run(text: &str, template: Option<&Value>, input: &Value, variables: &Map, counts: &mut Counts) {
    let _witness = Witness(text);
    let scope = Scope { input, context: input, variables };
    let mut rng = Rng::new(3);
    let mut env = Env { now: Millis(0), rng: &mut rng };
    let mut count = |result: Result<Value, String>| {
        counts.compiled += 1;
        counts.evaluated += u64::from(result.is_ok());
    };
    match Path::parse(text) {
        Ok(path) => {
            let value = path.eval(&scope);
            if path.is_definite() {
                assert_eq!(path.find(&scope), value.as_ref().ok(), "find and eval disagree");
            }
            count(value.map_err(|missing| missing.to_string()));
        }
        Err(error) => assert!(error.offset <= text.len() && text.is_char_boundary(error.offset), "{error}"),
    }
    match ReferencePath::parse(text) {
        Ok(path) => {
            assert!(path.path().is_definite() && Path::parse(text).is_ok(), "a Reference Path is a Path");
            count(path.write(input, Value::from("new")).map_err(|error| error.to_string()));
        }
        Err(error) => assert!(error.offset <= text.len() && text.is_char_boundary(error.offset), "{error}"),
    }
    match Call::parse(text) {
        Ok(call) => {
            let _ = (call.uses_context(), call.variables());
            count(call.eval(&scope, &mut env).map_err(|error| error.to_string()));
        }
        Err(error) => assert!(error.offset <= text.len() && text.is_char_boundary(error.offset), "{error}"),
    }
    if let Some(template) = template
        && let Ok(template) = Template::compile(template)
    {
        let _ = (template.uses_context(), template.variables());
        count(template.eval(&scope, &mut env).map_err(|error| error.to_string()));
    }
}

#[test]
fn structured_inputs() {
    let (inputs, seed, slow) = (setting("STEPGLASS_FUZZ", 20_000), setting("STEPGLASS_SEED", 1), setting("STEPGLASS_SLOW", 0) == 1);
    let mut generator = Generator { rng: Rng::new(seed) };
    let mut counts = Counts::default();
    let variables: Map = [("v", json::parse(r#"{"a":[1,{"b":2}]}"#).unwrap())].into_iter().collect();
    for _ in 0..inputs {
        let input = generator.value(4);
        let (text, template) = match generator.rng.below(4) {
            0 => (generator.call(3), None),
            1 => {
                let template = generator.template(4);
                (template.to_string(), Some(template))
            }
            _ => (generator.path(3), None),
        };
        let text = if generator.chance(4) { generator.damage(&text) } else { text };
        let start = Instant::now();
        run(&text, template.as_ref(), &input, &variables, &mut counts);
        if slow && start.elapsed().as_millis() > 50 {
            eprintln!("{} ms: {text}", start.elapsed().as_millis());
        }
    }
    // The generator is useless if everything that it generates is refused.
    assert!(counts.compiled > inputs / 10, "only {} of {inputs} compiled", counts.compiled);
    assert!(counts.evaluated > inputs / 20, "only {} of {inputs} evaluated", counts.evaluated);
    println!("fuzz: {inputs} cases");
}

/// Long inputs of one shape, with lengths at which quadratic or unlimited behaviour would show.
#[test]
fn long_inputs() {
    let wide = Value::from((0..16_000).map(|n: i64| Value::from(n % 7)).collect::<Vec<_>>());
    let deep = json::parse(&format!("{}1{}", "[".repeat(128), "]".repeat(128))).unwrap();
    let long = Value::from("a".repeat(60_000));
    let objects = Value::from(
        (0..3000)
            .map(|n: i64| [("n", Value::from(n)), ("s", Value::from("aaaa"))].into_iter().collect::<Map>().into())
            .collect::<Vec<_>>(),
    );
    let many = |piece: &str, size: usize| piece.repeat(size / piece.len());
    let calls = |piece: &str| format!("States.Array({})", vec![piece; 64_000 / (piece.len() + 1)].join(","));
    let texts = [
        "(".repeat(65_536),
        "[".repeat(65_536),
        format!("${}", many(".a", 4000)),
        format!("${}", many("..*", 4000)),
        format!("${}", many("[*]", 4000)),
        format!("$[{}0]", many("0,", 4000)),
        format!("$[?({}@.n)]", many("@.n||", 4000)),
        format!("$[?({}@.n)]", many("@.s=='aaaa'&&", 4000)),
        format!("$[?({}@)]", many("@<$||", 4000)),
        format!("$[?({}@)]", many("$[0]>@||", 4000)),
        format!("$[?({}@ =~ /x/)]", many("@=~/a{250}/||", 4000)),
        "$[?(@ =~ /(a*)*(a*)*(a*)*b/)]".into(),
        "$[?(@.s =~ /(x|a|aa|aaa)+y/)]".into(),
        "$[?($..n == 1)]".into(),
        "$..[?(@ == $)]".into(),
        "$[?(@ in $)]".into(),
        "$[?($ subsetof $)]".into(),
        format!("States.Format('{}')", "x".repeat(65_000)),
        format!("States.Format('{}', $)", many("{}", 60_000)),
        format!("States.Format('{}'{})", many("{}", 3000), many(",$", 3000)),
        calls("$"),
        calls("$..*"),
        calls("States.Array($,$)"),
        calls("States.JsonToString($)"),
        calls("States.ArrayUnique($)"),
        calls("States.ArrayContains($,9)"),
        calls("States.Hash($,'SHA-512')"),
        calls("States.ArrayPartition($,1)"),
        calls("States.StringSplit($,'a')"),
        calls("States.UUID()"),
        calls("$[?(@=~/a{200}/)]"),
        calls("'a'"),
        format!("States.StringToJson('{}1{}')", "[".repeat(30_000), "]".repeat(30_000)),
        format!("States.StringSplit('{}', '{}')", many("ab", 30_000), many("bc", 30_000)),
        format!("{}1{}", "States.Array(".repeat(4000), ")".repeat(4000)),
    ];
    let mut counts = Counts::default();
    let variables = Map::new();
    let slow = setting("STEPGLASS_SLOW", 0) == 1;
    for text in &texts {
        let template: Value =
            (0..60_000 / (text.len() + 8)).map(|n| (format!("m{n}.$"), Value::from(&**text))).collect::<Map>().into();
        for (name, input) in [("wide", &wide), ("deep", &deep), ("long", &long), ("objects", &objects)] {
            let start = Instant::now();
            run(text, Some(&template), input, &variables, &mut counts);
            if slow && start.elapsed().as_millis() > 50 {
                let shown: String = text.chars().take(40).collect();
                eprintln!("{} ms: {name} {shown}", start.elapsed().as_millis());
            }
        }
    }
    let keys: Value = [(
        "k".repeat(30_000),
        Value::from((0..10_000).map(|_| [("x.$", 1)].into_iter().collect::<Map>().into()).collect::<Vec<_>>()),
    )]
    .into_iter()
    .collect::<Map>()
    .into();
    assert_eq!(Template::compile(&keys).unwrap_err().len(), 100);
    assert!(counts.compiled > 0);
}
