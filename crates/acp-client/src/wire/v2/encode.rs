//! Parts of requests that version 2 writes in another way.

use acp_types::v1::McpServer;
use acp_types::v2::WritesV2;
#[cfg(feature = "unstable")]
use acp_types::v2::from_v1::Blocks;
use serde_core::ser::{Error as _, Serialize, SerializeMap, Serializer};

use super::as_is::{member, members};
#[cfg(feature = "unstable")]
use super::as_is::{meta, optional};

/// Writes the members that the requests to open a session have in common.
pub(super) fn place<M: SerializeMap>(
    params: &mut M,
    cwd: &str,
    directories: &[String],
    servers: &[McpServer],
) -> Result<(), M::Error> {
    member(params, "cwd", cwd)?;
    if !directories.is_empty() {
        member(params, "additionalDirectories", directories)?;
    }
    if !servers.is_empty() {
        member(params, "mcpServers", &Servers(servers))?;
    }
    Ok(())
}

/// MCP servers. In version 2 each says its kind.
struct Servers<'s>(&'s [McpServer]);

struct Server<'s>(&'s McpServer);

impl WritesV2 for Servers<'_> {}

impl Serialize for Servers<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(Server))
    }
}

impl Serialize for Server<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut server = serializer.serialize_map(None)?;
        match self.0 {
            McpServer::Stdio(stdio) => {
                member(&mut server, "type", "stdio")?;
                members(&mut server, &**stdio)?;
            }
            McpServer::Http(http) => {
                member(&mut server, "type", "http")?;
                members(&mut server, &**http)?;
            }
            #[cfg(feature = "unstable")]
            McpServer::Acp(acp) => {
                member(&mut server, "type", "acp")?;
                members(&mut server, &**acp)?;
            }
            McpServer::Unknown(other) => other.write("type", &mut server)?,
            _ => return Err(S::Error::custom("version 2 has no MCP servers of this kind")),
        }
        server.end()
    }
}

/// Writes the addition to the system prompt, if there is one.
#[cfg(feature = "unstable")]
pub(super) fn system_prompt<M: SerializeMap>(
    params: &mut M,
    prompt: Option<&acp_types::v1::SystemPrompt>,
) -> Result<(), M::Error> {
    optional(params, "systemPrompt", prompt.map(SystemPrompt).as_ref())
}

#[cfg(feature = "unstable")]
struct SystemPrompt<'s>(&'s acp_types::v1::SystemPrompt);

#[cfg(feature = "unstable")]
impl WritesV2 for SystemPrompt<'_> {}

#[cfg(feature = "unstable")]
impl Serialize for SystemPrompt<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut prompt = serializer.serialize_map(None)?;
        member(&mut prompt, "mode", &self.0.mode)?;
        member(&mut prompt, "content", &Blocks(&self.0.content))?;
        meta(&mut prompt, self.0.meta.as_ref())?;
        prompt.end()
    }
}
