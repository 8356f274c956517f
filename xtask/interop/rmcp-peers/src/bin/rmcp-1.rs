//! An MCP server on version 1 of the Rust SDK, on stdio.
//!
//! It ends when its first message is not `initialize`.

use std::sync::Arc;

use rmcp_1::ErrorData;
use rmcp_1::handler::server::ServerHandler;
use rmcp_1::model::{
    CallToolRequestParams, CallToolResult, Content, ListToolsResult, PaginatedRequestParams,
    ServerCapabilities, ServerInfo, Tool,
};
use rmcp_1::service::{RequestContext, RoleServer};
use serde_json::{Value, json};

struct Echo;

impl ServerHandler for Echo {
    fn get_info(&self) -> ServerInfo {
        ServerInfo::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema = json!({ "type": "object" }).as_object().cloned().unwrap_or_default();
        Ok(ListToolsResult::with_all_items(vec![Tool::new("echo", "says it again", Arc::new(schema))]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        Ok(CallToolResult::success(vec![Content::text(arguments.to_string())]))
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    rmcp_1::serve_server(Echo, rmcp_1::transport::stdio()).await?.waiting().await?;
    Ok(())
}
