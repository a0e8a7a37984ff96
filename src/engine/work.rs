//! Work budgets: how much the expressions of a state, and those of one call of `step`, may do.
//!
//! A transition is quick except for its expressions. They pay for each value that they visit, so that a call ends after a
//! certain amount of work as well as after a number of transitions, and the host's event loop, a stop and TimeoutSeconds get
//! their turn. The amounts are counted and not timed, so that every machine produces the same history.

use std::cell::Cell;

/// The number of values that the expressions of one state may visit in one attempt; an item of a Map counts as a state. At
/// about 60 ns each, this limits a transition to about 20 ms: an expression is evaluated in one go, so this is how long a
/// host's event loop waits. It suffices for a `$map` over 20,000 items that builds a small object of each.
const STATE: u64 = 320_000;

/// The number of values after which a call of `step` returns with `more`.
const CALL: u64 = 50_000;

/// The number of values after which a call of `step_once` returns with `more`.
const TRANSITION: u64 = 250_000;

/// The cost of starting an expression and converting its value.
pub(super) const EXPRESSION: u64 = 28;

/// The cost of writing an event.
const EVENT: u64 = 10;

/// The cost of creating an error with its texts and of finding its handler.
const ERROR: u64 = 300;

/// How many bytes of a payload cost as much to build, measure and store as visiting a value.
pub(super) const BYTES_OF_A_VALUE: u64 = 8;

/// How many bytes of text cost as much to parse as visiting a value.
const BYTES_READ_OF_A_VALUE: u64 = 4;

/// The number of bytes that an event counts for, apart from its payloads, when a host decides to take events out. It is so
/// small that a host takes none of 25,000 small events, which are all that most executions may have and cost more to write than
/// to create.
const BYTES_OF_AN_EVENT: u64 = 20;

/// The rest of the budgets of the state and of the call.
#[derive(Clone, Debug, Default)]
pub(super) struct Work {
    state: Cell<u64>,
    call: Cell<u64>,
    /// The number of bytes of measured payloads, and of events: about how much the history has grown.
    payloads: Cell<u64>,
}

impl Work {
    /// Starts the budget of a call of `step`.
    pub(super) fn begin_call(&self) {
        self.call.set(CALL);
        self.begin_state();
    }

    /// Starts the budget of a call that makes one transition: results that belong together are reported at once, but not all
    /// items of a long Map.
    pub(super) fn begin_transition(&self) {
        self.call.set(TRANSITION);
        self.begin_state();
    }

    /// Starts an unlimited budget, for a caller that waits until the work is done.
    pub(super) fn begin_unlimited(&self) {
        self.call.set(u64::MAX);
        self.begin_state();
    }

    /// Starts the budget of a state, or of an item of a Map.
    pub(super) fn begin_state(&self) {
        self.state.set(STATE);
    }

    /// Whether the call has used up its budget.
    pub(super) fn is_done(&self) -> bool {
        self.call.get() == 0
    }

    /// Charges work of the engine itself, which only the call pays for.
    pub(super) fn charge(&self, values: u64) {
        self.call.set(self.call.get().saturating_sub(values));
    }

    /// Whether the state has used up its budget.
    pub(super) fn is_spent(&self) -> bool {
        self.state.get() == 0
    }

    /// Charges work of an expression that its evaluator does not count.
    pub(super) fn spend(&self, values: u64) {
        self.state.set(self.state.get().saturating_sub(values));
        self.charge(values);
    }

    /// Charges an event that was written, into the execution's own history or into a child's.
    pub(super) fn wrote_event(&self, own: bool) {
        self.charge(EVENT);
        if own {
            self.payloads.set(self.payloads.get().saturating_add(BYTES_OF_AN_EVENT));
        }
    }

    /// Charges an error that was raised.
    pub(super) fn made_error(&self) {
        self.charge(ERROR);
    }

    /// Charges a payload that was measured.
    pub(super) fn measured(&self, bytes: usize) {
        self.payloads.set(self.payloads.get().saturating_add(bytes as u64));
        self.charge(bytes as u64 / BYTES_OF_A_VALUE);
    }

    /// Charges a payload that was parsed.
    pub(super) fn read(&self, bytes: usize) {
        self.charge(bytes as u64 / BYTES_READ_OF_A_VALUE);
    }

    /// The number of bytes of payloads since the last reset.
    pub(super) fn payloads(&self) -> u64 {
        self.payloads.get()
    }

    /// Resets the number of bytes of payloads.
    pub(super) fn begin_payloads(&self) {
        self.payloads.set(0);
    }

    /// Evaluates with the fuel that the state has left, and charges what was used.
    pub(super) fn pay<T>(&self, evaluate: impl FnOnce(&mut u64) -> T) -> T {
        let before = self.state.get();
        let mut left = before;
        let result = evaluate(&mut left);
        self.state.set(left);
        self.call.set(self.call.get().saturating_sub(before.saturating_sub(left)));
        result
    }
}
