//! The scripts of the client.

use std::path::Path;

use acp_client::v1::{ContentBlock, SessionId};
use acp_client::{Agent, Session, Value};

/// Runs a turn to its end, and ignores its outcome: that is on the wire.
async fn turn(session: &Session, text: &str) {
    let _ = session.prompt(text).await.unwrap().finish().await;
}

/// Sends a request as the library never would.
async fn raw(agent: &Agent, method: &str, params: &str) {
    let params: Value = acp_json::from_str(params).unwrap();
    let _ = agent.peer().request::<_, Value>(method, &params).await;
}

/// Logs in, opens sessions in every way, and changes, lists and ends them.
pub(super) async fn sessions(agent: &Agent) {
    raw(agent, "authenticate", r#"{"methodId":"nobody's"}"#).await;
    agent.authenticate("key").await.unwrap();
    assert!(agent.new_session("/broken").await.is_err());
    let server = r#"{"name":"tools","command":"/bin/tools","args":["-a"],"env":[{"name":"K","value":"v"}]}"#;
    let http =
        r#"{"type":"http","name":"web","url":"https://example.com/","headers":[{"name":"H","value":"w"}]}"#;
    let new = agent.new_session("/work").directory("/more").mcp_server(server_of(server));
    let session = new.mcp_server(server_of(http)).await.unwrap();
    session.set_mode("do").await.unwrap();
    session.set_config_option("pace", "fast").await.unwrap();
    session.set_config_option("on", true).await.unwrap();
    let mut listed = agent.list_sessions().cwd("/work");
    while let Some(session) = listed.next().await {
        session.unwrap();
    }
    let loaded = agent.load_session("s-3", "/work").await.unwrap();
    let resumed = agent.resume_session("s-4", "/work").await.unwrap();
    loaded.close().await.unwrap();
    drop(resumed);
    assert!(agent.delete_session("s-4").await.is_err());
    let echoed: Value = agent.ext_request("_everything/echo", &("a", 1.5)).await.unwrap();
    assert_eq!(echoed.to_string(), r#"["a",1.5]"#);
    session.close().await.unwrap();
}

fn server_of(json: &str) -> acp_client::v1::McpServer {
    acp_json::from_str(json).unwrap()
}

/// Prompts for everything that a turn can hold.
pub(super) async fn turns(agent: &Agent) {
    let session = agent.new_session("/work").await.unwrap();
    let asked =
        ["updates", "tools", "ask", "files", "terminals", "forms", "fail", "refuse", "login", "other"];
    for text in asked {
        turn(&session, text).await;
    }
    let blocks = [
        r#"{"type":"text","text":"blocks","_meta":{"a":1}}"#,
        r#"{"type":"image","data":"AAAA","mimeType":"image/png"}"#,
        r#"{"type":"audio","data":"AAAA","mimeType":"audio/wav"}"#,
        r#"{"type":"resource_link","name":"n","uri":"file:///n"}"#,
        r#"{"type":"resource","resource":{"uri":"file:///r","text":"t"}}"#,
    ];
    let blocks: Vec<ContentBlock> = blocks.iter().map(|json| acp_json::from_str(json).unwrap()).collect();
    let _ = session.prompt(blocks).await.unwrap().finish().await;
    let mut waiting = session.prompt("wait").await.unwrap();
    let waits = waiting.next().await.unwrap();
    assert_eq!(waits.text(), Some("waiting"));
    waiting.cancel().unwrap();
    assert_eq!(waiting.finish().await.unwrap().stop_reason.as_str(), "cancelled");
    session.close().await.unwrap();
    agent.logout().await.unwrap();
}

/// Sends requests that are refused.
pub(super) async fn errors(agent: &Agent) {
    for (method, params) in [
        ("session/prompt", r#"{"sessionId":"s-9","prompt":[{"type":"text","text":"hi"}]}"#),
        ("session/prompt", r#"{"sessionId":"s-9"}"#),
        ("session/prompt", r#"{"sessionId":5,"prompt":[]}"#),
        ("session/new", r#"{"cwd":"relative","mcpServers":[]}"#),
        ("session/new", r#"{"mcpServers":[]}"#),
        ("session/load", r#"{"cwd":"/work","mcpServers":[]}"#),
        ("session/set_mode", r#"{"sessionId":"s-9","modeId":"x"}"#),
        ("session/close", r#"{"sessionId":"s-9"}"#),
        ("initialize", r#"{"protocolVersion":1}"#),
        ("session/fly", r#"{}"#),
        ("_everything/unknown", r#"[]"#),
    ] {
        raw(agent, method, params).await;
    }
}

/// Fills a session that is kept, and returns its id.
pub(super) async fn stored(agent: &Agent) -> SessionId {
    let session = agent.new_session(Path::new("/work")).await.unwrap();
    turn(&session, "everything").await;
    let image = r#"{"type":"image","data":"AAAA","mimeType":"image/png"}"#;
    let _ = session
        .prompt([ContentBlock::text("two"), acp_json::from_str(image).unwrap()])
        .await
        .unwrap()
        .finish()
        .await;
    session.id().clone()
}

/// Loads the session, and resumes it.
pub(super) async fn replayed(agent: &Agent, id: &SessionId) {
    let mut replay = agent.load_session(id.clone(), "/work").replay().await.unwrap();
    while replay.next().await.is_some() {}
    let session = replay.finish().await.unwrap();
    turn(&session, "again").await;
    session.close().await.unwrap();
    let session = agent.resume_session(id.clone(), "/work").await.unwrap();
    turn(&session, "and again").await;
    assert!(agent.load_session("never-kept", "/work").await.is_err());
    agent.delete_session(id.clone()).await.unwrap();
}
