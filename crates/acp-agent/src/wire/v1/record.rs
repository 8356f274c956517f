//! Records of a session on their way to the client, as they were stored.

use acp_rpc::{Encode as _, EncodeError};
use acp_types::v1::SessionId;
use serde_core::ser::{Serialize, SerializeMap as _, Serializer};
use serde_json::value::RawValue;

use super::update;

/// Returns true if every client takes the update of this record, by the text before its second
/// member.
pub(in crate::wire) fn is_for_every_client(text: &str) -> bool {
    const ALWAYS: [&str; 10] = [
        "agent_message_chunk",
        "agent_thought_chunk",
        "tool_call",
        "tool_call_update",
        "user_message_chunk",
        "plan",
        "available_commands_update",
        "current_mode_update",
        "session_info_update",
        "usage_update",
    ];
    // A search for the end of the tag would cost more than all of this.
    let is = |rest: &str, tag| rest.strip_prefix(tag).is_some_and(|rest| rest.starts_with('"'));
    text.strip_prefix(r#"{"sessionUpdate":""#).is_some_and(|rest| ALWAYS.iter().any(|tag| is(rest, *tag)))
}

/// Writes the params of an update behind their [head](update::write_head).
pub(in crate::wire) fn write_update(head: &[u8], text: &str, buffer: &mut Vec<u8>) {
    buffer.extend_from_slice(head);
    buffer.extend_from_slice(text.as_bytes());
    buffer.push(b'}');
}

pub(in crate::wire) fn write_block(
    session: &SessionId,
    content: &RawValue,
    message_id: &str,
    buffer: &mut Vec<u8>,
) -> Result<(), EncodeError> {
    let chunk = UserMessageChunk { content, message_id };
    update::write(session, buffer, |buffer| chunk.encode(buffer)).map(drop)
}

struct UserMessageChunk<'a> {
    content: &'a RawValue,
    message_id: &'a str,
}

impl Serialize for UserMessageChunk<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut update = serializer.serialize_map(Some(3))?;
        update.serialize_entry("sessionUpdate", "user_message_chunk")?;
        update.serialize_entry("content", self.content)?;
        update.serialize_entry("messageId", self.message_id)?;
        update.end()
    }
}
