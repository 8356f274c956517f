//! Updates of a session. Each value of the vocabulary has one form.

use acp_types::Maybe;
use acp_types::v1::{CompactionSummaryChunk, CompactionUpdate, ContentChunk, SessionUpdate};
use acp_types::v2::from_v1::{Block, Blocks};
use serde_core::ser::{Error as _, Serialize, SerializeMap, Serializer};

use super::as_is::{member, members, meta, patch};
use super::commands::Commands;
use super::config::ConfigOptions;
use super::plan;
use super::tool_call;
use crate::wire::settings::KnownSettings;

/// The name of the member that tells updates apart.
pub(super) const TAG: &str = "sessionUpdate";

/// An update.
pub(in crate::wire) struct Update<'a> {
    pub(in crate::wire) update: &'a SessionUpdate,
    /// The session's settings with this update, if it is about them.
    pub(in crate::wire) settings: Option<&'a KnownSettings>,
    /// The number of items of a tool call's content that the client has, if the update adds one.
    pub(in crate::wire) known_items: Option<usize>,
}

/// Returns whether the update can be written. A current mode is a config option here: without a
/// list of modes there is none.
pub(in crate::wire) fn has_form(update: &SessionUpdate, settings: Option<&KnownSettings>) -> bool {
    match update {
        SessionUpdate::CurrentModeUpdate(_) => settings.is_some_and(|settings| settings.modes.is_some()),
        _ => true,
    }
}

impl Serialize for Update<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.write(&mut map)?;
        map.end()
    }
}

impl Update<'_> {
    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        match self.update {
            SessionUpdate::UserMessageChunk(chunk) => message(map, "user_message_chunk", chunk),
            SessionUpdate::AgentMessageChunk(chunk) => message(map, "agent_message_chunk", chunk),
            SessionUpdate::AgentThoughtChunk(chunk) => message(map, "agent_thought_chunk", chunk),
            SessionUpdate::ToolCall(call) => {
                tag(map, tool_call::TAG)?;
                tool_call::write_call(call, map)
            }
            SessionUpdate::ToolCallUpdate(update) => {
                match self.known_items.and_then(|known| tool_call::added(update, known)) {
                    Some(item) => {
                        tag(map, tool_call::CHUNK_TAG)?;
                        tool_call::write_added(update, item, map)
                    }
                    None => {
                        tag(map, tool_call::TAG)?;
                        tool_call::write_patch(update, map)
                    }
                }
            }
            SessionUpdate::Plan(plan) => {
                tag(map, plan::TAG)?;
                plan::write(plan, map)
            }
            #[cfg(feature = "unstable")]
            SessionUpdate::PlanUpdate(update) => {
                tag(map, plan::TAG)?;
                plan::write_update(update, map)
            }
            #[cfg(feature = "unstable")]
            SessionUpdate::PlanRemoved(removed) => {
                tag(map, plan::TAG)?;
                plan::write_removed(removed, map)
            }
            SessionUpdate::AvailableCommandsUpdate(update) => {
                tag(map, "available_commands_update")?;
                member(map, "availableCommands", &Commands(&update.available_commands))?;
                meta(map, update.meta.as_ref())
            }
            SessionUpdate::ConfigOptionUpdate(update) => {
                let modes = self.settings.and_then(|settings| settings.modes.as_ref());
                let options = ConfigOptions { modes, options: &update.config_options };
                config(map, &options, update.meta.as_ref())
            }
            SessionUpdate::CurrentModeUpdate(update) => {
                let settings = self.settings.ok_or_else(|| M::Error::custom("the modes are not known"))?;
                let options = ConfigOptions { modes: settings.modes.as_ref(), options: &settings.options };
                config(map, &options, update.meta.as_ref())
            }
            SessionUpdate::SessionInfoUpdate(update) => {
                tag(map, "session_info_update")?;
                patch(map, "title", &update.title)?;
                patch(map, "updatedAt", &update.updated_at)?;
                // Here each name of the metadata is changed by itself.
                meta(map, update.meta.as_ref())
            }
            SessionUpdate::UsageUpdate(update) => {
                tag(map, "usage_update")?;
                members(map, &**update)
            }
            SessionUpdate::Notice(notice) => {
                tag(map, "notice")?;
                members(map, &**notice)
            }
            SessionUpdate::CompactionUpdate(update) => compaction(map, update),
            SessionUpdate::CompactionSummaryChunk(chunk) => summary_chunk(map, chunk),
            #[cfg(feature = "unstable")]
            SessionUpdate::SubagentUpdate(update) => {
                tag(map, "subagent_update")?;
                members(map, &**update)
            }
            #[cfg(feature = "unstable")]
            SessionUpdate::SessionMessage(message) => session_message(map, message),
            #[cfg(feature = "unstable")]
            SessionUpdate::SessionMessageChunk(chunk) => {
                tag(map, "session_message_chunk")?;
                member(map, "messageId", &chunk.message_id)?;
                member(map, "content", &Block(&chunk.content))?;
                meta(map, chunk.meta.as_ref())
            }
            SessionUpdate::Unknown(update) => update.write(TAG, map),
            _ => Err(M::Error::custom("this kind of update has no form in version 2")),
        }
    }
}

