use std::sync::Arc;

use acp_agent::method::{Method, Request, Side};
use acp_agent::types::{AuthMethod, PlanEntry, SetSessionModeRequest, UsageUpdate};
use acp_agent::{Cancel, Error, NewSession, Opened, Session, StopReason, Turn};

#[derive(Debug)]
pub(crate) struct Editor<M>(pub(crate) Arc<M>);

#[derive(Debug)]
pub(crate) enum Count {}

impl Method for Count {
    const NAME: &'static str = "_acme.dev/count";
    const HANDLER: Side = Side::Agent;
    type Params = PlanEntry;
}

impl Request for Count {
    type Response = UsageUpdate;
}

#[acp_agent::agent(
    name = "editor",
    title = "Editor",
    version = "2",
    prompt(image, queue),
    mcp(http),
    auth(required),
    additional_directories,
    meta("acme.dev/undo" = true, "acme.dev/steps" = self.0.as_ref().as_ref().len() as u64),
)]
impl<M> Editor<M>
where
    M: AsRef<str> + Send + Sync + 'static,
{
    /// Is documented already.
    async fn prompt(self: Arc<Self>, turn: Turn, notes: Session<String>) -> Result<StopReason, Error> {
        turn.say(notes.as_str()).await?;
        Ok(StopReason::EndTurn)
    }

    async fn auth_methods(&self) -> acp_agent::Result<Vec<AuthMethod>> {
        Ok(Vec::new())
    }

    async fn new_session(&self, _open: NewSession) -> std::io::Result<Opened<String>> {
        Ok(Opened::new("notes".to_owned()))
    }

    #[on("session/set_mode")]
    async fn change_mode(&self, _request: SetSessionModeRequest, cancel: Cancel) -> acp_agent::Result<()> {
        cancel.cancelled().await;
        Ok(())
    }

    #[on(Count)]
    async fn count(&self, entry: PlanEntry) -> acp_agent::Result<UsageUpdate> {
        Ok(UsageUpdate::new(entry.content.len() as u64, 100_u64))
    }

    #[command("edit", "Appends to the notes", hint = "TEXT")]
    async fn edit(&self, turn: Turn, input: &str) -> acp_agent::Result<StopReason> {
        turn.say(input).await?;
        Ok(StopReason::EndTurn)
    }

    #[ext("_acme.dev/undo")]
    async fn undo(&self, steps: u32) -> acp_agent::Result<u32> {
        Ok(steps)
    }

    #[ext("_acme.dev/seen")]
    async fn seen(&self) {}
}
