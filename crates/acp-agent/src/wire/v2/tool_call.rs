//! Tool calls, which are made and changed by the same update (rule `v2-tool-01`).

use acp_types::v1::{ToolCall, ToolCallContent, ToolCallLocation, ToolCallStatus, ToolCallUpdate};
use acp_types::v2::WritesV2;
use acp_types::v2::from_v1::Block;
use serde_core::ser::{Error as _, Serialize, SerializeMap, Serializer};

use super::as_is::{member, meta, optional};
use super::diff::write_diff;

pub(super) const TAG: &str = "tool_call_update";
pub(super) const CHUNK_TAG: &str = "tool_call_content_chunk";

/// Returns the status of a call whose turn was cancelled. The vocabulary has no name for it.
pub(in crate::wire) fn cancelled() -> ToolCallStatus {
    ToolCallStatus::from("cancelled")
}

/// Returns the status of a call that waits before it goes on. The vocabulary has no name for it.
pub(in crate::wire) fn paused() -> ToolCallStatus {
    ToolCallStatus::from("paused")
}

/// A change of a tool call, as the subject of a question.
pub(super) struct Patch<'a>(pub(super) &'a ToolCallUpdate);

impl WritesV2 for Patch<'_> {}

impl Serialize for Patch<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        write_patch(self.0, &mut map)?;
        map.end()
    }
}

/// Writes the members of a new call. Its kind and status are said also if they are those that every
/// new call has: a call with this id may have others.
pub(super) fn write_call<M: SerializeMap>(call: &ToolCall, map: &mut M) -> Result<(), M::Error> {
    member(map, "toolCallId", &call.tool_call_id)?;
    optional(map, "name", call.name.as_ref())?;
    member(map, "title", &call.title)?;
    member(map, "kind", &call.kind)?;
    member(map, "status", &call.status)?;
    if !call.content.is_empty() {
        member(map, "content", &Items(&call.content))?;
    }
    if !call.locations.is_empty() {
        member(map, "locations", &Locations(&call.locations))?;
    }
    optional(map, "rawInput", call.raw_input.as_ref())?;
    optional(map, "rawOutput", call.raw_output.as_ref())?;
    meta(map, call.meta.as_ref())
}

/// Writes the members of a change. Members that it does not name keep their values.
pub(super) fn write_patch<M: SerializeMap>(update: &ToolCallUpdate, map: &mut M) -> Result<(), M::Error> {
    member(map, "toolCallId", &update.tool_call_id)?;
    optional(map, "name", update.name.as_ref())?;
    optional(map, "title", update.title.as_ref())?;
    optional(map, "kind", update.kind.as_ref())?;
    optional(map, "status", update.status.as_ref())?;
    optional(map, "content", update.content.as_deref().map(Items).as_ref())?;
    optional(map, "locations", update.locations.as_deref().map(Locations).as_ref())?;
    optional(map, "rawInput", update.raw_input.as_ref())?;
    optional(map, "rawOutput", update.raw_output.as_ref())?;
    meta(map, update.meta.as_ref())
}

/// Returns the item that the update adds to the content of its call, if it does nothing else. The
/// client has the first `known` items of the list already.
pub(super) fn added(update: &ToolCallUpdate, known: usize) -> Option<&ToolCallContent> {
    let is_content_only = update.name.is_none()
        && update.title.is_none()
        && update.kind.is_none()
        && update.status.is_none()
        && update.locations.is_none()
        && update.raw_input.is_none()
        && update.raw_output.is_none()
        && update.meta.is_none();
    let content = update.content.as_deref().filter(|_| is_content_only)?;
    let (last, before) = content.split_last()?;
    (before.len() == known && has_form(last)).then_some(last)
}

/// Writes the members of an update that adds an item to the content of its call.
pub(super) fn write_added<M: SerializeMap>(
    update: &ToolCallUpdate,
    item: &ToolCallContent,
    map: &mut M,
) -> Result<(), M::Error> {
    member(map, "toolCallId", &update.tool_call_id)?;
    member(map, "content", &Item(item))
}

/// Returns whether the item can be written. A terminal of the client is none of this version's,
/// whose terminals are the agent's.
pub(super) const fn has_form(item: &ToolCallContent) -> bool {
    !matches!(item, ToolCallContent::Terminal(_))
}

struct Items<'a>(&'a [ToolCallContent]);

impl WritesV2 for Items<'_> {}

impl Serialize for Items<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().filter(|item| has_form(item)).map(Item))
    }
}

struct Item<'a>(&'a ToolCallContent);

impl WritesV2 for Item<'_> {}

impl Serialize for Item<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            ToolCallContent::Content(content) => {
                let mut map = serializer.serialize_map(None)?;
                member(&mut map, "type", "content")?;
                member(&mut map, "content", &Block(&content.content))?;
                meta(&mut map, content.meta.as_ref())?;
                map.end()
            }
            ToolCallContent::Diff(diff) => {
                let mut map = serializer.serialize_map(None)?;
                member(&mut map, "type", "diff")?;
                write_diff(diff, &mut map)?;
                map.end()
            }
            ToolCallContent::Unknown(item) => {
                let mut map = serializer.serialize_map(None)?;
                item.write("type", &mut map)?;
                map.end()
            }
            _ => Err(S::Error::custom("this kind of content has no form in version 2")),
        }
    }
}

struct Locations<'a>(&'a [ToolCallLocation]);

impl WritesV2 for Locations<'_> {}

impl Serialize for Locations<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(Location))
    }
}

struct Location<'a>(&'a ToolCallLocation);

impl Serialize for Location<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        member(&mut map, "path", &self.0.path)?;
        // Lines count from 1 (rule `v2-tool-07`).
        optional(&mut map, "line", self.0.line.filter(|line| *line > 0).as_ref())?;
        meta(&mut map, self.0.meta.as_ref())?;
        map.end()
    }
}
