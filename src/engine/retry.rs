//! Decides which retrier or catcher handles an error, and computes the delay before the next attempt (spec §6). `raise.rs` applies
//! the decision.

use super::fault::Fault;
use super::frame::Frame;
use crate::asl::ir::{Catcher, Retrier, State};
use crate::base::Rng;

/// Returns the index of the retrier that matches the error, and the delay before the next attempt, in milliseconds. Counts the
/// attempt.
pub(super) fn next_attempt(state: &State, frame: &mut Frame, fault: &Fault, rng: &mut Rng) -> Option<(usize, u64)> {
    let index = deciding(state, fault)?;
    let retrier = &state.retry[index];
    if frame.attempts.len() < state.retry.len() {
        frame.attempts.resize(state.retry.len(), 0);
    }
    let used = frame.attempts[index];
    if used >= retrier.max_attempts {
        return None;
    }
    frame.attempts[index] = used + 1;
    frame.retries += 1;
    let delay = delay(retrier, used);
    Some((index, if retrier.jitter { rng.below(delay.saturating_add(1)) } else { delay }))
}

/// Returns the index of the first retrier that matches the error. It decides, even if its attempts are used up (spec §6.1, 2).
pub(super) fn deciding(state: &State, fault: &Fault) -> Option<usize> {
    state.retry.iter().position(|retrier| fault.is_retried(&retrier.errors))
}

/// Returns how many attempts a retrier has used.
pub(super) fn used(frame: &Frame, index: usize) -> u64 {
    frame.attempts.get(index).copied().unwrap_or_default()
}

/// Returns `IntervalSeconds × BackoffRate^used`, at most MaxDelaySeconds, in milliseconds.
pub(super) fn delay(retrier: &Retrier, used: u64) -> u64 {
    let exponent = i32::try_from(used).unwrap_or(i32::MAX);
    let growth = if retrier.backoff_rate == 1.0 { 1.0 } else { retrier.backoff_rate.powi(exponent) };
    let seconds = retrier.interval as f64 * growth;
    let capped = match retrier.max_delay {
        Some(most) => seconds.min(most as f64),
        None => seconds,
    };
    // A year is longer than any execution. Without this cap the product could overflow after many retries.
    (capped.min(31_622_400.0) * 1000.0).round() as u64
}

/// Returns the first catcher that matches the error, with its index in `Catch`.
pub(super) fn catcher<'a>(state: &'a State, fault: &Fault) -> Option<(usize, &'a Catcher)> {
    state.catch.iter().enumerate().find(|(_, catcher)| fault.matches(&catcher.errors))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays() {
        let retrier = |interval, backoff_rate, max_delay| Retrier {
            errors: vec!["States.ALL".into()],
            interval,
            max_attempts: 3,
            backoff_rate,
            max_delay,
            jitter: false,
        };
        let series = |r: &Retrier| (0..4).map(|k| delay(r, k)).collect::<Vec<_>>();
        assert_eq!(series(&retrier(1, 2.0, None)), [1000, 2000, 4000, 8000]);
        assert_eq!(series(&retrier(3, 1.5, None)), [3000, 4500, 6750, 10125]);
        assert_eq!(series(&retrier(5, 3.0, Some(20))), [5000, 15000, 20000, 20000]);
        assert_eq!(delay(&retrier(99_999_999, 10.0, None), 5000), 31_622_400_000);
    }
}
