//! `session/list` and `session/delete`.

use acp_agent::store::Journal;
use acp_agent::{Result, Router, StopReason, Turn, op};
use serde_json::{Value, json};

use crate::store::{agent, connect, named};
use crate::support::Wire;

async fn list(wire: &mut Wire, params: Value) -> Value {
    wire.call("session/list", params).await["result"].take()
}

#[tokio::test]
async fn sessions_are_listed_with_titles_and_times() {
    let folder = tempfile::tempdir().unwrap();
    let mut wire = connect(folder.path()).await;
    assert_eq!(list(&mut wire, json!({})).await, json!({"sessions": []}));
    let silent = wire.new_session().await;
    let asked = wire.new_session().await;
    wire.turn(&asked, "\n  Fix the tests, please  \nall of them").await;
    wire.turn(&asked, "And the docs").await;
    let page = list(&mut wire, json!({})).await;
    let entry = |id: &str| {
        page["sessions"].as_array().unwrap().iter().find(|entry| entry["sessionId"] == id).cloned()
    };
    let asked = entry(&asked).unwrap();
    assert_eq!((&asked["title"], &asked["cwd"]), (&json!("Fix the tests, please"), &json!("/work")));
    let time = asked["updatedAt"].as_str().unwrap();
    assert!(time.len() == 24 && time.ends_with('Z') && time.contains('T'), "{time}");
    assert_eq!(entry(&silent).unwrap().get("title"), None);
    wire.close().await;
}

/// Makes the prompt the session's title. An empty prompt removes the title.
async fn titles(_: &(), turn: Turn) -> Result<StopReason> {
    turn.title(format!("Title: {}", turn.text())).await?;
    Ok(StopReason::EndTurn)
}

#[tokio::test]
async fn a_title_that_the_agent_gives_is_the_one() {
    let folder = tempfile::tempdir().unwrap();
    let agent =
        || Router::new("titles", "1", ()).on::<op::Prompt, _>(titles).store(Journal::at(folder.path()));
    let (mut wire, session) = Wire::open(agent(), json!({})).await;
    for title in ["first", "second"] {
        wire.turn(&session, title).await;
        let page = list(&mut wire, json!({})).await;
        assert_eq!(page["sessions"][0]["title"], format!("Title: {title}"));
    }
    wire.close().await;
    let mut wire = Wire::connect(agent(), json!({})).await;
    let page = list(&mut wire, json!({})).await;
    assert_eq!(page["sessions"][0]["title"], "Title: second");
    wire.close().await;
}

#[tokio::test]
async fn long_titles_are_cut_between_letters() {
    let folder = tempfile::tempdir().unwrap();
    let mut wire = connect(folder.path()).await;
    let session = wire.new_session().await;
    wire.turn(&session, &"ü".repeat(500)).await;
    let page = list(&mut wire, json!({})).await;
    assert_eq!(page["sessions"][0]["title"], format!("{}…", "ü".repeat(80)));
    wire.close().await;
}

#[tokio::test]
async fn pages_and_filters() {
    let folder = tempfile::tempdir().unwrap();
    let mut wire = Wire::connect(agent(Journal::at(folder.path()).page_size(2)), json!({})).await;
    let mut opened = Vec::new();
    for cwd in ["/a", "/b", "/a", "/a", "/b"] {
        let answer = wire.call("session/new", json!({"cwd": cwd, "mcpServers": []})).await;
        opened.push((cwd, answer["result"]["sessionId"].as_str().unwrap().to_owned()));
    }
    for (filter, sizes) in [(None, vec![2, 2, 1]), (Some("/a"), vec![2, 1]), (Some("/b"), vec![2])] {
        let mut params = json!({});
        if let Some(cwd) = filter {
            params["cwd"] = json!(cwd);
        }
        let (mut found, mut pages) = (Vec::new(), Vec::new());
        loop {
            let page = list(&mut wire, params.clone()).await;
            let sessions = page["sessions"].as_array().unwrap();
            pages.push(sessions.len());
            found.extend(sessions.iter().map(|session| session["sessionId"].as_str().unwrap().to_owned()));
            match page.get("nextCursor") {
                Some(cursor) => params["cursor"] = cursor.clone(),
                None => break,
            }
        }
        assert_eq!(pages, sizes);
        let fits = |cwd: &str| filter.is_none_or(|filter| filter == cwd);
        let mut expected: Vec<_> =
            opened.iter().filter(|(cwd, _)| fits(cwd)).map(|(_, id)| id.clone()).collect();
        expected.sort();
        found.sort();
        assert_eq!(found, expected);
    }
    wire.refused("session/list", json!({"cursor": "mine"}), -32602, &["`cursor`"]).await;
    wire.close().await;
}

