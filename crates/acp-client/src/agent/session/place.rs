//! The place of a session: its directories and MCP servers, checked before they are sent.

use std::path::Path;

use acp_types::v1::McpServer;
use acp_types::v1::ext::{self, PathError};
#[cfg(feature = "unstable")]
use acp_types::v1::{ContentBlock, SystemPrompt, SystemPromptMode};

use crate::{Agent, Error};

/// The directories and MCP servers of a session.
#[derive(Clone, Debug)]
pub struct Place {
    cwd: Result<String, PathError>,
    directories: Vec<Result<String, PathError>>,
    mcp_servers: Vec<McpServer>,
    #[cfg(feature = "unstable")]
    pub(crate) system_prompt: Option<SystemPrompt>,
}

/// A place that the protocol allows and the agent can work in.
pub(crate) struct Checked {
    pub(crate) cwd: String,
    pub(crate) directories: Vec<String>,
    pub(crate) mcp_servers: Vec<McpServer>,
    #[cfg(feature = "unstable")]
    pub(crate) system_prompt: Option<SystemPrompt>,
}

impl Place {
    pub(crate) fn new(cwd: &Path) -> Self {
        Self {
            cwd: absolute(cwd),
            directories: Vec::new(),
            mcp_servers: Vec::new(),
            #[cfg(feature = "unstable")]
            system_prompt: None,
        }
    }

    pub(crate) fn add_directory(&mut self, directory: &Path) {
        self.directories.push(absolute(directory));
    }

    pub(crate) fn add_mcp_server(&mut self, server: McpServer) {
        self.mcp_servers.push(server);
    }

    #[cfg_attr(not(feature = "unstable"), expect(unused_mut, reason = "the system prompt is unstable"))]
    pub(crate) fn check(mut self, agent: &Agent, method: &'static str) -> Result<Checked, Error> {
        let argument = |field| move |error: PathError| Error::argument(method, field, &error);
        let offered = agent.capabilities();
        agent.check_offered(agent.wire().has_sessions(offered), method, "session")?;
        agent.check_offered(
            self.directories.is_empty() || offered.session_capabilities.additional_directories.is_some(),
            method,
            "sessionCapabilities.additionalDirectories",
        )?;
        agent.wire().check_servers(&self.mcp_servers, agent.takes_stdio_servers(), method)?;
        offered.mcp_capabilities.check(&self.mcp_servers).map_err(|error| match error.capability {
            Some(capability) => agent.not_offered(method, capability),
            None => {
                let problem = format_args!("has a server of kind `{}`, which is not known here", error.kind);
                Error::argument(method, "mcpServers", &problem)
            }
        })?;
        #[cfg(feature = "unstable")]
        {
            check_system_prompt(self.system_prompt.as_ref(), agent, method)?;
            if let Some(prompt) = &mut self.system_prompt {
                agent.shared().report(agent.wire().fit_content(&mut prompt.content), None);
            }
        }
        let directories = self.directories.into_iter().collect::<Result<_, _>>();
        Ok(Checked {
            cwd: self.cwd.map_err(argument("cwd"))?,
            directories: directories.map_err(argument("additionalDirectories"))?,
            mcp_servers: self.mcp_servers,
            #[cfg(feature = "unstable")]
            system_prompt: self.system_prompt,
        })
    }
}

pub(crate) fn absolute(path: &Path) -> Result<String, PathError> {
    ext::absolute(path).map(str::to_owned)
}

/// Rule v1-u-sys-01.
#[cfg(feature = "unstable")]
fn check_system_prompt(
    prompt: Option<&SystemPrompt>,
    agent: &Agent,
    method: &'static str,
) -> Result<(), Error> {
    let Some(prompt) = prompt else { return Ok(()) };
    let offered = agent.capabilities().session_capabilities.system_prompt.as_ref();
    agent.check_offered(offered.is_some(), method, "sessionCapabilities.systemPrompt")?;
    let overrides =
        offered.and_then(|offered| offered.mode.as_ref()).is_some_and(|mode| mode.overrides.is_some());
    let is_allowed = prompt.mode != SystemPromptMode::Override || overrides;
    agent.check_offered(is_allowed, method, "sessionCapabilities.systemPrompt.mode.override")?;
    let is_text = |block: &ContentBlock| matches!(block, ContentBlock::Text(_));
    if prompt.content.is_empty() || !prompt.content.iter().all(is_text) {
        let problem = "must be blocks of text, at least one".to_owned();
        return Err(Error::Argument { method, field: "systemPrompt.content", problem });
    }
    Ok(())
}
