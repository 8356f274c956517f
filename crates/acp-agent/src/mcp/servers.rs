//! The MCP servers of a connection's sessions.

use std::fmt;
#[cfg(feature = "unstable")]
use std::sync::OnceLock;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[cfg(feature = "unstable")]
use acp_json::Node;
use acp_mcp::{EraCache, Implementation, McpSession};
#[cfg(feature = "unstable")]
use acp_rpc::Delivery;
use tokio::task::JoinSet;

#[cfg(feature = "mcp-oauth")]
use super::authorize;
use super::call::Calls;
use super::elicit::{Bridge, Pages};
#[cfg(feature = "unstable")]
use super::over_acp;
use super::report::report;
use super::{Mcp, Named, Options};
use crate::facts::profile::McpTransports;
use crate::handler::agent::Agent;
use crate::open::opening::Opening;
use crate::open::request::Opens;

/// Connects the MCP servers of sessions, for an agent that wants it.
pub(crate) struct Servers {
    options: Options,
    agent: Implementation,
    /// Which era each server is of: what one session has found out the next one need not.
    eras: EraCache,
    open: Open,
    /// The way to those that the client provides.
    #[cfg(feature = "unstable")]
    link: OnceLock<acp_mcp::AcpLink>,
    /// How many bytes of what those tell may wait.
    #[cfg(feature = "unstable")]
    most_waiting: usize,
}

/// The servers that are not ended yet.
#[derive(Clone, Default)]
pub(super) struct Open(Arc<Mutex<Vec<Mcp>>>);

impl Servers {
    #[cfg_attr(
        not(feature = "unstable"),
        allow(unused_variables, reason = "servers of the client have limits")
    )]
    pub(crate) fn of<A: Agent>(agent: &A, limits: &acp_rpc::Options) -> Option<Self> {
        let options = agent.mcp()?;
        let info = agent.profile().info();
        let agent = Implementation::new(info.name, info.version);
        Some(Servers {
            options,
            agent,
            eras: EraCache::default(),
            open: Open::default(),
            #[cfg(feature = "unstable")]
            link: OnceLock::new(),
            #[cfg(feature = "unstable")]
            most_waiting: over_acp::most_waiting(limits),
        })
    }

    /// The transports that were compiled in (rule `acp-mcp-04`).
    pub(crate) fn transports() -> McpTransports {
        let capabilities = acp_mcp::agent_mcp_capabilities();
        McpTransports { http: capabilities.http, sse: capabilities.sse }
    }

    /// Whether those that the client provides can be connected.
    #[cfg(feature = "unstable")]
    pub(crate) fn reach_client() -> bool {
        acp_mcp::agent_mcp_capabilities().acp
    }

    /// Begins to connect the servers of a session that is being opened. It does not wait for any of them.
    pub(crate) fn start<O: Opens>(&self, opening: &Opening<O>) -> Mcp {
        let (session, calls, pages) = (Arc::new(Named::default()), Calls::default(), Pages::default());
        let stdio = self.options.stdio.clone().cwd(opening.cwd());
        let mut builder = McpSession::builder(self.agent.clone())
            .timeouts(self.options.timeouts.clone())
            .era_cache(self.eras.clone())
            .stdio(stdio);
        if let Some(bridge) = Bridge::new(opening.client(), &session, &calls, &pages) {
            builder = builder.elicitation(bridge);
        }
        #[cfg(feature = "mcp-oauth")]
        if let Some(oauth) = &self.options.oauth {
            builder = builder.authorization(authorize::by_client(oauth, opening.client(), &session));
        }
        #[cfg(feature = "unstable")]
        {
            let link = self.link.get_or_init(|| over_acp::link(opening.client().peer(), self.most_waiting));
            builder = builder.over_acp(link.clone());
        }
        if let Some(configure) = &self.options.configure {
            builder = configure(builder);
        }
        let servers = builder.start(opening.mcp_servers());
        pages.complete(&servers, opening.client());
        let events = servers.events();
        let mcp = Mcp::new(servers, Arc::clone(&session), calls, self.options.patience, self.open.clone());
        self.open.lock().push(mcp.clone());
        opening.after_response(async move |open| {
            session.known.cancel();
            report(open.session_id(), events, |notice| open.update(notice)).await;
        });
        mcp
    }

    /// Whether a notification of a server of the client, with these params, is about a request of the library's.
    #[cfg(feature = "unstable")]
    pub(crate) fn is_about_ours(&self, params: &Node<'_>) -> bool {
        over_acp::is_about_ours(params)
    }

    /// Takes such a notification (rule `acp-mcp-22`).
    #[cfg(feature = "unstable")]
    pub(crate) fn notified(&self, params: Node<'_>) -> Delivery {
        self.link.get().map_or(Delivery::Ignore, |link| over_acp::deliver(link, params))
    }

    /// The connection is over: ends all servers, and waits until they are gone.
    pub(crate) async fn end(&self) {
        let open = self.open.lock().clone();
        let mut ending: JoinSet<()> = open.into_iter().map(|mcp| async move { mcp.end().await }).collect();
        while ending.join_next().await.is_some() {}
    }
}

impl Open {
    pub(super) fn remove(&self, mcp: &Mcp) {
        self.lock().retain(|open| !Arc::ptr_eq(&open.inner, &mcp.inner));
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Mcp>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Servers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Servers").field("options", &self.options).finish_non_exhaustive()
    }
}
