//! The MCP servers of a connection's sessions.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
#[cfg(feature = "unstable")]
use std::sync::OnceLock;

#[cfg(feature = "unstable")]
use acp_json::Node;
use acp_mcp::{EraCache, Implementation, McpSession};
#[cfg(feature = "unstable")]
use acp_rpc::Delivery;
use acp_types::v1::{Implementation as AgentInfo, McpServer};
use tokio::task::JoinSet;

#[cfg(feature = "mcp-oauth")]
use super::authorize;
use super::calls::Calls;
use super::elicit::{Bridge, Pages};
use super::handle::{Mcp, Open};
use super::named::Named;
use super::options::Options;
#[cfg(feature = "unstable")]
use super::over_acp;
use super::report::Reports;

use crate::client::Client;
use crate::facts::profile::McpTransports;
#[cfg(feature = "unstable")]
use crate::wire::Wire;

/// Connects the MCP servers of sessions, for an agent that wants it.
pub(crate) struct Servers {
    options: Options,
    agent: Implementation,
    /// The era of each server. A session uses the eras that earlier ones have found out.
    eras: EraCache,
    open: Open,
    /// The link to the servers that the client provides.
    #[cfg(feature = "unstable")]
    link: OnceLock<acp_mcp::AcpLink>,
    /// The number of bytes of their notifications that may wait.
    #[cfg(feature = "unstable")]
    most_waiting: usize,
}

/// The session that servers are connected for.
pub(crate) struct OfSession<'a> {
    pub(crate) client: &'a Client,
    /// The working directory of servers that are child processes.
    pub(crate) cwd: &'a Path,
    pub(crate) servers: &'a [McpServer],
}

impl Servers {
    /// Creates the connector. `info` is the agent's name and version.
    #[cfg_attr(
        not(feature = "unstable"),
        allow(unused_variables, reason = "servers of the client have limits")
    )]
    pub(crate) fn new(options: Options, info: &AgentInfo, limits: &acp_rpc::Options) -> Self {
        Servers {
            options,
            agent: Implementation::new(&*info.name, &*info.version),
            eras: EraCache::default(),
            open: Open::default(),
            #[cfg(feature = "unstable")]
            link: OnceLock::new(),
            #[cfg(feature = "unstable")]
            most_waiting: over_acp::most_waiting(limits),
        }
    }

    /// Returns the transports that were compiled in (rule `acp-mcp-04`).
    pub(crate) fn transports() -> McpTransports {
        let capabilities = acp_mcp::agent_mcp_capabilities();
        McpTransports { http: capabilities.http, sse: capabilities.sse }
    }

    /// Returns whether servers that the client provides can be connected.
    #[cfg(feature = "unstable")]
    pub(crate) fn reach_client() -> bool {
        acp_mcp::agent_mcp_capabilities().acp
    }

    /// Begins to connect the servers of a session that is being opened. It does not wait for any of
    /// them.
    pub(crate) fn start(&self, of: &OfSession<'_>) -> (Mcp, Reports) {
        let OfSession { client, cwd, servers } = *of;
        let (session, calls, pages) = (Arc::new(Named::default()), Calls::default(), Pages::default());
        let mut builder = McpSession::builder(self.agent.clone())
            .timeouts(self.options.timeouts.clone())
            .era_cache(self.eras.clone())
            .stdio(self.options.stdio.clone().cwd(cwd));
        if let Some(bridge) = Bridge::new(client, &session, &calls, &pages) {
            builder = builder.elicitation(bridge);
        }
        #[cfg(feature = "mcp-oauth")]
        if let Some(oauth) = &self.options.oauth {
            builder = builder.authorization(authorize::by_client(oauth, client, &session));
        }
        #[cfg(feature = "unstable")]
        {
            let link = self.link.get_or_init(|| over_acp::link(client, self.most_waiting));
            builder = builder.over_acp(link.clone());
        }
        if let Some(configure) = &self.options.configure {
            builder = configure(builder);
        }
        let servers = builder.start(servers);
        pages.complete(&servers, client);
        let reports = Reports::new(Arc::clone(&session), servers.events());
        let mcp = Mcp::new(servers, session, calls, self.options.patience, self.open.clone());
        self.open.add(&mcp);
        (mcp, reports)
    }

    /// Returns whether these params of a notification are about a request of this library.
    #[cfg(feature = "unstable")]
    pub(crate) fn is_about_ours(&self, wire: &Wire, params: &Node<'_>) -> bool {
        over_acp::is_about_ours(wire, params)
    }

    /// Delivers a notification about a request of this library (rule `acp-mcp-22`).
    #[cfg(feature = "unstable")]
    pub(crate) fn notified(&self, wire: &Wire, params: Node<'_>) -> Delivery {
        self.link.get().map_or(Delivery::Ignore, |link| over_acp::deliver(link, wire, params))
    }

    /// Ends all servers, and waits until they are gone. The connection is over.
    pub(crate) async fn end(&self) {
        let mut ending: JoinSet<()> =
            self.open.all().into_iter().map(|mcp| async move { mcp.end().await }).collect();
        while ending.join_next().await.is_some() {}
    }
}

impl fmt::Debug for Servers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Servers").field("options", &self.options).finish_non_exhaustive()
    }
}
