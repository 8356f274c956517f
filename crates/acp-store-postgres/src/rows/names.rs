//! Principals and ids of sessions, as the database keeps them.

use std::path::{Path, PathBuf};

use acp_agent::store::StoreError;
use acp_types::v1::SessionId;

/// The most bytes of a principal and of an id. Both are in an index, whose rows are short.
const LONGEST: usize = 512;

/// Returns the text without NUL, which `text` cannot have. Different texts stay different.
fn without_nul(text: &str) -> String {
    text.replace('\u{1}', "\u{1}1").replace('\0', "\u{1}0")
}

pub(crate) fn principal(name: &str) -> Result<String, StoreError> {
    let kept = without_nul(name);
    if kept.len() > LONGEST { Err(StoreError::Principal) } else { Ok(kept) }
}

/// Returns the id of a new session.
pub(crate) fn new_session(session: &SessionId) -> Result<String, StoreError> {
    let kept = without_nul(session.as_str());
    if kept.is_empty() || kept.len() > LONGEST {
        return Err(StoreError::Id { session: session.clone() });
    }
    Ok(kept)
}

/// Returns the id of a stored session. A session whose id cannot be kept was never stored.
pub(crate) fn stored_session(session: &SessionId) -> Result<String, StoreError> {
    new_session(session).map_err(|_| StoreError::Unknown { session: session.clone() })
}

/// Returns a working directory in the form in which two are compared.
pub(crate) fn folder(cwd: &str) -> String {
    let folder: PathBuf = Path::new(cwd).components().collect();
    without_nul(&folder.to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_stay_different() {
        let texts = ["", "\0", "\u{1}", "\u{1}0", "\u{1}1", "a\0b\u{1}0", "\u{1}\u{1}0\0"];
        for text in texts {
            let kept = without_nul(text);
            assert!(!kept.contains('\0'), "{text:?}");
            assert!(texts.iter().all(|other| *other == text || without_nul(other) != kept), "{text:?}");
        }
    }

    #[test]
    fn folders_that_are_one_path_have_one_form() {
        for (one, other) in [("/a/b", "/a/b/"), ("/a//b", "/a/./b"), ("/", "//")] {
            assert_eq!(folder(one), folder(other));
        }
        assert_ne!(folder("/a/b"), folder("/a/B"));
    }
}
