//! A message of this side, and the way that it goes.

use std::sync::Arc;

use acp_rpc::Id;
use serde_json::Value;

use super::lanes::{Lane, Lanes};
use super::ledger::Ledger;
use super::outbox::Sent;
use crate::client::error::Exchanged;
use crate::wire::head::{Head, Kind};
use crate::wire::headers::fits_header;

/// A message that goes to the server.
pub(super) struct Letter {
    pub(super) sent: Sent,
    /// The id of a request.
    pub(super) request: Option<Id>,
    /// The id of the agent's request that it answers.
    pub(super) answers: Option<Id>,
    pub(super) method: Option<String>,
    pub(super) session: Option<Arc<str>>,
}

impl Letter {
    /// Finds the way of a message, and puts it into its lane.
    pub(super) fn enter(sent: Sent, ledger: &mut Ledger, lanes: &mut Lanes<Self>) {
        let mut lane = Lane::Connection;
        let (mut request, mut answers, mut method, mut session) = (None, None, None, None);
        if let Ok(head) = Head::read(&sent.message) {
            method = head.method().map(str::to_owned);
            let named = head.session.as_deref().filter(|session| fits_header(session)).map(Arc::<str>::from);
            let is_about_protocol = method.as_deref().is_some_and(|method| method.starts_with("$/"));
            match head.kind {
                Kind::Answer { id, .. } => {
                    session = id.as_ref().and_then(|id| ledger.session_of(id));
                    answers = id;
                    lane = Lane::Answers;
                }
                Kind::Notification { .. } if method.as_deref() == Some("$/cancel_request") => {
                    // It must not come before its request.
                    let waiting = cancelled(&sent.message).and_then(|id| lanes.lane_of(&id));
                    lane = waiting.unwrap_or(Lane::Answers);
                }
                Kind::Notification { .. } if is_about_protocol => {}
                Kind::Notification { .. } => session = named,
                Kind::Request { id, ref method } => {
                    session = named;
                    ledger.noted(id.clone(), method, session.clone());
                    request = Some(id);
                }
            }
        }
        if let (Lane::Connection, Some(session)) = (&lane, &session) {
            lane = Lane::Session(Arc::clone(session));
        }
        lanes.push(lane, request.clone(), Self { sent, request, answers, method, session });
    }

    /// Returns its POST, as errors name it.
    pub(super) fn exchanged(&self) -> Exchanged {
        Exchanged::new("POST", self.method.as_deref(), self.session.as_deref())
    }

    /// Returns true if the other side waits for it for ever, and takes no harm from it twice: an
    /// answer, whose id nobody waits for the second time, or a cancellation. The next message of
    /// its session does not overtake it.
    pub(super) fn must_arrive(&self) -> bool {
        let is_cancel = matches!(self.method.as_deref(), Some("session/cancel" | "$/cancel_request"));
        self.request.is_none() && (is_cancel || self.answers.is_some())
    }

    /// Returns true for `session/load` and `session/resume`.
    pub(super) fn takes_session_up(&self) -> bool {
        matches!(self.method.as_deref(), Some("session/load" | "session/resume"))
    }
}

/// Returns the id of the request that a `$/cancel_request` is about.
pub(super) fn cancelled(message: &[u8]) -> Option<Id> {
    let message: Value = serde_json::from_slice(message).ok()?;
    match message.get("params")?.get("requestId")? {
        Value::String(id) => Some(Id::Str(id.as_str().into())),
        id => id.as_i64().map(Id::Int),
    }
}
