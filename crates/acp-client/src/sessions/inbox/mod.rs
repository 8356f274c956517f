//! The queue of one session's events.

mod queue;
mod unread;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use acp_json::Node;
use tokio::sync::Notify;

use self::queue::{Queue, Received};
pub(crate) use self::unread::Unread;
use crate::event::Event;
use crate::wire::moment::Moment;

/// The weight of an event that is not a message.
pub(crate) const INSERTED: usize = 256;

/// A bounded queue of events.
///
/// While somebody reads, a full inbox makes the writer wait, and the agent with it. Without a
/// reader that would stop every session of the connection, perhaps for ever. So the oldest events
/// are dropped, and the next reader learns their number.
///
/// All sessions of a connection together keep at most as many unread events as [`Unread`] allows.
///
/// The conversation that an agent repeats when it resumes a session is set aside. No turn reads it.
#[derive(Debug)]
pub(crate) struct Inbox {
    queue: Arc<Mutex<Queue>>,
    /// The unread events of all sessions of the connection.
    unread: Arc<Unread>,
    room: Notify,
    /// The number of events that were received and are not in the queue yet.
    coming: AtomicUsize,
}

impl Inbox {
    pub(crate) fn new(unread: Arc<Unread>) -> Self {
        Self { queue: Arc::default(), unread, room: Notify::new(), coming: AtomicUsize::new(0) }
    }

    /// Adds an event if it can be added at once. Behind a slow reader or an earlier event it has to
    /// wait: then it is given back, and counts as coming until [`came`](Self::came). Only the
    /// reader of the connection may call this, so that nothing else comes meanwhile.
    pub(super) fn push_now(&self, event: Event, weight: usize, at: Moment) -> Result<(), Event> {
        let received = Received { event, weight, at };
        let mut queue = self.queue();
        let is_next = self.coming.load(Ordering::Acquire) == 0;
        let refused = if is_next { queue.offer(received) } else { Some(received) };
        let Some(Received { event, .. }) = refused else {
            self.unread.settle(&self.queue, &mut queue);
            drop(queue);
            self.unread.keep_to_limit();
            return Ok(());
        };
        // Under the lock: a reader that finds the queue empty must know that more is coming.
        self.coming.fetch_add(1, Ordering::Relaxed);
        Err(event)
    }

    /// Counts down the events that are coming: one is in the queue, or will never be.
    pub(super) fn came(&self) {
        if self.coming.fetch_sub(1, Ordering::Release) == 1 {
            let mut queue = self.queue();
            if queue.closed {
                queue.wake();
            }
        }
    }

    /// Adds an event after waiting for a slow reader.
    pub(super) async fn push(&self, event: Event, weight: usize, at: Moment) {
        // As a rule it can be added at once.
        let mut refused = self.offer(Received { event, weight, at });
        while let Some(event) = refused {
            let room = self.room.notified();
            tokio::pin!(room);
            room.as_mut().enable();
            refused = self.offer(event);
            if refused.is_some() {
                room.await;
            }
        }
    }

    /// Adds an event that is not a message of its own, at its place among the others.
    pub(crate) fn insert(&self, event: Event, at: Moment) {
        self.change(|queue| queue.insert(Received { event, weight: INSERTED, at }));
        self.unread.keep_to_limit();
    }

    fn offer(&self, event: Received) -> Option<Received> {
        let refused = self.change(|queue| queue.offer(event));
        self.unread.keep_to_limit();
        refused
    }

    /// Returns true if an event waits for a reader.
    pub(crate) fn has_unread(&self) -> bool {
        !self.queue().is_empty()
    }

    /// Returns the next event that came before this moment.
    pub(crate) fn next_before(&self, end: Moment) -> Option<Event> {
        let queue = self.queue();
        if queue.has_before(end) { self.take(queue) } else { None }
    }

    /// Takes the next event like [`poll_next`](Self::poll_next), but those that were set aside come
    /// first.
    pub(crate) fn poll_next_with_aside(&self, cx: &Context<'_>) -> Poll<Option<Event>> {
        let aside = self.change(Queue::pop_aside);
        aside.map_or_else(|| self.poll_next(cx), |event| Poll::Ready(Some(event)))
    }

    /// Sets aside the unread events of the conversation that came between these moments.
    pub(crate) fn set_aside(&self, since: Moment, until: Moment) {
        self.change(|queue| queue.set_aside(since, until));
    }

    /// Drops the events that were set aside.
    pub(crate) fn drop_aside(&self) {
        self.change(Queue::drop_aside);
    }

    /// Takes the next event. `None` means that there will be none: the session is closed or the
    /// connection is over.
    pub(crate) fn poll_next(&self, cx: &Context<'_>) -> Poll<Option<Event>> {
        let queue = self.queue();
        if !queue.is_empty() {
            return Poll::Ready(self.take(queue));
        }
        self.poll_end(queue, cx)
    }

    fn take(&self, mut queue: MutexGuard<'_, Queue>) -> Option<Event> {
        let next = queue.pop();
        let is_awaited = std::mem::take(&mut queue.room_is_awaited);
        self.unread.settle(&self.queue, &mut queue);
        drop(queue);
        if is_awaited {
            self.room.notify_waiters();
        }
        next
    }

    fn poll_end(&self, mut queue: MutexGuard<'_, Queue>, cx: &Context<'_>) -> Poll<Option<Event>> {
        if queue.closed && self.coming.load(Ordering::Acquire) == 0 {
            return Poll::Ready(None);
        }
        queue.wait(cx);
        Poll::Pending
    }

    /// Wakes `cx` at the next event, without taking one.
    pub(crate) fn wait(&self, cx: &Context<'_>) {
        self.queue().wait(cx);
    }

    /// Wakes every reader.
    pub(crate) fn wake(&self) {
        self.queue().wake();
    }

    pub(crate) fn add_reader(&self) {
        self.change(|queue| queue.readers += 1);
    }

    pub(crate) fn remove_reader(&self) {
        self.change(|queue| queue.readers = queue.readers.saturating_sub(1));
        self.room.notify_waiters();
        self.unread.keep_to_limit();
    }

    /// Drops all events, now and in future: nobody can read them any more.
    pub(crate) fn discard(&self) {
        self.change(Queue::discard);
        self.room.notify_waiters();
    }

    /// Ends the queue behind the events that were received.
    pub(crate) fn close(&self) {
        let mut queue = self.queue();
        queue.closed = true;
        queue.wake();
    }

    /// Changes the queue, and adjusts the sum of the connection.
    fn change<T>(&self, change: impl FnOnce(&mut Queue) -> T) -> T {
        let mut queue = self.queue();
        let done = change(&mut queue);
        self.unread.settle(&self.queue, &mut queue);
        done
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Inbox {
    fn drop(&mut self) {
        self.change(Queue::discard);
    }
}

/// Estimates the bytes that a message holds: its texts, and a constant for every value.
pub(crate) fn weight(node: &Node<'_>) -> usize {
    const VALUE: usize = 48;
    VALUE
        + match node {
            Node::Str(text) => text.len(),
            Node::Seq(items) => items.iter().map(weight).sum(),
            Node::Map(members) => members.iter().map(|(name, value)| name.len() + weight(value)).sum(),
            _ => 0,
        }
}
