use acp_agent::{Result, StopReason, Turn, agent};

struct Bot;

#[agent]
impl Bot {
    const LIMIT: usize = 5;

    async fn prompt<T: Send>(&self, _turn: Turn) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }

    #[ext("_bot/a")]
    async fn a(&self, _text: impl Into<String>) -> Result<()> {
        Ok(())
    }

    #[ext("_bot/b")]
    async fn b<'a>(&'a self, _text: &'a str) -> Result<()> {
        Ok(())
    }

    #[cfg(unix)]
    async fn logout(&self) -> Result<()> {
        Ok(())
    }
}

fn main() {}
