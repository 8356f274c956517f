//! Plans, each of which has an id.

#[cfg(feature = "unstable")]
use acp_types::v1::PlanUpdateContent;
use acp_types::v1::{Plan, PlanEntry};
use acp_types::v2::WritesV2;
#[cfg(feature = "unstable")]
use serde_core::ser::Error as _;
use serde_core::ser::{Serialize, SerializeMap, Serializer};

#[cfg(feature = "unstable")]
use super::as_is::members;
use super::as_is::{member, meta};
use crate::wire::one_plan::ONLY_PLAN;

pub(super) const TAG: &str = "plan_update";

/// Writes the members of a plan without an id.
pub(super) fn write<M: SerializeMap>(plan: &Plan, map: &mut M) -> Result<(), M::Error> {
    member(map, "plan", &Items { id: ONLY_PLAN, entries: &plan.entries })?;
    meta(map, plan.meta.as_ref())
}

/// Writes the members of a plan in any form.
#[cfg(feature = "unstable")]
pub(super) fn write_update<M: SerializeMap>(
    update: &acp_types::v1::PlanUpdate,
    map: &mut M,
) -> Result<(), M::Error> {
    member(map, "plan", &AnyForm(&update.plan))?;
    meta(map, update.meta.as_ref())
}

/// Writes the members of an update that removes a plan: the stable schema says that by a plan
/// without entries.
#[cfg(feature = "unstable")]
pub(super) fn write_removed<M: SerializeMap>(
    removed: &acp_types::v1::PlanRemoved,
    map: &mut M,
) -> Result<(), M::Error> {
    member(map, "plan", &Items { id: removed.plan_id.as_str(), entries: &[] })?;
    meta(map, removed.meta.as_ref())
}

struct Items<'a> {
    id: &'a str,
    entries: &'a [PlanEntry],
}

impl WritesV2 for Items<'_> {}

impl Serialize for Items<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(3))?;
        member(&mut map, "type", "items")?;
        member(&mut map, "planId", self.id)?;
        member(&mut map, "entries", self.entries)?;
        map.end()
    }
}

#[cfg(feature = "unstable")]
struct AnyForm<'a>(&'a PlanUpdateContent);

#[cfg(feature = "unstable")]
impl WritesV2 for AnyForm<'_> {}

#[cfg(feature = "unstable")]
impl Serialize for AnyForm<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self.0 {
            PlanUpdateContent::Items(plan) => {
                member(&mut map, "type", "items")?;
                members(&mut map, &**plan)?;
            }
            PlanUpdateContent::File(plan) => {
                member(&mut map, "type", "file")?;
                members(&mut map, &**plan)?;
            }
            PlanUpdateContent::Markdown(plan) => {
                member(&mut map, "type", "markdown")?;
                members(&mut map, &**plan)?;
            }
            PlanUpdateContent::Unknown(plan) => plan.write("type", &mut map)?,
            _ => return Err(S::Error::custom("this kind of plan has no form in version 2")),
        }
        map.end()
    }
}
