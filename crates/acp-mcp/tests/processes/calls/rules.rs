//! Rules of the protocol, by their ids, on both bindings.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use acp_mcp::{
    CallOptions, CancellationToken, ElicitRequest, Elicitation, ElicitationModes, Era, EraCache, EraStore,
    ExtensionId, McpError, McpSession, OnMissing, ProtocolVersion, ServerKey, VersionPolicy,
};
use acp_types::v1::ElicitationAction;
use serde_json::{Value, json};

use super::lists::prompt;
use super::place::{Binding, Place};

super::cases! {
    mcp_neg_02_mcp_neg_03_mcp_neg_04_every_request_says_who_asks_and_in_what_version
    mcp_neg_24_messages_have_nothing_around_them
    mcp_neg_25_mcp_neg_34_nothing_goes_before_the_verdict
    m2_m5_mcp_neg_33_mcp_neg_54_what_a_policy_does_not_allow_fails_with_words
    mcp_neg_13_a_missing_capability_is_told_and_nothing_falls_back
    mcp_neg_11_a_server_without_a_name_is_as_good
    mcp_neg_16_mcp_neg_20_capabilities_follow_from_handlers_and_can_be_read
    mcp_neg_17_mcp_neg_18_mcp_neg_19_mcp_neg_21_extensions_are_of_both_sides_or_of_none
    mcp_neg_35_mcp_neg_50_a_cancelled_call_is_cancelled_at_the_server
    mcp_neg_38_a_modern_server_gets_no_answers
    mcp_neg_40_mcp_neg_41_headers_say_what_the_body_says
    mcp_neg_42_arguments_are_mirrored_in_headers
    d15_mcp_neg_07_mcp_neg_42_a_call_is_tried_once_more
    d12_mcp_neg_55_mcp_neg_56_eras_outlive_the_process_in_a_store
    mcp_neg_62_a_request_has_its_time_whatever_its_progress
}

const META: &str = "io.modelcontextprotocol/";

/// Sends every kind of request to a server.
async fn ask_everything(session: &McpSession) {
    let server = session.server("fake").unwrap();
    server.list_prompts().await.unwrap();
    server.get_prompt(prompt("p0")).await.unwrap();
    server.list_resources().await.unwrap();
    server.list_resource_templates().await.unwrap();
    server.read_resource("x:1").await.unwrap();
    server.on_resource_updated("x:1", |_| ()).await.unwrap().forget();
    session.call_tool("fake__echo", json!({}), CallOptions::new()).await.unwrap();
}

async fn mcp_neg_02_mcp_neg_03_mcp_neg_04_every_request_says_who_asks_and_in_what_version(binding: Binding) {
    for era in ["modern", "legacy"] {
        let place = Place::new(binding, json!({ "era": era })).await;
        let (session, _) = place.server().await;
        ask_everything(&session).await;
        session.shutdown().await;
        let messages = place.messages();
        let asked: Vec<_> = messages
            .iter()
            .filter(|message| message.get("params").is_some_and(|_| message.get("id").is_some()))
            .collect();
        assert!(asked.len() >= 7, "{era}: {asked:?}");
        for message in asked {
            let meta = &message["params"]["_meta"];
            // The probe is modern, whatever the server is.
            if era == "modern" || message["method"] == "server/discover" {
                assert_eq!(meta[format!("{META}protocolVersion")], "2026-07-28", "{message}");
                assert_eq!(meta[format!("{META}clientCapabilities")], json!({}), "{message}");
                assert_eq!(meta[format!("{META}clientInfo")]["name"], "tests", "{message}");
            } else {
                assert!(!meta.to_string().contains(META), "a handshake has settled it: {message}");
            }
        }
    }
}

