//! One server of a session, over all of its connections.

use std::collections::BTreeSet;
#[cfg(feature = "oauth")]
use std::sync::OnceLock;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::Tool;
use rmcp::{Peer, RoleClient};
use tokio::sync::{Notify, watch};

use super::notify::Registry;
use super::subscriptions::Subscriptions;
use crate::error::McpError;
#[cfg(feature = "oauth")]
use crate::http::oauth::Authorization;
use crate::values::qualified_tool::QualifiedTool;
use crate::values::server_info::{ServerInfo, ServerStatus, ToolsStatus};
use crate::wire::progress::Router;

/// A connection that was agreed on.
#[derive(Clone, Debug)]
pub(in crate::session) struct Connection {
    pub(in crate::session) peer: Peer<RoleClient>,
    pub(in crate::session) info: Arc<ServerInfo>,
    /// The number of the connection to this server, from 1.
    pub(in crate::session) number: u64,
}

#[derive(Debug)]
struct State {
    status: ServerStatus,
    connection: Option<Connection>,
    /// The reason why the last connection ended.
    ended: Option<McpError>,
    tools: Arc<[QualifiedTool]>,
    /// The tools that the server had when it ended for good. Calls of them fail with the reason of
    /// the end.
    lost: Arc<[QualifiedTool]>,
    tools_status: ToolsStatus,
    /// The number of requests that wait for an authorization by the user.
    waiting: usize,
    /// The number of connections so far.
    connections: u64,
}

impl State {
    fn is_listed(&self) -> bool {
        match self.status {
            ServerStatus::Connecting => false,
            ServerStatus::Connected(_) => self.tools_status != ToolsStatus::Unknown,
            _ => true,
        }
    }
}

/// Counts a request as waiting for the user, until it is dropped.
#[cfg(feature = "oauth")]
pub(in crate::session) struct WaitsForUser<'a>(&'a Entry);

#[cfg(feature = "oauth")]
impl Drop for WaitsForUser<'_> {
    fn drop(&mut self) {
        self.0.state.send_modify(|state| state.waiting -= 1);
    }
}

/// One server of a session.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(in crate::session) name: String,
    pub(in crate::session) transport: String,
    index: usize,
    ordinal: usize,
    state: watch::Sender<State>,
    /// Notified when the server reports that its tools have changed.
    pub(in crate::session) tools_changed: Notify,
    /// Notified when the connection has to be made again.
    pub(in crate::session) reconnect: Notify,
    pub(in crate::session) notifications: Registry,
    pub(in crate::session) progress: Router,
    /// The authorization of a server over HTTP, if the session has authorizations.
    #[cfg(feature = "oauth")]
    pub(in crate::session) authorization: OnceLock<Arc<Authorization>>,
    pub(in crate::session) subscriptions: Subscriptions,
    /// The methods whose results came without `ttlMs` and `cacheScope`.
    without_hints: Mutex<BTreeSet<&'static str>>,
}

impl Entry {
    pub(in crate::session) fn new(name: String, index: usize, ordinal: usize, transport: String) -> Self {
        let state = State {
            status: ServerStatus::Connecting,
            connection: None,
            ended: None,
            tools: Arc::from([]),
            lost: Arc::from([]),
            tools_status: ToolsStatus::Unknown,
            waiting: 0,
            connections: 0,
        };
        Self {
            name,
            transport,
            index,
            ordinal,
            state: watch::Sender::new(state),
            tools_changed: Notify::new(),
            reconnect: Notify::new(),
            notifications: Registry::default(),
            progress: Router::default(),
            #[cfg(feature = "oauth")]
            authorization: OnceLock::new(),
            subscriptions: Subscriptions::default(),
            without_hints: Mutex::default(),
        }
    }

    pub(in crate::session) fn first_without_hints(&self, method: &'static str) -> bool {
        self.without_hints.lock().unwrap_or_else(PoisonError::into_inner).insert(method)
    }

    pub(in crate::session) fn status(&self) -> ServerStatus {
        let state = self.state.borrow();
        match state.status {
            ServerStatus::Connecting if state.waiting > 0 => ServerStatus::Authorizing,
            ref status => status.clone(),
        }
    }

    pub(in crate::session) fn tools_status(&self) -> ToolsStatus {
        self.state.borrow().tools_status.clone()
    }

    pub(in crate::session) fn tools(&self) -> Vec<QualifiedTool> {
        let tools = Arc::clone(&self.state.borrow().tools);
        tools.to_vec()
    }

    pub(in crate::session) fn tool(&self, name: &str) -> Option<QualifiedTool> {
        let tools = Arc::clone(&self.state.borrow().tools);
        tools.iter().find(|tool| tool.name == name).cloned()
    }

    /// Returns the failure of the server, if it had this tool and was given up.
    pub(in crate::session) fn lost(&self, name: &str) -> Option<McpError> {
        let state = self.state.borrow();
        state.lost.iter().find(|tool| tool.name == name)?;
        state.status.failure().cloned()
    }

