use acp_agent::types::MessageMcpNotification;
use acp_agent::{Result, StopReason, Turn, agent};

struct Bot;

#[agent]
impl Bot {
    async fn prompt(&self, _turn: Turn) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }

    async fn archive_session(&self) -> Result<()> {
        Ok(())
    }

    async fn set_provider(&self) -> Result<()> {
        Ok(())
    }

    async fn disable_provider(&self) -> Result<()> {
        Ok(())
    }

    async fn mcp_message(&self, _message: MessageMcpNotification) -> Result<()> {
        Ok(())
    }
}

fn main() {
    let _ = acp_agent::serve_stdio(Bot);
}
