//! Paths on their way to the client. They have to be absolute there (rule `v1-rpc-24`).

use std::path::{Component, Path, PathBuf};

use acp_types::v1::ext::is_absolute;
use acp_types::v1::{SessionUpdate, ToolCallContent, ToolCallLocation, ToolCallUpdate};

/// Joins relative paths in diffs and locations with the session's working directory.
pub(crate) fn join(update: &mut SessionUpdate, cwd: &str) {
    match update {
        SessionUpdate::ToolCall(call) => join_all(&mut call.content, &mut call.locations, cwd),
        SessionUpdate::ToolCallUpdate(call) => join_call(call, cwd),
        _ => {}
    }
}

/// Joins the relative paths of a call that the user is asked about.
pub(crate) fn join_call(call: &mut ToolCallUpdate, cwd: &str) {
    let content = call.content.as_deref_mut().unwrap_or_default();
    join_all(content, call.locations.as_deref_mut().unwrap_or_default(), cwd);
}

fn join_all(content: &mut [ToolCallContent], locations: &mut [ToolCallLocation], cwd: &str) {
    for content in content {
        if let ToolCallContent::Diff(diff) = content {
            join_one(&mut diff.path, cwd);
        }
    }
    for location in locations {
        join_one(&mut location.path, cwd);
    }
}

/// Joins a relative path with the session's working directory.
#[cfg(any(feature = "shell", feature = "workspace"))]
pub(crate) fn absolute(path: &Path, cwd: &str) -> PathBuf {
    match path.to_str() {
        // An agent may speak of the client's paths.
        Some(text) if is_absolute(text) => path.to_owned(),
        _ => Path::new(cwd).join(path),
    }
}

fn join_one(path: &mut String, cwd: &str) {
    if is_absolute(path) {
        return;
    }
    let parts = Path::new(path.as_str()).components().filter(|part| *part != Component::CurDir);
    let joined = Path::new(cwd).join(parts.collect::<PathBuf>());
    // Both parts are text, so the joined path is.
    if let Some(joined) = joined.to_str() {
        *path = joined.strip_suffix('/').filter(|joined| !joined.is_empty()).unwrap_or(joined).to_owned();
    }
}
