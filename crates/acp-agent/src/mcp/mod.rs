#![doc = include_str!("mcp.md")]

#[cfg(feature = "mcp-oauth")]
mod authorize;
mod call;
mod elicit;
mod options;
#[cfg(feature = "unstable")]
mod over_acp;
mod report;
mod servers;
mod status;
mod tool;

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use acp_mcp::{CancellationToken, McpSession};
use acp_types::v1::SessionId;
use tokio::time::{Instant, timeout_at};

#[cfg(feature = "mcp-oauth")]
pub use acp_mcp::{
    AuthorizationPage, Authorizer, AuthorizerAnswer, CredentialStore, Credentials, OAuth, OAuthClient,
    Redirect,
};
pub use acp_mcp::{EnvPolicy, StdioOptions, Timeouts, ToolOutcome};

use self::call::Calls;
pub use self::options::Options;
use self::servers::Open;
pub(crate) use self::servers::Servers;
pub use self::status::{Server, State};
pub use self::tool::Tool;

use crate::agent::Agent;
use crate::call::Call;
use crate::error::{Error, Result};
use crate::extract::FromCall;
use crate::lifecycle::OnSession;
use crate::op::Op;
use crate::opening::Opening;

/// The MCP servers of a session, as an argument of handlers: those on an open session, and those that open one, where
/// the servers are being connected while the handler runs.
///
/// Clones are handles on the same servers. They are ended with the session, whoever still has one.
#[derive(Clone)]
pub struct Mcp {
    inner: Arc<Inner>,
}

struct Inner {
    servers: McpSession,
    session: Arc<Named>,
    calls: Calls,
    /// Until when tools are waited for.
    patience: Option<Instant>,
    open: Open,
}

/// The session, once the client knows it.
#[derive(Default)]
struct Named {
    id: OnceLock<SessionId>,
    known: CancellationToken,
}

impl Named {
    async fn id(&self) -> Option<&SessionId> {
        self.known.cancelled().await;
        self.id.get()
    }
}

impl Mcp {
    fn new(servers: McpSession, session: Arc<Named>, calls: Calls, patience: Duration, open: Open) -> Self {
        // Without an end when no clock can show it.
        let patience = Instant::now().checked_add(patience);
        Mcp { inner: Arc::new(Inner { servers, session, calls, patience, open }) }
    }

    /// The tools of all servers, with names that models take, in the order of the session's `mcpServers`.
    ///
    /// Servers that are still being connected are waited for, for [`Options::patience`] from the opening of the session
    /// at most: one that is silent costs its own tools, and nobody else's. Lists are kept, and asked for anew when a
    /// server says that its tools have changed.
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

    /// The tool of this name, if it is known by now.
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<Tool> {
        self.inner.servers.tool(name).map(Tool::new)
    }

    /// The servers, in the order of the session's `mcpServers`, and how each of them is.
    #[must_use]
    pub fn servers(&self) -> Vec<Server> {
        self.inner.servers.servers().iter().map(Server::new).collect()
    }

    /// Waits until no server is being connected any more, which may take as long as the
    /// [time for that](Timeouts::connect).
    pub async fn connected(&self) {
        self.inner.servers.connected().await;
    }

    /// The connections themselves, for what has no method here: prompts, resources, notifications.
    #[must_use]
    pub fn connections(&self) -> &McpSession {
        &self.inner.servers
    }

    /// The client is going to be told this id, or knows it.
    pub(crate) fn named(&self, id: &SessionId) {
        // A session has one name.
        let _ = self.inner.session.id.set(id.clone());
    }

    /// Ends the servers, and waits until they are gone.
    pub(crate) async fn end(&self) {
        self.inner.servers.shutdown().await;
        self.inner.open.remove(self);
    }

    /// The servers of a session that is being opened.
    pub(crate) fn of_opening<O: Op>(opening: &Opening<O>) -> Result<Self> {
        opening.mcp().cloned().ok_or_else(not_connected)
    }

    /// The same without waiting. The end of the connection waits for it.
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

fn not_connected() -> Error {
    Error::from("this agent does not connect MCP servers: `#[agent(mcp)]` and `Router::mcp` make it do so")
}

impl<O: OnSession, A: Agent> FromCall<O, A> for Mcp {
    fn from_call(call: &mut Call<O, A>) -> Result<Self> {
        O::session(call)?.entry.mcp.clone().ok_or_else(not_connected)
    }
}
