//! The memory of the process, and its peak, for tests of budgets.

use std::{fmt, fs, io};

/// Growth that belongs to no budget: memory that the allocator keeps between blocks and hands out
/// in whole pages, the buffers of readers, writers, pipes and sockets, and the kernel's rounding of
/// its counts (up to 64 pages a thread).
const ALLOWANCE: usize = 2 * 1024 * 1024;

/// Measures the resident memory of this process from the moment it is made. Linux only.
///
/// It counts everything that the process does, so a test needs a process of its own.
#[derive(Debug)]
pub struct Meter {
    before: usize,
}

/// Memory that a test did not expect, in bytes.
#[derive(Debug)]
#[non_exhaustive]
pub enum MeterFault {
    /// The system does not tell.
    Unknown(io::Error),
    /// It has grown beyond the bound.
    Grown {
        /// The growth at the peak.
        growth: usize,
        /// The bound, without the allowance.
        bound: usize,
    },
    /// The peak was so low that the budget was not put to the test.
    Unused {
        /// The growth at the peak.
        growth: usize,
        /// The budget.
        budget: usize,
    },
    /// It was not given back.
    Kept {
        /// The growth that is left.
        left: usize,
    },
}

impl Meter {
    /// Begins to measure.
    ///
    /// # Errors
    /// Fails if the system does not tell.
    pub fn new() -> Result<Self, MeterFault> {
        // Forgets the peak so far.
        fs::write("/proc/self/clear_refs", "5").map_err(MeterFault::Unknown)?;
        Ok(Self { before: read("VmRSS")? })
    }

    /// Checks that memory has never grown beyond the budget and a tenth since the start, and has
    /// come near it. Returns the growth at the peak.
    ///
    /// # Errors
    /// Fails if it has grown more, or has stayed below a quarter of the budget.
    pub fn stayed_within(&self, budget: usize) -> Result<usize, MeterFault> {
        match self.stayed_below(budget)? {
            growth if growth < budget / 4 => Err(MeterFault::Unused { growth, budget }),
            growth => Ok(growth),
        }
    }

    /// Checks that memory has never grown beyond the bound and a tenth since the start. Returns the
    /// growth at the peak.
    ///
    /// # Errors
    /// Fails if it has.
    pub fn stayed_below(&self, bound: usize) -> Result<usize, MeterFault> {
        match read("VmHWM")?.saturating_sub(self.before) {
            growth if growth > bound + bound / 10 + ALLOWANCE => Err(MeterFault::Grown { growth, bound }),
            growth => Ok(growth),
        }
    }

    /// Checks that the memory has been given back. Returns the growth that is left.
    ///
    /// # Errors
    /// Fails if more is left than the allocator and the kernel may keep.
    pub fn is_given_back(&self) -> Result<usize, MeterFault> {
        match read("VmRSS")?.saturating_sub(self.before) {
            left if left > ALLOWANCE => Err(MeterFault::Kept { left }),
            left => Ok(left),
        }
    }
}

/// Reads a line of `/proc/self/status` such as `VmRSS:  1234 kB`, in bytes.
fn read(name: &str) -> Result<usize, MeterFault> {
    let status = fs::read_to_string("/proc/self/status").map_err(MeterFault::Unknown)?;
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    let kibibytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<usize>().ok());
    let kibibytes = kibibytes.ok_or_else(|| MeterFault::Unknown(io::ErrorKind::InvalidData.into()))?;
    Ok(kibibytes * 1024)
}

impl fmt::Display for MeterFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(error) => write!(f, "the memory of this process cannot be read: {error}"),
            Self::Grown { growth, bound } => {
                write!(f, "memory grew by {growth} bytes, beyond the bound of {bound}")
            }
            Self::Unused { growth, budget } => {
                write!(f, "memory grew by {growth} bytes: the budget of {budget} was hardly used")
            }
            Self::Kept { left } => write!(f, "{left} bytes are still there"),
        }
    }
}

impl std::error::Error for MeterFault {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Unknown(error) => Some(error),
            Self::Grown { .. } | Self::Unused { .. } | Self::Kept { .. } => None,
        }
    }
}
