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

/// Fails unless the text is a time in the protocol's form: ISO 8601 with a zone. The database takes
/// other texts as times, too, such as `tomorrow`, and checks the numbers.
pub(crate) fn check_time(text: &str) -> Result<(), StoreError> {
    if is_time(text.as_bytes()).is_some() {
        return Ok(());
    }
    Err(StoreError::other("a time has to be one of ISO 8601 with a zone, such as `2026-01-31T12:00:00.000Z`"))
}

fn is_time(text: &[u8]) -> Option<()> {
    let (time, zone) = text.split_at_checked("2026-01-31T12:00:00".len())?;
    let has_form = |text: &[u8], form: &str| {
        let fits = |(byte, of): (&u8, u8)| if of == b'0' { byte.is_ascii_digit() } else { *byte == of };
        text.len() == form.len() && text.iter().zip(form.bytes()).all(fits)
    };
    let zone = match zone.strip_prefix(b".") {
        Some(parts) => {
            let digits = parts.iter().take_while(|byte| byte.is_ascii_digit()).count();
            parts.get(digits..).filter(|_| (1..=9).contains(&digits))?
        }
        None => zone,
    };
    let is_zone = zone == b"Z" || has_form(zone, "+00:00") || has_form(zone, "-00:00");
    (has_form(time, "0000-00-00T00:00:00") && is_zone).then_some(())
}

pub(crate) fn write_state(state: &StateAt) -> Result<String, StoreError> {
    serde_json::to_string(state).map_err(StoreError::other)
}

pub(crate) fn read_state(json: &str) -> Result<StateAt, StoreError> {
    serde_json::from_str(json).map_err(|_| PostgresError::Damaged { column: "state_at" }.into())
}
