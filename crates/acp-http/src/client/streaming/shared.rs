//! The parts of a connection that its tasks share.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use acp_rpc::Id;
use http::{HeaderMap, HeaderValue};
use serde_json::json;
use tokio::sync::mpsc::UnboundedSender;

use super::inbox::Inbox;
use super::ledger::Ledger;
use super::outbox::Own;
use super::sessions::Sessions;
use super::stop::{Stop, StreamKey};
use crate::client::error::Error;
use crate::client::exchange::Exchange;
use crate::client::settings::Settings;
use crate::client::undelivered::Undelivered;
use crate::wire::headers::{CONNECTION_ID, SESSION_ID};

/// The questions for a sign of life that a WebSocket asks, and one more: the silence after which a
/// stream counts as broken, in pings.
const SILENT_PINGS: u32 = 3;
/// The shortest time between two questions for a sign of life.
const SHORTEST_PING: Duration = Duration::from_millis(10);

pub(super) struct Shared {
    pub(super) exchange: Exchange,
    pub(super) settings: Settings,
    pub(super) inbox: Inbox,
    pub(super) own: Own,
    pub(super) sessions: Sessions,
    ledger: Mutex<Ledger>,
    /// Set by the answer to `initialize`.
    connection: OnceLock<HeaderValue>,
    stop: UnboundedSender<Stop>,
}

impl Shared {
    pub(super) fn new(
        exchange: Exchange,
        settings: Settings,
        inbox: Inbox,
        own: Own,
        stop: UnboundedSender<Stop>,
    ) -> Self {
        let (sessions, ledger) = (Sessions::default(), Mutex::default());
        Self { exchange, settings, inbox, own, sessions, ledger, connection: OnceLock::new(), stop }
    }

    pub(super) fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn is_initialized(&self) -> bool {
        self.connection.get().is_some()
    }

    pub(super) fn initialized(&self, connection: HeaderValue) {
        // It is set once, because there is one `initialize` that begins a connection.
        let _ = self.connection.set(connection);
    }

    /// Returns the headers that name the connection and a session.
    pub(super) fn names(&self, session: &StreamKey) -> HeaderMap {
        let mut headers = HeaderMap::new();
        if let Some(connection) = self.connection.get() {
            headers.insert(CONNECTION_ID, connection.clone());
        }
        if let Some(session) = session.as_deref().and_then(|session| HeaderValue::from_str(session).ok()) {
            headers.insert(SESSION_ID, session);
        }
        headers
    }

    /// Returns the silence after which a stream counts as broken.
    pub(super) fn silence(&self) -> Duration {
        self.settings.ping.map_or(Duration::MAX, |ping| ping.max(SHORTEST_PING).saturating_mul(SILENT_PINGS))
    }

    /// Ends the connection.
    pub(super) fn stop(&self, stop: Stop) {
        let _ = self.stop.send(stop);
    }

    /// Answers a request of this side that failed on its way, unless it has been answered.
    pub(super) async fn fail(&self, id: &Id, why: Undelivered, problem: &Error) {
        if self.ledger().answered(id).is_none() {
            return;
        }
        self.answer(id, &why.error(problem)).await;
    }

    /// Answers a request of this side in place of the agent.
    pub(super) async fn answer(&self, id: &Id, error: &acp_rpc::Error) {
        let error = json!({ "code": error.code, "message": error.message, "data": error.data });
        let answer = json!({ "jsonrpc": "2.0", "id": id, "error": error });
        self.inbox.put(answer.to_string().into_bytes()).await;
    }
}
