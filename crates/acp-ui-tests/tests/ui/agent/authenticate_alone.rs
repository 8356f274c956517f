use acp_agent::{Result, StopReason, Turn, agent};

struct Bot;

#[agent]
impl Bot {
    async fn prompt(&self, _turn: Turn) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }

    async fn authenticate(&self) -> Result<()> {
        Ok(())
    }
}

fn main() {}
