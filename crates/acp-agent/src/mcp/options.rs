//! How an agent connects MCP servers.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

#[cfg(feature = "mcp-oauth")]
use acp_mcp::OAuth;
use acp_mcp::{Builder, StdioOptions, Timeouts};

/// How an agent connects the MCP servers of its sessions. The default is right for most.
#[derive(Clone)]
#[must_use]
pub struct Options {
    pub(super) patience: Duration,
    pub(super) timeouts: Timeouts,
    pub(super) stdio: StdioOptions,
    #[cfg(feature = "mcp-oauth")]
    pub(super) oauth: Option<OAuth>,
    pub(super) configure: Option<Configure>,
}

type Configure = Arc<dyn Fn(Builder) -> Builder + Send + Sync>;

impl Options {
    /// The default.
    pub fn new() -> Self {
        Self::default()
    }

    /// How long, from the opening of a session, its tools are waited for: zero for not at all,
    /// [`Duration::MAX`] for as long as it takes. Default 10 s.
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

    /// Has servers authorized by OAuth that want it. A client that offers `elicitation.url` takes the user to the page of
    /// the authorization server; with any other client that is up to the [`Authorizer`](super::Authorizer) of these
    /// settings, which [`OAuth::default`] does not have.
    ///
    /// Give clones of one `OAuth` to all connections: then their sessions share the credentials, and users see one page
    /// for each server.
    #[cfg(feature = "mcp-oauth")]
    pub fn authorization(mut self, oauth: OAuth) -> Self {
        self.oauth = Some(oauth);
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
            #[cfg(feature = "mcp-oauth")]
            oauth: None,
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
