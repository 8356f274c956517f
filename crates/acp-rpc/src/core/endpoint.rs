//! The protocol without I/O: the meaning of each message, given the messages before it.
//!
//! [`Endpoint`] is a plain state machine. Its input is what arrived and what this side does; its
//! output is what follows from that. It knows no clock, no task and no byte, so every race is a
//! sequence of calls on it. It drops no waiter and calls no handler: its owner does that, outside
//! the lock around it.

use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};

use acp_json::Node;

use super::budget::is_slack;
use crate::wire::message::{Answer, Error, Id, Message};

/// The notification that cancels a request.
pub const CANCEL_REQUEST: &str = "$/cancel_request";

/// Tells whether a notification belongs to the endpoint: it cancels a request, or may be ignored if
/// unknown.
pub(crate) fn is_reserved(method: &str) -> bool {
    method.starts_with("$/")
}

/// The most abandoned requests whose late answers are still expected, and dropped quietly.
const REMEMBERED_ABANDONED: usize = 1024;

/// Both tables of a connection: the requests sent, and the requests being handled.
///
/// `W` stands for whoever waits for an answer, `T` for the handle that cancels a handler.
#[derive(Debug)]
pub struct Endpoint<W, T> {
    next_id: i64,
    pending: HashMap<i64, W>,
    abandoned: VecDeque<i64>,
    in_flight: HashMap<Id, InFlight<T>>,
    in_flight_bytes: usize,
    limits: Limits,
    closed: bool,
}

/// A request that is being handled.
#[derive(Debug)]
pub struct InFlight<T> {
    token: T,
    /// Its weight.
    pub bytes: usize,
}

/// Limits on the requests of the peer that are in flight.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The most requests at once.
    pub requests: usize,
    /// The most bytes that they may weigh together. One request is always taken, however heavy.
    pub bytes: usize,
}

/// The consequence of a message that arrived.
#[derive(Debug)]
pub enum Effect<'a, W, T> {
    /// Start the handler of a request. It is in flight from now on.
    Run {
        /// The peer's id.
        id: Id,
        /// The method's name.
        method: Cow<'a, str>,
        /// The params.
        params: Node<'a>,
        /// The token that cancels the handler.
        token: T,
    },
    /// Hand over a notification.
    Notify {
        /// The method's name.
        method: Cow<'a, str>,
        /// The params.
        params: Node<'a>,
    },
    /// Give the answer to its waiter.
    Deliver {
        /// The request's id.
        id: Id,
        /// The waiter.
        waiter: W,
        /// The answer.
        answer: Answer<'a>,
    },
    /// Answer with an error at once.
    Refuse {
        /// The id to answer under.
        id: Id,
        /// The error.
        error: Error,
    },
    /// Tell the handler of a request to stop. It may have been told before.
    Cancel {
        /// The token that cancels the handler.
        token: T,
    },
    /// The answer to a request that was given up, or a notification that may be ignored.
    Ignore,
    /// A response to no request. It is worth a report.
    UnknownResponse {
        /// The id it carries.
        id: Id,
    },
    /// A response without an id. It is worth a report.
    Unaddressed {
        /// The error it carries, if it carries one.
        error: Option<Error>,
    },
    /// A cancellation that names no request. It is worth a report.
    BadCancel,
}

