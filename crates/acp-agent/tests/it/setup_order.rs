//! Updates around the answer that opens a session.

use std::sync::{Arc, Mutex};

use acp_agent::types::{ContentChunk, SessionUpdate};
use acp_agent::{LoadSession, NewSession, Opened, Result, ResumeSession, StopReason, Turn, agent};
use serde_json::{Value, json};
use tokio::sync::oneshot;

use crate::support::{Wire, check_error, reopening};

fn chunk(text: impl Into<String>) -> SessionUpdate {
    SessionUpdate::AgentMessageChunk(ContentChunk::text(text))
}

/// Sends many updates while it opens sessions.
#[derive(Default)]
struct Chatty {
    late: Mutex<Option<oneshot::Receiver<()>>>,
}

#[agent]
impl Chatty {
    async fn new_session(&self, open: NewSession) -> Result<Opened<()>> {
        for text in ["one", "two"] {
            open.update(chunk(text)).await?;
        }
        let Some("late" | "fails") = open.cwd().file_name().and_then(|name| name.to_str()) else {
            return Ok(Opened::new(()).session_id("chosen"));
        };
        if open.cwd().ends_with("fails") {
            return Err("no".into());
        }
        let signal = self.late.lock().unwrap().take().unwrap();
        tokio::spawn(async move {
            signal.await.unwrap();
            open.update(chunk("late")).await.unwrap();
        });
        Ok(Opened::new(()))
    }

    async fn load_session(&self, open: LoadSession) -> Result<()> {
        for number in 0..2_000 {
            open.update(chunk(number.to_string())).await?;
        }
        Ok(())
    }

    async fn resume_session(&self, open: ResumeSession) -> Result<()> {
        open.update(chunk("here again")).await?;
        if open.cwd().ends_with("flood") {
            // 16 of 64 KiB fill the budget.
            for _ in 0..17 {
                open.update(chunk("too much".repeat(8 * 1024))).await?;
            }
        }
        Ok(())
    }

    async fn prompt(&self, _turn: Turn) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }
}

fn setup(cwd: &str) -> Value {
    reopening("session/load", "old", cwd)
}

#[tokio::test]
async fn updates_of_a_new_session_follow_its_answer() {
    let mut wire = Wire::connect(Chatty::default(), json!({})).await;
    let answer = wire.call("session/new", setup("/")).await;
    assert_eq!(answer["result"]["sessionId"], "chosen");
    for text in ["one", "two"] {
        let update = wire.recv().await;
        assert_eq!(update["params"]["sessionId"], "chosen");
        assert_eq!(update["params"]["update"]["content"]["text"], text);
    }
}

#[tokio::test]
async fn what_is_sent_later_comes_behind() {
    let (signal, late) = oneshot::channel();
    let mut wire = Wire::connect(Chatty { late: Mutex::new(Some(late)) }, json!({})).await;
    wire.call("session/new", setup("/late")).await;
    assert_eq!([wire.said().await, wire.said().await], ["one", "two"]);
    signal.send(()).unwrap();
    assert_eq!(wire.said().await, "late");
}

#[tokio::test]
async fn updates_of_a_session_that_was_not_opened_are_never_sent() {
    let mut wire = Wire::connect(Chatty::default(), json!({})).await;
    wire.refused("session/new", setup("/fails"), -32603, &["no"]).await;
    assert_eq!(wire.close().await, Vec::<Value>::new());
}

#[tokio::test]
async fn replay_comes_before_the_answer_and_waits_for_a_slow_client() {
    let mut wire = Wire::serve_through(Arc::new(Chatty::default()), 512);
    wire.initialize(json!({})).await;
    let load = wire.request("session/load", setup("/")).await;
    for number in 0..2_000 {
        assert_eq!(wire.said().await, number.to_string());
    }
    wire.answer_to(load).await;
    assert_eq!(wire.close().await, Vec::<Value>::new());
}

#[tokio::test]
async fn updates_of_a_resumed_session_follow_its_answer() {
    let mut wire = Wire::connect(Chatty::default(), json!({})).await;
    assert_eq!(
        wire.call("session/resume", reopening("session/resume", "old", "/")).await["result"],
        json!({})
    );
    assert_eq!(wire.said().await, "here again");
}

#[tokio::test]
async fn more_than_can_wait_is_an_error() {
    let mut wire = Wire::connect(Chatty::default(), json!({})).await;
    let resume = wire.request("session/resume", reopening("session/resume", "old", "/flood")).await;
    check_error(&wire.answer_to(resume).await, -32603, &["1048576 bytes", "old"]);
}
