//! Sessions of an agent that has no store: they are kept in memory.

use std::sync::Arc;

use acp_agent::{Result, Serve, StopReason, Turn, agent};
use serde_json::{Value, json};

use super::{connect, hello, idle, inserted, new_session, open, said, state, update};
use crate::support::Wire;

struct Echo;

#[agent]
impl Echo {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        turn.say(turn.text()).await?;
        Ok(StopReason::EndTurn)
    }
}

/// Runs a turn, and returns the ids of its two messages.
async fn turn(wire: &mut Wire, session: &str, text: &str) -> [String; 2] {
    let prompt = wire.prompt(session, text).await;
    let user = inserted(wire, prompt).await;
    let (said, agent) = said(wire).await;
    assert_eq!(said, text);
    idle(wire, "end_turn").await;
    [user, agent]
}

async fn resume(wire: &mut Wire, session: &str, replay_from: Value) -> u64 {
    wire.request("session/resume", json!({"sessionId": session, "cwd": "/work", "replayFrom": replay_from}))
        .await
}

#[tokio::test]
async fn a_session_is_resumed_with_and_without_its_history() {
    let (mut wire, session) = open(Echo).await;
    let ids = turn(&mut wire, &session, "one").await;
    assert_eq!(wire.call("session/close", json!({"sessionId": session})).await["result"], json!({}));

    let without = resume(&mut wire, &session, Value::Null).await;
    state(&mut wire, "idle").await;
    assert_eq!(wire.answer_to(without).await["result"], json!({}));

    // Twice, because the ids must not change.
    for _ in 0..2 {
        let with = resume(&mut wire, &session, json!({"type": "start"})).await;
        for (kind, id) in [("user_message_chunk", &ids[0]), ("agent_message_chunk", &ids[1])] {
            let replayed = update(&mut wire).await;
            assert_eq!(
                replayed,
                json!({"sessionUpdate": kind, "messageId": id, "content": {"type": "text", "text": "one"}})
            );
        }
        state(&mut wire, "idle").await;
        assert_eq!(wire.answer_to(with).await["result"], json!({}));
    }
    turn(&mut wire, &session, "two").await;

    for (cursor, code) in [(json!({"type": "_x"}), -32602), (json!({}), -32602), (json!(5), -32602)] {
        let refused = resume(&mut wire, &session, cursor.clone()).await;
        let answer = wire.answer_to(refused).await;
        assert_eq!(answer["error"]["code"], code, "{cursor}: {answer}");
    }
    let unknown = resume(&mut wire, "never", Value::Null).await;
    let answer = wire.answer_to(unknown).await;
    assert_eq!(
        (&answer["error"]["code"], &answer["error"]["data"]["sessionId"]),
        (&json!(-32002), &json!("never"))
    );
}

#[tokio::test]
async fn sessions_outlive_the_connection_as_long_as_the_agent() {
    let agent = Arc::new(Echo);
    let mut first = Wire::serve_as(Serve::shared(Arc::clone(&agent)));
    first.call("initialize", hello()).await;
    let session = new_session(&mut first).await;
    let ids = turn(&mut first, &session, "one").await;
    first.close().await;

    let mut second = Wire::serve_as(Serve::shared(agent));
    second.call("initialize", hello()).await;
    let listed = second.call("session/list", json!({})).await;
    assert_eq!(listed["result"]["sessions"][0]["sessionId"], session, "{listed}");
    assert_eq!(listed["result"]["sessions"][0]["title"], "one", "{listed}");
    let elsewhere = second.call("session/list", json!({"cwd": "/elsewhere"})).await;
    assert_eq!(elsewhere["result"], json!({"sessions": []}));
    second.refused("session/list", json!({"cursor": "x"}), -32602, &["cursor"]).await;
    let with = resume(&mut second, &session, json!({"type": "start"})).await;
    assert_eq!(update(&mut second).await["messageId"], ids[0]);
    assert_eq!(update(&mut second).await["messageId"], ids[1]);
    state(&mut second, "idle").await;
    second.answer_to(with).await;

    // Another agent does not know them.
    let mut other = connect(Echo).await;
    assert_eq!(other.call("session/list", json!({})).await["result"], json!({"sessions": []}));
}

#[tokio::test]
async fn version_1_does_not_offer_the_memory() {
    let mut wire = Wire::connect(Echo, json!({})).await;
    for method in ["session/load", "session/resume", "session/list", "session/close"] {
        let params = json!({"sessionId": "x", "cwd": "/", "mcpServers": []});
        wire.refused(method, params, -32601, &[method]).await;
    }
}

#[tokio::test]
async fn closing_what_is_not_open_succeeds() {
    let (mut wire, session) = open(Echo).await;
    for id in [&*session, &*session, "never"] {
        assert_eq!(wire.call("session/close", json!({"sessionId": id})).await["result"], json!({}), "{id}");
    }
    let refused = wire.prompt(&session, "late").await;
    assert_eq!(wire.answer_to(refused).await["error"]["code"], -32002);
}

#[tokio::test]
async fn a_setup_that_is_malformed_leaves_no_session() {
    let mut wire = connect(Echo).await;
    let stdio = |name: &str| json!({"type": "stdio", "name": name, "command": "/bin/true"});
    for params in [
        json!({}),
        json!({"cwd": "relative"}),
        json!({"cwd": "/", "mcpServers": [stdio("a")]}),
        json!({"cwd": "/", "mcpServers": [{"name": "a", "command": "/bin/true"}]}),
        json!({"cwd": "/", "mcpServers": [{"type": "sse", "name": "a", "url": "http://a"}]}),
        json!({"cwd": "/", "mcpServers": [stdio("a"), stdio("a")]}),
        json!({"cwd": "/", "additionalDirectories": ["/b"]}),
    ] {
        wire.refused("session/new", params, -32602, &[]).await;
    }
    assert_eq!(wire.call("session/list", json!({})).await["result"], json!({"sessions": []}));
}

/// An agent that keeps some of its sessions by itself. It cannot have all that sessions take.
struct Half;

#[agent]
impl Half {
    async fn list_sessions(&self) -> Result<acp_agent::types::ListSessionsResponse> {
        Ok(acp_agent::types::ListSessionsResponse::new([]))
    }

    async fn prompt(&self, _turn: Turn) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }
}

#[tokio::test]
async fn sessions_are_offered_only_if_all_of_them_works() {
    let mut wire = Wire::serve(Half);
    assert_eq!(wire.call("initialize", hello()).await["result"]["capabilities"], json!({}));
    wire.refused("session/new", json!({"cwd": "/"}), -32601, &["session/new"]).await;
}
