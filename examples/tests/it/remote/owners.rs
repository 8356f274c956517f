//! Several users of one database, behind one `acp serve`.

use std::fs;
use std::process::Command;

use acp_client::Agent;
use acp_http::Remote;

use super::scaled::{AGENT, server};
use super::{Server, acp};

/// Returns the ids of the sessions that the client is told of.
async fn listed(agent: &Agent) -> Vec<String> {
    let (mut list, mut ids) = (agent.list_sessions(), Vec::new());
    while let Some(session) = list.next().await {
        ids.push(session.expect("a session").session_id.to_string());
    }
    ids
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn users_of_one_database_have_sessions_of_their_own() {
    let Some(postgres) = server::Server::start() else { return };
    let database = postgres.database().url();
    let migrated = Command::new(AGENT).args([&database, "--migrate"]).status();
    assert!(migrated.expect("it starts").success());
    let folder = tempfile::tempdir().expect("a folder");
    let tokens = folder.path().join("tokens");
    fs::write(&tokens, "alice secret\nbob other\nalice second\n").expect("written");
    let mut serve = Command::new(acp());
    serve.args(["serve", "--listen", "127.0.0.1:0", "--root", "/", "--principal-env", "CLIENT"]);
    serve.arg("--token-file").arg(&tokens).args(["--", AGENT, &database, "2"]);
    let server = Server::start(&mut serve);
    let connect = async |remote: Remote, token: &str| {
        acp_client::connect(remote.bearer(token)).await.expect("it connects")
    };
    let (ws, http) = (acp_http::ws(server.url("ws")), acp_http::http(server.url("http")));

    let alice = connect(ws, "secret").await;
    let session = alice.new_session("/work").await.expect("a session");
    session.prompt("hello").await.expect("a turn").finish().await.expect("it ends");
    let id = session.id().clone();
    session.close().await.expect("it is closed");

    let bob = connect(http.clone(), "other").await;
    assert!(listed(&bob).await.is_empty());
    let refused = bob.load_session(id.clone(), "/work").await.expect_err("it is not his").to_string();
    let missing = bob.load_session("nobody-has-it", "/work").await.expect_err("it is not there").to_string();
    assert_eq!(refused.replace(&id.to_string(), "ID"), missing.replace("nobody-has-it", "ID"));
    // A session that is not there is deleted already.
    bob.delete_session(id.clone()).await.expect("it is not there");

    // The same user on another way, with another token.
    let again = connect(http, "second").await;
    assert_eq!(listed(&again).await, [id.to_string()]);
    let mut replay = again.load_session(id, "/work").replay().await.expect("it is loading");
    let mut said = String::new();
    while let Some(event) = replay.next().await {
        said.push_str(event.text().unwrap_or_default());
    }
    replay.finish().await.expect("it is loaded");
    assert!(said.ends_with("You said: hello"), "{said}");
}
