//! The member `_meta`.

use acp_types::Meta;
use serde_core::ser::SerializeMap;

use super::as_is::optional;

/// Writes the metadata of an object, if it has any.
pub(super) fn meta<M: SerializeMap>(map: &mut M, meta: Option<&Meta>) -> Result<(), M::Error> {
    optional(map, "_meta", meta)
}
