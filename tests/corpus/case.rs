//! Reads a case from a file. An unknown member is an error.

use stepglass::base::time::parse_rfc3339;
use stepglass::base::{Map, Millis, Value};
use stepglass::engine::Options;
use stepglass::sim::{Ending, Response, Script, Started};

pub(crate) struct Case {
    pub name: String,
    pub definition: String,
    pub input: Value,
    pub script: Script,
    pub seeds: std::ops::Range<u64>,
    pub start: Millis,
    pub stop: Option<Stop>,
    pub options: Options,
    pub expect: Expect,
}

pub(crate) struct Stop {
    pub at: u64,
    pub error: Option<String>,
    pub cause: Option<String>,
}

/// The expected results; a member that is `None` is not compared.
#[derive(Default)]
pub(crate) struct Expect {
    pub rejected: Option<Vec<String>>,
    pub status: Option<String>,
    pub output: Option<Value>,
    pub error: Option<Value>,
    pub cause: Option<Value>,
    pub at: Option<(u64, u64)>,
    pub history: Option<Vec<String>>,
    pub commands: Option<Vec<String>>,
    pub children: Option<Vec<String>>,
}

/// Midnight of the first day of 2024, which is the default start time of a case.
const START: Millis = Millis(1_704_067_200_000);

impl Case {
    pub(crate) fn read(value: &Value) -> Result<Case, String> {
        let name = value.get("name").and_then(Value::as_str).ok_or("a case has no name")?.to_string();
        Case::members(&name, value).map_err(|problem| format!("{name}: {problem}"))
    }

    fn members(name: &str, value: &Value) -> Result<Case, String> {
        let known = ["name", "spec", "note", "definition", "input", "tasks", "seed", "seeds", "start", "stop", "options", "expect"];
        let members = object(value, &known)?;
        if members.get("spec").and_then(Value::as_str).is_none() {
            return Err("`spec` says which rule the case is about".into());
        }
        let definition = match members.get("definition") {
            Some(Value::String(text)) => text.to_string(),
            Some(Value::Object(map)) => Value::Object(map.clone()).to_string(),
            _ => return Err("`definition` is an object, or a text".into()),
        };
        let seed = unsigned(members, "seed")?.unwrap_or(0);
        let start = match members.get("start") {
            None => START,
            Some(text) => text.as_str().and_then(parse_rfc3339).ok_or("`start` is a timestamp")?.millis(),
        };
        let mut options = Options::default();
        options.child_histories = true;
        if let Some(value) = members.get("options") {
            let members = object(value, &["express", "payloadLimit", "historyLimit", "stepBudget"])?;
            options.express = members.get("express").is_some_and(|value| value == &Value::Bool(true));
            options.payload_limit = unsigned(members, "payloadLimit")?.map_or(options.payload_limit, |n| n as usize);
            options.history_limit = unsigned(members, "historyLimit")?.map_or(options.history_limit, |n| n as u32);
            options.step_budget = unsigned(members, "stepBudget")?.map_or(options.step_budget, |n| n as u32);
        }
        let stop = match members.get("stop") {
            None => None,
            Some(value) => {
                let members = object(value, &["at", "error", "cause"])?;
                let at = unsigned(members, "at")?.ok_or("`stop` has no `at`")?;
                Some(Stop { at, error: text(members, "error")?, cause: text(members, "cause")? })
            }
        };
        Ok(Case {
            name: name.to_string(),
            definition,
            input: members.get("input").cloned().unwrap_or_else(Value::empty_object),
            script: script(members.get("tasks"))?,
            seeds: seed..seed + unsigned(members, "seeds")?.unwrap_or(1).max(1),
            start,
            stop,
            options,
            expect: expect(members.get("expect"))?,
        })
    }
}

