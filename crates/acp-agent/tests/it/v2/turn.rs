//! Turns: their beginning, their end, and prompts that are held.

use std::sync::Arc;

use acp_agent::{Result, StopReason, Turn, agent};
use serde_json::json;
use tokio::sync::Notify;

use super::{idle, inserted, new_session, open, said, update};

struct Acts {
    release: Arc<Notify>,
}

#[agent(prompt(queue))]
impl Acts {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        match turn.text().as_str() {
            "refuse" => return Ok(StopReason::Refusal),
            "fail" => {
                turn.say("half").await?;
                return Err("the model is gone".into());
            }
            "panic" => panic!("on purpose"),
            "wait" => {
                turn.say("waits").await?;
                self.release.notified().await;
            }
            "pieces" => {
                turn.say("a").await?;
                turn.say("b").await?;
                turn.thought("c").await?;
                turn.say("d").await?;
                turn.message().say("e").await?;
                turn.say("f").await?;
            }
            text => turn.say(text).await?,
        }
        Ok(StopReason::EndTurn)
    }
}

fn acts() -> Acts {
    Acts { release: Arc::default() }
}

#[tokio::test]
async fn the_end_of_a_turn_is_a_state_however_it_went() {
    let (mut wire, session) = open(acts()).await;
    let table = [
        ("refuse", 0, json!({"stopReason": "refusal"})),
        (
            "fail",
            1,
            json!({"stopReason": "error", "error": {"code": -32603, "message": "the model is gone"}}),
        ),
        ("panic", 0, json!({"stopReason": "error"})),
        ("fine", 1, json!({"stopReason": "end_turn"})),
    ];
    for (text, says, end) in table {
        let prompt = wire.prompt(&session, text).await;
        inserted(&mut wire, prompt).await;
        for _ in 0..says {
            said(&mut wire).await;
        }
        let mut update = update(&mut wire).await;
        if text == "panic" {
            assert_eq!(update["error"].take()["code"], -32603, "{update}");
            update.as_object_mut().unwrap().remove("error");
        }
        let mut expected = json!({"sessionUpdate": "state_update", "state": "idle"});
        expected.as_object_mut().unwrap().extend(end.as_object().unwrap().clone());
        assert_eq!(update, expected, "{text}");
    }
    // Nothing was answered twice.
    assert_eq!(wire.close().await, [json!(null); 0]);
}

#[tokio::test]
async fn pieces_that_follow_each_other_are_one_message() {
    let (mut wire, session) = open(acts()).await;
    let prompt = wire.prompt(&session, "pieces").await;
    inserted(&mut wire, prompt).await;
    let mut ids = Vec::new();
    for text in ["a", "b", "c", "d", "e", "f"] {
        let update = update(&mut wire).await;
        assert_eq!(update["content"]["text"], text, "{update}");
        ids.push(update["messageId"].as_str().unwrap().to_owned());
    }
    idle(&mut wire, "end_turn").await;
    assert_eq!(ids[0], ids[1]);
    let mut different = ids[1..].to_vec();
    different.sort();
    different.dedup();
    assert_eq!(different.len(), 5, "{ids:?}");
}

#[tokio::test]
async fn prompts_that_are_not_inserted_are_refused() {
    let (mut wire, session) = open(acts()).await;
    let text = json!([{"type": "text", "text": "x"}]);
    for (params, code) in [
        (json!({"sessionId": session, "prompt": []}), -32602),
        (json!({"sessionId": session}), -32602),
        (json!({"sessionId": "other", "prompt": text}), -32002),
        (
            json!({"sessionId": session, "prompt": [{"type": "image", "data": "", "mimeType": "image/png"}]}),
            -32602,
        ),
        (json!({"sessionId": session, "prompt": [{"type": "_x"}]}), -32602),
    ] {
        wire.refused("session/prompt", params, code, &[]).await;
    }
}

#[tokio::test]
async fn a_held_prompt_is_inserted_when_the_turn_before_it_is_over() {
    let agent = acts();
    let release = Arc::clone(&agent.release);
    let (mut wire, session) = open(agent).await;
    let first = wire.prompt(&session, "wait").await;
    inserted(&mut wire, first).await;
    said(&mut wire).await;
    let second = wire.prompt(&session, "next").await;
    release.notify_one();
    idle(&mut wire, "end_turn").await;
    inserted(&mut wire, second).await;
    assert_eq!(said(&mut wire).await.0, "next");
    idle(&mut wire, "end_turn").await;
}

#[tokio::test]
async fn a_cancel_ends_the_turn_and_refuses_what_is_held() {
    for end in ["session/cancel", "session/close"] {
        let (mut wire, session) = open(acts()).await;
        let first = wire.prompt(&session, "wait").await;
        inserted(&mut wire, first).await;
        said(&mut wire).await;
        let held = wire.prompt(&session, "held").await;
        let withdrawn = wire.prompt(&session, "withdrawn").await;
        wire.notify("$/cancel_request", json!({"requestId": withdrawn})).await;
        assert_eq!(wire.answer_to(withdrawn).await["error"]["code"], -32800);
        // A prompt that is inserted cannot be cancelled by its request any more.
        wire.notify("$/cancel_request", json!({"requestId": first})).await;
        let params = json!({"sessionId": session});
        let close = match end {
            "session/close" => Some(wire.request(end, params).await),
            _ => {
                wire.notify(end, params).await;
                None
            }
        };
        let (mut is_idle, mut is_refused, mut is_closed) = (false, false, close.is_none());
        while !(is_idle && is_refused && is_closed) {
            let message = wire.recv().await;
            if message["id"] == held {
                assert_eq!(message["error"]["code"], -32800, "{message}");
                is_refused = true;
            } else if close.is_some_and(|close| message["id"] == close) {
                assert!(is_idle, "closed before the turn was over: {message}");
                assert_eq!(message["result"], json!({}));
                is_closed = true;
            } else {
                let update = &message["params"]["update"];
                assert_eq!(
                    (&update["state"], &update["stopReason"]),
                    (&json!("idle"), &json!("cancelled")),
                    "{message}"
                );
                is_idle = true;
            }
        }
        assert_eq!(wire.close().await, [json!(null); 0]);
    }
}

#[tokio::test]
async fn the_end_of_the_connection_ends_the_turn_without_a_word() {
    let (mut wire, session) = open(acts()).await;
    let prompt = wire.prompt(&session, "wait").await;
    inserted(&mut wire, prompt).await;
    said(&mut wire).await;
    for message in wire.close().await {
        assert!(message.get("id").is_none(), "a second answer: {message}");
    }
}

#[tokio::test]
async fn an_id_can_be_used_again_while_its_turn_runs() {
    let agent = acts();
    let release = Arc::clone(&agent.release);
    let (mut wire, session) = open(agent).await;
    let other = new_session(&mut wire).await;
    let prompt = |session: &str, text: &str| {
        json!({"jsonrpc": "2.0", "id": 7, "method": "session/prompt",
               "params": {"sessionId": session, "prompt": [{"type": "text", "text": text}]}})
    };
    wire.send(prompt(&session, "wait")).await;
    inserted(&mut wire, 7).await;
    said(&mut wire).await;
    wire.send(prompt(&other, "wait")).await;
    inserted(&mut wire, 7).await;
    said(&mut wire).await;
    for _ in 0..2 {
        release.notify_one();
        idle(&mut wire, "end_turn").await;
    }
    assert_eq!(wire.close().await, [json!(null); 0]);
}
