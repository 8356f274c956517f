//! Failures on the way to an agent of another machine.

use std::fmt;
use std::io;
use std::time::Duration;

/// The close code of a WebSocket for a credential that ended, or a limit that was broken.
const POLICY: u16 = 1008;

/// A failure on the way to an agent of another machine.
///
/// It is the error of [`Remote::connect`](super::Remote::connect). It is also inside the
/// [`io::Error`] that ends a connection: see [`Error::of`].
///
/// An error never repeats payloads, tokens or the address.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The address cannot be used.
    Url {
        /// The problem.
        problem: &'static str,
    },
    /// The client could not be set up.
    Setup {
        /// The problem.
        problem: String,
    },
    /// The server could not be reached. Nothing was sent.
    Unreachable {
        /// The exchange.
        exchange: Exchanged,
        /// The problem.
        problem: String,
    },
    /// The exchange broke off. The server may have taken the message.
    Network {
        /// The exchange.
        exchange: Exchanged,
        /// The problem.
        problem: String,
    },
    /// The server did not answer in time. It may have taken the message.
    TimedOut {
        /// The exchange.
        exchange: Exchanged,
        /// The time that passed.
        after: Duration,
    },
    /// The server answered with a failure status.
    Refused {
        /// The exchange.
        exchange: Exchanged,
        /// The status.
        status: u16,
    },
    /// The server answered with something else than the protocol asks for.
    Unexpected {
        /// The exchange.
        exchange: Exchanged,
        /// The problem.
        problem: &'static str,
    },
    /// The connection ended, and not in order: see the code.
    Closed {
        /// The close code of the WebSocket, if the server sent one. Over HTTP, servers of this
        /// crate send one too.
        code: Option<u16>,
    },
    /// Nothing came from the server for too long, although it has to send signs of life.
    Silent {
        /// The time of silence.
        after: Duration,
    },
    /// A message is longer than the limit.
    TooLong {
        /// The limit in bytes.
        limit: usize,
    },
}

impl Error {
    /// Finds the error in the one that ended a connection, such as that of `CloseReason::Io`.
    #[must_use]
    pub fn of(error: &io::Error) -> Option<&Self> {
        error.get_ref()?.downcast_ref()
    }

    /// Returns true if the server refuses the credentials. Connecting again does not help then.
    #[must_use]
    pub const fn is_denied(&self) -> bool {
        matches!(self, Self::Refused { status: 401 | 403, .. } | Self::Closed { code: Some(POLICY) })
    }

    /// Returns the status of the server's answer, if that is the problem.
    #[must_use]
    pub const fn status(&self) -> Option<u16> {
        match self {
            Self::Refused { status, .. } => Some(*status),
            _ => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Url { problem } => write!(f, "the address of the agent cannot be used: {problem}"),
            Self::Setup { problem } => write!(f, "the client cannot be set up: {problem}"),
            Self::Unreachable { exchange, problem } => {
                write!(f, "the server could not be reached for {exchange}: {problem}; is the address right?")
            }
            Self::Network { exchange, problem } => write!(f, "{exchange} failed: {problem}"),
            Self::TimedOut { exchange, after } => {
                write!(f, "the server did not answer {exchange} within {after:?}")
            }
            Self::Refused { exchange, status } if matches!(status, 401 | 403) => {
                write!(f, "the server refused {exchange} with status {status}: give it valid credentials")
            }
            // Later, 404 is the end of a connection or a session.
            Self::Refused { exchange, status: 404 } if exchange.is_first() => write!(
                f,
                "the server refused {exchange} with status 404: is the path of the address right? It is often `/acp`"
            ),
            Self::Refused { exchange, status } => {
                write!(f, "the server refused {exchange} with status {status}")
            }
            Self::Unexpected { exchange, problem } => {
                write!(f, "the answer to {exchange} is unusable: {problem}")
            }
            Self::Closed { code: Some(code) } => {
                write!(f, "the server closed the connection with code {code}")
            }
            Self::Closed { code: None } => f.write_str("the WebSocket broke off: connect again"),
            Self::Silent { after } => write!(f, "nothing came from the server for {after:?}: connect again"),
            Self::TooLong { limit } => write!(f, "a message is longer than the limit of {limit} bytes"),
        }
    }
}

impl std::error::Error for Error {}

impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        use io::ErrorKind;
        let kind = match &error {
            error if error.is_denied() => ErrorKind::PermissionDenied,
            Error::Url { .. } | Error::Setup { .. } => ErrorKind::InvalidInput,
            Error::TimedOut { .. } | Error::Silent { .. } => ErrorKind::TimedOut,
            Error::TooLong { .. } | Error::Unexpected { .. } => ErrorKind::InvalidData,
            Error::Closed { .. } => ErrorKind::UnexpectedEof,
            Error::Unreachable { .. } => ErrorKind::NotConnected,
            _ => ErrorKind::Other,
        };
        Self::new(kind, error)
    }
}

/// The verb of the request for a WebSocket.
pub(super) const OPENING: &str = "upgrade to a WebSocket";

/// An HTTP request that this side made, as errors show it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Exchanged {
    /// The HTTP verb.
    pub verb: &'static str,
    /// The method of the message in it, if there is one with a method.
    pub method: Option<String>,
    /// The session that it concerns.
    pub session: Option<String>,
}

impl Exchanged {
    pub(super) fn new(verb: &'static str, method: Option<&str>, session: Option<&str>) -> Self {
        Self { verb, method: method.map(str::to_owned), session: session.map(str::to_owned) }
    }

    /// Returns true for the first request of a connection.
    fn is_first(&self) -> bool {
        self.verb == OPENING || self.method.as_deref() == Some("initialize")
    }
}

impl fmt::Display for Exchanged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.method {
            Some(method) => write!(f, "the {} of `{method}`", self.verb)?,
            None => write!(f, "the {}", self.verb)?,
        }
        match &self.session {
            Some(session) => write!(f, " (session `{session}`)"),
            None => Ok(()),
        }
    }
}
