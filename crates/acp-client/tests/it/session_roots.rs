//! `LocalFs::session_roots`: each session is served the files of its own directories.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use acp_client::{Agent, LocalFs, LocalTerminals, Session};
use serde_json::{Value, json};

use crate::common::place::{self, SECRET, code};
use crate::common::{Wire, connected};

/// A connection whose sessions have directories of their own.
async fn serving(files: LocalFs) -> (Agent, Wire) {
    let offers = json!({
        "loadSession": true,
        "sessionCapabilities": {"additionalDirectories": {}, "resume": {}, "close": {}}
    });
    connected(|connect| connect.fs(files).terminals(LocalTerminals::new().contained()), offers).await
}

async fn opened(agent: &Agent, wire: &mut Wire, id: &str, cwd: &Path, directories: &[&Path]) -> Session {
    let opening = directories.iter().fold(agent.new_session(cwd), |opening, path| opening.directory(path));
    let (session, ()) = tokio::join!(opening.into_future(), async {
        let request = wire.expect("session/new").await;
        wire.answer(&request, json!({"sessionId": id})).await;
    });
    session.expect("opened")
}

async fn read(wire: &mut Wire, session: &str, path: &Path) -> Value {
    let params = json!({"sessionId": session, "path": path});
    wire.call(json!("r"), "fs/read_text_file", params).await
}

/// Returns the text, or the code of the error.
async fn look(wire: &mut Wire, session: &str, path: &Path) -> Value {
    let answer = read(wire, session, path).await;
    match answer["result"]["content"].as_str() {
        Some(text) => json!(text),
        None => answer["error"]["code"].clone(),
    }
}

#[tokio::test]
async fn a_session_reaches_its_own_directories_and_no_others() {
    let folder = place::folder();
    let (root, twin) = (folder.path().join("root"), folder.path().join("root-twin"));
    let (notes, deep, secret) = (root.join("notes.txt"), root.join("sub/deep.txt"), twin.join("secret.txt"));
    let (agent, mut wire) = serving(LocalFs::session_roots()).await;
    let _one = opened(&agent, &mut wire, "s1", &root, &[]).await;
    let _two = opened(&agent, &mut wire, "s2", &root.join("sub"), &[&twin]).await;
    // One directory of the third session is missing, which takes nothing from the others.
    let _three = opened(&agent, &mut wire, "s3", &folder.path().join("none"), &[&twin, &root]).await;
    for (session, path, expected) in [
        ("s1", &notes, json!("one\ntwo\nthree\n")),
        ("s1", &deep, json!("deep")),
        ("s1", &secret, json!(-32602)),
        ("s2", &notes, json!(-32602)),
        ("s2", &deep, json!("deep")),
        ("s2", &secret, json!(SECRET)),
        ("s3", &notes, json!("one\ntwo\nthree\n")),
        ("s3", &secret, json!(SECRET)),
        ("s3", &folder.path().join("none/x"), json!(-32602)),
        ("s3", &folder.path().join("secret.txt"), json!(-32602)),
        ("s4", &notes, json!(-32602)),
    ] {
        assert_eq!(look(&mut wire, session, path).await, expected, "{session} {path:?}");
    }
}

#[tokio::test]
async fn a_closed_session_reaches_nothing() {
    let folder = place::folder();
    let root = folder.path().join("root");
    let (agent, mut wire) = serving(LocalFs::session_roots()).await;
    let session = opened(&agent, &mut wire, "s1", &root, &[]).await;
    let (closed, ()) = tokio::join!(session.close(), async {
        let request = wire.expect("session/close").await;
        wire.answer(&request, json!({})).await;
    });
    closed.expect("closed");
    let answer = read(&mut wire, "s1", &root.join("notes.txt")).await;
    assert_eq!(
        (&answer["error"]["code"], &answer["error"]["data"]["field"]),
        (&json!(-32602), &json!("sessionId"))
    );
    // Opened again in another directory.
    let (session, ()) = tokio::join!(agent.load_session("s1", root.join("sub")).into_future(), async {
        let request = wire.expect("session/load").await;
        // Some agents read before they answer.
        assert_eq!(look(&mut wire, "s1", &root.join("sub/deep.txt")).await, "deep");
        wire.answer(&request, json!({})).await;
    });
    let _session = session.expect("loaded");
    assert_eq!(look(&mut wire, "s1", &root.join("sub/deep.txt")).await, "deep");
    assert_eq!(look(&mut wire, "s1", &root.join("notes.txt")).await, -32602);
}

