//! Budgets: limits for the evaluation of one field that hold for every definition and all data.

/// Maximum number of values that one field may visit.
pub(super) const MAX_VISITS: u64 = 1_000_000;
/// Maximum number of bytes of JSON text that one field may create with intrinsic functions.
pub(super) const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// The remaining budget of one evaluation: of a single path, of a call, or of a whole payload template.
pub(super) struct Budget {
    visits: u64,
    bytes: u64,
}

/// The evaluation has exceeded its [`Budget`].
#[derive(Debug)]
pub(super) struct Limit;

impl Budget {
    pub(super) fn new() -> Budget {
        Budget::within(MAX_VISITS)
    }

    /// Returns a budget with no more visits than the caller has left.
    pub(super) fn within(fuel: u64) -> Budget {
        Budget { visits: fuel.min(MAX_VISITS), bytes: MAX_BYTES }
    }

    /// Runs an evaluation and subtracts its visits from the caller's fuel.
    pub(super) fn charged<T>(fuel: &mut u64, evaluate: impl FnOnce(&mut Budget) -> T) -> T {
        let mut budget = Budget::within(*fuel);
        let before = budget.visits;
        let result = evaluate(&mut budget);
        *fuel = fuel.saturating_sub(before - budget.visits);
        result
    }

    /// Charges visits of values.
    pub(super) fn visit(&mut self, count: u64) -> Result<(), Limit> {
        self.visits = self.visits.checked_sub(count).ok_or(Limit)?;
        Ok(())
    }

    /// The number of values that may still be visited.
    pub(super) fn visits(&self) -> u64 {
        self.visits
    }

    /// Charges reading text: eight bytes cost as much as one value.
    pub(super) fn scan(&mut self, bytes: usize) -> Result<(), Limit> {
        self.visit(bytes as u64 / 8)
    }

    /// Charges text that is created.
    pub(super) fn make(&mut self, bytes: usize) -> Result<(), Limit> {
        self.bytes = self.bytes.checked_sub(bytes as u64).ok_or(Limit)?;
        Ok(())
    }

    /// The number of bytes that may still be created.
    pub(super) fn bytes(&self) -> usize {
        usize::try_from(self.bytes).unwrap_or(usize::MAX)
    }
}
