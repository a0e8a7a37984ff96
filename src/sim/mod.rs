//! Floor 4: drivers of the engine that are still pure.

mod recorded;
mod replay;
mod service_model;
mod simulation;
mod test_state;

pub use recorded::{Divergence, HistoryReplay, Missing, NotAHistory, ReplayOptions, Unreproducible, replay_history};
pub use replay::{Journal, Mismatch, replay, verify};
pub use service_model::ServiceModel;
pub use simulation::{Ending, Report, Response, Script, Simulation, Started};
pub use test_state::{TestStateError, test_state, test_state_with};
