//! The agents of both SDKs act alike for a client that acts alike.

mod client;

use client::{Act, Client};
use serde_json::json;

const READ: &str = "fs/read_text_file";
const ASK: &str = "session/request_permission";
const WRITE: &str = "fs/write_text_file";

/// Runs a script with both agents, and compares the client's notes with the expected ones.
fn alike(programs: [&str; 2], script: fn(&mut Client, &str), expected: &str) {
    for program in programs {
        let home = tempfile::tempdir().expect("a folder");
        let mut client = Client::start(program, home.path());
        script(&mut client, program);
        let expected: Vec<_> = expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        assert_eq!(client.log, expected, "{program}");
    }
}

// Built for both versions, ours speaks the newer one, too: see `versions.rs`.
#[cfg_attr(feature = "v2", ignore)]
#[test]
fn echo() {
    let programs = [env!("CARGO_BIN_EXE_echo_ours"), env!("CARGO_BIN_EXE_echo_official")];
    let script = |client: &mut Client, _: &str| {
        client.initialize(2, false);
        client.open("relative");
        client.open("/one");
        client.open("/two");
        let blocks = json!([{ "type": "text", "text": "a" }, { "type": "text", "text": "b" }]);
        client.prompt(1, blocks, "", Act::Fail);
        client.say(2, "c");
        client.prompt(
            1,
            json!([{ "type": "image", "data": "AAAA", "mimeType": "image/png" }]),
            "",
            Act::Fail,
        );
        client.say(0, "nobody hears this");
        client.call("session/nope", json!({}));
        client.cancel(1);
        client.say(1, "d");
        client.leave();
    };
    let expected = "
        echo 1.0.0, protocol 1
        error -32602
        open session 1
        open session 2
        session 1: agent a
        session 1: agent b
        stop end_turn
        session 2: agent c
        stop end_turn
        error -32602
        error -32002 sessionId
        error -32601
        session 1: agent d
        stop end_turn
        exit 0
    ";
    alike(programs, script, expected);
}

const EDIT: [&str; 2] = [env!("CARGO_BIN_EXE_edit_ours"), env!("CARGO_BIN_EXE_edit_official")];

#[test]
fn an_edit_is_made_if_the_user_allows_it() {
    let script = |client: &mut Client, _: &str| {
        client.initialize(1, true);
        client.open("/one");
        client.files.insert("/one/notes.txt".into(), "milk\n".into());
        client.turn(1, "bread", ASK, Act::Answer("allow_once"));
        client.turn(1, "tea", ASK, Act::Answer("reject_once"));
        client.turn(1, "tea", ASK, Act::Fail);
        client.turn(1, "tea", READ, Act::Fail);
        client.turn(1, "tea", WRITE, Act::Fail);
        client.say(0, "nobody hears this");
        assert_eq!(client.files["/one/notes.txt"], "milk\nbread\n");
        client.leave();
    };
    let expected = r#"
        editor 1.0.0, protocol 1
        open session 1
        session 1: read /one/notes.txt
        session 1: tool pending (edit) Append to notes.txt ["milk\n" -> "milk\nbread\n"]
        session 1: ask Append to notes.txt ["milk\n" -> "milk\nbread\n"]: allow_once allow_always reject_once
        session 1: tool in_progress
        session 1: write /one/notes.txt
        session 1: tool completed
        session 1: agent Done.
        stop end_turn
        session 1: read /one/notes.txt
        session 1: tool pending (edit) Append to notes.txt ["milk\nbread\n" -> "milk\nbread\ntea\n"]
        session 1: ask Append to notes.txt ["milk\nbread\n" -> "milk\nbread\ntea\n"]: allow_once allow_always reject_once
        session 1: tool failed ["milk\nbread\n" -> "milk\nbread\ntea\n"] [The user has rejected this change.]
        stop end_turn
        session 1: read /one/notes.txt
        session 1: tool pending (edit) Append to notes.txt ["milk\nbread\n" -> "milk\nbread\ntea\n"]
        session 1: ask Append to notes.txt ["milk\nbread\n" -> "milk\nbread\ntea\n"]: allow_once allow_always reject_once
        session 1: tool failed
        error -32603
        session 1: read /one/notes.txt
        error -32603
        session 1: read /one/notes.txt
        session 1: tool pending (edit) Append to notes.txt ["milk\nbread\n" -> "milk\nbread\ntea\n"]
        session 1: ask Append to notes.txt ["milk\nbread\n" -> "milk\nbread\ntea\n"]: allow_once allow_always reject_once
        session 1: tool in_progress
        session 1: write /one/notes.txt
        session 1: tool failed
        error -32603
        error -32002 sessionId
        exit 0
    "#;
    alike(EDIT, script, expected);
}

