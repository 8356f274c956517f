//! Checks of requests that open a session.

use std::path::Path;

use acp_rpc::Error as RpcError;
use acp_types::v1::McpServer;

use crate::client::Client;

/// Refuses relative paths, and directories that the agent does not take (rules `v1-new-07`,
/// `v1-cap-17`).
pub(crate) fn check_directories(client: &Client, directories: &[String]) -> Result<(), RpcError> {
    for (index, path) in directories.iter().enumerate() {
        check_path(&format!("additionalDirectories[{index}]"), path)?;
    }
    let offered = &client.agent_capabilities().session_capabilities.additional_directories;
    if offered.is_some() || directories.is_empty() {
        return Ok(());
    }
    Err(RpcError::invalid_params(
        "`additionalDirectories`: this agent does not offer `sessionCapabilities.additionalDirectories`",
    ))
}

/// Refuses relative paths (rules `v1-new-03`, `v1-new-07`). A path of another system counts as
/// relative, except that `/…` is absolute everywhere.
pub(crate) fn check_path(field: &str, path: &str) -> Result<(), RpcError> {
    if path.starts_with('/') || Path::new(path).is_absolute() {
        return Ok(());
    }
    Err(RpcError::invalid_params(format!("`{field}` must be an absolute path")))
}

pub(crate) fn check_mcp_servers(client: &Client, servers: &[McpServer]) -> Result<(), RpcError> {
    let offered = &client.agent_capabilities().mcp_capabilities;
    for (index, server) in servers.iter().enumerate() {
        let missing = match server {
            McpServer::Http(_) if !offered.http => "http",
            McpServer::Sse(_) if !offered.sse => "sse",
            #[cfg(feature = "unstable")]
            McpServer::Acp(_) if !offered.acp => "acp",
            McpServer::Stdio(_) | McpServer::Http(_) | McpServer::Sse(_) => continue,
            #[cfg(feature = "unstable")]
            McpServer::Acp(_) => continue,
            // Another crate may have switched on a kind in the types.
            unknown => {
                let kind = unknown.tag().unwrap_or_default();
                return Err(RpcError::invalid_params(format!(
                    "`mcpServers[{index}]`: servers of kind `{kind}` are not known here"
                )));
            }
        };
        return Err(RpcError::invalid_params(format!(
            "`mcpServers[{index}]`: this agent does not offer `mcpCapabilities.{missing}`"
        )));
    }
    Ok(())
}
