use acp_agent::{Opened, Result, StopReason, Turn, agent};

struct Bot;

#[agent(store, mcp)]
impl Bot {
    async fn prompt(&self, _turn: Turn) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }

    async fn fork_session(&self) -> Result<Opened<()>> {
        Ok(Opened::new(()))
    }

    #[on("session/set_title")]
    async fn title(&self) -> Result<String> {
        Ok(String::new())
    }
}

fn main() {
    let _ = acp_agent::serve_stdio(Bot);
}
