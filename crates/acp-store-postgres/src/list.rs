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
        sessions.push(session_of(row)?);
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

fn session_of(row: &Row) -> Result<SessionInfo, StoreError> {
    let mut info = facts::read(row.try_get(1).map_err(PostgresError::Database)?)?;
    info.updated_at = row.try_get(3).map_err(PostgresError::Database)?;
    Ok(info)
}

/// Returns the beginning of the next page: after this session, by time and id.
fn cursor(updated: SystemTime, session: &str) -> String {
    let micros = updated.duration_since(UNIX_EPOCH).unwrap_or_default().as_micros();
    format!("u{micros:x}.{session}")
}

fn parse_cursor(cursor: &str) -> Result<(SystemTime, String), StoreError> {
    let parse = || {
        let (micros, session) = cursor.strip_prefix('u')?.split_once('.')?;
        // Times of the database go up to the year 294276.
        let micros = u64::from_str_radix(micros, 16).ok().filter(|micros| *micros < 1 << 62)?;
        let time = UNIX_EPOCH.checked_add(Duration::from_micros(micros))?;
        (!session.is_empty() && !session.contains('\0')).then(|| (time, session.to_owned()))
    };
    parse().ok_or(StoreError::Cursor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_come_back_and_others_are_refused() {
        let time = UNIX_EPOCH + Duration::from_micros(1_764_230_400_123_456);
        for session in ["a", "a.b", "\u{1f980}", "."] {
            assert_eq!(parse_cursor(&cursor(time, session)).unwrap(), (time, session.to_owned()));
        }
        for odd in ["", "u.", "u1.", "ux.a", "u-1.a", "uffffffffffffffff.a", "1.a", "u1", "u1.\0"] {
            assert!(matches!(parse_cursor(odd), Err(StoreError::Cursor)), "{odd:?}");
        }
    }
}
