//! The plan of a turn, whose running entries are closed when the turn ends.

use std::sync::{Mutex, PoisonError};

use acp_types::v1::{Plan, PlanEntryStatus, SessionUpdate};

/// The last plan that a turn has sent.
#[derive(Debug, Default)]
pub(super) struct OpenPlan {
    last: Mutex<Option<Plan>>,
}

impl OpenPlan {
    /// Returns a copy of the plan in an update.
    pub(super) fn of(update: &SessionUpdate) -> Option<Plan> {
        match update {
            SessionUpdate::Plan(plan) => Some(plan.clone()),
            _ => None,
        }
    }

    /// Notes a plan that was sent.
    pub(super) fn sent(&self, plan: Option<Plan>) {
        if plan.is_some() {
            *self.last.lock().unwrap_or_else(PoisonError::into_inner) = plan;
        }
    }

    /// Closes the entries that are in progress: they are completed if the turn `is_done`, and
    /// pending again otherwise. Returns the plan if there were any.
    pub(super) fn close(&self, is_done: bool) -> Option<SessionUpdate> {
        let mut plan = self.last.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        let status = if is_done { PlanEntryStatus::Completed } else { PlanEntryStatus::Pending };
        let mut changed = false;
        for entry in plan.entries.iter_mut().filter(|entry| entry.status == PlanEntryStatus::InProgress) {
            entry.status = status.clone();
            changed = true;
        }
        changed.then_some(SessionUpdate::Plan(plan))
    }
}
