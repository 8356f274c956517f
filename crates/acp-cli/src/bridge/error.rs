//! Failures of a bridge, and errors on their way from one side to the other.

use std::fmt;
use std::io;

use acp_client::{CallError, CloseReason};

/// A failure of a bridge.
#[derive(Debug)]
#[non_exhaustive]
pub enum BridgeError {
    /// The agent did not start, or the versions do not fit.
    Connect(acp_client::Error),
    /// The agent ended before the client did.
    Ended {
        /// The reason.
        reason: CloseReason,
        /// The agent's last lines on stderr.
        stderr: String,
    },
    /// The connection to the client failed.
    Serve(acp_agent::Error),
    /// The client's first message could not be read.
    Io(io::Error),
}

impl fmt::Display for BridgeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connect(error) => write!(f, "{error}"),
            Self::Ended { reason, stderr } if stderr.is_empty() => {
                write!(f, "the agent ended before the client did: {reason}")
            }
            Self::Ended { reason, stderr } => {
                write!(f, "the agent ended before the client did: {reason}; its last words: {stderr}")
            }
            Self::Serve(error) => write!(f, "the connection to the client failed: {error}"),
            Self::Io(error) => write!(f, "the client cannot be read: {error}"),
        }
    }
}

impl std::error::Error for BridgeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Connect(error) => Some(error),
            Self::Ended { reason, .. } => Some(reason),
            Self::Serve(error) => Some(error),
            Self::Io(error) => Some(error),
        }
    }
}

/// Converts an error of the agent for the client. An error object goes through unchanged.
pub(super) fn of_agent(error: acp_client::Error) -> acp_agent::Error {
    match error {
        acp_client::Error::Agent { error, .. } => acp_agent::Error::Rpc(error),
        other => acp_agent::Error::Rpc(other.into_rpc()),
    }
}

/// Converts an error of the client for the agent. An error object goes through unchanged.
pub(super) fn of_client(error: acp_agent::Error) -> acp_client::Error {
    match error {
        acp_agent::Error::Call { error, .. } => of_call(error),
        other => acp_client::Error::Rpc(other.into_rpc()),
    }
}

/// Converts the error of a request to the client for the agent.
pub(super) fn of_call(error: CallError) -> acp_client::Error {
    match error {
        CallError::Remote(error) => acp_client::Error::Rpc(error),
        other => acp_client::Error::other(other),
    }
}
