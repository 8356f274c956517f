//! Replays of a session's history to a client.

use acp_rpc::{Encode, EncodeError};
use acp_types::method::Method as _;
use acp_types::v1::{SessionId, SessionUpdate, methods};
use serde_core::ser::{Serialize, SerializeMap as _, Serializer};
use serde_json::value::RawValue;

use super::unreadable::Unreadable;
use super::{Record, RecordKind, Records, StoreError};
use crate::client::Client;
use crate::client::client_capabilities::check_offered;
use crate::error::{Error, Result};
use crate::wire::session_update::encode_params;

/// Sends the history as updates (rules `v1-load-02`, `v1-load-03`): updates byte for byte as they
/// were sent, and the user's messages as `user_message_chunk`, one chunk for each block.
///
/// It waits for the client as every update does, and reads only the next records meanwhile. However
/// long the session is, memory holds at most two batches of the store. A record that has to be read
/// for the replay, and cannot be, is passed over.
pub(crate) async fn replay(
    mut records: Box<dyn Records>,
    session: &SessionId,
    client: &Client,
    unreadable: &Unreadable,
) -> Result<()> {
    let mut replay = Replay { session, client, unreadable, records: 0, prompts: 0 };
    let mut batch = records.next().await?;
    while !batch.is_empty() {
        // The store is asked first, because it works while this batch is sent.
        let (next, sent) = tokio::join!(records.next(), replay.send_all(&batch));
        sent?;
        batch = next?;
    }
    Ok(())
}

struct Replay<'a> {
    session: &'a SessionId,
    client: &'a Client,
    unreadable: &'a Unreadable,
    /// The number of records so far.
    records: usize,
    prompts: usize,
}

impl Replay<'_> {
    async fn send_all(&mut self, records: &[Record]) -> Result<()> {
        for record in records {
            self.records += 1;
            match record.kind() {
                RecordKind::Update => match is_offered(record, self.client) {
                    Ok(true) => self.send(Text(record.json())).await?,
                    Ok(false) => {}
                    Err(error) => self.unreadable.report(self.records, &error),
                },
                RecordKind::Prompt => match serde_json::from_str(record.json()) {
                    Ok(blocks) => self.send_prompt(blocks).await?,
                    Err(_) => {
                        let error = StoreError::other("a prompt must be a list of content blocks");
                        self.unreadable.report(self.records, &error);
                    }
                },
                // The answer tells the client the settings, and the rest is the agent's.
                RecordKind::Settings | RecordKind::Saved => {}
            }
        }
        Ok(())
    }

    async fn send_prompt(&mut self, blocks: Vec<&RawValue>) -> Result<()> {
        self.prompts += 1;
        let message_id = format!("prompt_{}", self.prompts);
        for content in blocks {
            self.send(UserMessageChunk { content, message_id: &message_id }).await?;
        }
        Ok(())
    }

    async fn send(&self, update: impl Encode + Sync) -> Result<()> {
        let (method, params) = (methods::SessionUpdate::NAME, Params { session: self.session, update });
        let sent = self.client.peer().notify(method, &params).await;
        sent.map_err(|error| Error::call(method, error))
    }
}

/// Returns whether this client takes the update. The session may have been recorded for a client
/// that offers more.
fn is_offered(record: &Record, client: &Client) -> Result<bool, StoreError> {
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
struct Params<'a, U> {
    session: &'a SessionId,
    update: U,
}

impl<U: Encode> Encode for Params<'_, U> {
    fn encode(&self, buffer: &mut Vec<u8>) -> std::result::Result<(), EncodeError> {
        encode_params(self.session, buffer, |buffer| self.update.encode(buffer))
    }
}

/// JSON text, which is sent as it was stored.
struct Text<'a>(&'a str);

impl Encode for Text<'_> {
    fn encode(&self, buffer: &mut Vec<u8>) -> std::result::Result<(), EncodeError> {
        buffer.extend_from_slice(self.0.as_bytes());
        Ok(())
    }
}

/// A `user_message_chunk`. Chunks of one message have the same id (rule `v1-load-04`).
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
