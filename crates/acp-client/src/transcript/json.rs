//! The JSON form of a transcript.
//!
//! An entry has the member `type`. Updates of unknown kinds stand as they came, with
//! `sessionUpdate`. So their members cannot be confused with ours, and none lies deeper than on the
//! wire.

use acp_json::{At, Fields, FromNode, Node, Problem, ReadError, Record};
use acp_types::v1::{CompactionId, CompactionStatus, ContentBlock, MessageId, Notice, SessionId};
use acp_types::{Meta, UnknownVariant};
use serde_core::Serialize;
use serde_core::ser::SerializeMap;

use super::terminals::Terminals;
use super::timeline::Timeline;
use super::{Compaction, DisplayTerminal, Entry, Message, MessageKind, ToolRun, Transcript};

impl Record for Transcript {
    fn read(fields: &mut Fields<'_, '_>) -> Result<Self, ReadError> {
        let mut transcript = Self {
            session: fields.optional("sessionId", SessionId::from_node)?,
            timeline: Timeline::starting_at(count(fields, "first")?.unwrap_or_default()),
            echo: fields.optional("echo", read_echo)?,
            terminals: Terminals::starting_at(count(fields, "firstTerminal")?.unwrap_or_default()),
            named_plans: fields.defaulted("namedPlans", Vec::from_node, Vec::new)?,
            plan: fields.optional("plan", FromNode::from_node)?,
            commands: fields.optional("commands", FromNode::from_node)?,
            mode: fields.optional("mode", FromNode::from_node)?,
            config: fields.optional("config", FromNode::from_node)?,
            usage: fields.optional("usage", FromNode::from_node)?,
            title: fields.optional("title", String::from_node)?,
            updated_at: fields.optional("updatedAt", String::from_node)?,
            meta: fields.optional("_meta", Meta::from_node)?,
            notices: fields.defaulted("notices", Vec::<Notice>::from_node, Vec::new)?.into(),
        };
        for terminal in fields.defaulted("terminals", Vec::<DisplayTerminal>::from_node, Vec::new)? {
            transcript.terminals.push(terminal, None);
        }
        for entry in fields.required("entries", Vec::<Entry>::from_node)? {
            transcript.timeline.push(entry);
        }
        Ok(match count(fields, "limit")? {
            Some(limit) => transcript.with_limit(limit),
            None => transcript,
        })
    }

    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        optional(map, "sessionId", self.session.as_ref())?;
        optional(map, "title", self.title.as_ref())?;
        optional(map, "updatedAt", self.updated_at.as_ref())?;
        optional(map, "_meta", self.meta.as_ref())?;
        optional(map, "limit", self.timeline.limit())?;
        optional(map, "first", Some(self.timeline.first()).filter(|first| *first > 0))?;
        let entries: Vec<&Entry> = self.timeline.iter().map(|(_, entry)| entry).collect();
        map.serialize_entry("entries", &entries)?;
        optional(map, "echo", self.echo.clone().map(Entry::Message))?;
        optional(map, "firstTerminal", Some(self.terminals.first()).filter(|first| *first > 0))?;
        let terminals: Vec<&DisplayTerminal> = self.terminals.iter().map(|(_, terminal)| terminal).collect();
        optional(map, "terminals", Some(terminals).filter(|terminals| !terminals.is_empty()))?;
        optional(map, "plan", self.plan.as_ref())?;
        optional(map, "namedPlans", Some(&self.named_plans).filter(|plans| !plans.is_empty()))?;
        optional(map, "commands", self.commands.as_ref())?;
        optional(map, "mode", self.mode.as_ref())?;
        optional(map, "config", self.config.as_ref())?;
        optional(map, "usage", self.usage.as_ref())?;
        let notices: Vec<&Notice> = self.notices.iter().collect();
        optional(map, "notices", Some(notices).filter(|notices| !notices.is_empty()))
    }
}