impl<W, T: Clone> Endpoint<W, T> {
    /// Creates an endpoint at the start of a connection.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self {
            next_id: 0,
            pending: HashMap::new(),
            abandoned: VecDeque::new(),
            in_flight: HashMap::new(),
            in_flight_bytes: 0,
            limits,
            closed: false,
        }
    }

    /// Enters a request that this side sends, and returns its id.
    ///
    /// Ids count up from 0. Peers that keep numbers as doubles are safe: 2^53 requests take
    /// centuries.
    ///
    /// # Errors
    /// After [`close`](Self::close) the waiter is handed back.
    pub fn call(&mut self, waiter: W) -> Result<i64, W> {
        if self.closed {
            return Err(waiter);
        }
        let id = self.next_id;
        self.next_id += 1;
        self.pending.insert(id, waiter);
        Ok(id)
    }

    /// Gives up a request of this side. Returns its waiter if the request was still unanswered:
    /// then the peer should be told. A late answer is dropped quietly.
    pub fn abandon(&mut self, id: i64) -> Option<W> {
        let waiter = self.unpend(id)?;
        self.remember(id);
        Some(waiter)
    }

    fn remember(&mut self, abandoned: i64) {
        if self.abandoned.len() == REMEMBERED_ABANDONED {
            self.abandoned.pop_front();
        }
        self.abandoned.push_back(abandoned);
    }

    /// Gives up the requests of all `chosen` waiters, oldest first, as [`abandon`](Self::abandon)
    /// does for one.
    pub fn give_up(&mut self, chosen: impl Fn(&W) -> bool) -> Vec<(i64, W)> {
        let mut ids: Vec<i64> =
            self.pending.iter().filter(|(_, waiter)| chosen(waiter)).map(|(id, _)| *id).collect();
        ids.sort_unstable();
        let take = |id: i64| {
            let waiter = self.pending.remove(&id)?;
            self.remember(id);
            Some((id, waiter))
        };
        ids.into_iter().filter_map(take).collect()
    }

    /// Takes back a request that never left, and returns its waiter.
    pub fn retract(&mut self, id: i64) -> Option<W> {
        self.unpend(id)
    }

    /// Takes a request of this side out of the table, and gives back memory after many.
    fn unpend(&mut self, id: i64) -> Option<W> {
        let waiter = self.pending.remove(&id);
        if is_slack(self.pending.capacity(), self.pending.len()) {
            self.pending.shrink_to(2 * self.pending.len());
        }
        waiter
    }

    /// Takes a message that arrived. A request weighs `bytes`, and `token` makes the handle of its
    /// handler.
    pub fn receive<'a>(
        &mut self,
        message: Message<'a>,
        bytes: usize,
        token: impl FnOnce() -> T,
    ) -> Effect<'a, W, T> {
        match message {
            Message::Request { id, method, params } => self.request(id, method, params, bytes, token),
            Message::Notification { method, params } if method == CANCEL_REQUEST => self.cancel(&params),
            Message::Notification { method, .. } if is_reserved(&method) => Effect::Ignore,
            Message::Notification { method, params } => Effect::Notify { method, params },
            Message::Response { id, answer } => self.response(id, answer),
            Message::Unaddressed { error } => Effect::Unaddressed { error },
            Message::Bare { id } => match self.settle(&id) {
                Some(waiter) => {
                    let answer = Answer::Malformed("it has neither a `result` nor an `error`");
                    Effect::Deliver { id, waiter, answer }
                }
                None => Effect::Refuse {
                    id: Id::Null,
                    error: Error::invalid_request("a message needs a `method`, a `result` or an `error`"),
                },
            },
            Message::Invalid { id, problem } => Effect::Refuse { id, error: Error::invalid_request(problem) },
        }
    }

    fn request<'a>(
        &mut self,
        id: Id,
        method: Cow<'a, str>,
        params: Node<'a>,
        bytes: usize,
        token: impl FnOnce() -> T,
    ) -> Effect<'a, W, T> {
        let is_full = self.is_full(bytes);
        match self.in_flight.entry(id) {
            Entry::Occupied(taken) => Effect::Refuse {
                id: taken.key().clone(),
                error: Error::invalid_request("a request with this id is still being handled"),
            },
            Entry::Vacant(free) if is_full => Effect::Refuse {
                id: free.into_key(),
                error: Error::internal("too many requests are being handled: send it again later"),
            },
            Entry::Vacant(free) => {
                let id = free.key().clone();
                let token = token();
                free.insert(InFlight { token: token.clone(), bytes });
                self.in_flight_bytes += bytes;
                Effect::Run { id, method, params, token }
            }
        }
    }

    /// Tells whether one more request, which weighs `bytes`, would be refused.
    #[must_use]
    pub fn is_full(&self, bytes: usize) -> bool {
        let over_bytes =
            self.in_flight_bytes > 0 && self.in_flight_bytes.saturating_add(bytes) > self.limits.bytes;
        over_bytes || self.in_flight.len() >= self.limits.requests
    }

    /// Cancels a request of the peer. One that is unknown or done is ignored.
    fn cancel<'a>(&self, params: &Node<'_>) -> Effect<'a, W, T> {
        match params.get("requestId").map(Id::from_node) {
            Some(Some(id)) => match self.in_flight.get(&id) {
                Some(handler) => Effect::Cancel { token: handler.token.clone() },
                None => Effect::Ignore,
            },
            _ => Effect::BadCancel,
        }
    }

    fn response<'a>(&mut self, id: Id, answer: Answer<'a>) -> Effect<'a, W, T> {
        if let Some(waiter) = self.settle(&id) {
            return Effect::Deliver { id, waiter, answer };
        }
        match self.abandoned.iter().position(|abandoned| Id::Int(*abandoned) == id) {
            Some(index) => {
                self.abandoned.remove(index);
                Effect::Ignore
            }
            None => Effect::UnknownResponse { id },
        }
    }

    /// Takes the waiter for the answer with this id. An id of another JSON type matches nobody.
    pub fn settle(&mut self, id: &Id) -> Option<W> {
        match id {
            Id::Int(id) => self.unpend(*id),
            Id::Null | Id::Str(_) => None,
        }
    }

    /// Adds `bytes` to the weight of a request in flight.
    pub fn weigh(&mut self, id: &Id, bytes: usize) {
        if let Some(handler) = self.in_flight.get_mut(id) {
            handler.bytes += bytes;
            self.in_flight_bytes += bytes;
        }
    }

    /// Takes out a request whose answer is about to be sent. Returns whether it was in flight.
    ///
    /// Call it before the answer leaves: the peer may use the id again as soon as it has the
    /// answer.
    pub fn finished(&mut self, id: &Id) -> bool {
        let Some(handler) = self.in_flight.remove(id) else { return false };
        self.in_flight_bytes -= handler.bytes;
        if is_slack(self.in_flight.capacity(), self.in_flight.len()) {
            self.in_flight.shrink_to(2 * self.in_flight.len());
        }
        true
    }

    /// Takes out a request whose answer is about to be sent while its handler goes on, or returns
    /// `None` if it was not in flight. Its weight counts until [`release`](Self::release).
    pub fn answered_early(&mut self, id: &Id) -> Option<InFlight<T>> {
        self.in_flight.remove(id)
    }

    /// Puts a request back whose early answer did not leave.
    pub fn still_in_flight(&mut self, id: &Id, handler: InFlight<T>) {
        self.in_flight.insert(id.clone(), handler);
    }

    /// Counts off the weight of a request that was answered early.
    pub fn release(&mut self, bytes: usize) {
        self.in_flight_bytes = self.in_flight_bytes.saturating_sub(bytes);
    }

    /// Ends the connection: no more calls. Returns those who wait, oldest first.
    pub fn close(&mut self) -> Vec<W> {
        self.closed = true;
        let mut pending: Vec<(i64, W)> = self.pending.drain().collect();
        pending.sort_unstable_by_key(|(id, _)| *id);
        self.abandoned.clear();
        pending.into_iter().map(|(_, waiter)| waiter).collect()
    }

    /// Takes the ids of the requests still being handled out of the table.
    pub fn unanswered(&mut self) -> Vec<Id> {
        self.in_flight_bytes = 0;
        self.in_flight.drain().map(|(id, _)| id).collect()
    }

    /// Returns how many requests of this side wait for an answer.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.pending.len()
    }

    /// Returns how many requests of the peer are being handled.
    #[must_use]
    pub fn in_flight(&self) -> usize {
        self.in_flight.len()
    }
}
