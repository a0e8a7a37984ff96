//! The parts of an expression with their locations, for tools that read expressions and do not evaluate them.

use super::SyntaxError;
use super::intrinsic::Call;
use super::jsonata::{self, JsonataError};
use super::path::Path;
use crate::base::{Span, Value};

/// A part of an expression. The table lists the values of `kind`, and what `value` and `parts` contain for each:
///
/// | kind | value | parts |
/// |---|---|---|
/// | `path` | in JSONPath, the [readers](super::path::Reader) that find nothing at it: a list of `path`, `template`, `argument`, `reference` | where it starts, then its steps |
/// | `root` | `$` or `$$` | |
/// | `variable`, `local` | the name, without `$` | |
/// | `name`, `index` | the name, the number; `[(@.length-1)]` is -1 | |
/// | `names`, `indexes`, `slice` | lists of them; a slice has two numbers, or null | |
/// | `wildcard`, `descend` | | |
/// | `filter` | | in JSONata, the predicate |
/// | `function` | its name: a function at the end of a path | |
/// | `list` | | of JSONata: `[]` behind a step |
/// | `literal` | the value | |
/// | `template` | the template of `States.Format`, with its escapes | |
/// | `call` | the function's name, without `$` | the arguments |
/// | `operation` | the operators, from left to right | the operands, one more; a single one behind a minus |
/// | `object` | | keys and values in turn |
/// | `array`, `block` | | the items |
/// | `other` | | all parts in the order of the text |
///
/// A `local` is a variable that the expression defines itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The kind, from the table.
    pub kind: &'static str,
    /// Its span in the text, in bytes. A part of JSONata with the kind `other` may begin only at its operator.
    pub span: Span,
    /// The value; null if the kind has none.
    pub value: Value,
    /// The parts that it consists of.
    pub parts: Vec<Part>,
    /// The types of an intrinsic function's parameters, in TypeScript. There is no information about variadic arguments.
    pub takes: Vec<&'static str>,
    /// The type of an intrinsic function's result.
    pub gives: Option<&'static str>,
}

impl Part {
    /// Returns a part without parts of its own.
    pub(super) fn new(kind: &'static str, span: Span, value: Value) -> Part {
        Part { kind, span, value, parts: Vec::new(), takes: Vec::new(), gives: None }
    }

    /// Sets the parts.
    pub(super) fn of(mut self, parts: Vec<Part>) -> Part {
        self.parts = parts;
        self
    }

    /// Moves the spans by a number of bytes, for a part that is in a longer text.
    pub(super) fn shift(&mut self, by: usize) {
        self.span = Span::new(self.span.start + by, self.span.end + by);
        for part in &mut self.parts {
            part.shift(by);
        }
    }
}

/// Returns the parts of a path or of a call of an intrinsic function.
///
/// Errors: those of [`Path::parse`] and [`Call::parse`].
///
/// ```
/// use stepglass::expr::syntax;
/// let call = syntax::jsonpath("States.ArrayLength($.orders[0])").unwrap();
/// let path = &call.parts[0];
/// assert_eq!((call.kind, path.kind, path.span.start), ("call", "path", 19));
/// assert_eq!(path.parts.iter().map(|step| step.kind).collect::<Vec<_>>(), ["root", "name", "index"]);
/// ```
pub fn jsonpath(text: &str) -> Result<Part, SyntaxError> {
    if text.starts_with('$') { Path::syntax(text) } else { Call::parse(text).map(|call| call.syntax()) }
}

