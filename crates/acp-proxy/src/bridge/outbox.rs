//! The messages that wait to leave in the answer to one exchange over HTTP.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// The memory of a message besides its text.
const MESSAGE: usize = 128;

/// Messages in the order in which they leave. They end with the answer to a request, or when there
/// is nobody who takes them.
pub(super) struct Outbox {
    state: Mutex<State>,
    budget: usize,
    changed: Notify,
}

#[derive(Default)]
struct State {
    messages: VecDeque<Outgoing>,
    bytes: usize,
    /// The bytes of the message that is being written.
    leaving: usize,
    is_finished: bool,
}

/// A message that leaves.
pub(super) struct Outgoing {
    pub(super) text: Vec<u8>,
    pub(super) is_answer: bool,
}

impl Outbox {
    pub(super) fn new(budget: usize) -> Arc<Self> {
        Arc::new(Self { state: Mutex::default(), budget, changed: Notify::new() })
    }

    /// Adds a message. Nothing comes behind an answer.
    pub(super) fn push(&self, write: impl FnOnce(&mut Vec<u8>), is_answer: bool) {
        {
            let mut state = self.state();
            if state.is_finished {
                return;
            }
            let mut text = Vec::new();
            write(&mut text);
            state.bytes += text.len() + MESSAGE;
            state.messages.push_back(Outgoing { text, is_answer });
            state.is_finished = is_answer;
        }
        self.changed.notify_waiters();
    }

    /// Ends without an answer. What waits still leaves.
    pub(super) fn finish(&self) {
        self.state().is_finished = true;
        self.changed.notify_waiters();
    }

    /// Drops everything that waits or comes: nobody takes it.
    pub(super) fn abandon(&self) {
        *self.state() = State { is_finished: true, ..State::default() };
        self.changed.notify_waiters();
    }

    /// Returns the next message once the one before was written, or `None` at the end.
    pub(super) async fn next(self: Arc<Self>) -> Option<Outgoing> {
        loop {
            let changed = self.changed.notified();
            if self.release() {
                self.changed.notify_waiters();
                continue;
            }
            {
                let mut state = self.state();
                if let Some(next) = state.messages.pop_front() {
                    state.leaving = next.text.len() + MESSAGE;
                    return Some(next);
                }
                if state.is_finished {
                    return None;
                }
            }
            changed.await;
        }
    }

    /// Gives back the bytes of the message that was written. Returns false if there was none.
    fn release(&self) -> bool {
        let mut state = self.state();
        let written = std::mem::take(&mut state.leaving);
        state.bytes = state.bytes.saturating_sub(written);
        written > 0
    }

    pub(super) fn has_room(&self) -> bool {
        self.waiting() < self.budget
    }

    pub(super) fn waiting(&self) -> usize {
        self.state().bytes
    }

    pub(super) async fn room(&self) {
        loop {
            let changed = self.changed.notified();
            if self.has_room() {
                return;
            }
            changed.await;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
