//! Options for connecting MCP servers.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

#[cfg(feature = "mcp-oauth")]
use acp_mcp::OAuth;
use acp_mcp::{Builder, StdioOptions, Timeouts};

/// The options for the MCP servers of an agent's sessions. The default is right for most agents.
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
    /// Returns the default.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets how long tools are waited for, from the opening of a session. Zero does not wait at
    /// all, [`Duration::MAX`] waits as long as it takes. The default is 10 s.
    pub const fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Sets the time limits of servers.
    pub fn timeouts(mut self, timeouts: Timeouts) -> Self {
        self.timeouts = timeouts;
        self
    }

    /// Sets how servers that are child processes are started. Their working directory is always
    /// that of the session.
    pub fn stdio(mut self, stdio: StdioOptions) -> Self {
        self.stdio = stdio;
        self
    }

    /// Authorizes servers that ask for it by OAuth. A client that offers `elicitation.url` takes
    /// the user to the page of the authorization server. With any other client, the
    /// [`Authorizer`](super::Authorizer) of these settings does; [`OAuth::default`] has none.
    ///
    /// Give clones of one `OAuth` to all connections. Their sessions then share the credentials,
    /// and users see one page for each server.
    #[cfg(feature = "mcp-oauth")]
    pub fn authorization(mut self, oauth: OAuth) -> Self {
        self.oauth = Some(oauth);
        self
    }

    /// Sets anything else, for each session: versions, extensions, a cache of eras that outlives
    /// the connection.
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
