use acp_agent::{Result, Router, StopReason, Turn, op};

struct Bot;

impl Bot {
    async fn prompt(&self, _turn: Turn) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }
}

fn main() {
    let _ = Router::new("bot", "1", Bot).on::<op::SetMode, _>(Bot::prompt);
}
