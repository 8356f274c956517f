//! The state of a session that messages of this version depend on.

#[cfg(feature = "unstable")]
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use acp_types::v1::{ClientCapabilities, SessionUpdate};
#[cfg(feature = "unstable")]
use acp_types::v1::{Plan, PlanUpdateContent};

#[cfg(feature = "unstable")]
use crate::wire::loss::Loss;
use crate::wire::loss::Losses;
#[cfg(feature = "unstable")]
use crate::wire::one_plan::{Effect, ONLY_PLAN, OnePlan};

/// The state of one session. Clones share it.
#[derive(Clone, Debug)]
#[cfg_attr(not(feature = "unstable"), derive(Copy))]
pub(crate) struct SessionState {
    /// The plan that is shown, for a client that has not asked for several (rule `v1-plan-07`).
    #[cfg(feature = "unstable")]
    one_plan: Option<Arc<Mutex<OnePlan>>>,
}

#[cfg(feature = "unstable")]
impl SessionState {
    pub(in crate::wire) fn new(client: &ClientCapabilities) -> Self {
        SessionState { one_plan: client.plan.is_none().then(Arc::default) }
    }

    /// Puts one of several plans as the only one. Returns what is lost by that. `None` means that
    /// the client is told nothing.
    pub(in crate::wire) fn complete(&self, update: &mut SessionUpdate) -> Option<Losses> {
        let Some((mut one_plan, id, is_empty)) = self.plan_in(update) else { return Some(Losses::default()) };
        let effect = one_plan.put(&id, is_empty);
        drop(one_plan);
        put_as_the_only(update);
        match effect {
            Effect::Shown => Some(Losses::default()),
            Effect::Replaces => Some(Losses::of(Loss::SeveralPlans)),
            Effect::Hidden => None,
        }
    }

    /// Puts the last form of a plan, when its turn is over, as the only one. Returns false if the
    /// client shows another.
    pub(in crate::wire) fn closes_plan(&self, update: &mut SessionUpdate) -> bool {
        let Some((one_plan, id, _)) = self.plan_in(update) else { return true };
        let is_shown = one_plan.shows(&id);
        drop(one_plan);
        put_as_the_only(update);
        is_shown
    }

    /// Returns the id of the plan in an update, and true if it is empty, for a client that shows
    /// only one.
    fn plan_in(&self, update: &SessionUpdate) -> Option<(MutexGuard<'_, OnePlan>, Box<str>, bool)> {
        let one_plan = self.one_plan.as_ref()?;
        let (id, is_empty) = match update {
            SessionUpdate::Plan(plan) => (ONLY_PLAN, plan.entries.is_empty()),
            SessionUpdate::PlanUpdate(update) => match &update.plan {
                PlanUpdateContent::Items(plan) => (plan.plan_id.as_str(), plan.entries.is_empty()),
                _ => return None,
            },
            SessionUpdate::PlanRemoved(removed) => (removed.plan_id.as_str(), true),
            _ => return None,
        };
        let one_plan = one_plan.lock().unwrap_or_else(PoisonError::into_inner);
        Some((one_plan, id.into(), is_empty))
    }
}

/// Takes the id from a plan.
#[cfg(feature = "unstable")]
fn put_as_the_only(update: &mut SessionUpdate) {
    let (entries, meta) = match update {
        SessionUpdate::PlanUpdate(update) => match &mut update.plan {
            PlanUpdateContent::Items(plan) => (std::mem::take(&mut plan.entries), update.meta.take()),
            _ => return,
        },
        SessionUpdate::PlanRemoved(removed) => (Vec::new(), removed.meta.take()),
        _ => return,
    };
    let mut plan = Plan::new(entries);
    plan.meta = meta;
    *update = plan.into();
}

#[cfg(not(feature = "unstable"))]
impl SessionState {
    pub(in crate::wire) const fn new(_: &ClientCapabilities) -> Self {
        SessionState {}
    }

    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "a session has one plan")]
    pub(in crate::wire) fn complete(self, _: &mut SessionUpdate) -> Option<Losses> {
        Some(Losses::default())
    }

    #[expect(clippy::unused_self, reason = "a session has one plan")]
    pub(in crate::wire) const fn closes_plan(self, _: &mut SessionUpdate) -> bool {
        true
    }
}
