//! Requests that are not answered, in both directions.

use std::collections::HashMap;
use std::sync::Arc;

use acp_rpc::Id;

/// The most requests of the agent whose session is remembered.
const MOST_ASKED: usize = 4096;

/// The consequence of an answer for the streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// It names a session that is new.
    Opens,
    /// Its session is known from now on.
    Confirms,
    /// Its session is gone.
    Ends,
    None,
}

/// A request of this side that has no answer yet.
#[derive(Clone, Debug)]
pub(super) struct Open {
    pub(super) session: Option<Arc<str>>,
    pub(super) effect: Effect,
    /// The agent may have got it.
    is_sent: bool,
}

#[derive(Debug, Default)]
pub(super) struct Ledger {
    open: HashMap<Id, Open>,
    /// The session of each request of the agent.
    asked: HashMap<Id, Arc<str>>,
}

impl Ledger {
    /// Notes a request of this side.
    pub(super) fn noted(&mut self, id: Id, method: &str, session: Option<Arc<str>>) {
        self.open.insert(id, Open { session, effect: Effect::of(method), is_sent: false });
    }

    /// Notes that a request is on its way.
    pub(super) fn sent(&mut self, id: &Id) {
        if let Some(open) = self.open.get_mut(id) {
            open.is_sent = true;
        }
    }

    /// Returns true if the agent may be working on a request of this session.
    pub(super) fn is_waited_for(&self, session: &str) -> bool {
        self.open.values().any(|open| open.is_sent && open.session.as_deref() == Some(session))
    }

    /// Takes the request that has an answer now. Each has one at most.
    pub(super) fn answered(&mut self, id: &Id) -> Option<Open> {
        self.open.remove(id)
    }

    /// Notes a request of the agent.
    pub(super) fn asked(&mut self, id: &Id, session: Arc<str>) {
        if self.asked.len() < MOST_ASKED {
            self.asked.insert(id.clone(), session);
        }
    }

    /// Returns the session of a request of the agent.
    pub(super) fn asked_in(&self, id: &Id) -> Option<Arc<str>> {
        self.asked.get(id).cloned()
    }

    /// Returns the session of the request that this side answers now.
    pub(super) fn session_of(&mut self, id: &Id) -> Option<Arc<str>> {
        self.asked.remove(id)
    }
}

impl Effect {
    fn of(method: &str) -> Self {
        match method {
            "session/new" | "session/fork" => Self::Opens,
            "session/load" | "session/resume" => Self::Confirms,
            "session/close" | "session/delete" => Self::Ends,
            _ => Self::None,
        }
    }
}
