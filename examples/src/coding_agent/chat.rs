//! What the agent keeps for a session.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use acp_agent::types::{ContentBlock, EmbeddedResourceResource, StopReason, ToolCallId};

use super::planner::{Attachment, History, Round, Task};
use super::workspace::Workspace;

/// A session: its folder, and what was said and done in it.
#[derive(Debug)]
pub struct Chat {
    workspace: Workspace,
    /// Shared with the planner while it plans, and never changed meanwhile: changing it copies nothing.
    history: Mutex<Arc<History>>,
    tool_calls: AtomicU64,
}

impl Chat {
    /// A new session in the folder `cwd`.
    pub(super) fn new(cwd: &Path) -> Self {
        Chat { workspace: Workspace::new(cwd), history: Mutex::default(), tool_calls: AtomicU64::new(1) }
    }

    pub(super) const fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// An id that no other tool call of the session has.
    pub(super) fn next_tool_call(&self) -> ToolCallId {
        format!("call-{}", self.tool_calls.fetch_add(1, Ordering::Relaxed)).into()
    }

    /// Everything so far, as the planner is shown it.
    pub(super) fn conversation(&self) -> Arc<History> {
        Arc::clone(&self.locked())
    }

    /// A prompt has come.
    pub(super) fn begin(&self, prompt: &[ContentBlock]) {
        Arc::make_mut(&mut self.locked()).push(task(prompt));
    }

    /// A round is over. Only whole rounds are kept, so that every call in the history has its outcome.
    pub(super) fn add(&self, round: Round) {
        if let Some(task) = Arc::make_mut(&mut self.locked()).last_mut() {
            task.rounds.push(round);
        }
    }

    /// The turn is over. A refused prompt is forgotten, as the protocol tells the user it is.
    pub(super) fn finish(&self, answer: String, reason: &StopReason) {
        let mut history = self.locked();
        let history = Arc::make_mut(&mut history);
        if *reason == StopReason::Refusal {
            history.pop();
        } else if let Some(task) = history.last_mut() {
            task.answer = Some(answer);
        }
    }

    fn locked(&self) -> MutexGuard<'_, Arc<History>> {
        // A list that something was or was not pushed to is whole either way.
        self.history.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A prompt as the planner reads it. Only kinds of content come that the agent has advertised.
fn task(prompt: &[ContentBlock]) -> Task {
    let mut texts = Vec::new();
    let mut attachments = Vec::new();
    for block in prompt {
        match block {
            ContentBlock::Text(content) => texts.push(content.text.as_str()),
            ContentBlock::ResourceLink(link) => {
                attachments.push(Attachment { uri: link.uri.clone(), text: None });
            }
            ContentBlock::Resource(block) => {
                let text = match &block.resource {
                    EmbeddedResourceResource::Text(contents) => Some(contents.text.clone()),
                    // Bytes mean nothing to these planners, but that they are there may.
                    _ => None,
                };
                attachments.push(Attachment { uri: block.resource.uri().to_owned(), text });
            }
            _ => {}
        }
    }
    Task { text: texts.join("\n"), attachments, rounds: Vec::new(), answer: None }
}
