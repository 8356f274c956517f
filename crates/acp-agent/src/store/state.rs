//! The state of a session that is restored when it is opened again.

use acp_types::v1::{SessionConfigOption, SessionId, SessionModeState};
use serde_core::de::DeserializeOwned;
use serde_core::ser::Serialize;

use super::unreadable::Unreadable;
use super::{Record, RecordKind, Records, StoreError};
use crate::wire::record::read_settings;

/// The longest value that [`Session::save`](crate::Session::save) keeps, in bytes of JSON: 1 MiB.
pub const SAVED_LIMIT: usize = 1024 * 1024;

/// The last records of a session's state.
#[derive(Clone, Debug, Default)]
pub(crate) struct StoredState {
    modes: Option<SessionModeState>,
    config_options: Option<Vec<SessionConfigOption>>,
    saved: Option<Record>,
}

impl StoredState {
    /// Reads the state out of the last records of each kind.
    pub(super) fn of(records: impl IntoIterator<Item = Record>, unreadable: &Unreadable) -> Self {
        let mut state = StoredState::default();
        for record in records {
            match record.kind() {
                RecordKind::Settings => match read_settings(record.json()) {
                    Ok(settings) => {
                        state.modes = settings.modes;
                        state.config_options = settings.config_options;
                    }
                    Err(error) => unreadable.report_state(&StoreError::other(error)),
                },
                RecordKind::Saved => state.saved = Some(record),
                RecordKind::Prompt | RecordKind::Update | RecordKind::UpdateV2 => {}
            }
        }
        state
    }

    /// Reads the state out of all records.
    pub(super) async fn scan(
        mut records: Box<dyn Records>,
        unreadable: &Unreadable,
    ) -> Result<Self, StoreError> {
        let (mut settings, mut saved) = (None, None);
        loop {
            let batch = records.next().await?;
            if batch.is_empty() {
                return Ok(Self::of(settings.into_iter().chain(saved), unreadable));
            }
            for record in batch {
                match record.kind() {
                    RecordKind::Settings => settings = Some(record),
                    RecordKind::Saved => saved = Some(record),
                    RecordKind::Prompt | RecordKind::Update | RecordKind::UpdateV2 => {}
                }
            }
        }
    }

    pub(crate) const fn modes(&self) -> Option<&SessionModeState> {
        self.modes.as_ref()
    }

    pub(crate) fn config_options(&self) -> Option<&[SessionConfigOption]> {
        self.config_options.as_deref()
    }

    /// Returns the text of the agent's own value.
    pub(crate) fn saved_json(&self) -> Option<&str> {
        self.saved.as_ref().map(Record::json)
    }

    /// Reads the agent's own value.
    pub(crate) fn saved<T: DeserializeOwned>(&self, session: &SessionId) -> Result<Option<T>, StoreError> {
        let Some(json) = self.saved_json() else { return Ok(None) };
        // The reason of serde would repeat the value.
        serde_json::from_str(json).map(Some).map_err(|error| StoreError::SavedValue {
            session: session.clone(),
            reason: format!("it differs at byte {} of its JSON", error.column()),
        })
    }
}

/// Writes the agent's own value.
pub(crate) fn saved_json<T: Serialize + ?Sized>(
    value: &T,
    session: &SessionId,
) -> Result<String, StoreError> {
    let not_saved = |reason| StoreError::NotSaved { session: session.clone(), reason };
    let json = serde_json::to_string(value).map_err(|error| not_saved(error.to_string()))?;
    if json.len() > SAVED_LIMIT {
        return Err(not_saved(format!(
            "it has {} bytes of JSON, and {SAVED_LIMIT} are the most",
            json.len()
        )));
    }
    Ok(json)
}
