//! Plans, each of which has an id.

use acp_types::v1::{Plan, PlanEntry};
use serde_core::ser::{Serialize, SerializeMap, Serializer};

use super::meta::meta;

pub(super) const TAG: &str = "plan_update";

/// The id of a plan that has none. A session has one of them.
const ONLY_PLAN: &str = "plan";

/// Writes the members of a plan without an id.
pub(super) fn write<M: SerializeMap>(plan: &Plan, map: &mut M) -> Result<(), M::Error> {
    map.serialize_entry("plan", &Items { id: ONLY_PLAN, entries: &plan.entries })?;
    meta(map, plan.meta.as_ref())
}

/// Writes the members of an update that removes a plan: the stable schema says that by a plan
/// without entries.
#[cfg(feature = "unstable")]
pub(super) fn write_removed<M: SerializeMap>(
    removed: &acp_types::v1::PlanRemoved,
    map: &mut M,
) -> Result<(), M::Error> {
    map.serialize_entry("plan", &Items { id: removed.plan_id.as_str(), entries: &[] })?;
    meta(map, removed.meta.as_ref())
}

struct Items<'a> {
    id: &'a str,
    entries: &'a [PlanEntry],
}

impl Serialize for Items<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("type", "items")?;
        map.serialize_entry("planId", self.id)?;
        map.serialize_entry("entries", self.entries)?;
        map.end()
    }
}
