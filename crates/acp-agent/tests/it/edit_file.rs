//! `Turn::edit_file`: announce, ask, write, show, complete or fail.

use std::fs;
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use acp_agent::types::ToolKind;
use acp_agent::{
    EditedFile, Error, FileAct, FileEdit, FileProblem, Result, StopReason, ToolCall, Turn, agent,
};
use serde_json::{Value, json};

use crate::support::Wire;

mod meanwhile;

struct Editor;

impl Editor {
    async fn act(&self, turn: &Turn) -> Result<String> {
        let text = turn.text();
        let words: Vec<_> = text.splitn(3, ' ').collect();
        let edited = match words[..] {
            ["write", path, text] => turn.edit_file(path, text).await?,
            ["replace", path, text] => {
                let (old, new) = text.split_once('>').unwrap();
                turn.edit_file(path, |text: &str| text.replace(old, new)).await?
            }
            ["twice", path] => {
                let append = |text: &'static str| move |old: &str| old.to_owned() + text;
                let (a, b) =
                    tokio::join!(turn.edit_file(path, append("A\n")), turn.edit_file(path, append("B\n")));
                return Ok(format!("{}{}", outcome(a)?, outcome(b)?));
            }
            ["append", path] => turn.edit_file(path, |old: &str| old.to_owned() + "more\n").await?,
            ["cannot", path] => {
                let change = |_: &str| Err::<String, _>(Error::from("there is nothing to change"));
                turn.edit_file(path, change).await?
            }
            ["own", path] => {
                let call = ToolCall::new("call-7", "Bump").kind(ToolKind::Edit);
                let edit = FileEdit::new(path).tool_call(call).remember_as("bump");
                turn.edit_file_with(edit, String::from("2.0")).await?
            }
            ["strange"] => {
                let name = std::ffi::OsString::from_vec(b"caf\xe9".to_vec());
                turn.edit_file(PathBuf::from(name), "x").await?
            }
            _ => panic!("{text}"),
        };
        let name = edited.path().file_name().unwrap().to_string_lossy().into_owned();
        Ok(format!("{name} {:?} {:?} {}", edited.old_text(), edited.new_text(), edited.is_changed()))
    }
}

/// Returns the line that one of two edits has added; nothing if others were faster.
fn outcome(edited: Result<EditedFile>) -> Result<String> {
    match edited {
        Ok(edited) => Ok(edited.new_text().lines().last().unwrap().to_owned()),
        Err(Error::File(error)) if matches!(error.problem(), FileProblem::ChangedMeanwhile) => {
            Ok(String::new())
        }
        Err(error) => Err(error),
    }
}

#[agent]
impl Editor {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        let said = match self.act(&turn).await {
            Ok(said) => said,
            Err(Error::File(error)) => {
                let message = error.to_string();
                assert!(message.contains(turn.session_id().as_str()), "{message}");
                assert!(message.contains(&*error.path().to_string_lossy()), "{message}");
                let problem = match error.problem() {
                    FileProblem::Disk(error) => format!("{error:?}"),
                    FileProblem::Client { method, .. } => method.to_string(),
                    FileProblem::Change(error) => error.to_string(),
                    problem => format!("{problem:?}"),
                };
                assert_eq!(error.is_rejected(), problem == "Rejected");
                format!("{} {problem}", if error.act() == FileAct::Edit { "edit" } else { "file" })
            }
            Err(error) => return Err(error),
        };
        turn.say(said).await?;
        Ok(StopReason::EndTurn)
    }
}

struct Place {
    folder: tempfile::TempDir,
    wire: Wire,
    session: String,
}

