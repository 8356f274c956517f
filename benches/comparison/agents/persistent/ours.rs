//! Counts the messages of a session, also over restarts of the process.

use acp_agent::store::Entry;
use acp_agent::{Result, StopReason, Turn, agent};

struct Counter;

#[agent(name = "counter", version = "1.0.0", store)]
impl Counter {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        let mut history = turn.history().await?;
        let mut count = 0;
        while let Some(entry) = history.next().await? {
            count += usize::from(matches!(entry, Entry::Prompt(_)));
        }
        turn.say(format!("This is message {count}.")).await?;
        Ok(StopReason::EndTurn)
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    acp_agent::serve_stdio(Counter).await
}
