//! The tokens and costs of a session.

use std::sync::{Mutex, MutexGuard, PoisonError};

use acp_types::v1::ext::{SessionUsage, Spent, UsageSums};
use acp_types::v1::{PromptResponse, SessionUpdate, UsageUpdate};

use crate::error::Result;
use crate::updates::session_updates::SessionUpdates;

/// The sums of one session.
#[derive(Debug, Default)]
pub(crate) struct UsageMeter {
    sums: Mutex<UsageSums>,
}

impl UsageMeter {
    pub(crate) fn now(&self) -> SessionUsage {
        self.sums().now().clone()
    }

    /// Notes that the session was used before it was opened here.
    pub(crate) fn take_up(&self) {
        self.sums().take_up();
    }

    /// Begins a turn: its sum is nothing.
    pub(crate) fn begin_turn(&self) {
        self.sums().begin_turn();
    }

    pub(crate) fn spend(&self, spent: &Spent) {
        self.sums().spend(spent);
    }

    /// Notes an update that the agent has made by itself. Returns true if it is about usage.
    pub(crate) fn observe(&self, update: &SessionUpdate) -> bool {
        match update {
            SessionUpdate::UsageUpdate(usage) => {
                self.sums().update(usage);
                true
            }
            _ => false,
        }
    }

    /// Notes a report, and returns the updates that it is sent by: if it has no cost, one for each
    /// currency of the session's costs.
    pub(crate) fn report(&self, usage: UsageUpdate) -> Vec<UsageUpdate> {
        let mut sums = self.sums();
        sums.update(&usage);
        let mut updates = if usage.cost.is_none() { sums.updates() } else { Vec::new() };
        if updates.is_empty() {
            return vec![usage];
        }
        updates.iter_mut().for_each(|update| update.meta.clone_from(&usage.meta));
        updates
    }

    /// Returns the updates that report the session's costs, unless they are `known`, or nothing
    /// was paid. Two callers at the same time may send in either order: each goes on until the last
    /// sums are known.
    pub(crate) fn changed_by(&self, spent: &Spent, known: &[UsageUpdate]) -> Option<Vec<UsageUpdate>> {
        let updates = if spent.costs.is_empty() { Vec::new() } else { self.sums().updates() };
        (updates != known).then_some(updates)
    }

    /// Completes the answer to a prompt: with the tokens of the session, if the agent has counted
    /// them here and does not report its own.
    #[cfg(feature = "unstable")]
    pub(crate) fn settle(&self, mut response: PromptResponse) -> PromptResponse {
        let mut sums = self.sums();
        sums.end_turn(&response);
        let session = &sums.now().session;
        if response.usage.is_none() && session.total_tokens > 0 {
            response.usage = Some(session.into());
        }
        response
    }

    /// Returns the answer to a prompt: only the unstable schema has tokens in it.
    #[cfg(not(feature = "unstable"))]
    pub(crate) fn settle(&self, response: PromptResponse) -> PromptResponse {
        response
    }

    fn sums(&self) -> MutexGuard<'_, UsageSums> {
        // Nothing but sums is made under this lock.
        self.sums.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tokens and costs.
impl SessionUpdates {
    /// Returns the tokens and costs of the session and of its turn, as far as they were
    /// [spent](Self::spend) or [reported](Self::report_usage) since the session was opened here.
    #[must_use]
    pub fn usage(&self) -> SessionUsage {
        self.meter().now()
    }

    /// Adds tokens and costs to the sums of the session and of the turn that runs, as
    /// [`Turn::spend`](crate::Turn::spend) does. It stops no turn.
    ///
    /// # Errors
    /// The errors of [`update`](Self::update).
    pub async fn spend(&self, spent: &Spent) -> Result<()> {
        self.meter().spend(spent);
        let mut last = Vec::new();
        while let Some(updates) = self.meter().changed_by(spent, &last) {
            for update in &updates {
                self.send_unobserved(update.clone().into()).await?;
            }
            last = updates;
        }
        Ok(())
    }

    /// Reports how full the context window is, and what the session has cost. Without a cost it
    /// gets the sum of what was [spent](Self::spend); a cost replaces that sum.
    ///
    /// # Errors
    /// The errors of [`update`](Self::update).
    pub async fn report_usage(&self, usage: UsageUpdate) -> Result<()> {
        for update in self.meter().report(usage) {
            self.send_unobserved(update.into()).await?;
        }
        Ok(())
    }
}
