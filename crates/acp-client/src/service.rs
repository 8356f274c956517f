//! The client's end of the connection: finds who handles a message.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use acp_json::Node;
use acp_rpc::{CloseReason, Delivery, Fault, Peer, Reply, Request, Service, Task};
use acp_types::method::Method;
use acp_types::v1::methods::{SessionRequestPermission, SessionUpdate};
use acp_types::v1::{RequestPermissionOutcome, RequestPermissionResponse, SessionId, SessionNotification};
use tokio_util::sync::CancellationToken;

use crate::sessions::Sessions;
use crate::{Context, Event, Handlers, RpcError, inbox};

/// How many faults are remembered.
const FAULTS: usize = 100;
/// How many characters of each. Ids and names in them are the agent's, and may be as long as it likes.
const FAULT_LENGTH: usize = 1024;

/// What one connection shares between its reader and its handles.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    pub(crate) sessions: Sessions,
    faults: Mutex<VecDeque<String>>,
}

pub(crate) struct ClientService {
    pub(crate) handlers: Arc<Handlers>,
    pub(crate) shared: Arc<Shared>,
}

impl Shared {
    /// What was skipped, refused or went wrong without ending the connection: the last hundred, oldest first.
    pub(crate) fn faults(&self) -> Vec<String> {
        self.faults.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    pub(crate) fn note(&self, mut fault: String) {
        if let Some((end, _)) = fault.char_indices().nth(FAULT_LENGTH) {
            fault.truncate(end);
            fault.push('…');
            fault.shrink_to_fit();
        }
        let mut faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
        if faults.len() == FAULTS {
            faults.pop_front();
        }
        faults.push_back(fault);
    }
}

impl Service for ClientService {
    fn request(&self, method: &str, params: Node<'_>, request: Request) -> Result<Task, RpcError> {
        let handler = self.handlers.find_request(method).ok_or_else(|| RpcError::method_not_found(method))?;
        let session = params.get("sessionId").and_then(Node::as_str).map(SessionId::from);
        let context = Context::new(request.peer, request.cancel, Arc::clone(&self.shared));
        let task = handler(params, context.clone())?;
        Ok(match session {
            Some(session) if method == SessionRequestPermission::NAME => {
                withdrawable(task, self.shared.sessions.asks(&session), context)
            }
            _ => task,
        })
    }

    fn notification(&self, method: &str, params: Node<'_>, peer: &Peer) -> Delivery {
        if method == SessionUpdate::NAME {
            return self.update(params);
        }
        let Some(handler) = self.handlers.find_notification(method) else { return Delivery::Ignore };
        let context = Context::new(peer.clone(), CancellationToken::new(), Arc::clone(&self.shared));
        match handler(params, context) {
            Ok(task) => Delivery::Task(task),
            Err(error) => {
                self.shared.note(format!("ignored `{method}`: {}", error.message));
                Delivery::Ignore
            }
        }
    }

    fn fault(&self, fault: Fault<'_>) {
        self.shared.note(fault.to_string());
    }

    fn closed(&self, _: &CloseReason) {
        self.shared.sessions.close();
    }
}

impl ClientService {
    fn update(&self, params: Node<'_>) -> Delivery {
        let weight = inbox::weight(&params);
        let update: SessionNotification = match acp_json::read(params) {
            Ok(update) => update,
            Err(error) => {
                self.shared.note(format!("ignored a session/update: {error}"));
                return Delivery::Ignore;
            }
        };
        let Some(session) = self.shared.sessions.heard_of(&update.session_id) else {
            self.shared.note("ignored a session/update: too many sessions that nothing has named".to_owned());
            return Delivery::Ignore;
        };
        let handlers = Arc::clone(&self.handlers);
        let job = {
            let session = Arc::clone(&session);
            async move {
                // Queued first, so that a handler that panics costs nobody an event.
                if handlers.update_handlers().is_empty() {
                    return session.inbox.push(Event::from(update.update), weight).await;
                }
                session.inbox.push(Event::from(update.update.clone()), weight).await;
                for handler in handlers.update_handlers() {
                    handler(update.clone()).await;
                }
            }
        };
        Delivery::Lane { lane: session.lane(), job: Box::pin(job) }
    }
}

/// Answers a permission request exactly once: as its handler does, or with `cancelled` as soon as the turn is cancelled
/// (rule v1-cancel-03).
fn withdrawable(task: Task, withdrawn: CancellationToken, context: Context) -> Task {
    Box::pin(async move {
        tokio::select! {
            biased;
            () = withdrawn.cancelled() => {
                Ok(Reply::new(RequestPermissionResponse::new(RequestPermissionOutcome::Cancelled)))
            }
            () = context.cancelled() => Err(RpcError::cancelled()),
            answer = task => answer,
        }
    })
}
