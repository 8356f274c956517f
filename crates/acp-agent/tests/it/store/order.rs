//! Updates that are sent at the same time.

use acp_agent::store::Journal;
use acp_agent::{Result, Router, StopReason, Turn, op};
use serde_json::json;

use crate::store::load;
use crate::support::Wire;

const TASKS: usize = 8;
const EACH: usize = 200;

/// Sends updates from many tasks, during the turn and after its end.
async fn chorus(_: &(), turn: Turn) -> Result<StopReason> {
    let tasks: Vec<_> = (0..TASKS)
        .map(|task| {
            let turn = turn.clone();
            tokio::spawn(async move {
                for number in 0..EACH {
                    turn.say(format!("{task}.{number}")).await?;
                }
                Ok::<_, acp_agent::Error>(())
            })
        })
        .collect();
    for (number, task) in tasks.into_iter().enumerate() {
        // The turn does not wait for the last tasks. Its end cuts them off.
        if number < TASKS / 2 {
            task.await.map_err(acp_agent::Error::other)??;
        }
    }
    Ok(StopReason::EndTurn)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_record_has_the_order_of_the_wire() {
    let folder = tempfile::tempdir().unwrap();
    let agent =
        || Router::new("chorus", "1", ()).on::<op::Prompt, _>(chorus).store(Journal::at(folder.path()));
    let (mut wire, session) = Wire::open(agent(), json!({})).await;
    let mut sent = Vec::new();
    for _ in 0..5 {
        let (updates, answer) = wire.turn(&session, "go").await;
        assert_eq!(answer["result"]["stopReason"], "end_turn");
        sent.extend(updates);
        // When the answer has come, the store has all of the turn.
        let mut other = Wire::connect(agent(), json!({})).await;
        wire.call("session/close", json!({"sessionId": session})).await;
        let mut loaded = load(&mut other, &session).await;
        loaded.retain(|update| update["sessionUpdate"] != "user_message_chunk");
        assert!(loaded == sent, "{} were sent, {} are stored", sent.len(), loaded.len());
        other.close().await;
        load(&mut wire, &session).await;
    }
    wire.close().await;
}
