//! The params of `session/update`.

use acp_rpc::{EncodeError, encode_str};
use acp_types::method::Method as _;
use acp_types::v1::{SessionId, methods};

pub(in crate::wire) const METHOD: &str = methods::SessionUpdate::NAME;

/// Writes the params, and returns the length of the update's text in them. `update` writes that.
pub(in crate::wire) fn write(
    session: &SessionId,
    buffer: &mut Vec<u8>,
    update: impl FnOnce(&mut Vec<u8>) -> Result<(), EncodeError>,
) -> Result<usize, EncodeError> {
    write_head(session, buffer)?;
    let start = buffer.len();
    update(buffer)?;
    let length = buffer.len() - start;
    buffer.push(b'}');
    Ok(length)
}

/// Writes the part of the params that stands before the update, and is the same for all updates of
/// a session.
pub(in crate::wire) fn write_head(session: &SessionId, buffer: &mut Vec<u8>) -> Result<(), EncodeError> {
    buffer.extend_from_slice(br#"{"sessionId":"#);
    encode_str(session.as_str(), buffer)?;
    buffer.extend_from_slice(br#","update":"#);
    Ok(())
}

/// Returns the update's text, which has this length and stands at the end of the params, before a
/// brace. Layers add only to the beginning of the params.
pub(in crate::wire) fn text(params: &[u8], length: usize) -> &[u8] {
    let end = params.len().saturating_sub(1);
    let start = end.saturating_sub(length);
    params.get(start..end).unwrap_or_default()
}
