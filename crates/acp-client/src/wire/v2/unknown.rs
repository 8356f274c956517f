//! Values of kinds that the vocabulary does not have.

use acp_json::Map;
use acp_types::UnknownVariant;
use acp_types::v2::WritesV2;

use super::as_is;

/// Returns a value as one of an unknown kind, with all its members but the tag.
pub(super) fn as_unknown(member: &str, tag: &str, value: &impl WritesV2) -> UnknownVariant {
    let members = as_is::json(value).and_then(|value| as_is::read::<Map>(value.into_node()));
    let mut members = members.unwrap_or_default();
    members.remove(member);
    UnknownVariant::new(tag, members)
}
