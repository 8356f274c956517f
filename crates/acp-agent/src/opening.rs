//! Opening a session: `new_session`, `load_session`, `resume_session`.

use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use acp_rpc::Peer;
use acp_types::Meta;
use acp_types::method::Method as _;
use acp_types::v1::{
    McpServer, SessionConfigOption, SessionId, SessionModeState, SessionNotification, SessionUpdate, methods,
};

use crate::agent::Agent;
use crate::call::Call;
use crate::cancel::Cancel;
use crate::client::Client;
use crate::error::{Error, Result};
use crate::extract::FromCall;
use crate::op::{self, Op};
use crate::opens::Opens;

/// How much, in bytes on the wire, may wait for the answer to `session/new` or `session/resume`. It leaves
/// together with the answer, past the connection's outgoing budget, so it is no more than the default of that.
const HELD_BUDGET: usize = 1024 * 1024;

/// What `new_session` is asked for, and the session it opens.
pub type NewSession = Opening<op::NewSession>;
/// What `load_session` is asked for, and the session it opens again.
pub type LoadSession = Opening<op::LoadSession>;
/// What `resume_session` is asked for, and the session it opens again.
pub type ResumeSession = Opening<op::ResumeSession>;

/// A session on its way to being open: the request, and a way to send its first updates.
pub struct Opening<O: Op> {
    request: Arc<O::Params>,
    inner: Arc<Inner>,
}

struct Inner {
    /// The id that was suggested, or that the client named.
    id: SessionId,
    /// The id that the agent has chosen instead.
    chosen: OnceLock<SessionId>,
    client: Client,
    cancel: Cancel,
    outbox: Mutex<Outbox>,
}

/// What happens to updates of a session that is being opened.
enum Outbox {
    /// They wait: the client does not know the session's id before the answer (`session/new`), or must not
    /// get history before it (`session/resume`).
    Held { updates: Vec<SessionUpdate>, bytes: usize },
    /// They go out.
    Open,
    /// The session was not opened.
    Failed,
}

impl<O: Op> Clone for Opening<O> {
    fn clone(&self) -> Self {
        Opening { request: Arc::clone(&self.request), inner: Arc::clone(&self.inner) }
    }
}

impl<O: Opens> Opening<O> {
    pub(crate) fn new(request: Arc<O::Params>, id: SessionId, client: Client, cancel: Cancel) -> Self {
        let outbox =
            if O::HOLDS_UPDATES { Outbox::Held { updates: Vec::new(), bytes: 0 } } else { Outbox::Open };
        let inner = Inner { id, chosen: OnceLock::new(), client, cancel, outbox: Mutex::new(outbox) };
        Opening { request, inner: Arc::new(inner) }
    }

    /// The session's id. Of a new session it is a fresh one, which `Opened` may replace with another.
    #[must_use]
    pub fn session_id(&self) -> &SessionId {
        self.inner.id()
    }

    /// The working directory: absolute, and the base of relative paths in this session (rule `v1-new-05`).
    #[must_use]
    pub fn cwd(&self) -> &Path {
        Path::new(O::cwd(&self.request))
    }

    /// Every directory that the session may work in: the working directory, then the additional ones.
    pub fn roots(&self) -> impl Iterator<Item = &Path> {
        std::iter::once(self.cwd()).chain(O::additional_directories(&self.request).iter().map(Path::new))
    }

    /// The MCP servers that the session should connect to.
    #[must_use]
    pub fn mcp_servers(&self) -> &[McpServer] {
        O::mcp_servers(&self.request)
    }

    /// The request.
    #[must_use]
    pub fn request(&self) -> &O::Params {
        &self.request
    }

    /// The client.
    #[must_use]
    pub fn client(&self) -> &Client {
        &self.inner.client
    }

    /// Sends an update of the session.
    ///
    /// In `load_session` it leaves now, before the answer: so history is replayed (rule `v1-load-03`). In
    /// `new_session` and `resume_session` it waits and leaves right after the answer, because the client does
    /// not know the session yet. After the answer it leaves at once in all three.
    ///
    /// # Errors
    /// [`Error::Cancelled`] when the request was cancelled, [`Error::Call`] when the client is gone; an error
    /// when the session was not opened after all, or when 1 MiB of updates wait already.
    pub async fn update(&self, update: impl Into<SessionUpdate>) -> Result<()> {
        let Some(update) = self.inner.hold(update.into())? else { return Ok(()) };
        let inner = &self.inner;
        let notification = SessionNotification::new(inner.id(), update);
        let sent = inner.client.peer().notify(methods::SessionUpdate::NAME, &notification);
        let sent = async { sent.await.map_err(|error| Error::call(methods::SessionUpdate::NAME, error)) };
        inner.cancel.heeding(sent).await
    }
}

