//! All that is to happen at a known time, in order of time and then of making.

use crate::base::Millis;
use std::collections::BTreeMap;

/// Names one pending timer.
pub(super) type TimerKey = (Millis, u64);

/// What a timer is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TimerKind {
    /// A Wait state is over.
    Wait,
    /// A retry is due.
    Backoff,
    /// TimeoutSeconds of a Task.
    Timeout,
    /// HeartbeatSeconds of a Task.
    Heartbeat,
    /// TimeoutSeconds of the machine; the owner is an execution's number, not a frame's.
    Execution,
}

/// The ordered set of timers.
#[derive(Clone, Debug, Default)]
pub(super) struct Timers {
    pending: BTreeMap<TimerKey, (u32, TimerKind)>,
    made: u64,
}

impl Timers {
    /// Adds a timer; the key removes it.
    pub(super) fn add(&mut self, at: Millis, owner: u32, kind: TimerKind) -> TimerKey {
        self.made += 1;
        let key = (at, self.made);
        self.pending.insert(key, (owner, kind));
        key
    }

    /// Removes a timer, if it is still pending.
    pub(super) fn remove(&mut self, key: Option<TimerKey>) {
        if let Some(key) = key {
            self.pending.remove(&key);
        }
    }

    /// The earliest instant at which something is due.
    pub(super) fn next(&self) -> Option<Millis> {
        self.pending.keys().next().map(|(at, _)| *at)
    }

    /// Takes the earliest timer that is due at `now`.
    pub(super) fn pop_due(&mut self, now: Millis) -> Option<(TimerKey, u32, TimerKind)> {
        let (&key, &(owner, kind)) = self.pending.iter().next()?;
        if key.0 > now {
            return None;
        }
        self.pending.remove(&key);
        Some((key, owner, kind))
    }

    pub(super) fn clear(&mut self) {
        self.pending.clear();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }

    /// For snapshots: every timer with its key, and how many were ever made.
    pub(super) fn iter(&self) -> impl Iterator<Item = (TimerKey, u32, TimerKind)> + '_ {
        self.pending.iter().map(|(&key, &(owner, kind))| (key, owner, kind))
    }

    pub(super) fn made(&self) -> u64 {
        self.made
    }

    pub(super) fn restore(made: u64, timers: impl Iterator<Item = (TimerKey, u32, TimerKind)>) -> Timers {
        Timers { pending: timers.map(|(key, owner, kind)| (key, (owner, kind))).collect(), made }
    }
}
