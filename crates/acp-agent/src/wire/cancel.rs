//! The offer to cancel a part of a session by itself.

#[cfg(feature = "v2")]
use acp_json::Node;
use acp_rpc::CancellationToken;
#[cfg(feature = "v2")]
use acp_rpc::{Error as RpcError, Reply};
#[cfg(feature = "v2")]
use acp_types::v1::SessionId;
use acp_types::v1::SessionUpdate;

#[cfg(feature = "v2")]
use super::Wire;
use super::entity::Entity;
use super::session::SessionWire;
#[cfg(feature = "v2")]
use super::v2;

#[cfg(feature = "v2")]
impl Wire {
    /// Reads a request to cancel a part of a session. Returns `None` for another method.
    pub(crate) fn cancelled_entity(
        &self,
        method: &str,
        params: &Node<'_>,
    ) -> Option<Result<(SessionId, Entity), RpcError>> {
        match self {
            Wire::V1 => None,
            Wire::V2 => v2::entity::cancelled(method, params),
        }
    }

    /// Writes the answer to such a request.
    pub(crate) fn cancelling_entity(&self) -> Reply {
        v2::entity::answer()
    }
}

#[cfg_attr(not(feature = "v2"), allow(unused_variables, reason = "version 1 has no such offer"))]
impl SessionWire {
    /// Lets the client cancel a part of the session, which fires the token. Returns the update that
    /// tells it so. In version 1 clients cannot do that.
    pub(crate) fn offer_cancel(&self, entity: &Entity, token: &CancellationToken) -> Option<SessionUpdate> {
        match self {
            SessionWire::V1(_) => None,
            #[cfg(feature = "v2")]
            SessionWire::V2(state) => Some(state.offer_cancel(entity, token)),
        }
    }

    /// Takes the offer back. Returns the update that tells the client so, if there was an offer.
    pub(crate) fn withdraw_cancel(&self, entity: &Entity) -> Option<SessionUpdate> {
        match self {
            SessionWire::V1(_) => None,
            #[cfg(feature = "v2")]
            SessionWire::V2(state) => state.withdraw_cancel(entity),
        }
    }

    /// Returns the token of a part of the session; `None` without an offer.
    #[cfg(feature = "v2")]
    pub(crate) fn offered(&self, entity: &Entity) -> Option<CancellationToken> {
        match self {
            SessionWire::V1(_) => None,
            SessionWire::V2(state) => state.offered(entity),
        }
    }
}
