use std::borrow::Cow;
use std::fmt;
use std::io;
use std::time::Duration;

use acp_rpc::{CallError, CloseReason};
use acp_types::v1::{ErrorCode, ProtocolVersion, SessionId};

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
/// `Display` names the method, the field and the session concerned, and what to do where that is known. It shows the
/// exit status and the last lines of stderr of an agent that died; never what was in a message.
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
        reason: String,
    },
    /// The agent ended, and was not to be brought back.
    GivenUp {
        /// How many restarts were tried in a row.
        restarts: u32,
        /// Why the last one failed; without one, why the agent ended.
        reason: String,
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
    /// `-32603` with the error's own text.
    #[must_use]
    pub fn into_rpc(self) -> RpcError {
        match self {
            Self::Rpc(error) => error,
            other => RpcError::internal(other.to_string()),
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

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start { error, .. } => write!(f, "the agent could not be started: {error}"),
            Self::Version { asked, answered } => write!(
                f,
                "the agent speaks protocol version {}, this client version {}: use another release of one of them",
                answered.0, asked.0
            ),
            Self::InitializeTimeout { waited, stderr } => {
                write!(f, "the agent did not answer `initialize` within {waited:?}{}", LastWords(stderr))
            }
            Self::NotOffered { method, capability } => {
                write!(f, "`{method}` was not sent: the agent did not offer `{capability}`")
            }
            Self::Content { session, block, kind, capability: Some(capability) } => write!(
                f,
                "`session/prompt` was not sent: `prompt[{block}]` is of kind `{kind}`, which needs `{capability}` of \
                 the agent (session `{session}`)"
            ),
            Self::Content { session, block, kind, capability: None } => write!(
                f,
                "`session/prompt` was not sent: `prompt[{block}]` is of kind `{kind}`, which this version of the \
                 protocol does not have (session `{session}`)"
            ),
            Self::Argument { method, field, problem } => {
                write!(f, "`{method}` was not sent: `{field}` {problem}")
            }
            Self::Busy { session } => write!(
                f,
                "`session/prompt` was not sent: another turn runs or is not read to its end (session `{session}`): \
                 finish or drop it first"
            ),
            Self::SessionClosed { method, session } => {
                write!(
                    f,
                    "`{method}` was not sent: the session is closed, so open another one (session `{session}`)"
                )
            }
            Self::CancelTimeout { session, waited } => write!(
                f,
                "the agent has not ended a cancelled turn within {waited:?}: close the session or the agent \
                 (`session/prompt`, session `{session}`)"
            ),
            Self::NotRestored { session, reason } => write!(
                f,
                "the agent was restarted without this session, so open another one: {reason} (session `{session}`)"
            ),
            Self::GivenUp { restarts, reason } => {
                write!(f, "the agent ended and is not back after {restarts} restarts: {reason}")
            }
            Self::Agent { method, session, error } => {
                write!(f, "the agent answered `{method}`{} with an error: {error}", In(session))
            }
            Self::Closed { method, session, reason } => {
                write!(f, "`{method}`{} has no answer: {reason}", In(session))
            }
            Self::ServedTwice { method, clients: [first, second] } => write!(
                f,
                "`{method}` is served by two clients of one connection, `{first}` and `{second}`: leave one of them out"
            ),
            Self::Incomplete { capability, missing } => write!(
                f,
                "`{capability}` cannot be offered to the agent: serve `{}` as well, or nothing of it",
                missing.join("`, `")
            ),
            Self::Rpc(error) => f.write_str(&error.message),
            Self::Io(error) => error.fmt(f),
            Self::Other(error) => error.fmt(f),
            Self::Call { session, error } => write!(f, "{error}{}", In(session)),
        }
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

/// What a process has said last, or nothing.
struct LastWords<'a>(&'a str);

impl fmt::Display for LastWords<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.trim() {
            "" => Ok(()),
            words => write!(f, "; its last words on stderr:\n{words}"),
        }
    }
}

/// ` (session …)`, or nothing.
struct In<'a>(&'a Option<SessionId>);

impl fmt::Display for In<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(session) => write!(f, " (session `{session}`)"),
            None => Ok(()),
        }
    }
}
