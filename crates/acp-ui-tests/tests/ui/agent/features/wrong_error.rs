use acp_agent::{StopReason, Turn, agent};

struct Bot;

#[agent]
impl Bot {
    async fn prompt(&self, _turn: Turn) -> Result<StopReason, std::num::ParseIntError> {
        Ok(StopReason::EndTurn)
    }
}

fn main() {}
