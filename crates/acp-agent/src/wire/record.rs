//! Records of a session: prompts, updates and settings, as a store keeps them.
//!
//! The record of an update has the bytes that went to the client. All records are of version 1.

use std::sync::Arc;

use acp_json::ReadError;
use acp_rpc::{Encode, EncodeError};
use acp_types::v1::{
    ContentBlock, LoadSessionResponse, SessionConfigOption, SessionId, SessionModeState, SessionUpdate,
};
use serde_json::value::RawValue;

use super::{Wire, v1};

/// Writes the record of a prompt.
pub(crate) fn write_prompt(blocks: &[ContentBlock], buffer: &mut Vec<u8>) -> Result<(), EncodeError> {
    blocks.encode(buffer)
}

/// Reads the record of a prompt.
pub(crate) fn read_prompt(text: &str) -> Result<Vec<ContentBlock>, ReadError> {
    acp_json::from_str(text)
}

/// Reads the record of an update.
pub(crate) fn read_update(text: &str) -> Result<SessionUpdate, ReadError> {
    acp_json::from_str(text)
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

/// Returns the blocks of a prompt's record as they are, or `None` if it does not have any.
pub(crate) fn blocks(text: &str) -> Option<Vec<&RawValue>> {
    serde_json::from_str(text).ok()
}

/// Returns true if every client takes the update of this record. False means that the update has to
/// be read to know.
pub(crate) fn is_for_every_client(text: &str) -> bool {
    v1::record::is_for_every_client(text)
}

/// A record of an update, as it is written to the connection again.
pub(crate) struct RecordParams<'a> {
    wire: &'a Wire,
    session: &'a SessionId,
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
    pub(crate) const fn record<'a>(&'a self, session: &'a SessionId, text: &'a str) -> RecordParams<'a> {
        RecordParams { wire: self, session, text }
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

impl Encode for RecordParams<'_> {
    fn encode(&self, buffer: &mut Vec<u8>) -> Result<(), EncodeError> {
        match self.wire {
            Wire::V1 => v1::record::write_update(self.session, self.text, buffer),
        }
    }
}

impl Encode for BlockParams<'_> {
    fn encode(&self, buffer: &mut Vec<u8>) -> Result<(), EncodeError> {
        match self.wire {
            Wire::V1 => v1::record::write_block(self.session, self.block, self.message_id, buffer),
        }
    }
}
