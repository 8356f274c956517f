//! Where the updates of one session wait until they are read.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use acp_json::Node;
use tokio::sync::Notify;

use crate::event::Event;

/// What a reader may be behind, in bytes of [`weight`], before the agent has to wait for it; and what is kept while
/// nobody reads.
pub(crate) const CAPACITY: usize = 4 * 1024 * 1024;

/// A bounded queue of events.
///
/// While somebody reads, a full inbox makes the writer wait, and with it the agent. While nobody does, waiting would
/// stop every session of the connection, perhaps for ever: then the oldest events give way, and the next reader is
/// told how many did.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    queue: Mutex<Queue>,
    room: Notify,
}

#[derive(Debug, Default)]
struct Queue {
    events: VecDeque<(Event, usize)>,
    weight: usize,
    missed: u64,
    readers: usize,
    owners: usize,
    /// The session was given up.
    discarding: bool,
    closed: bool,
    wakers: Vec<Waker>,
}

impl Inbox {
    /// Adds an event, after waiting for a reader that is behind.
    pub(crate) async fn push(&self, event: Event, weight: usize) {
        loop {
            let room = self.room.notified();
            tokio::pin!(room);
            room.as_mut().enable();
            {
                let mut queue = self.queue();
                if queue.discarding {
                    return;
                }
                if queue.readers == 0 {
                    queue.make_room(weight);
                }
                if queue.fits(weight) {
                    queue.events.push_back((event, weight));
                    queue.weight += weight;
                    queue.wake();
                    return;
                }
            }
            room.await;
        }
    }

    /// The next event. `None` when there will be none, because the connection is over.
    pub(crate) fn poll_next(&self, cx: &Context<'_>) -> Poll<Option<Event>> {
        let mut queue = self.queue();
        let next = queue.pop();
        if next.is_some() {
            drop(queue);
            self.room.notify_waiters();
            return Poll::Ready(next);
        }
        if queue.closed {
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
        self.queue().readers += 1;
    }

    pub(crate) fn remove_reader(&self) {
        let mut queue = self.queue();
        queue.readers = queue.readers.saturating_sub(1);
        drop(queue);
        self.room.notify_waiters();
    }

    pub(crate) fn attach(&self) {
        let mut queue = self.queue();
        queue.owners += 1;
        queue.discarding = false;
    }

    /// When the last owner goes nobody can read any more: what is here and what is to come is dropped.
    pub(crate) fn detach(&self) {
        let mut queue = self.queue();
        queue.owners = queue.owners.saturating_sub(1);
        if queue.owners == 0 {
            queue.discarding = true;
            queue.events.clear();
            queue.weight = 0;
            queue.missed = 0;
        }
        drop(queue);
        self.room.notify_waiters();
    }

    /// How many events are waiting.
    pub(crate) fn len(&self) -> usize {
        let queue = self.queue();
        queue.events.len() + usize::from(queue.missed > 0)
    }

    /// Nothing will come any more.
    pub(crate) fn close(&self) {
        let mut queue = self.queue();
        queue.closed = true;
        queue.wake();
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queue {
    /// One event fits an empty queue however large it is.
    fn fits(&self, weight: usize) -> bool {
        self.events.is_empty() || self.weight + weight <= CAPACITY
    }

    fn make_room(&mut self, weight: usize) {
        while !self.fits(weight) {
            let Some((_, freed)) = self.events.pop_front() else { break };
            self.weight -= freed;
            self.missed += 1;
        }
    }

    fn pop(&mut self) -> Option<Event> {
        if self.missed > 0 {
            return Some(Event::Missed(std::mem::take(&mut self.missed)));
        }
        let (event, weight) = self.events.pop_front()?;
        self.weight -= weight;
        Some(event)
    }

    fn wait(&mut self, cx: &Context<'_>) {
        if !self.wakers.iter().any(|waker| waker.will_wake(cx.waker())) {
            self.wakers.push(cx.waker().clone());
        }
    }

    fn wake(&mut self) {
        self.wakers.drain(..).for_each(Waker::wake);
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
