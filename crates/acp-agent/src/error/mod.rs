//! Errors of an agent, and the error objects that the client gets for them.

pub(crate) mod commands_error;
#[cfg(feature = "workspace")]
pub(crate) mod file_error;
#[cfg(feature = "shell")]
pub(crate) mod shell_error;

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::sync::Arc;

use acp_handlers::Conflict;
use acp_rpc::{CallError, Error as RpcError, Fault};
use acp_types::Map;
use acp_types::v1::ext::{FormError, Limit};
use acp_types::v1::{ErrorCode, ProtocolVersion, SessionId};

/// The result of a handler.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of a handler, or of something that it called.
///
/// A handler that returns one answers its request with a JSON-RPC error; see [`Error::into_rpc`]
/// for the codes. Text, `io::Error`, [`RpcError`] and boxed errors become errors with `?`.
/// [`Error::other`] wraps the errors of other libraries:
///
/// ```
/// # use acp_agent::{Error, Result};
/// fn read() -> Result<String> {
///     let text = std::fs::read_to_string("notes.txt")?;
///     text.lines().next().map(str::to_owned).ok_or(Error::from("the notes are empty"))
/// }
///
/// fn parse(text: &str) -> Result<u32> {
///     text.parse().map_err(Error::other)
/// }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The client cancelled the work. Pass the error on with `?`: a turn then answers with stop
    /// reason `cancelled`, every other request with `-32800`.
    Cancelled,
    /// The turn has been answered already. Nothing can be added to it.
    TurnOver,
    /// The session has been closed, deleted or opened anew. This handle sends no more updates of
    /// it.
    SessionClosed {
        /// The session.
        session: SessionId,
    },
    /// The client does not offer the capability that the call needs. Nothing was sent.
    NotOffered {
        /// The capability, as a path below `clientCapabilities`, such as `fs.readTextFile`.
        capability: Cow<'static, str>,
    },
    /// The version of the protocol that the connection speaks has no form for this. Nothing was
    /// sent.
    Unsupported {
        /// The thing that it has no form for, such as `an update of version 2`.
        what: Cow<'static, str>,
        /// The version.
        version: ProtocolVersion,
    },
    /// A question has no options to choose from. Nothing was sent.
    NoOptions,
    /// The turn went beyond a [limit](crate::Turn::limits). Pass the error on with `?`. Or the
    /// session is beyond the limit already, and the prompt has no turn.
    LimitReached {
        /// The session.
        session: SessionId,
        /// The limit.
        limit: Limit,
    },
    /// The client failed to do what it was asked.
    Call {
        /// The method that was called.
        method: Cow<'static, str>,
        /// Why it failed.
        error: CallError,
    },
    /// The user has filled in the form, but not as it allows.
    Form(FormError),
    /// A file was not read, not written or not changed: see [`Workspace`](crate::Workspace).
    #[cfg(feature = "workspace")]
    File(Box<file_error::FileError>),
    /// A command was not started, or its end is not known: see [`Turn::shell`](crate::Turn::shell).
    #[cfg(feature = "shell")]
    Shell(Box<shell_error::ShellError>),
    /// The slash commands cannot be advertised.
    Commands(commands_error::CommandsError),
    /// The agent's handlers cannot be those of one connection: a mistake in the program. Nothing
    /// was read.
    Conflict(Conflict),
    /// The request is answered with this error object, unchanged.
    Rpc(RpcError),
    /// Reading or writing failed.
    Io(io::Error),
    /// Any other error.
    Other(Box<dyn std::error::Error + Send + Sync>),
}

impl Error {
    /// Returns the error for a capability that the client lacks. It is named as a path below
    /// `clientCapabilities`.
    #[must_use]
    pub fn not_offered(capability: impl Into<Cow<'static, str>>) -> Self {
        Error::NotOffered { capability: capability.into() }
    }

    /// Returns `-32602`: the request asks for something impossible. Say which field, and what would
    /// be possible.
    #[must_use]
    pub fn invalid_params(message: impl Into<Cow<'static, str>>) -> Self {
        Error::Rpc(RpcError::invalid_params(message))
    }

    /// Returns `-32002`: something that the request names does not exist.
    #[must_use]
    pub fn not_found(message: impl Into<Cow<'static, str>>) -> Self {
        Error::Rpc(RpcError::new(ErrorCode::RESOURCE_NOT_FOUND.0, message))
    }

    /// Returns `-32002` for a session, with `data.sessionId`.
    #[must_use]
    pub fn unknown_session(session: &SessionId) -> Self {
        Error::Rpc(unknown_session(session))
    }

    /// Returns `-32000`: the client has to log in first, by one of the advertised methods.
    #[must_use]
    pub fn auth_required() -> Self {
        Error::Rpc(auth_required())
    }

    /// Wraps an error of another library.
    #[must_use]
    pub fn other(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Error::Other(error.into())
    }

    /// Returns whether this is [`Error::Cancelled`].
    #[must_use]
    pub const fn is_cancelled(&self) -> bool {
        matches!(self, Error::Cancelled)
    }

    /// Returns the error object for the answer to the request.
    ///
    /// [`Cancelled`](Error::Cancelled) becomes `-32800`, and
    /// [`SessionClosed`](Error::SessionClosed) `-32002` with the session. [`Rpc`](Error::Rpc) is
    /// passed on. Everything else is `-32603` with the error's own text.
    #[must_use]
    pub fn into_rpc(self) -> RpcError {
        match self {
            Error::Cancelled => RpcError::cancelled(),
            Error::Rpc(error) => error,
            Error::SessionClosed { session } => unknown_session(&session),
            other => RpcError::internal(other.to_string()),
        }
    }

