//! Slash commands: the prompts that call them, and the list that clients get.

mod calls;
mod listed;

use std::sync::Arc;

use acp_agent::types::{AvailableCommand, PromptRequest};
use acp_agent::{
    Agent, LoadSession, NewSession, Opened, PromptContent, Result, ResumeSession, Router, Session,
    SessionUpdates, StopReason, Turn, agent, op,
};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::support::{Wire, reopening};

/// Has commands by the macro.
#[derive(Clone, Default)]
struct Notes {
    waiting: Arc<Notify>,
}

#[agent(prompt(embedded_context, queue))]
impl Notes {
    async fn new_session(&self, open: NewSession) -> Result<Opened<String>> {
        self.opened(open.cwd().to_str().unwrap_or_default())
    }

    async fn load_session(&self, open: LoadSession) -> Result<Opened<String>> {
        self.opened(open.cwd().to_str().unwrap_or_default())
    }

    async fn resume_session(&self, open: ResumeSession) -> Result<Opened<String>> {
        self.opened(open.cwd().to_str().unwrap_or_default())
    }

    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        self.answer(turn).await
    }

    #[command("edit", "Appends to a file", hint = "FILE: TEXT")]
    async fn append(&self, turn: Turn, input: &str) -> Result<StopReason> {
        self.edit(turn, input.to_owned()).await
    }

    #[command("plan-é", "Plans")]
    async fn think(
        &self,
        cwd: Session<String>,
        input: String,
        updates: SessionUpdates,
        PromptRequest { prompt, .. }: PromptRequest,
    ) -> Result<StopReason> {
        self.plan(input, cwd, updates, PromptRequest::new("", prompt)).await
    }

    #[command("wait", "Waits")]
    async fn pause(&self, turn: Turn) -> Result<StopReason> {
        self.wait(turn).await
    }

    #[command("fall", "Panics")]
    async fn panic(&self) -> Result<StopReason> {
        self.fall().await
    }
}

impl Notes {
    fn opened(&self, cwd: &str) -> Result<Opened<String>> {
        Ok(Opened::new(cwd.to_owned()))
    }

    async fn answer(&self, turn: Turn) -> Result<StopReason> {
        turn.say(format!("prompt {:?}", turn.text())).await?;
        Ok(StopReason::EndTurn)
    }

    async fn edit(&self, turn: Turn, input: String) -> Result<StopReason> {
        let command = turn.command().unwrap();
        assert_eq!((command.name, command.input), ("edit", &*input));
        turn.say(format!("edit {input:?} of {}", turn.prompt().len())).await?;
        Ok(StopReason::EndTurn)
    }

    async fn plan(
        &self,
        input: String,
        cwd: Session<String>,
        updates: SessionUpdates,
        request: PromptRequest,
    ) -> Result<StopReason> {
        updates.title(format!("plan {input:?} in {} of {}", *cwd, request.prompt.len())).await?;
        Ok(StopReason::EndTurn)
    }

    async fn wait(&self, turn: Turn) -> Result<StopReason> {
        turn.say("waiting").await?;
        self.waiting.notified().await;
        Ok(StopReason::EndTurn)
    }

    async fn fall(&self) -> Result<StopReason> {
        panic!("as asked")
    }
}

/// Builds the same agent without the macro.
fn router(notes: Notes) -> Router<Notes, String> {
    let opened =
        async |notes: &Notes, open: NewSession| notes.opened(open.cwd().to_str().unwrap_or_default());
    let content = PromptContent { embedded_context: true, ..PromptContent::default() };
    Router::with_sessions("notes", "1", notes, opened)
        .prompt_content(content)
        .queue_prompts()
        .on::<op::LoadSession, _>(async |notes: &Notes, open: LoadSession| {
            notes.opened(open.cwd().to_str().unwrap_or_default())
        })
        .on::<op::ResumeSession, _>(async |notes: &Notes, open: ResumeSession| {
            notes.opened(open.cwd().to_str().unwrap_or_default())
        })
        .command(AvailableCommand::new("edit", "Appends to a file").hint("FILE: TEXT"), Notes::edit)
        .on::<op::Prompt, _>(Notes::answer)
        .command(AvailableCommand::new("plan-é", "Plans"), Notes::plan)
        .command(AvailableCommand::new("wait", "Waits"), Notes::wait)
        .command(AvailableCommand::new("fall", "Panics"), Notes::fall)
}

/// Returns the commands of [`Notes`], as clients get them.
fn advertised() -> Value {
    json!([
        {"name": "edit", "description": "Appends to a file", "input": {"hint": "FILE: TEXT"}},
        {"name": "plan-é", "description": "Plans"},
        {"name": "wait", "description": "Waits"},
        {"name": "fall", "description": "Panics"},
    ])
}

/// Reads the next message, which must be the list of commands.
pub(crate) async fn listed(wire: &mut Wire) -> Value {
    let mut update = wire.update().await;
    assert_eq!(update["sessionUpdate"], "available_commands_update", "{update}");
    update["availableCommands"].take()
}

/// Opens a session whose agent has commands.
pub(crate) async fn open<A: Agent>(agent: A) -> (Wire, String) {
    let (mut wire, session) = Wire::open(agent, json!({})).await;
    listed(&mut wire).await;
    (wire, session)
}

pub(crate) fn names(commands: &Value) -> Vec<&str> {
    commands.as_array().unwrap().iter().map(|command| command["name"].as_str().unwrap()).collect()
}
