//! The options for starting MCP servers.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use super::env::EnvPolicy;
#[cfg(doc)]
use crate::error::McpError;

/// A function that gets the name of a server and each line that the server writes to stderr.
pub type OnStderr = Arc<dyn Fn(&str, &str) + Send + Sync>;

/// The options for starting MCP servers.
#[derive(Clone)]
#[non_exhaustive]
pub struct StdioOptions {
    /// The working directory, which should be that of the session. `None` stands for the directory
    /// of this process.
    pub cwd: Option<PathBuf>,
    /// The part of this process's environment that a server gets, before the variables of its
    /// configuration.
    pub env: EnvPolicy,
    /// The bytes of stderr that are kept for [`McpError::Exited`]. 0 keeps none. Default 8 KiB.
    pub stderr_tail: usize,
    /// The longest line that is accepted from a server, in bytes. A longer answer becomes an error
    /// of its request, so with 0 no server can be connected. Default 16 MiB.
    pub line_limit: usize,
    pub(super) on_stderr: Option<OnStderr>,
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

    /// Calls `on_line` with the name of the server and each line of its stderr, without the
    /// newline. Very long lines come in pieces. If `on_line` panics, it is not called again for
    /// that process.
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
