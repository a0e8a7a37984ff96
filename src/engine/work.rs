//! How much the expressions of a state, and those of one call of `step`, may do.
//!
//! A transition is quick but for the expressions in it. They pay for what they look at, so that a call ends after so much
//! work as well as after so many transitions, and the host's event loop, a stop and TimeoutSeconds get their turn. The
//! amounts are counted and not timed: the same history comes of it on every machine.

use std::cell::Cell;

/// Values that the expressions of one state, in one attempt, may look at; an item of a Map counts as a state. At some
/// 60 ns each this is the longest time that a transition takes, some 20 ms: an expression is evaluated at once, so this is
/// what a host's event loop waits for. `$map` over 20,000 items that makes a small object of each is within it.
const STATE: u64 = 320_000;

/// Values after which a call of `step` returns with `more`.
const CALL: u64 = 50_000;

/// The same for a call of `step_once`.
const TRANSITION: u64 = 250_000;

/// What it costs to begin an expression, and to bring its value back.
pub(super) const EXPRESSION: u64 = 28;

/// What it costs to write an event.
const EVENT: u64 = 10;

/// What it costs to make an error and its texts, and to look who handles it.
const ERROR: u64 = 300;

/// Bytes of a payload that cost as much to make, measure and keep as a look at a value does.
pub(super) const BYTES_OF_A_VALUE: u64 = 8;

/// Bytes of text that cost as much to read.
const BYTES_READ_OF_A_VALUE: u64 = 4;

/// Bytes that an event counts for, apart from its payloads, when a host takes events out: few enough that it takes none of
/// 25,000 small ones, which are all that most executions may have and cost more to write than to make.
const BYTES_OF_AN_EVENT: u64 = 20;

/// What is left of both.
#[derive(Clone, Debug, Default)]
pub(super) struct Work {
    state: Cell<u64>,
    call: Cell<u64>,
    /// Bytes of payloads that were measured, and of events: about what the history has grown by.
    payloads: Cell<u64>,
}

impl Work {
    /// A call of `step` begins.
    pub(super) fn begin_call(&self) {
        self.call.set(CALL);
        self.begin_state();
    }

    /// A call that makes one transition: what belongs together is told of at once, but not all items of a long Map.
    pub(super) fn begin_transition(&self) {
        self.call.set(TRANSITION);
        self.begin_state();
    }

    /// Work for somebody who waits until it is done.
    pub(super) fn begin_whole(&self) {
        self.call.set(u64::MAX);
        self.begin_state();
    }

    /// A state, or an item of a Map, begins.
    pub(super) fn begin_state(&self) {
        self.state.set(STATE);
    }

    /// Whether the call has done its part.
    pub(super) fn is_done(&self) -> bool {
        self.call.get() == 0
    }

    /// Work of the engine itself, which counts for the call alone.
    pub(super) fn charge(&self, values: u64) {
        self.call.set(self.call.get().saturating_sub(values));
    }

    /// Whether the state has none left.
    pub(super) fn is_spent(&self) -> bool {
        self.state.get() == 0
    }

    /// Work of an expression that it does not count itself.
    pub(super) fn spend(&self, values: u64) {
        self.state.set(self.state.get().saturating_sub(values));
        self.charge(values);
    }

    /// An event was written, into the execution's own history or into a child's.
    pub(super) fn wrote_event(&self, own: bool) {
        self.charge(EVENT);
        if own {
            self.payloads.set(self.payloads.get().saturating_add(BYTES_OF_AN_EVENT));
        }
    }

    /// An error was raised.
    pub(super) fn made_error(&self) {
        self.charge(ERROR);
    }

    /// A payload was measured.
    pub(super) fn measured(&self, bytes: usize) {
        self.payloads.set(self.payloads.get().saturating_add(bytes as u64));
        self.charge(bytes as u64 / BYTES_OF_A_VALUE);
    }

    /// A payload was read from its text.
    pub(super) fn read(&self, bytes: usize) {
        self.charge(bytes as u64 / BYTES_READ_OF_A_VALUE);
    }

    /// Bytes of payloads since they were last counted from the beginning.
    pub(super) fn payloads(&self) -> u64 {
        self.payloads.get()
    }

    /// Counts them from the beginning.
    pub(super) fn begin_payloads(&self) {
        self.payloads.set(0);
    }

    /// Evaluates with the fuel that the state has left, and takes what was used off.
    pub(super) fn pay<T>(&self, evaluate: impl FnOnce(&mut u64) -> T) -> T {
        let before = self.state.get();
        let mut left = before;
        let result = evaluate(&mut left);
        self.state.set(left);
        self.call.set(self.call.get().saturating_sub(before.saturating_sub(left)));
        result
    }
}
