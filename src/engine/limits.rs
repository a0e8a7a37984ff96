//! The quotas of the service, as options.

/// The limits of an execution. The defaults are AWS's (spec §11.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// Which events are stored.
    pub history: HistoryLevel,
    /// Maximum size of an input, a result or an output, in bytes of JSON text; default 262,144.
    pub payload_limit: usize,
    /// Maximum number of events, at which the execution fails; default 25,000. 0 means no limit.
    pub history_limit: u32,
    /// Maximum number of state transitions in one call of `step`, which then returns with `more`; default 10,000.
    pub step_budget: u32,
    /// Whether the machine is of type EXPRESS.
    pub express: bool,
    /// Whether every stage of a state's data flow is recorded for inspection. With `child_histories` the events of child
    /// executions are recorded too, as they happen.
    pub trace: bool,
    /// Whether child executions of a Distributed Map store their histories until they are taken.
    pub child_histories: bool,
    /// Whether the host runs the child executions of Distributed Maps, each in an engine of its own
    /// ([`Command::StartChild`](super::Command::StartChild)).
    pub external_children: bool,
    /// Whether the host confirms with [`Event::TaskScheduled`](super::Event::TaskScheduled) that the activity of a task exists. Then
    /// the history gets `ActivityScheduled` with that fact, and a task that fails before it was never scheduled.
    pub confirmed_activities: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            history: HistoryLevel::Full,
            payload_limit: 262_144,
            history_limit: 25_000,
            step_budget: 10_000,
            express: false,
            trace: false,
            child_histories: false,
            external_children: false,
            confirmed_activities: false,
        }
    }
}

/// Which events of the history are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HistoryLevel {
    /// All, as `GetExecutionHistory` returns them.
    Full,
    /// None. They are still counted.
    None,
}

/// Maximum number of iterations of an inline Map that run at once, regardless of MaxConcurrency (spec §7.4).
pub(super) const INLINE_CONCURRENCY: u64 = 40;

/// Maximum number of child executions of a Distributed Map that run at once.
pub(super) const DISTRIBUTED_CONCURRENCY: u64 = 10_000;

/// Maximum length of an error's name, in characters.
pub(super) const LONGEST_ERROR: usize = 256;
/// Maximum length of a cause, in characters.
pub(super) const LONGEST_CAUSE: usize = 32_768;

/// The milliseconds at which a Wait is too long: AWS counts its seconds in 31 bits, so that it accepts 24,855 days and refuses
/// 24,856 (recorded).
pub(super) const LONGEST_WAIT: u64 = (1 << 31) * 1000;

/// Maximum value of TimeoutSeconds and HeartbeatSeconds.
pub(super) const LONGEST_TIMEOUT: i64 = 99_999_999;

/// Maximum nesting depth of an output or a variable. Otherwise a loop that wraps its input once more in each round would build
/// a value that overflows the stack of every recursion over it; AWS's limit of bytes alone allows 50,000 levels.
pub(super) const PAYLOAD_DEPTH: usize = 256;

/// Maximum duration of an Express execution, in seconds (spec §11.2).
pub(super) const EXPRESS_TIMEOUT: u64 = 300;
