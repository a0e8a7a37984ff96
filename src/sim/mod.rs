//! Floor 4: drivers that are still pure.

mod replay;
mod simulation;

pub use replay::{Journal, Mismatch, replay, verify};
pub use simulation::{Ending, Report, Response, Script, Simulation};
