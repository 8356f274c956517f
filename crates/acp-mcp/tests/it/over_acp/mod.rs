//! MCP-over-ACP, rules `acp-mcp-20` to `-26`: a session and a provider against each other, and each
//! against faults of the other side. A function call stands in for the ACP connection.

mod flood;
mod holding;
mod options;
mod scene;

use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use acp_mcp::{
    AcpCallError, AcpLink, Answering, CallOptions, CancellationToken, Event, McpError, McpProvider,
    ProvideError, ProvideRequests, VersionPolicy,
};
use acp_types::v1::{McpServer, McpServerAcp, MessageMcpNotification, MessageMcpRequest, MessageMcpResponse};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use self::holding::{Holding, holding};
use self::scene::{LONG, Scripted, answer, builder, connect, connection, discovered, listed, status};
use crate::support::real::Real;

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

#[tokio::test]
async fn acp_mcp_20_and_23_each_request_is_one_of_acp_and_carries_what_mcp_wants() {
    let provider = McpProvider::new();
    let server = provider.add("far", Real::new("dual"));
    let (link, connection) = connection(&provider);
    let session = connect(link, server.clone()).await;
    assert_eq!(status(&session), "modern 2026-07-28");
    let outcome = session.call_tool("far__echo", json!({ "a": 1 }), CallOptions::new()).await.unwrap();
    assert_eq!(outcome.text(), r#"{"a":1}"#);
    assert!(session.call_tool("far__fail", (), CallOptions::new()).await.unwrap().is_error);

    let log = connection.log.lock().unwrap().clone();
    assert_eq!(log[0]["method"], "server/discover");
    let mut ids: Vec<_> = log.iter().map(|request| request["requestId"].as_str().unwrap()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), log.len(), "{log:?}");
    for request in &log {
        assert_ne!(request["method"], "initialize");
        assert_eq!(request["serverId"], server.server_id.as_str(), "{request}");
        assert_eq!(request["params"]["_meta"][VERSION], "2026-07-28", "{request}");
        assert!(request["params"]["_meta"][CAPABILITIES].is_object(), "{request}");
    }
    session.shutdown().await;
}

#[tokio::test]
async fn acp_mcp_22_progress_arrives_while_the_request_is_under_way() {
    let provider = McpProvider::new();
    let server = provider.add("far", Real::new("modern"));
    let (link, connection) = connection(&provider);
    let session = connect(link.clone(), server.clone()).await;
    let (tell, mut told) = mpsc::unbounded_channel();
    let options = CallOptions::new().on_progress(move |progress| tell.send(progress.progress).unwrap());
    assert_eq!(session.call_tool("far__count", (), options).await.unwrap().text(), "3");
    for expected in [1.0, 2.0, 3.0] {
        assert_eq!(told.recv().await, Some(expected));
    } // Notifications after the answer, or for another request, are dropped and break nothing.
    let last = connection.log.lock().unwrap().last().unwrap()["requestId"].clone();
    for (server, id) in [(server.server_id.as_str(), last.as_str().unwrap()), ("other", "1"), ("", "")] {
        link.notified(MessageMcpNotification::new(server, id, "notifications/progress")).await;
    }
    assert_eq!(session.call_tool("far__echo", (), CallOptions::new()).await.unwrap().text(), "{}");
    session.shutdown().await;
}

