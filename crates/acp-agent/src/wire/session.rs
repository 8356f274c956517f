//! A session, as its wire has to know it.

#[cfg(feature = "v2")]
use std::sync::Arc;

use acp_rpc::Peer;
use acp_types::v1::{ClientCapabilities, SessionId, SessionUpdate};

use super::loss::Losses;
#[cfg(feature = "v2")]
use super::v2::session::SessionState;
use super::{Wire, v1};

/// The part of a session that the wire remembers between messages. Clones share it.
#[derive(Clone, Debug)]
pub(crate) enum SessionWire {
    V1(v1::session::SessionState),
    #[cfg(feature = "v2")]
    V2(Arc<SessionState>),
}

impl Wire {
    /// Begins a session with a client of these capabilities.
    pub(crate) fn session(&self, client: &ClientCapabilities) -> SessionWire {
        match self {
            Wire::V1 => SessionWire::V1(v1::session::SessionState::new(client)),
            #[cfg(feature = "v2")]
            Wire::V2 => SessionWire::V2(Arc::default()),
        }
    }
}

#[cfg_attr(not(feature = "v2"), allow(unused_variables, reason = "version 1 remembers nothing"))]
impl SessionWire {
    /// Gives an update the members that its version requires. Called once for each update, in the
    /// order in which they leave. Returns what is lost by that. `None` means that the client is
    /// told nothing.
    pub(crate) fn complete(&self, update: &mut SessionUpdate) -> Option<Losses> {
        match self {
            SessionWire::V1(state) => state.complete(update),
            #[cfg(feature = "v2")]
            SessionWire::V2(state) => {
                state.complete(update);
                Some(Losses::default())
            }
        }
    }

    /// Takes an update that has left. Its memory may serve the next one.
    pub(crate) fn has_left(&self, update: SessionUpdate) {
        match self {
            SessionWire::V1(_) => drop(update),
            #[cfg(feature = "v2")]
            SessionWire::V2(state) => state.has_left(update),
        }
    }

    /// Gives an update that the agent replays by itself the members that its version requires. They
    /// are the same in each replay of the same updates. Returns the losses like
    /// [`complete`](Self::complete).
    pub(crate) fn complete_replayed(&self, update: &mut SessionUpdate) -> Option<Losses> {
        match self {
            SessionWire::V1(state) => state.complete(update),
            #[cfg(feature = "v2")]
            SessionWire::V2(state) => {
                state.complete_replayed(update);
                Some(Losses::default())
            }
        }
    }

    /// Gives the last form of a plan, when its turn is over, the members that its version requires.
    /// Returns false if the client is told nothing.
    pub(crate) fn closes_plan(&self, plan: &mut SessionUpdate) -> bool {
        match self {
            SessionWire::V1(state) => state.closes_plan(plan),
            #[cfg(feature = "v2")]
            SessionWire::V2(_) => true,
        }
    }

    /// Reports the session's present state to a client that opens it again (rule `v2-res-05`).
    /// Version 1 says nothing.
    pub(crate) fn report_state(&self, peer: &Peer, session: &SessionId) {
        match self {
            SessionWire::V1(_) => {}
            #[cfg(feature = "v2")]
            SessionWire::V2(state) => state.report(peer, session),
        }
    }
}
