//! Files that change between the two reads of an edit: the text of others is not lost.

use std::fs;

use serde_json::json;

use super::{Place, serve_files};

#[tokio::test]
async fn a_file_that_others_change_meanwhile_is_theirs() {
    let mut place = Place::new(false, false).await;
    for (text, before, meanwhile) in [
        ("append notes.txt", Some("one"), Some("theirs")),
        ("append notes.txt", Some("one"), None),
        ("write notes.txt new", Some("one"), None),
        ("write notes.txt new", None, Some("theirs")),
    ] {
        let put = |text: Option<&str>| match text {
            Some(text) => fs::write(place.notes(), text).unwrap(),
            None => drop(fs::remove_file(place.notes())),
        };
        put(before);
        place.prompt(text).await;
        let (_, question) = place.question().await;
        let notes = place.notes();
        match meanwhile {
            Some(text) => fs::write(&notes, text).unwrap(),
            None => fs::remove_file(&notes).unwrap(),
        }
        place.choose(&question, "allow-once").await;
        let (status, reason) = place.ended().await;
        assert!(status == "failed" && reason.contains("changed meanwhile"), "{text}: {reason}");
        assert_eq!(place.over().await, "edit ChangedMeanwhile", "{text}");
        assert_eq!(fs::read_to_string(&notes).ok().as_deref(), meanwhile, "{text}");
    }
}

/// A session whose user has allowed changes for always.
async fn allowed(read: bool, write: bool) -> (Place, String) {
    let mut place = Place::new(read, write).await;
    let mut buffer = String::from("one\n");
    fs::write(place.notes(), &buffer).unwrap();
    let prompt = place.prompt("append notes.txt").await;
    loop {
        let message = serve_files(&mut place, &mut buffer).await;
        if message["method"] == "session/request_permission" {
            place.choose(&message, "allow-always").await;
        }
        if message["id"] == prompt {
            return (place, buffer);
        }
    }
}

#[tokio::test]
async fn edits_at_the_same_time_lose_no_text() {
    for by_client in [true, false] {
        let (mut place, mut buffer) = allowed(by_client, by_client).await;
        for _ in 0..10 {
            let before = if by_client { buffer.clone() } else { fs::read_to_string(place.notes()).unwrap() };
            let prompt = place.prompt("twice notes.txt").await;
            let mut added = String::new();
            loop {
                let message = serve_files(&mut place, &mut buffer).await;
                if message["id"] == prompt {
                    break;
                }
                let update = &message["params"]["update"];
                if update["sessionUpdate"] == "agent_message_chunk" {
                    added = update["content"]["text"].as_str().unwrap().to_owned();
                }
            }
            let after = if by_client { buffer.clone() } else { fs::read_to_string(place.notes()).unwrap() };
            assert!(!added.is_empty());
            let lines: String = after.strip_prefix(&before).unwrap().split('\n').collect();
            assert_eq!(lines, added, "by the client: {by_client}");
        }
    }
}

#[tokio::test]
async fn what_a_user_saves_meanwhile_is_not_overwritten_even_if_changes_are_allowed() {
    let (mut place, _) = allowed(true, true).await;
    place.prompt("append notes.txt").await;
    let read = place.wire.asked("fs/read_text_file").await;
    place.wire.answer(&read, json!({"content": "old\n"})).await;
    assert_eq!(place.wire.update().await["sessionUpdate"], "tool_call");
    assert_eq!(place.wire.update().await["status"], "in_progress");
    let read = place.wire.asked("fs/read_text_file").await;
    place.wire.answer(&read, json!({"content": "theirs\n"})).await;
    assert_eq!(place.ended().await.0, "failed");
    assert_eq!(place.over().await, "edit ChangedMeanwhile");
}
