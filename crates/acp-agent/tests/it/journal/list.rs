//! The list of what is stored.

use std::fs::File;
use std::time::{Duration, SystemTime};

use acp_agent::store::{Journal, SessionStore as _, StoreError};
use acp_agent::types::{ListSessionsRequest, SessionInfo};

use super::update;

/// Stores `count` sessions, of which every second has another directory. The last is the newest.
async fn stored(journal: &Journal, count: u64) {
    for number in 0..count {
        let cwd = if number % 2 == 0 { "/even" } else { "/odd" };
        let mut log = journal.create(SessionInfo::new(format!("s{number}"), cwd)).await.unwrap();
        log.set_title(Some(format!("Session {number}"))).await.unwrap();
        log.append(vec![update("1")]).await.unwrap();
        log.commit().await.unwrap();
        drop(log);
        touch(journal, number, 1_700_000_000 + number / 3);
    }
}

/// Sets the time of a session's file. Files with equal times are listed by name.
fn touch(journal: &Journal, number: u64, seconds: u64) {
    let path = journal.folder().unwrap().join(format!("s{number}.journal"));
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
    File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
}

async fn pages(journal: &Journal, request: ListSessionsRequest) -> Vec<Vec<SessionInfo>> {
    let mut request = request;
    let mut pages = Vec::new();
    loop {
        let page = journal.list(&request).await.unwrap();
        pages.push(page.sessions);
        match page.next_cursor {
            Some(cursor) => request = request.cursor(cursor),
            None => return pages,
        }
    }
}

#[tokio::test]
async fn pages_have_every_session_once_and_the_newest_first() {
    let folder = tempfile::tempdir().unwrap();
    for (count, size, expected) in [(0, 5, 1), (4, 5, 1), (5, 5, 1), (6, 5, 2), (23, 5, 5), (7, 1, 7)] {
        let journal = Journal::at(folder.path().join(format!("{count}"))).page_size(size);
        stored(&journal, count).await;
        let pages = pages(&journal, ListSessionsRequest::new()).await;
        assert_eq!(pages.len(), expected, "{count} sessions");
        assert!(pages.iter().all(|page| page.len() <= size));
        let all = pages.concat();
        assert!(all.is_sorted_by(|a, b| a.updated_at >= b.updated_at));
        let mut numbers: Vec<_> =
            all.iter().map(|session| session.session_id.as_str()[1..].parse::<u64>().unwrap()).collect();
        numbers.sort_unstable();
        assert_eq!(numbers, (0..count).collect::<Vec<_>>());
    }
}

/// Such as files of a backup whose times were lost.
#[tokio::test]
async fn pages_end_when_files_are_older_than_1970() {
    let folder = tempfile::tempdir().unwrap();
    let journal = Journal::at(folder.path()).page_size(2);
    stored(&journal, 7).await;
    for (number, seconds) in [(1, 0), (2, 1), (3, 1), (4, 1_000_000)] {
        let path = journal.folder().unwrap().join(format!("s{number}.journal"));
        let time = SystemTime::UNIX_EPOCH - Duration::from_secs(seconds);
        File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
    }
    let (mut request, mut found) = (ListSessionsRequest::new(), Vec::new());
    loop {
        let page = journal.list(&request).await.unwrap();
        found.extend(page.sessions.into_iter().map(|session| session.session_id.to_string()));
        assert!(found.len() <= 7, "{found:?}");
        request.cursor = page.next_cursor;
        if request.cursor.is_none() {
            break;
        }
    }
    found.sort();
    assert_eq!(found, ["s0", "s1", "s2", "s3", "s4", "s5", "s6"]);
    let epoch = SystemTime::UNIX_EPOCH;
    assert_eq!(journal.delete_older_than(epoch - Duration::from_secs(2_000_000)).await.unwrap(), 0);
    assert_eq!(journal.delete_older_than(epoch + Duration::from_secs(1)).await.unwrap(), 4);
}

#[tokio::test]
async fn entries_have_title_directory_and_time() {
    let folder = tempfile::tempdir().unwrap();
    let journal = Journal::at(folder.path()).page_size(3);
    stored(&journal, 8).await;
    let odd = pages(&journal, ListSessionsRequest::new().cwd("/odd")).await;
    assert_eq!(odd.iter().map(Vec::len).collect::<Vec<_>>(), [3, 1]);
    let newest = SessionInfo::new("s7", "/odd").title("Session 7").updated_at("2023-11-14T22:13:22.000Z");
    assert_eq!(odd[0][0], newest);
    assert_eq!(pages(&journal, ListSessionsRequest::new().cwd("/odd/")).await, odd);
    assert_eq!(pages(&journal, ListSessionsRequest::new().cwd("/nowhere")).await, [vec![]]);
}

