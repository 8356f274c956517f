//! The effect of each update on the transcript.

use acp_types::v1::{
    CompactionSummaryChunk, CompactionUpdate, ConfigOptionUpdate, ContentChunk, CurrentModeUpdate, MessageId,
    Notice, RequestPermissionRequest, SessionInfoUpdate, SessionNotification, ToolCall, ToolCallUpdate,
    UsageUpdate,
};

use super::timeline::Key;
use super::{Change, Compaction, Entry, Message, MessageKind, ToolRun, Transcript, content};
use crate::event::PermissionQuestion;
use crate::{Event, Session};

impl Transcript {
    /// Takes in the next event, or a `SessionUpdate`.
    ///
    /// Fold in state that comes in other ways as well: permission requests by
    /// [`fold_permission`](Self::fold_permission), a mode that [`Session::set_mode`] has set as
    /// [`Event::Mode`], and the result of [`Session::set_config_option`] as [`Event::Config`].
    pub fn fold(&mut self, event: impl Into<Event>) -> Change {
        match event.into() {
            Event::Message(chunk) => self.fold_chunk(MessageKind::Agent, chunk),
            Event::Thought(chunk) => self.fold_chunk(MessageKind::Thought, chunk),
            Event::UserMessage(chunk) => self.fold_user_chunk(chunk),
            Event::ToolCall(call) => self.fold_tool_call(*call),
            Event::ToolCallUpdate(update) => self.fold_tool_call_update(*update),
            Event::MessageReplaced { kind, id, content, meta } => self.fold_replaced(kind, id, content, meta),
            Event::ToolContent { id, item, .. } => self.fold_tool_content(id, *item),
            Event::Terminal { id, change } => self.fold_terminal(id, *change),
            Event::NamedPlan { id, plan } => self.fold_named_plan(id, plan),
            Event::PlanRemoved { id } => self.fold_plan_removed(&id),
            Event::Cleared(cleared) => self.fold_cleared(cleared),
            Event::Compaction(update) => self.fold_compaction(*update),
            Event::CompactionSummary(chunk) => self.fold_compaction_summary(*chunk),
            Event::Unknown(unknown) => self.add(Entry::Unknown(unknown)),
            // It is about the agent's work, not about the conversation.
            Event::State(_) => Change::Nothing,
            Event::Missed(count) => self.fold_missed(count),
            Event::Info(update) => self.fold_info(*update),
            Event::Usage(update) => self.fold_usage(*update),
            Event::Notice(notice) => self.fold_notice(*notice),
            Event::Plan(plan) => {
                self.plan = Some(plan);
                Change::Plan
            }
            Event::Commands(commands) => {
                self.commands = Some(commands);
                Change::Commands
            }
            Event::Mode(mode) => {
                self.mode = Some(mode);
                Change::Mode
            }
            Event::Config(options) => {
                self.config = Some(options);
                Change::Config
            }
        }
    }

    /// Takes in a notification, unless it is about another session. A transcript without a session
    /// takes that of the first notification.
    pub fn fold_notification(&mut self, notification: SessionNotification) -> Change {
        let session = self.session.get_or_insert_with(|| notification.session_id.clone());
        if *session != notification.session_id {
            return Change::Nothing;
        }
        self.fold(notification.update)
    }

    /// Takes in the tool call of a permission request (`session/request_permission`). The request
    /// adds to what is known of the call. Afterwards [`tool_call`](Self::tool_call) has everything
    /// to show to the user. The status does not go back, because some agents repeat a call as it
    /// was when they announced it. A question about something else changes nothing: see
    /// [`PermissionQuestion`].
    pub fn fold_permission(&mut self, request: &RequestPermissionRequest) -> Change {
        let Some(mut update) = PermissionQuestion::tool_call(request) else { return Change::Nothing };
        if let Some(run) = self.tool_call(&update.tool_call_id) {
            update.status.take_if(|status| run.is_past(status));
        }
        self.fold_tool_call_update(update)
    }

    /// Takes in the description of a session from its opening: its id, mode and config options. For
    /// a loaded session call it after the replay.
    pub fn fold_session(&mut self, session: &Session) {
        self.session = Some(session.id().clone());
        if let Some(modes) = session.modes() {
            self.fold(Event::Mode(CurrentModeUpdate::new(&modes.current_mode_id)));
        }
        let options = session.config_options();
        if !options.is_empty() {
            self.fold(Event::Config(ConfigOptionUpdate::new(options.to_vec())));
        }
    }

