//! Generates random JSONata expressions, for the fuzz test and for the comparison with other implementations.

use stepglass::base::Rng;

/// Generates expressions that usually parse, with every construct of the language.
pub(crate) struct Maker<'a> {
    /// The source of random decisions.
    pub rng: &'a mut Rng,
    /// The names of the functions to call.
    pub functions: &'a [&'static str],
}

impl Maker<'_> {
    fn pick<'t>(&mut self, from: &[&'t str]) -> &'t str {
        from[self.rng.below(from.len() as u64) as usize]
    }

    /// Returns an expression with at most this depth.
    pub(crate) fn expression(&mut self, depth: u32) -> String {
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
