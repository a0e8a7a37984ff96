//! Floor 0: values, numbers, text, positions, time and randomness. It does not depend on ASL.

pub mod base64;
pub mod case;
pub mod decimal;
pub mod diag;
pub mod hex;
pub mod id;
pub mod json;
pub mod map;
pub mod names;
pub mod number;
pub mod pointer;
pub mod rng;
pub mod sort;
pub mod span;
pub mod table;
pub mod time;
pub mod value;
pub mod width;

pub use id::{Id, IdVec};
pub use map::Map;
pub use names::{Named, Names};
pub use number::Number;
pub use pointer::Pointer;
pub use rng::{JavaRandom, Rng};
pub use span::Span;
pub use table::Table;
pub use time::Millis;
pub use value::Value;