#[test]
fn an_edit_is_not_tried_without_files() {
    let script = |client: &mut Client, _: &str| {
        client.initialize(1, false);
        client.open("relative");
        client.open("/one");
        client.say(1, "bread");
        client.leave();
    };
    alike(EDIT, script, "editor 1.0.0, protocol 1\nerror -32602\nopen session 1\nerror -32603\nexit 0");
}

#[test]
fn an_edit_is_cancelled_wherever_it_is() {
    for act in [Act::Cancel, Act::CancelAndHold, Act::CancelRequest] {
        for program in EDIT {
            let home = tempfile::tempdir().expect("a folder");
            let mut client = Client::start(program, home.path());
            client.initialize(1, true);
            client.open("/one");
            client.files.insert("/one/notes.txt".into(), "milk\n".into());
            for (at, failed) in [(READ, false), (ASK, true), (WRITE, true)] {
                client.log.clear();
                client.turn(1, "bread", at, act);
                let tail = &client.log[client.log.len().saturating_sub(2)..];
                let context = format!("{program}, {act:?} at {at}: {:#?}", client.log);
                assert_eq!(tail.last().map(String::as_str), Some("stop cancelled"), "{context}");
                assert_eq!(
                    tail.first().is_some_and(|event| event == "session 1: tool failed"),
                    failed,
                    "{context}"
                );
            }
            // A cancellation does not reach the next turn.
            client.say(1, "bread");
            assert_eq!(client.log.last().map(String::as_str), Some("stop end_turn"), "{program}, {act:?}");
            client.leave();
        }
    }
}

#[test]
fn sessions_have_turns_beside_each_other_and_each_session_one() {
    let script = |client: &mut Client, _: &str| {
        client.initialize(1, true);
        client.open("/one");
        client.open("/two");
        client.files.insert("/one/notes.txt".into(), "milk\n".into());
        client.files.insert("/two/notes.txt".into(), "nails\n".into());
        client.turn(1, "bread", ASK, Act::Meanwhile("allow_always"));
        assert_eq!(client.files["/one/notes.txt"], "milk\nbread\n");
        assert_eq!(client.files["/two/notes.txt"], "nails\nmeanwhile\n");
        assert!(
            client.log.contains(&"error -32600".to_owned()),
            "the second prompt is refused: {:#?}",
            client.log
        );
        client.log.clear();
        client.turn(1, "tea", ASK, Act::Leave);
    };
    let expected = r#"
        session 1: read /one/notes.txt
        session 1: tool pending (edit) Append to notes.txt ["milk\nbread\n" -> "milk\nbread\ntea\n"]
        session 1: ask Append to notes.txt ["milk\nbread\n" -> "milk\nbread\ntea\n"]: allow_once allow_always reject_once
        exit 0
    "#;
    alike(EDIT, script, expected);
}

