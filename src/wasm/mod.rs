//! Floor 5: the border to JavaScript.
//!
//! Every exported method decodes, calls and encodes; none holds a borrow while JavaScript runs. Payloads cross as JSON
//! text, which is faster than building JavaScript values and keeps a key like `__proto__` a key; our own small
//! structures (diagnostics, graphs) go out through `serde-wasm-bindgen`.
//!
//! Nothing here throws a JavaScript `Error`: what is thrown is a plain object with a `code`, of which `js` makes its
//! classes. So an `Error` that comes out of this module is always a trap.

mod convert;
mod definition;
mod drive;
mod engine;
mod error;
mod language;
mod memory;
mod options;
mod port;
mod question;

pub use definition::{
    Machine, complete, layout, render_diagnostics, render_diagnostics_in, render_mermaid, render_svg, replay_history, test_state,
    validate,
};
pub use drive::drive;
pub use engine::{Engine, is_page};
pub use language::{
    code_actions, definition, edit, expressions, format, gestures, hover, outline, references, rename, select, symbols, syntax,
};
pub use port::{head_address, inbox, shared_memory};
pub use question::ask;

use wasm_bindgen::prelude::wasm_bindgen;

/// Runs once, when the instance is created.
#[wasm_bindgen(start)]
pub fn started() {
    #[cfg(feature = "panic-hook")]
    console_error_panic_hook::set_once();
}

/// The version of the package.
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}
