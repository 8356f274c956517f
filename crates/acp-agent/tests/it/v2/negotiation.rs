//! The version of a connection, and the answer to `initialize`.

use std::sync::Arc;

use acp_agent::types::{AuthMethod, AuthMethodTerminal};
use acp_agent::{Client, Result, StopReason, Turn, agent};
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::{hello, idle, inserted, new_session, said, update};
use crate::support::Wire;

/// The agent of the README.
struct Echo;

#[agent(name = "echo")]
impl Echo {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        for block in turn.prompt() {
            turn.send(block.clone()).await?;
        }
        Ok(StopReason::EndTurn)
    }
}

#[tokio::test]
async fn the_same_agent_answers_both_versions() {
    let mut one = Wire::serve(Echo);
    one.initialize(json!({})).await;
    let session = one.new_session().await;
    let prompt = one.prompt(&session, "hello").await;
    assert_eq!(one.said().await, "hello");
    assert_eq!(one.answer_to(prompt).await["result"], json!({"stopReason": "end_turn"}));

    let mut two = Wire::serve(Echo);
    let answer = two.call("initialize", hello()).await;
    assert_eq!(
        answer["result"],
        json!({"protocolVersion": 2, "capabilities": {"session": {}},
               "info": {"name": "echo", "version": env!("CARGO_PKG_VERSION")}})
    );
    let session = new_session(&mut two).await;
    let prompt = two.prompt(&session, "hello").await;
    let answer = two.answer_to(prompt).await;
    let id = answer["result"]["messageId"].clone();
    assert_eq!(answer["result"], json!({"messageId": id}));
    let content = json!({"type": "text", "text": "hello"});
    let echo = update(&mut two).await;
    assert_eq!(echo, json!({"sessionUpdate": "user_message", "messageId": id, "content": [content]}));
    assert_eq!(update(&mut two).await, json!({"sessionUpdate": "state_update", "state": "running"}));
    let chunk = update(&mut two).await;
    assert_ne!(chunk["messageId"], id);
    assert_eq!(
        chunk,
        json!({"sessionUpdate": "agent_message_chunk", "messageId": chunk["messageId"], "content": content})
    );
    let end = json!({"sessionUpdate": "state_update", "state": "idle", "stopReason": "end_turn"});
    assert_eq!(update(&mut two).await, end);
    assert_eq!(two.close().await, Vec::<Value>::new());
}

struct Looks;

#[agent]
impl Looks {
    async fn prompt(&self, turn: Turn, client: Client) -> Result<StopReason> {
        let name = client.info().map_or("nobody", |info| &info.name);
        let capabilities = client.capabilities();
        let forms = capabilities.elicitation.as_ref().is_some_and(|offered| offered.form.is_some());
        let (terminal, files) = (capabilities.auth.terminal, turn.fs().is_some());
        turn.say(format!("{name} {forms} {terminal} {files} {}", client.protocol_version())).await?;
        Ok(StopReason::EndTurn)
    }
}

#[tokio::test]
async fn the_version_is_the_newest_that_both_speak() {
    let info = json!({"name": "ed", "version": "1"});
    let form = json!({"elicitation": {"form": {}}});
    let table = [
        (json!({"protocolVersion": 0}), Ok((1, ""))),
        (json!({"protocolVersion": 1}), Ok((1, ""))),
        (json!({"protocolVersion": 2, "info": info}), Ok((2, "ed false false false 2"))),
        (json!({"protocolVersion": 2, "info": info, "capabilities": form}), Ok((2, "ed true false false 2"))),
        // What is malformed among capabilities is off, and members of version 1 are unknown.
        (
            json!({"protocolVersion": 2, "info": info, "capabilities": {"auth": {"terminal": true}},
                   "clientCapabilities": {"fs": {"readTextFile": true}}}),
            Ok((2, "ed false false false 2")),
        ),
        (
            json!({"protocolVersion": 2, "info": info, "capabilities": {"auth": {"terminal": {}}}}),
            Ok((2, "ed false true false 2")),
        ),
        (json!({"protocolVersion": 2}), Err("info")),
        (json!({"protocolVersion": 2, "info": 5}), Err("info")),
        (json!({"protocolVersion": 3}), Ok((2, "unknown false false false 2"))),
        (
            json!({"protocolVersion": 9, "info": 5, "_meta": 1,
                   "capabilities": {"elicitation": {"form": {}}, "auth": 7}}),
            Ok((2, "unknown true false false 2")),
        ),
        (
            json!({"protocolVersion": 65535, "info": info, "capabilities": 5}),
            Ok((2, "ed false false false 2")),
        ),
        (json!({}), Err("protocolVersion")),
        (json!({"protocolVersion": "2", "info": info}), Err("protocolVersion")),
        (json!({"protocolVersion": -1}), Err("protocolVersion")),
        (json!({"protocolVersion": 1.5}), Err("protocolVersion")),
        (json!({"protocolVersion": 65536}), Err("protocolVersion")),
    ];
    for (params, expected) in table {
        let mut wire = Wire::serve(Looks);
        match expected {
            Err(name) => {
                wire.refused("initialize", params, -32602, &["initialize", name]).await;
                // The connection can go on.
                wire.initialize(json!({})).await;
            }
            Ok((version, sees)) => {
                let answer = wire.call("initialize", params.clone()).await;
                assert_eq!(answer["result"]["protocolVersion"], version, "{params}");
                if version == 2 {
                    let session = new_session(&mut wire).await;
                    let prompt = wire.prompt(&session, "who?").await;
                    inserted(&mut wire, prompt).await;
                    assert_eq!(said(&mut wire).await.0, sees, "{params}");
                    idle(&mut wire, "end_turn").await;
                }
            }
        }
    }
}

