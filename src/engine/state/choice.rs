//! Choice: takes the first rule that is true (spec §5).

use crate::asl::ir::{Comparison, Condition, Family, Operand, QueryLanguage, Rule, State, StateId, Test, TypeTest};
use crate::asl::operator_name;
use crate::base::time::parse_rfc3339;
use crate::base::{Map, Value};
use crate::engine::Engine;
use crate::engine::advance::Ran;
use crate::engine::coverage::Branch;
use crate::engine::dataflow::{Eval, Place, View};
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
        QueryLanguage::JsonPath => eval.path_field(&state.input_path, &Place::Field("InputPath"), &raw)?,
        QueryLanguage::Jsonata => frame.input.clone(),
    };
    engine.stage(frame, state, "afterInputPath", &effective);
    let view = View::new(&effective, &context, &frame.variables);
    let mut chosen = None;
    let mut seen = engine.options.trace.then(Vec::new);
    let mut eval = engine.eval(frame, state);
    for (i, rule) in rules.iter().enumerate() {
        let mut tests = seen.as_ref().map(|_| Vec::new());
        let answer = holds(&mut eval, &rule.condition, &Place::Item(&Place::Field("Choices"), i), &view, &mut tests);
        if let (Some(seen), Some(tests)) = (&mut seen, tests) {
            seen.push(rule_record(&answer, tests));
        }
        match answer {
            Ok(false) => {}
            Ok(true) => {
                chosen = Some((i, rule));
                break;
            }
            Err(fault) => {
                record_choice(engine, frame, state, seen, Value::Null);
                return Err(fault);
            }
        }
    }
    let taken = match (&chosen, default) {
        (Some((i, _)), _) => Value::from(*i as i64),
        (None, Some(_)) => Value::from("default"),
        (None, None) => Value::Null,
    };
    record_choice(engine, frame, state, seen, taken);
    let mut eval = engine.eval(frame, state);
    let Some((i, rule)) = chosen else {
        return match default {
            Some(next) => engine.pass_on(frame, state, &effective, Some(next)),
            None => Err(eval.runtime("Failed to transition out of the state. The state does not point to a next state.")),
        };
    };
    let place = Place::Item(&Place::Field("Choices"), i);
    let assigned = eval.assign(rule.assign.as_ref(), &Place::Member(&place, "Assign"), &view)?;
    let output = match (state.language, &rule.output) {
        (QueryLanguage::JsonPath, _) => eval.path_field(&state.output_path, &Place::Field("OutputPath"), &view)?,
        (QueryLanguage::Jsonata, Some(output)) => eval.payload(output, &Place::Member(&place, "Output"), &view)?,
        (QueryLanguage::Jsonata, None) => effective.clone(),
    };
    let known = match state.language {
        QueryLanguage::JsonPath => state.passes_input(),
        QueryLanguage::Jsonata => rule.output.is_none(),
    };
    engine.check_exit(frame, state, &output, known, &assigned)?;
    Ok(engine.exit(frame, state, output, assigned, Branch::Rule(i), Some(rule.next)))
}

/// Records which rules were evaluated and which one was taken.
fn record_choice(engine: &mut Engine, frame: &Frame, state: &State, seen: Option<Vec<Value>>, taken: Value) {
    if let Some(seen) = seen {
        engine.stage(frame, state, "choice", &Map::from_iter([("rules", Value::from(seen)), ("taken", taken)]).into());
    }
}

/// Returns the record of a rule: `holds`, or the `cause` of its error and the `message` in it that does not name the state. `tests`
/// has each comparison that was made.
fn rule_record(answer: &Result<bool, Fault>, tests: Vec<Value>) -> Value {
    let mut map = Map::with_capacity(3);
    match answer {
        Ok(answer) => {
            map.insert("holds", *answer);
        }
        Err(fault) => {
            map.insert("cause", fault.cause.clone().map_or(Value::Null, Value::String));
            if let Some(message) = fault.message() {
                map.insert("message", message);
            }
        }
    }
    map.insert("tests", Value::from(tests));
    map.into()
}

/// Returns the record of a comparison: the path, its value (absent if there is none), the operator, the path of the operand and its
/// value, and the result.
fn test_record(what: &str, value: Option<&Value>, test: Option<&Test>, operand: Option<&Value>, holds: Option<bool>) -> Value {
    let mut map = Map::with_capacity(6);
    map.insert("of", what);
    if let Some(test) = test {
        map.insert("operator", operator_name(test));
        if let Test::Compare { operand: Operand::Path(path), .. } = test {
            map.insert("path", path.text());
        }
    }
    for (name, value) in [("value", value), ("operand", operand)] {
        if let Some(value) = value {
            map.insert(name, value.clone());
        }
    }
    if let Some(holds) = holds {
        map.insert("holds", holds);
    }
    map.into()
}

