//! Strings `{% … %}`: compiled, and looked through for references that cannot be.

use super::expression::as_expression;
use super::{Compiler, Place, SCHEMA};
use crate::asl::codes;
use crate::asl::ir::JsonataTemplate;
use crate::base::Value;
use crate::base::diag::{Diagnostic, Part, Severity};
use crate::expr::jsonata::Expression;

/// What `$states` holds where an expression stands, besides `input` and `context`.
#[derive(Clone, Copy, Default)]
pub struct Reach {
    /// `$states.result`: Output and Assign of Task, Parallel and Map.
    pub result: bool,
    /// `$states.errorOutput`: Output and Assign of a catcher.
    pub error_output: bool,
}

impl Reach {
    /// Output and Assign of Task, Parallel and Map.
    pub const RESULT: Reach = Reach { result: true, error_output: false };
    /// Output and Assign of a catcher.
    pub const CATCHER: Reach = Reach { result: false, error_output: true };
}

impl Compiler<'_> {
    /// A JSON value with expressions at any depth.
    pub fn jsonata_template(&mut self, place: &Place<'_>, value: &Value, reach: Reach) -> JsonataTemplate {
        match value {
            Value::String(text) => {
                if let Some(expression) = as_expression(text) {
                    if let Some(expression) = self.expression(place, expression, reach) {
                        return JsonataTemplate::Expression(expression);
                    }
                } else {
                    self.nearly_expression(place, text);
                }
                JsonataTemplate::Literal(value.clone())
            }
            Value::Array(items) => {
                let parts: Vec<_> =
                    items.iter().enumerate().map(|(i, item)| self.jsonata_template(&place.index(i), item, reach)).collect();
                if parts.iter().all(|part| matches!(part, JsonataTemplate::Literal(_))) {
                    return JsonataTemplate::Literal(value.clone());
                }
                JsonataTemplate::Array(parts)
            }
            Value::Object(map) => {
                let parts: Vec<_> =
                    map.iter().map(|(key, item)| (key.clone(), self.jsonata_template(&place.key(key), item, reach))).collect();
                if parts.iter().all(|(_, part)| matches!(part, JsonataTemplate::Literal(_))) {
                    return JsonataTemplate::Literal(value.clone());
                }
                JsonataTemplate::Object(parts)
            }
            _ => JsonataTemplate::Literal(value.clone()),
        }
    }

    /// One expression, given with its offset in the string.
    pub fn expression(&mut self, place: &Place<'_>, (text, offset): (&str, usize), reach: Reach) -> Option<Expression> {
        match Expression::parse(text) {
            Ok(expression) => {
                self.references(place, text, offset, reach);
                Some(expression)
            }
            Err(error) => {
                let part = Part::Text { offset: offset + error.offset, length: 1 };
                let mut diagnostic = Diagnostic::new(&codes::INVALID_JSONATA, place.pointer(), error.message.clone()).at(part).aws(
                    "INVALID_JSONATA_EXPRESSION",
                    error.message.clone(),
                    Some(place.location()),
                );
                if text.contains("[?(") {
                    diagnostic = diagnostic.help("this is a JSONPath filter; in JSONata it is `[price < 10]`");
                }
                self.report(diagnostic);
                None
            }
        }
    }

    /// A literal that was probably meant to be an expression.
    fn nearly_expression(&mut self, place: &Place<'_>, text: &str) {
        let trimmed = text.trim();
        let (opens, closes) = (trimmed.starts_with("{%"), trimmed.ends_with("%}"));
        if !(opens || closes) {
            return;
        }
        if text.starts_with("{%") != text.ends_with("%}") {
            let (message, fixed) = if opens {
                ("the expression is not closed by `%}` at the very end of the string", format!("{} %}}", text.trim_end()))
            } else {
                ("the expression is not opened by `{%` at the very start of the string", format!("{{% {}", text.trim_start()))
            };
            let mut diagnostic = Diagnostic::new(&codes::UNCLOSED_EXPRESSION, place.pointer(), message).aws(
                SCHEMA,
                "JSONata string must start with {% and end with %}",
                Some(place.location()),
            );
            if opens && closes {
                diagnostic = diagnostic.fix("remove the white space around it", Part::Value, Value::from(trimmed).to_string());
            } else if !text.contains(if opens { "%}" } else { "{%" }) {
                let fixed = Value::from(fixed).to_string();
                diagnostic = diagnostic.fix(format!("did you mean `{fixed}`?"), Part::Value, fixed);
            }
            self.report(diagnostic);
            return;
        }
        if opens && closes && trimmed.len() < text.len() {
            let message = "an expression has no white space before `{%` or after `%}`; this is taken literally";
            let diagnostic = Diagnostic::new(&codes::NOT_AN_EXPRESSION, place.pointer(), message);
            self.report(diagnostic.fix("remove the white space around it", Part::Value, Value::from(trimmed).to_string()));
        }
    }

    /// What an expression refers to: variables, the Context Object, and things that are not there.
    fn references(&mut self, place: &Place<'_>, text: &str, offset: usize, reach: Reach) {
        let references = scan(text);
        for reference in &references.names {
            let part = Part::Text { offset: offset + reference.start, length: reference.name.len() + 1 };
            match reference.name {
                "" => {}
                "$" => self.unsupported(place, part, "Reference to '$$' is not supported.", "read `$states.input` instead"),
                "states" => self.states_reference(place, part, reference, offset, reach),
                "eval" => {
                    let message = "`$eval` is not available in state machines";
                    let diagnostic = Diagnostic::new(&codes::UNSUPPORTED_JSONATA, place.pointer(), message);
                    self.report(diagnostic.at(part).severity(Severity::Warning).help("use `$parse` to read JSON text"));
                }
                name if FUNCTIONS.contains(&name) || references.bound.contains(&name) => {}
                name => self.reads_variable(name, place, part),
            }
        }
    }

    fn states_reference(&mut self, place: &Place<'_>, part: Part, reference: &Reference<'_>, offset: usize, reach: Reach) {
        let whole = match reference.member {
            Some(_) => Part::Text { offset: offset + reference.start, length: reference.member_end - reference.start },
            None => part,
        };
        match reference.member {
            Some("input") => {}
            Some("context") => self.uses_context(),
            Some("result") if reach.result => {}
            Some("errorOutput") if reach.error_output => {}
            Some("result") => self.unsupported(
                place,
                whole,
                "Field '$states.result' does not exist.",
                "there is a result in Output and Assign of Task, Parallel and Map only",
            ),
            Some("errorOutput") => self.unsupported(
                place,
                whole,
                "Field '$states.errorOutput' does not exist.",
                "there is an error output in Output and Assign of a catcher only",
            ),
            Some(member) => {
                let message = format!("Field '$states.{member}' does not exist.");
                self.unsupported(place, whole, &message, "`$states` has `input`, `context`, `result` and `errorOutput`");
            }
            None => self.uses_context(),
        }
    }

    fn unsupported(&mut self, place: &Place<'_>, part: Part, aws: &str, help: &str) {
        let message = aws.trim_end_matches('.').replace('\'', "`");
        let mut lower = message.chars();
        let message: String = lower.next().map(|c| c.to_ascii_lowercase()).into_iter().chain(lower).collect();
        self.report(Diagnostic::new(&codes::UNSUPPORTED_JSONATA, place.pointer(), message).at(part).help(help).aws(
            "UNSUPPORTED_JSONATA_EXPRESSION",
            aws,
            Some(place.location()),
        ));
    }
}

