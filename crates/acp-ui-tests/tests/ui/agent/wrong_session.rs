use acp_agent::{NewSession, Opened, Result, Session, StopReason, Turn, agent};

struct Bot;
struct Chat;
struct Other;

#[agent]
impl Bot {
    async fn new_session(&self, _open: NewSession) -> Result<Opened<Chat>> {
        Ok(Opened::new(Chat))
    }

    async fn prompt(&self, _turn: Turn, session: Session<Other>) -> Result<StopReason> {
        let _ = session.id();
        Ok(StopReason::EndTurn)
    }
}

fn main() {}
