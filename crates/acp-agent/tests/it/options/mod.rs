//! Options at their extremes: each value works, or is refused with an error that explains it.
//!
//! An option never panics, and never makes anybody wait silently.
//!
//! `cargo test -p xtask` compares the names in these tables with the setters in the sources.

use std::path::Path;
use std::time::Duration;

use serde_json::json;

use crate::mcp::server::entry;
use crate::mcp::{options, router, said, session};
use crate::support::Wire;

#[tokio::test]
async fn patience_at_its_extremes() {
    // "Options::patience": with zero, the tools of a server are missing until it is connected.
    for (time, waits) in [(Duration::ZERO, false), (Duration::from_nanos(1), false), (Duration::MAX, true)] {
        let mut wire = Wire::connect(router(options().patience(time)), json!({})).await;
        let session = session(&mut wire, Path::new("/"), json!([entry("one", "plain", None)])).await;
        let tools = said(&mut wire, &session, "tools").await;
        assert!(!waits || tools.split(' ').count() == 11, "{time:?}: {tools}");
    }
}

#[cfg(feature = "store")]
#[tokio::test]
async fn pages_at_their_extremes() {
    use acp_agent::store::{Journal, SessionStore as _};
    use acp_agent::types::{ListSessionsRequest, SessionInfo};

    let folder = tempfile::tempdir().unwrap();
    for id in ["a", "b"] {
        drop(Journal::at(folder.path()).create(SessionInfo::new(id, "/work")).await.unwrap());
    }
    // "Journal::page_size"
    for (size, sessions) in [(0, 1), (1, 1), (usize::MAX, 2)] {
        let page =
            Journal::at(folder.path()).page_size(size).list(&ListSessionsRequest::new()).await.unwrap();
        assert!(page.sessions.len() <= sessions, "{size}: {page:?}");
    }
}

#[cfg(feature = "store")]
#[tokio::test]
async fn memory_at_its_extremes() {
    use acp_agent::store::{MemoryStore, SessionStore as _};
    use acp_agent::types::{ListSessionsRequest, SessionInfo};

    // "MemoryStore::new": the session that was made last is there, whatever the limit.
    for (limit, kept) in [(0, 1), (1, 1), (usize::MAX, 2)] {
        let store = MemoryStore::new(limit);
        for id in ["a", "b"] {
            drop(store.create(SessionInfo::new(id, "/work")).await.unwrap());
        }
        let listed = store.list(&ListSessionsRequest::new()).await.unwrap().sessions;
        assert_eq!(listed.len(), kept, "{limit}: {listed:?}");
        assert_eq!(listed.first().unwrap().session_id.as_str(), "b");
    }
}
