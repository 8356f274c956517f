//! The output buffer: messages in, one write out.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use tokio::sync::{Notify, Semaphore, SemaphorePermit};

/// A buffer that is at least this long takes no further message, so that memory is given back piece
/// by piece while a slow peer reads. It is as much as pipes take at once: larger writes would not
/// save any.
pub(crate) const CHUNK: usize = 64 * 1024;
/// The largest output buffer that is kept while idle.
pub(crate) const IDLE_CAPACITY: usize = 2 * CHUNK;
/// Room in a buffer for the message that fills it, if that is a short one.
const SLACK: usize = 4 * 1024;
/// The most empty buffers that are kept for reuse. Allocating one costs more than writing what is
/// in it.
const SPARES: usize = 4;

/// The output buffer of a connection: senders write all messages into it, and the driver takes them
/// out.
///
/// Senders serialise straight into one buffer. The driver swaps it for an empty one whenever the
/// pipe takes bytes. While more than `budget` bytes wait, senders queue up in the order in which
/// they came. So it holds at most the budget and one message, apart from what [`push`](Self::push)
/// adds without a [`Permit`].
#[derive(Debug)]
pub(crate) struct Writer {
    output: Mutex<Output>,
    /// Bytes in the buffers. Those of the driver count until all of them are written.
    held: AtomicUsize,
    budget: usize,
    /// It has one permit: its owner writes next. Semaphores are fair.
    turnstile: Semaphore,
    room: Notify,
}

#[derive(Debug, Default)]
struct Output {
    /// Full buffers, which leave before `buffer`.
    full: VecDeque<Vec<u8>>,
    buffer: Vec<u8>,
    /// Used buffers that are empty: up to a quarter of the budget, and at least one.
    spares: Vec<Vec<u8>>,
    driver: Option<Waker>,
    closed: bool,
}

/// Writes one message of several.
pub(crate) type EncodeMessage<'a> = &'a dyn Fn(&mut Vec<u8>) -> Result<(), serde_json::Error>;

/// The right to add one message. Others wait until it is dropped.
#[derive(Debug)]
pub(crate) struct Permit<'a> {
    _turnstile: SemaphorePermit<'a>,
}

/// The error of a writer that takes no more messages.
#[derive(Debug)]
pub(crate) struct Closed;

