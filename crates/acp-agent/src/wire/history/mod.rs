//! Updates that went to a client of version 2, read out of a session's records into the vocabulary.
//!
//! Many say something that the vocabulary does not have. Their JSON is changed to what comes
//! closest, and read as that.

mod calls;
mod terminals;

use std::borrow::Cow;
use std::collections::HashMap;

use acp_json::{Node, ReadError};
use acp_rpc::{Encode as _, EncodeError};
use acp_types::v1::{ContentBlock, ContentChunk, MessageId, Plan, SessionId, SessionUpdate, ToolCallContent};
use acp_types::{Map, UnknownVariant, Value};
use serde_core::ser::Error as _;
use serde_json::value::RawValue;

use self::calls::Calls;
use super::one_plan::{Effect, OnePlan};
use super::v1;
use super::v2::update::Update;

const TAG: &str = "sessionUpdate";

/// The kinds of message, each with the tag of a whole message and that of a piece.
const MESSAGES: [(&str, &str); 3] = [
    ("user_message", "user_message_chunk"),
    ("agent_message", "agent_message_chunk"),
    ("agent_thought", "agent_thought_chunk"),
];

/// The text that stands for a terminal of a client, which is gone.
const TERMINAL: &str = "(terminal)";

/// Reads the updates of a session's records, in their order. Some mean something only together with
/// those before them.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    calls: Calls,
    /// The messages so far, by the tag of a piece and the id, each with the id of the message that
    /// has replaced it.
    messages: HashMap<(&'static str, Box<str>), Option<Box<str>>>,
    one_plan: OnePlan,
}

impl Decoder {
    /// Reads the record at this position of the session. It may stand for no update, or for
    /// several.
    pub(super) fn decode(
        &mut self,
        text: &str,
        position: usize,
        updates: &mut Vec<SessionUpdate>,
    ) -> Result<(), ReadError> {
        let mut update = acp_json::parse(text)?;
        let tag = tag(&update);
        if let Some((_, chunk)) = MESSAGES.into_iter().find(|(whole, _)| *whole == &*tag) {
            return self.message(chunk, update, position, updates);
        }
        if let Some((_, chunk)) = MESSAGES.into_iter().find(|(_, chunk)| *chunk == &*tag) {
            let id = text_of(&update, "messageId").unwrap_or_default().into();
            if let Some(id) = self.messages.entry((chunk, id)).or_default().clone() {
                let _ = update.take("messageId");
                if let Node::Map(members) = &mut update {
                    members.push(("messageId".into(), Node::Str(Cow::Owned(id.into()))));
                }
            }
        }
        match &*tag {
            // States and notices are of their moment. The session's state has the settings.
            "state_update" | "notice" | "config_option_update" => {}
            "tool_call_update" => self.calls.update(update, updates)?,
            "tool_call_content_chunk" => self.calls.add(update, updates)?,
            "terminal_update" => self.calls.terminal(update, updates)?,
            "terminal_output_chunk" => self.calls.terminal_output(&update),
            "plan_update" => updates.extend(self.plan(update)?),
            "available_commands_update" => {
                commands(&mut update);
                updates.push(acp_json::read(update)?);
            }
            _ => updates.push(acp_json::read(update)?),
        }
        Ok(())
    }

