//! Opening a session: `new_session`, `load_session`, `resume_session`.

use std::fmt;
use std::path::Path;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use acp_types::v1::{McpServer, SessionId, SessionUpdate};

use crate::client::Client;
use crate::client::cancel::Cancel;
use crate::client::client_capabilities::check_offered;
use crate::error::{Error, Result};
use crate::mcp::Mcp;
use crate::op::Op;
use crate::open::reopen::Reopening;
use crate::open::request::OpensSession;
use crate::store::{Recorder, StoredState};
use crate::updates::commands::SessionCommands;
use crate::updates::paths;
use crate::updates::session_updates::SessionUpdates;
use crate::wire::degraded::Reports;
use crate::wire::gate::Gate;
use crate::wire::session::SessionWire;
use crate::wire::update::weight;

/// About the number of bytes on the wire that may wait for the answer to `session/new` or
/// `session/resume`. They leave together with the answer, past the connection's outgoing budget, so
/// the limit does not exceed the default of that budget.
const HELD_BUDGET: usize = 1024 * 1024;

/// A session on its way to being open: its request, and the sender of its first updates.
pub struct Opening<O: Op> {
    request: Arc<O::Params>,
    inner: Arc<Inner<O>>,
}

struct Inner<O: Op> {
    /// The id that was suggested, or that the client named.
    id: SessionId,
    client: Client,
    cancel: Cancel,
    commands: Arc<SessionCommands>,
    /// The gate of updates that do not wait. It is closed if the opening fails.
    gate: Arc<Gate>,
    /// The part of the session that the wire remembers.
    wire: SessionWire,
    reports: Arc<Reports>,
    #[cfg(feature = "store")]
    is_new: bool,
    /// The session's recorder. A stored session has one before it is open.
    recorder: OnceLock<Recorder>,
    /// The state that it had, or that the session had which it forks.
    restored: OnceLock<StoredState>,
    /// Its MCP servers, if the library connects them.
    mcp: OnceLock<Mcp>,
    /// The session, once it is open. Its id may be one that the agent has chosen.
    session: OnceLock<SessionUpdates>,
    stage: Mutex<Stage<O>>,
}

/// The stage of the opening.
enum Stage<O: Op> {
    /// The answer is not made yet. Updates and hooks wait for it.
    Asked {
        /// `None` if updates do not wait, as in `session/load`.
        held: Option<Held>,
        hooks: Vec<Hook<O>>,
    },
    /// The answer stands in the output buffer.
    Answered,
    /// The session was not opened.
    Failed,
}

/// Updates that wait for the answer. Before it the client does not know the session's id
/// (`session/new`), or must not get history (`session/resume`).
#[derive(Default)]
struct Held {
    updates: Vec<SessionUpdate>,
    bytes: usize,
}

type Hook<O> = Box<dyn FnOnce(Opening<O>) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send>;

impl<O: Op> Clone for Opening<O> {
    fn clone(&self) -> Self {
        Opening { request: Arc::clone(&self.request), inner: Arc::clone(&self.inner) }
    }
}

impl<O: OpensSession> Opening<O> {
    pub(crate) fn new(
        request: Arc<O::Params>,
        id: SessionId,
        client: Client,
        cancel: Cancel,
        commands: SessionCommands,
        reopening: Option<&Reopening>,
    ) -> Self {
        let holds_updates = reopening.map_or(O::HOLDS_UPDATES, Reopening::holds_updates);
        let stage = Stage::Asked { held: holds_updates.then(Held::default), hooks: Vec::new() };
        let inner = Inner {
            gate: Arc::new(Gate::of_session(id.clone())),
            wire: client.wire().session(client.capabilities()),
            reports: Arc::default(),
            id,
            client,
            cancel,
            commands: Arc::new(commands),
            #[cfg(feature = "store")]
            is_new: O::METHOD == crate::op::NewSession::METHOD && reopening.is_none(),
            recorder: OnceLock::new(),
            restored: OnceLock::new(),
            mcp: OnceLock::new(),
            session: OnceLock::new(),
            stage: Mutex::new(stage),
        };
        Opening { request, inner: Arc::new(inner) }
    }

    pub(crate) fn reports(&self) -> &Arc<Reports> {
        &self.inner.reports
    }

    /// Returns the session's id. A new session has a fresh one, which `Opened` may replace.
    #[must_use]
    pub fn session_id(&self) -> &SessionId {
        self.inner.id()
    }

    /// Returns the working directory. It is absolute, and the base of relative paths in this
    /// session. It is a path of the client's system, which may be another one than the agent's.
    #[must_use]
    pub fn cwd(&self) -> &Path {
        Path::new(O::cwd(&self.request))
    }

