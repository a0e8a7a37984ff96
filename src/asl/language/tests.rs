//! Tests of what an editor shows at the `¦` of a text.

use super::*;
use crate::asl::{CompileOptions, compile};

const ORDER: &str = r#"{
  "StartAt": "Charge",
  "States": {
    "Charge": {
      "Type": "Task",
      "Comment": "Takes the money",
      "Resource": "arn:aws:states:::lambda:invoke",
      "Parameters": {"FunctionName": "charge", "Payload.$": "$.order"},
      "Assign": {"total.$": "$.Payload.total"},
      "Retry": [{"ErrorEquals": ["States.Timeout"], "MaxAttempts": 2}],
      "Catch": [{"ErrorEquals": ["States.ALL"], "Next": "Refund"}],
      "Next": "Route"
    },
    "Route": {
      "Type": "Choice",
      "Choices": [{"Variable": "$total", "NumericGreaterThan": 100, "Next": "Charge"}],
      "Default": "Refund"
    },
    "Refund": {"Type": "Pass", "Parameters": {"text.$": "States.Format('{} of $total', $total)"}, "End": true}
  }
}"#;

fn marked(text: &str) -> (String, usize) {
    (text.replace('¦', ""), text.find('¦').unwrap())
}

fn actions(text: &str, range: Span) -> Vec<CodeAction> {
    code_actions(text, range, &compile(text, &CompileOptions::default()).diagnostics)
}

/// Returns the text after applying the first code action whose title begins like this.
fn fixed(text: &str, title: &str) -> String {
    let actions = actions(text, Span::new(0, text.len()));
    let action = actions.iter().find(|action| action.title.starts_with(title));
    let action =
        action.unwrap_or_else(|| panic!("{title} is not among {:#?}", actions.iter().map(|a| &a.title).collect::<Vec<_>>()));
    apply(text, &action.edits)
}

