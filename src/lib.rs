//! Stepglass: a deterministic interpreter of Amazon States Language.

pub mod asl;
pub mod base;
pub mod engine;
pub mod expr;
pub mod graph;
pub mod sim;
#[cfg(target_arch = "wasm32")]
pub mod wasm;

/// The examples of the guide, which run as tests.
#[cfg(doctest)]
#[doc = include_str!("../docs/host-guide.md")]
pub struct HostGuide;
