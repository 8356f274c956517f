//! Updates on their way to the client and to the store.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use acp_rpc::EncodeError;
use acp_types::v1::SessionUpdate;
use serde_core::ser::Error as _;

use super::byte_budget::Permit;
use super::keeps::Keeps;
use super::{RecordKind, Recorder};
use crate::wire::gate::Gate;
use crate::wire::update::{self, UpdateParams, is_passing};

/// The params of a `session/update`, which are recorded when they are written to the connection.
///
/// That happens under the lock of the output buffer, so the records have the order of the wire,
/// whoever sends. The text is made once: the same bytes are sent and stored. An update that a layer
/// refuses is not recorded, even if another layer has seen it.
pub(crate) struct RecordedUpdate<'a> {
    recorder: &'a Recorder,
    gate: &'a Gate,
    params: UpdateParams<'a>,
    /// `None` for an update that goes past the budget.
    _permit: Option<Permit<'a>>,
    /// The length of the update's own text.
    length: AtomicUsize,
    _keeps: Keeps,
}

impl<'a> RecordedUpdate<'a> {
    pub(super) const fn new(
        recorder: &'a Recorder,
        gate: &'a Gate,
        params: UpdateParams<'a>,
        permit: Option<Permit<'a>>,
        keeps: Keeps,
    ) -> Self {
        let length = AtomicUsize::new(0);
        RecordedUpdate { recorder, gate, params, _permit: permit, length, _keeps: keeps }
    }
}

impl RecordedUpdate<'_> {
    pub(crate) fn encode(&self, buffer: &mut Vec<u8>) -> Result<(), EncodeError> {
        self.length.store(self.params.write(buffer)?, Ordering::Release);
        Ok(())
    }

    /// Records the update, and behind it the settings if `note` returns them. `note` is called if
    /// the update leaves.
    pub(crate) fn leaves(
        &self,
        json: &[u8],
        note: impl FnOnce(&SessionUpdate) -> Option<Arc<str>>,
    ) -> Result<(), EncodeError> {
        // Notices are not part of the conversation and are not replayed (rule `v1-load-05`).
        let update = self.params.update();
        if matches!(update, SessionUpdate::Notice(_)) || is_passing(update) {
            return Ok(());
        }
        let kind = RecordKind::of_update(self.params.version());
        let text = update::text(json, self.length.load(Ordering::Acquire));
        if self.recorder.record(self.gate, update, (kind, text), || note(update)) {
            return Ok(());
        }
        Err(EncodeError::custom(self.gate.error()))
    }
}
