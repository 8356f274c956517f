//! Counting allocations.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering::Relaxed};

static COUNTS: AtomicBool = AtomicBool::new(false);
static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);
static BYTES: AtomicU64 = AtomicU64::new(0);
static GROWTH: AtomicU64 = AtomicU64::new(0);
static LIVE: AtomicI64 = AtomicI64::new(0);
static PEAK: AtomicI64 = AtomicI64::new(0);

/// The system's allocator, which counts while [`allocations`] or [`memory`] runs, and after
/// [`start_counting`].
#[derive(Debug)]
pub struct Counting;

/// Counts of the heap. A block that grows counts as an allocation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Heap {
    /// The number of allocations.
    pub allocations: u64,
    /// The bytes that they asked for. A block that grows counts with its new size.
    pub bytes: u64,
    /// The bytes that they asked for. A block that grows counts with its growth.
    pub growth: u64,
    /// The growth of the bytes in use.
    pub kept: i64,
    /// The largest growth of the bytes in use, at any moment.
    pub peak: i64,
}

/// Counts the allocations of `run` and their bytes. A vector counts with each growth.
pub fn allocations(run: impl FnOnce()) -> (u64, u64) {
    let heap = memory(run);
    (heap.allocations, heap.bytes)
}

/// Measures the heap while `run` runs.
pub fn memory(run: impl FnOnce()) -> Heap {
    start_counting();
    run();
    stop_counting()
}

/// Begins to count, from 0.
pub fn start_counting() {
    for counter in [&ALLOCATIONS, &BYTES, &GROWTH] {
        counter.store(0, Relaxed);
    }
    LIVE.store(0, Relaxed);
    PEAK.store(0, Relaxed);
    COUNTS.store(true, Relaxed);
}

/// Ends the counting.
pub fn stop_counting() -> Heap {
    COUNTS.store(false, Relaxed);
    Heap {
        allocations: ALLOCATIONS.load(Relaxed),
        bytes: BYTES.load(Relaxed),
        growth: GROWTH.load(Relaxed),
        kept: LIVE.load(Relaxed),
        peak: PEAK.load(Relaxed),
    }
}

// The counters stand still during races. Even so, an allocation costs one load more than usual.
fn count(old: usize, new: usize) {
    if COUNTS.load(Relaxed) {
        if new > 0 {
            ALLOCATIONS.fetch_add(1, Relaxed);
            BYTES.fetch_add(new as u64, Relaxed);
            GROWTH.fetch_add(new.saturating_sub(old) as u64, Relaxed);
        }
        let change = new as i64 - old as i64;
        PEAK.fetch_max(LIVE.fetch_add(change, Relaxed) + change, Relaxed);
    }
}

// SAFETY: every call goes to `System` with the arguments it came with.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(0, layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(0, layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(layout.size(), size);
        unsafe { System.realloc(block, layout, size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        count(layout.size(), 0);
        unsafe { System.dealloc(block, layout) }
    }
}
