//! Messages that pass the bridge as they are, and data of extensions.

use acp_client::ProtocolVersion;
use serde_json::{Value, json};

use super::raw::{Raw, V1, V2, opened_as};

const PAIRINGS: [(ProtocolVersion, ProtocolVersion); 4] = [(V1, V1), (V1, V2), (V2, V1), (V2, V2)];

fn prompt(text: &str) -> Value {
    json!({"sessionId": "s", "prompt": [{"type": "text", "text": text}], "_meta": {"acme.dev/a": [1, null]}})
}

fn idle() -> Value {
    json!({"sessionUpdate": "state_update", "state": "idle", "stopReason": "end_turn", "_meta": {"acme.dev/b": 2}})
}

/// Returns the update of a message.
fn update(message: &Value) -> &Value {
    &message["params"]["update"]
}

#[tokio::test]
async fn extensions_pass_in_both_directions() {
    for (of_client, of_agent) in PAIRINGS {
        let (mut client, mut agent) = opened_as(of_client, of_agent).await;
        for is_of_client in [true, false] {
            let (from, to) = if is_of_client { (&mut client, &mut agent) } else { (&mut agent, &mut client) };
            let params = json!({"b": [null, 18_446_744_073_709_551_615_u64], "a": {"sessionId": "s"}});
            let (first, last) = (json!({"n": 1}), json!({"n": 2}));
            from.notify("_acme/tell", first.clone()).await;
            from.ask("mine", "_acme/ask", params.clone()).await;
            from.notify("_acme/tell", last.clone()).await;
            assert_eq!(to.get("_acme/tell").await["params"], first);
            let asked = to.get("_acme/ask").await;
            assert_eq!(asked["params"], params);
            assert_eq!(to.get("_acme/tell").await["params"], last);
            to.result(&asked, json!({"done": [true]})).await;
            assert_eq!(
                from.read().await,
                json!({"jsonrpc": "2.0", "id": "mine", "result": {"done": [true]}})
            );
            // An error passes as it is.
            from.ask(7, "_acme/fail", json!({})).await;
            let asked = to.get("_acme/fail").await;
            let error = json!({"code": -5, "message": "no", "data": {"why": 1}});
            to.error(&asked, error.clone()).await;
            assert_eq!(from.read().await, json!({"jsonrpc": "2.0", "id": 7, "error": error}));
            // One that is withdrawn is withdrawn on the other side, which answers it.
            from.ask(8, "_acme/work", json!({})).await;
            let asked = to.get("_acme/work").await;
            from.notify("$/cancel_request", json!({"requestId": 8})).await;
            assert_eq!(to.get("$/cancel_request").await["params"]["requestId"], asked["id"]);
            to.result(&asked, json!("half")).await;
            assert_eq!(from.read().await["result"], "half", "{of_client:?} {of_agent:?}");
        }
    }
}

#[tokio::test]
async fn a_question_about_a_request_of_an_extension_names_the_request() {
    for (of_client, of_agent) in PAIRINGS {
        let (mut client, mut agent) = opened_as(of_client, of_agent).await;
        client.ask("mine", "_acme/work", json!({})).await;
        let asked = agent.get("_acme/work").await;
        let schema = json!({"type": "object", "properties": {"key": {"type": "string"}}});
        let form =
            json!({"requestId": asked["id"], "mode": "form", "message": "Key?", "requestedSchema": schema});
        agent.ask(5, "elicitation/create", form).await;
        let question = client.get("elicitation/create").await;
        assert_eq!(question["params"]["requestId"], "mine", "{of_client:?} {of_agent:?}");
        client.result(&question, json!({"action": "decline"})).await;
        assert_eq!(agent.answered(5).await["result"]["action"], "decline");
        agent.result(&asked, json!({})).await;
        assert_eq!(client.read().await["id"], "mine");
    }
}

