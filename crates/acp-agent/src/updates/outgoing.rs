//! Updates on their way to the client.

use acp_rpc::{Encode, EncodeError};
use acp_types::v1::{SessionId, SessionUpdate};

use crate::store::RecordedUpdate;
use crate::wire::session_update::encode_params;

/// The params of a `session/update` on its way out.
pub(crate) enum OutgoingUpdate<'a> {
    Plain {
        session: &'a SessionId,
        update: &'a SessionUpdate,
    },
    /// An update that is recorded as it leaves.
    Recorded(RecordedUpdate<'a>),
}

impl Encode for OutgoingUpdate<'_> {
    fn encode(&self, buffer: &mut Vec<u8>) -> Result<(), EncodeError> {
        match self {
            OutgoingUpdate::Plain { session, update } => {
                encode_params(session, buffer, |buffer| update.encode(buffer))
            }
            OutgoingUpdate::Recorded(kept) => kept.encode(buffer),
        }
    }

    fn leaves(&self, json: &[u8]) -> Result<(), EncodeError> {
        match self {
            OutgoingUpdate::Plain { .. } => Ok(()),
            OutgoingUpdate::Recorded(kept) => kept.leaves(json),
        }
    }
}
