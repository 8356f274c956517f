use acp_agent::{Result, StopReason, Turn, agent};

struct Bot;

#[agent]
impl Bot {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        let count: u32 = turn.prompt();
        Ok(StopReason::EndTurn)
    }
}

fn main() {
    let _ = acp_agent::serve_stdio(Bot);
}