/// The reason why a message was not added.
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

    /// Waits for the permit and for room.
    pub(crate) async fn permit(&self) -> Result<Permit<'_>, Closed> {
        let turn = self.turnstile.acquire().await.map_err(|_| Closed)?;
        while !self.has_room() && !self.turnstile.is_closed() {
            self.room.notified().await;
        }
        if self.turnstile.is_closed() { Err(Closed) } else { Ok(Permit { _turnstile: turn }) }
    }

    /// Returns the permit if it is free and there is room.
    pub(crate) fn try_permit(&self) -> Option<Permit<'_>> {
        let turn = self.turnstile.try_acquire().ok()?;
        self.has_room().then_some(Permit { _turnstile: turn })
    }

    pub(crate) fn has_room(&self) -> bool {
        self.held.load(Ordering::Acquire) < self.budget
    }

    /// Returns the number of bytes in the buffers.
    pub(crate) fn held(&self) -> usize {
        self.held.load(Ordering::Acquire)
    }

    /// Adds one message and its newline: all of it, or nothing if `encode` fails or panics. Returns
    /// the length of the message.
    pub(crate) fn push(
        &self,
        encode: impl FnOnce(&mut Vec<u8>) -> Result<(), serde_json::Error>,
    ) -> Result<usize, PushError> {
        self.add(self.lock(), encode)
    }

    /// Adds a message if there is room and no sender waits. Returns `None` otherwise.
    pub(crate) fn try_push(
        &self,
        encode: impl FnOnce(&mut Vec<u8>) -> Result<(), serde_json::Error>,
    ) -> Option<Result<usize, PushError>> {
        // Checked under the lock, so that two senders cannot find the same room.
        let output = self.lock();
        let is_free = output.closed || (self.has_room() && self.turnstile.available_permits() > 0);
        is_free.then(|| self.add(output, encode))
    }

    /// Adds messages that no other comes between: all of them, or none if one cannot be encoded.
    pub(crate) fn push_together(&self, messages: &[EncodeMessage<'_>]) -> Result<(), PushError> {
        let mut output = self.lock();
        if output.closed {
            return Err(PushError::Closed);
        }
        output.seal();
        let start = output.buffer.len();
        let mut frame = Frame { buffer: &mut output.buffer, start, complete: false };
        for encode in messages {
            let mut message = Frame { start: frame.buffer.len(), buffer: frame.buffer, complete: false };
            encode(message.buffer).map_err(PushError::Encode)?;
            message.complete();
        }
        frame.complete = true;
        drop(frame);
        self.added(output, start);
        Ok(())
    }

    fn add(
        &self,
        mut output: MutexGuard<'_, Output>,
        encode: impl FnOnce(&mut Vec<u8>) -> Result<(), serde_json::Error>,
    ) -> Result<usize, PushError> {
        if output.closed {
            return Err(PushError::Closed);
        }
        output.seal();
        let before = output.buffer.len();
        let mut frame = Frame { buffer: &mut output.buffer, start: before, complete: false };
        encode(frame.buffer).map_err(PushError::Encode)?;
        frame.complete();
        drop(frame);
        Ok(self.added(output, before) - 1)
    }

    /// Counts the bytes behind `before`, which are new, and wakes the driver.
    fn added(&self, mut output: MutexGuard<'_, Output>, before: usize) -> usize {
        let added = output.buffer.len() - before;
        self.held.fetch_add(added, Ordering::AcqRel);
        let driver = output.driver.take();
        drop(output);
        if let Some(driver) = driver {
            driver.wake();
        }
        added
    }

    /// Swaps the next buffer for `empty` once there is output. For the driver.
    pub(crate) fn poll_take(&self, cx: &Context<'_>, empty: &mut Vec<u8>) -> Poll<()> {
        let mut output = self.lock();
        if let Some(full) = output.full.pop_front() {
            let mut empty = std::mem::replace(empty, full);
            // A buffer of a long message is too large to be kept for short ones.
            empty.shrink_to(IDLE_CAPACITY);
            if output.spares.len() < (self.budget / 4 / CHUNK).clamp(1, SPARES) {
                output.spares.push(empty);
            }
            return Poll::Ready(());
        }
        if output.buffer.is_empty() {
            // The waker before may be the last owner of a task, so it is dropped after the lock.
            let _before = output.driver.replace(cx.waker().clone());
            drop(output);
            return Poll::Pending;
        }
        std::mem::swap(&mut output.buffer, empty);
        Poll::Ready(())
    }

    /// Gives back room that was needed for long messages. For the driver.
    pub(crate) fn give_back(&self) {
        self.lock().buffer.shrink_to(IDLE_CAPACITY);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.held.load(Ordering::Acquire) == 0
    }

    /// Counts off a buffer of `bytes` that has left, or never will. For the driver.
    pub(crate) fn written(&self, bytes: usize) {
        let before = self.held.fetch_sub(bytes, Ordering::AcqRel);
        if before >= self.budget && before - bytes < self.budget {
            self.room.notify_one();
        }
    }

    /// Takes no more messages: senders fail. Messages that were taken still leave.
    pub(crate) fn finish(&self) {
        self.lock().closed = true;
        self.turnstile.close();
        self.room.notify_one();
    }

    /// Ends all writing: senders fail, and what the buffer holds is dropped.
    pub(crate) fn close(&self) {
        self.finish();
        let thrown_away = {
            let mut output = self.lock();
            let full: usize = std::mem::take(&mut output.full).iter().map(Vec::len).sum();
            full + std::mem::take(&mut output.buffer).len()
        };
        self.written(thrown_away);
    }

    fn lock(&self) -> MutexGuard<'_, Output> {
        // A `Frame` undoes a serialiser that panics, so the state behind a poisoned lock is sound.
        self.output.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Output {
    /// Puts a full buffer aside for the driver.
    fn seal(&mut self) {
        if self.buffer.len() >= CHUNK {
            let empty = self.spares.pop().unwrap_or_default();
            self.full.push_back(std::mem::replace(&mut self.buffer, empty));
        }
        // A buffer that is half full, or comes after a full one, will be full too. It gets all of
        // its room at once, because doubling would end at twice the size.
        if self.buffer.len() >= CHUNK / 2 || !self.full.is_empty() {
            let room = (CHUNK + SLACK).saturating_sub(self.buffer.len());
            self.buffer.reserve_exact(room);
        }
    }
}

/// A message in the making. It is removed on drop unless it was completed.
struct Frame<'a> {
    buffer: &'a mut Vec<u8>,
    start: usize,
    complete: bool,
}

impl Frame<'_> {
    fn complete(&mut self) {
        // Serialisers pass on raw JSON as it is. A newline in it can only be white space, but it
        // would cut the message in two (rule v1-tr-03).
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
