//! Updates that are pieces of messages.

use acp_rpc::{Encode as _, EncodeError};
use acp_types::v1::SessionUpdate;
use serde_core::ser::Error as _;

/// Writes the update. Pieces of messages look as in version 1, and have an id.
pub(in crate::wire) fn write(update: &SessionUpdate, buffer: &mut Vec<u8>) -> Result<(), EncodeError> {
    match update {
        SessionUpdate::AgentMessageChunk(_)
        | SessionUpdate::AgentThoughtChunk(_)
        | SessionUpdate::UserMessageChunk(_) => update.encode(buffer),
        _ => Err(EncodeError::custom("this update has no form in version 2 yet")),
    }
}
