use acp_agent::{Result, StopReason, Turn, agent};

struct Bot;

#[agent]
impl Bot {
    async fn prompt(&self, _turn: Turn) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }

    #[ext("_bot/a")]
    async fn a(&self) -> Result<()> {
        Ok(())
    }

    #[ext("_bot/a")]
    async fn b(&self) {}

    async fn prompt(&self, _turn: Turn) -> Result<StopReason> {
        Ok(StopReason::Refusal)
    }
}

fn main() {}
