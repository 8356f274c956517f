//! Messages that a store keeps, at their places in the conversation.

use acp_agent::store::{Entry, Journal};
use acp_agent::types::ContentBlock;
use acp_agent::{Result, Router, StopReason, Turn, op};
use serde_json::{Value, json};

use super::{injected, steer, until_answered};
use crate::support::{Wire, reopening};

/// Says what it hears, and at the end all that the user has said.
async fn prompt(_: &(), turn: Turn) -> Result<StopReason> {
    turn.say("ready").await?;
    if turn.text() == "listen" {
        turn.say(turn.steered().await?.text()).await?;
        return Ok(StopReason::EndTurn);
    }
    let mut history = turn.history().await?;
    let mut said = Vec::new();
    while let Some(entry) = history.next().await? {
        if let Entry::Prompt(blocks) = entry {
            said.extend(blocks.iter().filter_map(ContentBlock::as_text).map(str::to_owned));
        }
    }
    turn.say(said.join(", ")).await?;
    Ok(StopReason::EndTurn)
}

#[tokio::test]
async fn a_message_that_is_taken_is_a_message_of_the_user() {
    let folder = tempfile::tempdir().unwrap();
    let agent = |name| {
        let router = Router::new(name, "1", ()).steering().store(Journal::at(folder.path()));
        router.on::<op::Prompt, _>(prompt)
    };
    let (mut wire, session) = Wire::open(agent("first"), json!({})).await;
    let turn = wire.prompt(&session, "listen").await;
    assert_eq!(wire.said().await, "ready");
    let ids = [steer(&mut wire, &session, "to me").await, turn, steer(&mut wire, &session, "lost").await];
    let (said, answers) = until_answered(&mut wire, &ids).await;
    assert_eq!((said, &answers[&ids[0]]["result"]), (vec!["to me".to_owned()], &injected()));
    assert_eq!(answers[&ids[2]]["result"]["outcome"], "promptRequired");
    wire.close().await;

    let mut wire = Wire::connect(agent("second"), json!({})).await;
    let loading = wire.request("session/load", reopening("session/load", &session, "/work")).await;
    let mut replayed = Vec::new();
    loop {
        let message = wire.recv().await;
        if message["id"] == loading {
            break;
        }
        let update = &message["params"]["update"];
        replayed.push((update["sessionUpdate"].clone(), update["content"]["text"].clone()));
    }
    let expected = [
        ("user_message_chunk", "listen"),
        ("agent_message_chunk", "ready"),
        ("user_message_chunk", "to me"),
        ("agent_message_chunk", "to me"),
    ];
    let expected: Vec<(Value, Value)> = expected.map(|(kind, text)| (json!(kind), json!(text))).to_vec();
    assert_eq!(replayed, expected);
    let (updates, _) = wire.turn(&session, "all").await;
    assert_eq!(updates[1]["content"]["text"], "listen, to me, all");
}