async fn mcp_neg_24_messages_have_nothing_around_them(binding: Binding) {
    let place = Place::new(binding, json!({ "era": "modern" })).await;
    let (session, _) = place.server().await;
    ask_everything(&session).await;
    session.shutdown().await;
    for message in place.messages().iter().filter(|message| message["method"] != "(closed)") {
        let members: Vec<_> = message.as_object().unwrap().keys().map(String::as_str).collect();
        assert!(members.iter().all(|name| ["jsonrpc", "id", "method", "params"].contains(name)), "{message}");
    }
}

async fn mcp_neg_25_mcp_neg_34_nothing_goes_before_the_verdict(binding: Binding) {
    for (era, opening) in [
        ("modern", &["server/discover"][..]),
        ("legacy", &["server/discover", "initialize", "notifications/initialized"]),
    ] {
        let place = Place::new(binding, json!({ "era": era })).await;
        let session = place.builder().start(&[place.entry()]);
        // The list is asked for at once, and sent once the era is known.
        session.call_tool("fake__echo", json!({}), CallOptions::new()).await.unwrap();
        let log = place.log();
        assert_eq!(&log[..opening.len()], opening, "{era}");
        assert!(log.iter().skip(opening.len()).all(|method| !opening.contains(&method.as_str())), "{log:?}");
        session.shutdown().await;
    }
}

async fn m2_m5_mcp_neg_33_mcp_neg_54_what_a_policy_does_not_allow_fails_with_words(binding: Binding) {
    let legacy_only = "the server speaks only versions of MCP that begin with `initialize`";
    let [new, old] = [ProtocolVersion::V_2026_07_28, ProtocolVersion::V_2025_06_18];
    for (policy, era, expected) in [
        (VersionPolicy::Only(new.clone()), "modern", Ok("2026-07-28")),
        (VersionPolicy::AtLeast(new.clone()), "modern", Ok("2026-07-28")),
        (VersionPolicy::AtLeast(old.clone()), "legacy", Ok("2025-11-25")),
        (VersionPolicy::LegacyOnly, "legacy", Ok("2025-11-25")),
        (VersionPolicy::Only(new.clone()), "legacy", Err(legacy_only)),
        (VersionPolicy::AtLeast(new), "legacy", Err(legacy_only)),
        // The server is asked for that one, and answers with another.
        (
            VersionPolicy::Only(old),
            "legacy",
            Err("the server answered `initialize` for MCP 2025-06-18 with version 2025-11-25"),
        ),
        (VersionPolicy::LegacyOnly, "modern", Err("2026-07-28 on the server")),
    ] {
        let place = Place::new(binding, json!({ "era": era })).await;
        let builder = place.builder().versions(policy.clone());
        let session = builder.connect_all(&[place.entry()]).await;
        let status = session.servers()[0].status();
        match (expected, status.info()) {
            (Ok(version), Some(info)) => assert_eq!(info.version.as_str(), version, "{policy:?} {era}"),
            (Ok(_), None) => panic!("{policy:?} {era}: {status:?}"),
            (Err(words), _) => {
                let failure = status.failure().unwrap().to_string();
                assert!(failure.contains(words), "{policy:?} {era}: {failure}");
            }
        }
        session.shutdown().await;
    }
}

async fn mcp_neg_13_a_missing_capability_is_told_and_nothing_falls_back(binding: Binding) {
    let place = Place::new(binding, json!({ "era": "modern" })).await;
    let (session, _) = place.server().await;
    let error = session.call_tool("fake__needs", Value::Null, CallOptions::new()).await.unwrap_err();
    assert_eq!(error, McpError::MissingClientCapability { required: vec!["sampling".to_owned()] });
    session.shutdown().await;
    assert_eq!((place.count("tools/call"), place.count("initialize")), (1, 0));
}

async fn mcp_neg_11_a_server_without_a_name_is_as_good(binding: Binding) {
    let place = Place::new(binding, json!({ "era": "modern" })).await;
    let (session, server) = place.server().await;
    assert_eq!(server.info().unwrap().implementation, None);
    ask_everything(&session).await;
    session.shutdown().await;
}