/// Whether a condition is true. The compiler limits how deep conditions nest. With `tests`, records each comparison.
fn holds(
    eval: &mut Eval<'_>,
    condition: &Condition,
    place: &Place<'_>,
    view: &View<'_>,
    tests: &mut Option<Vec<Value>>,
) -> Result<bool, Fault> {
    Ok(match condition {
        Condition::And(all) => {
            for (i, condition) in all.iter().enumerate() {
                if !holds(eval, condition, &Place::Item(&Place::Member(place, "And"), i), view, tests)? {
                    return Ok(false);
                }
            }
            true
        }
        Condition::Or(any) => {
            for (i, condition) in any.iter().enumerate() {
                if holds(eval, condition, &Place::Item(&Place::Member(place, "Or"), i), view, tests)? {
                    return Ok(true);
                }
            }
            false
        }
        Condition::Not(inner) => !holds(eval, inner, &Place::Member(place, "Not"), view, tests)?,
        Condition::Test { variable, test } => {
            // It was not measured whether AWS fails for IsPresent if the input is null. It is evaluated as for any other
            // input.
            let value = match test {
                Test::Is(TypeTest::Present, _) => eval.lookup_anything(variable, view),
                _ => eval.lookup(variable, &Place::Member(place, "Variable"), view)?,
            };
            let mut note = |operand: Option<&Value>, holds: Option<bool>| {
                if let Some(tests) = tests {
                    tests.push(test_record(variable.text(), value.as_ref(), Some(test), operand, holds));
                }
            };
            if let Test::Is(TypeTest::Present, expected) = test {
                let answer = value.is_some() == *expected;
                note(Some(&Value::from(*expected)), Some(answer));
                return Ok(answer);
            }
            let Some(found) = &value else {
                note(None, None);
                return Err(invalid(eval, &Place::Member(place, "Variable"), variable));
            };
            match test {
                Test::Is(kind, expected) => {
                    let answer = is(*kind, found) == *expected;
                    note(Some(&Value::from(*expected)), Some(answer));
                    answer
                }
                Test::Matches(pattern) => {
                    eval.work.spend((pattern.len() + found.as_str().map_or(0, str::len)) as u64 / CHARACTERS_OF_A_VALUE);
                    if eval.work.is_spent() {
                        return Err(eval.runtime("The rules compare more text than one state may."));
                    }
                    let answer = found.as_str().is_some_and(|text| matches(pattern, text));
                    note(Some(&Value::String(pattern.clone())), Some(answer));
                    answer
                }
                Test::Compare { family, operator, operand } => {
                    let other = match operand {
                        Operand::Literal(literal) => literal.clone(),
                        Operand::Path(path) => {
                            let place = Place::Member(place, operator_name(test));
                            match eval.lookup(path, &place, view)? {
                                Some(other) => other,
                                None => {
                                    note(None, None);
                                    return Err(invalid(eval, &place, path));
                                }
                            }
                        }
                    };
                    let answer = compare(*family, found, &other).is_some_and(|order| satisfies(*operator, order));
                    note(Some(&other), Some(answer));
                    answer
                }
            }
        }
        Condition::Jsonata(expression) => {
            let place = Place::Member(place, "Condition");
            let answer = eval.jsonata_typed(expression, &place, "boolean", view)?.as_bool().unwrap_or(false);
            if let Some(tests) = tests {
                tests.push(test_record(expression.text(), Some(&Value::from(answer)), None, None, Some(answer)));
            }
            answer
        }
        Condition::Constant(answer) => *answer,
    })
}

fn invalid(eval: &Eval<'_>, place: &Place<'_>, path: &Path) -> Fault {
    let cause = format!("Invalid path '{}': The choice state's condition path references an invalid value.", path.text());
    eval.runtime_in(place, path, &cause)
}

/// Returns the order of two values of a family; `None`, which makes every comparison false, if either is of another type.
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

/// How many characters can be compared for the cost of visiting a value.
const CHARACTERS_OF_A_VALUE: u64 = 4;

/// Implements StringMatches: `*` matches any run of characters, `\*` and `\\` match themselves. It is linear except for backing
/// up to the last `*`.
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
    fn a_stage_has_the_operator_and_operand_of_each_comparison() {
        let definition = r#"{"StartAt":"A","States":{"A":{"Type":"Choice","Default":"B","Choices":[
            {"And":[{"Variable":"$.n","IsPresent":true},{"Variable":"$.n","NumericGreaterThanPath":"$.most"}],"Next":"B"},
            {"Variable":"$.no","StringEquals":"x","Next":"B"}]},"B":{"Type":"Succeed"}}}"#;
        let options = crate::engine::Options { trace: true, ..Default::default() };
        let mut engine = Engine::new(crate::engine::fixtures::machine(definition), options);
        let input = crate::base::json::parse(r#"{"n":1,"most":2}"#).unwrap();
        let execution = crate::engine::ExecutionInfo::named("m", "e");
        engine.step(crate::base::Millis(0), crate::engine::Event::Start { input, execution, seed: 0 }).unwrap();
        let stage = engine.take_trace().into_iter().find(|stage| stage.stage == "choice").unwrap().value.to_string();
        for part in [
            r#"{"of":"$.n","operator":"IsPresent","value":1,"operand":true,"holds":true}"#,
            r#"{"of":"$.n","operator":"NumericGreaterThanPath","path":"$.most","value":1,"operand":2,"holds":false}"#,
            r#"{"of":"$.no","operator":"StringEquals"}"#,
            r#""message":"Invalid path '$.no': "#,
        ] {
            assert!(stage.contains(part), "{part} in {stage}");
        }
    }

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
