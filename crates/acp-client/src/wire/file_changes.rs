//! Changes to files, as the content of tool calls has them.

use acp_types::v1::ToolCallContent;

use crate::event::{FileChange, FileChanges, FileOperation};
#[cfg(feature = "v2")]
use crate::wire::v2;

impl FileChanges {
    /// Returns the changes that an item of a tool call's content shows, in the form of either
    /// version of the protocol. `None` for another item.
    ///
    /// In version 1 an item is one file with its old and new text ([`ToolCallContent::Diff`]). In
    /// version 2 it is a list of files, and a patch: such an item is a
    /// [`ToolCallContent::Unknown`].
    #[must_use]
    pub fn of(item: &ToolCallContent) -> Option<Self> {
        match item {
            ToolCallContent::Diff(diff) => {
                let is_new = diff.old_text.is_none();
                let operation = if is_new { FileOperation::Add } else { FileOperation::Modify };
                let mut changes = Self::new(vec![FileChange::new(operation, diff.path.clone())]);
                changes.meta = diff.meta.clone();
                Some(changes)
            }
            #[cfg(feature = "v2")]
            ToolCallContent::Unknown(unknown) => v2::diff::changes(unknown),
            _ => None,
        }
    }
}
