//! One stream of events: its queue, its counter and its reader.

use std::collections::VecDeque;
use std::task::Waker;

/// A stream of messages to the client. It has at most one reader at a time.
#[derive(Debug, Default)]
pub(super) struct EventStream {
    queue: VecDeque<Vec<u8>>,
    /// The number of the last event that a reader took, from 1.
    taken: u64,
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

    pub(super) fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    pub(super) fn bytes(&self) -> usize {
        self.queue.iter().map(Vec::len).sum()
    }

    /// Gives the stream to a new reader. One that has it already loses it only to a reader that has
    /// seen everything it took: nothing gets lost between the two.
    pub(super) fn open(&mut self, cursor: Option<u64>) -> Option<u64> {
        if self.is_open() && cursor != Some(self.taken) {
            return None;
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

    /// Takes the next event for this reader, or keeps its waker.
    pub(super) fn next(&mut self, reader: u64, waker: &Waker) -> Next {
        if self.reader != Some(reader) {
            return Next::End;
        }
        match self.queue.pop_front() {
            Some(message) => {
                self.taken += 1;
                Next::Event(self.taken, message)
            }
            None if self.has_ended => Next::End,
            None => {
                self.waker = Some(waker.clone());
                Next::Wait
            }
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

/// The answer to a reader.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// A message with its number in the stream.
    Event(u64, Vec<u8>),
    Wait,
    End,
}
