//! The state of a session.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use acp_agent::types::{ContentBlock, EmbeddedResourceResource, StopReason, ToolCallId};

use super::planner::{Attachment, History, Round, Task};
use super::workspace::Workspace;

/// A session: its folder, and the record of its prompts and actions.
#[derive(Debug)]
pub struct Chat {
    workspace: Workspace,
    /// The planner shares it while it plans. It never changes meanwhile, so a change copies
    /// nothing.
    history: Mutex<Arc<History>>,
    tool_calls: AtomicU64,
}

impl Chat {
    /// Makes a session in the folder `cwd`.
    pub(super) fn new(cwd: &Path) -> Self {
        Chat { workspace: Workspace::new(cwd), history: Mutex::default(), tool_calls: AtomicU64::new(1) }
    }

    pub(super) const fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// Returns an id that no other tool call of the session has.
    pub(super) fn next_tool_call(&self) -> ToolCallId {
        format!("call-{}", self.tool_calls.fetch_add(1, Ordering::Relaxed)).into()
    }

    /// Returns the history so far, for the planner.
    pub(super) fn conversation(&self) -> Arc<History> {
        Arc::clone(&self.locked())
    }

    /// Records a prompt.
    pub(super) fn begin(&self, prompt: &[ContentBlock]) {
        Arc::make_mut(&mut self.locked()).push(task(prompt));
    }

    /// Records a round. Only whole rounds are kept, so that every call in the history has its
    /// outcome.
    pub(super) fn add(&self, round: Round) {
        if let Some(task) = Arc::make_mut(&mut self.locked()).last_mut() {
            task.rounds.push(round);
        }
    }

    /// Records the end of the turn. A refused prompt is forgotten, as the protocol tells the user.
    pub(super) fn finish(&self, answer: String, reason: &StopReason) {
        let mut history = self.locked();
        let history = Arc::make_mut(&mut history);
        if *reason == StopReason::Refusal {
            history.pop();
        } else if let Some(task) = history.last_mut() {
            task.answer = Some(answer);
        }
    }

    /// Forgets all prompts and actions.
    pub(super) fn clear(&self) {
        Arc::make_mut(&mut self.locked()).clear();
    }

    fn locked(&self) -> MutexGuard<'_, Arc<History>> {
        // A list is whole before and after each push, so a poisoned lock does no harm.
        self.history.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns a prompt as the planner reads it. It has only kinds of content that the agent
/// advertises.
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
                    // These planners cannot read bytes, but they should know that there are some.
                    _ => None,
                };
                attachments.push(Attachment { uri: block.resource.uri().to_owned(), text });
            }
            _ => {}
        }
    }
    Task { text: texts.join("\n"), attachments, rounds: Vec::new(), answer: None }
}
