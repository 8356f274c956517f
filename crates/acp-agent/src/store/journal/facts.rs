//! The facts about a session, which stand near the end of its file.

use std::borrow::Cow;
use std::collections::HashMap;

use acp_json::Record as _;
use acp_types::v1::SessionInfo;
use serde_core::ser::{Serialize, SerializeMap as _, Serializer};
use serde_json::value::RawValue;

use super::line::{self, Kind};
use crate::store::{RecordKind, StoreError};

/// The member of the line that has the places of the session's state.
const STATE_AT: &str = "stateAt";

/// The facts about a session, as one line of its file has them.
#[derive(Clone, Debug)]
pub(super) struct Facts {
    pub(super) info: SessionInfo,
    /// The places of its state. `None` if they are unknown, because a version wrote the line that
    /// keeps no state.
    pub(super) state: Option<StatePlaces>,
}

/// The offset of the last record of each kind of state, by the name of the kind.
pub(super) type StatePlaces = HashMap<Cow<'static, str>, u64>;

impl Facts {
    /// Adds the line to `out`.
    pub(super) fn write(&self, out: &mut Vec<u8>) -> Result<(), StoreError> {
        let json = serde_json::to_string(self).map_err(StoreError::other)?;
        line::write(out, Kind::Info, &json)
    }

    /// Reads the text of a line; `None` if it is not one.
    pub(super) fn parse(json: &[u8]) -> Option<Self> {
        let info = acp_types::from_slice(json).ok()?;
        let members: HashMap<Cow<'_, str>, &RawValue> = serde_json::from_slice(json).ok()?;
        let state = members.get(STATE_AT).and_then(|state| serde_json::from_str(state.get()).ok());
        Some(Facts { info, state })
    }

    /// Notes a record that was written at this offset.
    pub(super) fn note(&mut self, kind: RecordKind, at: u64) {
        if let Some(state) = self.state.as_mut().filter(|_| kind.is_state()) {
            state.insert(Cow::Borrowed(kind.name()), at);
        }
    }
}

impl Serialize for Facts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.info.write(&mut map)?;
        if let Some(state) = &self.state {
            map.serialize_entry(STATE_AT, state)?;
        }
        map.end()
    }
}
