use acp_agent::{Result, Session, StopReason, Turn, agent};

struct Bot;
struct Chat;

#[agent]
impl Bot {
    async fn prompt(&self, _turn: Turn, session: Session<Chat>) -> Result<StopReason> {
        let _ = session.id();
        Ok(StopReason::EndTurn)
    }

    #[ext("_bot/own")]
    async fn own(&self, session: Session<Chat>) -> Result<()> {
        let _ = session.id();
        Ok(())
    }
}

fn main() {}
