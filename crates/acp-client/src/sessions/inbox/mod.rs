//! Where the updates of one session wait until they are read.

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

/// A bounded queue of events.
///
/// While somebody reads, a full inbox makes the writer wait, and with it the agent. While nobody does, waiting would
/// stop every session of the connection, perhaps for ever: then the oldest events give way, and the next reader is
/// told how many did.
///
/// All sessions of a connection together keep no more than [`Unread`] says of what nobody reads.
///
/// What an agent repeats of a conversation when it resumes a session is set aside: no turn reads it.
#[derive(Debug)]
pub(crate) struct Inbox {
    queue: Arc<Mutex<Queue>>,
    /// What all sessions of the connection keep unread, with this one.
    unread: Arc<Unread>,
    room: Notify,
    /// How many events have been received and are not in the queue yet.
    coming: AtomicUsize,
}

impl Inbox {
    pub(crate) fn new(unread: Arc<Unread>) -> Self {
        Self { queue: Arc::default(), unread, room: Notify::new(), coming: AtomicUsize::new(0) }
    }

    /// Adds an event, unless it would have to wait: for a reader that is behind, or for an earlier event. Then it is
    /// given back, and counts as coming until [`came`](Self::came). Only for the reader of the connection: nothing else
    /// comes meanwhile.
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
        // Under the lock: whoever finds the queue empty is to know that more is coming.
        self.coming.fetch_add(1, Ordering::Relaxed);
        Err(event)
    }

    /// Takes note that an event which was coming is here, or will never be.
    pub(super) fn came(&self) {
        if self.coming.fetch_sub(1, Ordering::Release) == 1 {
            let mut queue = self.queue();
            if queue.closed {
                queue.wake();
            }
        }
    }

    /// Adds an event, after waiting for a reader that is behind.
    pub(super) async fn push(&self, event: Event, weight: usize, at: Moment) {
        // As a rule there is room at once.
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

    fn offer(&self, event: Received) -> Option<Received> {
        let refused = self.change(|queue| queue.offer(event));
        self.unread.keep_to_limit();
        refused
    }

    /// The next event of before this moment, if there is one.
    pub(crate) fn next_before(&self, end: Moment) -> Option<Event> {
        let queue = self.queue();
        if queue.has_before(end) { self.take(queue) } else { None }
    }

    /// As [`poll_next`](Self::poll_next), with what was set aside before everything else.
    pub(crate) fn poll_next_with_aside(&self, cx: &Context<'_>) -> Poll<Option<Event>> {
        let aside = self.change(Queue::pop_aside);
        aside.map_or_else(|| self.poll_next(cx), |event| Poll::Ready(Some(event)))
    }

    /// Sets aside what belongs to the conversation of all that has come between these moments and was not read.
    pub(crate) fn set_aside(&self, since: Moment, until: Moment) {
        self.change(|queue| queue.set_aside(since, until));
    }

    /// Drops what was set aside.
    pub(crate) fn drop_aside(&self) {
        self.change(Queue::drop_aside);
    }

    /// The next event. `None` when there will be none, because the session is closed or the connection is over.
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

    /// Has `cx` woken by the next event, without taking one.
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

    /// Nobody can read any more: what is here and what is to come is dropped.
    pub(crate) fn discard(&self) {
        self.change(Queue::discard);
        self.room.notify_waiters();
    }

    /// Nothing will come any more, beside what has been received.
    pub(crate) fn close(&self) {
        let mut queue = self.queue();
        queue.closed = true;
        queue.wake();
    }

    /// Changes what is kept, and says so to the connection.
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

/// About how many bytes a message holds: its texts, and a little for every value.
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
