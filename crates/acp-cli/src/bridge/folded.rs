//! The events of a session as updates that every client understands. Some have no form in the
//! vocabulary, so they become others, for which the state of messages and tool calls is kept.

use std::collections::HashMap;

use acp_agent::types::{
    Content, ContentBlock, ContentChunk, MessageId, Plan, SessionUpdate, ToolCallContent, ToolCallId,
    ToolCallStatus, ToolCallUpdate, ToolKind,
};
use acp_client::{BackgroundWork, Event, FileChanges, Maybe, MessageKind, PlanContent, ProtocolVersion};

use super::loss::{Loss, Losses};
use super::terminal::Terminals;

/// The versions on both sides.
#[derive(Clone, Copy, Debug)]
pub(super) struct Versions {
    pub(super) agent: ProtocolVersion,
    pub(super) client: ProtocolVersion,
}

impl Versions {
    fn are_equal(self) -> bool {
        self.agent == self.client
    }

    /// Returns true if the client has fewer words than the agent.
    fn narrow(self) -> bool {
        self.agent >= ProtocolVersion::V2 && self.client < ProtocolVersion::V2
    }
}

/// The messages and tool calls that may still change.
#[derive(Debug, Default)]
pub(super) struct Folded {
    /// The messages since the last prompt.
    said: HashMap<MessageId, Vec<ContentBlock>>,
    /// The content of tool calls, as the agent has sent it. The client gets all of it with each
    /// change.
    calls: HashMap<ToolCallId, Vec<ToolCallContent>>,
    terminals: Terminals,
    losses: Losses,
}

impl Folded {
    /// Forgets the messages, because a new prompt comes.
    pub(super) fn begin_turn(&mut self) {
        self.said.clear();
    }

    /// Returns the losses that were noted for the first time since the last call.
    pub(super) fn new_losses(&mut self) -> impl Iterator<Item = Loss> + use<> {
        self.losses.take()
    }

    /// Notes the list of work that goes on beside the turns, which only states of version 2 have.
    pub(super) fn note_background(&mut self, work: Option<&[BackgroundWork]>, versions: Versions) {
        if versions.narrow() && work.is_some_and(|work| !work.is_empty()) {
            self.losses.note(Loss::Background);
        }
    }

    /// Returns the updates for an event that is not about settings.
    pub(super) fn updates(&mut self, event: Event, versions: Versions) -> Vec<SessionUpdate> {
        match event {
            // The agent half reports states itself.
            Event::State(state) => {
                self.note_background(state.background.as_deref(), versions);
                Vec::new()
            }
            Event::Message(chunk) => vec![self.say(MessageKind::Agent, chunk)],
            Event::Thought(chunk) => vec![self.say(MessageKind::Thought, chunk)],
            Event::UserMessage(chunk) => vec![self.say(MessageKind::User, chunk)],
            Event::MessageReplaced { kind, id, content, meta, .. } => {
                let mut pieces = self.replace(&id, content);
                if let (Some(first), Maybe::Value(meta)) = (pieces.first_mut(), meta) {
                    first.meta = Some(meta);
                }
                pieces.into_iter().map(|piece| message(kind, piece)).collect()
            }
            Event::ToolCall(mut call) => {
                self.calls.insert(call.tool_call_id.clone(), std::mem::take(&mut call.content));
                call.content = self.content(&call.tool_call_id, versions);
                if versions.narrow() {
                    call.status = self.status(call.status);
                    call.kind = self.kind(call.kind);
                }
                self.settle(&call.tool_call_id, Some(&call.status));
                vec![SessionUpdate::ToolCall(call)]
            }
            Event::ToolCallUpdate(mut update) => {
                let id = update.tool_call_id.clone();
                if let Some(content) = update.content.take() {
                    self.calls.insert(id.clone(), content);
                    update.content = Some(self.content(&id, versions));
                }
                if versions.narrow() {
                    update.status = update.status.map(|status| self.status(status));
                    update.kind = update.kind.map(|kind| self.kind(kind));
                }
                self.settle(&id, update.status.as_ref());
                // One that only offers to cancel the call says nothing to other clients.
                if *update == ToolCallUpdate::new(id) {
                    Vec::new()
                } else {
                    vec![SessionUpdate::ToolCallUpdate(update)]
                }
            }
            Event::ToolContent { id, mut item, meta, .. } => {
                // Here an item comes with all others, so its data goes into it.
                if let (ToolCallContent::Content(content), Some(meta)) = (&mut *item, meta) {
                    content.meta.get_or_insert(meta);
                }
                self.calls.entry(id.clone()).or_default().push(*item);
                vec![self.shown(id, versions)]
            }
            Event::Terminal { id, change, .. } => {
                self.losses.note(Loss::Terminal);
                if !self.terminals.change(&id, *change) {
                    return Vec::new();
                }
                let shows = |content: &[ToolCallContent]| {
                    content.iter().any(
                        |item| matches!(item, ToolCallContent::Terminal(shown) if shown.terminal_id == id),
                    )
                };
                let calls = self.calls.iter().filter(|(_, content)| shows(content));
                let calls: Vec<_> = calls.map(|(call, _)| call.clone()).collect();
                calls.into_iter().map(|call| self.shown(call, versions)).collect()
            }
            event => self.other(event, versions).into_iter().collect(),
        }
    }

