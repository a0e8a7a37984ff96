//! The state types, one file for each.

pub(super) mod choice;
pub(super) mod map;
pub(super) mod parallel;
pub(super) mod pass;
pub(super) mod results;
pub(super) mod task;
pub(super) mod terminal;
pub(super) mod wait;