#[tokio::test]
async fn acp_mcp_22_a_listener_is_told_under_the_name_that_it_has_here() {
    let link: Arc<OnceLock<AcpLink>> = Arc::default();
    let (here, calls) = (Arc::clone(&link), Mutex::new(0));
    let caller = Scripted(move |request: MessageMcpRequest| -> Answering {
        let link = here.get().unwrap().clone();
        if request.method == "subscriptions/listen" {
            let changed = json!({ "notifications": { "toolsListChanged": true } });
            return Box::pin(async move {
                for (method, mut params) in [
                    ("notifications/subscriptions/acknowledged", changed),
                    ("notifications/tools/list_changed", json!({})),
                ] {
                    let id = request.request_id.as_str();
                    params["_meta"] = json!({ "io.modelcontextprotocol/subscriptionId": id });
                    let told = json!({
                        "serverId": request.server_id.as_str(), "requestId": id,
                        "method": method, "params": params,
                    });
                    link.notified(acp_json::from_str(&told.to_string()).unwrap()).await;
                }
                std::future::pending().await
            });
        }
        let result = if request.method == "server/discover" {
            answer(&json!({ "result": {
                "resultType": "complete", "supportedVersions": ["2026-07-28"],
                "capabilities": { "tools": { "listChanged": true } }, "ttlMs": 0, "cacheScope": "private",
            } }))
        } else {
            let mut calls = calls.lock().unwrap();
            *calls += 1;
            listed(if *calls == 1 { &["old"] } else { &["new"] })
        };
        Box::pin(async { Ok(result) })
    });
    assert!(link.set(AcpLink::new(caller)).is_ok());
    let session = connect(link.get().unwrap().clone(), McpServerAcp::new("far", "x")).await;
    let mut events = session.events();
    let names = || -> Vec<_> { session.current_tools().into_iter().map(|tool| tool.name).collect() };
    while names() != ["far__new"] {
        tokio::time::timeout(LONG, events.next()).await.expect("the list is asked for anew").unwrap();
    }
    session.shutdown().await;
}

/// Time stands still while any task can run.
#[tokio::test(start_paused = true)]
async fn acp_mcp_24_who_does_not_wait_any_more_cancels_the_call_on_the_other_side() {
    let (provider, server, mut told) = holding();
    let (link, _connection) = connection(&provider);
    let session = connect(link, server).await;
    session.tools().await;
    for how in ["token", "timeout", "drop", "end of the session"] {
        let cancel = CancellationToken::new();
        let options = CallOptions::new().cancel(cancel.clone());
        let options = if how == "timeout" { options.timeout(Duration::from_millis(1)) } else { options };
        let mut call = Box::pin(session.call_tool("far__hold", (), options));
        let mut answer = None;
        // The server has begun, or the answer is that it took too long.
        let mut seen = Vec::new();
        while seen != ["began"] {
            tokio::select! {
                result = &mut call, if answer.is_none() => answer = Some(result),
                said = told.recv() => seen.push(said.unwrap()),
                () = tokio::time::sleep(LONG) => panic!("{how}: nothing happens"),
            }
        }
        match how {
            "token" => {
                cancel.cancel();
                assert_eq!(call.await.err(), Some(McpError::Cancelled));
            }
            "timeout" => {
                let answer = match answer {
                    Some(answer) => answer,
                    None => call.await,
                };
                assert!(matches!(answer, Err(McpError::Timeout { .. })), "{answer:?}");
            }
            "drop" => drop(call),
            _ => {
                session.shutdown().await;
                drop(call);
            }
        }
        let said = tokio::time::timeout(LONG, told.recv()).await.expect(how);
        assert_eq!(said, Some("cancelled"), "{how}");
    }
}

#[tokio::test]
async fn acp_mcp_21_and_25_answers_of_every_kind() {
    let refused = |code| Err(AcpCallError::Refused { code, message: "no".to_owned() });
    let complete = json!({ "resultType": "complete", "content": [{ "type": "text", "text": "fine" }] });
    for (case, call, expected) in [
        ("a result", Ok(answer(&json!({ "result": complete }))), "fine"),
        ("both", Ok(answer(&json!({ "result": complete, "error": { "code": 1, "message": "x" } }))), "fine"),
        ("more members", Ok(answer(&json!({ "result": complete, "more": 1 }))), "fine"),
        ("null", Ok(answer(&json!({ "result": null }))), "the server's answer to `tools/call` is not valid"),
        (
            "an error",
            Ok(answer(&json!({ "error": { "code": -33001, "message": "x", "data": [1], "more": 1 } }))),
            "the server answered `tools/call` with error -33001: x",
        ),
        (
            "a limit of ACP",
            refused(-33000),
            "`tools/call` did not get through: `mcp/message` was refused: no (code -33000 of ACP)",
        ),
        (
            "failed",
            refused(-33002),
            "`tools/call` did not get through: `mcp/message` was refused: no (code -33002 of ACP)",
        ),
    ] {
        let caller = Scripted(move |request: MessageMcpRequest| -> Answering {
            let answer = match &*request.method {
                "server/discover" => Ok(discovered()),
                "tools/list" => Ok(listed(&["t"])),
                _ => call.clone(),
            };
            Box::pin(async { answer })
        });
        let session = connect(AcpLink::new(caller), McpServerAcp::new("far", "x")).await;
        let said = match session.call_tool("far__t", (), CallOptions::new()).await {
            Ok(outcome) => outcome.text(),
            Err(error) => error.to_string(),
        };
        assert!(said.starts_with(expected), "{case}: {said}");
        session.shutdown().await;
    }
}

