//! Updates that the vocabulary has no value for. They pass as values of an unknown kind, with the
//! members that they have here.

use acp_json::Node;
use acp_types::v1::{ContentBlock, MessageId, SessionUpdate};
use acp_types::v2::from_v1::Blocks;
use acp_types::{Map, UnknownVariant, Value, v2};

use super::as_is;
use super::update::TAG;
use crate::error::{Error, Result};

/// Returns an update of the types of this version.
pub(in crate::wire) fn update(update: &v2::SessionUpdate) -> Result<SessionUpdate> {
    let mut node = as_is::json(update).map_err(Error::other)?.into_node();
    let tag = node.take(TAG);
    match (tag.as_ref().and_then(Node::as_str), node) {
        (Some(tag), Node::Map(members)) => {
            let members = members.into_iter().map(|(name, value)| (name, Value::from(value)));
            Ok(SessionUpdate::Unknown(UnknownVariant::new(tag, members.collect::<Map>())))
        }
        _ => Err(Error::from("an update must be an object with a kind")),
    }
}

/// Returns whether the update is a notice of this version's types, which is not replayed (rule
/// `v2-res-10`).
pub(in crate::wire) fn is_notice(update: &SessionUpdate) -> bool {
    matches!(update, SessionUpdate::Unknown(update) if update.tag() == "notice")
}

/// Returns the update with a whole message, in place of its pieces (rule `v2-msg-03`).
pub(in crate::wire) fn whole_message(
    piece: &SessionUpdate,
    id: &MessageId,
    content: &[ContentBlock],
) -> Option<SessionUpdate> {
    let tag = match piece {
        SessionUpdate::UserMessageChunk(_) => "user_message",
        SessionUpdate::AgentMessageChunk(_) => "agent_message",
        SessionUpdate::AgentThoughtChunk(_) => "agent_thought",
        _ => return None,
    };
    let content = as_is::json(&Blocks(content)).ok()?;
    let members = Map::from([("messageId", Value::from(id.as_str())), ("content", content)]);
    Some(SessionUpdate::Unknown(UnknownVariant::new(tag, members)))
}
