//! Starts the task of each server.

use std::sync::Arc;

use acp_types::v1::McpServer;

#[cfg(any(feature = "stdio", feature = "http", feature = "over-acp"))]
use super::server_task::ServerTask;
use super::server_task::fail;
use crate::error::McpError;
#[cfg(feature = "http")]
use crate::http::HttpDial;
#[cfg(any(feature = "stdio", feature = "http", feature = "over-acp"))]
use crate::negotiate::Route;
#[cfg(feature = "over-acp")]
use crate::over_acp::AcpDial;
use crate::session::state::entry::Entry;
use crate::session::state::shared::Shared;
#[cfg(feature = "stdio")]
use crate::stdio::StdioDial;
use crate::values::server_info::ServerStatus;

/// Returns the name of a server.
pub(in crate::session) fn name(server: &McpServer) -> String {
    match server {
        McpServer::Http(server) => server.name.clone(),
        McpServer::Sse(server) => server.name.clone(),
        McpServer::Stdio(server) => server.name.clone(),
        #[cfg(feature = "over-acp")]
        McpServer::Acp(server) => server.name.clone(),
        _ => server.tag().unwrap_or("unknown").to_owned(),
    }
}

/// Returns the transport of a server in `mcpServers`.
pub(in crate::session) fn transport(server: &McpServer) -> &str {
    server.tag().unwrap_or("stdio")
}

/// Starts the task of a server.
pub(in crate::session) fn start(server: &McpServer, entry: &Arc<Entry>, shared: &Arc<Shared>) {
    let (entry, shared) = (Arc::clone(entry), Arc::clone(shared));
    match server {
        #[cfg(feature = "stdio")]
        McpServer::Stdio(server) => {
            let options = &shared.options;
            let dial = StdioDial::new((**server).clone(), options.stdio.clone(), options.timeouts.shutdown);
            let key = dial.key();
            tokio::spawn(ServerTask { entry, shared, dial, routes: &[Route::Pipe], key: Some(key) }.run());
        }
        #[cfg(feature = "http")]
        McpServer::Http(server) => {
            let dial = HttpDial::new(&server.url, &server.headers, &shared.options.http());
            // Servers of 2024-11-05 are found only with the feature for their transport.
            let routes: &[Route] =
                if cfg!(feature = "sse") { &[Route::Http, Route::Sse] } else { &[Route::Http] };
            start_http(dial, entry, shared, routes);
        }
        #[cfg(feature = "sse")]
        McpServer::Sse(server) => {
            let dial = HttpDial::new(&server.url, &server.headers, &shared.options.http());
            start_http(dial, entry, shared, &[Route::Sse, Route::Http]);
        }
        #[cfg(feature = "over-acp")]
        McpServer::Acp(server) if shared.options.over_acp.is_some() => {
            if let Some(link) = shared.options.over_acp.clone() {
                let dial = AcpDial::new(link, server.server_id.clone());
                tokio::spawn(ServerTask { entry, shared, dial, routes: &[Route::Acp], key: None }.run());
            }
        }
        other => {
            let error = McpError::TransportNotSupported { transport: transport(other).to_owned() };
            tokio::spawn(never(entry, shared, error));
        }
    }
}

/// Refuses a server beyond the limit.
pub(in crate::session) fn refuse(entry: &Arc<Entry>, shared: &Arc<Shared>) {
    let error = McpError::TooMany { what: "MCP servers", most: shared.options.most_servers };
    tokio::spawn(never(Arc::clone(entry), Arc::clone(shared), error));
}

#[cfg(feature = "http")]
fn start_http(
    dial: Result<HttpDial, McpError>,
    entry: Arc<Entry>,
    shared: Arc<Shared>,
    routes: &'static [Route],
) {
    match dial {
        #[cfg_attr(not(feature = "oauth"), allow(unused_mut, reason = "only an authorization changes it"))]
        Ok(mut dial) => {
            let key = dial.key();
            #[cfg(feature = "oauth")]
            if let Some(oauth) = &shared.options.oauth {
                let authorization = dial.authorize(oauth, &entry.name, &shared.options.http());
                authorization.map(|authorization| entry.authorization.set(authorization));
            }
            tokio::spawn(ServerTask { entry, shared, dial, routes, key: Some(key) }.run());
        }
        Err(error) => {
            tokio::spawn(never(entry, shared, error));
        }
    }
}

/// Runs the task of a server that cannot be connected.
async fn never(entry: Arc<Entry>, shared: Arc<Shared>, error: McpError) {
    fail(&entry, &shared, error);
    shared.closing.cancelled().await;
    entry.set_disconnected(ServerStatus::Closed, Some(McpError::Closed));
}