/// Everything of a client and an agent of one version: parts of sessions that are cancelled, the
/// list of background work, terminals, kinds that nobody knows.
#[tokio::test]
async fn all_messages_pass_between_two_sides_of_one_version() {
    let of_v2 = [
        json!({"sessionUpdate": "user_message", "messageId": "m", "content": [{"type": "text", "text": "go"}]}),
        json!({"sessionUpdate": "state_update", "state": "running", "_meta": {"acme.dev/b": 1}}),
        json!({"sessionUpdate": "tool_call_update", "toolCallId": "t", "title": "Build", "capabilities": {"cancel": {}},
            "content": [{"type": "terminal", "terminalId": "x"}]}),
        json!({"sessionUpdate": "terminal_update", "terminalId": "x", "command": "ls", "cwd": "/w"}),
        json!({"sessionUpdate": "terminal_output_chunk", "terminalId": "x", "data": "YQ=="}),
        json!({"sessionUpdate": "agent_message", "messageId": "a", "content": [], "_meta": {"acme.dev/c": 3}}),
        json!({"sessionUpdate": "_acme.dev/new", "x": [1]}),
        json!({"sessionUpdate": "state_update", "state": "idle", "stopReason": "end_turn",
            "background": [{"type": "tool_call", "toolCallId": "t"}]}),
    ];
    let of_v1 = [
        json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "a"}, "_meta": {"acme.dev/c": 3}}),
        json!({"sessionUpdate": "_acme.dev/new", "x": [1]}),
    ];
    let updates = [(V1, &of_v1[..]), (V2, &of_v2[..])];
    for (version, updates) in updates {
        let (mut client, mut agent) = opened_as(version, version).await;
        client.ask(3, "session/prompt", prompt("go")).await;
        let asked = agent.get("session/prompt").await;
        assert_eq!(asked["params"], prompt("go"));
        for sent in updates {
            agent.update(sent.clone()).await;
            assert_eq!(update(&client.get("session/update").await), sent);
        }
        let answer =
            if version == V1 { json!({"stopReason": "end_turn"}) } else { json!({"messageId": "m"}) };
        agent.result(&asked, answer.clone()).await;
        assert_eq!(client.read().await, json!({"jsonrpc": "2.0", "id": 3, "result": answer}));
    }
    let (mut client, mut agent) = opened_as(V2, V2).await;
    for (method, entity) in [("tool_call/cancel", "toolCallId"), ("terminal/cancel", "terminalId")] {
        let params = json!({"sessionId": "s", entity: "x"});
        client.ask(4, method, params.clone()).await;
        assert_eq!(agent.answer(method, json!({})).await, params);
        assert_eq!(client.read().await["result"], json!({}));
    }
    // A second prompt is the agent's matter.
    for id in [5, 6] {
        client.ask(id, "session/prompt", prompt("go")).await;
        assert_eq!(agent.answer("session/prompt", json!({"messageId": "m"})).await, prompt("go"));
        assert_eq!(client.read().await["id"], id);
    }
}

/// An agent of version 1 has no work that is cancelled by itself.
#[tokio::test]
async fn parts_of_a_session_cannot_be_cancelled_in_version_1() {
    let (mut client, mut agent) = opened_as(V2, V1).await;
    for (method, entity) in [("tool_call/cancel", "toolCallId"), ("terminal/cancel", "terminalId")] {
        let answer = client.request(4, method, json!({"sessionId": "s", entity: "x"})).await;
        assert_eq!(answer[0]["error"]["code"], -32602, "{answer:?}");
    }
    // The agent has not heard of it.
    client.notify("_acme/next", json!({})).await;
    agent.get("_acme/next").await;
}

