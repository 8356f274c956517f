//! `initialize`: versions, capabilities, and requests that come before it.

use std::sync::Arc;

use acp_agent::types::{AuthMethod, AuthMethodAgent, AuthMethodTerminal};
use acp_agent::{Client, Result, StopReason, Turn, agent};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::support::{Wire, check_error};

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
async fn a_turn_from_the_first_message_to_the_last() {
    let mut wire = Wire::serve(Echo);
    let answer = wire.call("initialize", json!({"protocolVersion": 1})).await;
    assert_eq!(
        answer["result"],
        json!({
            "protocolVersion": 1,
            "agentCapabilities": {},
            "agentInfo": {"name": "echo", "version": env!("CARGO_PKG_VERSION")},
        })
    );
    let session = wire.new_session().await;
    let prompt = wire.prompt(&session, "hello").await;
    assert_eq!(
        wire.recv().await,
        json!({"jsonrpc": "2.0", "method": "session/update", "params": {
            "sessionId": session,
            "update": {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "hello"}},
        }})
    );
    assert_eq!(wire.answer_to(prompt).await["result"], json!({"stopReason": "end_turn"}));
    assert_eq!(wire.close().await, Vec::<Value>::new());
}

#[tokio::test]
async fn the_version_is_one_whatever_was_asked_for() {
    let newer = if cfg!(feature = "v2") { &[][..] } else { &[2, 99, 65535] };
    for asked in [0, 1].iter().chain(newer) {
        let mut wire = Wire::serve(Echo);
        let answer = wire.call("initialize", json!({"protocolVersion": asked})).await;
        assert_eq!(answer["result"]["protocolVersion"], 1, "asked for {asked}: {answer}");
    }
}

#[tokio::test]
async fn a_version_that_is_none_is_refused_and_can_be_corrected() {
    let mut wire = Wire::serve(Echo);
    for params in [
        json!({"protocolVersion": "1"}),
        json!({"protocolVersion": -1}),
        json!({"protocolVersion": 1.5}),
        json!({"protocolVersion": 65536}),
        json!({"protocolVersion": null}),
        json!({}),
    ] {
        wire.refused("initialize", params, -32602, &["initialize", "protocolVersion"]).await;
    }
    assert_eq!(wire.initialize(json!({})).await["protocolVersion"], 1);
}

struct Looks;

#[agent]
impl Looks {
    async fn prompt(&self, turn: Turn, client: Client) -> Result<StopReason> {
        let name = client.info().map_or("nobody", |info| &info.name);
        let fs = turn.fs().is_some();
        turn.say(format!("{name} {fs} {} {}", client.capabilities().terminal, client.protocol_version()))
            .await?;
        Ok(StopReason::EndTurn)
    }
}

#[tokio::test]
async fn what_parses_of_the_params_is_kept_and_the_rest_switches_nothing_on() {
    let fs = json!({"readTextFile": true, "writeTextFile": true});
    let table = [
        (json!({"protocolVersion": 1}), "nobody false false 1"),
        (json!({"protocolVersion": 1, "clientInfo": 5, "clientCapabilities": true}), "nobody false false 1"),
        (
            json!({"protocolVersion": 1, "clientInfo": {"name": "ed", "version": "1"},
                   "clientCapabilities": {"fs": fs, "terminal": true}}),
            "ed true true 1",
        ),
        // The members of version 2 have other names and other meanings.
        (
            json!({"protocolVersion": 2, "info": {"name": "two", "version": "1"},
                   "capabilities": {"fs": fs, "terminal": true}}),
            "two false false 1",
        ),
        (json!({"protocolVersion": 2, "info": 7, "capabilities": []}), "nobody false false 1"),
        // Version 1 does not have this member.
        (json!({"protocolVersion": 1, "info": {"name": "two", "version": "1"}}), "nobody false false 1"),
        (
            json!({"protocolVersion": 1, "clientCapabilities": {"fs": {"readTextFile": "yes"}, "terminal": null}}),
            "nobody false false 1",
        ),
    ];
    let is_spoken = |version: u64| version < 2 || !cfg!(feature = "v2");
    for (params, expected) in table {
        if !is_spoken(params["protocolVersion"].as_u64().unwrap()) {
            continue;
        }
        let mut wire = Wire::serve(Looks);
        let answer = wire.call("initialize", params.clone()).await;
        assert_eq!(answer["result"]["protocolVersion"], 1, "{params}");
        let session = wire.new_session().await;
        wire.prompt(&session, "who?").await;
        assert_eq!(wire.said().await, expected, "{params}");
    }
}

#[tokio::test]
async fn nothing_is_served_before_initialize() {
    let mut wire = Wire::serve(Echo);
    for method in ["session/new", "session/prompt", "foo/bar", "_x/y"] {
        wire.refused(method, json!({}), -32600, &[method, "initialize"]).await;
    }
    wire.notify("session/cancel", json!({"sessionId": "x"})).await;
    wire.initialize(json!({})).await;
    wire.new_session().await;
}

#[tokio::test]
async fn initialize_can_be_repeated_until_another_request_came() {
    let mut wire = Wire::serve(Looks);
    wire.initialize(json!({"terminal": true})).await;
    wire.initialize(json!({})).await;
    let session = wire.new_session().await;
    wire.prompt(&session, "who?").await;
    assert_eq!(wire.said().await, "nobody false false 1");
    wire.recv().await;
    wire.refused("initialize", json!({"protocolVersion": 1}), -32600, &["initialize"]).await;
    wire.new_session().await;
}