impl<O: Op> Opening<O> {
    /// The agent wants this id for the new session.
    pub(crate) fn choose_id(&self, id: SessionId) {
        // The first choice counts; there is only one, because a handler returns once.
        let _ = self.inner.chosen.set(id);
    }

    /// The answer stands in the output buffer: sends what has waited for it.
    pub(crate) fn release(&self, peer: &Peer) {
        // Under the lock, so that an update sent meanwhile comes behind those that have waited.
        let mut outbox = self.inner.outbox();
        if let Outbox::Held { updates, .. } = std::mem::replace(&mut *outbox, Outbox::Open) {
            for update in updates {
                let notification = SessionNotification::new(self.inner.id(), update);
                // A client that is gone needs no updates.
                let _ = peer.notify_now(methods::SessionUpdate::NAME, &notification);
            }
        }
    }

    /// The session was not opened.
    pub(crate) fn fail(&self) {
        *self.inner.outbox() = Outbox::Failed;
    }
}

impl Inner {
    fn id(&self) -> &SessionId {
        self.chosen.get().unwrap_or(&self.id)
    }

    /// Keeps the update if it has to wait; hands it back if it can leave.
    fn hold(&self, update: SessionUpdate) -> Result<Option<SessionUpdate>> {
        match &mut *self.outbox() {
            Outbox::Open => Ok(Some(update)),
            Outbox::Failed => Err(Error::unknown_session(&self.id)),
            Outbox::Held { bytes, .. } if *bytes >= HELD_BUDGET => Err(Error::from(format!(
                "{HELD_BUDGET} bytes of updates of session `{}` wait for its opening: send the rest after the answer",
                self.id,
            ))),
            Outbox::Held { updates, bytes } => {
                // Written once more than needed, to be weighed: only the few updates of an opening are.
                *bytes += acp_types::to_string(&update).len();
                updates.push(update);
                Ok(None)
            }
        }
    }

    fn outbox(&self) -> MutexGuard<'_, Outbox> {
        self.outbox.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<O: Op> fmt::Debug for Opening<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opening").field("session_id", self.inner.id()).finish_non_exhaustive()
    }
}

impl<O: Opens, A: Agent> FromCall<O, A> for Opening<O> {
    fn from_call(call: &mut Call<O, A>) -> Result<Self> {
        Ok(call.admitted().clone())
    }
}

/// A session that has been opened: what the agent keeps for it, and what the client is told.
///
/// ```
/// use acp_agent::Opened;
/// use acp_agent::types::{SessionMode, SessionModeState};
///
/// let modes = SessionModeState::new("ask", [SessionMode::new("ask", "Ask"), SessionMode::new("code", "Code")]);
/// let opened = Opened::new("my state").modes(modes);
/// ```
#[derive(Clone, Default)]
pub struct Opened<T> {
    pub(crate) state: T,
    pub(crate) session_id: Option<SessionId>,
    pub(crate) modes: Option<SessionModeState>,
    pub(crate) config_options: Option<Vec<SessionConfigOption>>,
    pub(crate) meta: Option<Meta>,
}

impl<T> Opened<T> {
    /// A session that keeps `state`.
    pub const fn new(state: T) -> Self {
        Opened { state, session_id: None, modes: None, config_options: None, meta: None }
    }

    /// The session's id, in place of the one that [`NewSession`] suggests. Must be unique; only `new_session`
    /// has the choice.
    #[must_use]
    pub fn session_id(mut self, id: impl Into<SessionId>) -> Self {
        self.session_id = Some(id.into());
        self
    }

    /// The session's modes, which `set_mode` switches between.
    #[must_use]
    pub fn modes(mut self, modes: impl Into<SessionModeState>) -> Self {
        self.modes = Some(modes.into());
        self
    }

    /// The session's config options, which `set_config_option` changes.
    #[must_use]
    pub fn config_options(mut self, options: impl Into<Vec<SessionConfigOption>>) -> Self {
        self.config_options = Some(options.into());
        self
    }

    /// The `_meta` of the answer.
    #[must_use]
    pub fn meta(mut self, meta: impl Into<Meta>) -> Self {
        self.meta = Some(meta.into());
        self
    }
}

impl<T> From<T> for Opened<T> {
    fn from(state: T) -> Self {
        Opened::new(state)
    }
}

impl<T> fmt::Debug for Opened<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opened").field("session_id", &self.session_id).finish_non_exhaustive()
    }
}
