//! Capabilities: an agent advertises the handlers that it has, and serves nothing else.

use acp_agent::types::{ListSessionsRequest, SessionInfo, SetSessionConfigOptionRequest};
use acp_agent::{LoadSession, Opened, Result, ResumeSession, StopReason, Turn, Value as Json, agent};
use serde_json::{Value, json};

use crate::support::{Wire, reopening};

struct Plain;

#[agent]
impl Plain {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        turn.say(format!("{} blocks", turn.prompt().len())).await?;
        Ok(StopReason::EndTurn)
    }
}

struct Full;

#[agent(prompt(image, audio, embedded_context), mcp(http, sse))]
impl Full {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        turn.say(format!("{} blocks", turn.prompt().len())).await?;
        Ok(StopReason::EndTurn)
    }

    async fn load_session(&self, _open: LoadSession) -> Result<()> {
        Ok(())
    }

    async fn resume_session(&self, _open: ResumeSession) -> Result<Opened<()>> {
        Ok(Opened::new(()))
    }

    async fn list_sessions(&self, list: ListSessionsRequest) -> Result<Vec<SessionInfo>> {
        Ok(vec![SessionInfo::new("sess-1", list.cwd.unwrap_or("/everywhere".to_owned()))])
    }

    async fn close_session(&self) -> Result<()> {
        Ok(())
    }

    async fn delete_session(&self) -> Result<()> {
        Ok(())
    }

    async fn set_config_option(
        &self,
        _set: SetSessionConfigOptionRequest,
    ) -> Result<Vec<acp_agent::types::SessionConfigOption>> {
        Ok(Vec::new())
    }

    async fn logout(&self) -> Result<()> {
        Ok(())
    }

    #[ext("_test/echo")]
    async fn echo(&self, params: Json) -> Result<Json> {
        Ok(params)
    }
}

#[tokio::test]
async fn capabilities_are_the_handlers_and_the_attributes() {
    assert_eq!(Wire::serve(Plain).initialize(json!({})).await["agentCapabilities"], json!({}));
    assert_eq!(
        Wire::serve(Full).initialize(json!({})).await["agentCapabilities"],
        json!({
            "loadSession": true,
            "promptCapabilities": {"image": true, "audio": true, "embeddedContext": true},
            "mcpCapabilities": {"http": true, "sse": true},
            "sessionCapabilities": {"list": {}, "resume": {}, "close": {}, "delete": {}},
            "auth": {"logout": {}},
        })
    );
}

#[tokio::test]
async fn methods_without_a_handler_are_refused() {
    let mut wire = Wire::connect(Plain, json!({})).await;
    let table = [
        ("session/load", "loadSession"),
        ("session/resume", "sessionCapabilities.resume"),
        ("session/list", "sessionCapabilities.list"),
        ("session/close", "sessionCapabilities.close"),
        ("session/delete", "sessionCapabilities.delete"),
        ("logout", "auth.logout"),
        ("authenticate", "authenticate"),
        ("session/set_mode", "session/set_mode"),
        ("session/set_config_option", "session/set_config_option"),
        ("session/fork", "session/fork"),
        ("fs/read_text_file", "fs/read_text_file"),
        ("_test/echo", "_test/echo"),
    ];
    for (method, name) in table {
        wire.refused(method, json!({}), -32601, &[method, name]).await;
    }
}

#[tokio::test]
async fn the_optional_methods_are_served_when_they_have_a_handler() {
    let (mut wire, session) = Wire::open(Full, json!({})).await;
    let in_session = json!({"sessionId": session});
    let table = [
        ("session/load", reopening("session/load", "old", "/"), json!({})),
        ("session/resume", reopening("session/resume", "old", "/"), json!({})),
        ("session/list", json!({"cwd": "/a"}), json!({"sessions": [{"sessionId": "sess-1", "cwd": "/a"}]})),
        ("session/close", in_session, json!({})),
        ("session/delete", json!({"sessionId": "any"}), json!({})),
        ("logout", json!({}), json!({})),
    ];
    for (method, params, result) in table {
        assert_eq!(wire.call(method, params).await["result"], result, "{method}");
    }
    let params = json!({"sessionId": session, "configId": "c", "value": "v"});
    wire.refused("session/set_config_option", params, -32002, &[]).await;
}

#[tokio::test]
async fn params_may_be_left_out_where_all_are_optional() {
    let mut wire = Wire::connect(Full, json!({})).await;
    wire.send(json!({"jsonrpc": "2.0", "id": "a", "method": "session/list"})).await;
    assert_eq!(wire.recv().await["result"]["sessions"][0]["cwd"], "/everywhere");
    wire.refused("session/list", json!({"cwd": "a/b"}), -32602, &["cwd"]).await;
}

fn blocks() -> [(Value, &'static str, &'static str); 3] {
    [
        (json!({"type": "image", "data": "", "mimeType": "image/png"}), "image", "promptCapabilities.image"),
        (json!({"type": "audio", "data": "", "mimeType": "audio/wav"}), "audio", "promptCapabilities.audio"),
        (
            json!({"type": "resource", "resource": {"uri": "file:///a", "text": ""}}),
            "resource",
            "promptCapabilities.embeddedContext",
        ),
    ]
}

#[tokio::test]
async fn content_that_was_not_advertised_is_refused_by_name() {
    let (mut wire, session) = Wire::open(Plain, json!({})).await;
    let text = json!({"type": "text", "text": "look"});
    for (block, kind, capability) in blocks() {
        let params = json!({"sessionId": session, "prompt": [text, block]});
        wire.refused("session/prompt", params, -32602, &["prompt[1]", kind, capability]).await;
    }
    let link = json!({"type": "resource_link", "name": "a", "uri": "file:///a"});
    wire.request("session/prompt", json!({"sessionId": session, "prompt": [text, link]})).await;
    assert_eq!(wire.said().await, "2 blocks");
}

#[tokio::test]
async fn content_that_was_advertised_arrives() {
    let (mut wire, session) = Wire::open(Full, json!({})).await;
    let prompt: Vec<_> = blocks().into_iter().map(|(block, ..)| block).collect();
    wire.request("session/prompt", json!({"sessionId": session, "prompt": prompt})).await;
    assert_eq!(wire.said().await, "3 blocks");
}

#[tokio::test]
async fn content_of_an_unknown_kind_is_refused_by_name() {
    let (mut wire, session) = Wire::open(Full, json!({})).await;
    let params = json!({"sessionId": session, "prompt": [{"type": "hologram", "data": "secret"}]});
    let error = wire.refused("session/prompt", params, -32602, &["prompt[0]", "hologram"]).await;
    assert!(!error.to_string().contains("secret"));
}

#[tokio::test]
async fn mcp_transports_that_were_not_advertised_are_refused_by_name() {
    let server = |kind: &str| json!({"type": kind, "name": "s", "url": "http://localhost", "headers": []});
    let stdio = json!({"name": "s", "command": "/bin/s", "args": [], "env": []});
    let mut plain = Wire::connect(Plain, json!({})).await;
    let mut full = Wire::connect(Full, json!({})).await;
    for kind in ["http", "sse"] {
        let params = json!({"cwd": "/", "mcpServers": [stdio, server(kind)]});
        let names = ["mcpServers[1]", &format!("mcpCapabilities.{kind}")];
        plain.refused("session/new", params.clone(), -32602, &names).await;
        assert!(full.call("session/new", params).await["result"]["sessionId"].is_string());
    }
}
