//! The events that updates are.

use acp_json::ReadError;
use acp_types::v1::{AvailableCommandsUpdate, ConfigOptionUpdate, MessageId};
use acp_types::v2::{ContentBlock, SessionUpdate};
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
