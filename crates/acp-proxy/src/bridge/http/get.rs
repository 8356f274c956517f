//! The stream of a session of the legacy era for messages that belong to no request, and its end.

use std::sync::Arc;

use hyper::http::request::Parts;
use hyper::{Response, StatusCode};

use super::body::{Body, Reader};
use super::gate::only;
use super::headers::SESSION;
use super::post::stream;
use super::{Server, plain};
use crate::bridge::offers::Offer;
use crate::bridge::out::Out;
use crate::bridge::outbox::Outbox;

impl Server {
    /// Opens the stream of a session. The newest one counts.
    pub(super) fn get(&self, parts: &Parts, offer: &Arc<Offer>) -> Response<Body> {
        // Without a session there is nothing to listen to.
        let Some(session) = only(&parts.headers, &SESSION) else {
            return plain(StatusCode::METHOD_NOT_ALLOWED);
        };
        let Some(conversation) = self.sessions.get(session, offer) else {
            return plain(StatusCode::NOT_FOUND);
        };
        let outbox = Outbox::new(self.shared.bounds.budget);
        conversation.set_aside(Some(Out::events(Arc::clone(&outbox), &self.shared.full)));
        stream(Reader { outbox, conversation, is_alone: false }, None)
    }

    pub(super) fn delete(&self, parts: &Parts, offer: &Arc<Offer>) -> Response<Body> {
        let Some(session) = only(&parts.headers, &SESSION) else {
            return plain(StatusCode::METHOD_NOT_ALLOWED);
        };
        if self.sessions.get(session, offer).is_none() {
            return plain(StatusCode::NOT_FOUND);
        }
        self.sessions.remove(session);
        plain(StatusCode::NO_CONTENT)
    }
}
