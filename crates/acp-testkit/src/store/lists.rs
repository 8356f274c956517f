//! Promises about lists, and about sessions that are deleted for their age.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use acp_agent::store::{SessionStore, StoreError};
use acp_types::v1::{ListSessionsRequest, SessionId, SessionInfo};

use super::case::{Stop, Stores, Tried, cases, require};
use super::samples::{create, error_of, info, keep, open_soon, read, updates};

cases! {
    "list", "A list has each session once, with its title, directories and time.", list;
    "list-order", "Sessions that were used last come first.", list_order;
    "list-pages", "The pages of a list have all sessions, each once.", list_pages;
    "list-changing", "Sessions that stay as they are come once, whatever happens to others between two pages.", list_changing;
    "list-equal-times", "Sessions of one time are on the pages once each.", equal_times;
    "list-cursor", "A cursor that does not come from a list of the store fails with `Cursor`.", list_cursor;
    "list-folder", "A list of one working directory has its sessions and no others, on all pages.", list_folder;
    "only-looked-at", "Opening and closing a session does not make it one that was used last.", only_looked_at;
    "copied-time", "A session gets the time of a copy, and another one with its next use, or it has its own.", copied_time;
    "older-than", "Sessions that are older than a time are deleted, those that are open stay.", older_than;
    "any-age", "Ages and times may be of any size: long ago there was no session, and one day all are old.", any_age;
}

/// Returns the sessions of all pages.
async fn all_pages(store: &dyn SessionStore, mut request: ListSessionsRequest) -> Tried<Vec<SessionInfo>> {
    let mut all = Vec::new();
    loop {
        let page = store.list(&request).await?;
        all.extend(page.sessions);
        match page.next_cursor {
            None => return Ok(all),
            cursor if cursor == request.cursor => {
                return Err(Stop::Failed("a page is followed by itself".to_owned()));
            }
            cursor => request.cursor = cursor,
        }
        require(all.len() < 10_000, || "the pages do not end".to_owned())?;
    }
}

fn ids(sessions: &[SessionInfo]) -> Vec<&str> {
    sessions.iter().map(|session| session.session_id.as_str()).collect()
}

/// Waits until the time of the next use differs, also on a file system with coarse times.
async fn a_moment() {
    tokio::time::sleep(Duration::from_millis(20)).await;
}

async fn list([first, second]: Stores) -> Tried {
    require(all_pages(&*second, ListSessionsRequest::new()).await?.is_empty(), || {
        "a list of an empty store has sessions".to_owned()
    })?;
    let new = info("one").additional_directories(vec!["/more".to_owned()]);
    let mut log = first.create(new).await?;
    log.append(updates(0..2)?).await?;
    log.set_title(Some("a title".to_owned())).await?;
    log.commit().await?;
    for is_open in [true, false] {
        let found = all_pages(&*second, ListSessionsRequest::new()).await?;
        require(ids(&found) == ["one"], || format!("open {is_open}: {:?}", ids(&found)))?;
        for session in found {
            let is_same = session.title.as_deref() == Some("a title")
                && session.cwd == "/work"
                && session.additional_directories == ["/more"];
            require(is_same, || format!("open {is_open}: {session:?}"))?;
            let time = session.updated_at.unwrap_or_default();
            let is_time = time.len() >= 20 && time.get(10..11) == Some("T");
            require(is_time, || format!("`updatedAt` is `{time}` instead of an ISO 8601 time"))?;
        }
    }
    Ok(log.close().await?)
}

async fn list_order([first, second]: Stores) -> Tried {
    for id in ["a", "b", "c"] {
        keep(&*first, id, updates(0..1)?).await?;
        a_moment().await;
    }
    let found = all_pages(&*second, ListSessionsRequest::new()).await?;
    require(ids(&found) == ["c", "b", "a"], || format!("{:?}", ids(&found)))?;
    for (id, expected) in [("a", ["a", "c", "b"]), ("b", ["b", "a", "c"])] {
        let mut log = second.open(&SessionId::from(id)).await?;
        log.append(updates(1..2)?).await?;
        log.commit().await?;
        log.close().await?;
        a_moment().await;
        let found = all_pages(&*first, ListSessionsRequest::new()).await?;
        require(ids(&found) == expected, || format!("{:?} instead of {expected:?}", ids(&found)))?;
    }
    Ok(())
}

/// Keeps so many sessions that each store has several pages of them.
async fn keep_many(store: &Arc<dyn SessionStore>) -> Tried<Vec<String>> {
    let mut kept = Vec::new();
    for number in 0..230 {
        let id = format!("session {number}");
        let folder = if number % 2 == 0 { "/even" } else { "/odd/" };
        let mut log = store.create(SessionInfo::new(id.as_str(), folder)).await?;
        log.append(updates(0..1)?).await?;
        log.close().await?;
        kept.push(id);
    }
    kept.sort();
    Ok(kept)
}

