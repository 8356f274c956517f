//! Params of `session/update`.

use acp_rpc::{Encode as _, EncodeError};
use acp_types::v1::SessionId;

/// Writes the params of a `session/update`. `update` writes the update itself.
pub(crate) fn encode_params(
    session: &SessionId,
    buffer: &mut Vec<u8>,
    update: impl FnOnce(&mut Vec<u8>) -> Result<(), EncodeError>,
) -> Result<(), EncodeError> {
    buffer.extend_from_slice(br#"{"sessionId":"#);
    session.encode(buffer)?;
    buffer.extend_from_slice(br#","update":"#);
    update(buffer)?;
    buffer.push(b'}');
    Ok(())
}
