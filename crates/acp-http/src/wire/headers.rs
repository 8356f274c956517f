//! Names of headers, and ids that can be their values.

use http::HeaderName;

/// The header that carries the id of a connection.
pub(crate) const CONNECTION_ID: HeaderName = HeaderName::from_static("acp-connection-id");
/// The header that carries the id of a session.
pub(crate) const SESSION_ID: HeaderName = HeaderName::from_static("acp-session-id");

/// The longest id of a session that a header may carry, in bytes.
const LONGEST_ID: usize = 1024;

/// Returns true if the id can be the value of a header. Sessions with other ids have no stream.
pub(crate) fn fits_header(id: &str) -> bool {
    (1..=LONGEST_ID).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_graphic())
}
