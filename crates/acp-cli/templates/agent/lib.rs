//! The agent: what it does with a session and with a prompt.

use std::sync::atomic::{AtomicU32, Ordering};

use acp_agent::{NewSession, Result, Session, StopReason, Turn, agent};

/// The agent. All sessions share what stands here, such as the client of a model.
#[derive(Debug, Default)]
pub struct Assistant;

/// The state of one session.
#[derive(Debug, Default)]
pub struct Chat {
    prompts: AtomicU32,
}

#[agent(name = "{{name}}")]
impl Assistant {
    async fn new_session(&self, _open: NewSession) -> Result<Chat> {
        Ok(Chat::default())
    }

    async fn prompt(&self, turn: Turn, chat: Session<Chat>) -> Result<StopReason> {
        let number = chat.prompts.fetch_add(1, Ordering::Relaxed) + 1;
        // A model goes here: `turn.stream(texts)` passes its words on as they come.
        turn.say(format!("Prompt {number}: {}", turn.text())).await?;
        Ok(StopReason::EndTurn)
    }
}
