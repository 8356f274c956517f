//! An update on its way to the client and to the store.

use std::sync::atomic::{AtomicBool, Ordering};

use acp_rpc::{Encode, EncodeError};
use acp_types::v1::SessionUpdate;
use serde_core::ser::Error as _;

use super::Recorder;
use super::room::Turn;
use crate::gate::Gate;
use crate::session_updates::encode_params;

/// The params of a `session/update`, which are recorded while they are written to the connection.
///
/// That happens under the lock of the output buffer, so the records have the order of the wire, whoever sends.
/// The text is made once: the same bytes are sent and stored.
pub(crate) struct Kept<'a> {
    recorder: &'a Recorder,
    gate: &'a Gate,
    update: &'a SessionUpdate,
    /// `None` for one that goes past the budget.
    _turn: Option<Turn<'a>>,
    /// A layer of the connection may look at it before it is sent.
    recorded: AtomicBool,
}

impl<'a> Kept<'a> {
    pub(super) fn new(
        recorder: &'a Recorder,
        gate: &'a Gate,
        update: &'a SessionUpdate,
        turn: Option<Turn<'a>>,
    ) -> Self {
        // Notices are no part of the conversation and are not replayed (rule `v1-load-05`).
        let recorded = AtomicBool::new(matches!(update, SessionUpdate::Notice(_)));
        Kept { recorder, gate, update, _turn: turn, recorded }
    }
}

impl Encode for Kept<'_> {
    fn encode(&self, buffer: &mut Vec<u8>) -> Result<(), EncodeError> {
        encode_params(self.recorder.session_id(), buffer, |buffer| {
            if self.recorded.swap(true, Ordering::AcqRel) {
                return self.update.encode(buffer);
            }
            if self.recorder.record(self.gate, self.update, buffer)? {
                return Ok(());
            }
            Err(EncodeError::custom(self.gate.error()))
        })
    }
}
