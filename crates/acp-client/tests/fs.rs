//! `LocalFs`: what is read and written below a root, and that nothing is beside it.

#![allow(clippy::expect_used, clippy::indexing_slicing, reason = "what a test expects, it may insist on")]
#![cfg(unix)]

mod common;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use acp_client::LocalFs;
use common::{Wire, with_session};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A root with a file in it, and things around it that are not to be reached.
struct Place {
    folder: TempDir,
    wire: Wire,
    _session: acp_client::Session,
}

impl Place {
    async fn new() -> Self {
        Self::with(|files| files).await
    }

    async fn with(set_up: impl FnOnce(LocalFs) -> LocalFs) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for (path, text) in [
            ("root/notes.txt", "one\ntwo\nthree\n"),
            ("root/sub/deep.txt", "deep"),
            ("root-twin/secret.txt", "secret"),
            ("secret.txt", "secret"),
        ] {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().expect("has one")).expect("created");
            fs::write(path, text).expect("written");
        }
        let files = set_up(LocalFs::rooted(folder.path().join("root")).expect("it is a directory"));
        let (session, wire) = with_session(|connect| connect.fs(files)).await;
        Self { folder, wire, _session: session }
    }

    fn root(&self) -> std::path::PathBuf {
        self.folder.path().join("root")
    }

    fn path(&self, relative: &str) -> String {
        self.root().join(relative).to_str().expect("UTF-8").to_owned()
    }

    async fn read(&mut self, path: &str) -> Value {
        self.read_with(json!({"path": path})).await
    }

    async fn read_with(&mut self, mut params: Value) -> Value {
        params["sessionId"] = json!("s1");
        self.wire.call(json!("r"), "fs/read_text_file", params).await
    }

    async fn write(&mut self, path: &str, content: &str) -> Value {
        let params = json!({"sessionId": "s1", "path": path, "content": content});
        self.wire.call(json!("w"), "fs/write_text_file", params).await
    }
}

/// The code of an error, after checking that it names field and session and tells nothing of what is outside.
fn code(answer: &Value) -> i64 {
    let error = &answer["error"];
    let message = error["message"].as_str().unwrap_or_else(|| panic!("an error, not {answer}"));
    assert!(message.contains("`path`") && message.contains("`s1`"), "{message}");
    assert_eq!((&error["data"]["field"], &error["data"]["sessionId"]), (&json!("path"), &json!("s1")));
    assert!(!answer.to_string().contains("secret\""), "{answer}");
    error["code"].as_i64().expect("a number")
}

#[tokio::test]
async fn lines_are_counted_from_one_and_keep_their_ends() {
    let mut place = Place::new().await;
    let path = place.path("notes.txt");
    fs::write(place.path("dos.txt"), "a\r\nb\r\nlast").expect("written");
    let dos = place.path("dos.txt");
    for (params, expected) in [
        (json!({"path": path}), "one\ntwo\nthree\n"),
        (json!({"path": path, "line": null, "limit": null}), "one\ntwo\nthree\n"),
        (json!({"path": path, "line": 1}), "one\ntwo\nthree\n"),
        (json!({"path": path, "line": 0}), "one\ntwo\nthree\n"),
        (json!({"path": path, "line": 2}), "two\nthree\n"),
        (json!({"path": path, "line": 2, "limit": 1}), "two\n"),
        (json!({"path": path, "limit": 2}), "one\ntwo\n"),
        (json!({"path": path, "limit": 0}), ""),
        (json!({"path": path, "line": 3, "limit": 99}), "three\n"),
        (json!({"path": path, "line": 4}), ""),
        (json!({"path": path, "line": u32::MAX, "limit": u32::MAX}), ""),
        (json!({"path": dos, "line": 2}), "b\r\nlast"),
    ] {
        assert_eq!(place.read_with(params.clone()).await["result"]["content"], expected, "{params}");
    }
}

#[tokio::test]
async fn writing_creates_replaces_and_keeps_the_mode() {
    let mut place = Place::new().await;
    let script = place.path("run.sh");
    fs::write(&script, "old").expect("written");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o750)).expect("set");
    assert_eq!(place.write(&script, "new").await["result"], json!({}));
    assert_eq!(fs::read_to_string(&script).expect("there"), "new");
    assert_eq!(fs::metadata(&script).expect("there").permissions().mode() & 0o7777, 0o750);

    let created = place.path("new/folder/größe 文.txt");
    assert_eq!(place.write(&created, "text").await["result"], json!({}));
    assert_eq!(fs::read_to_string(&created).expect("there"), "text");
    assert_eq!(place.read(&created).await["result"]["content"], "text");
    let left: Vec<_> =
        fs::read_dir(place.root()).expect("a directory").map(|e| e.expect("e").file_name()).collect();
    assert!(
        !left.iter().any(|name| name.to_string_lossy().starts_with(".acp")),
        "nothing is left over: {left:?}"
    );
}