async fn list_pages([first, second]: Stores) -> Tried {
    let kept = keep_many(&first).await?;
    let found = all_pages(&*second, ListSessionsRequest::new()).await?;
    let mut found: Vec<String> = ids(&found).into_iter().map(str::to_owned).collect();
    found.sort();
    require(found == kept, || format!("{} sessions on all pages instead of {}", found.len(), kept.len()))
}

async fn list_changing([first, second]: Stores) -> Tried {
    let kept = keep_many(&first).await?;
    let (mut found, mut changed) = (Vec::new(), BTreeSet::new());
    let mut request = ListSessionsRequest::new();
    for round in 0.. {
        let page = second.list(&request).await?;
        found.extend(page.sessions.iter().map(|session| session.session_id.to_string()));
        require(found.len() < 10_000, || "the pages do not end".to_owned())?;
        request.cursor = page.next_cursor;
        if request.cursor.is_none() {
            break;
        }
        let mut later = kept.iter().filter(|id| !found.contains(id) && !changed.contains(*id));
        let (to_go, to_use) = (later.next().cloned(), later.next().cloned());
        if round % 2 == 0 {
            // The first and the last one of the page go, and one of those to come.
            let gone = [page.sessions.first(), page.sessions.last()].into_iter().flatten();
            let gone: Vec<String> = gone.map(|session| session.session_id.to_string()).collect();
            for id in gone.into_iter().chain(to_go) {
                first.delete(&SessionId::from(id.as_str())).await?;
                changed.insert(id);
            }
        } else if let Some(used) = to_use {
            keep(&*first, &format!("new {round}"), updates(0..1)?).await?;
            let mut log = first.open(&SessionId::from(used.as_str())).await?;
            log.append(updates(1..2)?).await?;
            log.close().await?;
            changed.insert(used);
        }
    }
    let count = |id: &String| found.iter().filter(|other| *other == id).count();
    for id in &found {
        require(count(id) == 1, || format!("`{id}` is listed twice"))?;
    }
    for id in kept.iter().filter(|id| !changed.contains(*id)) {
        require(count(id) == 1, || format!("`{id}` is not listed"))?;
    }
    Ok(())
}

async fn equal_times([first, second]: Stores) -> Tried {
    let mut kept = BTreeSet::new();
    for number in 0..230 {
        let id = format!("session {number}");
        let mut log = first.create(info(&id)).await?;
        log.set_updated_at("2024-02-29T23:59:58.123Z".to_owned()).await?;
        log.close().await?;
        kept.insert(id);
    }
    let found = all_pages(&*second, ListSessionsRequest::new()).await?;
    let each: BTreeSet<String> = ids(&found).into_iter().map(str::to_owned).collect();
    require(each == kept && found.len() == kept.len(), || {
        format!("{} sessions on all pages instead of {}", found.len(), kept.len())
    })
}

async fn list_cursor([first, _]: Stores) -> Tried {
    keep(&*first, "one", updates(0..1)?).await?;
    for cursor in ["", "elsewhere", "0.0", "-1", "\u{1f980}", "99999999999999999999999.x"] {
        let request = ListSessionsRequest::new().cursor(cursor);
        let error = error_of(first.list(&request).await, &format!("a list from `{cursor}` on"))?;
        require(matches!(error, StoreError::Cursor), || format!("a list from `{cursor}` on: {error}"))?;
    }
    Ok(())
}

async fn list_folder([first, second]: Stores) -> Tried {
    keep_many(&first).await?;
    for (folder, is_of) in [("/even", 0), ("/even/", 0), ("/odd", 1), ("/", 2), ("/eve", 2)] {
        let found = all_pages(&*second, ListSessionsRequest::new().cwd(folder)).await?;
        let expected = if is_of == 2 { 0 } else { 115 };
        require(found.len() == expected, || {
            format!("{} sessions in `{folder}` instead of {expected}", found.len())
        })?;
        let name = if is_of == 0 { "/even" } else { "/odd/" };
        require(found.iter().all(|session| session.cwd == name), || {
            format!("sessions of another folder are in the list of `{folder}`")
        })?;
    }
    Ok(())
}

