//! Runs a [`Negotiation`] over real connections.

use std::time::Duration;

use rmcp::model::{
    ClientConfig, ClientJsonRpcMessage, ClientNotification, ClientRequest, ClientResult, DiscoverRequest,
    DiscoverRequestParams, DiscoverResult, GetExtensions as _, InitializeRequest, InitializeResult,
    InitializedNotification, ProtocolVersion, RequestId, RequestMetaObject, ServerJsonRpcMessage,
    ServerPeerInfo, ServerRequest, ServerResult,
};
use rmcp::transport::Transport as _;
use serde_json::{Value, json};
use tokio::time::{Instant, timeout, timeout_at};

use super::dial::Dial;
use super::{Failure, Fault, Input, Negotiation, Opening, Route, Step};
use crate::error::McpError;
use crate::values::timeouts::{NEVER, Timeouts};
use crate::values::version::Era;
use crate::wire::Wire;

/// The first id of a request. rmcp counts from 0, so these ids do not meet, and they fit a signed
/// 32-bit number.
const FIRST_ID: i64 = 1 << 30;

/// A connection, with the era and the facts that were agreed on.
pub(crate) struct Agreed {
    pub(crate) era: Era,
    pub(crate) info: ServerPeerInfo,
    pub(crate) wire: Wire,
}

/// Connects a server. When the future is dropped, nothing is left behind.
pub(crate) async fn drive<D: Dial>(
    negotiation: &mut Negotiation,
    server: &mut D,
    client: &ClientConfig,
    timeouts: &Timeouts,
) -> Result<Agreed, McpError> {
    let mut driver = Driver {
        server,
        client,
        timeouts,
        wire: None,
        route: Route::Pipe,
        sent: Vec::new(),
        last_error: None,
        info: None,
        deadline: Instant::now(),
        waited: Duration::ZERO,
    };
    let mut step = negotiation.start();
    loop {
        step = match step {
            Step::Send { opening, version, route, fresh } => {
                match driver.send(opening, &version, route, fresh).await {
                    Ok(()) => Step::Wait,
                    Err(input) => negotiation.on(opening, input),
                }
            }
            Step::Wait => {
                let (opening, input) = driver.next().await;
                negotiation.on(opening, input)
            }
            Step::Ready { era, version } => return driver.ready(era, version).await,
            Step::Fail(failure) => return Err(driver.failed(failure, negotiation).await),
        }
    }
}

struct Driver<'a, D> {
    server: &'a mut D,
    client: &'a ClientConfig,
    timeouts: &'a Timeouts,
    wire: Option<Wire>,
    route: Route,
    /// The requests that were sent over this connection. The last one is awaited.
    sent: Vec<(RequestId, Opening)>,
    last_error: Option<McpError>,
    info: Option<ServerPeerInfo>,
    deadline: Instant,
    waited: Duration,
}

