//! Counting allocations.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

static COUNTS: AtomicBool = AtomicBool::new(false);
static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);
static BYTES: AtomicU64 = AtomicU64::new(0);

/// The system's allocator, which counts while [`allocations`] runs.
#[derive(Debug)]
pub struct Counting;

/// How many allocations `run` makes, and of how many bytes. A growing vector counts with each growth.
pub fn allocations(run: impl FnOnce()) -> (u64, u64) {
    let before = (ALLOCATIONS.load(Relaxed), BYTES.load(Relaxed));
    COUNTS.store(true, Relaxed);
    run();
    COUNTS.store(false, Relaxed);
    (ALLOCATIONS.load(Relaxed) - before.0, BYTES.load(Relaxed) - before.1)
}

// The counters stand still during races: there, an allocation costs one load more than it should.
fn count(bytes: usize) {
    if COUNTS.load(Relaxed) {
        ALLOCATIONS.fetch_add(1, Relaxed);
        BYTES.fetch_add(bytes as u64, Relaxed);
    }
}

// SAFETY: every call goes to `System` with the arguments it came with.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size);
        unsafe { System.realloc(block, layout, size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        unsafe { System.dealloc(block, layout) }
    }
}
