//! Plans with a name, beside the plan of a session.

use super::{Change, Transcript};
use crate::event::PlanContent;

/// The number of named plans that are kept, the newest.
const KEPT: usize = 64;

/// A plan with a name, in a [`Transcript`](crate::Transcript).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct NamedPlan {
    /// The agent's id of the plan.
    pub id: String,
    /// The content.
    pub content: PlanContent,
}

impl NamedPlan {
    pub(super) const fn new(id: String, content: PlanContent) -> Self {
        Self { id, content }
    }
}

impl Transcript {
    /// Returns the plans that the agent has beside [`plan`](Self::plan), in the order in which they
    /// first appeared: the newest 64.
    #[must_use]
    pub fn named_plans(&self) -> &[NamedPlan] {
        &self.named_plans
    }

    pub(super) fn fold_named_plan(&mut self, id: String, content: PlanContent) -> Change {
        match self.named_plans.iter_mut().find(|plan| plan.id == id) {
            Some(plan) => plan.content = content,
            None => {
                if self.named_plans.len() == KEPT {
                    self.named_plans.remove(0);
                }
                self.named_plans.push(NamedPlan::new(id, content));
            }
        }
        Change::Plan
    }

    pub(super) fn fold_plan_removed(&mut self, id: &str) -> Change {
        let before = self.named_plans.len();
        self.named_plans.retain(|plan| plan.id != id);
        if self.named_plans.len() < before { Change::Plan } else { Change::Nothing }
    }
}