    /// Returns the update for an event that needs no state.
    fn other(&mut self, event: Event, versions: Versions) -> Option<SessionUpdate> {
        Some(match event {
            Event::Plan(plan) => SessionUpdate::Plan(plan),
            // The one that was shown last takes the place of all others.
            Event::NamedPlan { plan: PlanContent::Items(plan), .. } => {
                self.losses.note(Loss::Plans);
                SessionUpdate::Plan(plan)
            }
            Event::PlanRemoved { .. } => SessionUpdate::Plan(Plan::new([])),
            Event::Commands(commands) => SessionUpdate::AvailableCommandsUpdate(commands),
            Event::Info(info) => SessionUpdate::SessionInfoUpdate(info),
            Event::Usage(usage) => SessionUpdate::UsageUpdate(usage),
            Event::Notice(notice) => SessionUpdate::Notice(notice),
            Event::Compaction(compaction) => SessionUpdate::CompactionUpdate(compaction),
            Event::CompactionSummary(chunk) => SessionUpdate::CompactionSummaryChunk(chunk),
            Event::Unknown(unknown) if versions.are_equal() => SessionUpdate::Unknown(unknown),
            // An unknown kind of another version means nothing to the client.
            Event::Unknown(_) | Event::NamedPlan { .. } => {
                self.losses.note(Loss::Update);
                return None;
            }
            _ => return None,
        })
    }

    fn say(&mut self, kind: MessageKind, chunk: ContentChunk) -> SessionUpdate {
        if let Some(id) = &chunk.message_id {
            self.said.entry((**id).clone()).or_default().push(chunk.content.clone());
        }
        message(kind, chunk)
    }

    /// Returns the pieces of a message that comes as a whole. One that was said before and has
    /// other content now is a new message, because the client cannot replace it.
    fn replace(&mut self, id: &MessageId, content: Option<Vec<ContentBlock>>) -> Vec<ContentChunk> {
        let Some(content) = content else { return Vec::new() };
        let new = match self.said.get(id) {
            Some(said) if text(said) == text(&content) && said.len() >= content.len() => return Vec::new(),
            Some(_) => {
                self.losses.note(Loss::Message);
                MessageId::from(format!("{id}~{}", self.said.len()))
            }
            None => id.clone(),
        };
        self.said.insert(id.clone(), content.clone());
        content.into_iter().map(|block| ContentChunk::new(block).message_id(new.clone())).collect()
    }

