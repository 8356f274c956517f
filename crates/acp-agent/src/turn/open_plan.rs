//! The plans of a turn, whose running entries are closed when the turn ends.

use std::sync::{Mutex, MutexGuard, PoisonError};

use acp_types::v1::{Plan, PlanEntry, PlanEntryStatus, SessionUpdate};
#[cfg(feature = "unstable")]
use acp_types::v1::{PlanId, PlanUpdate, PlanUpdateContent};

/// The last plans that a turn has sent.
#[derive(Debug, Default)]
pub(super) struct OpenPlan {
    last: Mutex<Plans>,
}

#[derive(Debug, Default)]
struct Plans {
    plain: Option<Plan>,
    /// The plans with ids, in the order in which they came.
    #[cfg(feature = "unstable")]
    named: Vec<PlanUpdate>,
}

/// A copy of a change to the plans.
pub(super) enum Change {
    Plain(Plan),
    #[cfg(feature = "unstable")]
    Named(Box<PlanUpdate>),
    #[cfg(feature = "unstable")]
    Removed(PlanId),
}

impl OpenPlan {
    /// Returns a copy of the change in an update.
    pub(super) fn of(update: &SessionUpdate) -> Option<Change> {
        match update {
            SessionUpdate::Plan(plan) => Some(Change::Plain(plan.clone())),
            #[cfg(feature = "unstable")]
            SessionUpdate::PlanUpdate(plan) => Some(Change::Named(plan.clone())),
            #[cfg(feature = "unstable")]
            SessionUpdate::PlanRemoved(removed) => Some(Change::Removed(removed.plan_id.clone())),
            _ => None,
        }
    }

    /// Takes a step of sending an update, and notes its change if the update `is_sent` by it.
    /// Changes that are sent at the same time are noted in the order in which they leave.
    pub(super) fn sending<T>(
        &self,
        change: &mut Option<Change>,
        step: impl FnOnce() -> T,
        is_sent: impl FnOnce(&T) -> bool,
    ) -> T {
        if change.is_none() {
            return step();
        }
        let mut last = self.last();
        let done = step();
        if is_sent(&done)
            && let Some(change) = change.take()
        {
            last.note(change);
        }
        done
    }

    /// Closes the entries that are in progress: they are completed if the turn `is_done`, and
    /// pending again otherwise. Returns the plans that had any.
    pub(super) fn close(&self, is_done: bool) -> Vec<SessionUpdate> {
        let plans = std::mem::take(&mut *self.last());
        let status = if is_done { PlanEntryStatus::Completed } else { PlanEntryStatus::Pending };
        let mut closed = Vec::new();
        if let Some(mut plan) = plans.plain
            && close_entries(&mut plan.entries, &status)
        {
            closed.push(SessionUpdate::Plan(plan));
        }
        #[cfg(feature = "unstable")]
        for mut update in plans.named {
            if let PlanUpdateContent::Items(items) = &mut update.plan
                && close_entries(&mut items.entries, &status)
            {
                closed.push(SessionUpdate::from(update));
            }
        }
        closed
    }

    fn last(&self) -> MutexGuard<'_, Plans> {
        // A step of sending runs under this lock. It leaves the plans as they are.
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Plans {
    fn note(&mut self, change: Change) {
        match change {
            Change::Plain(plan) => self.plain = Some(plan),
            #[cfg(feature = "unstable")]
            Change::Named(plan) => self.set(*plan),
            #[cfg(feature = "unstable")]
            Change::Removed(id) => self.remove(&id),
        }
    }

    /// Keeps the plan in place of the one with its id. Only a list has entries.
    #[cfg(feature = "unstable")]
    fn set(&mut self, plan: PlanUpdate) {
        let Some(id) = id_of(&plan) else { return };
        let known = self.named.iter_mut().find(|known| id_of(known) == Some(id));
        match (known, &plan.plan) {
            (Some(known), _) => *known = plan,
            (None, PlanUpdateContent::Items(_)) => self.named.push(plan),
            (None, _) => {}
        }
    }

    #[cfg(feature = "unstable")]
    fn remove(&mut self, id: &PlanId) {
        self.named.retain(|plan| id_of(plan) != Some(id));
    }
}

#[cfg(feature = "unstable")]
fn id_of(plan: &PlanUpdate) -> Option<&PlanId> {
    match &plan.plan {
        PlanUpdateContent::Items(plan) => Some(&plan.plan_id),
        PlanUpdateContent::File(plan) => Some(&plan.plan_id),
        PlanUpdateContent::Markdown(plan) => Some(&plan.plan_id),
        _ => None,
    }
}

/// Gives this status to the entries that are in progress. Returns true if there were any.
fn close_entries(entries: &mut [PlanEntry], status: &PlanEntryStatus) -> bool {
    let mut changed = false;
    for entry in entries.iter_mut().filter(|entry| entry.status == PlanEntryStatus::InProgress) {
        entry.status = status.clone();
        changed = true;
    }
    changed
}

#[cfg(test)]
mod tests {
    use acp_types::v1::Plan;

    use super::{Change, OpenPlan};

    #[test]
    fn no_other_plan_leaves_before_a_plan_that_has_left_is_noted() {
        let (open, mut plan) = (OpenPlan::default(), Some(Change::Plain(Plan::new(Vec::new()))));
        let others_wait = || open.last.try_lock().is_err();
        assert!(open.sending(&mut plan, others_wait, |_| true));
        assert!(plan.is_none() && open.last.lock().is_ok_and(|last| last.plain.is_some()));
        // Other updates do not wait.
        assert!(!open.sending(&mut plan, others_wait, |_| true));
        assert!(open.last.lock().is_ok_and(|last| last.plain.is_some()));
    }

    #[test]
    fn a_plan_that_did_not_leave_is_not_noted() {
        let (open, mut plan) = (OpenPlan::default(), Some(Change::Plain(Plan::new(Vec::new()))));
        open.sending(&mut plan, || (), |()| false);
        assert!(plan.is_some() && open.last.lock().is_ok_and(|last| last.plain.is_none()));
    }
}