/// Returns the parts of a JSONata expression, without its `{%` and `%}`.
///
/// Errors: those of [`jsonata::Expression::parse`].
///
/// ```
/// use stepglass::expr::syntax;
/// let sum = syntax::jsonata("$sum($states.input.prices) > 10").unwrap();
/// assert_eq!((sum.kind, sum.value.to_string().as_str()), ("operation", r#"[">"]"#));
/// assert_eq!((sum.parts[0].kind, sum.parts[0].value.as_str()), ("call", Some("sum")));
/// ```
pub fn jsonata(text: &str) -> Result<Part, JsonataError> {
    jsonata::syntax(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Formats a part as `kind value text(parts)`, without the spans of simple parts.
    fn shown(part: &Part, text: &str) -> String {
        let mut out = part.kind.to_string();
        if part.value != Value::Null {
            out.push_str(&format!(" {}", part.value));
        }
        out.push_str(&format!(" `{}`", text.get(part.span.start..part.span.end).unwrap_or("?")));
        if !part.parts.is_empty() {
            let parts: Vec<String> = part.parts.iter().map(|part| shown(part, text)).collect();
            out.push_str(&format!("({})", parts.join(", ")));
        }
        out
    }

    #[test]
    fn paths_and_calls_have_their_parts() {
        for (text, expect) in [
            ("$", "path `$`(root \"$\" `$`)"),
            ("$$.State.Name", "path `$$.State.Name`(root \"$$\" `$$`, name \"State\" `.State`, name \"Name\" `.Name`)"),
            (
                "$v[-1]['a b']",
                "path [\"template\",\"argument\"] `$v[-1]['a b']`(variable \"v\" `$v`, index -1 `[-1]`, name \"a b\" `['a b']`)",
            ),
            (
                "$..b[?(@.c[0] > 1)].length()",
                "path `$..b[?(@.c[0] > 1)].length()`(root \"$\" `$`, descend `..b`, name \"b\" `..b`, filter `[?(@.c[0] > 1)]`, function \"length\" `.length()`)",
            ),
            (
                "$[1:]['a','b'][0,2][*]",
                "path [\"path\",\"reference\"] `$[1:]['a','b'][0,2][*]`(root \"$\" `$`, slice [1,null] `[1:]`, names [\"a\",\"b\"] `['a','b']`, indexes [0,2] `[0,2]`, wildcard `[*]`)",
            ),
            (
                "$.a.sum()",
                "path [\"template\",\"argument\",\"reference\"] `$.a.sum()`(root \"$\" `$`, name \"a\" `.a`, function \"sum\" `.sum()`)",
            ),
            ("$[(@.length-1)]", "path `$[(@.length-1)]`(root \"$\" `$`, index -1 `[(@.length-1)]`)"),
            (
                " States.Format('\\{{} ü', States.Array($.a, 2)) ",
                "call \"States.Format\" `States.Format('\\{{} ü', States.Array($.a, 2))`(template \"\\\\{{} ü\" `'\\{{} ü'`, call \"States.Array\" `States.Array($.a, 2)`(path `$.a`(root \"$\" `$`, name \"a\" `.a`), literal 2 `2`))",
            ),
        ] {
            assert_eq!(shown(&jsonpath(text).unwrap(), text), expect, "{text}");
        }
        assert_eq!(jsonpath("States.Nothing()").unwrap_err().message, "There is no intrinsic function 'States.Nothing'");
        assert!(jsonpath("$.a[").is_err());
    }

    #[test]
    fn expressions_have_their_parts() {
        for (text, expect) in [
            (
                "$states.input.a[0].`b c`[-1]",
                "path `$states.input.a[0].`b c`[-1]`(variable \"states\" `$states`, name \"input\" `input`, name \"a\" `a`, index 0 `[0]`, name \"b c\" ``b c``, index -1 `[-1]`)",
            ),
            (
                "($x := $y; $f := function($z) { $z + $x })",
                "block `($x := $y; $f := function($z) { $z + $x })`(other `:= $y`(path `$y`(variable \"y\" `$y`)), other `:= function($z) { $z + $x }`(other `($z) { $z + $x }`(operation [\"+\"] `$z + $x`(path `$z`(local \"z\" `$z`), path `$x`(local \"x\" `$x`)))))",
            ),
            (
                r#"$sum(a[b > 1].c) & "d" ~> $trim"#,
                r#"other `$sum(a[b > 1].c) & "d" ~> $trim`(operation ["&"] `$sum(a[b > 1].c) & "d"`(call "sum" `$sum(a[b > 1].c)`(path `a[b > 1].c`(name "a" `a`, filter `[b > 1]`(operation [">"] `b > 1`(path `b`(name "b" `b`), literal 1 `1`)), name "c" `c`)), literal "d" `"d"`), call "trim" `$trim`)"#,
            ),
            ("a[].b", "path `a[].b`(name \"a\" `a`, list ``, name \"b\" `b`)"),
            (
                "{\"a\": -1.5, 'b': [true]}",
                "object `{\"a\": -1.5, 'b': [true]}`(literal \"a\" `\"a\"`, literal -1.5 `-1.5`, literal \"b\" `'b'`, array `[true]`(literal true `true`))",
            ),
            ("a.(b).$f()", "path `a.(b).$f()`(name \"a\" `a`, block `(b)`(path `b`(name \"b\" `b`)), call \"f\" `$f()`)"),
        ] {
            assert_eq!(shown(&jsonata(text).unwrap(), text), expect, "{text}");
        }
        assert_eq!(jsonata("$a +").unwrap_err().code, "S0207");
    }
}
