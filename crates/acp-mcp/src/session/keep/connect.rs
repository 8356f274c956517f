//! Connects a server, and keeps it connected.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use acp_types::v1::McpServer;
use futures_util::future::join3;
use rmcp::service::serve_directly;
use tokio::time::{Instant, sleep, timeout};

use super::client::Client;
use super::{changes, listing};
use crate::error::{McpError, cut};
#[cfg(feature = "http")]
use crate::http::HttpDial;
use crate::negotiate::drive::{Agreed, Dial, drive};
use crate::negotiate::era_cache::ServerKey;
use crate::negotiate::{Negotiation, Route};
#[cfg(feature = "over-acp")]
use crate::over_acp::AcpDial;
use crate::session::Shared;
use crate::session::call::authorize::Attempts;
use crate::session::state::entry::Entry;
use crate::session::state::event::Event;
#[cfg(feature = "stdio")]
use crate::stdio::StdioDial;
use crate::values::extension::OnMissing;
use crate::values::server_info::{ServerInfo, ServerStatus};

/// A server that has run this long is as good as new.
const STEADY: Duration = Duration::from_secs(60);
/// How long is waited before a server is started for the second time in a row; it doubles each time.
const PAUSE: Duration = Duration::from_millis(250);
/// How much of a server's instructions is taken in.
const LONGEST_INSTRUCTIONS: usize = 64 * 1024;

/// The name of a server.
pub(in crate::session) fn name(server: &McpServer) -> String {
    match server {
        McpServer::Http(server) => server.name.clone(),
        McpServer::Sse(server) => server.name.clone(),
        McpServer::Stdio(server) => server.name.clone(),
        #[cfg(feature = "over-acp")]
        McpServer::Acp(server) => server.name.clone(),
        _ => server.tag().unwrap_or("unknown").to_owned(),
    }
}

/// The transport of a server, as `mcpServers` names it.
pub(in crate::session) fn transport(server: &McpServer) -> &str {
    server.tag().unwrap_or("stdio")
}

/// Starts the task of a server.
pub(in crate::session) fn start(server: &McpServer, entry: &Arc<Entry>, shared: &Arc<Shared>) {
    let (entry, shared) = (Arc::clone(entry), Arc::clone(shared));
    match server {
        #[cfg(feature = "stdio")]
        McpServer::Stdio(server) => {
            let options = &shared.options;
            let dial = StdioDial::new((**server).clone(), options.stdio.clone(), options.timeouts.shutdown);
            let key = dial.key();
            tokio::spawn(Keeper { entry, shared, dial, routes: &[Route::Pipe], key: Some(key) }.run());
        }
        #[cfg(feature = "http")]
        McpServer::Http(server) => {
            let dial = HttpDial::new(&server.url, &server.headers, &shared.options);
            // Servers that have not moved on are found only when there is a transport for them.
            let routes: &[Route] =
                if cfg!(feature = "sse") { &[Route::Http, Route::Sse] } else { &[Route::Http] };
            start_http(dial, entry, shared, routes);
        }
        #[cfg(feature = "sse")]
        McpServer::Sse(server) => {
            let dial = HttpDial::new(&server.url, &server.headers, &shared.options);
            start_http(dial, entry, shared, &[Route::Sse, Route::Http]);
        }
        #[cfg(feature = "over-acp")]
        McpServer::Acp(server) if shared.options.over_acp.is_some() => {
            if let Some(link) = shared.options.over_acp.clone() {
                let dial = AcpDial::new(link, server.server_id.clone());
                tokio::spawn(Keeper { entry, shared, dial, routes: &[Route::Acp], key: None }.run());
            }
        }
        other => {
            let error = McpError::TransportNotSupported { transport: transport(other).to_owned() };
            tokio::spawn(never(entry, shared, error));
        }
    }
}

/// Does not connect one server more than there may be.
pub(in crate::session) fn refuse(entry: &Arc<Entry>, shared: &Arc<Shared>) {
    let error = McpError::TooMany { what: "MCP servers", most: shared.options.most_servers };
    tokio::spawn(never(Arc::clone(entry), Arc::clone(shared), error));
}

#[cfg(feature = "http")]
fn start_http(
    dial: Result<HttpDial, McpError>,
    entry: Arc<Entry>,
    shared: Arc<Shared>,
    routes: &'static [Route],
) {
    match dial {
        #[cfg_attr(not(feature = "oauth"), allow(unused_mut, reason = "only an authorization changes it"))]
        Ok(mut dial) => {
            let key = dial.key();
            #[cfg(feature = "oauth")]
            if let Some(oauth) = &shared.options.oauth {
                let authorization = dial.authorize(oauth, &entry.name, &shared.options);
                authorization.map(|authorization| entry.authorization.set(authorization));
            }
            tokio::spawn(Keeper { entry, shared, dial, routes, key: Some(key) }.run());
        }
        Err(error) => {
            tokio::spawn(never(entry, shared, error));
        }
    }
}

/// The task of a server that cannot be connected.
async fn never(entry: Arc<Entry>, shared: Arc<Shared>, error: McpError) {
    fail(&entry, &shared, error);
    shared.closing.cancelled().await;
    entry.set_disconnected(ServerStatus::Closed, Some(McpError::Closed));
}

fn fail(entry: &Entry, shared: &Shared, error: McpError) {
    entry.set_disconnected(ServerStatus::Failed(error.clone()), Some(error.clone()));
    shared.events.send(Event::Failed { server: entry.name.clone(), error });
}

