//! Verbs and answers of a client that have no form in one of the versions: what is sent, and what
//! is reported. Each loss is reported once in a session, or once in a connection. The test
//! connection checks each line against the schema of its version.

use std::pin::Pin;

use acp_client::v1::{
    Annotations, ContentBlock, McpServerSse, RequestPermissionOutcome, ResourceLink, SessionConfigValue,
    TextContent,
};
use acp_client::{Agent, Connect, Error, LocalFs, LocalTerminals, ProtocolVersion, Result, Session, client};
use acp_types::{Map, UnknownVariant, Value as Own};
use serde_json::{Value, json};

use super::{idle, state, text};
use crate::common::{Wire, chunk, open};

type Acting = Pin<Box<dyn Future<Output = Result<(), Error>>>>;

/// The outcome of a row in one version.
enum Made {
    /// A request of this method, with a value at a place of its params, and a part of the report.
    Sent(&'static str, &'static str, fn() -> Value, &'static str),
    /// Nothing is sent.
    Unsupported,
}

use Made::{Sent, Unsupported};

struct Row {
    name: &'static str,
    act: fn(Agent, Session) -> Acting,
    one: Made,
    two: Made,
}

const NOTHING: &str = "";

fn prompting(session: Session, block: impl Into<ContentBlock>) -> Acting {
    let block = block.into();
    Box::pin(async move { session.prompt(block).await?.finish().await.map(drop) })
}

fn annotated(annotations: Annotations) -> TextContent {
    let mut text = TextContent::new("hi");
    text.annotations = Some(Box::new(annotations));
    text
}

const ROWS: &[Row] = &[
    Row {
        name: "an audience of the client's own",
        act: |_, session| {
            let annotations = Annotations::new().audience(["_own".into(), "user".into()]);
            prompting(session, annotated(annotations))
        },
        one: Sent("session/prompt", "/prompt/0/annotations", || json!({"audience": ["user"]}), "an audience"),
        two: Sent(
            "session/prompt",
            "/prompt/0/annotations",
            || json!({"audience": ["_own", "user"]}),
            NOTHING,
        ),
    },
    Row {
        name: "a priority above 1",
        act: |_, session| prompting(session, annotated(Annotations::new().priority(5.0))),
        one: Sent("session/prompt", "/prompt/0/annotations", || json!({"priority": 5.0}), NOTHING),
        two: Sent("session/prompt", "/prompt/0/annotations", || json!({}), "a priority of content"),
    },
    Row {
        name: "a size below 0",
        act: |_, session| prompting(session, ResourceLink::new("a", "file:///a").size(-1)),
        one: Sent(
            "session/prompt",
            "/prompt/0",
            || json!({"type": "resource_link", "name": "a", "uri": "file:///a", "size": -1}),
            NOTHING,
        ),
        two: Sent(
            "session/prompt",
            "/prompt/0",
            || json!({"type": "resource_link", "name": "a", "uri": "file:///a"}),
            "a size of a link",
        ),
    },
    Row {
        name: "the cancel of a tool call",
        act: |_, session| Box::pin(async move { session.cancel_tool_call("c").await }),
        one: Unsupported,
        two: Sent("tool_call/cancel", "/toolCallId", || json!("c"), NOTHING),
    },
    Row {
        name: "the cancel of a terminal",
        act: |_, session| Box::pin(async move { session.cancel_terminal("t").await }),
        one: Unsupported,
        two: Sent("terminal/cancel", "/terminalId", || json!("t"), NOTHING),
    },
    Row {
        name: "an MCP server over SSE",
        act: |agent, _| {
            let server = McpServerSse::new("s", "https://s", []);
            Box::pin(async move { agent.new_session("/work").mcp_server(server).await.map(drop) })
        },
        one: Sent("session/new", "/mcpServers/0/type", || json!("sse"), NOTHING),
        two: Unsupported,
    },
    Row {
        name: "a mode",
        act: |_, session| Box::pin(async move { session.set_mode("code").await.map(drop) }),
        one: Sent("session/set_mode", "/modeId", || json!("code"), NOTHING),
        two: Sent("session/set_config_option", "/value", || json!("code"), NOTHING),
    },
    Row {
        name: "a value of a config option, of a kind of its own",
        act: |_, session| {
            let value = UnknownVariant::new("_turn", Map::from([("value", Own::from(7))]));
            let set =
                async move { session.set_config_option("dial", SessionConfigValue::Unknown(value)).await };
            Box::pin(async move { set.await.map(drop) })
        },
        one: Unsupported,
        two: Sent("session/set_config_option", "/type", || json!("_turn"), NOTHING),
    },
    Row {
        name: "the load of a session",
        act: |agent, _| Box::pin(async move { agent.load_session("s2", "/work").await.map(drop) }),
        one: Sent("session/load", "/sessionId", || json!("s2"), NOTHING),
        two: Sent("session/resume", "/replayFrom", || json!({"type": "start"}), NOTHING),
    },
    Row {
        name: "a login",
        act: |agent, _| Box::pin(async move { agent.authenticate("key").await }),
        one: Sent("authenticate", "/methodId", || json!("key"), NOTHING),
        two: Sent("auth/login", "/methodId", || json!("key"), NOTHING),
    },
];

/// Returns a connection in this version, with an agent that offers all that the rows need.
async fn connected(version: u64, set_up: impl FnOnce(Connect) -> Connect) -> (Agent, Wire) {
    let (transport, mut wire) = crate::common::pipe();
    let versions = [if version == 1 { ProtocolVersion::V1 } else { ProtocolVersion::V2 }];
    let connecting = set_up(acp_client::connect(transport).versions(versions));
    let answer = if version == 1 {
        let capabilities = json!({"loadSession": true, "mcpCapabilities": {"sse": true}});
        json!({"protocolVersion": 1, "agentCapabilities": capabilities, "authMethods": [{"id": "key", "name": "Key"}]})
    } else {
        let mut answer = super::initialized(json!({"session": {}}));
        answer["authMethods"] = json!([{"type": "agent", "methodId": "key", "name": "Key"}]);
        answer
    };
    let (agent, ()) = tokio::join!(connecting.into_future(), async {
        let request = wire.expect("initialize").await;
        wire.answer(&request, answer).await;
    });
    (agent.expect("connected"), wire)
}

/// Returns the options of the sessions, as the version has them.
fn options(version: u64) -> Value {
    let id = if version == 1 { "id" } else { "configId" };
    let values = json!([{"value": "ask", "name": "Ask"}, {"value": "code", "name": "Code"}]);
    let mut options = json!([{"name": "Dial", "type": "_dial", "currentValue": 5}]);
    options[0][id] = json!("dial");
    if version == 2 {
        let mode = json!({"configId": "mode", "name": "Mode", "category": "mode", "type": "select",
                          "currentValue": "ask", "options": values});
        options.as_array_mut().expect("a list").push(mode);
    }
    options
}

/// Answers a request of the client.
async fn answer(version: u64, wire: &mut Wire, request: &Value) {
    let result = match request["method"].as_str().expect("a request") {
        "session/new" => json!({"sessionId": "s9"}),
        "session/set_config_option" => json!({"configOptions": options(version)}),
        "session/prompt" if version == 2 => {
            wire.answer(request, json!({"messageId": "m"})).await;
            wire.update("s1", state("running")).await;
            return wire.update("s1", idle("end_turn")).await;
        }
        "session/prompt" => json!({"stopReason": "end_turn"}),
        _ => json!({}),
    };
    wire.answer(request, result).await;
}

/// Opens the session `s1`, with a tool call and a terminal that may be cancelled if the version has
/// that.
async fn with_session(version: u64, agent: &Agent, wire: &mut Wire) -> Session {
    let mut opened = json!({"sessionId": "s1", "configOptions": options(version)});
    if version == 1 {
        let modes = json!([{"id": "ask", "name": "Ask"}, {"id": "code", "name": "Code"}]);
        opened["modes"] = json!({"currentModeId": "ask", "availableModes": modes});
    }
    let session = open(agent, wire, opened).await;
    let mut updates = session.updates();
    let cancel = json!({"cancel": {}});
    if version == 1 {
        let call =
            json!({"sessionUpdate": "tool_call", "toolCallId": "c", "title": "Work", "capabilities": cancel});
        wire.update("s1", call).await;
        wire.update("s1", chunk("mark")).await;
    } else {
        let call = json!({"sessionUpdate": "tool_call_update", "toolCallId": "c", "title": "Work", "capabilities": cancel});
        wire.update("s1", call).await;
        wire.update(
            "s1",
            json!({"sessionUpdate": "terminal_update", "terminalId": "t", "capabilities": cancel}),
        )
        .await;
        wire.update("s1", text("m0", "mark")).await;
    }
    while updates.next().await.expect("an event").text() != Some("mark") {}
    session
}

/// Does what the row says, and returns the outcome and the request that was sent.
async fn act(
    row: &Row,
    version: u64,
    agent: &Agent,
    session: &Session,
    wire: &mut Wire,
) -> (Result<(), Error>, Option<Value>) {
    let acting = (row.act)(agent.clone(), session.clone());
    if let Unsupported = made(row, version) {
        return (acting.await, None);
    }
    let (done, request) = tokio::join!(acting, async {
        let request = wire.receive().await;
        answer(version, wire, &request).await;
        request
    });
    (done, Some(request))
}

fn made(row: &Row, version: u64) -> &Made {
    if version == 1 { &row.one } else { &row.two }
}

#[tokio::test]
async fn what_has_no_form_is_sent_in_another_way_and_reported_once_or_refused() {
    for row in ROWS {
        for version in [1, 2] {
            let (agent, mut wire) = connected(version, |connect| connect).await;
            let session = with_session(version, &agent, &mut wire).await;
            for _ in 0..2 {
                let (done, request) = act(row, version, &agent, &session, &mut wire).await;
                match made(row, version) {
                    Sent(method, place, value, _) => {
                        done.expect(row.name);
                        let request = request.expect("sent");
                        assert_eq!(request["method"], *method, "{} {version}", row.name);
                        assert_eq!(
                            request["params"].pointer(place),
                            Some(&value()),
                            "{} {version}: {request}",
                            row.name
                        );
                    }
                    Unsupported => {
                        let Err(Error::Unsupported { version: of, .. }) = done else {
                            panic!("{} {version}: {done:?}", row.name)
                        };
                        assert_eq!(u64::from(of.0), version);
                    }
                }
            }
            let faults = agent.faults();
            let report = match made(row, version) {
                Sent(.., report) if !report.is_empty() => Some(report),
                _ => None,
            };
            assert_eq!(faults.len(), report.iter().count(), "{} {version}: {faults:?}", row.name);
            assert!(
                faults.iter().all(|fault| fault.contains(report.expect("one")) && fault.contains("`s1`")),
                "{} {version}: {faults:?}",
                row.name
            );
            drop((agent, session));
            assert!(wire.next().await.is_none(), "{} {version}: more was sent", row.name);
        }
    }
}

/// A user whose answers are of a kind of the client's own.
struct Shrugs;

#[client]
impl Shrugs {
    async fn request_permission(&self) -> Result<RequestPermissionOutcome> {
        Ok(RequestPermissionOutcome::Unknown(UnknownVariant::new("_shrug", Map::default())))
    }
}

#[tokio::test]
async fn an_answer_of_the_clients_own_is_no_consent_in_version_1() {
    for (version, outcome, reported) in [(1, "cancelled", 1), (2, "_shrug", 0)] {
        let (agent, mut wire) = connected(version, |connect| connect.client(Shrugs)).await;
        let _session = with_session(version, &agent, &mut wire).await;
        let mut params =
            json!({"sessionId": "s1", "options": [{"optionId": "y", "name": "Yes", "kind": "allow_once"}]});
        let call = json!({"toolCallId": "c", "title": "Work"});
        if version == 1 {
            params["toolCall"] = call;
        } else {
            params["title"] = json!("May I?");
            params["subject"] = json!({"type": "tool_call", "toolCall": call});
        }
        for id in 0..2 {
            let answer = wire.call(json!(id), "session/request_permission", params.clone()).await;
            assert_eq!(answer["result"]["outcome"]["outcome"], outcome, "{answer}");
        }
        let faults = agent.faults();
        assert_eq!(faults.len(), reported, "{faults:?}");
        assert!(
            faults.iter().all(|fault| fault.contains("an answer to a question") && fault.contains("`s1`"))
        );
    }
}

#[tokio::test]
async fn files_and_terminals_that_the_agent_cannot_use_are_reported_in_version_2() {
    for (version, reports) in [(1, [].as_slice()), (2, &["files of the client", "terminals of the client"])] {
        let files = LocalFs::rooted("/").expect("a folder");
        let set_up = |connect: Connect| connect.fs(files).terminals(LocalTerminals::new());
        let (agent, _wire) = connected(version, set_up).await;
        let faults = agent.faults();
        assert_eq!(faults.len(), reports.len(), "{faults:?}");
        assert!(faults.iter().zip(reports).all(|(fault, report)| fault.contains(report)), "{faults:?}");
    }
}
