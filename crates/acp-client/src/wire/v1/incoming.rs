//! Messages of the agent, and the answers to them.

use acp_json::{Node, ReadError};
use acp_rpc::Reply;
use acp_types::method::Method as _;
use acp_types::v1::methods::{
    ElicitationCreate, SessionRequestPermission, SessionUpdate, TerminalCreate, TerminalRelease,
    TerminalWaitForExit,
};
use acp_types::v1::{
    CreateElicitationResponse, CreateTerminalResponse, ElicitationAction, RequestPermissionOutcome,
    RequestPermissionResponse, SessionId, SessionNotification,
};

use crate::Event;
use crate::wire::update::Update;
use crate::wire::work::Work;

pub(in crate::wire) fn session(params: &Node<'_>) -> Option<SessionId> {
    params.get("sessionId").and_then(Node::as_str).map(SessionId::from)
}

pub(in crate::wire) fn work(method: &str, params: &Node<'_>) -> Work {
    let terminal = || params.get("terminalId").and_then(Node::as_str).unwrap_or_default().to_owned();
    match method {
        TerminalCreate::NAME => Work::CreatesTerminal(created_terminal),
        TerminalRelease::NAME => Work::ReleasesTerminal(terminal()),
        TerminalWaitForExit::NAME => Work::AwaitsTerminal(terminal()),
        _ => Work::Other,
    }
}

/// Returns the terminal that an answer to `terminal/create` names.
fn created_terminal(reply: &Reply) -> Option<String> {
    let mut json = Vec::new();
    reply.result().encode(&mut json).ok()?;
    let response: CreateTerminalResponse = acp_json::from_slice(&json).ok()?;
    Some(response.terminal_id.to_string())
}

pub(in crate::wire) fn is_update(method: &str) -> bool {
    method == SessionUpdate::NAME
}

pub(in crate::wire) fn answer_when_withdrawn(method: &str) -> Option<fn() -> Reply> {
    match method {
        SessionRequestPermission::NAME => {
            Some(|| Reply::new(RequestPermissionResponse::new(RequestPermissionOutcome::Cancelled)))
        }
        ElicitationCreate::NAME => {
            Some(|| Reply::new(CreateElicitationResponse::new(ElicitationAction::Cancel)))
        }
        _ => None,
    }
}

pub(in crate::wire) fn update(params: Node<'_>, is_handled: bool) -> Result<Update, ReadError> {
    let read: SessionNotification = acp_json::read(params)?;
    Ok(if is_handled {
        let event = Event::from(read.update.clone());
        Update {
            session_id: read.session_id.clone(),
            event,
            more: None,
            handled: Some(Box::new(read)),
            #[cfg(feature = "v2")]
            offer: None,
        }
    } else {
        Update {
            session_id: read.session_id,
            event: Event::from(read.update),
            more: None,
            handled: None,
            #[cfg(feature = "v2")]
            offer: None,
        }
    })
}
