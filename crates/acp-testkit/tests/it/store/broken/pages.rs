//! Pages of lists that are wrong once a list changes, or has equal times.

use acp_agent::store::{SessionStore, StoreError};
use acp_types::v1::{ListSessionsRequest, ListSessionsResponse, SessionInfo};

const PAGE: usize = 50;

/// Returns a page of a store whose cursors are places in the list, or times.
pub(super) async fn page(
    store: &dyn SessionStore,
    request: &ListSessionsRequest,
    is_by_time: bool,
) -> Result<ListSessionsResponse, StoreError> {
    let mut sessions = all(store).await?;
    let from: usize = match &request.cursor {
        Some(time) if is_by_time => {
            sessions.retain(|session| session.updated_at.as_ref() < Some(time));
            0
        }
        Some(place) => place.parse().map_err(|_| StoreError::Cursor)?,
        None => 0,
    };
    let rest = sessions.split_off(from.min(sessions.len()));
    let mut page = ListSessionsResponse::new(rest.iter().take(PAGE).cloned().collect::<Vec<_>>());
    if rest.len() > PAGE {
        let last = rest[PAGE - 1].updated_at.clone();
        page.next_cursor = if is_by_time { last } else { Some((from + PAGE).to_string()) };
    }
    Ok(page)
}

async fn all(store: &dyn SessionStore) -> Result<Vec<SessionInfo>, StoreError> {
    let (mut all, mut request) = (Vec::new(), ListSessionsRequest::new());
    loop {
        let page = store.list(&request).await?;
        all.extend(page.sessions);
        request.cursor = page.next_cursor;
        if request.cursor.is_none() {
            return Ok(all);
        }
    }
}
