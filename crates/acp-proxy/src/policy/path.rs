//! Paths, compared by their text.

use std::path::{Component, Path, PathBuf};

/// Returns true if a file may be anywhere: its path is relative, and only the agent knows to what.
pub(super) fn is_anywhere(file: &str) -> bool {
    !Path::new(file).is_absolute()
}

/// Returns true if a file is at or below a folder. Both must be absolute.
pub(super) fn is_below(file: &str, folder: &Path) -> bool {
    match (resolved(Path::new(file)), resolved(folder)) {
        (Some(file), Some(folder)) => file.starts_with(folder),
        _ => false,
    }
}

/// Resolves `.` and `..` without looking at the disk. Returns `None` for a relative path.
fn resolved(path: &Path) -> Option<PathBuf> {
    if !path.is_absolute() {
        return None;
    }
    let mut resolved = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            // The parent of the root is the root.
            Component::ParentDir => {
                resolved.pop();
            }
            other => resolved.push(other),
        }
    }
    Some(resolved)
}
