//! Messages for a turn that runs: the extension `_session/steering`.

use std::sync::Arc;

use acp_rpc::Peer;
use acp_types::Meta;
use acp_types::method::Method as _;
#[cfg(feature = "v2")]
use acp_types::v1::PromptRequest;
use acp_types::v1::ext::{SteerRequest, SteerResponse, Steering};

use crate::Error;
use crate::wire::Wire;
use crate::wire::flow::Flow;
#[cfg(feature = "v2")]
use crate::wire::v2;

/// The method of the extension.
pub(crate) const METHOD: &str = Steering::NAME;

impl Wire {
    /// Returns true if an agent with this `_meta` in its answer to `initialize` takes messages for
    /// turns that run. In version 2 they are prompts.
    pub(crate) fn can_steer(self, initialized: Option<&Meta>) -> bool {
        match self {
            Self::V1 => Steering::is_offered(initialized),
            #[cfg(feature = "v2")]
            Self::V2 => {
                let _ = initialized;
                true
            }
        }
    }

    /// Returns true if a message would begin a turn where none runs, whatever the client asks for.
    pub(crate) const fn steers_by_prompt(self) -> bool {
        match self {
            Self::V1 => false,
            #[cfg(feature = "v2")]
            Self::V2 => true,
        }
    }

    /// Sends a message for a turn that runs.
    pub(crate) async fn steer(
        self,
        peer: &Peer,
        flow: &Arc<Flow>,
        request: &SteerRequest,
    ) -> Result<SteerResponse, Error> {
        let (method, answer) = match self {
            Self::V1 => {
                let _ = flow;
                (METHOD, peer.request(METHOD, request).await)
            }
            #[cfg(feature = "v2")]
            Self::V2 => (self.method::<PromptRequest>(), v2::steering::steer(peer, flow, request).await),
        };
        answer.map_err(|error| Error::of_call(method, Some(&request.session_id), error))
    }
}
