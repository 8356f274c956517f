//! Cancellation: its effect on the handler and on the client, and races.

mod races;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use acp_agent::{
    CANCEL_GRACE, Cancel, Error, LoadSession, Result, Session, StopReason, ToolCall, Turn, agent,
};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::support::Wire;

/// Counts its drops.
struct Dropped(Arc<AtomicUsize>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// Does what the prompt's text says, until it is cancelled.
#[derive(Default, Clone)]
struct Patient {
    dropped: Arc<AtomicUsize>,
    gate: Arc<Notify>,
}

#[agent]
impl Patient {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        let _dropped = Dropped(Arc::clone(&self.dropped));
        match &*turn.text() {
            // It awaits the client.
            "ask" => drop(turn.ask(&ToolCall::new("c", "Ask")).await?),
            "read" => drop(turn.fs().expect("offered").read_text("/a").await?),
            // It awaits a future that is not the turn's.
            "forever" => std::future::pending::<()>().await,
            "tool forever" => {
                turn.tool(ToolCall::new("t", "Long"), std::future::pending::<Result<()>>()).await?;
            }
            "guard forever" => {
                let _tool = turn.start_tool(ToolCall::new("g", "Long")).await?;
                std::future::pending::<()>().await;
            }
            // It fails because it was cancelled.
            "abort" => {
                turn.cancelled().await;
                return Err("connection reset by model".into());
            }
            // It returns as if it had not been cancelled.
            "done" => {
                turn.cancelled().await;
                return Ok(StopReason::EndTurn);
            }
            "last words" => {
                turn.cancelled().await;
                assert!(matches!(turn.say("no").await, Err(Error::Cancelled)));
                turn.uncancelled().say("bye").await?;
            }
            // It notices the cancellation, and does not return.
            "stubborn" => {
                turn.cancelled().await;
                std::future::pending::<()>().await;
            }
            "late" => {
                self.gate.notified().await;
                turn.say("still here").await?;
            }
            other => turn.say(other).await?,
        }
        Ok(StopReason::EndTurn)
    }

    async fn load_session(&self, _open: LoadSession, cancel: Cancel) -> Result<()> {
        let _dropped = Dropped(Arc::clone(&self.dropped));
        cancel.cancelled().await;
        Err(Error::Cancelled)
    }

    async fn close_session(&self, session: Session<()>) -> Result<()> {
        // The turn has ended before this runs.
        assert_eq!(self.dropped.load(Ordering::SeqCst), 1, "{session:?}");
        Ok(())
    }

    async fn delete_session(&self) -> Result<()> {
        assert_eq!(self.dropped.load(Ordering::SeqCst), 1);
        Ok(())
    }

    #[ext("_test/forever")]
    async fn forever(&self) -> Result<()> {
        let _dropped = Dropped(Arc::clone(&self.dropped));
        std::future::pending().await
    }
}

fn fs() -> Value {
    json!({"fs": {"readTextFile": true}})
}

#[tokio::test]
async fn a_turn_that_is_cancelled_answers_so_whatever_it_awaits() {
    // Each prompt's text, and the methods of the messages before its answer.
    let table: [(&str, &[&str], &[&str]); 8] = [
        ("ask", &["session/request_permission"], &["$/cancel_request"]),
        ("read", &["fs/read_text_file"], &["$/cancel_request"]),
        ("forever", &[], &[]),
        ("tool forever", &["session/update"], &["session/update"]),
        ("guard forever", &["session/update"], &["session/update"]),
        ("abort", &[], &[]),
        ("done", &[], &[]),
        ("last words", &[], &["session/update"]),
    ];
    for (text, before, after) in table {
        let (mut wire, session) = Wire::open(Patient::default(), fs()).await;
        let prompt = wire.prompt(&session, text).await;
        for method in before {
            assert_eq!(wire.recv().await["method"], *method, "{text}");
        }
        wire.cancel(&session).await;
        for method in after {
            assert_eq!(wire.recv().await["method"], *method, "{text}");
        }
        assert_eq!(wire.stopped(prompt).await, "cancelled", "{text}");
        // The session goes on.
        let prompt = wire.prompt(&session, "hi").await;
        assert_eq!(wire.said().await, "hi", "{text}");
        assert_eq!(wire.stopped(prompt).await, "end_turn", "{text}");
        assert_eq!(wire.close().await, Vec::<Value>::new(), "{text}");
    }
}

