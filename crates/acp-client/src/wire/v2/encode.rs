//! Parts of requests that version 2 writes in another way.

use acp_json::Record as _;
use acp_types::Meta;
use acp_types::v1::McpServer;
use serde_core::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

/// Writes the members that the requests to open a session have in common.
pub(super) fn place<M: SerializeMap>(
    params: &mut M,
    cwd: &str,
    directories: &[String],
    servers: &[McpServer],
) -> Result<(), M::Error> {
    params.serialize_entry("cwd", cwd)?;
    if !directories.is_empty() {
        params.serialize_entry("additionalDirectories", directories)?;
    }
    if !servers.is_empty() {
        params.serialize_entry("mcpServers", &Servers(servers))?;
    }
    Ok(())
}

/// Writes `_meta`, if there is one.
pub(super) fn meta<M: SerializeMap>(params: &mut M, meta: Option<&Meta>) -> Result<(), M::Error> {
    meta.map_or(Ok(()), |meta| params.serialize_entry("_meta", meta))
}

/// MCP servers. In version 2 each says its kind.
struct Servers<'s>(&'s [McpServer]);

struct Server<'s>(&'s McpServer);

impl Serialize for Servers<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut servers = serializer.serialize_seq(Some(self.0.len()))?;
        for server in self.0 {
            servers.serialize_element(&Server(server))?;
        }
        servers.end()
    }
}

impl Serialize for Server<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut server = serializer.serialize_map(None)?;
        if let McpServer::Stdio(_) = self.0 {
            server.serialize_entry("type", "stdio")?;
        }
        self.0.write(&mut server)?;
        server.end()
    }
}

/// Writes the addition to the system prompt, if there is one.
#[cfg(feature = "unstable")]
pub(super) fn system_prompt<M: SerializeMap>(
    params: &mut M,
    prompt: Option<&acp_types::v1::SystemPrompt>,
) -> Result<(), M::Error> {
    prompt.map_or(Ok(()), |prompt| params.serialize_entry("systemPrompt", prompt))
}
