//! `Turn::workspace`: the client's files where it offers them, and otherwise the local ones.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Arc;

use acp_agent::{Error, FileError, FileProblem, Result, StopReason, Turn, Workspace, agent};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::support::Wire;

#[derive(Default)]
struct Worker {
    writing: Arc<Notify>,
}

impl Worker {
    async fn act(&self, turn: &Turn, files: &Workspace) -> Result<String> {
        let text = turn.text();
        let words: Vec<_> = text.splitn(3, ' ').collect();
        match words[..] {
            ["read", path] => files.read_text(path).await,
            ["lines", path, numbers] => {
                let (first, count) = numbers.split_once(' ').unwrap();
                files.read_lines(path, first.parse().unwrap(), count.parse().unwrap()).await
            }
            ["write", path, text] => {
                self.writing.notify_one();
                match files.write_text(path, text).await {
                    Err(error) if error.is_cancelled() => Ok("not written".to_owned()),
                    written => written.map(|()| "written".to_owned()),
                }
            }
            ["exists", path] => files.exists(path).await.map(|is| is.to_string()),
            ["list", path] => {
                let listing = files.list(path).await?;
                let names = listing.entries.iter().map(|entry| entry.name.to_string_lossy());
                Ok(names.collect::<Vec<_>>().join(" "))
            }
            ["last-words", path] => {
                turn.cancelled().await;
                assert!(files.read_text(path).await.is_err_and(|error| error.is_cancelled()));
                let files = turn.uncancelled().workspace();
                files.write_text(path, "last words").await?;
                files.read_text(path).await
            }
            _ => panic!("{text}"),
        }
    }
}

#[agent(additional_directories)]
impl Worker {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        let files = turn.workspace();
        let said = match self.act(&turn, &files).await {
            Ok(text) => text,
            Err(Error::File(error)) => problem(&turn, &error),
            Err(error) => return Err(error),
        };
        turn.uncancelled().say(said).await?;
        Ok(StopReason::EndTurn)
    }
}

/// Checks that the error names its path and its session, and returns its reason in short.
fn problem(turn: &Turn, error: &FileError) -> String {
    let message = error.to_string();
    assert!(message.contains(&*error.path().to_string_lossy()), "{message}");
    assert!(message.contains(turn.session_id().as_str()), "{message}");
    assert_eq!(error.session_id(), turn.session_id());
    match error.problem() {
        FileProblem::Client { method, error: cause } => {
            assert!(message.contains(&**method), "{message}");
            format!("{method}: {}", cause.remote().map_or(0, |remote| remote.code))
        }
        FileProblem::Disk(cause) => {
            format!("{cause:?}").split([' ', '(', '{']).next().unwrap_or_default().to_owned()
        }
        problem => format!("{problem:?}"),
    }
}

/// A session in a folder with files, and things around it that must stay out of reach.
struct Place {
    around: tempfile::TempDir,
    wire: Wire,
    session: String,
}

impl Place {
    async fn new(read: bool, write: bool) -> Self {
        Self::of(Worker::default(), read, write).await
    }

