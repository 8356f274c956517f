//! The resident memory of this process, and its peak.

use std::fs;

pub(crate) const MIB: usize = 1024 * 1024;

/// Growth that belongs to no budget: memory that the allocator keeps between blocks and hands out
/// in whole pages, the buffers of the framer (at most 256 KiB) and of the writer (three of at most
/// 128 KiB), the pipe of the test (2 x 64 KiB), and the kernel's own rounding of its counts (up to
/// 64 pages a thread).
const ALLOWANCE: usize = 2 * MIB;

/// Measures from the moment it is made.
pub(crate) struct Meter {
    before: usize,
}

impl Meter {
    pub(crate) fn new() -> Self {
        // Forgets the peak so far.
        fs::write("/proc/self/clear_refs", "5").unwrap();
        Self { before: read("VmRSS") }
    }

    /// Checks that memory has never grown beyond the budget and a tenth since the start, and has
    /// come near it.
    pub(crate) fn stayed_within(&self, budget: usize) {
        let growth = self.growth(budget);
        assert!(growth >= budget / 4, "the budget of {budget} was hardly used: {growth}");
    }

    /// Checks that memory has never grown beyond the bound and a tenth since the start.
    pub(crate) fn stayed_below(&self, bound: usize) {
        self.growth(bound);
    }

    fn growth(&self, bound: usize) -> usize {
        let growth = read("VmHWM").saturating_sub(self.before);
        eprintln!("    grew by {} KiB, bound {} KiB", growth / 1024, bound / 1024);
        assert!(growth <= bound + bound / 10 + ALLOWANCE, "grew by {growth}, which is beyond {bound}");
        growth
    }

    /// Checks that the memory has been given back.
    pub(crate) fn is_given_back(&self) {
        let growth = read("VmRSS").saturating_sub(self.before);
        eprintln!("    {} KiB are left", growth / 1024);
        assert!(growth <= ALLOWANCE, "{growth} are still there");
    }
}

/// Reads a line of `/proc/self/status` such as `VmRSS:  1234 kB`, in bytes.
fn read(name: &str) -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).unwrap();
    let kibibytes: usize = line.trim().trim_end_matches(" kB").parse().unwrap();
    kibibytes * 1024
}
