//! The checks of content and MCP servers against the capabilities of an agent.

use std::fmt;

use crate::v1::{ContentBlock, McpCapabilities, McpServer, PromptCapabilities};

/// A prompt that an agent [does not
/// take](https://github.com/acp-rs/acp/blob/main/docs/rules/v1.md#v1-cap-09).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PromptError {
    /// The prompt has no content.
    Empty,
    /// A block is of a kind that the agent does not take.
    Content {
        /// The index of the block, from 0.
        block: usize,
        /// Its kind.
        kind: String,
        /// The capability that would allow it; `None` when no capability does.
        capability: Option<&'static str>,
    },
}

impl fmt::Display for PromptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("`prompt`: expected at least one content block"),
            Self::Content { block, kind, capability: Some(capability) } => write!(
                f,
                "`prompt[{block}]`: content of kind `{kind}` needs `{capability}`, which the agent does not advertise"
            ),
            Self::Content { block, kind, capability: None } => {
                write!(f, "`prompt[{block}]`: content of kind `{kind}` is not known here")
            }
        }
    }
}

impl std::error::Error for PromptError {}

impl PromptCapabilities {
    /// Checks that a prompt has content, and only blocks that the agent takes. Text and links are
    /// always taken.
    ///
    /// # Errors
    /// The prompt is empty, or the first block that the agent does not take.
    pub fn check(&self, prompt: &[ContentBlock]) -> Result<(), PromptError> {
        if prompt.is_empty() {
            return Err(PromptError::Empty);
        }
        for (index, block) in prompt.iter().enumerate() {
            let (capability, is_taken) = match block {
                ContentBlock::Text(_) | ContentBlock::ResourceLink(_) => continue,
                ContentBlock::Image(_) => (Some("promptCapabilities.image"), self.image),
                ContentBlock::Audio(_) => (Some("promptCapabilities.audio"), self.audio),
                ContentBlock::Resource(_) => {
                    (Some("promptCapabilities.embeddedContext"), self.embedded_context)
                }
                ContentBlock::Unknown(_) => (None, false),
            };
            if !is_taken {
                return Err(PromptError::Content { block: index, kind: block.tag().to_owned(), capability });
            }
        }
        Ok(())
    }
}

/// An MCP server of a kind that an agent [does not
/// take](https://github.com/acp-rs/acp/blob/main/docs/rules/v1.md#v1-cap-23).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct McpServerError {
    /// The index of the server, from 0.
    pub server: usize,
    /// Its kind.
    pub kind: String,
    /// The capability that would allow it; `None` for a kind that this version of the protocol does
    /// not know.
    pub capability: Option<&'static str>,
}

impl fmt::Display for McpServerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { server, kind, capability } = self;
        match capability {
            Some(capability) => {
                write!(f, "`mcpServers[{server}]`: the agent does not offer `{capability}`")
            }
            None => write!(f, "`mcpServers[{server}]`: servers of kind `{kind}` are not known here"),
        }
    }
}

impl std::error::Error for McpServerError {}

impl McpCapabilities {
    /// Checks that the agent takes servers of these kinds. Servers over stdio are always taken.
    ///
    /// # Errors
    /// The first server that the agent does not take.
    pub fn check(&self, servers: &[McpServer]) -> Result<(), McpServerError> {
        for (index, server) in servers.iter().enumerate() {
            let (capability, is_taken) = match server {
                McpServer::Stdio(_) => continue,
                McpServer::Http(_) => (Some("mcpCapabilities.http"), self.http),
                McpServer::Sse(_) => (Some("mcpCapabilities.sse"), self.sse),
                #[cfg(feature = "unstable")]
                McpServer::Acp(_) => (Some("mcpCapabilities.acp"), self.acp),
                McpServer::Unknown(_) => (None, false),
            };
            if !is_taken {
                let kind = server.tag().unwrap_or_default().to_owned();
                return Err(McpServerError { server: index, kind, capability });
            }
        }
        Ok(())
    }
}
