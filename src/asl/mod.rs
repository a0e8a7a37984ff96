//! Floor 2: definition text to [`ir::Machine`], with every problem it has.

pub mod ir;
pub mod resource;
