//! Work of a session that goes on beside its turns.

use acp_rpc::Peer;
use acp_types::v1::{SessionId, ToolCallId};

use super::gate::Gate;
use super::session::SessionWire;

#[cfg_attr(not(feature = "v2"), allow(unused_variables, reason = "version 1 does not know such work"))]
impl SessionWire {
    /// Returns whether clients see background work.
    pub(crate) const fn shows_background(&self) -> bool {
        match self {
            SessionWire::V1(_) => false,
            #[cfg(feature = "v2")]
            SessionWire::V2(_) => true,
        }
    }

    /// Reports that a tool call is background work from here on, or that it is not any more.
    pub(crate) fn background(
        &self,
        peer: &Peer,
        session: &SessionId,
        gate: &Gate,
        call: &ToolCallId,
        runs: bool,
    ) {
        match self {
            SessionWire::V1(_) => {}
            #[cfg(feature = "v2")]
            SessionWire::V2(state) => state.background(peer, session, gate, call, runs),
        }
    }
}
