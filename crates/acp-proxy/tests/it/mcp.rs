//! MCP servers that proxies offer.

use acp_proxy::{Conductor, McpBridge, McpCall, Proxy};
use acp_rpc::Error;
use serde_json::{Value, json};

use super::common::{End, end, serve};

/// A proxy with one server, which answers with its own name, the method and the session.
fn tools(proxy: &str, server: &'static str) -> Proxy {
    Proxy::new(proxy).mcp_server(server, move |call: McpCall| async move {
        match call.method.as_str() {
            "fail" => Err(Error::new(-1, "no").with_data(7)),
            method => Ok(json!({"server": server, "method": method, "session": call.session})),
        }
    })
}

async fn start(conductor: Conductor, capabilities: Value) -> (End, End) {
    let (transport, mut agent) = end();
    let (mut client, _serving) = serve(conductor.agent(transport));
    client.ask("init", "initialize", json!({"protocolVersion": 1})).await;
    let (id, _) = agent.request("initialize").await;
    agent.answer(&id, json!({"protocolVersion": 1, "agentCapabilities": capabilities})).await;
    client.result("init").await;
    (client, agent)
}

fn takes_acp() -> Value {
    json!({"mcpCapabilities": {"acp": true}})
}

/// Opens a session and returns the servers that the agent was given.
async fn open(client: &mut End, agent: &mut End, session: &str) -> Vec<Value> {
    let theirs = json!([{"type": "http", "name": "theirs", "url": "http://x", "headers": []}]);
    client.ask(1, "session/new", json!({"cwd": "/", "mcpServers": theirs, "_x": 1})).await;
    let (id, params) = agent.request("session/new").await;
    assert_eq!((&params["cwd"], &params["_x"]), (&json!("/"), &json!(1)));
    let servers = params["mcpServers"].as_array().unwrap().clone();
    assert_eq!(servers[0], theirs[0]);
    agent.answer(&id, json!({"sessionId": session})).await;
    client.result(1).await;
    servers
}

/// px-mcp-01: servers are added to what opens a session, and their messages are answered.
/// px-mcp-03: each has an id of its own, in each session. px-mcp-04: a message for the server of
/// another proxy passes.
#[tokio::test]
async fn the_servers_of_two_proxies_are_offered() {
    let conductor = Conductor::new().proxy(tools("p", "one")).proxy(tools("q", "two"));
    let (mut client, mut agent) = start(conductor, takes_acp()).await;
    let mut ids = std::collections::HashSet::new();
    for session in ["a", "b"] {
        let servers = open(&mut client, &mut agent, session).await;
        assert_eq!(servers.len(), 3);
        for (server, name) in servers[1..].iter().zip(["one", "two"]) {
            assert_eq!((&server["type"], &server["name"]), (&json!("acp"), &json!(name)));
            let id = server["serverId"].as_str().unwrap();
            assert!(ids.insert(id.to_owned()));
            let message = json!({"serverId": id, "requestId": "r", "method": "tools/list", "params": {}});
            agent.ask(5, "mcp/message", message).await;
            let expected = json!({"server": name, "method": "tools/list", "session": session});
            assert_eq!(agent.result(5).await, json!({"result": expected}));
            agent.ask(6, "mcp/message", json!({"serverId": id, "requestId": "r", "method": "fail"})).await;
            let error = json!({"code": -1, "message": "no", "data": 7});
            assert_eq!(agent.result(6).await, json!({"error": error}));
        }
    }
}

/// px-mcp-04: a message for no server of the chain gets to the client with its inner id, and the
/// client's error comes back.
#[tokio::test]
async fn a_message_for_another_server_gets_to_the_client() {
    let conductor = Conductor::new().proxy(tools("p", "one")).proxy(tools("q", "two"));
    let (mut client, mut agent) = start(conductor, takes_acp()).await;
    open(&mut client, &mut agent, "a").await;
    let message = json!({"serverId": "unknown", "requestId": "inner", "method": "tools/list"});
    agent.ask(5, "mcp/message", message.clone()).await;
    let (id, params) = client.request("mcp/message").await;
    assert_eq!(params, message);
    client.fail(&id, json!({"code": -33001, "message": "unknown server"})).await;
    assert_eq!(agent.error(5).await["code"], -33001);
    agent.notify("mcp/message", message.clone()).await;
    assert_eq!(client.value().await["params"], message);
}