#[tokio::test]
async fn a_missing_file_is_not_found_and_named_by_uri() {
    let mut place = Place::new().await;
    let missing = place.path("no such.txt");
    let answer = place.read(&missing).await;
    assert_eq!(code(&answer), -32002);
    let uri = answer["error"]["data"]["uri"].as_str().expect("a URI");
    assert!(uri.starts_with("file:///") && uri.ends_with("/root/no%20such.txt"), "{uri}");
    let below_file = place.path("notes.txt/x");
    assert_eq!(code(&place.read(&below_file).await), -32002);
}

/// Paths that lead outside in one way or another, relative to the folder around the root.
fn ways_out(place: &Place) -> Vec<(&'static str, String)> {
    let around = place.folder.path().to_str().expect("UTF-8").to_owned();
    let root = place.root();
    symlink("../secret.txt", root.join("link-out")).expect("linked");
    symlink(place.folder.path().join("secret.txt"), root.join("absolute-link-out")).expect("linked");
    symlink("..", root.join("folder-out")).expect("linked");
    symlink("folder-out/secret.txt", root.join("chain-out")).expect("linked");
    vec![
        ("relative", "notes.txt".into()),
        ("relative with dots", "../secret.txt".into()),
        ("empty", String::new()),
        ("absolute outside", format!("{around}/secret.txt")),
        ("device", "/dev/null".into()),
        ("parent", format!("{around}/root/../secret.txt")),
        ("parent of a folder", format!("{around}/root/sub/../../secret.txt")),
        ("out and in again", format!("{around}/root/../root-twin/secret.txt")),
        ("prefix twin", format!("{around}/root-twin/secret.txt")),
        ("link", format!("{around}/root/link-out")),
        ("absolute link", format!("{around}/root/absolute-link-out")),
        ("folder link", format!("{around}/root/folder-out/secret.txt")),
        ("chain of links", format!("{around}/root/chain-out")),
        ("NUL", format!("{around}/root/notes.txt\0.png")),
        ("long name", format!("{around}/root/{}", "n".repeat(300))),
        ("long path", format!("{around}/root/{}", "n/".repeat(4000))),
        ("directory", format!("{around}/root/sub")),
        ("the root", format!("{around}/root")),
        ("the root with a slash", format!("{around}/root/")),
    ]
}

#[tokio::test]
async fn nothing_outside_is_read() {
    let mut place = Place::new().await;
    for (way, path) in ways_out(&place) {
        let answer = place.read(&path).await;
        assert_eq!(code(&answer), -32602, "{way}: {answer}");
    }
}

#[tokio::test]
async fn nothing_outside_is_written() {
    let mut place = Place::new().await;
    for (way, path) in ways_out(&place) {
        let answer = place.write(&path, "overwritten").await;
        assert_eq!(code(&answer), -32602, "{way}: {answer}");
    }
    let around = place.folder.path().to_owned();
    let beside = place.path("../new.txt");
    assert_eq!(code(&place.write(&beside, "x").await), -32602);
    let through = place.path("folder-out/new.txt");
    assert_eq!(code(&place.write(&through, "x").await), -32602);
    let made = place.path("folder-out/made/new.txt");
    assert_eq!(code(&place.write(&made, "x").await), -32602);
    for secret in ["secret.txt", "root-twin/secret.txt"] {
        assert_eq!(fs::read_to_string(around.join(secret)).expect("there"), "secret");
    }
    let mut names: Vec<_> = fs::read_dir(&around)
        .expect("a directory")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["root", "root-twin", "secret.txt"]);
}

#[tokio::test]
async fn links_and_dots_that_stay_inside_are_followed() {
    let mut place = Place::new().await;
    let root = place.root();
    symlink("../notes.txt", root.join("sub/link-in")).expect("linked");
    symlink(root.join("notes.txt"), root.join("absolute-link-in")).expect("linked");
    symlink(&root, place.folder.path().join("other-name")).expect("linked");
    let other_name = place.folder.path().join("other-name/notes.txt").to_str().expect("UTF-8").to_owned();
    let dots = place.path("sub/../notes.txt");
    let links = [place.path("sub/link-in"), place.path("absolute-link-in"), other_name, dots];
    for (n, path) in links.iter().enumerate() {
        assert_eq!(place.read(path).await["result"]["content"], "one\ntwo\nthree\n", "{path}");
        // Written through: the link stays a link.
        assert_eq!(place.write(path, &format!("version {n}")).await["result"], json!({}), "{path}");
        assert_eq!(fs::read_to_string(root.join("notes.txt")).expect("there"), format!("version {n}"));
        fs::write(root.join("notes.txt"), "one\ntwo\nthree\n").expect("written");
    }
    assert!(fs::symlink_metadata(root.join("sub/link-in")).expect("there").is_symlink());
}

