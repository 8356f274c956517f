//! One prompt turn: its events, then its response.

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use acp_rpc::{CallError, CloseReason};
use acp_types::v1::ext::Spent;
use acp_types::v1::{MessageId, PromptRequest, StopReason};
use futures_core::Stream;
use tokio::sync::oneshot::{self, error::RecvError};
use tokio::time::{Sleep, sleep_until};

use crate::agent::session::response::TurnResponse;
use crate::agent::session::watch::Watch;
use crate::sessions::session_state as phase;
use crate::wire::end::Ended;
use crate::wire::flow::PromptId;
use crate::wire::moment::{Moment, Read};
use crate::{Error, Event, IntoPrompt, Session, Steer, TurnLimits};

/// A running prompt turn (`session/prompt`): a stream of its events, and then its response.
///
/// The stream ends when the response has arrived and everything that the agent sent before it has
/// been read. A slow reader slows the agent down, and no event is dropped. All sessions of an agent
/// share one pipe, so read turns that run at the same time concurrently. A turn that nobody reads
/// holds up the others in the end.
///
/// Dropping a turn before its end cancels it. Later events of the agent are the session's: they are
/// kept for [`Session::updates`] or for the next turn.
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
    arrival: oneshot::Receiver<Ended>,
    /// The response, and its position in the order of the wire.
    outcome: Option<(Result<TurnResponse, Unended>, Moment)>,
    /// Runs after a cancel.
    deadline: Option<Pin<Box<Sleep>>>,
    watch: Watch,
    message: PromptId,
}

/// The reason why a turn has no response.
enum Unended {
    Call(CallError),
    Overdue(Duration),
}

impl Turn {
    pub(crate) fn new(
        session: Session,
        number: u64,
        arrival: oneshot::Receiver<Ended>,
        message: PromptId,
    ) -> Self {
        session.state().begin_reading(number);
        let watch = Watch::new(number, session.agent().turn_limits().clone());
        Self { session, number, arrival, outcome: None, deadline: None, watch, message }
    }

