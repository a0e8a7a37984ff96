//! Lists the types of a history's events, with AWS's names (spec §9). To find why an event is written, search this folder for its
//! `EventType`: the calls of `Engine::record` write all events.

use crate::asl::ir::Kind;
use std::fmt;

macro_rules! event_types {
    ($($name:ident,)*) => {
        /// The type of an event in a history. Of AWS's 62 types these are the ones that this engine writes; a snapshot contains
        /// no others.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        #[allow(missing_docs, reason = "they are AWS's names, and GetExecutionHistory documents them")]
        pub enum EventType {
            $($name,)*
        }

        impl EventType {
            /// All types, in AWS's order.
            pub const ALL: &[EventType] = &[$(EventType::$name,)*];

            /// The type's name in the API.
            pub fn name(self) -> &'static str {
                match self {
                    $(EventType::$name => stringify!($name),)*
                }
            }
        }
    };
}

event_types! {
    ExecutionStarted,
    ExecutionSucceeded,
    ExecutionFailed,
    ExecutionAborted,
    ExecutionTimedOut,
    ExecutionRedriven,
    PassStateEntered,
    TaskStateEntered,
    ChoiceStateEntered,
    WaitStateEntered,
    SucceedStateEntered,
    FailStateEntered,
    ParallelStateEntered,
    MapStateEntered,
    PassStateExited,
    TaskStateExited,
    ChoiceStateExited,
    WaitStateExited,
    SucceedStateExited,
    ParallelStateExited,
    MapStateExited,
    TaskStateAborted,
    WaitStateAborted,
    ParallelStateAborted,
    MapStateAborted,
    TaskScheduled,
    TaskStarted,
    TaskSubmitted,
    TaskSucceeded,
    TaskFailed,
    TaskTimedOut,
    LambdaFunctionScheduled,
    LambdaFunctionStarted,
    LambdaFunctionSucceeded,
    LambdaFunctionFailed,
    LambdaFunctionTimedOut,
    ActivityScheduled,
    ActivityStarted,
    ActivitySucceeded,
    ActivityFailed,
    ActivityTimedOut,
    ParallelStateStarted,
    ParallelStateSucceeded,
    ParallelStateFailed,
    MapStateStarted,
    MapStateSucceeded,
    MapStateFailed,
    MapIterationStarted,
    MapIterationSucceeded,
    MapIterationFailed,
    MapIterationAborted,
    MapRunStarted,
    MapRunRedriven,
    MapRunSucceeded,
    MapRunFailed,
    MapRunAborted,
    EvaluationFailed,
}

impl EventType {
    /// Returns the type with this name; `None` for one that this engine does not write.
    pub(super) fn named(name: &str) -> Option<EventType> {
        EventType::ALL.iter().copied().find(|known| known.name() == name)
    }

    /// The type of the event for entering a state, such as `PassStateEntered`.
    pub(super) fn entered(kind: &Kind) -> EventType {
        match kind {
            Kind::Pass { .. } => EventType::PassStateEntered,
            Kind::Task(_) => EventType::TaskStateEntered,
            Kind::Choice { .. } => EventType::ChoiceStateEntered,
            Kind::Wait(_) => EventType::WaitStateEntered,
            Kind::Succeed => EventType::SucceedStateEntered,
            Kind::Fail { .. } => EventType::FailStateEntered,
            Kind::Parallel { .. } => EventType::ParallelStateEntered,
            Kind::Map(_) => EventType::MapStateEntered,
        }
    }

    /// The type of the event for leaving a state, such as `PassStateExited`.
    pub(super) fn exited(kind: &Kind) -> EventType {
        match kind {
            Kind::Pass { .. } => EventType::PassStateExited,
            Kind::Task(_) => EventType::TaskStateExited,
            Kind::Choice { .. } => EventType::ChoiceStateExited,
            Kind::Wait(_) => EventType::WaitStateExited,
            Kind::Succeed | Kind::Fail { .. } => EventType::SucceedStateExited,
            Kind::Parallel { .. } => EventType::ParallelStateExited,
            Kind::Map(_) => EventType::MapStateExited,
        }
    }

    /// The event of a state that was aborted while it ran; `None` for states that never wait.
    pub(super) fn aborted(kind: &Kind) -> Option<EventType> {
        match kind {
            Kind::Task(_) => Some(EventType::TaskStateAborted),
            Kind::Wait(_) => Some(EventType::WaitStateAborted),
            Kind::Parallel { .. } => Some(EventType::ParallelStateAborted),
            Kind::Map(_) => Some(EventType::MapStateAborted),
            _ => None,
        }
    }

    /// Returns the name of the member that has the details of an event of this type, such as `taskScheduledEventDetails`. An event
    /// without details does not have it.
    ///
    /// ```
    /// use stepglass::engine::EventType;
    /// assert_eq!(EventType::PassStateEntered.details_member(), "stateEnteredEventDetails");
    /// ```
    pub fn details_member(self) -> String {
        let mut name = String::new();
        self.write_member(&mut name);
        name
    }

    /// Appends the name of the event's details member. All states share two of them.
    pub(super) fn write_member(self, out: &mut String) {
        let name = self.name();
        if name.ends_with("StateEntered") {
            out.push_str("stateEntered");
        } else if name.ends_with("StateExited") {
            out.push_str("stateExited");
        } else {
            // Invariant: every type is a non-empty ASCII name.
            out.push(name.as_bytes()[0].to_ascii_lowercase() as char);
            out.push_str(&name[1..]);
        }
        out.push_str("EventDetails");
    }

    /// Whether the event begins or ends an execution. Such an event is recorded even if the history is full.
    pub(super) fn is_of_the_execution(self) -> bool {
        self.name().starts_with("Execution")
    }
}

/// Writes the type's name in the API.
impl fmt::Display for EventType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
