//! The servers that an agent is told of.

use acp_proxy::{Conductor, McpBridge};
use serde_json::{Value, json};

use super::scene::{Scene, bridge, notes};
use crate::common::{End, end, serve};

async fn initialize(conductor: Conductor, answer: Value) -> (End, End, Value) {
    let (transport, mut agent) = end();
    let (mut client, _serving) = serve(conductor.agent(transport));
    client.ask("init", "initialize", json!({"protocolVersion": answer["protocolVersion"]})).await;
    let (id, _) = agent.request("initialize").await;
    agent.answer(&id, answer).await;
    let result = client.result("init").await;
    (client, agent, result)
}

async fn declared(client: &mut End, agent: &mut End, method: &str, servers: Value) -> Value {
    client.ask(1, method, json!({"sessionId": "s", "cwd": "/", "mcpServers": servers, "_x": 1})).await;
    let (id, mut params) = agent.request(method).await;
    assert_eq!(params["_x"], 1);
    agent.answer(&id, json!({"sessionId": "s"})).await;
    client.result(1).await;
    params["mcpServers"].take()
}

/// px-mcp-05: an agent that knows only stdio is told of a process in the place of each server of
/// the type `acp`, in each request that opens a session. The token is in the environment only.
#[tokio::test]
async fn an_agent_of_stdio_is_told_of_a_process() {
    let conductor = Conductor::new().proxy(notes()).mcp_bridge(bridge());
    let (mut client, mut agent, result) =
        initialize(conductor, json!({"protocolVersion": 1, "agentCapabilities": {}})).await;
    assert_eq!(result["agentCapabilities"]["mcpCapabilities"]["acp"], true);
    let theirs = json!({"name": "theirs", "command": "/x", "args": [], "env": []});
    // A client that has learned of it offers servers, too.
    let offered = json!({"type": "acp", "name": "its", "serverId": "77", "_meta": {"a": [1]}});
    let mut tokens = std::collections::HashSet::new();
    for method in ["session/new", "session/load", "session/resume", "session/fork"] {
        let servers = declared(&mut client, &mut agent, method, json!([theirs, offered])).await;
        assert_eq!(servers.as_array().unwrap().len(), 3, "{method}");
        assert_eq!(servers[0], theirs);
        assert_eq!(servers[1]["_meta"], json!({"a": [1]}));
        for (server, name) in servers.as_array().unwrap()[1..].iter().zip(["its", "notes"]) {
            assert_eq!(server["name"], name);
            assert_eq!(server.get("type"), None);
            assert_eq!(server.get("serverId"), None);
            let command = server["command"].as_str().unwrap();
            assert!(std::path::Path::new(command).is_absolute());
            let env = server["env"].as_array().unwrap();
            let token = env.iter().find(|one| one["name"] == "ACP_MCP_SHIM_TOKEN").unwrap()["value"]
                .as_str()
                .unwrap();
            assert!(
                !server["args"].to_string().contains(token),
                "others may read the arguments of a process"
            );
            assert!(tokens.insert(token.to_owned()), "each server of each session has its own");
        }
    }
}

/// An agent that takes servers of the type `acp` gets declarations and messages unchanged.
#[tokio::test]
async fn an_agent_that_takes_them_gets_them_unchanged() {
    let conductor = Conductor::new().mcp_bridge(bridge());
    let capabilities = json!({"mcpCapabilities": {"acp": true, "http": true}});
    let answer = json!({"protocolVersion": 1, "agentCapabilities": capabilities});
    let (mut client, mut agent, result) = initialize(conductor, answer.clone()).await;
    assert_eq!(result, answer);
    let offered = json!([{"type": "acp", "name": "its", "serverId": "77"}]);
    assert_eq!(declared(&mut client, &mut agent, "session/new", offered.clone()).await, offered);
    let message = json!({"serverId": "77", "requestId": "r", "method": "notifications/progress"});
    client.notify("mcp/message", message.clone()).await;
    assert_eq!(agent.value().await["params"], message);
}

/// Which way is taken: by what the agent knows, and the option.
#[tokio::test]
async fn the_way_is_what_the_agent_knows_and_the_option_prefers() {
    let http = cfg!(feature = "mcp-http");
    let v1 = |mcp: Value| json!({"protocolVersion": 1, "agentCapabilities": {"mcpCapabilities": mcp}});
    let v2 = |mcp: Value| json!({"protocolVersion": 2, "capabilities": {"session": {"mcp": mcp}}});
    let offered = json!([{"type": "acp", "name": "its", "serverId": "77"}]);
    for (case, bridge, answer, way) in [
        ("default", bridge(), v1(json!({"http": true})), "stdio"),
        ("http first", bridge().http_first(), v1(json!({"http": true})), if http { "http" } else { "stdio" }),
        ("http first, unknown", bridge().http_first(), v1(json!({})), "stdio"),
        ("no http", bridge().http_first().without_http(), v1(json!({"http": true})), "stdio"),
        ("no shim", McpBridge::new(), v1(json!({"http": true})), if http { "http" } else { "acp" }),
        ("no way", McpBridge::new(), v1(json!({})), "acp"),
        ("off", McpBridge::off(), v1(json!({"http": true})), "acp"),
        ("version 2", bridge(), v2(json!({"stdio": {}})), "stdio"),
        ("version 2 over http", bridge(), v2(json!({"http": {}})), if http { "http" } else { "acp" }),
        ("version 2, nothing", bridge(), v2(json!({})), "acp"),
    ] {
        let is_v2 = answer["protocolVersion"] == 2;
        let conductor = Conductor::new().mcp_bridge(bridge);
        let (mut client, mut agent, result) = initialize(conductor, answer.clone()).await;
        let servers = declared(&mut client, &mut agent, "session/new", offered.clone()).await;
        let server = &servers[0];
        match way {
            "acp" => assert_eq!((&servers, &result), (&offered, &answer), "{case}"),
            "http" => {
                assert_eq!(server["type"], "http", "{case}");
                assert!(server["url"].as_str().unwrap().starts_with("http://127.0.0.1:"), "{case}");
                assert_eq!(server["headers"][0]["name"], "Authorization", "{case}");
            }
            _ => {
                assert!(server["command"].is_string(), "{case}: {server}");
                assert_eq!(server.get("type"), is_v2.then_some(&json!("stdio")), "{case}");
            }
        }
        if way != "acp" {
            let path = if is_v2 {
                "/capabilities/session/mcp/acp"
            } else {
                "/agentCapabilities/mcpCapabilities/acp"
            };
            assert!(result.pointer(path).is_some(), "{case}: {result}");
        }
    }
}

/// A declaration without an id cannot be bridged.
#[tokio::test]
async fn a_declaration_without_an_id_is_refused() {
    let mut scene = Scene::start(Conductor::new().mcp_bridge(bridge()), json!({})).await;
    scene
        .client
        .ask(1, "session/new", json!({"cwd": "/", "mcpServers": [{"type": "acp", "name": "n"}]}))
        .await;
    let error = scene.client.error(1).await;
    assert_eq!(error["code"], -32602);
    assert!(error["message"].as_str().unwrap().contains("serverId"), "{error}");
}
