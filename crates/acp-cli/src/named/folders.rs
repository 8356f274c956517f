//! The user's folders: for the copy of the registry, unpacked agents, settings and recordings.

use std::env;
use std::path::{Component, Path, PathBuf};

/// Returns the place of the copy of the registry. Returns `None` for a user without a home.
pub(super) fn registry() -> Option<PathBuf> {
    let cache = if cfg!(windows) {
        absolute("LOCALAPPDATA")?
    } else if cfg!(target_os = "macos") {
        absolute("HOME")?.join("Library/Caches")
    } else {
        absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?
    };
    Some(cache.join("acp").join("registry.json"))
}

/// Returns the folder that an agent's archive is unpacked into by hand. Returns `None` for a user
/// without a home, and for an id or a version that cannot be the name of a folder.
pub(super) fn agent(id: &str, version: Option<&str>) -> Option<PathBuf> {
    let version = version.unwrap_or("latest");
    let is_safe = [id, version].into_iter().all(is_name);
    Some(data()?.join("agents").join(id).join(version)).filter(|_| is_safe)
}

/// Returns the folder of this program's data. Returns `None` for a user without a home.
pub(super) fn data() -> Option<PathBuf> {
    let data = if cfg!(windows) {
        absolute("LOCALAPPDATA")?
    } else if cfg!(target_os = "macos") {
        absolute("HOME")?.join("Library/Application Support")
    } else {
        absolute("XDG_DATA_HOME").or_else(|| Some(absolute("HOME")?.join(".local/share")))?
    };
    Some(data.join("acp"))
}

/// Returns the place of the settings of `acp tap`. Returns `None` for a user without a home.
pub(crate) fn tap_settings() -> Option<PathBuf> {
    Some(settings()?.join("tap.toml"))
}

/// Returns the folder of this program's settings. Returns `None` for a user without a home.
pub(super) fn settings() -> Option<PathBuf> {
    let config = if cfg!(windows) {
        absolute("APPDATA")?
    } else if cfg!(target_os = "macos") {
        absolute("HOME")?.join("Library/Application Support")
    } else {
        absolute("XDG_CONFIG_HOME").or_else(|| Some(absolute("HOME")?.join(".config")))?
    };
    Some(config.join("acp"))
}

/// Returns the folder of recordings that nobody named a file for. Returns `None` for a user without
/// a home.
pub(crate) fn recordings() -> Option<PathBuf> {
    Some(state()?.join("tap"))
}

/// Returns the place of the lines that were typed in chats. Returns `None` for a user without a
/// home.
#[cfg_attr(not(unix), allow(dead_code, reason = "it is for the line editor"))]
pub(crate) fn chat_history() -> Option<PathBuf> {
    Some(state()?.join("chat-history"))
}

fn state() -> Option<PathBuf> {
    let state = if cfg!(windows) {
        absolute("LOCALAPPDATA")?
    } else if cfg!(target_os = "macos") {
        absolute("HOME")?.join("Library/Application Support")
    } else {
        absolute("XDG_STATE_HOME").or_else(|| Some(absolute("HOME")?.join(".local/state")))?
    };
    Some(state.join("acp"))
}

/// Returns the folder in an environment variable. A relative one is not valid there.
fn absolute(variable: &str) -> Option<PathBuf> {
    env::var_os(variable).map(PathBuf::from).filter(|folder| folder.is_absolute())
}

/// Returns true for a name that stays in its folder.
pub(super) fn is_name(text: &str) -> bool {
    let mut parts = Path::new(text).components();
    matches!((parts.next(), parts.next()), (Some(Component::Normal(name)), None) if name == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_does_not_leave_its_folder() {
        for name in ["", ".", "..", "/", "/x", "x/y", "x/", "../x"] {
            assert!(!is_name(name), "{name}");
        }
        assert!(is_name("claude-acp") && is_name("2026.08.11") && is_name("..."));
    }
}
