//! The obligation to answer a request.

use std::fmt;
use std::sync::Arc;

use acp_rpc::{Error, Id};

use super::cancel::Cancel;
use crate::wire::forms::error_text;
use crate::wire::message::Answer;

/// A connection that takes the answers to its peer's requests.
pub(crate) trait Answers: Send + Sync {
    fn answer(&self, id: &Id, answer: Answer<'_>);
}

/// Answers one request, once. Dropping it answers with an error.
pub(crate) struct Responder {
    to: Option<To>,
    cancel: Arc<Cancel>,
}

enum To {
    Connection(Arc<dyn Answers>, Id),
    Then(Box<dyn FnOnce(Answer<'_>) + Send>),
}

impl Responder {
    /// Makes one for a request of a peer.
    pub(crate) fn of_peer(connection: Arc<dyn Answers>, id: Id, cancel: Arc<Cancel>) -> Self {
        Self { to: Some(To::Connection(connection, id)), cancel }
    }

    /// Makes one that calls a function.
    pub(crate) fn then(cancel: Arc<Cancel>, then: impl FnOnce(Answer<'_>) + Send + 'static) -> Self {
        Self { to: Some(To::Then(Box::new(then))), cancel }
    }

    pub(crate) const fn cancel(&self) -> &Arc<Cancel> {
        &self.cancel
    }

    pub(crate) fn answer(mut self, answer: Answer<'_>) {
        self.send(answer);
    }

    pub(crate) fn refuse(self, error: &Error) {
        self.answer(Answer::Error(&error_text(error)));
    }

    /// Looks at the answer before it goes on, and may replace it.
    pub(crate) fn seen_by(
        self,
        see: impl for<'a> FnOnce(Answer<'a>, &mut dyn FnMut(Answer<'_>)) + Send + 'static,
    ) -> Self {
        let cancel = Arc::clone(&self.cancel);
        let mut inner = Some(self);
        Self::then(cancel, move |answer| {
            see(answer, &mut |answer| {
                if let Some(inner) = inner.take() {
                    inner.answer(answer);
                }
            });
        })
    }

    fn send(&mut self, answer: Answer<'_>) {
        match self.to.take() {
            Some(To::Connection(connection, id)) => connection.answer(&id, answer),
            Some(To::Then(then)) => then(answer),
            None => {}
        }
    }
}

impl Drop for Responder {
    fn drop(&mut self) {
        if self.to.is_some() {
            self.send(Answer::Error(&error_text(&Error::internal("the request was given up on its way"))));
        }
    }
}

impl fmt::Debug for Responder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Responder").field("cancel", &self.cancel).finish_non_exhaustive()
    }
}
