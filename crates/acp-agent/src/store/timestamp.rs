//! Times of stored sessions.

use std::time::SystemTime;

pub(super) use acp_types::v1::ext::format_timestamp as format;
use acp_types::v1::ext::read_timestamp;

use super::StoreError;

/// Reads a time as [`format`] writes it.
///
/// # Errors
/// [`StoreError::Other`] if the text is not one, or the time is before 1970.
pub(super) fn parse(text: &str) -> Result<SystemTime, StoreError> {
    read_timestamp(text)
        .ok_or_else(|| StoreError::other("a time has to be in UTC, such as `2026-01-31T12:00:00.000Z`"))
}