#[tokio::test]
async fn what_is_no_regular_file_is_refused() {
    let mut place = Place::new().await;
    let root = place.root();
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mknodat(rustix::fs::CWD, root.join("fifo"), rustix::fs::FileType::Fifo, mode, 0)
        .expect("made");
    let _listener = std::os::unix::net::UnixListener::bind(root.join("socket")).expect("made");
    symlink("nowhere", root.join("dangling")).expect("linked");
    for name in ["fifo", "socket"] {
        let path = place.path(name);
        assert_eq!(code(&place.read(&path).await), -32602, "{name}");
        assert_eq!(code(&place.write(&path, "x").await), -32602, "{name}");
    }
    let dangling = place.path("dangling");
    assert_eq!(code(&place.read(&dangling).await), -32002);
    assert_eq!(code(&place.write(&dangling, "x").await), -32602);
    assert!(!root.join("nowhere").exists());
}

#[tokio::test]
async fn size_and_encoding_have_limits() {
    let mut place = Place::with(|files| files.max_bytes(100)).await;
    let large = place.path("large.txt");
    fs::write(&large, format!("{}\n{}\nend", "a".repeat(80), "b".repeat(90))).expect("written");
    assert_eq!(code(&place.read(&large).await), -32602);
    let part = place.read_with(json!({"path": large, "line": 3, "limit": 5})).await;
    assert_eq!(part["result"]["content"], "end", "a large file can be read in parts");
    let exact = place.path("exact.txt");
    assert_eq!(place.write(&exact, &"c".repeat(100)).await["result"], json!({}));
    assert_eq!(place.read(&exact).await["result"]["content"], "c".repeat(100));
    let refused = place.write(&exact, &"d".repeat(101)).await;
    assert_eq!(
        (&refused["error"]["code"], &refused["error"]["data"]["field"]),
        (&json!(-32602), &json!("content"))
    );
    assert_eq!(fs::read_to_string(&exact).expect("there"), "c".repeat(100));

    let binary = place.path("binary");
    fs::write(&binary, b"ab\xff\xfe").expect("written");
    let answer = place.read(&binary).await;
    assert_eq!(code(&answer), -32602);
    assert!(answer["error"]["message"].as_str().expect("text").contains("UTF-8"), "{answer}");
}

#[tokio::test]
async fn a_read_only_file_stays_as_it_is() {
    let mut place = Place::new().await;
    let path = place.path("locked.txt");
    fs::write(&path, "old").expect("written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).expect("set");
    assert_eq!(code(&place.write(&path, "new").await), -32603);
    assert_eq!(fs::read_to_string(&path).expect("there"), "old");
}

#[tokio::test]
async fn a_hard_link_keeps_the_old_text() {
    let mut place = Place::new().await;
    let (secret, link) = (place.folder.path().join("secret.txt"), place.path("hard"));
    fs::hard_link(&secret, &link).expect("linked");
    assert_eq!(place.write(&link, "new").await["result"], json!({}));
    assert_eq!(
        fs::read_to_string(&secret).expect("there"),
        "secret",
        "what is outside is not written through"
    );
}

/// A directory is swapped for a link to the outside again and again while files are written and read in it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_swapped_link_does_not_lead_out() {
    let mut place = Place::new().await;
    let root = place.root();
    let path = place.path("door/secret.txt");
    fs::create_dir(root.join("inside")).expect("made");
    fs::write(root.join("inside/secret.txt"), "harmless").expect("written");
    symlink("inside", root.join("door")).expect("linked");
    symlink("inside", root.join("in")).expect("linked");
    symlink("..", root.join("out")).expect("linked");
    let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let swapping = {
        let (stop, root) = (stop.clone(), root.clone());
        std::thread::spawn(move || {
            let swap = |to: &str| {
                symlink(to, root.join("next")).expect("linked");
                fs::rename(root.join("next"), root.join("door")).expect("swapped");
            };
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                swap("..");
                swap("inside");
            }
        })
    };
    for _ in 0..500 {
        let read = place.read(&path).await;
        assert_ne!(read["result"]["content"], "secret");
        place.write(&path, "written").await;
    }
    stop.store(true, std::sync::atomic::Ordering::Relaxed);
    swapping.join().expect("it swapped to the end");
    assert_eq!(fs::read_to_string(place.folder.path().join("secret.txt")).expect("there"), "secret");
}

#[test]
fn a_root_must_be_a_directory() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("file"), "").expect("written");
    for path in ["file", "missing"] {
        assert!(LocalFs::rooted(folder.path().join(path)).is_err(), "{path}");
    }
    assert!(LocalFs::rooted(Path::new(".")).is_ok());
}

#[tokio::test]
async fn several_roots_are_served() {
    let mut place = Place::new().await;
    let twin = place.folder.path().join("root-twin");
    let files = LocalFs::rooted(place.root()).and_then(|files| files.with_root(&twin)).expect("directories");
    let (session, wire) = with_session(|connect| connect.fs(files)).await;
    (place.wire, place._session) = (wire, session);
    let (first, second) = (place.path("notes.txt"), twin.join("secret.txt"));
    assert_eq!(place.read(&first).await["result"]["content"], "one\ntwo\nthree\n");
    assert_eq!(place.read(second.to_str().expect("UTF-8")).await["result"]["content"], "secret");
}
