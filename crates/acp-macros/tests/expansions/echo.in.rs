use acp_agent::{Result, StopReason, Turn};

#[derive(Debug)]
pub(crate) struct Echo;

#[acp_agent::agent]
impl Echo {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        turn.say(turn.text()).await?;
        Ok(StopReason::EndTurn)
    }
}
