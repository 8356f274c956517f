//! Faults that did not end the connection.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// The number of faults that are kept.
const FAULTS: usize = 100;
/// The number of characters that are kept of each. Ids and names in them come from the agent and
/// may be of any length.
const FAULT_LENGTH: usize = 1024;

/// The faults of one connection, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    noted: Mutex<VecDeque<String>>,
    /// The number of messages that could not be read.
    lost: AtomicU64,
    /// The number of lines that are not JSON.
    noise: AtomicU64,
}

impl Faults {
    /// Returns the last hundred faults, oldest first.
    pub(crate) fn all(&self) -> Vec<String> {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// Returns the number of messages that could not be read.
    pub(crate) fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    /// Counts a message that could not be read.
    pub(crate) fn lose(&self) {
        self.lost.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the number of lines that are not JSON.
    pub(crate) fn noise(&self) -> u64 {
        self.noise.load(Ordering::Relaxed)
    }

    /// Counts a line that is not JSON.
    pub(crate) fn hear_noise(&self) {
        self.noise.fetch_add(1, Ordering::Relaxed);
    }

    /// Adds a fault.
    pub(crate) fn note(&self, mut fault: String) {
        if let Some((end, _)) = fault.char_indices().nth(FAULT_LENGTH) {
            fault.truncate(end);
            fault.push('…');
            fault.shrink_to_fit();
        }
        let mut faults = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        // A flood of equal faults must not push out the others.
        if faults.back() == Some(&fault) {
            return;
        }
        if faults.len() == FAULTS {
            faults.pop_front();
        }
        faults.push_back(fault);
    }
}