#[tokio::test]
async fn a_server_that_the_client_provides_no_longer_is_not_asked_again() {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&asked);
    let caller = Scripted(move |request: MessageMcpRequest| -> Answering {
        seen.lock().unwrap().push(request.method.to_string());
        let answer = match &*request.method {
            "server/discover" => Ok(discovered()),
            "tools/list" => Ok(listed(&["t"])),
            _ => Err(AcpCallError::Refused { code: -33001, message: "gone".to_owned() }),
        };
        Box::pin(async { answer })
    });
    let session = connect(AcpLink::new(caller), McpServerAcp::new("far", "x")).await;
    let mut events = session.events();
    let error = session.call_tool("far__t", (), CallOptions::new()).await.unwrap_err();
    assert!(matches!(&error, McpError::NotProvided { problem } if problem.contains("gone")), "{error:?}");
    let failed = async {
        loop {
            match events.next().await {
                Some(Event::Failed { error, .. }) => return error,
                Some(Event::Restarting { .. }) | None => panic!("it was asked again, or nothing was said"),
                Some(_) => {}
            }
        }
    };
    let error = tokio::time::timeout(LONG, failed).await.unwrap();
    assert!(matches!(error, McpError::NotProvided { .. }), "{error:?}");
    session.shutdown().await;
    assert_eq!(*asked.lock().unwrap(), ["server/discover", "tools/list", "tools/call"]);
}

#[tokio::test]
async fn servers_that_cannot_be_connected_say_why() {
    let fails = |code: Option<i32>| {
        AcpLink::new(Scripted(move |_| -> Answering {
            let error = match code {
                Some(code) => AcpCallError::Refused { code, message: "no".to_owned() },
                None => AcpCallError::Closed { problem: "the connection is over".to_owned() },
            };
            Box::pin(async { Err(error) })
        }))
    };
    let error = AcpLink::new(Scripted(|_| -> Answering {
        let error = answer(&json!({ "error": { "code": -32601, "message": "method not found" } }));
        Box::pin(async { Ok(error) })
    }));
    let server = || McpServer::from(McpServerAcp::new("far", "x"));
    for (case, builder, expected) in [
        ("no link", builder(), "MCP servers of type `acp` are not supported"),
        ("gone", builder().over_acp(fails(Some(-33001))), "does not provide the server"),
        ("limit", builder().over_acp(fails(Some(-33000))), "no (code -33000 of ACP)"),
        ("over", builder().over_acp(fails(None)), "the connection is over"),
        ("legacy server", builder().over_acp(error), "versions of MCP that begin with `initialize`"),
        (
            "legacy policy",
            builder().over_acp(fails(None)).versions(VersionPolicy::LegacyOnly),
            "no version of MCP in common",
        ),
    ] {
        let session = builder.connect_all(&[server()]).await;
        let status = status(&session);
        assert!(status.starts_with("failed: ") && status.contains(expected), "{case}: {status}");
        session.shutdown().await;
    }
}

fn asks(server: &str, id: &str, method: &str, params: Value) -> MessageMcpRequest {
    let request = json!({ "serverId": server, "requestId": id, "method": method, "params": params });
    acp_json::from_str(&request.to_string()).unwrap()
}

fn params(version: &str, more: Value) -> Value {
    let mut params = more;
    params["_meta"] = json!({ VERSION: version, CAPABILITIES: {} });
    params
}

async fn provided(
    requests: &ProvideRequests,
    request: MessageMcpRequest,
) -> Result<MessageMcpResponse, ProvideError> {
    requests.message(request, |_| std::future::ready(())).await
}

