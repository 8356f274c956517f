//! Updates of a session, with or without a turn.

use std::fmt;
use std::sync::Arc;

use acp_types::v1::{AvailableCommand, AvailableCommandsUpdate, SessionId, SessionUpdate};

use crate::client::Client;
use crate::client::client_capabilities::check_offered;
use crate::error::Result;
use crate::store::Recorder;
use crate::updates::commands::SessionCommands;
use crate::updates::decisions::Permissions;
use crate::updates::directories::Directories;
use crate::updates::outgoing::OutgoingUpdate;
use crate::updates::paths;
use crate::updates::settings::Settings;
use crate::updates::usage::UsageMeter;
use crate::wire::degraded::Reports;
use crate::wire::gate::Gate;
use crate::wire::loss::Losses;
#[cfg(feature = "v2")]
use crate::wire::raw::v2;
use crate::wire::session::SessionWire;
use crate::wire::settings::KnownSettings;
use crate::wire::update::UpdateParams;

/// Sends updates of a session, also while no turn runs: from a background task, or in the handler
/// of another operation.
///
/// It is an argument of every operation on an open session.
/// [`Session::updates`](crate::Session::updates) and
/// [`Turn::session_updates`](crate::Turn::session_updates) return it. Its verbs send one update
/// each, in the order in which they are awaited, and wait while the client does not read. They work
/// until the session is closed, deleted or opened anew. The end of a turn does not end them.
///
/// ```
/// # use acp_agent::{Result, SessionUpdates};
/// # async fn next_title() -> String { String::new() }
/// async fn keep_title(updates: SessionUpdates) -> Result<()> {
///     loop {
///         tokio::select! {
///             title = next_title() => updates.title(title).await?,
///             () = updates.closed() => return Ok(()),
///         }
///     }
/// }
/// ```
#[derive(Clone)]
pub struct SessionUpdates {
    open: Arc<OpenSession>,
}

/// The part of an open session that does not depend on the agent's state.
pub(crate) struct OpenSession {
    pub(crate) id: SessionId,
    pub(crate) directories: Directories,
    pub(crate) client: Client,
    /// The gate of the session with this id.
    pub(crate) gate: Arc<Gate>,
    pub(crate) permissions: Permissions,
    pub(crate) settings: Settings,
    pub(crate) commands: Arc<SessionCommands>,
    pub(crate) meter: UsageMeter,
    /// `None` unless the agent has a store.
    pub(crate) recorder: Option<Recorder>,
    /// The part of the session that the wire remembers.
    pub(crate) wire: SessionWire,
    /// The losses that were reported.
    pub(crate) reports: Arc<Reports>,
}

impl SessionUpdates {
    pub(crate) fn new(open: OpenSession) -> Self {
        SessionUpdates { open: Arc::new(open) }
    }

    pub(crate) fn gate(&self) -> &Gate {
        &self.open.gate
    }

    /// Returns the part of the session that the wire remembers.
    pub(crate) fn wire(&self) -> &SessionWire {
        &self.open.wire
    }

    /// Returns the session's id.
    #[must_use]
    pub fn session_id(&self) -> &SessionId {
        &self.open.id
    }

    /// Returns the client.
    #[must_use]
    pub fn client(&self) -> &Client {
        &self.open.client
    }

