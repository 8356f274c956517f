//! Bounds on hostile servers, and on lists of too many servers.

use std::sync::atomic::Ordering;

use acp_mcp::{CallOptions, McpError, ServerStatus, ToolsStatus};
use acp_types::v1::McpServer;
use serde_json::{Value, json};

use super::place::{Binding, Place};

super::cases! {
    of_a_thousand_servers_so_many_are_connected_and_so_many_at_once
    a_list_of_tools_without_end_is_not_taken_in
    long_texts_are_cut
    an_answer_that_is_too_long_harms_nobody_but_its_call
}

async fn of_a_thousand_servers_so_many_are_connected_and_so_many_at_once(binding: Binding) {
    let place = Place::new(binding, json!({ "era": "modern", "capabilities": {} })).await;
    let servers: Vec<McpServer> = vec![place.entry(); 1000];
    // Processes are expensive.
    let most = if binding == Binding::Stdio { 12 } else { 256 };
    let session = place.builder().at_once(4).most_servers(most).connect_all(&servers).await;
    let statuses: Vec<_> = session.servers().iter().map(acp_mcp::Server::status).collect();
    let (connected, refused) = statuses.split_at(most);
    assert!(connected.iter().all(|status| matches!(status, ServerStatus::Connected(_))), "{connected:?}");
    for status in refused {
        let failure = status.failure().unwrap();
        assert_eq!(*failure, McpError::TooMany { what: "MCP servers", most });
    }
    assert_eq!(place.count("server/discover"), most);
    if let Some(site) = place.site() {
        let at_once = site.most_opening.load(Ordering::SeqCst);
        assert!((1..=4).contains(&at_once), "{at_once}");
    }
    session.shutdown().await;
}

async fn a_list_of_tools_without_end_is_not_taken_in(binding: Binding) {
    for (pages, expected) in [
        ([200, 1], None),
        ([201, 1], Some("it has more than 200 pages")),
        ([3, 5000], Some("it has more than 10000 entries")),
    ] {
        let capabilities = json!({ "tools": {} });
        let place =
            Place::new(binding, json!({ "era": "legacy", "pages": pages, "capabilities": capabilities }))
                .await;
        let session = place.connect().await;
        let tools = session.tools().await.len();
        match (session.servers()[0].tools_status(), expected) {
            (ToolsStatus::Listed(listed), None) => assert_eq!(listed, tools),
            (ToolsStatus::Failed(McpError::InvalidResult { problem, .. }), Some(expected)) => {
                assert_eq!((problem, tools), (expected, 0));
            }
            (status, _) => panic!("{pages:?}: {status:?}"),
        }
        session.shutdown().await;
    }
}

async fn long_texts_are_cut(binding: Binding) {
    for era in ["modern", "legacy"] {
        let config = json!({ "era": era, "instructions": 1_000_000, "description": 100_000 });
        let place = Place::new(binding, config).await;
        let (session, server) = place.server().await;
        let instructions = server.info().unwrap().instructions.clone().unwrap();
        assert_eq!((instructions.len(), instructions.chars().last()), (64 * 1024 + 3, Some('…')), "{era}");
        let tool = session.tool("fake__echo").unwrap();
        assert_eq!((tool.description().len(), tool.description().chars().last()), (16 * 1024 + 3, Some('…')));
        session.shutdown().await;
    }
}

async fn an_answer_that_is_too_long_harms_nobody_but_its_call(binding: Binding) {
    for era in ["modern", "legacy"] {
        let place = Place::new(binding, json!({ "era": era })).await;
        let (session, _) = place.server().await;
        let error = session.call_tool("fake__huge", Value::Null, CallOptions::new()).await.unwrap_err();
        assert!(error.to_string().contains("longer than 16777216 bytes"), "{era}: {error}");
        let outcome = session.call_tool("fake__echo", json!({ "a": 1 }), CallOptions::new()).await.unwrap();
        assert_eq!(outcome.text(), r#"{"a":1}"#, "{era}");
        session.shutdown().await;
    }
}
