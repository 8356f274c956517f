use acp_agent::{Result, StopReason, Turn, agent};

struct Bot;

#[agent]
impl Bot {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        let number: u32 = turn.text().parse()?;
        turn.say(number.to_string()).await?;
        Ok(StopReason::EndTurn)
    }
}

fn main() {}
