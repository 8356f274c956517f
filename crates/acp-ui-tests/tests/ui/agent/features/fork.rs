use acp_agent::{Opened, Result, StopReason, Turn, agent};

struct Bot;

#[agent]
impl Bot {
    async fn prompt(&self, _turn: Turn) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }

    async fn fork_sesion(&self) -> Result<Opened<()>> {
        Ok(Opened::new(()))
    }

    #[on("session/set_titel")]
    async fn title(&self) -> Result<()> {
        Ok(())
    }

    async fn session_status(&self) -> StopReason {
        StopReason::EndTurn
    }
}

fn main() {
    let _ = acp_agent::serve_stdio(Bot);
}
