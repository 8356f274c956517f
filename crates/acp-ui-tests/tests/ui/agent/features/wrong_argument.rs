use acp_agent::{NewSession, Result, Session, StopReason, Turn, agent};

struct Bot;

#[agent]
impl Bot {
    async fn prompt(&self, turn: Turn, number: u32) -> Result<StopReason> {
        turn.say(number.to_string()).await?;
        Ok(StopReason::EndTurn)
    }

    async fn set_mode(&self, turn: Turn) -> Result<()> {
        drop(turn);
        Ok(())
    }

    async fn new_session(&self, open: NewSession, session: Session<()>) -> Result<()> {
        drop((open, session));
        Ok(())
    }
}

fn main() {}
