//! A server whose tool never ends by itself.

use std::sync::Arc;

use acp_mcp::McpProvider;
use acp_mcp::rmcp::handler::server::ServerHandler;
use acp_mcp::rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use acp_mcp::rmcp::service::{RequestContext, RoleServer};
use acp_types::v1::McpServerAcp;
use serde_json::json;
use tokio::sync::mpsc;

/// A server with a tool that never ends by itself. It reports the end of its calls.
#[derive(Clone)]
pub struct Holding(pub mpsc::UnboundedSender<&'static str>);

impl ServerHandler for Holding {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema = json!({ "type": "object" }).as_object().unwrap().clone();
        Ok(ListToolsResult::with_all_items(
            ["hold", "reverse"].map(|name| Tool::new(name, "", Arc::new(schema.clone()))).to_vec(),
        ))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if request.name == "reverse" {
            let ping = acp_mcp::rmcp::model::ServerRequest::PingRequest(Default::default());
            let refused = context.peer.send_request(ping).await.is_err();
            return Ok(CallToolResult::success(vec![ContentBlock::text(refused.to_string())]).into());
        }
        self.0.send("began").unwrap();
        context.ct.cancelled().await;
        self.0.send("cancelled").unwrap();
        Err(ErrorData::internal_error("cancelled", None))
    }
}

/// A provider of a [`Holding`], and the reports of that.
pub fn holding() -> (McpProvider, McpServerAcp, mpsc::UnboundedReceiver<&'static str>) {
    let (sender, reports) = mpsc::unbounded_channel();
    let provider = McpProvider::new();
    let server = provider.add("far", Holding(sender));
    (provider, server, reports)
}
