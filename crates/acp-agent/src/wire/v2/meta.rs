//! The member `_meta`.

use acp_types::Meta;
use serde_core::ser::SerializeMap;

/// Writes the metadata of an object, if it has any.
pub(super) fn meta<M: SerializeMap>(map: &mut M, meta: Option<&Meta>) -> Result<(), M::Error> {
    match meta {
        Some(meta) => map.serialize_entry("_meta", meta),
        None => Ok(()),
    }
}