    /// Takes note of a record of version 1.
    pub(super) fn note(&mut self, text: &str) {
        let call = text.strip_prefix(r#"{"sessionUpdate":"tool_call","toolCallId":""#);
        if let Some(id) = call.and_then(|rest| rest.split('"').next()) {
            self.calls.know(id);
        }
    }

    /// Returns what is left at the end: the output of terminals that nothing has shown since.
    pub(super) fn finish(&mut self) -> Vec<SessionUpdate> {
        self.calls.finish()
    }

    /// Reads a plan. The vocabulary has one, which is the last of several.
    fn plan(&mut self, mut update: Node<'_>) -> Result<Option<SessionUpdate>, ReadError> {
        let is_list = update.get("plan").is_some_and(|plan| text_of(plan, "type") == Some("items"));
        if !is_list {
            // Other kinds of plan are unstable there.
            return if cfg!(feature = "unstable") { acp_json::read(update).map(Some) } else { Ok(None) };
        }
        let mut plan = update.take("plan").unwrap_or_default();
        let is_empty = matches!(plan.get("entries"), Some(Node::Seq(entries)) if entries.is_empty());
        if self.one_plan.put(text_of(&plan, "planId").unwrap_or_default(), is_empty) == Effect::Hidden {
            return Ok(None);
        }
        let members = ["entries", "_meta"].map(|name| {
            let from = if name == "_meta" { &mut update } else { &mut plan };
            (name.into(), from.take(name).unwrap_or_default())
        });
        acp_json::read::<Plan>(Node::Map(members.into())).map(SessionUpdate::Plan).map(Some)
    }

    /// Reads a whole message as its pieces. The vocabulary cannot replace a message, so content
    /// that replaces another is a message of its own.
    fn message(
        &mut self,
        chunk: &'static str,
        mut message: Node<'_>,
        position: usize,
        updates: &mut Vec<SessionUpdate>,
    ) -> Result<(), ReadError> {
        let Some(content) = message.take("content") else { return Ok(()) };
        let blocks = if let Node::Seq(blocks) = content { blocks } else { Vec::new() };
        let known: Box<str> = text_of(&message, "messageId").unwrap_or_default().into();
        let id = match self.messages.get_mut(&(chunk, known.clone())) {
            Some(replaced) => &*replaced.insert(format!("{known}_{position}").into()),
            None => {
                self.messages.insert((chunk, known.clone()), None);
                &*known
            }
        };
        for block in blocks {
            let mut piece = ContentChunk::new(acp_json::read::<ContentBlock>(block)?);
            piece.message_id = Some(Box::new(MessageId::from(id)));
            updates.push(match chunk {
                "user_message_chunk" => SessionUpdate::UserMessageChunk(piece),
                "agent_message_chunk" => SessionUpdate::AgentMessageChunk(piece),
                _ => SessionUpdate::AgentThoughtChunk(piece),
            });
        }
        Ok(())
    }
}

/// Reads one record by itself. An update that has no counterpart in the vocabulary, or none by
/// itself, stays as it is.
pub(super) fn read_alone(text: &str) -> Result<SessionUpdate, ReadError> {
    let update = acp_json::parse(text)?;
    let mut updates = Vec::new();
    // Whole messages, and what only says something together with those before it.
    const OTHERS: [&str; 6] = [
        "user_message",
        "agent_message",
        "agent_thought",
        "tool_call_content_chunk",
        "terminal_update",
        "terminal_output_chunk",
    ];
    if !OTHERS.contains(&&*tag(&update)) {
        let mut decoder = Decoder::default();
        decoder.calls.know(text_of(&update, "toolCallId").unwrap_or_default());
        decoder.decode(text, 0, &mut updates)?;
    }
    match updates.pop() {
        Some(update) => Ok(update),
        None => Ok(unknown(update)),
    }
}

/// Gives an update of version 1 the form that it has in a replay: a terminal of a client is gone.
pub(super) fn take_over(update: &mut SessionUpdate) {
    let content = match update {
        SessionUpdate::ToolCall(call) => &mut call.content,
        SessionUpdate::ToolCallUpdate(update) => match &mut update.content {
            Some(content) => content,
            None => return,
        },
        _ => return,
    };
    for item in content.iter_mut().filter(|item| matches!(item, ToolCallContent::Terminal(_))) {
        *item = text_item(TERMINAL);
    }
}

/// Writes the params of a piece of the user's message, by the text of its block.
pub(super) fn write_piece(
    session: &SessionId,
    block: &RawValue,
    message_id: &str,
    buffer: &mut Vec<u8>,
) -> Result<(), EncodeError> {
    let block = acp_json::from_str::<ContentBlock>(block.get()).map_err(EncodeError::custom)?;
    let mut piece = ContentChunk::new(block);
    piece.message_id = Some(Box::new(message_id.into()));
    let update = SessionUpdate::UserMessageChunk(piece);
    let update = Update { update: &update, settings: None, known_items: None };
    v1::update::write(session, buffer, |buffer| update.encode(buffer)).map(drop)
}

fn tag(update: &Node<'_>) -> Box<str> {
    text_of(update, TAG).unwrap_or_default().into()
}

fn text_of<'n>(node: &'n Node<'_>, name: &str) -> Option<&'n str> {
    node.get(name).and_then(Node::as_str)
}

fn text_item(text: impl Into<String>) -> ToolCallContent {
    acp_types::v1::Content::new(ContentBlock::text(text)).into()
}

/// Removes the tags of commands and of their inputs. Commands of other kinds go.
fn commands(update: &mut Node<'_>) {
    let Node::Map(members) = update else { return };
    for (_, commands) in members.iter_mut().filter(|(name, _)| name == "availableCommands") {
        let Node::Seq(commands) = commands else { continue };
        commands.retain(|command| text_of(command, "type") == Some("command"));
        for command in commands {
            let _ = command.take("type");
            let Node::Map(members) = command else { continue };
            members.retain(|(name, input)| name != "input" || text_of(input, "type") == Some("text"));
            for (_, input) in members.iter_mut().filter(|(name, _)| name == "input") {
                let _ = input.take("type");
            }
        }
    }
}

fn unknown(update: Node<'_>) -> SessionUpdate {
    let tag = tag(&update);
    let members = if let Node::Map(members) = update { members } else { Vec::new() };
    let members = members.into_iter().filter(|(name, _)| name != TAG);
    let members = members.map(|(name, value)| (Box::<str>::from(name), Value::from(value.into_owned())));
    SessionUpdate::Unknown(UnknownVariant::new(tag, members.collect::<Map>()))
}