#[tokio::test]
async fn a_cursor_of_another_kind_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let journal = Journal::at(folder.path());
    for cursor in ["", "1", "1.2", "x.2.s", "1.2.../s", "1.2.S", "1.ffffffff.s", "ffffffffffffffff.0.s"] {
        let refused = journal.list(&ListSessionsRequest::new().cursor(cursor)).await;
        assert!(matches!(refused, Err(StoreError::Cursor)), "{cursor}");
    }
}

#[tokio::test]
async fn a_long_turn_that_is_running_or_was_killed_does_not_hide_a_session() {
    let folder = tempfile::tempdir().unwrap();
    let journal = Journal::at(folder.path());
    let mut log = journal.create(SessionInfo::new("s", "/work")).await.unwrap();
    log.set_title(Some("A title".to_owned())).await.unwrap();
    log.append(vec![update(format!("\"{}\"", "x".repeat(50_000)))]).await.unwrap();
    let listed = |page: acp_agent::types::ListSessionsResponse| page.sessions[0].title.clone();
    let request = ListSessionsRequest::new();
    assert_eq!(listed(journal.list(&request).await.unwrap()).as_deref(), Some("A title"));
    drop(log);
    // The reopened session still has its title, and writes it near the end of the file.
    let mut log = journal.open(&"s".into()).await.unwrap();
    assert_eq!(log.info().title.as_deref(), Some("A title"));
    log.append(vec![update("1")]).await.unwrap();
    log.commit().await.unwrap();
    let bytes = std::fs::read(folder.path().join("s.journal")).unwrap();
    let tail = String::from_utf8_lossy(&bytes[bytes.len() - 4096..]).into_owned();
    assert!(tail.contains("A title"));
    log.set_title(None).await.unwrap();
    assert_eq!(listed(journal.list(&request).await.unwrap()), None);
}

/// The members that lists show of a session stand near the end of its file. This holds during a
/// turn, too, and after a kill in one. Lists do not need the beginning of the file.
#[tokio::test]
async fn lists_read_the_end_of_a_session_that_was_killed() {
    for batch in [1, 7, 5_000] {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::at(folder.path());
        let mut log = journal.create(SessionInfo::new("s", "/work")).await.unwrap();
        log.set_title(Some("A title".to_owned())).await.unwrap();
        let records: Vec<_> = (0..5_000).map(|number| update(format!("\"{number:0500}\""))).collect();
        for records in records.chunks(batch) {
            log.append(records.to_vec()).await.unwrap();
        }
        drop(log);
        let path = folder.path().join("s.journal");
        let bytes = std::fs::read(&path).unwrap();
        assert!(bytes.len() < 5_000 * 522 + 100 * 1024, "{} bytes", bytes.len());
        let mut damaged = bytes.clone();
        let kept = bytes.len() - 128 * 1024;
        damaged[..kept].fill(b'x');
        // An unfinished line, as after a kill.
        damaged.extend_from_slice(b"000000ff 00000000 u \"");
        std::fs::write(&path, damaged).unwrap();
        let page = journal.list(&ListSessionsRequest::new()).await.unwrap();
        let listed = page.sessions.first().and_then(|session| session.title.clone());
        assert_eq!(listed.as_deref(), Some("A title"), "in batches of {batch}");
    }
}

#[tokio::test]
async fn files_that_are_no_sessions_are_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let journal = Journal::at(folder.path());
    stored(&journal, 1).await;
    std::fs::write(folder.path().join("notes.txt"), "mine").unwrap();
    std::fs::write(folder.path().join("empty.journal"), "").unwrap();
    std::fs::write(folder.path().join("other.journal"), "no journal\n".repeat(5_000)).unwrap();
    std::fs::copy(folder.path().join("s0.journal"), folder.path().join("copy.journal")).unwrap();
    let page = journal.list(&ListSessionsRequest::new()).await.unwrap();
    assert_eq!(page.sessions.len(), 1);
    assert_eq!(page.sessions[0].session_id.as_str(), "s0");
}
