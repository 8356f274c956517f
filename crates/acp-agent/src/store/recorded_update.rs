//! Updates on their way to the client and to the store.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use acp_rpc::{Encode, EncodeError};
use acp_types::v1::SessionUpdate;
use serde_core::ser::Error as _;

use super::Recorder;
use super::byte_budget::Permit;
use crate::wire::gate::Gate;
use crate::wire::session_update::encode_params;

/// The params of a `session/update`, which are recorded when they are written to the connection.
///
/// That happens under the lock of the output buffer, so the records have the order of the wire,
/// whoever sends. The text is made once: the same bytes are sent and stored. An update that a layer
/// refuses is not recorded, even if another layer has seen it.
pub(crate) struct RecordedUpdate<'a> {
    recorder: &'a Recorder,
    gate: &'a Gate,
    update: &'a SessionUpdate,
    /// The settings, if the update changes them.
    settings: Option<Arc<str>>,
    /// `None` for an update that goes past the budget.
    _permit: Option<Permit<'a>>,
    /// The length of the update's text. It stands at the end of the params, before a brace.
    length: AtomicUsize,
}

impl<'a> RecordedUpdate<'a> {
    pub(super) const fn new(
        recorder: &'a Recorder,
        gate: &'a Gate,
        update: &'a SessionUpdate,
        settings: Option<Arc<str>>,
        permit: Option<Permit<'a>>,
    ) -> Self {
        RecordedUpdate { recorder, gate, update, settings, _permit: permit, length: AtomicUsize::new(0) }
    }

    /// Returns the update's text out of the text of the params. Layers add only to the beginning of
    /// the params.
    fn text<'j>(&self, json: &'j [u8]) -> &'j [u8] {
        let end = json.len().saturating_sub(1);
        let start = end.saturating_sub(self.length.load(Ordering::Acquire));
        json.get(start..end).unwrap_or_default()
    }
}

impl Encode for RecordedUpdate<'_> {
    fn encode(&self, buffer: &mut Vec<u8>) -> Result<(), EncodeError> {
        encode_params(self.recorder.session_id(), buffer, |buffer| {
            let start = buffer.len();
            self.update.encode(buffer)?;
            self.length.store(buffer.len() - start, Ordering::Release);
            Ok(())
        })
    }

    fn leaves(&self, json: &[u8]) -> Result<(), EncodeError> {
        // Notices are not part of the conversation and are not replayed (rule `v1-load-05`).
        if matches!(self.update, SessionUpdate::Notice(_)) {
            return Ok(());
        }
        if self.recorder.record(self.gate, self.update, self.text(json), self.settings.as_deref()) {
            return Ok(());
        }
        Err(EncodeError::custom(self.gate.error()))
    }
}