async fn copied_time([first, second]: Stores) -> Tried {
    const TIME: &str = "2024-02-29T23:59:58.123Z";
    let list = async || all_pages(&*second, ListSessionsRequest::new()).await;
    keep(&*first, "used since", updates(0..1)?).await?;
    let mut log = first.create(info("one")).await?;
    log.append(updates(0..1)?).await?;
    log.commit().await?;
    log.set_updated_at(TIME.to_owned()).await?;
    log.close().await?;
    let time = async || {
        let session = list().await?.into_iter().find(|session| session.session_id.as_str() == "one");
        Ok::<_, Stop>(session.and_then(|session| session.updated_at).unwrap_or_default())
    };
    let found = time().await?;
    let today = SystemTime::now() - Duration::from_secs(3600);
    if found != TIME {
        // The store gives a copy the time at which it was made.
        let deleted = second.delete_older_than(today).await?;
        return require(deleted == 0, || format!("`{found}` is neither the copy's time nor its own"));
    }
    require(ids(&list().await?) == ["used since", "one"], || "a copy of 2024 was used last".to_owned())?;
    for odd in ["", "tomorrow", "now", "infinity", "2026-01-31T12:00:00", "2026-13-31T12:00:00Z"] {
        let mut log = open_soon(&*second, "one").await?;
        // It fails, or does nothing.
        let _ = log.set_updated_at(odd.to_owned()).await;
        drop(log);
        let found = time().await?;
        require(found == TIME, || format!("`{odd}` was taken for the time `{found}`"))?;
    }
    let mut log = open_soon(&*second, "one").await?;
    log.append(updates(1..2)?).await?;
    log.commit().await?;
    log.close().await?;
    let found = time().await?;
    require(found != TIME, || "a use does not count after a time was set".to_owned())?;
    require(second.delete_older_than(today).await? == 0, || "a session that was used now is old".to_owned())
}

async fn only_looked_at([first, second]: Stores) -> Tried {
    for id in ["a", "b"] {
        keep(&*first, id, updates(0..1)?).await?;
        a_moment().await;
    }
    let before = all_pages(&*first, ListSessionsRequest::new()).await?;
    let mut log = second.open(&SessionId::from("a")).await?;
    log.set_additional_directories(vec!["/more".to_owned()]).await?;
    log.commit().await?;
    log.close().await?;
    let after = all_pages(&*first, ListSessionsRequest::new()).await?;
    require(ids(&after) == ids(&before), || format!("{:?}", ids(&after)))?;
    let times = |sessions: &[SessionInfo]| -> Vec<_> {
        sessions.iter().map(|session| session.updated_at.clone()).collect()
    };
    require(times(&after) == times(&before), || "its time has changed".to_owned())
}

async fn older_than([first, second]: Stores) -> Tried {
    keep(&*first, "old", updates(0..300)?).await?;
    keep(&*first, "old, used again", updates(0..1)?).await?;
    let mut open = create(&*first, "open", updates(0..2)?).await?;
    a_moment().await;
    let now = SystemTime::now();
    let long_ago = now - Duration::from_secs(3600);
    let deleted = second.delete_older_than(long_ago).await?;
    require(deleted == 0, || format!("{deleted} sessions are an hour old"))?;
    a_moment().await;
    keep(&*first, "new", updates(0..1)?).await?;
    let mut log = first.open(&SessionId::from("old, used again")).await?;
    log.append(updates(1..2)?).await?;
    log.close().await?;
    let deleted = second.delete_older_than(now).await?;
    require(deleted == 1, || format!("{deleted} sessions were deleted instead of 1"))?;
    let found = all_pages(&*first, ListSessionsRequest::new()).await?;
    let mut found = ids(&found);
    found.sort_unstable();
    require(found == ["new", "old, used again", "open"], || format!("{found:?} are left"))?;
    let gone = read(&*second, "old").await;
    require(matches!(gone, Err(Stop::Failed(_))), || "a deleted session can be read".to_owned())?;
    open.append(updates(2..3)?).await?;
    open.close().await?;
    let left = read(&*second, "open").await?;
    require(left == updates(0..3)?, || "the open session has lost records".to_owned())
}

async fn any_age([first, second]: Stores) -> Tried {
    keep(&*first, "one", updates(0..1)?).await?;
    let now = SystemTime::now();
    for seconds in [1 << 30, 1 << 36, 1 << 43, 1 << 60, u64::MAX] {
        let age = Duration::from_secs(seconds);
        let deleted = second.delete_unused_for(age).await?;
        require(deleted == 0, || format!("a new session is {seconds} s old"))?;
        if let Some(time) = now.checked_sub(age) {
            let deleted = second.delete_older_than(time).await?;
            require(deleted == 0, || format!("a session was last used {seconds} s ago"))?;
        }
    }
    let latest = (0..63).rev().find_map(|bit| now.checked_add(Duration::from_secs(1 << bit)));
    let deleted = second.delete_older_than(latest.unwrap_or(now)).await?;
    require(deleted == 1, || format!("{deleted} of 1 sessions are older than the end of time"))
}