    /// Wraps the error of a call of `method`.
    pub(crate) fn call(method: impl Into<Cow<'static, str>>, error: CallError) -> Self {
        Error::Call { method: method.into(), error }
    }
}

/// Receives faults: everything that goes wrong without ending the connection.
pub(crate) type OnFault = Arc<dyn Fn(&Fault<'_>) + Send + Sync>;

/// Returns `-32000`.
pub(crate) fn auth_required() -> RpcError {
    RpcError::new(ErrorCode::AUTH_REQUIRED.0, "log in first: call `authenticate`")
}

/// Returns `-32002` with `data.sessionId`.
pub(crate) fn unknown_session(session: &SessionId) -> RpcError {
    let error = RpcError::new(
        ErrorCode::RESOURCE_NOT_FOUND.0,
        "this connection has no such session: open it with `session/new`, `session/load` or `session/resume`",
    );
    match session_data(session) {
        Some(data) => error.with_data(data),
        None => error,
    }
}

/// Returns `data.sessionId`, or nothing for an id that is longer than any session's.
pub(crate) fn session_data(session: &SessionId) -> Option<Map> {
    /// In bytes.
    const LONGEST: usize = 1024;
    let id = Some(session.as_str()).filter(|id| id.len() <= LONGEST)?;
    Some(Map::from([("sessionId", acp_types::Value::from(id))]))
}

/// A session's id in a message for people, cut after 64 characters.
pub(crate) struct Shown<'a>(pub(crate) &'a SessionId);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let id = self.0.as_str();
        match id.char_indices().nth(64) {
            None => f.write_str(id),
            Some((cut, _)) => write!(f, "{}..", id.get(..cut).unwrap_or_default()),
        }
    }
}

/// A session's id in a log: its beginning, at most half of it. Whoever knows the whole id could
/// load the session.
#[cfg(any(feature = "mcp", feature = "tracing"))]
pub(crate) struct Logged<'a>(pub(crate) &'a SessionId);

#[cfg(any(feature = "mcp", feature = "tracing"))]
impl fmt::Display for Logged<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MOST: usize = 12;
        let id = self.0.as_str();
        let shown = MOST.min(id.chars().count() / 2);
        id.chars().take(shown).try_for_each(|char| write!(f, "{char}"))?;
        f.write_str("..")
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Cancelled => f.write_str("cancelled by the client"),
            Error::TurnOver => f.write_str("the turn has been answered already"),
            Error::SessionClosed { session } => {
                write!(f, "the session `{}` has been closed: stop its work", Shown(session))
            }
            Error::Unsupported { what, version } => {
                write!(f, "version {version} of the protocol has no form for {what}")
            }
            Error::NotOffered { capability } => write!(f, "the client does not offer `{capability}`"),
            Error::LimitReached { session, limit } => {
                write!(f, "the turn was stopped by a limit: {limit} (session `{}`)", Shown(session))
            }
            Error::Call { method, error } => write!(f, "`{method}` failed at the client: {error}"),
            Error::NoOptions => f.write_str("the question has no options: name at least one"),
            Error::Form(error) => {
                write!(f, "the answer to `elicitation/create` does not fit the form: {error}")
            }
            #[cfg(feature = "workspace")]
            Error::File(error) => error.fmt(f),
            #[cfg(feature = "shell")]
            Error::Shell(error) => error.fmt(f),
            Error::Commands(error) => error.fmt(f),
            Error::Conflict(conflict) => conflict.fmt(f),
            Error::Rpc(error) => f.write_str(&error.message),
            Error::Io(error) => error.fmt(f),
            Error::Other(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Call { error, .. } => Some(error),
            #[cfg(feature = "workspace")]
            Error::File(error) => error.source(),
            #[cfg(feature = "shell")]
            Error::Shell(error) => error.source(),
            Error::Form(error) => Some(error),
            Error::Commands(error) => Some(error),
            Error::Io(error) => error.source(),
            Error::Other(error) => error.source(),
            Error::Cancelled
            | Error::TurnOver
            | Error::SessionClosed { .. }
            | Error::NotOffered { .. }
            | Error::NoOptions
            | Error::LimitReached { .. }
            | Error::Conflict(_)
            | Error::Unsupported { .. }
            | Error::Rpc(_) => None,
        }
    }
}

impl From<RpcError> for Error {
    fn from(error: RpcError) -> Self {
        Error::Rpc(error)
    }
}

impl From<commands_error::CommandsError> for Error {
    fn from(error: commands_error::CommandsError) -> Self {
        Error::Commands(error)
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Error::Io(error)
    }
}

impl From<Box<dyn std::error::Error + Send + Sync>> for Error {
    fn from(error: Box<dyn std::error::Error + Send + Sync>) -> Self {
        Error::Other(error)
    }
}

/// A path of a file that cannot be told to the client.
impl From<acp_types::v1::ext::NotUnicode> for Error {
    fn from(error: acp_types::v1::ext::NotUnicode) -> Self {
        Error::Other(Box::new(error))
    }
}

impl From<&str> for Error {
    fn from(message: &str) -> Self {
        Error::Other(message.into())
    }
}

impl From<String> for Error {
    fn from(message: String) -> Self {
        Error::Other(message.into())
    }
}
