//! Clients of MCP over shims: real processes.

use acp_proxy::{Conductor, Policy};
use serde_json::{Value, json};

use super::scene::{LEGACY, Scene, Shim, bridge, introduction, modern, notes, say};
use crate::common::{End, end, serve};

async fn noted() -> Scene {
    Scene::start(Conductor::new().proxy(notes()).mcp_bridge(bridge()), json!({})).await
}

/// A client of the modern era: nothing is changed, neither its messages nor the answers.
#[tokio::test]
async fn a_modern_client_calls_a_tool() {
    let mut scene = noted().await;
    let servers = scene.open("s").await;
    let mut shim = Shim::start(&servers[0]);
    shim.ask(1, "server/discover", modern(json!({}))).await;
    assert_eq!(shim.result(1).await["supportedVersions"], json!(["2026-07-28"]));
    let mut call = modern(say("hello"));
    call["_meta"]["x"] = json!([1, null]);
    shim.ask("a", "tools/call", call).await;
    let result = shim.result("a").await;
    assert_eq!(result["content"][0]["text"], "\"hello\" in s");
    assert_eq!(result["_meta"], json!({"x": [1, null]}));
    // Errors of the server are its own.
    shim.ask(2, "no/such", modern(json!({}))).await;
    assert_eq!(shim.error(2).await["code"], -32601);
    // A question is a part of the answer.
    shim.ask(3, "tools/call", modern(json!({"name": "ask", "arguments": {}}))).await;
    assert_eq!(shim.result(3).await["resultType"], "input_required");
    // What is said without the era is for the server to refuse.
    shim.ask(4, "tools/list", json!({})).await;
    assert_eq!(shim.error(4).await["code"], -32022);
    assert!(shim.close().await.success());
}

/// A client of the legacy era: the handshake is answered with what the server says of itself.
#[tokio::test]
async fn a_legacy_client_calls_a_tool() {
    let mut scene = noted().await;
    let servers = scene.open("s").await;
    let mut shim = Shim::start(&servers[0]);
    let result = shim.initialize().await;
    assert_eq!(result["protocolVersion"], LEGACY);
    assert_eq!(result["serverInfo"], json!({"name": "notebook", "version": "7"}));
    assert_eq!(
        (&result["instructions"], &result["capabilities"]),
        (&json!("Write it down."), &json!({"tools": {}}))
    );
    shim.ask(1, "ping", json!({})).await;
    assert_eq!(shim.result(1).await, json!({}));
    shim.send(&json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})).await;
    assert_eq!(shim.result(2).await["tools"][0]["name"], "say");
    let mut call = say("hello");
    call["_meta"] = json!({"x": 7});
    shim.ask(3, "tools/call", call).await;
    let result = shim.result(3).await;
    assert_eq!((&result["content"][0]["text"], &result["_meta"]["x"]), (&json!("\"hello\" in s"), &json!(7)));
    assert!(shim.close().await.success());
}

/// The version of the handshake is the client's, or else the newest of its era.
#[tokio::test]
async fn the_handshake_never_agrees_on_a_modern_version() {
    let mut scene = noted().await;
    let servers = scene.open("s").await;
    for (asked, agreed) in
        [("2024-11-05", "2024-11-05"), ("2025-06-18", "2025-06-18"), ("2026-07-28", LEGACY), ("x", LEGACY)]
    {
        let mut shim = Shim::start(&servers[0]);
        shim.ask(1, "initialize", introduction(asked)).await;
        assert_eq!(shim.result(1).await["protocolVersion"], agreed);
    }
}

