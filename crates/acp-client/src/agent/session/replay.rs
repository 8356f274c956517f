//! The conversation of a session that is loaded.

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use acp_rpc::CallError;
use acp_types::v1::LoadSessionRequest;
use futures_core::Stream;

use crate::agent::session::open::LoadSession;
use crate::sessions::table::Attached;
use crate::wire::moment::Moment;
use crate::wire::opened::Opened;
use crate::wire::opening::Loading;
use crate::{Agent, Error, Event, Session};

/// A session that is being loaded (`session/load`): a stream of the events of its conversation, and
/// then the session.
///
/// A slow reader slows the agent down. No event is dropped, however long the conversation is.
/// Dropping the replay before its end withdraws the request.
///
/// ```no_run
/// # async fn open(agent: acp_client::Agent) -> Result<(), acp_client::Error> {
/// let mut replay = agent.load_session("yesterday", "/home/me/project").replay().await?;
/// while let Some(event) = replay.next().await {
///     // show it
/// }
/// let session = replay.finish().await?;
/// # Ok(()) }
/// ```
#[must_use = "the drop of a replay withdraws the request"]
pub struct Replay {
    agent: Agent,
    session: Attached,
    pending: Loading,
    outcome: Option<Result<Opened, CallError>>,
    /// An event that was read to see that the agent has begun.
    first: Option<Event>,
}

impl LoadSession {
    /// Requests the session and returns at once, so that the conversation can be read while it
    /// arrives. With [`wait_until_free`](Self::wait_until_free) it returns when the first event or
    /// the answer has come.
    ///
    /// # Errors
    /// [`Error::NotOffered`], [`Error::Argument`], [`Error::Closed`]. With `wait_until_free` also
    /// the agent's error, if it comes before any event.
    pub async fn replay(self) -> Result<Replay, Error> {
        if self.waits() { self.until_free(Self::begin_replay).await } else { self.request_replay().await }
    }

    async fn begin_replay(self) -> Result<Replay, Error> {
        let mut replay = self.request_replay().await?;
        replay.first = replay.next().await;
        match replay.outcome.take() {
            Some(Err(error)) if replay.first.is_none() => Err(replay.failed(error)),
            outcome => {
                replay.outcome = outcome;
                Ok(replay)
            }
        }
    }

    async fn request_replay(self) -> Result<Replay, Error> {
        let (agent, request) = self.request()?;
        let roots = agent.shared().roots(&request.cwd, &request.additional_directories).await;
        let session = agent.shared().sessions.take_up(&request.session_id, roots);
        let pending = agent.wire().load(agent.peer(), session.lane(), &request).await?;
        session.inbox.add_reader();
        Ok(Replay { agent, session, pending, outcome: None, first: None })
    }
}

impl Replay {
    /// Returns the next event, or `None` after the agent has answered. Dropping the future loses
    /// nothing.
    pub async fn next(&mut self) -> Option<Event> {
        poll_fn(|cx| self.poll_event(cx)).await
    }

    /// Waits for the answer and returns the session. Unread events are skipped.
    ///
    /// # Errors
    /// The agent answered with an error, or died.
    pub async fn finish(mut self) -> Result<Session, Error> {
        while self.next().await.is_some() {}
        match self.outcome.take() {
            Some(Ok(opened)) => Ok(Session::new(self.agent.clone(), self.session.clone(), opened)),
            Some(Err(error)) => Err(self.failed(error)),
            None => Err(self.failed(CallError::Closed(acp_rpc::CloseReason::Local))),
        }
    }

    fn failed(&self, error: CallError) -> Error {
        self.agent.wire().failed::<LoadSessionRequest>(Some(self.session.id()), error)
    }

    fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<Option<Event>> {
        if let Some(event) = self.first.take() {
            return Poll::Ready(Some(event));
        }
        let inbox = &self.session.inbox;
        if self.outcome.is_none() {
            // It comes through the session's lane, so all earlier events are in the inbox by then.
            match Pin::new(&mut self.pending).poll(cx) {
                Poll::Ready(outcome) => self.outcome = Some(outcome),
                Poll::Pending => match ready!(inbox.poll_next(cx)) {
                    Some(event) => return Poll::Ready(Some(event)),
                    // The connection is over, and the outcome is about to tell so.
                    None => return Poll::Pending,
                },
            }
        }
        let end = match &self.outcome {
            Some(Ok(opened)) => opened.at,
            _ => Moment::now(),
        };
        Poll::Ready(inbox.next_before(end))
    }
}

impl Stream for Replay {
    type Item = Event;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Event>> {
        self.get_mut().poll_event(cx)
    }
}

impl Drop for Replay {
    fn drop(&mut self) {
        self.session.inbox.remove_reader();
    }
}

impl fmt::Debug for Replay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Replay")
            .field("session", self.session.id())
            .field("over", &self.outcome.is_some())
            .finish_non_exhaustive()
    }
}
