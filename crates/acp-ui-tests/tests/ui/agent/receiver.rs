use acp_agent::{Result, StopReason, Turn, agent};

struct Bot;

#[agent]
impl Bot {
    async fn prompt(&mut self, _turn: Turn) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }

    async fn new_session(self) -> Result<()> {
        Ok(())
    }

    async fn logout() -> Result<()> {
        Ok(())
    }

    async fn set_mode(self: Box<Self>) -> Result<()> {
        Ok(())
    }
}

fn main() {
    let _ = acp_agent::serve_stdio(Bot);
}
