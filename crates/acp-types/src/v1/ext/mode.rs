//! The check of a session's modes.

use std::fmt;

use crate::v1::ext::listed::Listed;
use crate::v1::{SessionModeId, SessionModeState};

/// A mode that the session [does not
/// have](https://github.com/acp-rs/acp/blob/main/docs/rules/v1.md#v1-mode-02). `Display` continues
/// a sentence that begins with `modeId`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NoSuchMode {
    /// The modes that it has.
    pub modes: Vec<SessionModeId>,
}

impl fmt::Display for NoSuchMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "is not a mode of the session: its modes are {}", Listed(&self.modes))
    }
}

impl std::error::Error for NoSuchMode {}

impl SessionModeState {
    /// Checks that the session has this mode.
    ///
    /// # Errors
    /// It does not.
    pub fn check(&self, mode: &SessionModeId) -> Result<(), NoSuchMode> {
        if self.available_modes.iter().any(|listed| listed.id == *mode) {
            return Ok(());
        }
        Err(NoSuchMode { modes: self.available_modes.iter().map(|mode| mode.id.clone()).collect() })
    }
}
