//! An MCP server on version 3 of the Rust SDK, of one era or of both.
//!
//! It is called as `rmcp-3 modern|legacy|dual stdio|http`. Over HTTP it prints its address.

use std::borrow::Cow;
use std::error::Error;
use std::sync::Arc;

use rmcp_3::ErrorData;
use rmcp_3::handler::server::ServerHandler;
use rmcp_3::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ListToolsResult,
    PaginatedRequestParams, ProtocolVersion, ServerCapabilities, ServerConfig, Tool,
};
use rmcp_3::service::{RequestContext, RoleServer};
use rmcp_3::transport::StreamableHttpService;
use rmcp_3::transport::streamable_http_server::session::local::LocalSessionManager;
use serde_json::{Value, json};
use tokio::net::TcpListener;

#[derive(Clone)]
struct Echo {
    versions: Vec<ProtocolVersion>,
}

impl Echo {
    /// Creates the server of this era. `None` means that the era does not exist.
    fn new(era: &str) -> Option<Self> {
        let all = ProtocolVersion::KNOWN_VERSIONS.iter().cloned();
        let versions = match era {
            "modern" => all.filter(|version| !version.has_initialize()).collect(),
            "legacy" => all.filter(ProtocolVersion::has_initialize).collect(),
            "dual" => all.collect(),
            _ => return None,
        };
        Some(Self { versions })
    }
}

impl ServerHandler for Echo {
    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Owned(self.versions.clone())
    }

    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
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
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        Ok(CallToolResult::success(vec![ContentBlock::text(arguments.to_string())]).into())
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [era, binding] = args.as_slice() else { return Err("rmcp-3 modern|legacy|dual stdio|http".into()) };
    let server = Echo::new(era).ok_or("there is no such era")?;
    match binding.as_str() {
        "stdio" => {
            rmcp_3::serve_server(server, rmcp_3::transport::stdio()).await?.waiting().await?;
            Ok(())
        }
        "http" => serve_http(server).await,
        _ => Err("there is no such binding".into()),
    }
}

async fn serve_http(server: Echo) -> Result<(), Box<dyn Error>> {
    let sessions = Arc::new(LocalSessionManager::default());
    let service = StreamableHttpService::new(move || Ok(server.clone()), sessions, Default::default());
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("http://{}", listener.local_addr()?);
    axum::serve(listener, axum::Router::new().route_service("/mcp", service)).await?;
    Ok(())
}
