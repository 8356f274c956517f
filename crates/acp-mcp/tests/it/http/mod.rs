//! Servers over HTTP: real ones of both eras, made with rmcp, and scripted ones with one fault
//! each.

mod script;
#[cfg(feature = "__tls")]
mod tls;

use std::time::Duration;

use acp_mcp::{
    CallOptions, CancellationToken, Era, EraCache, Event, Implementation, McpError, McpSession,
    ProtocolVersion, ServerStatus, Timeouts, VersionPolicy,
};
use acp_types::v1::{HttpHeader, McpServer, McpServerHttp, McpServerSse};
use serde_json::{Value, json};

use self::script::Scripted;

const LONG: Duration = Duration::from_secs(60);

fn builder() -> acp_mcp::Builder {
    #[cfg(all(feature = "tls-rustls-no-provider", not(feature = "tls-rustls")))]
    tls::install_provider();
    let timeouts = Timeouts::default().probe(LONG).initialize(LONG).connect(LONG * 2);
    McpSession::builder(Implementation::new("tests", "0")).timeouts(timeouts)
}

fn http(url: &str) -> McpServer {
    McpServerHttp::new("web", url, []).into()
}

fn sse(url: &str) -> McpServer {
    McpServerSse::new("web", url, []).into()
}

async fn connect(server: McpServer) -> McpSession {
    builder().connect_all(&[server]).await
}

fn status(session: &McpSession) -> String {
    match session.servers()[0].status() {
        ServerStatus::Connected(info) => format!("{} {}", info.era, info.version),
        ServerStatus::Failed(error) => format!("failed: {error}"),
        status => format!("{status:?}"),
    }
}

async fn echo(session: &McpSession) -> String {
    session.call_tool("web__echo", json!({ "a": 1 }), CallOptions::new()).await.unwrap().text()
}

