//! Remembered decisions of the user.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use acp_types::v1::ext::PermissionAnswer;

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

impl From<Verdict> for PermissionAnswer {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Allowed => PermissionAnswer::AllowAlways,
            Verdict::Rejected => PermissionAnswer::RejectAlways,
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
    pub fn remembered(&self, key: &str) -> Option<PermissionAnswer> {
        self.decisions().get(key).copied().map(PermissionAnswer::from)
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
