//! Verbs whose updates the vocabulary has no value for.

use std::sync::Arc;

use acp_agent::store::SessionStore;
use acp_agent::types::ToolCall;
use acp_agent::{Result, Router, StopReason, Turn, op};
use serde_json::{Value, json};

use super::{Client, is, replay_in, stores, update_of};

async fn prompt(_: &(), turn: Turn) -> Result<StopReason> {
    let _work = turn.session_updates().background("Index").await?;
    let mut tool = turn.start_tool(ToolCall::new("call", "Build")).await?;
    let _cancel = tool.cancellable().await?;
    tool.pause().await?;
    turn.shell("sh").args(["-c", "echo built"]).run_in(&mut tool).await?;
    tool.complete().await?;
    let mut message = turn.message().with_id("m");
    message.say("draft").await?;
    message.replace(["final"]).await?;
    message.say(" word").await?;
    Ok(StopReason::EndTurn)
}

fn agent(store: &Arc<dyn SessionStore>) -> Router<()> {
    Router::new("verbs", "1", ()).on::<op::Prompt, _>(prompt).store(Arc::clone(store))
}

#[tokio::test]
async fn terminals_and_replaced_messages_are_replayed_in_both_versions() {
    for store in &stores().all {
        let mut client = Client::connect(agent(store), 2).await;
        let opened = client.wire.call("session/new", json!({"cwd": "/"})).await;
        let session = opened["result"]["sessionId"].as_str().unwrap();
        let sent = client.turn(session, "x").await;
        client.close().await;
        let is_control = |update: &Value| update.get("capabilities").is_some();
        let kept: Vec<_> = sent.iter().map(|line| update_of(line)).collect();
        let kept: Vec<_> = kept
            .into_iter()
            .filter(|update| {
                !is(update, "user_message") && !is(update, "state_update") && !is_control(update)
            })
            .collect();
        for tag in ["terminal_update", "terminal_output_chunk", "agent_message"] {
            assert!(kept.iter().any(|update| is(update, tag)), "{tag}: {kept:?}");
        }
        let second = replay_in("/", || agent(store), 2, session).await;
        assert_eq!(second[1..], kept);

        let first = replay_in("/", || agent(store), 1, session).await;
        let said: Vec<_> = first.iter().filter(|update| is(update, "agent_message_chunk")).collect();
        let said: Vec<_> = said.iter().map(|update| update["content"]["text"].as_str().unwrap()).collect();
        assert_eq!(said, ["draft", "final", " word"]);
        let ended = first.iter().rfind(|update| update["toolCallId"] == "call").unwrap();
        assert_eq!(ended["status"], "completed");
        let shown: Vec<_> =
            first.iter().filter_map(|update| update["content"][0]["content"]["text"].as_str()).collect();
        assert_eq!(shown.last(), Some(&"```\nbuilt\nexit code 0\n```"), "{first:?}");
    }
}
