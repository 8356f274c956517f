//! The state of a session, as the client is told.

use acp_rpc::Error as RpcError;
use acp_types::method::Method as _;
use acp_types::v1::{PromptResponse, SessionId};
use acp_types::v2::methods;
use serde_core::ser::{Serialize, SerializeMap as _, Serializer};

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
        params.serialize_entry("sessionId", self.session)?;
        params.serialize_entry("update", &self.state)?;
        params.end()
    }
}

impl Serialize for State<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut update = serializer.serialize_map(None)?;
        update.serialize_entry("sessionUpdate", "state_update")?;
        match self {
            State::Running => update.serialize_entry("state", "running")?,
            State::RequiresAction => update.serialize_entry("state", "requires_action")?,
            State::Idle { reason } => {
                update.serialize_entry("state", "idle")?;
                match reason {
                    None => {}
                    Some(Ok(response)) => {
                        update.serialize_entry("stopReason", &response.stop_reason)?;
                        #[cfg(feature = "unstable")]
                        if let Some(usage) = &response.usage {
                            update.serialize_entry("usage", usage)?;
                        }
                        if let Some(meta) = &response.meta {
                            update.serialize_entry("_meta", meta)?;
                        }
                    }
                    Some(Err(error)) => {
                        update.serialize_entry("stopReason", "error")?;
                        update.serialize_entry("error", error)?;
                    }
                }
            }
        }
        update.end()
    }
}
