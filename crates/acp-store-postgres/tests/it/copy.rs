//! Copies from and to a journal.

use acp_agent::store::{
    Journal, MemoryStore, Pending, Record, RecordKind, Records, SessionLog, SessionStore, StoreError,
};
use acp_store_postgres::{PostgresStore, copy};
use acp_types::v1::{ListSessionsRequest, ListSessionsResponse, SessionId, SessionInfo};

use crate::server::{Server, server_or_skip};
use crate::{read, store, updates};

/// Keeps sessions with records, state, titles and directories.
async fn fill(store: &dyn SessionStore, count: usize) {
    for number in 0..count {
        let info = SessionInfo::new(format!("session {number}"), "/work");
        let info = info.additional_directories(vec![format!("/more/{number}")]);
        let mut log = store.create(info).await.unwrap();
        log.append(updates(0..number * 211)).await.unwrap();
        log.append(vec![Record::new(RecordKind::Saved, format!("[{number}]")).unwrap()]).await.unwrap();
        log.set_title(Some(format!("title {number}"))).await.unwrap();
        log.commit().await.unwrap();
        log.close().await.unwrap();
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

/// Returns the facts of all sessions with their times, those used last first.
async fn listed(store: &dyn SessionStore) -> Vec<SessionInfo> {
    store.list(&ListSessionsRequest::new()).await.unwrap().sessions
}

async fn check_same(one: &dyn SessionStore, other: &dyn SessionStore) {
    assert_eq!(listed(one).await, listed(other).await);
    for session in listed(one).await {
        let id = session.session_id;
        assert_eq!(read(one, &id).await, read(other, &id).await, "{id}");
        let mut state = Vec::new();
        for store in [one, other] {
            let mut log = store.open(&id).await.unwrap();
            state.push(log.state().await.unwrap());
            log.close().await.unwrap();
        }
        assert_eq!(state[0], state[1], "{id}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_journal_is_copied_to_a_database_and_back() {
    let server = server_or_skip!(Server::shared());
    let store = store(&server.database()).await;
    let folder = tempfile::tempdir().unwrap();
    let (journal, back) = (Journal::at(folder.path().join("a")), Journal::at(folder.path().join("b")));
    fill(&journal, 12).await;
    let copied = copy(&journal, &store).await.unwrap();
    assert_eq!((copied.sessions, copied.left.len()), (12, 0), "{copied:?}");
    check_same(&journal, &store).await;
    copy(&store, &back).await.unwrap();
    check_same(&journal, &back).await;
    // A second time there is nothing to do.
    let copied = copy(&journal, &store).await.unwrap();
    assert_eq!((copied.sessions, copied.records), (12, 0), "{copied:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_that_was_stopped_goes_on_where_it_was() {
    let server = server_or_skip!(Server::shared());
    let store = store(&server.database()).await;
    let folder = tempfile::tempdir().unwrap();
    let journal = Journal::at(folder.path());
    let id = SessionId::from("half");
    let mut log = journal.create(SessionInfo::new(id.clone(), "/work")).await.unwrap();
    log.append(updates(0..2500)).await.unwrap();
    // What an earlier copy has left behind.
    let mut half = store.create(SessionInfo::new(id.clone(), "/work")).await.unwrap();
    half.append(updates(0..1234)).await.unwrap();
    let copied = copy(&journal, &store).await.unwrap();
    assert!(matches!(copied.left.as_slice(), [(left, StoreError::Busy { .. })] if *left == id), "{copied:?}");
    half.close().await.unwrap();
    // The agent of the journal still runs.
    assert_eq!(copy(&journal, &store).await.unwrap().records, 2500 - 1234);
    log.append(updates(2500..2600)).await.unwrap();
    log.close().await.unwrap();
    assert_eq!(copy(&journal, &store).await.unwrap().records, 100);
    assert_eq!(read(&store, &id).await, updates(0..2600));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_with_other_records_is_left_alone() {
    let server = server_or_skip!(Server::shared());
    let store = store(&server.database()).await;
    let folder = tempfile::tempdir().unwrap();
    let journal = Journal::at(folder.path());
    for (id, records) in [("same", updates(0..5)), ("other", updates(0..5)), ("longer", updates(0..5))] {
        let mut log = journal.create(SessionInfo::new(id, "/work")).await.unwrap();
        log.append(records).await.unwrap();
        log.close().await.unwrap();
    }
    for (id, records) in [("other", updates(100..103)), ("longer", updates(0..9))] {
        let mut log = store.create(SessionInfo::new(id, "/work")).await.unwrap();
        log.append(records).await.unwrap();
        log.close().await.unwrap();
    }
    let copied = copy(&journal, &store).await.unwrap();
    let mut left: Vec<_> = copied.left.iter().map(|(id, _)| id.as_str()).collect();
    left.sort_unstable();
    assert_eq!((copied.sessions, left), (1, vec!["longer", "other"]));
    assert_eq!(read(&store, &"other".into()).await, updates(100..103));
    assert_eq!(read(&store, &"longer".into()).await, updates(0..9));
}

/// A backup that is made while a session is open. Its lease comes along, and ends like any other.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dump_has_every_session() {
    let server = server_or_skip!(Server::shared());
    let database = server.database();
    let original = store(&database).await;
    fill(&original, 6).await;
    let id = SessionId::from("open");
    let mut log = original.create(SessionInfo::new(id.clone(), "/work")).await.unwrap();
    log.append(updates(0..500)).await.unwrap();
    let copy = server.restored(&database);
    log.append(updates(500..600)).await.unwrap();
    log.close().await.unwrap();
    let restored = acp_store_postgres::PostgresStore::connect(&crate::quick(&copy)).await.unwrap();
    assert_eq!(read(&restored, &id).await, updates(0..500));
    assert!(matches!(restored.open(&id).await.err(), Some(StoreError::Busy { until: Some(_), .. })));
    server
        .psql(&copy.name, "update acp_session set lease_until = now() where lease_until is not null")
        .unwrap();
    restored.delete(&id).await.unwrap();
    original.delete(&id).await.unwrap();
    check_same(&original, &restored).await;
}

/// A store whose session is deleted when a part of it was read.
struct Deleted(PostgresStore);

impl SessionStore for Deleted {
    fn create(&self, session: SessionInfo) -> Pending<'_, Box<dyn SessionLog>> {
        self.0.create(session)
    }

    fn open<'a>(&'a self, session: &'a SessionId) -> Pending<'a, Box<dyn SessionLog>> {
        self.0.open(session)
    }

    fn read<'a>(&'a self, session: &'a SessionId) -> Pending<'a, Box<dyn Records>> {
        Box::pin(async move {
            let (mut rest, store) = (self.0.read(session).await?, self.0.clone());
            let begin = rest.next().await?;
            store.delete(session).await?;
            Ok(Box::new(Rest { begin: Some(begin), rest }) as Box<dyn Records>)
        })
    }

    fn list<'a>(&'a self, request: &'a ListSessionsRequest) -> Pending<'a, ListSessionsResponse> {
        self.0.list(request)
    }

    fn delete<'a>(&'a self, session: &'a SessionId) -> Pending<'a, ()> {
        self.0.delete(session)
    }
}

struct Rest {
    begin: Option<Vec<Record>>,
    rest: Box<dyn Records>,
}

impl Records for Rest {
    fn next(&mut self) -> Pending<'_, Vec<Record>> {
        match self.begin.take() {
            Some(begin) => Box::pin(std::future::ready(Ok(begin))),
            None => self.rest.next(),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_that_is_deleted_meanwhile_is_not_copied_in_part() {
    let server = server_or_skip!(Server::shared());
    let store = store(&server.database()).await;
    let mut log = store.create(SessionInfo::new("long", "/work")).await.unwrap();
    for number in 0..40 {
        let text = format!("\"{}\"", "x".repeat(200_000));
        log.append(vec![Record::new(RecordKind::Update, text).unwrap()]).await.unwrap();
        log.append(updates(number..number + 1)).await.unwrap();
    }
    log.close().await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let journal = Journal::at(folder.path());
    let copied = copy(&Deleted(store), &journal).await.unwrap();
    assert_eq!((copied.sessions, copied.records, copied.left.len()), (0, 0, 0), "{copied:?}");
    assert_eq!(listed(&journal).await, []);
}

/// A store need not keep parts of the state that later ones have replaced.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn copies_go_on_from_and_to_a_store_that_keeps_the_last_state() {
    let server = server_or_skip!(Server::shared());
    let store = store(&server.database()).await;
    let memory = MemoryStore::new(1024 * 1024);
    let state = |kind, number: usize| vec![Record::new(kind, number.to_string()).unwrap()];
    for number in 0..4 {
        let id = SessionId::from(number.to_string());
        let back = MemoryStore::new(1024 * 1024);
        let mut log = memory.create(SessionInfo::new(id.clone(), "/work")).await.unwrap();
        let mut all = Vec::new();
        for round in 0..6 {
            let records = [
                state(RecordKind::Saved, round),
                updates(round * 10..round * 10 + (round + number) % 3),
                state(RecordKind::Settings, round / 2),
                if (round + number) % 2 == 0 { state(RecordKind::Saved, round + 100) } else { Vec::new() },
            ]
            .concat();
            all.extend(records.clone());
            log.append(records).await.unwrap();
            for (from, to) in [(&memory as &dyn SessionStore, &store as &dyn SessionStore), (&store, &back)] {
                let copied = copy(from, to).await.unwrap();
                assert!(copied.left.is_empty(), "session {number}, round {round}: {:?}", copied.left);
                let conversation = |records: &[Record]| -> Vec<Record> {
                    records.iter().filter(|record| !record.kind().is_state()).cloned().collect()
                };
                assert_eq!(conversation(&read(to, &id).await), conversation(&all), "round {round}");
                let mut copy = to.open(&id).await.unwrap();
                let mut found = copy.state().await.unwrap().unwrap();
                found.sort_by_key(|record| record.kind().name());
                let last = |kind| all.iter().rfind(|record| record.kind() == kind).cloned().unwrap();
                assert_eq!(found, [last(RecordKind::Saved), last(RecordKind::Settings)], "round {round}");
                copy.close().await.unwrap();
                assert_eq!(self::copy(from, to).await.unwrap().records, 0, "session {number}, round {round}");
            }
        }
        log.close().await.unwrap();
    }
}

/// Sessions of one id that have no records yet are told apart by their folders.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_of_another_folder_is_left_alone() {
    let server = server_or_skip!(Server::shared());
    let store = store(&server.database()).await;
    let memory = MemoryStore::new(1024 * 1024);
    for (store, cwd) in [(&memory as &dyn SessionStore, "/mine"), (&store, "/other")] {
        store.create(SessionInfo::new("main", cwd)).await.unwrap().close().await.unwrap();
    }
    let mut log = memory.open(&"main".into()).await.unwrap();
    log.append(updates(0..3)).await.unwrap();
    log.set_title(Some("mine".to_owned())).await.unwrap();
    log.close().await.unwrap();
    let before = listed(&store).await;
    let copied = copy(&memory, &store).await.unwrap();
    assert!(matches!(copied.left.as_slice(), [(_, StoreError::Exists { .. })]), "{copied:?}");
    assert_eq!(read(&store, &"main".into()).await, []);
    assert_eq!(listed(&store).await, before);
}
