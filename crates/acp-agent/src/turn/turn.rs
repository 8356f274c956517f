//! A prompt turn: the agent's updates and questions between a prompt and its answer.

use std::fmt;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use acp_rpc::{CallError, Peer};
use acp_types::Meta;
use acp_types::v1::{ContentBlock, ContentChunk, Plan, PlanEntry, SessionId, SessionUpdate};

use crate::client::Client;
use crate::client::cancel::Cancel;
use crate::error::{Error, Result};
use crate::turn::open_plan::OpenPlan;
use crate::turn::scope::TurnScope;
use crate::turn::steering_queue::SteeringQueue;
use crate::turn::usage::Budget;
use crate::updates::background::Background;
use crate::updates::session_updates::SessionUpdates;
use crate::wire::ask::{Answer, Ask};
#[cfg(feature = "v2")]
use crate::wire::raw::v2;

/// One turn of a session: the user's message, and the verbs to answer it with.
///
/// The verbs send one update each, in the order in which they are awaited, and wait while the
/// client does not read. All of them leave before the turn's answer. Once the handler has returned,
/// a clone that is still around gets [`Error::TurnOver`]. A task sends later updates by
/// [`session_updates`](Self::session_updates).
///
/// # Cancellation
///
/// A turn ends with stop reason `cancelled` after `session/cancel`, after `$/cancel_request` for
/// its prompt, when its session is closed or deleted, and when the client is gone. The handler
/// needs no code for it:
///
/// 1. An await on the turn ends with [`Error::Cancelled`], and so does every later verb; `?`
///    unwinds. Open requests to the client are cancelled.
/// 2. A handler that awaits something else (a model, a timer) is dropped there, as any future can
///    be. Everything that it holds is dropped with it, so its running tool calls are reported as
///    failed.
/// 3. A handler that has noticed the cancellation, because a verb returned it or because it holds
///    the [token](Cancel::token), may go on for [`CANCEL_GRACE`](crate::CANCEL_GRACE) to end by
///    itself. It sends its last updates by [`uncancelled`](Self::uncancelled).
///
/// Then the client gets the answer. It is `cancelled`, whatever the handler returned, an error
/// included.
///
/// A session has one turn at a time. A second prompt is refused with `-32600` until the first is
/// answered, also while that is being cancelled. If the agent has
/// [`queue_prompts`](crate::Profile::queue_prompts), up to [`PROMPT_QUEUE`](crate::PROMPT_QUEUE)
/// prompts wait instead. `session/cancel` then cancels the running turn and every prompt that was
/// sent before the cancel; `$/cancel_request` cancels only the prompt that it names. A prompt that
/// is cancelled while it waits is answered `cancelled`, and its handler never runs.
#[derive(Clone)]
pub struct Turn {
    scope: Arc<TurnScope>,
    /// Set if the verbs go on working after the turn was cancelled.
    last_words: bool,
}

impl Turn {
    pub(crate) const fn new(scope: Arc<TurnScope>) -> Self {
        Turn { scope, last_words: false }
    }

    /// Returns the user's message. Its content is of the kinds that the agent has advertised.
    #[must_use]
    pub fn prompt(&self) -> &[ContentBlock] {
        &self.scope.request.prompt
    }

    /// Returns the text of the user's message: its text blocks, joined by line breaks.
    #[must_use]
    pub fn text(&self) -> String {
        let texts: Vec<_> = self.prompt().iter().filter_map(ContentBlock::as_text).collect();
        texts.join("\n")
    }

    /// Returns the session's id.
    #[must_use]
    pub fn session_id(&self) -> &SessionId {
        &self.scope.request.session_id
    }

    /// Returns the `_meta` of the prompt.
    #[must_use]
    pub fn meta(&self) -> Option<&Meta> {
        self.scope.request.meta.as_ref()
    }

    /// Returns the client.
    #[must_use]
    pub fn client(&self) -> &Client {
        self.scope.session.client()
    }

    /// Returns the sender of the session's updates, which goes on working after the turn.
    #[must_use]
    pub fn session_updates(&self) -> &SessionUpdates {
        &self.scope.session
    }

    /// Returns the conversation of the session, oldest first. This turn's prompt and the updates
    /// that it has sent come last. It is empty unless the agent has a [`store`](crate::store).
    ///
    /// # Errors
    /// The store cannot be read, or has failed to write.
    #[cfg(feature = "store")]
    pub async fn history(&self) -> Result<crate::store::History> {
        self.scope.session.history().await
    }

