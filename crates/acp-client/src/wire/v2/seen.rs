//! The messages and states of a session since a prompt that has no answer yet.

use std::collections::VecDeque;

use acp_rpc::CallError;
use acp_types::v1::{MessageId, PromptResponse, StopReason};

use crate::event::{State, StateKind};
use crate::wire::end::{End, Ended};
use crate::wire::moment::{Moment, Read};

/// The number of messages and states that are kept, the newest.
const KEPT: usize = 256;

/// The reason of a turn for which the agent reports none.
const UNREPORTED: &str = "unreported";

/// The messages and states of a session since a prompt that has no answer yet, in order.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// True if the agent was at work before the first one.
    was_busy: bool,
    log: VecDeque<Entry>,
}

#[derive(Debug)]
enum Entry {
    /// A message of the user: it may be the echo of the prompt.
    Message(MessageId, Moment),
    Busy(Moment),
    Idle(Idle),
}

/// A state that may end turns.
#[derive(Clone, Debug)]
pub(super) struct Idle {
    pub(super) state: State,
    pub(super) at: Moment,
    /// True if the agent was at work before.
    pub(super) is_change: bool,
}

impl Seen {
    pub(super) fn since(was_busy: bool) -> Self {
        Self { was_busy, log: VecDeque::new() }
    }

    pub(super) fn message(&mut self, message: &MessageId) {
        if self.echo(message).is_none() {
            self.add(Entry::Message(message.clone(), Moment::now()));
        }
    }

    pub(super) fn busy(&mut self) {
        if !matches!(self.log.back(), Some(Entry::Busy(_))) {
            self.add(Entry::Busy(Moment::now()));
        }
    }

    pub(super) fn idle(&mut self, idle: Idle) {
        self.add(Entry::Idle(idle));
    }

    fn add(&mut self, entry: Entry) {
        if self.log.len() == KEPT {
            match self.log.pop_front() {
                Some(Entry::Busy(_)) => self.was_busy = true,
                Some(Entry::Idle(_)) => self.was_busy = false,
                _ => {}
            }
        }
        self.log.push_back(entry);
    }

    /// Returns the position of a message.
    pub(super) fn echo(&self, message: &MessageId) -> Option<Moment> {
        self.log.iter().find_map(|entry| match entry {
            Entry::Message(id, at) if id == message => Some(*at),
            _ => None,
        })
    }

    /// Returns true if the session was idle at this position.
    pub(super) fn is_idle_at(&self, at: Moment) -> bool {
        let mut is_busy = self.was_busy;
        for entry in &self.log {
            match entry {
                Entry::Busy(busy) if *busy < at => is_busy = true,
                Entry::Idle(idle) if idle.at < at => is_busy = false,
                _ => {}
            }
        }
        !is_busy
    }

    /// Returns the state that ends the turn of a prompt which has its place at this position.
    pub(super) fn end_after(&self, inserted: Moment) -> Option<Idle> {
        let was_idle = self.is_idle_at(inserted);
        self.log.iter().find_map(|entry| match entry {
            Entry::Idle(idle) if idle.at > inserted && idle.ends(was_idle) => Some(idle.clone()),
            _ => None,
        })
    }
}

impl Idle {
    /// Returns true if it ends the turn of a prompt. `was_idle` is true if the session was idle
    /// when the prompt got its place.
    pub(super) const fn ends(&self, was_idle: bool) -> bool {
        self.is_change || was_idle
    }

    /// Returns the end of the turn.
    pub(super) fn into_ended(self) -> Ended {
        let Self { state: State { kind, background, meta }, at, is_change } = self;
        match kind {
            StateKind::Idle { error: Some(error), .. } => Err(CallError::Remote(error)),
            kind => {
                let reason = reason(kind);
                let has_reason = reason.is_some();
                let reason = reason.unwrap_or_else(|| StopReason::Unknown(UNREPORTED.into()));
                let mut response = PromptResponse::new(reason);
                response.meta = meta;
                Ok(Read { value: End { response, has_reason, background, is_doubtful: !is_change }, at })
            }
        }
    }
}

/// Returns the reason of an idle state. An agent need not report one.
fn reason(kind: StateKind) -> Option<StopReason> {
    match kind {
        StateKind::Idle { stop_reason, .. } => stop_reason,
        _ => None,
    }
}
