//! Updates of a session on their way to the client.

use acp_rpc::{CallError, Encode, EncodeError, Peer};
use acp_types::v1::{ProtocolVersion, SessionId, SessionUpdate, ToolCallStatus};

use super::gate::Gate;
use super::piece::Piece;
use super::settings::KnownSettings;
#[cfg(feature = "v2")]
use super::v2;
use super::{Wire, v1};
use crate::error::Error;

/// An update, as it is written to the connection.
#[derive(Clone, Copy)]
pub(crate) struct UpdateParams<'a> {
    wire: &'a Wire,
    session: &'a SessionId,
    update: &'a SessionUpdate,
    #[cfg_attr(not(feature = "v2"), allow(dead_code, reason = "version 2 writes them"))]
    settings: Option<&'a KnownSettings>,
    #[cfg_attr(not(feature = "v2"), allow(dead_code, reason = "version 2 sends what is new"))]
    known_items: Option<usize>,
}

impl<'a> UpdateParams<'a> {
    /// Says how many items of a tool call's content the client has already. The update adds to
    /// them.
    pub(crate) const fn adding_to(mut self, known_items: Option<usize>) -> Self {
        self.known_items = known_items;
        self
    }
}

impl UpdateParams<'_> {
    /// Returns the update itself.
    pub(crate) const fn update(&self) -> &SessionUpdate {
        self.update
    }

    /// Writes the params, and returns the length of the update's own text in them.
    pub(crate) fn write(&self, buffer: &mut Vec<u8>) -> Result<usize, EncodeError> {
        match self.wire {
            Wire::V1 => v1::update::write(self.session, buffer, |buffer| match Piece::of(self.update) {
                Some(piece) => piece.write_v1(buffer),
                None => self.update.encode(buffer),
            }),
            #[cfg(feature = "v2")]
            Wire::V2 => {
                let update = v2::update::Update {
                    update: self.update,
                    settings: self.settings,
                    known_items: self.known_items,
                };
                v1::update::write(self.session, buffer, |buffer| match Piece::of(self.update) {
                    Some(piece) if piece.write_v2(buffer)? => Ok(()),
                    _ => update.encode(buffer),
                })
            }
        }
    }

    /// Returns the version that the update is written in.
    pub(crate) const fn version(&self) -> ProtocolVersion {
        self.wire.version()
    }
}

/// Returns the update's own text, which has this length, out of the text of the params.
pub(crate) fn text(params: &[u8], length: usize) -> &[u8] {
    v1::update::text(params, length)
}

/// Returns the bytes that the update takes on the wire in version 1, apart from its session. In
/// other versions it takes about as many.
pub(crate) fn weight(update: &SessionUpdate) -> usize {
    acp_types::to_string(update).len()
}

/// Returns whether the update is about the connection, or a notice that the vocabulary has no value
/// for, so that a store does not keep it.
#[cfg_attr(
    not(feature = "v2"),
    allow(unused_variables, clippy::missing_const_for_fn, reason = "version 1 has none")
)]
pub(crate) fn is_passing(update: &SessionUpdate) -> bool {
    #[cfg(feature = "v2")]
    if v2::entity::is_control(update) || v2::raw::is_notice(update) {
        return true;
    }
    false
}

impl Encode for UpdateParams<'_> {
    fn encode(&self, buffer: &mut Vec<u8>) -> Result<(), EncodeError> {
        self.write(buffer).map(drop)
    }
}

impl Wire {
    pub(crate) const fn update<'a>(
        &'a self,
        session: &'a SessionId,
        update: &'a SessionUpdate,
        settings: Option<&'a KnownSettings>,
    ) -> UpdateParams<'a> {
        UpdateParams { wire: self, session, update, settings, known_items: None }
    }

    /// Returns whether this version can say the update. `settings` are those that it
    /// [needs](Self::needs_settings).
    #[cfg_attr(
        not(feature = "v2"),
        allow(unused_variables, clippy::missing_const_for_fn, reason = "version 1 is the vocabulary")
    )]
    pub(crate) fn has_form(&self, update: &SessionUpdate, settings: Option<&KnownSettings>) -> bool {
        match self {
            Wire::V1 => true,
            #[cfg(feature = "v2")]
            Wire::V2 => v2::update::has_form(update, settings),
        }
    }

    /// Returns the status of a tool call that nobody works on any more.
    #[cfg_attr(
        not(feature = "v2"),
        allow(unused_variables, clippy::missing_const_for_fn, reason = "version 1 has one status")
    )]
    pub(crate) fn unfinished(&self, is_cancelled: bool) -> ToolCallStatus {
        match self {
            Wire::V1 => ToolCallStatus::Failed,
            #[cfg(feature = "v2")]
            Wire::V2 if is_cancelled => v2::tool_call::cancelled(),
            #[cfg(feature = "v2")]
            Wire::V2 => ToolCallStatus::Failed,
        }
    }

    /// Returns the status of a tool call that waits before it goes on.
    #[cfg_attr(
        not(feature = "v2"),
        allow(clippy::missing_const_for_fn, reason = "version 1 does not have the status")
    )]
    pub(crate) fn paused(&self) -> ToolCallStatus {
        match self {
            Wire::V1 => ToolCallStatus::InProgress,
            #[cfg(feature = "v2")]
            Wire::V2 => v2::tool_call::paused(),
        }
    }

    /// Sends an update, once there is room for it.
    pub(crate) fn send_update<'a>(
        &self,
        peer: &'a Peer,
        params: &'a (impl Encode + Sync),
    ) -> impl Future<Output = Result<(), CallError>> + Send + 'a {
        peer.notify(self.update_method(), params)
    }

    /// Sends an update if there is room for it. Returns whether there was.
    pub(crate) fn try_send_update(&self, peer: &Peer, params: &impl Encode) -> Result<bool, CallError> {
        peer.try_notify(self.update_method(), params)
    }

    /// Sends an update, whether there is room for it or not. A client that is gone needs none.
    pub(crate) fn send_update_now(&self, peer: &Peer, params: &impl Encode) {
        let _ = peer.notify_now(self.update_method(), params);
    }

    /// Returns the reason why an update was not sent.
    pub(crate) fn unsent(&self, gate: &Gate, error: CallError) -> Error {
        match error {
            CallError::Encode { .. } if gate.is_closed() => gate.error(),
            error => self.update_failed(error),
        }
    }

    /// Returns the error of the sender of an update.
    pub(crate) fn update_failed(&self, error: CallError) -> Error {
        Error::call(self.update_method(), error)
    }

    const fn update_method(&self) -> &'static str {
        match self {
            Wire::V1 => v1::update::METHOD,
            #[cfg(feature = "v2")]
            Wire::V2 => v2::state::UPDATE,
        }
    }
}
