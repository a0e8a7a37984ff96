//! What can be done at a place.

use super::Refused;
use crate::base::Value;

/// A gesture that somebody may think of at a place.
#[derive(Clone, Debug)]
pub struct Possible {
    /// The gesture's `kind`, and what else is said of it.
    pub about: Value,
    /// Why it is not possible.
    pub refused: Option<Refused>,
}

/// The gestures at a state, an edge, a scope or several states.
pub fn gestures(text: &str, place: &[String]) -> Vec<Possible> {
    let _ = (text, place);
    Vec::new()
}
