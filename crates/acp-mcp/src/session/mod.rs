//! The MCP servers of one ACP session.

mod builder;
mod call;
mod keep;
mod server;
mod state;

use std::sync::Arc;

use rmcp::model::ClientCapabilities;
use tokio::sync::Semaphore;
use tokio_util::sync::{CancellationToken, DropGuard};

pub use builder::Builder;
pub use call::caller::CallOptions;
pub use server::Server;
pub use state::event::{Event, Events};
pub use state::notify::{Guard, Notification};
pub use state::subscriptions::ResourceUpdate;

pub(crate) use self::builder::Options;
use self::state::entry::Entry;
use self::state::event::EventSender;
use crate::values::qualified_tool::QualifiedTool;

/// The MCP servers of one ACP session: connected, kept connected, and called.
///
/// Clones are handles on the same session. When the last one goes, the servers are ended; [`shutdown`](Self::shutdown)
/// waits for that.
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

/// What the tasks of a session have in common.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) options: Options,
    pub(crate) events: EventSender,
    pub(crate) closing: CancellationToken,
    /// Permits of being connected: there are not more at once.
    connecting: Semaphore,
}

impl McpSession {
    /// Settings of a session; `client` is who servers are told they talk to (rule `mcp-neg-04`).
    pub fn builder(client: rmcp::model::Implementation) -> Builder {
        Builder::new(client)
    }

    /// The servers, in the order of `mcpServers`.
    #[must_use]
    pub fn servers(&self) -> Vec<Server> {
        self.inner.entries.iter().map(|entry| Server::new(entry, &self.inner.shared)).collect()
    }

    /// The first server of this name.
    #[must_use]
    pub fn server(&self, name: &str) -> Option<Server> {
        self.servers().into_iter().find(|server| server.name() == name)
    }

    /// Waits until no server is being connected any more; not for those that wait for the user
    /// ([`ServerStatus::Authorizing`](crate::ServerStatus::Authorizing)). The time of each is bounded by [`Timeouts::connect`](crate::Timeouts::connect), which
    /// begins when it is [its turn](Builder::at_once), and which authorization servers have once more.
    pub async fn connected(&self) {
        for entry in &self.inner.entries {
            entry.settled().await;
        }
    }

    /// Waits as well for servers that wait for the user, and until their tools are listed: for who has nothing to do
    /// without them. The time is bounded by [`Timeouts::authorization`](crate::Timeouts::authorization) for each
    /// authorization that a server wants.
    pub async fn authorized(&self) {
        for entry in &self.inner.entries {
            entry.authorized().await;
        }
    }

    /// The tools of all servers, in the order of `mcpServers` and of each server's list, with names for the model.
    ///
    /// Waits for servers that are being connected and for lists that are asked for the first time. Servers that failed
    /// have none, and those that wait for the user; those whose list is out of date have what they had. Nothing is asked here: lists are kept, and asked
    /// for anew when a server says that they have changed ([`Event::ToolsChanged`]).
    pub async fn tools(&self) -> Vec<QualifiedTool> {
        for entry in &self.inner.entries {
            entry.listed().await;
        }
        self.current_tools()
    }

    /// The tools that are known now; does not wait.
    #[must_use]
    pub fn current_tools(&self) -> Vec<QualifiedTool> {
        self.inner.entries.iter().flat_map(|entry| entry.tools()).collect()
    }

    /// The tool of this name, if it is known now; does not wait.
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<QualifiedTool> {
        self.inner.entries.iter().find_map(|entry| entry.tool(name))
    }

    /// What servers are told that the client can do: it follows from the handlers and extensions that there are.
    #[must_use]
    pub fn client_capabilities(&self) -> ClientCapabilities {
        self.inner.shared.options.client_config().capabilities
    }

    /// What happens to the servers. The first to ask gets everything from the start; see [`Events`].
    #[must_use]
    pub fn events(&self) -> Events {
        self.inner.shared.events.subscribe()
    }

    /// Ends all servers, and waits until they are gone: at most [`Timeouts::shutdown`](crate::Timeouts::shutdown) for
    /// each of the steps of rule `mcp-neg-36`, all servers at once. Calls that are running fail.
    pub async fn shutdown(&self) {
        self.inner.shared.closing.cancel();
        for entry in &self.inner.entries {
            entry.closed().await;
        }
    }
}
