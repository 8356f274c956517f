//! Updates on their way to the client and to the store.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use acp_rpc::{Encode, EncodeError};
use acp_types::v1::SessionUpdate;
use serde_core::ser::Error as _;

use super::Recorder;
use super::byte_budget::Permit;
use crate::wire::gate::Gate;
use crate::wire::update::UpdateParams;

/// The params of a `session/update`, which are recorded when they are written to the connection.
///
/// That happens under the lock of the output buffer, so the records have the order of the wire,
/// whoever sends. The text is made once: the same bytes are sent and stored. An update that a layer
/// refuses is not recorded, even if another layer has seen it.
pub(crate) struct RecordedUpdate<'a> {
    recorder: &'a Recorder,
    gate: &'a Gate,
    params: UpdateParams<'a>,
    /// The settings, if the update changes them.
    settings: Option<Arc<str>>,
    /// `None` for an update that goes past the budget.
    _permit: Option<Permit<'a>>,
    /// The length of the update's own text.
    length: AtomicUsize,
}

impl<'a> RecordedUpdate<'a> {
    pub(super) const fn new(
        recorder: &'a Recorder,
        gate: &'a Gate,
        params: UpdateParams<'a>,
        settings: Option<Arc<str>>,
        permit: Option<Permit<'a>>,
    ) -> Self {
        RecordedUpdate { recorder, gate, params, settings, _permit: permit, length: AtomicUsize::new(0) }
    }
}

impl Encode for RecordedUpdate<'_> {
    fn encode(&self, buffer: &mut Vec<u8>) -> Result<(), EncodeError> {
        self.length.store(self.params.write(buffer)?, Ordering::Release);
        Ok(())
    }

    fn leaves(&self, json: &[u8]) -> Result<(), EncodeError> {
        // Notices are not part of the conversation and are not replayed (rule `v1-load-05`).
        let update = self.params.update();
        if matches!(update, SessionUpdate::Notice(_)) {
            return Ok(());
        }
        let text = self.params.text(json, self.length.load(Ordering::Acquire));
        if self.recorder.record(self.gate, update, &text, self.settings.as_deref()) {
            return Ok(());
        }
        Err(EncodeError::custom(self.gate.error()))
    }
}
