//! Reasons why a call or a whole connection failed.

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use acp_json::ReadError;
#[cfg(feature = "process")]
use acp_process::Exit;

use crate::wire::message::Error;

/// The reason why a call did not return a result.
#[derive(Debug)]
#[non_exhaustive]
pub enum CallError {
    /// The peer answered with an error.
    Remote(Error),
    /// The connection ended, or had ended before, so no answer can come.
    Closed(CloseReason),
    /// The peer answered, but its result could not be read as the expected type.
    Read {
        /// The method called.
        method: String,
        /// The problem, and its place in the result.
        error: ReadError,
    },
    /// The peer's answer is not a valid JSON-RPC response.
    Malformed {
        /// The method called.
        method: String,
        /// The problem.
        problem: &'static str,
    },
    /// Too much else came in before the answer, or before there was room to send, so that no more
    /// could be read for its sake: see
    /// [`Options::incoming_ceiling`](crate::Options::incoming_ceiling). If the request had been
    /// sent, the peer was told that it is not wanted any more.
    Overloaded {
        /// The method called.
        method: String,
    },
    /// No answer came in time: see [`Peer::timeout`](crate::Peer::timeout). If the request had been
    /// sent, the peer was told that it is not wanted any more.
    TimedOut {
        /// The method called.
        method: String,
        /// The time that passed.
        after: Duration,
    },
    /// A [layer](crate::layer) of this side did not let it through; nothing was sent.
    Refused {
        /// The method called.
        method: String,
        /// The reason, in words of the layer.
        reason: Cow<'static, str>,
    },
    /// The params could not be written as JSON; nothing was sent.
    Encode {
        /// The method called.
        method: String,
        /// The message of the serialiser.
        message: String,
    },
}

impl CallError {
    /// Returns the error object of the peer's answer, if it answered with one.
    #[must_use]
    pub const fn remote(&self) -> Option<&Error> {
        match self {
            Self::Remote(error) => Some(error),
            _ => None,
        }
    }

    /// Tells whether the peer answered that it cancelled the request (`-32800`).
    #[must_use]
    pub const fn is_cancelled(&self) -> bool {
        matches!(self, Self::Remote(error) if error.code == Error::REQUEST_CANCELLED)
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Remote(error) => error.fmt(f),
            Self::Closed(reason) => write!(f, "the connection is closed, so connect again: {reason}"),
            Self::Read { method, error } => write!(f, "the result of `{method}` cannot be read: {error}"),
            Self::Malformed { method, problem } => {
                write!(f, "the answer to `{method}` is not a valid response: {problem}")
            }
            Self::Overloaded { method } => {
                write!(
                    f,
                    "`{method}` failed, because too much came in before its answer: \
                     handle messages sooner, or raise `incoming_ceiling`"
                )
            }
            Self::TimedOut { method, after } => {
                write!(f, "`{method}` was not answered within {after:?}: try again, or allow it more time")
            }
            Self::Refused { method, reason } => write!(f, "`{method}` was not sent: {reason}"),
            Self::Encode { method, message } => {
                write!(f, "the params of `{method}` cannot be written as JSON: {message}")
            }
        }
    }
}

impl std::error::Error for CallError {}

/// The reason why a connection ended.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum CloseReason {
    /// The peer closed its side. It may have died.
    Eof,
    /// The peer said that it is done. Only a transport that
    /// [can tell](crate::Transport::ends_in_order) has this reason.
    Ended,
    /// This side closed the connection, or dropped its driver.
    Local,
    /// Reading or writing failed.
    Io(Arc<io::Error>),
    /// The peer was a child process and has exited (feature `process`).
    #[cfg(feature = "process")]
    Exited(Exit),
}

impl CloseReason {
    /// Tells that the peer was a child process, and has exited.
    pub(crate) const fn is_exit(&self) -> bool {
        #[cfg(feature = "process")]
        return matches!(self, Self::Exited(_));
        #[cfg(not(feature = "process"))]
        false
    }
}

impl fmt::Display for CloseReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Eof => f.write_str("the peer closed it"),
            Self::Ended => f.write_str("the peer has ended in order"),
            Self::Local => f.write_str("it was closed on this side"),
            Self::Io(error) => error.fmt(f),
            #[cfg(feature = "process")]
            Self::Exited(exit) => exit.fmt(f),
        }
    }
}

impl std::error::Error for CloseReason {}
