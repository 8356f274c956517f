//! The MCP servers of one ACP session.

mod builder;
mod call;
mod call_tool;
mod keep;
mod server;
mod state;

use std::sync::Arc;

use rmcp::model::ClientCapabilities;
use tokio_util::sync::DropGuard;

pub use self::builder::Builder;
pub use self::call::options::CallOptions;
pub use self::server::Server;
pub use self::state::event::{Event, Events};
pub use self::state::notify::{HandlerGuard, Notification};
pub use self::state::subscriptions::ResourceUpdate;

use self::state::entry::Entry;
use self::state::shared::Shared;
use crate::values::qualified_tool::QualifiedTool;

/// The MCP servers of one ACP session: connected, kept connected, and called.
///
/// Clones are handles on the same session. Dropping the last one ends the servers.
/// [`shutdown`](Self::shutdown) ends them and waits until they are gone.
#[derive(Clone, Debug)]
pub struct McpSession {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    entries: Vec<Arc<Entry>>,
    shared: Arc<Shared>,
    _end: DropGuard,
}

impl McpSession {
    /// Returns the servers, in the order of `mcpServers`.
    #[must_use]
    pub fn servers(&self) -> Vec<Server> {
        self.inner.entries.iter().map(|entry| Server::new(entry, &self.inner.shared)).collect()
    }

    /// Returns the first server of this name.
    #[must_use]
    pub fn server(&self, name: &str) -> Option<Server> {
        self.servers().into_iter().find(|server| server.name() == name)
    }

    /// Waits until no server is being connected any more, apart from servers that wait for the user
    /// ([`ServerStatus::Authorizing`](crate::ServerStatus::Authorizing)).
    ///
    /// Each server has the time of [`Timeouts::connect`](crate::Timeouts::connect), which begins
    /// when it is [its turn](Builder::at_once). Authorization servers have that time once more.
    pub async fn connected(&self) {
        for entry in &self.inner.entries {
            entry.settled().await;
        }
    }

    /// Waits until no server is being connected or authorized any more, and all tools are listed.
    /// Each authorization has the time of
    /// [`Timeouts::authorization`](crate::Timeouts::authorization).
    pub async fn authorized(&self) {
        for entry in &self.inner.entries {
            entry.authorized().await;
        }
    }

    /// Returns the tools of all servers with names for the model, in the order of `mcpServers` and
    /// of each server's list.
    ///
    /// Waits for servers that are being connected, and for their first lists. Servers that failed
    /// or wait for the user have no tools. This sends no request: the session keeps the lists, and
    /// fetches a list again when its server reports a change ([`Event::ToolsChanged`]). Until then
    /// the old list is returned.
    pub async fn tools(&self) -> Vec<QualifiedTool> {
        for entry in &self.inner.entries {
            entry.listed().await;
        }
        self.current_tools()
    }

    /// Returns the tools that are known now, without waiting.
    #[must_use]
    pub fn current_tools(&self) -> Vec<QualifiedTool> {
        self.inner.entries.iter().flat_map(|entry| entry.tools()).collect()
    }

    /// Returns the tool of this name, if it is known now, without waiting.
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<QualifiedTool> {
        self.inner.entries.iter().find_map(|entry| entry.tool(name))
    }

    /// Returns the client capabilities that are declared to servers. They follow from the handlers
    /// and extensions of the session.
    #[must_use]
    pub fn client_capabilities(&self) -> ClientCapabilities {
        self.inner.shared.options.client_config().capabilities
    }

    /// Returns the events of the servers. The first caller gets all events from the start; see
    /// [`Events`].
    #[must_use]
    pub fn events(&self) -> Events {
        self.inner.shared.events.subscribe()
    }

    /// Ends all servers at the same time, and waits until they are gone. Each step of ending a
    /// server takes at most [`Timeouts::shutdown`](crate::Timeouts::shutdown). Calls that are under
    /// way fail.
    pub async fn shutdown(&self) {
        self.inner.shared.closing.cancel();
        for entry in &self.inner.entries {
            entry.closed().await;
        }
    }
}
