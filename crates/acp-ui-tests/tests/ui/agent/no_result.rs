use acp_agent::{StopReason, Turn, agent};

struct Bot;

#[agent]
impl Bot {
    async fn prompt(&self, _turn: Turn) -> StopReason {
        StopReason::EndTurn
    }

    async fn new_session(&self) {}

    #[ext("_bot/x")]
    async fn x(&self) -> u32 {
        1
    }
}

fn main() {
    let _ = acp_agent::serve_stdio(Bot);
}