/// A question of the server is a request to a client of the legacy era. Its answer goes with the
/// next try, and an error is the answer of the call.
#[tokio::test]
async fn a_legacy_client_is_asked() {
    let mut scene = noted().await;
    let servers = scene.open("s").await;
    let mut shim = Shim::start(&servers[0]);
    shim.initialize().await;
    for (id, answer) in
        [(1, json!({"result": {"action": "accept"}})), (2, json!({"error": {"code": -1, "message": "no"}}))]
    {
        shim.ask(id, "tools/call", json!({"name": "ask", "arguments": {}})).await;
        let question = shim.value().await;
        assert_eq!(
            (&question["method"], &question["params"]),
            (&json!("elicitation/create"), &json!({"message": "Who?"}))
        );
        let mut message = answer;
        message["jsonrpc"] = "2.0".into();
        message["id"] = question["id"].clone();
        shim.send(&message).await;
        if id == 1 {
            let text = shim.result(1).await["content"][0]["text"].clone();
            assert_eq!(text, r#"{"name":{"action":"accept"}} "one""#);
        } else {
            assert_eq!(shim.error(2).await, json!({"code": -1, "message": "no"}));
        }
    }
}

/// A client that withdraws a call is told that the question within it is withdrawn, too. An answer
/// that comes later is for nobody.
#[tokio::test]
async fn a_question_is_withdrawn_with_its_call() {
    let mut scene = noted().await;
    let servers = scene.open("s").await;
    let mut shim = Shim::start(&servers[0]);
    shim.initialize().await;
    for id in [1, 2] {
        shim.ask(id, "tools/call", json!({"name": "ask", "arguments": {}})).await;
        let question = shim.value().await;
        assert_eq!(question["method"], "elicitation/create");
        let withdrawn = json!({"requestId": id});
        shim.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": withdrawn})).await;
        let told = shim.value().await;
        assert_eq!(told["method"], "notifications/cancelled");
        assert_eq!(told["params"], json!({"requestId": question["id"]}));
        shim.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept"}})).await;
    }
    shim.ask(3, "ping", json!({})).await;
    assert_eq!(shim.result(3).await, json!({}));
}

/// A chain with a scripted proxy, a session, and the declarations of its servers.
pub(super) async fn scripted() -> (Scene, End, Vec<Value>) {
    scripted_in(json!({}), |conductor| conductor.mcp_bridge(bridge())).await
}

/// A chain like [`scripted`], with an agent of these capabilities.
pub(super) async fn scripted_in(
    mcp: Value,
    set: impl FnOnce(Conductor) -> Conductor,
) -> (Scene, End, Vec<Value>) {
    let (transport, mut proxy) = end();
    let conductor = set(Conductor::new()).process(transport, Policy::Required).named("p");
    let (agent_side, mut agent) = end();
    let (mut client, serving) = serve(conductor.agent(agent_side).named("a"));
    client.ask(0, "initialize", json!({"protocolVersion": 1})).await;
    let (id, params) = proxy.request("proxy/initialize").await;
    proxy.envelop(Some(1), "initialize", params).await;
    let (inner, _) = agent.request("initialize").await;
    let answer = json!({"protocolVersion": 1, "agentCapabilities": {"mcpCapabilities": mcp}});
    agent.answer(&inner, answer).await;
    let result = proxy.result(1).await;
    proxy.answer(&id, result).await;
    client.result(0).await;
    client.ask(1, "session/new", json!({})).await;
    let (id, _) = proxy.request("session/new").await;
    let offered = json!([{"type": "acp", "name": "n", "serverId": 5}]);
    proxy.envelop(Some(2), "session/new", json!({"mcpServers": offered})).await;
    let (inner, params) = agent.request("session/new").await;
    agent.answer(&inner, json!({"sessionId": "s"})).await;
    let result = proxy.result(2).await;
    proxy.answer(&id, result).await;
    client.result(1).await;
    let servers = params["mcpServers"].as_array().unwrap().clone();
    (Scene { client, agent, serving }, proxy, servers)
}

/// A notification about a request reaches the client that has sent it, before the answer. The
/// id of a listener is the client's own. px-mcp-04: the id of the request within stays on its way.
#[tokio::test]
async fn notifications_reach_the_client_of_their_request() {
    let (_scene, mut proxy, servers) = scripted().await;
    let (mut one, mut other) = (Shim::start(&servers[0]), Shim::start(&servers[0]));
    one.ask("x", "subscriptions/listen", modern(json!({"notifications": {}}))).await;
    let (_, listen) = proxy.enveloped("mcp/message").await;
    other.ask("x", "tools/call", modern(say("a"))).await;
    let (call_id, call) = proxy.enveloped("mcp/message").await;
    assert_eq!((&call["serverId"], &call["method"]), (&json!(5), &json!("tools/call")));
    assert_eq!(call["params"], modern(say("a")));
    assert_ne!(listen["requestId"], call["requestId"], "two clients have the same id");
    let said = |request: &Value, method: &str, params: Value| json!({"serverId": 5, "requestId": request["requestId"], "method": method, "params": params});
    let subscription =
        json!({"_meta": {"io.modelcontextprotocol/subscriptionId": listen["requestId"], "y": 1}});
    proxy.envelop(None, "mcp/message", said(&listen, "notifications/tools/list_changed", subscription)).await;
    let heard = one.value().await;
    assert_eq!(heard["method"], "notifications/tools/list_changed");
    assert_eq!(heard["params"], json!({"_meta": {"io.modelcontextprotocol/subscriptionId": "x", "y": 1}}));
    proxy.envelop(None, "mcp/message", said(&call, "notifications/progress", json!({"progress": 1}))).await;
    // One for another server, or for no request, is for nobody.
    let mut forged = said(&call, "notifications/progress", json!({"progress": 2}));
    forged["serverId"] = 6.into();
    proxy.envelop(None, "mcp/message", forged).await;
    proxy.answer(&call_id, json!({"result": {"done": true}, "_x": 1})).await;
    assert_eq!(other.value().await["params"], json!({"progress": 1}));
    assert_eq!(other.result("x").await, json!({"done": true}));
}

/// px-cancel-01: a client that withdraws a request cancels it on its way, and gets no answer.
#[tokio::test]
async fn a_client_withdraws_a_request() {
    let (_scene, mut proxy, servers) = scripted().await;
    let mut shim = Shim::start(&servers[0]);
    for id in [json!(1), json!("b")] {
        shim.ask(id.clone(), "tools/call", modern(say("a"))).await;
        let (outer, _) = proxy.enveloped("mcp/message").await;
        shim.send(
            &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}),
        )
        .await;
        let cancel = proxy.value().await;
        assert_eq!((&cancel["method"], &cancel["params"]["requestId"]), (&json!("$/cancel_request"), &outer));
        proxy.fail(&outer, json!({"code": -32800, "message": "cancelled"})).await;
    }
    // Requests of a client that goes are withdrawn, too.
    shim.ask(3, "tools/call", modern(say("a"))).await;
    let (outer, _) = proxy.enveloped("mcp/message").await;
    shim.child.kill().await.unwrap();
    assert_eq!(proxy.value().await["params"]["requestId"], outer);
}

