//! Timers: everything that is to happen at a known time, ordered by time and then by creation.

use crate::base::{Millis, Table, sort};

/// Identifies one pending timer.
pub(super) type TimerKey = (Millis, u64);

/// The purpose of a timer.
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
    pending: Table<TimerKey, (u32, TimerKind)>,
    made: u64,
}

impl Timers {
    /// Adds a timer and returns the key that removes it.
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

    /// The earliest time at which a timer is due.
    pub(super) fn next(&self) -> Option<Millis> {
        self.pending.first().map(|((at, _), _)| *at)
    }

    /// Takes the earliest timer that is due at `now`.
    pub(super) fn pop_due(&mut self, now: Millis) -> Option<(TimerKey, u32, TimerKind)> {
        let (&key, &(owner, kind)) = self.pending.first()?;
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

    /// For snapshots: every timer with its key.
    pub(super) fn iter(&self) -> impl Iterator<Item = (TimerKey, u32, TimerKind)> + '_ {
        self.pending.iter().map(|(&key, &(owner, kind))| (key, owner, kind))
    }

    pub(super) fn made(&self) -> u64 {
        self.made
    }

    pub(super) fn restore(made: u64, mut timers: Vec<(TimerKey, u32, TimerKind)>) -> Timers {
        sort::by_key(&mut timers, |timer| timer.0);
        let mut pending = Table::default();
        for (key, owner, kind) in timers {
            pending.insert(key, (owner, kind));
        }
        Timers { pending, made }
    }
}
