//! The state of a session, as the client is told.

use std::sync::atomic::{AtomicU8, Ordering};

use acp_rpc::Error as RpcError;
use acp_types::method::Method as _;
use acp_types::v1::{PromptResponse, SessionId};
use acp_types::v2::methods;
use serde_core::ser::{Serialize, SerializeMap as _, Serializer};

use super::session::SessionState;

pub(in crate::wire) const UPDATE: &str = methods::SessionUpdate::NAME;

/// The params of a `state_update`.
pub(super) struct StateParams<'a> {
    pub(super) of: &'a SessionState,
    pub(super) session: &'a SessionId,
    pub(super) state: State<'a>,
}

/// The phases of a session's foreground.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Phase {
    #[default]
    Idle,
    Running,
    RequiresAction,
}

impl Phase {
    const fn name(self) -> &'static str {
        match self {
            Phase::Idle => "idle",
            Phase::Running => "running",
            Phase::RequiresAction => "requires_action",
        }
    }
}

/// The phase in the last state that was written.
#[derive(Debug, Default)]
pub(super) struct Written(AtomicU8);

impl Written {
    fn get(&self) -> Phase {
        let phases = [Phase::Running, Phase::RequiresAction];
        let phase = self.0.load(Ordering::Acquire);
        phases.into_iter().find(|of| *of as u8 == phase).unwrap_or_default()
    }

    fn set(&self, phase: Phase) {
        self.0.store(phase as u8, Ordering::Release);
    }
}

#[derive(Clone, Copy)]
pub(super) enum State<'a> {
    Running,
    RequiresAction,
    /// The state that was written last.
    Unchanged,
    Idle {
        /// The end of the turn, if this reports it.
        reason: Option<Result<&'a PromptResponse, &'a RpcError>>,
    },
}

impl Serialize for StateParams<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut params = serializer.serialize_map(Some(2))?;
        params.serialize_entry("sessionId", self.session)?;
        params.serialize_entry("update", &Update(self))?;
        params.end()
    }
}

struct Update<'a>(&'a StateParams<'a>);

impl Serialize for Update<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut update = serializer.serialize_map(None)?;
        update.serialize_entry("sessionUpdate", "state_update")?;
        let StateParams { of, state, .. } = self.0;
        let phase = match state {
            State::Running => Phase::Running,
            State::RequiresAction => Phase::RequiresAction,
            State::Unchanged => of.written.get(),
            State::Idle { .. } => Phase::Idle,
        };
        // Messages are written one at a time, so this has the order of the wire.
        of.written.set(phase);
        update.serialize_entry("state", phase.name())?;
        match state {
            State::Running | State::RequiresAction | State::Unchanged => {}
            State::Idle { reason } => match reason {
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
            },
        }
        if of.background.is_reported() {
            update.serialize_entry("background", &of.background)?;
        }
        update.end()
    }
}
