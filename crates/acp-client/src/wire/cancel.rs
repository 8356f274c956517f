//! The cancel of one tool call or terminal, which version 2 has.

use acp_rpc::Peer;
use acp_types::v1::{SessionId, TerminalId, ToolCallId};

use crate::Error;
use crate::wire::Wire;
use crate::wire::flow::Flow;
#[cfg(feature = "v2")]
use crate::wire::v2::offers::{Accepted, Cancel};

/// Work of the agent that may be cancelled by itself.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Entity {
    ToolCall(ToolCallId),
    Terminal(TerminalId),
}

impl Entity {
    /// Returns the name of the method, which only version 2 has.
    pub(crate) const fn method(&self) -> &'static str {
        match self {
            Self::ToolCall(_) => "tool_call/cancel",
            Self::Terminal(_) => "terminal/cancel",
        }
    }
}

impl Wire {
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