impl Place {
    async fn new(read: bool, write: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("root")).unwrap();
        fs::write(folder.path().join("root/notes.txt"), "one\r\ntwo\n").unwrap();
        fs::write(folder.path().join("secret.txt"), "secret").unwrap();
        let capabilities = json!({"fs": {"readTextFile": read, "writeTextFile": write}});
        let mut wire = Wire::connect(Editor, capabilities).await;
        let cwd = folder.path().join("root");
        let answer = wire.call("session/new", json!({"cwd": cwd, "mcpServers": []})).await;
        let session = answer["result"]["sessionId"].as_str().unwrap().to_owned();
        Place { folder, wire, session }
    }

    fn notes(&self) -> PathBuf {
        self.folder.path().join("root/notes.txt")
    }

    async fn prompt(&mut self, text: &str) -> u64 {
        self.wire.prompt(&self.session, text).await
    }

    /// The next messages: the announced call, and the question about it.
    async fn question(&mut self) -> (Value, Value) {
        let announced = self.wire.update().await;
        assert_eq!((&announced["sessionUpdate"], &announced["status"]), (&json!("tool_call"), &Value::Null));
        let question = self.wire.asked("session/request_permission").await;
        let call = &question["params"]["toolCall"];
        for member in ["toolCallId", "title", "kind", "content", "locations"] {
            assert_eq!(call[member], announced[member], "{member}");
        }
        (announced, question)
    }

    async fn choose(&mut self, question: &Value, option: &str) {
        let outcome = json!({"outcome": {"outcome": "selected", "optionId": option}});
        self.wire.answer(question, outcome).await;
    }

    /// The next updates: the end of the call, with its status and its reason.
    async fn ended(&mut self) -> (String, String) {
        loop {
            let update = self.wire.update().await;
            if update["status"] != "in_progress" {
                let content = update["content"].as_array();
                let last = content.and_then(|content| content.last().cloned()).unwrap_or_default();
                let reason = last["content"]["text"].as_str().unwrap_or_default();
                return (update["status"].as_str().unwrap().to_owned(), reason.to_owned());
            }
        }
    }

    async fn over(&mut self) -> String {
        let said = self.wire.said().await;
        self.wire.recv().await;
        said
    }
}

