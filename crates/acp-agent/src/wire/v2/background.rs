//! Work that goes on beside the turns, and its list in every state of the session.

use std::sync::{Mutex, MutexGuard, PoisonError};

use acp_types::v1::ToolCallId;
use acp_types::v2::WritesV2;
use serde_core::ser::{Serialize, SerializeMap as _, Serializer};

use super::as_is::member;

/// The list of a session's background work.
///
/// It is read when a state is written, under the lock of the output buffer, so a state has the list
/// of that moment. No message is written under its own lock.
#[derive(Debug, Default)]
pub(super) struct Background {
    /// `None` until there was some: only then states have the list (rule `v2-bg-02`).
    calls: Mutex<Option<Vec<ToolCallId>>>,
}

impl Background {
    pub(super) fn begin(&self, call: &ToolCallId) {
        self.calls().get_or_insert_default().push(call.clone());
    }

    pub(super) fn end(&self, call: &ToolCallId) {
        if let Some(calls) = &mut *self.calls() {
            calls.retain(|of| of != call);
        }
    }

    /// Returns whether states have the list.
    pub(super) fn is_reported(&self) -> bool {
        self.calls().is_some()
    }

    fn calls(&self) -> MutexGuard<'_, Option<Vec<ToolCallId>>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl WritesV2 for Background {}

impl Serialize for Background {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let calls = self.calls().clone();
        serializer.collect_seq(calls.iter().flatten().map(Item))
    }
}

struct Item<'a>(&'a ToolCallId);

impl Serialize for Item<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut item = serializer.serialize_map(Some(2))?;
        member(&mut item, "type", "tool_call")?;
        member(&mut item, "toolCallId", self.0)?;
        item.end()
    }
}
