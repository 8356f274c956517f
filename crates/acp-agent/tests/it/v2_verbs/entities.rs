//! Tool calls that a client cancels by themselves, and those that pause.

use acp_agent::types::ToolCall;
use acp_agent::{Result, StopReason, Turn, agent};
use serde_json::{Value, json};

use super::{Ed, code};

struct Works;

#[agent]
impl Works {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        let text = turn.text();
        let tool = turn.start_tool(ToolCall::new("call", "Work")).await?;
        match text.as_str() {
            "drop the offer" => {
                let first = tool.cancellable().await?;
                let second = tool.cancellable().await?;
                drop(first);
                assert!(!second.is_cancelled());
                drop(second);
                turn.say("no offer").await?;
                drop(tool.cancellable().await?);
                tool.complete().await?;
            }
            "complete" => {
                let _offer = tool.cancellable().await?;
                tool.complete().await?;
            }
            "pause" => {
                tool.pause().await?;
                tool.resume().await?;
                tool.complete().await?;
            }
            _ => {
                let offer = tool.cancellable().await?;
                turn.say("go").await?;
                tokio::select! {
                    () = offer.cancelled() => assert!(offer.token().is_cancelled()),
                    () = turn.cancelled() => {}
                }
                match text.as_str() {
                    "fail" => tool.fail("stopped").await?,
                    _ => drop(tool),
                }
                turn.say("goes on").await?;
            }
        }
        Ok(StopReason::EndTurn)
    }
}

fn offered(is: bool) -> Value {
    let controls = if is { json!({"cancel": {}}) } else { Value::Null };
    json!({"sessionUpdate": "tool_call_update", "toolCallId": "call", "capabilities": controls})
}

fn status(status: &str) -> Value {
    json!({"sessionUpdate": "tool_call_update", "toolCallId": "call", "status": status})
}

/// Rule `v2-tcc-04`.
#[tokio::test]
async fn an_offer_is_shown_while_it_lives_and_before_the_end_of_its_call() {
    let table = [
        ("drop the offer", vec![offered(true), offered(false), json!("said"), offered(true), offered(false)]),
        ("complete", vec![offered(true), offered(false)]),
    ];
    for (text, expected) in table {
        for version in [1, 2] {
            let mut ed = Ed::open(version, Works).await;
            let updates = ed.turn(text).await;
            let said = |update: &Value| update["sessionUpdate"] == "agent_message_chunk";
            let updates: Vec<Value> = updates[1..]
                .iter()
                .map(|update| if said(update) { json!("said") } else { update.clone() })
                .collect();
            let mut expected = expected.clone();
            if version == 1 {
                expected.retain(|update| update == "said");
            }
            expected.push(status("completed"));
            assert_eq!(updates, expected, "{text}");
        }
    }
}

/// Rules `v2-tcc-02`, `v2-tcc-03`, `v2-err-05`.
#[tokio::test]
async fn a_client_cancels_one_call_and_the_turn_goes_on() {
    for (text, end) in [("fail", "failed"), ("drop", "cancelled")] {
        let mut ed = Ed::open(2, Works).await;
        let prompt = ed.start(text).await;
        assert_eq!(ed.update().await["title"], "Work");
        assert_eq!(ed.update().await, offered(true));
        assert_eq!(ed.update().await["content"]["text"], "go");
        // Another call, another session, another kind, no id: nothing is cancelled.
        assert_eq!(code(&ed.cancel("tool_call", &json!("other")).await), -32602);
        assert_eq!(code(&ed.cancel("terminal", &json!("call")).await), -32602);
        assert_eq!(code(&ed.cancel("tool_call", &Value::Null).await), -32602);
        let elsewhere = json!({"sessionId": "other", "toolCallId": "call"});
        let answer = ed.wire.call("tool_call/cancel", elsewhere).await;
        assert_eq!((code(&answer), &answer["error"]["data"]["sessionId"]), (-32002, &json!("other")));
        assert_eq!(ed.cancel("tool_call", &json!("call")).await["result"], json!({}));
        assert_eq!(ed.update().await, offered(false));
        assert_eq!(ed.update().await["status"], end);
        assert_eq!(ed.update().await["content"]["text"], "goes on");
        assert_eq!(ed.end(prompt).await.0, "end_turn");
        assert_eq!(code(&ed.cancel("tool_call", &json!("call")).await), -32602, "it has ended");
    }
}

#[tokio::test]
async fn in_version_1_a_call_cannot_be_cancelled_by_itself() {
    let mut ed = Ed::open(1, Works).await;
    let prompt = ed.start("wait").await;
    assert_eq!(ed.update().await["sessionUpdate"], "tool_call");
    assert_eq!(ed.update().await["content"]["text"], "go");
    assert_eq!(code(&ed.cancel("tool_call", &json!("call")).await), -32601);
    let session = ed.session.clone();
    ed.wire.cancel(&session).await;
    assert_eq!(ed.update().await, status("failed"));
    assert_eq!(ed.end(prompt).await.0, "cancelled");
}

/// Rule `v2-tool-06`.
#[tokio::test]
async fn a_call_pauses_and_goes_on() {
    for (version, paused) in [(1, "in_progress"), (2, "paused")] {
        let mut ed = Ed::open(version, Works).await;
        let updates = ed.turn("pause").await;
        assert_eq!(updates[1..], [status(paused), status("in_progress"), status("completed")]);
        // A client of version 1 that opens the session again gets a status that it knows.
        let Some(last) = updates.last() else { panic!() };
        assert_eq!(*last, status("completed"));
    }
}

#[tokio::test]
async fn the_controls_of_a_call_are_not_replayed() {
    let mut ed = Ed::open(2, Works).await;
    ed.turn("complete").await;
    let params = json!({"sessionId": ed.session, "cwd": "/work", "replayFrom": {"type": "start"}});
    let resume = ed.wire.request("session/resume", params).await;
    let mut replayed = Vec::new();
    loop {
        let message = ed.wire.recv().await;
        if message["id"] == resume {
            break;
        }
        replayed.push(ed.checked(&message));
    }
    let calls: Vec<_> =
        replayed.iter().filter(|update| update["sessionUpdate"] == "tool_call_update").collect();
    assert_eq!(calls.len(), 2, "{calls:?}");
    assert!(calls.iter().all(|call| call.get("capabilities").is_none()), "{calls:?}");
}
