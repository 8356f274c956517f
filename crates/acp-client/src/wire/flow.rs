//! The flow of a turn on the wire: how it ends.

use acp_rpc::{CallError, LaneKey, Peer};
use acp_types::v1::{PromptRequest, PromptResponse};

use crate::Error;
use crate::wire::Wire;
use crate::wire::moment::Read;

/// The end of a turn: the agent's response with its position among the updates.
pub(crate) type Ended = Result<Read<PromptResponse>, CallError>;

impl Wire {
    /// Sends a prompt, and calls `ended` at the end of its turn, after all earlier updates of the
    /// session. In version 1 the answer to the prompt is the end. Returns when the prompt is on its
    /// way.
    pub(crate) async fn prompt(
        &self,
        peer: &Peer,
        lane: LaneKey,
        request: &PromptRequest,
        ended: impl FnOnce(Ended) + Send + 'static,
    ) -> Result<(), Error> {
        let begun = match self {
            Self::V1 => peer.begin_then(Some(lane), self.method::<PromptRequest>(), request, ended).await,
        };
        begun.map_err(|error| self.failed::<PromptRequest>(Some(&request.session_id), error))
    }
}