struct Nobody;

impl Elicitation for Nobody {
    fn modes(&self) -> ElicitationModes {
        ElicitationModes::new(true, true)
    }

    fn elicit(&self, _: ElicitRequest) -> futures_util::future::BoxFuture<'_, ElicitationAction> {
        Box::pin(async { ElicitationAction::Cancel })
    }
}

async fn mcp_neg_16_mcp_neg_20_capabilities_follow_from_handlers_and_can_be_read(binding: Binding) {
    for era in ["modern", "legacy"] {
        for is_rich in [false, true] {
            let place = Place::new(binding, json!({ "era": era })).await;
            let (builder, expected) = if is_rich {
                let extension = "com.example/x".parse().unwrap();
                let builder = place.builder().elicitation(Nobody).extension(
                    extension,
                    json!({ "a": 1 }),
                    OnMissing::Core,
                );
                let elicitation = json!({ "form": {}, "url": {} });
                (
                    builder,
                    json!({ "elicitation": elicitation, "extensions": { "com.example/x": { "a": 1 } } }),
                )
            } else {
                (place.builder(), json!({}))
            };
            let session = builder.connect_all(&[place.entry()]).await;
            session.tools().await;
            assert_eq!(serde_json::to_value(session.client_capabilities()).unwrap(), expected, "{era}");
            let messages = place.messages();
            let sent = |method: &str| messages.iter().find(|message| message["method"] == method).unwrap();
            let on_wire = if era == "modern" {
                &sent("tools/list")["params"]["_meta"][format!("{META}clientCapabilities")]
            } else {
                &sent("initialize")["params"]["capabilities"]
            };
            assert_eq!(*on_wire, expected, "{era}");
            session.shutdown().await;
        }
    }
}

async fn mcp_neg_17_mcp_neg_18_mcp_neg_19_mcp_neg_21_extensions_are_of_both_sides_or_of_none(
    binding: Binding,
) {
    assert!("mcp.example/x".parse::<ExtensionId>().is_ok() && "x".parse::<ExtensionId>().is_err());
    let [ours, other] = ["com.example/x", "com.example/y"].map(|id| id.parse::<ExtensionId>().unwrap());
    let extensions = json!({ "com.example/x": { "size": 7 }, "com.example/unknown": {} });
    for era in ["modern", "legacy"] {
        let config = json!({ "era": era, "capabilities": { "extensions": extensions } });
        for (on_missing, expected) in [
            (OnMissing::Core, Ok(vec![ours.clone()])),
            (OnMissing::Reject, Err(McpError::MissingExtension { extension: other.to_string() })),
        ] {
            let place = Place::new(binding, config.clone()).await;
            let builder = place.builder().extension(ours.clone(), json!({}), OnMissing::Reject);
            let session =
                builder.extension(other.clone(), json!({}), on_missing).connect_all(&[place.entry()]).await;
            let status = session.servers()[0].status();
            match (&expected, status.info()) {
                (Ok(expected), Some(info)) => {
                    assert_eq!(info.extensions, *expected, "{era}");
                    let settings: Option<Value> = info.extension_settings(&ours);
                    assert_eq!(settings, Some(json!({ "size": 7 })), "{era}");
                }
                (expected, _) => assert_eq!(status.failure(), expected.as_ref().err(), "{era}"),
            }
            session.shutdown().await;
        }
    }
}

