//! Times, ages, names and records at their extremes.

use std::time::{Duration, SystemTime};

use acp_agent::store::{Record, RecordKind, SessionStore, StoreError};
use acp_types::v1::{ListSessionsRequest, SessionId, SessionInfo};

use crate::server::{Server, server_or_skip};
use crate::{connect, id, info, quick, read, store, updates};

const YEAR: u64 = 365 * 24 * 3600;

async fn keep(store: &dyn SessionStore, id: &str, time: Option<&str>) -> Result<(), StoreError> {
    let mut log = store.create(SessionInfo::new(id, "/work")).await?;
    let set = match time {
        Some(time) => log.set_updated_at(time.to_owned()).await,
        None => Ok(()),
    };
    log.close().await?;
    set
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ages_and_times_of_any_size_are_taken() {
    let server = server_or_skip!(Server::shared());
    let store = store(&server.database()).await;
    for round in 0..2 {
        keep(&store, "one", None).await.unwrap();
        for years in [1, 3_000, 10_000, 300_000, 1_000_000_000] {
            let age = Duration::from_secs(years * YEAR);
            assert_eq!(store.delete_unused_for(age).await.unwrap(), 0, "{years} years");
            if let Some(time) = SystemTime::UNIX_EPOCH.checked_sub(age) {
                assert_eq!(store.delete_older_than(time).await.unwrap(), 0, "{years} years before 1970");
            }
        }
        let latest =
            (0..63).rev().find_map(|bit| SystemTime::now().checked_add(Duration::from_secs(1 << bit)));
        let time = if round == 0 { latest.unwrap() } else { SystemTime::now() + Duration::from_secs(YEAR) };
        assert_eq!(store.delete_older_than(time).await.unwrap(), 1, "round {round}");
    }
}

/// The database reads more texts as times than the protocol has.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_text_that_is_not_a_time_is_refused() {
    let server = server_or_skip!(Server::shared());
    let store = store(&server.database()).await;
    let odd = [
        "",
        "tomorrow",
        "now",
        "infinity",
        "-infinity",
        "epoch",
        "2026-01-31",
        "2026-01-31T12:00:00",
        "2026-01-31 12:00:00Z",
        "2026-13-31T12:00:00Z",
        "2026-01-31T12:00:00 Europe/Berlin",
        "2026-01-31T12:00:00\0Z",
    ];
    for (number, time) in odd.into_iter().enumerate() {
        let set = keep(&store, &format!("odd {number}"), Some(time)).await;
        assert!(matches!(set, Err(StoreError::Other(_))), "{time:?}: {set:?}");
    }
    for (time, expected) in [
        ("2026-01-31T12:00:00Z", "2026-01-31T12:00:00.000Z"),
        ("2026-01-31T12:00:00.123456789Z", "2026-01-31T12:00:00.123Z"),
        ("2026-01-31T12:00:00.5+05:30", "2026-01-31T06:30:00.500Z"),
    ] {
        keep(&store, time, Some(time)).await.unwrap();
        let page = store.list(&ListSessionsRequest::new()).await.unwrap();
        let found = page.sessions.iter().find(|session| session.session_id.as_str() == time);
        assert_eq!(found.unwrap().updated_at.as_deref(), Some(expected));
    }
}

/// Times of one microsecond, and those before 1970.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_have_each_session_once_whatever_its_time() {
    let server = server_or_skip!(Server::shared());
    let store = connect(&quick(&server.database()).page_size(3)).await;
    let mut kept = Vec::new();
    for time in ["1969-07-20T20:17:40Z", "1950-01-01T00:00:00.5Z", "2026-01-31T12:00:00Z"] {
        for number in 0..7 {
            let id = format!("{time} {number}");
            keep(&store, &id, Some(time)).await.unwrap();
            kept.push(id);
        }
    }
    kept.sort();
    let (mut found, mut request) = (Vec::new(), ListSessionsRequest::new());
    loop {
        let page = store.list(&request).await.unwrap();
        found.extend(page.sessions.iter().map(|session| session.session_id.to_string()));
        assert!(found.len() <= kept.len(), "{found:?}");
        request.cursor = page.next_cursor;
        if request.cursor.is_none() {
            break;
        }
    }
    assert!(found.is_sorted_by(|one, next| one > next), "{found:?}");
    found.sort();
    assert_eq!(found, kept);
}