    /// Returns every directory that the session may work in: the working directory, then the
    /// additional ones. Only an agent with
    /// [`additional_directories`](crate::Profile::additional_directories) has those.
    pub fn roots(&self) -> impl Iterator<Item = &Path> {
        std::iter::once(self.cwd()).chain(O::additional_directories(&self.request).iter().map(Path::new))
    }

    /// Returns the MCP servers that the session should connect to.
    #[must_use]
    pub fn mcp_servers(&self) -> &[McpServer] {
        O::mcp_servers(&self.request)
    }

    /// Returns the request.
    #[must_use]
    pub fn request(&self) -> &O::Params {
        &self.request
    }

    /// Returns the client.
    #[must_use]
    pub fn client(&self) -> &Client {
        &self.inner.client
    }

    /// Returns whether the session is new. It is not in a call of `new_session` that makes the
    /// state of a session out of the agent's [`store`](crate::store).
    #[cfg(feature = "store")]
    #[must_use]
    pub fn is_new(&self) -> bool {
        self.inner.is_new
    }

    /// Returns the conversation before the session was opened again, oldest first. It is empty for
    /// a new session, and for an agent without a [`store`](crate::store).
    ///
    /// # Errors
    /// The store cannot be read.
    #[cfg(feature = "store")]
    pub async fn history(&self) -> Result<crate::store::History> {
        match self.recorder() {
            Some(recorder) => recorder.history().await,
            None => Ok(crate::store::History::empty()),
        }
    }

    /// Sends an update of the session.
    ///
    /// In `load_session` it leaves at once, before the answer: history is replayed this way. In
    /// `new_session` and `resume_session` it waits and leaves right after the answer, because the
    /// client does not know the session yet. After the answer it leaves at once in all three.
    ///
    /// # Errors
    /// [`Error::Cancelled`] when the request was cancelled; [`Error::Call`] when the client is
    /// gone; [`Error::SessionClosed`] when the session was not opened after all, or was closed;
    /// [`Error::NotOffered`] for a kind that the client does not offer; [`Error::Commands`] for
    /// slash commands that cannot be advertised; an error when 1 MiB of updates already wait.
    pub async fn update(&self, update: impl Into<SessionUpdate>) -> Result<()> {
        let inner = &self.inner;
        let mut update = update.into();
        paths::join(&mut update, O::cwd(&self.request));
        check_offered(&update, inner.client.capabilities())?;
        let Some(mut update) = inner.hold(update)? else { return Ok(()) };
        if let Some(session) = inner.session.get() {
            return session.update(update).await;
        }
        inner.commands.complete(&mut update)?;
        let Some(lost) = inner.wire.complete_replayed(&mut update) else { return Ok(()) };
        let (wire, gate) = (inner.client.wire(), &inner.gate);
        // The settings come with the answer.
        if wire.needs_settings(&update) {
            return Ok(());
        }
        let lost = lost.and(wire.fit(&mut update, None));
        inner.reports.note(lost, Some(&inner.id), inner.client.on_fault());
        let params = wire.update(&inner.id, &update, None);
        let params = gate.guard(&params);
        let sent = wire.send_update(inner.client.peer(), &params);
        inner.cancel.heeding(async { sent.await.map_err(|error| wire.unsent(gate, error)) }).await
    }

    /// Runs `hook` once the client knows that the session is open: after the answer and the updates
    /// that have waited for it, and beside everything else. The hook is dropped when the session is
    /// closed or the client goes. It never runs for a session that was not opened.
    ///
    /// ```
    /// # use acp_agent::{
    /// #     NewSession, Opened, Result, types::AvailableCommand, types::AvailableCommandsUpdate,
    /// # };
    /// # async fn find_commands() -> Vec<AvailableCommand> { Vec::new() }
    /// async fn new_session(open: NewSession) -> Result<Opened<()>> {
    ///     open.after_response(async |open| {
    ///         let _ = open.update(AvailableCommandsUpdate::new(find_commands().await)).await;
    ///     });
    ///     Ok(Opened::new(()))
    /// }
    /// ```
    pub fn after_response<F, R>(&self, hook: F)
    where
        F: FnOnce(Self) -> R + Send + 'static,
        R: Future<Output = ()> + Send + 'static,
    {
        let hook: Hook<O> = Box::new(move |open| Box::pin(async move { hook(open).await }));
        match &mut *self.inner.stage() {
            Stage::Asked { hooks, .. } => return hooks.push(hook),
            Stage::Answered => {}
            Stage::Failed => return,
        }
        self.start(hook);
    }
}

impl<O: Op> Opening<O> {
    /// Sets the session, which is open now.
    pub(crate) fn opened(&self, session: SessionUpdates) {
        // There is only one, because a handler returns once.
        let _ = self.inner.session.set(session);
    }

