//! The list of cases, and the cases of the negotiation, which have their rules in the name.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};

use acp_mcp::{
    CallOptions, EraCache, Event, ExtensionId, McpError, OnMissing, ProtocolVersion, StdioOptions,
    VersionPolicy,
};
use acp_types::v1::McpServerStdio;
use serde_json::{Value, json};

use super::called::*;
use super::life::*;
use super::options::*;
use super::scene::{Scene, status, wait_for};
use crate::real::EXTENSION;

type Case = Box<dyn Fn() -> Pin<Box<dyn Future<Output = ()> + Send>> + Send>;

macro_rules! cases {
    ($($name:ident)*) => {
        pub fn all() -> Vec<(&'static str, Case)> {
            vec![$((stringify!($name), Box::new(|| Box::pin($name())))),*]
        }
    };
}

cases! {
    m1_to_m7_real_servers_under_every_policy
    every_quirk_ends_as_it_should
    quirks_of_time
    mcp_neg_02_to_04_every_request_says_who_asks
    mcp_neg_38_a_modern_server_gets_no_answers
    mcp_neg_55_a_known_server_is_not_probed
    the_last_words_of_a_server_are_told
    one_bad_server_keeps_nobody_else
    a_server_that_floods_keeps_nobody_else
    tools_are_called
    progress_arrives
    a_cancelled_call_is_cancelled_at_the_server
    a_server_asks_the_user
    mcp_neg_16_to_19_extensions
    mcp_neg_14_what_was_not_declared_is_not_called
    mcp_neg_37_a_server_that_crashes_is_started_again
    a_server_that_crashes_again_and_again_is_given_up
    mcp_neg_37_a_restart_that_fails_is_one_of_three
    a_list_that_fails_is_told
    lists_are_asked_for_again_when_they_change
    a_modern_server_is_listened_to
    d15_and_mcp_neg_42_a_call_is_tried_once_more
    mcp_neg_62_a_call_has_its_time
    answers_are_not_longer_than_allowed
    an_answer_that_cannot_be_read_is_an_error_of_its_call
    mcp_neg_12_a_result_of_another_type_is_none
    times_at_their_extremes
    sizes_at_their_extremes
    environment_and_folder_are_as_told
    a_listener_that_panics_closes_no_stderr
    a_server_has_a_session_of_its_own
    credentials_are_not_printed
    mcp_neg_36_a_stubborn_server_is_killed
    mcp_neg_36_what_a_server_started_goes_with_it
}

