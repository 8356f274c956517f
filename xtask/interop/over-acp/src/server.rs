//! The MCP server that the client provides.

use std::sync::Arc;

use acp_client::acp_mcp::rmcp::handler::server::ServerHandler;
use acp_client::acp_mcp::rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorCode, ErrorData, JsonObject,
    ListToolsResult, PaginatedRequestParams, ProgressNotificationParam, ServerCapabilities, ServerConfig,
    Tool,
};
use acp_client::acp_mcp::rmcp::service::{RequestContext, RoleServer};
use serde_json::json;
use tokio::sync::watch;

const TOOLS: [&str; 6] = ["echo", "count", "hold", "cancelled", "fail", "refuse"];

/// Has a tool for each thing that can happen to a call.
#[derive(Clone, Default)]
pub(crate) struct Far {
    cancelled: watch::Sender<usize>,
}

impl Far {
    /// How many calls of `hold` were cancelled.
    pub(crate) fn cancelled(&self) -> usize {
        *self.cancelled.borrow()
    }

    async fn report(&self, context: &RequestContext<RoleServer>, progress: f64) {
        if let Some(token) = context.meta.get_progress_token() {
            let report = ProgressNotificationParam::new(token, progress).with_total(3.0);
            // Whoever does not wait any more is not told either.
            let _ = context.peer.notify_progress(report).await;
        }
    }
}

impl ServerHandler for Far {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema: Arc<JsonObject> = Arc::new([("type".to_owned(), json!("object"))].into_iter().collect());
        let tools = TOOLS.map(|name| Tool::new(name, "", Arc::clone(&schema)));
        Ok(ListToolsResult::with_all_items(tools.to_vec()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let text = match &*request.name {
            "echo" => json!(request.arguments).to_string(),
            "count" => {
                for progress in [1.0, 2.0, 3.0] {
                    self.report(&context, progress).await;
                }
                "3".to_owned()
            }
            "hold" => {
                self.report(&context, 1.0).await;
                context.ct.cancelled().await;
                self.cancelled.send_modify(|calls| *calls += 1);
                return Err(ErrorData::internal_error("cancelled", None));
            }
            "cancelled" => {
                // It may be on its way still.
                let _ = self.cancelled.subscribe().wait_for(|calls| *calls > 0).await;
                self.cancelled().to_string()
            }
            "fail" => return Ok(CallToolResult::error(vec![ContentBlock::text("it broke")]).into()),
            "refuse" => {
                let data = Some(json!({ "by": "refuse" }));
                return Err(ErrorData::new(ErrorCode(-33001), "not an error of ACP", data));
            }
            name => return Err(ErrorData::invalid_params(format!("no tool `{name}`"), None)),
        };
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    }
}