#[tokio::test]
async fn acp_mcp_23_what_is_not_carried_is_an_error_of_mcp() {
    let (provider, server, _told) = holding();
    let requests = provider.requests();
    for (method, params, code) in [
        ("initialize", json!({ "protocolVersion": "2025-11-25" }), -32022),
        ("tools/list", params("2025-11-25", json!({})), -32022),
        ("tools/list", json!({}), -32602),
        ("tools/list", json!({ "_meta": { VERSION: "2026-07-28" } }), -32602),
        ("no/such", params("2026-07-28", json!({})), -32601),
    ] {
        let request = asks(server.server_id.as_str(), "1", method, params);
        let answer = serde_json::to_value(provided(&requests, request).await.unwrap()).unwrap();
        assert_eq!(answer["error"]["code"], code, "{method}: {answer}");
        if code == -32022 {
            assert_eq!(answer["error"]["data"]["supported"], json!(["2026-07-28"]));
        }
    }
    // The other versions of the server are not used here.
    let request = asks(server.server_id.as_str(), "1", "server/discover", params("2026-07-28", json!({})));
    let answer = serde_json::to_value(provided(&requests, request).await.unwrap()).unwrap();
    assert_eq!(answer["result"]["supportedVersions"], json!(["2026-07-28"]));
    let call = params("2026-07-28", json!({ "name": "reverse", "arguments": {} }));
    let request = asks(server.server_id.as_str(), "1", "tools/call", call);
    let answer = serde_json::to_value(provided(&requests, request).await.unwrap()).unwrap();
    assert_eq!(answer["result"]["content"][0]["text"], "true", "a request of the server fails: {answer}");
}

#[tokio::test]
async fn acp_mcp_25_and_26_what_a_provider_refuses() {
    let (tell, mut told) = mpsc::unbounded_channel();
    let provider = McpProvider::new().most_requests(2);
    let (one, two) = (provider.add("same", Holding(tell.clone())), provider.add("same", Holding(tell)));
    assert_ne!(one.server_id, two.server_id);
    let (requests, other) = (provider.requests(), provider.requests());
    let hold = |server: &McpServerAcp, id: &str| {
        let call = params("2026-07-28", json!({ "name": "hold", "arguments": {} }));
        asks(server.server_id.as_str(), id, "tools/call", call)
    };
    assert_eq!(
        provided(&requests, asks("none", "1", "x", json!({}))).await,
        Err(ProvideError::UnknownServer)
    );

    let mut first = Box::pin(provided(&requests, hold(&one, "1")));
    tokio::select! {
        answer = &mut first => panic!("{answer:?}"),
        said = told.recv() => assert_eq!(said, Some("began")),
    }
    assert_eq!(provided(&requests, hold(&one, "1")).await, Err(ProvideError::Duplicate));
    // One id to another server, or over another connection, is another request.
    let mut second = Box::pin(provided(&requests, hold(&two, "1")));
    let mut third = Box::pin(provided(&other, hold(&one, "1")));
    for _ in 0..2 {
        tokio::select! {
            answer = &mut second => panic!("{answer:?}"),
            answer = &mut third => panic!("{answer:?}"),
            said = told.recv() => assert_eq!(said, Some("began")),
        }
    }
    assert_eq!(provided(&requests, hold(&two, "2")).await, Err(ProvideError::TooMany));

    // A removed server does not answer any more, and its id is not used again.
    assert!(provider.remove(&one.server_id) && !provider.remove(&one.server_id));
    assert_eq!(first.await, Err(ProvideError::UnknownServer));
    assert_eq!(third.await, Err(ProvideError::UnknownServer));
    assert_eq!(provided(&requests, hold(&one, "3")).await, Err(ProvideError::UnknownServer));
    let (tell, _told) = mpsc::unbounded_channel();
    assert_ne!(provider.add("same", Holding(tell)).server_id, one.server_id);
    let codes =
        [ProvideError::Duplicate, ProvideError::TooMany, ProvideError::UnknownServer, ProvideError::Failed];
    assert_eq!(codes.map(ProvideError::code), [-32602, -33000, -33001, -33002]);
}
