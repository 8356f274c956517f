//! The queue between the heads of a tape and its thread.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use acp_rpc::tap::Direction;

/// The memory of an item beside its bytes.
const OVERHEAD: usize = 64;

/// An item of the queue.
#[derive(Debug)]
pub(super) enum Heard {
    Bytes { direction: Direction, time: SystemTime, bytes: Vec<u8> },
    Gap { direction: Direction, gap: Gap },
}

/// Bytes that there was no room for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Gap {
    /// The lines that ended within it.
    pub(super) lines: u64,
    /// A line has begun in it and goes on behind it.
    pub(super) is_within_line: bool,
    is_there: bool,
}

impl Gap {
    fn add(&mut self, bytes: &[u8]) {
        self.lines += bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
        self.is_within_line = bytes.last() != Some(&b'\n');
        self.is_there = true;
    }
}

#[derive(Debug)]
pub(super) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
    budget: usize,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<Heard>,
    /// The bytes that wait, and those that the thread has taken.
    bytes: usize,
    taken: usize,
    /// The gaps that the thread does not know of yet: in, and out.
    gaps: [Gap; 2],
    /// The reason of the end, after it.
    closed: Option<String>,
    /// The number of batches that the thread was done with, written or not.
    batches: u64,
    /// The lines that were lost, when everything is written.
    done: Option<u64>,
}

impl Queue {
    pub(super) fn new(budget: usize) -> Self {
        Self { state: Mutex::default(), changed: Condvar::new(), budget }
    }

    pub(super) fn push(&self, direction: Direction, bytes: &[u8], time: SystemTime) {
        let mut state = self.lock();
        if state.closed.is_some() || bytes.is_empty() {
            return;
        }
        let is_full = state.bytes + state.taken >= self.budget;
        let [of_in, of_out] = &mut state.gaps;
        let gap = if direction == Direction::In { of_in } else { of_out };
        if is_full {
            return gap.add(bytes);
        }
        let gap = std::mem::take(gap);
        if gap.is_there {
            state.waiting.push_back(Heard::Gap { direction, gap });
        }
        state.bytes += bytes.len() + OVERHEAD;
        state.waiting.push_back(Heard::Bytes { direction, time, bytes: bytes.to_vec() });
        drop(state);
        self.changed.notify_all();
    }

    /// Takes everything that waits. Returns the reason of the end if nothing will come any more.
    pub(super) fn take(&self, into: &mut VecDeque<Heard>) -> Option<String> {
        let mut state = self.lock();
        state.taken = 0;
        let is_idle = |state: &mut State| state.waiting.is_empty() && state.closed.is_none();
        let mut state = self.changed.wait_while(state, is_idle).unwrap_or_else(PoisonError::into_inner);
        std::mem::swap(&mut state.waiting, into);
        state.taken = std::mem::take(&mut state.bytes);
        if !into.is_empty() {
            return None;
        }
        for (direction, gap) in
            [Direction::In, Direction::Out].into_iter().zip(std::mem::take(&mut state.gaps))
        {
            if gap.is_there {
                into.push_back(Heard::Gap { direction, gap });
            }
        }
        if into.is_empty() { state.closed.clone() } else { None }
    }

    pub(super) fn close(&self, reason: &str) {
        self.lock().closed.get_or_insert_with(|| reason.to_owned());
        self.changed.notify_all();
    }

    pub(super) fn done(&self, lost: u64) {
        self.lock().done = Some(lost);
        self.changed.notify_all();
    }

    pub(super) fn batch_done(&self) {
        self.lock().batches += 1;
        self.changed.notify_all();
    }

    /// Waits for the end, as long as the thread gets on within `patience`.
    pub(super) fn wait_until_done(&self, patience: Duration) -> Option<u64> {
        let mut state = self.lock();
        while state.done.is_none() {
            let seen = state.batches;
            let is_stuck = |state: &mut State| state.done.is_none() && state.batches == seen;
            let waiting = self.changed.wait_timeout_while(state, patience, is_stuck);
            let (after, timed_out) = waiting.unwrap_or_else(PoisonError::into_inner);
            state = after;
            if timed_out.timed_out() {
                break;
            }
        }
        state.done
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // No code under this lock can panic half-way.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
