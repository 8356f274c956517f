//! Every line that a client writes to an agent of version 2 is one that the schema of version 2
//! accepts.

use std::sync::{Arc, Mutex};

use acp_client::tap::{Direction, Tap};
use acp_client::v1::{ContentBlock, McpServer, McpServerHttp, McpServerStdio, ResourceLink};
use acp_client::{Connect, Elicitation, ElicitationAnswer, Options, ProtocolVersion, Transport};
use acp_testkit::CanonicalSchema;
use acp_types::v2::methods::METHODS;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream};

/// Answers every request, and reports that a prompt is done.
async fn serve(stream: DuplexStream) {
    let (read, mut write) = tokio::io::split(stream);
    let mut lines = BufReader::new(read).lines();
    while let Some(line) = lines.next_line().await.unwrap() {
        let message: Value = serde_json::from_str(&line).unwrap();
        let Some(id) = message.get("id") else { continue };
        let session = message["params"]["sessionId"].clone();
        let update = |update: Value| {
            let params = json!({"sessionId": session, "update": update});
            json!({"jsonrpc": "2.0", "method": "session/update", "params": params}).to_string() + "\n"
        };
        let state = |state: &str| update(json!({"sessionUpdate": "state_update", "state": state}));
        let result = match message["method"].as_str() {
            Some("initialize") => json!({
                "protocolVersion": 2,
                "info": {"name": "robot", "version": "1"},
                "capabilities": {"session": {
                    "prompt": {"image": {}}, "mcp": {"stdio": {}, "http": {}},
                    "delete": {}, "additionalDirectories": {},
                }},
                "authMethods": [{"type": "agent", "methodId": "web", "name": "Browser"}],
            }),
            Some("session/new" | "session/resume" | "session/set_config_option") => json!({
                "sessionId": "s1",
                "configOptions": [
                    {"configId": "m", "name": "Mode", "category": "mode", "type": "select",
                     "currentValue": "ask", "options": [{"value": "ask", "name": "Ask"}]},
                    {"configId": "b", "name": "Quick", "type": "boolean", "currentValue": false},
                ],
            }),
            Some("session/list") => json!({"sessions": []}),
            Some("session/prompt") => json!({"messageId": "m1"}),
            _ => json!({}),
        };
        let mut answer = json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string() + "\n";
        if message["method"] == "session/prompt" {
            answer += &(state("running")
                + &update(json!({
                    "sessionUpdate": "tool_call_update", "toolCallId": "c", "title": "Work",
                    "capabilities": {"cancel": {}},
                })));
        }
        if message["method"] == "tool_call/cancel" {
            answer += &state("idle");
        }
        write.write_all(answer.as_bytes()).await.unwrap();
    }
}

fn connect(written: &Arc<Mutex<Vec<String>>>) -> Connect {
    let (client, agent) = tokio::io::duplex(64 * 1024);
    tokio::spawn(serve(agent));
    let written = Arc::clone(written);
    let tap = Tap::raw(move |traffic| {
        if traffic.direction == Direction::Out {
            let line = traffic.line.expect("a whole line");
            written.lock().unwrap().push(String::from_utf8(line.to_vec()).expect("text"));
        }
    });
    acp_client::connect(Transport::from_stream(client))
        .versions([ProtocolVersion::V2])
        .elicitation(Elicitation::new().form(|_| async { ElicitationAnswer::Cancel }))
        .options(Options::default().tap(tap))
}

/// Makes every request that version 2 has.
async fn make_every_request(written: &Arc<Mutex<Vec<String>>>) {
    let agent = connect(written).await.expect("connected");
    agent.authenticate("web").await.expect("logged in");
    let stdio = McpServerStdio::new("a", "/bin/a", ["-x".to_owned()], []);
    let servers: [McpServer; 2] = [stdio.into(), McpServerHttp::new("b", "https://b", []).into()];
    let new = agent.new_session("/work").directory("/notes");
    let session = servers.into_iter().fold(new, |new, server| new.mcp_server(server)).await.expect("opened");
    agent.load_session("s2", "/work").await.expect("loaded");
    agent.resume_session("s3", "/work").await.expect("resumed");
    assert!(agent.list_sessions().cwd("/work").next().await.is_none());
    session.set_mode("ask").await.expect("set");
    session.set_config_option("b", true).await.expect("set");
    // Numbers that version 2 does not allow are left out.
    let mut link = ResourceLink::new("notes", "file:///notes").size(-1);
    link.annotations = Some(Box::new(acp_client::v1::Annotations::new().priority(7.0)));
    let prompt = [ContentBlock::text("hi"), link.into()];
    let mut turn = session.prompt(prompt).await.expect("sent");
    while !matches!(
        turn.next().await,
        Some(acp_client::Event::ToolCall(_) | acp_client::Event::ToolCallUpdate(_))
    ) {}
    session.cancel().expect("sent");
    session.cancel_tool_call("c").await.expect("accepted");
    turn.finish().await.expect("it ended");
    session.close().await.expect("closed");
    agent.delete_session("s2").await.expect("deleted");
    agent.logout().await.expect("logged out");
    agent.close().await;
}

#[tokio::test]
async fn the_schema_accepts_every_line() {
    let written = Arc::default();
    tokio::time::timeout(std::time::Duration::from_secs(60), make_every_request(&written))
        .await
        .expect("the agent answers");
    let schema = CanonicalSchema::load("v2").unwrap();
    let mut methods = Vec::new();
    for line in &*written.lock().unwrap() {
        let message: Value = serde_json::from_str(line).unwrap();
        let name = message["method"].as_str().expect("a request or a notification");
        let info = METHODS.iter().find(|info| info.name == name).unwrap_or_else(|| panic!("{name}"));
        assert!(schema.accepts(info.params, &message["params"]), "{} refuses {line}", info.params);
        methods.push(name.to_owned());
    }
    assert_eq!(
        methods,
        [
            "initialize",
            "auth/login",
            "session/new",
            "session/resume",
            "session/resume",
            "session/list",
            "session/set_config_option",
            "session/set_config_option",
            "session/prompt",
            "session/cancel",
            "tool_call/cancel",
            "session/close",
            "session/delete",
            "auth/logout",
        ]
    );
}
