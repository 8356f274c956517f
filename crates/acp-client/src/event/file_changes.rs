//! Changes to files, as tool calls show them.

use acp_types::Meta;

/// Changes to one or more files, among the content of a tool call: see
/// [`of`](Self::of).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FileChanges {
    /// The changes, one for each file.
    pub changes: Vec<FileChange>,
    /// The text of the changes, or of some of them. An agent need not give one.
    pub patch: Option<FilePatch>,
    /// Data of extensions.
    pub meta: Option<Meta>,
}

/// The change of one file.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FileChange {
    /// The kind of the change.
    pub operation: FileOperation,
    /// The file, as an absolute path; the new path of a file that was moved or copied. Empty for a
    /// kind of change that is not known here and has none.
    pub path: String,
    /// The path before, of a file that was moved or copied.
    pub old_path: Option<String>,
    /// The sort of file, such as `text`, `binary`, `directory` or `symlink`.
    pub file_type: Option<String>,
    /// The MIME type of the contents.
    pub mime_type: Option<String>,
    /// Data of extensions.
    pub meta: Option<Meta>,
}

/// The kind of a [`FileChange`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FileOperation {
    /// A new file.
    Add,
    /// A file was removed.
    Delete,
    /// The contents changed.
    Modify,
    /// The file has another path.
    Move,
    /// The file has a copy.
    Copy,
    /// A kind that is not known here.
    Unknown(Box<str>),
}

/// The text of [`FileChanges`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FilePatch {
    /// The form of the text. `git_patch` is that of `git diff`, with absolute paths and without
    /// prefixes.
    pub format: String,
    /// The text.
    pub text: String,
}

impl FileChanges {
    pub(crate) const fn new(changes: Vec<FileChange>) -> Self {
        Self { changes, patch: None, meta: None }
    }
}

impl FileChange {
    pub(crate) const fn new(operation: FileOperation, path: String) -> Self {
        Self { operation, path, old_path: None, file_type: None, mime_type: None, meta: None }
    }
}

impl FilePatch {
    #[cfg(feature = "v2")]
    pub(crate) const fn new(format: String, text: String) -> Self {
        Self { format, text }
    }
}
