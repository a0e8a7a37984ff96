//! Quotas of the service, as options.

/// What an execution may use up. The defaults are AWS's (spec §11.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// Which events are kept.
    pub history: HistoryLevel,
    /// Bytes of JSON text that an input, a result or an output may have; default 262,144.
    pub payload_limit: usize,
    /// Events after which the execution fails; default 25,000. 0: no limit.
    pub history_limit: u32,
    /// State transitions that one call of `step` makes before it returns with `more`; default 10,000.
    pub step_budget: u32,
    /// Whether the machine is an EXPRESS one.
    pub express: bool,
    /// Whether every stage of a state's data flow is recorded for inspection; with `child_histories` the events of child
    /// executions too, as they happen.
    pub trace: bool,
    /// Whether child executions of a Distributed Map keep their histories until taken.
    pub child_histories: bool,
    /// Whether the host runs the child executions of Distributed Maps, each in an engine of its own
    /// ([`Command::StartChild`](super::Command::StartChild)).
    pub children_apart: bool,
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
            children_apart: false,
        }
    }
}

/// Which events of the history are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HistoryLevel {
    /// All, as `GetExecutionHistory` returns them.
    Full,
    /// None; they are counted all the same.
    None,
}

/// Iterations of an inline Map that run at once whatever MaxConcurrency says (spec §7.4).
pub(super) const INLINE_CONCURRENCY: u64 = 40;

/// Child executions of a Distributed Map that run at once.
pub(super) const DISTRIBUTED_CONCURRENCY: u64 = 10_000;

/// Characters of an error and of a cause.
pub(super) const LONGEST_ERROR: usize = 256;
/// See [`LONGEST_ERROR`].
pub(super) const LONGEST_CAUSE: usize = 32_768;

/// Milliseconds that a Wait must not reach: AWS counts its seconds in 31 bits, so that 24,855 days are accepted and 24,856 are
/// refused (recorded).
pub(super) const LONGEST_WAIT: u64 = (1 << 31) * 1000;

/// Seconds that TimeoutSeconds and HeartbeatSeconds may hold.
pub(super) const LONGEST_TIMEOUT: i64 = 99_999_999;

/// Levels that an output or a variable may nest. A loop that wraps its input once more each time around would
/// otherwise grow a value that no recursion over it survives; AWS's limit of bytes alone allows 50,000 levels.
pub(super) const PAYLOAD_DEPTH: usize = 256;

/// Seconds that an Express execution may last (spec §11.2).
pub(super) const EXPRESS_TIMEOUT: u64 = 300;