/// The functions that an expression can call without anybody assigning them (spec §8.3 and JSONata's own).
const FUNCTIONS: &[&str] = &[
    "abs",
    "append",
    "assert",
    "average",
    "base64decode",
    "base64encode",
    "boolean",
    "ceil",
    "contains",
    "count",
    "decodeUrl",
    "decodeUrlComponent",
    "distinct",
    "each",
    "encodeUrl",
    "encodeUrlComponent",
    "error",
    "exists",
    "filter",
    "floor",
    "formatBase",
    "formatInteger",
    "formatNumber",
    "fromMillis",
    "hash",
    "join",
    "keys",
    "length",
    "lookup",
    "lowercase",
    "map",
    "match",
    "max",
    "merge",
    "millis",
    "min",
    "not",
    "now",
    "number",
    "pad",
    "parse",
    "parseInteger",
    "partition",
    "power",
    "random",
    "range",
    "reduce",
    "replace",
    "reverse",
    "round",
    "shuffle",
    "sift",
    "single",
    "sort",
    "split",
    "spread",
    "sqrt",
    "string",
    "substring",
    "substringAfter",
    "substringBefore",
    "sum",
    "toMillis",
    "trim",
    "type",
    "uppercase",
    "uuid",
    "zip",
];

/// A `$name` in an expression.
struct Reference<'a> {
    /// The name; `$` for `$$`, empty for the bare `$`.
    name: &'a str,
    /// Where its `$` stands.
    start: usize,
    /// The member taken of it at once: of `$states.input` it is `input`.
    member: Option<&'a str>,
    /// Where the member, or else the name, ends.
    member_end: usize,
}

struct References<'a> {
    names: Vec<Reference<'a>>,
    /// Names that the expression itself binds, anywhere: `$x := …`, `function($x)`, `@$x`, `#$x`.
    bound: Vec<&'a str>,
}

