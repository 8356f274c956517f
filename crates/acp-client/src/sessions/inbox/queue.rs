//! The events of one session, and the choice of those to drop.

use std::collections::VecDeque;
use std::task::{Context, Waker};

use crate::event::Event;
use crate::wire::moment::Moment;

/// The most bytes of [`weight`](super::weight) that a reader may be behind before the agent has to
/// wait. Without a reader, this much is kept.
pub(super) const CAPACITY: usize = 4 * 1024 * 1024;

/// An event in the queue.
#[derive(Debug)]
pub(super) struct Received {
    pub(super) event: Event,
    pub(super) weight: usize,
    pub(super) at: Moment,
}

#[derive(Debug, Default)]
pub(super) struct Queue {
    events: VecDeque<Received>,
    weight: usize,
    missed: u64,
    /// Events from before the session was resumed. They do not count against the capacity.
    aside: Aside,
    pub(super) readers: usize,
    /// True after the session was given up.
    discarding: bool,
    pub(super) closed: bool,
    /// True if an event was refused since the last one was read.
    pub(super) room_is_awaited: bool,
    wakers: Vec<Waker>,
    /// The share of this queue in the unread events of the connection.
    pub(super) share: Share,
}

/// Events that do not belong to a turn.
#[derive(Debug, Default)]
struct Aside {
    events: VecDeque<Received>,
    weight: usize,
    missed: u64,
}

/// The share of one queue in the sum.
#[derive(Debug, Default)]
pub(super) struct Share {
    pub(super) weight: usize,
    pub(super) number: Option<u64>,
}

impl Queue {
    /// Returns the bytes of [`weight`](super::weight) that nobody reads.
    pub(super) fn unread(&self) -> usize {
        if self.readers == 0 { self.weight + self.aside.weight } else { 0 }
    }

    /// Drops the oldest event. Returns false if there is none.
    pub(super) fn drop_oldest(&mut self) -> bool {
        if self.aside.drop_oldest() {
            return true;
        }
        let Some(oldest) = self.events.pop_front() else { return false };
        self.weight -= oldest.weight;
        self.missed += 1;
        true
    }

    /// Takes the next event that was set aside.
    pub(super) fn pop_aside(&mut self) -> Option<Event> {
        self.aside.pop()
    }

    /// Drops the events that were set aside.
    pub(super) fn drop_aside(&mut self) {
        self.aside = Aside::default();
    }

    /// Drops all events, now and in future.
    pub(super) fn discard(&mut self) {
        self.discarding = true;
        self.events.clear();
        self.weight = 0;
        self.missed = 0;
        self.drop_aside();
    }

    /// Returns true if the next event came before this moment.
    pub(super) fn has_before(&self, end: Moment) -> bool {
        self.missed > 0 || self.events.front().is_some_and(|next| next.at < end)
    }

    /// Takes in an event, or gives it back if the queue is full.
    pub(super) fn offer(&mut self, event: Received) -> Option<Received> {
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

    /// Adds an event at its place in the order of the wire, unless it would be discarded.
    pub(super) fn insert(&mut self, event: Received) {
        if !self.discarding {
            if self.readers == 0 {
                self.make_room(event.weight);
            }
            self.weight += event.weight;
            let index = self.events.partition_point(|earlier| earlier.at < event.at);
            self.events.insert(index, event);
            self.wake();
        }
    }

    /// Returns true if the queue can take the event. An empty queue takes one event of any size.
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

    pub(super) fn set_aside(&mut self, since: Moment, until: Moment) {
        let is_repeated =
            |event: &Received| since <= event.at && event.at < until && event.event.is_of_the_conversation();
        if self.events.front().is_none_or(|oldest| since <= oldest.at) {
            // The dropped events were older than these, and most likely of the same kind.
            self.aside.missed += std::mem::take(&mut self.missed);
        }
        let (repeated, rest) = std::mem::take(&mut self.events).into_iter().partition(is_repeated);
        self.events = rest;
        self.aside.add(repeated);
        self.weight = self.events.iter().map(|event| event.weight).sum();
    }

    pub(super) fn pop(&mut self) -> Option<Event> {
        if self.missed > 0 {
            return Some(Event::Missed(std::mem::take(&mut self.missed)));
        }
        let next = self.events.pop_front()?;
        self.weight -= next.weight;
        Some(next.event)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.missed == 0 && self.events.is_empty()
    }

    pub(super) fn wait(&mut self, cx: &Context<'_>) {
        if !self.wakers.iter().any(|waker| waker.will_wake(cx.waker())) {
            self.wakers.push(cx.waker().clone());
        }
    }

    pub(super) fn wake(&mut self) {
        self.wakers.drain(..).for_each(Waker::wake);
    }
}

impl Aside {
    fn add(&mut self, repeated: VecDeque<Received>) {
        for event in repeated {
            self.weight += event.weight;
            self.events.push_back(event);
        }
        // Only a session that is resumed again and again gets here.
        while self.weight > CAPACITY && self.drop_oldest() {}
    }

    fn drop_oldest(&mut self) -> bool {
        let Some(oldest) = self.events.pop_front() else { return false };
        self.weight -= oldest.weight;
        self.missed += 1;
        true
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
