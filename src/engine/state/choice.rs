//! Choice: the first rule that is true (spec §5).

use crate::asl::ir::{Comparison, Condition, Family, Operand, QueryLanguage, Rule, State, StateId, Test, TypeTest};
use crate::base::Value;
use crate::base::time::parse_rfc3339;
use crate::engine::Engine;
use crate::engine::advance::Ran;
use crate::engine::coverage::Branch;
use crate::engine::dataflow::{Eval, View};
use crate::engine::fault::Fault;
use crate::engine::frame::Frame;
use crate::expr::path::Path;
use std::cmp::Ordering;

pub(in crate::engine) fn run(
    engine: &mut Engine,
    frame: &mut Frame,
    state: &State,
    rules: &[Rule],
    default: Option<StateId>,
) -> Ran {
    let context = engine.context(frame, state, None);
    let eval = engine.eval(frame, state);
    let raw = View::new(&frame.input, &context, &frame.variables);
    let effective = match state.language {
        QueryLanguage::JsonPath => eval.path_field(&state.input_path, &raw)?,
        QueryLanguage::Jsonata => frame.input.clone(),
    };
    engine.stage(frame, state, "afterInputPath", &effective);
    let mut eval = engine.eval(frame, state);
    let view = View::new(&effective, &context, &frame.variables);
    let mut chosen = None;
    for (i, rule) in rules.iter().enumerate() {
        if holds(&mut eval, &rule.condition, i, &view)? {
            chosen = Some((i, rule));
            break;
        }
    }
    let Some((i, rule)) = chosen else {
        return match default {
            Some(next) => engine.pass_on(frame, state, &effective, Some(next)),
            None => Err(eval.runtime("Failed to transition out of the state. The state does not point to a next state.")),
        };
    };
    let assigned = eval.assign(rule.assign.as_ref(), &format!("Choices[{i}]/Assign"), &view)?;
    let output = match (state.language, &rule.output) {
        (QueryLanguage::JsonPath, _) => eval.path_field(&state.output_path, &view)?,
        (QueryLanguage::Jsonata, Some(output)) => eval.payload(output, &format!("Choices[{i}]/Output"), &view)?,
        (QueryLanguage::Jsonata, None) => effective.clone(),
    };
    engine.used(frame, Branch::Rule(i));
    engine.exit(frame, state, output, assigned, Some(rule.next))
}

/// Whether a condition holds. The compiler bounds how deep conditions nest.
fn holds(eval: &mut Eval<'_>, condition: &Condition, rule: usize, view: &View<'_>) -> Result<bool, Fault> {
    Ok(match condition {
        Condition::And(all) => {
            for condition in all {
                if !holds(eval, condition, rule, view)? {
                    return Ok(false);
                }
            }
            true
        }
        Condition::Or(any) => {
            for condition in any {
                if holds(eval, condition, rule, view)? {
                    return Ok(true);
                }
            }
            false
        }
        Condition::Not(inner) => !holds(eval, inner, rule, view)?,
        Condition::Test { variable, test } => {
            let value = eval.lookup(variable, view);
            if let Test::Is(TypeTest::Present, expected) = test {
                return Ok(value.is_some() == *expected);
            }
            let Some(value) = value else { return Err(invalid(eval, variable)) };
            match test {
                Test::Is(kind, expected) => is(*kind, &value) == *expected,
                Test::Matches(pattern) => value.as_str().is_some_and(|text| matches(pattern, text)),
                Test::Compare { family, operator, operand } => {
                    let other = match operand {
                        Operand::Literal(literal) => literal.clone(),
                        Operand::Path(path) => eval.lookup(path, view).ok_or_else(|| invalid(eval, path))?,
                    };
                    compare(*family, &value, &other).is_some_and(|order| satisfies(*operator, order))
                }
            }
        }
        Condition::Jsonata(expression) => {
            let field = format!("Choices[{rule}]/Condition");
            eval.jsonata_typed(expression, &field, "boolean", view)?.as_bool().unwrap_or(false)
        }
        Condition::Constant(answer) => *answer,
    })
}

fn invalid(eval: &Eval<'_>, path: &Path) -> Fault {
    eval.runtime(&format!("Invalid path '{}': The choice state's condition path references an invalid value.", path.text()))
}

/// The order of two values of a family; `None`, which makes every comparison false, when either is of another type.
fn compare(family: Family, a: &Value, b: &Value) -> Option<Ordering> {
    match family {
        Family::String => Some(a.as_str()?.encode_utf16().cmp(b.as_str()?.encode_utf16())),
        Family::Numeric => Some(a.as_number()?.cmp(&b.as_number()?)),
        Family::Boolean => Some(a.as_bool()?.cmp(&b.as_bool()?)),
        Family::Timestamp => Some(parse_rfc3339(a.as_str()?)?.cmp(&parse_rfc3339(b.as_str()?)?)),
    }
}

fn satisfies(operator: Comparison, order: Ordering) -> bool {
    match operator {
        Comparison::Equals => order.is_eq(),
        Comparison::LessThan => order.is_lt(),
        Comparison::GreaterThan => order.is_gt(),
        Comparison::LessThanEquals => order.is_le(),
        Comparison::GreaterThanEquals => order.is_ge(),
    }
}

fn is(kind: TypeTest, value: &Value) -> bool {
    match kind {
        TypeTest::Present => true,
        TypeTest::Null => value.is_null(),
        TypeTest::Numeric => value.as_number().is_some(),
        TypeTest::String => value.as_str().is_some(),
        TypeTest::Boolean => value.as_bool().is_some(),
        TypeTest::Timestamp => value.as_str().is_some_and(|text| parse_rfc3339(text).is_some()),
    }
}

/// StringMatches: `*` is any run of characters, `\*` and `\\` are themselves. Linear but for backing up to the last `*`.
fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = Vec::new();
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        parts.push(match c {
            '*' => None,
            '\\' => Some(chars.next().unwrap_or('\\')),
            c => Some(c),
        });
    }
    let text: Vec<char> = text.chars().collect();
    let (mut p, mut t) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        match parts.get(p) {
            Some(None) => {
                star = Some((p, t));
                p += 1;
            }
            Some(Some(c)) if *c == text[t] => {
                p += 1;
                t += 1;
            }
            _ => match star {
                Some((at, from)) => {
                    star = Some((at, from + 1));
                    p = at + 1;
                    t = from + 1;
                }
                None => return false,
            },
        }
    }
    parts[p..].iter().all(Option::is_none)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn string_matches() {
        for (pattern, text, expected) in [
            ("log-*.txt", "log-test.txt", true),
            ("log-*.txt", "log-.txt.txt", true),
            ("log-\\*.txt", "log-*.txt", true),
            ("log-\\*.txt", "log-a.txt", false),
            ("zebra*", "zebra", true),
            ("*a*b", "xaxbxb", true),
            ("*a*b", "xaxbx", false),
            ("", "", true),
            ("", "a", false),
            ("a\\\\b", "a\\b", true),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
    }
}
