//! Races of cancels.

use super::*;

/// Talks, asks and works until it is cancelled or has done everything.
struct Busy;

#[agent]
impl Busy {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        for _ in 0..20 {
            turn.say("working").await?;
            turn.tool(ToolCall::edit("Work"), async {
                tokio::task::yield_now().await;
                Ok::<_, Error>(())
            })
            .await?;
        }
        Ok(StopReason::EndTurn)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn however_a_cancel_races_there_is_one_answer_and_nothing_behind_it() {
    let (mut wire, session) = Wire::open(Busy, json!({})).await;
    let mut reasons = std::collections::HashSet::new();
    for round in 0..300 {
        let prompt = wire.prompt(&session, "go").await;
        let mut open_tools = 0;
        let mut seen = 0;
        let mut cancelled = false;
        let reason = loop {
            // An uncancelled turn has 61 messages, so a cancel comes at every point of it, or after
            // it.
            if seen == round % 64 {
                wire.cancel(&session).await;
                cancelled = true;
            }
            seen += 1;
            let message = wire.recv().await;
            match message["params"]["update"]["status"].as_str() {
                Some("in_progress") => open_tools += 1,
                Some("completed" | "failed") => open_tools -= 1,
                _ => {}
            }
            if message.get("id").is_some() {
                assert_eq!(message["id"], prompt);
                break message["result"]["stopReason"].as_str().unwrap().to_owned();
            }
        };
        assert_eq!(open_tools, 0, "every tool call has ended before the answer");
        assert!(cancelled || reason == "end_turn", "a cancel has reached the turn behind its own");
        reasons.insert(reason);
    }
    assert!(reasons.contains("cancelled"));
    assert_eq!(wire.close().await, Vec::<Value>::new());
}