#[tokio::test]
async fn m1_to_m8_real_servers_under_every_policy() {
    let modern = || VersionPolicy::Only(ProtocolVersion::V_2026_07_28);
    let dual = script::real("dual").await;
    for (row, policy, server, expected) in [
        ("M1", modern(), &script::real("modern").await, "modern 2026-07-28"),
        ("M1", modern(), &dual, "modern 2026-07-28"),
        ("M2", modern(), &script::real("legacy").await, "failed: no version of MCP in common"),
        ("M3", VersionPolicy::Auto, &script::real("modern").await, "modern 2026-07-28"),
        ("M3", VersionPolicy::Auto, &dual, "modern 2026-07-28"),
        ("M4", VersionPolicy::Auto, &script::real("legacy").await, "legacy 2025-11-25"),
        (
            "M5",
            VersionPolicy::LegacyOnly,
            &script::real("modern").await,
            "failed: no version of MCP in common",
        ),
        // One endpoint for both, at the same time: M8.
        ("M6", VersionPolicy::LegacyOnly, &dual, "legacy 2025-11-25"),
        ("M7", VersionPolicy::LegacyOnly, &script::real("legacy").await, "legacy 2025-11-25"),
    ] {
        let session = builder().versions(policy).connect_all(&[http(server)]).await;
        let status = status(&session);
        assert!(status.starts_with(expected), "{row}: {status}");
        if !expected.starts_with("failed") {
            assert_eq!(echo(&session).await, r#"{"a":1}"#, "{row}");
        }
        session.shutdown().await;
    }
}

#[tokio::test]
async fn m8_a_server_of_both_eras_serves_each_client_in_its_own_at_the_same_time() {
    let dual = script::real("dual").await;
    let servers = [http(&dual)];
    let connecting = [VersionPolicy::Auto, VersionPolicy::LegacyOnly]
        .map(|policy| builder().versions(policy).connect_all(&servers));
    let sessions = futures_util::future::join_all(connecting).await;
    for _ in 0..2 {
        for (session, expected) in sessions.iter().zip(["modern 2026-07-28", "legacy 2025-11-25"]) {
            assert_eq!(status(session), expected);
            assert_eq!(echo(session).await, r#"{"a":1}"#, "{expected}");
        }
    }
}

#[tokio::test]
async fn every_refusal_ends_as_it_should() {
    let legacy = "server/discover initialize notifications/initialized tools/list";
    for (shows, mode, expected, log) in [
        ("mcp-neg-46", "modern", "modern 2026-07-28", "server/discover tools/list"),
        ("mcp-neg-46", "events", "modern 2026-07-28", "server/discover tools/list"),
        ("mcp-neg-46", "400", "legacy 2025-11-25", legacy),
        ("mcp-neg-46", "400 html", "legacy 2025-11-25", legacy),
        ("mcp-neg-46, D12", "400 null id", "legacy 2025-11-25", legacy),
        ("mcp-neg-46, D12", "400 odd id", "legacy 2025-11-25", legacy),
        ("mcp-neg-47", "404", "legacy 2025-11-25", legacy),
        ("mcp-neg-47", "404 html", "legacy 2025-11-25", legacy),
        ("mcp-neg-47", "405", "legacy 2025-11-25", legacy),
        ("mcp-neg-47", "415", "legacy 2025-11-25", legacy),
        ("mcp-neg-47", "200 error", "legacy 2025-11-25", legacy),
        ("D1", "400 refuses-modern", "legacy 2025-11-25", legacy),
        ("D2, mcp-neg-28", "200 lists-legacy", "legacy 2025-11-25", legacy),
        ("D3", "400 no-list", "legacy 2025-11-25", legacy),
        ("D4", "200 empty", "legacy 2025-11-25", legacy),
        ("D10", "400 before-release", "legacy 2025-11-25", legacy),
        ("D11, mcp-neg-61", "400 strict", "legacy 2025-11-25", legacy),
        (
            "D13, mcp-neg-32",
            "400 bound",
            "modern 2026-07-28",
            "server/discover initialize server/discover tools/list",
        ),
        (
            "mcp-neg-07",
            "400 far-future",
            "failed: no version of MCP in common: 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05 here, 2099-01-01 on the server",
            "server/discover",
        ),
        (
            "mcp-neg-60",
            "claims-modern",
            "failed: the server answered `initialize` for MCP 2025-11-25 with version 2026-07-28",
            "",
        ),
        ("mcp-neg-44", "404 error", "legacy 2025-11-25", legacy),
        (
            "D8",
            "unknown-version",
            "failed: the server answered `initialize` for MCP 2025-11-25 with version 2023-01-01",
            "",
        ),
        (
            "mcp-neg-13",
            "400 needs-roots",
            "failed: the server needs capabilities that were not declared: roots",
            "server/discover",
        ),
        (
            "mcp-neg-42",
            "400 mismatch",
            "failed: the server says that the headers of a request disagree with its body",
            "server/discover",
        ),
        ("mcp-neg-47", "401", "failed: the server wants credentials (HTTP 401)", "server/discover"),
        ("mcp-neg-47", "403", "failed: the server wants credentials (HTTP 403)", "server/discover"),
        ("mcp-neg-47", "408", "failed: the server answered with HTTP 408", "server/discover"),
        ("mcp-neg-47", "429", "failed: the server answered with HTTP 429", "server/discover"),
        ("mcp-neg-47", "500", "failed: the server answered with HTTP 500", "server/discover"),
        ("mcp-neg-47", "503 error", "failed: the server answered with HTTP 503", "server/discover"),
        ("credentials stay here", "302", "failed: the server answered with HTTP 302", "server/discover"),
        ("credentials stay here", "307", "failed: the server answered with HTTP 307", "server/discover"),
    ] {
        let server = Scripted::start(mode).await;
        let session = connect(http(&server.url)).await;
        let status = status(&session);
        assert!(status.starts_with(expected), "{shows} {mode}: {status}");
        session.tools().await;
        session.shutdown().await;
        if !log.is_empty() {
            assert_eq!(server.methods().join(" "), log, "{shows} {mode}");
        }
    }
}

#[tokio::test]
async fn d9_silence_and_nobody_are_no_evidence() {
    let server = Scripted::start("silent").await;
    let timeouts = Timeouts::default().probe(Duration::from_millis(50));
    let cache = EraCache::new();
    let builder = || builder().timeouts(timeouts.clone()).era_cache(cache.clone());
    for _ in 0..2 {
        let session = builder().connect_all(&[http(&server.url)]).await;
        assert_eq!(status(&session), "failed: the server did not answer `server/discover` within 50ms");
        session.shutdown().await;
    }
    // The era was not remembered: `mcp-neg-57`.
    assert!(server.methods().iter().all(|method| method == "server/discover"), "{:?}", server.methods());
    let nobody = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let session = connect(http(&format!("http://user:secret@{nobody}/mcp"))).await;
    let status = status(&session);
    assert!(status.starts_with("failed: the server cannot be reached: "), "{status}");
    assert!(!status.contains("secret"), "{status}");
}

#[tokio::test]
async fn requests_wait_until_the_session_can_be_asked_but_not_for_ever() {
    for mode in ["404 session", "404 deaf session"] {
        let server = Scripted::start(mode).await;
        let session = connect(http(&server.url)).await;
        assert_eq!(echo(&session).await, r#"{"a":1}"#, "{mode}");
        let exchanges = server.exchanges();
        let log: Vec<_> = exchanges
            .iter()
            .map(|exchange| exchange.body["method"].as_str().unwrap_or(&exchange.verb))
            .collect();
        let order = "server/discover initialize notifications/initialized GET tools/list tools/call";
        assert_eq!(log.join(" "), order, "{mode}");
        session.shutdown().await;
    }
}

#[tokio::test]
async fn mcp_neg_39_to_41_headers_say_what_the_body_says() {
    let server = Scripted::start("modern").await;
    let headers = [
        HttpHeader::new("X-Key", "a"),
        HttpHeader::new("x-key", "b"),
        HttpHeader::new("Authorization", "Bearer t"),
    ];
    let session = connect(McpServerHttp::new("web", &server.url, headers).into()).await;
    assert_eq!(echo(&session).await, r#"{"a":1}"#);
    session.shutdown().await;
    let exchanges = server.exchanges();
    assert_eq!(exchanges.len(), 3);
    for exchange in &exchanges {
        let header =
            |name: &str| exchange.headers.get(name).map(|value| value.to_str().unwrap()).unwrap_or_default();
        assert_eq!(exchange.verb, "POST");
        assert!(
            header("accept").contains("application/json") && header("accept").contains("text/event-stream")
        );
        let meta = &exchange.body["params"]["_meta"];
        assert_eq!(
            header("mcp-protocol-version"),
            meta["io.modelcontextprotocol/protocolVersion"].as_str().unwrap()
        );
        assert_eq!(header("mcp-method"), exchange.body["method"].as_str().unwrap());
        assert_eq!((header("x-key"), header("authorization")), ("a, b", "Bearer t"));
        assert_eq!(header("mcp-session-id"), "");
    }
    assert_eq!(exchanges[2].headers["mcp-name"], "echo");
}

#[tokio::test]
async fn what_cannot_be_reached_is_said_before_anything_is_sent() {
    for (url, headers, expected) in [
        (
            "http://127.0.0.1:1/",
            vec![HttpHeader::new("Mcp-Session-Id", "secret")],
            "failed: the header `Mcp-Session-Id` cannot be sent",
        ),
        (
            "file:///etc/passwd",
            vec![],
            "failed: the server's `url` is not usable: it is neither http nor https",
        ),
        ("not a url", vec![], "failed: the server's `url` is not usable: "),
    ] {
        let session = connect(McpServerHttp::new("web", url, headers).into()).await;
        let status = status(&session);
        assert!(status.starts_with(expected) && !status.contains("secret"), "{url}: {status}");
    }
}

#[tokio::test]
async fn mcp_neg_50_a_cancelled_call_closes_its_stream() {
    let server = Scripted::start("modern").await;
    let session = connect(http(&server.url)).await;
    session.tools().await;
    let cancel = CancellationToken::new();
    let options = CallOptions::new().cancel(cancel.clone());
    let calling = session.clone();
    let call = tokio::spawn(async move { calling.call_tool("web__hang", Value::Null, options).await });
    server.hanging().await;
    cancel.cancel();
    assert_eq!(call.await.unwrap(), Err(McpError::Cancelled));
    server.let_go().await;
}

#[tokio::test]
async fn errors_of_calls_say_what_happened() {
    let server = Scripted::start("modern").await;
    let session = connect(http(&server.url)).await;
    session.tools().await;
    for (tool, expected) in [
        ("web__status-500", "the server answered with HTTP 500"),
        ("web__status-401", "the server wants credentials (HTTP 401): give it a header `Authorization`"),
        ("web__rpc", "the server answered `tools/call` with error -32603: scripted"),
    ] {
        let error = session.call_tool(tool, Value::Null, CallOptions::new()).await.unwrap_err();
        assert!(error.to_string().starts_with(expected), "{tool}: {error}");
    }
    assert_eq!(echo(&session).await, r#"{"a":1}"#, "the connection is as good as before");
}

#[tokio::test]
async fn mcp_neg_49_servers_of_2024_11_05() {
    for (shows, mode, server) in [
        ("as it is said to be", "sse", sse as fn(&str) -> McpServer),
        ("found by itself", "sse", http),
        ("said to be, but streamable", "400", sse),
        ("said to be, but modern", "modern", sse),
    ] {
        let scripted = Scripted::start(mode).await;
        let session = connect(server(&scripted.url)).await;
        let status = status(&session);
        assert!(!status.starts_with("failed"), "{shows}: {status}");
        assert_eq!(echo(&session).await, r#"{"a":1}"#, "{shows}");
        session.shutdown().await;
    }
    let scripted = Scripted::start("sse elsewhere").await;
    let session = connect(sse(&scripted.url)).await;
    assert_eq!(
        status(&session),
        "failed: the server cannot be reached: its endpoint is not of the same origin"
    );
    let scripted = Scripted::start("401").await;
    let session = connect(sse(&scripted.url)).await;
    assert!(
        status(&session).starts_with("failed: the server wants credentials (HTTP 401)"),
        "{}",
        status(&session)
    );
}

#[tokio::test]
async fn mcp_neg_55_and_56_eras_are_known_by_the_place() {
    let cache = EraCache::new();
    let server = Scripted::start("400").await;
    for _ in 0..2 {
        let session = builder().era_cache(cache.clone()).connect_all(&[http(&server.url)]).await;
        assert_eq!(session.servers()[0].info().unwrap().era, Era::Legacy);
        session.tools().await;
        session.shutdown().await;
    }
    let opening = ["initialize", "notifications/initialized", "tools/list"];
    assert_eq!(server.methods(), [&["server/discover"][..], &opening, &opening].concat());
    // The server is replaced by a modern one.
    server.become_another("modern");
    let session = builder().era_cache(cache.clone()).connect_all(&[http(&server.url)]).await;
    assert_eq!(status(&session), "modern 2026-07-28");
}

#[tokio::test]
async fn mcp_neg_37_a_stream_that_cannot_be_opened_again_is_tried_three_times() {
    for (refusals, is_up) in [(2, true), (100, false)] {
        let server = Scripted::start("sse").await;
        let session = connect(sse(&server.url)).await;
        assert_eq!(echo(&session).await, r#"{"a":1}"#);
        let mut events = session.events();
        server.hang_up(refusals);
        while !matches!(events.next().await.unwrap(), Event::Restarting { .. }) {}
        let outcome = session.call_tool("web__echo", json!({ "a": 1 }), CallOptions::new()).await;
        let streams = server.exchanges().iter().filter(|exchange| exchange.verb == "GET").count();
        assert_eq!(streams, 4, "the first, and three in a row");
        if is_up {
            assert_eq!(outcome.unwrap().text(), r#"{"a":1}"#);
            continue;
        }
        assert_eq!(outcome.unwrap_err(), McpError::Http { status: 503 });
        let later = session.call_tool("web__echo", json!({}), CallOptions::new()).await;
        assert_eq!(later.unwrap_err(), McpError::Http { status: 503 }, "later ones get the reason");
        assert_eq!(status(&session), "failed: the server answered with HTTP 503");
    }
}
