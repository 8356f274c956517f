//! Failures to read, write or change a file of a workspace.

use std::borrow::Cow;
use std::error::Error as StdError;
use std::fmt;
use std::path::{Path, PathBuf};

use acp_rpc::CallError;
use acp_types::v1::{ErrorCode, SessionId};

use super::Shown;

/// A file that was not read, not written or not changed: see [`Workspace`](crate::Workspace) and
/// [`Turn::edit_file`](crate::Turn::edit_file).
#[derive(Debug)]
pub struct FileError {
    pub(crate) act: FileAct,
    pub(crate) path: PathBuf,
    pub(crate) session: SessionId,
    pub(crate) problem: FileProblem,
}

/// The work that was to be done with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FileAct {
    /// Reading it.
    Read,
    /// Writing it.
    Write,
    /// Looking for it.
    Look,
    /// Listing it, as a directory.
    List,
    /// Changing it with the user's permission.
    Edit,
}

/// The reason of a [`FileError`].
#[derive(Debug)]
#[non_exhaustive]
pub enum FileProblem {
    /// The client has failed to do it.
    Client {
        /// The method that was called.
        method: Cow<'static, str>,
        /// Why it failed.
        error: CallError,
    },
    /// The local disk has failed, or the path is not below the session's directories.
    Disk(acp_fs::Error),
    /// The directory of the session that holds the file is not a directory on this machine.
    NoDirectory,
    /// The path is not Unicode, so the client cannot be told about it.
    NotUnicode,
    /// The user has not allowed the change.
    Rejected,
    /// The file was changed by others since it was read. They keep their text.
    ChangedMeanwhile,
    /// The function that makes the new text from the old one has failed.
    Change(Box<dyn StdError + Send + Sync>),
}

impl FileError {
    /// Returns the work that was to be done.
    #[must_use]
    pub const fn act(&self) -> FileAct {
        self.act
    }

    /// Returns the path. It is absolute.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the session.
    #[must_use]
    pub const fn session_id(&self) -> &SessionId {
        &self.session
    }

    /// Returns the reason.
    #[must_use]
    pub const fn problem(&self) -> &FileProblem {
        &self.problem
    }

    /// Returns true if the file does not exist. Clients use codes of their choice for that; this
    /// knows the code of the protocol only.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        match &self.problem {
            FileProblem::Disk(error) => error.is_missing(),
            FileProblem::Client { error, .. } => {
                error.remote().is_some_and(|remote| remote.code == ErrorCode::RESOURCE_NOT_FOUND.0)
            }
            _ => false,
        }
    }

    /// Takes the path and the session from the end of a client's message, as `acp-client` writes
    /// them. This error names both before the message.
    fn without_subject<'a>(&self, message: &'a str) -> &'a str {
        let session = format!(" (session `{}`)", self.session);
        let message = message.strip_suffix(&session).unwrap_or(message);
        let path = format!(": \"{}\"", self.path.display());
        message.strip_suffix(&path).unwrap_or(message)
    }

    /// Returns true if the user has not allowed the change.
    #[must_use]
    pub const fn is_rejected(&self) -> bool {
        matches!(self.problem, FileProblem::Rejected)
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let act = match self.act {
            FileAct::Read => "read",
            FileAct::Write => "written",
            FileAct::Look => "looked for",
            FileAct::List => "listed",
            FileAct::Edit => "changed",
        };
        let (path, session) = (self.path.display(), Shown(&self.session));
        write!(f, "`{path}` was not {act} (session `{session}`): ")?;
        match &self.problem {
            FileProblem::Client { method, error: CallError::Remote(error) } => {
                let (message, code) = (self.without_subject(&error.message), error.code);
                write!(f, "`{method}` failed at the client: {message} (code {code})")
            }
            problem => problem.fmt(f),
        }
    }
}

impl fmt::Display for FileProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileProblem::Client { method, error } => write!(f, "`{method}` failed at the client: {error}"),
            FileProblem::Disk(error) => error.fmt(f),
            FileProblem::NoDirectory => f.write_str("the session's directory does not exist on this machine"),
            FileProblem::NotUnicode => f.write_str("the path is not Unicode"),
            FileProblem::Rejected => f.write_str("the user has rejected this change"),
            FileProblem::ChangedMeanwhile => {
                f.write_str("the file was changed meanwhile: read it again before changing it")
            }
            FileProblem::Change(error) => error.fmt(f),
        }
    }
}

impl StdError for FileError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match &self.problem {
            FileProblem::Client { error, .. } => Some(error),
            FileProblem::Disk(error) => Some(error),
            FileProblem::Change(error) => Some(&**error),
            FileProblem::NoDirectory
            | FileProblem::NotUnicode
            | FileProblem::Rejected
            | FileProblem::ChangedMeanwhile => None,
        }
    }
}
