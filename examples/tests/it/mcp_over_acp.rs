//! An agent that calls the tools of MCP servers which its client provides over the ACP connection.

use std::sync::Arc;
use std::time::Duration;

use acp_agent::mcp::{Options, State, Timeouts};
use acp_agent::{Mcp, Transport, Turn, agent};
use acp_client::acp_mcp::rmcp::handler::server::ServerHandler;
use acp_client::acp_mcp::rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, JsonObject,
    ListToolsResult, PaginatedRequestParams, ProgressNotificationParam, ServerCapabilities, ServerConfig,
    Tool,
};
use acp_client::acp_mcp::rmcp::service::{RequestContext, RoleServer};
use acp_client::v1::{McpServerAcp, StopReason, ToolCallContent};
use acp_client::{Agent, Event, McpProvider, Session};
use tokio::sync::mpsc;
use tokio::time::timeout;

const LONG: Duration = Duration::from_secs(60);

struct Caller;

/// A guard against hanging, long enough for a slow machine.
fn options() -> Options {
    Options::new().patience(LONG).timeouts(Timeouts::default().probe(LONG))
}

#[agent(mcp = options())]
impl Caller {
    /// Calls the tool of this name, or reports the state of the servers.
    async fn prompt(&self, turn: Turn, mcp: Mcp) -> acp_agent::Result<acp_agent::StopReason> {
        let text = turn.text();
        if text == "servers" {
            mcp.connected().await;
            for server in mcp.servers() {
                let state = match server.state {
                    State::Connected { version, .. } => version,
                    other => format!("{other:?}"),
                };
                turn.say(format!("{} {state};", server.name)).await?;
            }
        } else {
            let arguments: acp_agent::Value = r#"{"a": 1}"#.parse().map_err(acp_agent::Error::other)?;
            turn.say(mcp.call_tool(&turn, &text, arguments).await?.text()).await?;
        }
        Ok(acp_agent::StopReason::EndTurn)
    }
}

/// The tools of the editor itself.
#[derive(Clone)]
struct Editor(mpsc::UnboundedSender<&'static str>);

impl ServerHandler for Editor {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema = Arc::new(JsonObject::new());
        let tools = ["echo", "search"].map(|name| Tool::new(name, "", Arc::clone(&schema)));
        Ok(ListToolsResult::with_all_items(tools.to_vec()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if request.name == "search" {
            let token = context.meta.get_progress_token().expect("the agent shows progress");
            let report = ProgressNotificationParam::new(token, 1.0).with_total(4.0).with_message("looking");
            let _ = context.peer.notify_progress(report).await;
            context.ct.cancelled().await;
            self.0.send("cancelled").unwrap();
        }
        let said = serde_json::to_string(&request.arguments).unwrap();
        Ok(CallToolResult::success(vec![ContentBlock::text(said)]).into())
    }
}

async fn connect(provider: &McpProvider) -> Agent {
    let (ours, theirs) = Transport::duplex();
    tokio::spawn(acp_agent::serve(Caller, ours));
    acp_client::connect(theirs).client(provider.clone()).await.unwrap()
}

async fn open(agent: &Agent, server: &McpServerAcp) -> Session {
    assert!(agent.capabilities().mcp_capabilities.acp);
    agent.new_session(std::env::temp_dir()).mcp_server(server.clone()).await.unwrap()
}

async fn said(session: &Session, prompt: &str) -> String {
    let mut turn = session.prompt(prompt).await.unwrap();
    let mut said = String::new();
    while let Some(event) = timeout(LONG, turn.next()).await.expect("the turn goes on") {
        said.extend(event.text());
    }
    match turn.finish().await {
        Ok(_) => said,
        Err(error) => error.to_string(),
    }
}

#[tokio::test]
async fn tools_of_the_client_are_called_over_the_connection() {
    let (tell, mut told) = mpsc::unbounded_channel();
    let provider = McpProvider::new();
    let server = provider.add("editor", Editor(tell));
    // Each connection has request ids of its own.
    let agents = [connect(&provider).await, connect(&provider).await];
    for agent in &agents {
        let session = open(agent, &server).await;
        assert_eq!(said(&session, "servers").await, "editor 2026-07-28;");
        assert_eq!(said(&session, "editor__echo").await, r#"{"a":1}"#);

        let mut turn = session.prompt("editor__search").await.unwrap();
        let shows_progress = |event: &Event| match event {
            Event::ToolCallUpdate(update) => {
                let mut content = update.content.iter().flatten();
                content.any(|content| match content {
                    ToolCallContent::Content(content) => {
                        content.content.as_text() == Some("looking (1 of 4)")
                    }
                    _ => false,
                })
            }
            _ => false,
        };
        loop {
            let event = timeout(LONG, turn.next()).await.expect("progress").expect("the turn goes on");
            if shows_progress(&event) {
                break;
            }
        }
        turn.cancel().unwrap();
        assert_eq!(turn.finish().await.unwrap().stop_reason, StopReason::Cancelled);
        assert_eq!(timeout(LONG, told.recv()).await.expect("the server hears of it"), Some("cancelled"));
    }
    for agent in agents {
        agent.close().await;
    }
}

#[tokio::test]
async fn a_server_that_is_not_provided_any_more_has_failed() {
    let (tell, _told) = mpsc::unbounded_channel();
    let provider = McpProvider::new();
    let server = provider.add("editor", Editor(tell));
    let agent = connect(&provider).await;
    let session = open(&agent, &server).await;
    assert_eq!(said(&session, "editor__echo").await, r#"{"a":1}"#);
    assert!(provider.remove(&server.server_id));
    let error = said(&session, "editor__echo").await;
    assert!(error.contains("does not provide the server"), "{error}");
    let servers = said(&session, "servers").await;
    assert!(servers.contains("does not provide the server"), "{servers}");
    agent.close().await;
}
