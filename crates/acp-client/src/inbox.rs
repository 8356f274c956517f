//! Where the updates of one session wait until they are read.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use acp_json::Node;
use tokio::sync::Notify;

use crate::config::Moment;
use crate::event::Event;
use crate::phase::SessionState;

/// What a reader may be behind, in bytes of [`weight`], before the agent has to wait for it; and what is kept while
/// nobody reads.
pub(crate) const CAPACITY: usize = 4 * 1024 * 1024;

/// A bounded queue of events.
///
/// While somebody reads, a full inbox makes the writer wait, and with it the agent. While nobody does, waiting would
/// stop every session of the connection, perhaps for ever: then the oldest events give way, and the next reader is
/// told how many did.
///
/// What an agent repeats of a conversation when it resumes a session is set aside: no turn reads it.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    queue: Mutex<Queue>,
    room: Notify,
    /// How many events have been received and are not in the queue yet.
    coming: AtomicUsize,
}

/// An event that has been received. Once this is dropped it is in the queue, or will never be.
#[derive(Debug)]
pub(crate) struct Coming {
    session: Arc<SessionState>,
    at: Moment,
}

/// An event that waits to be read.
#[derive(Debug)]
struct Received {
    event: Event,
    weight: usize,
    at: Moment,
}

#[derive(Debug, Default)]
struct Queue {
    events: VecDeque<Received>,
    weight: usize,
    missed: u64,
    /// Of before the session was resumed. It does not count against the room of what comes.
    aside: Aside,
    readers: usize,
    /// The session was given up.
    discarding: bool,
    closed: bool,
    /// An event was refused since the last one was read.
    room_is_awaited: bool,
    wakers: Vec<Waker>,
}

/// Events that are no turn's.
#[derive(Debug, Default)]
struct Aside {
    events: VecDeque<Received>,
    weight: usize,
    missed: u64,
}

impl Inbox {
    /// Adds an event, after waiting for a reader that is behind.
    async fn push(&self, event: Received) {
        // As a rule there is room at once.
        let mut refused = self.queue().offer(event);
        while let Some(event) = refused {
            let room = self.room.notified();
            tokio::pin!(room);
            room.as_mut().enable();
            refused = self.queue().offer(event);
            if refused.is_some() {
                room.await;
            }
        }
    }

    /// The next event of before this moment, if there is one.
    pub(crate) fn next_before(&self, end: Moment) -> Option<Event> {
        let queue = self.queue();
        let is_before = queue.missed > 0 || queue.events.front().is_some_and(|next| next.at < end);
        if is_before { self.take(queue) } else { None }
    }

    /// As [`poll_next`](Self::poll_next), with what was set aside before everything else.
    pub(crate) fn poll_next_with_aside(&self, cx: &Context<'_>) -> Poll<Option<Event>> {
        let aside = self.queue().aside.pop();
        aside.map_or_else(|| self.poll_next(cx), |event| Poll::Ready(Some(event)))
    }

    /// Sets aside what belongs to the conversation of all that has come between these moments and was not read.
    pub(crate) fn set_aside(&self, since: Moment, until: Moment) {
        self.queue().set_aside(since, until);
    }

    /// Drops what was set aside.
    pub(crate) fn drop_aside(&self) {
        let aside = std::mem::take(&mut self.queue().aside);
        drop(aside);
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
        self.queue().readers += 1;
    }

    pub(crate) fn remove_reader(&self) {
        let mut queue = self.queue();
        queue.readers = queue.readers.saturating_sub(1);
        drop(queue);
        self.room.notify_waiters();
    }

    /// Nobody can read any more: what is here and what is to come is dropped.
    pub(crate) fn discard(&self) {
        let mut queue = self.queue();
        queue.discarding = true;
        queue.events.clear();
        queue.weight = 0;
        queue.missed = 0;
        queue.aside = Aside::default();
        drop(queue);
        self.room.notify_waiters();
    }

