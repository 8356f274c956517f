//! The duties of an endpoint, in as few words as possible: lists, searched from the start.

use std::fmt::Debug;

use acp_rpc::Id;
use acp_rpc::endpoint::{Effect, Limits};

use super::lines::{Line, Means};

pub(crate) struct Model {
    limits: Limits,
    next_id: i64,
    /// Ids and waiters of calls, oldest first.
    pending: Vec<(i64, u64)>,
    abandoned: Vec<i64>,
    in_flight: Vec<InFlight>,
    closed: bool,
}

struct InFlight {
    id: Id,
    bytes: usize,
    stopped: bool,
}

impl Model {
    pub(crate) fn new(limits: Limits) -> Self {
        let (pending, abandoned, in_flight) = (Vec::new(), Vec::new(), Vec::new());
        Self { limits, next_id: 0, pending, abandoned, in_flight, closed: false }
    }

    pub(crate) fn call(&mut self, waiter: u64) -> Option<i64> {
        if self.closed {
            return None;
        }
        self.next_id += 1;
        self.pending.push((self.next_id - 1, waiter));
        Some(self.next_id - 1)
    }

    pub(crate) fn retract(&mut self, id: i64) {
        self.pending.retain(|(pending, _)| *pending != id);
    }

    pub(crate) fn abandon(&mut self, id: i64) -> Option<u64> {
        let waiter = self.pending.iter().find(|(pending, _)| *pending == id).map(|(_, waiter)| *waiter)?;
        self.retract(id);
        self.abandoned.push(id);
        Some(waiter)
    }

    pub(crate) fn give_up(&mut self, chosen: impl Fn(u64) -> bool) -> Vec<(i64, u64)> {
        let given_up: Vec<_> = self.pending.iter().copied().filter(|(_, waiter)| chosen(*waiter)).collect();
        for (id, _) in &given_up {
            self.abandon(*id);
        }
        given_up
    }

    pub(crate) fn finished(&mut self, id: &Id) {
        self.in_flight.retain(|handler| handler.id != *id);
    }

    pub(crate) fn close(&mut self) -> Vec<u64> {
        self.closed = true;
        self.abandoned.clear();
        self.pending.drain(..).map(|(_, waiter)| waiter).collect()
    }

    /// Checks that exactly these handlers have been told to stop.
    pub(crate) fn are_stopped(&self, stopped: &[&Id]) -> Result<(), String> {
        let expected = self.in_flight.iter().filter(|handler| handler.stopped).map(|handler| &handler.id);
        let expected: Vec<&Id> = expected.collect();
        if expected.len() == stopped.len() && expected.iter().all(|id| stopped.contains(id)) {
            return Ok(());
        }
        Err(format!("{stopped:?} were stopped, not {expected:?}"))
    }

    /// Returns what must follow from a line, in the words of [`said`].
    pub(crate) fn receive(&mut self, line: &Line) -> String {
        match &line.means {
            Means::Request(id) => self.request(id, line.text.len()),
            Means::Notification => "notify".into(),
            Means::Ignorable => "ignore".into(),
            Means::Cancel(id) => self.cancel(id),
            Means::BadCancel => "bad cancel".into(),
            Means::Result(id) | Means::Error(id) | Means::Malformed(id) => self.response(id),
            Means::Bare(id) => self.deliver(id).unwrap_or_else(|| "refuse null -32600".into()),
            Means::Unaddressed => "unaddressed".into(),
            Means::Invalid(id) => format!("refuse {id} -32600"),
        }
    }

    fn request(&mut self, id: &Id, bytes: usize) -> String {
        let held: usize = self.in_flight.iter().map(|handler| handler.bytes).sum();
        if self.in_flight.iter().any(|handler| handler.id == *id) {
            return format!("refuse {id} -32600");
        }
        if self.in_flight.len() == self.limits.requests || (held > 0 && held + bytes > self.limits.bytes) {
            return format!("refuse {id} -32603");
        }
        self.in_flight.push(InFlight { id: id.clone(), bytes, stopped: false });
        format!("run {id}")
    }

    fn cancel(&mut self, id: &Id) -> String {
        match self.in_flight.iter_mut().find(|handler| handler.id == *id) {
            Some(handler) => {
                handler.stopped = true;
                "cancelled".into()
            }
            None => "ignore".into(),
        }
    }

    fn response(&mut self, id: &Id) -> String {
        if let Some(delivered) = self.deliver(id) {
            return delivered;
        }
        match self.abandoned.iter().position(|abandoned| Id::Int(*abandoned) == *id) {
            Some(index) => {
                self.abandoned.remove(index);
                "ignore".into()
            }
            None => format!("unknown {id}"),
        }
    }

    fn deliver(&mut self, id: &Id) -> Option<String> {
        let index = self.pending.iter().position(|(pending, _)| Id::Int(*pending) == *id)?;
        let (_, waiter) = self.pending.remove(index);
        Some(format!("deliver {id} to {waiter}"))
    }
}

/// Names an effect in one word or two.
pub(crate) fn said<W: Debug, T>(effect: &Effect<'_, W, T>) -> String {
    match effect {
        Effect::Run { id, .. } => format!("run {id}"),
        Effect::Notify { .. } => "notify".into(),
        Effect::Deliver { id, waiter, .. } => format!("deliver {id} to {waiter:?}"),
        Effect::Refuse { id, error } => format!("refuse {id} {}", error.code),
        Effect::Cancel { .. } => "cancelled".into(),
        Effect::Ignore => "ignore".into(),
        Effect::UnknownResponse { id } => format!("unknown {id}"),
        Effect::Unaddressed { .. } => "unaddressed".into(),
        Effect::BadCancel => "bad cancel".into(),
    }
}
