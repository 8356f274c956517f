//! Values that leave and come as they are, because both versions have them alike.
//!
//! Everything in version 2 is written and read here. The bounds are the guarantee: a type that
//! looks or means something else in version 2 does not have them.

use acp_json::{At, Node, ReadError, Record};
use acp_types::v2::{ReadsV2, WritesV2};
use serde_core::ser::{SerializeMap, Serializer};

/// Writes a whole value.
pub(super) fn whole<S: Serializer>(value: &impl WritesV2, serializer: S) -> Result<S::Ok, S::Error> {
    value.serialize(serializer)
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
    value.map_or(Ok(()), |value| member(map, name, value))
}

/// Reads a value.
pub(super) fn read<T: ReadsV2>(node: Node<'_>) -> Result<T, ReadError> {
    acp_json::read(node)
}

/// Reads a value at a place of a message.
pub(super) fn read_at<T: ReadsV2>(node: Node<'_>, at: &At<'_>) -> Result<T, ReadError> {
    T::from_node(node, at)
}
