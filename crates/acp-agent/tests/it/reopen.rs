//! Sessions that are opened, prompted and closed at the same time. Each request is served in order,
//! or refused.

use std::sync::Arc;

use acp_agent::types::{AvailableCommandsUpdate, ContentChunk, Notice, NoticeSeverity, SessionUpdate};
use acp_agent::{
    Error, LoadSession, NewSession, Opened, Result, ResumeSession, Session, StopReason, Turn, agent,
};
use serde_json::{Value, json};
use tokio::sync::{Notify, Semaphore};

use crate::support::{Wire, check_error, reopening};

/// Opens and closes sessions when the test lets it.
#[derive(Clone, Default)]
struct Slow {
    gate: Arc<Notify>,
    closing: Arc<Notify>,
    hooks: Arc<std::sync::Mutex<Vec<String>>>,
}

#[agent]
impl Slow {
    async fn new_session(&self, open: NewSession) -> Result<Opened<&'static str>> {
        let hooks = Arc::clone(&self.hooks);
        open.after_response(async move |open| {
            hooks.lock().unwrap().push(open.session_id().to_string());
            open.update(AvailableCommandsUpdate::new(Vec::new())).await.unwrap();
        });
        open.update(chunk("held")).await?;
        if open.cwd().ends_with("fails") {
            return Err("no".into());
        }
        Ok(Opened::new("new").session_id("s"))
    }

    async fn load_session(&self, open: LoadSession) -> Result<&'static str> {
        if open.cwd().ends_with("notice") {
            let notice = Notice::new(NoticeSeverity::Info, "hi");
            return Err(open.update(notice).await.unwrap_err());
        }
        if open.cwd().ends_with("panic") {
            panic!("as asked");
        }
        self.gate.notified().await;
        if open.cwd().ends_with("fails") {
            return Err("no".into());
        }
        Ok("loaded")
    }

    async fn resume_session(&self, _open: ResumeSession) -> Result<&'static str> {
        Ok("resumed")
    }

    async fn close_session(&self) -> Result<()> {
        self.closing.notified().await;
        Ok(())
    }

    async fn delete_session(&self) -> Result<()> {
        Ok(())
    }

    async fn prompt(&self, turn: Turn, state: Session<&'static str>) -> Result<StopReason> {
        if turn.text() == "wait" {
            turn.cancelled().await;
        }
        turn.say(*state).await?;
        Ok(StopReason::EndTurn)
    }
}

fn chunk(text: &str) -> SessionUpdate {
    SessionUpdate::AgentMessageChunk(ContentChunk::text(text))
}

fn setup(method: &str, cwd: &str) -> Value {
    let mut params = reopening(method, "s", cwd);
    if method == "session/new" {
        params["mcpServers"] = json!([]);
    }
    params
}

fn named() -> Value {
    json!({"sessionId": "s", "prompt": [{"type": "text", "text": "hi"}]})
}

async fn prompted(wire: &mut Wire) -> String {
    let prompt = wire.prompt("s", "hi").await;
    let said = wire.said().await;
    wire.stopped(prompt).await;
    said
}

#[tokio::test]
async fn while_a_session_is_opened_nothing_else_happens_to_it() {
    for cwd in ["/", "/fails"] {
        let agent = Slow::default();
        let gate = Arc::clone(&agent.gate);
        let mut wire = Wire::connect(agent, json!({})).await;
        for is_open in [false, true] {
            if is_open {
                wire.call("session/resume", setup("session/resume", "/")).await;
            }
            let load = wire.request("session/load", setup("session/load", cwd)).await;
            let others =
                ["session/load", "session/resume", "session/prompt", "session/close", "session/delete"];
            for method in others {
                let params = if method.ends_with('d') || method.ends_with("resume") {
                    setup(method, "/")
                } else {
                    named()
                };
                wire.refused(method, params, -32600, &["`s`", "opened"]).await;
            }
            gate.notify_one();
            let opened = wire.answer_to(load).await;
            assert_eq!(opened.get("error").is_some(), cwd == "/fails", "{opened}");
            match (cwd, is_open) {
                ("/", _) => assert_eq!(prompted(&mut wire).await, "loaded"),
                // The session from before stays open.
                (_, true) => assert_eq!(prompted(&mut wire).await, "resumed"),
                (_, false) => drop(wire.refused("session/prompt", named(), -32002, &[]).await),
            }
        }
    }
}

