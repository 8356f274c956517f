//! Values that leave and come as they are, because both versions have them alike.
//!
//! Everything in version 2 is written and read here. The bounds are the guarantee: a type that
//! looks or means something else in version 2 does not have them.

#[cfg(all(feature = "mcp", feature = "unstable"))]
use acp_json::At;
use acp_json::{Node, ReadError, Record};
use acp_types::Maybe;
use acp_types::v2::{ReadsV2, WritesV2};
use serde_core::ser::SerializeMap;
#[cfg(all(feature = "mcp", feature = "unstable"))]
use serde_core::ser::Serializer;

/// Writes a whole value.
#[cfg(all(feature = "mcp", feature = "unstable"))]
pub(in crate::wire) fn whole<T: WritesV2, S: Serializer>(
    value: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    value.serialize(serializer)
}

/// Reads a whole value at a place of a message.
#[cfg(all(feature = "mcp", feature = "unstable"))]
pub(in crate::wire) fn read_at<T: ReadsV2>(node: Node<'_>, at: &At<'_>) -> Result<T, ReadError> {
    T::from_node(node, at)
}

/// Writes the members of an object.
pub(super) fn members<M: SerializeMap>(
    map: &mut M,
    value: &(impl WritesV2 + Record),
) -> Result<(), M::Error> {
    value.write(map)
}

/// Writes a member.
pub(super) fn member<M: SerializeMap>(
    map: &mut M,
    name: &'static str,
    value: &(impl WritesV2 + ?Sized),
) -> Result<(), M::Error> {
    map.serialize_entry(name, value)
}

/// Writes a member that may be absent.
pub(super) fn optional<M: SerializeMap>(
    map: &mut M,
    name: &'static str,
    value: Option<&(impl WritesV2 + ?Sized)>,
) -> Result<(), M::Error> {
    match value {
        Some(value) => member(map, name, value),
        None => Ok(()),
    }
}

/// Writes a member of a change: absent leaves it, `null` clears it, a value sets it.
pub(super) fn patch<M: SerializeMap, T: WritesV2>(
    map: &mut M,
    name: &'static str,
    value: &Maybe<T>,
) -> Result<(), M::Error> {
    match value {
        Maybe::Absent => Ok(()),
        Maybe::Null => map.serialize_entry(name, &()),
        Maybe::Value(value) => member(map, name, value),
    }
}

/// Reads a value.
pub(super) fn read<T: ReadsV2>(node: Node<'_>) -> Result<T, ReadError> {
    acp_json::read(node)
}
