//! How the instance's memory grows.
//!
//! The allocator asks for one page of 64 KiB whenever it has none left, and each time a JavaScript engine changes what it knows
//! of the memory: its views, and how much garbage it takes to be waiting. 100,000 waiting executions are 3,000 such pages, and
//! a third of their time. So after a step in which the memory has grown it grows by an eighth more, which nobody has written
//! to yet and which therefore costs no memory of the machine.

use std::cell::Cell;
use std::hint::black_box;

/// Bytes of a page.
const PAGE: usize = 1 << 16;

/// This part of the memory is made ready at once, and at most so many bytes.
const PART: usize = 8;
const MOST: usize = 1 << 25;

thread_local! {
    static SEEN: Cell<usize> = const { Cell::new(0) };
}

/// Makes room after a step, if its allocations made the memory grow.
pub(super) fn make() {
    let pages = pages();
    if pages == SEEN.get() {
        return;
    }
    // It is given back at once and stays the allocator's, to be cut into pieces. Where the memory ends, there is none to be had.
    let mut room = Vec::<u8>::new();
    let _ = room.try_reserve_exact((pages * PAGE / PART).min(MOST));
    drop(black_box(room));
    SEEN.set(self::pages());
}

#[cfg(target_arch = "wasm32")]
fn pages() -> usize {
    core::arch::wasm32::memory_size(0)
}

/// Elsewhere the allocator is the system's.
#[cfg(not(target_arch = "wasm32"))]
fn pages() -> usize {
    0
}
