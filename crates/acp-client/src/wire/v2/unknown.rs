//! Values of kinds that the vocabulary does not have.

use acp_json::{Map, Value};
use acp_types::UnknownVariant;
use serde_core::Serialize;

/// Returns a value as one of an unknown kind, with all its members but the tag.
pub(super) fn as_unknown<T: Serialize>(member: &str, tag: &str, value: &T) -> UnknownVariant {
    let members = Value::new(value).and_then(|value| acp_json::read::<Map>(value.into_node()));
    let mut members = members.unwrap_or_default();
    members.remove(member);
    UnknownVariant::new(tag, members)
}
