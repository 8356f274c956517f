//! Changes to files.

use acp_json::Value;
use acp_types::UnknownVariant;
use acp_types::v2::{Diff, DiffChange, DiffOperation};

use super::as_is;
use crate::event::{FileChange, FileChanges, FileOperation, FilePatch};

/// The kind of content that they are.
const DIFF: &str = "diff";

/// Decodes the changes of an item of a tool call's content. `None` for another item.
pub(in crate::wire) fn changes(item: &UnknownVariant) -> Option<FileChanges> {
    if item.tag() != DIFF {
        return None;
    }
    let diff: Diff = as_is::read(Value::from(item.members().clone()).into_node()).ok()?;
    let mut changes = FileChanges::new(diff.changes.into_iter().map(change).collect());
    changes.patch = diff.patch.map(|patch| FilePatch::new(patch.format.as_str().to_owned(), patch.text));
    changes.meta = diff.meta;
    Some(changes)
}

fn change(change: DiffChange) -> FileChange {
    let (operation, path, old_path) = match change.operation {
        DiffOperation::Add(file) => (FileOperation::Add, file.path, None),
        DiffOperation::Delete(file) => (FileOperation::Delete, file.path, None),
        DiffOperation::Modify(file) => (FileOperation::Modify, file.path, None),
        DiffOperation::Move(files) => (FileOperation::Move, files.path, Some(files.old_path)),
        DiffOperation::Copy(files) => (FileOperation::Copy, files.path, Some(files.old_path)),
        other => {
            let path = match &other {
                DiffOperation::Unknown(unknown) => unknown.members().get("path").and_then(Value::as_str),
                _ => None,
            };
            (FileOperation::Unknown(other.tag().into()), path.unwrap_or_default().into(), None)
        }
    };
    let mut read = FileChange::new(operation, path.to_string());
    read.old_path = old_path.map(|path| path.to_string());
    read.file_type = change.file_type.map(|kind| kind.as_str().to_owned());
    read.mime_type = change.mime_type.map(|kind| kind.to_string());
    read.meta = change.meta;
    read
}