async fn m1_to_m7_real_servers_under_every_policy() {
    let modern = || VersionPolicy::Only(ProtocolVersion::V_2026_07_28);
    for (row, policy, server, expected) in [
        ("M1", modern(), "real-modern", "modern 2026-07-28"),
        ("M1", modern(), "real-dual", "modern 2026-07-28"),
        ("M2", modern(), "real-legacy", "failed: no version of MCP in common"),
        ("M3", VersionPolicy::Auto, "real-modern", "modern 2026-07-28"),
        ("M3", VersionPolicy::Auto, "real-dual", "modern 2026-07-28"),
        ("M4", VersionPolicy::Auto, "real-legacy", "legacy 2025-11-25"),
        ("M5", VersionPolicy::LegacyOnly, "real-modern", "failed: no version of MCP in common"),
        ("M6", VersionPolicy::LegacyOnly, "real-dual", "legacy 2025-11-25"),
        ("M7", VersionPolicy::LegacyOnly, "real-legacy", "legacy 2025-11-25"),
        ("M7", VersionPolicy::Only(ProtocolVersion::V_2025_06_18), "real-legacy", "legacy 2025-06-18"),
    ] {
        let scene = Scene::new();
        let session = scene.builder().versions(policy).connect_all(&[scene.server(server)]).await;
        let status = status(&session);
        assert!(status.starts_with(expected), "{row} {server}: {status}");
        if !expected.starts_with("failed") {
            let name = format!("{server}__echo");
            let outcome = session.call_tool(&name, json!({ "a": 1 }), CallOptions::new()).await.unwrap();
            assert_eq!(outcome.text(), r#"{"a":1}"#, "{row} {server}");
        }
        if row == "M5" {
            assert!(status.contains("2026-07-28"), "the versions are named: {status}");
        }
        session.shutdown().await;
    }
}

async fn every_quirk_ends_as_it_should() {
    let legacy = "server/discover initialize notifications/initialized tools/list";
    for (shows, mode, expected, log) in [
        ("mcp-neg-25 M3", "modern", "modern 2026-07-28", "server/discover tools/list"),
        ("mcp-neg-29 M4", "plain", "legacy 2025-11-25", legacy),
        ("mcp-neg-23", "noise", "legacy 2025-11-25", legacy),
        ("mcp-neg-29", "null-id", "legacy 2025-11-25", legacy),
        ("D1", "refuses-modern", "legacy 2025-11-25", legacy),
        ("D2", "lists-legacy", "legacy 2025-06-18", legacy),
        ("D3", "no-list", "legacy 2025-11-25", legacy),
        ("D4", "empty-result", "legacy 2025-11-25", legacy),
        ("D5 mcp-neg-31", "exit-on-probe", "legacy 2025-11-25", legacy),
        ("D10", "before-release", "legacy 2025-11-25", legacy),
        ("D11 mcp-neg-61", "strict", "legacy 2025-11-25", legacy),
        ("mcp-neg-60", "oldest", "legacy 2024-11-05", legacy),
        (
            "D8",
            "unknown-version",
            "failed: the server answered `initialize` for MCP 2025-11-25 with version 2023-01-01",
            "",
        ),
        (
            "mcp-neg-60",
            "claims-modern",
            "failed: the server answered `initialize` for MCP 2025-11-25 with version 2026-07-28",
            "",
        ),
        (
            "mcp-neg-13",
            "needs-roots",
            "failed: the server needs capabilities that were not declared: roots",
            "server/discover",
        ),
        (
            "mcp-neg-07",
            "far-future",
            "failed: no version of MCP in common: 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05 here, 2099-01-01 on the server",
            "server/discover",
        ),
    ] {
        let scene = Scene::new();
        let session = scene.connect(mode).await;
        let status = status(&session);
        assert!(status.starts_with(expected), "{shows} {mode}: {status}");
        session.tools().await;
        session.shutdown().await;
        if !log.is_empty() {
            assert_eq!(scene.log(mode).join(" "), log, "{shows} {mode}");
        }
    }
}

async fn quirks_of_time() {
    for (shows, mode, expected) in [
        ("mcp-neg-30", "silent", "legacy 2025-11-25"),
        ("D6", "slow", "legacy 2025-11-25"),
        ("D7", "slow-modern", "modern 2026-07-28"),
        ("D13", "bound", "modern 2026-07-28"),
    ] {
        let mut scene = Scene::impatient();
        if mode == "bound" {
            // The second probe is answered.
            scene.timeouts.probe = std::time::Duration::from_secs(5);
        }
        let session = scene.connect(mode).await;
        assert_eq!(status(&session), expected, "{shows} {mode}");
        session.shutdown().await;
    }
    let mut scene = Scene::impatient();
    scene.timeouts.initialize = scene.timeouts.probe;
    let session = scene.connect("deaf").await;
    assert_eq!(status(&session), "failed: the server did not answer `initialize` within 50ms");
}

async fn mcp_neg_02_to_04_every_request_says_who_asks() {
    let scene = Scene::new();
    let session = scene.connect("modern").await;
    session.call_tool("modern__echo", json!({}), CallOptions::new()).await.unwrap();
    session.shutdown().await;
    for message in scene.messages("modern").iter().filter(|message| message.get("id").is_some()) {
        let meta = &message["params"]["_meta"];
        assert_eq!(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28", "{message}");
        assert!(meta["io.modelcontextprotocol/clientCapabilities"].is_object(), "{message}");
        assert_eq!(meta["io.modelcontextprotocol/clientInfo"]["name"], "tests", "{message}");
    }
    let asked = &scene.messages("modern")[0];
    // Extensions are off by default: `mcp-neg-20`.
    assert_eq!(asked["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"], json!({}));
}

async fn mcp_neg_38_a_modern_server_gets_no_answers() {
    let scene = Scene::new();
    let session = scene.connect("rude-modern").await;
    session.call_tool("rude-modern__echo", Value::Null, CallOptions::new()).await.unwrap();
    session.shutdown().await;
    assert_eq!(scene.log("rude-modern"), ["server/discover", "tools/list", "tools/call"]);
}

async fn mcp_neg_55_a_known_server_is_not_probed() {
    let (scene, eras) = (Scene::new(), EraCache::new());
    let server = scene.server("plain");
    for _ in 0..2 {
        let session =
            scene.builder().era_cache(eras.clone()).connect_all(std::slice::from_ref(&server)).await;
        session.tools().await;
        session.shutdown().await;
    }
    let opening = ["initialize", "notifications/initialized", "tools/list"];
    assert_eq!(scene.log("plain"), [&["server/discover"][..], &opening, &opening].concat());
}

async fn the_last_words_of_a_server_are_told() {
    let scene = Scene::new();
    let lines = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&lines);
    let options = StdioOptions::default()
        .on_stderr(move |server, line| heard.lock().unwrap().push(format!("{server}: {line}")));
    let policy = VersionPolicy::AtLeast(ProtocolVersion::V_2025_11_25);
    let session =
        scene.builder().versions(policy).stdio(options).connect_all(&[scene.server("last-words")]).await;
    // Without a probe the server is legacy and is connected. Its lines after the probe were
    // received.
    assert_eq!(status(&session), "legacy 2025-11-25");
    session.shutdown().await;
    let lines = lines.lock().unwrap().clone();
    assert_eq!((lines.len(), lines.last().unwrap().as_str()), (2001, "last-words: the last word"));

    let server =
        McpServerStdio::new("sh", "/bin/sh", ["-c".to_owned(), "echo no config >&2; exit 5".to_owned()], []);
    let session = scene.builder().connect_all(&[server.into()]).await;
    assert_eq!(
        status(&session),
        "failed: the server's process ended with status 5; its last words on stderr:\nno config"
    );
    let server = McpServerStdio::new("none", "/nowhere/server", [], []);
    let session = scene.builder().connect_all(&[server.into()]).await;
    assert!(status(&session).starts_with("failed: `/nowhere/server` could not be started: "));
}

async fn one_bad_server_keeps_nobody_else() {
    let scene = Scene::new();
    let session =
        scene.builder().start(&[scene.server("deaf"), scene.server("plain"), scene.server("plain")]);
    let mut events = session.events();
    // The first will not be connected for a minute.
    for _ in 0..2 {
        wait_for(&mut events, |event| matches!(event, Event::ToolsChanged { server } if server == "plain"))
            .await;
    }
    let names: Vec<String> = session.current_tools().into_iter().map(|tool| tool.name).collect();
    assert_eq!(names.len(), 16);
    assert_eq!(names[0], "plain__echo");
    assert!(names[8].starts_with("plain__echo_"), "{}", names[8]);
    for name in [&names[0], &names[8]] {
        let outcome = session.call_tool(name, json!({ "x": 1 }), CallOptions::new()).await.unwrap();
        assert_eq!(outcome.text(), r#"{"x":1}"#);
    }
}

async fn mcp_neg_16_to_19_extensions() {
    #[derive(serde::Deserialize)]
    struct Settings {
        size: u32,
    }
    let ours: ExtensionId = EXTENSION.parse().unwrap();
    let other: ExtensionId = "com.example/other".parse().unwrap();
    for era in ["real-modern", "real-legacy"] {
        let scene = Scene::new();
        let servers = [scene.server(era)];
        let builder = scene.builder().extension(ours.clone(), json!({ "a": 1 }), OnMissing::Reject);
        let session =
            builder.extension(other.clone(), json!({}), OnMissing::Core).connect_all(&servers).await;
        let info = session.servers()[0].info().unwrap();
        assert_eq!(info.extensions, std::slice::from_ref(&ours), "{era}");
        assert_eq!(info.extension_settings::<Settings>(&ours).unwrap().size, 7, "{era}");
        assert!(info.extension_settings::<Settings>(&other).is_none(), "{era}");
        let session = scene
            .builder()
            .extension(other.clone(), json!({}), OnMissing::Reject)
            .connect_all(&servers)
            .await;
        assert_eq!(
            status(&session),
            "failed: the server does not have the extension `com.example/other`",
            "{era}"
        );
        // An extension that only the server has is of no effect.
        let session = scene.builder().connect_all(&servers).await;
        assert_eq!(session.servers()[0].info().unwrap().extensions, [], "{era}");
    }
}

async fn mcp_neg_14_what_was_not_declared_is_not_called() {
    let scene = Scene::new();
    let session = scene.connect("plain").await;
    session.tools().await;
    let server = session.server("plain").unwrap();
    let not = |capability| Some(McpError::NotSupported { capability });
    assert_eq!(server.list_prompts().await.err(), not("prompts"));
    assert_eq!(server.list_resources().await.err(), not("resources"));
    assert_eq!(server.list_resource_templates().await.err(), not("resources"));
    assert_eq!(server.read_resource("file:///x").await.err(), not("resources"));
    session.shutdown().await;
    assert_eq!(scene.log("plain").last().unwrap(), "tools/list");
}
