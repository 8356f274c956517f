//! Replays of a session's history to a client.

use std::mem::{Discriminant, discriminant};

use acp_rpc::Encode;
use acp_types::v1::{MessageId, ProtocolVersion, SessionId, SessionUpdate};
use serde_json::value::RawValue;

use super::unreadable::Unreadable;
use super::{Record, RecordKind, Records, StoreError};
use crate::client::Client;
use crate::client::client_capabilities::check_offered;
use crate::error::Result;
use crate::wire::record::{RecordHead, RecordReader, blocks, is_for_every_client, read_update};

/// Sends the history as updates (rules `v1-load-02`, `v1-load-03`): updates byte for byte as they
/// were sent, and the user's messages as `user_message_chunk`, one chunk for each block. Updates
/// that were sent in another version than the client's are read and written anew.
///
/// It waits for the client as every update does, and reads only the next records meanwhile. However
/// long the session is, memory holds at most two batches of the store, and with the feature `v2`
/// the ids of the tool calls and messages so far. A record that has to be read
/// for the replay, and cannot be, is passed over.
pub(crate) async fn replay(
    mut records: Box<dyn Records>,
    session: &SessionId,
    client: &Client,
    unreadable: &Unreadable,
) -> Result<()> {
    let (pieces, reader) = (Pieces::default(), RecordReader::default());
    let head = RecordHead::of(session).map_err(StoreError::other)?;
    let mut replay =
        Replay { session, head, client, unreadable, records: 0, position: 0, prompts: 0, pieces, reader };
    let mut batch = records.next().await?;
    while !batch.is_empty() {
        // The store is asked first, because it works while this batch is sent.
        let (next, sent) = tokio::join!(records.next(), replay.send_all(&batch));
        sent?;
        batch = next?;
    }
    let left = replay.reader.finish();
    replay.send_anew(left).await
}

struct Replay<'a> {
    session: &'a SessionId,
    head: RecordHead,
    client: &'a Client,
    unreadable: &'a Unreadable,
    /// The number of records so far.
    records: usize,
    /// The number of those that are of the conversation.
    position: usize,
    prompts: usize,
    pieces: Pieces,
    reader: RecordReader,
}

/// The message that pieces without an id belong to: its kind and its id, which is made of the
/// position of its first record, so that every replay gives it the same.
#[derive(Default)]
struct Pieces(Option<(Discriminant<SessionUpdate>, MessageId)>);

impl Pieces {
    fn complete(&mut self, update: &mut SessionUpdate, position: usize) {
        let kind = discriminant(update);
        let (SessionUpdate::UserMessageChunk(chunk)
        | SessionUpdate::AgentMessageChunk(chunk)
        | SessionUpdate::AgentThoughtChunk(chunk)) = update
        else {
            self.0 = None;
            return;
        };
        if chunk.message_id.is_some() {
            self.0 = None;
            return;
        }
        let current = self.0.take().filter(|(of, _)| *of == kind);
        let (_, id) = current.unwrap_or_else(|| (kind, format!("record_{position}").into()));
        chunk.message_id = Some(Box::new(id.clone()));
        self.0 = Some((kind, id));
    }
}

/// Returns whether the answer tells the client what the update did.
const fn is_setting(update: &SessionUpdate) -> bool {
    matches!(update, SessionUpdate::ConfigOptionUpdate(_) | SessionUpdate::CurrentModeUpdate(_))
}

impl Replay<'_> {
    async fn send_all(&mut self, records: &[Record]) -> Result<()> {
        for record in records {
            self.records += 1;
            self.position += usize::from(!record.kind().is_state());
            match record.kind() {
                RecordKind::Update | RecordKind::UpdateV2 => self.send_update(record).await?,
                RecordKind::Prompt => match blocks(record.json()) {
                    Some((blocks, id)) => self.send_prompt(blocks, id).await?,
                    None => {
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

    /// Sends an update as it was stored, or in the form that the client's version has.
    async fn send_update(&mut self, record: &Record) -> Result<()> {
        let version = record.kind().version();
        if version != self.client.wire().version() {
            let mut updates = Vec::new();
            let read = record.check_version().and_then(|()| {
                let read = self.reader.read(version, record.json(), self.position, &mut updates);
                read.map_err(StoreError::other)
            });
            if let Err(error) = read {
                self.unreadable.report(self.records, &error);
            }
            return self.send_anew(updates).await;
        }
        self.pieces = Pieces::default();
        if version == ProtocolVersion::V1 {
            self.reader.note(record.json());
        }
        match is_offered(record, self.client) {
            Ok(true) => self.send(self.head.before(record.json())).await,
            Ok(false) => Ok(()),
            Err(error) => {
                self.unreadable.report(self.records, &error);
                Ok(())
            }
        }
    }

    /// Sends updates that were read from a record of another version.
    async fn send_anew(&mut self, updates: Vec<SessionUpdate>) -> Result<()> {
        let wire = self.client.wire();
        for mut update in updates {
            if is_setting(&update) || check_offered(&update, self.client.capabilities()).is_err() {
                continue;
            }
            self.pieces.complete(&mut update, self.position);
            wire.take_over(&mut update);
            self.send(wire.update(self.session, &update, None)).await?;
        }
        Ok(())
    }

    async fn send_prompt(&mut self, blocks: Vec<&RawValue>, id: Option<String>) -> Result<()> {
        self.prompts += 1;
        self.pieces = Pieces::default();
        let message_id = id.unwrap_or_else(|| format!("prompt_{}", self.prompts));
        for block in blocks {
            self.send(self.client.wire().block(self.session, block, &message_id)).await?;
        }
        Ok(())
    }

    async fn send(&self, params: impl Encode + Sync) -> Result<()> {
        let (wire, peer) = (self.client.wire(), self.client.peer());
        let sent = match wire.try_send_update(peer, &params) {
            Ok(false) => wire.send_update(peer, &params).await,
            sent => sent.map(drop),
        };
        sent.map_err(|error| wire.update_failed(error))
    }
}

/// Returns whether this client takes the update. The session may have been recorded for a client
/// that offers more.
fn is_offered(record: &Record, client: &Client) -> Result<bool, StoreError> {
    let version = record.kind().version();
    // Version 2 has no updates that have to be offered.
    if version != ProtocolVersion::V1 || is_for_every_client(record.json()) {
        return Ok(true);
    }
    let update = read_update(version, record.json()).map_err(StoreError::other)?;
    Ok(check_offered(&update, client.capabilities()).is_ok())
}
