//! Questions for permission.

use acp_types::UnknownVariant;

/// The question of a permission request: see [`of`](Self::of).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PermissionQuestion {
    /// The question, for the user. In version 1 of the protocol it is the title of the tool call,
    /// and empty if the request has none.
    pub title: String,
    /// More about it.
    pub description: Option<String>,
    /// The subject.
    pub subject: PermissionSubject,
}

/// The subject of a [`PermissionQuestion`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum PermissionSubject {
    /// The tool call of the request.
    ToolCall,
    /// A command that the agent wants to run.
    #[non_exhaustive]
    Command {
        /// The command line.
        command: String,
        /// The directory in which it would run, an absolute path.
        cwd: String,
    },
    /// Something that only the title and the description tell.
    General,
    /// A subject of a kind that is not known here, with all its members.
    Unknown(UnknownVariant),
}

impl PermissionQuestion {
    pub(crate) const fn new(title: String, description: Option<String>, subject: PermissionSubject) -> Self {
        Self { title, description, subject }
    }
}
