use acp_agent::{Mcp, Result, StopReason, Turn, agent};

struct Bot;

#[agent]
impl Bot {
    async fn prompt(&self, _turn: Turn, _servers: Mcp) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }
}

fn main() {}
