//! An update on its way to the client and to the store.

use std::sync::atomic::{AtomicUsize, Ordering};

use acp_rpc::{Encode, EncodeError};
use acp_types::v1::SessionUpdate;
use serde_core::ser::Error as _;

use super::Recorder;
use super::room::Turn;
use crate::wire::gate::Gate;
use crate::wire::session_update::encode_params;

/// The params of a `session/update`, which are recorded when they are written to the connection.
///
/// That happens under the lock of the output buffer, so the records have the order of the wire, whoever sends. The text
/// is made once: the same bytes are sent and stored. What a layer refuses is not recorded, also if one has looked at it.
pub(crate) struct Kept<'a> {
    recorder: &'a Recorder,
    gate: &'a Gate,
    update: &'a SessionUpdate,
    /// `None` for one that goes past the budget.
    _turn: Option<Turn<'a>>,
    /// The length of the update's text, which is the end of the params, but for a brace.
    length: AtomicUsize,
}

impl<'a> Kept<'a> {
    pub(super) const fn new(
        recorder: &'a Recorder,
        gate: &'a Gate,
        update: &'a SessionUpdate,
        turn: Option<Turn<'a>>,
    ) -> Self {
        Kept { recorder, gate, update, _turn: turn, length: AtomicUsize::new(0) }
    }

    /// The update's text in that of the params. Layers add to the beginning of the params alone.
    fn text<'j>(&self, json: &'j [u8]) -> &'j [u8] {
        let end = json.len().saturating_sub(1);
        let start = end.saturating_sub(self.length.load(Ordering::Acquire));
        json.get(start..end).unwrap_or_default()
    }
}

impl Encode for Kept<'_> {
    fn encode(&self, buffer: &mut Vec<u8>) -> Result<(), EncodeError> {
        encode_params(self.recorder.session_id(), buffer, |buffer| {
            let start = buffer.len();
            self.update.encode(buffer)?;
            self.length.store(buffer.len() - start, Ordering::Release);
            Ok(())
        })
    }

    fn leaves(&self, json: &[u8]) -> Result<(), EncodeError> {
        // Notices are no part of the conversation and are not replayed (rule `v1-load-05`).
        if matches!(self.update, SessionUpdate::Notice(_)) {
            return Ok(());
        }
        if self.recorder.record(self.gate, self.update, self.text(json)) {
            return Ok(());
        }
        Err(EncodeError::custom(self.gate.error()))
    }
}
