//! Tool calls.

use acp_types::v1::{
    Content, Terminal, ToolCall, ToolCallContent, ToolCallLocation, ToolCallStatus, ToolCallUpdate, ToolKind,
};
use acp_types::{Maybe, v2};

use super::blocks;
use super::unknown::as_unknown;
use crate::event::{Cleared, Event, ToolCallMember};

/// Decodes an update, and the members that it clears and the vocabulary cannot clear.
///
/// There a list is cleared by an empty one, and the kind and the status by their defaults.
pub(super) fn update(update: v2::ToolCallUpdate) -> (ToolCallUpdate, Option<Cleared>) {
    let mut cleared = Vec::new();
    let mut read = ToolCallUpdate::new(update.tool_call_id);
    read.name = value(update.name, ToolCallMember::Name, &mut cleared);
    read.title = value(update.title, ToolCallMember::Title, &mut cleared);
    read.raw_input = value(update.raw_input, ToolCallMember::RawInput, &mut cleared);
    read.raw_output = value(update.raw_output, ToolCallMember::RawOutput, &mut cleared);
    read.meta = value(update.meta, ToolCallMember::Meta, &mut cleared);
    read.kind = or_default(update.kind, |kind| ToolKind::from(kind.as_str()));
    read.status = or_default(update.status, |status| ToolCallStatus::from(status.as_str()));
    read.content = or_default(update.content, |items| items.into_iter().map(content).collect());
    read.locations = or_default(update.locations, |places| places.into_iter().map(location).collect());
    let id = &read.tool_call_id;
    let cleared = (!cleared.is_empty()).then(|| Cleared::ToolCall { id: id.clone(), members: cleared });
    (read, cleared)
}

fn value<T>(member: Maybe<T>, name: ToolCallMember, cleared: &mut Vec<ToolCallMember>) -> Option<T> {
    match member {
        Maybe::Absent => None,
        Maybe::Value(value) => Some(value),
        Maybe::Null => {
            cleared.push(name);
            None
        }
    }
}

fn or_default<T, V: Default>(member: Maybe<T>, read: impl FnOnce(T) -> V) -> Option<V> {
    match member {
        Maybe::Absent => None,
        Maybe::Value(value) => Some(read(value)),
        Maybe::Null => Some(V::default()),
    }
}

/// Returns the call that an update makes known.
pub(super) fn first(update: ToolCallUpdate) -> ToolCall {
    let mut call = ToolCall::new(update.tool_call_id, update.title.unwrap_or_default());
    call.name = update.name;
    call.kind = update.kind.unwrap_or_default();
    call.status = update.status.unwrap_or_default();
    call.content = update.content.unwrap_or_default();
    call.locations = update.locations.unwrap_or_default();
    call.raw_input = update.raw_input;
    call.raw_output = update.raw_output;
    call.meta = update.meta;
    call
}

/// Decodes an item of the content. Changes to files have no form in the vocabulary: they are an
/// item of an unknown kind, which [`FileChanges::of`](crate::FileChanges::of) reads.
pub(super) fn content(item: v2::ToolCallContent) -> ToolCallContent {
    match item {
        v2::ToolCallContent::Content(content) => {
            let mut read = Content::new(blocks::block(content.content));
            read.meta = content.meta;
            read.into()
        }
        v2::ToolCallContent::Terminal(terminal) => {
            let mut read = Terminal::new(terminal.terminal_id);
            read.meta = terminal.meta;
            read.into()
        }
        v2::ToolCallContent::Unknown(unknown) => ToolCallContent::Unknown(unknown),
        other => ToolCallContent::Unknown(as_unknown("type", other.tag(), &other)),
    }
}

fn location(location: v2::ToolCallLocation) -> ToolCallLocation {
    let mut read = ToolCallLocation::new(location.path.as_str());
    read.line = location.line;
    read.meta = location.meta;
    read
}

/// Decodes a new last item of the content.
pub(super) fn chunk(chunk: v2::ToolCallContentChunk) -> Event {
    let item = Box::new(content(chunk.content));
    Event::ToolContent { id: chunk.tool_call_id, item, meta: chunk.meta }
}