impl Record for Entry {
    fn read(fields: &mut Fields<'_, '_>) -> Result<Self, ReadError> {
        if let Some(tag) = fields.optional_tag("sessionUpdate")? {
            return Ok(Self::Unknown(UnknownVariant::read(&tag, fields)));
        }
        match &*fields.tag("type")? {
            "tool_call" => Record::read(fields).map(Self::ToolCall),
            "compaction" => Record::read(fields).map(Self::Compaction),
            "missed" => fields.required("count", u64::from_node).map(Self::Missed),
            other => match MessageKind::from_name(other) {
                Some(kind) => read_message(kind, fields).map(Self::Message),
                None => Err(problem(fields, "type", "is not a kind of entry")),
            },
        }
    }

    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        match self {
            Self::Message(message) => {
                map.serialize_entry("type", message.kind.as_str())?;
                write_message(message, map)
            }
            Self::ToolCall(run) => {
                map.serialize_entry("type", "tool_call")?;
                run.write(map)
            }
            Self::Compaction(compaction) => {
                map.serialize_entry("type", "compaction")?;
                compaction.write(map)
            }
            Self::Missed(count) => {
                map.serialize_entry("type", "missed")?;
                map.serialize_entry("count", count)
            }
            Self::Unknown(unknown) => unknown.write("sessionUpdate", map),
        }
    }
}

impl Record for ToolRun {
    fn read(fields: &mut Fields<'_, '_>) -> Result<Self, ReadError> {
        Ok(Self {
            is_cancelled: fields.defaulted("isCancelled", bool::from_node, bool::default)?,
            call: Record::read(fields)?,
        })
    }

    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        optional(map, "isCancelled", Some(self.is_cancelled).filter(|is_cancelled| *is_cancelled))?;
        self.call.write(map)
    }
}

impl Record for Compaction {
    fn read(fields: &mut Fields<'_, '_>) -> Result<Self, ReadError> {
        Ok(Self {
            id: fields.required("compactionId", CompactionId::from_node)?,
            status: fields.required("status", CompactionStatus::from_node)?,
            summary: fields.required("summary", Vec::from_node)?,
            error: fields.optional("error", String::from_node)?,
            meta: fields.optional("_meta", Meta::from_node)?,
        })
    }

    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        map.serialize_entry("compactionId", &self.id)?;
        map.serialize_entry("status", &self.status)?;
        map.serialize_entry("summary", &self.summary)?;
        optional(map, "error", self.error.as_ref())?;
        optional(map, "_meta", self.meta.as_ref())
    }
}

acp_json::record!(Transcript);
acp_json::record!(Entry);

fn read_echo(node: Node<'_>, at: &At<'_>) -> Result<Message, ReadError> {
    match Entry::from_node(node, at)? {
        Entry::Message(message) if message.kind == MessageKind::User => Ok(message),
        _ => Err(ReadError::new(at, Problem::Other("is not a message of the user".to_owned()))),
    }
}

fn read_message(kind: MessageKind, fields: &mut Fields<'_, '_>) -> Result<Message, ReadError> {
    Ok(Message {
        kind,
        id: fields.optional("messageId", MessageId::from_node)?,
        content: fields.required("content", Vec::<ContentBlock>::from_node)?,
        meta: fields.optional("_meta", Meta::from_node)?,
    })
}

fn write_message<M: SerializeMap>(message: &Message, map: &mut M) -> Result<(), M::Error> {
    optional(map, "messageId", message.id.as_ref())?;
    map.serialize_entry("content", &message.content)?;
    optional(map, "_meta", message.meta.as_ref())
}

/// Reads a number that stays far from overflow when others are added.
fn count(fields: &mut Fields<'_, '_>, name: &'static str) -> Result<Option<usize>, ReadError> {
    let number = fields.optional(name, i64::from_node)?;
    let count = number.map(usize::try_from).transpose();
    count.map_err(|_| problem(fields, name, "is out of range"))
}

fn problem(fields: &Fields<'_, '_>, name: &'static str, problem: &str) -> ReadError {
    ReadError::new(&fields.at().member(name), Problem::Other(problem.to_owned()))
}

pub(super) fn optional<M: SerializeMap, T: Serialize>(
    map: &mut M,
    name: &'static str,
    value: Option<T>,
) -> Result<(), M::Error> {
    value.map_or(Ok(()), |value| map.serialize_entry(name, &value))
}
