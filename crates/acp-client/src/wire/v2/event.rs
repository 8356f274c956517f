//! The events that updates are.

use acp_json::ReadError;
use acp_types::v1::{
    AvailableCommandsUpdate, CompactionSummaryChunk, CompactionUpdate, ConfigOptionUpdate, Cost, MessageId,
    Notice, SessionInfoUpdate, UsageUpdate,
};
use acp_types::v2::{self, ContentBlock, SessionUpdate};
use acp_types::{Maybe, Meta};

use super::unknown::as_unknown;
use super::{blocks, commands, config, plan, state, terminal, tool_call};
use crate::event::{Cleared, Event, MessageKind};

/// Decodes an update whose form differs from that of version 1. It does not know what the session
/// has: see [`Known`](super::known::Known).
///
/// # Errors
/// The output of a terminal is malformed.
pub(super) fn decode(update: SessionUpdate) -> Result<(Event, Option<Cleared>), ReadError> {
    let event = match update {
        SessionUpdate::ToolCallUpdate(update) => {
            let (update, cleared) = tool_call::update(*update);
            return Ok((Event::ToolCallUpdate(Box::new(update)), cleared));
        }
        SessionUpdate::UserMessageChunk(chunk) => Event::UserMessage(blocks::chunk(*chunk)),
        SessionUpdate::AgentMessageChunk(chunk) => Event::Message(blocks::chunk(*chunk)),
        SessionUpdate::AgentThoughtChunk(chunk) => Event::Thought(blocks::chunk(*chunk)),
        SessionUpdate::SessionInfoUpdate(update) => {
            let (info, cleared) = session_info(*update);
            return Ok((Event::Info(Box::new(info)), cleared));
        }
        SessionUpdate::UsageUpdate(update) => {
            let (usage, cleared) = usage(*update);
            return Ok((Event::Usage(Box::new(usage)), cleared));
        }
        SessionUpdate::Notice(notice) => Event::Notice(Box::new(told(*notice))),
        SessionUpdate::CompactionUpdate(update) => Event::Compaction(Box::new(compaction(*update))),
        SessionUpdate::CompactionSummaryChunk(chunk) => {
            let mut read = CompactionSummaryChunk::new(chunk.compaction_id, blocks::block(chunk.content));
            read.meta = chunk.meta;
            Event::CompactionSummary(Box::new(read))
        }
        SessionUpdate::ToolCallContentChunk(chunk) => tool_call::chunk(*chunk),
        SessionUpdate::UserMessage(message) => {
            replaced(MessageKind::User, message.message_id, message.content, message.meta)
        }
        SessionUpdate::AgentMessage(message) => {
            replaced(MessageKind::Agent, message.message_id, message.content, message.meta)
        }
        SessionUpdate::AgentThought(message) => {
            replaced(MessageKind::Thought, message.message_id, message.content, message.meta)
        }
        SessionUpdate::StateUpdate(update) => Event::State(Box::new(state::state(*update))),
        SessionUpdate::TerminalUpdate(update) => terminal::update(*update),
        SessionUpdate::TerminalOutputChunk(chunk) => terminal::chunk(*chunk)?,
        SessionUpdate::PlanUpdate(update) => plan::update(update.plan),
        #[cfg(feature = "unstable")]
        SessionUpdate::PlanRemoved(removed) => Event::PlanRemoved { id: removed.plan_id.to_string() },
        SessionUpdate::ConfigOptionUpdate(update) => {
            let mut read = ConfigOptionUpdate::new(config::options(update.config_options));
            read.meta = update.meta;
            Event::Config(read)
        }
        SessionUpdate::AvailableCommandsUpdate(update) => {
            let mut read = AvailableCommandsUpdate::new(commands::commands(update.available_commands));
            read.meta = update.meta;
            Event::Commands(read)
        }
        SessionUpdate::Unknown(unknown) => Event::Unknown(unknown),
        // The types know this kind and events do not name it: it is unstable.
        other => Event::Unknown(as_unknown("sessionUpdate", other.tag(), &other)),
    };
    Ok((event, None))
}

fn replaced(kind: MessageKind, id: MessageId, content: Maybe<Vec<ContentBlock>>, meta: Maybe<Meta>) -> Event {
    let content = match content {
        Maybe::Absent => None,
        Maybe::Null => Some(Vec::new()),
        Maybe::Value(content) => Some(blocks::blocks(content)),
    };
    Event::MessageReplaced { kind, id, content, meta }
}

fn session_info(update: v2::SessionInfoUpdate) -> (SessionInfoUpdate, Option<Cleared>) {
    let mut read = SessionInfoUpdate::new();
    read.title = update.title;
    read.updated_at = update.updated_at;
    let cleared = matches!(update.meta, Maybe::Null).then_some(Cleared::SessionMeta);
    read.meta = set(update.meta);
    (read, cleared)
}

fn usage(update: v2::UsageUpdate) -> (UsageUpdate, Option<Cleared>) {
    let mut read = UsageUpdate::new(update.used, update.size);
    let cleared = matches!(update.cost, Maybe::Null).then_some(Cleared::Cost);
    read.cost = set(update.cost).map(|cost| {
        let mut read = Cost::new(cost.amount, cost.currency);
        read.meta = cost.meta;
        read
    });
    read.meta = update.meta;
    (read, cleared)
}

/// Returns the value that is set.
fn set<T>(value: Maybe<T>) -> Option<T> {
    match value {
        Maybe::Value(value) => Some(value),
        Maybe::Absent | Maybe::Null => None,
    }
}

fn told(notice: v2::Notice) -> Notice {
    let mut read = Notice::new(notice.severity.as_str(), notice.title);
    read.description = notice.description;
    read.meta = notice.meta;
    read
}

fn compaction(update: v2::CompactionUpdate) -> CompactionUpdate {
    let mut read = CompactionUpdate::new(update.compaction_id, update.status.as_str());
    read.summary = match update.summary {
        Maybe::Absent => Maybe::Absent,
        Maybe::Null => Maybe::Null,
        Maybe::Value(summary) => Maybe::Value(blocks::blocks(summary)),
    };
    read.error = update.error;
    read.meta = update.meta;
    read
}