    /// Returns whether updates wait for the answer.
    pub(crate) fn holds_updates(&self) -> bool {
        matches!(&*self.inner.stage(), Stage::Asked { held: Some(_), .. })
    }

    pub(crate) fn keep(&self, recorder: Recorder) -> &Recorder {
        self.inner.recorder.get_or_init(|| recorder)
    }

    pub(crate) fn recorder(&self) -> Option<&Recorder> {
        self.inner.recorder.get()
    }

    pub(crate) fn restore(&self, state: StoredState) {
        let _ = self.inner.restored.set(state);
    }

    pub(crate) fn restored(&self) -> Option<&StoredState> {
        self.inner.restored.get()
    }

    pub(crate) fn connect(&self, mcp: Mcp) {
        let _ = self.inner.mcp.set(mcp);
    }

    pub(crate) fn mcp(&self) -> Option<&Mcp> {
        self.inner.mcp.get()
    }

    /// Returns the session's slash commands.
    pub(crate) fn commands(&self) -> &Arc<SessionCommands> {
        &self.inner.commands
    }

    pub(crate) fn is_opened(&self) -> bool {
        self.inner.session.get().is_some()
    }

    /// Returns the gate of the session with this id.
    pub(crate) fn gate(&self, id: &SessionId) -> Arc<Gate> {
        if *id == self.inner.id {
            Arc::clone(&self.inner.gate)
        } else {
            Arc::new(Gate::of_session(id.clone()))
        }
    }

    /// Returns the part of the session that the wire remembers.
    pub(crate) fn session_wire(&self) -> &SessionWire {
        &self.inner.wire
    }

    /// Sends the updates that have waited, and the slash commands, if there are some. The answer
    /// stands in the output buffer.
    pub(crate) fn release(&self) {
        let hooks = {
            // Under the lock, so that an update sent meanwhile comes behind those that have waited.
            let mut stage = self.inner.stage();
            let Stage::Asked { held, hooks } = std::mem::replace(&mut *stage, Stage::Answered) else {
                return;
            };
            if let Some(session) = self.inner.session.get() {
                for mut update in held.into_iter().flat_map(|held| held.updates) {
                    let Some(lost) = self.inner.wire.complete(&mut update) else { continue };
                    session.report(lost);
                    session.update_now(&update);
                }
                if let Some(commands) = self.inner.commands.untold() {
                    session.announce_commands(commands);
                }
            }
            hooks
        };
        hooks.into_iter().for_each(|hook| self.start(hook));
    }

    /// Fails the opening. Nothing of the session leaves any more.
    pub(crate) fn fail(&self) {
        let mut stage = self.inner.stage();
        if let Stage::Asked { .. } = *stage {
            *stage = Stage::Failed;
            self.inner.gate.close();
        }
    }

    /// Runs a hook while the session is open.
    fn start(&self, hook: Hook<O>) {
        let Some(session) = self.inner.session.get().cloned() else { return };
        let hook = hook(self.clone());
        tokio::spawn(async move {
            tokio::select! {
                biased;
                () = session.closed() => {}
                () = hook => {}
            }
        });
    }
}

impl<O: Op> Inner<O> {
    fn id(&self) -> &SessionId {
        self.session.get().map_or(&self.id, SessionUpdates::session_id)
    }

    /// Keeps the update if it has to wait. Otherwise returns it.
    fn hold(&self, mut update: SessionUpdate) -> Result<Option<SessionUpdate>> {
        let mut stage = self.stage();
        if let Stage::Asked { held: Some(_), .. } = *stage
            && self.client.wire().opens_with_commands()
            && let SessionUpdate::AvailableCommandsUpdate(update) = &update
            && update.meta.is_none()
        {
            self.commands.set(update.available_commands.clone())?;
            return Ok(None);
        }
        match &mut *stage {
            Stage::Failed => Err(self.gate.error()),
            Stage::Answered | Stage::Asked { held: None, .. } => Ok(Some(update)),
            Stage::Asked { held: Some(held), .. } if held.bytes >= HELD_BUDGET => Err(Error::from(format!(
                "{HELD_BUDGET} bytes of updates of session `{}` wait for its opening: send the rest after the answer",
                self.id,
            ))),
            Stage::Asked { held: Some(held), .. } => {
                self.commands.complete(&mut update)?;
                // Written once more than needed, to be weighed. An opening has only few updates.
                held.bytes += weight(&update);
                held.updates.push(update);
                Ok(None)
            }
        }
    }

    fn stage(&self) -> MutexGuard<'_, Stage<O>> {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<O: Op> fmt::Debug for Opening<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opening").field("session_id", self.inner.id()).finish_non_exhaustive()
    }
}
