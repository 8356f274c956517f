//! A stand-in for the ACP connection, and the usual answers of a server.

use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use acp_mcp::{
    AcpCallError, AcpCaller, AcpLink, Answering, Implementation, McpProvider, McpSession, ProvideRequests,
    ServerStatus, Timeouts,
};
use acp_types::v1::{McpServerAcp, MessageMcpNotification, MessageMcpRequest, MessageMcpResponse};
use serde_json::{Value, json};

/// A time that only a failing test waits.
pub(crate) const LONG: Duration = Duration::from_secs(60);

/// The connection: requests go to the provider, and are recorded.
#[derive(Clone)]
pub(crate) struct Connection {
    pub(crate) requests: Arc<ProvideRequests>,
    pub(crate) link: Arc<OnceLock<AcpLink>>,
    pub(crate) log: Arc<Mutex<Vec<Value>>>,
}

impl AcpCaller for Connection {
    fn message(&self, request: MessageMcpRequest) -> Answering {
        self.log.lock().unwrap().push(serde_json::to_value(&request).unwrap());
        let here = self.clone();
        Box::pin(async move {
            let notify =
                |notification: MessageMcpNotification| here.link.get().unwrap().notified(notification);
            let answer = here.requests.message(request, notify).await;
            answer.map_err(|error| AcpCallError::Refused { code: error.code(), message: error.to_string() })
        })
    }
}

pub(crate) fn connection(provider: &McpProvider) -> (AcpLink, Connection) {
    let (link, log) = (Arc::default(), Arc::default());
    let connection = Connection { requests: Arc::new(provider.requests()), link, log };
    let link = AcpLink::new(connection.clone());
    assert!(connection.link.set(link.clone()).is_ok());
    (link, connection)
}
/// Creates a connection whose other side is a function.
pub(crate) struct Scripted<F>(pub(crate) F);

impl<F: Fn(MessageMcpRequest) -> Answering + Send + Sync + 'static> AcpCaller for Scripted<F> {
    fn message(&self, request: MessageMcpRequest) -> Answering {
        (self.0)(request)
    }
}

pub(crate) fn answer(answer: &Value) -> MessageMcpResponse {
    acp_json::from_str(&answer.to_string()).unwrap()
}

pub(crate) fn discovered() -> MessageMcpResponse {
    answer(&json!({ "result": {
        "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": { "tools": {} },
        "ttlMs": 0, "cacheScope": "private",
    } }))
}

pub(crate) fn listed(names: &[&str]) -> MessageMcpResponse {
    let tools: Vec<_> =
        names.iter().map(|name| json!({ "name": name, "inputSchema": { "type": "object" } })).collect();
    answer(&json!({ "result": {
        "resultType": "complete", "tools": tools, "ttlMs": 0, "cacheScope": "private",
    } }))
}

pub(crate) fn builder() -> acp_mcp::Builder {
    let timeouts = Timeouts::default().probe(LONG).connect(LONG * 2);
    McpSession::builder(Implementation::new("tests", "0")).timeouts(timeouts)
}

pub(crate) async fn connect(link: AcpLink, server: McpServerAcp) -> McpSession {
    builder().over_acp(link).connect_all(&[server.into()]).await
}

pub(crate) fn status(session: &McpSession) -> String {
    match session.servers()[0].status() {
        ServerStatus::Connected(info) => format!("{} {}", info.era, info.version),
        ServerStatus::Failed(error) => format!("failed: {error}"),
        status => format!("{status:?}"),
    }
}
