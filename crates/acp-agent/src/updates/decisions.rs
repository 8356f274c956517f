//! Decisions that the user wants to be remembered.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use acp_types::v1::PermissionOptionKind;

/// What the user decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Decision {
    /// Do it.
    Allowed,
    /// Do it, and do not ask again for the like.
    AllowedAlways,
    /// Do not do it.
    Rejected,
    /// Do not do it, and do not ask again for the like.
    RejectedAlways,
}

impl Decision {
    /// Whether it may be done.
    #[must_use]
    pub const fn is_allowed(self) -> bool {
        matches!(self, Decision::Allowed | Decision::AllowedAlways)
    }
}

/// A kind that this version of the protocol does not know is no consent.
impl From<&PermissionOptionKind> for Decision {
    fn from(kind: &PermissionOptionKind) -> Self {
        match kind {
            PermissionOptionKind::AllowOnce => Decision::Allowed,
            PermissionOptionKind::AllowAlways => Decision::AllowedAlways,
            PermissionOptionKind::RejectAlways => Decision::RejectedAlways,
            _ => Decision::Rejected,
        }
    }
}

/// What the user has allowed or rejected for good, by a key of the agent's choice: the name or kind of a tool, a
/// directory, a command.
///
/// Every session has one, which [`Turn::ask_remembered`] asks and which is gone with the session. An agent that
/// wants decisions to live longer keeps one of its own; [`to_vec`](Self::to_vec) and [`remember`](Self::remember)
/// save and restore it.
///
/// ```
/// # use acp_agent::{Permissions, Result, ToolCall, Turn};
/// struct Agent {
///     /// For all sessions.
///     permissions: Permissions,
/// }
///
/// impl Agent {
///     async fn may_fetch(&self, turn: &Turn, host: &str, call: &ToolCall) -> Result<bool> {
///         Ok(self.permissions.ask(turn, host, call).await?.is_allowed())
///     }
/// }
/// ```
#[derive(Debug, Default)]
pub struct Permissions {
    decisions: Mutex<HashMap<String, Verdict>>,
}

#[derive(Clone, Copy, Debug)]
enum Verdict {
    Allowed,
    Rejected,
}

impl From<Verdict> for Decision {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Allowed => Decision::AllowedAlways,
            Verdict::Rejected => Decision::RejectedAlways,
        }
    }
}

impl Permissions {
    /// Nothing is decided yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// What is remembered for `key`.
    #[must_use]
    pub fn remembered(&self, key: &str) -> Option<Decision> {
        self.decisions().get(key).copied().map(Decision::from)
    }

    /// Remembers that what has this key is allowed, or that it is not.
    pub fn remember(&self, key: impl Into<String>, allowed: bool) {
        let verdict = if allowed { Verdict::Allowed } else { Verdict::Rejected };
        self.decisions().insert(key.into(), verdict);
    }

    /// Forgets what is remembered for `key`: the user is asked again.
    pub fn forget(&self, key: &str) {
        self.decisions().remove(key);
    }

    /// Every key that something is remembered for, and whether it is allowed, in no order.
    #[must_use]
    pub fn to_vec(&self) -> Vec<(String, bool)> {
        let decisions = self.decisions();
        let allowed = |verdict: &Verdict| matches!(verdict, Verdict::Allowed);
        decisions.iter().map(|(key, verdict)| (key.clone(), allowed(verdict))).collect()
    }

    fn decisions(&self) -> MutexGuard<'_, HashMap<String, Verdict>> {
        // Only single map operations run under this lock.
        self.decisions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