impl<D: Dial> Driver<'_, D> {
    async fn send(
        &mut self,
        opening: Opening,
        version: &ProtocolVersion,
        route: Route,
        fresh: bool,
    ) -> Result<(), Input> {
        // Over HTTP and ACP each attempt has a connection of its own, so nothing queues behind one
        // that hangs.
        let anew = fresh || route != Route::Pipe || self.wire.is_none();
        if anew {
            self.hang_up().await;
            self.route = route;
        }
        self.waited = match opening {
            Opening::Probe => self.timeouts.probe,
            Opening::Initialize => self.timeouts.initialize,
        };
        self.deadline = Instant::now() + self.waited.min(NEVER);
        if anew {
            let dialed = timeout_at(self.deadline, self.server.dial(route)).await;
            match dialed {
                Ok(Ok(wire)) => self.wire = Some(wire),
                Ok(Err(error)) => {
                    let input = match &error {
                        McpError::Http { status } | McpError::AuthRequired { status, .. } => {
                            Input::Status(*status, None)
                        }
                        _ => Input::Unreachable,
                    };
                    self.last_error = Some(error);
                    return Err(input);
                }
                Err(_) => return Err(Input::Timeout),
            }
        }
        let id = RequestId::Number(FIRST_ID + i64::try_from(self.sent.len()).unwrap_or_default());
        self.sent.push((id.clone(), opening));
        let message = self.message(opening, version, id);
        self.put(message).await
    }

    fn message(&self, opening: Opening, version: &ProtocolVersion, id: RequestId) -> ClientJsonRpcMessage {
        let request = match opening {
            Opening::Probe => {
                let (info, offered) = (self.client.client_info.clone(), self.client.capabilities.clone());
                let mut discover = DiscoverRequest::new(DiscoverRequestParams {});
                discover.extensions_mut().insert(RequestMetaObject::with_client_context(
                    version.clone(),
                    info,
                    offered,
                ));
                ClientRequest::DiscoverRequest(discover)
            }
            Opening::Initialize => {
                let client = self.client.clone().with_protocol_version(version.clone());
                ClientRequest::InitializeRequest(InitializeRequest::new(client))
            }
        };
        ClientJsonRpcMessage::request(request, id)
    }

    async fn put(&mut self, message: ClientJsonRpcMessage) -> Result<(), Input> {
        let Some(wire) = &mut self.wire else { return Err(Input::Eof) };
        match timeout_at(self.deadline, wire.send(message)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => {
                self.last_error = self.server.error(&error);
                Err(self.server.input(&error))
            }
            Err(_) => Err(Input::Timeout),
        }
    }

    /// Waits for an answer to any request that was sent over this connection.
    async fn next(&mut self) -> (Opening, Input) {
        let awaited = self.sent.last().map_or(Opening::Probe, |(_, opening)| *opening);
        loop {
            let Some(wire) = &mut self.wire else { return (awaited, Input::Eof) };
            let message = match timeout_at(self.deadline, wire.receive()).await {
                Ok(Some(message)) => message,
                Ok(None) => return (awaited, Input::Eof),
                Err(_) => return (awaited, Input::Timeout),
            };
            match message {
                ServerJsonRpcMessage::Response(response) => {
                    if let Some(opening) = self.asked(&response.id) {
                        return (opening, self.result(response.result));
                    }
                }
                ServerJsonRpcMessage::Error(error) => {
                    // An error without an id belongs to a request that the server could not read:
                    // `mcp-neg-29`.
                    let opening = error.id.as_ref().map_or(Some(awaited), |id| self.asked(id));
                    if let Some(opening) = opening {
                        return (opening, Input::Error(Fault::from(error.error)));
                    }
                }
                ServerJsonRpcMessage::Request(request) => {
                    // A legacy server may ping before it answers.
                    if matches!(request.request, ServerRequest::PingRequest(_))
                        && awaited == Opening::Initialize
                    {
                        let pong = ClientJsonRpcMessage::response(ClientResult::empty(()), request.id);
                        if let Err(input) = self.put(pong).await {
                            return (awaited, input);
                        }
                    }
                }
                ServerJsonRpcMessage::Notification(_) => {}
            }
        }
    }

    fn asked(&self, id: &RequestId) -> Option<Opening> {
        let is_same = |asked: &RequestId| asked == id || asked.to_string() == id.to_string();
        self.sent.iter().find(|(asked, _)| is_same(asked)).map(|(_, opening)| *opening)
    }

    fn result(&mut self, result: ServerResult) -> Input {
        match understood(result) {
            Understood::Discovered(result) => {
                let listed = result.supported_versions.clone();
                // The version is filled in once it is agreed on.
                self.info = Some(ServerPeerInfo::from_discover_result(ProtocolVersion::LATEST, *result));
                Input::Discovered(listed)
            }
            Understood::Initialized(result) => {
                let version = result.protocol_version.clone();
                self.info = Some(ServerPeerInfo::from(*result));
                Input::Initialized(version)
            }
            Understood::Neither => Input::OtherResult,
        }
    }

    async fn ready(mut self, era: Era, version: ProtocolVersion) -> Result<Agreed, McpError> {
        if era == Era::Legacy {
            let notification =
                ClientNotification::InitializedNotification(InitializedNotification::default());
            if let Err(input) = self.put(ClientJsonRpcMessage::notification(notification)).await {
                let failure = match input {
                    Input::Timeout => Failure::Timeout(Opening::Initialize),
                    Input::Eof => Failure::Exited,
                    Input::Status(status, _) => Failure::Status(status),
                    _ => Failure::Unreachable,
                };
                return Err(self.error(failure, Vec::new()).await);
            }
        }
        match (self.wire.take(), self.info.take()) {
            (Some(wire), Some(mut info)) => {
                info.protocol_version = version;
                Ok(Agreed { era, info, wire: wire.agreed(era) })
            }
            _ => Err(McpError::Closed),
        }
    }

    async fn failed(mut self, failure: Failure, negotiation: &Negotiation) -> McpError {
        let error = self.error(failure, negotiation.versions()).await;
        self.hang_up().await;
        error
    }

    async fn error(&mut self, failure: Failure, client: Vec<ProtocolVersion>) -> McpError {
        let waited = self.waited;
        match failure {
            Failure::NoCommonVersion(server) => McpError::NoCommonVersion { client, server },
            Failure::Legacy(evidence) => McpError::ServerIsLegacy { evidence: evidence.to_owned() },
            Failure::Answered { asked, answered } => McpError::UnsupportedServerVersion { asked, answered },
            Failure::MissingCapability(required) => McpError::MissingClientCapability { required },
            Failure::HeaderMismatch => McpError::HeaderMismatch,
            Failure::Refused(Some(fault)) => McpError::rpc("initialize", fault.code, &fault.message),
            Failure::Refused(None) => {
                McpError::InvalidResult { method: "initialize", problem: "it has no protocol version" }
            }
            Failure::Status(status) => self.last_error.take().unwrap_or(McpError::Http { status }),
            Failure::Exited => {
                let ended = self.server.ended().await;
                ended.unwrap_or_else(|| {
                    McpError::unreachable("the connection ended before the server answered")
                })
            }
            Failure::Timeout(Opening::Probe) => McpError::Timeout { waiting_for: "server/discover", waited },
            Failure::Timeout(Opening::Initialize) => McpError::Timeout { waiting_for: "initialize", waited },
            Failure::Unreachable => {
                let ended = match self.last_error.take() {
                    Some(error) => Some(error),
                    None => self.server.ended().await,
                };
                ended.unwrap_or_else(|| McpError::unreachable("the connection broke"))
            }
        }
    }

    async fn hang_up(&mut self) {
        self.sent.clear();
        let Some(mut wire) = self.wire.take() else { return };
        // A process must have ended before the next one starts. Over HTTP there is only an
        // exchange, which may hang and ends by itself.
        if self.route == Route::Pipe {
            let _ = timeout(self.timeouts.shutdown.saturating_mul(4), wire.close()).await;
        }
    }
}

enum Understood {
    Discovered(Box<DiscoverResult>),
    Initialized(Box<InitializeResult>),
    Neither,
}

/// Reads a result. Members of less weight may be missing.
fn understood(result: ServerResult) -> Understood {
    match result {
        ServerResult::DiscoverResult(result) => Understood::Discovered(Box::new(result)),
        ServerResult::InitializeResult(result) => Understood::Initialized(Box::new(result)),
        ServerResult::CustomResult(result) => {
            let Value::Object(mut members) = result.0 else { return Understood::Neither };
            let defaults = json!({
                "resultType": "complete", "ttlMs": 0, "cacheScope": "private", "capabilities": {},
                "serverInfo": { "name": "", "version": "" },
            });
            for (name, value) in defaults.as_object().into_iter().flatten() {
                members.entry(name.clone()).or_insert_with(|| value.clone());
            }
            let members = Value::Object(members);
            if let Ok(result) = serde_json::from_value(members.clone()) {
                return Understood::Discovered(Box::new(result));
            }
            match serde_json::from_value(members) {
                Ok(result) => Understood::Initialized(Box::new(result)),
                Err(_) => Understood::Neither,
            }
        }
        _ => Understood::Neither,
    }
}
