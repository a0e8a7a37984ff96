//! Floor 3: the sans-IO machine.

mod command;
mod event;

pub use command::{CancelReason, Command, Invocation, Outcome};
pub use event::{Event, ExecutionInfo, TaskId};
