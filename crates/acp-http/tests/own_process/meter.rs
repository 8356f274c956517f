//! The resident memory of this process, and its peak.

use std::fs;

pub(crate) const MIB: usize = 1024 * 1024;

/// Growth that belongs to no budget: memory that the allocator keeps between blocks, the buffers of
/// sockets, and the kernel's own rounding of its counts.
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
        let growth = self.stayed_below(budget);
        assert!(growth >= budget / 4, "the budget of {budget} was hardly used: {growth}");
    }

    /// Checks that memory has never grown beyond the bound and a tenth since the start.
    pub(crate) fn stayed_below(&self, bound: usize) -> usize {
        let growth = read("VmHWM").saturating_sub(self.before);
        eprintln!("    grew by {} KiB, bound {} KiB", growth / 1024, bound / 1024);
        assert!(growth <= bound + bound / 10 + ALLOWANCE, "grew by {growth}, which is beyond {bound}");
        growth
    }
}

/// Reads a line of `/proc/self/status` such as `VmRSS:  1234 kB`, in bytes.
fn read(name: &str) -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).unwrap();
    let kibibytes: usize = line.trim().trim_end_matches(" kB").parse().unwrap();
    kibibytes * 1024
}