#[tokio::test]
async fn requests_may_come_right_behind_initialize() {
    let mut wire = Wire::serve(Echo);
    let first = wire.request("initialize", json!({"protocolVersion": 1})).await;
    let second = wire.request("session/new", json!({"cwd": "/", "mcpServers": []})).await;
    let mut ids = [wire.recv().await["id"].as_u64().unwrap(), wire.recv().await["id"].as_u64().unwrap()];
    ids.sort_unstable();
    assert_eq!(ids, [first, second]);
}

struct Locked;

#[agent(name = "locked", title = "Locked up", version = "7.0")]
impl Locked {
    async fn auth_methods(&self, client: Client) -> Result<Vec<AuthMethod>> {
        if client.info().is_none() {
            return Err("say who you are".into());
        }
        Ok(vec![
            AuthMethodAgent::new("key", "API key").into(),
            AuthMethodTerminal::new("tty", "In a terminal").into(),
        ])
    }

    async fn authenticate(&self) -> Result<()> {
        Ok(())
    }

    async fn prompt(&self, _turn: Turn) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }
}

fn hello(capabilities: &Value) -> Value {
    json!({"protocolVersion": 1, "clientCapabilities": capabilities,
           "clientInfo": {"name": "ed", "version": "1"}})
}

#[tokio::test]
async fn the_info_comes_from_the_attributes() {
    let mut wire = Wire::serve(Locked);
    let answer = wire.call("initialize", hello(&json!({}))).await;
    assert_eq!(
        answer["result"]["agentInfo"],
        json!({"name": "locked", "title": "Locked up", "version": "7.0"})
    );
}

#[tokio::test]
async fn ways_to_log_in_are_those_that_the_client_can_take() {
    for (capabilities, expected) in
        [(json!({}), vec!["key"]), (json!({"auth": {"terminal": true}}), vec!["key", "tty"])]
    {
        let mut wire = Wire::serve(Locked);
        let answer = wire.call("initialize", hello(&capabilities)).await;
        let methods = answer["result"]["authMethods"].as_array().unwrap();
        let ids: Vec<_> = methods.iter().map(|method| method["id"].as_str().unwrap()).collect();
        assert_eq!(ids, expected);
        assert_eq!(wire.call("authenticate", json!({"methodId": "key"})).await["result"], json!({}));
        // The client runs a terminal login by itself, without `authenticate`.
        for id in ["tty", "nope"] {
            wire.refused("authenticate", json!({"methodId": id}), -32602, &["methodId", "`key`"]).await;
        }
    }
}

#[tokio::test]
async fn a_hook_that_fails_fails_initialize() {
    let mut wire = Wire::serve(Locked);
    let answer = wire.call("initialize", json!({"protocolVersion": 1})).await;
    check_error(&answer, -32603, &["say who you are"]);
    wire.refused("session/new", json!({"cwd": "/", "mcpServers": []}), -32600, &["initialize"]).await;
    assert_eq!(wire.call("initialize", hello(&json!({}))).await["result"]["protocolVersion"], 1);
}

/// Answers the first `initialize` when the second one has come, and the second one when it may.
struct Twice {
    second_came: Notify,
    second_may: Notify,
}

#[agent]
impl Twice {
    async fn auth_methods(&self, client: Client) -> Result<Vec<AuthMethod>> {
        let name = client.info().map(|info| info.name.clone()).unwrap_or_default();
        match &*name {
            "first" => self.second_came.notified().await,
            "second" => {
                self.second_came.notify_one();
                self.second_may.notified().await;
            }
            _ => panic!("nobody"),
        }
        Ok(vec![AuthMethodAgent::new(name.as_str(), "Key").into()])
    }

    async fn authenticate(&self) -> Result<()> {
        Ok(())
    }

    async fn prompt(&self, _turn: Turn) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }
}

fn twice() -> Arc<Twice> {
    Arc::new(Twice { second_came: Notify::new(), second_may: Notify::new() })
}

#[tokio::test]
async fn the_ways_to_log_in_are_those_of_the_last_initialize() {
    let agent = twice();
    let mut wire = Wire::serve_through(Arc::clone(&agent), 64 * 1024);
    let named = |name: &str| json!({"protocolVersion": 1, "clientInfo": {"name": name, "version": "1"}});
    let first = wire.request("initialize", named("first")).await;
    let second = wire.request("initialize", named("second")).await;
    assert_eq!(wire.answer_to(first).await["result"]["authMethods"][0]["id"], "first");
    agent.second_may.notify_one();
    assert_eq!(wire.answer_to(second).await["result"]["authMethods"][0]["id"], "second");
    wire.refused("authenticate", json!({"methodId": "first"}), -32602, &["methodId", "`second`"]).await;
    assert_eq!(wire.call("authenticate", json!({"methodId": "second"})).await["result"], json!({}));
}

#[tokio::test]
async fn a_hook_that_panics_leaves_nothing_initialized() {
    let agent = twice();
    let mut wire = Wire::serve_through(Arc::clone(&agent), 64 * 1024);
    let answer = wire.call("initialize", json!({"protocolVersion": 1})).await;
    check_error(&answer, -32603, &[]);
    wire.refused("session/new", json!({"cwd": "/", "mcpServers": []}), -32600, &["initialize"]).await;
    agent.second_may.notify_one();
    let again = json!({"protocolVersion": 1, "clientInfo": {"name": "second", "version": "1"}});
    assert_eq!(wire.call("initialize", again).await["result"]["protocolVersion"], 1);
    wire.new_session().await;
}
