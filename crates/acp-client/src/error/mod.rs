//! Errors of clients and handlers.

mod display;
mod reason;

use std::borrow::Cow;
use std::fmt::Display;
use std::io;
use std::time::Duration;

use acp_handlers::Conflict;
use acp_rpc::{CallError, CloseReason};
pub use acp_types::v1::ext::Limit;
use acp_types::v1::ext::StoreProblem;
use acp_types::v1::{ErrorCode, ProtocolVersion, SessionId};

pub use self::reason::Reason;
use crate::RpcError;

/// The result of a handler, and of most calls.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A failure between a client and its agent.
///
/// A handler that returns an error answers the agent's request with a JSON-RPC error: see
/// [`Error::into_rpc`]. Text, `io::Error`, [`RpcError`] and boxed errors become errors with `?`.
/// [`Error::other`] wraps the errors of other libraries:
///
/// ```
/// # use acp_client::{Error, Result};
/// fn read() -> Result<String> {
///     let text = std::fs::read_to_string("notes.txt")?;
///     text.lines().next().map(str::to_owned).ok_or(Error::from("the notes are empty"))
/// }
///
/// fn parse(text: &str) -> Result<u32> {
///     text.parse().map_err(Error::other)
/// }
/// ```
///
/// `Display` is for the user. It names the method, the field and the session, and the remedy where
/// that is known. For an agent that died it shows the exit status and the last lines of stderr. For
/// an error that the agent answered it shows message, code and the [reason](RpcError::reason) in
/// its `data`. `Debug` never shows `data`, so log that one.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The agent's program could not be started.
    Start {
        /// The program.
        program: String,
        /// The cause.
        error: io::Error,
    },
    /// The agent could not be reached: see [`connect`](crate::connect()).
    Connect {
        /// The cause.
        error: io::Error,
    },
    /// The agent speaks another version of the protocol. The connection was closed.
    Version {
        /// The version that the client asked for.
        asked: ProtocolVersion,
        /// The version that the agent answered with.
        answered: ProtocolVersion,
    },
    /// The agent speaks none of the versions of the protocol that are spoken here. The connection
    /// was closed.
    NoCommonVersion {
        /// The versions that are spoken here, as
        /// [`Connect`](crate::Connect) has them.
        spoken: Vec<ProtocolVersion>,
        /// The versions that the agent names.
        supported: Vec<ProtocolVersion>,
        /// The error object of the answer, if it was one.
        error: Option<RpcError>,
    },
    /// The agent did not answer `initialize` in time. The connection was closed.
    InitializeTimeout {
        /// The time that the client waited.
        waited: Duration,
        /// The last lines that the agent wrote to stderr.
        stderr: String,
        /// The number of lines on the agent's stdout that are not JSON.
        noise: u64,
    },
    /// The program wrote something else than messages to stdout, and ended before it answered
    /// `initialize`. It may be the wrong program, or need an argument to become an agent.
    NotAnAgent {
        /// The number of lines on stdout that are not JSON.
        noise: u64,
        /// The end of the connection.
        reason: CloseReason,
    },
    /// The agent did not advertise the capability that this call needs. Nothing was sent.
    NotOffered {
        /// The method.
        method: &'static str,
        /// The missing capability, as it is written in the initialize or session response.
        capability: &'static str,
    },
    /// The version of the protocol that the agent speaks does not have this. Nothing was sent.
    Unsupported {
        /// The method.
        method: &'static str,
        /// The thing that the version does not have.
        what: &'static str,
        /// The version.
        version: ProtocolVersion,
    },
    /// The agent does not take blocks of this kind in a prompt. Nothing was sent.
    Content {
        /// The method.
        method: &'static str,
        /// The session.
        session: SessionId,
        /// The index of the block, from 0.
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
        /// The problem.
        problem: String,
    },
    /// Another turn of the session is running, or was not read to its end. Nothing was sent.
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
    /// The turn was cancelled, and the agent did not end it in
    /// [time](crate::Connect::cancel_timeout). The session takes no prompt until the agent has
    /// ended it.
    CancelTimeout {
        /// The session.
        session: SessionId,
        /// The time that the client waited.
        waited: Duration,
    },
    /// The turn went beyond a [limit](crate::TurnLimits), and was cancelled for that. Or the
    /// session is beyond the limit already, and the prompt was not sent.
    LimitReached {
        /// The session.
        session: SessionId,
        /// The limit.
        limit: Limit,
    },
    /// The agent was restarted, and its session could not be taken up again. The next restart tries
    /// once more. So does the next use, if the reason may have passed.
    NotRestored {
        /// The session.
        session: SessionId,
        /// The cause.
        reason: Reason,
    },
    /// The agent ended and was not brought back.
    GivenUp {
        /// The number of restarts that were tried in a row.
        restarts: u32,
        /// The failure of the last restart; without one, the end of the agent.
        reason: Reason,
    },
    /// The agent answered with an error.
    Agent {
        /// The method.
        method: String,
        /// The session, where the method concerns one.
        session: Option<SessionId>,
        /// The error object of the answer.
        error: RpcError,
    },
    /// The connection is over, so no answer can come.
    Closed {
        /// The method.
        method: String,
        /// The session, where the method concerns one.
        session: Option<SessionId>,
        /// The end of the connection.
        reason: CloseReason,
    },
    /// Two clients of the connection serve the same method. Nothing was started.
    ServedTwice {
        /// The method. For `elicitation/create` also the mode.
        method: String,
        /// The types of the two clients.
        clients: [String; 2],
    },
    /// A capability stands for several methods, and the clients of the connection serve only some
    /// of them. Nothing was started.
    Incomplete {
        /// The capability.
        capability: &'static str,
        /// The methods that have no handler.
        missing: Vec<&'static str>,
    },
    /// The error object to answer the agent's request with.
    Rpc(RpcError),
    /// Reading or writing failed in a handler.
    Io(io::Error),
    /// Any other error of a handler.
    Other(Box<dyn std::error::Error + Send + Sync>),
    /// The answer or the request could not be read or written.
    Call {
        /// The session, where the method concerns one.
        session: Option<SessionId>,
        /// The problem and the method.
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

    /// Builds [`Argument`](Self::Argument). The problem continues a sentence that begins with the
    /// field.
    pub(crate) fn argument(method: &'static str, field: &'static str, problem: &dyn Display) -> Self {
        Self::Argument { method, field, problem: problem.to_string() }
    }

    pub(crate) fn of_conflict(conflict: Conflict) -> Self {
        match conflict {
            Conflict::ServedTwice { method, by } => Self::ServedTwice { method, clients: by },
            Conflict::Incomplete { capability, missing } => Self::Incomplete { capability, missing },
            other => Self::other(other),
        }
    }

    /// Builds `-32602`: the agent's request asks for something impossible. Name the field, and say
    /// which values are possible.
    #[must_use]
    pub fn invalid_params(message: impl Into<Cow<'static, str>>) -> Self {
        Self::Rpc(RpcError::invalid_params(message))
    }

    /// Builds `-32002`: something that the agent's request names does not exist, [such as a
    /// file](https://github.com/acp-rs/acp/blob/main/docs/rules/v1.md#v1-fs-06).
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

    /// Wraps any error of another library.
    #[must_use]
    pub fn other(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Other(error.into())
    }

    /// Returns the error object that answers a request of the agent: [`Rpc`](Self::Rpc) as it is,
    /// everything else as `-32603` with the error's own text. The `data` in the error of another
    /// agent is not passed on.
    #[must_use]
    pub fn into_rpc(self) -> RpcError {
        match self {
            Self::Rpc(error) => error,
            other => RpcError::internal(other.without_data()),
        }
    }

    /// Returns the error object, if the agent answered with one.
    #[must_use]
    pub const fn agent_error(&self) -> Option<&RpcError> {
        match self {
            Self::Agent { error, .. } | Self::NoCommonVersion { error: Some(error), .. } => Some(error),
            _ => None,
        }
    }

    /// Returns true if the agent requires a login first (-32000): see
    /// [`Agent::authenticate`](crate::Agent::authenticate).
    #[must_use]
    pub const fn is_auth_required(&self) -> bool {
        matches!(self, Self::Agent { error, .. } if error.code == ErrorCode::AUTH_REQUIRED.0)
    }

    /// Returns the reason why the session cannot be used for now, if the agent has said it in a
    /// form for programs: it is open elsewhere, was continued there, or its store is away. Agents
    /// that are made with `acp-agent` say it.
    ///
    /// To wait for a session that is open elsewhere, see
    /// [`LoadSession::wait_until_free`](crate::LoadSession::wait_until_free).
    ///
    /// ```
    /// # use acp_client::{Error, StoreProblem};
    /// fn advice(error: &Error) -> &'static str {
    ///     match error.store_problem() {
    ///         Some(StoreProblem::Busy { .. }) => "close the other window first",
    ///         Some(StoreProblem::Changed { .. }) => "load the session again",
    ///         _ => "try again later",
    ///     }
    /// }
    /// ```
    #[must_use]
    pub fn store_problem(&self) -> Option<StoreProblem> {
        StoreProblem::from_data(self.agent_error()?.data.as_ref()?)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Start { error, .. } | Self::Connect { error } => Some(error),
            Self::Agent { error, .. } => Some(error),
            Self::Closed { reason, .. } | Self::NotAnAgent { reason, .. } => Some(reason),
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
