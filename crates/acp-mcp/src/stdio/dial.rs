//! Connects a server that is a process.

use std::time::Duration;

use acp_types::v1::McpServerStdio;

use super::options::StdioOptions;
use super::process::{Exiting, Process};
use super::transport::StdioTransport;
use crate::error::McpError;
use crate::negotiate::dial::Dial;
use crate::negotiate::era_cache::ServerKey;
use crate::negotiate::{Input, Route};
use crate::wire::{Wire, WireError};

/// Starts one server, each time that a connection is needed.
pub(crate) struct StdioDial {
    server: McpServerStdio,
    options: StdioOptions,
    grace: Duration,
    last: Option<Exiting>,
}

impl StdioDial {
    pub(crate) fn new(server: McpServerStdio, options: StdioOptions, grace: Duration) -> Self {
        Self { server, options, grace, last: None }
    }

    /// Returns a key for everything that decides which program runs (rule `mcp-neg-55`).
    pub(crate) fn key(&self) -> ServerKey {
        let env: Vec<_> = self.server.env.iter().map(|variable| (&variable.name, &variable.value)).collect();
        ServerKey::of(&(&self.server.command, &self.server.args, env, &self.options.cwd))
    }
}

impl Dial for StdioDial {
    async fn dial(&mut self, _: Route) -> Result<Wire, McpError> {
        let (process, pipes) = Process::spawn(&self.server, &self.options, self.grace)?;
        self.last = Some(process.exiting());
        Ok(Wire::new(StdioTransport::new(process, pipes, self.options.line_limit)))
    }

    async fn ended(&mut self) -> Option<McpError> {
        self.last.as_mut()?.exited(self.grace).await
    }

    fn input(&self, _: &WireError) -> Input {
        Input::Eof
    }

    fn error(&self, _: &WireError) -> Option<McpError> {
        None
    }
}