#[tokio::test]
async fn a_session_in_a_turn_is_not_opened_anew() {
    let (mut wire, _) = Wire::open(Slow::default(), json!({})).await;
    assert_eq!(wire.said().await, "held");
    assert_eq!(wire.update().await["sessionUpdate"], "available_commands_update");
    let prompt = wire.prompt("s", "wait").await;
    for method in ["session/load", "session/resume"] {
        wire.refused(method, setup(method, "/"), -32600, &["`s`", "turn"]).await;
    }
    wire.cancel("s").await;
    assert_eq!(wire.stopped(prompt).await, "cancelled");
    assert!(wire.call("session/resume", setup("session/resume", "/")).await["result"].is_object());
}

#[tokio::test]
async fn a_session_that_is_being_closed_is_unknown_and_not_opened_anew() {
    let agent = Slow::default();
    let closing = Arc::clone(&agent.closing);
    let mut wire = Wire::connect(agent, json!({})).await;
    wire.call("session/resume", setup("session/resume", "/")).await;
    let close = wire.request("session/close", named()).await;
    for (method, params, code) in [
        ("session/prompt", named(), -32002),
        ("session/close", named(), -32002),
        ("session/resume", setup("session/resume", "/"), -32600),
    ] {
        wire.refused(method, params, code, &[]).await;
    }
    closing.notify_one();
    wire.answer_to(close).await;
    assert!(wire.call("session/resume", setup("session/resume", "/")).await["result"].is_object());
    // A session that is not open can be deleted, and then no longer exists.
    for _ in 0..2 {
        assert_eq!(wire.call("session/delete", json!({"sessionId": "s"})).await["result"], json!({}));
    }
    assert!(wire.call("session/resume", setup("session/resume", "/")).await["result"].is_object());
}

#[tokio::test]
async fn an_opening_that_is_cancelled_or_panics_leaves_the_id_free() {
    let mut wire = Wire::connect(Slow::default(), json!({})).await;
    let load = wire.request("session/load", setup("session/load", "/")).await;
    wire.notify("$/cancel_request", json!({"requestId": load})).await;
    check_error(&wire.answer_to(load).await, -32800, &[]);
    wire.refused("session/load", setup("session/load", "/panic"), -32603, &[]).await;
    assert!(wire.call("session/resume", setup("session/resume", "/")).await["result"].is_object());
    assert_eq!(prompted(&mut wire).await, "resumed");
}

#[tokio::test]
async fn hooks_run_behind_the_answer_and_what_has_waited_for_it() {
    let agent = Slow::default();
    let hooks = Arc::clone(&agent.hooks);
    let mut wire = Wire::connect(agent, json!({})).await;
    wire.refused("session/new", setup("session/new", "/fails"), -32603, &[]).await;
    assert_eq!(wire.call("session/new", setup("session/new", "/")).await["result"]["sessionId"], "s");
    assert_eq!(wire.said().await, "held");
    let update = wire.recv().await;
    assert_eq!(update["params"]["update"]["sessionUpdate"], "available_commands_update");
    assert_eq!(update["params"]["sessionId"], "s");
    assert_eq!(*hooks.lock().unwrap(), ["s"]);
}

#[tokio::test]
async fn updates_of_an_opening_need_the_clients_offer_too() {
    let mut wire = Wire::connect(Slow::default(), json!({})).await;
    wire.refused("session/load", setup("session/load", "/notice"), -32603, &["`session.notices`"]).await;
}

/// Keeps its hooks, and counts them.
#[derive(Clone)]
struct WithHooks(Arc<Semaphore>);

#[agent]
impl WithHooks {
    async fn new_session(&self, open: NewSession) -> Result<Opened<()>> {
        let permits = Arc::clone(&self.0);
        open.after_response(async move |_open| {
            let _permit = permits.acquire().await.unwrap();
            std::future::pending().await
        });
        Ok(Opened::new(()))
    }

    async fn close_session(&self) -> Result<()> {
        Ok(())
    }

    async fn prompt(&self) -> Result<StopReason> {
        Err(Error::Cancelled)
    }
}

#[tokio::test]
async fn hooks_end_with_their_session_and_with_the_client() {
    let permits = Arc::new(Semaphore::new(2));
    let mut wire = Wire::connect(WithHooks(Arc::clone(&permits)), json!({})).await;
    let sessions = [wire.new_session().await, wire.new_session().await];
    while permits.available_permits() > 0 {
        tokio::task::yield_now().await;
    }
    wire.call("session/close", json!({"sessionId": sessions[0]})).await;
    drop(permits.acquire().await.unwrap());
    wire.close().await;
    drop(permits.acquire_many(2).await.unwrap());
}
