//! The cancel of one tool call or terminal, which version 2 has.

use acp_rpc::Peer;
use acp_types::v1::SessionId;

use crate::Error;
use crate::wire::Wire;
use crate::wire::entity::Entity;
use crate::wire::flow::Flow;
#[cfg(feature = "v2")]
use crate::wire::v2::offers::{Accepted, Cancel};

impl Wire {
    /// Returns true if the agent offers to cancel this entity now.
    pub(crate) fn can_cancel(self, flow: &Flow, entity: &Entity) -> bool {
        match self {
            Self::V1 => {
                let _ = (flow, entity);
                false
            }
            #[cfg(feature = "v2")]
            Self::V2 => flow.offers(entity),
        }
    }

    /// Asks the agent to cancel one tool call or terminal.
    pub(crate) async fn cancel(
        self,
        peer: &Peer,
        (session, flow): (&SessionId, &Flow),
        entity: Entity,
    ) -> Result<(), Error> {
        let method = entity.method();
        match self {
            Self::V1 => {
                let _ = (peer, session, flow);
                let what = "the cancel of a part of a turn";
                Err(Error::Unsupported { method, what, version: self.version() })
            }
            #[cfg(feature = "v2")]
            Self::V2 => {
                if !flow.offers(&entity) {
                    return Err(Error::NotOffered { method, capability: "capabilities.cancel" });
                }
                let answer = peer.request::<_, Accepted>(method, &Cancel::new(session, entity)).await;
                answer.map(drop).map_err(|error| Error::of_call(method, Some(session), error))
            }
        }
    }
}
