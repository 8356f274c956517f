//! Remembered decisions of the user.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use acp_types::v1::PermissionOptionKind;

/// The user's decision on a tool call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Decision {
    /// The user allows this call.
    Allowed,
    /// The user allows this call and all like it.
    AllowedAlways,
    /// The user rejects this call.
    Rejected,
    /// The user rejects this call and all like it.
    RejectedAlways,
}

impl Decision {
    /// Returns whether the call may be done.
    #[must_use]
    pub const fn is_allowed(self) -> bool {
        matches!(self, Decision::Allowed | Decision::AllowedAlways)
    }
}

/// Converts the kind of the chosen option. A kind that this version of the protocol does not know
/// is not consent.
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

/// The decisions that the user has made for good. The agent chooses their keys: the name or kind of
/// a tool, a directory, a command.
///
/// Every session has one, and [`Turn::ask_remembered`](crate::Turn::ask_remembered) asks it. It
/// ends with the session. An agent that wants decisions to live longer keeps one of its own;
/// [`to_vec`](Self::to_vec) and [`remember`](Self::remember) save and restore it.
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
    /// Creates an empty memory.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the decision for `key`, if one is remembered.
    #[must_use]
    pub fn remembered(&self, key: &str) -> Option<Decision> {
        self.decisions().get(key).copied().map(Decision::from)
    }

    /// Remembers whether calls with this key are allowed.
    pub fn remember(&self, key: impl Into<String>, allowed: bool) {
        let verdict = if allowed { Verdict::Allowed } else { Verdict::Rejected };
        self.decisions().insert(key.into(), verdict);
    }

    /// Forgets the decision for `key`. The user is asked again.
    pub fn forget(&self, key: &str) {
        self.decisions().remove(key);
    }

    /// Returns every key with a decision, and whether it is allowed, in no order.
    #[must_use]
    pub fn to_vec(&self) -> Vec<(String, bool)> {
        let decisions = self.decisions();
        let allowed = |verdict: &Verdict| matches!(verdict, Verdict::Allowed);
        decisions.iter().map(|(key, verdict)| (key.clone(), allowed(verdict))).collect()
    }

    fn decisions(&self) -> MutexGuard<'_, HashMap<String, Verdict>> {
        // Nothing but single map operations runs under this lock.
        self.decisions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
