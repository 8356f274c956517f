//! Lists of sessions, page by page.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use acp_agent::store::StoreError;
use acp_types::v1::{ListSessionsRequest, ListSessionsResponse, SessionInfo};
use tokio_postgres::Row;
use tokio_postgres::types::Type;

use crate::database::{Database, Param};
use crate::error::PostgresError;
use crate::rows::{facts, names};
use crate::statements;

/// Returns a page of the principal's sessions. Those used last come first.
pub(crate) async fn list(
    database: &Database,
    principal: &str,
    request: &ListSessionsRequest,
    page_size: usize,
) -> Result<ListSessionsResponse, StoreError> {
    let before = request.cursor.as_deref().map(parse_cursor).transpose()?;
    let (time, session) = before.unzip();
    let folder = request.cwd.as_deref().map(names::folder);
    // One more, which tells if there is another page.
    let most = i64::try_from(page_size).unwrap_or(i64::MAX).saturating_add(1);
    let params: [Param<'_>; 5] = [
        (&principal, Type::TEXT),
        (&folder, Type::TEXT),
        (&time, Type::TIMESTAMPTZ),
        (&session, Type::TEXT),
        (&most, Type::INT8),
    ];
    let rows = database.rows(statements::LIST, &params).await?;
    let mut sessions = Vec::new();
    for row in rows.iter().take(page_size) {
        // A row that cannot be read does not hide the others.
        sessions.extend(session_of(row)?);
    }
    let mut page = ListSessionsResponse::new(sessions);
    if rows.len() > page_size
        && let Some(last) = page_size.checked_sub(1).and_then(|last| rows.get(last))
    {
        page.next_cursor = Some(cursor(updated(last)?, last.try_get(0).map_err(PostgresError::Database)?));
    }
    Ok(page)
}

fn updated(row: &Row) -> Result<SystemTime, StoreError> {
    Ok(row.try_get(2).map_err(PostgresError::Database)?)
}

/// Returns the session of a row; `None` if the facts are damaged.
fn session_of(row: &Row) -> Result<Option<SessionInfo>, StoreError> {
    let Ok(mut info) = facts::read(row.try_get(1).map_err(PostgresError::Database)?) else { return Ok(None) };
    info.updated_at = row.try_get(3).map_err(PostgresError::Database)?;
    Ok(Some(info))
}

/// Returns the beginning of the next page: after this session, by time and id.
fn cursor(updated: SystemTime, session: &str) -> String {
    let (sign, since) = match updated.duration_since(UNIX_EPOCH) {
        Ok(since) => ("", since),
        Err(before) => ("-", before.duration()),
    };
    format!("u{sign}{:x}.{session}", since.as_micros())
}

fn parse_cursor(cursor: &str) -> Result<(SystemTime, String), StoreError> {
    let parse = || {
        let (micros, session) = cursor.strip_prefix('u')?.split_once('.')?;
        // Times of the database go from 4714 BC to 294276.
        let times = -(1_i64 << 57)..1 << 62;
        let micros = i64::from_str_radix(micros, 16).ok().filter(|micros| times.contains(micros))?;
        let since = Duration::from_micros(micros.unsigned_abs());
        let time = if micros < 0 { UNIX_EPOCH.checked_sub(since)? } else { UNIX_EPOCH.checked_add(since)? };
        (!session.is_empty() && !session.contains('\0')).then(|| (time, session.to_owned()))
    };
    parse().ok_or(StoreError::Cursor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_come_back_and_others_are_refused() {
        let since = Duration::from_micros(1_764_230_400_123_456);
        for time in [UNIX_EPOCH + since, UNIX_EPOCH - since] {
            for session in ["a", "a.b", "\u{1f980}", "."] {
                assert_eq!(parse_cursor(&cursor(time, session)).unwrap(), (time, session.to_owned()));
            }
        }
        for odd in [
            "",
            "u.",
            "u1.",
            "ux.a",
            "u--1.a",
            "u-7fffffffffffffff.a",
            "uffffffffffffffff.a",
            "1.a",
            "u1",
            "u1.\0",
        ] {
            assert!(matches!(parse_cursor(odd), Err(StoreError::Cursor)), "{odd:?}");
        }
    }
}
