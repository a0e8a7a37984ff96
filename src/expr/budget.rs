//! What the evaluation of one field may use up, whatever the definition and the data say.

/// How many values one field may visit.
pub(super) const MAX_VISITS: u64 = 1_000_000;
/// How many bytes of JSON text one field may make out of intrinsic functions.
pub(super) const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// Fuel of one evaluation: of a path alone, of a call, or of a whole payload template.
pub(super) struct Budget {
    visits: u64,
    bytes: u64,
}

/// The evaluation went beyond its [`Budget`].
#[derive(Debug)]
pub(super) struct Limit;

impl Budget {
    pub(super) fn new() -> Budget {
        Budget::within(MAX_VISITS)
    }

    /// A budget of no more visits than the caller has left.
    pub(super) fn within(fuel: u64) -> Budget {
        Budget { visits: fuel.min(MAX_VISITS), bytes: MAX_BYTES }
    }

    /// Runs an evaluation and takes what it has visited off the caller's fuel.
    pub(super) fn paid<T>(fuel: &mut u64, evaluate: impl FnOnce(&mut Budget) -> T) -> T {
        let mut budget = Budget::within(*fuel);
        let before = budget.visits;
        let result = evaluate(&mut budget);
        *fuel = fuel.saturating_sub(before - budget.visits);
        result
    }

    /// Pays for looking at values.
    pub(super) fn visit(&mut self, count: u64) -> Result<(), Limit> {
        self.visits = self.visits.checked_sub(count).ok_or(Limit)?;
        Ok(())
    }

    /// How many values may still be visited.
    pub(super) fn visits(&self) -> u64 {
        self.visits
    }

    /// Pays for looking at text: eight bytes cost as much as one value.
    pub(super) fn scan(&mut self, bytes: usize) -> Result<(), Limit> {
        self.visit(bytes as u64 / 8)
    }

    /// Pays for text that is made.
    pub(super) fn make(&mut self, bytes: usize) -> Result<(), Limit> {
        self.bytes = self.bytes.checked_sub(bytes as u64).ok_or(Limit)?;
        Ok(())
    }

    /// How many bytes may still be made.
    pub(super) fn bytes(&self) -> usize {
        usize::try_from(self.bytes).unwrap_or(usize::MAX)
    }
}
