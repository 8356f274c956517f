//! The state of a session, as the client is told.

use std::sync::atomic::{AtomicU8, Ordering};

use acp_rpc::Error as RpcError;
use acp_types::method::Method as _;
use acp_types::v1::{PromptResponse, SessionId, StopReason};
use acp_types::v2::{IdleReason, WritesV2, methods};
use serde_core::ser::{Serialize, SerializeMap as _, Serializer};

#[cfg(feature = "unstable")]
use super::as_is::optional;
use super::as_is::{member, meta};
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
        member(&mut params, "sessionId", self.session)?;
        member(&mut params, "update", &Update(self))?;
        params.end()
    }
}

struct Update<'a>(&'a StateParams<'a>);

impl WritesV2 for Update<'_> {}

impl Serialize for Update<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut update = serializer.serialize_map(None)?;
        member(&mut update, "sessionUpdate", "state_update")?;
        let StateParams { of, state, .. } = self.0;
        let phase = match state {
            State::Running => Phase::Running,
            State::RequiresAction => Phase::RequiresAction,
            State::Unchanged => of.written.get(),
            State::Idle { .. } => Phase::Idle,
        };
        // Messages are written one at a time, so this has the order of the wire.
        of.written.set(phase);
        member(&mut update, "state", phase.name())?;
        if let State::Idle { reason } = state {
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
        if of.background.is_reported() {
            member(&mut update, "background", &of.background)?;
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
