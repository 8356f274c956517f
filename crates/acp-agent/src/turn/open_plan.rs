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
    use std::sync::Mutex;

    use acp_types::v1::{Plan, PlanEntry, PlanEntryPriority, PlanEntryStatus};

    use super::OpenPlan;

    /// Many threads send plans at once. The one that left last is the one that is closed.
    #[test]
    fn the_plan_that_left_last_is_noted() {
        for _ in 0..200 {
            let (open, left) = (OpenPlan::default(), Mutex::new(Vec::new()));
            std::thread::scope(|scope| {
                for sender in 0..4 {
                    let (open, left) = (&open, &left);
                    scope.spawn(move || {
                        for number in 0..20 {
                            let text = format!("{sender} {number}");
                            let entry = PlanEntry::new(
                                text.as_str(),
                                PlanEntryPriority::Medium,
                                PlanEntryStatus::InProgress,
                            );
                            let mut plan = Some(Plan::new(vec![entry]));
                            let send = || left.lock().map(|mut left| left.push(text)).is_ok();
                            assert!(open.sending(&mut plan, send, |is_sent| *is_sent));
                        }
                    });
                }
            });
            let noted = open.last.lock().ok().and_then(|mut plan| plan.take());
            let noted = noted.and_then(|plan| Some(plan.entries.first()?.content.clone()));
            assert_eq!(noted, left.into_inner().ok().and_then(|mut left| left.pop()));
        }
    }

    #[test]
    fn a_plan_that_did_not_leave_is_not_noted() {
        let (open, mut plan) = (OpenPlan::default(), Some(Plan::new(Vec::new())));
        open.sending(&mut plan, || (), |()| false);
        assert!(plan.is_some() && open.last.lock().is_ok_and(|last| last.is_none()));
    }
}