/// Characters that `text` cannot have, or that SQL uses.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn odd_characters_are_kept_everywhere() {
    let server = server_or_skip!(Server::shared());
    let store = store(&server.database()).await;
    let odd = "nul\0 \u{1} '; -- \" \\ $1 {} \u{1f980}";
    let store = store.for_principal(odd).unwrap();
    let long = format!("/{}", "folder\0/".repeat(20_000));
    for cwd in [format!("/{odd}"), long] {
        let id = SessionId::from(odd);
        let info = SessionInfo::new(id.clone(), cwd.as_str()).additional_directories(vec![cwd.clone()]);
        let mut log = store.create(info).await.unwrap();
        log.set_title(Some(odd.to_owned())).await.unwrap();
        log.append(updates(0..1)).await.unwrap();
        log.close().await.unwrap();
        let page = store.list(&ListSessionsRequest::new().cwd(cwd.as_str())).await.unwrap();
        let [found] = page.sessions.as_slice() else { panic!("{} sessions", page.sessions.len()) };
        assert_eq!((found.cwd.as_str(), found.title.as_deref()), (cwd.as_str(), Some(odd)));
        assert_eq!(found.additional_directories, [cwd]);
        assert_eq!(found.session_id, id);
        let page = store.list(&ListSessionsRequest::new().cwd("/\0")).await.unwrap();
        assert_eq!(page.sessions, []);
        assert_eq!(read(&*store, &id).await, updates(0..1));
        store.delete(&id).await.unwrap();
    }
}

/// Text that cannot be made much shorter.
fn noise(bytes: usize) -> String {
    let mut state = 1_u64;
    let letters = std::iter::repeat_with(|| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b'0' + u8::try_from(state >> 58).unwrap() % 43)
    });
    letters.take(bytes).filter(|letter| *letter != '\\').collect()
}

/// The time of an attempt is enough for a short statement. One that carries more has more time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_record_that_takes_longer_than_an_attempt_is_stored() {
    let server = server_or_skip!(Server::shared());
    let database = server.database();
    let store = connect(&quick(&database).attempt(Duration::from_millis(100))).await;
    let mut log = store.create(info()).await.unwrap();
    let long = Record::new(RecordKind::Update, format!("\"{}\"", noise(60 * 1024 * 1024))).unwrap();
    log.append(vec![long.clone()]).await.unwrap();
    log.append(updates(0..1)).await.unwrap();
    // A read cannot know how long a row is.
    for attempt in [Duration::from_millis(30), Duration::from_secs(5)] {
        let found = read(&connect(&quick(&database).attempt(attempt)).await, &id()).await;
        assert!(found == [vec![long.clone()], updates(0..1)].concat(), "{} records", found.len());
    }
}

/// Rule `rm-st-01`.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn records_are_the_bytes_of_the_wire() {
    let server = server_or_skip!(Server::shared());
    let database = server.database();
    let store = store(&database).await;
    let text = r#"{"b":1.0,"a":[1e400, "\u0000"],"b":"\ud83d"}"#;
    let mut log = store.create(info()).await.unwrap();
    log.append(vec![Record::new(RecordKind::Update, text).unwrap()]).await.unwrap();
    log.close().await.unwrap();
    let kept = server.psql(&database.name, "select encode(records, 'hex') from acp_batch").unwrap();
    let row = format!("update {}\n{text}\n", text.len());
    let hex: String = row.bytes().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(kept.trim(), hex);
    assert_eq!(read(&store, &id()).await[0].json(), text);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_thousand_records_are_added_at_once() {
    let server = server_or_skip!(Server::shared());
    let store = store(&server.database()).await;
    let padding = "x".repeat(300);
    let record =
        |number: usize| Record::new(RecordKind::Update, format!("[{number},\"{padding}\"]")).unwrap();
    let all: Vec<_> = (0..100_000).map(record).collect();
    let mut log = store.create(info()).await.unwrap();
    log.append(all.clone()).await.unwrap();
    let state = vec![Record::new(RecordKind::Saved, "1").unwrap()];
    log.append(state.clone()).await.unwrap();
    assert_eq!(log.state().await.unwrap(), Some(state.clone()));
    let found = read(&store, &id()).await;
    assert!(found == [all, state].concat(), "{} records", found.len());
}
