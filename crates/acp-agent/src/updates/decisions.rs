//! Decisions that the user wants to be remembered.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use acp_types::v1::ToolCall;

use crate::ask::permission::{Decision, allow_always, allow_once, reject_always, reject_once};
use crate::error::Result;
use crate::turn::Turn;

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

    /// The decision that is remembered for `key`; else asks the user, who can allow or reject once or always, and
    /// remembers an answer that is for always.
    ///
    /// # Errors
    /// Those of [`Turn::ask_with`]. An error is never consent, and is not remembered.
    pub async fn ask(&self, turn: &Turn, key: impl Into<String>, call: &ToolCall) -> Result<Decision> {
        let key = key.into();
        if let Some(decision) = self.remembered(&key) {
            turn.check_open()?;
            return Ok(decision);
        }
        let options = [allow_once(), allow_always(), reject_once(), reject_always()];
        let decision = Decision::from(&turn.ask_with(call, options).await?.kind);
        match decision {
            Decision::AllowedAlways | Decision::RejectedAlways => self.remember(key, decision.is_allowed()),
            Decision::Allowed | Decision::Rejected => {}
        }
        Ok(decision)
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

impl Turn {
    /// Asks the user whether a tool call may be done, unless the session remembers the answer: one that is for
    /// always is kept under `key`, which says what the like of the call is.
    ///
    /// ```
    /// # use acp_agent::{Result, Turn, types::ToolCall};
    /// # async fn edit(turn: Turn) -> Result<()> {
    /// let call = ToolCall::edit("Edit notes.txt");
    /// if turn.ask_remembered("edit", &call).await?.is_allowed() {
    ///     // … the work …
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Those of [`ask_with`](Self::ask_with). An error is never consent.
    pub async fn ask_remembered(&self, key: impl Into<String>, call: &ToolCall) -> Result<Decision> {
        self.permissions().ask(self, key, call).await
    }

    /// What the user has decided for good in this session.
    #[must_use]
    pub fn permissions(&self) -> &Permissions {
        self.session_updates().permissions()
    }
}
