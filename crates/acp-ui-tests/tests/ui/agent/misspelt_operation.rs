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

    async fn session_load(&self) -> Result<()> {
        Ok(())
    }

    async fn cancel(&self) {}

    async fn read_text_file(&self) -> Result<String> {
        Ok(String::new())
    }

    async fn helper(&self) -> Result<()> {
        Ok(())
    }
}

fn main() {
    let _ = acp_agent::serve_stdio(Bot);
}