async fn mcp_neg_35_mcp_neg_50_a_cancelled_call_is_cancelled_at_the_server(binding: Binding) {
    for era in ["modern", "legacy"] {
        let place = Place::new(binding, json!({ "era": era })).await;
        let (session, _) = place.server().await;
        let cancel = CancellationToken::new();
        let options = CallOptions::new().cancel(cancel.clone());
        let calling = session.clone();
        let call = tokio::spawn(async move { calling.call_tool("fake__hang", Value::Null, options).await });
        let hangs = |message: &&Value| message["method"] == "tools/call";
        place.until(|messages| messages.iter().any(|message| hangs(&message))).await;
        cancel.cancel();
        assert_eq!(call.await.unwrap(), Err(McpError::Cancelled), "{era}");
        let messages = place.messages();
        let id = messages.iter().find(hangs).unwrap()["id"].clone();
        // By the end of its stream, or by a notification where it has no stream.
        let is_cancelled = |message: &Value| match message["method"].as_str() {
            Some("(closed)") => message["id"] == id,
            Some("notifications/cancelled") => message["params"]["requestId"] == id,
            _ => false,
        };
        place.until(|messages| messages.iter().any(is_cancelled)).await;
        if (binding, era) == (Binding::Http, "modern") {
            assert_eq!(place.count("notifications/cancelled"), 0, "the stream says it");
        }
        session.shutdown().await;
    }
}

async fn mcp_neg_38_a_modern_server_gets_no_answers(binding: Binding) {
    let place = Place::new(binding, json!({ "era": "modern", "rude": true })).await;
    let (session, server) = place.server().await;
    // Its question comes before its report.
    let (tell, mut heard) = tokio::sync::mpsc::unbounded_channel();
    let _guard = server.on_resource_updated("x:1", move |_| tell.send(()).unwrap_or_default()).await.unwrap();
    session.call_tool("fake__touch", json!({ "uri": "x:1" }), CallOptions::new()).await.unwrap();
    heard.recv().await.unwrap();
    session.call_tool("fake__echo", Value::Null, CallOptions::new()).await.unwrap();
    session.shutdown().await;
    assert!(!place.log().contains(&"(answer)".to_owned()), "{:?}", place.messages());
}

async fn mcp_neg_40_mcp_neg_41_headers_say_what_the_body_says(binding: Binding) {
    let place = Place::new(binding, json!({ "era": "modern" })).await;
    let Some(site) = place.site() else { return };
    let (session, server) = place.server().await;
    ask_everything(&session).await;
    server.get_prompt(prompt("für")).await.unwrap();
    for (method, name) in [
        ("tools/call", Some("echo")),
        ("resources/read", Some("x:1")),
        // A value that a header cannot hold is encoded.
        ("prompts/get", Some("=?base64?ZsO8cg==?=")),
        ("tools/list", None),
        ("prompts/list", None),
        ("subscriptions/listen", None),
        ("server/discover", None),
    ] {
        let headers = site.headers(method);
        let header = |name: &str| headers.get(name).map(|value| value.to_str().unwrap());
        assert_eq!(header("mcp-protocol-version"), Some("2026-07-28"), "{method}");
        assert_eq!(header("mcp-method"), Some(method), "{method}");
        assert_eq!(header("mcp-name"), name, "{method}");
        assert_eq!(header("mcp-session-id"), None, "{method}: mcp-neg-48");
    }
    session.shutdown().await;
}

async fn mcp_neg_42_arguments_are_mirrored_in_headers(binding: Binding) {
    let place = Place::new(binding, json!({ "era": "modern" })).await;
    let (session, server) = place.server().await;
    let names: Vec<_> = server.tools().into_iter().map(|tool| tool.name).collect();
    assert!(names.contains(&"fake__header".to_owned()), "{names:?}");
    // On the other transport there are no headers, so nothing is wrong.
    assert_eq!(names.contains(&"fake__bad-header".to_owned()), binding == Binding::Stdio, "{names:?}");
    let arguments = json!({ "region": "eu-west" });
    let outcome = session.call_tool("fake__header", &arguments, CallOptions::new()).await.unwrap();
    assert_eq!(outcome.text(), arguments.to_string());
    if let Some(site) = place.site() {
        assert_eq!(site.headers("tools/call")["mcp-param-region"], "eu-west");
    }
    session.shutdown().await;
}

