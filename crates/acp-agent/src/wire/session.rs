//! A session, as its wire has to know it.

#[cfg(feature = "v2")]
use std::sync::Arc;

use acp_rpc::Peer;
use acp_types::v1::{SessionId, SessionUpdate};

use super::Wire;
#[cfg(feature = "v2")]
use super::v2::session::SessionState;

/// The part of a session that the wire remembers between messages. Clones share it.
#[derive(Clone, Debug)]
pub(crate) enum SessionWire {
    V1,
    #[cfg(feature = "v2")]
    V2(Arc<SessionState>),
}

impl Wire {
    /// Begins a session.
    pub(crate) fn session(&self) -> SessionWire {
        match self {
            Wire::V1 => SessionWire::V1,
            #[cfg(feature = "v2")]
            Wire::V2 => SessionWire::V2(Arc::default()),
        }
    }
}

#[cfg_attr(not(feature = "v2"), allow(unused_variables, reason = "version 1 remembers nothing"))]
impl SessionWire {
    /// Gives an update the members that its version requires. Called once for each update, in the
    /// order in which they leave.
    pub(crate) fn complete(&self, update: &mut SessionUpdate) {
        match self {
            SessionWire::V1 => {}
            #[cfg(feature = "v2")]
            SessionWire::V2(state) => state.complete(update),
        }
    }

    /// Gives an update that the agent replays by itself the members that its version requires. They
    /// are the same in each replay of the same updates.
    pub(crate) fn complete_replayed(&self, update: &mut SessionUpdate) {
        match self {
            SessionWire::V1 => {}
            #[cfg(feature = "v2")]
            SessionWire::V2(state) => state.complete_replayed(update),
        }
    }

    /// Reports the session's present state to a client that opens it again (rule `v2-res-05`).
    /// Version 1 says nothing.
    pub(crate) fn report_state(&self, peer: &Peer, session: &SessionId) {
        match self {
            SessionWire::V1 => {}
            #[cfg(feature = "v2")]
            SessionWire::V2(state) => state.report(peer, session),
        }
    }
}
