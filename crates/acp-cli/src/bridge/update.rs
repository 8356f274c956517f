//! Events of the agent on their way to the client, as updates.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use acp_agent::types::{
    ConfigOptionUpdate, CurrentModeUpdate, SessionUpdate, ToolCallContent, ToolCallId, ToolCallStatus,
};
use acp_agent::{Client, Error, Opening, OpensSession, Result, Turn};
use acp_client::Event;

use super::session::Bridged;

/// A way to the client.
pub(super) trait Way {
    fn client(&self) -> &Client;
    fn send(&self, update: SessionUpdate) -> impl Future<Output = Result<()>> + Send;
}

impl Way for Turn {
    fn client(&self) -> &Client {
        Turn::client(self)
    }

    async fn send(&self, update: SessionUpdate) -> Result<()> {
        self.update(update).await
    }
}

impl<O: OpensSession> Way for Opening<O> {
    fn client(&self) -> &Client {
        Opening::client(self)
    }

    async fn send(&self, update: SessionUpdate) -> Result<()> {
        self.update(update).await
    }
}

/// Sends the updates that an event is for the client.
pub(super) async fn send(session: &Bridged, event: Event, way: &impl Way) -> Result<()> {
    let is_same_version = session.inner.agent().protocol_version() == way.client().protocol_version();
    for update in updates(session, event, is_same_version) {
        sent(way.send(update).await)?;
    }
    Ok(())
}

/// Passes over an update that the client does not take.
pub(super) fn sent(result: Result<()>) -> Result<()> {
    match result {
        Err(Error::NotOffered { .. } | Error::Commands(_)) => Ok(()),
        result => result,
    }
}

/// Returns the updates for an event of a session.
fn updates(session: &Bridged, event: Event, is_same_version: bool) -> Vec<SessionUpdate> {
    match event {
        Event::Mode(mode) => {
            lock(&session.settings).set_mode(mode.current_mode_id.clone());
            vec![SessionUpdate::CurrentModeUpdate(mode)]
        }
        Event::Config(update) => settings(session, update),
        event => lock(&session.updates).update(event, is_same_version).into_iter().collect(),
    }
}

/// Returns the updates for new config options, one of which may have the modes.
fn settings(session: &Bridged, update: ConfigOptionUpdate) -> Vec<SessionUpdate> {
    let changed = lock(&session.settings).take(update.config_options);
    let mode = changed.mode.map(|mode| SessionUpdate::CurrentModeUpdate(CurrentModeUpdate::new(mode)));
    let options = changed.options.map(|options| {
        let mut changed = ConfigOptionUpdate::new(options);
        changed.meta = update.meta;
        SessionUpdate::ConfigOptionUpdate(changed)
    });
    mode.into_iter().chain(options).collect()
}

/// The content of the running tool calls. The client gets all of it with each change.
#[derive(Debug, Default)]
pub(super) struct Updates {
    content: HashMap<ToolCallId, Vec<ToolCallContent>>,
}

impl Updates {
    /// Returns the update for an event that is not about settings.
    pub(super) fn update(&mut self, event: Event, is_same_version: bool) -> Option<SessionUpdate> {
        Some(match event {
            Event::Message(chunk) => SessionUpdate::AgentMessageChunk(chunk),
            Event::Thought(chunk) => SessionUpdate::AgentThoughtChunk(chunk),
            Event::UserMessage(chunk) => SessionUpdate::UserMessageChunk(chunk),
            Event::ToolCall(call) => {
                self.content.insert(call.tool_call_id.clone(), call.content.clone());
                self.settle(&call.tool_call_id, Some(&call.status));
                SessionUpdate::ToolCall(call)
            }
            Event::ToolCallUpdate(update) => {
                if let Some(content) = &update.content {
                    self.content.insert(update.tool_call_id.clone(), content.clone());
                }
                self.settle(&update.tool_call_id, update.status.as_ref());
                SessionUpdate::ToolCallUpdate(update)
            }
            Event::Plan(plan) => SessionUpdate::Plan(plan),
            Event::Commands(commands) => SessionUpdate::AvailableCommandsUpdate(commands),
            Event::Info(info) => SessionUpdate::SessionInfoUpdate(info),
            Event::Usage(usage) => SessionUpdate::UsageUpdate(usage),
            Event::Notice(notice) => SessionUpdate::Notice(notice),
            Event::Compaction(compaction) => SessionUpdate::CompactionUpdate(compaction),
            Event::CompactionSummary(chunk) => SessionUpdate::CompactionSummaryChunk(chunk),
            // An unknown kind of another version means nothing to the client.
            Event::Unknown(unknown) if is_same_version => SessionUpdate::Unknown(unknown),
            // The agent half reports states itself.
            _ => return None,
        })
    }

    /// Forgets a tool call that is over.
    fn settle(&mut self, call: &ToolCallId, status: Option<&ToolCallStatus>) {
        if matches!(status, Some(ToolCallStatus::Completed | ToolCallStatus::Failed)) {
            self.content.remove(call);
        }
    }
}

fn lock<T>(state: &Mutex<T>) -> MutexGuard<'_, T> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
