//! Checks a history: which event may follow which one, and how long each Wait took.

use stepglass::asl::ir::{Field, Kind, Machine, Wait};
use stepglass::engine::{Details, EventType, HistoryEvent};

/// Checks the whole history of an execution that has ended.
pub(crate) fn check(machine: &Machine, events: &[HistoryEvent]) {
    for (i, event) in events.iter().enumerate() {
        assert_eq!(event.id, i as u64 + 1, "ids have no gaps");
        assert!(event.previous_event_id < event.id, "an event follows an earlier one");
        let Some(before) = event.previous_event_id.checked_sub(1).map(|at| &events[at as usize]) else {
            let whole = event.event_type.name().starts_with("Execution");
            assert!(i < 2 || whole, "{} follows none", event.event_type.name());
            continue;
        };
        assert!(event.timestamp >= before.timestamp, "time does not go back along a chain");
        assert!(follows(before.event_type, event.event_type), "{} after {}", event.event_type.name(), before.event_type.name());
        if event.event_type == EventType::WaitStateExited
            && before.event_type == EventType::WaitStateEntered
            && let Some(seconds) = name(event).and_then(|name| seconds(machine, name))
        {
            assert!(event.timestamp.0 >= before.timestamp.0 + seconds * 1_000, "a Wait lasts as long as it says");
        }
    }
    let last = events.last().map(|event| event.event_type.name());
    assert!(last.is_some_and(|name| name.starts_with("Execution")), "the end is the last event, and not {last:?}");
}

/// Returns how long a Wait state lasts, if the definition says so.
fn seconds(machine: &Machine, name: &str) -> Option<u64> {
    match machine.states.iter().find(|(_, state)| *state.name == *name)?.1.kind {
        Kind::Wait(Wait::Seconds(Field::Fixed(seconds))) => Some(seconds),
        _ => None,
    }
}

/// Returns the state that an event leaves; for a restored event its name is in the details.
fn name(event: &HistoryEvent) -> Option<&str> {
    match &event.details {
        Details::Exited { name, .. } => Some(name),
        Details::Restored { value, .. } => value.get("name").and_then(|name| name.as_str()),
        _ => None,
    }
}

/// Whether an event of the second type may have one of the first type as its previous event.
fn follows(before: EventType, event: EventType) -> bool {
    use EventType as E;
    // States that were running continue after this event.
    if before == E::ExecutionRedriven {
        return true;
    }
    match event {
        E::TaskStarted => before == E::TaskScheduled,
        E::LambdaFunctionStarted => before == E::LambdaFunctionScheduled,
        E::ActivityStarted => before == E::ActivityScheduled,
        E::TaskSubmitted => before == E::TaskStarted,
        E::TaskSucceeded => matches!(before, E::TaskStarted | E::TaskSubmitted),
        E::LambdaFunctionSucceeded => before == E::LambdaFunctionStarted,
        E::ActivitySucceeded => before == E::ActivityStarted,
        E::PassStateExited => before == E::PassStateEntered,
        E::ChoiceStateExited => before == E::ChoiceStateEntered,
        E::WaitStateExited => before == E::WaitStateEntered,
        E::SucceedStateExited => before == E::SucceedStateEntered,
        _ => true,
    }
}