#[tokio::test]
async fn tools_that_were_running_are_reported_as_failed_before_the_answer() {
    for text in ["tool forever", "guard forever"] {
        let (mut wire, session) = Wire::open(Patient::default(), json!({})).await;
        let prompt = wire.prompt(&session, text).await;
        assert_eq!(wire.update().await["status"], "in_progress");
        wire.cancel(&session).await;
        assert_eq!(wire.update().await["status"], "failed");
        assert_eq!(wire.stopped(prompt).await, "cancelled");
    }
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_knows_and_goes_on_is_dropped_after_the_grace() {
    let agent = Patient::default();
    let dropped = Arc::clone(&agent.dropped);
    let (mut wire, session) = Wire::open(agent, json!({})).await;
    let prompt = wire.prompt(&session, "stubborn").await;
    let start = tokio::time::Instant::now();
    wire.cancel(&session).await;
    assert_eq!(wire.stopped(prompt).await, "cancelled");
    // The test's clock moves only when all tasks wait for timers.
    assert!(start.elapsed() >= CANCEL_GRACE);
    assert_eq!(dropped.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_does_not_know_is_dropped_at_once() {
    let agent = Patient::default();
    let dropped = Arc::clone(&agent.dropped);
    let (mut wire, session) = Wire::open(agent, json!({})).await;
    let prompt = wire.prompt(&session, "forever").await;
    let start = tokio::time::Instant::now();
    wire.cancel(&session).await;
    assert_eq!(wire.stopped(prompt).await, "cancelled");
    assert!(start.elapsed() < CANCEL_GRACE);
    assert_eq!(dropped.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn the_clients_answer_comes_too_late_and_is_no_consent() {
    let (mut wire, session) = Wire::open(Patient::default(), json!({})).await;
    let prompt = wire.prompt(&session, "ask").await;
    let ask = wire.recv().await;
    wire.cancel(&session).await;
    wire.answer(&ask, json!({"outcome": {"outcome": "selected", "optionId": "allow-once"}})).await;
    // The agent may have withdrawn the question before it saw the answer.
    let mut message = wire.recv().await;
    if message["method"] == "$/cancel_request" {
        message = wire.recv().await;
    }
    assert_eq!((&message["id"], &message["result"]["stopReason"]), (&json!(prompt), &json!("cancelled")));
}

#[tokio::test]
async fn a_late_cancel_has_no_effect_on_the_next_turn() {
    let agent = Patient::default();
    let gate = Arc::clone(&agent.gate);
    let (mut wire, session) = Wire::open(agent, json!({})).await;
    let other = wire.new_session().await;
    // Cancels of an idle session, of an unknown session, and without a readable session.
    wire.cancel(&session).await;
    wire.cancel("nope").await;
    wire.notify("session/cancel", json!({"sessionId": 5})).await;
    wire.notify("session/cancel", Value::Null).await;
    let prompt = wire.prompt(&session, "late").await;
    wire.cancel(&other).await;
    // When the agent answers this, it has read the cancel.
    wire.refused("_none", json!({}), -32601, &[]).await;
    gate.notify_one();
    assert_eq!(wire.said().await, "still here");
    assert_eq!(wire.stopped(prompt).await, "end_turn");
}

#[tokio::test]
async fn a_cancel_between_two_prompts_belongs_to_the_first() {
    let (mut wire, session) = Wire::open(Patient::default(), json!({})).await;
    for _ in 0..50 {
        let first = wire.prompt(&session, "hi").await;
        assert_eq!(wire.said().await, "hi");
        let answer = wire.answer_to(first).await;
        assert_eq!(answer["result"]["stopReason"], "end_turn");
        wire.cancel(&session).await;
        let second = wire.prompt(&session, "hi").await;
        assert_eq!(wire.said().await, "hi");
        assert_eq!(wire.stopped(second).await, "end_turn");
    }
}

#[tokio::test]
async fn a_turn_is_busy_until_its_cancel_is_answered() {
    let (mut wire, session) = Wire::open(Patient::default(), json!({})).await;
    let first = wire.prompt(&session, "forever").await;
    wire.cancel(&session).await;
    let second = wire.prompt(&session, "hi").await;
    // The order of the two answers depends on the scheduler.
    let mut answers = std::collections::HashMap::new();
    while answers.len() < 2 {
        let message = wire.recv().await;
        if message.get("id").is_some() {
            answers.insert(message["id"].as_u64().unwrap(), message);
        }
    }
    assert_eq!(answers[&first]["result"]["stopReason"], "cancelled");
    let second = &answers[&second];
    assert!(second["error"]["code"] == -32600 || second["result"]["stopReason"] == "end_turn", "{second}");
}

#[tokio::test]
async fn cancelling_the_request_is_cancelling_the_turn() {
    let (mut wire, session) = Wire::open(Patient::default(), json!({})).await;
    for text in ["ask", "forever", "abort"] {
        let prompt = wire.prompt(&session, text).await;
        if text == "ask" {
            wire.recv().await;
        }
        // Ids are compared by type, so this is a different id.
        wire.notify("$/cancel_request", json!({"requestId": prompt.to_string()})).await;
        wire.notify("$/cancel_request", json!({"requestId": prompt})).await;
        if text == "ask" {
            assert_eq!(wire.recv().await["method"], "$/cancel_request");
        }
        assert_eq!(wire.stopped(prompt).await, "cancelled", "{text}");
    }
}

#[tokio::test]
async fn other_requests_are_cancelled_with_an_error() {
    let agent = Patient::default();
    let dropped = Arc::clone(&agent.dropped);
    let mut wire = Wire::connect(agent, json!({})).await;
    let setup = json!({"sessionId": "old", "cwd": "/", "mcpServers": []});
    for (count, (method, params)) in
        [("session/load", setup), ("_test/forever", json!({}))].into_iter().enumerate()
    {
        let id = wire.request(method, params).await;
        wire.notify("$/cancel_request", json!({"requestId": id})).await;
        assert_eq!(wire.answer_to(id).await["error"]["code"], -32800, "{method}");
        assert_eq!(dropped.load(Ordering::SeqCst), count + 1, "{method}");
    }
}

#[tokio::test]
async fn closing_a_session_cancels_its_turn_first() {
    let (mut wire, session) = Wire::open(Patient::default(), json!({})).await;
    let prompt = wire.prompt(&session, "forever").await;
    let close = wire.request("session/close", json!({"sessionId": session})).await;
    let again = wire.prompt(&session, "hi").await;
    let mut answers = std::collections::HashMap::new();
    for _ in 0..3 {
        let answer = wire.recv().await;
        answers.insert(answer["id"].as_u64().unwrap(), answer);
    }
    assert_eq!(answers[&prompt]["result"]["stopReason"], "cancelled");
    assert_eq!(answers[&close]["result"], json!({}));
    assert_eq!(answers[&again]["error"]["code"], -32002);
}

/// The ways to end a turn, and the messages that the client gets besides the turn's answer.
#[tokio::test]
async fn whatever_fires_the_token_asks_end_and_last_words_leave_before_the_answer() {
    for how in ["session/cancel", "$/cancel_request", "session/close", "session/delete"] {
        for text in ["ask", "last words"] {
            let (mut wire, session) = Wire::open(Patient::default(), fs()).await;
            let prompt = wire.prompt(&session, text).await;
            if text == "ask" {
                assert_eq!(wire.recv().await["method"], "session/request_permission");
            }
            let mut closing = None;
            match how {
                "session/cancel" => wire.cancel(&session).await,
                "$/cancel_request" => wire.notify(how, json!({"requestId": prompt})).await,
                _ => closing = Some(wire.request(how, json!({"sessionId": session})).await),
            }
            let before = wire.recv().await;
            let method = if text == "ask" { "$/cancel_request" } else { "session/update" };
            assert_eq!(before["method"], method, "{how} {text}");
            assert_eq!(wire.stopped(prompt).await, "cancelled", "{how} {text}");
            match closing {
                Some(closing) => {
                    assert_eq!(wire.answer_to(closing).await["result"], json!({}), "{how} {text}")
                }
                None => {
                    let next = wire.prompt(&session, "next").await;
                    assert_eq!(wire.said().await, "next", "{how} {text}");
                    assert_eq!(wire.stopped(next).await, "end_turn", "{how} {text}");
                }
            }
            assert_eq!(wire.close().await, Vec::<Value>::new(), "{how} {text}");
        }
    }
}

#[tokio::test]
async fn a_request_id_that_was_answered_cancels_nothing() {
    let agent = Patient::default();
    let gate = Arc::clone(&agent.gate);
    let (mut wire, session) = Wire::open(agent, json!({})).await;
    let first = wire.prompt(&session, "hi").await;
    assert_eq!(wire.said().await, "hi");
    wire.stopped(first).await;
    let second = wire.prompt(&session, "late").await;
    wire.notify("$/cancel_request", json!({"requestId": first})).await;
    wire.refused("_none", json!({}), -32601, &[]).await;
    gate.notify_one();
    assert_eq!(wire.said().await, "still here");
    assert_eq!(wire.stopped(second).await, "end_turn");
}

#[tokio::test(start_paused = true)]
async fn a_client_that_goes_away_cancels_its_turns() {
    for text in ["ask", "forever", "abort", "stubborn"] {
        let agent = Patient::default();
        let dropped = Arc::clone(&agent.dropped);
        let (mut wire, session) = Wire::open(agent, json!({})).await;
        wire.prompt(&session, text).await;
        // When this is answered, the agent has read the prompt.
        let other = wire.request("_none", json!({})).await;
        while wire.recv().await["id"] != other {}
        for message in wire.close().await {
            let asks =
                ["session/request_permission", "$/cancel_request"].map(|method| message["method"] == method);
            let ends = message["result"]["stopReason"] == "cancelled";
            // The end of the connection ends a stubborn handler before its grace is over.
            let ended = text == "stubborn" && message["error"]["code"] == -32800;
            assert!(asks.contains(&true) || ends || ended, "{text}: {message}");
        }
        assert_eq!(dropped.load(Ordering::SeqCst), 1, "{text}");
    }
}