async fn d15_mcp_neg_07_mcp_neg_42_a_call_is_tried_once_more(binding: Binding) {
    for (tool, between) in [("mismatch", "tools/list"), ("moved", "server/discover")] {
        let place = Place::new(binding, json!({ "era": "modern", "capabilities": { "tools": {} } })).await;
        let (session, _) = place.server().await;
        let name = format!("fake__{tool}");
        let outcome = session.call_tool(&name, json!({}), CallOptions::new()).await;
        // A new process has the fault again: each version is tried once.
        match (binding, tool) {
            (Binding::Stdio, "moved") => {
                assert!(matches!(outcome, Err(McpError::NoCommonVersion { .. })), "{outcome:?}")
            }
            _ => assert_eq!(outcome.unwrap().text(), "{}", "{tool}"),
        }
        session.shutdown().await;
        let log = place.log();
        let calls: Vec<_> = (0..log.len()).filter(|at| log[*at] == "tools/call").collect();
        assert_eq!(calls.len(), 2, "{tool}: {log:?}");
        assert!(log[calls[0]..calls[1]].contains(&between.to_owned()), "{tool}: {log:?}");
    }
}

#[derive(Clone, Default)]
struct Store(Arc<Mutex<Vec<(ServerKey, Era)>>>);

impl EraStore for Store {
    fn load(&self, server: ServerKey) -> Option<Era> {
        let known = self.0.lock().unwrap();
        known.iter().rev().find(|(key, _)| *key == server).map(|(_, era)| *era)
    }

    fn save(&self, server: ServerKey, era: Era) {
        self.0.lock().unwrap().push((server, era));
    }
}

async fn d12_mcp_neg_55_mcp_neg_56_eras_outlive_the_process_in_a_store(binding: Binding) {
    for (era, known, openings) in [
        ("legacy", Era::Legacy, "initialize"),
        ("modern", Era::Modern, "server/discover"),
        // An outdated era costs one exchange.
        ("legacy", Era::Modern, "server/discover initialize"),
        ("modern", Era::Legacy, "initialize server/discover"),
    ] {
        let place = Place::new(binding, json!({ "era": era })).await;
        let store = Store::default();
        // The key of the server, as the first process learned it.
        let first = place.builder().era_cache(EraCache::with_store(store.clone()));
        first.connect_all(&[place.entry()]).await.shutdown().await;
        let key = store.0.lock().unwrap()[0].0;
        store.save(key, known);
        let before = place.log().len();
        let session = place
            .builder()
            .era_cache(EraCache::with_store(store.clone()))
            .connect_all(&[place.entry()])
            .await;
        let is = session.servers()[0].info().unwrap().era;
        assert_eq!(is.to_string(), era);
        let log = place.log();
        let opened: Vec<_> = log[before..]
            .iter()
            .filter(|method| ["initialize", "server/discover"].contains(&method.as_str()))
            .cloned()
            .collect();
        assert_eq!(opened.join(" "), openings, "{era}, known as {known}");
        assert_eq!(store.load(key), Some(is), "{era}, known as {known}");
        session.shutdown().await;
    }
}

async fn mcp_neg_62_a_request_has_its_time_whatever_its_progress(binding: Binding) {
    for era in ["modern", "legacy"] {
        let mut place = Place::new(binding, json!({ "era": era })).await;
        place.timeouts = place.timeouts.clone().request_max(Duration::from_millis(400));
        let (session, _) = place.server().await;
        for tool in ["fake__hang", "fake__busy"] {
            let options = CallOptions::new().timeout(Duration::from_millis(200));
            let error = session.call_tool(tool, Value::Null, options).await.unwrap_err();
            assert!(
                matches!(error, McpError::Timeout { waiting_for: "tools/call", .. }),
                "{era} {tool}: {error}"
            );
        }
        session.shutdown().await;
    }
}
