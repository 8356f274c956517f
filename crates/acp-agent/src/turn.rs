//! A prompt turn: what the agent says and asks between a prompt and its answer.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use acp_rpc::{CallError, CancellationToken};
use acp_types::Meta;
use acp_types::method::{Method as _, Request};
use acp_types::v1::{
    ClientCapabilities, ContentBlock, ContentChunk, Plan, PlanEntry, PromptRequest, SessionId,
    SessionNotification, SessionUpdate, methods,
};
use serde_core::ser::{Error as _, Serialize, Serializer};

use crate::cancel::Cancel;
use crate::client::Client;
use crate::error::{Error, Result};

/// One turn of a session: the user's message, and the verbs to answer it with.
///
/// The verbs send one update each, in the order in which they are awaited, and wait while the client does not
/// read. All of them leave before the turn's answer (rule `v1-turn-07`): once the handler has returned, a
/// clone that is still around gets [`Error::TurnOver`].
///
/// # Cancellation
///
/// A turn ends with stop reason `cancelled` after `session/cancel`, after `$/cancel_request` for its prompt,
/// and when the client is gone. The handler needs no code for it:
///
/// 1. Whatever it awaits on its turn ends with [`Error::Cancelled`], and so does every later verb; `?` unwinds.
///    Requests to the client that are still open are cancelled.
/// 2. A handler that awaits something else (a model, a timer) is dropped there, as any future can be: what it
///    holds is dropped with it, so tool calls that are running are reported as failed.
/// 3. A handler that has seen the cancellation, because a verb told it or because it holds the
///    [token](Cancel::token), may go on for [`CANCEL_GRACE`](crate::CANCEL_GRACE) to end by itself. What it
///    still has to say it says with [`uncancelled`](Self::uncancelled).
///
/// Then the client gets the answer. Whatever the handler returned, an error included, it is `cancelled`
/// (rules `v1-cancel-05`, `v1-cancel-06`).
///
/// A session has one turn at a time: a second prompt is refused with `-32600` until the first is answered,
/// also while that is being cancelled.
#[derive(Clone)]
pub struct Turn {
    scope: Arc<TurnScope>,
    /// Whether the verbs work on after the turn was cancelled.
    last_words: bool,
}

/// What the clones of a turn share with its session.
pub(crate) struct TurnScope {
    request: Arc<PromptRequest>,
    client: Client,
    pub(crate) cancel: Cancel,
    /// Set before the answer is made.
    over: AtomicBool,
    /// Fires after that.
    pub(crate) done: CancellationToken,
}

impl Turn {
    pub(crate) const fn new(scope: Arc<TurnScope>) -> Self {
        Turn { scope, last_words: false }
    }

    /// The user's message. Its content is of the kinds that the agent has advertised.
    #[must_use]
    pub fn prompt(&self) -> &[ContentBlock] {
        &self.scope.request.prompt
    }

    /// The text of the user's message: its text blocks, joined by line breaks.
    #[must_use]
    pub fn text(&self) -> String {
        let texts: Vec<_> = self.prompt().iter().filter_map(ContentBlock::as_text).collect();
        texts.join("\n")
    }

    /// The session's id.
    #[must_use]
    pub fn session_id(&self) -> &SessionId {
        &self.scope.request.session_id
    }

    /// The `_meta` of the prompt.
    #[must_use]
    pub fn meta(&self) -> Option<&Meta> {
        self.scope.request.meta.as_ref()
    }

    /// The client: who it is and what it offers.
    #[must_use]
    pub fn client(&self) -> &Client {
        &self.scope.client
    }

    /// Says something: a piece of the answer, as Markdown.
    ///
    /// # Errors
    /// Those of [`update`](Self::update).
    pub async fn say(&self, text: impl Into<String>) -> Result<()> {
        self.send(ContentBlock::text(text)).await
    }

    /// Thinks aloud: a piece of reasoning, which the client shows apart from the answer.
    ///
    /// # Errors
    /// Those of [`update`](Self::update).
    pub async fn thought(&self, text: impl Into<String>) -> Result<()> {
        self.update(SessionUpdate::AgentThoughtChunk(ContentChunk::text(text))).await
    }

    /// Sends content of any kind as a piece of the answer.
    ///
    /// # Errors
    /// Those of [`update`](Self::update).
    pub async fn send(&self, content: impl Into<ContentBlock>) -> Result<()> {
        self.update(SessionUpdate::AgentMessageChunk(ContentChunk::new(content))).await
    }

    /// Tells the plan: all of its entries, which replace those told before (rule `v1-plan-02`).
    ///
    /// # Errors
    /// Those of [`update`](Self::update).
    pub async fn plan<E: Into<PlanEntry>>(&self, entries: impl IntoIterator<Item = E>) -> Result<()> {
        let entries: Vec<PlanEntry> = entries.into_iter().map(Into::into).collect();
        self.update(SessionUpdate::Plan(Plan::new(entries))).await
    }

