mod display;
mod reason;

use std::borrow::Cow;
use std::io;
use std::time::Duration;

use acp_rpc::{CallError, CloseReason};
use acp_types::v1::{ErrorCode, ProtocolVersion, SessionId};

pub use self::reason::Reason;
use crate::RpcError;

/// The result of a handler, and of most calls.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What can go wrong between a client and its agent.
///
/// A handler that returns one answers the agent's request with a JSON-RPC error: see [`Error::into_rpc`]. Text and
/// errors of other libraries become errors with `?`:
///
/// ```
/// # use acp_client::{Error, Result};
/// fn read() -> Result<String> {
///     let text = std::fs::read_to_string("notes.txt")?;
///     text.lines().next().map(str::to_owned).ok_or(Error::from("the notes are empty"))
/// }
/// ```
///
/// `Display` is for the user. It names the method, the field and the session concerned, and what to do where that is
/// known. It shows the exit status and the last lines of stderr of an agent that died; and of an error that the agent
/// answered with its message, its code and the [reason](RpcError::reason) in its `data`. `Debug` never shows `data`, so
/// it is the one to log.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The agent's program could not be started.
    Start {
        /// The program.
        program: String,
        /// Why.
        error: io::Error,
    },
    /// The agent speaks another version of the protocol. The connection was closed.
    Version {
        /// The version that was asked for.
        asked: ProtocolVersion,
        /// The version the agent answered with.
        answered: ProtocolVersion,
    },
    /// The agent did not answer `initialize` in time. The connection was closed.
    InitializeTimeout {
        /// How long was waited.
        waited: Duration,
        /// The last lines the agent wrote to stderr.
        stderr: String,
    },
    /// The agent did not advertise what this call needs. Nothing was sent.
    NotOffered {
        /// The method.
        method: &'static str,
        /// The capability that is missing, as it is written in the initialize or session response.
        capability: &'static str,
    },
    /// A block of a prompt is of a kind that the agent does not take. Nothing was sent.
    Content {
        /// The session.
        session: SessionId,
        /// Which block, from 0.
        block: usize,
        /// Its kind.
        kind: String,
        /// The capability that would allow it; `None` when no capability does.
        capability: Option<&'static str>,
    },
    /// An argument that the protocol does not allow. Nothing was sent.
    Argument {
        /// The method.
        method: &'static str,
        /// The field.
        field: &'static str,
        /// What is wrong with it.
        problem: String,
    },
    /// Another turn of the session is running, or has not been read to its end. Nothing was sent.
    Busy {
        /// The session.
        session: SessionId,
    },
    /// The session was closed or deleted. Nothing was sent.
    SessionClosed {
        /// The method.
        method: &'static str,
        /// The session.
        session: SessionId,
    },
    /// The turn was cancelled, and the agent has not ended it in [the time it has](crate::Connect::cancel_timeout).
    /// The session takes no prompt until it has.
    CancelTimeout {
        /// The session.
        session: SessionId,
        /// How long was waited.
        waited: Duration,
    },
    /// The agent was restarted, and the session could not be taken up again. It is tried once more with the next
    /// restart.
    NotRestored {
        /// The session.
        session: SessionId,
        /// Why.
        reason: Reason,
    },
    /// The agent ended, and was not to be brought back.
    GivenUp {
        /// How many restarts were tried in a row.
        restarts: u32,
        /// Why the last one failed; without one, why the agent ended.
        reason: Reason,
    },
    /// The agent answered with an error.
    Agent {
        /// The method.
        method: String,
        /// The session, where the method concerns one.
        session: Option<SessionId>,
        /// What the agent answered.
        error: RpcError,
    },
    /// The connection is over: no answer can come.
    Closed {
        /// The method.
        method: String,
        /// The session, where the method concerns one.
        session: Option<SessionId>,
        /// Why it is over.
        reason: CloseReason,
    },
    /// Two clients of the connection serve the same method. Nothing was started.
    ServedTwice {
        /// The method; of `elicitation/create` also the mode.
        method: String,
        /// The types of the two.
        clients: [String; 2],
    },
    /// A capability stands for several methods, of which the clients of the connection serve only some. Nothing was
    /// started.
    Incomplete {
        /// The capability.
        capability: &'static str,
        /// The methods that have no handler.
        missing: Vec<&'static str>,
    },
    /// The agent's request is to be answered with this very error object.
    Rpc(RpcError),
    /// Reading or writing failed in a handler.
    Io(io::Error),
    /// Any other error of a handler.
    Other(Box<dyn std::error::Error + Send + Sync>),
    /// The answer, or what was to be sent, could not be made out.
    Call {
        /// The session, where the method concerns one.
        session: Option<SessionId>,
        /// What is wrong, with the method.
        error: CallError,
    },
}