    /// Returns the next event, or `None` if the turn is over. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<Event> {
        poll_fn(|cx| self.poll_event(cx)).await
    }

    /// Waits for the end of the turn and returns the agent's response. Unread events are skipped.
    ///
    /// # Errors
    /// The agent answered with an error. Or it died: then [`Error::Closed`] has the exit status and
    /// the last lines on stderr. A cancelled turn is not an error: its stop reason says so. But
    /// [`Error::CancelTimeout`] if the agent does not end it, and [`Error::LimitReached`] if the
    /// turn was cancelled because it went beyond a [limit](TurnLimits).
    pub async fn finish(mut self) -> Result<TurnResponse, Error> {
        while self.next().await.is_some() {}
        let outcome = self.outcome.take().map(|(outcome, _)| outcome);
        let outcome = outcome.unwrap_or(Err(Unended::Call(CallError::Closed(CloseReason::Local))));
        let was_cancelled = match &outcome {
            Ok(response) => response.stop_reason == StopReason::Cancelled,
            // Some agents answer a cancelled prompt with an error.
            Err(Unended::Overdue(_) | Unended::Call(CallError::Remote(_))) => true,
            Err(Unended::Call(_)) => false,
        };
        if let Some(limit) = self.watch.reached().filter(|_| was_cancelled) {
            return Err(Error::LimitReached { session: self.session.id().clone(), limit: limit.clone() });
        }
        let id = self.session.id();
        outcome.map_err(|unended| match unended {
            Unended::Call(error) => self.session.agent().wire().failed::<PromptRequest>(Some(id), error),
            Unended::Overdue(waited) => Error::CancelTimeout { session: id.clone(), waited },
        })
    }

    /// Asks the agent to stop (`session/cancel`), once. Open permission requests of the session are
    /// answered with `cancelled`. Events keep coming until the agent's response, which
    /// [`finish`](Self::finish) returns, or until the agent's
    /// [time](crate::Connect::cancel_timeout) is up.
    ///
    /// # Errors
    /// The connection is over.
    pub fn cancel(&self) -> Result<(), Error> {
        self.session.cancel_turn(Some(self.number))
    }

    /// Sends a message of the user into this turn while it runs (`_session/steering`, an extension
    /// of some agents), and returns the way that the message went. A turn that is over does not get
    /// it: the outcome is [`PromptRequired`](crate::SteerOutcome::PromptRequired).
    ///
    /// An agent may answer only when it takes the message, so read the turn meanwhile:
    ///
    /// ```no_run
    /// # async fn steer(session: acp_client::Session) -> Result<(), Box<dyn std::error::Error>> {
    /// use acp_client::SteerOutcome;
    ///
    /// let mut turn = session.prompt("Fix the bug").await?;
    /// let steered = tokio::spawn(turn.steer("And run the tests").into_future());
    /// while let Some(event) = turn.next().await {
    ///     // show it
    /// }
    /// turn.finish().await?;
    /// if steered.await??.outcome == SteerOutcome::PromptRequired {
    ///     session.prompt("And run the tests").await?.finish().await?;
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// Awaiting it has the errors of [`Session::steer`](crate::Session::steer).
    pub fn steer(&self, content: impl IntoPrompt) -> Steer {
        Steer::new(self.session.clone(), Some(self.number), content)
    }

    /// Sets the limits of this turn, in place of those of
    /// [`Connect::turn_limits`](crate::Connect::turn_limits). If the session is beyond one of them
    /// already, the turn is cancelled at once.
    ///
    /// They cannot let a turn begin that those of the connection refuse: see
    /// [`Session::prompt`].
    pub fn limits(mut self, limits: TurnLimits) -> Self {
        self.watch.set_limits(limits);
        self.check_usage();
        self
    }

    /// Returns the time for which the agent has been silent: since the reader waits for an event.
    ///
    /// It is zero while an event is unread, and while the client works for the agent: a permission
    /// or another question is open, a request of this session is not answered, or a command runs in
    /// a terminal of the client. A command counts as running until the agent has waited for its
    /// end, or has released its terminal.
    #[must_use]
    pub fn idle_for(&self) -> Duration {
        if self.outcome.is_some() { Duration::ZERO } else { self.watch.idle_for(self.session.state()) }
    }

    /// Returns the tokens and costs of this turn so far. The sum of the session is in
    /// [`Session::usage`].
    #[must_use]
    pub fn usage(&self) -> Spent {
        self.session.usage().turn
    }

    /// Returns the id that the agent has given the prompt. `None` until it has accepted the prompt,
    /// and always in version 1 of the protocol. [`Transcript::prompt_id`] takes it in.
    ///
    /// [`Transcript::prompt_id`]: crate::Transcript::prompt_id
    #[must_use]
    pub fn message_id(&self) -> Option<&MessageId> {
        self.message.get()
    }

    /// Returns the session of this turn.
    #[must_use]
    pub const fn session(&self) -> &Session {
        &self.session
    }

    fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<Option<Event>> {
        let state = self.session.state();
        if self.outcome.is_none() {
            // It comes through the session's lane, so all earlier events are in the inbox by then.
            let outcome = match Pin::new(&mut self.arrival).poll(cx) {
                Poll::Ready(outcome) => settled(outcome),
                Poll::Pending => match state.inbox.poll_next(cx) {
                    Poll::Ready(Some(event)) => {
                        self.received(&event);
                        return Poll::Ready(Some(event));
                    }
                    _ if self.is_silent(cx) => return self.poll_event(cx),
                    _ => (Err(ready!(self.poll_overdue(cx))), Moment::now()),
                },
            };
            self.outcome = Some(outcome);
        }
        let state = self.session.state();
        // Later events belong to the session.
        let last = self.outcome.as_ref().and_then(|(_, end)| state.inbox.next_before(*end));
        if last.is_none() {
            state.end_reading(self.number);
        }
        Poll::Ready(last)
    }

    /// Notes an event. A report of costs may be beyond a limit.
    fn received(&mut self, event: &Event) {
        self.watch.received();
        if let Event::Usage(_) = event {
            self.check_usage();
        }
    }

    /// Cancels the turn if it is beyond a limit of tokens or costs.
    fn check_usage(&mut self) {
        if self.watch.check_usage(self.session.state()).is_some() {
            // It only fails if the connection is over, and then the turn is over too.
            let _ = self.cancel();
        }
    }

    /// Returns true if the agent has just been silent for too long. The turn is cancelled then.
    fn is_silent(&mut self, cx: &mut Context<'_>) -> bool {
        let is_silent = self.watch.poll_silence(self.session.state(), cx).is_some();
        if is_silent {
            let _ = self.cancel();
        }
        is_silent
    }

    /// Returns ready when the agent takes too long to end a cancelled turn. Then nobody waits for
    /// it any more.
    fn poll_overdue(&mut self, cx: &mut Context<'_>) -> Poll<Unended> {
        let Some(patience) = self.session.agent().cancel_timeout() else { return Poll::Pending };
        let state = self.session.state();
        if self.deadline.is_none() {
            let deadline = state.cancelled(self.number).and_then(|at| phase::deadline(at, Some(patience)));
            self.deadline = deadline.map(|deadline| Box::pin(sleep_until(deadline)));
        }
        // A later cancel wakes the reader.
        let Some(sleep) = &mut self.deadline else { return Poll::Pending };
        ready!(sleep.as_mut().poll(cx));
        state.abandon_turn(self.number);
        Poll::Ready(Unended::Overdue(patience))
    }
}

fn settled(arrival: Result<Ended, RecvError>) -> (Result<TurnResponse, Unended>, Moment) {
    // Without a sender the runtime is shutting down.
    match arrival.unwrap_or(Err(CallError::Closed(CloseReason::Local))) {
        Ok(Read { value, at }) => (Ok(TurnResponse::new(value)), at),
        Err(error) => (Err(Unended::Call(error)), Moment::now()),
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
            // It only fails if the connection is over, and then the turn is over too.
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
