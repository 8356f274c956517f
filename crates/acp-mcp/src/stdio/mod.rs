//! MCP servers that are child processes: one JSON message a line on stdin and stdout.

mod env;
mod line;
mod process;
mod transport;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use acp_types::v1::McpServerStdio;

pub use env::EnvPolicy;

use self::process::Process;
use self::transport::StdioTransport;
use crate::error::McpError;
use crate::negotiate::drive::Dial;
use crate::negotiate::era_cache::ServerKey;
use crate::negotiate::{Input, Route};
use crate::wire::{Wire, WireError};

/// Is given each line that a server writes to stderr, with the server's name.
pub type OnStderr = Arc<dyn Fn(&str, &str) + Send + Sync>;

/// How MCP servers are started.
#[derive(Clone)]
#[non_exhaustive]
pub struct StdioOptions {
    /// The working directory, which should be the session's (rule `acp-mcp-07`). `None`: this process's.
    pub cwd: Option<PathBuf>,
    /// What a server gets to see of this process's environment, before the variables of its configuration.
    pub env: EnvPolicy,
    /// How many bytes of stderr are kept for [`McpError::Exited`]; 0 for none. Default 8 KiB.
    pub stderr_tail: usize,
    /// The longest line that is taken from a server, in bytes. A longer answer becomes an error of its request, so that
    /// with 0 nothing can be agreed on with a server. Default 16 MiB.
    pub line_limit: usize,
    on_stderr: Option<OnStderr>,
}

impl StdioOptions {
    /// Sets [`cwd`](Self::cwd).
    #[must_use]
    pub fn cwd(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.cwd = Some(cwd.into());
        self
    }

    /// Sets [`env`](Self::env).
    #[must_use]
    pub fn env(mut self, env: EnvPolicy) -> Self {
        self.env = env;
        self
    }

    /// Sets [`line_limit`](Self::line_limit).
    #[must_use]
    pub const fn line_limit(mut self, bytes: usize) -> Self {
        self.line_limit = bytes;
        self
    }

    /// Is given the name of the server and each line of its stderr, without the newline; very long lines come in
    /// pieces. If it panics, it is not asked again by that process of the server; the stream is read on.
    #[must_use]
    pub fn on_stderr(mut self, on_line: impl Fn(&str, &str) + Send + Sync + 'static) -> Self {
        self.on_stderr = Some(Arc::new(on_line));
        self
    }
}

impl Default for StdioOptions {
    fn default() -> Self {
        Self {
            cwd: None,
            env: EnvPolicy::default(),
            stderr_tail: 8 * 1024,
            line_limit: 16 * 1024 * 1024,
            on_stderr: None,
        }
    }
}

impl fmt::Debug for StdioOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StdioOptions").field("cwd", &self.cwd).field("env", &self.env).finish_non_exhaustive()
    }
}

/// Starts one server, as often as it takes.
pub(crate) struct StdioDial {
    server: McpServerStdio,
    options: StdioOptions,
    grace: Duration,
    last: Option<process::Exiting>,
}

impl StdioDial {
    pub(crate) fn new(server: McpServerStdio, options: StdioOptions, grace: Duration) -> Self {
        Self { server, options, grace, last: None }
    }

    /// Stands for everything that decides what the process will be (rule `mcp-neg-55`).
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
