//! Updates on their way to the client.

use acp_rpc::{Encode, EncodeError};

use crate::store::RecordedUpdate;
use crate::wire::update::UpdateParams;

/// The params of a `session/update` on its way out.
pub(crate) enum OutgoingUpdate<'a> {
    Plain(UpdateParams<'a>),
    /// An update that is recorded as it leaves.
    Recorded(RecordedUpdate<'a>),
}

impl Encode for OutgoingUpdate<'_> {
    fn encode(&self, buffer: &mut Vec<u8>) -> Result<(), EncodeError> {
        match self {
            OutgoingUpdate::Plain(params) => params.encode(buffer),
            OutgoingUpdate::Recorded(kept) => kept.encode(buffer),
        }
    }

    fn leaves(&self, json: &[u8]) -> Result<(), EncodeError> {
        match self {
            OutgoingUpdate::Plain(_) => Ok(()),
            OutgoingUpdate::Recorded(kept) => kept.leaves(json),
        }
    }
}