/// Finds the references of an expression that parses. Reads tokens, not structure: strings, back-quoted names,
/// comments and regular expressions are skipped.
fn scan(text: &str) -> References<'_> {
    let bytes = text.as_bytes();
    let mut out = References { names: Vec::new(), bound: Vec::new() };
    let mut at = 0;
    // Whether the token before can end an operand: then `/` divides, else it opens a regular expression.
    let mut operand = false;
    let mut before = b' ';
    let mut parameters = false;
    while at < bytes.len() {
        let c = bytes[at];
        match c {
            b' ' | b'\t' | b'\r' | b'\n' => {
                at += 1;
                continue;
            }
            b'"' | b'\'' | b'`' => {
                at = skip_quoted(bytes, at, c);
                operand = true;
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                at = text[at + 2..].find("*/").map_or(bytes.len(), |end| at + 2 + end + 2);
                continue;
            }
            b'/' if !operand => {
                at = skip_regex(bytes, at);
                operand = true;
            }
            b'$' => {
                let start = at;
                let end = if bytes.get(at + 1) == Some(&b'$') { at + 2 } else { name_end(text, at + 1) };
                let name = &text[start + 1..end];
                let after = skip_space(bytes, end);
                let mut reference = Reference { name, start, member: None, member_end: end };
                if bytes.get(after) == Some(&b'.') {
                    let from = skip_space(bytes, after + 1);
                    let quoted = bytes.get(from) == Some(&b'`');
                    let from = from + usize::from(quoted);
                    let to = if quoted { text[from..].find('`').map_or(bytes.len(), |i| from + i) } else { name_end(text, from) };
                    // `$states.$x` and `$states.*` take no fixed member.
                    if to > from {
                        reference.member = Some(&text[from..to]);
                        reference.member_end = to;
                    }
                }
                let binds = parameters
                    || matches!(before, b'@' | b'#')
                    || (bytes.get(after) == Some(&b':') && bytes.get(after + 1) == Some(&b'='));
                if binds {
                    out.bound.push(name);
                } else {
                    out.names.push(reference);
                }
                at = end;
                operand = true;
            }
            _ if c.is_ascii_alphabetic() || c == b'_' || c >= 0x80 => {
                let end = name_end(text, at).max(at + 1);
                let word = &text[at..end];
                let opens = bytes.get(skip_space(bytes, end)) == Some(&b'(');
                if (word == "function" || word == "λ") && opens {
                    parameters = true;
                }
                operand = !matches!(word, "and" | "or" | "in");
                at = end;
            }
            b')' => {
                parameters = false;
                operand = true;
                at += 1;
            }
            _ => {
                operand = matches!(c, b']' | b'}' | b'0'..=b'9');
                at += 1;
            }
        }
        before = c;
    }
    out
}

fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
        at += 1;
    }
    at
}

fn name_end(text: &str, from: usize) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).map_or(text.len(), |i| from + i)
}

fn skip_quoted(bytes: &[u8], open: usize, quote: u8) -> usize {
    let mut at = open + 1;
    while let Some(&c) = bytes.get(at) {
        if c == b'\\' && quote != b'`' {
            at += 2;
            continue;
        }
        at += 1;
        if c == quote {
            break;
        }
    }
    at.min(bytes.len())
}

fn skip_regex(bytes: &[u8], open: usize) -> usize {
    let mut at = open + 1;
    while let Some(&c) = bytes.get(at) {
        at += 1;
        match c {
            b'\\' => at += 1,
            b'/' => break,
            _ => {}
        }
    }
    while matches!(bytes.get(at), Some(b'i' | b'm')) {
        at += 1;
    }
    at.min(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::scan;

    #[test]
    fn references_of_expressions() {
        let check = |text: &str, expected: &str| {
            let found = scan(text);
            let names: Vec<_> = found
                .names
                .iter()
                .filter(|reference| !reference.name.is_empty())
                .map(|reference| match reference.member {
                    Some(member) => format!("{}.{member}", reference.name),
                    None => reference.name.to_string(),
                })
                .filter(|name| !found.bound.contains(&name.as_str()))
                .collect();
            assert_eq!(names.join(" "), expected, "{text}");
        };
        check("$states.input.a + $x", "states.input x");
        check("$a.b / $c /* $no */ & '$no' & \"$no\\\"$no\" & `$no`", "a.b c");
        check("$match($s, /$[a-z]\\/$no/i).x", "match s");
        check("($y := 1; $y + $z)", "z");
        check("$map($xs, function($v, $i) { $v * $k })", "map xs k");
        check("items@$i#$n.{ 'a': $i, 'b': $n, 'c': $o }", "o");
        check("$$.a & $", "$.a");
        check("$states . `context` . Execution", "states.context");
        check("$merge([$states, $x[0]])", "merge states x");
        check("(1) / 2 / $d", "d");
    }
}
