use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use acp_rpc::{CallError, CloseReason};
use acp_types::method::Method;
use acp_types::v1::PromptResponse;
use acp_types::v1::methods::SessionPrompt;
use futures_core::Stream;
use tokio::sync::oneshot;

use crate::{Error, Event, Session};

/// One running prompt turn (`session/prompt`): its events in the order of the wire, then its response.
///
/// The stream of events ends when the response is there and everything the agent sent before it has been read.
/// A reader that is slow slows the agent down; nothing is dropped. All sessions of an agent share one pipe, so turns that
/// run beside each other are to be read beside each other: one that is not read at all makes the others wait in the end.
///
/// Dropping a turn before its end cancels it. What the agent still sends until it has stopped is then the session's: it is
/// kept for [`Session::updates`], or for the next turn.
///
/// ```no_run
/// # async fn turn(session: acp_client::Session) -> Result<(), acp_client::Error> {
/// let mut turn = session.prompt("What changed today?").await?;
/// while let Some(event) = turn.next().await {
///     if let Some(text) = event.text() {
///         // show it
///     }
/// }
/// let done = turn.finish().await?;
/// # Ok(()) }
/// ```
#[must_use = "dropping a turn cancels it"]
pub struct Turn {
    session: Session,
    number: u64,
    arrival: oneshot::Receiver<Outcome>,
    outcome: Option<Outcome>,
    /// How many events came before the outcome and have not been read.
    unread: usize,
}

pub(crate) type Outcome = Result<PromptResponse, CallError>;

impl Turn {
    pub(crate) fn new(session: Session, number: u64, arrival: oneshot::Receiver<Outcome>) -> Self {
        session.state().begin_reading(number);
        Self { session, number, arrival, outcome: None, unread: 0 }
    }

    /// The next event, or `None` when the turn is over. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<Event> {
        poll_fn(|cx| self.poll_event(cx)).await
    }

    /// Waits for the end of the turn and returns the agent's response. Events that were not read are skipped.
    ///
    /// # Errors
    /// The agent answered with an error, or died: [`Error::Closed`] then tells the exit status and what it last wrote
    /// to stderr. A turn that was cancelled is no error: its stop reason says so.
    pub async fn finish(mut self) -> Result<PromptResponse, Error> {
        while self.next().await.is_some() {}
        let outcome = self.outcome.take().unwrap_or(Err(CallError::Closed(CloseReason::Local)));
        outcome.map_err(|error| Error::of_call(SessionPrompt::NAME, Some(self.session.id()), error))
    }

    /// Asks the agent to stop (`session/cancel`), once. Open permission requests of the session are answered with
    /// `cancelled`. Events keep coming until the agent's response, which [`finish`](Self::finish) returns.
    ///
    /// # Errors
    /// The connection is over.
    pub fn cancel(&self) -> Result<(), Error> {
        self.session.cancel_turn(Some(self.number))
    }

    /// The session this is a turn of.
    #[must_use]
    pub const fn session(&self) -> &Session {
        &self.session
    }

    fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<Option<Event>> {
        let inbox = &self.session.state().inbox;
        if self.outcome.is_none() {
            if let Poll::Ready(Some(event)) = inbox.poll_next(cx) {
                return Poll::Ready(Some(event));
            }
            let outcome = ready!(Pin::new(&mut self.arrival).poll(cx));
            // Without a sender the runtime is shutting down.
            self.outcome = Some(outcome.unwrap_or(Err(CallError::Closed(CloseReason::Local))));
            // It comes after every update before it, so they are all in the inbox by now. What comes later belongs to
            // the session.
            self.unread = inbox.len();
        }
        if self.unread > 0
            && let Poll::Ready(Some(event)) = inbox.poll_next(cx)
        {
            self.unread -= 1;
            return Poll::Ready(Some(event));
        }
        self.unread = 0;
        self.session.state().end_reading(self.number);
        Poll::Ready(None)
    }
}

impl Stream for Turn {
    type Item = Event;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Event>> {
        self.get_mut().poll_event(cx)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let state = self.session.state();
        if state.abandon_turn(self.number) {
            // It can only fail when the connection is over, and then the turn is over too.
            let _ = self.cancel();
        }
        state.end_reading(self.number);
    }
}

impl fmt::Debug for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Turn")
            .field("session", self.session.id())
            .field("over", &self.outcome.is_some())
            .finish_non_exhaustive()
    }
}
