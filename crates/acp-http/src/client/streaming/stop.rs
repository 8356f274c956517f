//! Names and ends that all tasks of a connection know.

use std::sync::Arc;

use crate::client::error::Error;

/// Names a stream: a session's, or that of the connection.
pub(super) type StreamKey = Option<Arc<str>>;

/// The reason why a connection is over.
#[derive(Debug)]
pub(super) enum Stop {
    /// The connection has ended. Without an error that is the agent's own end.
    Over(Option<Error>),
    Failed(Error),
}