impl Error {
    pub(crate) fn of_call(method: &str, session: Option<&SessionId>, error: CallError) -> Self {
        let (method, session) = (method.to_owned(), session.cloned());
        match error {
            CallError::Remote(error) => Self::Agent { method, session, error },
            CallError::Closed(reason) => Self::Closed { method, session, reason },
            error => Self::Call { session, error },
        }
    }

    /// `-32602`: the agent's request asks for something that is not possible. Say which field, and what would be.
    #[must_use]
    pub fn invalid_params(message: impl Into<Cow<'static, str>>) -> Self {
        Self::Rpc(RpcError::invalid_params(message))
    }

    /// `-32002`: something that the agent's request names does not exist, such as a file (rule v1-fs-06).
    ///
    /// ```
    /// # use acp_client::Error;
    /// let error = Error::not_found("`path`: no such file").into_rpc();
    /// assert_eq!((error.code, &*error.message), (-32002, "`path`: no such file"));
    /// ```
    #[must_use]
    pub fn not_found(message: impl Into<Cow<'static, str>>) -> Self {
        Self::Rpc(RpcError::new(ErrorCode::RESOURCE_NOT_FOUND.0, message))
    }

    /// Any error of another library.
    #[must_use]
    pub fn other(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Other(error.into())
    }

    /// The error object that a request of the agent is answered with: [`Rpc`](Self::Rpc) as it is, everything else as
    /// `-32603` with the error's own text. What another agent has in the `data` of its error is not passed on.
    #[must_use]
    pub fn into_rpc(self) -> RpcError {
        match self {
            Self::Rpc(error) => error,
            other => RpcError::internal(other.without_data()),
        }
    }

    /// The error object, when the agent answered with one.
    #[must_use]
    pub const fn agent_error(&self) -> Option<&RpcError> {
        match self {
            Self::Agent { error, .. } => Some(error),
            _ => None,
        }
    }

    /// Whether the agent wants a login first (-32000): see [`Agent::authenticate`](crate::Agent::authenticate).
    #[must_use]
    pub const fn is_auth_required(&self) -> bool {
        matches!(self, Self::Agent { error, .. } if error.code == ErrorCode::AUTH_REQUIRED.0)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Start { error, .. } => Some(error),
            Self::Agent { error, .. } => Some(error),
            Self::Closed { reason, .. } => Some(reason),
            Self::Call { error, .. } => Some(error),
            Self::Io(error) => error.source(),
            Self::Other(error) => error.source(),
            _ => None,
        }
    }
}

impl From<RpcError> for Error {
    fn from(error: RpcError) -> Self {
        Self::Rpc(error)
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<Box<dyn std::error::Error + Send + Sync>> for Error {
    fn from(error: Box<dyn std::error::Error + Send + Sync>) -> Self {
        Self::Other(error)
    }
}

impl From<&str> for Error {
    fn from(message: &str) -> Self {
        Self::Other(message.into())
    }
}

impl From<String> for Error {
    fn from(message: String) -> Self {
        Self::Other(message.into())
    }
}
