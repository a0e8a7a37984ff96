//! Grows the instance's memory.
//!
//! The allocator requests one page of 64 KiB whenever it has none left. Each time, the JavaScript engine updates its views of
//! the memory and its estimate of garbage. 100,000 waiting executions are 3,000 such pages, and a third of their time. So after
//! a step in which the memory has grown, it grows by another eighth. Nobody has written to those pages yet, so they cost no
//! physical memory.
//! to yet and which therefore costs no memory of the machine.

use std::cell::Cell;
use std::hint::black_box;

/// The number of bytes of a page.
const PAGE: usize = 1 << 16;

/// The memory grows by its size divided by this number, but at most by [`MAX_GROWTH`] bytes.
const GROWTH_DIVISOR: usize = 8;
const MAX_GROWTH: usize = 1 << 25;

thread_local! {
    static SEEN: Cell<usize> = const { Cell::new(0) };
}

/// Grows the memory after a step, if allocations of the step made it grow.
pub(super) fn reserve() {
    let pages = pages();
    if pages == SEEN.get() {
        return;
    }
    // The room is freed at once and remains with the allocator, which splits it up. At the maximum size of the memory, the
    // reservation fails and nothing happens.
    let mut room = Vec::<u8>::new();
    let _ = room.try_reserve_exact((pages * PAGE / GROWTH_DIVISOR).min(MAX_GROWTH));
    drop(black_box(room));
    SEEN.set(self::pages());
}

#[cfg(target_arch = "wasm32")]
fn pages() -> usize {
    core::arch::wasm32::memory_size(0)
}

/// On other targets the allocator is that of the system.
#[cfg(not(target_arch = "wasm32"))]
fn pages() -> usize {
    0
}