    /// Sends text: a piece of the answer, as Markdown.
    ///
    /// # Errors
    /// The errors of [`update`](Self::update).
    pub async fn say(&self, text: impl Into<String>) -> Result<()> {
        self.send(ContentBlock::text(text)).await
    }

    /// Sends a piece of reasoning, which the client shows apart from the answer.
    ///
    /// # Errors
    /// The errors of [`update`](Self::update).
    pub async fn thought(&self, text: impl Into<String>) -> Result<()> {
        self.update(SessionUpdate::AgentThoughtChunk(ContentChunk::text(text))).await
    }

    /// Sends content of any kind as a piece of the answer.
    ///
    /// # Errors
    /// The errors of [`update`](Self::update).
    pub async fn send(&self, content: impl Into<ContentBlock>) -> Result<()> {
        self.update(SessionUpdate::AgentMessageChunk(ContentChunk::new(content))).await
    }

    /// Sends the plan: all of its entries, which replace earlier ones.
    ///
    /// # Errors
    /// The errors of [`update`](Self::update).
    pub async fn plan<E: Into<PlanEntry>>(&self, entries: impl IntoIterator<Item = E>) -> Result<()> {
        let entries: Vec<PlanEntry> = entries.into_iter().map(Into::into).collect();
        self.update(SessionUpdate::Plan(Plan::new(entries))).await
    }

    /// Reports work that goes on after the turn: see [`SessionUpdates::background`].
    ///
    /// # Errors
    /// The errors of [`update`](Self::update).
    pub async fn background(&self, name: impl Into<String>) -> Result<Background> {
        self.check_open()?;
        self.session_updates().background(name).await.map_err(|error| self.failed(error))
    }

    /// Sends any update. Relative paths in diffs and locations are joined with the session's
    /// working directory.
    ///
    /// # Errors
    /// [`Error::Cancelled`] when the turn was cancelled or the client is gone; [`Error::TurnOver`]
    /// after the turn's answer; [`Error::NotOffered`] for a kind that the client does not offer;
    /// [`Error::Commands`] for slash commands that cannot be advertised; [`Error::LimitReached`]
    /// once the turn went beyond one of its [limits](Self::limits).
    pub async fn update(&self, update: impl Into<SessionUpdate>) -> Result<()> {
        self.check_open()?;
        let update = update.into();
        let is_usage = self.scope.session.meter().observe(&update);
        self.send_open(None, update).await?;
        if is_usage { self.check_limits() } else { Ok(()) }
    }

    /// Sends an update of version 2 of the protocol exactly as it is. States are the library's: do
    /// not send any.
    ///
    /// # Errors
    /// [`Error::Unsupported`](crate::Error::Unsupported) if the connection speaks version 1:
    /// nothing is sent then. The errors of [`update`](Self::update).
    #[cfg(feature = "v2")]
    pub async fn update_v2(&self, update: impl Into<v2::SessionUpdate> + Send) -> Result<()> {
        let update = self.client().wire().raw(&update.into())?;
        self.update(update).await
    }

    /// Sends an update whose usage was noted.
    pub(super) async fn send_update(&self, update: SessionUpdate) -> Result<()> {
        self.update_adding_to(None, update).await
    }

    /// Sends an update that adds an item to these many of a tool call's content, if it does.
    pub(crate) async fn update_adding_to(
        &self,
        known_items: Option<usize>,
        update: SessionUpdate,
    ) -> Result<()> {
        self.check_open()?;
        self.send_open(known_items, update).await
    }

    /// Sends an update of a turn that was just found open.
    async fn send_open(&self, known_items: Option<usize>, update: SessionUpdate) -> Result<()> {
        self.scope.flow.sends();
        let (session, gate) = (&self.scope.session, &self.scope.gate);
        let (open, mut plan) = (&self.scope.plan, OpenPlan::of(&update));
        let attempt = || session.try_send(gate, update, known_items);
        let tried = open.sending(&mut plan, attempt, |tried| matches!(tried, Ok(None)));
        if let Some(update) = tried.map_err(|error| self.failed(error))? {
            let mut sending = pin!(session.send_when_possible(gate, update, known_items));
            let sending = poll_fn(|cx| {
                let step = || sending.as_mut().poll(cx);
                open.sending(&mut plan, step, |sent| matches!(sent, Poll::Ready(Ok(()))))
            });
            tokio::select! {
                biased;
                sent = sending => sent.map_err(|error| self.failed(error))?,
                () = self.scope.cancel.cancelled(), if !self.last_words => return Err(Error::Cancelled),
            }
        }
        Ok(())
    }

