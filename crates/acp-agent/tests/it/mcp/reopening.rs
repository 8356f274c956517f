//! Sessions that are loaded, resumed and forked have servers like new ones (rule `acp-mcp-01`).

use std::path::Path;

use acp_agent::{Router, op};
use serde_json::{Value, json};

use crate::mcp::server::entry;
use crate::mcp::{options, router, said, session};
use crate::support::{Wire, check_error, reopening};

/// The ways to open a session that is there already. A fork is another one beside it.
pub(crate) const WAYS: &[&str] = if cfg!(feature = "unstable") {
    &["session/load", "session/resume", "session/fork"]
} else {
    &["session/load", "session/resume"]
};

async fn opened(_: &()) -> acp_agent::Result<()> {
    Ok(())
}

/// An agent with a handler for each of these ways.
pub(crate) fn agent() -> Router<()> {
    let agent = router(options()).on::<op::LoadSession, _>(opened).on::<op::ResumeSession, _>(opened);
    #[cfg(feature = "unstable")]
    let agent = agent.on::<op::ForkSession, _>(opened);
    agent
}

/// Opens a session again, or forks it, with these servers. Returns the id of the opened session.
async fn reopen(wire: &mut Wire, way: &str, session: &str, servers: Value) -> String {
    let mut params = reopening(way, session, "/");
    if servers != json!([]) {
        params["mcpServers"] = servers;
    }
    let answer = wire.call(way, params).await;
    assert!(answer["result"].is_object(), "{way}: {answer}");
    answer["result"]["sessionId"].as_str().unwrap_or(session).to_owned()
}

/// Checks that the server has written its process id into the file, and has ended.
fn check_gone(way: &str, ended: &Path) {
    let pid = std::fs::read_to_string(ended).unwrap_or_else(|_| panic!("{way}: {} runs", ended.display()));
    if cfg!(target_os = "linux") {
        assert!(!Path::new("/proc").join(&pid).exists(), "{way}: {pid} is there");
    }
}

#[tokio::test]
async fn every_way_connects_the_servers_of_its_own_list() {
    for way in WAYS {
        let folder = tempfile::tempdir().unwrap();
        let [first, second] = ["first", "second"].map(|name| folder.path().join(name));
        let mut wire = Wire::connect(agent(), json!({"session": {"notices": {}}})).await;
        let before = session(&mut wire, Path::new("/"), json!([entry("one", "plain", Some(&first))])).await;
        assert_eq!(said(&mut wire, &before, "call one__echo").await, "false {}", "{way}");

        let missing = json!({"name": "missing", "command": "/no/such/program", "args": [], "env": []});
        let servers = json!([entry("two", "plain", Some(&second)), missing]);
        let after = reopen(&mut wire, way, &before, servers).await;
        // The client gets the notice after the answer, in every way of opening.
        let told = wire.recv().await;
        assert_eq!(
            (&told["method"], &told["params"]["sessionId"]),
            (&json!("session/update"), &json!(after))
        );
        let notice = &told["params"]["update"];
        assert_eq!(notice["title"], "MCP server `missing` is unavailable", "{way}: {notice}");
        let states = said(&mut wire, &after, "servers").await;
        assert!(states.starts_with("two connected 2025-11-25\nmissing failed: "), "{way}: {states}");
        assert!(said(&mut wire, &after, "tools").await.starts_with("two__echo "), "{way}");
        assert_eq!(said(&mut wire, &after, "call two__echo").await, "false {}", "{way}");
        let (_, answer) = wire.turn(&after, "call one__echo").await;
        check_error(&answer, -32603, &["one__echo"]);

        if *way == "session/fork" {
            // The original of the fork keeps its own server, and ends by itself.
            assert_ne!(before, after);
            assert_eq!(said(&mut wire, &before, "call one__echo").await, "false {}");
            assert_eq!(wire.call("session/close", json!({"sessionId": before})).await["result"], json!({}));
            check_gone(way, &first);
            assert_eq!(said(&mut wire, &after, "call two__echo").await, "false {}");
        }
        assert!(!second.exists(), "{way}");
        assert_eq!(wire.call("session/close", json!({"sessionId": after})).await["result"], json!({}));
        check_gone(way, &second);
        assert_eq!(wire.close().await, Vec::<Value>::new(), "{way}");
        check_gone(way, &first);
    }
}

/// A server fails after its list was replaced. The client gets no notice.
#[tokio::test]
async fn servers_of_the_list_before_say_nothing_any_more() {
    for way in ["session/load", "session/resume"] {
        let folder = tempfile::tempdir().unwrap();
        let ended = folder.path().join("ended");
        let mut wire = Wire::connect(agent(), json!({"session": {"notices": {}}})).await;
        let servers = json!([entry("one", "plain", Some(&ended)), entry("silent", "silent", None)]);
        let session = session(&mut wire, Path::new("/"), servers).await;
        assert_eq!(reopen(&mut wire, way, &session, json!([])).await, session);
        assert_eq!(said(&mut wire, &session, "servers").await, "");
        assert_eq!(wire.close().await, Vec::<Value>::new(), "{way}");
    }
}

/// A session that is kept in a store comes with the servers of the request. The servers from before
/// do not come back.
#[cfg(feature = "store")]
#[tokio::test]
async fn stored_sessions_get_the_servers_of_the_request() {
    use acp_agent::store::Journal;

    for way in ["session/load", "session/resume"] {
        let folder = tempfile::tempdir().unwrap();
        let [first, second] = ["first", "second"].map(|name| folder.path().join(name));
        let agent = || router(options()).store(Journal::at(folder.path().join("store")));
        let mut wire = Wire::connect(agent(), json!({})).await;
        let session = session(&mut wire, Path::new("/"), json!([entry("one", "plain", Some(&first))])).await;
        assert_eq!(said(&mut wire, &session, "call one__echo").await, "false {}", "{way}");
        wire.close().await;
        check_gone(way, &first);

        let mut wire = Wire::connect(agent(), json!({})).await;
        let params = json!({
            "sessionId": session, "cwd": "/", "mcpServers": [entry("two", "plain", Some(&second))],
        });
        let id = wire.request(way, params).await;
        // Loading replays the history first.
        while wire.recv().await["id"] != id {}
        assert_eq!(said(&mut wire, &session, "call two__echo").await, "false {}", "{way}");
        let (_, answer) = wire.turn(&session, "call one__echo").await;
        check_error(&answer, -32603, &["one__echo"]);
        wire.close().await;
        check_gone(way, &second);
    }
}