/// px-mcp-02: a name that the session has already is refused.
#[tokio::test]
async fn a_name_that_is_taken_is_refused() {
    for conductor in [
        Conductor::new().proxy(tools("p", "theirs")),
        Conductor::new().proxy(tools("p", "one")).proxy(tools("q", "one")),
    ] {
        let (mut client, _agent) = start(conductor, takes_acp()).await;
        let servers = json!([{"name": "theirs", "command": "x", "args": [], "env": []}]);
        for method in ["session/new", "session/load", "session/resume", "session/fork"] {
            client.ask(1, method, json!({"sessionId": "s", "cwd": "/", "mcpServers": servers})).await;
            assert_eq!(client.error(1).await["code"], -32602);
        }
    }
}

/// px-mcp-05: without a bridge the agent's own capability decides. One that takes no such servers
/// gets none.
#[tokio::test]
async fn an_agent_that_does_not_take_them_gets_none() {
    for capabilities in
        [json!({}), json!({"mcpCapabilities": {"acp": false}}), json!({"mcpCapabilities": {"http": true}})]
    {
        let conductor = Conductor::new().proxy(tools("p", "one")).mcp_bridge(McpBridge::off());
        let (mut client, mut agent) = start(conductor, capabilities).await;
        assert_eq!(open(&mut client, &mut agent, "a").await.len(), 1);
    }
}

/// A session that is closed takes its servers with it, and one that is not keeps them.
#[tokio::test]
async fn a_closed_session_has_no_server() {
    for method in ["session/close", "session/delete"] {
        let (mut client, mut agent) = start(Conductor::new().proxy(tools("p", "one")), takes_acp()).await;
        let servers = open(&mut client, &mut agent, "a").await;
        let message = json!({"serverId": servers[1]["serverId"], "requestId": "r", "method": "tools/list"});
        client.ask(2, method, json!({"sessionId": "a"})).await;
        let (id, _) = agent.request(method).await;
        // It is not closed yet, and then it is refused.
        agent.ask(5, "mcp/message", message.clone()).await;
        assert_eq!(agent.result(5).await["result"]["session"], "a", "{method}");
        agent.fail(&id, json!({"code": -32603, "message": "busy"})).await;
        client.error(2).await;
        agent.ask(6, "mcp/message", message.clone()).await;
        assert_eq!(agent.result(6).await["result"]["session"], "a", "{method}");
        client.ask(3, method, json!({"sessionId": "a"})).await;
        let (id, _) = agent.request(method).await;
        agent.answer(&id, json!({})).await;
        client.result(3).await;
        agent.ask(7, "mcp/message", message).await;
        client.request("mcp/message").await;
    }
}

/// A request that fails has opened no session, so its servers are gone. A session that is loaded
/// again has the servers of the last time.
#[tokio::test]
async fn servers_that_no_session_has_are_forgotten() {
    let (mut client, mut agent) = start(Conductor::new().proxy(tools("p", "one")), takes_acp()).await;
    let mut ids = Vec::new();
    for is_answered in [true, false, true] {
        client.ask(1, "session/load", json!({"sessionId": "a", "cwd": "/", "mcpServers": []})).await;
        let (id, params) = agent.request("session/load").await;
        ids.push(params["mcpServers"][0]["serverId"].clone());
        if is_answered {
            agent.answer(&id, json!({})).await;
            client.result(1).await;
        } else {
            agent.fail(&id, json!({"code": -32002, "message": "gone"})).await;
            client.error(1).await;
        }
    }
    for (place, id) in ids.iter().enumerate() {
        let message = json!({"serverId": id, "requestId": "r", "method": "tools/list"});
        agent.ask(place, "mcp/message", message).await;
        if place == 2 {
            assert_eq!(agent.result(place).await["result"]["session"], "a");
        } else {
            // Nobody here knows it, so it gets to the client.
            client.request("mcp/message").await;
        }
    }
}
