//! Servers start and end with their session.

use std::path::{Path, PathBuf};

use acp_agent::{Mcp, NewSession, Opened, Result, Router};
use serde_json::json;

use crate::mcp::server::entry;
use crate::mcp::{Obedient, options, prompt, said, session};
use crate::support::{Wire, check_error};

/// Opens a session and calls its server. Returns the session, and the file that the server writes
/// at its end.
async fn open(wire: &mut Wire, folder: &Path) -> (String, PathBuf) {
    let ended = folder.join("ended");
    let _ = std::fs::remove_file(&ended);
    let session = session(wire, Path::new("/"), json!([entry("one", "plain", Some(&ended))])).await;
    assert_eq!(said(wire, &session, "call one__echo").await, "false {}");
    assert!(!ended.exists());
    (session, ended)
}

#[tokio::test]
async fn closing_the_session_waits_for_its_servers() {
    let folder = tempfile::tempdir().unwrap();
    let mut wire = Wire::connect(Obedient, json!({})).await;
    let (session, ended) = open(&mut wire, folder.path()).await;
    assert_eq!(wire.call("session/close", json!({"sessionId": session})).await["result"], json!({}));
    assert!(ended.exists());
}

#[tokio::test]
async fn the_end_of_the_connection_is_theirs() {
    let folder = tempfile::tempdir().unwrap();
    let mut wire = Wire::connect(Obedient, json!({})).await;
    let (_, ended) = open(&mut wire, folder.path()).await;
    wire.close().await;
    assert!(ended.exists());
}

#[tokio::test]
async fn a_session_that_is_not_opened_after_all_leaves_none() {
    /// Fails after the server has started.
    async fn new_session(_: &(), open: NewSession, mcp: Mcp) -> Result<Opened<()>> {
        assert_eq!((open.mcp_servers().len(), mcp.tools().await.len()), (1, 11));
        Err("no".into())
    }

    let folder = tempfile::tempdir().unwrap();
    let ended = folder.path().join("ended");
    let agent = Router::with_sessions("failing", "1", (), new_session)
        .mcp(options())
        .on::<acp_agent::op::Prompt, _>(prompt);
    let mut wire = Wire::connect(agent, json!({})).await;
    let servers = json!([entry("one", "plain", Some(&ended))]);
    let answer = wire.call("session/new", json!({"cwd": "/", "mcpServers": servers})).await;
    check_error(&answer, -32603, &["no"]);
    wire.close().await;
    assert!(ended.exists());
}

/// Rule `acp-mcp-01`: the last list of servers counts.
#[tokio::test]
async fn loading_connects_anew() {
    let folder = tempfile::tempdir().unwrap();
    let mut wire = Wire::connect(Obedient, json!({})).await;
    let (session, ended) = open(&mut wire, folder.path()).await;
    let params = json!({"sessionId": session, "cwd": "/", "mcpServers": [entry("two", "plain", None)]});
    assert!(wire.call("session/load", params).await["result"].is_object());
    assert_eq!(said(&mut wire, &session, "call two__echo").await, "false {}");
    let (_, answer) = wire.turn(&session, "call one__echo").await;
    check_error(&answer, -32603, &["one__echo"]);
    wire.close().await;
    assert!(ended.exists(), "the one of before");
}