#[tokio::test]
async fn a_session_that_is_being_made_is_served() {
    let folder = place::folder();
    let root = folder.path().join("root");
    let (agent, mut wire) = serving(LocalFs::session_roots()).await;
    let (session, ()) = tokio::join!(agent.new_session(&root).into_future(), async {
        let request = wire.expect("session/new").await;
        assert_eq!(look(&mut wire, "its id", &root.join("notes.txt")).await, "one\ntwo\nthree\n");
        assert_eq!(look(&mut wire, "its id", &folder.path().join("secret.txt")).await, -32602);
        wire.answer(&request, json!({"sessionId": "its id"})).await;
    });
    let _session = session.expect("opened");
    assert_eq!(look(&mut wire, "its id", &root.join("notes.txt")).await, "one\ntwo\nthree\n");
    assert_eq!(look(&mut wire, "another", &root.join("notes.txt")).await, -32602);
}

#[tokio::test]
async fn directories_are_those_that_they_were_when_the_session_was_opened() {
    let folder = place::folder();
    let (root, twin) = (folder.path().join("root"), folder.path().join("root-twin"));
    let (agent, mut wire) = serving(LocalFs::session_roots()).await;
    let (session, ()) = tokio::join!(agent.new_session(&root).into_future(), async {
        let request = wire.expect("session/new").await;
        // The agent puts another directory in its place before it answers.
        fs::rename(&root, folder.path().join("moved")).expect("moved");
        symlink(&twin, &root).expect("linked");
        wire.answer(&request, json!({"sessionId": "s1"})).await;
    });
    let _session = session.expect("opened");
    assert_eq!(look(&mut wire, "s1", &root.join("notes.txt")).await, "one\ntwo\nthree\n");
    let answer = read(&mut wire, "s1", &root.join("secret.txt")).await;
    assert_eq!(code(&answer), -32002);
}

#[tokio::test]
async fn a_root_for_all_is_added_to_those_of_the_session() {
    let folder = place::folder();
    let (root, twin) = (folder.path().join("root"), folder.path().join("root-twin"));
    let (agent, mut wire) = serving(LocalFs::session_roots().with_root(&twin).expect("a directory")).await;
    let _session = opened(&agent, &mut wire, "s1", &root, &[]).await;
    assert_eq!(look(&mut wire, "s1", &root.join("notes.txt")).await, "one\ntwo\nthree\n");
    assert_eq!(look(&mut wire, "s1", &twin.join("secret.txt")).await, SECRET);
}

#[tokio::test]
async fn a_contained_command_starts_in_the_sessions_directories() {
    let folder = place::folder();
    let real = folder.path().canonicalize().expect("it is there");
    let (root, twin) = (real.join("root"), real.join("root-twin"));
    symlink("..", root.join("out")).expect("linked");
    symlink("sub", root.join("in")).expect("linked");
    let (agent, mut wire) = serving(LocalFs::session_roots()).await;
    let _session = opened(&agent, &mut wire, "s1", &root, &[&twin]).await;
    let text = |path: &Path| path.to_str().expect("UTF-8").to_owned();
    for (cwd, expected) in [
        (Value::Null, Ok(text(&root))),
        (json!(root), Ok(text(&root))),
        (json!(root.join("sub")), Ok(text(&root.join("sub")))),
        (json!(root.join("in")), Ok(text(&root.join("sub")))),
        (json!(twin), Ok(text(&twin))),
        (json!(real), Err("outside")),
        (json!(root.join("..")), Err("outside")),
        (json!(root.join("out")), Err("outside")),
        (json!(root.join("out/root-twin/../..")), Err("outside")),
        (json!("/"), Err("outside")),
        (json!(root.join("none")), Err("not a directory")),
        (json!(root.join("notes.txt")), Err("not a directory")),
    ] {
        let params = json!({"sessionId": "s1", "command": "pwd", "cwd": cwd});
        let answer = wire.call(json!("c"), "terminal/create", params).await;
        match expected {
            Ok(folder) => {
                let of = json!({"sessionId": "s1", "terminalId": answer["result"]["terminalId"]});
                wire.call(json!("w"), "terminal/wait_for_exit", of.clone()).await;
                let output = wire.call(json!("o"), "terminal/output", of).await;
                assert_eq!(output["result"]["output"], format!("{folder}\n"), "{cwd}");
            }
            Err(problem) => {
                let message =
                    answer["error"]["message"].as_str().unwrap_or_else(|| panic!("{cwd}: {answer}"));
                assert!(message.contains("`cwd`") && message.contains(problem), "{cwd}: {message}");
            }
        }
    }
}
