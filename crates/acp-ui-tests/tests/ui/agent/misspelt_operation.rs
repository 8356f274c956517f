use acp_agent::{Result, StopReason, Turn, agent};

struct Bot;

#[agent]
impl Bot {
    async fn promt(&self, turn: Turn) -> Result<StopReason> {
        turn.say("hi").await?;
        Ok(StopReason::EndTurn)
    }

    async fn newSession(&self) -> Result<()> {
        Ok(())
    }

    async fn helper(&self) -> Result<()> {
        Ok(())
    }
}

fn main() {
    let _ = acp_agent::serve_stdio(Bot);
}
