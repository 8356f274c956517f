//! A connection to a server by requests `mcp/message`.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use acp_json::{Map, Value as AcpValue};
use acp_types::Maybe;
use acp_types::v1::{McpServerAcpId, MessageMcpRequest, MessageMcpResponse};
use rmcp::RoleClient;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorCode, ErrorData, JsonRpcRequest, RequestId,
    ServerJsonRpcMessage,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};
use tokio::task::{AbortHandle, JoinSet};
use tokio_util::sync::CancellationToken;

use super::link::{AcpLink, Begun, name_subscription};
use crate::error::AcpCallError;

/// The reason why the connection to a server has ended, once it has.
#[derive(Clone, Default)]
pub(super) struct End(Arc<Mutex<Option<AcpCallError>>>);

impl End {
    pub(super) fn set(&self, error: AcpCallError) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
    }

    pub(super) fn take(&self) -> Option<AcpCallError> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// A connection to a server on the other side of the ACP connection.
pub(super) struct AcpTransport {
    link: AcpLink,
    server: McpServerAcpId,
    end: End,
    ended: CancellationToken,
    sender: mpsc::Sender<ServerJsonRpcMessage>,
    /// A queue of one message. Further messages stay with the ACP connection, and count against its
    /// budget.
    messages: mpsc::Receiver<ServerJsonRpcMessage>,
    /// The tasks of requests. Dropping them withdraws the requests.
    asking: JoinSet<RequestId>,
    by_id: HashMap<RequestId, AbortHandle>,
}

impl AcpTransport {
    pub(super) fn new(link: AcpLink, server: McpServerAcpId, end: End) -> Self {
        let (sender, messages) = mpsc::channel(1);
        let (ended, asking, by_id) = (CancellationToken::new(), JoinSet::new(), HashMap::new());
        Self { link, server, end, ended, sender, messages, asking, by_id }
    }

    /// Sends a request. The returned receiver gets the failure of the request, if it fails.
    fn ask(&mut self, request: &JsonRpcRequest<ClientRequest>) -> Result<FailureReceiver, AcpCallError> {
        while let Some(asked) = self.asking.try_join_next() {
            if let Ok(id) = asked {
                self.by_id.remove(&id);
            }
        }
        let id = request.id.clone();
        let begun = self.link.begin(&self.server, id.clone(), self.sender.clone());
        let message = written(&self.server, &begun, request)
            .map_err(|error| AcpCallError::Failed { problem: error.to_string() })?;
        let (failed, failure) = oneshot::channel();
        let is_probe = message.method == "server/discover";
        let asking = Asking {
            id: id.clone(),
            begun,
            end: self.end.clone(),
            ended: self.ended.clone(),
            sender: self.sender.clone(),
            // A probe that fails ends the connection.
            failed: (!is_probe).then_some(failed),
        };
        self.by_id.insert(id, self.asking.spawn(asking.run(message)));
        Ok(failure)
    }
}

type FailureReceiver = oneshot::Receiver<AcpCallError>;

impl Transport<RoleClient> for AcpTransport {
    type Error = AcpCallError;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), AcpCallError>> + Send + 'static {
        let sent = match message {
            ClientJsonRpcMessage::Request(request) => self.ask(&request).map(Some),
            ClientJsonRpcMessage::Notification(notification) => {
                // Servers cannot be sent other notifications: `acp-mcp-23`.
                if let ClientNotification::CancelledNotification(cancelled) = notification.notification
                    && let Some(asking) = cancelled.params.request_id.and_then(|id| self.by_id.remove(&id))
                {
                    asking.abort();
                }
                Ok(None)
            }
            // Servers have no requests that could be answered.
            ClientJsonRpcMessage::Response(_) | ClientJsonRpcMessage::Error(_) => Ok(None),
        };
        async {
            match sent? {
                // A late error still belongs to this request.
                Some(failure) => failure.await.map_or(Ok(()), Err),
                None => Ok(()),
            }
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        tokio::select! {
            biased;
            message = self.messages.recv() => message,
            () = self.ended.cancelled() => None,
        }
    }

    async fn close(&mut self) -> Result<(), AcpCallError> {
        self.asking.shutdown().await;
        Ok(())
    }
}

/// A request that waits for its answer.
struct Asking {
    id: RequestId,
    begun: Begun,
    end: End,
    ended: CancellationToken,
    sender: mpsc::Sender<ServerJsonRpcMessage>,
    failed: Option<oneshot::Sender<AcpCallError>>,
}

impl Asking {
    async fn run(self, request: MessageMcpRequest) -> RequestId {
        let limit = self.begun.link().most_waiting();
        let mut answering = self.begun.link().caller().message(request);
        // Dropped first, so that everything that waits for the request is dropped before it is
        // withdrawn.
        let begun = self.begun;
        let answer = tokio::select! {
            biased;
            () = begun.over.cancelled() => Err(AcpCallError::Overloaded { limit }),
            answer = &mut answering => answer,
        };
        match (answer, self.failed) {
            // The send fails if the transport is gone, and then nobody waits.
            (Ok(response), _) => drop(self.sender.send(read(response, &self.id)).await),
            // The failure of one request, while the server still exists.
            (Err(error), Some(failed)) if !error.is_final() => drop(failed.send(error)),
            (Err(error), _) => {
                self.end.set(error);
                self.ended.cancel();
            }
        }
        self.id
    }
}

fn written(
    server: &McpServerAcpId,
    begun: &Begun,
    request: &JsonRpcRequest<ClientRequest>,
) -> io::Result<MessageMcpRequest> {
    let mut message = serde_json::to_value(request)?;
    let method = message.get("method").and_then(Value::as_str).unwrap_or_default();
    let mut written = MessageMcpRequest::new(server.clone(), begun.request.clone(), method);
    if let Some(Value::Object(params)) = message.get_mut("params").map(Value::take) {
        let params = params.into_iter().map(|(name, value)| Ok((name, AcpValue::new(&value)?)));
        written.params =
            Some(params.collect::<Result<Map, acp_json::ReadError>>().map_err(io::Error::other)?);
    }
    Ok(written)
}

/// Reads the answer, under the id of the request on this side (rule `acp-mcp-21`).
fn read(response: MessageMcpResponse, id: &RequestId) -> ServerJsonRpcMessage {
    let result = match response {
        MessageMcpResponse::Error(failure) => {
            let error = failure.error;
            let data = match error.data {
                Maybe::Value(data) => data.parse().ok(),
                Maybe::Null | Maybe::Absent => None,
            };
            let error = ErrorData::new(ErrorCode(error.code), error.message, data);
            return ServerJsonRpcMessage::error(error, Some(id.clone()));
        }
        MessageMcpResponse::Result(result) => match result.result.map(|result| result.parse::<Value>()) {
            None => Value::Null,
            Some(Ok(mut result)) => {
                name_subscription(&mut result, id);
                result
            }
            Some(Err(error)) => return unread(id, error.to_string()),
        },
        _ => return unread(id, "the answer has neither `result` nor `error`".to_owned()),
    };
    let message = json!({ "jsonrpc": "2.0", "id": id, "result": result });
    serde_json::from_value(message).unwrap_or_else(|error| unread(id, error.to_string()))
}

fn unread(id: &RequestId, problem: String) -> ServerJsonRpcMessage {
    ServerJsonRpcMessage::error(ErrorData::internal_error(problem, None), Some(id.clone()))
}