async fn one_edit(place: &mut Place) {
    place.prompt("replace notes.txt two>2").await;
    let (announced, question) = place.question().await;
    let path = json!(place.notes());
    assert_eq!((&announced["kind"], &announced["title"]), (&json!("edit"), &json!("Edit notes.txt")));
    assert_eq!(announced["locations"], json!([{"path": path, "line": 2}]));
    let diff = json!([{"type": "diff", "path": path, "oldText": "one\r\ntwo\n", "newText": "one\r\n2\n"}]);
    assert_eq!(announced["content"], diff);
    assert_eq!(fs::read_to_string(place.notes()).unwrap(), "one\r\ntwo\n", "not before the answer");
    place.choose(&question, "allow-once").await;
    assert_eq!(place.ended().await.0, "completed");
    assert_eq!(place.over().await, r#"notes.txt Some("one\r\ntwo\n") "one\r\n2\n" true"#);
    assert_eq!(fs::read_to_string(place.notes()).unwrap(), "one\r\n2\n");
}

#[tokio::test]
async fn a_change_is_announced_asked_written_and_completed() {
    one_edit(&mut Place::new(false, false).await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_is_made_on_threads_too() {
    one_edit(&mut Place::new(false, false).await).await;
}

#[tokio::test]
async fn an_answer_for_always_is_remembered_under_its_key() {
    let mut place = Place::new(false, false).await;
    place.prompt("append notes.txt").await;
    let (_, question) = place.question().await;
    place.choose(&question, "allow-always").await;
    place.ended().await;
    place.over().await;
    for (text, said) in [
        ("append notes.txt", r#"notes.txt Some("one\r\ntwo\nmore\n") "one\r\ntwo\nmore\nmore\n" true"#),
        ("write sub/new.txt text", r#"new.txt None "text" true"#),
    ] {
        place.prompt(text).await;
        assert_eq!(place.wire.update().await["sessionUpdate"], "tool_call");
        assert_eq!(place.ended().await.0, "completed");
        assert_eq!(place.over().await, said);
    }
    // Another key is another question.
    place.prompt("own notes.txt").await;
    let (announced, question) = place.question().await;
    assert_eq!((&announced["toolCallId"], &announced["title"]), (&json!("call-7"), &json!("Bump")));
    place.choose(&question, "reject-always").await;
    assert_eq!(place.ended().await.0, "failed");
    assert_eq!(place.over().await, "edit Rejected");
    place.prompt("own notes.txt").await;
    place.wire.update().await;
    assert_eq!(place.ended().await, ("failed".to_owned(), "The user has rejected this change.".to_owned()));
    assert_eq!(place.over().await, "edit Rejected");
}

#[tokio::test]
async fn a_text_that_stays_is_not_asked_about() {
    let mut place = Place::new(false, false).await;
    place.prompt("replace notes.txt none>nothing").await;
    place.wire.update().await;
    assert_eq!(place.ended().await.0, "completed");
    assert!(place.over().await.ends_with("false"));
}

#[tokio::test]
async fn a_rejected_change_is_not_made() {
    let mut place = Place::new(false, false).await;
    place.prompt("write notes.txt new").await;
    let (_, question) = place.question().await;
    place.choose(&question, "reject-once").await;
    assert_eq!(place.ended().await, ("failed".to_owned(), "The user has rejected this change.".to_owned()));
    assert_eq!(place.over().await, "edit Rejected");
    assert_eq!(fs::read_to_string(place.notes()).unwrap(), "one\r\ntwo\n");
}

#[tokio::test]
async fn a_cancelled_question_is_not_consent() {
    for by_answer in [true, false] {
        let mut place = Place::new(false, false).await;
        let prompt = place.prompt("write notes.txt new").await;
        let (_, question) = place.question().await;
        place.wire.cancel(&place.session).await;
        if by_answer {
            place.wire.answer(&question, json!({"outcome": {"outcome": "cancelled"}})).await;
        }
        let failed = loop {
            let message = place.wire.recv().await;
            if message["method"] != "$/cancel_request" {
                break message["params"]["update"].clone();
            }
        };
        assert_eq!(failed["status"], "failed");
        let reason = &failed["content"][1]["content"]["text"];
        assert_eq!(reason, "The turn was cancelled: the file was not changed.");
        assert_eq!(place.wire.stopped(prompt).await, "cancelled");
        assert_eq!(fs::read_to_string(place.notes()).unwrap(), "one\r\ntwo\n");
    }
}

#[tokio::test]
async fn what_cannot_be_changed_is_a_failed_call_and_a_typed_error() {
    let mut place = Place::new(false, false).await;
    let root = place.folder.path().join("root");
    symlink("../secret.txt", root.join("out")).unwrap();
    fs::write(root.join("binary"), b"\xff").unwrap();
    fs::write(root.join("huge"), vec![b'x'; 16 * 1024 * 1024 + 1]).unwrap();
    for (text, said) in [
        ("append none.txt", "file Missing"),
        ("append binary", "file NotText"),
        ("write binary x", "file NotText"),
        ("append huge", "file TooLarge { max_bytes: 16777216 }"),
        ("write out x", "file Outside"),
        ("write ../secret.txt x", "file Outside"),
        ("cannot notes.txt", "edit there is nothing to change"),
    ] {
        place.prompt(text).await;
        let announced = place.wire.update().await;
        assert_eq!((&announced["kind"], &announced["status"]), (&json!("edit"), &Value::Null), "{text}");
        assert!(announced["locations"][0]["path"].is_string(), "{announced}");
        let (status, reason) = place.ended().await;
        assert!(status == "failed" && !reason.is_empty(), "{text}");
        assert_eq!(place.over().await, said, "{text}");
    }
    // A name that nobody can be told has no call.
    place.prompt("strange").await;
    assert_eq!(place.over().await, "edit NotUnicode");
    assert_eq!(fs::read_to_string(place.folder.path().join("secret.txt")).unwrap(), "secret");
}

#[tokio::test]
async fn a_write_that_fails_fails_the_call() {
    let mut place = Place::new(false, false).await;
    place.prompt("write notes.txt/below x").await;
    // It is missing, so it may be made; but it is below a file.
    let (_, question) = place.question().await;
    place.choose(&question, "allow-once").await;
    let (status, reason) = place.ended().await;
    assert!(status == "failed" && reason.contains("was not written"), "{reason}");
    assert!(place.over().await.starts_with("file "));
}

/// Serves the client's files until a message comes that is not about them.
async fn serve_files(place: &mut Place, text: &mut String) -> Value {
    loop {
        let message = place.wire.recv().await;
        match message["method"].as_str() {
            Some("fs/read_text_file") => place.wire.answer(&message, json!({"content": text})).await,
            Some("fs/write_text_file") => {
                *text = message["params"]["content"].as_str().unwrap().to_owned();
                place.wire.answer(&message, json!({})).await;
            }
            _ => return message,
        }
    }
}

#[tokio::test]
async fn the_clients_files_are_changed_where_it_offers_them() {
    for write in [true, false] {
        let mut place = Place::new(true, write).await;
        let mut buffer = String::from("unsaved\n");
        place.prompt("append notes.txt").await;
        let announced = serve_files(&mut place, &mut buffer).await;
        assert_eq!(announced["params"]["update"]["content"][0]["oldText"], "unsaved\n");
        let question = place.wire.asked("session/request_permission").await;
        place.choose(&question, "allow-once").await;
        let started = serve_files(&mut place, &mut buffer).await;
        assert_eq!(started["params"]["update"]["status"], "in_progress");
        let completed = serve_files(&mut place, &mut buffer).await;
        assert_eq!(completed["params"]["update"]["status"], "completed");
        let disk = fs::read_to_string(place.notes()).unwrap();
        let expected =
            if write { ("unsaved\nmore\n", "one\r\ntwo\n") } else { ("unsaved\n", "unsaved\nmore\n") };
        assert_eq!((&*buffer, &*disk), expected);
    }
}

/// Without the session's directories on this machine, the client alone knows its files. With them,
/// the disk decides about an answer that can mean "missing", and about no other failure: the text
/// may be in an editor.
#[tokio::test]
async fn a_file_that_the_client_cannot_read_is_new_only_if_somebody_says_so() {
    let error = |code: i64| json!({"error": {"code": code, "message": "it cannot be read"}});
    for (answer, is_new_by_client, is_new_by_disk) in [
        (error(-32002), true, true),
        (error(-32603), false, true),
        (error(404), false, true),
        (error(-32602), false, false),
        (error(-32601), false, false),
        (error(-32800), false, false),
        (json!({"result": {}}), false, false),
        (json!({"neither": 1}), false, false),
    ] {
        for (has_root, is_new) in [(false, is_new_by_client), (true, is_new_by_disk)] {
            let mut place = Place::new(true, true).await;
            if !has_root {
                fs::remove_dir_all(place.folder.path().join("root")).unwrap();
            }
            place.prompt("write unsaved.txt new").await;
            let read = place.wire.asked("fs/read_text_file").await;
            let mut response = answer.clone();
            response["jsonrpc"] = json!("2.0");
            response["id"] = read["id"].clone();
            place.wire.send(response).await;
            let announced = place.wire.update().await;
            if is_new {
                let diff = &announced["content"][0];
                assert_eq!((&diff["oldText"], &diff["newText"]), (&Value::Null, &json!("new")), "{answer}");
            } else {
                let (status, reason) = place.ended().await;
                assert!(status == "failed" && reason.contains("fs/read_text_file"), "{answer}: {reason}");
                assert_eq!(place.over().await, "file fs/read_text_file", "{answer}");
            }
        }
    }
}

#[tokio::test]
async fn a_cancel_while_the_client_writes_is_told_as_it_is() {
    let mut place = Place::new(false, true).await;
    let prompt = place.prompt("write notes.txt new").await;
    let (_, question) = place.question().await;
    place.choose(&question, "allow-once").await;
    place.wire.update().await;
    place.wire.asked("fs/write_text_file").await;
    place.wire.cancel(&place.session).await;
    assert_eq!(place.wire.recv().await["method"], "$/cancel_request");
    let (status, reason) = place.ended().await;
    assert!(status == "failed" && reason.contains("may be changed"), "{reason}");
    assert_eq!(place.wire.stopped(prompt).await, "cancelled");
}

#[test]
fn a_path_in_a_diff_is_unicode_or_an_error() {
    use acp_agent::types::{Diff, ToolCallLocation};
    let strange = PathBuf::from(std::ffi::OsString::from_vec(b"/caf\xe9".to_vec()));
    assert_eq!(Diff::of_file(&strange, "x").unwrap_err().path(), strange);
    assert_eq!(ToolCallLocation::of_file(&strange).unwrap_err().path(), strange);
    assert_eq!(Diff::of_file(Path::new("/größe"), "x").unwrap().path, "/größe");
    assert_eq!(ToolCallLocation::of_file("/a").unwrap(), ToolCallLocation::new("/a"));
}
