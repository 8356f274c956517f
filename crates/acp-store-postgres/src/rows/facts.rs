//! The facts about a session, as the JSON of its row.

use std::collections::BTreeMap;

use acp_agent::store::StoreError;
use acp_types::v1::SessionInfo;

use crate::error::PostgresError;

/// The rows with the last record of each kind of state, by the name of the kind.
pub(crate) type StateAt = BTreeMap<String, i64>;

pub(crate) fn write(info: &SessionInfo) -> String {
    acp_types::to_string(info)
}

pub(crate) fn read(json: &str) -> Result<SessionInfo, StoreError> {
    acp_types::from_slice(json.as_bytes()).map_err(|_| PostgresError::Damaged { column: "info" }.into())
}

pub(crate) fn write_state(state: &StateAt) -> Result<String, StoreError> {
    serde_json::to_string(state).map_err(StoreError::other)
}

pub(crate) fn read_state(json: &str) -> Result<StateAt, StoreError> {
    serde_json::from_str(json).map_err(|_| PostgresError::Damaged { column: "state_at" }.into())
}
