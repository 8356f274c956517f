//! Logs, which must not contain credentials of the configuration. Each test has a process of its
//! own, because a log of everything is set once for a whole process.

use std::fmt::{Debug, Write as _};
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use acp_mcp::rmcp::model::GetPromptRequestParams;
use acp_mcp::{CallOptions, EnvPolicy, Event, Implementation, McpSession, StdioOptions, Timeouts};
use acp_types::v1::{EnvVariable, HttpHeader, McpServer, McpServerHttp, McpServerSse, McpServerStdio};
use serde_json::{Value, json};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Metadata, Subscriber};

use crate::support::own_process::is_own;

/// Everything that is logged, by any crate and of any level. One log for the whole process, because
/// tasks run on other threads.
struct Log;

static LOGGED: Mutex<String> = Mutex::new(String::new());

fn logged() -> String {
    LOGGED.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Writes whole lines only, because other threads log, too, and would write between the pieces.
fn write(line: &str) {
    LOGGED.lock().unwrap_or_else(PoisonError::into_inner).push_str(line);
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let _ = write!(self.0, " {field}={value:?}");
    }
}

impl Subscriber for Log {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn event(&self, event: &tracing::Event<'_>) {
        let mut line = Line(format!("\n{} {}:", event.metadata().level(), event.metadata().target()));
        event.record(&mut line);
        write(&line.0);
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        let mut line = Line(format!("\nSPAN {}:", attributes.metadata().target()));
        attributes.record(&mut line);
        write(&line.0);
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, values: &Record<'_>) {
        let mut line = Line("\nSPAN:".to_owned());
        values.record(&mut line);
        write(&line.0);
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// The other interface for logs, which reqwest uses.
impl log::Log for Log {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &log::Record<'_>) {
        write(&format!("\n{} {}: {}", record.level(), record.target(), record.args()));
    }

    fn flush(&self) {}
}

/// Sends all logs to [`LOGGED`].
fn listen_to_everything() {
    tracing::subscriber::set_global_default(Log).unwrap();
    log::set_logger(&Log).unwrap();
    log::set_max_level(log::LevelFilter::Trace);
}

/// Starts a server of either era. It answers every method but one. Its name says how it behaves.
fn serve(era: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let place = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            std::thread::spawn(move || {
                let mut request = Vec::new();
                let mut chunk = [0; 65536];
                let body = loop {
                    let length = stream.read(&mut chunk).unwrap_or_default();
                    request.extend_from_slice(&chunk[..length]);
                    let text = String::from_utf8_lossy(&request).into_owned();
                    let body = text.split_once("\r\n\r\n").map(|(_, body)| body.to_owned());
                    match body.and_then(|body| serde_json::from_str::<Value>(&body).ok()) {
                        Some(body) => break body,
                        None if length == 0 || text.starts_with("GET") => break Value::Null,
                        None => {}
                    }
                };
                let (status, answer) = answer(era, &body);
                let head = "Content-Type: application/json\r\nConnection: close";
                let text = answer.to_string();
                let length = text.len();
                let _ =
                    write!(stream, "HTTP/1.1 {status} x\r\n{head}\r\nContent-Length: {length}\r\n\r\n{text}");
            });
        }
    });
    format!("http://user:secret-password@{place}/mcp?key=secret-query")
}

fn answer(era: &str, body: &Value) -> (u16, Value) {
    let id = &body["id"];
    let result = |result: Value| (200, json!({ "jsonrpc": "2.0", "id": id, "result": result }));
    let capabilities = json!({ "tools": {}, "prompts": {} });
    match (era, body["method"].as_str().unwrap_or_default()) {
        ("401" | "500", _) => (era.parse().unwrap(), Value::Null),
        ("modern", "server/discover") => {
            // Without `ttlMs` and `cacheScope`, here and in lists.
            result(
                json!({ "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": capabilities }),
            )
        }
        ("legacy", "initialize") => result(json!({
            "protocolVersion": "2025-11-25", "capabilities": capabilities,
            "serverInfo": { "name": "s", "version": "1" },
        })),
        (_, "tools/list") => {
            let tool = json!({ "name": "echo", "inputSchema": { "type": "object" } });
            result(json!({ "resultType": "complete", "tools": [tool] }))
        }
        (_, "prompts/list") => result(json!({ "resultType": "complete", "prompts": [] })),
        (_, "tools/call") => result(json!({ "content": [] })),
        (_, "prompts/get") => (500, Value::Null),
        (_, method) if method.starts_with("notifications/") => (202, Value::Null),
        _ => (400, json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32601, "message": "no" } })),
    }
}

/// A server on stdio that speaks the version with a handshake, for a while.
#[cfg(unix)]
const SHELL: &str = r#"
while read -r line; do
    id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
    case "$line" in
        *'"initialize"'*) result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}' ;;
        *'"tools/list"'*) result='{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}' ;;
        *'"tools/call"'*) exit 3 ;;
        *'"server/discover"'*) echo '{"jsonrpc":"2.0","id":'$id',"error":{"code":-32601,"message":"no"}}'; continue ;;
        *) continue ;;
    esac
    echo '{"jsonrpc":"2.0","id":'$id',"result":'$result'}'
done
"#;

