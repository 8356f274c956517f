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

    /// Takes a step of sending an update, and notes its plan if the update `is_sent` by it. Plans
    /// that are sent at the same time are noted in the order in which they leave.
    pub(super) fn sending<T>(
        &self,
        plan: &mut Option<Plan>,
        step: impl FnOnce() -> T,
        is_sent: impl FnOnce(&T) -> bool,
    ) -> T {
        if plan.is_none() {
            return step();
        }
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let done = step();
        if is_sent(&done) {
            *last = plan.take();
        }
        done
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

#[cfg(test)]
mod tests {
    use acp_types::v1::Plan;

    use super::OpenPlan;

    #[test]
    fn no_other_plan_leaves_before_a_plan_that_has_left_is_noted() {
        let (open, mut plan) = (OpenPlan::default(), Some(Plan::new(Vec::new())));
        let others_wait = || open.last.try_lock().is_err();
        assert!(open.sending(&mut plan, others_wait, |_| true));
        assert!(plan.is_none() && open.last.lock().is_ok_and(|last| last.is_some()));
        // Other updates do not wait.
        assert!(!open.sending(&mut plan, others_wait, |_| true));
        assert!(open.last.lock().is_ok_and(|last| last.is_some()));
    }

    #[test]
    fn a_plan_that_did_not_leave_is_not_noted() {
        let (open, mut plan) = (OpenPlan::default(), Some(Plan::new(Vec::new())));
        open.sending(&mut plan, || (), |()| false);
        assert!(plan.is_some() && open.last.lock().is_ok_and(|last| last.is_none()));
    }
}
