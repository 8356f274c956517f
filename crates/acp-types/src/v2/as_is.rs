//! Values that are written and read as they are, because both versions have them alike.
//!
//! The bounds are the guarantee: a type of [`v1`](crate::v1) that looks or means something else in
//! version 2 does not have them. A writer of messages of version 2 that writes by these functions
//! alone, and a reader that reads by them alone, take nothing else.

use acp_json::{At, Node, ReadError, Record, Value};
use serde_core::ser::{SerializeMap, Serializer};

use crate::v2::{ReadsV2, WritesV2};
use crate::{Maybe, Meta};

/// Writes a whole value.
///
/// # Errors
/// The errors of the serializer.
pub fn whole<S: Serializer>(value: &impl WritesV2, serializer: S) -> Result<S::Ok, S::Error> {
    value.serialize(serializer)
}

/// Returns the JSON of a whole value.
///
/// # Errors
/// Fails if the value's own `Serialize` fails.
pub fn json(value: &impl WritesV2) -> Result<Value, ReadError> {
    Value::new(value)
}

/// Writes the members of an object.
///
/// # Errors
/// The errors of the serializer.
pub fn members<M: SerializeMap>(map: &mut M, value: &(impl WritesV2 + Record)) -> Result<(), M::Error> {
    value.write(map)
}

/// Writes a member.
///
/// # Errors
/// The errors of the serializer.
pub fn member<M: SerializeMap>(
    map: &mut M,
    name: &'static str,
    value: &(impl WritesV2 + ?Sized),
) -> Result<(), M::Error> {
    map.serialize_entry(name, value)
}

/// Writes a member that may be absent.
///
/// # Errors
/// The errors of the serializer.
pub fn optional<M: SerializeMap>(
    map: &mut M,
    name: &'static str,
    value: Option<&(impl WritesV2 + ?Sized)>,
) -> Result<(), M::Error> {
    value.map_or(Ok(()), |value| member(map, name, value))
}

/// Writes a member of a change: absent leaves it, `null` clears it, a value sets it.
///
/// # Errors
/// The errors of the serializer.
pub fn patch<M: SerializeMap>(
    map: &mut M,
    name: &'static str,
    value: &Maybe<impl WritesV2>,
) -> Result<(), M::Error> {
    match value {
        Maybe::Absent => Ok(()),
        Maybe::Null => map.serialize_entry(name, &()),
        Maybe::Value(value) => member(map, name, value),
    }
}

/// Writes the metadata of an object, if it has any.
///
/// # Errors
/// The errors of the serializer.
pub fn meta<M: SerializeMap>(map: &mut M, meta: Option<&Meta>) -> Result<(), M::Error> {
    optional(map, "_meta", meta)
}

/// Reads a value.
///
/// # Errors
/// Fails if the JSON does not hold a `T`.
pub fn read<T: ReadsV2>(node: Node<'_>) -> Result<T, ReadError> {
    acp_json::read(node)
}

/// Reads a value at a place of a message.
///
/// # Errors
/// Fails if the JSON does not hold a `T`.
pub fn read_at<T: ReadsV2>(node: Node<'_>, at: &At<'_>) -> Result<T, ReadError> {
    T::from_node(node, at)
}
