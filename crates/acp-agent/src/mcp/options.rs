//! How an agent connects MCP servers.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use acp_mcp::{Builder, StdioOptions, Timeouts};

/// How an agent connects the MCP servers of its sessions. The default is right for most.
#[derive(Clone)]
#[must_use]
pub struct Options {
    pub(super) patience: Duration,
    pub(super) timeouts: Timeouts,
    pub(super) stdio: StdioOptions,
    pub(super) configure: Option<Configure>,
}

type Configure = Arc<dyn Fn(Builder) -> Builder + Send + Sync>;

impl Options {
    /// The default.
    pub fn new() -> Self {
        Self::default()
    }

    /// How long, from the opening of a session, its tools are waited for. Default 10 s.
    pub const fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// How long is waited for servers.
    pub fn timeouts(mut self, timeouts: Timeouts) -> Self {
        self.timeouts = timeouts;
        self
    }

    /// How servers that are child processes are started. The working directory is the session's, whatever stands here
    /// (rule `acp-mcp-07`).
    pub fn stdio(mut self, stdio: StdioOptions) -> Self {
        self.stdio = stdio;
        self
    }

    /// Sets anything else, for each session: versions, extensions, a cache of eras that outlives the connection.
    pub fn configure(mut self, configure: impl Fn(Builder) -> Builder + Send + Sync + 'static) -> Self {
        self.configure = Some(Arc::new(configure));
        self
    }
}

impl Default for Options {
    fn default() -> Self {
        Options {
            patience: Duration::from_secs(10),
            timeouts: Timeouts::default(),
            stdio: StdioOptions::default(),
            configure: None,
        }
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("patience", &self.patience)
            .field("timeouts", &self.timeouts)
            .field("stdio", &self.stdio)
            .finish_non_exhaustive()
    }
}