    /// Returns the update that shows all content of a tool call.
    fn shown(&mut self, id: ToolCallId, versions: Versions) -> SessionUpdate {
        let content = self.content(&id, versions);
        let mut update = ToolCallUpdate::new(id);
        update.content = Some(content);
        SessionUpdate::ToolCallUpdate(Box::new(update))
    }

    fn content(&mut self, id: &ToolCallId, versions: Versions) -> Vec<ToolCallContent> {
        let is_lost = |item: &ToolCallContent| {
            matches!(item, ToolCallContent::Unknown(_)) && FileChanges::of(item).is_some()
        };
        let items = self.calls.get(id).into_iter().flatten();
        if versions.narrow() && items.clone().any(is_lost) {
            self.losses.note(Loss::FileChanges);
        }
        items.map(|item| self.item(item, versions)).collect()
    }

    /// Returns an item as the client can show it.
    fn item(&self, item: &ToolCallContent, versions: Versions) -> ToolCallContent {
        match item {
            ToolCallContent::Terminal(shown) if versions.agent >= ProtocolVersion::V2 => {
                text_item(self.terminals.text(&shown.terminal_id))
            }
            ToolCallContent::Unknown(_) if versions.narrow() => {
                FileChanges::of(item).map_or_else(|| item.clone(), |changes| text_item(described(&changes)))
            }
            item => item.clone(),
        }
    }

    /// Returns the status in the words of version 1.
    fn status(&mut self, status: ToolCallStatus) -> ToolCallStatus {
        match status {
            ToolCallStatus::Unknown(name) if *name == *"cancelled" => ToolCallStatus::Failed,
            ToolCallStatus::Unknown(name) => {
                if *name != *"paused" {
                    self.losses.note(Loss::OwnWord);
                }
                ToolCallStatus::InProgress
            }
            status => status,
        }
    }

    /// Returns the kind in the words of version 1.
    fn kind(&mut self, kind: ToolKind) -> ToolKind {
        if matches!(kind, ToolKind::Unknown(_)) {
            self.losses.note(Loss::OwnWord);
            return ToolKind::Other;
        }
        kind
    }

    /// Forgets a tool call that is over, unless a terminal in it may go on.
    fn settle(&mut self, id: &ToolCallId, status: Option<&ToolCallStatus>) {
        let is_over = matches!(status, Some(ToolCallStatus::Completed | ToolCallStatus::Failed));
        let shows_terminal = |content: &Vec<ToolCallContent>| {
            content.iter().any(|item| matches!(item, ToolCallContent::Terminal(_)))
        };
        if is_over && !self.calls.get(id).is_some_and(shows_terminal) {
            self.calls.remove(id);
        }
    }
}

const fn message(kind: MessageKind, chunk: ContentChunk) -> SessionUpdate {
    match kind {
        MessageKind::User => SessionUpdate::UserMessageChunk(chunk),
        MessageKind::Agent => SessionUpdate::AgentMessageChunk(chunk),
        MessageKind::Thought => SessionUpdate::AgentThoughtChunk(chunk),
    }
}

fn text(blocks: &[ContentBlock]) -> String {
    blocks.iter().filter_map(ContentBlock::as_text).collect()
}

fn text_item(text: String) -> ToolCallContent {
    Content::new(ContentBlock::text(text)).into()
}

/// Returns changes of files as text: the patch, or what happened to which file.
fn described(changes: &FileChanges) -> String {
    if let Some(patch) = &changes.patch {
        // A fence is longer than any run of backticks in what it holds.
        let longest = patch.text.split(|char| char != '`').map(str::len).max().unwrap_or_default();
        let fence = "`".repeat(longest.max(2) + 1);
        let end = if patch.text.ends_with('\n') { "" } else { "\n" };
        return format!("{fence}diff\n{}{end}{fence}", patch.text);
    }
    let lines = changes.changes.iter().map(|change| match &change.old_path {
        Some(old) => format!("{:?}: {old} → {}", change.operation, change.path),
        None => format!("{:?}: {}", change.operation, change.path),
    });
    lines.collect::<Vec<_>>().join("\n")
}
