//! The events that updates are.

use acp_json::{Map, Value};
use acp_types::UnknownVariant;
use acp_types::v1::SessionUpdate;

use crate::Event;

impl From<SessionUpdate> for Event {
    fn from(update: SessionUpdate) -> Self {
        match update {
            SessionUpdate::AgentMessageChunk(chunk) => Self::Message(chunk),
            SessionUpdate::AgentThoughtChunk(chunk) => Self::Thought(chunk),
            SessionUpdate::UserMessageChunk(chunk) => Self::UserMessage(chunk),
            SessionUpdate::ToolCall(call) => Self::ToolCall(call),
            SessionUpdate::ToolCallUpdate(update) => Self::ToolCallUpdate(update),
            SessionUpdate::Plan(plan) => Self::Plan(plan),
            SessionUpdate::AvailableCommandsUpdate(commands) => Self::Commands(commands),
            SessionUpdate::CurrentModeUpdate(mode) => Self::Mode(mode),
            SessionUpdate::ConfigOptionUpdate(config) => Self::Config(config),
            SessionUpdate::SessionInfoUpdate(info) => Self::Info(info),
            SessionUpdate::UsageUpdate(usage) => Self::Usage(usage),
            SessionUpdate::Notice(notice) => Self::Notice(notice),
            SessionUpdate::CompactionUpdate(compaction) => Self::Compaction(compaction),
            SessionUpdate::CompactionSummaryChunk(chunk) => Self::CompactionSummary(chunk),
            SessionUpdate::Unknown(unknown) => Self::Unknown(unknown),
            // The types know this kind and events do not name it: it is unstable.
            other => Self::Unknown(as_unknown(&other)),
        }
    }
}

fn as_unknown(update: &SessionUpdate) -> UnknownVariant {
    let members = Value::new(update).and_then(|value| acp_json::read::<Map>(value.into_node()));
    let mut members = members.unwrap_or_default();
    members.remove("sessionUpdate");
    UnknownVariant::new(update.tag(), members)
}
