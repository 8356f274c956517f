//! Servers that fail: the session goes on without them, and the user is told.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use acp_agent::mcp::Timeouts;
use serde_json::{Value, json};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

use crate::mcp::server::entry;
use crate::mcp::{Obedient, options, router, said, session};
use crate::support::Wire;

fn notices() -> Value {
    json!({"session": {"notices": {}}})
}

/// Servers that are not available, each with the message to the user about it. One server that is
/// available comes with them.
fn servers() -> (Vec<Value>, Vec<(&'static str, &'static str)>) {
    let mut servers = vec![
        entry("ok", "plain", None),
        entry("dead", "exit", None),
        json!({"name": "missing", "command": "/no/such/program", "args": [], "env": []}),
        entry("mute", "no_tools", None),
    ];
    let mut told = vec![
        ("MCP server `dead` is unavailable", "no such database"),
        ("MCP server `missing` is unavailable", "/no/such/program"),
        ("The tools of MCP server `mute` could not be listed", "the tools are gone"),
    ];
    // A client that sends what was not advertised.
    if !cfg!(feature = "mcp-http") {
        servers.push(json!({"type": "http", "name": "web", "url": "http://127.0.0.1:9/", "headers": []}));
        told.push(("MCP server `web` is unavailable", "`http`"));
    }
    (servers, told)
}

/// Rules `acp-mcp-05` and `acp-mcp-06`.
#[tokio::test]
async fn each_server_that_fails_becomes_a_notice() {
    let mut wire = Wire::connect(Obedient, notices()).await;
    let (servers, told) = servers();
    let session = session(&mut wire, Path::new("/"), json!(servers)).await;
    let mut notices = Vec::new();
    for _ in 0..told.len() {
        let notice = wire.update().await;
        assert_eq!((&notice["sessionUpdate"], &notice["severity"]), (&json!("notice"), &json!("warning")));
        notices.push((
            notice["title"].as_str().unwrap().to_owned(),
            notice["description"].as_str().unwrap().to_owned(),
        ));
    }
    for (title, reason) in told {
        let notice = notices.iter().find(|(found, _)| found == title);
        let (_, description) = notice.unwrap_or_else(|| panic!("{title}: {notices:?}"));
        assert!(
            description.contains(reason) && description.contains("Continuing without it"),
            "{description}"
        );
    }
    assert_eq!(said(&mut wire, &session, "call ok__echo").await, "false {}");
}

/// The events of acp-agent on this thread, as texts.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Visit for Log {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        self.0.lock().unwrap().push(format!("{field}: {value:?}"));
    }
}

impl Subscriber for Log {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("acp_agent") && *metadata.level() == Level::WARN
    }

    fn event(&self, event: &Event<'_>) {
        event.record(&mut self.clone());
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// The log has a line instead.
#[tokio::test]
async fn a_client_that_takes_no_notices_gets_none() {
    let log = Log::default();
    let _listening = tracing::subscriber::set_default(log.clone());
    let mut wire = Wire::connect(Obedient, json!({})).await;
    let (servers, told) = servers();
    let session = session(&mut wire, Path::new("/"), json!(servers)).await;
    let states = said(&mut wire, &session, "servers").await;
    let failed: Vec<_> = states.lines().filter(|line| line.contains(" failed: ")).collect();
    // The server whose tools cannot be listed is connected all the same.
    assert_eq!(failed.len(), told.len() - 1, "{states}");
    assert_eq!(said(&mut wire, &session, "call ok__echo").await, "false {}");
    assert_eq!(wire.close().await, Vec::<Value>::new());
    let log = log.0.lock().unwrap().join("\n");
    for (server, reason) in [("dead", "no such database"), ("missing", "/no/such/program")] {
        assert!(log.contains(server) && log.contains(reason), "{server}: {log}");
    }
}

/// The silent server is still being connected while the session is open and the other server works.
#[tokio::test]
async fn a_silent_server_delays_nobody() {
    let day = Duration::from_secs(24 * 3600);
    let silence = Timeouts::default().probe(day).initialize(day).connect(day);
    let options = options().timeouts(silence).patience(Duration::from_millis(1));
    let mut wire = Wire::connect(router(options), notices()).await;
    let servers = json!([entry("silent", "silent", None), entry("ok", "plain", None)]);
    let session = session(&mut wire, Path::new("/"), servers).await;
    // Ask until the other server is connected.
    while !said(&mut wire, &session, "tools").await.contains("ok__echo") {}
    assert_eq!(said(&mut wire, &session, "call ok__echo").await, "false {}");
    let closed = wire.call("session/close", json!({"sessionId": session})).await;
    assert_eq!(closed["result"], json!({}));
}