fn expect(value: Option<&Value>) -> Result<Expect, String> {
    let Some(value) = value else { return Ok(Expect::default()) };
    let members = object(value, &["rejected", "status", "output", "error", "cause", "at", "history", "commands", "children"])?;
    let at = match members.get("at") {
        None => None,
        Some(Value::Array(_)) => {
            let bound = |i| members.get("at")?.at(i)?.as_i64()?.try_into().ok();
            Some((bound(0).ok_or("`at` has no lower bound")?, bound(1).ok_or("`at` has no upper bound")?))
        }
        Some(_) => unsigned(members, "at")?.map(|at| (at, at)),
    };
    Ok(Expect {
        rejected: lines(members, "rejected")?,
        status: text(members, "status")?,
        output: members.get("output").cloned(),
        error: members.get("error").cloned(),
        cause: members.get("cause").cloned(),
        at,
        history: lines(members, "history")?,
        commands: lines(members, "commands")?,
        children: lines(members, "children")?,
    })
}

fn script(tasks: Option<&Value>) -> Result<Script, String> {
    let mut script = Script::new();
    let Some(tasks) = tasks else { return Ok(script) };
    for (name, answers) in tasks.as_object().ok_or("`tasks` is an object")?.iter() {
        for answer in answers.as_array().ok_or_else(|| format!("the answers of {name:?} are an array"))? {
            script.answer(name, response(answer).map_err(|problem| format!("{name:?}: {problem}"))?);
        }
    }
    Ok(script)
}

fn response(answer: &Value) -> Result<Response, String> {
    let known = ["after", "output", "error", "cause", "submitted", "heartbeats", "worker", "startedAfter"];
    let members = object(answer, &known)?;
    let text = |name: &str| members.get(name).and_then(Value::as_str).map(Into::into);
    let failing = members.contains_key("error") || members.contains_key("cause");
    let ending = match members.get("output") {
        Some(_) if failing => return Err("an answer has either an output or an error".into()),
        Some(output) => Ending::Output(output.clone()),
        None if failing => Ending::Error { error: text("error"), cause: text("cause") },
        None => Ending::Never,
    };
    let started = unsigned(members, "startedAfter")?.or(members.contains_key("worker").then_some(0));
    let mut heartbeats = Vec::new();
    for beat in members.get("heartbeats").and_then(Value::as_array).unwrap_or_default() {
        heartbeats.push(beat.as_i64().and_then(|n| n.try_into().ok()).ok_or("heartbeats are milliseconds")?);
    }
    Ok(Response {
        after: unsigned(members, "after")?.unwrap_or(0),
        started: started.map(|after| Started { after, worker: text("worker") }),
        submitted: members.get("submitted").cloned(),
        heartbeats,
        ending,
    })
}

fn object<'a>(value: &'a Value, known: &[&str]) -> Result<&'a Map, String> {
    let members = value.as_object().ok_or_else(|| format!("{value} is no object"))?;
    match members.keys().find(|key| !known.contains(&&***key)) {
        Some(key) => Err(format!("{key:?} is not known; there are {}", known.join(", "))),
        None => Ok(members),
    }
}

fn unsigned(members: &Map, name: &str) -> Result<Option<u64>, String> {
    let number = |value: &Value| value.as_i64().and_then(|n| u64::try_from(n).ok());
    members.get(name).map(|value| number(value).ok_or_else(|| format!("{name:?} is a number from 0"))).transpose()
}

fn text(members: &Map, name: &str) -> Result<Option<String>, String> {
    members.get(name).map(|value| value.as_str().map(str::to_string).ok_or_else(|| format!("{name:?} is a text"))).transpose()
}

fn lines(members: &Map, name: &str) -> Result<Option<Vec<String>>, String> {
    let Some(value) = members.get(name) else { return Ok(None) };
    let list = value.as_array().ok_or_else(|| format!("{name:?} is a list of lines"))?;
    list.iter()
        .map(|line| line.as_str().map(str::to_string).ok_or_else(|| format!("{name:?} is a list of lines")))
        .collect::<Result<_, _>>()
        .map(Some)
}
