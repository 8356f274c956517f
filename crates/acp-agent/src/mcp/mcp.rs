//! The MCP servers of a session.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use acp_mcp::McpSession;
use acp_types::v1::SessionId;
use tokio::time::{Instant, timeout_at};

use super::calls::Calls;
use super::named::Named;
use super::status::Server;
use super::tool::Tool;

/// The MCP servers of a session, as an argument of handlers. Operations on an open session have it,
/// and those that open one; there the servers are being connected while the handler runs.
///
/// Clones are handles on the same servers. The servers end with the session, even if a handle is
/// left.
#[derive(Clone)]
pub struct Mcp {
    pub(super) inner: Arc<Inner>,
}

pub(super) struct Inner {
    pub(super) servers: McpSession,
    session: Arc<Named>,
    pub(super) calls: Calls,
    /// The end of the time for which tools are waited for.
    patience: Option<Instant>,
    open: Open,
}

impl Mcp {
    pub(super) fn new(
        servers: McpSession,
        session: Arc<Named>,
        calls: Calls,
        patience: Duration,
        open: Open,
    ) -> Self {
        // Without an end if no clock can show it.
        let patience = Instant::now().checked_add(patience);
        Mcp { inner: Arc::new(Inner { servers, session, calls, patience, open }) }
    }

    /// Returns the tools of all servers, with names that models take, in the order of the session's
    /// `mcpServers`.
    ///
    /// It waits for servers that are still being connected, until
    /// [`Options::patience`](super::Options::patience) has passed since the opening of the session.
    /// A silent server costs its own tools only. Lists are kept, and asked for anew when a server
    /// says that its tools have changed.
    pub async fn tools(&self) -> Vec<Tool> {
        let servers = &self.inner.servers;
        let tools = match self.inner.patience {
            Some(end) => {
                let listed = timeout_at(end, servers.tools()).await;
                listed.unwrap_or_else(|_| servers.current_tools())
            }
            None => servers.tools().await,
        };
        tools.into_iter().map(Tool::new).collect()
    }

    /// Returns the tool of this name, if it is known by now.
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<Tool> {
        self.inner.servers.tool(name).map(Tool::new)
    }

    /// Returns the servers and their states, in the order of the session's `mcpServers`.
    #[must_use]
    pub fn servers(&self) -> Vec<Server> {
        self.inner.servers.servers().iter().map(Server::new).collect()
    }

    /// Waits until no server is being connected any more. That may take the whole [time for
    /// connecting](super::Timeouts::connect).
    pub async fn connected(&self) {
        self.inner.servers.connected().await;
    }

    /// Returns the connections themselves, for prompts, resources and notifications, which have no
    /// method here.
    #[must_use]
    pub fn connections(&self) -> &McpSession {
        &self.inner.servers
    }

    /// Sets the session's id, which the client knows or is about to get.
    pub(crate) fn named(&self, id: &SessionId) {
        // A session has one id.
        let _ = self.inner.session.id.set(id.clone());
    }

    /// Ends the servers, and waits until they are gone.
    pub(crate) async fn end(&self) {
        self.inner.servers.shutdown().await;
        self.inner.open.remove(self);
    }

    /// Ends the servers without waiting. The end of the connection waits for them.
    pub(crate) fn end_soon(&self) {
        let mcp = self.clone();
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move { mcp.end().await });
        }
    }
}

impl fmt::Debug for Mcp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mcp").field("session", &self.inner.session.id.get()).finish_non_exhaustive()
    }
}

/// The servers that have not ended yet.
#[derive(Clone, Default)]
pub(super) struct Open(Arc<Mutex<Vec<Mcp>>>);

impl Open {
    pub(super) fn add(&self, mcp: &Mcp) {
        self.lock().push(mcp.clone());
    }

    pub(super) fn all(&self) -> Vec<Mcp> {
        self.lock().clone()
    }

    fn remove(&self, mcp: &Mcp) {
        self.lock().retain(|open| !Arc::ptr_eq(&open.inner, &mcp.inner));
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Mcp>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
