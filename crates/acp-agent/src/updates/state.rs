//! The state of a session that survives: its mode, its config options, a value of the agent's own.

use acp_rpc::Error as RpcError;
use acp_types::v1::{SessionConfigOption, SessionConfigValue, SessionModeId};

use crate::error::{Error, Result};
use crate::store::RecordKind;
use crate::updates::session_updates::SessionUpdates;
use crate::updates::settings::{Changed, State};

/// The session's state.
impl SessionUpdates {
    /// Returns the current mode; `None` if the session has no modes.
    ///
    /// The client sets it by `session/set_mode`, and the agent by
    /// [`current_mode`](Self::current_mode). A session that is opened again starts in its last
    /// mode: see [`Opened::modes`](crate::Opened::modes).
    #[must_use]
    pub fn mode(&self) -> Option<SessionModeId> {
        self.settings().mode()
    }

    /// Returns the current value of a config option; `None` if the session has no such option, or
    /// one of a kind that is unknown here. Options that the client cannot show have a value, too.
    ///
    /// ```
    /// # use acp_agent::SessionUpdates;
    /// # fn model(updates: &SessionUpdates) -> String {
    /// let model = updates.config_value("model");
    /// model.as_ref().and_then(|model| model.as_id()).unwrap_or("small").to_owned()
    /// # }
    /// ```
    #[must_use]
    pub fn config_value(&self, id: &str) -> Option<SessionConfigValue> {
        self.settings().config_value(id)
    }

    /// Saves a value of the agent's own with the session, as JSON. It replaces the one before.
    /// [`Opening::saved`](crate::Opening::saved) has it when the session is opened again.
    ///
    /// The store has the value when this returns, so that it survives the end of this process. It
    /// survives a loss of power from the end of a turn on. A journal grows by each value, so save
    /// only values that have changed.
    ///
    /// # Errors
    /// [`NotSaved`](crate::store::StoreError::NotSaved) for a value that is not JSON or has more
    /// than [`SAVED_LIMIT`](crate::store::SAVED_LIMIT) bytes of it;
    /// [`NoStore`](crate::store::StoreError::NoStore) for an agent without a store;
    /// [`Closed`](crate::store::StoreError::Closed) once the session is closed. The errors of the
    /// store.
    #[cfg(feature = "store")]
    pub async fn save<T>(&self, value: &T) -> Result<(), crate::store::StoreError>
    where
        T: serde_core::Serialize + Sync + ?Sized,
    {
        let session = self.session_id();
        let Some(recorder) = self.recorder() else {
            return Err(crate::store::StoreError::NoStore { session: session.clone() });
        };
        let json = crate::store::saved_json(value, session)?;
        recorder.keep_state(RecordKind::Saved, || &json).await
    }

    /// Switches the mode because the client has asked for it, and keeps it.
    pub(crate) async fn keep_mode(&self, mode: &SessionModeId) -> Result<(), RpcError> {
        self.keep_change(|settings| settings.set_mode(mode)).await
    }

    /// Keeps the config options after the client has set one. `hidden` are those that it cannot
    /// show.
    pub(crate) async fn keep_options(
        &self,
        options: &[SessionConfigOption],
        hidden: Vec<SessionConfigOption>,
    ) -> Result<(), RpcError> {
        let change = |settings: &mut State| {
            settings.set_options(options);
            settings.set_hidden(hidden);
        };
        self.keep_change(change).await
    }

    /// Changes the settings for the client, one change at a time, and keeps them. If that fails,
    /// the change is undone: the client gets an error.
    async fn keep_change(&self, change: impl FnOnce(&mut State) + Send) -> Result<(), RpcError> {
        let _turn = self.settings().turnstile().await;
        let tried = Tried { updates: self, changed: Some(self.settings().change(change)) };
        self.keep_settings().await.map_err(Error::into_rpc)?;
        tried.stays();
        Ok(())
    }

    /// Keeps the settings.
    pub(crate) async fn keep_settings(&self) -> Result<()> {
        match self.recorder() {
            Some(recorder) => {
                Ok(recorder.keep_state(RecordKind::Settings, || self.settings().json()).await?)
            }
            None => Ok(()),
        }
    }
}

/// A change of the settings that is not kept yet. Its drop undoes the change, in the store as well:
/// the record may be written after all.
struct Tried<'a> {
    updates: &'a SessionUpdates,
    changed: Option<Changed>,
}

impl Tried<'_> {
    fn stays(mut self) {
        self.changed = None;
    }
}

impl Drop for Tried<'_> {
    fn drop(&mut self) {
        let Some(changed) = self.changed.take() else { return };
        let settings = self.updates.settings();
        settings.undo(changed);
        if let Some(recorder) = self.updates.recorder() {
            // A closed session needs none.
            let _ = recorder.keep_state_now(RecordKind::Settings, || settings.json());
        }
    }
}