    /// Marks the unfinished tool calls of a cancelled turn, [as clients should at
    /// once](https://github.com/acp-rs/acp/blob/main/docs/rules/v1.md#v1-cancel-02). Later updates
    /// still count. An update that finishes a call removes its mark.
    pub fn cancel_tool_calls(&mut self) -> Vec<Change> {
        let cancelled = |(number, entry): (usize, &mut Entry)| match entry {
            Entry::ToolCall(run) => run.cancel().then_some(Change::Updated(number)),
            _ => None,
        };
        self.timeline.iter_mut().filter_map(cancelled).collect()
    }

    pub(super) fn fold_chunk(&mut self, kind: MessageKind, mut chunk: ContentChunk) -> Change {
        let id = chunk.message_id.take().map(|id| *id);
        let Some((entry, message)) = self.message_for(kind, id.as_ref()) else {
            let mut message = Message::new(kind, id);
            message.append(chunk);
            // An empty piece has no content, and must not separate the pieces before and after it.
            return if message.is_blank() { Change::Nothing } else { self.add(Entry::Message(message)) };
        };
        match message.append(chunk) {
            (Some((block, offset)), _) => Change::Appended { entry, block, offset },
            (None, true) => Change::Updated(entry),
            (None, false) => Change::Nothing,
        }
    }

    /// Finds the message that a piece continues.
    pub(super) fn message_for(
        &mut self,
        kind: MessageKind,
        id: Option<&MessageId>,
    ) -> Option<(usize, &mut Message)> {
        let found = match id {
            Some(id) => self.timeline.find_mut(&Key::Message(kind, id.clone())),
            None => self.timeline.tail_mut(),
        };
        match found {
            Some((number, Entry::Message(message))) if message.kind == kind && message.id.as_ref() == id => {
                Some((number, message))
            }
            _ => None,
        }
    }

    pub(super) fn add(&mut self, entry: Entry) -> Change {
        if !matches!(entry, Entry::Unknown(_)) {
            self.echo = None;
        }
        Change::Added(self.timeline.push(entry))
    }

    fn fold_tool_call(&mut self, call: ToolCall) -> Change {
        match self.timeline.find_mut(&Key::ToolCall(call.tool_call_id.clone())) {
            Some((number, Entry::ToolCall(run))) => {
                run.announce(&call);
                Change::Updated(number)
            }
            _ => self.add(Entry::ToolCall(Box::new(ToolRun::new(call)))),
        }
    }

    fn fold_tool_call_update(&mut self, update: ToolCallUpdate) -> Change {
        match self.timeline.find_mut(&Key::ToolCall(update.tool_call_id.clone())) {
            Some((number, Entry::ToolCall(run))) => {
                run.update(update);
                Change::Updated(number)
            }
            _ => self.add(Entry::ToolCall(Box::new(ToolRun::unannounced(update)))),
        }
    }

    fn fold_compaction(&mut self, update: CompactionUpdate) -> Change {
        match self.timeline.find_mut(&Key::Compaction(update.compaction_id.clone())) {
            Some((number, Entry::Compaction(compaction))) => {
                compaction.update(update);
                Change::Updated(number)
            }
            _ => {
                let mut compaction = Compaction::new(update.compaction_id.clone());
                compaction.update(update);
                self.add(Entry::Compaction(Box::new(compaction)))
            }
        }
    }

    fn fold_compaction_summary(&mut self, chunk: CompactionSummaryChunk) -> Change {
        match self.timeline.find_mut(&Key::Compaction(chunk.compaction_id.clone())) {
            Some((entry, Entry::Compaction(compaction))) => match compaction.append(chunk) {
                Some((block, offset)) => Change::Appended { entry, block, offset },
                None => Change::Updated(entry),
            },
            _ => {
                let mut compaction = Compaction::new(chunk.compaction_id.clone());
                compaction.append(chunk);
                self.add(Entry::Compaction(Box::new(compaction)))
            }
        }
    }

    fn fold_missed(&mut self, count: u64) -> Change {
        match self.timeline.tail_mut() {
            Some((number, Entry::Missed(missed))) => {
                *missed = missed.saturating_add(count);
                Change::Updated(number)
            }
            _ => self.add(Entry::Missed(count)),
        }
    }

    fn fold_info(&mut self, update: SessionInfoUpdate) -> Change {
        update.title.apply(&mut self.title);
        update.updated_at.apply(&mut self.updated_at);
        content::join_meta(&mut self.meta, update.meta);
        Change::Info
    }

    /// A cost that is not reported stays as it was: it counts from the session's start.
    fn fold_usage(&mut self, mut update: UsageUpdate) -> Change {
        let before = self.usage.take().and_then(|usage| usage.cost);
        update.cost = update.cost.or(before);
        self.usage = Some(update);
        Change::Usage
    }

    fn fold_notice(&mut self, notice: Notice) -> Change {
        self.notices.push_back(notice);
        self.shorten_notices();
        Change::Notice
    }
}