    /// Nothing will come any more, beside what has been received.
    pub(crate) fn close(&self) {
        let mut queue = self.queue();
        queue.closed = true;
        queue.wake();
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Coming {
    /// Adds an event, unless it would have to wait: for a reader that is behind, or for an earlier event. Then it is
    /// given back as one that is coming. Only for the reader of the connection: nothing else comes meanwhile.
    pub(crate) fn push_now(
        session: &Arc<SessionState>,
        event: Event,
        weight: usize,
    ) -> Result<(), (Self, Event)> {
        let (inbox, at) = (&session.inbox, Moment::now());
        let received = Received { event, weight, at };
        let mut queue = inbox.queue();
        let is_next = inbox.coming.load(Ordering::Acquire) == 0;
        let refused = if is_next { queue.offer(received) } else { Some(received) };
        let Some(Received { event, .. }) = refused else { return Ok(()) };
        // Under the lock: whoever finds the queue empty is to know that more is coming.
        inbox.coming.fetch_add(1, Ordering::Relaxed);
        Err((Self { session: Arc::clone(session), at }, event))
    }

    /// Adds the event that is coming.
    pub(crate) async fn push(self, event: Event, weight: usize) {
        self.session.inbox.push(Received { event, weight, at: self.at }).await;
    }
}

impl Drop for Coming {
    fn drop(&mut self) {
        let inbox = &self.session.inbox;
        if inbox.coming.fetch_sub(1, Ordering::Release) == 1 {
            let mut queue = inbox.queue();
            if queue.closed {
                queue.wake();
            }
        }
    }
}

impl Queue {
    /// Takes an event; gives it back if there is no room.
    fn offer(&mut self, event: Received) -> Option<Received> {
        if self.discarding {
            return None;
        }
        if self.readers == 0 {
            self.make_room(event.weight);
        }
        if !self.fits(event.weight) {
            self.room_is_awaited = true;
            return Some(event);
        }
        self.weight += event.weight;
        self.events.push_back(event);
        self.wake();
        None
    }

    /// One event fits an empty queue however large it is.
    fn fits(&self, weight: usize) -> bool {
        self.events.is_empty() || self.weight + weight <= CAPACITY
    }

    fn make_room(&mut self, weight: usize) {
        while !self.fits(weight) {
            let Some(oldest) = self.events.pop_front() else { break };
            self.weight -= oldest.weight;
            self.missed += 1;
        }
    }

    fn set_aside(&mut self, since: Moment, until: Moment) {
        let is_repeated =
            |event: &Received| since <= event.at && event.at < until && event.event.is_of_the_conversation();
        if self.events.front().is_none_or(|oldest| since <= oldest.at) {
            // They went before the oldest, and are most likely of the same kind.
            self.aside.missed += std::mem::take(&mut self.missed);
        }
        let (repeated, rest) = std::mem::take(&mut self.events).into_iter().partition(is_repeated);
        self.events = rest;
        self.aside.add(repeated);
        self.weight = self.events.iter().map(|event| event.weight).sum();
    }

    fn pop(&mut self) -> Option<Event> {
        if self.missed > 0 {
            return Some(Event::Missed(std::mem::take(&mut self.missed)));
        }
        let next = self.events.pop_front()?;
        self.weight -= next.weight;
        Some(next.event)
    }

    fn is_empty(&self) -> bool {
        self.missed == 0 && self.events.is_empty()
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

impl Aside {
    fn add(&mut self, repeated: VecDeque<Received>) {
        for event in repeated {
            self.weight += event.weight;
            self.events.push_back(event);
        }
        // Only a session that is resumed again and again has more.
        while self.weight > CAPACITY
            && let Some(oldest) = self.events.pop_front()
        {
            self.weight -= oldest.weight;
            self.missed += 1;
        }
    }

    fn pop(&mut self) -> Option<Event> {
        if self.missed > 0 {
            return Some(Event::Missed(std::mem::take(&mut self.missed)));
        }
        let next = self.events.pop_front()?;
        self.weight -= next.weight;
        Some(next.event)
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
