//! Paths of this machine in values of the protocol, which have paths in Unicode only.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::v1::{Diff, ToolCallLocation};

/// A path that is not Unicode. The protocol has no way to name its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotUnicode {
    path: PathBuf,
}

impl NotUnicode {
    /// Returns the path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl fmt::Display for NotUnicode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the path `{}` is not Unicode: the protocol cannot name this file", self.path.display())
    }
}

impl std::error::Error for NotUnicode {}

impl Diff {
    /// Makes the change of a file by its path, which should be absolute.
    ///
    /// ```
    /// use std::path::Path;
    ///
    /// use acp_types::v1::Diff;
    /// use acp_types::v1::ext::NotUnicode;
    ///
    /// let notes = Path::new("/work").join("notes.txt");
    /// let diff = Diff::of_file(&notes, "new")?.old_text("old");
    /// assert_eq!(diff.path, "/work/notes.txt");
    /// # Ok::<(), NotUnicode>(())
    /// ```
    ///
    /// # Errors
    /// The path is not Unicode.
    pub fn of_file(path: impl AsRef<Path>, new_text: impl Into<String>) -> Result<Self, NotUnicode> {
        Ok(Self::new(unicode(path.as_ref())?, new_text))
    }
}

impl ToolCallLocation {
    /// Makes the location of a file by its path, which should be absolute.
    ///
    /// # Errors
    /// The path is not Unicode.
    pub fn of_file(path: impl AsRef<Path>) -> Result<Self, NotUnicode> {
        Ok(Self::new(unicode(path.as_ref())?))
    }
}

fn unicode(path: &Path) -> Result<&str, NotUnicode> {
    path.to_str().ok_or_else(|| NotUnicode { path: path.to_owned() })
}
