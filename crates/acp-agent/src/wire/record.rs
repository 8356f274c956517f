//! Records of a session: prompts, updates and settings, as a store keeps them.
//!
//! The record of an update has the bytes that went to the client, in the version that the client
//! had. All other records are of version 1, the vocabulary.

use std::collections::HashMap;
use std::sync::Arc;

use acp_json::ReadError;
use acp_rpc::{Encode, EncodeError};
use acp_types::v1::{
    ContentBlock, LoadSessionResponse, MessageId, ProtocolVersion, SessionConfigOption, SessionId,
    SessionModeState, SessionUpdate,
};
use serde_json::value::RawValue;

#[cfg(feature = "v2")]
use super::history;
use super::{Wire, v1};

/// Writes the record of a prompt: its blocks, or an object with them and the id of the message.
pub(crate) fn write_prompt(
    blocks: &[ContentBlock],
    message_id: Option<&MessageId>,
    buffer: &mut Vec<u8>,
) -> Result<(), EncodeError> {
    let Some(message_id) = message_id else { return blocks.encode(buffer) };
    buffer.extend_from_slice(br#"{"messageId":"#);
    message_id.encode(buffer)?;
    buffer.extend_from_slice(br#","content":"#);
    blocks.encode(buffer)?;
    buffer.push(b'}');
    Ok(())
}

/// Reads the record of a prompt.
pub(crate) fn read_prompt(text: &str) -> Result<Vec<ContentBlock>, ReadError> {
    if text.starts_with('{') {
        let mut prompt = acp_json::parse(text)?;
        return acp_json::read(prompt.take("content").unwrap_or_default());
    }
    acp_json::from_str(text)
}

/// Returns whether this program reads updates of a version.
pub(crate) fn is_known(version: ProtocolVersion) -> bool {
    version.0 <= if cfg!(feature = "v2") { 2 } else { 1 }
}

/// Reads the record of an update by itself. The version is [known](is_known).
#[cfg_attr(not(feature = "v2"), allow(unused_variables, reason = "there is one version"))]
pub(crate) fn read_update(version: ProtocolVersion, text: &str) -> Result<SessionUpdate, ReadError> {
    #[cfg(feature = "v2")]
    if version == ProtocolVersion::V2 {
        return history::read_alone(text);
    }
    acp_json::from_str(text)
}

/// Reads the records of a session's updates into the vocabulary, in their order.
#[derive(Debug, Default)]
pub(crate) struct RecordReader {
    #[cfg(feature = "v2")]
    v2: history::Decoder,
}

#[cfg_attr(
    not(feature = "v2"),
    allow(
        unused_variables,
        clippy::unused_self,
        clippy::missing_const_for_fn,
        reason = "version 1 is the vocabulary"
    )
)]
impl RecordReader {
    /// Reads the record of an update. A record of version 2 may stand for several updates, or for
    /// none. `position` counts the records of the conversation.
    pub(crate) fn read(
        &mut self,
        version: ProtocolVersion,
        text: &str,
        position: usize,
        updates: &mut Vec<SessionUpdate>,
    ) -> Result<(), ReadError> {
        #[cfg(feature = "v2")]
        if version == ProtocolVersion::V2 {
            return self.v2.decode(text, position, updates);
        }
        self.note(text);
        updates.push(acp_json::from_str(text)?);
        Ok(())
    }

    /// Takes note of a record of version 1 that is not read.
    pub(crate) fn note(&mut self, text: &str) {
        #[cfg(feature = "v2")]
        self.v2.note(text);
    }

    /// Returns the updates that are left at the end.
    pub(crate) fn finish(&mut self) -> Vec<SessionUpdate> {
        #[cfg(feature = "v2")]
        return self.v2.finish();
        #[cfg(not(feature = "v2"))]
        Vec::new()
    }
}

/// Writes the record of the settings: modes and config options with their current values.
pub(crate) fn write_settings(
    modes: Option<&SessionModeState>,
    config_options: Option<&[SessionConfigOption]>,
) -> Arc<str> {
    let mut settings = LoadSessionResponse::new();
    settings.modes = modes.cloned();
    settings.config_options = config_options.map(<[_]>::to_vec);
    acp_types::to_string(&settings).into()
}

/// Reads the record of the settings.
pub(crate) fn read_settings(text: &str) -> Result<LoadSessionResponse, ReadError> {
    acp_json::from_str(text)
}

/// Returns the blocks of a prompt's record as they are, and the id of the message if it has one.
/// Returns `None` if it does not have any blocks.
pub(crate) fn blocks(text: &str) -> Option<(Vec<&RawValue>, Option<String>)> {
    if !text.starts_with('{') {
        return Some((serde_json::from_str(text).ok()?, None));
    }
    let members: HashMap<String, &RawValue> = serde_json::from_str(text).ok()?;
    let blocks = serde_json::from_str(members.get("content")?.get()).ok()?;
    let id = members.get("messageId").and_then(|id| serde_json::from_str(id.get()).ok());
    Some((blocks, id))
}

/// Returns true if every client takes the update of this record. False means that the update has to
/// be read to know.
pub(crate) fn is_for_every_client(text: &str) -> bool {
    v1::record::is_for_every_client(text)
}

/// The part of the params that is the same for all updates of a session.
pub(crate) struct RecordHead(Vec<u8>);

/// A record of an update, as it is written to the connection again.
pub(crate) struct RecordParams<'a> {
    head: &'a RecordHead,
    text: &'a str,
}

/// A block of a prompt's record, as it is written to the connection.
pub(crate) struct BlockParams<'a> {
    wire: &'a Wire,
    session: &'a SessionId,
    block: &'a RawValue,
    message_id: &'a str,
}

impl Wire {
    /// Gives an update that was read from a record of another version the form that it has in a
    /// replay.
    #[cfg_attr(
        not(feature = "v2"),
        allow(unused_variables, clippy::needless_pass_by_ref_mut, reason = "there is one version")
    )]
    pub(crate) fn take_over(&self, update: &mut SessionUpdate) {
        match self {
            Wire::V1 => {}
            #[cfg(feature = "v2")]
            Wire::V2 => history::take_over(update),
        }
    }

    /// Returns a piece of the user's message. Pieces of one message have the same id (rule
    /// `v1-load-04`).
    pub(crate) const fn block<'a>(
        &'a self,
        session: &'a SessionId,
        block: &'a RawValue,
        message_id: &'a str,
    ) -> BlockParams<'a> {
        BlockParams { wire: self, session, block, message_id }
    }
}

impl RecordHead {
    pub(crate) fn of(session: &SessionId) -> Result<Self, EncodeError> {
        let mut head = Vec::new();
        v1::update::write_head(session, &mut head)?;
        Ok(RecordHead(head))
    }

    /// Returns the record of an update of the connection's version as it is written again, byte for
    /// byte.
    pub(crate) const fn before<'a>(&'a self, text: &'a str) -> RecordParams<'a> {
        RecordParams { head: self, text }
    }
}

impl Encode for RecordParams<'_> {
    fn encode(&self, buffer: &mut Vec<u8>) -> Result<(), EncodeError> {
        v1::record::write_update(&self.head.0, self.text, buffer);
        Ok(())
    }
}

impl Encode for BlockParams<'_> {
    fn encode(&self, buffer: &mut Vec<u8>) -> Result<(), EncodeError> {
        match self.wire {
            Wire::V1 => v1::record::write_block(self.session, self.block, self.message_id, buffer),
            #[cfg(feature = "v2")]
            Wire::V2 => history::write_piece(self.session, self.block, self.message_id, buffer),
        }
    }
}
