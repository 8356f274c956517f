//! A turn with an agent of the test, in memory.

use acp_agent::{Result, StopReason, ToolCall, Transport, Turn, agent};
use {{crate}}::prompt;

struct Reader;

#[agent(name = "reader")]
impl Reader {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        turn.tool(ToolCall::read("/log"), async { Ok::<_, acp_agent::Error>(()) }).await?;
        turn.say(turn.text().to_uppercase()).await?;
        Ok(StopReason::EndTurn)
    }
}

#[tokio::test]
async fn text_and_tool_calls_are_shown_in_their_order() {
    let (ours, theirs) = Transport::duplex();
    let serving = tokio::spawn(acp_agent::serve(Reader, ours));
    let agent = acp_client::connect(theirs).await.unwrap();

    let (cwd, mut shown) = (std::env::temp_dir(), String::new());
    let stopped = prompt(&agent, &cwd, "hello", |piece| shown.push_str(piece)).await;
    assert_eq!(stopped.unwrap().as_str(), "end_turn");
    assert_eq!(shown, "\n[Read /log]\nHELLO");

    agent.close().await;
    serving.await.unwrap().unwrap();
}
