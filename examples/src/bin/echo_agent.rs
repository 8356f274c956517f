//! The smallest agent: it repeats the prompt.

use acp_agent::{Result, StopReason, Turn, agent};

struct Echo;

#[agent(name = "echo")]
impl Echo {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        for block in turn.prompt() {
            turn.send(block.clone()).await?;
        }
        Ok(StopReason::EndTurn)
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    acp_agent::serve_stdio(Echo).await
}