#[tokio::test]
async fn data_of_extensions_passes_from_version_1_to_version_2_and_back() {
    let (mut client, mut agent) = opened_as(V1, V2).await;
    client.ask(3, "session/prompt", prompt("go")).await;
    let asked = agent.answer("session/prompt", json!({"messageId": "m"})).await;
    assert_eq!(asked["_meta"], prompt("go")["_meta"]);
    agent.update(json!({"sessionUpdate": "state_update", "state": "running"})).await;
    agent
        .update(json!({"sessionUpdate": "agent_message", "messageId": "a", "_meta": {"acme.dev/c": 3},
            "content": [{"type": "text", "text": "x"}, {"type": "text", "text": "y"}]}))
        .await;
    agent.update(json!({"sessionUpdate": "tool_call_update", "toolCallId": "t", "title": "T"})).await;
    agent
        .update(
            json!({"sessionUpdate": "tool_call_content_chunk", "toolCallId": "t", "_meta": {"acme.dev/d": 4},
            "content": {"type": "content", "content": {"type": "text", "text": "z"}}}),
        )
        .await;
    // It offers to cancel the call, which is nothing for this client.
    agent
        .update(
            json!({"sessionUpdate": "tool_call_update", "toolCallId": "t", "capabilities": {"cancel": {}}}),
        )
        .await;
    agent.update(idle()).await;
    let read = client.until(|message| message["id"] == 3).await;
    let updates: Vec<_> = read.iter().map(update).collect();
    assert_eq!(updates.len(), 5, "{read:#?}");
    assert_eq!((&updates[0]["_meta"], &updates[1]["_meta"]), (&json!({"acme.dev/c": 3}), &Value::Null));
    assert_eq!(updates[3]["content"][0]["_meta"], json!({"acme.dev/d": 4}));
    assert_eq!(read[4]["result"], json!({"stopReason": "end_turn", "_meta": {"acme.dev/b": 2}}));
}

#[tokio::test]
async fn data_of_extensions_passes_from_version_2_to_version_1_and_back() {
    let (mut client, mut agent) = opened_as(V2, V1).await;
    client.ask(3, "session/prompt", prompt("go")).await;
    let asked = agent.get("session/prompt").await;
    assert_eq!(asked["params"]["_meta"], prompt("go")["_meta"]);
    agent
        .update(json!({"sessionUpdate": "agent_message_chunk", "_meta": {"acme.dev/c": 3},
            "content": {"type": "text", "text": "x"}}))
        .await;
    agent.result(&asked, json!({"stopReason": "end_turn", "_meta": {"acme.dev/b": 2}})).await;
    let read = client.until(|message| update(message)["state"] == "idle").await;
    let said = read.iter().find(|message| update(message)["sessionUpdate"] == "agent_message_chunk");
    assert_eq!(update(said.expect("it is said"))["_meta"], json!({"acme.dev/c": 3}), "{read:#?}");
    let end = update(&read[read.len() - 1]);
    assert_eq!((&end["stopReason"], &end["_meta"]), (&json!("end_turn"), &json!({"acme.dev/b": 2})));
}

/// A bridge that serves files keeps its part of the session.
#[tokio::test]
async fn extensions_pass_a_bridge_that_serves_files() {
    let (mut agent, transport) = Raw::pair();
    let (mut client, near) = Raw::pair();
    let connect = acp_client::connect(transport).versions([V1]);
    let bridge = acp_cli::bridge::Bridge::new(connect).serve_files(acp_client::LocalFs::session_roots());
    tokio::spawn(bridge.serve(near));
    client.ask(1, "initialize", json!({"protocolVersion": 1})).await;
    let asked = agent.answer("initialize", json!({"protocolVersion": 1})).await;
    assert_eq!(asked["clientCapabilities"]["fs"]["readTextFile"], true);
    client.answered(1).await;
    client.ask(2, "session/new", json!({"cwd": "/w", "mcpServers": []})).await;
    agent.answer("session/new", json!({"sessionId": "s"})).await;
    client.answered(2).await;
    // This one is no matter of the bridge either: both sides have it.
    for method in ["_acme/ask", "_session/steering"] {
        client.ask(3, method, json!({"sessionId": "s", "x": 1})).await;
        assert_eq!(
            agent.answer(method, json!({"outcome": "injected"})).await,
            json!({"sessionId": "s", "x": 1})
        );
        assert_eq!(client.read().await["result"]["outcome"], "injected");
    }
    agent.ask(9, "fs/read_text_file", json!({"sessionId": "s", "path": "/etc/hostname"})).await;
    assert!(agent.answered(9).await["error"].is_object(), "it is outside of the session's folder");
}
