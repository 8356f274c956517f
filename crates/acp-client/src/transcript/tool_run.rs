//! Tool calls with their updates.

use acp_types::v1::{ToolCall, ToolCallStatus, ToolCallUpdate, ToolKind};

use super::content;
use crate::event::ToolCallMember;

/// The status of a call that was cancelled, in version 2.
const CANCELLED: &str = "cancelled";

/// A tool call of a [`Transcript`](crate::Transcript), with all its updates.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ToolRun {
    /// The current state of the call. Its title is empty while the agent has not given one.
    pub call: ToolCall,
    /// True if the call or its turn was cancelled before the call was finished. [Version 1 of the
    /// protocol has no status for
    /// that](https://github.com/acp-rs/acp/blob/main/docs/rules/v1.md#v1-cancel-02). Version 2 has
    /// the status `cancelled`, which is [`Unknown`](ToolCallStatus::Unknown) in the vocabulary.
    pub is_cancelled: bool,
}

impl ToolRun {
    /// Creates a run from an announcement.
    pub(super) fn new(call: ToolCall) -> Self {
        let mut run = Self { call, is_cancelled: false };
        run.is_cancelled = run.is_stopped();
        run
    }

    /// Creates a run from an update without an announcement.
    pub(super) fn unannounced(update: ToolCallUpdate) -> Self {
        let mut run = Self::new(ToolCall::new(update.tool_call_id.clone(), ""));
        run.update(update);
        run
    }

    /// Takes in the announcement of a call that is known already. Members that it leaves out stay.
    pub(super) fn announce(&mut self, call: &ToolCall) {
        let mut update = ToolCallUpdate::from(call);
        update.kind.take_if(|kind| *kind == ToolKind::default());
        update.status.take_if(|status| *status == ToolCallStatus::default());
        update.title.take_if(|title| title.is_empty());
        self.update(update);
    }

    pub(super) fn update(&mut self, update: ToolCallUpdate) {
        let ToolCallUpdate {
            kind, status, title, name, content, locations, raw_input, raw_output, meta, ..
        } = update;
        let call = &mut self.call;
        replace(&mut call.kind, kind);
        replace(&mut call.status, status);
        replace(&mut call.title, title);
        replace(&mut call.content, content);
        replace(&mut call.locations, locations);
        call.name = name.or(call.name.take());
        call.raw_input = raw_input.or(call.raw_input.take());
        call.raw_output = raw_output.or(call.raw_output.take());
        content::join_meta(&mut call.meta, meta);
        self.is_cancelled = self.is_stopped() || (self.is_cancelled && self.is_unfinished());
    }

    /// Takes members away.
    pub(super) fn clear(&mut self, members: &[ToolCallMember]) {
        let call = &mut self.call;
        for member in members {
            match member {
                ToolCallMember::Name => call.name = None,
                ToolCallMember::Title => call.title.clear(),
                ToolCallMember::RawInput => call.raw_input = None,
                ToolCallMember::RawOutput => call.raw_output = None,
                ToolCallMember::Meta => call.meta = None,
            }
        }
    }

    /// Marks an unfinished call as cancelled. Returns true if the mark is new.
    pub(super) fn cancel(&mut self) -> bool {
        let is_new = self.is_unfinished() && !self.is_cancelled;
        self.is_cancelled |= is_new;
        is_new
    }

    /// Returns true if the call has come further than this status. Statuses of other versions have
    /// no order.
    pub(super) fn is_past(&self, status: &ToolCallStatus) -> bool {
        let step = |status: &ToolCallStatus| match status {
            ToolCallStatus::Pending => Some(0),
            ToolCallStatus::InProgress => Some(1),
            ToolCallStatus::Completed | ToolCallStatus::Failed => Some(2),
            ToolCallStatus::Unknown(status) if **status == *CANCELLED => Some(2),
            _ => None,
        };
        step(&self.call.status).zip(step(status)).is_some_and(|(now, then)| now > then)
    }

    fn is_unfinished(&self) -> bool {
        match &self.call.status {
            ToolCallStatus::Pending | ToolCallStatus::InProgress => true,
            ToolCallStatus::Unknown(_) => !self.is_stopped(),
            _ => false,
        }
    }

    fn is_stopped(&self) -> bool {
        self.call.status.as_str() == CANCELLED
    }
}

fn replace<T>(member: &mut T, new: Option<T>) {
    if let Some(new) = new {
        *member = new;
    }
}
