//! The order in which messages are sent.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use acp_rpc::Id;

/// The most POSTs at once, apart from answers. Servers refuse more than some.
const MOST_AT_ONCE: usize = 16;

/// A queue of messages. The next one is sent when the server has taken the one before.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Lane {
    Connection,
    Session(Arc<str>),
    /// Answers, and cancellations of requests. They wait for nothing else: a server that holds a
    /// POST back may be waiting for one of them.
    Answers,
}

/// The queues of a connection.
pub(super) struct Lanes<T> {
    queues: HashMap<Lane, Queue<T>>,
    /// Lanes that can go on, in order.
    ready: VecDeque<Lane>,
    at_once: usize,
}

struct Queue<T> {
    waiting: VecDeque<(Option<Id>, T)>,
    is_busy: bool,
}

impl<T> Lanes<T> {
    pub(super) fn new() -> Self {
        Self { queues: HashMap::new(), ready: VecDeque::new(), at_once: 0 }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.queues.is_empty()
    }

    /// Adds a message to a lane. `request` is its id, if it is a request.
    pub(super) fn push(&mut self, lane: Lane, request: Option<Id>, message: T) {
        let queue = self.queues.entry(lane.clone());
        let queue = queue.or_insert_with(|| Queue { waiting: VecDeque::new(), is_busy: false });
        if !queue.is_busy && queue.waiting.is_empty() {
            self.ready.push_back(lane);
        }
        queue.waiting.push_back((request, message));
    }

    /// Returns the lane in which a request still waits for its turn.
    pub(super) fn lane_of(&self, request: &Id) -> Option<Lane> {
        let waits = |queue: &Queue<T>| queue.waiting.iter().any(|(id, _)| id.as_ref() == Some(request));
        self.queues.iter().find(|(_, queue)| waits(queue)).map(|(lane, _)| lane.clone())
    }

    /// Takes the next message that may be sent. Its lane is busy until [`done`](Self::done).
    ///
    /// Before the connection `has_begun`, nothing overtakes the message that begins it.
    pub(super) fn next(&mut self, has_begun: bool) -> Option<(Lane, T)> {
        let is_full = self.at_once >= MOST_AT_ONCE;
        let begins = !has_begun && self.queues.contains_key(&Lane::Connection);
        let may_go = |lane: &Lane| match lane {
            Lane::Connection => !is_full,
            Lane::Session(_) => !is_full && !begins,
            Lane::Answers => !begins,
        };
        let place = self.ready.iter().position(may_go)?;
        let lane = self.ready.remove(place)?;
        let queue = self.queues.get_mut(&lane)?;
        let (_, message) = queue.waiting.pop_front()?;
        queue.is_busy = true;
        self.at_once += usize::from(lane != Lane::Answers);
        Some((lane, message))
    }

    /// Lets the next message of a lane go.
    pub(super) fn done(&mut self, lane: Lane) {
        self.at_once -= usize::from(lane != Lane::Answers);
        let Some(queue) = self.queues.get_mut(&lane) else { return };
        queue.is_busy = false;
        if queue.waiting.is_empty() {
            self.queues.remove(&lane);
        } else {
            self.ready.push_back(lane);
        }
    }
}
