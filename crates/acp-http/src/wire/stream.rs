//! One stream of events: its queue, its counter and its reader.

use std::collections::VecDeque;
use std::task::Waker;

/// A stream of messages to the client. It has at most one reader at a time.
#[derive(Debug, Default)]
pub(super) struct EventStream {
    queue: VecDeque<Vec<u8>>,
    /// The number of the last event that a reader took, from 1.
    taken: u64,
    /// The last events that were taken, for a reader that has lost some of them.
    kept: VecDeque<Vec<u8>>,
    kept_bytes: usize,
    /// The reader that has the stream now.
    reader: Option<u64>,
    readers: u64,
    waker: Option<Waker>,
    /// The agent knows the session.
    pub(super) is_confirmed: bool,
    /// Nothing comes behind the queue.
    has_ended: bool,
}

impl EventStream {
    /// Creates the stream of a session that the agent knows.
    pub(super) fn confirmed() -> Self {
        Self { is_confirmed: true, ..Self::default() }
    }

    pub(super) const fn is_open(&self) -> bool {
        self.reader.is_some()
    }

    pub(super) const fn has_been_open(&self) -> bool {
        self.readers > 0
    }

    pub(super) fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Returns the memory of the messages that wait here.
    pub(super) fn bytes(&self) -> usize {
        self.queue.iter().map(weight).sum()
    }

    /// Gives the stream to a new reader. One that has it already loses it only to a reader with a
    /// cursor. All that was taken behind the cursor must be kept here, and is then taken once more:
    /// nothing gets lost between the two, and nothing is in two places.
    pub(super) fn open(&mut self, cursor: Option<u64>) -> Option<u64> {
        let behind = match cursor {
            None if self.is_open() => return None,
            None => 0,
            Some(cursor) => self.taken.checked_sub(cursor)?,
        };
        if usize::try_from(behind).map_or(true, |behind| behind > self.kept.len()) {
            return None;
        }
        for _ in 0..behind {
            let Some(message) = self.kept.pop_back() else { break };
            self.kept_bytes = self.kept_bytes.saturating_sub(weight(&message));
            self.queue.push_front(message);
            self.taken -= 1;
        }
        self.readers += 1;
        self.reader = Some(self.readers);
        self.wake();
        Some(self.readers)
    }

    /// Ends the hold of a reader, if it still has the stream.
    pub(super) fn close(&mut self, reader: u64) {
        if self.reader == Some(reader) {
            self.reader = None;
            self.waker = None;
        }
    }

    pub(super) fn push(&mut self, message: Vec<u8>) {
        if !self.has_ended {
            self.queue.push_back(message);
            self.wake();
        }
    }

    /// Takes the next event for this reader, or keeps its waker. A copy of the event is kept within
    /// `keep` bytes.
    pub(super) fn next(&mut self, reader: u64, keep: usize, waker: &Waker) -> Next {
        if self.reader != Some(reader) {
            return Next::End;
        }
        match self.queue.pop_front() {
            Some(message) => {
                self.taken += 1;
                if keep > 0 {
                    self.keep(message.clone(), keep);
                }
                Next::Event(self.taken, message)
            }
            None if self.has_ended => Next::End,
            None => {
                self.waker = Some(waker.clone());
                Next::Wait
            }
        }
    }

    fn keep(&mut self, message: Vec<u8>, most: usize) {
        self.kept_bytes += weight(&message);
        self.kept.push_back(message);
        while self.kept_bytes > most
            && let Some(oldest) = self.kept.pop_front()
        {
            self.kept_bytes -= weight(&oldest);
        }
    }

    pub(super) fn end(&mut self) {
        self.has_ended = true;
        self.wake();
    }

    pub(super) const fn has_ended(&self) -> bool {
        self.has_ended
    }

    fn wake(&mut self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }
}

/// Returns the memory that a message takes while it waits: its buffer, the place of that in the
/// queue, and the allocator's own.
pub(super) const fn weight(message: &Vec<u8>) -> usize {
    message.capacity() + 2 * size_of::<Vec<u8>>()
}

/// The answer to a reader.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// A message with its number in the stream.
    Event(u64, Vec<u8>),
    Wait,
    End,
}
