//! The task of one server: connects it, and keeps it connected.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join3;
use rmcp::service::serve_directly;
use tokio::time::{Instant, sleep, timeout};

use super::client::Client;
use super::{changes, listing};
use crate::error::{McpError, cut};
use crate::negotiate::dial::Dial;
use crate::negotiate::drive::{Agreed, drive};
use crate::negotiate::era_cache::ServerKey;
use crate::negotiate::{Negotiation, Route};
use crate::session::call::authorize::Attempts;
use crate::session::state::entry::Entry;
use crate::session::state::event::Event;
use crate::session::state::shared::Shared;
use crate::values::extension::OnMissing;
use crate::values::server_info::{ServerInfo, ServerStatus};

/// A server that has run this long starts with a fresh count of restarts.
const STEADY: Duration = Duration::from_secs(60);
/// The pause before a server is started for the second time in a row. It doubles each time.
const PAUSE: Duration = Duration::from_millis(250);
/// The bytes of a server's instructions that are kept at most.
const LONGEST_INSTRUCTIONS: usize = 64 * 1024;

/// The task that keeps one server connected.
pub(super) struct ServerTask<D> {
    pub(super) entry: Arc<Entry>,
    pub(super) shared: Arc<Shared>,
    pub(super) dial: D,
    /// The routes to the server. The first is tried first, the others from the last on.
    pub(super) routes: &'static [Route],
    /// The key of its era in the cache, if the server can have either era.
    pub(super) key: Option<ServerKey>,
}

impl<D: Dial> ServerTask<D> {
    pub(super) async fn run(mut self) {
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
                // A failed start counts as a restart, unless it is the first start of all.
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
        // Held for one attempt only, so that other servers are connected while this one waits for
        // the user.
        let _permit = self.shared.connecting.acquire().await.map_err(|_| McpError::Closed)?;
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

    /// Runs a connection to its end. Returns `None` when the session ends, too.
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
                // This ends only with the connection.
                _ = &mut keeping => true,
            }
        };
        if is_over {
            end.cancel();
            // Ending a process takes up to three of these times. The fourth is a reserve.
            let _ = timeout(shared.options.timeouts.shutdown.saturating_mul(4), &mut waiting).await;
        }
        if shared.closing.is_cancelled() {
            return None;
        }
        let ended = if is_over { None } else { self.dial.ended().await };
        Some(ended.unwrap_or_else(|| McpError::unreachable("the connection ended")))
    }
}

/// Marks a server as failed, and sends the event.
pub(super) fn fail(entry: &Entry, shared: &Shared, error: McpError) {
    entry.set_disconnected(ServerStatus::Failed(error.clone()), Some(error.clone()));
    shared.events.send(Event::Failed { server: entry.name.clone(), error });
}
