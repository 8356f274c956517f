//! Servers that refuse the credentials, and the options that give others.

use std::error::Error as StdError;
use std::fmt;
use std::io;

use acp_client::{CloseReason, Error};

/// The options of this program, for an error that asks for credentials.
const OPTIONS: &str = "by `--token-file FILE` or in the variable ACP_TOKEN";

/// An error of a server that refuses the credentials. Its text names the options for them.
#[derive(Debug)]
pub(crate) struct Denied(Error);

impl Denied {
    /// Takes an error of a connection, or returns it if it has another cause.
    pub(crate) fn of(error: Error) -> Result<Self, Error> {
        let cause = match &error {
            Error::Connect { error } => Some(error),
            Error::Closed { reason: CloseReason::Io(error), .. } => Some(&**error),
            _ => None,
        };
        if cause.is_some_and(asks) { Ok(Self(error)) } else { Err(error) }
    }
}

/// Returns the text of an error of a transport. It names the options if they can help.
pub(crate) fn told(error: &io::Error) -> String {
    if asks(error) { format!("{error}, {OPTIONS}") } else { error.to_string() }
}

/// Returns true if the text of an error asks for credentials.
fn asks(error: &io::Error) -> bool {
    let status = acp_http::Error::of(error).and_then(acp_http::Error::status);
    matches!(status, Some(401 | 403))
}

impl fmt::Display for Denied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {OPTIONS}", self.0)
    }
}

impl StdError for Denied {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(&self.0)
    }
}