    /// Sends any update.
    ///
    /// # Errors
    /// [`Error::Cancelled`] when the turn was cancelled or the client is gone, [`Error::TurnOver`] after the
    /// turn's answer, [`Error::Unsupported`] for a kind that the client has to offer first.
    pub async fn update(&self, update: impl Into<SessionUpdate>) -> Result<()> {
        let update = update.into();
        check_offered(&update, self.client().capabilities())?;
        let notification = SessionNotification::new(self.session_id(), update);
        let notification = WhileOpen { over: &self.scope.over, value: &notification };
        self.check_open()?;
        let peer = self.client().peer();
        // The message first: as a rule there is room for it, and nothing is waited for.
        tokio::select! {
            biased;
            sent = peer.notify(methods::SessionUpdate::NAME, &notification) => {
                sent.map_err(|error| self.failed(methods::SessionUpdate::NAME, error))
            }
            error = self.closed() => Err(error),
        }
    }

    /// Sends an update without waiting, for drop guards.
    pub(crate) fn update_now(&self, update: SessionUpdate) {
        let notification = SessionNotification::new(self.session_id(), update);
        let notification = WhileOpen { over: &self.scope.over, value: &notification };
        // A client that is gone needs no updates, and a turn that is over gets none.
        let _ = self.client().peer().notify_now(methods::SessionUpdate::NAME, &notification);
    }

    /// Calls the client, unless the turn is cancelled first.
    pub(crate) async fn call<M: Request>(&self, params: &M::Params) -> Result<M::Response>
    where
        M::Params: Sync,
    {
        self.heeding(async {
            let answer = self.client().peer().request(M::NAME, params).await;
            answer.map_err(|error| self.failed(M::NAME, error))
        })
        .await
    }

    /// The turn's cancellation, for handlers that want to look at it.
    #[must_use]
    pub fn cancel(&self) -> &Cancel {
        &self.scope.cancel
    }

    /// Waits until the turn is cancelled.
    pub async fn cancelled(&self) {
        self.scope.cancel.cancelled().await;
    }

    /// The same turn for last words: its verbs work after the cancellation, until the turn is answered.
    #[must_use]
    pub fn uncancelled(&self) -> Turn {
        self.scope.cancel.notice();
        self.without_cancel()
    }

    pub(crate) fn without_cancel(&self) -> Turn {
        Turn { scope: Arc::clone(&self.scope), last_words: true }
    }

    /// Does `work` unless the turn is cancelled or over, which comes first if both are there.
    pub(crate) async fn heeding<T>(&self, work: impl Future<Output = Result<T>>) -> Result<T> {
        tokio::select! {
            biased;
            error = self.closed() => Err(error),
            result = work => result,
        }
    }

    /// Whether the verbs still work.
    pub(crate) fn check_open(&self) -> Result<()> {
        if self.scope.over.load(Ordering::Acquire) {
            return Err(Error::TurnOver);
        }
        if !self.last_words && self.scope.cancel.is_cancelled() {
            return Err(Error::Cancelled);
        }
        Ok(())
    }

    /// Waits until the verbs do not work any more, and says why.
    async fn closed(&self) -> Error {
        tokio::select! {
            biased;
            () = self.scope.done.cancelled() => Error::TurnOver,
            () = self.scope.cancel.cancelled(), if !self.last_words => Error::Cancelled,
        }
    }

    fn failed(&self, method: &'static str, error: CallError) -> Error {
        match error {
            CallError::Encode { .. } if self.scope.over.load(Ordering::Acquire) => Error::TurnOver,
            // A client that is gone has cancelled its turns, even if the message about it is still on its way.
            CallError::Closed(_) => {
                self.scope.cancel.fire();
                self.scope.cancel.notice();
                Error::Cancelled
            }
            error => Error::call(method, error),
        }
    }
}

impl fmt::Debug for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Turn").field("session_id", self.session_id()).finish_non_exhaustive()
    }
}

impl TurnScope {
    pub(crate) fn new(request: Arc<PromptRequest>, client: Client, cancel: Cancel) -> Self {
        TurnScope { request, client, cancel, over: AtomicBool::new(false), done: CancellationToken::new() }
    }

    /// From here on, nothing is sent.
    pub(crate) fn close(&self) {
        self.over.store(true, Ordering::Release);
        self.done.cancel();
    }
}

/// Serialises as long as the turn is not over.
///
/// Messages are written one at a time, under the lock of the output buffer, and one that fails to serialise
/// leaves nothing there. So an update that finds the turn open is in the buffer before the turn's answer can
/// be, and one that comes later finds it over: no update follows its answer, whoever sends it.
struct WhileOpen<'a, T> {
    over: &'a AtomicBool,
    value: &'a T,
}

impl<T: Serialize> Serialize for WhileOpen<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        if self.over.load(Ordering::Acquire) {
            return Err(S::Error::custom(Error::TurnOver));
        }
        self.value.serialize(serializer)
    }
}

/// Refuses updates that the client has not asked for (rules `v1-cap-19`, `v1-cap-20`).
fn check_offered(update: &SessionUpdate, client: &ClientCapabilities) -> Result<()> {
    let session = client.session.as_ref();
    match update {
        SessionUpdate::Notice(_) if session.is_none_or(|session| session.notices.is_none()) => {
            Err(Error::unsupported("session.notices"))
        }
        SessionUpdate::CompactionUpdate(_) | SessionUpdate::CompactionSummaryChunk(_)
            if session.is_none_or(|session| session.compaction.is_none()) =>
        {
            Err(Error::unsupported("session.compaction"))
        }
        _ => Ok(()),
    }
}