#[test]
fn sessions_survive_a_kill() {
    let programs = [env!("CARGO_BIN_EXE_persistent_ours"), env!("CARGO_BIN_EXE_persistent_official")];
    for program in programs {
        let home = tempfile::tempdir().expect("a folder");
        let mut client = Client::start(program, home.path());
        let offered = client.initialize(1, false);
        assert_eq!(offered["loadSession"], true, "{program}");
        for operation in ["list", "resume", "close", "delete"] {
            assert!(offered["sessionCapabilities"][operation].is_object(), "{program}: {operation}");
        }
        client.open("relative");
        client.open("/one");
        client.say(1, "milk");
        client.say(1, "bread");
        client.open("/two");
        client.say(2, "nails");
        let sessions = client.sessions();
        client.kill();

        let mut client = Client::restart(program, home.path(), sessions.clone());
        client.initialize(1, false);
        client.list(json!({}));
        client.list(json!({ "cwd": "/one" }));
        client.list(json!({ "cursor": "nope" }));
        client.say(1, "it is not open yet");
        client.reopen("session/load", 0, "/one");
        client.reopen("session/load", 1, "/two");
        client.reopen("session/load", 1, "/one");
        client.say(1, "tea");
        client.reopen("session/resume", 2, "/two");
        client.say(2, "screws");

        let mut other = Client::restart(program, home.path(), sessions);
        other.initialize(1, false);
        other.reopen("session/load", 1, "/one");
        other.delete(2);
        other.leave();
        assert_eq!(
            other.log,
            ["counter 1.0.0, protocol 1", "error -32600", "error -32600", "exit 0"],
            "{program}"
        );

        client.close(1);
        client.say(1, "it is closed");
        client.delete(2);
        client.delete(0);
        client.say(2, "it is deleted");
        client.list(json!({}));
        client.kill();
        assert_eq!(client.log, SURVIVED.trim().lines().map(str::trim).collect::<Vec<_>>(), "{program}");
        torn(program, home.path(), client.sessions());
    }
}

const SURVIVED: &str = r#"
    counter 1.0.0, protocol 1
    stored: session 1 /one milk, session 2 /two nails
    stored: session 1 /one milk
    error -32602
    error -32002 sessionId
    error -32002 sessionId
    error -32602
    session 1: user milk
    session 1: agent This is message 1.
    session 1: user bread
    session 1: agent This is message 2.
    session/load session 1
    session 1: agent This is message 3.
    stop end_turn
    session/resume session 2
    session 2: agent This is message 2.
    stop end_turn
    close session 1
    error -32002 sessionId
    delete session 2
    delete session 0
    error -32002 sessionId
    stored: session 1 /one milk
    killed
"#;

/// A crash in the middle of a record loses that record, and none of the others.
fn torn(program: &str, home: &std::path::Path, sessions: Vec<String>) {
    let path = the_file_below(home).expect("a session is stored");
    let mut bytes = std::fs::read(&path).expect("the file of the session");
    let place = bytes.windows(9).position(|text| text == b"message 3").expect("the last record");
    bytes.truncate(place);
    std::fs::write(&path, bytes).expect("it can be written");

    let mut client = Client::restart(program, home, sessions);
    client.initialize(1, false);
    client.reopen("session/load", 1, "/one");
    client.say(1, "coffee");
    client.reopen("session/load", 1, "/one");
    client.leave();
    let before = "
        session 1: user milk
        session 1: agent This is message 1.
        session 1: user bread
        session 1: agent This is message 2.
        session 1: user tea
    ";
    let coffee = "session 1: agent This is message 4.";
    let expected = format!(
        "counter 1.0.0, protocol 1 {before} session/load session 1
        {coffee}
        stop end_turn {before} session 1: user coffee
        {coffee}
        session/load session 1
        exit 0",
    );
    let lines: Vec<_> = expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert_eq!(client.log, lines, "{program}");
}

/// Returns the only file that is longer than a lock or a marker.
fn the_file_below(folder: &std::path::Path) -> Option<std::path::PathBuf> {
    std::fs::read_dir(folder).ok()?.flatten().find_map(|entry| {
        let path = entry.path();
        if path.is_dir() {
            the_file_below(&path)
        } else {
            (entry.metadata().ok()?.len() > 100).then_some(path)
        }
    })
}