fn tag<M: SerializeMap>(map: &mut M, tag: &'static str) -> Result<(), M::Error> {
    member(map, TAG, tag)
}

/// Writes a piece of a message, which has an id here (rule `v2-msg-01`).
fn message<M: SerializeMap>(map: &mut M, of: &'static str, chunk: &ContentChunk) -> Result<(), M::Error> {
    tag(map, of)?;
    let id = chunk.message_id.as_deref();
    member(map, "messageId", id.ok_or_else(|| M::Error::custom("the message has no id"))?)?;
    member(map, "content", &Block(&chunk.content))?;
    meta(map, chunk.meta.as_ref())
}

fn config<M: SerializeMap>(
    map: &mut M,
    options: &ConfigOptions<'_>,
    own_meta: Option<&acp_types::Meta>,
) -> Result<(), M::Error> {
    tag(map, "config_option_update")?;
    member(map, "configOptions", options)?;
    meta(map, own_meta)
}

fn compaction<M: SerializeMap>(map: &mut M, update: &CompactionUpdate) -> Result<(), M::Error> {
    tag(map, "compaction_update")?;
    member(map, "compactionId", &update.compaction_id)?;
    member(map, "status", &update.status)?;
    blocks(map, "summary", &update.summary)?;
    patch(map, "error", &update.error)?;
    patch(map, "_meta", &update.meta)
}

fn summary_chunk<M: SerializeMap>(map: &mut M, chunk: &CompactionSummaryChunk) -> Result<(), M::Error> {
    tag(map, "compaction_summary_chunk")?;
    member(map, "compactionId", &chunk.compaction_id)?;
    member(map, "content", &Block(&chunk.content))?;
    meta(map, chunk.meta.as_ref())
}

#[cfg(feature = "unstable")]
fn session_message<M: SerializeMap>(
    map: &mut M,
    message: &acp_types::v1::SessionMessage,
) -> Result<(), M::Error> {
    tag(map, "session_message")?;
    member(map, "messageId", &message.message_id)?;
    patch(map, "senderSessionId", &message.sender_session_id)?;
    patch(map, "recipientSessionId", &message.recipient_session_id)?;
    patch(map, "senderMessageId", &message.sender_message_id)?;
    patch(map, "recipientMessageId", &message.recipient_message_id)?;
    blocks(map, "content", &message.content)?;
    patch(map, "_meta", &message.meta)
}

fn blocks<M: SerializeMap>(
    map: &mut M,
    name: &'static str,
    blocks: &Maybe<Vec<acp_types::v1::ContentBlock>>,
) -> Result<(), M::Error> {
    let blocks = match blocks {
        Maybe::Absent => Maybe::Absent,
        Maybe::Null => Maybe::Null,
        Maybe::Value(blocks) => Maybe::Value(Blocks(blocks)),
    };
    patch(map, name, &blocks)
}
