//! Errors of stored sessions.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use acp_rpc::Error as RpcError;
use acp_types::v1::ext::StoreProblem;
use acp_types::v1::{ErrorCode, SessionId};

use super::timestamp;
use crate::error::{Error, Shown, session_data};

/// An error of a [`SessionStore`](super::SessionStore).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum StoreError {
    /// The session does not exist in the store, or not any more.
    Unknown {
        /// The session.
        session: SessionId,
    },
    /// The session is open on another connection or in another process. It can be opened once it is
    /// closed there.
    Busy {
        /// The session.
        session: SessionId,
        /// The time, by the clock of this machine, at which it can be opened even if the other
        /// process never closes it. A process that lives prolongs it. `None` if the store has no
        /// such time.
        until: Option<SystemTime>,
    },
    /// Somebody else has taken the session over: it was idle here and was continued there, or this
    /// process has not been heard of for too long. Load or resume it to go on.
    Changed {
        /// The session.
        session: SessionId,
    },
    /// A session with this id exists already.
    Exists {
        /// The session.
        session: SessionId,
    },
    /// The store cannot keep a session with this id, because it is too long, or empty.
    Id {
        /// The session.
        session: SessionId,
    },
    /// The cursor does not come from a list of this store.
    Cursor,
    /// The agent has no store that could keep a value of its own.
    NoStore {
        /// The session.
        session: SessionId,
    },
    /// The session has been closed. Nothing is kept of it any more.
    Closed {
        /// The session.
        session: SessionId,
    },
    /// The value that the agent saves is not JSON, or longer than
    /// [`SAVED_LIMIT`](super::SAVED_LIMIT).
    NotSaved {
        /// The session.
        session: SessionId,
        /// The reason.
        reason: String,
    },
    /// The value that the agent has saved is not of the type that it reads now.
    SavedValue {
        /// The session.
        session: SessionId,
        /// The reason. It does not repeat the value.
        reason: String,
    },
    /// A record is longer than the store can keep.
    TooLong {
        /// The record's length in bytes.
        bytes: usize,
    },
    /// The folder of this user's sessions is unknown: neither the environment nor the agent names
    /// one.
    NoFolder,
    /// The store could not be reached, or could not do its work in time. It may be able to later,
    /// and then the session goes on.
    Unavailable {
        /// The time that this process has tried for.
        waited: Duration,
        /// The reason.
        reason: Arc<dyn std::error::Error + Send + Sync>,
    },
    /// The store does not have this operation.
    Unsupported {
        /// The method of [`SessionStore`](super::SessionStore).
        operation: &'static str,
    },
    /// The store cannot keep sessions of this principal, because its name is too long.
    Principal,
    /// Reading or writing failed.
    Io {
        /// The action, such as `write`.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The reason.
        error: Arc<io::Error>,
    },
    /// Any other error.
    Other(Arc<dyn std::error::Error + Send + Sync>),
}

impl StoreError {
    /// Wraps an error of another library.
    #[must_use]
    pub fn other(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        StoreError::Other(Arc::from(error.into()))
    }

    pub(crate) fn io(action: &'static str, path: &Path, error: io::Error) -> Self {
        StoreError::Io { action, path: path.to_owned(), error: Arc::new(error) }
    }

    /// Returns the problem that the client can act on, if it is one.
    fn problem(&self) -> Option<StoreProblem> {
        match self {
            StoreError::Busy { session, until } => {
                Some(StoreProblem::Busy { session: session.clone(), until: *until })
            }
            StoreError::Changed { session } => Some(StoreProblem::Changed { session: session.clone() }),
            StoreError::Unavailable { .. } => Some(StoreProblem::Unavailable),
            _ => None,
        }
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreError::Unknown { session } => write!(f, "no session `{}` is stored", Shown(session)),
            StoreError::Busy { session, until: None } => {
                write!(f, "session `{}` is open elsewhere: close it there first", Shown(session))
            }
            StoreError::Busy { session, until: Some(until) } => write!(
                f,
                "session `{}` is open elsewhere: close it there first, or try again at {}",
                Shown(session),
                timestamp::format(*until).unwrap_or_default(),
            ),
            StoreError::Changed { session } => {
                write!(f, "session `{}` was continued elsewhere: load or resume it to go on", Shown(session))
            }
            StoreError::Exists { session } => write!(f, "a session `{}` is stored already", Shown(session)),
            StoreError::Id { session } => write!(
                f,
                "session `{}` cannot be stored: choose an id that is shorter, and not empty",
                Shown(session)
            ),
            StoreError::Cursor => {
                f.write_str("`cursor`: not from this list; leave it out to start with the first page")
            }
            StoreError::NoStore { session } => write!(
                f,
                "session `{}` cannot keep a value: give the agent a store, such as `#[agent(store)]`",
                Shown(session)
            ),
            StoreError::Closed { session } => {
                write!(f, "session `{}` has been closed: it keeps nothing more", Shown(session))
            }
            StoreError::NotSaved { session, reason } => {
                write!(f, "session `{}` cannot keep the value: {reason}", Shown(session))
            }
            StoreError::SavedValue { session, reason } => {
                write!(f, "session `{}` has a saved value of another type: {reason}", Shown(session))
            }
            StoreError::TooLong { bytes } => write!(f, "a record of {bytes} bytes is too long to be stored"),
            StoreError::NoFolder => f.write_str(
                "nowhere to store sessions: set HOME (on Windows LOCALAPPDATA), or give the store a path",
            ),
            StoreError::Unavailable { waited, reason } => write!(
                f,
                "the store of sessions was not available for {} s, try again later: {reason}",
                waited.as_secs(),
            ),
            StoreError::Unsupported { operation } => {
                write!(f, "this store of sessions does not have `SessionStore::{operation}`")
            }
            StoreError::Principal => f.write_str(
                "sessions of this principal cannot be stored: choose a shorter name for the principal",
            ),
            StoreError::Io { action, path, error } => {
                write!(f, "sessions: {action} {} failed: {error}", path.display())
            }
            StoreError::Other(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for StoreError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            StoreError::Io { error, .. } => Some(error),
            StoreError::Unavailable { reason, .. } => Some(&**reason),
            StoreError::Other(error) => error.source(),
            _ => None,
        }
    }
}

/// Converts to the client's error. It is `-32002` with `data.sessionId` for a session that does not
/// exist (an id longer than any session's is not repeated), `-32602` for a bad cursor, `-32600` for
/// a session that is open elsewhere or was continued there, and `-32603` for the rest. The `data`
/// of [`Busy`](StoreError::Busy), [`Changed`](StoreError::Changed) and
/// [`Unavailable`](StoreError::Unavailable) is that of a [`StoreProblem`].
impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        let message = error.to_string();
        let data = match &error {
            StoreError::Unknown { session } => session_data(session),
            error => error.problem().and_then(|problem| problem.to_data()),
        };
        let answer = match error {
            StoreError::Unknown { .. } => RpcError::new(ErrorCode::RESOURCE_NOT_FOUND.0, message),
            StoreError::Cursor => RpcError::invalid_params(message),
            StoreError::Busy { .. } | StoreError::Changed { .. } => RpcError::invalid_request(message),
            _ => RpcError::internal(message),
        };
        Error::Rpc(match data {
            Some(data) => answer.with_data(data),
            None => answer,
        })
    }
}
