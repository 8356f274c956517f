//! Messages for a turn that runs: a second prompt. The agent may take it into the turn, hold it
//! until the turn is over, or refuse it.

use std::sync::Arc;

use acp_rpc::{CallError, Peer};
use acp_types::Meta;
use acp_types::v1::PromptRequest;
use acp_types::v1::ext::{SteerOutcome, SteerRequest, SteerResponse};

use super::accepted::Accepted;
use super::message::{MethodOfV2 as _, Params};
use crate::wire::flow::Flow;
use crate::wire::moment::Read;

/// The name in `_meta` of the extension that version 1 has for this.
const EXTENSION: &str = "steering";

/// Sends the message, and returns when the agent has taken it or refused it. An agent that is at
/// work and takes no second prompt refuses it with an invalid request.
pub(in crate::wire) async fn steer(
    peer: &Peer,
    flow: &Arc<Flow>,
    request: &SteerRequest,
) -> Result<SteerResponse, CallError> {
    let mut prompt = PromptRequest::new(request.session_id.clone(), request.prompt.clone());
    // A convention of the extension, which has no meaning for a prompt.
    let meta =
        request.meta.iter().flat_map(|meta| meta.as_map().iter()).filter(|(name, _)| *name != EXTENSION);
    let meta = meta.fold(Meta::new(), |meta, (name, value)| meta.with(name, value.clone()));
    prompt.meta = Some(meta).filter(|meta| !meta.as_map().is_empty());
    let number = flow.turns().sent(Box::new(drop));
    let mut sent = Sent { flow, number: Some(number) };
    let answer = peer.request::<_, Read<Accepted>>(PromptRequest::METHOD, &Params(&prompt)).await;
    match answer {
        Ok(accepted) => {
            sent.number = None;
            let mut turns = flow.turns();
            let is_injected = turns.meets_work(number, &accepted);
            let ended = turns.answered(number, Ok(accepted));
            drop(turns);
            drop(ended);
            let outcome = if is_injected { SteerOutcome::Injected } else { SteerOutcome::StartedNewTurn };
            Ok(SteerResponse::new(outcome))
        }
        Err(CallError::Remote(error)) if error.code == acp_rpc::Error::INVALID_REQUEST => {
            Ok(SteerResponse::new(SteerOutcome::PromptRequired))
        }
        Err(error) => Err(error),
    }
}

/// A prompt without an answer. Its drop forgets it.
struct Sent<'f> {
    flow: &'f Arc<Flow>,
    number: Option<u64>,
}

impl Drop for Sent<'_> {
    fn drop(&mut self) {
        let forgotten = self.number.and_then(|number| self.flow.turns().forget(number));
        drop(forgotten);
    }
}
