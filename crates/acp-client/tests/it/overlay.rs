//! `LocalFs::overlay`: an editor's open files go over the files on the disk.

#![cfg(unix)]

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use acp_client::{HostFile, Overlay};
use serde_json::json;
use tokio::sync::mpsc;

use crate::common::place::{Place, code};

/// The open files of an editor, and the requests that it has seen.
#[derive(Default)]
struct Buffers {
    texts: Mutex<HashMap<PathBuf, String>>,
    asked: Mutex<Vec<String>>,
}

impl Buffers {
    fn open(&self, path: PathBuf, text: &str) {
        self.texts.lock().expect("nobody panics").insert(path, text.to_owned());
    }

    fn text(&self, path: &PathBuf) -> Option<String> {
        self.texts.lock().expect("nobody panics").get(path).cloned()
    }

    fn note(&self, what: &str, file: &HostFile) {
        let name = file.real_path().file_name().expect("a name").to_string_lossy().into_owned();
        self.asked.lock().expect("nobody panics").push(format!("{what} {name} for {}", file.session_id()));
    }

    fn asked(&self) -> Vec<String> {
        std::mem::take(&mut *self.asked.lock().expect("nobody panics"))
    }
}

impl Overlay for Buffers {
    async fn read(&self, file: &HostFile) -> Option<String> {
        self.note("read", file);
        self.texts.lock().expect("nobody panics").get(file.real_path()).cloned()
    }

    async fn write(&self, file: &HostFile, text: &str) -> bool {
        self.note("write", file);
        let mut texts = self.texts.lock().expect("nobody panics");
        texts.get_mut(file.real_path()).map(|buffer| text.clone_into(buffer)).is_some()
    }
}

async fn place() -> (Place, Arc<Buffers>) {
    let buffers = Arc::new(Buffers::default());
    let overlay = Arc::clone(&buffers);
    (Place::with(|files| files.max_bytes(100).overlay(overlay)).await, buffers)
}

#[tokio::test]
async fn an_open_file_is_read_and_written_in_its_buffer() {
    let (mut place, buffers) = place().await;
    let real = place.root().canonicalize().expect("there");
    buffers.open(real.join("notes.txt"), "unsaved\nlines\n");
    buffers.open(real.join("new.txt"), "not on the disk");
    buffers.open(real.join("no folder/new.txt"), "nor its folder");
    symlink("notes.txt", real.join("link")).expect("linked");
    let notes = place.path("notes.txt");
    for (params, expected) in [
        (json!({"path": notes}), "unsaved\nlines\n"),
        (json!({"path": notes, "line": 2}), "lines\n"),
        (json!({"path": notes, "limit": 1}), "unsaved\n"),
        (json!({"path": place.path("link")}), "unsaved\nlines\n"),
        (json!({"path": place.path("sub/../notes.txt")}), "unsaved\nlines\n"),
        (json!({"path": place.path("new.txt")}), "not on the disk"),
        (json!({"path": place.path("no folder/new.txt")}), "nor its folder"),
        (json!({"path": place.path("sub/deep.txt")}), "deep"),
    ] {
        assert_eq!(place.read_with(params.clone()).await["result"]["content"], expected, "{params}");
    }
    assert_eq!(buffers.asked().last().map(String::as_str), Some("read deep.txt for s1"));

    assert_eq!(place.write(&notes, "from the agent").await["result"], json!({}));
    assert_eq!(buffers.text(&real.join("notes.txt")).as_deref(), Some("from the agent"));
    assert_eq!(fs::read_to_string(&notes).expect("there"), "one\ntwo\nthree\n", "the editor saves it");
    let deep = place.path("sub/deep.txt");
    assert_eq!(place.write(&deep, "deeper").await["result"], json!({}));
    assert_eq!(fs::read_to_string(&deep).expect("there"), "deeper");
    assert_eq!(buffers.asked(), ["write notes.txt for s1", "write deep.txt for s1"]);
}

#[tokio::test]
async fn limits_and_roots_hold_for_buffers_too() {
    let (mut place, buffers) = place().await;
    let real = place.root().canonicalize().expect("there");
    let secret = place.folder.path().canonicalize().expect("there").join("secret.txt");
    buffers.open(secret.clone(), "an open secret");
    buffers.open(real.join("large.txt"), &"a".repeat(101));
    symlink("../secret.txt", real.join("out")).expect("linked");
    for path in [place.path("out"), place.path("../secret.txt"), secret.to_str().expect("UTF-8").to_owned()] {
        assert_eq!(code(&place.read(&path).await), -32602, "{path}");
        assert_eq!(code(&place.write(&path, "x").await), -32602, "{path}");
    }
    assert_eq!(buffers.text(&secret).as_deref(), Some("an open secret"));
    let large = place.path("large.txt");
    assert_eq!(buffers.asked(), Vec::<String>::new(), "nobody is asked about them");
    assert_eq!(code(&place.read(&large).await), -32602);
    assert!(place.write(&large, &"a".repeat(101)).await["error"]["message"].is_string());
    assert_eq!(buffers.asked(), ["read large.txt for s1"]);
}

/// An editor that never answers.
struct Silent(mpsc::UnboundedSender<mpsc::Sender<()>>);

impl Silent {
    async fn forever(&self) {
        let (held, mut freed) = mpsc::channel(1);
        self.0.send(held).expect("the test listens");
        freed.recv().await;
        std::future::pending().await
    }
}

impl Overlay for Silent {
    async fn read(&self, _: &HostFile) -> Option<String> {
        self.forever().await;
        None
    }

    async fn write(&self, _: &HostFile, _: &str) -> bool {
        self.forever().await;
        true
    }
}

#[tokio::test]
async fn who_is_slow_is_asked_no_more_when_the_request_is_withdrawn() {
    let (tell, mut asked) = mpsc::unbounded_channel();
    let mut place = Place::with(|files| files.overlay(Silent(tell))).await;
    let path = place.path("notes.txt");
    for method in ["fs/read_text_file", "fs/write_text_file"] {
        let params = json!({"sessionId": "s1", "path": path, "content": "x"});
        place.wire.send(json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})).await;
        let held = asked.recv().await.expect("it is asked");
        let cancel = json!({"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": 1}});
        place.wire.send(cancel).await;
        assert_eq!(place.wire.receive().await["error"]["code"], -32800, "{method}");
        held.closed().await;
    }
    assert_eq!(fs::read_to_string(&path).expect("there"), "one\ntwo\nthree\n");
}
