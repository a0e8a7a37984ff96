use super::*;

fn made(text: &str, gesture: &str) -> Edited {
    let gesture = json::parse(gesture).unwrap();
    edit(text, &gesture, &CompileOptions::default()).unwrap_or_else(|refused| panic!("{gesture}: {refused:?}"))
}

fn refused(text: &str, gesture: &str) -> Box<Refused> {
    edit(text, &json::parse(gesture).unwrap(), &CompileOptions::default()).err().unwrap()
}

#[test]
fn what_is_impossible_is_refused_with_its_reason() {
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
fn states_of_one_name_do_not_come_into_one_scope() {
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
fn a_state_goes_on_a_transition_in_the_style_of_the_text() {
    let edited = made(WIDE, r#"{"kind":"insert","edge":"/States/A/Next","state":{"type":"Wait","name":"Rest"}}"#);
    let expected = WIDE.replace("\"Next\": \"B\"\n        },", "\"Next\": \"Rest\"\n        },\n        \"Rest\": {\n            \"Type\": \"Wait\",\n            \"Seconds\": 1,\n            \"Next\": \"B\"\n        },");
    assert_eq!(edited.text, expected);
    assert_eq!((edited.select, edited.introduces.len()), (vec!["/States/Rest".to_string()], 0));
    assert_eq!(edited.text.get(edited.caret.span.range()), Some("1"));
}
