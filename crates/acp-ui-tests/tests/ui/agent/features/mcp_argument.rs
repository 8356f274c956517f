use acp_agent::{Mcp, Result, StopReason, Turn, agent, mcp};

struct Bot;

#[agent]
impl Bot {
    async fn prompt(&self, _turn: Turn, _servers: Mcp) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }

    #[ext("_bot/tools")]
    async fn tools(&self, _servers: acp_agent::Mcp) -> Result<()> {
        Ok(())
    }
}

struct Itself;

#[agent(mcp(http))]
impl Itself {
    async fn prompt(&self, _turn: Turn, _servers: mcp::Mcp) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }
}

fn main() {}
