//! The MCP servers of sessions: what a client sees of an agent that has the library connect them.

#![allow(clippy::print_stderr)]

mod calls;
mod elicit;
mod ending;
mod failing;
#[cfg(feature = "mcp-oauth")]
mod oauth;
#[cfg(feature = "unstable")]
mod over_acp;
mod reopening;
pub(crate) mod server;

use std::path::Path;
use std::time::Duration;

use acp_agent::mcp::{Options, State, Timeouts};
use acp_agent::{
    Agent, Mcp, NewSession, Opened, Result, Router, StopReason, Turn, Value as AnyValue, agent, op,
};
use serde_json::{Value, json};

use crate::mcp::server::entry;
use crate::support::Wire;

/// Does what the prompt says: `tools`, `servers`, or `call NAME ARGUMENTS`.
async fn obey(turn: &Turn, mcp: &Mcp) -> Result<StopReason> {
    let text = turn.text();
    let mut words = text.splitn(3, ' ');
    match words.next() {
        Some("tools") => {
            let names: Vec<_> = mcp.tools().await.into_iter().map(|tool| tool.name).collect();
            turn.say(names.join(" ")).await?;
        }
        Some("servers") => {
            mcp.connected().await;
            for server in mcp.servers() {
                let state = match server.state {
                    State::Connected { version, .. } => format!("connected {version}"),
                    State::Failed { reason, .. } => format!("failed: {reason}"),
                    other => format!("{other:?}"),
                };
                turn.say(format!("{} {state}", server.name)).await?;
            }
        }
        _ => {
            let name = words.next().unwrap_or_default();
            let arguments: AnyValue =
                acp_json::from_str(words.next().unwrap_or("{}")).map_err(acp_agent::Error::other)?;
            let outcome = mcp.call_tool(turn, name, arguments).await?;
            turn.say(format!("{} {}", outcome.is_error, outcome.text())).await?;
        }
    }
    Ok(StopReason::EndTurn)
}

/// Nothing here is slow, but the machine may be.
pub(crate) fn options() -> Options {
    let minute = Duration::from_secs(60);
    // Servers here never say that they are done with a page before they are called again.
    let timeouts = Timeouts::default().probe(minute).consent(Duration::from_millis(1));
    Options::new().patience(minute).timeouts(timeouts)
}

struct Obedient;

#[agent(mcp = options())]
impl Obedient {
    async fn prompt(&self, turn: Turn, mcp: Mcp) -> Result<StopReason> {
        obey(&turn, &mcp).await
    }

    async fn close_session(&self) -> Result<()> {
        Ok(())
    }

    async fn load_session(&self) -> Result<()> {
        Ok(())
    }
}

async fn prompt(_: &(), turn: Turn, mcp: Mcp) -> Result<StopReason> {
    obey(&turn, &mcp).await
}

async fn close(_: &()) -> Result<()> {
    Ok(())
}

/// Builds the agent of `Obedient` without the macro.
pub(crate) fn router(options: Options) -> Router<()> {
    Router::new("obedient", "1", ()).mcp(options).on::<op::Prompt, _>(prompt).on::<op::CloseSession, _>(close)
}

/// Opens a session with these servers.
pub(crate) async fn session(wire: &mut Wire, cwd: &Path, servers: Value) -> String {
    let answer = wire.call("session/new", json!({"cwd": cwd, "mcpServers": servers})).await;
    answer["result"]["sessionId"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

/// Connects to the agent, and opens a session with this server.
async fn one(agent: impl Agent, capabilities: Value) -> (Wire, String) {
    let mut wire = Wire::connect(agent, capabilities).await;
    let session = session(&mut wire, Path::new("/"), json!([entry("one", "plain", None)])).await;
    (wire, session)
}

/// Returns the text that the agent says in a turn, without the tool calls.
pub(crate) async fn said(wire: &mut Wire, session: &str, text: &str) -> String {
    let (updates, answer) = wire.turn(session, text).await;
    assert_eq!(answer["result"]["stopReason"], "end_turn", "{answer}");
    let texts = updates.iter().filter(|update| update["sessionUpdate"] == "agent_message_chunk");
    texts.map(|update| update["content"]["text"].as_str().unwrap()).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn what_is_compiled_in_is_advertised() {
    let mut wire = Wire::serve(Obedient);
    let answer = wire.initialize(json!({})).await;
    let offered = &answer["agentCapabilities"]["mcpCapabilities"];
    let compiled = [cfg!(feature = "mcp-http"), cfg!(feature = "mcp-sse")];
    for (transport, compiled) in ["http", "sse"].into_iter().zip(compiled) {
        assert_eq!(offered[transport].as_bool().unwrap_or_default(), compiled, "{transport}: {answer}");
    }
    assert_eq!(
        offered.get("acp").is_some_and(|acp| *acp != json!(false)),
        cfg!(feature = "unstable"),
        "{answer}"
    );
}

#[tokio::test]
async fn the_tools_of_all_servers_have_names_of_their_own() {
    for router in [None, Some(router(options()))] {
        let mut wire = match router {
            None => Wire::connect(Obedient, json!({})).await,
            Some(router) => Wire::connect(router, json!({})).await,
        };
        let servers = json!([entry("one", "plain", None), entry("two", "plain", None)]);
        let session = session(&mut wire, Path::new("/"), servers).await;
        let tools = said(&mut wire, &session, "tools").await;
        let tools: Vec<_> = tools.split(' ').collect();
        assert_eq!(tools.len(), 22, "{tools:?}");
        assert!(tools[..11].iter().all(|tool| tool.starts_with("one__")), "{tools:?}");
        assert!(tools[11..].iter().all(|tool| tool.starts_with("two__")), "{tools:?}");
        let servers = said(&mut wire, &session, "servers").await;
        assert_eq!(servers, "one connected 2025-11-25\ntwo connected 2025-11-25");
    }
}

/// Rule `acp-mcp-07`.
#[tokio::test]
async fn servers_run_in_the_directory_of_the_session() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let mut wire = Wire::connect(Obedient, json!({})).await;
    let session = session(&mut wire, &folder, json!([entry("one", "plain", None)])).await;
    assert_eq!(said(&mut wire, &session, "call one__where").await, format!("false {}", folder.display()));
}

#[tokio::test]
async fn a_handler_that_opens_a_session_has_its_servers() {
    async fn new_session(_: &(), open: NewSession, mcp: Mcp) -> Result<Opened<usize>> {
        assert_eq!(open.mcp_servers().len(), 1);
        Ok(Opened::new(mcp.tools().await.len()))
    }

    async fn prompt(_: &(), turn: Turn, session: acp_agent::Session<usize>) -> Result<StopReason> {
        turn.say(session.to_string()).await?;
        Ok(StopReason::EndTurn)
    }

    let agent =
        Router::with_sessions("counting", "1", (), new_session).mcp(options()).on::<op::Prompt, _>(prompt);
    let (mut wire, session) = one(agent, json!({})).await;
    assert_eq!(said(&mut wire, &session, "how many?").await, "11");
}

#[tokio::test]
async fn without_the_attribute_there_is_none() {
    let agent = Router::new("forgetful", "1", ()).on::<op::Prompt, _>(prompt);
    let (mut wire, session) = Wire::open(agent, json!({})).await;
    let (_, answer) = wire.turn(&session, "tools").await;
    crate::support::check_error(&answer, -32603, &["#[agent(mcp)]", "Router::mcp"]);
}