/// Servers of every kind, working and failing, with credentials wherever there is a place for them.
fn servers() -> Vec<McpServer> {
    let headers = || ["Authorization", "X-Key"].map(|name| HttpHeader::new(name, "Bearer secret-header"));
    let bad =
        || vec![HttpHeader::new("Mcp-Session-Id", "secret-header"), HttpHeader::new("x y", "secret-header")];
    let env = || [EnvVariable::new("TOKEN", "secret-variable")];
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mut servers: Vec<McpServer> = Vec::new();
    for url in [serve("modern"), serve("legacy"), serve("401"), serve("500")] {
        servers.push(McpServerHttp::new("web", &url, headers()).into());
        servers.push(McpServerSse::new("old web", &url, headers()).into());
        servers.push(McpServerHttp::new("bad headers", url, bad()).into());
    }
    for url in [
        format!("http://user:secret-password@{nobody}/mcp?key=secret-query"),
        "ftp://user:secret-password@127.0.0.1/?key=secret-query".to_owned(),
        "http://user:secret-password@[nowhere]/?key=secret-query".to_owned(),
        "user:secret-password@?key=secret-query".to_owned(),
    ] {
        servers.push(McpServerHttp::new("nowhere", url, headers()).into());
    }
    let arguments = ["--token".to_owned(), "secret-argument".to_owned()];
    servers.push(McpServerStdio::new("missing", "/nowhere/server", arguments.clone(), env()).into());
    #[cfg(unix)]
    for script in ["exit 5", SHELL] {
        let arguments = [&["-c".to_owned(), script.to_owned(), "sh".to_owned()][..], &arguments].concat();
        servers.push(McpServerStdio::new("shell", "/bin/sh", arguments, env()).into());
    }
    servers
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn credentials_are_in_no_error_no_log_and_no_debug() {
    if !is_own("logged::credentials_are_in_no_error_no_log_and_no_debug") {
        return;
    }
    listen_to_everything();
    let timeouts = Timeouts::default().initialize(Duration::from_secs(30)).connect(Duration::from_secs(60));
    let stdio = StdioOptions::default().env(EnvPolicy::Usual);
    let builder =
        McpSession::builder(Implementation::new("tests", "0")).timeouts(timeouts).stdio(stdio).restarts(1);
    let mut printed = format!("{builder:?}");
    let servers = servers();
    let session = builder.connect_all(&servers).await;
    let mut print = |what: &dyn Debug| writeln!(printed, "{what:?}").unwrap();
    let (mut connected, mut failed) = (0, 0);
    let mut events = session.events();
    for tool in session.tools().await {
        let called = session.call_tool(&tool.name, json!({}), CallOptions::new()).await;
        print(&called.as_ref().map_err(ToString::to_string));
        print(&(called, tool));
    }
    for server in session.servers() {
        let status = server.status();
        match status.failure() {
            Some(error) => failed += usize::from(!error.to_string().is_empty()),
            None => connected += 1,
        }
        print(&(status.failure().map(ToString::to_string), status, server.info(), server.tools_status()));
        let got = server.get_prompt(GetPromptRequestParams::new("p")).await;
        print(&got.as_ref().map_err(ToString::to_string));
        print(&(server.list_prompts().await, got, &server));
    }
    print(&(&session, session.client_capabilities()));
    session.shutdown().await;
    drop(session);
    while let Some(event) = events.next().await {
        if let Event::Failed { error, .. } | Event::Restarting { error, .. } = &event {
            print(&error.to_string());
        }
        print(&event);
    }
    // Some servers were connected and some failed, so there is something to look through.
    let shells = if cfg!(unix) { 1 } else { 0 };
    assert!(connected >= 4 && failed >= 10 + shells, "{connected} {failed}: {printed}");
    let logged = logged();
    for crate_name in [" rmcp", " reqwest", " hyper"] {
        assert!(logged.contains(crate_name), "{crate_name} logs nothing");
    }
    assert!(printed.contains("Restarting") == cfg!(unix), "{printed}");
    for text in [printed, logged] {
        let secrets: Vec<_> = text.lines().filter(|line| line.contains("secret")).collect();
        assert!(secrets.is_empty(), "{secrets:#?}");
    }
}

/// Row 23 of the features of the C# SDK.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_modern_server_that_does_not_say_how_long_results_hold_is_warned_of_once() {
    if !is_own("logged::a_modern_server_that_does_not_say_how_long_results_hold_is_warned_of_once") {
        return;
    }
    listen_to_everything();
    let [modern, legacy] = ["modern", "legacy"].map(|era| {
        let name = format!("{era} without hints");
        McpServer::from(McpServerHttp::new(name, serve(era).replace("user:secret-password@", ""), []))
    });
    let session = McpSession::builder(Implementation::new("tests", "0")).connect_all(&[modern, legacy]).await;
    session.tools().await;
    for server in session.servers() {
        for _ in 0..2 {
            server.list_prompts().await.unwrap();
        }
    }
    session.shutdown().await;
    let logged = logged();
    let warnings = |server: &str, method: &str| {
        let is_it = |line: &&str| {
            line.starts_with("WARN acp_mcp")
                && line.contains("ttlMs")
                && line.contains(server)
                && line.contains(method)
        };
        logged.lines().filter(is_it).count()
    };
    for method in ["tools/list", "prompts/list"] {
        let counts = ["modern without hints", "legacy without hints"].map(|server| warnings(server, method));
        assert_eq!(counts, [1, 0], "{method}");
    }
}
