use acp_agent::store::Journal;
use acp_agent::types::methods;
use acp_agent::types::{ForkSessionRequest, MessageMcpNotification, SetSessionTitleRequest};
use acp_agent::{Opened, Result, StopReason, Turn};

#[derive(Debug)]
pub(crate) struct Stored(pub(crate) Journal);

#[acp_agent::agent(store = self.0.clone())]
impl Stored {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        turn.say(turn.text()).await?;
        Ok(StopReason::EndTurn)
    }

    async fn fork_session(&self, _fork: ForkSessionRequest) -> Result<Opened<()>> {
        Ok(Opened::new(()))
    }

    #[on(methods::SessionSetTitle)]
    async fn name(&self, request: SetSessionTitleRequest) -> Result<String> {
        Ok(request.title)
    }

    async fn mcp_message(&self, _message: MessageMcpNotification) {}
}

#[derive(Debug)]
pub(crate) struct Quiet;

#[acp_agent::agent(name = "quiet", store)]
impl Quiet {
    async fn prompt(&self) -> Result<StopReason> {
        Ok(StopReason::Refusal)
    }
}
