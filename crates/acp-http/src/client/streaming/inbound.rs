//! Messages of the server, and their consequences for the streams.

use std::sync::Arc;
use std::time::Duration;

use acp_rpc::{Error as RpcError, Id};
use serde_json::json;

use super::ledger::{Effect, Open};
use super::letter::cancelled;
use super::sessions::Sessions;
use super::shared::Shared;
use super::stop::StreamKey;
use crate::wire::head::{Head, Kind};
use crate::wire::headers::fits_header;

/// The silence on the stream of a session after which its history counts as complete. The two
/// streams have no order.
const HISTORY: Duration = Duration::from_millis(100);

/// The way of a message to the peer.
enum Way {
    Direct,
    /// When the stream of this session is open.
    With(StreamKey),
    /// Behind what is on the stream of this session.
    Behind(StreamKey, Option<Duration>),
    /// It is the last one of this session.
    Ends(StreamKey),
}

/// Takes a message that came on a stream.
pub(super) async fn received(shared: &Arc<Shared>, message: Vec<u8>, from: &StreamKey) {
    match way(shared, &message, from) {
        Way::Direct => shared.inbox.put(message).await,
        Way::With(session) => {
            if let Some(message) = Sessions::open(shared, &session, Some(message)) {
                shared.inbox.put(message).await;
            }
        }
        Way::Behind(session, silence) => {
            if let Some(message) = shared.sessions.put_behind(&session, message, silence).await {
                shared.inbox.put(message).await;
            }
        }
        Way::Ends(session) => {
            let waits = from.is_none() && shared.sessions.holds(&session);
            let message = match waits {
                true => shared.sessions.put_behind(&session, message, None).await,
                false => Some(message),
            };
            if let Some(message) = message {
                shared.inbox.put(message).await;
            }
            shared.sessions.end(&session);
        }
    }
}

fn way(shared: &Shared, message: &[u8], from: &StreamKey) -> Way {
    // Whatever is not a message is for the peer to judge.
    let Ok(head) = Head::read(message) else { return Way::Direct };
    match &head.kind {
        Kind::Request { id, .. } => {
            let named = head.session.as_deref().filter(|session| fits_header(session));
            let session = named.map(Arc::from).or_else(|| from.clone());
            if let Some(session) = &session {
                shared.ledger().asked(id, Arc::clone(session));
            }
            way_of_call(shared, session, from)
        }
        Kind::Answer { id: Some(id), is_error } => match shared.ledger().answered(id) {
            Some(open) => way_of_answer(shared, open, &head, *is_error, from),
            None => Way::Direct,
        },
        Kind::Notification { method } if method == "$/cancel_request" => {
            let session = cancelled(message).and_then(|id| shared.ledger().asked_in(&id));
            way_of_call(shared, session, from)
        }
        Kind::Notification { .. } => way_of_call(shared, head.session.as_deref().map(Arc::from), from),
        Kind::Answer { id: None, .. } => Way::Direct,
    }
}

/// Keeps the messages of a session on the connection's stream in order.
fn way_of_call(shared: &Shared, session: StreamKey, from: &StreamKey) -> Way {
    match session.is_some() && from.is_none() && shared.sessions.holds(&session) {
        true => Way::Behind(session, None),
        false => Way::Direct,
    }
}

fn way_of_answer(shared: &Shared, open: Open, head: &Head<'_>, is_error: bool, from: &StreamKey) -> Way {
    let new = || head.session.as_deref().filter(|session| fits_header(session)).map(Arc::from);
    match (open.effect, open.session) {
        (Effect::Opens, _) if !is_error => match new() {
            Some(session) => Way::With(Some(session)),
            None => Way::Direct,
        },
        (Effect::Confirms, Some(session))
            if !is_error && !shared.sessions.is_open(&Some(session.clone())) =>
        {
            Way::With(Some(session))
        }
        (Effect::Ends, Some(session)) if !is_error => Way::Ends(Some(session)),
        // Some servers send the history on the session's stream, and the answer on this one.
        (Effect::Confirms, Some(session)) if from.is_none() && !is_error => {
            Way::Behind(Some(session), Some(HISTORY))
        }
        (_, Some(session)) if from.is_none() => Way::Behind(Some(session), None),
        _ => Way::Direct,
    }
}

/// Takes a message that is too long to be kept: a request is answered, an answer is replaced.
pub(super) async fn oversized(shared: &Shared, id: Option<Id>, is_call: bool) {
    let limit = shared.settings.message_limit;
    tracing::warn!(limit, "skipped a message of the server that is longer than the limit");
    let Some(id) = id else { return };
    let error = RpcError::invalid_request(format!("the message is longer than the limit of {limit} bytes"));
    if is_call {
        let error = json!({ "code": error.code, "message": error.message, "data": { "limit": limit } });
        shared.own.send(json!({ "jsonrpc": "2.0", "id": id, "error": error }).to_string().into_bytes());
    } else if shared.ledger().answered(&id).is_some() {
        let message = format!("the answer is longer than the limit of {limit} bytes");
        shared.answer(&id, &RpcError::new(RpcError::INTERNAL_ERROR, message)).await;
    }
}
