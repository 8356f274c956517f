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

struct Again;

#[agent]
impl Again {
    #[on("session/prompt")]
    async fn run(&self, _turn: Turn) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }

    async fn prompt(&self, _turn: Turn) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }
}

fn main() {}
