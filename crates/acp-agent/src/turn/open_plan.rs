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

    /// Notes a change that was sent.
    pub(super) fn sent(&self, change: Option<Change>) {
        match change {
            None => {}
            Some(Change::Plain(plan)) => self.last().plain = Some(plan),
            #[cfg(feature = "unstable")]
            Some(Change::Named(plan)) => self.last().set(*plan),
            #[cfg(feature = "unstable")]
            Some(Change::Removed(id)) => self.last().remove(&id),
        }
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
        // Nothing but assignments runs under this lock.
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(feature = "unstable")]
impl Plans {
    /// Keeps the plan in place of the one with its id. Only a list has entries.
    fn set(&mut self, plan: PlanUpdate) {
        let Some(id) = id_of(&plan) else { return };
        let known = self.named.iter_mut().find(|known| id_of(known) == Some(id));
        match (known, &plan.plan) {
            (Some(known), _) => *known = plan,
            (None, PlanUpdateContent::Items(_)) => self.named.push(plan),
            (None, _) => {}
        }
    }

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