    async fn of(worker: Worker, read: bool, write: bool) -> Self {
        let around = tempfile::tempdir().unwrap();
        for (path, text) in
            [("root/notes.txt", "one\r\ntwo\nthree"), ("more/other.txt", "other"), ("secret.txt", "secret")]
        {
            let path = around.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let capabilities = json!({"fs": {"readTextFile": read, "writeTextFile": write}});
        let mut wire = Wire::connect(worker, capabilities).await;
        let (root, more) = (around.path().join("root"), around.path().join("more"));
        let params = json!({"cwd": root, "additionalDirectories": [more], "mcpServers": []});
        let answer = wire.call("session/new", params).await;
        let session = answer["result"]["sessionId"].as_str().unwrap().to_owned();
        Place { around, wire, session }
    }

    fn path(&self, relative: &str) -> String {
        self.around.path().join(relative).to_str().unwrap().to_owned()
    }

    /// Runs a turn that asks nothing of the client, and returns what was said.
    async fn said(&mut self, text: &str) -> String {
        let (updates, answer) = self.wire.turn(&self.session, text).await;
        assert_eq!(answer["result"]["stopReason"], "end_turn", "{answer}");
        updates[0]["content"]["text"].as_str().unwrap().to_owned()
    }

    /// Runs a turn that asks the client once, and answers with a result or an error.
    async fn asked(&mut self, text: &str, answer: Value) -> (Value, String) {
        self.wire.prompt(&self.session, text).await;
        let mut request = self.wire.recv().await;
        let member = if answer["code"].is_i64() { "error" } else { "result" };
        self.wire.send(json!({"jsonrpc": "2.0", "id": request["id"], member: answer})).await;
        let said = self.wire.said().await;
        self.wire.recv().await;
        (request.take(), said)
    }
}

#[tokio::test]
async fn reading_and_writing_are_decided_apart() {
    for (read, write) in [(false, false), (true, false), (false, true), (true, true)] {
        let mut place = Place::new(read, write).await;
        let notes = place.path("root/notes.txt");
        if read {
            let (request, said) = place.asked("read notes.txt", json!({"content": "unsaved"})).await;
            assert_eq!(request["method"], "fs/read_text_file");
            assert_eq!(request["params"], json!({"sessionId": place.session, "path": notes}));
            assert_eq!(said, "unsaved");
            let (request, _) = place.asked("lines notes.txt 2 1", json!({"content": "two\n"})).await;
            assert_eq!((&request["params"]["line"], &request["params"]["limit"]), (&json!(2), &json!(1)));
        } else {
            assert_eq!(place.said("read notes.txt").await, "one\r\ntwo\nthree");
            assert_eq!(place.said("lines notes.txt 2 1").await, "two\n");
        }
        let text = format!("write {notes} new text");
        if write {
            let (request, said) = place.asked(&text, Value::Null).await;
            assert_eq!(request["method"], "fs/write_text_file");
            let params = json!({"sessionId": place.session, "path": notes, "content": "new text"});
            assert_eq!((&request["params"], &*said), (&params, "written"));
            assert_eq!(fs::read_to_string(&notes).unwrap(), "one\r\ntwo\nthree", "the client's to write");
        } else {
            assert_eq!(place.said(&text).await, "written");
            assert_eq!(fs::read_to_string(&notes).unwrap(), "new text");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_local_disk_is_reached_below_the_sessions_directories_only() {
    let mut place = Place::new(false, false).await;
    let root = place.around.path().join("root");
    symlink("../secret.txt", root.join("out")).unwrap();
    symlink("notes.txt", root.join("in")).unwrap();
    symlink("circle", root.join("circle")).unwrap();
    fs::write(root.join("binary"), b"ab\xff").unwrap();
    fs::write(root.join("huge"), vec![b'x'; 16 * 1024 * 1024 + 1]).unwrap();
    fs::create_dir(root.join("sub")).unwrap();
    let (secret, other) = (place.path("secret.txt"), place.path("more/other.txt"));
    for (text, said) in [
        (format!("read {other}"), "other"),
        ("read in".to_owned(), "one\r\ntwo\nthree"),
        ("read ./sub/../notes.txt".to_owned(), "one\r\ntwo\nthree"),
        ("lines notes.txt 9 9".to_owned(), ""),
        (format!("read {secret}"), "Outside"),
        ("read ../secret.txt".to_owned(), "Outside"),
        ("read out".to_owned(), "Outside"),
        ("read circle".to_owned(), "EndlessLink"),
        ("read none".to_owned(), "Missing"),
        ("read binary".to_owned(), "NotText"),
        ("read huge".to_owned(), "TooLarge"),
        ("read sub".to_owned(), "Directory"),
        ("write ../secret.txt x".to_owned(), "Outside"),
        ("write out x".to_owned(), "Outside"),
        ("write sub/ x".to_owned(), "NoFileName"),
        ("write made/for/this.txt x".to_owned(), "written"),
        ("exists made/for".to_owned(), "true"),
        ("exists none".to_owned(), "false"),
        ("exists out".to_owned(), "Outside"),
        ("list .".to_owned(), "binary circle huge in made notes.txt out sub"),
        ("list none".to_owned(), "Missing"),
        ("list notes.txt".to_owned(), "NotADirectory"),
        ("list ..".to_owned(), "Outside"),
    ] {
        assert_eq!(place.said(&text).await, said, "{text}");
    }
    assert_eq!(fs::read_to_string(secret).unwrap(), "secret");
}

#[tokio::test]
async fn directories_that_are_not_on_this_machine_are_an_error() {
    let (mut wire, _) = Wire::open(Worker::default(), json!({})).await;
    for cwd in ["/no such directory", r"C:\work"] {
        let params = json!({"cwd": cwd, "mcpServers": []});
        let session = wire.call("session/new", params).await["result"]["sessionId"].clone();
        for (text, said) in [
            ("read a.txt", "NoDirectory"),
            ("write a.txt x", "NoDirectory"),
            ("exists a.txt", "NoDirectory"),
            ("list .", "NoDirectory"),
            ("read /etc/passwd", "Outside"),
        ] {
            let (updates, _) = wire.turn(session.as_str().unwrap(), text).await;
            assert_eq!(updates[0]["content"]["text"], said, "{cwd}: {text}");
        }
    }
}

#[tokio::test]
async fn a_directory_that_comes_later_is_found_and_kept() {
    let around = tempfile::tempdir().unwrap();
    let path = |name: &str| around.path().join(name);
    fs::create_dir(path("more")).unwrap();
    fs::write(path("more/other.txt"), "other").unwrap();
    let mut wire = Wire::connect(Worker::default(), json!({})).await;
    let params = json!({"cwd": path("later"), "additionalDirectories": [path("more")], "mcpServers": []});
    let session = wire.call("session/new", params).await["result"]["sessionId"].take();
    let mut said = async |text: &str| {
        let (updates, _) = wire.turn(session.as_str().unwrap(), text).await;
        updates[0]["content"]["text"].as_str().unwrap().to_owned()
    };
    let other = format!("read {}", path("more/other.txt").display());
    for _ in 0..2 {
        assert_eq!(said("read a.txt").await, "NoDirectory");
        assert_eq!(said(&other).await, "other");
    }
    fs::create_dir(path("later")).unwrap();
    assert_eq!(said("read a.txt").await, "Missing");
    assert_eq!(said("write a.txt new").await, "written");
    // From now on both stay the directories that they are.
    fs::rename(path("later"), path("moved")).unwrap();
    fs::rename(path("more"), path("moved-too")).unwrap();
    assert_eq!((said("read a.txt").await, said(&other).await), ("new".to_owned(), "other".to_owned()));
}

/// The client may run on another system than the agent.
#[tokio::test]
async fn paths_of_every_system_reach_the_client_as_they_are() {
    let mut place = Place::new(true, true).await;
    for (path, sent) in [
        (r"C:\work\a.txt", r"C:\work\a.txt"),
        ("d:/work/a.txt", "d:/work/a.txt"),
        (r"\\server\share\a.txt", r"\\server\share\a.txt"),
        ("/a.txt", "/a.txt"),
        (r"C:a.txt", &*place.path(r"root/C:a.txt")),
    ] {
        let (request, _) = place.asked(&format!("read {path}"), json!({"content": ""})).await;
        assert_eq!(request["params"]["path"], sent);
        let (request, _) = place.asked(&format!("write {path} x"), Value::Null).await;
        assert_eq!(request["params"]["path"], sent);
    }
}

#[tokio::test]
async fn limits_hold_for_the_clients_texts_too() {
    let mut place = Place::new(true, true).await;
    let large = "x".repeat(16 * 1024 * 1024 + 1);
    assert_eq!(place.said(&format!("write a.txt {large}")).await, "TooLarge");
    // Every character of the answer counts once, whatever its line takes on the wire.
    let (_, said) = place.asked("read a.txt", json!({"content": large})).await;
    assert_eq!(said, "TooLarge");
}

#[tokio::test]
async fn a_file_exists_if_the_client_can_read_it_or_the_disk_has_it() {
    let mut place = Place::new(true, false).await;
    let error = |code: i64| json!({"code": code, "message": "no"});
    for (text, answer, said) in [
        ("exists unsaved", json!({"content": ""}), "true"),
        ("exists notes.txt", error(-32002), "false"),
        // Clients have codes of their choice, for directories and for missing files.
        ("exists .", error(-32603), "true"),
        ("exists none", error(-32603), "false"),
        // An error that cannot mean "missing" leaves open whether there is unsaved text.
        ("exists .", error(-32602), "true"),
        ("exists none", error(-32602), "fs/read_text_file: -32602"),
        ("exists none", json!({}), "fs/read_text_file: 0"),
        ("exists ../secret.txt", error(-32603), "fs/read_text_file: -32603"),
        ("read none", error(-32002), "fs/read_text_file: -32002"),
    ] {
        assert_eq!(place.asked(text, answer).await.1, said, "{text}");
    }
}

#[tokio::test]
async fn a_cancelled_turn_withdraws_its_call_and_has_last_words() {
    let mut place = Place::new(true, true).await;
    let prompt = place.wire.prompt(&place.session, "read notes.txt").await;
    let request = place.wire.asked("fs/read_text_file").await;
    place.wire.cancel(&place.session).await;
    let withdrawn = place.wire.recv().await;
    assert_eq!(
        (&withdrawn["method"], &withdrawn["params"]["requestId"]),
        (&json!("$/cancel_request"), &request["id"])
    );
    assert_eq!(place.wire.stopped(prompt).await, "cancelled");

    let mut place = Place::new(false, false).await;
    let prompt = place.wire.prompt(&place.session, "last-words notes.txt").await;
    place.wire.cancel(&place.session).await;
    assert_eq!(place.wire.said().await, "last words");
    assert_eq!(place.wire.stopped(prompt).await, "cancelled");
}

/// The only thread for the disk is busy, so the write waits when the turn is cancelled.
#[test]
fn a_write_that_has_not_begun_is_given_up_with_the_turn() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().max_blocking_threads(1).build();
    runtime.unwrap().block_on(async {
        let worker = Worker::default();
        let writing = Arc::clone(&worker.writing);
        let mut place = Place::of(worker, false, false).await;
        // Its directories are open after this.
        assert_eq!(place.said("exists notes.txt").await, "true");
        let (free, busy) = std::sync::mpsc::channel::<()>();
        let blocking = tokio::task::spawn_blocking(move || busy.recv().unwrap());
        let prompt = place.wire.prompt(&place.session, "write notes.txt new").await;
        writing.notified().await;
        place.wire.cancel(&place.session).await;
        assert_eq!(place.wire.said().await, "not written");
        assert_eq!(place.wire.stopped(prompt).await, "cancelled");
        free.send(()).unwrap();
        blocking.await.unwrap();
        // The thread works in order: after this the write would have been done.
        assert_eq!(place.said("read notes.txt").await, "one\r\ntwo\nthree");
    });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_that_has_begun_is_finished_and_known() {
    let mut place = Place::new(false, false).await;
    let root = place.around.path().join("root");
    let text = "x".repeat(1024 * 1024);
    let prompt = place.wire.prompt(&place.session, &format!("write notes.txt {text}")).await;
    // The draft is there, or the new text already.
    let has_begun = || {
        let mut names = fs::read_dir(&root).unwrap().map(|entry| entry.unwrap().file_name());
        names.any(|name| name.to_string_lossy().starts_with(".acp-write-"))
            || fs::read(root.join("notes.txt")).unwrap().len() == text.len()
    };
    while !has_begun() {
        tokio::task::yield_now().await;
    }
    place.wire.cancel(&place.session).await;
    assert_eq!(place.wire.said().await, "written");
    place.wire.answer_to(prompt).await;
    assert!(fs::read_to_string(root.join("notes.txt")).unwrap() == text);
}
