//! A turn with the agent, in memory.

use acp_agent::Transport;
use {{crate}}::Assistant;

#[tokio::test]
async fn prompts_are_numbered_within_a_session() {
    let (ours, theirs) = Transport::duplex();
    let serving = tokio::spawn(acp_agent::serve(Assistant, ours));
    let agent = acp_client::connect(theirs).await.unwrap();
    let session = agent.new_session(std::env::temp_dir()).await.unwrap();

    for (prompt, answer) in [("hello", "Prompt 1: hello"), ("again", "Prompt 2: again")] {
        let mut turn = session.prompt(prompt).await.unwrap();
        let mut said = String::new();
        while let Some(event) = turn.next().await {
            said.extend(event.text());
        }
        assert_eq!(turn.finish().await.unwrap().stop_reason.as_str(), "end_turn");
        assert_eq!(said, answer);
    }

    agent.close().await;
    serving.await.unwrap().unwrap();
}