#[test]
fn hovers() {
    for (place, kind, title, has) in [
        ("\"Sta¦rtAt\"", "field", "StartAt · string, required", "first"),
        ("\"Re¦fund\": {\"Type\"", "state", "Refund · Pass", ""),
        ("\"Next\": \"Ro¦ute\"", "state", "Route · Choice", "Continues to `Refund` by default."),
        ("\"StartAt\": \"Ch¦arge\"", "state", "Charge · Task", "Takes the money"),
        ("\"Type\": \"Cho¦ice\"", "type", "Choice", "first rule that is true"),
        ("\"States.Tim¦eout\"", "error", "States.Timeout", "has passed"),
        ("\"MaxAt¦tempts\"", "field", "MaxAttempts · integer", "retries"),
        ("\"Numeric¦GreaterThan\"", "field", "NumericGreaterThan", "a number and is greater than this one"),
        ("\"$to¦tal\", \"Numeric", "variable", "$total", "assigned in `Charge`"),
        ("\"States.For¦mat", "function", "States.Format(template, value…)", "place"),
        ("\"$.ord¦er\"", "path", "$.order", "input"),
    ] {
        let (piece, at) = marked(place);
        let start = ORDER.find(&piece).unwrap_or_else(|| panic!("{piece}"));
        let found = hover(ORDER, start + at).unwrap_or_else(|| panic!("nothing at {place}"));
        assert_eq!((found.kind, found.title.as_str()), (kind, title), "{place}");
        assert!(found.text.contains(has), "{place}: {}", found.text);
    }
    let (text, at) =
        marked(r#"{"QueryLanguage":"JSONata","States":{"A":{"Type":"Pass","Output":"{% $su¦m($states.input.n) %}"}}}"#);
    assert_eq!(hover(&text, at).unwrap().title, "$sum(numbers)");
    let found = hover(&text, text.find("input.n").unwrap() + 1).unwrap();
    assert_eq!((found.path.as_deref(), found.state.as_deref()), (Some("$states.input"), Some("A")));
    assert_eq!(found.field.as_deref(), Some("Output"));
    assert_eq!(hover("{\"a\": 1}", 8), None);
    // This position is in the value of a variable.
    let (text, at) = marked(
        r#"{"States":{"A":{"Type":"Pass","Assign":{"cart.$":"$.c"}},"B":{"Type":"Pass","Parameters":{"x.$":"$cart.items[0].pr¦ice"}}}}"#,
    );
    let found = hover(&text, at).unwrap();
    assert_eq!((found.kind, found.path.as_deref()), ("path", Some("$cart.items[0].price")));
    assert_eq!((found.state.as_deref(), found.field.as_deref()), (Some("B"), Some("Parameters")));
    assert_eq!(hover(&text.replace("$cart.items", "$card.items"), at), None);
}

#[test]
fn definitions_and_references() {
    let at = |piece: &str| ORDER.find(piece).unwrap();
    let (origin, targets) = definition(ORDER, at("Refund\"}]")).unwrap();
    assert_eq!(ORDER.get(origin.range()), Some("Refund"));
    assert_eq!(targets, [Span::new(at("Refund\": {"), at("Refund\": {") + 6)]);
    let all = references(ORDER, at("Charge\",\n")).unwrap();
    assert_eq!((all.kind, all.name.as_str(), all.places.len()), ("state", "Charge", 3));
    let variable = references(ORDER, at("$total\", \"Numeric")).unwrap();
    // The name within the quotes of the template does not count.
    assert_eq!((variable.kind, variable.places.len()), ("variable", 3));
    assert_eq!(references(ORDER, at("arn:aws")), None);
}

#[test]
fn equal_names_in_other_scopes_are_not_references() {
    let text = r#"{"StartAt":"P","States":{"P":{"Type":"Parallel","Next":"A","Branches":[{"StartAt":"B","States":{"B":{"Next":"A"}}}]},"A":{}}}"#;
    let outer = references(text, text.find("\"A\",\"Branches").unwrap() + 1).unwrap();
    assert_eq!(outer.places.len(), 2);
}

#[test]
fn renames() {
    let at = |piece: &str| ORDER.find(piece).unwrap();
    let edits = rename(ORDER, at("Refund\"}]"), "Give \"back\"").unwrap();
    let renamed = apply(ORDER, &edits);
    assert_eq!(renamed.matches(r#""Give \"back\"""#).count(), 3);
    assert!(!renamed.contains("Refund"));
    let renamed = apply(ORDER, &rename(ORDER, at("total.$"), "sum").unwrap());
    assert!(renamed.contains(r#""sum.$""#) && renamed.contains(r#""Variable": "$sum""#) && renamed.contains("of $total', $sum)"));
    for (to, why) in [("Route", "already"), ("", "1 to 80")] {
        assert!(rename(ORDER, at("Refund\"}]"), to).unwrap_err().contains(why));
    }
    assert!(rename(ORDER, at("total.$"), "9x").is_err());
    assert!(rename(ORDER, 0, "X").is_err());
}

#[test]
fn quick_fixes() {
    let machine = |states: &str| format!(r#"{{"StartAt":"A","States":{{{states}}}}}"#);
    for (states, title, expect) in [
        (r#""A":{"Type":"Pass","Next":"Bb"},"B":{"Type":"Succeed"}"#, "did you mean", r#""Next":"B""#),
        (r#""A":{"Type":"Pass","Next":"Gone"},"B":{"Type":"Succeed"}"#, "add a state", r#""Gone": {"Type": "Pass", "End": true}"#),
        (r#""A":{"Type":"Pass"},"B":{"Type":"Succeed"}"#, "continue to `B`", r#"{"Type":"Pass", "Next": "B"}"#),
        (r#""A":{"Type":"Pass"}"#, "or end here", r#""End": true"#),
        (r#""A":{"Type":"Pass","End":true},"B":{"Type":"Succeed"}"#, "let `A` continue", r#"{"Type":"Pass","Next": "B"}"#),
        (r#""A":{"Type":"Pass","End":true},"B":{"Type":"Succeed"}"#, "remove `B`", r#""States":{"A":{"Type":"Pass","End":true}}"#),
        (r#""A":{"Type":"Pass","InputPth":"$","End":true}"#, "did you mean", r#""InputPath":"$""#),
        (r#""A":{"Type":"Pass","Retry":[],"End":true}"#, "remove `Retry`", r#"{"Type":"Pass","End":true}"#),
        (
            r#""A":{"Type":"Task","Resource":"arn:aws:states:::lambda:invoke","Retry":[{"ErrorEquals":["States.ALL"]},{"ErrorEquals":["X"]}],"End":true}"#,
            "move it to the end",
            r#"[{"ErrorEquals":["X"]}, {"ErrorEquals":["States.ALL"]}]"#,
        ),
        (
            r#""A":{"Type":"Task","Resource":"arn:aws:states:::lambda:invoke","Retry":[{"ErrorEquals":["States.ALL","X"]}],"End":true}"#,
            "use only `States.ALL`",
            r#"[{"ErrorEquals":["States.ALL"]}]"#,
        ),
        (
            r#""A":{"Type":"Task","Resource":"arn:aws:states:::lambda:invoke","TimeoutSeconds":5,"HeartbeatSeconds":9,"End":true}"#,
            "let `HeartbeatSeconds`",
            r#""HeartbeatSeconds":4"#,
        ),
        (
            r#""A":{"Type":"Task","QueryLanguage":"JSONata","Resource":"arn:aws:states:::lambda:invoke","Parameters":{"x.$":"$.a[0].b","y":1},"End":true}"#,
            "make it `Arguments`",
            r#""Arguments":{"x":"{% $states.input.a[0].b %}","y":1}"#,
        ),
        (
            r#""A":{"Type":"Wait","QueryLanguage":"JSONata","SecondsPath":"$$.x","End":true}"#,
            "make it `Seconds`",
            r#""Seconds":"{% $states.context.x %}""#,
        ),
        (
            r#""A":{"Type":"Task","QueryLanguage":"JSONata","Resource":"arn:aws:states:::lambda:invoke","InputPath":"$.a","End":true}"#,
            "make it `Arguments`",
            r#""Arguments":"{% $states.input.a %}""#,
        ),
        (
            r#""A":{"Type":"Pass","QueryLanguage":"JSONata","InputPath":"$.a","End":true}"#,
            "make it `Output`",
            r#""Output":"{% $states.input.a %}""#,
        ),
        (
            r#""A":{"Type":"Map","QueryLanguage":"JSONata","ItemsPath":"$.a","ItemProcessor":{"StartAt":"B","States":{"B":{"Type":"Succeed"}}},"End":true}"#,
            "make it `Items`",
            r#""Items":"{% $states.input.a %}""#,
        ),
        (r#""A":{"Type":"Pass","Output":1,"End":true}"#, "make this a JSONata", r#""QueryLanguage": "JSONata""#),
        (r#""A":{"Type":"Pass","Output":1,"End":true}"#, "make it `Parameters`", r#""Parameters":1"#),
        (r#""A":{"Type":"Pass","End":true},"A":{"Type":"Succeed"}"#, "rename this one", r#""A 2":{"Type":"Succeed"}"#),
        (
            r#""A":{"Type":"Map","ItemProcessor":{"StartAt":"A","States":{"A":{"Type":"Pass","End":true}}},"End":true}"#,
            "rename this one",
            r#"{"StartAt":"A 2","States":{"A 2":"#,
        ),
        (
            r#""A":{"Type":"Choice","Choices":[{"Variable":"$.x","IsNull":true}]},"B":{"Type":"Succeed"}"#,
            "add `Next`",
            r#""Next": "B""#,
        ),
        (r#""A":{"Type":"Pass","Parameters":{"x":"$.y"},"End":true}"#, "", r#""x.$":"$.y""#),
    ] {
        let after = fixed(&machine(states), title);
        assert!(after.contains(expect), "{title}: {after}");
    }
    let text = machine(r#""A":{"Type":"Choice","Choices":[{"Variable":"$.x","IsNull":true,"Next":"B"}]},"B":{"Type":"Succeed"}"#);
    let at = text.find("Choice\"").unwrap();
    let actions = actions(&text, Span::new(at, at));
    assert!(apply(&text, &actions[0].edits).contains(r#"], "Default": "B"}"#));
}

#[test]
fn missing_braces_are_added() {
    for (value, expect) in [
        ("$.y", Some("{% $states.input.y %}")),
        ("$states.input.y", Some("{% $states.input.y %}")),
        ("$sum($states.input.l)", Some("{% $sum($states.input.l) %}")),
        ("$5 off", None),
        ("{% $x %}", None),
        ("plain", None),
    ] {
        let (text, at) = marked(&format!(
            r#"{{"QueryLanguage":"JSONata","StartAt":"A","States":{{"A":{{"Type":"Pass","Output":{{"x":"¦{value}"}},"End":true}}}}}}"#
        ));
        let found = actions(&text, Span::new(at, at));
        let after =
            found.iter().find(|action| action.title.starts_with("make it an expression")).map(|action| apply(&text, &action.edits));
        assert_eq!(after.is_some(), expect.is_some(), "{value}");
        assert!(after.is_none_or(|after| after.contains(expect.unwrap())), "{value}");
    }
}

#[test]
fn syntax_fixes() {
    for (text, title, expect) in [
        (r#"{"a":1 "b":2}"#, "insert a comma", r#"{"a":1, "b":2}"#),
        (r#"{"a":1,}"#, "remove the comma", r#"{"a":1}"#),
        (r#"{"a" 1}"#, "insert a colon", r#"{"a": 1}"#),
        (r#"{"a":{"b":[1"#, "close the open brackets", r#"{"a":{"b":[1]}}"#),
        ("{\"a\":\"b\n}", "close the quotes", "{\"a\":\"b\"\n}"),
        ("{\"a\":\"b,\n\"c\":1}", "close the quotes", "{\"a\":\"b\",\n\"c\":1}"),
        (r#"{'a':1}"#, "use double quotes", r#"{"a":1}"#),
        (r#"{a:1}"#, "put it in quotes", r#"{"a":1}"#),
    ] {
        assert_eq!(fixed(text, title), expect, "{text}");
    }
}

#[test]
fn formatting_changes_only_white_space() {
    let check = |text: &str, expect: &str| {
        let after = apply(text, &format(text, 2));
        assert_eq!(after, expect, "{text}");
        assert_eq!(apply(&after, &format(&after, 2)), after, "again: {text}");
    };
    check(r#"{"a":[1,2,{"b":{}}],"c":[]}"#, "{\n  \"a\": [1, 2, {\"b\": {}}],\n  \"c\": []\n}\n");
    check("{\"a\":{\n\"b\":1}}", "{\n  \"a\": {\n    \"b\": 1\n  }\n}\n");
    check("{\"a\" :1 \"b\":[1,\n", "{\n  \"a\": 1\n  \"b\": [\n    1,\n");
    check("", "");
    let compact = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    let after = apply(ORDER, &format(ORDER, 4));
    assert_eq!(compact(&after), compact(ORDER));
}

#[test]
fn an_outline_has_every_state() {
    let text = r#"{"States":{"P":{"Branches":[{"States":{"B":{}}}]},"A":{}"#;
    let found: Vec<_> = outline(text)
        .into_iter()
        .map(|state| (state.name, text.get(state.key.range()).unwrap(), state.depth, state.pointer))
        .collect();
    let expect = [
        ("P".into(), "P", 0, "/States/P".to_string()),
        ("B".into(), "B", 1, "/States/P/Branches/0/States/B".to_string()),
        ("A".into(), "A", 0, "/States/A".to_string()),
    ];
    assert_eq!(found, expect);
    assert_eq!(outline(r#"{"States":{"a/~":{}}}"#)[0].pointer, "/States/a~1~0");
}

#[test]
fn expressions_of_a_state() {
    let check = |state: &str, expect: &[(&str, &str, bool)]| {
        let text = format!(
            r#"{{"States":{{"A":{state},"M":{{"Type":"Map","ItemsPath":"$.m","ItemProcessor":{{"States":{{"I":{{"InputPath":"$.i"}}}}}}}}}}}}"#
        );
        let found = expressions(&text, Some("A"));
        let got: Vec<_> = found.iter().map(|one| (one.field.as_str(), one.source.as_str(), one.jsonata)).collect();
        assert_eq!(got, expect, "{state}");
        assert!(
            found.iter().all(|one| text.get(one.span.range()).is_some_and(|piece| piece.starts_with('"') && piece.ends_with('"')))
        );
        assert_eq!(expressions(&text, Some("M")).len(), 1);
        assert_eq!(expressions(&text, Some("I")).len(), 1);
        assert!(expressions(&text, Some("none")).is_empty());
        assert_eq!(expressions(&text, None).len(), found.len() + 2);
    };
    check(
        r#"{"Parameters":{"a":{"b.$":"$.c","d":"$.e"},"f":[{"g.$":"States.UUID()"}]},"Choices":[{"Variable":"$.v"}],"Comment":"$.x"}"#,
        &[("Parameters", "$.c", false), ("Parameters", "States.UUID()", false), ("Choices", "$.v", false)],
    );
    check(r#"{"Arguments":{"l":["{% 1 + 1 %}","two"]}}"#, &[("Arguments", "1 + 1", true)]);
}

#[test]
fn every_prefix_of_a_definition_is_accepted() {
    for cut in (0..=ORDER.len()).step_by(7) {
        let text = &ORDER[..cut];
        for at in (0..=cut).rev().step_by(11) {
            if let Some(found) = hover(text, at) {
                assert!(text.get(found.span.range()).is_some());
            }
            if let Ok(edits) = rename(text, at, "Other") {
                assert!(edits.iter().all(|edit| text.get(edit.span.range()).is_some()));
            }
        }
        let edits = format(text, 2);
        assert!(edits.iter().all(|edit| text.get(edit.span.range()).is_some_and(|cut| cut.trim().is_empty())));
    }
    for cut in (0..=ORDER.len()).step_by(97) {
        for action in actions(&ORDER[..cut], Span::new(0, cut)) {
            assert!(action.edits.iter().all(|edit| ORDER[..cut].get(edit.span.range()).is_some()));
        }
    }
}

#[test]
fn damaged_texts_get_answers() {
    let pieces =
        ["{", "}", "[", "]", ",", ":", "\"", "\\", "\n", "'", "é👍", "\"States\":{", "\"Assign\":{\"x\":", "{% $x ", "$$", " "];
    let mut rng = crate::base::Rng::new(11);
    for _ in 0..1_500 {
        let mut text = ORDER.to_string();
        for _ in 0..=rng.below(4) {
            let mut at = rng.below(text.len() as u64 + 1) as usize;
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            match rng.below(3) {
                0 => text.truncate(at),
                1 => text.insert_str(at, pieces[rng.below(pieces.len() as u64) as usize]),
                _ => {
                    let end =
                        (at + rng.below(30) as usize..=text.len()).find(|end| text.is_char_boundary(*end)).unwrap_or(text.len());
                    text.replace_range(at..end, "");
                }
            }
        }
        let whole = Span::new(0, text.len());
        let places = |span: Span| assert!(text.get(span.range()).is_some(), "{span:?} in {text}");
        for at in [0, rng.below(text.len() as u64 + 1) as usize, text.len(), text.len() + 9] {
            hover(&text, at).into_iter().for_each(|found| places(found.span));
            references(&text, at).into_iter().flat_map(|found| found.places).for_each(|place| places(place.span));
            rename(&text, at, "Other").into_iter().flatten().for_each(|edit| places(edit.span));
            super::super::complete::complete(&text, at);
        }
        for action in actions(&text, whole) {
            action.edits.iter().for_each(|edit| places(edit.span));
        }
        format(&text, 2).iter().for_each(|edit| places(edit.span));
        outline(&text).iter().for_each(|state| {
            places(state.key);
            places(state.whole);
        });
        expressions(&text, Some("Charge")).iter().for_each(|one| places(one.span));
    }
}
