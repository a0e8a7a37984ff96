//! Tests which gestures are refused, and how they write names, labels and new states.

use super::*;

fn made(text: &str, gesture: &str) -> Edited {
    let gesture = json::parse(gesture).unwrap();
    edit(text, &gesture, &CompileOptions::default()).unwrap_or_else(|refused| panic!("{gesture}: {refused:?}"))
}

fn refused(text: &str, gesture: &str) -> Box<Refused> {
    edit(text, &json::parse(gesture).unwrap(), &CompileOptions::default()).err().unwrap()
}

#[test]
fn impossible_gestures_are_refused_with_a_reason() {
    for (gesture, code) in [
        (r#"{"kind":"connect","from":"/States/B","as":"next","to":"/States/A"}"#, "impossible"),
        (r#"{"kind":"rename","state":"/States/B","to":"A"}"#, "taken"),
        (r#"{"kind":"insert","edge":"/States/B/Next","state":{"type":"Pass"}}"#, "not-found"),
        (r#"{"kind":"unwrap","state":"/States/A"}"#, "impossible"),
        (r#"{"kind":"paste","asl":"[]"}"#, "asl"),
        (r#"{"kind":"nothing"}"#, "impossible"),
        ("7", "impossible"),
    ] {
        assert_eq!(refused(WIDE, gesture).code, code, "{gesture}");
    }
}

#[test]
fn states_with_equal_names_cannot_get_into_one_scope() {
    let text = r#"{"StartAt":"M","States":{"M":{"Type":"Map","ItemProcessor":{"StartAt":"A","States":{"A":{"Type":"Succeed"}}},"Next":"A"},"A":{"Type":"Succeed"}}}"#;
    assert_eq!(refused(text, r#"{"kind":"unwrap","state":"/States/M"}"#).code, "taken");
}

const WIDE: &str = r#"{
    "StartAt": "A",
    "States": {
        "A": {
            "Type": "Pass",
            "Next": "B"
        },
        "B": {"Type": "Succeed"}
    }
}
"#;

#[test]
fn a_state_on_a_transition_is_written_in_the_style_of_the_text() {
    let edited = made(WIDE, r#"{"kind":"insert","edge":"/States/A/Next","state":{"type":"Wait","name":"Rest"}}"#);
    let expected = WIDE.replace("\"Next\": \"B\"\n        },", "\"Next\": \"Rest\"\n        },\n        \"Rest\": {\n            \"Type\": \"Wait\",\n            \"Seconds\": 1,\n            \"Next\": \"B\"\n        },");
    assert_eq!(edited.text, expected);
    assert_eq!((edited.select, edited.introduces.len()), (vec!["/States/Rest".to_string()], 0));
    assert_eq!(edited.text.get(edited.caret.span.range()), Some("1"));
}

#[test]
fn renaming_a_state_introduces_no_problem_about_an_equal_label() {
    let map = r#"{"Type":"Map","Label":"M","ItemProcessor":{"ProcessorConfig":{"Mode":"DISTRIBUTED","ExecutionType":"STANDARD"},"StartAt":"I","States":{"I":{"Type":"Succeed"}}}"#;
    let text =
        format!(r#"{{"StartAt":"M","States":{{"M":{map},"Next":"N"}},"N":{},"End":true}}}}}}"#, map.replace("\"I\"", "\"J\""));
    assert!(crate::asl::compile(&text, &Default::default()).diagnostics.iter().any(|one| one.code.name == "duplicate-label"));
    let edited = made(&text, r#"{"kind":"rename","state":"/States/M","to":"First"}"#);
    assert!(edited.introduces.is_empty(), "{:?}", edited.introduces);
}

#[test]
fn a_renamed_variable_is_renamed_everywhere() {
    let text = r#"{"StartAt":"A","States":{
  "A":{"Type":"Pass","Assign":{"sum.$":"States.MathAdd($sum, 1)","n":1},"Next":"B"},
  "B":{"Type":"Pass","QueryLanguage":"JSONata","Output":"{% $sum\/2 & '$sum' & $sum([1]) %}","End":true}}}"#;
    let edited = made(text, r#"{"kind":"rename","variable":"sum","to":"total"}"#);
    let expected = text
        .replace("\"sum.$\":\"States.MathAdd($sum", "\"total.$\":\"States.MathAdd($total")
        .replace("{% $sum\\/2 & '$sum' & $sum([1])", "{% $total\\/2 & '$sum' & $total([1])");
    assert_eq!(edited.text, expected);
    assert_eq!((edited.announce.as_str(), edited.select), ("$sum is called $total now.", vec!["/States/A".to_string()]));
    for (to, code) in [("n", "taken"), ("states", "name"), ("1x", "name"), ("", "name")] {
        assert_eq!(refused(text, &format!(r#"{{"kind":"rename","variable":"sum","to":"{to}"}}"#)).code, code, "{to}");
    }
    assert_eq!(refused(text, r#"{"kind":"rename","variable":"none","to":"x"}"#).code, "not-found");
    let offers = gestures(text, &[String::new()]);
    assert!(offers.iter().any(|one| one.about.to_string() == r#"{"kind":"rename","variables":["sum","n"]}"#), "{offers:?}");
}

#[test]
fn a_placeholder_for_a_state_keeps_its_name_and_transitions() {
    let text = r#"{"StartAt":"A","States":{"A":{"Type":"Pass","Next":"X"},"X":9001,"B":{"Type":"Succeed"}}}"#;
    assert_eq!(made(text, r#"{"kind":"rename","state":"/States/X","to":"Y"}"#).text, text.replace('X', "Y"));
    let edited = made(text, r#"{"kind":"insert","edge":"/States/A/Next","state":{"type":"Wait"}}"#);
    assert!(edited.text.contains(r#""Next":"X"},"X":9001"#), "{}", edited.text);
    let edited = made(text, r#"{"kind":"connect","edge":"/StartAt","to":"/States/X"}"#);
    assert!(edited.text.starts_with(r#"{"StartAt":"X""#));
    assert_eq!(refused(text, r#"{"kind":"delete","states":["/States/X"]}"#).code, "ambiguous");
    let edited = made(text, r#"{"kind":"delete","states":["/States/X"],"to":"/States/B"}"#);
    assert_eq!(edited.text, r#"{"StartAt":"A","States":{"A":{"Type":"Pass","Next":"B"},"B":{"Type":"Succeed"}}}"#);
    assert!(made(text, r#"{"kind":"duplicate","states":["/States/X"]}"#).text.contains(r#""X":9001,"X 2":9001"#));
    for gesture in [
        r#"{"kind":"append","from":"/States/X","as":"next","state":{"type":"Wait"}}"#,
        r#"{"kind":"retype","state":"/States/X","type":"Wait"}"#,
        r#"{"kind":"wrap","states":["/States/X"],"type":"Map"}"#,
        r#"{"kind":"unwrap","state":"/States/X"}"#,
    ] {
        let why = refused(text, gesture);
        assert!(why.code == "shape" && why.message.contains("`X` is a placeholder"), "{gesture}: {}", why.message);
    }
    let whole = r#"{"StartAt":"A","States":9001}"#;
    for gesture in
        [r#"{"kind":"create","state":{"type":"Wait"}}"#, r#"{"kind":"insert","edge":"/StartAt","state":{"type":"Wait"}}"#]
    {
        assert!(refused(whole, gesture).message.contains("`States` is a placeholder"), "{gesture}");
    }
    assert!(gestures(whole, &[String::new()]).iter().all(|one| one.refused.is_some()));
}

#[test]
fn a_value_that_should_be_a_list_is_named_in_the_refusal() {
    let text = r#"{"StartAt":"A","States":{"A":{"Type":"Choice","Choices":{"a":1},"Default":"B"},"B":{"Type":"Succeed"}}}"#;
    let why = refused(text, r#"{"kind":"connect","from":"/States/A","as":"rule","to":"/States/B"}"#);
    assert_eq!((why.code, why.message.as_str()), ("shape", "`Choices` is not a list: fix that first"));
}
