//! Server-sent events, as they are written.

/// A comment. It says that the stream lives.
pub(crate) const COMMENT: &[u8] = b":\n\n";

/// Appends one message as one event. The message has no line break in it.
pub(crate) fn write_event(buffer: &mut Vec<u8>, id: u64, message: &[u8]) {
    buffer.reserve_exact(message.len() + 32);
    buffer.extend_from_slice(b"id: ");
    buffer.extend_from_slice(id.to_string().as_bytes());
    buffer.extend_from_slice(b"\ndata: ");
    buffer.extend_from_slice(message);
    buffer.extend_from_slice(b"\n\n");
}

/// Appends the comment that tells a reader why there will be no more events, by the code that a
/// WebSocket would be closed with. A reader that does not know it ignores it.
pub(crate) fn write_close(buffer: &mut Vec<u8>, code: u16) {
    buffer.extend_from_slice(format!(": close {code}\n\n").as_bytes());
}
