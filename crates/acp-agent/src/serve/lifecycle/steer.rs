//! The extension `_session/steering`: from the request to the turn that runs.

use std::fmt;
use std::sync::Arc;

use acp_handlers::{Admit, ServeRequest};
use acp_rpc::{Error as RpcError, Reply};
use acp_types::v1::ext::{IdleBehavior, SteerOutcome, SteerRequest, SteerResponse};

use crate::error::{Result, Shown};
use crate::handler::scope::{Call, Handlers, Scope};
use crate::op::Op as _;
use crate::turn::steering_queue::{STEERING_BUDGET, SteeringPlace};
use crate::wire::steering::{Steer, size};

/// Registers the handler of an agent that can be steered, unless it has its own.
pub(crate) fn register<S: Send + Sync + 'static>(handlers: &mut Handlers<S>) {
    if !handlers.serves(Steer::METHOD) {
        let nothing = Arc::new(());
        handlers.serve::<Steer, _, _>(&nothing, |_, call| async move { Ok(call.admission().answer().await) });
    }
}

/// Returns true if a client can steer turns of this agent.
pub(crate) fn is_served<S: Send + Sync + 'static>(handlers: &Handlers<S>) -> bool {
    handlers.serves(Steer::METHOD)
}

/// A message on its way to a turn. It has a place if a turn runs.
pub struct Steered {
    place: Option<SteeringPlace>,
}

impl fmt::Debug for Steered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Steered").field("has_turn", &self.place.is_some()).finish()
    }
}

impl Steered {
    async fn answer(&self) -> SteerResponse {
        let outcome = match &self.place {
            Some(place) => place.settled().await,
            None => None,
        };
        response(outcome)
    }
}

fn response(outcome: Option<SteerOutcome>) -> SteerResponse {
    outcome.map_or_else(SteerResponse::prompt_required, SteerResponse::new)
}

impl<S: Send + Sync + 'static> Admit<Steer> for Scope<S> {
    type Admission = Arc<Steered>;

    /// Finds the turn here, on the reader: messages reach it in the order of the wire.
    fn admit(&self, params: &Arc<SteerRequest>) -> Result<Arc<Steered>, RpcError> {
        if !self.client.wire().has_steering() {
            return Err(RpcError::method_not_found(Steer::METHOD));
        }
        let session = self.connection.sessions.find(&params.session_id)?;
        let offered = &self.client.agent_capabilities().prompt_capabilities;
        offered.check(&params.prompt).map_err(|error| RpcError::invalid_params(error.to_string()))?;
        // A turn that nobody has asked for would have no answer. So the message goes back in any
        // case.
        match params.idle_behavior() {
            Ok(None | Some(IdleBehavior::PromptRequired)) => {}
            Ok(Some(_)) => {
                return Err(RpcError::invalid_params(
                    "`_meta.steering.idleBehavior`: expected `promptRequired`",
                ));
            }
            Err(error) => return Err(RpcError::invalid_params(format!("`_meta.steering`: {error}"))),
        }
        let bytes = size(&params.prompt).map_err(|error| RpcError::internal(error.to_string()))?;
        match session.entry.turns.steer(Arc::clone(params), bytes) {
            Ok(place) => Ok(Arc::new(Steered { place })),
            Err(_) => Err(RpcError::invalid_request(format!(
                "{STEERING_BUDGET} bytes of messages wait for the turn of session `{}` already: wait for an answer, \
                 or cancel some",
                Shown(&params.session_id)
            ))),
        }
    }
}

impl<S: Send + Sync + 'static> ServeRequest<Steer> for Scope<S> {
    type Answer = SteerResponse;

    async fn finish(call: &Call<Steer, S>, outcome: Result<SteerResponse>) -> Result<Reply, RpcError> {
        // A request that is cancelled takes the message back. If the turn was faster, the client
        // has to know.
        let late = |place: &SteeringPlace| place.withdraw().map(|outcome| response(Some(outcome)));
        let outcome = outcome.or_else(|error| call.admission().place.as_ref().and_then(late).ok_or(error));
        call.context().answer(outcome)
    }
}