    /// Sends an update without waiting, for drop guards.
    pub(crate) fn update_now(&self, update: &SessionUpdate) {
        self.scope.session.send_now(&self.scope.gate, update);
    }

    /// Asks the client, unless the turn is cancelled first.
    pub(crate) async fn ask_client<Q: Ask>(&self, request: &Q) -> Result<Answer<Q>> {
        self.ask_through(self.client().peer(), request).await
    }

    /// Asks the client for something that takes its time, as a command does.
    /// `Options::request_timeout` does not hold.
    pub(crate) async fn ask_untimed<Q: Ask>(&self, request: &Q) -> Result<Answer<Q>> {
        self.ask_through(&self.client().peer().timeout(None), request).await
    }

    /// Asks the user. The turn is blocked until the answer comes.
    pub(crate) async fn ask_user<Q: Ask>(&self, request: &Q) -> Result<Answer<Q>> {
        let (fitted, lost) = self.client().wire().fit_request(request)?;
        self.session_updates().report(lost);
        let blocked = self.scope.flow.blocked();
        let answer = self.ask_untimed(fitted.as_ref().unwrap_or(request)).await;
        if !self.scope.cancel.has_fired() {
            blocked.answered();
        }
        answer
    }

    async fn ask_through<Q: Ask>(&self, peer: &Peer, request: &Q) -> Result<Answer<Q>> {
        self.heeding(async {
            let answer = self.client().wire().ask(peer, request).await;
            answer.map_err(|error| self.failed(error))
        })
        .await
    }

    /// Returns the turn's cancellation, for handlers that want to look at it.
    #[must_use]
    pub fn cancel(&self) -> &Cancel {
        &self.scope.cancel
    }

    /// Waits until the turn is cancelled.
    pub async fn cancelled(&self) {
        self.scope.cancel.cancelled().await;
    }

    /// Returns this turn for last words: its verbs work after the cancellation, until the turn is
    /// answered.
    #[must_use]
    pub fn uncancelled(&self) -> Turn {
        self.scope.cancel.notice();
        self.without_cancel()
    }

    pub(super) fn budget(&self) -> &Budget {
        &self.scope.budget
    }

    pub(super) fn steering_queue(&self) -> &SteeringQueue {
        &self.scope.steering
    }

    pub(crate) fn without_cancel(&self) -> Turn {
        Turn { scope: Arc::clone(&self.scope), last_words: true }
    }

    /// Does `work` unless the turn is cancelled or over. If both are ready, the end of the turn
    /// wins.
    pub(crate) async fn heeding<T>(&self, work: impl Future<Output = Result<T>>) -> Result<T> {
        tokio::select! {
            biased;
            error = self.closed() => Err(error),
            result = work => result,
        }
    }

    /// Refuses to go on when the verbs do not work any more.
    pub(crate) fn check_open(&self) -> Result<()> {
        if self.scope.gate.is_closed() {
            return Err(Error::TurnOver);
        }
        if !self.last_words && self.scope.cancel.is_cancelled() {
            return Err(Error::Cancelled);
        }
        match self.scope.budget.error(self.session_id()) {
            Some(error) if !self.last_words => Err(error),
            _ => Ok(()),
        }
    }

    /// Waits until the verbs do not work any more, and returns the error that says why.
    pub(crate) async fn closed(&self) -> Error {
        tokio::select! {
            biased;
            error = self.scope.gate.closed() => error,
            () = self.scope.cancel.cancelled(), if !self.last_words => Error::Cancelled,
        }
    }

    /// Converts the error of a call. A client that is gone has cancelled its turns, even if the
    /// message about it is still on its way.
    pub(crate) fn failed(&self, error: Error) -> Error {
        if !matches!(error, Error::Call { error: CallError::Closed(_), .. }) {
            return error;
        }
        self.scope.cancel.fire();
        self.scope.cancel.notice();
        Error::Cancelled
    }
}

impl fmt::Debug for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Turn").field("session_id", self.session_id()).finish_non_exhaustive()
    }
}
