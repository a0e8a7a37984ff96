//! The Context Object: `$$`, `$states.context` (spec §2.6).

use super::Execution;
use super::frame::{Frame, MapItem};
use crate::asl::ir::{Kind, State};
use crate::base::{Map, Value};
use std::sync::Arc;

/// Builds the Context Object of a frame's current state, in AWS's order of members.
pub(super) fn build(
    execution: &Execution,
    frame: &Frame,
    state: &State,
    token: Option<&Arc<str>>,
    item: Option<&MapItem>,
) -> Value {
    let mut root = Map::with_capacity(5);
    let info = &execution.info;
    let mut about = Map::with_capacity(6);
    about.insert("Id", info.arn.clone());
    about.insert("Input", execution.input.clone());
    about.insert("StartTime", execution.started.to_string());
    about.insert("Name", info.name.clone());
    let role = &info.role_arn;
    about.insert("RoleArn", if role.is_empty() { Value::Null } else { Value::from(role.clone()) });
    if !execution.express {
        about.insert("RedriveCount", execution.redrives);
    }
    if execution.redrives > 0 && !execution.express {
        about.insert("RedriveTime", execution.redriven_at.to_string());
    }
    root.insert("Execution", Value::from(about));
    if let Some(item) = item {
        let mut about = Map::with_capacity(4);
        about.insert("Index", item.index);
        if let Some(key) = &item.key {
            about.insert("Key", key.clone());
        }
        about.insert("Value", item.value.clone());
        if let Some(source) = &item.source {
            about.insert("Source", source.clone());
        }
        root.insert("Map", Value::from(Map::from_iter([("Item", Value::from(about))])));
    }
    root.insert(
        "StateMachine",
        Value::from(Map::from_iter([("Id", info.state_machine_arn.clone()), ("Name", info.state_machine_name.clone())])),
    );
    let mut about = Map::with_capacity(3);
    about.insert("Name", state.name.clone());
    about.insert("EnteredTime", frame.entered.to_string());
    if matches!(state.kind, Kind::Task(_) | Kind::Parallel { .. } | Kind::Map(_)) {
        about.insert("RetryCount", frame.retries);
    }
    root.insert("State", Value::from(about));
    if let Some(token) = token {
        root.insert("Task", Value::from(Map::from_iter([("Token", token.clone())])));
    }
    Value::from(root)
}