#[tokio::test]
async fn a_session_that_is_only_looked_at_stays_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let mut wire = connect(folder.path()).await;
    let session = wire.new_session().await;
    // Longer than the part that lists read first.
    wire.turn(&session, &"x".repeat(20_000)).await;
    wire.close().await;
    let file = folder.path().join(format!("{session}.journal"));
    let old = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
    let age = || std::fs::File::options().write(true).open(&file).unwrap().set_modified(old).unwrap();
    age();
    let before = std::fs::read(&file).unwrap();
    for method in ["session/load", "session/resume"] {
        for is_closed in [false, true] {
            let mut wire = connect(folder.path()).await;
            let id = wire.request(method, named(method, &session)).await;
            while wire.recv().await["id"] != id {}
            if is_closed {
                wire.call("session/close", json!({"sessionId": session})).await;
            }
            wire.close().await;
            assert!(std::fs::read(&file).unwrap() == before, "{method}");
            assert_eq!(std::fs::metadata(&file).unwrap().modified().unwrap(), old, "{method}");
        }
    }
    // A kill leaves a piece of a record. Opening the session removes it, which does not count as a
    // use of the session either.
    std::fs::write(&file, [&before[..], b"00000064 12345678 u {"].concat()).unwrap();
    age();
    let mut wire = connect(folder.path()).await;
    wire.call("session/resume", named("session/resume", &session)).await;
    let page = list(&mut wire, json!({})).await;
    assert_eq!(page["sessions"][0]["updatedAt"], "2023-11-14T22:13:20.000Z");
    wire.close().await;
    assert!(std::fs::read(&file).unwrap() == before);
}

#[tokio::test]
async fn lists_have_the_directories_that_a_session_was_opened_with_last() {
    let folder = tempfile::tempdir().unwrap();
    let agent = || agent(Journal::at(folder.path())).additional_directories();
    let mut wire = Wire::connect(agent(), json!({})).await;
    let params = json!({"cwd": "/work", "mcpServers": [], "additionalDirectories": ["/one", "/two"]});
    let session = wire.call("session/new", params).await["result"]["sessionId"].as_str().unwrap().to_owned();
    wire.turn(&session, "hi").await;
    let listed = async |wire: &mut Wire| list(wire, json!({})).await["sessions"][0].take();
    let before = listed(&mut wire).await;
    assert_eq!(before["additionalDirectories"], json!(["/one", "/two"]));
    for (method, is_open, directories) in [
        ("session/load", true, json!(["/three"])),
        ("session/resume", false, json!(["/four", "/one"])),
        ("session/load", false, json!([])),
    ] {
        if !is_open {
            wire.close().await;
            wire = Wire::connect(agent(), json!({})).await;
        }
        let mut params = named(method, &session);
        if directories != json!([]) {
            params["additionalDirectories"] = directories.clone();
        }
        let id = wire.request(method, params).await;
        while wire.recv().await["id"] != id {}
        let now = listed(&mut wire).await;
        assert_eq!(now.get("additionalDirectories").cloned().unwrap_or(json!([])), directories, "{method}");
        assert_eq!((&now["updatedAt"], &now["title"]), (&before["updatedAt"], &before["title"]), "{method}");
    }
    // A load that is refused changes nothing.
    wire.refused(
        "session/load",
        json!({"sessionId": session, "cwd": "/else", "mcpServers": [], "additionalDirectories": ["/five"]}),
        -32602,
        &["cwd"],
    )
    .await;
    assert_eq!(listed(&mut wire).await.get("additionalDirectories"), None);
    wire.close().await;
}

#[tokio::test]
async fn a_deleted_session_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let mut wire = connect(folder.path()).await;
    let (open, closed) = (wire.new_session().await, wire.new_session().await);
    wire.turn(&open, "one").await;
    wire.call("session/close", json!({"sessionId": closed})).await;
    for session in [&open, &closed, &open] {
        let answer = wire.call("session/delete", json!({"sessionId": session})).await;
        assert_eq!(answer["result"], json!({}), "also for one that is gone");
        let error = wire.refused("session/load", named("session/load", session), -32002, &[session]).await;
        assert_eq!(error["data"]["sessionId"], **session);
    }
    wire.refused(
        "session/prompt",
        json!({"sessionId": open, "prompt": [{"type": "text", "text": "x"}]}),
        -32002,
        &[],
    )
    .await;
    assert_eq!(list(&mut wire, json!({})).await, json!({"sessions": []}));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    wire.close().await;
}
