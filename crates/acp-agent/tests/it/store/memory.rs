//! The store in memory: its bounds, its order, and its sessions.

use acp_agent::store::{MemoryStore, Record, RecordKind, SessionStore, StoreError};
use acp_agent::types::{ListSessionsRequest, SessionId, SessionInfo};

const KILO: usize = 1024;

fn record(kind: RecordKind, text: &str) -> Record {
    Record::new(kind, format!("\"{text:_<KILO$}\"")).unwrap()
}

/// Creates a session with so many records of a kilobyte each, and closes it.
async fn keep(store: &MemoryStore, session: &str, records: usize) {
    let mut log = store.create(SessionInfo::new(session, "/work")).await.unwrap();
    for number in 0..records {
        log.append(vec![record(RecordKind::Update, &number.to_string())]).await.unwrap();
    }
}

async fn listed(store: &MemoryStore) -> Vec<String> {
    let page = store.list(&ListSessionsRequest::new()).await.unwrap();
    page.sessions.iter().map(|session| session.session_id.to_string()).collect()
}

#[tokio::test]
async fn sessions_used_longest_ago_go_first() {
    let store = MemoryStore::new(10 * KILO);
    for session in ["a", "b", "c"] {
        keep(&store, session, 2).await;
    }
    assert_eq!(listed(&store).await, ["c", "b", "a"]);
    // `a` is used, so `b` goes.
    store.open(&"a".into()).await.unwrap().append(vec![record(RecordKind::Update, "x")]).await.unwrap();
    keep(&store, "d", 2).await;
    assert_eq!(listed(&store).await, ["d", "a", "c"]);
    assert!(matches!(store.read(&"b".into()).await, Err(StoreError::Unknown { .. })));
    // A session that is open stays, whatever the others need.
    let held = store.open(&"c".into()).await.unwrap();
    keep(&store, "e", 5).await;
    assert_eq!(listed(&store).await, ["e", "c"]);
    drop(held);
}

#[tokio::test]
async fn a_session_that_is_too_long_loses_its_beginning_but_not_its_state() {
    let store = MemoryStore::new(8 * KILO);
    let session = SessionId::from("long");
    let mut log = store.create(SessionInfo::new(session.clone(), "/work")).await.unwrap();
    for number in 0..100 {
        log.append(vec![record(RecordKind::Update, &number.to_string()), record(RecordKind::Saved, "state")])
            .await
            .unwrap();
    }
    let records = store.read(&session).await.unwrap().next().await.unwrap();
    let bytes: usize = records.iter().map(|record| record.json().len()).sum();
    assert!(bytes <= 8 * KILO && records.len() > 2, "{bytes} bytes in {} records", records.len());
    let kinds = |kind| records.iter().filter(|record| record.kind() == kind).count();
    assert_eq!(kinds(RecordKind::Saved), 1);
    let last = records.iter().rfind(|record| record.kind() == RecordKind::Update).unwrap();
    assert!(last.json().starts_with("\"99_"), "{}", last.json());
    assert_eq!(log.state().await.unwrap().unwrap().len(), 1);
}

/// Records that were handed over together may share memory in the store.
#[tokio::test]
async fn records_that_come_together_go_one_by_one() {
    for limit in [4, 20, 40, 90].map(|kilos| kilos * KILO) {
        let store = MemoryStore::new(limit);
        let session = SessionId::from("batches");
        let mut log = store.create(SessionInfo::new(session.clone(), "/work")).await.unwrap();
        for batch in 0..5 {
            let mut records: Vec<_> = (0..40)
                .map(|number| record(RecordKind::Update, &(batch * 40 + number).to_string()))
                .collect();
            records.insert(20, record(RecordKind::Saved, &format!("state {batch}")));
            log.append(records).await.unwrap();
        }
        let records = store.read(&session).await.unwrap().next().await.unwrap();
        let (state, updates): (Vec<_>, Vec<_>) =
            records.into_iter().partition(|record| record.kind().is_state());
        assert_eq!(state, [record(RecordKind::Saved, "state 4")]);
        let first = 200 - updates.len();
        let expected: Vec<_> =
            (first..200).map(|number| record(RecordKind::Update, &number.to_string())).collect();
        assert_eq!(updates, expected);
        // As many as have room: each has a kilobyte and a little more.
        let room = (limit / KILO).min(200);
        assert!((room * 8 / 10..=room).contains(&(updates.len() + 1)), "{} of {room}", updates.len());
    }
}

#[tokio::test]
async fn a_session_is_open_once_and_exists_once() {
    let store = MemoryStore::new(KILO * KILO);
    let session = SessionId::from("one");
    let log = store.create(SessionInfo::new(session.clone(), "/work")).await.unwrap();
    assert!(matches!(store.open(&session).await, Err(StoreError::Busy { .. })));
    assert!(matches!(store.delete(&session).await, Err(StoreError::Busy { .. })));
    let again = store.create(SessionInfo::new(session.clone(), "/work")).await;
    assert!(matches!(again, Err(StoreError::Exists { .. })));
    drop(log);
    store.open(&session).await.unwrap();
    store.delete(&session).await.unwrap();
    assert!(matches!(store.delete(&session).await, Err(StoreError::Unknown { .. })));
}

#[tokio::test]
async fn a_list_has_pages() {
    let store = MemoryStore::new(KILO * KILO);
    for number in 0..250 {
        keep(&store, &number.to_string(), 0).await;
    }
    let (mut request, mut seen) = (ListSessionsRequest::new(), Vec::new());
    loop {
        let page = store.list(&request).await.unwrap();
        seen.extend(page.sessions.iter().map(|session| session.session_id.to_string()));
        match page.next_cursor {
            Some(cursor) => request.cursor = Some(cursor),
            None => break,
        }
    }
    let expected: Vec<_> = (0..250).rev().map(|number| number.to_string()).collect();
    assert_eq!(seen, expected);
    request.cursor = Some("elsewhere".into());
    assert!(matches!(store.list(&request).await, Err(StoreError::Cursor)));
}