/// The task of a server.
struct Keeper<D> {
    entry: Arc<Entry>,
    shared: Arc<Shared>,
    dial: D,
    /// The ways to it, the first to be tried first, the others from the last.
    routes: &'static [Route],
    /// Where its era is remembered, if it can have one or the other.
    key: Option<ServerKey>,
}

impl<D: Dial> Keeper<D> {
    async fn run(mut self) {
        let closing = self.shared.closing.clone();
        let (mut in_a_row, mut is_first) = (0_u32, true);
        loop {
            let connected = tokio::select! {
                connected = self.connect() => connected,
                () = closing.cancelled() => break,
            };
            let began = Instant::now();
            let error = match connected {
                Ok((agreed, info)) => {
                    let server = self.entry.name.clone();
                    let event =
                        if is_first { Event::Connected { server } } else { Event::Restarted { server } };
                    is_first = false;
                    match self.serve(agreed, info, event).await {
                        Some(error) => error,
                        None => break,
                    }
                }
                // A start that fails is one of those in a row, unless it is the first.
                Err(error) => error,
            };
            in_a_row = if began.elapsed() >= STEADY { 1 } else { in_a_row.saturating_add(1) };
            if is_first || in_a_row > self.shared.options.restarts || !error.may_pass() {
                fail(&self.entry, &self.shared, error);
                closing.cancelled().await;
                break;
            }
            self.entry.set_disconnected(ServerStatus::Connecting, Some(error.clone()));
            self.shared.events.send(Event::Restarting { server: self.entry.name.clone(), error });
            if in_a_row > 1 {
                tokio::select! {
                    () = sleep(PAUSE * (1 << (in_a_row - 2).min(6))) => {}
                    () = closing.cancelled() => break,
                }
            }
        }
        self.entry.set_disconnected(ServerStatus::Closed, Some(McpError::Closed));
    }

    async fn connect(&mut self) -> Result<(Agreed, Arc<ServerInfo>), McpError> {
        let entry = Arc::clone(&self.entry);
        let mut attempts = Attempts::new(&entry, &self.shared.options.timeouts);
        let agreed = loop {
            match self.agree(&attempts).await {
                Ok(agreed) => break agreed,
                Err(error) => attempts.after(error).await?,
            }
        };
        let options = &self.shared.options;
        if let Some(key) = self.key {
            options.eras.set(key, agreed.era);
        }
        let offered = agreed.info.capabilities.extensions.as_ref();
        let mut extensions = Vec::new();
        for (id, _, on_missing) in &options.extensions {
            match (offered.is_some_and(|offered| offered.contains_key(id.as_str())), on_missing) {
                (true, _) => extensions.push(id.clone()),
                (false, OnMissing::Core) => {}
                (false, OnMissing::Reject) => {
                    return Err(McpError::MissingExtension { extension: id.as_str().to_owned() });
                }
            }
        }
        let info = ServerInfo {
            era: agreed.era,
            version: agreed.info.protocol_version.clone(),
            capabilities: agreed.info.capabilities.clone(),
            extensions,
            instructions: agreed.info.instructions.as_deref().map(|text| cut(text, LONGEST_INSTRUCTIONS)),
            implementation: agreed.info.server_info.clone(),
        };
        Ok((agreed, Arc::new(info)))
    }

    async fn agree(&mut self, attempts: &Attempts<'_>) -> Result<Agreed, McpError> {
        // For one attempt: while the user is waited for, it is the turn of others.
        let _turn = self.shared.connecting.acquire().await.map_err(|_| McpError::Closed)?;
        let options = &self.shared.options;
        let hint = self.key.and_then(|key| options.eras.get(key));
        let mut negotiation = Negotiation::new(&options.versions, self.routes, hint);
        let client = options.client_config();
        let time = options.timeouts.connect;
        let agreed = async {
            attempts.get_ready().await;
            drive(&mut negotiation, &mut self.dial, &client, &options.timeouts).await
        };
        let agreed = timeout(time, agreed).await;
        agreed.map_err(|_| McpError::Timeout { waiting_for: "connect", waited: time })?
    }

    /// Runs a connection to its end: `None` when it is the session's end as well.
    async fn serve(&mut self, agreed: Agreed, info: Arc<ServerInfo>, event: Event) -> Option<McpError> {
        let shared = Arc::clone(&self.shared);
        let config = shared.options.client_config();
        let client = Client { entry: Arc::clone(&self.entry), shared: Arc::clone(&shared), config };
        let running = serve_directly(client, agreed.wire, Some(agreed.info));
        let end = running.cancellation_token();
        let connection = self.entry.set_connected(running.peer().clone(), &info);
        shared.events.send(event);
        let mut waiting = pin!(running.waiting());
        let is_over = {
            let listing = listing::keep(&self.entry, &shared, &connection);
            let changes = changes::keep(&self.entry, &shared, &connection);
            let renewed = self.dial.renewed();
            let renewals = changes::after(&self.entry, &connection, &renewed);
            let mut keeping = pin!(join3(listing, changes, renewals));
            tokio::select! {
                _ = &mut waiting => false,
                () = self.entry.reconnect.notified() => true,
                () = shared.closing.cancelled() => true,
                // It ends with the connection only.
                _ = &mut keeping => true,
            }
        };
        if is_over {
            end.cancel();
            // The steps of ending a process, with time left for the steps themselves.
            let _ = timeout(shared.options.timeouts.shutdown.saturating_mul(4), &mut waiting).await;
        }
        if shared.closing.is_cancelled() {
            return None;
        }
        let ended = if is_over { None } else { self.dial.ended().await };
        Some(ended.unwrap_or_else(|| McpError::unreachable("the connection ended")))
    }
}
