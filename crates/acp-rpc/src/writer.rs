//! The output buffer: messages in, one write out.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use tokio::sync::{Notify, Semaphore, SemaphorePermit};

/// Where all messages of a connection are written, and where its driver takes them from.
///
/// Senders serialise straight into one buffer; the driver swaps it for an empty one whenever the pipe takes
/// bytes. While more than `budget` bytes wait, senders queue up: one at a time, in the order they came.
/// So at most the budget plus one message is ever held, apart from what [`push`](Self::push) is given
/// without a [`Turn`].
#[derive(Debug)]
pub(crate) struct Writer {
    output: Mutex<Output>,
    /// Bytes in the buffer and bytes the driver has taken but not yet written.
    held: AtomicUsize,
    budget: usize,
    /// One permit: the sender who has it may be the next to write. Semaphores are fair.
    turnstile: Semaphore,
    room: Notify,
}

#[derive(Debug, Default)]
struct Output {
    buffer: Vec<u8>,
    driver: Option<Waker>,
    closed: bool,
}

/// The right to add one message. Others wait until it is dropped.
#[derive(Debug)]
pub(crate) struct Turn<'a> {
    _permit: SemaphorePermit<'a>,
}

/// Nothing can be written any more.
#[derive(Debug)]
pub(crate) struct Closed;

/// Why a message was not added.
#[derive(Debug)]
pub(crate) enum PushError {
    Closed,
    Encode(serde_json::Error),
}

impl Writer {
    pub(crate) fn new(budget: usize) -> Self {
        Self {
            output: Mutex::default(),
            held: AtomicUsize::new(0),
            budget,
            turnstile: Semaphore::new(1),
            room: Notify::new(),
        }
    }

    /// Waits until it is the caller's turn and there is room.
    pub(crate) async fn turn(&self) -> Result<Turn<'_>, Closed> {
        let permit = self.turnstile.acquire().await.map_err(|_| Closed)?;
        while !self.has_room() && !self.turnstile.is_closed() {
            self.room.notified().await;
        }
        if self.turnstile.is_closed() { Err(Closed) } else { Ok(Turn { _permit: permit }) }
    }

    pub(crate) fn has_room(&self) -> bool {
        self.held.load(Ordering::Acquire) < self.budget
    }

    /// Adds one message and its newline: all of it, or nothing if `encode` fails or panics.
    pub(crate) fn push(
        &self,
        encode: impl FnOnce(&mut Vec<u8>) -> Result<(), serde_json::Error>,
    ) -> Result<(), PushError> {
        let driver = {
            let mut output = self.lock();
            if output.closed {
                return Err(PushError::Closed);
            }
            let before = output.buffer.len();
            let mut frame = Frame { buffer: &mut output.buffer, start: before, complete: false };
            encode(frame.buffer).map_err(PushError::Encode)?;
            frame.complete();
            drop(frame);
            self.held.fetch_add(output.buffer.len() - before, Ordering::AcqRel);
            output.driver.take()
        };
        if let Some(driver) = driver {
            driver.wake();
        }
        Ok(())
    }

    /// For the driver: swaps the buffer for `empty` once there is something in it.
    pub(crate) fn poll_take(&self, cx: &Context<'_>, empty: &mut Vec<u8>) -> Poll<()> {
        let mut output = self.lock();
        if output.buffer.is_empty() {
            output.driver = Some(cx.waker().clone());
            return Poll::Pending;
        }
        std::mem::swap(&mut output.buffer, empty);
        Poll::Ready(())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.held.load(Ordering::Acquire) == 0
    }

    /// For the driver: `bytes` have left, or never will.
    pub(crate) fn written(&self, bytes: usize) {
        let before = self.held.fetch_sub(bytes, Ordering::AcqRel);
        if before >= self.budget && before - bytes < self.budget {
            self.room.notify_one();
        }
    }

    /// Nothing can be written any more: senders fail, and what the buffer holds is thrown away.
    pub(crate) fn close(&self) {
        let thrown_away = {
            let mut output = self.lock();
            output.closed = true;
            std::mem::take(&mut output.buffer)
        };
        self.turnstile.close();
        self.written(thrown_away.len());
        self.room.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, Output> {
        // A panicking serialiser is undone by its `Frame`, so the state behind a poisoned lock is sound.
        self.output.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A message in the making; taken back unless completed.
struct Frame<'a> {
    buffer: &'a mut Vec<u8>,
    start: usize,
    complete: bool,
}

impl Frame<'_> {
    fn complete(&mut self) {
        // Serialisers pass raw JSON on as it is. A newline in it can only be white space, but it would
        // cut the message in two (rule v1-tr-03).
        if let Some(message) = self.buffer.get_mut(self.start..)
            && memchr::memchr(b'\n', message).is_some()
        {
            message.iter_mut().filter(|byte| **byte == b'\n').for_each(|byte| *byte = b' ');
        }
        self.buffer.push(b'\n');
        self.complete = true;
    }
}

impl Drop for Frame<'_> {
    fn drop(&mut self) {
        if !self.complete {
            self.buffer.truncate(self.start);
        }
    }
}