struct Picky;

#[agent]
impl Picky {
    async fn auth_methods(&self, client: Client) -> Result<Vec<AuthMethod>> {
        match client.info() {
            Some(info) if info.name == "bad" => Err("not you".into()),
            _ => Ok(vec![AuthMethodTerminal::new("tty", "In a terminal").into()]),
        }
    }

    async fn prompt(&self, _turn: Turn) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }
}

#[tokio::test]
async fn a_repeat_is_negotiated_anew_and_one_that_fails_changes_nothing() {
    let mut wire = Wire::serve(Picky);
    wire.initialize(json!({})).await;
    assert_eq!(wire.call("initialize", hello()).await["result"]["protocolVersion"], 2);
    // Never below the version that was chosen.
    wire.refused("initialize", json!({"protocolVersion": 1}), -32600, &["newer"]).await;
    wire.refused("initialize", json!({"protocolVersion": 2}), -32602, &["info"]).await;
    let bad = json!({"protocolVersion": 2, "info": {"name": "bad", "version": "1"}});
    wire.refused("initialize", bad, -32603, &["not you"]).await;
    let session = new_session(&mut wire).await;
    let prompt = wire.prompt(&session, "go").await;
    inserted(&mut wire, prompt).await;
    idle(&mut wire, "end_turn").await;
    wire.refused("initialize", hello(), -32600, &["initialize"]).await;
}

/// An agent that is slow to say how to log in.
struct Slow {
    release: Arc<Notify>,
}

#[agent]
impl Slow {
    async fn auth_methods(&self) -> Result<Vec<AuthMethod>> {
        self.release.notified().await;
        Ok(Vec::new())
    }

    async fn prompt(&self, _turn: Turn) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }
}

#[tokio::test]
async fn nothing_is_served_before_the_answer_to_initialize() {
    let release = Arc::new(Notify::new());
    let mut wire = Wire::serve(Slow { release: Arc::clone(&release) });
    let first = wire.request("initialize", hello()).await;
    wire.notify("session/cancel", json!({"sessionId": "x"})).await;
    wire.refused("session/new", json!({"cwd": "/"}), -32600, &["initialize"]).await;
    wire.refused("initialize", hello(), -32600, &["initialize"]).await;
    release.notify_one();
    assert_eq!(wire.answer_to(first).await["result"]["protocolVersion"], 2);
    // A repeat that is under way holds up requests, too, and one that is given up does not.
    let repeat = wire.request("initialize", hello()).await;
    wire.refused("session/new", json!({"cwd": "/"}), -32600, &["initialize"]).await;
    wire.notify("$/cancel_request", json!({"requestId": repeat})).await;
    assert_eq!(wire.answer_to(repeat).await["error"]["code"], -32800);
    new_session(&mut wire).await;
}

#[tokio::test]
async fn methods_of_the_other_version_are_unknown() {
    let mut wire = Wire::serve(Echo);
    wire.call("initialize", hello()).await;
    let session = new_session(&mut wire).await;
    for method in [
        "session/load",
        "session/set_mode",
        "authenticate",
        "logout",
        "auth/login",
        "auth/logout",
        "session/delete",
        "terminal/create",
    ] {
        let params = json!({"sessionId": session, "cwd": "/work", "mcpServers": [], "methodId": "x"});
        wire.refused(method, params, -32601, &[method]).await;
    }
    let null = json!({"jsonrpc": "2.0", "id": null, "method": "session/list", "params": {}});
    wire.send(null).await;
    let answer = wire.recv().await;
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&Value::Null, &json!(-32600)), "{answer}");
}
