//! Checks of requests that open a session.

use acp_rpc::Error as RpcError;
use acp_types::v1::McpServer;
use acp_types::v1::ext::check_absolute;

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

/// Refuses relative paths (rules `v1-new-03`, `v1-new-07`).
pub(crate) fn check_path(field: &str, path: &str) -> Result<(), RpcError> {
    check_absolute(path).map_err(|error| RpcError::invalid_params(format!("`{field}` {error}")))
}

/// Refuses MCP servers of kinds that the agent does not take (rule `v1-cap-23`).
pub(crate) fn check_mcp_servers(client: &Client, servers: &[McpServer]) -> Result<(), RpcError> {
    let offered = &client.agent_capabilities().mcp_capabilities;
    if !servers.is_empty() && !client.wire().takes_mcp_servers(offered) {
        return Err(RpcError::invalid_params("`mcpServers`: this agent does not offer `session.mcp`"));
    }
    offered.check(servers).map_err(|error| RpcError::invalid_params(error.to_string()))
}