/// An error of the chain is not one of the server: its code stays out of MCP.
#[tokio::test]
async fn an_error_of_the_chain_is_told_as_one() {
    let (_scene, mut proxy, servers) = scripted().await;
    let mut shim = Shim::start(&servers[0]);
    for answer in [json!({"error": {"code": -33001, "message": "unknown server"}}), json!({"result": {}})] {
        shim.ask(1, "tools/list", modern(json!({}))).await;
        let (outer, _) = proxy.enveloped("mcp/message").await;
        let mut answer = answer;
        answer["jsonrpc"] = "2.0".into();
        answer["id"] = outer;
        proxy.send(&answer).await;
        let error = shim.error(1).await;
        assert_eq!(error["code"], -32603);
        assert!(error["message"].as_str().unwrap().starts_with("the MCP server `n` failed: "), "{error}");
    }
}

/// A client of the legacy era is told of changes, as far as the server tells them.
#[tokio::test]
async fn a_legacy_client_is_told_of_changes() {
    let (_scene, mut proxy, servers) = scripted().await;
    let mut shim = Shim::start(&servers[0]);
    shim.ask(0, "initialize", introduction(LEGACY)).await;
    let (outer, discover) = proxy.enveloped("mcp/message").await;
    assert_eq!(discover["method"], "server/discover");
    let meta = &discover["params"]["_meta"];
    assert_eq!(meta["io.modelcontextprotocol/clientCapabilities"], json!({"elicitation": {}}));
    assert_eq!(meta["io.modelcontextprotocol/clientInfo"]["name"], "tests");
    let capabilities =
        json!({"tools": {"listChanged": true}, "resources": {"subscribe": true}, "logging": {}});
    proxy.answer(&outer, json!({"result": {"capabilities": capabilities}})).await;
    assert_eq!(shim.result(0).await["serverInfo"]["name"], "n");
    shim.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
    let (first, listen) = proxy.enveloped("mcp/message").await;
    assert_eq!(listen["params"]["notifications"], json!({"toolsListChanged": true}));
    shim.ask(1, "resources/subscribe", json!({"uri": "a:b"})).await;
    let (_, listen) = proxy.enveloped("mcp/message").await;
    assert_eq!(
        listen["params"]["notifications"],
        json!({"toolsListChanged": true, "resourceSubscriptions": ["a:b"]})
    );
    // The next one is open before the old one is closed.
    assert_eq!(proxy.value().await["params"]["requestId"], first);
    assert_eq!(shim.result(1).await, json!({}));
    let news = json!({"serverId": 5, "requestId": listen["requestId"], "method": "notifications/resources/updated", "params": {"uri": "a:b"}});
    let mut acknowledged = news.clone();
    acknowledged["method"] = "notifications/subscriptions/acknowledged".into();
    proxy.envelop(None, "mcp/message", acknowledged).await;
    proxy.envelop(None, "mcp/message", news).await;
    assert_eq!(shim.value().await["method"], "notifications/resources/updated");
    // The level of log messages goes with each request.
    shim.ask(2, "logging/setLevel", json!({"level": "debug"})).await;
    shim.result(2).await;
    shim.ask(3, "tools/list", json!({})).await;
    let (_, list) = proxy.enveloped("mcp/message").await;
    assert_eq!(list["params"]["_meta"]["io.modelcontextprotocol/logLevel"], "debug");
}

/// Two sessions, and many clients at once: each call gets to its own session and back.
#[tokio::test]
async fn two_sessions_and_many_clients_at_once() {
    let mut scene = noted().await;
    let mut shims = Vec::new();
    for session in ["s", "t"] {
        let servers = scene.open(session).await;
        for _ in 0..2 {
            shims.push((session, Shim::start(&servers[0])));
        }
    }
    for (_, shim) in &mut shims {
        for id in 0..50 {
            shim.ask(id, "tools/call", modern(say(&id.to_string()))).await;
        }
    }
    for (session, shim) in &mut shims {
        let mut open: std::collections::HashSet<i64> = (0..50).collect();
        while !open.is_empty() {
            let answer = shim.value().await;
            let id = answer["id"].as_i64().unwrap();
            assert!(open.remove(&id), "{answer}");
            assert_eq!(answer["result"]["content"][0]["text"], format!("\"{id}\" in {session}"));
        }
    }
}
