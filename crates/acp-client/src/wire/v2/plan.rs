//! Plans. Each has an id.

use acp_types::v1::{Plan, PlanEntry};
use acp_types::v2::{self, PlanUpdateContent};

use super::unknown::as_unknown;
use crate::event::{Event, PlanContent};

/// Decodes a plan.
pub(super) fn update(content: PlanUpdateContent) -> Event {
    match content {
        PlanUpdateContent::Items(items) => {
            let mut plan = Plan::new(items.entries.into_iter().map(entry).collect::<Vec<_>>());
            plan.meta = items.meta;
            Event::NamedPlan { id: items.plan_id.to_string(), plan: PlanContent::Items(plan) }
        }
        PlanUpdateContent::Unknown { plan_id, other } => {
            Event::NamedPlan { id: plan_id.to_string(), plan: PlanContent::Unknown(other) }
        }
        // The types know these and the vocabulary does not: they are unstable.
        #[cfg(feature = "unstable")]
        PlanUpdateContent::File(ref file) => {
            let (id, plan) = (file.plan_id.to_string(), as_unknown("type", content.tag(), &content));
            Event::NamedPlan { id, plan: PlanContent::Unknown(without_id(&plan)) }
        }
        #[cfg(feature = "unstable")]
        PlanUpdateContent::Markdown(ref text) => {
            let (id, plan) = (text.plan_id.to_string(), as_unknown("type", content.tag(), &content));
            Event::NamedPlan { id, plan: PlanContent::Unknown(without_id(&plan)) }
        }
        other => Event::Unknown(as_unknown("type", other.tag(), &other)),
    }
}

#[cfg(feature = "unstable")]
fn without_id(plan: &acp_types::UnknownVariant) -> acp_types::UnknownVariant {
    let mut members = plan.members().clone();
    members.remove("planId");
    acp_types::UnknownVariant::new(plan.tag(), members)
}

fn entry(entry: v2::PlanEntry) -> PlanEntry {
    let mut read = PlanEntry::new(entry.content, entry.priority.as_str(), entry.status.as_str());
    read.meta = entry.meta;
    read
}