    /// Sends any update. Relative paths in diffs and locations are joined with the session's
    /// working directory.
    ///
    /// # Errors
    /// [`Error::SessionClosed`](crate::Error::SessionClosed) once the session is closed;
    /// [`Error::NotOffered`](crate::Error::NotOffered) for a kind that the client does not offer;
    /// [`Error::Commands`](crate::Error::Commands) for slash commands that cannot be advertised;
    /// [`Error::Call`](crate::Error::Call) when the client is gone.
    pub async fn update(&self, update: impl Into<SessionUpdate>) -> Result<()> {
        let update = update.into();
        self.meter().observe(&update);
        self.send_unobserved(update).await
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
    pub(super) async fn send_unobserved(&self, update: SessionUpdate) -> Result<()> {
        self.send(&self.open.gate, update).await
    }

    /// Waits until nothing can be sent any more: the session is closed, or the client is gone.
    pub async fn closed(&self) {
        tokio::select! {
            () = self.open.gate.done().cancelled() => {}
            _ = self.open.client.peer().closed() => {}
        }
    }

    /// Closes the session's gate. From here on only a turn still sends updates.
    pub(crate) fn close(&self) {
        self.open.gate.close();
    }

    /// Returns the modes and config options that the client knows.
    pub(crate) fn settings(&self) -> &Settings {
        &self.open.settings
    }

    /// Returns the slash commands that the client knows.
    pub(crate) fn commands(&self) -> &SessionCommands {
        &self.open.commands
    }

    /// Returns the sums of tokens and costs.
    pub(crate) fn meter(&self) -> &UsageMeter {
        &self.open.meter
    }

    /// Returns the working directory.
    pub(crate) fn cwd(&self) -> &str {
        self.open.directories.cwd()
    }

    /// Returns the session's directories, to find files below them.
    #[cfg(feature = "workspace")]
    pub(crate) fn directories(&self) -> &Directories {
        &self.open.directories
    }

    /// Returns the session's recorder, if the agent has a store.
    pub(crate) fn recorder(&self) -> Option<&Recorder> {
        self.open.recorder.as_ref()
    }

    #[cfg(feature = "store")]
    pub(crate) async fn history(&self) -> Result<crate::store::History> {
        match self.recorder() {
            Some(recorder) => recorder.history().await,
            None => Ok(crate::store::History::empty()),
        }
    }

    /// Returns the decisions that are remembered in this session.
    pub(crate) fn permissions(&self) -> &Permissions {
        &self.open.permissions
    }

    /// Sends an update while `gate` is open. Every update of an open session leaves here, in
    /// [`try_send`](Self::try_send) or in [`send_now`](Self::send_now).
    async fn send(&self, gate: &Gate, update: SessionUpdate) -> Result<()> {
        match self.try_send(gate, update, None)? {
            None => Ok(()),
            Some(update) => self.send_when_possible(gate, update, None).await,
        }
    }

    /// Sends an update while `gate` is open. Returns the update if it has to wait, for room or to
    /// be recorded; [`send_when_possible`](Self::send_when_possible) sends it then. `known_items`
    /// is the number of items of a tool call's content that the client has, if the update adds one.
    pub(crate) fn try_send(
        &self,
        gate: &Gate,
        mut update: SessionUpdate,
        known_items: Option<usize>,
    ) -> Result<Option<SessionUpdate>> {
        let client = &self.open.client;
        paths::join(&mut update, self.cwd());
        check_offered(&update, client.capabilities())?;
        self.commands().complete(&mut update)?;
        if gate.is_closed() {
            return Err(gate.error());
        }
        let Some(lost) = self.open.wire.complete(&mut update) else { return Ok(None) };
        self.report(lost);
        let wire = client.wire();
        let known = self.known_settings(&update);
        self.report(wire.fit(&mut update, known.as_ref()));
        if !wire.has_form(&update, known.as_ref()) {
            return Ok(None);
        }
        if self.recorder().is_some_and(|recorder| !recorder.has_room()) {
            return Ok(Some(update));
        }
        let sent = {
            let params = wire.update(&self.open.id, &update, known.as_ref()).adding_to(known_items);
            let leaving = self.leaving(gate, params);
            wire.try_send_update(client.peer(), &gate.guard(&leaving))
        };
        let sent = sent.map_err(|error| wire.unsent(gate, error))?;
        if !sent {
            return Ok(Some(update));
        }
        self.open.wire.has_left(update);
        Ok(None)
    }

    /// Sends an update that [`try_send`](Self::try_send) has returned.
    pub(crate) async fn send_when_possible(
        &self,
        gate: &Gate,
        update: SessionUpdate,
        known_items: Option<usize>,
    ) -> Result<()> {
        let sending = async {
            let wire = self.open.client.wire();
            let known = self.known_settings(&update);
            let params = wire.update(&self.open.id, &update, known.as_ref()).adding_to(known_items);
            let settings = self.settings();
            let leaving = match self.recorder() {
                Some(recorder) => OutgoingUpdate::recorded(settings, recorder.keep(gate, params).await),
                None => OutgoingUpdate::plain(settings, params),
            };
            let sent = wire.send_update(self.open.client.peer(), &gate.guard(&leaving)).await;
            sent.map_err(|error| wire.unsent(gate, error))
        };
        // The message first, because there may be room for it by now.
        tokio::select! {
            biased;
            sent = sending => sent,
            error = gate.closed() => Err(error),
        }
    }

    /// Reports what the client does not get because of the version that it speaks. Each kind of
    /// loss is reported once.
    pub(crate) fn report(&self, losses: Losses) {
        self.open.reports.note(losses, Some(&self.open.id), self.open.client.on_fault());
    }

    /// Returns the settings that the update is written with, if there are any. They are those after
    /// it.
    fn known_settings(&self, update: &SessionUpdate) -> Option<KnownSettings> {
        let needs_settings = self.open.client.wire().needs_settings(update);
        needs_settings.then(|| self.settings().known().after(update))
    }

    /// Prepares an update to leave, whether there is room for it or not.
    fn leaving<'a>(&'a self, gate: &'a Gate, params: UpdateParams<'a>) -> OutgoingUpdate<'a> {
        match self.recorder() {
            Some(recorder) => OutgoingUpdate::recorded(self.settings(), recorder.keep_now(gate, params)),
            None => OutgoingUpdate::plain(self.settings(), params),
        }
    }

    /// Sends an update that has waited for the opening of the session.
    pub(crate) fn update_now(&self, update: &SessionUpdate) {
        self.meter().observe(update);
        let known = self.known_settings(update);
        let mut update = update.clone();
        self.report(self.open.client.wire().fit(&mut update, known.as_ref()));
        self.send_now(&self.open.gate, &update);
    }

    /// Sends the slash commands, without waiting. They are not recorded: each opening of the
    /// session sends them.
    pub(crate) fn announce_commands(&self, commands: Vec<AvailableCommand>) {
        let (wire, update) = (self.open.client.wire(), AvailableCommandsUpdate::new(commands).into());
        let params = wire.update(&self.open.id, &update, None);
        let leaving = OutgoingUpdate::plain(self.settings(), params);
        wire.send_update_now(self.open.client.peer(), &self.open.gate.guard(&leaving));
    }

    /// Sends the last form of a plan, when its turn is over, without waiting.
    pub(crate) fn close_plan(&self, gate: &Gate, mut plan: SessionUpdate) {
        if self.open.wire.closes_plan(&mut plan) {
            self.send_now(gate, &plan);
        }
    }

    /// Sends an update without waiting, for drop guards.
    pub(crate) fn send_now(&self, gate: &Gate, update: &SessionUpdate) {
        let wire = self.open.client.wire();
        let known = self.known_settings(update);
        if !wire.has_form(update, known.as_ref()) {
            return;
        }
        let leaving = self.leaving(gate, wire.update(&self.open.id, update, known.as_ref()));
        // A closed gate lets nothing out.
        wire.send_update_now(self.open.client.peer(), &gate.guard(&leaving));
    }
}

impl fmt::Debug for SessionUpdates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionUpdates").field("session_id", self.session_id()).finish_non_exhaustive()
    }
}
