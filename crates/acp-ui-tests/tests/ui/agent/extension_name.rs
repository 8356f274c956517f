use acp_agent::{Result, StopReason, Turn, agent};

struct Bot;

#[agent]
impl Bot {
    async fn prompt(&self, _turn: Turn) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }

    #[ext("bot/a")]
    async fn a(&self) -> Result<()> {
        Ok(())
    }

    #[ext]
    async fn b(&self) -> Result<()> {
        Ok(())
    }

    #[ext(_bot)]
    async fn c(&self) {}

    #[ext("_bot/d")]
    #[ext("_bot/e")]
    async fn d(&self) {}
}

fn main() {}
