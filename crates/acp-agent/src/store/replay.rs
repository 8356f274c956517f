//! Telling a client what was said in a session before.

use acp_types::method::Method as _;
use acp_types::v1::{SessionId, SessionUpdate, methods};
use serde_core::ser::{Serialize, SerializeMap as _, Serializer};
use serde_json::value::RawValue;

use super::recorder::serialize_update;
use super::{History, Record, RecordKind, StoreError};
use crate::client::Client;
use crate::error::{Error, Result};
use crate::offered::check_offered;

/// Sends the history as updates (rules `v1-load-02`, `v1-load-03`): those that were sent byte for byte, and the
/// user's messages as `user_message_chunk`, a chunk for each block. It waits for the client as every update does,
/// so little of a long session is in memory at any time.
pub(crate) async fn replay(mut history: History, session: &SessionId, client: &Client) -> Result<()> {
    let mut prompts = 0;
    while let Some(record) = history.next_record().await? {
        match record.kind() {
            RecordKind::Update if is_offered(&record, client)? => {
                send(client, &Update { session, update: record.raw() }).await?;
            }
            RecordKind::Update => {}
            RecordKind::Prompt => {
                prompts += 1;
                let message_id = format!("prompt_{prompts}");
                let blocks: Vec<&RawValue> =
                    serde_json::from_str(record.json()).map_err(StoreError::other)?;
                for content in blocks {
                    let chunk = UserMessageChunk { content, message_id: &message_id };
                    let update = serde_json::value::to_raw_value(&chunk).map_err(StoreError::other)?;
                    send(client, &Update { session, update: &update }).await?;
                }
            }
        }
    }
    Ok(())
}

async fn send(client: &Client, update: &Update<'_>) -> Result<()> {
    let method = methods::SessionUpdate::NAME;
    client.peer().notify(method, update).await.map_err(|error| Error::call(method, error))
}

/// The session may have been recorded for a client that offers more than this one.
fn is_offered(record: &Record, client: &Client) -> Result<bool> {
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
    let tag = record.json().strip_prefix(r#"{"sessionUpdate":""#).and_then(|rest| rest.split('"').next());
    if tag.is_some_and(|tag| ALWAYS.contains(&tag)) {
        return Ok(true);
    }
    let update: SessionUpdate = acp_types::from_str(record.json()).map_err(StoreError::other)?;
    Ok(check_offered(&update, client.capabilities()).is_ok())
}

/// The params of `session/update`.
struct Update<'a> {
    session: &'a SessionId,
    update: &'a RawValue,
}

impl Serialize for Update<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serialize_update(serializer, self.session, self.update)
    }
}

/// The update of that name. Chunks of one message have the same id (rule `v1-load-04`).
struct UserMessageChunk<'a> {
    content: &'a RawValue,
    message_id: &'a str,
}

impl Serialize for UserMessageChunk<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut update = serializer.serialize_map(Some(3))?;
        update.serialize_entry("sessionUpdate", "user_message_chunk")?;
        update.serialize_entry("content", self.content)?;
        update.serialize_entry("messageId", self.message_id)?;
        update.end()
    }
}