    /// Waits until the server is connected, has failed, or waits for the user.
    pub(in crate::session) async fn settled(&self) {
        let is_settled =
            |state: &State| !matches!(state.status, ServerStatus::Connecting) || state.waiting > 0;
        let _ = self.state.subscribe().wait_for(is_settled).await;
    }

    /// Waits until the tools are known, the server has failed, or it waits for the user.
    pub(in crate::session) async fn listed(&self) {
        let _ = self.state.subscribe().wait_for(|state| state.waiting > 0 || state.is_listed()).await;
    }

    /// Waits until the tools are known or the server has failed, even while it waits for the user.
    pub(in crate::session) async fn authorized(&self) {
        let _ = self.state.subscribe().wait_for(State::is_listed).await;
    }

    /// Counts a request as waiting for the user. Meanwhile nobody waits who does not need this
    /// server.
    #[cfg(feature = "oauth")]
    pub(in crate::session) fn waits_for_user(&self) -> WaitsForUser<'_> {
        self.state.send_modify(|state| state.waiting += 1);
        WaitsForUser(self)
    }

    pub(in crate::session) async fn closed(&self) {
        let is_over = |state: &State| matches!(state.status, ServerStatus::Closed);
        let _ = self.state.subscribe().wait_for(is_over).await;
    }

    /// Waits until the server has ended for good, and returns the reason.
    pub(in crate::session) async fn over(&self) -> McpError {
        let is_over = |state: &State| matches!(state.status, ServerStatus::Failed(_) | ServerStatus::Closed);
        let mut states = self.state.subscribe();
        match states.wait_for(is_over).await.map(|state| state.status.clone()) {
            Ok(ServerStatus::Failed(error)) => error,
            _ => McpError::Closed,
        }
    }

    /// Waits for a connection with a higher number than `number`.
    pub(in crate::session) async fn connection(&self, number: u64) -> Result<Connection, McpError> {
        let is_settled = |state: &State| match state.status {
            ServerStatus::Connecting => false,
            _ => state.connection.as_ref().is_none_or(|connection| connection.number > number),
        };
        let mut states = self.state.subscribe();
        let state = states.wait_for(is_settled).await.map_err(|_| McpError::Closed)?;
        match (&state.connection, &state.status) {
            (Some(connection), _) => Ok(connection.clone()),
            (None, ServerStatus::Failed(error)) => Err(error.clone()),
            (None, _) => Err(McpError::Closed),
        }
    }

    /// Waits until a connection has ended, and returns the reason.
    pub(in crate::session) async fn ended(&self, number: u64) -> McpError {
        let is_over =
            |state: &State| state.connection.as_ref().is_none_or(|connection| connection.number > number);
        let mut states = self.state.subscribe();
        let state = states.wait_for(is_over).await;
        let ended = state.ok().and_then(|state| state.ended.clone());
        ended.unwrap_or_else(|| McpError::unreachable("the connection ended before the server answered"))
    }

    pub(in crate::session) fn set_connected(
        &self,
        peer: Peer<RoleClient>,
        info: &Arc<ServerInfo>,
    ) -> Connection {
        let mut connection = Connection { peer, info: Arc::clone(info), number: 0 };
        self.state.send_modify(|state| {
            state.connections += 1;
            connection.number = state.connections;
            state.connection = Some(connection.clone());
            state.status = ServerStatus::Connected(Arc::clone(info));
            state.tools_status = ToolsStatus::Unknown;
        });
        connection
    }

    /// Notes that the connection has ended, for now or for good.
    pub(in crate::session) fn set_disconnected(&self, status: ServerStatus, ended: Option<McpError>) {
        let is_final = !matches!(status, ServerStatus::Connecting);
        self.state.send_modify(|state| {
            state.status = status;
            state.connection = None;
            state.ended = ended.or(state.ended.take());
            if is_final {
                let tools = std::mem::replace(&mut state.tools, Arc::from([]));
                if !tools.is_empty() {
                    state.lost = tools;
                }
                state.tools_status = ToolsStatus::Unknown;
            }
        });
    }

    pub(in crate::session) fn set_tools(&self, tools: Vec<Tool>) {
        let qualified = |tool| QualifiedTool::new(self.index, &self.name, self.ordinal, tool);
        let tools: Arc<[QualifiedTool]> = tools.into_iter().map(qualified).collect();
        self.state.send_modify(|state| {
            state.tools_status = ToolsStatus::Listed(tools.len());
            state.tools = tools;
        });
    }

    pub(in crate::session) fn set_tools_status(&self, status: ToolsStatus) {
        self.state.send_modify(|state| {
            if status == ToolsStatus::NotOffered {
                state.tools = Arc::from([]);
            }
            state.tools_status = status;
        });
    }
}
