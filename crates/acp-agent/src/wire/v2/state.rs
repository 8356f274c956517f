//! The state of a session, as the client is told.

use acp_rpc::Error as RpcError;
use acp_types::method::Method as _;
use acp_types::v1::{PromptResponse, SessionId, StopReason};
use acp_types::v2::{IdleReason, WritesV2, methods};
use serde_core::ser::{Serialize, SerializeMap as _, Serializer};

use super::as_is::member;
#[cfg(feature = "unstable")]
use super::as_is::optional;
use super::meta::meta;

pub(in crate::wire) const UPDATE: &str = methods::SessionUpdate::NAME;

/// The params of a `state_update`.
pub(super) struct StateParams<'a> {
    pub(super) session: &'a SessionId,
    pub(super) state: State<'a>,
}

#[derive(Clone, Copy)]
pub(super) enum State<'a> {
    Running,
    RequiresAction,
    Idle {
        /// The end of the turn, if this reports it.
        reason: Option<Result<&'a PromptResponse, &'a RpcError>>,
    },
}

impl Serialize for StateParams<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut params = serializer.serialize_map(Some(2))?;
        member(&mut params, "sessionId", self.session)?;
        member(&mut params, "update", &self.state)?;
        params.end()
    }
}

impl WritesV2 for State<'_> {}

impl Serialize for State<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut update = serializer.serialize_map(None)?;
        member(&mut update, "sessionUpdate", "state_update")?;
        match self {
            State::Running => member(&mut update, "state", "running")?,
            State::RequiresAction => member(&mut update, "state", "requires_action")?,
            State::Idle { reason } => {
                member(&mut update, "state", "idle")?;
                match reason {
                    None => {}
                    Some(Ok(response)) => {
                        member(&mut update, "stopReason", stop_reason(&response.stop_reason))?;
                        #[cfg(feature = "unstable")]
                        optional(&mut update, "usage", response.usage.as_ref())?;
                        meta(&mut update, response.meta.as_ref())?;
                    }
                    Some(Err(error)) => {
                        member(&mut update, "stopReason", "error")?;
                        member(&mut update, "error", &Failure(error))?;
                    }
                }
            }
        }
        update.end()
    }
}

/// An error of JSON-RPC, which all versions have.
struct Failure<'a>(&'a RpcError);

impl WritesV2 for Failure<'_> {}

impl Serialize for Failure<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

/// Returns the name of the reason. One of the agent's own stays as it is.
fn stop_reason(reason: &StopReason) -> &str {
    let known = match reason {
        StopReason::EndTurn => &IdleReason::EndTurn,
        StopReason::MaxTokens => &IdleReason::MaxTokens,
        StopReason::MaxTurnRequests => &IdleReason::MaxTurnRequests,
        StopReason::Refusal => &IdleReason::Refusal,
        StopReason::Cancelled => &IdleReason::Cancelled,
        own => return own.as_str(),
    };
    known.tag().unwrap_or_default()
}
